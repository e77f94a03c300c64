/* Frames with a deadline (chapter 25.6): whatever was decided is right, whatever was not has bounds that hold, the next
 * frame goes on where one stopped, and urgent pairs come first. The truth is the engine `brute` without a budget. */
#include "engine/engine.h"
#include "engine/stage.h"
#include "support/failing.h"

/* ---- comparing a frame that was cut short with the truth ---- */

static const carom_body_pair *find_pair(const carom_scene_report *report, const carom_body_pair *wanted)
{
    for (uint64_t i = 0; i < report->body_pair_count; i++)
    {
        const carom_body_pair *pair = &report->body_pairs[i];
        if (pair->body_a.index == wanted->body_a.index && pair->body_b.index == wanted->body_b.index)
            return pair;
    }
    return NULL;
}

static void check_decided(const carom_scene_report *report, const carom_body_pair *pair,
                          const carom_scene_report *truth, const carom_body_pair *right)
{
    assert_int_equal(pair->status, right->status);
    assert_int_equal(pair->hash, right->hash);
    assert_int_equal(pair->relation, right->relation);
    assert_int_equal(pair->pair_count, right->pair_count);
    assert_int_equal(pair->pairs_listed, right->pairs_listed);
    assert_int_equal(pair->clearance_violated, right->clearance_violated);
    assert_true(pair->distance == right->distance);
    assert_memory_equal(report->pairs + pair->first_pair, truth->pairs + right->first_pair,
                        pair->pairs_listed * sizeof *report->pairs);
}

/* Nothing that is said about an undecided pair is wrong. */
static void check_undecided(world *w, const carom_frame *frame, const carom_body_pair *pair,
                            const carom_body_pair *right)
{
    const carom_frame_body *a = carom_frame_find(frame, pair->body_a), *b = carom_frame_find(frame, pair->body_b);
    carom_report distance;
    assert_int_equal(carom_distance(w->query, &a->placed, &b->placed, NULL, &distance), CAROM_OK);
    if (!(pair->distance_bound >= 0.0 && pair->distance_bound <= distance.distance))
        fail_msg("bodies %u and %u: bound %g, distance %g", pair->body_a.index, pair->body_b.index,
                 pair->distance_bound, distance.distance);
    assert_true(pair->pair_count <= (right ? right->pair_count : 0));
    assert_true(!pair->clearance_violated || (right && right->clearance_violated));
    if (pair->relation != CAROM_RELATION_UNKNOWN)
        assert_int_equal(pair->relation, right ? right->relation : CAROM_RELATION_APART);
}

static void check_estimates(const carom_scene_report *report, const carom_scene_report *truth)
{
    for (uint64_t i = 0; i < report->estimate_count; i++)
    {
        const carom_pair_estimate *estimate = &report->estimates[i];
        assert_true(estimate->body_pair < report->body_pair_count);
        assert_true(i == 0 || report->estimates[i - 1].body_pair < estimate->body_pair);
        const carom_body_pair *pair = &report->body_pairs[estimate->body_pair], *right = find_pair(truth, pair);
        assert_int_equal(pair->status, CAROM_UNKNOWN);
        assert_true(estimate->radius >= 0.0 && estimate->distance >= 0.0 && estimate->radius < INFINITY);
        assert_true(!estimate->certain || (right && right->pair_count > 0));
    }
}

/* Returns how many pairs were undecided. */
static uint64_t check_frame(world *w, const carom_frame *frame, const carom_scene_report *report,
                            const carom_scene_report *truth)
{
    uint64_t undecided = 0;
    if (report->bodies_undecided > 0)
    {
        assert_int_equal(report->status, CAROM_UNKNOWN);
        assert_int_equal(report->bodies_undecided, frame->body_count);
        assert_int_equal(report->body_pair_count, 0);
        return 1;
    }
    for (uint64_t i = 0; i < report->body_pair_count; i++)
    {
        const carom_body_pair *pair = &report->body_pairs[i], *right = find_pair(truth, pair);
        bool open = pair->status == CAROM_UNKNOWN;
        undecided += open;
        if (open)
            check_undecided(w, frame, pair, right);
        else if (right)
            check_decided(report, pair, truth, right);
        else
            fail_msg("bodies %u and %u are not in the full report", pair->body_a.index, pair->body_b.index);
    }
    for (uint64_t i = 0; i < truth->body_pair_count; i++)
        if (!find_pair(report, &truth->body_pairs[i]))
            fail_msg("bodies %u and %u are left out", truth->body_pairs[i].body_a.index,
                     truth->body_pairs[i].body_b.index);
    check_estimates(report, truth);
    assert_int_equal(report->body_pairs_undecided, undecided);
    assert_int_equal(report->status == CAROM_UNKNOWN, undecided > 0);
    if (undecided == 0)
        assert_int_equal(report->hash, truth->hash);
    return undecided;
}

/* ---- changes ---- */

/* Something happens to some bodies, or to none. */
static void change_scene(stage *s, const carom_frame *frame, check_random *random)
{
    uint32_t count = (uint32_t)(check_next(random) % 4);
    carom_body_id ids[4];
    for (uint32_t i = 0; i < count; i++)
        ids[i] = frame->bodies[check_next(random) % frame->body_count].id;
    for (uint32_t i = 0; i < count; i++)
    {
        carom_pose pose = world_random_pose(random, 2.2);
        carom_body_def def = carom_body_def_default();
        uint64_t kind = check_next(random) % 8;
        if (kind == 0 && carom_scene_remove(s->scene, ids[i]) == CAROM_OK) /* the next one may get its index */
        {
            def.placed = (carom_placed){carom_shape_mesh(s->meshes[check_next(random) % 5]), pose};
            assert_int_equal(carom_scene_add(s->scene, &def, &ids[i]), CAROM_OK);
        }
        else if (kind == 1)
            carom_scene_set_margin(s->scene, ids[i], 0.1 * check_uniform(random, 0.0, 1.0));
        else if (kind == 2)
            carom_scene_set_priority(s->scene, ids[i], check_uniform(random, 0.0, 10.0));
        else if (kind == 3)
        {
            carom_shape shape = carom_shape_mesh(s->meshes[2 + check_next(random) % 3]);
            carom_scene_reshape(s->scene, ids[i], &shape);
        }
        else
            carom_scene_move(s->scene, ids[i], &pose);
    }
}

static carom_collide_options random_question(check_random *random)
{
    uint64_t bits = check_next(random);
    carom_collide_options options = {.mode = (carom_collide_mode)(bits % 3), .relation = bits >> 8 & 1};
    options.contacts = options.mode == CAROM_COLLIDE_ALL && (bits >> 9 & 1);
    options.clearance = bits >> 10 & 1 ? 0.1 : 0.0;
    return options;
}

static carom_budget random_budget(check_random *random, bool of_time)
{
    double size = pow(10.0, check_uniform(random, 0.0, 1.7));
    return of_time ? (carom_budget){.seconds = 3e-5 * size} : (carom_budget){.work = (uint64_t)(200.0 * size)};
}

typedef struct counts
{
    uint64_t frames, cut_short, finished;
} counts;

/* A sequence of frames with budgets, each compared with the truth. */
static void run_sequence(uint32_t workers, bool of_time, double cut_size, counts *out)
{
    world w = world_open();
    carom_context_def context_def = carom_context_def_default();
    context_def.workers = workers;
    carom_context *context;
    assert_int_equal(carom_context_create(&context_def, &context), CAROM_OK);
    stage s = stage_open(context, 31, 200);
    carom_query_destroy(w.query);
    assert_int_equal(carom_query_create(context, &w.query), CAROM_OK);
    carom_engine_def def = {.cut_size = cut_size, .estimate_undecided = true}, brute = {.engine = "brute"};
    carom_engine *engine, *checker;
    assert_int_equal(carom_engine_create(context, &def, &engine), CAROM_OK);
    assert_int_equal(carom_engine_create(context, &brute, &checker), CAROM_OK);
    check_random random = {.state = 7 + workers};
    carom_collide_options options = random_question(&random);
    for (int step = 0; step < 40; step++)
    {
        carom_frame frame;
        carom_scene_report report, truth;
        assert_int_equal(carom_scene_frame(s.scene, &frame), CAROM_OK);
        carom_collide_options whole = options;
        whole.budget = (carom_budget){0};
        assert_int_equal(carom_engine_run(checker, &frame, &whole, &truth), CAROM_OK);
        options.budget = random_budget(&random, of_time);
        carom_status status = carom_engine_run(engine, &frame, &options, &report);
        assert_true(status == CAROM_OK || status == CAROM_UNKNOWN);
        uint64_t undecided = check_frame(&w, &frame, &report, &truth);
        out->frames++, out->cut_short += undecided > 0, out->finished += undecided == 0;
        change_scene(&s, &frame, &random);
        if (check_next(&random) % 10 == 0)
            options = random_question(&random);
    }
    carom_engine_destroy(engine);
    carom_engine_destroy(checker);
    stage_close(&s);
    carom_query_destroy(w.query);
    carom_context_destroy(context);
    carom_context_destroy(w.context);
}

static void what_is_said_is_true(void **state)
{
    (void)state;
    counts counts = {0};
    for (int of_time = 0; of_time < 2; of_time++)
        for (uint32_t workers = 0; workers < 4; workers += 3)
            for (int cut = 0; cut < 2; cut++)
                run_sequence(workers, of_time, cut ? 1.5 : 0.0, &counts);
    print_message("%lu frames, %lu cut short, %lu finished\n", (unsigned long)counts.frames,
                  (unsigned long)counts.cut_short, (unsigned long)counts.finished);
    assert_true(counts.cut_short > 50 && counts.finished > 20);
}

/* ---- any number of workers ---- */

static void digest_pair(base_hash *hash, const carom_body_pair *pair)
{
    base_hash_u64(hash, (uint64_t)pair->body_a.index << 32 | pair->body_b.index);
    base_hash_u64(hash, (uint64_t)pair->status << 32 | pair->relation);
    base_hash_u64(hash, pair->clearance_violated);
    base_hash_u64(hash, pair->pair_count);
    base_hash_u64(hash, pair->pairs_listed);
    base_hash_double(hash, pair->distance);
    base_hash_double(hash, pair->distance_bound);
    base_hash_u64(hash, pair->hash);
}

/* Everything that a report says, also of what is undecided. */
static void digest(base_hash *hash, const carom_scene_report *report)
{
    base_hash_u64(hash, report->hash);
    for (uint64_t i = 0; i < report->body_pair_count; i++)
        digest_pair(hash, &report->body_pairs[i]);
    for (uint64_t i = 0; i < report->pairs_listed; i++)
        base_hash_u64(hash, (uint64_t)report->pairs[i].triangle_a << 32 | report->pairs[i].triangle_b);
    for (uint64_t i = 0; i < report->estimate_count; i++)
    {
        base_hash_double(hash, report->estimates[i].point.x);
        base_hash_double(hash, report->estimates[i].radius);
        base_hash_u64(hash, report->estimates[i].open);
    }
    base_hash_u64(hash, report->counters.boxes_tested);
    base_hash_u64(hash, report->counters.triangles_tested);
}

static uint64_t run_work_budgets(uint32_t workers)
{
    carom_context_def context_def = carom_context_def_default();
    context_def.workers = workers;
    carom_context *context;
    assert_int_equal(carom_context_create(&context_def, &context), CAROM_OK);
    stage s = stage_open(context, 5, 400);
    carom_engine_def def = {.estimate_undecided = true};
    carom_engine *engine;
    assert_int_equal(carom_engine_create(context, &def, &engine), CAROM_OK);
    check_random random = {.state = 99};
    base_hash hash = base_hash_begin();
    uint64_t cut_short = 0;
    for (int step = 0; step < 60; step++)
    {
        carom_frame frame;
        carom_scene_report report;
        assert_int_equal(carom_scene_frame(s.scene, &frame), CAROM_OK);
        carom_collide_options options = {.mode = CAROM_COLLIDE_ALL, .relation = step / 20 == 1};
        options.budget = random_budget(&random, false);
        cut_short += carom_engine_run(engine, &frame, &options, &report) == CAROM_UNKNOWN;
        digest(&hash, &report);
        if (step % 3 == 0)
            change_scene(&s, &frame, &random);
    }
    assert_true(cut_short > 10);
    carom_engine_destroy(engine);
    stage_close(&s);
    carom_context_destroy(context);
    return base_hash_end(&hash);
}

static void work_budgets_do_not_depend_on_workers(void **state)
{
    (void)state;
    uint64_t alone = run_work_budgets(1);
    for (uint32_t workers = 2; workers <= 8; workers++)
        if (run_work_budgets(workers) != alone)
            fail_msg("%u workers: another report", workers);
}

/* ---- going on ---- */

/* Runs with small budgets until everything is decided; returns how many. `jumper` moves before each, if it is a body.
 * Frames that are skipped take no time, so a number of frames would be no limit: on a busy machine many thousands of
 * them pass within one moment without a processor. */
static uint32_t run_to_the_end(stage *s, carom_engine *engine, carom_collide_options options, carom_body_id jumper,
                               carom_scene_report *report)
{
    double start = base_now();
    for (uint32_t runs = 1; base_now() < start + 60.0; runs++)
    {
        carom_frame frame;
        carom_pose pose = carom_pose_translation(100.0, 0.01 * (runs % 1000), 0.0);
        if (jumper.index != 0)
            assert_int_equal(carom_scene_move(s->scene, jumper, &pose), CAROM_OK);
        assert_int_equal(carom_scene_frame(s->scene, &frame), CAROM_OK);
        if (carom_engine_run(engine, &frame, &options, report) == CAROM_OK)
            return runs;
        assert_int_equal(report->status, CAROM_UNKNOWN);
    }
    fail_msg("no end");
    return 0;
}

/* With another body moving or not, what was done is not done again: the sum of the budgets is about the whole work. */
static void next_frames_go_on(void **state)
{
    (void)state;
    world w = world_open();
    for (int question = 0; question < 4; question++)
        for (int moving = 0; moving < 2; moving++)
        {
            stage s = stage_open(w.context, 8, 800);
            carom_frame frame;
            carom_scene_report report;
            carom_engine *whole, *engine;
            carom_body_id jumper = {0};
            if (moving)
            {
                carom_body_def def = carom_body_def_default();
                def.placed = (carom_placed){carom_shape_sphere(0.1), carom_pose_translation(100.0, 0.0, 0.0)};
                assert_int_equal(carom_scene_add(s.scene, &def, &jumper), CAROM_OK);
            }
            assert_int_equal(carom_engine_create(w.context, NULL, &whole), CAROM_OK);
            assert_int_equal(carom_engine_create(w.context, NULL, &engine), CAROM_OK);
            assert_int_equal(carom_scene_frame(s.scene, &frame), CAROM_OK);
            carom_collide_options options = {.mode = CAROM_COLLIDE_ALL, .relation = question % 2};
            options.clearance = question / 2 ? 0.2 : 0.0;
            assert_int_equal(carom_engine_run(whole, &frame, &options, &report), CAROM_OK);
            uint64_t hash = report.hash, work = report.counters.boxes_tested + report.counters.triangles_tested;
            options.budget.work = 1 + work / 30;
            uint32_t runs = run_to_the_end(&s, engine, options, jumper, &report);
            assert_int_equal(report.hash, hash);
            if (runs < 10 || runs > 60)
                fail_msg("question %d: %u runs of a thirtieth each", question, runs);
            carom_engine_destroy(engine);
            carom_engine_destroy(whole);
            stage_close(&s);
        }
    world_close(&w);
}

/* The same with budgets of time. */
static void short_frames_come_to_an_end(void **state)
{
    (void)state;
    world w = world_open();
    stage s = stage_open(w.context, 8, 800);
    carom_frame frame;
    carom_scene_report report;
    carom_engine *engine;
    assert_int_equal(carom_engine_create(w.context, NULL, &engine), CAROM_OK);
    assert_int_equal(carom_scene_frame(s.scene, &frame), CAROM_OK);
    carom_collide_options options = {.mode = CAROM_COLLIDE_ALL, .relation = true};
    double whole_ms = INFINITY; /* a part of it, however slow the machine or a tool that watches it */
    for (int i = 0; i < 4; i++)
    {
        assert_int_equal(carom_engine_run(engine, &frame, &options, &report), CAROM_OK);
        whole_ms = fmin(whole_ms, report.times.total_ms);
    }
    uint64_t hash = report.hash;
    options.budget.seconds = 1e-3 * whole_ms / 3.0;
    uint32_t runs = run_to_the_end(&s, engine, options, (carom_body_id){0}, &report);
    print_message("%u frames of %.2f ms\n", runs, 1e3 * options.budget.seconds);
    assert_true(runs > 1);
    assert_int_equal(report.hash, hash);
    carom_engine_destroy(engine);
    stage_close(&s);
    world_close(&w);
}

/* Another question starts afresh: nothing of the one that was cut short is right for it. */
static void other_questions_do_not_go_on(void **state)
{
    (void)state;
    world w = world_open();
    stage s = stage_open(w.context, 8, 300);
    carom_frame frame;
    carom_scene_report report;
    carom_engine *engine, *fresh;
    assert_int_equal(carom_engine_create(w.context, NULL, &engine), CAROM_OK);
    assert_int_equal(carom_engine_create(w.context, NULL, &fresh), CAROM_OK);
    assert_int_equal(carom_scene_frame(s.scene, &frame), CAROM_OK);
    const carom_collide_options cut = {.mode = CAROM_COLLIDE_ALL, .budget.work = 5000};
    const carom_collide_options others[4] = {{.mode = CAROM_COLLIDE_ALL, .relation = true},
                                             {.mode = CAROM_COLLIDE_ALL, .contacts = true},
                                             {.mode = CAROM_COLLIDE_ALL, .clearance = 0.3},
                                             {.mode = CAROM_COLLIDE_COUNT}};
    for (int i = 0; i < 4; i++)
    {
        assert_int_equal(carom_engine_run(fresh, &frame, &others[i], &report), CAROM_OK);
        uint64_t hash = report.hash;
        assert_int_equal(carom_engine_run(engine, &frame, &cut, &report), CAROM_UNKNOWN);
        assert_int_equal(carom_engine_run(engine, &frame, &others[i], &report), CAROM_OK);
        assert_int_equal(report.hash, hash);
    }
    carom_engine_destroy(engine);
    carom_engine_destroy(fresh);
    stage_close(&s);
    world_close(&w);
}

/* ---- urgency ---- */

static void add_pair(carom_scene *scene, carom_mesh *mesh, double offset, double z, double priority)
{
    for (int i = 0; i < 2; i++)
    {
        carom_body_def def = carom_body_def_default();
        def.placed = world_place(mesh, i * offset, i * offset, z);
        def.priority = priority;
        carom_body_id id;
        assert_int_equal(carom_scene_add(scene, &def, &id), CAROM_OK);
    }
}

/* Of three pairs that differ in one respect only, which is the first to be decided as budgets grow? The second. */
static void check_urgent(carom_context *context, carom_scene *scene)
{
    carom_frame frame;
    assert_int_equal(carom_scene_frame(scene, &frame), CAROM_OK);
    bool decided[3] = {false};
    for (uint64_t work = 8; !decided[0] && !decided[1] && !decided[2]; work += 8)
    {
        carom_engine *engine;
        carom_scene_report report;
        assert_int_equal(carom_engine_create(context, NULL, &engine), CAROM_OK);
        carom_collide_options options = {.mode = CAROM_COLLIDE_ANY, .budget.work = work};
        assert_int_equal(carom_engine_run(engine, &frame, &options, &report), CAROM_UNKNOWN);
        assert_int_equal(report.body_pair_count, 3);
        for (uint32_t i = 0; i < 3; i++)
            decided[i] = report.body_pairs[i].status == CAROM_OK;
        carom_engine_destroy(engine);
    }
    assert_true(!decided[0] && decided[1] && !decided[2]);
    carom_scene_destroy(scene);
}

static void urgent_pairs_are_served_first(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *mesh = stage_mesh(w.context, GENERATE_ICO_SPHERE, 1280, 1.0);
    carom_mesh *large = stage_mesh(w.context, GENERATE_ICO_SPHERE, 1280, 2.0);
    carom_scene *scene;
    assert_int_equal(carom_scene_create(w.context, &scene), CAROM_OK);
    for (int i = 0; i < 3; i++)
        add_pair(scene, mesh, 0.3, 10.0 * i, i == 1 ? 1.5 : 1.0); /* the user's priority */
    check_urgent(w.context, scene);
    assert_int_equal(carom_scene_create(w.context, &scene), CAROM_OK);
    for (int i = 0; i < 3; i++)
        add_pair(scene, mesh, i == 1 ? 0.25 : 0.4, 10.0 * i, 1.0); /* closeness */
    check_urgent(w.context, scene);
    assert_int_equal(carom_scene_create(w.context, &scene), CAROM_OK);
    for (int i = 0; i < 3; i++)
        add_pair(scene, i == 1 ? large : mesh, i == 1 ? 0.6 : 0.3, 10.0 * i, 1.0); /* size */
    check_urgent(w.context, scene);
    carom_mesh_destroy(mesh);
    carom_mesh_destroy(large);
    world_close(&w);
}

/* The formula of carom/engine.h, on numbers that can be worked out by hand. */
static void urgency_is_what_is_documented(void **state)
{
    (void)state;
    carom_frame_body a = {.priority = 2.0, .bounds = {{0, 0, 0}, {4, 4, 4}}};
    carom_frame_body b = {.priority = 3.0, .bounds = {{3, 2, 0}, {5, 4, 2}}};
    assert_true(engine_urgency(&a, &b, 8.0) == 3.0 * (1.0 + 0.5) * (1.0 + 0.25));
    b.bounds = (carom_aabb){{5, 0, 0}, {7, 2, 2}}; /* apart */
    assert_true(engine_urgency(&a, &b, 8.0) == 3.0 * (1.0 + 0.25));
    b.bounds = (carom_aabb){{1, 1, 1}, {1, 1, 1}}; /* a point inside */
    assert_true(engine_urgency(&a, &b, 4.0) == 3.0 * (1.0 + 1.0));
    b.bounds = (carom_aabb){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}; /* empty */
    assert_true(engine_urgency(&a, &b, 4.0) == 3.0);
    carom_frame_body flat = {.priority = 0.0, .bounds = {{0, 0, 0}, {0, 0, 0}}};
    assert_true(engine_urgency(&flat, &flat, 0.0) == 0.0);
}

/* ---- no time at all ---- */

static void too_little_time_leaves_everything_unknown(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *box = stage_mesh(w.context, GENERATE_BOX, 12, 1.0);
    carom_scene *scene;
    assert_int_equal(carom_scene_create(w.context, &scene), CAROM_OK);
    for (uint32_t i = 0; i < 3000; i++)
    {
        carom_body_def def = carom_body_def_default();
        def.placed = world_place(box, 0.9 * (i % 15), 0.9 * (i / 15 % 15), 0.9 * (i / 225));
        carom_body_id id;
        assert_int_equal(carom_scene_add(scene, &def, &id), CAROM_OK);
    }
    carom_frame frame;
    carom_scene_report report;
    carom_engine *engine, *whole;
    assert_int_equal(carom_engine_create(w.context, NULL, &engine), CAROM_OK);
    assert_int_equal(carom_engine_create(w.context, NULL, &whole), CAROM_OK);
    assert_int_equal(carom_scene_frame(scene, &frame), CAROM_OK);
    carom_collide_options options = {.mode = CAROM_COLLIDE_ALL};
    assert_int_equal(carom_engine_run(whole, &frame, &options, &report), CAROM_OK);
    uint64_t hash = report.hash;
    options.budget.seconds = 1e-6;
    for (int i = 0; i < 20; i++)
    {
        /* every other time the frame is a new one */
        if (i % 2 == 0)
            assert_int_equal(carom_scene_set_priority(scene, frame.bodies[0].id, 1.0 + i), CAROM_OK);
        assert_int_equal(carom_scene_frame(scene, &frame), CAROM_OK);
        assert_int_equal(carom_engine_run(engine, &frame, &options, &report), CAROM_UNKNOWN);
        assert_int_equal(report.bodies_undecided, 3000);
        assert_int_equal(report.body_pair_count, 0);
        assert_int_equal(report.pair_count, 0);
        assert_int_equal(carom_engine_resume(engine, &frame, &options.budget, &report), CAROM_UNKNOWN);
        assert_int_equal(report.bodies_undecided, 3000);
    }
    assert_int_equal(carom_engine_resume(engine, &frame, NULL, &report), CAROM_OK);
    assert_int_equal(report.bodies_undecided, 0);
    assert_int_equal(report.hash, hash);
    carom_engine_destroy(engine);
    carom_engine_destroy(whole);
    carom_scene_destroy(scene);
    carom_mesh_destroy(box);
    world_close(&w);
}

/* A tree that takes longer than a frame is built late and once; before, its pairs are unknown. */
static void trees_wait_for_time(void **state)
{
    (void)state;
    world w = world_open();
    stage s = {.context = w.context};
    for (int i = 0; i < 5; i++)
        s.meshes[i] = stage_mesh(w.context, GENERATE_BLOB, i == 0 ? 60000 : 200, 1.0);
    assert_int_equal(carom_scene_create(w.context, &s.scene), CAROM_OK);
    for (int i = 0; i < 3; i++)
    {
        carom_body_def def = carom_body_def_default();
        def.placed = world_place(s.meshes[i], 0.3 * i, 0.0, 0.0);
        carom_body_id id;
        assert_int_equal(carom_scene_add(s.scene, &def, &id), CAROM_OK);
    }
    carom_frame frame;
    carom_scene_report report;
    carom_engine *engine;
    assert_int_equal(carom_engine_create(w.context, NULL, &engine), CAROM_OK);
    assert_int_equal(carom_scene_frame(s.scene, &frame), CAROM_OK);
    carom_collide_options options = {.mode = CAROM_COLLIDE_ANY, .budget.seconds = 2e-3};
    assert_int_equal(carom_engine_run(engine, &frame, &options, &report), CAROM_UNKNOWN);
    assert_null(tree_default_if_built(s.meshes[0], TREE_FOR_PAIRS));
    run_to_the_end(&s, engine, options, (carom_body_id){0}, &report);
    assert_non_null(tree_default_if_built(s.meshes[0], TREE_FOR_PAIRS));
    uint64_t hash = report.hash;
    assert_int_equal(carom_engine_run(engine, &frame, &(carom_collide_options){.mode = CAROM_COLLIDE_ANY}, &report),
                     CAROM_OK);
    assert_int_equal(report.hash, hash);
    carom_engine_destroy(engine);
    stage_close(&s);
    world_close(&w);
}

/* ---- misuse ---- */

static void budgets_that_are_none(void **state)
{
    (void)state;
    world w = world_open();
    stage s = stage_open(w.context, 8, 100);
    carom_frame frame;
    carom_scene_report report;
    carom_engine *engine;
    assert_int_equal(carom_engine_create(w.context, &(carom_engine_def){.estimate_undecided = true}, &engine),
                     CAROM_OK);
    assert_int_equal(carom_scene_frame(s.scene, &frame), CAROM_OK);
    carom_collide_options options = carom_collide_options_default();
    assert_int_equal(carom_engine_run(engine, &frame, &options, &report), CAROM_OK);
    uint64_t hash = report.hash;
    const double unlimited[3] = {0.0, INFINITY, 1e300}, refused[3] = {NAN, -1.0, -INFINITY};
    for (int i = 0; i < 3; i++)
    {
        options.budget.seconds = unlimited[i];
        assert_int_equal(carom_engine_run(engine, &frame, &options, &report), CAROM_OK);
        assert_int_equal(report.hash, hash);
        assert_int_equal(report.estimate_count, 0);
        options.budget.seconds = refused[i];
        carom_status expected = isnan(refused[i]) ? CAROM_NOT_FINITE : CAROM_INVALID_ARGUMENT;
        assert_int_equal(carom_engine_run(engine, &frame, &options, &report), expected);
        assert_int_equal(report.body_pair_count, 0);
        options.budget = (carom_budget){.work = 500};
        assert_int_equal(carom_engine_run(engine, &frame, &options, &report), CAROM_UNKNOWN);
        assert_int_equal(report.estimate_count, report.body_pairs_undecided);
        options.budget = (carom_budget){.seconds = refused[i]};
        assert_int_equal(carom_engine_resume(engine, &frame, &options.budget, &report), expected);
        options.budget = (carom_budget){.seconds = unlimited[i]};
        assert_int_equal(carom_engine_resume(engine, &frame, &options.budget, &report), CAROM_OK);
        assert_int_equal(report.hash, hash);
        options.budget = (carom_budget){0};
    }
    carom_engine_destroy(engine);
    stage_close(&s);
    world_close(&w);
}

/* Frames that are cut short, carried over and resumed; returns the first failure. */
static carom_status run_frames(stage *s, carom_engine *engine, carom_body_id body, uint64_t *hash)
{
    carom_frame frame;
    carom_scene_report report = {0};
    carom_collide_options options = {.mode = CAROM_COLLIDE_ALL, .contacts = true, .budget.work = 3000};
    for (int i = 0; i < 3; i++)
    {
        carom_pose pose = carom_pose_translation(0.1 * i, 0.0, 0.0);
        carom_status status = carom_scene_move(s->scene, body, &pose);
        if (status == CAROM_OK)
            status = carom_scene_frame(s->scene, &frame);
        if (status == CAROM_OK)
            status = carom_engine_run(engine, &frame, &options, &report);
        if (carom_failed(status))
            return status;
    }
    if (report.status == CAROM_UNKNOWN)
        carom_engine_resume(engine, &frame, NULL, &report);
    *hash = report.hash;
    return report.status;
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    failing memory = {0};
    carom_context *context;
    assert_int_equal(failing_context(&memory, &context), CAROM_OK);
    stage s = stage_open(context, 8, 60);
    carom_frame frame;
    assert_int_equal(carom_scene_frame(s.scene, &frame), CAROM_OK);
    carom_body_id body = frame.bodies[4].id;
    uint64_t right = 0, hash = 0, failures = 0;
    bool failed = true;
    for (uint64_t k = 0; failed; k += 1 + k / 16)
    {
        carom_engine *engine;
        assert_int_equal(carom_engine_create(context, &(carom_engine_def){.estimate_undecided = true}, &engine),
                         CAROM_OK);
        failing_arm(&memory, k);
        carom_status status = run_frames(&s, engine, body, &hash);
        failed = k == 0 || memory.failed;
        failing_arm(&memory, 0);
        assert_true(status == CAROM_OK || (status == CAROM_OUT_OF_MEMORY && failed));
        failures += status == CAROM_OUT_OF_MEMORY;
        if (k == 0)
            right = hash;
        else if (status == CAROM_OK) /* some only cost time */
            assert_int_equal(hash, right);
        assert_int_equal(run_frames(&s, engine, body, &hash), CAROM_OK); /* it works again */
        assert_int_equal(hash, right);
        carom_engine_destroy(engine);
    }
    assert_true(failures > 10);
    stage_close(&s);
    carom_context_destroy(context);
    assert_int_equal(memory.blocks_out, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_said_is_true),
        cmocka_unit_test(work_budgets_do_not_depend_on_workers),
        cmocka_unit_test(next_frames_go_on),
        cmocka_unit_test(short_frames_come_to_an_end),
        cmocka_unit_test(other_questions_do_not_go_on),
        cmocka_unit_test(urgent_pairs_are_served_first),
        cmocka_unit_test(urgency_is_what_is_documented),
        cmocka_unit_test(too_little_time_leaves_everything_unknown),
        cmocka_unit_test(trees_wait_for_time),
        cmocka_unit_test(budgets_that_are_none),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
