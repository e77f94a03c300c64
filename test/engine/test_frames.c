/* One hash for all: a scene in which bodies come, go, move, jump, rest and change their shapes, filters and rules for
 * pairs, run by an engine with every broad phase, on 1 to 8 workers, next to brute force. Once with few bodies, and in
 * fewer frames with so many that trees, grids and sweeps have more than a root; some of these are long and thin.
 * CAROM_TEST_SCALE=100 for 10,000 frames. */
#include "query/world.h"

#include "broad/broad.h"

enum
{
    MAX_BODIES = 1200,
    MAX_WORKERS = 8,
    MAX_KINDS = 24,
    SHAPES = 7
};

typedef struct cast
{
    int frames;
    uint32_t bodies, shapes; /* at most MAX_BODIES, SHAPES */
    double half_size;        /* of the region that they are in */
    uint32_t shares[4];      /* one of so many changes in a frame; one of these is drawn */
    bool all;                /* with the broad phase that proposes all pairs, and every number of workers */
} cast;

static const cast FEW = {100, 60, 5, 2.5, {1, 2, 8, 1000}, true};
static const cast MANY = {5, 1200, 7, 7.0, {1, 3, 20, 400}, false};

/* The same play on each context. */
typedef struct troupe
{
    const cast *cast;
    carom_context *context;
    carom_scene *scene;
    carom_mesh *meshes[3];
    carom_shape shapes[SHAPES];
    carom_engine *engines[MAX_KINDS];
    carom_body_id bodies[MAX_BODIES]; /* index 0: none */
    check_random random;              /* in the same state for all */
} troupe;

static uint32_t pick(troupe *t, uint32_t count) { return (uint32_t)(check_next(&t->random) % count); }

static void open_engines(troupe *t)
{
    for (uint32_t k = 0; carom_broad_list(k); k++)
    {
        assert_true(k < MAX_KINDS);
        carom_engine_def def = carom_engine_def_default();
        def.broad_phase = carom_broad_list(k)->name;
        def.cut_size = k % 2 ? 0.7 : 0.0;
        assert_int_equal(carom_engine_create(t->context, &def, &t->engines[k]), CAROM_OK);
    }
}

static void open_troupe(troupe *t, const cast *cast, uint32_t workers)
{
    *t = (troupe){.cast = cast, .random = {.state = 77}};
    carom_context_def def = carom_context_def_default();
    def.workers = workers;
    assert_int_equal(carom_context_create(&def, &t->context), CAROM_OK);
    world w = {.context = t->context};
    t->meshes[0] = world_shape(&w, GENERATE_ICO_SPHERE, 80);
    t->meshes[1] = world_shape(&w, GENERATE_TORUS, 100);
    t->meshes[2] = world_shape(&w, GENERATE_TERRAIN, 200);
    for (int i = 0; i < 3; i++)
        t->shapes[i] = carom_shape_mesh(t->meshes[i]);
    t->shapes[3] = carom_shape_sphere(0.4);
    t->shapes[4] = carom_shape_capsule((carom_vec3){-0.5, 0, 0}, (carom_vec3){0.5, 0, 0}, 0.2);
    t->shapes[5] = carom_shape_capsule((carom_vec3){-5, 0, 0}, (carom_vec3){5, 0, 0}, 0.01);
    t->shapes[6] = carom_shape_capsule((carom_vec3){0, 0, -2}, (carom_vec3){0, 0, 2}, 0.02);
    assert_int_equal(carom_scene_create(t->context, &t->scene), CAROM_OK);
    open_engines(t);
}

static void close_troupe(troupe *t)
{
    for (uint32_t k = 0; carom_broad_list(k); k++)
        carom_engine_destroy(t->engines[k]);
    carom_scene_destroy(t->scene);
    for (int i = 0; i < 3; i++)
        carom_mesh_destroy(t->meshes[i]);
    carom_context_destroy(t->context);
}

static carom_filter random_filter(troupe *t)
{
    if (pick(t, 3))
        return (carom_filter){1, UINT64_MAX, 0};
    uint64_t category = (uint64_t)1 << pick(t, 3);
    return (carom_filter){category, pick(t, 8), pick(t, 3)};
}

static void add_body(troupe *t, uint32_t i)
{
    carom_body_def def = carom_body_def_default();
    def.placed.shape = t->shapes[pick(t, t->cast->shapes)];
    def.placed.pose = world_random_pose(&t->random, t->cast->half_size);
    def.filter = random_filter(t);
    def.is_static = pick(t, 3) == 0;
    def.margin = pick(t, 4) ? 0.0 : check_uniform(&t->random, 0.0, 0.3);
    assert_int_equal(carom_scene_add(t->scene, &def, &t->bodies[i]), CAROM_OK);
}

/* Never to compare two bodies, a clearance of their own, or nothing of the kind any more. */
static carom_status change_rule(troupe *t, uint32_t i)
{
    uint32_t other = pick(t, t->cast->bodies), kind = pick(t, 3);
    carom_pair_rule rule = {(carom_rule_kind)kind, check_uniform(&t->random, 0.0, 1.0)};
    if (other == i || t->bodies[other].index == 0)
        return CAROM_OK;
    return carom_scene_set_rule(t->scene, t->bodies[i], t->bodies[other], &rule);
}

static void change_body(troupe *t, uint32_t i)
{
    carom_body_id id = t->bodies[i];
    carom_pose pose = world_random_pose(&t->random, t->cast->half_size);
    carom_filter filter = random_filter(t);
    double margin = check_uniform(&t->random, 0.0, 0.2);
    uint32_t chance = pick(t, 40), shape = pick(t, t->cast->shapes);
    carom_status status = CAROM_OK;
    if (chance < 16)
        status = carom_scene_move(t->scene, id, &pose);
    else if (chance == 16)
        status = carom_scene_set_filter(t->scene, id, &filter);
    else if (chance == 17)
        status = carom_scene_set_static(t->scene, id, shape % 2);
    else if (chance == 18)
        status = carom_scene_set_margin(t->scene, id, margin);
    else if (chance == 19)
        status = carom_scene_reshape(t->scene, id, &t->shapes[shape]);
    else if (chance >= 36)
        status = change_rule(t, i);
    else if (chance == 20)
    {
        status = carom_scene_remove(t->scene, id);
        t->bodies[i] = (carom_body_id){0};
    }
    assert_int_equal(status, CAROM_OK);
}

/* Some frames change everything, some little, some nothing. */
static void play(troupe *t)
{
    uint32_t one_of = t->cast->shares[pick(t, 4)];
    for (uint32_t i = 0; i < t->cast->bodies; i++)
        if (pick(t, one_of) != 0)
            continue;
        else if (t->bodies[i].index)
            change_body(t, i);
        else if (pick(t, 6) == 0)
            add_body(t, i);
}

static carom_collide_options random_options(check_random random)
{
    carom_collide_options options = carom_collide_options_default();
    options.mode = (carom_collide_mode)(check_next(&random) % 3);
    options.relation = check_next(&random) % 2;
    options.clearance = check_next(&random) % 3 ? 0.0 : check_uniform(&random, 0.0, 0.4);
    return options;
}

static carom_scene_report run(troupe *t, uint32_t kind, const carom_collide_options *options)
{
    carom_frame frame;
    carom_scene_report report;
    assert_int_equal(carom_scene_frame(t->scene, &frame), CAROM_OK);
    assert_int_equal(carom_engine_run(t->engines[kind], &frame, options, &report), CAROM_OK);
    return report;
}

static uint32_t find_brute(void)
{
    uint32_t k = 0;
    while (strcmp(carom_broad_list(k)->name, "brute") != 0)
        k++;
    return k;
}

/* Runs every broad phase on every troupe and compares; adds to what was seen. */
typedef struct tally
{
    uint64_t runs, pairs, distinct, last;
} tally;

static void compare_frame(troupe *troupes, uint32_t brute, int frame, tally *seen)
{
    uint64_t expected = 0;
    for (uint32_t i = 0; i < MAX_WORKERS && troupes[i].cast; i++)
    {
        troupe *t = &troupes[i];
        play(t);
        carom_collide_options options = random_options(t->random);
        if (i == 0)
        {
            carom_scene_report report = run(t, brute, &options);
            expected = report.hash, seen->pairs += report.body_pair_count;
            seen->distinct += expected != seen->last, seen->last = expected;
        }
        for (uint32_t k = 0; carom_broad_list(k); k++)
        {
            if (!t->cast->all && strcmp(carom_broad_list(k)->name, "all") == 0)
                continue;
            uint64_t hash = run(t, k, &options).hash;
            seen->runs++;
            if (hash != expected)
                fail_msg("frame %d, %s, troupe %u: hash %016llx, but brute's is %016llx", frame,
                         carom_broad_list(k)->name, i, (unsigned long long)hash, (unsigned long long)expected);
        }
    }
}

static void one_hash(const cast *cast)
{
    static const uint32_t few_workers[] = {1, 2, 8};
    const char *scale = getenv("CAROM_TEST_SCALE");
    int frames = (int)(cast->frames * (scale && atof(scale) > 0.0 ? atof(scale) : 1.0));
    static troupe troupes[MAX_WORKERS];
    memset(troupes, 0, sizeof troupes);
    uint32_t brute = find_brute(), count = cast->all ? MAX_WORKERS : 3;
    tally seen = {0};
    for (uint32_t i = 0; i < count; i++)
    {
        open_troupe(&troupes[i], cast, cast->all ? i + 1 : few_workers[i]);
        for (uint32_t k = cast->bodies / 10; k < cast->bodies; k++)
            add_body(&troupes[i], k);
    }
    for (int frame = 0; frame < frames; frame++)
        compare_frame(troupes, brute, frame, &seen);
    for (uint32_t i = 0; i < count; i++)
        close_troupe(&troupes[i]);
    print_message("%d frames, %llu runs, %llu body pairs\n", frames, (unsigned long long)seen.runs,
                  (unsigned long long)seen.pairs);
    assert_true(seen.pairs > 10 * (uint64_t)frames);
    assert_true(seen.distinct > (uint64_t)frames / 2);
}

static void few_bodies(void **state)
{
    (void)state;
    one_hash(&FEW);
}

static void many_bodies(void **state)
{
    (void)state;
    one_hash(&MANY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(few_bodies), cmocka_unit_test(many_bodies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
