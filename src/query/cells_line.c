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
    double *p = &plane[0].x;
    p[axis] = p[3 + axis] = p[6 + axis] = value;
    p[3 + (axis + 1) % 3] = p[6 + (axis + 2) % 3] = 1.0;
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
    carom_query *query = line->cells->query;
    if (!base_array_reserve(query->context, &query->cells.events, 1))
        return base_fail(query->context, CAROM_OUT_OF_MEMORY, "relation: no memory for pieces of a segment");
    query->cells.events.items[query->cells.events.count++] = point;
    return CAROM_OK;
}

static carom_status add_given(const line_task *line, carom_vec3 p)
{
    return on_segment(line, p) ? add_point(line, (exact_point){EXACT_POINT_GIVEN, {p}}) : CAROM_OK;
}

/* Where the segment passes through the triangle, or through an edge in its plane. */
static carom_status add_passes(const line_task *line, const local_triangle *b)
{
    exact_point points[LOCAL_MAX_EVENTS];
    int count = local_passes(b, line->end, points, line->cells->counts);
    for (int i = 0; i < count; i++)
        BASE_TRY(add_point(line, points[i]));
    return CAROM_OK;
}

static carom_status find_points(const line_task *line, const query_words *triangles)
{
    line->cells->query->cells.events.count = 0;
    BASE_TRY(add_given(line, line->end[0]));
    if (line->axis < 0)
        return CAROM_OK;
    BASE_TRY(add_given(line, line->end[1]));
    for (size_t i = 0; i < triangles->count; i++)
    {
        local_triangle b = cells_triangle(line->cells, line->body, (uint32_t)triangles->items[i]);
        for (int k = 0; k < 3; k++)
            BASE_TRY(add_given(line, b.corner[k]));
        if (b.sign != 0)
            BASE_TRY(add_passes(line, &b));
    }
    return CAROM_OK;
}

/* ---- pieces ---- */

static bool in_degenerate(const line_task *line, const local_triangle *b, const local_sample *sample)
{
    carom_vec3 extent[2];
    local_extent(b, extent);
    narrow_counts *counts = line->cells->counts;
    if (sample->count == 0)
    {
        line_task other = {.cells = line->cells, .end = {extent[0], extent[1]},
                           .axis = axis_between(extent[0], extent[1])};
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

static bool in_plane_of(const local_triangle *b, const local_sample *sample, narrow_counts *counts)
{
    return exact_height_of_point(b->corner, sample->point, &counts->exact_fallbacks) == 0 &&
           (sample->count == 0 ||
            exact_height_of_direction(b->corner, &sample->way[0], &counts->exact_fallbacks) == 0);
}

/* Is the winding number not 0 on both sides of a triangle at a sample in it, in all directions? */
static bool is_filled(const line_task *line, const local_triangle *b, const local_sample *at)
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
            if (!cells_is_inside(cells, line->body, &sample))
                return false;
        }
    }
    return true;
}

/* A piece of the segment, infinitely near to a point; or the point itself, if it is all there is. */
static bool report_piece(const line_task *line, const local_sample *sample)
{
    cells_task *cells = line->cells;
    const query_words *near = &cells->query->cells.on_line[line->body];
    cells_piece piece = {false, true};
    for (size_t i = 0; i < near->count; i++)
    {
        local_triangle b = cells_triangle(cells, line->body, (uint32_t)near->items[i]);
        bool flat = b.sign == 0;
        if (flat ? !in_degenerate(line, &b, sample)
                 : !in_plane_of(&b, sample, cells->counts) || !local_holds(&b, sample, cells->counts))
            continue;
        piece.on_surface = true;
        if (!flat && sample->count > 0)
            piece.interior = piece.interior && is_filled(line, &b, sample);
    }
    local_sample off = *sample;
    if (!piece.on_surface)
        piece.interior = cells_is_inside(cells, line->body, &off);
    return line->on_piece(&piece, line->user);
}

static carom_status examine_point(const line_task *line, const exact_point *point)
{
    cells_task *cells = line->cells;
    BASE_TRY(cells_find_on_line(cells, line->body, point, &cells->query->cells.on_line[line->body]));
    local_sample sample = {.point = point};
    if (line->axis < 0)
        return report_piece(line, &sample) ? CAROM_OK : CAROM_STOPPED;
    sample.count = 1;
    for (int i = 0; i < 2; i++)
    {
        if (compare_along(point, line->axis, coordinate(line->end[i], line->axis), cells->counts) == 0)
            continue; /* already there */
        sample.way[0] = (exact_direction){
            .kind = EXACT_ALONG_EDGE, .sign = 1, .points = {line->end[1 - i], line->end[i]}};
        if (!report_piece(line, &sample))
            return CAROM_STOPPED;
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
    query_cells *cells = &task->query->cells;
    BASE_TRY(cells_find_touching(task, body, (carom_vec3[3]){end[0], end[1], end[1]}, &cells->meeting[body]));
    BASE_TRY(find_points(&line, &cells->meeting[body]));
    for (size_t i = 0; i < cells->events.count; i++)
        BASE_TRY(examine_point(&line, &cells->events.items[i]));
    return CAROM_OK;
}
