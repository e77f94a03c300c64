/* Distance between two triangles: the canonical kernel of the contract. Nine pairs of edges and six corners against
 * faces; every candidate is a pair of points on the triangles, so it can only be too large, and the smallest counts.
 *
 * Numbers are taken relative to one corner and scaled by a power of two so that the largest is near 1: nothing
 * overflows, and what underflows is far below the promised error, which docs/exactness.md derives. Lanes hold the three
 * edges or corners of one triangle and a copy of the first. */
#include "base/simd.h"
#include "narrow/distance.h"

#include <float.h>

enum
{
    LANES = 4
};

/* One triangle in local coordinates, by axis and corner; edge i goes from corner i to corner i + 1. */
typedef struct local_triangle
{
    double corner[3][LANES];
    double edge[3][LANES];
    double square[LANES];  /* of the edge's length */
    double inverse[LANES]; /* of square */
} local_triangle;

/* The nearest pair: squared distance and positions on the first and on the second triangle. */
typedef struct nearest
{
    double square;
    double p[3], q[3];
    unsigned corners_a, corners_b; /* that span the features they lie on */
} nearest;

typedef struct d4_vector
{
    d4 x, y, z;
} d4_vector;

static BASE_ALWAYS_INLINE d4_vector corners_of(const local_triangle *t)
{
    return (d4_vector){d4_loadu(t->corner[0]), d4_loadu(t->corner[1]), d4_loadu(t->corner[2])};
}
static BASE_ALWAYS_INLINE d4_vector edges_of(const local_triangle *t)
{
    return (d4_vector){d4_loadu(t->edge[0]), d4_loadu(t->edge[1]), d4_loadu(t->edge[2])};
}
static BASE_ALWAYS_INLINE d4_vector broadcast(double x, double y, double z)
{
    return (d4_vector){d4_set1(x), d4_set1(y), d4_set1(z)};
}
static BASE_ALWAYS_INLINE d4_vector subtract(d4_vector a, d4_vector b)
{
    return (d4_vector){d4_sub(a.x, b.x), d4_sub(a.y, b.y), d4_sub(a.z, b.z)};
}
/* a + s b */
static BASE_ALWAYS_INLINE d4_vector add_scaled(d4_vector a, d4 s, d4_vector b)
{
    return (d4_vector){d4_add(a.x, d4_mul(s, b.x)), d4_add(a.y, d4_mul(s, b.y)), d4_add(a.z, d4_mul(s, b.z))};
}
/* a - s b */
static BASE_ALWAYS_INLINE d4_vector subtract_scaled(d4_vector a, d4 s, d4_vector b)
{
    return (d4_vector){d4_sub(a.x, d4_mul(s, b.x)), d4_sub(a.y, d4_mul(s, b.y)), d4_sub(a.z, d4_mul(s, b.z))};
}
static BASE_ALWAYS_INLINE d4 dot(d4_vector a, d4_vector b)
{
    return d4_add(d4_add(d4_mul(a.x, b.x), d4_mul(a.y, b.y)), d4_mul(a.z, b.z));
}
static BASE_ALWAYS_INLINE d4_vector cross(d4_vector a, d4_vector b)
{
    return (d4_vector){d4_sub(d4_mul(a.y, b.z), d4_mul(a.z, b.y)), d4_sub(d4_mul(a.z, b.x), d4_mul(a.x, b.z)),
                       d4_sub(d4_mul(a.x, b.y), d4_mul(a.y, b.x))};
}
static BASE_ALWAYS_INLINE d4 clamp01(d4 x) { return d4_min(d4_max(x, d4_set1(0.0)), d4_set1(1.0)); }

/* Inverse of a square. If it is zero, so is what it is multiplied with. */
static const double SMALLEST_SQUARE = 0x1p-1000;
static BASE_ALWAYS_INLINE d4 inverse_of(d4 x) { return d4_div(d4_set1(1.0), d4_max(x, d4_set1(SMALLEST_SQUARE))); }

/* ---- edges against edges ---- */

/* Parameters and squared distances of one edge of a with each edge of b. */
typedef struct edge_row
{
    double square[LANES], s[LANES], t[LANES];
} edge_row;

/* The parameter where the lines are nearest comes from cross products, whose error shrinks with the angle as its effect
 * grows; then each parameter in turn is optimised for the other. */
static BASE_ALWAYS_INLINE void edges_against(const local_triangle *a, int i, const local_triangle *b, edge_row *row)
{
    d4_vector p = broadcast(a->corner[0][i], a->corner[1][i], a->corner[2][i]);
    d4_vector d = broadcast(a->edge[0][i], a->edge[1][i], a->edge[2][i]), e = edges_of(b);
    d4_vector r = subtract(corners_of(b), p), normal = cross(d, e);
    d4 s = clamp01(d4_mul(dot(cross(r, e), normal), inverse_of(dot(normal, normal))));
    /* t = (s d - r) . e / e . e */
    d4 back = dot(subtract_scaled(r, s, d), e);
    d4 t = clamp01(d4_mul(d4_sub(d4_set1(0.0), back), d4_loadu(b->inverse)));
    d4_vector to_b = add_scaled(r, t, e);
    s = clamp01(d4_mul(dot(to_b, d), d4_set1(a->inverse[i])));
    d4_vector w = subtract_scaled(to_b, s, d);
    d4_storeu(row->square, dot(w, w));
    d4_storeu(row->s, s);
    d4_storeu(row->t, t);
}

/* ---- corners against faces ---- */

/* A face with its longest edge as base; up is the part of another edge at right angles to it. */
typedef struct face
{
    double origin[3], base[3], side[3], up[3];
    double inverse_base, inverse_up;
} face;

static inline face face_of(const local_triangle *t)
{
    int longest = t->square[1] > t->square[0] ? 1 : 0;
    longest = t->square[2] > t->square[longest] ? 2 : longest;
    int last = longest == 0 ? 2 : longest - 1;
    face f = {.inverse_base = t->inverse[longest]};
    for (int k = 0; k < 3; k++)
        f.origin[k] = t->corner[k][longest], f.base[k] = t->edge[k][longest], f.side[k] = -t->edge[k][last];
    double share = ((f.side[0] * f.base[0] + f.side[1] * f.base[1]) + f.side[2] * f.base[2]) * f.inverse_base;
    for (int k = 0; k < 3; k++)
        f.up[k] = f.side[k] - share * f.base[k];
    double square = (f.up[0] * f.up[0] + f.up[1] * f.up[1]) + f.up[2] * f.up[2];
    f.inverse_up = 1.0 / (square > SMALLEST_SQUARE ? square : SMALLEST_SQUARE);
    return f;
}

/* Weights of side and base under each corner, the smallest weight of the face's corners, and the squared distance. */
typedef struct face_row
{
    double square[LANES], min_weight[LANES], u[LANES], v[LANES];
} face_row;

static BASE_ALWAYS_INLINE void corners_against(const local_triangle *t, const face *f, face_row *row)
{
    d4_vector origin = broadcast(f->origin[0], f->origin[1], f->origin[2]);
    d4_vector base = broadcast(f->base[0], f->base[1], f->base[2]);
    d4_vector side = broadcast(f->side[0], f->side[1], f->side[2]), up = broadcast(f->up[0], f->up[1], f->up[2]);
    d4 inverse_base = d4_set1(f->inverse_base);
    d4_vector r = subtract(corners_of(t), origin);
    /* without its part along the base first: what is left is small where the face is thin */
    d4_vector across = subtract_scaled(r, d4_mul(dot(r, base), inverse_base), base);
    d4 v = d4_mul(dot(across, up), d4_set1(f->inverse_up));
    d4_vector rest = subtract_scaled(r, v, side);
    d4 u = d4_mul(dot(rest, base), inverse_base);
    d4_vector w = subtract_scaled(rest, u, base);
    d4_storeu(row->square, dot(w, w));
    d4_storeu(row->min_weight, d4_min(d4_min(u, v), d4_sub(d4_set1(1.0), d4_add(u, v))));
    d4_storeu(row->u, u);
    d4_storeu(row->v, v);
}

/* ---- the smallest ---- */

typedef struct candidates
{
    edge_row edges[3];
    face_row corners[2]; /* of a above b's face, of b above a's */
    face faces[2];       /* of b, of a */
} candidates;

/* Edge pairs are 0 to 8, corners 9 to 14. A corner counts only above the inside of the face; elsewhere some edge is as
 * near. */
static inline int smallest_of(const candidates *set, double *square)
{
    int which = 0;
    double smallest = set->edges[0].square[0];
    for (int n = 1; n < 9; n++)
    {
        double candidate = set->edges[n / 3].square[n % 3];
        which = candidate < smallest ? n : which;
        smallest = candidate < smallest ? candidate : smallest;
    }
    for (int n = 0; n < 6; n++)
    {
        const face_row *row = &set->corners[n / 3];
        double candidate = row->min_weight[n % 3] > 0.0 ? row->square[n % 3] : INFINITY;
        which = candidate < smallest ? n + 9 : which;
        smallest = candidate < smallest ? candidate : smallest;
    }
    *square = smallest;
    return which;
}

/* The end or the two ends of edge i at this share of it. */
static inline unsigned ends_at(int i, double share)
{
    unsigned start = 1u << i, end = 1u << (i + 1) % 3;
    return (share < 1.0 ? start : 0u) | (share > 0.0 ? end : 0u);
}

static inline nearest nearest_points(const local_triangle *a, const local_triangle *b)
{
    candidates set;
    for (int i = 0; i < 3; i++)
        edges_against(a, i, b, &set.edges[i]);
    set.faces[0] = face_of(b), set.faces[1] = face_of(a);
    corners_against(a, &set.faces[0], &set.corners[0]);
    corners_against(b, &set.faces[1], &set.corners[1]);
    nearest best;
    int which = smallest_of(&set, &best.square);
    if (which < 9)
    {
        int i = which / 3, j = which % 3;
        for (int k = 0; k < 3; k++)
        {
            best.p[k] = a->corner[k][i] + set.edges[i].s[j] * a->edge[k][i];
            best.q[k] = b->corner[k][j] + set.edges[i].t[j] * b->edge[k][j];
        }
        best.corners_a = ends_at(i, set.edges[i].s[j]), best.corners_b = ends_at(j, set.edges[i].t[j]);
        return best;
    }
    bool corner_of_b = which >= 12;
    int i = which % 3;
    const face_row *row = &set.corners[corner_of_b];
    const face *f = &set.faces[corner_of_b];
    for (int k = 0; k < 3; k++)
    {
        double on_face = f->origin[k] + (row->v[i] * f->side[k] + row->u[i] * f->base[k]);
        double corner = (corner_of_b ? b : a)->corner[k][i];
        best.p[k] = corner_of_b ? on_face : corner;
        best.q[k] = corner_of_b ? corner : on_face;
    }
    best.corners_a = corner_of_b ? 7u : 1u << i, best.corners_b = corner_of_b ? 1u << i : 7u;
    return best;
}

/* ---- the whole ---- */

/* The power of two that brings a number to [1, 2), if it is not below 2^-983. */
static inline double scale_for(double largest)
{
    uint64_t bits;
    memcpy(&bits, &largest, sizeof bits);
    uint64_t exponent = bits >> 52;
    exponent = exponent < 40 ? 40 : exponent; /* keeps the scale and its inverse finite */
    bits = (2046 - exponent) << 52;
    double scale;
    memcpy(&scale, &bits, sizeof scale);
    return scale;
}

/* Differences from the origin; returns the largest. */
static inline double set_corners(local_triangle *to, const narrow_triangle *from, carom_vec3 origin)
{
    double largest = 0.0;
    for (int i = 0; i < 3; i++)
    {
        carom_vec3 r = vec3_sub(from->corner[i], origin);
        to->corner[0][i] = r.x, to->corner[1][i] = r.y, to->corner[2][i] = r.z;
        largest = fabs(r.x) > largest ? fabs(r.x) : largest;
        largest = fabs(r.y) > largest ? fabs(r.y) : largest;
        largest = fabs(r.z) > largest ? fabs(r.z) : largest;
    }
    return largest;
}

static inline void scale_and_fill(local_triangle *t, double scale)
{
    for (int k = 0; k < 3; k++)
    {
        double *c = t->corner[k], *e = t->edge[k];
        c[0] *= scale, c[1] *= scale, c[2] *= scale, c[3] = c[0];
        e[0] = c[1] - c[0], e[1] = c[2] - c[1], e[2] = c[0] - c[2], e[3] = e[0];
    }
    d4_vector edge = edges_of(t);
    d4 square = dot(edge, edge);
    d4_storeu(t->square, square);
    d4_storeu(t->inverse, inverse_of(square));
}

/* Does the plane across the nearest points certainly keep the triangles apart? Numbers are at most 2, so a projection
 * errs by less than 10 2^-53 times |w|, the rounding of local coordinates included. */
static inline bool certainly_apart(const local_triangle *a, const local_triangle *b, const nearest *best)
{
    double wx = best->q[0] - best->p[0], wy = best->q[1] - best->p[1], wz = best->q[2] - best->p[2];
    double height_a[LANES], height_b[LANES];
    d4_vector w = broadcast(wx, wy, wz);
    d4_storeu(height_a, dot(w, corners_of(a)));
    d4_storeu(height_b, dot(w, corners_of(b)));
    double highest_a = height_a[0] > height_a[1] ? height_a[0] : height_a[1];
    double lowest_b = height_b[0] < height_b[1] ? height_b[0] : height_b[1];
    highest_a = height_a[2] > highest_a ? height_a[2] : highest_a;
    lowest_b = height_b[2] < lowest_b ? height_b[2] : lowest_b;
    double largest = fabs(wx) + fabs(wy) + fabs(wz);
    return lowest_b - highest_a > 0x1p-46 * largest && largest > 0x1p-200;
}

/* What the estimate may be off by: docs/exactness.md, section 6. */
static inline double error_of(double largest) { return NARROW_DISTANCE_ERROR * largest + 0x1p-1020; }

narrow_distance_result BASE_ISA(distance_of_sorted)(const narrow_triangle *a, const narrow_triangle *b,
                                                    narrow_counts *counts)
{
    carom_vec3 origin = a->corner[0];
    local_triangle local_a, local_b;
    double largest_a = set_corners(&local_a, a, origin), largest_b = set_corners(&local_b, b, origin);
    double largest = largest_a > largest_b ? largest_a : largest_b, scale = scale_for(largest), unit = 1.0 / scale;
    scale_and_fill(&local_a, scale);
    scale_and_fill(&local_b, scale);
    nearest best = nearest_points(&local_a, &local_b);
    if (BASE_UNLIKELY(!certainly_apart(&local_a, &local_b, &best)))
    {
        carom_vec3 common[6];
        if (narrow_contact(a, b, common, counts) > 0)
            return (narrow_distance_result){.point_a = common[0], .point_b = common[0]};
    }
    double distance = sqrt(best.square) * unit, below_rounding = 0x1p-80 * largest;
    return (narrow_distance_result){
        distance > 0.0         ? distance
        : below_rounding > 0.0 ? below_rounding
                               : DBL_TRUE_MIN,
        vec3(origin.x + best.p[0] * unit, origin.y + best.p[1] * unit, origin.z + best.p[2] * unit),
        vec3(origin.x + best.q[0] * unit, origin.y + best.q[1] * unit, origin.z + best.q[2] * unit),
        error_of(largest),
        best.corners_a,
        best.corners_b};
}
