/* What the hash of an answer covers, and what it leaves out. */
#include "query/answer.h"

static void the_hash_covers_the_answer_alone(void **state)
{
    (void)state;
    answer a;
    answer_fill(&a);
    uint64_t seen[1 + ANSWER_CHANGES] = {query_report_hash(&a.report, true)};
    for (int i = 0; i < ANSWER_CHANGES; i++)
    {
        answer_fill(&a);
        answer_change(&a, i);
        seen[1 + i] = query_report_hash(&a.report, true);
        for (int k = 0; k <= i; k++)
            if (seen[k] == seen[1 + i])
                fail_msg("change %d leaves the hash as change %d does", i, k - 1);
    }
    for (int i = ANSWER_CHANGES; i < ANSWER_CHANGES + ANSWER_COSTS; i++)
    {
        answer_fill(&a);
        answer_change(&a, i);
        assert_int_equal(query_report_hash(&a.report, true), seen[0]);
    }
}

/* Any-hit finds some pair, a cut answer whatever there was time for: neither says which. */
static void what_may_differ_is_left_out(void **state)
{
    (void)state;
    answer a, b;
    answer_fill(&a), answer_fill(&b);
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
