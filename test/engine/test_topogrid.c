/* The grid paper's octree grid against brute force: records of cells, location of boxes, the depth rule, the lists of
 * the broad phase `topogrid` while boxes move, and the paper's diagonal rule against points on the diagonals. */
#include "broad/broad.h"
#include "support/check.h"

#include <stdlib.h>

static broad_octree_grid make_grid(carom_aabb box, uint32_t depth)
{
    broad_grid_extent extent = broad_grid_no_extent();
    broad_grid_add_box(&extent, &box, true);
    broad_octree_grid grid;
    broad_grid_make(&grid, &extent, depth);
    return grid;
}

static const carom_aabb CUBE = {{-4, -4, -4}, {4, 4, 4}};

/* ---- records ---- */

static bool are_neighbours(uint32_t one, uint32_t other, uint32_t side)
{
    int a[3] = {(int)(one % side), (int)(one / side % side), (int)(one / side / side)};
    int b[3] = {(int)(other % side), (int)(other / side % side), (int)(other / side / side)};
    return abs(a[0] - b[0]) <= 1 && abs(a[1] - b[1]) <= 1 && abs(a[2] - b[2]) <= 1;
}

static void a_record_has_all_neighbours_and_no_others(void **state)
{
    (void)state;
    for (uint32_t depth = 0; depth <= 4; depth++)
    {
        broad_octree_grid grid = make_grid(CUBE, depth);
        uint32_t count = broad_grid_cell_count(&grid), most = 0;
        assert_int_equal(count, grid.side * grid.side * grid.side);
        for (uint32_t cell = 0; cell < count; cell++)
        {
            broad_cell_record record;
            broad_grid_record(&grid, cell, &record);
            assert_int_equal(record.number, cell);
            uint32_t at = 0;
            for (uint32_t other = 0; other < count; other++)
                if (are_neighbours(cell, other, grid.side))
                {
                    assert_true(at < record.neighbour_count);
                    assert_int_equal(record.neighbours[at++], other);
                }
            assert_int_equal(at, record.neighbour_count);
            most = at > most ? at : most;
        }
        assert_int_equal(most, depth == 0 ? 1 : depth == 1 ? 8 : 27);
    }
}

static void cells_share_their_planes(void **state)
{
    (void)state;
    broad_octree_grid grid = make_grid(CUBE, 2);
    broad_cell_record one, next;
    broad_grid_record(&grid, broad_grid_number(&grid, 1, 2, 0), &one);
    broad_grid_record(&grid, broad_grid_number(&grid, 2, 2, 0), &next);
    assert_true(one.box.min.x == -2 && one.box.max.x == 0 && next.box.min.x == 0 && next.box.max.x == 2);
    assert_true(one.box.min.y == 0 && one.box.max.y == 2);
    assert_true(one.box.min.z == -INFINITY && one.box.max.z == -2); /* outermost cells have no bounds outwards */
}

/* ---- location ---- */

/* Cells are half-open. */
static bool has_points_in(const carom_aabb *box, const carom_aabb *cell)
{
    for (int axis = 0; axis < 3; axis++)
    {
        double low = ((double *)&cell->min)[axis], high = ((double *)&cell->max)[axis];
        if (!(((double *)&box->max)[axis] >= low && (((double *)&box->min)[axis] < high || high == INFINITY)))
            return false;
    }
    return true;
}

static void check_location(const broad_octree_grid *grid, const carom_aabb *box)
{
    broad_cell_range range = broad_grid_locate(grid, box);
    for (uint32_t cell = 0; cell < broad_grid_cell_count(grid); cell++)
    {
        broad_cell_record record;
        broad_grid_record(grid, cell, &record);
        uint32_t at[3] = {cell % grid->side, cell / grid->side % grid->side, cell / grid->side / grid->side};
        bool located = true;
        for (int axis = 0; axis < 3; axis++)
            located &= at[axis] >= range.low[axis] && at[axis] <= range.high[axis];
        if (located != has_points_in(box, &record.box))
            fail_msg("box (%.17g, %.17g, %.17g) to (%.17g, %.17g, %.17g) and cell %u of depth %u: located %d",
                     box->min.x, box->min.y, box->min.z, box->max.x, box->max.y, box->max.z, cell, grid->depth,
                     located);
    }
}

/* An end of a box: on a plane, next to one, anywhere, or far away. */
static double random_end(const broad_octree_grid *grid, check_random *random, int axis)
{
    uint64_t kind = check_next(random) % 8;
    double plane = ((double *)&grid->low)[axis] + (double)(check_next(random) % (grid->side + 1)) * grid->cell;
    if (kind < 2)
        return plane;
    if (kind < 4)
        return nextafter(plane, kind == 2 ? INFINITY : -INFINITY);
    if (kind == 4)
        return check_next(random) % 2 ? 1e300 : -1e300;
    if (kind == 5)
        return check_next(random) % 2 ? INFINITY : -INFINITY;
    double length = grid->cell * grid->side;
    return ((double *)&grid->low)[axis] + check_uniform(random, -0.2, 1.2) * length;
}

static void boxes_are_in_exactly_the_cells_they_meet(void **state)
{
    (void)state;
    static const carom_aabb SCENES[] = {{{-4, -4, -4}, {4, 4, 4}},
                                        {{0.1, -7.3, 2.7}, {10.4, 1.9, 3.3}},
                                        {{1e12, -1e12, 1e9}, {1e12 + 1, -1e12 + 0.3, 1e9 + 0.7}},
                                        {{1e15, 0, 0}, {1e15 + 0.5, 0.1, 0.1}}, /* planes coincide */
                                        {{-1e-9, 0, 0}, {1e-9, 1e-10, 1e-9}},
                                        {{-1e299, -1e299, 0}, {1e299, 1e299, 1}}};
    check_random random = {.state = 27};
    for (size_t s = 0; s < sizeof SCENES / sizeof *SCENES; s++)
        for (uint32_t depth = 0; depth <= 3; depth++)
        {
            broad_octree_grid grid = make_grid(SCENES[s], depth);
            for (int i = 0; i < 400; i++)
            {
                carom_aabb box;
                for (int axis = 0; axis < 3; axis++)
                {
                    double a = random_end(&grid, &random, axis), b = random_end(&grid, &random, axis);
                    b = i % 5 == 0 ? a : i % 5 == 1 ? nextafter(a, INFINITY) : b; /* a point, or nearly */
                    ((double *)&box.min)[axis] = fmin(a, b), ((double *)&box.max)[axis] = fmax(a, b);
                }
                check_location(&grid, &box);
            }
        }
}

/* ---- depth ---- */

static void the_depth_follows_the_rule(void **state)
{
    (void)state;
    assert_int_equal(broad_grid_max_depth(200, 5.8), 5);
    assert_int_equal(broad_grid_max_depth(200, 6.25), 5); /* not smaller than the largest mover */
    assert_int_equal(broad_grid_max_depth(200, 6.26), 4);
    assert_int_equal(broad_grid_max_depth(200, 150), 0);
    assert_int_equal(broad_grid_max_depth(200, 0), BROAD_GRID_MAX_DEPTH);
    check_random random = {.state = 3};
    for (int i = 0; i < 1000; i++)
    {
        double length = check_uniform(&random, 1, 1000), mover = length * check_uniform(&random, 0.02, 1.0);
        uint32_t depth = broad_grid_max_depth(length, mover);
        assert_true(mover <= length / (1 << depth) && mover > length / (1 << (depth + 1)));
    }
    static const struct
    {
        double mover;
        uint32_t count, depth;
    } CASES[] = {{150, 600, 2}, {40, 600, 2},   {24, 600, 3},   {10, 600, 4},      {1, 600, 4},
                 {1, 40000, 5}, {1, 400000, 6}, {7, 400000, 4}, {1, UINT32_MAX, 6}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
    {
        broad_grid_extent extent = {{{0, 0, 0}, {200, 100, 50}}, CASES[i].mover, CASES[i].count};
        assert_int_equal(broad_grid_choose_depth(&extent), CASES[i].depth);
    }
}

static void the_extent_is_that_of_all_finite_boxes(void **state)
{
    (void)state;
    broad_grid_extent extent = broad_grid_no_extent();
    assert_true(broad_grid_length(&extent) == 0);
    const carom_aabb boxes[] = {{{0, 0, 0}, {1, 2, 3}}, {{-5, 0, 0}, {-4, 7, 1}}, {{0, 0, -INFINITY}, {1, 1, 1}}};
    for (int i = 0; i < 3; i++)
        broad_grid_add_box(&extent, &boxes[i], i == 1);
    carom_aabb empty = aabb_empty();
    broad_grid_add_box(&extent, &empty, false);
    assert_int_equal(extent.count, 3);
    assert_true(extent.largest_mover == 3); /* the larger one is static */
    assert_true(broad_grid_length(&extent) == 7);
    broad_octree_grid grid = make_grid((carom_aabb){{1, 1, 1}, {1, 1, 1}}, 4);
    assert_int_equal(grid.side, 1); /* nothing to divide */
}

/* ---- the broad phase ---- */

enum
{
    BOXES = 150
};

typedef struct play
{
    carom_aabb boxes[BOXES];
    broad_traits traits[BOXES];
    uint32_t changed[BOXES], changed_count;
    check_random random;
} play;

static void place(play *p, uint32_t i)
{
    double size = check_next(&p->random) % 20 == 0 ? 40.0 : check_uniform(&p->random, 0.0, 1.5);
    carom_vec3 at = check_random_point(&p->random, -4, 4);
    p->boxes[i] =
        check_next(&p->random) % 12 == 0 ? aabb_empty() : (carom_aabb){at, vec3_add(at, vec3(size, size, 0.5))};
    p->traits[i] = (broad_traits){i + 1, check_next(&p->random) % 3 == 0, {1, 1, 0}};
}

static void change(play *p)
{
    p->changed_count = 0;
    for (uint32_t i = 0; i < BOXES; i++)
    {
        uint64_t kind = check_next(&p->random) % 10;
        if (kind > 5)
            continue;
        if (kind == 0)
            place(p, i);
        else if (!broad_is_empty(&p->boxes[i]))
        {
            carom_vec3 by = check_random_point(&p->random, -0.5, 0.5);
            p->boxes[i] = (carom_aabb){vec3_add(p->boxes[i].min, by), vec3_add(p->boxes[i].max, by)};
        }
        p->changed[p->changed_count++] = i;
    }
}

static bool is_listed(const void *phase, uint32_t cell, bool is_static, uint32_t slot)
{
    uint32_t count, times = 0;
    const uint32_t *objects = broad_topogrid_objects(phase, cell, is_static, &count);
    for (uint32_t i = 0; i < count; i++)
        times += objects[i] == slot;
    assert_true(times <= 1);
    return times == 1;
}

/* Each box is listed in the cells that it is in, or, if these are more than 64, in none. */
static void check_lists(const void *phase, const play *p)
{
    const broad_octree_grid *grid = broad_topogrid_grid(phase);
    for (uint32_t i = 0; i < BOXES; i++)
    {
        bool is_empty = broad_is_empty(&p->boxes[i]), is_static = p->traits[i].is_static;
        broad_cell_range range = {0};
        if (!is_empty)
            range = broad_grid_locate(grid, &p->boxes[i]);
        bool in_cells = !is_empty && broad_range_cells(&range) <= 64;
        for (uint32_t cell = 0; cell < broad_grid_cell_count(grid); cell++)
        {
            broad_cell_record record;
            broad_grid_record(grid, cell, &record);
            assert_int_equal(is_listed(phase, cell, is_static, i),
                             in_cells && has_points_in(&p->boxes[i], &record.box));
            assert_false(is_listed(phase, cell, !is_static, i));
        }
    }
}

static void check_pairs(carom_context *context, const broad_input *input, broad_pairs *pairs)
{
    void *brute;
    broad_pairs truth = {0};
    uint64_t tested = 0, *space = calloc(BOXES * BOXES, sizeof *space);
    assert_int_equal(broad_brute.create(context, &brute), CAROM_OK);
    assert_int_equal(broad_brute.find_pairs(brute, input, &truth, &tested), CAROM_OK);
    base_sort_u64(pairs->items, space, pairs->count);
    base_sort_u64(truth.items, space, truth.count);
    assert_int_equal(pairs->count, truth.count);
    assert_memory_equal(pairs->items, truth.items, truth.count * sizeof *truth.items);
    assert_true(truth.count > 20);
    base_array_free(context, &truth);
    broad_brute.destroy(brute);
    free(space);
}

static void lists_follow_the_boxes_at_every_depth(void **state)
{
    carom_context *context = *state;
    play *p = calloc(1, sizeof *p);
    void *phase;
    broad_pairs pairs = {0};
    assert_int_equal(broad_topogrid.create(context, &phase), CAROM_OK);
    for (uint32_t depth = 0; depth <= BROAD_GRID_MAX_DEPTH; depth++) /* 0: automatic */
    {
        p->random.state = 50 + depth;
        for (uint32_t i = 0; i < BOXES; i++)
            place(p, i), p->changed[i] = i;
        p->changed_count = BOXES;
        for (int frame = 0; frame < 40; frame++)
        {
            uint64_t tested = 0;
            broad_input input = {.boxes = p->boxes,
                                 .traits = p->traits,
                                 .slot_count = BOXES,
                                 .changed = p->changed,
                                 .changed_count = p->changed_count,
                                 .grid_depth = depth};
            assert_int_equal(broad_topogrid.find_pairs(phase, &input, &pairs, &tested), CAROM_OK);
            check_pairs(context, &input, &pairs);
            assert_int_equal(broad_topogrid_grid(phase)->depth, depth ? depth : 2);
            if (depth <= 3 && frame % 4 == 0)
                check_lists(phase, p);
            change(p);
        }
    }
    base_array_free(context, &pairs);
    broad_topogrid.destroy(phase);
    free(p);
}

/* ---- the diagonal rule ---- */

static uint32_t count_cells(const broad_octree_grid *grid, const broad_cell_set *set)
{
    uint32_t count = 0;
    for (uint32_t cell = 0; cell < broad_grid_cell_count(grid); cell++)
        count += broad_cell_set_has(set, cell);
    return count;
}

static broad_oriented random_box(check_random *random)
{
    double q[4];
    for (int i = 0; i < 4; i++)
        q[i] = check_uniform(random, -1, 1);
    carom_pose pose = carom_pose_from_quaternion(q, check_random_point(random, -4.5, 4.5));
    broad_oriented box = {.centre = pose.translation};
    for (int i = 0; i < 3; i++)
    {
        carom_vec3 unit = {i == 0, i == 1, i == 2};
        carom_vec3 axis = vec3_sub(pose_apply(&pose, unit), pose.translation);
        box.half[i] = vec3_scale(axis, check_uniform(random, 0.05, 3.0));
    }
    return box;
}

static carom_vec3 point_of(const broad_oriented *box, double x, double y, double z)
{
    return vec3_add(box->centre, vec3_add(vec3_scale(box->half[0], x),
                                          vec3_add(vec3_scale(box->half[1], y), vec3_scale(box->half[2], z))));
}

static uint32_t cell_at(const broad_octree_grid *grid, carom_vec3 point)
{
    carom_aabb box = {point, point};
    broad_cell_range range = broad_grid_locate(grid, &box);
    return broad_grid_number(grid, range.low[0], range.low[1], range.low[2]);
}

/* Points of a box are in its cells; those of its first diagonal are in cells that the rule finds, too. */
static void points_of_a_box_are_in_its_cells(void **state)
{
    (void)state;
    check_random random = {.state = 4};
    uint32_t missed = 0, all = 0;
    for (int i = 0; i < 600; i++)
    {
        broad_octree_grid grid = make_grid(CUBE, 1 + i % 4);
        broad_oriented box = random_box(&random);
        broad_cell_set cells, found;
        broad_grid_oriented_cells(&grid, &box, &cells);
        broad_grid_diagonal_cells(&grid, &box, &found);
        for (int k = 0; k < 400; k++)
        {
            carom_vec3 at = check_random_point(&random, -1, 1);
            assert_true(broad_cell_set_has(&cells, cell_at(&grid, point_of(&box, at.x, at.y, at.z))));
            double t = -1.0 + k / 199.5;
            assert_true(broad_cell_set_has(&found, cell_at(&grid, point_of(&box, t, t, t))));
        }
        for (uint32_t cell = 0; cell < broad_grid_cell_count(&grid); cell++)
        {
            bool own = broad_cell_set_has(&cells, cell);
            assert_true(own || !broad_cell_set_has(&found, cell));
            all += own, missed += own && !broad_cell_set_has(&found, cell);
        }
    }
    assert_true(missed > all / 20 && missed < all); /* it does miss some */
}

static void the_rule_misses_cells_between_the_diagonals(void **state)
{
    (void)state;
    broad_octree_grid grid = make_grid(CUBE, 3);
    broad_cell_set cells, found;
    /* Three cells along each axis. A diagonal leaves the middle along x first, then y, then z. */
    broad_oriented box = {{0.5, 0.5, 0.5}, {{1.4, 0, 0}, {0, 1.3, 0}, {0, 0, 1.2}}};
    broad_grid_oriented_cells(&grid, &box, &cells);
    broad_grid_diagonal_cells(&grid, &box, &found);
    assert_int_equal(count_cells(&grid, &cells), 27);
    assert_int_equal(count_cells(&grid, &found), 1 + 2 + 4 + 8);
    /* Five: what the other diagonals end in is not beside a cell of the first. */
    box = (broad_oriented){{0.5, 0.5, 0.5}, {{2.4, 0, 0}, {0, 2.3, 0}, {0, 0, 2.2}}};
    broad_grid_oriented_cells(&grid, &box, &cells);
    broad_grid_diagonal_cells(&grid, &box, &found);
    assert_int_equal(count_cells(&grid, &cells), 125);
    for (int corner = 0; corner < 8; corner++)
    {
        uint32_t cell = cell_at(&grid, point_of(&box, corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1));
        assert_int_equal(broad_cell_set_has(&found, cell), corner == 0 || corner == 7);
    }
    /* Within one cell, where equation (6) as printed finds none: all four diagonals end in it. */
    box = (broad_oriented){{0.5, 0.5, 0.5}, {{0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}}};
    broad_grid_diagonal_cells(&grid, &box, &found);
    assert_int_equal(count_cells(&grid, &found), 1);
    assert_true(broad_cell_set_has(&found, cell_at(&grid, box.centre)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_has_all_neighbours_and_no_others),
        cmocka_unit_test(cells_share_their_planes),
        cmocka_unit_test(boxes_are_in_exactly_the_cells_they_meet),
        cmocka_unit_test(the_depth_follows_the_rule),
        cmocka_unit_test(the_extent_is_that_of_all_finite_boxes),
        cmocka_unit_test_setup_teardown(lists_follow_the_boxes_at_every_depth, check_open_context, check_close_context),
        cmocka_unit_test(points_of_a_box_are_in_its_cells),
        cmocka_unit_test(the_rule_misses_cells_between_the_diagonals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
