/* Quadtrees of boxes over a grid, as min / max mipmaps (Su, Ji and Deng, a GPU-based collision detection algorithm,
 * 2009: the geometry-image paper, section 2). For surfaces that deform, so one is built as fast as memory permits: as
 * soon as two rows are complete, the row above them is made, while they are in the cache. */
#include "geoimage/quadtree.h"

geoimage_levels geoimage_levels_of(uint32_t columns, uint32_t rows)
{
    geoimage_levels levels = {.columns = columns, .rows = rows};
    uint32_t nodes = 0, level = 0;
    bool last = false;
    for (; !last; level++)
    {
        uint32_t across = geoimage_level_side(columns, level), down = geoimage_level_side(rows, level);
        levels.first[level] = nodes;
        nodes += across * down;
        last = across == 1 && down == 1;
    }
    levels.count = level, levels.first[level] = nodes;
    return levels;
}

void geoimage_normalise(carom_context *context, const math_frame *frame, const carom_vec3 *points, size_t count,
                        float *out)
{
    BASE_PICK_ISA(context, geoimage_normalise_points)(frame, points, count, out);
}

/* The rows above that are complete with this one of level 0. */
static void close_rows(carom_context *context, const geoimage_levels *levels, uint32_t row, float *nodes)
{
    for (uint32_t level = 0; level + 1 < levels->count; level++, row /= 2)
    {
        bool complete = row % 2 == 1 || row + 1 == geoimage_level_side(levels->rows, level);
        if (!complete)
            return;
        BASE_PICK_ISA(context, geoimage_fit_parents)(levels, level, row / 2, nodes);
    }
}

void geoimage_build_levels(carom_context *context, const geoimage_levels *levels, const float *points, float *nodes)
{
    for (uint32_t row = 0; row < levels->rows; row++)
    {
        BASE_PICK_ISA(context, geoimage_fit_cells)(levels, points, row, nodes);
        close_rows(context, levels, row, nodes);
    }
}

void geoimage_build_parents(carom_context *context, const geoimage_levels *levels, float *nodes)
{
    for (uint32_t row = 0; row < levels->rows; row++)
        close_rows(context, levels, row, nodes);
}

/* ---- of a surface ---- */

static size_t point_count(const geoimage_levels *levels) { return (size_t)(levels->columns + 1) * (levels->rows + 1); }

carom_status geoimage_quadtree_create(carom_context *context, uint32_t width, uint32_t height, geoimage_quadtree *out)
{
    *out = (geoimage_quadtree){.context = context};
    BASE_TRY(geoimage_check_sides(context, width, height));
    geoimage_quadtree tree = {.context = context, .levels = geoimage_levels_of(width - 1, height - 1)};
    tree.points = base_allocate(context, point_count(&tree.levels), GEOIMAGE_POINT * sizeof(float), BASE_CACHE_LINE);
    tree.nodes =
        base_allocate(context, geoimage_node_count(&tree.levels), GEOIMAGE_NODE * sizeof(float), BASE_CACHE_LINE);
    if (!tree.points || !tree.nodes)
    {
        geoimage_quadtree_free(&tree);
        return base_fail(context, CAROM_OUT_OF_MEMORY, "out of memory for the boxes of %u x %u points", width, height);
    }
    *out = tree;
    return CAROM_OK;
}

/* The points of a row of cells are converted just before they are used. */
void geoimage_quadtree_build(geoimage_quadtree *tree, const carom_vec3 *points, const carom_aabb *bounds)
{
    carom_context *context = tree->context;
    const geoimage_levels *levels = &tree->levels;
    size_t width = (size_t)levels->columns + 1;
    tree->frame = math_frame_of(bounds);
    geoimage_normalise(context, &tree->frame, points, width, tree->points);
    for (uint32_t row = 0; row < levels->rows; row++)
    {
        size_t next = ((size_t)row + 1) * width;
        geoimage_normalise(context, &tree->frame, points + next, width, tree->points + GEOIMAGE_POINT * next);
        BASE_PICK_ISA(context, geoimage_fit_cells)(levels, tree->points, row, tree->nodes);
        close_rows(context, levels, row, tree->nodes);
    }
}

void geoimage_quadtree_free(geoimage_quadtree *tree)
{
    base_release(tree->context, tree->points, point_count(&tree->levels), GEOIMAGE_POINT * sizeof(float));
    base_release(tree->context, tree->nodes, geoimage_node_count(&tree->levels), GEOIMAGE_NODE * sizeof(float));
    *tree = (geoimage_quadtree){.context = tree->context};
}
