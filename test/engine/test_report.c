/* What the hash of a frame's report covers, and what it leaves out. */
#include "engine/engine.h"
#include "query/answer.h"

/* The hash of a report with one finding: a's. */
static uint64_t hash_of(carom_engine *engine, const answer *a, carom_body_id body_b)
{
    carom_frame frame = {.body_count = 2};
    engine_findings *findings = &engine->workers[0].findings;
    carom_body_pair bodies = {.body_a = {1, 1}, .body_b = body_b};
    carom_report found = a->report;
    found.hash = query_report_hash(&found, true);
    engine->options = carom_collide_options_default();
    engine_findings_clear(findings);
    findings->counters = found.counters;
    assert_int_equal(engine_findings_add(findings, &bodies, &found, NULL), CAROM_OK);
    engine->pairs.count = engine->finding_refs.count = 0;
    assert_true(base_array_reserve(engine->context, &engine->pairs, 1));
    assert_true(base_array_reserve(engine->context, &engine->finding_refs, 1));
    engine->pairs.items[engine->pairs.count++] = (engine_pair){0};
    engine->finding_refs.items[engine->finding_refs.count++] = 1; /* worker 0, its first */
    carom_scene_report report;
    assert_int_equal(engine_commit(engine, &frame, &report), CAROM_OK);
    return report.hash;
}

static void the_hash_covers_the_findings_alone(void **state)
{
    (void)state;
    carom_context *context;
    carom_engine *engine;
    assert_int_equal(carom_context_create(NULL, &context), CAROM_OK);
    assert_int_equal(carom_engine_create(context, NULL, &engine), CAROM_OK);
    const carom_body_id body = {2, 1}, other = {3, 1}, newer = {2, 2};
    answer a;
    answer_fill(&a);
    uint64_t seen[3 + ANSWER_CHANGES] = {hash_of(engine, &a, body), hash_of(engine, &a, other),
                                         hash_of(engine, &a, newer)};
    size_t count = 3;
    assert_true(seen[0] != seen[1] && seen[0] != seen[2] && seen[1] != seen[2]);
    for (int i = 0; i < ANSWER_CHANGES; i++)
    {
        answer_fill(&a);
        answer_change(&a, i);
        seen[count] = hash_of(engine, &a, body);
        for (size_t k = 0; k < count; k++)
            if (seen[k] == seen[count])
                fail_msg("change %d leaves the hash as it was at %zu", i, k);
        count++;
    }
    for (int i = ANSWER_CHANGES; i < ANSWER_CHANGES + ANSWER_COSTS; i++)
    {
        answer_fill(&a);
        answer_change(&a, i);
        assert_int_equal(hash_of(engine, &a, body), seen[0]);
    }
    carom_engine_destroy(engine);
    carom_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_hash_covers_the_findings_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
