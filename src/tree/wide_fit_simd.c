/* Oriented boxes: principal axes of the surface, a few frames along edges for small sets, and on request a search over
 * small rotations. Nothing is fused, so that every instruction set fits the same box. */
#include "tree/wide_few.h"

enum
{
    EXTREMAL_DIRECTIONS = 13,
    EXTREMAL_POINTS = 32, /* 26 and filler up to whole vectors */
    MAX_JUDGED = 192,     /* points looked at for the extremal ones; more change little */
    SMALL_SET = 4         /* triangles; their edges are tried as axes */
};

/* Points in structure-of-arrays form, count rounded up to whole vectors by repeating the last. */
typedef struct points
{
    const float *x, *y, *z;
    uint32_t count;
} points;

/* Lowest and highest projection of the points on three axes. */
static void project(const points *set, float axis[3][3], float low[3], float high[3])
{
    f8 lo[3], hi[3];
    for (int k = 0; k < 3; k++)
        lo[k] = f8_set1(3e38f), hi[k] = f8_set1(-3e38f);
    for (uint32_t i = 0; i < set->count; i += 8)
    {
        uint32_t at = set->count >= 8 && i + 8 > set->count ? set->count - 8 : i; /* the last vector may overlap */
        f8 x = f8_loadu(set->x + at), y = f8_loadu(set->y + at), z = f8_loadu(set->z + at);
        for (int k = 0; k < 3; k++)
        {
            f8 p = f8_add(f8_add(f8_mul(x, f8_set1(axis[k][0])), f8_mul(y, f8_set1(axis[k][1]))),
                          f8_mul(z, f8_set1(axis[k][2])));
            lo[k] = f8_min(lo[k], p), hi[k] = f8_max(hi[k], p);
        }
    }
    /* Lows into the lower half, negated highs into the upper one, then the smallest of four lanes for all at once. */
    const f8 lower = f8_lt(f8_two(-1.0f, 1.0f), f8_zero());
    f8 row[4];
    for (int k = 0; k < 3; k++)
    {
        f8 minus = f8_neg(hi[k]);
        row[k] = f8_select(lower, f8_min(lo[k], f8_swap(lo[k])), f8_min(minus, f8_swap(minus)));
    }
    row[3] = row[2];
    f8_transpose(row);
    float lowest[8];
    f8_storeu(lowest, f8_min(f8_min(row[0], row[1]), f8_min(row[2], row[3])));
    for (int k = 0; k < 3; k++)
        low[k] = lowest[k], high[k] = -lowest[4 + k];
}

static float frame_area(const points *set, float axis[3][3])
{
    float low[3], high[3];
    project(set, axis, low, high);
    float x = high[0] - low[0], y = high[1] - low[1], z = high[2] - low[2];
    return x * y + y * z + z * x;
}

static void principal_axes(const split_moments *moments, float axis[3][3])
{
    double covariance[6];
    int entry = 0;
    for (int k = 0; k < 3; k++)
        for (int l = k; l < 3; l++, entry++)
            covariance[entry] = moments->square[entry] - moments->sum[k] * moments->sum[l] / moments->weight;
    wide_principal_axes(covariance, axis);
}

static void keep_better(const points *set, float candidate[3][3], float *best, float axis[3][3])
{
    float area = frame_area(set, candidate);
    if (area < *best)
    {
        *best = area;
        memcpy(axis, candidate, 9 * sizeof(float));
    }
}

/* Frame with one axis along u, one along the normal of u and v; false where those are parallel. In double, so that the
 * axes are orthonormal but for their own rounding, whatever the angle. */
static bool frame_from(const float u[3], const float v[3], float frame[3][3])
{
    double x = (double)u[0], y = (double)u[1], z = (double)u[2];
    double n[3] = {y * (double)v[2] - z * (double)v[1], z * (double)v[0] - x * (double)v[2],
                   x * (double)v[1] - y * (double)v[0]};
    double uu = x * x + y * y + z * z, nn = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    double vv = (double)v[0] * (double)v[0] + (double)v[1] * (double)v[1] + (double)v[2] * (double)v[2];
    if (!(nn > 1e-8 * uu * vv) || !(uu > 1e-30))
        return false;
    double iu = 1.0 / sqrt(uu), in = 1.0 / sqrt(nn), iun = iu * in;
    for (int k = 0; k < 3; k++)
        frame[0][k] = (float)((double)u[k] * iu), frame[1][k] = (float)(n[k] * in);
    frame[2][0] = (float)((y * n[2] - z * n[1]) * iun);
    frame[2][1] = (float)((z * n[0] - x * n[2]) * iun);
    frame[2][2] = (float)((x * n[1] - y * n[0]) * iun);
    return true;
}

/* A run's corners; few are copied and padded to whole vectors, so that those of no other run count. */
typedef struct run_points
{
    points all, padded;
    _Alignas(32) float few[3][16];
} run_points;

/* The first `count` of 16 floats, then the last of them again. */
static BASE_ALWAYS_INLINE void copy_padded(const float *from, uint32_t count, float *to)
{
    static const float PLACE[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const f8 end = f8_set1((float)count), last = f8_set1(from[count - 1]);
    for (size_t i = 0; i < 16; i += 8)
        f8_store(to + i, f8_select(f8_lt(f8_loadu(PLACE + i), end), f8_loadu(from + i), last));
}

static void take_run(const wide_build *build, const split_node *run, run_points *out)
{
    size_t at = 3 * (size_t)run->first;
    out->all = (points){build->sorted[0] + at, build->sorted[1] + at, build->sorted[2] + at, 3 * run->count};
    out->padded = out->all;
    if (run->count > SMALL_SET)
        return;
    copy_padded(out->all.x, out->all.count, out->few[0]);
    copy_padded(out->all.y, out->all.count, out->few[1]);
    copy_padded(out->all.z, out->all.count, out->few[2]);
    out->padded = (points){out->few[0], out->few[1], out->few[2], out->all.count <= 8 ? 8u : 16u};
}

/* ---- a few triangles: the best box nearly always lies along an edge and the normal of one of them ---- */

/* Corners relative to the first one and to the size of the set, enough to compare frames by. What is small beside the
 * set is 0, so that no product is denormal. */
typedef struct few_corners
{
    _Alignas(32) float at[3][16]; /* x, y, z */
    uint32_t count;
} few_corners;

typedef struct lanes3
{
    f8 x, y, z;
} lanes3;

static BASE_ALWAYS_INLINE f8 without_dust(f8 a, float dust) { return f8_and(a, f8_gt(f8_abs(a), f8_set1(dust))); }

static BASE_ALWAYS_INLINE lanes3 lanes3_sub(lanes3 a, lanes3 b)
{
    return (lanes3){f8_sub(a.x, b.x), f8_sub(a.y, b.y), f8_sub(a.z, b.z)};
}

static BASE_ALWAYS_INLINE f8 lanes3_dot(lanes3 a, lanes3 b)
{
    return f8_add(f8_add(f8_mul(a.x, b.x), f8_mul(a.y, b.y)), f8_mul(a.z, b.z));
}

static BASE_ALWAYS_INLINE lanes3 lanes3_cross(lanes3 a, lanes3 b)
{
    return (lanes3){f8_sub(f8_mul(a.y, b.z), f8_mul(a.z, b.y)), f8_sub(f8_mul(a.z, b.x), f8_mul(a.x, b.z)),
                    f8_sub(f8_mul(a.x, b.y), f8_mul(a.y, b.x))};
}

/* False: all corners are in one place. */
static bool take_few(const run_points *set, few_corners *out)
{
    f8 offset[3][2], largest = f8_zero();
    for (int k = 0; k < 3; k++)
        for (int half = 0; half < 2; half++)
        {
            offset[k][half] = f8_sub(f8_loadu(set->few[k] + (size_t)8 * (size_t)half), f8_set1(set->few[k][0]));
            largest = f8_max(largest, f8_abs(offset[k][half]));
        }
    float size = -f8_min_lane(f8_neg(largest));
    if (!(size > 1e-30f))
        return false;
    f8 scale = f8_set1(1.0f / size);
    for (int k = 0; k < 3; k++)
        for (int half = 0; half < 2; half++)
            f8_store(out->at[k] + (size_t)8 * (size_t)half, without_dust(f8_mul(offset[k][half], scale), 0x1p-16f));
    out->count = set->all.count;
    return true;
}

/* Corner c of the four triangles in either half; where there are fewer, points, which have no frame. */
static BASE_ALWAYS_INLINE lanes3 corners_of_few(const few_corners *few, size_t c)
{
    return (lanes3){wide_few_lanes(few->at[0] + c), wide_few_lanes(few->at[1] + c), wide_few_lanes(few->at[2] + c)};
}

/* Extents of the corners along an axis per lane. */
typedef struct lane_extent
{
    f8 low, high;
} lane_extent;

static BASE_ALWAYS_INLINE void extend(lane_extent *extent, lanes3 axis, lanes3 point)
{
    f8 at = lanes3_dot(axis, point);
    extent->low = f8_min(extent->low, at), extent->high = f8_max(extent->high, at);
}

/* A frame per lane: along an edge, the triangle's normal, and across both; none of them of unit length. */
typedef struct edge_frames
{
    lanes3 edge, across;
    lane_extent along_edge, along_across;
} edge_frames;

static BASE_ALWAYS_INLINE edge_frames frames_along(lanes3 edge, lanes3 normal)
{
    return (edge_frames){.edge = edge, .across = lanes3_cross(edge, normal)};
}

static BASE_ALWAYS_INLINE f8 inverse_root(f8 square)
{
    const f8 one = f8_set1(1.0f);
    return f8_div(one, f8_sqrt(f8_select(f8_gt(square, f8_zero()), square, one)));
}

/* What the frames of a triangle's edges share. */
typedef struct face_lanes
{
    f8 normal_square, longest_square; /* the latter of the edges */
    f8 per_normal;                    /* one over the normal's length */
    f8 height;                        /* of the corners along the normal, in units of its length */
} face_lanes;

/* Areas of the boxes along the frames; infinite where an edge is too short or a triangle too flat for a frame. */
static BASE_ALWAYS_INLINE f8 areas_of(const edge_frames *frames, const face_lanes *face)
{
    f8 edge_square = lanes3_dot(frames->edge, frames->edge), per_edge = inverse_root(edge_square);
    f8 valid = f8_gt(face->normal_square, f8_mul(f8_set1(1e-8f), f8_mul(edge_square, face->longest_square)));
    valid = f8_and(valid, f8_gt(edge_square, f8_zero()));
    f8 x = f8_mul(f8_sub(frames->along_edge.high, frames->along_edge.low), per_edge);
    f8 y = f8_mul(face->height, face->per_normal);
    f8 z = f8_mul(f8_sub(frames->along_across.high, frames->along_across.low), f8_mul(per_edge, face->per_normal));
    f8 area = f8_add(f8_add(f8_mul(x, y), f8_mul(y, z)), f8_mul(z, x));
    return f8_select(valid, area, f8_set1(INFINITY));
}

/* The triangle and its corner at which the edge of the smallest box starts; false: no edge will do. */
static bool choose_edge(const few_corners *few, uint32_t *triangle, uint32_t *corner)
{
    const lanes3 p = corners_of_few(few, 0), q = corners_of_few(few, 1), r = corners_of_few(few, 2);
    const lanes3 pq = lanes3_sub(q, p), qr = lanes3_sub(r, q), rp = lanes3_sub(p, r);
    lanes3 normal = lanes3_cross(pq, rp);
    normal = (lanes3){without_dust(normal.x, 1e-14f), without_dust(normal.y, 1e-14f), without_dust(normal.z, 1e-14f)};
    const f8 upper = f8_two(-0.0f, 1.0f), is_upper = f8_gt(upper, f8_zero());
    const lanes3 pq_or_qr = {f8_select(is_upper, qr.x, pq.x), f8_select(is_upper, qr.y, pq.y),
                             f8_select(is_upper, qr.z, pq.z)};
    edge_frames frames[2] = {frames_along(pq_or_qr, normal), frames_along(rp, normal)};
    lane_extent along_normal = {f8_zero(), f8_zero()};
    for (uint32_t i = 1; i < few->count; i++) /* the first corner is at 0 */
    {
        lanes3 point = {f8_set1(few->at[0][i]), f8_set1(few->at[1][i]), f8_set1(few->at[2][i])};
        extend(&along_normal, normal, point);
        for (int k = 0; k < 2; k++)
        {
            extend(&frames[k].along_edge, frames[k].edge, point);
            extend(&frames[k].along_across, frames[k].across, point);
        }
    }
    face_lanes face = {.normal_square = lanes3_dot(normal, normal)};
    face.longest_square = f8_max(f8_max(lanes3_dot(pq, pq), lanes3_dot(qr, qr)), lanes3_dot(rp, rp));
    face.per_normal = inverse_root(face.normal_square);
    face.height = f8_sub(along_normal.high, along_normal.low);
    f8 first = areas_of(&frames[0], &face), second = areas_of(&frames[1], &face);
    float smallest = f8_min_lane(f8_min(first, second));
    if (!(smallest < INFINITY))
        return false;
    uint32_t bits = f8_bits(f8_le(first, f8_set1(smallest))) | f8_bits(f8_le(second, f8_set1(smallest))) << 8;
    uint32_t chosen = (uint32_t)__builtin_ctz(bits); /* SMALL_SET lanes per edge */
    *triangle = chosen % SMALL_SET, *corner = chosen / SMALL_SET;
    return true;
}

/* Axes along the edge whose box is the smallest. */
static bool edge_axes(const run_points *set, float axis[3][3])
{
    few_corners few;
    uint32_t triangle, corner;
    if (!take_few(set, &few) || !choose_edge(&few, &triangle, &corner))
        return false;
    const points *all = &set->all;
    uint32_t p = 3 * triangle + corner, q = 3 * triangle + (corner + 1) % 3, r = 3 * triangle + (corner + 2) % 3;
    float u[3] = {all->x[q] - all->x[p], all->y[q] - all->y[p], all->z[q] - all->z[p]};
    float v[3] = {all->x[r] - all->x[p], all->y[r] - all->y[p], all->z[r] - all->z[p]};
    return frame_from(u, v, axis);
}

/* The points that are lowest or highest along 13 directions: enough to judge small rotations by. */
static points extremal_points(const points *set, float store[3][EXTREMAL_POINTS])
{
    static const float direction[EXTREMAL_DIRECTIONS][3] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1}, {1, 1, 0},  {1, -1, 0},
                                                            {1, 0, 1},  {1, 0, -1}, {0, 1, 1}, {0, 1, -1}, {1, 1, 1},
                                                            {1, 1, -1}, {1, -1, 1}, {-1, 1, 1}};
    uint32_t n = 0, stride = set->count > MAX_JUDGED ? set->count / MAX_JUDGED : 1;
    for (int d = 0; d < EXTREMAL_DIRECTIONS; d++)
    {
        uint32_t lowest = 0, highest = 0;
        float low = 3e38f, high = -3e38f;
        for (uint32_t i = 0; i < set->count; i += stride)
        {
            float p = direction[d][0] * set->x[i] + direction[d][1] * set->y[i] + direction[d][2] * set->z[i];
            if (p < low)
                low = p, lowest = i;
            if (p > high)
                high = p, highest = i;
        }
        for (int side = 0; side < 2; side++, n++)
        {
            uint32_t i = side ? highest : lowest;
            store[0][n] = set->x[i], store[1][n] = set->y[i], store[2][n] = set->z[i];
        }
    }
    for (; n < EXTREMAL_POINTS; n++)
        for (int k = 0; k < 3; k++)
            store[k][n] = store[k][0];
    return (points){store[0], store[1], store[2], EXTREMAL_POINTS};
}

/* Turns two of the axes about the third by the angle with this cosine and sine. */
static void turn(float axis[3][3], int about, float cosine, float sine, float out[3][3])
{
    int k = (about + 1) % 3, l = (about + 2) % 3;
    memcpy(out, axis, 9 * sizeof(float));
    for (int j = 0; j < 3; j++)
    {
        out[k][j] = cosine * axis[k][j] + sine * axis[l][j];
        out[l][j] = cosine * axis[l][j] - sine * axis[k][j];
    }
}

/* Cosine and sine of 20, 8, 3 degrees: coarse to fine. */
static const float STEP[3][2] = {{0.9396926f, 0.3420201f}, {0.9902681f, 0.1391731f}, {0.9986295f, 0.0523360f}};

static void search_rotations(const points *set, float *best, float axis[3][3])
{
    for (int step = 0; step < 3; step++)
        for (int round = 0; round < 2; round++)
        {
            float before = *best;
            for (int about = 0; about < 3; about++)
                for (int side = 0; side < 2; side++)
                {
                    float turned[3][3];
                    turn(axis, about, STEP[step][0], side ? -STEP[step][1] : STEP[step][1], turned);
                    keep_better(set, turned, best, axis);
                }
            if (!(*best < 0.995f * before))
                break;
        }
}

/* Axes that many turns have bent become orthonormal again, but for their own rounding. */
static void straighten(float axis[3][3])
{
    double x[3], y[3], xx = 0.0, xy = 0.0, yy = 0.0;
    for (int j = 0; j < 3; j++)
        x[j] = (double)axis[0][j], y[j] = (double)axis[1][j], xx += x[j] * x[j], xy += x[j] * y[j];
    for (int j = 0; j < 3; j++)
        y[j] -= xy / xx * x[j], yy += y[j] * y[j];
    double ix = 1.0 / sqrt(xx), iy = 1.0 / sqrt(yy);
    for (int j = 0; j < 3; j++)
    {
        int next = (j + 1) % 3, last = (j + 2) % 3;
        axis[0][j] = (float)(x[j] * ix), axis[1][j] = (float)(y[j] * iy);
        axis[2][j] = (float)((x[next] * y[last] - x[last] * y[next]) * ix * iy);
    }
}

/* Rounding of coordinates up to 1 and of their projections: derived in docs/exactness.md. */
static const double BOX_ROUNDING = 5.25 * 0x1p-24;

/* The axes are orthonormal but for the rounding of their components. */
static void make_box(const points *set, float axis[3][3], wide_box *out)
{
    float low[3], high[3];
    double middle[3], half[3], sum = 0.0;
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++)
            axis[k][j] = wide_without_dust(wide_rounded((double)axis[k][j]));
    project(set, axis, low, high);
    for (int k = 0; k < 3; k++)
        middle[k] = 0.5 * ((double)low[k] + (double)high[k]);
    for (int j = 0; j < 3; j++)
        out->centre[j] = wide_without_dust(wide_rounded(
            (double)axis[0][j] * middle[0] + (double)axis[1][j] * middle[1] + (double)axis[2][j] * middle[2]));
    /* Measured from where the centre really is. */
    for (int k = 0; k < 3; k++)
    {
        double at = (double)axis[k][0] * (double)out->centre[0] + (double)axis[k][1] * (double)out->centre[1] +
                    (double)axis[k][2] * (double)out->centre[2];
        double up = (double)high[k] - at, down = at - (double)low[k];
        half[k] = up > down ? up : down;
        sum += half[k];
    }
    for (int k = 0; k < 3; k++)
        out->half[k] = (float)((half[k] + BOX_ROUNDING + WIDE_AXES_DEFECT * sum) * (1.0 + 0x1p-24 + 0x1p-40)); /* up */
    memcpy(out->axis, axis, sizeof out->axis);
}

void BASE_ISA(wide_enclose)(const wide_build *build, const split_node *run, wide_box *box)
{
    run_points set;
    float axis[3][3];
    take_run(build, run, &set);
    memcpy(axis, box->axis, sizeof axis);
    make_box(&set.padded, axis, box);
}

void BASE_ISA(wide_fit)(const wide_build *build, const split_node *run, const split_moments *moments, wide_box *out)
{
    run_points set;
    float axis[3][3];
    take_run(build, run, &set);
    if (run->count > SMALL_SET || !edge_axes(&set, axis)) /* many triangles, or none with an area */
        principal_axes(moments, axis);
    make_box(&set.padded, axis, out);
}

/* Small rotations of the principal axes, judged by the extremal points; kept if the whole run agrees. */
static void improve_axes(const run_points *set, float axis[3][3])
{
    float extremal[3][EXTREMAL_POINTS], before[3][3];
    points judged = extremal_points(&set->all, extremal);
    float judged_area = frame_area(&judged, axis);
    memcpy(before, axis, sizeof before);
    search_rotations(&judged, &judged_area, axis);
    straighten(axis);
    if (!(frame_area(&set->padded, axis) < frame_area(&set->padded, before)))
        memcpy(axis, before, sizeof before);
}

void BASE_ISA(wide_fit_well)(const wide_build *build, const split_node *run, const split_moments *moments,
                             wide_box *out)
{
    run_points set;
    float axis[3][3];
    take_run(build, run, &set);
    if (run->count > SMALL_SET || !edge_axes(&set, axis))
    {
        principal_axes(moments, axis);
        if (build->search_rotation && run->count > SMALL_SET)
            improve_axes(&set, axis);
    }
    make_box(&set.padded, axis, out);
}
