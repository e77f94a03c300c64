/* Billiards with geometry images: balls that are grids of points, and an engine that searches their quadtrees, on a
 * graphics driver if there is one, otherwise on the processor. */
#include <carom/carom.h>
#include <scenes/scenes.h>
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
    carom_scene *scene;
    carom_engine *engine;
    scenes_scene *table;
    carom_body_id ids[32];
    carom_engine_def def = carom_engine_def_default();
    def.engine = "geoimage";
    if (carom_failed(carom_context_create(NULL, &context)) ||
        carom_failed(scenes_create(context, "billiards", &table)) ||
        carom_failed(carom_scene_create(context, &scene)) || carom_failed(carom_engine_create(context, &def, &engine)))
        return fail(context);
    for (uint32_t i = 0; i < table->body_count; i++)
    {
        carom_body_def body = carom_body_def_default();
        body.placed = (carom_placed){table->bodies[i].shape, table->bodies[i].pose};
        body.is_static = !table->bodies[i].moves;
        if (carom_failed(carom_scene_add(scene, &body, &ids[i])))
            return fail(context);
    }
    uint64_t bodies = 0, triangles = 0;
    for (uint32_t step = 0; step < 60; step++)
    {
        carom_frame frame;
        carom_scene_report report;
        scenes_move(table, step);
        for (uint32_t i = 0; i < table->body_count; i++)
            if (table->bodies[i].moves && carom_failed(carom_scene_move(scene, ids[i], &table->bodies[i].pose)))
                return fail(context);
        if (carom_failed(carom_scene_frame(scene, &frame)) ||
            carom_failed(carom_engine_run(engine, &frame, NULL, &report)))
            return fail(context);
        bodies += report.body_pair_count, triangles += report.pair_count;
    }
    printf("%llu times a ball met a ball or a cushion, in %llu pairs of triangles\n", (unsigned long long)bodies,
           (unsigned long long)triangles);
    carom_engine_destroy(engine), carom_scene_destroy(scene), scenes_destroy(table);
    carom_context_destroy(context);
    return bodies > 0 && triangles > bodies ? 0 : 1;
}
