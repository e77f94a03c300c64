/* Rays: what does a light beam through a ring hit first, and where does it come out again? */
#include "scenes/generate.h"

#include <carom/carom.h>
#include <math.h>
#include <stdio.h>

int main(void)
{
    carom_context *context;
    carom_mesh *torus;
    carom_tree *tree;
    carom_query *query;
    generate_def def = generate_def_default(GENERATE_TORUS);
    carom_tree_def rays = carom_tree_def_preset(CAROM_TREE_RAYS);
    if (carom_context_create(NULL, &context) != CAROM_OK || generate_mesh(context, &def, &torus) != CAROM_OK ||
        carom_tree_create(context, torus, &rays, &tree) != CAROM_OK || carom_query_create(context, &query) != CAROM_OK)
        return 1;

    carom_placed placed = {carom_shape_tree(tree), carom_pose_identity()};
    carom_ray ray = {.origin = {-2, 0.01, 0.02}, .direction = {1, 0, 0}, .max_t = INFINITY};
    carom_ray_report report;
    if (carom_ray_cast(query, &placed, &ray, CAROM_RAY_FIRST, &report) != CAROM_OK || report.hit_count != 1)
        return 1;
    double first = report.hits[0].t;
    if (carom_ray_cast(query, &placed, &ray, CAROM_RAY_ALL, &report) != CAROM_OK)
        return 1;
    for (uint64_t i = 0; i < report.hit_count; i++)
        printf("t = %.6f at triangle %u\n", report.hits[i].t, report.hits[i].triangle);
    /* in and out of the near side of the ring, then of the far side */
    bool right = report.hit_count == 4 && report.hits[0].t == first;
    carom_query_destroy(query);
    carom_tree_destroy(tree);
    carom_mesh_destroy(torus);
    carom_context_destroy(context);
    return right ? 0 : 1;
}
