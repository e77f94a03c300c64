/* Two placed meshes compared as point sets, exactly. P(X) is the set of all points of X's triangles and, if X is closed
 * and oriented, of all points with a winding number other than 0; only then does it have an interior. The relations of
 * bodies do not use this yet: they still follow carom/report.h. */
#ifndef QUERY_SOLIDS_H
#define QUERY_SOLIDS_H

#include "query/cells.h"

/* What is known of the point sets. Once the three facts hold, or once two surfaces without an interior are known to
 * differ, the search for more ends. */
typedef struct solids_evidence
{
    bool interior;         /* one of them meets the interior of the other */
    bool outside[2];       /* a point of P(a) is not in P(b); of P(b) not in P(a) */
    bool hollow;           /* neither has an interior */
    bool region_inside[2]; /* a part of the surface that touches nothing is inside the other body */
} solids_evidence;

/* The triangle pairs that meet. */
typedef struct solids_meetings
{
    bool any, crossing;
    uint32_t crossing_pair[2]; /* one that crosses, if any */
    const uint64_t *keys;      /* packed pairs: every triangle that meets the other body is in one of them */
    size_t key_count;
} solids_meetings;

/* Where a comparison that ran out of budget goes on. Zero-initialise. */
typedef struct solids_cursor
{
    uint32_t stage;
    size_t step; /* points or triangles of this stage that were looked at */
    solids_evidence evidence;
} solids_cursor;

/* CAROM_OK: the cursor's evidence is complete, or enough. CAROM_UNKNOWN: the budget ran out. The walk's front is not
 * used. */
carom_status solids_compare(carom_query *query, const query_walk *walk, const solids_meetings *meetings,
                            solids_cursor *cursor);

#endif
