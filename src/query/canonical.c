/* The canonical form of answers: sorted, without duplicates, hashed. */
#include "query/query.h"

static bool is_ascending(const query_words *words)
{
    for (size_t i = 1; i < words->count; i++)
        if (words->items[i - 1] >= words->items[i])
            return false;
    return true;
}

bool query_sort_unique(carom_context *context, query_words *words, query_words *space)
{
    if (is_ascending(words))
        return true;
    space->count = 0;
    if (!base_array_reserve(context, space, words->count))
        return false;
    base_sort_words(context, words->items, space->items, words->count);
    size_t kept = 0;
    for (size_t i = 0; i < words->count; i++)
        if (kept == 0 || words->items[kept - 1] != words->items[i])
            words->items[kept++] = words->items[i];
    words->count = kept;
    return true;
}

void query_hash_point(base_hash *hash, carom_vec3 point)
{
    base_hash_double(hash, point.x);
    base_hash_double(hash, point.y);
    base_hash_double(hash, point.z);
}

static void hash_pairs(base_hash *hash, const carom_report *report)
{
    for (uint64_t i = 0; i < report->pairs_listed; i++)
    {
        const carom_pair *pair = &report->pairs[i];
        base_hash_u64(hash, query_pack(pair->triangle_a, pair->triangle_b, pair->meeting));
    }
    for (uint64_t i = 0; i < report->contact_count; i++)
        base_hash_u64(hash, report->contacts[i].point_count);
    for (uint64_t i = 0; i < report->point_count; i++)
        query_hash_point(hash, report->points[i]);
}

/* Fields without information are left out: hashing each would take as long as a box test, which matters for short
 * queries. */
uint64_t query_report_hash(const carom_report *report, bool with_ids)
{
    base_hash hash = base_hash_begin();
    bool decided = report->status == CAROM_OK || report->status == CAROM_TRUNCATED;
    if (!decided)
    {
        base_hash_u64(&hash, report->status);
        return base_hash_end(&hash);
    }
    base_hash_u64(&hash, (uint64_t)report->status << 16 | (uint64_t)report->relation << 8 | report->clearance_violated);
    base_hash_u64(&hash, report->pair_count);
    if (!with_ids)
        return base_hash_end(&hash);
    hash_pairs(&hash, report);
    base_hash_double(&hash, report->distance_bound);
    if (report->distance < INFINITY) /* otherwise there are no nearest points either */
    {
        base_hash_double(&hash, report->distance);
        query_hash_point(&hash, report->point_a);
        query_hash_point(&hash, report->point_b);
        base_hash_u64(&hash, (uint64_t)report->triangle_a << 32 | report->triangle_b);
    }
    return base_hash_end(&hash);
}
