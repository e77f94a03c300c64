/* Formats without vertex numbers: corners at the same position, to the bit, become one vertex. Vertices are numbered in
 * the order in which they first occur.
 *
 * A hash table that all workers fill at once, batch by batch. A slot has the number of its vertex; of a position that
 * is new in the batch, it has the smallest corner so far, counted from the number of vertices before the batch. What
 * comes out is a property of the sequence of positions alone, so the hash may have a key that no one can foresee, and
 * there is no file whose corners all collide. */
#include "io/soup.h"

#include <stdint.h>
#include <time.h>

enum
{
    CORNERS_PER_BLOCK = 4096, /* a task; blocks are numbered in order */
    SLOTS_PER_BLOCK = 1 << 14,
    MIN_SLOTS = 64,
    AHEAD = 16,       /* corners whose slots are fetched before they are looked at */
    MAX_PROBES = 256, /* with half of the slots free, chance alone takes fewer */
    MAX_KEYS = 8      /* that may turn out bad before probes are no longer limited */
};

#define EMPTY UINT32_MAX

/* ---- the table ---- */

static uint64_t hash_position(const carom_vec3 *position, uint64_t key)
{
    uint64_t bits[3], hash = key;
    memcpy(bits, position, sizeof bits);
    for (int i = 0; i < 3; i++)
    {
        hash = (hash ^ bits[i]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    return hash * 0xd6e8feb86659fd93u >> 32;
}

/* To the bit: -0 is not 0. */
static bool is_same(const carom_vec3 *a, const carom_vec3 *b)
{
    return memcmp((const void *)a, (const void *)b, sizeof *a) == 0;
}

/* The position behind a slot's number. */
static const carom_vec3 *position_of(const io_corners *corners, uint32_t number)
{
    return number < corners->base ? &corners->soup->vertices.items[number] : &corners->batch[number - corners->base];
}

/* Returns what is at the position: an earlier vertex, or the smallest corner of the batch that is known so far; EMPTY
 * if no slot is near. *place is the slot. */
static uint32_t enter(const io_corners *corners, uint32_t number, uint64_t slot, uint32_t *place)
{
    const carom_vec3 *position = position_of(corners, number);
    for (size_t probe = 0; probe < corners->max_probes; probe++, slot = (slot + 1) & corners->mask)
    {
        _Atomic uint32_t *at = &corners->slots[slot];
        uint32_t found = atomic_load_explicit(at, memory_order_relaxed);
        *place = (uint32_t)slot;
        if (found == EMPTY &&
            atomic_compare_exchange_strong_explicit(at, &found, number, memory_order_relaxed, memory_order_relaxed))
            return number;
        if (!is_same(position_of(corners, found), position))
            continue;
        while (number < found)
            if (atomic_compare_exchange_weak_explicit(at, &found, number, memory_order_relaxed, memory_order_relaxed))
            {
                corners->numbers[found - corners->base] = EMPTY;
                return number;
            }
        return found;
    }
    return EMPTY;
}

static void clear_slots(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const io_corners *corners = data;
    uint64_t end = (uint64_t)last * SLOTS_PER_BLOCK;
    (void)worker;
    for (uint64_t i = (uint64_t)first * SLOTS_PER_BLOCK; i < end && i <= corners->mask; i++)
        atomic_store_explicit(&corners->slots[i], EMPTY, memory_order_relaxed);
}

/* Numbers begin .. end. Where a place is wanted, so is what was found. */
static bool enter_range(const io_corners *corners, uint32_t begin, uint32_t end, bool is_batch)
{
    uint64_t slots[AHEAD];
    bool all = true;
    for (uint32_t count; all && begin < end; begin += count)
    {
        count = end - begin < AHEAD ? end - begin : AHEAD;
        for (uint32_t i = 0; i < count; i++)
        {
            slots[i] = hash_position(position_of(corners, begin + i), corners->key) & corners->mask;
            __builtin_prefetch((const void *)&corners->slots[slots[i]]);
        }
        for (uint32_t i = 0; i < count; i++)
        {
            uint32_t place = 0, corner = begin + i - corners->base, found = enter(corners, begin + i, slots[i], &place);
            all &= found != EMPTY;
            if (is_batch)
                corners->found[corner] = found, corners->places[corner] = place;
        }
    }
    return all;
}

static void enter_vertices(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    io_corners *corners = data;
    uint64_t end = (uint64_t)last * CORNERS_PER_BLOCK;
    (void)worker;
    if (!enter_range(corners, first * CORNERS_PER_BLOCK, end < corners->base ? (uint32_t)end : corners->base, false))
        atomic_store(&corners->crowded, true);
}

static uint32_t block_count(size_t count) { return (uint32_t)((count + CORNERS_PER_BLOCK - 1) / CORNERS_PER_BLOCK); }

static void release_slots(io_corners *corners)
{
    carom_context_release(corners->soup->context, corners->slots, corners->slot_capacity * sizeof *corners->slots);
    corners->slots = NULL;
    corners->slot_capacity = 0;
}

/* A table of this many slots, a power of two, with all vertices of earlier batches; another key. */
static carom_status make_table(io_corners *corners, uint64_t slots)
{
    carom_context *context = corners->soup->context;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    corners->key = (corners->key ^ (uint64_t)now.tv_nsec ^ (uint64_t)(uintptr_t)corners) * 0x9fb21c651e98df25u;
    if (slots != corners->slot_capacity)
    {
        release_slots(corners);
        corners->slots = carom_context_allocate(context, slots * sizeof *corners->slots, BASE_CACHE_LINE);
        if (!corners->slots)
            return CAROM_OUT_OF_MEMORY;
        corners->slot_capacity = slots;
        corners->mask = slots - 1;
    }
    size_t limit = corners->probe_limit ? corners->probe_limit : MAX_PROBES;
    corners->max_probes = corners->bad_keys < MAX_KEYS ? limit : SIZE_MAX;
    atomic_store(&corners->crowded, false);
    BASE_TRY(carom_context_run(context, (uint32_t)((slots + SLOTS_PER_BLOCK - 1) / SLOTS_PER_BLOCK), 1, clear_slots,
                               corners));
    return carom_context_run(context, block_count(corners->base), 1, enter_vertices, corners);
}

/* ---- a batch ---- */

static size_t block_end(const io_corners *corners, uint32_t last)
{
    size_t end = (size_t)last * CORNERS_PER_BLOCK;
    return end < corners->batch_count ? end : corners->batch_count;
}

static void enter_batch(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    io_corners *corners = data;
    (void)worker;
    if (!enter_range(corners, corners->base + first * CORNERS_PER_BLOCK,
                     corners->base + (uint32_t)block_end(corners, last), true))
        atomic_store(&corners->crowded, true);
}

/* Is this corner the first at its position? Others know an earlier one, or an earlier one took their slot. */
static bool is_first(const io_corners *corners, size_t corner)
{
    return corners->found[corner] == corners->base + (uint32_t)corner && corners->numbers[corner] != EMPTY;
}

static void count_new(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const io_corners *corners = data;
    (void)worker;
    for (uint32_t block = first; block < last; block++)
    {
        uint32_t count = 0;
        for (size_t i = (size_t)block * CORNERS_PER_BLOCK; i < block_end(corners, block + 1); i++)
            count += is_first(corners, i);
        corners->new_counts[block] = count;
    }
}

static void number_new(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const io_corners *corners = data;
    carom_vec3 *vertices = corners->soup->vertices.items;
    (void)worker;
    for (uint32_t block = first; block < last; block++)
    {
        uint32_t number = corners->new_counts[block];
        for (size_t i = (size_t)block * CORNERS_PER_BLOCK; i < block_end(corners, block + 1); i++)
        {
            if (!is_first(corners, i))
                continue;
            corners->numbers[i] = number;
            atomic_store_explicit(&corners->slots[corners->places[i]], number, memory_order_relaxed);
            vertices[number++] = corners->batch[i];
        }
    }
}

static void resolve(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const io_corners *corners = data;
    (void)worker;
    for (size_t i = (size_t)first * CORNERS_PER_BLOCK; i < block_end(corners, last); i++)
    {
        uint32_t found = corners->found[i];
        if (found < corners->base)
            continue;
        uint32_t number = corners->numbers[found - corners->base];
        /* a corner whose slot another worker's took */
        if (number == EMPTY)
            number = atomic_load_explicit(&corners->slots[corners->places[i]], memory_order_relaxed);
        corners->found[i] = number;
    }
}

static bool reserve_batch(io_corners *corners, size_t count)
{
    io_soup *soup = corners->soup;
    size_t blocks = block_count(count);
    if (!io_array_reserve(soup->context, &soup->indices, count))
        return false;
    if (corners->capacity >= count)
        return true;
    size_t numbers = 2 * count + blocks;
    carom_context_release(soup->context, corners->places, corners->memory_size);
    corners->memory_size = numbers * sizeof *corners->places;
    corners->places = carom_context_allocate(soup->context, corners->memory_size, BASE_CACHE_LINE);
    corners->capacity = corners->places ? count : 0;
    return corners->places != NULL;
}

/* Enters the batch into a table with room for it, a new one as often as it takes. */
static carom_status enter_all(io_corners *corners)
{
    uint64_t corner_limit = (uint64_t)corners->base + corners->batch_count, expected = corners->soup->vertices.capacity;
    uint64_t needed = 2 * (corner_limit > expected ? corner_limit : expected), slots = corners->slot_capacity;
    while (slots < needed)
        slots = slots ? 2 * slots : MIN_SLOTS;
    if (slots > (uint64_t)1 << 32) /* places would not fit; fuller tables only take longer */
        slots = (uint64_t)1 << 32;
    if (slots != corners->slot_capacity)
        BASE_TRY(make_table(corners, slots));
    for (;;)
    {
        memset(corners->numbers, 0, corners->batch_count * sizeof *corners->numbers);
        if (!atomic_load(&corners->crowded))
            BASE_TRY(
                carom_context_run(corners->soup->context, block_count(corners->batch_count), 1, enter_batch, corners));
        if (!atomic_load(&corners->crowded))
            return CAROM_OK;
        corners->bad_keys++;
        BASE_TRY(make_table(corners, slots));
    }
}

carom_status io_corners_add(io_corners *corners, const carom_vec3 *positions, size_t count)
{
    io_soup *soup = corners->soup;
    carom_context *context = soup->context;
    if (count == 0)
        return CAROM_OK;
    if (!reserve_batch(corners, count))
        return CAROM_OUT_OF_MEMORY;
    corners->batch = positions;
    corners->batch_count = count;
    corners->base = (uint32_t)soup->vertices.count;
    corners->found = soup->indices.items + soup->indices.count;
    corners->numbers = corners->places + count;
    corners->new_counts = corners->numbers + count;
    BASE_TRY(enter_all(corners));
    uint32_t blocks = block_count(count), number = corners->base;
    BASE_TRY(carom_context_run(context, blocks, 1, count_new, corners));
    for (uint32_t i = 0; i < blocks; i++)
    {
        uint32_t here = corners->new_counts[i];
        corners->new_counts[i] = number;
        number += here;
    }
    if (!io_array_reserve(context, &soup->vertices, number - corners->base))
        return CAROM_OUT_OF_MEMORY;
    BASE_TRY(carom_context_run(context, blocks, 1, number_new, corners));
    BASE_TRY(carom_context_run(context, blocks, 1, resolve, corners));
    soup->vertices.count = number;
    soup->indices.count += count;
    return CAROM_OK;
}

bool io_corners_expect(io_corners *corners, size_t count)
{
    /* two triangles per vertex, as in a closed surface, and some more */
    io_soup *soup = corners->soup;
    return io_array_reserve(soup->context, &soup->indices, count) &&
           io_array_reserve(soup->context, &soup->vertices, count / 6 + count / 64);
}

void io_corners_free(io_corners *corners)
{
    release_slots(corners);
    carom_context_release(corners->soup->context, corners->places, corners->memory_size);
    corners->places = NULL;
    corners->memory_size = corners->capacity = 0;
}
