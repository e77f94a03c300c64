/* Attacks on the search for triangles near a ball or capsule: bounds hold, nothing near is left out, what is called
 * certain is certain, and the traversal in double agrees. The kernels are compiled into this program so that the part
 * of their bound that is really used can be measured. */
#define CAROM_ISA scalar_here
#define CAROM_ISA_SCALAR
#include "tree/wide_near_simd.c" /* NOLINT(bugprone-suspicious-include): its static functions are what is tested */

#include "support/placed.h"
#include "tree/bodies.h"

enum
{
    SOUP = 24
};

typedef struct near_question
{
    tree_near_task task;
    mesh_placed placed;
    tree_scratch scratch;
    base_budget budget;
    carom_counters counters;
} near_question;

static void question_of(near_question *q, carom_context *context, const carom_placed *placed)
{
    *q = (near_question){.scratch.context = context};
    q->budget = base_budget_begin(&(carom_budget){0});
    q->placed = placed_tree(placed);
    q->task = (tree_near_task){.context = context,
                               .placed = &q->placed,
                               .defect = math_rotation_defect(placed->pose.rotation),
                               .scratch = &q->scratch,
                               .budget = &q->budget,
                               .counters = &q->counters};
}

/* From the segment, by the canonical kernel. */
static double core_distance(const narrow_round *round, const narrow_triangle *triangle)
{
    narrow_counts counts = {0};
    narrow_round core = {{round->end[0], round->end[1]}, 0.0};
    return narrow_round_triangle_distance(&core, triangle, &counts).distance;
}

static carom_vec3 on_triangle(check_random *random, const narrow_triangle *t)
{
    double u = check_uniform(random, 0.0, 1.0), v = check_uniform(random, 0.0, 1.0 - u);
    if (check_next(random) % 3 == 0)
        return t->corner[check_next(random) % 3];
    return vec3_add(t->corner[0], vec3_add(vec3_scale(vec3_sub(t->corner[1], t->corner[0]), u),
                                           vec3_scale(vec3_sub(t->corner[2], t->corner[0]), v)));
}

/* A solid near some triangle of a body, of a size from a speck to all of it. */
static narrow_round random_round(check_random *random, const carom_placed *placed, double size)
{
    narrow_triangle some = placed_triangle(placed, (uint32_t)(check_next(random) % placed->shape.mesh->triangle_count));
    double scale = size * exp2(check_uniform(random, -20.0, check_next(random) % 4 ? 2.0 : 16.0)),
           length = size * exp2(check_uniform(random, -12.0, 2.0));
    narrow_round round;
    round.end[0] = vec3_add(on_triangle(random, &some), point(random, scale));
    round.end[1] = check_next(random) % 2 ? round.end[0] : vec3_add(round.end[0], point(random, length));
    /* Just beyond the distance, or nothing, or anything. */
    uint64_t choice = check_next(random) % 4;
    round.radius = choice == 0   ? core_distance(&round, &some) * (1.0 + 0x1p-40)
                   : choice == 1 ? 0.0
                                 : size * exp2(check_uniform(random, -12.0, 2.0));
    return round;
}

/* ---- bounds of triangles ---- */

typedef struct bound_case
{
    carom_vec3 corner[3];
    narrow_round round;
    carom_pose pose;
} bound_case;

/* How far the truth comes to the bounds' edge: 1 is on it, more is outside. */
static double try_bounds(const bound_case *c)
{
    carom_mesh *mesh = soup_mesh(contexts[0], c->corner, 1);
    carom_placed placed = {carom_shape_tree(tree_of(contexts[0], mesh, 0)), c->pose};
    near_question q;
    question_of(&q, contexts[0], &placed);
    narrow_near near = {.round = &c->round, .limit = INFINITY};
    near_place place = near_place_round(&q.task, &c->round);
    double ratio = 0.0;
    if (wide_near_fits(&q.task, &near, &place))
    {
        wide_near_walk walk;
        wide_near_begin(&walk, &q.task, &near, &place);
        const wide_leaf *leaf = &walk.tree->leaves[0];
        float end[2][3], error = place_ends(&walk, leaf, end);
        f8 low, high;
        if (walk.is_ball)
            bound_triangles(leaf, end, &low, &high, true);
        else
            bound_triangles(leaf, end, &low, &high, false);
        narrow_triangle triangle = placed_triangle(&placed, 0);
        double truth = core_distance(&c->round, &triangle) * walk.tree->scale;
        ratio = fmax((double)low.v[0] - truth, truth == 0.0 ? 0.0 : truth - (double)high.v[0]) / (double)error;
    }
    tree_scratch_free(&q.scratch);
    carom_tree_destroy((carom_tree *)placed.shape.tree), carom_mesh_destroy(mesh);
    return ratio;
}

static bound_case random_bound_case(check_random *random)
{
    bound_case c = {.pose = random_pose(random, exp2(check_uniform(random, -4.0, 20.0)), 1e-9)};
    make_soup(random, (soup_kind)(check_next(random) % SOUP_KINDS), c.corner, 1);
    narrow_triangle world;
    for (int k = 0; k < 3; k++)
        world.corner[k] = pose_apply(&c.pose, c.corner[k]);
    c.round.end[0] = vec3_add(on_triangle(random, &world), point(random, exp2(check_uniform(random, -24.0, 3.0))));
    c.round.end[1] = check_next(random) % 2 ? c.round.end[0] : vec3_add(c.round.end[0], point(random, 1.0));
    c.round.radius = 0.0;
    return c;
}

static void bounds_of_triangles_hold(void **state)
{
    (void)state;
    check_random random = {41};
    double largest = 0.0;
    for (int climb = 0; climb < effort(150); climb++)
    {
        bound_case best = random_bound_case(&random);
        bool ball = vec3_equal(best.round.end[0], best.round.end[1]);
        double worst_ratio = try_bounds(&best);
        for (int step = 0; step < 150; step++)
        {
            bound_case trial = best;
            double *value = check_next(&random) % 2 ? &trial.corner[0].x + check_next(&random) % 9
                                                    : &trial.round.end[0].x + check_next(&random) % 6;
            *value += check_uniform(&random, -1.0, 1.0) * exp2(check_uniform(&random, -40.0, 1.0));
            if (ball)
                trial.round.end[1] = trial.round.end[0];
            double ratio = try_bounds(&trial);
            if (ratio > worst_ratio)
                worst_ratio = ratio, best = trial;
        }
        largest = fmax(largest, worst_ratio);
        if (!(worst_ratio <= 1.0))
            fail_msg("climb %d: the distance is outside its bounds by %g of their error", climb, worst_ratio);
    }
    print_message("a segment and a triangle: the bounds use %.3f of their error\n", largest);
}

static carom_vec3 small_point(check_random *random) { return check_random_grid_point(random, 5); }

/* Coordinates like those of a designer's grid: several features are equally near. */
static void bounds_of_ties_hold(void **state)
{
    (void)state;
    check_random random = {43};
    int hits = 0, rounds = effort(20000);
    for (int i = 0; i < rounds; i++)
    {
        bound_case c = {.pose = carom_pose_identity()};
        for (int k = 0; k < 3; k++)
            c.corner[k] = small_point(&random);
        c.round.end[0] = small_point(&random);
        c.round.end[1] = i % 4 ? small_point(&random) : c.round.end[0];
        double ratio = try_bounds(&c);
        narrow_triangle triangle = {{c.corner[0], c.corner[1], c.corner[2]}};
        hits += core_distance(&c.round, &triangle) == 0.0;
        if (!(ratio <= 1.0))
            fail_msg("case %d: the distance is outside its bounds by %g of their error", i, ratio);
    }
    assert_in_range(100 * hits / rounds, 5, 70);
}

/* ---- bounds of boxes ---- */

static void check_lane(const wide_near_walk *walk, const carom_placed *placed, wide_slot slot, const double bounds[2])
{
    const wide_tree *tree = walk->tree;
    uint32_t child = wide_child(tree, slot);
    if (!(child & WIDE_LEAF_FLAG))
        return;
    const wide_leaf *leaf = &tree->leaves[child & ~WIDE_LEAF_FLAG];
    for (uint32_t i = 0; i < leaf->count; i++)
    {
        narrow_triangle triangle = placed_triangle(placed, leaf->triangle[i]);
        double near = core_distance(walk->near->round, &triangle) * tree->scale, far = 0.0;
        for (int k = 0; k < 3; k++)
        {
            narrow_triangle corner = {{triangle.corner[k], triangle.corner[k], triangle.corner[k]}};
            far = fmax(far, core_distance(walk->near->round, &corner) * tree->scale);
        }
        if (!(bounds[0] * (1.0 - 0x1p-20) <= near) || !(bounds[1] * (1.0 + 0x1p-20) >= far))
            fail_msg("a box from %.9g to %.9g holds a triangle from %.17g to %.17g", bounds[0], bounds[1], near, far);
    }
}

static void check_boxes(const carom_placed *placed, const narrow_round *round)
{
    near_question q;
    question_of(&q, contexts[0], placed);
    narrow_near near = {.round = round, .limit = INFINITY};
    near_place place = near_place_round(&q.task, round);
    if (!wide_near_fits(&q.task, &near, &place))
        return;
    wide_near_walk walk;
    wide_near_begin(&walk, &q.task, &near, &place);
    for (uint32_t n = 0; n < walk.tree->node_count; n++)
    {
        box_bounds bounds = walk.is_ball ? bound_boxes(&walk, &walk.tree->nodes[n], true)
                                         : bound_boxes(&walk, &walk.tree->nodes[n], false);
        for (uint32_t lane = 0; lane < WIDE_LANES; lane++)
            if (walk.tree->nodes[n].child[lane] != WIDE_NO_CHILD)
                check_lane(
                    &walk, placed, n * WIDE_LANES + lane,
                    (double[2]){sqrt((double)(bounds.near.v[lane] * (1.0f - NEAR_SQUARES))),
                                sqrt((double)bounds.far.v[lane] * (1.0 + WIDE_NEAR_INSIDE)) + (double)walk.shrink});
    }
    tree_scratch_free(&q.scratch);
}

/* ---- the walks ---- */

typedef struct found_triangles
{
    const carom_placed *placed;
    const narrow_round *round;
    double limit;
    uint8_t times[SOUP];
} found_triangles;

static double note_triangle(uint32_t triangle, bool certain, void *user)
{
    found_triangles *found = user;
    narrow_counts counts = {0};
    narrow_triangle corners = placed_triangle(found->placed, triangle);
    if (certain && narrow_round_triangle_meet(found->round, &corners, &counts) != CAROM_MEET_CROSSING)
        fail_msg("triangle %u is called certain and does not cross the solid", triangle);
    found->times[triangle]++;
    return found->limit;
}

static void check_walk(const carom_placed *placed, carom_context *context, const narrow_round *round, bool in_double)
{
    near_question q;
    question_of(&q, context, placed);
    check_random random = {check_next(&(check_random){(uint64_t)(round->radius * 1e6)})};
    for (int i = 0; i < 4; i++)
    {
        double further[4] = {0.0, 0x1p-30, 0.5, INFINITY}, size = placed->shape.mesh->extent;
        found_triangles found = {.placed = placed, .round = round, .limit = round->radius + further[i] * size};
        narrow_near near = {.round = round, .limit = found.limit, .on_triangle = note_triangle, .user = &found};
        near_place place = near_place_round(&q.task, round);
        narrow_front front = {0};
        q.task.front = &front;
        carom_status status;
        do /* in slices, resuming what was left open */
        {
            q.budget = base_budget_begin(&(carom_budget){.work = i == 2 ? 1 + check_next(&random) % 40 : 0});
            status = in_double ? near_in_any_layout(&q.task, &near, &place) : tree_near(&q.task, &near);
            if (in_double)
                assert_true(near_leave_front(&q.task, status));
            assert_true((status == CAROM_UNKNOWN) == (front.count > 0));
        } while (status == CAROM_UNKNOWN);
        assert_int_equal(status, CAROM_OK);
        for (uint32_t t = 0; t < SOUP; t++)
        {
            narrow_triangle corners = placed_triangle(placed, t);
            double distance = core_distance(round, &corners);
            if (found.times[t] > 1 || (found.times[t] == 0 && distance < found.limit * (1.0 - 1e-13)))
                fail_msg("triangle %u at %.17g was found %u times within %.17g (%s)", t, distance, found.times[t],
                         found.limit, in_double ? "double" : "lanes");
        }
        base_array_free(context, &front);
    }
    tree_scratch_free(&q.scratch);
}

static void nothing_near_is_left_out(void **state)
{
    (void)state;
    check_random random = {42};
    for (int round = 0; round < effort(600); round++)
    {
        static const double sizes[] = {1.0, 1.0, 1e-3, 1e6, 1e-12, 1e12, 0x1p-90, 0x1p60, 0x1p-500};
        static const double fars[] = {0.0, 2.0, 100.0, 1e9, 1e13};
        double size = sizes[check_next(&random) % 9];
        carom_vec3 corners[3 * SOUP];
        make_soup(&random, (soup_kind)(round % SOUP_KINDS), corners, SOUP);
        for (int k = 0; k < 3 * SOUP; k++)
            corners[k] = vec3_scale(corners[k], size);
        carom_pose pose = random_pose(&random, size * fars[check_next(&random) % 5], round % 3 ? 0.0 : 1e-9);
        body b = body_create(corners, SOUP, pose);
        for (int i = 0; i < 4; i++)
        {
            narrow_round solid = random_round(&random, &b.placed[0], size);
            for (int v = 0; v < body_versions(); v++)
            {
                check_boxes(&b.placed[v], &solid);
                check_walk(&b.placed[v], contexts[v / 2], &solid, false);
                check_walk(&b.placed[v], contexts[v / 2], &solid, true);
            }
        }
        body_destroy(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_of_triangles_hold),
        cmocka_unit_test(bounds_of_ties_hold),
        cmocka_unit_test(nothing_near_is_left_out),
    };
    return cmocka_run_group_tests(tests, open_contexts, close_contexts);
}
