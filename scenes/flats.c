/* Flat meshes, made of squares of a grid with two triangles each. Coordinates are small integers or rounded to 2^-10,
 * so that what is flat is exactly flat. */
#include "scenes/flats.h"

#include <math.h>
#include <stdlib.h>

typedef struct flats_list
{
    double *corners; /* 9 per triangle */
    size_t count, room;
    bool failed;
} flats_list;

static void add(flats_list *list, carom_vec3 a, carom_vec3 b, carom_vec3 c)
{
    if (list->count == list->room)
    {
        list->room = list->room ? 2 * list->room : 1024;
        double *larger = realloc(list->corners, 9 * list->room * sizeof *larger);
        list->failed |= !larger;
        if (larger)
            list->corners = larger;
    }
    if (list->failed)
        return;
    double *out = list->corners + 9 * list->count++;
    const carom_vec3 corner[3] = {a, b, c};
    for (int i = 0; i < 3; i++)
        out[3 * i] = corner[i].x, out[3 * i + 1] = corner[i].y, out[3 * i + 2] = corner[i].z;
}

/* Four corners, counterclockwise seen from outside. */
static void add_square(flats_list *list, carom_vec3 a, carom_vec3 b, carom_vec3 c, carom_vec3 d)
{
    add(list, a, b, c);
    add(list, a, c, d);
}

static carom_vec3 point(int x, int y, double z) { return (carom_vec3){x, y, z}; }

static void add_cell(flats_list *list, int x, int y, double z, bool down)
{
    carom_vec3 p[4] = {point(x, y, z), point(x + 1, y, z), point(x + 1, y + 1, z), point(x, y + 1, z)};
    if (down)
        add_square(list, p[0], p[3], p[2], p[1]);
    else
        add_square(list, p[0], p[1], p[2], p[3]);
}

/* ---- cells with round holes ---- */

enum
{
    HOLE_EVERY = 20,
    HOLE_RADIUS = 6,
    POST_RADIUS = 2
};

static int squared_from_hole(int x, int y)
{
    int u = x % HOLE_EVERY - HOLE_EVERY / 2, v = y % HOLE_EVERY - HOLE_EVERY / 2;
    return u * u + v * v;
}

typedef bool cell_test(int x, int y);
static bool is_any(int x, int y) { return x >= 0 && y >= 0; }
static bool is_outside_hole(int x, int y) { return squared_from_hole(x, y) > HOLE_RADIUS * HOLE_RADIUS; }
static bool is_high(int x, int y)
{
    return is_outside_hole(x, y) || squared_from_hole(x, y) < POST_RADIUS * POST_RADIUS;
}

static void add_cells(flats_list *list, int n, cell_test *wanted, double z)
{
    for (int x = 0; x < n; x++)
        for (int y = 0; y < n; y++)
            if (wanted(x, y))
                add_cell(list, x, y, z, false);
}

/* Walls from height 0 down to -depth around the cells of a kind; around: also at the edge of the grid. */
static void add_walls(flats_list *list, int n, cell_test *high, double depth, bool around)
{
    static const int step[4][2] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};
    static const int from[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    for (int x = 0; x < n; x++)
        for (int y = 0; y < n; y++)
            for (int side = 0; side < 4 && high(x, y); side++)
            {
                int u = x + step[side][0], v = y + step[side][1], next = (side + 1) % 4;
                bool beyond = u < 0 || v < 0 || u >= n || v >= n;
                if (beyond ? !around : high(u, v))
                    continue;
                int px = x + from[side][0], py = y + from[side][1], qx = x + from[next][0], qy = y + from[next][1];
                add_square(list, point(px, py, 0), point(px, py, -depth), point(qx, qy, -depth), point(qx, qy, 0));
            }
}

/* ---- kinds ---- */

static carom_vec3 ring_point(int ring, int step, int steps)
{
    const double pi = 3.14159265358979323846;
    double angle = 2.0 * pi * (step % steps) / steps, radius = 64.0 + 0.25 * ring;
    return (carom_vec3){round(1024.0 * radius * cos(angle)) / 1024.0, round(1024.0 * radius * sin(angle)) / 1024.0, 0};
}

static void add_annulus(flats_list *list, int n)
{
    for (int ring = 0; 2 * ring < n; ring++)
        for (int step = 0; step < 2 * n; step++)
            add_square(list, ring_point(ring, step, 2 * n), ring_point(ring + 1, step, 2 * n),
                       ring_point(ring + 1, step + 1, 2 * n), ring_point(ring, step + 1, 2 * n));
}

/* A point of the side where coordinate `axis` is `height`. */
static carom_vec3 side_point(int axis, int height, int u, int v)
{
    int at[3];
    at[axis] = height, at[(axis + 1) % 3] = u, at[(axis + 2) % 3] = v;
    return (carom_vec3){at[0], at[1], at[2]};
}

static void add_box(flats_list *list, int n)
{
    for (int axis = 0; axis < 3; axis++)
        for (int u = 0; u < n; u++)
            for (int v = 0; v < n; v++)
            {
                carom_vec3 high[4], low[4];
                static const int at[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
                for (int i = 0; i < 4; i++)
                {
                    high[i] = side_point(axis, n, u + at[i][0], v + at[i][1]);
                    low[i] = side_point(axis, 0, u + at[i][0], v + at[i][1]);
                }
                add_square(list, high[0], high[1], high[2], high[3]);
                add_square(list, low[0], low[3], low[2], low[1]);
            }
}

static void add_plate(flats_list *list, int n)
{
    add_cells(list, n, is_outside_hole, 0);
    for (int x = 0; x < n; x++)
        for (int y = 0; y < n; y++)
            if (is_outside_hole(x, y))
                add_cell(list, x, y, -8, true);
    add_walls(list, n, is_outside_hole, 8, true);
}

static void add_posts(flats_list *list, int n)
{
    add_cells(list, n, is_high, 0);
    for (int x = 0; x < n; x++)
        for (int y = 0; y < n; y++)
            if (!is_high(x, y))
                add_cell(list, x, y, -2, false);
    add_walls(list, n, is_high, 2, false);
}

static void add_kind(flats_list *list, flats_kind kind, uint32_t triangles)
{
    int n = (int)sqrt(0.5 * triangles);
    switch (kind)
    {
    case FLATS_ANNULUS: add_annulus(list, n); break;
    case FLATS_HOLES: add_cells(list, n, is_outside_hole, 0); break;
    case FLATS_BOX: add_box(list, (int)sqrt(triangles / 12.0)); break;
    case FLATS_PLATE: add_plate(list, (int)sqrt(0.25 * triangles)); break;
    case FLATS_POSTS: add_posts(list, n); break;
    default: add_cells(list, n, is_any, 0); break;
    }
    if (kind == FLATS_PIERCED)
        add(list, (carom_vec3){n / 2 + 0.5, n / 2 + 0.25, -1}, (carom_vec3){n / 2 + 0.625, n / 2 + 0.25, 1},
            (carom_vec3){n / 2 + 0.5, n / 2 + 0.375, 1});
}

const char *flats_name(flats_kind kind)
{
    static const char *const names[FLATS_COUNT] = {"grid", "annulus", "holes", "box", "plate", "posts", "pierced"};
    return kind < FLATS_COUNT ? names[kind] : "?";
}

carom_status flats_make(carom_context *context, flats_kind kind, uint32_t triangles, carom_mesh **out)
{
    flats_list list = {0};
    *out = NULL;
    add_kind(&list, kind, triangles < 8 ? 8 : triangles);
    carom_status status = CAROM_OUT_OF_MEMORY;
    if (!list.failed)
    {
        carom_mesh_def def = carom_mesh_def_default();
        def.vertices_f64 = list.corners, def.vertex_count = 3 * list.count;
        def.unindexed = true, def.triangle_count = list.count, def.name = flats_name(kind);
        status = carom_mesh_create(context, &def, out);
    }
    free(list.corners);
    return status;
}
