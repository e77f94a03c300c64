/* Attacks DOUBLED_ERROR (docs/exactness.md, section 21): the search for the nearest features as a model of itself in
 * which an adversary chooses the error of every operation in twice the precision, as large as it is derived to be
 * (test_doubled shows how large it gets), in the direction that hurts most. The comparison with a limit goes through
 * the most operations. */
#define CAROM_ISA model
#define CAROM_ISA_SCALAR
#define MATH_EXACT_DOUBLE_STEPS_H  /* the model takes its place */
#define exact_distance_of_parts    here_distance_of_parts
#define exact_parts_may_be_nearest here_parts_may_be_nearest
#define exact_way_side             here_way_side
#define exact_height               here_height
#define exact_height_to_spare      here_height_to_spare
#define exact_interval_less        here_interval_less
#define exact_round_interval       here_round_interval
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
    double join_error; /* of parts that were put together, in units of u^2: as derived for where it is used */
} model = {.join_error = 1.0};

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

/* The lower part y is nothing beside x, and may have been made of the numbers of operations. */
static doubled doubled_join(double x, double y, double size)
{
    (void)y;
    return model_number(x, size, model.join_error * fabs(x));
}

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
/* NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "math/exact_distance.c"

/* ---- the attack ---- */

/* Number 0 stands for all that are exact. */
static void model_begin(double join_error)
{
    model.count = 0;
    model.join_error = join_error;
    model_number(0.0, 0.0, 0.0);
}

static double model_ratio(double bound)
{
    doubled x = model.last;
    return x.size > 0x1p-200 ? model_worst(x) * SQUARED_UNIT / (bound * x.size) : 0.0;
}

/* numbers: two triangles, the limit. The features: a corner, an edge or a face of each. */
static double beyond_ratio(const double *n, unsigned first, unsigned second)
{
    carom_vec3 corner[6];
    for (int i = 0; i < 6; i++)
        corner[i] = vec3(n[3 * i], n[3 * i + 1], n[3 * i + 2]);
    exact_part a = {corner, first}, b = {corner + 3, second};
    features f = {.in_range = true, .certain = true, .first = &a, .second = &b};
    way way;
    model_begin(1.0); /* a limit and its error */
    f.few = list_corners(&a, f.p), f.more = list_corners(&b, f.q);
    set_way(&f, &way);
    doubled gap = way.height;
    is_behind(&f, way.across, &gap);
    int before = model.count;
    is_beyond(&f, &way, gap, &(exact_interval){fabs(n[18]), 0.0, 0.0});
    if (!f.in_range || model.count < before + 5)
        return 0.0; /* the squares were not compared */
    return model_ratio(DOUBLED_ERROR);
}

static double corner_and_edge(const double *n) { return beyond_ratio(n, 1, 3); }
static double corner_and_face(const double *n) { return beyond_ratio(n, 1, 7); }
static double two_edges(const double *n) { return beyond_ratio(n, 3, 3); }

/* The screen, numbers: a direction, two points, a distance. */
static double screen_height(const double *n)
{
    carom_vec3 to = vec3(n[6], n[7], n[8]);
    model_begin(3.0); /* a product of a double and a difference */
    height_of_points_model(vec3(n[0], n[1], n[2]), vec3(n[3], n[4], n[5]), (carom_vec3[3]){to, to, to}, false);
    return model_ratio(DOUBLED_HEIGHT_ERROR);
}

static double screen_spare(const double *n)
{
    model_begin(8.125); /* the length of the direction */
    exact_height_to_spare(vec3(n[0], n[1], n[2]), vec3(n[3], n[4], n[5]), vec3(n[6], n[7], n[8]),
                          &(exact_interval){fabs(n[9]), 0.0, 0.0});
    return model_ratio(DOUBLED_SPARE_ERROR);
}

static void all_errors_together_are_within_the_bound(void **state)
{
    (void)state;
    climb_attack(&(climb){"a corner and an edge", corner_and_edge, 19, 0.5, 1, NULL, 10, 20000, false});
    climb_attack(&(climb){"a corner and a face", corner_and_face, 19, 0.4, 2, NULL, 10, 20000, false});
    climb_attack(&(climb){"two edges", two_edges, 19, 0.4, 3, NULL, 10, 20000, false});
    climb_attack(&(climb){"the screen's heights", screen_height, 9, 0.6, 4, NULL, 4, 5000, false});
    climb_attack(&(climb){"height to spare", screen_spare, 10, 0.6, 5, NULL, 4, 5000, false});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_errors_together_are_within_the_bound)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
