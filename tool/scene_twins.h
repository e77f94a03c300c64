/* A generated scene twice: with binary trees of oriented boxes, as in RAPID, and with default trees. */
#ifndef TOOL_SCENE_TWINS_H
#define TOOL_SCENE_TWINS_H

#include "carom/carom.h"
#include "scenes/scenes.h"

enum
{
    TWIN_OBB = 0, /* one triangle per leaf, split at the mean, boxes along the principal axes of the surface */
    TWIN_DEFAULT,
    TWIN_COUNT
};

typedef struct scene_twins
{
    carom_context *context; /* borrowed */
    scenes_scene *source;
    carom_tree **trees; /* per mesh: of the first twin */
    carom_scene *scenes[TWIN_COUNT];
    carom_body_id *ids[TWIN_COUNT];
} scene_twins;

/* triangles: see scenes_create_sized. Close it in either case. */
carom_status scene_twins_open(carom_context *context, const char *name, uint32_t triangles, scene_twins *out);
void scene_twins_close(scene_twins *twins);

/* Moves what moves in both to a step. */
carom_status scene_twins_move(scene_twins *twins, uint32_t step, carom_frame frames[TWIN_COUNT]);

#endif
