/* ask: what questions about probes and points share: a query per worker, items answered on any worker, answers put in
 * order. */
#ifndef SCENE_ASK_H
#define SCENE_ASK_H

#include "scene/scene.h"

/* A binary heap: the smallest (key, value) first. */
typedef struct scene_heap_item
{
    double key;
    uint64_t value;
} scene_heap_item;
typedef BASE_ARRAY(scene_heap_item) scene_heap;

/* The nearest point of the first of two bodies, and its triangle. */
typedef struct scene_ask_other
{
    carom_vec3 point;
    uint32_t triangle;
} scene_ask_other;

/* One worker's memory. */
typedef struct scene_ask_worker
{
    _Alignas(BASE_CACHE_LINE) carom_query *query; /* workers share no line */
    BASE_ARRAY(carom_near_body) found;            /* item by item; of overlaps only the ids count */
    BASE_ARRAY(scene_ask_other) others;           /* of pairs: what `found` has no room for */
    query_words order, space, stack;
    scene_heap nodes, best;
    carom_counters counters;
    carom_status failure;
} scene_ask_worker;

/* Where the answer to an item is before all are put in order. */
typedef struct scene_ask_range
{
    uint32_t worker;
    uint64_t first, count;
} scene_ask_range;

struct scene_ask
{
    scene_ask_worker *workers;
    uint32_t worker_count;
    BASE_ARRAY(scene_ask_range) ranges;
    /* the reports */
    BASE_ARRAY(carom_body_id) bodies;
    BASE_ARRAY(carom_near_body) near;
    BASE_ARRAY(carom_near_pair) pairs;
    BASE_ARRAY(uint64_t) first_body, first_near;
};

/* A batch under way. */
typedef struct scene_asking
{
    const char *call; /* for messages */
    carom_scene *scene;
    carom_frame frame;
    const void *batch;
    /* Appends the answer to an item to own->found. */
    carom_status (*answer)(const struct scene_asking *asking, scene_ask_worker *own, uint32_t index);
    uint32_t count;
    uint64_t total;          /* of what was found */
    carom_counters counters; /* of all workers */
} scene_asking;

/* Answers all items; a failure of any is that of the whole. */
carom_status scene_ask_run(scene_asking *asking);

carom_status scene_ask_out_of_memory(const scene_asking *asking);

/* The pair of a body and a probe as a question, trees included. The two must outlive it. */
carom_status scene_ask_pair(scene_ask_worker *own, const carom_placed *body, const carom_placed *probe,
                            query_question *out);
/* Do its two shapes share a point? solid: one of them may also be inside the other. */
carom_status scene_ask_meet(scene_ask_worker *own, const query_question *question, bool solid, bool *meets);

/* The answer to item i, in order. */
static inline const carom_near_body *scene_ask_found(const scene_ask *ask, uint32_t i, uint64_t *count)
{
    const scene_ask_range *range = &ask->ranges.items[i];
    *count = range->count;
    return ask->workers[range->worker].found.items + range->first;
}

static inline bool scene_ask_wants(const carom_frame_body *body, uint64_t categories)
{
    return categories == 0 || (body->filter.category & categories) != 0;
}

static inline uint64_t scene_id_word(carom_body_id id) { return (uint64_t)id.index << 32 | id.generation; }

bool scene_heap_push(carom_context *context, scene_heap *heap, scene_heap_item item); /* false: out of memory */
scene_heap_item scene_heap_pop(scene_heap *heap);                                     /* it is not empty */

#endif
