/* Sorts on the context's workers. Codes, by radix, least significant digit first: each worker counts the digits of a
 * block and then moves that block; where the items of a bucket go follows from the order of the blocks, so the sort is
 * stable, and the same for any number of them. Words: each worker sorts a block, then they merge the blocks together.
 */
#include "base/base.h"

enum
{
    CODE_SHIFT = 32,
    DIGIT_BITS = 10,
    DIGIT_COUNT = 3,
    BUCKETS = 1 << DIGIT_BITS,
    SMALL = 64,       /* below this, insertion sort */
    MIN_BLOCK = 4096, /* fewer are not worth a task */
    MAX_BLOCKS = 8,   /* whose counts fit a thread's stack and its near caches */
    SHORT_BITS = 12,  /* two of these digits are a short code */
    MIN_SHORT = 4096  /* below this, more digits of fewer buckets are faster */
};

static uint32_t code_of(uint64_t item) { return (uint32_t)(item >> CODE_SHIFT); }
static uint32_t digit_of(uint64_t item, int shift) { return (uint32_t)(item >> shift) & (BUCKETS - 1); }
static int code_shift(int digit) { return CODE_SHIFT + digit * DIGIT_BITS; }

static void insert_all(const uint64_t *from, uint64_t *to, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
    {
        uint32_t j = i;
        for (; j > 0 && code_of(to[j - 1]) > code_of(from[i]); j--)
            to[j] = to[j - 1];
        to[j] = from[i];
    }
}

static void move_items(const uint64_t *from, uint64_t *to, uint32_t count, int shift, uint32_t *starts)
{
    for (uint32_t i = 0; i < count; i++)
        to[starts[digit_of(from[i], shift)]++] = from[i];
}

/* All digits are counted at once. */
static void sort_alone(uint64_t *from, uint64_t *to, uint32_t count)
{
    uint32_t starts[DIGIT_COUNT][BUCKETS];
    memset(starts, 0, sizeof starts);
    for (uint32_t i = 0; i < count; i++)
        for (int digit = 0; digit < DIGIT_COUNT; digit++)
            starts[digit][digit_of(from[i], code_shift(digit))]++;
    for (int digit = 0; digit < DIGIT_COUNT; digit++)
    {
        uint32_t sum = 0;
        for (int bucket = 0; bucket < BUCKETS; bucket++)
        {
            uint32_t here = starts[digit][bucket];
            starts[digit][bucket] = sum;
            sum += here;
        }
        move_items(from, to, count, code_shift(digit), starts[digit]);
        uint64_t *swap = from;
        from = to, to = swap;
    }
}

typedef struct shared_sort
{
    uint64_t *from, *to;
    uint32_t count, block_count;
    int shift; /* of the digit that is sorted by */
    uint32_t starts[MAX_BLOCKS][BUCKETS];
} shared_sort;

static uint32_t block_begin(const shared_sort *sort, uint32_t block)
{
    return (uint32_t)((uint64_t)sort->count * block / sort->block_count);
}

static void count_blocks(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    shared_sort *sort = data;
    (void)worker;
    for (uint32_t block = first; block < last; block++)
    {
        uint32_t counts[BUCKETS] = {0}, end = block_begin(sort, block + 1);
        for (uint32_t i = block_begin(sort, block); i < end; i++)
            counts[digit_of(sort->from[i], sort->shift)]++;
        memcpy(sort->starts[block], counts, sizeof counts);
    }
}

static void find_starts(shared_sort *sort)
{
    uint32_t sum = 0;
    for (int bucket = 0; bucket < BUCKETS; bucket++)
        for (uint32_t block = 0; block < sort->block_count; block++)
        {
            uint32_t here = sort->starts[block][bucket];
            sort->starts[block][bucket] = sum;
            sum += here;
        }
}

static void move_blocks(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    shared_sort *sort = data;
    (void)worker;
    for (uint32_t block = first; block < last; block++)
    {
        uint32_t begin = block_begin(sort, block);
        move_items(sort->from + begin, sort->to, block_begin(sort, block + 1) - begin, sort->shift,
                   sort->starts[block]);
    }
}

static void sort_by_digit(carom_context *context, shared_sort *sort, int shift)
{
    sort->shift = shift;
    base_parallel_for(context, sort->block_count, 1, count_blocks, sort);
    find_starts(sort);
    base_parallel_for(context, sort->block_count, 1, move_blocks, sort);
    uint64_t *swap = sort->from;
    sort->from = sort->to, sort->to = swap;
}

/* How many blocks are worth it; below 2: none. */
static uint32_t blocks_for(const carom_context *context, size_t count)
{
    uint32_t blocks = base_worker_count(context) < MAX_BLOCKS ? base_worker_count(context) : MAX_BLOCKS;
    return blocks < count / MIN_BLOCK ? blocks : (uint32_t)(count / MIN_BLOCK);
}

static BASE_NEVER_INLINE void sort_codes_together(carom_context *context, shared_sort *sort)
{
    for (int digit = 0; digit < DIGIT_COUNT; digit++)
        sort_by_digit(context, sort, code_shift(digit));
}

void base_sort_codes(carom_context *context, uint64_t *items, uint64_t *sorted, uint32_t count)
{
    uint32_t blocks = blocks_for(context, count);
    if (count < SMALL)
        insert_all(items, sorted, count);
    else if (blocks < 2)
        sort_alone(items, sorted, count);
    else
    {
        shared_sort sort = {.from = items, .to = sorted, .count = count, .block_count = blocks};
        sort_codes_together(context, &sort);
    }
}

/* Two digits of one worker: from items to scratch and back. */
static void sort_short_alone(uint64_t *items, uint64_t *scratch, uint32_t count)
{
    enum
    {
        SHORT_BUCKETS = 1 << SHORT_BITS
    };
    uint32_t starts[2][SHORT_BUCKETS];
    memset(starts, 0, sizeof starts);
    for (uint32_t i = 0; i < count; i++)
    {
        uint32_t code = code_of(items[i]);
        starts[0][code % SHORT_BUCKETS]++, starts[1][code / SHORT_BUCKETS % SHORT_BUCKETS]++;
    }
    for (int digit = 0; digit < 2; digit++)
        for (uint32_t bucket = 0, sum = 0, here; bucket < SHORT_BUCKETS; bucket++, sum += here)
            here = starts[digit][bucket], starts[digit][bucket] = sum;
    for (uint32_t i = 0; i < count; i++)
        scratch[starts[0][code_of(items[i]) % SHORT_BUCKETS]++] = items[i];
    for (uint32_t i = 0; i < count; i++)
        items[starts[1][code_of(scratch[i]) / SHORT_BUCKETS % SHORT_BUCKETS]++] = scratch[i];
}

void base_sort_short_codes(carom_context *context, uint64_t *items, uint64_t *scratch, uint32_t count)
{
    if (count >= MIN_SHORT && blocks_for(context, count) < 2)
    {
        sort_short_alone(items, scratch, count);
        return;
    }
    base_sort_codes(context, items, scratch, count);
    memcpy(items, scratch, count * sizeof *items);
}

/* ---- words: blocks that are sorted alone, then merged ---- */

typedef struct word_sort
{
    uint64_t *from, *to;
    size_t count;
    uint32_t block_count;
    uint32_t run_blocks; /* this many blocks in a row are sorted */
} word_sort;

static size_t word_block_begin(const word_sort *sort, uint32_t block)
{
    return sort->count / sort->block_count * block + sort->count % sort->block_count * block / sort->block_count;
}

static void sort_word_blocks(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const word_sort *sort = data;
    (void)worker;
    for (uint32_t block = first; block < last; block++)
    {
        size_t begin = word_block_begin(sort, block), end = word_block_begin(sort, block + 1);
        base_sort_u64(sort->from + begin, sort->to + begin, end - begin);
    }
}

/* Two sorted runs next to each other. */
typedef struct word_runs
{
    const uint64_t *left, *right;
    size_t left_count, right_count;
} word_runs;

/* How many of the first `rank` words of the merged runs come from the left one; equal words are interchangeable. */
static size_t left_share(const word_runs *runs, size_t rank)
{
    size_t low = rank > runs->right_count ? rank - runs->right_count : 0;
    size_t high = rank < runs->left_count ? rank : runs->left_count;
    while (low < high)
    {
        size_t middle = low + (high - low) / 2;
        if (runs->left[middle] < runs->right[rank - middle - 1])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Merges what is at [begin, end) of the result. Which run is next is no branch: none could be predicted. */
static void merge_words(const word_runs *runs, size_t begin, size_t end, uint64_t *out)
{
    size_t left = left_share(runs, begin), left_end = left_share(runs, end);
    size_t right = begin - left, right_end = end - left_end;
    while (left < left_end && right < right_end)
    {
        uint64_t a = runs->left[left], b = runs->right[right];
        size_t take_right = b < a;
        *out++ = take_right ? b : a;
        right += take_right, left += 1 - take_right;
    }
    if (left < left_end)
        memcpy(out, runs->left + left, (left_end - left) * sizeof *out);
    if (right < right_end)
        memcpy(out, runs->right + right, (right_end - right) * sizeof *out);
}

static void merge_word_blocks(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const word_sort *sort = data;
    (void)worker;
    for (uint32_t block = first; block < last; block++)
    {
        uint32_t left = block / (2 * sort->run_blocks) * (2 * sort->run_blocks), right = left + sort->run_blocks;
        uint32_t end = right + sort->run_blocks;
        size_t begin = word_block_begin(sort, left), middle = word_block_begin(sort, right);
        word_runs runs = {sort->from + begin, sort->from + middle, middle - begin,
                          word_block_begin(sort, end) - middle};
        size_t at = word_block_begin(sort, block);
        merge_words(&runs, at - begin, word_block_begin(sort, block + 1) - begin, sort->to + at);
    }
}

/* The largest power of two that is worth it; below 2: none. */
static uint32_t word_blocks_for(const carom_context *context, size_t count)
{
    uint32_t workers = base_worker_count(context), blocks = 1;
    while (2 * blocks <= workers && 2 * blocks <= MAX_BLOCKS && 2 * blocks * (size_t)MIN_BLOCK <= count)
        blocks *= 2;
    return blocks;
}

void base_sort_words(carom_context *context, uint64_t *items, uint64_t *scratch, size_t count)
{
    word_sort sort = {.from = items, .to = scratch, .count = count, .block_count = word_blocks_for(context, count)};
    base_parallel_for(context, sort.block_count, 1, sort_word_blocks, &sort);
    for (sort.run_blocks = 1; sort.run_blocks < sort.block_count; sort.run_blocks *= 2)
    {
        base_parallel_for(context, sort.block_count, 1, merge_word_blocks, &sort);
        uint64_t *swap = sort.from;
        sort.from = sort.to, sort.to = swap;
    }
    if (sort.from != items)
        memcpy(items, sort.from, count * sizeof *items);
}
