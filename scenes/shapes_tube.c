/* Tubes along polygons: pipe networks and hands. */
#include "scenes/shapes.h"

#include <math.h>

/* ---- one tube ---- */

typedef struct tube_frame
{
    carom_vec3 tangent, normal;
} tube_frame;

typedef struct tube_grid
{
    const shapes_tube *tube;
    tube_frame segments[SHAPES_WAYPOINTS];
} tube_grid;

static carom_vec3 perpendicular_part(carom_vec3 v, carom_vec3 unit)
{
    return numeric_sub(v, numeric_scale(unit, numeric_dot(v, unit)));
}

/* The normal of each segment is the one before, turned as little as the bend needs. */
static void find_segments(tube_grid *grid)
{
    const shapes_tube *tube = grid->tube;
    carom_vec3 normal = tube->flat_axis;
    for (uint32_t i = 0; i + 1 < tube->waypoint_count; i++)
    {
        carom_vec3 tangent = numeric_normalised(numeric_sub(tube->waypoints[i + 1], tube->waypoints[i]));
        carom_vec3 flat = perpendicular_part(normal, tangent);
        if (numeric_dot(flat, flat) < 1e-6)
            flat = perpendicular_part(fabs(tangent.x) < 0.7 ? numeric_vec(1, 0, 0) : numeric_vec(0, 1, 0), tangent);
        normal = numeric_normalised(flat);
        grid->segments[i] = (tube_frame){tangent, normal};
    }
}

/* Rings are dealt out to the segments evenly; every waypoint has its own. */
static uint32_t segment_of_ring(const shapes_tube *tube, uint32_t ring, double *along)
{
    uint32_t segments = tube->waypoint_count - 1, steps = (tube->rings - 1) / segments;
    uint32_t segment = ring / steps < segments ? ring / steps : segments - 1;
    uint32_t in_segment = segment + 1 == segments ? tube->rings - 1 - steps * (segments - 1) : steps;
    *along = (double)(ring - segment * steps) / in_segment;
    return segment;
}

static carom_vec3 place_on_tube(const void *user, uint32_t u, uint32_t v)
{
    const tube_grid *grid = user;
    const shapes_tube *tube = grid->tube;
    double along, sine, cosine;
    uint32_t segment = segment_of_ring(tube, u, &along);
    tube_frame frame = grid->segments[segment];
    if (along == 0.0 && segment > 0)
    {
        /* Mitre: the plane halfway between the two segments. */
        tube_frame before = grid->segments[segment - 1];
        frame.tangent = numeric_normalised(numeric_add(frame.tangent, before.tangent));
        frame.normal = numeric_normalised(perpendicular_part(numeric_add(frame.normal, before.normal), frame.tangent));
    }
    carom_vec3 centre = numeric_mix(tube->waypoints[segment], tube->waypoints[segment + 1], along);
    double radius = tube->radii[segment] * (1.0 - along) + tube->radii[segment + 1] * along;
    numeric_sin_cos((double)v / tube->around, &sine, &cosine);
    double flatness = tube->flatness > 0.0 ? tube->flatness : 1.0;
    carom_vec3 side = numeric_cross(frame.normal, frame.tangent);
    carom_vec3 rim = numeric_add(numeric_scale(frame.normal, flatness * cosine), numeric_scale(side, sine));
    return numeric_add(centre, numeric_scale(rim, radius));
}

void shapes_add_tube(shape *shape, const shapes_tube *tube)
{
    tube_grid grid = {.tube = tube};
    find_segments(&grid);
    uint32_t last = tube->waypoint_count - 1;
    carom_vec3 start =
        numeric_sub(tube->waypoints[0], numeric_scale(grid.segments[0].tangent, tube->bulge * tube->radii[0]));
    carom_vec3 end = numeric_add(tube->waypoints[last],
                                 numeric_scale(grid.segments[last - 1].tangent, tube->bulge * tube->radii[last]));
    shape_add_capped(shape, &(shape_grid){tube->rings, tube->around, place_on_tube, &grid}, start, end);
}

/* ---- pipe network ---- */

typedef struct pipe_maker
{
    numeric_random random;
    double reach; /* waypoints stay within this of the origin, per coordinate */
    carom_vec3 nodes[64];
    uint32_t node_count; /* all that were ever made; the newest 64 are kept */
} pipe_maker;

/* Turned back where it would leave the cube. */
static double kept_inside(double from, double step, double reach)
{
    double to = from + step;
    if (to > reach || to < -reach)
        to = from - step;
    return to > reach ? reach : to < -reach ? -reach : to;
}

static carom_vec3 next_waypoint(pipe_maker *maker, carom_vec3 at, carom_vec3 *direction)
{
    carom_vec3 turn = numeric_direction(&maker->random);
    *direction = numeric_normalised(numeric_add(*direction, numeric_scale(turn, 0.7)));
    carom_vec3 step = numeric_scale(*direction, maker->reach * numeric_uniform(&maker->random, 0.3, 0.8));
    carom_vec3 to = numeric_vec(kept_inside(at.x, step.x, maker->reach), kept_inside(at.y, step.y, maker->reach),
                                kept_inside(at.z, step.z, maker->reach));
    *direction = numeric_normalised(numeric_sub(to, at));
    return to;
}

/* Every second pipe starts where another one bends or ends. */
static void route_pipe(pipe_maker *maker, shapes_tube *tube)
{
    double reach = maker->reach;
    numeric_random *random = &maker->random;
    carom_vec3 at = {numeric_uniform(random, -reach, reach), numeric_uniform(random, -reach, reach),
                     numeric_uniform(random, -reach, reach)};
    carom_vec3 direction = numeric_direction(random);
    double radius = reach * numeric_uniform(random, 0.015, 0.035);
    uint32_t kept = maker->node_count < 64 ? maker->node_count : 64;
    /* A little off the node: end caps of two pipes must not share their middle. */
    if (kept > 0 && numeric_next(random) % 2 == 0)
        at = numeric_add(maker->nodes[numeric_next(random) % kept], numeric_scale(direction, 0.25 * radius));
    for (uint32_t i = 0; i < tube->waypoint_count; i++)
    {
        tube->waypoints[i] = at;
        tube->radii[i] = radius;
        if (i > 0)
            maker->nodes[maker->node_count++ % 64] = at;
        at = next_waypoint(maker, at, &direction);
    }
}

void shapes_pipe_network(shape *shape, const generate_def *def)
{
    uint32_t pipes = (uint32_t)(0.5 * sqrt((double)def->triangles));
    uint32_t max_pipes = def->triangles / 60;
    pipes = pipes < 5 ? 5 : pipes > 2000 ? 2000 : pipes;
    pipes = pipes < max_pipes ? pipes : max_pipes;
    pipe_maker maker = {.random = {def->seed}, .reach = 0.46 * def->size};
    for (uint32_t i = 0; i < pipes && !shape->failed; i++)
    {
        uint32_t quads = (def->triangles - (uint32_t)shape->triangle_count) / 2 / (pipes - i), plan[2];
        shapes_tube tube = {.waypoint_count = 2 + (uint32_t)(numeric_next(&maker.random) % 4)};
        shape_plan(quads, &(shape_proportion){6.0, tube.waypoint_count, 5}, plan);
        tube.rings = plan[0], tube.around = plan[1];
        route_pipe(&maker, &tube);
        shapes_add_tube(shape, &tube);
    }
}

/* ---- hand ---- */

/* One finger in units of the hand's size: palm in the xy plane, fingers along y, bent towards -z. */
typedef struct finger_plan
{
    carom_vec3 root, direction;
    double length, radius;
} finger_plan;

static const finger_plan FINGERS[5] = {
    {{-0.15, -0.12, 0.0}, {-0.70, 0.70, -0.10}, 0.34, 0.045}, {{-0.11, 0.0, 0.0}, {-0.12, 0.99, 0.0}, 0.40, 0.038},
    {{-0.037, 0.0, 0.0}, {-0.03, 1.0, 0.0}, 0.45, 0.039},     {{0.037, 0.0, 0.0}, {0.04, 1.0, 0.0}, 0.42, 0.037},
    {{0.11, 0.0, 0.0}, {0.15, 0.98, 0.0}, 0.33, 0.033},
};

static shapes_tube finger_tube(const finger_plan *finger, double size, double curl)
{
    /* Where the joints are along the finger, and how thick it is there. */
    static const double ALONG[5] = {0.0, 0.45, 0.72, 0.93, 1.0}, THICKNESS[5] = {1.0, 1.0, 0.92, 0.8, 0.45};
    shapes_tube tube = {.waypoint_count = 5, .flat_axis = {0, 0, 1}, .bulge = 0.35};
    carom_vec3 at = finger->root, direction = numeric_normalised(finger->direction);
    for (int i = 0; i < 5; i++)
    {
        if (i > 0)
            at = numeric_add(at, numeric_scale(direction, finger->length * (ALONG[i] - ALONG[i - 1])));
        if (i > 0)
            direction = numeric_normalised(numeric_add(direction, numeric_vec(0, 0, -curl)));
        tube.waypoints[i] = numeric_scale(at, size);
        tube.radii[i] = size * finger->radius * THICKNESS[i];
    }
    return tube;
}

static shapes_tube palm_tube(double size)
{
    static const double ALONG[5] = {-0.45, -0.25, -0.1, 0.08, 0.12}, THICKNESS[5] = {0.085, 0.12, 0.175, 0.16, 0.10};
    shapes_tube tube = {.waypoint_count = 5, .flat_axis = {0, 0, 1}, .flatness = 0.36, .bulge = 0.1};
    for (int i = 0; i < 5; i++)
    {
        tube.waypoints[i] = numeric_vec(0.0, size * ALONG[i], 0.0);
        tube.radii[i] = size * THICKNESS[i];
    }
    return tube;
}

/* Quads for one part of the hand. */
static void add_part(shape *shape, shapes_tube tube, uint32_t quads)
{
    uint32_t plan[2];
    shape_plan(quads, &(shape_proportion){1.2, tube.waypoint_count, 3}, plan);
    tube.rings = plan[0], tube.around = plan[1];
    shapes_add_tube(shape, &tube);
}

void shapes_hand(shape *shape, const generate_def *def)
{
    numeric_random random = {def->seed};
    uint32_t quads = def->triangles / 2, finger_quads = quads * 2 / 13;
    finger_quads = finger_quads < 15 ? 15 : finger_quads;
    for (int i = 0; i < 5; i++)
        add_part(shape, finger_tube(&FINGERS[i], def->size, numeric_uniform(&random, 0.1, 0.35)), finger_quads);
    add_part(shape, palm_tube(def->size), quads - (uint32_t)(shape->triangle_count / 2));
}
