/* Attacks the error bounds of boxes in binary trees (docs/exactness.md, section 17): boxes that share a point are
 * called apart by no more than the pad, and what a ray meets is in the box it is tested against. */
#define box_apart    here_box_apart
#define box_distance here_box_distance
#define box_ray      here_box_ray
#include "support/own_slabs.h"

#include "support/rooted.h"
#include "volume/box.c" /* NOLINT(bugprone-suspicious-include): its static functions are what is tested */

#include "volume/slabs.c" /* NOLINT(bugprone-suspicious-include) */

#include "support/climb.h"

/* Inputs that longer climbs found. */
static const double MOVED_SLABS[] = {-0x1.76f48fbc38118p-3, 0x1p+0,
                                     0x1.ce092e6cee60ep-1,  0x1.e0575de6e2a48p-1,
                                     -0x1.1bb7bd647e0d8p-1, -0x1.b441fe160dbeep-2,
                                     -0x1.3f86859508d17p-7};

static const double EXACT_AXES[] = {-0x1.75cc33fb2e5cbp-2, -0x1.1da4178f2dbcbp-1, 0x1.2512ab4e5e5b8p-1,
                                    0x1.f244ee67d124dp-1,  0x1.fac373d366bep-4,   -0x0p+0,
                                    0x1.0df55ba212232p-3};

static double within(double x, double limit) { return fmax(-limit, fmin(limit, x)); }

/* A quaternion's rotation, or none. */
static carom_pose turned(const double *n)
{
    const double none[4] = {0.0, 0.0, 0.0, 1.0};
    bool turns = fabs(n[0]) + fabs(n[1]) + fabs(n[2]) + fabs(n[3]) > 0x1p-100;
    return rooted_pose(turns ? n : none, vec3(0, 0, 0));
}

enum
{
    BOX_NUMBERS = 16
};

/* A box whose axes differ from orthonormal ones by what rounding to float may do, as an adversary chooses. numbers: a
 * quaternion, three halves, the nine roundings. */
static volume_box box_at(const double *n)
{
    carom_pose frame = turned(n);
    volume_box box = {.radius = 0.0};
    for (int k = 0; k < 3; k++)
    {
        const double *row = frame.rotation + 3 * k, *off = n + 7 + 3 * k;
        box.axis[k] = vec3(row[0] + 0x1p-25 * within(off[0], 1.0), row[1] + 0x1p-25 * within(off[1], 1.0),
                           row[2] + 0x1p-25 * within(off[2], 1.0));
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
    const double *points = n + 2 * BOX_NUMBERS;
    touching t = {frame_of(CAROM_VOLUME_OBB, none, 0.0), box_at(n), box_at(n + BOX_NUMBERS)};
    t.moved.centre = vec3_sub(point_of(&t.still, points), point_of(&t.moved, points + 3));
    return t;
}

/* The same with axes that are exact, and a rotation that is bent as far as it may be. numbers: two boxes without
 * roundings, a rotation, its bend, the point's shares. */
static bool bent_at(const double *n, touching *t)
{
    const double *bend = n + 18,
                 h[9] = {bend[0], bend[1], bend[2], bend[1], bend[3], bend[4], bend[2], bend[4], bend[5]};
    double exact[BOX_NUMBERS] = {0.0};
    carom_pose pose = turned(n + 14);
    double rotation[9];
    for (int i = 0; i < 9; i++)
    {
        rotation[i] = pose.rotation[i];
        for (int k = 0; k < 3; k++)
            rotation[i] += pose.rotation[3 * (i / 3) + k] * 0.49e-9 * within(h[3 * k + i % 3], 1.0);
    }
    memcpy(pose.rotation, rotation, sizeof rotation);
    if (carom_pose_check(&pose) != CAROM_OK)
        return false;
    t->frame = frame_of(CAROM_VOLUME_AABB, rotation, 0.0);
    t->frame.slack = 0x1p-48; /* axes and points here are rounded, unlike those of AABBs */
    memcpy(exact, n, 7 * sizeof *n);
    t->still = box_at(exact);
    memcpy(exact, n + 7, 7 * sizeof *n);
    volume_box moved = box_at(exact);
    volume_move_box(&t->frame, &moved, &t->moved);
    t->moved.centre = vec3_sub(point_of(&t->still, n + 24), point_of(&t->moved, n + 27));
    return true;
}

static box_view view_of(const touching *t)
{
    box_view view;
    view_centre(&t->frame, &t->still, &t->moved, &view);
    for (int i = 0; i < 3; i++)
        view_row(&t->still, &t->moved, &view, i);
    return view;
}

/* The largest gap along the still axes, the moved ones or the cross products, in units of its pad. */
static double gap_ratio(const touching *t, int kind)
{
    box_view view = view_of(t);
    double largest = 0.0, pad = kind == 0 ? still_pad(&view) : kind == 1 ? moved_pad(&view) : edge_pad(&view);
    for (int i = 0; i < (kind == 2 ? 9 : 3); i++)
        largest = larger(largest, kind == 0   ? still_gap(&view, i)
                                  : kind == 1 ? moved_gap(&view, i)
                                              : edge_gap(&view, i / 3, i % 3));
    return pad > 0x1p-60 ? largest / pad : 0.0;
}

static double touching_ratio(const double *n, int kind)
{
    touching t = touching_at(n);
    return gap_ratio(&t, kind);
}

static double bent_ratio(const double *n, int kind)
{
    touching t;
    return bent_at(n, &t) ? gap_ratio(&t, kind) : 0.0;
}

static double still_ratio(const double *n) { return touching_ratio(n, 0); }
static double moved_ratio(const double *n) { return touching_ratio(n, 1); }
static double edge_ratio(const double *n) { return touching_ratio(n, 2); }
static double bent_moved_ratio(const double *n) { return bent_ratio(n, 1); }
static double bent_edge_ratio(const double *n) { return bent_ratio(n, 2); }

/* Lower bounds of the distance of boxes that share a point, in units of what is subtracted from them. (Gaps along cross
 * products are less than the pad, which is subtracted before they are divided by a length.) */
static double distance_ratio(const double *n)
{
    touching t = touching_at(n);
    box_view view = view_of(&t);
    double squares[2] = {0.0, 0.0};
    for (int i = 0; i < 3; i++)
    {
        double still = larger(still_gap(&view, i), 0.0), moved = larger(moved_gap(&view, i), 0.0);
        squares[0] += still * still, squares[1] += moved * moved;
    }
    double best = larger(sqrt(larger(squares[0], squares[1])), projected_gap(&view));
    double pad = larger_pad(&view);
    return pad > 0x1p-40 ? best / (BOX_THREE_GAPS * pad) : 0.0;
}

/* Boxes without extent are as far apart as their centres. By how much the squared cross product of an axis each is more
 * than 1 less the squared cosine, in units of what is added to that; the centres are apart along the cross product of
 * axes that are nearly parallel, where it decides. numbers: two boxes, a small rotation from the first to the second.
 */
static double length_ratio(const double *n)
{
    const double small = 0.11, none[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double like[BOX_NUMBERS];
    memcpy(like, n + BOX_NUMBERS, sizeof like);
    memcpy(like, n, 4 * sizeof *n);
    touching t = {frame_of(CAROM_VOLUME_OBB, none, 0.0), box_at(n), box_at(like)};
    const double *quaternion = n + 2 * BOX_NUMBERS;
    carom_pose slight = turned((double[4]){small * within(quaternion[0], 1.0), small * within(quaternion[1], 1.0),
                                           small * within(quaternion[2], 1.0), 1.0});
    for (int k = 0; k < 3; k++)
    {
        carom_vec3 before = t.moved.axis[k];
        t.moved.axis[k] = pose_apply(&slight, before);
        t.still.half[k] = t.moved.half[k] = 0.0;
    }
    carom_vec3 u = t.still.axis[0], v = t.moved.axis[0], along = vec3_cross(u, v);
    double cosine = vec3_dot(u, v), rest = 1.0 - cosine * cosine;
    if (!(rest > 0.011) || !(rest < 0.1))
        return 0.0;
    t.moved.centre = vec3_scale(along, 1.0 / vec3_length(along));
    if (here_box_distance(&t.frame, &t.still, &t.moved) > vec3_length(t.moved.centre))
        return 2.0; /* farther than they are */
    box_view view = view_of(&t);
    double gap = edge_gap(&view, 0, 0) / vec3_length(t.moved.centre);
    return (gap * gap - rest) / t.frame.parallel;
}

/* The same for axes that are exact, with what is rounded on the way to it. numbers: a quaternion, ulps of one column.
 */
static double exact_length_ratio(const double *n)
{
    carom_pose pose = turned(n);
    for (int i = 0; i < 3; i++)
        pose.rotation[3 * i] *= 1.0 + 0x1p-52 * nearbyint(8.0 * within(n[4 + i], 1.0));
    volume_frame frame = frame_of(CAROM_VOLUME_AABB, pose.rotation, 0.0);
    const double *r = pose.rotation, longest = 1.0 + frame.parallel, square = longest - r[0] * r[0];
    if (!(square > 0.01))
        return 0.0;
    long double truth = (long double)r[3] * (long double)r[3] + (long double)r[6] * (long double)r[6];
    return (double)((truth - (long double)square) / (long double)frame.parallel) + 1.0;
}

/* The same along the three axes of a bent rotation, in units of what distances are lowered by. Axes are those of AABBs.
 */
static double bent_length_ratio(const double *n)
{
    touching t;
    if (!bent_at(n, &t))
        return 0.0;
    t.frame.slack = 0.0;
    t.moved.centre = vec3(n[7], n[8], n[9]); /* of numbers that no other part needs now */
    const double *r = t.frame.relative.rotation;
    for (int k = 0; k < 3; k++)
    {
        t.still.axis[k] = vec3(k == 0, k == 1, k == 2), t.moved.axis[k] = vec3(r[k], r[3 + k], r[6 + k]);
        t.still.half[k] = t.moved.half[k] = 0.0;
    }
    double distance = vec3_length(t.moved.centre), square = 0.0;
    if (!(distance > 0.1))
        return 0.0;
    if (here_box_distance(&t.frame, &t.still, &t.moved) > distance)
        return 2.0;
    box_view view = view_of(&t);
    for (int j = 0; j < 3; j++)
        square += moved_gap(&view, j) * moved_gap(&view, j);
    double length = sqrt(square);
    return (length - distance) / (0.5 * t.frame.parallel * length + BOX_THREE_GAPS * larger_pad(&view));
}

/* How much larger than the stored box a ray's must be for each of its points to be inside. */
static double ray_ratio(const double *n)
{
    volume_box box = box_at(n);
    double size = box.half[0] + box.half[1] + box.half[2], needed = 0.0;
    carom_vec3 at = point_of(&box, n + BOX_NUMBERS);
    for (int k = 0; k < 3; k++)
        needed = larger(needed, fabs(vec3_dot(box.axis[k], at)) - box.half[k]);
    return size > 0.1 ? needed / (BOX_RAY_OBLIQUE * size) : 0.0;
}

static void gaps_are_within_the_pad(void **state)
{
    (void)state;
    climb_attack(&(climb){"gaps along still axes", still_ratio, 38, 0.9, 1, NULL, 10, 20000, true});
    climb_attack(&(climb){"gaps along moved axes", moved_ratio, 38, 0.7, 2, NULL, 10, 20000, true});
    climb_attack(&(climb){"gaps along cross products", edge_ratio, 38, 0.75, 3, NULL, 10, 40000, true});
    climb_attack(&(climb){"moved axes of a bent rotation", bent_moved_ratio, 30, 0.9, 6, NULL, 10, 20000, false});
    climb_attack(&(climb){"cross products of a bent rotation", bent_edge_ratio, 30, 0.75, 7, NULL, 10, 20000, false});
    climb_attack(&(climb){"distances", distance_ratio, 38, 0.5, 4, NULL, 10, 40000, true});
    climb_attack(&(climb){"lengths of cross products", length_ratio, 35, 0.6, 8, NULL, 10, 20000, true});
    climb_attack(&(climb){"lengths of exact axes", exact_length_ratio, 7, 0.65, 10, EXACT_AXES, 10, 20000, false});
    climb_attack(&(climb){"lengths along a bent rotation", bent_length_ratio, 30, 0.9, 9, NULL, 10, 20000, false});
    climb_attack(&(climb){"rays", ray_ratio, 19, 0.8, 5, NULL, 20, 20000, true});
}

/* ---- moving ---- */

/* By how much a moved centre is off, in units of the slack for that. numbers: a quaternion, the centre, a translation.
 */
static double centre_ratio(const double *n)
{
    carom_pose pose = turned(n);
    volume_box box = {.centre = vec3(n[4], n[5], n[6])}, moved;
    double c[3] = {n[4], n[5], n[6]}, t[3] = {n[7], n[8], n[9]},
           farthest = fmax(fabs(t[0]), fmax(fabs(t[1]), fabs(t[2])));
    volume_frame frame = frame_of(CAROM_VOLUME_OBB, pose.rotation, 2.0 * vec3_length(box.centre) + farthest);
    frame.relative.translation = vec3(t[0], t[1], t[2]);
    volume_move_box(&frame, &box, &moved);
    const double found[3] = {moved.centre.x, moved.centre.y, moved.centre.z};
    long double square = 0.0L;
    for (int i = 0; i < 3; i++)
    {
        long double off = (long double)found[i] - (long double)t[i];
        for (int k = 0; k < 3; k++)
            off -= (long double)pose.rotation[3 * i + k] * (long double)c[k];
        square += off * off;
    }
    return frame.slack > 0x1p-80 ? (double)(sqrtl(square) / (long double)frame.slack) : 0.0;
}

/* By how much a point's slabs, turned, fall short of the point, in units of the slack for arithmetic. The point has few
 * bits, so that its slabs are floats without rounding. */
static double slab_ratio(const double *n, carom_volume kind)
{
    carom_pose pose = turned(n);
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

static double slabs14_ratio(const double *n) { return slab_ratio(n, CAROM_VOLUME_KDOP14); }
static double slabs18_ratio(const double *n) { return slab_ratio(n, CAROM_VOLUME_KDOP18); }
static double slabs26_ratio(const double *n) { return slab_ratio(n, CAROM_VOLUME_KDOP26); }

static void moving_is_within_its_slack(void **state)
{
    (void)state;
    climb_attack(&(climb){"moved centres", centre_ratio, 10, 0.55, 14, NULL, 20, 20000, false});
    climb_attack(&(climb){"moved slabs of 14", slabs14_ratio, 7, 0.4, 11, NULL, 10, 20000, false});
    climb_attack(&(climb){"moved slabs of 18", slabs18_ratio, 7, 0.45, 12, NULL, 10, 20000, false});
    climb_attack(&(climb){"moved slabs of 26", slabs26_ratio, 7, 0.51, 13, MOVED_SLABS, 10, 20000, false});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gaps_are_within_the_pad),
                                       cmocka_unit_test(moving_is_within_its_slack)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
