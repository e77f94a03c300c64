/* The surveyed image methods where things are odd: no driver, poor drivers, bodies that are far away, flat, open, tiny
 * or empty, no memory, several workers. What an engine says is exact, or it has missed something and says how large. */
#include "survey.h"

#include "support/failing.h"
#include "support/gpu_test.h"

static const char *const ENGINES[] = {"rossignac", "shinya", "myszkowski", "lombardo"};

enum
{
    ENGINE_COUNT = sizeof ENGINES / sizeof ENGINES[0]
};

/* ---- no engine ---- */

static void refuse(const world *w, const carom_engine_def *def, carom_status status, const char *culprit)
{
    carom_engine *engine;
    assert_int_equal(carom_engine_create(w->context, def, &engine), status);
    assert_null(engine);
    world_check_message(w, culprit);
}

static void test_refused(void **state)
{
    (void)state;
    world w = world_open();
    for (int e = 0; e < ENGINE_COUNT; e++)
    {
        refuse(&w, &(carom_engine_def){.engine = ENGINES[e], .image_side = 1000000}, CAROM_INVALID_ARGUMENT,
               "image_side");
        refuse(&w, &(carom_engine_def){.engine = ENGINES[e], .image_accuracy = NAN}, CAROM_NOT_FINITE,
               "image_accuracy");
        refuse(&w, &(carom_engine_def){.engine = ENGINES[e], .image_accuracy = -1.0}, CAROM_INVALID_ARGUMENT,
               "image_accuracy");
    }
    setenv("CAROM_GPU", "off", 1);
    for (int e = 0; e < ENGINE_COUNT; e++)
        refuse(&w, &(carom_engine_def){.engine = ENGINES[e]}, CAROM_UNAVAILABLE, "CAROM_GPU");
    unsetenv("CAROM_GPU");
    world_close(&w);
}

/* ---- odd bodies ---- */

typedef struct tally
{
    uint64_t runs, meeting, missed, decided_by_image;
} tally;

static bool boxes_overlap(const carom_placed placed[2])
{
    carom_aabb box[2];
    for (int i = 0; i < 2; i++)
        free(survey_place(placed[i].shape.mesh, &placed[i].pose, &box[i]));
    return box[0].min.x <= box[1].max.x && box[1].min.x <= box[0].max.x && box[0].min.y <= box[1].max.y &&
           box[1].min.y <= box[0].max.y && box[0].min.z <= box[1].max.z && box[1].min.z <= box[0].max.z;
}

static void run_pair(const world *w, carom_engine *const engines[2], const carom_placed placed[2], bool sampled,
                     tally *t)
{
    carom_scene *scene;
    carom_frame frame;
    carom_scene_report truth, report;
    carom_collide_options options = carom_collide_options_default();
    options.relation = false;
    assert_int_equal(carom_scene_create(w->context, &scene), CAROM_OK);
    for (int i = 0; i < 2; i++)
    {
        carom_body_def def = carom_body_def_default();
        carom_body_id id;
        def.placed = placed[i];
        assert_int_equal(carom_scene_add(scene, &def, &id), CAROM_OK);
    }
    assert_int_equal(carom_scene_frame(scene, &frame), CAROM_OK);
    assert_int_equal(carom_engine_run(engines[0], &frame, &options, &truth), CAROM_OK);
    assert_int_equal(carom_engine_run(engines[1], &frame, &options, &report), CAROM_OK);
    t->runs++, t->meeting += truth.pair_count > 0;
    /* the two bodies' own; trees would test some more */
    t->decided_by_image +=
        report.body_pairs_examined == 1 && report.counters.boxes_tested == 1 && boxes_overlap(placed);
    if (report.hash != truth.hash)
    {
        assert_true(sampled);
        assert_int_equal(report.pair_count, 0);
        assert_true(report.counters.sampled_size > 0.0);
        t->missed++;
    }
    carom_scene_destroy(scene);
}

enum
{
    ODD_COUNT = 9
};

static void make_odd(const world *w, carom_mesh *out[ODD_COUNT])
{
    static const double triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const uint32_t both_sides[6] = {0, 1, 2, 0, 2, 1};
    static const double point[9] = {0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2};
    double box[24];
    world_box_vertices((double[3]){0, 0, 0}, (double[3]){1, 1, 1}, box);
    out[0] = world_mesh(w, triangle, 3, NULL, 1);
    out[1] = world_mesh(w, triangle, 3, both_sides, 2); /* closed and flat */
    out[2] = world_mesh(w, NULL, 0, NULL, 0);
    out[3] = world_mesh(w, box, 8, WORLD_BOX_INDICES, 11); /* open */
    out[4] = world_box(w, 0, 0, 0, 1, 1, 1);
    out[5] = world_box(w, 0, 0, 0, 1, 1, 1e-12);
    out[6] = world_box(w, -1e9, -1e9, 0.4, 1e9, 1e9, 0.6);
    out[7] = world_mesh(w, point, 3, NULL, 1);
    out[8] = world_shape(w, GENERATE_TERRAIN, 200);
}

static void run_odd(const world *w, carom_mesh *const meshes[ODD_COUNT], const carom_engine_def *def, tally *t)
{
    static const double far[] = {0.0, 1e9, 1e-9, -3e15, 1e25};
    carom_engine *engines[2];
    bool sampled = strcmp(def->engine, "lombardo") != 0;
    check_random random = {9};
    assert_int_equal(carom_engine_create(w->context, &(carom_engine_def){.engine = "brute"}, &engines[0]), CAROM_OK);
    assert_int_equal(carom_engine_create(w->context, def, &engines[1]), CAROM_OK);
    for (int i = 0; i < ODD_COUNT * ODD_COUNT; i++)
        for (size_t k = 0; k < sizeof far / sizeof far[0]; k++)
        {
            carom_placed placed[2] = {{carom_shape_mesh(meshes[i % ODD_COUNT]), carom_pose_identity()},
                                      {carom_shape_mesh(meshes[i / ODD_COUNT]), carom_pose_identity()}};
            if (check_next(&random) % 2) /* else seen edge on */
                placed[1].pose = world_random_pose(&random, 0.3);
            placed[0].pose.translation.x += far[k], placed[1].pose.translation.x += far[k];
            run_pair(w, engines, placed, sampled, t);
        }
    carom_engine_destroy(engines[0]);
    carom_engine_destroy(engines[1]);
}

static void test_odd_bodies(void **state)
{
    (void)state;
    gpu_test_needs_driver();
    world w = world_open();
    carom_mesh *meshes[ODD_COUNT];
    make_odd(&w, meshes);
    for (int e = 0; e < ENGINE_COUNT; e++)
    {
        static const uint32_t sides[] = {1, 0, 1024};
        static const double accuracies[] = {0.0, 1e-300, 1e300};
        tally t = {0};
        /* 1,024 for all pixels and sections of Rossignac's method takes too long */
        for (int i = 0; i < (e == 0 ? 2 : 3); i++)
            run_odd(&w, meshes,
                    &(carom_engine_def){.engine = ENGINES[e],
                                        .broad_phase = "all",
                                        .image_side = i == 1 ? 16 : sides[i],
                                        .image_accuracy = accuracies[i]},
                    &t);
        printf("%s: %llu runs, %llu meet, %llu missed, %llu rejected by the image\n", ENGINES[e],
               (unsigned long long)t.runs, (unsigned long long)t.meeting, (unsigned long long)t.missed,
               (unsigned long long)t.decided_by_image);
        assert_true(t.meeting > t.runs / 5 && t.decided_by_image > 0);
    }
    for (int i = 0; i < ODD_COUNT; i++)
        carom_mesh_destroy(meshes[i]);
    world_close(&w);
}

/* ---- lombardo is conservative: bodies that just touch, or just do not ---- */

static bool meet(const world *w, const carom_placed placed[2])
{
    carom_collide_options options = carom_collide_options_default();
    carom_report report;
    options.mode = CAROM_COLLIDE_ANY;
    assert_int_equal(carom_collide(w->query, &placed[0], &placed[1], &options, &report), CAROM_OK);
    return report.pair_count > 0;
}

static void test_contact(void **state)
{
    (void)state;
    gpu_test_needs_driver();
    world w = world_open();
    carom_mesh *meshes[SURVEY_MESHES];
    carom_engine *engines[2];
    tally t = {0};
    check_random random = {31};
    survey_make(&w, meshes);
    assert_int_equal(carom_engine_create(w.context, &(carom_engine_def){.engine = "brute"}, &engines[0]), CAROM_OK);
    assert_int_equal(
        carom_engine_create(w.context, &(carom_engine_def){.engine = "lombardo", .broad_phase = "all"}, &engines[1]),
        CAROM_OK);
    for (int i = 0; i < 300; i++)
    {
        carom_placed placed[2];
        for (int body = 0; body < 2; body++)
            placed[body] = (carom_placed){carom_shape_mesh(meshes[check_next(&random) % SURVEY_MESHES]),
                                          world_random_pose(&random, 0.1)};
        if (i % 2) /* boxes may be in line */
            placed[0].pose = placed[1].pose = carom_pose_identity();
        carom_vec3 way = check_random_point(&random, -1.0, 1.0), from = placed[1].pose.translation;
        double low = 0.0, high = 8.0;
        for (int step = 0; step < 60; step++)
        {
            double middle = 0.5 * (low + high);
            placed[1].pose.translation = vec3_add(from, vec3_scale(way, middle));
            *(meet(&w, placed) ? &low : &high) = middle;
        }
        const double at[5] = {low, high, high + 1e-9, high + 0.3, low - 1e-9};
        for (int k = 0; k < 5; k++)
        {
            placed[1].pose.translation = vec3_add(from, vec3_scale(way, at[k]));
            run_pair(&w, engines, placed, false, &t);
        }
    }
    printf("lombardo: %llu pairs around contact, %llu meet, %llu rejected by the image\n", (unsigned long long)t.runs,
           (unsigned long long)t.meeting, (unsigned long long)t.decided_by_image);
    assert_true(t.meeting > t.runs / 4 && t.decided_by_image > t.runs / 20);
    carom_engine_destroy(engines[0]);
    carom_engine_destroy(engines[1]);
    survey_free(meshes);
    world_close(&w);
}

/* ---- poor drivers ---- */

static void ask_filter(const world *w, const image_filter *filter, const carom_gpu_limits *limits,
                       carom_mesh *const meshes[SURVEY_MESHES])
{
    gpu_device_def def = gpu_device_def_default();
    def.limits = *limits, def.debug = true;
    gpu_device *device = survey_open_device(w->context, &def);
    void *pass;
    assert_int_equal(gpu_begin(device), CAROM_OK);
    assert_int_equal(image_filter_create(filter, device, &pass), CAROM_OK);
    for (int i = 0; i < 3; i++)
    {
        carom_pose poses[2] = {carom_pose_identity(), carom_pose_translation(0.1, 0.9 * i, 0.1)};
        carom_aabb box[2];
        image_question question = {.side = 4096, .accuracy = i == 2 ? 1e-3 : 1e-2};
        image_verdict verdict;
        gpu_check_result result = {0};
        for (int body = 0; body < 2; body++)
        {
            const carom_mesh *mesh = meshes[body ? 0 : 4];
            question.pose[body] = &poses[body];
            question.placed[body] = (image_placed){mesh, survey_place(mesh, &poses[body], &box[body])};
            question.asset[body] = &poses; /* not null: convex */
        }
        if (filter == &image_lombardo)
            question.asset[0] = question.asset[1] = NULL;
        question.region = (carom_aabb){vec3_max(box[0].min, box[1].min), vec3_min(box[0].max, box[1].max)};
        assert_int_equal(filter->may_meet(pass, &question, &verdict), CAROM_OK);
        assert_int_equal(filter->compare(pass, &result), CAROM_OK);
        assert_int_equal(result.wrong, 0);
        if (i == 0)
            assert_true(verdict.may_meet);
        free((void *)question.placed[0].points), free((void *)question.placed[1].points);
    }
    image_filter_forget(filter, w->context, pass);
    assert_int_equal(gpu_end(device), CAROM_OK);
    assert_int_equal(gpu_debug_errors(device, NULL), 0);
    gpu_close(device);
}

static void test_limits(void **state)
{
    (void)state;
    static const carom_gpu_limits limits[] = {{.texture_size = 1024, .renderbuffer_size = 1024},
                                              {.texture_size = 64, .viewport_width = 64, .viewport_height = 64},
                                              {.texture_buffer = 1000},
                                              {.storage_block = 100000}};
    gpu_test_needs_driver();
    world w = world_open();
    carom_mesh *meshes[SURVEY_MESHES];
    survey_make(&w, meshes);
    for (uint32_t i = 0; image_filter_at(i); i++)
        for (size_t k = 0; k < sizeof limits / sizeof limits[0]; k++)
            if (image_filter_at(i) != &image_rossignac || limits[k].texture_size == 64) /* sections take long */
                ask_filter(&w, image_filter_at(i), &limits[k], meshes);
    survey_free(meshes);
    world_close(&w);
}

/* ---- no memory ---- */

static carom_status run_once(carom_context *context, const char *name)
{
    generate_def torus = generate_def_default(GENERATE_TORUS), box = generate_def_default(GENERATE_BOX);
    carom_mesh *meshes[2] = {NULL, NULL};
    carom_scene *scene = NULL;
    carom_engine *engine = NULL;
    carom_frame frame;
    carom_scene_report report;
    torus.triangles = 60, box.triangles = 12;
    bool convex = strcmp(name, "myszkowski") == 0;
    carom_status status = generate_mesh(context, convex ? &box : &torus, &meshes[0]);
    if (!carom_failed(status))
        status = generate_mesh(context, &box, &meshes[1]);
    if (!carom_failed(status))
        status = carom_scene_create(context, &scene);
    for (int i = 0; i < 2 && !carom_failed(status); i++)
    {
        carom_body_def def = carom_body_def_default();
        carom_body_id id;
        def.placed.shape = carom_shape_mesh(meshes[i]);
        def.placed.pose.translation.x = 0.3 * i;
        status = carom_scene_add(scene, &def, &id);
    }
    if (!carom_failed(status))
        status = carom_engine_create(context, &(carom_engine_def){.engine = name, .image_side = 8}, &engine);
    if (!carom_failed(status))
        status = carom_scene_frame(scene, &frame);
    for (int i = 0; i < 2 && !carom_failed(status); i++)
        status = carom_engine_run(engine, &frame, NULL, &report);
    carom_engine_destroy(engine);
    carom_scene_destroy(scene);
    carom_mesh_destroy(meshes[0]), carom_mesh_destroy(meshes[1]);
    return status;
}

static void test_no_memory(void **state)
{
    (void)state;
    gpu_test_needs_driver();
    for (int e = 0; e < ENGINE_COUNT; e++)
    {
        uint64_t failures = 0;
        for (uint64_t k = 1;; k++)
        {
            failing f = {0};
            carom_context *context;
            assert_int_equal(failing_context(&f, &context), CAROM_OK);
            failing_arm(&f, k);
            carom_status status = run_once(context, ENGINES[e]);
            bool failed = f.failed;
            failures += status == CAROM_OUT_OF_MEMORY;
            /* some allocations only save time */
            assert_true(status == CAROM_OK || (failed && status == CAROM_OUT_OF_MEMORY));
            carom_context_destroy(context);
            assert_int_equal(f.blocks_out, 0);
            if (!failed)
                break;
        }
        printf("%s: %llu allocations fail cleanly\n", ENGINES[e], (unsigned long long)failures);
        assert_true(failures > 20);
    }
}

/* ---- several workers ---- */

static uint64_t run_crowd(uint32_t workers, const char *name, int runs, double *size)
{
    carom_context_def def = carom_context_def_default();
    carom_context *context;
    uint64_t hash = 0;
    check_random random = {77};
    def.workers = workers;
    assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
    world w = {context, NULL};
    carom_mesh *meshes[SURVEY_MESHES];
    carom_scene *scene;
    carom_engine *engine;
    carom_frame frame;
    carom_scene_report report;
    survey_make(&w, meshes);
    assert_int_equal(carom_scene_create(context, &scene), CAROM_OK);
    for (int i = 0; i < 24; i++)
    {
        carom_body_def body = carom_body_def_default();
        carom_body_id id;
        body.placed.shape = carom_shape_mesh(meshes[i % SURVEY_MESHES]);
        body.placed.pose = world_random_pose(&random, 1.2);
        assert_int_equal(carom_scene_add(scene, &body, &id), CAROM_OK);
    }
    assert_int_equal(carom_engine_create(context, &(carom_engine_def){.engine = name, .image_side = 12}, &engine),
                     CAROM_OK);
    assert_int_equal(carom_scene_frame(scene, &frame), CAROM_OK);
    for (int i = 0; i < runs; i++)
    {
        assert_int_equal(carom_engine_run(engine, &frame, NULL, &report), CAROM_OK);
        assert_true(hash == 0 || report.hash == hash);
        hash = report.hash, *size = report.counters.sampled_size;
    }
    carom_engine_destroy(engine);
    carom_scene_destroy(scene);
    survey_free(meshes);
    carom_context_destroy(context);
    return hash;
}

static void test_workers(void **state)
{
    (void)state;
    gpu_test_needs_driver();
    for (int e = 0; e < ENGINE_COUNT; e++)
    {
        double sizes[2];
        uint64_t one = run_crowd(1, ENGINES[e], 3, &sizes[0]), two = run_crowd(2, ENGINES[e], 20, &sizes[1]);
        assert_true(one == two);
        assert_true(sizes[0] == sizes[1] && (sizes[0] > 0.0) == (strcmp(ENGINES[e], "lombardo") != 0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused), cmocka_unit_test(test_odd_bodies), cmocka_unit_test(test_contact),
        cmocka_unit_test(test_limits),  cmocka_unit_test(test_no_memory),  cmocka_unit_test(test_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
