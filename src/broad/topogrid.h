/* topogrid: the uniform octree grid of the grid paper (Wang, Xu 2017, section 2): its depth, its cells with their
 * neighbours, and which cells a box is in. The broad phase of that name is in topogrid.c. */
#ifndef BROAD_TOPOGRID_H
#define BROAD_TOPOGRID_H

#include "base/base.h"
#include "math/math.h"

enum
{
    BROAD_GRID_MAX_DEPTH = 6, /* 262,144 cells */
    BROAD_GRID_MAX_SIDE = 1 << BROAD_GRID_MAX_DEPTH,
    BROAD_GRID_NEIGHBOURS = 27 /* at most, the cell itself included */
};

/* ---- where boxes are ---- */

typedef struct broad_grid_extent
{
    carom_aabb box;       /* around all boxes that are neither empty nor infinite */
    double largest_mover; /* the longest side of any that moves */
    uint32_t count;       /* boxes */
} broad_grid_extent;

broad_grid_extent broad_grid_no_extent(void);
void broad_grid_add_box(broad_grid_extent *extent, const carom_aabb *box, bool is_static);

/* The side of the paper's cube: the longest side of the box. 0: it has none that could be divided. */
double broad_grid_length(const broad_grid_extent *extent);

/* The paper's k_max: the largest depth at which no mover is larger than a cell. At most BROAD_GRID_MAX_DEPTH. */
uint32_t broad_grid_max_depth(double length, double largest_mover);

/* A good depth: k_max, but 2 to 4, which the paper found best for some hundred movers; more only if there are more than
 * eight boxes per cell. */
uint32_t broad_grid_choose_depth(const broad_grid_extent *extent);

/* ---- cells ---- */

/* Cells are half-open; the outermost ones have no bounds outwards, so each point is in exactly one. A cell's number is
 * a + b m + c m^2 for its coordinates (a, b, c), where m = 2^depth. */
typedef struct broad_octree_grid
{
    uint32_t depth, side; /* side: cells per axis */
    carom_vec3 low;
    double cell, scale;                        /* a cell's side, and 1 / that */
    double planes[3][BROAD_GRID_MAX_SIDE + 1]; /* cell a is from planes[a], included, to planes[a + 1]; the first and
                                                  last are infinite */
} broad_octree_grid;

/* depth 0: one cell for all. */
void broad_grid_make(broad_octree_grid *grid, const broad_grid_extent *extent, uint32_t depth);

static inline uint32_t broad_grid_cell_count(const broad_octree_grid *grid) { return 1u << 3 * grid->depth; }
static inline uint32_t broad_grid_number(const broad_octree_grid *grid, uint32_t a, uint32_t b, uint32_t c)
{
    return a + (b + c * grid->side) * grid->side;
}

/* Coordinates of the cells that a box is in: from low to high, both included. */
typedef struct broad_cell_range
{
    uint8_t low[3], high[3];
} broad_cell_range;

/* Exactly the cells that the box has points in: the planes decide, without rounding. */
broad_cell_range broad_grid_locate(const broad_octree_grid *grid, const carom_aabb *box);

static inline uint32_t broad_range_cells(const broad_cell_range *range)
{
    uint32_t cells = 1;
    for (int axis = 0; axis < 3; axis++)
        cells *= range->high[axis] - range->low[axis] + 1u;
    return cells;
}

/* The paper's record of a cell, without the objects in it. */
typedef struct broad_cell_record
{
    uint32_t number;
    carom_aabb box;
    uint32_t neighbours[BROAD_GRID_NEIGHBOURS]; /* numbers of the cells that touch it, itself included, ascending */
    uint32_t neighbour_count;
} broad_cell_record;

void broad_grid_record(const broad_octree_grid *grid, uint32_t number, broad_cell_record *out);

/* ---- the paper's way to locate boxes, which misses cells; for comparison only (section 2.4.4) ---- */

/* A box of any orientation: centre + sum of t_i half[i], |t_i| <= 1. */
typedef struct broad_oriented
{
    carom_vec3 centre, half[3];
} broad_oriented;

enum
{
    BROAD_DIAGONAL_MAX_DEPTH = 4
};

/* A bit per cell, for grids of up to BROAD_DIAGONAL_MAX_DEPTH. */
typedef struct broad_cell_set
{
    uint64_t bits[(1u << 3 * BROAD_DIAGONAL_MAX_DEPTH) / 64];
} broad_cell_set;

static inline bool broad_cell_set_has(const broad_cell_set *set, uint32_t cell)
{
    return set->bits[cell / 64] >> cell % 64 & 1;
}
static inline void broad_cell_set_add(broad_cell_set *set, uint32_t cell)
{
    set->bits[cell / 64] |= (uint64_t)1 << cell % 64;
}

/* The cells that the first of the four body diagonals crosses, and those of their neighbours that another one does. */
void broad_grid_diagonal_cells(const broad_octree_grid *grid, const broad_oriented *box, broad_cell_set *out);

/* The cells that the box has points in, but for rounding. */
void broad_grid_oriented_cells(const broad_octree_grid *grid, const broad_oriented *box, broad_cell_set *out);

/* ---- the broad phase, inside ---- */

/* The grid of the last call, and the slots in one of its cells. Valid until the next call. */
const broad_octree_grid *broad_topogrid_grid(const void *state);
const uint32_t *broad_topogrid_objects(const void *state, uint32_t cell, bool is_static, uint32_t *count);

/* Boxes in a cell, or other boxes to be tested against one of them, as rows of floats, rounded outwards. */
typedef struct broad_batch
{
    const float
        *bounds; /* low x, y, z, high x, y, z, each a row of `stride`; from `count` on eight that meet nothing */
    size_t stride;
    uint32_t count;
} broad_batch;

typedef struct broad_batch_range
{
    uint32_t first, last;
} broad_batch_range;

/* Writes the positions in a range whose boxes meet that at `own`, and returns their number; `found` has room for all
 * and eight more. */
BASE_DECLARE_ISA(uint32_t, broad_batch_meet,
                 (const broad_batch *batch, uint32_t own, broad_batch_range range, uint32_t *found));

#endif
