/* The corners of a leaf, from the mesh: one triangle per lane, relative to the middle of their box. */
#include "base/simd.h"
#include "tree/wide_build.h"

enum
{
    FLOATS = 9 * WIDE_LEAF_TRIANGLES /* of all corners */
};

typedef struct lanes3
{
    d4 x, y, z;
} lanes3;

/* x y z and anything. */
static BASE_ALWAYS_INLINE d4 load_vertex(const carom_mesh *mesh, uint32_t vertex)
{
    const carom_vec3 *v = &mesh->vertices[vertex];
    if (BASE_UNLIKELY(vertex + 1 == mesh->vertex_count)) /* nothing to read behind it */
        return d4_loadu((const double[4]){v->x, v->y, v->z, v->x});
    return d4_loadu(&v->x);
}

/* A corner of all triangles, normalised; lanes without a triangle repeat the first. */
static BASE_ALWAYS_INLINE lanes3 load_corner(const wide_leaf *leaf, const wide_tree *tree, const carom_mesh *mesh,
                                             size_t corner)
{
    d4 row[WIDE_LEAF_TRIANGLES];
    for (uint32_t lane = 0; lane < WIDE_LEAF_TRIANGLES; lane++)
        row[lane] =
            load_vertex(mesh, mesh->indices[3 * (size_t)leaf->triangle[lane < leaf->count ? lane : 0] + corner]);
    d4_transpose(row);
    d4 scale = d4_set1(tree->scale);
    return (lanes3){d4_mul(d4_sub(row[0], d4_set1(tree->centre.x)), scale),
                    d4_mul(d4_sub(row[1], d4_set1(tree->centre.y)), scale),
                    d4_mul(d4_sub(row[2], d4_set1(tree->centre.z)), scale)};
}

static BASE_ALWAYS_INLINE d4 lowest(d4 a, d4 b, d4 c) { return d4_min(d4_min(a, b), c); }
static BASE_ALWAYS_INLINE d4 highest(d4 a, d4 b, d4 c) { return d4_max(d4_max(a, b), c); }

/* The middle of the box of all corners, rounded to float. */
static BASE_ALWAYS_INLINE void find_origin(const lanes3 corner[3], float out[4])
{
    const lanes3 *p = &corner[0], *q = &corner[1], *r = &corner[2];
    d4 low[4] = {lowest(p->x, q->x, r->x), lowest(p->y, q->y, r->y), lowest(p->z, q->z, r->z), p->x};
    d4 high[4] = {highest(p->x, q->x, r->x), highest(p->y, q->y, r->y), highest(p->z, q->z, r->z), p->x};
    d4_transpose(low);
    d4_transpose(high);
    d4 least = d4_min(d4_min(low[0], low[1]), d4_min(low[2], low[3]));
    d4 most = d4_max(d4_max(high[0], high[1]), d4_max(high[2], high[3]));
    d4_store_floats(out, d4_mul(d4_set1(0.5), d4_add(least, most)));
}

/* gcc 12 drops a rounding to float that is widened again in the same vectorised block; the corners must be relative to
 * the origin as stored. */
static BASE_ALWAYS_INLINE d4 widen(float stored)
{
    volatile float kept = stored;
    return d4_set1((double)kept);
}

static BASE_ALWAYS_INLINE float largest_lane(f8 a) { return -f8_min_lane(f8_neg(a)); }

static BASE_ALWAYS_INLINE f8 add_square(f8 sum, f8 a) { return f8_add(sum, f8_mul(a, a)); }

/* Corners are 36 floats in a row; the last vector of the loop overlaps the one before it. Nothing is fused: every
 * instruction set measures the same. */
static BASE_ALWAYS_INLINE void measure(wide_leaf *leaf)
{
    const float *floats = &leaf->corner[0][0][0], root_3 = 1.7320509f;
    f8 reach = f8_zero(), far = f8_zero(), last = far, edge = far, back = far;
    for (size_t i = 0; i < FLOATS; i += 8)
        reach = f8_max(reach, f8_abs(f8_loadu(floats + (i + 8 <= FLOATS ? i : FLOATS - 8))));
    for (size_t at = 0; at < 12; at += 4) /* x, y, z of the first and second corner, of the second and third */
    {
        f8 first = f8_join(floats + at, floats + 12 + at), second = f8_join(floats + 12 + at, floats + 24 + at);
        far = add_square(far, first), last = add_square(last, second);
        edge = add_square(edge, f8_sub(second, first));
        back = add_square(back, f8_sub(f8_twice(floats + 24 + at), f8_twice(floats + at)));
    }
    leaf->reach = largest_lane(reach) * (1.0f + 0x1p-20f);
    bool tiny = leaf->reach < 0x1p-40f; /* squares might underflow */
    leaf->radius = tiny ? root_3 * leaf->reach : sqrtf(largest_lane(f8_max(far, last))) * (1.0f + 0x1p-20f);
    leaf->longest = tiny ? 2.0f * leaf->radius : sqrtf(largest_lane(f8_max(edge, back))) * (1.0f + 0x1p-20f);
}

/* Coordinates that are negligible compared to the leaf's size (such as a computed sine of pi) become 0: products of
 * three of them would be denormal. This moves a corner by less than rounding does. */
static BASE_ALWAYS_INLINE void drop_dust(wide_leaf *leaf)
{
    float *floats = &leaf->corner[0][0][0];
    f8 dust = f8_set1(0x1p-30f * leaf->reach);
    for (size_t i = 0; i < FLOATS; i += 8)
    {
        float *at = floats + (i + 8 <= FLOATS ? i : FLOATS - 8);
        f8 a = f8_loadu(at);
        f8_storeu(at, f8_and(a, f8_gt(f8_abs(a), dust)));
    }
}

void BASE_ISA(wide_leaf_fill)(wide_leaf *leaf, const wide_tree *tree, const carom_mesh *mesh)
{
    lanes3 corner[3];
    float origin[4];
    for (size_t c = 0; c < 3; c++)
        corner[c] = load_corner(leaf, tree, mesh, c);
    find_origin(corner, origin);
    memcpy(leaf->origin, origin, sizeof leaf->origin);
    const d4 x = widen(origin[0]), y = widen(origin[1]), z = widen(origin[2]);
    for (size_t c = 0; c < 3; c++)
    {
        d4_store_floats(leaf->corner[c][0], d4_sub(corner[c].x, x));
        d4_store_floats(leaf->corner[c][1], d4_sub(corner[c].y, y));
        d4_store_floats(leaf->corner[c][2], d4_sub(corner[c].z, z));
    }
    measure(leaf);
    drop_dust(leaf);
}
