/* Fronts: a search that is interrupted anywhere and resumed, or started from the parts of a cut tree, finds what a
 * search from the roots finds, each pair once. */
#include "tree/layouts.h"

static const uint64_t BUDGETS[] = {1, 2, 3, 7, 8, 9, 20, 65, 257, 1000, 20000};

enum
{
    BUDGET_COUNT = sizeof BUDGETS / sizeof BUDGETS[0],
    PATIENCE = 64 /* steps in a row that may leave the front as it is: what is remembered is tried first */
};

/* A search in steps of a fixed budget. */
typedef struct stepping
{
    asking q;
    tree_task task;
    narrow_front front;
    uint64_t work, steps;
    size_t last_count;
    narrow_part_pair last_first;
    int idle;
} stepping;

static void stepping_begin(stepping *s, const scene *scene, const carom_tree *a, const carom_tree *b, uint64_t work)
{
    *s = (stepping){.q = ask(scene, a, b), .work = work};
    s->task = task_of(&s->q);
    s->task.front = &s->front;
}

static void stepping_end(stepping *s)
{
    base_array_free(context, &s->front);
    done(&s->q);
}

static void grant(stepping *s)
{
    s->q.budget = base_budget_begin(&(carom_budget){.work = s->work});
    s->steps++;
}

/* After a step that ran out of budget: something is open, and not always the same. */
static void check_progress(stepping *s, const char *what)
{
    assert_true(s->front.count > 0);
    bool same = s->front.count == s->last_count && s->front.items[0].part_a == s->last_first.part_a &&
                s->front.items[0].part_b == s->last_first.part_b;
    s->idle = same ? s->idle + 1 : 0;
    s->last_count = s->front.count, s->last_first = s->front.items[0];
    if (s->idle > PATIENCE || s->steps > 3000000)
        fail_msg("%s: a budget of %lu makes no progress", what, (unsigned long)s->work);
}

static bool repeats(const carom_tree *tree) { return tree->info.reference_count > tree->mesh->triangle_count; }

/* Takes the pairs of a search; where no builder repeats triangles, each must have come once. */
static void check_pairs(pair_set *found, const truth *expected, bool may_repeat, const char *what)
{
    size_t reported = found->count;
    set_finish(found);
    if (!may_repeat && reported != found->count)
        fail_msg("%s: %zu pairs were reported, %zu of them different", what, reported, found->count);
    check_set(found, &expected->pairs, what);
    free(found->items);
}

static void collide_in_steps(const scene *scene, const carom_tree *a, const carom_tree *b, const truth *expected,
                             uint64_t work)
{
    const exact_length *length = &expected->closest.gap.length;
    const double clearances[3] = {0.0, nextafter(length->below, INFINITY), length->below};
    for (int i = 0; i < 3; i++)
    {
        stepping s;
        stepping_begin(&s, scene, a, b, work);
        pair_set found = {0};
        bool violated = false;
        narrow_search options = {.every_pair = true, .need_meeting = true, .on_pair = collect, .user = &found};
        options.clearance = clearances[i];
        for (carom_status status = CAROM_UNKNOWN; status == CAROM_UNKNOWN;)
        {
            grant(&s);
            status = tree_collide(&s.task, &options, &violated);
            assert_true(status == CAROM_OK || status == CAROM_UNKNOWN);
            if (status == CAROM_UNKNOWN)
                check_progress(&s, scene->name);
        }
        assert_int_equal(s.front.count, 0);
        check_pairs(&found, expected, repeats(a) || repeats(b), scene->name);
        if (clearances[i] > 0.0 && violated != (narrow_length_sign(length, clearances[i]) < 0))
            fail_msg("%s: clearance %g in steps of %lu: violated is %d", scene->name, clearances[i],
                     (unsigned long)work, violated);
        stepping_end(&s);
    }
}

static void any_hit_in_steps(const scene *scene, const carom_tree *a, const carom_tree *b, const truth *expected,
                             uint64_t work)
{
    stepping s;
    stepping_begin(&s, scene, a, b, work);
    for (int round = 0; round < 3; round++) /* the memory of one is there for the next */
    {
        pair_set first = {0};
        bool violated = false;
        narrow_search any = {.on_pair = stop, .user = &first};
        carom_status status = CAROM_UNKNOWN;
        while (status == CAROM_UNKNOWN)
        {
            grant(&s);
            status = tree_collide(&s.task, &any, &violated);
            if (status == CAROM_UNKNOWN)
                check_progress(&s, scene->name);
        }
        bool meets = expected->pairs.count > 0;
        assert_int_equal(status, meets ? CAROM_STOPPED : CAROM_OK);
        assert_int_equal(first.count, meets ? 1 : 0);
        if (meets)
            assert_non_null(
                bsearch(first.items, expected->pairs.items, expected->pairs.count, sizeof *first.items, compare_u64));
        free(first.items);
        s.steps = 0, s.idle = 0, s.front.count = 0;
    }
    stepping_end(&s);
}

static void distance_in_steps(const scene *scene, const carom_tree *a, const carom_tree *b, const truth *expected,
                              uint64_t work)
{
    stepping s;
    stepping_begin(&s, scene, a, b, work);
    for (int round = 0; round < 2; round++)
    {
        narrow_closest closest = NOTHING_YET;
        for (carom_status status = CAROM_UNKNOWN; status == CAROM_UNKNOWN;)
        {
            grant(&s);
            status = tree_distance(&s.task, &closest);
            assert_true(status == CAROM_OK || status == CAROM_UNKNOWN);
            if (status == CAROM_OK)
                break;
            check_progress(&s, scene->name);
            if (!(closest.lower_bound <= expected->closest.distance))
                fail_msg("%s: bound %.17g of a distance %.17g", scene->name, closest.lower_bound,
                         expected->closest.distance);
            assert_true(closest.distance >= expected->closest.distance);
        }
        check_closest(&closest, &expected->closest, scene->name);
        s.steps = 0, s.idle = 0, s.front.count = 0;
    }
    stepping_end(&s);
}

/* Trees of kinds that may meet: the same layout, and each against a wide one, from both sides. */
static void for_kinds(void (*check)(const scene *scene, const carom_tree *a, const carom_tree *b, const truth *expected,
                                    uint64_t work))
{
    for (int i = 0; i < SCENE_COUNT; i++)
    {
        truth expected = brute_force(&scenes[i]);
        for (int kind = 0; kind < KIND_COUNT; kind++)
        {
            carom_builder builder = kind % 3 ? CAROM_BUILDER_SAH : CAROM_BUILDER_BALANCED;
            carom_tree *a = tree_over(scenes[i].mesh_a, (carom_volume)kind, builder);
            carom_tree *b = tree_over(scenes[i].mesh_b, (carom_volume)kind, builder);
            carom_tree *wide_a = wide_over(scenes[i].mesh_a, WIDE_FAST);
            carom_tree *wide_b = wide_over(scenes[i].mesh_b, WIDE_TIGHT);
            /* every budget comes with every scene and every kind, if not with all of both */
            uint64_t work = BUDGETS[(unsigned)(i + 3 * kind) % BUDGET_COUNT];
            check(&scenes[i], a, b, &expected, work);
            check(&scenes[i], a, wide_b, &expected, BUDGETS[(unsigned)(i + kind + 5) % BUDGET_COUNT]);
            check(&scenes[i], wide_a, b, &expected, BUDGETS[(unsigned)(2 * i + kind) % BUDGET_COUNT]);
            for (int k = 0; kind >= WIDE_FAST && k < BUDGET_COUNT; k++)
                check(&scenes[i], a, b, &expected, BUDGETS[k]);
            carom_tree_destroy(a), carom_tree_destroy(b), carom_tree_destroy(wide_a), carom_tree_destroy(wide_b);
        }
        free(expected.pairs.items);
    }
}

static void pairs_come_once_in_steps(void **state)
{
    (void)state;
    for_kinds(collide_in_steps);
}

static void any_hit_ends_in_steps(void **state)
{
    (void)state;
    for_kinds(any_hit_in_steps);
}

static void distances_come_in_steps(void **state)
{
    (void)state;
    for_kinds(distance_in_steps);
}

/* ---- parts ---- */

static const narrow_part_pair *add_part(narrow_front *front, uint32_t a, uint32_t b)
{
    assert_true(base_array_reserve(context, front, 1));
    front->items[front->count] = (narrow_part_pair){a, b, 0.0f};
    return &front->items[front->count++];
}

/* All parts of a against all parts of b, each in a search of its own or all as one front. */
static void search_parts(const scene *scene, const carom_tree *a, const carom_tree *b, const tree_parts parts[2],
                         bool together, pair_set *found, narrow_closest *closest)
{
    stepping s;
    stepping_begin(&s, scene, a, b, 0);
    narrow_search options = {.every_pair = true, .need_meeting = true, .on_pair = collect, .user = found};
    bool violated = false;
    for (int question = 0; question < 2; question++)
    {
        for (size_t i = 0; i < parts[0].count; i++)
            for (size_t k = 0; k < parts[1].count; k++)
            {
                add_part(&s.front, parts[0].items[i].part, parts[1].items[k].part);
                if (together && (i + 1 < parts[0].count || k + 1 < parts[1].count))
                    continue;
                grant(&s);
                carom_status status =
                    question == 0 ? tree_collide(&s.task, &options, &violated) : tree_distance(&s.task, closest);
                assert_int_equal(status, CAROM_OK);
                s.front.count = 0;
            }
    }
    stepping_end(&s);
}

/* Every triangle in exactly one part (or more, where the builder repeats), and within its box. */
static void check_cover(const carom_tree *tree, const tree_parts *parts, double size)
{
    const carom_mesh *mesh = tree->mesh;
    uint32_t *times = calloc(mesh->triangle_count + 1, sizeof *times);
    carom_mesh_def def = carom_mesh_def_default();
    (void)def;
    for (size_t i = 0; i < parts->count; i++)
    {
        /* a search from this part against a copy of the mesh meets each of its triangles */
        pair_set found = {0};
        scene twice = {(carom_mesh *)mesh, (carom_mesh *)mesh, carom_pose_identity(), carom_pose_identity(), "cover"};
        tree_part whole = {.part = 0};
        tree_parts alone[2] = {{.items = &parts->items[i], .count = 1}, {.items = &whole, .count = 1}};
        narrow_closest closest = NOTHING_YET;
        search_parts(&twice, tree, tree, alone, false, &found, &closest);
        set_finish(&found);
        carom_vec3 extent = vec3_sub(parts->items[i].box.max, parts->items[i].box.min);
        bool fits = extent.x <= size && extent.y <= size && extent.z <= size;
        uint32_t own = 0, last = UINT32_MAX;
        for (size_t k = 0; k < found.count; k++)
        {
            uint32_t triangle = (uint32_t)(found.items[k] >> 32);
            if (triangle == last)
                continue;
            last = triangle, own++;
            times[triangle]++;
            carom_vec3 corner[3];
            mesh_corners(mesh, triangle, corner);
            for (int c = 0; c < 3; c++)
                assert_true(corner[c].x >= parts->items[i].box.min.x && corner[c].x <= parts->items[i].box.max.x &&
                            corner[c].y >= parts->items[i].box.min.y && corner[c].y <= parts->items[i].box.max.y &&
                            corner[c].z >= parts->items[i].box.min.z && corner[c].z <= parts->items[i].box.max.z);
        }
        if (!fits && own > 8)
            fail_msg("a part of %u triangles is larger than %g", own, size);
        free(found.items);
    }
    for (uint32_t i = 0; i < mesh->triangle_count; i++)
        assert_true(times[i] == 1 || (times[i] > 1 && repeats(tree)));
    free(times);
}

static void check_cuts(const scene *scene, const carom_tree *a, const carom_tree *b, const truth *expected,
                       uint64_t number)
{
    carom_vec3 extent = vec3_sub(scene->mesh_a->info.bounds.max, scene->mesh_a->info.bounds.min);
    double span = fmax(extent.x, fmax(extent.y, extent.z));
    const double sizes[4] = {0.0, 0.2 * span, 0.6 * span, 10.0 * span};
    double size = sizes[number % 4];
    tree_parts parts[2] = {{0}, {0}};
    tree_part root = {.part = 0};
    const tree_parts whole = {.items = &root, .count = 1};
    assert_int_equal(tree_cut(a, size, &parts[0]), CAROM_OK);
    assert_int_equal(tree_cut(b, size, &parts[1]), CAROM_OK);
    if (size > span)
        assert_int_equal(parts[0].count, 1);
    for (int sides = 1; sides <= 3; sides++) /* a cut, b cut, both */
        for (int together = 0; together < 2; together++)
        {
            tree_parts used[2] = {sides & 1 ? parts[0] : whole, sides & 2 ? parts[1] : whole};
            if (sides == 3 && used[0].count * used[1].count > 2500)
                continue;
            pair_set found = {0};
            narrow_closest closest = NOTHING_YET;
            search_parts(scene, a, b, used, together, &found, &closest);
            check_pairs(&found, expected, repeats(a) || repeats(b), scene->name);
            check_closest(&closest, &expected->closest, scene->name);
        }
    if (number % 5 == 0)
        check_cover(a, &parts[0], size);
    base_array_free(context, &parts[0]);
    base_array_free(context, &parts[1]);
}

static void cuts_and_repeated_numbers(const scene *scene, const carom_tree *a, const carom_tree *b,
                                      const truth *expected, uint64_t work)
{
    static uint64_t number;
    (void)work;
    check_cuts(scene, a, b, expected, number++);
}

static void parts_together_are_the_whole(void **state)
{
    (void)state;
    for_kinds(cuts_and_repeated_numbers);
}

/* Meshes of a few triangles, whose wide trees are a single leaf, against the leaves of a cut tree. */
static void single_leaves_meet_cut_trees(void **state)
{
    (void)state;
    carom_mesh *torus = shape(GENERATE_TORUS, 180, 1.0);
    for (size_t triangles = 1; triangles <= 9; triangles++)
    {
        carom_vec3 corners[27];
        check_random random = {triangles};
        for (size_t i = 0; i < 3 * triangles; i++)
            corners[i] = check_random_point(&random, -0.6, 0.6);
        scene few = {torus, mesh_of(corners, triangles), carom_pose_identity(), carom_pose_identity(), "few"};
        scene swapped = {few.mesh_b, few.mesh_a, few.pose_b, few.pose_a, "few, swapped"};
        truth expected = brute_force(&few), other = brute_force(&swapped);
        for (int kind = 0; kind < KIND_COUNT; kind++)
        {
            carom_tree *a = tree_over(few.mesh_a, (carom_volume)kind, CAROM_BUILDER_SAH);
            carom_tree *b = tree_over(few.mesh_b, (carom_volume)kind, CAROM_BUILDER_SAH);
            for (uint64_t number = 0; number < 4; number++)
            {
                check_cuts(&few, a, b, &expected, number);
                check_cuts(&swapped, b, a, &other, number);
            }
            for (int k = 0; k < BUDGET_COUNT; k++)
            {
                collide_in_steps(&few, a, b, &expected, BUDGETS[k]);
                distance_in_steps(&swapped, b, a, &other, BUDGETS[k]);
            }
            carom_tree_destroy(a), carom_tree_destroy(b);
        }
        free(expected.pairs.items), free(other.pairs.items);
        carom_mesh_destroy(few.mesh_b);
    }
    carom_mesh_destroy(torus);
}

static void an_empty_tree_has_no_parts(void **state)
{
    (void)state;
    carom_mesh *empty = mesh_of(NULL, 0);
    for (int kind = 0; kind < KIND_COUNT; kind++)
    {
        carom_tree *tree = tree_over(empty, (carom_volume)kind, CAROM_BUILDER_SAH);
        tree_parts parts = {0};
        assert_int_equal(tree_cut(tree, 1.0, &parts), CAROM_OK);
        assert_int_equal(parts.count, 0);
        base_array_free(context, &parts);
        carom_tree_destroy(tree);
    }
    carom_mesh_destroy(empty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_come_once_in_steps),     cmocka_unit_test(any_hit_ends_in_steps),
        cmocka_unit_test(distances_come_in_steps),      cmocka_unit_test(parts_together_are_the_whole),
        cmocka_unit_test(single_leaves_meet_cut_trees), cmocka_unit_test(an_empty_tree_has_no_parts),
    };
    return cmocka_run_group_tests(tests, open_scenes, close_scenes);
}
