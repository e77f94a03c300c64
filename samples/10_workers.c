/* Workers: a context with its own threads shares the work among them. The answer is bit-identical for any number, as
 * the hash shows. */
#include "scenes/generate.h"

#include <carom/carom.h>
#include <math.h>
#include <stdio.h>

enum
{
    RAYS = 20000
};

static int fail(const carom_context *context)
{
    char message[256] = "no context";
    carom_context_message(context, message, sizeof message);
    return fprintf(stderr, "%s\n", message), 1;
}

/* Casts a fan of rays at a knot with this many workers. */
static int cast(uint32_t workers, uint64_t *hash)
{
    static carom_ray rays[RAYS];
    for (int i = 0; i < RAYS; i++)
        rays[i] = (carom_ray){{0, 0, 2}, {0.6 * i / RAYS - 0.3, 0.001 * (i % 600) - 0.3, -1}, INFINITY};

    carom_context *context = NULL;
    carom_mesh *knot;
    carom_query *query;
    carom_context_def def = carom_context_def_default();
    generate_def knot_def = generate_def_default(GENERATE_TORUS_KNOT);
    def.workers = workers;
    knot_def.triangles = 20000;
    if (carom_failed(carom_context_create(&def, &context)) || carom_failed(generate_mesh(context, &knot_def, &knot)) ||
        carom_failed(carom_query_create(context, &query)))
        return fail(context);
    carom_placed placed = {carom_shape_mesh(knot), carom_pose_identity()};
    carom_ray_batch batch = {rays, RAYS, CAROM_RAY_FIRST};
    carom_ray_batch_report report;
    if (carom_failed(carom_ray_cast_batch(query, &placed, &batch, &report)))
        return fail(context);
    printf("workers %u: %llu of %d rays hit, hash %016llx\n", carom_context_workers(context),
           (unsigned long long)report.hit_count, RAYS, (unsigned long long)report.hash);
    *hash = report.hash;
    carom_query_destroy(query);
    carom_mesh_destroy(knot);
    carom_context_destroy(context);
    return 0;
}

int main(void)
{
    uint64_t alone, together;
    if (cast(1, &alone) != 0 || cast(CAROM_WORKERS_ALL, &together) != 0)
        return 1;
    return alone == together ? 0 : 1;
}
