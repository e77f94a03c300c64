/* The search for triangles that a grown hull would meet: near the patch as long as it is small, then in the tree. */
#include "convex/probe_parts.h"

enum
{
    PARTS_FOR_BOXES = 1024 /* with more parts, boxes are compared with the step's own box only */
};

static carom_vec3 in_tree(const convex_probe *probe, uint32_t vertex)
{
    return vec3_sub(surface_point(probe->surface, vertex), probe->surface->tree->origin);
}

/* ---- boxes ---- */

static bool boxes_apart(const carom_aabb *box, const float *low, const float *high)
{
    return (double)low[0] > box->max.x || (double)high[0] < box->min.x || (double)low[1] > box->max.y ||
           (double)high[1] < box->min.y || (double)low[2] > box->max.z || (double)high[2] < box->min.z;
}

/* A box that holds the true position of what was rounded into it. */
static void widen(const convex_probe *probe, carom_aabb *box)
{
    double slack = 0x1p-50 * probe->surface->reach;
    carom_vec3 by = vec3(slack, slack, slack);
    box->min = vec3_sub(box->min, by), box->max = vec3_add(box->max, by);
}

static bounds_plane plane_of(const convex_probe *probe, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t corner[3] = {a, b, c};
    return bounds_plane_through(&probe->frame, corner);
}

/* Planes at an edge, for triangles at a hub: many of them may be in the plane of a flat part, or all but beside a solid
 * one. */
static void add_between(const convex_probe *probe, const bounds_edge *edge, int one, int other, probe_part *out)
{
    const bounds_plane sides[2] = {out->plane[one], out->plane[other]};
    out->hub_plane_count += bounds_plane_between(&probe->frame, edge, sides, &out->plane[out->hub_plane_count]);
}

static void add_flat_edges(const convex_probe *probe, const uint32_t corner[3], probe_part *out)
{
    for (int i = 0; i < 3; i++)
    {
        const uint32_t turned[3] = {corner[i], corner[(i + 1) % 3], corner[(i + 2) % 3]};
        const bounds_edge edge = {{turned[0], turned[1]}, corner, 3};
        int across = out->hub_plane_count;
        if (!bounds_plane_across(&probe->frame, turned, &out->plane[across]))
            continue;
        out->hub_plane_count++;
        add_between(probe, &edge, across, 0, out);
        add_between(probe, &edge, across, 1, out);
    }
}

static void add_solid_edges(const convex_probe *probe, const uint32_t corner[4], probe_part *out)
{
    static const int opposite[4] = {2, 3, 1, 0}; /* the plane that does not have the corner */
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < i; k++)
        {
            const bounds_edge edge = {{corner[i], corner[k]}, corner, 4};
            int one = i != 0 && k != 0 ? 0 : i != 1 && k != 1 ? 1 : 2, other = 3;
            while (other == i || other == k)
                other--;
            add_between(probe, &edge, opposite[one], opposite[other], out);
        }
}

static void prepare_part(const convex_probe *probe, const shell_part *part, probe_part *out)
{
    const uint32_t *c = part->corner;
    bool flat = is_flat(part);
    out->box = aabb_empty();
    for (int i = 0; i < 4; i++)
        out->box = aabb_add_point(out->box, in_tree(probe, c[i]));
    widen(probe, &out->box);
    out->plane[0] = plane_of(probe, c[0], c[2], c[1]);
    out->plane[1] = plane_of(probe, c[0], c[1], flat ? c[2] : c[3]);
    out->plane_count = out->hub_plane_count = flat ? 2 : 4;
    if (!flat)
        out->plane[2] = plane_of(probe, c[1], c[2], c[3]), out->plane[3] = plane_of(probe, c[2], c[0], c[3]);
    if (probe->surface->hubs && flat)
        add_flat_edges(probe, c, out);
    if (probe->surface->hubs && !flat)
        add_solid_edges(probe, c, out);
}

static void add_boxes(convex_probe *probe, const shell_part *part)
{
    carom_aabb box = aabb_empty();
    for (int k = 0; k < 4; k++)
    {
        box = aabb_add_point(box, surface_point(probe->surface, part->corner[k]));
        probe->box_in_tree = aabb_add_point(probe->box_in_tree, in_tree(probe, part->corner[k]));
    }
    probe->box = (carom_aabb){vec3_min(probe->box.min, box.min), vec3_max(probe->box.max, box.max)};
    probe->part_boxes.items[probe->part_boxes.count++] = box;
}

static bool prepare_boxes(convex_probe *probe)
{
    const convex_shell *shell = probe->shell;
    size_t count = shell->parts.count - probe->from.parts;
    probe->part_boxes.count = probe->part_faces.count = 0;
    probe->box = probe->box_in_tree = aabb_empty();
    if (!base_array_reserve(probe->surface->context, &probe->part_boxes, count) ||
        !base_array_reserve(probe->surface->context, &probe->part_faces, count))
        return false;
    for (size_t i = 0; i < count; i++)
    {
        add_boxes(probe, &shell->parts.items[probe->from.parts + i]);
        probe->part_faces.items[probe->part_faces.count++].made = false;
    }
    widen(probe, &probe->box_in_tree);
    return true;
}

static bool prepare_parts(convex_probe *probe)
{
    const convex_shell *shell = probe->shell;
    size_t count = shell->parts.count - probe->from.parts;
    probe->parts.count = 0;
    if (!base_array_reserve(probe->surface->context, &probe->parts, PARTS_FOR_BOXES))
        return false;
    for (size_t i = 0; count <= PARTS_FOR_BOXES && i < count; i++)
        prepare_part(probe, &shell->parts.items[probe->from.parts + i], &probe->parts.items[probe->parts.count++]);
    return true;
}

static bool part_is_apart(const probe_part *part, const float *low, const float *high)
{
    bool apart = boxes_apart(&part->box, low, high);
    for (int k = 0; k < part->plane_count && !apart; k++)
        apart = bounds_is_beyond(&part->plane[k], low, high);
    return apart;
}

/* Planes through an edge of the part and the hub. If that is a corner of the part, they are those of its sides. */
static bool edge_parts(const convex_probe *probe, const shell_part *part, const bounds_hub *hub)
{
    const uint32_t *c = part->corner, vertex = hub->hub[0];
    int corners = is_flat(part) ? 3 : 4;
    if (c[0] == vertex || c[1] == vertex || c[2] == vertex || c[3] == vertex)
        return false;
    for (int i = 0; i < corners; i++)
        for (int k = 0; k < i; k++)
        {
            const bounds_edge edge = {{part->corner[i], part->corner[k]}, part->corner, (size_t)corners};
            if (bounds_edge_parts(&probe->frame, &edge, hub))
                return true;
        }
    return false;
}

/* The same where there are hubs: the triangles at a hub may meet the part in the hub. */
static bool part_is_apart_from_hub(const convex_probe *probe, size_t number, const bounds_hub *hub)
{
    const probe_part *part = &probe->parts.items[number];
    bool apart = hub->count == 0, rest_apart = false;
    for (int k = 0; k < part->hub_plane_count && !apart; k++)
        apart = bounds_has_hub_beyond(&probe->frame, &part->plane[k], hub);
    apart = apart || edge_parts(probe, &probe->shell->parts.items[probe->from.parts + number], hub);
    for (int k = 0; k < part->hub_plane_count && apart && !rest_apart; k++)
        rest_apart = bounds_box_is_beyond(&part->plane[k], &hub->rest);
    return apart && rest_apart;
}

/* Is a box of the tree certainly apart from all that the step adds? */
static bool is_apart(convex_probe *probe, uint32_t node)
{
    const convex_surface *surface = probe->surface;
    const bounds_hub *hub = surface->hubs ? &surface->hubs[node] : NULL;
    const float *low = surface->tree->volumes + 6 * (size_t)node, *high = low + 3;
    if (boxes_apart(&probe->box_in_tree, low, high))
        return true;
    if (probe->parts.count == 0)
        return false;
    for (size_t i = 0; i < probe->parts.count; i++)
    {
        probe->effort++;
        if (!part_is_apart(&probe->parts.items[i], low, high) && !(hub && part_is_apart_from_hub(probe, i, hub)))
            return false;
    }
    return true;
}

/* ---- the search ---- */

void probe_begin(convex_probe *probe, convex_surface *surface, convex_shell *shell)
{
    *probe = (convex_probe){.surface = surface, .shell = shell, .near_seed = CONVEX_NONE, .near_box = aabb_empty()};
}

void probe_free(convex_probe *probe)
{
    if (!probe->surface)
        return;
    base_array_free(probe->surface->context, &probe->parts);
    base_array_free(probe->surface->context, &probe->part_boxes);
    base_array_free(probe->surface->context, &probe->part_faces);
    base_array_free(probe->surface->context, &probe->new_faces);
    base_array_free(probe->surface->context, &probe->stack);
    base_array_free(probe->surface->context, &probe->near);
}

static probe_verdict judge(const convex_probe *probe, uint32_t triangle, convex_numbers *met)
{
    const convex_surface *surface = probe->surface;
    bool own = surface->mesh->component[triangle] == surface->mesh->component[probe->seed] &&
               surface->piece[triangle] == probe->seed;
    probe_meeting meeting = own ? PROBE_APART : probe_meet(probe, triangle);
    if (meeting != PROBE_MAY_JOIN)
        return meeting == PROBE_APART ? PROBE_DONE : PROBE_MET;
    if (!base_array_reserve(surface->context, met, 1))
        return PROBE_NO_MEMORY;
    met->items[met->count++] = triangle;
    return PROBE_DONE;
}

/* ---- triangles near a small patch ---- */

enum
{
    NEAR_MAX = 256 /* with more triangles, a search in the tree is quicker */
};

static bool is_within(const carom_aabb *inner, const carom_aabb *outer)
{
    return inner->min.x >= outer->min.x && inner->min.y >= outer->min.y && inner->min.z >= outer->min.z &&
           inner->max.x <= outer->max.x && inner->max.y <= outer->max.y && inner->max.z <= outer->max.z;
}

static bool push_children(convex_probe *probe, const tree_node *node)
{
    if (!base_array_reserve(probe->surface->context, &probe->stack, 2))
        return false;
    probe->stack.items[probe->stack.count++] = node->first + 1;
    probe->stack.items[probe->stack.count++] = node->first;
    return true;
}

/* Lists what meets the box, or gives up. */
static probe_verdict list_near(convex_probe *probe, const carom_aabb *box_in_tree)
{
    const convex_surface *surface = probe->surface;
    const carom_tree *tree = surface->tree;
    probe->near.count = probe->stack.count = 0;
    if (!base_array_reserve(surface->context, &probe->stack, 1) ||
        !base_array_reserve(surface->context, &probe->near, NEAR_MAX))
        return PROBE_NO_MEMORY;
    probe->stack.items[probe->stack.count++] = 0;
    while (probe->stack.count > 0 && !probe->near_fails)
    {
        uint32_t number = probe->stack.items[--probe->stack.count];
        const tree_node *node = &tree->nodes[number];
        const float *low = tree->volumes + 6 * (size_t)number;
        if (boxes_apart(box_in_tree, low, low + 3))
            continue;
        if (node->count == 0 && !push_children(probe, node))
            return PROBE_NO_MEMORY;
        probe->near_fails = probe->near.count + node->count > NEAR_MAX;
        for (uint32_t i = 0; i < node->count && !probe->near_fails; i++)
        {
            uint32_t triangle = tree->order[node->first + i];
            const uint32_t *corner = surface->corners + 3 * (size_t)triangle;
            const narrow_triangle points = {{surface_point(surface, corner[0]), surface_point(surface, corner[1]),
                                             surface_point(surface, corner[2])}};
            carom_aabb box = box_of(&points);
            if (boxes_meet(&probe->near_box, &box))
                probe->near.items[probe->near.count++] = (probe_near){box, triangle};
        }
    }
    return PROBE_DONE;
}

/* Makes sure that the list covers the step, if it can. */
static probe_verdict prepare_near(convex_probe *probe)
{
    bool known = probe->near_seed == probe->seed;
    if (probe->near_fails ? known : is_within(&probe->box, &probe->near_box))
        return PROBE_DONE; /* the list of another patch will do as well */
    carom_aabb box = probe->box, in_tree = probe->box_in_tree;
    if (known)
        box = (carom_aabb){vec3_min(box.min, probe->near_box.min), vec3_max(box.max, probe->near_box.max)};
    carom_vec3 size = vec3_sub(box.max, box.min);
    double margin = size.x > size.y ? size.x : size.y;
    margin = 0.25 * (margin > size.z ? margin : size.z);
    carom_vec3 by = vec3(margin, margin, margin), origin = probe->surface->tree->origin;
    probe->near_box = (carom_aabb){vec3_sub(box.min, by), vec3_add(box.max, by)};
    in_tree = (carom_aabb){vec3_sub(probe->near_box.min, origin), vec3_sub(probe->near_box.max, origin)};
    widen(probe, &in_tree);
    probe->near_seed = probe->seed, probe->near_fails = false;
    return list_near(probe, &in_tree);
}

static probe_verdict search_near(const convex_probe *probe, convex_numbers *met)
{
    probe_verdict verdict = PROBE_DONE;
    for (size_t i = 0; i < probe->near.count && verdict == PROBE_DONE; i++)
        if (boxes_meet(&probe->near.items[i].box, &probe->box))
            verdict = judge(probe, probe->near.items[i].triangle, met);
    return verdict;
}

/* ---- all triangles ---- */

static probe_verdict search_tree(convex_probe *probe, convex_numbers *met)
{
    const carom_tree *tree = probe->surface->tree;
    probe_verdict verdict = PROBE_DONE;
    probe->stack.count = 0;
    if (!prepare_parts(probe) || !base_array_reserve(probe->surface->context, &probe->stack, 1))
        return PROBE_NO_MEMORY;
    probe->stack.items[probe->stack.count++] = 0;
    while (probe->stack.count > 0 && verdict == PROBE_DONE)
    {
        uint32_t number = probe->stack.items[--probe->stack.count];
        const tree_node *node = &tree->nodes[number];
        if (is_apart(probe, number))
            continue;
        if (node->count == 0 && !push_children(probe, node))
            return PROBE_NO_MEMORY;
        probe->effort += node->count;
        for (uint32_t i = 0; i < node->count && verdict == PROBE_DONE; i++)
            verdict = judge(probe, tree->order[node->first + i], met);
    }
    return verdict;
}

probe_verdict probe_search(convex_probe *probe, uint32_t seed, shell_mark from, convex_numbers *met)
{
    const convex_surface *surface = probe->surface;
    probe->seed = seed, probe->from = from;
    probe->frame = (bounds_frame){surface->tree, surface->reach, surface->member, seed};
    if (probe->shell->parts.count == from.parts)
        return PROBE_DONE; /* the hull is the same */
    probe->effort += probe->shell->parts.count - from.parts;
    if (!prepare_boxes(probe) || !probe_prepare_faces(probe))
        return PROBE_NO_MEMORY;
    probe_verdict verdict = prepare_near(probe);
    if (verdict != PROBE_DONE)
        return verdict;
    return probe->near_fails ? search_tree(probe, met) : search_near(probe, met);
}
