/* Pairs of triangles in near contact, of sizes from 1e-6 to 1e24. Deterministic in the random state. */
#ifndef TEST_NEAR_CONTACTS_H
#define TEST_NEAR_CONTACTS_H

#include "narrow/narrow.h"
#include "support/check.h"

/* Two triangles, possibly of very different sizes, with points of them next to each other: as near as rounding allows
 * or a small part of their sizes apart. A corner above a face, an edge above an edge, or anything. */
void near_contact_make(check_random *random, narrow_triangle pair[2]);

#endif
