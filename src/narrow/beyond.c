/* Triangles of one surface that have corners in common: do they meet anywhere else? All of it is decided by the sides
 * of points and by parts of the triangles that meet, exactly. */
#include "narrow/narrow.h"

/* What the two have in common, and what is left of each: positions of corners, each once. */
typedef struct beyond_case
{
    carom_vec3 common[3];
    int common_count;
    carom_vec3 rest[2][3]; /* corners of a and b that are at no common position */
    int rest_count[2];
    bool flat[2]; /* a segment or a point */
} beyond_case;

static bool is_among(carom_vec3 p, const carom_vec3 *list, int count)
{
    for (int i = 0; i < count; i++)
        if (vec3_equal(p, list[i]))
            return true;
    return false;
}

static beyond_case split(const narrow_triangle *a, const narrow_triangle *b, uint32_t shared, narrow_counts *counts)
{
    const narrow_triangle *both[2] = {a, b};
    beyond_case out = {0};
    for (int i = 0; i < 9; i++)
        if ((shared >> i & 1) && !is_among(a->corner[i / 3], out.common, out.common_count))
            out.common[out.common_count++] = a->corner[i / 3];
    for (int s = 0; s < 2; s++)
    {
        const carom_vec3 *corner = both[s]->corner;
        out.flat[s] = exact_collinear(corner[0], corner[1], corner[2], &counts->exact_fallbacks);
        for (int k = 0; k < 3; k++)
            if (!is_among(corner[k], out.common, out.common_count))
                out.rest[s][out.rest_count[s]++] = corner[k];
    }
    return out;
}

static bool segment_touches(carom_vec3 p, carom_vec3 q, const narrow_triangle *triangle, narrow_counts *counts)
{
    return narrow_touches(&(narrow_triangle){{p, q, q}}, triangle, counts);
}

/* With one common point, what both share is a convex set around it. If there is more, it ends where one of the two
 * does: at the opposite edge of a triangle, or at an end of a segment. */
static bool leaves_point(const beyond_case *c, int side, const narrow_triangle *other, narrow_counts *counts)
{
    const carom_vec3 *rest = c->rest[side];
    if (!c->flat[side])
        return segment_touches(rest[0], rest[1], other, counts);
    for (int k = 0; k < c->rest_count[side]; k++)
        if (segment_touches(rest[k], rest[k], other, counts))
            return true;
    return false;
}

/* Two triangles on a common edge: only if they are in one plane and on the same side. */
static bool folds_back(const beyond_case *c, narrow_counts *counts)
{
    carom_vec3 p = c->common[0], q = c->common[1], a = c->rest[0][0], b = c->rest[1][0];
    if (exact_orient3d(p, q, a, b, &counts->exact_fallbacks) != 0)
        return false;
    for (int axis = 0; axis < 3; axis++)
    {
        int side_a = exact_orient2d(p, q, a, axis, &counts->exact_fallbacks);
        if (side_a != 0)
            return side_a == exact_orient2d(p, q, b, axis, &counts->exact_fallbacks);
    }
    return false;
}

/* Segments on one line: the end of one that is in the other, but not between the common points. */
static bool leaves_edge(const beyond_case *c, int side, const narrow_triangle *other, narrow_counts *counts)
{
    narrow_triangle edge = {{c->common[0], c->common[1], c->common[1]}};
    for (int k = 0; k < c->rest_count[side]; k++)
    {
        carom_vec3 end = c->rest[side][k];
        if (segment_touches(end, end, other, counts) && !segment_touches(end, end, &edge, counts))
            return true;
    }
    return false;
}

bool narrow_meets_beyond(const narrow_triangle *a, const narrow_triangle *b, uint32_t shared, narrow_counts *counts)
{
    if (shared == 0)
        return narrow_touches(a, b, counts);
    beyond_case c = split(a, b, shared, counts);
    if (c.common_count == 1)
        return leaves_point(&c, 0, b, counts) || leaves_point(&c, 1, a, counts);
    if (c.common_count == 3)
        return !c.flat[0];
    if (!c.flat[0] && !c.flat[1])
        return folds_back(&c, counts);
    return c.flat[0] && c.flat[1] && (leaves_edge(&c, 0, b, counts) || leaves_edge(&c, 1, a, counts));
}
