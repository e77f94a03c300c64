/* narrow_ray_solve, a point or a vector in one register: the operations of exact_filter3d in the same order, so the
 * same bits. */
#include "base/simd.h"
#include "narrow/ray.h"

/* Products of a cross product: their differences, and the sums of their magnitudes. */
typedef struct normal
{
    d4 value, magnitude;
} normal;

static BASE_ALWAYS_INLINE normal cross(d4 b, d4 c)
{
    d4 left = d4_mul(d4_yzx(b), d4_zxy(c)), right = d4_mul(d4_zxy(b), d4_yzx(c));
    return (normal){d4_sub(left, right), d4_add(d4_abs(left), d4_abs(right))};
}

/* Lanes x y z of each row added in this order. */
static BASE_ALWAYS_INLINE d4 sums(d4 a, d4 b, d4 c, d4 d)
{
    d4 row[4] = {a, b, c, d};
    d4_transpose(row);
    return d4_add(d4_add(row[0], row[1]), row[2]);
}

/* The last lanes may hold anything. */
static BASE_ALWAYS_INLINE ray_determinants determinants_of(d4 origin, d4 direction, const d4 at[3])
{
    d4 corner = d4_sub(at[0], origin), edge_1 = d4_sub(at[1], at[0]), edge_2 = d4_sub(at[2], at[0]);
    d4 along = d4_abs(direction);
    normal plane = cross(edge_1, edge_2), u = cross(edge_2, corner), v = cross(corner, edge_1);
    d4 value = sums(d4_mul(direction, plane.value), d4_mul(corner, plane.value), d4_mul(direction, u.value),
                    d4_mul(direction, v.value));
    d4 magnitude = sums(d4_mul(plane.magnitude, along), d4_mul(plane.magnitude, d4_abs(corner)),
                        d4_mul(u.magnitude, along), d4_mul(v.magnitude, along));
    ray_determinants out;
    d4_storeu(out.value, value);
    d4_storeu(out.bound, d4_add(d4_mul(d4_set1(EXACT_RELATIVE_3D), magnitude), d4_set1(EXACT_ABSOLUTE_3D)));
    return out;
}

/* pose_apply */
static BASE_ALWAYS_INLINE d4 placed(const narrow_pose *pose, const carom_vec3 *v)
{
    d4 x = d4_mul(d4_load(pose->columns[0]), d4_set1(v->x)), y = d4_mul(d4_load(pose->columns[1]), d4_set1(v->y));
    d4 z = d4_mul(d4_load(pose->columns[2]), d4_set1(v->z));
    return d4_add(d4_add(d4_add(x, y), z), d4_load(pose->translation));
}

_Static_assert(sizeof(carom_ray) == 7 * sizeof(double), "whatever follows three coordinates fills the fourth lane");

bool BASE_ISA(narrow_ray_solve_posed)(const narrow_pose *pose, const carom_vec3 *const vertices[3],
                                      const carom_ray *ray, double tuv[3])
{
    const double *numbers = (const double *)ray;
    const d4 at[3] = {placed(pose, vertices[0]), placed(pose, vertices[1]), placed(pose, vertices[2])};
    ray_determinants det = determinants_of(d4_loadu(numbers), d4_loadu(numbers + 3), at);
    return ray_divide(&det, tuv);
}
