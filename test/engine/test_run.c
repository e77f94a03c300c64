/* Runs of an engine: one hash for any number of workers, host and cut; each pair of bodies as carom_collide says;
 * limits, margins, static marks and containment. Budgets: test_run_budget.c. */
#include "engine/stage.h"
#include "support/hosts.h"

#include <gmp.h>

enum
{
    QUESTIONS = 10
};

static carom_collide_options question(int which)
{
    carom_collide_options options = carom_collide_options_default();
    options.mode = (carom_collide_mode)(which % 3);
    options.relation = which % 2;
    options.contacts = which == 5;
    options.clearance = which % 4 == 3 ? 0.1 : 0.0;
    options.max_pairs = which == 8 ? 37 : 0;
    return options;
}

/* Frames of the answers to all questions, the scene moving between them; with cut sizes, and with work budgets and
 * resumed. */
static void collect_hashes(uint32_t host, double cut_size, uint64_t hashes[2 * QUESTIONS])
{
    carom_context_def def = host_def(host);
    carom_context *context;
    assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
    stage s = stage_open(context, 3, 700);
    carom_engine *engine;
    carom_engine_def engine_def = {.cut_size = cut_size};
    assert_int_equal(carom_engine_create(context, &engine_def, &engine), CAROM_OK);
    check_random random = {.state = 17}, poses = {.state = 18};
    for (int i = 0; i < QUESTIONS; i++)
    {
        carom_scene_report report;
        carom_collide_options options = question(i);
        carom_frame frame = world_frame(s.scene);
        assert_false(carom_failed(carom_engine_run(engine, &frame, &options, &report)));
        hashes[2 * i] = report.hash;
        /* the same cut: how many pairs of bodies are undecided after how much work, and what is known of them */
        base_hash hash = base_hash_begin();
        options.budget.work = 200 + check_next(&random) % 20000;
        carom_status status = carom_engine_run(engine, &frame, &options, &report);
        for (int step = 0;; step++)
        {
            assert_false(carom_failed(status));
            for (uint64_t k = 0; k < report.body_pair_count; k++)
            {
                base_hash_u64(&hash, report.body_pairs[k].status);
                /* of an any-hit, or of the work of a later step, all is the same but which pair it was */
                base_hash_u64(&hash, report.body_pairs[k].pair_count);
                base_hash_u64(&hash, report.body_pairs[k].hash);
            }
            if (status != CAROM_UNKNOWN)
                break;
            carom_budget budget = {.work = 100 + check_next(&random) % 30000};
            status = carom_engine_resume(engine, &frame, step > 2000 ? NULL : &budget, &report);
        }
        if (report.hash != hashes[2 * i])
            fail_msg("question %d: budgets end with another hash", i);
        hashes[2 * i + 1] = base_hash_end(&hash);
        carom_pose pose = world_random_pose(&poses, 2.0);
        assert_int_equal(carom_scene_move(s.scene, frame.bodies[2 + i % (STAGE_BODIES - 2)].id, &pose), CAROM_OK);
    }
    carom_engine_destroy(engine);
    stage_close(&s);
    carom_context_destroy(context);
}

/* Budgets cut short at the same point for any host, but not for any cut: parts cost what the whole does not. */
static void one_hash_for_all_workers(void **state)
{
    (void)state;
    static const double cuts[] = {0.0, 0.3, 1.0};
    uint64_t whole[2 * QUESTIONS], alone[2 * QUESTIONS], shared[2 * QUESTIONS];
    collect_hashes(0, 0.0, whole);
    for (size_t cut = 0; cut < sizeof cuts / sizeof *cuts; cut++)
    {
        collect_hashes(0, cuts[cut], alone);
        for (uint32_t host = 0; host<HOST_COUNT; host += cut> 0 ? 3 : 1)
        {
            collect_hashes(host, cuts[cut], shared);
            for (int i = 0; i < 2 * QUESTIONS; i++)
                if (shared[i] != (i % 2 ? alone : whole)[i])
                    fail_msg("host %u, cut %g: question %d%s has another hash", host, cuts[cut], i / 2,
                             i % 2 ? " with budgets" : "");
        }
    }
}

/* Every pair of bodies that is listed is what carom_collide says of it, and those that are not listed are apart. */
static void pairs_agree_with_collide(void **state)
{
    (void)state;
    for (uint32_t host = 0; host < HOST_COUNT; host += 2)
    {
        carom_context_def def = host_def(host);
        carom_context *context;
        carom_query *query;
        assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
        assert_int_equal(carom_query_create(context, &query), CAROM_OK);
        for (uint64_t seed = 1; seed <= 3; seed++)
        {
            stage s = stage_open(context, seed, 200);
            carom_engine *engine;
            carom_engine_def engine_def = {.cut_size = host % 4 ? 0.5 : 0.0};
            assert_int_equal(carom_engine_create(context, &engine_def, &engine), CAROM_OK);
            carom_frame frame = world_frame(s.scene);
            for (int i = 0; i < QUESTIONS; i++)
            {
                carom_collide_options options = question(i);
                carom_scene_report report;
                assert_false(carom_failed(carom_engine_run(engine, &frame, &options, &report)));
                uint64_t at = 0;
                for (uint32_t a = 0; a < frame.body_count; a++)
                    for (uint32_t b = a + 1; b < frame.body_count; b++)
                    {
                        const carom_frame_body *body_a = &frame.bodies[a], *body_b = &frame.bodies[b];
                        if ((body_a->is_static && body_b->is_static) ||
                            (body_a->filter.group != 0 && body_a->filter.group == body_b->filter.group))
                            continue;
                        carom_collide_options own = options;
                        own.clearance = (body_a->margin + body_b->margin) + options.clearance;
                        carom_report single;
                        assert_false(
                            carom_failed(carom_collide(query, &body_a->placed, &body_b->placed, &own, &single)));
                        bool listed = single.pair_count > 0 || single.clearance_violated ||
                                      single.relation >= CAROM_RELATION_A_INSIDE_B;
                        bool found = at < report.body_pair_count &&
                                     report.body_pairs[at].body_a.index == body_a->id.index &&
                                     report.body_pairs[at].body_b.index == body_b->id.index;
                        if (listed != found)
                            fail_msg("question %d: bodies %u and %u are %slisted", i, a, b, found ? "" : "not ");
                        if (!found)
                        {
                            assert_int_equal(single.relation, CAROM_RELATION_APART);
                            continue;
                        }
                        assert_int_equal(report.body_pairs[at].hash, single.hash);
                        assert_int_equal(report.body_pairs[at].relation, single.relation);
                        at++;
                    }
                assert_int_equal(at, report.body_pair_count);
            }
            carom_engine_destroy(engine);
            stage_close(&s);
        }
        carom_query_destroy(query);
        carom_context_destroy(context);
    }
}

/* Two meshes deep in each other, and a heavy mesh against a sphere: shared among workers, the same report. */
static void heavy_pairs_are_split(void **state)
{
    (void)state;
    uint64_t truth[6] = {0};
    for (uint32_t host = 0; host < HOST_COUNT; host += host == 2 ? 3 : 1)
    {
        carom_context_def def = host_def(host);
        carom_context *context;
        carom_query *query;
        assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
        assert_int_equal(carom_query_create(context, &query), CAROM_OK);
        carom_mesh *knot = stage_mesh(context, GENERATE_TORUS_KNOT, 50000, 1.0),
                   *blob = stage_mesh(context, GENERATE_BLOB, 50000, 1.0);
        carom_placed bodies[3] = {{carom_shape_mesh(knot), carom_pose_identity()},
                                  {carom_shape_mesh(blob), carom_pose_translation(0.05, 0.02, 0.01)},
                                  {carom_shape_sphere(0.45), carom_pose_translation(0.1, 0, 0)}};
        uint64_t found[6];
        carom_report report;
        carom_collide_options options = carom_collide_options_default();
        options.relation = options.contacts = true;
        assert_int_equal(carom_collide(query, &bodies[0], &bodies[1], &options, &report), CAROM_OK);
        assert_true(report.pair_count > 1000);
        found[0] = report.hash;
        options.contacts = false, options.max_pairs = 100, options.clearance = 0.01;
        assert_int_equal(carom_collide(query, &bodies[0], &bodies[1], &options, &report), CAROM_TRUNCATED);
        found[1] = report.hash;
        assert_int_equal(carom_collide(query, &bodies[2], &bodies[0], &options, &report), CAROM_TRUNCATED);
        found[2] = report.hash;

        carom_scene *scene;
        carom_engine *engine;
        assert_int_equal(carom_scene_create(context, &scene), CAROM_OK);
        assert_int_equal(carom_engine_create(context, NULL, &engine), CAROM_OK);
        for (int i = 0; i < 3; i++)
            world_add(scene, bodies[i]);
        carom_scene_report all;
        carom_frame frame = world_frame(scene);
        for (int mode = 0; mode < 3; mode++)
        {
            options = carom_collide_options_default();
            options.mode = (carom_collide_mode)mode, options.relation = mode == 1;
            assert_int_equal(carom_engine_run(engine, &frame, &options, &all), CAROM_OK);
            assert_int_equal(all.body_pair_count, 3);
            found[3 + mode] = all.hash;
        }
        for (int i = 0; i < 6; i++)
            if (host > 0 && found[i] != truth[i])
                fail_msg("host %u: report %d of a heavy pair differs", host, i);
        memcpy(truth, found, sizeof truth);
        carom_engine_destroy(engine);
        carom_scene_destroy(scene);
        carom_mesh_destroy(knot);
        carom_mesh_destroy(blob);
        carom_query_destroy(query);
        carom_context_destroy(context);
    }
}

/* What a heavy pair remembers must not depend on how it was shared: budgets of later frames would run out elsewhere. */
static void memory_does_not_depend_on_workers(void **state)
{
    (void)state;
    uint64_t truth = 0;
    for (uint32_t host = 0; host < HOST_COUNT; host++)
    {
        carom_context_def def = host_def(host);
        carom_context *context;
        assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
        carom_mesh *knot = stage_mesh(context, GENERATE_TORUS_KNOT, 40000, 1.0),
                   *blob = stage_mesh(context, GENERATE_BLOB, 40000, 1.0);
        carom_scene *scene;
        carom_engine *engine;
        carom_body_id id[2];
        assert_int_equal(carom_scene_create(context, &scene), CAROM_OK);
        assert_int_equal(carom_engine_create(context, NULL, &engine), CAROM_OK);
        for (int i = 0; i < 2; i++)
        {
            carom_body_def body = carom_body_def_default();
            body.placed.shape = carom_shape_mesh(i ? blob : knot);
            assert_int_equal(carom_scene_add(scene, &body, &id[i]), CAROM_OK);
        }
        base_hash hash = base_hash_begin();
        for (int i = 0; i < 12; i++)
        {
            carom_scene_report report;
            carom_pose pose = carom_pose_translation(0.03 * i, 0.01 * i, 0);
            assert_int_equal(carom_scene_move(scene, id[1], &pose), CAROM_OK);
            carom_frame frame = world_frame(scene);
            carom_collide_options options = carom_collide_options_default();
            assert_int_equal(carom_engine_run(engine, &frame, &options, &report), CAROM_OK);
            options.mode = CAROM_COLLIDE_ANY;
            for (uint64_t work = 1; work < 3000; work = 2 * work + 1)
            {
                pose.translation.z += 0.002;
                assert_int_equal(carom_scene_move(scene, id[1], &pose), CAROM_OK);
                assert_int_equal(carom_scene_frame(scene, &frame), CAROM_OK);
                options.budget.work = work;
                base_hash_u64(&hash, carom_engine_run(engine, &frame, &options, &report));
                base_hash_u64(&hash, report.counters.boxes_tested + report.counters.triangles_tested);
            }
        }
        truth = host == 0 ? base_hash_end(&hash) : truth;
        if (base_hash_end(&hash) != truth)
            fail_msg("host %u: budgets are cut elsewhere", host);
        carom_engine_destroy(engine);
        carom_scene_destroy(scene);
        carom_mesh_destroy(knot);
        carom_mesh_destroy(blob);
        carom_context_destroy(context);
    }
}

/* What is known when a work budget has run out, and what it took: not only the status. */
static void hash_open_report(base_hash *hash, const carom_scene_report *report)
{
    base_hash_u64(hash, report->status);
    base_hash_u64(hash, report->counters.boxes_tested);
    base_hash_u64(hash, report->counters.triangles_tested);
    for (uint64_t i = 0; i < report->body_pair_count; i++)
    {
        const carom_body_pair *pair = &report->body_pairs[i];
        base_hash_u64(hash, (uint64_t)pair->body_a.index << 32 | pair->body_b.index);
        base_hash_u64(hash, pair->status);
        base_hash_u64(hash, pair->pair_count);
    }
}

/* Broad phases list the parts of a body in an order of their own, which depends on the workers. */
static uint64_t spend_on_parts(carom_context *context, double cut_size)
{
    stage s = stage_open(context, 5, 600);
    carom_engine *engine;
    carom_engine_def def = {.cut_size = cut_size};
    carom_frame frame = world_frame(s.scene);
    assert_int_equal(carom_engine_create(context, &def, &engine), CAROM_OK);
    base_hash hash = base_hash_begin();
    for (int i = 0; i < QUESTIONS; i++)
        for (uint64_t work = 500; work < 40000; work *= 3)
        {
            carom_collide_options options = question(i);
            options.budget.work = work;
            carom_scene_report report;
            assert_false(carom_failed(carom_engine_run(engine, &frame, &options, &report)));
            hash_open_report(&hash, &report);
        }
    carom_engine_destroy(engine);
    stage_close(&s);
    return base_hash_end(&hash);
}

static void budgets_of_parts_end_at_the_same_point(void **state)
{
    (void)state;
    const double cuts[] = {0.0, 0.5, 2.0};
    for (size_t cut = 0; cut < sizeof cuts / sizeof *cuts; cut++)
    {
        uint64_t truth = 0;
        for (uint32_t host = 0; host < HOST_COUNT; host++)
        {
            carom_context_def def = host_def(host);
            carom_context *context;
            assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
            uint64_t hash = spend_on_parts(context, cuts[cut]);
            truth = host == 0 ? hash : truth;
            if (hash != truth)
                fail_msg("host %u, cut size %g: budgets end elsewhere", host, cuts[cut]);
            carom_context_destroy(context);
        }
    }
}

/* ---- margins ---- */

/* distance < a + b + c, in rational arithmetic */
static bool is_below_sum(double distance, double a, double b, double c)
{
    const double terms[3] = {a, b, c};
    mpq_t sum, term;
    mpq_inits(sum, term, NULL);
    for (int i = 0; i < 3; i++)
    {
        mpq_set_d(term, terms[i]);
        mpq_add(sum, sum, term);
    }
    mpq_set_d(term, distance);
    bool below = mpq_cmp(term, sum) < 0;
    mpq_clears(sum, term, NULL);
    return below;
}

static void margins_are_exact(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *box = world_box(&w, 0, 0, 0, 1, 1, 1);
    check_random random = {.state = 31};
    for (int i = 0; i < 400; i++)
    {
        bool sphere = i % 3 == 0;
        double gap = check_uniform(&random, 0.01, 3.0), scale = i % 5 ? 1.0 : 1e6;
        carom_scene *scene;
        carom_body_id ids[2];
        assert_int_equal(carom_scene_create(w.context, &scene), CAROM_OK);
        carom_body_def def = carom_body_def_default();
        def.placed = (carom_placed){carom_shape_mesh(box), carom_pose_translation(scale, 0, 0)};
        assert_int_equal(carom_scene_add(scene, &def, &ids[0]), CAROM_OK);
        if (sphere)
            def.placed.shape = carom_shape_sphere(0.25);
        def.placed.pose = carom_pose_translation(scale + 1.0 + gap + (sphere ? 0.25 : 0.0), 0.5, 0.5);
        assert_int_equal(carom_scene_add(scene, &def, &ids[1]), CAROM_OK);
        carom_frame frame = world_frame(scene);
        carom_report report;
        assert_int_equal(carom_distance(w.query, &frame.bodies[0].placed, &frame.bodies[1].placed, NULL, &report),
                         CAROM_OK);
        double distance = report.distance;
        double margins[2] = {check_uniform(&random, 0.0, 0.5) * gap, check_uniform(&random, 0.0, 0.4) * gap};
        double margin_sum = margins[0] + margins[1];
        double clearance = distance - margin_sum;
        while (margin_sum + clearance < distance)
            clearance = nextafter(clearance, INFINITY);
        while (margin_sum + nextafter(clearance, 0.0) >= distance)
            clearance = nextafter(clearance, 0.0);
        for (int e = 0; e < 3; e++)
        {
            carom_engine *engine;
            carom_engine_def kind = {.engine = e == 1 ? "brute" : "tree", .broad_phase = e == 2 ? "brute" : "tree"};
            assert_int_equal(carom_engine_create(w.context, &kind, &engine), CAROM_OK);
            for (int k = 0; k < 2; k++)
                assert_int_equal(carom_scene_set_margin(scene, ids[k], margins[k]), CAROM_OK);
            double values[5] = {nextafter(clearance, 0.0), clearance, nextafter(clearance, INFINITY), 2 * clearance, 0};
            for (int v = 0; v < 5; v++)
            {
                carom_collide_options options = carom_collide_options_default();
                options.clearance = values[v];
                carom_scene_report all;
                assert_int_equal(carom_scene_frame(scene, &frame), CAROM_OK);
                assert_int_equal(carom_engine_run(engine, &frame, &options, &all), CAROM_OK);
                bool violated = is_below_sum(distance, margins[0], margins[1], values[v]);
                if ((all.body_pair_count == 1) != violated)
                    fail_msg("distance %.17g, margins %.17g %.17g, clearance %.17g: %lu pairs", distance, margins[0],
                             margins[1], values[v], (unsigned long)all.body_pair_count);
                if (violated)
                {
                    assert_true(all.body_pairs[0].clearance_violated);
                    assert_true(all.body_pairs[0].distance == distance);
                }
            }
            /* the margins alone */
            assert_int_equal(carom_scene_set_margin(scene, ids[0], 0.0), CAROM_OK);
            const double alone[2] = {distance, nextafter(distance, INFINITY)};
            for (int v = 0; v < 2; v++)
            {
                assert_int_equal(carom_scene_set_margin(scene, ids[1], alone[v]), CAROM_OK);
                assert_int_equal(carom_scene_frame(scene, &frame), CAROM_OK);
                carom_scene_report all;
                assert_int_equal(carom_engine_run(engine, &frame, NULL, &all), CAROM_OK);
                assert_int_equal(all.body_pair_count, (uint64_t)v);
            }
            carom_engine_destroy(engine);
        }
        carom_scene_destroy(scene);
    }
    carom_mesh_destroy(box);
    world_close(&w);
}

/* ---- what is inside ---- */

/* A body inside another is never apart: any question, any number of workers, cut or not, with budgets. */
static void inside_is_never_apart(void **state)
{
    (void)state;
    for (uint32_t host = 0; host < HOST_COUNT; host++)
    {
        carom_context_def def = host_def(host);
        world w = {0};
        assert_int_equal(carom_context_create(&def, &w.context), CAROM_OK);
        assert_int_equal(carom_query_create(w.context, &w.query), CAROM_OK);
        carom_mesh *shell = stage_mesh(w.context, GENERATE_ICO_SPHERE, 1280, 10.0),
                   *box = world_box(&w, 0, 0, 0, 1, 1, 1);
        carom_shape inner[3] = {carom_shape_mesh(box), carom_shape_sphere(0.5),
                                carom_shape_capsule((carom_vec3){0, 0, 0}, (carom_vec3){1, 0, 0}, 0.2)};
        for (int k = 0; k < 3; k++)
        {
            carom_placed a = {carom_shape_mesh(shell), carom_pose_identity()}, b = {inner[k], carom_pose_identity()};
            for (int swapped = 0; swapped < 2; swapped++)
            {
                const carom_placed *one = swapped ? &b : &a, *other = swapped ? &a : &b;
                carom_relation expected = swapped ? CAROM_RELATION_A_INSIDE_B : CAROM_RELATION_B_INSIDE_A;
                carom_report report;
                for (int i = 0; i < QUESTIONS; i++)
                {
                    carom_collide_options options = question(i);
                    assert_int_equal(carom_collide(w.query, one, other, &options, &report), CAROM_OK);
                    assert_int_equal(report.relation, expected);
                    for (uint64_t work = 1; work < 5000; work *= 3)
                    {
                        options.budget.work = work;
                        carom_status status = carom_collide(w.query, one, other, &options, &report);
                        assert_int_equal(report.relation, status == CAROM_OK ? expected : CAROM_RELATION_UNKNOWN);
                    }
                }
                for (int i = 0; i < 3; i++)
                {
                    carom_distance_options options = {.upper_bound = i == 0 ? 0.0 : i == 1 ? 0.1 : 100.0};
                    assert_int_equal(carom_distance(w.query, one, other, &options, &report), CAROM_OK);
                    assert_int_equal(report.relation, expected);
                }
            }
            for (int cut = 0; cut < 3; cut++)
            {
                carom_scene *scene;
                carom_engine *engine;
                carom_engine_def kind = {.cut_size = cut == 0 ? 0.0 : cut == 1 ? 2.0 : 1e-3};
                assert_int_equal(carom_scene_create(w.context, &scene), CAROM_OK);
                assert_int_equal(carom_engine_create(w.context, &kind, &engine), CAROM_OK);
                for (int i = 0; i < 3; i++)
                {
                    carom_body_def body = carom_body_def_default();
                    carom_body_id id;
                    body.placed = i == 1 ? b : a;
                    body.is_static = i != 1; /* the two shells never meet */
                    assert_int_equal(carom_scene_add(scene, &body, &id), CAROM_OK);
                }
                for (int i = 0; i < QUESTIONS; i++)
                {
                    carom_scene_report report;
                    carom_collide_options options = question(i);
                    carom_frame frame = world_frame(scene);
                    assert_int_equal(carom_engine_run(engine, &frame, &options, &report), CAROM_OK);
                    assert_int_equal(report.body_pair_count, 2);
                    assert_int_equal(report.body_pairs[0].relation, CAROM_RELATION_B_INSIDE_A);
                    assert_int_equal(report.body_pairs[1].relation, CAROM_RELATION_A_INSIDE_B);
                }
                carom_engine_destroy(engine);
                carom_scene_destroy(scene);
            }
        }
        carom_mesh_destroy(shell);
        carom_mesh_destroy(box);
        world_close(&w);
    }
}

/* ---- limits, several scenes ---- */

/* A limit that ends within a pair of bodies cuts its contacts as well, and each limit has a hash of its own. */
static void limits_cut_contacts(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *box = world_box(&w, 0, 0, 0, 1, 1, 1);
    carom_scene *scene = world_scene(&w);
    for (int i = 0; i < 4; i++)
        world_add(scene, world_place(box, 0.7 * i, 0.2 * i, 0.1 * i));
    carom_scene_report report;
    carom_frame frame = world_frame(scene);
    carom_engine *engine = world_engine(&w);
    carom_collide_options options = carom_collide_options_default();
    options.contacts = true;
    assert_int_equal(carom_engine_run(engine, &frame, &options, &report), CAROM_OK);
    uint64_t count = report.pair_count, last_hash = 0;
    assert_true(report.body_pair_count == 3 && count > 12);
    for (options.max_pairs = 1; options.max_pairs < count; options.max_pairs++)
    {
        assert_int_equal(carom_engine_run(engine, &frame, &options, &report), CAROM_TRUNCATED);
        assert_int_equal(report.pair_count, count);
        assert_int_equal(report.pairs_listed, options.max_pairs);
        assert_int_equal(report.contact_count, options.max_pairs);
        for (uint64_t i = 0; i < report.contact_count; i++)
            assert_int_equal(report.contacts[i].pair, i);
        assert_true(report.hash != last_hash);
        last_hash = report.hash;
    }
    carom_engine_destroy(engine);
    carom_scene_destroy(scene);
    carom_mesh_destroy(box);
    world_close(&w);
}

/* The ids and versions of two scenes may be the same numbers: what was kept of one says nothing about the other. */
static void scenes_are_told_apart(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *box = world_box(&w, 0, 0, 0, 1, 1, 1);
    carom_scene *scenes[2];
    for (int i = 0; i < 2; i++)
    {
        assert_int_equal(carom_scene_create(w.context, &scenes[i]), CAROM_OK);
        for (int k = 0; k < 3; k++)
            world_add(scenes[i], world_place(box, i == 0 ? 5.0 * k : 0.5 * k, 0, 0)); /* apart, or in a heap */
    }
    for (uint32_t broad = 0; carom_broad_list(broad); broad++)
    {
        carom_engine *engine;
        carom_engine_def def = {.broad_phase = carom_broad_list(broad)->name};
        assert_int_equal(carom_engine_create(w.context, &def, &engine), CAROM_OK);
        for (int turn = 0; turn < 6; turn++)
        {
            carom_scene_report report;
            carom_frame frame = world_frame(scenes[turn % 2]);
            assert_int_equal(carom_engine_run(engine, &frame, NULL, &report), CAROM_OK);
            assert_int_equal(report.body_pair_count, turn % 2 == 0 ? 0 : 3);
        }
        carom_engine_destroy(engine);
    }
    carom_scene_destroy(scenes[0]);
    carom_scene_destroy(scenes[1]);
    carom_mesh_destroy(box);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_hash_for_all_workers),
        cmocka_unit_test(pairs_agree_with_collide),
        cmocka_unit_test(heavy_pairs_are_split),
        cmocka_unit_test(memory_does_not_depend_on_workers),
        cmocka_unit_test(margins_are_exact),
        cmocka_unit_test(inside_is_never_apart),
        cmocka_unit_test(limits_cut_contacts),
        cmocka_unit_test(scenes_are_told_apart),
        cmocka_unit_test(budgets_of_parts_end_at_the_same_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
