/* Signs for directions along edges, normals and lines where two planes meet: filters, then 128-bit integers where the
 * coordinates are small numbers in some unit, otherwise integers of any size: below 2^4743 for a line, and 2^9488 for
 * the turn between two of them, each of which takes at most 12 75 + 3 149 limbs of POOL_LIMBS. */
#include "math/exact_local.h"

_Static_assert(2 * (12 * 76 + 3 * 150 + 4 * 150) + 4 * 298 < POOL_LIMBS, "there is room for a turn");

static int direction_count(const exact_direction *direction)
{
    return direction->kind == EXACT_ALONG_EDGE ? 2 : direction->kind == EXACT_ALONG_LINE ? 6 : 3;
}

/* ---- coordinates that are small integers in a common unit ---- */

#if MATH_HAS_SMALL

static bool tiny_direction(const exact_direction *direction, int exponent, int bits, tiny_vector *out)
{
    tiny_vector p[6];
    if (!tiny_points(direction->points, direction_count(direction), exponent, bits, p))
        return false;
    *out = direction->kind == EXACT_ALONG_EDGE     ? tiny_minus(p[1], p[0])
           : direction->kind == EXACT_ALONG_NORMAL ? tiny_normal(p)
                                                   : tiny_cross(tiny_normal(p), tiny_normal(p + 3));
    return true;
}

static bool tiny_height_of_direction(const carom_vec3 plane[3], const exact_direction *direction, int exponent,
                                     int *sign)
{
    tiny_vector p[3], along;
    if (!tiny_points(plane, 3, exponent, TINY_CUT_BITS, p) ||
        !tiny_direction(direction, exponent, TINY_CUT_BITS, &along))
        return false;
    *sign = small_sign_128(tiny_dot(tiny_normal(p), along));
    return true;
}

static bool tiny_turn(const exact_direction *from, const exact_direction *to, int axis, int exponent, int *sign)
{
    tiny_vector first, second;
    int a = (axis + 1) % 3, b = (axis + 2) % 3;
    if (!tiny_direction(from, exponent, TINY_LINE_BITS, &first) ||
        !tiny_direction(to, exponent, TINY_LINE_BITS, &second))
        return false;
    *sign = small_sign_128(first.at[a] * second.at[b] - first.at[b] * second.at[a]);
    return true;
}

static bool tiny_direction_sign(const exact_direction *direction, int axis, int exponent, int *sign)
{
    tiny_vector along;
    if (!tiny_direction(direction, exponent, TINY_CUT_BITS, &along))
        return false;
    *sign = small_sign_128(along.at[axis]);
    return true;
}

#else
#define tiny_height_of_direction(plane, direction, exponent, sign) false
#define tiny_turn(from, to, axis, exponent, sign)                  false
#define tiny_direction_sign(direction, axis, exponent, sign)       false
#endif

/* ---- filters ---- */

/* A direction in doubles. `size` is what the same operations give if every difference is replaced by its magnitude and
 * every subtraction by a sum. */
typedef struct rough
{
    double value[3], size[3];
} rough;

/* False: products might underflow or overflow. */
static bool rough_edge(carom_vec3 from, carom_vec3 to, rough *out)
{
    for (int i = 0; i < 3; i++)
    {
        out->value[i] = local_coordinate(to, i) - local_coordinate(from, i);
        out->size[i] = fabs(out->value[i]);
        if (out->size[i] != 0.0 && !(out->size[i] >= 0x1p-60 && out->size[i] <= 0x1p60))
            return false;
    }
    return true;
}

static void rough_cross(rough *out, const rough *a, const rough *b)
{
    for (int i = 0; i < 3; i++)
    {
        int k = (i + 1) % 3, l = (i + 2) % 3;
        out->value[i] = a->value[k] * b->value[l] - a->value[l] * b->value[k];
        out->size[i] = a->size[k] * b->size[l] + a->size[l] * b->size[k];
    }
}

static bool rough_normal(const carom_vec3 plane[3], rough *out)
{
    rough a, b;
    if (!rough_edge(plane[0], plane[1], &a) || !rough_edge(plane[0], plane[2], &b))
        return false;
    rough_cross(out, &a, &b);
    return true;
}

static bool rough_direction(const exact_direction *direction, rough *out)
{
    const carom_vec3 *p = direction->points;
    if (direction->kind == EXACT_ALONG_EDGE)
        return rough_edge(p[0], p[1], out);
    if (direction->kind == EXACT_ALONG_NORMAL)
        return rough_normal(p, out);
    rough first, second;
    if (!rough_normal(p, &first) || !rough_normal(p + 3, &second))
        return false;
    rough_cross(out, &first, &second);
    return true;
}

/* Up to 22 roundings on the way to a sum of products; docs/exactness.md, section 20. */
static int rough_sign(double value, double size) { return exact_filter_sign(value, 0x1p-48 * size); }

static int rough_height(const carom_vec3 plane[3], const exact_direction *direction)
{
    rough n, d;
    if (!rough_normal(plane, &n) || !rough_direction(direction, &d))
        return 0;
    return rough_sign(n.value[0] * d.value[0] + n.value[1] * d.value[1] + n.value[2] * d.value[2],
                      n.size[0] * d.size[0] + n.size[1] * d.size[1] + n.size[2] * d.size[2]);
}

static int rough_turn(const exact_direction *from, const exact_direction *to, int a, int b)
{
    rough f, t;
    if (!rough_direction(from, &f) || !rough_direction(to, &t))
        return 0;
    return rough_sign(f.value[a] * t.value[b] - f.value[b] * t.value[a], f.size[a] * t.size[b] + f.size[b] * t.size[a]);
}

static int rough_component(const exact_direction *direction, int axis)
{
    rough d;
    return rough_direction(direction, &d) ? rough_sign(d.value[axis], d.size[axis]) : 0;
}

/* ---- signs ---- */

static number3 direction_of(pool *pool, const exact_direction *direction, int exponent)
{
    const carom_vec3 *p = direction->points;
    if (direction->kind == EXACT_ALONG_EDGE)
        return pool_differences(pool, p[0], p[1], exponent);
    number3 first = local_normal(pool, p, exponent);
    if (direction->kind == EXACT_ALONG_NORMAL)
        return first;
    number3 second = local_normal(pool, p + 3, exponent);
    return pool_cross(pool, &first, &second);
}

static double component_rounded(const exact_direction *edge, int axis)
{
    return local_coordinate(edge->points[1], axis) - local_coordinate(edge->points[0], axis);
}

int exact_height_of_direction(const carom_vec3 plane[3], const exact_direction *direction, uint64_t *fallbacks)
{
    const carom_vec3 *p = direction->points;
    if (direction->kind == EXACT_ALONG_EDGE)
    {
        double bound, height = exact_filter3d(vec3_sub(p[1], p[0]), vec3_sub(plane[1], plane[0]),
                                              vec3_sub(plane[2], plane[0]), &bound);
        int sign = exact_filter_sign(height, bound);
        if (sign != 0)
            return direction->sign * sign;
#if MATH_HAS_SMALL
        const carom_vec3 points[5] = {p[0], p[1], plane[0], plane[1], plane[2]};
        small_point s[5];
        if (small_points(points, 5, s))
            return direction->sign *
                   small_sign(small_determinant(small_difference(s[1], s[0]), small_difference(s[3], s[2]),
                                                small_difference(s[4], s[2])));
#endif
    }
    int certain = direction->kind == EXACT_ALONG_EDGE ? 0 : rough_height(plane, direction);
    if (certain != 0)
        return direction->sign * certain;
    ++*fallbacks;
    int exponent = local_exponent(plane, 3, p, direction_count(direction)), small = 0;
    if (tiny_height_of_direction(plane, direction, exponent, &small))
        return direction->sign * small;
    pool pool;
    pool.used = 0;
    number3 normal = local_normal(&pool, plane, exponent), along = direction_of(&pool, direction, exponent);
    return direction->sign * pool_dot(&pool, &normal, &along).sign;
}

int exact_side_of_direction(const carom_vec3 line[2], int axis, const exact_direction *direction, uint64_t *fallbacks)
{
    exact_direction along = {.kind = EXACT_ALONG_EDGE, .sign = 1, .points = {line[0], line[1]}};
    return exact_turn(&along, direction, axis, fallbacks);
}

int exact_turn(const exact_direction *from, const exact_direction *to, int axis, uint64_t *fallbacks)
{
    int a = (axis + 1) % 3, b = (axis + 2) % 3;
    if (from->kind == EXACT_ALONG_EDGE && to->kind == EXACT_ALONG_EDGE)
    {
        double bound, turn = exact_filter2d(component_rounded(from, a), component_rounded(from, b),
                                            component_rounded(to, a), component_rounded(to, b), &bound);
        int sign = exact_filter_sign(turn, bound);
        if (sign != 0)
            return from->sign * to->sign * sign;
#if MATH_HAS_SMALL
        const carom_vec3 points[4] = {from->points[0], from->points[1], to->points[0], to->points[1]};
        small_point s[4];
        if (small_points(points, 4, s))
        {
            small_point first = small_difference(s[1], s[0]), second = small_difference(s[3], s[2]);
            const int64_t f[3] = {first.x, first.y, first.z}, t[3] = {second.x, second.y, second.z};
            return from->sign * to->sign * small_sign_128((small_128)f[a] * t[b] - (small_128)f[b] * t[a]);
        }
#endif
    }
    else
    {
        int certain = rough_turn(from, to, a, b);
        if (certain != 0)
            return from->sign * to->sign * certain;
    }
    ++*fallbacks;
    int exponent = local_exponent(from->points, direction_count(from), to->points, direction_count(to)), small = 0;
    if (tiny_turn(from, to, axis, exponent, &small))
        return from->sign * to->sign * small;
    pool pool;
    pool.used = 0;
    number3 first = direction_of(&pool, from, exponent), second = direction_of(&pool, to, exponent);
    number turn = pool_minor(&pool, local_component(&first, a), local_component(&first, b), local_component(&second, a),
                             local_component(&second, b));
    return from->sign * to->sign * turn.sign;
}

int exact_direction_sign(const exact_direction *direction, int axis, uint64_t *fallbacks)
{
    if (direction->kind == EXACT_ALONG_EDGE)
    {
        double from = local_coordinate(direction->points[0], axis), to = local_coordinate(direction->points[1], axis);
        return direction->sign * ((to > from) - (to < from));
    }
    int certain = rough_component(direction, axis);
    if (certain != 0)
        return direction->sign * certain;
    ++*fallbacks;
    int exponent = local_exponent(direction->points, direction_count(direction), NULL, 0), small = 0;
    if (tiny_direction_sign(direction, axis, exponent, &small))
        return direction->sign * small;
    pool pool;
    pool.used = 0;
    number3 along = direction_of(&pool, direction, exponent);
    return direction->sign * local_component(&along, axis).sign;
}

int exact_normal_sign(const carom_vec3 plane[3], int axis, uint64_t *fallbacks)
{
    return exact_orient2d(plane[0], plane[1], plane[2], axis, fallbacks);
}
