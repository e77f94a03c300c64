/* Radix sort, least significant digit first: stable, no comparisons, bounded stack. And merges where there is no key.
 */
#include "base/base.h"

enum
{
    DIGIT_BITS = 8,
    DIGITS = 64 / DIGIT_BITS,
    BUCKETS = 1 << DIGIT_BITS,
    SMALL = 32 /* below this, insertion sort */
};

/* Where each bucket of a digit starts; false if all items share the digit. */
static bool bucket_starts(const size_t histogram[BUCKETS], size_t count, size_t starts[BUCKETS])
{
    size_t sum = 0;
    for (int bucket = 0; bucket < BUCKETS; bucket++)
    {
        if (histogram[bucket] == count)
            return false;
        starts[bucket] = sum;
        sum += histogram[bucket];
    }
    return true;
}

void base_sort_keys(base_key_value *items, base_key_value *scratch, size_t count)
{
    if (count < SMALL)
    {
        for (size_t i = 1; i < count; i++)
        {
            base_key_value moving = items[i];
            size_t j = i;
            for (; j > 0 && items[j - 1].key > moving.key; j--)
                items[j] = items[j - 1];
            items[j] = moving;
        }
        return;
    }
    size_t histograms[DIGITS][BUCKETS];
    memset(histograms, 0, sizeof histograms);
    for (size_t i = 0; i < count; i++)
        for (int digit = 0; digit < DIGITS; digit++)
            histograms[digit][(items[i].key >> (digit * DIGIT_BITS)) & (BUCKETS - 1)]++;
    base_key_value *from = items, *to = scratch;
    for (int digit = 0; digit < DIGITS; digit++)
    {
        size_t starts[BUCKETS];
        if (!bucket_starts(histograms[digit], count, starts))
            continue;
        for (size_t i = 0; i < count; i++)
            to[starts[(from[i].key >> (digit * DIGIT_BITS)) & (BUCKETS - 1)]++] = from[i];
        base_key_value *swap = from;
        from = to;
        to = swap;
    }
    if (from != items)
        memcpy(items, from, count * sizeof *items);
}

void base_sort_u64(uint64_t *items, uint64_t *scratch, size_t count)
{
    if (count < SMALL)
    {
        for (size_t i = 1; i < count; i++)
        {
            uint64_t moving = items[i];
            size_t j = i;
            for (; j > 0 && items[j - 1] > moving; j--)
                items[j] = items[j - 1];
            items[j] = moving;
        }
        return;
    }
    size_t histograms[DIGITS][BUCKETS];
    memset(histograms, 0, sizeof histograms);
    for (size_t i = 0; i < count; i++)
        for (int digit = 0; digit < DIGITS; digit++)
            histograms[digit][(items[i] >> (digit * DIGIT_BITS)) & (BUCKETS - 1)]++;
    uint64_t *from = items, *to = scratch;
    for (int digit = 0; digit < DIGITS; digit++)
    {
        size_t starts[BUCKETS];
        if (!bucket_starts(histograms[digit], count, starts))
            continue;
        for (size_t i = 0; i < count; i++)
            to[starts[(from[i] >> (digit * DIGIT_BITS)) & (BUCKETS - 1)]++] = from[i];
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != items)
        memcpy(items, from, count * sizeof *items);
}

/* ---- merges ---- */

typedef struct merge_runs
{
    const base_key_value *items; /* two sorted runs: [first, middle) and [middle, last) */
    size_t first, middle, last;
} merge_runs;

static void merge(const merge_runs *runs, base_key_value *out, base_before_fn *before, void *user)
{
    size_t left = runs->first, right = runs->middle;
    for (size_t i = runs->first; i < runs->last; i++)
    {
        bool take_right = left == runs->middle ||
                          (right < runs->last && before(runs->items[right].value, runs->items[left].value, user));
        out[i] = runs->items[take_right ? right++ : left++];
    }
}

void base_sort_by(base_key_value *items, base_key_value *scratch, size_t count, base_before_fn *before, void *user)
{
    base_key_value *from = items, *to = scratch;
    for (size_t width = 1; width < count; width *= 2)
    {
        for (size_t first = 0; first < count; first += 2 * width)
        {
            size_t middle = first + width < count ? first + width : count;
            size_t last = middle + width < count ? middle + width : count;
            merge(&(merge_runs){from, first, middle, last}, to, before, user);
        }
        base_key_value *swap = from;
        from = to;
        to = swap;
    }
    if (from != items)
        memcpy(items, from, count * sizeof *items);
}
