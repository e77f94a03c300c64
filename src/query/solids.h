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

#endif
