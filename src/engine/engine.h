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
    const carom_engine_kind *author; /* proposes pairs of bodies instead of the broad phase; or null */
    /* In place of the author's create, which does not get the definition; or null. */
    carom_status (*create_author)(carom_context *context, const carom_engine_def *def, void **out);
    bool parallel_inside; /* the method itself divides the work of a pair among workers, so pairs are examined one by
                             one */
    /* The method's state, one per worker; null: the query's scratch memory, which is what trees need. */
    carom_status (*create_state)(carom_context *context, const carom_engine_def *def, void **out);
    void (*destroy_state)(void *state);
    void (*add_stats)(const void *state,
                      carom_engine_stats *sum); /* or null; gets the author's state if there is one */
    /* The method's data per mesh, see engine_assets; null: none. */
    carom_status (*create_asset)(void *context, const carom_shape *shape, void **out);
    /* The same by way of a cache folder; null: it is not worth keeping. */
    carom_status (*load_asset)(carom_context *context, const carom_shape *shape, const char *folder, void **out);
    /* Makes the asset of a body's earlier mesh that of its present one; null: it is made anew. */
    carom_status (*update_asset)(void *context, const carom_shape *shape, void *asset);
    void (*destroy_asset)(void *context, void *asset);
    /* Sees all pairs of a frame, with their assets, before they are examined one by one; or null. */
    carom_status (*prepare_pairs)(carom_engine *engine, const carom_frame *frame);
} engine_kind;

extern const engine_kind engine_tree;
extern const engine_kind engine_brute;
extern const engine_kind engine_sstcd, engine_spcd, engine_escd, engine_epcd;                 /* edge/ */
extern const engine_kind engine_image, engine_image_sampled, engine_recode;                   /* image/ibcd.c */
extern const engine_kind engine_rossignac, engine_shinya, engine_myszkowski, engine_lombardo; /* image/filter.c */
extern const engine_kind engine_cullide;                                              /* image/image_cullide.c */
extern const engine_kind engine_scd0, engine_scd1, engine_scd2, engine_scd_triangles; /* stream/stream_engine.c */
extern const engine_kind engine_stream;                                               /* stream/frontier.c */
extern const engine_kind engine_geoimage;                                             /* geoimage/mipmap.c */

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
    carom_status (*load)(carom_context *context, const carom_shape *shape, const char *folder,
                         void **out); /* or null */
    char *folder;                     /* for `load`; null: none */
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

typedef BASE_ARRAY(engine_pair) engine_pairs;

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
/* Copies a finding with its pairs, contacts and points. False: out of memory. */
bool engine_findings_copy(engine_findings *findings, const engine_findings *from, const engine_finding *finding);
/* Copies a report; `closest` is null if no distance was requested. */
carom_status engine_findings_add(engine_findings *findings, const carom_body_pair *bodies, const carom_report *report,
                                 const carom_report *closest);

/* ---- the engine ---- */

/* A pair that was suspended when its budget was spent. */
typedef struct engine_open_pair
{
    query_job job;
    carom_collide_options options; /* of this pair */
    double bound;                  /* of the distance, as it was reported last */
} engine_open_pair;

typedef BASE_ARRAY(engine_open_pair *) engine_open_pairs;

/* What a commit has to deal with. */
typedef struct engine_load
{
    uint64_t undecided, listed; /* pairs of bodies */
    uint64_t open;              /* of the undecided ones: begun */
    uint64_t pairs, contacts, points;
    uint64_t growth; /* bytes of memory that are new */
} engine_load;

#define ENGINE_COMMIT_SECONDS 5e-6  /* whatever there is to commit */
#define ENGINE_NEW_MEMORY     4e-10 /* seconds per byte, until it has been written to for the first time */

/* What takes one stretch of time at the end of a pair, in seconds. */
typedef struct engine_rates
{
    double listing;  /* per pair of triangles */
    double relation; /* per pair of bodies: how it begins */
} engine_rates;

typedef struct engine_worker
{
    _Alignas(BASE_CACHE_LINE) carom_query *query; /* workers share no line */
    void *method_state;
    engine_findings findings;
    engine_load found;       /* its findings of earlier rounds */
    engine_rates rates;      /* as it measured them */
    uint64_t opened;         /* pairs that it has begun in this round */
    engine_open_pairs spare; /* for pairs that are begun */
    carom_status failure;
} engine_worker;

/* Where a pair's finding is: worker << 32 | index + 1; the number after the last worker's: among those carried over
 * from the last frame. */
typedef uint64_t engine_finding_ref;
typedef BASE_ARRAY(engine_finding_ref) engine_finding_refs;
#define ENGINE_NOTHING   ((engine_finding_ref)0)  /* examined, not worth listing */
#define ENGINE_UNDECIDED ((engine_finding_ref)-1) /* not examined to the end */

/* ---- the deadline of a frame: pace.c ---- */

enum
{
    ENGINE_PACE_KEPT = 5
};

/* What it takes to come to the examination. */
typedef struct engine_preparation
{
    double seconds[ENGINE_PACE_KEPT]; /* per body, in the latest runs */
    uint32_t count;
    uint32_t skipped, max_skipped; /* frames in a row */
} engine_preparation;

typedef struct engine_pace
{
    bool alone;                         /* one thread does everything: while it has no processor, nothing is measured */
    double start;                       /* of the call */
    double thread_start;                /* the same as processor time, if alone */
    double seconds;                     /* its budget; 0: none */
    double deadline;                    /* 0: none */
    double reserve;                     /* seconds set aside for the commit before the examination begins */
    bool continued;                     /* the call goes on with the pairs of an earlier one */
    engine_preparation preparations[2]; /* [1]: of frames in which many bodies moved, which take longer */
    bool many_moved;                    /* in this one */
    bool retrying[2];                   /* it begins although it is expected to take too long */
    engine_load last_load;              /* of the last commit; what it added to memory is not in it */
    double commit_factor;        /* what a commit takes at most, over what engine_pace_cost would say without it */
    double usual_factor;         /* what it takes as a rule */
    double build_rate;           /* seconds per triangle of a tree */
    double building;             /* seconds of this call */
    double preparing;            /* seconds of this call before the examination; 0: it goes on with pairs */
    double extra_rate;           /* seconds per undecided pair about which more is found out than must be */
    double largest;              /* budget of late, in seconds */
    double waited_first;         /* seconds of the frames that did not begin before the first that did; twice */
    double waited;               /* seconds of the frames that a step was postponed in */
    atomic_bool postponed, late; /* some step was, in this call; one is made late */
} engine_pace;

void engine_pace_create(engine_pace *pace, bool alone);
/* Begins a call that has been under way since `start`. */
void engine_pace_begin(engine_pace *pace, const carom_budget *budget, double start);
void engine_pace_end(engine_pace *pace);
/* Would the steps before the examination and a commit take longer than the budget? Whatever has moved; and once that is
 * known. */
bool engine_pace_skips(engine_pace *pace, uint32_t body_count);
bool engine_pace_skips_moved(engine_pace *pace, uint32_t body_count, size_t moved_count);
/* Notes that these steps are done. */
void engine_pace_prepared(engine_pace *pace, uint32_t body_count);
/* Do they and a commit of so many seconds alone take longer than the budget? */
bool engine_pace_fits_nothing(const engine_pace *pace, double commit);
/* Seconds that a commit will take; and those for what it can do without: guesses and better bounds. */
double engine_pace_cost(const engine_pace *pace, const engine_load *load);
double engine_pace_careful(double seconds); /* what to set aside for a commit of so many */
double engine_pace_extra_cost(const engine_pace *pace, uint64_t extras);
void engine_pace_added_extras(engine_pace *pace, double seconds, uint64_t count);
/* What is expected next, after a measurement. */
double engine_pace_learn(double rate, double measured);
void engine_pace_committed(engine_pace *pace, double expected, double taken);
void engine_pace_not_committed(engine_pace *pace); /* there was no time for it */
/* May a step begin that can't be cut short? */
typedef enum engine_leave
{
    ENGINE_LEAVE_NONE = 0, /* no */
    ENGINE_LEAVE_IN_TIME,
    ENGINE_LEAVE_LATE /* it has waited long enough: the deadline does not count for it */
} engine_leave;

/* May a step begin that takes so many seconds and can't be cut short, if others are set aside for the commit? On any
 * worker. */
engine_leave engine_pace_allows(engine_pace *pace, double seconds, double reserve);
double engine_pace_build_cost(const engine_pace *pace, uint32_t triangles);
void engine_pace_built(engine_pace *pace, uint32_t triangles, double taken);

/* ---- what the next frame goes on with: carry.c ---- */

typedef struct engine_known_body
{
    carom_body_id id;
    uint64_t pose_version, shape_version, settings_version;
    const carom_mesh *mesh;
    const carom_tree *tree;
} engine_known_body;

typedef struct engine_past
{
    bool usable; /* the last run was cut short, */
    uint64_t scene;
    carom_collide_options options;        /* and these were its scene and its question */
    BASE_ARRAY(engine_known_body) bodies; /* of its frame */
    BASE_ARRAY(uint32_t) current;         /* their positions in the new frame, if unchanged */
    engine_pairs pairs;                   /* from here on empty but while a run begins */
    engine_finding_refs finding_refs;
    engine_open_pairs open;
    engine_findings findings; /* what is carried over while it is collected */
} engine_past;

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
    engine_pairs pairs;
    BASE_ARRAY(narrow_part_pair) fronts;
    engine_finding_refs finding_refs; /* per pair */
    engine_open_pairs open;           /* per pair: what was found before it was suspended; or null */
    BASE_ARRAY(double) urgencies;     /* per pair, where a budget is shared out */
    BASE_ARRAY(uint32_t) waiting;     /* pairs to examine in this round */
    BASE_ARRAY(uint64_t)
    slices; /* per waiting pair: its share of a work budget; in: what it may spend, out: what is left */
    engine_findings carried; /* of pairs that the last run decided already */
    engine_past past;
    engine_pace pace;
    carom_collide_options options;
    uint64_t scene, version; /* of its frame */
    bool can_resume;
    bool has_run; /* the latest run succeeded */
    bool skipped; /* it did not even begin, for lack of time */
    bool estimates_undecided;
    bool busy; /* a run is under way: further up the call stack, where an author's function calls this engine */
    uint64_t broad_boxes_tested;
    carom_times times;

    /* the report */
    BASE_ARRAY(carom_body_pair) body_pairs;
    BASE_ARRAY(carom_pair) listed;
    BASE_ARRAY(carom_contact) contacts;
    BASE_ARRAY(carom_vec3) points;
    BASE_ARRAY(carom_pair_estimate) estimates;
};

static inline const engine_findings *engine_findings_at(const carom_engine *engine, engine_finding_ref ref)
{
    uint32_t worker = (uint32_t)(ref >> 32);
    return worker == engine->worker_count ? &engine->carried : &engine->workers[worker].findings;
}

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

/* Keeps the pairs of the last run where engine_carry finds them. */
void engine_set_aside(carom_engine *engine);
/* Every pair of this frame whose bodies have not changed since goes on where the last run stopped; the rest of that is
 * forgotten. The pairs of this frame are undecided before. */
void engine_carry(carom_engine *engine, const carom_frame *frame);
/* Notes the bodies of a frame whose run may be cut short. */
void engine_note_bodies(carom_engine *engine, const carom_frame *frame);
void engine_forget_past(carom_engine *engine);
void engine_free_past(carom_engine *engine);
/* Are the options the same but for the budget? */
bool engine_same_question(const carom_collide_options *one, const carom_collide_options *other);

/* Builds missing default trees of the frame's bodies; with a deadline, those for which there is time. */
carom_status engine_prepare_trees(carom_engine *engine, const carom_frame *frame);
bool engine_pair_lacks_trees(const carom_engine *engine, const carom_frame *frame, const engine_pair *pair);

/* How urgent a pair is, see carom_engine_run; largest: the longest side of all bodies' boxes. */
double engine_urgency(const carom_frame_body *a, const carom_frame_body *b, double largest);
double engine_largest_side(const carom_frame *frame);

/* An attempt at a pair, by one worker. */
typedef struct engine_task
{
    carom_engine *engine;
    const carom_frame *frame;
    engine_worker *worker;
    uint32_t worker_number, index;
    base_budget *budget; /* for this attempt */
    bool limited;        /* by the caller's budget, not only to find out which pairs are heavy */
    double reserve;      /* with a deadline: seconds for the commit */
} engine_task;

/* The report of a job that has been searched to its end; CAROM_UNKNOWN: something is open. */
carom_status engine_answer(const engine_task *task, query_job *job, carom_report *report);
/* Stores the report of a job, and by how much a clearance is violated. CAROM_UNKNOWN: the budget did not suffice for
 * that. */
carom_status engine_file_report(const engine_task *task, query_job *job, carom_report *report);

/* Examines every pair that is undecided, within the budget. */
carom_status engine_examine(carom_engine *engine, const carom_frame *frame, const carom_budget *budget);
/* From now on the suspended pairs refer to this frame. */
void engine_reopen(carom_engine *engine, const carom_frame *frame);
/* The worker keeps the memory for others. */
void engine_free_open(carom_engine *engine, engine_worker *worker, engine_open_pair *open);
void engine_forget_open(carom_engine *engine, engine_open_pairs *open);
void engine_free_spare(carom_engine *engine, engine_worker *worker);

/* What is known about a pair that is undecided, without its pairs of triangles. extras: what may be
 * spent on a look at its front; null: nothing. */
carom_body_pair engine_describe_undecided(const carom_engine *engine, const carom_frame *frame, size_t index,
                                          base_budget *extras);
/* A guess about it. */
carom_pair_estimate engine_estimate_undecided(const carom_engine *engine, const carom_frame *frame, size_t index,
                                              const base_budget *extras);

/* What there is to commit now, or in some findings. */
engine_load engine_load_of(const carom_engine *engine);
engine_load engine_load_of_findings(const engine_findings *findings);
/* Bytes by which the report's memory will have to grow. */
uint64_t engine_report_growth(const carom_engine *engine, const engine_load *load);
/* May the report say more about an open pair than must be? */
bool engine_adds_extras(const carom_engine *engine, const carom_frame *frame, size_t index);
/* Makes room for the report of so much, before the commit; out of memory, the commit will notice. */
void engine_prepare_report(carom_engine *engine, const engine_load *load);
/* Makes the canonical report of all findings. */
carom_status engine_commit(carom_engine *engine, const carom_frame *frame, carom_scene_report *report);
/* The report of a frame for which there was no time: everything is unknown. */
void engine_report_nothing(const carom_frame *frame, carom_scene_report *report);

carom_status engine_run(carom_engine *engine, const carom_frame *frame, carom_scene_report *report);
/* Goes on with the pairs of the last run, whose frame this is. */
carom_status engine_continue(carom_engine *engine, const carom_frame *frame, const carom_budget *budget,
                             carom_scene_report *report);

#endif
