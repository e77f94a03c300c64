/* engine: the second seam. Const frame in, report out. pipeline.c is the file to read first.
 *
 * An engine is a row of the table in registry.c. Those that look at pairs of bodies one by one (brute, tree) share the
 * pipeline and differ in the method that finds triangle pairs. One that treats the whole frame at once (image space,
 * streams, a cluster) brings its own run function and fills the same builder; the exact narrow phase certifies what it
 * proposes, the builder makes the same canonical report of it. */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "broad/broad.h"
#include "carom/engine.h"
#include "query/query.h"
#include "scene/scene.h"

/* ---- the report under construction ---- */

typedef struct engine_builder
{
    carom_context *context;
    BASE_ARRAY(carom_body_pair) body_pairs;
    BASE_ARRAY(carom_pair) pairs;
    BASE_ARRAY(carom_contact) contacts;
    BASE_ARRAY(carom_vec3) points;
    uint64_t pair_count; /* all there are */
    uint64_t body_pairs_examined;
    bool listing;        /* every pair is meant to be listed */
    bool undecided;      /* some body pair was cut short */
    bool truncated;      /* some pairs are counted but not listed */
    bool witnesses_vary; /* any-hit: triangle ids are some pair, not the pair, and stay out of the hash */
    carom_counters counters;
    carom_times times;
} engine_builder;

/* What one pair of bodies gave; `closest` is null where no distance was asked for. */
typedef struct engine_finding
{
    carom_body_id body_a, body_b;
    const carom_report *report, *closest;
} engine_finding;

void engine_builder_clear(engine_builder *builder, const carom_collide_options *options);
void engine_builder_free(engine_builder *builder);
/* Copies a finding. Findings come in canonical order: by (body_a.index, body_b.index). */
carom_status engine_builder_add(engine_builder *builder, const engine_finding *finding);
/* A pair that the budget left undecided. */
carom_status engine_builder_add_undecided(engine_builder *builder, carom_body_id body_a, carom_body_id body_b);
void engine_builder_count(engine_builder *builder, const carom_counters *counters);
void engine_builder_finish(engine_builder *builder, const carom_frame *frame, carom_scene_report *report);

/* ---- engines ---- */

typedef struct engine_kind
{
    carom_engine_info info;
    carom_status (*create)(carom_context *context, const broad_kind *broad, void **out);
    /* The frame and the options have been checked, the builder is clear. */
    carom_status (*run)(void *state, const carom_frame *frame, const carom_collide_options *options,
                        engine_builder *builder);
    void (*destroy)(void *state);
} engine_kind;

extern const engine_kind engine_brute;
extern const engine_kind engine_tree;

struct carom_engine
{
    carom_context *context;
    const engine_kind *kind;
    void *state;
    engine_builder builder;
};

/* ---- memory of body pairs across frames ---- */

typedef struct engine_memory
{
    carom_body_id body_a, body_b;
    tree_memory memory;
} engine_memory;

/* Pairs are asked for in canonical order; those not asked for in a frame are forgotten after it. */
typedef struct engine_memories
{
    carom_context *context;
    BASE_ARRAY(engine_memory) last, current;
    size_t cursor; /* in last: everything before it has been moved or forgotten */
} engine_memories;

void engine_memories_begin(engine_memories *memories);
/* Valid until the next call; null when out of memory, which costs speed only. */
tree_memory *engine_memories_find(engine_memories *memories, carom_body_id body_a, carom_body_id body_b);
void engine_memories_end(engine_memories *memories);
void engine_memories_free(engine_memories *memories);

/* ---- the pipeline ---- */

typedef struct engine_pipeline
{
    carom_context *context;
    const broad_kind *broad;
    void *broad_state;
    const query_method *method;
    void *method_state; /* borrowed */
    carom_query *query;
    engine_memories memories;

    BASE_ARRAY(carom_aabb) boxes;
    BASE_ARRAY(carom_body_id) ids;
    broad_pairs body_pairs;
} engine_pipeline;

carom_status engine_pipeline_open(engine_pipeline *pipeline, carom_context *context, const broad_kind *broad);
void engine_pipeline_close(engine_pipeline *pipeline);
carom_status engine_pipeline_run(engine_pipeline *pipeline, const carom_frame *frame,
                                 const carom_collide_options *options, engine_builder *builder);

#endif
