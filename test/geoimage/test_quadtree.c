/* Quadtrees of boxes over grids of points, against boxes by brute force, for all sizes and instruction sets. */
#include "geoimage/geoimage.h"

#include "base/base.h"
#include "geoimage/quadtree.h"
#include "support/check.h"
#include "support/failing.h"

#include <stdlib.h>

static carom_vec3 *random_points(check_random *random, size_t count, double size, double offset)
{
    carom_vec3 *points = malloc(count * sizeof *points);
    assert_non_null(points);
    for (size_t i = 0; i < count; i++)
    {
        points[i] = vec3_scale(check_random_point(random, -1.0, 1.0), size);
        points[i].x += offset;
        if (i % 7 == 3)
            points[i].y = -0.0;
    }
    return points;
}

static carom_aabb box_of(const carom_vec3 *points, size_t count)
{
    carom_aabb box = aabb_empty();
    for (size_t i = 0; i < count; i++)
        box = aabb_add_point(box, points[i]);
    return box;
}

/* What a coordinate becomes, from the definition. */
static float stored(const math_frame *frame, carom_vec3 point, int axis)
{
    double y = (vec3_at(&point, axis) - vec3_at(&frame->centre, axis)) * frame->scale;
    float rounded = (float)y;
    return fabsf(rounded) < 0x1p-126f ? 0.0f : rounded;
}

/* The box of all points that a node stands for. */
static void check_node(const geoimage_quadtree *tree, const carom_vec3 *points, uint32_t level, uint32_t x, uint32_t y)
{
    const geoimage_levels *levels = &tree->levels;
    uint32_t width = levels->columns + 1, last_x = (x + 1) << level, last_y = (y + 1) << level;
    last_x = last_x < levels->columns ? last_x : levels->columns;
    last_y = last_y < levels->rows ? last_y : levels->rows;
    float expected[8] = {9, 9, 9, 0, -9, -9, -9, 0};
    for (uint32_t j = y << level; j <= last_y; j++)
        for (uint32_t i = x << level; i <= last_x; i++)
            for (int axis = 0; axis < 3; axis++)
            {
                float value = stored(&tree->frame, points[(size_t)j * width + i], axis);
                expected[axis] = value < expected[axis] ? value : expected[axis];
                expected[4 + axis] = value > expected[4 + axis] ? value : expected[4 + axis];
            }
    const float *node = tree->nodes + 8 * (size_t)geoimage_node_index(levels, level, x, y);
    if (memcmp(node, expected, sizeof expected) != 0)
        fail_msg("%u x %u cells: level %u, node (%u, %u)", levels->columns, levels->rows, level, x, y);
}

static void check_tree(const geoimage_quadtree *tree, const carom_vec3 *points)
{
    const geoimage_levels *levels = &tree->levels;
    uint32_t nodes = 0;
    for (uint32_t level = 0; level < levels->count; level++)
    {
        uint32_t columns = geoimage_level_side(levels->columns, level), rows = geoimage_level_side(levels->rows, level);
        for (uint32_t y = 0; y < rows; y++)
            for (uint32_t x = 0; x < columns; x++)
            {
                assert_int_equal(geoimage_node_index(levels, level, x, y), nodes);
                check_node(tree, points, level, x, y);
                nodes++;
            }
    }
    assert_int_equal(geoimage_node_count(levels), nodes);
    assert_int_equal(geoimage_level_side(levels->columns, levels->count - 1), 1);
    assert_int_equal(geoimage_level_side(levels->rows, levels->count - 1), 1);
}

static void check_size(carom_context *context, uint32_t width, uint32_t height, double size, double offset)
{
    check_random random = {(uint64_t)width * 1000 + height};
    size_t count = (size_t)width * height;
    carom_vec3 *points = random_points(&random, count, size, offset);
    carom_aabb box = box_of(points, count);
    geoimage_quadtree tree;
    assert_int_equal(geoimage_quadtree_create(context, width, height, &tree), CAROM_OK);
    geoimage_quadtree_build(&tree, points, &box);
    check_tree(&tree, points);

    /* the parts do the same as the whole */
    size_t bytes = 8 * sizeof(float) * (size_t)geoimage_node_count(&tree.levels);
    float *copy = aligned_alloc(64, (bytes + 63) / 64 * 64);
    assert_non_null(copy);
    geoimage_build_levels(context, &tree.levels, tree.points, copy);
    assert_memory_equal(copy, tree.nodes, bytes);
    size_t leaves = 8 * sizeof(float) * (size_t)tree.levels.first[1];
    memset((char *)copy + leaves, 0, bytes - leaves);
    geoimage_build_parents(context, &tree.levels, copy);
    assert_memory_equal(copy, tree.nodes, bytes);
    free(copy);
    geoimage_quadtree_free(&tree);
    free(points);
}

static void test_all_sizes(void **state)
{
    for (uint32_t height = 2; height <= 12; height++)
        for (uint32_t width = 2; width <= 12; width++)
            check_size(*state, width, height, 1.0, 0.0);
    check_size(*state, 33, 17, 1.0, 0.0);
    check_size(*state, 129, 129, 1.0, 0.0);
    check_size(*state, 2, 700, 1.0, 0.0);
    check_size(*state, 700, 2, 1.0, 0.0);
}

static void test_far_and_small(void **state)
{
    check_size(*state, 20, 9, 1.0, 1e9);
    check_size(*state, 20, 9, 1e-25, 0.0);
    check_size(*state, 20, 9, 0x1p-1070, 0.0);
    check_size(*state, 20, 9, 0x1p99, 0.0);
    check_size(*state, 5, 5, 0.0, 3.0); /* all points are the same */
}

/* The vector versions against the plain one. */
static void test_instruction_sets(void **state)
{
    carom_context *context = *state;
    carom_simd own = context->simd;
    for (int simd = 0; simd <= (int)own; simd++)
    {
        context->simd = (carom_simd)simd;
        check_size(context, 21, 14, 1.0, 5.0);
    }
    context->simd = own;
}

static void test_refused(void **state)
{
    geoimage_quadtree tree;
    assert_int_equal(geoimage_quadtree_create(*state, 1, 5, &tree), CAROM_OUT_OF_RANGE);
    assert_int_equal(geoimage_quadtree_create(*state, 5, 16386, &tree), CAROM_OUT_OF_RANGE);
    geoimage_quadtree_free(&tree);
    geoimage_levels largest = geoimage_levels_of(GEOIMAGE_MAX_CELLS, GEOIMAGE_MAX_CELLS);
    assert_int_equal(largest.count, GEOIMAGE_LEVELS);
    assert_int_equal(geoimage_node_count(&largest), ((UINT64_C(1) << 30) - 1) / 3);
}

static void test_no_memory(void **state)
{
    (void)state;
    failing memory = {0};
    carom_context *context;
    assert_int_equal(failing_context(&memory, &context), CAROM_OK);
    uint64_t blocks = memory.blocks_out;
    for (uint64_t k = 1; k <= 2; k++)
    {
        geoimage_quadtree tree;
        failing_arm(&memory, k);
        assert_int_equal(geoimage_quadtree_create(context, 9, 9, &tree), CAROM_OUT_OF_MEMORY);
        assert_int_equal(memory.blocks_out, blocks);
    }
    failing_arm(&memory, 0);
    carom_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_sizes), cmocka_unit_test(test_far_and_small),
                                       cmocka_unit_test(test_instruction_sets), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_no_memory)};
    return cmocka_run_group_tests(tests, check_open_context, check_close_context);
}
