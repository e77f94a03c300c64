/* broad: the first seam. Boxes in, pairs of bodies out: every pair whose boxes come within the margin, perhaps more
 * (conservative), each once, sorted. A broad phase sees nothing but boxes and ids. */
#ifndef BROAD_BROAD_H
#define BROAD_BROAD_H

#include "base/base.h"
#include "carom/engine.h"
#include "math/math.h"

/* What there is this frame. */
typedef struct broad_input
{
    const carom_aabb *boxes;  /* world; an empty box meets nothing */
    const carom_body_id *ids; /* for broad phases that remember boxes from frame to frame */
    uint32_t count;
    double margin; /* >= 0: how far apart two boxes may be and still matter, along each axis */
} broad_input;

/* Pairs of positions in the input, smaller << 32 | larger. */
typedef BASE_ARRAY(uint64_t) broad_pairs;

typedef struct broad_kind
{
    carom_broad_info info;
    carom_status (*create)(carom_context *context, void **out);
    /* Replaces the contents of `out`: sorted, without doubles. boxes_tested is added to. */
    carom_status (*find_pairs)(void *state, const broad_input *input, broad_pairs *out, uint64_t *boxes_tested);
    void (*destroy)(void *state);
} broad_kind;

/* The table of broad phases; null past the end. */
const broad_kind *broad_find(uint32_t index);
const broad_kind *broad_find_name(const char *name);

extern const broad_kind broad_brute;
extern const broad_kind broad_tree;

static inline bool broad_is_empty(const carom_aabb *box)
{
    return !(box->min.x <= box->max.x && box->min.y <= box->max.y && box->min.z <= box->max.z);
}

/* Rounding is monotonic, so a gap of at most the margin stays at most the margin when computed. */
static inline bool broad_near(const carom_aabb *a, const carom_aabb *b, double margin)
{
    return a->min.x - b->max.x <= margin && b->min.x - a->max.x <= margin && a->min.y - b->max.y <= margin &&
           b->min.y - a->max.y <= margin && a->min.z - b->max.z <= margin && b->min.z - a->max.z <= margin;
}

static inline uint64_t broad_pack(uint32_t one, uint32_t other)
{
    return one < other ? (uint64_t)one << 32 | other : (uint64_t)other << 32 | one;
}

#endif
