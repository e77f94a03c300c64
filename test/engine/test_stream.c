/* Engines `scd0`, `scd1`, `scd2` and `scd-triangles`: the answers of brute force where the thesis's printed code is
 * wrong, on bodies that deform, within budgets, with clearances, for every limit of the driver and in every run; and
 * what the printed code misses is counted. */
#include "crowd.h"
#include "support/gpu_test.h"
#include "support/gpu_wrap.h"

static const char *const NAMES[] = {"scd0", "scd1", "scd2", "scd-triangles"};

enum
{
    METHODS = 4
};

static int begin(void **state)
{
    (void)state;
    gpu_wrap_reset();
    return 0;
}

/* ---- two bodies ---- */

typedef struct duel
{
    crowd c;
    carom_body_id ids[2];
    carom_engine *brute;
} duel;

static duel duel_open(carom_context *context, const carom_placed *a, const carom_placed *b)
{
    duel d = {.c = {.context = context}};
    const carom_placed *placed[2] = {a, b};
    assert_int_equal(carom_scene_create(context, &d.c.scene), CAROM_OK);
    for (int i = 0; i < 2; i++)
    {
        carom_body_def def = carom_body_def_default();
        def.placed = *placed[i];
        assert_int_equal(carom_scene_add(d.c.scene, &def, &d.ids[i]), CAROM_OK);
    }
    d.brute = crowd_engine(&d.c, &(carom_engine_def){.engine = "brute", .broad_phase = "brute"});
    return d;
}

static void duel_close(duel *d)
{
    carom_engine_destroy(d->brute);
    carom_scene_destroy(d->c.scene);
}

/* The answers of an engine are those of brute force, whose number of pairs of triangles this is. */
static uint64_t duel_compare(const duel *d, carom_engine *engine)
{
    static const carom_collide_mode modes[] = {CAROM_COLLIDE_ANY, CAROM_COLLIDE_COUNT, CAROM_COLLIDE_ALL};
    carom_scene_report truth, report;
    for (int i = 0; i < 3; i++)
    {
        assert_int_equal(crowd_run(&d->c, d->brute, modes[i], &truth), CAROM_OK);
        assert_int_equal(crowd_run(&d->c, engine, modes[i], &report), CAROM_OK);
        assert_true(report.hash == truth.hash);
    }
    return truth.pair_count;
}

/* By all engines, drawn and balanced, and the bodies in both orders. */
static void compare_all(carom_context *context, const carom_placed *a, const carom_placed *b, bool meet)
{
    for (int i = 0; i < 4 * METHODS; i++)
    {
        duel d = i & 1 ? duel_open(context, b, a) : duel_open(context, a, b);
        carom_engine *engine = crowd_engine(
            &d.c, &(carom_engine_def){.engine = NAMES[i / 4], .broad_phase = "all", .image_always = (i & 2) != 0});
        assert_int_equal(duel_compare(&d, engine) > 0, meet);
        carom_engine_destroy(engine);
        duel_close(&d);
    }
}

/* What an engine that runs the printed code counts. */
static carom_engine_stats run_printed(carom_context *context, const char *name, const carom_placed *a,
                                      const carom_placed *b)
{
    duel d = duel_open(context, a, b);
    carom_engine_def def = {.engine = name, .broad_phase = "all", .image_always = true, .as_printed = true};
    carom_engine *engine = crowd_engine(&d.c, &def);
    carom_scene_report report, truth;
    assert_int_equal(crowd_run(&d.c, d.brute, CAROM_COLLIDE_ALL, &truth), CAROM_OK);
    assert_int_equal(crowd_run(&d.c, engine, CAROM_COLLIDE_ALL, &report), CAROM_OK);
    assert_true(report.counters.sampled_size > 0.0);
    carom_engine_stats stats = carom_engine_get_stats(engine);
    assert_int_equal(stats.printed_searches, 1);
    /* what is reported is right, and the rest is counted */
    assert_int_equal(report.pair_count + stats.printed_pairs_missed, truth.pair_count);
    assert_int_equal(report.pair_count + stats.printed_pairs_wrong, stats.printed_pairs);
    carom_engine_destroy(engine);
    duel_close(&d);
    return stats;
}

static carom_mesh *make_triangle(const world *w, const double corners[9]) { return world_mesh(w, corners, 3, NULL, 1); }

/* A needle through the middle of a large face: none of the face's edges comes near the needle's box. */
static void test_needle(void **state)
{
    (void)state;
    static const double plate_corners[9] = {-10, -10, 0, 10, -10, 0, 0, 20, 0};
    gpu_test_needs_driver();
    world w = world_open();
    carom_mesh *plate = make_triangle(&w, plate_corners), *needle = world_box(&w, -0.01, -0.01, -1, 0.01, 0.01, 1);
    carom_placed a = world_place(plate, 0, 0, 0), b = world_place(needle, 0, 1, 0),
                 apart = world_place(needle, 0, 1, 5);
    compare_all(w.context, &a, &b, true);
    compare_all(w.context, &a, &apart, false);
    /* the edges of the first body miss the root box of the second: the printed search ends there */
    assert_int_equal(run_printed(w.context, "scd2", &a, &b).printed_missed, 1);
    assert_int_equal(run_printed(w.context, "scd2", &b, &a).printed_missed, 0);
    assert_int_equal(run_printed(w.context, "scd0", &a, &b).printed_missed, 0);
    carom_mesh_destroy(plate), carom_mesh_destroy(needle);
    world_close(&w);
    gpu_wrap_check();
}

/* What figure 3-8 gets wrong: behind the edge's origin, small determinants, edges in the plane, borders. */
static void test_printed_triangle(void **state)
{
    (void)state;
    static const double flat[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const double small[9] = {0, 0, 0, 4e-4, 0, 0, 0, 4e-4, 0};
    static const double upright[9] = {0.2, 0.2, 0.25, 0.3, 0.2, 1.25, 0.2, 0.3, 1.25};
    static const double crossing[9] = {1e-4, 1e-4, -1e-4, 1e-4, 1.1e-4, 1e-4, 1e-4, 0.9e-4, 1e-4};
    static const double within[9] = {0.2, 0.2, 0, 0.3, 0.2, 0, 0.2, 0.3, 0};
    static const double level[9] = {0, 1, 0, 0, 0, 0, 1, 0, 0}, side[9] = {0.5, -1, 0, 0.5, 0, -1, 0.5, 0, 1};
    gpu_test_needs_driver();
    world w = world_open();
    const struct
    {
        const double *a, *b;
        bool missed, wrong;
    } cases[] = {{flat, upright, false, true}, /* its edges point away from the plane, and count all the same */
                 {small, crossing, true, false},
                 {flat, within, true, false},
                 {level, side, true, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    {
        carom_mesh *one = make_triangle(&w, cases[i].a), *other = make_triangle(&w, cases[i].b);
        carom_placed a = world_place(one, 0, 0, 0), b = world_place(other, 0, 0, 0);
        compare_all(w.context, &a, &b, cases[i].missed);
        carom_engine_stats stats = run_printed(w.context, "scd0", &a, &b);
        assert_int_equal(stats.printed_missed, cases[i].missed);
        assert_int_equal(stats.printed_wrong, cases[i].wrong);
        carom_mesh_destroy(one), carom_mesh_destroy(other);
    }
    world_close(&w);
    gpu_wrap_check();
}

/* ---- bodies that deform ---- */

static carom_mesh *bend(const world *w, const carom_mesh *mesh, double amount)
{
    carom_mesh_info info = carom_mesh_get_info(mesh);
    double *vertices = malloc(3 * (size_t)info.vertex_count * sizeof *vertices);
    assert_non_null(vertices);
    for (uint32_t i = 0; i < info.vertex_count; i++)
    {
        carom_vec3 v = carom_mesh_vertices(mesh)[i];
        vertices[3 * i] = v.x, vertices[3 * i + 1] = v.y;
        vertices[3 * i + 2] = v.z + amount * v.x * v.x;
    }
    carom_mesh_def def = carom_mesh_def_default();
    carom_mesh *out;
    def.vertices_f64 = vertices, def.vertex_count = info.vertex_count;
    assert_int_equal(carom_mesh_deform(mesh, &def, &out), CAROM_OK);
    free(vertices);
    (void)w;
    return out;
}

static void test_deforming(void **state)
{
    (void)state;
    gpu_test_needs_driver();
    world w = world_open();
    carom_mesh *ring = world_shape(&w, GENERATE_TORUS, 400), *cloth = world_shape(&w, GENERATE_CLOTH, 300);
    for (int m = 0; m < METHODS; m++)
    {
        carom_placed a = world_place(ring, 0, 0, 0), b = world_place(cloth, 0.1, 0.05, 0.6);
        duel d = duel_open(w.context, &a, &b);
        carom_engine_def def = {.engine = NAMES[m], .broad_phase = "all", .image_always = true};
        carom_engine *engine = crowd_engine(&d.c, &def);
        uint64_t meeting = 0;
        for (int step = 0; step < 12; step++)
        {
            carom_mesh *bent = bend(&w, cloth, -0.5 * step);
            carom_shape shape = carom_shape_mesh(step % 5 == 4 ? ring : bent); /* or something else */
            shape = step % 7 == 5 ? carom_shape_sphere(0.2) : shape;
            assert_int_equal(carom_scene_reshape(d.c.scene, d.ids[1], &shape), CAROM_OK);
            meeting += duel_compare(&d, engine) > 0;
            carom_mesh_destroy(bent);
        }
        printf("%s: meets in %u of 12 steps\n", NAMES[m], (unsigned)meeting);
        assert_true(meeting > 2 && meeting < 12);
        carom_engine_destroy(engine);
        duel_close(&d);
    }
    carom_mesh_destroy(ring), carom_mesh_destroy(cloth);
    world_close(&w);
    gpu_wrap_check();
}

/* ---- a crowd ---- */

static void ask_engine(const crowd *c, const carom_engine_def *def, int runs)
{
    carom_engine *engine = crowd_engine(c, def);
    for (int i = 0; i < runs; i++)
        crowd_ask(c, engine);
    carom_engine_stats stats = carom_engine_get_stats(engine);
    assert_true(def->image_always ? stats.passes > 0 && stats.passes_computed == 0 : stats.passes_computed > 0);
    carom_engine_destroy(engine);
}

/* One texture and several; test_hundred_runs has textures of a single edge. */
static void test_limits(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {0, 64, 5};
    gpu_test_needs_driver();
    crowd c = crowd_open(1, 0.0);
    for (int m = 0; m < METHODS; m++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        {
            if (sizes[i] == 5 && m != 2)
                continue; /* takes long */
            wrap.limits = (carom_gpu_limits){.texture_size = sizes[i]};
            ask_engine(&c, &(carom_engine_def){.engine = NAMES[m], .image_always = true}, 1);
        }
    crowd_close(&c);
    gpu_wrap_check();
}

static void test_workers(void **state)
{
    (void)state;
    gpu_test_needs_driver();
    for (uint32_t workers = 1; workers <= 3; workers++)
    {
        crowd c = crowd_open(workers, workers == 2 ? 1e9 : 0.0);
        for (int m = 0; m < METHODS; m++)
        {
            ask_engine(&c, &(carom_engine_def){.engine = NAMES[m]}, 5);
            if (m > 0)
                ask_engine(&c, &(carom_engine_def){.engine = NAMES[m], .image_always = true}, 1);
        }
        crowd_close(&c);
    }
    gpu_wrap_check();
}

/* The same hash in a hundred runs of each method, for each limit, drawn and computed. A texture per edge takes long:
 * one run of scd2. */
static void test_hundred_runs(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {0, 64, 5, 1};
    static const carom_collide_mode modes[] = {CAROM_COLLIDE_ALL, CAROM_COLLIDE_ANY};
    gpu_test_needs_driver();
    world w = world_open();
    carom_mesh *ring = world_shape(&w, GENERATE_TORUS, 40), *blob = world_shape(&w, GENERATE_BLOB, 40);
    carom_placed a = world_place(ring, 0, 0, 0), b = world_place(blob, 0.3, 0.05, 0.1);
    duel d = duel_open(w.context, &a, &b);
    carom_scene_report truths[2];
    for (int k = 0; k < 2; k++)
        assert_int_equal(crowd_run(&d.c, d.brute, modes[k], &truths[k]), CAROM_OK);
    assert_true(truths[0].pair_count > 10);
    for (int m = 0; m < METHODS; m++)
        for (size_t i = 0; i < 5; i++)
        {
            bool computed = i == 4;
            wrap.limits = (carom_gpu_limits){.texture_size = computed ? 0 : sizes[i]};
            carom_engine_def def = {.engine = NAMES[m], .image_always = true, .on_processor = computed};
            carom_engine *engine = crowd_engine(&d.c, &def);
            for (int run = 0; run < (i < 3 || computed ? 100 : m == 2); run++)
                for (int k = 0; k < 2; k++)
                {
                    carom_scene_report report;
                    assert_int_equal(crowd_run(&d.c, engine, modes[k], &report), CAROM_OK);
                    assert_true(report.hash == truths[k].hash);
                }
            carom_engine_destroy(engine);
        }
    duel_close(&d);
    carom_mesh_destroy(ring), carom_mesh_destroy(blob);
    world_close(&w);
    gpu_wrap_check();
}

/* Edges of three and more triangles, some of them the same triangle twice. */
static void test_nonmanifold(void **state)
{
    (void)state;
    gpu_test_needs_driver();
    static const double fan[] = {0, 0, -1, 0, 0, 1, 1, 0, 0, 0.5, 1, 0, -1, 0.25, 0, -0.5, -1, 0, 0.125, -1, 0};
    static const uint32_t pages[] = {0, 1, 2, 0, 1, 3, 1, 0, 4, 0, 1, 5, 0, 1, 6, 0, 1, 6, 6, 1, 0};
    world w = world_open();
    carom_mesh *book = world_mesh(&w, fan, 7, pages, 7), *blob = world_shape(&w, GENERATE_BLOB, 100);
    assert_int_equal(carom_mesh_get_info(book).nonmanifold_edge_count > 0, 1);
    for (int k = 0; k < 3; k++)
    {
        carom_placed a = world_place(book, 0, 0, 0), b = world_place(k < 2 ? book : blob, 0.125 * k, 0.0, 0.25 * k);
        duel d = duel_open(w.context, &a, &b);
        for (int m = 0; m < METHODS + 1; m++)
        {
            carom_engine_def def = {.engine = m < METHODS ? NAMES[m] : "stream", .image_always = true};
            carom_engine *engine = crowd_engine(&d.c, &def);
            assert_true(duel_compare(&d, engine) > 0);
            carom_engine_destroy(engine);
        }
        duel_close(&d);
    }
    carom_mesh_destroy(book), carom_mesh_destroy(blob);
    world_close(&w);
    gpu_wrap_check();
}

/* Nothing is drawn, and nothing is needed for that. */
static void test_on_processor(void **state)
{
    (void)state;
    wrap.refuse = true;
    crowd c = crowd_open(1, 0.0);
    for (int m = 0; m < METHODS; m++)
    {
        carom_engine *engine = crowd_engine(&c, &(carom_engine_def){.engine = NAMES[m], .on_processor = true});
        crowd_ask(&c, engine);
        carom_engine_stats stats = carom_engine_get_stats(engine);
        assert_true(stats.passes == 0 && stats.passes_computed > 0);
        carom_engine_destroy(engine);
    }
    crowd_close(&c);
    gpu_wrap_check();
}

static void test_refusals(void **state)
{
    (void)state;
    world w = world_open();
    carom_engine *engine;
    gpu_test_fails(
        w.context, CAROM_INVALID_ARGUMENT, "as_printed",
        carom_engine_create(w.context, &(carom_engine_def){.engine = "scd-triangles", .as_printed = true}, &engine));
    world_close(&w);
}

/* Whatever a budget cuts short is found when the run is continued; and a clearance. */
static void test_budget_and_clearance(void **state)
{
    (void)state;
    gpu_test_needs_driver();
    crowd c = crowd_open(1, 0.0);
    carom_engine *brute = crowd_engine(&c, &(carom_engine_def){.engine = "brute", .broad_phase = "brute"});
    carom_frame frame;
    assert_int_equal(carom_scene_frame(c.scene, &frame), CAROM_OK);
    for (int m = 0; m < METHODS; m++)
    {
        carom_engine *engine = crowd_engine(&c, &(carom_engine_def){.engine = NAMES[m]});
        carom_collide_options options = carom_collide_options_default();
        carom_scene_report truth, report;
        options.clearance = 0.05, options.contacts = options.relation = true;
        assert_int_equal(carom_engine_run(brute, &frame, &options, &truth), CAROM_OK);
        assert_int_equal(carom_engine_run(engine, &frame, &options, &report), CAROM_OK);
        assert_true(report.hash == truth.hash);
        options.budget.work = 500;
        carom_status status = carom_engine_run(engine, &frame, &options, &report);
        assert_int_equal(status, CAROM_UNKNOWN);
        for (int i = 0; i < 10000 && status == CAROM_UNKNOWN; i++)
            status = carom_engine_resume(engine, &frame, &(carom_budget){.work = 20000}, &report);
        assert_int_equal(status, CAROM_OK);
        assert_true(report.hash == truth.hash);
        carom_engine_destroy(engine);
    }
    carom_engine_destroy(brute);
    crowd_close(&c);
    gpu_wrap_check();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_needle, begin),       cmocka_unit_test_setup(test_printed_triangle, begin),
        cmocka_unit_test_setup(test_deforming, begin),    cmocka_unit_test_setup(test_limits, begin),
        cmocka_unit_test_setup(test_workers, begin),      cmocka_unit_test_setup(test_budget_and_clearance, begin),
        cmocka_unit_test_setup(test_hundred_runs, begin), cmocka_unit_test_setup(test_nonmanifold, begin),
        cmocka_unit_test_setup(test_on_processor, begin), cmocka_unit_test_setup(test_refusals, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
