/* Apart, touching, overlapping, inside; and whether a clearance is kept: all from one call. */
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
    carom_mesh *large, *small;
    carom_query *query;
    generate_def large_def = generate_def_default(GENERATE_BOX), small_def = large_def;
    large_def.size = 2, small_def.size = 0.5;
    if (carom_failed(carom_context_create(NULL, &context)) ||
        carom_failed(generate_mesh(context, &large_def, &large)) ||
        carom_failed(generate_mesh(context, &small_def, &small)) || carom_failed(carom_query_create(context, &query)))
        return fail(context);

    static const struct
    {
        double x, y;
        carom_relation expected;
        bool near;
    } cases[] = {{3.0, 0, CAROM_RELATION_APART, false},
                 {1.3, 0, CAROM_RELATION_APART, true},
                 {1.25, 0.1, CAROM_RELATION_TOUCHING, true},
                 {1.0, 0.1, CAROM_RELATION_OVERLAPPING, true},
                 {0.25, 0, CAROM_RELATION_B_INSIDE_A, false}};
    carom_collide_options options = carom_collide_options_default();
    options.relation = true;
    options.clearance = 0.1;
    int wrong = 0;
    for (int i = 0; i < 5; i++)
    {
        carom_placed a = {carom_shape_mesh(large), carom_pose_identity()};
        carom_placed b = {carom_shape_mesh(small), carom_pose_translation(cases[i].x, cases[i].y, 0)};
        carom_report report;
        if (carom_failed(carom_collide(query, &a, &b, &options, &report)))
            return fail(context);
        printf("at (%.2f, %.2f): %s, %llu pairs, clearance %s\n", cases[i].x, cases[i].y,
               carom_relation_name(report.relation), (unsigned long long)report.pair_count,
               report.clearance_violated ? "violated" : "kept");
        wrong += report.relation != cases[i].expected || report.clearance_violated != cases[i].near;
    }
    carom_query_destroy(query);
    carom_mesh_destroy(small);
    carom_mesh_destroy(large);
    carom_context_destroy(context);
    return wrong;
}
