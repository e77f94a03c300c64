/* A sphere or capsule that triangles of a solid mesh enter: is all of it in the mesh's point set? It is if both sides
 * are filled wherever a triangle is in the open solid. A triangle that is one cell, or whose cells are all alike, tells
 * that at once. Otherwise the point of an open cell that is nearest to the core is a corner of the cell, or it is
 * nearest on one of the lines that bound it, or in the plane: all of these are looked at. docs/exactness.md has the
 * proof. */
#include "query/solids.h"

typedef struct round_task
{
    cells_task *cells;
    int body;
    uint32_t triangle;
    local_face t;
    const narrow_round *round;
    bool empty; /* an empty side within the solid */
} round_task;

static bool note_sides(const cells_cell *cell, void *user)
{
    query_evidence *evidence = user;
    const bool *inside = cell->inside[cell->body];
    *(inside[0] && inside[1] ? &evidence->closed_cell : &evidence->open_cell) = true;
    return !(evidence->open_cell && evidence->closed_cell);
}

static bool note_emptiness(const cells_cell *cell, void *user)
{
    bool *empty = user;
    const bool *inside = cell->inside[cell->body];
    *empty |= !inside[0] || !inside[1];
    return !*empty;
}

/* Looks at the cells around a point of the plane of t, if it is in t and in the open solid. */
static carom_status take_point(round_task *task, const exact_point *point)
{
    narrow_counts *counts = task->cells->counts;
    const local_sample sample = {.point = point};
    if (task->empty || !local_holds(&task->t, &sample, counts) ||
        !exact_point_within(point, task->round->end, task->round->radius, &counts->exact_fallbacks))
        return CAROM_OK;
    const cells_request request = {task->body, task->triangle, CELLS_OF_BOTH};
    carom_status status = cells_at_point(task->cells, request, point, note_emptiness, &task->empty);
    return status == CAROM_STOPPED || status == CAROM_UNKNOWN ? CAROM_OK : status;
}

static carom_status take_made_point(round_task *task, exact_point point)
{
    if (task->empty || !exact_point_exists(&point))
        return CAROM_OK;
    exact_point_round(&point);
    return take_point(task, &point);
}

/* Of the core: its ends, and its line. */
static void core_line(const round_task *task, int which, carom_vec3 out[2])
{
    out[0] = task->round->end[which == 1 ? 1 : 0], out[1] = task->round->end[which == 0 ? 0 : 1];
}

static carom_status take_edge(round_task *task, carom_vec3 p, carom_vec3 q)
{
    for (int which = 0; which < 3; which++)
    {
        carom_vec3 line[2];
        core_line(task, which, line);
        CELLS_TRY(
            take_made_point(task, (exact_point){.kind = EXACT_POINT_ON_EDGE, .points = {p, q, line[0], line[1]}}));
    }
    return CAROM_OK;
}

static carom_status take_line(round_task *task, const local_face *b)
{
    const carom_vec3 *t = task->t.corner, *c = b->corner;
    for (int which = 0; which < 3; which++)
    {
        carom_vec3 line[2];
        core_line(task, which, line);
        CELLS_TRY(
            take_made_point(task, (exact_point){.kind = EXACT_POINT_ON_LINE,
                                                .points = {line[0], line[1], t[0], t[1], t[2], c[0], c[1], c[2]}}));
    }
    return CAROM_OK;
}

/* Where the core's ends have their feet in the plane, and where the core passes through it. */
static carom_status take_plane(round_task *task)
{
    const carom_vec3 *t = task->t.corner, *end = task->round->end;
    uint64_t *fallbacks = &task->cells->counts->exact_fallbacks;
    for (int i = 0; i < 2; i++)
        CELLS_TRY(
            take_made_point(task, (exact_point){.kind = EXACT_POINT_ON_PLANE, .points = {end[i], t[0], t[1], t[2]}}));
    if (exact_orient3d(t[0], t[1], t[2], end[0], fallbacks) * exact_orient3d(t[0], t[1], t[2], end[1], fallbacks) >= 0)
        return CAROM_OK;
    return take_made_point(task, (exact_point){.kind = EXACT_POINT_CUT, .points = {end[0], end[1], t[0], t[1], t[2]}});
}

static carom_status take_cut(round_task *task, const query_cut *cut)
{
    local_face b = cells_triangle(task->cells, (int)cut->body, cut->triangle);
    return cut->edge == 3 ? take_line(task, &b) : take_edge(task, b.corner[cut->edge], b.corner[(cut->edge + 1) % 3]);
}

/* The cells of the triangle have just been found, so their corners and what cuts it are known. */
static carom_status find_empty_side(round_task *task)
{
    const query_cells *cells = task->cells->cells;
    CELLS_TRY(take_plane(task));
    for (int i = 0; i < 3; i++)
        CELLS_TRY(take_edge(task, task->t.corner[i], task->t.corner[(i + 1) % 3]));
    for (size_t i = 0; i < cells->order.count && !task->empty; i++)
        CELLS_TRY(take_point(task, &cells->events.items[cells->order.items[i].value]));
    for (size_t i = 0; i < cells->cuts.count && !task->empty; i++)
        CELLS_TRY(take_cut(task, &cells->cuts.items[i]));
    return CAROM_OK;
}

static carom_status examine_entering(cells_task *cells, int body, const narrow_round *round, uint32_t triangle,
                                     query_evidence *evidence)
{
    const cells_request request = {body, triangle, CELLS_OF_BOTH};
    carom_status status = cells_of_triangle(cells, request, note_sides, evidence);
    if (status != CAROM_STOPPED && status != CAROM_OK)
        return status;
    bool mixed = evidence->open_cell && evidence->closed_cell, empty = evidence->open_cell;
    evidence->open_cell = evidence->closed_cell = false;
    if (mixed)
    {
        round_task task = {cells, body, triangle, cells_triangle(cells, body, triangle), round, false};
        CELLS_TRY(find_empty_side(&task));
        empty = task.empty;
    }
    evidence->outside[1 - body] |= empty;
    return CAROM_OK;
}

carom_status solids_leave_round_empty(cells_task *cells, int body, const narrow_round *round,
                                      const query_meetings *meetings, query_cursor *cursor)
{
    query_evidence *evidence = &cursor->evidence;
    for (; cursor->step < meetings->key_count && !evidence->outside[1 - body]; cursor->step++)
    {
        carom_pair pair = query_unpack(meetings->keys[cursor->step]);
        if (pair.meeting & CAROM_MEET_CROSSING)
            CELLS_TRY(examine_entering(cells, body, round, body == 0 ? pair.triangle_a : pair.triangle_b, evidence));
    }
    return CAROM_OK;
}
