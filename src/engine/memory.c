/* What each pair of bodies remembers from the last frame. The pairs of both frames are in the same order, so one pass
 * over the old list finds them. */
#include "engine/engine.h"

static bool is_before(const engine_memory *memory, carom_body_id body_a, carom_body_id body_b)
{
    return memory->body_a.index < body_a.index ||
           (memory->body_a.index == body_a.index && memory->body_b.index < body_b.index);
}

static bool is_same(carom_body_id one, carom_body_id other)
{
    return one.index == other.index && one.generation == other.generation;
}

/* Last frame's `current` becomes this frame's `last`. */
static void exchange(engine_memories *memories)
{
    engine_memory *items = memories->last.items;
    size_t capacity = memories->last.capacity;
    memories->last.items = memories->current.items;
    memories->last.count = memories->current.count;
    memories->last.capacity = memories->current.capacity;
    memories->current.items = items;
    memories->current.count = 0;
    memories->current.capacity = capacity;
}

void engine_memories_begin(engine_memories *memories, const carom_frame *frame, const engine_pair *pairs, size_t count)
{
    exchange(memories);
    if (!base_array_reserve(memories->context, &memories->current, count))
        return;
    const engine_memory *last = memories->last.items;
    size_t cursor = 0;
    for (size_t i = 0; i < count; i++)
    {
        carom_body_id a = frame->bodies[pairs[i].a].id, b = frame->bodies[pairs[i].b].id;
        while (cursor < memories->last.count && is_before(&last[cursor], a, b))
            cursor++;
        engine_memory *fresh = &memories->current.items[memories->current.count++];
        *fresh = (engine_memory){.body_a = a, .body_b = b};
        if (cursor < memories->last.count && is_same(last[cursor].body_a, a) && is_same(last[cursor].body_b, b))
            fresh->memory = last[cursor].memory;
    }
}

query_memory *engine_memories_at(engine_memories *memories, size_t pair)
{
    return pair < memories->current.count ? &memories->current.items[pair].memory : NULL;
}

void engine_memories_free(engine_memories *memories)
{
    base_array_free(memories->context, &memories->current);
    base_array_free(memories->context, &memories->last);
}
