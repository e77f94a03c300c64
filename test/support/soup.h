/* Triangles as they come, three corners each, without shared vertices. */
#ifndef SUPPORT_SOUP_H
#define SUPPORT_SOUP_H

#include "carom/mesh.h"
#include "support/check.h"

static inline carom_mesh *soup_mesh(carom_context *context, const carom_vec3 *corners, size_t triangles)
{
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = (const double *)corners, def.vertex_count = 3 * triangles;
    def.unindexed = true, def.triangle_count = triangles;
    carom_mesh *mesh;
    assert_int_equal(carom_mesh_create(context, &def, &mesh), CAROM_OK);
    return mesh;
}

#endif
