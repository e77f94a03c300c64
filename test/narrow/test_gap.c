/* Distances to the last digit in the kernel against rational arithmetic: the nearest double, the largest double not
 * above, decisions at thresholds around them, and the order of two distances. Triangles from 1e-6 to 1e24 in near
 * contact, families of degenerate pairs, balls and capsules; test_clearance has the same through the public functions.
 * CAROM_TEST_SCALE multiplies the number of cases (50 gives a million near contacts), CAROM_TEST_SEED starts elsewhere.
 */
#include "carom/carom.h"
#include "narrow/narrow.h"
#include "support/families.h"
#include "support/near_contacts.h"
#include "support/oracle.h"
#include "support/oracle_round.h"
#include "support/rounds.h"
#include "support/stack.h"

#include <stdlib.h>

enum
{
    NEAR_CONTACTS = 20000,
    FAMILY_CASES = 20000,
    ROUND_CASES = 10000,
    ORDERS = 10000,
    CLOSEST_CASES = 2000
};

typedef struct truth
{
    oracle *o;
    oracle_gap *gap;
    narrow_counts counts;
    uint64_t measured, whole;
} truth;

static long scaled(long cases)
{
    const char *scale = getenv("CAROM_TEST_SCALE");
    return cases * (scale ? strtol(scale, NULL, 10) : 1);
}

static check_random random_from(uint64_t seed)
{
    const char *start = getenv("CAROM_TEST_SEED");
    return (check_random){start ? seed + 1000 * strtoull(start, NULL, 10) : seed};
}

static truth begin(void) { return (truth){.o = oracle_create(), .gap = oracle_gap_create()}; }

static void end(truth *t, const char *name)
{
    print_message("%s: %llu apart, %llu of them by a double, %llu fallbacks\n", name, (unsigned long long)t->measured,
                  (unsigned long long)t->whole, (unsigned long long)t->counts.exact_fallbacks);
    oracle_destroy(t->o);
    oracle_gap_destroy(t->gap);
}

/* ---- a length and what is decided at thresholds around it ---- */

/* The sign of the gap minus (x + y) / 2. */
static int sign_at_middle(truth *t, const narrow_gap *gap, double x, double y)
{
    double lengths[6] = {gap->radius[0], gap->radius[1], gap->radius[0], gap->radius[1], x, y};
    return oracle_gap_twice_sign(t->gap, lengths, 6);
}

static const char *check_length(truth *t, const narrow_gap *gap)
{
    const exact_length *length = &gap->length;
    double below = length->below, above = nextafter(below, INFINITY);
    int sign = sign_at_middle(t, gap, below, below), half = sign_at_middle(t, gap, below, above);
    t->measured++, t->whole += length->whole;
    if (sign < 0 || sign_at_middle(t, gap, above, above) >= 0)
        return "the double below";
    if (length->whole != (sign == 0))
        return "whole";
    uint64_t bits;
    memcpy(&bits, &below, sizeof bits);
    double nearest = half > 0 || (half == 0 && (bits & 1)) ? above : below;
    if (length->nearest != (nearest > 0.0 ? nearest : 0x1p-1074))
        return "the nearest double";
    return NULL;
}

static void thresholds_of(const narrow_gap *gap, double out[5])
{
    out[0] = gap->length.below, out[1] = nextafter(out[0], 0.0), out[2] = nextafter(out[0], INFINITY);
    out[3] = 0.5 * out[0], out[4] = nextafter(out[2], INFINITY);
}

/* ---- triangles ---- */

static narrow_gap gap_of(const narrow_triangle pair[2], narrow_counts *counts)
{
    narrow_closest closest = {.distance = INFINITY, .triangle_a = CAROM_NO_TRIANGLE, .triangle_b = CAROM_NO_TRIANGLE};
    narrow_offer(&closest, &pair[0], &pair[1], (carom_pair){0, 0, 0}, counts);
    narrow_closest_settle(&closest, counts);
    assert_true(closest.triangle_a == 0 && closest.distance == closest.gap.length.nearest);
    return closest.gap;
}

static void measure_truth(truth *t, const narrow_triangle pair[2])
{
    exact_round a = {pair[0].corner, 3, 0.0}, b = {pair[1].corner, 3, 0.0};
    oracle_gap_measure(t->gap, &a, &b);
}

static const char *check_triangles(truth *t, const narrow_triangle pair[2])
{
    narrow_gap gap = gap_of(pair, &t->counts);
    measure_truth(t, pair);
    bool meets = sign_at_middle(t, &gap, 0.0, 0.0) == 0;
    if (meets != (gap.length.nearest == 0.0))
        return "zero";
    if (meets)
        return NULL;
    const char *wrong = check_length(t, &gap);
    double limits[5];
    thresholds_of(&gap, limits);
    for (int i = 0; i < 5 && !wrong; i++)
        if (narrow_distance_sign(&pair[0], &pair[1], limits[i], &t->counts) !=
            sign_at_middle(t, &gap, limits[i], limits[i]))
            wrong = "a decision at a threshold";
    return wrong;
}

static void fail_triangles(const narrow_triangle pair[2], const char *wrong, long number)
{
    for (int i = 0; i < 6; i++)
    {
        carom_vec3 p = pair[i / 3].corner[i % 3];
        print_message("  {%a, %a, %a}\n", p.x, p.y, p.z);
    }
    fail_msg("%s is wrong, case %ld", wrong, number);
}

static void test_near_contacts(void **state)
{
    (void)state;
    check_random random = random_from(31);
    truth t = begin();
    for (long i = 0, count = scaled(NEAR_CONTACTS); i < count; i++)
    {
        narrow_triangle pair[2];
        near_contact_make(&random, pair);
        const char *wrong = check_triangles(&t, pair);
        if (wrong)
            fail_triangles(pair, wrong, i);
    }
    end(&t, "near contacts");
}

static void test_families(void **state)
{
    (void)state;
    check_random random = random_from(32);
    truth t = begin();
    for (long i = 0, count = scaled(FAMILY_CASES); i < count; i++)
    {
        narrow_triangle pair[2];
        const family *source = i % 4 ? &families_degenerate[i % families_degenerate_count]
                                     : &families_random[i / 4 % families_random_count];
        source->make(&random, pair);
        const char *wrong = check_triangles(&t, pair);
        if (wrong)
            fail_triangles(pair, wrong, i);
    }
    end(&t, "families");
}

/* Seen from the third corner, the heights of two others differ by less than a double tells, and the nearer one is on
 * the other side of the face. */
static void test_recorded(void **state)
{
    (void)state;
    truth t = begin();
    const narrow_triangle pair[2] = {{{vec3(-0x1.fe5e94296cfc4p-2, -0x1.c2ed8935534a8p-2, 0x1.74f4d5cb6127p-2),
                                       vec3(-0x1.cbf3fe28aedfcp-1, -0x1.afb84be811c68p-2, 0x1.89867e8e50b18p-3),
                                       vec3(0x1.6b771bb4a0ac8p-3, -0x1.2681e56409f4p-1, -0x1.e54fb96395198p-2)}},
                                     {{vec3(-0x1.19ab36b0226edp-1, -0x1.c0718e5df43e6p-2, 0x1.5e2b06364416cp-2),
                                       vec3(-0x1.81b627de516fbp-1, -0x1.b6af1bbe6cf66p-2, 0x1.04a4e3d154801p-2),
                                       vec3(0x1.8ec7e1b1dda6ap-1, 0x1.ef7f3dc3ece68p-2, 0x1.bcf84a674ccdap-1)}}};
    const char *wrong = check_triangles(&t, pair);
    if (wrong)
        fail_triangles(pair, wrong, 0);
    end(&t, "recorded");
}

/* A ground of 1e7 below something small: distances in double err by 0.16 % here. */
static void test_ground(void **state)
{
    (void)state;
    truth t = begin();
    narrow_triangle pair[2] = {{{vec3(-1e7, -1e7, 0.1), vec3(1e7, -1e7, -0.3), vec3(0.3, 1e7, 0.7)}},
                               {{vec3(0.1, 0.2, 0.3), vec3(1.1, 0.2, 1.3), vec3(0.1, 1.2, 1.3)}}};
    for (int i = 0; i < 40; i++)
    {
        pair[1].corner[0].z = 0.3 + 1e-6 * (i + 1);
        const char *wrong = check_triangles(&t, pair);
        if (wrong)
            fail_triangles(pair, wrong, i);
    }
    assert_int_equal(t.measured, 40);
    end(&t, "ground");
}

/* ---- the order of two distances ---- */

/* A second pair that is as near as the first, or nearly: turned, mirrored, moved by ulps, or with the same corner. */
static void make_rival(check_random *random, const narrow_triangle from[2], narrow_triangle to[2])
{
    int kind = family_integer(random, 0, 4), corner = family_integer(random, 0, 2);
    for (int i = 0; i < 6; i++)
    {
        carom_vec3 p = from[i / 3].corner[i % 3];
        to[i / 3].corner[i % 3] = kind == 0 ? vec3(p.y, p.z, p.x) : kind == 1 ? vec3(-p.x, p.y, -p.z) : p;
    }
    double *moved = &to[family_integer(random, 0, 1)].corner[corner].x + family_integer(random, 0, 2);
    if (kind == 2)
        *moved = family_nudge(random, *moved, 2);
    if (kind == 3) /* around the same edge */
        for (int k = 0; k < 3; k++)
            ((double *)&to[0].corner[corner])[k] = check_uniform(random, -10.0, 10.0);
}

/* By a power of two, so that the order stays the same; false if that is not exact. */
static bool shrink(narrow_triangle pair[2], int exponent)
{
    bool exact = true;
    for (int i = 0; i < 6; i++)
    {
        carom_vec3 *corner = &pair[i / 3].corner[i % 3], before = *corner;
        *corner = vec3_scale(before, ldexp(1.0, -exponent));
        exact &= vec3_equal(vec3_scale(*corner, ldexp(1.0, exponent)), before);
    }
    return exact;
}

static void test_order(void **state)
{
    (void)state;
    check_random random = random_from(33);
    truth t = begin();
    oracle_gap *other = oracle_gap_create();
    long ties = 0, apart = 0;
    for (long i = 0, count = scaled(ORDERS); i < count; i++)
    {
        narrow_triangle first[2], second[2];
        if (i % 2)
            near_contact_make(&random, first);
        else
            families_degenerate[i / 2 % families_degenerate_count].make(&random, first);
        make_rival(&random, first, second);
        exact_round a = {second[0].corner, 3, 0.0}, b = {second[1].corner, 3, 0.0};
        measure_truth(&t, first);
        oracle_gap_measure(other, &a, &b);
        int order = oracle_gap_order(t.gap, other);
        bool meets = oracle_gap_sign(t.gap, 0.0, 0.0) == 0 && oracle_gap_sign(other, 0.0, 0.0) == 0;
        apart += !meets, ties += !meets && order == 0;
        /* each with smaller ids in turn, then so small that products of coordinates may underflow */
        for (uint32_t n = 0; n < 4; n++)
        {
            uint32_t id = n % 2;
            if (n == 2 && !(shrink(first, (int)(i % 200)) && shrink(second, (int)(i % 200))))
                break;
            narrow_closest closest = {
                .distance = INFINITY, .triangle_a = CAROM_NO_TRIANGLE, .triangle_b = CAROM_NO_TRIANGLE};
            narrow_offer(&closest, &first[0], &first[1], (carom_pair){5, id, 0}, &t.counts);
            narrow_offer(&closest, &second[0], &second[1], (carom_pair){5, 1 - id, 0}, &t.counts);
            uint32_t expected = order < 0 ? id : order > 0 ? 1 - id : 0;
            if (closest.triangle_b != expected)
                fail_triangles(order < 0 ? first : second, "the order of two distances", i);
        }
    }
    print_message("%ld ties of %ld pairs that are apart\n", ties, apart);
    assert_true(ties > 0 && ties < apart);
    oracle_gap_destroy(other);
    end(&t, "order");
}

/* Two triangles in planes across the z axis. */
static void make_level(narrow_triangle pair[2], double low, double high)
{
    for (int i = 0; i < 2; i++)
    {
        double z = i == 0 ? low : high;
        pair[i] = (narrow_triangle){{vec3(-1.0, -1.0, z), vec3(2.0, -1.0, z), vec3(-1.0, 2.0, z)}};
    }
}

/* Distances along an axis are differences of two doubles, known exactly, next to the middle between two doubles. */
static void test_order_along_an_axis(void **state)
{
    (void)state;
    static const double HIGH[] = {1.0 - 0x1p-53, 1.0, 1.0 + 0x1p-52, 1.0 + 0x1p-51};
    static const double LOW[] = {0x1p-53, 0x1p-53 - 0x1p-106, 0x1p-53 + 0x1p-105, 0x1p-54, 0x1p-54 - 0x1p-107};
    enum
    {
        HIGHS = sizeof HIGH / sizeof HIGH[0],
        LOWS = 2 * sizeof LOW / sizeof LOW[0],
        LEVELS = HIGHS * LOWS
    };
    truth t = begin();
    oracle_gap *other = oracle_gap_create();
    for (int i = 0; i < LEVELS * LEVELS; i++)
    {
        narrow_triangle pair[2][2];
        for (int k = 0; k < 2; k++)
        {
            int level = k == 0 ? i / LEVELS : i % LEVELS, low = level % LOWS;
            make_level(pair[k], low % 2 ? -LOW[low / 2] : LOW[low / 2], HIGH[level / LOWS]);
        }
        exact_round a = {pair[1][0].corner, 3, 0.0}, b = {pair[1][1].corner, 3, 0.0};
        measure_truth(&t, pair[0]);
        oracle_gap_measure(other, &a, &b);
        narrow_closest closest;
        narrow_closest_begin(&closest, INFINITY);
        for (uint32_t k = 0; k < 2; k++)
            narrow_offer(&closest, &pair[k][0], &pair[k][1], (carom_pair){1 - k, 0, 0}, &t.counts);
        uint32_t expected = oracle_gap_order(t.gap, other) < 0 ? 1 : 0;
        if (closest.triangle_a != expected)
            fail_triangles(pair[1 - expected], "the order of two distances along an axis", i);
    }
    oracle_gap_destroy(other);
    end(&t, "order along an axis");
}

/* ---- the closest of many ---- */

enum
{
    MANY = 6
};

/* Triangles of a sheet, some of them around the same corners: on a lattice in an oblique plane or across an axis, or
 * turned, so that they are parallel but for rounding. Neighbours share corners. */
static void make_sheet(check_random *random, int kind, double height, narrow_triangle sheet[MANY])
{
    int first = family_integer(random, 0, 1), second = family_integer(random, 0, 1);
    for (int i = 0; i < MANY; i++)
        for (int c = 0; c < 3; c++)
        {
            int u = first + i / 2 % 3 + (i % 2 ? c > 0 : c == 1), v = second + (i % 2 ? c == 1 : c == 2);
            if (kind == 3) /* a fan around a corner */
                u = c == 0 ? 2 : u, v = c == 0 ? 2 : v + 3;
            carom_vec3 p =
                kind == 1 ? vec3(u, v, height) : vec3(-2.0 * u - 3.0 * v + height, u + 2.0 * height, v + 3.0 * height);
            carom_vec3 turned =
                vec3(0.36 * p.x + 0.48 * p.y - 0.8 * p.z, -0.8 * p.x + 0.6 * p.y, 0.48 * p.x + 0.64 * p.y + 0.6 * p.z);
            sheet[i].corner[c] = kind == 2 ? turned : p;
        }
}

static int compare_pairs(oracle_gap *of[2], const narrow_triangle *x, const narrow_triangle *y, const int ids[4])
{
    for (int k = 0; k < 2; k++)
    {
        exact_round a = {x[ids[2 * k]].corner, 3, 0.0}, b = {y[ids[2 * k + 1]].corner, 3, 0.0};
        oracle_gap_measure(of[k], &a, &b);
    }
    return oracle_gap_order(of[0], of[1]);
}

/* Each pair at thresholds around the smallest distance: what was decided before must not mislead. */
static void check_threshold(oracle_gap *gap, const narrow_triangle *x, const narrow_triangle *y, double limit)
{
    narrow_threshold thresholds[2];
    narrow_counts counts = {0};
    for (int strictly = 0; strictly < 2; strictly++)
        narrow_threshold_begin(&thresholds[strictly], limit, strictly);
    for (uint32_t i = 0; i < MANY * MANY; i++)
    {
        uint32_t at = 31 * i % (MANY * MANY), ids[2] = {at / MANY, at % MANY};
        exact_round a = {x[ids[0]].corner, 3, 0.0}, b = {y[ids[1]].corner, 3, 0.0};
        oracle_gap_measure(gap, &a, &b);
        int sign = oracle_gap_sign(gap, limit, 0.0);
        for (int strictly = 0; strictly < 2; strictly++)
            assert_int_equal(narrow_is_within(&thresholds[strictly], &x[ids[0]], &y[ids[1]],
                                              (carom_pair){ids[0], ids[1], 0}, &counts),
                             sign < !strictly);
    }
}

/* Pairs in any order, rounded now and then: the exact minimum with the smallest ids wins. */
static void test_closest_of_many(void **state)
{
    (void)state;
    check_random random = random_from(35);
    oracle_gap *gaps[2] = {oracle_gap_create(), oracle_gap_create()};
    narrow_counts counts = {0};
    long ties = 0;
    for (long n = 0, count = scaled(CLOSEST_CASES); n < count; n++)
    {
        narrow_triangle x[MANY], y[MANY];
        int kind = (int)(n % 4);
        make_sheet(&random, kind, 0.0, x);
        make_sheet(&random, kind, family_integer(&random, 1, 3) / 4.0, y);
        if (family_integer(&random, 0, 2) == 0)
            y[family_integer(&random, 0, MANY - 1)].corner[1].x = family_nudge(&random, y[0].corner[1].x, 2);
        int best[2] = {0, 0};
        for (int i = 1; i < MANY * MANY; i++)
        {
            int order = compare_pairs(gaps, x, y, (const int[4]){i / MANY, i % MANY, best[0], best[1]});
            ties += order == 0;
            if (order < 0)
                best[0] = i / MANY, best[1] = i % MANY;
        }
        narrow_closest closest;
        narrow_closest_begin(&closest, INFINITY);
        uint32_t start = (uint32_t)family_integer(&random, 0, MANY * MANY - 1), step = n % 2 ? 5 : 31;
        for (uint32_t i = 0; i < MANY * MANY; i++)
        {
            uint32_t at = (start + step * i) % (MANY * MANY), a = at / MANY, b = at % MANY;
            narrow_offer(&closest, &x[a], &y[b], (carom_pair){a, b, 0}, &counts);
            if (family_integer(&random, 0, 7) == 0)
                narrow_closest_settle(&closest, &counts);
        }
        if (closest.triangle_a != (uint32_t)best[0] || closest.triangle_b != (uint32_t)best[1])
            fail_msg("case %ld, kind %d: %u %u instead of %d %d", n, kind, closest.triangle_a, closest.triangle_b,
                     best[0], best[1]);
        narrow_closest_settle(&closest, &counts);
        double limit = closest.gap.length.below;
        for (int k = 0; k < 3 && n % 5 == 0; k++)
            check_threshold(gaps[0], x, y, k == 0 ? limit : nextafter(limit, k == 1 ? 0.0 : INFINITY));
    }
    print_message("%ld ties on the way\n", ties);
    assert_true(ties > 0);
    oracle_gap_destroy(gaps[0]);
    oracle_gap_destroy(gaps[1]);
}

/* ---- how deep the integers go ---- */

/* Coordinates of all sizes, so that every number is as long as it can be. */
static void *measure_extremes(void *user)
{
    uint64_t *fallbacks = user;
    const double big = 0x1.8p109, tiny = 0x1p-1074;
    narrow_triangle pair[4] = {{{vec3(tiny, big, tiny), vec3(-big, tiny, 3 * tiny), vec3(big, -big, 0x1p-500)}},
                               {{vec3(5 * tiny, big, big), vec3(big, tiny, 0x1.1p109), vec3(-big, -big, 0x1.fp109)}}};
    for (int i = 0; i < 6; i++)
        pair[2 + i / 3].corner[i % 3] =
            vec3(pair[i / 3].corner[i % 3].y, pair[i / 3].corner[i % 3].x, pair[i / 3].corner[i % 3].z);
    narrow_counts counts = {0};
    narrow_closest closest;
    narrow_closest_begin(&closest, INFINITY);
    for (uint32_t i = 0; i < 4; i += 2)
        narrow_offer(&closest, &pair[i], &pair[i + 1], (carom_pair){2 - i, i, 0}, &counts);
    narrow_closest_settle(&closest, &counts);
    narrow_distance_sign(&pair[0], &pair[1], closest.gap.length.below, &counts);
    exact_round a = {pair[0].corner, 3, 0.0}, b = {pair[1].corner, 3, tiny};
    exact_gap_sign(&a, &b, &counts.exact_fallbacks);
    *fallbacks = counts.exact_fallbacks;
    return NULL;
}

static void test_stack(void **state)
{
    (void)state;
    uint64_t fallbacks = 0;
    size_t used = stack_used(measure_extremes, &fallbacks);
    print_message("%zu bytes of stack, %llu fallbacks\n", used, (unsigned long long)fallbacks);
    assert_true(fallbacks > 3);
    assert_true(used < STACK_LIMIT);
}

/* ---- balls and capsules ---- */

static int sign_of_rounds(const round_cores *cores, const double radii[2], double limit, narrow_counts *counts)
{
    narrow_round a = {{cores->a[0], cores->a[1]}, radii[0]}, b = {{cores->b[0], cores->b[1]}, radii[1]};
    narrow_triangle triangle = {{cores->b[0], cores->b[1], cores->b[2]}};
    return cores->count_b == 3 ? narrow_round_triangle_distance_sign(&a, &triangle, limit, counts)
                               : narrow_round_distance_sign(&a, &b, limit, counts);
}

static const char *check_rounds(truth *t, const round_cores *cores, const double radii[2])
{
    narrow_round a = {{cores->a[0], cores->a[1]}, radii[0]}, b = {{cores->b[0], cores->b[1]}, radii[1]};
    narrow_triangle triangle = {{cores->b[0], cores->b[1], cores->b[2]}};
    narrow_closest closest = {.distance = INFINITY, .triangle_a = CAROM_NO_TRIANGLE, .triangle_b = CAROM_NO_TRIANGLE};
    if (cores->count_b == 3)
        narrow_offer_triangle_round(&closest, &triangle, &a, 0, &t->counts);
    else
        narrow_offer_rounds(&closest, &a, &b, &t->counts);
    narrow_closest_settle(&closest, &t->counts);
    bool meets = oracle_gap_sign(t->gap, closest.gap.radius[0], closest.gap.radius[1]) <= 0;
    if (meets != (closest.distance == 0.0))
        return "zero";
    if (meets)
        return NULL;
    const char *wrong = check_length(t, &closest.gap);
    double limits[5];
    thresholds_of(&closest.gap, limits);
    for (int i = 0; i < 5 && !wrong; i++)
        if (sign_of_rounds(cores, radii, limits[i], &t->counts) !=
            sign_at_middle(t, &closest.gap, limits[i], limits[i]))
            wrong = "a decision at a threshold";
    return wrong;
}

static void test_rounds(void **state)
{
    (void)state;
    check_random random = random_from(34);
    truth t = begin();
    for (long i = 0, count = scaled(ROUND_CASES); i < count; i++)
    {
        const round_family *family = &round_families[i % round_families_count];
        round_cores cores = round_make(&random, family, (int)(i / round_families_count % ROUND_KINDS));
        exact_round a = {cores.a, cores.count_a, 0.0}, b = {cores.b, cores.count_b, 0.0};
        oracle_gap_measure(t.gap, &a, &b);
        double radii[2], sum = round_pick_radius(&random, oracle_gap_distance(t.gap));
        round_split(&random, sum, radii);
        radii[1] = cores.count_b == 3 ? 0.0 : radii[1];
        const char *wrong = check_rounds(&t, &cores, radii);
        if (wrong)
            fail_msg("%s is wrong: family %s, case %ld", wrong, family->name, i);
    }
    end(&t, "balls and capsules");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_near_contacts), cmocka_unit_test(test_families),
                                       cmocka_unit_test(test_recorded),      cmocka_unit_test(test_ground),
                                       cmocka_unit_test(test_order),         cmocka_unit_test(test_order_along_an_axis),
                                       cmocka_unit_test(test_rounds),        cmocka_unit_test(test_closest_of_many),
                                       cmocka_unit_test(test_stack)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
