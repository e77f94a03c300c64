/* Apart, touching, crossing, inside; and whether a clearance is kept: all from one call. */
#include "scenes/generate.h"

#include <carom/carom.h>
#include <stdio.h>

int main(void)
{
    carom_context *context;
    carom_mesh *large, *small;
    carom_query *query;
    generate_def def = generate_def_default(GENERATE_BOX);
    def.size = 2;
    if (carom_context_create(NULL, &context) != CAROM_OK || generate_mesh(context, &def, &large) != CAROM_OK)
        return 1;
    def.size = 0.5;
    if (generate_mesh(context, &def, &small) != CAROM_OK || carom_query_create(context, &query) != CAROM_OK)
        return 1;

    static const struct
    {
        double x, y;
        carom_relation expected;
        bool near;
    } cases[] = {{3.0, 0, CAROM_RELATION_APART, false},
                 {1.3, 0, CAROM_RELATION_APART, true},
                 {1.25, 1.25, CAROM_RELATION_TOUCHING, true},
                 {1.0, 0.1, CAROM_RELATION_CROSSING, true},
                 {0.25, 0, CAROM_RELATION_B_INSIDE_A, false}};
    carom_collide_options options = carom_collide_options_default();
    options.relation = true;
    options.clearance = 0.1;
    for (int i = 0; i < 5; i++)
    {
        carom_placed a = {carom_shape_mesh(large), carom_pose_identity()};
        carom_placed b = {carom_shape_mesh(small), carom_pose_translation(cases[i].x, cases[i].y, 0)};
        carom_report report;
        if (carom_collide(query, &a, &b, &options, &report) != CAROM_OK)
            return 1;
        printf("at (%.2f, %.2f): %s, %llu pairs, clearance %s\n", cases[i].x, cases[i].y,
               carom_relation_name(report.relation), (unsigned long long)report.pair_count,
               report.clearance_violated ? "violated" : "kept");
        if (report.relation != cases[i].expected || report.clearance_violated != cases[i].near)
            return 1;
    }
    carom_query_destroy(query);
    carom_mesh_destroy(small);
    carom_mesh_destroy(large);
    carom_context_destroy(context);
    return 0;
}
