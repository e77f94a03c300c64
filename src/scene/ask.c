/* Batches of questions about a scene: memory per worker, the run over all items, pairs of shapes, a heap. */
#include "scene/ask.h"

/* ---- memory ---- */

void scene_ask_free(carom_context *context, scene_ask *ask)
{
    if (!ask)
        return;
    for (uint32_t i = 0; ask->workers && i < ask->worker_count; i++)
    {
        scene_ask_worker *own = &ask->workers[i];
        carom_query_destroy(own->query);
        base_array_free(context, &own->found);
        base_array_free(context, &own->order);
        base_array_free(context, &own->space);
        base_array_free(context, &own->stack);
        base_array_free(context, &own->others);
        base_array_free(context, &own->nodes);
        base_array_free(context, &own->best);
    }
    base_release(context, ask->workers, ask->worker_count, sizeof *ask->workers);
    base_array_free(context, &ask->ranges);
    base_array_free(context, &ask->bodies);
    base_array_free(context, &ask->near);
    base_array_free(context, &ask->pairs);
    base_array_free(context, &ask->first_body);
    base_array_free(context, &ask->first_near);
    base_release(context, ask, 1, sizeof *ask);
}

carom_status scene_ask_out_of_memory(const scene_asking *asking)
{
    return base_fail(asking->scene->context, CAROM_OUT_OF_MEMORY, "%s: no memory for a batch of %u", asking->call,
                     asking->count);
}

static carom_status make_ask(const scene_asking *asking, scene_ask **out)
{
    carom_context *context = asking->scene->context;
    if (*out)
        return CAROM_OK;
    scene_ask *ask = base_allocate(context, 1, sizeof *ask, BASE_CACHE_LINE);
    if (!ask)
        return scene_ask_out_of_memory(asking);
    memset(ask, 0, sizeof *ask);
    ask->worker_count = base_worker_count(context);
    ask->workers = base_allocate(context, ask->worker_count, sizeof *ask->workers, BASE_CACHE_LINE);
    carom_status status = ask->workers ? CAROM_OK : scene_ask_out_of_memory(asking);
    if (ask->workers)
        memset(ask->workers, 0, ask->worker_count * sizeof *ask->workers);
    for (uint32_t i = 0; status == CAROM_OK && i < ask->worker_count; i++)
        status = carom_query_create(context, &ask->workers[i].query);
    if (status != CAROM_OK)
        return scene_ask_free(context, ask), status;
    *out = ask;
    return CAROM_OK;
}

/* ---- the run ---- */

static void answer_range(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const scene_asking *asking = data;
    scene_ask *ask = asking->scene->ask;
    scene_ask_worker *own = &ask->workers[worker];
    for (uint32_t i = first; i < last && own->failure == CAROM_OK; i++)
    {
        uint64_t start = own->found.count;
        own->failure = asking->answer(asking, own, i);
        ask->ranges.items[i] = (scene_ask_range){worker, start, own->found.count - start};
    }
}

carom_status scene_ask_run(scene_asking *asking)
{
    enum
    {
        MIN_RANGE = 8 /* items that are worth handing to another worker */
    };
    carom_scene *scene = asking->scene;
    BASE_TRY(make_ask(asking, &scene->ask));
    BASE_TRY(carom_scene_frame(scene, &asking->frame));
    BASE_TRY(scene_check_trees(scene, &asking->frame, true));
    BASE_TRY(scene_boxes_update(scene, &asking->frame));
    scene_ask *ask = scene->ask;
    ask->ranges.count = 0;
    if (!base_array_reserve(scene->context, &ask->ranges, asking->count))
        return scene_ask_out_of_memory(asking);
    for (uint32_t i = 0; i < ask->worker_count; i++)
    {
        scene_ask_worker *own = &ask->workers[i];
        own->found.count = own->others.count = 0, own->failure = CAROM_OK, own->counters = (carom_counters){0};
    }
    base_parallel_for(scene->context, asking->count, MIN_RANGE, answer_range, asking);
    for (uint32_t i = 0; i < ask->worker_count; i++)
    {
        if (ask->workers[i].failure != CAROM_OK)
            return ask->workers[i].failure;
        asking->total += ask->workers[i].found.count;
        query_count(&asking->counters, &ask->workers[i].counters);
    }
    return CAROM_OK;
}

carom_status scene_ask_pair(scene_ask_worker *own, const carom_placed *body, const carom_placed *probe,
                            query_question *out)
{
    *out = (query_question){
        .a = body, .b = probe, .defect = math_pair_defect(&body->pose, &probe->pose), .method = &query_tree_method};
    return query_find_trees(own->query, out);
}

carom_status scene_ask_meet(scene_ask_worker *own, const query_question *question, bool solid, bool *meets)
{
    static const carom_collide_options any = {.mode = CAROM_COLLIDE_ANY};
    base_budget unlimited = base_budget_begin(NULL);
    carom_report report;
    query_clear_report(&report);
    carom_status status = query_collide(own->query, question, &any, &unlimited, &report);
    query_count(&own->counters, &report.counters);
    *meets = report.pair_count > 0 || (solid && report.relation > CAROM_RELATION_APART);
    return status;
}

/* ---- the heap ---- */

static bool comes_first(const scene_heap_item *a, const scene_heap_item *b)
{
    return a->key != b->key ? a->key < b->key : a->value < b->value;
}

bool scene_heap_push(carom_context *context, scene_heap *heap, scene_heap_item item)
{
    if (!base_array_reserve(context, heap, 1))
        return false;
    size_t at = heap->count++;
    for (size_t parent; at > 0 && comes_first(&item, &heap->items[parent = (at - 1) / 2]); at = parent)
        heap->items[at] = heap->items[parent];
    heap->items[at] = item;
    return true;
}

scene_heap_item scene_heap_pop(scene_heap *heap)
{
    scene_heap_item first = heap->items[0], last = heap->items[--heap->count];
    size_t at = 0, count = heap->count;
    for (size_t child = 1; child < count; child = 2 * at + 1)
    {
        child += child + 1 < count && comes_first(&heap->items[child + 1], &heap->items[child]);
        if (!comes_first(&heap->items[child], &last))
            break;
        heap->items[at] = heap->items[child];
        at = child;
    }
    heap->items[at] = last;
    return first;
}
