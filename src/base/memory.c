/* Memory through the context's allocator: blocks, growing arrays, arenas; and ids with generations. */
#include "base/base.h"

void *base_allocate(carom_context *context, size_t count, size_t size, size_t alignment)
{
    if (size != 0 && count > SIZE_MAX / size)
        return NULL;
    size_t bytes = count * size;
    return context->allocator.allocate(bytes ? bytes : 1, alignment, context->allocator.user);
}

void base_release(carom_context *context, void *memory, size_t count, size_t size)
{
    if (!memory)
        return;
    size_t bytes = count * size;
    context->allocator.release(memory, bytes ? bytes : 1, context->allocator.user);
}

bool base_array_grow(carom_context *context, void **items, size_t *capacity, size_t needed, size_t item_size)
{
    size_t grown = *capacity + *capacity / 2 + 16;
    if (grown < needed)
        grown = needed;
    void *memory = base_allocate(context, grown, item_size, BASE_CACHE_LINE);
    if (!memory)
        return false;
    if (*items)
        memcpy(memory, *items, *capacity * item_size);
    base_release(context, *items, *capacity, item_size);
    *items = memory;
    *capacity = grown;
    return true;
}

struct base_arena_block
{
    base_arena_block *next;
    size_t size; /* of the whole block, this header included */
};

enum
{
    ARENA_FIRST_BLOCK = 4096
};

static size_t align_up(size_t n, size_t alignment) { return (n + alignment - 1) & ~(alignment - 1); }

static bool arena_fits(const base_arena *arena, size_t bytes, size_t alignment)
{
    return arena->first && align_up(arena->used, alignment) + bytes <= arena->first->size;
}

static bool arena_add_block(base_arena *arena, size_t size)
{
    base_arena_block *fresh = base_allocate(arena->context, 1, size, BASE_CACHE_LINE);
    if (!fresh)
        return false;
    *fresh = (base_arena_block){arena->first, size};
    arena->first = fresh;
    arena->used = sizeof *fresh;
    return true;
}

void *base_arena_allocate(base_arena *arena, size_t count, size_t size, size_t alignment)
{
    if (size != 0 && count > (SIZE_MAX / 4) / size)
        return NULL;
    size_t bytes = count * size;
    if (!arena_fits(arena, bytes, alignment))
    {
        size_t needed = BASE_CACHE_LINE + bytes + alignment;
        size_t doubled = arena->first ? 2 * arena->first->size : ARENA_FIRST_BLOCK;
        if (!arena_add_block(arena, doubled > needed ? doubled : needed))
            return NULL;
    }
    size_t start = align_up(arena->used, alignment);
    arena->used = start + bytes;
    return (char *)arena->first + start;
}

bool base_arena_reserve(base_arena *arena, size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX / 4) / size)
        return false;
    return arena_fits(arena, count * size, BASE_CACHE_LINE) ||
           arena_add_block(arena, count * size + (size_t)2 * BASE_CACHE_LINE);
}

void base_arena_rewind(base_arena *arena, base_arena_mark mark)
{
    while (arena->first != mark.block)
    {
        base_arena_block *next = arena->first->next;
        base_release(arena->context, arena->first, 1, arena->first->size);
        arena->first = next;
    }
    arena->used = mark.used;
}

void base_arena_free(base_arena *arena) { base_arena_rewind(arena, (base_arena_mark){NULL, 0}); }

/* ---- ids ---- */

static const uint32_t SLOT_IN_USE = UINT32_MAX;

bool base_id_new(base_id_pool *pool, uint32_t *index, uint32_t *generation)
{
    if (pool->first_free == 0)
    {
        if (pool->slots.count >= UINT32_MAX - 1 || !base_array_reserve(pool->context, &pool->slots, 1))
            return false;
        pool->slots.items[pool->slots.count++] = (base_id_slot){.generation = 0, .next_free = 0};
        pool->first_free = (uint32_t)pool->slots.count;
    }
    *index = pool->first_free;
    base_id_slot *slot = &pool->slots.items[*index - 1];
    pool->first_free = slot->next_free;
    slot->next_free = SLOT_IN_USE;
    slot->generation++;
    *generation = slot->generation;
    pool->used_count++;
    return true;
}

bool base_id_valid(const base_id_pool *pool, uint32_t index, uint32_t generation)
{
    return index >= 1 && index <= pool->slots.count && pool->slots.items[index - 1].next_free == SLOT_IN_USE &&
           pool->slots.items[index - 1].generation == generation;
}

void base_id_free(base_id_pool *pool, uint32_t index)
{
    base_id_slot *slot = &pool->slots.items[index - 1];
    slot->next_free = pool->first_free;
    pool->first_free = index;
    pool->used_count--;
}

void base_id_pool_free(base_id_pool *pool)
{
    base_array_free(pool->context, &pool->slots);
    pool->first_free = pool->used_count = 0;
}
