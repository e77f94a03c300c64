/* A mesh under construction: growing arrays, grids and blocks, welding, exact triangle counts. */
#include "scenes/shape.h"

#include "scenes/numeric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

shape shape_begin(void) { return (shape){.open_triangle = SHAPE_NONE}; }

void shape_free(shape *shape)
{
    free(shape->vertices);
    free(shape->indices);
    *shape = shape_begin();
}

/* Makes room for one more item, or marks the shape as failed. */
static bool grow(shape *shape, void **items, size_t *capacity, size_t count, size_t item_size)
{
    if (shape->failed || count < *capacity)
        return !shape->failed;
    size_t larger = 2 * *capacity + 64;
    void *memory = count < UINT32_MAX / 4 ? realloc(*items, larger * item_size) : NULL;
    if (!memory)
        return shape->failed = true, false;
    *items = memory;
    *capacity = larger;
    return true;
}

uint32_t shape_vertex(shape *shape, carom_vec3 position)
{
    void *items = shape->vertices;
    bool ready = grow(shape, &items, &shape->vertex_capacity, shape->vertex_count, sizeof position);
    shape->vertices = items;
    if (!ready)
        return 0;
    shape->vertices[shape->vertex_count] = position;
    return (uint32_t)shape->vertex_count++;
}

void shape_triangle(shape *shape, uint32_t a, uint32_t b, uint32_t c)
{
    void *items = shape->indices;
    bool ready = grow(shape, &items, &shape->triangle_capacity, shape->triangle_count, 3 * sizeof(uint32_t));
    shape->indices = items;
    if (!ready)
        return;
    uint32_t *index = shape->indices + 3 * shape->triangle_count++;
    index[0] = a, index[1] = b, index[2] = c;
}

/* ---- patterns ---- */

static void add_quad(shape *shape, const uint32_t corners[4])
{
    shape_triangle(shape, corners[0], corners[1], corners[2]);
    shape_triangle(shape, corners[0], corners[2], corners[3]);
}

/* Vertices of u_count rows of `columns`, row by row; returns the first. */
static uint32_t add_rows(shape *shape, const shape_grid *grid, uint32_t rows, uint32_t columns)
{
    uint32_t first = (uint32_t)shape->vertex_count;
    for (uint32_t u = 0; u < rows; u++)
        for (uint32_t v = 0; v < columns; v++)
            shape_vertex(shape, grid->place(grid->user, u, v));
    return first;
}

/* Quads between row u and the row u_next, v wrapped. */
static void add_band(shape *shape, uint32_t row, uint32_t next_row, uint32_t columns)
{
    for (uint32_t v = 0; v < columns; v++)
    {
        uint32_t w = (v + 1) % columns;
        add_quad(shape, (uint32_t[4]){row + v, next_row + v, next_row + w, row + w});
    }
}

void shape_add_ring(shape *shape, const shape_grid *grid)
{
    uint32_t columns = grid->v_count, first = add_rows(shape, grid, grid->u_count, columns);
    for (uint32_t u = 0; u < grid->u_count; u++)
        add_band(shape, first + u * columns, first + (u + 1) % grid->u_count * columns, columns);
}

void shape_add_capped(shape *shape, const shape_grid *grid, carom_vec3 first_pole, carom_vec3 last_pole)
{
    uint32_t columns = grid->v_count, rows = grid->u_count;
    uint32_t first = add_rows(shape, grid, rows, columns), last = first + (rows - 1) * columns;
    for (uint32_t u = 0; u + 1 < rows; u++)
        add_band(shape, first + u * columns, first + (u + 1) * columns, columns);
    uint32_t start = shape_vertex(shape, first_pole), end = shape_vertex(shape, last_pole);
    for (uint32_t v = 0; v < columns; v++)
    {
        uint32_t w = (v + 1) % columns;
        shape_triangle(shape, start, first + v, first + w);
        shape_triangle(shape, end, last + w, last + v);
    }
}

void shape_add_sheet(shape *shape, const shape_grid *grid)
{
    uint32_t columns = grid->v_count + 1, first = add_rows(shape, grid, grid->u_count + 1, columns);
    if (shape->open_triangle == SHAPE_NONE)
        shape->open_triangle = (uint32_t)shape->triangle_count;
    for (uint32_t u = 0; u < grid->u_count; u++)
        for (uint32_t v = 0; v < grid->v_count; v++)
        {
            uint32_t at = first + u * columns + v;
            add_quad(shape, (uint32_t[4]){at, at + columns, at + columns + 1, at + 1});
        }
}

/* One side of a block, `axis` fixed at its first or last step, with vertices of its own. */
static void add_block_side(shape *shape, const shape_block *block, int axis, bool last)
{
    int a = (axis + 1) % 3, b = (axis + 2) % 3;
    uint32_t first = (uint32_t)shape->vertex_count, columns = block->steps[b] + 1;
    uint32_t step[3];
    step[axis] = last ? block->steps[axis] : 0;
    for (step[a] = 0; step[a] <= block->steps[a]; step[a]++)
        for (step[b] = 0; step[b] <= block->steps[b]; step[b]++)
            shape_vertex(shape, block->place(block->user, step));
    for (uint32_t i = 0; i < block->steps[a]; i++)
        for (uint32_t j = 0; j < block->steps[b]; j++)
        {
            uint32_t at = first + i * columns + j;
            if (last)
                add_quad(shape, (uint32_t[4]){at, at + columns, at + columns + 1, at + 1});
            else
                add_quad(shape, (uint32_t[4]){at, at + 1, at + columns + 1, at + columns});
        }
}

void shape_add_block(shape *shape, const shape_block *block)
{
    for (int axis = 0; axis < 3; axis++)
    {
        add_block_side(shape, block, axis, false);
        add_block_side(shape, block, axis, true);
    }
    shape_weld(shape);
}

/* A triangle's corners weighted i, j, k out of n. On a side one weight is zero and the sum of the other two does not
 * depend on their order, so triangles on both sides of an edge compute the same bits. */
static carom_vec3 weighted_corner(const carom_vec3 corners[3], const uint32_t weights[3], uint32_t n)
{
    for (int i = 0; i < 3; i++)
        if (weights[i] == n)
            return corners[i];
    carom_vec3 sum = numeric_scale(corners[0], (double)weights[0]);
    sum = numeric_add(sum, numeric_scale(corners[1], (double)weights[1]));
    sum = numeric_add(sum, numeric_scale(corners[2], (double)weights[2]));
    return numeric_scale(sum, 1.0 / (double)n);
}

static void subdivide_triangle(shape *shape, const carom_vec3 corners[3], uint32_t n)
{
    uint32_t row = (uint32_t)shape->vertex_count;
    for (uint32_t i = 0; i <= n; i++)
        for (uint32_t j = 0; j <= i; j++)
            shape_vertex(shape, weighted_corner(corners, (uint32_t[3]){n - i, i - j, j}, n));
    for (uint32_t i = 0; i < n; row += ++i)
        for (uint32_t j = 0; j <= i; j++)
        {
            uint32_t below = row + i + 1;
            shape_triangle(shape, row + j, below + j, below + j + 1);
            if (j < i)
                shape_triangle(shape, row + j, below + j + 1, row + j + 1);
        }
}

void shape_subdivide(shape *coarse, uint32_t steps)
{
    if (coarse->failed || steps < 2)
        return;
    shape fine = shape_begin();
    for (size_t t = 0; t < coarse->triangle_count; t++)
    {
        const uint32_t *index = coarse->indices + 3 * t;
        const carom_vec3 corners[3] = {coarse->vertices[index[0]], coarse->vertices[index[1]],
                                       coarse->vertices[index[2]]};
        subdivide_triangle(&fine, corners, steps);
    }
    shape_weld(&fine);
    shape_free(coarse);
    *coarse = fine;
}

/* ---- welding ---- */

static uint64_t position_hash(carom_vec3 position)
{
    double coordinates[3] = {position.x + 0.0, position.y + 0.0, position.z + 0.0};
    uint64_t hash = 0;
    for (int i = 0; i < 3; i++)
    {
        uint64_t bits;
        memcpy(&bits, &coordinates[i], sizeof bits);
        hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

/* The number of the vertex that holds this position, kept or new. */
static uint32_t weld_vertex(shape *shape, uint32_t *table, size_t mask, carom_vec3 position)
{
    for (size_t slot = position_hash(position) & mask;; slot = (slot + 1) & mask)
    {
        if (table[slot] == SHAPE_NONE)
        {
            shape->vertices[shape->vertex_count] = position;
            return table[slot] = (uint32_t)shape->vertex_count++;
        }
        carom_vec3 held = shape->vertices[table[slot]];
        if (held.x == position.x && held.y == position.y && held.z == position.z)
            return table[slot];
    }
}

void shape_weld(shape *shape)
{
    size_t slots = 64, count = shape->vertex_count;
    while (slots < 2 * count)
        slots *= 2;
    uint32_t *table = shape->failed ? NULL : malloc((slots + count) * sizeof *table);
    if (!table)
    {
        shape->failed = true;
        return;
    }
    memset(table, 0xff, slots * sizeof *table);
    uint32_t *renumbered = table + slots;
    shape->vertex_count = 0;
    for (size_t i = 0; i < count; i++)
        renumbered[i] = weld_vertex(shape, table, slots - 1, shape->vertices[i]);
    for (size_t i = 0; i < 3 * shape->triangle_count; i++)
        shape->indices[i] = renumbered[shape->indices[i]];
    free(table);
}

/* ---- exact counts ---- */

/* Coordinates that all corners share stay as they are: axis-parallel faces remain flat. */
static double middle_of(double a, double b, double c) { return a == b && b == c ? a : (a + b + c) / 3.0; }

static void split_by_middle(shape *shape, size_t triangle)
{
    uint32_t *index = shape->indices + 3 * triangle;
    uint32_t a = index[0], b = index[1], c = index[2];
    carom_vec3 p = shape->vertices[a], q = shape->vertices[b], r = shape->vertices[c];
    uint32_t middle =
        shape_vertex(shape, numeric_vec(middle_of(p.x, q.x, r.x), middle_of(p.y, q.y, r.y), middle_of(p.z, q.z, r.z)));
    index[2] = middle;
    shape_triangle(shape, b, c, middle);
    shape_triangle(shape, c, a, middle);
}

static void split_open_side(shape *shape)
{
    uint32_t *index = shape->indices + 3 * (size_t)shape->open_triangle;
    uint32_t b = index[1], c = index[2];
    uint32_t middle = shape_vertex(shape, numeric_mix(shape->vertices[index[0]], shape->vertices[b], 0.5));
    index[1] = middle;
    shape_triangle(shape, middle, b, c);
}

void shape_fill(shape *shape, size_t triangles)
{
    while (!shape->failed && shape->triangle_count > 0 && shape->triangle_count + 1 < triangles)
    {
        /* Spread over the surface; the open side's triangle is left for the odd one. */
        size_t present = shape->triangle_count, wanted = (triangles - present) / 2;
        size_t splits = wanted < present ? wanted : present;
        for (size_t i = 0; i < splits && !shape->failed; i++)
            split_by_middle(shape, i * present / splits);
    }
    if (!shape->failed && shape->triangle_count + 1 == triangles && shape->open_triangle != SHAPE_NONE)
        split_open_side(shape);
}

void shape_plan(uint32_t quads, const shape_proportion *wanted, uint32_t out[2])
{
    double ideal = sqrt((double)quads / wanted->u_per_v);
    uint32_t low = (uint32_t)(ideal * 0.85), high = (uint32_t)(ideal * 1.2) + 1, best = 0;
    low = low > wanted->min_v ? low : wanted->min_v;
    high = high > low ? high : low;
    out[0] = wanted->min_u, out[1] = wanted->min_v;
    for (uint32_t v = low; v <= high; v++)
    {
        uint32_t u = quads / v;
        if (u >= wanted->min_u && u * v > best)
            best = u * v, out[0] = u, out[1] = v;
    }
}

uint32_t shape_whole_root(uint32_t value, uint32_t scale)
{
    uint32_t n = 1;
    while ((uint64_t)scale * (n + 1) * (n + 1) <= value)
        n++;
    return n;
}

/* ---- the mesh ---- */

carom_status shape_finish(shape *shape, carom_context *context, const char *name, carom_mesh **out)
{
    carom_status status = CAROM_OUT_OF_MEMORY;
    if (!shape->failed)
    {
        carom_mesh_def def = carom_mesh_def_default();
        def.vertices_f64 = (const double *)shape->vertices;
        def.vertex_count = shape->vertex_count;
        def.indices_u32 = (const uint32_t *)shape->indices;
        def.triangle_count = shape->triangle_count;
        def.name = name;
        status = carom_mesh_create(context, &def, out);
    }
    shape_free(shape);
    return status;
}
