/* Surfaces around one exact point. See local.h. */
#include "narrow/local.h"

#include "narrow/shape.h"

static double coordinate(carom_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

/* Axes by the size of the normal's component along them, so that the first mostly does. */
local_face local_make(const narrow_triangle *triangle, narrow_counts *counts)
{
    const carom_vec3 *c = triangle->corner;
    local_face out = {{c[0], c[1], c[2]}, 0, 0, LOCAL_ALL_EDGES};
    carom_vec3 normal = vec3_cross(vec3_sub(c[1], c[0]), vec3_sub(c[2], c[0]));
    double size[3] = {fabs(normal.x), fabs(normal.y), fabs(normal.z)};
    int first = size[0] >= size[1] ? (size[0] >= size[2] ? 0 : 2) : (size[1] >= size[2] ? 1 : 2);
    for (int i = 0; i < 3 && out.sign == 0; i++)
    {
        out.axis = (first + i) % 3;
        out.sign = exact_normal_sign(c, out.axis, &counts->exact_fallbacks);
    }
    return out;
}

void local_extent(const local_face *b, carom_vec3 out[2])
{
    out[0] = out[1] = b->corner[0];
    for (int i = 1; i < 3; i++)
    {
        carom_vec3 p = b->corner[i], low = out[0], high = out[1];
        bool below = p.x != low.x ? p.x < low.x : p.y != low.y ? p.y < low.y : p.z < low.z;
        bool above = p.x != high.x ? p.x > high.x : p.y != high.y ? p.y > high.y : p.z > high.z;
        if (below)
            out[0] = p;
        if (above)
            out[1] = p;
    }
}

/* ---- samples ---- */

/* Seen along an axis: on which side of the line from u to v? */
static int side_of(carom_vec3 u, carom_vec3 v, int axis, const local_sample *sample, narrow_counts *counts)
{
    carom_vec3 line[2] = {u, v};
    if (coordinate(u, (axis + 1) % 3) == coordinate(v, (axis + 1) % 3) &&
        coordinate(u, (axis + 2) % 3) == coordinate(v, (axis + 2) % 3))
        return 0; /* a point */
    int side = exact_side_of_point(line, axis, sample->point, &counts->exact_fallbacks);
    for (int i = 0; i < sample->count && side == 0; i++)
        side = exact_side_of_direction(line, axis, &sample->way[i], &counts->exact_fallbacks);
    return side;
}

static int height_of(const carom_vec3 plane[3], const local_sample *sample, narrow_counts *counts)
{
    int height = exact_height_of_point(plane, sample->point, &counts->exact_fallbacks);
    for (int i = 0; i < sample->count && height == 0; i++)
        height = exact_height_of_direction(plane, &sample->way[i], &counts->exact_fallbacks);
    return height;
}

bool local_holds(const local_face *triangle, const local_sample *sample, narrow_counts *counts)
{
    const carom_vec3 *c = triangle->corner;
    for (int i = 0; i < 3; i++)
        if (triangle->sign * side_of(c[i], c[(i + 1) % 3], triangle->axis, sample, counts) < 0)
            return false;
    return true;
}

bool local_holds_point(const local_face *triangle, const exact_point *point, narrow_counts *counts)
{
    local_sample sample = {.point = point};
    return exact_height_of_point(triangle->corner, point, &counts->exact_fallbacks) == 0 &&
           local_holds(triangle, &sample, counts);
}

bool local_coplanar(const local_face *a, const local_face *b, narrow_counts *counts)
{
    for (int i = 0; i < 3; i++)
        if (exact_orient3d(a->corner[0], a->corner[1], a->corner[2], b->corner[i], &counts->exact_fallbacks) != 0)
            return false;
    return true;
}

/* Side as seen along the axis of a ray, with the last steps along the next two axes; 0 only if u and v coincide there.
 */
static int moved_side(carom_vec3 u, carom_vec3 v, int axis, const local_sample *sample, narrow_counts *counts)
{
    int side = side_of(u, v, axis, sample, counts);
    if (side != 0)
        return side;
    double first = coordinate(v, (axis + 1) % 3) - coordinate(u, (axis + 1) % 3),
           second = coordinate(v, (axis + 2) % 3) - coordinate(u, (axis + 2) % 3);
    if (second != 0.0)
        return second < 0.0 ? 1 : -1;
    return (first > 0.0) - (first < 0.0);
}

int local_winding(const carom_vec3 c[3], int axis, const local_sample *sample, narrow_counts *counts)
{
    int turn = moved_side(c[0], c[1], axis, sample, counts);
    if (turn == 0 || moved_side(c[1], c[2], axis, sample, counts) != turn ||
        moved_side(c[2], c[0], axis, sample, counts) != turn)
        return 0;
    return height_of(c, sample, counts) * turn < 0 ? turn : 0;
}

/* Is all of a triangle certainly beside the ray from about this point along an axis, or behind the point? */
static bool is_off_ray(const carom_vec3 c[3], int axis, const exact_point *point)
{
    for (int i = 0; i < 3; i++)
    {
        double p = coordinate(point->rounded, i), low = p - point->error, high = p + point->error;
        double x = coordinate(c[0], i), y = coordinate(c[1], i), z = coordinate(c[2], i);
        if ((x < low && y < low && z < low) || (i != axis && x > high && y > high && z > high))
            return true;
    }
    return false;
}

bool local_winding_around(const carom_vec3 c[3], int axis, const exact_point *point, int *winding,
                          narrow_counts *counts)
{
    *winding = 0;
    if (is_off_ray(c, axis, point))
        return true;
    int side[3];
    for (int i = 0; i < 3; i++)
    {
        const carom_vec3 line[2] = {c[i], c[(i + 1) % 3]};
        side[i] = exact_side_of_point(line, axis, point, &counts->exact_fallbacks);
        for (int k = 0; k < i; k++)
            if (side[i] * side[k] < 0)
                return true;
    }
    if (side[0] == 0 || side[1] == 0 || side[2] == 0)
        return false;
    int height = exact_height_of_point(c, point, &counts->exact_fallbacks);
    *winding = height * side[0] < 0 ? side[0] : 0;
    return height != 0;
}

/* ---- events ---- */

exact_point local_given(carom_vec3 p) { return (exact_point){.kind = EXACT_POINT_GIVEN, .points = {p}, .rounded = p}; }

exact_point local_middle(const local_face *t)
{
    exact_point point = {.kind = EXACT_POINT_MIDDLE, .points = {t->corner[0], t->corner[1], t->corner[2]}};
    exact_point_round(&point);
    return point;
}

static bool comes_before(carom_vec3 a, carom_vec3 b)
{
    return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
}

/* Ends in lexicographic order: two triangles with this edge make the same point of it. */
static exact_point cut(carom_vec3 p, carom_vec3 q, const carom_vec3 plane[3])
{
    bool swap = comes_before(q, p);
    exact_point point = {.kind = EXACT_POINT_CUT, .points = {swap ? q : p, swap ? p : q, plane[0], plane[1], plane[2]}};
    exact_point_round(&point);
    return point;
}

typedef struct event_list
{
    exact_point *points;
    int count;
} event_list;

static void add_if_held(event_list *list, const local_face *holder, exact_point point, narrow_counts *counts)
{
    local_sample sample = {.point = &point};
    if (local_holds(holder, &sample, counts))
        list->points[list->count++] = point;
}

/* The plane through an edge, parallel to an axis. */
static void plane_of_edge(carom_vec3 out[3], carom_vec3 p, carom_vec3 q, int axis)
{
    double *moved = axis == 0 ? &out[2].x : axis == 1 ? &out[2].y : &out[2].z;
    out[0] = p, out[1] = q, out[2] = p;
    *moved = coordinate(p, axis) == 0.0 ? 1.0 : 0.0;
}

/* Two edges in one plane, seen along an axis: where they cross, if each has its ends strictly on both sides of the
 * other's line. */
static void cross_edges(event_list *list, const carom_vec3 a[2], const carom_vec3 b[2], const local_face *t,
                        narrow_counts *counts)
{
    uint64_t *fallbacks = &counts->exact_fallbacks;
    int axis = t->axis;
    if (exact_orient2d(b[0], b[1], a[0], axis, fallbacks) * exact_orient2d(b[0], b[1], a[1], axis, fallbacks) >= 0 ||
        exact_orient2d(a[0], a[1], b[0], axis, fallbacks) * exact_orient2d(a[0], a[1], b[1], axis, fallbacks) >= 0)
        return;
    carom_vec3 plane[3];
    plane_of_edge(plane, b[0], b[1], axis);
    add_if_held(list, t, cut(a[0], a[1], plane), counts);
}

/* Edges of `a` that pass strictly through the plane of `b`, at a point that is in b and in `holder`. */
static void pierce(event_list *list, const local_face *a, const local_face *b, const local_face *holder,
                   narrow_counts *counts)
{
    int height[3];
    for (int i = 0; i < 3; i++)
        height[i] = exact_orient3d(b->corner[0], b->corner[1], b->corner[2], a->corner[i], &counts->exact_fallbacks);
    for (int i = 0; i < 3; i++)
    {
        int next = (i + 1) % 3;
        if (height[i] * height[next] >= 0 || !(a->edges >> i & 1))
            continue;
        exact_point point = cut(a->corner[i], a->corner[next], b->corner);
        local_sample sample = {.point = &point};
        if (local_holds(b, &sample, counts))
            add_if_held(list, holder, point, counts);
    }
}

static void edge_of(carom_vec3 out[2], const local_face *t, int edge)
{
    out[0] = t->corner[edge], out[1] = t->corner[(edge + 1) % 3];
}

static bool has_corner(const local_face *t, carom_vec3 p)
{
    return vec3_equal(t->corner[0], p) || vec3_equal(t->corner[1], p) || vec3_equal(t->corner[2], p);
}

bool local_meets_at_edge(const local_face *t, const local_face *b, narrow_counts *counts)
{
    const carom_vec3 *c = t->corner;
    int above = 0, below = 0, shared = 0, level = 0;
    for (int i = 0; i < 3; i++)
    {
        bool own = has_corner(t, b->corner[i]);
        int height = own ? 0 : exact_orient3d(c[0], c[1], c[2], b->corner[i], &counts->exact_fallbacks);
        shared += own, level += height == 0, above += height > 0, below += height < 0;
    }
    return above * below == 0 && (level < 2 || (level == 2 && shared == 2));
}

bool local_stands_on(const local_face *t, const local_face *b, narrow_counts *counts)
{
    const carom_vec3 *c = b->corner;
    int above = 0, below = 0;
    for (int i = 0; i < 3; i++)
    {
        int height = exact_orient3d(c[0], c[1], c[2], t->corner[i], &counts->exact_fallbacks);
        above += height > 0, below += height < 0;
    }
    return above * below == 0 && above + below > 0;
}

void local_sides(const carom_vec3 plane[3], const carom_vec3 points[3], int out[3], narrow_counts *counts)
{
    plane_sides(plane, points, out, counts);
}

/* Is all of b beyond an edge of `a`, or on its line? */
static bool is_beyond_edge(const local_face *a, const local_face *b, narrow_counts *counts)
{
    for (int i = 0; i < 3; i++)
    {
        carom_vec3 from = a->corner[i], to = a->corner[(i + 1) % 3];
        bool beyond = true;
        for (int k = 0; k < 3 && beyond; k++)
            beyond = a->sign * exact_orient2d(from, to, b->corner[k], a->axis, &counts->exact_fallbacks) <= 0;
        if (beyond)
            return true;
    }
    return false;
}

/* Is one of them beyond the other along an axis? Then they share no area. */
static bool is_beyond_along(const carom_vec3 a[3], const carom_vec3 b[3], int axis)
{
    double low_a = coordinate(a[0], axis), high_a = low_a, low_b = coordinate(b[0], axis), high_b = low_b;
    for (int i = 1; i < 3; i++)
    {
        double at_a = coordinate(a[i], axis), at_b = coordinate(b[i], axis);
        low_a = at_a < low_a ? at_a : low_a, high_a = at_a > high_a ? at_a : high_a;
        low_b = at_b < low_b ? at_b : low_b, high_b = at_b > high_b ? at_b : high_b;
    }
    return high_a <= low_b || high_b <= low_a;
}

bool local_overlaps(const local_face *a, const local_face *b, narrow_counts *counts)
{
    return !is_beyond_along(a->corner, b->corner, (a->axis + 1) % 3) &&
           !is_beyond_along(a->corner, b->corner, (a->axis + 2) % 3) && !is_beyond_edge(a, b, counts) &&
           !is_beyond_edge(b, a, counts);
}

int local_events(const local_face *t, const local_face *b, exact_point out[LOCAL_MAX_EVENTS], narrow_counts *counts)
{
    event_list list = {out, 0};
    for (int i = 0; i < 3; i++)
    {
        exact_point corner = local_given(b->corner[i]);
        bool bounds = (b->edges >> i | b->edges >> (i + 2) % 3) & 1;
        if (bounds && local_holds_point(t, &corner, counts))
            out[list.count++] = corner;
    }
    if (!local_coplanar(t, b, counts))
    {
        pierce(&list, b, t, t, counts);
        pierce(&list, t, b, b, counts);
        return list.count;
    }
    carom_vec3 edge_t[2], edge_b[2];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
        {
            edge_of(edge_t, t, i), edge_of(edge_b, b, k);
            if (b->edges >> k & 1)
                cross_edges(&list, edge_t, edge_b, t, counts);
        }
    return list.count;
}

int local_passes(const local_face *b, const carom_vec3 end[2], exact_point out[LOCAL_MAX_EVENTS], narrow_counts *counts)
{
    event_list list = {out, 0};
    int height[2];
    for (int i = 0; i < 2; i++)
        height[i] = exact_orient3d(b->corner[0], b->corner[1], b->corner[2], end[i], &counts->exact_fallbacks);
    if (height[0] * height[1] < 0)
        add_if_held(&list, b, cut(end[0], end[1], b->corner), counts);
    carom_vec3 edge[2];
    for (int i = 0; height[0] == 0 && height[1] == 0 && i < 3; i++)
    {
        edge_of(edge, b, i);
        cross_edges(&list, end, edge, b, counts);
    }
    return list.count;
}

/* An edge in the plane of t and another face. */
static void cross_edge_and_face(event_list *list, const carom_vec3 edge[2], const local_face *c, const local_face *t,
                                narrow_counts *counts)
{
    uint64_t *fallbacks = &counts->exact_fallbacks;
    if (exact_orient3d(c->corner[0], c->corner[1], c->corner[2], edge[0], fallbacks) *
            exact_orient3d(c->corner[0], c->corner[1], c->corner[2], edge[1], fallbacks) >=
        0)
        return;
    exact_point point = cut(edge[0], edge[1], c->corner);
    local_sample sample = {.point = &point};
    if (local_holds(c, &sample, counts))
        add_if_held(list, t, point, counts);
}

static void cross_faces(event_list *list, const local_face *b, const local_face *c, const local_face *t,
                        narrow_counts *counts)
{
    exact_direction line = {
        .kind = EXACT_ALONG_LINE,
        .sign = 1,
        .points = {b->corner[0], b->corner[1], b->corner[2], c->corner[0], c->corner[1], c->corner[2]}};
    if (exact_height_of_direction(t->corner, &line, &counts->exact_fallbacks) == 0)
        return; /* the three planes have no single point in common */
    exact_point point = {.kind = EXACT_POINT_CROSS};
    for (int i = 0; i < 3; i++)
        point.points[i] = t->corner[i], point.points[3 + i] = b->corner[i], point.points[6 + i] = c->corner[i];
    exact_point_round(&point);
    local_sample sample = {.point = &point};
    if (local_holds(b, &sample, counts) && local_holds(c, &sample, counts))
        add_if_held(list, t, point, counts);
}

int local_crossing(const local_face *t, const local_cut *first, const local_cut *second, exact_point *out,
                   narrow_counts *counts)
{
    event_list list = {out, 0};
    carom_vec3 edge[2], other[2];
    const local_cut *flat = first->edge < 3 ? first : second, *rest = first->edge < 3 ? second : first;
    if (flat->edge == 3)
        cross_faces(&list, &first->face, &second->face, t, counts);
    else if (rest->edge == 3)
        edge_of(edge, &flat->face, flat->edge), cross_edge_and_face(&list, edge, &rest->face, t, counts);
    else
        edge_of(edge, &flat->face, flat->edge), edge_of(other, &rest->face, rest->edge),
            cross_edges(&list, edge, other, t, counts);
    return list.count;
}

/* ---- directions ---- */

static void add_way(exact_direction *out, int *count, const local_face *t, const local_face *b,
                    const exact_point *point, exact_direction way, narrow_counts *counts)
{
    local_sample sample = {.point = point, .way = {way}, .count = 1};
    if (local_holds(b, &sample, counts) && local_holds(t, &sample, counts))
        out[(*count)++] = way;
}

/* The line where two planes meet: along an edge of b if that is in the plane of t, which makes signs cheaper. */
static exact_direction line_between(const local_face *t, const local_face *b, narrow_counts *counts)
{
    const carom_vec3 *p = t->corner, *q = b->corner;
    int height[3];
    for (int i = 0; i < 3; i++)
        height[i] = exact_orient3d(p[0], p[1], p[2], q[i], &counts->exact_fallbacks);
    for (int i = 0; i < 3; i++)
        if (height[i] == 0 && height[(i + 1) % 3] == 0)
            return (exact_direction){.kind = EXACT_ALONG_EDGE, .points = {q[i], q[(i + 1) % 3]}};
    return (exact_direction){.kind = EXACT_ALONG_LINE, .points = {p[0], p[1], p[2], q[0], q[1], q[2]}};
}

int local_ways(const local_face *t, const local_face *b, const exact_point *point, exact_direction out[LOCAL_MAX_WAYS],
               narrow_counts *counts)
{
    int count = 0;
    if (!local_coplanar(t, b, counts))
    {
        exact_direction way = line_between(t, b, counts);
        for (way.sign = -1; way.sign <= 1; way.sign += 2)
            add_way(out, &count, t, b, point, way, counts);
        return count;
    }
    for (int i = 0; i < 3; i++)
    {
        exact_direction way = {.kind = EXACT_ALONG_EDGE, .points = {b->corner[i], b->corner[(i + 1) % 3]}};
        if (!(b->edges >> i & 1) || exact_side_of_point(way.points, t->axis, point, &counts->exact_fallbacks) != 0)
            continue;
        for (way.sign = -1; way.sign <= 1; way.sign += 2)
            add_way(out, &count, t, b, point, way, counts);
    }
    return count;
}

/* Seen from where t's normal points to. */
int local_turn(const local_face *t, const exact_direction *from, const exact_direction *to, narrow_counts *counts)
{
    return t->sign * exact_turn(from, to, t->axis, &counts->exact_fallbacks);
}

/* Two parallel directions in the plane of t: do they point the same way? */
static bool same_way(const local_face *t, const exact_direction *a, const exact_direction *b, narrow_counts *counts)
{
    int axis = (t->axis + 1) % 3, sign = exact_direction_sign(a, axis, &counts->exact_fallbacks);
    if (sign == 0)
        axis = (t->axis + 2) % 3, sign = exact_direction_sign(a, axis, &counts->exact_fallbacks);
    return sign == exact_direction_sign(b, axis, &counts->exact_fallbacks);
}

int local_half_of(const local_face *t, const exact_direction *first, const exact_direction *way, narrow_counts *counts)
{
    int turn = local_turn(t, first, way, counts);
    return turn < 0 || (turn == 0 && !same_way(t, first, way, counts));
}

exact_direction local_turned(const local_face *t, const exact_direction *way, narrow_counts *counts)
{
    exact_direction edge = {.kind = EXACT_ALONG_EDGE, .sign = 1, .points = {t->corner[0], t->corner[1]}};
    int turn = local_turn(t, way, &edge, counts);
    if (turn == 0)
    {
        edge.points[1] = t->corner[2];
        turn = local_turn(t, way, &edge, counts);
    }
    edge.sign = turn;
    return edge;
}
