/* Solids that are not meshes. */
#include "scenes/stage.h"

#include <stdio.h>

/* All parts of the hand move together. */
static void move_along(scenes_body *body) { stage_drift(body, numeric_vec(0.03, 0.0, -0.004)); }

/* Bones from a joint on, each shorter than the last and bent further down, and a ball at the tip. */
static void add_finger(stage *stage, int finger, carom_vec3 knuckle, carom_vec3 away)
{
    carom_vec3 from = knuckle, along = away;
    double length = finger == 0 ? 0.22 : 0.3;
    char name[32];
    for (int bone = 0; bone < 3; bone++)
    {
        carom_vec3 step = numeric_scale(numeric_normalised(along), length);
        snprintf(name, sizeof name, "bone-%d-%d", finger, bone);
        carom_shape shape = carom_shape_capsule(numeric_vec(0, 0, 0), step, 0.07 - 0.01 * bone);
        move_along(stage_solid(stage, shape, name, from));
        from = numeric_add(from, step);
        along = numeric_add(along, numeric_vec(0, 0, -0.5));
        length *= 0.75;
    }
    snprintf(name, sizeof name, "tip-%d", finger);
    move_along(stage_solid(stage, carom_shape_sphere(0.0625), name, from));
}

void stage_capsules(stage *stage)
{
    const carom_mesh *blob = stage_mesh(stage, GENERATE_BLOB, 4000, 1.0, 5);
    const carom_mesh *ring = stage_mesh(stage, GENERATE_TORUS, 2000, 0.8, 1);
    carom_vec3 wrist = numeric_vec(-2.2, 0.0, 0.9);
    stage_body(stage, blob, "blob", numeric_vec(0, 0, 0));
    stage_turn(stage_body(stage, ring, "ring", numeric_vec(0.9, 0.3, 0.5)), numeric_vec(1, 0, 0), 0.25);
    for (int finger = 0; finger < 5; finger++)
    {
        double across = 0.14 * (finger - 2);
        carom_vec3 knuckle = numeric_add(wrist, numeric_vec(finger == 0 ? 0.2 : 0.5, across, 0));
        add_finger(stage, finger, knuckle, numeric_vec(1, 2.0 * across, 0));
        char name[32];
        snprintf(name, sizeof name, "palm-%d", finger);
        carom_shape palm = carom_shape_capsule(numeric_vec(0, 0, 0), numeric_sub(knuckle, wrist), 0.09);
        if (finger < 4)
            move_along(stage_solid(stage, palm, name, wrist));
    }
    stage->scene->step_count = 100;
    stage->scene->clearance = 0.02;
}
