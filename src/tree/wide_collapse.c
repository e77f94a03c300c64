/* The eight-wide tree over a binary one: dynamic programming chooses which binary nodes become children, and a
 * depth-first walk writes them.
 *
 * cost[n][k]: least cost of representing subtree n in at most k slots of a node; one slot holds either a leaf of up to
 * four triangles or a node. A visit costs what it is likely to happen: the area of the box. */
#include "tree/wide_build.h"

typedef struct slot_cost
{
    float cost[WIDE_LANES];         /* [k - 1] for k slots */
    uint8_t left_slots[WIDE_LANES]; /* [k - 1]: how many of k go to the left child; 0: as with fewer slots */
    bool is_leaf;                   /* in one slot */
} slot_cost;

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

static void choose_slots(const wide_build *build, slot_cost *costs)
{
    for (uint32_t i = build->node_count; i-- > 0;)
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
        combine_children(&costs[node->left], &costs[node->right], own);
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
    stack[top].node = build->nodes[n].right, stack[top++].slots = slots - left_slots;
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
        stack[top].node = build->nodes[node].right, stack[top++].slots = slots - left_slots;
        stack[top].node = build->nodes[node].left, stack[top++].slots = left_slots;
    }
    return count;
}

typedef struct emit_entry
{
    uint32_t binary, slot, depth;
} emit_entry;

static void write_leaf(const wide_build *build, const split_node *run, const carom_mesh *mesh, const wide_tree *tree,
                       wide_leaf *leaf)
{
    memset(leaf, 0, sizeof *leaf);
    leaf->count = run->count;
    for (uint32_t i = 0; i < WIDE_LEAF_TRIANGLES; i++)
        leaf->triangle[i] = build->order[run->first + (i < run->count ? i : 0)];
    wide_leaf_fill(leaf, tree, mesh);
}

/* Walks depth first and writes nodes and leaves; counts only where tree->nodes is null. */
static carom_status emit(const wide_build *build, const slot_cost *costs, const carom_mesh *mesh, wide_tree *tree)
{
    carom_context *context = build->context;
    BASE_ARRAY(emit_entry) stack = {0};
    if (!base_array_reserve(context, &stack, 1))
        return CAROM_OUT_OF_MEMORY;
    bool writing = tree->nodes != NULL;
    uint32_t node_count = 1, leaf_count = 0;
    if (writing)
        wide_clear_node(&tree->nodes[0]);
    stack.items[stack.count++] = (emit_entry){0, 0, 1};
    while (stack.count > 0)
    {
        emit_entry entry = stack.items[--stack.count];
        const split_node *binary = &build->nodes[entry.binary];
        wide_node *parent = writing ? &tree->nodes[entry.slot >> 3] : NULL;
        int lane = (int)(entry.slot & 7);
        tree->depth = entry.depth > tree->depth ? entry.depth : tree->depth;
        if (writing)
        {
            wide_box box;
            BASE_PICK_ISA(context, wide_fit_well)(build, binary, &build->moments[entry.binary], &box);
            wide_put_box(parent, lane, &box);
            tree->first_leaf[entry.slot] = leaf_count;
        }
        if (costs[entry.binary].is_leaf)
        {
            if (writing)
            {
                parent->child[lane] = leaf_count | WIDE_LEAF_FLAG;
                write_leaf(build, binary, mesh, tree, &tree->leaves[leaf_count]);
            }
            leaf_count++;
            continue;
        }
        uint32_t children[WIDE_LANES];
        int count = gather_children(build, costs, entry.binary, children);
        uint32_t node = node_count++;
        if (writing)
        {
            parent->child[lane] = node;
            wide_clear_node(&tree->nodes[node]);
        }
        if (!base_array_reserve(context, &stack, WIDE_LANES))
        {
            base_array_free(context, &stack);
            return CAROM_OUT_OF_MEMORY;
        }
        for (int i = count; i-- > 0;)
            stack.items[stack.count++] = (emit_entry){children[i], node * WIDE_LANES + (uint32_t)i, entry.depth + 1};
    }
    base_array_free(context, &stack);
    tree->node_count = node_count;
    tree->leaf_count = leaf_count;
    return CAROM_OK;
}

carom_status wide_collapse(const wide_build *build, base_arena *arena, const carom_mesh *mesh, wide_tree *frame,
                           wide_tree **out)
{
    carom_context *context = build->context;
    slot_cost *costs = base_arena_allocate(arena, build->node_count, sizeof(slot_cost), BASE_CACHE_LINE);
    if (!costs)
        return CAROM_OUT_OF_MEMORY;
    choose_slots(build, costs);
    BASE_TRY(emit(build, costs, mesh, frame)); /* counts */
    wide_tree *tree =
        wide_tree_allocate(context, frame->node_count, frame->leaf_count, build->count >= WIDE_SUPPORT_FROM);
    if (!tree)
        return CAROM_OUT_OF_MEMORY;
    tree->centre = frame->centre, tree->scale = frame->scale;
    carom_status status = emit(build, costs, mesh, tree);
    if (status != CAROM_OK)
    {
        wide_tree_destroy(context, tree);
        return status;
    }
    wide_find_least_triangles(tree);
    wide_support_fill(context, tree);
    *out = tree;
    return CAROM_OK;
}
