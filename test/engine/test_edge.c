/* The four methods of the thesis's chapter 4 against brute force: soups, degenerate and coplanar triangles, bodies far
 * away and one inside the other, in every mode, for every instruction set, number of workers and batch size. */
#include "query/world.h"
#include "support/failing.h"
#include "support/soup.h"

#include <pthread.h>

enum
{
    METHODS = 4,
    MAX_BODIES = 6,
    MAX_CORNERS = 3 * 400,
    QUESTIONS = 6
};

static const char *const NAMES[METHODS] = {"sstcd", "spcd", "escd", "epcd"};

/* ---- bodies that can be made in any context ---- */

typedef struct source
{
    carom_vec3 corners[MAX_CORNERS]; /* of a mesh */
    uint32_t triangle_count;
    carom_shape primitive; /* where there are no triangles */
    carom_pose pose;
} source;

typedef struct sources
{
    source items[MAX_BODIES];
    uint32_t count;
} sources;

static source *add_body(sources *list, carom_pose pose)
{
    source *body = &list->items[list->count++];
    body->triangle_count = 0, body->pose = pose;
    return body;
}

static void add_triangle(source *body, carom_vec3 a, carom_vec3 b, carom_vec3 c)
{
    carom_vec3 *corner = body->corners + 3 * (size_t)body->triangle_count++;
    corner[0] = a, corner[1] = b, corner[2] = c;
}

static carom_vec3 vec(double x, double y, double z) { return (carom_vec3){x, y, z}; }

static void add_box(source *body, const double min[3], const double max[3])
{
    double v[24];
    world_box_vertices(min, max, v);
    for (int i = 0; i < 36; i += 3)
    {
        carom_vec3 corner[3];
        for (int k = 0; k < 3; k++)
        {
            const double *at = v + 3 * (size_t)WORLD_BOX_INDICES[i + k];
            corner[k] = vec(at[0], at[1], at[2]);
        }
        add_triangle(body, corner[0], corner[1], corner[2]);
    }
}

/* A sheet of 2 side^2 triangles in the plane z, on a grid that makes all numbers exact. */
static void add_sheet(source *body, int side, double z)
{
    for (int i = 0; i < side; i++)
        for (int j = 0; j < side; j++)
        {
            add_triangle(body, vec(i, j, z), vec(i + 1, j, z), vec(i + 1, j + 1, z));
            add_triangle(body, vec(i, j, z), vec(i + 1, j + 1, z), vec(i, j + 1, z));
        }
}

static void add_soup(source *body, check_random *random, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
    {
        double size = i % 7 == 0 ? 1.5 : 0.3;
        carom_vec3 corner[3];
        carom_vec3 at = check_random_point(random, -1, 1);
        for (int k = 0; k < 3; k++)
        {
            carom_vec3 step = check_random_point(random, -size, size);
            corner[k] = vec(at.x + step.x, at.y + step.y, at.z + step.z);
            if (i % 3 == 0) /* on a coarse grid: touching, coplanar and degenerate ones */
                corner[k] = vec(floor(2 * corner[k].x) / 2, floor(2 * corner[k].y) / 2, floor(2 * corner[k].z) / 2);
        }
        if (i % 11 == 5)
            corner[2] = corner[1]; /* a segment, with a side of zero length */
        if (i % 13 == 6)
            corner[1] = corner[2] = corner[0]; /* a point */
        add_triangle(body, corner[0], corner[1], corner[2]);
    }
}

/* ---- a scene in a context ---- */

typedef struct setting
{
    carom_context *context;
    carom_scene *scene;
    carom_mesh *meshes[MAX_BODIES];
    carom_frame frame;
} setting;

static setting open_setting(const carom_context_def *def, const sources *list)
{
    setting s = {0};
    assert_int_equal(carom_context_create(def, &s.context), CAROM_OK);
    assert_int_equal(carom_scene_create(s.context, &s.scene), CAROM_OK);
    for (uint32_t i = 0; i < list->count; i++)
    {
        const source *body = &list->items[i];
        carom_body_def body_def = carom_body_def_default();
        if (body->triangle_count > 0)
            s.meshes[i] = soup_mesh(s.context, body->corners, body->triangle_count);
        body_def.placed = (carom_placed){s.meshes[i] ? carom_shape_mesh(s.meshes[i]) : body->primitive, body->pose};
        carom_body_id id;
        assert_int_equal(carom_scene_add(s.scene, &body_def, &id), CAROM_OK);
    }
    assert_int_equal(carom_scene_frame(s.scene, &s.frame), CAROM_OK);
    return s;
}

static void close_setting(setting *s)
{
    carom_scene_destroy(s->scene);
    for (int i = 0; i < MAX_BODIES; i++)
        carom_mesh_destroy(s->meshes[i]);
    carom_context_destroy(s->context);
}

static carom_engine *open_engine(const setting *s, const char *name, uint32_t tasks_at_once)
{
    carom_engine_def def = carom_engine_def_default();
    def.engine = name, def.broad_phase = "all", def.tasks_at_once = tasks_at_once;
    carom_engine *engine;
    assert_int_equal(carom_engine_create(s->context, &def, &engine), CAROM_OK);
    return engine;
}

static carom_collide_options make_question(int question)
{
    carom_collide_options options = carom_collide_options_default();
    switch (question)
    {
    case 0: options.mode = CAROM_COLLIDE_ANY; break;
    case 1: options.mode = CAROM_COLLIDE_ANY, options.relation = true; break;
    case 2: options.mode = CAROM_COLLIDE_COUNT; break;
    case 3: options.relation = options.contacts = true, options.clearance = 0.05; break;
    case 4: options.max_pairs = 3, options.relation = true; break;
    default: options.mode = CAROM_COLLIDE_COUNT, options.clearance = 0.5, options.relation = true; break;
    }
    return options;
}

/* The answers of an engine to all questions. */
static void ask(const setting *s, const char *name, uint32_t tasks_at_once, uint64_t hashes[QUESTIONS])
{
    carom_engine *engine = open_engine(s, name, tasks_at_once);
    for (int i = 0; i < QUESTIONS; i++)
    {
        carom_collide_options options = make_question(i);
        carom_scene_report report;
        assert_false(carom_failed(carom_engine_run(engine, &s->frame, &options, &report)));
        hashes[i] = report.hash;
    }
    carom_engine_destroy(engine);
}

static void compare(const uint64_t *truth, const uint64_t *answer, const char *what, const char *name)
{
    for (int i = 0; i < QUESTIONS; i++)
        if (truth[i] != answer[i])
            fail_msg("%s: %s differs from brute force in question %d", what, name, i);
}

/* Every method, batch size and instruction set against brute force. */
static void check_bodies(const sources *list, const char *what)
{
    uint64_t truth[QUESTIONS], answer[QUESTIONS];
    for (int simd = CAROM_SIMD_AUTO; simd <= CAROM_SIMD_SSE2; simd++)
    {
        carom_context_def def = carom_context_def_default();
        def.simd = (carom_simd)simd;
        setting s = open_setting(&def, list);
        ask(&s, "brute", 0, truth);
        for (int k = 0; k < METHODS; k++)
            ask(&s, NAMES[k], simd == CAROM_SIMD_AUTO ? 0 : (uint32_t)simd, answer),
                compare(truth, answer, what, NAMES[k]);
        close_setting(&s);
    }
}

/* How many pairs of triangles brute force finds, so that a test knows that it is about something. */
static uint64_t count_pairs(const sources *list)
{
    setting s = open_setting(NULL, list);
    carom_engine *brute = open_engine(&s, "brute", 0);
    carom_scene_report report;
    assert_int_equal(carom_engine_run(brute, &s.frame, NULL, &report), CAROM_OK);
    uint64_t count = report.pair_count;
    carom_engine_destroy(brute);
    close_setting(&s);
    return count;
}

/* ---- hard cases ---- */

static sources *new_sources(void)
{
    sources *list = calloc(1, sizeof *list);
    assert_non_null(list);
    return list;
}

/* No edge of the large face's body comes near the needle: only the swapped pass finds it. */
static void needle_through_a_large_face(void **state)
{
    (void)state;
    sources *list = new_sources();
    source *face = add_body(list, carom_pose_identity());
    add_triangle(face, vec(-1000, -1000, 0), vec(1000, -1000, 0), vec(0, 1500, 0));
    source *needle = add_body(list, carom_pose_translation(0.3, 0.2, 0));
    add_triangle(needle, vec(0, 0, -1), vec(0.001, 0, 1), vec(0, 0.001, 1));
    assert_int_equal(count_pairs(list), 1);
    check_bodies(list, "needle, second");
    source swapped = list->items[0];
    list->items[0] = list->items[1], list->items[1] = swapped;
    check_bodies(list, "needle, first");
    free(list);
}

static void coplanar_and_touching(void **state)
{
    (void)state;
    static const double SHIFT[][3] = {{0, 0, 0}, {0.5, 0.25, 0}, {4, 0, 0},   {8, 0, 0},
                                      {8, 8, 0}, {8.5, 0, 0},    {0, 0, 1e-9}};
    for (size_t i = 0; i < sizeof SHIFT / sizeof *SHIFT; i++)
    {
        sources *list = new_sources();
        add_sheet(add_body(list, carom_pose_identity()), 8, 0);
        add_sheet(add_body(list, carom_pose_translation(SHIFT[i][0], SHIFT[i][1], SHIFT[i][2])), 8, 0);
        assert_true((count_pairs(list) > 0) == (i < 5));
        check_bodies(list, "sheets in one plane");
        source *box = add_body(list, carom_pose_identity()); /* stands on the sheets */
        add_box(box, (double[3]){1, 1, 0}, (double[3]){3, 2, 1});
        source *beside = add_body(list, carom_pose_translation(3, 1, 0)); /* shares a face with it */
        add_box(beside, (double[3]){0, 0, 0}, (double[3]){2, 1, 1});
        check_bodies(list, "boxes on sheets");
        free(list);
    }
}

static void one_inside_the_other(void **state)
{
    (void)state;
    sources *list = new_sources();
    add_box(add_body(list, carom_pose_identity()), (double[3]){-2, -2, -2}, (double[3]){2, 2, 2});
    add_box(add_body(list, carom_pose_identity()), (double[3]){-1, -1, -1}, (double[3]){1, 1, 1});
    add_box(add_body(list, carom_pose_translation(1.5, 0, 0)), (double[3]){-.5, -.5, -.5}, (double[3]){.5, .5, .5});
    assert_true(count_pairs(list) > 0);
    check_bodies(list, "nested boxes");
    setting s = open_setting(NULL, list);
    for (int k = 0; k < METHODS; k++)
    {
        carom_engine *engine = open_engine(&s, NAMES[k], 0);
        carom_collide_options any = make_question(0);
        carom_scene_report report;
        assert_int_equal(carom_engine_run(engine, &s.frame, &any, &report), CAROM_OK);
        assert_int_equal(report.body_pairs[0].relation, CAROM_RELATION_B_INSIDE_A);
        carom_engine_destroy(engine);
    }
    close_setting(&s);
    free(list);
}

/* A point, a segment and a triangle, each against each, in and out of one plane. */
static void degenerate_triangles(void **state)
{
    (void)state;
    for (int shift = 0; shift < 3; shift++)
    {
        sources *list = new_sources();
        for (int i = 0; i < 6; i++)
        {
            source *body = add_body(list, carom_pose_translation(0, 0, i >= 3 ? shift * 0.25 : 0));
            carom_vec3 a = vec(0, 0, 0), b = vec(1, 0, 0), c = vec(0, 1, 0);
            add_triangle(body, a, i % 3 > 0 ? b : a, i % 3 > 1 ? c : a);
        }
        assert_true(count_pairs(list) > 0);
        check_bodies(list, "degenerate triangles");
        free(list);
    }
}

static void far_away_and_tiny(void **state)
{
    (void)state;
    /* Floats end at 1e-38 to 1e-45, so boxes of the last ones are far larger than what they hold. */
    static const double AT[] = {0.0, 1e9, -3e14, 1e25}, SIZE[] = {1.0, 1e-30, 1e20, 1e-60, 1e-150, 1e-300};
    check_random random = {5};
    for (int i = 0; i < 4; i++)
        for (int k = i == 0 ? 3 : 0; k < (i == 0 ? 6 : 3); k++)
        {
            sources *list = new_sources();
            for (int body = 0; body < 3; body++)
            {
                source *soup = add_body(list, world_random_pose(&random, 0.1 * SIZE[k]));
                add_soup(soup, &random, 40);
                for (uint32_t corner = 0; corner < 3 * soup->triangle_count; corner++)
                {
                    carom_vec3 *v = &soup->corners[corner];
                    *v = vec(SIZE[k] * v->x, SIZE[k] * v->y, SIZE[k] * v->z);
                }
                soup->pose.translation.x += AT[i];
            }
            check_bodies(list, "far away");
            free(list);
        }
}

static void random_soups(void **state)
{
    (void)state;
    check_random random = {77};
    uint64_t pairs = 0;
    for (int round = 0; round < 20; round++)
    {
        sources *list = new_sources();
        for (int i = 0; i < 3; i++)
        {
            carom_pose pose = round % 4 ? world_random_pose(&random, 0.6) : carom_pose_translation(0.5 * i, 0, 0);
            uint32_t count = 30 + (uint32_t)(check_next(&random) % 100);
            add_soup(add_body(list, pose), &random, count);
        }
        source *sphere = add_body(list, world_random_pose(&random, 0.8));
        sphere->primitive = carom_shape_sphere(0.3);
        source *capsule = add_body(list, world_random_pose(&random, 0.8));
        capsule->primitive = carom_shape_capsule(vec(0, 0, -1), vec(0, 0, 1), 0.2);
        pairs += count_pairs(list);
        check_bodies(list, "random soups");
        free(list);
    }
    assert_true(pairs > 20 * 100);
}

/* ---- workers ---- */

static void run_backwards(carom_task_fn *task, uint32_t count, uint32_t min_range, void *task_data, void *user)
{
    (void)user;
    for (uint32_t end = count, worker = 0; end > 0; worker = (worker + 1) % 5)
    {
        uint32_t first = end > min_range ? end - min_range : 0;
        task(first, end, worker, task_data);
        end = first;
    }
}

/* Crumpled sheets through each other. */
static void fill_worker_scene(sources *list)
{
    check_random random = {3};
    for (int i = 0; i < 4; i++)
    {
        source *sheet = add_body(list, world_random_pose(&random, 2.0));
        add_sheet(sheet, 12, 0);
        for (uint32_t k = 0; k < 3 * sheet->triangle_count; k++)
        {
            carom_vec3 *v = &sheet->corners[k];
            int x = (int)v->x, y = (int)v->y;
            *v = vec(v->x - 6, v->y - 6, 0.3 * ((7 * x + 3 * y + x * y) % 5));
        }
    }
}

static void workers_do_not_matter(void **state)
{
    (void)state;
    static const uint32_t WORKERS[] = {0, 1, 2, 3, 4, 8, 32, UINT32_MAX};
    sources *list = new_sources();
    fill_worker_scene(list);
    uint64_t truth[QUESTIONS], answer[QUESTIONS];
    setting alone = open_setting(NULL, list);
    ask(&alone, "brute", 0, truth);
    close_setting(&alone);
    for (size_t i = 0; i < sizeof WORKERS / sizeof *WORKERS; i++)
    {
        carom_context_def def = carom_context_def_default();
        if (WORKERS[i] == UINT32_MAX)
            def.tasks = (carom_task_hooks){run_backwards, 5, NULL};
        else
            def.workers = WORKERS[i];
        setting s = open_setting(&def, list);
        for (int k = 0; k < METHODS; k++)
            for (int round = 0; round < 2; round++)
                ask(&s, NAMES[k], round == 1 ? 3 : 0, answer), compare(truth, answer, "workers", NAMES[k]);
        close_setting(&s);
    }
    free(list);
}

/* The thesis stops at nodes of fewer than 10 triangles: 9 are a leaf, so one task; 10 that planes part are not. */
static void leaves_have_fewer_than_ten(void **state)
{
    (void)state;
    for (int count = 9; count <= 10; count++)
    {
        sources *all = new_sources();
        for (int body = 0; body < 2; body++)
        {
            source *row = add_body(all, carom_pose_identity());
            for (int i = 0; i < count; i++)
                add_triangle(row, vec(i, 0, 0), vec(i + 1, 0, 0), vec(i, 1, body));
        }
        setting s = open_setting(NULL, all);
        carom_engine *engine = open_engine(&s, "sstcd", 0);
        carom_scene_report report;
        assert_int_equal(carom_engine_run(engine, &s.frame, NULL, &report), CAROM_OK);
        assert_int_equal(carom_engine_get_stats(engine).tasks, count < 10 ? 1 : 5);
        assert_true(report.pair_count > 0);
        carom_engine_destroy(engine);
        close_setting(&s);
        free(all);
    }
}

/* A hit cancels what is left, and the counts say how much there was to do. */
static void stats_count_the_work(void **state)
{
    (void)state;
    sources *list = new_sources();
    fill_worker_scene(list);
    carom_context_def def = carom_context_def_default();
    def.workers = 3;
    setting s = open_setting(&def, list);
    for (int k = 0; k < METHODS; k++)
    {
        carom_engine *any = open_engine(&s, NAMES[k], 0), *every = open_engine(&s, NAMES[k], 0);
        carom_collide_options options = make_question(0);
        carom_scene_report report;
        assert_int_equal(carom_engine_run(any, &s.frame, &options, &report), CAROM_OK);
        assert_int_equal(report.body_pair_count, 6);
        assert_int_equal(carom_engine_run(every, &s.frame, NULL, &report), CAROM_OK);
        carom_engine_stats some = carom_engine_get_stats(any), full = carom_engine_get_stats(every);
        assert_true(some.tasks > 0 && some.tasks < full.tasks);
        assert_true(some.edge_tests > 0 && some.edge_tests < full.edge_tests);
        assert_true(full.depth >= 4 && full.depth <= 32);
        bool shared = k == 1 || k == 3;
        assert_true((full.worker_seconds > 0) == shared && full.busy_seconds <= full.worker_seconds);
        assert_int_equal(carom_engine_run(every, &s.frame, NULL, &report), CAROM_OK);
        assert_int_equal(carom_engine_get_stats(every).tasks, 2 * full.tasks);
        carom_engine_destroy(any);
        carom_engine_destroy(every);
    }
    carom_engine *tree = open_engine(&s, "tree", 0);
    assert_int_equal(carom_engine_get_stats(tree).tasks, 0);
    assert_int_equal(carom_engine_get_stats(NULL).tasks, 0);
    carom_engine_destroy(tree);
    close_setting(&s);
    free(list);
}

/* ---- budgets ---- */

static carom_scene_report run_limited(const setting *s, const char *name, uint64_t work, carom_engine **engine)
{
    *engine = open_engine(s, name, 0);
    carom_collide_options options = make_question(3);
    options.budget.work = work;
    carom_scene_report report;
    carom_status status = carom_engine_run(*engine, &s->frame, &options, &report);
    assert_false(carom_failed(status));
    return report;
}

/* A work budget stops at the same point for any number of workers, and the rest can be resumed. */
static void budgets_stop_at_the_same_point_and_resume(void **state)
{
    (void)state;
    sources *list = new_sources();
    fill_worker_scene(list);
    uint64_t truth[QUESTIONS];
    setting alone = open_setting(NULL, list);
    ask(&alone, "brute", 0, truth);
    carom_context_def def = carom_context_def_default();
    def.workers = 4;
    setting shared = open_setting(&def, list);
    int cut = 0, decided = 0;
    for (int k = 0; k < METHODS; k++)
        for (uint64_t work = 1; work < (uint64_t)1 << 26; work *= 3)
        {
            carom_engine *one, *other;
            carom_scene_report first = run_limited(&alone, NAMES[k], work, &one);
            carom_scene_report second = run_limited(&shared, NAMES[k], work, &other);
            assert_int_equal(first.status, second.status);
            assert_int_equal(first.hash, second.hash);
            assert_int_equal(first.pair_count, second.pair_count);
            cut += first.status == CAROM_UNKNOWN, decided += first.status == CAROM_OK;
            for (int step = 0; first.status == CAROM_UNKNOWN; step++)
            {
                carom_budget more = {.work = 1000000};
                carom_status status = carom_engine_resume(one, &alone.frame, step < 200 ? &more : NULL, &first);
                assert_false(carom_failed(status));
            }
            assert_int_equal(first.hash, truth[3]);
            carom_engine_destroy(one);
            carom_engine_destroy(other);
        }
    assert_true(cut > 10 && decided > 2);
    close_setting(&alone);
    close_setting(&shared);
    free(list);
}

static void deadlines_leave_no_wrong_answer(void **state)
{
    (void)state;
    sources *list = new_sources();
    fill_worker_scene(list);
    uint64_t truth[QUESTIONS];
    carom_context_def def = carom_context_def_default();
    def.workers = 3;
    setting s = open_setting(&def, list);
    ask(&s, "brute", 0, truth);
    for (int k = 0; k < METHODS; k++)
    {
        carom_engine *engine = open_engine(&s, NAMES[k], 0);
        carom_collide_options options = make_question(3);
        carom_scene_report report;
        for (options.budget.seconds = 1e-6; options.budget.seconds < 1e-1; options.budget.seconds *= 4)
        {
            carom_status status = carom_engine_run(engine, &s.frame, &options, &report);
            assert_true(status == CAROM_OK || status == CAROM_UNKNOWN);
            if (status == CAROM_UNKNOWN)
                assert_int_equal(carom_engine_resume(engine, &s.frame, NULL, &report), CAROM_OK);
            assert_int_equal(report.hash, truth[3]);
        }
        carom_engine_destroy(engine);
    }
    close_setting(&s);
    free(list);
}

/* ---- memory ---- */

typedef struct locked_memory
{
    failing memory;
    pthread_mutex_t lock;
} locked_memory;

static void *allocate_locked(size_t size, size_t alignment, void *user)
{
    locked_memory *locked = user;
    pthread_mutex_lock(&locked->lock);
    void *memory = failing_allocate(size, alignment, &locked->memory);
    pthread_mutex_unlock(&locked->lock);
    return memory;
}

static void release_locked(void *memory, size_t size, void *user)
{
    locked_memory *locked = user;
    pthread_mutex_lock(&locked->lock);
    failing_release(memory, size, &locked->memory);
    pthread_mutex_unlock(&locked->lock);
}

/* Creates and runs an engine; *hash is set if that works. */
static carom_status run_engine(const setting *s, const char *name, uint64_t *hash)
{
    carom_engine_def def = {.engine = name, .broad_phase = "all"};
    carom_engine *engine;
    carom_status status = carom_engine_create(s->context, &def, &engine);
    carom_collide_options options = make_question(3);
    carom_scene_report report = {0};
    if (!carom_failed(status))
        status = carom_engine_run(engine, &s->frame, &options, &report);
    *hash = report.hash;
    carom_engine_destroy(engine);
    return status;
}

static void fail_each_allocation(const char *name, uint32_t workers)
{
    locked_memory locked = {0};
    pthread_mutex_init(&locked.lock, NULL);
    carom_context_def def = carom_context_def_default();
    def.allocator = (carom_allocator){allocate_locked, release_locked, &locked};
    def.workers = workers;
    sources *list = new_sources();
    check_random random = {8};
    for (int i = 0; i < 3; i++)
        add_soup(add_body(list, world_random_pose(&random, 0.3)), &random, 60);
    setting s = open_setting(&def, list);
    uint64_t truth, hash, failures = 0;
    assert_int_equal(run_engine(&s, name, &truth), CAROM_OK);
    uint64_t blocks = locked.memory.blocks_out;
    for (uint64_t k = 1;; k++)
    {
        failing_arm(&locked.memory, k);
        carom_status status = run_engine(&s, name, &hash);
        bool failed = locked.memory.failed;
        locked.memory.fail_at = 0;
        assert_int_equal(locked.memory.blocks_out, blocks);
        if (status == CAROM_OK)
            assert_int_equal(hash, truth);
        else
            assert_int_equal(status, CAROM_OUT_OF_MEMORY), failures++;
        if (!failed)
            break;
    }
    assert_true(failures > 20);
    assert_int_equal(run_engine(&s, name, &hash), CAROM_OK);
    assert_int_equal(hash, truth);
    close_setting(&s);
    assert_int_equal(locked.memory.blocks_out, 0);
    free(list);
    pthread_mutex_destroy(&locked.lock);
}

static void failed_allocations_are_clean(void **state)
{
    (void)state;
    for (int k = 0; k < METHODS; k++)
        for (uint32_t workers = 0; workers <= 3; workers += 3)
            fail_each_allocation(NAMES[k], workers);
}

/* ---- assets ---- */

/* A body that changes its shape, comes and goes gets the right edges each time. */
static void shapes_change(void **state)
{
    (void)state;
    check_random random = {12};
    sources *list = new_sources();
    for (int i = 0; i < 3; i++)
        add_soup(add_body(list, world_random_pose(&random, 0.3)), &random, 100);
    setting s = open_setting(NULL, list);
    carom_engine *brute = open_engine(&s, "brute", 0), *engines[METHODS];
    for (int k = 0; k < METHODS; k++)
        engines[k] = open_engine(&s, NAMES[k], 0);
    for (int round = 0; round < 10; round++)
    {
        source *body = &list->items[round % 2];
        for (uint32_t i = 0; i < 3 * body->triangle_count; i++)
            body->corners[i].x += check_uniform(&random, -0.2, 0.2);
        carom_mesh *mesh = soup_mesh(s.context, body->corners, body->triangle_count);
        carom_shape shape = carom_shape_mesh(mesh);
        assert_int_equal(carom_scene_reshape(s.scene, s.frame.bodies[round % 2].id, &shape), CAROM_OK);
        carom_mesh_destroy(mesh);
        assert_int_equal(carom_scene_frame(s.scene, &s.frame), CAROM_OK);
        carom_scene_report truth, report;
        assert_int_equal(carom_engine_run(brute, &s.frame, NULL, &truth), CAROM_OK);
        for (int k = 0; k < METHODS; k++)
        {
            assert_int_equal(carom_engine_run(engines[k], &s.frame, NULL, &report), CAROM_OK);
            assert_int_equal(report.hash, truth.hash);
        }
    }
    for (int k = 0; k < METHODS; k++)
        carom_engine_destroy(engines[k]);
    carom_engine_destroy(brute);
    close_setting(&s);
    free(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(needle_through_a_large_face),
        cmocka_unit_test(coplanar_and_touching),
        cmocka_unit_test(one_inside_the_other),
        cmocka_unit_test(degenerate_triangles),
        cmocka_unit_test(far_away_and_tiny),
        cmocka_unit_test(random_soups),
        cmocka_unit_test(workers_do_not_matter),
        cmocka_unit_test(leaves_have_fewer_than_ten),
        cmocka_unit_test(stats_count_the_work),
        cmocka_unit_test(budgets_stop_at_the_same_point_and_resume),
        cmocka_unit_test(deadlines_leave_no_wrong_answer),
        cmocka_unit_test(failed_allocations_are_clean),
        cmocka_unit_test(shapes_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
