/* Balls and capsules against each other and against triangles: meeting, distance and contact point against rational
 * arithmetic, in several orders. CAROM_TEST_SCALE multiplies the number of cases (50 gives two million),
 * CAROM_TEST_SEED starts elsewhere. */
#include "support/families.h"
#include "support/oracle.h"
#include "support/oracle_round.h"
#include "support/rounds.h"

#include <stdlib.h>

enum
{
    CORES = 10000, /* pairs of cores, each with some radii */
    RADII = 4,
    GENERIC = 200000
};

typedef struct round_case
{
    bool with_triangle;
    narrow_round a, b;
    narrow_triangle triangle; /* instead of b */
} round_case;

typedef struct truth
{
    oracle *o;
    oracle_gap *gap;
    round_cores cores;
    double size;    /* largest |coordinate| difference */
    double largest; /* |coordinate| */
    double worst;   /* error of a distance over the promised one */
} truth;

static round_case case_of(const round_cores *c, const double radii[2])
{
    return (round_case){.with_triangle = c->count_b == 3,
                        .a = {{c->a[0], c->a[1]}, radii[0]},
                        .b = {{c->b[0], c->b[1]}, radii[1]},
                        .triangle = {{c->b[0], c->b[1], c->b[2]}}};
}

/* Ends and corners in another order. */
static round_case shuffled(check_random *random, const round_case *from)
{
    round_case to = *from;
    int i = family_integer(random, 0, 2), step = family_integer(random, 1, 2), flip = family_integer(random, 0, 3);
    for (int k = 0; k < 3; k++)
        to.triangle.corner[k] = from->triangle.corner[(i + k * step) % 3];
    for (int k = 0; k < 2; k++)
    {
        to.a.end[k] = from->a.end[flip & 1 ? 1 - k : k];
        to.b.end[k] = from->b.end[flip & 2 ? 1 - k : k];
    }
    return to;
}

static uint32_t meet(const round_case *c, narrow_counts *counts)
{
    return c->with_triangle ? narrow_round_triangle_meet(&c->a, &c->triangle, counts)
                            : narrow_round_meet(&c->a, &c->b, counts);
}

static narrow_distance_result distance(const round_case *c, narrow_counts *counts)
{
    return c->with_triangle ? narrow_round_triangle_distance(&c->a, &c->triangle, counts)
                            : narrow_round_distance(&c->a, &c->b, counts);
}

static carom_vec3 contact(const round_case *c, narrow_counts *counts)
{
    return c->with_triangle ? narrow_round_triangle_contact(&c->a, &c->triangle, counts)
                            : narrow_round_contact(&c->a, &c->b, counts);
}

static bool same_result(narrow_distance_result p, narrow_distance_result q)
{
    return p.distance == q.distance && vec3_equal(p.point_a, q.point_a) && vec3_equal(p.point_b, q.point_b);
}

static uint32_t true_meeting(const truth *t, const round_case *c)
{
    if (c->a.radius + c->b.radius > 0.0)
    {
        int sign = oracle_gap_sign(t->gap, c->a.radius, c->b.radius);
        return sign > 0 ? CAROM_MEET_NONE : sign < 0 ? CAROM_MEET_CROSSING : CAROM_MEET_TOUCHING;
    }
    narrow_triangle a = {{c->a.end[0], c->a.end[1], c->a.end[0]}}, b = {{c->b.end[0], c->b.end[1], c->b.end[0]}};
    return oracle_meet(t->o, &a, c->with_triangle ? &c->triangle : &b).meeting;
}

static const char *check_orders(check_random *random, const round_case *c, uint32_t meeting,
                                narrow_distance_result result)
{
    narrow_counts counts = {0};
    carom_vec3 common = contact(c, &counts);
    for (int n = 0; n < 2; n++)
    {
        round_case other = shuffled(random, c);
        if (meet(&other, &counts) != meeting)
            return "order of ends in the meeting";
        if (!same_result(distance(&other, &counts), result))
            return "order of ends in the distance";
        if (meeting != CAROM_MEET_NONE && !vec3_equal(contact(&other, &counts), common))
            return "order of ends in the contact";
    }
    if (c->with_triangle)
        return NULL;
    if (narrow_round_meet(&c->b, &c->a, &counts) != meeting)
        return "order in the meeting";
    narrow_distance_result other = narrow_round_distance(&c->b, &c->a, &counts);
    if (!same_result(
            (narrow_distance_result){.distance = other.distance, .point_a = other.point_b, .point_b = other.point_a},
            result))
        return "order in the distance";
    if (meeting != CAROM_MEET_NONE && !vec3_equal(narrow_round_contact(&c->b, &c->a, &counts), common))
        return "order in the contact";
    return NULL;
}

/* How far a point is from the solid's core. */
static double core_distance(const truth *t, carom_vec3 point, const carom_vec3 *core, int count)
{
    oracle_gap_measure(t->gap, &(exact_round){&point, 1, 0.0}, &(exact_round){core, count, 0.0});
    return oracle_gap_distance(t->gap);
}

/* Measures something else on the way. */
static const char *check_points(const truth *t, const round_case *c, uint32_t meeting, narrow_distance_result result)
{
    narrow_counts counts = {0};
    const round_cores *cores = &t->cores;
    double slack = NARROW_ROUND_DISTANCE_ERROR * t->size + 8 * 0x1p-53 * t->largest + 16 * 0x1p-1074;
    double radius_b = c->with_triangle ? 0.0 : c->b.radius;
    double from_a = core_distance(t, result.point_a, cores->a, cores->count_a);
    double from_b = core_distance(t, result.point_b, cores->b, cores->count_b);
    if (meeting == CAROM_MEET_NONE)
    {
        carom_vec3 way = vec3_sub(result.point_b, result.point_a);
        double scale = fmax(fabs(way.x), fmax(fabs(way.y), fabs(way.z)));
        double length = scale > 0.0 ? scale * vec3_length(vec3(way.x / scale, way.y / scale, way.z / scale)) : 0.0;
        if (fabs(length - result.distance) > 2 * slack)
            return "distance of the points";
        return fabs(from_a - c->a.radius) > slack || fabs(from_b - radius_b) > slack ? "place of a point" : NULL;
    }
    if (!vec3_equal(result.point_a, contact(c, &counts)) || !vec3_equal(result.point_a, result.point_b))
        return "contact of the distance";
    return from_a > c->a.radius + slack || from_b > radius_b + slack ? "contact point" : NULL;
}

static const char *check_case(truth *t, check_random *random, const round_case *c, uint32_t meeting,
                              uint64_t *fallbacks)
{
    narrow_counts counts = {0};
    if (meet(c, &counts) != meeting)
        return "meeting";
    *fallbacks += counts.exact_fallbacks > 0;
    narrow_distance_result result = distance(c, &counts);
    if ((result.distance == 0.0) != (meeting != CAROM_MEET_NONE) || !(result.distance >= 0.0))
        return "zero";
    double radius_b = c->with_triangle ? 0.0 : c->b.radius;
    if (meeting == CAROM_MEET_NONE)
    {
        double error = oracle_gap_error(t->gap, c->a.radius, radius_b, result.distance);
        double promised = NARROW_ROUND_DISTANCE_ERROR * t->size + 4 * 0x1p-1074;
        if (!(error <= promised))
            return "distance";
        t->worst = t->size > 0x1p-1000 ? fmax(t->worst, error / promised) : t->worst;
    }
    const char *wrong = check_orders(random, c, meeting, result);
    if (wrong || family_integer(random, 0, 3))
        return wrong;
    wrong = check_points(t, c, meeting, result);
    oracle_gap_measure(t->gap, &(exact_round){t->cores.a, t->cores.count_a, 0.0},
                       &(exact_round){t->cores.b, t->cores.count_b, 0.0});
    return wrong;
}

static void print_case(const round_case *c)
{
    const carom_vec3 *p[] = {&c->a.end[0],           &c->a.end[1],           &c->b.end[0],          &c->b.end[1],
                             &c->triangle.corner[0], &c->triangle.corner[1], &c->triangle.corner[2]};
    for (int i = 0; i < 7; i++)
        print_message("  %s {%a, %a, %a}\n", i < 2 ? "a" : i < 4 ? "b" : "triangle", p[i]->x, p[i]->y, p[i]->z);
    print_message("  radii %a %a, with triangle: %d\n", c->a.radius, c->b.radius, c->with_triangle);
}

static void set_sizes(truth *t)
{
    t->size = t->largest = 0.0;
    for (int k = 0; k < 3; k++)
    {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < 6; i++)
        {
            double x = ((const double *)(i < 3 ? &t->cores.a[i] : &t->cores.b[i - 3]))[k];
            low = fmin(low, x), high = fmax(high, x);
        }
        t->size = fmax(t->size, high - low);
        t->largest = fmax(t->largest, fmax(fabs(low), fabs(high)));
    }
}

static long environment_number(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : otherwise;
}

typedef struct tally
{
    long seen, met, touching;
    uint64_t exact;
} tally;

static void add(tally *to, uint32_t meeting, uint64_t exact)
{
    to->seen++, to->met += meeting != CAROM_MEET_NONE, to->touching += (meeting & CAROM_MEET_TOUCHING) != 0;
    to->exact += exact;
}

static void print_tally(const char *name, const tally *t)
{
    print_message("  %-18s %8ld cases, %5.1f %% meet, %5.1f %% just touch, %5.1f %% exact\n", name, t->seen,
                  100.0 * (double)t->met / (double)t->seen, 100.0 * (double)t->touching / (double)t->seen,
                  100.0 * (double)t->exact / (double)t->seen);
}

static void test_truth(void **state)
{
    (void)state;
    long cores = CORES * environment_number("CAROM_TEST_SCALE", 1);
    uint64_t seed = 71 + ((uint64_t)environment_number("CAROM_TEST_SEED", 0) << 32);
    check_random random = {seed};
    truth t = {.o = oracle_create(), .gap = oracle_gap_create()};
    tally families[32] = {{0}}, kinds[ROUND_KINDS] = {{0}};
    for (long i = 0; i < cores * RADII; i++)
    {
        int kind = (int)(i / RADII % ROUND_KINDS), family = (int)(i / RADII / ROUND_KINDS % round_families_count);
        if (i % RADII == 0)
        {
            t.cores = round_make(&random, &round_families[family], kind);
            oracle_gap_measure(t.gap, &(exact_round){t.cores.a, t.cores.count_a, 0.0},
                               &(exact_round){t.cores.b, t.cores.count_b, 0.0});
            set_sizes(&t);
        }
        double radii[2] = {0.0, 0.0}, sum = round_pick_radius(&random, oracle_gap_distance(t.gap));
        round_split(&random, sum, radii);
        if (t.cores.count_b == 3)
            radii[0] = sum, radii[1] = 0.0;
        round_case c = case_of(&t.cores, radii);
        uint32_t meeting = true_meeting(&t, &c);
        uint64_t exact = 0;
        const char *wrong = check_case(&t, &random, &c, meeting, &exact);
        if (wrong)
        {
            print_case(&c);
            fail_msg("%s is wrong: family %s, %s, case %ld of seed %llu, truth %u", wrong, round_families[family].name,
                     round_kind_names[kind], i, (unsigned long long)seed, meeting);
        }
        add(&families[family], meeting, exact);
        add(&kinds[kind], meeting, exact);
    }
    oracle_destroy(t.o);
    oracle_gap_destroy(t.gap);
    for (int f = 0; f < round_families_count; f++)
        print_tally(round_families[f].name, &families[f]);
    for (int k = 0; k < ROUND_KINDS; k++)
    {
        print_tally(round_kind_names[k], &kinds[k]);
        /* neither answer may be the usual one, and no stage unused, or the test would be vacuous */
        assert_true((double)kinds[k].met > 0.3 * (double)kinds[k].seen);
        assert_true((double)kinds[k].met < 0.7 * (double)kinds[k].seen);
        assert_true((double)kinds[k].touching > 0.01 * (double)kinds[k].seen);
        assert_true((double)kinds[k].exact > 0.1 * (double)kinds[k].seen);
        assert_true((double)kinds[k].exact < 0.9 * (double)kinds[k].seen);
    }
    print_message("seed %llu: %ld pairs, 0 wrong, distances off by at most %.3f of what is promised\n",
                  (unsigned long long)seed, cores * RADII, t.worst);
}

/* ---- what needs no truth ---- */

/* The filter decides all but one in a thousand of generic pairs. */
static void test_filter_decides(void **state)
{
    (void)state;
    static const double max_radii[ROUND_KINDS] = {2.6, 1.8, 1.2, 1.6, 0.8}; /* about half of them meet */
    check_random random = {72};
    for (int kind = 0; kind < ROUND_KINDS; kind++)
    {
        long undecided = 0, met = 0;
        for (int i = 0; i < GENERIC; i++)
        {
            round_cores cores = round_make(&random, &round_families[0], kind);
            double sum = check_uniform(&random, 0.0, max_radii[kind]), radii[2] = {0.7 * sum, sum - 0.7 * sum};
            if (kind > 2)
                radii[0] = sum;
            round_case c = case_of(&cores, radii);
            narrow_counts counts = {0};
            met += meet(&c, &counts) != CAROM_MEET_NONE;
            undecided += counts.exact_fallbacks > 0;
        }
        print_message("  %-18s %ld of %d undecided, %.1f %% meet\n", round_kind_names[kind], undecided, GENERIC,
                      100.0 * (double)met / GENERIC);
        assert_true(undecided < GENERIC / 1000);
        assert_true(met > 0.3 * GENERIC && met < 0.7 * GENERIC);
    }
}

static void mix(uint64_t *hash, double value)
{
    uint64_t bits;
    value += 0.0; /* -0 as 0 */
    memcpy(&bits, &value, sizeof bits);
    *hash = (*hash ^ bits) * 0x100000001b3u;
    *hash ^= *hash >> 29;
}

static void mix_point(uint64_t *hash, carom_vec3 p) { mix(hash, p.x), mix(hash, p.y), mix(hash, p.z); }

/* Changes only with the kernels' formulas. */
static const uint64_t GOLDEN_HASH = 0x7fa0d72c91aaca91u;

/* Bits of all answers over families that use no libm function but sqrt. */
static void test_same_bits_everywhere(void **state)
{
    (void)state;
    static const int usable[] = {0, 2, 3, 4, 5, 6, 7, 9, 11, 12, 14, 15};
    check_random random = {73};
    uint64_t hash = 0xcbf29ce484222325u;
    narrow_counts counts = {0};
    for (int i = 0; i < 20000; i++)
    {
        round_cores cores = round_make(&random, &round_families[usable[i / ROUND_KINDS % 12]], i % ROUND_KINDS);
        double sum = check_uniform(&random, 0.0, 2.0) * vec3_length(vec3_sub(cores.a[0], cores.b[0])), radii[2];
        round_split(&random, sum, radii);
        round_case c = case_of(&cores, radii);
        narrow_distance_result result = distance(&c, &counts);
        mix(&hash, meet(&c, &counts));
        mix(&hash, result.distance);
        mix_point(&hash, result.point_a), mix_point(&hash, result.point_b);
        narrow_ray ray = {c.a.end[0], vec3_sub(c.triangle.corner[2], c.a.end[1])};
        double t;
        if (narrow_round_ray_hit(&ray, &c.b, &t, &counts))
            mix(&hash, t);
    }
    print_message("hash %llx, %llu fallbacks\n", (unsigned long long)hash, (unsigned long long)counts.exact_fallbacks);
    assert_int_equal(hash, GOLDEN_HASH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_truth), cmocka_unit_test(test_filter_decides),
                                       cmocka_unit_test(test_same_bits_everywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
