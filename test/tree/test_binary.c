/* Every volume with every builder against all pairs: collide, distance, within, clearance, rays, budgets, memory. */
#include "support/check.h"

#include "scenes/generate.h"
#include "scenes/numeric.h"
#include "tree/tree.h"

#include <stdlib.h>

/* ---- scenes ---- */

static carom_context *context;

static carom_mesh *shape(generate_kind kind, uint32_t triangles, double size)
{
    generate_def def = generate_def_default(kind);
    def.triangles = triangles, def.size = size;
    carom_mesh *mesh;
    assert_int_equal(generate_mesh(context, &def, &mesh), CAROM_OK);
    return mesh;
}

static carom_mesh *mesh_of(const carom_vec3 *corners, size_t triangles)
{
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices = corners, def.vertex_type = CAROM_FLOAT64, def.vertex_count = 3 * triangles;
    def.index_type = CAROM_INDEX_NONE, def.triangle_count = triangles;
    carom_mesh *mesh;
    assert_int_equal(carom_mesh_create(context, &def, &mesh), CAROM_OK);
    return mesh;
}

/* Needles, segments, points, coplanar and repeated triangles on a coarse lattice, so that touching is common. */
static carom_mesh *soup(uint64_t seed, carom_vec3 offset, double scale)
{
    enum
    {
        COUNT = 90
    };
    carom_vec3 corners[3 * COUNT];
    check_random random = {seed};
    for (int i = 0; i < COUNT; i++)
    {
        carom_vec3 base = vec3((double)(check_next(&random) % 5), (double)(check_next(&random) % 5),
                               (double)(check_next(&random) % 5));
        for (int k = 0; k < 3; k++)
        {
            carom_vec3 step = vec3((double)(check_next(&random) % 3), (double)(check_next(&random) % 3),
                                   (double)(check_next(&random) % 3));
            if (i % 7 == 0)
                step = vec3_scale(step, k == 2 ? 0.5 : 1.0), step.z = 0.0;
            if (i % 11 == 0)
                step = vec3(0.0, 0.0, 0.0);
            corners[3 * i + k] = vec3_add(offset, vec3_scale(vec3_add(base, step), scale));
        }
    }
    memcpy(corners + 6, corners + 3, 3 * sizeof *corners); /* one twice */
    return mesh_of(corners, COUNT);
}

typedef struct scene
{
    carom_mesh *mesh_a, *mesh_b;
    carom_pose pose_a, pose_b;
    const char *name;
} scene;

enum
{
    SCENE_COUNT = 12
};

static scene scenes[SCENE_COUNT];

static void make_scenes(void)
{
    numeric_random random = {7};
    carom_pose one = carom_pose_identity(), turned = numeric_orientation(&random, vec3(0.4, 0.1, -0.2));
    carom_pose near = numeric_orientation(&random, vec3(1.1, 0.3, 0.2));
    carom_pose far = numeric_orientation(&random, vec3(1e9, -1e9, 1e9));
    carom_pose far_beside = numeric_orientation(&random, vec3(1e9 + 0.5, -1e9, 1e9));
    carom_pose upright = {{0, -1, 0, 1, 0, 0, 0, 0, 1}, {1.0, 0.0, 0.0}};
    carom_mesh *torus = shape(GENERATE_TORUS, 180, 1.0), *knot = shape(GENERATE_TORUS_KNOT, 210, 1.0);
    carom_mesh *blob = shape(GENERATE_BLOB, 150, 1.0), *hand = shape(GENERATE_HAND, 200, 1.0);
    carom_vec3 origin = vec3(0, 0, 0);
    int n = 0;
    scenes[n++] = (scene){torus, knot, one, turned, "crossing"};
    scenes[n++] = (scene){knot, blob, turned, near, "near"};
    scenes[n++] = (scene){blob, blob, one, one, "the same place"};
    scenes[n++] = (scene){torus, torus, one, carom_pose_translation(0.31, 0.2, 0.1), "translation only"};
    scenes[n++] = (scene){hand, torus, one, carom_pose_translation(40.0, 3.0, 5.0), "apart"};
    scenes[n++] = (scene){hand, knot, far, far_beside, "1e9 from the origin"};
    scenes[n++] = (scene){soup(1, origin, 1.0), soup(2, origin, 1.0), one, upright, "lattice soup"};
    scenes[n++] =
        (scene){soup(3, origin, 1e12), soup(4, origin, 1e12), one, carom_pose_translation(1e12, 0, 0), "1e12"};
    scenes[n++] =
        (scene){soup(5, origin, 1e-12), soup(6, origin, 1e-12), one, carom_pose_translation(1e-12, 0, 0), "1e-12"};
    scenes[n++] = (scene){soup(7, vec3(1e7, 1e7, -1e7), 1.0), soup(8, vec3(1e7, 1e7, -1e7), 1.0), one,
                          carom_pose_translation(1.0, 0.5, 0), "far from their own origin"};
    scenes[n++] = (scene){soup(9, origin, 0x1p97), torus, one, one, "2^97 and 1"};
    scenes[n++] = (scene){torus, soup(10, origin, 0.2), turned, near, "soup near a torus"};
    assert_int_equal(n, SCENE_COUNT);
}

static void free_scenes(void)
{
    carom_mesh *freed[2 * SCENE_COUNT];
    int count = 0;
    for (int i = 0; i < 2 * SCENE_COUNT; i++)
    {
        carom_mesh *mesh = i % 2 ? scenes[i / 2].mesh_b : scenes[i / 2].mesh_a;
        bool seen = false;
        for (int k = 0; k < count; k++)
            seen |= freed[k] == mesh;
        if (!seen)
            freed[count++] = mesh;
    }
    for (int k = 0; k < count; k++)
        carom_mesh_destroy(freed[k]);
}

/* ---- truth ---- */

typedef struct pair_set
{
    uint64_t *items;
    size_t count, capacity;
} pair_set;

typedef struct truth
{
    pair_set pairs;       /* id_a << 32 | id_b, ascending */
    tree_closest closest; /* smallest (distance, a, b) */
} truth;

static void set_add(pair_set *set, uint32_t a, uint32_t b)
{
    if (set->count == set->capacity)
    {
        set->capacity = 2 * set->capacity + 64;
        set->items = realloc(set->items, set->capacity * sizeof *set->items);
        assert_non_null(set->items);
    }
    set->items[set->count++] = (uint64_t)a << 32 | b;
}

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void set_finish(pair_set *set)
{
    if (set->count > 0)
        qsort(set->items, set->count, sizeof *set->items, compare_u64);
    size_t kept = 0;
    for (size_t i = 0; i < set->count; i++)
        if (kept == 0 || set->items[kept - 1] != set->items[i])
            set->items[kept++] = set->items[i];
    set->count = kept;
}

static truth brute_force(const scene *s)
{
    truth t = {.closest = {.distance = INFINITY}};
    carom_placed a = {s->mesh_a, NULL, s->pose_a}, b = {s->mesh_b, NULL, s->pose_b};
    narrow_counts counts = {0};
    for (uint32_t i = 0; i < a.mesh->triangle_count; i++)
    {
        narrow_triangle ta = tree_world_triangle(&a, i);
        for (uint32_t j = 0; j < b.mesh->triangle_count; j++)
        {
            narrow_triangle tb = tree_world_triangle(&b, j);
            if (narrow_meet(&ta, &tb, &counts) != CAROM_MEET_NONE)
                set_add(&t.pairs, i, j);
            narrow_distance_result d = narrow_distance(&ta, &tb, &counts);
            if (d.distance < t.closest.distance) /* ids ascend, so the first of equals stays */
                t.closest = (tree_closest){d.distance, d.distance, d.point_a, d.point_b, i, j};
        }
    }
    set_finish(&t.pairs);
    return t;
}

/* ---- asking ---- */

typedef struct asking
{
    carom_placed a, b;
    tree_scratch scratch;
    base_budget budget;
    carom_counters counters;
    tree_memory memory;
} asking;

/* After the volumes, the wide layout with its two presets. */
enum
{
    WIDE_FAST = CAROM_VOLUME_COUNT,
    WIDE_TIGHT,
    KIND_COUNT
};

static carom_tree *wide_over(const carom_mesh *mesh, int kind)
{
    carom_tree_def def = carom_tree_def_preset(kind == WIDE_FAST ? CAROM_TREE_FAST : CAROM_TREE_TIGHT);
    carom_tree *tree;
    assert_int_equal(carom_tree_create(context, mesh, &def, &tree), CAROM_OK);
    return tree;
}

static carom_tree *tree_over(const carom_mesh *mesh, carom_volume volume, carom_builder builder)
{
    if ((int)volume >= WIDE_FAST)
        return wide_over(mesh, (int)volume);
    carom_tree_def def = carom_tree_def_default();
    def.layout = CAROM_LAYOUT_BINARY, def.volume = volume, def.builder = builder;
    def.obb_fit = (carom_obb_fit)(builder % 3);
    def.leaf_size = builder % 2 ? 3 : 0;
    carom_tree *tree;
    assert_int_equal(carom_tree_create(context, mesh, &def, &tree), CAROM_OK);
    return tree;
}

static asking ask(const scene *s, const carom_tree *tree_a, const carom_tree *tree_b)
{
    return (asking){.a = {s->mesh_a, tree_a, s->pose_a},
                    .b = {s->mesh_b, tree_b, s->pose_b},
                    .scratch = {.context = context},
                    .budget = base_budget_begin(NULL)};
}

static tree_task task_of(asking *q)
{
    return (tree_task){context, &q->a, &q->b, &q->scratch, &q->memory, &q->budget, &q->counters};
}

static void done(asking *q)
{
    tree_scratch_free(&q->scratch);
    tree_memory_free(context, &q->memory);
}

static bool collect(uint32_t a, uint32_t b, uint32_t meeting, void *user)
{
    assert_int_not_equal(meeting, CAROM_MEET_NONE);
    set_add(user, a, b);
    return true;
}

static bool stop(uint32_t a, uint32_t b, uint32_t meeting, void *user)
{
    (void)meeting;
    set_add(user, a, b);
    return false;
}

static void check_set(const pair_set *found, const pair_set *expected, const char *what)
{
    if (found->count != expected->count)
        fail_msg("%s: %zu pairs instead of %zu", what, found->count, expected->count);
    for (size_t i = 0; i < expected->count; i++)
        if (found->items[i] != expected->items[i])
            fail_msg("%s: pair %zu differs", what, i);
}

static void check_closest(const tree_closest *found, const tree_closest *expected, const char *what)
{
    if (found->distance != expected->distance || found->triangle_a != expected->triangle_a ||
        found->triangle_b != expected->triangle_b || found->lower_bound != expected->lower_bound ||
        !vec3_equal(found->point_a, expected->point_a) || !vec3_equal(found->point_b, expected->point_b))
        fail_msg("%s: %.17g (%u, %u) bound %.17g instead of %.17g (%u, %u)", what, found->distance, found->triangle_a,
                 found->triangle_b, found->lower_bound, expected->distance, expected->triangle_a, expected->triangle_b);
}

/* All questions once; the memory left by one is there for the next. */
static void check_questions(asking *q, const truth *expected, const char *what)
{
    tree_task task = task_of(q);
    for (int round = 0; round < 2; round++)
    {
        pair_set found = {0};
        bool violated;
        tree_collide_options options = {.need_meeting = true, .on_pair = collect, .user = &found};
        assert_int_equal(tree_collide(&task, &options, &violated), CAROM_OK);
        set_finish(&found);
        check_set(&found, &expected->pairs, what);
        free(found.items);

        tree_closest closest = {.distance = INFINITY};
        assert_int_equal(tree_distance(&task, &closest), CAROM_OK);
        check_closest(&closest, &expected->closest, what);
    }
    bool meets = expected->pairs.count > 0;
    pair_set first = {0};
    tree_collide_options any = {.on_pair = stop, .user = &first};
    assert_int_equal(tree_collide(&task, &any, NULL), meets ? CAROM_STOPPED : CAROM_OK);
    assert_int_equal(first.count, meets ? 1 : 0);
    if (meets)
        assert_non_null(
            bsearch(first.items, expected->pairs.items, expected->pairs.count, sizeof *first.items, compare_u64));
    free(first.items);
}

static void check_limits(asking *q, const truth *expected, const char *what)
{
    double distance = expected->closest.distance;
    double limits[4] = {0.0, nextafter(distance, 0.0), distance, 2.0 * distance};
    for (int i = 0; i < 4; i++)
    {
        tree_task task = task_of(q);
        task.memory = i % 2 ? &q->memory : NULL;
        bool within, violated = false;
        assert_int_equal(tree_within(&task, limits[i], &within), CAROM_OK);
        if (within != (distance <= limits[i]))
            fail_msg("%s: within %g is %d, the distance %g", what, limits[i], within, distance);
        pair_set found = {0};
        double clearance = i == 0 ? nextafter(distance, INFINITY) : limits[i];
        tree_collide_options options = {.clearance = clearance, .on_pair = collect, .user = &found};
        assert_int_equal(tree_collide(&task, &options, &violated), CAROM_OK);
        set_finish(&found);
        check_set(&found, &expected->pairs, what);
        free(found.items);
        if (clearance > 0.0 && violated != (distance < clearance))
            fail_msg("%s: clearance %g violated is %d, the distance %g", what, clearance, violated, distance);
        tree_closest closest = {.distance = limits[i]};
        assert_int_equal(tree_distance(&task, &closest), CAROM_OK);
        if ((closest.triangle_a != CAROM_NO_TRIANGLE) != (distance <= limits[i]))
            fail_msg("%s: distance below %g wrongly %s", what, limits[i],
                     closest.triangle_a != CAROM_NO_TRIANGLE ? "found" : "missed");
    }
}

static void test_volumes_and_builders(void **state)
{
    (void)state;
    for (int i = 0; i < SCENE_COUNT; i++)
    {
        truth expected = brute_force(&scenes[i]);
        for (int volume = 0; volume < CAROM_VOLUME_COUNT; volume++)
            for (int builder = 0; builder < CAROM_BUILDER_COUNT; builder++)
            {
                char what[128];
                snprintf(what, sizeof what, "%s, %s, %s", scenes[i].name, carom_volume_name((carom_volume)volume),
                         carom_builder_name((carom_builder)builder));
                carom_tree *a = tree_over(scenes[i].mesh_a, (carom_volume)volume, (carom_builder)builder);
                carom_tree *b = tree_over(scenes[i].mesh_b, (carom_volume)volume, (carom_builder)builder);
                asking q = ask(&scenes[i], a, b);
                check_questions(&q, &expected, what);
                if (builder == volume)
                    check_limits(&q, &expected, what);
                done(&q);
                carom_tree_destroy(a), carom_tree_destroy(b);
            }
        free(expected.pairs.items);
    }
}

/* The wide layout with each instruction set the machine has. */
static void test_wide(void **state)
{
    (void)state;
    carom_simd best = context->simd;
    for (int simd = CAROM_SIMD_SCALAR; simd <= (int)best; simd++)
        for (int i = 0; i < SCENE_COUNT; i++)
            for (int kind = WIDE_FAST; kind < KIND_COUNT; kind++)
            {
                context->simd = (carom_simd)simd;
                truth expected = brute_force(&scenes[i]);
                char what[128];
                snprintf(what, sizeof what, "%s, wide %d, simd %d", scenes[i].name, kind - WIDE_FAST, simd);
                carom_tree *a = wide_over(scenes[i].mesh_a, kind), *b = wide_over(scenes[i].mesh_b, kind);
                asking q = ask(&scenes[i], a, b);
                check_questions(&q, &expected, what);
                check_limits(&q, &expected, what);
                done(&q);
                carom_tree_destroy(a), carom_tree_destroy(b);
                free(expected.pairs.items);
            }
    context->simd = best;
}

/* One step of a path: mostly a little, now and then anywhere. */
static carom_pose next_pose(check_random *random, carom_pose pose, double size)
{
    double step = check_next(random) % 8 ? 0.01 : 0.6, turn = step < 0.1 ? 0.005 : 1.0, q[4], length = 1.0;
    for (int i = 0; i < 3; i++)
        q[i] = check_uniform(random, -turn, turn), length += q[i] * q[i];
    q[3] = 1.0;
    for (int i = 0; i < 4; i++)
        q[i] /= sqrt(length);
    carom_pose by = carom_pose_from_quaternion(q, vec3(0, 0, 0)), next = pose;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
        {
            next.rotation[3 * i + j] = 0.0;
            for (int k = 0; k < 3; k++)
                next.rotation[3 * i + j] += by.rotation[3 * i + k] * pose.rotation[3 * k + j];
        }
    double *t[3] = {&next.translation.x, &next.translation.y, &next.translation.z};
    for (int i = 0; i < 3; i++)
        *t[i] += check_uniform(random, -step, step) * size;
    return next;
}

static void check_without_memory(asking *q, bool any_first, const char *what)
{
    for (int question = 0; question < 2; question++)
    {
        tree_task with = task_of(q), without = with;
        without.memory = NULL;
        if ((question == 0) == any_first)
        {
            pair_set first = {0}, found = {0}, expected = {0};
            tree_collide_options any = {.on_pair = stop, .user = &first};
            tree_collide_options all = {.need_meeting = true, .on_pair = collect, .user = &found};
            carom_status status = tree_collide(&with, &any, NULL);
            assert_int_equal(tree_collide(&with, &all, NULL), CAROM_OK);
            all.user = &expected;
            assert_int_equal(tree_collide(&without, &all, NULL), CAROM_OK);
            set_finish(&found), set_finish(&expected);
            check_set(&found, &expected, what);
            assert_int_equal(status, expected.count ? CAROM_STOPPED : CAROM_OK);
            if (expected.count)
                assert_non_null(bsearch(first.items, expected.items, expected.count, sizeof *first.items, compare_u64));
            free(first.items), free(found.items), free(expected.items);
            continue;
        }
        tree_closest closest = {.distance = INFINITY}, expected = closest;
        assert_int_equal(tree_distance(&with, &closest), CAROM_OK);
        assert_int_equal(tree_distance(&without, &expected), CAROM_OK);
        check_closest(&closest, &expected, what);
    }
}

/* The answers along a path do not depend on what is remembered: small steps, jumps, other trees, refitted ones. */
static void test_memory_on_paths(void **state)
{
    (void)state;
    carom_simd best = context->simd;
    carom_mesh *meshes[3] = {shape(GENERATE_TORUS, 600, 1.0), shape(GENERATE_TORUS_KNOT, 900, 1.0),
                             shape(GENERATE_BLOB, 500, 1.0)};
    for (int simd = CAROM_SIMD_SCALAR; simd <= (int)best; simd++)
        for (int kind = WIDE_FAST; kind < KIND_COUNT; kind++)
        {
            context->simd = (carom_simd)simd;
            carom_tree *trees[3];
            for (int i = 0; i < 3; i++)
                trees[i] = wide_over(meshes[i], kind);
            check_random random = {(uint64_t)(100 * simd + kind)};
            scene s = {meshes[0], meshes[1], carom_pose_identity(), carom_pose_translation(0.9, 0.2, 0.1), "path"};
            asking q = ask(&s, trees[0], trees[1]);
            for (int step = 0; step < 120; step++)
            {
                char what[64];
                snprintf(what, sizeof what, "path, wide %d, simd %d, step %d", kind - WIDE_FAST, simd, step);
                q.b.pose = next_pose(&random, q.b.pose, 1.0);
                if (vec3_length(q.b.pose.translation) > 1.5)
                    q.b.pose.translation = vec3(0.8, -0.3, 0.2);
                if (step % 15 == 14) /* other trees, the same memory */
                    q.b.mesh = meshes[1 + step / 15 % 2], q.b.tree = trees[1 + step / 15 % 2];
                if (step % 25 == 24)
                    assert_int_equal(carom_tree_refit(trees[0], meshes[0]), CAROM_OK);
                check_without_memory(&q, check_next(&random) % 2, what);
                if (step % 40 != 39)
                    continue;
                scene now = {meshes[0], (carom_mesh *)(uintptr_t)q.b.mesh, q.a.pose, q.b.pose, "path"};
                truth expected = brute_force(&now);
                check_questions(&q, &expected, what);
                free(expected.pairs.items);
            }
            done(&q);
            for (int i = 0; i < 3; i++)
                carom_tree_destroy(trees[i]);
        }
    context->simd = best;
    for (int i = 0; i < 3; i++)
        carom_mesh_destroy(meshes[i]);
}

static void test_mixed_volumes(void **state)
{
    (void)state;
    for (int i = 0; i < SCENE_COUNT; i += 2)
    {
        truth expected = brute_force(&scenes[i]);
        for (int one = 0; one < CAROM_VOLUME_COUNT; one++)
            for (int other = 0; other < CAROM_VOLUME_COUNT; other++)
            {
                char what[128];
                snprintf(what, sizeof what, "%s, %s with %s", scenes[i].name, carom_volume_name((carom_volume)one),
                         carom_volume_name((carom_volume)other));
                carom_tree *a = tree_over(scenes[i].mesh_a, (carom_volume)one, CAROM_BUILDER_SAH);
                carom_tree *b = tree_over(scenes[i].mesh_b, (carom_volume)other, CAROM_BUILDER_MEDIAN);
                asking q = ask(&scenes[i], a, b);
                check_questions(&q, &expected, what);
                done(&q);
                carom_tree_destroy(a), carom_tree_destroy(b);
            }
        free(expected.pairs.items);
    }
}

static carom_tree *wide_tree_over(const carom_mesh *mesh, carom_volume volume)
{
    carom_tree_def def = carom_tree_def_default();
    def.volume = volume;
    carom_tree *tree;
    assert_int_equal(carom_tree_create(context, mesh, &def, &tree), CAROM_OK);
    return tree;
}

/* Every pair of layouts, in both orders. */
static void test_mixed_layouts(void **state)
{
    (void)state;
    static const carom_volume kinds[4] = {CAROM_VOLUME_OBB, CAROM_VOLUME_AABB, CAROM_VOLUME_KDOP18, CAROM_VOLUME_RSS};
    for (int i = 0; i < SCENE_COUNT; i++)
    {
        truth expected = brute_force(&scenes[i]);
        for (int one = 0; one < 6; one++)
            for (int other = 0; other < 6; other++)
            {
                char what[128];
                snprintf(what, sizeof what, "%s, layouts %d and %d", scenes[i].name, one, other);
                const carom_mesh *mesh_a = scenes[i].mesh_a, *mesh_b = scenes[i].mesh_b;
                carom_tree *a =
                    one < 2 ? wide_tree_over(mesh_a, kinds[one]) : tree_over(mesh_a, kinds[one - 2], CAROM_BUILDER_SAH);
                carom_tree *b = other < 2 ? wide_tree_over(mesh_b, kinds[other])
                                          : tree_over(mesh_b, kinds[other - 2], CAROM_BUILDER_MORTON);
                asking q = ask(&scenes[i], a, b);
                check_questions(&q, &expected, what);
                check_limits(&q, &expected, what);
                done(&q);
                carom_tree_destroy(a), carom_tree_destroy(b);
            }
        free(expected.pairs.items);
    }
}

/* ---- budgets ---- */

static void test_budget_is_honest(void **state)
{
    (void)state;
    for (int i = 0; i < SCENE_COUNT; i++)
    {
        truth expected = brute_force(&scenes[i]);
        for (int volume = 0; volume < KIND_COUNT; volume++)
        {
            carom_tree *a = tree_over(scenes[i].mesh_a, (carom_volume)volume, CAROM_BUILDER_SAH);
            carom_tree *b = tree_over(scenes[i].mesh_b, (carom_volume)volume, CAROM_BUILDER_SAH);
            for (uint64_t work = 1; work < 100000; work *= 3)
            {
                asking q = ask(&scenes[i], a, b);
                tree_task task = task_of(&q);
                q.budget = base_budget_begin(&(carom_budget){.work = work});
                tree_closest closest = {.distance = INFINITY};
                carom_status status = tree_distance(&task, &closest);
                assert_true(status == CAROM_OK || status == CAROM_UNKNOWN);
                assert_true(closest.lower_bound <= expected.closest.distance);
                assert_true(closest.distance >= expected.closest.distance);
                if (status == CAROM_OK)
                    check_closest(&closest, &expected.closest, scenes[i].name);
                assert_true(q.counters.boxes_tested + q.counters.triangles_tested <= work);

                q.budget = base_budget_begin(&(carom_budget){.work = work});
                q.counters = (carom_counters){0};
                pair_set found = {0};
                tree_collide_options options = {.on_pair = collect, .user = &found};
                task.memory = NULL;
                status = tree_collide(&task, &options, NULL);
                assert_true(status == CAROM_OK || status == CAROM_UNKNOWN);
                set_finish(&found);
                if (status == CAROM_OK)
                    check_set(&found, &expected.pairs, scenes[i].name);
                for (size_t k = 0; k < found.count; k++)
                    assert_non_null(bsearch(&found.items[k], expected.pairs.items, expected.pairs.count,
                                            sizeof *found.items, compare_u64));
                free(found.items);
                done(&q);
            }
            carom_tree_destroy(a), carom_tree_destroy(b);
        }
        free(expected.pairs.items);
    }
}

/* ---- rays ---- */

typedef struct ray_hits
{
    pair_set triangles;
    double nearest;
    uint32_t nearest_triangle;
    bool narrowing;
} ray_hits;

static double on_hit(uint32_t triangle, double t, const double uv[2], void *user)
{
    (void)uv;
    ray_hits *hits = user;
    set_add(&hits->triangles, 0, triangle);
    if (t < hits->nearest || (t == hits->nearest && triangle < hits->nearest_triangle))
        hits->nearest = t, hits->nearest_triangle = triangle;
    return hits->narrowing ? hits->nearest : INFINITY;
}

static void on_line(uint32_t triangle, void *user) { set_add(user, 0, triangle); }

static void check_rays(const carom_placed *placed, carom_ray ray, const char *what)
{
    tree_scratch scratch = {.context = context};
    carom_counters counters = {0};
    tree_ray_task task = {context, placed, &ray, &scratch, &counters, false};
    ray_hits expected = {.nearest = INFINITY, .nearest_triangle = UINT32_MAX};
    narrow_ray line = {ray.origin, ray.direction};
    narrow_counts counts = {0};
    for (uint32_t i = 0; i < placed->mesh->triangle_count; i++)
    {
        narrow_triangle triangle = tree_world_triangle(placed, i);
        double t, uv[2];
        if (narrow_ray_hit(&line, &triangle, &t, uv, &counts) && t <= ray.max_t)
            on_hit(i, t, uv, &expected);
    }
    set_finish(&expected.triangles);
    for (int narrowing = 0; narrowing < 2; narrowing++)
    {
        ray_hits found = {.nearest = INFINITY, .nearest_triangle = UINT32_MAX, .narrowing = narrowing};
        assert_int_equal(tree_ray(&task, on_hit, &found), CAROM_OK);
        set_finish(&found.triangles);
        if (!narrowing && isinf(ray.max_t))
            check_set(&found.triangles, &expected.triangles, what);
        if (found.nearest != expected.nearest || found.nearest_triangle != expected.nearest_triangle)
            fail_msg("%s: nearest hit %g %u instead of %g %u", what, found.nearest, found.nearest_triangle,
                     expected.nearest, expected.nearest_triangle);
        free(found.triangles.items);
    }
    pair_set met = {0};
    assert_int_equal(tree_line_x(&task, ray.origin, on_line, &met), CAROM_OK);
    set_finish(&met);
    line.direction = vec3(1, 0, 0);
    for (uint32_t i = 0; i < placed->mesh->triangle_count; i++)
    {
        narrow_triangle triangle = tree_world_triangle(placed, i);
        double t, uv[2];
        uint64_t id = i;
        if (narrow_ray_hit(&line, &triangle, &t, uv, &counts))
            assert_non_null(bsearch(&id, met.items, met.count, sizeof id, compare_u64));
    }
    free(met.items), free(expected.triangles.items);
    tree_scratch_free(&scratch);
}

static void test_rays(void **state)
{
    (void)state;
    check_random random = {5};
    uint64_t hits = 0;
    for (int i = 0; i < SCENE_COUNT; i++)
        for (int volume = 0; volume < KIND_COUNT; volume++)
        {
            carom_tree *tree = tree_over(scenes[i].mesh_b, (carom_volume)volume, CAROM_BUILDER_SAH);
            carom_placed placed = {scenes[i].mesh_b, tree, scenes[i].pose_b};
            for (int k = 0; k < 60; k++)
            {
                /* From a corner or beside, towards a corner, an edge or nowhere. */
                narrow_triangle from =
                    tree_world_triangle(&placed, (uint32_t)(check_next(&random) % scenes[i].mesh_b->triangle_count));
                narrow_triangle to =
                    tree_world_triangle(&placed, (uint32_t)(check_next(&random) % scenes[i].mesh_b->triangle_count));
                carom_vec3 target = k % 3 ? vec3_scale(vec3_add(to.corner[0], to.corner[1]), 0.5) : to.corner[2];
                carom_vec3 origin = k % 2 ? from.corner[0] : vec3_add(from.corner[0], vec3_sub(from.corner[1], target));
                carom_vec3 direction = vec3_sub(target, origin);
                if (k % 5 == 0)
                    direction = vec3(0, k % 10 ? 1 : -1e-3, 0);
                if (vec3_equal(direction, vec3(0, 0, 0)))
                    continue;
                check_rays(&placed, (carom_ray){origin, direction, k % 4 ? INFINITY : 0.75}, scenes[i].name);
                hits++;
            }
            carom_tree_destroy(tree);
        }
    assert_true(hits > 1000);
}

/* ---- objects ---- */

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(carom_volume_name(CAROM_VOLUME_OBB), "obb");
    assert_string_equal(carom_volume_name(CAROM_VOLUME_KDOP14), "kdop14");
    assert_string_equal(carom_volume_name(CAROM_VOLUME_RSS), "rss");
    assert_string_equal(carom_builder_name(CAROM_BUILDER_SAH), "sah");
    assert_string_equal(carom_builder_name(CAROM_BUILDER_MORTON), "morton");
    assert_null(carom_volume_name(CAROM_VOLUME_COUNT));
    assert_null(carom_builder_name((carom_builder)-1));
}

static void test_refusals(void **state)
{
    (void)state;
    carom_tree *tree;
    carom_tree_def def = carom_tree_def_default();
    assert_int_equal(carom_tree_create(NULL, scenes[0].mesh_a, &def, &tree), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_tree_create(context, NULL, &def, &tree), CAROM_INVALID_ARGUMENT);
    def.volume = (carom_volume)99;
    assert_int_equal(carom_tree_create(context, scenes[0].mesh_a, &def, &tree), CAROM_INVALID_ARGUMENT);
    def = carom_tree_def_default(), def.volume = CAROM_VOLUME_SPHERE;
    assert_int_equal(carom_tree_create(context, scenes[0].mesh_a, &def, &tree), CAROM_UNSUPPORTED);
    def = carom_tree_def_default(), def.balance_penalty = NAN;
    assert_int_equal(carom_tree_create(context, scenes[0].mesh_a, &def, &tree), CAROM_NOT_FINITE);
    assert_null(tree);
}

static void test_empty_mesh(void **state)
{
    (void)state;
    carom_mesh *empty = mesh_of(NULL, 0);
    for (int volume = 0; volume < KIND_COUNT; volume++)
    {
        carom_tree *a = tree_over(empty, (carom_volume)volume, CAROM_BUILDER_SAH);
        carom_tree *b = tree_over(scenes[0].mesh_b, (carom_volume)volume, CAROM_BUILDER_SAH);
        scene s = scenes[0];
        s.mesh_a = empty;
        asking q = ask(&s, a, b);
        tree_task task = task_of(&q);
        tree_closest closest = {.distance = INFINITY};
        assert_int_equal(tree_distance(&task, &closest), CAROM_OK);
        assert_int_equal(closest.triangle_a, CAROM_NO_TRIANGLE);
        pair_set found = {0};
        bool violated = true;
        tree_collide_options options = {.clearance = 1.0, .on_pair = collect, .user = &found};
        assert_int_equal(tree_collide(&task, &options, &violated), CAROM_OK);
        assert_false(violated);
        done(&q);
        assert_int_equal(carom_tree_get_info(a).node_count, 0);
        carom_tree_destroy(a), carom_tree_destroy(b);
    }
    carom_mesh_destroy(empty);
}

static void test_info(void **state)
{
    (void)state;
    for (int volume = 0; volume < CAROM_VOLUME_COUNT; volume++)
    {
        carom_tree *tree = tree_over(scenes[0].mesh_a, (carom_volume)volume, CAROM_BUILDER_SAH);
        carom_tree_info info = carom_tree_get_info(tree);
        assert_int_equal(info.node_count, 2 * info.leaf_count - 1);
        assert_int_equal(info.reference_count, scenes[0].mesh_a->triangle_count);
        assert_true(info.depth >= 8 && info.depth < 30);
        assert_true(info.area_cost > 1.0 && info.area_cost < 200.0);
        assert_true(info.volume_cost > 1.0 && info.volume_cost < 100.0);
        carom_tree_destroy(tree);
    }
}

/* ---- failing allocations ---- */

typedef struct rationed
{
    long left; /* allocations until one fails */
    long held;
} rationed;

static void *rationed_allocate(size_t size, size_t alignment, void *user)
{
    rationed *ration = user;
    if (ration->left-- <= 0)
        return NULL;
    ration->held++;
    size_t rounded = (size + alignment - 1) / alignment * alignment;
    return alignment <= sizeof(void *) ? malloc(size) : aligned_alloc(alignment, rounded);
}

static void rationed_release(void *memory, size_t size, void *user)
{
    (void)size;
    ((rationed *)user)->held--;
    free(memory);
}

/* Builds and asks with the n-th allocation failing; true once nothing failed. */
static bool survive(carom_context *rationed_context, rationed *ration, carom_volume volume, long allowed)
{
    carom_tree_def def = carom_tree_def_default();
    def.layout = CAROM_LAYOUT_BINARY, def.volume = volume;
    long held = ration->held;
    ration->left = allowed;
    carom_tree *tree;
    carom_status status = carom_tree_create(rationed_context, scenes[0].mesh_a, &def, &tree);
    if (status == CAROM_OK)
    {
        pair_set found = {0};
        carom_placed a = {scenes[0].mesh_a, tree, scenes[0].pose_a}, b = {scenes[0].mesh_a, tree, scenes[0].pose_b};
        tree_scratch scratch = {.context = rationed_context};
        base_budget budget = base_budget_begin(NULL);
        carom_counters counters = {0};
        tree_task task = {rationed_context, &a, &b, &scratch, NULL, &budget, &counters};
        tree_collide_options options = {.on_pair = collect, .user = &found};
        tree_closest closest = {.distance = INFINITY};
        status = tree_collide(&task, &options, NULL);
        if (status == CAROM_OK)
            status = tree_distance(&task, &closest);
        tree_scratch_free(&scratch);
        free(found.items);
    }
    carom_tree_destroy(tree);
    assert_true(status == CAROM_OK || status == CAROM_OUT_OF_MEMORY);
    assert_int_equal(ration->held, held);
    return status == CAROM_OK;
}

static void test_failing_allocations(void **state)
{
    (void)state;
    rationed ration = {.left = 1000};
    carom_context_def def = carom_context_def_default();
    def.allocator = (carom_allocator){rationed_allocate, rationed_release, &ration};
    carom_context *rationed_context;
    assert_int_equal(carom_context_create(&def, &rationed_context), CAROM_OK);
    for (int volume = 0; volume < CAROM_VOLUME_COUNT; volume++)
    {
        long allowed = 0;
        while (!survive(rationed_context, &ration, (carom_volume)volume, allowed))
            allowed++;
        assert_true(allowed > 4);
    }
    ration.left = 1000;
    carom_context_destroy(rationed_context);
    assert_int_equal(ration.held, 0);
}

static int set_up(void **state)
{
    (void)state;
    assert_int_equal(carom_context_create(NULL, &context), CAROM_OK);
    make_scenes();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free_scenes();
    carom_context_destroy(context);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),         cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_info),          cmocka_unit_test(test_failing_allocations),
        cmocka_unit_test(test_empty_mesh),    cmocka_unit_test(test_volumes_and_builders),
        cmocka_unit_test(test_wide),          cmocka_unit_test(test_memory_on_paths),
        cmocka_unit_test(test_mixed_volumes), cmocka_unit_test(test_mixed_layouts),
        cmocka_unit_test(test_rays),          cmocka_unit_test(test_budget_is_honest),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
