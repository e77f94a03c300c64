/* Numbers by keys: a hash table with linear probing, at most half full. Nothing is removed one by one. */
#include "base/base.h"

static size_t home_of(const base_map *map, uint64_t key)
{
    uint64_t mixed = (key ^ key >> 32) * 0x9e3779b97f4a7c15u; /* 2^64 / golden ratio, odd */
    return (size_t)((mixed ^ mixed >> 32) & (map->buckets.count - 1));
}

/* The bucket of a key, or the free one where it belongs. */
static size_t bucket_of(const base_map *map, uint64_t key)
{
    size_t bucket = home_of(map, key), mask = map->buckets.count - 1;
    while (map->buckets.items[bucket].key != 0 && map->buckets.items[bucket].key != key)
        bucket = (bucket + 1) & mask;
    return bucket;
}

void base_map_clear(base_map *map)
{
    if (map->buckets.count > 0)
        memset(map->buckets.items, 0, map->buckets.count * sizeof *map->buckets.items);
    map->used = 0;
}

bool base_map_reserve(carom_context *context, base_map *map, size_t count)
{
    size_t needed = 64;
    while (needed < 2 * count)
        needed *= 2;
    if (needed <= map->buckets.count)
        return true;
    base_map larger = {0};
    if (!base_array_reserve(context, &larger.buckets, needed))
        return false;
    larger.buckets.count = needed;
    base_map_clear(&larger);
    for (size_t i = 0; i < map->buckets.count; i++)
        if (map->buckets.items[i].key != 0)
            larger.buckets.items[bucket_of(&larger, map->buckets.items[i].key)] = map->buckets.items[i];
    larger.used = map->used;
    base_map_free(context, map);
    *map = larger;
    return true;
}

void base_map_set(base_map *map, uint64_t key, uint64_t value)
{
    base_key_value *bucket = &map->buckets.items[bucket_of(map, key)];
    map->used += bucket->key == 0;
    *bucket = (base_key_value){key, value};
}

const uint64_t *base_map_find(const base_map *map, uint64_t key)
{
    if (map->used == 0)
        return NULL;
    const base_key_value *bucket = &map->buckets.items[bucket_of(map, key)];
    return bucket->key != 0 ? &bucket->value : NULL;
}

void base_map_free(carom_context *context, base_map *map)
{
    base_array_free(context, &map->buckets);
    map->used = 0;
}
