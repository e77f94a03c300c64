/* Scenes to watch: gears that turn, and a crowd that falls. */
#include "scenes/stage.h"

#include <stdio.h>

/* Four gears in a row. The first three mesh; the fourth is mounted too close, so that its teeth clash as they pass. */
void stage_gears(stage *stage)
{
    static const double POSITIONS[4] = {0, 94, 188, 276};
    const carom_mesh *gear = stage_mesh(stage, GENERATE_GEAR, 4096, 100.0, 1);
    carom_vec3 up = numeric_vec(0, 0, 1);
    for (int i = 0; i < 4; i++)
    {
        char name[32];
        snprintf(name, sizeof name, "gear-%d", i + 1);
        scenes_body *body = stage_body(stage, gear, name, numeric_vec(POSITIONS[i], 0, 0));
        /* A quarter of a tooth turns gaps towards the teeth of the neighbours, which turn the other way. */
        stage_turn(body, up, i % 2 ? 1.0 / 64.0 : 0.0);
        stage_spin(body, up, (i % 2 ? -1.0 : 1.0) / 640.0);
    }
    stage->scene->step_count = 100;
}

/* As many bodies as the variant says fall through each other, at different speeds; a hundred as dense as a thousand. */
void stage_falling(stage *stage)
{
    static const struct
    {
        generate_kind kind;
        uint32_t triangles;
    } KINDS[8] = {{GENERATE_RUBBLE, 24}, {GENERATE_BOX, 12},    {GENERATE_UV_SPHERE, 48}, {GENERATE_RUBBLE, 36},
                  {GENERATE_TORUS, 72},  {GENERATE_RUBBLE, 20}, {GENERATE_CYLINDER, 60},  {GENERATE_BOX, 12}};
    const carom_mesh *meshes[8];
    for (uint64_t i = 0; i < 8; i++)
        meshes[i] = stage_mesh(stage, KINDS[i].kind, KINDS[i].triangles, 0.45 + 0.05 * (double)i, i);
    numeric_random random = {1000};
    bool few = stage->variant < 1000;
    stage_crowd crowd = {numeric_vec(0, 0, 8), few ? numeric_vec(2, 2, 3.2) : numeric_vec(4, 4, 8), 0.0, 0.004};
    for (uint32_t i = 0; i < stage->variant; i++)
    {
        char name[32];
        snprintf(name, sizeof name, "piece-%u", i);
        scenes_body *body = stage_body(stage, meshes[i % 8], name, numeric_vec(0, 0, 0));
        stage_set_loose(body, &crowd, &random);
        stage_drift(body, numeric_vec(0, 0, numeric_uniform(&random, -0.15, -0.05)));
        if (body) /* no walls: everything falls on */
            body->motion.high = body->motion.low = numeric_vec(0, 0, 0);
    }
    stage->scene->step_count = 100;
}
