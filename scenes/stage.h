/* A scene under construction. Failures are remembered, so that scenes need no checks of their own. Private to this
 * folder. */
#ifndef SCENES_STAGE_H
#define SCENES_STAGE_H

#include "scenes/numeric.h"
#include "scenes/scenes.h"
#include "scenes/shapes.h"

typedef struct stage
{
    carom_context *context;
    scenes_scene *scene;
    size_t mesh_capacity, body_capacity;
    carom_status status;
    uint32_t variant;   /* from the registry's row: the number of pieces of rubble, for example */
    uint32_t triangles; /* wanted in all; 0: the scene's own number */
} stage;

/* Null after a failure; stage_body then does nothing. */
const carom_mesh *stage_mesh(stage *stage, generate_kind kind, uint32_t triangles, double size, uint64_t seed);

/* The scene takes over a mesh that was made elsewhere, or the status: null after a failure, and the mesh is destroyed.
 */
const carom_mesh *stage_keep(stage *stage, carom_status status, carom_mesh *mesh);

/* A box of any proportions whose corners are exactly +- half, and a shape made by hand. */
const carom_mesh *stage_cuboid(stage *stage, carom_vec3 half, uint32_t triangles);
const carom_mesh *stage_shape(stage *stage, shape *shape, const char *name);

/* At rest. */
scenes_body *stage_body(stage *stage, const carom_mesh *mesh, const char *name, carom_vec3 position);
scenes_body *stage_solid(stage *stage, carom_shape shape, const char *name, carom_vec3 position);

/* Random position, orientation, velocity and spin in a box around a middle; speed and spin per step. */
typedef struct stage_crowd
{
    carom_vec3 middle, half;
    double speed, turns;
} stage_crowd;
void stage_set_loose(scenes_body *body, const stage_crowd *crowd, numeric_random *random);

/* Turn about an axis by a fraction of a full turn. */
void stage_turn(scenes_body *body, carom_vec3 axis, double turns);
void stage_drift(scenes_body *body, carom_vec3 velocity);
void stage_spin(scenes_body *body, carom_vec3 axis, double turns_per_step);

/* The scenes. */
void stage_tori(stage *stage);
void stage_knots(stage *stage);
void stage_blobs(stage *stage);
void stage_pipes(stage *stage);
void stage_touching_boxes(stage *stage);
void stage_nested(stage *stage);
void stage_rubble(stage *stage);
void stage_far_away(stage *stage);
void stage_tiny(stage *stage);
void stage_coplanar_sheets(stage *stage);
void stage_assembly(stage *stage);
void stage_ibcd_crowd(stage *stage);
void stage_ibcd_hand(stage *stage);
void stage_scd(stage *stage);
void stage_parallel_crowd(stage *stage);
void stage_parallel_pair(stage *stage);
void stage_mine(stage *stage);
void stage_fdh_tetrahedron(stage *stage);
void stage_fdh_rings(stage *stage);
void stage_fdh_pipes(stage *stage);
void stage_geometry_image(stage *stage);
void stage_capsules(stage *stage);
void stage_gears(stage *stage);
void stage_falling(stage *stage);
void stage_billiards(stage *stage);
void stage_cloth(stage *stage);

#endif
