/* Everything that can be wrong with an argument of a query or a scene: a status that fits, a message that names the
 * culprit, a report that says so, and a query that works afterwards. */
#ifdef __linux__
#define _GNU_SOURCE /* feenableexcept. NOLINT(bugprone-reserved-identifier): the system's own word */
#endif
#include "query/world.h"

#include <fenv.h>
#include <float.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <xmmintrin.h>
#endif

typedef struct fixture
{
    world w, other;
    carom_mesh *box, *second, *foreign;
    carom_tree *second_tree;
    carom_placed good;
} fixture;

static fixture open_fixture(void)
{
    fixture f = {.w = world_open(), .other = world_open()};
    f.box = world_box(&f.w, 0, 0, 0, 1, 1, 1);
    f.second = world_box(&f.w, 0, 0, 0, 2, 2, 2);
    f.foreign = world_box(&f.other, 0, 0, 0, 2, 2, 2);
    assert_int_equal(carom_tree_create(f.w.context, f.second, NULL, &f.second_tree), CAROM_OK);
    f.good = world_place(f.box, 0, 0, 0);
    return f;
}

static void close_fixture(fixture *f)
{
    carom_tree_destroy(f->second_tree);
    carom_mesh_destroy(f->box);
    carom_mesh_destroy(f->second);
    carom_mesh_destroy(f->foreign);
    world_close(&f->w);
    world_close(&f->other);
}

/* Every way to spoil a placed body. */
enum
{
    SPOILED_COUNT = 4 + 12 * 3 + 3 + 2
};

static const carom_placed *spoil(const fixture *f, int how, carom_placed *out, carom_status *expected)
{
    *out = f->good;
    *expected = CAROM_INVALID_ARGUMENT;
    if (how == 0)
        return NULL;
    if (how == 1)
        return out->shape.mesh = NULL, out;
    if (how == 2)
        return out->shape.tree = f->second_tree, out;
    if (how == 3)
        return out->shape.mesh = f->foreign, out;
    how -= 4;
    double *numbers[12];
    for (int i = 0; i < 9; i++)
        numbers[i] = &out->pose.rotation[i];
    numbers[9] = &out->pose.translation.x, numbers[10] = &out->pose.translation.y,
    numbers[11] = &out->pose.translation.z;
    if (how < 36)
    {
        const double bad[] = {NAN, INFINITY, -INFINITY};
        *expected = CAROM_NOT_FINITE;
        *numbers[how / 3] = bad[how % 3];
        return out;
    }
    how -= 36;
    if (how < 3)
    {
        *expected = CAROM_OUT_OF_RANGE;
        *numbers[9 + how] = -0x1.8p100;
        return out;
    }
    *expected = CAROM_NOT_RIGID;
    *numbers[0] = how == 3 ? 1.0 + 1e-6 : -1.0; /* stretched, mirrored */
    return out;
}

static void check_still_works(const fixture *f)
{
    carom_report report;
    assert_int_equal(carom_collide(f->w.query, &f->good, &f->good, NULL, &report), CAROM_OK);
    assert_true(report.pair_count > 0);
}

static void spoiled_bodies_are_refused_everywhere(void **state)
{
    (void)state;
    fixture f = open_fixture();
    for (int how = 0; how < SPOILED_COUNT; how++)
        for (int side = 0; side < 2; side++)
        {
            carom_placed storage;
            carom_status expected;
            const carom_placed *bad = spoil(&f, how, &storage, &expected);
            const carom_placed *a = side == 0 ? bad : &f.good, *b = side == 1 ? bad : &f.good;
            const char *culprit = side == 0 ? "body a" : "body b";
            carom_report report;
            assert_int_equal(carom_collide(f.w.query, a, b, NULL, &report), expected);
            assert_int_equal(report.status, expected);
            assert_int_equal(report.pair_count, 0);
            world_check_message(&f.w, culprit);
            assert_int_equal(carom_distance(f.w.query, a, b, NULL, &report), expected);
            assert_int_equal(report.status, expected);
            world_check_message(&f.w, culprit);
            bool within = true;
            assert_int_equal(carom_within(f.w.query, a, b, 1.0, &within), expected);
            assert_false(within);
            world_check_message(&f.w, culprit);
            if (side == 1)
                continue;
            carom_ray ray = {{-1, 0.5, 0.5}, {1, 0, 0}, INFINITY};
            carom_ray_report hits;
            assert_int_equal(carom_ray_cast(f.w.query, bad, &ray, CAROM_RAY_ALL, &hits), expected);
            assert_int_equal(hits.status, expected);
            world_check_message(&f.w, "body");
        }
    check_still_works(&f);
    close_fixture(&f);
}

/* Queries check poses in a faster way than carom_pose_check; both must agree, also just within the limits. */
static void queries_take_what_the_pose_check_takes(void **state)
{
    (void)state;
    fixture f = open_fixture();
    check_random random = {71};
    const double values[] = {NAN, INFINITY, -INFINITY, 0x1p100, -0x1p100, 0x1.0000000000001p100, 1e308, -1e308, 0.0};
    int accepted = 0, rounds = 3000;
    for (int round = 0; round < rounds; round++)
    {
        carom_placed odd = f.good;
        double quaternion[4];
        for (int i = 0; i < 4; i++)
            quaternion[i] = check_uniform(&random, -1.0, 1.0);
        odd.pose = carom_pose_from_quaternion(quaternion, (carom_vec3){1.0, 2.0, 3.0});
        double *t[3] = {&odd.pose.translation.x, &odd.pose.translation.y, &odd.pose.translation.z};
        for (int i = 0; i < 3; i++)
            if (check_next(&random) % 2 == 0)
                *t[i] = values[round % 2 ? 3 + check_next(&random) % 2 : check_next(&random) % 9];
        for (int spoiled = (int)(check_next(&random) % 4) - 1; spoiled > 0; spoiled--)
        {
            double *entry = &odd.pose.rotation[check_next(&random) % 9];
            *entry = round % 3 == 0 ? values[check_next(&random) % 9] : *entry + check_uniform(&random, -1e-9, 1e-9);
        }
        carom_status expected = carom_pose_check(&odd.pose);
        carom_report report;
        carom_collide_options options = {.mode = CAROM_COLLIDE_ANY};
        assert_int_equal(carom_collide(f.w.query, &f.good, &odd, &options, &report), expected);
        assert_int_equal(carom_collide(f.w.query, &odd, &f.good, &options, &report), expected);
        accepted += expected == CAROM_OK;
    }
    assert_true(accepted > rounds / 10 && accepted < rounds * 9 / 10);
    close_fixture(&f);
}

static void scenes_refuse_the_same(void **state)
{
    (void)state;
    fixture f = open_fixture();
    carom_scene *scene;
    assert_int_equal(carom_scene_create(NULL, &scene), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_scene_create(f.w.context, NULL), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_scene_create(f.w.context, &scene), CAROM_OK);
    carom_body_def def = carom_body_def_default();
    carom_body_id id, refused;
    def.placed = f.good;
    assert_int_equal(carom_scene_add(scene, &def, &id), CAROM_OK);
    for (int how = 1; how < SPOILED_COUNT; how++)
    {
        carom_status expected;
        spoil(&f, how, &def.placed, &expected);
        assert_int_equal(carom_scene_add(scene, &def, &refused), expected);
        assert_int_equal(refused.index, 0);
        world_check_message(&f.w, "body to add");
        if (how >= 4)
        {
            assert_int_equal(carom_scene_move(scene, id, &def.placed.pose), expected);
            world_check_message(&f.w, "body 1");
        }
    }
    carom_frame frame;
    carom_pose pose = carom_pose_identity();
    assert_int_equal(carom_scene_add(NULL, &def, &refused), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_scene_add(scene, NULL, &refused), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_scene_add(scene, &def, NULL), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_scene_move(NULL, id, &pose), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_scene_move(scene, id, NULL), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_scene_remove(NULL, id), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_scene_frame(NULL, &frame), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_scene_frame(scene, NULL), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_scene_frame(scene, &frame), CAROM_OK);
    assert_int_equal(frame.body_count, 1); /* refusals changed nothing */
    assert_true(frame.bodies[0].placed.pose.translation.x == 0.0);
    carom_scene_destroy(scene);
    carom_scene_destroy(NULL);
    close_fixture(&f);
}

static void null_pointers_are_refused(void **state)
{
    (void)state;
    fixture f = open_fixture();
    carom_query *query;
    carom_pair_cache *cache;
    carom_report report;
    carom_ray_report hits;
    carom_ray ray = {{-1, 0.5, 0.5}, {1, 0, 0}, INFINITY};
    bool within;
    assert_int_equal(carom_query_create(NULL, &query), CAROM_INVALID_ARGUMENT);
    assert_null(query);
    assert_int_equal(carom_query_create(f.w.context, NULL), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_pair_cache_create(NULL, &cache), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_pair_cache_create(f.w.context, NULL), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_collide(NULL, &f.good, &f.good, NULL, &report), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_collide(f.w.query, &f.good, &f.good, NULL, NULL), CAROM_INVALID_ARGUMENT);
    world_check_message(&f.w, "report is null");
    assert_int_equal(carom_distance(NULL, &f.good, &f.good, NULL, &report), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_distance(f.w.query, &f.good, &f.good, NULL, NULL), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_within(NULL, &f.good, &f.good, 1.0, &within), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_within(f.w.query, &f.good, &f.good, 1.0, NULL), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_ray_cast(NULL, &f.good, &ray, CAROM_RAY_ALL, &hits), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_ray_cast(f.w.query, &f.good, NULL, CAROM_RAY_ALL, &hits), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_ray_cast(f.w.query, &f.good, &ray, CAROM_RAY_ALL, NULL), CAROM_INVALID_ARGUMENT);
    carom_query_destroy(NULL);
    carom_pair_cache_destroy(NULL);
    check_still_works(&f);
    close_fixture(&f);
}

static bool ignore_pair(const carom_pair *pair, void *user)
{
    (void)pair, (void)user;
    return true;
}

static void contradictory_options_are_refused(void **state)
{
    (void)state;
    fixture f = open_fixture();
    carom_pair_cache *foreign_cache;
    assert_int_equal(carom_pair_cache_create(f.other.context, &foreign_cache), CAROM_OK);
    const struct
    {
        carom_collide_options options;
        carom_status expected;
        const char *culprit;
    } cases[] = {
        {{.mode = (carom_collide_mode)3}, CAROM_INVALID_ARGUMENT, "mode 3"},
        {{.mode = (carom_collide_mode)-1}, CAROM_INVALID_ARGUMENT, "mode"},
        {{.clearance = NAN}, CAROM_NOT_FINITE, "clearance"},
        {{.clearance = INFINITY}, CAROM_NOT_FINITE, "clearance"},
        {{.clearance = -1.0}, CAROM_INVALID_ARGUMENT, "clearance"},
        {{.clearance = 0x1p101}, CAROM_OUT_OF_RANGE, "clearance"},
        {{.budget = {.seconds = NAN}}, CAROM_NOT_FINITE, "budget.seconds"},
        {{.budget = {.seconds = -1.0}}, CAROM_INVALID_ARGUMENT, "budget.seconds"},
        {{.contacts = true, .mode = CAROM_COLLIDE_COUNT}, CAROM_INVALID_ARGUMENT, "contacts"},
        {{.contacts = true, .mode = CAROM_COLLIDE_ANY}, CAROM_INVALID_ARGUMENT, "contacts"},
        {{.contacts = true, .mode = CAROM_COLLIDE_ALL, .on_pair = ignore_pair}, CAROM_INVALID_ARGUMENT, "contacts"},
        {{.on_pair = ignore_pair, .mode = CAROM_COLLIDE_ANY}, CAROM_INVALID_ARGUMENT, "on_pair"},
        {{.cache = foreign_cache}, CAROM_INVALID_ARGUMENT, "cache"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        carom_report report;
        assert_int_equal(carom_collide(f.w.query, &f.good, &f.good, &cases[i].options, &report), cases[i].expected);
        assert_int_equal(report.status, cases[i].expected);
        world_check_message(&f.w, cases[i].culprit);
    }
    const struct
    {
        carom_distance_options options;
        carom_status expected;
    } bounds[] = {
        {{.upper_bound = NAN}, CAROM_NOT_FINITE},
        {{.upper_bound = -1.0}, CAROM_INVALID_ARGUMENT},
        {{.budget = {.seconds = NAN}}, CAROM_NOT_FINITE},
        {{.cache = foreign_cache}, CAROM_INVALID_ARGUMENT},
        {{.upper_bound = INFINITY}, CAROM_OK},
    };
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
    {
        carom_report report;
        assert_int_equal(carom_distance(f.w.query, &f.good, &f.good, &bounds[i].options, &report), bounds[i].expected);
    }
    bool within;
    assert_int_equal(carom_within(f.w.query, &f.good, &f.good, NAN, &within), CAROM_NOT_FINITE);
    assert_int_equal(carom_within(f.w.query, &f.good, &f.good, -1.0, &within), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_within(f.w.query, &f.good, &f.good, INFINITY, &within), CAROM_OK);
    assert_true(within);
    carom_pair_cache_destroy(foreign_cache);
    check_still_works(&f);
    close_fixture(&f);
}

/* Whatever else decides the question: an empty partner, one far away, an infinite distance. */
static void trees_for_rays_are_refused_by_pair_questions(void **state)
{
    (void)state;
    fixture f = open_fixture();
    carom_tree_def def = carom_tree_def_preset(CAROM_TREE_RAYS);
    carom_tree *tree;
    assert_int_equal(carom_tree_create(f.w.context, f.box, &def, &tree), CAROM_OK);
    carom_mesh *empty = world_mesh(&f.w, NULL, 0, NULL, 0);
    carom_placed rays = {carom_shape_tree(tree), carom_pose_identity()};
    const carom_placed partners[] = {f.good,
                                     world_place(f.second, 100, 0, 0),
                                     world_place(empty, 0, 0, 0),
                                     {carom_shape_sphere(1.0), carom_pose_identity()}};
    for (int i = 0; i < 8; i++)
    {
        const carom_placed *a = i % 2 ? &rays : &partners[i / 2], *b = i % 2 ? &partners[i / 2] : &rays;
        carom_report report;
        bool within;
        assert_int_equal(carom_collide(f.w.query, a, b, NULL, &report), CAROM_UNSUPPORTED);
        assert_int_equal(carom_distance(f.w.query, a, b, NULL, &report), CAROM_UNSUPPORTED);
        assert_int_equal(carom_within(f.w.query, a, b, 1.0, &within), CAROM_UNSUPPORTED);
        assert_int_equal(carom_within(f.w.query, a, b, INFINITY, &within), CAROM_UNSUPPORTED);
        world_check_message(&f.w, i % 2 ? "body a: its tree is one for rays" : "body b: its tree is one for rays");
    }
    carom_mesh_destroy(empty);
    carom_tree_destroy(tree);
    close_fixture(&f);
}

static void spoiled_rays_are_refused(void **state)
{
    (void)state;
    fixture f = open_fixture();
    const carom_ray good = {{-1, 0.25, 0.5}, {1, 0, 0}, INFINITY};
    carom_ray_report hits;
    const double bad[] = {NAN, INFINITY, -INFINITY, 0x1p101};
    for (int i = 0; i < 6 * 4; i++)
    {
        carom_ray ray = good;
        double *numbers[] = {&ray.origin.x,    &ray.origin.y,    &ray.origin.z,
                             &ray.direction.x, &ray.direction.y, &ray.direction.z};
        *numbers[i / 4] = bad[i % 4];
        carom_status expected = i % 4 == 3 ? CAROM_OUT_OF_RANGE : CAROM_NOT_FINITE;
        assert_int_equal(carom_ray_cast(f.w.query, &f.good, &ray, CAROM_RAY_ALL, &hits), expected);
        world_check_message(&f.w, i / 4 < 3 ? "origin" : "direction");
    }
    carom_ray ray = good;
    ray.direction = (carom_vec3){0, 0, 0};
    assert_int_equal(carom_ray_cast(f.w.query, &f.good, &ray, CAROM_RAY_ALL, &hits), CAROM_INVALID_ARGUMENT);
    ray = good, ray.max_t = NAN;
    assert_int_equal(carom_ray_cast(f.w.query, &f.good, &ray, CAROM_RAY_ALL, &hits), CAROM_NOT_FINITE);
    ray.max_t = -1.0;
    assert_int_equal(carom_ray_cast(f.w.query, &f.good, &ray, CAROM_RAY_ALL, &hits), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_ray_cast(f.w.query, &f.good, &good, (carom_ray_mode)7, &hits), CAROM_INVALID_ARGUMENT);
    ray.max_t = 0.0;
    assert_int_equal(carom_ray_cast(f.w.query, &f.good, &ray, CAROM_RAY_ALL, &hits), CAROM_OK);
    assert_int_equal(hits.hit_count, 0);
    assert_int_equal(carom_ray_cast(f.w.query, &f.good, &good, CAROM_RAY_ALL, &hits), CAROM_OK);
    assert_int_equal(hits.hit_count, 2);
    close_fixture(&f);
}

/* What float modes are tried on. */
typedef struct entrances
{
    fixture f;
    carom_scene *scene;
    carom_engine *engine;
} entrances;

static entrances open_entrances(void)
{
    entrances e = {.f = open_fixture()};
    assert_int_equal(carom_scene_create(e.f.w.context, &e.scene), CAROM_OK);
    assert_int_equal(carom_engine_create(e.f.w.context, NULL, &e.engine), CAROM_OK);
    return e;
}

static void close_entrances(entrances *e)
{
    carom_engine_destroy(e->engine);
    carom_scene_destroy(e->scene);
    close_fixture(&e->f);
}

/* Do all of them say CAROM_FLOAT_MODE with these words? Computes nothing itself, so that it can be asked in any mode.
 */
static bool all_refuse(entrances *e, const char *words)
{
    fixture *f = &e->f;
    carom_report report;
    carom_ray_report hits;
    carom_scene_report frame_report;
    carom_body_id id;
    carom_frame frame = {0};
    carom_ray ray = {{-1, 0.5, 0.5}, {1, 0, 0}, INFINITY};
    carom_body_def def = carom_body_def_default();
    def.placed = f->good;
    bool within;
    carom_tree *tree = NULL;
    const carom_status said[] = {
        carom_collide(f->w.query, &f->good, &f->good, NULL, &report),
        carom_distance(f->w.query, &f->good, &f->good, NULL, &report),
        carom_within(f->w.query, &f->good, &f->good, 1.0, &within),
        carom_ray_cast(f->w.query, &f->good, &ray, CAROM_RAY_ALL, &hits),
        carom_tree_create(f->w.context, f->box, NULL, &tree),
        carom_scene_add(e->scene, &def, &id),
        carom_engine_run(e->engine, &frame, NULL, &frame_report),
    };
    carom_tree_destroy(tree); /* it was made where the mode is not in force */
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (said[i] != CAROM_FLOAT_MODE)
            return false;
    char message[256];
    carom_context_message(f->w.context, message, sizeof message);
    return strstr(message, words) != NULL;
}

#if defined(__x86_64__) || defined(__i386__)
/* Is a mode that flushes in force? The processor that valgrind imitates has none. */
static bool flushes_denormals(void)
{
    volatile double smallest = DBL_MIN, denormal = DBL_TRUE_MIN;
    volatile double half = smallest * 0.5, grown = denormal * 0x1p60;
    return half == 0.0 || grown == 0.0;
}
#endif

/* Is a rounding other than to nearest in force? Valgrind's sums know no other. */
static bool rounds_otherwise(void)
{
    volatile double one = 1.0, dust = 0x1p-60;
    volatile double above = one + dust, below = one - dust;
    return above != 1.0 || below != 1.0;
}

static void other_float_modes_are_refused(void **state)
{
    (void)state;
    entrances e = open_entrances();
    const int roundings[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (int i = 0; i < 3; i++)
    {
        fesetround(roundings[i]);
        bool in_force = rounds_otherwise(), refused = all_refuse(&e, "rounding other than");
        fesetround(FE_TONEAREST);
        if (in_force)
            assert_true(refused);
        else
            print_message("SKIPPED: rounding %d: this processor rounds to nearest all the same (valgrind's?)\n", i);
    }
#if defined(__x86_64__) || defined(__i386__)
    unsigned before = _mm_getcsr();
    const unsigned flushes[] = {0x8000, 0x0040};
    for (int i = 0; i < 2; i++)
    {
        _mm_setcsr(before | flushes[i]);
        bool in_force = flushes_denormals(), refused = all_refuse(&e, "denormals flushed");
        _mm_setcsr(before);
        if (in_force)
            assert_true(refused);
        else
            print_message("SKIPPED: mode 0x%04x: this processor does not flush denormals (valgrind's?)\n", flushes[i]);
    }
#endif
    check_still_works(&e.f);
    close_entrances(&e);
}

#ifdef __GLIBC__
/* Valgrind's processor can't trap. */
static bool can_trap(void)
{
    feenableexcept(FE_INEXACT);
    bool traps = fegetexcept() == FE_INEXACT;
#if defined(__x86_64__) || defined(__i386__)
    traps = traps && (_mm_getcsr() & 0x1f80) != 0x1f80;
#endif
    fedisableexcept(FE_ALL_EXCEPT);
    return traps;
}

/* Poses have no context that could refuse the mode: they are made and checked in any. */
static bool make_poses(void)
{
    const double tilted[4] = {0.1, 0.2, 0.3, 0.4}, none[4] = {0, 0, 0, 0}, odd[4] = {INFINITY, NAN, 0, 1};
    const double huge[12] = {1e200, 0, 0, 0, 0, 1e200, 0, 0, 0, 0, 1e200, 0};
    const double rounded[12] = {0.9553365, -0.2955202, 0, 1, 0.2955202, 0.9553365, 0, 2, 0, 0, 1, 3};
    const carom_vec3 origin = {0, 0, 0}, point = {1, 2, 3};
    carom_pose good = carom_pose_from_quaternion(tilted, origin), out;
    carom_pose bad[] = {carom_pose_from_quaternion(none, origin), carom_pose_from_quaternion(odd, origin),
                        carom_pose_translation(INFINITY, 0, 0)};
    bool right = carom_pose_check(&good) == CAROM_OK && carom_pose_from_matrix(rounded, &out) == CAROM_OK &&
                 carom_pose_from_matrix(huge, &out) == CAROM_NOT_RIGID;
    for (int i = 0; i < 3; i++)
        right = right && carom_pose_check(&bad[i]) == CAROM_NOT_FINITE;
    carom_vec3 placed = carom_pose_apply(&bad[2], point);
    return right && !(placed.x < INFINITY);
}

/* 0: with these exceptions trapped, everything refuses, contexts and queries come and go, and afterwards all works. */
static int use_with_traps(int exceptions)
{
    entrances e = open_entrances();
    feenableexcept(exceptions);
    bool refused = all_refuse(&e, "traps on");
    carom_context *context = NULL;
    carom_query *query = NULL;
    bool created = carom_context_create(NULL, &context) == CAROM_OK;
    created = created && carom_query_create(context, &query) == CAROM_OK;
    carom_query_destroy(query);
    carom_context_destroy(context);
    bool posed = make_poses();
    fedisableexcept(FE_ALL_EXCEPT);
    carom_report report;
    bool works = carom_collide(e.f.w.query, &e.f.good, &e.f.good, NULL, &report) == CAROM_OK && report.pair_count > 0;
    close_entrances(&e);
    return refused && created && posed && works ? 0 : 1;
}

static void traps_are_refused_not_fallen_into(void **state)
{
    (void)state;
    if (!can_trap())
    {
        print_message("SKIPPED: this processor does not trap (valgrind's?)\n");
        skip();
    }
    const int exceptions[] = {FE_INVALID, FE_DIVBYZERO, FE_OVERFLOW, FE_UNDERFLOW, FE_INEXACT, FE_ALL_EXCEPT};
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
    {
        fflush(NULL);
        pid_t child = fork(); /* a SIGFPE must end the child, not the test */
        assert_true(child >= 0);
        if (child == 0)
        {
            signal(SIGFPE, SIG_DFL);
            _exit(use_with_traps(exceptions[i]));
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            fail_msg("exceptions 0x%x: %s %d", (unsigned)exceptions[i], WIFEXITED(status) ? "exit" : "signal",
                     WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spoiled_bodies_are_refused_everywhere),
        cmocka_unit_test(queries_take_what_the_pose_check_takes),
        cmocka_unit_test(scenes_refuse_the_same),
        cmocka_unit_test(null_pointers_are_refused),
        cmocka_unit_test(contradictory_options_are_refused),
        cmocka_unit_test(trees_for_rays_are_refused_by_pair_questions),
        cmocka_unit_test(spoiled_rays_are_refused),
        cmocka_unit_test(other_float_modes_are_refused),
#ifdef __GLIBC__
        cmocka_unit_test(traps_are_refused_not_fallen_into),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
