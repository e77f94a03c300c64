/* Bending a map a little: a vertex is moved, or what is around it made larger, its neighbourhood follows, and no
 * triangle folds. */
#ifndef GEOIMAGE_BEND_H
#define GEOIMAGE_BEND_H

#include "geoimage/geoimage.h"

typedef struct bend_work
{
    geoimage_disk *disk;
    const geoimage_grid *grid;
    base_arena arena;
    size_t vertices, cells;
    size_t *half_first;     /* per vertex and one more: where the half-edges that start there begin */
    uint32_t *half;         /* by vertex */
    size_t *bucket_first;   /* per cell and one more: where its vertices begin */
    uint32_t *bucket;       /* inner vertices by cell, as they were at the beginning of a round */
    bool *pinned;           /* per vertex: stays where it is */
    geoimage_point *before; /* per vertex: at the beginning of a round */
    BASE_ARRAY(uint32_t) moved;
    BASE_ARRAY(geoimage_point) moved_from;
} bend_work;

/* A vertex at distance d from `from` follows the move from there by the share s = 1 - d / radius, and moves away from
 * it by s^2 d times growth. */
typedef struct bend_move
{
    uint32_t vertex; /* gets to `to` exactly */
    geoimage_point from, to;
    double radius; /* in cells */
    double growth;
} bend_move;

/* False: out of memory. Out is zero-initialised; free in either case. */
bool bend_create(geoimage_disk *disk, const geoimage_grid *grid, bend_work *out);
void bend_free(bend_work *work);

/* Keeps where vertices are: for bend_undo_round, and to find them by. */
void bend_begin_round(bend_work *work);
void bend_undo_round(bend_work *work);
/* Moves what is within the radius, or nothing, and *moved is false, if a triangle would fold. False: out of memory. */
bool bend_try(bend_work *work, const bend_move *move, bool *moved);

static inline geoimage_point *bend_at(const bend_work *work, uint32_t vertex)
{
    return &work->disk->vertex.items[vertex].at;
}

#endif
