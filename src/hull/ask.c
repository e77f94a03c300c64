/* Exact questions about a finished hull. */
#include "hull/hull.h"

static int facet_side(const hull *h, const carom_vec3 *points, uint32_t facet, carom_vec3 p)
{
    const uint32_t *f = h->facets + 3 * (size_t)facet;
    return -exact_orient3d(points[f[0]], points[f[1]], points[f[2]], p, NULL);
}

/* ---- a point ---- */

static bool solid_contains(const hull *h, const carom_vec3 *points, carom_vec3 p)
{
    for (uint32_t facet = 0; facet < h->facet_count; facet++)
        if (facet_side(h, points, facet, p) > 0)
            return false;
    return true;
}

/* In a projection in which the polygon turns left, the point is right of no side. */
static bool polygon_contains(const hull *h, const carom_vec3 *points, carom_vec3 p)
{
    const uint32_t *f = h->facets;
    int axis = 2;
    if (facet_side(h, points, 0, p) != 0)
        return false;
    while (exact_orient2d(points[f[0]], points[f[1]], points[f[2]], axis, NULL) == 0)
        axis--;
    for (size_t i = 0; i < 3 * (size_t)h->facet_count; i++)
        if (h->neighbours[i] == HULL_NONE &&
            exact_orient2d(points[f[i]], points[f[i % 3 == 2 ? i - 2 : i + 1]], p, axis, NULL) < 0)
            return false;
    return true;
}

static bool is_between(double a, double b, double x) { return (a <= x && x <= b) || (b <= x && x <= a); }

static bool segment_contains(carom_vec3 a, carom_vec3 b, carom_vec3 p)
{
    return is_between(a.x, b.x, p.x) && is_between(a.y, b.y, p.y) && is_between(a.z, b.z, p.z) &&
           exact_collinear(a, b, p, NULL);
}

bool hull_contains_point(const hull *h, const carom_vec3 *points, carom_vec3 p)
{
    switch (h->dimension)
    {
    case 0: return vec3_equal(points[h->vertices[0]], p);
    case 1: return segment_contains(points[h->vertices[0]], points[h->vertices[1]], p);
    case 2: return polygon_contains(h, points, p);
    case 3: return solid_contains(h, points, p);
    default: return false;
    }
}

/* ---- a plane ---- */

typedef struct climber
{
    const hull *h;
    const carom_vec3 *points, *triangle;
    carom_vec3 normal;
    uint32_t facet, corner; /* where it stands: at this corner of this facet */
} climber;

static carom_vec3 position(const climber *c) { return c->points[c->h->facets[3 * (size_t)c->facet + c->corner]]; }

/* The next facet around the corner; false at the rim of a polygon. */
static bool turn(climber *c)
{
    uint32_t index = c->h->facets[3 * (size_t)c->facet + c->corner];
    uint32_t next = c->h->neighbours[3 * (size_t)c->facet + (c->corner == 0 ? 2 : c->corner - 1)];
    if (next == HULL_NONE)
        return false;
    const uint32_t *f = c->h->facets + 3 * (size_t)next;
    c->facet = next, c->corner = f[0] == index ? 0 : f[1] == index ? 1 : 2;
    return true;
}

/* Goes to a neighbour that is higher along the normal, as far as double can tell; false if there is none. */
static bool climb(climber *c)
{
    const climber here = *c;
    const double height = vec3_dot(c->normal, vec3_sub(position(c), c->triangle[0]));
    do
    {
        climber next = *c;
        next.corner = next.corner == 2 ? 0 : next.corner + 1;
        if (vec3_dot(c->normal, vec3_sub(position(&next), c->triangle[0])) > height)
            return *c = next, true;
        if (!turn(c))
            break;
    } while (c->facet != here.facet);
    return *c = here, false;
}

/* 1: in front of the triangle's plane, 0: on it, -1: behind. */
static int side_of_triangle(const climber *c, carom_vec3 p)
{
    return -exact_orient3d(c->triangle[0], c->triangle[1], c->triangle[2], p, NULL);
}

/* Is the corner, which is on the plane, as high as any? Its neighbours decide: the hull is convex. */
static bool is_top(climber *c)
{
    const uint32_t first = c->facet;
    do
    {
        climber next = *c;
        next.corner = next.corner == 2 ? 0 : next.corner + 1;
        if (side_of_triangle(c, position(&next)) > 0)
            return false;
    } while (turn(c) && c->facet != first);
    return true;
}

static bool all_behind(const climber *c)
{
    for (uint32_t i = 0; i < c->h->vertex_count; i++)
        if (side_of_triangle(c, c->points[c->h->vertices[i]]) > 0)
            return false;
    return true;
}

static bool degenerate_is_on_plane(const climber *c)
{
    for (uint32_t facet = 0; facet < c->h->facet_count; facet++)
        if (facet_side(c->h, c->points, facet, c->triangle[0]) == 0 &&
            facet_side(c->h, c->points, facet, c->triangle[1]) == 0 &&
            facet_side(c->h, c->points, facet, c->triangle[2]) == 0)
            return true;
    return false;
}

/* Do two triangles of one plane, which are not degenerate, face the same way? */
static bool face_the_same_way(const carom_vec3 one[3], const carom_vec3 other[3])
{
    int axis = 2, turn;
    while ((turn = exact_orient2d(one[0], one[1], one[2], axis, NULL)) == 0)
        axis--;
    return exact_orient2d(other[0], other[1], other[2], axis, NULL) == turn;
}

/* The facet where the search begins. */
static bool is_in_plane_of_facet(const climber *c)
{
    const uint32_t *f = c->h->facets + 3 * (size_t)c->facet;
    for (int i = 0; i < 3; i++)
        if (side_of_triangle(c, c->points[f[i]]) != 0)
            return false;
    return true;
}

static bool faces_as_facet(const climber *c)
{
    const uint32_t *f = c->h->facets + 3 * (size_t)c->facet;
    const carom_vec3 facet[3] = {c->points[f[0]], c->points[f[1]], c->points[f[2]]};
    return face_the_same_way(facet, c->triangle);
}

bool hull_supports(const hull *h, const carom_vec3 *points, const carom_vec3 triangle[3], uint32_t *start)
{
    climber c = {h,
                 points,
                 triangle,
                 vec3_cross(vec3_sub(triangle[1], triangle[0]), vec3_sub(triangle[2], triangle[0])),
                 start ? *start : 0,
                 0};
    if (exact_collinear(triangle[0], triangle[1], triangle[2], NULL))
        return degenerate_is_on_plane(&c);
    if (h->dimension >= 2 && is_in_plane_of_facet(&c) && (h->dimension == 2 || faces_as_facet(&c)))
        return true;
    if (h->dimension < 3)
        return all_behind(&c);
    /* Rounding can't make it go in circles: heights strictly increase. */
    while (climb(&c))
        continue;
    if (start)
        *start = c.facet;
    int side = side_of_triangle(&c, position(&c));
    if (side == 0)
        return is_top(&c);
    /* Behind, yet the highest that double found: rare for a triangle of the surface. */
    return side < 0 && all_behind(&c);
}

/* ---- a plane through an edge of the hull ---- */

enum
{
    EDGE_STEPS = 64 /* facets that are looked at around the corners of a triangle */
};

/* The plane supports the hull if it does so at the edge from the facet's corner to the next: the two facets there tell.
 */
static hull_answer supports_at(const hull *h, const carom_vec3 *points, const carom_vec3 t[3], uint32_t place)
{
    const uint32_t *f = h->facets + 3 * (size_t)(place / 3), *g = h->facets + 3 * (size_t)h->neighbours[place];
    const carom_vec3 facet[3] = {points[f[0]], points[f[1]], points[f[2]]};
    uint32_t from = f[place % 3], to = f[(place % 3 + 1) % 3];
    int across = g[0] != from && g[0] != to ? 0 : g[1] != from && g[1] != to ? 1 : 2;
    int here = -exact_orient3d(t[0], t[1], t[2], facet[(place % 3 + 2) % 3], NULL);
    int there = -exact_orient3d(t[0], t[1], t[2], points[g[across]], NULL);
    if (here > 0 || there > 0)
        return HULL_NO;
    /* In the middle of a face, it may be the other way round. */
    return here < 0 || there < 0 || face_the_same_way(facet, t) ? HULL_YES : HULL_NO;
}

/* The corners take turns, as one of them may have very many facets. */
hull_answer hull_supports_at_edge(const hull *h, const carom_vec3 *points, const uint32_t triangle[3],
                                  const uint32_t *facet_at)
{
    const carom_vec3 t[3] = {points[triangle[0]], points[triangle[1]], points[triangle[2]]};
    uint32_t facet[3];
    bool going_on[3];
    for (int i = 0; i < 3; i++)
    {
        facet[i] = facet_at[triangle[i]];
        const uint32_t *f = h->facets + 3 * (size_t)(facet[i] < h->facet_count ? facet[i] : 0);
        going_on[i] = f[0] == triangle[i] || f[1] == triangle[i] || f[2] == triangle[i];
    }
    for (uint32_t step = 0; step < EDGE_STEPS; step++)
    {
        uint32_t i = step % 3, here = triangle[i];
        if (!going_on[i])
            continue;
        const uint32_t *f = h->facets + 3 * (size_t)facet[i];
        uint32_t at = f[0] == here ? 0 : f[1] == here ? 1 : 2, to = f[(at + 1) % 3];
        if (to == triangle[(i + 1) % 3] || to == triangle[(i + 2) % 3])
            return supports_at(h, points, t, 3 * facet[i] + at);
        facet[i] = h->neighbours[3 * (size_t)facet[i] + (at + 2) % 3];
        going_on[i] = facet[i] != facet_at[here];
    }
    return HULL_NO_EDGE;
}
