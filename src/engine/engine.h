/* engine: the second seam. Const frame in, report out. pipeline.c is the file to read first.
 *
 * The library's engines are rows of the table in registry.c and differ in the method that searches pairs of meshes; an
 * author's engine (carom/author.h) replaces the broad phase and proposes pairs of bodies. Everything else is shared:
 * workers examine pairs, whole or split by fronts, and store findings; the commit puts the findings in order, applies
 * limits and hashes. */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "broad/broad.h"
#include "carom/author.h"
#include "query/query.h"
#include "scene/scene.h"

/* ---- engines of the library ---- */

/* One way to examine pairs of bodies. */
typedef struct engine_kind
{
    carom_engine_info info;
    const query_method *method;
    bool parallel_inside; /* the method itself divides the work of a pair among workers, so pairs are examined one by
                             one */
    /* The method's state, one per worker; null: the query's scratch memory, which is what trees need. */
    carom_status (*create_state)(carom_context *context, const carom_engine_def *def, void **out);
    void (*destroy_state)(void *state);
    void (*add_stats)(const void *state, carom_engine_stats *sum); /* or null */
    /* The method's data per mesh, see engine_assets; null: none. */
    carom_status (*create_asset)(void *context, const carom_shape *shape, void **out);
    void (*destroy_asset)(void *context, void *asset);
} engine_kind;

extern const engine_kind engine_tree;
extern const engine_kind engine_brute;
extern const engine_kind engine_sstcd, engine_spcd, engine_escd, engine_epcd; /* edge/ */

/* The table; null past the end. */
const engine_kind *engine_find(uint32_t index);
const engine_kind *engine_find_name(const char *name);
/* The engine of this name that an author added to this context. */
const carom_engine_kind *engine_find_author(carom_context *context, const char *name);

/* ---- assets: an engine's data per mesh ---- */

typedef struct engine_asset
{
    uint64_t mesh_serial; /* or 0: of a primitive, found by its body */
    carom_body_id body;   /* the first that had it */
    carom_shape shape;    /* at that time; its mesh may be gone */
    uint64_t last_seen;   /* in which frame */
    void *object;
} engine_asset;

typedef struct engine_assets
{
    carom_context *context;
    void *owner; /* what the functions get */
    carom_status (*create)(void *owner, const carom_shape *shape, void **out);
    carom_status (*update)(void *owner, const carom_shape *shape, void *asset); /* or null */
    void (*destroy)(void *owner, void *asset);
    BASE_ARRAY(engine_asset) items; /* sorted by (mesh_serial, body) */
    uint64_t frame;
} engine_assets;

void engine_assets_begin(engine_assets *assets); /* a new frame */
carom_status engine_assets_find(engine_assets *assets, const carom_frame_body *body, void **out);
/* Destroys those that no body of the frame uses. */
void engine_assets_end(engine_assets *assets, const carom_frame *frame);
void engine_assets_free(engine_assets *assets);

/* ---- proxies: bodies as the broad phase sees them ---- */

typedef struct engine_proxy
{
    carom_aabb local; /* of a part, in the body's frame */
    uint32_t part;    /* see narrow_part_pair; 0: the whole body */
    bool is_part;
    bool searched; /* false: the whole box of a body that entered as parts, for containment only */
    uint32_t next; /* of the same body; ENGINE_NO_SLOT: none */
} engine_proxy;

#define ENGINE_NO_SLOT UINT32_MAX

/* What was last seen of a body. */
typedef struct engine_seen_body
{
    uint32_t generation; /* 0: none */
    uint32_t position;   /* in the frame */
    uint64_t frame;      /* when it was last seen */
    uint64_t pose_version, shape_version, settings_version;
    uint32_t first_slot;
} engine_seen_body;

typedef struct engine_proxies
{
    carom_context *context;
    double cut_size;     /* 0: bodies enter as a whole */
    bool estimates;      /* open bodies may surround others, too; set it before an update */
    bool kept_estimates; /* what it was then */
    uint64_t scene, frame;
    BASE_ARRAY(engine_seen_body) bodies; /* by id.index; by position + 1 where no scene made the frame */
    BASE_ARRAY(carom_aabb) boxes;        /* by slot, as the three below */
    BASE_ARRAY(broad_traits) traits;
    BASE_ARRAY(engine_proxy) proxies;
    BASE_ARRAY(uint8_t) marks; /* is the slot in `changed`? */
    BASE_ARRAY(uint32_t) changed;
    bool other_traits; /* of some changed slots, not only boxes differ */
    uint32_t first_free;
    tree_parts parts; /* while a body is cut */
} engine_proxies;

/* Brings the slots up to date with a frame, and adds those that may differ from before to `changed`. */
carom_status engine_proxies_update(engine_proxies *proxies, const carom_frame *frame);
/* Empties `changed` after the broad phase has seen it. After a failed run the list is kept for the next one. */
void engine_proxies_forget_changes(engine_proxies *proxies);
void engine_proxies_free(engine_proxies *proxies);
/* Of the body at a position of the frame of the last update. */
uint32_t engine_first_slot(const engine_proxies *proxies, const carom_frame *frame, uint32_t position);

/* ---- pairs of bodies ---- */

typedef struct engine_pair
{
    uint32_t a, b;                   /* positions in the frame, a before b */
    uint32_t first_part, part_count; /* in the engine's fronts; none: from the roots */
    bool searched;                   /* false: only one may contain the other */
    double clearance;                /* of its rule, or that of all pairs; without margins */
} engine_pair;

/* A copy of the frame's rules. */
typedef struct engine_rules
{
    BASE_ARRAY(carom_frame_rule) items;
    base_map map;            /* broad_pack of two indices: where in items */
    uint64_t scene, version; /* of which frame; scene 0: to be copied again */
} engine_rules;

/* What each pair of bodies remembers from the last frame. */
typedef struct engine_memory
{
    carom_body_id body_a, body_b;
    query_memory memory;
} engine_memory;

typedef struct engine_memories
{
    carom_context *context;
    BASE_ARRAY(engine_memory) last, current; /* current[i] belongs to pair i */
} engine_memories;

/* Hands over what is remembered to the pairs of this frame, which are in canonical order; the rest is forgotten. When
 * out of memory nothing is remembered, which only costs speed. */
void engine_memories_begin(engine_memories *memories, const carom_frame *frame, const engine_pair *pairs, size_t count);
query_memory *engine_memories_at(engine_memories *memories, size_t pair);
void engine_memories_free(engine_memories *memories);

/* ---- findings: plain arrays, the same from a thread or from another process ---- */

/* One pair of bodies that is worth listing; first_pair counts from where its worker's pairs begin. */
typedef struct engine_finding
{
    carom_body_pair pair;
    uint64_t first_contact, contact_count, first_point;
} engine_finding;

typedef struct engine_findings
{
    carom_context *context;
    BASE_ARRAY(engine_finding) items;
    BASE_ARRAY(carom_pair) pairs;
    BASE_ARRAY(carom_contact) contacts; /* pair and first_point count from the finding's own first */
    BASE_ARRAY(carom_vec3) points;
    carom_counters counters;
    uint64_t examined; /* pairs of bodies */
} engine_findings;

void engine_findings_clear(engine_findings *findings);
void engine_findings_free(engine_findings *findings);
/* Copies a report; `closest` is null if no distance was requested. */
carom_status engine_findings_add(engine_findings *findings, const carom_body_pair *bodies, const carom_report *report,
                                 const carom_report *closest);

/* ---- the engine ---- */

typedef struct engine_worker
{
    _Alignas(BASE_CACHE_LINE) carom_query *query; /* workers share no line */
    void *method_state;
    engine_findings findings;
    carom_status failure;
} engine_worker;

/* A pair that was suspended when its budget was spent. */
typedef struct engine_open_pair
{
    query_job job;
    carom_collide_options options; /* of this pair */
} engine_open_pair;

/* Where a pair's finding is: worker << 32 | index + 1. */
typedef uint64_t engine_finding_ref;
#define ENGINE_NOTHING   ((engine_finding_ref)0)  /* examined, not worth listing */
#define ENGINE_UNDECIDED ((engine_finding_ref)-1) /* not examined to the end */

struct carom_engine
{
    carom_context *context;
    const engine_kind *kind;         /* how to examine pairs */
    const carom_engine_kind *author; /* proposes pairs instead of the broad phase; or null */
    void *author_state;
    bool author_ready; /* created */
    const broad_kind *broad;
    void *broad_state;
    uint32_t grid_depth; /* for the broad phase */

    engine_proxies proxies;
    engine_rules rules;
    engine_assets assets;
    engine_memories memories;
    engine_worker *workers;
    uint32_t worker_count;
    void **kept; /* the assets of this frame's bodies, by position; or null */
    size_t kept_capacity;

    /* of the latest run */
    broad_pairs proposed; /* slots, or positions */
    BASE_ARRAY(base_key_value) grouped, space;
    BASE_ARRAY(engine_pair) pairs;
    BASE_ARRAY(narrow_part_pair) fronts;
    BASE_ARRAY(engine_finding_ref) finding_refs; /* per pair */
    BASE_ARRAY(engine_open_pair *) open;         /* per pair: what was found before it was suspended; or null */
    BASE_ARRAY(uint32_t) waiting;                /* pairs to examine in this round */
    BASE_ARRAY(uint64_t)
    slices; /* per waiting pair: its share of a work budget; in: what it may spend, out: what is left */
    carom_collide_options options;
    uint64_t scene, version; /* of its frame */
    bool can_resume;
    bool has_run; /* the latest run succeeded */
    bool busy;    /* a run is under way: further up the call stack, where an author's function calls this engine */
    uint64_t broad_boxes_tested;
    carom_times times;

    /* the report */
    BASE_ARRAY(carom_body_pair) body_pairs;
    BASE_ARRAY(carom_pair) listed;
    BASE_ARRAY(carom_contact) contacts;
    BASE_ARRAY(carom_vec3) points;
};

/* What an author's run function gets. */
struct carom_run
{
    carom_engine *engine;
    const carom_frame *frame;
};

/* The clearance of a pair, margins included: the exact sum of the terms. */
typedef struct engine_clearance
{
    double terms[EXACT_TERMS];
    double rounded; /* the sum in double, from left to right */
    double above;   /* not below the sum, and by less than two roundings above it: what is searched for */
    bool whole;     /* it is the sum */
} engine_clearance;
engine_clearance engine_clearance_of(const carom_frame_body *a, const carom_frame_body *b, double clearance);

/* Makes a report about the upper bound one about the sum: takes a violation back if the closest pair is not nearer than
 * that. closest: the report on that pair, nearest: how it was found; where nothing is violated they are not read. True:
 * the report has changed. */
bool engine_settle_clearance(const engine_clearance *clearance, const carom_report *closest, narrow_closest *nearest,
                             carom_report *report);

/* How large the bodies of a frame are, and their margins: upper bounds. */
typedef struct engine_extent
{
    double span, margin;
} engine_extent;
/* A clearance as a margin for boxes. */
double engine_widen_clearance(const engine_extent *extent, double clearance);

/* ---- rules: rules.c ---- */

/* Checks and copies the frame's rules, if they have changed. */
carom_status engine_rules_update(carom_engine *engine, const carom_frame *frame);
/* That of a pair; where there is none, the clearance of all pairs. */
carom_pair_rule engine_rule_of(const carom_engine *engine, const carom_frame_body *a, const carom_frame_body *b);
/* Adds the pairs whose clearance is larger than that of all pairs to those proposed. */
carom_status engine_rules_propose(carom_engine *engine, const carom_frame *frame, const engine_extent *extent);
void engine_rules_free(carom_context *context, engine_rules *rules);

/* ---- the stages of a run ---- */

/* Examines every pair that is undecided, within the budget. */
carom_status engine_examine(carom_engine *engine, const carom_frame *frame, const carom_budget *budget);
/* From now on the suspended pairs refer to this frame, which is the same one, possibly elsewhere in memory. */
void engine_reopen(carom_engine *engine, const carom_frame *frame);
void engine_forget_open(carom_engine *engine);
/* Makes the canonical report of all findings. */
carom_status engine_commit(carom_engine *engine, const carom_frame *frame, carom_scene_report *report);

carom_status engine_run(carom_engine *engine, const carom_frame *frame, carom_scene_report *report);

#endif
