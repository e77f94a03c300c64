/* Plates with holes: closed surfaces with several handles. */
#include "scenes/shapes.h"

typedef struct sieve
{
    uint32_t columns, rows; /* cells; every other cell of the middle row is a hole */
    double step;
} sieve;

static bool is_solid(const sieve *sieve, uint32_t i, uint32_t j)
{
    return i < sieve->columns && j < sieve->rows && !(j == 1 && i % 2 == 1);
}

static uint32_t add_corner(shape *shape, const sieve *sieve, const uint32_t at[3])
{
    return shape_vertex(shape, numeric_vec(sieve->step * (at[0] - 0.5 * sieve->columns),
                                           sieve->step * (at[1] - 0.5 * sieve->rows), sieve->step * (at[2] - 0.5)));
}

/* A face of the cell at (i, j, 0): the one across `axis`, outward. */
static void add_face(shape *shape, const sieve *sieve, const uint32_t cell[2], int axis, bool far)
{
    int a = (axis + 1) % 3, b = (axis + 2) % 3;
    uint32_t corners[4];
    for (int k = 0; k < 4; k++)
    {
        uint32_t at[3] = {cell[0], cell[1], 0};
        at[axis] += far;
        at[a] += k == 1 || k == 2;
        at[b] += k >= 2;
        corners[far ? k : 3 - k] = add_corner(shape, sieve, at);
    }
    shape_triangle(shape, corners[0], corners[1], corners[2]);
    shape_triangle(shape, corners[0], corners[2], corners[3]);
}

static void add_cell(shape *shape, const sieve *sieve, uint32_t i, uint32_t j)
{
    const uint32_t cell[2] = {i, j};
    add_face(shape, sieve, cell, 2, false);
    add_face(shape, sieve, cell, 2, true);
    if (!is_solid(sieve, i - 1, j))
        add_face(shape, sieve, cell, 0, false);
    if (!is_solid(sieve, i + 1, j))
        add_face(shape, sieve, cell, 0, true);
    if (!is_solid(sieve, i, j - 1))
        add_face(shape, sieve, cell, 1, false);
    if (!is_solid(sieve, i, j + 1))
        add_face(shape, sieve, cell, 1, true);
}

void shapes_sieve(shape *shape, const generate_def *def)
{
    uint32_t holes = 2 + (uint32_t)((def->seed + 3) % 4);
    sieve sieve = {.columns = 2 * holes + 1, .rows = 3, .step = def->size / (2 * holes + 1)};
    for (uint32_t j = 0; j < sieve.rows; j++)
        for (uint32_t i = 0; i < sieve.columns; i++)
            if (is_solid(&sieve, i, j))
                add_cell(shape, &sieve, i, j);
    shape_weld(shape);
    shape_subdivide(shape, shape_whole_root(def->triangles, 36 * holes + 28));
}
