/* hull: the exact convex hull of points, questions about it, and its measures. */
#ifndef HULL_HULL_H
#define HULL_HULL_H

#include "math/math.h"

/* Means "no facet" among neighbours. */
#define HULL_NONE UINT32_MAX

/* Largest |coordinate|: what the exact predicates take. */
#define HULL_COORDINATE_LIMIT 0x1p110

/* Depends on the points alone, not on workers or instruction sets. Flat faces are cut into fans around their smallest
 * vertex; a facet starts with its smallest vertex, and facets ascend. */
typedef struct hull
{
    carom_context *context;
    int dimension;         /* -1: no points, 0: a point, 1: a segment, 2: a polygon, 3 */
    uint32_t vertex_count; /* extreme points only: none is in the hull of the others */
    uint32_t facet_count;  /* triangles: the surface (3), one side of the polygon (2), none (below) */
    uint32_t *vertices;    /* indices of points, ascending; of equal points the smallest */
    uint32_t *facets;      /* 3 per triangle: indices of points, counterclockwise seen from outside */
    uint32_t *neighbours;  /* 3 per triangle: the facet across the edge from corner i to i+1; HULL_NONE at the rim */
} hull;

/* Memory that hulls are built in, worth keeping where many are built; for one thread at a time. */
typedef struct hull_space hull_space;
carom_status hull_space_create(carom_context *context, hull_space **out);
void hull_space_destroy(hull_space *space);

/* Any finite points up to HULL_COORDINATE_LIMIT. CAROM_NOT_FINITE and CAROM_OUT_OF_RANGE name the point; on failure
 * `out` is empty and needs no freeing. */
carom_status hull_build(carom_context *context, const carom_vec3 *points, uint32_t count, hull *out);
carom_status hull_build_in(hull_space *space, const carom_vec3 *points, uint32_t count, hull *out);
void hull_free(hull *hull);

#endif
