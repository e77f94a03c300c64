/* Attacks on the error bounds of support heights: those of boxes that a walk through a wide tree skips, those of
 * vertices that are left out, and the tolerance with which walks end early. */
#define CAROM_ISA model_here
#include "support/simd_model.h"

#include "tree/wide_support_simd.c" /* NOLINT(bugprone-suspicious-include): its static functions are what is tested */

#include "support/hill.h"
#include "tree/bodies.h"
#include "tree/fitted_box.h"

/* ---- bounds of boxes ---- */

/* What the height of a box's bound may be off by where an adversary rounds, over the bound of that. */
static double box_height_error(const double *n, void *user)
{
    (void)user;
    wide_node node;
    float u[3];
    make_fitted_box(n, &node);
    for (int k = 0; k < 3; k++)
        u[k] = (float)nearbyint(8.0 * n[FITTED_NUMBERS + k]) * 0.125f;
    u[0] = 1.0f;
    model_begin(false);
    directions all = {f8_loadu(&u[0]), f8_loadu(&u[1]), f8_loadu(&u[2])};
    f8 height = child_heights(&node, 0, &all);
    if (height.computed > 3.0f)
        return 0.0; /* higher than any vertex: such a child is not skipped */
    return model_worst(height, f8_zero()) / (double)WIDE_WALK_ROUNDING;
}

static void bounds_of_boxes_err_less_than_their_rounding(void **state)
{
    (void)state;
    double numbers[HILL_NUMBERS];
    hill hill = {box_height_error, NULL, FITTED_NUMBERS + 3, 40000};
    double used = hill_climb(1, effort(10), &hill, numbers);
    print_message("heights of boxes, an adversary's roundings: %.3f of the bound\n", used);
    assert_true(used < 1.0 && used > 0.5);
}

/* ---- the walk's tolerance ---- */

enum
{
    SIDE = 12,
    TERRAIN = 2 * SIDE * SIDE
};

/* A flat square above the origin, and a point below it. */
static void lay_out(carom_vec3 corners[3 * TERRAIN])
{
    for (int i = 0; i < TERRAIN; i++)
        for (int c = 0; c < 3; c++)
        {
            double x = i / 2 % SIDE + (c == 1 || (i % 2 && c == 2)), y = i / 2 / SIDE + (c == 2 || (i % 2 && c == 0));
            corners[3 * i + c] = vec3(2.0 * x / SIDE - 1.0, 2.0 * y / SIDE - 1.0, 0.75);
        }
    corners[0] = corners[1] = corners[2] = vec3(-1.0, -1.0, -0.75);
}

/* Raises the leaves inside the square, but not those at its rim: these are higher along tilted directions, so that the
 * walk of a block of directions begins there, and are a little lower straight up. */
static void raise_inside(const wide_tree *tree, carom_vec3 corners[3 * TERRAIN], double lift)
{
    for (uint32_t i = 0; i < tree->leaf_count; i++)
    {
        const wide_leaf *leaf = &tree->leaves[i];
        bool rim = false;
        for (uint32_t k = 0; k < 3 * leaf->count; k++)
        {
            carom_vec3 v = corners[3 * leaf->triangle[k / 3] + k % 3];
            rim |= fabs(v.x) == 1.0 || fabs(v.y) == 1.0;
        }
        for (uint32_t k = 0; k < 3 * leaf->count && !rim; k++)
            corners[3 * leaf->triangle[k / 3] + k % 3].z += lift;
    }
}

/* The entry straight up, from a walk: how much of the tolerance and the rounding is needed. */
static double tolerance_used(double lift)
{
    carom_vec3 corners[3 * TERRAIN];
    lay_out(corners);
    carom_mesh *mesh = soup_mesh(contexts[0], corners, TERRAIN);
    carom_tree *tree = tree_of(contexts[0], mesh, 0);
    raise_inside(tree->wide, corners, lift);
    carom_mesh *moved = soup_mesh(contexts[0], corners, TERRAIN);
    assert_int_equal(carom_tree_refit(tree, moved), CAROM_OK);
    wide_support_fill(contexts[0], tree->wide, moved, &(wide_points){0});
    const int up = 4 * WIDE_SUPPORT_SIDE * WIDE_SUPPORT_SIDE + WIDE_SUPPORT_SIDE / 2 * (WIDE_SUPPORT_SIDE + 1);
    double highest = (0.75 + lift - tree->wide->centre.z) * tree->wide->scale;
    double above = (double)tree->wide->support[up] - highest;
    if (!(above >= 0.0))
        fail_msg("raised by %g: the entry is %g below the highest vertex", lift, -above);
    carom_tree_destroy(tree), carom_mesh_destroy(mesh), carom_mesh_destroy(moved);
    return 1.0 - above / (0x1p-16 + (double)WIDE_WALK_ROUNDING);
}

static void walks_end_early_within_their_tolerance(void **state)
{
    (void)state;
    double largest = 0.0;
    for (int lift = 8; lift < 320; lift++)
        largest = fmax(largest, tolerance_used((double)lift * 0x1p-24));
    print_message("walks that end early: %.3f of the tolerance and rounding\n", largest);
    assert_true(largest > 0.5);
}

/* ---- vertices ---- */

enum
{
    PATCH_SIDE = 8, /* directions 1, 1/8 .. 1, 1/8 .. 1 */
    POINTS = 2,
    POINT_NUMBERS = 11
};

static void make_patch(wide_patch *out)
{
    const float first = 0.125f;
    out->count = 72;
    for (uint32_t i = 0; i < out->count; i++)
    {
        uint32_t at = i < PATCH_SIDE * PATCH_SIDE ? i : PATCH_SIDE * PATCH_SIDE - 1;
        out->u[0][i] = 1.0f;
        out->u[1][i] = first * (float)(1 + at / PATCH_SIDE), out->u[2][i] = first * (float)(1 + at % PATCH_SIDE);
    }
    for (int i = 0; i < 4; i++)
        out->corner[i][0] = 1.0f, out->corner[i][1] = i & 1 ? 1.0f : first, out->corner[i][2] = i & 2 ? 1.0f : first;
    for (int k = 0; k < 3; k++)
        out->centre[k] = 0.5f * (out->corner[0][k] + out->corner[3][k]);
}

/* A multiple of 1/8 and what is beside it: some units in the last place. */
static double place_beside(const double *n)
{
    return fmax(-1.0, fmin(1.0, nearbyint(8.0 * n[0]) * 0.125 + 64.0 * 0x1p-24 * n[1]));
}

/* Two points, the second nearly as high as the first along (1, 1, 1): one of them is measured instead of both. */
static void place_points(const double *n, double exact[POINTS][3])
{
    for (int k = 0; k < 3; k++)
        exact[0][k] = place_beside(n + 2 * k);
    exact[1][1] = place_beside(n + 6), exact[1][2] = place_beside(n + 8);
    double x = exact[0][0] + exact[0][1] + exact[0][2] - exact[1][1] - exact[1][2] + 12.0 * 0x1p-24 * n[10];
    exact[1][0] = fmax(-1.0, fmin(1.0, x));
}

/* By how much of the rounding an entry is too low before it is added. */
static double point_height_error(const double *n, void *user)
{
    const wide_patch *patch = user;
    float coordinate[3][WIDE_LANES], heights[WIDE_PATCH_ENTRIES];
    double exact[POINTS][3], worst = -INFINITY;
    place_points(n, exact);
    for (int i = 0; i < WIDE_LANES; i++)
        for (int k = 0; k < 3; k++)
            coordinate[k][i] = (float)exact[i % POINTS][k];
    wide_points points = {.x = coordinate[0], .y = coordinate[1], .z = coordinate[2], .count = WIDE_LANES};
    BASE_PICK_ISA(contexts[0], wide_patch_heights)(&points, patch, heights);
    for (uint32_t e = 0; e < PATCH_SIDE * PATCH_SIDE; e++)
    {
        double highest = -INFINITY;
        for (int i = 0; i < POINTS; i++)
            highest = fmax(highest, (double)patch->u[0][e] * exact[i][0] + (double)patch->u[1][e] * exact[i][1] +
                                        (double)patch->u[2][e] * exact[i][2]);
        worst = fmax(worst, highest + (double)WIDE_POINT_ROUNDING - (double)(heights[e] + WIDE_POINT_ROUNDING));
    }
    return worst / (double)WIDE_POINT_ROUNDING;
}

/* An input that a longer climb found. */
static const double TWO_POINTS[POINT_NUMBERS] = {
    0x1.03d9266cb54edp-1,
    0x1.4b47c685c0092p-1,
    -0x1.ef7afe1f46edcp-1,
    0x1.b60fd5231bd3ap-2,
    -0x1.9cda9f0e26775p-1,
    -0x1.0cf8a7967627ap-1,
    0x1p-1,
    0x1.83ffff7e29dadp-1,
    -0x1.76900912dbe2fp-1,
    -0x1.0461dce3fd6a8p-1,
    0x1.184bb62eec208p-2,
};

static void heights_of_points_err_less_than_their_rounding(void **state)
{
    (void)state;
    wide_patch patch;
    double numbers[HILL_NUMBERS];
    make_patch(&patch);
    hill hill = {point_height_error, &patch, POINT_NUMBERS, 40000};
    double used = fmax(hill_climb(3, effort(10), &hill, numbers), point_height_error(TWO_POINTS, &patch));
    print_message("heights of points: %.3f of the rounding\n", used);
    assert_true(used < 1.0 && used > 0.52);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bounds_of_boxes_err_less_than_their_rounding),
                                       cmocka_unit_test(walks_end_early_within_their_tolerance),
                                       cmocka_unit_test(heights_of_points_err_less_than_their_rounding)};
    return cmocka_run_group_tests(tests, open_contexts, close_contexts);
}
