/* carom/convex.h: a hull that owns its vertices. */
#include "carom/convex.h"
#include "hull/hull.h"

struct carom_hull
{
    hull hull; /* of `positions` */
    hull_measures measures;
    carom_vec3 *positions;
    uint32_t *sources;
};

/* The points of a def, and the caller's index of each. */
typedef struct input
{
    carom_context *context;
    carom_vec3 *points;
    uint32_t *index;
    uint32_t capacity, count;
} input;

carom_hull_def carom_hull_def_default(void) { return (carom_hull_def){0}; }

static carom_status check_def(carom_context *context, const carom_hull_def *def)
{
    int sources = (def->mesh != NULL) + (def->points_f32 != NULL) + (def->points_f64 != NULL);
    size_t packed = 3 * (def->points_f32 ? sizeof(float) : sizeof(double));
    if (sources > 1)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "a hull of more than one of mesh, points_f32 and points_f64");
    if (sources == 0 && def->point_count > 0)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "a hull of %zu points, but both arrays are null",
                         def->point_count);
    if (def->point_count >= UINT32_MAX)
        return base_fail(context, CAROM_TOO_LARGE, "a hull of %zu points, at most %u", def->point_count,
                         UINT32_MAX - 1);
    if (def->point_stride != 0 && def->point_stride < packed)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "a hull's point stride of %zu bytes, but a point has %zu",
                         def->point_stride, packed);
    if (def->point_count > 0 && def->point_stride > SIZE_MAX / def->point_count)
        return base_fail(context, CAROM_TOO_LARGE, "%zu points of a hull of %zu bytes each do not fit",
                         def->point_count, def->point_stride);
    return CAROM_OK;
}

static void read_points(input *in, const carom_hull_def *def)
{
    size_t packed = 3 * (def->points_f32 ? sizeof(float) : sizeof(double));
    size_t stride = def->point_stride ? def->point_stride : packed;
    const unsigned char *from = def->points_f32 ? (const void *)def->points_f32 : (const void *)def->points_f64;
    for (uint32_t i = 0; i < in->capacity; i++, from += stride)
    {
        float single[3];
        if (def->points_f32)
            memcpy(single, from, sizeof single), in->points[i] = vec3(single[0], single[1], single[2]);
        else
            memcpy(&in->points[i], from, sizeof in->points[i]);
        in->index[i] = i;
    }
    in->count = in->capacity;
}

/* The vertices that triangles use, in ascending order. */
static void read_mesh(input *in, const carom_mesh *mesh)
{
    const carom_mesh_info info = carom_mesh_get_info(mesh);
    const uint32_t *indices = carom_mesh_indices(mesh);
    memset(in->index, 0, in->capacity * sizeof *in->index);
    for (size_t i = 0; i < 3 * (size_t)info.triangle_count; i++)
        in->index[indices[i]] = 1;
    for (uint32_t i = 0; i < in->capacity; i++)
        if (in->index[i])
            in->points[in->count] = carom_mesh_vertices(mesh)[i], in->index[in->count++] = i;
}

static void free_input(input *in)
{
    base_release(in->context, in->points, in->capacity, sizeof *in->points);
    base_release(in->context, in->index, in->capacity, sizeof *in->index);
}

static carom_status read_input(input *in, const carom_hull_def *def)
{
    in->capacity = def->mesh ? carom_mesh_get_info(def->mesh).vertex_count : (uint32_t)def->point_count;
    in->points = base_allocate(in->context, in->capacity, sizeof *in->points, sizeof(double));
    in->index = base_allocate(in->context, in->capacity, sizeof *in->index, sizeof(uint32_t));
    if (!in->points || !in->index)
        return base_fail(in->context, CAROM_OUT_OF_MEMORY, "out of memory for %u points of a hull", in->capacity);
    if (def->mesh)
        read_mesh(in, def->mesh);
    else
        read_points(in, def);
    return CAROM_OK;
}

/* Takes what the hull needs of the points; from then on its indices are those of its own vertices. */
static carom_status keep_vertices(carom_hull *made, const input *in)
{
    hull *h = &made->hull;
    made->positions = base_allocate(in->context, h->vertex_count, sizeof *made->positions, sizeof(double));
    made->sources = base_allocate(in->context, h->vertex_count, sizeof *made->sources, sizeof(uint32_t));
    if (!made->positions || !made->sources)
        return base_fail(in->context, CAROM_OUT_OF_MEMORY, "out of memory for a hull of %u vertices", h->vertex_count);
    made->measures = hull_measure(h, in->points);
    uint32_t *rank = (uint32_t *)(void *)in->points; /* not needed any more, but for the positions */
    for (uint32_t i = 0; i < h->vertex_count; i++)
    {
        made->positions[i] = in->points[h->vertices[i]];
        made->sources[i] = in->index[h->vertices[i]];
    }
    for (uint32_t i = 0; i < h->vertex_count; i++)
        rank[h->vertices[i]] = i, h->vertices[i] = i;
    for (size_t i = 0; i < 3 * (size_t)h->facet_count; i++)
        h->facets[i] = rank[h->facets[i]];
    return CAROM_OK;
}

static carom_status make_hull(carom_context *context, const carom_hull_def *def, carom_hull *made)
{
    input in = {.context = context};
    carom_status status = read_input(&in, def);
    if (!carom_failed(status))
        status = hull_build(context, in.points, in.count, &made->hull);
    if (!carom_failed(status))
        status = keep_vertices(made, &in);
    free_input(&in);
    return status;
}

carom_status carom_hull_create(carom_context *context, const carom_hull_def *def, carom_hull **out)
{
    if (out)
        *out = NULL;
    if (!context || !def || !out)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "carom_hull_create: %s is null",
                         !context ? "context"
                         : !def   ? "def"
                                  : "out");
    BASE_TRY(base_check_float_mode(context));
    BASE_TRY(check_def(context, def));
    carom_hull *made = base_allocate(context, 1, sizeof *made, sizeof(void *));
    if (!made)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "out of memory for a hull");
    *made = (carom_hull){.hull = {.context = context, .dimension = -1}};
    carom_status status = make_hull(context, def, made);
    if (carom_failed(status))
        carom_hull_destroy(made);
    else
        *out = made;
    return status;
}

void carom_hull_destroy(carom_hull *made)
{
    if (!made)
        return;
    carom_context *context = made->hull.context;
    base_release(context, made->positions, made->hull.vertex_count, sizeof *made->positions);
    base_release(context, made->sources, made->hull.vertex_count, sizeof *made->sources);
    hull_free(&made->hull);
    base_release(context, made, 1, sizeof *made);
}

carom_hull_info carom_hull_get_info(const carom_hull *made)
{
    if (!made)
        return (carom_hull_info){.dimension = -1};
    const hull *h = &made->hull;
    size_t bytes = sizeof *made + h->vertex_count * (sizeof(carom_vec3) + 2 * sizeof(uint32_t)) +
                   6 * sizeof(uint32_t) * (size_t)h->facet_count;
    return (carom_hull_info){h->dimension,        h->vertex_count,       h->facet_count, made->measures.volume,
                             made->measures.area, made->measures.centre, bytes};
}

const carom_vec3 *carom_hull_vertices(const carom_hull *made) { return made ? made->positions : NULL; }
const uint32_t *carom_hull_sources(const carom_hull *made) { return made ? made->sources : NULL; }
const uint32_t *carom_hull_facets(const carom_hull *made) { return made ? made->hull.facets : NULL; }
const uint32_t *carom_hull_neighbours(const carom_hull *made) { return made ? made->hull.neighbours : NULL; }

carom_status carom_hull_contains(const carom_hull *made, carom_vec3 p, bool *out)
{
    carom_context *context = made ? made->hull.context : NULL;
    if (!made || !out)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "carom_hull_contains: %s is null", made ? "out" : "hull");
    BASE_TRY(base_check_float_mode(context));
    *out = false;
    if (!(fabs(p.x) <= HULL_COORDINATE_LIMIT && fabs(p.y) <= HULL_COORDINATE_LIMIT &&
          fabs(p.z) <= HULL_COORDINATE_LIMIT))
        return base_fail(context, vec3_finite(p) ? CAROM_OUT_OF_RANGE : CAROM_NOT_FINITE,
                         "carom_hull_contains: the point is (%g, %g, %g)", p.x, p.y, p.z);
    *out = hull_contains_point(&made->hull, made->positions, p);
    return CAROM_OK;
}
