/* Rules for pairs of bodies in a run: found by the bodies' indices, for every pair that was proposed. The broad phase
 * knows only the clearance of all pairs; where a rule demands more, its two bodies are compared here, box by box. */
#include "engine/engine.h"

void engine_rules_free(carom_context *context, engine_rules *rules)
{
    base_array_free(context, &rules->items);
    base_map_free(context, &rules->map);
}

/* ---- the rules of a frame ---- */

static bool is_sound(const carom_frame_rule *rule)
{
    if (rule->body_a.index == 0 || rule->body_a.index >= rule->body_b.index)
        return false;
    return rule->rule.kind == CAROM_RULE_NEVER ||
           (rule->rule.kind == CAROM_RULE_CLEARANCE && rule->rule.clearance >= 0.0 &&
            rule->rule.clearance <= MATH_COORDINATE_LIMIT);
}

/* Callers can make frames too. */
static carom_status check_rules(carom_context *context, const carom_frame *frame)
{
    if (frame->rule_count > 0 && !frame->rules)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "engine run: frame.rules is null");
    uint64_t last = 0;
    for (uint32_t i = 0; i < frame->rule_count; i++)
    {
        const carom_frame_rule *rule = &frame->rules[i];
        uint64_t key = broad_pack(rule->body_a.index, rule->body_b.index);
        if (!is_sound(rule))
            return base_fail(
                context, CAROM_INVALID_ARGUMENT,
                "engine run: rule %u of the frame has an unknown kind, a clearance out of range, or bodies "
                "that are not in order",
                i);
        if (key <= last)
            return base_fail(context, CAROM_INVALID_ARGUMENT, "engine run: rule %u of the frame is not in order", i);
        last = key;
    }
    return CAROM_OK;
}

carom_status engine_rules_update(carom_engine *engine, const carom_frame *frame)
{
    engine_rules *rules = &engine->rules;
    bool same = frame->scene != 0 && rules->scene == frame->scene && rules->version == frame->rules_version;
    if (same || (rules->items.count == 0 && frame->rule_count == 0))
        return CAROM_OK;
    rules->scene = 0;
    BASE_TRY(check_rules(engine->context, frame));
    rules->items.count = 0;
    base_map_clear(&rules->map);
    if (!base_array_reserve(engine->context, &rules->items, frame->rule_count) ||
        !base_map_reserve(engine->context, &rules->map, frame->rule_count))
        return base_fail(engine->context, CAROM_OUT_OF_MEMORY, "engine run: no memory for %u rules", frame->rule_count);
    for (uint32_t i = 0; i < frame->rule_count; i++)
    {
        const carom_frame_rule *rule = &frame->rules[i];
        base_map_set(&rules->map, broad_pack(rule->body_a.index, rule->body_b.index), i);
        rules->items.items[rules->items.count++] = *rule;
    }
    rules->scene = frame->scene, rules->version = frame->rules_version;
    return CAROM_OK;
}

carom_pair_rule engine_rule_of(const carom_engine *engine, const carom_frame_body *a, const carom_frame_body *b)
{
    const carom_pair_rule common = {CAROM_RULE_CLEARANCE, engine->options.clearance};
    const uint64_t *at = base_map_find(&engine->rules.map, broad_pack(a->id.index, b->id.index));
    if (!at)
        return common;
    const carom_frame_rule *rule = &engine->rules.items.items[*at];
    const carom_frame_body *first = a->id.index < b->id.index ? a : b, *second = first == a ? b : a;
    bool meant = rule->body_a.generation == first->id.generation && rule->body_b.generation == second->id.generation;
    return meant ? rule->rule : common;
}

/* ---- pairs that the broad phase does not see ---- */

/* The body of a rule, if it is in the frame. */
static const carom_frame_body *body_of(const carom_engine *engine, const carom_frame *frame, carom_body_id id)
{
    const engine_proxies *proxies = &engine->proxies;
    if (engine->author || frame->scene == 0)
        return carom_frame_find(frame, id);
    bool seen = id.index < proxies->bodies.count && proxies->bodies.items[id.index].frame == proxies->frame &&
                proxies->bodies.items[id.index].generation == id.generation;
    return seen ? &frame->bodies[proxies->bodies.items[id.index].position] : NULL;
}

static bool propose(carom_engine *engine, uint32_t one, uint32_t other)
{
    if (!base_array_reserve(engine->context, &engine->proposed, 1))
        return false;
    engine->proposed.items[engine->proposed.count++] = broad_pack(one, other);
    return true;
}

/* By position, for an author's engine, which need not know of rules. reach: the whole clearance. */
static bool propose_bodies(carom_engine *engine, const carom_frame *frame, const carom_frame_body *pair[2],
                           double reach)
{
    const carom_frame_body *a = pair[0], *b = pair[1];
    if ((a->is_static && b->is_static) || !broad_filter_allows(&a->filter, &b->filter) || broad_is_empty(&a->bounds) ||
        broad_is_empty(&b->bounds) || !broad_near(&a->bounds, &b->bounds, reach))
        return true;
    return propose(engine, (uint32_t)(a - frame->bodies), (uint32_t)(b - frame->bodies));
}

/* By slot, every part of one body with every part of the other. reach: the clearance without the margins, which are in
 * the boxes. */
static bool propose_slots(carom_engine *engine, const carom_frame *frame, const carom_frame_body *pair[2], double reach)
{
    const engine_proxies *proxies = &engine->proxies;
    const uint32_t first = engine_first_slot(proxies, frame, (uint32_t)(pair[1] - frame->bodies));
    uint32_t one = engine_first_slot(proxies, frame, (uint32_t)(pair[0] - frame->bodies));
    for (; one != ENGINE_NO_SLOT; one = proxies->proxies.items[one].next)
        for (uint32_t other = first; other != ENGINE_NO_SLOT; other = proxies->proxies.items[other].next)
        {
            const carom_aabb *a = &proxies->boxes.items[one], *b = &proxies->boxes.items[other];
            if (broad_is_empty(a) || broad_is_empty(b) || !broad_near(a, b, reach) ||
                !broad_may_pair(&proxies->traits.items[one], &proxies->traits.items[other]))
                continue;
            if (!propose(engine, one, other))
                return false;
        }
    return true;
}

/* Each pair once: the broad phase may have found some of them. */
static bool remove_duplicates(carom_engine *engine)
{
    size_t count = engine->proposed.count, kept = 0;
    engine->space.count = 0;
    if (!base_array_reserve(engine->context, &engine->space, count))
        return false;
    base_sort_words(engine->context, engine->proposed.items, (uint64_t *)engine->space.items, count);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || engine->proposed.items[i] != engine->proposed.items[kept - 1])
            engine->proposed.items[kept++] = engine->proposed.items[i];
    engine->proposed.count = kept;
    return true;
}

carom_status engine_rules_propose(carom_engine *engine, const carom_frame *frame, const engine_extent *extent)
{
    size_t found = engine->proposed.count;
    bool enough = true;
    for (size_t i = 0; i < engine->rules.items.count && enough; i++)
    {
        const carom_frame_rule *rule = &engine->rules.items.items[i];
        if (rule->rule.kind != CAROM_RULE_CLEARANCE || rule->rule.clearance <= engine->options.clearance)
            continue;
        const carom_frame_body *pair[2] = {body_of(engine, frame, rule->body_a), body_of(engine, frame, rule->body_b)};
        if (!pair[0] || !pair[1])
            continue;
        double whole = engine_clearance_of(pair[0], pair[1], rule->rule.clearance).above;
        enough = engine->author
                     ? propose_bodies(engine, frame, pair, engine_widen_clearance(extent, whole))
                     : propose_slots(engine, frame, pair, engine_widen_clearance(extent, rule->rule.clearance));
    }
    enough = enough && (engine->proposed.count == found || remove_duplicates(engine));
    return enough ? CAROM_OK
                  : base_fail(engine->context, CAROM_OUT_OF_MEMORY, "engine run: no memory for the pairs of %zu rules",
                              engine->rules.items.count);
}
