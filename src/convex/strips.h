/* Triangle strips. Private to this folder. */
#ifndef CONVEX_STRIPS_H
#define CONVEX_STRIPS_H

#include "convex/convex.h"

/* Triangles with neighbours across the edges from corner i to i + 1, or CONVEX_NONE. */
typedef struct strip_mesh
{
    const uint32_t *corners, *neighbours; /* 3 per triangle */
    uint32_t count;
    const uint32_t *halves; /* 4 per facet: 4 * facet + side across each side, or CONVEX_NONE; null: see the corners */
} strip_mesh;

typedef struct strip_set
{
    BASE_ARRAY(convex_strip) strips;
    BASE_ARRAY(uint8_t) bits;
    uint64_t bit_count;
    uint64_t index_count; /* decoded */
} strip_set;

/* A facet of a walk, and whether the walk leaves it with a swap. */
typedef struct strip_step
{
    uint32_t facet;
    bool swap;
} strip_step;

/* Memory that strips are made in, worth keeping where many are made; all zero at first. */
typedef struct strip_space
{
    BASE_ARRAY(uint32_t) halves;
    BASE_ARRAY(uint64_t) seen;     /* per facet: the walk that passed it last; the largest number: it is in a strip */
    BASE_ARRAY(uint8_t) free;      /* per facet: neighbours that are in no strip */
    BASE_ARRAY(uint32_t) queue;    /* facets by these numbers, from the fewest */
    BASE_ARRAY(strip_step) trails; /* the current walk and the best */
} strip_space;
void strips_free_space(carom_context *context, strip_space *space);

/* Greedy with look-ahead. False when out of memory; the set is empty then. */
bool strips_make(carom_context *context, strip_space *space, const strip_mesh *mesh, strip_set *out);
void strips_free(carom_context *context, strip_set *set);

/* Encoded strips. */
typedef struct strip_code
{
    const convex_strip *strips;
    uint32_t count;
    const uint8_t *bits;
    uint64_t bit_first;
} strip_code;
/* Can these be decoded from any bytes? All neighbours are in range; bit_end: where the bits end. */
bool strips_valid(const strip_mesh *mesh, const strip_code *code, uint64_t bit_end, uint64_t index_count);
void strips_decode(const strip_mesh *mesh, const strip_code *code, uint32_t *out);

#endif
