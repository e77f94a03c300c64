/* Many bodies: a row of gears that share one mesh, a frame of the scene, an engine that finds all pairs that meet. */
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
    carom_engine *engine;
    generate_def def = generate_def_default(GENERATE_GEAR);
    if (carom_failed(carom_context_create(NULL, &context)) || carom_failed(generate_mesh(context, &def, &gear)) ||
        carom_failed(carom_scene_create(context, &scene)) || carom_failed(carom_engine_create(context, NULL, &engine)))
        return fail(context);

    static const char *const names[] = {"first", "second", "third", "fourth", "fifth", "sixth"};
    for (int i = 0; i < 6; i++)
    {
        carom_body_def body = carom_body_def_default();
        body.placed = (carom_placed){carom_shape_mesh(gear), carom_pose_translation(0.9 * i, 0, 0)};
        body.name = names[i];
        carom_body_id id;
        if (carom_failed(carom_scene_add(scene, &body, &id)))
            return fail(context);
    }
    carom_frame frame;
    carom_scene_report report;
    if (carom_failed(carom_scene_frame(scene, &frame)) || carom_failed(carom_engine_run(engine, &frame, NULL, &report)))
        return fail(context);
    for (uint64_t i = 0; i < report.body_pair_count; i++)
        printf("%s meets %s: %llu pairs of triangles\n", carom_frame_find(&frame, report.body_pairs[i].body_a)->name,
               carom_frame_find(&frame, report.body_pairs[i].body_b)->name,
               (unsigned long long)report.body_pairs[i].pair_count);
    printf("%llu of %llu pairs of bodies were examined\n", (unsigned long long)report.body_pairs_examined,
           (unsigned long long)report.bodies_examined * (report.bodies_examined - 1) / 2);
    uint64_t found = report.body_pair_count;
    carom_engine_destroy(engine);
    carom_scene_destroy(scene);
    carom_mesh_destroy(gear);
    carom_context_destroy(context);
    return found == 5 ? 0 : 1;
}
