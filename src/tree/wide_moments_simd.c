/* Area and moments of the surface of up to four triangles, one per lane. */
#include "tree/wide_few.h"

typedef struct lanes3
{
    d4 x, y, z;
} lanes3;

static BASE_ALWAYS_INLINE lanes3 leaf_corner(const wide_leaf *leaf, int c)
{
    lanes3 out;
    out.x = f8_low_d4(f8_add(f8_twice(leaf->corner[c][0]), f8_set1(leaf->origin[0])));
    out.y = f8_low_d4(f8_add(f8_twice(leaf->corner[c][1]), f8_set1(leaf->origin[1])));
    out.z = f8_low_d4(f8_add(f8_twice(leaf->corner[c][2]), f8_set1(leaf->origin[2])));
    return out;
}

static BASE_ALWAYS_INLINE lanes3 run_corner(const wide_build *build, uint32_t first, size_t c)
{
    size_t at = 3 * (size_t)first + c;
    return (lanes3){f8_low_d4(wide_few_lanes(build->sorted[0] + at)), f8_low_d4(wide_few_lanes(build->sorted[1] + at)),
                    f8_low_d4(wide_few_lanes(build->sorted[2] + at))};
}

static BASE_ALWAYS_INLINE lanes3 difference(lanes3 a, lanes3 b)
{
    return (lanes3){d4_sub(a.x, b.x), d4_sub(a.y, b.y), d4_sub(a.z, b.z)};
}

static BASE_ALWAYS_INLINE d4 mean_of(d4 p, d4 q, d4 r) { return d4_div(d4_add(d4_add(p, q), r), d4_set1(3.0)); }

/* Twice the area. Not 0, so that a mean can be divided by it. */
static BASE_ALWAYS_INLINE d4 weight_of(lanes3 e, lanes3 f)
{
    d4 x = d4_sub(d4_mul(e.y, f.z), d4_mul(e.z, f.y)), y = d4_sub(d4_mul(e.z, f.x), d4_mul(e.x, f.z));
    d4 z = d4_sub(d4_mul(e.x, f.y), d4_mul(e.y, f.x));
    d4 square = d4_add(d4_add(d4_mul(x, x), d4_mul(y, y)), d4_mul(z, z));
    return d4_add(d4_sqrt(square), d4_set1(1e-18));
}

/* The first `count` lanes, added up in their order. */
static BASE_ALWAYS_INLINE void add_lanes(d4 row[4], uint32_t count, double *out)
{
    d4_transpose(row);
    d4 sum = row[0];
    for (uint32_t i = 1; i < count; i++)
        sum = d4_add(sum, row[i]);
    d4_storeu(out, sum);
}

/* Second moment of a triangle of weight w with corners p, q, r and mean m: w / 12 (9 m m' + p p' + q q' + r r'). */
#define SECOND(k, l)                                                                                                   \
    d4_mul(share, d4_add(d4_add(d4_add(d4_mul(d4_mul(d4_set1(9.0), m.k), m.l), d4_mul(p.k, p.l)), d4_mul(q.k, q.l)),   \
                         d4_mul(r.k, r.l)))

static BASE_ALWAYS_INLINE void find_moments(lanes3 p, lanes3 q, lanes3 r, uint32_t count, split_moments *out)
{
    d4 weight = weight_of(difference(q, p), difference(r, p)), share = d4_div(weight, d4_set1(12.0));
    lanes3 m = {mean_of(p.x, q.x, r.x), mean_of(p.y, q.y, r.y), mean_of(p.z, q.z, r.z)};
    d4 first[4] = {weight, d4_mul(weight, m.x), d4_mul(weight, m.y), d4_mul(weight, m.z)};
    d4 second[4] = {SECOND(x, x), SECOND(x, y), SECOND(x, z), SECOND(y, y)};
    d4 third[4] = {SECOND(y, z), SECOND(z, z), weight, weight};
    double sums[12];
    add_lanes(first, count, sums);
    add_lanes(second, count, sums + 4);
    add_lanes(third, count, sums + 8);
    memcpy(out, sums, sizeof *out); /* weight, sum, square */
}

void BASE_ISA(wide_leaf_moments)(const wide_leaf *leaf, split_moments *out)
{
    find_moments(leaf_corner(leaf, 0), leaf_corner(leaf, 1), leaf_corner(leaf, 2), leaf->count, out);
}

void BASE_ISA(wide_few_moments)(const wide_build *build, uint32_t first, uint32_t count, split_moments *out)
{
    find_moments(run_corner(build, first, 0), run_corner(build, first, 1), run_corner(build, first, 2), count, out);
}
