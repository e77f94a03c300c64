/* carom/scene.h: many bodies. A scene changes; a frame is a const view of it for engines to read, and a snapshot is a
 * view that survives changes of the scene. */
#ifndef CAROM_SCENE_H
#define CAROM_SCENE_H

#include "carom/broad.h"
#include "carom/query.h"

#ifdef __cplusplus
extern "C"
{
#endif

    /* A scene belongs to one thread at a time. */
    typedef struct carom_scene carom_scene;
    CAROM_API carom_status carom_scene_create(carom_context *context, carom_scene **out);
    CAROM_API void carom_scene_destroy(carom_scene *scene);

    typedef struct carom_body_def
    {
        carom_placed placed; /* the scene holds references to its mesh and tree */
        carom_filter filter;
        bool is_static;   /* two static bodies are never compared; a static body may still be moved */
        double margin;    /* 0 .. 2^100: added to the clearance of each pair with this body, see carom_engine_run */
        double priority;  /* 0 .. 2^100: the weight of its pairs when a budget is shared out, see carom_engine_run */
        const char *name; /* copied; may be null */
        uint64_t user;    /* for the caller's use */
    } carom_body_def;

    CAROM_API carom_body_def carom_body_def_default(void); /* moving, margin 0, priority 1, no shape */
    CAROM_API carom_status carom_scene_add(carom_scene *scene, const carom_body_def *def, carom_body_id *out);
    CAROM_API carom_status carom_scene_move(carom_scene *scene, carom_body_id body, const carom_pose *pose);
    CAROM_API carom_status carom_scene_remove(carom_scene *scene, carom_body_id body);

    /* Replaces a body's shape, by the next frame of a deforming body or by another shape altogether. If the new mesh
     * was made from the old one by carom_mesh_deform and neither shape names a tree, the new mesh inherits the old
     * one's default trees, refitted, and cached data of its pairs stays valid. If you use your own tree
     * (carom_shape_tree), refit it to the new mesh first. The scene releases the old mesh and tree. */
    CAROM_API carom_status carom_scene_reshape(carom_scene *scene, carom_body_id body, const carom_shape *shape);

    CAROM_API carom_status carom_scene_set_filter(carom_scene *scene, carom_body_id body, const carom_filter *filter);
    CAROM_API carom_status carom_scene_set_static(carom_scene *scene, carom_body_id body, bool is_static);
    CAROM_API carom_status carom_scene_set_margin(carom_scene *scene, carom_body_id body, double margin);
    CAROM_API carom_status carom_scene_set_priority(carom_scene *scene, carom_body_id body, double priority);

    /* One body as engines see it. A version is a number that grows with each change of the pose, the shape or the
     * settings, so that data kept for a body can be checked for being up to date; 0 in frames that no scene made. */
    typedef struct carom_frame_body
    {
        carom_body_id id;
        carom_placed placed;
        carom_filter filter;
        carom_aabb bounds; /* world, conservative, without the margin */
        double margin, priority;
        bool is_static;
        uint64_t pose_version, shape_version;
        uint64_t settings_version; /* of filter, margin, priority, is_static */
        const char *name;
        uint64_t user;
    } carom_frame_body;

    /* Bodies sorted by id.index. */
    typedef struct carom_frame
    {
        const carom_frame_body *bodies;
        uint32_t body_count;
        uint64_t scene;   /* the scene that made it; 0: none */
        uint64_t version; /* of the scene; the same number means that nothing has changed */
        bool owned;       /* belongs to a snapshot, so it survives changes of the scene */
    } carom_frame;

    /* The frame is borrowed from the scene and valid until the scene changes; after that, engines refuse it as
     * CAROM_STALE_FRAME. */
    CAROM_API carom_status carom_scene_frame(carom_scene *scene, carom_frame *out);

    /* A copy with its own references to meshes and trees, so that the scene may be changed or destroyed, also by
     * another thread, while an engine reads the copy. */
    typedef struct carom_snapshot carom_snapshot;
    CAROM_API carom_status carom_scene_snapshot(carom_scene *scene, carom_snapshot **out);
    CAROM_API const carom_frame *carom_snapshot_frame(const carom_snapshot *snapshot);
    CAROM_API void carom_snapshot_destroy(carom_snapshot *snapshot);

    /* The body with this id, for example one from a report; null if the frame has none. */
    CAROM_API const carom_frame_body *carom_frame_find(const carom_frame *frame, carom_body_id id);

    /* ---- rays ---- */

    typedef struct carom_body_hit
    {
        carom_body_id body;
        carom_ray_hit hit;
    } carom_body_hit;

    /* The hits of ray i are hits[first_hit[i] .. first_hit[i + 1]), sorted by (t, body, triangle). */
    typedef struct carom_frame_ray_report
    {
        carom_status status;
        const carom_body_hit *hits;
        uint64_t hit_count;
        const uint64_t *first_hit; /* ray_count + 1 */
        uint32_t ray_count;
        uint64_t hash; /* not for CAROM_RAY_ANY */
        carom_counters counters;
    } carom_frame_ray_report;

    /* Which bodies does each ray of the batch hit? FIRST: the smallest (t, body, triangle). Filters, margins and
     * is_static have no effect. The report belongs to the scene until the next call. */
    CAROM_API carom_status carom_scene_cast(carom_scene *scene, const carom_ray_batch *batch,
                                            carom_frame_ray_report *report);

#ifdef __cplusplus
}
#endif

#endif
