/* The families, each a function that fills the cores of a pair, and radii to go with them. */
#include "support/rounds.h"
#include "support/families.h"

const char *const round_kind_names[ROUND_KINDS] = {"ball-ball", "ball-capsule", "capsule-capsule", "ball-triangle",
                                                   "capsule-triangle"};

static const double LARGEST_RADIUS = 0x1p110;

static carom_vec3 cube_point(check_random *random, double half)
{
    double x = check_uniform(random, -half, half), y = check_uniform(random, -half, half);
    return vec3(x, y, check_uniform(random, -half, half));
}

static carom_vec3 grid_point(check_random *random, int half)
{
    int x = family_integer(random, -half, half), y = family_integer(random, -half, half);
    return vec3(x, y, family_integer(random, -half, half));
}

static carom_vec3 nudge_point(check_random *random, carom_vec3 p, int ulps)
{
    double x = family_nudge(random, p.x, ulps), y = family_nudge(random, p.y, ulps);
    return vec3(x, y, family_nudge(random, p.z, ulps));
}

/* Everywhere below one random number is drawn per statement: compilers order arguments as they like. */
static carom_vec3 add_scaled(carom_vec3 p, double s, carom_vec3 d) { return vec3_add(p, vec3_scale(d, s)); }

/* The six points of a pair in one row. */
static carom_vec3 *point_of(round_cores *c, int i) { return i < 3 ? &c->a[i] : &c->b[i - 3]; }

static void map_all(round_cores *c, double scale, carom_vec3 offset)
{
    for (int i = 0; i < 6; i++)
        *point_of(c, i) = vec3_add(vec3_scale(*point_of(c, i), scale), offset);
}

/* ---- generic ---- */

static void make_cube(check_random *random, round_cores *c)
{
    for (int i = 0; i < 6; i++)
        *point_of(c, i) = cube_point(random, 1.0);
}

static void make_sizes(check_random *random, round_cores *c)
{
    make_cube(random, c);
    double size = exp2(check_uniform(random, -30.0, 10.0));
    for (int i = 1; i < 3; i++)
        c->b[i] = add_scaled(c->b[0], size, vec3_sub(c->b[i], c->b[0]));
}

static void make_far(check_random *random, round_cores *c)
{
    make_cube(random, c);
    map_all(c, 1.0, vec3(1e9, -3e9, 2e12));
}

/* ---- lattices ---- */

static void make_grid(check_random *random, round_cores *c)
{
    for (int i = 0; i < 6; i++)
        *point_of(c, i) = grid_point(random, 4);
}

static void make_grid_scaled(check_random *random, round_cores *c)
{
    static const int exponents[] = {-1000, -537, -300, -100, -30, 30, 60, 96};
    make_grid(random, c);
    map_all(c, ldexp(1.0, exponents[family_integer(random, 0, 7)]), vec3(0, 0, 0));
}

static void make_denormal(check_random *random, round_cores *c)
{
    make_grid(random, c);
    map_all(c, 0x1p-1074 * (1 << family_integer(random, 0, 8)), vec3(0, 0, 0));
}

/* An integer vector of integer length, its components in any order and with any signs. */
static carom_vec3 integer_length(check_random *random)
{
    static const int quadruples[][3] = {{0, 0, 1},  {0, 3, 4},  {1, 2, 2},   {2, 3, 6},  {1, 4, 8},
                                        {4, 4, 7},  {2, 6, 9},  {3, 4, 12},  {2, 5, 14}, {1, 12, 12},
                                        {8, 9, 12}, {0, 5, 12}, {6, 10, 15}, {2, 10, 11}};
    const int *q = quadruples[family_integer(random, 0, 13)];
    int first = family_integer(random, 0, 2), step = family_integer(random, 1, 2), signs = family_integer(random, 0, 7);
    double v[3];
    for (int i = 0; i < 3; i++)
        v[(first + i * step) % 3] = signs >> i & 1 ? -q[i] : q[i];
    return vec3(v[0], v[1], v[2]);
}

/* At right angles to v, not zero. */
static carom_vec3 across(check_random *random, carom_vec3 v)
{
    carom_vec3 out = vec3(0, 0, 0);
    while (vec3_equal(out, vec3(0, 0, 0)))
        out = vec3_cross(v, grid_point(random, 1));
    return out;
}

/* Nearest at two integer points at an integer distance, if these are inside of both. */
static void make_exact_touch(check_random *random, round_cores *c)
{
    carom_vec3 way = integer_length(random), p = grid_point(random, 3);
    carom_vec3 q = add_scaled(p, family_integer(random, 1, 2), way);
    carom_vec3 along_a = across(random, way), along_b[2];
    along_b[0] = across(random, way);
    along_b[1] = across(random, way);
    c->a[0] = add_scaled(p, -family_integer(random, 0, 2), along_a);
    c->a[1] = add_scaled(p, family_integer(random, -1, 3), along_a);
    for (int i = 0; i < 3; i++)
    {
        c->b[i] = add_scaled(q, family_integer(random, -2, 2), along_b[0]);
        c->b[i] = add_scaled(c->b[i], family_integer(random, -2, 2), along_b[1]);
    }
    if (family_integer(random, 0, 1))
    {
        c->b[0] = add_scaled(q, -family_integer(random, 0, 2), along_b[0]);
        c->b[1] = add_scaled(q, family_integer(random, 0, 2), along_b[0]);
    }
    c->a[2] = c->a[1];
    int kind = family_integer(random, 0, 7);
    if (kind == 1)
        map_all(c, ldexp(1.0, family_integer(random, -400, 90)), vec3(0, 0, 0));
    if (kind == 2)
        map_all(c, 1.0, vec3(0x1p40, -0x1p41, 0x1p30));
}

/* Coordinates of a lattice pair one ulp off. */
static void make_touch_nudged(check_random *random, round_cores *c)
{
    make_exact_touch(random, c);
    int i = family_integer(random, 0, 5);
    *point_of(c, i) = nudge_point(random, *point_of(c, i), 1);
}

/* ---- special positions ---- */

static void make_parallel(check_random *random, round_cores *c)
{
    static const double factors[] = {1.0, 2.0, -1.0, 0.5, -4.0};
    bool exact = family_integer(random, 0, 1);
    carom_vec3 d = exact ? grid_point(random, 3) : cube_point(random, 1.0);
    carom_vec3 p = exact ? grid_point(random, 3) : cube_point(random, 1.0);
    carom_vec3 q = exact ? grid_point(random, 3) : cube_point(random, 1.0);
    c->a[0] = p, c->a[1] = vec3_add(p, d);
    c->b[0] = q, c->b[1] = add_scaled(q, factors[family_integer(random, 0, 4)], d);
    c->b[2] = exact ? grid_point(random, 3) : cube_point(random, 1.0);
    if (family_integer(random, 0, 3) == 0)
        c->b[1] = vec3_add(c->b[1], cube_point(random, exp2(check_uniform(random, -55.0, -5.0))));
}

static void make_collinear(check_random *random, round_cores *c)
{
    carom_vec3 p = grid_point(random, 2), d = grid_point(random, 2);
    bool axis = family_integer(random, 0, 1);
    for (int i = 0; i < 6; i++)
    {
        double full = check_uniform(random, -1.0, 1.0);
        *point_of(c, i) = axis ? vec3(full, 0.25, -0.7) : add_scaled(p, family_integer(random, -4, 4), d);
    }
}

/* The segment passes a point of the other core, or nearly. */
static void make_through(check_random *random, round_cores *c)
{
    make_cube(random, c);
    double u = check_uniform(random, 0.0, 1.0),
           v = family_integer(random, 0, 1) ? 0.0 : check_uniform(random, 0.0, 1.0 - u);
    carom_vec3 inside = add_scaled(add_scaled(c->b[0], u, vec3_sub(c->b[1], c->b[0])), v, vec3_sub(c->b[2], c->b[0]));
    carom_vec3 along = cube_point(random, 1.0);
    inside = vec3_add(inside, cube_point(random, exp2(check_uniform(random, -60.0, -2.0))));
    c->a[0] = vec3_add(inside, along);
    c->a[1] = add_scaled(inside, check_uniform(random, -1.0, 0.2), along);
}

/* The foot on a corner or an edge exactly. */
static void make_foot(check_random *random, round_cores *c)
{
    carom_vec3 q = grid_point(random, 2), e = vec3(0, 0, 0);
    while (vec3_equal(e, vec3(0, 0, 0)))
        e = vec3_scale(grid_point(random, 2), 2.0);
    carom_vec3 up = across(random, e);
    c->b[0] = q, c->b[1] = vec3_add(q, e);
    double high = family_integer(random, 0, 2);
    c->b[2] = add_scaled(q, high, across(random, e));
    c->a[0] = add_scaled(q, 0.5 * family_integer(random, 0, 2), e);
    c->a[0] = add_scaled(c->a[0], family_integer(random, 1, 2), up);
    carom_vec3 along = family_integer(random, 0, 1) ? up : across(random, up);
    c->a[1] = add_scaled(c->a[0], family_integer(random, -1, 2), along);
}

/* Triangles without area, capsules of length 0. */
static void make_no_area(check_random *random, round_cores *c)
{
    family_integer(random, 0, 1) ? make_grid(random, c) : make_cube(random, c);
    int kind = family_integer(random, 0, 4);
    if (kind == 0)
        c->b[2] = c->b[0];
    if (kind == 1)
        c->b[1] = c->b[2] = c->b[0];
    if (kind == 2)
        c->b[2] = vec3_sub(vec3_scale(c->b[1], 2.0), c->b[0]);
    if (kind == 3)
        c->b[1] = c->b[2];
    if (kind == 4)
        c->b[2] = vec3_scale(vec3_add(c->b[0], c->b[1]), 0.5);
    if (family_integer(random, 0, 2) == 0)
        c->a[1] = c->a[0];
}

static void make_sliver(check_random *random, round_cores *c)
{
    make_cube(random, c);
    c->b[2] = add_scaled(c->b[0], check_uniform(random, -0.5, 1.5), vec3_sub(c->b[1], c->b[0]));
    c->b[2] = vec3_add(c->b[2], cube_point(random, exp2(check_uniform(random, -55.0, -10.0))));
}

/* ---- extreme numbers ---- */

static void make_mixed_exponents(check_random *random, round_cores *c)
{
    for (int i = 0; i < 18; i++)
    {
        double value = check_uniform(random, -1.0, 1.0);
        int kind = family_integer(random, 0, 4);
        value = kind == 0 ? 0.0 : ldexp(value, kind == 1 ? family_integer(random, -1074, 99) : kind == 2 ? -1000 : 99);
        (&point_of(c, i / 3)->x)[i % 3] = value;
    }
}

/* The largest numbers beside the smallest: exact arithmetic at its widest. */
static void make_widest(check_random *random, round_cores *c)
{
    static const double values[] = {0.0, 0x1p-1074, 0x1.fffffffffffffp109, 0x1.fffffffffffffp107, 0x1p-1040};
    for (int i = 0; i < 18; i++)
    {
        double value = values[family_integer(random, 0, 4)];
        (&point_of(c, i / 3)->x)[i % 3] = family_integer(random, 0, 1) ? value : -value;
    }
}

static void make_grid_and_dust(check_random *random, round_cores *c)
{
    make_exact_touch(random, c);
    for (int n = 0; n < 2; n++)
    {
        carom_vec3 *point = point_of(c, family_integer(random, 0, 5));
        double *value = &((double *)point)[family_integer(random, 0, 2)];
        double fraction = check_uniform(random, -1.0, 1.0);
        if (*value == 0.0)
            *value = ldexp(fraction, family_integer(random, -1060, -50));
    }
}

const round_family round_families[] = {{"cube", make_cube},
                                       {"sizes", make_sizes},
                                       {"far", make_far},
                                       {"grid", make_grid},
                                       {"scaled grid", make_grid_scaled},
                                       {"denormal", make_denormal},
                                       {"exact touch", make_exact_touch},
                                       {"touch nudged", make_touch_nudged},
                                       {"parallel", make_parallel},
                                       {"collinear", make_collinear},
                                       {"through", make_through},
                                       {"foot", make_foot},
                                       {"no area", make_no_area},
                                       {"sliver", make_sliver},
                                       {"mixed exponents", make_mixed_exponents},
                                       {"grid and dust", make_grid_and_dust},
                                       {"widest", make_widest}};
const int round_families_count = sizeof round_families / sizeof *round_families;

round_cores round_make(check_random *random, const round_family *family, int kind)
{
    static const int counts[ROUND_KINDS][2] = {{1, 1}, {1, 2}, {2, 2}, {1, 3}, {2, 3}};
    round_cores c = {.count_a = 0};
    family->make(random, &c);
    c.count_a = counts[kind][0], c.count_b = counts[kind][1];
    for (int i = 0; i < 3; i++)
    {
        c.a[i] = i < c.count_a ? c.a[i] : c.a[0];
        c.b[i] = i < c.count_b ? c.b[i] : c.b[0];
    }
    return c;
}

double round_pick_radius(check_random *random, double distance)
{
    int kind = family_integer(random, 0, 7);
    double fraction = check_uniform(random, 0.0, 1.0), tiny = ldexp(fraction, family_integer(random, -1074, 90));
    double radius = kind < 3   ? distance * check_uniform(random, 0.4, 1.6)
                    : kind < 4 ? family_nudge(random, distance, 2)
                    : kind < 6 ? distance
                    : kind < 7 ? nextafter(distance, INFINITY) /* the distance may be rounded down */
                               : tiny * family_integer(random, 0, 1);
    radius = radius > 0.0 ? radius : 0.0;
    return radius < LARGEST_RADIUS ? radius : LARGEST_RADIUS;
}

void round_split(check_random *random, double sum, double parts[2])
{
    static const double shares[] = {0.0, 1.0, 0.5, 0.25, 0.3};
    parts[0] = sum * shares[family_integer(random, 0, 4)];
    parts[1] = sum - parts[0];
    if (family_integer(random, 0, 9) == 0)
        parts[1] = family_nudge(random, parts[1], 1);
    parts[1] = parts[1] > 0.0 ? parts[1] : 0.0;
}
