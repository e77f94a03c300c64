/* The demo: a small machine on a base plate, in millimetres, with mistakes for a checker to find.
 *
 *   standing on the base, face on face: housing, counterweight, shafts, bolts
 *   clashes:   gear-a and gear-c (too close), bolt-4 and pipe-1 through the housing
 *   inside:    insert within the counterweight
 *   touching:  the ball rests on the floor of the housing's cavity with one vertex
 *   too close: shaft-b in the bore of gear-b, pipe-2 over the housing (less than 1 mm)
 *   fine:      gear-a meshing with gear-b, shaft-a and shaft-c in their bores */
#include "scenes/stage.h"

/* A rod standing on its own origin. */
static const carom_mesh *add_rod(stage *stage, double radius, double length, uint32_t triangles)
{
    uint32_t plan[2];
    shape_plan(triangles / 2, &(shape_proportion){0.1 * length / radius, 2, 8}, plan);
    shapes_tube tube = {.waypoints = {{0, 0, 0}, {0, 0, length}},
                        .radii = {radius, radius},
                        .waypoint_count = 2,
                        .rings = plan[0],
                        .around = plan[1]};
    shape rod = shape_begin();
    shapes_add_tube(&rod, &tube);
    return stage_shape(stage, &rod, "rod");
}

/* The housing is a box with a cavity: a second box within, inside out. */
static const carom_mesh *add_housing(stage *stage)
{
    static const double OUTER[3] = {80, 60, 50}, INNER[3] = {70, 50, 40};
    shape housing = shape_begin();
    generate_def def = {.kind = GENERATE_BOX, .triangles = 1200, .size = 2.0};
    shapes_box(&housing, &def);
    size_t outer_vertices = housing.vertex_count, outer_triangles = housing.triangle_count;
    for (size_t i = 0; i < outer_vertices; i++)
        shape_vertex(&housing, housing.vertices[i]);
    for (size_t i = 0; i < outer_triangles && !housing.failed; i++)
    {
        const uint32_t *index = housing.indices + 3 * i;
        uint32_t shift = (uint32_t)outer_vertices;
        shape_triangle(&housing, index[0] + shift, index[2] + shift, index[1] + shift);
    }
    for (size_t i = 0; i < housing.vertex_count; i++)
    {
        const double *half = i < outer_vertices ? OUTER : INNER;
        carom_vec3 *v = &housing.vertices[i];
        *v = numeric_vec(v->x * half[0], v->y * half[1], v->z * half[2]);
    }
    return stage_shape(stage, &housing, "housing");
}

static void add_gears_and_shafts(stage *stage)
{
    const carom_mesh *gear = stage_mesh(stage, GENERATE_GEAR, 4096, 100.0, 1);
    carom_vec3 up = numeric_vec(0, 0, 1), a = numeric_vec(-130, 60, 30), b = numeric_vec(-130 + 94, 60, 30),
               c = numeric_vec(-130, 60 - 86, 30);
    stage_body(stage, gear, "gear-a", a);
    /* A quarter of a tooth turns b's gaps towards a's teeth. */
    stage_turn(stage_body(stage, gear, "gear-b", b), up, 1.0 / 64.0);
    stage_body(stage, gear, "gear-c", c);
    const carom_mesh *loose = add_rod(stage, 12.0, 80.0, 800), *tight = add_rod(stage, 14.5, 80.0, 800);
    stage_body(stage, loose, "shaft-a", numeric_vec(a.x, a.y, 0));
    stage_body(stage, tight, "shaft-b", numeric_vec(b.x, b.y, 0));
    stage_body(stage, loose, "shaft-c", numeric_vec(c.x, c.y, 0));
}

static const carom_mesh *add_bent_pipe(stage *stage, const carom_vec3 *waypoints, uint32_t count)
{
    shapes_tube tube = {.waypoint_count = count, .rings = 40, .around = 24};
    for (uint32_t i = 0; i < count; i++)
        tube.waypoints[i] = waypoints[i], tube.radii[i] = 8.0;
    shape pipe = shape_begin();
    shapes_add_tube(&pipe, &tube);
    return stage_shape(stage, &pipe, "pipe");
}

static void add_pipes(stage *stage)
{
    static const carom_vec3 THROUGH[4] = {{0, 120, 30}, {60, 100, 45}, {100, 40, 60}, {110, -10, 60}};
    static const carom_vec3 ABOVE[3] = {{-60, 20, 108.6}, {40, 20, 108.6}, {170, 20, 108.6}};
    const carom_vec3 origin = {0, 0, 0};
    stage_body(stage, add_bent_pipe(stage, THROUGH, 4), "pipe-1", origin);
    stage_body(stage, add_bent_pipe(stage, ABOVE, 3), "pipe-2", origin);
}

void stage_assembly(stage *stage)
{
    stage->scene->clearance = 1.0;
    stage_body(stage, stage_cuboid(stage, numeric_vec(200, 150, 10), 1200), "base", numeric_vec(0, 0, -10));
    stage_body(stage, add_housing(stage), "housing", numeric_vec(110, 0, 50));
    stage_body(stage, stage_mesh(stage, GENERATE_UV_SPHERE, 2000, 40.0, 1), "ball", numeric_vec(110, 0, 30));
    add_gears_and_shafts(stage);
    const carom_mesh *bolt = add_rod(stage, 6.0, 20.0, 240);
    stage_body(stage, bolt, "bolt-1", numeric_vec(15, -90, 0));
    stage_body(stage, bolt, "bolt-2", numeric_vec(180, -90, 0));
    stage_body(stage, bolt, "bolt-3", numeric_vec(180, 90, 0));
    stage_body(stage, bolt, "bolt-4", numeric_vec(34, -30, 0));
    const carom_mesh *counterweight = stage_cuboid(stage, numeric_vec(25, 25, 25), 300);
    stage_body(stage, counterweight, "counterweight", numeric_vec(-40, -110, 25));
    stage_body(stage, stage_mesh(stage, GENERATE_ICO_SPHERE, 500, 30.0, 1), "insert", numeric_vec(-40, -110, 25));
    add_pipes(stage);
}
