/* The parts of the decision on a relation; private to src/query. */
#ifndef QUERY_RELATION_H
#define QUERY_RELATION_H

#include "query/cells.h"

/* Does the solid body wind around a point that is not on its surface? CAROM_UNKNOWN: the budget ran out. */
carom_status relation_locate(cells_task *task, int body, carom_vec3 point, bool *inside);

/* *out is CAROM_RELATION_UNKNOWN where the budget ran out; then the cursor tells where to go on. */
carom_status relation_of_meshes(carom_query *query, const query_walk *walk, const query_meetings *meetings,
                                query_cursor *cursor, narrow_counts *counts, carom_relation *out);

/* meet: P(a) and P(b) have a common point on a surface. any_solid: one of them has an interior. */
carom_relation relation_conclude(const query_evidence *evidence, bool meet, bool any_solid);

#endif
