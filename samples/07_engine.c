/* Your own engine: a sweep along x over the bodies proposes pairs, and the library decides them exactly. */
#include "scenes/generate.h"
#include <carom/author.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Kept per mesh: how far it reaches from the origin of its frame, in any orientation. All bodies here are meshes. */
static carom_status measure(void *state, const carom_shape *shape, void **asset)
{
    carom_aabb box = carom_mesh_get_info(shape->mesh).bounds;
    double *reach = *asset = malloc(sizeof *reach);
    if (reach)
        *reach = fmax(-box.min.x, box.max.x) + fmax(-box.min.y, box.max.y) + fmax(-box.min.z, box.max.z);
    return (void)state, reach ? CAROM_OK : CAROM_OUT_OF_MEMORY;
}
static void discard(void *state, void *asset) { (void)state, free(asset); }

/* The bodies of this scene come sorted by x; a real sweep would sort them first. */
static carom_status sweep(void *state, carom_run *run)
{
    const carom_frame *frame = carom_run_frame(run);
    carom_status status = ((void)state, CAROM_OK);
    void *a, *b;
    for (uint32_t i = 0; i < frame->body_count && !status; i++)
        for (uint32_t k = i + 1; k < frame->body_count && !status; k++)
        {
            double gap = frame->bodies[k].placed.pose.translation.x - frame->bodies[i].placed.pose.translation.x;
            if ((status = carom_run_asset(run, i, &a)) || (status = carom_run_asset(run, k, &b)) ||
                gap > *(double *)a + *(double *)b + carom_run_clearance(run, i, k))
                break; /* what follows is farther away */
            status = carom_run_propose(run, i, k);
        }
    return status;
}

int main(void)
{
    carom_engine_kind kind = {.info = {.name = "sweep", .summary = "along x"},
                              .run = sweep,
                              .create_asset = measure,
                              .destroy_asset = discard};
    carom_context *context;
    carom_mesh *gear = NULL;
    carom_scene *scene;
    carom_engine *engine = NULL;
    carom_frame frame;
    carom_scene_report report;
    bool failed =
        carom_failed(carom_context_create(NULL, &context)) || carom_failed(carom_scene_create(context, &scene)) ||
        carom_failed(carom_engine_register(context, &kind)) ||
        carom_failed(generate_mesh(context, &(generate_def){GENERATE_GEAR, .triangles = 1000, .size = 1.0}, &gear));
    carom_body_def body = carom_body_def_default();
    body.placed.shape = carom_shape_mesh(gear);
    for (int i = 0; i < 20 && !failed; i++, body.placed.pose.translation.x += 0.8)
        failed = carom_failed(carom_scene_add(scene, &body, &(carom_body_id){0}));
    if (failed || carom_failed(carom_scene_frame(scene, &frame)) ||
        carom_failed(carom_engine_create(context, &(carom_engine_def){.engine = "sweep"}, &engine)) ||
        carom_failed(carom_engine_run(engine, &frame, NULL, &report)))
        return fprintf(stderr, "the sweep failed\n"), 1;
    printf("%u pairs proposed, %u meet\n", (unsigned)report.body_pairs_examined, (unsigned)report.body_pair_count);
    carom_engine_destroy(engine), carom_scene_destroy(scene), carom_mesh_destroy(gear), carom_context_destroy(context);
    return report.body_pair_count == 19 ? 0 : 1;
}
