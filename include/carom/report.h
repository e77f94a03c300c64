/* carom/report.h: what an answer looks like. One canonical form for every question and every engine: sorted, hashed,
 * counted, timed. Triangle numbers stand for elements: a primitive's single one is 0. Arrays in a report belong to the
 * query object that made it and stay valid until its next call. */
#ifndef CAROM_REPORT_H
#define CAROM_REPORT_H

#include "carom/math.h"

#ifdef __cplusplus
extern "C"
{
#endif

#define CAROM_NO_TRIANGLE UINT32_MAX

    /* How two triangles that share at least one point meet. */
    typedef enum carom_meeting
    {
        CAROM_MEET_NONE = 0,
        CAROM_MEET_TOUCHING = 1, /* they share points, their relative interiors do not */
        CAROM_MEET_CROSSING = 2, /* their relative interiors share a point */
        CAROM_MEET_COPLANAR = 4  /* flag beside the other two: both lie in one plane */
    } carom_meeting;

    typedef struct carom_pair
    {
        uint32_t triangle_a;
        uint32_t triangle_b;
        uint32_t meeting; /* TOUCHING or CROSSING, perhaps with COPLANAR */
    } carom_pair;

    /* How two bodies stand to each other. Inside wins over touching: a body that touches its container from within is
     * inside. It needs a container that is closed and oriented, no crossing pair, and for every component of the inner
     * body a vertex off the container's surface with a winding number other than 0 (where all its vertices lie on that
     * surface, the centroid of one of its triangles instead); where surfaces touch, the corners of the touching
     * triangles must not be outside either. For a solid (sphere, capsule) as container, inside wins over crossing where
     * the relation is asked for: what it contains meets it. If only some components are inside, or no point off the
     * surface is found, the bodies are apart or touching. */
    typedef enum carom_relation
    {
        CAROM_RELATION_UNKNOWN = 0,    /* not asked for, or the budget ran out */
        CAROM_RELATION_APART = 1,      /* no common point; neither body is known to be inside the other */
        CAROM_RELATION_TOUCHING = 2,   /* the surfaces touch and nowhere cross */
        CAROM_RELATION_CROSSING = 3,   /* some triangle pair crosses */
        CAROM_RELATION_A_INSIDE_B = 4, /* no crossing pair; every component of A lies inside closed, oriented B */
        CAROM_RELATION_B_INSIDE_A = 5
    } carom_relation;

    CAROM_API const char *carom_relation_name(carom_relation relation);

    /* Points that two triangles have in common: 1 point, 2 ends of a segment, or the 3 to 6 corners of a convex polygon
     * where coplanar. World coordinates, rounded. */
    typedef struct carom_contact
    {
        uint32_t pair;        /* index into the report's pairs */
        uint32_t first_point; /* index into the report's points */
        uint32_t point_count;
    } carom_contact;

    /* Work done; not part of the hash. Cost = boxes_tested C_v + triangles_tested C_p + volumes_updated C_u (chapter,
     * eq. 25.3). */
    typedef struct carom_counters
    {
        uint64_t boxes_tested;     /* pairs of volumes; a test of eight lanes counts as eight */
        uint64_t triangles_tested; /* pairs of triangles that reached the narrow phase */
        uint64_t volumes_updated;  /* volumes transformed or refitted for this answer */
        uint64_t filter_undecided; /* triangle pairs the float filter passed on to double */
        uint64_t exact_fallbacks;  /* predicates that needed exact arithmetic */
    } carom_counters;

    /* Any-hit and distance answers carry total_ms (and mid_ms) only: reading the clock costs what a short query costs.
     */
    typedef struct carom_times
    {
        double broad_ms;  /* pairs of bodies */
        double mid_ms;    /* the traversals with the triangle tests inside them */
        double narrow_ms; /* contact points */
        double report_ms; /* relation, sorting, listing, hashing */
        double total_ms;
    } carom_times;

    /* The answer for two bodies. */
    typedef struct carom_report
    {
        carom_status status;
        carom_relation relation;
        bool a_closed, b_closed; /* closed and oriented: inside can be decided for this side as container */
        bool clearance_violated; /* distance < clearance of the options, pairs included */

        uint64_t pair_count;     /* all there are, even if fewer are listed; so far, where the budget ran out */
        const carom_pair *pairs; /* sorted by (triangle_a, triangle_b) */
        uint64_t pairs_listed;
        const carom_contact *contacts;
        uint64_t contact_count;
        const carom_vec3 *points;
        uint64_t point_count;

        double distance; /* between the surfaces; 0 iff a pair meets; infinity if not asked for or a mesh is empty */
        double distance_bound;       /* no smaller distance is possible; equals distance where that is decided;
                                        collide: the clearance where it is kept, else 0 */
        carom_vec3 point_a, point_b; /* witness points, world frame */
        uint32_t triangle_a,
            triangle_b; /* their triangles; the smallest ids among equal distances; any-hit: any pair */

        uint64_t
            hash; /* over status, relation, clearance, pairs, meetings, contact points, distance, points, ids; any-hit
                     leaves out the pair; an answer that was cut short (UNKNOWN, STOPPED) hashes its status only */
        carom_counters counters;
        carom_times times;
    } carom_report;

    /* ---- many bodies ---- */

    typedef struct carom_body_id
    {
        uint32_t index; /* 1 based; 0 is no body */
        uint32_t generation;
    } carom_body_id;

    /* What one pair of bodies has to do with each other. */
    typedef struct carom_body_pair
    {
        carom_body_id body_a, body_b; /* a before b by index */
        carom_status status;          /* UNKNOWN: the budget ran out before this pair was decided; it may meet */
        carom_relation relation;
        bool clearance_violated;
        uint64_t pair_count;               /* all there are */
        uint64_t first_pair, pairs_listed; /* range in the scene report's pairs */
        double distance; /* asked for by a clearance; infinity otherwise, or if the pair is listed for another reason */
        carom_vec3 point_a, point_b;
        uint32_t triangle_a, triangle_b;
        uint64_t hash; /* of the report that carom_collide gives for this pair with the same options */
    } carom_body_pair;

    /* The answer for a frame: body pairs that meet, or come closer than the clearance, or stand one inside the other,
     * or were not decided. Belongs to the engine until its next run. */
    typedef struct carom_scene_report
    {
        carom_status status;
        const carom_body_pair *body_pairs; /* sorted by (body_a, body_b) */
        uint64_t body_pair_count;
        const carom_pair *pairs; /* by body pair, then sorted by (triangle_a, triangle_b) */
        uint64_t pair_count;     /* all there are */
        uint64_t pairs_listed;
        const carom_contact *contacts; /* their pair is an index into all the pairs above */
        uint64_t contact_count;
        const carom_vec3 *points;
        uint64_t point_count;
        uint64_t bodies_examined;
        uint64_t body_pairs_examined; /* that passed the broad phase and the filter */
        uint64_t hash;
        carom_counters counters;
        carom_times times;
    } carom_scene_report;

#ifdef __cplusplus
}
#endif

#endif
