/* Radix sort, least significant digit first: stable, no comparisons, bounded stack. And merges where there is no key.
 */
#include "base/base.h"

enum
{
    DIGIT_BITS = 8,
    DIGITS = 64 / DIGIT_BITS,
    BUCKETS = 1 << DIGIT_BITS,
    SMALL = 32, /* below this, insertion sort */
    WORD_DIGIT_BITS = 10,
    MAX_WORD_STARTS = 4 << WORD_DIGIT_BITS /* for the 32 bits of a half of a word */
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

/* ---- words ---- */

static void insert_words(uint64_t *items, size_t count)
{
    for (size_t i = 1; i < count; i++)
    {
        uint64_t moving = items[i];
        size_t j = i;
        for (; j > 0 && items[j - 1] > moving; j--)
            items[j] = items[j - 1];
        items[j] = moving;
    }
}

static int width_of(uint64_t bits) { return bits ? 64 - __builtin_clzll(bits) - __builtin_ctzll(bits) : 0; }

/* Sorts by some bits of a half of the words, from the first to the last of them: as few digits as possible, of about
 * the same size, but none with more buckets than there are words. */
static void sort_words_by(uint64_t *items, uint64_t *scratch, size_t count, uint64_t bits)
{
    size_t starts[MAX_WORD_STARTS];
    int width = width_of(bits), max_bits = 63 - __builtin_clzll(count);
    if (width == 0)
        return;
    max_bits = max_bits > WORD_DIGIT_BITS ? WORD_DIGIT_BITS : max_bits;
    int digits = (width + max_bits - 1) / max_bits, digit_bits = (width + digits - 1) / digits;
    int shift = __builtin_ctzll(bits);
    size_t buckets = (size_t)1 << digit_bits;
    memset(starts, 0, (size_t)digits * buckets * sizeof *starts);
    for (size_t i = 0; i < count; i++)
        for (int digit = 0; digit < digits; digit++)
            starts[(size_t)digit * buckets + (items[i] >> (shift + digit * digit_bits) & (buckets - 1))]++;
    uint64_t *from = items, *to = scratch;
    for (int digit = 0; digit < digits; digit++, shift += digit_bits)
    {
        size_t *own = starts + (size_t)digit * buckets;
        for (size_t bucket = 0, sum = 0, here; bucket < buckets; bucket++, sum += here)
            here = own[bucket], own[bucket] = sum;
        for (size_t i = 0; i < count; i++)
            to[own[from[i] >> shift & (buckets - 1)]++] = from[i];
        uint64_t *swap = from;
        from = to, to = swap;
    }
    if (from != items)
        memcpy(items, from, count * sizeof *items);
}

/* Words that are not sorted, by the digits in which any differ. As a rule they are pairs of numbers below some count,
 * so that few do. */
static void sort_unsorted(uint64_t *items, uint64_t *scratch, size_t count)
{
    uint64_t any = 0, all = ~(uint64_t)0;
    if (count < SMALL)
    {
        insert_words(items, count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        any |= items[i], all &= items[i];
    uint64_t differing = any ^ all, lower = (uint32_t)differing;
    sort_words_by(items, scratch, count, lower);
    sort_words_by(items, scratch, count, differing ^ lower);
}

/* Merges sorted words with those before them, which are sorted, too: from the end, so that what is before all of them
 * stays where it is. Which one is next is no branch: none could be predicted. */
static void merge_into(uint64_t *items, size_t before, uint64_t *scratch, size_t count)
{
    uint64_t *to = items + before + count;
    memcpy(scratch, items + before, count * sizeof *items);
    while (before > 0 && count > 0)
    {
        uint64_t one = items[before - 1], other = scratch[count - 1];
        size_t take_one = one > other;
        *--to = take_one ? one : other;
        before -= take_one, count -= 1 - take_one;
    }
    memcpy(items + before, scratch, count * sizeof *items);
}

/* Lists often begin with a part that is the same as last time, and sorted. */
void base_sort_u64(uint64_t *items, uint64_t *scratch, size_t count)
{
    size_t sorted = count > 0;
    while (sorted < count && items[sorted - 1] <= items[sorted])
        sorted++;
    if (sorted == count)
        return;
    if (sorted < count / 2)
        sorted = 0;
    sort_unsorted(items + sorted, scratch, count - sorted);
    if (sorted > 0)
        merge_into(items, sorted, scratch, count - sorted);
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
