/* Attacks BOX_ROUNDING (docs/exactness.md, section 17): the tests of boxes along axes as a model of themselves in which
 * an adversary chooses the direction of every rounding. The boxes touch along the axis, so all that the computed gap is
 * off by has to be in the pad. */
#define box_apart    here_box_apart
#define box_distance here_box_distance
#define box_ray      here_box_ray
#include "support/rooted.h"
#include "volume/box.c" /* NOLINT(bugprone-suspicious-include): its pads are what is tested */

#include "support/climb.h"
#include "support/double_model.h"

static double within(double x, double limit) { return fmax(-limit, fmin(limit, x)); }

static carom_pose turned(const double *n)
{
    const double none[4] = {0.0, 0.0, 0.0, 1.0};
    bool turns = fabs(n[0]) + fabs(n[1]) + fabs(n[2]) + fabs(n[3]) > 0x1p-100;
    return rooted_pose(turns ? n : none, vec3(0, 0, 0));
}

/* Two boxes, the rotation between them, and their model. */
typedef struct pair
{
    volume_box still, moved;
    traced t[3], r[3][3], a[3], b[3];
} pair;

enum
{
    BOX_NUMBERS = 7 /* a quaternion, three halves */
};

static volume_box box_at(const double *n)
{
    carom_pose frame = turned(n);
    volume_box box = {.radius = 0.0};
    for (int k = 0; k < 3; k++)
    {
        box.axis[k] = vec3(frame.rotation[3 * k], frame.rotation[3 * k + 1], frame.rotation[3 * k + 2]);
        box.half[k] = fmin(fabs(n[4 + k]), 1.0);
    }
    return box;
}

/* The box's point that is farthest along the direction; shares decide where it is on an edge or face. */
static carom_vec3 farthest(const volume_box *box, carom_vec3 along, const double *shares)
{
    carom_vec3 at = vec3(0.0, 0.0, 0.0);
    for (int k = 0; k < 3; k++)
    {
        double cosine = vec3_dot(box->axis[k], along);
        double share = fabs(cosine) < 0x1p-40 ? within(shares[k], 1.0) : cosine < 0.0 ? -1.0 : 1.0;
        at = vec3_add(at, vec3_scale(box->axis[k], share * box->half[k]));
    }
    return at;
}

/* numbers: the two boxes, the rotation, shares of both. kind: along a still axis, a moved one or a cross product. */
static pair touching_at(const double *n, int kind)
{
    pair p = {.still = box_at(n), .moved = box_at(n + BOX_NUMBERS)};
    carom_pose pose = turned(n + 2 * BOX_NUMBERS);
    traced axis[3][3];
    trace_begin();
    for (int k = 0; k < 3; k++)
    {
        const carom_vec3 u = p.moved.axis[k], s = p.still.axis[k];
        const traced own[3] = {traced_exact(u.x), traced_exact(u.y), traced_exact(u.z)};
        traced seen[3];
        for (int i = 0; i < 3; i++)
        {
            const double *row = pose.rotation + 3 * i;
            seen[i] = traced_dot((traced[3]){traced_exact(row[0]), traced_exact(row[1]), traced_exact(row[2])}, own);
        }
        p.moved.axis[k] = vec3(seen[0].value, seen[1].value, seen[2].value);
        for (int i = 0; i < 3; i++)
            p.r[i][k] = seen[i]; /* in the frame of the trees; turned below */
        axis[k][0] = traced_exact(s.x), axis[k][1] = traced_exact(s.y), axis[k][2] = traced_exact(s.z);
        p.a[k] = traced_exact(p.still.half[k]), p.b[k] = traced_exact(p.moved.half[k]);
    }
    const double *shares = n + 2 * BOX_NUMBERS + 4;
    carom_vec3 along = kind == 0   ? p.still.axis[0]
                       : kind == 1 ? p.moved.axis[0]
                                   : vec3_cross(p.still.axis[0], p.moved.axis[0]);
    carom_vec3 way =
        vec3_sub(farthest(&p.still, along, shares), farthest(&p.moved, vec3_scale(along, -1.0), shares + 3));
    p.moved.centre = way;
    const traced between[3] = {traced_input(way.x, trace_rounding(way.x)), traced_input(way.y, trace_rounding(way.y)),
                               traced_input(way.z, trace_rounding(way.z))};
    traced column[3][3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            column[k][i] = p.r[i][k];
    for (int i = 0; i < 3; i++)
    {
        p.t[i] = traced_dot(axis[i], between);
        for (int j = 0; j < 3; j++)
            p.r[i][j] = traced_dot(axis[i], column[j]);
    }
    return p;
}

/* x + half |cosine| */
static traced add_reach(traced x, traced half, traced cosine)
{
    return traced_add(x, traced_multiply(half, traced_magnitude(cosine)));
}

/* The three gaps of box.c, along axis 0 of each. */
static traced gap_of(const pair *p, int kind)
{
    traced along, reach;
    if (kind == 0)
    {
        along = p->t[0];
        reach = add_reach(add_reach(add_reach(p->a[0], p->b[0], p->r[0][0]), p->b[1], p->r[0][1]), p->b[2], p->r[0][2]);
    }
    else if (kind == 1)
    {
        const traced column[3] = {p->r[0][0], p->r[1][0], p->r[2][0]};
        along = traced_dot(p->t, column);
        reach = add_reach(add_reach(add_reach(p->b[0], p->a[0], column[0]), p->a[1], column[1]), p->a[2], column[2]);
    }
    else
    {
        along = traced_subtract(traced_multiply(p->t[2], p->r[1][0]), traced_multiply(p->t[1], p->r[2][0]));
        reach = traced_multiply(p->a[1], traced_magnitude(p->r[2][0]));
        reach = add_reach(add_reach(add_reach(reach, p->a[2], p->r[1][0]), p->b[1], p->r[0][2]), p->b[2], p->r[0][1]);
    }
    return traced_subtract(traced_magnitude(along), reach);
}

/* A rotation's defect is measured to 3U on the diagonal of R^T R and 1.5U beside it (section 8). By how much more than
 * computed a box with such axes may reach, each entry as it hurts most. */
static double measured_defect(const pair *p, int kind)
{
    const double *b = p->moved.half, c[3] = {p->r[0][0].value, p->r[0][1].value, p->r[0][2].value};
    double one = b[1] * fabs(c[2]), other = b[2] * fabs(c[1]);
    double diagonal = kind == 1 ? b[0] : 0.5 * (one + other) + fabs(one - other);
    double beside = b[1] + b[2];
    if (kind == 2)
        beside = beside * fabs(c[0]) + b[1] * fabs(c[1]) + b[2] * fabs(c[2]);
    return kind == 0 ? 0.0 : 0x1p-53 * (3.0 * diagonal + 1.5 * beside);
}

static double gap_ratio(const double *n, int kind)
{
    pair p = touching_at(n, kind);
    volume_frame frame = {.slack = 0.0}; /* no pad but that for arithmetic */
    box_view view;
    view_centre(&frame, &p.still, &p.moved, &view);
    if (!(view.still_size + view.moved_size > 0x1p-10))
        return 0.0;
    return (traced_worst(gap_of(&p, kind)) + measured_defect(&p, kind)) /
           (kind == 0 ? still_pad(&view) : wide_pad(&view));
}

static double still_ratio(const double *n) { return gap_ratio(n, 0); }
static double moved_ratio(const double *n) { return gap_ratio(n, 1); }
static double edge_ratio(const double *n) { return gap_ratio(n, 2); }

static void arithmetic_is_within_its_pad(void **state)
{
    (void)state;
    climb_attack(&(climb){"arithmetic along still axes", still_ratio, 24, 0.55, 1, NULL, 10, 20000, false});
    climb_attack(&(climb){"arithmetic along moved axes", moved_ratio, 24, 0.5, 2, NULL, 10, 20000, false});
    climb_attack(&(climb){"arithmetic along cross products", edge_ratio, 24, 0.6, 3, NULL, 10, 20000, false});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(arithmetic_is_within_its_pad)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
