/* Boxes and machine parts. */
#include "scenes/shapes.h"

typedef struct box_lattice
{
    double half;
    uint32_t steps[3];
} box_lattice;

/* The ends are exact, so that adjacent boxes touch exactly. */
static double box_coordinate(const box_lattice *box, int axis, uint32_t step)
{
    uint32_t count = box->steps[axis];
    if (step == count)
        return box->half;
    return -box->half + 2.0 * box->half * ((double)step / count);
}

static carom_vec3 place_on_box(const void *user, const uint32_t step[3])
{
    const box_lattice *box = user;
    return numeric_vec(box_coordinate(box, 0, step[0]), box_coordinate(box, 1, step[1]),
                       box_coordinate(box, 2, step[2]));
}

void shapes_box(shape *shape, const generate_def *def)
{
    /* Grow the lattice axis by axis while it fits. */
    box_lattice box = {0.5 * def->size, {1, 1, 1}};
    for (int axis = 0, refused = 0; refused < 3; axis = (axis + 1) % 3)
    {
        uint64_t next[3] = {box.steps[0], box.steps[1], box.steps[2]};
        next[axis]++;
        refused = 4 * (next[0] * next[1] + next[1] * next[2] + next[2] * next[0]) > def->triangles ? refused + 1 : 0;
        box.steps[axis] += refused == 0;
    }
    shape_block block = {{box.steps[0], box.steps[1], box.steps[2]}, place_on_box, &box};
    shape_add_block(shape, &block);
}

void shapes_tetrahedron(shape *shape, const generate_def *def)
{
    double half = 0.5 * def->size;
    static const double CORNERS[4][3] = {{1, 1, 1}, {-1, -1, 1}, {-1, 1, -1}, {1, -1, -1}};
    for (int i = 0; i < 4; i++)
        shape_vertex(shape, numeric_vec(half * CORNERS[i][0], half * CORNERS[i][1], half * CORNERS[i][2]));
    shape_triangle(shape, 0, 2, 1);
    shape_triangle(shape, 0, 1, 3);
    shape_triangle(shape, 0, 3, 2);
    shape_triangle(shape, 1, 2, 3);
    shape_subdivide(shape, shape_whole_root(def->triangles, 4));
}

void shapes_cylinder(shape *shape, const generate_def *def)
{
    uint32_t plan[2];
    shape_plan(def->triangles / 2, &(shape_proportion){0.64, 2, 3}, plan);
    double half = 0.5 * def->size;
    shapes_tube tube = {.waypoints = {{0, 0, -half}, {0, 0, half}},
                        .radii = {0.5 * half, 0.5 * half},
                        .waypoint_count = 2,
                        .rings = plan[0],
                        .around = plan[1]};
    shapes_add_tube(shape, &tube);
}

/* ---- gear: a rectangle swept around an axis, its outer side following the teeth ---- */

typedef struct gear_grid
{
    double size;
    uint32_t teeth, points;  /* points around, a multiple of 4 per tooth */
    uint32_t across, height; /* steps of the rectangle's sides */
} gear_grid;

/* Root, flank, tip, flank: a quarter of the tooth each. */
static double gear_outer_radius(const gear_grid *gear, uint32_t point)
{
    double tooth = (double)point * gear->teeth / gear->points, whole = (double)(uint32_t)tooth;
    double quarter = 4.0 * (tooth - whole), rise = quarter < 1.0   ? 0.0
                                                   : quarter < 2.0 ? quarter - 1.0
                                                   : quarter < 3.0 ? 1.0
                                                                   : 4.0 - quarter;
    return gear->size * (0.4 + 0.1 * rise);
}

static carom_vec3 place_on_gear(const void *user, uint32_t u, uint32_t v)
{
    const gear_grid *gear = user;
    /* Corner by corner: bottom outwards, outside up, top inwards, inside down. */
    uint32_t across = gear->across, height = gear->height;
    double out, up;
    if (v < across)
        out = (double)v / across, up = 0.0;
    else if (v < across + height)
        out = 1.0, up = (double)(v - across) / height;
    else if (v < 2 * across + height)
        out = 1.0 - (double)(v - across - height) / across, up = 1.0;
    else
        out = 0.0, up = 1.0 - (double)(v - 2 * across - height) / height;
    double inner = 0.15 * gear->size, sine, cosine;
    double radius = inner + out * (gear_outer_radius(gear, u) - inner);
    numeric_sin_cos((double)u / gear->points, &sine, &cosine);
    return numeric_vec(radius * cosine, radius * sine, gear->size * 0.2 * (up - 0.5));
}

void shapes_gear(shape *shape, const generate_def *def)
{
    gear_grid gear = {.size = def->size, .teeth = def->triangles >= 512 ? 16 : 6};
    /* 2 triangles x 4 points per tooth x 2 sides of the rectangle. */
    uint32_t plan[2];
    shape_plan(def->triangles / (16 * gear.teeth), &(shape_proportion){1.0, 1, 2}, plan);
    gear.points = 4 * gear.teeth * plan[0];
    gear.across = plan[1] / 2 + plan[1] % 2;
    gear.height = plan[1] - gear.across;
    shape_add_ring(shape, &(shape_grid){gear.points, 2 * plan[1], place_on_gear, &gear});
}
