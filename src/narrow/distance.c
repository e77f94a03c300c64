/* Distance of two triangles: the canonical kernel of the contract. Nine pairs of edges and six corners against faces;
 * every candidate is a pair of points on the triangles, so it can only be too large, and the smallest counts.
 *
 * Numbers are taken relative to one corner and scaled by a power of two so that the largest is near 1: nothing
 * overflows, and what underflows is far below the promised error. Corners and triangles are first put into
 * lexicographic order, so the same bits come out for every order of the arguments and of their corners. The error is
 * derived in docs/exactness.md. */
#include "narrow/shape.h"

#include <float.h>

/* One triangle in local coordinates. */
typedef struct local_triangle
{
    double corner[3][3];
    double edge[3][3];        /* from corner i to corner i + 1 */
    double inverse_square[3]; /* 1 / |edge|^2, 0 for an edge of no length */
} local_triangle;

/* The nearest pair so far, as squared distance and positions. */
typedef struct nearest
{
    double square;
    double p[3], q[3]; /* on the first and on the second triangle */
} nearest;

static inline double dot3(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static inline double clamp01(double x)
{
    x = x > 0.0 ? x : 0.0;
    return x < 1.0 ? x : 1.0;
}

static void fill_edges(local_triangle *t)
{
    for (int i = 0; i < 3; i++)
    {
        for (int k = 0; k < 3; k++)
            t->edge[i][k] = t->corner[(i + 1) % 3][k] - t->corner[i][k];
        double square = dot3(t->edge[i], t->edge[i]);
        t->inverse_square[i] = square > 0.0 ? 1.0 / square : 0.0;
    }
}

/* ---- candidates ---- */

/* Edges i of a and j of b. The parameter where the lines are nearest comes from cross products, whose error shrinks
 * with the angle as the harm done by it grows; then each parameter in turn is the best for the other. */
static inline void try_edges(const local_triangle *a, const local_triangle *b, int i, int j, nearest *best)
{
    const double *p = a->corner[i], *q = b->corner[j], *d = a->edge[i], *e = b->edge[j];
    double r[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
    double n[3] = {d[1] * e[2] - d[2] * e[1], d[2] * e[0] - d[0] * e[2], d[0] * e[1] - d[1] * e[0]};
    double m[3] = {r[1] * e[2] - r[2] * e[1], r[2] * e[0] - r[0] * e[2], r[0] * e[1] - r[1] * e[0]};
    double square = dot3(n, n);
    double s = square > 0.0 ? clamp01(dot3(m, n) / square) : 0.0;
    double along[3] = {s * d[0] - r[0], s * d[1] - r[1], s * d[2] - r[2]};
    double t = clamp01(dot3(along, e) * b->inverse_square[j]);
    double back[3] = {t * e[0] + r[0], t * e[1] + r[1], t * e[2] + r[2]};
    s = clamp01(dot3(back, d) * a->inverse_square[i]);
    double w[3] = {back[0] - s * d[0], back[1] - s * d[1], back[2] - s * d[2]};
    double candidate = dot3(w, w);
    if (candidate < best->square)
    {
        best->square = candidate;
        for (int k = 0; k < 3; k++)
            best->p[k] = p[k] + s * d[k], best->q[k] = q[k] + t * e[k];
    }
}

/* A face with its longest edge as base; up is the part of the second edge at right angles to it. */
typedef struct face
{
    const double *origin, *base;
    double side[3], up[3];
    double inverse_base, inverse_up; /* 1 / square; inverse_up is 0 for a face of no area */
} face;

static face face_of(const local_triangle *t)
{
    int longest = 0;
    for (int i = 1; i < 3; i++)
        if (dot3(t->edge[i], t->edge[i]) > dot3(t->edge[longest], t->edge[longest]))
            longest = i;
    face f = {.origin = t->corner[longest], .base = t->edge[longest], .inverse_base = t->inverse_square[longest]};
    const double *last = t->edge[(longest + 2) % 3];
    for (int k = 0; k < 3; k++)
        f.side[k] = -last[k];
    double share = dot3(f.side, f.base) * f.inverse_base;
    for (int k = 0; k < 3; k++)
        f.up[k] = f.side[k] - share * f.base[k];
    double square = dot3(f.up, f.up);
    f.inverse_up = square > 0.0 ? 1.0 / square : 0.0;
    return f;
}

/* A corner above the inside of a face; elsewhere an edge is as near. on_face gets the point's place. */
static inline double try_corner(const face *f, const double point[3], double on_face[3])
{
    double r[3] = {point[0] - f->origin[0], point[1] - f->origin[1], point[2] - f->origin[2]};
    double share = dot3(r, f->base) * f->inverse_base;
    double rest[3] = {r[0] - share * f->base[0], r[1] - share * f->base[1], r[2] - share * f->base[2]};
    double v = dot3(rest, f->up) * f->inverse_up;
    double above[3] = {r[0] - v * f->side[0], r[1] - v * f->side[1], r[2] - v * f->side[2]};
    double u = dot3(above, f->base) * f->inverse_base;
    double w[3] = {above[0] - u * f->base[0], above[1] - u * f->base[1], above[2] - u * f->base[2]};
    for (int k = 0; k < 3; k++)
        on_face[k] = f->origin[k] + (v * f->side[k] + u * f->base[k]);
    return u >= 0.0 && v > 0.0 && u + v <= 1.0 ? dot3(w, w) : INFINITY;
}

static nearest nearest_points(const local_triangle *a, const local_triangle *b)
{
    nearest best = {INFINITY, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            try_edges(a, b, i, j, &best);
    face face_a = face_of(a), face_b = face_of(b);
    for (int i = 0; i < 3; i++)
    {
        double place[3], square = try_corner(&face_b, a->corner[i], place);
        if (square < best.square)
        {
            best.square = square;
            memcpy(best.p, a->corner[i], sizeof best.p);
            memcpy(best.q, place, sizeof place);
        }
    }
    for (int i = 0; i < 3; i++)
    {
        double place[3], square = try_corner(&face_a, b->corner[i], place);
        if (square < best.square)
        {
            best.square = square;
            memcpy(best.q, b->corner[i], sizeof best.q);
            memcpy(best.p, place, sizeof place);
        }
    }
    return best;
}

/* ---- the whole ---- */

/* Largest |value| to a power of two: multiplying by *scale brings it to [1, 2), unless it is zero or far below 1. */
static double scale_for(double largest)
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

/* Does the plane across the nearest points certainly keep the triangles apart? Error of a projection: below 8 2^-53
 * times |w| for numbers of at most 4. */
static bool certainly_apart(const local_triangle *a, const local_triangle *b, const nearest *best)
{
    double w[3] = {best->q[0] - best->p[0], best->q[1] - best->p[1], best->q[2] - best->p[2]};
    double highest_a = -INFINITY, lowest_b = INFINITY;
    for (int i = 0; i < 3; i++)
    {
        double height_a = dot3(w, a->corner[i]), height_b = dot3(w, b->corner[i]);
        highest_a = height_a > highest_a ? height_a : highest_a;
        lowest_b = height_b < lowest_b ? height_b : lowest_b;
    }
    double largest = fabs(w[0]) + fabs(w[1]) + fabs(w[2]);
    return lowest_b - highest_a > 0x1p-46 * largest && largest > 0x1p-200;
}

static narrow_distance_result distance_of_sorted(const narrow_triangle *a, const narrow_triangle *b,
                                                 narrow_counts *counts)
{
    carom_vec3 origin = a->corner[0];
    const narrow_triangle *both[2] = {a, b};
    local_triangle local[2];
    double largest = 0.0;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < 3; i++)
        {
            carom_vec3 r = vec3_sub(both[side]->corner[i], origin);
            double *to = local[side].corner[i];
            to[0] = r.x, to[1] = r.y, to[2] = r.z;
            for (int k = 0; k < 3; k++)
                largest = fabs(to[k]) > largest ? fabs(to[k]) : largest;
        }
    double scale = scale_for(largest);
    for (int side = 0; side < 2; side++)
    {
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                local[side].corner[i][k] *= scale;
        fill_edges(&local[side]);
    }
    nearest best = nearest_points(&local[0], &local[1]);
    if (!certainly_apart(&local[0], &local[1], &best))
    {
        carom_vec3 common[6];
        if (narrow_contact(a, b, common, counts) > 0)
            return (narrow_distance_result){0.0, common[0], common[0]};
    }
    double distance = sqrt(best.square) / scale;
    return (narrow_distance_result){
        distance > 0.0 ? distance : DBL_TRUE_MIN,
        vec3(origin.x + best.p[0] / scale, origin.y + best.p[1] / scale, origin.z + best.p[2] / scale),
        vec3(origin.x + best.q[0] / scale, origin.y + best.q[1] / scale, origin.z + best.q[2] / scale)};
}

narrow_distance_result narrow_distance(const narrow_triangle *a, const narrow_triangle *b, narrow_counts *counts)
{
    narrow_triangle sorted_a = *a, sorted_b = *b;
    shape_sort3(sorted_a.corner);
    shape_sort3(sorted_b.corner);
    int order = 0;
    for (int i = 0; i < 3 && order == 0; i++)
        order = shape_compare(sorted_a.corner[i], sorted_b.corner[i]);
    if (order <= 0)
        return distance_of_sorted(&sorted_a, &sorted_b, counts);
    narrow_distance_result swapped = distance_of_sorted(&sorted_b, &sorted_a, counts);
    return (narrow_distance_result){swapped.distance, swapped.point_b, swapped.point_a};
}
