/* The families, each a function that fills a pair of triangles, and the table of them. */
#include "support/families.h"
#include "support/rooted.h"

int family_integer(check_random *random, int low, int high)
{
    return low + (int)(check_next(random) % (uint64_t)(high - low + 1));
}

double family_nudge(check_random *random, double value, int max_ulps)
{
    for (int steps = family_integer(random, -max_ulps, max_ulps); steps != 0; steps += steps > 0 ? -1 : 1)
        value = nextafter(value, steps > 0 ? INFINITY : -INFINITY);
    return value;
}

static carom_vec3 cube_point(check_random *random, double half)
{
    double x = check_uniform(random, -half, half), y = check_uniform(random, -half, half);
    return vec3(x, y, check_uniform(random, -half, half));
}

static carom_vec3 grid_point(check_random *random, int max)
{
    int x = family_integer(random, 0, max), y = family_integer(random, 0, max);
    return vec3(x, y, family_integer(random, 0, max));
}

static carom_vec3 nudge_point(check_random *random, carom_vec3 p, int max_ulps)
{
    double x = family_nudge(random, p.x, max_ulps), y = family_nudge(random, p.y, max_ulps);
    return vec3(x, y, family_nudge(random, p.z, max_ulps));
}

/* Applies the same map to all corners. */
static void scale_pair(narrow_triangle pair[2], double scale, carom_vec3 offset)
{
    for (int i = 0; i < 6; i++)
    {
        carom_vec3 *p = &pair[i / 3].corner[i % 3];
        *p = vec3_add(vec3_scale(*p, scale), offset);
    }
}

static void rotate_pair(check_random *random, narrow_triangle pair[2])
{
    double q[4];
    for (int i = 0; i < 4; i++)
        q[i] = check_uniform(random, -1.0, 1.0);
    carom_pose pose = rooted_pose(q, cube_point(random, 1.0));
    for (int i = 0; i < 6; i++)
        pair[i / 3].corner[i % 3] = pose_apply(&pose, pair[i / 3].corner[i % 3]);
}

/* Point of a triangle with random weights: inside, or on an edge, or a corner. */
static carom_vec3 point_of(check_random *random, const narrow_triangle *t)
{
    int kind = family_integer(random, 0, 3);
    double u = check_uniform(random, 0.0, 1.0), v = kind == 0 ? 0.0 : check_uniform(random, 0.0, 1.0 - u);
    if (kind == 1)
        u = 0.5, v = 0.25;
    carom_vec3 e = vec3_sub(t->corner[1], t->corner[0]), f = vec3_sub(t->corner[2], t->corner[0]);
    return vec3_add(t->corner[0], vec3_add(vec3_scale(e, u), vec3_scale(f, v)));
}

/* ---- generic ---- */

static void make_cube(check_random *random, narrow_triangle pair[2])
{
    for (int i = 0; i < 6; i++)
        pair[i / 3].corner[i % 3] = cube_point(random, 1.0);
}

/* Both contain points near one place: they meet more often than not. */
static void make_near(check_random *random, narrow_triangle pair[2])
{
    make_cube(random, pair);
    carom_vec3 on_a = point_of(random, &pair[0]), on_b = point_of(random, &pair[1]);
    carom_vec3 move = vec3_add(vec3_sub(on_a, on_b), cube_point(random, check_uniform(random, 0.0, 0.2)));
    for (int i = 0; i < 3; i++)
        pair[1].corner[i] = vec3_add(pair[1].corner[i], move);
}

static void make_sizes(check_random *random, narrow_triangle pair[2])
{
    make_near(random, pair);
    double size = exp2(check_uniform(random, -20.0, 0.0));
    carom_vec3 centre = pair[1].corner[0];
    for (int i = 0; i < 3; i++)
        pair[1].corner[i] = vec3_add(centre, vec3_scale(vec3_sub(pair[1].corner[i], centre), size));
}

static void make_through(check_random *random, narrow_triangle pair[2])
{
    make_cube(random, pair);
    carom_vec3 inside = point_of(random, &pair[0]), along = cube_point(random, 1.0);
    pair[1].corner[0] = vec3_add(inside, along);
    pair[1].corner[1] = vec3_sub(inside, vec3_scale(along, check_uniform(random, -0.5, 1.0)));
}

/* ---- degenerate and nearly so ---- */

static void make_grid(check_random *random, narrow_triangle pair[2])
{
    for (int i = 0; i < 6; i++)
        pair[i / 3].corner[i % 3] = grid_point(random, 3);
}

static void make_small_grid(check_random *random, narrow_triangle pair[2])
{
    for (int i = 0; i < 6; i++)
        pair[i / 3].corner[i % 3] = grid_point(random, 1 + family_integer(random, 0, 1));
}

static void make_grid_tiny(check_random *random, narrow_triangle pair[2])
{
    make_grid(random, pair);
    scale_pair(pair, 0x1p-30, vec3(0, 0, 0));
}

static void make_grid_offset(check_random *random, narrow_triangle pair[2])
{
    make_grid(random, pair);
    scale_pair(pair, 1.0, vec3(0x1p20, -0x1p20, 0x1p21));
}

static void make_grid_rotated(check_random *random, narrow_triangle pair[2])
{
    make_grid(random, pair);
    rotate_pair(random, pair);
}

static void make_coplanar(check_random *random, narrow_triangle pair[2])
{
    int kind = family_integer(random, 0, 3);
    for (int i = 0; i < 6; i++)
    {
        int x = family_integer(random, 0, 4), y = family_integer(random, 0, 4);
        pair[i / 3].corner[i % 3] = kind == 0   ? vec3(x, y, x + y)
                                    : kind == 1 ? vec3(x, y, 2)
                                    : kind == 2 ? vec3(1, x, y)
                                                : vec3(y, 3, x);
    }
}

static void make_coplanar_rotated(check_random *random, narrow_triangle pair[2])
{
    make_coplanar(random, pair);
    rotate_pair(random, pair);
}

/* In one plane to the bit, with coordinates that use all their bits. */
static void make_coplanar_full(check_random *random, narrow_triangle pair[2])
{
    make_near(random, pair);
    int kind = family_integer(random, 0, 2);
    for (int i = 0; i < 6; i++)
    {
        carom_vec3 *p = &pair[i / 3].corner[i % 3];
        if (kind == 0)
            p->z = 0.7;
        else if (kind == 1)
            p->x = p->y;
        else
            p->z = p->x = -p->y;
    }
}

static void make_shared_corner(check_random *random, narrow_triangle pair[2])
{
    make_cube(random, pair);
    int i = family_integer(random, 0, 2), j = family_integer(random, 0, 2);
    pair[1].corner[i] = pair[0].corner[j];
    rotate_pair(random, pair);
}

static void make_shared_edge(check_random *random, narrow_triangle pair[2])
{
    make_cube(random, pair);
    int i = family_integer(random, 0, 2), j = family_integer(random, 0, 2), turn = family_integer(random, 1, 2);
    pair[1].corner[i] = pair[0].corner[j];
    pair[1].corner[(i + 1) % 3] = pair[0].corner[(j + turn) % 3];
    if (family_integer(random, 0, 3) == 0)
        pair[1].corner[i] = nudge_point(random, pair[1].corner[i], 1);
}

static void make_corner_on_face(check_random *random, narrow_triangle pair[2])
{
    make_cube(random, pair);
    carom_vec3 on_a = point_of(random, &pair[0]);
    pair[1].corner[0] = nudge_point(random, on_a, family_integer(random, 0, 2));
    if (family_integer(random, 0, 1))
        pair[1].corner[1] = nudge_point(random, point_of(random, &pair[0]), 1);
}

static void make_sliver(check_random *random, narrow_triangle pair[2])
{
    make_near(random, pair);
    for (int side = 0; side < 1 + family_integer(random, 0, 1); side++)
    {
        carom_vec3 *c = pair[side].corner, e = vec3_sub(c[1], c[0]);
        double height = exp2(check_uniform(random, -55.0, -10.0));
        c[2] = vec3_add(c[0], vec3_scale(e, check_uniform(random, -0.5, 1.5)));
        c[2] = vec3_add(c[2], cube_point(random, height));
    }
}

static void make_needle(check_random *random, narrow_triangle pair[2])
{
    make_near(random, pair);
    carom_vec3 *c = pair[0].corner;
    c[1] = vec3_add(c[0], cube_point(random, 1e-6));
    c[2] = vec3_add(c[0], vec3_scale(vec3_sub(c[2], c[0]), 1e6));
    if (family_integer(random, 0, 1))
        pair[1].corner[0] = nudge_point(random, point_of(random, &pair[0]), 1);
}

static void make_edges_cross(check_random *random, narrow_triangle pair[2])
{
    make_cube(random, pair);
    carom_vec3 *a = pair[0].corner, *b = pair[1].corner;
    carom_vec3 at = vec3_add(a[0], vec3_scale(vec3_sub(a[1], a[0]), check_uniform(random, 0.0, 1.0)));
    carom_vec3 along = cube_point(random, 1.0);
    b[0] = nudge_point(random, vec3_add(at, along), 1);
    carom_vec3 back = vec3_scale(along, check_uniform(random, 0.0, 2.0));
    b[1] = nudge_point(random, vec3_sub(at, back), 1);
    if (family_integer(random, 0, 1))
        rotate_pair(random, pair);
}

/* Edges at a tiny angle that pass each other at a tiny distance, or not quite. */
static void make_grazing_edges(check_random *random, narrow_triangle pair[2])
{
    make_cube(random, pair);
    carom_vec3 *a = pair[0].corner, *b = pair[1].corner;
    carom_vec3 at = vec3_add(a[0], vec3_scale(vec3_sub(a[1], a[0]), check_uniform(random, 0.0, 1.0)));
    carom_vec3 along = vec3_sub(a[1], a[0]);
    along = vec3_add(along, cube_point(random, exp2(check_uniform(random, -50.0, -5.0))));
    carom_vec3 gap = cube_point(random, exp2(check_uniform(random, -60.0, -5.0)));
    b[0] = vec3_add(vec3_add(at, vec3_scale(along, check_uniform(random, 0.0, 1.0))), gap);
    b[1] = vec3_add(vec3_sub(at, vec3_scale(along, check_uniform(random, 0.0, 1.0))), gap);
    if (family_integer(random, 0, 1))
        b[2] = vec3_add(b[0], cube_point(random, exp2(check_uniform(random, -50.0, 0.0))));
}

static void make_parallel(check_random *random, narrow_triangle pair[2])
{
    make_near(random, pair);
    double gap = family_integer(random, 0, 1) ? 0.0 : exp2(check_uniform(random, -60.0, -20.0));
    for (int i = 0; i < 6; i++)
        pair[i / 3].corner[i % 3].z = 0.25 + (i < 3 ? 0.0 : gap);
    rotate_pair(random, pair);
}

static void make_same(check_random *random, narrow_triangle pair[2])
{
    make_cube(random, pair);
    for (int i = 0; i < 3; i++)
        pair[1].corner[i] = nudge_point(random, pair[0].corner[i], family_integer(random, 0, 1));
}

static void make_no_area(check_random *random, narrow_triangle pair[2])
{
    make_small_grid(random, pair);
    for (int side = 0; side < 2; side++)
    {
        carom_vec3 *c = pair[side].corner;
        int kind = family_integer(random, 0, 3);
        if (kind == 0)
            c[2] = c[0];
        else if (kind == 1)
            c[2] = c[1] = c[0];
        else if (kind == 2)
            c[2] = vec3_sub(vec3_scale(c[1], 2.0), c[0]);
    }
}

/* Degenerate triangles on a full-precision triangle or on its edges. */
static void make_no_area_on(check_random *random, narrow_triangle pair[2])
{
    make_cube(random, pair);
    carom_vec3 *c = pair[1].corner;
    int kind = family_integer(random, 0, 3);
    c[0] = point_of(random, &pair[0]);
    c[1] = kind == 0 ? c[0] : kind == 1 ? point_of(random, &pair[0]) : c[1];
    c[2] = kind == 3 ? vec3_scale(vec3_add(c[0], c[1]), 0.5) : c[0];
    if (family_integer(random, 0, 3) == 0)
        pair[0].corner[2] = pair[0].corner[1];
}

static void make_one_line(check_random *random, narrow_triangle pair[2])
{
    carom_vec3 origin = grid_point(random, 2), along = vec3(1, family_integer(random, -2, 2), 3);
    for (int i = 0; i < 6; i++)
        pair[i / 3].corner[i % 3] = vec3_add(origin, vec3_scale(along, family_integer(random, 0, 5)));
}

static void make_tiny(check_random *random, narrow_triangle pair[2])
{
    family_integer(random, 0, 1) ? make_near(random, pair) : make_grid(random, pair);
    scale_pair(pair, exp2(-family_integer(random, 90, 900)), vec3(0, 0, 0));
}

static void make_huge(check_random *random, narrow_triangle pair[2])
{
    family_integer(random, 0, 1) ? make_near(random, pair) : make_grid(random, pair);
    scale_pair(pair, exp2(family_integer(random, 60, 98)), vec3(0, 0, 0));
}

static void make_denormal(check_random *random, narrow_triangle pair[2])
{
    make_grid(random, pair);
    scale_pair(pair, 0x1p-1074 * (1 << family_integer(random, 0, 8)), vec3(0, 0, 0));
    for (int i = 0; i < 6; i++)
        if (family_integer(random, 0, 1))
            pair[i / 3].corner[i % 3] = nudge_point(random, pair[i / 3].corner[i % 3], 1);
}

/* Every coordinate with an exponent of its own. */
static void make_mixed_exponents(check_random *random, narrow_triangle pair[2])
{
    for (int i = 0; i < 18; i++)
    {
        double value = check_uniform(random, -1.0, 1.0);
        int kind = family_integer(random, 0, 3);
        value = kind == 0 ? 0.0 : ldexp(value, kind == 1 ? family_integer(random, -1074, 100) : 100);
        ((double *)&pair[i / 9].corner[0])[i % 9] = value;
    }
}

/* A grid pair with one coordinate changed by far less than an ulp of the others. */
static void make_grid_and_dust(check_random *random, narrow_triangle pair[2])
{
    make_grid(random, pair);
    for (int n = 0; n < 2; n++)
    {
        double *value = &((double *)&pair[0].corner[0])[family_integer(random, 0, 17)];
        double fraction = check_uniform(random, -1.0, 1.0);
        if (*value == 0.0)
            *value = ldexp(fraction, family_integer(random, -1060, -50));
    }
}

static void make_far(check_random *random, narrow_triangle pair[2])
{
    make_near(random, pair);
    scale_pair(pair, 1.0, vec3(1e9, -3e9, 2e12));
}

const family families_random[] = {
    {"cube", make_cube}, {"near", make_near}, {"near", make_near}, {"sizes", make_sizes}, {"through", make_through}};
const int families_random_count = sizeof families_random / sizeof *families_random;

const family families_degenerate[] = {{"grid", make_grid},
                                      {"small grid", make_small_grid},
                                      {"tiny grid", make_grid_tiny},
                                      {"offset grid", make_grid_offset},
                                      {"rotated grid", make_grid_rotated},
                                      {"coplanar", make_coplanar},
                                      {"coplanar rotated", make_coplanar_rotated},
                                      {"coplanar full", make_coplanar_full},
                                      {"shared corner", make_shared_corner},
                                      {"shared edge", make_shared_edge},
                                      {"corner on face", make_corner_on_face},
                                      {"sliver", make_sliver},
                                      {"needle", make_needle},
                                      {"edges cross", make_edges_cross},
                                      {"grazing edges", make_grazing_edges},
                                      {"parallel", make_parallel},
                                      {"same", make_same},
                                      {"no area", make_no_area},
                                      {"no area on", make_no_area_on},
                                      {"one line", make_one_line},
                                      {"tiny", make_tiny},
                                      {"huge", make_huge},
                                      {"denormal", make_denormal},
                                      {"mixed exponents", make_mixed_exponents},
                                      {"grid and dust", make_grid_and_dust},
                                      {"far", make_far}};
const int families_degenerate_count = sizeof families_degenerate / sizeof *families_degenerate;
