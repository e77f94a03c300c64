/* Samples of a disk at the points of a grid. Each inner point gets the first triangle that contains it, by exact
 * orientation; the triangles cover the rectangle, so each has one. */
#include "geoimage/geoimage.h"

/* Farther than any rounding here moves a crossing in the rectangle, and much less than a cell. */
#define SLACK 1e-9

typedef struct sample_triangle
{
    const geoimage_vertex *corner[3];
    double longest; /* edge in space; negative: not computed yet */
} sample_triangle;

typedef struct sample_span
{
    double low, high;
} sample_span;

/* Where a horizontal line crosses a triangle, a little wider. */
static sample_span span_at(const sample_triangle *triangle, double y)
{
    sample_span span = {INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++)
    {
        geoimage_point a = triangle->corner[k]->at, b = triangle->corner[(k + 1) % 3]->at;
        if ((a.y > y && b.y > y) || (a.y < y && b.y < y))
            continue;
        double x = a.y == b.y ? b.x : a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x);
        span.low = fmin(span.low, fmin(x, a.y == b.y ? a.x : x));
        span.high = fmax(span.high, fmax(x, a.y == b.y ? a.x : x));
    }
    return (sample_span){span.low - SLACK, span.high + SLACK};
}

static bool contains(const sample_triangle *triangle, carom_vec3 point)
{
    for (int k = 0; k < 3; k++)
    {
        geoimage_point a = triangle->corner[k]->at, b = triangle->corner[(k + 1) % 3]->at;
        if (exact_orient2d(vec3(a.x, a.y, 0), vec3(b.x, b.y, 0), point, 2, NULL) < 0)
            return false;
    }
    return true;
}

static void measure(sample_triangle *triangle)
{
    triangle->longest = 0;
    for (int k = 0; k < 3; k++)
        triangle->longest =
            fmax(triangle->longest,
                 vec3_length(vec3_sub(triangle->corner[(k + 1) % 3]->position, triangle->corner[k]->position)));
}

/* Sets a point; returns an upper bound of its error. With the areas a_k = A_k + e_k, |e_k| <= bound_k, of the three
 * parts and their sums a and A, |a_k / a - A_k / A| <= (bound_k + A_k / A sum of bounds) / a; so all weights together
 * err by 2 (sum of bounds) / a at most, and the point by that much of the longest edge. Whatever they are, it is a
 * point of the triangle and errs by less than its longest edge. */
static double set_point(sample_triangle *triangle, geoimage_grid *grid, uint32_t x, uint32_t y)
{
    double area[3], sum = 0, doubt = 0;
    for (int k = 0; k < 3; k++)
    {
        geoimage_point a = triangle->corner[(k + 1) % 3]->at, b = triangle->corner[(k + 2) % 3]->at;
        double bound;
        area[k] = fmax(exact_filter2d(a.x - x, a.y - y, b.x - x, b.y - y, &bound), 0);
        sum += area[k], doubt += bound;
    }
    if (triangle->longest < 0)
        measure(triangle);
    if (!(sum > 0))
        area[0] = sum = 1, area[1] = area[2] = 0;
    double weight[3] = {0, area[1] / sum, area[2] / sum};
    const geoimage_vertex *first = triangle->corner[0];
    carom_vec3 point = first->position, normal = first->normal;
    for (int k = 1; k < 3; k++)
    {
        const geoimage_vertex *v = triangle->corner[k];
        point = vec3_add(point, vec3_scale(vec3_sub(v->position, first->position), weight[k]));
        normal = vec3_add(normal, vec3_scale(vec3_sub(v->normal, first->normal), weight[k]));
    }
    size_t at = (size_t)y * grid->width + x;
    grid->points[at] = point, grid->normals[at] = normal;
    double part = 2.01 * doubt / sum;
    return (part < 1 ? part : 1) * triangle->longest;
}

static bool is_set(const geoimage_grid *grid, uint32_t x, uint32_t y)
{
    return grid->points[(size_t)y * grid->width + x].x < INFINITY;
}

static double sample_one(sample_triangle *triangle, geoimage_grid *grid)
{
    double low = INFINITY, high = -INFINITY, error = 0;
    for (int k = 0; k < 3; k++)
        low = fmin(low, triangle->corner[k]->at.y), high = fmax(high, triangle->corner[k]->at.y);
    /* The rim is set already. */
    low = fmax(ceil(low), 1), high = fmin(floor(high), grid->height - 2.0);
    for (double y = low; y <= high; y++)
    {
        sample_span span = span_at(triangle, y);
        span.low = fmax(ceil(span.low), 1), span.high = fmin(floor(span.high), grid->width - 2.0);
        for (double x = span.low; x <= span.high; x++)
            if (!is_set(grid, (uint32_t)x, (uint32_t)y) && contains(triangle, vec3(x, y, 0)))
                error = fmax(error, set_point(triangle, grid, (uint32_t)x, (uint32_t)y));
    }
    return error;
}

static void normalise(carom_vec3 *normal)
{
    double length = vec3_length(*normal);
    *normal = length > 0 ? vec3_scale(*normal, 1 / length) : vec3(0, 0, 0);
}

double geoimage_sample(const geoimage_disk *disk, geoimage_grid *grid)
{
    double error = 0;
    for (uint32_t y = 1; y + 1 < grid->height; y++)
        for (uint32_t x = 1; x + 1 < grid->width; x++)
            grid->points[(size_t)y * grid->width + x].x = INFINITY;
    for (uint32_t t = 0; t < geoimage_triangle_count(disk); t++)
    {
        const uint32_t *corner = disk->corner.items + 3 * (size_t)t;
        sample_triangle triangle = {.longest = -1};
        for (int k = 0; k < 3; k++)
            triangle.corner[k] = &disk->vertex.items[corner[k]];
        error = fmax(error, sample_one(&triangle, grid));
    }
    for (size_t i = 0; i < (size_t)grid->width * grid->height; i++)
        normalise(&grid->normals[i]);
    return error;
}

/* ---- a grid that was given ---- */

static void add_normal(geoimage_grid *grid, size_t a, size_t b, size_t c)
{
    carom_vec3 normal =
        vec3_cross(vec3_sub(grid->points[b], grid->points[a]), vec3_sub(grid->points[c], grid->points[a]));
    grid->normals[a] = vec3_add(grid->normals[a], normal);
    grid->normals[b] = vec3_add(grid->normals[b], normal);
    grid->normals[c] = vec3_add(grid->normals[c], normal);
}

void geoimage_grid_normals(geoimage_grid *grid)
{
    size_t width = grid->width, count = width * grid->height;
    for (size_t i = 0; i < count; i++)
        grid->normals[i] = vec3(0, 0, 0);
    for (size_t y = 0; y + 1 < grid->height; y++)
        for (size_t x = 0; x + 1 < width; x++)
        {
            size_t at = y * width + x;
            add_normal(grid, at, at + 1, at + width + 1);
            add_normal(grid, at, at + width + 1, at + width);
        }
    for (size_t i = 0; i < count; i++)
        normalise(&grid->normals[i]);
}
