/* Building a hull: check the points, find their dimension, grow and finish. */
#include "hull/build.h"

static carom_status refuse_point(carom_context *context, carom_vec3 p, uint32_t index)
{
    bool finite = vec3_finite(p);
    return base_fail(context, finite ? CAROM_OUT_OF_RANGE : CAROM_NOT_FINITE, "point %u of a hull is (%g, %g, %g): %s",
                     index, p.x, p.y, p.z, finite ? "beyond 2^110" : "not finite");
}

static bool in_range(carom_vec3 p)
{
    return fabs(p.x) <= HULL_COORDINATE_LIMIT && fabs(p.y) <= HULL_COORDINATE_LIMIT &&
           fabs(p.z) <= HULL_COORDINATE_LIMIT;
}

static carom_status take_points(hull_space *space, const carom_vec3 *points, uint32_t count)
{
    carom_aabb box = aabb_empty();
    for (uint32_t i = 0; i < count; i++)
    {
        if (BASE_UNLIKELY(!in_range(points[i])))
            return refuse_point(space->context, points[i], i);
        box.min = vec3_min(box.min, points[i]), box.max = vec3_max(box.max, points[i]);
    }
    space->points = points, space->index = NULL, space->count = count;
    space->extent = count > 0 ? vec3_sub(box.max, box.min) : vec3(0.0, 0.0, 0.0);
    space->steps = 0;
    return hull_arrange(space, box.min);
}

static carom_status build(hull_space *space, hull *out)
{
    uint32_t corner[4];
    out->dimension = hull_find_simplex(space, corner);
    if (out->dimension < 0)
        return CAROM_OK;
    if (out->dimension < 2)
        return hull_make_segment(space, corner, out);
    if (out->dimension == 2)
        return hull_make_polygon(space, corner, out);
    BASE_TRY(hull_grow(space, corner));
    return hull_finish(space, out);
}

carom_status hull_build_in(hull_space *space, const carom_vec3 *points, uint32_t count, hull *out)
{
    *out = (hull){.context = space->context, .dimension = -1};
    BASE_TRY(base_check_float_mode(space->context));
    BASE_TRY(take_points(space, points, count));
    carom_status status = build(space, out);
    if (carom_failed(status))
        hull_free(out);
    return status;
}

carom_status hull_build(carom_context *context, const carom_vec3 *points, uint32_t count, hull *out)
{
    *out = (hull){.context = context, .dimension = -1};
    hull_space *space;
    BASE_TRY(hull_space_create(context, &space));
    carom_status status = hull_build_in(space, points, count, out);
    hull_space_destroy(space);
    return status;
}

carom_status hull_space_create(carom_context *context, hull_space **out)
{
    *out = base_allocate(context, 1, sizeof **out, BASE_CACHE_LINE);
    if (!*out)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "out of memory for hulls");
    memset(*out, 0, sizeof **out);
    (*out)->context = context;
    (*out)->tuning = (hull_tuning){.many = HULL_TASK, .wide_cone = 48, .evenly = 256};
    return CAROM_OK;
}

void hull_space_destroy(hull_space *space)
{
    if (!space)
        return;
    carom_context *context = space->context;
    base_array_free(context, &space->facets);
    base_array_free(context, &space->rim);
    base_array_free(context, &space->keys);
    base_array_free(context, &space->sites);
    hull_numbers *numbers[] = {&space->index_of_site, &space->pending, &space->visible, &space->fresh,
                               &space->heads,         &space->next,    &space->rank,    &space->polygon,
                               &space->homes,         &space->order,   &space->vacant};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        base_array_free(context, numbers[i]);
    base_release(context, space, 1, sizeof *space);
}
