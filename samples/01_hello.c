/* Two tetrahedra, two poses: which triangles meet? */
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
    static const double vertices[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const uint32_t triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = &vertices[0][0], def.vertex_count = 4;
    def.indices_u32 = &triangles[0][0], def.triangle_count = 4;

    carom_context *context = NULL;
    carom_mesh *mesh;
    carom_query *query;
    if (carom_failed(carom_context_create(NULL, &context)) || carom_failed(carom_mesh_create(context, &def, &mesh)) ||
        carom_failed(carom_query_create(context, &query)))
        return fail(context);
    carom_placed a = {carom_shape_mesh(mesh), carom_pose_identity()};
    carom_placed b = {carom_shape_mesh(mesh), carom_pose_translation(0.25, 0.25, 0.25)};
    carom_report report;
    if (carom_failed(carom_collide(query, &a, &b, NULL, &report)))
        return fail(context);
    for (uint64_t i = 0; i < report.pairs_listed; i++)
        printf("triangle %u of a meets triangle %u of b\n", report.pairs[i].triangle_a, report.pairs[i].triangle_b);
    carom_query_destroy(query);
    carom_mesh_destroy(mesh);
    carom_context_destroy(context);
    return 0;
}
