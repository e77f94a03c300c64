/* Inside the folder: the surface while it grows, and the memory of a build. */
#ifndef HULL_BUILD_H
#define HULL_BUILD_H

#include "hull/hull.h"

enum
{
    HULL_BATCH = 256, /* points whose heights over a plane are computed together; a multiple of the lanes */
    HULL_TASK = 8192  /* points that are worth a task */
};

/* What changes the time of a build, and nothing else. */
typedef struct hull_tuning
{
    uint32_t many;      /* points from which on they are put in order */
    uint32_t wide_cone; /* triangles of a cone from which on a point is located by bisection; at least 3 */
    uint32_t evenly;    /* insertions until the surface has about the final shape */
} hull_tuning;

/* A plane without its base point, with a bound on the error of heights over it, for all points of the build. */
typedef struct hull_plane
{
    carom_vec3 normal;
    double bound; /* a height's sign is certain where |height| > bound */
} hull_plane;

/* A triangle of the growing surface. A half-edge is 4 * facet + i, from corner i to corner i + 1. */
typedef struct hull_facet
{
    hull_plane plane;
    double far_height;  /* of the farthest point */
    uint32_t corner[3]; /* the last is the plane's base; the first is HULL_NONE if this slot is free */
    uint32_t twin[3];   /* half-edges */
    uint32_t outside;   /* first point of a list, linked by `next`; HULL_NONE: none */
    uint32_t farthest;  /* the point of the list that is highest */
    uint32_t mark;      /* of the last insertion that looked at it, see grow.c; at the end, bits of sharp edges */
} hull_facet;

/* An edge between what the new point sees and what it does not. */
typedef struct hull_rim
{
    uint32_t from, to, beyond; /* beyond: the half-edge on the far side, from `to` to `from` */
} hull_rim;

/* Points whose heights are wanted. */
typedef struct hull_batch
{
    uint32_t count;
    uint32_t id[HULL_BATCH];
    _Alignas(BASE_CACHE_LINE) double x[HULL_BATCH];
    double y[HULL_BATCH], z[HULL_BATCH], height[HULL_BATCH];
} hull_batch;

typedef BASE_ARRAY(uint32_t) hull_numbers;

struct hull_space
{
    carom_context *context;
    BASE_ARRAY(hull_facet) facets;
    BASE_ARRAY(hull_rim) rim;
    BASE_ARRAY(base_key_value) keys;
    BASE_ARRAY(carom_vec3) sites; /* the points in another order */
    hull_numbers index_of_site;
    hull_numbers visible, fresh, heads, vacant, pending, next; /* while it grows */
    hull_numbers rank, polygon, homes, order;                  /* while it is finished */
    hull_batch batch;

    hull_tuning tuning;

    /* The build under way. */
    const carom_vec3 *points; /* the caller's, or sites */
    const uint32_t *index;    /* of each point for the caller; null: the same */
    uint32_t count;
    carom_vec3 extent;         /* of the points' box */
    double relative, absolute; /* of the bounds of planes */
    size_t first_pending;      /* those before are done */
    uint32_t mark;
    uint64_t steps; /* signs asked for and edges of rims */
};

/* The height of points over a plane, times the length of its normal. Reads up to a multiple of four. */
BASE_DECLARE_ISA(void, hull_heights, (carom_vec3 base, carom_vec3 normal, hull_batch *batch));

hull_plane hull_make_plane(const hull_space *space, const uint32_t corner[3]);

/* The height of a point over a facet's plane, times the length of the normal: the same bits as hull_heights. */
static inline double hull_height(const hull_space *space, const hull_facet *facet, uint32_t point)
{
    return vec3_dot(facet->plane.normal, vec3_sub(space->points[point], space->points[facet->corner[2]]));
}

/* Sets the bounds of planes from the points and their extent. */
void hull_choose_bounds(hull_space *space);

/* The side of a facet on which a point is: 1 outside, 0 on its plane, -1 inside. */
int hull_side(hull_space *space, const hull_facet *facet, uint32_t point);

static inline uint32_t hull_half_next(uint32_t half) { return half % 4 == 2 ? half - 2 : half + 1; }

static inline uint32_t hull_half_twin(const hull_space *space, uint32_t half)
{
    return space->facets.items[half / 4].twin[half % 4];
}

static inline uint32_t hull_half_from(const hull_space *space, uint32_t half)
{
    return space->facets.items[half / 4].corner[half % 4];
}

static inline uint32_t hull_index(const hull_space *space, uint32_t point)
{
    return space->index ? space->index[point] : point;
}

/* True if an array can hold `count` items; what it holds may be lost. */
#define hull_room(space, array, needed)                                                                                \
    ((array)->count = 0, base_array_reserve((space)->context, array, (size_t)(needed)))

/* Room for a result of dimension 2 or 3, whose facets follow from its vertices. */
carom_status hull_allocate(carom_context *context, hull *out, uint32_t vertex_count);

/* ---- the steps of hull_build ---- */

/* Puts many points in an order that suits the memory. origin: the lower corner of their box. */
carom_status hull_arrange(hull_space *space, carom_vec3 origin);

/* The largest simplex at hand: corners of a point, a segment, a triangle or a tetrahedron, as many as the hull has
 * dimensions, and one more. */
int hull_find_simplex(hull_space *space, uint32_t corner[4]);

carom_status hull_make_segment(hull_space *space, const uint32_t corner[4], hull *out); /* or a point */
carom_status hull_make_polygon(hull_space *space, const uint32_t corner[4], hull *out);
carom_status hull_grow(hull_space *space, const uint32_t corner[4]); /* the surface of a hull of dimension 3 */
carom_status hull_finish(hull_space *space, hull *out);              /* its canonical form */

/* Sorts facets by their first two corners. */
carom_status hull_sort_facets(hull_space *space, hull *out);

static inline carom_status hull_no_memory(carom_context *context, uint32_t count)
{
    return base_fail(context, CAROM_OUT_OF_MEMORY, "out of memory for the hull of %u points", count);
}

#endif
