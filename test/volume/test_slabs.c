/* The last bits of slabs, in rational arithmetic: sums that rounding shortens, distances and entries that it makes too
 * large. Where floats round by 2^-24 of a volume's size nothing of this shows, so these cases leave floats nothing to
 * round. */
#include "support/check.h"

#include "volume/parts.h"

#include <gmp.h>

enum
{
    ROUNDS = 20000
};

static const carom_volume KINDS[] = {CAROM_VOLUME_AABB, CAROM_VOLUME_KDOP14, CAROM_VOLUME_KDOP18, CAROM_VOLUME_KDOP26};

/* ---- fit ---- */

/* Along a direction whose components are -1, 0 or 1, exactly. */
static void project(mpq_t out, const int direction[3], carom_vec3 p)
{
    const double parts[3] = {p.x, p.y, p.z};
    mpq_t part;
    mpq_init(part);
    mpq_set_si(out, 0, 1);
    for (int i = 0; i < 3; i++)
    {
        mpq_set_d(part, direction[i] * parts[i]);
        mpq_add(out, out, part);
    }
    mpq_clear(part);
}

static void check_fit(carom_volume kind, carom_vec3 p)
{
    const uint32_t indices[3] = {0, 0, 0}, count = slab_count(kind);
    volume_cloud cloud = {.vertices = &p, .indices = indices, .count = 1};
    float volume[2 * VOLUME_SLABS_MAX];
    double rows[3][VOLUME_SLABS_MAX];
    slab_fit(kind, &cloud, volume);
    for (int axis = 0; axis < 3; axis++)
        slab_project(kind, vec3(axis == 0, axis == 1, axis == 2), rows[axis]);
    mpq_t along, bound;
    mpq_init(along), mpq_init(bound);
    for (uint32_t s = 0; s < count; s++)
    {
        int direction[3] = {(int)rows[0][s], (int)rows[1][s], (int)rows[2][s]};
        project(along, direction, p);
        mpq_set_d(bound, (double)volume[s]);
        bool inside = mpq_cmp(along, bound) >= 0;
        mpq_set_d(bound, (double)volume[count + s]);
        if (!inside || mpq_cmp(along, bound) > 0)
            fail_msg("slab %u of %s does not contain (%a, %a, %a)", s, carom_volume_name(kind), p.x, p.y, p.z);
    }
    mpq_clear(along), mpq_clear(bound);
}

/* Sums that are floats once they are rounded: only their own rounding error can be missing. */
static void fits_contain_rounded_sums(void **state)
{
    (void)state;
    check_random random = {1};
    for (int round = 0; round < ROUNDS; round++)
    {
        double part[3];
        int small = (int)(check_next(&random) % 3);
        for (int i = 0; i < 3; i++)
        {
            part[i] = (double)(1 + check_next(&random) % 4) * (check_next(&random) % 2 ? 0.5 : -0.5);
            if (i == small)
                part[i] *= check_uniform(&random, 0.5, 1.0) * exp2(-(double)(50 + check_next(&random) % 6));
        }
        check_fit(KINDS[round % 4], vec3(part[0], part[1], part[2]));
    }
}

/* How much of the rounding that a fit adds is used: coordinates just beyond 4/3, where three roundings are largest. */
static void fits_use_their_rounding(void **state)
{
    (void)state;
    check_random random = {4};
    double used = 0.0;
    for (int round = 0; round < 50 * ROUNDS; round++)
    {
        double p[3], along[VOLUME_SLABS_MAX], largest = 0.0;
        for (int i = 0; i < 3; i++)
        {
            p[i] = -check_uniform(&random, 4.0 / 3.0, 1.334);
            largest = fmax(largest, fabs(p[i]));
        }
        slab_project(CAROM_VOLUME_KDOP14, vec3(p[0], p[1], p[2]), along);
        double rounding = largest * 0x1p-50, low = along[3] - rounding;
        long double truth = (long double)p[0] + (long double)p[1] + (long double)p[2];
        used = fmax(used, (double)(1.0L - (truth - (long double)low) / (long double)rounding));
    }
    print_message("fitted slabs: %.3f of their rounding used\n", used);
    assert_true(used <= 1.0 && used > 0.5);
}

/* ---- distances ---- */

/* A distance is no larger than the root of the gaps' squares, though each gap, square, sum and root rounds. */
static void distances_are_lower_bounds(void **state)
{
    (void)state;
    check_random random = {2};
    const volume_frame frame = {.still = CAROM_VOLUME_AABB, .moved = CAROM_VOLUME_AABB};
    double used = 0.0;
    mpq_t sum, part, high;
    mpq_init(sum), mpq_init(part), mpq_init(high);
    for (int round = 0; round < 20 * ROUNDS; round++)
    {
        float still[6] = {-1, -1, -1}, moved[6];
        mpq_set_si(sum, 0, 1);
        long double square = 0.0L;
        for (int i = 0; i < 3; i++)
        {
            moved[i] = (float)check_uniform(&random, 0.5, 0.6), moved[3 + i] = 2.0f;
            still[3 + i] = (float)(check_uniform(&random, -1.0, 0.0) * 0x1p-36);
            long double gap = (long double)moved[i] - (long double)still[3 + i]; /* in 64 bits without rounding */
            mpq_set_d(part, (double)moved[i]), mpq_set_d(high, (double)still[3 + i]);
            mpq_sub(part, part, high);
            mpq_mul(part, part, part), mpq_add(sum, sum, part);
            square += gap * gap;
        }
        double distance = slab_distance(&frame, still, moved);
        mpq_set_d(part, distance);
        mpq_mul(part, part, part);
        if (mpq_cmp(part, sum) > 0)
            fail_msg("round %d: %a is more than the distance", round, distance);
        long double below = 1.0L - (long double)distance / sqrtl(square); /* 5 roundings, less what they took */
        used = fmax(used, (double)(1.0L - below / (5.0L * 0x1p-53L)));
    }
    mpq_clear(sum), mpq_clear(part), mpq_clear(high);
    print_message("distances of slabs: %.3f of the rounding used\n", used);
    assert_true(used <= 1.0 && used > 0.5);
}

/* ---- rays ---- */

/* The parameter at which a ray enters a box is no larger than the exact one. */
static void entries_are_lower_bounds(void **state)
{
    (void)state;
    check_random random = {3};
    int entered = 0;
    double used = 0.0;
    mpq_t way, limit, direction;
    mpq_init(way), mpq_init(limit), mpq_init(direction);
    for (int round = 0; round < ROUNDS; round++)
    {
        float box[6] = {1, -1, -1, 2, 1, 1};
        volume_ray ray = {.low_t = 0.0, .high_t = INFINITY};
        ray.origin = vec3(check_uniform(&random, -1.0, 0.9), 0.0, 0.0);
        ray.direction.x = check_uniform(&random, 0.5, 1.0), ray.direction.y = check_uniform(&random, -0.1, 0.1);
        double entry;
        if (!slab_ray(CAROM_VOLUME_AABB, box, &ray, &entry))
            continue;
        entered++;
        /* entry * direction <= 1 - origin */
        mpq_set_d(way, entry), mpq_set_d(direction, ray.direction.x);
        mpq_mul(way, way, direction);
        mpq_set_d(direction, ray.origin.x), mpq_set_si(limit, 1, 1);
        mpq_sub(limit, limit, direction);
        if (mpq_cmp(way, limit) > 0)
            fail_msg("round %d: the entry at %a is too late", round, entry);
        long double truth = (1.0L - (long double)ray.origin.x) / (long double)ray.direction.x;
        used = fmax(used, (double)(1.0L - (1.0L - (long double)entry / truth) / 0x1p-51L));
    }
    mpq_clear(way), mpq_clear(limit), mpq_clear(direction);
    print_message("entries of rays: %.3f of the rounding used\n", used);
    assert_true(entered > ROUNDS / 2);
    assert_true(used <= 1.0 && used > 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_contain_rounded_sums),
        cmocka_unit_test(fits_use_their_rounding),
        cmocka_unit_test(distances_are_lower_bounds),
        cmocka_unit_test(entries_are_lower_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
