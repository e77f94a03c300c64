/* topogrid_state: what the files of the broad phase `topogrid` share. */
#ifndef BROAD_TOPOGRID_STATE_H
#define BROAD_TOPOGRID_STATE_H

#include "broad/rows.h"

typedef enum grid_place
{
    NOWHERE = 0, /* empty */
    IN_CELLS,
    APART /* too large for cells */
} grid_place;

typedef struct grid_slot
{
    float bounds[6]; /* low x, y, z, high x, y, z, grown by half the margin, rounded outwards */
    broad_cell_range range;
    uint8_t place;
    uint8_t class;
    bool is_static, is_outside;
} grid_slot;

typedef BASE_ARRAY(uint32_t) grid_list;

typedef struct grid_cell
{
    grid_list movers, statics;
} grid_cell;

typedef struct topogrid_state
{
    carom_context *context;
    broad_octree_grid grid;
    carom_vec3 origin;           /* of the floats */
    BASE_ARRAY(grid_cell) cells; /* by number */
    BASE_ARRAY(grid_slot) slots;
    grid_list apart;
    broad_classes classes;
    uint32_t counts[BROAD_MAX_CLASSES];  /* boxes by class that are not empty */
    uint32_t outside[BROAD_MAX_CLASSES]; /* of these, outside the cube */
    broad_roles roles;                   /* of classes, in this call; while slots are updated, in the last one */
    broad_class_list class_of;           /* by slot, when the grid was chosen */
    double margin, half_margin;
    uint32_t wanted_depth; /* 0: automatic */
    uint32_t chosen_used;  /* boxes that were not idle when the grid was chosen */
    uint32_t calls;        /* since then */
    uint64_t passed;       /* slots passed in lists, in this call, to remove others */
    bool is_current;       /* holds the boxes of the last call, which succeeded */
    /* A batch: */
    grid_list batch, found;
    BASE_ARRAY(float) bounds;
} topogrid_state;

/* Adds the pairs of all boxes in the lists, which are up to date (topogrid_search.c). False when out of memory. */
bool topogrid_search(topogrid_state *own, const broad_input *input, broad_pairs *out, uint64_t *tested);

#endif
