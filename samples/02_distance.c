/* How far apart are two bodies, and where? A cache makes the next, similar pose cheaper; the answer is the same. */
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
    carom_mesh *torus, *ball;
    carom_query *query;
    carom_pair_cache *cache;
    generate_def torus_def = generate_def_default(GENERATE_TORUS), ball_def = generate_def_default(GENERATE_ICO_SPHERE);
    if (carom_failed(carom_context_create(NULL, &context)) ||
        carom_failed(generate_mesh(context, &torus_def, &torus)) ||
        carom_failed(generate_mesh(context, &ball_def, &ball)) || carom_failed(carom_query_create(context, &query)) ||
        carom_failed(carom_pair_cache_create(context, &cache)))
        return fail(context);

    carom_distance_options options = carom_distance_options_default();
    options.cache = cache;
    double before = 0;
    bool grows = true;
    for (int step = 0; step <= 10; step++)
    {
        carom_placed a = {carom_shape_mesh(torus), carom_pose_identity()};
        carom_placed b = {carom_shape_mesh(ball), carom_pose_translation(1.5 + 0.1 * step, 0, 0)};
        carom_report report;
        if (carom_failed(carom_distance(query, &a, &b, &options, &report)))
            return fail(context);
        printf("step %2d: %.6f between triangles %u and %u, %llu boxes tested\n", step, report.distance,
               report.triangle_a, report.triangle_b, (unsigned long long)report.counters.boxes_tested);
        grows = grows && report.distance > before;
        before = report.distance;
    }
    carom_pair_cache_destroy(cache);
    carom_query_destroy(query);
    carom_mesh_destroy(ball);
    carom_mesh_destroy(torus);
    carom_context_destroy(context);
    return grows ? 0 : 1;
}
