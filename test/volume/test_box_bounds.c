/* Attacks the error bounds of boxes in binary trees (docs/exactness.md, section 17): boxes that share a point are
 * called apart by no more than the pad, and what a ray meets is in the box it is tested against. */
#define box_apart        here_box_apart
#define box_distance     here_box_distance
#define box_ray          here_box_ray
#define slab_count       here_slab_count
#define slab_length      here_slab_length
#define slab_project     here_slab_project
#define slab_fit         here_slab_fit
#define slab_merge       here_slab_merge
#define slab_frame_begin here_slab_frame_begin
#define slab_move        here_slab_move
#define slab_apart       here_slab_apart
#define slab_distance    here_slab_distance
#define slab_ray         here_slab_ray
#define slab_measure     here_slab_measure
#include "volume/box.c" /* NOLINT(bugprone-suspicious-include): its static functions are what is tested */

#include "volume/slabs.c" /* NOLINT(bugprone-suspicious-include) */

#include "support/climb.h"

/* Inputs that longer climbs found. */
static const double CROSS_PRODUCTS[] = {
    -0x1.b834c78bcc399p-2,
    -0x1.ffe6531d62534p+0,
    0x1.0000042b16103p+0,
    0x1.000000444e4aap-1,
    0x0p+0,
    0x0p+0,
    0x0p+0,
    0x1.fea1263ab380ap-2,
    0x1.ffb22d5e21eep-1,
    0x1.00003db9127adp-1,
    -0x1.fc64a5e32901ep-1,
    -0x1.16762f545ac43p-12,
    0x0p+0,
    -0x1.db198d7a903b5p-5,
    0x1.00000d5244936p-2,
    0x1.a6545ffb208b6p-6,
    -0x1.684855fcc0763p-16,
    0x1.049ef771f3361p+2,
    0x1.a6545ffb208b6p-6,
    -0x1.0b3b49e37ffcdp+0,
};
static const double MOVED_AXES[] = {
    0x1.fba50172b76d7p-1,
    -0x1.e37c2434e01c1p-32,
    -0x1.0000e4b3e75cfp+0,
    -0x1.00000c14a2688p+0,
    0x0p+0,
    0x0p+0,
    0x0p+0,
    -0x1.0000033393818p+0,
    -0x1.f13e783113538p-5,
    -0x1.7e4989c6e5664p-1,
    0x1.fffe2be527436p-1,
    0x1.75a593d3cd8d6p-5,
    0x0p+0,
    0x0p+0,
    -0x1.000ffd91b9e61p-1,
    0x1.f7a8a6d847dbbp-1,
    0x1.f6d25dd86474bp-1,
    -0x1.0215bed0ca03dp+2,
    -0x1.52f456a19120fp-1,
    0x1.921ebdc279381p+0,
};
static const double STILL_AXES[] = {
    0x1.42e89f4fd9387p-1,
    -0x1.b9bc4eeed2f7bp-18,
    -0x1.a68cd19c479a2p-1,
    -0x1.2ccac101fd998p-1,
    0x0p+0,
    -0x1.d6cb0ae27e8aep-37,
    -0x1.d7c1d778b387fp-2,
    -0x1.0000f3ad55626p-2,
    0x1.c6efd0cda90bfp-2,
    0x1.0d65b7e28bd79p+0,
    -0x1.beb849e610fd1p-2,
    0x0p+0,
    0x1.c45d694c7d604p-2,
    0x0p+0,
    -0x1.b9bc4eeed2f7bp-18,
    -0x1.01b5079066e54p+0,
    -0x1.022658bcefb7dp+0,
    -0x1.f17bd9127b9b9p-1,
    -0x1.0fcae6c0b65b2p+0,
    0x1.efe43d3171e11p-1,
};

static double within(double x, double limit) { return fmax(-limit, fmin(limit, x)); }

/* A box as it is stored: float axes, rounded from orthonormal ones. numbers: a quaternion, three halves. */
static volume_box box_at(const double *n)
{
    const double none[4] = {0.0, 0.0, 0.0, 1.0};
    bool turned = fabs(n[0]) + fabs(n[1]) + fabs(n[2]) + fabs(n[3]) > 0x1p-100;
    carom_pose frame = carom_pose_from_quaternion(turned ? n : none, vec3(0, 0, 0));
    volume_box box = {.radius = 0.0};
    for (int k = 0; k < 3; k++)
    {
        const double *row = frame.rotation + 3 * k;
        box.axis[k] = vec3((double)(float)row[0], (double)(float)row[1], (double)(float)row[2]);
        box.half[k] = fmin(fabs(n[4 + k]), 1.0);
    }
    return box;
}

/* The box's point with these shares of the halves, seen from its centre. */
static carom_vec3 point_of(const volume_box *box, const double *n)
{
    carom_vec3 at = vec3(0.0, 0.0, 0.0);
    for (int k = 0; k < 3; k++)
        at = vec3_add(at, vec3_scale(box->axis[k], within(n[k], 1.0) * box->half[k]));
    return at;
}

static volume_frame frame_of(carom_volume kind, const double rotation[9], double reach)
{
    math_relative relative = {.error = 0.0};
    memcpy(relative.rotation, rotation, sizeof relative.rotation);
    volume_frame frame = {.slack = 0.0};
    volume_frame_begin(&frame, kind, kind, &relative, reach);
    return frame;
}

/* Two boxes that share a point. */
typedef struct touching
{
    volume_frame frame;
    volume_box still, moved;
} touching;

static touching touching_at(const double *n)
{
    const double none[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    touching t = {frame_of(CAROM_VOLUME_OBB, none, 0.0), box_at(n), box_at(n + 7)};
    t.moved.centre = vec3_sub(point_of(&t.still, n + 14), point_of(&t.moved, n + 17));
    return t;
}

/* The same with axes that are exact, and a rotation that is bent as far as it may be. */
static bool bent_at(const double *n, touching *t)
{
    const double h[9] = {n[20], n[21], n[22], n[21], n[23], n[24], n[22], n[24], n[25]};
    double rotation[9];
    carom_pose pose = carom_pose_from_quaternion(
        fabs(n[7]) + fabs(n[8]) + fabs(n[9]) + fabs(n[10]) > 0x1p-100 ? n + 7 : (double[4]){0, 0, 0, 1}, vec3(0, 0, 0));
    for (int i = 0; i < 9; i++)
    {
        rotation[i] = pose.rotation[i];
        for (int k = 0; k < 3; k++)
            rotation[i] += pose.rotation[3 * (i / 3) + k] * 0.49e-9 * within(h[3 * k + i % 3], 1.0);
    }
    memcpy(pose.rotation, rotation, sizeof rotation);
    if (carom_pose_check(&pose) != CAROM_OK)
        return false;
    *t = (touching){frame_of(CAROM_VOLUME_AABB, rotation, 0.0), box_at(n), box_at(n + 7)};
    for (int k = 0; k < 3; k++)
    {
        t->still.axis[k] = vec3(k == 0, k == 1, k == 2);
        t->moved.axis[k] = vec3(rotation[k], rotation[3 + k], rotation[6 + k]);
    }
    t->moved.centre = vec3_sub(point_of(&t->still, n + 14), point_of(&t->moved, n + 17));
    return true;
}

/* The largest gap along one of the fifteen directions, in units of the pad. */
static double gap_ratio(const touching *t, int first, int last)
{
    box_view view;
    double largest = 0.0;
    view_centre(&t->frame, &t->still, &t->moved, &view);
    for (int i = 0; i < 3; i++)
        view_row(&t->still, &t->moved, &view, i);
    for (int i = first; i < last; i++)
    {
        double gap = i < 3   ? still_gap(&view, i)
                     : i < 6 ? moved_gap(&view, i - 3)
                             : edge_gap(&view, (i - 6) / 3, i % 3);
        largest = larger(largest, gap);
    }
    return view.pad > 0x1p-40 * t->frame.parallel ? largest / view.pad : 0.0;
}

static double still_ratio(const double *n)
{
    touching t = touching_at(n);
    return gap_ratio(&t, 0, 3);
}

static double moved_ratio(const double *n)
{
    touching t = touching_at(n);
    return gap_ratio(&t, 3, 6);
}

static double edge_ratio(const double *n)
{
    touching t = touching_at(n);
    return gap_ratio(&t, 6, 15);
}

static double bent_ratio(const double *n)
{
    touching t;
    return bent_at(n, &t) ? gap_ratio(&t, 0, 15) : 0.0;
}

/* Lower bounds of the distance of boxes that share a point, in units of what is subtracted from them. (Gaps along cross
 * products are less than the pad, which is subtracted before they are divided by a length.) */
static double distance_ratio(const double *n)
{
    touching t = touching_at(n);
    box_view view;
    double squares[2] = {0.0, 0.0};
    view_centre(&t.frame, &t.still, &t.moved, &view);
    for (int i = 0; i < 3; i++)
        view_row(&t.still, &t.moved, &view, i);
    for (int i = 0; i < 3; i++)
    {
        double still = larger(still_gap(&view, i), 0.0), moved = larger(moved_gap(&view, i), 0.0);
        squares[0] += still * still, squares[1] += moved * moved;
    }
    double best = larger(sqrt(larger(squares[0], squares[1])), projected_gap(&view));
    return view.pad > 0x1p-40 ? best / (2.0 * view.pad) : 0.0;
}

/* A ray through a point of the box enters before it. */
static double ray_ratio(const double *n)
{
    volume_box box = box_at(n);
    double size = box.half[0] + box.half[1] + box.half[2], longest = fmax(fabs(n[10]), fmax(fabs(n[11]), fabs(n[12])));
    carom_vec3 at = point_of(&box, n + 7);
    if (!(longest > 0.1) || !(size > 0.1))
        return 0.0;
    /* How much larger than the stored one the box must be for the point itself to be inside. */
    double needed = 0.0;
    for (int k = 0; k < 3; k++)
        needed = larger(needed, fabs(vec3_dot(box.axis[k], at)) - box.half[k]);
    return needed / (BOX_RAY_OBLIQUE * size);
}

static void gaps_are_within_the_pad(void **state)
{
    (void)state;
    climb_attack(&(climb){"gaps along still axes", still_ratio, 20, 0.13, 1, STILL_AXES, 20, 20000, true});
    climb_attack(&(climb){"gaps along moved axes", moved_ratio, 20, 0.26, 2, MOVED_AXES, 20, 20000, true});
    climb_attack(&(climb){"gaps along cross products", edge_ratio, 20, 0.31, 3, CROSS_PRODUCTS, 20, 20000, true});
    climb_attack(&(climb){"gaps of a bent rotation", bent_ratio, 26, 0.24, 6, NULL, 20, 20000, false});
    climb_attack(&(climb){"distances", distance_ratio, 20, 0.1, 4, NULL, 20, 20000, true});
    climb_attack(&(climb){"rays", ray_ratio, 13, 0.8, 5, NULL, 20, 20000, true});
}

/* ---- moved slabs ---- */

/* By how much a point's slabs, turned, fall short of the point, in units of the slack for arithmetic. The point has few
 * bits, so that its slabs are floats without rounding. */
static double slab_ratio(const double *n)
{
    const carom_volume kind = CAROM_VOLUME_KDOP26;
    carom_pose pose = carom_pose_from_quaternion(
        fabs(n[0]) + fabs(n[1]) + fabs(n[2]) + fabs(n[3]) > 0x1p-100 ? n : (double[4]){0, 0, 0, 1}, vec3(0, 0, 0));
    double v[3], along[VOLUME_SLABS_MAX], largest = 0.0;
    for (int k = 0; k < 3; k++)
        v[k] = nearbyint(within(n[4 + k], 1.0) * 0x1p16) * 0x1p-16;
    double reach = 2.0 * sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (!(reach > 0.5))
        return 0.0;
    volume_frame frame = frame_of(kind, pose.rotation, reach);
    if (frame.translation)
        return 0.0;
    slab_frame_begin(&frame);
    float volume[2 * VOLUME_SLABS_MAX];
    slab_project(kind, vec3(v[0], v[1], v[2]), along);
    uint32_t count = slab_count(kind);
    for (uint32_t s = 0; s < count; s++)
        volume[s] = volume[count + s] = (float)along[s];
    for (uint32_t s = 0; s < count; s++)
    {
        const int8_t *d = DIRECTION[direction_of(kind, s)];
        long double truth = 0.0L;
        for (int i = 0; i < 9; i++)
            truth += (long double)d[i / 3] * (long double)pose.rotation[i] * (long double)v[i % 3];
        for (uint32_t i = 0; i < frame.lift_count[s]; i++)
        {
            long double high = (long double)lifted_support(&frame.lift[s][i], volume, count, false);
            largest = larger(largest, (double)((truth - high) / (long double)(frame.slack * slab_length(kind, s))));
        }
    }
    return largest;
}

static void moved_slabs_are_within_their_slack(void **state)
{
    (void)state;
    climb_attack(&(climb){"moved slabs", slab_ratio, 7, 0.002, 11, NULL, 10, 20000, false});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gaps_are_within_the_pad),
                                       cmocka_unit_test(moved_slabs_are_within_their_slack)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
