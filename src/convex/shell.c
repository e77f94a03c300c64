/* Adding a point to the hull of a patch. What the point sees is found from the edge it comes in by, so a step takes
 * time for what changes only, however large the patch is.
 *
 * A facet is visible if the point is strictly in front of it; all facets of a flat face then have the same answer, the
 * visible ones are connected, and no new facet is degenerate: an edge of the horizon in line with the point would be in
 * the plane of a facet that it strictly sees. */
#include "convex/shell.h"

enum
{
    MARK_BEHIND = 1,
    MARK_LEVEL = 2,
    MARK_VISIBLE = 3,
    MARK_CODES = 4
};

/* ---- the plane of a flat patch ---- */

/* A projection along an axis that does not collapse a triangle, and the sign of its turn. */
typedef struct projection
{
    int axis, sign;
} projection;

static projection choose_projection(const convex_shell *shell, const uint32_t triangle[3])
{
    const carom_vec3 *p = shell->surface->mesh->vertices;
    carom_vec3 corner[3] = {p[triangle[0]], p[triangle[1]], p[triangle[2]]};
    carom_vec3 normal = vec3_cross(vec3_sub(corner[1], corner[0]), vec3_sub(corner[2], corner[0]));
    double size[3] = {fabs(normal.x), fabs(normal.y), fabs(normal.z)};
    int first = size[0] >= size[1] && size[0] >= size[2] ? 0 : size[1] >= size[2] ? 1 : 2;
    projection out = {0};
    for (int i = 0; i < 3 && out.sign == 0; i++)
    {
        out.axis = (first + i) % 3;
        out.sign = exact_orient2d(corner[0], corner[1], corner[2], out.axis, NULL);
    }
    return out;
}

static shell_edge rim_edge(const convex_shell *shell, uint32_t from)
{
    const convex_surface *surface = shell->surface;
    return (shell_edge){from, surface->next[from], surface->rim[from] / 3, (int)(surface->rim[from] % 3)};
}

/* ---- the trial ---- */

static bool note_facet(convex_shell *shell, uint32_t facet)
{
    if (!base_array_reserve(shell->surface->context, &shell->old_facets, 1))
        return false;
    shell->old_facets.items[shell->old_facets.count++] = (shell_old_facet){facet, shell->facets.items[facet]};
    return true;
}

static bool note_rim(convex_shell *shell, uint32_t vertex)
{
    const convex_surface *surface = shell->surface;
    if (!base_array_reserve(surface->context, &shell->old_rims, 1))
        return false;
    shell->old_rims.items[shell->old_rims.count++] =
        (shell_old_rim){vertex, surface->next[vertex], surface->previous[vertex], surface->rim[vertex]};
    return true;
}

static void begin_trial(convex_shell *shell)
{
    shell->parts.count = shell->fresh.count = shell->removed.count = 0;
    shell->old_facets.count = shell->old_rims.count = shell->old_homes.count = 0;
    shell->was_flat = shell->flat, shell->was_folded = shell->folded, shell->was_on_rim = shell->on_rim;
    shell->facets_before = shell->facets.count, shell->vacant_before = shell->vacant.count;
}

bool shell_keep(convex_shell *shell)
{
    if (!base_array_reserve(shell->surface->context, &shell->vacant, shell->removed.count))
        return false;
    for (size_t i = 0; i < shell->removed.count; i++)
        shell->vacant.items[shell->vacant.count++] = shell->removed.items[i];
    begin_trial(shell);
    return true;
}

void shell_undo(convex_shell *shell)
{
    convex_surface *surface = shell->surface;
    for (size_t i = shell->old_facets.count; i-- > 0;)
        shell->facets.items[shell->old_facets.items[i].number] = shell->old_facets.items[i].before;
    for (size_t i = shell->old_rims.count; i-- > 0;)
    {
        const shell_old_rim *old = &shell->old_rims.items[i];
        surface->next[old->vertex] = old->next, surface->previous[old->vertex] = old->previous;
        surface->rim[old->vertex] = old->rim;
    }
    for (size_t i = shell->old_homes.count; i-- > 0;)
        surface->facet_at[shell->old_homes.items[i].vertex] = shell->old_homes.items[i].facet_at;
    shell->flat = shell->was_flat, shell->folded = shell->was_folded, shell->on_rim = shell->was_on_rim;
    shell->facets.count = shell->facets_before, shell->vacant.count = shell->vacant_before;
    begin_trial(shell);
}

static bool link_rim(convex_shell *shell, uint32_t from, uint32_t to, uint32_t facet_side)
{
    convex_surface *surface = shell->surface;
    if (!note_rim(shell, from) || !note_rim(shell, to))
        return false;
    surface->next[from] = to, surface->previous[to] = from, surface->rim[from] = facet_side;
    shell->on_rim = from;
    return true;
}

/* ---- facets ---- */

/* Its neighbours are still to be set. */
static bool add_facet(convex_shell *shell, const uint32_t corner[3], uint32_t *out)
{
    if (!base_array_reserve(shell->surface->context, &shell->fresh, 1))
        return false;
    if (shell->vacant.count > 0)
        *out = shell->vacant.items[--shell->vacant.count];
    else if (shell->facets.count < UINT32_MAX / 3 && base_array_reserve(shell->surface->context, &shell->facets, 1))
        *out = (uint32_t)shell->facets.count++;
    else
        return false;
    shell->facets.items[*out] =
        (shell_facet){.corner = {corner[0], corner[1], corner[2]}, .across = {CONVEX_NONE, CONVEX_NONE, CONVEX_NONE}};
    shell->fresh.items[shell->fresh.count++] = *out;
    return true;
}

static int corner_of(const shell_facet *facet, uint32_t vertex)
{
    return facet->corner[0] == vertex ? 0 : facet->corner[1] == vertex ? 1 : 2;
}

static bool has_corner(const uint32_t triangle[3], uint32_t vertex)
{
    return triangle[0] == vertex || triangle[1] == vertex || triangle[2] == vertex;
}

/* The next facet around a vertex of a closed shell. */
static uint32_t next_around(const convex_shell *shell, uint32_t facet, uint32_t vertex)
{
    const shell_facet *f = &shell->facets.items[facet];
    return f->across[(corner_of(f, vertex) + 2) % 3];
}

static bool add_part(convex_shell *shell, const uint32_t triangle[3], uint32_t last)
{
    if (!base_array_reserve(shell->surface->context, &shell->parts, 1))
        return false;
    shell->parts.items[shell->parts.count++] = (shell_part){{triangle[0], triangle[1], triangle[2], last}};
    return true;
}

bool shell_begin(convex_shell *shell, const uint32_t seed[3])
{
    uint32_t facet;
    shell->facets.count = shell->vacant.count = 0;
    shell->flat = true, shell->folded = false, shell->stamp = 0;
    shell->apex = seed[2];
    memcpy(shell->plane, seed, sizeof shell->plane);
    projection plane = choose_projection(shell, seed);
    shell->axis = plane.axis, shell->axis_sign = plane.sign;
    begin_trial(shell);
    if (!add_part(shell, seed, seed[2]) || !add_facet(shell, seed, &facet))
        return false;
    shell->facets.items[facet].on_patch = true;
    for (uint32_t i = 0; i < 3; i++)
    {
        if (!link_rim(shell, seed[i], seed[(i + 1) % 3], 3 * facet + i))
            return false;
        shell->surface->facet_at[seed[i]] = facet;
    }
    return true;
}

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

static bool push(const convex_shell *shell, convex_numbers *list, uint32_t number)
{
    if (!base_array_reserve(shell->surface->context, list, 1))
        return false;
    list->items[list->count++] = number;
    return true;
}

/* Looks at a facet; visible or level ones are listed when first looked at. */
static shell_answer list_facet(convex_shell *shell, uint32_t facet, uint32_t apex)
{
    if (shell->facets.items[facet].mark / MARK_CODES == shell->stamp)
        return SHELL_YES;
    int code = look_at(shell, facet, apex);
    if (code == MARK_VISIBLE && shell->facets.items[facet].on_patch)
        return SHELL_NO;
    if ((code == MARK_VISIBLE && !push(shell, &shell->visible, facet)) ||
        (code == MARK_LEVEL && !push(shell, &shell->level, facet)))
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
    projection plane = choose_projection(shell, corner);
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
        if (answer == SHELL_YES && !add_part(shell, facet->corner, crossing->apex))
            return SHELL_NO_MEMORY;
    }
    return answer;
}

/* ---- the same for a flat patch ---- */

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
    uint32_t apex = crossing->apex, first = spot.seen, last = spot.seen;
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
        if (!add_part(shell, corner, next))
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
        if (shell_turn(shell, base, start, next) != 0 && !add_part(shell, corner, crossing->apex))
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

/* ---- adding the point ---- */

static bool extend_plane(convex_shell *shell)
{
    convex_surface *surface = shell->surface;
    uint32_t before = CONVEX_NONE, apex = shell->apex;
    for (size_t i = 0; i < shell->horizon.count; i++)
    {
        const shell_edge *edge = &shell->horizon.items[i];
        uint32_t facet, corner[3] = {edge->from, apex, edge->to};
        if (!note_facet(shell, edge->facet) || !add_facet(shell, corner, &facet))
            return false;
        shell_facet *f = &shell->facets.items[facet];
        f->on_patch = true;
        f->across[2] = edge->facet, shell->facets.items[edge->facet].across[edge->side] = facet;
        if (i > 0)
            f->across[0] = before, shell->facets.items[before].across[1] = facet;
        if (i == 0 ? !link_rim(shell, edge->from, apex, 3 * facet) : !note_rim(shell, edge->from))
            return false;
        if (i > 0)
            surface->previous[edge->from] = CONVEX_NONE;
        before = facet;
    }
    surface->facet_at[apex] = before;
    return link_rim(shell, apex, shell->horizon.items[shell->horizon.count - 1].to, 3 * before + 1);
}

static bool remove_visible(convex_shell *shell)
{
    if (!base_array_reserve(shell->surface->context, &shell->removed, shell->visible.count))
        return false;
    for (size_t i = 0; i < shell->visible.count; i++)
    {
        uint32_t facet = shell->visible.items[i];
        if (!note_facet(shell, facet))
            return false;
        shell->facets.items[facet].gone = true;
        shell->removed.items[shell->removed.count++] = facet;
    }
    return true;
}

static bool close_cone(convex_shell *shell)
{
    uint32_t *at_start = shell->surface->cone; /* the new facet by the start of its horizon edge */
    size_t count = shell->horizon.count;
    if (!remove_visible(shell))
        return false;
    for (size_t i = 0; i < count; i++)
    {
        const shell_edge *edge = &shell->horizon.items[i];
        uint32_t facet, corner[3] = {edge->to, edge->from, shell->apex};
        if (!note_facet(shell, edge->facet) || !add_facet(shell, corner, &facet))
            return false;
        shell_facet *f = &shell->facets.items[facet], *other = &shell->facets.items[edge->facet];
        f->across[0] = edge->facet, other->across[edge->side] = facet;
        f->on_patch = other->on_patch && other->mark == MARK_CODES * shell->stamp + MARK_LEVEL;
        at_start[edge->from] = facet;
    }
    for (size_t i = 0; i < count; i++)
    {
        const shell_edge *edge = &shell->horizon.items[i];
        uint32_t facet = at_start[edge->from], beyond = at_start[edge->to];
        shell->facets.items[facet].across[2] = beyond, shell->facets.items[beyond].across[1] = facet;
    }
    shell->surface->facet_at[shell->apex] = at_start[shell->horizon.items[0].from];
    shell->flat = false;
    return true;
}

static bool move_home(convex_shell *shell, uint32_t vertex, uint32_t from, uint32_t to)
{
    convex_surface *surface = shell->surface;
    if (surface->facet_at[vertex] != from)
        return true;
    if (!base_array_reserve(surface->context, &shell->old_homes, 1))
        return false;
    shell->old_homes.items[shell->old_homes.count++] = (shell_old_home){vertex, from};
    surface->facet_at[vertex] = to;
    return true;
}

/* A side of a new facet takes the place of an old one, towards a neighbour or the rim. */
static bool replace_side(convex_shell *shell, uint32_t facet, int side, uint32_t beyond)
{
    uint32_t from = shell->facets.items[facet].corner[side], to = shell->facets.items[facet].corner[(side + 1) % 3];
    shell->facets.items[facet].across[side] = beyond;
    if (beyond == CONVEX_NONE)
        return link_rim(shell, from, to, 3 * facet + (uint32_t)side);
    if (!note_facet(shell, beyond))
        return false;
    shell_facet *other = &shell->facets.items[beyond];
    other->across[corner_of(other, to)] = facet;
    return true;
}

/* Cuts a facet from a corner to the apex on the opposite side, between corners a and b: a, apex, c stays in its place,
 * and apex, b, c is new. Neighbours across the cut side are left to the caller. */
static bool cut_facet(convex_shell *shell, uint32_t facet, int side, uint32_t *out)
{
    shell_facet before = shell->facets.items[facet];
    uint32_t b = before.corner[(side + 1) % 3], c = before.corner[(side + 2) % 3], apex = shell->apex;
    uint32_t corner[3] = {apex, b, c}, beyond = before.across[(side + 1) % 3];
    if (!note_facet(shell, facet) || !add_facet(shell, corner, out) || !replace_side(shell, *out, 1, beyond))
        return false;
    shell_facet *old = &shell->facets.items[facet], *new = &shell->facets.items[*out];
    old->corner[(side + 1) % 3] = apex, old->across[(side + 1) % 3] = *out;
    new->on_patch = before.on_patch;
    new->across[2] = facet;
    return move_home(shell, b, facet, *out);
}

/* The apex on an edge: both facets there are cut. */
static bool split_edge(convex_shell *shell, uint32_t facet, int side)
{
    uint32_t a = shell->facets.items[facet].corner[side], b = shell->facets.items[facet].corner[(side + 1) % 3];
    uint32_t other = shell->facets.items[facet].across[side], new, other_new;
    if (!cut_facet(shell, facet, side, &new))
        return false;
    if (other == CONVEX_NONE)
        return link_rim(shell, a, shell->apex, 3 * facet + (uint32_t)side) && link_rim(shell, shell->apex, b, 3 * new);
    int other_side = corner_of(&shell->facets.items[other], b);
    if (!cut_facet(shell, other, other_side, &other_new))
        return false;
    /* The halves towards a: facet and other_new; towards b: new and other. */
    shell->facets.items[facet].across[side] = other_new, shell->facets.items[other_new].across[0] = facet;
    shell->facets.items[new].across[0] = other, shell->facets.items[other].across[other_side] = new;
    return true;
}

/* The apex within a facet, which becomes three. */
static bool split_facet(convex_shell *shell, uint32_t facet)
{
    shell_facet before = shell->facets.items[facet];
    uint32_t apex = shell->apex, second, third;
    uint32_t at_second[3] = {before.corner[1], before.corner[2], apex};
    uint32_t at_third[3] = {before.corner[2], before.corner[0], apex};
    if (!note_facet(shell, facet) || !add_facet(shell, at_second, &second) || !add_facet(shell, at_third, &third) ||
        !replace_side(shell, second, 0, before.across[1]) || !replace_side(shell, third, 0, before.across[2]))
        return false;
    shell_facet *f = shell->facets.items;
    f[facet].corner[2] = apex;
    f[facet].across[1] = second, f[facet].across[2] = third;
    f[second].across[1] = third, f[second].across[2] = facet;
    f[third].across[1] = facet, f[third].across[2] = second;
    f[second].on_patch = f[third].on_patch = before.on_patch;
    return move_home(shell, before.corner[2], facet, second);
}

/* Makes the apex a vertex of the hull, which has it already. */
static bool split(convex_shell *shell)
{
    bool within = shell->within_side < 0;
    shell->surface->facet_at[shell->apex] = shell->within;
    shell->surface->previous[shell->apex] = CONVEX_NONE; /* unless it is on an edge of the rim */
    return within ? split_facet(shell, shell->within) : split_edge(shell, shell->within, shell->within_side);
}

bool shell_add(convex_shell *shell)
{
    if (shell->within != CONVEX_NONE)
        return split(shell);
    bool stays_flat = shell->flat && surface_side(shell->surface, shell->plane, shell->apex) == 0;
    return stays_flat ? extend_plane(shell) : close_cone(shell);
}

static bool in_plane(const convex_shell *shell, const uint32_t plane[3], const shell_facet *facet)
{
    for (int i = 0; i < 3; i++)
        if (!has_corner(plane, facet->corner[i]) && surface_side(shell->surface, plane, facet->corner[i]) != 0)
            return false;
    return true;
}

static bool own_facet(convex_shell *shell, uint32_t facet)
{
    if (!note_facet(shell, facet) || !push(shell, &shell->level, facet))
        return false;
    shell->facets.items[facet].on_patch = true;
    return true;
}

/* Marks the facets in the triangle's plane that are connected with this one, which is. */
static bool own_face(convex_shell *shell, uint32_t facet, const uint32_t triangle[3])
{
    convex_numbers *open = &shell->level;
    open->count = 0;
    bool owned = own_facet(shell, facet);
    while (owned && open->count > 0)
    {
        const shell_facet *f = &shell->facets.items[open->items[--open->count]];
        for (int i = 0; i < 3 && owned; i++)
        {
            const shell_facet *other = &shell->facets.items[f->across[i]];
            if (!other->on_patch && in_plane(shell, triangle, other))
                owned = own_facet(shell, f->across[i]);
        }
    }
    return owned;
}

bool shell_own(convex_shell *shell, const uint32_t triangle[3])
{
    uint32_t vertex = has_corner(triangle, shell->apex) ? shell->apex : triangle[0];
    uint32_t first = shell->surface->facet_at[vertex], facet = first;
    if (shell->flat)
        return shell->folded |= shell_turn(shell, triangle[0], triangle[1], triangle[2]) < 0, true;
    do
    {
        if (in_plane(shell, triangle, &shell->facets.items[facet]))
        {
            shell->surface->facet_at[vertex] = facet;
            if (!shell->facets.items[facet].on_patch && !own_face(shell, facet, triangle))
                return false;
        }
        facet = next_around(shell, facet, vertex);
    } while (facet != first);
    return true;
}

/* ---- planes through vertices of the hull ---- */

bool shell_supports(const convex_shell *shell, const uint32_t triangle[3], uint32_t vertex)
{
    const convex_surface *surface = shell->surface;
    if (shell->flat)
    {
        /* Within the polygon only its own plane does. */
        bool flat = true;
        for (int i = 0; i < 3; i++)
            flat = flat && surface_side(surface, shell->plane, triangle[i]) == 0;
        return flat || (surface->previous[vertex] != CONVEX_NONE &&
                        surface_side(surface, triangle, surface->previous[vertex]) <= 0 &&
                        surface_side(surface, triangle, surface->next[vertex]) <= 0);
    }
    uint32_t first = surface->facet_at[vertex], facet = first;
    do
    {
        const shell_facet *f = &shell->facets.items[facet];
        uint32_t neighbour = f->corner[(corner_of(f, vertex) + 1) % 3];
        if (!has_corner(triangle, neighbour) && surface_side(surface, triangle, neighbour) > 0)
            return false;
        facet = next_around(shell, facet, vertex);
    } while (facet != first);
    return true;
}

static bool line_parts(const convex_shell *shell, uint32_t from, const uint32_t edge[2], uint32_t point)
{
    uint32_t to = shell->surface->next[from];
    return shell_turn(shell, from, to, point) < 0 && shell_turn(shell, from, to, edge[0]) == 0 &&
           shell_turn(shell, from, to, edge[1]) == 0;
}

/* In the plane, a line does. Those next to a vertex of the edge are the most likely ones. */
static bool rim_parts(const convex_shell *shell, const uint32_t edge[2], uint32_t point)
{
    const convex_surface *surface = shell->surface;
    if (surface->previous[edge[0]] == CONVEX_NONE || surface->previous[edge[1]] == CONVEX_NONE)
        return false; /* one is within the polygon */
    uint32_t ahead = edge[0], behind = edge[0];
    do
    {
        behind = surface->previous[behind];
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

bool shell_parts_from(const convex_shell *shell, const uint32_t edge[2], uint32_t point)
{
    if (shell->flat)
        return surface_side(shell->surface, shell->plane, point) != 0 || rim_parts(shell, edge, point);
    uint32_t first = shell->surface->facet_at[edge[0]], number = first;
    do
    {
        if (plane_parts(shell, shell->facets.items[number].corner, edge, point))
            return true;
        number = next_around(shell, number, edge[0]);
    } while (number != first);
    return false;
}

void shell_free(convex_shell *shell)
{
    if (!shell->surface)
        return;
    carom_context *context = shell->surface->context;
    base_array_free(context, &shell->facets);
    base_array_free(context, &shell->vacant);
    base_array_free(context, &shell->visible);
    base_array_free(context, &shell->level);
    base_array_free(context, &shell->horizon);
    base_array_free(context, &shell->parts);
    base_array_free(context, &shell->fresh);
    base_array_free(context, &shell->removed);
    base_array_free(context, &shell->old_facets);
    base_array_free(context, &shell->old_rims);
    base_array_free(context, &shell->old_homes);
}
