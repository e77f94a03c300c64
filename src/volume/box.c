/* Tests of boxes that may be swept by a sphere: separating axes (Gottschalk, Lin, Manocha 1996) and lower bounds of the
 * distance. A gap along any direction separates whatever the directions are, so imprecise axes make the tests weaker,
 * never wrong; what the short cuts assume of the axes (u_i . u_j = 0 or 1) is covered by the pads. */
#include "volume/parts.h"

/* The moved box in the axes of the still one. */
typedef struct box_view
{
    double r[3][3], absolute[3][3]; /* r[i][j] = still axis i . moved axis j */
    double t[3];                    /* from the still centre to the moved one */
    const double *a, *b;            /* halves */
    /* The way's and the halves' sums, what still axes are padded by, its part for rounding, which others need twice,
     * what the rotation is off by, and float axes. */
    double away, still_size, moved_size, pad, rounding, bent, oblique;
} box_view;

#define BOX_ROUNDING   (7.75 * 0x1p-53) /* of the sizes: what the tests along still axes compute; others, twice that */
#define BOX_OWN_AXIS   1.75             /* of float axes, in roundings: a box's own axis sees none of the other two */
#define BOX_WAY        3.0              /* the way between the centres is the sum of what the still axes see of it */
#define BOX_CROSS      2.5              /* a cross product's cosines with the still axes are read from the others */
#define BOX_COFACTOR   7.25             /* and its cosines with the moved axes are cofactors */
#define BOX_BENT       3.0              /* of the rotation's defect */
#define BOX_THREE_GAPS 1.75

static BASE_ALWAYS_INLINE void view_centre(const volume_frame *frame, const volume_box *still, const volume_box *moved,
                                           box_view *view)
{
    carom_vec3 between = vec3_sub(moved->centre, still->centre);
    const double *a = still->half, *b = moved->half;
    for (int i = 0; i < 3; i++)
        view->t[i] = vec3_dot(still->axis[i], between);
    view->a = a, view->b = b;
    view->still_size = a[0] + a[1] + a[2], view->moved_size = b[0] + b[1] + b[2];
    view->away = fabs(between.x) + fabs(between.y) + fabs(between.z);
    view->rounding = BOX_ROUNDING * (view->away + view->still_size + view->moved_size);
    view->pad = frame->slack + view->rounding;
    view->bent = BOX_BENT * frame->defect;
    view->oblique = frame->oblique;
}

/* Pads along an axis of the still box, of the moved one, or a cross product (docs/exactness.md, section 17). Each is
 * computed when its turn comes: most boxes are apart along an earlier axis. */
static BASE_ALWAYS_INLINE double still_pad(const box_view *v)
{
    return v->pad + v->oblique * (BOX_OWN_AXIS * v->still_size);
}
/* What all others have in common: more rounding, and axes that the rotation has bent. */
static BASE_ALWAYS_INLINE double wide_pad(const box_view *v)
{
    return v->pad + (v->rounding + v->bent * v->moved_size);
}
static BASE_ALWAYS_INLINE double moved_pad(const box_view *v)
{
    return wide_pad(v) + v->oblique * (BOX_OWN_AXIS * v->moved_size + BOX_WAY * v->away);
}
/* The larger of the two: rounding is monotone. */
static BASE_ALWAYS_INLINE double larger_pad(const box_view *v)
{
    return wide_pad(v) +
           v->oblique * larger(BOX_OWN_AXIS * v->still_size, BOX_OWN_AXIS * v->moved_size + BOX_WAY * v->away);
}
static BASE_ALWAYS_INLINE double edge_pad(const box_view *v)
{
    return wide_pad(v) + v->oblique * (BOX_CROSS * v->still_size + BOX_COFACTOR * v->moved_size);
}

static BASE_ALWAYS_INLINE void view_row(const volume_box *still, const volume_box *moved, box_view *view, int i)
{
    for (int j = 0; j < 3; j++)
    {
        view->r[i][j] = vec3_dot(still->axis[i], moved->axis[j]);
        view->absolute[i][j] = fabs(view->r[i][j]);
    }
}

/* Gap along axis i of the still box, j of the moved one, or their cross product (not normalised). */
static BASE_ALWAYS_INLINE double still_gap(const box_view *v, int i)
{
    return fabs(v->t[i]) -
           (v->a[i] + v->b[0] * v->absolute[i][0] + v->b[1] * v->absolute[i][1] + v->b[2] * v->absolute[i][2]);
}

static BASE_ALWAYS_INLINE double moved_gap(const box_view *v, int j)
{
    double along = v->t[0] * v->r[0][j] + v->t[1] * v->r[1][j] + v->t[2] * v->r[2][j];
    return fabs(along) -
           (v->b[j] + v->a[0] * v->absolute[0][j] + v->a[1] * v->absolute[1][j] + v->a[2] * v->absolute[2][j]);
}

static BASE_ALWAYS_INLINE double edge_gap(const box_view *v, int i, int j)
{
    int i1 = i == 2 ? 0 : i + 1, i2 = i == 0 ? 2 : i - 1;
    int j1 = j == 2 ? 0 : j + 1, j2 = j == 0 ? 2 : j - 1;
    double along = v->t[i2] * v->r[i1][j] - v->t[i1] * v->r[i2][j];
    return fabs(along) - (v->a[i1] * v->absolute[i2][j] + v->a[i2] * v->absolute[i1][j] +
                          v->b[j1] * v->absolute[i][j2] + v->b[j2] * v->absolute[i][j1]);
}

static bool separated(const volume_frame *frame, const volume_box *still, const volume_box *moved, double margin)
{
    box_view view;
    view_centre(frame, still, moved, &view);
    double needed = margin + still_pad(&view);
    for (int i = 0; i < 3; i++)
    {
        view_row(still, moved, &view, i);
        if (still_gap(&view, i) > needed)
            return true;
    }
    needed = margin + moved_pad(&view);
    for (int j = 0; j < 3; j++)
        if (moved_gap(&view, j) > needed)
            return true;
    if (frame->still == CAROM_VOLUME_AABB && frame->moved == CAROM_VOLUME_AABB)
        return false; /* "SAT lite": the edge axes cost more than they cull where the boxes are loose anyway */
    needed = margin + edge_pad(&view);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (edge_gap(&view, i, j) > needed)
                return true;
    return false;
}

static bool is_ball(carom_volume kind) { return kind == CAROM_VOLUME_SPHERE; }

/* The gap between centres, for two spheres. */
static double ball_distance(const volume_frame *frame, const volume_box *still, const volume_box *moved)
{
    double distance = vec3_length(vec3_sub(moved->centre, still->centre)) * (1.0 - 0x1p-48);
    return distance - still->radius - moved->radius - frame->slack;
}

bool box_apart(const volume_frame *frame, const volume_box *still, const volume_box *moved, double margin)
{
    if (is_ball(frame->still) && is_ball(frame->moved))
        return ball_distance(frame, still, moved) > margin;
    double radius = still->radius + moved->radius;
    if (separated(frame, still, moved, margin + radius))
        return true;
    /* Swept boxes are rounder than tests along axes can show. */
    return radius > 0.0 && box_distance(frame, still, moved) > margin;
}

/* From the nearest point of one box to the other's: a direction that is nearly that of the distance. */
static double projected_gap(const box_view *v)
{
    double p[3], q[3], x[3], n[3];
    for (int i = 0; i < 3; i++)
        p[i] = smaller(larger(v->t[i], -v->a[i]), v->a[i]);
    const int rounds = 2;
    for (int round = 0; round < rounds; round++)
    {
        const double back[3] = {p[0] - v->t[0], p[1] - v->t[1], p[2] - v->t[2]};
        for (int j = 0; j < 3; j++)
        {
            double along = back[0] * v->r[0][j] + back[1] * v->r[1][j] + back[2] * v->r[2][j];
            x[j] = smaller(larger(along, -v->b[j]), v->b[j]);
        }
        for (int i = 0; i < 3; i++)
            q[i] = v->t[i] + (v->r[i][0] * x[0] + v->r[i][1] * x[1] + v->r[i][2] * x[2]);
        for (int i = 0; i < 3; i++)
            p[i] = smaller(larger(q[i], -v->a[i]), v->a[i]);
    }
    for (int i = 0; i < 3; i++)
        n[i] = q[i] - p[i];
    double square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    if (!(square > 0x1p-900))
        return 0.0;
    double gap = n[0] * v->t[0] - fabs(n[0]) * v->a[0];
    for (int i = 1; i < 3; i++)
        gap += n[i] * v->t[i] - fabs(n[i]) * v->a[i];
    for (int j = 0; j < 3; j++)
        gap -= v->b[j] * fabs(n[0] * v->r[0][j] + n[1] * v->r[1][j] + n[2] * v->r[2][j]);
    return gap / sqrt(square);
}

/* The largest of `best` and the gaps along the cross products. */
static double edge_gaps(const volume_frame *frame, const box_view *v, double pad, double best)
{
    const double nearly_parallel = 0.01, longest = 1.0 + frame->parallel;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
        {
            double gap = edge_gap(v, i, j) - pad;
            if (!(gap > 0.0))
                continue;
            /* Short cross products: the pad counts for more, and the length is known from above only. */
            double square = longest - v->r[i][j] * v->r[i][j];
            if (square > nearly_parallel && gap * gap > best * best * square)
                best = gap / sqrt(square);
        }
    return best;
}

double box_distance(const volume_frame *frame, const volume_box *still, const volume_box *moved)
{
    if (is_ball(frame->still) && is_ball(frame->moved))
        return larger(ball_distance(frame, still, moved), 0.0);
    box_view view;
    view_centre(frame, still, moved, &view);
    double in_still = 0.0, in_moved = 0.0, pad = larger_pad(&view), edges_pad = edge_pad(&view);
    for (int i = 0; i < 3; i++)
    {
        view_row(still, moved, &view, i);
        double gap = larger(still_gap(&view, i), 0.0);
        in_still += gap * gap;
    }
    for (int j = 0; j < 3; j++)
    {
        double gap = larger(moved_gap(&view, j), 0.0);
        in_moved += gap * gap;
    }
    double best = sqrt(larger(in_still, in_moved));
    best = larger(best, projected_gap(&view));
    best = edge_gaps(frame, &view, edges_pad, best);
    /* Three gaps at once are off by sqrt 3 pads, lengths by half of what squares are off by. */
    best = best * (1.0 - 0.5 * frame->parallel) - BOX_THREE_GAPS * pad;
    best -= still->radius + moved->radius;
    return larger(best, 0.0);
}

/* ---- rays ---- */

#define BOX_RAY_OBLIQUE (2.0 * 0x1p-24) /* axes in float, of a box's size: docs/exactness.md, section 17 */

bool box_ray(const volume_box *box, const volume_ray *ray, double *entry_t)
{
    carom_vec3 from = vec3_sub(ray->origin, box->centre);
    double size = box->half[0] + box->half[1] + box->half[2] + box->radius;
    double low_t = ray->low_t, high_t = ray->high_t;
    for (int i = 0; i < 3; i++)
    {
        double origin = vec3_dot(box->axis[i], from), direction = vec3_dot(box->axis[i], ray->direction);
        double half = box->half[i] + box->radius + 2.0 * ray->slack + BOX_RAY_OBLIQUE * size;
        if (direction == 0.0)
        {
            if (fabs(origin) > half)
                return false;
            continue;
        }
        double one = (-half - origin) / direction, other = (half - origin) / direction;
        double near = smaller(one, other), far = larger(one, other);
        low_t = larger(low_t, near - fabs(near) * 0x1p-48);
        high_t = smaller(high_t, far + fabs(far) * 0x1p-48);
    }
    *entry_t = low_t;
    return low_t <= high_t;
}
