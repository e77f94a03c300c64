/* Rules for pairs of bodies. They are found by the two indices of a pair; what is obsolete, because a rule was lifted
 * or a body removed, is dropped when the next frame is taken, which lists them in order. */
#include "scene/scene.h"

void scene_rules_free(carom_context *context, scene_rules *rules)
{
    base_array_free(context, &rules->items);
    base_array_free(context, &rules->sorted);
    base_array_free(context, &rules->ruled);
    base_array_free(context, &rules->order);
    base_array_free(context, &rules->space);
    base_map_free(context, &rules->map);
}

/* ---- one rule ---- */

static carom_status check_rule(carom_context *context, const carom_pair_rule *rule)
{
    if ((unsigned)rule->kind > CAROM_RULE_CLEARANCE)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "scene set rule: unknown kind %d", (int)rule->kind);
    return rule->kind == CAROM_RULE_CLEARANCE
               ? scene_check_amount(context, rule->clearance, "the clearance of the rule")
               : CAROM_OK;
}

static carom_status check_pair(const carom_scene *scene, carom_body_id a, carom_body_id b, const char *call)
{
    BASE_TRY(scene_check_id(scene, a, call));
    BASE_TRY(scene_check_id(scene, b, call));
    if (a.index == b.index)
        return base_fail(scene->context, CAROM_INVALID_ARGUMENT, "%s: body %u and itself", call, a.index);
    return CAROM_OK;
}

/* Where the rule of two bodies is, also if it was lifted; null: nowhere. */
static carom_frame_rule *find_rule(const carom_scene *scene, carom_body_id a, carom_body_id b)
{
    const uint64_t *at = base_map_find(&scene->rules.map, broad_pack(a.index, b.index));
    return at ? &scene->rules.items.items[*at] : NULL;
}

static bool is_of(const carom_frame_rule *rule, carom_body_id a, carom_body_id b)
{
    carom_body_id first = a.index < b.index ? a : b, second = a.index < b.index ? b : a;
    return rule->body_a.generation == first.generation && rule->body_b.generation == second.generation;
}

/* Room for one more, so that nothing changes if there is none. */
static bool reserve_rule(carom_scene *scene)
{
    scene_rules *rules = &scene->rules;
    size_t bodies = scene->bodies.count;
    if (!base_array_reserve(scene->context, &rules->items, 1) ||
        !base_map_reserve(scene->context, &rules->map, rules->items.count + 1) ||
        (bodies > rules->ruled.count &&
         !base_array_reserve(scene->context, &rules->ruled, bodies - rules->ruled.count)))
        return false;
    while (rules->ruled.count < bodies)
        rules->ruled.items[rules->ruled.count++] = 0;
    return true;
}

carom_status carom_scene_set_rule(carom_scene *scene, carom_body_id a, carom_body_id b, const carom_pair_rule *rule)
{
    const carom_pair_rule none = {.kind = CAROM_RULE_NONE};
    if (!scene)
        return CAROM_INVALID_ARGUMENT;
    rule = rule ? rule : &none;
    BASE_TRY(check_pair(scene, a, b, "scene set rule"));
    BASE_TRY(check_rule(scene->context, rule));
    carom_frame_rule *known = find_rule(scene, a, b);
    if (!known && rule->kind == CAROM_RULE_NONE)
        return CAROM_OK;
    scene_rules *rules = &scene->rules;
    if (!reserve_rule(scene))
        return base_fail(scene->context, CAROM_OUT_OF_MEMORY, "scene set rule: no memory for another rule");
    if (!known)
    {
        base_map_set(&rules->map, broad_pack(a.index, b.index), rules->items.count);
        known = &rules->items.items[rules->items.count++];
    }
    else
        known = find_rule(scene, a, b);
    bool in_order = a.index < b.index;
    *known = (carom_frame_rule){in_order ? a : b, in_order ? b : a, {rule->kind, 0.0}};
    if (rule->kind == CAROM_RULE_CLEARANCE)
        known->rule.clearance = rule->clearance;
    rules->ruled.items[a.index - 1] = rules->ruled.items[b.index - 1] = 1;
    rules->stale = true;
    rules->version = scene_next_version(scene);
    return CAROM_OK;
}

carom_status carom_scene_get_rule(const carom_scene *scene, carom_body_id a, carom_body_id b, carom_pair_rule *out)
{
    if (out)
        *out = (carom_pair_rule){.kind = CAROM_RULE_NONE};
    if (!scene || !out)
        return base_fail(scene ? scene->context : NULL, CAROM_INVALID_ARGUMENT, "scene get rule: %s is null",
                         scene ? "out" : "scene");
    BASE_TRY(check_pair(scene, a, b, "scene get rule"));
    const carom_frame_rule *known = find_rule(scene, a, b);
    if (known && is_of(known, a, b))
        *out = known->rule;
    return CAROM_OK;
}

bool scene_rule_forbids(const carom_scene *scene, carom_body_id a, carom_body_id b)
{
    const carom_frame_rule *known = find_rule(scene, a, b);
    return known && known->rule.kind == CAROM_RULE_NEVER && is_of(known, a, b);
}

void scene_rules_forget(carom_scene *scene, uint32_t index)
{
    scene_rules *rules = &scene->rules;
    if (index > rules->ruled.count || !rules->ruled.items[index - 1])
        return;
    rules->ruled.items[index - 1] = 0;
    rules->stale = true;
    rules->version = scene->version;
}

/* ---- all of them ---- */

static bool is_alive(const carom_scene *scene, const carom_frame_rule *rule)
{
    return rule->rule.kind != CAROM_RULE_NONE &&
           base_id_valid(&scene->ids, rule->body_a.index, rule->body_a.generation) &&
           base_id_valid(&scene->ids, rule->body_b.index, rule->body_b.generation);
}

carom_status scene_rules_refresh(carom_scene *scene)
{
    scene_rules *rules = &scene->rules;
    carom_context *context = scene->context;
    if (!rules->stale)
        return CAROM_OK;
    size_t count = rules->items.count;
    rules->sorted.count = rules->order.count = rules->space.count = 0;
    if (!base_array_reserve(context, &rules->sorted, count) || !base_array_reserve(context, &rules->order, count) ||
        !base_array_reserve(context, &rules->space, count))
        return base_fail(context, CAROM_OUT_OF_MEMORY, "scene frame: no memory for %zu rules", count);
    for (size_t i = 0; i < count; i++)
    {
        const carom_frame_rule *rule = &rules->items.items[i];
        if (is_alive(scene, rule))
            rules->order.items[rules->order.count++] =
                (base_key_value){broad_pack(rule->body_a.index, rule->body_b.index), i};
    }
    base_sort_keys(rules->order.items, rules->space.items, rules->order.count);
    base_map_clear(&rules->map);
    for (size_t i = 0; i < rules->order.count; i++)
    {
        base_map_set(&rules->map, rules->order.items[i].key, i);
        rules->sorted.items[rules->sorted.count++] = rules->items.items[rules->order.items[i].value];
    }
    scene_rule_list list = rules->items;
    rules->items = rules->sorted;
    rules->sorted = list;
    rules->stale = false;
    return CAROM_OK;
}
