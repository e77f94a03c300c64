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

    /* How two bodies are related, as point sets. P(X) is the set of all points of X's placed triangles and, if X is
     * closed and oriented, of all points around which it winds (winding number other than 0); for a sphere or capsule,
     * all its points. The interior is that of this set: an open surface has none. Nothing else matters: not the
     * triangulation, the order of triangles, or the engine. An empty body is apart from everything. The first that
     * holds of: APART, EQUAL, inside, OVERLAPPING, SURFACES_MEET, TOUCHING. docs/exactness.md shows how this is
     * decided. */
    typedef enum carom_relation
    {
        CAROM_RELATION_UNKNOWN = 0,     /* not requested, or the budget ran out */
        CAROM_RELATION_APART = 1,       /* P(A) and P(B) have no common point */
        CAROM_RELATION_TOUCHING = 2,    /* they have common points, but neither meets the other's interior */
        CAROM_RELATION_OVERLAPPING = 3, /* one meets the interior of the other; neither contains the other */
        CAROM_RELATION_A_INSIDE_B = 4,  /* P(A) is a part of P(B), meets its interior, and is not equal to it */
        CAROM_RELATION_B_INSIDE_A = 5,
        CAROM_RELATION_EQUAL = 6,        /* P(A) = P(B) */
        CAROM_RELATION_SURFACES_MEET = 7 /* they have common points, and neither has an interior */
    } carom_relation;

    CAROM_API const char *carom_relation_name(carom_relation relation);

    /* The points that two triangles have in common: 1 point, the 2 ends of a segment, or, if coplanar, the 3 to 6
     * corners of a convex polygon. World frame. Correctly rounded: each coordinate is the double nearest to that of the
     * exact point, the even one of two that are equally near; where the point is a corner of a triangle, it has the
     * corner's coordinates. Where a ball or capsule takes part there is one point. Its distance from either shape is at
     * most 2e-14 times the largest difference of coordinates between the ends and corners of both, plus 2^-50 of the
     * largest |coordinate| of those. */
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
        double sampled_size; /* engines of class sampled: intersections that hold no ball of this diameter may have been
                                missed; 0: none. World units; of several answers the largest, not the sum */
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

        /* An estimate where the relation can't tell. Nothing is inside a surface that is not closed: a bolt in a box
         * without a lid is APART or TOUCHING, and so is what is within a solid that a file format tore open. If the
         * full relation is requested and is one of these two, the generalized winding number of the open surface at
         * points of the other body says whether the latter is probably inside (all of it, or one of its components).
         * False: probably outside, or the relation says it all. Not hashed; the same on every machine. How it is
         * estimated, and how well: docs/exactness.md, section 22. */
        bool a_probably_inside_b, b_probably_inside_a;
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
        bool a_probably_inside_b, b_probably_inside_a; /* an estimate, see carom_report */
        bool clearance_violated;
        uint64_t pair_count;               /* the total, even if fewer are listed; UNKNOWN: found so far */
        uint64_t first_pair, pairs_listed; /* range in the scene report's pairs; with a budget of time, pairs of
                                              triangles are listed once their pair of bodies is decided */
        double distance;                   /* if clearance_violated, otherwise infinity */
        carom_vec3 point_a, point_b;
        uint32_t triangle_a, triangle_b;
        double distance_bound; /* a lower bound of the distance between the surfaces, as far as it was looked for:
                                  UNKNOWN: what is certain so far, from the boxes of the bodies or, with a clearance
                                  and once the pair was begun, from the parts that are still open; never lower than
                                  before while a search goes on; decided: as in carom_report */
        uint64_t hash;         /* that of carom_collide's report for this pair with the same options */
        double sampled_size;   /* of this pair, see carom_counters */
    } carom_body_pair;

    /* A guess about a pair of bodies that the budget left undecided; not an answer. The guess is that the bodies meet
     * where the smallest parts of them are that are not known to be apart: the two boxes, each around a part of one
     * body, that the search had come down to. See carom_engine_def.estimate_undecided. */
    typedef struct carom_pair_estimate
    {
        uint64_t body_pair; /* index into the report's body_pairs */
        carom_vec3 point;   /* world; in the middle of what the two boxes share, or between them */
        double radius;      /* how far the place may be off: half the diagonal of the smaller box; world units */
        double distance;    /* between the boxes; 0 if they overlap */
        uint64_t open;      /* pairs of parts that are not decided; 0: the search had not begun, or is over and the
                               relation or the distance is open */
        bool certain; /* elements that meet were found already, and the two boxes are around two of these: no guess */
    } carom_pair_estimate;

    /* The answer for a frame: body pairs that meet, are closer than the clearance, contain one another (for certain or
     * probably), or were not decided. Its arrays belong to the engine until its next run. */
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
        const carom_pair_estimate *estimates; /* of undecided body pairs, in their order; if requested */
        uint64_t estimate_count;
        uint64_t bodies_examined;
        uint64_t body_pairs_examined;  /* of those that passed the broad phase and the filter: decided */
        uint64_t body_pairs_undecided; /* among body_pairs: UNKNOWN */
        uint64_t bodies_undecided; /* all, if there was not even time to find pairs and to list them: then body_pairs is
                                      empty, and any bodies may meet; otherwise 0 */
        uint64_t hash;
        carom_counters counters;
        carom_times times;
    } carom_scene_report;

#ifdef __cplusplus
}
#endif

#endif
