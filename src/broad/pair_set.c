/* A set of pairs: an array of them, and a hash table with linear probing that says where each is. */
#include "broad/pair_set.h"

void broad_pair_set_free(broad_pair_set *set)
{
    base_array_free(set->context, &set->pairs);
    base_array_free(set->context, &set->buckets);
}

static size_t home_of(const broad_pair_set *set, uint64_t pair)
{
    uint64_t mixed = (pair ^ pair >> 32) * 0x9e3779b97f4a7c15u;
    return (size_t)((mixed ^ mixed >> 32) & (set->buckets.count - 1));
}

/* The bucket of a pair, or the free one where it belongs. */
static size_t bucket_of(const broad_pair_set *set, uint64_t pair)
{
    size_t bucket = home_of(set, pair), mask = set->buckets.count - 1;
    while (set->buckets.items[bucket] != 0 && set->pairs.items[set->buckets.items[bucket] - 1] != pair)
        bucket = (bucket + 1) & mask;
    return bucket;
}

bool broad_pair_set_refresh(broad_pair_set *set)
{
    size_t needed = 64;
    while (needed < 2 * set->pairs.count)
        needed *= 2;
    if (set->pairs.count >= UINT32_MAX / 2)
        return false;
    if (needed > set->buckets.count || needed < set->buckets.count / 8)
    {
        set->buckets.count = 0;
        if (!base_array_reserve(set->context, &set->buckets, needed))
            return false;
        set->buckets.count = needed;
    }
    memset(set->buckets.items, 0, set->buckets.count * sizeof *set->buckets.items);
    for (size_t i = 0; i < set->pairs.count; i++)
        set->buckets.items[bucket_of(set, set->pairs.items[i])] = (uint32_t)i + 1;
    return true;
}

bool broad_pair_set_add(broad_pair_set *set, uint64_t pair)
{
    size_t bucket = bucket_of(set, pair);
    if (set->buckets.items[bucket] != 0)
        return true;
    if (!base_array_reserve(set->context, &set->pairs, 1))
        return false;
    set->pairs.items[set->pairs.count++] = pair;
    set->buckets.items[bucket] = (uint32_t)set->pairs.count;
    return 2 * set->pairs.count <= set->buckets.count || broad_pair_set_refresh(set);
}

/* Frees a bucket and moves back what would no longer be found behind it. */
static void free_bucket(broad_pair_set *set, size_t bucket)
{
    size_t mask = set->buckets.count - 1;
    for (size_t next = (bucket + 1) & mask; set->buckets.items[next] != 0; next = (next + 1) & mask)
    {
        size_t home = home_of(set, set->pairs.items[set->buckets.items[next] - 1]);
        if (((next - home) & mask) < ((next - bucket) & mask))
            continue;
        set->buckets.items[bucket] = set->buckets.items[next];
        bucket = next;
    }
    set->buckets.items[bucket] = 0;
}

void broad_pair_set_remove(broad_pair_set *set, uint64_t pair)
{
    size_t bucket = bucket_of(set, pair);
    if (set->buckets.items[bucket] == 0)
        return;
    size_t index = set->buckets.items[bucket] - 1;
    free_bucket(set, bucket);
    uint64_t last = set->pairs.items[set->pairs.count - 1];
    if (last != pair) /* it takes the place of the removed one */
    {
        set->buckets.items[bucket_of(set, last)] = (uint32_t)index + 1;
        set->pairs.items[index] = last;
    }
    set->pairs.count--;
}
