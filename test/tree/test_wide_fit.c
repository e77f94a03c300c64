/* Attacks on what a stored box must contain: the points themselves, not those that were rounded to float, as a sum of
 * its axes and as slabs. Axes and points are chosen so that their roundings add up. */
#include "support/hill.h"
#include "support/rooted.h"
#include "tree/bodies.h"
#include "tree/fitted_box.h"
#include "tree/wide_build.h"

enum
{
    POINTS = 3,         /* one triangle */
    ROOM = POINTS + 16, /* the kernel reads whole vectors */
    NUMBERS = 4 + 3 * POINTS
};

/* How the points lie, and where they come from. */
typedef struct fit_attack
{
    const char *name;
    double spread; /* of the points around the first, or more than 1: anywhere */
    bool refit;    /* coordinates are sums of a leaf's origin and a corner */
    bool only_sum; /* measures what the axes need beyond the slabs */
} fit_attack;

/* Coordinates as a fit sees them; a refit adds them up as wide_leaf_fill took them apart. */
static void store_points(double point[POINTS][3], bool refit, float sorted[3][ROOM])
{
    for (int k = 0; k < 3; k++)
    {
        double low = fmin(point[0][k], fmin(point[1][k], point[2][k]));
        double high = fmax(point[0][k], fmax(point[1][k], point[2][k]));
        float origin = wide_rounded(0.5 * (low + high));
        for (int i = 0; i < POINTS; i++)
            sorted[k][i] = refit ? origin + (float)(point[i][k] - (double)origin) : (float)point[i][k];
    }
}

/* Weights of d as a sum of the axes. */
static void weights_of(const wide_box *box, const double d[3], double w[3])
{
    double a[3][3], c[3];
    for (int i = 0; i < 9; i++)
        a[i / 3][i % 3] = (double)box->axis[i / 3][i % 3];
    for (int k = 0; k < 3; k++)
    {
        const double *p = a[(k + 1) % 3], *q = a[(k + 2) % 3];
        for (int j = 0; j < 3; j++)
            c[j] = p[(j + 1) % 3] * q[(j + 2) % 3] - p[(j + 2) % 3] * q[(j + 1) % 3];
        w[k] = dot3(c, d) / dot3(c, a[k]);
    }
}

/* What of a half's growth the points need: 1 is all of it. */
static double growth_used(const wide_box *box, double point[POINTS][3], bool only_sum)
{
    double sum = (double)box->half[0] + (double)box->half[1] + (double)box->half[2], largest = 0.0;
    for (int i = 0; i < POINTS; i++)
    {
        double d[3], w[3];
        for (int k = 0; k < 3; k++)
            d[k] = point[i][k] - (double)box->centre[k];
        weights_of(box, d, w);
        for (int k = 0; k < 3; k++)
        {
            double axis[3] = {(double)box->axis[k][0], (double)box->axis[k][1], (double)box->axis[k][2]};
            double slab = fabs(dot3(axis, d)), half = (double)box->half[k];
            double grown = (5.25 + half) * 0x1p-24 + WIDE_AXES_DEFECT * sum;
            if (only_sum)
                largest = fmax(largest, (fabs(w[k]) - slab) / (WIDE_AXES_DEFECT * sum));
            else
                largest = fmax(largest, (fmax(fabs(w[k]), slab) - (half - grown)) / grown);
        }
    }
    return largest;
}

static double fit_error(const double *n, void *user)
{
    const fit_attack *attack = user;
    float sorted[3][ROOM] = {{0}};
    double point[POINTS][3];
    wide_build build = {.context = contexts[0], .sorted = {sorted[0], sorted[1], sorted[2]}};
    split_node run = {.first = 0, .count = 1};
    wide_box box;
    carom_pose pose = rooted_pose(n, vec3(0, 0, 0));
    for (int i = 0; i < 9; i++)
        box.axis[i / 3][i % 3] = (float)pose.rotation[i];
    for (int i = 0; i < 3 * POINTS; i++)
    {
        double y = attack->spread > 1.0 || i < 3 ? n[4 + i] : n[4 + i % 3] + attack->spread * n[4 + i];
        point[i / 3][i % 3] = fmax(-1.0, fmin(1.0, y));
    }
    store_points(point, attack->refit, sorted);
    BASE_PICK_ISA(contexts[0], wide_enclose)(&build, &run, &box);
    return growth_used(&box, point, attack->only_sum);
}

static double attack_fit(fit_attack attack)
{
    double numbers[HILL_NUMBERS];
    hill hill = {fit_error, &attack, NUMBERS, 100000};
    double used = hill_climb(1, effort(6), &hill, numbers);
    print_message("%s: %.3f of the growth\n", attack.name, used);
    assert_true(used < 1.0);
    return used;
}

static void boxes_contain_what_is_not_rounded(void **state)
{
    (void)state;
    assert_true(attack_fit((fit_attack){"points close together", 0x1p-20, false, false}) > 0.5);
    assert_true(attack_fit((fit_attack){"points close together, refitted", 0x1p-20, true, false}) > 0.5);
    assert_true(attack_fit((fit_attack){"points anywhere", 2.0, false, false}) > 0.5);
    assert_true(attack_fit((fit_attack){"points anywhere, refitted", 2.0, true, false}) > 0.5);
    assert_true(attack_fit((fit_attack){"axes that are not quite orthonormal", 2.0, false, true}) > 0.8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(boxes_contain_what_is_not_rounded)};
    return cmocka_run_group_tests(tests, open_contexts, close_contexts);
}
