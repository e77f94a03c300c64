/* Many runs with random numbers of workers, delays in tasks, cancels and budgets: a run says that it was stopped or cut
 * short, or gives the one hash of its scene. CAROM_TEST_SCALE=10 for 1,000 runs. */
#include "query/world.h"
#include "scene/scene.h"
#include "support/hosts.h"

enum
{
    SCENES = 3,
    RUNS = 100,
    BODIES = 10
};

/* What is asked of one scene, and what a single thread answered. */
typedef struct truth
{
    uint64_t engine[3][2]; /* per mode, without relation and with it */
    uint64_t pair[3][2];   /* of two heavy bodies */
} truth;

typedef struct stage
{
    carom_context *context;
    carom_scene *scene;
    carom_mesh *meshes[3];
} stage;

static stage open_stage(carom_context *context, uint64_t seed)
{
    stage s = {.context = context};
    world w = {.context = context};
    s.meshes[0] = world_shape(&w, GENERATE_TORUS_KNOT, 4000);
    s.meshes[1] = world_shape(&w, GENERATE_BLOB, 4000);
    s.meshes[2] = world_shape(&w, GENERATE_TORUS, 200);
    assert_int_equal(carom_scene_create(context, &s.scene), CAROM_OK);
    check_random random = {.state = seed};
    for (int i = 0; i < BODIES; i++)
    {
        carom_body_def def = carom_body_def_default();
        carom_body_id id;
        def.placed.shape = i == 8 ? carom_shape_sphere(0.3) : carom_shape_mesh(s.meshes[i < 2 ? i : 2]);
        def.placed.pose = world_random_pose(&random, i < 2 ? 0.05 : 1.0);
        def.margin = i % 4 == 0 ? 0.02 : 0.0;
        def.is_static = i == 9;
        assert_int_equal(carom_scene_add(s.scene, &def, &id), CAROM_OK);
    }
    return s;
}

static void close_stage(stage *s)
{
    carom_scene_destroy(s->scene);
    for (int i = 0; i < 3; i++)
        carom_mesh_destroy(s->meshes[i]);
}

static carom_collide_options options_of(int mode, int relation)
{
    carom_collide_options options = carom_collide_options_default();
    options.mode = (carom_collide_mode)mode, options.relation = relation;
    return options;
}

static truth find_truth(uint64_t seed)
{
    truth t;
    world w = world_open();
    stage s = open_stage(w.context, seed);
    carom_engine *engine;
    carom_frame frame;
    assert_int_equal(carom_engine_create(w.context, &(carom_engine_def){.engine = "brute"}, &engine), CAROM_OK);
    assert_int_equal(carom_scene_frame(s.scene, &frame), CAROM_OK);
    for (int mode = 0; mode < 3; mode++)
        for (int relation = 0; relation < 2; relation++)
        {
            carom_collide_options options = options_of(mode, relation);
            carom_scene_report report;
            carom_report pair;
            assert_int_equal(carom_engine_run(engine, &frame, &options, &report), CAROM_OK);
            t.engine[mode][relation] = report.hash;
            assert_int_equal(carom_collide(w.query, &frame.bodies[0].placed, &frame.bodies[1].placed, &options, &pair),
                             CAROM_OK);
            t.pair[mode][relation] = pair.hash;
        }
    carom_engine_destroy(engine);
    close_stage(&s);
    world_close(&w);
    return t;
}

/* Some workers, or a host whose threads begin late. */
static carom_context_def random_def(check_random *random, atomic_uint_fast64_t *delays)
{
    static const uint32_t workers[6] = {0, 1, 2, 3, 8, 32};
    carom_context_def def = carom_context_def_default();
    if (check_next(random) % 3)
        def.workers = workers[check_next(random) % 6];
    else
        def.tasks = (carom_task_hooks){host_threads, HOST_THREADS, delays};
    return def;
}

static carom_budget random_budget(check_random *random)
{
    carom_budget budget = {0};
    switch (check_next(random) % 4)
    {
    case 0: budget.work = 1 + check_next(random) % 200000; break;
    case 1: budget.seconds = check_uniform(random, 1e-6, 2e-3); break;
    case 2:
        budget.work = 1 + check_next(random) % 100000;
        budget.seconds = check_uniform(random, 1e-6, 2e-3);
        break;
    default: break;
    }
    return budget;
}

/* A run with a random budget, resumed a few times and then to its end. */
static void run_engine(carom_engine *engine, const carom_frame *frame, const truth *t, check_random *random)
{
    int mode = (int)(check_next(random) % 3), relation = (int)(check_next(random) % 2);
    carom_collide_options options = options_of(mode, relation);
    options.budget = random_budget(random);
    carom_scene_report report;
    carom_status status = carom_engine_run(engine, frame, &options, &report);
    for (int step = 0; status == CAROM_UNKNOWN && step < 6; step++)
    {
        carom_budget budget = random_budget(random);
        if (check_next(random) % 4 == 0)
            break; /* given up */
        status = carom_engine_resume(engine, frame, step == 5 ? NULL : &budget, &report);
    }
    assert_true(status == CAROM_OK || status == CAROM_UNKNOWN);
    if (status == CAROM_OK)
        assert_int_equal(report.hash, t->engine[mode][relation]);
}

static bool stop_sometimes(const carom_pair *pair, void *user)
{
    (void)pair;
    return --*(int64_t *)user > 0;
}

static void run_query(carom_query *query, const carom_frame *frame, const truth *t, check_random *random)
{
    int mode = (int)(check_next(random) % 3), relation = (int)(check_next(random) % 2);
    carom_collide_options options = options_of(mode, relation);
    int64_t until_stop = (int64_t)(check_next(random) % 2000);
    bool streaming = mode == CAROM_COLLIDE_ALL && check_next(random) % 2;
    if (streaming)
        options.on_pair = stop_sometimes, options.on_pair_user = &until_stop;
    else
        options.budget = random_budget(random);
    carom_report report;
    carom_status status = carom_collide(query, &frame->bodies[0].placed, &frame->bodies[1].placed, &options, &report);
    for (int step = 0; status == CAROM_UNKNOWN && step < 4; step++)
    {
        carom_budget budget = random_budget(random);
        status = carom_collide_resume(query, step == 3 ? NULL : &budget, &report);
    }
    assert_true(status == CAROM_OK || status == CAROM_UNKNOWN || (streaming && status == CAROM_STOPPED));
    if (status == CAROM_OK && !streaming)
        assert_int_equal(report.hash, t->pair[mode][relation]);
}

static void one_hash_per_scene(void **state)
{
    (void)state;
    const char *scale = getenv("CAROM_TEST_SCALE");
    int runs = (int)(RUNS * (scale && atof(scale) > 0.0 ? atof(scale) : 1.0));
    truth truths[SCENES];
    for (int i = 0; i < SCENES; i++)
        truths[i] = find_truth(100 + (uint64_t)i);
    check_random random = {.state = 7};
    atomic_uint_fast64_t delays = 0;
    for (int done = 0; done < runs;)
    {
        carom_context_def def = random_def(&random, &delays);
        carom_context *context;
        assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
        int which = (int)(check_next(&random) % SCENES);
        stage s = open_stage(context, 100 + (uint64_t)which);
        carom_engine *engine;
        carom_query *query;
        carom_frame frame;
        carom_engine_def engine_def = {.cut_size = check_next(&random) % 2 ? 0.2 : 0.0};
        assert_int_equal(carom_engine_create(context, &engine_def, &engine), CAROM_OK);
        assert_int_equal(carom_query_create(context, &query), CAROM_OK);
        assert_int_equal(carom_scene_frame(s.scene, &frame), CAROM_OK);
        for (int i = 0; i < 10 && done < runs; i++, done++)
            if (check_next(&random) % 2)
                run_engine(engine, &frame, &truths[which], &random);
            else
                run_query(query, &frame, &truths[which], &random);
        carom_query_destroy(query);
        carom_engine_destroy(engine);
        close_stage(&s);
        carom_context_destroy(context);
    }
}

/* Memory fails while workers share a heavy pair, many pairs, many rays: a status, no hang, nothing leaked. */
typedef struct shared_failing
{
    atomic_uint_fast64_t requests, fail_at;
    atomic_int_fast64_t bytes_out;
    atomic_bool failed;
} shared_failing;

static void *allocate_or_fail(size_t size, size_t alignment, void *user)
{
    shared_failing *f = user;
    uint64_t request = atomic_fetch_add(&f->requests, 1) + 1;
    if (request == atomic_load(&f->fail_at))
        return atomic_store(&f->failed, true), NULL;
    size_t allowed = alignment < sizeof(void *) ? sizeof(void *) : alignment;
    void *memory = aligned_alloc(allowed, (size + allowed - 1) / allowed * allowed);
    if (memory)
        atomic_fetch_add(&f->bytes_out, (int64_t)size);
    return memory;
}

static void release_counted(void *memory, size_t size, void *user)
{
    shared_failing *f = user;
    if (memory)
        atomic_fetch_sub(&f->bytes_out, (int64_t)size);
    free(memory);
}

static void failures_in_workers_are_a_status(void **state)
{
    (void)state;
    truth t = find_truth(100);
    uint64_t failures = 0;
    shared_failing memory = {0};
    carom_context_def def = carom_context_def_default();
    def.allocator = (carom_allocator){allocate_or_fail, release_counted, &memory};
    def.workers = 4;
    carom_context *context;
    assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
    stage s = open_stage(context, 100);
    for (uint64_t k = 1; k < 120; k++)
    {
        carom_engine *engine;
        carom_frame frame;
        assert_int_equal(carom_engine_create(context, NULL, &engine), CAROM_OK);
        assert_int_equal(carom_scene_frame(s.scene, &frame), CAROM_OK);
        carom_collide_options options = options_of(2, (int)(k % 2));
        carom_scene_report report;
        for (int again = 0; again < 2; again++) /* once without memory, then with */
        {
            atomic_store(&memory.failed, false);
            atomic_store(&memory.requests, 0);
            atomic_store(&memory.fail_at, again ? 0 : k);
            carom_status status = carom_engine_run(engine, &frame, &options, &report);
            atomic_store(&memory.fail_at, 0);
            bool failed = atomic_load(&memory.failed);
            assert_true(status == CAROM_OK || (failed && status == CAROM_OUT_OF_MEMORY));
            failures += status != CAROM_OK;
            if (status == CAROM_OK)
                assert_int_equal(report.hash, t.engine[2][k % 2]);
        }
        carom_engine_destroy(engine);
    }
    assert_true(failures > 20);
    close_stage(&s);
    carom_context_destroy(context);
    assert_int_equal(atomic_load(&memory.bytes_out), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_hash_per_scene),
        cmocka_unit_test(failures_in_workers_are_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
