/* carom/query.h: queries on two placed shapes, and ray queries.
 *
 *   carom_query *query;   carom_query_create(context, &query);
 *   carom_placed a = {carom_shape_mesh(mesh), pose_a}, b = {carom_shape_sphere(0.5), pose_b};
 *   carom_report report;
 *   carom_collide(query, &a, &b, NULL, &report);
 *
 * Every answer is exact for the points as each body's own pose places them in the world (see carom_pose). */
#ifndef CAROM_QUERY_H
#define CAROM_QUERY_H

#include "carom/report.h"
#include "carom/shape.h"

#ifdef __cplusplus
extern "C"
{
#endif

    /* Scratch memory for queries, one per thread. Reports point into it. A call from within a callback of the same
     * query is refused as CAROM_BUSY; destroy then does nothing. */
    typedef struct carom_query carom_query;
    CAROM_API carom_status carom_query_create(carom_context *context, carom_query **out);
    CAROM_API void carom_query_destroy(carom_query *query);

    /* Remembers what decided the last query of a pair of bodies, so that the next one, with similar poses, is cheaper.
     * The answer never depends on it. Use one per pair and thread. It survives refits; used with other trees, it starts
     * afresh. */
    typedef struct carom_pair_cache carom_pair_cache;
    CAROM_API carom_status carom_pair_cache_create(carom_context *context, carom_pair_cache **out);
    CAROM_API void carom_pair_cache_destroy(carom_pair_cache *cache);

    typedef enum carom_collide_mode
    {
        CAROM_COLLIDE_ANY =
            0, /* stop at the first pair; pair_count is 0 or 1, and triangle_a, triangle_b are any pair that meets */
        CAROM_COLLIDE_COUNT = 1, /* pair_count only */
        CAROM_COLLIDE_ALL = 2    /* every pair with its meeting */
    } carom_collide_mode;

    /* The report's relation if `relation` below is not set: UNKNOWN if a pair meets. If none does, the surfaces are
     * apart, and it is decided whether a body, or a part of it, is inside the other: APART, A_INSIDE_B, B_INSIDE_A or
     * OVERLAPPING. So bodies with a common point are never reported as apart. */

    /* Return false to stop; the report then says CAROM_STOPPED. Pairs come in no particular order. */
    typedef bool carom_pair_fn(const carom_pair *pair, void *user);

    typedef struct carom_collide_options
    {
        carom_collide_mode mode;
        bool contacts; /* mode ALL, not streaming: also contact points, segments and polygons */
        bool
            relation; /* decide the relation also if pairs meet, and estimate what open surfaces contain; examines every
                         pair (mode ANY: until one shows an overlap), then what touches, which a budget may cut short */
        double clearance; /* > 0: also decide whether the exact distance is smaller, in the same traversal */
        uint64_t
            max_pairs; /* 0: no limit; the first pairs in order are listed, the rest only counted: CAROM_TRUNCATED */
        carom_budget budget;
        carom_pair_cache *cache; /* may be null */
        carom_pair_fn *on_pair;  /* mode ALL: streaming; pairs are then not listed in the report */
        void *on_pair_user;
    } carom_collide_options;

    CAROM_API carom_collide_options carom_collide_options_default(void); /* ALL */

    /* Which elements of a and b share a point? options may be null for the default. If the context has workers, they
     * share an expensive query, unless its pairs are streamed or it has a budget. */
    CAROM_API carom_status carom_collide(carom_query *query, const carom_placed *a, const carom_placed *b,
                                         const carom_collide_options *options, carom_report *report);

    /* Continues the last call on this query, if it was a carom_collide without on_pair that ended in CAROM_UNKNOWN,
     * from where its budget ran out, with a new budget (null: no limit). The meshes, the trees and the pair cache must
     * still exist. The report, counters included, covers everything since the start. */
    CAROM_API carom_status carom_collide_resume(carom_query *query, const carom_budget *budget, carom_report *report);

    typedef struct carom_distance_options
    {
        double upper_bound; /* > 0: larger distances do not matter: they are reported as infinity with distance_bound =
                               upper_bound */
        carom_budget budget;
        carom_pair_cache *cache; /* may be null */
    } carom_distance_options;

    CAROM_API carom_distance_options carom_distance_options_default(void);

    /* How far apart are the surfaces, and where? */
    CAROM_API carom_status carom_distance(carom_query *query, const carom_placed *a, const carom_placed *b,
                                          const carom_distance_options *options, carom_report *report);

    /* Is the exact distance at most `distance`? Cheaper than carom_distance. */
    CAROM_API carom_status carom_within(carom_query *query, const carom_placed *a, const carom_placed *b,
                                        double distance, bool *out);

    /* ---- rays ---- */

    typedef enum carom_ray_mode
    {
        CAROM_RAY_FIRST = 0, /* smallest (t, triangle), with t before rounding, as for max_t */
        CAROM_RAY_ANY = 1,
        CAROM_RAY_ALL = 2 /* sorted by (t, triangle), likewise */
    } carom_ray_mode;

    typedef struct carom_ray_batch
    {
        const carom_ray *rays;
        uint32_t count;
        carom_ray_mode mode;
    } carom_ray_batch;

    typedef struct carom_ray_hit
    {
        double t; /* rounded: off by less than 2^-38 t, so two of nearly the same t may seem to be out of order */
        uint32_t
            triangle; /* 0 for a primitive, which is hit where the ray enters it: at t = 0 if the ray starts inside */
        double u, v;  /* barycentric weights of corners 1 and 2; 0 for a primitive */
    } carom_ray_hit;

    typedef struct carom_ray_report
    {
        carom_status status;
        const carom_ray_hit *hits;
        uint64_t hit_count;
        uint64_t hash; /* not for CAROM_RAY_ANY */
        carom_counters counters;
    } carom_ray_report;

    CAROM_API carom_status carom_ray_cast(carom_query *query, const carom_placed *placed, const carom_ray *ray,
                                          carom_ray_mode mode, carom_ray_report *report);

    /* The hits of a batch, ray by ray: those of ray i are hits[first_hit[i] .. first_hit[i + 1]). */
    typedef struct carom_ray_batch_report
    {
        carom_status status;
        const carom_ray_hit *hits;
        uint64_t hit_count;
        const uint64_t *first_hit; /* ray_count + 1 */
        uint32_t ray_count;
        uint64_t hash; /* not for CAROM_RAY_ANY */
        carom_counters counters;
    } carom_ray_batch_report;

    /* Gives the same hits as carom_ray_cast for each ray; the context's workers share the batch. An invalid ray is an
     * error for the whole batch, and the message names the ray. */
    CAROM_API carom_status carom_ray_cast_batch(carom_query *query, const carom_placed *placed,
                                                const carom_ray_batch *batch, carom_ray_batch_report *report);

#ifdef __cplusplus
}
#endif

#endif
