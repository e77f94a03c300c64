/* Views of pairs of pieces. */
#include "engine/image/image_view.h"

/* ---- the thesis's choice ---- */

static double radius_along(const volume_box *box, carom_vec3 axis)
{
    double sum = box->radius;
    for (int i = 0; i < 3; i++)
        sum += fabs(vec3_dot(box->axis[i], axis)) * box->half[i];
    return sum;
}

image_overlap image_overlap_of(const volume_box *a, const volume_box *b)
{
    image_overlap overlap = {false, {0}};
    carom_vec3 way = vec3_sub(b->centre, a->centre);
    for (int i = 0; i < 6; i++)
    {
        const volume_box *owner = i < 3 ? a : b, *other = i < 3 ? b : a;
        carom_vec3 axis = owner->axis[i % 3];
        double half = owner->half[i % 3] + owner->radius, reach = radius_along(other, axis);
        double at = fabs(vec3_dot(way, axis));
        overlap.length[i] = fmin(half, at + reach) - fmax(-half, at - reach);
        overlap.apart = overlap.apart || overlap.length[i] < -1e-6 * (half + reach + at);
    }
    return overlap;
}

/* Looks along one of a box's axes. */
static void look_along(const volume_box *box, int away, image_view *view)
{
    view->axis[0] = box->axis[(away + 1) % 3];
    view->axis[1] = box->axis[(away + 2) % 3];
    view->axis[2] = box->axis[away];
    bool usable = true;
    for (int i = 0; i < 9; i++) /* as image_fit_view takes for granted */
        usable = usable && fabs(vec3_at(&view->axis[i / 3], i % 3)) <= 1.01;
    if (!usable)
        view->axis[0] = vec3(1.0, 0.0, 0.0), view->axis[1] = vec3(0.0, 1.0, 0.0), view->axis[2] = vec3(0.0, 0.0, 1.0);
    /* Seen from the front, up is to the left of right: then facets that face the viewer are counterclockwise. */
    if (vec3_dot(vec3_cross(view->axis[0], view->axis[1]), view->axis[2]) > 0.0)
    {
        carom_vec3 right = view->axis[0];
        view->axis[0] = view->axis[1], view->axis[1] = right;
    }
}

void image_choose_view(const volume_box *a, const volume_box *b, const image_overlap *overlap, image_view *view)
{
    const double *length = overlap->length;
    int away[2];
    double area[2];
    for (int body = 0; body < 2; body++)
    {
        const double *own = length + 3 * body;
        away[body] = own[0] >= own[1] && own[0] >= own[2] ? 0 : own[1] >= own[2] ? 1 : 2;
        area[body] = own[(away[body] + 1) % 3] * own[(away[body] + 2) % 3];
    }
    int chosen = area[1] < area[0];
    look_along(chosen ? b : a, away[chosen], view);
    view->centre = vec3_scale(vec3_add(a->centre, b->centre), 0.5);
}

void image_choose_flat_view(const volume_box *flat, const volume_box *other, image_view *view)
{
    const double *half = flat->half;
    look_along(flat, half[0] <= half[1] && half[0] <= half[2] ? 0 : half[1] <= half[2] ? 1 : 2, view);
    view->centre = vec3_scale(vec3_add(flat->centre, other->centre), 0.5);
}

/* ---- points ---- */

/* x' = ((r0 x + r1 y) + r2 z) + t: three products and three sums, each off by 2^-53 of something that is at most the
 * sum of all magnitudes. A row of a rotation that was accepted has |r0| + |r1| + |r2| < 1.75. */
double image_placement_error(const carom_pose *pose, double extent)
{
    carom_vec3 t = pose->translation;
    return 0x1p-50 * (1.75 * extent + fmax(fabs(t.x), fmax(fabs(t.y), fabs(t.z)))) + 0x1p-1000;
}

void image_see_nothing(image_seen *seen)
{
    seen->count = 0, seen->spread = 0.0;
    seen->low = vec3(INFINITY, INFINITY, INFINITY), seen->high = vec3(-INFINITY, -INFINITY, -INFINITY);
}

static double largest(carom_vec3 v) { return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))); }

void image_see(const image_view *view, carom_vec3 world, image_seen *seen)
{
    carom_vec3 way = vec3_sub(world, view->centre);
    carom_vec3 point = vec3(vec3_dot(view->axis[0], way), vec3_dot(view->axis[1], way), vec3_dot(view->axis[2], way));
    seen->points[seen->count++] = point;
    seen->low = vec3_min(seen->low, point), seen->high = vec3_max(seen->high, point);
    seen->spread = fmax(seen->spread, largest(way));
}

/* ---- the rectangle ---- */

/* How far a seen point may be from where the exact view sees the exact image of its vertex, and that once more for the
 * vertices of the piece, which are placed as well: |component| of an axis is at most 1.01, so the former is 3.03 times
 * the placement; the difference, three products and two sums are off by 2^-53 of at most 3.03 spreads each. */
static double seen_error(const image_seen *a, const image_seen *b)
{
    return 6.1 * fmax(a->placement, b->placement) + 0x1p-49 * fmax(a->spread, b->spread) + 0x1p-1000;
}

bool image_fit_view(const image_seen *a, const image_seen *b, int side, image_view *view)
{
    double reach = fmax(fmax(largest(a->low), largest(a->high)), fmax(largest(b->low), largest(b->high)));
    double error = seen_error(a, b);
    for (int axis = 0; axis < 3; axis++)
    {
        double low = fmax(vec3_at(&a->low, axis), vec3_at(&b->low, axis)) - error;
        double high = fmin(vec3_at(&a->high, axis), vec3_at(&b->high, axis)) + error;
        if (low > high)
            return false;
        if (axis == 2)
            break;
        double length = fmax(high - low, 64.0 * error);
        low = 0.5 * (low + high) - 0.5 * length;
        view->low[axis] = low - 2.0 * error;
        view->scale[axis] = (double)side / (length + 4.0 * error);
        view->reach[axis] = 2.0 * reach * view->scale[axis] + (double)side;
        view->error[axis] = error * view->scale[axis] + 0x1p-46 * (reach * view->scale[axis] + (double)side);
    }
    double depth = fmax(fmax(fabs(a->low.z), fabs(a->high.z)), fmax(fabs(b->low.z), fabs(b->high.z)));
    int exponent;
    frexp(fmax(depth, 0x1p-900), &exponent);
    view->depth_scale = ldexp(1.0, -exponent);
    view->error[2] = error * view->depth_scale;
    view->side = side;
    return true;
}
