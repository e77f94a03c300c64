/* Spheres and rectangle swept spheres. The radius is measured last, from the floats that are stored, so whatever was
 * rounded before it is contained. */
#include "volume/parts.h"

/* Upper bound of a length from coordinate differences that were rounded. */
static double length_above(carom_vec3 v) { return vec3_length(v) * (1.0 + 0x1p-50) + 0x1p-500; }

static double radius_at(const volume_cloud *cloud, carom_vec3 centre)
{
    double largest = 0.0;
    for (size_t i = 0; i < cloud->count; i++)
        for (int corner = 0; corner < 3; corner++)
        {
            carom_vec3 d = vec3_sub(cloud_corner(cloud, i, corner), centre);
            largest = larger(largest, vec3_dot(d, d));
        }
    return sqrt(largest) * (1.0 + 0x1p-50) + 0x1p-500;
}

static carom_vec3 farthest_from(const volume_cloud *cloud, carom_vec3 from)
{
    carom_vec3 best = from;
    double largest = -1.0;
    for (size_t i = 0; i < cloud->count; i++)
        for (int corner = 0; corner < 3; corner++)
        {
            carom_vec3 p = cloud_corner(cloud, i, corner), d = vec3_sub(p, from);
            if (vec3_dot(d, d) > largest)
                largest = vec3_dot(d, d), best = p;
        }
    return best;
}

void sphere_measure(const volume_cloud *cloud, float *sphere)
{
    sphere[3] = math_float_up(radius_at(cloud, load3(sphere)));
}

/* Badoiu and Clarkson: steps of 1/(i+1) towards the farthest point approach the smallest sphere. */
void sphere_fit(const volume_cloud *cloud, float *out)
{
    carom_aabb box = aabb_empty();
    for (size_t i = 0; i < cloud->count; i++)
        for (int corner = 0; corner < 3; corner++)
            box = aabb_add_point(box, cloud_corner(cloud, i, corner));
    carom_vec3 centre = vec3_add(box.min, vec3_scale(vec3_sub(box.max, box.min), 0.5)), best = centre;
    double smallest = radius_at(cloud, centre);
    const int enough_steps = cloud->count <= 32 ? 24 : 8; /* large spheres are loose anyway */
    for (int step = 1; step <= enough_steps; step++)
    {
        carom_vec3 to = vec3_sub(farthest_from(cloud, centre), centre);
        centre = vec3_add(centre, vec3_scale(to, 1.0 / (step + 2)));
        double radius = radius_at(cloud, centre);
        if (radius < smallest)
            smallest = radius, best = centre;
    }
    store3(out, best);
    sphere_measure(cloud, out);
}

void sphere_merge(const float *a, const float *b, float *out)
{
    carom_vec3 from = load3(a), to = load3(b), between = vec3_sub(to, from);
    double ra = (double)a[3], rb = (double)b[3], distance = vec3_length(between);
    /* One inside the other, else the ball over both ends of the line of centres. */
    carom_vec3 centre = ra >= rb ? from : to;
    if (distance + smaller(ra, rb) > larger(ra, rb) && distance > 0.0)
        centre = vec3_add(from, vec3_scale(between, 0.5 + 0.5 * (rb - ra) / distance));
    float result[4];
    store3(result, centre);
    centre = load3(result);
    double radius = larger(length_above(vec3_sub(from, centre)) + ra, length_above(vec3_sub(to, centre)) + rb);
    result[3] = math_float_up(radius * (1.0 + 0x1p-50));
    memcpy(out, result, sizeof result);
}

/* ---- rectangle swept spheres ---- */

/* Corners in the rectangle's frame, and how far each may stick out of the rectangle in its plane. */
typedef struct rss_view
{
    const volume_cloud *cloud;
    const double *radii;
    const carom_vec3 *axis;
    carom_vec3 first;
    double middle, radius; /* along the normal */
} rss_view;

static carom_vec3 view_corner(const rss_view *view, size_t i, int corner, double *overhang)
{
    carom_vec3 p = vec3_sub(cloud_corner(view->cloud, i, corner), view->first);
    p = vec3(vec3_dot(view->axis[0], p), vec3_dot(view->axis[1], p), vec3_dot(view->axis[2], p));
    double height = p.z - view->middle;
    double room = view->radius - (view->radii ? view->radii[3 * i + (size_t)corner] : 0.0);
    *overhang = room > 0.0 ? sqrt(larger(0.0, room * room - height * height)) : 0.0;
    return p;
}

static void rss_thickness(rss_view *view)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < view->cloud->count; i++)
        for (int corner = 0; corner < 3; corner++)
        {
            double z = vec3_dot(view->axis[2], vec3_sub(cloud_corner(view->cloud, i, corner), view->first));
            double radius = view->radii ? view->radii[3 * i + (size_t)corner] : 0.0;
            low = smaller(low, z - radius), high = larger(high, z + radius);
        }
    view->middle = 0.5 * (low + high);
    view->radius = 0.5 * (high - low);
}

typedef struct rss_span
{
    double low[2], high[2];
} rss_span;

/* Sides first: each corner may stick out over one side by its overhang. */
static rss_span rss_sides(const rss_view *view)
{
    rss_span span = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
    for (size_t i = 0; i < view->cloud->count; i++)
        for (int corner = 0; corner < 3; corner++)
        {
            double overhang;
            carom_vec3 p = view_corner(view, i, corner, &overhang);
            for (int k = 0; k < 2; k++)
            {
                span.low[k] = smaller(span.low[k], component(p, k) + overhang);
                span.high[k] = larger(span.high[k], component(p, k) - overhang);
            }
        }
    for (int k = 0; k < 2; k++)
        if (span.low[k] > span.high[k])
            span.low[k] = span.high[k] = 0.5 * (span.low[k] + span.high[k]);
    return span;
}

/* Then corners: what sticks out over two sides at once pushes both. */
static void rss_corners(const rss_view *view, rss_span *span)
{
    for (size_t i = 0; i < view->cloud->count; i++)
        for (int corner = 0; corner < 3; corner++)
        {
            double overhang, out[2];
            carom_vec3 p = view_corner(view, i, corner, &overhang);
            for (int k = 0; k < 2; k++)
                out[k] = larger(larger(component(p, k) - span->high[k], span->low[k] - component(p, k)), 0.0);
            if (out[0] * out[0] + out[1] * out[1] <= overhang * overhang)
                continue;
            /* (out0 - t)^2 + (out1 - t)^2 = overhang^2 */
            double sum = out[0] + out[1], difference = out[0] - out[1];
            double t = 0.5 * (sum - sqrt(larger(0.0, 2.0 * overhang * overhang - difference * difference)));
            for (int k = 0; k < 2; k++)
            {
                double push = smaller(larger(t, 0.0), out[k]);
                if (component(p, k) > span->high[k])
                    span->high[k] += push;
                else
                    span->low[k] -= push;
            }
        }
}

/* The radius that the stored rectangle needs. */
static double rss_radius(const rss_view *view, const float *rss)
{
    carom_vec3 centre = load3(rss), axis[2] = {load3(rss + 3), load3(rss + 6)};
    double radius = 0.0;
    for (size_t i = 0; i < view->cloud->count; i++)
        for (int corner = 0; corner < 3; corner++)
        {
            carom_vec3 p = vec3_sub(cloud_corner(view->cloud, i, corner), centre), rest = p;
            for (int k = 0; k < 2; k++)
            {
                double half = (double)rss[12 + k];
                rest = vec3_sub(rest, vec3_scale(axis[k], smaller(larger(vec3_dot(axis[k], p), -half), half)));
            }
            double own = view->radii ? view->radii[3 * i + (size_t)corner] : 0.0;
            double rounding = 0x1p-48 * (fabs(p.x) + fabs(p.y) + fabs(p.z));
            radius = larger(radius, length_above(rest) + own + rounding);
        }
    return radius;
}

void rss_enclose(const volume_cloud *cloud, const double *radii, const carom_vec3 axis[3], float *out)
{
    /* The thinnest direction becomes the normal. */
    double extent[3];
    carom_vec3 ordered[3] = {axis[0], axis[1], axis[2]};
    rss_view view = {.cloud = cloud, .radii = radii, .axis = ordered, .first = cloud_corner(cloud, 0, 0)};
    for (int i = 0; i < 3; i++)
    {
        ordered[2] = axis[i];
        rss_thickness(&view);
        extent[i] = view.radius;
    }
    int thin = extent[0] <= extent[1] ? (extent[0] <= extent[2] ? 0 : 2) : (extent[1] <= extent[2] ? 1 : 2);
    ordered[0] = axis[(thin + 1) % 3], ordered[1] = axis[(thin + 2) % 3], ordered[2] = axis[thin];
    rss_thickness(&view);
    rss_span span = rss_sides(&view);
    rss_corners(&view, &span);

    carom_vec3 centre = vec3_add(view.first, vec3_scale(ordered[2], view.middle));
    for (int k = 0; k < 2; k++)
    {
        centre = vec3_add(centre, vec3_scale(ordered[k], 0.5 * (span.low[k] + span.high[k])));
        out[12 + k] = math_float_up(0.5 * (span.high[k] - span.low[k]));
    }
    store3(out, centre);
    for (int i = 0; i < 3; i++)
        store3(out + 3 + 3 * i, ordered[i]);
    out[14] = math_float_up(rss_radius(&view, out));
}

void rss_measure(const volume_cloud *cloud, float *rss)
{
    rss_view view = {.cloud = cloud};
    rss[14] = math_float_up(rss_radius(&view, rss));
}

void rss_merge(const float *a, const float *b, float *out)
{
    static const uint32_t indices[9] = {0, 1, 2, 3, 4, 5, 6, 7, 7};
    carom_vec3 corners[8];
    double radii[9];
    for (int i = 0; i < 9; i++)
        radii[i] = (double)(i < 4 ? a[14] : b[14]);
    for (int i = 0; i < 8; i++)
    {
        const float *from = i < 4 ? a : b;
        double x = i & 1 ? (double)from[12] : -(double)from[12], y = i & 2 ? (double)from[13] : -(double)from[13];
        corners[i] = vec3_add(load3(from), vec3_add(vec3_scale(load3(from + 3), x), vec3_scale(load3(from + 6), y)));
    }
    volume_cloud cloud = {.vertices = corners, .indices = indices, .count = 3};
    oriented_merge(&cloud, radii, a, b, out);
}
