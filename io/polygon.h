/* Polygons to triangles: ears where there are few corners, a sweep where there are many. Private to io. */
#ifndef IO_POLYGON_H
#define IO_POLYGON_H

#include "io/soup.h"

typedef struct io_polygon_corner
{
    carom_vec3 position;
    uint32_t vertex;
    uint32_t previous, next;
    uint32_t next_in_cell; /* of the grid, or UINT32_MAX */
    uint32_t side;         /* of the sweep: to the next corner */
    int turn;              /* sign of the corner: > 0 convex seen along the polygon's normal */
    bool clipped;
} io_polygon_corner;

/* The corners by where they are in the plane, for ears of polygons of many. */
typedef struct io_polygon_grid
{
    size_t side; /* cells per row and column; 0: no grid */
    double min[2], scale[2];
    BASE_ARRAY(uint32_t) first; /* corner of each cell, or UINT32_MAX */
} io_polygon_grid;

/* A corner that the sweep will come to. */
typedef struct io_sweep_event
{
    double along, across;
    uint32_t corner;
    uint32_t kind;
} io_sweep_event;

/* A side of the polygon that meets the line of the sweep, in a splay tree and in a list, both from below to above. */
typedef struct io_sweep_side
{
    uint32_t left, right; /* corners */
    uint32_t parent, child[2];
    uint32_t next[2]; /* the sides directly below [0] and above [1] */
    bool is_floor;    /* the inside is above it, up to the next side: a room */
    /* Of a room: the corners that its triangles do not cover yet, in a chain from the floor's left end to that of the
     * ceiling. The tip is the one that the sweep came to last. */
    uint32_t chain[2], tip;
} io_sweep_side;

typedef struct io_sweep_link
{
    uint32_t corner;
    uint32_t next[2]; /* in its chain, down and up */
} io_sweep_link;

/* Scratch memory of the triangulation, kept from face to face. */
typedef struct io_polygon
{
    carom_context *context;
    const io_source *source;       /* for steps */
    const char *at;                /* the face, in the source */
    BASE_ARRAY(uint32_t) vertices; /* the current face */
    BASE_ARRAY(io_polygon_corner) corners;
    io_polygon_grid grid;
    BASE_ARRAY(io_sweep_event) events;
    BASE_ARRAY(io_sweep_side) sides;
    BASE_ARRAY(io_sweep_link) links;
    uint64_t work_left;  /* corners that ear clipping may still look at in this file */
    uint64_t work_done;  /* since the last step */
    carom_status status; /* of the last step */
    int axis;            /* the projection leaves out this coordinate */
    int sign;
    /* the last one crosses itself, or touches itself and took more than the work left: it became a fan */
    bool is_odd, is_too_complex;
} io_polygon;

/* Appends vertices.count - 2 triangles that cover the polygon, in its plane, without overlap if it is simple.
 * CAROM_OK, CAROM_OUT_OF_MEMORY or CAROM_CANCELLED. */
carom_status io_polygon_triangulate(io_polygon *polygon, io_soup *soup);
void io_polygon_free(io_polygon *polygon);

/* ---- between polygon.c and polygon_sweep.c ---- */

typedef enum io_cut
{
    IO_CUT_DONE,
    IO_CUT_TOUCHING, /* done, if no two sides cross: the polygon touches itself, which may have hidden that */
    IO_CUT_CROSSING, /* two sides cross */
    IO_CUT_UNCLEAR,  /* not done: the polygon touches itself, or the work is spent */
} io_cut;

/* The sign of a turn from a over b to c: > 0 to the left, seen along the polygon's normal. */
int io_polygon_turn(const io_polygon *polygon, size_t a, size_t b, size_t c);
/* One of the two coordinates in the polygon's plane. */
double io_polygon_coordinate(const io_polygon *polygon, carom_vec3 point, int i);
/* Does each of two sides, from one corner to another, pass from one side of the other to the other? */
bool io_polygon_sides_cross(const io_polygon *polygon, const uint32_t a[2], const uint32_t b[2]);
carom_status io_polygon_step(const io_polygon *polygon);

/* Sorts the first `count` events, with as much room after them, by `along`, then `across`. Returns where they are then.
 * CAROM_OK or CAROM_CANCELLED. */
carom_status io_polygon_sort(io_polygon *polygon, size_t count, io_sweep_event **out);

/* n log n, for any polygon that does not touch itself: its plane is known and its corners are linked. What was added to
 * the soup is to be dropped unless it is done. CAROM_OK, CAROM_OUT_OF_MEMORY or CAROM_CANCELLED. */
carom_status io_polygon_sweep(io_polygon *polygon, io_soup *soup, io_cut *cut);

#endif
