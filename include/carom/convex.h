/* carom/convex.h: the exact convex hull of points or of a mesh.
 *
 *   carom_hull_def def = carom_hull_def_default();
 *   def.mesh = mesh;
 *   carom_hull *hull;
 *   carom_status status = carom_hull_create(context, &def, &hull);
 *
 * Every decision is exact: any points give their hull, however flat, thin, far from the origin or full of duplicates.
 * The result depends on the set of points alone; the number of workers and the instruction set do not matter. */
#ifndef CAROM_CONVEX_H
#define CAROM_CONVEX_H

#include "carom/mesh.h"

#ifdef __cplusplus
extern "C"
{
#endif

    /* Immutable; may be used by several threads at once. Keeps nothing of what it was made from. */
    typedef struct carom_hull carom_hull;

    /* Set the mesh or one of the two arrays, which remain the caller's; none of them: no points. */
    typedef struct carom_hull_def
    {
        const carom_mesh *mesh;   /* the vertices that its triangles use */
        const float *points_f32;  /* x y z of each point */
        const double *points_f64; /* |coordinate| at most 2^110 */
        size_t point_stride;      /* bytes from point to point; 0: packed */
        size_t point_count;       /* fewer than 2^32 - 1 */
    } carom_hull_def;

    CAROM_API carom_hull_def carom_hull_def_default(void);

    /* For CAROM_NOT_FINITE and CAROM_OUT_OF_RANGE the context's message names the point. */
    CAROM_API carom_status carom_hull_create(carom_context *context, const carom_hull_def *def, carom_hull **out);
    CAROM_API void carom_hull_destroy(carom_hull *hull); /* before its context; null is fine */

    typedef struct carom_hull_info
    {
        int dimension;         /* -1: no points, 0: a point, 1: a segment, 2: a polygon, 3: a solid; exact */
        uint32_t vertex_count; /* extreme points only: none is in the hull of the others */
        uint32_t facet_count;  /* triangles: the surface of a solid, one side of a polygon, otherwise none */
        double volume;         /* of a solid; this and what follows in double, with rounding */
        double area;           /* of the surface; of a polygon, both sides */
        carom_vec3 centre;     /* of mass of the solid, polygon, segment or point */
        size_t bytes;          /* memory used */
    } carom_hull_info;

    CAROM_API carom_hull_info carom_hull_get_info(const carom_hull *hull);

    /* Borrowed arrays, valid as long as the hull.
     * vertices: vertex_count positions. sources: for each vertex the index of that point, or vertex of the mesh;
     * ascending; of equal points the smallest. facets: three vertices of the hull per triangle, counterclockwise seen
     * from outside; a flat face with n corners is a fan of n - 2 triangles. neighbours: three per triangle, the facet
     * across the edge from corner i to i+1, UINT32_MAX at the rim of a polygon. */
    CAROM_API const carom_vec3 *carom_hull_vertices(const carom_hull *hull);
    CAROM_API const uint32_t *carom_hull_sources(const carom_hull *hull);
    CAROM_API const uint32_t *carom_hull_facets(const carom_hull *hull);
    CAROM_API const uint32_t *carom_hull_neighbours(const carom_hull *hull);

    /* Is a point in the hull, boundary included? Exact. CAROM_NOT_FINITE or CAROM_OUT_OF_RANGE for a point that no hull
     * takes. */
    CAROM_API carom_status carom_hull_contains(const carom_hull *hull, carom_vec3 point, bool *out);

#ifdef __cplusplus
}
#endif

#endif
