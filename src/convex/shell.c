/* The hull of a patch while it grows: its facets, and going back to where a trial began. */
#include "convex/shell_parts.h"

projection shell_choose_projection(const convex_shell *shell, const uint32_t triangle[3])
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

/* ---- the trial ---- */

bool shell_note_facet(convex_shell *shell, uint32_t facet)
{
    if (!base_array_reserve(shell->surface->context, &shell->old_facets, 1))
        return false;
    shell->old_facets.items[shell->old_facets.count++] = (shell_old_facet){facet, shell->facets.items[facet]};
    return true;
}

bool shell_note_rim(convex_shell *shell, uint32_t vertex)
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
    shell->old_facets.count = shell->old_rims.count = 0;
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
    shell->flat = shell->was_flat, shell->folded = shell->was_folded, shell->on_rim = shell->was_on_rim;
    shell->facets.count = shell->facets_before, shell->vacant.count = shell->vacant_before;
    begin_trial(shell);
}

bool shell_link_rim(convex_shell *shell, uint32_t from, uint32_t to, uint32_t facet_side)
{
    convex_surface *surface = shell->surface;
    if (!shell_note_rim(shell, from) || !shell_note_rim(shell, to))
        return false;
    surface->next[from] = to, surface->previous[to] = from, surface->rim[from] = facet_side;
    shell->on_rim = from;
    return true;
}

/* ---- facets ---- */

bool shell_add_facet(convex_shell *shell, const uint32_t corner[3], uint32_t *out)
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

bool shell_add_part(convex_shell *shell, const uint32_t triangle[3], uint32_t last)
{
    if (!base_array_reserve(shell->surface->context, &shell->parts, 1))
        return false;
    shell->parts.items[shell->parts.count++] = (shell_part){{triangle[0], triangle[1], triangle[2], last}};
    return true;
}

bool shell_push(const convex_shell *shell, convex_numbers *list, uint32_t number)
{
    if (!base_array_reserve(shell->surface->context, list, 1))
        return false;
    list->items[list->count++] = number;
    return true;
}

bool shell_begin(convex_shell *shell, const uint32_t seed[3])
{
    uint32_t facet;
    shell->facets.count = shell->vacant.count = 0;
    shell->flat = true, shell->folded = false, shell->stamp = 0;
    shell->apex = seed[2];
    memcpy(shell->plane, seed, sizeof shell->plane);
    projection plane = shell_choose_projection(shell, seed);
    shell->axis = plane.axis, shell->axis_sign = plane.sign;
    begin_trial(shell);
    if (!shell_add_part(shell, seed, seed[2]) || !shell_add_facet(shell, seed, &facet))
        return false;
    shell->facets.items[facet].on_patch = true;
    for (uint32_t i = 0; i < 3; i++)
    {
        if (!shell_link_rim(shell, seed[i], seed[(i + 1) % 3], 3 * facet + i))
            return false;
        shell->surface->facet_at[seed[i]] = facet;
    }
    return true;
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
}
