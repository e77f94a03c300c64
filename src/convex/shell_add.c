/* Adding a point to the hull of a patch, on trial, and triangles of the patch to its surface. */
#include "convex/shell_parts.h"

static bool extend_plane(convex_shell *shell)
{
    convex_surface *surface = shell->surface;
    uint32_t before = CONVEX_NONE, apex = shell->apex;
    for (size_t i = 0; i < shell->horizon.count; i++)
    {
        const shell_edge *edge = &shell->horizon.items[i];
        uint32_t facet, corner[3] = {edge->from, apex, edge->to};
        if (!shell_note_facet(shell, edge->facet) || !shell_add_facet(shell, corner, &facet))
            return false;
        shell_facet *f = &shell->facets.items[facet];
        f->on_patch = true;
        f->across[2] = edge->facet, shell->facets.items[edge->facet].across[edge->side] = facet;
        if (i > 0)
            f->across[0] = before, shell->facets.items[before].across[1] = facet;
        if (i == 0 ? !shell_link_rim(shell, edge->from, apex, 3 * facet) : !shell_note_rim(shell, edge->from))
            return false;
        if (i > 0)
            surface->previous[edge->from] = CONVEX_NONE;
        before = facet;
    }
    surface->facet_at[apex] = before;
    return shell_link_rim(shell, apex, shell->horizon.items[shell->horizon.count - 1].to, 3 * before + 1);
}

static bool remove_visible(convex_shell *shell)
{
    if (!base_array_reserve(shell->surface->context, &shell->removed, shell->visible.count))
        return false;
    for (size_t i = 0; i < shell->visible.count; i++)
    {
        uint32_t facet = shell->visible.items[i];
        if (!shell_note_facet(shell, facet))
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
        if (!shell_note_facet(shell, edge->facet) || !shell_add_facet(shell, corner, &facet))
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

/* A facet that is cut is one of this trial: what the hull was before holds no vertex but the patch's (criterion 3). So
 * a vertex that it is home to has come with the trial and goes with it, and shell_undo need not move it back. */
static void move_home(convex_shell *shell, uint32_t vertex, uint32_t from, uint32_t to)
{
    if (shell->surface->facet_at[vertex] == from)
        shell->surface->facet_at[vertex] = to;
}

/* A side of a new facet takes the place of an old one, towards a neighbour or the rim. */
static bool replace_side(convex_shell *shell, uint32_t facet, int side, uint32_t beyond)
{
    uint32_t from = shell->facets.items[facet].corner[side], to = shell->facets.items[facet].corner[(side + 1) % 3];
    shell->facets.items[facet].across[side] = beyond;
    if (beyond == CONVEX_NONE)
        return shell_link_rim(shell, from, to, 3 * facet + (uint32_t)side);
    if (!shell_note_facet(shell, beyond))
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
    if (!shell_note_facet(shell, facet) || !shell_add_facet(shell, corner, out) ||
        !replace_side(shell, *out, 1, beyond))
        return false;
    shell_facet *old = &shell->facets.items[facet], *new = &shell->facets.items[*out];
    old->corner[(side + 1) % 3] = apex, old->across[(side + 1) % 3] = *out;
    new->on_patch = before.on_patch;
    new->across[2] = facet;
    move_home(shell, b, facet, *out);
    return true;
}

/* The apex on an edge: both facets there are cut. */
static bool split_edge(convex_shell *shell, uint32_t facet, int side)
{
    uint32_t a = shell->facets.items[facet].corner[side], b = shell->facets.items[facet].corner[(side + 1) % 3];
    uint32_t other = shell->facets.items[facet].across[side], new, other_new;
    if (!cut_facet(shell, facet, side, &new))
        return false;
    if (other == CONVEX_NONE)
        return shell_link_rim(shell, a, shell->apex, 3 * facet + (uint32_t)side) &&
               shell_link_rim(shell, shell->apex, b, 3 * new);
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
    if (!shell_note_facet(shell, facet) || !shell_add_facet(shell, at_second, &second) ||
        !shell_add_facet(shell, at_third, &third) || !replace_side(shell, second, 0, before.across[1]) ||
        !replace_side(shell, third, 0, before.across[2]))
        return false;
    shell_facet *f = shell->facets.items;
    f[facet].corner[2] = apex;
    f[facet].across[1] = second, f[facet].across[2] = third;
    f[second].across[1] = third, f[second].across[2] = facet;
    f[third].across[1] = facet, f[third].across[2] = second;
    f[second].on_patch = f[third].on_patch = before.on_patch;
    move_home(shell, before.corner[2], facet, second);
    return true;
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
    if (!shell_note_facet(shell, facet) || !shell_push(shell, &shell->level, facet))
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

/* The facet of a triangle's plane that is found first around its corners, which are vertices of the shell. */
static uint32_t find_in_plane(convex_shell *shell, const uint32_t triangle[3])
{
    shell_walk walk[3] = {walk_around(shell, triangle[0]), walk_around(shell, triangle[1]),
                          walk_around(shell, triangle[2])};
    for (int i = 0;; i = (i + 1) % 3)
    {
        if (in_plane(shell, triangle, &shell->facets.items[walk[i].facet]))
            return walk[i].facet;
        if (!walk_on(shell, &walk[i]))
            return CONVEX_NONE;
    }
}

/* Gives the apex, a corner of the triangle, a home that stays: others have one, and must have it after shell_undo. */
static void find_home(convex_shell *shell, const uint32_t triangle[3])
{
    shell_walk walk = walk_around(shell, shell->apex);
    while (!in_plane(shell, triangle, &shell->facets.items[walk.facet]))
        if (!walk_on(shell, &walk))
            return;
    shell->surface->facet_at[shell->apex] = walk.facet;
}

bool shell_own(convex_shell *shell, const uint32_t triangle[3])
{
    if (shell->flat)
        return shell->folded |= shell_turn(shell, triangle[0], triangle[1], triangle[2]) < 0, true;
    if (has_corner(triangle, shell->apex) && !shell->facets.items[shell->surface->facet_at[shell->apex]].on_patch)
        find_home(shell, triangle);
    /* The facets in one plane are connected, so any of them will do. */
    uint32_t facet = find_in_plane(shell, triangle);
    return facet == CONVEX_NONE || shell->facets.items[facet].on_patch || own_face(shell, facet, triangle);
}
