/* Hilbert's curve, as in Chris Hamilton, "Compact Hilbert indices" (2006): in each octant the curve is a rotated and
 * reflected copy of the whole, given by the corner where it enters and the axis along which it leaves. */
#include "broad/order.h"

static uint32_t rotate_left(uint32_t bits, uint32_t by) { return (bits << by | bits >> (3 - by)) & 7; }
static uint32_t gray(uint32_t i) { return i ^ i >> 1; }
static uint32_t gray_inverse(uint32_t code) { return code ^ code >> 1 ^ code >> 2; }
static uint32_t trailing_ones(uint32_t i) { return i & 1 ? 1 + trailing_ones(i >> 1) : 0; }

/* A state: 3 times the corner where the curve enters, plus the axis. */
typedef struct octant
{
    uint32_t place, state;
} octant;

static octant enter_octant(uint32_t state, uint32_t bits)
{
    uint32_t entry = state / 3, axis = state % 3, turn = (axis + 1) % 3;
    uint32_t place = gray_inverse(rotate_left(bits ^ entry, (3 - turn) % 3));
    uint32_t inner = place ? gray((place - 1) / 2 * 2) : 0;
    uint32_t along = place == 0 ? 0 : trailing_ones(place % 2 ? place : place - 1) % 3;
    return (octant){place, 3 * (entry ^ rotate_left(inner, turn)) + (axis + along + 1) % 3};
}

/* Two zero bits between the low 10 bits of a number. */
static uint32_t spread(uint32_t x)
{
    x = (x | x << 16) & 0x030000ff;
    x = (x | x << 8) & 0x0300f00f;
    x = (x | x << 4) & 0x030c30c3;
    return (x | x << 2) & 0x09249249;
}

void broad_curve_fill(broad_curve *curve)
{
    for (uint32_t state = 0; state < BROAD_CURVE_STATES; state++)
        for (uint32_t bits = 0; bits < 64; bits++)
        {
            octant outer = enter_octant(state, bits >> 3), inner = enter_octant(outer.state, bits & 7);
            curve->step[64 * state + bits] = (uint16_t)(inner.state << 6 | outer.place << 3 | inner.place);
        }
    for (uint32_t x = 0; x < BROAD_CURVE_SIDE; x++)
        curve->spread[x] = spread(x);
}
