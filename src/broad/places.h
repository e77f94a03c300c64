/* places: where boxes are, judging by some of them. */
#ifndef BROAD_PLACES_H
#define BROAD_PLACES_H

#include "broad/classes.h"

/* Along each axis: what so many of the centres are below. */
typedef struct broad_places
{
    uint32_t samples;                          /* 0: there are no boxes to look at, and all else is 0 */
    carom_vec3 low, first, middle, last, high; /* a sixteenth, a quarter, half, all but a quarter and a sixteenth */
} broad_places;

/* Of the boxes that are neither idle nor infinite. class_of: by slot. */
broad_places broad_find_places(const broad_input *input, const uint8_t *class_of, const broad_roles *roles);

/* How far it is between the quarters along each axis; if that is nothing along all of them, between the sixteenths. */
carom_vec3 broad_spread(const broad_places *places);

/* The index of a sample among `count` items: one of each of `samples` parts of about equal size, but not the same one
 * in each, since items may be listed by turns. */
static inline uint32_t broad_sample_index(uint32_t sample, uint32_t samples, uint32_t count)
{
    uint32_t scattered = sample * 0x9e3779b1u;
    scattered = (scattered ^ scattered >> 15) * 0x85ebca6bu;
    return (uint32_t)(((uint64_t)sample * count + (scattered ^ scattered >> 13) % count) / samples);
}

/* The number at an index if those of a range were sorted; none before it is larger from here on, none behind smaller.
 */
double broad_select(double *numbers, uint32_t first, uint32_t last, uint32_t index);

#endif
