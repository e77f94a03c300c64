/* Triangle strips. Private to this folder. */
#ifndef CONVEX_STRIPS_H
#define CONVEX_STRIPS_H

#include "convex/convex.h"

/* Triangles with neighbours across the edges from corner i to i + 1, or CONVEX_NONE. */
typedef struct strip_mesh
{
    const uint32_t *corners, *neighbours; /* 3 per triangle */
    uint32_t count;
    const uint32_t *halves; /* per side 3 * facet + side across it, or CONVEX_NONE; null: to be found by the corners */
} strip_mesh;

typedef struct strip_set
{
    BASE_ARRAY(convex_strip) strips;
    BASE_ARRAY(uint8_t) bits;
    uint64_t bit_count;
    uint64_t index_count; /* decoded */
} strip_set;

/* Greedy with look-ahead; the set is empty before. False when out of memory. */
bool strips_make(carom_context *context, const strip_mesh *mesh, strip_set *out);
void strips_free(carom_context *context, strip_set *set);

/* Encoded strips. */
typedef struct strip_code
{
    const convex_strip *strips;
    uint32_t count;
    const uint8_t *bits;
    uint64_t bit_first;
} strip_code;
void strips_decode(const strip_mesh *mesh, const strip_code *code, uint32_t *out);

#endif
