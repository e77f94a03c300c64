/* A ray against one triangle: signs of determinants decide, quotients are rounded. */
#include "narrow/ray.h"
#include "narrow/shape.h"

static double component(carom_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

/* ---- the ray and the triangle in one plane ---- */

typedef struct ray_answer
{
    bool hit;
    double t;
    double weight[3]; /* of the corners */
    exact_ray_at at;
} ray_answer;

/* Parameter of a point on the ray's line. */
static double parameter_on(const narrow_ray *ray, carom_vec3 point)
{
    carom_vec3 d = ray->direction;
    int axis = fabs(d.x) >= fabs(d.y) ? (fabs(d.x) >= fabs(d.z) ? 0 : 2) : (fabs(d.y) >= fabs(d.z) ? 1 : 2);
    return (component(point, axis) - component(ray->origin, axis)) / component(d, axis);
}

/* Of two points on the ray's line: > 0 if p is further along than q, 0 if they are equal. */
static int order_along(const narrow_ray *ray, carom_vec3 p, carom_vec3 q)
{
    for (int axis = 0; axis < 3; axis++)
    {
        double d = component(ray->direction, axis), at_p = component(p, axis), at_q = component(q, axis);
        if (d != 0.0 && at_p != at_q)
            return (at_p > at_q) == (d > 0.0) ? 1 : -1;
    }
    return 0;
}

/* The origin lies in the triangle, which may be a segment or a point: weights of the corners there. */
static void weigh_origin(const narrow_ray *ray, const narrow_triangle *triangle, double weight[3])
{
    const carom_vec3 *c = triangle->corner, o = ray->origin;
    for (int axis = 0; axis < 3; axis++)
        if (exact_orient2d(c[0], c[1], c[2], axis, NULL) != 0)
        {
            for (int i = 0; i < 3; i++)
                weight[i] = exact_quotient2d((carom_vec3[]){o, c[(i + 1) % 3], c[(i + 2) % 3], c[0], c[1], c[2]}, axis);
            return;
        }
    int low = 0, high = 0;
    for (int i = 1; i < 3; i++)
    {
        low = shape_compare(c[i], c[low]) < 0 ? i : low;
        high = shape_compare(c[i], c[high]) > 0 ? i : high;
    }
    double share = 0.0, widest = 0.0;
    for (int axis = 0; axis < 3; axis++)
    {
        double width = fabs(component(c[high], axis) - component(c[low], axis));
        if (width > widest)
        {
            widest = width;
            share = fabs(component(o, axis) - component(c[low], axis)) / width;
        }
    }
    weight[0] = weight[1] = weight[2] = 0.0;
    weight[low] = 1.0 - share;
    weight[high] += share;
}

static ray_answer hit_origin(const narrow_ray *ray, const narrow_triangle *triangle)
{
    ray_answer answer = {.hit = true, .at = {.kind = EXACT_AT_ORIGIN}};
    weigh_origin(ray, triangle, answer.weight);
    return answer;
}

/* At a corner on the ray's line. */
static ray_answer hit_corner(const narrow_ray *ray, const narrow_triangle *triangle, int i)
{
    carom_vec3 corner = triangle->corner[i];
    ray_answer answer = {.hit = true, .t = parameter_on(ray, corner), .at = {EXACT_AT_POINT, .point = {corner}}};
    answer.weight[i] = 1.0;
    return answer;
}

/* Where the ray's line crosses the edge from corner i on, seen along an axis. */
static ray_answer hit_edge(const narrow_ray *ray, const narrow_triangle *triangle, int i, int axis)
{
    int j = (i + 1) % 3;
    carom_vec3 p = triangle->corner[i], q = triangle->corner[j];
    double t_share[2];
    exact_ray_pass(ray->direction, ray->origin, (carom_vec3[]){p, q}, axis, t_share);
    ray_answer answer = {.hit = true, .t = t_share[0], .at = {EXACT_AT_LINE, axis, .point = {p, q}}};
    answer.weight[i] = 1.0 - t_share[1];
    answer.weight[j] = t_share[1];
    return answer;
}

/* The first of the corners on the ray's line that are not behind the origin, -1 if there is none. */
static int first_corner(const narrow_ray *ray, const narrow_triangle *triangle, const int side[3])
{
    const carom_vec3 *c = triangle->corner;
    int first = -1;
    for (int i = 0; i < 3; i++)
        if (side[i] == 0 && order_along(ray, c[i], ray->origin) >= 0 &&
            (first < 0 || order_along(ray, c[i], c[first]) < 0))
            first = i;
    return first;
}

/* Everything on one line. */
static ray_answer hit_on_line(const narrow_ray *ray, const narrow_triangle *triangle)
{
    bool any_behind = false;
    for (int i = 0; i < 3; i++)
        any_behind |= order_along(ray, triangle->corner[i], ray->origin) <= 0;
    int first = first_corner(ray, triangle, (int[3]){0, 0, 0});
    if (first < 0)
        return (ray_answer){.hit = false};
    return any_behind ? hit_origin(ray, triangle) : hit_corner(ray, triangle, first);
}

/* In one plane, seen along an axis that does not collapse it; side[i]: of corner i on the ray's line. From outside, the
 * ray enters through the edge that has the inside ahead of it, or through a corner. */
static ray_answer hit_in_plane(const narrow_ray *ray, const narrow_triangle *triangle, int axis, const int side[3],
                               narrow_counts *counts)
{
    const carom_vec3 *c = triangle->corner, o = ray->origin;
    int turn[3], lowest = 1, highest = -1;
    for (int i = 0; i < 3; i++)
    {
        turn[i] = exact_orient2d(o, c[i], c[(i + 1) % 3], axis, &counts->exact_fallbacks);
        lowest = turn[i] < lowest ? turn[i] : lowest;
        highest = turn[i] > highest ? turn[i] : highest;
    }
    int area = exact_orient2d(c[0], c[1], c[2], axis, &counts->exact_fallbacks);
    if (area != 0 && (lowest >= 0 || highest <= 0))
        return hit_origin(ray, triangle);
    int corner = first_corner(ray, triangle, side);
    if (area == 0 && corner >= 0) /* a segment, which has only one point on the ray's line */
        return hit_corner(ray, triangle, corner);
    for (int i = 0; i < 3; i++)
    {
        int j = (i + 1) % 3;
        /* t = (ci-o) x (cj-o) over d x (cj-ci); the denominator has the sign of side j. */
        if (side[i] * side[j] < 0 && turn[i] * side[j] >= 0 && side[j] * area <= 0)
            return hit_edge(ray, triangle, i, axis);
    }
    return corner >= 0 ? hit_corner(ray, triangle, corner) : (ray_answer){.hit = false};
}

/* The ray lies in the triangle's plane, the triangle has no area, or the direction is zero. */
static ray_answer hit_flat(const narrow_ray *ray, const narrow_triangle *triangle, narrow_counts *counts)
{
    carom_vec3 d = ray->direction;
    if (d.x == 0.0 && d.y == 0.0 && d.z == 0.0)
    {
        narrow_triangle point = {{ray->origin, ray->origin, ray->origin}};
        return narrow_touches(&point, triangle, counts) ? hit_origin(ray, triangle) : (ray_answer){.hit = false};
    }
    int side[3] = {0, 0, 0}, axis = 0;
    for (; axis < 3 && (side[0] | side[1] | side[2]) == 0; axis++)
        for (int i = 0; i < 3; i++)
            side[i] = exact_ray2d(d, ray->origin, triangle->corner[i], axis, &counts->exact_fallbacks);
    bool on_line = (side[0] | side[1] | side[2]) == 0;
    return on_line ? hit_on_line(ray, triangle) : hit_in_plane(ray, triangle, axis - 1, side, counts);
}

exact_ray_at narrow_ray_at(const narrow_ray *ray, const narrow_triangle *triangle, narrow_counts *counts)
{
    const carom_vec3 *c = triangle->corner;
    if (exact_ray3d(ray->direction, c[0], c[1], c[2], &counts->exact_fallbacks) == 0)
        return hit_flat(ray, triangle, counts).at;
    return (exact_ray_at){EXACT_AT_PLANE, .point = {c[0], c[1], c[2]}};
}

/* ---- the usual case ---- */

/* t, u, v of a line that passes through the triangle: from its edges, which lose fewer digits than corners relative to
 * a distant origin, or exactly if too many are still lost. */
void narrow_ray_solve(const narrow_ray *ray, const narrow_triangle *triangle, double tuv[3])
{
    const carom_vec3 *at = triangle->corner, d = ray->direction, corner = vec3_sub(at[0], ray->origin);
    carom_vec3 edge_1 = vec3_sub(at[1], at[0]), edge_2 = vec3_sub(at[2], at[0]);
    ray_determinants det;
    det.value[0] = exact_filter3d(d, edge_1, edge_2, &det.bound[0]);
    det.value[1] = exact_filter3d(corner, edge_1, edge_2, &det.bound[1]);
    det.value[2] = exact_filter3d(d, edge_2, corner, &det.bound[2]);
    det.value[3] = exact_filter3d(d, corner, edge_1, &det.bound[3]);
    bool divisible = ray_in_range(d) && fabs(d.x) + fabs(d.y) + fabs(d.z) >= 0x1p-100;
    if (BASE_UNLIKELY(!divisible || !ray_divide(&det, tuv)))
        exact_ray_solve(d, ray->origin, triangle->corner, tuv);
}

void narrow_pose_set(narrow_pose *out, const carom_pose *pose)
{
    const carom_vec3 t = pose->translation;
    for (int i = 0; i < 3; i++)
    {
        const double *r = pose->rotation + i;
        memcpy(out->columns[i], (double[4]){r[0], r[3], r[6], 0.0}, sizeof out->columns[i]);
    }
    memcpy(out->translation, (double[4]){t.x, t.y, t.z, 0.0}, sizeof out->translation);
}

bool narrow_ray_hit(const narrow_ray *ray, const narrow_triangle *triangle, double *t, double uv[2],
                    narrow_counts *counts)
{
    const carom_vec3 *c = triangle->corner, d = ray->direction, o = ray->origin;
    carom_vec3 r[3] = {vec3_sub(c[0], o), vec3_sub(c[1], o), vec3_sub(c[2], o)};
    double weight[3], bound[3];
    bool filters_hold = ray_in_range(d);
    int sign[3];
    for (int i = 0; i < 3; i++)
    {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        weight[i] = exact_filter3d(d, r[j], r[k], &bound[i]);
        sign[i] = exact_filter_sign(weight[i], bound[i]);
    }
    /* Most rays miss, which two certain signs prove. */
    bool some_left = sign[0] > 0 || sign[1] > 0 || sign[2] > 0, some_right = sign[0] < 0 || sign[1] < 0 || sign[2] < 0;
    if (filters_hold && some_left && some_right)
        return false;
    for (int i = 0; i < 3; i++)
        if (BASE_UNLIKELY(sign[i] == 0 || !filters_hold))
            sign[i] = exact_ray3d_integers(d, o, c[(i + 1) % 3], c[(i + 2) % 3], &counts->exact_fallbacks);
    some_left = sign[0] > 0 || sign[1] > 0 || sign[2] > 0, some_right = sign[0] < 0 || sign[1] < 0 || sign[2] < 0;
    if (some_left && some_right)
        return false;
    if (!some_left && !some_right)
    {
        ray_answer answer = hit_flat(ray, triangle, counts);
        if (answer.hit)
            *t = answer.t, uv[0] = answer.weight[1], uv[1] = answer.weight[2];
        return answer.hit;
    }
    /* The line passes through the triangle; in front of the origin? */
    double reach_bound, reach = exact_filter3d(r[0], r[1], r[2], &reach_bound);
    int reach_sign = exact_filter_sign(reach, reach_bound);
    if (BASE_UNLIKELY(reach_sign == 0))
        reach_sign = exact_orient3d_integers(c[0], c[1], c[2], o, &counts->exact_fallbacks);
    if (reach_sign * (some_left ? 1 : -1) < 0)
        return false;
    double tuv[3];
    narrow_ray_solve(ray, triangle, tuv);
    *t = tuv[0], uv[0] = tuv[1], uv[1] = tuv[2];
    return true;
}
