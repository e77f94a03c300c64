/* The inside of the solver: what solve_plan.c finds out once, and solve.c uses for each set of weights. */
#ifndef GEOIMAGE_SOLVE_H
#define GEOIMAGE_SOLVE_H

#include "geoimage/geoimage.h"

/* Rows that are eliminated together, and the later rows that they have entries for. */
typedef struct solve_block
{
    uint32_t row, row_count; /* its own rows */
    uint32_t count;          /* of the later rows */
    uint32_t child, sibling; /* blocks that leave something to this one: first, and next of the same parent */
    size_t index;            /* where its later rows begin */
    size_t upper;            /* where its part of the upper factor begins: row_count x (row_count + count) */
} solve_block;

struct geoimage_solver
{
    const geoimage_system *system;
    base_arena arena;
    uint32_t count;
    uint32_t *order; /* row -> unknown */
    uint32_t *row;   /* unknown -> row */
    BASE_ARRAY(solve_block) blocks;
    geoimage_numbers later; /* of all blocks */
    size_t front_size, stack_size, upper_size;
    double *upper, *front, *stack; /* of the blocks; the block at work; what finished blocks leave to later ones */
    uint32_t *place;               /* per row: where it is in the block at work */
    geoimage_point *value;
};

/* False: out of memory. */
bool solve_plan(geoimage_solver *solver);

#endif
