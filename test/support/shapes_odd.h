/* Meshes that decompositions have trouble with, as plain lists of triangles: vertices at equal positions are merged. */
#ifndef SUPPORT_SHAPES_ODD_H
#define SUPPORT_SHAPES_ODD_H

#include "support/check.h"
#include "support/soup.h"

enum
{
    ODD_TRIANGLES = 512
};

typedef struct odd_shape
{
    carom_vec3 corner[3 * ODD_TRIANGLES];
    size_t count; /* of triangles */
} odd_shape;

static inline void odd_add(odd_shape *shape, carom_vec3 a, carom_vec3 b, carom_vec3 c)
{
    carom_vec3 *out = shape->corner + 3 * shape->count++;
    assert_true(shape->count <= ODD_TRIANGLES);
    out[0] = a, out[1] = b, out[2] = c;
}

static inline void odd_tetrahedron(odd_shape *shape, carom_vec3 at, double size)
{
    carom_vec3 p[4] = {at, {at.x + size, at.y, at.z}, {at.x, at.y + size, at.z}, {at.x, at.y, at.z + size}};
    odd_add(shape, p[0], p[2], p[1]), odd_add(shape, p[0], p[1], p[3]);
    odd_add(shape, p[0], p[3], p[2]), odd_add(shape, p[1], p[2], p[3]);
}

/* A flat grid of n by n squares. */
static inline void odd_grid(odd_shape *shape, int n, double step)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
        {
            double x = step * i, y = step * k, u = step * (i + 1), v = step * (k + 1);
            odd_add(shape, (carom_vec3){x, y, 0}, (carom_vec3){u, y, 0}, (carom_vec3){u, v, 0});
            odd_add(shape, (carom_vec3){x, y, 0}, (carom_vec3){u, v, 0}, (carom_vec3){x, v, 0});
        }
}

/* A strip of 2n triangles around the z axis with a half turn. Directions on a lattice, so no angles are needed. */
static inline void odd_moebius(odd_shape *shape)
{
    static const double ring[8][2] = {{4, 0}, {3, 3}, {0, 4}, {-3, 3}, {-4, 0}, {-3, -3}, {0, -4}, {3, -3}};
    static const double tilt[9][2] = {{0, 1},      {0.4, 0.9},  {0.7, 0.7},  {0.9, 0.4}, {1, 0},
                                      {0.9, -0.4}, {0.7, -0.7}, {0.4, -0.9}, {0, -1}};
    for (int i = 0; i < 8; i++)
    {
        carom_vec3 p[4];
        for (int k = 0; k < 2; k++)
        {
            const double *at = ring[(i + k) % 8], *turn = tilt[i + k];
            double scale = turn[0] / 4;
            p[2 * k] = (carom_vec3){at[0] * (1 + scale), at[1] * (1 + scale), turn[1]};
            p[2 * k + 1] = (carom_vec3){at[0] * (1 - scale), at[1] * (1 - scale), -turn[1]};
        }
        odd_add(shape, p[0], p[1], p[2]), odd_add(shape, p[1], p[3], p[2]);
    }
}

/* Five triangles at one edge. */
static inline void odd_fan(odd_shape *shape)
{
    static const double ring[5][2] = {{4, 0}, {1, 4}, {-3, 2}, {-3, -2}, {1, -4}};
    for (int i = 0; i < 5; i++)
        odd_add(shape, (carom_vec3){0, 0, -1}, (carom_vec3){0, 0, 1}, (carom_vec3){ring[i][0], ring[i][1], 0});
}

static inline void odd_soup(odd_shape *shape, check_random *random, int count, double size)
{
    for (int i = 0; i < count; i++)
    {
        carom_vec3 at = check_random_point(random, -1, 1), p[3];
        for (int k = 0; k < 3; k++)
        {
            carom_vec3 by = check_random_point(random, -size, size);
            p[k] = (carom_vec3){at.x + by.x, at.y + by.y, at.z + by.z};
        }
        odd_add(shape, p[0], p[1], p[2]);
    }
}

/* Triangles between points of a small lattice: equal, opposite, degenerate, coplanar and touching ones. */
static inline void odd_lattice(odd_shape *shape, check_random *random, int count, int side)
{
    for (int i = 0; i < count; i++)
    {
        carom_vec3 p[3];
        for (int k = 0; k < 3; k++)
        {
            uint64_t bits = check_next(random) >> 16;
            p[k] = (carom_vec3){(double)(bits % (uint64_t)side), (double)(bits / 64 % (uint64_t)side),
                                (double)(bits / 4096 % (uint64_t)side)};
        }
        odd_add(shape, p[0], p[1], p[2]);
    }
}

/* The same triangles at another place and size; turned: inside out. */
static inline void odd_move(odd_shape *shape, double scale, double shift, bool turned)
{
    for (size_t i = 0; i < 3 * shape->count; i++)
    {
        carom_vec3 *p = &shape->corner[i];
        *p = (carom_vec3){p->x * scale + shift, p->y * scale + shift, p->z * scale - shift};
    }
    for (size_t i = 0; turned && i < shape->count; i++)
    {
        carom_vec3 p = shape->corner[3 * i];
        shape->corner[3 * i] = shape->corner[3 * i + 1], shape->corner[3 * i + 1] = p;
    }
}

static inline carom_mesh *odd_mesh(carom_context *context, const odd_shape *shape)
{
    return soup_mesh(context, shape->corner, shape->count);
}

#endif
