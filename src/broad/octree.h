/* octree: nodes of the broad phase of that name. */
#ifndef BROAD_OCTREE_H
#define BROAD_OCTREE_H

#include "broad/rows.h"

enum
{
    BROAD_OCTREE_DEPTH = 9, /* nodes are numbered in preorder in less than 30 bits */
    BROAD_OCTREE_KNOTS = 64
};

/* Bounds of what is below each of eight children; inverted where nothing is. */
typedef struct broad_octant_bounds
{
    _Alignas(32) float low[3][BROAD_LANES];
    float high[3][BROAD_LANES];
} broad_octant_bounds;

typedef struct broad_octant
{
    broad_octant_bounds bounds;
    uint32_t child[BROAD_LANES];       /* index of the node */
    uint32_t first, ends[BROAD_ROLES]; /* positions of its own boxes, which are in the order of their roles */
    uint32_t last;                     /* positions of those below it end here */
    uint32_t partners[BROAD_ROLES];    /* by role: children below which it may have some; bit 8: among its own boxes */
} broad_octant;

typedef struct broad_octants
{
    broad_rows rows; /* boxes in preorder of their nodes */
    BASE_ARRAY(broad_octant) nodes;
    BASE_ARRAY(uint64_t)
    items, sorted;  /* a node's number and a role in the upper half, a slot in the lower */
    carom_vec3 low; /* corner of the root's cube */
    double side;    /* of the cube */
    int depth;      /* of the deepest cells */
    bool is_uneven; /* the cube is a unit cube, in which there are as many boxes from a knot to */
    double knots[3][BROAD_OCTREE_KNOTS + 1]; /* the next as from any other, along each axis */
} broad_octants;

/* Bounds of all nodes. */
BASE_DECLARE_ISA(void, broad_octree_bound, (broad_octants * tree));
/* Adds the runs of some boxes: those behind each of them, in the nodes that it meets. */
BASE_DECLARE_ISA(void, broad_octree_descend,
                 (const broad_octants *tree, broad_search *search, uint32_t first, uint32_t last));

#endif
