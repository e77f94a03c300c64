/* carom/scene.h: many bodies. A scene changes; a frame is a const snapshot of it that engines read. */
#ifndef CAROM_SCENE_H
#define CAROM_SCENE_H

#include "carom/query.h"

#ifdef __cplusplus
extern "C"
{
#endif

    typedef struct carom_scene carom_scene;
    CAROM_API carom_status carom_scene_create(carom_context *context, carom_scene **out);
    CAROM_API void carom_scene_destroy(carom_scene *scene);

    /* Two bodies are compared iff each one's category is in the other's mask and their groups differ or are 0. */
    typedef struct carom_filter
    {
        uint64_t category;
        uint64_t mask;
        uint32_t group;
    } carom_filter;

    typedef struct carom_body_def
    {
        carom_placed placed; /* mesh and tree must outlive the body; tree may be null: the scene builds and owns one */
        carom_filter filter;
        const char *name; /* copied; may be null */
        uint64_t user;    /* the caller's own */
    } carom_body_def;

    CAROM_API carom_body_def carom_body_def_default(void);
    CAROM_API carom_status carom_scene_add(carom_scene *scene, const carom_body_def *def, carom_body_id *out);
    CAROM_API carom_status carom_scene_move(carom_scene *scene, carom_body_id body, const carom_pose *pose);
    CAROM_API carom_status carom_scene_remove(carom_scene *scene, carom_body_id body);

    /* One body as an engine sees it. */
    typedef struct carom_frame_body
    {
        carom_body_id id;
        carom_placed placed;
        carom_filter filter;
        carom_aabb bounds; /* world, conservative */
        const char *name;
        uint64_t user;
    } carom_frame_body;

    /* Borrowed from the scene until it changes next; bodies sorted by id.index. */
    typedef struct carom_frame
    {
        const carom_frame_body *bodies;
        uint32_t body_count;
    } carom_frame;

    CAROM_API carom_status carom_scene_frame(carom_scene *scene, carom_frame *out);

    /* The body with this id, as a report names it; null if the frame has none. */
    CAROM_API const carom_frame_body *carom_frame_find(const carom_frame *frame, carom_body_id id);

#ifdef __cplusplus
}
#endif

#endif
