/* A mesh under construction, and the few patterns that all generators use. Failed allocations are remembered in the
 * shape and reported by shape_finish, so that generators need no checks of their own. Private to this folder. */
#ifndef SCENES_SHAPE_H
#define SCENES_SHAPE_H

#include "scenes/generate.h"

#define SHAPE_NONE UINT32_MAX

typedef struct shape
{
    carom_vec3 *vertices;
    uint32_t *indices; /* 3 per triangle */
    size_t vertex_count, vertex_capacity;
    size_t triangle_count, triangle_capacity;
    uint32_t open_triangle; /* one whose first side is on the boundary of an open shape, or SHAPE_NONE */
    bool failed;
} shape;

shape shape_begin(void);
void shape_free(shape *shape);

uint32_t shape_vertex(shape *shape, carom_vec3 position);
void shape_triangle(shape *shape, uint32_t a, uint32_t b, uint32_t c);

/* Returns the position of a grid point, given by integer steps. */
typedef carom_vec3 shape_place_fn(const void *user, uint32_t u, uint32_t v);

typedef struct shape_grid
{
    uint32_t u_count, v_count;
    shape_place_fn *place;
    const void *user;
} shape_grid;

/* Wrapped both ways, u_count * v_count * 2 triangles; outward if du x dv points outward. */
void shape_add_ring(shape *shape, const shape_grid *grid);

/* v is wrapped; u runs over rings from one pole to the other: u_count * v_count * 2 triangles. Outward if du x dv is.
 */
void shape_add_capped(shape *shape, const shape_grid *grid, carom_vec3 first_pole, carom_vec3 last_pole);

/* Not wrapped, (u_count + 1) * (v_count + 1) vertices, u_count * v_count * 2 triangles; upward if du x dv points up. */
void shape_add_sheet(shape *shape, const shape_grid *grid);

/* The surface of a lattice of steps[0] x steps[1] x steps[2] cells; 4 (ab + bc + ca) triangles, welded. Outward if
 * place keeps the handedness of the lattice. */
typedef struct shape_block
{
    uint32_t steps[3];
    carom_vec3 (*place)(const void *user, const uint32_t step[3]);
    const void *user;
} shape_block;
void shape_add_block(shape *shape, const shape_block *block);

/* Cuts each triangle into steps * steps of its plane, welded. */
void shape_subdivide(shape *coarse, uint32_t steps);

/* Vertices at equal positions become one, in order of first appearance. */
void shape_weld(shape *shape);

/* Adds triangles without changing the surface, two at a time by a point in the middle of a triangle, the odd one by
 * the middle of a boundary side. */
void shape_fill(shape *shape, size_t triangles);

/* Factors of a number of quads: u * v <= quads with few left over, u / v near u_per_v where min_u and min_v allow. */
typedef struct shape_proportion
{
    double u_per_v;
    uint32_t min_u, min_v;
} shape_proportion;
void shape_plan(uint32_t quads, const shape_proportion *wanted, uint32_t out[2]);

/* Largest n with scale * n * n <= value, at least 1. */
uint32_t shape_whole_root(uint32_t value, uint32_t scale);

/* Makes the mesh, and frees the shape in either case. */
carom_status shape_finish(shape *shape, carom_context *context, const char *name, carom_mesh **out);

#endif
