/* A closed component without a concave edge is one piece at once, if its hull says so: growing would take the same time
 * for each of its triangles, and more the longer its border gets on the way. */
#include "convex/grow.h"

#include "hull/hull.h"

typedef struct whole_component
{
    convex_surface *surface;
    const uint32_t *triangles;
    uint32_t count;
    BASE_ARRAY(carom_vec3) points;
    hull hull;
    carom_aabb box;
} whole_component;

static bool is_candidate(const whole_component *whole)
{
    for (uint32_t i = 0; i < whole->count; i++)
        if ((whole->surface->traits[whole->triangles[i]] & (SURFACE_SIDES | SURFACE_DEGENERATE)) != SURFACE_SIDES)
            return false;
    return true;
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
            whole->points.items[whole->points.count++] = surface_point(surface, corner[k]);
            whole->box = aabb_add_point(whole->box, surface_point(surface, corner[k]));
        }
    }
    return true;
}

static bool is_on_hull(const whole_component *whole)
{
    uint32_t start = 0;
    bool supported = whole->hull.dimension >= 2;
    for (uint32_t i = 0; i < whole->count && supported; i++)
    {
        uint32_t corner[3];
        surface_corners(whole->surface, whole->triangles[i], corner);
        const carom_vec3 triangle[3] = {surface_point(whole->surface, corner[0]),
                                        surface_point(whole->surface, corner[1]),
                                        surface_point(whole->surface, corner[2])};
        supported = hull_supports(&whole->hull, whole->points.items, triangle, &start);
    }
    return supported;
}

/* Is a triangle in front of some facet? Then it is apart from the hull. */
static bool is_in_front(const whole_component *whole, uint32_t triangle)
{
    carom_vec3 g[3];
    const carom_vec3 *p = whole->points.items;
    mesh_corners(whole->surface->mesh, triangle, g);
    for (uint32_t i = 0; whole->hull.dimension == 3 && i < whole->hull.facet_count; i++)
    {
        const uint32_t *f = whole->hull.facets + 3 * (size_t)i;
        int in_front = 0;
        for (int k = 0; k < 3 && in_front == k; k++)
            in_front += exact_orient3d(p[f[0]], p[f[1]], p[f[2]], g[k], NULL) < 0;
        if (in_front == 3)
            return true;
    }
    return false;
}

static bool boxes_meet(const whole_component *whole, uint32_t triangle)
{
    carom_vec3 g[3];
    mesh_corners(whole->surface->mesh, triangle, g);
    carom_vec3 low = vec3_min(g[0], vec3_min(g[1], g[2])), high = vec3_max(g[0], vec3_max(g[1], g[2]));
    const carom_aabb *box = &whole->box;
    return low.x <= box->max.x && high.x >= box->min.x && low.y <= box->max.y && high.y >= box->min.y &&
           low.z <= box->max.z && high.z >= box->min.z;
}

/* Criterion 3. The others share no vertex with the component, or they would be in it. Only what is easy to tell: few
 * others near it, each in front of a facet. */
static bool is_apart(const whole_component *whole)
{
    const carom_mesh *mesh = whole->surface->mesh;
    uint32_t component = mesh->component[whole->triangles[0]], tries = 64;
    bool apart = true;
    for (uint32_t i = 0; mesh->info.component_count > 1 && i < mesh->triangle_count && apart; i++)
        if (mesh->component[i] != component && boxes_meet(whole, i))
            apart = tries-- > 0 && is_in_front(whole, i);
    return apart;
}

carom_status patches_take_whole(convex_surface *surface, const uint32_t *triangles, uint32_t count, bool *taken)
{
    whole_component whole = {.surface = surface, .triangles = triangles, .count = count};
    carom_status status = CAROM_OK;
    *taken = false;
    if (!is_candidate(&whole))
        return CAROM_OK;
    bool collected = collect_points(&whole);
    if (!collected)
        status = CAROM_OUT_OF_MEMORY;
    else
        status = hull_build(surface->context, whole.points.items, (uint32_t)whole.points.count, &whole.hull);
    if (collected && status == CAROM_OK)
    {
        *taken = is_on_hull(&whole) && is_apart(&whole);
        hull_free(&whole.hull);
    }
    for (uint32_t i = 0; i < count && *taken; i++)
        surface->piece[triangles[i]] = triangles[0];
    for (uint32_t i = 0; i < count && !*taken; i++)
    {
        uint32_t corner[3];
        surface_corners(surface, triangles[i], corner);
        for (int k = 0; k < 3; k++)
            surface->member[corner[k]] = CONVEX_NONE;
    }
    base_array_free(surface->context, &whole.points);
    return status;
}
