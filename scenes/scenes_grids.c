/* Scenes of bodies that are grids of points, as geometry images are. */
#include "scenes/grids.h"
#include "scenes/stage.h"

#include <stdio.h>

/* 33 x 17 points: 1,024 triangles, those at the poles degenerate. */
static const carom_mesh *add_ball(stage *stage)
{
    carom_vec3 points[33 * 17];
    carom_mesh *mesh = NULL;
    grids_sphere(33, 17, 0.5, points);
    carom_status status = stage->status;
    if (status == CAROM_OK)
        status = grids_mesh(stage->context, 33, 17, points, &mesh);
    return stage_keep(stage, status, mesh);
}

/* The geometry-image paper: two spheres of 1,024 triangles, images of 33 x 17 points; one turns about a fixed axis in
 * fixed steps, and after each full turn they come a little nearer. */
void stage_geometry_image(stage *stage)
{
    enum
    {
        STEPS_PER_TURN = 36,
        DISTANCES = 16
    };
    const carom_mesh *sphere = add_ball(stage);
    stage_body(stage, sphere, "resting", numeric_vec(0, 0, 0));
    scenes_body *turning = stage_body(stage, sphere, "turning", numeric_vec(1.2, 0, 0));
    stage_drift(turning, numeric_vec(-0.025, 0, 0));
    stage_spin(turning, numeric_normalised(numeric_vec(1, 1, 1)), 1.0 / STEPS_PER_TURN);
    if (turning)
        turning->motion.steps_per_move = STEPS_PER_TURN;
    stage->scene->step_count = STEPS_PER_TURN * DISTANCES;
}

/* ---- billiards, figure 6 of the paper ---- */

static const carom_vec3 TABLE = {10.0, 5.0, 0.0}; /* half of what the cushions leave, for balls of diameter 1 */

static void add_table(stage *stage)
{
    const carom_mesh *slate = stage_cuboid(stage, numeric_vec(TABLE.x, TABLE.y, 0.25), 12);
    const carom_mesh *side = stage_cuboid(stage, numeric_vec(0.5, TABLE.y + 1.0, 0.5), 12);
    const carom_mesh *end = stage_cuboid(stage, numeric_vec(TABLE.x, 0.5, 0.5), 12);
    stage_body(stage, slate, "table", numeric_vec(0, 0, -0.8)); /* the balls roll a little above it */
    stage_body(stage, side, "cushion-1", numeric_vec(-TABLE.x - 0.5, 0, 0));
    stage_body(stage, side, "cushion-2", numeric_vec(TABLE.x + 0.5, 0, 0));
    stage_body(stage, end, "cushion-3", numeric_vec(0, -TABLE.y - 0.5, 0));
    stage_body(stage, end, "cushion-4", numeric_vec(0, TABLE.y + 0.5, 0));
}

/* Rolls without slipping until it is reflected, where it sinks into a cushion a little. */
static void roll(scenes_body *body, carom_vec3 velocity)
{
    const double circumference = 3.14159265358979323846;
    if (!body)
        return;
    stage_drift(body, velocity);
    stage_spin(body, numeric_normalised(numeric_cross(numeric_vec(0, 0, 1), velocity)),
               numeric_length(velocity) / circumference);
    body->motion.low = numeric_vec(-TABLE.x + 0.48, -TABLE.y + 0.48, 0);
    body->motion.high = numeric_vec(TABLE.x - 0.48, TABLE.y - 0.48, 0);
}

/* The cue ball, and a triangle of fifteen that have just been scattered. Balls pass through each other: a scene has
 * collisions, not their response. */
void stage_billiards(stage *stage)
{
    const carom_mesh *ball = add_ball(stage);
    numeric_random random = {147};
    uint32_t number = 1;
    add_table(stage);
    roll(stage_body(stage, ball, "cue-ball", numeric_vec(-5, 0.3, 0)), numeric_vec(0.25, 0.01, 0));
    for (int row = 0; row < 5; row++)
        for (int i = 0; i <= row; i++)
        {
            char name[32];
            snprintf(name, sizeof name, "ball-%u", number++);
            scenes_body *body = stage_body(stage, ball, name, numeric_vec(4.0 + 0.87 * row, 1.01 * i - 0.505 * row, 0));
            double along = numeric_uniform(&random, 0.02, 0.2), across = numeric_uniform(&random, -0.12, 0.12);
            roll(body, numeric_vec(along, across, 0));
        }
    stage->scene->step_count = 200;
}

/* ---- a cloth ---- */

/* Waves once in 32 steps and sinks, turning a little. */
void stage_cloth(stage *stage)
{
    enum
    {
        SIDE = 33,
        FRAMES = 32
    };
    carom_vec3 points[SIDE * SIDE];
    uint32_t first = stage->scene->mesh_count;
    const carom_mesh *sheet = NULL;
    for (int i = 0; i < FRAMES && stage->status == CAROM_OK; i++)
    {
        carom_mesh *mesh = NULL;
        grids_sheet(SIDE, SIDE, (double)i / FRAMES, points);
        carom_status status =
            sheet ? grids_deform(sheet, points, &mesh) : grids_mesh(stage->context, SIDE, SIDE, points, &mesh);
        const carom_mesh *kept = stage_keep(stage, status, mesh);
        sheet = sheet ? sheet : kept;
    }
    scenes_body *cloth = stage_body(stage, sheet, "cloth", numeric_vec(0.1, 0.05, 1.1));
    stage_drift(cloth, numeric_vec(0, 0, -0.02));
    stage_spin(cloth, numeric_vec(0, 0, 1), 1.0 / 512);
    if (cloth)
        cloth->first_frame = first, cloth->frame_count = FRAMES;
    stage_body(stage, add_ball(stage), "ball", numeric_vec(0, 0, 0));
    stage->scene->step_count = 2 * FRAMES;
}
