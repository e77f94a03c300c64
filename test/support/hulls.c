/* Brute force: every triple of points is tried as a supporting plane. */
#include "support/hulls.h"

#include <stdlib.h>

static double coordinate(carom_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

/* The first simplex in the order of indices. */
static int find_simplex(const carom_vec3 *p, uint32_t count, uint32_t corner[4])
{
    int found = 0;
    for (uint32_t i = 0; i < count && found < 4; i++)
    {
        bool is_new = found == 0 || (found == 1 && !vec3_equal(p[corner[0]], p[i])) ||
                      (found == 2 && !exact_collinear(p[corner[0]], p[corner[1]], p[i], NULL)) ||
                      (found == 3 && exact_orient3d(p[corner[0]], p[corner[1]], p[corner[2]], p[i], NULL) != 0);
        if (is_new)
            corner[found++] = i;
    }
    return found - 1;
}

int hulls_dimension(const carom_vec3 *points, uint32_t count)
{
    uint32_t corner[4];
    return find_simplex(points, count, corner);
}

/* Both signs among the points: no support. Otherwise the side they are on, 0 if all are on the plane. */
static int side_of_plane(const carom_vec3 *points, uint32_t count, const carom_vec3 t[3])
{
    bool above = false, below = false;
    for (uint32_t i = 0; i < count && !(above && below); i++)
    {
        int sign = exact_orient3d(t[0], t[1], t[2], points[i], NULL);
        above |= sign<0, below |= sign> 0;
    }
    return above && below ? 2 : above ? -1 : below ? 1 : 0;
}

static bool contains_3(const carom_vec3 *points, uint32_t count, carom_vec3 p)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i + 1; j < count; j++)
            for (uint32_t k = j + 1; k < count; k++)
            {
                carom_vec3 t[3] = {points[i], points[j], points[k]};
                int sign = exact_orient3d(t[0], t[1], t[2], p, NULL);
                /* Only a plane that p might be beyond matters; a line of points gives 0. */
                if (sign != 0 && side_of_plane(points, count, t) == -sign)
                    return false;
            }
    return true;
}

static bool contains_2(const carom_vec3 *points, uint32_t count, carom_vec3 p, int axis)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i + 1; j < count; j++)
        {
            int sign = exact_orient2d(points[i], points[j], p, axis, NULL);
            bool supports = sign != 0, proper = false;
            for (uint32_t k = 0; k < count && supports; k++)
            {
                int other = exact_orient2d(points[i], points[j], points[k], axis, NULL);
                supports = other != sign;
                proper |= other != 0;
            }
            if (supports && proper)
                return false;
        }
    return true;
}

static bool contains_1(const carom_vec3 *points, uint32_t count, carom_vec3 p)
{
    for (int axis = 0; axis < 3; axis++)
    {
        bool below = false, above = false;
        for (uint32_t i = 0; i < count; i++)
        {
            below |= coordinate(points[i], axis) <= coordinate(p, axis);
            above |= coordinate(points[i], axis) >= coordinate(p, axis);
        }
        if (!below || !above)
            return false;
    }
    return true;
}

bool hulls_contain(const carom_vec3 *points, uint32_t count, carom_vec3 p)
{
    uint32_t c[4];
    int dimension = find_simplex(points, count, c), axis = 0;
    if (dimension == 3)
        return contains_3(points, count, p);
    if (dimension == 2)
    {
        while (exact_orient2d(points[c[0]], points[c[1]], points[c[2]], axis, NULL) == 0)
            axis++;
        return exact_orient3d(points[c[0]], points[c[1]], points[c[2]], p, NULL) == 0 &&
               contains_2(points, count, p, axis);
    }
    if (dimension == 1)
        return exact_collinear(points[c[0]], points[c[1]], p, NULL) && contains_1(points, count, p);
    return dimension == 0 && vec3_equal(points[0], p);
}

/* ---- what must hold ---- */

static bool is_vertex(const hull *h, uint32_t index)
{
    uint32_t low = 0, high = h->vertex_count;
    while (low < high)
    {
        uint32_t middle = low + (high - low) / 2;
        *(h->vertices[middle] < index ? &low : &high) = h->vertices[middle] < index ? middle + 1 : middle;
    }
    return low < h->vertex_count && h->vertices[low] == index;
}

static void check_order(const hull *h, uint32_t count)
{
    for (uint32_t i = 0; i < h->vertex_count; i++)
    {
        assert_true(h->vertices[i] < count);
        assert_true(i == 0 || h->vertices[i - 1] < h->vertices[i]);
    }
    for (uint32_t i = 0; i < h->facet_count; i++)
    {
        const uint32_t *f = h->facets + 3 * (size_t)i;
        assert_true(f[0] < f[1] && f[0] < f[2] && f[1] != f[2]);
        assert_true(i == 0 || f[-3] < f[0] || (f[-3] == f[0] && f[-2] < f[1]));
        for (int k = 0; k < 3; k++)
            assert_true(is_vertex(h, f[k]));
    }
}

/* Each edge has its reverse in the neighbour, which names this facet there. Each vertex has one ring of facets: as many
 * as name it. */
static void check_edges(const hull *h, uint32_t count)
{
    uint32_t *degree = calloc((size_t)count + 1, sizeof *degree), rims = 0, rings = 0;
    for (uint32_t i = 0; i < 3 * h->facet_count; i++)
        degree[h->facets[i]]++;
    for (uint32_t i = 0; i < 3 * h->facet_count; i++)
    {
        uint32_t from = h->facets[i], to = h->facets[i % 3 == 2 ? i - 2 : i + 1], other = h->neighbours[i];
        if (other == HULL_NONE && ++rims)
            continue;
        assert_true(other < h->facet_count);
        const uint32_t *f = h->facets + 3 * (size_t)other;
        int k = f[0] == to ? 0 : f[1] == to ? 1 : 2;
        assert_true(f[k] == to && f[(k + 1) % 3] == from);
        assert_int_equal(h->neighbours[3 * (size_t)other + (size_t)k], i / 3);
    }
    assert_int_equal(rims, h->dimension == 2 ? h->vertex_count : 0);
    for (uint32_t i = 0; i < 3 * h->facet_count && h->dimension == 3; i++)
    {
        if (degree[h->facets[i]] == 0) /* its ring has been walked */
            continue;
        uint32_t half = i, length = 0;
        do
        {
            uint32_t in = half % 3 == 0 ? half + 2 : half - 1; /* the edge that ends at the vertex */
            const uint32_t *f = h->facets + 3 * (size_t)h->neighbours[in];
            half = 3 * h->neighbours[in] + (f[0] == h->facets[i] ? 0u : f[1] == h->facets[i] ? 1u : 2u);
            length++;
        } while (half != i && length <= degree[h->facets[i]]);
        assert_int_equal(length, degree[h->facets[i]]);
        degree[h->facets[i]] = 0, rings++;
    }
    assert_int_equal(rings, h->dimension == 3 ? h->vertex_count : 0);
    free(degree);
}

static void check_planes(const carom_vec3 *points, uint32_t count, const hull *h, uint32_t stride)
{
    for (uint32_t i = 0; i < h->facet_count; i++)
    {
        const uint32_t *f = h->facets + 3 * (size_t)i;
        carom_vec3 a = points[f[0]], b = points[f[1]], c = points[f[2]];
        assert_false(exact_collinear(a, b, c, NULL));
        bool proper = false;
        for (uint32_t k = i % stride; k < count; k += stride)
        {
            int sign = exact_orient3d(a, b, c, points[k], NULL);
            if (h->dimension == 2 ? sign != 0 : sign < 0)
                fail_msg("point %u is beyond facet %u", k, i);
            proper |= sign > 0;
        }
        assert_true(stride > 1 || h->dimension == 2 || proper);
    }
}

static void check_polygon(const carom_vec3 *points, const hull *h, uint32_t stride)
{
    int axis = 2;
    const uint32_t *t = h->facets;
    while (exact_orient2d(points[t[0]], points[t[1]], points[t[2]], axis, NULL) == 0)
        assert_true(--axis >= 0);
    for (uint32_t i = 0; i < 3 * h->facet_count; i++)
    {
        uint32_t from = t[i], to = t[i % 3 == 2 ? i - 2 : i + 1];
        assert_int_equal(
            exact_orient2d(points[t[i / 3 * 3]], points[t[i / 3 * 3 + 1]], points[t[i / 3 * 3 + 2]], axis, NULL), 1);
        for (uint32_t k = i % stride; k < h->vertex_count && h->neighbours[i] == HULL_NONE; k += stride)
            if (h->vertices[k] != from && h->vertices[k] != to)
                assert_int_equal(exact_orient2d(points[from], points[to], points[h->vertices[k]], axis, NULL), 1);
    }
}

void hulls_check(const carom_vec3 *points, uint32_t count, const hull *h, uint32_t stride)
{
    static const uint32_t least[4] = {1, 2, 3, 4};
    assert_true(h->dimension >= -1 && h->dimension <= 3);
    assert_true(h->dimension < 0 ? h->vertex_count == 0 : h->vertex_count >= least[h->dimension]);
    assert_int_equal(h->facet_count, h->dimension == 3   ? 2 * h->vertex_count - 4
                                     : h->dimension == 2 ? h->vertex_count - 2
                                                         : 0);
    check_order(h, count);
    check_edges(h, count);
    check_planes(points, count, h, stride);
    if (h->dimension == 2)
        check_polygon(points, h, stride);
}

void hulls_check_vertices(const carom_vec3 *points, uint32_t count, const hull *h)
{
    assert_int_equal(h->dimension, hulls_dimension(points, count));
    carom_vec3 *others = malloc(((size_t)count + 1) * sizeof *others);
    for (uint32_t i = 0; i < count; i++)
    {
        bool first = true;
        uint32_t other_count = 0;
        for (uint32_t k = 0; k < count; k++)
            if (!vec3_equal(points[i], points[k]))
                others[other_count++] = points[k];
            else
                first &= k >= i;
        bool extreme = first && !hulls_contain(others, other_count, points[i]);
        if (extreme != is_vertex(h, i))
            fail_msg("point %u of %u is %s vertex", i, count, extreme ? "a" : "no");
    }
    free(others);
}

void hulls_check_same(const hull *a, const hull *b)
{
    assert_int_equal(a->dimension, b->dimension);
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->facet_count, b->facet_count);
    if (a->vertex_count > 0)
        assert_memory_equal(a->vertices, b->vertices, a->vertex_count * sizeof *a->vertices);
    if (a->facet_count > 0)
    {
        assert_memory_equal(a->facets, b->facets, 3 * a->facet_count * sizeof *a->facets);
        assert_memory_equal(a->neighbours, b->neighbours, 3 * a->facet_count * sizeof *a->neighbours);
    }
}
