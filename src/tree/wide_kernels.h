/* Kernels that the walks over wide trees share. Included only by wide_*_simd.c. */
#ifndef TREE_WIDE_KERNELS_H
#define TREE_WIDE_KERNELS_H

#include "base/simd.h"
#include "tree/wide.h"

static const float UNIT = 0x1p-24f; /* unit roundoff of float */

/* A box of one tree as the other tree's frame sees it. */
typedef struct moved_box
{
    float centre[3], half[3], axis[3][3];
    float lengths; /* away from the origin, plus the halves, plus the unit of its own tree: what rounding grows with */
    float edge_margin; /* rounding of the edge tests that growing does not cover */
} moved_box;

/* Exact but for rounding, which grow_box or grow_for_distance cover. */
static inline void move_box(const wide_tree *tree, wide_slot slot, const wide_transform *t, moved_box *out)
{
    const wide_node *node = &tree->nodes[slot >> 3];
    uint32_t lane = slot & 7;
    float c[3] = {node->centre[0][lane], node->centre[1][lane], node->centre[2][lane]};
    float size = 0.0f, away = 0.0f;
    for (int j = 0; j < 3; j++)
    {
        const float *s = t->scaled + 3 * j;
        out->centre[j] = s[0] * c[0] + s[1] * c[1] + s[2] * c[2] + t->translation[j];
        away += fabsf(out->centre[j]);
    }
    for (int k = 0; k < 3; k++)
    {
        float x = node->axis[k][0][lane], y = node->axis[k][1][lane], z = node->axis[k][2][lane];
        for (int j = 0; j < 3; j++)
        {
            const float *r = t->rotation + 3 * j;
            out->axis[k][j] = r[0] * x + r[1] * y + r[2] * z;
        }
        out->half[k] = node->half[k][lane] * t->ratio;
        size += out->half[k];
    }
    out->lengths = away + size + t->ratio;
}

/* Rounding of everything that enters a test of boxes, in the target's units, where coordinates are at most 1: what a
 * moved box grows by, and what the edge axes, which are not unit vectors, need in addition. Derived in
 * docs/exactness.md. */
static const float MOVE_ROUNDING = 12.0f * 0x1p-24f, FACE_LENGTHS = 2.5f, EDGE_ROUNDING = 62.0f * 0x1p-24f;

/* Rounding of the gap along any direction. */
static const float DISTANCE_ROUNDING = 17.0f * 0x1p-24f, DISTANCE_LENGTHS = 1.9f;

/* margin: placement pad plus clearance, in target units. */
static inline void grow_box(moved_box *box, float margin)
{
    float grow = margin * (1.0f + 0x1p-18f) + MOVE_ROUNDING * (box->lengths + FACE_LENGTHS);
    for (int k = 0; k < 3; k++)
        box->half[k] += grow;
    box->edge_margin = EDGE_ROUNDING;
}

static inline void grow_for_distance(moved_box *box, float margin)
{
    float grow = margin * (1.0f + 0x1p-18f) + DISTANCE_ROUNDING * (box->lengths + DISTANCE_LENGTHS);
    for (int k = 0; k < 3; k++)
        box->half[k] += grow;
}

static inline float slot_size(const wide_tree *tree, wide_slot slot)
{
    const wide_node *node = &tree->nodes[slot >> 3];
    uint32_t lane = slot & 7;
    return node->half[0][lane] + node->half[1][lane] + node->half[2][lane];
}

/* A leaf's triangles in the common frame: corners, edges, normals, edge moments, four lanes each. */
typedef struct leaf_lines
{
    f8 corner[3][3], edge[3][3], normal[3], moment[3][3];
} leaf_lines;

static BASE_ALWAYS_INLINE void cross(const f8 a[3], const f8 b[3], f8 out[3])
{
    out[0] = f8_msub(a[1], b[2], f8_mul(a[2], b[1]));
    out[1] = f8_msub(a[2], b[0], f8_mul(a[0], b[2]));
    out[2] = f8_msub(a[0], b[1], f8_mul(a[1], b[0]));
}

static BASE_ALWAYS_INLINE f8 dot(const f8 a[3], const f8 b[3])
{
    return f8_madd(a[0], b[0], f8_madd(a[1], b[1], f8_mul(a[2], b[2])));
}

static BASE_ALWAYS_INLINE void find_edges(leaf_lines *l)
{
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++)
            l->edge[c][k] = f8_sub(l->corner[(c + 1) % 3][k], l->corner[c][k]);
    cross(l->edge[0], l->edge[1], l->normal);
}

static BASE_ALWAYS_INLINE void find_moments(leaf_lines *l)
{
    for (int c = 0; c < 3; c++)
        cross(l->corner[c], l->edge[c], l->moment[c]);
}

/* Beyond this reach, in units of A, products could overflow: everything is left open. */
static const float MAX_REACH = 0x1p20f;

/* Distances of corners from a plane through `on` with normal n, then the smallest and largest. */
static BASE_ALWAYS_INLINE f8 plane_gap(const f8 n[3], const f8 on[3], f8 corner[3][3], f8 distance[3])
{
    f8 offset = dot(n, on);
    for (int c = 0; c < 3; c++)
        distance[c] = f8_sub(dot(n, corner[c]), offset);
    f8 low = f8_min(distance[0], f8_min(distance[1], distance[2]));
    f8 high = f8_max(distance[0], f8_max(distance[1], distance[2]));
    return f8_max(low, f8_neg(high)); /* > 0: all on one side; < 0: they straddle */
}

/* Where B's leaf frame lies in A's; returns the largest distance of a corner from A's origin. */
static BASE_ALWAYS_INLINE float leaf_offset(const wide_transform *t, const wide_leaf *a, const wide_leaf *b,
                                            float offset[3])
{
    double square = 0.0;
    for (int j = 0; j < 3; j++)
    {
        const double *s = t->exact_scaled + 3 * j;
        double o = s[0] * (double)b->origin[0] + s[1] * (double)b->origin[1] + s[2] * (double)b->origin[2] +
                   t->exact_translation[j] - (double)a->origin[j];
        offset[j] = (float)o;
        square += o * o;
    }
    float reach_b = (float)sqrt(square) + t->ratio * b->radius;
    return a->radius > reach_b ? a->radius : reach_b;
}

/* B's triangles in A's leaf frame; returns the largest distance of a corner from A's origin. */
static BASE_ALWAYS_INLINE float place_b(const wide_pair *pair, const wide_leaf *a, const wide_leaf *b, leaf_lines *out)
{
    const wide_transform *t = &pair->b_to_a;
    float offset[3], reach = leaf_offset(t, a, b, offset);
    for (int c = 0; c < 3; c++)
    {
        f8 x = f8_twice(b->corner[c][0]), y = f8_twice(b->corner[c][1]), z = f8_twice(b->corner[c][2]);
        for (int j = 0; j < 3; j++)
        {
            const float *s = t->scaled + 3 * j;
            out->corner[c][j] =
                f8_madd(x, f8_set1(s[0]), f8_madd(y, f8_set1(s[1]), f8_madd(z, f8_set1(s[2]), f8_set1(offset[j]))));
        }
    }
    return reach;
}

/* Error bound of every triple product of two leaves' coordinates and edges; infinity: none. Derived in
 * docs/exactness.md. */
static BASE_ALWAYS_INLINE float triple_product_error(const wide_pair *pair, const wide_leaf *a, const wide_leaf *b,
                                                     float reach)
{
    if (!(reach < MAX_REACH))
        return INFINITY;
    float edge_b = pair->b_to_a.ratio * b->longest;
    float edge = a->longest > edge_b ? a->longest : edge_b;
    return edge * reach * (UNIT * (44.0f * reach + 50.0f * edge)) +
           pair->b_to_a.pad * edge * (2.0f * edge + 4.5f * reach) + 0x1p-120f;
}

/* Error bound of the lengths and gaps computed from two leaves; infinity: none. Derived in docs/exactness.md. */
static BASE_ALWAYS_INLINE float distance_error(const wide_pair *pair, float reach)
{
    return reach < MAX_REACH ? 31.0f * UNIT * reach + pair->b_to_a.pad : INFINITY;
}

/* ---- nearest points ---- */

/* Nearest so far: squared length and the vector from A's point to B's. */
typedef struct nearest
{
    f8 square, v[3];
} nearest;

static BASE_ALWAYS_INLINE void keep_nearer(nearest *best, const f8 v[3])
{
    f8 square = dot(v, v);
    f8 better = f8_lt(square, best->square);
    best->square = f8_select(better, square, best->square);
    for (int k = 0; k < 3; k++)
        best->v[k] = f8_select(better, v[k], best->v[k]);
}

static BASE_ALWAYS_INLINE f8 unit_clamp(f8 value) { return f8_min(f8_max(value, f8_zero()), f8_set1(1.0f)); }

/* Closest points of segments p + s e and q + t f, s and t in [0, 1]; ee, ff: squared lengths, at least tiny. */
static BASE_ALWAYS_INLINE void segment_pair(const f8 p[3], const f8 e[3], f8 ee, const f8 q[3], const f8 f[3], f8 ff,
                                            nearest *best)
{
    f8 r[3] = {f8_sub(q[0], p[0]), f8_sub(q[1], p[1]), f8_sub(q[2], p[2])};
    f8 ef = dot(e, f), er = dot(e, r), fr = dot(f, r);
    f8 determinant = f8_max(f8_msub(ee, ff, f8_mul(ef, ef)), f8_mul(f8_set1(1e-6f), f8_mul(ee, ff)));
    f8 s = unit_clamp(f8_div(f8_msub(er, ff, f8_mul(ef, fr)), determinant));
    f8 t = unit_clamp(f8_div(f8_msub(ef, s, fr), ff));
    s = unit_clamp(f8_div(f8_madd(ef, t, er), ee));
    f8 v[3];
    for (int k = 0; k < 3; k++)
        v[k] = f8_nmadd(e[k], s, f8_madd(f[k], t, r[k]));
    keep_nearer(best, v);
}

/* Lists the lanes that are alive, largest key first. */
static inline uint32_t order_lanes(uint32_t alive, const float key[8], uint32_t lanes[8])
{
    uint32_t n = 0;
    for (; alive; alive &= alive - 1)
    {
        uint32_t lane = (uint32_t)__builtin_ctz(alive), at = n++;
        for (; at > 0 && key[lanes[at - 1]] < key[lane]; at--)
            lanes[at] = lanes[at - 1];
        lanes[at] = lane;
    }
    return n;
}

#endif
