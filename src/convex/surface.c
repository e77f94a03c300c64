/* The surface as patches see it. A patch crosses an edge only where exactly two triangles agree on which side is
 * outside and the edge is not concave (the thesis, 2.3.1, criterion 1), which is decided once for all edges. */
#include "convex/surface.h"

enum
{
    BEND_NONE = 0, /* no neighbour, or no common outside, or no plane */
    BEND_FLAT = 1,
    BEND_CONVEX = 2,
    BEND_CONCAVE = 3,
    BEND_BITS = 2 /* per side */
};

static int bend_of(uint32_t bends, int side) { return (int)(bends >> (BEND_BITS * side) & 3u); }

/* ---- the other triangle at a side ---- */

/* The neighbour's side that is this one backwards, or -1. */
static int opposite_side(const carom_mesh *mesh, uint32_t triangle, int side, uint32_t neighbour)
{
    const uint32_t *own = mesh->indices + 3 * (size_t)triangle, *other = mesh->indices + 3 * (size_t)neighbour;
    uint32_t from = mesh->merged[own[side]], to = mesh->merged[own[(side + 1) % 3]];
    for (int i = 0; i < 3; i++)
        if (mesh->merged[other[i]] == to && mesh->merged[other[(i + 1) % 3]] == from)
            return i;
    return -1;
}

surface_crossing surface_cross(const convex_surface *surface, uint32_t triangle, int side)
{
    const carom_mesh *mesh = surface->mesh;
    const uint32_t *own = mesh->indices + 3 * (size_t)triangle;
    uint32_t neighbour = mesh->neighbours[3 * (size_t)triangle + (size_t)side];
    int opposite = opposite_side(mesh, triangle, side, neighbour);
    uint32_t apex = mesh->indices[3 * (size_t)neighbour + (size_t)((opposite + 2) % 3)];
    uint32_t ends[2] = {mesh->merged[own[side]], mesh->merged[own[(side + 1) % 3]]};
    bool turned = surface->traits[triangle] & SURFACE_TURNED;
    return (surface_crossing){ends[turned], ends[!turned], neighbour, mesh->merged[apex]};
}

/* ---- how the sides bend ---- */

static bool is_degenerate(const carom_mesh *mesh, uint32_t triangle)
{
    carom_vec3 corner[3];
    mesh_corners(mesh, triangle, corner);
    return exact_collinear(corner[0], corner[1], corner[2], NULL);
}

static uint32_t bend_at(const carom_mesh *mesh, uint32_t triangle, int side)
{
    uint32_t neighbour = mesh->neighbours[3 * (size_t)triangle + (size_t)side];
    if (neighbour == MESH_NONE || neighbour == triangle || is_degenerate(mesh, neighbour))
        return BEND_NONE;
    int opposite = opposite_side(mesh, triangle, side, neighbour);
    if (opposite < 0)
        return BEND_NONE;
    carom_vec3 corner[3], apex;
    mesh_corners(mesh, triangle, corner);
    apex = mesh->vertices[mesh->indices[3 * (size_t)neighbour + (size_t)((opposite + 2) % 3)]];
    int below = exact_orient3d(corner[0], corner[1], corner[2], apex, NULL);
    return below > 0 ? BEND_CONVEX : below < 0 ? BEND_CONCAVE : BEND_FLAT;
}

/* Sets the bends of all sides, and SURFACE_DEGENERATE << 3, which a later pass reads. */
static void find_bends(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    (void)worker;
    convex_surface *surface = data;
    const carom_mesh *mesh = surface->mesh;
    for (uint32_t triangle = first; triangle < last; triangle++)
    {
        uint32_t bends = 0;
        bool degenerate = is_degenerate(mesh, triangle);
        for (int side = 0; side < 3 && !degenerate; side++)
            bends |= bend_at(mesh, triangle, side) << (BEND_BITS * side);
        surface->traits[triangle] = (uint8_t)(bends | (degenerate ? SURFACE_DEGENERATE << 3 : 0));
    }
}

/* ---- which components are inside out ---- */

typedef struct component_sum
{
    bool open; /* or without a common outside */
    double volume;
    int64_t convexity; /* convex sides less concave ones */
} component_sum;

/* In units of the mesh's size, so that nothing under- or overflows. */
static double volume_below(const carom_mesh *mesh, uint32_t triangle, carom_vec3 origin)
{
    carom_vec3 corner[3], size = vec3_sub(mesh->info.bounds.max, mesh->info.bounds.min);
    double largest = size.x > size.y ? size.x : size.y, smallest = 0x1p-1000;
    largest = largest > size.z ? largest : size.z;
    double scale = 1.0 / (largest > smallest ? largest : smallest);
    mesh_corners(mesh, triangle, corner);
    for (int i = 0; i < 3; i++)
        corner[i] = vec3_scale(vec3_sub(corner[i], origin), scale);
    return vec3_dot(corner[0], vec3_cross(corner[1], corner[2]));
}

/* A closed component is inside out if its volume is negative, another one if more of its edges are concave than not.
 * That only chooses from which side patches are convex: they are certified either way. */
static void find_turned(const convex_surface *surface, component_sum *sums)
{
    const carom_mesh *mesh = surface->mesh;
    memset(sums, 0, mesh->info.component_count * sizeof *sums);
    for (uint32_t triangle = 0; triangle < mesh->triangle_count; triangle++)
    {
        component_sum *sum = &sums[mesh->component[triangle]];
        uint32_t bends = surface->traits[triangle];
        sum->volume += volume_below(mesh, triangle, mesh->vertices[mesh->component_vertex[mesh->component[triangle]]]);
        for (int side = 0; side < 3; side++)
        {
            int bend = bend_of(bends, side);
            sum->open |= bend == BEND_NONE;
            sum->convexity += (bend == BEND_CONVEX) - (bend == BEND_CONCAVE);
        }
    }
}

/* Numbers the flat faces. Neighbours across flat edges have the same plane exactly, so all of a face have. */
static bool find_faces(convex_surface *surface)
{
    const carom_mesh *mesh = surface->mesh;
    convex_numbers queue = {0};
    bool room = true;
    memset(surface->face, 0xff, mesh->triangle_count * sizeof *surface->face);
    for (uint32_t first = 0; first < mesh->triangle_count && room; first++)
    {
        if (surface->face[first] != CONVEX_NONE)
            continue;
        surface->face[first] = first;
        queue.count = 0;
        for (uint32_t triangle = first;; triangle = queue.items[--queue.count])
        {
            room = base_array_reserve(surface->context, &queue, 3);
            for (int side = 0; side < 3 && room; side++)
            {
                uint32_t other = mesh->neighbours[3 * (size_t)triangle + (size_t)side];
                if (bend_of(surface->traits[triangle], side) != BEND_FLAT || surface->face[other] != CONVEX_NONE)
                    continue;
                surface->face[other] = first, queue.items[queue.count++] = other;
            }
            if (queue.count == 0 || !room)
                break;
        }
    }
    base_array_free(surface->context, &queue);
    return room;
}

static bool is_turned(const component_sum *sum) { return sum->open ? sum->convexity < 0 : sum->volume < 0.0; }

static carom_status find_traits(convex_surface *surface)
{
    const carom_mesh *mesh = surface->mesh;
    base_parallel_for(surface->context, mesh->triangle_count, 4096, find_bends, surface);
    if (!find_faces(surface))
        return CAROM_OUT_OF_MEMORY;
    size_t component_count = mesh->info.component_count;
    component_sum *sums = base_allocate(surface->context, component_count, sizeof *sums, _Alignof(component_sum));
    if (!sums)
        return CAROM_OUT_OF_MEMORY;
    find_turned(surface, sums);
    for (uint32_t triangle = 0; triangle < mesh->triangle_count; triangle++)
    {
        uint32_t bends = surface->traits[triangle], traits = bends & SURFACE_DEGENERATE << 3 ? SURFACE_DEGENERATE : 0;
        bool turned = is_turned(&sums[mesh->component[triangle]]);
        int concave = turned ? BEND_CONVEX : BEND_CONCAVE;
        for (int side = 0; side < 3; side++)
        {
            int bend = bend_of(bends, side);
            traits |= (uint32_t)(bend != BEND_NONE && bend != concave) << side;
            traits |= bend == concave ? SURFACE_CONCAVE : 0;
        }
        surface->traits[triangle] = (uint8_t)(traits | (turned ? SURFACE_TURNED : 0));
        const uint32_t *index = mesh->indices + 3 * (size_t)triangle;
        uint32_t *corner = surface->corners + 3 * (size_t)triangle;
        corner[0] = mesh->merged[index[0]];
        corner[turned ? 2 : 1] = mesh->merged[index[1]], corner[turned ? 1 : 2] = mesh->merged[index[2]];
    }
    base_release(surface->context, sums, component_count, sizeof *sums);
    return CAROM_OK;
}

/* ---- triangles at a vertex ---- */

static void find_stars(convex_surface *surface)
{
    const carom_mesh *mesh = surface->mesh;
    uint32_t *first = surface->star_first;
    size_t corner_count = 3 * (size_t)mesh->triangle_count;
    memset(first, 0, ((size_t)mesh->vertex_count + 1) * sizeof *first);
    for (size_t i = 0; i < corner_count; i++)
        first[surface->corners[i] + 1]++;
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        first[v + 1] += first[v];
    /* Fill each star from its end, which then becomes its start. */
    for (size_t i = corner_count; i-- > 0;)
        surface->star[--first[surface->corners[i] + 1]] = (uint32_t)(i / 3);
    memmove(first, first + 1, mesh->vertex_count * sizeof *first);
    first[mesh->vertex_count] = (uint32_t)corner_count;
}

/* ---- boxes ---- */

static bool box_meets(const float *box, const carom_aabb *other)
{
    return (double)box[0] <= other->max.x && (double)box[3] >= other->min.x && (double)box[1] <= other->max.y &&
           (double)box[4] >= other->min.y && (double)box[2] <= other->max.z && (double)box[5] >= other->min.z;
}

carom_status surface_visit_near(const convex_surface *surface, const carom_aabb *box, surface_visit *visit, void *data)
{
    const carom_tree *tree = surface->tree;
    double slack = 0x1p-50 * surface->reach; /* for the tree's own frame */
    carom_vec3 by = vec3(slack, slack, slack);
    carom_aabb in_tree = {vec3_sub(vec3_sub(box->min, tree->origin), by),
                          vec3_add(vec3_sub(box->max, tree->origin), by)};
    convex_numbers stack = {0};
    bool going_on = true, room = base_array_reserve(surface->context, &stack, 1);
    if (room)
        stack.items[stack.count++] = 0;
    while (room && going_on && stack.count > 0)
    {
        uint32_t number = stack.items[--stack.count];
        const tree_node *node = &tree->nodes[number];
        if (!box_meets(tree->volumes + 6 * (size_t)number, &in_tree))
            continue;
        for (uint32_t i = 0; i < node->count && going_on; i++)
            going_on = visit(tree->order[node->first + i], data);
        if (node->count > 0)
            continue;
        room = base_array_reserve(surface->context, &stack, 2);
        if (room)
            stack.items[stack.count++] = node->first + 1, stack.items[stack.count++] = node->first;
    }
    base_array_free(surface->context, &stack);
    return room ? CAROM_OK : CAROM_OUT_OF_MEMORY;
}

/* ---- life ---- */

static uint32_t *numbers(convex_surface *surface, size_t count)
{
    return base_allocate(surface->context, count, sizeof(uint32_t), _Alignof(uint32_t));
}

static bool allocate(convex_surface *surface)
{
    size_t triangles = surface->mesh->triangle_count, vertices = surface->mesh->vertex_count;
    surface->traits = base_allocate(surface->context, triangles, 1, 1);
    surface->corners = numbers(surface, 3 * triangles);
    surface->face = numbers(surface, triangles);
    surface->star_first = numbers(surface, vertices + 1);
    surface->star = numbers(surface, 3 * triangles);
    surface->piece = numbers(surface, triangles);
    surface->met_in = base_allocate(surface->context, triangles, sizeof(uint64_t), _Alignof(uint64_t));
    surface->member = numbers(surface, vertices);
    surface->facet_at = numbers(surface, vertices);
    surface->next = numbers(surface, vertices);
    surface->previous = numbers(surface, vertices);
    surface->rim = numbers(surface, vertices);
    surface->cone = numbers(surface, vertices);
    return surface->traits && surface->corners && surface->face && surface->star_first && surface->star &&
           surface->piece && surface->met_in && surface->member && surface->facet_at && surface->next &&
           surface->previous && surface->rim && surface->cone;
}

static carom_status fill(convex_surface *surface)
{
    const carom_mesh *mesh = surface->mesh;
    if (mesh->triangle_count > UINT32_MAX / 4)
        return base_fail(surface->context, CAROM_OUT_OF_RANGE, "%s has too many triangles for pieces: %u, at most %u",
                         mesh->name, mesh->triangle_count, UINT32_MAX / 4);
    if (!allocate(surface) || find_traits(surface) != CAROM_OK)
        return base_fail(surface->context, CAROM_OUT_OF_MEMORY, "out of memory for the pieces of %s", mesh->name);
    find_stars(surface);
    memset(surface->piece, 0xff, mesh->triangle_count * sizeof *surface->piece);
    memset(surface->met_in, 0, mesh->triangle_count * sizeof *surface->met_in);
    memset(surface->member, 0xff, mesh->vertex_count * sizeof *surface->member);
    carom_tree_def def = carom_tree_def_default();
    def.volume = CAROM_VOLUME_AABB, def.layout = CAROM_LAYOUT_BINARY, def.leaf_size = 4;
    BASE_TRY(carom_tree_create(surface->context, mesh, &def, &surface->tree));
    surface->reach = bounds_reach(surface->tree);
    if (bounds_find_hubs(surface->context, surface->tree, &surface->hubs) != CAROM_OK)
        return base_fail(surface->context, CAROM_OUT_OF_MEMORY, "out of memory for the pieces of %s", mesh->name);
    return CAROM_OK;
}

carom_status surface_create(carom_context *context, const carom_mesh *mesh, convex_surface *out)
{
    *out = (convex_surface){.context = context, .mesh = mesh};
    carom_status status = fill(out);
    if (carom_failed(status))
        surface_free(out);
    return status;
}

void surface_free(convex_surface *surface)
{
    if (!surface->mesh)
        return;
    carom_context *context = surface->context;
    size_t triangles = surface->mesh->triangle_count, vertices = surface->mesh->vertex_count;
    bounds_free_hubs(context, surface->tree, surface->hubs);
    carom_tree_destroy(surface->tree);
    base_release(context, surface->traits, triangles, 1);
    base_release(context, surface->corners, 3 * triangles, sizeof(uint32_t));
    base_release(context, surface->face, triangles, sizeof(uint32_t));
    base_release(context, surface->star_first, vertices + 1, sizeof(uint32_t));
    base_release(context, surface->star, 3 * triangles, sizeof(uint32_t));
    base_release(context, surface->piece, triangles, sizeof(uint32_t));
    base_release(context, surface->met_in, triangles, sizeof(uint64_t));
    base_release(context, surface->member, vertices, sizeof(uint32_t));
    base_release(context, surface->facet_at, vertices, sizeof(uint32_t));
    base_release(context, surface->next, vertices, sizeof(uint32_t));
    base_release(context, surface->previous, vertices, sizeof(uint32_t));
    base_release(context, surface->rim, vertices, sizeof(uint32_t));
    base_release(context, surface->cone, vertices, sizeof(uint32_t));
    *surface = (convex_surface){0};
}
