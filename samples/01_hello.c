/* Two tetrahedra, two poses: which triangles meet? */
#include <carom/carom.h>
#include <stdio.h>

int main(void)
{
    static const double vertices[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const uint32_t triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = (const double *)vertices, def.vertex_count = 4;
    def.indices_u32 = (const uint32_t *)triangles, def.triangle_count = 4;

    carom_context *context;
    carom_mesh *mesh;
    carom_query *query;
    if (carom_context_create(NULL, &context) != CAROM_OK || carom_mesh_create(context, &def, &mesh) != CAROM_OK ||
        carom_query_create(context, &query) != CAROM_OK)
        return 1;
    carom_placed a = {carom_shape_mesh(mesh), carom_pose_identity()},
                 b = {carom_shape_mesh(mesh), carom_pose_translation(0.25, 0.25, 0.25)};
    carom_report report;
    if (carom_collide(query, &a, &b, NULL, &report) != CAROM_OK)
        return 1;
    for (uint64_t i = 0; i < report.pairs_listed; i++)
        printf("triangle %u of a meets triangle %u of b\n", report.pairs[i].triangle_a, report.pairs[i].triangle_b);
    carom_query_destroy(query);
    carom_mesh_destroy(mesh);
    carom_context_destroy(context);
    return 0;
}
