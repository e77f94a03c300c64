/* The edges of a mesh, and the pairs of triangles that edge tests propose. */
#include "engine/edge/edge_list.h"

carom_status edge_out_of_memory(carom_context *context)
{
    return base_fail(context, CAROM_OUT_OF_MEMORY, "engine: no memory for edges and tasks");
}

/* ---- edges ---- */

/* While the edges are gathered. */
typedef struct edge_sides
{
    base_key_value *items, *space; /* per side; key: its vertices, value: triangle * 3 + side */
    size_t count;
} edge_sides;

static bool make_sides(edge_sides *sides, const carom_mesh *mesh)
{
    carom_context *context = mesh->context;
    sides->count = 3 * (size_t)mesh->triangle_count;
    sides->items = base_allocate(context, sides->count, sizeof *sides->items, BASE_CACHE_LINE);
    sides->space = base_allocate(context, sides->count, sizeof *sides->space, BASE_CACHE_LINE);
    if (!sides->items || !sides->space)
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
}

static bool make_room(edge_list *list, base_arena *arena, const edge_sides *sides)
{
    *list = (edge_list){0};
    for (size_t i = 0; i < sides->count; i++)
        list->count += i == 0 || sides->items[i].key != sides->items[i - 1].key;
    list->ends = base_arena_allocate(arena, list->count, sizeof *list->ends, 8);
    list->first_user = base_arena_allocate(arena, (size_t)list->count + 1, sizeof *list->first_user, 8);
    list->users = base_arena_allocate(arena, sides->count, sizeof *list->users, 8);
    return list->ends && list->first_user && list->users;
}

/* Sides are sorted by edge, then by triangle. */
static void fill(edge_list *list, const edge_sides *sides, uint32_t *edge_of)
{
    uint32_t edge = 0, user_count = 0;
    for (size_t i = 0; i < sides->count; i++)
    {
        const base_key_value *side = &sides->items[i];
        bool is_new = i == 0 || side->key != side[-1].key;
        if (is_new)
        {
            list->ends[edge][0] = (uint32_t)(side->key >> 32), list->ends[edge][1] = (uint32_t)side->key;
            list->first_user[edge++] = user_count;
        }
        uint32_t triangle = (uint32_t)(side->value / 3);
        if (is_new || list->users[user_count - 1] != triangle) /* folded triangles have two sides on one edge */
            list->users[user_count++] = triangle;
        if (edge_of)
            edge_of[side->value] = edge - 1;
    }
    list->first_user[edge] = user_count;
}

carom_status edge_list_create(const carom_mesh *mesh, base_arena *arena, edge_list *out, uint32_t *edge_of)
{
    if (3 * (uint64_t)mesh->triangle_count >= UINT32_MAX)
        return base_fail(mesh->context, CAROM_TOO_LARGE, "engine: %u triangles have too many edges for this method",
                         mesh->triangle_count);
    edge_sides sides = {0};
    bool fits = make_sides(&sides, mesh) && make_room(out, arena, &sides);
    if (fits)
        fill(out, &sides, edge_of);
    free_sides(&sides, mesh->context);
    return fits ? CAROM_OK : edge_out_of_memory(mesh->context);
}

/* ---- proposed pairs ---- */

void edge_proposed_free(carom_context *context, edge_proposed *proposed)
{
    base_array_free(context, &proposed->pairs);
    base_array_free(context, &proposed->space);
}

bool edge_propose_users(carom_context *context, edge_proposed *proposed, const edge_list *list, int edges_of,
                        uint64_t edge_and_triangle)
{
    uint32_t edge = (uint32_t)(edge_and_triangle >> 32), first = list->first_user[edge];
    uint32_t last = list->first_user[edge + 1];
    uint64_t other = (uint32_t)edge_and_triangle;
    if (!base_array_reserve(context, &proposed->pairs, last - first))
        return false;
    for (uint32_t user = first; user < last; user++)
    {
        uint64_t own = list->users[user];
        proposed->pairs.items[proposed->pairs.count++] = edges_of == 0 ? own << 32 | other : other << 32 | own;
    }
    return true;
}

bool edge_sort_proposed(carom_context *context, edge_proposed *proposed)
{
    size_t count = proposed->pairs.count, kept = 0;
    uint64_t *pairs = proposed->pairs.items;
    proposed->space.count = 0;
    if (!base_array_reserve(context, &proposed->space, count))
        return false;
    base_sort_u64(pairs, proposed->space.items, count);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || pairs[i] != pairs[i - 1])
            pairs[kept++] = pairs[i];
    proposed->pairs.count = kept;
    return true;
}

uint32_t edge_meet(const edge_judge *judge, uint64_t pair, narrow_counts *counts)
{
    narrow_triangle a = tree_world_triangle(judge->a, (uint32_t)(pair >> 32));
    narrow_triangle b = tree_world_triangle(judge->b, (uint32_t)pair);
    if (judge->need_meeting)
        return narrow_meet(&a, &b, counts);
    return narrow_touches(&a, &b, counts) ? CAROM_MEET_TOUCHING : CAROM_MEET_NONE;
}
