/* Volume, area and centre of mass in double, relative to a vertex, so that a hull far from the origin loses nothing. */
#include "hull/hull.h"

/* Half the vector area. */
static carom_vec3 facet_area(const hull *h, const carom_vec3 *points, uint32_t facet)
{
    const uint32_t *f = h->facets + 3 * (size_t)facet;
    carom_vec3 a = points[f[0]];
    return vec3_scale(vec3_cross(vec3_sub(points[f[1]], a), vec3_sub(points[f[2]], a)), 0.5);
}

/* The sum of a facet's corners, relative to the origin. */
static carom_vec3 facet_sum(const hull *h, const carom_vec3 *points, uint32_t facet, carom_vec3 origin)
{
    const uint32_t *f = h->facets + 3 * (size_t)facet;
    carom_vec3 a = vec3_sub(points[f[0]], origin), b = vec3_sub(points[f[1]], origin),
               c = vec3_sub(points[f[2]], origin);
    return vec3_add(vec3_add(a, b), c);
}

static hull_measures measure_facets(const hull *h, const carom_vec3 *points)
{
    const carom_vec3 origin = points[h->vertices[0]];
    hull_measures out = {0.0, 0.0, {0.0, 0.0, 0.0}};
    carom_vec3 by_volume = {0.0, 0.0, 0.0}, by_area = {0.0, 0.0, 0.0};
    for (uint32_t facet = 0; facet < h->facet_count; facet++)
    {
        carom_vec3 area = facet_area(h, points, facet), sum = facet_sum(h, points, facet, origin);
        double size = vec3_length(area),
               volume = vec3_dot(area, vec3_sub(points[h->facets[3 * (size_t)facet]], origin)) / 3.0;
        out.area += size, out.volume += volume;
        by_area = vec3_add(by_area, vec3_scale(sum, size / 3.0));
        by_volume = vec3_add(by_volume, vec3_scale(sum, volume / 4.0));
    }
    /* A solid that is too thin for its volume to be measured is a surface. */
    bool thick = h->dimension == 3 && out.volume > 0.0;
    double whole = thick ? out.volume : out.area;
    carom_vec3 moment = thick ? by_volume : by_area;
    out.centre = whole > 0.0 ? vec3_add(origin, vec3_scale(moment, 1.0 / whole)) : origin;
    out.area = h->dimension == 2 ? 2.0 * out.area : out.area;
    out.volume = thick ? out.volume : 0.0;
    return out;
}

hull_measures hull_measure(const hull *h, const carom_vec3 *points)
{
    hull_measures out = {0.0, 0.0, {0.0, 0.0, 0.0}};
    if (h->dimension >= 2)
        return measure_facets(h, points);
    if (h->dimension == 0)
        out.centre = points[h->vertices[0]];
    if (h->dimension == 1)
    {
        carom_vec3 a = points[h->vertices[0]], b = points[h->vertices[1]];
        out.centre = vec3_add(vec3_scale(a, 0.5), vec3_scale(b, 0.5));
    }
    return out;
}
