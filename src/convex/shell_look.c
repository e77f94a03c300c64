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

/* Looks at the facets around both ends of an edge, until one is visible or one end has no more. */
static shell_answer look_around(convex_shell *shell, const surface_crossing *crossing)
{
    shell_walk walk[2] = {walk_around(shell, crossing->from), walk_around(shell, crossing->to)};
    for (int i = 0;; i = 1 - i)
    {
        shell_answer answer = list_facet(shell, walk[i].facet, crossing->apex);
        if (answer != SHELL_YES || shell->visible.count > 0 || !walk_on(shell, &walk[i]))
            return answer;
    }
}

/* Finds all visible facets, which are connected. Those around a vertex of the edge come first. If none of them is
 * visible but the apex is in the plane of some, the others are beyond the rim of that flat face. If the apex is behind
 * all of them, the way to it leads through the hull's inside, and the triangle is not on the new hull either. */
static shell_answer find_visible(convex_shell *shell, const surface_crossing *crossing)
{
    uint32_t apex = crossing->apex;
    shell_answer answer = look_around(shell, crossing);
    for (size_t i = 0; answer == SHELL_YES && shell->visible.count == 0 && i < shell->level.count; i++)
        answer = list_neighbours(shell, shell->level.items[i], apex);
    for (size_t i = 0; answer == SHELL_YES && i < shell->visible.count; i++)
        answer = list_neighbours(shell, shell->visible.items[i], apex);
    shell->effort += shell->level.count + shell->visible.count;
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
    shell_answer answer = find_visible(shell, crossing);
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

/* A walk to the apex, across the sides that it is beyond. */
typedef struct plane_walk
{
    uint32_t facet, before;
} plane_walk;

/* One step. True: it has arrived. */
static bool walk_to_apex(convex_shell *shell, plane_walk *walk, plane_spot *spot)
{
    const shell_facet *f = &shell->facets.items[walk->facet];
    int side = 0;
    shell->effort++;
    for (; side < 3; side++)
    {
        bool came_from = f->across[side] == walk->before && walk->before != CONVEX_NONE;
        if (!came_from && shell_turn(shell, f->corner[side], f->corner[(side + 1) % 3], shell->apex) < 0)
            break;
    }
    if (side < 3 && f->across[side] != CONVEX_NONE)
        return walk->before = walk->facet, walk->facet = f->across[side], false;
    *spot = (plane_spot){side < 3 ? f->corner[side] : CONVEX_NONE, side < 3 ? CONVEX_NONE : walk->facet};
    return true;
}

/* Walks from both ends of an edge, which take turns as one of them may have very many facets. In some triangulations
 * a walk goes in circles; if both do, the spot has neither. */
static plane_spot find_apex(convex_shell *shell, const surface_crossing *crossing)
{
    const uint32_t *facet_at = shell->surface->facet_at;
    plane_walk walk[2] = {{facet_at[crossing->from], CONVEX_NONE}, {facet_at[crossing->to], CONVEX_NONE}};
    plane_spot spot = {CONVEX_NONE, CONVEX_NONE};
    for (size_t steps = 0; steps <= 2 * shell->facets.count; steps++)
        if (walk_to_apex(shell, &walk[steps % 2], &spot))
            break;
    return spot;
}

/* The same by looking everywhere. */
static plane_spot search_apex(convex_shell *shell)
{
    uint32_t at = shell->on_rim;
    do
    {
        shell->effort++;
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
    plane_spot spot = find_apex(shell, crossing);
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
    shell_answer answer = !shell->flat ? look_from_outside(shell, crossing)
                          : surface_side(shell->surface, shell->plane, crossing->apex) == 0
                              ? look_within_plane(shell, crossing)
                              : look_from_behind(shell, crossing);
    shell->effort += shell->horizon.count;
    return answer;
}
