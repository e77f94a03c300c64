/* A component without a concave edge, closed or open, flat or not, is one piece at once if its hull says so: growing
 * would take more time for each of its triangles the longer its border gets on the way. */
#include "convex/grow.h"

#include "hull/hull.h"

typedef struct whole_component
{
    convex_surface *surface;
    const uint32_t *triangles;
    uint32_t count;
    BASE_ARRAY(carom_vec3) points; /* their numbers are in the surface's scratch */
    hull hull;
    convex_numbers facet_at; /* per point: a facet of the hull that has it, if any has */
    carom_aabb box;
    uint64_t effort;
} whole_component;

static bool is_candidate(const whole_component *whole)
{
    for (uint32_t i = 0; i < whole->count; i++)
        if (whole->surface->traits[whole->triangles[i]] & (SURFACE_CONCAVE | SURFACE_DEGENERATE))
            return false;
    return true;
}

/* Is the component connected across sides that a patch may cross? The triangles' pieces serve as marks, which stay. */
static carom_status find_connected(const whole_component *whole, bool *connected)
{
    convex_surface *surface = whole->surface;
    const carom_mesh *mesh = surface->mesh;
    uint32_t seed = whole->triangles[0], found = 1;
    uint32_t *queue = base_allocate(surface->context, whole->count, sizeof *queue, _Alignof(uint32_t));
    if (!queue)
        return CAROM_OUT_OF_MEMORY;
    queue[0] = seed, surface->piece[seed] = seed;
    for (uint32_t i = 0; i < found; i++)
        for (int side = 0; side < 3; side++)
        {
            uint32_t other = mesh->neighbours[3 * (size_t)queue[i] + (size_t)side];
            if (!(surface->traits[queue[i]] >> side & 1) || surface->piece[other] == seed)
                continue;
            surface->piece[other] = seed, queue[found++] = other;
        }
    base_release(surface->context, queue, whole->count, sizeof *queue);
    *connected = found == whole->count;
    return CAROM_OK;
}

/* Collects the component's vertices; the surface's members serve as marks. */
static bool collect_points(whole_component *whole)
{
    convex_surface *surface = whole->surface;
    whole->box = aabb_empty();
    for (uint32_t i = 0; i < whole->count; i++)
    {
        uint32_t corner[3];
        surface_corners(surface, whole->triangles[i], corner);
        for (int k = 0; k < 3; k++)
        {
            if (surface->member[corner[k]] == whole->triangles[0])
                continue;
            if (!base_array_reserve(surface->context, &whole->points, 1))
                return false;
            surface->member[corner[k]] = whole->triangles[0];
            surface->cone[corner[k]] = (uint32_t)whole->points.count;
            whole->points.items[whole->points.count++] = surface_point(surface, corner[k]);
            whole->box = aabb_add_point(whole->box, surface_point(surface, corner[k]));
        }
    }
    return true;
}

static bool list_facets_at(whole_component *whole)
{
    const hull *h = &whole->hull;
    if (!base_array_reserve(whole->surface->context, &whole->facet_at, whole->points.count))
        return false;
    memset(whole->facet_at.items, 0, whole->points.count * sizeof *whole->facet_at.items);
    for (size_t i = 0; i < 3 * (size_t)h->facet_count; i++)
        whole->facet_at.items[h->facets[i]] = (uint32_t)(i / 3);
    return true;
}

/* Is a triangle on a solid hull? Most have an edge in common with it. */
static bool is_supported(whole_component *whole, uint32_t triangle, uint32_t *start)
{
    const convex_surface *surface = whole->surface;
    const carom_vec3 *points = whole->points.items;
    uint32_t corner[3];
    surface_corners(surface, triangle, corner);
    const uint32_t number[3] = {surface->cone[corner[0]], surface->cone[corner[1]], surface->cone[corner[2]]};
    hull_answer answer = hull_supports_at_edge(&whole->hull, points, number, whole->facet_at.items);
    whole->effort += answer == HULL_NO_EDGE ? whole->hull.facet_count : 1; /* at most */
    if (answer != HULL_NO_EDGE)
        return answer == HULL_YES;
    const carom_vec3 at[3] = {points[number[0]], points[number[1]], points[number[2]]};
    return hull_supports(&whole->hull, points, at, start);
}

static bool is_on_hull(whole_component *whole)
{
    uint32_t start = 0;
    bool supported = whole->hull.dimension >= 2;
    for (uint32_t i = 0; i < whole->count && supported && whole->hull.dimension == 3; i++)
        supported = is_supported(whole, whole->triangles[i], &start);
    return supported;
}

/* Is a triangle in front of some facet, or behind a polygon? Then it is apart from the hull. */
static bool is_in_front(const whole_component *whole, uint32_t triangle)
{
    carom_vec3 g[3];
    const carom_vec3 *p = whole->points.items;
    mesh_corners(whole->surface->mesh, triangle, g);
    bool flat = whole->hull.dimension == 2;
    for (uint32_t i = 0; i < (flat ? 1 : whole->hull.facet_count); i++)
    {
        const uint32_t *f = whole->hull.facets + 3 * (size_t)i;
        int sum = 0;
        for (int k = 0; k < 3; k++)
            sum += exact_orient3d(p[f[0]], p[f[1]], p[f[2]], g[k], NULL);
        if (sum == -3 || (flat && sum == 3))
            return true;
    }
    return false;
}

enum
{
    WHOLE_TRIES = 64 /* triangles of other components near it that are looked at */
};

typedef struct others_near
{
    const whole_component *whole;
    uint32_t tries;
    bool apart;
} others_near;

static bool boxes_meet(const whole_component *whole, uint32_t triangle)
{
    carom_vec3 g[3];
    mesh_corners(whole->surface->mesh, triangle, g);
    carom_vec3 low = vec3_min(g[0], vec3_min(g[1], g[2])), high = vec3_max(g[0], vec3_max(g[1], g[2]));
    const carom_aabb *box = &whole->box;
    return low.x <= box->max.x && high.x >= box->min.x && low.y <= box->max.y && high.y >= box->min.y &&
           low.z <= box->max.z && high.z >= box->min.z;
}

static bool look_at_other(uint32_t triangle, void *data)
{
    others_near *near = data;
    const uint32_t *component = near->whole->surface->mesh->component;
    if (component[triangle] != component[near->whole->triangles[0]] && boxes_meet(near->whole, triangle))
        near->apart = near->tries-- > 0 && is_in_front(near->whole, triangle);
    return near->apart;
}

/* Criterion 3. The others share no vertex with the component, or they would be in it. Only what is easy to tell: few
 * others near it, each in front of a facet. */
static carom_status find_apart(const whole_component *whole, bool *apart)
{
    others_near near = {whole, WHOLE_TRIES, true};
    if (whole->surface->mesh->info.component_count > 1)
        BASE_TRY(surface_visit_near(whole->surface, &whole->box, look_at_other, &near));
    *apart = near.apart;
    return CAROM_OK;
}

static carom_status judge(whole_component *whole, bool *taken)
{
    BASE_TRY(find_connected(whole, taken));
    if (!*taken)
        return CAROM_OK;
    *taken = false;
    if (!collect_points(whole))
        return CAROM_OUT_OF_MEMORY;
    const carom_vec3 *points = whole->points.items;
    BASE_TRY(hull_build(whole->surface->context, points, (uint32_t)whole->points.count, &whole->hull));
    if (!list_facets_at(whole))
        return CAROM_OUT_OF_MEMORY;
    if (is_on_hull(whole))
        return find_apart(whole, taken);
    return CAROM_OK;
}

carom_status patches_take_whole(convex_surface *surface, const uint32_t *triangles, uint32_t count, bool *taken)
{
    whole_component whole = {.surface = surface, .triangles = triangles, .count = count};
    whole.hull.context = surface->context;
    *taken = false;
    if (!is_candidate(&whole))
        return CAROM_OK;
    carom_status status = judge(&whole, taken);
    hull_free(&whole.hull);
    base_array_free(surface->context, &whole.points);
    base_array_free(surface->context, &whole.facet_at);
    atomic_fetch_add(&surface->effort, whole.effort);
    for (uint32_t i = 0; i < count && !*taken; i++)
    {
        uint32_t corner[3];
        surface_corners(surface, triangles[i], corner);
        surface->piece[triangles[i]] = CONVEX_NONE;
        for (int k = 0; k < 3; k++)
            surface->member[corner[k]] = CONVEX_NONE;
    }
    return status;
}
