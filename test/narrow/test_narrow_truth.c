/* Meeting, its kind and the contact points against rational arithmetic, on random and nearly degenerate pairs, in
 * several orders of the arguments and their corners. CAROM_TEST_SCALE multiplies the number of cases (5 gives a million
 * of each), CAROM_TEST_SEED starts elsewhere. */
#include "support/families.h"
#include "support/oracle.h"

#include <stdlib.h>

enum
{
    CASES = 200000
};

static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};

static narrow_triangle reordered(const narrow_triangle *t, int order)
{
    const int *o = orders[order];
    return (narrow_triangle){{t->corner[o[0]], t->corner[o[1]], t->corner[o[2]]}};
}

static void print_pair(const narrow_triangle pair[2])
{
    for (int i = 0; i < 6; i++)
    {
        carom_vec3 p = pair[i / 3].corner[i % 3];
        print_message("  %c%d {%a, %a, %a}\n", "ab"[i / 3], i % 3, p.x, p.y, p.z);
    }
}

static double largest_coordinate(const narrow_triangle pair[2])
{
    double largest = 0.0;
    for (int i = 0; i < 18; i++)
        largest = fmax(largest, fabs(((double *)&pair[0].corner[0])[i]));
    return largest;
}

/* Every true point, correctly rounded, is there, and there are as many. */
static bool same_points(const oracle_meeting *truth, const carom_vec3 *points, uint32_t count)
{
    bool used[6] = {false};
    if (count != (uint32_t)truth->point_count)
        return false;
    for (int i = 0; i < truth->point_count; i++)
    {
        bool found = false;
        for (uint32_t k = 0; k < count && !found; k++)
            used[k] |= found = !used[k] && vec3_equal(points[k], truth->point[i]);
        if (!found)
            return false;
    }
    return true;
}

/* The corners of a polygon in order turn one way; collinear within rounding counts as either. */
static bool turns_one_way(const carom_vec3 *p, uint32_t n, double tolerance)
{
    bool left = false, right = false;
    carom_vec3 normal = vec3(0, 0, 0);
    for (uint32_t i = 1; i + 1 < n; i++)
    {
        carom_vec3 c = vec3_cross(vec3_sub(p[i], p[0]), vec3_sub(p[i + 1], p[0]));
        normal = vec3_dot(c, c) > vec3_dot(normal, normal) ? c : normal;
    }
    for (uint32_t i = 0; i < n; i++)
    {
        carom_vec3 e = vec3_sub(p[(i + 1) % n], p[i]), f = vec3_sub(p[(i + 2) % n], p[(i + 1) % n]);
        double turn = vec3_dot(vec3_cross(e, f), normal);
        double bound = 16.0 * tolerance * (vec3_length(e) + vec3_length(f)) * vec3_length(normal);
        left |= turn > bound, right |= turn < -bound;
    }
    return !(left && right);
}

static const char *check_case(oracle *o, check_random *random, const narrow_triangle pair[2], uint32_t *meeting)
{
    narrow_counts counts = {0};
    oracle_meeting truth = oracle_meet(o, &pair[0], &pair[1]);
    *meeting = truth.meeting;
    if (narrow_meet(&pair[0], &pair[1], &counts) != truth.meeting)
        return "meeting";
    if (narrow_touches(&pair[0], &pair[1], &counts) != (truth.meeting != CAROM_MEET_NONE))
        return "touches";
    carom_vec3 points[6], again[6];
    uint32_t count = narrow_contact(&pair[0], &pair[1], points, &counts);
    double largest = largest_coordinate(pair), tolerance = 2 * 0x1p-53 * largest + 0x1p-1074;
    if (!same_points(&truth, points, count))
        return "contact points";
    if (count > 3 && largest > 1e-60 && largest < 1e60 && !turns_one_way(points, count, tolerance))
        return "ring order";
    /* all 72 orders now and then, three otherwise */
    bool all = check_next(random) % 64 == 0;
    for (int n = 0; n < (all ? 72 : 3); n++)
    {
        int which = all ? n : family_integer(random, 0, 71);
        narrow_triangle p = reordered(&pair[0], which / 2 / 6), q = reordered(&pair[1], which / 2 % 6);
        const narrow_triangle *first = which % 2 ? &q : &p, *second = which % 2 ? &p : &q;
        if (narrow_meet(first, second, &counts) != truth.meeting)
            return "order of the meeting";
        bool same = narrow_contact(first, second, again, &counts) == count;
        for (uint32_t k = 0; same && k < count; k++)
            same = vec3_equal(points[k], again[k]);
        if (!same)
            return "order of the contact";
    }
    return NULL;
}

static long environment_number(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : otherwise;
}

static void run(const family *families, int family_count, uint64_t seed)
{
    long cases = CASES * environment_number("CAROM_TEST_SCALE", 1);
    seed += (uint64_t)environment_number("CAROM_TEST_SEED", 0) << 32;
    check_random random = {seed};
    oracle *o = oracle_create();
    long kinds[8] = {0}, hits[64] = {0}, seen[64] = {0}, met = 0;
    for (long i = 0; i < cases; i++)
    {
        int f = (int)(i % family_count);
        narrow_triangle pair[2];
        families[f].make(&random, pair);
        uint32_t meeting;
        const char *wrong = check_case(o, &random, pair, &meeting);
        if (wrong)
        {
            print_pair(pair);
            fail_msg("%s is wrong: family %s, case %ld of seed %llu, truth %u", wrong, families[f].name, i,
                     (unsigned long long)seed, meeting);
        }
        kinds[meeting & 7]++, seen[f]++;
        hits[f] += meeting != CAROM_MEET_NONE, met += meeting != CAROM_MEET_NONE;
    }
    oracle_destroy(o);
    for (int f = 0; f < family_count; f++)
        print_message("  %-18s %6.1f %% meet\n", families[f].name, 100.0 * (double)hits[f] / (double)seen[f]);
    print_message("seed %llu: %ld pairs, 0 wrong; apart %ld, touching %ld, crossing %ld, coplanar touching %ld, "
                  "coplanar crossing %ld\n",
                  (unsigned long long)seed, cases, kinds[0], kinds[1], kinds[2], kinds[5], kinds[6]);
    /* neither answer may be the usual one, or the test would be vacuous */
    assert_true(met > 0.3 * (double)cases && met < 0.7 * (double)cases);
}

static void test_random(void **state)
{
    (void)state;
    run(families_random, families_random_count, 11);
}

static void test_degenerate(void **state)
{
    (void)state;
    run(families_degenerate, families_degenerate_count, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_degenerate), cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
