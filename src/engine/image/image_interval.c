/* Triangles as the certified image draws them, and its passes in plain C. */
#include "engine/image/image_interval.h"

/* Of a x + b y + c in float, with |a| + |b| about 1: each product and sum is off by at most 1 ulp, coefficients by half
 * of one. For x, y up to the side: 2^-23 (6 side + |c|), and 2^-24 side for each coefficient. Likewise depths. */
static double float_error(double side, double c) { return 0x1p-20 * (side + fabs(c)) + 1e-30; }

/* ---- which pixels ---- */

/* Pixels whose closed interval [i, i + 1] has a point in [low, high]. */
static bool pixel_range(double low, double high, int side, float *first, float *end)
{
    double from = fmax(ceil(low - 1.0), 0.0), to = fmin(floor(high), (double)side - 1.0);
    *first = (float)from, *end = (float)(to + 1.0);
    return from <= to;
}

static bool set_rect(const image_view *view, const carom_vec3 corner[3], image_record *out)
{
    double low_x = fmin(corner[0].x, fmin(corner[1].x, corner[2].x)) - view->error[0];
    double high_x = fmax(corner[0].x, fmax(corner[1].x, corner[2].x)) + view->error[0];
    double low_y = fmin(corner[0].y, fmin(corner[1].y, corner[2].y)) - view->error[1];
    double high_y = fmax(corner[0].y, fmax(corner[1].y, corner[2].y)) + view->error[1];
    return pixel_range(low_x, high_x, view->side, &out->rect[0], &out->rect[2]) &&
           pixel_range(low_y, high_y, view->side, &out->rect[1], &out->rect[3]);
}

/* ---- edges ---- */

/* The side of the line p q where the triangle is, seen from the centre of a pixel: half a pixel and the error of the
 * corners are allowed for. */
static void set_edge(const image_view *view, carom_vec3 p, carom_vec3 q, double turn, float out[3])
{
    double a = turn * (p.y - q.y), b = turn * (q.x - p.x), size = fabs(a) + fabs(b);
    out[0] = out[1] = 0.0f, out[2] = 1.0f; /* no length, or none that matters: the rectangle decides */
    if (!(size > 1e-290 && size < 1e290))
        return;
    a /= size, b /= size;
    double c = -(a * p.x + b * p.y);
    double rounding = 0x1p-48 * (fabs(p.x) + fabs(p.y) + fabs(q.x) + fabs(q.y));
    c += (0.5 + view->error[0]) * fabs(a) + (0.5 + view->error[1]) * fabs(b) + rounding;
    c += float_error(view->side, c);
    if (!(fabs(c) < 1e30))
        return;
    out[0] = (float)a, out[1] = (float)b, out[2] = math_float_up(c);
}

static void set_edges(const image_view *view, const carom_vec3 corner[3], double area, double bound, image_record *out)
{
    double turn = area > bound ? 1.0 : area < -bound ? -1.0 : 0.0; /* 0: which side is inside can't be told */
    for (int i = 0; i < 3; i++)
        set_edge(view, corner[i], corner[(i + 1) % 3], turn, out->edge[i]);
}

/* ---- depth ---- */

static void set_range(const image_view *view, const carom_vec3 corner[3], image_record *out)
{
    double low = fmin(corner[0].z, fmin(corner[1].z, corner[2].z)) - view->error[2];
    double high = fmax(corner[0].z, fmax(corner[1].z, corner[2].z)) + view->error[2];
    out->low = math_float_down(low - 1e-30), out->high = math_float_up(high + 1e-30);
}

/* The plane's depth at the centre of a pixel, and how far from it a point of the triangle within the pixel may be. What
 * is larger than the range of the corners does no harm: the range limits it. */
static void set_plane(const image_view *view, const carom_vec3 corner[3], double area, double bound, image_record *out)
{
    carom_vec3 s = vec3_sub(corner[1], corner[0]), t = vec3_sub(corner[2], corner[0]);
    double bound_x, bound_y, side = view->side;
    double across_x = exact_filter2d(s.z, s.y, t.z, t.y, &bound_x); /* s.z t.y - s.y t.z */
    double across_y = exact_filter2d(s.x, s.z, t.x, t.z, &bound_y);
    double g = across_x / area, h = across_y / area;
    double sure = fabs(area) - bound;
    double error_g = (bound_x + fabs(g) * bound) / sure + 0x1p-51 * fabs(g);
    double error_h = (bound_y + fabs(h) * bound) / sure + 0x1p-51 * fabs(h);
    double z = corner[0].z - (g * corner[0].x + h * corner[0].y);
    double size = fabs(corner[0].z) + fabs(g * corner[0].x) + fabs(h * corner[0].y);
    double wide = fabs(s.x) + fabs(t.x) + 2.0 + 2.0 * view->error[0];
    double tall = fabs(s.y) + fabs(t.y) + 2.0 + 2.0 * view->error[1];
    double off = (0.5 + view->error[0]) * fabs(g) + (0.5 + view->error[1]) * fabs(h) + view->error[2];
    off += error_g * wide + error_h * tall + 0x1p-48 * size;
    off += 4.0 * float_error((fabs(g) + fabs(h)) * side, z);
    off *= 1.0 + 0x1p-19; /* the sums with it are rounded, too */
    out->plane[0] = out->plane[1] = out->plane[2] = 0.0f, out->plane[3] = 1e30f;
    if (!(sure > 0.0 && fabs(g) < 1e25 && fabs(h) < 1e25 && fabs(z) < 1e25 && off < 1e25))
        return;
    out->plane[0] = (float)g, out->plane[1] = (float)h, out->plane[2] = (float)z, out->plane[3] = math_float_up(off);
}

bool image_prepare(const image_view *view, const carom_vec3 corner[3], image_record *out)
{
    *out = (image_record){0};
    if (!set_rect(view, corner, out))
        return false;
    double bound;
    double area = exact_filter2d(corner[1].x - corner[0].x, corner[1].y - corner[0].y, corner[2].x - corner[0].x,
                                 corner[2].y - corner[0].y, &bound);
    set_edges(view, corner, area, bound, out);
    set_range(view, corner, out);
    set_plane(view, corner, area, bound, out);
    return true;
}

/* ---- twins ---- */

bool image_depths_twin(const image_record *record, int column, int row, float out[2])
{
    float x = (float)column + 0.5f, y = (float)row + 0.5f;
    const float *plane = record->plane;
    for (int i = 0; i < 3; i++)
        if (!(record->edge[i][0] * x + record->edge[i][1] * y + record->edge[i][2] >= 0.0f))
            return false;
    float z = plane[0] * x + plane[1] * y + plane[2];
    out[0] = fminf(plane[3] - z, -record->low), out[1] = fminf(z + plane[3], record->high);
    return true;
}

static void draw_record(const image_record *record, image_texel *target, int width)
{
    for (int row = (int)record->rect[1]; row < (int)record->rect[3]; row++)
        for (int column = (int)record->rect[0]; column < (int)record->rect[2]; column++)
        {
            float own[2];
            if (!image_depths_twin(record, column, row, own))
                continue;
            size_t at = (size_t)(row + (int)record->tile[1]) * (size_t)width + (size_t)(column + (int)record->tile[0]);
            float *depth = target[at].depth + (record->body > 0.5f ? 2 : 0);
            depth[0] = fmaxf(depth[0], own[0]), depth[1] = fmaxf(depth[1], own[1]);
        }
}

void image_draw_twin(const image_record *records, size_t count, image_texel *target, int width)
{
    for (size_t i = 0; i < count; i++)
        draw_record(&records[i], target, width);
}

bool image_meets_twin(const image_texel *target, int width, const int tile[2], int side)
{
    bool meets = false;
    for (int row = tile[1]; row < tile[1] + side; row++)
        for (int column = tile[0]; column < tile[0] + side; column++)
        {
            const float *depth = target[(size_t)row * (size_t)width + (size_t)column].depth;
            meets = meets || (depth[1] >= -depth[2] && depth[3] >= -depth[0]);
        }
    return meets;
}
