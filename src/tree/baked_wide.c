/* The collision layout inside a baked block: the shape of the tree and the axes of its boxes. Boxes are recomputed
 * around the mesh's own triangles, as the builder did. */
#include "tree/baked.h"
#include "tree/wide_build.h"

_Static_assert((int)BAKED_LANES == (int)WIDE_LANES && (int)BAKED_LEAF_TRIANGLES == (int)WIDE_LEAF_TRIANGLES,
               "the shared form fits the layout");
_Static_assert(BAKED_LEAF_FLAG == WIDE_LEAF_FLAG && BAKED_NO_CHILD == WIDE_NO_CHILD, "and its marks too");

enum
{
    AXIS_FLOATS = 9
};

void baked_write_wide(baked_writer *writer, const carom_tree *tree)
{
    const wide_tree *wide = tree->wide;
    for (uint32_t i = 0; i < wide->node_count; i++)
        for (int lane = 0; lane < WIDE_LANES; lane++)
            baked_put_u32(writer, wide->nodes[i].child[lane]);
    baked_close(writer);
    for (uint32_t i = 0; i < wide->leaf_count; i++)
        baked_put_u32(writer, wide->leaves[i].count);
    baked_close(writer);
    for (uint32_t i = 0; i < wide->leaf_count; i++)
        for (uint32_t k = 0; k < wide->leaves[i].count; k++)
            baked_put_u32(writer, wide->leaves[i].triangle[k]);
    baked_close(writer);
    for (uint32_t i = 0; i < wide->node_count; i++)
        for (int lane = 0; lane < WIDE_LANES && wide->nodes[i].child[lane] != WIDE_NO_CHILD; lane++)
            for (int k = 0; k < 3; k++)
                for (int j = 0; j < 3; j++)
                    baked_put_floats(writer, &wide->nodes[i].axis[k][j][lane], 1);
    baked_close(writer);
}

static double dot(const float a[3], const float b[3])
{
    return (double)a[0] * (double)b[0] + (double)a[1] * (double)b[1] + (double)a[2] * (double)b[2];
}

/* Axes are orthonormal up to their final rounding, as every fit leaves them: the error bounds rely on it. */
static bool axes_valid(const float *axes)
{
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            if (!(fabs(dot(axes + 3 * i, axes + 3 * j) - (i == j ? 1.0 : 0.0)) <= WIDE_AXES_DEFECT))
                return false;
    return true;
}

typedef struct wide_reader
{
    baked_reader *reader;
    baked_eight eight;
    const float *axes;
    wide_tree *tree;
    wide_build build;         /* corners in the order of the leaves */
    uint32_t *first_triangle; /* per leaf, and one past the last */
    uint32_t (*waiting)[2];   /* slots to come, each with its depth */
    wide_points room;
} wide_reader;

static carom_status allocate(wide_reader *w, base_arena *arena, const carom_mesh *mesh)
{
    const baked_header *header = w->reader->header;
    size_t references = header->reference_count, slots = (size_t)header->node_count * WIDE_LANES;
    w->first_triangle = base_arena_allocate(arena, (size_t)header->leaf_count + 1, sizeof(uint32_t), BASE_CACHE_LINE);
    w->waiting = base_arena_allocate(arena, slots, sizeof *w->waiting, BASE_CACHE_LINE);
    bool have = w->first_triangle && w->waiting;
    have = have && wide_points_reserve(arena, mesh, w->tree->support != NULL, &w->room);
    have = have && wide_reserve_sorted(&w->build, arena, references);
    return have ? CAROM_OK
                : base_fail(w->reader->context, CAROM_OUT_OF_MEMORY, "unbake: no memory for a tree of %u triangles",
                            header->triangle_count);
}

static void fill_leaves(wide_reader *w, const carom_mesh *mesh)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < w->tree->leaf_count; i++)
    {
        wide_leaf *leaf = &w->tree->leaves[i];
        memset(leaf, 0, sizeof *leaf);
        leaf->count = w->eight.leaf_size[i];
        for (uint32_t k = 0; k < WIDE_LEAF_TRIANGLES; k++)
            leaf->triangle[k] = w->eight.order[at + (k < leaf->count ? k : 0)];
        BASE_PICK_ISA(w->reader->context, wide_leaf_fill)(leaf, w->tree, mesh);
        w->first_triangle[i] = at;
        at += leaf->count;
    }
    w->first_triangle[w->tree->leaf_count] = at;
    for (size_t i = 0; i < 3 * (size_t)at; i++)
    {
        uint32_t vertex = mesh->indices[3 * (size_t)w->eight.order[i / 3] + i % 3];
        carom_vec3 y = wide_normalise(w->tree, mesh->vertices[vertex]);
        w->build.sorted[0][i] = (float)y.x, w->build.sorted[1][i] = (float)y.y, w->build.sorted[2][i] = (float)y.z;
    }
}

/* Depth first: leaves must come in this order, so that a subtree is a run of them. Finds the runs' starts and the
 * depth. */
static bool find_runs(wide_reader *w)
{
    wide_tree *tree = w->tree;
    uint32_t top = 0, leaves = 0;
    w->waiting[top][0] = 0, w->waiting[top++][1] = 1;
    while (top > 0)
    {
        wide_slot slot = w->waiting[--top][0];
        uint32_t depth = w->waiting[top][1], child = w->eight.child[slot];
        tree->depth = depth > tree->depth ? depth : tree->depth;
        tree->first_leaf[slot] = leaves;
        if (child & WIDE_LEAF_FLAG)
        {
            if ((child & ~WIDE_LEAF_FLAG) != leaves++)
                return false;
            continue;
        }
        for (uint32_t lane = WIDE_LANES; lane-- > 0;)
            if (w->eight.child[child * WIDE_LANES + lane] != WIDE_NO_CHILD)
                w->waiting[top][0] = child * WIDE_LANES + lane, w->waiting[top++][1] = depth + 1;
    }
    return true;
}

static void fill_children(wide_reader *w)
{
    for (uint32_t i = 0; i < w->tree->node_count; i++)
    {
        wide_clear_node(&w->tree->nodes[i]);
        memcpy(w->tree->nodes[i].child, w->eight.child + (size_t)i * WIDE_LANES, sizeof w->tree->nodes[i].child);
    }
}

/* Every child's box around its run of triangles, along the axes of the block. */
static bool fill_boxes(wide_reader *w)
{
    wide_tree *tree = w->tree;
    const float *axes = w->axes;
    for (wide_slot slot = 0; slot < tree->node_count * WIDE_LANES; slot++)
    {
        if (wide_child(tree, slot) == WIDE_NO_CHILD)
            continue;
        if (!axes_valid(axes))
            return false;
        wide_box box;
        memcpy(box.axis, axes, sizeof box.axis);
        axes += AXIS_FLOATS;
        uint32_t first = w->first_triangle[tree->first_leaf[slot]];
        uint32_t last = w->first_triangle[wide_last_leaf(tree, slot)];
        split_node run = {.first = first, .count = last - first};
        BASE_PICK_ISA(w->reader->context, wide_enclose)(&w->build, &run, &box);
        wide_put_box(&tree->nodes[slot / WIDE_LANES], (int)(slot % WIDE_LANES), &box);
    }
    return true;
}

static carom_status read_parts(wide_reader *w)
{
    const baked_header *header = w->reader->header;
    BASE_TRY(baked_read_eight(w->reader, &w->eight));
    /* Each child has a box: the leaves and all nodes but the handle. */
    size_t boxes = header->node_count > 0 ? (size_t)header->node_count - 1 + header->leaf_count : 0;
    w->axes = baked_take(w->reader, boxes, AXIS_FLOATS * sizeof(float));
    if (!w->axes)
        return baked_refuse(w->reader, "the tree does not fit");
    if (header->node_count > 0 && w->eight.child[1] != WIDE_NO_CHILD)
        return baked_refuse(w->reader, "the tree has two roots");
    return CAROM_OK;
}

carom_status baked_read_wide(baked_reader *reader, carom_tree *tree)
{
    wide_reader w = {.reader = reader, .build = {.context = reader->context, .count = reader->header->reference_count}};
    BASE_TRY(read_parts(&w));
    tree->wide = wide_tree_allocate(reader->context, reader->header->node_count, reader->header->leaf_count,
                                    reader->header->reference_count >= WIDE_SUPPORT_FROM);
    if (!tree->wide)
        return base_fail(reader->context, CAROM_OUT_OF_MEMORY, "unbake: no memory for a tree of %u triangles",
                         tree->mesh->triangle_count);
    w.tree = tree->wide;
    if (tree->mesh->triangle_count > 0)
    {
        base_arena arena = {.context = reader->context};
        carom_status status = allocate(&w, &arena, tree->mesh);
        if (status == CAROM_OK)
        {
            wide_choose_frame(w.tree, tree->mesh);
            fill_children(&w);
            fill_leaves(&w, tree->mesh);
            if (!find_runs(&w))
                status = baked_refuse(reader, "the leaves are out of order");
            else if (!fill_boxes(&w))
                status = baked_refuse(reader, "a box whose axes are none");
        }
        if (status == CAROM_OK)
        {
            wide_find_smallest_triangles(w.tree);
            wide_support_fill(reader->context, w.tree, tree->mesh, &w.room);
        }
        base_arena_free(&arena);
        BASE_TRY(status);
    }
    wide_tree_info(tree->context, w.tree, &tree->info);
    return CAROM_OK;
}
