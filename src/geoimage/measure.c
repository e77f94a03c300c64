/* How far a disk and its grid are apart, at most. Both are piecewise linear over the rectangle: the disk S over its
 * triangles, the grid G over those of its cells. So is S - G over the overlay of the two, and the length of a linear
 * function on a polygon is largest at one of its corners. The corners of the overlay are the vertices of the disk, the
 * points of the grid, and the crossings of edges of the disk with lines of the grid, of which there are three families:
 * x, y and x - y whole. The largest |S - G| there is the largest of all; since every point of S and of G is S(p) and
 * G(p) for some p, it bounds the distance both ways. docs/geometry-images.md has the bound of the rounding errors. */
#include "geoimage/geoimage.h"

typedef struct measure_work
{
    const geoimage_grid *grid;
    const geoimage_vertex *from, *to; /* of the edge */
    double worst;                     /* square */
} measure_work;

static carom_vec3 grid_at(const geoimage_grid *grid, double x, double y)
{
    double i = fmin(fmax(floor(x), 0), grid->width - 2.0), j = fmin(fmax(floor(y), 0), grid->height - 2.0);
    double dx = x - i, dy = y - j;
    const carom_vec3 *p00 = grid->points + (size_t)j * grid->width + (size_t)i, *p11 = p00 + grid->width + 1;
    const carom_vec3 *side = dx >= dy ? p00 + 1 : p11 - 1;
    double near = dx >= dy ? dx : dy, far = dx >= dy ? dy : dx; /* along the first edge and then along the second */
    carom_vec3 out = vec3_add(*p00, vec3_scale(vec3_sub(*side, *p00), near));
    return vec3_add(out, vec3_scale(vec3_sub(*p11, *side), far));
}

static void look_at(measure_work *work, carom_vec3 point, double x, double y)
{
    carom_vec3 apart = vec3_sub(point, grid_at(work->grid, x, y));
    work->worst = fmax(work->worst, vec3_dot(apart, apart));
}

static void look_along(measure_work *work, double part)
{
    geoimage_point a = work->from->at, b = work->to->at;
    carom_vec3 p = work->from->position, q = work->to->position;
    look_at(work, vec3_add(p, vec3_scale(vec3_sub(q, p), part)), a.x + part * (b.x - a.x), a.y + part * (b.y - a.y));
}

/* The crossings of an edge with one family of lines, by the coordinate that is whole on them. */
static void look_at_lines(measure_work *work, double from, double to)
{
    double last = floor(fmax(from, to));
    for (double line = ceil(fmin(from, to)); line <= last; line++)
        if (line != from && line != to)
            look_along(work, (line - from) / (to - from));
}

static double longest_edge(const geoimage_grid *grid)
{
    double longest = 0;
    size_t width = grid->width;
    for (size_t y = 0; y < grid->height; y++)
        for (size_t x = 0; x < width; x++)
        {
            const carom_vec3 *at = grid->points + y * width + x;
            carom_vec3 right = x + 1 < width ? vec3_sub(at[1], *at) : vec3(0, 0, 0),
                       up = y + 1 < grid->height ? vec3_sub(at[width], *at) : vec3(0, 0, 0);
            longest = fmax(longest, fmax(vec3_dot(right, right), vec3_dot(up, up)));
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

double geoimage_error(const geoimage_disk *disk, const geoimage_grid *grid)
{
    measure_work work = {.grid = grid, .worst = grid->error * grid->error};
    for (size_t i = 0; i < disk->vertex.count; i++)
    {
        const geoimage_vertex *v = &disk->vertex.items[i];
        look_at(&work, v->position, v->at.x, v->at.y);
    }
    for (uint32_t half = 0; half < disk->corner.count; half++)
    {
        if (disk->twin.items[half] < half) /* each edge once; GEOIMAGE_NONE is larger */
            continue;
        work.from = &disk->vertex.items[geoimage_start(disk, half)];
        work.to = &disk->vertex.items[geoimage_end(disk, half)];
        geoimage_point a = work.from->at, b = work.to->at;
        look_at_lines(&work, a.x, b.x);
        look_at_lines(&work, a.y, b.y);
        look_at_lines(&work, a.x - a.y, b.x - b.y);
    }
    double sides = (double)grid->width + grid->height;
    double rounding = 0x1p-47 * (largest_coordinate(disk) + sides * longest_edge(grid));
    return sqrt(work.worst) * (1 + 0x1p-49) + rounding + 0x1p-500;
}
