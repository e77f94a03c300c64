/* Cells of a triangle. Every cell has a corner: a corner of the triangle, a corner of its intersection with another
 * triangle, or a crossing of two such intersections (cells_events.c). Around each of these points the directions in
 * which triangles leave it are sorted; between two that follow each other there is a cell, and a sample infinitely near
 * to the point tells on which side of it the solids are. docs/exactness.md proves that no cell is left out. */
#include "query/cells.h"

typedef struct around
{
    cells_task *task;
    int body;
    uint32_t triangle;
    local_face t;
    const exact_point *point;
    const query_words *flat; /* the other body's triangles that may be at a sample, in the plane of t */
    cells_fn *on_cell;
    void *user;
} around;

/* Collects the directions in which triangles leave the point within t. */
static carom_status collect_ways(around *at)
{
    cells_task *task = at->task;
    query_cells *cells = task->cells;
    cells->ways.count = 0;
    for (int body = 0; body < 2; body++)
        for (size_t i = 0; i < cells->on_line[body].count; i++)
        {
            uint32_t other = (uint32_t)cells->on_line[body].items[i];
            bool itself = body == at->body && other == at->triangle, flat;
            local_face b = itself ? at->t : cells_triangle(task, body, other);
            if (!itself && (b.sign == 0 || local_meets_at_edge(&at->t, &b, task->counts) ||
                            !local_holds_point(&b, at->point, task->counts)))
                continue;
            if (!itself)
                b = cells_triangle_beside(task, body, other, &at->t, &flat);
            if (!base_array_reserve(task->query->context, &cells->ways, LOCAL_MAX_WAYS))
                return cells_no_memory(task);
            cells->ways.count +=
                (size_t)local_ways(&at->t, &b, at->point, cells->ways.items + cells->ways.count, task->counts);
        }
    return CAROM_OK;
}

/* Merges two sorted runs of indices of ways. */
static void merge_ways(around *at, uint64_t *from, uint64_t *to, const size_t bounds[3])
{
    const exact_direction *ways = at->task->cells->ways.items;
    size_t left = bounds[0], right = bounds[1];
    for (size_t i = bounds[0]; i < bounds[2]; i++)
    {
        bool take_left =
            left < bounds[1] && (right >= bounds[2] || local_compare_ways(&at->t, &ways[0], &ways[from[left]],
                                                                          &ways[from[right]], at->task->counts) <= 0);
        to[i] = take_left ? from[left++] : from[right++];
    }
}

/* Orders the ways counterclockwise; cells->ranks holds their indices. */
static carom_status sort_ways(around *at)
{
    query_cells *cells = at->task->cells;
    carom_context *context = at->task->query->context;
    size_t count = cells->ways.count;
    cells->ranks.count = cells->ranks_space.count = 0;
    if (!base_array_reserve(context, &cells->ranks, count) || !base_array_reserve(context, &cells->ranks_space, count))
        return cells_no_memory(at->task);
    uint64_t *from = cells->ranks.items, *to = cells->ranks_space.items;
    for (size_t i = 0; i < count; i++)
        from[i] = i;
    for (size_t width = 1; width < count; width *= 2)
    {
        for (size_t first = 0; first < count; first += 2 * width)
        {
            size_t middle = first + width < count ? first + width : count,
                   end = first + 2 * width < count ? first + 2 * width : count;
            merge_ways(at, from, to, (size_t[3]){first, middle, end});
        }
        uint64_t *swap = from;
        from = to, to = swap;
    }
    if (from != cells->ranks.items)
        memcpy(cells->ranks.items, from, count * sizeof *from);
    return CAROM_OK;
}

/* Does the other body have a triangle at this sample in the plane of t? */
static bool is_on_other(const around *at, const local_sample *sample)
{
    for (size_t i = 0; i < at->flat->count; i++)
    {
        local_face b = cells_triangle(at->task, 1 - at->body, (uint32_t)at->flat->items[i]);
        if (local_holds(&b, sample, at->task->counts))
            return true;
    }
    return false;
}

/* The cell just counterclockwise of a direction; none if that is outside of t. */
static bool report_cell(const around *at, const exact_direction *way)
{
    local_sample sample = {.point = at->point, .way = {*way, local_turned(&at->t, way, at->task->counts)}, .count = 2};
    if (!local_holds(&at->t, &sample, at->task->counts))
        return true;
    cells_cell cell = {.body = at->body, .on_other = is_on_other(at, &sample)};
    exact_direction *normal = &sample.way[2];
    *normal =
        (exact_direction){.kind = EXACT_ALONG_NORMAL, .points = {at->t.corner[0], at->t.corner[1], at->t.corner[2]}};
    sample.count = 3;
    for (int side = 0; side < 2; side++)
    {
        normal->sign = side == 0 ? 1 : -1;
        for (int body = 0; body < 2; body++)
            cell.inside[body][side] = cells_is_inside(at->task, body, &sample);
    }
    return at->on_cell(&cell, at->user);
}

static carom_status report_cells(around *at)
{
    const query_cells *cells = at->task->cells;
    const exact_direction any = {.kind = EXACT_ALONG_EDGE, .sign = 1, .points = {at->t.corner[0], at->t.corner[1]}};
    if (cells->ways.count == 0)
        return report_cell(at, &any) ? CAROM_OK : CAROM_STOPPED;
    CELLS_TRY(sort_ways(at));
    const uint64_t *order = cells->ranks.items;
    for (size_t i = 0; i < cells->ways.count; i++)
    {
        const exact_direction *way = &cells->ways.items[order[i]];
        bool repeated = i > 0 && local_compare_ways(&at->t, &cells->ways.items[0], &cells->ways.items[order[i - 1]],
                                                    way, at->task->counts) == 0;
        if (!repeated && !report_cell(at, way))
            return CAROM_STOPPED;
    }
    return CAROM_OK;
}

/* Rays leave the plane of t as steeply as possible: so they meet little of what touches t. */
static carom_status find_around(around *at)
{
    for (int body = 0; body < 2; body++)
        CELLS_TRY(cells_find_on_line(at->task, body, at->point, at->t.axis));
    return CAROM_OK;
}

/* Finds the other body's triangles around a point, in the plane of t. */
static carom_status collect_flat(around *at)
{
    query_cells *cells = at->task->cells;
    const query_words *others = &cells->on_line[1 - at->body];
    at->flat = &cells->flat_here;
    cells->flat_here.count = 0;
    if (!base_array_reserve(at->task->query->context, &cells->flat_here, others->count))
        return cells_no_memory(at->task);
    for (size_t i = 0; i < others->count; i++)
    {
        local_face b = cells_triangle(at->task, 1 - at->body, (uint32_t)others->items[i]);
        if (b.sign != 0 && local_coplanar(&at->t, &b, at->task->counts))
            cells->flat_here.items[cells->flat_here.count++] = others->items[i];
    }
    return CAROM_OK;
}

static carom_status examine_point(around *at)
{
    CELLS_TRY(find_around(at));
    CELLS_TRY(collect_flat(at));
    CELLS_TRY(collect_ways(at));
    return report_cells(at);
}

/* What the point was worth: searches, and a sum over triangles for each direction. */
static size_t cost_of_point(const query_cells *cells)
{
    return 2 + (cells->on_line[0].count + cells->on_line[1].count) * (cells->ways.count + 1);
}

/* Nothing cuts t: it is one cell, and any sample will do. */
static carom_status report_whole(around *at)
{
    const exact_point middle = local_middle(&at->t);
    const exact_direction edge = {.kind = EXACT_ALONG_EDGE, .sign = 1, .points = {at->t.corner[0], at->t.corner[1]}};
    at->point = &middle, at->flat = &at->task->cells->flat;
    CELLS_TRY(find_around(at));
    return report_cell(at, &edge) ? CAROM_OK : CAROM_STOPPED;
}

static carom_status report_events(around *at)
{
    query_cells *cells = at->task->cells;
    while (cells->next < cells->order.count)
    {
        at->point = &cells->events.items[cells->order.items[cells->next].value];
        CELLS_TRY(examine_point(at));
        cells->next++;
        CELLS_TRY(cells_pay(at->task, cost_of_point(cells)));
    }
    return CAROM_OK;
}

carom_status cells_of_triangle(cells_task *task, int body, uint32_t triangle, cells_fn *on_cell, void *user)
{
    around at = {.task = task,
                 .body = body,
                 .triangle = triangle,
                 .t = cells_triangle(task, body, triangle),
                 .on_cell = on_cell,
                 .user = user};
    bool whole;
    if (at.t.sign == 0)
        return CAROM_OK;
    CELLS_TRY(cells_find_events(task, body, triangle, &at.t, &whole));
    carom_status status = whole ? report_whole(&at) : report_events(&at);
    if (status != CAROM_UNKNOWN)
        task->cells->phase = 0;
    return status;
}

carom_status cells_at_point(cells_task *task, int body, uint32_t triangle, const exact_point *point, cells_fn *on_cell,
                            void *user)
{
    around at = {.task = task,
                 .body = body,
                 .triangle = triangle,
                 .t = cells_triangle(task, body, triangle),
                 .point = point,
                 .on_cell = on_cell,
                 .user = user};
    if (at.t.sign == 0)
        return CAROM_OK;
    CELLS_TRY(examine_point(&at));
    return cells_pay(task, cost_of_point(task->cells));
}
