/* Attacks on the error bounds of a half line through a wide tree: what decides which triangles count for a winding
 * number. The kernel is compiled into this program as a model of itself (simd_model.h), so that a bound is compared
 * with what an adversary who rounds could reach, and with what the machine reaches. */
#define CAROM_ISA model_here
#include "support/simd_model.h"

#include "tree/wide_line_simd.c" /* NOLINT(bugprone-suspicious-include): its static functions are what is tested */

#include "support/hill.h"
#include "tree/bodies.h"
#include "tree/fitted_box.h"

typedef enum attacker
{
    ADVERSARY, /* chooses every rounding */
    MACHINE
} attacker;

static void cross3(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static bool unit_of(const double numbers[3], double out[3])
{
    double length = sqrt(dot3(numbers, numbers));
    for (int k = 0; k < 3; k++)
        out[k] = numbers[k] / length;
    return length > 0.01;
}

static void aim(wide_line *line, const double origin[3], const double direction[3])
{
    for (int k = 0; k < 3; k++)
    {
        line->exact_origin[k] = origin[k], line->origin[k] = (float)origin[k];
        line->direction[k] = (float)direction[k];
    }
}

/* ---- triangles ---- */

enum
{
    TRIANGLE_NUMBERS = 15 /* three corners, the origin, the direction */
};

typedef struct triangle_attack
{
    attacker by;
    double pad;
} triangle_attack;

/* The sides of the edges that the line passes on, of corners that are off by up to pad in the worst direction. */
static void true_sides(const double *n, const double d[3], double pad, double side[3])
{
    for (int i = 0; i < 3; i++)
    {
        double p[3], q[3], pq[3], p_turned[3], q_turned[3];
        for (int k = 0; k < 3; k++)
            p[k] = n[3 * i + k] - n[9 + k], q[k] = n[3 * ((i + 1) % 3) + k] - n[9 + k];
        cross3(q, d, p_turned), cross3(d, p, q_turned); /* where p and q have to go */
        for (int k = 0; k < 3; k++)
        {
            p[k] += pad * p_turned[k] / sqrt(dot3(p_turned, p_turned) + 1e-30);
            q[k] += pad * q_turned[k] / sqrt(dot3(q_turned, q_turned) + 1e-30);
        }
        cross3(p, q, pq);
        side[i] = dot3(d, pq);
    }
}

/* What the sides may be off by, over their bound. */
static double triangle_error(const double *numbers, void *user)
{
    const triangle_attack *attack = user;
    const double reach = 1.0 + 0x1p-8; /* just above a power of two, as differences and products are then */
    double n[TRIANGLE_NUMBERS], d[3], side[3];
    for (int i = 0; i < TRIANGLE_NUMBERS; i++)
        n[i] = reach * numbers[i];
    wide_leaf leaf = {.reach = (float)reach, .count = 1};
    wide_line line = {.pad = (float)attack->pad};
    if (!unit_of(n + 12, d))
        return 0.0;
    aim(&line, n + 9, d);
    for (int i = 0; i < 9; i++)
        leaf.corner[i / 3][i % 3][0] = (float)n[i];
    model_begin(true);
    test_triangles(&line, &leaf);
    int below = model.compared[0][1].computed < 0.0f ? 0 : 1; /* C leaves the order of arguments open */
    f8 low = model.compared[below][0], high = model.compared[1 - below][0], error = model.compared[1 - below][1];
    if (attack->by == ADVERSARY)
        return fmax(model_worst(low, error), model_worst(high, error)) / (double)error.computed;
    true_sides(n, d, attack->pad, side);
    double off_low = fmin(side[0], fmin(side[1], side[2])) - (double)low.computed;
    double off_high = fmax(side[0], fmax(side[1], side[2])) - (double)high.computed;
    return fmax(fabs(off_low), fabs(off_high)) / (double)error.computed;
}

static double attack_triangles(const char *name, triangle_attack attack)
{
    double numbers[HILL_NUMBERS];
    hill hill = {triangle_error, &attack, TRIANGLE_NUMBERS, 40000};
    double used = hill_climb(1, effort(10), &hill, numbers);
    print_message("triangles, %s: %.3f of the bound\n", name, used);
    assert_true(used < 1.0);
    return used;
}

static void sides_of_triangles_err_less_than_their_bound(void **state)
{
    (void)state;
    assert_true(attack_triangles("an adversary's roundings", (triangle_attack){ADVERSARY, 0.0}) > 0.5);
    assert_true(attack_triangles("the machine's", (triangle_attack){MACHINE, 0.0}) > 0.2);
    assert_true(attack_triangles("corners off by the pad", (triangle_attack){MACHINE, 0x1p-8}) > 0.7);
}

/* ---- boxes ---- */

enum
{
    BOX_NUMBERS = 6 + FITTED_NUMBERS /* origin, direction, a box */
};

typedef struct box_attack
{
    attacker by;
    double away;
} box_attack;

/* Beyond what the half line may pass, across the box's axes i and j, without rounding; and what the axes add to it. */
static double true_excess(const fitted_box *b, const double to[3], const double d[3], int i, double *bent)
{
    int j = (i + 1) % 3;
    double e_i = dot3(b->axis[i], d), e_j = dot3(b->axis[j], d);
    double off = fabs(dot3(b->axis[i], to) * e_j - dot3(b->axis[j], to) * e_i), reach = 0.0;
    for (int k = 0; k < 3; k++)
        reach += b->half[k] * fabs(dot3(b->axis[i], b->axis[k]) * e_j - dot3(b->axis[j], b->axis[k]) * e_i);
    *bent = reach - b->half[i] * fabs(e_j) - b->half[j] * fabs(e_i);
    return off - reach;
}

static double box_error(const double *n, void *user)
{
    const box_attack *attack = user;
    double d[3], origin[3], to[3], largest = 0.0;
    wide_line line = {0};
    wide_node node;
    if (!unit_of(n + 3, d))
        return 0.0;
    fitted_box b = make_fitted_box(n + 6, &node);
    for (int k = 0; k < 3; k++)
        origin[k] = n[k] * attack->away, to[k] = b.centre[k] - origin[k];
    aim(&line, origin, d);
    line.margin = wide_line_margin(line.origin);
    model_begin(true);
    test_boxes(&line, &node);
    for (int i = 0; i < 3; i++)
    {
        double bent, truth = true_excess(&b, to, d, i, &bent);
        f8 off = model.compared[1 + i][0], reach = model.compared[1 + i][1];
        double error = attack->by == ADVERSARY
                           ? model_worst(off, reach) + bent
                           : (double)off.computed - (double)reach.computed + (double)line.margin - truth;
        largest = fmax(largest, error);
    }
    /* behind: nothing that is ahead by 0 or more may be called so */
    f8 ahead = model.compared[0][0], zero = model.compared[0][1];
    double truth = dot3(to, d);
    for (int k = 0; k < 3; k++)
        truth += b.half[k] * fabs(dot3(b.axis[k], d));
    if (truth > -0.01 && truth < 0.01)
        largest = fmax(largest, attack->by == ADVERSARY ? model_worst(ahead, zero)
                                                        : truth - (double)ahead.computed + (double)line.margin);
    return largest / (double)line.margin;
}

static double attack_boxes(const char *name, box_attack attack)
{
    double numbers[HILL_NUMBERS];
    hill hill = {box_error, &attack, BOX_NUMBERS, 40000};
    double used = hill_climb(2, effort(10), &hill, numbers);
    print_message("boxes, %s, origin %g away: %.3f of the margin\n", name, attack.away, used);
    assert_true(used < 1.0);
    return used;
}

static void boxes_err_less_than_the_margin(void **state)
{
    (void)state;
    assert_true(attack_boxes("an adversary's roundings", (box_attack){ADVERSARY, 8.0}) > 0.5);
    assert_true(attack_boxes("an adversary's roundings", (box_attack){ADVERSARY, 1000.0}) > 0.6);
    assert_true(attack_boxes("an adversary's roundings", (box_attack){ADVERSARY, 0.125}) > 0.3);
    assert_true(attack_boxes("the machine's", (box_attack){MACHINE, 8.0}) > 0.25);
    assert_true(attack_boxes("the machine's", (box_attack){MACHINE, 1000.0}) > 0.35);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sides_of_triangles_err_less_than_their_bound),
                                       cmocka_unit_test(boxes_err_less_than_the_margin)};
    return cmocka_run_group_tests(tests, open_contexts, close_contexts);
}
