/* Rays: what does a light beam through a ring hit first, and where does it come out again? */
#include "scenes/generate.h"

#include <carom/carom.h>
#include <math.h>
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
    carom_mesh *torus;
    carom_query *query;
    generate_def def = generate_def_default(GENERATE_TORUS);
    if (carom_failed(carom_context_create(NULL, &context)) || carom_failed(generate_mesh(context, &def, &torus)) ||
        carom_failed(carom_query_create(context, &query)))
        return fail(context);

    /* the mesh's own tree for rays is built with the first ray */
    carom_placed placed = {carom_shape_mesh(torus), carom_pose_identity()};
    carom_ray ray = {.origin = {-2, 0.01, 0.02}, .direction = {1, 0, 0}, .max_t = INFINITY};
    carom_ray_report report;
    if (carom_failed(carom_ray_cast(query, &placed, &ray, CAROM_RAY_FIRST, &report)))
        return fail(context);
    double first = report.hit_count > 0 ? report.hits[0].t : INFINITY;
    if (carom_failed(carom_ray_cast(query, &placed, &ray, CAROM_RAY_ALL, &report)))
        return fail(context);
    for (uint64_t i = 0; i < report.hit_count; i++)
        printf("t = %.6f at triangle %u\n", report.hits[i].t, report.hits[i].triangle);
    /* in and out of the near side of the ring, then of the far side */
    bool right = report.hit_count == 4 && report.hits[0].t == first;
    carom_query_destroy(query);
    carom_mesh_destroy(torus);
    carom_context_destroy(context);
    return right ? 0 : 1;
}
