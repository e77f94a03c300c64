/* Cells of a triangle. Every cell has a corner: a corner of the triangle, a corner of its intersection with another
 * triangle, or a crossing of two such intersections (cells_events.c). Around each of these points the directions in
 * which triangles leave it are sorted; between two that follow each other there is a cell, and a sample infinitely near
 * to the point tells on which side of it the solids are. That is worked out once per point: from one cell to the next,
 * only what leaves the point between them changes anything. docs/exactness.md proves that no cell is left out. */
#include "query/cells.h"

typedef struct around
{
    cells_task *task;
    cells_request request;
    local_face t;
    const exact_point *point;
    const query_words *flat; /* the other body's triangles that may be at a sample, in the plane of t */
    bool both;               /* see query_cells */
    cells_fn *on_cell;
    void *user;
} around;

/* What is known of a cell: how often the solids wind around its sides, how many of the other body's triangles lie on
 * it. */
typedef struct level
{
    int winding[2][2]; /* [body][side] */
    int on_other;
} level;

static bool is_wanted(const around *at, int body) { return at->both || body != at->request.body; }

static narrow_counts *counts_of(const around *at) { return at->task->counts; }

/* ---- directions ---- */

/* Adds the directions in which one triangle leaves the point within t. */
static carom_status add_ways(around *at, int body, uint32_t triangle)
{
    cells_task *task = at->task;
    query_cells *cells = task->cells;
    bool itself = body == at->request.body && triangle == at->request.triangle, flat = true;
    local_face b = itself ? at->t : cells_triangle(task, body, triangle);
    if (!itself && (b.sign == 0 || local_meets_at_edge(&at->t, &b, task->counts) ||
                    !local_holds_point(&b, at->point, task->counts)))
        return CAROM_OK;
    if (!itself)
        b = cells_triangle_beside(task, body, triangle, &at->t, &flat);
    exact_direction found[LOCAL_MAX_WAYS];
    int count = local_ways(&at->t, &b, at->point, found, task->counts);
    if (!base_array_reserve(task->query->context, &cells->ways, count))
        return cells_no_memory(task);
    for (int i = 0; i < count; i++)
        cells->ways.items[cells->ways.count++] = (query_way){
            .direction = found[i], .body = (uint32_t)body, .triangle = triangle, .itself = itself, .flat = flat};
    return CAROM_OK;
}

static carom_status collect_ways(around *at)
{
    query_cells *cells = at->task->cells;
    cells->ways.count = 0;
    for (int body = 0; body < 2; body++)
        for (size_t i = 0; is_wanted(at, body) && i < cells->on_line[body].count; i++)
            CELLS_TRY(add_ways(at, body, (uint32_t)cells->on_line[body].items[i]));
    return at->both ? CAROM_OK : add_ways(at, at->request.body, at->request.triangle);
}

static int compare_ways(const around *at, const query_way *a, const query_way *b)
{
    return a->half != b->half ? a->half - b->half : -local_turn(&at->t, &a->direction, &b->direction, counts_of(at));
}

static bool comes_before(uint64_t a, uint64_t b, void *user)
{
    const around *at = user;
    const query_way *ways = at->task->cells->ways.items;
    return compare_ways(at, &ways[a], &ways[b]) < 0;
}

/* Orders the ways counterclockwise; the values of cells->ranks are their indices. */
static carom_status sort_ways(around *at)
{
    query_cells *cells = at->task->cells;
    carom_context *context = at->task->query->context;
    size_t count = cells->ways.count;
    cells->ranks.count = cells->ranks_space.count = 0;
    if (!base_array_reserve(context, &cells->ranks, count) || !base_array_reserve(context, &cells->ranks_space, count))
        return cells_no_memory(at->task);
    for (size_t i = 0; i < count; i++)
    {
        query_way *way = &cells->ways.items[i];
        way->half = local_half_of(&at->t, &cells->ways.items[0].direction, &way->direction, counts_of(at));
        cells->ranks.items[i].value = i;
    }
    base_sort_by(cells->ranks.items, cells->ranks_space.items, count, comes_before, at);
    return CAROM_OK;
}

/* ---- one cell ---- */

/* The cell just counterclockwise of a direction. */
static local_sample sample_after(const around *at, const exact_direction *way)
{
    return (local_sample){.point = at->point, .way = {*way, local_turned(&at->t, way, counts_of(at))}, .count = 2};
}

/* How many of the other body's triangles are at this sample in the plane of t? */
static int count_on_other(const around *at, const local_sample *sample)
{
    int count = 0;
    for (size_t i = 0; i < at->flat->count; i++)
    {
        local_face b = cells_triangle(at->task, 1 - at->request.body, (uint32_t)at->flat->items[i]);
        count += local_holds(&b, sample, counts_of(at));
    }
    return count;
}

static exact_direction normal_of(const local_face *t, int side)
{
    return (exact_direction){
        .kind = EXACT_ALONG_NORMAL, .sign = side == 0 ? 1 : -1, .points = {t->corner[0], t->corner[1], t->corner[2]}};
}

static level level_at(const around *at, local_sample sample)
{
    level level = {.on_other = count_on_other(at, &sample)};
    sample.count = 3;
    for (int side = 0; side < 2; side++)
    {
        sample.way[2] = normal_of(&at->t, side);
        for (int body = 0; body < 2; body++)
            level.winding[body][side] = is_wanted(at, body) ? cells_winding(at->task, body, &sample) : 0;
    }
    return level;
}

/* False: the caller has seen enough. */
static bool report_cell(const around *at, const level *level)
{
    cells_cell cell = {.body = at->request.body, .both = at->both, .on_other = level->on_other > 0};
    if (!at->both && cell.on_other)
        return true;
    for (int side = 0; side < 2; side++)
        for (int body = 0; body < 2; body++)
            cell.inside[body][side] = level->winding[body][side] != 0;
    return at->on_cell(&cell, at->user);
}

/* ---- all around the point ---- */

/* An edge of b that leaves the plane of t, upwards. */
static exact_direction rising_edge(const around *at, const local_face *b)
{
    exact_direction edge = {.kind = EXACT_ALONG_EDGE, .sign = 1, .points = {b->corner[0], b->corner[1]}};
    int height = exact_height_of_direction(at->t.corner, &edge, &counts_of(at)->exact_fallbacks);
    if (height == 0)
    {
        edge.points[1] = b->corner[2];
        height = exact_height_of_direction(at->t.corner, &edge, &counts_of(at)->exact_fallbacks);
    }
    edge.sign = height;
    return edge;
}

/* Counterclockwise past a triangle that stands on the plane of t, or passes through it: the sides of t on which it
 * continues are then on its other side. */
static void pass_wall(const around *at, const query_way *way, level *level)
{
    narrow_counts *counts = counts_of(at);
    local_face b = cells_triangle(at->task, (int)way->body, way->triangle);
    exact_direction turned = local_turned(&at->t, &way->direction, counts), rising = rising_edge(at, &b);
    int outwards = exact_height_of_direction(b.corner, &turned, &counts->exact_fallbacks);
    for (int side = 0; side < 2; side++)
    {
        local_sample sample = {.point = at->point, .way = {way->direction, rising}, .count = 2};
        sample.way[1].sign *= side == 0 ? 1 : -1;
        if (local_holds(&b, &sample, counts))
            level->winding[way->body][side] -= outwards;
    }
}

static void pass_way(const around *at, const query_way *way, level *level)
{
    if (way->itself || (way->flat && (int)way->body == at->request.body))
        return;
    if (!way->flat)
    {
        if (at->task->bodies[way->body].solid)
            pass_wall(at, way, level);
        return;
    }
    local_sample sample = sample_after(at, &way->direction);
    local_face b = cells_triangle(at->task, (int)way->body, way->triangle);
    level->on_other += local_holds(&b, &sample, counts_of(at)) ? 1 : -1;
}

/* Ways [first, last) of the order are the same direction. */
typedef struct way_group
{
    size_t first, last;
    bool bounds; /* an edge of t is among them */
} way_group;

static way_group group_from(const around *at, size_t first)
{
    const query_cells *cells = at->task->cells;
    const base_key_value *order = cells->ranks.items;
    const query_way *ways = cells->ways.items, *way = &ways[order[first].value];
    way_group group = {first, first, false};
    while (group.last < cells->ways.count &&
           (group.last == first || compare_ways(at, way, &ways[order[group.last].value]) == 0))
        group.bounds |= ways[order[group.last++].value].itself;
    return group;
}

static const exact_direction *direction_of(const around *at, const way_group *group)
{
    const query_cells *cells = at->task->cells;
    return &cells->ways.items[cells->ranks.items[group->first].value].direction;
}

/* Where t begins, going counterclockwise; anywhere if the point is not on its boundary. */
static way_group find_start(const around *at)
{
    size_t count = at->task->cells->ways.count;
    for (way_group group = {0, 0, false}; group.last < count;)
    {
        group = group_from(at, group.last);
        if (!group.bounds)
            continue;
        local_sample sample = sample_after(at, direction_of(at, &group));
        if (local_holds(&at->t, &sample, counts_of(at)))
            return group;
    }
    return group_from(at, 0);
}

static carom_status report_cells(around *at)
{
    const query_cells *cells = at->task->cells;
    const exact_direction any = {.kind = EXACT_ALONG_EDGE, .sign = 1, .points = {at->t.corner[0], at->t.corner[1]}};
    if (cells->ways.count == 0)
    {
        level level = level_at(at, sample_after(at, &any));
        return report_cell(at, &level) ? CAROM_OK : CAROM_STOPPED;
    }
    CELLS_TRY(sort_ways(at));
    way_group start = find_start(at), group = start;
    level level = level_at(at, sample_after(at, direction_of(at, &start)));
    do
    {
        if (!report_cell(at, &level))
            return CAROM_STOPPED;
        group = group_from(at, group.last < cells->ways.count ? group.last : 0);
        for (size_t i = group.first; i < group.last; i++)
            pass_way(at, &cells->ways.items[cells->ranks.items[i].value], &level);
    } while (group.first != start.first && !group.bounds);
    return CAROM_OK;
}

/* Rays leave the plane of t as steeply as possible: so they meet little of what touches t. */
static carom_status find_around(around *at)
{
    for (int body = 0; body < 2; body++)
        if (is_wanted(at, body))
            CELLS_TRY(cells_find_on_line(at->task, body, at->point, at->t.axis));
    return CAROM_OK;
}

/* Finds the other body's triangles around a point, in the plane of t. */
static carom_status collect_flat(around *at)
{
    query_cells *cells = at->task->cells;
    int other = 1 - at->request.body;
    const query_words *others = &cells->on_line[other];
    at->flat = &cells->flat_here;
    cells->flat_here.count = 0;
    if (!base_array_reserve(at->task->query->context, &cells->flat_here, others->count))
        return cells_no_memory(at->task);
    for (size_t i = 0; i < others->count; i++)
    {
        local_face b = cells_triangle(at->task, other, (uint32_t)others->items[i]);
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

/* What the point was worth: searches, and what they found. */
static size_t cost_of_point(const around *at)
{
    const query_cells *cells = at->task->cells;
    size_t cost = 2 + cells->ways.count;
    for (int body = 0; body < 2; body++)
        cost += is_wanted(at, body) ? cells->on_line[body].count : 0;
    return cost;
}

carom_status cells_winding_beside(cells_task *task, const local_face *t, int body, int side, int *out)
{
    const exact_point middle = local_middle(t);
    const exact_direction edge = {.kind = EXACT_ALONG_EDGE, .sign = 1, .points = {t->corner[0], t->corner[1]}};
    const around at = {.task = task, .t = *t, .point = &middle};
    local_sample sample = sample_after(&at, &edge);
    sample.way[2] = normal_of(t, side), sample.count = 3;
    CELLS_TRY(cells_find_on_line(task, body, &middle, t->axis));
    *out = cells_winding(task, body, &sample);
    return CAROM_OK;
}

/* ---- all cells of a triangle ---- */

/* Nothing cuts t: it is one cell, and any sample will do. */
static carom_status report_whole(const around *given)
{
    around own = *given, *at = &own;
    const exact_point middle = local_middle(&at->t);
    const exact_direction edge = {.kind = EXACT_ALONG_EDGE, .sign = 1, .points = {at->t.corner[0], at->t.corner[1]}};
    at->point = &middle, at->flat = &at->task->cells->flat;
    const local_sample sample = sample_after(at, &edge);
    if (!at->both && (at->task->cells->covered || count_on_other(at, &sample) > 0))
        return CAROM_OK;
    CELLS_TRY(find_around(at));
    level level = level_at(at, sample);
    return report_cell(at, &level) ? CAROM_OK : CAROM_STOPPED;
}

static carom_status report_events(around *at)
{
    query_cells *cells = at->task->cells;
    while (cells->next < cells->order.count)
    {
        at->point = &cells->events.items[cells->order.items[cells->next].value];
        CELLS_TRY(examine_point(at));
        cells->next++;
        CELLS_TRY(cells_pay(at->task, cost_of_point(at)));
    }
    return CAROM_OK;
}

carom_status cells_of_triangle(cells_task *task, cells_request request, cells_fn *on_cell, void *user)
{
    around at = {.task = task,
                 .request = request,
                 .t = cells_triangle(task, request.body, request.triangle),
                 .on_cell = on_cell,
                 .user = user};
    bool whole;
    if (at.t.sign == 0)
        return CAROM_OK;
    CELLS_TRY(cells_find_events(task, &request, &at.t, &whole));
    at.both = task->cells->both;
    carom_status status = whole ? report_whole(&at) : report_events(&at);
    if (status != CAROM_UNKNOWN)
        task->cells->phase = 0;
    return status;
}

carom_status cells_at_point(cells_task *task, cells_request request, const exact_point *point, cells_fn *on_cell,
                            void *user)
{
    around at = {.task = task,
                 .request = request,
                 .t = cells_triangle(task, request.body, request.triangle),
                 .point = point,
                 .both = request.scope == CELLS_OF_BOTH,
                 .on_cell = on_cell,
                 .user = user};
    if (at.t.sign == 0)
        return CAROM_OK;
    CELLS_TRY(examine_point(&at));
    return cells_pay(task, cost_of_point(&at));
}
