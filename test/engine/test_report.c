/* What the hash of a frame's report covers, and what it leaves out. */
#include "engine/engine.h"
#include "query/answer.h"

static uint64_t hash_of(carom_context *context, const answer *a, carom_body_id body_b)
{
    engine_builder builder = {.context = context};
    carom_collide_options options = carom_collide_options_default();
    carom_frame frame = {NULL, 2};
    carom_scene_report report;
    engine_finding finding = {{1, 1}, body_b, &a->report, NULL};
    engine_builder_clear(&builder, &options);
    engine_builder_count(&builder, &a->report.counters);
    assert_int_equal(engine_builder_add(&builder, &finding), CAROM_OK);
    engine_builder_finish(&builder, &frame, &report);
    engine_builder_free(&builder);
    return report.hash;
}

static void the_hash_covers_the_findings_alone(void **state)
{
    (void)state;
    carom_context *context;
    assert_int_equal(carom_context_create(NULL, &context), CAROM_OK);
    const carom_body_id body = {2, 1}, other = {3, 1}, newer = {2, 2};
    answer a;
    answer_fill(&a);
    uint64_t seen[3 + ANSWER_CHANGES] = {hash_of(context, &a, body), hash_of(context, &a, other),
                                         hash_of(context, &a, newer)};
    size_t count = 3;
    assert_true(seen[0] != seen[1] && seen[0] != seen[2] && seen[1] != seen[2]);
    for (int i = 0; i < ANSWER_CHANGES; i++)
    {
        if (i == ANSWER_BOUND)
            continue;
        answer_fill(&a);
        answer_change(&a, i);
        seen[count] = hash_of(context, &a, body);
        for (size_t k = 0; k < count; k++)
            if (seen[k] == seen[count])
                fail_msg("change %d leaves the hash as it was at %zu", i, k);
        count++;
    }
    for (int i = ANSWER_CHANGES; i < ANSWER_CHANGES + ANSWER_COSTS; i++)
    {
        answer_fill(&a);
        answer_change(&a, i);
        assert_int_equal(hash_of(context, &a, body), seen[0]);
    }
    carom_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_hash_covers_the_findings_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
