/* Attacks what widens the interval of a distance where signs are too close to call (docs/exactness.md, section 21):
 * feet that are outside of their features by a known part, and corners that are in front of the planes by a known
 * height, against the exact distance. What the derivation says holds for large doubts, too, so these are attacked. */
#define CAROM_ISA scalar_here
#define CAROM_ISA_SCALAR
/* NOLINTNEXTLINE(bugprone-suspicious-include): its static functions are what is tested */
#include "math/exact_distance_simd.c"

#include "support/hill.h"
#include "support/oracle_round.h"

#include <stdlib.h>

typedef struct attack
{
    const char *name;
    int few, more; /* corners of the features */
    int count;     /* numbers: the corners, or what makes them */
    oracle_gap *truth;
} attack;

typedef struct setting
{
    carom_vec3 p[3], q[3];
    exact_part first, second;
    features f;
    way way;
} setting;

static carom_vec3 point_at(const double *n) { return vec3(n[0], n[1], n[2]); }

static void set_features(setting *s, int few, int more)
{
    s->first = (exact_part){s->p, (1u << few) - 1u}, s->second = (exact_part){s->q, (1u << more) - 1u};
    s->f = (features){.first = &s->first, .second = &s->second, .in_range = true};
    s->f.few = list_corners(&s->first, s->f.p), s->f.more = list_corners(&s->second, s->f.q);
    set_way(&s->f, &s->way);
}

static double square_of(const way *way) { return way->top.high / way->bottom.high; }

/* The exact distance of all corners' hulls over that of the lines or planes that carry the features. */
static double true_part(oracle_gap *truth, const setting *s, int count_p, int count_q)
{
    exact_round a = {s->p, count_p, 0.0}, b = {s->q, count_q, 0.0};
    oracle_gap_measure(truth, &a, &b);
    return oracle_gap_distance(truth) / sqrt(square_of(&s->way));
}

/* ---- feet that are outside ---- */

/* By how much the share that is farthest outside is. */
static double outside_of(setting *s)
{
    const way *way = &s->way;
    double outside = 0.0;
    if (s->f.more == 3)
        for (int i = 0; i < 3; i++)
        {
            doubled_vector edge = between(&s->f, s->f.q[i], s->f.q[(i + 1) % 3]),
                           r = between(&s->f, s->f.q[i], s->f.p[0]);
            outside = larger(outside, -doubled_dot(doubled_cross(edge, r), way->normal).high);
        }
    else
        for (int i = 0; i < s->f.few; i++)
        {
            doubled share = s->f.few == 1 ? doubled_dot(way->r, way->edge[0])
                                          : doubled_dot(doubled_cross(way->r, way->edge[i]), way->normal);
            outside = larger(outside, larger(-share.high, share.high - way->bottom.high));
        }
    return outside;
}

/* How much of what the interval is widened by is needed. */
static double moved_ratio(const double *n, void *user)
{
    const attack *attack = user;
    setting s;
    for (int i = 0; i < 3; i++)
        s.p[i] = point_at(n + 3 * (i % attack->few)), s.q[i] = point_at(n + 3 * (attack->few + i % attack->more));
    set_features(&s, attack->few, attack->more);
    double square = square_of(&s.way), outside = outside_of(&s) / s.way.bottom.high;
    if (!(s.way.bottom.high > 0x1p-40) || !(square > 0x1p-12) || !(outside > 0x1p-8) || outside > 0.25)
        return 0.0;
    s.f.outside = outside * s.way.bottom.high, s.f.certain = false;
    return (true_part(attack->truth, &s, attack->few, attack->more) - 1.0) / doubtful_part(&s.f, &s.way, square);
}

/* ---- corners that are in front ---- */

/* By how much the corner of a part that is foremost is. */
static double in_front_of(setting *s, const exact_part *part, doubled_vector away)
{
    const carom_vec3 *origin = part == s->f.first ? s->f.p[0] : s->f.q[0];
    double in_front = 0.0;
    for (int i = 0; i < 3; i++)
        in_front = larger(in_front, -doubled_dot(away, between(&s->f, origin, &part->points[i])).high);
    return in_front;
}

/* The same for triangles of which the first corners are the features. */
static double in_front_ratio(const double *n, void *user)
{
    const attack *attack = user;
    setting s;
    for (int i = 0; i < 6; i++)
        (i < 3 ? s.p : s.q)[i % 3] = point_at(n + 3 * i);
    set_features(&s, attack->few, attack->more);
    double square = square_of(&s.way);
    if (!(s.way.bottom.high > 0x1p-16) || !(square > 0x1p-12))
        return 0.0;
    s.f.in_front = larger(in_front_of(&s, &s.first, turned(s.way.across)), in_front_of(&s, &s.second, s.way.across));
    s.f.certain = false;
    double part = s.f.in_front / s.way.height.high;
    if (!(part > 0x1p-20) || part > 0.25)
        return 0.0;
    return (1.0 - true_part(attack->truth, &s, 3, 3)) / doubtful_part(&s.f, &s.way, square);
}

/* ---- the attacks ---- */

static void attack_doubt(double (*ratio)(const double *, void *), attack attack, double expected)
{
    const char *scale = getenv("CAROM_TEST_SCALE");
    double numbers[HILL_NUMBERS];
    attack.truth = oracle_gap_create();
    double used = hill_climb(1, 3 * (scale ? atoi(scale) : 1), &(hill){ratio, &attack, attack.count, 20000}, numbers);
    oracle_gap_destroy(attack.truth);
    print_message("%s: %.3f of the bound\n", attack.name, used);
    assert_true(used > expected && used < 1.0);
}

static void feet_move_as_derived(void **state)
{
    (void)state;
    attack_doubt(moved_ratio, (attack){"a foot on an edge", 1, 2, 9, NULL}, 0.8);
    attack_doubt(moved_ratio, (attack){"feet on two edges", 2, 2, 12, NULL}, 0.55);
    attack_doubt(moved_ratio, (attack){"a foot on a face", 1, 3, 12, NULL}, 0.55);
}

static void corners_take_off_as_derived(void **state)
{
    (void)state;
    attack_doubt(in_front_ratio, (attack){"corners beside two corners", 1, 1, 18, NULL}, 0.8);
    attack_doubt(in_front_ratio, (attack){"corners beside a corner and an edge", 1, 2, 18, NULL}, 0.8);
    attack_doubt(in_front_ratio, (attack){"corners beside two edges", 2, 2, 18, NULL}, 0.8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(feet_move_as_derived),
                                       cmocka_unit_test(corners_take_off_as_derived)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
