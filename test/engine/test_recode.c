/* Engines `image-sampled` and `recode` as engines: what they report is what trees report, or less. Where they miss two
 * triangles, the hulls of their pieces share no ball of the size that the answer states, found independently of how
 * they were drawn. With a budget, and where images are not asked, nothing is missed. The stated size is the one that
 * was wanted, where there are pixels enough. */
#include "engine/common_ball.h"
#include "engine/survey.h"

static const char *const ENGINES[] = {"image-sampled", "recode"};

typedef struct bench
{
    world w;
    const carom_mesh *mesh[2];
    carom_pieces *pieces[2];
    uint32_t *node_of[2]; /* per triangle: the leaf of its piece */
    carom_scene *scene;
    carom_body_id ids[2];
    carom_engine *truth, *engine;
    carom_pose poses[2];
} bench;

typedef struct tally
{
    uint64_t poses, hits, meeting, missed, judged, resumed, tests_all, tests_any;
    double largest; /* common ball of pieces with missed triangles, over the stated size */
} tally;

/* ---- the stage ---- */

static uint32_t *find_nodes(const carom_pieces *pieces)
{
    carom_pieces_info info = carom_pieces_get_info(pieces);
    uint32_t *nodes = calloc(info.triangle_count, sizeof *nodes);
    assert_non_null(nodes);
    for (uint32_t i = 0; i < info.node_count; i++)
    {
        carom_pieces_node node;
        uint32_t count = 0;
        assert_int_equal(carom_pieces_get_node(pieces, i, &node), CAROM_OK);
        const uint32_t *triangles = carom_pieces_triangles(pieces, node.piece, &count);
        for (uint32_t k = 0; k < count; k++)
            nodes[triangles[k]] = i;
    }
    return nodes;
}

static void open_bench(bench *b)
{
    assert_int_equal(carom_scene_create(b->w.context, &b->scene), CAROM_OK);
    for (int i = 0; i < 2; i++)
    {
        carom_body_def def = carom_body_def_default();
        def.placed.shape = carom_shape_mesh(b->mesh[i]);
        assert_int_equal(carom_scene_add(b->scene, &def, &b->ids[i]), CAROM_OK);
        assert_int_equal(carom_pieces_create(b->w.context, b->mesh[i], &b->pieces[i]), CAROM_OK);
        b->node_of[i] = find_nodes(b->pieces[i]);
    }
    assert_int_equal(carom_engine_create(b->w.context, NULL, &b->truth), CAROM_OK);
}

static void close_bench(bench *b)
{
    for (int i = 0; i < 2; i++)
        free(b->node_of[i]), carom_pieces_destroy(b->pieces[i]);
    carom_engine_destroy(b->truth);
    carom_scene_destroy(b->scene);
}

/* ---- judging ---- */

/* The hull of a piece, placed; free its points. */
static ball_hull place_piece(const bench *b, int which, uint32_t triangle)
{
    carom_pieces_node node;
    const carom_mesh *mesh = b->mesh[which];
    const carom_vec3 *vertices = carom_mesh_vertices(mesh);
    uint32_t vertex_count = carom_mesh_get_info(mesh).vertex_count;
    carom_vec3 *points = malloc(vertex_count * sizeof *points);
    assert_int_equal(carom_pieces_get_node(b->pieces[which], b->node_of[which][triangle], &node), CAROM_OK);
    for (uint32_t i = 0; i < node.vertex_count; i++)
        points[node.vertices[i]] = carom_pose_apply(&b->poses[which], vertices[node.vertices[i]]);
    bool solid = node.dimension == 3;
    return (ball_hull){points, node.facets, solid ? node.facet_count : 0,
                       carom_pose_apply(&b->poses[which], node.centre)};
}

static void judge_miss(const bench *b, const carom_pair *pair, double stated, tally *t)
{
    ball_hull hulls[2] = {place_piece(b, 0, pair->triangle_a), place_piece(b, 1, pair->triangle_b)};
    assert_true(stated > 0.0);
    if (hulls[0].facet_count > 0 && hulls[1].facet_count > 0) /* else they share no ball at all */
    {
        double ball = 2.0 * ball_in_both(&hulls[0], &hulls[1], 1.0);
        t->judged++, t->largest = fmax(t->largest, ball / stated);
        if (ball >= stated)
            fail_msg("triangles %u and %u are missed, but their pieces share a ball of %g, and %g is stated",
                     pair->triangle_a, pair->triangle_b, ball, stated);
    }
    free((void *)hulls[0].points), free((void *)hulls[1].points);
}

/* Both lists are sorted. */
static void compare_pairs(const bench *b, const carom_scene_report *truth, const carom_scene_report *report, tally *t)
{
    uint64_t k = 0;
    for (uint64_t i = 0; i < truth->pair_count; i++)
    {
        bool found = k < report->pair_count && memcmp(&truth->pairs[i], &report->pairs[k], sizeof(carom_pair)) == 0;
        k += found, t->missed += !found;
        if (!found)
            judge_miss(b, &truth->pairs[i], report->counters.sampled_size, t);
    }
    assert_int_equal(k, report->pair_count); /* nothing but what is there */
    t->meeting += truth->pair_count;
}

static carom_status run(const bench *b, carom_engine *engine, const carom_collide_options *options,
                        carom_scene_report *report)
{
    carom_frame frame;
    assert_int_equal(carom_scene_frame(b->scene, &frame), CAROM_OK);
    return carom_engine_run(engine, &frame, options, report);
}

static void run_pose(bench *b, tally *t)
{
    carom_scene_report truth, report, any;
    carom_collide_options options = carom_collide_options_default();
    for (int i = 0; i < 2; i++)
        assert_int_equal(carom_scene_move(b->scene, b->ids[i], &b->poses[i]), CAROM_OK);
    assert_int_equal(run(b, b->truth, NULL, &truth), CAROM_OK);
    assert_int_equal(run(b, b->engine, NULL, &report), CAROM_OK);
    compare_pairs(b, &truth, &report, t);
    t->poses++, t->hits += report.pair_count > 0;
    bool some = report.pair_count > 0;
    t->tests_all += some ? report.counters.triangles_tested : 0;
    options.mode = CAROM_COLLIDE_ANY;
    assert_int_equal(run(b, b->engine, &options, &any), CAROM_OK);
    assert_int_equal(any.body_pair_count > 0, some);
    t->tests_any += some ? any.counters.triangles_tested : 0;
}

/* A budget leaves no time for images: trees of hulls are searched without, and all is found. */
static void run_budget(const bench *b, tally *t)
{
    carom_scene_report truth, report;
    carom_frame frame;
    carom_collide_options options = carom_collide_options_default();
    assert_int_equal(run(b, b->truth, NULL, &truth), CAROM_OK);
    options.budget.work = 50;
    carom_status status = run(b, b->engine, &options, &report);
    assert_int_equal(carom_scene_frame(b->scene, &frame), CAROM_OK);
    t->resumed += status == CAROM_UNKNOWN;
    for (uint64_t work = 100; status == CAROM_UNKNOWN; work *= 4)
        status = carom_engine_resume(b->engine, &frame, &(carom_budget){.work = work}, &report);
    assert_int_equal(status, CAROM_OK);
    assert_int_equal(report.hash, truth.hash);
    assert_true(report.counters.sampled_size == 0.0);
}

/* ---- tests ---- */

static bool open_engine(bench *b, const char *name, check_random *random)
{
    carom_engine_def def = carom_engine_def_default();
    def.engine = name, def.image_side = 1u << check_next(random) % 7;
    def.image_accuracy = check_next(random) % 3 ? 0.0 : check_uniform(random, 0.01, 0.3);
    carom_status status = carom_engine_create(b->w.context, &def, &b->engine);
    if (status == CAROM_UNAVAILABLE)
        printf("%s is left out: there is no driver\n", name);
    else
        assert_int_equal(status, CAROM_OK);
    return status == CAROM_OK;
}

static void run_meshes(bench *b, const char *name, int rounds, check_random *random, tally *t)
{
    open_bench(b);
    bool opened = open_engine(b, name, random);
    for (int i = 0; opened && i < rounds; i++)
    {
        b->poses[0] = world_random_pose(random, 0.0), b->poses[1] = world_random_pose(random, 0.5);
        run_pose(b, t);
        if (i % 4 == 0)
            run_budget(b, t);
    }
    carom_engine_stats stats = opened ? carom_engine_get_stats(b->engine) : (carom_engine_stats){0};
    if (opened)
        assert_true(stats.images > 0 && stats.passes > 0);
    carom_engine_destroy(b->engine);
    close_bench(b);
}

static void test_pieces(void **state)
{
    (void)state;
    const char *scale = getenv("CAROM_TEST_SCALE"), *seed = getenv("CAROM_TEST_SEED");
    int rounds = 12 * (scale ? atoi(scale) : 1);
    check_random random = {seed ? (uint64_t)atoll(seed) : 1};
    bench b = {.w = world_open()};
    carom_mesh *meshes[SURVEY_MESHES];
    survey_make(&b.w, meshes);
    for (size_t e = 0; e < sizeof ENGINES / sizeof ENGINES[0]; e++)
    {
        tally t = {0};
        for (int i = 0; i < SURVEY_MESHES; i++)
        {
            b.mesh[0] = meshes[i], b.mesh[1] = meshes[check_next(&random) % SURVEY_MESHES];
            run_meshes(&b, ENGINES[e], rounds, &random, &t);
        }
        printf(
            "%s: %llu poses, %llu hits; %llu of %llu pairs of triangles missed, %llu of them judged; the largest ball "
            "is %.3f of the stated size\n",
            ENGINES[e], (unsigned long long)t.poses, (unsigned long long)t.hits, (unsigned long long)t.missed,
            (unsigned long long)t.meeting, (unsigned long long)t.judged, t.largest);
        if (t.poses > 0)
            assert_true(10 * t.hits > 3 * t.poses && t.judged > 0 && t.resumed > 0 && 4 * t.tests_any < t.tests_all &&
                        10 * t.missed < 9 * t.meeting);
    }
    survey_free(meshes);
    world_close(&b.w);
}

/* What the answers to some poses stated as the largest size, and the mean number of pixels of an image. */
typedef struct stated_size
{
    double largest, pixels;
    bool opened;
} stated_size;

static stated_size state_size(bench *b, const carom_engine_def *def, tally *t)
{
    stated_size out = {0};
    check_random random = {7};
    carom_status status = carom_engine_create(b->w.context, def, &b->engine);
    out.opened = status == CAROM_OK;
    assert_true(out.opened || status == CAROM_UNAVAILABLE);
    for (int i = 0; i < 6 && out.opened; i++)
    {
        carom_scene_report truth, report;
        b->poses[0] = world_random_pose(&random, 0.0), b->poses[1] = world_random_pose(&random, 0.5);
        for (int k = 0; k < 2; k++)
            assert_int_equal(carom_scene_move(b->scene, b->ids[k], &b->poses[k]), CAROM_OK);
        assert_int_equal(run(b, b->truth, NULL, &truth), CAROM_OK);
        assert_int_equal(run(b, b->engine, NULL, &report), CAROM_OK);
        compare_pairs(b, &truth, &report, t);
        out.largest = fmax(out.largest, report.counters.sampled_size);
    }
    carom_engine_stats stats = out.opened ? carom_engine_get_stats(b->engine) : (carom_engine_stats){.images = 1};
    assert_true(stats.images > 0);
    out.pixels = (double)stats.pixels / (double)stats.images;
    carom_engine_destroy(b->engine);
    return out;
}

/* The resolution follows from the wanted size; with too few pixels for it, the answer says so. */
static void test_accuracy(void **state)
{
    (void)state;
    static const double wanted[] = {0.3, 0.1, 0.02, 0.005};
    bench b = {.w = world_open()};
    carom_mesh *meshes[2] = {world_shape(&b.w, GENERATE_TORUS, 300), world_shape(&b.w, GENERATE_HAND, 300)};
    b.mesh[0] = meshes[0], b.mesh[1] = meshes[1];
    open_bench(&b);
    for (size_t e = 0; e < sizeof ENGINES / sizeof ENGINES[0]; e++)
    {
        double pixels = 0.0;
        for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        {
            tally t = {0};
            carom_engine_def def = carom_engine_def_default();
            def.engine = ENGINES[e], def.image_accuracy = wanted[i];
            stated_size fine = state_size(&b, &def, &t);
            def.image_side = 2;
            stated_size coarse = state_size(&b, &def, &t);
            if (!fine.opened)
                break;
            printf("%s: %g wanted, %g stated, %.0f pixels per image; with 2 x 2, %g\n", ENGINES[e], wanted[i],
                   fine.largest, fine.pixels, coarse.largest);
            assert_true(fine.largest > 0.0 && fine.largest <= wanted[i]);
            /* no more pixels than it takes: half of them along a side would be too few somewhere */
            assert_true(fine.pixels > pixels && (i == 0 || 4.0 * fine.largest > wanted[i]));
            assert_true(i == 0 ? coarse.largest <= wanted[i] : coarse.largest > wanted[i]);
            pixels = fine.pixels;
        }
    }
    close_bench(&b);
    carom_mesh_destroy(meshes[0]), carom_mesh_destroy(meshes[1]);
    world_close(&b.w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pieces), cmocka_unit_test(test_accuracy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
