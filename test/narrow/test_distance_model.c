/* Attacks the error bound of distances in double (docs/exactness.md, section 6): the kernel as a model of itself in
 * which an adversary chooses the direction of every rounding, from the corners' own to the last. It shows how far
 * roundings may carry a candidate, to first order; test_distance_terms.c attacks what first orders do not show. */
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

/* The largest coordinate of these corners; infinite where one comes before the origin, which is the first of all. */
static double largest_of(const double *n, int count)
{
    double largest = 0.0;
    for (int i = 0; i < count; i++)
        largest = i % 3 == 0 && n[i] < 0.0 ? INFINITY : fmax(largest, fabs(n[i]));
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

/* What candidates may be off by as derived, in units of 2^-53 of the largest coordinate. */
static const double EDGES_MEET = 65.3, EDGES_APART = 29.5, CORNER_ON_FACE = 45.7, CORNER_ABOVE_FACE = 29.0;

/* What a candidate may be off by, in those units. apart: its length; otherwise the points should be the same, and the
 * way between them along some direction is what the length grows by. */
static double candidate_error(traced square, bool apart, const double *direction, double largest)
{
    if (known.ambiguous || !(largest > 0x1p-10) || largest > 0x1p10)
        return 0.0;
    double length = sqrt(square.value), size = 0.0, unit = 0x1p-53 * largest;
    if (apart)
        return length > 0x1p-20 * largest ? (traced_worst(square) / (2.0 * length) + trace_rounding(length)) / unit
                                          : 0.0;
    traced way[3], sum = traced_exact(0.0);
    way_of(square, way);
    for (int k = 0; k < 3; k++)
        size += direction[k] * direction[k];
    if (!(size > 0x1p-20) || length > 0x1p-44 * largest)
        return 0.0;
    for (int k = 0; k < 3; k++)
        sum = traced_operation(sum, way[k], (double[2]){1.0, direction[k] / sqrt(size)}, 0.0, false);
    return traced_worst(sum) / unit;
}

/* numbers: the ends of two edges. */
static double edges_error(const double *n, bool apart, const double *direction)
{
    local_triangle a = {.square = {0.0}}, b = {.square = {0.0}};
    edge_row row;
    begin_model();
    make_edge(&a, 1, n);
    make_edge(&b, 0, n + 6);
    edges_against(&a, 1, &b, &row);
    return candidate_error(known.stored[0], apart, direction, largest_of(n, 12));
}

static double edges_apart(const double *n) { return edges_error(n, true, NULL) / EDGES_APART; }

/* numbers: the first ends of two edges, where they cross, the shares of the edges there, a direction. */
static double crossing_error(const double *n)
{
    double ends[12], s = n[9], t = n[10];
    if (!is_inside(s) || !is_inside(t))
        return 0.0;
    for (int k = 0; k < 3; k++)
    {
        double p = n[k], q = n[3 + k], x = n[6 + k];
        ends[k] = p, ends[3 + k] = p + (x - p) / s, ends[6 + k] = q, ends[9 + k] = q + (x - q) / t;
    }
    return edges_error(ends, false, n + 11);
}

static double edges_crossing(const double *n) { return crossing_error(n) / EDGES_MEET; }

/* Of what the kernel says. */
static double whole_ratio(const double *n) { return crossing_error(n) * 0x1p-53 / error_of(1.0); }

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
static double face_error(const double *n, bool apart, const double *direction)
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
    return row.min_weight[0] > 0.0 ? candidate_error(known.stored[0], apart, direction, largest_of(n, 12)) : 0.0;
}

static double face_apart(const double *n) { return face_error(n, true, NULL) / CORNER_ABOVE_FACE; }

/* numbers: a face, weights of a point on it, a direction. */
static double face_touching(const double *n)
{
    double corners[12];
    memcpy(corners, n, 9 * sizeof *n);
    for (int k = 0; k < 3; k++)
        corners[9 + k] = n[k] + n[9] * (n[3 + k] - n[k]) + n[10] * (n[6 + k] - n[k]);
    return face_error(corners, false, n + 11) / CORNER_ON_FACE;
}

/* Found by longer climbs. */
static const double EDGES_THAT_MEET[] = {
    0x1.e8b572bfd8e4fp-18, 0x1.0001674b0b8cp+0,   0x1.0039d5d2fedacp+0,  0x1.01190df432829p-1,  0x1.000166813852ap+0,
    -0x1.ff91118dd89f8p-1, 0x1.008df2fc1ee53p+0,  -0x1.fffd330d3f371p-1, -0x1.001ccb408c81bp+0, 0x1.fffd8b8d2bb8fp-1,
    0x1.ffaa92afcde38p-1,  -0x1.da97978bce869p-4, -0x1.00b35eac4eebep-3, 0x1.12a158097e398p-2};
static const double CORNER_OVER_A_FACE[] = {0x1.d2761fbf49511p-16, 0x1.004c2bc2931ccp+0,  0x1.0000000000bebp+0,
                                            0x1.00025d456b20ep+0,  -0x1.004401dc10156p+0, -0x1.0032958383772p+0,
                                            0x1.00309babadbfbp-26, -0x1.135cbe02f309dp-1, -0x1.ee7c903aeff82p-1,
                                            0x1.00029c0017f06p+0,  -0x1.0002f298a6217p+0, -0x1.004d200afd611p+0};
static const double CORNER_ON_A_FACE[] = {
    0x1.3af99e88ce5bdp-35, 0x1.fff32939ef1e9p-1, -0x1.fffffffff37b8p-1, 0x1.0000000027ed4p+0,  -0x1.00071a9878643p+0,
    0x1.000000000751p+0,   0x1.9fdcaf6365edap-1, 0x1.f3add2dbf41a4p-1,  -0x1.f5123bf0345e1p-2, 0x1.fffffffffef41p-1,
    0x1.0bf6d29201822p-41, -0x1.3b31a729c332p-6, -0x1.31389f30ec905p-4, 0x1.a11047414c1f5p-3};

static void roundings_are_within_the_bound(void **state)
{
    (void)state;
    climb_attack(&(climb){"edges apart", edges_apart, 12, 0.55, 1, NULL, 10, 20000, false});
    climb_attack(&(climb){"edges that meet", edges_crossing, 14, 0.6, 2, EDGES_THAT_MEET, 10, 20000, false});
    climb_attack(&(climb){"the whole", whole_ratio, 14, 0.52, 2, EDGES_THAT_MEET, 10, 20000, false});
    climb_attack(&(climb){"a corner over a face", face_apart, 12, 0.5, 3, CORNER_OVER_A_FACE, 10, 20000, false});
    climb_attack(&(climb){"a corner on a face", face_touching, 14, 0.5, 4, CORNER_ON_A_FACE, 10, 20000, false});
}

/* What is derived is what the kernel says. */
static void the_bound_covers_all(void **state)
{
    (void)state;
    assert_true(error_of(1.0) > 74.0 * 0x1p-53 && error_of(1.0) < 77.0 * 0x1p-53);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(roundings_are_within_the_bound),
                                       cmocka_unit_test(the_bound_covers_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
