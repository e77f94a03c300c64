/* Spheres and capsules are shapes too: against a mesh or each other, in every query, as exact as triangles. */
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
    carom_mesh *mesh;
    carom_query *query;
    generate_def def = generate_def_default(GENERATE_BOX);
    def.size = 2; /* faces at -1 and 1 */
    if (carom_failed(carom_context_create(NULL, &context)) || carom_failed(generate_mesh(context, &def, &mesh)) ||
        carom_failed(carom_query_create(context, &query)))
        return fail(context);

    carom_shape ball = carom_shape_sphere(0.5);
    carom_shape arm = carom_shape_capsule((carom_vec3){0, -1, 0}, (carom_vec3){0, 1, 0}, 0.25);
    const struct
    {
        const char *what;
        carom_placed placed;
        double distance;
    } cases[] = {{"ball, apart", {ball, carom_pose_translation(2.0, 0, 0)}, 0.5},
                 {"ball, in one point", {ball, carom_pose_translation(1.5, 0.25, 0)}, 0},
                 {"ball, inside", {ball, carom_pose_translation(0, 0, 0)}, 0.5},
                 {"arm, apart", {arm, carom_pose_translation(1.5, 0, 0)}, 0.25},
                 {"arm, through a face", {arm, carom_pose_translation(0, 1.5, 0)}, 0}};
    carom_placed box = {carom_shape_mesh(mesh), carom_pose_identity()};
    carom_collide_options options = carom_collide_options_default();
    options.relation = true;
    int wrong = 0;
    for (int i = 0; i < 5; i++)
    {
        carom_report report;
        if (carom_failed(carom_distance(query, &box, &cases[i].placed, NULL, &report)))
            return fail(context);
        double distance = report.distance;
        if (carom_failed(carom_collide(query, &box, &cases[i].placed, &options, &report)))
            return fail(context);
        printf("%-20s %s, %llu pairs, distance %g\n", cases[i].what, carom_relation_name(report.relation),
               (unsigned long long)report.pair_count, distance);
        wrong += distance != cases[i].distance || (distance == 0) != (report.pair_count > 0);
    }
    carom_query_destroy(query);
    carom_mesh_destroy(mesh);
    carom_context_destroy(context);
    return wrong;
}
