/* The points of a triangle that may be corners of its cells: corners of the triangle, corners of its intersections with
 * others, and crossings of two of those (cells_join.c). Each step is recorded before it is paid for, so that a budget
 * can end the search anywhere and the next call goes on. */
#include "query/cells.h"

static double coordinate(carom_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

/* ---- what another triangle leaves ---- */

/* Does an edge of a triangle divide nothing within its plane, since the only neighbour there continues it? */
static bool is_continued(const cells_task *task, int body, uint32_t triangle, int edge, const local_face *b)
{
    const carom_mesh *mesh = task->bodies[body].mesh.mesh;
    uint32_t neighbour = mesh->neighbours[3 * (size_t)triangle + (size_t)edge];
    if (neighbour == MESH_NONE || neighbour == triangle)
        return false;
    local_face other = cells_triangle(task, body, neighbour);
    carom_vec3 from = b->corner[edge], to = b->corner[(edge + 1) % 3];
    for (int i = 0; i < 3 && other.sign != 0; i++)
        if (vec3_equal(other.corner[i], to) && vec3_equal(other.corner[(i + 1) % 3], from))
            return local_coplanar(b, &other, task->counts) &&
                   b->sign * exact_orient2d(from, to, other.corner[(i + 2) % 3], b->axis,
                                            &task->counts->exact_fallbacks) <
                       0;
    return false;
}

local_face cells_triangle_beside(const cells_task *task, int body, uint32_t triangle, const local_face *t, bool *flat)
{
    local_face b = cells_triangle(task, body, triangle);
    *flat = b.sign != 0 && local_coplanar(t, &b, task->counts);
    for (int edge = 0; edge < 3 && *flat; edge++)
        if (is_continued(task, body, triangle, edge, &b))
            b.edges &= ~(1u << edge);
    return b;
}

static bool add_events(cells_task *task, const exact_point *points, int count)
{
    query_cells *cells = task->cells;
    if (!base_array_reserve(task->query->context, &cells->events, (size_t)count))
        return false;
    for (int i = 0; i < count; i++)
        cells->events.items[cells->events.count++] = points[i];
    return true;
}

/* On which edges of t is a point of it? A bit each. */
static unsigned edges_at(const cells_task *task, const local_face *t, const exact_point *point)
{
    unsigned mask = 0;
    for (int i = 0; i < 3; i++)
    {
        carom_vec3 edge[2] = {t->corner[i], t->corner[(i + 1) % 3]};
        if (exact_side_of_point(edge, t->axis, point, &task->counts->exact_fallbacks) == 0)
            mask |= 1u << i;
    }
    return mask;
}

/* Where t and b meet: points of t, the corners of t in b added to those that local_events finds. */
typedef struct meeting
{
    exact_point points[LOCAL_MAX_EVENTS + 3];
    int events, count, corners;
} meeting;

static void find_meeting(const cells_task *task, const local_face *t, const local_face *b, meeting *out)
{
    out->events = out->count = local_events(t, b, out->points, task->counts);
    out->corners = 0;
    for (int i = 0; i < 3; i++)
    {
        exact_point corner = local_given(t->corner[i]);
        if (local_holds_point(b, &corner, task->counts))
            out->points[out->count++] = corner, out->corners++;
    }
}

/* Is the intersection more than a point or a part of an edge of t, and does it not cover t? Only then does it divide t.
 */
static bool is_cutting(const cells_task *task, const local_face *t, const meeting *at)
{
    unsigned common = 7;
    for (int i = 0; i < at->count && common != 0; i++)
        common &= edges_at(task, t, &at->points[i]);
    return common == 0 && at->count > 1 && at->corners < 3;
}

static bool push_cut(cells_task *task, const query_cut *cut)
{
    if (!base_array_reserve(task->query->context, &task->cells->cuts, 1))
        return false;
    task->cells->cuts.items[task->cells->cuts.count++] = *cut;
    return true;
}

static void set_end(query_cut *cut, int which, const local_face *t, const exact_point *point)
{
    double u = coordinate(point->rounded, (t->axis + 1) % 3), v = coordinate(point->rounded, (t->axis + 2) % 3);
    cut->end[which][0] = u, cut->end[which][1] = v;
    cut->given[which] = point->kind == EXACT_POINT_GIVEN;
    cut->pad = fmax(cut->pad, 4.0 * point->error + 0x1p-48 * (fabs(u) + fabs(v)));
}

/* The two points of a segment that are farthest apart along one of the axes. */
static void set_ends(query_cut *cut, const local_face *t, const meeting *at)
{
    double longest = -1.0;
    for (int i = 1; i <= 2; i++)
    {
        int axis = (t->axis + i) % 3, low = 0, high = 0;
        for (int k = 1; k < at->count; k++)
        {
            double value = coordinate(at->points[k].rounded, axis);
            low = value < coordinate(at->points[low].rounded, axis) ? k : low;
            high = value > coordinate(at->points[high].rounded, axis) ? k : high;
        }
        double length = coordinate(at->points[high].rounded, axis) - coordinate(at->points[low].rounded, axis);
        if (length > longest)
            longest = length, set_end(cut, 0, t, &at->points[low]), set_end(cut, 1, t, &at->points[high]);
    }
}

/* The segments that a triangle leaves in t: where it cuts the plane of t, or its edges in that plane. */
static bool add_cuts(cells_task *task, const local_face *t, const local_face *b, query_cut cut, const meeting *at)
{
    if (cut.edge == 3)
    {
        set_ends(&cut, t, at);
        return push_cut(task, &cut);
    }
    for (int edge = 0; edge < 3; edge++)
    {
        if (!(b->edges >> edge & 1))
            continue;
        const exact_point ends[2] = {local_given(b->corner[edge]), local_given(b->corner[(edge + 1) % 3])};
        cut.edge = edge, cut.pad = 0.0;
        set_end(&cut, 0, t, &ends[0]), set_end(&cut, 1, t, &ends[1]);
        if (!push_cut(task, &cut))
            return false;
    }
    return true;
}

static carom_status take_flat(cells_task *task, uint32_t triangle)
{
    query_words *others = &task->cells->flat;
    if (!base_array_reserve(task->query->context, others, 1))
        return cells_no_memory(task);
    others->items[others->count++] = triangle;
    return CAROM_OK;
}

/* ---- who looks at what two triangles share ---- */

static double size_of(const local_face *t)
{
    carom_vec3 low = vec3_min(t->corner[0], vec3_min(t->corner[1], t->corner[2])),
               high = vec3_max(t->corner[0], vec3_max(t->corner[1], t->corner[2])), size = vec3_sub(high, low);
    return fmax(size.x, fmax(size.y, size.z));
}

/* The first word of the list that is not below the value. */
static size_t rank_of(const query_words *words, uint64_t value)
{
    size_t low = 0, high = words->count;
    while (low < high)
    {
        size_t middle = low + (high - low) / 2;
        if (words->items[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

cells_partners cells_partners_of(const cells_task *task, int body, uint32_t triangle)
{
    const query_words *all = task->partners[body];
    size_t first = rank_of(all, query_pack(triangle, 0, 0)), last = first;
    while (last < all->count && query_unpack(all->items[last]).triangle_a == triangle)
        last++;
    return (cells_partners){all->items + first, last - first};
}

size_t cells_crowd_of(const cells_task *task, int body, uint32_t triangle)
{
    const carom_mesh *mesh = task->bodies[body].mesh.mesh;
    size_t most = 0;
    for (int i = 0; i < 3 && task->crowd[body]; i++)
    {
        uint64_t vertex = mesh->merged[mesh->indices[3 * (size_t)triangle + (size_t)i]];
        size_t count = rank_of(task->crowd[body], (vertex + 1) << 32) - rank_of(task->crowd[body], vertex << 32);
        most = count > most ? count : most;
    }
    return most;
}

/* What is on both surfaces is looked at from one of them. Not from triangles of a large fan, since each of them has all
 * the others for neighbours; otherwise from the larger one, which may replace many. */
bool cells_is_owner(const cells_task *task, const cells_request *request, const local_face *t, uint32_t triangle,
                    const local_face *b)
{
    int other = 1 - request->body;
    size_t crowd = cells_crowd_of(task, request->body, request->triangle),
           others = cells_crowd_of(task, other, triangle);
    if (crowd != others)
        return crowd < others;
    double size = size_of(t), size_b = size_of(b);
    return size != size_b ? size > size_b : request->body == 0;
}

/* What meets t in a point or in an edge of it divides nothing. */
static carom_status take_neighbour(cells_task *task, const cells_request *request, const local_face *t, int body,
                                   uint32_t triangle)
{
    query_cells *cells = task->cells;
    bool own = body == request->body;
    narrow_triangle there = tree_world_triangle(&task->bodies[body].mesh, triangle);
    if (local_boxes_apart(t->corner, there.corner))
        return CAROM_OK;
    local_face b = local_make(&there, task->counts);
    if (b.sign == 0 || local_meets_at_edge(t, &b, task->counts) || local_stands_on(t, &b, task->counts))
        return CAROM_OK;
    narrow_triangle here = {{t->corner[0], t->corner[1], t->corner[2]}};
    if ((own || !task->partners[body]) && !narrow_touches(&here, &there, task->counts))
        return CAROM_OK;
    bool flat;
    b = cells_triangle_beside(task, body, triangle, t, &flat);
    if (flat && !own)
    {
        CELLS_TRY(take_flat(task, triangle));
        cells->both = cells->both || cells_is_owner(task, request, t, triangle, &b);
    }
    if (b.edges == 0)
        return CAROM_OK;
    meeting at;
    find_meeting(task, t, &b, &at);
    cells->covered |= flat && !own && at.corners == 3;
    if (!is_cutting(task, t, &at))
        return CAROM_OK;
    const query_cut cut = {.body = (uint32_t)body, .triangle = triangle, .edge = flat ? 0 : 3};
    return add_events(task, at.points, at.events) && add_cuts(task, t, &b, cut, &at) ? CAROM_OK : cells_no_memory(task);
}

/* ---- crossings ---- */

carom_status cells_reserve_order(cells_task *task, size_t count)
{
    query_cells *cells = task->cells;
    cells->order.count = cells->order_space.count = 0;
    return base_array_reserve(task->query->context, &cells->order, count) &&
                   base_array_reserve(task->query->context, &cells->order_space, count)
               ? CAROM_OK
               : cells_no_memory(task);
}

static carom_status add_crossing(cells_task *task, const local_face *t, const query_cut *a, const query_cut *b)
{
    const local_cut first = {cells_triangle(task, (int)a->body, a->triangle), a->edge},
                    second = {cells_triangle(task, (int)b->body, b->triangle), b->edge};
    exact_point point;
    int count = local_crossing(t, &first, &second, &point, task->counts);
    return add_events(task, &point, count) ? CAROM_OK : cells_no_memory(task);
}

static carom_status add_crossings(cells_task *task, const local_face *t)
{
    query_cells *cells = task->cells;
    while (cells->next < cells->pairs.count)
    {
        uint64_t pair = cells->pairs.items[cells->next];
        CELLS_TRY(add_crossing(task, t, &cells->cuts.items[pair >> 32], &cells->cuts.items[pair & UINT32_MAX]));
        cells->next++;
        CELLS_TRY(cells_pay(task, 1));
    }
    return CAROM_OK;
}

/* ---- each once ---- */

static uint64_t hash_event(const exact_point *event)
{
    base_hash hash = base_hash_begin();
    int count = event->kind == EXACT_POINT_GIVEN ? 1 : event->kind == EXACT_POINT_CUT ? 5 : 9;
    for (int k = 0; k < count; k++)
    {
        base_hash_double(&hash, event->points[k].x + 0.0);
        base_hash_double(&hash, event->points[k].y + 0.0);
        base_hash_double(&hash, event->points[k].z + 0.0);
    }
    return base_hash_end(&hash);
}

static bool same_event(const exact_point *a, const exact_point *b)
{
    bool same = a->kind == b->kind;
    for (int i = 0; i < 9 && same; i++)
        same = vec3_equal(a->points[i], b->points[i]);
    return same;
}

carom_status cells_unite_events(cells_task *task)
{
    query_cells *cells = task->cells;
    size_t count = cells->events.count, kept = 0;
    CELLS_TRY(cells_reserve_order(task, count));
    base_key_value *order = cells->order.items;
    for (size_t i = 0; i < count; i++)
        order[i] = (base_key_value){hash_event(&cells->events.items[i]), i};
    base_sort_keys(order, cells->order_space.items, count);
    const exact_point *events = cells->events.items;
    for (size_t i = 0; i < count; i++)
        if (i == 0 || order[i].key != order[kept - 1].key ||
            !same_event(&events[order[i].value], &events[order[kept - 1].value]))
            order[kept++] = order[i];
    cells->order.count = kept;
    return CAROM_OK;
}

/* ---- the steps of the search ---- */

enum
{
    PHASE_BEGIN,
    PHASE_OTHER, /* the other body's triangles near t */
    PHASE_OWN,
    PHASE_CROSS,
    PHASE_UNITE,
    PHASE_DONE
};

/* The other body's triangles that meet it, where all pairs are known. */
static carom_status list_partners(const cells_task *task, const cells_request *request, query_words *out)
{
    const cells_partners partners = cells_partners_of(task, request->body, request->triangle);
    out->count = 0;
    if (!base_array_reserve(task->query->context, out, partners.count))
        return cells_no_memory(task);
    for (size_t i = 0; i < partners.count; i++)
        out->items[out->count++] = cells_partner(partners.items[i]);
    return CAROM_OK;
}

static carom_status search(cells_task *task, const cells_request *request, int body, const local_face *t)
{
    query_words *near = &task->cells->near[body];
    if (body != request->body && task->partners[body])
        CELLS_TRY(list_partners(task, request, near));
    else
        CELLS_TRY(cells_find_near(task, body, t->corner, near));
    return cells_pay(task, near->count + 1);
}

static carom_status begin(cells_task *task, const cells_request *request, const local_face *t)
{
    query_cells *cells = task->cells;
    cells->events.count = cells->flat.count = cells->cuts.count = cells->next = 0;
    cells->both = request->scope == CELLS_OF_BOTH, cells->covered = false;
    exact_point corners[3] = {local_given(t->corner[0]), local_given(t->corner[1]), local_given(t->corner[2])};
    if (!add_events(task, corners, 3))
        return cells_no_memory(task);
    cells->phase = PHASE_OTHER;
    return search(task, request, 1 - request->body, t);
}

static carom_status take_neighbours(cells_task *task, const cells_request *request, int body, const local_face *t)
{
    query_cells *cells = task->cells;
    while (cells->next < cells->near[body].count)
    {
        uint32_t triangle = (uint32_t)cells->near[body].items[cells->next];
        if (body != request->body || triangle != request->triangle)
            CELLS_TRY(take_neighbour(task, request, t, body, triangle));
        cells->next++;
        CELLS_TRY(cells_pay(task, 1));
    }
    cells->next = 0;
    return CAROM_OK;
}

carom_status cells_find_events(cells_task *task, const cells_request *request, const local_face *t, bool *whole)
{
    query_cells *cells = task->cells;
    if (cells->phase == PHASE_BEGIN)
        CELLS_TRY(begin(task, request, t));
    if (cells->phase == PHASE_OTHER)
    {
        CELLS_TRY(take_neighbours(task, request, 1 - request->body, t));
        cells->phase = PHASE_OWN, cells->near[request->body].count = 0;
        if (cells->both)
            CELLS_TRY(search(task, request, request->body, t));
    }
    if (cells->phase == PHASE_OWN)
    {
        CELLS_TRY(take_neighbours(task, request, request->body, t));
        CELLS_TRY(cells_join_cuts(task));
        cells->phase = PHASE_CROSS;
        CELLS_TRY(cells_pay(task, cells->compared / 8));
    }
    if (cells->phase == PHASE_CROSS)
    {
        CELLS_TRY(add_crossings(task, t));
        cells->phase = PHASE_UNITE;
    }
    if (cells->phase == PHASE_UNITE)
    {
        CELLS_TRY(cells_unite_events(task));
        cells->phase = PHASE_DONE, cells->next = 0;
    }
    *whole = cells->cuts.count == 0;
    return CAROM_OK;
}
