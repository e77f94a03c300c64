/* Pairs of triangles that their heights along one direction keep farther apart than the closest pair. */
#ifndef NARROW_SCREEN_H
#define NARROW_SCREEN_H

#include "narrow/gap.h"

/* Makes it ready for pairs that may be as near as the gap, whose way is known, or as the limit if it is not null.
 * False: it is of no use. */
bool screen_prepare(narrow_screen *screen, const narrow_gap *gap, const exact_interval *limit);

/* After screen_prepare: are the triangles certainly farther apart? */
bool screen_keeps_apart(narrow_screen *screen, const narrow_triangle *a, const narrow_triangle *b, carom_pair ids);

/* The gap has changed. */
static inline void screen_outdate(narrow_screen *screen)
{
    screen->outdated = true;
    screen->measured = false;
}

#endif
