/* The eight-wide tree over a binary one: dynamic programming chooses which binary nodes become children, and a
 * depth-first walk writes them.
 *
 * cost[n][k]: lowest cost of representing subtree n in at most k slots of a node; one slot holds either a leaf of up to
 * four triangles or a node. The cost of a visit is its probability: the area of the box. */
#include "tree/wide_build.h"

typedef struct slot_cost
{
    float cost[WIDE_LANES];         /* [k - 1] for k slots */
    uint8_t left_slots[WIDE_LANES]; /* [k - 1]: how many of k go to the left child; 0: as with fewer slots */
    bool is_leaf;                   /* in one slot */
} slot_cost;

/* A child on its way to be written. */
typedef struct emit_entry
{
    uint32_t binary, slot;
    uint32_t child;      /* as in wide_node; while it waits, its depth */
    uint32_t first_leaf; /* of its run */
} emit_entry;

static const float LEAF_COST = 1.5f; /* of testing a leaf, in node visits (measured) */

static void combine_children(const slot_cost *left, const slot_cost *right, slot_cost *out)
{
    for (int k = 2; k <= WIDE_LANES; k++)
    {
        float best = INFINITY;
        uint8_t chosen = 1;
        for (int l = 1; l < k; l++)
        {
            float cost = left->cost[l - 1] + right->cost[k - l - 1];
            if (cost < best)
                best = cost, chosen = (uint8_t)l;
        }
        out->cost[k - 1] = best;
        out->left_slots[k - 1] = chosen;
    }
}

typedef struct collapse
{
    const wide_build *build;
    const carom_mesh *mesh;
    slot_cost *costs;
    BASE_ARRAY(emit_entry) entries; /* all children, depth first */
    wide_tree *tree;
} collapse;

static void choose_slots(uint32_t first, uint32_t last, void *data)
{
    const collapse *work = data;
    const wide_build *build = work->build;
    slot_cost *costs = work->costs;
    for (uint32_t i = last; i-- > first;)
    {
        const split_node *node = &build->nodes[i];
        slot_cost *own = &costs[i];
        float as_leaf = node->count <= WIDE_LEAF_TRIANGLES ? LEAF_COST * node->area : INFINITY;
        if (node->left == 0)
        {
            for (int k = 0; k < WIDE_LANES; k++)
                own->cost[k] = as_leaf, own->left_slots[k] = 0;
            own->is_leaf = true;
            continue;
        }
        combine_children(&costs[node->left], &costs[node->left + 1], own);
        float as_node = node->area + own->cost[WIDE_LANES - 1];
        own->is_leaf = as_leaf <= as_node;
        own->cost[0] = own->is_leaf ? as_leaf : as_node;
        own->left_slots[0] = 0;
        for (int k = 1; k < WIDE_LANES; k++)
            if (own->cost[k - 1] <= own->cost[k])
                own->cost[k] = own->cost[k - 1], own->left_slots[k] = 0;
    }
}

/* The binary nodes that become the children of a node over binary node n. */
static int gather_children(const wide_build *build, const slot_cost *costs, uint32_t n, uint32_t out[WIDE_LANES])
{
    struct
    {
        uint32_t node;
        int slots;
    } stack[2 * WIDE_LANES];
    int top = 0, count = 0;
    /* The node itself is opened, whatever is cheaper in one slot. */
    int left_slots = costs[n].left_slots[WIDE_LANES - 1], slots = WIDE_LANES;
    while (left_slots == 0 && slots > 2)
        left_slots = costs[n].left_slots[--slots - 1];
    if (left_slots == 0) /* one slot was as good: open it evenly */
        left_slots = 1, slots = 2;
    stack[top].node = build->nodes[n].left + 1, stack[top++].slots = slots - left_slots;
    stack[top].node = build->nodes[n].left, stack[top++].slots = left_slots;
    while (top > 0)
    {
        top--;
        uint32_t node = stack[top].node;
        slots = stack[top].slots;
        while (slots > 1 && costs[node].left_slots[slots - 1] == 0)
            slots--;
        if (slots == 1)
        {
            out[count++] = node;
            continue;
        }
        left_slots = costs[node].left_slots[slots - 1];
        stack[top].node = build->nodes[node].left + 1, stack[top++].slots = slots - left_slots;
        stack[top].node = build->nodes[node].left, stack[top++].slots = left_slots;
    }
    return count;
}

static void write_leaf(const collapse *work, const split_node *run, wide_leaf *leaf)
{
    memset(leaf, 0, sizeof *leaf);
    leaf->count = run->count;
    for (uint32_t i = 0; i < WIDE_LEAF_TRIANGLES; i++)
        leaf->triangle[i] = work->build->order[run->first + (i < run->count ? i : 0)];
    wide_leaf_fill(leaf, work->tree, work->mesh);
}

/* Walks depth first and numbers nodes and leaves. */
static carom_status list_children(collapse *work, wide_tree *counts)
{
    carom_context *context = work->build->context;
    BASE_ARRAY(emit_entry) stack = {0};
    uint32_t node_count = 1, leaf_count = 0;
    bool room = base_array_reserve(context, &stack, 1);
    if (room)
        stack.items[stack.count++] = (emit_entry){.child = 1};
    while (stack.count > 0 && room)
    {
        emit_entry entry = stack.items[--stack.count];
        uint32_t depth = entry.child, children[WIDE_LANES];
        bool is_leaf = work->costs[entry.binary].is_leaf;
        counts->depth = depth > counts->depth ? depth : counts->depth;
        entry.first_leaf = leaf_count;
        entry.child = is_leaf ? leaf_count++ | WIDE_LEAF_FLAG : node_count++;
        room = base_array_reserve(context, &work->entries, 1) && base_array_reserve(context, &stack, WIDE_LANES);
        if (!room)
            break;
        work->entries.items[work->entries.count++] = entry;
        int count = is_leaf ? 0 : gather_children(work->build, work->costs, entry.binary, children);
        for (int i = count; i-- > 0;)
            stack.items[stack.count++] =
                (emit_entry){children[i], entry.child * WIDE_LANES + (uint32_t)i, depth + 1, 0};
    }
    base_array_free(context, &stack);
    counts->node_count = node_count, counts->leaf_count = leaf_count;
    return room ? CAROM_OK : CAROM_OUT_OF_MEMORY;
}

static void clear_nodes(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    wide_tree *tree = ((const collapse *)data)->tree;
    (void)worker;
    for (uint32_t i = first; i < last; i++)
        wide_clear_node(&tree->nodes[i]);
    for (uint32_t slot = first * WIDE_LANES; slot < last * WIDE_LANES; slot++)
        tree->smallest_triangle[slot] = CAROM_NO_TRIANGLE;
}

static void write_children(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const collapse *work = data;
    const wide_build *build = work->build;
    wide_tree *tree = work->tree;
    (void)worker;
    for (uint32_t i = first; i < last; i++)
    {
        emit_entry entry = work->entries.items[i];
        const split_node *binary = &build->nodes[entry.binary];
        wide_node *parent = &tree->nodes[entry.slot >> 3];
        int lane = (int)(entry.slot & 7);
        wide_box box;
        BASE_PICK_ISA(build->context, wide_fit_well)(build, binary, &build->moments[entry.binary], &box);
        wide_put_box(parent, lane, &box);
        parent->child[lane] = entry.child;
        tree->first_leaf[entry.slot] = entry.first_leaf;
        tree->smallest_triangle[entry.slot] = binary->smallest_triangle;
        if (entry.child & WIDE_LEAF_FLAG)
            write_leaf(work, binary, &tree->leaves[entry.child & ~WIDE_LEAF_FLAG]);
    }
}

static carom_status write_tree(collapse *work, base_arena *arena, wide_tree *frame, wide_tree **out)
{
    carom_context *context = work->build->context;
    wide_points room;
    bool support = work->build->count >= WIDE_SUPPORT_FROM;
    BASE_TRY(list_children(work, frame));
    if (!wide_points_reserve(arena, work->mesh, support, &room))
        return CAROM_OUT_OF_MEMORY;
    wide_tree *tree = wide_tree_allocate(context, frame->node_count, frame->leaf_count, support);
    if (!tree)
        return CAROM_OUT_OF_MEMORY;
    tree->centre = frame->centre, tree->scale = frame->scale, tree->depth = frame->depth;
    work->tree = tree;
    base_parallel_for(context, tree->node_count, WIDE_NODES_PER_TASK, clear_nodes, work);
    base_parallel_for(context, (uint32_t)work->entries.count, WIDE_NODES_PER_TASK, write_children, work);
    wide_support_fill(context, tree, work->mesh, &room);
    *out = tree;
    return CAROM_OK;
}

carom_status wide_collapse(const wide_build *build, base_arena *arena, const carom_mesh *mesh, wide_tree *frame,
                           wide_tree **out)
{
    collapse work = {.build = build, .mesh = mesh};
    work.costs = base_arena_allocate(arena, build->node_count, sizeof *work.costs, BASE_CACHE_LINE);
    if (!work.costs)
        return CAROM_OUT_OF_MEMORY;
    tree_subtrees_climb(build->context, &build->parts, choose_slots, &work);
    carom_status status = write_tree(&work, arena, frame, out);
    base_array_free(build->context, &work.entries);
    return status;
}
