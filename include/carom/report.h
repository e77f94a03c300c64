/* carom/report.h: the form of an answer, the same for every query and every engine: sorted, hashed, counted, timed.
 * Triangle numbers stand for elements: the single element of a primitive is 0. Arrays in a report belong to the query
 * object that made it and stay valid until its next call. */
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
        CAROM_MEET_COPLANAR = 4  /* flag in addition to the other two: both lie in one plane */
    } carom_meeting;

    typedef struct carom_pair
    {
        uint32_t triangle_a;
        uint32_t triangle_b;
        uint32_t meeting; /* TOUCHING or CROSSING, possibly with COPLANAR */
    } carom_pair;

    /* How two bodies are related. Inside takes precedence over touching: a body that touches its container from within
     * is inside. It requires a container that is closed and oriented, no crossing pair, and for every component of the
     * inner body a vertex off the container's surface with a winding number other than 0 (if all its vertices lie on
     * that surface, the centroid of one of its triangles instead); where surfaces touch, the corners of the touching
     * triangles must not be outside either. For a solid container (sphere, capsule), whose points include those of
     * everything it contains, inside also takes precedence over crossing if the relation is requested. If only some
     * components are inside, or no point off the surface is found, the bodies are apart or touching. */
    typedef enum carom_relation
    {
        CAROM_RELATION_UNKNOWN = 0,    /* not requested, or the budget ran out */
        CAROM_RELATION_APART = 1,      /* no common point; neither body is known to be inside the other */
        CAROM_RELATION_TOUCHING = 2,   /* the surfaces touch but cross nowhere */
        CAROM_RELATION_CROSSING = 3,   /* some triangle pair crosses */
        CAROM_RELATION_A_INSIDE_B = 4, /* no crossing pair; every component of A lies inside closed, oriented B */
        CAROM_RELATION_B_INSIDE_A = 5
    } carom_relation;

    CAROM_API const char *carom_relation_name(carom_relation relation);

    /* The points that two triangles have in common: 1 point, the 2 ends of a segment, or, if coplanar, the 3 to 6
     * corners of a convex polygon. World coordinates, rounded. */
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
        uint64_t filter_undecided; /* triangle pairs that the float filter passed on to double precision */
        uint64_t exact_fallbacks;  /* predicates that needed exact arithmetic */
    } carom_counters;

    /* Any-hit and distance reports have total_ms (and mid_ms) only: reading the clock takes as long as a short query.
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
        bool a_closed, b_closed; /* closed and oriented: the body can contain the other */
        bool clearance_violated; /* the distance is below the options' clearance, or a pair meets */

        uint64_t pair_count; /* the total, even if fewer are listed; if the budget ran out, the number found so far */
        const carom_pair *pairs; /* sorted by (triangle_a, triangle_b) */
        uint64_t pairs_listed;
        const carom_contact *contacts;
        uint64_t contact_count;
        const carom_vec3 *points;
        uint64_t point_count;

        double distance; /* between the surfaces: the double nearest to the exact minimum; 0 iff a pair meets; infinity
                            if not requested or a mesh is empty */
        double distance_bound; /* a lower bound of the exact distance, once decided the largest double not above it;
                                  collide: the clearance if it is not violated, else 0 */
        carom_vec3 point_a, point_b; /* witness points, world frame */
        uint32_t triangle_a,
            triangle_b; /* their triangles; the smallest ids among equal distances; any-hit: any pair that meets */

        uint64_t hash; /* of status, relation, clearance_violated, pairs, meetings, contact points, distance, points and
                          ids; any-hit omits the pair; for an incomplete answer (UNKNOWN, STOPPED) of the status only */
        carom_counters counters;
        carom_times times;
    } carom_report;

    /* ---- many bodies ---- */

    typedef struct carom_body_id
    {
        uint32_t index; /* from 1; 0 is no body */
        uint32_t generation;
    } carom_body_id;

    /* The answer for one pair of bodies of a frame. */
    typedef struct carom_body_pair
    {
        carom_body_id body_a, body_b; /* a before b by index */
        carom_status status; /* UNKNOWN: the budget ran out before this pair was decided; the bodies may meet */
        carom_relation relation;
        bool clearance_violated;
        uint64_t pair_count;               /* the total, even if fewer are listed */
        uint64_t first_pair, pairs_listed; /* range in the scene report's pairs */
        double distance;                   /* if clearance_violated, otherwise infinity */
        carom_vec3 point_a, point_b;
        uint32_t triangle_a, triangle_b;
        uint64_t hash; /* that of carom_collide's report for this pair with the same options */
    } carom_body_pair;

    /* The answer for a frame: body pairs that meet, are closer than the clearance, contain one another, or were not
     * decided. Its arrays belong to the engine until its next run. */
    typedef struct carom_scene_report
    {
        carom_status status;
        const carom_body_pair *body_pairs; /* sorted by (body_a, body_b) */
        uint64_t body_pair_count;
        const carom_pair *pairs; /* by body pair, then sorted by (triangle_a, triangle_b) */
        uint64_t pair_count;     /* the total, even if fewer are listed */
        uint64_t pairs_listed;
        const carom_contact *contacts; /* their `pair` is an index into `pairs` of this report */
        uint64_t contact_count;
        const carom_vec3 *points;
        uint64_t point_count;
        uint64_t bodies_examined;
        uint64_t body_pairs_examined; /* pairs that passed the broad phase and the filter */
        uint64_t hash;
        carom_counters counters;
        carom_times times;
    } carom_scene_report;

#ifdef __cplusplus
}
#endif

#endif
