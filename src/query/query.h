/* query: the questions about two placed meshes. What surrounds a traversal lives here: checks, default trees, caches,
 * budgets, relations, contacts, and the canonical form (sorted, deduplicated, hashed) that engines share. */
#ifndef QUERY_QUERY_H
#define QUERY_QUERY_H

#include "carom/query.h"
#include "tree/tree.h"

/* ---- how pairs are found ---- */

/* One way to find the pairs of two placed meshes: trees, or brute force. Everything around it is shared, so that two
 * methods that find the same pairs give the same report to the bit. The functions follow the contracts in tree.h. */
typedef struct query_method
{
    bool (*far_apart)(const carom_context *context, const carom_placed *a, const carom_placed *b, double limit,
                      tree_memory *memory); /* or null: no glance before the question */
    carom_status (*collide)(void *state, const tree_task *task, const tree_collide_options *options, bool *violated);
    carom_status (*distance)(void *state, const tree_task *task, tree_closest *closest);
    carom_status (*within)(void *state, const tree_task *task, double limit, bool *within);
    carom_status (*line_x)(void *state, const tree_ray_task *task, carom_vec3 point,
                           void (*on_triangle)(uint32_t triangle, void *user), void *user);
    bool needs_trees; /* false: placed.tree may be null */
} query_method;

extern const query_method query_tree_method;

/* ---- the query object ---- */

typedef struct query_built_tree
{
    uint64_t mesh_serial;
    carom_tree *tree;
} query_built_tree;

typedef BASE_ARRAY(uint64_t) query_words;

struct carom_query
{
    carom_context *context;
    base_watch watch;
    tree_scratch scratch;
    BASE_ARRAY(query_built_tree) built; /* sorted by mesh_serial */

    /* what the latest report points to */
    BASE_ARRAY(carom_pair) pairs;
    BASE_ARRAY(carom_contact) contacts;
    BASE_ARRAY(carom_vec3) points;
    BASE_ARRAY(carom_ray_hit) hits;

    /* scratch */
    query_words keys;       /* packed pairs, see query_pack */
    query_words sort_space; /* as large as what is being sorted */
    query_words candidates; /* triangles near a line */
    query_words corners;    /* vertices to classify */
    query_words members;    /* triangles ordered by component */
    BASE_ARRAY(base_key_value) order, order_space;
};

struct carom_pair_cache
{
    carom_context *context;
    tree_memory memory;
};

/* A question that has been checked: arguments are valid, trees present where the method needs them. */
typedef struct query_question
{
    const carom_placed *a, *b;
    double defect; /* math_pair_defect of their poses */
    const query_method *method;
    void *method_state;
    base_budget *budget;
    tree_memory *memory; /* or null */
} query_question;

static inline bool query_has_triangles(const query_question *question)
{
    return question->a->mesh->triangle_count > 0 && question->b->mesh->triangle_count > 0;
}

/* Are they certainly farther apart than the limit? Most pairs that a broad phase finds are, and a glance, which must
 * not cost what an answer needs, decides them. False says nothing. */
bool query_far_apart(const carom_query *query, const query_question *question, double limit);

tree_task query_make_task(carom_query *query, const query_question *question, carom_counters *counters);

/* ---- checks: each failure names its culprit ---- */

/* `whose` is "body a", "body b", "body 17": mesh present and of this context, tree of this mesh, pose rigid. */
carom_status query_check_placed(carom_context *context, const carom_placed *placed, const char *whose);

/* All of that but the pose. */
static inline bool query_parts_fit(const carom_context *context, const carom_placed *placed)
{
    const carom_tree *tree = placed->tree;
    return placed->mesh && placed->mesh->context == context &&
           (!tree || (tree->mesh == placed->mesh && tree->context == context));
}

carom_status query_check_bodies(carom_query *query, query_question *question); /* sets its defect */
carom_status query_check_collide_options(carom_context *context, const carom_collide_options *options);
carom_status query_check_budget(carom_context *context, const carom_budget *budget);

/* The tree to use: the placed one, or the query's own for this mesh, built on first sight. */
carom_status query_find_tree(carom_query *query, const carom_placed *placed, const carom_tree **out);

/* Gives both bodies of a question trees; `own` holds copies of the bodies where the caller left them out. */
carom_status query_add_trees(carom_query *query, query_question *question, carom_placed own[2]);

/* ---- answers, without checks; report->status, times and hash are set ---- */

carom_status query_collide(carom_query *query, const query_question *question, const carom_collide_options *options,
                           carom_report *report);
carom_status query_distance(carom_query *query, const query_question *question, double upper_bound,
                            carom_report *report);

/* What is known about the meeting pairs when the relation is asked for. */
typedef struct query_meetings
{
    bool any, crossing;
    const uint64_t *keys; /* packed pairs, sorted; complete unless crossing */
    size_t key_count;
} query_meetings;

/* *out is CAROM_RELATION_UNKNOWN where the budget ran out. */
carom_status query_relation(carom_query *query, const query_question *question, const query_meetings *meetings,
                            carom_counters *counters, carom_relation *out);

/* A report with nothing in it yet. */
void query_clear_report(carom_report *report);

/* ---- canonical form ---- */

/* A pair and its meeting in one word that sorts by (triangle_a, triangle_b): 31 + 31 + 2 bits. */
static inline uint64_t query_pack(uint32_t triangle_a, uint32_t triangle_b, uint32_t meeting)
{
    return (uint64_t)triangle_a << 33 | (uint64_t)triangle_b << 2 | (meeting & CAROM_MEET_COPLANAR ? 2u : 0u) |
           (meeting & CAROM_MEET_CROSSING ? 1u : 0u);
}

static inline carom_pair query_unpack(uint64_t key)
{
    uint32_t meeting = (key & 1 ? CAROM_MEET_CROSSING : CAROM_MEET_TOUCHING) | (key & 2 ? CAROM_MEET_COPLANAR : 0u);
    return (carom_pair){(uint32_t)(key >> 33), (uint32_t)(key >> 2) & 0x7fffffffu, meeting};
}

/* Sorts and removes doubles. False when out of memory. */
bool query_sort_unique(carom_context *context, query_words *words, query_words *space);

/* Over everything that does not depend on the machine, the method or luck; of an answer that was cut short only the
 * status. with_ids: false for any-hit, whose witness is any pair. */
uint64_t query_report_hash(const carom_report *report, bool with_ids);

#endif
