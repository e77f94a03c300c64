/* Attacks the error bound of distances in double (docs/exactness.md, section 6): the kernel as a model of itself in
 * which an adversary chooses the direction of every rounding, from the corners' own to the last. It shows how far
 * roundings may carry a candidate, and so how much the constant leaves for what first orders do not show. */
#define CAROM_ISA model
#define CAROM_ISA_SCALAR
#define BASE_SIMD_H /* the model takes its place */
#include "support/climb.h"
#include "support/double_model.h"

/* ---- the vocabulary: one lane that notes its operations ---- */

typedef traced d4;

enum
{
    KNOWN = 32,
    STORED = 8
};

/* Numbers with operations behind them: b's are loaded, so their addresses tell, a's are told by their values. */
static struct
{
    const double *at[KNOWN];
    traced number[KNOWN], stored[STORED];
    int count, stored_count;
    bool ambiguous;
} known;

static void begin_model(void)
{
    trace_begin();
    known.count = known.stored_count = 0;
    known.ambiguous = false;
}

static void know(double *at, traced number)
{
    *at = number.value;
    for (int i = 0; i < known.count; i++)
        known.ambiguous |= known.number[i].value == number.value;
    known.ambiguous |= number.value == 0.0 || number.value == 1.0;
    known.at[known.count] = at, known.number[known.count++] = number;
}

static d4 d4_loadu(const double *p)
{
    for (int i = 0; i < known.count; i++)
        if (known.at[i] == p)
            return known.number[i];
    return traced_exact(*p);
}
static d4 d4_set1(double x)
{
    for (int i = 0; i < known.count; i++)
        if (known.number[i].value == x)
            return known.number[i];
    return traced_exact(x);
}
static void d4_storeu(double *p, d4 x)
{
    p[0] = p[1] = p[2] = p[3] = x.value;
    if (known.stored_count < STORED)
        known.stored[known.stored_count++] = x;
}
static d4 d4_add(d4 a, d4 b) { return traced_add(a, b); }
static d4 d4_sub(d4 a, d4 b) { return traced_subtract(a, b); }
static d4 d4_mul(d4 a, d4 b) { return traced_multiply(a, b); }
static d4 d4_div(d4 a, d4 b) { return traced_divide(a, b); }
static d4 d4_min(d4 a, d4 b) { return a.value < b.value ? a : b; }
static d4 d4_max(d4 a, d4 b) { return a.value > b.value ? a : b; }

#include "narrow/distance_simd.c" /* NOLINT(bugprone-suspicious-include): its static functions are what is tested */

/* ---- triangles ---- */

/* Not at a clamp: first orders are those of one of its sides. */
static bool is_inside(double share) { return share > 0x1p-20 && share < 1.0 - 0x1p-20; }

/* A corner, seen from the origin: one rounding. */
static void make_corner(const double *n, traced corner[3])
{
    for (int k = 0; k < 3; k++)
        corner[k] = traced_input(n[k], trace_rounding(n[k]));
}

static double largest_of(const double *n, int count)
{
    double largest = 0.0;
    for (int i = 0; i < count; i++)
        largest = fmax(largest, fabs(n[i]));
    return largest;
}

/* Edge i of a triangle between two corners, as scale_and_fill makes it. */
static void make_edge(local_triangle *t, int i, const double *n)
{
    traced from[3], to[3], edge[3];
    make_corner(n, from), make_corner(n + 3, to);
    for (int k = 0; k < 3; k++)
    {
        edge[k] = traced_subtract(to[k], from[k]);
        know(&t->corner[k][i], from[k]);
        know(&t->edge[k][i], edge[k]);
    }
    traced square = traced_dot(edge, edge);
    if (!(square.value > 0x1p-40))
        known.ambiguous = true;
    know(&t->inverse[i], traced_divide(traced_exact(1.0), square));
}

/* The way between the points, from the operations of its square. */
static void way_of(traced square, traced way[3])
{
    const traced_step *last = &trace.step[square.step], *first = &trace.step[last->from[0]];
    const int product[3] = {first->from[0], first->from[1], last->from[1]};
    for (int k = 0; k < 3; k++)
        way[k] = (traced){0.0, trace.step[product[k]].from[0]};
}

/* What a candidate may be off by, in units of the bound. apart: its length; otherwise the points should be the same,
 * and the way between them along some direction is what the length grows by. */
static double candidate_ratio(traced square, bool apart, const double *direction, double largest)
{
    if (known.ambiguous || !(largest > 0x1p-10))
        return 0.0;
    double length = sqrt(square.value), size = 0.0;
    if (apart)
        return length > 0x1p-20 * largest
                   ? (traced_worst(square) / (2.0 * length) + trace_rounding(length)) / error_of(largest)
                   : 0.0;
    traced way[3], sum = traced_exact(0.0);
    way_of(square, way);
    for (int k = 0; k < 3; k++)
        size += direction[k] * direction[k];
    if (!(size > 0x1p-20) || length > 0x1p-44 * largest)
        return 0.0;
    for (int k = 0; k < 3; k++)
        sum = traced_operation(sum, way[k], (double[2]){1.0, direction[k] / sqrt(size)}, 0.0, false);
    return traced_worst(sum) / error_of(largest);
}

/* numbers: the ends of two edges. */
static double edges_ratio(const double *n, bool apart, const double *direction)
{
    local_triangle a = {.square = {0.0}}, b = {.square = {0.0}};
    edge_row row;
    begin_model();
    make_edge(&a, 1, n);
    make_edge(&b, 0, n + 6);
    edges_against(&a, 1, &b, &row);
    return candidate_ratio(known.stored[0], apart, direction, largest_of(n, 12));
}

static double edges_apart(const double *n) { return edges_ratio(n, true, NULL); }

/* numbers: the ends of an edge, the direction of another, their shares at the crossing, a direction. */
static double edges_crossing(const double *n)
{
    double ends[12], s = n[9], t = n[10];
    if (!is_inside(s) || !is_inside(t))
        return 0.0;
    memcpy(ends, n, 6 * sizeof *n);
    for (int k = 0; k < 3; k++)
    {
        ends[6 + k] = n[k] + s * (n[3 + k] - n[k]) - t * n[6 + k];
        ends[9 + k] = ends[6 + k] + n[6 + k];
    }
    return edges_ratio(ends, false, n + 11);
}

static void know_three(double to[3], const traced from[3])
{
    for (int k = 0; k < 3; k++)
        know(&to[k], from[k]);
}

/* A face as face_of makes it; numbers: its corners, the first edge being the longest. */
static bool make_face(const double *n, face *f)
{
    traced corner[3][3], base[3], side[3], up[3];
    for (int i = 0; i < 3; i++)
        make_corner(n + 3 * i, corner[i]);
    double rest = 0.0;
    for (int k = 0; k < 3; k++)
    {
        base[k] = traced_subtract(corner[1][k], corner[0][k]), side[k] = traced_subtract(corner[2][k], corner[0][k]);
        rest += (n[6 + k] - n[3 + k]) * (n[6 + k] - n[3 + k]);
    }
    traced square = traced_dot(base, base), inverse = traced_divide(traced_exact(1.0), square);
    if (!(square.value > 0x1p-40) || square.value < rest || square.value < traced_dot(side, side).value)
        return false;
    traced share = traced_multiply(traced_dot(side, base), inverse);
    for (int k = 0; k < 3; k++)
        up[k] = traced_subtract(side[k], traced_multiply(share, base[k]));
    traced height = traced_dot(up, up);
    if (!(height.value > 0x1p-20 * square.value))
        return false;
    know_three(f->origin, corner[0]), know_three(f->base, base), know_three(f->side, side), know_three(f->up, up);
    know(&f->inverse_base, inverse);
    know(&f->inverse_up, traced_divide(traced_exact(1.0), height));
    return true;
}

/* numbers: a face, a corner. */
static double face_ratio(const double *n, bool apart, const double *direction)
{
    local_triangle t = {.square = {0.0}};
    traced corner[3];
    face f;
    face_row row;
    begin_model();
    if (!make_face(n, &f))
        return 0.0;
    make_corner(n + 9, corner);
    for (int k = 0; k < 3; k++)
        know(&t.corner[k][0], corner[k]);
    corners_against(&t, &f, &row);
    return row.min_weight[0] > 0.0 ? candidate_ratio(known.stored[0], apart, direction, largest_of(n, 12)) : 0.0;
}

static double face_apart(const double *n) { return face_ratio(n, true, NULL); }

/* numbers: a face, weights of a point on it, a direction. */
static double face_touching(const double *n)
{
    double corners[12];
    memcpy(corners, n, 9 * sizeof *n);
    for (int k = 0; k < 3; k++)
        corners[9 + k] = n[k] + n[9] * (n[3 + k] - n[k]) + n[10] * (n[6 + k] - n[k]);
    return face_ratio(corners, false, n + 11);
}

static void roundings_are_within_the_bound(void **state)
{
    (void)state;
    climb_attack(&(climb){"edges apart", edges_apart, 12, 0.05, 1, NULL, 10, 20000, false});
    climb_attack(&(climb){"edges that meet", edges_crossing, 14, 0.09, 2, NULL, 10, 20000, false});
    climb_attack(&(climb){"a corner over a face", face_apart, 12, 0.04, 3, NULL, 10, 20000, false});
    climb_attack(&(climb){"a corner on a face", face_touching, 14, 0.05, 4, NULL, 10, 20000, false});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(roundings_are_within_the_bound)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
