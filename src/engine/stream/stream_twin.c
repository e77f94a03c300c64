/* The fragment programs in plain C, and why what they reject is apart.
 *
 * Let u = 2^-24. Coordinates are those of stream_frame: at most 1, computed in double and rounded to float, so each is
 * off by at most 0.51 u from the exact position that the contract gives it. A direction is a unit vector, each
 * coordinate off by at most 0.51 u; a length is off by at most u of itself; a normal is a unit vector, off by at most
 * 0.51 u, or 0. Every float operation is off by at most u of its result, fused or not, and by less than 2^-125 where
 * denormals are flushed, which the `tiny` of products covers. Sums are bounded in any order. Below, `reach` is the
 * largest coordinate of the vectors from the triangle's first two corners to the edge's origin as computed, `size` that
 * of the triangle's sides, `len` the length. Terms of second order are in the rounding up of the factors.
 *
 * Triangle. An edge is rejected for one of three reasons:
 *
 * 1. The boxes are apart. The end, orig + len dir, is off by 0.51 u (orig) + 0.51 u len (dir) + u len (len) + u len
 *    (product) + 1.1 u (sum), a corner by 0.51 u, the padded corner by 1.1 u: less than u (4 + 4 len).
 *
 * 2. Both ends are off the plane on the same side. orig - v1 is off by 1.02 u + u reach per coordinate. With the sum
 *    of |n_i| at most 1.74, n . (orig - v1) is off by 1.54 u reach (n) + 1.74 (1.02 u + u reach) + 3 u 1.74 reach
 *    (three roundings), less than u (1.8 + 8.6 reach). n . dir is off by 1.8 u (n and dir) + 3 u, times len; len
 *    itself, the product and the sum add u (2 len + len + 1.74 reach). Altogether less than u (4 + 16 reach + 16 len).
 *    A triangle without normal has both at 0: it is never rejected here.
 *
 * 3. The line through the edge passes the triangle on one side of it: of the exact h12 = e12 . (v1o x dir),
 *    h23 = e23 . (v2o x dir) and h31 = -e13 . (v1o x dir), one is positive and one negative. If the line met the
 *    triangle, all would have the same sign or be 0; if it lies in the triangle's plane, or the triangle is degenerate
 *    and the line meets it, or the edge is a point, all are 0. A coordinate of v1o x dir is off by
 *    2 (1.02 u + u reach) + 1.02 u reach (dir) + 4 u reach (roundings) = u (2.1 + 7.1 reach) and at most 2.01 reach; a
 *    coordinate of a side by 1.02 u + u size. Three products of these: 3 (1.02 u + u size) 2.01 reach +
 *    3 size u (2.1 + 7.1 reach) + 3 u 3 size 2.01 reach, which is less than u (8 reach + 8 size + 64 reach size).
 *
 * Box. The map y -> (a1 . y, a2 . y, a3 . y), with the float axes a, takes the box into an upright box around 0: the
 * record's reach, rounded up, is at least what the exact box has along each of these very axes, however they are
 * rounded, and has the errors of placement and of the centre's rounding in it (stream_place_box). It takes the edge to
 * a segment m + t d. That is tested on the three axes and on the three cross products of d with them. Let far be the
 * largest coordinate of orig - centre, R the largest reach. The sum of |a_i| is at most 1.75.
 *
 * 4. orig - centre is off by 0.51 u + u far, so m by 1.75 (0.51 u + u far) + 3 u 1.75 far = u (0.9 + 7 far), d by
 *    0.9 u + 3.1 u = 4 u. m + len d is off by that + u (4 len + len + len + len + 1.75 far), and the sum with the
 *    reach by u R: less than u (8 + 12 far + 12 len + 2 R).
 *
 * 5. m_j d_k - m_k d_j is off by 2 (u (0.9 + 7 far) 1.01 + 1.75 far 4 u) + 2 u 2 1.77 far, the box's shadow by
 *    8 u R + 3 u 2.02 R: less than u (8 + 48 far + 24 R).
 *
 * Pairs of triangles. Two triangles are rejected if some axis separates them. Any float vector c serves as axis,
 * however it was computed; only the heights of the corners count. With x the difference of a corner and the record's
 * first one, off by 1.02 u + u reach, where reach is the largest of all these coordinates, c . x is off by
 * |c| (1.02 u + u reach) + 3 u |c| reach, |c| being the sum of |c_i|, and the difference of two heights by twice that:
 * less than u |c| (4 + 12 reach). Axes are the coordinate axes, by boxes that are padded as in 1, the two normals and
 * the nine cross products of sides. A triangle and a box: the corners in the box's frame, as in 4, and the box's axes.
 */
#include "engine/stream/stream_pass.h"

#include <math.h>

static const float UNIT = 0x1p-24f, TINY = 0x1p-100f;

static float dot3(const float a[3], const float b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross3(const float a[3], const float b[3], float out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void subtract(const float a[3], const float b[3], float out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[i] - b[i];
}

static float smaller(float a, float b) { return a < b ? a : b; }
static float larger(float a, float b) { return a > b ? a : b; }
static float largest(const float a[3]) { return larger(fabsf(a[0]), larger(fabsf(a[1]), fabsf(a[2]))); }
static float clamp01(float a) { return smaller(larger(a, 0.0f), 1.0f); }

/* ---- triangles ---- */

typedef struct triangle
{
    const float *v1, *v2, *v3, *n;
    float e12[3], e13[3], e23[3];
} triangle;

/* The vertex program. */
static triangle triangle_of(const stream_record *record)
{
    triangle t = {record->row[0], record->row[1], record->row[2], record->row[3], {0}, {0}, {0}};
    subtract(t.v2, t.v1, t.e12);
    subtract(t.v3, t.v1, t.e13);
    subtract(t.v3, t.v2, t.e23);
    return t;
}

static bool boxes_apart(const stream_edge *edge, const triangle *t)
{
    float pad = UNIT * (4.0f + 4.0f * edge->length);
    for (int i = 0; i < 3; i++)
    {
        float start = edge->origin[i], end = start + edge->length * edge->direction[i];
        float low = smaller(t->v1[i], smaller(t->v2[i], t->v3[i])), high = larger(t->v1[i], larger(t->v2[i], t->v3[i]));
        if (smaller(start, end) > high + pad || larger(start, end) < low - pad)
            return true;
    }
    return false;
}

/* Does the line pass the triangle on one side of it? */
static bool passes_outside(const stream_edge *edge, const triangle *t, const float v1o[3], const float v2o[3])
{
    float v1od[3], v2od[3], reach = larger(largest(v1o), largest(v2o));
    cross3(v1o, edge->direction, v1od);
    cross3(v2o, edge->direction, v2od);
    float h12 = dot3(t->e12, v1od), h23 = dot3(t->e23, v2od), h31 = -dot3(t->e13, v1od);
    float size = larger(largest(t->e12), larger(largest(t->e13), largest(t->e23)));
    float slack = UNIT * (8.0f * (reach + size) + 64.0f * (reach * size)) + TINY;
    return larger(h12, larger(h23, h31)) > slack && smaller(h12, smaller(h23, h31)) < -slack;
}

static bool test_triangle(const stream_edge *edge, const stream_record *record, float depth_scale, float *depth)
{
    triangle t = triangle_of(record);
    *depth = 1.0f;
    if (edge->length < 0.0f || boxes_apart(edge, &t))
        return false;
    float v1o[3], v2o[3];
    subtract(edge->origin, t.v1, v1o);
    subtract(edge->origin, t.v2, v2o);
    float reach = larger(largest(v1o), largest(v2o));
    float before = dot3(t.n, v1o), after = before + edge->length * dot3(t.n, edge->direction);
    float off = UNIT * (4.0f + 16.0f * reach + 16.0f * edge->length);
    if (smaller(before, after) > off || larger(before, after) < -off || passes_outside(edge, &t, v1o, v2o))
        return false;
    float meeting = before == after ? 0.0f : clamp01(before / (before - after)) * edge->length;
    *depth = meeting * depth_scale;
    return true; /* the depth is at most that of the length */
}

/* ---- boxes ---- */

/* The edge in the box's frame. */
static void into_box(const stream_edge *edge, const stream_record *box, float way[3], float m[3], float d[3])
{
    subtract(edge->origin, box->row[3], way);
    for (int i = 0; i < 3; i++)
        m[i] = dot3(box->row[i], way), d[i] = dot3(box->row[i], edge->direction);
}

static bool test_box(const stream_edge *edge, const stream_record *box, float *depth)
{
    float way[3], m[3], d[3];
    *depth = 1.0f;
    if (edge->length < 0.0f)
        return false;
    into_box(edge, box, way, m, d);
    const float reach[3] = {box->row[0][3], box->row[1][3], box->row[2][3]};
    float far = largest(way), size = largest(reach);
    float pad = UNIT * (8.0f + 12.0f * far + 12.0f * edge->length + 2.0f * size);
    float slack = UNIT * (8.0f + 48.0f * far + 24.0f * size) + TINY;
    for (int i = 0; i < 3; i++)
    {
        float end = m[i] + edge->length * d[i], limit = reach[i] + pad;
        if (smaller(m[i], end) > limit || larger(m[i], end) < -limit)
            return false;
    }
    for (int i = 0; i < 3; i++)
    {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        float across = m[j] * d[k] - m[k] * d[j], shadow = reach[j] * fabsf(d[k]) + reach[k] * fabsf(d[j]);
        if (fabsf(across) > shadow + slack)
            return false;
    }
    *depth = 0.0f;
    return true;
}

/* ---- triangles of a stream ---- */

typedef struct corners
{
    float own[3][3], other[3][3]; /* relative to the record's first corner */
    float reach;
} corners;

/* Does the axis separate them? */
static bool separates(const corners *c, const float axis[3])
{
    float low[2] = {0.0f, 0.0f}, high[2] = {0.0f, 0.0f};
    for (int i = 0; i < 3; i++)
    {
        float own = dot3(axis, c->own[i]), other = dot3(axis, c->other[i]);
        low[0] = i == 0 ? own : smaller(low[0], own), high[0] = i == 0 ? own : larger(high[0], own);
        low[1] = i == 0 ? other : smaller(low[1], other), high[1] = i == 0 ? other : larger(high[1], other);
    }
    float slack = UNIT * (fabsf(axis[0]) + fabsf(axis[1]) + fabsf(axis[2])) * (4.0f + 12.0f * c->reach) + TINY;
    return low[0] - high[1] > slack || low[1] - high[0] > slack;
}

static corners corners_of(const stream_edge *own, const stream_record *record)
{
    corners c = {.reach = 0.0f};
    const float *const first[3] = {own->origin, own->direction, own->third};
    for (int i = 0; i < 3; i++)
    {
        subtract(first[i], record->row[0], c.own[i]);
        subtract(record->row[i], record->row[0], c.other[i]);
    }
    for (int i = 0; i < 3; i++)
        c.reach = larger(c.reach, larger(largest(c.own[i]), largest(c.other[i])));
    return c;
}

static bool test_pair(const stream_edge *own, const stream_record *record, float *depth)
{
    static const float upright[3][3] = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}};
    corners c = corners_of(own, record);
    float sides[2][3][3], axis[3];
    *depth = 1.0f;
    if (own->length < 0.0f)
        return false;
    for (int i = 0; i < 3; i++)
        if (separates(&c, upright[i]))
            return false;
    for (int i = 0; i < 3; i++)
    {
        subtract(c.own[(i + 1) % 3], c.own[i], sides[0][i]);
        subtract(c.other[(i + 1) % 3], c.other[i], sides[1][i]);
    }
    for (int k = 0; k < 2; k++)
    {
        cross3(sides[k][0], sides[k][1], axis);
        if (separates(&c, axis))
            return false;
    }
    for (int i = 0; i < 9; i++)
    {
        cross3(sides[0][i / 3], sides[1][i % 3], axis);
        if (separates(&c, axis))
            return false;
    }
    *depth = 0.0f;
    return true;
}

static bool test_pair_box(const stream_edge *own, const stream_record *box, float *depth)
{
    const float *const first[3] = {own->origin, own->direction, own->third};
    float way[3][3], far = 0.0f;
    *depth = 1.0f;
    if (own->length < 0.0f)
        return false;
    for (int i = 0; i < 3; i++)
        subtract(first[i], box->row[3], way[i]), far = larger(far, largest(way[i]));
    for (int i = 0; i < 3; i++)
    {
        float a = dot3(box->row[i], way[0]), b = dot3(box->row[i], way[1]), c = dot3(box->row[i], way[2]);
        float limit = box->row[i][3] + UNIT * (8.0f + 12.0f * far + 2.0f * box->row[i][3]);
        if (smaller(a, smaller(b, c)) > limit || larger(a, larger(b, c)) < -limit)
            return false;
    }
    *depth = 0.0f;
    return true;
}

/* ---- as printed ---- */

static float length_as_depth(const stream_edge *edge, float depth_scale)
{
    return larger(edge->length, 0.0f) * depth_scale;
}

static bool test_printed_triangle(const stream_edge *edge, const stream_record *record, float depth_scale, float *depth)
{
    triangle t = triangle_of(record);
    float v1o[3], v1od[3], e12d[3];
    subtract(edge->origin, t.v1, v1o);
    cross3(v1o, edge->direction, v1od);
    cross3(t.e12, edge->direction, e12d);
    float det = dot3(t.e13, e12d), u = dot3(t.e13, v1od) / det, v = -dot3(t.e12, v1od) / det, w = u + v;
    bool hit = (det < -0.000001f || det >= 0.000001f) && u >= 0.0f && u < 1.0f && v >= 0.0f && w < 1.0f;
    *depth = hit ? clamp01(-dot3(t.n, v1o) / dot3(t.n, edge->direction) * depth_scale) : 1.0f;
    return *depth < length_as_depth(edge, depth_scale);
}

static bool test_printed_box(const stream_edge *edge, const stream_record *box, float depth_scale, float *depth)
{
    float way[3], m[3], d[3], low[3], high[3];
    into_box(edge, box, way, m, d);
    for (int i = 0; i < 3; i++)
    {
        float first = d[i] >= 0.0f ? -box->row[i][3] : box->row[i][3];
        low[i] = (first - m[i]) / d[i], high[i] = (-first - m[i]) / d[i];
    }
    bool hit = true;
    float tmin = low[0], tmax = high[0];
    for (int i = 1; i < 3; i++)
    {
        hit = tmin > high[i] || tmax < low[i] ? false : hit;
        tmin = low[i] > tmin ? low[i] : tmin, tmax = high[i] < tmax ? high[i] : tmax;
    }
    hit = hit && tmax >= 0.0f;
    *depth = hit ? clamp01(tmin * depth_scale) : 1.0f;
    return *depth < length_as_depth(edge, depth_scale);
}

bool stream_test(stream_kind kind, const stream_edge *edge, const stream_record *record, float depth_scale,
                 float *depth)
{
    switch (kind)
    {
    case STREAM_TRIANGLES: return test_triangle(edge, record, depth_scale, depth);
    case STREAM_BOXES: return test_box(edge, record, depth);
    case STREAM_PAIRS: return test_pair(edge, record, depth);
    case STREAM_PAIR_BOXES: return test_pair_box(edge, record, depth);
    case STREAM_PRINTED_TRIANGLES: return test_printed_triangle(edge, record, depth_scale, depth);
    default: return test_printed_box(edge, record, depth_scale, depth);
    }
}
