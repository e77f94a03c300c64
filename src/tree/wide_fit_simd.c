/* Oriented boxes: principal axes of the surface, a few frames along edges for small sets, and on request a search over
 * small rotations. Nothing is fused, so that every instruction set fits the same box. */
#include "base/simd.h"
#include "tree/wide_build.h"

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

/* A run's corners; few are copied and padded to whole vectors, so that nothing is read past the end. */
typedef struct run_points
{
    points all, padded;
    float few[3][16];
} run_points;

static void take_run(const wide_build *build, const split_node *run, run_points *out)
{
    size_t at = 3 * (size_t)run->first;
    out->all = (points){build->sorted[0] + at, build->sorted[1] + at, build->sorted[2] + at, 3 * run->count};
    out->padded = out->all;
    if (run->count > SMALL_SET)
        return;
    for (uint32_t i = 0; i < 16; i++)
    {
        uint32_t from = i < out->all.count ? i : out->all.count - 1;
        out->few[0][i] = out->all.x[from], out->few[1][i] = out->all.y[from], out->few[2][i] = out->all.z[from];
    }
    out->padded = (points){out->few[0], out->few[1], out->few[2], out->all.count <= 8 ? 8u : 16u};
}

/* Corner after which the longest edge of a triangle starts. */
static uint32_t longest_edge(const points *set, uint32_t first)
{
    uint32_t longest = 0;
    float longest_square = -1.0f;
    for (uint32_t c = 0; c < 3; c++)
    {
        uint32_t p = first + c, q = first + (c + 1) % 3;
        float x = set->x[q] - set->x[p], y = set->y[q] - set->y[p], z = set->z[q] - set->z[p];
        if (x * x + y * y + z * z > longest_square)
            longest_square = x * x + y * y + z * z, longest = c;
    }
    return longest;
}

/* The best box of a few triangles nearly always lies along one of their edges and normals: all edges, or the longest of
 * each. */
static void try_edges(const run_points *set, bool every_edge, float *best, float axis[3][3])
{
    const points *all = &set->all;
    for (uint32_t i = 0; i + 2 < all->count; i += 3)
    {
        uint32_t longest = longest_edge(all, i);
        for (uint32_t c = every_edge ? 0 : longest; c < (every_edge ? 3 : longest + 1); c++)
        {
            uint32_t p = i + c, q = i + (c + 1) % 3, r = i + (c + 2) % 3;
            float u[3] = {all->x[q] - all->x[p], all->y[q] - all->y[p], all->z[q] - all->z[p]};
            float v[3] = {all->x[r] - all->x[p], all->y[r] - all->y[p], all->z[r] - all->z[p]};
            float frame[3][3];
            if (frame_from(u, v, frame))
                keep_better(&set->padded, frame, best, axis);
        }
    }
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

/* Rounding of coordinates up to 1 and of their projections, and how far rounded axes are from orthonormal: derived in
 * docs/exactness.md. It also covers a centre and axes that the compiler left unrounded below (see wide_leaf_fill). */
static const double BOX_ROUNDING = 13.0 * 0x1p-24, AXES_ROUNDING = 2.25 * 0x1p-24;

/* The axes are orthonormal but for the rounding of their components. */
static void make_box(const points *set, float axis[3][3], wide_box *out)
{
    float low[3], high[3];
    double middle[3], half[3], sum = 0.0;
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++)
            axis[k][j] = wide_without_dust(axis[k][j]);
    project(set, axis, low, high);
    for (int k = 0; k < 3; k++)
        middle[k] = 0.5 * ((double)low[k] + (double)high[k]);
    for (int j = 0; j < 3; j++)
        out->centre[j] = wide_without_dust(
            (float)((double)axis[0][j] * middle[0] + (double)axis[1][j] * middle[1] + (double)axis[2][j] * middle[2]));
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
        out->half[k] = (float)(half[k] + BOX_ROUNDING + AXES_ROUNDING * sum) * (1.0f + 0x1p-22f);
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
    float axis[3][3], best = INFINITY;
    take_run(build, run, &set);
    if (run->count <= SMALL_SET)
        try_edges(&set, false, &best, axis);
    if (!(best < INFINITY)) /* many triangles, or none with an area */
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
    float axis[3][3], best = INFINITY;
    bool small = run->count <= SMALL_SET;
    take_run(build, run, &set);
    if (small)
        try_edges(&set, build->search_rotation, &best, axis);
    if (!small || !(best < INFINITY)) /* many triangles, or none with an area */
    {
        principal_axes(moments, axis);
        if (build->search_rotation && !small)
            improve_axes(&set, axis);
    }
    make_box(&set.padded, axis, out);
}
