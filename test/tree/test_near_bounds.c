/* Attacks the error bounds of balls and capsules in the wide layout (docs/exactness.md, section 19): climbs on error /
 * bound of the kernels, which are compiled into this program, with truth in double. */
#define CAROM_ISA scalar_here
#define CAROM_ISA_SCALAR
#include "support/rooted.h"
#include "tree/wide_near_simd.c" /* NOLINT(bugprone-suspicious-include): its static functions are what is tested */

#define near_place_round   here_place_round
#define near_begin_stack   here_begin_stack
#define near_leave_front   here_leave_front
#define near_in_any_layout here_in_any_layout
#define tree_near          here_tree_near
#define push               push_near
#define open_node          open_node_near
#define visit_all          visit_all_near
#include "tree/near.c" /* NOLINT(bugprone-suspicious-include) */

#include "support/climb.h"
#include "support/double_model.h"

/* Inputs that longer climbs found. */
static const double FAR_BOX[] = {
    0x1.06003b000af7dp-1,  -0x1.000005p+0,        0x1.0039750045718p-2,  0x1.000007000007p-3,
    -0x1.dd270636f62e4p-1, 0x1.fffff8962d77cp-1,  0x1.ffffbc27e47e7p-1,  0x1.fffff11d18bb2p-1,
    0x1.032fa3a176d5p+0,   -0x1.ffff50cdafcc5p-1, 0x1.0000c1c4fbd31p+0,  0x1.fffff8962d77cp-1,
    0x1.ffcc1a33d5295p-1,  0x1.8b8edb15e5293p-1,  0x1.0c05fe7217005p-10, 0x1.af010084bbd4ap-9,
};

static const double BALL_TRIANGLE[] = {
    0x1.03325cfffffffp+0,  -0x1.009ed5p+0,       -0x1.003522fffffffp+0, -0x1.69da929fa4128p-1, -0x1.000006p-1,
    -0x1.ffffe84172488p-4, -0x1.000006p+0,       0x1.06eb2e7754965p+0,  0x1.0604a78cecd25p+0,  -0x1.00fa28fffffffp+0,
    0x1.000038ffffffep+0,  0x1.000102fffffffp+0, -0x1.048af274a505cp+0, 0x1.02f1dcb8e49abp+0,  0x1.0604ba80f7e9cp+0,
};
static const double CAPSULE_TRIANGLE[] = {
    -0x1.04d015f1dd6a5p+0, 0x1.06d24c6f4b24p+0,   0x1.019a2bb598d51p+0,  -0x1.06a8d8fd9fd65p+0, 0x1.002c26ea72aep+0,
    0x1.00000efffd91ap+0,  0x1.061c32cd1c8b9p+0,  -0x1.0004aae49da8cp+0, -0x1.06a8da408c1d3p+0, 0x1.06eb2b1678a03p+0,
    -0x1.037eedb1a9b25p+0, -0x1.ffa2bcc841cefp-1, 0x1.002beefe0a5fp+0,   -0x1.000340f377fc8p+0, -0x1.005eb8fef507dp+0,
};
static const double FAR_BOX_OF_CAPSULE[] = {
    0x1.c7c9d8000046cp-8,  -0x1.9f3ead8000002p-1, 0x1.4d6e2fffffeaep-7,  0x1.fdf628850bbfdp-4,
    -0x1.000018fff5d52p-2, -0x1.e722280008dap-3,  0x1.0000105c0a71fp-2,  0x1.0d3e638e6ae36p+0,
    -0x1.ffffd75fd3fc1p-3, 0x1.0017322172662p-1,  0x1.00173776bc96dp-1,  0x1.007fd1fc1701fp-3,
    -0x1.833f50b32d9f1p-3, 0x1.77cfffe8bb6c2p-11, -0x1.07482094ff435p-8, -0x1.bef276d759244p-7,
};
static const double BALL_BOX[] = {
    0x1.06a66cfffff4ep-1,  -0x1.0175070000054p-1, -0x1.0000070000002p-1, -0x1.9291119d2f1d3p-1,
    -0x1.5d17f2f19998ep-1, 0x1.000003ef6ac07p-3,  -0x1.000003ef6ac07p-3, -0x1.eaa2b56cf8a6cp-3,
    0x1.c0c3f9e308e7cp-1,  0x1.c57bb09de0bap-1,   -0x1.e290689b4f085p-1, -0x1.ffffa9840caa7p-1,
    -0x1.000007691133ep+0, 0x1.8e3caf4de1efdp-6,  0x1.bc6dd93e87656p+0,  0x1.dc083478ab1dbp-1,
};
static const double CAPSULE_BOX[] = {
    0x1.000f63fc76d45p+0,  0x1.0f66e10034e06p+5,  -0x1.36388d23946c7p-3, -0x1.00c839ea7dfefp+0,
    0x1.0000000c91cdp+0,   0x1.59dc1d7b06dd4p-19, -0x1.000032ea0d77bp+0, -0x1.00002df8fcf79p+0,
    0x1.3d97fde7f5961p-5,  -0x1.000012da1bac7p+0, -0x1.b53df164088d2p-1, 0x1.00001d0b6dc31p+0,
    -0x1.ffffd88359fdcp-1, -0x1.2a6ab6c793f63p-2, -0x1.00eba7c3d4e8ep-3, 0x1.6e77212426e06p-4,
};
static const double PLACING[] = {
    -0x1.003899520d43bp+0,
    -0x1.ffffffe6ff9e4p-1,
    0x1.29cb8a36387dep-1,
    -0x1.0000001449149p-3,
    0x1p-1,
    -0x1.0000000000002p-1,
    0x1.29cb8a36387dep-1,
    0x1.0000000000001p-3,
    -0x1.f6916afd2debdp-18,
    -0x1.31575f3ab47c1p-2,
    -0x1.d7a8afafd4241p-18,
    0x1.a6f407eb7ee28p-19,
    -0x1.f9787c5862b44p-18,
    -0x1.abb73269d9635p-2,
    0x1.ac592752f2cf5p-2,
    0x1.aae8f4d99cd27p-2,
    0x1.680f9b5affacep-4,
    -0x1.70de749fe0fbfp-4,
    -0x1.6f61325596783p-4,
};

static carom_vec3 point_at(const double *n) { return vec3(n[0], n[1], n[2]); }

static double within(double x, double limit) { return fmax(-limit, fmin(limit, x)); }

/* A tree of which there is only the frame: the mesh's own. */
typedef struct bare_tree
{
    carom_mesh mesh;
    carom_tree tree;
    wide_tree wide;
    carom_pose pose;
    mesh_placed placed;
    tree_near_task task;
} bare_tree;

static void make_bare_tree(bare_tree *s, double extent)
{
    s->mesh.extent = extent;
    s->wide.scale = 1.0;
    s->tree.wide = &s->wide;
    s->placed = (mesh_placed){&s->mesh, &s->tree, &s->pose};
    s->task = (tree_near_task){.placed = &s->placed};
}

/* A walk for this segment, without any error of placing. */
static wide_near_walk begin_walk(const bare_tree *s, const narrow_round *round)
{
    narrow_near near = {.round = round, .limit = INFINITY};
    near_place place = {{round->end[0], round->end[1]}, 0.0};
    wide_near_walk walk;
    wide_near_begin(&walk, &s->task, &near, &place);
    walk.near = NULL;
    return walk;
}

/* ---- triangles ---- */

static void fill_leaf(wide_leaf *leaf, const narrow_triangle *t)
{
    float reach = 0.0f;
    *leaf = (wide_leaf){.count = 1};
    for (int c = 0; c < 3; c++)
    {
        const double corner[3] = {t->corner[c].x, t->corner[c].y, t->corner[c].z};
        for (int k = 0; k < 3; k++)
            for (int lane = 0; lane < WIDE_LEAF_TRIANGLES; lane++)
            {
                leaf->corner[c][k][lane] = (float)corner[k];
                reach = fmaxf(reach, fabsf((float)corner[k]));
            }
    }
    leaf->reach = reach * (1.0f + 0x1p-20f);
}

static double triangle_ratio(const double *n, bool ball)
{
    static bare_tree s;
    make_bare_tree(&s, 0.0);
    narrow_round round = {{point_at(n), point_at(ball ? n : n + 3)}, 0.0};
    narrow_triangle t = {{point_at(n + 6), point_at(n + 9), point_at(n + 12)}};
    wide_near_walk walk = begin_walk(&s, &round);
    wide_leaf leaf;
    fill_leaf(&leaf, &t);
    float end[2][3], error = place_ends(&walk, &leaf, end) - walk.pad;
    if (!(error > 0x1p-30f) || !(error < 1.0f))
        return 0.0;
    f8 low, high;
    if (ball)
        bound_triangles(&leaf, end, &low, &high, true);
    else
        bound_triangles(&leaf, end, &low, &high, false);
    narrow_counts counts = {0};
    double truth = narrow_round_triangle_distance(&round, &t, &counts).distance;
    double above = (double)low.v[0] - truth, below = truth - (double)(high.v[0] + error) + (double)error;
    return fmax(above, truth == 0.0 ? 0.0 : below) / (double)error;
}

static double ball_triangle_ratio(const double *n) { return triangle_ratio(n, true); }
static double capsule_triangle_ratio(const double *n) { return triangle_ratio(n, false); }

static void bounds_of_triangles_hold(void **state)
{
    (void)state;
    climb_attack(&(climb){"a ball and a triangle", ball_triangle_ratio, 15, 0.44, 1, BALL_TRIANGLE, 4, 20000, true});
    climb_attack(
        &(climb){"a capsule and a triangle", capsule_triangle_ratio, 15, 0.53, 2, CAPSULE_TRIANGLE, 4, 20000, true});
}

/* ---- boxes ---- */

/* Between two planes across each of three axes that are nearly orthonormal. */
typedef struct slab_box
{
    double centre[3], half[3], axis[3][3], back[3][3]; /* back: the inverse of axis */
} slab_box;

static double dot3(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void invert(slab_box *box)
{
    double cofactor[3][3], volume = 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            cofactor[i][j] = box->axis[(i + 1) % 3][(j + 1) % 3] * box->axis[(i + 2) % 3][(j + 2) % 3] -
                             box->axis[(i + 1) % 3][(j + 2) % 3] * box->axis[(i + 2) % 3][(j + 1) % 3];
    for (int j = 0; j < 3; j++)
        volume += box->axis[0][j] * cofactor[0][j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            box->back[j][i] = cofactor[i][j] / volume;
}

/* A box as small as those of a mesh that fills its frame: section 10. */
static void make_box(const double *n, wide_node *node, slab_box *box)
{
    const double none[4] = {0.0, 0.0, 0.0, 1.0};
    double largest = fabs(n[3]) + fabs(n[4]) + fabs(n[5]) + fabs(n[6]), sum = 0.0, away = 0.0;
    carom_pose frame = rooted_pose(largest > 0x1p-100 ? n + 3 : none, vec3(0, 0, 0));
    *node = (wide_node){0};
    for (int k = 0; k < 3; k++)
        away += n[k] * n[k], sum += fmin(fabs(n[7 + k]), 1.74);
    for (int k = 0; k < 3; k++)
    {
        node->centre[k][0] = (float)(n[k] * (away > 1.0 ? 1.84 / sqrt(away) : 1.84));
        node->half[k][0] = (float)(fmin(fabs(n[7 + k]), 1.74) * (sum > 5.0 ? 5.0 / sum : 1.0));
        for (int j = 0; j < 3; j++)
            node->axis[k][j][0] = (float)frame.rotation[3 * k + j], box->axis[k][j] = (double)node->axis[k][j][0];
        box->centre[k] = (double)node->centre[k][0], box->half[k] = (double)node->half[k][0];
    }
    invert(box);
}

/* Squared distance of a point from the box: by slab coordinates in turn, which converges at once as the axes are nearly
 * orthonormal. */
static double box_distance(const slab_box *box, const double x[3])
{
    double way[3] = {x[0] - box->centre[0], x[1] - box->centre[1], x[2] - box->centre[2]}, at[3], rest[3];
    for (int k = 0; k < 3; k++)
        at[k] = within(dot3(box->axis[k], way), box->half[k]);
    for (int sweep = 0; sweep < 3; sweep++)
        for (int k = 0; k < 3; k++)
        {
            double column[3] = {box->back[0][k], box->back[1][k], box->back[2][k]};
            for (int j = 0; j < 3; j++)
                rest[j] = way[j] - dot3(box->back[j], at) + column[j] * at[k];
            at[k] = within(dot3(rest, column) / dot3(column, column), box->half[k]);
        }
    for (int j = 0; j < 3; j++)
        rest[j] = way[j] - dot3(box->back[j], at);
    return dot3(rest, rest);
}

/* How far the corner of the box that is farthest from the segment is from it. */
static double farthest_corner(const slab_box *box, const narrow_round *round)
{
    double largest = 0.0;
    for (int i = 0; i < 8; i++)
    {
        double at[3];
        for (int k = 0; k < 3; k++)
            at[k] = i >> k & 1 ? box->half[k] : -box->half[k];
        carom_vec3 corner = vec3(box->centre[0] + dot3(box->back[0], at), box->centre[1] + dot3(box->back[1], at),
                                 box->centre[2] + dot3(box->back[2], at));
        carom_vec3 e = vec3_sub(round->end[1], round->end[0]), way = vec3_sub(corner, round->end[0]);
        double square = vec3_dot(e, e), s = square > 0.0 ? vec3_dot(way, e) / square : 0.0;
        largest = fmax(largest, vec3_length(vec3_sub(way, vec3_scale(e, fmax(0.0, fmin(1.0, s))))));
    }
    return largest;
}

/* From the segment: the squared distance is convex along it. */
static double segment_box_distance(const slab_box *box, const narrow_round *round, bool ball)
{
    double low = 0.0, high = 1.0, value = 0.0;
    for (int i = 0; i < (ball ? 1 : 80); i++)
    {
        double squares[2];
        for (int side = 0; side < 2; side++)
        {
            double s = side ? high - (high - low) / 3.0 : low + (high - low) / 3.0;
            carom_vec3 p = vec3_add(round->end[0], vec3_scale(vec3_sub(round->end[1], round->end[0]), ball ? 0.0 : s));
            squares[side] = box_distance(box, (double[3]){p.x, p.y, p.z});
        }
        value = fmin(squares[0], squares[1]);
        *(squares[0] < squares[1] ? &high : &low) =
            squares[0] < squares[1] ? high - (high - low) / 3.0 : low + (high - low) / 3.0;
    }
    return sqrt(value);
}

/* What bound_boxes gets at for a ball without rounding: less than the truth by growth and factor. */
static double exact_bound(const slab_box *box, const double p[3], double growth)
{
    double square = 0.0, way[3] = {box->centre[0] - p[0], box->centre[1] - p[1], box->centre[2] - p[2]};
    for (int k = 0; k < 3; k++)
    {
        double gap = fmax(fabs(dot3(box->axis[k], way)) - (box->half[k] + growth), 0.0);
        square += gap * gap;
    }
    return sqrt(square * (1.0 - (double)NEAR_SQUARES));
}

/* What the kernel says of one box and a ball or capsule; the walk has its growth. */
static box_bounds bound_one_box(const double *numbers, const narrow_round *round, bool ball, wide_near_walk *walk,
                                slab_box *box)
{
    static bare_tree s;
    static wide_node node;
    make_bare_tree(&s, 0.0);
    *walk = begin_walk(&s, round);
    make_box(numbers, &node, box);
    return ball ? bound_boxes(walk, &node, true) : bound_boxes(walk, &node, false);
}

/* Where a box is called too far away: what rounding takes of what growth and factor leave. */
static double box_ratio(const double *n, bool ball)
{
    slab_box box;
    narrow_round round = {{point_at(n), point_at(ball ? n : n + 3)}, 0.0};
    wide_near_walk walk;
    box_bounds bounds = bound_one_box(n + 6, &round, ball, &walk, &box);
    float square = bounds.near.v[0] * (1.0f - NEAR_SQUARES);
    if (!(square > 0x1p-16f) || !(square < 0x1p20f))
        return 0.0;
    double p[3] = {round.end[0].x, round.end[0].y, round.end[0].z}, growth = (double)(walk.growth - walk.pad);
    double truth = segment_box_distance(&box, &round, ball);
    /* Growth shortens the gap along any direction by at least as much. */
    double exact = ball ? exact_bound(&box, p, growth) : truth * (1.0 - 0.5 * (double)NEAR_SQUARES) - growth;
    return (sqrt((double)square) - exact) / (truth - exact);
}

/* Where a box's farthest point is called too near: what rounding takes of shrink and factor. */
static double far_ratio(const double *n, bool ball)
{
    slab_box box;
    narrow_round round = {{point_at(n), point_at(ball ? n : n + 3)}, 0.0};
    wide_near_walk walk;
    box_bounds bounds = bound_one_box(n + 6, &round, ball, &walk, &box);
    double found = sqrt((double)bounds.far.v[0]), shrink = (double)(walk.shrink - walk.pad);
    if (!(found < 0x1p10))
        return 0.0;
    return (farthest_corner(&box, &round) - found) / (found * 0.5 * WIDE_NEAR_INSIDE + shrink);
}

static double ball_box_ratio(const double *n) { return box_ratio(n, true); }
static double capsule_box_ratio(const double *n) { return box_ratio(n, false); }
static double far_of_ball_ratio(const double *n) { return far_ratio(n, true); }
static double far_of_capsule_ratio(const double *n) { return far_ratio(n, false); }

static void bounds_of_boxes_hold(void **state)
{
    (void)state;
    climb_attack(&(climb){"a ball and a box", ball_box_ratio, 16, 0.6, 11, BALL_BOX, 10, 20000, true});
    climb_attack(&(climb){"a ball and the far end of a box", far_of_ball_ratio, 16, 0.53, 12, FAR_BOX, 4, 20000, true});
    climb_attack(&(climb){"a capsule and the far end of a box", far_of_capsule_ratio, 16, 0.6, 14, FAR_BOX_OF_CAPSULE,
                          4, 20000, true});
    climb_attack(&(climb){"a capsule and a box", capsule_box_ratio, 16, 0.6, 13, CAPSULE_BOX, 4, 5000, true});
}

/* ---- boxes of other trees, in double ---- */

/* The points c + sum w_k a_k, |w_k| <= half_k, for float axes that are nearly orthonormal. */
static double sum_box_distance(const volume_box *box, carom_vec3 x)
{
    double w[3] = {0.0, 0.0, 0.0};
    carom_vec3 rest = vec3_sub(x, box->centre);
    for (int sweep = 0; sweep < 4; sweep++)
        for (int k = 0; k < 3; k++)
        {
            rest = vec3_add(rest, vec3_scale(box->axis[k], w[k]));
            w[k] = within(vec3_dot(rest, box->axis[k]) / vec3_dot(box->axis[k], box->axis[k]), box->half[k]);
            rest = vec3_sub(rest, vec3_scale(box->axis[k], w[k]));
        }
    return vec3_length(rest) - box->radius;
}

/* What a box of a binary tree is called too far away by, of what the obliqueness of its axes leaves. */
static double oblique_ratio(const double *n)
{
    const double none[4] = {0.0, 0.0, 0.0, 1.0};
    double largest = fabs(n[3]) + fabs(n[4]) + fabs(n[5]) + fabs(n[6]), size = 0.0;
    carom_pose frame = rooted_pose(largest > 0x1p-100 ? n + 3 : none, vec3(0, 0, 0));
    volume_box box = {.radius = 0.0};
    for (int k = 0; k < 3; k++)
    {
        const double *row = frame.rotation + 3 * k;
        box.axis[k] = vec3((double)(float)row[0], (double)(float)row[1], (double)(float)row[2]);
        box.half[k] = fmin(fabs(n[7 + k]), 1.0), size += box.half[k];
    }
    near_walk walk = {.centre = vec3(within(n[0], 4.0), within(n[1], 4.0), within(n[2], 4.0))};
    double low = sqrt(gap_square(&walk, &box)), truth = sum_box_distance(&box, walk.centre);
    if (!(low > 1e-6) || !(size > 0x1p-10))
        return 0.0;
    double allowed = NEAR_OBLIQUE * size + 0.5 * NEAR_OBLIQUE_SQUARES * truth;
    return (low - truth + allowed) / allowed;
}

static void boxes_of_other_trees_hold(void **state)
{
    (void)state;
    climb_attack(&(climb){"oblique boxes", oblique_ratio, 10, 0.55, 31, NULL, 20, 20000, true});
}

/* ---- placing ---- */

/* A vertex of a mesh and an end, as placed and as the mesh's frame sees them. numbers: a quaternion, a bend, a
 * translation, the vertex, the end seen from the translation. */
static double place_ratio(const double *n, double bend, double away)
{
    static bare_tree s;
    const double none[4] = {0.0, 0.0, 0.0, 1.0};
    double largest = fabs(n[0]) + fabs(n[1]) + fabs(n[2]) + fabs(n[3]);
    carom_vec3 t = vec3_scale(point_at(n + 10), away), v = point_at(n + 13);
    s.pose = rooted_pose(largest > 0x1p-100 ? n : none, t);
    double stretch[6], rotation[9];
    for (int i = 0; i < 6; i++)
        stretch[i] = bend * within(n[4 + i], 1.0);
    const double h[9] = {1.0 + stretch[0], stretch[3], stretch[4], stretch[3],      1.0 + stretch[1],
                         stretch[5],       stretch[4], stretch[5], 1.0 + stretch[2]};
    for (int i = 0; i < 9; i++)
        rotation[i] = s.pose.rotation[3 * (i / 3)] * h[i % 3] + s.pose.rotation[3 * (i / 3) + 1] * h[3 + i % 3] +
                      s.pose.rotation[3 * (i / 3) + 2] * h[6 + i % 3];
    if (bend > 0.0)
        memcpy(s.pose.rotation, rotation, sizeof rotation);
    double extent = fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
    make_bare_tree(&s, extent);
    s.task.defect = math_rotation_defect(s.pose.rotation);
    carom_vec3 end = vec3_add(t, point_at(n + 16)), world = pose_apply(&s.pose, v);
    near_place place = near_place_round(&s.task, &(narrow_round){{end, end}, 0.0});
    if (!(extent > 0x1p-10) || carom_pose_check(&s.pose) != CAROM_OK)
        return 0.0;
    long double true_way[3] = {(long double)end.x - (long double)world.x, (long double)end.y - (long double)world.y,
                               (long double)end.z - (long double)world.z};
    long double way[3] = {(long double)place.end[0].x - (long double)v.x,
                          (long double)place.end[0].y - (long double)v.y,
                          (long double)place.end[0].z - (long double)v.z};
    long double truth = sqrtl(true_way[0] * true_way[0] + true_way[1] * true_way[1] + true_way[2] * true_way[2]);
    long double seen = sqrtl(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
    return (double)(fabsl(seen - truth) / (long double)place.error);
}

static double bent_place_ratio(const double *n) { return place_ratio(n, 0.5e-9, 1.0); }
/* The translation has its own term, which would hide the others. */
static double rounded_place_ratio(const double *n)
{
    double numbers[19];
    memcpy(numbers, n, sizeof numbers);
    for (int i = 10; i < 13; i++)
        numbers[i] = within(n[i], 1.0);
    return place_ratio(numbers, 0.0, 0.01);
}
static double far_place_ratio(const double *n) { return place_ratio(n, 0.0, 0x1p30); }

/* Half of what a measured defect is off by, 3U on the diagonal of R^T R and 1.5U beside it, applied to p + v and seen
 * along the way: each entry as it hurts most. */
static double measured_defect(const double sum[3], const double way[3])
{
    double off = 0.0;
    for (int i = 0; i < 3; i++)
    {
        int j = (i + 1) % 3;
        off += 3.0 * fabs(sum[i] * way[i]) + 1.5 * fabs(sum[i] * way[j] + sum[j] * way[i]);
    }
    return 0.5 * 0x1p-53 * off;
}

/* x along a direction that is exact. */
static traced along(const traced x[3], const double direction[3])
{
    traced out = x[0], zero = traced_exact(0.0);
    for (int i = 0; i < 3; i++)
    {
        traced part = traced_operation(x[i], zero, (double[2]){direction[i], 0.0}, x[i].value * direction[i], false);
        out = i == 0 ? part : traced_operation(out, part, (double[2]){1.0, 1.0}, out.value + part.value, false);
    }
    return out;
}

/* The placing of a vertex and of an end as a model in which an adversary rounds. numbers: a quaternion, a translation,
 * the vertex, the end seen from the translation. */
static double modelled_place_ratio(const double *n)
{
    static bare_tree s;
    const double none[4] = {0.0, 0.0, 0.0, 1.0};
    double turning = fabs(n[0]) + fabs(n[1]) + fabs(n[2]) + fabs(n[3]);
    carom_vec3 t = vec3(0.01 * within(n[4], 1.0), 0.01 * within(n[5], 1.0), 0.01 * within(n[6], 1.0));
    s.pose = rooted_pose(turning > 0x1p-100 ? n : none, t);
    const double *r = s.pose.rotation, shift[3] = {t.x, t.y, t.z};
    make_bare_tree(&s, fmax(fabs(n[7]), fmax(fabs(n[8]), fabs(n[9]))));
    carom_vec3 end = vec3_add(t, point_at(n + 10));
    near_place place = near_place_round(&s.task, &(narrow_round){{end, end}, 0.0});
    traced v[3], to[3], world[3], own[3];
    trace_begin();
    for (int i = 0; i < 3; i++)
        v[i] = traced_exact(n[7 + i]), to[i] = traced_input(n[10 + i], trace_rounding(n[10 + i]));
    for (int i = 0; i < 3; i++)
    {
        const traced row[3] = {traced_exact(r[3 * i]), traced_exact(r[3 * i + 1]), traced_exact(r[3 * i + 2])};
        const traced column[3] = {traced_exact(r[i]), traced_exact(r[3 + i]), traced_exact(r[6 + i])};
        world[i] = traced_add(traced_dot(row, v), traced_exact(shift[i]));
        own[i] = traced_dot(column, to);
    }
    double way[3], seen[3], sum[3];
    for (int i = 0; i < 3; i++)
    {
        seen[i] = own[i].value - v[i].value, sum[i] = own[i].value + v[i].value;
        way[i] = to[i].value + shift[i] - world[i].value;
    }
    double length = sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
    if (!(s.mesh.extent > 0x1p-10) || !(length > 0x1p-10))
        return 0.0;
    for (int i = 0; i < 3; i++)
        way[i] /= length, seen[i] /= length;
    return (traced_worst(along(own, seen)) + traced_worst(along(world, way)) + measured_defect(sum, seen)) /
           place.error;
}

static void errors_of_placing_hold(void **state)
{
    (void)state;
    climb_attack(&(climb){"placing, a bent pose", bent_place_ratio, 19, 0.9, 21, NULL, 5, 20000, false});
    climb_attack(&(climb){"placing, rounding", rounded_place_ratio, 19, 0.43, 22, PLACING, 10, 20000, false});
    climb_attack(&(climb){"placing, chosen rounding", modelled_place_ratio, 13, 0.8, 24, NULL, 10, 20000, false});
    climb_attack(&(climb){"placing, far away", far_place_ratio, 19, 0.9, 23, NULL, 10, 20000, false});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_of_triangles_hold), cmocka_unit_test(bounds_of_boxes_hold),
        cmocka_unit_test(boxes_of_other_trees_hold), cmocka_unit_test(errors_of_placing_hold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
