/* Attacks DOUBLED_ERROR (docs/exactness.md, section 21): the search for the nearest features as a model of itself in
 * which an adversary chooses the error of every operation in twice the precision, as large as it is derived to be
 * (test_doubled shows how large it gets), in the direction that hurts most. The comparison with a limit goes through
 * the most operations. */
#define CAROM_ISA model
#define CAROM_ISA_SCALAR
#define MATH_EXACT_DOUBLE_STEPS_H /* the model takes its place */
#include "math/math.h"
#include "support/climb.h"

typedef exact_doubled doubled;

/* ---- the model: `low` is the number of the operation ---- */

enum
{
    MODEL_STEPS = 1024
};

typedef struct model_step
{
    int from[2];
    double slope[2], error; /* in units of u^2 */
} model_step;

static struct
{
    model_step step[MODEL_STEPS];
    int count;
    doubled last;
} model;

static const double SQUARED_UNIT = 0x1p-106;

static doubled model_number(double value, double size, double error)
{
    if (model.count == MODEL_STEPS)
        model.count = 0; /* never: a search has some hundred */
    model.step[model.count] = (model_step){{-1, -1}, {0.0, 0.0}, error};
    return model.last = (doubled){value, (double)model.count++, size};
}

static doubled model_operation(doubled a, doubled b, const double slope[2], doubled result, double error)
{
    doubled out = model_number(result.high, result.size, error);
    model_step *step = &model.step[(int)out.low];
    step->from[0] = (int)a.low, step->from[1] = (int)b.low;
    step->slope[0] = slope[0], step->slope[1] = slope[1];
    return out;
}

/* By how much a number may differ from its exact value, in units of u^2, to first order. */
static double model_worst(doubled a)
{
    static double effect[MODEL_STEPS];
    double sum = 0.0;
    memset(effect, 0, sizeof effect);
    effect[(int)a.low] = 1.0;
    for (int i = (int)a.low; i >= 0; i--)
    {
        const model_step *s = &model.step[i];
        sum += fabs(effect[i]) * s->error;
        for (int k = 0; k < 2; k++)
            if (s->from[k] >= 0)
                effect[s->from[k]] += effect[i] * s->slope[k];
    }
    return sum;
}

static doubled doubled_difference(double a, double b) { return model_number(a - b, fabs(a - b), 0.0); }
static bool doubled_in_range(doubled d) { return d.size == 0.0 || d.size >= 0x1p-120; }
static double doubled_sum_rest(double a, double b, double sum)
{
    double c = sum - a;
    return (a - (sum - c)) + (b - c);
}
static double doubled_product_rest(double x, double y, double product) { return __builtin_fma(x, y, -product); }

/* One rounding of the lower part. */
static doubled doubled_join(double x, double y, double size) { return model_number(x + y, size, fabs(x)); }

static doubled doubled_add(doubled a, doubled b)
{
    double error = a.high == 0.0 || b.high == 0.0 ? 0.0 : 3.0 * (fabs(a.high) + fabs(b.high));
    return model_operation(a, b, (double[2]){1.0, 1.0}, (doubled){a.high + b.high, 0.0, a.size + b.size}, error);
}

static doubled doubled_negative(doubled a)
{
    return model_operation(a, a, (double[2]){-1.0, 0.0}, (doubled){-a.high, 0.0, a.size}, 0.0);
}

static doubled doubled_subtract(doubled a, doubled b) { return doubled_add(a, doubled_negative(b)); }

static doubled doubled_multiply(doubled a, doubled b)
{
    double product = a.high * b.high;
    return model_operation(a, b, (double[2]){b.high, a.high}, (doubled){product, 0.0, a.size * b.size},
                           8.0 * fabs(product));
}

/* NOLINTNEXTLINE(bugprone-suspicious-include): its static functions are what is tested */
#include "math/exact_distance_simd.c"

/* ---- the attack ---- */

/* numbers: two triangles, the limit. The features: a corner, an edge or a face of each. */
static double beyond_ratio(const double *n, unsigned first, unsigned second)
{
    carom_vec3 corner[6];
    for (int i = 0; i < 6; i++)
        corner[i] = vec3(n[3 * i], n[3 * i + 1], n[3 * i + 2]);
    exact_part a = {corner, first}, b = {corner + 3, second};
    features f = {.in_range = true, .certain = true, .first = &a, .second = &b};
    way way;
    model.count = 0;
    f.few = list_corners(&a, f.p), f.more = list_corners(&b, f.q);
    set_way(&f, &way);
    doubled gap = way.height;
    is_behind(&f, way.across, &gap);
    int before = model.count;
    is_beyond(&f, &way, gap, &(exact_interval){fabs(n[18]), 0.0, 0.0});
    if (!f.in_range || model.count < before + 5 || !(model.last.size > 0x1p-200))
        return 0.0; /* the squares were not compared */
    return model_worst(model.last) * SQUARED_UNIT / (DOUBLED_ERROR * model.last.size);
}

static double corner_and_edge(const double *n) { return beyond_ratio(n, 1, 3); }
static double corner_and_face(const double *n) { return beyond_ratio(n, 1, 7); }
static double two_edges(const double *n) { return beyond_ratio(n, 3, 3); }

static void all_errors_together_are_within_the_bound(void **state)
{
    (void)state;
    climb_attack(&(climb){"a corner and an edge", corner_and_edge, 19, 0.5, 1, NULL, 10, 20000, false});
    climb_attack(&(climb){"a corner and a face", corner_and_face, 19, 0.4, 2, NULL, 10, 20000, false});
    climb_attack(&(climb){"two edges", two_edges, 19, 0.4, 3, NULL, 10, 20000, false});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_errors_together_are_within_the_bound)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
