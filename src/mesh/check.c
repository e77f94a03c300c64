/* Checks the parts of a mesh that come from untrusted bytes. */
#include "mesh/mesh.h"

/* Numbers that all must lie below a limit, or be MESH_NONE where that is allowed. */
typedef struct number_check
{
    const char *what;
    const uint32_t *numbers;
    size_t count;
    uint32_t limit;
    bool may_be_none;
} number_check;

static carom_status check_numbers(carom_context *context, const char *name, const number_check *check)
{
    for (size_t i = 0; i < check->count; i++)
    {
        uint32_t number = check->numbers[i];
        if (BASE_UNLIKELY(number >= check->limit) && !(check->may_be_none && number == MESH_NONE))
            return base_fail(context, CAROM_BAD_DATA, "%.100s: %s %zu is %u of %u", name, check->what, i, number,
                             check->limit);
    }
    return CAROM_OK;
}

static carom_status check_vertices(carom_context *context, const carom_mesh *parts)
{
    for (uint32_t i = 0; i < parts->vertex_count; i++)
    {
        carom_vec3 v = parts->vertices[i];
        if (!(fabs(v.x) <= MATH_COORDINATE_LIMIT && fabs(v.y) <= MATH_COORDINATE_LIMIT &&
              fabs(v.z) <= MATH_COORDINATE_LIMIT))
            return base_fail(context, CAROM_BAD_DATA, "%.100s: vertex %u is (%g, %g, %g)", parts->name, i, v.x, v.y,
                             v.z);
    }
    return CAROM_OK;
}

carom_status mesh_check_parts(carom_context *context, const carom_mesh *parts)
{
    uint32_t vertices = parts->vertex_count, triangles = parts->triangle_count;
    const carom_mesh_info *info = &parts->info;
    if (vertices == UINT32_MAX || triangles >= (uint32_t)1 << 31 || info->edge_count > 3 * (uint64_t)triangles ||
        info->component_count > triangles || info->vertex_count != vertices || info->triangle_count != triangles)
        return base_fail(context, CAROM_BAD_DATA, "%.100s: contradictory counts", parts->name);
    const number_check checks[] = {
        {"vertex index", parts->indices, 3 * (size_t)triangles, vertices, false},
        {"representative of vertex", parts->merged, vertices, vertices, false},
        {"end of edge", parts->edges, 2 * (size_t)info->edge_count, vertices, false},
        {"neighbour", parts->neighbours, 3 * (size_t)triangles, triangles, true},
        {"component of triangle", parts->component, triangles, info->component_count, false},
        {"vertex of component", parts->component_vertex, info->component_count, vertices, false},
    };
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        BASE_TRY(check_numbers(context, parts->name, &checks[i]));
    return check_vertices(context, parts);
}
