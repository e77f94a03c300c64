/* Shapes as values: constructors, checks, bounding boxes. */
#include "query/query.h"

const char *carom_shape_kind_name(carom_shape_kind kind)
{
    static const char *const names[CAROM_SHAPE_KIND_COUNT] = {"none", "mesh", "sphere", "capsule"};
    return (unsigned)kind < CAROM_SHAPE_KIND_COUNT ? names[kind] : NULL;
}

carom_shape carom_shape_mesh(const carom_mesh *mesh)
{
    carom_shape shape = {.kind = CAROM_SHAPE_MESH};
    shape.mesh = mesh;
    return shape;
}

carom_shape carom_shape_tree(const carom_tree *tree)
{
    carom_shape shape = carom_shape_mesh(carom_tree_mesh(tree));
    shape.tree = tree;
    return shape;
}

carom_shape carom_shape_sphere(double radius)
{
    carom_shape shape = {.kind = CAROM_SHAPE_SPHERE};
    shape.sphere = (carom_sphere){{0.0, 0.0, 0.0}, radius};
    return shape;
}

carom_shape carom_shape_capsule(carom_vec3 end_0, carom_vec3 end_1, double radius)
{
    carom_shape shape = {.kind = CAROM_SHAPE_CAPSULE};
    shape.capsule = (carom_capsule){{end_0, end_1}, radius};
    return shape;
}

uint32_t carom_shape_element_count(const carom_shape *shape)
{
    if (!shape || shape->kind == CAROM_SHAPE_NONE || (unsigned)shape->kind >= CAROM_SHAPE_KIND_COUNT)
        return 0;
    if (shape->kind != CAROM_SHAPE_MESH)
        return 1;
    return shape->mesh ? shape->mesh->triangle_count : 0;
}

narrow_round query_placed_round(const carom_placed *placed)
{
    const carom_shape *shape = &placed->shape;
    if (shape->kind == CAROM_SHAPE_SPHERE)
    {
        carom_vec3 centre = pose_apply(&placed->pose, shape->sphere.centre);
        return (narrow_round){{centre, centre}, shape->sphere.radius};
    }
    return (narrow_round){
        {pose_apply(&placed->pose, shape->capsule.ends[0]), pose_apply(&placed->pose, shape->capsule.ends[1])},
        shape->capsule.radius};
}

static inline double greater(double a, double b) { return a > b ? a : b; }
static double largest_coordinate(carom_vec3 v) { return greater(fabs(v.x), greater(fabs(v.y), fabs(v.z))); }

carom_aabb query_world_box(const carom_placed *placed)
{
    if (query_is_mesh(placed))
        return math_world_box(&placed->pose, &placed->shape.mesh->info.bounds);
    narrow_round round = query_placed_round(placed);
    carom_vec3 low = vec3_min(round.end[0], round.end[1]), high = vec3_max(round.end[0], round.end[1]);
    /* A little more than the rounding error of the sums below. */
    double reach = round.radius + 0x1p-50 * (fmax(largest_coordinate(low), largest_coordinate(high)) + round.radius);
    carom_vec3 reaches = {reach, reach, reach};
    return (carom_aabb){vec3_sub(low, reaches), vec3_add(high, reaches)};
}

/* ---- checks ---- */

static carom_status check_mesh(carom_context *context, const carom_shape *shape, const char *whose)
{
    if (BASE_UNLIKELY(!shape->mesh))
        return base_fail(context, CAROM_INVALID_ARGUMENT, "%s: the mesh is null", whose);
    if (BASE_UNLIKELY(shape->mesh->context != context))
        return base_fail(context, CAROM_INVALID_ARGUMENT, "%s: the mesh belongs to another context", whose);
    if (shape->tree && BASE_UNLIKELY(shape->tree->mesh != shape->mesh || shape->tree->context != context))
        return base_fail(context, CAROM_INVALID_ARGUMENT,
                         "%s: the tree belongs to another mesh (after a refit, reshape the body)", whose);
    return CAROM_OK;
}

static carom_status check_round(carom_context *context, const carom_shape *shape, const char *whose)
{
    bool is_sphere = shape->kind == CAROM_SHAPE_SPHERE;
    const char *kind = carom_shape_kind_name(shape->kind);
    double radius = is_sphere ? shape->sphere.radius : shape->capsule.radius;
    const carom_vec3 *points = is_sphere ? &shape->sphere.centre : shape->capsule.ends;
    if (!isfinite(radius))
        return base_fail(context, CAROM_NOT_FINITE, "%s: the radius of the %s is %g", whose, kind, radius);
    if (radius < 0.0)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "%s: the radius of the %s is negative (%g)", whose, kind,
                         radius);
    if (radius > MATH_COORDINATE_LIMIT)
        return base_fail(context, CAROM_OUT_OF_RANGE, "%s: the radius of the %s exceeds 2^100 (%g)", whose, kind,
                         radius);
    for (int i = 0; i < (is_sphere ? 1 : 2); i++)
    {
        if (!vec3_finite(points[i]))
            return base_fail(context, CAROM_NOT_FINITE, "%s: a point of the %s holds NaN or infinity", whose, kind);
        if (largest_coordinate(points[i]) > MATH_COORDINATE_LIMIT)
            return base_fail(context, CAROM_OUT_OF_RANGE, "%s: a point of the %s lies beyond 2^100", whose, kind);
    }
    if (shape->tree)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "%s: a %s has no tree", whose, kind);
    return CAROM_OK;
}

carom_status query_check_shape(carom_context *context, const carom_shape *shape, const char *whose)
{
    if (BASE_LIKELY(shape->kind == CAROM_SHAPE_MESH))
        return check_mesh(context, shape, whose);
    if (shape->kind == CAROM_SHAPE_NONE)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "%s: the shape was never set", whose);
    if ((unsigned)shape->kind >= CAROM_SHAPE_KIND_COUNT)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "%s: unknown kind of shape %d", whose, (int)shape->kind);
    return check_round(context, shape, whose);
}

carom_status query_check_pose(carom_context *context, const carom_pose *pose, const char *whose)
{
    carom_status refused = math_check_pose(pose);
    if (refused == CAROM_OK)
        return CAROM_OK;
    const char *text = refused == CAROM_NOT_FINITE ? "the pose holds NaN or infinity"
                       : refused == CAROM_NOT_RIGID
                           ? "the rotation of the pose is not a rotation (|RtR - I| > 1e-9 or a mirror; "
                             "carom_pose_from_matrix makes one of floats)"
                           : "the translation of the pose exceeds 2^100";
    return base_fail(context, refused, "%s: %s", whose, text);
}

carom_status query_check_placed(carom_context *context, const carom_placed *placed, const char *whose)
{
    if (BASE_UNLIKELY(!placed))
        return base_fail(context, CAROM_INVALID_ARGUMENT, "%s: the pointer is null", whose);
    BASE_TRY(query_check_shape(context, &placed->shape, whose));
    return query_check_pose(context, &placed->pose, whose);
}
