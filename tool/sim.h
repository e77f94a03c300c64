/* What the files of carom sim share: the bodies of a scene and their motion, and pictures of it. */
#ifndef TOOL_SIM_H
#define TOOL_SIM_H

#include "scenes/scenes.h"
#include "tool/animation.h"
#include "tool/inputs.h"

typedef struct sim_body
{
    carom_shape shape;
    const char *name;
    carom_pose start, pose; /* at step 0, and now */
    tool_motion motion;     /* of a listed model */
    carom_body_id id;
} sim_body;

/* The bodies, out of a generated scene or out of a list. */
typedef struct sim_world
{
    carom_context *context;
    scenes_scene *source; /* null: a list */
    tool_inputs inputs;
    sim_body *bodies;
    uint32_t body_count, step_count;
    uint64_t triangles;
    double clearance;
    carom_scene *scene;
} sim_world;

/* name: a generated scene, or a file. Returns an exit code; TOOL_CLEAN: ready. */
int sim_open(const tool_command *command, carom_context *context, const char *name, sim_world *out);
void sim_close(sim_world *world);
/* Moves everything to where it is at this step. */
carom_status sim_move(sim_world *world, uint32_t step);

/* ---- pictures ---- */

typedef struct sim_camera
{
    const tool_command *command;
    const char *folder, *picture; /* for single frames; for an animated picture; each may be null */
    picture_def def;
    carom_mesh *extent;
    const carom_mesh **skins; /* per body */
    animation animation;
    uint32_t frames;
} sim_camera;

/* Steps are those that will be drawn: 0, every, 2 every, ... below steps. */
typedef struct sim_range
{
    uint32_t steps, every;
} sim_range;

carom_status sim_camera_open(sim_camera *camera, sim_world *world, sim_range range);
carom_status sim_camera_draw(sim_camera *camera, const sim_world *world, const carom_frame *frame,
                             const carom_scene_report *report);
/* complete: all frames were drawn; otherwise the animation is dropped. */
carom_status sim_camera_close(sim_camera *camera, const sim_world *world, bool complete);

#endif
