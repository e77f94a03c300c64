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

/* ---- questions about a hull and the points that it was built from; exact ---- */

/* Is a point in the closed hull? */
bool hull_contains_point(const hull *hull, const carom_vec3 *points, carom_vec3 p);

/* Is every point of the hull on or behind a triangle's plane, seen counterclockwise from the front? For a triangle
 * within the hull this says that it is part of the surface, and faces outwards. A degenerate triangle has no plane: is
 * there a facet with all three corners on its plane? start: a facet to search from, which the search replaces by the
 * one where it ended; a triangle nearby, or of the same face, is then found in a few steps. Null: facet 0. */
bool hull_supports(const hull *hull, const carom_vec3 *points, const carom_vec3 triangle[3], uint32_t *start);

/* The same for a triangle between vertices of a solid hull, given as numbers of points, at an edge that it has in
 * common with the hull: that decides, and takes a few steps unless all three corners have very many facets. facet_at: a
 * facet at each vertex of the hull; for other points anything. */
typedef enum hull_answer
{
    HULL_NO,
    HULL_YES,
    HULL_NO_EDGE /* in common, as far as was looked */
} hull_answer;
hull_answer hull_supports_at_edge(const hull *hull, const carom_vec3 *points, const uint32_t triangle[3],
                                  const uint32_t *facet_at);

/* ---- measures, in double ---- */

typedef struct hull_measures
{
    double volume;     /* dimension 3 */
    double area;       /* of the surface; of a polygon, both sides */
    carom_vec3 centre; /* of mass of the solid, the polygon, the segment or the point */
} hull_measures;
hull_measures hull_measure(const hull *hull, const carom_vec3 *points);

#endif
