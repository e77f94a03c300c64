/* Scenes of two small bodies, their truth by all pairs, and the questions that every tree must answer like it. */
#ifndef TEST_LAYOUTS_H
#define TEST_LAYOUTS_H

#include "support/check.h"
#include "support/placed.h"
#include "support/soup.h"

#include "scenes/generate.h"
#include "scenes/numeric.h"
#include "tree/tree.h"

#include <stdlib.h>

/* ---- scenes ---- */

static carom_context *context;

static inline carom_mesh *shape(generate_kind kind, uint32_t triangles, double size)
{
    generate_def def = generate_def_default(kind);
    def.triangles = triangles, def.size = size;
    carom_mesh *mesh;
    assert_int_equal(generate_mesh(context, &def, &mesh), CAROM_OK);
    return mesh;
}

static inline carom_mesh *mesh_of(const carom_vec3 *corners, size_t triangles)
{
    return soup_mesh(context, corners, triangles);
}

/* Needles, segments, points, coplanar and repeated triangles on a coarse lattice, so that touching is common. */
static inline carom_mesh *soup(uint64_t seed, carom_vec3 offset, double scale)
{
    enum
    {
        COUNT = 90
    };
    carom_vec3 corners[3 * COUNT];
    check_random random = {seed};
    for (int i = 0; i < COUNT; i++)
    {
        carom_vec3 base = check_random_grid_point(&random, 5);
        for (int k = 0; k < 3; k++)
        {
            carom_vec3 step = check_random_grid_point(&random, 3);
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

static inline void make_scenes(void)
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

static inline void free_scenes(void)
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
    pair_set pairs;         /* id_a << 32 | id_b, ascending */
    narrow_closest closest; /* smallest (distance, a, b) */
} truth;

static inline void set_add(pair_set *set, uint32_t a, uint32_t b)
{
    if (set->count == set->capacity)
    {
        set->capacity = 2 * set->capacity + 64;
        set->items = realloc(set->items, set->capacity * sizeof *set->items);
        assert_non_null(set->items);
    }
    set->items[set->count++] = (uint64_t)a << 32 | b;
}

static inline int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static inline void set_finish(pair_set *set)
{
    if (set->count > 0)
        qsort(set->items, set->count, sizeof *set->items, compare_u64);
    size_t kept = 0;
    for (size_t i = 0; i < set->count; i++)
        if (kept == 0 || set->items[kept - 1] != set->items[i])
            set->items[kept++] = set->items[i];
    set->count = kept;
}

static inline truth brute_force(const scene *s)
{
    truth t = {.closest = {.distance = INFINITY, .triangle_a = CAROM_NO_TRIANGLE, .triangle_b = CAROM_NO_TRIANGLE}};
    carom_placed a = {carom_shape_mesh(s->mesh_a), s->pose_a}, b = {carom_shape_mesh(s->mesh_b), s->pose_b};
    narrow_counts counts = {0};
    for (uint32_t i = 0; i < a.shape.mesh->triangle_count; i++)
    {
        narrow_triangle ta = placed_triangle(&a, i);
        for (uint32_t j = 0; j < b.shape.mesh->triangle_count; j++)
        {
            narrow_triangle tb = placed_triangle(&b, j);
            if (narrow_meet(&ta, &tb, &counts) != CAROM_MEET_NONE)
                set_add(&t.pairs, i, j);
            narrow_offer(&t.closest, &ta, &tb, (carom_pair){i, j, 0}, &counts);
        }
    }
    narrow_closest_settle(&t.closest, &counts);
    t.closest.lower_bound = narrow_closest_bound(&t.closest);
    set_finish(&t.pairs);
    return t;
}

/* ---- asking ---- */

static const narrow_closest NOTHING_YET = {
    .distance = INFINITY, .triangle_a = CAROM_NO_TRIANGLE, .triangle_b = CAROM_NO_TRIANGLE};

typedef struct asking
{
    const carom_mesh *mesh_a, *mesh_b;
    const carom_tree *tree_a, *tree_b;
    carom_pose pose_a, pose_b;
    mesh_placed a, b; /* of all these, once a task is made */
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

static inline carom_tree *wide_over(const carom_mesh *mesh, int kind)
{
    carom_tree_def def = carom_tree_def_preset(kind == WIDE_FAST ? CAROM_TREE_FAST : CAROM_TREE_TIGHT);
    carom_tree *tree;
    assert_int_equal(carom_tree_create(context, mesh, &def, &tree), CAROM_OK);
    return tree;
}

static inline carom_tree *tree_over(const carom_mesh *mesh, carom_volume volume, carom_builder builder)
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

static inline asking ask(const scene *s, const carom_tree *tree_a, const carom_tree *tree_b)
{
    return (asking){.mesh_a = s->mesh_a,
                    .mesh_b = s->mesh_b,
                    .tree_a = tree_a,
                    .tree_b = tree_b,
                    .pose_a = s->pose_a,
                    .pose_b = s->pose_b,
                    .scratch = {.context = context},
                    .budget = base_budget_begin(NULL)};
}

static inline tree_task task_of(asking *q)
{
    q->a = (mesh_placed){q->mesh_a, q->tree_a, &q->pose_a};
    q->b = (mesh_placed){q->mesh_b, q->tree_b, &q->pose_b};
    return (tree_task){.context = context,
                       .a = &q->a,
                       .b = &q->b,
                       .defect = math_pair_defect(&q->pose_a, &q->pose_b),
                       .scratch = &q->scratch,
                       .memory = &q->memory,
                       .budget = &q->budget,
                       .counters = &q->counters};
}

static inline void done(asking *q) { tree_scratch_free(&q->scratch); }

static inline bool collect(uint32_t a, uint32_t b, uint32_t meeting, void *user)
{
    assert_int_not_equal(meeting, CAROM_MEET_NONE);
    set_add(user, a, b);
    return true;
}

static inline bool stop(uint32_t a, uint32_t b, uint32_t meeting, void *user)
{
    (void)meeting;
    set_add(user, a, b);
    return false;
}

static inline void check_set(const pair_set *found, const pair_set *expected, const char *what)
{
    if (found->count != expected->count)
        fail_msg("%s: %zu pairs instead of %zu", what, found->count, expected->count);
    for (size_t i = 0; i < expected->count; i++)
        if (found->items[i] != expected->items[i])
            fail_msg("%s: pair %zu differs", what, i);
}

static inline void check_closest(const narrow_closest *found, const narrow_closest *expected, const char *what)
{
    if (found->distance != expected->distance || found->triangle_a != expected->triangle_a ||
        found->triangle_b != expected->triangle_b || found->lower_bound != expected->lower_bound ||
        !vec3_equal(found->point_a, expected->point_a) || !vec3_equal(found->point_b, expected->point_b))
        fail_msg("%s: %.17g (%u, %u) bound %.17g instead of %.17g (%u, %u)", what, found->distance, found->triangle_a,
                 found->triangle_b, found->lower_bound, expected->distance, expected->triangle_a, expected->triangle_b);
}

/* All questions once; the memory left by one is there for the next. */
static inline void check_questions(asking *q, const truth *expected, const char *what)
{
    tree_task task = task_of(q);
    for (int round = 0; round < 2; round++)
    {
        pair_set found = {0};
        bool violated = false;
        narrow_search options = {.need_meeting = true, .on_pair = collect, .user = &found};
        assert_int_equal(tree_collide(&task, &options, &violated), CAROM_OK);
        set_finish(&found);
        check_set(&found, &expected->pairs, what);
        free(found.items);

        narrow_closest closest = NOTHING_YET;
        assert_int_equal(tree_distance(&task, &closest), CAROM_OK);
        check_closest(&closest, &expected->closest, what);
    }
    bool meets = expected->pairs.count > 0;
    pair_set first = {0};
    narrow_search any = {.on_pair = stop, .user = &first};
    bool violated = false;
    assert_int_equal(tree_collide(&task, &any, &violated), meets ? CAROM_STOPPED : CAROM_OK);
    assert_int_equal(first.count, meets ? 1 : 0);
    if (meets)
        assert_non_null(
            bsearch(first.items, expected->pairs.items, expected->pairs.count, sizeof *first.items, compare_u64));
    free(first.items);
}

static inline void check_limits(asking *q, const truth *expected, const char *what)
{
    double distance = expected->closest.distance;
    const exact_length *length = &expected->closest.gap.length;
    double limits[6] = {0.0,           nextafter(distance, 0.0),          distance, 2.0 * distance,
                        length->below, nextafter(length->below, INFINITY)};
    for (int i = 0; i < 6; i++)
    {
        int sign = narrow_length_sign(length, limits[i]);
        tree_task task = task_of(q);
        task.memory = i % 2 ? &q->memory : NULL;
        bool within, violated = false;
        assert_int_equal(tree_within(&task, limits[i], false, &within), CAROM_OK);
        if (within != (sign <= 0))
            fail_msg("%s: within %g is %d, the distance %g", what, limits[i], within, distance);
        assert_int_equal(tree_within(&task, limits[i], true, &within), CAROM_OK);
        if (within != (sign < 0))
            fail_msg("%s: nearer than %g is %d, the distance %g", what, limits[i], within, distance);
        pair_set found = {0};
        double clearance = i == 0 ? nextafter(distance, INFINITY) : limits[i];
        narrow_search options = {.clearance = clearance, .on_pair = collect, .user = &found};
        assert_int_equal(tree_collide(&task, &options, &violated), CAROM_OK);
        set_finish(&found);
        check_set(&found, &expected->pairs, what);
        free(found.items);
        if (clearance > 0.0 && violated != (narrow_length_sign(length, clearance) < 0))
            fail_msg("%s: clearance %g violated is %d, the distance %g", what, clearance, violated, distance);
        narrow_closest closest = {
            .distance = limits[i], .triangle_a = CAROM_NO_TRIANGLE, .triangle_b = CAROM_NO_TRIANGLE};
        assert_int_equal(tree_distance(&task, &closest), CAROM_OK);
        if ((closest.triangle_a != CAROM_NO_TRIANGLE) != (sign <= 0))
            fail_msg("%s: distance below %g wrongly %s", what, limits[i],
                     closest.triangle_a != CAROM_NO_TRIANGLE ? "found" : "missed");
    }
}

static inline int open_scenes(void **state)
{
    (void)state;
    assert_int_equal(carom_context_create(NULL, &context), CAROM_OK);
    make_scenes();
    return 0;
}

static inline int close_scenes(void **state)
{
    (void)state;
    free_scenes();
    carom_context_destroy(context);
    return 0;
}

/* Every question about a scene over two trees, which are then destroyed. */
static inline void check_trees(const scene *scene, carom_tree *a, carom_tree *b, const truth *expected,
                               const char *what)
{
    asking q = ask(scene, a, b);
    check_questions(&q, expected, what);
    check_limits(&q, expected, what);
    done(&q);
    carom_tree_destroy(a), carom_tree_destroy(b);
}

#endif
