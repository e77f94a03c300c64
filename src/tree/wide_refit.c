/* Fits a wide tree to the same triangles in other places. The structure stays; boxes get new axes from the surface they
 * now bound, or keep the old ones where those are tighter. */
#include "tree/wide_build.h"

typedef struct refit
{
    wide_tree *tree;
    wide_build build;         /* sorted corners, leaf by leaf */
    uint32_t *first_triangle; /* per leaf, and one past the last */
    uint32_t *changed_before; /* per leaf: how many earlier leaves changed; and one past the last */
    split_moments *before;    /* per leaf: moments of all earlier leaves; and one past the last */
} refit;

/* True if the triangle's corners are where they were, to the bit. */
static bool same_place(const carom_mesh *was, const carom_mesh *is, uint32_t triangle)
{
    for (int c = 0; c < 3; c++)
        if (!vec3_equal(was->vertices[was->indices[3 * (size_t)triangle + c]],
                        is->vertices[is->indices[3 * (size_t)triangle + c]]))
            return false;
    return true;
}

static void take_leaf(refit *r, uint32_t index, const carom_mesh *was, const carom_mesh *is)
{
    wide_leaf *leaf = &r->tree->leaves[index];
    bool changed = was == NULL;
    for (uint32_t i = 0; i < leaf->count && !changed; i++)
        changed = !same_place(was, is, leaf->triangle[i]);
    if (changed)
        wide_leaf_fill(leaf, r->tree, is);
    uint32_t first = r->first_triangle[index];
    split_moments sum = r->before[index];
    for (uint32_t i = 0; i < leaf->count; i++)
    {
        float corners[9];
        split_moments own;
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++)
            {
                corners[3 * c + k] = leaf->origin[k] + leaf->corner[c][k][i];
                r->build.sorted[k][3 * (size_t)(first + i) + (size_t)c] = corners[3 * c + k];
            }
        wide_triangle_moments(corners, &own);
        wide_add_moments(&sum, &own, &sum);
    }
    r->first_triangle[index + 1] = first + leaf->count;
    r->changed_before[index + 1] = r->changed_before[index] + changed;
    r->before[index + 1] = sum;
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
    if (r->changed_before[first] == r->changed_before[last])
        return;
    split_moments moments = r->before[last];
    wide_subtract_moments(&moments, &r->before[first], &moments);
    split_node run = {.first = r->first_triangle[first], .count = r->first_triangle[last] - r->first_triangle[first]};
    wide_box fresh, old;
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++)
            old.axis[k][j] = node->axis[k][j][lane];
    BASE_PICK_ISA(r->build.context, wide_fit)(&r->build, &run, &moments, &fresh);
    BASE_PICK_ISA(r->build.context, wide_enclose)(&r->build, &run, &old);
    wide_put_box(node, lane, wide_box_area(&old) < wide_box_area(&fresh) ? &old : &fresh);
}

static carom_status allocate(refit *r, base_arena *arena)
{
    size_t leaves = (size_t)r->tree->leaf_count + 1, n = 0;
    for (uint32_t i = 0; i < r->tree->leaf_count; i++) /* a builder may put a triangle into several leaves */
        n += r->tree->leaves[i].count;
    r->first_triangle = base_arena_allocate(arena, leaves, sizeof(uint32_t), BASE_CACHE_LINE);
    r->changed_before = base_arena_allocate(arena, leaves, sizeof(uint32_t), BASE_CACHE_LINE);
    r->before = base_arena_allocate(arena, leaves, sizeof(split_moments), BASE_CACHE_LINE);
    bool have = r->first_triangle && r->changed_before && r->before;
    for (int k = 0; k < 3; k++)
    {
        r->build.sorted[k] = base_arena_allocate(arena, 3 * n, sizeof(float), BASE_CACHE_LINE);
        have = have && r->build.sorted[k];
    }
    return have ? CAROM_OK : CAROM_OUT_OF_MEMORY;
}

carom_status wide_tree_refit(carom_context *context, wide_tree *tree, const carom_mesh *was, const carom_mesh *is)
{
    if (tree->leaf_count == 0)
        return CAROM_OK;
    refit r = {.tree = tree, .build = {.context = context}};
    base_arena arena = {.context = context};
    carom_status status = allocate(&r, &arena);
    if (status == CAROM_OK)
    {
        if (!wide_frame_holds(tree, is))
        {
            wide_choose_frame(tree, is);
            was = NULL; /* every coordinate changes */
        }
        r.first_triangle[0] = r.changed_before[0] = 0;
        r.before[0] = (split_moments){0};
        for (uint32_t i = 0; i < tree->leaf_count; i++)
            take_leaf(&r, i, was, is);
        for (wide_slot slot = 0; slot < tree->node_count * WIDE_LANES; slot++)
            if (wide_child(tree, slot) != WIDE_NO_CHILD)
                fit_slot(&r, slot);
        wide_support_fill(context, tree);
    }
    base_arena_free(&arena);
    return status == CAROM_OK ? status
                              : base_fail(context, status, "refit of %u triangles: out of memory", is->triangle_count);
}
