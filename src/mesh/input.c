/* Validates the caller's arrays. */
#include "mesh/build.h"

enum
{
    COORDINATES = 3,
    ITEMS_PER_TASK = 4096
};

static const size_t VERTEX_LIMIT = (size_t)UINT32_MAX - 1;  /* UINT32_MAX stays free as "none" */
static const size_t TRIANGLE_LIMIT = ((size_t)1 << 31) - 1; /* keeps a bit free in packed triangle numbers */

/* Stride in bytes, or an error where items overlap or the array's size does not fit. */
static carom_status check_stride(const mesh_build *build, const char *what, size_t given, size_t packed, size_t count)
{
    carom_context *context = build->context;
    size_t stride = given ? given : packed;
    if (stride < packed)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "%.100s: %s stride of %zu bytes, but a %s has %zu",
                         build->parts.name, what, given, what, packed);
    if (count > 0 && stride > SIZE_MAX / count)
        return base_fail(context, CAROM_TOO_LARGE, "%.100s: %zu %s of %zu bytes each do not fit", build->parts.name,
                         count, what, stride);
    return CAROM_OK;
}

carom_status mesh_check_vertices(const mesh_build *build, const carom_mesh_def *def)
{
    carom_context *context = build->context;
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
    BASE_TRY(check_stride(build, "vertex", def->vertex_stride, packed, def->vertex_count));
    if (!def->unindexed || def->triangle_stride == 0)
        return CAROM_OK;
    size_t stride = def->vertex_stride ? def->vertex_stride : packed;
    size_t triangle = stride <= (SIZE_MAX - packed) / 2 ? 2 * stride + packed : SIZE_MAX;
    return check_stride(build, "triangle", def->triangle_stride, triangle, def->vertex_count / 3 + 1);
}

/* ---- copies, which workers share ---- */

typedef struct input_copy
{
    const unsigned char *from;
    size_t stride, triangle_stride; /* the latter of unindexed triangles that are not packed, otherwise 0 */
    carom_vec3 *vertices;
    uint32_t *indices, vertex_count;
    bool single;     /* floats */
    base_cancel bad; /* something was; what exactly is found out afterwards, in order */
} input_copy;

/* False for NaN as well. */
static bool in_range(carom_vec3 v)
{
    return fabs(v.x) <= MATH_COORDINATE_LIMIT && fabs(v.y) <= MATH_COORDINATE_LIMIT &&
           fabs(v.z) <= MATH_COORDINATE_LIMIT;
}

static void copy_doubles(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    input_copy *copy = data;
    bool good = true;
    (void)worker;
    for (size_t i = first; i < last; i++)
    {
        memcpy(&copy->vertices[i], copy->from + i * copy->stride, sizeof(carom_vec3));
        good &= in_range(copy->vertices[i]);
    }
    if (!good)
        base_cancel_set(&copy->bad);
}

/* Vertices of triangles with something in between. */
static void copy_corners(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    input_copy *copy = data;
    bool good = true;
    (void)worker;
    for (size_t i = first; i < last; i++)
    {
        const unsigned char *from = copy->from + i / 3 * copy->triangle_stride + i % 3 * copy->stride;
        float single[COORDINATES];
        if (copy->single)
        {
            memcpy(single, from, sizeof single);
            copy->vertices[i] = vec3((double)single[0], (double)single[1], (double)single[2]);
        }
        else
            memcpy(&copy->vertices[i], from, sizeof(carom_vec3));
        good &= in_range(copy->vertices[i]);
    }
    if (!good)
        base_cancel_set(&copy->bad);
}

static void copy_floats(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    input_copy *copy = data;
    bool good = true;
    (void)worker;
    for (size_t i = first; i < last; i++)
    {
        float single[COORDINATES];
        memcpy(single, copy->from + i * copy->stride, sizeof single);
        copy->vertices[i] = vec3((double)single[0], (double)single[1], (double)single[2]);
        good &= in_range(copy->vertices[i]);
    }
    if (!good)
        base_cancel_set(&copy->bad);
}

static void copy_u32(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    input_copy *copy = data;
    bool good = true;
    (void)worker;
    for (size_t i = first; i < last; i++)
    {
        uint32_t *index = copy->indices + 3 * i;
        memcpy(index, copy->from + i * copy->stride, 3 * sizeof *index);
        good &= index[0] < copy->vertex_count && index[1] < copy->vertex_count && index[2] < copy->vertex_count;
    }
    if (!good)
        base_cancel_set(&copy->bad);
}

static void copy_u16(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    input_copy *copy = data;
    bool good = true;
    (void)worker;
    for (size_t i = first; i < last; i++)
    {
        uint16_t narrow[3];
        memcpy(narrow, copy->from + i * copy->stride, sizeof narrow);
        for (size_t corner = 0; corner < 3; corner++)
        {
            copy->indices[3 * i + corner] = narrow[corner];
            good &= narrow[corner] < copy->vertex_count;
        }
    }
    if (!good)
        base_cancel_set(&copy->bad);
}

static void count_up(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const input_copy *copy = data;
    (void)worker;
    for (size_t i = 3 * (size_t)first; i < 3 * (size_t)last; i++)
        copy->indices[i] = (uint32_t)i;
}

/* ---- vertices ---- */

static carom_status refuse_vertex(const mesh_build *build)
{
    const carom_vec3 *vertices = build->parts.vertices;
    uint32_t i = 0;
    while (in_range(vertices[i]))
        i++;
    carom_vec3 v = vertices[i];
    if (!vec3_finite(v))
        return base_fail(build->context, CAROM_NOT_FINITE, "%.100s: vertex %u is (%g, %g, %g)", build->parts.name, i,
                         v.x, v.y, v.z);
    return base_fail(build->context, CAROM_OUT_OF_RANGE, "%.100s: vertex %u is (%g, %g, %g), beyond 2^100",
                     build->parts.name, i, v.x, v.y, v.z);
}

carom_status mesh_read_vertices(mesh_build *build, const carom_mesh_def *def)
{
    uint32_t count = build->parts.vertex_count;
    bool single = def->vertices_f32 != NULL;
    size_t packed = single ? COORDINATES * sizeof(float) : sizeof(carom_vec3);
    input_copy copy = {.from = single ? (const void *)def->vertices_f32 : (const void *)def->vertices_f64,
                       .stride = def->vertex_stride ? def->vertex_stride : packed,
                       .triangle_stride = def->unindexed ? def->triangle_stride : 0,
                       .vertices = build->parts.vertices,
                       .single = single};
    base_parallel_for(build->context, count, ITEMS_PER_TASK,
                      copy.triangle_stride ? copy_corners
                      : single             ? copy_floats
                                           : copy_doubles,
                      &copy);
    return base_cancel_is_set(&copy.bad) ? refuse_vertex(build) : CAROM_OK;
}

/* ---- indices ---- */

carom_status mesh_check_indices(const mesh_build *build, const carom_mesh_def *def)
{
    carom_context *context = build->context;
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
        size_t complete = def->vertex_count / 3;
        if (def->triangle_count > complete)
            return base_fail(context, CAROM_OUT_OF_RANGE,
                             "%.100s: triangle %zu without indices needs vertex %zu of %zu", name, complete,
                             3 * complete + 2, def->vertex_count);
        return CAROM_OK;
    }
    if (def->triangle_count > 0 && given == 0)
        return base_fail(context, CAROM_INVALID_ARGUMENT,
                         "%.100s: %zu triangles, but indices_u32 and indices_u16 are null and unindexed is not set",
                         name, def->triangle_count);
    size_t packed = 3 * (def->indices_u16 ? sizeof(uint16_t) : sizeof(uint32_t));
    return check_stride(build, "triangle", def->triangle_stride, packed, def->triangle_count);
}

static carom_status refuse_index(const mesh_build *build)
{
    const uint32_t *indices = build->parts.indices, vertex_count = build->parts.vertex_count;
    size_t i = 0;
    while (indices[i] < vertex_count)
        i++;
    return base_fail(build->context, CAROM_OUT_OF_RANGE, "%.100s: triangle %zu: vertex index %u of %u",
                     build->parts.name, i / 3, indices[i], vertex_count);
}

carom_status mesh_read_indices(mesh_build *build, const carom_mesh_def *def)
{
    uint32_t count = build->parts.triangle_count;
    size_t packed = 3 * (def->indices_u16 ? sizeof(uint16_t) : sizeof(uint32_t));
    input_copy copy = {.from = def->indices_u16 ? (const void *)def->indices_u16 : (const void *)def->indices_u32,
                       .stride = def->triangle_stride ? def->triangle_stride : packed,
                       .indices = build->parts.indices,
                       .vertex_count = build->parts.vertex_count};
    base_parallel_for(build->context, count, ITEMS_PER_TASK,
                      def->unindexed     ? count_up
                      : def->indices_u16 ? copy_u16
                                         : copy_u32,
                      &copy);
    return base_cancel_is_set(&copy.bad) ? refuse_index(build) : CAROM_OK;
}
