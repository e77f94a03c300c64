/* Planes through vertices of the hull: a plane through a vertex supports the hull if it does so at the vertex. */
#include "convex/shell_parts.h"

/* The apex is a vertex of the new hull, and the ends of the horizon's edges are its neighbours: a plane through a
 * vertex supports the hull if it does so at the vertex. */
bool shell_could_support(const convex_shell *shell, const uint32_t triangle[3])
{
    bool stays_flat = shell->flat && surface_side(shell->surface, shell->plane, shell->apex) == 0;
    for (size_t i = 0; !stays_flat && i < shell->horizon.count; i++)
    {
        uint32_t vertex = shell->horizon.items[i].from;
        if (!has_corner(triangle, vertex) && surface_side(shell->surface, triangle, vertex) > 0)
            return false;
    }
    return true;
}

/* Within a polygon only its own plane does. */
static bool flat_supports(const convex_shell *shell, const uint32_t triangle[3], uint32_t vertex)
{
    const convex_surface *surface = shell->surface;
    bool flat = true;
    for (int i = 0; i < 3; i++)
        flat = flat && surface_side(surface, shell->plane, triangle[i]) == 0;
    return flat || (surface->previous[vertex] != CONVEX_NONE &&
                    surface_side(surface, triangle, surface->previous[vertex]) <= 0 &&
                    surface_side(surface, triangle, surface->next[vertex]) <= 0);
}

bool shell_supports(convex_shell *shell, const uint32_t triangle[3], const uint32_t *vertices, int count)
{
    if (shell->flat)
        return flat_supports(shell, triangle, vertices[0]);
    shell_walk walk[3] = {walk_around(shell, vertices[0])};
    for (int i = 1; i < count; i++)
        walk[i] = walk_around(shell, vertices[i]);
    for (int i = 0;; i = i + 1 < count ? i + 1 : 0)
    {
        const shell_facet *f = &shell->facets.items[walk[i].facet];
        uint32_t neighbour = f->corner[(corner_of(f, walk[i].vertex) + 1) % 3];
        if (!has_corner(triangle, neighbour) && surface_side(shell->surface, triangle, neighbour) > 0)
            return false;
        if (!walk_on(shell, &walk[i]))
            return true;
    }
}

static bool line_parts(const convex_shell *shell, uint32_t from, const uint32_t edge[2], uint32_t point)
{
    uint32_t to = shell->surface->next[from];
    return shell_turn(shell, from, to, point) < 0 && shell_turn(shell, from, to, edge[0]) == 0 &&
           shell_turn(shell, from, to, edge[1]) == 0;
}

/* In the plane, a line does. Those next to a vertex of the edge are the most likely ones. */
static bool rim_parts(convex_shell *shell, const uint32_t edge[2], uint32_t point)
{
    const convex_surface *surface = shell->surface;
    if (surface->previous[edge[0]] == CONVEX_NONE || surface->previous[edge[1]] == CONVEX_NONE)
        return false; /* one is within the polygon */
    uint32_t ahead = edge[0], behind = edge[0];
    do
    {
        behind = surface->previous[behind];
        shell->effort++;
        if (line_parts(shell, ahead, edge, point) || line_parts(shell, behind, edge, point))
            return true;
        ahead = surface->next[ahead];
    } while (ahead != behind && surface->previous[behind] != ahead);
    return ahead != behind && line_parts(shell, ahead, edge, point);
}

static bool plane_parts(const convex_shell *shell, const uint32_t plane[3], const uint32_t edge[2], uint32_t point)
{
    if (surface_side(shell->surface, plane, point) <= 0)
        return false;
    for (int i = 0; i < 2; i++)
        if (!has_corner(plane, edge[i]) && surface_side(shell->surface, plane, edge[i]) != 0)
            return false;
    return true;
}

bool shell_parts_from(convex_shell *shell, const uint32_t edge[2], uint32_t point)
{
    if (shell->flat)
        return surface_side(shell->surface, shell->plane, point) != 0 || rim_parts(shell, edge, point);
    shell_walk walk[2] = {walk_around(shell, edge[0]), walk_around(shell, edge[1])};
    for (int i = 0;; i = 1 - i)
    {
        if (plane_parts(shell, shell->facets.items[walk[i].facet].corner, edge, point))
            return true;
        if (!walk_on(shell, &walk[i]))
            return false;
    }
}
