/* Attacks on the error bounds of collide over wide trees: whatever the float kernels decide must be what the exact
 * predicates say of the contract's positions. The kernels are compiled into this program so that the part of each bound
 * that is really used can be measured; the ratios are printed. */
#define CAROM_ISA scalar_here
#define CAROM_ISA_SCALAR
#include "support/rooted.h"
#include "tree/wide_collide_simd.c" /* NOLINT(bugprone-suspicious-include): its static functions are what is tested */

#include "support/placed.h"
#include "tree/bodies.h"

/* ---- stored boxes ---- */

typedef struct box_slack
{
    double smallest; /* (half - |weight|) in units of 2^-24, smallest over all points and axes */
    double leaf_err; /* |origin + corner - y| / (2^-24 |corner|), largest */
} box_slack;

static carom_vec3 normalised(const wide_tree *tree, carom_vec3 v)
{
    return vec3_scale(vec3_sub(v, tree->centre), tree->scale);
}

/* Weights w with A'w = d, A's rows being the axes. */
static void box_weights(double a[3][3], const double d[3], double w[3])
{
    double c[3][3]; /* cross products of the axes: rows of the inverse of A', times the determinant */
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++)
        {
            const double *p = a[(k + 1) % 3], *q = a[(k + 2) % 3];
            c[k][j] = p[(j + 1) % 3] * q[(j + 2) % 3] - p[(j + 2) % 3] * q[(j + 1) % 3];
        }
    double determinant = a[0][0] * c[0][0] + a[0][1] * c[0][1] + a[0][2] * c[0][2];
    for (int k = 0; k < 3; k++)
        w[k] = (c[k][0] * d[0] + c[k][1] * d[1] + c[k][2] * d[2]) / determinant;
}

static void check_point_in_box(const wide_tree *tree, wide_slot slot, carom_vec3 point, box_slack *slack)
{
    const wide_node *node = &tree->nodes[slot >> 3];
    uint32_t lane = slot & 7;
    carom_vec3 y = normalised(tree, point);
    double a[3][3], w[3],
        d[3] = {y.x - (double)node->centre[0][lane], y.y - (double)node->centre[1][lane],
                y.z - (double)node->centre[2][lane]};
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++)
            a[k][j] = (double)node->axis[k][j][lane];
    box_weights(a, d, w);
    for (int k = 0; k < 3; k++)
    {
        double along = a[k][0] * d[0] + a[k][1] * d[1] + a[k][2] * d[2], half = (double)node->half[k][lane];
        double over = fmax(fabs(w[k]), fabs(along)); /* as a sum of axes, and as a slab */
        slack->smallest = fmin(slack->smallest, (half - over) * 0x1p24);
    }
}

static void check_leaf(const wide_tree *tree, uint32_t index, const carom_mesh *mesh, box_slack *slack)
{
    const wide_leaf *leaf = &tree->leaves[index];
    for (uint32_t i = 0; i < leaf->count; i++)
        for (int c = 0; c < 3; c++)
        {
            carom_vec3 y = normalised(tree, mesh->vertices[mesh->indices[3 * (size_t)leaf->triangle[i] + c]]);
            for (int k = 0; k < 3; k++)
            {
                double corner = (double)leaf->corner[c][k][i];
                double error = fabs((double)leaf->origin[k] + corner - ((double *)&y)[k]);
                slack->leaf_err = fmax(slack->leaf_err, error / (0x1p-24 * fabs(corner) + 0x1p-52 + 0x1p-149));
                assert_true(fabs(corner) <= (double)leaf->reach);
            }
            double far = 0.0, edge = 0.0;
            for (int k = 0; k < 3; k++)
            {
                double corner = (double)leaf->corner[c][k][i], next = (double)leaf->corner[(c + 1) % 3][k][i];
                far += corner * corner, edge += (next - corner) * (next - corner);
            }
            assert_true(sqrt(far) <= (double)leaf->radius && sqrt(edge) <= (double)leaf->longest);
        }
}

/* Walks all children and checks every vertex below against the boxes above it. */
static void check_boxes(const carom_tree *tree, const carom_mesh *mesh, box_slack *slack)
{
    const wide_tree *wide = tree->wide;
    for (uint32_t i = 0; i < wide->leaf_count; i++)
        check_leaf(wide, i, mesh, slack);
    for (wide_slot slot = 0; slot < wide->node_count * WIDE_LANES; slot++)
    {
        if (wide_child(wide, slot) == WIDE_NO_CHILD)
            continue;
        uint32_t child = wide_child(wide, slot); /* becomes the last leaf below */
        while (!(child & WIDE_LEAF_FLAG))
        {
            uint32_t lane = WIDE_LANES - 1;
            while (wide->nodes[child].child[lane] == WIDE_NO_CHILD)
                lane--;
            child = wide_child(wide, child * WIDE_LANES + lane);
        }
        for (uint32_t l = wide->first_leaf[slot]; l <= (child & ~WIDE_LEAF_FLAG); l++)
            for (uint32_t i = 0; i < wide->leaves[l].count; i++)
                for (int c = 0; c < 3; c++)
                    check_point_in_box(
                        wide, slot, mesh->vertices[mesh->indices[3 * (size_t)wide->leaves[l].triangle[i] + c]], slack);
    }
}

static box_slack boxes_of(carom_context *context, const carom_vec3 *corners, size_t triangles, int preset)
{
    carom_mesh *mesh = soup_mesh(context, corners, triangles);
    carom_tree *tree = tree_of(context, mesh, preset);
    box_slack slack = {INFINITY, 0.0};
    check_boxes(tree, mesh, &slack);
    carom_tree_destroy(tree), carom_mesh_destroy(mesh);
    return slack;
}

/* A soup of one of several kinds, with as many slivers as it takes. */
static void make_mixed_soup(check_random *random, carom_vec3 *corners, int triangles)
{
    int kind = family_integer(random, 0, 5);
    double size = kind == 5 ? 1e-9 : exp2(check_uniform(random, -10.0, 0.0));
    for (int i = 0; i < triangles; i++)
    {
        double x = check_uniform(random, -1, 1), y = check_uniform(random, -1, 1), z = check_uniform(random, -1, 1);
        carom_vec3 base = vec3(x, y, z);
        for (int c = 0; c < 3; c++)
        {
            x = check_uniform(random, -size, size), y = check_uniform(random, -size, size);
            corners[3 * i + c] = vec3_add(base, vec3(x, y, check_uniform(random, -size, size)));
        }
        if (kind == 1 || kind == 2) /* slivers, thin from 1e-1 to 1e-9 */
        {
            carom_vec3 e = vec3_sub(corners[3 * i + 1], corners[3 * i]);
            double thin = size * exp2(check_uniform(random, -30.0, -3.0));
            x = check_uniform(random, -thin, thin), y = check_uniform(random, -thin, thin);
            corners[3 * i + 2] = vec3_add(vec3_add(corners[3 * i], vec3_scale(e, check_uniform(random, 0.0, 1.0))),
                                          vec3(x, y, check_uniform(random, -thin, thin)));
        }
        if (kind == 3) /* one slanted plane */
            for (int c = 0; c < 3; c++)
                corners[3 * i + c].z = 0.3 * corners[3 * i + c].x - 0.7 * corners[3 * i + c].y;
        if (kind == 4 && i % 3 == 0) /* points and segments */
            corners[3 * i + 2] = corners[3 * i + (i % 2)];
    }
}

/* Changes one number of a soup; which makes the soup's worst box worse is kept. */
static void mutate(check_random *random, carom_vec3 *corners, int triangles)
{
    double *value = &corners[0].x + check_next(random) % (9u * (unsigned)triangles);
    int kind = family_integer(random, 0, 3);
    if (kind == 0)
        *value = check_uniform(random, -1.0, 1.0);
    else if (kind == 1)
        *value += check_uniform(random, -1.0, 1.0) * exp2(check_uniform(random, -30.0, -1.0));
    else if (kind == 2)
        *value = family_nudge(random, (double)(float)*value, 2);
    else
        *value = family_integer(random, 0, 1) ? 1.0 : -1.0;
}

static void boxes_contain_their_triangles(void **state)
{
    (void)state;
    check_random random = {11};
    box_slack worst = {INFINITY, 0.0};
    carom_vec3 corners[3 * 64], trial[3 * 4];
    for (int round = 0; round < effort(1500); round++)
    {
        int triangles = round % 4 ? family_integer(&random, 1, 4) : family_integer(&random, 5, 64);
        make_mixed_soup(&random, corners, triangles);
        box_slack slack = boxes_of(contexts[round % context_count], corners, (size_t)triangles, round / 3 % 2);
        worst.smallest = fmin(worst.smallest, slack.smallest), worst.leaf_err = fmax(worst.leaf_err, slack.leaf_err);
        if (!(slack.smallest >= 0.0))
            fail_msg("soup %d: a point is outside its box by %g 2^-24", round, -slack.smallest);
    }
    for (int climb = 0; climb < effort(30); climb++)
    {
        int triangles = family_integer(&random, 1, 4);
        make_mixed_soup(&random, corners, triangles);
        double best = boxes_of(contexts[0], corners, (size_t)triangles, climb % 2).smallest;
        for (int step = 0; step < 200; step++)
        {
            memcpy(trial, corners, sizeof trial);
            mutate(&random, trial, triangles);
            double slack = boxes_of(contexts[0], trial, (size_t)triangles, climb % 2).smallest;
            if (slack < best)
                best = slack, memcpy(corners, trial, sizeof trial);
        }
        worst.smallest = fmin(worst.smallest, best);
        if (!(best >= 0.0))
            fail_msg("climb %d: a point is outside its box by %g 2^-24", climb, -best);
    }
    print_message("boxes: a point comes within %.2f 2^-24 of its box's side; leaf corners err by %.3f of their bound\n",
                  worst.smallest, worst.leaf_err);
    assert_true(worst.leaf_err <= 1.0);
}

/* ---- a box against eight lanes ---- */

typedef struct exact_box
{
    double centre[3], half[3], axis[3][3];
} exact_box;

static exact_box stored_box(const wide_tree *tree, wide_slot slot)
{
    const wide_node *node = &tree->nodes[slot >> 3];
    exact_box out;
    for (int k = 0; k < 3; k++)
    {
        out.centre[k] = (double)node->centre[k][slot & 7], out.half[k] = (double)node->half[k][slot & 7];
        for (int j = 0; j < 3; j++)
            out.axis[k][j] = (double)node->axis[k][j][slot & 7];
    }
    return out;
}

static exact_box moved_exactly(const exact_box *box, const wide_transform *t)
{
    exact_box out;
    for (int j = 0; j < 3; j++)
    {
        out.centre[j] = t->exact_translation[j];
        for (int i = 0; i < 3; i++)
            out.centre[j] += t->exact_scaled[3 * j + i] * box->centre[i];
        for (int k = 0; k < 3; k++)
        {
            out.axis[k][j] = 0.0;
            for (int i = 0; i < 3; i++)
                out.axis[k][j] += t->exact_scaled[3 * j + i] * box->axis[k][i];
        }
    }
    memcpy(out.half, box->half, sizeof out.half);
    return out;
}

/* Gap between two boxes along a direction, per unit of it; -infinity for no direction. */
static double gap_along(const exact_box *a, const exact_box *b, const double u[3])
{
    double length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]), reach = 0.0, away = 0.0;
    if (!(length > 1e-9))
        return -INFINITY;
    for (int k = 0; k < 3; k++)
    {
        reach += a->half[k] * fabs(a->axis[k][0] * u[0] + a->axis[k][1] * u[1] + a->axis[k][2] * u[2]);
        reach += b->half[k] * fabs(b->axis[k][0] * u[0] + b->axis[k][1] * u[1] + b->axis[k][2] * u[2]);
        away += (b->centre[k] - a->centre[k]) * u[k];
    }
    return (fabs(away) - reach) / length;
}

/* Largest gap over the normals of both boxes' faces and the edge pairs: how far they are apart, or how deep in. */
static double gap_of_boxes(const exact_box *a, const exact_box *b, double direction[3])
{
    double best = -INFINITY;
    for (int n = 0; n < 15; n++)
    {
        double u[3];
        const double *p = n < 3 ? a->axis[(n + 1) % 3] : n < 6 ? b->axis[(n + 1) % 3] : a->axis[(n - 6) / 3];
        const double *q = n < 3 ? a->axis[(n + 2) % 3] : n < 6 ? b->axis[(n + 2) % 3] : b->axis[(n - 6) % 3];
        double pp = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]), qq = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
        for (int j = 0; j < 3; j++)
            u[j] = (p[(j + 1) % 3] * q[(j + 2) % 3] - p[(j + 2) % 3] * q[(j + 1) % 3]) / pp / qq;
        double gap = gap_along(a, b, u);
        if (gap > best)
        {
            double length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
            double side = 0.0;
            for (int j = 0; j < 3; j++)
                side += (b->centre[j] - a->centre[j]) * u[j];
            best = gap;
            for (int j = 0; j < 3; j++)
                direction[j] = (side < 0.0 ? -u[j] : u[j]) / length;
        }
    }
    return best;
}

static uint32_t verdict_with(const moved_box *box, const wide_node *node, float rounding, float part)
{
    moved_box less = *box;
    f8 gap;
    for (int k = 0; k < 3; k++)
        less.half[k] -= (1.0f - part) * rounding;
    less.edge_margin *= part;
    return test_node(&less, node, &gap);
}

/* Random boxes of a tree against another's that just touch them. Returns the largest part of the margin used. */
static double attack_box_pair(check_random *random, const wide_tree *a, const wide_tree *b, double log_ratio)
{
    double ratio = exp2(floor(log_ratio)), largest = 0.0;
    carom_pose pose = random_pose(random, 2.0 + 2.0 * ratio, family_integer(random, 0, 1) * 1e-9);
    wide_transform t = {.ratio = (float)ratio};
    if (family_integer(random, 0, 3) == 0) /* parallel edges, or nearly */
    {
        double q[4] = {0.0, 0.0, 0.0, 1.0};
        q[family_integer(random, 0, 2)] = exp2(check_uniform(random, -40.0, -8.0));
        pose = rooted_pose(q, pose.translation);
    }
    for (uint32_t n = 1; n < a->node_count; n++)
        for (wide_slot kept = 0; kept < b->node_count * WIDE_LANES; kept += 3)
        {
            wide_slot slot = n * WIDE_LANES + (uint32_t)family_integer(random, 0, 7);
            if (wide_child(a, slot) == WIDE_NO_CHILD || wide_child(b, kept) == WIDE_NO_CHILD)
                continue;
            for (int i = 0; i < 9; i++)
            {
                t.rotation[i] = (float)pose.rotation[i];
                t.exact_scaled[i] = pose.rotation[i] * ratio, t.scaled[i] = (float)t.exact_scaled[i];
            }
            memcpy(t.exact_translation, &pose.translation, sizeof t.exact_translation);
            exact_box lane = stored_box(a, slot), source = stored_box(b, kept);
            /* Push the boxes together until they touch. */
            for (int step = 0; step < 60; step++)
            {
                exact_box placed = moved_exactly(&source, &t);
                double direction[3], gap = gap_of_boxes(&lane, &placed, direction);
                if (gap < 0.0 && gap > -1e-12 * (1.0 + ratio))
                    break;
                for (int j = 0; j < 3; j++)
                    t.exact_translation[j] -= (gap + 1e-13 * (1.0 + ratio)) * direction[j];
            }
            exact_box placed = moved_exactly(&source, &t);
            double direction[3];
            if (!(gap_of_boxes(&lane, &placed, direction) <= 0.0))
                continue; /* not quite: another pair will do */
            for (int j = 0; j < 3; j++)
                t.translation[j] = (float)t.exact_translation[j];
            moved_box box;
            move_box(b, kept, &t, &box);
            grow_box(&box, 0.0f);
            f8 gap;
            if (!(test_node(&box, &a->nodes[n], &gap) >> (slot & 7) & 1))
                fail_msg("touching boxes called apart, ratio %g", ratio);
            float low = -1.0f, high = 1.0f, rounding = box.half[0] - b->nodes[kept >> 3].half[0][kept & 7] * t.ratio;
            for (int step = 0; step < 9; step++)
            {
                float middle = 0.5f * (low + high);
                if (verdict_with(&box, &a->nodes[n], rounding, middle) >> (slot & 7) & 1)
                    high = middle;
                else
                    low = middle;
            }
            largest = fmax(largest, (double)high);
        }
    return largest;
}

static void touching_boxes_are_never_apart(void **state)
{
    (void)state;
    check_random random = {12};
    carom_vec3 corners[3 * 64];
    double largest = 0.0;
    for (int round = 0; round < effort(150); round++)
    {
        carom_tree *tree[2];
        carom_mesh *mesh[2];
        for (int i = 0; i < 2; i++)
        {
            make_mixed_soup(&random, corners, 64);
            mesh[i] = soup_mesh(contexts[0], corners, 64);
            tree[i] = tree_of(contexts[0], mesh[i], round % 2);
        }
        double log_ratio = round % 3 ? check_uniform(&random, -2.0, 2.0) : check_uniform(&random, -30.0, 30.0);
        largest = fmax(largest, attack_box_pair(&random, tree[0]->wide, tree[1]->wide, log_ratio));
        for (int i = 0; i < 2; i++)
            carom_tree_destroy(tree[i]), carom_mesh_destroy(mesh[i]);
    }
    print_message("boxes against lanes: %.3f of the margin is used\n", largest);
    assert_true(largest < 1.0);
}

/* ---- sixteen triangle pairs ---- */

/* World corners of a leaf's triangle in the target's normalised frame, relative to the leaf that is the origin. */
static void seen_from(const mesh_placed *a, const wide_leaf *origin, const narrow_triangle *world, long double out[9])
{
    const double *r = a->pose->rotation;
    const wide_tree *tree = a->tree->wide;
    for (int c = 0; c < 3; c++)
    {
        long double d[3] = {(long double)world->corner[c].x - (long double)a->pose->translation.x,
                            (long double)world->corner[c].y - (long double)a->pose->translation.y,
                            (long double)world->corner[c].z - (long double)a->pose->translation.z};
        const double *centre = &tree->centre.x;
        for (int k = 0; k < 3; k++)
            out[3 * c + k] =
                ((long double)r[k] * d[0] + (long double)r[3 + k] * d[1] + (long double)r[6 + k] * d[2] - centre[k]) *
                    tree->scale -
                (long double)origin->origin[k];
    }
}

static void cross3(const long double *a, const long double *b, long double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1], out[1] = a[2] * b[0] - a[0] * b[2], out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Gap of two triangles along an axis, not normalised; for an axis through a face: 0 is that face. */
static long double axis_gap(const long double *a, const long double *b, const long double *axis)
{
    long double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < 6; i++)
    {
        const long double *p = i < 3 ? a + 3 * i : b + 3 * (i - 3);
        long double h = axis[0] * p[0] + axis[1] * p[1] + axis[2] * p[2];
        low[i / 3] = h < low[i / 3] ? h : low[i / 3], high[i / 3] = h > high[i / 3] ? h : high[i / 3];
    }
    long double above = low[1] - high[0], below = low[0] - high[1];
    return above > below ? above : below;
}

/* The eleven axes of the float filter without rounding. A face is flat along its own normal by construction. */
static double true_worst(const long double *a, const long double *b)
{
    long double e[2][3][3], worst = -INFINITY;
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++)
        {
            e[0][c][k] = a[3 * ((c + 1) % 3) + k] - a[3 * c + k];
            e[1][c][k] = b[3 * ((c + 1) % 3) + k] - b[3 * c + k];
        }
    for (int n = 0; n < 11; n++)
    {
        long double axis[3];
        cross3(n < 2 ? e[n][0] : e[0][(n - 2) / 3], n < 2 ? e[n][1] : e[1][(n - 2) % 3], axis);
        long double gap = axis_gap(a, b, axis);
        worst = gap > worst ? gap : worst;
    }
    return (double)worst;
}

/* What the filter computes for the first triangles of two leaves, over its bound: |computed - true| / bound. */
static double filter_error(const tree_task *task)
{
    wide_pair pair;
    wide_pair_begin(&pair, task);
    const wide_leaf *a = &pair.tree_a->leaves[0], *b = &pair.tree_b->leaves[0];
    leaf_lines la, lb;
    float bound = triple_product_error(&pair, a, b, place_b(&pair, a, b, &lb));
    if (!(bound < INFINITY))
        return 0.0;
    find_edges(&lb);
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++)
            la.corner[c][k] = f8_two(a->corner[c][k][0], a->corner[c][k][1]);
    find_edges(&la);
    f8 da[3], db[3];
    f8 worst =
        f8_max(plane_gap(la.normal, la.corner[0], lb.corner, db), plane_gap(lb.normal, lb.corner[0], la.corner, da));
    find_moments(&lb), find_moments(&la);
    worst = f8_max(edge_gap(&la, &lb, da, db), worst);
    narrow_triangle ta = tree_world_triangle(task->a, a->triangle[0]),
                    tb = tree_world_triangle(task->b, b->triangle[0]);
    long double pa[9], pb[9];
    seen_from(task->a, a, &ta, pa), seen_from(task->a, a, &tb, pb);
    return fabs((double)worst.v[0] - true_worst(pa, pb)) / (double)bound;
}

typedef struct filter_case
{
    carom_vec3 corner[6];
    carom_pose pose[2];
} filter_case;

static double try_filter(const filter_case *c)
{
    carom_mesh *mesh[2];
    carom_placed placed[2];
    for (int i = 0; i < 2; i++)
    {
        mesh[i] = soup_mesh(contexts[0], c->corner + 3 * i, 1);
        placed[i] = (carom_placed){carom_shape_tree(tree_of(contexts[0], mesh[i], 0)), c->pose[i]};
    }
    question q;
    question_begin(&q, contexts[0], &placed[0], &placed[1]);
    double ratio = filter_error(&q.task);
    question_end(&q);
    for (int i = 0; i < 2; i++)
        carom_tree_destroy((carom_tree *)placed[i].shape.tree), carom_mesh_destroy(mesh[i]);
    return ratio;
}

static filter_case random_filter_case(check_random *random)
{
    filter_case c;
    narrow_triangle pair[2];
    int which = family_integer(random, 0, 1);
    const family *f = which ? &families_random[check_next(random) % (uint64_t)families_random_count]
                            : &families_degenerate[5 + check_next(random) % 12];
    f->make(random, pair);
    double far = family_integer(random, 0, 2) ? 1.0 : exp2(check_uniform(random, 0.0, 40.0));
    for (int i = 0; i < 2; i++)
    {
        c.pose[i] = random_pose(random, far, 0.0);
        for (int k = 0; k < 3; k++)
            c.corner[3 * i + k] = to_own_frame(&c.pose[i], vec3_add(pair[i].corner[k], c.pose[0].translation));
    }
    return c;
}

static void mutate_filter(check_random *random, filter_case *c)
{
    double *value = &c->corner[0].x + check_next(random) % 18;
    int kind = family_integer(random, 0, 4);
    if (kind == 0)
        *value += check_uniform(random, -1.0, 1.0) * exp2(check_uniform(random, -30.0, 1.0));
    else if (kind == 1)
        *value *= 1.0 + check_uniform(random, -1.0, 1.0) * exp2(check_uniform(random, -26.0, -18.0));
    else if (kind == 2)
        *value = -*value;
    else if (kind == 3)
        c->pose[1] = random_pose(random, fabs(c->pose[1].translation.x), 0.0);
    else
        for (int k = 0; k < 3; k++)
            c->corner[3 + k] = vec3_add(c->corner[3 + k], vec3_scale(vec3(1, 1, 1), *value));
}

static void the_filter_errs_less_than_its_bound(void **state)
{
    (void)state;
    check_random random = {13};
    double largest = 0.0;
    for (int climb = 0; climb < effort(60); climb++)
    {
        filter_case best = random_filter_case(&random);
        double worst_ratio = try_filter(&best);
        for (int step = 0; step < 400; step++)
        {
            filter_case trial = best;
            mutate_filter(&random, &trial);
            double ratio = try_filter(&trial);
            if (ratio > worst_ratio)
                worst_ratio = ratio, best = trial;
        }
        largest = fmax(largest, worst_ratio);
        if (!(worst_ratio <= 1.0))
            fail_msg("climb %d: the filter errs by %g of its bound", climb, worst_ratio);
    }
    print_message("sixteen triangle pairs: the filter errs by %.3f of its bound\n", largest);
}

/* ---- through the front door ---- */

enum
{
    PAIRS = 8
};

/* Pairs of a family in the world, brought into two bodies' frames: near-touching, as the poses' rounding has it. */
static void make_bodies(check_random *random, int round, body out[2])
{
    carom_vec3 corners[2][3 * PAIRS];
    static const double fars[] = {0.0, 1.0, 10.0, 1e3, 1e9, 1e12};
    double far = fars[check_next(random) % 6], scale = exp2((double)family_integer(random, -40, 40));
    double defect = family_integer(random, 0, 2) ? 0.0 : 1e-9;
    carom_pose pose[2];
    for (int i = 0; i < 2; i++)
    {
        pose[i] = random_pose(random, far * scale, defect);
        if (family_integer(random, 0, 3) == 0) /* exact placement keeps exact touching */
            pose[i] = carom_pose_translation(far * scale, 0.0, 0.0);
    }
    if (family_integer(random, 0, 2) == 0)
        pose[1] = pose[0];
    double spread = exp2(check_uniform(random, -2.0, 12.0));
    for (int p = 0; p < PAIRS; p++)
    {
        narrow_triangle pair[2];
        int all = families_random_count + families_degenerate_count, at = (round + p * (round % 2)) % all;
        (at < families_random_count ? families_random[at] : families_degenerate[at - families_random_count])
            .make(random, pair);
        bool huge = false;
        for (int i = 0; i < 18; i++)
            huge |= fabs(((double *)&pair[i / 9].corner[0])[i % 9]) > 1e6;
        double unit = huge ? 1.0 : scale;
        double x = floor(check_uniform(random, -spread, spread)), y = floor(check_uniform(random, -spread, spread));
        carom_vec3 offset = vec3_add(vec3(x * unit, y * unit, 0.0), pose[0].translation);
        for (int i = 0; i < 6; i++)
        {
            carom_vec3 world = vec3_add(vec3_scale(pair[i / 3].corner[i % 3], unit), offset);
            corners[i / 3][3 * p + i % 3] = to_own_frame(&pose[i / 3], world);
        }
    }
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3 * PAIRS; k++)
            for (int j = 0; j < 3; j++)
            {
                double *value = &corners[i][k].x + j;
                *value = fmax(-0x1p100, fmin(0x1p100, *value));
            }
    for (int i = 0; i < 2; i++)
        out[i] = body_create(corners[i], PAIRS, pose[i]);
}

static void compare_collide(const body bodies[2], const uint8_t *truth, int round, uint64_t undecided[2])
{
    size_t count_b = bodies[1].mesh->triangle_count, count = bodies[0].mesh->triangle_count * count_b;
    for (int v = 0; v < body_versions(); v++)
    {
        question q;
        uint8_t meeting[MAX_TRIANGLES] = {0}, times[MAX_TRIANGLES] = {0};
        meeting_table table = {(uint32_t)count_b, meeting, times};
        narrow_search options = {.every_pair = true, .need_meeting = true, .on_pair = note_pair, .user = &table};
        question_begin(&q, contexts[v / 2], &bodies[0].placed[v], &bodies[1].placed[v]);
        assert_int_equal(tree_collide(&q.task, &options, NULL), CAROM_OK);
        undecided[0] += q.counters.filter_undecided, undecided[1] += q.counters.triangles_tested;
        question_end(&q);
        for (size_t i = 0; i < count; i++)
            if (meeting[i] != truth[i] || times[i] != (truth[i] != 0))
                fail_msg("round %d version %d: pair %zu %zu is %u, reported %u (%u times)", round, v, i / count_b,
                         i % count_b, truth[i], meeting[i], times[i]);
    }
}

static void collide_agrees_with_the_predicates(void **state)
{
    (void)state;
    check_random random = {14};
    uint64_t pairs = 0, met = 0, undecided[2] = {0, 0};
    for (int round = 0; round < effort(4000); round++)
    {
        body bodies[2];
        uint8_t truth[PAIRS * PAIRS];
        make_bodies(&random, round, bodies);
        for (uint32_t i = 0; i < PAIRS * PAIRS; i++)
        {
            narrow_triangle a = placed_triangle(&bodies[0].placed[0], i / PAIRS),
                            b = placed_triangle(&bodies[1].placed[0], i % PAIRS);
            narrow_counts counts = {0};
            truth[i] = (uint8_t)narrow_meet(&a, &b, &counts);
            met += truth[i] != 0, pairs++;
        }
        compare_collide(bodies, truth, round, undecided);
        body_destroy(&bodies[0]), body_destroy(&bodies[1]);
    }
    print_message("collide: %llu pairs, %llu of them meet, in %d versions each; %llu of %llu leaf pairs went on\n",
                  (unsigned long long)pairs, (unsigned long long)met, body_versions(), (unsigned long long)undecided[0],
                  (unsigned long long)undecided[1]);
    assert_true(met > pairs / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_contain_their_triangles), cmocka_unit_test(touching_boxes_are_never_apart),
        cmocka_unit_test(the_filter_errs_less_than_its_bound), cmocka_unit_test(collide_agrees_with_the_predicates)};
    return cmocka_run_group_tests(tests, open_contexts, close_contexts);
}
