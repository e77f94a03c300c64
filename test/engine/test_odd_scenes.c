/* Scenes that spoil orders, grids and trees, under every broad phase: the same report as with brute force. And a scene
 * of very many bodies: an answer or a status. CAROM_TEST_BODIES=10000000 for ten million of them. */
#include "query/world.h"

typedef struct odd_scene
{
    const char *name;
    uint32_t count;
    void (*describe)(uint32_t i, carom_body_def *def, check_random *random);
    int pairs; /* how many pairs of bodies meet; negative: some */
} odd_scene;

static carom_vec3 spread(check_random *random, double reach) { return check_random_point(random, -reach, reach); }

static void place(carom_body_def *def, double radius, carom_vec3 at)
{
    def->placed.shape = carom_shape_sphere(radius);
    def->placed.pose = carom_pose_translation(at.x, at.y, at.z);
}

/* Bodies of size 1e-9 around the origin, others at 1e12, and one that reaches from one to the other. */
static void far_and_tiny(uint32_t i, carom_body_def *def, check_random *random)
{
    carom_vec3 at = spread(random, 4e-9);
    if (i == 0)
        place(def, 5e11, (carom_vec3){5e11, 0, 0});
    else if (i % 2)
        place(def, 1e-9, at);
    else
        place(def, 1.0, (carom_vec3){1e12 + 1e9 * at.x, 1e9 * at.y, 1e9 * at.z});
}

static void all_equal(uint32_t i, carom_body_def *def, check_random *random)
{
    (void)i, (void)random;
    place(def, 1.5, (carom_vec3){3, 4, 5});
}

static void all_on_one_point(uint32_t i, carom_body_def *def, check_random *random)
{
    (void)i, (void)random;
    place(def, 0.0, (carom_vec3){-7, 0.25, 1e5});
}

static void one_holds_all(uint32_t i, carom_body_def *def, check_random *random)
{
    place(def, i == 0 ? 1000.0 : 0.1, i == 0 ? (carom_vec3){0, 0, 0} : spread(random, 100.0));
}

/* A row of balls, each touching the next in one point. */
static void touching_in_a_row(uint32_t i, carom_body_def *def, check_random *random)
{
    (void)random;
    place(def, 0.5, (carom_vec3){i, 0, 0});
}

/* Boxes that touch exactly, balls that don't. */
static void diagonal_row(uint32_t i, carom_body_def *def, check_random *random)
{
    (void)random;
    place(def, 0.5, (carom_vec3){i, i, i});
}

static void nothing_allowed(uint32_t i, carom_body_def *def, check_random *random)
{
    all_equal(i, def, random);
    def->filter.mask = 0;
}

static void all_static(uint32_t i, carom_body_def *def, check_random *random)
{
    all_equal(i, def, random);
    def->is_static = true;
}

/* A static one among moving ones, long thin rows, points at the end of the numbers. */
static void at_the_ends(uint32_t i, carom_body_def *def, check_random *random)
{
    double far = i % 2 ? 0x1p99 : -0x1p99;
    place(def, i % 3 ? 0.0 : 0x1p97, i % 5 ? (carom_vec3){far, -far, far} : spread(random, 0x1p99));
    def->is_static = i == 4;
}

static const odd_scene SCENES[] = {
    {"far and tiny", 200, far_and_tiny, -1},
    {"all equal", 100, all_equal, 100 * 99 / 2},
    {"on one point", 100, all_on_one_point, 100 * 99 / 2},
    {"one holds all", 300, one_holds_all, -1},
    {"touching", 300, touching_in_a_row, 299},
    {"diagonal", 300, diagonal_row, 0},
    {"nothing allowed", 100, nothing_allowed, 0},
    {"all static", 100, all_static, 0},
    {"at the ends", 60, at_the_ends, -1},
    {"empty", 0, all_equal, 0},
    {"alone", 1, all_equal, 0},
};

static carom_scene *make_scene(const world *w, const odd_scene *odd)
{
    carom_scene *scene;
    check_random random = {.state = 3};
    assert_int_equal(carom_scene_create(w->context, &scene), CAROM_OK);
    for (uint32_t i = 0; i < odd->count; i++)
    {
        carom_body_def def = carom_body_def_default();
        carom_body_id id;
        odd->describe(i, &def, &random);
        assert_int_equal(carom_scene_add(scene, &def, &id), CAROM_OK);
    }
    return scene;
}

static carom_scene_report run(carom_engine *engine, carom_scene *scene)
{
    carom_frame frame;
    carom_scene_report report;
    carom_collide_options options = carom_collide_options_default();
    options.relation = true;
    assert_int_equal(carom_scene_frame(scene, &frame), CAROM_OK);
    assert_int_equal(carom_engine_run(engine, &frame, &options, &report), CAROM_OK);
    return report;
}

static carom_engine *make_engine(const world *w, const char *broad_phase)
{
    carom_engine_def def = carom_engine_def_default();
    carom_engine *engine;
    def.broad_phase = broad_phase;
    assert_int_equal(carom_engine_create(w->context, &def, &engine), CAROM_OK);
    return engine;
}

/* Spheres of radius 0 at one point: touching counts. */
static int count_meeting(const carom_scene_report *report)
{
    int count = 0;
    for (uint64_t i = 0; i < report->body_pair_count; i++)
        count += report->body_pairs[i].relation != CAROM_RELATION_APART;
    return count;
}

static void every_broad_phase_copes(void **state)
{
    (void)state;
    world w = world_open();
    for (size_t s = 0; s < sizeof SCENES / sizeof *SCENES; s++)
    {
        carom_scene *scene = make_scene(&w, &SCENES[s]);
        carom_engine *brute = make_engine(&w, "all");
        carom_scene_report expected = run(brute, scene);
        int meeting = count_meeting(&expected);
        if (SCENES[s].pairs >= 0 ? meeting != SCENES[s].pairs : meeting == 0)
            fail_msg("%s: %d pairs meet", SCENES[s].name, meeting);
        for (uint32_t k = 0; carom_broad_list(k); k++)
        {
            carom_engine *engine = make_engine(&w, carom_broad_list(k)->name);
            for (int again = 0; again < 3; again++)
                if (run(engine, scene).hash != expected.hash)
                    fail_msg("%s: %s differs in run %d", SCENES[s].name, carom_broad_list(k)->name, again);
            carom_engine_destroy(engine);
        }
        carom_engine_destroy(brute);
        carom_scene_destroy(scene);
    }
    world_close(&w);
}

/* Bodies that are gone are refused by name, and their successors are not mistaken for them. */
static void removed_bodies_stay_removed(void **state)
{
    (void)state;
    world w = world_open();
    carom_scene *scene = make_scene(&w, &SCENES[1]);
    carom_engine *engine = make_engine(&w, "auto");
    carom_frame frame;
    assert_int_equal(carom_scene_frame(scene, &frame), CAROM_OK);
    carom_body_id gone = frame.bodies[40].id, next;
    assert_int_equal(carom_scene_remove(scene, gone), CAROM_OK);
    assert_int_equal(run(engine, scene).body_pair_count, 99 * 98 / 2);
    carom_body_def def = carom_body_def_default();
    all_equal(0, &def, NULL);
    assert_int_equal(carom_scene_add(scene, &def, &next), CAROM_OK);
    carom_pose pose = carom_pose_identity();
    assert_int_equal(carom_scene_move(scene, gone, &pose), CAROM_STALE_ID);
    assert_int_equal(carom_scene_remove(scene, gone), CAROM_STALE_ID);
    carom_scene_report report = run(engine, scene);
    assert_int_equal(report.body_pair_count, 100 * 99 / 2);
    for (uint64_t i = 0; i < report.body_pair_count; i++)
        assert_false(report.body_pairs[i].body_a.index == gone.index &&
                     report.body_pairs[i].body_a.generation == gone.generation);
    carom_engine_destroy(engine);
    carom_scene_destroy(scene);
    world_close(&w);
}

/* A lattice of balls, each touching its neighbour along x: as many pairs as bodies, nearly. */
static void very_many_bodies(void **state)
{
    (void)state;
    const char *wish = getenv("CAROM_TEST_BODIES");
    uint32_t count = wish ? (uint32_t)strtoul(wish, NULL, 10) : 100000, added = 0;
    world w = world_open();
    carom_scene *scene;
    carom_engine *engine = make_engine(&w, NULL);
    carom_frame frame;
    carom_scene_report report;
    carom_status status = CAROM_OK;
    assert_int_equal(carom_scene_create(w.context, &scene), CAROM_OK);
    for (; added < count && status == CAROM_OK; added++)
    {
        carom_body_def def = carom_body_def_default();
        carom_body_id id;
        place(&def, 0.5, (carom_vec3){added % 100, 2.0 * (added / 100 % 100), 2.0 * (added / 10000)});
        status = carom_scene_add(scene, &def, &id);
    }
    if (status == CAROM_OK)
        status = carom_scene_frame(scene, &frame);
    if (status == CAROM_OK)
        status = carom_engine_run(engine, &frame, NULL, &report);
    assert_true(status == CAROM_OK || status == CAROM_OUT_OF_MEMORY || status == CAROM_TOO_LARGE);
    if (status == CAROM_OK)
        assert_int_equal(report.body_pair_count, count - (count + 99) / 100);
    print_message("%u bodies: %s\n", added, carom_status_name(status));
    carom_engine_destroy(engine);
    carom_scene_destroy(scene);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_broad_phase_copes),
        cmocka_unit_test(removed_bodies_stay_removed),
        cmocka_unit_test(very_many_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
