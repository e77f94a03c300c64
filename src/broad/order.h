/* order: slots along Hilbert's curve through the centres of their boxes, so that neighbours are close to each other. */
#ifndef BROAD_ORDER_H
#define BROAD_ORDER_H

#include "broad/broad.h"

enum
{
    BROAD_CURVE_STATES = 24,
    BROAD_CURVE_SIDE = 1024, /* cells along each axis of the finest cube */
    BROAD_COARSE_SIDE = 256,
    BROAD_FINE_STEPS = 5,
    BROAD_COARSE_STEPS = 4
};

/* Hilbert's curve through a cube, two of its levels at a time. step: by 64 times a state plus two bits of each
 * coordinate: 64 times the next state plus the position among 64 cells. spread: by a coordinate, its bits with two
 * zeros between them. */
typedef struct broad_curve
{
    uint16_t step[64 * BROAD_CURVE_STATES];
    uint32_t spread[BROAD_CURVE_SIDE];
} broad_curve;

void broad_curve_fill(broad_curve *curve);

/* Where a cell is on a curve through a cube of 4^steps cells along each axis: 6 bits per step. */
static inline uint32_t broad_curve_walk(const broad_curve *curve, const uint32_t cell[3], int steps)
{
    uint32_t bits = curve->spread[cell[0]] << 2 | curve->spread[cell[1]] << 1 | curve->spread[cell[2]];
    uint32_t code = 0, step = 0;
    for (int shift = 6 * (steps - 1); shift >= 0; shift -= 6)
    {
        step = curve->step[(step & ~63u) + (bits >> shift & 63)];
        code = code << 6 | (step & 63);
    }
    return code;
}

typedef BASE_ARRAY(uint64_t) broad_words;

typedef struct broad_order
{
    broad_curve curve;         /* filled in advance */
    broad_words items, sorted; /* a code in the upper half, a slot in the lower; between calls, anyone's scratch */
} broad_order;

/* Sorts the slots in the lower halves of order->items along a curve through their boxes' centres; the result is in
 * order->sorted, which has room. */
void broad_order_sort(carom_context *context, broad_order *order, const carom_aabb *boxes);

/* A cube of cells. Lengths are doubled, like the sum of a box's ends, which is twice its centre. */
typedef struct broad_cube
{
    carom_vec3 low;
    double scale; /* cells per length; 0: the cube has no size */
    bool is_fine; /* 1024 cells along each axis, or 256 */
} broad_cube;

/* Where the codes of items go to. */
typedef struct broad_items
{
    const uint64_t *from; /* lower halves: slots */
    uint64_t *to;
    size_t count;
} broad_items;

BASE_DECLARE_ISA(void, broad_order_codes,
                 (const broad_curve *curve, const broad_cube *cube, const carom_aabb *boxes, broad_items items));

#endif
