/* carom_collide_resume: budgets of any size, one after another, end with the answer of an unlimited call; and the
 * calls that it refuses. */
#include "query/world.h"

#include "query/query.h"

enum
{
    SHAPES = 6,
    MAX_STEPS = 300000 /* more than pairs of triangles: a step may test a single one */
};

typedef struct shapes
{
    carom_mesh *torus, *knot, *box, *few;
    carom_tree *balanced; /* repeats triangles */
    carom_shape list[SHAPES];
} shapes;

static shapes make_shapes(const world *w)
{
    shapes s = {.torus = world_shape(w, GENERATE_TORUS, 400), .knot = world_shape(w, GENERATE_TORUS_KNOT, 500)};
    s.box = world_box(w, -0.4, -0.4, -0.4, 0.4, 0.4, 0.4);
    const double corners[18] = {-1, 0, 0, 1, 0, 0, 0, 1, 0.1, 0, -1, 0, 0, 0, 1, 0.2, 0.3, -1};
    s.few = world_mesh(w, corners, 6, NULL, 2);
    carom_tree_def def = carom_tree_def_default();
    def.layout = CAROM_LAYOUT_BINARY, def.builder = CAROM_BUILDER_BALANCED, def.volume = CAROM_VOLUME_AABB;
    assert_int_equal(carom_tree_create(w->context, s.knot, &def, &s.balanced), CAROM_OK);
    s.list[0] = carom_shape_mesh(s.torus);
    s.list[1] = carom_shape_tree(s.balanced);
    s.list[2] = carom_shape_mesh(s.box);
    s.list[3] = carom_shape_mesh(s.few);
    s.list[4] = carom_shape_sphere(0.3);
    s.list[5] = carom_shape_capsule((carom_vec3){-0.3, 0, 0}, (carom_vec3){0.3, 0.1, 0}, 0.2);
    return s;
}

static void free_shapes(shapes *s)
{
    carom_tree_destroy(s->balanced);
    carom_mesh_destroy(s->torus);
    carom_mesh_destroy(s->knot);
    carom_mesh_destroy(s->box);
    carom_mesh_destroy(s->few);
}

static carom_collide_options random_options(check_random *random)
{
    carom_collide_options options = carom_collide_options_default();
    options.mode = (carom_collide_mode)(check_next(random) % 3);
    options.relation = check_next(random) % 2;
    options.contacts = options.mode == CAROM_COLLIDE_ALL && check_next(random) % 2;
    options.clearance = check_next(random) % 2 ? 0.0 : check_uniform(random, 0.0, 0.3);
    options.max_pairs = check_next(random) % 3 ? 0 : 1 + check_next(random) % 40;
    return options;
}

static carom_budget random_budget(check_random *random)
{
    static const uint64_t sizes[] = {1, 5, 20, 100, 1000, 10000};
    return (carom_budget){.work = 1 + check_next(random) % sizes[check_next(random) % 6]};
}

/* What a report that was cut short may say. */
static void check_cut(const carom_report *report, const carom_report *whole, double clearance)
{
    assert_int_equal(report->status, CAROM_UNKNOWN);
    if (report->pair_count > whole->pair_count)
        fail_msg("%lu pairs so far, but there are %lu", (unsigned long)report->pair_count,
                 (unsigned long)whole->pair_count);
    assert_true(report->pairs_listed <= report->pair_count);
    if (report->clearance_violated)
        assert_true(whole->clearance_violated);
    if (report->relation != CAROM_RELATION_UNKNOWN)
        assert_int_equal(report->relation, whole->relation);
    assert_true(report->distance_bound == 0.0 || (report->distance_bound == clearance && !whole->clearance_violated));
}

static void resume_to_the_end(const world *w, const carom_placed *a, const carom_placed *b, check_random *random)
{
    carom_query *other;
    assert_int_equal(carom_query_create(w->context, &other), CAROM_OK);
    carom_pair_cache *cache;
    assert_int_equal(carom_pair_cache_create(w->context, &cache), CAROM_OK);
    carom_collide_options options = random_options(random);
    carom_report whole, report;
    assert_false(carom_failed(carom_collide(other, a, b, &options, &whole)));
    options.cache = check_next(random) % 2 ? cache : NULL;
    options.budget = random_budget(random);
    bool steady = check_next(random) % 4 == 0; /* the same small budget each time */
    carom_status status = carom_collide(w->query, a, b, &options, &report);
    int steps = 0;
    while (status == CAROM_UNKNOWN)
    {
        check_cut(&report, &whole, options.clearance);
        carom_budget budget = steady ? options.budget : random_budget(random);
        status = carom_collide_resume(w->query, steady || check_next(random) % 50 ? &budget : NULL, &report);
        if (++steps > MAX_STEPS)
            fail_msg("no end after %d steps: mode %d relation %d clearance %g, kinds %d %d", steps, options.mode,
                     options.relation, options.clearance, a->shape.kind, b->shape.kind);
    }
    assert_int_equal(status, whole.status);
    assert_int_equal(report.pair_count, whole.pair_count);
    assert_int_equal(report.hash, whole.hash);
    assert_int_equal(report.relation, whole.relation);
    assert_int_equal(carom_collide_resume(w->query, NULL, &report), CAROM_INVALID_ARGUMENT); /* it is done */
    carom_pair_cache_destroy(cache);
    carom_query_destroy(other);
}

static void budgets_add_up_with(const carom_context_def *def, int rounds)
{
    world w = {0};
    assert_int_equal(carom_context_create(def, &w.context), CAROM_OK);
    assert_int_equal(carom_query_create(w.context, &w.query), CAROM_OK);
    shapes s = make_shapes(&w);
    check_random random = {.state = 5};
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < SHAPES; i++)
            for (int k = 0; k < SHAPES; k++)
            {
                carom_placed a = {s.list[i], world_random_pose(&random, 0.4)};
                carom_placed b = {s.list[k], world_random_pose(&random, 0.4)};
                resume_to_the_end(&w, &a, &b, &random);
            }
    free_shapes(&s);
    world_close(&w);
}

static void budgets_add_up(void **state)
{
    (void)state;
    budgets_add_up_with(NULL, 30);
}

static void budgets_add_up_with_workers(void **state)
{
    (void)state;
    carom_context_def def = carom_context_def_default();
    def.workers = 3;
    budgets_add_up_with(&def, 5);
}

/* ---- a relation in slices ---- */

static uint64_t lines; /* that were looked along */

static carom_status count_lines(void *state, const query_mesh_task *task, carom_vec3 point,
                                void (*on_triangle)(uint32_t triangle, void *user), void *user)
{
    lines++;
    return query_tree_method.line_x(state, task, point, on_triangle, user);
}

/* Single triangles on a lattice. */
static carom_mesh *scatter_pieces(const world *w)
{
    enum
    {
        SIDE = 5
    };
    double corners[9 * SIDE * SIDE * SIDE], *at = corners;
    for (int i = 0; i < SIDE * SIDE * SIDE; i++)
        for (int corner = 0; corner < 3; corner++)
        {
            *at++ = 0.2 * (i % SIDE) + (corner == 1 ? 0.1 : 0.0) - 0.5;
            *at++ = 0.2 * (i / SIDE % SIDE) + (corner == 2 ? 0.1 : 0.0) - 0.5;
            *at++ = 0.2 * (i / SIDE / SIDE) - 0.5;
        }
    return world_mesh(w, corners, 3 * SIDE * SIDE * SIDE, NULL, SIDE * SIDE * SIDE);
}

/* The decision on a relation goes on from where its budget ran out: each of the many pieces is looked at once, or twice
 * where the budget ended with it. */
static void a_relation_goes_on_where_it_stopped(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *pieces = scatter_pieces(&w);
    generate_def around = generate_def_default(GENERATE_ICO_SPHERE);
    around.size = 4.0;
    carom_mesh *shell;
    assert_int_equal(generate_mesh(w.context, &around, &shell), CAROM_OK);
    uint32_t components = carom_mesh_get_info(pieces).component_count;
    assert_int_equal(components, 125);
    query_method counting = query_tree_method;
    counting.line_x = count_lines;
    carom_placed a = world_place(pieces, 0, 0, 0), b = world_place(shell, 0, 0, 0);
    query_question question = {.a = &a, .b = &b, .method = &counting};
    assert_int_equal(query_check_bodies(w.query, &question), CAROM_OK);
    assert_int_equal(query_find_trees(w.query, &question), CAROM_OK);
    carom_collide_options options = carom_collide_options_default();
    carom_report report;
    query_job job = {0};
    query_job_begin(&job, &question, &options);
    base_budget unlimited = base_budget_begin(NULL);
    assert_int_equal(query_job_search(w.query, &job, &unlimited), CAROM_OK);
    uint64_t calls = 0;
    lines = 0;
    for (carom_status status = CAROM_UNKNOWN; status == CAROM_UNKNOWN; calls++)
    {
        base_budget slice = base_budget_begin(&(carom_budget){.work = 1 + calls % 40});
        status = query_job_answer(w.query, &job, &slice, &report);
        assert_true(calls < 3 * components);
    }
    assert_int_equal(report.relation, CAROM_RELATION_A_INSIDE_B);
    assert_true(calls > 10);
    assert_in_range(lines, components, components + calls);
    uint64_t boxes = report.counters.boxes_tested;
    assert_int_equal(query_job_answer(w.query, &job, &unlimited, &report), CAROM_OK); /* decided once for all */
    assert_int_equal(report.relation, CAROM_RELATION_A_INSIDE_B);
    assert_int_equal(report.counters.boxes_tested, boxes);
    query_job_free(w.context, &job);
    carom_mesh_destroy(pieces);
    carom_mesh_destroy(shell);
    world_close(&w);
}

/* ---- what a cache remembers ---- */

/* One after another with one cache: heavy pairs without a budget, then the same within one. What the cache remembers
 * must not depend on the workers, or the budget would cut elsewhere. */
static void ask_with_cache(uint32_t workers, carom_collide_mode mode, uint64_t out[40])
{
    carom_context_def def = carom_context_def_default();
    def.workers = workers;
    world w = {0};
    assert_int_equal(carom_context_create(&def, &w.context), CAROM_OK);
    assert_int_equal(carom_query_create(w.context, &w.query), CAROM_OK);
    carom_mesh *knot = world_shape(&w, GENERATE_TORUS_KNOT, 6000),
               *pipes = world_shape(&w, GENERATE_PIPE_NETWORK, 6000);
    carom_pair_cache *cache;
    assert_int_equal(carom_pair_cache_create(w.context, &cache), CAROM_OK);
    check_random random = {.state = 77};
    for (int i = 0; i < 20; i++)
    {
        carom_placed a = {carom_shape_mesh(knot), world_random_pose(&random, i < 10 ? 0.05 : 0.5)};
        carom_placed b = {carom_shape_mesh(pipes), carom_pose_identity()};
        carom_collide_options options = carom_collide_options_default();
        options.mode = mode, options.cache = cache;
        carom_report report;
        assert_false(carom_failed(carom_collide(w.query, &a, &b, &options, &report)));
        const tree_memory *memory = &cache->memory.tree;
        out[2 * i] = (uint64_t)memory->last_a << 32 | memory->last_b;
        options.mode = CAROM_COLLIDE_ANY, options.budget.work = 1 + check_next(&random) % 300;
        assert_false(carom_failed(carom_collide(w.query, &a, &b, &options, &report)));
        out[2 * i + 1] = report.hash;
    }
    carom_pair_cache_destroy(cache);
    carom_mesh_destroy(knot);
    carom_mesh_destroy(pipes);
    world_close(&w);
}

static void a_cache_does_not_depend_on_workers(void **state)
{
    (void)state;
    for (int mode = CAROM_COLLIDE_ANY; mode <= CAROM_COLLIDE_ALL; mode++)
    {
        uint64_t alone[40], shared[40];
        ask_with_cache(0, (carom_collide_mode)mode, alone);
        for (uint32_t workers = 1; workers <= 4; workers++)
        {
            ask_with_cache(workers, (carom_collide_mode)mode, shared);
            for (int i = 0; i < 40; i++)
                if (alone[i] != shared[i])
                    fail_msg("mode %d, %u workers, step %d: %lx instead of %lx", mode, workers, i,
                             (unsigned long)shared[i], (unsigned long)alone[i]);
        }
    }
}

/* ---- what is refused ---- */

static bool stop_at_once(const carom_pair *pair, void *user)
{
    (void)pair, (void)user;
    return false;
}

static bool go_on(const carom_pair *pair, void *user)
{
    (void)pair;
    ++*(uint64_t *)user;
    return true;
}

static void what_cannot_be_resumed_is_refused(void **state)
{
    (void)state;
    world w = world_open();
    shapes s = make_shapes(&w);
    carom_placed a = {s.list[0], carom_pose_identity()}, b = {s.list[1], carom_pose_translation(0.1, 0.2, 0)};
    carom_collide_options cut = carom_collide_options_default();
    cut.budget.work = 100;
    carom_report report;
    carom_distance_options distance = {.budget.work = 10};
    bool within;
    carom_ray ray = {{-3, 0, 0}, {1, 0, 0}, INFINITY};
    carom_ray_report hits;
    carom_ray_batch batch = {&ray, 1, CAROM_RAY_ALL};
    carom_ray_batch_report batch_hits;

    assert_int_equal(carom_collide_resume(NULL, NULL, &report), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_collide_resume(w.query, NULL, NULL), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_collide_resume(w.query, NULL, &report), CAROM_INVALID_ARGUMENT); /* no run */
    for (int other = 0; other < 5; other++)
    {
        assert_int_equal(carom_collide(w.query, &a, &b, &cut, &report), CAROM_UNKNOWN);
        switch (other)
        {
        case 0: assert_int_equal(carom_distance(w.query, &a, &b, &distance, &report), CAROM_UNKNOWN); break;
        case 1: assert_int_equal(carom_within(w.query, &a, &b, 0.5, &within), CAROM_OK); break;
        case 2: assert_int_equal(carom_ray_cast(w.query, &a, &ray, CAROM_RAY_ALL, &hits), CAROM_OK); break;
        case 3: assert_int_equal(carom_ray_cast_batch(w.query, &a, &batch, &batch_hits), CAROM_OK); break;
        default: assert_int_equal(carom_collide(w.query, &a, &b, NULL, &report), CAROM_OK); break;
        }
        assert_int_equal(carom_collide_resume(w.query, NULL, &report), CAROM_INVALID_ARGUMENT);
        assert_int_equal(report.status, CAROM_INVALID_ARGUMENT);
    }
    /* streams are not resumed, stopped ones neither */
    uint64_t streamed = 0;
    cut.on_pair = go_on, cut.on_pair_user = &streamed;
    assert_int_equal(carom_collide(w.query, &a, &b, &cut, &report), CAROM_UNKNOWN);
    assert_int_equal(carom_collide_resume(w.query, NULL, &report), CAROM_INVALID_ARGUMENT);
    cut.budget.work = 0, cut.on_pair = stop_at_once;
    assert_int_equal(carom_collide(w.query, &a, &b, &cut, &report), CAROM_STOPPED);
    assert_int_equal(carom_collide_resume(w.query, NULL, &report), CAROM_INVALID_ARGUMENT);

    /* a budget that is refused spoils nothing */
    cut = carom_collide_options_default();
    carom_report whole;
    carom_query *other;
    assert_int_equal(carom_query_create(w.context, &other), CAROM_OK);
    assert_int_equal(carom_collide(other, &a, &b, &cut, &whole), CAROM_OK);
    cut.budget.work = 100;
    carom_budget bad = {.seconds = -1.0};
    assert_int_equal(carom_collide(w.query, &a, &b, &cut, &report), CAROM_UNKNOWN);
    assert_int_equal(carom_collide_resume(w.query, &bad, &report), CAROM_INVALID_ARGUMENT);
    bad.seconds = NAN;
    assert_int_equal(carom_collide_resume(w.query, &bad, &report), CAROM_NOT_FINITE);
    assert_int_equal(carom_collide_resume(w.query, NULL, &report), CAROM_OK);
    assert_int_equal(report.hash, whole.hash);
    carom_query_destroy(other);
    free_shapes(&s);
    world_close(&w);
}

/* ---- a query in its own callback ---- */

typedef struct inner_use
{
    carom_query *query;
    const carom_placed *a, *b;
    uint64_t count;
} inner_use;

static bool use_inside(const carom_pair *pair, void *user)
{
    (void)pair;
    inner_use *use = user;
    carom_report report;
    carom_ray ray = {{-3, 0, 0}, {1, 0, 0}, INFINITY};
    carom_ray_report hits;
    carom_ray_batch batch = {&ray, 1, CAROM_RAY_ALL};
    carom_ray_batch_report batch_hits;
    bool within;
    use->count++;
    assert_int_equal(carom_collide(use->query, use->a, use->b, NULL, &report), CAROM_BUSY);
    assert_int_equal(report.status, CAROM_BUSY);
    assert_int_equal(carom_collide_resume(use->query, NULL, &report), CAROM_BUSY);
    assert_int_equal(carom_distance(use->query, use->a, use->b, NULL, &report), CAROM_BUSY);
    assert_int_equal(carom_within(use->query, use->a, use->b, 1.0, &within), CAROM_BUSY);
    assert_int_equal(carom_ray_cast(use->query, use->a, &ray, CAROM_RAY_ALL, &hits), CAROM_BUSY);
    assert_int_equal(carom_ray_cast_batch(use->query, use->a, &batch, &batch_hits), CAROM_BUSY);
    carom_query_destroy(use->query); /* does nothing: the search goes on */
    return true;
}

static void a_query_is_busy_in_its_own_callback(void **state)
{
    (void)state;
    for (uint32_t workers = 0; workers < 3; workers++)
    {
        carom_context_def def = carom_context_def_default();
        def.workers = workers;
        world w = {0};
        assert_int_equal(carom_context_create(&def, &w.context), CAROM_OK);
        assert_int_equal(carom_query_create(w.context, &w.query), CAROM_OK);
        shapes s = make_shapes(&w);
        for (int i = 0; i < SHAPES; i++)
            for (int k = 0; k < SHAPES; k++)
            {
                carom_placed a = {s.list[i], carom_pose_identity()}, b = {s.list[k], carom_pose_translation(0.3, 0, 0)};
                carom_report whole, report;
                assert_int_equal(carom_collide(w.query, &a, &b, NULL, &whole), CAROM_OK);
                uint64_t count = whole.pair_count;
                inner_use use = {w.query, &a, &b, 0};
                carom_collide_options options = carom_collide_options_default();
                options.on_pair = use_inside, options.on_pair_user = &use;
                assert_int_equal(carom_collide(w.query, &a, &b, &options, &report), CAROM_OK);
                assert_int_equal(use.count, count);
                assert_int_equal(report.pair_count, count);
                assert_int_equal(carom_collide(w.query, &a, &b, NULL, &whole), CAROM_OK); /* free again */
            }
        free_shapes(&s);
        world_close(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(budgets_add_up),
        cmocka_unit_test(budgets_add_up_with_workers),
        cmocka_unit_test(a_relation_goes_on_where_it_stopped),
        cmocka_unit_test(a_cache_does_not_depend_on_workers),
        cmocka_unit_test(what_cannot_be_resumed_is_refused),
        cmocka_unit_test(a_query_is_busy_in_its_own_callback),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
