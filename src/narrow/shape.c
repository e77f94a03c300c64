/* Degenerate and coplanar triangles: points, segments and triangles in one plane or on one line, exactly.
 *
 * In the plane, the difference set of two convex shapes is a convex polygon whose sides are parallel to sides of the
 * shapes. The shapes are apart iff the origin lies strictly outside one of its sides, and their relative interiors are
 * iff it lies outside or on one: so lines along sides decide both questions. A segment has two sides. */
#include "narrow/shape.h"

narrow_shape shape_of(const narrow_triangle *triangle, narrow_counts *counts)
{
    narrow_shape shape = {3, {triangle->corner[0], triangle->corner[1], triangle->corner[2]}};
    shape_sort3(shape.corner);
    if (vec3_equal(shape.corner[0], shape.corner[2]))
        shape.count = 1;
    else if (exact_collinear(shape.corner[0], shape.corner[1], shape.corner[2], &counts->exact_fallbacks))
    {
        shape.corner[1] = shape.corner[2];
        shape.count = 2;
    }
    return shape;
}

int shape_axis(const narrow_shape *a, const narrow_shape *b, narrow_counts *counts)
{
    uint64_t *fallbacks = &counts->exact_fallbacks;
    if (a->count < b->count)
        return shape_axis(b, a, counts);
    for (int axis = 0; axis < 3; axis++)
    {
        if (a->count == 3 && exact_orient2d(a->corner[0], a->corner[1], a->corner[2], axis, fallbacks) != 0)
            return axis;
        for (int i = 0; a->count == 2 && i < b->count; i++)
            if (exact_orient2d(a->corner[0], a->corner[1], b->corner[i], axis, fallbacks) != 0)
                return axis;
    }
    return -1;
}

bool shape_coplanar(const narrow_shape *a, const narrow_shape *b, narrow_counts *counts)
{
    uint64_t *fallbacks = &counts->exact_fallbacks;
    if (a->count < b->count)
        return shape_coplanar(b, a, counts);
    if (a->count == 2 && b->count == 2)
        return exact_orient3d(a->corner[0], a->corner[1], b->corner[0], b->corner[1], fallbacks) == 0;
    for (int i = 0; a->count == 3 && i < b->count; i++)
        if (exact_orient3d(a->corner[0], a->corner[1], a->corner[2], b->corner[i], fallbacks) != 0)
            return false;
    return true;
}

/* On one line: intervals in lexicographic order. */
static uint32_t meet_on_line(const narrow_shape *a, const narrow_shape *b)
{
    carom_vec3 low_a = a->corner[0], high_a = a->corner[a->count - 1];
    carom_vec3 low_b = b->corner[0], high_b = b->corner[b->count - 1];
    int b_ends_after = shape_compare(high_b, low_a), a_ends_after = shape_compare(high_a, low_b);
    if (b_ends_after < 0 || a_ends_after < 0)
        return CAROM_MEET_NONE;
    bool both_points = a->count == 1 && b->count == 1;
    return both_points || (b_ends_after > 0 && a_ends_after > 0) ? CAROM_MEET_CROSSING : CAROM_MEET_TOUCHING;
}

/* How far `other` is outside of the shape's sides: 1 strictly outside of one, 0 outside or on one, -1 neither. */
static int outside_of(const narrow_shape *shape, const narrow_shape *other, int axis, narrow_counts *counts)
{
    uint64_t *fallbacks = &counts->exact_fallbacks;
    const carom_vec3 *c = shape->corner;
    int turn = shape->count == 3 ? exact_orient2d(c[0], c[1], c[2], axis, fallbacks) : 1;
    int sides = shape->count == 1 ? 0 : shape->count, outside = -1;
    for (int i = 0; i < sides; i++)
    {
        int nearest = 1;
        for (int j = 0; j < other->count && nearest >= 0; j++)
        {
            int side = -turn * exact_orient2d(c[i], c[(i + 1) % sides], other->corner[j], axis, fallbacks);
            nearest = side < nearest ? side : nearest;
        }
        if (nearest > outside)
            outside = nearest;
        if (outside > 0)
            break;
    }
    return outside;
}

uint32_t shape_meet_flat(const narrow_shape *a, const narrow_shape *b, narrow_counts *counts)
{
    int axis = shape_axis(a, b, counts);
    if (axis < 0)
        return meet_on_line(a, b);
    int outside_a = outside_of(a, b, axis, counts);
    if (outside_a > 0)
        return CAROM_MEET_NONE;
    int outside_b = outside_of(b, a, axis, counts);
    if (outside_b > 0)
        return CAROM_MEET_NONE;
    return outside_a < 0 && outside_b < 0 ? CAROM_MEET_CROSSING : CAROM_MEET_TOUCHING;
}

/* A segment that is not in the triangle's plane. */
static uint32_t meet_segment(const narrow_shape *triangle, const narrow_shape *segment, narrow_counts *counts)
{
    uint64_t *fallbacks = &counts->exact_fallbacks;
    const carom_vec3 *c = triangle->corner, p = segment->corner[0], q = segment->corner[1];
    int side_p = exact_orient3d(c[0], c[1], c[2], p, fallbacks),
        side_q = exact_orient3d(c[0], c[1], c[2], q, fallbacks);
    if (side_p * side_q > 0)
        return CAROM_MEET_NONE;
    int lowest = 1, highest = -1;
    for (int i = 0; i < 3; i++)
    {
        int turn = exact_orient3d(p, q, c[i], c[(i + 1) % 3], fallbacks);
        lowest = turn < lowest ? turn : lowest;
        highest = turn > highest ? turn : highest;
    }
    if (lowest < 0 && highest > 0)
        return CAROM_MEET_NONE;
    return side_p * side_q < 0 && lowest * highest > 0 ? CAROM_MEET_CROSSING : CAROM_MEET_TOUCHING;
}

uint32_t shape_meet(const narrow_triangle *a, const narrow_triangle *b, narrow_counts *counts)
{
    narrow_shape shape_a = shape_of(a, counts), shape_b = shape_of(b, counts);
    if (shape_coplanar(&shape_a, &shape_b, counts))
    {
        uint32_t meeting = shape_meet_flat(&shape_a, &shape_b, counts);
        return meeting == CAROM_MEET_NONE ? meeting : meeting | CAROM_MEET_COPLANAR;
    }
    if (shape_a.count == 3 && shape_b.count == 2)
        return meet_segment(&shape_a, &shape_b, counts);
    if (shape_a.count == 2 && shape_b.count == 3)
        return meet_segment(&shape_b, &shape_a, counts);
    return CAROM_MEET_NONE;
}
