/* The generators themselves: each adds about def->triangles, never more unless that is fewer than its minimum;
 * generate_mesh fills up to the exact count. Private to this folder. */
#ifndef SCENES_SHAPES_H
#define SCENES_SHAPES_H

#include "scenes/numeric.h"
#include "scenes/shape.h"

void shapes_box(shape *shape, const generate_def *def);
void shapes_uv_sphere(shape *shape, const generate_def *def);
void shapes_ico_sphere(shape *shape, const generate_def *def);
void shapes_torus(shape *shape, const generate_def *def);
void shapes_torus_knot(shape *shape, const generate_def *def);
void shapes_blob(shape *shape, const generate_def *def);
void shapes_tetrahedron(shape *shape, const generate_def *def);
void shapes_cylinder(shape *shape, const generate_def *def);
void shapes_gear(shape *shape, const generate_def *def);
void shapes_pipe_network(shape *shape, const generate_def *def);
void shapes_hand(shape *shape, const generate_def *def);
void shapes_rubble(shape *shape, const generate_def *def);
void shapes_gallery(shape *shape, const generate_def *def);
void shapes_stratum(shape *shape, const generate_def *def);
void shapes_sieve(shape *shape, const generate_def *def);
void shapes_terrain(shape *shape, const generate_def *def);
void shapes_cloth(shape *shape, const generate_def *def);

/* A closed tube along a polygon, mitred at its bends. */
enum
{
    SHAPES_WAYPOINTS = 8
};
typedef struct shapes_tube
{
    carom_vec3 waypoints[SHAPES_WAYPOINTS];
    double radii[SHAPES_WAYPOINTS];
    uint32_t waypoint_count;
    uint32_t rings, around; /* 2 * rings * around triangles; at least one ring per waypoint */
    carom_vec3 flat_axis;   /* the section is squeezed along this direction, perpendicular to the path */
    double flatness;        /* by this factor; 0: round */
    double bulge;           /* how far the end caps stand out, in end radii */
} shapes_tube;
void shapes_add_tube(shape *shape, const shapes_tube *tube);

#endif
