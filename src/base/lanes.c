/* The lanes of each mask of eight, and a mask of lanes. */
#include "base/base.h"

#define BIT(mask, i) ((uint64_t)(mask) >> (i)&1)
#define BELOW(mask, i)                                                                                                 \
    ((BIT(mask, 0) * ((i) > 0)) + (BIT(mask, 1) * ((i) > 1)) + (BIT(mask, 2) * ((i) > 2)) +                            \
     (BIT(mask, 3) * ((i) > 3)) + (BIT(mask, 4) * ((i) > 4)) + (BIT(mask, 5) * ((i) > 5)) +                            \
     (BIT(mask, 6) * ((i) > 6)))
#define LANE(mask, i) ((i)*BIT(mask, i) << 8 * BELOW(mask, i))
#define LANES(mask)                                                                                                    \
    (LANE(mask, 1) | LANE(mask, 2) | LANE(mask, 3) | LANE(mask, 4) | LANE(mask, 5) | LANE(mask, 6) | LANE(mask, 7))
#define FOUR(mask)       LANES(mask), LANES((mask) + 1), LANES((mask) + 2), LANES((mask) + 3)
#define SIXTEEN(mask)    FOUR(mask), FOUR((mask) + 4), FOUR((mask) + 8), FOUR((mask) + 12)
#define SIXTY_FOUR(mask) SIXTEEN(mask), SIXTEEN((mask) + 16), SIXTEEN((mask) + 32), SIXTEEN((mask) + 48)

const uint64_t base_set_lanes[256] = {SIXTY_FOUR(0), SIXTY_FOUR(64), SIXTY_FOUR(128), SIXTY_FOUR(192)};

const base_lane_mask base_xyz_lanes = {{~0u, ~0u, ~0u, 0, ~0u, ~0u, ~0u, 0}};
