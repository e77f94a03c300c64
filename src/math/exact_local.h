/* What signs for points and directions have in common, see exact_local.c. Internal to the math folder. */
#ifndef MATH_EXACT_LOCAL_H
#define MATH_EXACT_LOCAL_H

#include "math/exact_pool.h"
#include "math/exact_small.h"
#include "math/exact_wide.h"

static inline double local_coordinate(carom_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

/* The unit in which all these points are integers. */
static inline int local_exponent(const carom_vec3 *first, int first_count, const carom_vec3 *second, int second_count)
{
    double values[3 * 24];
    int count = 0;
    for (int i = 0; i < first_count; i++)
        values[count++] = first[i].x, values[count++] = first[i].y, values[count++] = first[i].z;
    for (int i = 0; i < second_count; i++)
        values[count++] = second[i].x, values[count++] = second[i].y, values[count++] = second[i].z;
    return integer_common_exponent(values, count);
}

static inline number local_component(const number3 *v, int axis) { return axis == 0 ? v->x : axis == 1 ? v->y : v->z; }

/* Moves three numbers that were pushed one after another down to the mark. */
static inline number3 local_keep(pool *pool, uint32_t mark, const number3 *v)
{
    number3 out;
    out.x = pool_keep(pool, mark, v->x);
    out.y = pool_keep(pool, pool->used, v->y);
    out.z = pool_keep(pool, pool->used, v->z);
    return out;
}

static inline number3 local_normal(pool *pool, const carom_vec3 plane[3], int exponent)
{
    uint32_t mark = pool->used;
    number3 a = pool_differences(pool, plane[0], plane[1], exponent),
            b = pool_differences(pool, plane[0], plane[2], exponent), normal = pool_cross(pool, &a, &b);
    return local_keep(pool, mark, &normal);
}

/* ---- coordinates that are small integers in a common unit ---- */

#if MATH_HAS_SMALL

typedef struct tiny_vector
{
    small_128 at[3];
} tiny_vector;

/* With coordinates below 2^B: differences are below 2^(B+1), normals 2^(2B+3), heights times a normal 2^(3B+6).
 * A cut has w below 2^(3B+6) and r below 2^(4B+7), so h w + n . r is below 2^(6B+13); a crossing of three planes has w
 * below 2^(6B+12) and r below 2^(7B+14), so that is below 2^(9B+20). Lines of two planes are below 2^(4B+7): their
 * heights below 2^(6B+12), the cross product of two of them below 2^(8B+16). All below 2^127. */
enum
{
    TINY_CUT_BITS = 18,
    TINY_CROSS_BITS = 11,
    TINY_LINE_BITS = 13,
    TINY_MAX_POINTS = 14
};

/* Points as integers below 2^bits in a common unit; false if they are not. */
static inline bool tiny_points(const carom_vec3 *points, int count, int exponent, int bits, tiny_vector *out)
{
    if (exponent < -1000 || exponent > 1000)
        return false;
    double scale = ldexp(1.0, -exponent), limit = ldexp(1.0, bits);
    for (int i = 0; i < count; i++)
    {
        double x = points[i].x * scale, y = points[i].y * scale, z = points[i].z * scale;
        if (!(fabs(x) < limit && fabs(y) < limit && fabs(z) < limit))
            return false;
        out[i] = (tiny_vector){{(int64_t)x, (int64_t)y, (int64_t)z}};
    }
    return true;
}

static inline tiny_vector tiny_minus(tiny_vector a, tiny_vector b)
{
    return (tiny_vector){{a.at[0] - b.at[0], a.at[1] - b.at[1], a.at[2] - b.at[2]}};
}

static inline tiny_vector tiny_cross(tiny_vector a, tiny_vector b)
{
    return (tiny_vector){{a.at[1] * b.at[2] - a.at[2] * b.at[1], a.at[2] * b.at[0] - a.at[0] * b.at[2],
                          a.at[0] * b.at[1] - a.at[1] * b.at[0]}};
}

static inline small_128 tiny_dot(tiny_vector a, tiny_vector b)
{
    return a.at[0] * b.at[0] + a.at[1] * b.at[1] + a.at[2] * b.at[2];
}

static inline tiny_vector tiny_normal(const tiny_vector plane[3])
{
    return tiny_cross(tiny_minus(plane[1], plane[0]), tiny_minus(plane[2], plane[0]));
}

#endif

#endif
