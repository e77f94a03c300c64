/* What a point sees of the hull of a patch, before it is added. It is found from the edge it comes in by, so a step
 * takes time for what changes only, however large the patch is.
 *
 * A facet is visible if the point is strictly in front of it; all facets of a flat face then have the same answer, the
 * visible ones are connected, and no new facet is degenerate: an edge of the horizon in line with the point would be in
 * the plane of a facet that it strictly sees. */
#include "convex/shell_parts.h"

/* ---- what a point sees ---- */

static int look_at(convex_shell *shell, uint32_t facet, uint32_t apex)
{
    shell_facet *f = &shell->facets.items[facet];
    if (f->mark / MARK_CODES != shell->stamp)
    {
        int side = surface_side(shell->surface, f->corner, apex);
        int code = side > 0 ? MARK_VISIBLE : side < 0 ? MARK_BEHIND : MARK_LEVEL;
        f->mark = MARK_CODES * shell->stamp + (uint64_t)code;
    }
    return (int)(f->mark % MARK_CODES);
}

/* Looks at a facet; visible or level ones are listed when first looked at. */
static shell_answer list_facet(convex_shell *shell, uint32_t facet, uint32_t apex)
{
    if (shell->facets.items[facet].mark / MARK_CODES == shell->stamp)
        return SHELL_YES;
    int code = look_at(shell, facet, apex);
    if (code == MARK_VISIBLE && shell->facets.items[facet].on_patch)
        return SHELL_NO;
    if ((code == MARK_VISIBLE && !shell_push(shell, &shell->visible, facet)) ||
        (code == MARK_LEVEL && !shell_push(shell, &shell->level, facet)))
        return SHELL_NO_MEMORY;
    return SHELL_YES;
}

static shell_answer list_neighbours(convex_shell *shell, uint32_t facet, uint32_t apex)
{
    for (int i = 0; i < 3; i++)
    {
        shell_answer answer = list_facet(shell, shell->facets.items[facet].across[i], apex);
        if (answer != SHELL_YES)
            return answer;
    }
    return SHELL_YES;
}

/* Is the apex, which is in its plane, in this facet? */
static bool find_within(convex_shell *shell, uint32_t facet)
{
    const uint32_t *corner = shell->facets.items[facet].corner;
    const carom_vec3 *p = shell->surface->mesh->vertices;
    projection plane = shell_choose_projection(shell, corner);
    shell->within_side = -1;
    for (int i = 0; i < 3; i++)
    {
        int side = plane.sign * exact_orient2d(p[corner[i]], p[corner[(i + 1) % 3]], p[shell->apex], plane.axis, NULL);
        if (side < 0)
            return false;
        if (side == 0)
            shell->within_side = i;
    }
    shell->within = facet;
    return true;
}

/* Finds all visible facets. Those around a vertex of the edge come first. If none of them is visible but the apex is in
 * the plane of some, the others are beyond the rim of that flat face. If the apex is behind all of them, the way to it
 * leads through the hull's inside, and the triangle is not on the new hull either. */
static shell_answer find_visible(convex_shell *shell, uint32_t vertex, uint32_t apex)
{
    shell_answer answer = SHELL_YES;
    uint32_t first = shell->surface->facet_at[vertex], facet = first;
    do
        answer = list_facet(shell, facet, apex), facet = next_around(shell, facet, vertex);
    while (answer == SHELL_YES && facet != first);
    for (size_t i = 0; answer == SHELL_YES && shell->visible.count == 0 && i < shell->level.count; i++)
        answer = list_neighbours(shell, shell->level.items[i], apex);
    for (size_t i = 0; answer == SHELL_YES && i < shell->visible.count; i++)
        answer = list_neighbours(shell, shell->visible.items[i], apex);
    if (answer != SHELL_YES || shell->visible.count > 0)
        return answer;
    /* It sees nothing. While a trial goes on, the hull may have it already. */
    for (size_t i = 0; i < shell->level.count; i++)
        if (find_within(shell, shell->level.items[i]))
            return SHELL_YES;
    return SHELL_NO;
}

static bool add_edge(convex_shell *shell, shell_edge edge)
{
    if (!base_array_reserve(shell->surface->context, &shell->horizon, 1))
        return false;
    shell->horizon.items[shell->horizon.count++] = edge;
    return true;
}

static shell_answer look_from_outside(convex_shell *shell, const surface_crossing *crossing)
{
    shell_answer answer = find_visible(shell, crossing->from, crossing->apex);
    for (size_t i = 0; answer == SHELL_YES && i < shell->visible.count; i++)
    {
        const shell_facet *facet = &shell->facets.items[shell->visible.items[i]];
        for (int side = 0; side < 3 && answer == SHELL_YES; side++)
        {
            uint32_t other = facet->across[side], from = facet->corner[(side + 1) % 3], to = facet->corner[side];
            if (look_at(shell, other, crossing->apex) == MARK_VISIBLE)
                continue;
            shell_edge edge = {from, to, other, corner_of(&shell->facets.items[other], from)};
            answer = add_edge(shell, edge) ? SHELL_YES : SHELL_NO_MEMORY;
        }
        if (answer == SHELL_YES && !shell_add_part(shell, facet->corner, crossing->apex))
            return SHELL_NO_MEMORY;
    }
    return answer;
}

/* ---- the same for a flat patch ---- */

static shell_edge rim_edge(const convex_shell *shell, uint32_t from)
{
    const convex_surface *surface = shell->surface;
    return (shell_edge){from, surface->next[from], surface->rim[from] / 3, (int)(surface->rim[from] % 3)};
}

static bool sees_rim(const convex_shell *shell, uint32_t from, uint32_t apex)
{
    return shell_turn(shell, from, shell->surface->next[from], apex) < 0;
}

/* Where the apex is, seen from the polygon: beyond an edge of the rim, or in a facet. */
typedef struct plane_spot
{
    uint32_t seen;  /* the vertex where that edge begins, or CONVEX_NONE */
    uint32_t facet; /* that facet, or CONVEX_NONE */
} plane_spot;

/* Walks from a vertex across the sides that the apex is beyond. In some triangulations that goes in circles, and then
 * the spot has neither. */
static plane_spot walk_to_apex(const convex_shell *shell, uint32_t vertex)
{
    uint32_t facet = shell->surface->facet_at[vertex], before = CONVEX_NONE;
    for (size_t steps = shell->facets.count + 1; steps > 0; steps--)
    {
        const shell_facet *f = &shell->facets.items[facet];
        int side = 0;
        for (; side < 3; side++)
        {
            bool came_from = f->across[side] == before && before != CONVEX_NONE;
            if (!came_from && shell_turn(shell, f->corner[side], f->corner[(side + 1) % 3], shell->apex) < 0)
                break;
        }
        if (side == 3)
            return (plane_spot){CONVEX_NONE, facet};
        if (f->across[side] == CONVEX_NONE)
            return (plane_spot){f->corner[side], CONVEX_NONE};
        before = facet, facet = f->across[side];
    }
    return (plane_spot){CONVEX_NONE, CONVEX_NONE};
}

/* The same by looking everywhere. */
static plane_spot search_apex(convex_shell *shell)
{
    uint32_t at = shell->on_rim;
    do
    {
        if (sees_rim(shell, at, shell->apex))
            return (plane_spot){at, CONVEX_NONE};
        at = shell->surface->next[at];
    } while (at != shell->on_rim);
    for (uint32_t i = 0; i < shell->facets.count; i++)
        if (find_within(shell, i))
            return (plane_spot){CONVEX_NONE, i};
    return (plane_spot){CONVEX_NONE, CONVEX_NONE};
}

static shell_answer look_within_plane(convex_shell *shell, const surface_crossing *crossing)
{
    const convex_surface *surface = shell->surface;
    plane_spot spot = walk_to_apex(shell, crossing->from);
    if (spot.seen == CONVEX_NONE && spot.facet == CONVEX_NONE)
        spot = search_apex(shell);
    if (spot.seen == CONVEX_NONE)
        return spot.facet != CONVEX_NONE && find_within(shell, spot.facet) ? SHELL_YES : SHELL_NO;
    uint32_t apex = crossing->apex, first = spot.seen, last = first;
    while (sees_rim(shell, surface->previous[first], apex))
        first = surface->previous[first];
    while (sees_rim(shell, last, apex))
        last = surface->next[last];
    for (uint32_t at = first, start = first; at != last; at = surface->next[at])
    {
        /* Edges in line make one part. */
        uint32_t next = surface->next[at], corner[3] = {start, apex, next};
        if (!add_edge(shell, rim_edge(shell, at)))
            return SHELL_NO_MEMORY;
        if (next != last && shell_turn(shell, start, next, surface->next[next]) == 0)
            continue;
        if (!shell_add_part(shell, corner, next))
            return SHELL_NO_MEMORY;
        start = next;
    }
    return SHELL_YES;
}

/* The first point outside the plane: the hull becomes a pyramid over the polygon. */
static shell_answer look_from_behind(convex_shell *shell, const surface_crossing *crossing)
{
    const convex_surface *surface = shell->surface;
    uint32_t base = shell->on_rim, at = base;
    if (shell->folded || surface_side(surface, shell->plane, crossing->apex) > 0)
        return SHELL_NO;
    uint32_t start = base;
    do
    {
        /* The apex sees the polygon from behind, hence the order of the corners. Edges in line make one part. */
        uint32_t next = surface->next[at], corner[3] = {base, next, start};
        if (!add_edge(shell, rim_edge(shell, at)))
            return SHELL_NO_MEMORY;
        at = next;
        if (next != base && shell_turn(shell, start, next, surface->next[next]) == 0)
            continue;
        if (shell_turn(shell, base, start, next) != 0 && !shell_add_part(shell, corner, crossing->apex))
            return SHELL_NO_MEMORY;
        start = next;
    } while (at != base);
    return SHELL_YES;
}

shell_answer shell_look(convex_shell *shell, const surface_crossing *crossing)
{
    shell->apex = crossing->apex, shell->within = CONVEX_NONE;
    shell->visible.count = shell->level.count = shell->horizon.count = 0;
    shell->stamp++;
    if (!shell->flat)
        return look_from_outside(shell, crossing);
    if (surface_side(shell->surface, shell->plane, crossing->apex) == 0)
        return look_within_plane(shell, crossing);
    return look_from_behind(shell, crossing);
}
