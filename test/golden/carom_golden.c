/* Prints one line per scene with the hashes of its answers. The same on every compiler, optimisation, instruction set
 * and machine; scripts/determinism compares them. */
#include "carom/carom.h"
#include "scenes/scenes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void check(carom_status status, const char *what)
{
    if (!carom_failed(status))
        return;
    fprintf(stderr, "carom_golden: %s: %s\n", what, carom_status_name(status));
    exit(2);
}

/* Folds a hash into the scene's line. */
static void fold(uint64_t *sum, uint64_t hash) { *sum = *sum * 0x9e3779b97f4a7c15u + hash; }

/* Every pair with relation, contacts and clearance; any hit; the distance of the first two bodies. */
static uint64_t hash_frame(carom_engine *engine, carom_query *query, const carom_frame *frame, double clearance)
{
    uint64_t sum = 0;
    carom_scene_report report;
    carom_collide_options options = carom_collide_options_default();
    options.relation = options.contacts = true;
    options.clearance = clearance;
    check(carom_engine_run(engine, frame, &options, &report), "all pairs");
    fold(&sum, report.hash);
    options = (carom_collide_options){.mode = CAROM_COLLIDE_ANY};
    check(carom_engine_run(engine, frame, &options, &report), "any hit");
    fold(&sum, report.hash);
    if (frame->body_count >= 2)
    {
        carom_report distance;
        check(carom_distance(query, &frame->bodies[0].placed, &frame->bodies[1].placed, NULL, &distance), "distance");
        fold(&sum, distance.hash);
        carom_vec3 from = distance.point_a, to = distance.point_b;
        carom_ray ray = {{from.x - 1.0, from.y - 0.5, from.z - 0.25}, {1.0, 0.5, 0.25}, 100.0};
        carom_ray_report hits;
        check(carom_ray_cast(query, &frame->bodies[0].placed, &ray, CAROM_RAY_ALL, &hits), "ray");
        fold(&sum, hits.hash);
        ray.origin = to;
        check(carom_ray_cast(query, &frame->bodies[1].placed, &ray, CAROM_RAY_FIRST, &hits), "ray");
        fold(&sum, hits.hash);
    }
    return sum;
}

static void print_scene(carom_context *context, const scenes_info *info)
{
    scenes_scene *source;
    carom_scene *scene;
    carom_engine *engine;
    carom_query *query;
    check(scenes_create(context, info->name, &source), info->name);
    check(carom_scene_create(context, &scene), info->name);
    check(carom_engine_create(context, NULL, &engine), info->name);
    check(carom_query_create(context, &query), info->name);
    carom_body_id *ids = calloc(source->body_count, sizeof *ids);
    if (!ids)
        exit(2);
    for (uint32_t i = 0; i < source->body_count; i++)
    {
        carom_body_def def = carom_body_def_default();
        def.placed = (carom_placed){source->bodies[i].shape, source->bodies[i].pose};
        check(carom_scene_add(scene, &def, &ids[i]), info->name);
    }
    const uint32_t steps = 3;
    uint64_t sum = 0;
    for (uint32_t step = 0; step < info->step_count; step += info->step_count / steps + 1)
    {
        scenes_move(source, step);
        for (uint32_t i = 0; i < source->body_count; i++)
        {
            check(carom_scene_move(scene, ids[i], &source->bodies[i].pose), info->name);
            if (source->bodies[i].frame_count > 0)
                check(carom_scene_reshape(scene, ids[i], &source->bodies[i].shape), info->name);
        }
        carom_frame frame;
        check(carom_scene_frame(scene, &frame), info->name);
        fold(&sum, hash_frame(engine, query, &frame, source->clearance));
    }
    printf("%s %016" PRIx64 "\n", info->name, sum);
    free(ids);
    carom_query_destroy(query);
    carom_engine_destroy(engine);
    carom_scene_destroy(scene);
    scenes_destroy(source);
}

int main(void)
{
    carom_context *context;
    check(carom_context_create(NULL, &context), "context");
    for (uint32_t i = 0; scenes_get_info(i); i++)
        if (scenes_get_info(i)->triangle_count < 100000)
            print_scene(context, scenes_get_info(i));
    carom_context_destroy(context);
    return 0;
}
