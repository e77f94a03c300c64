/* A deforming body in a scene: a cloth sinks onto a ball. Each step has a new mesh with the same triangles; the scene
 * refits the trees of the old one, and cached data of pairs stays valid. */
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
    static carom_vec3 positions[2000];
    carom_context *context = NULL;
    carom_scene *scene;
    carom_engine *engine;
    carom_mesh *cloth, *next;
    carom_body_def ball_def = carom_body_def_default(), cloth_def = ball_def;
    carom_body_id ball, body;
    generate_def def = generate_def_default(GENERATE_CLOTH);
    if (carom_failed(carom_context_create(NULL, &context)) || carom_failed(generate_mesh(context, &def, &cloth)) ||
        carom_failed(carom_scene_create(context, &scene)) || carom_failed(carom_engine_create(context, NULL, &engine)))
        return fail(context);
    ball_def.placed = (carom_placed){carom_shape_sphere(0.3), carom_pose_identity()}, ball_def.is_static = true;
    cloth_def.placed = (carom_placed){carom_shape_mesh(cloth), carom_pose_translation(0, 0, 0.6)};
    if (carom_failed(carom_scene_add(scene, &ball_def, &ball)) ||
        carom_failed(carom_scene_add(scene, &cloth_def, &body)))
        return fail(context);

    uint64_t first = 0, last = 0;
    for (int step = 0; step < 8; step++)
    {
        carom_mesh_def moved = carom_mesh_def_default();
        moved.vertices_f64 = &positions[0].x, moved.vertex_count = carom_mesh_get_info(cloth).vertex_count;
        for (size_t i = 0; i < moved.vertex_count; i++)
        {
            carom_vec3 p = carom_mesh_vertices(cloth)[i];
            positions[i] = (carom_vec3){p.x, p.y, p.z - 0.1 * (1 - p.x * p.x - p.y * p.y)};
        }
        if (carom_failed(carom_mesh_deform(cloth, &moved, &next)))
            return fail(context);
        carom_mesh_destroy(cloth); /* the scene holds it for as long as it needs it */
        cloth = next;
        carom_shape shape = carom_shape_mesh(cloth);
        carom_frame frame;
        carom_scene_report report;
        if (carom_failed(carom_scene_reshape(scene, body, &shape)) || carom_failed(carom_scene_frame(scene, &frame)) ||
            carom_failed(carom_engine_run(engine, &frame, NULL, &report)))
            return fail(context);
        printf("step %d: %llu triangles of the cloth meet the ball\n", step, (unsigned long long)report.pair_count);
        first = step == 0 ? report.pair_count : first, last = report.pair_count;
    }
    carom_engine_destroy(engine), carom_scene_destroy(scene), carom_mesh_destroy(cloth);
    carom_context_destroy(context);
    return first == 0 && last > 0 ? 0 : 1;
}
