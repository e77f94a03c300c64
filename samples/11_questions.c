/* Questions about a scene: which bodies meet a box, which meet a ball, and which are nearest to a point? */
#include "scenes/generate.h"

#include <carom/carom.h>
#include <stdio.h>

static int fail(const carom_context *context)
{
    char message[256] = "no context";
    carom_context_message(context, message, sizeof message);
    return fprintf(stderr, "%s\n", message), 1;
}

int main(void)
{
    carom_context *context = NULL;
    carom_mesh *gear;
    carom_scene *scene;
    generate_def def = generate_def_default(GENERATE_GEAR);
    if (carom_failed(carom_context_create(NULL, &context)) || carom_failed(generate_mesh(context, &def, &gear)) ||
        carom_failed(carom_scene_create(context, &scene)))
        return fail(context);
    for (int i = 0; i < 10000; i++) /* a floor of gears: each is a pose and a record, the mesh is shared */
    {
        carom_body_def body = carom_body_def_default();
        carom_body_id id;
        body.placed =
            (carom_placed){carom_shape_mesh(gear), carom_pose_translation(1.5 * (i % 100), 1.5 * (i / 100), 0)};
        if (carom_failed(carom_scene_add(scene, &body, &id)))
            return fail(context);
    }
    const carom_aabb boxes[2] = {{{10, 10, -1}, {14, 12, 1}}, {{200, 0, 0}, {300, 1, 1}}};
    carom_box_batch box_batch = {boxes, 2, 0};
    carom_overlap_report in_boxes, in_ball;
    if (carom_failed(carom_scene_overlap_boxes(scene, &box_batch, &in_boxes)))
        return fail(context);
    uint64_t met[2] = {in_boxes.first_body[1], in_boxes.first_body[2] - in_boxes.first_body[1]};
    printf("%llu gears meet the first box, %llu the second\n", (unsigned long long)met[0], (unsigned long long)met[1]);

    carom_placed ball = {carom_shape_sphere(2.0), carom_pose_translation(30, 30, 1)};
    carom_probe_batch probes = {&ball, 1, 0};
    if (carom_failed(carom_scene_overlap(scene, &probes, &in_ball)))
        return fail(context);
    printf("%llu gears meet the ball\n", (unsigned long long)in_ball.body_count);

    carom_vec3 point = {75.3, 75.2, 4};
    carom_point_batch points = carom_point_batch_default();
    points.points = &point, points.count = 1, points.max_bodies = 3;
    carom_nearest_report near;
    if (carom_failed(carom_scene_nearest(scene, &points, &near)))
        return fail(context);
    for (uint64_t i = 0; i < near.body_count; i++)
        printf("gear %u is %.6f away\n", near.bodies[i].body.index, near.bodies[i].distance);
    carom_scene_destroy(scene);
    carom_mesh_destroy(gear);
    carom_context_destroy(context);
    return met[0] > 0 && met[1] == 0 && near.body_count == 3 ? 0 : 1;
}
