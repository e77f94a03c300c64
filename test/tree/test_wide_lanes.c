/* Attacks on the error bounds of a box against eight lanes: moving it, the tests of faces and edges, and the gap along
 * a direction that bounds a distance. The kernels are compiled into this program as models of themselves
 * (simd_model.h), in which an adversary chooses every rounding, those of moving included. */
#define CAROM_ISA model_here
#include "support/rooted.h"
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
    double tilt;            /* largest angle between the boxes' first axes */
    const double *recorded; /* an input that a longer climb found, or NULL */
} lane_attack;

enum
{
    NUMBERS = 2 * FITTED_NUMBERS + 4 + 6 /* two boxes, a quaternion, where on their faces they touch */
};

/* Inputs that longer climbs found. */
static const double BOX_FACES[] = {
    -0x1.181293b7f86aap-3, 0x1.9e3cac5fbd623p-1,  -0x1.efd613cd7ea26p-2,  0x1.f3069d73a5715p-3,   0x1.6b532632fd0a7p-2,
    0x1.6a8d6a0927017p-2,  0x1.69b9b01463f37p-2,  -0x1.044d65a373acep-3,  -0x1.fca11f6921c6cp-3,  -0x1.6ace9bdf8b7p-2,
    0x1.0f8ba2114c5cp-2,   -0x1.4d999a70e75dfp-2, 0x1.dacdc2219240ep-3,   0x1.c9c5547e45a55p-2,   0x1.fe7bfbd7e1738p-4,
    -0x1.a012dd9f8cabap-1, -0x1.f2d6a8b7ec45ep-1, -0x1.066a96716e9b6p-13, -0x1.91a8f718b6c44p-12, 0x1.4beb976c97302p-12,
    -0x1.4cf21cacc0b76p-2, 0x1.c3130134e881bp-1,  0x1.3a8eade779752p-3,   -0x1.424fa8fc61239p-1,  0x1.8764a38c328bp-1,
    -0x1.000006p-3,        0x1.0058b7842828p-1,   0x1.fe7bfbd7e1618p-4,   -0x1.e3f402515ae72p-4,  0x1.efdcb7701112ap-1,
};
static const double CROSSING_EDGES[] = {
    -0x1.1f91ebff6867dp-6,
    0x1.ae9ece96f7a7cp-1,
    0x1.c39d10f84c4f5p-2,
    -0x1.00edc6af3487dp-1,
    -0x1.74b78be89c8c2p-3,
    -0x1.9a7cf60a7923p-6,
    0x1.e80bcf5d9bc18p-20,
    -0x1.74edf2b62742dp-1,
    0x1.ed70cd709c86dp-1,
    -0x1.dd854d16b9638p-1,
    -0x1.0bdf54f5e9669p-3,
    0x1.e46f6fbd22626p-2,
    -0x1.07792ea522ef8p-1,
    -0x1.fb4c58ac7e57fp-1,
    0x1.2a40251df2d21p-4,
    -0x1.ff76d3764a0e7p-1,
    0x1.3937bad9e5696p-5,
    0x1.e80bcf5d9bc18p-20,
    0x1.a9386ca05a3c2p-20,
    -0x1.e89947f19afe7p-20,
    -0x1.63406231b317ap-2,
    0x1.d6db818fc3398p-1,
    0x1.63590389164e3p-2,
    0x1.d6ba89c419de2p-1,
    0x1.e48575ef480b8p-1,
    -0x1.000006p-3,
    -0x1p+0,
    0x1.2a3f921d8bdb7p-4,
    0x1p+0,
    0x1.f70079213d9cdp-3,
};
static const double ALONG_A_DIRECTION[] = {
    0x1.39f1eb81fa536p-3,  -0x1.4e88a50d189c9p-4, -0x1.3dbaaf70c30c1p-1, -0x1.651b03613f576p-1, -0x1.ffffffec7ba7ep-1,
    -0x1.ec7f06ad4f095p-1, 0x1.9f5271f420336p-4,  -0x1.ad4461ef96cdbp-7, -0x1.c5642086b6cap-4,  -0x1.7faf1e08ad2dap-4,
    0x1.234124d617353p-3,  0x1.4775755db7facp-3,  0x1.293c5005d35ecp-1,  0x1.d79e8881c2f89p-4,  -0x1.648e387e5c81fp-1,
    0x1.03606b6088cbap-2,  -0x1.68e9b61b74acp-1,  0x1.01103b791126ep-4,  0x1.fed7f475e1725p-1,  0x1.e801d9f34b20ap-2,
    0x1.f00c6aad1e8f5p-1,  0x1.6f9b6f432f161p-1,  0x1.3b7adac76c7dp-1,   0x1.b4b092dbd57f6p-4,  0x1.ff446c1208041p-3,
    0x1.4bb9d5234768ap-1,  0x1.8092fe4352afep-2,  0x1.036b8cc28a366p-3,  0x1.37cbd531ca48p-1,   -0x1.7d383b35ebc9ap-1,
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

/* The rotation that turns the source's axes to these cosines with the lane's axes. */
static carom_pose turn_boxes(const box_pair *p, const double *n, double tilt)
{
    const double q[4] = {n[0], tilt * n[1], tilt * n[2], n[3]};
    carom_pose cosines = rooted_pose(q, vec3(0, 0, 0)), pose;
    double matrix[12] = {0.0};
    for (int i = 0; i < 27; i++) /* axis k of the source becomes the sum of cosine[k][j] lane axis j */
    {
        int row = i / 9, column = i / 3 % 3, k = i % 3;
        double turned = 0.0;
        for (int j = 0; j < 3; j++)
            turned += cosines.rotation[3 * k + j] * p->lane.axis[j][row];
        matrix[4 * row + column] += turned * p->source.axis[k][column];
    }
    return carom_pose_from_matrix(matrix, &pose) == CAROM_OK ? pose : cosines;
}

static void place_boxes(const double *n, const lane_attack *attack, box_pair *p)
{
    double way[3];
    p->lane = make_fitted_box(n, &p->lane_node), p->source = make_fitted_box(n + FITTED_NUMBERS, &p->node);
    carom_pose pose = turn_boxes(p, n + 2 * FITTED_NUMBERS, attack->tilt);
    wide_transform *t = &p->transform;
    t->ratio = (float)attack->ratio;
    for (int k = 0; k < 3; k++)
    {
        p->half[k] = attack->ratio * p->source.half[k];
        for (int j = 0; j < 3; j++)
            p->axis[k][j] = dot3(pose.rotation + 3 * j, p->source.axis[k]);
    }
    touch(p, attack->kind, n + 2 * FITTED_NUMBERS + 4, way);
    for (int j = 0; j < 3; j++) /* apart, or so near that no other axis can decide */
        way[j] *= attack->kind == ANY_DIRECTION ? 1.5 : 1.0 - 0x1p-16;
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

/* Nearly the largest of that where each of the nine numbers may be off in either direction: in the one that is worse
 * while the others are not off. */
static double worst_bent_reach(const box_pair *p, axis_kind kind, double off[3][3])
{
    double axis[3][3], bent[3][3];
    memcpy(axis, p->axis, sizeof axis), memcpy(bent, axis, sizeof bent);
    for (int i = 0; i < 9; i++)
    {
        double *number = &axis[i / 3][i % 3], reach[2];
        for (int side = 0; side < 2; side++)
        {
            *number = p->axis[i / 3][i % 3] + (side ? 1.0 : -1.0) * off[i / 3][i % 3];
            reach[side] = bent_reach(p, axis, kind);
        }
        *number = p->axis[i / 3][i % 3];
        bent[i / 3][i % 3] += (reach[1] > reach[0] ? 1.0 : -1.0) * off[i / 3][i % 3];
    }
    return bent_reach(p, bent, kind);
}

/* By how much the components of the moved axes may be off. */
static void find_axis_errors(const box_pair *p, double off[3][3])
{
    model_begin(false);
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
    model_begin(false);
    know_moved_box(&p, attack->kind == LANE_FACE);
    touching.edge_margin = 0.0f;
    test_node(&touching, &p.lane_node, &gap);
    const int order[] = {
        [LANE_FACE] = 0, [BOX_FACE] = 3, [EDGES] = 6}; /* of the gaps that test_node takes the largest of */
    if (model.maxima <= order[attack->kind])
        return 0.0; /* a face is seen to be apart */
    double error = model_worst(model.raised[order[attack->kind]], f8_zero()) + bent;
    double margin = (double)MOVE_ROUNDING * (p.lengths + (double)FACE_LENGTHS);
    if (attack->kind == EDGES)
        margin = margin * (fabs(dot3(p.axis[1], p.lane.axis[0])) + fabs(dot3(p.axis[2], p.lane.axis[0]))) +
                 (double)EDGE_ROUNDING;
    return error / margin;
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
    model_begin(false);
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
    if (attack.recorded)
        used = fmax(used, hill.height(attack.recorded, &attack));
    print_message("%s, ratio %g: %.3f of the bound\n", attack.name, attack.ratio, used);
    assert_true(used < 1.0);
    return used;
}

static void boxes_and_lanes_err_less_than_their_bounds(void **state)
{
    (void)state;
    assert_true(attack_lanes((lane_attack){"faces of a lane", LANE_FACE, 1.0, 1.0, NULL}) > 0.35);
    assert_true(attack_lanes((lane_attack){"faces of a lane", LANE_FACE, 1024.0, 1.0, NULL}) > 0.6);
    assert_true(attack_lanes((lane_attack){"faces of the box", BOX_FACE, 1.0, 1.0, NULL}) > 0.35);
    assert_true(attack_lanes((lane_attack){"faces of the box", BOX_FACE, 1024.0, 1.0, BOX_FACES}) > 0.75);
    assert_true(attack_lanes((lane_attack){"edges", EDGES, 1.0, 1.0, CROSSING_EDGES}) > 0.5);
    assert_true(attack_lanes((lane_attack){"nearly parallel edges", EDGES, 0x1p-10, 0x1p-12, NULL}) > 0.2);
    assert_true(attack_lanes((lane_attack){"a direction", ANY_DIRECTION, 1.0, 1.0, NULL}) > 0.3);
    assert_true(attack_lanes((lane_attack){"a direction", ANY_DIRECTION, 1024.0, 1.0, ALONG_A_DIRECTION}) > 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(boxes_and_lanes_err_less_than_their_bounds)};
    return cmocka_run_group_tests(tests, open_contexts, close_contexts);
}
