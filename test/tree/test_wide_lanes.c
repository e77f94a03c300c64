/* Attacks on the error bounds of a box against eight lanes: moving it, the tests of faces and edges, and the gap along
 * a direction that bounds a distance. The kernels are compiled into this program as models of themselves
 * (simd_model.h), in which an adversary chooses every rounding, those of moving included. */
#define CAROM_ISA model_here
#include "support/simd_model.h"

#define walk         collide_walk
#define expand       collide_expand
#define visit_leaves collide_visit_leaves
#include "tree/wide_collide_simd.c" /* NOLINT(bugprone-suspicious-include): its static functions are what is tested */
#undef walk
#undef expand
#undef visit_leaves
#include "tree/wide_distance_simd.c" /* NOLINT(bugprone-suspicious-include) */

#include "support/hill.h"
#include "tree/bodies.h"
#include "tree/fitted_box.h"

typedef enum axis_kind
{
    LANE_FACE,
    BOX_FACE,
    EDGES,
    ANY_DIRECTION
} axis_kind;

typedef struct lane_attack
{
    const char *name;
    axis_kind kind;
    double ratio;
} lane_attack;

enum
{
    NUMBERS = 2 * FITTED_NUMBERS + 4 + 6 /* two boxes, a quaternion, where on their faces they touch */
};

/* Two boxes that touch, as an attack sees them: the lane's, and the other as moved without rounding. */
typedef struct box_pair
{
    wide_node lane_node, node;
    fitted_box lane, source;
    double axis[3][3], half[3]; /* of the moved box */
    wide_transform transform;
    moved_box box;
    double lengths;
} box_pair;

static double sign_of(double x) { return x < 0.0 ? -1.0 : 1.0; }

static void cross3(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* From the lane's centre to the other's: the boxes have a point in common, and it is an extreme one along the axis. */
static void touch(const box_pair *p, axis_kind kind, const double *at, double way[3])
{
    double n[3];
    cross3(p->axis[0], p->lane.axis[0], n);
    if (kind != EDGES)
        memcpy(n, kind == BOX_FACE ? p->axis[0] : p->lane.axis[0], sizeof n);
    memset(way, 0, 3 * sizeof *way);
    for (int k = 0; k < 3; k++)
    {
        bool free_lane = kind == EDGES ? k == 0 : kind != BOX_FACE && k > 0;
        bool free_box = kind == EDGES ? k == 0 : kind == BOX_FACE && k > 0;
        double w = free_lane ? at[k] : sign_of(dot3(p->lane.axis[k], n));
        double z = free_box ? at[3 + k] : -sign_of(dot3(p->axis[k], n));
        for (int j = 0; j < 3; j++)
            way[j] += w * p->lane.half[k] * p->lane.axis[k][j] - z * p->half[k] * p->axis[k][j];
    }
}

/* The operations of move_box, as the kernel's next f8_set1 shall mean them. */
static void know_moved_box(const box_pair *p, bool axes)
{
    const wide_transform *t = &p->transform;
    for (int j = 0; j < 3; j++)
    {
        f8 sum = f8_zero();
        for (int i = 0; i < 3; i++)
        {
            float s = t->scaled[3 * j + i];
            f8 term = f8_mul(model_input(s, model_rounding((double)s)), f8_load(p->node.centre[i]));
            sum = i == 0 ? term : f8_add(sum, term);
        }
        model_know(f8_add(sum, model_input(t->translation[j], model_rounding((double)t->translation[j]))));
        model_know(model_input(p->box.half[j], model_rounding((double)p->box.half[j])));
        for (int k = 0; k < 3 && axes; k++)
        {
            for (int i = 0; i < 3; i++)
            {
                float r = t->rotation[3 * j + i];
                f8 term = f8_mul(model_input(r, model_rounding((double)r)), f8_load(p->node.axis[k][i]));
                sum = i == 0 ? term : f8_add(sum, term);
            }
            model_know(sum);
        }
    }
}

static void place_boxes(const double *n, const lane_attack *attack, box_pair *p)
{
    double way[3];
    p->lane = make_fitted_box(n, &p->lane_node), p->source = make_fitted_box(n + FITTED_NUMBERS, &p->node);
    carom_pose pose = carom_pose_from_quaternion(n + 2 * FITTED_NUMBERS, vec3(0, 0, 0));
    wide_transform *t = &p->transform;
    t->ratio = (float)attack->ratio;
    for (int k = 0; k < 3; k++)
    {
        p->half[k] = attack->ratio * p->source.half[k];
        for (int j = 0; j < 3; j++)
            p->axis[k][j] = dot3(pose.rotation + 3 * j, p->source.axis[k]);
    }
    touch(p, attack->kind, n + 2 * FITTED_NUMBERS + 4, way);
    for (int j = 0; j < 3 && attack->kind == ANY_DIRECTION; j++)
        way[j] *= 1.5; /* apart */
    for (int i = 0; i < 9; i++)
        t->rotation[i] = (float)pose.rotation[i], t->scaled[i] = (float)(attack->ratio * pose.rotation[i]);
    for (int j = 0; j < 3; j++)
        t->translation[j] =
            (float)(p->lane.centre[j] + way[j] - attack->ratio * dot3(pose.rotation + 3 * j, p->source.centre));
    wide_tree tree = {.nodes = &p->node};
    move_box(&tree, 0, t, &p->box);
    p->lengths = (double)p->box.lengths;
}

/* What the lane and the true moved box reach along an axis beyond what the kernel's formula says, for these axes of the
 * moved box as computed: their errors, the rounding of axes. */
static double bent_reach(const box_pair *p, double axis[3][3], axis_kind kind)
{
    double along[3], reach = 0.0, c[3][3];
    for (int i = 0; i < 9; i++)
        c[i / 3][i % 3] = dot3(axis[i / 3], p->lane.axis[i % 3]);
    for (int j = 0; j < 3; j++)
        along[j] = kind == LANE_FACE  ? p->lane.axis[0][j]
                   : kind == BOX_FACE ? axis[0][j]
                                      : axis[2][j] * c[1][0] - axis[1][j] * c[2][0];
    for (int k = 0; k < 3; k++)
        reach += p->half[k] * fabs(dot3(p->axis[k], along)) + p->lane.half[k] * fabs(dot3(p->lane.axis[k], along));
    const double *h = p->half, *l = p->lane.half;
    if (kind == LANE_FACE)
        return reach - l[0] - h[0] * fabs(c[0][0]) - h[1] * fabs(c[1][0]) - h[2] * fabs(c[2][0]);
    if (kind == BOX_FACE)
        return reach - h[0] - l[0] * fabs(c[0][0]) - l[1] * fabs(c[0][1]) - l[2] * fabs(c[0][2]);
    return reach - h[1] * fabs(c[2][0]) - h[2] * fabs(c[1][0]) - l[1] * fabs(c[0][2]) - l[2] * fabs(c[0][1]);
}

/* The largest of that over the directions in which the nine numbers may be off. */
static double worst_bent_reach(const box_pair *p, axis_kind kind, double off[3][3])
{
    double largest = -INFINITY;
    for (int signs = 0; signs < 512; signs++)
    {
        double axis[3][3];
        for (int i = 0; i < 9; i++)
            axis[i / 3][i % 3] = p->axis[i / 3][i % 3] + (signs >> i & 1 ? 1.0 : -1.0) * off[i / 3][i % 3];
        largest = fmax(largest, bent_reach(p, axis, kind));
    }
    return largest;
}

/* By how much the components of the moved axes may be off. */
static void find_axis_errors(const box_pair *p, double off[3][3])
{
    model_begin(0.0);
    know_moved_box(p, true);
    for (int i = 0; i < 9; i++)
        off[i / 3][i % 3] = model_worst(model.known[5 * (i % 3) + 2 + i / 3], f8_zero());
}

/* An adversary's error of a face's or edge pair's gap, over what is there for it. */
static double lane_error(const double *n, void *user)
{
    const lane_attack *attack = user;
    box_pair p;
    f8 gap;
    double off[3][3] = {{0.0}};
    place_boxes(n, attack, &p);
    if (attack->kind != LANE_FACE) /* the direction tested is that of the computed axes, whatever they are */
        find_axis_errors(&p, off);
    double bent =
        attack->kind == LANE_FACE ? bent_reach(&p, p.axis, LANE_FACE) : worst_bent_reach(&p, attack->kind, off);
    moved_box touching = p.box; /* as if it were not grown, so that the gap is about 0 */
    model_begin(0.0);
    know_moved_box(&p, attack->kind == LANE_FACE);
    touching.edge_margin = 0.0f;
    test_node(&touching, &p.lane_node, &gap);
    double grown = (double)MOVE_ROUNDING * (p.lengths + (double)FACE_LENGTHS);
    if (attack->kind != EDGES)
        return (model_worst(gap, f8_zero()) + bent) / grown;
    f8 edge = model.compared[model.comparisons - 1][0], zero = model.compared[model.comparisons - 1][1];
    if (model.comparisons < 3 || edge.exact < -0x1p-10)
        return 0.0;
    double c[2] = {dot3(p.axis[1], p.lane.axis[0]), dot3(p.axis[2], p.lane.axis[0])};
    double margin = (double)MOVE_ROUNDING * (p.lengths + (double)EDGE_LENGTHS) + grown * (fabs(c[0]) + fabs(c[1]));
    return (model_worst(edge, zero) + bent) / margin;
}

/* The same for the gap along a direction, given in the lane's axes as in bound_node. */
static double direction_error(const double *n, void *user)
{
    const lane_attack *attack = user;
    box_pair p;
    double at[3], way[3];
    place_boxes(n, attack, &p);
    for (int k = 0; k < 3; k++)
        way[k] = (double)p.box.centre[k] - p.lane.centre[k];
    for (int j = 0; j < 3; j++) /* towards the other box, or nearly */
        at[j] = dot3(p.lane.axis[j], way) / sqrt(dot3(way, way)) + 0.5 * n[2 * FITTED_NUMBERS + 7 + j];
    model_begin(0.0);
    know_moved_box(&p, true);
    f8 v[3], d[3], gap = f8_zero(), zero = gap, l[3][3];
    double bent = 0.0, along_v[3] = {0.0, 0.0, 0.0}, length = sqrt(dot3(at, at)) + 1e-9;
    for (int j = 0; j < 3; j++)
    {
        d[j] = f8_sub(f8_load(p.lane_node.centre[j]), f8_set1(p.box.centre[j]));
        v[j] = model_input((float)at[j], 0.0);
        for (int k = 0; k < 3; k++)
            l[j][k] = f8_load(p.lane_node.axis[j][k]), along_v[k] += at[j] * p.lane.axis[j][k];
    }
    for (int j = 0; j < 3; j++)
    {
        gap = f8_nmadd(dot(d, l[j]), v[j], gap);
        gap = f8_nmadd(f8_abs(v[j]), f8_load(p.lane_node.half[j]), gap);
        bent += p.lane.half[j] * (fabs(dot3(p.lane.axis[j], along_v)) - fabs(at[j]));
    }
    for (int i = 0; i < 3; i++)
    {
        f8 x[3] = {f8_set1(p.box.axis[i][0]), f8_set1(p.box.axis[i][1]), f8_set1(p.box.axis[i][2])};
        f8 c[3] = {dot(l[0], x), dot(l[1], x), dot(l[2], x)};
        gap = f8_nmadd(f8_abs(dot(c, v)), f8_set1(p.box.half[i]), gap);
    }
    if (gap.exact < 0.0)
        return 0.0;
    double grown = (double)DISTANCE_ROUNDING * (p.lengths + (double)DISTANCE_LENGTHS);
    return (model_worst(gap, zero) + bent) / length / grown;
}

static double attack_lanes(lane_attack attack)
{
    double numbers[HILL_NUMBERS];
    bool distance = attack.kind == ANY_DIRECTION;
    hill hill = {distance ? direction_error : lane_error, &attack, NUMBERS,
                       attack.kind == BOX_FACE || attack.kind == EDGES ? 8000 : 20000};
    double used = hill_climb(1, effort(3), &hill, numbers);
    print_message("%s, ratio %g: %.3f of the bound\n", attack.name, attack.ratio, used);
    assert_true(used < 1.0);
    return used;
}

static void boxes_and_lanes_err_less_than_their_bounds(void **state)
{
    (void)state;
    assert_true(attack_lanes((lane_attack){"faces of a lane", LANE_FACE, 1.0}) > 0.35);
    assert_true(attack_lanes((lane_attack){"faces of a lane", LANE_FACE, 1024.0}) > 0.6);
    assert_true(attack_lanes((lane_attack){"faces of the box", BOX_FACE, 1.0}) > 0.35);
    assert_true(attack_lanes((lane_attack){"faces of the box", BOX_FACE, 1024.0}) > 0.6);
    assert_true(attack_lanes((lane_attack){"edges", EDGES, 1.0}) > 0.2);
    assert_true(attack_lanes((lane_attack){"edges", EDGES, 0x1p-10}) > 0.2);
    assert_true(attack_lanes((lane_attack){"a direction", ANY_DIRECTION, 1.0}) > 0.3);
    assert_true(attack_lanes((lane_attack){"a direction", ANY_DIRECTION, 1024.0}) > 0.4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(boxes_and_lanes_err_less_than_their_bounds)};
    return cmocka_run_group_tests(tests, open_contexts, close_contexts);
}
