/* Separating planes of a box and a triangle: three along the axes, by comparison; the triangle's own; and those through
 * one of its edges and parallel to an axis, which are lines in the projection along that axis. Signs of determinants
 * only. docs/exactness.md, section 24, shows that these suffice. */
#include "scene/box.h"

bool box_has_point(const carom_aabb *box, carom_vec3 p)
{
    return box->min.x <= p.x && p.x <= box->max.x && box->min.y <= p.y && p.y <= box->max.y && box->min.z <= p.z &&
           p.z <= box->max.z;
}

/* Corner i has the larger x, y, z where bits 0, 1, 2 are set. */
static carom_vec3 corner_of(const carom_aabb *box, int i)
{
    return vec3(i & 1 ? box->max.x : box->min.x, i & 2 ? box->max.y : box->min.y, i & 4 ? box->max.z : box->min.z);
}

static bool is_beyond_face(const carom_aabb *box, const carom_vec3 c[3])
{
    return (c[0].x < box->min.x && c[1].x < box->min.x && c[2].x < box->min.x) ||
           (c[0].x > box->max.x && c[1].x > box->max.x && c[2].x > box->max.x) ||
           (c[0].y < box->min.y && c[1].y < box->min.y && c[2].y < box->min.y) ||
           (c[0].y > box->max.y && c[1].y > box->max.y && c[2].y > box->max.y) ||
           (c[0].z < box->min.z && c[1].z < box->min.z && c[2].z < box->min.z) ||
           (c[0].z > box->max.z && c[1].z > box->max.z && c[2].z > box->max.z);
}

/* Are all corners of the box strictly on one side of the triangle's plane? */
static bool is_off_plane(const carom_aabb *box, const carom_vec3 c[3], narrow_counts *counts)
{
    int side = 0;
    for (int i = 0; i < 8; i++)
    {
        int sign = exact_orient3d(c[0], c[1], c[2], corner_of(box, i), &counts->exact_fallbacks);
        if (sign == 0 || sign == -side)
            return false;
        side = sign;
    }
    return true;
}

/* In the projection along an axis: is all of the box strictly on the side of the line p q where the triangle, whose
 * third corner is r, is not? */
static bool is_off_edge(const carom_aabb *box, const carom_vec3 pqr[3], int axis, narrow_counts *counts)
{
    int side = 0, of_triangle = exact_orient2d(pqr[0], pqr[1], pqr[2], axis, &counts->exact_fallbacks);
    for (int i = 0; i < 8; i++)
    {
        if (i >> axis & 1) /* the same point of the projection as without that bit */
            continue;
        int sign = exact_orient2d(pqr[0], pqr[1], corner_of(box, i), axis, &counts->exact_fallbacks);
        if (sign == 0 || sign == of_triangle || sign == -side)
            return false;
        side = sign;
    }
    return true;
}

bool box_meets_triangle(const carom_aabb *box, const narrow_triangle *triangle, narrow_counts *counts)
{
    const carom_vec3 *c = triangle->corner;
    if (is_beyond_face(box, c))
        return false;
    for (int i = 0; i < 3; i++)
        if (box_has_point(box, c[i]))
            return true;
    if (is_off_plane(box, c, counts))
        return false;
    for (int i = 0; i < 3; i++)
    {
        const carom_vec3 pqr[3] = {c[i], c[(i + 1) % 3], c[(i + 2) % 3]};
        for (int axis = 0; axis < 3; axis++)
            if (is_off_edge(box, pqr, axis, counts))
                return false;
    }
    return true;
}

/* What is nearest to a point outside is on a face. */
bool box_meets_round(const carom_aabb *box, const narrow_round *round, narrow_counts *counts)
{
    static const uint8_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                         {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    if (box_has_point(box, round->end[0]) || box_has_point(box, round->end[1]))
        return true;
    for (int i = 0; i < 12; i++)
    {
        narrow_triangle face;
        for (int k = 0; k < 3; k++)
            face.corner[k] = corner_of(box, faces[i][k]);
        if (narrow_round_triangle_meet(round, &face, counts) != CAROM_MEET_NONE)
            return true;
    }
    return false;
}

double box_core(const carom_aabb *box, carom_vec3 ends[2])
{
    carom_vec3 size = vec3_sub(box->max, box->min);
    carom_vec3 middle = vec3(box->min.x + 0.5 * size.x, box->min.y + 0.5 * size.y, box->min.z + 0.5 * size.z);
    double largest = fmax(size.x, fmax(size.y, size.z)), scale = 0.0;
    ends[0] = ends[1] = middle;
    double across[2] = {size.y, size.z};
    if (size.x == largest)
        ends[0].x = box->min.x, ends[1].x = box->max.x;
    else if (size.y == largest)
        ends[0].y = box->min.y, ends[1].y = box->max.y, across[0] = size.x;
    else
        ends[0].z = box->min.z, ends[1].z = box->max.z, across[0] = size.x, across[1] = size.y;
    for (int i = 0; i < 8; i++)
    {
        carom_vec3 corner = corner_of(box, i);
        scale = fmax(scale, fmax(fabs(corner.x), fmax(fabs(corner.y), fabs(corner.z))));
    }
    /* More than the errors of the middle, which are units in the last place of a coordinate, and of what is here. */
    return hypot(0.5 * across[0], 0.5 * across[1]) * (1.0 + 0x1p-48) + 0x1p-48 * scale;
}
