/* Rules for pairs of bodies: random scenes in which bodies and rules come and go, for every broad phase, for engines
 * that search in other ways and for an author's, against a loop over all pairs with carom_collide. */
#include "query/world.h"
#include "support/failing.h"
#include "support/hosts.h"

enum
{
    BODIES = 24,
    MAX_PAIRS = BODIES * BODIES,
    FRAMES = 14
};

/* What the test itself knows of the rules. */
typedef struct stage
{
    world w;
    carom_scene *scene;
    carom_mesh *meshes[3];
    carom_body_id ids[BODIES];
    carom_pair_rule rules[BODIES][BODIES]; /* [i][k] with i < k, by place in ids */
} stage;

static void add_body(stage *s, check_random *random, uint32_t i)
{
    carom_body_def def = carom_body_def_default();
    def.placed = (carom_placed){carom_shape_mesh(s->meshes[i % 3]), world_random_pose(random, 2.5)};
    if (i % 8 == 7)
        def.placed.shape = carom_shape_sphere(0.5);
    def.is_static = i % 4 == 0;
    def.margin = 0.125 * (double)(i % 3);
    def.filter.group = i % 5 == 1 ? 2 : 0;
    assert_int_equal(carom_scene_add(s->scene, &def, &s->ids[i]), CAROM_OK);
}

static stage open_stage(carom_context *context)
{
    stage s = {.w.context = context};
    assert_int_equal(carom_query_create(context, &s.w.query), CAROM_OK);
    assert_int_equal(carom_scene_create(context, &s.scene), CAROM_OK);
    s.meshes[0] = world_shape(&s.w, GENERATE_ICO_SPHERE, 80);
    s.meshes[1] = world_shape(&s.w, GENERATE_TORUS, 60);
    s.meshes[2] = world_shape(&s.w, GENERATE_TERRAIN, 50);
    check_random random = {.state = 80};
    for (uint32_t i = 0; i < BODIES; i++)
        add_body(&s, &random, i);
    return s;
}

static void close_stage(stage *s)
{
    carom_scene_destroy(s->scene);
    for (int i = 0; i < 3; i++)
        carom_mesh_destroy(s->meshes[i]);
    carom_query_destroy(s->w.query);
}

static void set_random_rule(stage *s, check_random *random)
{
    uint32_t i = (uint32_t)(check_next(random) % BODIES), k = (uint32_t)(check_next(random) % BODIES);
    if (i == k)
        return;
    carom_pair_rule rule = {(carom_rule_kind)(check_next(random) % 3), 0.25 * (double)(check_next(random) % 12)};
    bool null = rule.kind == CAROM_RULE_NONE && check_next(random) % 2;
    assert_int_equal(carom_scene_set_rule(s->scene, s->ids[i], s->ids[k], null ? NULL : &rule), CAROM_OK);
    s->rules[i < k ? i : k][i < k ? k : i] = rule;
}

/* Moves, removes, adds; the rules of a removed body are gone. */
static void change(stage *s, check_random *random)
{
    for (int n = 0; n < 4; n++)
    {
        carom_pose pose = world_random_pose(random, 2.5);
        assert_int_equal(carom_scene_move(s->scene, s->ids[check_next(random) % BODIES], &pose), CAROM_OK);
    }
    for (uint64_t n = check_next(random) % 3; n > 0; n--)
    {
        uint32_t i = (uint32_t)(check_next(random) % BODIES);
        assert_int_equal(carom_scene_remove(s->scene, s->ids[i]), CAROM_OK);
        add_body(s, random, i); /* the same index again */
        for (uint32_t k = 0; k < BODIES; k++)
            s->rules[i < k ? i : k][i < k ? k : i] = (carom_pair_rule){CAROM_RULE_NONE, 0.0};
    }
    for (uint64_t n = check_next(random) % 12; n > 0; n--)
        set_random_rule(s, random);
}

static uint32_t place_of(const stage *s, carom_body_id id)
{
    for (uint32_t i = 0; i < BODIES; i++)
        if (s->ids[i].index == id.index)
            return i;
    return BODIES;
}

/* The pairs that a report must list, by a loop. All clearances are sums without rounding. */
static size_t list_pairs(stage *s, const carom_frame *frame, const carom_collide_options *options,
                         carom_body_pair out[MAX_PAIRS])
{
    size_t count = 0;
    for (uint32_t a = 0; a < frame->body_count; a++)
        for (uint32_t b = a + 1; b < frame->body_count; b++)
        {
            const carom_frame_body *x = &frame->bodies[a], *y = &frame->bodies[b];
            uint32_t i = place_of(s, x->id), k = place_of(s, y->id);
            carom_pair_rule rule = s->rules[i < k ? i : k][i < k ? k : i];
            if ((x->is_static && y->is_static) || (x->filter.group == 2 && y->filter.group == 2) ||
                rule.kind == CAROM_RULE_NEVER)
                continue;
            carom_collide_options own = *options;
            own.clearance = rule.kind == CAROM_RULE_CLEARANCE ? rule.clearance : options->clearance;
            own.clearance += x->margin + y->margin;
            carom_report report, nearest;
            assert_int_equal(carom_collide(s->w.query, &x->placed, &y->placed, &own, &report), CAROM_OK);
            if (report.pair_count == 0 && report.relation == CAROM_RELATION_APART && !report.clearance_violated)
                continue;
            carom_body_pair *pair = &out[count++];
            *pair = (carom_body_pair){.body_a = x->id, .body_b = y->id, .hash = report.hash, .distance = INFINITY};
            pair->clearance_violated = report.clearance_violated;
            if (!report.clearance_violated)
                continue;
            assert_int_equal(carom_distance(s->w.query, &x->placed, &y->placed, NULL, &nearest), CAROM_OK);
            pair->distance = nearest.distance;
        }
    return count;
}

static void check_report(const carom_scene_report *report, const carom_body_pair *expected, size_t count)
{
    assert_int_equal(report->body_pair_count, count);
    for (size_t i = 0; i < count; i++)
    {
        const carom_body_pair *pair = &report->body_pairs[i];
        assert_int_equal(pair->body_a.index, expected[i].body_a.index);
        assert_int_equal(pair->body_b.index, expected[i].body_b.index);
        assert_int_equal(pair->clearance_violated, expected[i].clearance_violated);
        assert_int_equal(pair->hash, expected[i].hash);
        assert_true(pair->distance == expected[i].distance);
    }
}

/* The rules that a frame lists are those that were set. */
static void check_frame(stage *s, const carom_frame *frame)
{
    uint32_t expected = 0;
    for (uint32_t i = 0; i < BODIES; i++)
        for (uint32_t k = i + 1; k < BODIES; k++)
        {
            carom_pair_rule rule;
            expected += s->rules[i][k].kind != CAROM_RULE_NONE;
            assert_int_equal(carom_scene_get_rule(s->scene, s->ids[k], s->ids[i], &rule), CAROM_OK);
            assert_int_equal(rule.kind, s->rules[i][k].kind);
            if (rule.kind == CAROM_RULE_CLEARANCE)
                assert_true(rule.clearance == s->rules[i][k].clearance);
        }
    assert_int_equal(frame->rule_count, expected);
    for (uint32_t i = 0; i < frame->rule_count; i++)
    {
        assert_non_null(carom_frame_find(frame, frame->rules[i].body_a));
        assert_non_null(carom_frame_find(frame, frame->rules[i].body_b));
    }
}

/* An author's engine that knows nothing of rules: pairs whose bounds are near. */
static carom_status run_author(void *state, carom_run *run)
{
    (void)state;
    const carom_frame *frame = carom_run_frame(run);
    double common = carom_run_options(run)->clearance;
    for (uint32_t a = 0; a < frame->body_count; a++)
        for (uint32_t b = a + 1; b < frame->body_count; b++)
        {
            const carom_frame_body *x = &frame->bodies[a], *y = &frame->bodies[b];
            double reach = common + x->margin + y->margin + 1e-9;
            if (x->bounds.min.x - y->bounds.max.x > reach || y->bounds.min.x - x->bounds.max.x > reach)
                continue;
            carom_status status = carom_run_propose(run, a, b);
            if (status != CAROM_OK)
                return status;
        }
    return CAROM_OK;
}

enum
{
    MAX_ENGINES = 40
};

static uint32_t make_engines(carom_context *context, carom_engine *engines[MAX_ENGINES])
{
    uint32_t count = 0;
    const carom_engine_kind kind = {.info = {"pairs", "all near ones", CAROM_CLASS_EXACT, false}, .run = run_author};
    assert_int_equal(carom_engine_register(context, &kind), CAROM_OK);
    for (uint32_t i = 0; carom_broad_list(i); i++)
        for (int cut = 0; cut < 2; cut++)
        {
            carom_engine_def def = carom_engine_def_default();
            def.broad_phase = carom_broad_list(i)->name;
            def.cut_size = cut ? 0.4 : 0.0;
            assert_int_equal(carom_engine_create(context, &def, &engines[count++]), CAROM_OK);
        }
    static const char *const names[3] = {"brute", "sstcd", "pairs"};
    for (int i = 0; i < 3; i++)
    {
        carom_engine_def def = {.engine = names[i]};
        assert_int_equal(carom_engine_create(context, &def, &engines[count++]), CAROM_OK);
    }
    assert_true(count <= MAX_ENGINES);
    return count;
}

static void rules_hold_everywhere(void **state)
{
    (void)state;
    uint64_t truth[FRAMES];
    for (uint32_t host = 0; host < HOST_COUNT; host += host == 0 ? 4 : 5)
    {
        carom_context_def def = host_def(host);
        carom_context *context;
        assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
        stage s = open_stage(context);
        carom_engine *engines[MAX_ENGINES];
        uint32_t count = make_engines(context, engines);
        check_random random = {.state = 81};
        uint64_t wide = 0;
        for (int n = 0; n < FRAMES; n++)
        {
            carom_snapshot *snapshot;
            carom_frame frame = world_frame(s.scene);
            assert_int_equal(carom_scene_snapshot(s.scene, &snapshot), CAROM_OK);
            check_frame(&s, &frame);
            carom_collide_options options = carom_collide_options_default();
            options.clearance = n % 3 == 0 ? 0.0 : 0.5;
            static carom_body_pair expected[MAX_PAIRS];
            size_t pairs = list_pairs(&s, &frame, &options, expected);
            for (size_t i = 0; i < pairs; i++)
                wide += expected[i].distance > 0.5 + 0.5 && expected[i].distance < INFINITY;
            for (uint32_t e = 0; e < count; e++)
            {
                carom_scene_report report;
                const carom_frame *used = (e + (uint32_t)n) % 3 == 0 ? carom_snapshot_frame(snapshot) : &frame;
                assert_int_equal(carom_engine_run(engines[e], used, &options, &report), CAROM_OK);
                check_report(&report, expected, pairs);
                if (host > 0 || e > 0)
                    assert_int_equal(report.hash, truth[n]);
                truth[n] = report.hash;
            }
            carom_snapshot_destroy(snapshot);
            change(&s, &random);
        }
        assert_true(wide > 10); /* pairs that only a rule makes near */
        for (uint32_t e = 0; e < count; e++)
            carom_engine_destroy(engines[e]);
        close_stage(&s);
        carom_context_destroy(context);
    }
}

/* The sum of margins and the clearance of a rule is compared exactly: it is no double. */
static void sums_are_exact(void **state)
{
    (void)state;
    world w = world_open();
    carom_scene *scene = world_scene(&w);
    carom_engine *engine = world_engine(&w);
    carom_mesh *box = world_box(&w, 0, 0, 0, 1, 1, 1);
    carom_body_id ids[2];
    for (int i = 0; i < 2; i++)
    {
        carom_body_def def = carom_body_def_default();
        def.margin = i == 0 ? 1.0 : 0x1p-60;
        def.placed = world_place(box, i == 0 ? 0 : 3.0, 0, 0); /* 2 apart */
        assert_int_equal(carom_scene_add(scene, &def, &ids[i]), CAROM_OK);
    }
    for (int n = 0; n < 3; n++)
    {
        /* 2 + 2^-60; 2 - 2^-53 + 2^-60; 2 + 2^-60 as the options' */
        carom_pair_rule rule = {n == 2 ? CAROM_RULE_NONE : CAROM_RULE_CLEARANCE, n == 0 ? 1.0 : 1.0 - 0x1p-53};
        carom_collide_options options = carom_collide_options_default();
        options.clearance = n == 2 ? 1.0 : 0.0;
        carom_scene_report report;
        assert_int_equal(carom_scene_set_rule(scene, ids[1], ids[0], &rule), CAROM_OK);
        carom_frame frame = world_frame(scene);
        assert_int_equal(carom_engine_run(engine, &frame, &options, &report), CAROM_OK);
        assert_int_equal(report.body_pair_count, n == 1 ? 0 : 1);
    }
    carom_engine_destroy(engine);
    carom_scene_destroy(scene);
    carom_mesh_destroy(box);
    world_close(&w);
}

static void misuse_is_refused(void **state)
{
    (void)state;
    world w = world_open();
    stage s = open_stage(w.context);
    carom_engine *engine;
    carom_pair_rule rule = {CAROM_RULE_CLEARANCE, 1.0}, out;
    carom_body_id stale = s.ids[5], none = {0, 0};
    assert_int_equal(carom_scene_set_rule(s.scene, s.ids[5], s.ids[6], &rule), CAROM_OK);
    carom_frame frame = world_frame(s.scene);
    assert_int_equal(frame.rule_count, 1);
    uint64_t version = frame.rules_version;
    assert_int_equal(carom_scene_remove(s.scene, stale), CAROM_OK);
    assert_int_equal(carom_scene_frame(s.scene, &frame), CAROM_OK);
    assert_int_equal(frame.rule_count, 0);
    assert_true(frame.rules_version > version);
    assert_int_equal(carom_scene_set_rule(s.scene, stale, s.ids[6], &rule), CAROM_STALE_ID);
    assert_int_equal(carom_scene_set_rule(s.scene, s.ids[6], none, &rule), CAROM_STALE_ID);
    assert_int_equal(carom_scene_get_rule(s.scene, stale, s.ids[6], &out), CAROM_STALE_ID);
    assert_int_equal(carom_scene_set_rule(s.scene, s.ids[6], s.ids[6], &rule), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_scene_set_rule(NULL, s.ids[6], s.ids[7], &rule), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_scene_get_rule(NULL, s.ids[6], s.ids[7], &out), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_scene_get_rule(s.scene, s.ids[6], s.ids[7], NULL), CAROM_INVALID_ARGUMENT);
    const double bad[4] = {NAN, INFINITY, -1.0, 0x1p101};
    const carom_status refused[4] = {CAROM_NOT_FINITE, CAROM_NOT_FINITE, CAROM_INVALID_ARGUMENT, CAROM_OUT_OF_RANGE};
    for (int i = 0; i < 4; i++)
    {
        rule.clearance = bad[i];
        assert_int_equal(carom_scene_set_rule(s.scene, s.ids[6], s.ids[7], &rule), refused[i]);
    }
    rule = (carom_pair_rule){(carom_rule_kind)3, 0.0};
    assert_int_equal(carom_scene_set_rule(s.scene, s.ids[6], s.ids[7], &rule), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_scene_frame(s.scene, &frame), CAROM_OK);
    assert_int_equal(frame.rule_count, 0);

    /* frames that the caller made */
    assert_int_equal(carom_engine_create(w.context, NULL, &engine), CAROM_OK);
    carom_body_id a = frame.bodies[0].id, b = frame.bodies[1].id, c = frame.bodies[2].id;
    const carom_frame_rule wrong[5][2] = {{{a, b, {CAROM_RULE_CLEARANCE, NAN}}, {a, c, {CAROM_RULE_NEVER, 0}}},
                                          {{b, a, {CAROM_RULE_NEVER, 0}}, {a, c, {CAROM_RULE_NEVER, 0}}},
                                          {{a, c, {CAROM_RULE_NEVER, 0}}, {a, b, {CAROM_RULE_NEVER, 0}}},
                                          {{a, b, {CAROM_RULE_NEVER, 0}}, {a, b, {CAROM_RULE_NEVER, 0}}},
                                          {{a, b, {CAROM_RULE_NONE, 0}}, {a, c, {CAROM_RULE_NEVER, 0}}}};
    carom_frame own = {.bodies = frame.bodies, .body_count = frame.body_count, .rule_count = 2};
    carom_scene_report report;
    assert_int_equal(carom_engine_run(engine, &own, NULL, &report), CAROM_INVALID_ARGUMENT);
    for (int i = 0; i < 5; i++)
    {
        own.rules = wrong[i];
        assert_int_equal(carom_engine_run(engine, &own, NULL, &report), CAROM_INVALID_ARGUMENT);
    }
    /* a rule of a body that is not in the frame has no effect */
    carom_frame_rule other = {a, b, {CAROM_RULE_NEVER, 0}};
    own.rules = &other, own.rule_count = 0;
    assert_int_equal(carom_engine_run(engine, &own, NULL, &report), CAROM_OK);
    uint64_t hash = report.hash, pairs = report.body_pair_count;
    assert_true(pairs > 0);
    other = (carom_frame_rule){report.body_pairs[0].body_a, report.body_pairs[0].body_b, {CAROM_RULE_NEVER, 0}};
    own.rule_count = 1;
    assert_int_equal(carom_engine_run(engine, &own, NULL, &report), CAROM_OK);
    assert_int_equal(report.body_pair_count, pairs - 1);
    for (int i = 0; i < 2; i++)
    {
        carom_body_id *id = i == 0 ? &other.body_a : &other.body_b;
        id->generation += 7;
        assert_int_equal(carom_engine_run(engine, &own, NULL, &report), CAROM_OK);
        assert_int_equal(report.hash, hash);
        id->generation -= 7;
    }
    other = (carom_frame_rule){{UINT32_MAX - 1, 1}, {UINT32_MAX, 1}, {CAROM_RULE_CLEARANCE, 5}};
    assert_int_equal(carom_engine_run(engine, &own, NULL, &report), CAROM_OK);
    assert_int_equal(report.hash, hash);
    carom_engine_destroy(engine);
    close_stage(&s);
    world_close(&w);
}

/* Every allocation fails in turn. */
static void no_memory(void **state)
{
    (void)state;
    uint64_t truth = 0, failures = 0;
    for (uint64_t k = 0;; k++)
    {
        failing memory = {0};
        carom_context *context;
        assert_int_equal(failing_context(&memory, &context), CAROM_OK);
        stage s = open_stage(context);
        carom_engine *engine;
        carom_scene_report report = {0};
        carom_snapshot *snapshot = NULL;
        assert_int_equal(carom_engine_create(context, NULL, &engine), CAROM_OK);
        carom_frame frame = world_frame(s.scene);
        assert_int_equal(carom_engine_run(engine, &frame, NULL, &report), CAROM_OK);
        failing_arm(&memory, k);
        carom_status status = CAROM_OK;
        for (uint32_t i = 1; i < BODIES && status == CAROM_OK; i++)
            for (uint32_t n = 0; n < i && status == CAROM_OK; n++)
                status = carom_scene_set_rule(s.scene, s.ids[i], s.ids[n],
                                              &(carom_pair_rule){CAROM_RULE_CLEARANCE, 0.25 * (i % 5)});
        if (status == CAROM_OK)
            status = carom_scene_frame(s.scene, &frame);
        if (status == CAROM_OK)
            status = carom_scene_snapshot(s.scene, &snapshot);
        if (status == CAROM_OK)
            status = carom_engine_run(engine, &frame, NULL, &report);
        truth = k == 0 ? report.hash : truth;
        if (carom_failed(status))
            assert_int_equal(status, CAROM_OUT_OF_MEMORY), failures++;
        else
            assert_int_equal(report.hash, truth);
        bool failed = memory.failed;
        memory.fail_at = 0;
        assert_int_equal(carom_scene_frame(s.scene, &frame), CAROM_OK);
        assert_int_equal(carom_engine_run(engine, &frame, NULL, &report), CAROM_OK);
        carom_snapshot_destroy(snapshot);
        carom_engine_destroy(engine);
        close_stage(&s);
        carom_context_destroy(context);
        assert_int_equal(memory.bytes_out, 0);
        if (k > 0 && !failed)
            break;
    }
    assert_true(failures > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_hold_everywhere),
        cmocka_unit_test(sums_are_exact),
        cmocka_unit_test(misuse_is_refused),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
