/* Fits a wide tree to the same triangles at other positions. The structure stays; boxes get new axes from the surface
 * they now bound, or keep the old ones where those are tighter. */
#include "tree/wide_build.h"

enum
{
    LEAVES_PER_BLOCK = 128,
    SLOTS_PER_TASK = WIDE_LANES / 2 /* few: boxes near the root take long */
};

/* Of some leaves; all that a box over a run of them needs, as the difference between two sums. */
typedef struct leaf_sum
{
    split_moments moments;
    uint32_t changed; /* how many */
} leaf_sum;

typedef struct refit
{
    wide_tree *tree;
    const carom_mesh *previous, *moved; /* previous: null if every coordinate changes */
    wide_build build;                   /* sorted corners, leaf by leaf */
    uint32_t *first_triangle;           /* per leaf, and one past the last */
    leaf_sum *before;                   /* per leaf, and one past the last: of the earlier leaves of its block */
    leaf_sum *blocks_before;            /* per block: of all earlier blocks */
    wide_points room;
} refit;

/* True if the triangle's corners are where they were, to the bit. */
static bool same_corners(const carom_mesh *previous, const carom_mesh *moved, uint32_t triangle)
{
    for (int c = 0; c < 3; c++)
        if (!vec3_equal(previous->vertices[previous->indices[3 * (size_t)triangle + c]],
                        moved->vertices[moved->indices[3 * (size_t)triangle + c]]))
            return false;
    return true;
}

/* Moves a leaf and adds it to a sum. */
static void take_leaf(refit *r, uint32_t index, leaf_sum *sum)
{
    wide_leaf *leaf = &r->tree->leaves[index];
    bool changed = r->previous == NULL;
    for (uint32_t i = 0; i < leaf->count && !changed; i++)
        changed = !same_corners(r->previous, r->moved, leaf->triangle[i]);
    if (changed)
        BASE_PICK_ISA(r->build.context, wide_leaf_fill)(leaf, r->tree, r->moved);
    uint32_t first = r->first_triangle[index];
    for (size_t c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++)
            for (uint32_t i = 0; i < leaf->count; i++)
                r->build.sorted[k][3 * (size_t)(first + i) + c] = leaf->origin[k] + leaf->corner[c][k][i];
    split_moments moments;
    BASE_PICK_ISA(r->build.context, wide_leaf_moments)(leaf, &moments);
    wide_add_moments(&sum->moments, &moments, &sum->moments);
    sum->changed += changed;
}

/* Blocks are the same for any number of workers, so sums are too. The last one ends one past the last leaf. */
static uint32_t block_count(const wide_tree *tree) { return tree->leaf_count / LEAVES_PER_BLOCK + 1; }

static void take_block(refit *r, uint32_t block)
{
    uint32_t first = block * LEAVES_PER_BLOCK, left = r->tree->leaf_count - first;
    uint32_t last = first + (left < LEAVES_PER_BLOCK ? left : LEAVES_PER_BLOCK);
    leaf_sum sum = {0};
    for (uint32_t i = first; i < last; i++)
    {
        r->before[i] = sum;
        take_leaf(r, i, &sum);
    }
    if (last == r->tree->leaf_count && left < LEAVES_PER_BLOCK)
        r->before[last] = sum;
    r->blocks_before[block + 1] = sum;
}

static void take_blocks(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    (void)worker;
    for (uint32_t block = first; block < last; block++)
        take_block(data, block);
}

static void add_sums(const leaf_sum *a, const leaf_sum *b, leaf_sum *out)
{
    wide_add_moments(&a->moments, &b->moments, &out->moments);
    out->changed = a->changed + b->changed;
}

static void sum_up_blocks(refit *r)
{
    r->blocks_before[0] = (leaf_sum){0};
    for (uint32_t i = 0; i < block_count(r->tree); i++)
        add_sums(&r->blocks_before[i], &r->blocks_before[i + 1], &r->blocks_before[i + 1]);
}

static leaf_sum sum_before(const refit *r, uint32_t leaf)
{
    leaf_sum sum;
    add_sums(&r->blocks_before[leaf / LEAVES_PER_BLOCK], &r->before[leaf], &sum);
    return sum;
}

/* One past the last leaf of a child. Leaves are numbered depth first, so a subtree is a run. */
uint32_t wide_last_leaf(const wide_tree *tree, wide_slot slot)
{
    uint32_t child = wide_child(tree, slot);
    while (!(child & WIDE_LEAF_FLAG))
    {
        int lane = WIDE_LANES - 1;
        while (tree->nodes[child].child[lane] == WIDE_NO_CHILD)
            lane--;
        child = tree->nodes[child].child[lane];
    }
    return (child & ~WIDE_LEAF_FLAG) + 1;
}

static void fit_slot(refit *r, wide_slot slot)
{
    wide_node *node = &r->tree->nodes[slot >> 3];
    int lane = (int)(slot & 7);
    uint32_t first = r->tree->first_leaf[slot], last = wide_last_leaf(r->tree, slot);
    leaf_sum begin = sum_before(r, first), end = sum_before(r, last);
    if (begin.changed == end.changed)
        return;
    split_moments moments;
    wide_subtract_moments(&end.moments, &begin.moments, &moments);
    split_node run = {.first = r->first_triangle[first], .count = r->first_triangle[last] - r->first_triangle[first]};
    wide_box fresh, old;
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++)
            old.axis[k][j] = node->axis[k][j][lane];
    BASE_PICK_ISA(r->build.context, wide_fit)(&r->build, &run, &moments, &fresh);
    BASE_PICK_ISA(r->build.context, wide_enclose)(&r->build, &run, &old);
    wide_put_box(node, lane, wide_box_area(&old) < wide_box_area(&fresh) ? &old : &fresh);
}

static void fit_slots(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    (void)worker;
    refit *r = data;
    for (wide_slot slot = first; slot < last; slot++)
        if (wide_child(r->tree, slot) != WIDE_NO_CHILD)
            fit_slot(r, slot);
}

static void count_triangles(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    (void)worker;
    const refit *r = data;
    for (uint32_t i = first; i < last; i++)
        r->first_triangle[i + 1] = r->tree->leaves[i].count;
}

/* Also finds each leaf's first triangle. */
static carom_status allocate(refit *r, base_arena *arena)
{
    size_t leaves = (size_t)r->tree->leaf_count + 1, blocks = block_count(r->tree) + 1;
    r->first_triangle = base_arena_allocate(arena, leaves, sizeof(uint32_t), BASE_CACHE_LINE);
    r->before = base_arena_allocate(arena, leaves, sizeof(leaf_sum), BASE_CACHE_LINE);
    r->blocks_before = base_arena_allocate(arena, blocks, sizeof(leaf_sum), BASE_CACHE_LINE);
    if (!r->first_triangle || !r->before || !r->blocks_before)
        return CAROM_OUT_OF_MEMORY;
    base_parallel_for(arena->context, r->tree->leaf_count, LEAVES_PER_BLOCK, count_triangles, r);
    r->first_triangle[0] = 0;
    for (uint32_t i = 0; i < r->tree->leaf_count; i++) /* a builder may put a triangle into several leaves */
        r->first_triangle[i + 1] += r->first_triangle[i];
    size_t n = r->first_triangle[r->tree->leaf_count];
    bool have = wide_points_reserve(arena, r->moved, r->tree->support != NULL, &r->room);
    return have && wide_reserve_sorted(&r->build, arena, n) ? CAROM_OK : CAROM_OUT_OF_MEMORY;
}

carom_status wide_tree_refit(carom_context *context, wide_tree *tree, const carom_mesh *previous,
                             const carom_mesh *moved)
{
    if (tree->leaf_count == 0)
        return CAROM_OK;
    refit r = {.tree = tree, .previous = previous, .moved = moved, .build = {.context = context}};
    base_arena arena = {.context = context};
    carom_status status = allocate(&r, &arena);
    if (status == CAROM_OK)
    {
        if (!wide_frame_holds(tree, moved))
        {
            wide_choose_frame(tree, moved);
            r.previous = NULL;
        }
        base_parallel_for(context, block_count(tree), 1, take_blocks, &r);
        sum_up_blocks(&r);
        base_parallel_for(context, tree->node_count * WIDE_LANES, SLOTS_PER_TASK, fit_slots, &r);
        wide_support_fill(context, tree, moved, &r.room);
    }
    base_arena_free(&arena);
    return status == CAROM_OK
               ? status
               : base_fail(context, status, "refit of %u triangles: out of memory", moved->triangle_count);
}
