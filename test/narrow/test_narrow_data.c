/* The triangle kernels on the published pairs with known answers: tritri/pairs.txt and the triangle cases of
 * hardcases.json. Skipped with a word where the data is absent. */
#include "narrow/narrow.h"
#include "support/data.h"

static FILE *open_data(const char *name)
{
    char path[1024];
    data_find(name, path, sizeof path);
    return fopen(path, "r");
}

static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};

static narrow_triangle reordered(const narrow_triangle *t, int order)
{
    const int *o = orders[order];
    return (narrow_triangle){{t->corner[o[0]], t->corner[o[1]], t->corner[o[2]]}};
}

/* One pair in all 72 orders of arguments and corners. */
static void check_pair(const narrow_triangle *a, const narrow_triangle *b, bool truth, const char *where)
{
    narrow_counts counts = {0};
    uint32_t meeting = narrow_meet(a, b, &counts);
    if ((meeting != CAROM_MEET_NONE) != truth)
        fail_msg("%s: meeting %u, truth %d", where, meeting, truth);
    narrow_distance_result distance = narrow_distance(a, b, &counts);
    if ((distance.distance == 0.0) != truth)
        fail_msg("%s: distance %g, truth %d", where, distance.distance, truth);
    carom_vec3 points[6], again[6];
    uint32_t point_count = narrow_contact(a, b, points, &counts);
    if ((point_count > 0) != truth)
        fail_msg("%s: %u contact points, truth %d", where, point_count, truth);
    for (int i = 0; i < 36; i++)
    {
        narrow_triangle p = reordered(a, i / 6), q = reordered(b, i % 6);
        if (narrow_meet(&p, &q, &counts) != meeting || narrow_meet(&q, &p, &counts) != meeting)
            fail_msg("%s: the meeting depends on the order", where);
        if (narrow_touches(&p, &q, &counts) != truth || narrow_touches(&q, &p, &counts) != truth)
            fail_msg("%s: touching depends on the order", where);
        narrow_distance_result d = narrow_distance(&p, &q, &counts), e = narrow_distance(&q, &p, &counts);
        if (d.distance != distance.distance || !vec3_equal(d.point_a, distance.point_a) ||
            !vec3_equal(d.point_b, distance.point_b) || e.distance != distance.distance ||
            !vec3_equal(e.point_a, distance.point_b) || !vec3_equal(e.point_b, distance.point_a))
            fail_msg("%s: the distance depends on the order", where);
        for (int swap = 0; swap < 2; swap++)
        {
            bool same = narrow_contact(swap ? &q : &p, swap ? &p : &q, again, &counts) == point_count;
            for (uint32_t k = 0; same && k < point_count; k++)
                same = vec3_equal(points[k], again[k]);
            if (!same)
                fail_msg("%s: the contact depends on the order", where);
        }
    }
}

static void test_published_pairs(void **state)
{
    (void)state;
    FILE *file = open_data("tritri/pairs.txt");
    assert_non_null(file);
    char line[2048], where[64];
    int cases = 0, hits = 0, number = 0;
    while (fgets(line, sizeof line, file))
    {
        number++;
        if (line[0] == '#')
            continue;
        char *rest = line;
        long family = strtol(rest, &rest, 10), truth = strtol(rest, &rest, 10);
        double value[18];
        for (int i = 0; i < 18; i++)
            value[i] = strtod(rest, &rest);
        narrow_triangle t[2];
        memcpy(t, value, sizeof t);
        snprintf(where, sizeof where, "line %d, family %ld", number, family);
        check_pair(&t[0], &t[1], truth != 0, where);
        cases++;
        hits += truth != 0;
    }
    fclose(file);
    print_message("%d pairs, %d of them meet\n", cases, hits);
    assert_true(cases >= 5600 && hits > 1000);
}

/* Enough of JSON for objects whose members A, B and exact_intersects stand in the file's order. */
static void test_hard_cases(void **state)
{
    (void)state;
    FILE *file = open_data("hardcases/hardcases.json");
    assert_non_null(file);
    static char text[4 << 20];
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = 0;
    int cases = 0;
    char where[32];
    for (char *at = text; (at = strstr(at, "\"triangle-triangle\"")) != NULL; at++)
    {
        double value[18];
        const char *names[2] = {"\"A\":", "\"B\":"};
        for (int side = 0; side < 2; side++)
        {
            char *rest = strstr(at, names[side]);
            assert_non_null(rest);
            rest += 4;
            for (int i = 0; i < 9; i++)
            {
                rest += strcspn(rest, "-0123456789");
                value[9 * side + i] = strtod(rest, &rest);
            }
        }
        char *truth = strstr(at, "\"exact_intersects\":");
        assert_non_null(truth);
        truth += strlen("\"exact_intersects\":");
        truth += strspn(truth, " \n");
        narrow_triangle t[2];
        memcpy(t, value, sizeof t);
        snprintf(where, sizeof where, "hard case %d", cases);
        check_pair(&t[0], &t[1], *truth == 't', where);
        cases++;
    }
    print_message("%d hard cases\n", cases);
    assert_true(cases >= 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_published_pairs), cmocka_unit_test(test_hard_cases)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
