/* The eight-wide tree over a binary one: dynamic programming chooses which binary nodes become children, and a
 * depth-first walk lists them, to be written. The subtrees are listed in parallel, each with numbers of its own; the
 * walk over the top of the tree then says where these begin.
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

/* A part of the tree below one of its nodes; numbers in its entries count from there. The first piece is the top, whose
 * numbers are final. */
typedef struct emit_piece
{
    uint32_t binary;                        /* the node above it, which is not one of its entries */
    uint32_t first, count;                  /* of its entries */
    uint32_t node_count, leaf_count, depth; /* nodes include the one above */
    uint32_t first_node, first_leaf;        /* in the whole tree */
} emit_piece;

/* Entries of a piece, for a task. */
typedef struct emit_block
{
    uint32_t piece, first, last;
} emit_block;

typedef struct collapse
{
    const wide_build *build;
    const carom_mesh *mesh;
    slot_cost *costs;
    emit_entry *entries; /* those of a piece depth first, where the binary nodes below it are in their array */
    BASE_ARRAY(emit_entry) top;
    BASE_ARRAY(emit_piece) pieces;
    BASE_ARRAY(emit_block) blocks;
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
    BASE_PICK_ISA(work->build->context, wide_leaf_fill)(leaf, work->tree, work->mesh);
}

/* ---- lists ---- */

enum
{
    PIECES = 64,      /* roughly: enough that workers end at nearly the same time */
    MIN_PIECE = 1024, /* triangles */
    ENTRIES_PER_TASK = 64
};

/* Turns a waiting entry into a listed one: its number, as in wide_node. Returns its depth. */
static uint32_t number_entry(const collapse *work, emit_piece *piece, emit_entry *entry)
{
    uint32_t depth = entry->child;
    piece->depth = depth > piece->depth ? depth : piece->depth;
    entry->first_leaf = piece->leaf_count;
    bool is_leaf = work->costs[entry->binary].is_leaf;
    entry->child = is_leaf ? piece->leaf_count++ | WIDE_LEAF_FLAG : piece->node_count++;
    return depth;
}

/* Lists what is below a node. No binary node is listed and waiting at once, so both fit into the room for all of them:
 * the list grows from its front, the stack from its back. */
static void list_piece(const collapse *work, emit_piece *piece, uint32_t room)
{
    emit_entry *list = work->entries + piece->first, *stack = list + room;
    uint32_t children[WIDE_LANES], parent = 0, depth = 0;
    uint32_t binary = piece->binary;
    piece->node_count = 1;
    for (bool is_open = true;;)
    {
        int count = is_open ? gather_children(work->build, work->costs, binary, children) : 0;
        for (int i = count; i-- > 0;)
            *--stack = (emit_entry){children[i], parent * WIDE_LANES + (uint32_t)i, depth + 1, 0};
        if (stack == list + room)
            return;
        emit_entry entry = *stack++;
        depth = number_entry(work, piece, &entry);
        list[piece->count++] = entry;
        is_open = !(entry.child & WIDE_LEAF_FLAG);
        parent = entry.child, binary = entry.binary;
    }
}

/* Binary nodes below a node are in a row, from its left child on; the last two are those of the last pair. */
static uint32_t count_below(const wide_build *build, uint32_t binary)
{
    uint32_t first = build->nodes[binary].left, pair = first;
    for (;;)
    {
        uint32_t left = build->nodes[pair].left, right = build->nodes[pair + 1].left;
        if (left == 0 && right == 0)
            return pair + 2 - first;
        pair = left > right ? left : right;
    }
}

static void list_pieces(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const collapse *work = data;
    (void)worker;
    for (uint32_t i = first; i < last; i++)
    {
        emit_piece *piece = &work->pieces.items[1 + i];
        list_piece(work, piece, count_below(work->build, piece->binary));
    }
}
/* The top: entries in depth-first order, without numbers, and the pieces below it in the same order. */
static bool list_top(collapse *work)
{
    const wide_build *build = work->build;
    carom_context *context = build->context;
    uint32_t grain = build->count / PIECES > MIN_PIECE ? build->count / PIECES : MIN_PIECE;
    BASE_ARRAY(emit_entry) stack = {0};
    bool room = base_array_reserve(context, &stack, 1) && base_array_reserve(context, &work->pieces, 1);
    if (room)
    {
        work->pieces.items[work->pieces.count++] = (emit_piece){.node_count = 1};
        stack.items[stack.count++] = (emit_entry){.child = 1};
    }
    while (room && stack.count > 0)
    {
        emit_entry entry = stack.items[--stack.count];
        const split_node *node = &build->nodes[entry.binary];
        bool is_leaf = work->costs[entry.binary].is_leaf, is_piece = !is_leaf && node->count <= grain;
        room = base_array_reserve(context, &work->top, 1) && base_array_reserve(context, &work->pieces, 1) &&
               base_array_reserve(context, &stack, WIDE_LANES);
        if (!room)
            break;
        uint32_t parent = (uint32_t)work->top.count, children[WIDE_LANES];
        work->top.items[work->top.count++] = entry;
        if (is_piece)
            work->pieces.items[work->pieces.count++] = (emit_piece){.binary = entry.binary, .first = node->left};
        int count = is_leaf || is_piece ? 0 : gather_children(build, work->costs, entry.binary, children);
        for (int i = count; i-- > 0;)
            stack.items[stack.count++] =
                (emit_entry){children[i], parent * WIDE_LANES + (uint32_t)i, entry.child + 1, 0};
    }
    base_array_free(context, &stack);
    return room;
}

/* Numbers the top, with room for the nodes and leaves of each piece after the node above it. */
static void number_top(collapse *work, wide_tree *counts)
{
    emit_piece *top = &work->pieces.items[0], *piece = top + 1, *end = top + work->pieces.count;
    for (size_t i = 0; i < work->top.count; i++)
    {
        emit_entry *entry = &work->top.items[i];
        uint32_t parent = entry->slot / WIDE_LANES; /* an entry of the top, which comes first and has its number */
        if (i > 0)
            entry->slot = work->top.items[parent].child * WIDE_LANES + entry->slot % WIDE_LANES;
        uint32_t depth = number_entry(work, top, entry);
        if (piece == end || piece->binary != entry->binary)
            continue;
        piece->first_node = entry->child, piece->first_leaf = top->leaf_count;
        top->node_count += piece->node_count - 1, top->leaf_count += piece->leaf_count;
        top->depth = depth + piece->depth > top->depth ? depth + piece->depth : top->depth;
        piece++;
    }
    top->count = (uint32_t)work->top.count;
    counts->node_count = top->node_count, counts->leaf_count = top->leaf_count, counts->depth = top->depth;
}

static bool cut_blocks(collapse *work)
{
    for (uint32_t piece = 0; piece < work->pieces.count; piece++)
        for (uint32_t first = 0, count = work->pieces.items[piece].count; first < count; first += ENTRIES_PER_TASK)
        {
            if (!base_array_reserve(work->build->context, &work->blocks, 1))
                return false;
            uint32_t last = count - first < ENTRIES_PER_TASK ? count : first + ENTRIES_PER_TASK;
            work->blocks.items[work->blocks.count++] = (emit_block){piece, first, last};
        }
    return true;
}

static carom_status list_children(collapse *work, base_arena *arena, wide_tree *counts)
{
    carom_context *context = work->build->context;
    work->entries = base_arena_allocate(arena, work->build->node_count, sizeof *work->entries, BASE_CACHE_LINE);
    if (!work->entries || !list_top(work))
        return CAROM_OUT_OF_MEMORY;
    base_parallel_for(context, (uint32_t)work->pieces.count - 1, 1, list_pieces, work);
    number_top(work, counts);
    return cut_blocks(work) ? CAROM_OK : CAROM_OUT_OF_MEMORY;
}

/* An entry with its numbers in the whole tree. */
static emit_entry final_entry(const collapse *work, uint32_t index, uint32_t i)
{
    if (index == 0)
        return work->top.items[i];
    const emit_piece *piece = &work->pieces.items[index];
    emit_entry entry = work->entries[piece->first + i];
    entry.slot += piece->first_node * WIDE_LANES;
    entry.first_leaf += piece->first_leaf;
    entry.child += entry.child & WIDE_LEAF_FLAG ? piece->first_leaf : piece->first_node;
    return entry;
}

/* ---- the tree ---- */

static void clear_nodes(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    wide_tree *tree = ((const collapse *)data)->tree;
    (void)worker;
    for (uint32_t i = first; i < last; i++)
        wide_clear_node(&tree->nodes[i]);
    for (uint32_t slot = first * WIDE_LANES; slot < last * WIDE_LANES; slot++)
        tree->smallest_triangle[slot] = CAROM_NO_TRIANGLE;
}

static void write_child(const collapse *work, const emit_entry *entry)
{
    const wide_build *build = work->build;
    wide_tree *tree = work->tree;
    const split_node *binary = &build->nodes[entry->binary];
    wide_node *parent = &tree->nodes[entry->slot / WIDE_LANES];
    int lane = (int)(entry->slot % WIDE_LANES);
    wide_box box;
    BASE_PICK_ISA(build->context, wide_fit_well)(build, binary, &build->moments[entry->binary], &box);
    wide_put_box(parent, lane, &box);
    parent->child[lane] = entry->child;
    tree->first_leaf[entry->slot] = entry->first_leaf;
    tree->smallest_triangle[entry->slot] = binary->smallest_triangle;
    if (entry->child & WIDE_LEAF_FLAG)
        write_leaf(work, binary, &tree->leaves[entry->child & ~WIDE_LEAF_FLAG]);
}

static void write_blocks(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const collapse *work = data;
    (void)worker;
    for (uint32_t i = first; i < last; i++)
    {
        const emit_block *block = &work->blocks.items[i];
        for (uint32_t k = block->first; k < block->last; k++)
        {
            emit_entry entry = final_entry(work, block->piece, k);
            write_child(work, &entry);
        }
    }
}

static carom_status write_tree(collapse *work, base_arena *arena, wide_tree *frame, wide_tree **out)
{
    carom_context *context = work->build->context;
    wide_points room;
    bool support = work->build->count >= WIDE_SUPPORT_FROM;
    BASE_TRY(list_children(work, arena, frame));
    if (!wide_points_reserve(arena, work->mesh, support, &room))
        return CAROM_OUT_OF_MEMORY;
    wide_tree *tree = wide_tree_allocate(context, frame->node_count, frame->leaf_count, support);
    if (!tree)
        return CAROM_OUT_OF_MEMORY;
    tree->centre = frame->centre, tree->scale = frame->scale, tree->depth = frame->depth;
    work->tree = tree;
    base_parallel_for(context, tree->node_count, WIDE_NODES_PER_TASK, clear_nodes, work);
    base_parallel_for(context, (uint32_t)work->blocks.count, 1, write_blocks, work);
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
    base_array_free(build->context, &work.top);
    base_array_free(build->context, &work.pieces);
    base_array_free(build->context, &work.blocks);
    return status;
}
