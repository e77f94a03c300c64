/* Shortest paths along the edges of a chart. */
#ifndef GEOIMAGE_SEARCH_H
#define GEOIMAGE_SEARCH_H

#include "geoimage/geoimage.h"

typedef struct search_item
{
    double key;
    uint32_t vertex;
} search_item;

typedef struct search_graph
{
    const geoimage_disk *disk;
    uint32_t *first;       /* per vertex and one more: where its edges begin */
    uint32_t *edge;        /* 2 half + 1 if the half-edge ends here, else 2 half */
    uint32_t *border;      /* per vertex: the half-edge of the border that starts here, GEOIMAGE_NONE inside */
    double *distance;      /* per vertex, scaled */
    uint32_t *parent;      /* the vertex before it; GEOIMAGE_NONE: none */
    uint32_t *parent_half; /* the edge between; GEOIMAGE_NONE: none, they are on one loop of the border */
    bool *done;
    uint32_t last; /* the vertex that was reached last: none is farther away */
    size_t edge_count;
    BASE_ARRAY(search_item) heap;
} search_graph;

/* False: out of memory. Free in either case. */
bool search_create(const geoimage_disk *disk, search_graph *out);
void search_free(search_graph *graph);

/* From one vertex; each loop of the border counts as one point. */
bool search_from_vertex(search_graph *graph, uint32_t root);
/* From all of the border. */
bool search_from_border(search_graph *graph);

#endif
