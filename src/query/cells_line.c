/* Pieces of a segment that a surface cuts, for what has no area: degenerate triangles, and capsules and spheres of
 * radius 0. Like cells.c, one dimension lower. */
#include "query/cells.h"

typedef struct line_task
{
    cells_task *cells;
    int body; /* whose surface cuts the segment */
    carom_vec3 end[2];
    int axis; /* along which the ends differ; -1: they are equal */
    cells_piece_fn *on_piece;
    void *user;
} line_task;

static double coordinate(carom_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

static int axis_between(carom_vec3 p, carom_vec3 q) { return p.x != q.x ? 0 : p.y != q.y ? 1 : p.z != q.z ? 2 : -1; }

/* The sign of a point's coordinate minus a value. */
static int compare_along(const exact_point *point, int axis, double value, narrow_counts *counts)
{
    carom_vec3 plane[3] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int i = 0; i < 3; i++)
        *vec3_part(&plane[i], axis) = value;
    *vec3_part(&plane[1], (axis + 1) % 3) = *vec3_part(&plane[2], (axis + 2) % 3) = 1.0;
    return exact_height_of_point(plane, point, &counts->exact_fallbacks);
}

static bool on_segment(const line_task *line, carom_vec3 p)
{
    if (line->axis < 0)
        return vec3_equal(p, line->end[0]);
    double low = coordinate(line->end[0], line->axis), high = coordinate(line->end[1], line->axis),
           at = coordinate(p, line->axis);
    return at >= fmin(low, high) && at <= fmax(low, high) &&
           exact_collinear(line->end[0], line->end[1], p, &line->cells->counts->exact_fallbacks);
}

/* ---- points where pieces end ---- */

static carom_status add_point(const line_task *line, exact_point point)
{
    query_cells *cells = line->cells->cells;
    if (!base_array_reserve(line->cells->query->context, &cells->events, 1))
        return cells_no_memory(line->cells);
    cells->events.items[cells->events.count++] = point;
    return CAROM_OK;
}

static carom_status add_given(const line_task *line, carom_vec3 p)
{
    return on_segment(line, p) ? add_point(line, local_given(p)) : CAROM_OK;
}

/* Where the segment passes through the triangle, or through an edge in its plane. */
static carom_status add_passes(const line_task *line, const local_face *b)
{
    exact_point points[LOCAL_MAX_EVENTS];
    int count = local_passes(b, line->end, points, line->cells->counts);
    for (int i = 0; i < count; i++)
        CELLS_TRY(add_point(line, points[i]));
    return CAROM_OK;
}

static carom_status take_triangle(const line_task *line, uint32_t triangle)
{
    cells_task *cells = line->cells;
    narrow_triangle segment = {{line->end[0], line->end[1], line->end[1]}},
                    world = tree_world_triangle(&cells->bodies[line->body].mesh, triangle);
    if (!narrow_touches(&segment, &world, cells->counts))
        return CAROM_OK;
    local_face b = local_make(&world, cells->counts);
    for (int k = 0; k < 3; k++)
        CELLS_TRY(add_given(line, b.corner[k]));
    return b.sign != 0 ? add_passes(line, &b) : CAROM_OK;
}

enum
{
    PHASE_BEGIN,
    PHASE_NEAR,
    PHASE_POINTS
};

static carom_status begin(const line_task *line)
{
    query_cells *cells = line->cells->cells;
    cells->events.count = cells->next = 0;
    CELLS_TRY(add_given(line, line->end[0]));
    if (line->axis >= 0)
        CELLS_TRY(add_given(line, line->end[1]));
    CELLS_TRY(cells_find_near(line->cells, line->body, (carom_vec3[3]){line->end[0], line->end[1], line->end[1]},
                              &cells->near[0]));
    cells->phase = PHASE_NEAR;
    return cells_pay(line->cells, cells->near[0].count + 1);
}

static carom_status take_triangles(const line_task *line)
{
    query_cells *cells = line->cells->cells;
    while (line->axis >= 0 && cells->next < cells->near[0].count)
    {
        CELLS_TRY(take_triangle(line, (uint32_t)cells->near[0].items[cells->next]));
        cells->next++;
        CELLS_TRY(cells_pay(line->cells, 1));
    }
    CELLS_TRY(cells_unite_events(line->cells));
    cells->phase = PHASE_POINTS, cells->next = 0;
    return CAROM_OK;
}

/* ---- pieces ---- */

static bool in_degenerate(const line_task *line, const local_face *b, const local_sample *sample)
{
    carom_vec3 extent[2];
    local_extent(b, extent);
    narrow_counts *counts = line->cells->counts;
    if (sample->count == 0)
    {
        line_task other = {
            .cells = line->cells, .end = {extent[0], extent[1]}, .axis = axis_between(extent[0], extent[1])};
        return on_segment(&other, line->end[0]);
    }
    if (!exact_collinear(line->end[0], line->end[1], extent[0], &counts->exact_fallbacks) ||
        !exact_collinear(line->end[0], line->end[1], extent[1], &counts->exact_fallbacks))
        return false;
    double from = coordinate(extent[0], line->axis), to = coordinate(extent[1], line->axis);
    int low = compare_along(sample->point, line->axis, fmin(from, to), counts),
        high = compare_along(sample->point, line->axis, fmax(from, to), counts),
        forward = exact_direction_sign(&sample->way[0], line->axis, &counts->exact_fallbacks);
    return forward > 0 ? low >= 0 && high < 0 : low > 0 && high <= 0;
}

static bool in_plane_of(const local_face *b, const local_sample *sample, narrow_counts *counts)
{
    return exact_height_of_point(b->corner, sample->point, &counts->exact_fallbacks) == 0 &&
           (sample->count == 0 || exact_height_of_direction(b->corner, &sample->way[0], &counts->exact_fallbacks) == 0);
}

/* Is the winding number not 0 on both sides of a triangle at a sample in it, in all directions? */
static bool is_filled(const line_task *line, const local_face *b, const local_sample *at)
{
    cells_task *cells = line->cells;
    for (int turned = -1; turned <= 1; turned += 2)
    {
        local_sample sample = *at;
        sample.way[1] = local_turned(b, &at->way[0], cells->counts);
        sample.way[1].sign *= turned;
        sample.count = 2;
        if (!local_holds(b, &sample, cells->counts))
            continue;
        sample.count = 3;
        for (int side = -1; side <= 1; side += 2)
        {
            sample.way[2] = (exact_direction){
                .kind = EXACT_ALONG_NORMAL, .sign = side, .points = {b->corner[0], b->corner[1], b->corner[2]}};
            if (cells_winding(cells, line->body, &sample) == 0)
                return false;
        }
    }
    return true;
}

/* The triangles at a piece of the segment, infinitely near to a point, or at the point itself if it is all there is. */
static bool is_at(const line_task *line, const local_face *b, const local_sample *sample)
{
    narrow_counts *counts = line->cells->counts;
    return b->sign == 0 ? in_degenerate(line, b, sample)
                        : in_plane_of(b, sample, counts) && local_holds(b, sample, counts);
}

static bool note_emptiness(const cells_cell *cell, void *user)
{
    bool *empty = user;
    *empty |= !cell->inside[cell->body][0] || !cell->inside[cell->body][1];
    return !*empty;
}

/* A point on triangles with an area is in the interior if both sides of all cells around it are filled. */
static carom_status is_point_filled(const line_task *line, const exact_point *point, bool *filled)
{
    cells_task *cells = line->cells;
    query_words *around = &cells->cells->around;
    bool empty = false;
    for (size_t i = 0; i < around->count && !empty; i++)
    {
        if (i == 1) /* the first one did not suffice, as it mostly does; it is kept */
            CELLS_TRY(cells_thin_tip(cells, line->body, line->end[0]));
        if (i >= around->count)
            break;
        const cells_request request = {line->body, (uint32_t)around->items[i], CELLS_OF_BOTH};
        carom_status status = cells_at_point(cells, request, point, note_emptiness, &empty);
        if (status != CAROM_OK && status != CAROM_STOPPED && status != CAROM_UNKNOWN)
            return status;
    }
    return *filled = !empty, CAROM_OK;
}

/* Puts the triangles with an area at the sample into cells->around; *on_surface: there are any at all. */
static carom_status find_around(const line_task *line, const local_sample *sample, bool *on_surface)
{
    cells_task *cells = line->cells;
    const query_words *near = &cells->cells->on_line[line->body];
    query_words *around = &cells->cells->around;
    around->count = 0;
    *on_surface = false;
    if (!base_array_reserve(cells->query->context, around, near->count))
        return cells_no_memory(cells);
    for (size_t i = 0; i < near->count; i++)
    {
        local_face b = cells_triangle(cells, line->body, (uint32_t)near->items[i]);
        if (!is_at(line, &b, sample))
            continue;
        *on_surface = true;
        if (b.sign != 0)
            around->items[around->count++] = near->items[i];
    }
    return CAROM_OK;
}

/* STOPPED: the caller has seen enough. */
static carom_status report_piece(const line_task *line, const local_sample *sample)
{
    cells_task *cells = line->cells;
    const query_words *around = &cells->cells->around;
    cells_piece piece = {false, cells->bodies[line->body].solid};
    CELLS_TRY(find_around(line, sample, &piece.on_surface));
    if (around->count == 0)
        piece.interior = cells_winding(cells, line->body, sample) != 0;
    else if (sample->count == 0 && piece.interior)
        CELLS_TRY(is_point_filled(line, sample->point, &piece.interior));
    for (size_t i = 0; sample->count > 0 && i < around->count && piece.interior; i++)
    {
        local_face b = cells_triangle(cells, line->body, (uint32_t)around->items[i]);
        piece.interior = is_filled(line, &b, sample);
    }
    return line->on_piece(&piece, line->user) ? CAROM_OK : CAROM_STOPPED;
}

static carom_status examine_point(const line_task *line, const exact_point *point)
{
    cells_task *cells = line->cells;
    CELLS_TRY(cells_find_on_line(cells, line->body, point, 0));
    local_sample sample = {.point = point};
    if (line->axis < 0)
        return report_piece(line, &sample);
    sample.count = 1;
    for (int i = 0; i < 2; i++)
    {
        if (compare_along(point, line->axis, coordinate(line->end[i], line->axis), cells->counts) == 0)
            continue; /* already there */
        sample.way[0] =
            (exact_direction){.kind = EXACT_ALONG_EDGE, .sign = 1, .points = {line->end[1 - i], line->end[i]}};
        CELLS_TRY(report_piece(line, &sample));
    }
    return CAROM_OK;
}

static carom_status examine_points(const line_task *line)
{
    query_cells *cells = line->cells->cells;
    while (cells->next < cells->order.count)
    {
        const exact_point point = cells->events.items[cells->order.items[cells->next].value];
        CELLS_TRY(examine_point(line, &point));
        cells->next++;
        CELLS_TRY(cells_pay(line->cells, cells->on_line[line->body].count + 2));
    }
    return CAROM_OK;
}

carom_status cells_of_segment(cells_task *task, int body, const carom_vec3 end[2], cells_piece_fn *on_piece, void *user)
{
    line_task line = {.cells = task,
                      .body = body,
                      .end = {end[0], end[1]},
                      .axis = axis_between(end[0], end[1]),
                      .on_piece = on_piece,
                      .user = user};
    if (task->cells->phase == PHASE_BEGIN)
        CELLS_TRY(begin(&line));
    if (task->cells->phase == PHASE_NEAR)
        CELLS_TRY(take_triangles(&line));
    carom_status status = examine_points(&line);
    if (status != CAROM_UNKNOWN)
        task->cells->phase = PHASE_BEGIN;
    return status;
}
