/* What the hash of an answer covers, and what it leaves out. */
#include "query/query.h"
#include "support/check.h"

typedef struct answer
{
    carom_report report;
    carom_pair pairs[2];
    carom_contact contacts[2];
    carom_vec3 points[3];
} answer;

static void fill(answer *out)
{
    *out = (answer){.pairs = {{1, 2, CAROM_MEET_CROSSING}, {3, 4, CAROM_MEET_TOUCHING}},
                    .contacts = {{0, 0, 2}, {1, 2, 1}},
                    .points = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}};
    query_clear_report(&out->report);
    carom_report *r = &out->report;
    r->status = CAROM_OK, r->relation = CAROM_RELATION_CROSSING;
    r->pair_count = r->pairs_listed = r->contact_count = 2, r->point_count = 3;
    r->pairs = out->pairs, r->contacts = out->contacts, r->points = out->points;
    r->distance = r->distance_bound = 0.5, r->point_a = (carom_vec3){1, 1, 1}, r->point_b = (carom_vec3){2, 2, 2};
    r->triangle_a = 5, r->triangle_b = 6;
}

enum
{
    CHANGES = 20, /* of what is hashed */
    LEFT_OUT = 6
};

static void change(answer *a, int which)
{
    carom_report *r = &a->report;
    switch (which)
    {
    case 0: r->status = CAROM_TRUNCATED; break;
    case 1: r->relation = CAROM_RELATION_TOUCHING; break;
    case 2: r->clearance_violated = true; break;
    case 3: r->pair_count = 3; break;
    case 4: r->pairs_listed = 1; break;
    case 5: a->pairs[0].triangle_a = 0; break;
    case 6: a->pairs[1].triangle_b = 5; break;
    case 7: a->pairs[1].meeting |= CAROM_MEET_COPLANAR; break;
    case 8: a->contacts[0].point_count = 1, a->contacts[1].point_count = 2; break;
    case 9: a->points[0].x = nextafter(1.0, 2.0); break;
    case 10: a->points[1].y = -5; break;
    case 11: a->points[2].z = 0; break;
    case 12: r->point_count = 2; break;
    case 13: r->distance = 0.25; break;
    case 14: r->distance_bound = 0.25; break;
    case 15: r->point_a.x = 0; break;
    case 16: r->point_b.z = 0; break;
    case 17: r->triangle_a = 4; break;
    case 18: r->triangle_b = 4; break;
    case 19: r->distance = INFINITY; break;
    /* left out */
    case 20: r->counters.boxes_tested = 7; break;
    case 21: r->counters.exact_fallbacks = 7; break;
    case 22: r->times.total_ms = 7; break;
    case 23: r->times.mid_ms = 7; break;
    case 24: r->counters.triangles_tested = 7; break;
    default: r->times.report_ms = 7; break;
    }
}

static void the_hash_covers_the_answer_alone(void **state)
{
    (void)state;
    answer a;
    fill(&a);
    uint64_t seen[1 + CHANGES] = {query_report_hash(&a.report, true)};
    for (int i = 0; i < CHANGES; i++)
    {
        fill(&a);
        change(&a, i);
        seen[1 + i] = query_report_hash(&a.report, true);
        for (int k = 0; k <= i; k++)
            if (seen[k] == seen[1 + i])
                fail_msg("change %d leaves the hash as change %d does", i, k - 1);
    }
    for (int i = CHANGES; i < CHANGES + LEFT_OUT; i++)
    {
        fill(&a);
        change(&a, i);
        assert_int_equal(query_report_hash(&a.report, true), seen[0]);
    }
}

/* Any-hit finds some pair, a cut answer whatever there was time for: neither says which. */
static void what_may_differ_is_left_out(void **state)
{
    (void)state;
    answer a, b;
    fill(&a), fill(&b);
    b.report.triangle_a = 9, b.pairs[0].triangle_a = 9;
    assert_int_equal(query_report_hash(&a.report, false), query_report_hash(&b.report, false));
    b.report.pair_count = 9;
    assert_int_not_equal(query_report_hash(&a.report, false), query_report_hash(&b.report, false));
    a.report.status = b.report.status = CAROM_UNKNOWN;
    assert_int_equal(query_report_hash(&a.report, true), query_report_hash(&b.report, true));
    b.report.status = CAROM_STOPPED;
    assert_int_not_equal(query_report_hash(&a.report, true), query_report_hash(&b.report, true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_hash_covers_the_answer_alone),
                                       cmocka_unit_test(what_may_differ_is_left_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
