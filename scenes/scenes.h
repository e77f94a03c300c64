/* scenes/scenes.h: named scenes, written once for tests, bench, samples and tool.
 *
 *   scenes_scene *scene;
 *   scenes_create(context, "assembly", &scene);
 *   for (uint32_t step = 0; step < scene->step_count; step++) { scenes_move(scene, step); ... scene->bodies ... }
 *   scenes_destroy(scene);
 *
 * Everything is the same bits on every machine. */
#ifndef SCENES_SCENES_H
#define SCENES_SCENES_H

#include "carom/shape.h"

typedef struct scenes_info
{
    const char *name;
    const char *summary; /* in one line; names the document that a scene comes from */
    uint32_t body_count;
    uint32_t step_count;
    uint32_t triangle_count; /* over all bodies, exact */
} scenes_info;

/* The table of scenes; null past its end. */
const scenes_info *scenes_get_info(uint32_t index);

/* How a body moves: turned about an axis and shifted along a line that is folded back at the walls of a box. */
typedef struct scenes_motion
{
    double orientation[4];      /* quaternion at step 0, scalar last */
    carom_vec3 axis;            /* unit length, through the body's own origin */
    double turns_per_step;      /* full turns */
    carom_vec3 start, velocity; /* per move */
    uint32_t steps_per_move;    /* the shift happens once per this many steps; 0 counts as 1 */
    carom_vec3 low, high;       /* walls of the body's origin; high <= low on an axis: none there */
} scenes_motion;

typedef struct scenes_body
{
    carom_shape shape; /* its mesh is owned by the scene; several bodies may share one */
    carom_pose pose;   /* at the current step */
    char name[32];
    bool moves;
    scenes_motion motion;
    uint32_t first_frame, frame_count; /* a body that deforms: its shape is one of so many meshes of the scene, which
                                          share their triangles, in turn; see carom_scene_reshape. 0: it does not */
} scenes_body;

typedef struct scenes_scene
{
    const char *name;
    carom_mesh **meshes;
    scenes_body *bodies;
    uint32_t mesh_count, body_count;
    uint32_t step_count; /* at least 1 */
    double clearance;    /* a gap that the scene is meant to be checked for; 0: none */
} scenes_scene;

/* CAROM_INVALID_ARGUMENT for an unknown name. The scene starts at step 0. */
carom_status scenes_create(carom_context *context, const char *name, scenes_scene **out);
/* The same with another number of triangles in all, about; 0: as in the table. For ibcd-1 and ibcd-2, in which bodies
 * then move on after the last step, within bounds, and scd-1 to scd-4; of other scenes the size is fixed:
 * CAROM_INVALID_ARGUMENT. */
carom_status scenes_create_sized(carom_context *context, const char *name, uint32_t triangles, scenes_scene **out);
void scenes_destroy(scenes_scene *scene);

/* Sets every body's pose, and the shape of those that deform, for this step, depending only on the step's number. */
void scenes_move(scenes_scene *scene, uint32_t step);

#endif
