/* How far a disk and its grid are apart, at most. Both are piecewise linear over the rectangle: the disk S over its
 * triangles s, the grid G over its triangles g. On a piece of the overlay, where s and g meet, S is linear and g, in
 * space, is convex; so the distance of S(p) from g is a convex function of p, largest at a corner of the piece.
 * Likewise that of G(p) from s. The corners are the vertices of the disk, the points of the grid, and the crossings of
 * edges of the disk with lines of the grid, of which there are three families: x, y and x - y whole. Their largest
 * distances bound those of all points, both ways. Any point of a triangle bounds the distance from it, so rounding
 * can't make one too small, but for what it does to the place of a corner; docs/geometry-images.md bounds that. */
#include "geoimage/geoimage.h"

/* Triangles of the grid this near to a corner count as meeting there. */
#define SLACK 1e-9

typedef struct measure_work
{
    const geoimage_disk *disk;
    const geoimage_grid *grid;
    uint32_t half;               /* the edge */
    double worst_to, worst_from; /* squares: from the disk to the grid, and back */
} measure_work;

/* ---- points and triangles ---- */

static carom_vec3 between(carom_vec3 a, carom_vec3 b, double part)
{
    return vec3_add(a, vec3_scale(vec3_sub(b, a), part));
}

static double square_apart(carom_vec3 a, carom_vec3 b)
{
    carom_vec3 apart = vec3_sub(a, b);
    return vec3_dot(apart, apart);
}

static double square_to_segment(carom_vec3 p, carom_vec3 a, carom_vec3 b)
{
    carom_vec3 along = vec3_sub(b, a);
    double length = vec3_dot(along, along), part = length > 0 ? vec3_dot(vec3_sub(p, a), along) / length : 0;
    return square_apart(p, between(a, b, fmin(fmax(part, 0), 1)));
}

/* The square of the distance from a point that is about the nearest of the triangle. */
static double square_to_triangle(carom_vec3 p, const carom_vec3 t[3])
{
    carom_vec3 ab = vec3_sub(t[1], t[0]), ac = vec3_sub(t[2], t[0]), normal = vec3_cross(ab, ac);
    double area = vec3_dot(normal, normal), best = INFINITY;
    if (area > 0)
    {
        carom_vec3 ap = vec3_sub(p, t[0]);
        double v = vec3_dot(vec3_cross(ap, ac), normal) / area, w = vec3_dot(vec3_cross(ab, ap), normal) / area;
        if (v >= 0 && w >= 0 && v + w <= 1)
            best = square_apart(p, vec3_add(t[0], vec3_add(vec3_scale(ab, v), vec3_scale(ac, w))));
    }
    for (int k = 0; k < 3; k++)
        best = fmin(best, square_to_segment(p, t[k], t[(k + 1) % 3]));
    return best;
}

static carom_vec3 grid_at(const geoimage_grid *grid, double x, double y)
{
    double i = fmin(fmax(floor(x), 0), grid->width - 2.0), j = fmin(fmax(floor(y), 0), grid->height - 2.0);
    double dx = x - i, dy = y - j;
    const carom_vec3 *p00 = grid->points + (size_t)j * grid->width + (size_t)i, *p11 = p00 + grid->width + 1;
    const carom_vec3 *side = dx >= dy ? p00 + 1 : p11 - 1;
    double near = dx >= dy ? dx : dy, far = dx >= dy ? dy : dx; /* along the first edge and then along the second */
    return vec3_add(between(*p00, *side, near), vec3_scale(vec3_sub(*p11, *side), far));
}

/* ---- one corner of the overlay ---- */

/* From a point of the disk to the triangles of one cell that meet at (x, y). */
static void look_at_cell(measure_work *work, carom_vec3 point, double direct, const double cell[4])
{
    double x = cell[0], y = cell[1], i = cell[2], j = cell[3];
    const carom_vec3 *p = work->grid->points + (size_t)j * work->grid->width + (size_t)i, *q = p + work->grid->width;
    double over = (x - i) - (y - j);
    if (over >= -SLACK)
        work->worst_to =
            fmax(work->worst_to, fmin(direct, square_to_triangle(point, (carom_vec3[3]){p[0], p[1], q[1]})));
    if (over <= SLACK)
        work->worst_to =
            fmax(work->worst_to, fmin(direct, square_to_triangle(point, (carom_vec3[3]){p[0], q[1], q[0]})));
}

static void look_to(measure_work *work, carom_vec3 point, double direct, geoimage_point at)
{
    double last_i = work->grid->width - 2.0, last_j = work->grid->height - 2.0;
    double i_end = fmin(floor(at.x + SLACK), last_i), j_end = fmin(floor(at.y + SLACK), last_j);
    for (double j = fmax(fmin(floor(at.y - SLACK), last_j), 0); j <= j_end; j++)
        for (double i = fmax(fmin(floor(at.x - SLACK), last_i), 0); i <= i_end; i++)
            look_at_cell(work, point, direct, (double[4]){at.x, at.y, i, j});
}

/* From a point of the grid to a triangle of the disk that meets there. */
static void look_from(measure_work *work, carom_vec3 point, double direct, uint32_t triangle)
{
    const uint32_t *corner = work->disk->corner.items + 3 * (size_t)triangle;
    carom_vec3 t[3];
    for (int k = 0; k < 3; k++)
        t[k] = work->disk->vertex.items[corner[k]].position;
    work->worst_from = fmax(work->worst_from, fmin(direct, square_to_triangle(point, t)));
}

/* A place on the edge. Most are nearer than the worst so far, whatever the triangles are. */
static void look_along(measure_work *work, double part)
{
    const geoimage_disk *disk = work->disk;
    const geoimage_vertex *a = &disk->vertex.items[geoimage_start(disk, work->half)],
                          *b = &disk->vertex.items[geoimage_end(disk, work->half)];
    geoimage_point at = {a->at.x + part * (b->at.x - a->at.x), a->at.y + part * (b->at.y - a->at.y)};
    carom_vec3 s = between(a->position, b->position, part), g = grid_at(work->grid, at.x, at.y);
    double direct = square_apart(s, g);
    if (direct > work->worst_to)
        look_to(work, s, direct, at);
    if (direct <= work->worst_from)
        return;
    look_from(work, g, direct, work->half / 3);
    if (disk->twin.items[work->half] != GEOIMAGE_NONE)
        look_from(work, g, direct, disk->twin.items[work->half] / 3);
}

double geoimage_vertex_distance(const geoimage_disk *disk, const geoimage_grid *grid, uint32_t vertex)
{
    measure_work work = {.disk = disk, .grid = grid};
    const geoimage_vertex *v = &disk->vertex.items[vertex];
    look_to(&work, v->position, square_apart(v->position, grid_at(grid, v->at.x, v->at.y)), v->at);
    return work.worst_to;
}

/* ---- all of them ---- */

/* The crossings of an edge with one family of lines, by the coordinate that is whole on them. */
static void look_at_lines(measure_work *work, double from, double to)
{
    double last = floor(fmax(from, to));
    for (double line = ceil(fmin(from, to)); line <= last; line++)
        if (line != from && line != to)
            look_along(work, (line - from) / (to - from));
}

static void look_at_edges(measure_work *work)
{
    const geoimage_disk *disk = work->disk;
    for (work->half = 0; work->half < disk->corner.count; work->half++)
    {
        look_along(work, 0); /* the vertex, with one of its triangles at a time, and the one before */
        geoimage_point a = disk->vertex.items[geoimage_start(disk, work->half)].at,
                       b = disk->vertex.items[geoimage_end(disk, work->half)].at;
        if (disk->twin.items[work->half] < work->half) /* each edge once; GEOIMAGE_NONE is larger */
            continue;
        look_at_lines(work, a.x, b.x);
        look_at_lines(work, a.y, b.y);
        look_at_lines(work, a.x - a.y, b.x - b.y);
    }
}

/* ---- rounding ---- */

static double longest_edge(const geoimage_grid *grid)
{
    double longest = 0;
    size_t width = grid->width;
    for (size_t y = 0; y < grid->height; y++)
        for (size_t x = 0; x < width; x++)
        {
            const carom_vec3 *at = grid->points + y * width + x;
            double right = x + 1 < width ? square_apart(at[1], *at) : 0,
                   up = y + 1 < grid->height ? square_apart(at[width], *at) : 0;
            longest = fmax(longest, fmax(right, up));
        }
    return sqrt(longest);
}

static double largest_coordinate(const geoimage_disk *disk)
{
    double largest = 0;
    for (size_t i = 0; i < disk->vertex.count; i++)
    {
        carom_vec3 p = disk->vertex.items[i].position;
        largest = fmax(largest, fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))));
    }
    return largest;
}

/* How far a point of the disk moves if its place moves by `shift`: within its triangle. */
static double largest_move(const geoimage_disk *disk, double shift)
{
    double largest = 0;
    for (uint32_t t = 0; t < geoimage_triangle_count(disk); t++)
    {
        double longest = 0, by_stretch = geoimage_triangle_stretch(disk, t).max / disk->scale * shift;
        for (uint32_t half = 3 * t; half < 3 * t + 3 && by_stretch > largest; half++)
            longest = fmax(longest, geoimage_length(disk, half) / disk->scale);
        largest = fmax(largest, fmin(by_stretch, longest));
    }
    return largest;
}

carom_geoimage_error geoimage_error(const geoimage_disk *disk, const geoimage_grid *grid)
{
    double sampled = grid->sample_error * grid->sample_error;
    measure_work work = {.disk = disk, .grid = grid, .worst_to = sampled, .worst_from = sampled};
    look_at_edges(&work);
    double shift = 0x1p-47 * ((double)grid->width + grid->height);
    double rounding = 0x1p-47 * largest_coordinate(disk) + shift * longest_edge(grid) + largest_move(disk, shift);
    return (carom_geoimage_error){sqrt(work.worst_to) * (1 + 0x1p-49) + rounding + 0x1p-500,
                                  sqrt(work.worst_from) * (1 + 0x1p-49) + rounding + 0x1p-500};
}
