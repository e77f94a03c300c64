/* What a search over pairs of elements is asked and what it answers, whatever does the search: trees, all triangles
 * against all, edges against boxes. Elements are triangles of a mesh, or the single element 0 of a primitive. */
#ifndef NARROW_SEARCH_H
#define NARROW_SEARCH_H

#include "base/base.h"
#include "carom/report.h"
#include "math/math.h"

/* Return false to stop the search, which then returns CAROM_STOPPED. */
typedef bool narrow_pair_fn(uint32_t element_a, uint32_t element_b, uint32_t meeting, void *user);

/* Which elements meet? */
typedef struct narrow_search
{
    bool every_pair;          /* a hint: on_pair will not stop at the first pair; each pair comes once, unless a builder
                               * put triangles into several leaves */
    bool need_meeting;        /* false: any non-zero meeting will do, which is cheaper */
    const uint64_t *smallest; /* or null: only pairs with a smaller element_a << 32 | element_b matter */
    double clearance;         /* > 0: also decide whether the distance is smaller, in the same walk */
    narrow_pair_fn *on_pair;  /* each meeting pair, in no particular order */
    void *user;
} narrow_search;

/* The gap between two elements, known as well as was needed so far. A triangle has three points; balls and capsules
 * have one or two, of which the last is repeated, and a radius. */
typedef struct narrow_gap
{
    carom_vec3 points[2][3];
    int count[2];
    double radius[2];
    unsigned corners[2]; /* bits: which points span the nearest features, probably or `certain` */
    double low, high;    /* its length is between */
    bool searched;       /* for the features, in twice the precision: */
    bool found;          /* with success: `way` is known; */
    bool certain;        /* the features are right */
    bool rounded;        /* `length` is known */
    exact_way way;       /* of the points, without radii */
    exact_interval interval;
    exact_length length; /* 0 if they meet */
} narrow_gap;

enum
{
    NARROW_SLAB_IDS = 128
};

/* The two planes across the way of the closest pair, which touch its elements. A pair that they keep apart is not
 * nearer. Where triangles of a and b are that took long to place is kept by the last digits of their ids. */
typedef struct narrow_slab
{
    bool known;
    bool used;      /* ids are kept */
    int usefulness; /* above 0 if it has ruled out enough pairs lately */
    uint8_t placements[2][NARROW_SLAB_IDS];
    uint32_t known_ids[2][NARROW_SLAB_IDS];
} narrow_slab;

enum
{
    NARROW_SCREEN_IDS = 256
};

/* Heights of triangles along one direction, probably that of the shortest way. A pair whose heights differ by more than
 * the closest distance is farther away. Kept by the last digits of their ids, they cost next to nothing for pairs of
 * triangles that have been in pairs before. */
typedef struct narrow_screen
{
    bool known;
    bool outdated;                   /* a closer pair than that which it was made for is known */
    bool measured;                   /* `spare` is right */
    int usefulness;                  /* above 0 if it has ruled out enough pairs lately */
    carom_vec3 direction, origin[2]; /* from a to b; heights of a are above its origin, of b below its own */
    double spare;                    /* pairs whose heights together are below this are farther away */
    double heights[2][NARROW_SCREEN_IDS];
    uint32_t ids[2][NARROW_SCREEN_IDS];
} narrow_screen;

/* Which elements are closest? */
typedef struct narrow_closest
{
    double distance; /* in: only pairs nearer than this, or as near with smaller ids, matter (infinity: all); an upper
                      * bound during a search; out: correctly rounded, 0 iff they meet */
    double lower_bound; /* out: certain, also where the budget ran out */
    carom_vec3 point_a, point_b;
    uint32_t triangle_a, triangle_b; /* CAROM_NO_TRIANGLE: none found */
    narrow_gap gap;                  /* of the pair, if there is one */
    narrow_slab slab;
    narrow_screen screen;
} narrow_closest;

/* Nothing is known but what a pair must be nearer than. */
static inline void narrow_closest_begin(narrow_closest *closest, double limit)
{
    closest->distance = closest->lower_bound = limit;
    closest->triangle_a = closest->triangle_b = CAROM_NO_TRIANGLE;
    closest->slab.known = closest->screen.known = false;
}

/* After narrow_closest_settle: the largest double not above the distance of the closest pair so far, or what it had to
 * be nearer than. */
static inline double narrow_closest_bound(const narrow_closest *closest)
{
    return closest->triangle_a != CAROM_NO_TRIANGLE ? closest->gap.length.below : closest->distance;
}

/* Is any of many pairs within a limit? */
typedef struct narrow_threshold
{
    double limit;
    bool strictly;         /* nearer than the limit; otherwise as near will do */
    int attempts;          /* left, to know `beyond` */
    narrow_closest beyond; /* a pair that is not within it, if known */
} narrow_threshold;

/* A part of each body, where the two were not compared to the end: nodes of trees, rows of triangles. Only the method
 * knows what the numbers mean. */
typedef struct narrow_part_pair
{
    uint32_t part_a, part_b;
    float bound; /* of their distance from below, in the method's own unit; 0: unknown */
} narrow_part_pair;

/* Where a search stands. In: where to begin; empty: with the bodies as a whole. Out, where the budget ran out: what is
 * open. Used to split one pair of bodies among workers, to resume a search, and to start from parts of bodies. */
typedef BASE_ARRAY(narrow_part_pair) narrow_front;

#endif
