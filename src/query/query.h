/* query: questions about two placed shapes. Everything around a search is here: checks, default trees, the table of
 * shape kinds, budgets, relations, contacts, and the canonical form (sorted, without duplicates, hashed) that engines
 * share. */
#ifndef QUERY_QUERY_H
#define QUERY_QUERY_H

#include "carom/query.h"
#include "tree/tree.h"

typedef BASE_ARRAY(uint64_t) query_words;

/* What a method that can search a pair in two ways has measured of them. */
typedef struct query_choice
{
    float seconds[2];  /* of late; 0: not tried yet */
    uint32_t wait;     /* searches until the slower one is tried again */
    uint32_t patience; /* and how long that was last time */
} query_choice;

/* What a pair of bodies remembers from one question to the next. Zero-initialise; the answer never depends on it. */
typedef struct query_memory
{
    tree_memory tree;
    query_choice choice[2]; /* for a search that stops at the first pair, and for one that finds all */
} query_memory;

struct carom_pair_cache
{
    carom_context *context;
    query_memory memory;
};

/* ---- how pairs of triangles are found ---- */

/* Two placed meshes to search, as the method sees them. */
typedef struct query_task
{
    carom_context *context;
    mesh_placed a, b; /* without trees where the method needs none */
    double defect;    /* math_pair_defect of their poses */
    const void *asset_a, *asset_b;
    query_memory *memory;
    narrow_front *front;
    base_budget *budget;
    carom_counters *counters;
} query_task;

/* One placed mesh to search for what is near a ball or capsule, or meets a line. */
typedef struct query_mesh_task
{
    carom_context *context;
    mesh_placed mesh;
    double defect;
    const void *asset;
    narrow_front *front;
    base_budget *budget;
    carom_counters *counters;
} query_mesh_task;

/* One way to search meshes: trees, or brute force, or edges. Everything around it is shared, so two methods that find
 * the same pairs give bit-identical reports. Several workers use one method, each with its own state. collide, distance
 * and within follow the contracts of their namesakes in tree.h. */
typedef struct query_method
{
    /* Are the meshes certainly farther apart than the limit? A quick rejection test; false says nothing. Or null. */
    bool (*far_apart)(const carom_context *context, const mesh_placed *a, const mesh_placed *b, double limit,
                      query_memory *memory);
    carom_status (*collide)(void *state, const query_task *task, const narrow_search *search, bool *violated);
    carom_status (*distance)(void *state, const query_task *task, narrow_closest *closest);
    carom_status (*within)(void *state, const query_task *task, double limit, bool *within);
    /* Calls on_triangle for every triangle within the limit, possibly for others. CAROM_OK, CAROM_STOPPED or
     * CAROM_UNKNOWN. */
    carom_status (*near)(void *state, const query_mesh_task *task, const narrow_near *near);
    /* Calls on_triangle for every triangle that the half line from the point along +x meets, possibly for others. */
    carom_status (*line_x)(void *state, const query_mesh_task *task, carom_vec3 point,
                           void (*on_triangle)(uint32_t triangle, void *user), void *user);
    bool needs_trees;
    bool repeats; /* collide may report a pair several times */
} query_method;

extern const query_method query_tree_method; /* its state is a tree_scratch */

/* ---- questions ---- */

/* A question whose arguments have been checked. */
typedef struct query_question
{
    const carom_placed *a, *b;
    const carom_tree *tree_a, *tree_b; /* of meshes, where the method needs trees */
    double defect;                     /* math_pair_defect of their poses */
    const void *asset_a, *asset_b;     /* the method's data for the two shapes; or null */
    const query_method *method;
    query_memory *memory; /* or null */
} query_question;

/* What has been found so far. */
typedef struct query_found
{
    uint64_t count;            /* pairs; counted again at the end where they may repeat */
    uint32_t first_a, first_b; /* some pair */
    bool crossing;             /* a crossing pair was seen: */
    bool crossing_flat;        /* only coplanar ones */
    uint32_t crossing_a, crossing_b;
    bool violated; /* a pair meets or is nearer than the clearance */
    bool stopped;  /* the callback asked to stop */
} query_found;

/* A distance question in progress. Zero-initialise. */
typedef struct query_nearest
{
    narrow_closest closest; /* so far */
    narrow_front front;     /* what is open */
    bool begun;
} query_nearest;

/* What is known of two bodies as point sets, see solids.c. */
typedef struct query_evidence
{
    bool interior;               /* one of them meets the interior of the other */
    bool outside[2];             /* a point of P(a) is not in P(b); of P(b) not in P(a) */
    bool filled[2];              /* the body has an interior */
    bool surface_inside[2];      /* a part of the surface is in the interior of the other body */
    bool open_cell, closed_cell; /* of a triangle that enters a sphere or capsule: with an empty side; with none */
} query_evidence;

/* Of solids_sides.c: on which sides of a triangle its own body is. */
typedef struct query_sides
{
    uint8_t state;
    bool open[2];   /* [side]: nothing of its own body that touches it reaches this side */
    int winding[2]; /* [side]: how often its own body winds around what is next to it, wherever that is */
} query_sides;

/* Of solids.c, per body. */
typedef struct query_regions
{
    query_words touched;           /* the triangles that meet the other body, sorted */
    query_words crowd;             /* vertex << 32 | triangle for the corners of these, sorted */
    query_words met;               /* a bit per component: one of them is in it */
    query_words partners;          /* all pairs, as query_pack makes them but with this body's triangle first, sorted */
    BASE_ARRAY(query_sides) sides; /* of the triangles that meet the other body */

    /* only where holes are looked for */
    query_words marks;           /* a bit per triangle: it is touched */
    query_words seen, inside;    /* a bit per region, named by a vertex */
    BASE_ARRAY(uint32_t) parent; /* per vertex */
} query_regions;

/* What another triangle leaves in a triangle: see local_cut. */
typedef struct query_cut
{
    double end[2][2]; /* seen along the triangle's axis; of an edge in the plane also beyond the triangle */
    double pad;       /* the error of each coordinate */
    bool given[2];    /* the end is exact */
    uint32_t body, triangle;
    int edge;
} query_cut;

/* A direction in which a triangle leaves a point within the plane of another. */
typedef struct query_way
{
    exact_direction direction;
    uint32_t body, triangle;
    bool itself, flat; /* an edge of the triangle in question; of one in its plane */
    int half;          /* 0: from the first way to less than half a turn; 1: the other half */
} query_way;

/* Of cells.c: how far it has come with a triangle. */
typedef struct query_cells
{
    uint32_t phase;                 /* 0: no triangle is under way */
    size_t next;                    /* within the phase */
    bool both;                      /* its own body counts, too: what cuts it, and winding numbers */
    bool covered;                   /* a triangle of the other body lies on all of it */
    query_words near[2];            /* per body: triangles near the one in question */
    query_words flat;               /* the other body's triangles in its plane */
    BASE_ARRAY(query_cut) cuts;     /* what cuts it */
    query_words items, pairs;       /* of cells_join.c: cuts in squares; pairs of cuts that may cross */
    size_t compared;                /* what that took */
    BASE_ARRAY(exact_point) events; /* points that may be corners of cells */
    BASE_ARRAY(base_key_value) order, order_space;

    /* around one point */
    int axis;                   /* rays go along it */
    int winding[2];             /* per body: what does not depend on the direction in which the point is left */
    query_words on_line[2];     /* per body: the triangles for which it does */
    query_words flat_here;      /* the other body's that may be there, in the plane of the triangle */
    query_words around;         /* triangles that contain a point */
    BASE_ARRAY(query_way) ways; /* directions in which triangles leave a point */
    BASE_ARRAY(base_key_value) ranks, ranks_space; /* their order */
} query_cells;

/* How far a decision on the relation has come, so that one that ran out of budget goes on from there.
 * Zero-initialise; query_cursor_begin keeps the arrays. */
typedef struct query_cursor
{
    carom_relation decided; /* or CAROM_RELATION_UNKNOWN */
    bool begun;
    uint32_t stage;
    size_t step; /* points or triangles of this stage that were looked at */
    query_evidence evidence;
    query_cells cells;
    query_regions regions[2];
} query_cursor;

void query_cursor_begin(query_cursor *cursor);
void query_cursor_free(carom_context *context, query_cursor *cursor);

/* How far an estimate of what an open surface contains has come. Zero-initialise. */
typedef struct query_estimate
{
    uint32_t side;   /* 0: is a inside b? 1: is b inside a? 2: both are answered */
    uint32_t point;  /* of the inner body; those before it were looked at */
    uint64_t inside; /* a bit per point */
    bool answers[2]; /* per side: probably */
} query_estimate;

/* The contacts of a job's first pairs, in their order. */
typedef struct query_contacts
{
    BASE_ARRAY(carom_contact) items;
    BASE_ARRAY(carom_vec3) points;
    uint64_t exact_fallbacks;
} query_contacts;

/* A collide question under way. It can be suspended when a budget is spent, split over workers by its front, and taken
 * up again. */
typedef struct query_job
{
    query_question question;
    const carom_collide_options *options;
    query_found found;
    query_words keys;   /* packed pairs, see query_pack */
    narrow_front front; /* what is undecided if the search was cut short; otherwise empty */
    bool searched;      /* to the end: every pair is in the keys */
    bool sorted;        /* the keys are, after that */
    bool probed;        /* any-hit with relation: a crossing did not decide it, so all pairs are needed */
    carom_counters counters;
    query_cursor relation; /* while its decision is under way */
    query_estimate estimate;
    query_contacts contacts; /* once the keys are sorted */
    query_nearest nearest;   /* where by how much a clearance is violated is asked, too */
} query_job;

struct carom_query
{
    tree_scratch scratch; /* first: it is aligned most */
    carom_context *context;
    base_watch watch;
    void *method_state; /* of the method of its questions; for trees the scratch above */

    query_job job; /* the current collide question, kept while it can be resumed */
    carom_placed resumable[2];
    carom_collide_options resumable_options;
    bool can_resume;

    bool busy; /* a callback of this query is running */
    uint32_t helper_count;
    carom_query **helpers; /* one per worker, made when a heavy pair is first split */
    carom_status failure;  /* as a helper */

    /* what the latest report points to */
    BASE_ARRAY(carom_pair) pairs;
    BASE_ARRAY(carom_ray_hit) hits;
    query_words first_hit;

    /* scratch */
    query_words hit_ranges; /* of a batch, per ray: which worker has its hits, the first of them, and how many */
    carom_counters counters;
    query_words sort_space; /* as large as what is being sorted */
    query_words seen;       /* bits: elements of a body that a pair was kept for */
    BASE_ARRAY(base_key_value) order, order_space;
};

/* ---- shapes ---- */

/* World box of a placed shape; empty for an empty mesh. */
carom_aabb query_world_box(const carom_placed *placed);
static inline bool query_is_mesh(const carom_placed *placed) { return placed->shape.kind == CAROM_SHAPE_MESH; }
static inline bool query_is_empty(const carom_placed *placed)
{
    return query_is_mesh(placed) && placed->shape.mesh->triangle_count == 0;
}
/* Can it hold another body? */
static inline bool query_has_inside(const carom_shape *shape)
{
    return shape->kind != CAROM_SHAPE_MESH || (shape->mesh->info.closed & shape->mesh->info.oriented);
}

static inline mesh_placed query_placed_mesh(const carom_placed *placed, const carom_tree *tree)
{
    return (mesh_placed){placed->shape.mesh, tree, &placed->pose};
}

/* ---- the table of kinds: which functions answer a pair of shapes ---- */

/* A search in progress: where it starts, where it stopped, what it may spend, what it did. */
typedef struct query_walk
{
    const query_question *question;
    narrow_front *front; /* or null: from the whole bodies, and what is left undecided is not kept */
    base_budget *budget;
    carom_counters *counters;
} query_walk;

typedef struct query_row
{
    bool (*far_apart)(carom_context *context, const query_question *question, double limit); /* or null */
    carom_status (*collide)(carom_query *query, const query_walk *walk, const narrow_search *search, bool *violated);
    carom_status (*distance)(carom_query *query, const query_walk *walk, narrow_closest *closest);
    carom_status (*within)(carom_query *query, const query_walk *walk, double limit, bool *within);
    /* Of a pair of elements: points in common, if they meet; distance. */
    uint32_t (*contact)(const query_question *question, const carom_pair *pair, carom_vec3 out[6],
                        narrow_counts *counts);
    narrow_distance_result (*measure)(const query_question *question, const carom_pair *pair, narrow_counts *counts);
} query_row;

extern const query_row *const query_table[CAROM_SHAPE_KIND_COUNT][CAROM_SHAPE_KIND_COUNT];
static inline const query_row *query_row_of(const query_question *question)
{
    return query_table[question->a->shape.kind][question->b->shape.kind];
}

/* A sphere or capsule in its pose. */
narrow_round query_placed_round(const carom_placed *placed);

/* ---- checks: each failure names its culprit ---- */

carom_status query_busy(carom_query *query, const char *what); /* CAROM_BUSY: called from the query's own callback */

/* `whose` is "body a", "body b", "body 17": shape complete and of this context, tree of this mesh, pose rigid. */
carom_status query_check_placed(carom_context *context, const carom_placed *placed, const char *whose);
carom_status query_check_shape(carom_context *context, const carom_shape *shape, const char *whose);
/* Is this a mesh that query_check_shape would accept? */
static inline bool query_is_sound_mesh(const carom_context *context, const carom_shape *shape)
{
    const carom_tree *tree = shape->tree;
    return shape->kind == CAROM_SHAPE_MESH && shape->mesh && shape->mesh->context == context &&
           (!tree || (tree->mesh == shape->mesh && tree->context == context));
}
carom_status query_check_pose(carom_context *context, const carom_pose *pose, const char *whose);
carom_status query_check_bodies(carom_query *query, query_question *question); /* sets its defect */
carom_status query_check_collide_options(carom_context *context, const carom_collide_options *options);
carom_status query_check_budget(carom_context *context, const carom_budget *budget);
carom_status query_check_ray(carom_context *context, const carom_ray *ray, carom_ray_mode mode);

/* Finds the trees of a question's meshes if its method needs them; builds missing default trees. */
carom_status query_find_trees(carom_query *query, query_question *question);

/* ---- answers, without checks ---- */

/* Certainly farther apart than the limit? Decides most pairs that a broad phase finds; false says nothing. */
bool query_far_apart(carom_context *context, const query_question *question, double limit);
/* The same for a whole question. Bodies that are apart may have to be looked at all the same: an open surface may
 * surround one of them. */
bool query_apart_at_once(carom_context *context, const query_question *question, const carom_collide_options *options);

/* Makes a query per worker, for shared work. */
carom_status query_make_helpers(carom_query *query);
void query_free_helpers(carom_query *query);

/* Can the search be cut at its front and shared among workers? */
static inline bool query_can_split(const query_question *question)
{
    return question->method == &query_tree_method && query_is_mesh(question->a) && query_is_mesh(question->b);
}

/* What one worker spends on a search before others are asked to help. What a pair remembers is of this part alone, so
 * that it does not depend on how many workers there are. */
base_budget query_light_budget(void);

/* Begins a job; the arrays that it holds from an earlier one are reused. */
void query_job_begin(query_job *job, const query_question *question, const carom_collide_options *options);
/* Continues the search within a budget. CAROM_UNKNOWN: the front holds what is undecided. */
carom_status query_job_search(carom_query *query, query_job *job, base_budget *budget);
/* Continues the search to its end, on all workers of the context. */
carom_status query_job_search_all(carom_query *query, query_job *job);

/* Are all pairs in the keys of a job that has been searched, whatever the number of workers? */
bool query_job_has_all_pairs(const query_job *job);
/* Finds what is open once the search is over, which a budget may cut short: the relation, what an open surface probably
 * contains, and contacts. CAROM_UNKNOWN: not everything. Without it, query_job_answer does the same. */
carom_status query_job_settle(carom_query *query, query_job *job, base_budget *budget);
/* Makes the report of a job, finished or not: relation, pairs, contacts, hash. The report's arrays belong to the query,
 * and the job can still be continued. CAROM_UNKNOWN if something is undecided. */
carom_status query_job_answer(carom_query *query, query_job *job, base_budget *budget, carom_report *report);
void query_job_free(carom_context *context, query_job *job);
static inline void query_forget_contacts(query_job *job)
{
    job->contacts.items.count = job->contacts.points.count = 0;
    job->contacts.exact_fallbacks = 0;
}

/* Answers a whole question: sets report->status, times and hash. */
carom_status query_collide(carom_query *query, const query_question *question, const carom_collide_options *options,
                           base_budget *budget, carom_report *report);
carom_status query_distance(carom_query *query, const query_question *question, base_budget *budget, double upper_bound,
                            carom_report *report);
/* A lower bound of the distance, once a search for it has begun. */
double query_nearest_bound(const query_nearest *nearest);
/* Only the distance, below an upper bound, continuing from `nearest`; CAROM_UNKNOWN: call again. Adds to the report's
 * counters. */
carom_status query_measure(carom_query *query, const query_walk *walk, double upper_bound, query_nearest *nearest,
                           carom_report *report);

/* What is known about the meeting pairs when the relation is decided. */
typedef struct query_meetings
{
    bool any, crossing;
    uint32_t crossing_pair[2]; /* one that crosses, if any */
    const uint64_t *keys;      /* packed pairs: every element that meets the other body is in one of them */
    size_t key_count;
    bool complete; /* every pair is in the keys */
} query_meetings;

/* May one of two bodies that do not meet, or a part of it, be inside the other, judging by points and a box? */
bool query_may_contain(const query_question *question);

/* Decides the relation, or goes on with that: *out is CAROM_RELATION_UNKNOWN where the budget ran out. The walk's front
 * is not used. */
carom_status query_relation(carom_query *query, const query_walk *walk, const query_meetings *meetings,
                            query_cursor *cursor, carom_relation *out);

/* Are two meshes overlapping, judging by the surroundings of one pair of triangles that cross? False says nothing. */
carom_status query_probe_crossing(carom_query *query, const query_walk *walk, const uint32_t pair[2],
                                  query_cursor *cursor, bool *overlapping);

/* May a body that is not closed surround the other, judging by boxes? */
bool query_needs_estimate(const query_question *question);

/* Sets the report's a_probably_inside_b and b_probably_inside_a, once the relation is known; its status becomes
 * CAROM_UNKNOWN where the budget ran out. */
carom_status query_estimate_inside(query_job *job, base_budget *budget, carom_report *report);

/* Adds to a sum of counters; of sampled sizes the largest counts. */
void query_count(carom_counters *sum, const carom_counters *counters);

/* Makes an empty report. */
void query_clear_report(carom_report *report);

/* ---- rays ---- */

/* Checks one ray of a batch; an error message names it. */
carom_status query_check_batch_ray(carom_context *context, const carom_ray_batch *batch, uint32_t index);

void query_hash_hit(base_hash *hash, const carom_ray_hit *hit);

/* A hit as far as its exact t goes; `t` is the rounded one. */
typedef struct query_hit
{
    const carom_placed *placed;
    uint32_t triangle;
    double t;
} query_hit;

/* The sign of the exact t of a minus that of b. */
int query_compare_hits(const carom_ray *ray, const query_hit *a, const query_hit *b, uint64_t *fallbacks);

/* Is the exact t at most max_t? */
bool query_hit_within(const carom_ray *ray, const query_hit *hit, uint64_t *fallbacks);

/* Sorts hits, whose keys are the bits of the rounded t, by `before`, which goes by the exact t first. */
void query_sort_hits(base_key_value *order, base_key_value *scratch, size_t count, base_before_fn *before, void *user);

/* Appends the hits of a checked ray, as the mode requires, to query->hits; sets no report. */
carom_status query_ray(carom_query *query, const carom_placed *placed, const carom_ray *ray, carom_ray_mode mode,
                       carom_counters *counters);

/* ---- canonical form ---- */

/* A pair and its meeting in one word that sorts by (element_a, element_b): 31 + 31 + 2 bits. */
static inline uint64_t query_pack(uint32_t element_a, uint32_t element_b, uint32_t meeting)
{
    return (uint64_t)element_a << 33 | (uint64_t)element_b << 2 | (meeting & CAROM_MEET_COPLANAR ? 2u : 0u) |
           (meeting & CAROM_MEET_CROSSING ? 1u : 0u);
}

static inline carom_pair query_unpack(uint64_t key)
{
    uint32_t meeting = (key & 1 ? CAROM_MEET_CROSSING : CAROM_MEET_TOUCHING) | (key & 2 ? CAROM_MEET_COPLANAR : 0u);
    return (carom_pair){(uint32_t)(key >> 33), (uint32_t)(key >> 2) & 0x7fffffffu, meeting};
}

/* Sorts and removes duplicates. False when out of memory. */
bool query_sort_unique(carom_context *context, query_words *words, query_words *space);

/* Hashes everything that does not depend on the machine, the method or timing; only the status of an incomplete answer.
 * with_ids: false for any-hit, whose witness may be any pair. */
uint64_t query_report_hash(const carom_report *report, bool with_ids);
void query_hash_point(base_hash *hash, carom_vec3 point);

#endif
