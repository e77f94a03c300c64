/* The balanced tree of a mesh, and its edges with the triangles that use each. */
#include "engine/edge/edge.h"

/* The thesis ends at nodes of fewer than 10 polygons (4.3.2). It gives no lambda: this is the library's default. */
static carom_status build_tree(edge_asset *asset, const carom_mesh *mesh)
{
    carom_tree_def def = carom_tree_def_default();
    def.layout = CAROM_LAYOUT_BINARY;
    def.volume = CAROM_VOLUME_AABB;
    def.builder = CAROM_BUILDER_BALANCED;
    def.leaf_size = 9;
    def.keep_large_leaves = true;
    return carom_tree_create(asset->context, mesh, &def, &asset->tree);
}

/* ---- edges ---- */

/* While the edges are gathered. */
typedef struct edge_sides
{
    base_key_value *items, *space; /* per side; key: its vertices, value: triangle * 3 + side */
    uint32_t *edge_of;             /* per side, in the mesh's order */
    size_t count;
} edge_sides;

static bool make_sides(edge_sides *sides, const carom_mesh *mesh)
{
    carom_context *context = mesh->context;
    sides->count = 3 * (size_t)mesh->triangle_count;
    sides->items = base_allocate(context, sides->count, sizeof *sides->items, BASE_CACHE_LINE);
    sides->space = base_allocate(context, sides->count, sizeof *sides->space, BASE_CACHE_LINE);
    sides->edge_of = base_allocate(context, sides->count, sizeof *sides->edge_of, BASE_CACHE_LINE);
    if (!sides->items || !sides->space || !sides->edge_of)
        return false;
    for (size_t i = 0; i < sides->count; i++)
    {
        uint64_t start = mesh->merged[mesh->indices[i]];
        uint64_t end = mesh->merged[mesh->indices[i % 3 == 2 ? i - 2 : i + 1]];
        sides->items[i] = (base_key_value){start < end ? start << 32 | end : end << 32 | start, i};
    }
    base_sort_keys(sides->items, sides->space, sides->count);
    return true;
}

static void free_sides(edge_sides *sides, carom_context *context)
{
    base_release(context, sides->items, sides->count, sizeof *sides->items);
    base_release(context, sides->space, sides->count, sizeof *sides->space);
    base_release(context, sides->edge_of, sides->count, sizeof *sides->edge_of);
}

/* Sides are sorted by edge, then by triangle. */
static bool list_edges(edge_asset *asset, edge_sides *sides)
{
    for (size_t i = 0; i < sides->count; i++)
        asset->edge_count += i == 0 || sides->items[i].key != sides->items[i - 1].key;
    base_arena *arena = &asset->arena;
    asset->ends = base_arena_allocate(arena, asset->edge_count, sizeof *asset->ends, 8);
    asset->first_user = base_arena_allocate(arena, (size_t)asset->edge_count + 1, sizeof *asset->first_user, 8);
    asset->users = base_arena_allocate(arena, sides->count, sizeof *asset->users, 8);
    if (!asset->ends || !asset->first_user || !asset->users)
        return false;
    uint32_t edge = 0, user_count = 0;
    for (size_t i = 0; i < sides->count; i++)
    {
        const base_key_value *side = &sides->items[i];
        bool is_new = i == 0 || side->key != side[-1].key;
        if (is_new)
        {
            asset->ends[edge][0] = (uint32_t)(side->key >> 32), asset->ends[edge][1] = (uint32_t)side->key;
            asset->first_user[edge++] = user_count;
        }
        uint32_t triangle = (uint32_t)(side->value / 3);
        if (is_new || asset->users[user_count - 1] != triangle) /* folded triangles have two sides on one edge */
            asset->users[user_count++] = triangle;
        sides->edge_of[side->value] = edge - 1;
    }
    asset->first_user[edge] = user_count;
    return true;
}

/* The edges of each leaf's triangles, each once per leaf. */
static bool list_leaf_edges(edge_asset *asset, const edge_sides *sides)
{
    const carom_tree *tree = asset->tree;
    base_arena *arena = &asset->arena;
    asset->first_of_leaf = base_arena_allocate(arena, (size_t)tree->node_count + 1, sizeof *asset->first_of_leaf, 8);
    asset->leaf_edges = base_arena_allocate(arena, 3 * (size_t)tree->reference_count, sizeof *asset->leaf_edges, 8);
    /* the sides are sorted and read: their memory is free */
    BASE_ARRAY(uint64_t) edges = {0}, space = {0};
    bool fits = asset->first_of_leaf && asset->leaf_edges;
    size_t count = 0;
    for (uint32_t node = 0; node < tree->node_count && fits; node++)
    {
        tree_node leaf = tree->nodes[node];
        asset->first_of_leaf[node] = count;
        edges.count = space.count = 0;
        size_t side_count = 3 * (size_t)leaf.count;
        fits = base_array_reserve(asset->context, &edges, side_count) &&
               base_array_reserve(asset->context, &space, side_count);
        for (size_t i = 0; i < side_count && fits; i++)
            edges.items[edges.count++] = sides->edge_of[3 * (size_t)tree->order[leaf.first + i / 3] + i % 3];
        base_sort_u64(edges.items, space.items, edges.count);
        for (size_t i = 0; i < edges.count; i++)
            if (i == 0 || edges.items[i] != edges.items[i - 1])
                asset->leaf_edges[count++] = (uint32_t)edges.items[i];
    }
    if (fits)
        asset->first_of_leaf[tree->node_count] = count;
    base_array_free(asset->context, &edges);
    base_array_free(asset->context, &space);
    return fits;
}

static carom_status fill(edge_asset *asset, const carom_mesh *mesh)
{
    BASE_TRY(build_tree(asset, mesh));
    if (3 * (uint64_t)mesh->triangle_count >= EDGE_ALL)
        return base_fail(asset->context, CAROM_TOO_LARGE, "engine: %u triangles have too many edges for this method",
                         mesh->triangle_count);
    edge_sides sides = {0};
    bool fits = make_sides(&sides, mesh) && list_edges(asset, &sides) && list_leaf_edges(asset, &sides);
    free_sides(&sides, asset->context);
    return fits ? CAROM_OK : edge_out_of_memory(asset->context);
}

/* ---- life ---- */

carom_status edge_create_asset(void *context, const carom_shape *shape, void **out)
{
    *out = NULL;
    if (shape->kind != CAROM_SHAPE_MESH)
        return CAROM_OK;
    edge_asset *asset = base_allocate(context, 1, sizeof *asset, BASE_CACHE_LINE);
    if (!asset)
        return edge_out_of_memory(context);
    *asset = (edge_asset){.context = context, .arena = {.context = context}};
    carom_status status = fill(asset, shape->mesh);
    if (status != CAROM_OK)
        return edge_destroy_asset(context, asset), status;
    *out = asset;
    return CAROM_OK;
}

void edge_destroy_asset(void *context, void *object)
{
    edge_asset *asset = object;
    if (!asset)
        return;
    carom_tree_destroy(asset->tree);
    base_arena_free(&asset->arena);
    base_release(context, asset, 1, sizeof *asset);
}
