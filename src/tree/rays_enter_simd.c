/* A world ray into the ray layout's frame. Loops of four doubles, the last one idle, that compilers turn into
 * registers.
 *
 * x -> R^T (x - T) maps a world ray and the world triangles exactly, with the same t and weights. What separates that
 * from what the tree holds, per coordinate, in world units, u = 2^-53:
 *   corners: placement rounding, at most 8 u (extent + |T|); R^T R differing from I by `defect` moves a corner by at
 *   most 3 defect extent;
 *   ray: origin - T, its rotation, the step to the mesh's box and the direction times the way there lose at most
 *   24 u (|origin - T| + extent) together.
 * 128 u (extent + |T| + |origin - T|) + 4 defect extent covers both; times the frame's scale it is `placement`, the P
 * of rays_simd.c. Slabs: float conversion of origin and direction (2 u' each way, u' = 2^-24), the shifts and products
 * (6 u') and the rounding of boxes (u') stay below 16 u' = 2^-20. */
#include "tree/rays.h"

static const double BOX_SLACK = 0x1p-20;
static const float TRIANGLE_SLACK = 160.0f * 0x1p-24f;
static const double SMALLEST_COMPONENT = 0x1p-60; /* of a direction whose largest is 1; smaller ones count as this */
static const double POSE_DEFECT = 1.1e-9;         /* carom_pose_check's limit */

enum
{
    LANES = 3
};

typedef struct lanes
{
    double v[LANES];
} lanes;

static BASE_ALWAYS_INLINE lanes lanes_of(carom_vec3 v) { return (lanes){{v.x, v.y, v.z}}; }

static BASE_ALWAYS_INLINE double largest(const lanes *a)
{
    double x = fabs(a->v[0]), y = fabs(a->v[1]), z = fabs(a->v[2]);
    x = x > y ? x : y;
    return x > z ? x : z;
}

/* R^T v */
static BASE_ALWAYS_INLINE lanes turn_back(const lanes rows[3], const lanes *v)
{
    lanes out;
    for (int i = 0; i < LANES; i++)
        out.v[i] = (rows[0].v[i] * v->v[0] + rows[1].v[i] * v->v[1]) + rows[2].v[i] * v->v[2];
    return out;
}

/* Largest |entry| of R^T R - I. */
static double defect_of(const double r[9])
{
    double worst = 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
        {
            double dot = r[i] * r[j] + r[3 + i] * r[3 + j] + r[6 + i] * r[6 + j] - (i == j ? 1.0 : 0.0);
            worst = fabs(dot) > worst ? fabs(dot) : worst;
        }
    return worst;
}

/* A ray in the frame; inverse is that of the direction, or of SMALLEST_COMPONENT where that is larger. */
typedef struct frame_ray
{
    lanes origin, direction, inverse;
} frame_ray;

/* Where the line enters and leaves the cube of half size `half` around the frame's origin. */
static BASE_ALWAYS_INLINE void clip(const frame_ray *ray, double half, double s[2])
{
    lanes enter, leave;
    for (int i = 0; i < LANES; i++)
    {
        double middle = -ray->origin.v[i] * ray->inverse.v[i], reach = half * fabs(ray->inverse.v[i]);
        enter.v[i] = middle - reach;
        leave.v[i] = middle + reach;
    }
    for (int i = 0; i < 3; i++)
    {
        s[0] = enter.v[i] > s[0] ? enter.v[i] : s[0];
        s[1] = leave.v[i] < s[1] ? leave.v[i] : s[1];
    }
}

static BASE_ALWAYS_INLINE void set_float_ray(ray_walk *walk, const frame_ray *ray, double pad)
{
    for (uint32_t i = 0; i < LANES; i++)
    {
        double inverse = ray->inverse.v[i], shift = -ray->origin.v[i] * inverse, outwards = pad * fabs(inverse);
        walk->origin[i] = (float)ray->origin.v[i];
        walk->direction[i] = (float)ray->direction.v[i];
        walk->inverse[i] = (float)inverse;
        walk->near_shift[i] = (float)(shift - outwards);
        walk->far_shift[i] = (float)(shift + outwards);
    }
    for (uint32_t i = 0; i < 3; i++)
    {
        uint32_t negative = ray->inverse.v[i] < 0.0;
        walk->near_plane[i] = 2 * i + negative;
        walk->far_plane[i] = 2 * i + 1 - negative;
    }
}

/* What the pose's rounding may shift; see above. */
static BASE_ALWAYS_INLINE double placement_of(const ray_tree *tree, const carom_placed *placed, const lanes *between)
{
    double extent = placed->mesh->extent, scale = tree->frame.scale;
    lanes translation = lanes_of(placed->pose.translation);
    double error = 0x1p-46 * (extent + largest(&translation) + largest(between));
    /* No pose is accepted with more than POSE_DEFECT; only a mesh far from its own origin needs to know better. */
    double defect = extent * scale <= 64.0 ? POSE_DEFECT : defect_of(placed->pose.rotation);
    return (error + 4.0 * defect * extent) * scale;
}

ray_answer BASE_ISA(ray_enter)(const ray_tree *tree, const carom_placed *placed, const narrow_ray *world,
                               ray_entry *entry, ray_walk *walk)
{
    const double *r = placed->pose.rotation;
    const lanes rows[3] = {{{r[0], r[1], r[2]}}, {{r[3], r[4], r[5]}}, {{r[6], r[7], r[8]}}};
    const lanes centre = lanes_of(tree->frame.centre);
    lanes between = lanes_of(vec3_sub(world->origin, placed->pose.translation)), unit = lanes_of(world->direction);
    double length = largest(&unit);
    for (int i = 0; i < LANES; i++)
        unit.v[i] /= length;
    frame_ray ray = {turn_back(rows, &between), turn_back(rows, &unit), {{0}}};
    double own_length = largest(&ray.direction), scale = tree->frame.scale;
    entry->placement = placement_of(tree, placed, &between);
    entry->rate = length * own_length * scale;
    if (!(entry->placement < 0.25) || !(entry->rate > 0x1p-900) || !(entry->rate < 0x1p900))
        return RAY_UNDECIDED;
    double shrink = 1.0 / own_length, pad = BOX_SLACK + entry->placement, s[2] = {0.0, INFINITY};
    for (int i = 0; i < LANES; i++)
    {
        ray.origin.v[i] = (ray.origin.v[i] - centre.v[i]) * scale;
        double d = ray.direction.v[i] *= shrink, size = fabs(d);
        ray.inverse.v[i] = copysign(1.0 / (size > SMALLEST_COMPONENT ? size : SMALLEST_COMPONENT), d);
    }
    clip(&ray, 1.0 + 4.0 * pad, s);
    if (!(s[0] <= s[1]))
        return RAY_MISSES;
    entry->start = s[0] / entry->rate;
    entry->first = entry->start - (s[0] * 0x1p-20 + pad) / entry->rate;
    entry->exit = (float)(s[1] - s[0]) + 0x1p-16f;
    for (int i = 0; i < LANES; i++)
        ray.origin.v[i] += s[0] * ray.direction.v[i];
    set_float_ray(walk, &ray, pad);
    walk->slack = TRIANGLE_SLACK + (float)(2.0 * entry->placement);
    return RAY_ENTERS;
}
