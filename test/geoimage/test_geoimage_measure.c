/* Samples of a disk, and bounds of its distance from a grid, against their definitions: every corner of every piece,
 * and every triangle that meets there. */
#include "geoimage/geoimage.h"

#include "geoimage/distance.h"
#include "support/check.h"

#include <stdlib.h>

/* ---- disks ---- */

enum
{
    SIDE = 4,  /* vertices of a disk */
    CELLS = 5, /* of a grid */
    POINTS = CELLS + 1
};

typedef struct sheet
{
    carom_mesh *mesh;
    geoimage_surface surface;
    geoimage_disk disk;
} sheet;

/* Squares of two triangles, their vertices at random around a plane, and at 0 to `across` in the rectangle. */
static sheet sheet_open(carom_context *context, check_random *random, double across)
{
    carom_vec3 points[SIDE * SIDE];
    uint32_t indices[6 * (SIDE - 1) * (SIDE - 1)];
    sheet out = {0};
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        points[i] = (carom_vec3){i % SIDE + check_uniform(random, -0.7, 0.7),
                                 (double)(i / SIDE) + check_uniform(random, -0.7, 0.7), check_uniform(random, -1, 1)};
    for (uint32_t i = 0; i < (SIDE - 1) * (SIDE - 1); i++)
    {
        uint32_t at = i / (SIDE - 1) * SIDE + i % (SIDE - 1);
        memcpy(indices + 6 * (size_t)i, (uint32_t[6]){at, at + 1, at + SIDE + 1, at, at + SIDE + 1, at + SIDE},
               6 * sizeof *indices);
    }
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = &points->x, def.vertex_count = SIDE * SIDE;
    def.indices_u32 = indices, def.triangle_count = 2 * (SIDE - 1) * (SIDE - 1);
    assert_int_equal(carom_mesh_create(context, &def, &out.mesh), CAROM_OK);
    assert_int_equal(geoimage_glue(context, out.mesh, &out.surface), CAROM_OK);
    assert_int_equal(geoimage_disk_create(&out.surface, 0, &out.disk), CAROM_OK);
    for (size_t v = 0; v < out.disk.vertex.count; v++)
    {
        geoimage_vertex *vertex = &out.disk.vertex.items[v];
        uint32_t x = vertex->origin % SIDE, y = vertex->origin / SIDE;
        vertex->at = (geoimage_point){across * x / (SIDE - 1), across * y / (SIDE - 1)};
        vertex->on_border = x == 0 || y == 0 || x == SIDE - 1 || y == SIDE - 1;
    }
    return out;
}

static void sheet_close(sheet *s)
{
    geoimage_disk_free(&s->disk);
    geoimage_surface_free(&s->surface);
    carom_mesh_destroy(s->mesh);
}

static void move_inner_vertices(geoimage_disk *disk, check_random *random, double far)
{
    for (size_t v = 0; v < disk->vertex.count; v++)
    {
        geoimage_vertex *vertex = &disk->vertex.items[v];
        vertex->at.x += vertex->on_border ? 0 : check_uniform(random, -far, far);
        vertex->at.y += vertex->on_border ? 0 : check_uniform(random, -far, far);
    }
}

/* ---- triangles of the rectangle ---- */

typedef struct flat
{
    geoimage_point at[3];
    carom_vec3 in_space[3];
} flat;

static flat disk_triangle(const geoimage_disk *disk, uint32_t t)
{
    flat out;
    for (uint32_t k = 0; k < 3; k++)
    {
        const geoimage_vertex *v = &disk->vertex.items[disk->corner.items[3 * t + k]];
        out.at[k] = v->at, out.in_space[k] = v->position;
    }
    return out;
}

/* Two in each cell, along the diagonal from its smallest point. */
static flat grid_triangle(const geoimage_grid *grid, uint32_t t)
{
    uint32_t x = t / 2 % CELLS, y = t / 2 / CELLS, upper = t % 2;
    const uint32_t corners[3][2] = {{x, y}, {x + 1, y + upper}, {x + 1 - upper, y + 1}};
    flat out;
    for (int k = 0; k < 3; k++)
    {
        out.at[k] = (geoimage_point){corners[k][0], corners[k][1]};
        out.in_space[k] = grid->points[corners[k][1] * POINTS + corners[k][0]];
    }
    return out;
}

static double turn(geoimage_point a, geoimage_point b, geoimage_point c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/* The shares of the three corners in a point; returns the smallest, which is negative outside. */
static double shares(const flat *t, geoimage_point at, double out[3])
{
    double whole = turn(t->at[0], t->at[1], t->at[2]), smallest = INFINITY;
    for (int k = 0; k < 3; k++)
    {
        out[k] = turn(at, t->at[(k + 1) % 3], t->at[(k + 2) % 3]) / whole;
        smallest = fmin(smallest, out[k]);
    }
    return smallest;
}

static carom_vec3 point_of(const flat *t, geoimage_point at)
{
    double share[3];
    shares(t, at, share);
    carom_vec3 p = vec3_scale(t->in_space[0], share[0]);
    return vec3_add(p, vec3_add(vec3_scale(t->in_space[1], share[1]), vec3_scale(t->in_space[2], share[2])));
}

/* ---- error bounds ---- */

/* One corner: the distances between each triangle of the disk and each of the grid that meet there. */
static void look_at_corner(const geoimage_disk *disk, const geoimage_grid *grid, geoimage_point at,
                           carom_geoimage_error *worst)
{
    double share[3];
    for (uint32_t s = 0; s < geoimage_triangle_count(disk); s++)
    {
        flat of_disk = disk_triangle(disk, s);
        if (shares(&of_disk, at, share) < -1e-7)
            continue;
        for (uint32_t g = 0; g < 2 * CELLS * CELLS; g++)
        {
            flat of_grid = grid_triangle(grid, g);
            if (shares(&of_grid, at, share) < -1e-7)
                continue;
            carom_vec3 here = point_of(&of_disk, at), there = point_of(&of_grid, at);
            worst->to_image = fmax(worst->to_image, sqrt(distance2_to_triangle(here, of_grid.in_space)));
            worst->to_mesh = fmax(worst->to_mesh, sqrt(distance2_to_triangle(there, of_disk.in_space)));
        }
    }
}

static void look_at_crossings(const geoimage_disk *disk, const geoimage_grid *grid, const geoimage_point ends[2],
                              carom_geoimage_error *worst)
{
    geoimage_point a = ends[0], b = ends[1];
    const double from[3] = {a.x, a.y, a.x - a.y}, to[3] = {b.x, b.y, b.x - b.y};
    for (int family = 0; family < 3; family++)
        for (int line = -CELLS; line <= CELLS; line++)
        {
            double t = (line - from[family]) / (to[family] - from[family]);
            if (t > 0 && t < 1)
                look_at_corner(disk, grid, (geoimage_point){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)}, worst);
        }
}

/* Points of the grid are left out: they are samples, whose errors are known. */
static carom_geoimage_error true_error(const geoimage_disk *disk, const geoimage_grid *grid)
{
    carom_geoimage_error worst = {0};
    for (size_t v = 0; v < disk->vertex.count; v++)
        look_at_corner(disk, grid, disk->vertex.items[v].at, &worst);
    for (uint32_t half = 0; half < disk->corner.count; half++)
        look_at_crossings(disk, grid,
                          (geoimage_point[2]){disk->vertex.items[geoimage_start(disk, half)].at,
                                              disk->vertex.items[geoimage_end(disk, half)].at},
                          &worst);
    return worst;
}

/* The bound is the largest of all these distances, not less and not more. */
static void errors_are_those_of_the_corners(void **state)
{
    check_random random = {41};
    carom_vec3 points[POINTS * POINTS];
    for (int round = 0; round < 100; round++)
    {
        sheet s = sheet_open(*state, &random, CELLS);
        double noise = round % 2 ? 0.1 : 2;
        geoimage_grid grid = {.context = *state, .width = POINTS, .height = POINTS, .points = points};
        move_inner_vertices(&s.disk, &random, 0.5);
        for (uint32_t i = 0; i < POINTS * POINTS; i++)
            points[i] = (carom_vec3){(i % POINTS) * 0.6 + check_uniform(&random, -noise, noise),
                                     (double)(i / POINTS) * 0.6 + check_uniform(&random, -noise, noise),
                                     check_uniform(&random, -noise, noise)};
        carom_geoimage_error found = geoimage_error(&s.disk, &grid), truth = true_error(&s.disk, &grid);
        check_near(found.to_image, truth.to_image, 1e-9);
        check_near(found.to_mesh, truth.to_mesh, 1e-9);
        sheet_close(&s);
    }
}

/* ---- samples ---- */

static carom_vec3 point_of_disk(const geoimage_disk *disk, geoimage_point at)
{
    double share[3], best = -INFINITY;
    flat found = {0};
    for (uint32_t t = 0; t < geoimage_triangle_count(disk); t++)
    {
        flat triangle = disk_triangle(disk, t);
        double smallest = shares(&triangle, at, share);
        if (smallest > best)
            best = smallest, found = triangle;
    }
    return point_of(&found, at);
}

/* Vertices so near to points of the grid that several triangles nearly have these: one does, and that counts. */
static void samples_are_points_of_the_triangle_that_has_them(void **state)
{
    check_random random = {43};
    for (int round = 0; round < 100; round++)
    {
        carom_vec3 points[SIDE * SIDE] = {0}, normals[SIDE * SIDE] = {0};
        sheet s = sheet_open(*state, &random, SIDE - 1);
        geoimage_grid grid = {.context = *state, .width = SIDE, .height = SIDE, .points = points, .normals = normals};
        move_inner_vertices(&s.disk, &random, 5e-10);
        double bound = geoimage_sample(&s.disk, &grid);
        assert_true(bound < 1e-13);
        for (uint32_t y = 1; y + 1 < SIDE; y++)
            for (uint32_t x = 1; x + 1 < SIDE; x++)
            {
                carom_vec3 truth = point_of_disk(&s.disk, (geoimage_point){x, y});
                carom_vec3 apart = distance_sub(points[y * SIDE + x], truth);
                assert_true(sqrt(distance_dot(apart, apart)) <= bound + 1e-14);
            }
        sheet_close(&s);
    }
}

#define WITH_CONTEXT(test) cmocka_unit_test_setup_teardown(test, check_open_context, check_close_context)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(errors_are_those_of_the_corners),
        WITH_CONTEXT(samples_are_points_of_the_triangle_that_has_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
