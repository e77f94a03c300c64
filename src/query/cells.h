/* The cells into which two surfaces cut a triangle of one of them, and on which side of each cell the solids are. */
#ifndef QUERY_CELLS_H
#define QUERY_CELLS_H

#include "query/query.h"

/* Returns unless the call is CAROM_OK: what stops, or runs out of budget, goes no further either. */
#define CELLS_TRY(call)                                                                                                \
    do                                                                                                                 \
    {                                                                                                                  \
        carom_status cells_try_status = (call);                                                                        \
        if (cells_try_status != CAROM_OK)                                                                              \
            return cells_try_status;                                                                                   \
    } while (0)

/* One of the two bodies. */
typedef struct cells_body
{
    mesh_placed mesh; /* all zero if the body is a sphere or capsule */
    const void *asset;
    carom_aabb box; /* world */
    bool solid;     /* closed and oriented */
} cells_body;

typedef struct cells_task
{
    carom_query *query;
    const query_question *question;
    query_cells *cells; /* scratch, and how far a triangle has come */
    cells_body bodies[2];
    const query_words *crowd[2];    /* query_regions.crowd; or null */
    const query_words *partners[2]; /* query_regions.partners; or null: pairs are searched for */
    base_budget *budget;
    carom_counters *counters;
    narrow_counts *counts;
} cells_task;

/* Which cells of a triangle? */
typedef enum cells_scope
{
    /* Those that the other body leaves, where it has no triangle in the plane; what the own body does there is not
     * looked at. But if two triangles share a part of their plane, all cells of one of them, as for CELLS_OF_BOTH. */
    CELLS_OF_OTHER,
    CELLS_OF_BOTH /* those that both bodies leave */
} cells_scope;

/* An open piece of a triangle that no other triangle cuts, except in its plane. Side 0 is where the triangle's normal
 * points to. */
typedef struct cells_cell
{
    int body;          /* whose triangle it is */
    bool both;         /* the own body was looked at, too */
    bool inside[2][2]; /* [body][side]: is the winding number there not 0? [body] only if both */
    bool on_other;     /* the other body has a triangle there, too; only if both */
} cells_cell;

typedef struct cells_request
{
    int body;
    uint32_t triangle;
    cells_scope scope;
} cells_request;

/* Return false to stop. */
typedef bool cells_fn(const cells_cell *cell, void *user);

cells_task cells_begin(carom_query *query, const query_walk *walk, query_cells *cells, narrow_counts *counts);

/* Calls on_cell for each cell of a triangle at least once. CAROM_OK, CAROM_STOPPED, CAROM_UNKNOWN (the budget ran out:
 * the next call, for the same request, goes on), or an error. A degenerate triangle has no cells. */
carom_status cells_of_triangle(cells_task *task, cells_request request, cells_fn *on_cell, void *user);

/* The same for the cells of a triangle that have this corner, which is in it; CAROM_UNKNOWN: this was done, but nothing
 * is left of the budget. */
carom_status cells_at_point(cells_task *task, cells_request request, const exact_point *point, cells_fn *on_cell,
                            void *user);

/* ---- for what has no area ---- */

/* A piece of a segment that a surface does not cut, or a single point. */
typedef struct cells_piece
{
    bool on_surface; /* it lies on the surface */
    bool interior;   /* it lies in the interior of the body */
} cells_piece;

typedef bool cells_piece_fn(const cells_piece *piece, void *user);

/* Calls on_piece for each piece of a segment at least once, as the surface of this body cuts it. Equal ends: a point.
 * Goes on as cells_of_triangle does. */
carom_status cells_of_segment(cells_task *task, int body, const carom_vec3 end[2], cells_piece_fn *on_piece,
                              void *user);

/* ---- shared by the files of cells ---- */

carom_status cells_no_memory(const cells_task *task);

/* What was done is recorded: pays for it. CAROM_UNKNOWN: nothing is left. */
static inline carom_status cells_pay(const cells_task *task, size_t work)
{
    return base_budget_spend(task->budget, work < UINT32_MAX ? (uint32_t)work : UINT32_MAX) ? CAROM_OK : CAROM_UNKNOWN;
}

local_face cells_triangle(const cells_task *task, int body, uint32_t triangle);

/* A triangle that meets t; where it is in the plane of t (*flat), only its edges that divide something count. */
local_face cells_triangle_beside(const cells_task *task, int body, uint32_t triangle, const local_face *t, bool *flat);

/* The triangles of a body that share a point with a triangle, and perhaps others, each once. */
carom_status cells_find_near(const cells_task *task, int body, const carom_vec3 corner[3], query_words *out);

/* Finds the triangles of a body that the half line from the point along an axis meets; those for which it depends on
 * the direction in which the point is left, all that contain the point among them, are in cells->on_line[body]. Rays go
 * along the same axis for both bodies. */
carom_status cells_find_on_line(const cells_task *task, int body, const exact_point *point, int axis);

/* How often does the body, if it is solid, wind around the sample? After cells_find_on_line for its point. */
int cells_winding(const cells_task *task, int body, const local_sample *sample);

/* How often does a body wind around what is on a side of t, next to its middle? A triangle of the body in the plane of
 * t makes a difference between the sides. */
carom_status cells_winding_beside(cells_task *task, const local_face *t, int body, int side, int *out);

/* The pairs of a triangle of a body, as in query_regions.partners; task->partners is not null. */
typedef struct cells_partners
{
    const uint64_t *items;
    size_t count;
} cells_partners;

cells_partners cells_partners_of(const cells_task *task, int body, uint32_t triangle);
static inline uint32_t cells_partner(uint64_t item) { return query_unpack(item).triangle_b; }

/* How many triangles that touch the other body have a corner in common with this one? The most at one corner. */
size_t cells_crowd_of(const cells_task *task, int body, uint32_t triangle);

/* What is on both t, a triangle of this body, and on triangle b of the other, is it looked at from t? */
bool cells_is_owner(const cells_task *task, const cells_request *request, const local_face *t, uint32_t triangle,
                    const local_face *b);

/* Does the solid body wind around a point that is not on its surface? */
carom_status cells_locate(const cells_task *task, int body, carom_vec3 p, bool *inside);

/* Of the triangles in cells->around, which contain a point, keeps as many as are needed to see both sides of all. */
carom_status cells_thin_tip(cells_task *task, int body, carom_vec3 point);

/* Room for so many in cells->order, and in its scratch space. */
carom_status cells_reserve_order(cells_task *task, size_t count);

/* Lists the points of cells->events in cells->order, each once, but for those that were made in different ways. */
carom_status cells_unite_events(cells_task *task);

/* Fills cells->pairs with the pairs of cells->cuts that may cross, each once, as first << 32 | second, and counts what
 * that took in cells->compared. */
carom_status cells_join_cuts(cells_task *task);

/* Fills cells->events with the points of t that may be corners of cells, each once, and cells->flat, and decides
 * cells->both; *whole: nothing cuts t. CAROM_UNKNOWN: call again. */
carom_status cells_find_events(cells_task *task, const cells_request *request, const local_face *t, bool *whole);

#endif
