/* Triangles with common corners that meet elsewhere, against rational arithmetic. */
#include "support/families.h"
#include "support/oracle.h"

enum
{
    CASES = 100000
};

/* Makes some corners of b the same as corners of a. Returns the bits. */
static uint32_t share(check_random *random, narrow_triangle pair[2], int count)
{
    uint32_t shared = 0;
    int first_a = family_integer(random, 0, 2), first_b = family_integer(random, 0, 2),
        turn = family_integer(random, 1, 2);
    for (int i = 0; i < count; i++)
        pair[1].corner[(first_b + turn * i) % 3] = pair[0].corner[(first_a + i) % 3];
    for (int i = 0; i < count; i++)
        shared |= 1u << (3 * ((first_a + i) % 3) + (first_b + turn * i) % 3);
    return shared;
}

/* Corners of degenerate triangles coincide too: then they are common if one of them is. */
static uint32_t complete(const narrow_triangle pair[2], uint32_t shared)
{
    uint32_t out = shared;
    for (int i = 0; i < 9; i++)
        for (int k = 0; k < 9; k++)
            if ((shared >> k & 1) && vec3_equal(pair[0].corner[i / 3], pair[0].corner[k / 3]) &&
                vec3_equal(pair[1].corner[i % 3], pair[0].corner[k / 3]))
                out |= 1u << i;
    return out;
}

static void check_pairs(void (*make)(check_random *, narrow_triangle[2]), const char *name, uint64_t seed)
{
    oracle *o = oracle_create();
    check_random random = {seed};
    uint32_t beyond = 0;
    for (int i = 0; i < CASES / 10; i++)
    {
        narrow_triangle pair[2];
        make(&random, pair);
        uint32_t shared = complete(pair, share(&random, pair, i % 4)), mirrored = 0;
        for (int k = 0; k < 9; k++)
            mirrored |= (shared >> k & 1) << (3 * (k % 3) + k / 3);
        narrow_counts counts = {0};
        bool truth = oracle_meets_beyond(o, pair, shared);
        beyond += truth;
        if (narrow_meets_beyond(&pair[0], &pair[1], shared, &counts) != truth ||
            narrow_meets_beyond(&pair[1], &pair[0], mirrored, &counts) != truth)
            fail_msg("%s, case %d: not %d", name, i, truth);
    }
    print_message("%s: %u of %d meet elsewhere\n", name, beyond, CASES / 10);
    oracle_destroy(o);
}

static void make_small(check_random *random, narrow_triangle pair[2])
{
    for (int i = 0; i < 6; i++)
        pair[i / 3].corner[i % 3] = vec3(family_integer(random, 0, 2), family_integer(random, 0, 2),
                                         family_integer(random, 0, family_integer(random, 0, 2)));
}

static void random_triangles(void **state)
{
    (void)state;
    for (int i = 0; i < families_random_count; i++)
        check_pairs(families_random[i].make, families_random[i].name, 11);
}

static void nearly_degenerate_triangles(void **state)
{
    (void)state;
    for (int i = 0; i < families_degenerate_count; i++)
        check_pairs(families_degenerate[i].make, families_degenerate[i].name, 12);
}

/* Coordinates of 0, 1 and 2 only: all the ways to touch, to fold back and to collapse. */
static void small_triangles(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++)
        check_pairs(make_small, "small", seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_triangles),
        cmocka_unit_test(nearly_degenerate_triangles),
        cmocka_unit_test(small_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
