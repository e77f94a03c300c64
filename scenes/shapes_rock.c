/* Rubble, mine galleries, strata, terrain; and cloth, which is made like terrain. */
#include "scenes/shapes.h"

#include <stdlib.h>

/* ---- rubble: the hull of random points on a sphere, squeezed ---- */

enum
{
    HULL_MAX_TRIANGLES = 2000 /* the hull is found in quadratic time; beyond, its faces are subdivided */
};

/* Six times the volume of the tetrahedron over a face: positive where the point sees the face. */
static double height_over(const shape *hull, const uint32_t face[3], carom_vec3 point)
{
    carom_vec3 a = hull->vertices[face[0]];
    carom_vec3 ab = numeric_sub(hull->vertices[face[1]], a), ac = numeric_sub(hull->vertices[face[2]], a);
    return numeric_dot(numeric_cross(ab, ac), numeric_sub(point, a));
}

/* Is the side (from, to) also one of the faces seen, walked the other way? */
static bool between_seen_faces(const uint32_t *seen, size_t seen_count, uint32_t from, uint32_t to)
{
    for (size_t i = 0; i < seen_count; i++)
        for (int side = 0; side < 3; side++)
            if (seen[3 * i + side] == to && seen[3 * i + (side + 1) % 3] == from)
                return true;
    return false;
}

/* Replaces the faces that the new point sees by a fan from their outline to it. */
static void add_hull_point(shape *hull, uint32_t *seen, carom_vec3 point)
{
    size_t seen_count = 0, kept = 0;
    for (size_t i = 0; i < hull->triangle_count; i++)
    {
        const uint32_t *face = hull->indices + 3 * i;
        uint32_t *to = height_over(hull, face, point) > 0.0 ? seen + 3 * seen_count++ : hull->indices + 3 * kept++;
        uint32_t copy[3] = {face[0], face[1], face[2]};
        to[0] = copy[0], to[1] = copy[1], to[2] = copy[2];
    }
    hull->triangle_count = kept;
    if (seen_count == 0)
        return; /* rounded onto the hull: the point is left out */
    uint32_t tip = shape_vertex(hull, point);
    for (size_t i = 0; i < seen_count; i++)
        for (int side = 0; side < 3; side++)
        {
            uint32_t from = seen[3 * i + side], to = seen[3 * i + (side + 1) % 3];
            if (!between_seen_faces(seen, seen_count, from, to))
                shape_triangle(hull, from, to, tip);
        }
}

static void add_first_tetrahedron(shape *hull, numeric_random *random)
{
    for (int i = 0; i < 4; i++)
        shape_vertex(hull, numeric_direction(random));
    if (hull->failed)
        return;
    const uint32_t base[3] = {0, 1, 2};
    uint32_t b = height_over(hull, base, hull->vertices[3]) < 0.0 ? 1 : 2, c = 3 - b;
    shape_triangle(hull, 0, b, c);
    shape_triangle(hull, 0, 3, b);
    shape_triangle(hull, b, 3, c);
    shape_triangle(hull, c, 3, 0);
}

void shapes_rubble(shape *shape, const generate_def *def)
{
    numeric_random random = {def->seed};
    uint32_t steps = 1;
    while (def->triangles / (steps * steps) > HULL_MAX_TRIANGLES)
        steps++;
    uint32_t faces = def->triangles / (steps * steps), points = faces / 2 + 2;
    carom_vec3 squeeze = {numeric_uniform(&random, 0.7, 1.0), numeric_uniform(&random, 0.5, 1.0),
                          numeric_uniform(&random, 0.4, 1.0)};
    uint32_t *seen = malloc((3 * (size_t)faces + 12) * sizeof *seen);
    shape->failed |= !seen;
    add_first_tetrahedron(shape, &random);
    for (uint32_t i = 4; i < points && !shape->failed; i++)
        add_hull_point(shape, seen, numeric_direction(&random));
    free(seen);
    for (size_t i = 0; i < shape->vertex_count; i++)
    {
        carom_vec3 *v = &shape->vertices[i];
        *v = numeric_scale(numeric_vec(v->x * squeeze.x, v->y * squeeze.y, v->z * squeeze.z), 0.5 * def->size);
    }
    shape_subdivide(shape, steps);
}

/* ---- gallery: out along the inner wall, back along the outer ---- */

typedef struct rock_grid
{
    double size;
    uint64_t seed;
    uint32_t u_count, v_count;
} rock_grid;

static carom_vec3 place_in_gallery(const void *user, uint32_t u, uint32_t v)
{
    const rock_grid *grid = user;
    uint32_t length = grid->u_count / 2;
    bool inner = u < length;
    double along = (double)(inner ? u : 2 * length - 1 - u) / (length - 1);
    double sine, cosine, bend_sine, bend_cosine;
    numeric_sin_cos((double)v / grid->v_count, &sine, &cosine);
    numeric_sin_cos(1.3 * along, &bend_sine, &bend_cosine);
    /* An arch with a floor, rough within, thick enough that roughness never pierces the wall. */
    double wall = inner ? 0.085 : 0.12, height = sine < -0.6 ? -0.6 : sine;
    carom_vec3 where = numeric_vec(12.0 * along, 2.0 * cosine, 2.0 * sine);
    wall *= 1.0 + 0.08 * numeric_noise(where, grid->seed + (inner ? 0 : 99), 3);
    carom_vec3 axis = numeric_vec(along - 0.5, 0.22 * bend_sine, 0.05 * bend_cosine);
    return numeric_scale(numeric_add(axis, numeric_vec(0.0, wall * cosine, wall * height)), grid->size);
}

void shapes_gallery(shape *shape, const generate_def *def)
{
    uint32_t plan[2];
    /* Two rows of quads, inner and outer wall, per step of length. */
    shape_plan(def->triangles / 4, &(shape_proportion){3.0, 3, 8}, plan);
    rock_grid rock = {def->size, def->seed, 2 * plan[0], plan[1]};
    shape_add_ring(shape, &(shape_grid){rock.u_count, rock.v_count, place_in_gallery, &rock});
}

/* ---- layers ---- */

static double layer_height(const rock_grid *grid, double x, double y)
{
    return 0.15 * numeric_noise(numeric_vec(3.0 * x, 3.0 * y, 0.5), grid->seed, 5);
}

static carom_vec3 place_in_stratum(const void *user, const uint32_t step[3])
{
    static const double THICKNESS = 0.08;
    const rock_grid *grid = user;
    double x = (double)step[0] / grid->u_count - 0.5, y = (double)step[1] / grid->v_count - 0.5;
    double z = layer_height(grid, x, y) + THICKNESS * (step[2] == 0 ? -0.5 : 0.5);
    return numeric_scale(numeric_vec(x, y, z), grid->size);
}

void shapes_stratum(shape *shape, const generate_def *def)
{
    /* 4 (n m + n + m) triangles for n by m cells, one thick. */
    uint32_t n = 1;
    while (4 * ((uint64_t)(n + 1) * (n + 1) + 2 * (n + 1)) <= def->triangles)
        n++;
    uint32_t m = (def->triangles / 4 - n) / (n + 1);
    rock_grid rock = {def->size, def->seed, n, m};
    shape_add_block(shape, &(shape_block){{n, m, 1}, place_in_stratum, &rock});
}

static carom_vec3 place_on_terrain(const void *user, uint32_t u, uint32_t v)
{
    const rock_grid *grid = user;
    double x = (double)u / grid->u_count - 0.5, y = (double)v / grid->v_count - 0.5;
    return numeric_scale(numeric_vec(x, y, 2.0 * layer_height(grid, x, y)), grid->size);
}

static carom_vec3 place_on_cloth(const void *user, uint32_t u, uint32_t v)
{
    const rock_grid *grid = user;
    double x = (double)u / grid->u_count - 0.5, y = (double)v / grid->v_count - 0.5, sine, cosine;
    double phase = (double)(grid->seed % 97) / 97.0;
    numeric_sin_cos(4.0 * x + 0.8 * y + phase, &sine, &cosine);
    double fold = 0.04 * sine + 0.03 * numeric_noise(numeric_vec(4.0 * x, 4.0 * y, 0.5), grid->seed, 3);
    return numeric_scale(numeric_vec(x, y, fold), grid->size);
}

static void add_sheet(shape *shape, const generate_def *def, shape_place_fn *place)
{
    uint32_t plan[2];
    shape_plan(def->triangles / 2, &(shape_proportion){1.0, 1, 1}, plan);
    rock_grid rock = {def->size, def->seed, plan[0], plan[1]};
    shape_add_sheet(shape, &(shape_grid){plan[0], plan[1], place, &rock});
}

void shapes_terrain(shape *shape, const generate_def *def) { add_sheet(shape, def, place_on_terrain); }

void shapes_cloth(shape *shape, const generate_def *def) { add_sheet(shape, def, place_on_cloth); }
