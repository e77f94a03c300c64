/* Distances to the last digit against rational arithmetic: the nearest double, the largest double not above, decisions
 * at thresholds around them, and the order of two distances. Triangles from 1e-6 to 1e24 in near contact, families of
 * degenerate pairs, balls and capsules. CAROM_TEST_SCALE multiplies the number of cases (50 gives a million near
 * contacts), CAROM_TEST_SEED starts elsewhere. */
#include "narrow/narrow.h"
#include "support/families.h"
#include "support/oracle.h"
#include "support/oracle_round.h"
#include "support/rounds.h"

#include <stdlib.h>

enum
{
    NEAR_CONTACTS = 20000,
    FAMILY_CASES = 20000,
    ROUND_CASES = 10000,
    ORDERS = 10000
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

static double symmetric(check_random *random) { return check_uniform(random, -1.0, 1.0); }

static carom_vec3 random_vector(check_random *random, double size)
{
    return vec3(size * symmetric(random), size * symmetric(random), size * symmetric(random));
}

/* A point of a triangle: a corner, on an edge, or inside. */
static carom_vec3 point_on(check_random *random, const narrow_triangle *t)
{
    double u = check_uniform(random, 0.0, 1.0), v = check_uniform(random, 0.0, 1.0) * (1.0 - u);
    int kind = family_integer(random, 0, 2);
    u = kind == 0 ? 0.0 : u, v = kind < 2 ? 0.0 : v;
    const carom_vec3 *c = t->corner;
    carom_vec3 e = vec3_sub(c[1], c[0]), f = vec3_sub(c[2], c[0]);
    return vec3(c[0].x + u * e.x + v * f.x, c[0].y + u * e.y + v * f.y, c[0].z + u * e.z + v * f.z);
}

static void move_triangle(narrow_triangle *t, carom_vec3 way)
{
    for (int i = 0; i < 3; i++)
        t->corner[i] = vec3_add(t->corner[i], way);
}

/* Mirrors a corner at the plane through the origin, if needed, so that it is not below it. */
static void put_above(carom_vec3 *corner, carom_vec3 origin, carom_vec3 normal)
{
    double height = vec3_dot(vec3_sub(*corner, origin), normal);
    if (height < 0.0)
        *corner = vec3_sub(*corner, vec3_scale(normal, 2.0 * height));
}

static carom_vec3 unit_cross(carom_vec3 a, carom_vec3 b)
{
    carom_vec3 n = vec3_cross(a, b);
    double length = vec3_length(n);
    return length > 0.0 ? vec3_scale(n, 1.0 / length) : vec3(0.0, 0.0, 1.0);
}

/* Two triangles, possibly of very different sizes, with points of them next to each other: as near as rounding allows
 * or a small part of their sizes apart. A corner above a face, an edge above an edge, or anything. */
static void make_near_contact(check_random *random, narrow_triangle pair[2])
{
    double size = pow(10.0, check_uniform(random, -6.0, 24.0)), shares[2] = {1.0, 1.0};
    shares[family_integer(random, 0, 1)] =
        family_integer(random, 0, 2) ? 1.0 : pow(10.0, check_uniform(random, -8.0, 0.0));
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < 3; i++)
            pair[side].corner[i] = random_vector(random, size * shares[side]);
    if (family_integer(random, 0, 3) == 0) /* a ground */
        for (int i = 0; i < 3; i++)
            pair[0].corner[i].z = 0.0;
    carom_vec3 *a = pair[0].corner, *b = pair[1].corner;
    int kind = family_integer(random, 0, 3);
    carom_vec3 normal = unit_cross(vec3_sub(a[1], a[0]), vec3_sub(kind == 1 ? b[1] : a[2], kind == 1 ? b[0] : a[0]));
    carom_vec3 p = point_on(random, &pair[0]), q = kind < 2 ? b[0] : point_on(random, &pair[1]);
    if (kind == 1)
    {
        put_above(&a[2], a[0], vec3_scale(normal, -1.0));
        double s = check_uniform(random, 0.0, 1.0), t = check_uniform(random, 0.0, 1.0);
        p = vec3_add(a[0], vec3_scale(vec3_sub(a[1], a[0]), s));
        q = vec3_add(b[0], vec3_scale(vec3_sub(b[1], b[0]), t));
    }
    for (int i = 1; kind < 2 && i < 3; i++)
        put_above(&b[i], q, normal);
    double gap = size * pow(10.0, check_uniform(random, -22.0, 0.0));
    carom_vec3 random_gap = random_vector(random, gap);
    move_triangle(&pair[1], vec3_add(vec3_sub(p, q), kind < 2 ? vec3_scale(normal, gap) : random_gap));
}

static void test_near_contacts(void **state)
{
    (void)state;
    check_random random = random_from(31);
    truth t = begin();
    for (long i = 0, count = scaled(NEAR_CONTACTS); i < count; i++)
    {
        narrow_triangle pair[2];
        make_near_contact(&random, pair);
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
        to[0].corner[corner] = random_vector(random, 10.0);
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
            make_near_contact(&random, first);
        else
            families_degenerate[i / 2 % families_degenerate_count].make(&random, first);
        make_rival(&random, first, second);
        exact_round a = {second[0].corner, 3, 0.0}, b = {second[1].corner, 3, 0.0};
        measure_truth(&t, first);
        oracle_gap_measure(other, &a, &b);
        int order = oracle_gap_order(t.gap, other);
        bool meets = oracle_gap_sign(t.gap, 0.0, 0.0) == 0 && oracle_gap_sign(other, 0.0, 0.0) == 0;
        apart += !meets, ties += !meets && order == 0;
        /* each with smaller ids in turn */
        for (uint32_t id = 0; id < 2; id++)
        {
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
                                       cmocka_unit_test(test_ground), cmocka_unit_test(test_order),
                                       cmocka_unit_test(test_rounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
