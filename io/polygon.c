/* Polygons to triangles. A fan where that is correct, otherwise ear clipping (Meisters 1975) of few corners and a sweep
 * over many (polygon_sweep.c), in the polygon's plane: the coordinate in which its normal is largest is left out, and
 * every decision is an exact sign. Where many corners touch each other, the sweep may give up; then ears are tried,
 * which a grid makes fast in most cases. Polygons that cross themselves, and those for which all that is too much work,
 * become a fan, of which the caller takes note. */
#include "io/polygon.h"

enum
{
    GRID_CORNERS = 64,    /* fewer need no grid */
    MANY_CORNERS = 1024,  /* more are clipped in another order */
    MAX_GRID_SIDE = 1024, /* cells */
    FEW_CORNERS = 256,    /* up to so many, each pair of sides is tested for crossing, and ears come first */
    STEP_WORK = 1 << 22,  /* corners looked at between two calls of the caller's hook */
};

/* Newell's normal, relative to the first corner so that far polygons keep their digits. */
static carom_vec3 polygon_normal(const io_polygon *polygon, size_t count)
{
    const io_polygon_corner *corners = polygon->corners.items;
    carom_vec3 sum = vec3(0, 0, 0), before = vec3(0, 0, 0);
    for (size_t i = 1; i < count; i++)
    {
        carom_vec3 here = vec3_sub(corners[i].position, corners[0].position);
        sum = vec3_add(sum, vec3_cross(before, here));
        before = here;
    }
    return sum;
}

/* False where the polygon has no area. */
static bool choose_plane(io_polygon *polygon, size_t count)
{
    carom_vec3 normal = polygon_normal(polygon, count);
    double part[3] = {normal.x, normal.y, normal.z};
    polygon->axis = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(part[i]) > fabs(part[polygon->axis]))
            polygon->axis = i;
    polygon->sign = part[polygon->axis] > 0 ? 1 : -1;
    return part[polygon->axis] != 0 && isfinite(part[polygon->axis]);
}

int io_polygon_turn(const io_polygon *polygon, size_t a, size_t b, size_t c)
{
    const io_polygon_corner *corners = polygon->corners.items;
    return polygon->sign *
           exact_orient2d(corners[a].position, corners[b].position, corners[c].position, polygon->axis, NULL);
}

double io_polygon_coordinate(const io_polygon *polygon, carom_vec3 point, int i)
{
    int axis = (polygon->axis + 1 + i) % 3;
    return axis == 0 ? point.x : axis == 1 ? point.y : point.z;
}

carom_status io_polygon_step(const io_polygon *polygon)
{
    const io_source *source = polygon->source;
    return io_step(source, "parse", (size_t)(polygon->at - source->begin), (size_t)(source->end - source->begin));
}

/* If no triangle of the fan is flipped, each point is covered as often as the polygon winds around it. */
static bool fan_is_right(const io_polygon *polygon, size_t apex, size_t count)
{
    for (size_t i = 1; i + 1 < count; i++)
        if (io_polygon_turn(polygon, apex, (apex + i) % count, (apex + i + 1) % count) < 0)
            return false;
    return true;
}

static bool add_fan(const io_polygon *polygon, io_soup *soup, size_t apex, size_t count)
{
    const uint32_t *vertices = polygon->vertices.items;
    for (size_t i = 1; i + 1 < count; i++)
        if (!io_soup_add_triangle(soup, vertices[apex], vertices[(apex + i) % count], vertices[(apex + i + 1) % count]))
            return false;
    return true;
}

/* Is a corner in the closed ear, other than by sitting exactly on one of its corners? */
static bool blocks_ear(const io_polygon *polygon, const uint32_t ear[3], uint32_t other)
{
    const io_polygon_corner *corners = polygon->corners.items;
    carom_vec3 p = corners[other].position;
    for (int i = 0; i < 3; i++)
        if (vec3_equal(p, corners[ear[i]].position))
            return false;
    return io_polygon_turn(polygon, ear[0], ear[1], other) >= 0 &&
           io_polygon_turn(polygon, ear[1], ear[2], other) >= 0 && io_polygon_turn(polygon, ear[2], ear[0], other) >= 0;
}

/* ---- the grid ---- */

/* Where a point is in the grid, in cells. */
static double place_in_grid(const io_polygon *polygon, carom_vec3 point, int i)
{
    return (io_polygon_coordinate(polygon, point, i) - polygon->grid.min[i]) * polygon->grid.scale[i];
}

/* Rounding is monotonic: a point between two others is in a cell between theirs. */
static size_t cell_at(const io_polygon *polygon, double place)
{
    size_t last = polygon->grid.side - 1;
    return place >= (double)last ? last : place > 0 ? (size_t)place : 0;
}

static size_t cell_of(const io_polygon *polygon, carom_vec3 point, int i)
{
    return cell_at(polygon, place_in_grid(polygon, point, i));
}

/* False when out of memory. */
static bool build_grid(io_polygon *polygon, size_t count)
{
    io_polygon_grid *grid = &polygon->grid;
    grid->side = 0;
    if (count < GRID_CORNERS)
        return true;
    size_t side = (size_t)sqrt((double)count);
    side = side < MAX_GRID_SIDE ? side : MAX_GRID_SIDE;
    grid->first.count = 0;
    if (!io_array_reserve(polygon->context, &grid->first, side * side))
        return false;
    memset(grid->first.items, 0xff, side * side * sizeof *grid->first.items);
    grid->side = side;
    io_polygon_corner *corners = polygon->corners.items;
    for (int i = 0; i < 2; i++)
    {
        double low = io_polygon_coordinate(polygon, corners[0].position, i), high = low;
        for (size_t k = 1; k < count; k++)
        {
            double value = io_polygon_coordinate(polygon, corners[k].position, i);
            low = fmin(low, value), high = fmax(high, value);
        }
        grid->min[i] = low;
        double scale = (double)side / (high - low);
        grid->scale[i] = isfinite(scale) ? scale : 0;
    }
    for (size_t k = count; k-- > 0;)
    {
        uint32_t *first =
            &grid->first
                 .items[cell_of(polygon, corners[k].position, 1) * side + cell_of(polygon, corners[k].position, 0)];
        corners[k].next_in_cell = *first;
        *first = (uint32_t)k;
    }
    return true;
}

/* A step that cancels takes all work that is left, which ends the search for ears. */
static void spend(io_polygon *polygon, uint64_t work)
{
    polygon->work_left -= work < polygon->work_left ? work : polygon->work_left;
    polygon->work_done += work;
    if (polygon->work_done < STEP_WORK)
        return;
    polygon->work_done = 0;
    polygon->status = io_polygon_step(polygon);
    if (polygon->status != CAROM_OK)
        polygon->work_left = 0;
}

/* Only corners that do not turn left can be the ones that reach into an ear. */
static bool reaches_into(io_polygon *polygon, const uint32_t ear[3], uint32_t other)
{
    const io_polygon_corner *corner = &polygon->corners.items[other];
    spend(polygon, 1);
    return corner->turn <= 0 && !corner->clipped && blocks_ear(polygon, ear, other);
}

/* Widens low .. high by where the side from a to b is between the heights of a row; places in cells. Places are exact
 * to about 2^-40 cells, so a margin of a thousandth covers all rounding, unless the side is nearly level. */
static void widen_by_side(const double a[2], const double b[2], double row, double range[2])
{
    enum
    {
        FLAT = 1000
    };
    const double margin = 1.0 / FLAT;
    if (fmax(a[1], b[1]) < row - margin || fmin(a[1], b[1]) > row + 1 + margin)
        return;
    double ends[2] = {a[0], b[0]}, rise = b[1] - a[1];
    for (int i = 0; i < 2 && fabs(rise) > margin; i++)
    {
        double share = (row - margin + i * (1 + 2 * margin) - a[1]) / rise;
        ends[i] = a[0] + fmin(1, fmax(0, share)) * (b[0] - a[0]);
    }
    range[0] = fmin(range[0], fmin(ends[0], ends[1]) - margin);
    range[1] = fmax(range[1], fmax(ends[0], ends[1]) + margin);
}

/* Does a corner in this row of cells, between two columns, reach into the ear? */
static bool row_has_obstacle(io_polygon *polygon, const uint32_t ear[3], size_t row, const size_t columns[2])
{
    const io_polygon_corner *corners = polygon->corners.items;
    /* an empty cell takes far less than a corner */
    spend(polygon, 1 + (columns[1] - columns[0]) / 16);
    for (size_t column = columns[0]; column <= columns[1]; column++)
    {
        uint32_t other = polygon->grid.first.items[row * polygon->grid.side + column];
        for (; other != UINT32_MAX; other = corners[other].next_in_cell)
            if (other != ear[0] && other != ear[1] && other != ear[2] && reaches_into(polygon, ear, other))
                return true;
    }
    return false;
}

/* The corners in the cells that the ear meets, row by row. */
static bool is_ear_in_grid(io_polygon *polygon, const uint32_t ear[3])
{
    double places[3][2], low = INFINITY, high = -INFINITY;
    for (int k = 0; k < 3; k++)
    {
        for (int i = 0; i < 2; i++)
            places[k][i] = place_in_grid(polygon, polygon->corners.items[ear[k]].position, i);
        low = fmin(low, places[k][1]), high = fmax(high, places[k][1]);
    }
    for (size_t row = cell_at(polygon, low), last = cell_at(polygon, high); row <= last; row++)
    {
        double range[2] = {INFINITY, -INFINITY};
        for (int k = 0; k < 3; k++)
            widen_by_side(places[k], places[(k + 1) % 3], (double)row, range);
        const size_t columns[2] = {cell_at(polygon, range[0]), cell_at(polygon, range[1])};
        if (row_has_obstacle(polygon, ear, row, columns))
            return false;
    }
    return true;
}

static bool is_ear(io_polygon *polygon, uint32_t tip)
{
    const io_polygon_corner *corners = polygon->corners.items;
    spend(polygon, 1);
    if (corners[tip].turn <= 0)
        return false;
    uint32_t ear[3] = {corners[tip].previous, tip, corners[tip].next};
    if (polygon->grid.side > 0)
        return is_ear_in_grid(polygon, ear);
    for (uint32_t other = corners[ear[2]].next; other != ear[0]; other = corners[other].next)
        if (reaches_into(polygon, ear, other))
            return false;
    return true;
}

/* ---- sides that cross ---- */

static bool boxes_overlap(const io_polygon *polygon, const uint32_t a[2], const uint32_t b[2])
{
    const io_polygon_corner *corners = polygon->corners.items;
    for (int i = 0; i < 2; i++)
    {
        double p = io_polygon_coordinate(polygon, corners[a[0]].position, i);
        double q = io_polygon_coordinate(polygon, corners[a[1]].position, i);
        double r = io_polygon_coordinate(polygon, corners[b[0]].position, i);
        double s = io_polygon_coordinate(polygon, corners[b[1]].position, i);
        if (fmax(p, q) < fmin(r, s) || fmax(r, s) < fmin(p, q))
            return false;
    }
    return true;
}

bool io_polygon_sides_cross(const io_polygon *polygon, const uint32_t a[2], const uint32_t b[2])
{
    return io_polygon_turn(polygon, a[0], a[1], b[0]) * io_polygon_turn(polygon, a[0], a[1], b[1]) < 0 &&
           io_polygon_turn(polygon, b[0], b[1], a[0]) * io_polygon_turn(polygon, b[0], b[1], a[1]) < 0;
}

/* Do any two sides cross? Those that only touch do no harm. */
static bool crosses_itself(const io_polygon *polygon, uint32_t count)
{
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = a + 2; b < count; b++)
        {
            const uint32_t p[2] = {a, a + 1}, q[2] = {b, b + 1 == count ? 0 : b + 1};
            if (q[1] != a && boxes_overlap(polygon, p, q) && io_polygon_sides_cross(polygon, p, q))
                return true;
        }
    return false;
}

/* Of the two coordinates, the one in which the sides are shorter, as parts of the whole. */
static int shorter_coordinate(const io_polygon *polygon, size_t count)
{
    const io_polygon_corner *corners = polygon->corners.items;
    double share[2];
    for (int i = 0; i < 2; i++)
    {
        double low = INFINITY, high = -INFINITY, sum = 0;
        for (size_t k = 0; k < count; k++)
        {
            double here = io_polygon_coordinate(polygon, corners[k].position, i);
            double next = io_polygon_coordinate(polygon, corners[k + 1 < count ? k + 1 : 0].position, i);
            low = fmin(low, here), high = fmax(high, here), sum += fabs(next - here);
        }
        share[i] = sum / (high - low);
    }
    return share[1] < share[0];
}

/* The same for many sides: compares those that overlap in one coordinate, as far as the work allows. */
static carom_status find_crossing(io_polygon *polygon, bool *crosses)
{
    uint32_t count = (uint32_t)polygon->vertices.count;
    const io_polygon_corner *corners = polygon->corners.items;
    int axis = shorter_coordinate(polygon, count);
    polygon->events.count = 0;
    if (!io_array_reserve(polygon->context, &polygon->events, 2 * (size_t)count))
        return CAROM_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < count; i++)
    {
        double here = io_polygon_coordinate(polygon, corners[i].position, axis);
        double next = io_polygon_coordinate(polygon, corners[i + 1 < count ? i + 1 : 0].position, axis);
        polygon->events.items[i] = (io_sweep_event){fmin(here, next), fmax(here, next), i, 0};
    }
    io_sweep_event *sorted = NULL;
    BASE_TRY(io_polygon_sort(polygon, count, &sorted));
    *crosses = false;
    for (uint32_t a = 0; a < count && !*crosses; a++)
        for (uint32_t b = a + 1; b < count && sorted[b].along <= sorted[a].across && polygon->work_left > 0; b++)
        {
            uint32_t i = sorted[a].corner, k = sorted[b].corner;
            const uint32_t p[2] = {i, i + 1 < count ? i + 1 : 0}, q[2] = {k, k + 1 < count ? k + 1 : 0};
            spend(polygon, 1);
            *crosses = *crosses || (boxes_overlap(polygon, p, q) && io_polygon_sides_cross(polygon, p, q));
        }
    return polygon->status;
}

/* ---- ear clipping ---- */

static void update_turn(io_polygon *polygon, uint32_t corner)
{
    io_polygon_corner *at = polygon->corners.items + corner;
    at->turn = io_polygon_turn(polygon, at->previous, corner, at->next);
}

/* Cuts the corner off as a triangle; returns where to continue. */
static uint32_t clip_corner(io_polygon *polygon, io_soup *soup, uint32_t tip)
{
    io_polygon_corner *corners = polygon->corners.items;
    uint32_t previous = corners[tip].previous, next = corners[tip].next;
    io_soup_add_triangle(soup, corners[previous].vertex, corners[tip].vertex, corners[next].vertex);
    corners[previous].next = next;
    corners[next].previous = previous;
    corners[tip].clipped = true;
    update_turn(polygon, previous);
    update_turn(polygon, next);
    return corners[next].next;
}

static void link_corners(io_polygon *polygon, size_t count)
{
    for (uint32_t i = 0; i < count; i++)
    {
        polygon->corners.items[i].previous = i == 0 ? (uint32_t)count - 1 : i - 1;
        polygon->corners.items[i].next = i + 1 == count ? 0 : i + 1;
        polygon->corners.items[i].clipped = false;
    }
}

static void begin_ears(io_polygon *polygon, size_t count)
{
    link_corners(polygon, count);
    for (uint32_t i = 0; i < count; i++)
        update_turn(polygon, i);
}

/* The last three corners. If they turn the wrong way, something was covered twice. */
static bool clip_last(io_polygon *polygon, io_soup *soup, uint32_t tip)
{
    bool is_right = polygon->corners.items[tip].turn >= 0;
    clip_corner(polygon, soup, tip);
    return is_right;
}

/* A simple polygon always has an ear, or a flat corner to cut off. False: this one has neither, so it crosses itself,
 * or the work is spent. */
static bool clip_ears(io_polygon *polygon, io_soup *soup, size_t count)
{
    begin_ears(polygon, count);
    uint32_t at = 0;
    for (size_t left = count, looked_at = 0; left > 3;)
    {
        if (polygon->work_left == 0 || looked_at >= 2 * left)
            return false;
        bool flat_will_do = looked_at >= left;
        if (flat_will_do ? polygon->corners.items[at].turn == 0 : is_ear(polygon, at))
        {
            at = clip_corner(polygon, soup, at);
            left--;
            looked_at = 0;
        }
        else
        {
            at = polygon->corners.items[at].next;
            looked_at++;
        }
    }
    return clip_last(polygon, soup, at);
}

/* The next corner that is one of the polygon's, and is an ear, or flat; count if no corner is. */
static size_t find_clip(io_polygon *polygon, size_t count, bool flat)
{
    const io_polygon_corner *corners = polygon->corners.items;
    size_t at = 0;
    while (at < count && (corners[at].clipped || (flat ? corners[at].turn != 0 : !is_ear(polygon, (uint32_t)at))))
        at++;
    return at;
}

/* The same for polygons of many corners, in another order: after each ear, the corners beside it are the next to be
 * looked at, because only there is anything new. Round the whole polygon, that leaves out ears whose obstacle has gone,
 * so it is repeated until all is clipped. */
static bool clip_many_ears(io_polygon *polygon, io_soup *soup, size_t count)
{
    const io_polygon_corner *corners = polygon->corners.items;
    begin_ears(polygon, count);
    for (size_t left = count, clipped = 1; left > 3;)
    {
        if (clipped == 0 && find_clip(polygon, count, false) == count)
        {
            size_t flat = find_clip(polygon, count, true);
            if (flat == count)
                return false;
            clip_corner(polygon, soup, (uint32_t)flat);
            left--;
        }
        clipped = 0;
        for (uint32_t start = 0; start < count && left > 3; start++)
            for (uint32_t at = start; left > 3 && !corners[at].clipped && is_ear(polygon, at); left--, clipped++)
            {
                if (polygon->work_left == 0)
                    return false;
                clip_corner(polygon, soup, at);
                uint32_t next = corners[at].next;
                at = corners[at].previous;
                if (!is_ear(polygon, at))
                    at = next;
            }
        if (polygon->work_left == 0)
            return false;
    }
    uint32_t last = 0;
    while (corners[last].clipped)
        last++;
    return clip_last(polygon, soup, last);
}

/* Where something might be covered twice: not if no sides cross. */
static carom_status check_sides(io_polygon *polygon, io_cut *cut)
{
    bool crosses = false;
    if (polygon->vertices.count > FEW_CORNERS) /* they are known not to, of few */
        BASE_TRY(find_crossing(polygon, &crosses));
    *cut = crosses ? IO_CUT_CROSSING : IO_CUT_DONE;
    return CAROM_OK;
}

static carom_status try_ears(io_polygon *polygon, io_soup *soup, io_cut *cut)
{
    size_t count = polygon->vertices.count;
    *cut = IO_CUT_UNCLEAR;
    if (polygon->work_left == 0)
        return CAROM_OK;
    if (!build_grid(polygon, count) || !io_array_reserve(soup->context, &soup->indices, 3 * (count - 2)))
        return CAROM_OUT_OF_MEMORY;
    bool done = count < MANY_CORNERS ? clip_ears(polygon, soup, count) : clip_many_ears(polygon, soup, count);
    *cut = done ? IO_CUT_TOUCHING : polygon->work_left > 0 ? IO_CUT_CROSSING : IO_CUT_UNCLEAR;
    return done ? check_sides(polygon, cut) : polygon->status;
}

static carom_status try_sweep(io_polygon *polygon, io_soup *soup, io_cut *cut)
{
    link_corners(polygon, polygon->vertices.count);
    BASE_TRY(io_polygon_sweep(polygon, soup, cut));
    return *cut == IO_CUT_TOUCHING ? check_sides(polygon, cut) : CAROM_OK;
}

/* Few corners: ears look better, and get along with corners that touch. Many: the sweep takes n log n steps. Each is
 * tried where the other gives up. */
static carom_status cut_or_fan(io_polygon *polygon, io_soup *soup)
{
    typedef carom_status method(io_polygon *, io_soup *, io_cut *);
    size_t count = polygon->vertices.count, before = soup->indices.count;
    bool few = count <= FEW_CORNERS;
    method *const methods[2] = {few ? try_ears : try_sweep, few ? try_sweep : try_ears};
    io_cut cut = few && crosses_itself(polygon, (uint32_t)count) ? IO_CUT_CROSSING : IO_CUT_UNCLEAR;
    for (int i = 0; i < 2 && cut == IO_CUT_UNCLEAR; i++)
    {
        soup->indices.count = before;
        BASE_TRY(methods[i](polygon, soup, &cut));
    }
    if (cut == IO_CUT_DONE)
        return CAROM_OK;
    polygon->is_odd = cut == IO_CUT_CROSSING;
    polygon->is_too_complex = !polygon->is_odd;
    soup->indices.count = before;
    return add_fan(polygon, soup, 0, count) ? CAROM_OK : CAROM_OUT_OF_MEMORY;
}

carom_status io_polygon_triangulate(io_polygon *polygon, io_soup *soup)
{
    size_t count = polygon->vertices.count;
    const uint32_t *vertices = polygon->vertices.items;
    polygon->is_odd = polygon->is_too_complex = false;
    if (count == 3)
        return io_soup_add_triangle(soup, vertices[0], vertices[1], vertices[2]) ? CAROM_OK : CAROM_OUT_OF_MEMORY;

    polygon->corners.count = 0;
    if (!io_array_reserve(polygon->context, &polygon->corners, count))
        return CAROM_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++)
        polygon->corners.items[i] =
            (io_polygon_corner){.position = soup->vertices.items[vertices[i]], .vertex = vertices[i]};
    if (!choose_plane(polygon, count) || fan_is_right(polygon, 0, count))
        return add_fan(polygon, soup, 0, count) ? CAROM_OK : CAROM_OUT_OF_MEMORY;
    if (count == 4 && fan_is_right(polygon, 1, count))
        return add_fan(polygon, soup, 1, count) ? CAROM_OK : CAROM_OUT_OF_MEMORY;
    return cut_or_fan(polygon, soup);
}

void io_polygon_free(io_polygon *polygon)
{
    io_array_free(polygon->context, &polygon->vertices);
    io_array_free(polygon->context, &polygon->corners);
    io_array_free(polygon->context, &polygon->grid.first);
    io_array_free(polygon->context, &polygon->events);
    io_array_free(polygon->context, &polygon->sides);
    io_array_free(polygon->context, &polygon->links);
}
