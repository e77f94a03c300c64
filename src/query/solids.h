/* Two placed meshes compared as point sets, exactly; carom/report.h defines the point set P(X) of a body. */
#ifndef QUERY_SOLIDS_H
#define QUERY_SOLIDS_H

#include "query/cells.h"

/* CAROM_OK: the cursor's evidence is complete, or enough for the relation. CAROM_UNKNOWN: the budget ran out. The
 * walk's front is not used. */
carom_status solids_compare(carom_query *query, const query_walk *walk, const query_meetings *meetings,
                            query_cursor *cursor);

/* Looks at the cells around a pair of triangles that cross. */
carom_status solids_probe(carom_query *query, const query_walk *walk, const uint32_t pair[2], query_cursor *cursor);

/* Looks for the interior of a closed body until it finds one: sets evidence.filled, from the cursor's step on. Some
 * meshes wind around nothing. */
carom_status solids_find_filling(cells_task *cells, int body, query_cursor *cursor);

/* Is a point of a sphere or capsule, which triangles of this solid mesh enter, outside of it? Sets
 * evidence.outside[1 - body], from the cursor's step on. */
carom_status solids_leave_round_empty(cells_task *cells, int body, const narrow_round *round,
                                      const query_meetings *meetings, query_cursor *cursor);

/* ---- shared by the files of solids ---- */

typedef struct solids_task
{
    cells_task cells;
    const query_meetings *meetings;
    query_cursor *cursor;
} solids_task;

/* Evidence from a cell, or from one of a triangle of this body of which only the other body is known, which has no
 * triangle there: it is on the same side everywhere. */
void solids_take_cell(const cells_cell *cell, query_evidence *evidence);
void solids_take_surface(query_evidence *evidence, int body, bool inside);

/* Can nothing further change the relation? */
static inline bool solids_settled(const query_evidence *evidence)
{
    return evidence->interior && evidence->outside[0] && evidence->outside[1];
}

/* Have both bodies the same triangles? Only if they may, judging by their number and by boxes. */
bool solids_may_be_twins(const cells_task *task);
carom_status solids_are_twins(cells_task *task, bool *out);

/* query_sides.state: not looked at yet; its open sides and its winding numbers are known; it is not that simple. */
enum
{
    SOLIDS_SIDES_NEW,
    SOLIDS_SIDES_PLAIN,
    SOLIDS_SIDES_UNCLEAR
};

/* On which sides of a triangle is its own body? If *out is plain, nothing of the body lies on the triangle, and one of
 * its sides is open. The triangle is the one with this rank among those that meet the other body. */
carom_status solids_find_sides(solids_task *task, int body, size_t rank, const query_sides **out);

/* Takes the evidence of a triangle that meets the other body, where the sides of its partners and its own tell it;
 * *done: there is no more. Otherwise its cells have to be looked at. */
carom_status solids_take_partners(solids_task *task, int body, size_t rank, bool *done);

/* The rank of a triangle among those that meet the other body; SIZE_MAX if it does not. */
size_t solids_rank_of(const solids_task *task, int body, uint32_t triangle);

#endif
