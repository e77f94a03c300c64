/* order: slots along Hilbert's curve through the centres of their boxes, so that neighbours are close to each other. */
#ifndef BROAD_ORDER_H
#define BROAD_ORDER_H

#include "broad/broad.h"

enum
{
    BROAD_CURVE_STATES = 24,
    BROAD_CURVE_SIDE = 1024 /* cells along each axis of the cube that the curve fills */
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

/* Where a cell is on the curve: 30 bits. */
static inline uint32_t broad_curve_code(const broad_curve *curve, uint32_t x, uint32_t y, uint32_t z)
{
    uint32_t bits = curve->spread[x] << 2 | curve->spread[y] << 1 | curve->spread[z], code = 0, step = 0;
    for (int shift = 24; shift >= 0; shift -= 6)
    {
        step = curve->step[(step & ~63u) + (bits >> shift & 63)];
        code = code << 6 | (step & 63);
    }
    return code;
}

typedef struct broad_order
{
    broad_curve curve;                  /* filled in advance */
    BASE_ARRAY(uint64_t) items, sorted; /* a code in the upper half, a slot in the lower */
} broad_order;

/* Sorts the slots in the lower halves of order->items along a curve through their boxes' centres; the result is in
 * order->sorted, which has room. */
void broad_order_sort(carom_context *context, broad_order *order, const carom_aabb *boxes);

/* A cube of cells. Lengths are doubled, like the sum of a box's ends, which is twice its centre. */
typedef struct broad_cube
{
    carom_vec3 low;
    double scale; /* cells per length; 0: the cube has no size */
} broad_cube;

/* Sets the codes of items. */
BASE_DECLARE_ISA(void, broad_order_codes,
                 (const broad_curve *curve, const broad_cube *cube, const carom_aabb *boxes, uint64_t *items,
                  size_t count));

#endif
