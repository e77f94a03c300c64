/* The points two triangles have in common. Which points there are is decided by exact signs, only their coordinates are
 * rounded, each to the nearest double, so nothing depends on the order of the arguments. */
#include "narrow/shape.h"

/* A point of the intersection: a corner is exact, a crossing of two features is rounded. */
typedef struct contact_point
{
    carom_vec3 position;
    bool is_corner;
    uint32_t on_edges; /* bit i: edge i of a; bit 3 + i: edge i of b (flat case only) */
} contact_point;

/* Two descriptions of the same point: crossings are correctly rounded, so they have the same bits. */
static contact_point merge(contact_point p, contact_point q) { return p.is_corner ? p : q; }

static contact_point edge_on_plane(const narrow_edge *edge, const narrow_triangle *plane)
{
    if (edge->other_side == 0)
        return (contact_point){edge->other, true, 0};
    if (edge->apex_side == 0)
        return (contact_point){edge->apex, true, 0};
    return (contact_point){exact_pass3d(plane->corner, edge->apex, edge->other), false, 0};
}

/* ---- two planes ---- */

static uint32_t contact_on_line(const narrow_triangle *a, const narrow_triangle *b, const narrow_intervals *in,
                                carom_vec3 out[6], narrow_counts *counts)
{
    int low_order = interval_order(in, &in->low_a, &in->low_b, counts);
    int high_order = interval_order(in, &in->high_a, &in->high_b, counts);
    bool low_is_a = low_order <= 0, low_is_b = low_order >= 0;
    bool high_is_a = high_order >= 0, high_is_b = high_order <= 0;
    /* The common interval is one point if some description of its low end is one of its high end. */
    bool single = (low_is_a && high_is_a && in->low_a.apex_side == 0) ||
                  (low_is_b && high_is_b && in->low_b.apex_side == 0) ||
                  (low_is_a && high_is_b && interval_order(in, &in->low_a, &in->high_b, counts) == 0) ||
                  (low_is_b && high_is_a && interval_order(in, &in->high_a, &in->low_b, counts) == 0);
    contact_point low = edge_on_plane(low_is_a ? &in->low_a : &in->low_b, low_is_a ? b : a);
    contact_point high = edge_on_plane(high_is_a ? &in->high_a : &in->high_b, high_is_a ? b : a);
    if (low_is_a && low_is_b)
        low = merge(low, edge_on_plane(&in->low_b, a));
    if (high_is_a && high_is_b)
        high = merge(high, edge_on_plane(&in->high_b, a));
    if (single)
    {
        out[0] = merge(low, high).position;
        return 1;
    }
    out[0] = low.position, out[1] = high.position;
    shape_sort2(&out[0], &out[1]);
    return 2;
}

/* ---- one plane or one line ---- */

/* Bits of the shape's edges that the point lies on; *inside: whether it belongs to the shape at all. */
static uint32_t edges_at(const narrow_shape *shape, carom_vec3 point, int axis, bool *inside, narrow_counts *counts)
{
    uint64_t *fallbacks = &counts->exact_fallbacks;
    const carom_vec3 *c = shape->corner;
    *inside = false;
    if (shape->count == 3)
    {
        uint32_t on = 0;
        int turn = exact_orient2d(c[0], c[1], c[2], axis, fallbacks);
        for (int i = 0; i < 3; i++)
        {
            int side = turn * exact_orient2d(c[i], c[(i + 1) % 3], point, axis, fallbacks);
            if (side < 0)
                return 0;
            on |= (uint32_t)(side == 0) << i;
        }
        *inside = true;
        return on;
    }
    *inside = shape_compare(c[0], point) <= 0 && shape_compare(point, c[shape->count - 1]) <= 0 &&
              (axis < 0 || shape->count == 1 || exact_orient2d(c[0], c[1], point, axis, fallbacks) == 0);
    return 0;
}

typedef struct contact_list
{
    contact_point point[6];
    uint32_t count;
} contact_list;

/* Corners of `shape` that lie in `other`. They are extreme points of the intersection because they are of the shape. */
static void add_corners(contact_list *list, const narrow_shape *shape, const narrow_shape *other, int axis,
                        const int first_bit[2], narrow_counts *counts)
{
    for (int i = 0; i < shape->count; i++)
    {
        bool inside;
        uint32_t own = shape->count == 3 ? 1u << i | 1u << (i + 2) % 3 : 0;
        uint32_t on = edges_at(other, shape->corner[i], axis, &inside, counts) << first_bit[1] | own << first_bit[0];
        if (!inside)
            continue;
        bool known = false;
        for (uint32_t k = 0; k < list->count; k++)
            if (vec3_equal(list->point[k].position, shape->corner[i]))
            {
                list->point[k].on_edges |= on;
                known = true;
            }
        if (!known)
            list->point[list->count++] = (contact_point){shape->corner[i], true, on};
    }
}

static void add_passings(contact_list *list, const narrow_shape *a, const narrow_shape *b, int axis,
                         narrow_counts *counts)
{
    uint64_t *fallbacks = &counts->exact_fallbacks;
    int edges_a = a->count == 3 ? 3 : a->count - 1, edges_b = b->count == 3 ? 3 : b->count - 1;
    for (int i = 0; i < edges_a; i++)
        for (int j = 0; j < edges_b; j++)
        {
            carom_vec3 p[2] = {a->corner[i], a->corner[(i + 1) % a->count]};
            carom_vec3 q[2] = {b->corner[j], b->corner[(j + 1) % b->count]};
            if (exact_orient2d(p[0], p[1], q[0], axis, fallbacks) * exact_orient2d(p[0], p[1], q[1], axis, fallbacks) >=
                    0 ||
                exact_orient2d(q[0], q[1], p[0], axis, fallbacks) * exact_orient2d(q[0], q[1], p[1], axis, fallbacks) >=
                    0)
                continue;
            list->point[list->count++] = (contact_point){exact_pass2d(q, p[0], p[1], axis), false, 1u << i | 8u << j};
        }
}

/* Corners of a strictly convex polygon are neighbours iff they share a supporting line, and every side of the polygon
 * lies on an edge of a or of b: so the edges they lie on give the order, whatever rounding did to the coordinates. */
static void order_ring(contact_list *list)
{
    contact_point *p = list->point;
    for (uint32_t i = 0; i + 1 < list->count; i++)
        for (uint32_t j = i + 1; j < list->count; j++)
            if (p[i].on_edges & p[j].on_edges)
            {
                contact_point t = p[i + 1];
                p[i + 1] = p[j], p[j] = t;
                break;
            }
}

/* Is the ring read from `start` in steps of `step` lexicographically before `out`? */
static bool reads_before(const contact_list *list, uint32_t start, uint32_t step, const carom_vec3 *out)
{
    for (uint32_t i = 0; i < list->count; i++)
    {
        int order = shape_compare(list->point[(start + i * step) % list->count].position, out[i]);
        if (order != 0)
            return order < 0;
    }
    return false;
}

/* Of all ways to read the ring, the one that comes first. Comparing whole rings, not only where they start, matters
 * where different corners were rounded to one position. */
static void write_ring(const contact_list *list, carom_vec3 out[6])
{
    uint32_t n = list->count;
    for (uint32_t i = 0; i < n; i++)
        out[i] = list->point[i].position;
    for (uint32_t way = 1; way < 2 * n; way++)
    {
        uint32_t start = way / 2, step = way % 2 ? n - 1 : 1;
        if (!reads_before(list, start, step, out))
            continue;
        for (uint32_t i = 0; i < n; i++)
            out[i] = list->point[(start + i * step) % n].position;
    }
}

static uint32_t contact_flat(const narrow_shape *a, const narrow_shape *b, carom_vec3 out[6], narrow_counts *counts)
{
    int axis = shape_axis(a, b, counts);
    contact_list list = {.count = 0};
    add_corners(&list, a, b, axis, (const int[]){0, 3}, counts);
    add_corners(&list, b, a, axis, (const int[]){3, 0}, counts);
    if (axis >= 0)
        add_passings(&list, a, b, axis, counts);
    if (list.count > 2)
        order_ring(&list);
    if (list.count > 0)
        write_ring(&list, out);
    return list.count;
}

/* ---- all cases ---- */

static uint32_t contact_of_shapes(const narrow_triangle *a, const narrow_triangle *b, carom_vec3 out[6],
                                  narrow_counts *counts)
{
    narrow_shape shape_a = shape_of(a, counts), shape_b = shape_of(b, counts);
    if (shape_coplanar(&shape_a, &shape_b, counts))
        return contact_flat(&shape_a, &shape_b, out, counts);
    const narrow_shape *triangle = shape_a.count == 3 ? &shape_a : &shape_b;
    const narrow_shape *segment = shape_a.count == 3 ? &shape_b : &shape_a;
    if (triangle->count != 3 || segment->count != 2 || shape_meet(a, b, counts) == CAROM_MEET_NONE)
        return 0;
    const carom_vec3 *c = triangle->corner;
    for (int i = 0; i < 2; i++)
        if (exact_orient3d(c[0], c[1], c[2], segment->corner[i], &counts->exact_fallbacks) == 0)
        {
            out[0] = segment->corner[i];
            return 1;
        }
    out[0] = exact_pass3d(c, segment->corner[0], segment->corner[1]);
    return 1;
}

uint32_t narrow_contact(const narrow_triangle *a, const narrow_triangle *b, carom_vec3 out[6], narrow_counts *counts)
{
    int side_a[3], side_b[3];
    plane_sides(b->corner, a->corner, side_a, counts);
    plane_sides(a->corner, b->corner, side_b, counts);
    if ((side_a[0] | side_a[1] | side_a[2]) == 0 || (side_b[0] | side_b[1] | side_b[2]) == 0)
        return contact_of_shapes(a, b, out, counts);
    bool apart_a = side_a[0] == side_a[1] && side_a[0] == side_a[2];
    bool apart_b = side_b[0] == side_b[1] && side_b[0] == side_b[2];
    if (apart_a || apart_b)
        return 0;
    narrow_intervals intervals = intervals_of(a, b, side_a, side_b);
    if (interval_order(&intervals, &intervals.low_a, &intervals.high_b, counts) < 0 ||
        interval_order(&intervals, &intervals.high_a, &intervals.low_b, counts) > 0)
        return 0;
    return contact_on_line(a, b, &intervals, out, counts);
}
