/* Attacks on distance, support heights, refit and rays over wide trees: bounds are bounds, and every answer has the
 * bits of all pairs. The distance kernels are compiled into this program so that the part of their bound that is really
 * used can be measured. */
#define CAROM_ISA scalar_here
#define CAROM_ISA_SCALAR
#include "tree/wide_distance_simd.c" /* NOLINT(bugprone-suspicious-include): its static functions are what is tested */

#include "support/placed.h"
#include "tree/bodies.h"

/* ---- answers by all pairs ---- */

static bool apart_as_a_whole(const carom_context *context, const carom_placed placed[2], double limit, bool thorough,
                             float axis[3])
{
    mesh_placed a = placed_tree(&placed[0]), b = placed_tree(&placed[1]);
    return BASE_PICK_ISA(context, wide_support_apart)(&a, &b, limit, thorough, axis);
}

static narrow_closest closest_of_all(const carom_placed *a, const carom_placed *b)
{
    narrow_closest best = {.distance = INFINITY, .triangle_a = CAROM_NO_TRIANGLE, .triangle_b = CAROM_NO_TRIANGLE};
    narrow_counts counts = {0};
    for (uint32_t i = 0; i < a->shape.mesh->triangle_count; i++)
        for (uint32_t j = 0; j < b->shape.mesh->triangle_count; j++)
        {
            narrow_triangle s = placed_triangle(a, i), t = placed_triangle(b, j);
            narrow_offer(&best, &s, &t, (carom_pair){i, j, 0}, &counts);
        }
    narrow_closest_settle(&best, &counts);
    return best;
}

static void check_closest(const narrow_closest *found, const narrow_closest *truth, const char *what, int round)
{
    if (found->distance != truth->distance || signbit(found->distance) != signbit(truth->distance) ||
        found->triangle_a != truth->triangle_a || found->triangle_b != truth->triangle_b ||
        !vec3_equal(found->point_a, truth->point_a) || !vec3_equal(found->point_b, truth->point_b))
        fail_msg("%s, round %d: %.17g of %u %u, should be %.17g of %u %u", what, round, found->distance,
                 found->triangle_a, found->triangle_b, truth->distance, truth->triangle_a, truth->triangle_b);
    assert_true(found->lower_bound <= found->distance);
}

/* ---- bounds of triangle pairs ---- */

typedef struct bound_case
{
    carom_vec3 corner[6];
    carom_pose pose[2];
} bound_case;

/* How far the truth comes to the bounds' edge: 1 is on it, more is outside. */
static double try_bounds(const bound_case *c)
{
    carom_placed placed[2];
    carom_mesh *mesh[2];
    for (int i = 0; i < 2; i++)
    {
        mesh[i] = soup_mesh(contexts[0], c->corner + 3 * i, 1);
        placed[i] = (carom_placed){carom_shape_tree(tree_of(contexts[0], mesh[i], 0)), c->pose[i]};
    }
    question q;
    question_begin(&q, contexts[0], &placed[0], &placed[1]);
    wide_pair pair;
    wide_pair_begin(&pair, &q.task);
    const wide_leaf *a = &pair.tree_a->leaves[0], *b = &pair.tree_b->leaves[0];
    leaf_lines la, lb;
    float error = distance_error(&pair, place_b(&pair, a, b, &lb));
    double ratio = 0.0;
    if (error < INFINITY)
    {
        find_edges(&lb);
        for (int k = 0; k < 9; k++)
            la.corner[k / 3][k % 3] = f8_two(a->corner[k / 3][k % 3][0], a->corner[k / 3][k % 3][1]);
        find_edges(&la);
        f8 low, high, along[3];
        bound_triangles(&la, &lb, &low, &high, along);
        narrow_triangle s = placed_triangle(&placed[0], 0), t = placed_triangle(&placed[1], 0);
        narrow_counts counts = {0};
        double truth = narrow_distance(&s, &t, &counts).distance * pair.tree_a->scale;
        /* the same direction, kept for other leaves */
        float offset[3], u[3] = {along[0].v[0], along[1].v[0], along[2].v[0]};
        float length = sqrtf(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
        for (int k = 0; k < 3; k++)
            u[k] = length > 1e-15f ? u[k] * ((1.0f - 0x1p-20f) / length) : 0.0f;
        f8 gaps[2];
        leaf_offset(&pair.b_to_a, a, b, offset);
        leaf_gaps(&pair, a, b, offset, u, gaps);
        double lowest = fmax((double)low.v[0], (double)gaps[0].v[0]);
        ratio = fmax(lowest - truth, truth - (double)high.v[0]) / (double)error;
    }
    question_end(&q);
    for (int i = 0; i < 2; i++)
        carom_tree_destroy((carom_tree *)placed[i].shape.tree), carom_mesh_destroy(mesh[i]);
    return ratio;
}

/* Far from the origin, the placement of corners errs by more than what is computed from them. */
static bound_case random_bound_case(check_random *random, double far)
{
    bound_case c;
    narrow_triangle pair[2];
    int all = families_random_count + 16, at = (int)(check_next(random) % (uint64_t)all);
    (at < families_random_count ? families_random[at] : families_degenerate[at - families_random_count])
        .make(random, pair);
    for (int i = 0; i < 2; i++)
    {
        c.pose[i] = random_pose(random, far, 0.0);
        for (int k = 0; k < 3; k++)
            c.corner[3 * i + k] = to_own_frame(&c.pose[i], pair[i].corner[k]);
    }
    return c;
}

static void distance_bounds_hold(void **state)
{
    (void)state;
    check_random random = {21};
    double largest = 0.0;
    for (int climb = 0; climb < effort(150); climb++)
    {
        bound_case best = random_bound_case(&random, climb % 3 == 2 ? 1e12 : 1.0);
        double highest = try_bounds(&best);
        for (int step = 0; step < 200; step++)
        {
            bound_case trial = best;
            double *value = &trial.corner[0].x + check_next(&random) % 18;
            *value += check_uniform(&random, -1.0, 1.0) * exp2(check_uniform(&random, -40.0, 1.0));
            if (step % 8 == 0)
                trial.corner[2] = vec3_add(trial.corner[0], vec3_scale(vec3_sub(trial.corner[1], trial.corner[0]),
                                                                       check_uniform(&random, 0.0, 1.0)));
            double ratio = try_bounds(&trial);
            if (ratio > highest)
                highest = ratio, best = trial;
        }
        largest = fmax(largest, highest);
        if (!(highest <= 1.0))
            fail_msg("climb %d: the distance is outside its bounds by %g of their error", climb, highest);
    }
    print_message("distance of triangles: the bounds use %.3f of their error\n", largest);
}

/* ---- distance through the front door ---- */

enum
{
    SOUP = 20
};

static void make_bodies(check_random *random, int round, body out[2])
{
    carom_vec3 corners[2][3 * SOUP];
    static const double sizes[] = {1.0, 1.0, 1.0, 1e-3, 1e6, 1e-12, 1e12, 0x1p-90, 0x1p60};
    static const double fars[] = {0.0, 0.5, 2.0, 10.0, 1e6, 1e9};
    double size[2] = {sizes[check_next(random) % 9], 0.0};
    size[1] = round % 3 ? size[0] : sizes[check_next(random) % 9];
    double far = fars[check_next(random) % 6] * fmax(size[0], size[1]), defect = round % 5 ? 0.0 : 1e-9;
    bool same_place = round % 2; /* lattices and sheets keep their ties */
    for (int i = 0; i < 2; i++)
    {
        make_soup(random, (soup_kind)(round % SOUP_KINDS), corners[i], SOUP);
        carom_pose pose = random_pose(random, far, defect);
        if (same_place)
            pose = carom_pose_translation(i * floor(4.0 * size[0]), 0.0, i * far);
        for (int k = 0; k < 3 * SOUP; k++)
            corners[i][k] = vec3_scale(corners[i][k], size[i]);
        out[i] = body_create(corners[i], SOUP, pose);
    }
}

static bool go_on(uint32_t a, uint32_t b, uint32_t meeting, void *user)
{
    (void)a, (void)b, (void)meeting;
    *(bool *)user = true;
    return true;
}

/* Collide with a clearance just at the distance, above and below it. */
static void check_clearance(const tree_task *task, const exact_length *length, int round)
{
    double distance = length->nearest;
    double clearances[4] = {0.0, distance, nextafter(distance, INFINITY), 1.5 * distance};
    for (int i = 0; i < 4; i++)
    {
        bool met = false, violated = false;
        narrow_search options = {.clearance = clearances[i], .on_pair = go_on, .user = &met};
        assert_int_equal(tree_collide(task, &options, &violated), CAROM_OK);
        if (met != (distance == 0.0) || violated != (distance == 0.0 || narrow_length_sign(length, clearances[i]) < 0))
            fail_msg("round %d: distance %.17g, clearance %.17g: met %d, violated %d", round, distance, clearances[i],
                     met, violated);
    }
}

static void check_distance(const body bodies[2], int round)
{
    narrow_closest truth = closest_of_all(&bodies[0].placed[0], &bodies[1].placed[0]);
    tree_memory memory[6] = {{0}};
    for (int v = 0; v < body_versions(); v++)
        for (int time = 0; time < 2; time++) /* the second time with what the first left in memory */
        {
            question q;
            question_begin(&q, contexts[v / 2], &bodies[0].placed[v], &bodies[1].placed[v]);
            q.task.memory = &memory[v];
            narrow_closest found = {
                .distance = INFINITY, .triangle_a = CAROM_NO_TRIANGLE, .triangle_b = CAROM_NO_TRIANGLE};
            assert_int_equal(tree_distance(&q.task, &found), CAROM_OK);
            check_closest(&found, &truth, time ? "with memory" : "at first", round);
            bool within;
            double limits[3] = {truth.distance, nextafter(truth.distance, -1.0), truth.distance * 1.5};
            for (int i = 0; i < 3; i++)
                if (limits[i] >= 0.0)
                {
                    assert_int_equal(tree_within(&q.task, limits[i], false, &within), CAROM_OK);
                    if (within != (narrow_length_sign(&truth.gap.length, limits[i]) <= 0))
                        fail_msg("round %d: within %.17g is %d, distance %.17g", round, limits[i], within,
                                 truth.distance);
                }
            check_clearance(&q.task, &truth.gap.length, round);
            question_end(&q);
        }
}

static void distance_has_the_bits_of_all_pairs(void **state)
{
    (void)state;
    check_random random = {22};
    for (int round = 0; round < effort(1200); round++)
    {
        body bodies[2];
        make_bodies(&random, round, bodies);
        check_distance(bodies, round);
        body_destroy(&bodies[0]), body_destroy(&bodies[1]);
    }
}

/* A budget that ends early leaves a bound that is true. */
static void what_a_budget_leaves_is_a_bound(void **state)
{
    (void)state;
    check_random random = {23};
    for (int round = 0; round < effort(200); round++)
    {
        body bodies[2];
        make_bodies(&random, round, bodies);
        narrow_closest truth = closest_of_all(&bodies[0].placed[0], &bodies[1].placed[0]);
        for (int v = 0; v < body_versions(); v++)
        {
            question q;
            question_begin(&q, contexts[v / 2], &bodies[0].placed[v], &bodies[1].placed[v]);
            q.budget = base_budget_begin(&(carom_budget){.work = 1 + check_next(&random) % 300});
            narrow_closest found = {
                .distance = INFINITY, .triangle_a = CAROM_NO_TRIANGLE, .triangle_b = CAROM_NO_TRIANGLE};
            carom_status status = tree_distance(&q.task, &found);
            assert_true(status == CAROM_OK || status == CAROM_UNKNOWN);
            if (!(found.lower_bound <= truth.distance) || !(found.distance >= truth.distance))
                fail_msg("round %d: %.17g .. %.17g leaves %.17g out", round, found.lower_bound, found.distance,
                         truth.distance);
            question_end(&q);
        }
        body_destroy(&bodies[0]), body_destroy(&bodies[1]);
    }
}

/* ---- support heights ---- */

enum
{
    MANY = 300
};

/* Touching or nearly: support points of both bodies brought together, then all pairs decide. */
static void whole_meshes_that_meet_are_never_apart(void **state)
{
    (void)state;
    check_random random = {24};
    int met = 0, rounds = effort(60);
    for (int round = 0; round < rounds; round++)
    {
        carom_vec3 corners[2][3 * MANY], u = point(&random, 1.0), extreme[2] = {{0}}, own_extreme = {0};
        carom_placed placed[2];
        carom_mesh *mesh[2];
        const double from_origin[] = {1e9, 1.0, 1e13}; /* at the last, placement rounds to a thousandth */
        double far = from_origin[round % 3];
        for (int i = 0; i < 2; i++)
        {
            make_soup(&random, round % 2 ? SOUP_RANDOM : SOUP_LATTICE, corners[i], MANY);
            mesh[i] = soup_mesh(contexts[round % context_count], corners[i], MANY);
            placed[i].shape.mesh = mesh[i],
            placed[i].shape.tree = tree_of(contexts[round % context_count], mesh[i], round % 2);
            placed[i].pose = random_pose(&random, far, round % 4 ? 0.0 : 1e-9);
            assert_non_null(placed[i].shape.tree->wide->support);
            double highest = -INFINITY;
            for (int k = 0; k < 3 * MANY; k++)
            {
                carom_vec3 world = pose_apply(&placed[i].pose, corners[i][k]);
                double height = (i ? -1.0 : 1.0) * vec3_dot(u, world);
                if (height > highest)
                    highest = height, extreme[i] = world, own_extreme = corners[i][k];
            }
        }
        /* a little more or less than touching */
        carom_vec3 move = vec3_sub(extreme[0], extreme[1]);
        double deeper =
            round % 4 == 1 ? 0.0 : check_uniform(&random, -1.0, 1.0) * exp2(check_uniform(&random, -50, -4));
        move = vec3_sub(move, vec3_scale(u, deeper / vec3_length(u)));
        placed[1].pose.translation = vec3_add(placed[1].pose.translation, move);
        bool meets = false;
        for (uint32_t i = 0; i < MANY && !meets; i++)
            for (uint32_t j = 0; j < MANY && !meets; j++)
            {
                narrow_triangle s = placed_triangle(&placed[0], i), t = placed_triangle(&placed[1], j);
                narrow_counts counts = {0};
                meets = narrow_touches(&s, &t, &counts);
            }
        carom_pose turn = placed[0].pose;
        turn.translation = (carom_vec3){0.0, 0.0, 0.0};
        carom_vec3 own = to_own_frame(&turn, u);
        float along[3] = {(float)own.x, (float)own.y, (float)own.z};
        met += meets;
        const carom_context *context = contexts[round % context_count];
        if (meets && apart_as_a_whole(context, placed, 0.0, true, along))
            fail_msg("round %d: meeting meshes are called apart", round);
        double distance = vec3_length(vec3_sub(extreme[0], pose_apply(&placed[1].pose, own_extreme)));
        bool apart = apart_as_a_whole(context, placed, distance, true, along);
        if (apart)
            fail_msg("round %d: points %g from each other, but the meshes are called farther apart", round, distance);
        for (int i = 0; i < 2; i++)
            carom_tree_destroy((carom_tree *)placed[i].shape.tree), carom_mesh_destroy(mesh[i]);
    }
    print_message("support heights: %d of %d pairs of meshes meet\n", met, rounds);
    assert_true(met > 5 && met < rounds);
}

/* Triangles in a ball, with corners where the axes leave it: the ball that is found is no larger. */
static void make_ball(check_random *random, carom_vec3 corners[3 * MANY], double radius, carom_vec3 centre)
{
    for (int i = 0; i < 3 * MANY; i++)
    {
        carom_vec3 p = point(random, 1.0);
        if (i < 6)
            p = (carom_vec3){i / 2 == 0, i / 2 == 1, i / 2 == 2}, p = vec3_scale(p, i % 2 ? -1.0 : 1.0);
        else
            p = vec3_scale(p, check_uniform(random, 0.0, 0.99) / vec3_length(p));
        corners[i] = vec3_add(vec3_scale(p, radius), centre);
    }
}

static void balls_that_touch_are_never_apart(void **state)
{
    (void)state;
    check_random random = {26};
    int rounds = effort(200), apart_beside = 0;
    for (int round = 0; round < rounds; round++)
    {
        const double from_origin[] = {1e9, 1.0, 1e13};
        carom_context *context = contexts[round % context_count];
        carom_placed placed[2];
        double radius[2];
        carom_vec3 corners[2][3 * MANY];
        for (int i = 0; i < 2; i++)
        {
            radius[i] = exp2(check_uniform(&random, -3.0, 3.0));
            make_ball(&random, corners[i], radius[i], point(&random, 1.0));
            placed[i].shape.mesh = soup_mesh(context, corners[i], MANY);
            placed[i].shape.tree = tree_of(context, placed[i].shape.mesh, round % 2);
        }
        placed[0].pose = random_pose(&random, from_origin[round % 3], round % 4 ? 0.0 : 1e-9);
        placed[1].pose = placed[0].pose;
        int axis = round % 3;
        carom_vec3 corner = corners[1][2 * axis + 1]; /* looks back along the axis, the other body's forward */
        carom_vec3 touch = pose_apply(&placed[0].pose, corners[0][2 * axis]);
        for (int i = 0; i < 2; i++) /* the second time mends the rounding of the first */
            placed[1].pose.translation =
                vec3_add(placed[1].pose.translation, vec3_sub(touch, pose_apply(&placed[1].pose, corner)));
        carom_vec3 outwards = vec3_sub(touch, pose_apply(&placed[0].pose, corners[0][2 * axis + 1]));
        double gap = round % 4 == 1 ? 0.0 : exp2(check_uniform(&random, -24, -1));
        placed[1].pose.translation =
            vec3_add(placed[1].pose.translation, vec3_scale(outwards, gap / vec3_length(outwards)));
        double distance = vec3_length(vec3_sub(touch, pose_apply(&placed[1].pose, corner)));
        if (apart_as_a_whole(context, placed, distance, true, NULL))
            fail_msg("round %d: points %g from each other, but the meshes are called farther apart", round, distance);
        apart_beside += apart_as_a_whole(context, placed, 0.5 * distance, false, NULL);
        for (int i = 0; i < 2; i++)
            carom_tree_destroy((carom_tree *)placed[i].shape.tree),
                carom_mesh_destroy((carom_mesh *)placed[i].shape.mesh);
    }
    print_message("balls: half the gap was certain in %d of %d\n", apart_beside, rounds);
    assert_true(apart_beside > rounds / 10);
}

/* How far the table's entries are above the corners, in units of 2^-24. */
typedef struct height_slack
{
    double smallest, largest;
} height_slack;

static void measure_heights(const wide_tree *wide, const carom_vec3 *corners, height_slack *slack)
{
    for (int entry = 0; entry < WIDE_SUPPORT_ENTRIES; entry++)
    {
        int face = entry / (WIDE_SUPPORT_SIDE * WIDE_SUPPORT_SIDE), row = entry / WIDE_SUPPORT_SIDE;
        double u[3], highest = -INFINITY;
        u[face >> 1] = face & 1 ? -1.0 : 1.0;
        u[((face >> 1) + 1) % 3] = row % WIDE_SUPPORT_SIDE / 8.0 - 1.0;
        u[((face >> 1) + 2) % 3] = entry % WIDE_SUPPORT_SIDE / 8.0 - 1.0;
        for (int k = 0; k < 3 * MANY; k++)
        {
            carom_vec3 y = vec3_scale(vec3_sub(corners[k], wide->centre), wide->scale);
            highest = fmax(highest, u[0] * y.x + u[1] * y.y + u[2] * y.z);
        }
        double above = ((double)wide->support[entry] - highest) * 0x1p24;
        slack->smallest = fmin(slack->smallest, above), slack->largest = fmax(slack->largest, above);
    }
}

/* From vertices, as for small meshes, and from walks through the tree, as for large ones. */
static void support_heights_are_upper_bounds(void **state)
{
    (void)state;
    check_random random = {25};
    height_slack points = {INFINITY, -INFINITY}, walks = points;
    for (int round = 0; round < effort(60); round++)
    {
        carom_vec3 corners[3 * MANY];
        make_soup(&random, (soup_kind)(round % SOUP_KINDS), corners, MANY);
        carom_context *context = contexts[round % context_count];
        carom_mesh *mesh = soup_mesh(context, corners, MANY);
        carom_tree *tree = tree_of(context, mesh, round % 2);
        measure_heights(tree->wide, corners, &points);
        wide_support_fill(context, tree->wide, mesh, &(wide_points){0});
        measure_heights(tree->wide, corners, &walks);
        carom_tree_destroy(tree), carom_mesh_destroy(mesh);
    }
    print_message("support heights above the vertices, in 2^-24: %.1f to %.1f from points, %.1f to %.1f from walks\n",
                  points.smallest, points.largest, walks.smallest, walks.largest);
    assert_true(points.smallest >= 12.0 - 11.5 && points.largest <= 12.0 + 7.5);
    assert_true(walks.smallest >= 32.0 - 31.1 && walks.largest <= 256.0 + 32.0 + 16.0);
}

/* ---- refit ---- */

static void deform(check_random *random, int kind, const carom_vec3 *from, carom_vec3 *to)
{
    memcpy(to, from, 3 * SOUP * sizeof *to);
    int one = family_integer(random, 0, 3 * SOUP - 1);
    if (kind == 0) /* one vertex, a little or far */
        to[one] = vec3_add(to[one], point(random, family_integer(random, 0, 1) ? 1e-3 : 100.0));
    for (int k = 0; kind > 0 && k < 3 * SOUP; k++)
        to[k] = kind == 1   ? vec3_add(from[k], point(random, 0.1))
                : kind == 2 ? point(random, 1.0)
                : kind == 3 ? vec3_add(vec3_scale(from[k], 1e-3), vec3(50.0, 0.0, 0.0))
                            : vec3(from[k].x, 0.0, 0.0); /* all onto a line: no area anywhere */
}

static void a_refitted_tree_answers_like_a_fresh_one(void **state)
{
    (void)state;
    check_random random = {26};
    for (int round = 0; round < effort(600); round++)
    {
        carom_context *context = contexts[round % context_count];
        carom_vec3 corners[2][3 * SOUP], moved[3 * SOUP];
        for (int i = 0; i < 2; i++)
            make_soup(&random, (soup_kind)(check_next(&random) % SOUP_KINDS), corners[i], SOUP);
        carom_mesh *other = soup_mesh(context, corners[1], SOUP), *now = soup_mesh(context, corners[0], SOUP);
        carom_tree_def def = carom_tree_def_preset(round % 2 ? CAROM_TREE_TIGHT : CAROM_TREE_FAST);
        def.builder = (carom_builder)(round % CAROM_BUILDER_COUNT);
        carom_tree *tree;
        assert_int_equal(carom_tree_create(context, now, &def, &tree), CAROM_OK);
        carom_placed a = {carom_shape_tree(tree), random_pose(&random, 0.5, 0.0)};
        carom_placed b = {carom_shape_tree(tree_of(context, other, 0)), random_pose(&random, 0.5, 0.0)};
        for (int frame = 0; frame < 4; frame++)
        {
            deform(&random, family_integer(&random, 0, 4), corners[0], moved);
            memcpy(corners[0], moved, sizeof moved);
            carom_mesh *next = soup_mesh(context, moved, SOUP);
            assert_int_equal(carom_tree_refit(tree, next), CAROM_OK);
            carom_mesh_destroy(now);
            a.shape.mesh = now = next;
            narrow_closest truth = closest_of_all(&a, &b), found = {.distance = INFINITY,
                                                                    .triangle_a = CAROM_NO_TRIANGLE,
                                                                    .triangle_b = CAROM_NO_TRIANGLE};
            question q;
            question_begin(&q, context, &a, &b);
            assert_int_equal(tree_distance(&q.task, &found), CAROM_OK);
            check_closest(&found, &truth, "after a refit", round);
            question_end(&q);
        }
        carom_tree_destroy(tree), carom_tree_destroy((carom_tree *)b.shape.tree);
        carom_mesh_destroy(now), carom_mesh_destroy(other);
    }
}

/* ---- rays ---- */

typedef struct hits
{
    uint8_t hit[MANY];
} hits;

static double note_hit(uint32_t triangle, double t, const double uv[2], void *user)
{
    (void)t, (void)uv;
    ((hits *)user)->hit[triangle]++;
    return INFINITY;
}

static void rays_agree_with_all_triangles(void **state)
{
    (void)state;
    check_random random = {27};
    int found = 0;
    for (int round = 0; round < effort(400); round++)
    {
        carom_vec3 corners[3 * SOUP];
        carom_context *context = contexts[round % context_count];
        make_soup(&random, (soup_kind)(round % SOUP_KINDS), corners, SOUP);
        double size = exp2((double)family_integer(&random, -60, 60));
        for (int k = 0; k < 3 * SOUP; k++)
            corners[k] = vec3_scale(corners[k], size);
        carom_mesh *mesh = soup_mesh(context, corners, SOUP);
        carom_placed placed = {carom_shape_tree(tree_of(context, mesh, round % 2)), random_pose(&random, size, 1e-9)};
        for (int shot = 0; shot < 20; shot++)
        {
            narrow_triangle aim = placed_triangle(&placed, (uint32_t)family_integer(&random, 0, SOUP - 1));
            int corner = family_integer(&random, 0, 2);
            carom_vec3 at = shot % 2 ? aim.corner[corner] : vec3_scale(vec3_add(aim.corner[0], aim.corner[1]), 0.5);
            double away = size * exp2(check_uniform(&random, -10.0, shot % 3 ? 3.0 : 40.0));
            carom_ray ray = {.origin = vec3_add(at, point(&random, away)), .max_t = INFINITY};
            ray.direction = vec3_scale(vec3_sub(at, ray.origin), 1.0 / away);
            if (shot % 4 == 0) /* lengths from the smallest to the largest double, and flat directions */
                ray.direction = vec3_scale(ray.direction, exp2(check_uniform(&random, -1070.0, 900.0)));
            if (shot % 5 == 0)
                ray.origin.y = at.y, ray.direction.y = 0.0;
            if (ray.direction.x == 0.0 && ray.direction.y == 0.0 && ray.direction.z == 0.0)
                continue;
            hits all = {{0}};
            carom_counters counters = {0};
            tree_scratch scratch = {.context = context};
            mesh_placed as_tree = placed_tree(&placed);
            tree_ray_task task = {.context = context, .placed = &as_tree, .ray = &ray};
            task.scratch = &scratch, task.counters = &counters;
            assert_int_equal(wide_ray(&task, note_hit, &all), CAROM_OK);
            tree_scratch_free(&scratch);
            for (uint32_t i = 0; i < SOUP; i++)
            {
                narrow_triangle t = placed_triangle(&placed, i);
                narrow_ray line = {ray.origin, ray.direction};
                narrow_counts counts = {0};
                double parameter, uv[2];
                bool hit = narrow_ray_hit(&line, &t, &parameter, uv, &counts);
                found += hit;
                if (hit != all.hit[i])
                    fail_msg("round %d shot %d: triangle %u, hit %d, reported %d times; direction %g %g %g t %g", round,
                             shot, i, hit, all.hit[i], ray.direction.x, ray.direction.y, ray.direction.z, parameter);
            }
        }
        carom_tree_destroy((carom_tree *)placed.shape.tree), carom_mesh_destroy(mesh);
    }
    print_message("rays: %d hits\n", found);
    assert_true(found > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(distance_bounds_hold),
                                       cmocka_unit_test(distance_has_the_bits_of_all_pairs),
                                       cmocka_unit_test(what_a_budget_leaves_is_a_bound),
                                       cmocka_unit_test(balls_that_touch_are_never_apart),
                                       cmocka_unit_test(support_heights_are_upper_bounds),
                                       cmocka_unit_test(whole_meshes_that_meet_are_never_apart),
                                       cmocka_unit_test(a_refitted_tree_answers_like_a_fresh_one),
                                       cmocka_unit_test(rays_agree_with_all_triangles)};
    return cmocka_run_group_tests(tests, open_contexts, close_contexts);
}
