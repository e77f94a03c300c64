/* Events against a table that the test keeps itself: random reports with undecided pairs, bodies that are gone and
 * indices that are used again; reports of engines with and without budgets; misuse; no memory. */
#include "engine/engine.h"
#include "query/world.h"
#include "support/failing.h"

#include <string.h>

enum
{
    BODIES = 12,
    UPDATES = 400
};

/* ---- random reports ---- */

typedef struct state
{
    bool in_contact;
    carom_body_id a, b;
    uint64_t id, updates;
} state;

typedef struct script
{
    check_random random;
    uint32_t generations[BODIES + 1];
    carom_body_pair pairs[BODIES * BODIES];
    carom_scene_report report;
} script;

static void next_report(script *s)
{
    uint64_t count = 0;
    for (uint32_t i = 1; i <= BODIES; i++)
        s->generations[i] += check_next(&s->random) % 10 == 0; /* another body has this index now */
    for (uint32_t a = 1; a <= BODIES; a++)
        for (uint32_t b = a + 1; b <= BODIES; b++)
        {
            if (check_next(&s->random) % 3 == 0)
                continue;
            carom_body_pair *pair = &s->pairs[count++];
            *pair = (carom_body_pair){.body_a = {a, s->generations[a]}, .body_b = {b, s->generations[b]}};
            uint64_t kind = check_next(&s->random) % 8;
            pair->status = kind == 0 ? CAROM_UNKNOWN : kind == 1 ? CAROM_TRUNCATED : CAROM_OK;
            pair->pair_count = kind == 0 || kind == 1 || kind > 4 ? check_next(&s->random) % 3 + (kind == 1) : 0;
            pair->relation = (carom_relation)(check_next(&s->random) % 8);
            pair->clearance_violated = check_next(&s->random) % 2;
            pair->a_probably_inside_b = check_next(&s->random) % 4 == 0;
        }
    s->report = (carom_scene_report){.body_pairs = s->pairs, .body_pair_count = count};
    if (check_next(&s->random) % 9 == 0) /* no time even to list pairs */
        s->report = (carom_scene_report){.status = CAROM_UNKNOWN, .bodies_undecided = BODIES};
}

/* What a pair says about contact: 1, 0, or -1 for undecided. */
static int judge(const carom_body_pair *pair, uint32_t conditions)
{
    carom_relation r = pair->relation;
    if (pair->status == CAROM_UNKNOWN)
        return -1;
    bool in = r == CAROM_RELATION_A_INSIDE_B || r == CAROM_RELATION_B_INSIDE_A || r == CAROM_RELATION_EQUAL;
    bool holds[5] = {pair->pair_count > 0 || (r != CAROM_RELATION_UNKNOWN && r != CAROM_RELATION_APART),
                     pair->clearance_violated, in || r == CAROM_RELATION_OVERLAPPING, in,
                     pair->a_probably_inside_b || pair->b_probably_inside_a};
    for (int i = 0; i < 5; i++)
        if ((conditions >> i & 1) && holds[i])
            return 1;
    return (conditions & 28u) && r == CAROM_RELATION_UNKNOWN ? -1 : 0;
}

static const carom_event *find_event(const carom_events_report *report, carom_body_id a, carom_body_id b)
{
    for (uint64_t i = 0; i < report->event_count; i++)
        if (memcmp(&report->events[i].body_a, &a, sizeof a) == 0 &&
            memcmp(&report->events[i].body_b, &b, sizeof b) == 0)
            return &report->events[i];
    return NULL;
}

static void check_event(const carom_event *event, carom_event_kind kind, bool undecided, const state *of)
{
    assert_non_null(event);
    assert_int_equal(event->kind, kind);
    assert_int_equal(event->undecided, undecided);
    assert_int_equal(event->id, of->id);
    assert_int_equal(event->updates, of->updates);
}

/* Brings the table up to date and compares. Returns how many events there must be. */
static uint64_t check_pair(const script *s, uint32_t conditions, const carom_events_report *report, state *known,
                           const carom_body_pair *pair)
{
    uint64_t expected = 0;
    if (s->report.bodies_undecided > 0)
    {
        const carom_event *event = find_event(report, known->a, known->b);
        if (!known->in_contact)
            return 0;
        known->updates++;
        check_event(event, CAROM_EVENT_STAY, true, known);
        assert_true(event->body_pair == CAROM_NO_BODY_PAIR);
        return 1;
    }
    bool same = pair && known->in_contact && memcmp(&known->a, &pair->body_a, sizeof known->a) == 0 &&
                memcmp(&known->b, &pair->body_b, sizeof known->b) == 0;
    if (known->in_contact && !same)
    {
        known->updates++;
        check_event(find_event(report, known->a, known->b), CAROM_EVENT_END, false, known);
        *known = (state){0}, expected++;
    }
    if (!pair)
        return expected;
    int verdict = judge(pair, conditions);
    const carom_event *event = find_event(report, pair->body_a, pair->body_b);
    uint64_t index = (uint64_t)(pair - s->pairs);
    if (verdict == 0 && !known->in_contact)
        return assert_null(event), expected;
    assert_non_null(event);
    assert_int_equal(event->body_pair, index);
    known->updates += known->in_contact;
    if (verdict == 0)
    {
        check_event(event, CAROM_EVENT_END, false, known);
        *known = (state){0};
    }
    else if (known->in_contact)
        check_event(event, CAROM_EVENT_STAY, verdict < 0, known);
    else if (verdict < 0)
        check_event(event, CAROM_EVENT_NONE, true, known);
    else
    {
        *known = (state){true, pair->body_a, pair->body_b, event->id, 0};
        check_event(event, CAROM_EVENT_BEGIN, false, known);
    }
    return expected + 1;
}

/* Sorted, with ids of new contacts in order, and counted. */
static void check_list(const carom_events_report *report, bool all_undecided, uint64_t *last_id)
{
    uint64_t counts[4] = {0}, undecided = 0;
    for (uint64_t i = 0; i < report->event_count; i++)
    {
        const carom_event *event = &report->events[i], *before = event - 1;
        counts[event->kind]++, undecided += event->undecided;
        if (event->kind == CAROM_EVENT_BEGIN)
            assert_int_equal(event->id, ++*last_id);
        if (i == 0)
            continue;
        uint64_t key = (uint64_t)event->body_a.index << 32 | event->body_b.index;
        uint64_t last = (uint64_t)before->body_a.index << 32 | before->body_b.index;
        assert_true(last < key || (last == key && before->kind == CAROM_EVENT_END));
    }
    assert_int_equal(counts[CAROM_EVENT_BEGIN], report->begin_count);
    assert_int_equal(counts[CAROM_EVENT_STAY], report->stay_count);
    assert_int_equal(counts[CAROM_EVENT_END], report->end_count);
    assert_int_equal(undecided, report->undecided_count);
    assert_int_equal(report->status, all_undecided || undecided > 0 ? CAROM_UNKNOWN : CAROM_OK);
}

static void random_reports_agree_with_a_table(void **test)
{
    (void)test;
    for (uint32_t conditions = 1; conditions < 32; conditions++)
    {
        world w = world_open();
        static script s;
        s = (script){.random = {.state = 90 + conditions}};
        static state table[BODIES + 1][BODIES + 1];
        memset(table, 0, sizeof table);
        carom_events *events;
        carom_events_def def = carom_events_def_default();
        def.conditions = conditions;
        assert_int_equal(carom_events_create(w.context, &def, &events), CAROM_OK);
        uint64_t last_id = 0;
        for (int n = 0; n < UPDATES; n++)
        {
            next_report(&s);
            carom_events_report report;
            carom_status status = carom_events_update(events, &s.report, &report);
            assert_int_equal(status, report.status);
            check_list(&report, s.report.bodies_undecided > 0, &last_id);
            uint64_t next = 0, expected = 0;
            for (uint32_t a = 1; a <= BODIES; a++)
                for (uint32_t b = a + 1; b <= BODIES; b++)
                {
                    bool listed = next < s.report.body_pair_count && s.pairs[next].body_a.index == a &&
                                  s.pairs[next].body_b.index == b;
                    expected += check_pair(&s, conditions, &report, &table[a][b], listed ? &s.pairs[next] : NULL);
                    next += listed;
                }
            assert_int_equal(report.event_count, expected);
        }
        assert_true(last_id > UPDATES);
        carom_events_destroy(events);
        world_close(&w);
    }
}

/* ---- reports of engines ---- */

/* Bodies pass each other, one is removed, another gets its index; every engine's report gives the same events, and a
 * spent budget leaves everything as it was. */
static void engines_agree(void **test)
{
    (void)test;
    world w = world_open();
    carom_scene *scene;
    assert_int_equal(carom_scene_create(w.context, &scene), CAROM_OK);
    carom_mesh *blob = world_shape(&w, GENERATE_BLOB, 300);
    carom_body_id ids[BODIES];
    check_random random = {.state = 91};
    static const char *const names[3] = {"tree", "brute", "escd"};
    carom_engine *engines[3];
    carom_events *events[4]; /* the last one is told less */
    for (int i = 0; i < 4; i++)
        assert_int_equal(carom_events_create(w.context, NULL, &events[i]), CAROM_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(carom_engine_create(w.context, &(carom_engine_def){.engine = names[i]}, &engines[i]),
                         CAROM_OK);
    carom_body_def def = carom_body_def_default();
    for (int i = 0; i < BODIES; i++)
    {
        def.placed = (carom_placed){carom_shape_mesh(blob), world_random_pose(&random, 1.2)};
        assert_int_equal(carom_scene_add(scene, &def, &ids[i]), CAROM_OK);
    }
    uint64_t begun = 0, ended = 0, undecided = 0, kept = 0;
    for (int n = 0; n < 60; n++)
    {
        carom_frame frame;
        carom_scene_report report;
        carom_events_report changes, other;
        assert_int_equal(carom_scene_frame(scene, &frame), CAROM_OK);
        for (int i = 0; i < 3; i++)
        {
            assert_int_equal(carom_engine_run(engines[i], &frame, NULL, &report), CAROM_OK);
            assert_int_equal(carom_events_update(events[i], &report, i == 0 ? &changes : &other), CAROM_OK);
            if (i > 0)
                assert_int_equal(other.hash, changes.hash);
        }
        begun += changes.begin_count, ended += changes.end_count;
        /* first no time even to list pairs, then none to decide them, then a budget that is too small, then the rest */
        engine_report_nothing(&frame, &report);
        assert_int_equal(carom_events_update(events[3], &report, &other), CAROM_UNKNOWN);
        assert_int_equal(other.begin_count + other.end_count, 0);
        assert_int_equal(other.stay_count, changes.stay_count + changes.end_count);
        kept += other.stay_count;
        carom_collide_options small = carom_collide_options_default();
        small.budget.seconds = 1e-9;
        assert_int_equal(carom_engine_run(engines[0], &frame, &small, &report), CAROM_UNKNOWN);
        assert_int_equal(carom_events_update(events[3], &report, &other), CAROM_UNKNOWN);
        small.budget.seconds = 0;
        small.budget.work = 1;
        uint64_t stayed = other.begin_count + other.stay_count, now = changes.begin_count + changes.stay_count;
        carom_status status = carom_engine_run(engines[0], &frame, &small, &report);
        carom_status seen = carom_events_update(events[3], &report, &other);
        assert_int_equal(seen, status);
        undecided += other.undecided_count;
        if (status == CAROM_UNKNOWN)
        {
            assert_true(other.stay_count + other.end_count == stayed);
            assert_int_equal(carom_engine_resume(engines[0], &frame, NULL, &report), CAROM_OK);
            assert_int_equal(carom_events_update(events[3], &report, &other), CAROM_OK);
        }
        assert_int_equal(other.begin_count + other.stay_count, now);
        for (int i = 0; i < 4; i++)
        {
            carom_pose pose = world_random_pose(&random, 1.2);
            assert_int_equal(carom_scene_move(scene, ids[check_next(&random) % BODIES], &pose), CAROM_OK);
        }
        uint64_t at = check_next(&random) % BODIES;
        assert_int_equal(carom_scene_remove(scene, ids[at]), CAROM_OK);
        def.placed.pose = world_random_pose(&random, 1.2);
        assert_int_equal(carom_scene_add(scene, &def, &ids[at]), CAROM_OK);
    }
    assert_true(begun > 100 && ended > 100 && undecided > 100 && kept > 100);
    for (int i = 0; i < 3; i++)
        carom_engine_destroy(engines[i]);
    for (int i = 0; i < 4; i++)
        carom_events_destroy(events[i]);
    carom_scene_destroy(scene);
    carom_mesh_destroy(blob);
    world_close(&w);
}

/* ---- bad input ---- */

static void misuse_is_refused(void **test)
{
    (void)test;
    world w = world_open();
    carom_events *events, *none = NULL;
    carom_events_def def = {0};
    assert_int_equal(carom_events_create(w.context, &def, &none), CAROM_INVALID_ARGUMENT);
    def.conditions = 32;
    assert_int_equal(carom_events_create(w.context, &def, &none), CAROM_INVALID_ARGUMENT);
    assert_null(none);
    assert_int_equal(carom_events_create(NULL, NULL, &none), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_events_create(w.context, NULL, NULL), CAROM_INVALID_ARGUMENT);
    carom_events_destroy(NULL);
    assert_int_equal(carom_events_create(w.context, NULL, &events), CAROM_OK);
    carom_body_pair pairs[2] = {{.body_a = {1, 1}, .body_b = {2, 1}, .pair_count = 1},
                                {.body_a = {1, 1}, .body_b = {3, 1}, .pair_count = 1}};
    carom_scene_report report = {.body_pairs = pairs, .body_pair_count = 2};
    carom_events_report out;
    assert_int_equal(carom_events_update(NULL, &report, &out), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_events_update(events, NULL, &out), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_events_update(events, &report, NULL), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_events_update(events, &report, &out), CAROM_OK);
    assert_int_equal(out.begin_count, 2);
    /* refused, and nothing has changed */
    report.status = CAROM_STALE_FRAME;
    assert_int_equal(carom_events_update(events, &report, &out), CAROM_STALE_FRAME);
    assert_int_equal(out.event_count, 0);
    report.status = CAROM_UNKNOWN, report.bodies_undecided = 3; /* it can't list pairs, then */
    assert_int_equal(carom_events_update(events, &report, &out), CAROM_INVALID_ARGUMENT);
    report.bodies_undecided = 0;
    report.status = CAROM_OK, report.body_pairs = NULL;
    assert_int_equal(carom_events_update(events, &report, &out), CAROM_INVALID_ARGUMENT);
    report.body_pairs = pairs, pairs[1].body_b.index = 2;
    assert_int_equal(carom_events_update(events, &report, &out), CAROM_INVALID_ARGUMENT);
    world_check_message(&w, "body pair 1");
    pairs[1].body_b.index = 1;
    assert_int_equal(carom_events_update(events, &report, &out), CAROM_INVALID_ARGUMENT);
    pairs[1].body_b.index = 3;
    assert_int_equal(carom_events_update(events, &report, &out), CAROM_OK);
    assert_int_equal(out.stay_count, 2);
    assert_int_equal(out.events[1].id, 2);
    assert_int_equal(out.events[1].updates, 1);
    report = (carom_scene_report){0}; /* an empty scene */
    assert_int_equal(carom_events_update(events, &report, &out), CAROM_OK);
    assert_int_equal(out.end_count, 2);
    assert_int_equal(out.events[0].body_pair, CAROM_NO_BODY_PAIR);
    carom_events_destroy(events);
    world_close(&w);
}

static void no_memory(void **test)
{
    (void)test;
    uint64_t failures = 0;
    for (uint64_t k = 0;; k++)
    {
        failing memory = {0};
        carom_context *context;
        assert_int_equal(failing_context(&memory, &context), CAROM_OK);
        static script s;
        s = (script){.random = {.state = 92}};
        carom_events *events = NULL;
        carom_events_report out = {0};
        failing_arm(&memory, k);
        carom_status status = carom_events_create(context, NULL, &events);
        next_report(&s);
        for (int n = 0; n < 3 && !carom_failed(status); n++)
            status = carom_events_update(events, &s.report, &out);
        failures += carom_failed(status);
        if (carom_failed(status))
            assert_int_equal(status, CAROM_OUT_OF_MEMORY);
        bool failed = memory.failed;
        memory.fail_at = 0;
        if (events)
        {
            assert_false(carom_failed(carom_events_update(events, &s.report, &out)));
            for (uint64_t i = 0; i < out.event_count; i++) /* each contact has begun once */
                assert_true(out.events[i].id <= out.begin_count + out.stay_count);
        }
        carom_events_destroy(events);
        carom_context_destroy(context);
        assert_int_equal(memory.bytes_out, 0);
        if (k > 0 && !failed)
            break;
    }
    assert_true(failures >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_reports_agree_with_a_table),
        cmocka_unit_test(engines_agree),
        cmocka_unit_test(misuse_is_refused),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
