/* What each pair of bodies remembers from the last frame. Both frames' pairs come in the same order, so that one walk
 * along the old list finds them. */
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
void engine_memories_begin(engine_memories *memories)
{
    engine_memory *items = memories->last.items;
    size_t capacity = memories->last.capacity;
    memories->last.items = memories->current.items;
    memories->last.count = memories->current.count;
    memories->last.capacity = memories->current.capacity;
    memories->current.items = items;
    memories->current.count = 0;
    memories->current.capacity = capacity;
    memories->cursor = 0;
}

tree_memory *engine_memories_find(engine_memories *memories, carom_body_id body_a, carom_body_id body_b)
{
    engine_memory *last = memories->last.items;
    size_t *cursor = &memories->cursor;
    while (*cursor < memories->last.count && is_before(&last[*cursor], body_a, body_b))
        ++*cursor;
    if (!base_array_reserve(memories->context, &memories->current, 1))
        return NULL;
    engine_memory fresh = {.body_a = body_a, .body_b = body_b};
    if (*cursor < memories->last.count && is_same(last[*cursor].body_a, body_a) &&
        is_same(last[*cursor].body_b, body_b))
        fresh = last[(*cursor)++];
    engine_memory *place = &memories->current.items[memories->current.count++];
    *place = fresh;
    return &place->memory;
}

void engine_memories_end(engine_memories *memories) { memories->last.count = 0; }

void engine_memories_free(engine_memories *memories)
{
    base_array_free(memories->context, &memories->current);
    base_array_free(memories->context, &memories->last);
}
