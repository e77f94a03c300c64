/* What a run that its budget cut short leaves to the next frame: pairs whose bodies have not changed keep what was
 * found about them, decided or not, while other bodies move. Both frames list their bodies by id, so both lists of
 * pairs are in the same order, and one pass over them finds the pairs that go on. Out of memory, a pair starts afresh,
 * which only costs time. */
#include "engine/engine.h"

#define NOWHERE UINT32_MAX

static engine_known_body know_body(const carom_frame_body *body)
{
    bool mesh = body->placed.shape.kind == CAROM_SHAPE_MESH;
    return (engine_known_body){.id = body->id,
                               .pose_version = body->pose_version,
                               .shape_version = body->shape_version,
                               .settings_version = body->settings_version,
                               .mesh = mesh ? body->placed.shape.mesh : NULL,
                               .tree = mesh ? body->placed.shape.tree : NULL};
}

/* A frame's versions say what has changed; meshes and trees are compared as well, because suspended searches hold
 * pointers into them. */
static bool is_unchanged(const engine_known_body *known, const carom_frame_body *body)
{
    engine_known_body current = know_body(body);
    return known->id.generation == current.id.generation && known->pose_version == current.pose_version &&
           known->shape_version == current.shape_version && known->settings_version == current.settings_version &&
           known->mesh == current.mesh && known->tree == current.tree;
}

void engine_note_bodies(carom_engine *engine, const carom_frame *frame)
{
    engine_past *past = &engine->past;
    past->bodies.count = 0;
    past->scene = 0;
    if (frame->scene == 0 || !base_array_reserve(engine->context, &past->bodies, frame->body_count))
        return;
    for (uint32_t i = 0; i < frame->body_count; i++)
        past->bodies.items[past->bodies.count++] = know_body(&frame->bodies[i]);
    past->scene = frame->scene;
    past->options = engine->options;
}

/* ---- from one frame to the next ---- */

void engine_set_aside(carom_engine *engine)
{
    engine_forget_past(engine);
    engine_pairs pairs = engine->pairs;
    engine_finding_refs refs = engine->finding_refs;
    engine_open_pairs open = engine->open;
    engine->pairs = engine->past.pairs, engine->finding_refs = engine->past.finding_refs;
    engine->open = engine->past.open;
    engine->past.pairs = pairs, engine->past.finding_refs = refs, engine->past.open = open;
    engine->pairs.count = engine->finding_refs.count = engine->open.count = 0;
}

void engine_forget_past(carom_engine *engine)
{
    engine_past *past = &engine->past;
    engine_forget_open(engine, &past->open);
    past->pairs.count = past->finding_refs.count = 0;
}

void engine_free_past(carom_engine *engine)
{
    engine_past *past = &engine->past;
    engine_forget_past(engine);
    base_array_free(engine->context, &past->pairs);
    base_array_free(engine->context, &past->finding_refs);
    base_array_free(engine->context, &past->open);
    base_array_free(engine->context, &past->bodies);
    base_array_free(engine->context, &past->current);
    engine_findings_free(&past->findings);
    engine_findings_free(&engine->carried);
}

bool engine_same_question(const carom_collide_options *one, const carom_collide_options *other)
{
    return one->mode == other->mode && one->contacts == other->contacts && one->relation == other->relation &&
           one->clearance == other->clearance && one->max_pairs == other->max_pairs;
}

/* Where the bodies of the last frame are in this one. False: out of memory. */
static bool find_bodies(carom_engine *engine, const carom_frame *frame)
{
    engine_past *past = &engine->past;
    past->current.count = 0;
    if (!base_array_reserve(engine->context, &past->current, past->bodies.count))
        return false;
    uint32_t position = 0;
    for (size_t i = 0; i < past->bodies.count; i++)
    {
        const engine_known_body *known = &past->bodies.items[i];
        while (position < frame->body_count && frame->bodies[position].id.index < known->id.index)
            position++;
        bool found = position < frame->body_count && frame->bodies[position].id.index == known->id.index &&
                     is_unchanged(known, &frame->bodies[position]);
        past->current.items[past->current.count++] = found ? position : NOWHERE;
    }
    return true;
}

static bool carry_finding(carom_engine *engine, engine_finding_ref ref, engine_finding_ref *out)
{
    engine_findings *to = &engine->past.findings;
    *out = ref;
    if (ref != ENGINE_NOTHING)
    {
        const engine_findings *from = engine_findings_at(engine, ref);
        if (!engine_findings_copy(to, from, &from->items.items[(uint32_t)ref - 1]))
            return false;
        *out = (uint64_t)engine->worker_count << 32 | to->items.count;
    }
    to->examined++;
    return true;
}

/* A pair of this frame takes over what is known about it. */
static void carry_pair(carom_engine *engine, size_t old, size_t index)
{
    engine_past *past = &engine->past;
    engine_finding_ref ref = past->finding_refs.items[old], copy;
    if (ref != ENGINE_UNDECIDED && carry_finding(engine, ref, &copy))
        engine->finding_refs.items[index] = copy;
    engine->open.items[index] = past->open.items[old];
    past->open.items[old] = NULL;
}

static void carry_pairs(carom_engine *engine)
{
    const engine_past *past = &engine->past;
    size_t next = 0;
    for (size_t old = 0; old < past->pairs.count; old++)
    {
        uint32_t a = past->current.items[past->pairs.items[old].a], b = past->current.items[past->pairs.items[old].b];
        if (a == NOWHERE || b == NOWHERE)
            continue;
        uint64_t key = (uint64_t)a << 32 | b;
        const engine_pair *pairs = engine->pairs.items;
        while (next < engine->pairs.count && ((uint64_t)pairs[next].a << 32 | pairs[next].b) < key)
            next++;
        if (next < engine->pairs.count && pairs[next].a == a && pairs[next].b == b &&
            pairs[next].clearance == past->pairs.items[old].clearance) /* that of its rule may have changed */
            carry_pair(engine, old, next);
    }
}

void engine_carry(carom_engine *engine, const carom_frame *frame)
{
    engine_past *past = &engine->past;
    bool same = past->usable && frame->scene != 0 && frame->scene == past->scene &&
                engine_same_question(&engine->options, &past->options);
    engine_findings_clear(&past->findings);
    if (same && past->finding_refs.count == past->pairs.count && find_bodies(engine, frame))
        carry_pairs(engine);
    engine_forget_past(engine);
    past->usable = false;
    for (uint32_t i = 0; i < engine->worker_count; i++)
        engine_findings_clear(&engine->workers[i].findings);
    engine_findings carried = engine->carried;
    engine->carried = past->findings;
    past->findings = carried;
}
