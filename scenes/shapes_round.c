/* Spheres, tori, knots, blobs. */
#include "scenes/shapes.h"

#include <math.h>

/* A grid and what its points depend on. */
typedef struct round_grid
{
    double size;
    uint32_t u_count, v_count;
} round_grid;

static carom_vec3 place_on_sphere(const void *user, uint32_t u, uint32_t v)
{
    const round_grid *grid = user;
    double around_sine, around_cosine, height_sine, height_cosine;
    numeric_sin_cos((double)v / grid->v_count, &around_sine, &around_cosine);
    numeric_sin_cos(0.5 * (double)(u + 1) / (grid->u_count + 1), &height_sine, &height_cosine);
    carom_vec3 unit = numeric_vec(height_sine * around_cosine, height_sine * around_sine, height_cosine);
    return numeric_scale(unit, 0.5 * grid->size);
}

void shapes_uv_sphere(shape *shape, const generate_def *def)
{
    uint32_t plan[2];
    shape_plan(def->triangles / 2, &(shape_proportion){0.5, 1, 3}, plan);
    round_grid round = {def->size, plan[0], plan[1]};
    shape_grid grid = {plan[0], plan[1], place_on_sphere, &round};
    shape_add_capped(shape, &grid, numeric_vec(0, 0, 0.5 * def->size), numeric_vec(0, 0, -0.5 * def->size));
}

/* A regular icosahedron's corners on the unit sphere. */
static void add_icosahedron(shape *shape)
{
    static const uint32_t TRIANGLES[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                              {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                              {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                              {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    double golden = 0.5 * (1.0 + sqrt(5.0));
    static const double s[2] = {-1.0, 1.0};
    for (int i = 0; i < 4; i++)
        shape_vertex(shape, numeric_normalised(numeric_vec(s[i % 2], i < 2 ? golden : -golden, 0.0)));
    for (int i = 0; i < 4; i++)
        shape_vertex(shape, numeric_normalised(numeric_vec(0.0, s[i % 2], i < 2 ? golden : -golden)));
    for (int i = 0; i < 4; i++)
        shape_vertex(shape, numeric_normalised(numeric_vec(i < 2 ? golden : -golden, 0.0, s[i % 2])));
    for (int i = 0; i < 20; i++)
        shape_triangle(shape, TRIANGLES[i][0], TRIANGLES[i][1], TRIANGLES[i][2]);
}

/* Unit sphere of about equal triangles. */
static void add_unit_ico_sphere(shape *shape, uint32_t triangles)
{
    add_icosahedron(shape);
    shape_subdivide(shape, shape_whole_root(triangles, 20));
    for (size_t i = 0; i < shape->vertex_count; i++)
        shape->vertices[i] = numeric_normalised(shape->vertices[i]);
}

void shapes_ico_sphere(shape *shape, const generate_def *def)
{
    add_unit_ico_sphere(shape, def->triangles);
    for (size_t i = 0; i < shape->vertex_count; i++)
        shape->vertices[i] = numeric_scale(shape->vertices[i], 0.5 * def->size);
}

void shapes_blob(shape *shape, const generate_def *def)
{
    static const double DENT = 0.4; /* of the radius: star-shaped, so it can't cut itself */
    add_unit_ico_sphere(shape, def->triangles);
    for (size_t i = 0; i < shape->vertex_count; i++)
    {
        carom_vec3 unit = shape->vertices[i];
        double noise = numeric_noise(numeric_scale(unit, 2.5), def->seed, 4);
        shape->vertices[i] = numeric_scale(unit, 0.5 * def->size * (1.0 + DENT * noise) / (1.0 + DENT));
    }
}

static carom_vec3 place_on_torus(const void *user, uint32_t u, uint32_t v)
{
    const round_grid *grid = user;
    double major = 0.35 * grid->size, minor = 0.15 * grid->size;
    double around_sine, around_cosine, tube_sine, tube_cosine;
    numeric_sin_cos((double)u / grid->u_count, &around_sine, &around_cosine);
    numeric_sin_cos((double)v / grid->v_count, &tube_sine, &tube_cosine);
    double radius = major + minor * tube_cosine;
    return numeric_vec(radius * around_cosine, radius * around_sine, minor * tube_sine);
}

void shapes_torus(shape *shape, const generate_def *def)
{
    uint32_t plan[2];
    shape_plan(def->triangles / 2, &(shape_proportion){2.0, 3, 3}, plan);
    round_grid round = {def->size, plan[0], plan[1]};
    shape_add_ring(shape, &(shape_grid){plan[0], plan[1], place_on_torus, &round});
}

/* A (2, 3) curve on a torus. The torus's normal is perpendicular to the curve and comes back to itself, so it carries
 * the tube's frame. */
static carom_vec3 place_on_knot(const void *user, uint32_t u, uint32_t v)
{
    static const double MAJOR = 1.0, MINOR = 0.4, TUBE = 0.2, WIDTH = 3.2;
    const round_grid *grid = user;
    double turn = (double)u / grid->u_count, long_sine, long_cosine, short_sine, short_cosine, sine, cosine;
    numeric_sin_cos(2.0 * turn, &long_sine, &long_cosine);
    numeric_sin_cos(3.0 * turn, &short_sine, &short_cosine);
    numeric_sin_cos((double)v / grid->v_count, &sine, &cosine);
    double radius = MAJOR + MINOR * short_cosine;
    carom_vec3 centre = numeric_vec(radius * long_cosine, radius * long_sine, MINOR * short_sine);
    carom_vec3 normal = numeric_vec(short_cosine * long_cosine, short_cosine * long_sine, short_sine);
    carom_vec3 tangent =
        numeric_vec(-2.0 * radius * long_sine - 3.0 * MINOR * short_sine * long_cosine,
                    2.0 * radius * long_cosine - 3.0 * MINOR * short_sine * long_sine, 3.0 * MINOR * short_cosine);
    carom_vec3 side = numeric_cross(normal, numeric_normalised(tangent));
    carom_vec3 rim = numeric_add(numeric_scale(normal, cosine), numeric_scale(side, sine));
    return numeric_scale(numeric_add(centre, numeric_scale(rim, TUBE)), grid->size / WIDTH);
}

void shapes_torus_knot(shape *shape, const generate_def *def)
{
    uint32_t plan[2];
    shape_plan(def->triangles / 2, &(shape_proportion){11.0, 24, 3}, plan);
    round_grid round = {def->size, plan[0], plan[1]};
    shape_add_ring(shape, &(shape_grid){plan[0], plan[1], place_on_knot, &round});
}
