/* B-spline and NURBS patches against rational arithmetic: the definition of Cox and de Boor, de Casteljau's algorithm,
 * and what must hold for all of them. */
#include "carom/patch.h"

#include "geoimage/patch.h"
#include "math/math.h"
#include "support/check.h"
#include "support/patch_truth.h"

#include <string.h>

enum
{
    MAX_COUNT = 24,
    MAX_KNOTS = MAX_COUNT + GEOIMAGE_PATCH_ORDER
};

/* A def with its arrays. */
typedef struct patch_case
{
    carom_patch_def def;
    double u_knots[MAX_KNOTS], v_knots[MAX_KNOTS], weights[MAX_COUNT * MAX_COUNT];
    carom_vec3 points[MAX_COUNT * MAX_COUNT];
    bool extreme;
} patch_case;

static carom_patch *make(carom_context *context, const carom_patch_def *def)
{
    carom_patch *patch = NULL;
    carom_status status = carom_patch_create(context, def, &patch);
    if (status != CAROM_OK)
    {
        char message[256];
        carom_context_message(context, message, sizeof message);
        fail_msg("%s: %s", carom_status_name(status), message);
    }
    return patch;
}

static carom_patch_sample sample_at(const carom_patch *patch, double u, double v)
{
    carom_patch_sample sample;
    assert_int_equal(carom_patch_evaluate(patch, u, v, &sample), CAROM_OK);
    return sample;
}

/* ---- random patches ---- */

static uint32_t below(check_random *random, uint32_t count) { return (uint32_t)(check_next(random) % count); }

static void clamp_uniformly(const carom_patch_axis_def *axis, double *knots)
{
    for (uint32_t i = 0; i <= axis->count + axis->degree; i++)
        knots[i] = fmin(fmax((double)i - axis->degree, 0), axis->count - axis->degree);
}

/* A step from one knot to the next; often none. */
static double random_step(check_random *random, bool extreme)
{
    static const double sizes[] = {0x1p-1074, 0x1p-900, 0x1p-60, 1, 0x1p70};
    if (below(random, 3) == 0)
        return 0;
    return extreme ? sizes[below(random, 5)] * (1 + below(random, 3)) : check_uniform(random, 0.25, 2);
}

static bool random_knots(check_random *random, const carom_patch_axis_def *axis, bool extreme, double *knots)
{
    uint32_t degree = axis->degree, last = axis->count + degree;
    bool clamped = below(random, 2);
    knots[0] = extreme ? 0 : check_uniform(random, -3, 3);
    for (uint32_t i = 1; i <= last; i++)
    {
        double step = random_step(random, extreme);
        if (clamped && (i <= degree || i > axis->count))
            step = 0;
        if (i > degree && knots[i - 1] == knots[i - 1 - degree] && step == 0)
            step = 1;
        knots[i] = knots[i - 1] + step;
        if (i > degree && knots[i] == knots[i - 1 - degree])
            return false; /* the step was lost */
    }
    return knots[degree] < knots[axis->count];
}

static void random_axis(check_random *random, patch_case *c, carom_patch_axis_def *axis, double *knots)
{
    uint32_t max_degree = c->extreme ? 4 : below(random, 8) == 0 ? CAROM_PATCH_MAX_DEGREE : 5;
    axis->knots = knots;
    do
    {
        axis->degree = 1 + below(random, max_degree);
        axis->count = axis->degree + 1 + below(random, 6);
    } while (!random_knots(random, axis, c->extreme, knots));
    if (!c->extreme && below(random, 4) == 0)
        clamp_uniformly(axis, knots);
}

static void random_patch(check_random *random, patch_case *c)
{
    c->extreme = below(random, 4) == 0;
    random_axis(random, c, &c->def.u, c->u_knots);
    random_axis(random, c, &c->def.v, c->v_knots);
    bool rational = below(random, 2), far = below(random, 4) == 0;
    for (uint32_t i = 0; i < c->def.u.count * c->def.v.count; i++)
    {
        c->points[i] = vec3_add(check_random_point(random, -1, 1), far ? vec3(1e6, -1e3, 1e9) : vec3(0, 0, 0));
        c->weights[i] = check_uniform(random, 0.25, 4);
        if (c->extreme)
        {
            c->points[i] = vec3_scale(c->points[i], ldexp(1, (int)below(random, 1060) - 1000));
            c->weights[i] = ldexp(1, (int)below(random, 201) - 100);
        }
    }
    c->def.points = c->points, c->def.weights = rational ? c->weights : NULL;
}

/* Often a knot or an end of the domain. */
static double random_parameter(check_random *random, const carom_patch_axis_def *axis)
{
    uint32_t span = axis->degree + below(random, axis->count - axis->degree);
    double from = axis->knots[span], to = axis->knots[span + 1];
    switch (below(random, 6))
    {
    case 0: return axis->knots[axis->count];
    case 1: return from;
    default: return fmin(to, from + (to - from) * check_uniform(random, 0, 1));
    }
}

typedef struct comparison
{
    double worst; /* error / bound */
    uint32_t normals;
} comparison;

static void compare(const patch_case *c, const carom_patch *patch, const double uv[2], comparison *out)
{
    patch_truth truth;
    patch_truth_init(&truth);
    patch_truth_at(&c->def, uv[0], uv[1], &truth);
    carom_patch_sample sample = sample_at(patch, uv[0], uv[1]);
    for (int axis = 0; axis < 3; axis++)
    {
        double error = patch_truth_error(&truth, sample.position, axis);
        out->worst = fmax(out->worst, error / patch_truth_bound(&truth, &c->def, axis));
    }
    carom_vec3 normal;
    if (!c->extreme && patch_truth_normal(&truth, &normal))
    {
        double off = vec3_length(vec3_sub(normal, sample.normal));
        check_near(off, 0, 1e-9);
        out->normals++;
    }
    patch_truth_clear(&truth);
}

static void samples_agree_with_the_definition(void **state)
{
    comparison result = {0};
    for (uint64_t seed = 1; seed <= 300; seed++)
    {
        check_random random = {seed};
        static patch_case c;
        random_patch(&random, &c);
        carom_patch *patch = make(*state, &c.def);
        for (int i = 0; i < 12; i++)
        {
            double u = random_parameter(&random, &c.def.u), uv[2] = {u, random_parameter(&random, &c.def.v)};
            compare(&c, patch, uv, &result);
            if (result.worst > 1)
                fail_msg("seed %d: error of %g times the bound", (int)seed, result.worst);
        }
        carom_patch_destroy(patch);
    }
    print_message("worst error: %.3f of the bound, %u normals\n", result.worst, result.normals);
    assert_true(result.worst > 0.005 && result.normals > 1500);
}

/* ---- de Casteljau ---- */

/* Halves a row of numbers in place, repeatedly, at t: what remains is the curve's point. */
static void casteljau(mpq_t *row, uint32_t degree, const mpq_t t, size_t stride)
{
    mpq_t step;
    mpq_init(step);
    for (uint32_t k = degree; k > 0; k--)
        for (uint32_t i = 0; i < k; i++)
        {
            mpq_sub(step, row[(i + 1) * stride], row[i * stride]);
            mpq_mul(step, step, t);
            mpq_add(row[i * stride], row[i * stride], step);
        }
    mpq_clear(step);
}

static void casteljau_surface(const carom_patch_def *def, const double uv[2], int axis, mpq_t out)
{
    mpq_t grid[GEOIMAGE_PATCH_ORDER * GEOIMAGE_PATCH_ORDER], t;
    uint32_t columns = def->u.count, rows = def->v.count;
    mpq_init(t);
    for (uint32_t i = 0; i < columns * rows; i++)
        mpq_init(grid[i]), mpq_set_d(grid[i], vec3_at(&def->points[i], axis));
    mpq_set_d(t, uv[0]);
    for (uint32_t j = 0; j < rows; j++)
        casteljau(grid + (size_t)j * columns, columns - 1, t, 1);
    mpq_set_d(t, uv[1]);
    casteljau(grid, rows - 1, t, columns);
    mpq_set(out, grid[0]);
    for (uint32_t i = 0; i < columns * rows; i++)
        mpq_clear(grid[i]);
    mpq_clear(t);
}

static void bezier_patches_are_de_casteljaus(void **state)
{
    check_random random = {7};
    static carom_vec3 points[GEOIMAGE_PATCH_ORDER * GEOIMAGE_PATCH_ORDER];
    patch_truth truth;
    patch_truth_init(&truth);
    for (uint32_t degree = 1; degree <= CAROM_PATCH_MAX_DEGREE; degree++)
    {
        uint32_t other = CAROM_PATCH_MAX_DEGREE + 1 - degree;
        carom_patch_def def = {
            .u = {.degree = degree, .count = degree + 1}, .v = {.degree = other, .count = other + 1}, .points = points};
        for (uint32_t i = 0; i < def.u.count * def.v.count; i++)
            points[i] = check_random_point(&random, -1, 1);
        carom_patch *patch = make(*state, &def);
        for (int i = 0; i < 5; i++)
        {
            double u = check_uniform(&random, 0, 1), uv[2] = {u, check_uniform(&random, 0, 1)};
            carom_vec3 position = sample_at(patch, uv[0], uv[1]).position;
            for (int axis = 0; axis < 3; axis++)
            {
                truth.reach[axis] = 1;
                casteljau_surface(&def, uv, axis, truth.position[axis]);
                assert_true(patch_truth_error(&truth, position, axis) <= patch_truth_bound(&truth, &def, axis));
            }
        }
        carom_patch_destroy(patch);
    }
    patch_truth_clear(&truth);
}

/* ---- what holds for all ---- */

static void basis_functions_are_a_partition_of_unity(void **state)
{
    (void)state;
    uint32_t beyond = 0;
    for (uint64_t seed = 1; seed <= 2000; seed++)
    {
        check_random random = {seed};
        static patch_case c;
        random_patch(&random, &c);
        geoimage_axis axis = {c.def.u.degree, c.def.u.count, c.u_knots};
        geoimage_basis basis;
        double at = random_parameter(&random, &c.def.u), sum = 0, slope = 0;
        geoimage_basis_at(&axis, at, &basis);
        assert_true(basis.first + axis.degree < axis.count);
        for (uint32_t i = 0; i <= axis.degree; i++)
        {
            assert_true(basis.value[i] >= 0 && basis.value[i] <= basis.value[basis.largest]);
            sum += basis.value[i], slope += basis.slope[i];
        }
        check_near(sum, 1, 6 * axis.degree * 0x1p-53);
        check_near(slope, 0, 6 * axis.degree * 0x1p-53);
        beyond += at == c.u_knots[axis.count] && c.u_knots[axis.count + axis.degree - 1] > at;
    }
    assert_true(beyond > 20); /* ends of the domain that are evaluated in the span that follows */
}

static void affine_maps_commute(void **state)
{
    for (uint64_t seed = 1; seed <= 100; seed++)
    {
        check_random random = {seed};
        static patch_case c, moved;
        do
            random_patch(&random, &c);
        while (c.extreme);
        carom_vec3 x = check_random_point(&random, -1, 1), y = check_random_point(&random, -1, 1);
        carom_vec3 z = check_random_point(&random, -1, 1), shift = check_random_point(&random, -9, 9);
        moved = c, moved.def.points = moved.points;
        double reach = 0;
        for (uint32_t i = 0; i < c.def.u.count * c.def.v.count; i++)
        {
            carom_vec3 p = c.points[i];
            moved.points[i] = vec3_add(vec3(vec3_dot(x, p), vec3_dot(y, p), vec3_dot(z, p)), shift);
            reach = fmax(reach, fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))));
        }
        carom_patch *patch = make(*state, &c.def), *other = make(*state, &moved.def);
        double u = random_parameter(&random, &c.def.u), v = random_parameter(&random, &c.def.v);
        carom_vec3 p = sample_at(patch, u, v).position, q = sample_at(other, u, v).position;
        carom_vec3 expected = vec3_add(vec3(vec3_dot(x, p), vec3_dot(y, p), vec3_dot(z, p)), shift);
        /* Coordinates after the map are at most 3 reach + 9; both evaluations err, and the maps round. */
        double bound = (24 * (c.def.u.degree + c.def.v.degree + 1) + 8) * 0x1p-53 * 2 * (3 * reach + 9);
        assert_true(vec3_length(vec3_sub(q, expected)) <= 2 * bound);
        carom_patch_destroy(patch), carom_patch_destroy(other);
    }
}

/* With limits everywhere: nothing overflows, and the convex hull holds up to rounding. */
static void limits_are_no_problem(void **state)
{
    static const double knots[] = {-0x1p100, -0x1p100, -0x1p100, 0, 0x1p-1074, 0x1p100, 0x1p100, 0x1p100};
    carom_vec3 points[25];
    double weights[25];
    for (int i = 0; i < 25; i++)
    {
        points[i] = vec3(i % 2 ? 0x1p99 : -0x1p99, 0x1p99, i % 3 ? 0x1p-1074 : 0);
        weights[i] = i % 4 ? 0x1p100 : 0x1p-100;
    }
    carom_patch_axis_def axis = {.degree = 2, .count = 5, .knots = knots};
    carom_patch_def def = {.u = axis, .v = axis, .points = points, .weights = weights};
    carom_patch *patch = make(*state, &def);
    carom_geoimage *image;
    assert_int_equal(carom_geoimage_create_patch(*state, patch, 33, 17, &image), CAROM_OK);
    carom_geoimage_chart chart;
    assert_int_equal(carom_geoimage_get_chart(image, 0, &chart), CAROM_OK);
    for (int i = 0; i < 33 * 17; i++)
    {
        assert_true(fabs(chart.points[i].x) <= 0x1.00001p99);
        check_near(chart.points[i].y, 0x1p99, 0);
        check_near(vec3_length(chart.normals[i]), vec3_length(chart.normals[i]) > 0.5 ? 1 : 0, 1e-15);
    }
    carom_geoimage_destroy(image);
    carom_patch_destroy(patch);
}

#define WITH_CONTEXT(test) cmocka_unit_test_setup_teardown(test, check_open_context, check_close_context)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(samples_agree_with_the_definition),
        WITH_CONTEXT(bezier_patches_are_de_casteljaus),
        cmocka_unit_test(basis_functions_are_a_partition_of_unity),
        WITH_CONTEXT(affine_maps_commute),
        WITH_CONTEXT(limits_are_no_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
