/* Validates the caller's arrays. */
#include "mesh/build.h"

enum
{
    COORDINATES = 3
};

static const size_t VERTEX_LIMIT = (size_t)UINT32_MAX - 1;  /* UINT32_MAX stays free as "none" */
static const size_t TRIANGLE_LIMIT = ((size_t)1 << 31) - 1; /* keeps a bit free in packed triangle numbers */

/* Stride in bytes, or an error where items overlap or the array's size does not fit. */
static carom_status check_stride(const mesh_build *build, const char *what, size_t given, size_t packed, size_t count)
{
    carom_context *context = build->arena.context;
    size_t stride = given ? given : packed;
    if (stride < packed)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "%.100s: %s stride of %zu bytes, but a %s has %zu",
                         build->parts.name, what, given, what, packed);
    if (count > 0 && stride > SIZE_MAX / count)
        return base_fail(context, CAROM_TOO_LARGE, "%.100s: %zu %s of %zu bytes each do not fit", build->parts.name,
                         count, what, stride);
    return CAROM_OK;
}

static carom_status check_vertex_def(const mesh_build *build, const carom_mesh_def *def)
{
    carom_context *context = build->arena.context;
    const char *name = build->parts.name;
    if (def->vertices_f32 && def->vertices_f64)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "%.100s: both vertices_f32 and vertices_f64 are set", name);
    if (def->vertex_count > VERTEX_LIMIT)
        return base_fail(context, CAROM_TOO_LARGE, "%.100s: %zu vertices, at most %zu", name, def->vertex_count,
                         VERTEX_LIMIT);
    if (def->vertex_count > 0 && !def->vertices_f32 && !def->vertices_f64)
        return base_fail(context, CAROM_INVALID_ARGUMENT,
                         "%.100s: %zu vertices, but both vertices_f32 and vertices_f64 are null", name,
                         def->vertex_count);
    size_t packed = COORDINATES * (def->vertices_f32 ? sizeof(float) : sizeof(double));
    return check_stride(build, "vertex", def->vertex_stride, packed, def->vertex_count);
}

static carom_status check_coordinates(const mesh_build *build)
{
    const carom_vec3 *vertices = build->parts.vertices;
    for (uint32_t i = 0; i < build->parts.vertex_count; i++)
    {
        carom_vec3 v = vertices[i];
        /* False for NaN as well. */
        if (BASE_LIKELY(fabs(v.x) <= MATH_COORDINATE_LIMIT && fabs(v.y) <= MATH_COORDINATE_LIMIT &&
                        fabs(v.z) <= MATH_COORDINATE_LIMIT))
            continue;
        if (!vec3_finite(v))
            return base_fail(build->arena.context, CAROM_NOT_FINITE, "%.100s: vertex %u is (%g, %g, %g)",
                             build->parts.name, i, v.x, v.y, v.z);
        return base_fail(build->arena.context, CAROM_OUT_OF_RANGE, "%.100s: vertex %u is (%g, %g, %g), beyond 2^100",
                         build->parts.name, i, v.x, v.y, v.z);
    }
    return CAROM_OK;
}

carom_status mesh_read_vertices(mesh_build *build, const carom_mesh_def *def)
{
    BASE_TRY(check_vertex_def(build, def));
    size_t count = def->vertex_count;
    carom_vec3 *vertices = base_arena_allocate(&build->arena, count, sizeof *vertices, BASE_CACHE_LINE);
    if (!vertices)
        return mesh_build_out_of_memory(build);
    build->parts.vertices = vertices;
    build->parts.vertex_count = (uint32_t)count;
    const unsigned char *at = def->vertices_f32 ? (const void *)def->vertices_f32 : (const void *)def->vertices_f64;
    if (!def->vertices_f32)
    {
        size_t stride = def->vertex_stride ? def->vertex_stride : sizeof(carom_vec3);
        for (size_t i = 0; i < count; i++, at += stride)
            memcpy(&vertices[i], at, sizeof(carom_vec3));
        return check_coordinates(build);
    }
    size_t stride = def->vertex_stride ? def->vertex_stride : COORDINATES * sizeof(float);
    for (size_t i = 0; i < count; i++, at += stride)
    {
        float single[COORDINATES];
        memcpy(single, at, sizeof single);
        vertices[i] = vec3((double)single[0], (double)single[1], (double)single[2]);
    }
    return check_coordinates(build);
}

static carom_status check_index_def(const mesh_build *build, const carom_mesh_def *def)
{
    carom_context *context = build->arena.context;
    const char *name = build->parts.name;
    int given = (def->indices_u32 != NULL) + (def->indices_u16 != NULL) + def->unindexed;
    if (given > 1)
        return base_fail(context, CAROM_INVALID_ARGUMENT,
                         "%.100s: more than one of indices_u32, indices_u16 and unindexed is set", name);
    if (def->triangle_count > TRIANGLE_LIMIT)
        return base_fail(context, CAROM_TOO_LARGE, "%.100s: %zu triangles, at most %zu", name, def->triangle_count,
                         TRIANGLE_LIMIT);
    if (def->unindexed)
    {
        size_t complete = build->parts.vertex_count / 3;
        if (def->triangle_count > complete)
            return base_fail(context, CAROM_OUT_OF_RANGE, "%.100s: triangle %zu without indices needs vertex %zu of %u",
                             name, complete, 3 * complete + 2, build->parts.vertex_count);
        return CAROM_OK;
    }
    if (def->triangle_count > 0 && given == 0)
        return base_fail(context, CAROM_INVALID_ARGUMENT,
                         "%.100s: %zu triangles, but indices_u32 and indices_u16 are null and unindexed is not set",
                         name, def->triangle_count);
    size_t packed = 3 * (def->indices_u16 ? sizeof(uint16_t) : sizeof(uint32_t));
    return check_stride(build, "triangle", def->triangle_stride, packed, def->triangle_count);
}

static carom_status check_indices(const mesh_build *build)
{
    uint32_t vertex_count = build->parts.vertex_count;
    const uint32_t *indices = build->parts.indices;
    for (size_t i = 0; i < 3 * (size_t)build->parts.triangle_count; i++)
        if (BASE_UNLIKELY(indices[i] >= vertex_count))
            return base_fail(build->arena.context, CAROM_OUT_OF_RANGE, "%.100s: triangle %zu: vertex index %u of %u",
                             build->parts.name, i / 3, indices[i], vertex_count);
    return CAROM_OK;
}

carom_status mesh_read_indices(mesh_build *build, const carom_mesh_def *def)
{
    BASE_TRY(check_index_def(build, def));
    size_t count = def->triangle_count;
    uint32_t *indices = mesh_build_numbers(build, 3 * count);
    if (!indices)
        return CAROM_OUT_OF_MEMORY;
    build->parts.indices = indices;
    build->parts.triangle_count = (uint32_t)count;
    const unsigned char *at = def->indices_u16 ? (const void *)def->indices_u16 : (const void *)def->indices_u32;
    size_t given = def->triangle_stride;
    if (def->unindexed)
    {
        for (size_t i = 0; i < 3 * count; i++)
            indices[i] = (uint32_t)i;
        return CAROM_OK;
    }
    if (!def->indices_u16)
    {
        size_t stride = given ? given : 3 * sizeof(uint32_t);
        for (size_t i = 0; i < count; i++, at += stride)
            memcpy(indices + 3 * i, at, 3 * sizeof(uint32_t));
        return check_indices(build);
    }
    size_t stride = given ? given : 3 * sizeof(uint16_t);
    for (size_t i = 0; i < count; i++, at += stride)
    {
        uint16_t narrow[3];
        memcpy(narrow, at, sizeof narrow);
        for (int corner = 0; corner < 3; corner++)
            indices[3 * i + (size_t)corner] = narrow[corner];
    }
    return check_indices(build);
}
