/* carom/scene.h: many bodies. A scene changes; a frame is a const view of it for engines to read, and a snapshot is a
 * view that survives changes of the scene. */
#ifndef CAROM_SCENE_H
#define CAROM_SCENE_H

#include "carom/broad.h"
#include "carom/query.h"

#ifdef __cplusplus
extern "C"
{
#endif

    /* A scene belongs to one thread at a time. */
    typedef struct carom_scene carom_scene;
    CAROM_API carom_status carom_scene_create(carom_context *context, carom_scene **out);
    CAROM_API void carom_scene_destroy(carom_scene *scene);

    typedef struct carom_body_def
    {
        carom_placed placed; /* the scene holds references to its mesh and tree */
        carom_filter filter;
        bool is_static;   /* two static bodies are never compared; a static body may still be moved */
        double margin;    /* 0 .. 2^100: added to the clearance of each pair with this body, see carom_engine_run */
        double priority;  /* 0 .. 2^100: the weight of its pairs when a budget is shared out, see carom_engine_run */
        const char *name; /* copied; may be null */
        uint64_t user;    /* for the caller's use */
    } carom_body_def;

    CAROM_API carom_body_def carom_body_def_default(void); /* moving, margin 0, priority 1, no shape */
    CAROM_API carom_status carom_scene_add(carom_scene *scene, const carom_body_def *def, carom_body_id *out);
    CAROM_API carom_status carom_scene_move(carom_scene *scene, carom_body_id body, const carom_pose *pose);
    CAROM_API carom_status carom_scene_remove(carom_scene *scene, carom_body_id body);

    /* Replaces a body's shape, by the next frame of a deforming body or by another shape altogether. If the new mesh
     * was made from the old one by carom_mesh_deform and neither shape names a tree, the new mesh inherits the old
     * one's default trees, refitted, and cached data of its pairs stays valid. If you use your own tree
     * (carom_shape_tree), refit it to the new mesh first. The scene releases the old mesh and tree. */
    CAROM_API carom_status carom_scene_reshape(carom_scene *scene, carom_body_id body, const carom_shape *shape);

    CAROM_API carom_status carom_scene_set_filter(carom_scene *scene, carom_body_id body, const carom_filter *filter);
    CAROM_API carom_status carom_scene_set_static(carom_scene *scene, carom_body_id body, bool is_static);
    CAROM_API carom_status carom_scene_set_margin(carom_scene *scene, carom_body_id body, double margin);
    CAROM_API carom_status carom_scene_set_priority(carom_scene *scene, carom_body_id body, double priority);

    /* ---- rules for single pairs ---- */

    typedef enum carom_rule_kind
    {
        CAROM_RULE_NONE = 0,     /* the pair is treated like any other */
        CAROM_RULE_NEVER = 1,    /* the two bodies are never compared */
        CAROM_RULE_CLEARANCE = 2 /* they are compared with a clearance of their own */
    } carom_rule_kind;

    typedef struct carom_pair_rule
    {
        carom_rule_kind kind;
        double clearance; /* CLEARANCE: 0 .. 2^100, in place of the options' clearance; margins are added, see
                             carom_engine_run */
    } carom_pair_rule;

    /* Sets the rule of two bodies, in any order, in place of an earlier one; null or NONE lifts it. It is forgotten
     * when one of the bodies is removed. A rule never overrides filters and is_static: what these rule out is not
     * compared. Any number of rules costs one look-up in a table per pair of bodies that the broad phase finds. */
    CAROM_API carom_status carom_scene_set_rule(carom_scene *scene, carom_body_id body_a, carom_body_id body_b,
                                                const carom_pair_rule *rule);
    CAROM_API carom_status carom_scene_get_rule(const carom_scene *scene, carom_body_id body_a, carom_body_id body_b,
                                                carom_pair_rule *out); /* NONE where there is none */

    /* ---- frames ---- */

    /* One body as engines see it. A version is a number that grows with each change of the pose, the shape or the
     * settings, so that data kept for a body can be checked for being up to date; 0 in frames that no scene made. */
    typedef struct carom_frame_body
    {
        carom_body_id id;
        carom_placed placed;
        carom_filter filter;
        carom_aabb bounds; /* world, conservative, without the margin */
        double margin, priority;
        bool is_static;
        uint64_t pose_version, shape_version;
        uint64_t settings_version; /* of filter, margin, priority, is_static */
        const char *name;
        uint64_t user;
    } carom_frame_body;

    /* The rule of two bodies of the frame, a before b by index. */
    typedef struct carom_frame_rule
    {
        carom_body_id body_a, body_b;
        carom_pair_rule rule;
    } carom_frame_rule;

    /* Bodies sorted by id.index, rules by the indices of both bodies. */
    typedef struct carom_frame
    {
        const carom_frame_body *bodies;
        uint32_t body_count;
        uint64_t scene;   /* the scene that made it; 0: none */
        uint64_t version; /* of the scene; the same number means that nothing has changed */
        bool owned;       /* belongs to a snapshot, so it survives changes of the scene */
        const carom_frame_rule *rules;
        uint32_t rule_count;
        uint64_t rules_version; /* grows with each change of a rule */
    } carom_frame;

    /* The frame is borrowed from the scene and valid until the scene changes; after that, engines refuse it as
     * CAROM_STALE_FRAME. */
    CAROM_API carom_status carom_scene_frame(carom_scene *scene, carom_frame *out);

    /* A copy with its own references to meshes and trees, so that the scene may be changed or destroyed, also by
     * another thread, while an engine reads the copy. */
    typedef struct carom_snapshot carom_snapshot;
    CAROM_API carom_status carom_scene_snapshot(carom_scene *scene, carom_snapshot **out);
    CAROM_API const carom_frame *carom_snapshot_frame(const carom_snapshot *snapshot);
    CAROM_API void carom_snapshot_destroy(carom_snapshot *snapshot);

    /* The body with this id, for example one from a report; null if the frame has none. */
    CAROM_API const carom_frame_body *carom_frame_find(const carom_frame *frame, carom_body_id id);

    /* ---- rays ---- */

    typedef struct carom_body_hit
    {
        carom_body_id body;
        carom_ray_hit hit;
    } carom_body_hit;

    /* The hits of ray i are hits[first_hit[i] .. first_hit[i + 1]), sorted by (t, body, triangle). */
    typedef struct carom_frame_ray_report
    {
        carom_status status;
        const carom_body_hit *hits;
        uint64_t hit_count;
        const uint64_t *first_hit; /* ray_count + 1 */
        uint32_t ray_count;
        uint64_t hash; /* not for CAROM_RAY_ANY */
        carom_counters counters;
    } carom_frame_ray_report;

    /* Which bodies does each ray of the batch hit? FIRST: the smallest (t, body, triangle). Filters, margins and
     * is_static have no effect. The report belongs to the scene until the next call. */
    CAROM_API carom_status carom_scene_cast(carom_scene *scene, const carom_ray_batch *batch,
                                            carom_frame_ray_report *report);

    /* ---- what is at a place, and what is near ----
     *
     * Batches of probes, boxes or points, and all pairs of bodies at once. The context's workers share the work; the
     * answer is bit-identical for any number of them. An invalid item is an error for the whole batch, and the message
     * names it. Filters, margins, rules and is_static have no effect unless a function says so. Reports belong to the
     * scene until its next call of the same function (overlap and overlap_boxes count as one). */

    /* Placed shapes: a sphere, a capsule, a mesh. A sphere around a point p of the world is
     * {carom_shape_sphere(radius), carom_pose_translation(p.x, p.y, p.z)}. */
    typedef struct carom_probe_batch
    {
        const carom_placed *probes;
        uint32_t count;
        uint64_t categories; /* only bodies of one of these (carom_filter.category); 0: all bodies */
    } carom_probe_batch;

    /* World boxes, closed and solid; one that is empty meets nothing. |coordinate| up to 2^100. */
    typedef struct carom_box_batch
    {
        const carom_aabb *boxes;
        uint32_t count;
        uint64_t categories;
    } carom_box_batch;

    /* The bodies that meet probe i are bodies[first_body[i] .. first_body[i + 1]), sorted by index. */
    typedef struct carom_overlap_report
    {
        carom_status status;
        const carom_body_id *bodies;
        uint64_t body_count;        /* of all probes */
        const uint64_t *first_body; /* probe_count + 1 */
        uint32_t probe_count;
        uint64_t hash;
        carom_counters counters;
    } carom_overlap_report;

    /* Which bodies have a point in common with each probe, as point sets (carom_relation is not APART)? A body that
     * contains the probe counts, and one that is inside it; a surface that is not closed contains nothing. Decided
     * exactly, like carom_collide. */
    CAROM_API carom_status carom_scene_overlap(carom_scene *scene, const carom_probe_batch *batch,
                                               carom_overlap_report *report);
    CAROM_API carom_status carom_scene_overlap_boxes(carom_scene *scene, const carom_box_batch *batch,
                                                     carom_overlap_report *report);

    typedef struct carom_point_batch
    {
        const carom_vec3 *points; /* world, |coordinate| up to 2^100 */
        uint32_t count;
        uint32_t max_bodies; /* per point: the nearest ones; 0: every body within max_distance */
        double max_distance; /* only bodies whose exact distance is at most this; may be infinity */
        bool solid;          /* a point inside a closed mesh is at distance 0; otherwise only its surface counts */
        uint64_t categories; /* only bodies of one of these; 0: all bodies */
    } carom_point_batch;

    CAROM_API carom_point_batch carom_point_batch_default(void); /* no points, 1 body, any distance, solid */

    typedef struct carom_near_body
    {
        carom_body_id body;
        double distance;  /* from its surface (a sphere or capsule is solid), correctly rounded, as by carom_distance */
        carom_vec3 point; /* of the body, the nearest to the point in question; that itself where it is inside */
        uint32_t triangle; /* that the point is on; CAROM_NO_TRIANGLE where the point in question is inside a mesh */
    } carom_near_body;

    /* The bodies near point i are bodies[first_body[i] .. first_body[i + 1]), sorted by (distance, index): bodies whose
     * distances round to the same number count as equally far. */
    typedef struct carom_nearest_report
    {
        carom_status status;
        const carom_near_body *bodies;
        uint64_t body_count;        /* of all points */
        const uint64_t *first_body; /* point_count + 1 */
        uint32_t point_count;
        uint64_t hash;
        carom_counters counters;
    } carom_nearest_report;

    /* Which bodies are nearest to each point? Empty bodies are nowhere. */
    CAROM_API carom_status carom_scene_nearest(carom_scene *scene, const carom_point_batch *batch,
                                               carom_nearest_report *report);

    typedef struct carom_within_options
    {
        double distance; /* >= 0, may be infinity: pairs whose exact distance is at most this, as for carom_within */
        bool solid;      /* a body inside another is at distance 0; otherwise only surfaces count */
    } carom_within_options;

    CAROM_API carom_within_options carom_within_options_default(void); /* 0, solid */

    typedef struct carom_near_pair
    {
        carom_body_id body_a, body_b; /* a before b by index */
        double distance;             /* between the surfaces, correctly rounded, as by carom_distance; 0 if they meet */
        carom_vec3 point_a, point_b; /* the nearest points; the origin if they meet */
        uint32_t triangle_a, triangle_b; /* of these points; CAROM_NO_TRIANGLE if they meet */
    } carom_near_pair;

    typedef struct carom_within_report
    {
        carom_status status;
        const carom_near_pair *pairs; /* sorted by the indices of both bodies */
        uint64_t pair_count;
        uint64_t hash;
        carom_counters counters;
    } carom_within_report;

    /* Which pairs of bodies are within a distance, and how far apart are they? Pairs that filters, is_static or a rule
     * (NEVER) rule out are left out, as by engines; margins and clearances have no effect. For all pairs of triangles,
     * relations, or a clearance per pair, run an engine with carom_collide_options.clearance instead, which lists what
     * is nearer than that; where only distances are needed, this takes a fraction of the time. */
    CAROM_API carom_status carom_scene_pairs_within(carom_scene *scene, const carom_within_options *options,
                                                    carom_within_report *report);

#ifdef __cplusplus
}
#endif

#endif
