/* Which pairs of bodies are within a distance? Each body looks for those after it in the tree over the bodies' boxes.
 */
#include "scene/ask.h"

carom_within_options carom_within_options_default(void) { return (carom_within_options){.solid = true}; }

static bool may_compare(const scene_asking *asking, const carom_frame_body *a, const carom_frame_body *b)
{
    return !(a->is_static && b->is_static) && broad_filter_allows(&a->filter, &b->filter) &&
           !scene_rule_forbids(asking->scene, a->id, b->id);
}

/* The positions of bodies after this one whose boxes are near enough, sorted, in own->order. */
static carom_status list_candidates(const scene_asking *asking, scene_ask_worker *own, uint32_t position)
{
    const carom_within_options *options = asking->batch;
    const broad_box_tree *tree = &asking->scene->boxes.tree;
    const carom_frame_body *bodies = asking->frame.bodies, *body = &bodies[position];
    carom_context *context = own->query->context;
    own->order.count = own->space.count = 0;
    own->stack.count = 0;
    if (broad_is_empty(&body->bounds))
        return CAROM_OK;
    uint64_t node = (uint64_t)tree->level_count << 32; /* level << 32 | index; above the highest level there is one */
    for (;;)
    {
        uint32_t level = (uint32_t)(node >> 32) - 1, first = (uint32_t)node * BROAD_TREE_WIDTH;
        broad_level below = tree->levels[level];
        for (uint32_t i = first; i < first + BROAD_TREE_WIDTH && i < below.count; i++)
        {
            own->counters.boxes_tested++;
            if (!broad_near(&body->bounds, &tree->boxes.items[below.first + i], options->distance))
                continue;
            uint64_t other = tree->order.items[level > 0 ? 0 : i].value;
            if (level == 0 && (other <= position || !may_compare(asking, body, &bodies[other])))
                continue;
            query_words *list = level > 0 ? &own->stack : &own->order;
            if (!base_array_reserve(context, list, 1))
                return scene_ask_out_of_memory(asking);
            list->items[list->count++] = level > 0 ? (uint64_t)level << 32 | i : other;
        }
        if (own->stack.count == 0)
            break;
        node = own->stack.items[--own->stack.count];
    }
    if (!base_array_reserve(context, &own->space, own->order.count))
        return scene_ask_out_of_memory(asking);
    base_sort_u64(own->order.items, own->space.items, own->order.count);
    return CAROM_OK;
}

/* ---- one pair ---- */

static carom_status keep(const scene_asking *asking, scene_ask_worker *own, carom_body_id b, const carom_report *report)
{
    carom_context *context = own->query->context;
    if (!base_array_reserve(context, &own->found, 1) || !base_array_reserve(context, &own->others, 1))
        return scene_ask_out_of_memory(asking);
    own->found.items[own->found.count++] = (carom_near_body){b, report->distance, report->point_b, report->triangle_b};
    own->others.items[own->others.count++] = (scene_ask_other){report->point_a, report->triangle_a};
    return CAROM_OK;
}

static carom_status compare(const scene_asking *asking, scene_ask_worker *own, const carom_frame_body *a,
                            const carom_frame_body *b)
{
    const carom_within_options *options = asking->batch;
    query_question question;
    bool met;
    carom_report report;
    BASE_TRY(scene_ask_pair(own, &a->placed, &b->placed, &question));
    BASE_TRY(scene_ask_meet(own, &question, options->solid, &met));
    query_clear_report(&report);
    if (met) /* no need to look for the nearest points */
    {
        report.distance = 0.0;
        return keep(asking, own, b->id, &report);
    }
    if (!(options->distance > 0.0))
        return CAROM_OK;
    base_budget unlimited = base_budget_begin(NULL);
    query_nearest nearest;
    nearest.begun = false;
    query_walk walk = {&question, NULL, &unlimited, &report.counters};
    double limit = isinf(options->distance) ? 0.0 : options->distance; /* 0: none */
    BASE_TRY(query_measure(own->query, &walk, limit, &nearest, &report));
    query_count(&own->counters, &report.counters);
    return report.triangle_a == CAROM_NO_TRIANGLE ? CAROM_OK : keep(asking, own, b->id, &report);
}

static carom_status answer(const scene_asking *asking, scene_ask_worker *own, uint32_t position)
{
    const carom_frame_body *bodies = asking->frame.bodies;
    BASE_TRY(list_candidates(asking, own, position));
    for (size_t i = 0; i < own->order.count; i++)
        BASE_TRY(compare(asking, own, &bodies[position], &bodies[own->order.items[i]]));
    return CAROM_OK;
}

/* ---- all pairs ---- */

static void hash_pair(base_hash *hash, const carom_near_pair *pair)
{
    base_hash_u64(hash, scene_id_word(pair->body_a));
    base_hash_u64(hash, scene_id_word(pair->body_b));
    base_hash_double(hash, pair->distance);
    query_hash_point(hash, pair->point_a);
    query_hash_point(hash, pair->point_b);
    base_hash_u64(hash, (uint64_t)pair->triangle_a << 32 | pair->triangle_b);
}

static carom_status gather(const scene_asking *asking, carom_within_report *report)
{
    scene_ask *ask = asking->scene->ask;
    ask->pairs.count = 0;
    if (!base_array_reserve(asking->scene->context, &ask->pairs, asking->total))
        return scene_ask_out_of_memory(asking);
    base_hash hash = base_hash_begin();
    for (uint32_t i = 0; i < asking->count; i++)
    {
        uint64_t count;
        const carom_near_body *found = scene_ask_found(ask, i, &count);
        const scene_ask_range *range = &ask->ranges.items[i];
        const scene_ask_other *others = ask->workers[range->worker].others.items + range->first;
        for (uint64_t k = 0; k < count; k++)
        {
            carom_near_pair *pair = &ask->pairs.items[ask->pairs.count++];
            *pair = (carom_near_pair){
                asking->frame.bodies[i].id, found[k].body,    found[k].distance, others[k].point, found[k].point,
                others[k].triangle,         found[k].triangle};
            hash_pair(&hash, pair);
        }
    }
    *report = (carom_within_report){.pairs = ask->pairs.items,
                                    .pair_count = ask->pairs.count,
                                    .hash = base_hash_end(&hash),
                                    .counters = asking->counters};
    return CAROM_OK;
}

static carom_status find_pairs(carom_scene *scene, const carom_within_options *options, carom_within_report *report)
{
    BASE_TRY(base_check_float_mode(scene->context));
    if (!options)
        return base_fail(scene->context, CAROM_INVALID_ARGUMENT, "scene pairs within: options is null");
    if (isnan(options->distance))
        return base_fail(scene->context, CAROM_NOT_FINITE, "scene pairs within: distance is NaN");
    if (options->distance < 0.0)
        return base_fail(scene->context, CAROM_INVALID_ARGUMENT, "scene pairs within: distance is negative (%g)",
                         options->distance);
    scene_asking asking = {.call = "scene pairs within",
                           .scene = scene,
                           .batch = options,
                           .answer = answer,
                           .count = scene->ids.used_count};
    BASE_TRY(scene_ask_run(&asking));
    return gather(&asking, report);
}

carom_status carom_scene_pairs_within(carom_scene *scene, const carom_within_options *options,
                                      carom_within_report *report)
{
    if (!scene || !report)
        return base_fail(scene ? scene->context : NULL, CAROM_INVALID_ARGUMENT, "scene pairs within: %s is null",
                         scene ? "report" : "scene");
    *report = (carom_within_report){0};
    carom_status status = find_pairs(scene, options, report);
    if (carom_failed(status))
        *report = (carom_within_report){0};
    return report->status = status;
}
