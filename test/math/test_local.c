/* Signs for points and directions that are intersections of lines and planes, against GMP's rationals: small integers,
 * ordinary doubles, ties, and coordinates from 2^-1074 to 2^110. How far rounded positions are off, and how much stack
 * all this takes. */
#include "math/math.h"
#include "support/climb.h"
#include "support/stack.h"

#include <gmp.h>
#include <stdlib.h>

/* ---- the truth ---- */

typedef struct vector
{
    mpq_t at[3];
} vector;

static void vector_init(vector *v)
{
    for (int i = 0; i < 3; i++)
        mpq_init(v->at[i]);
}

static void vector_clear(vector *v)
{
    for (int i = 0; i < 3; i++)
        mpq_clear(v->at[i]);
}

static void set_difference(vector *out, carom_vec3 from, carom_vec3 to)
{
    mpq_t start;
    mpq_init(start);
    for (int i = 0; i < 3; i++)
    {
        mpq_set_d(out->at[i], i == 0 ? to.x : i == 1 ? to.y : to.z);
        mpq_set_d(start, i == 0 ? from.x : i == 1 ? from.y : from.z);
        mpq_sub(out->at[i], out->at[i], start);
    }
    mpq_clear(start);
}

static void set_cross(vector *out, const vector *a, const vector *b)
{
    mpq_t term;
    mpq_init(term);
    for (int i = 0; i < 3; i++)
    {
        int k = (i + 1) % 3, l = (i + 2) % 3;
        mpq_mul(out->at[i], a->at[k], b->at[l]);
        mpq_mul(term, a->at[l], b->at[k]);
        mpq_sub(out->at[i], out->at[i], term);
    }
    mpq_clear(term);
}

static void set_dot(mpq_t out, const vector *a, const vector *b)
{
    mpq_t term;
    mpq_init(term);
    mpq_set_ui(out, 0, 1);
    for (int i = 0; i < 3; i++)
    {
        mpq_mul(term, a->at[i], b->at[i]);
        mpq_add(out, out, term);
    }
    mpq_clear(term);
}

static void set_normal(vector *out, const carom_vec3 plane[3])
{
    vector a, b;
    vector_init(&a), vector_init(&b);
    set_difference(&a, plane[0], plane[1]), set_difference(&b, plane[0], plane[2]);
    set_cross(out, &a, &b);
    vector_clear(&a), vector_clear(&b);
}

static void set_direction(vector *out, const exact_direction *direction)
{
    const carom_vec3 *p = direction->points;
    vector a, b;
    vector_init(&a), vector_init(&b);
    if (direction->kind == EXACT_ALONG_EDGE)
        set_difference(out, p[0], p[1]);
    else if (direction->kind == EXACT_ALONG_NORMAL)
        set_normal(out, p);
    else
        set_normal(&a, p), set_normal(&b, p + 3), set_cross(out, &a, &b);
    for (int i = 0; i < 3 && direction->sign < 0; i++)
        mpq_neg(out->at[i], out->at[i]);
    vector_clear(&a), vector_clear(&b);
}

/* As a height: n . (p - plane[0]). */
static void set_height(mpq_t out, const carom_vec3 plane[3], const vector *p)
{
    vector n, r;
    mpq_t c;
    vector_init(&n), vector_init(&r), mpq_init(c);
    set_normal(&n, plane);
    for (int i = 0; i < 3; i++)
    {
        mpq_set_d(c, i == 0 ? plane[0].x : i == 1 ? plane[0].y : plane[0].z);
        mpq_sub(r.at[i], p->at[i], c);
    }
    set_dot(out, &n, &r);
    vector_clear(&n), vector_clear(&r), mpq_clear(c);
}

static void set_given(vector *out, carom_vec3 p) { set_difference(out, (carom_vec3){0, 0, 0}, p); }

/* origin + along h / g, where the plane is met. False: the line is parallel to it. */
static bool set_passing(vector *out, const vector *origin, const vector *along, const carom_vec3 plane[3])
{
    vector n;
    mpq_t h, g;
    vector_init(&n), mpq_init(h), mpq_init(g);
    set_normal(&n, plane);
    set_height(h, plane, origin), set_dot(g, &n, along);
    bool meets = mpq_sgn(g) != 0;
    if (meets)
        mpq_div(h, h, g);
    for (int i = 0; meets && i < 3; i++)
    {
        mpq_mul(out->at[i], along->at[i], h);
        mpq_sub(out->at[i], origin->at[i], out->at[i]);
    }
    vector_clear(&n), mpq_clear(h), mpq_clear(g);
    return meets;
}

/* Where three planes meet: an edge line of the first two is found by passing an edge of the first through the second.
 */
static bool set_three_planes(vector *out, const carom_vec3 *p)
{
    vector along, edge, start, n0, n1;
    vector_init(&along), vector_init(&edge), vector_init(&start), vector_init(&n0), vector_init(&n1);
    set_normal(&n0, p), set_normal(&n1, p + 3), set_cross(&along, &n0, &n1);
    bool found = false;
    for (int i = 0; i < 3 && !found; i++)
    {
        set_given(&start, p[i]), set_difference(&edge, p[i], p[(i + 1) % 3]);
        found = set_passing(out, &start, &edge, p + 3);
    }
    for (int i = 0; i < 3; i++)
        mpq_set(start.at[i], out->at[i]);
    found = found && set_passing(out, &start, &along, p + 6);
    vector_clear(&along), vector_clear(&edge), vector_clear(&start), vector_clear(&n0), vector_clear(&n1);
    return found;
}

/* False: there is no such point. */
static bool set_point(vector *out, const exact_point *point)
{
    const carom_vec3 *p = point->points;
    bool exists = true;
    vector a, b;
    vector_init(&a), vector_init(&b);
    set_given(out, p[0]);
    if (point->kind == EXACT_POINT_MIDDLE)
    {
        set_given(&a, p[1]), set_given(&b, p[2]);
        mpq_t third;
        mpq_init(third), mpq_set_ui(third, 1, 3);
        for (int i = 0; i < 3; i++)
        {
            mpq_add(out->at[i], out->at[i], a.at[i]), mpq_add(out->at[i], out->at[i], b.at[i]);
            mpq_mul(out->at[i], out->at[i], third);
        }
        mpq_clear(third);
    }
    else if (point->kind == EXACT_POINT_CUT)
    {
        set_given(&a, p[0]), set_difference(&b, p[0], p[1]);
        exists = set_passing(out, &a, &b, p + 2);
    }
    else if (point->kind == EXACT_POINT_CROSS)
        exists = set_three_planes(out, p);
    vector_clear(&a), vector_clear(&b);
    return exists;
}

static int sign_of_turn(const vector *a, const vector *b, int axis)
{
    vector cross;
    vector_init(&cross);
    set_cross(&cross, a, b);
    int sign = mpq_sgn(cross.at[axis]);
    vector_clear(&cross);
    return sign;
}

static int sign_of_side(const carom_vec3 line[2], int axis, const vector *p)
{
    vector along, from, start;
    vector_init(&along), vector_init(&from), vector_init(&start);
    set_difference(&along, line[0], line[1]), set_given(&start, line[0]);
    for (int i = 0; i < 3; i++)
        mpq_sub(from.at[i], p->at[i], start.at[i]);
    int sign = sign_of_turn(&along, &from, axis);
    vector_clear(&along), vector_clear(&from), vector_clear(&start);
    return sign;
}

/* ---- random points ---- */

enum
{
    SMALL_INTEGERS,
    ORDINARY,
    NEARLY_EQUAL, /* lattice points moved by an ulp or two */
    EXTREME,
    SCALES
};

static double random_coordinate(check_random *random, int scale)
{
    double x = (double)(check_next(random) % 7) - 3.0;
    if (scale == ORDINARY)
        return check_uniform(random, -2.0, 2.0);
    if (scale == NEARLY_EQUAL)
        return x + 0x1p-51 * ((double)(check_next(random) % 5) - 2.0);
    if (scale == EXTREME)
        return ldexp(check_uniform(random, -1.0, 1.0), (int)(check_next(random) % 1185) - 1074);
    return x;
}

static carom_vec3 random_point(check_random *random, int scale)
{
    return (carom_vec3){random_coordinate(random, scale), random_coordinate(random, scale),
                        random_coordinate(random, scale)};
}

/* Some of the points are repeated, so that ties are common. */
static void random_points(check_random *random, int scale, carom_vec3 *out, int count)
{
    for (int i = 0; i < count; i++)
        out[i] =
            i > 0 && check_next(random) % 5 == 0 ? out[check_next(random) % (uint64_t)i] : random_point(random, scale);
}

/* ---- the checks ---- */

static void check_directions(check_random *random, const carom_vec3 *pool)
{
    static const exact_direction_kind kinds[3] = {EXACT_ALONG_EDGE, EXACT_ALONG_LINE, EXACT_ALONG_NORMAL};
    exact_direction d[2];
    vector truth[2], n;
    uint64_t fallbacks = 0;
    vector_init(&truth[0]), vector_init(&truth[1]), vector_init(&n);
    for (int i = 0; i < 2; i++)
    {
        d[i] = (exact_direction){.kind = kinds[check_next(random) % 3], .sign = check_next(random) % 2 ? 1 : -1};
        for (int k = 0; k < 6; k++)
            d[i].points[k] = pool[check_next(random) % 12];
        set_direction(&truth[i], &d[i]);
    }
    int axis = (int)(check_next(random) % 3);
    assert_int_equal(exact_turn(&d[0], &d[1], axis, &fallbacks), sign_of_turn(&truth[0], &truth[1], axis));
    assert_int_equal(exact_direction_sign(&d[0], axis, &fallbacks), mpq_sgn(truth[0].at[axis]));
    mpq_t height;
    mpq_init(height);
    set_normal(&n, pool), set_dot(height, &n, &truth[0]);
    assert_int_equal(exact_height_of_direction(pool, &d[0], &fallbacks), mpq_sgn(height));
    mpq_clear(height), vector_clear(&truth[0]), vector_clear(&truth[1]), vector_clear(&n);
}

static long check_points(check_random *random, const carom_vec3 *pool)
{
    static const exact_point_kind kinds[4] = {EXACT_POINT_GIVEN, EXACT_POINT_MIDDLE, EXACT_POINT_CUT,
                                              EXACT_POINT_CROSS};
    exact_point point = {.kind = kinds[check_next(random) % 4]};
    for (int k = 0; k < 9; k++)
        point.points[k] = pool[check_next(random) % 12];
    vector truth;
    mpq_t height;
    vector_init(&truth), mpq_init(height);
    bool exists = set_point(&truth, &point);
    assert_int_equal(exact_point_exists(&point), exists);
    int axis = (int)(check_next(random) % 3);
    for (int rounded = 0; exists && rounded < 2; rounded++)
    {
        uint64_t fallbacks = 0;
        set_height(height, pool, &truth);
        assert_int_equal(exact_height_of_point(pool, &point, &fallbacks), mpq_sgn(height));
        assert_int_equal(exact_side_of_point(pool + 3, axis, &point, &fallbacks), sign_of_side(pool + 3, axis, &truth));
        if (point.kind == EXACT_POINT_CUT) /* is only rounded where it is between the two */
            break;
        exact_point_round(&point);
    }
    vector_clear(&truth), mpq_clear(height);
    return exists;
}

static void signs_agree_with_rationals(void **state)
{
    (void)state;
    const char *text = getenv("CAROM_TEST_SCALE");
    long rounds = 4000 * (text ? atol(text) : 1), points = 0;
    for (long i = 0; i < rounds; i++)
    {
        check_random random = {(uint64_t)i};
        carom_vec3 pool[12];
        random_points(&random, (int)(i % SCALES), pool, 12);
        check_directions(&random, pool);
        points += check_points(&random, pool);
    }
    assert_true(points > rounds / 2);
}

/* ---- rounded positions ---- */

/* The largest difference of a coordinate from the truth, or the length of the whole, in units of what the point says.
 */
static double rounding_ratio(exact_point *point, bool of_length)
{
    vector truth;
    mpq_t rounded;
    double largest = 0.0, square = 0.0;
    vector_init(&truth), mpq_init(rounded);
    bool exists = set_point(&truth, point);
    if (exists)
        exact_point_round(point);
    for (int i = 0; exists && i < 3; i++)
    {
        mpq_set_d(rounded, i == 0 ? point->rounded.x : i == 1 ? point->rounded.y : point->rounded.z);
        mpq_sub(rounded, rounded, truth.at[i]);
        double off = fabs(mpq_get_d(rounded));
        largest = fmax(largest, off), square += off * off;
    }
    vector_clear(&truth), mpq_clear(rounded);
    if (!(point->error > 0x1p-200))
        return 0.0;
    return of_length ? sqrt(square) / exact_point_reach(point) : largest / point->error;
}

static exact_point point_at(exact_point_kind kind, const double *n)
{
    exact_point point = {.kind = kind};
    for (int i = 0; i < 9; i++)
        point.points[i] = vec3(n[3 * i], n[3 * i + 1], n[3 * i + 2]);
    return point;
}

/* The ends of a cut are strictly on both sides. */
static double cut_ratio(const double *n)
{
    exact_point point = point_at(EXACT_POINT_CUT, n);
    const carom_vec3 *p = point.points;
    uint64_t fallbacks = 0;
    int first = exact_orient3d(p[2], p[3], p[4], p[0], &fallbacks);
    if (first * exact_orient3d(p[2], p[3], p[4], p[1], &fallbacks) >= 0)
        return 0.0;
    return rounding_ratio(&point, false);
}

static double middle_ratio(const double *n)
{
    exact_point point = point_at(EXACT_POINT_MIDDLE, n);
    return rounding_ratio(&point, false);
}

/* From the origin the sum is exact, and the quotients are all that errs. */
static double cross_ratio(const double *n)
{
    exact_point point = point_at(EXACT_POINT_CROSS, n);
    point.points[0] = vec3(0.0, 0.0, 0.0);
    return rounding_ratio(&point, false);
}

static double length_ratio(const double *n)
{
    exact_point point = point_at(EXACT_POINT_CROSS, n);
    return rounding_ratio(&point, true);
}

static void rounded_positions_are_within_their_error(void **state)
{
    (void)state;
    climb_attack(&(climb){"cuts", cut_ratio, 15, 0.9, 1, NULL, 4, 2000, false});
    climb_attack(&(climb){"middles", middle_ratio, 9, 0.7, 2, NULL, 10, 2000, false});
    climb_attack(&(climb){"crossings of planes", cross_ratio, 27, 0.5, 3, NULL, 4, 4000, false});
    climb_attack(&(climb){"crossings of planes, length", length_ratio, 27, 0.5, 4, NULL, 4, 4000, false});
}

/* ---- stack ---- */

/* Coordinates that have nothing in common: every number is as wide as it can be. */
static void *ask_extremes(void *user)
{
    uint64_t *fallbacks = user;
    carom_vec3 p[12];
    for (int i = 0; i < 12; i++)
        p[i] = (carom_vec3){0x1p109 * (1 + i % 5) / 4 + 0x1p-1074, (i % 2 ? -1 : 1) * 0x1p109 / (1 + i % 3),
                            (i % 4 ? 0x1.8p-1074 * 3 : 0x1p109) * (1 + i % 7) / 8};
    exact_direction lines[2] = {{EXACT_ALONG_LINE, 1, {p[0], p[1], p[2], p[3], p[4], p[5]}},
                                {EXACT_ALONG_LINE, 1, {p[6], p[7], p[8], p[9], p[10], p[11]}}};
    exact_turn(&lines[0], &lines[1], 0, fallbacks);
    exact_height_of_direction(p + 6, &lines[0], fallbacks);
    for (int kind = EXACT_POINT_GIVEN; kind <= EXACT_POINT_ON_LINE; kind++)
    {
        exact_point point = {.kind = (exact_point_kind)kind};
        memcpy(point.points, p, sizeof point.points);
        if (!exact_point_exists(&point))
            continue;
        exact_height_of_point(p + 9, &point, fallbacks);
        exact_side_of_point(p + 9, 0, &point, fallbacks);
        exact_point_within(&point, p + 9, 0x1p109, fallbacks);
        exact_point_within(&point, p + 9, 0x1p-1074, fallbacks);
    }
    const exact_ray_at hits[3] = {{.kind = EXACT_AT_PLANE, .point = {p[0], p[1], p[2]}},
                                  {.kind = EXACT_AT_SIDE, .point = {p[3], p[4]}, .radius = 0x1p109},
                                  {.kind = EXACT_AT_BALL, .point = {p[5]}, .radius = 0x1p109}};
    for (int i = 0; i < 3; i++)
    {
        exact_ray_compare_t(p[7], p[8], &hits[i], 0x1p-1074, fallbacks);
        for (int k = 0; k < 3; k++)
            exact_ray_compare(p[7], p[8], &hits[i], &hits[k], fallbacks);
    }
    return NULL;
}

static void little_stack(void **state)
{
    (void)state;
    uint64_t fallbacks = 0;
    size_t used = stack_used(ask_extremes, &fallbacks);
    print_message("%zu bytes of stack, %llu fallbacks\n", used, (unsigned long long)fallbacks);
    assert_true(fallbacks > 30);
    assert_true(used < STACK_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(signs_agree_with_rationals),
                                       cmocka_unit_test(rounded_positions_are_within_their_error),
                                       cmocka_unit_test(little_stack)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
