/* cells: boxes sorted by the cell of a grid that their low corner is in. Each is in one cell only, so no pair is found
 * twice; a search looks also into the cells below, as far as boxes reach from their cell. Cells along x follow each
 * other, so that a search is a few runs. What grids differ in: the size of their cells, and how a cell gets its number.
 */
#ifndef BROAD_CELLS_H
#define BROAD_CELLS_H

#include "broad/rows.h"

enum
{
    BROAD_CELL_LEVELS = 2048 /* exponents of a double */
};

/* Boxes in cells of one size, all of one role. */
typedef struct broad_part
{
    uint32_t level; /* coarser ones are higher */
    broad_role role;
    double scale;                    /* cells per unit of length */
    carom_vec3 origin;               /* a corner of a cell */
    int64_t sides[3];                /* of a dense grid, in cells; 0: hashed */
    double first_cell, last_cell[3]; /* where coordinates of cells begin and end */
    double bias;                     /* added to them, so that none is negative */
    uint64_t mask;                   /* of a cell's number */
    uint64_t numbers;                /* of cells */
    int64_t reach[3];                /* how many cells boxes extend beyond their first one, at most */
    uint32_t count;                  /* boxes */
    uint32_t first;                  /* their first position */
    size_t first_start;              /* in starts: of the cell number 0, which has the first position in a cell */
} broad_part;

/* A box to be sorted into cells. */
typedef struct broad_cell_item
{
    uint32_t slot;
    uint32_t part; /* BROAD_HUGE: too large for cells */
    uint32_t cell; /* its number */
} broad_cell_item;

#define BROAD_HUGE UINT32_MAX

typedef struct broad_cells
{
    broad_rows rows; /* the boxes in cells, then the huge ones by role */
    BASE_ARRAY(broad_cell_item) items;
    BASE_ARRAY(broad_part) parts;
    BASE_ARRAY(uint32_t) starts;
    BASE_ARRAY(uint32_t) sorted;    /* slots */
    uint32_t huge[BROAD_ROLES + 1]; /* where those of each role begin */
    double half_margin;
} broad_cells;

bool broad_cells_open(broad_cells *cells, carom_context *context); /* false: out of memory; close it all the same */
void broad_cells_close(broad_cells *cells);

/* Room for items of all slots. */
bool broad_cells_begin(broad_cells *cells, const broad_input *input);

/* Adds parts for all roles, in their order, that are like one. False when out of memory. */
bool broad_cells_add_parts(broad_cells *cells, const broad_part *part);

/* Finds the pairs of all items, whose parts are set, in cells->parts, each with level, role, scale, origin and
 * sides. */
bool broad_cells_find(broad_cells *cells, const broad_input *input, broad_pairs *out, uint64_t *boxes_tested);

/* ---- for one size of cells ---- */

/* What is known about the boxes' sizes and positions. */
typedef struct broad_statistics
{
    uint32_t count;       /* boxes that are neither idle nor infinite */
    carom_vec3 low, high; /* where most of them are */
    double cell;          /* a good size of cells: few boxes are larger, and few others are in a cell */
} broad_statistics;

broad_statistics broad_cells_measure(const broad_rows *rows, const broad_input *input);
/* Lists all boxes that are not idle for cells of one size. False when out of memory. */
bool broad_cells_one_size(broad_cells *cells, const broad_input *input, const broad_part *part);

/* The state of a broad phase that is nothing but cells. */
carom_status broad_cells_create(carom_context *context, const char *name, void **out);
void broad_cells_destroy(void *state);

#endif
