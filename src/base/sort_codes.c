/* Radix sort by a code of 30 bits, least significant digit first, on the context's workers. Each worker counts the
 * digits of a block and then moves that block; where the items of a bucket go follows from the order of the blocks, so
 * the sort is stable, and the same for any number of them. */
#include "base/base.h"

enum
{
    CODE_SHIFT = 32,
    DIGIT_BITS = 10,
    DIGIT_COUNT = 3,
    BUCKETS = 1 << DIGIT_BITS,
    SMALL = 64,       /* below this, insertion sort */
    MIN_BLOCK = 4096, /* fewer are not worth a task */
    MAX_BLOCKS = 8    /* whose counts fit a thread's stack and its near caches */
};

static uint32_t code_of(uint64_t item) { return (uint32_t)(item >> CODE_SHIFT); }
static uint32_t digit_of(uint64_t item, int digit)
{
    return (uint32_t)(item >> (CODE_SHIFT + digit * DIGIT_BITS)) & (BUCKETS - 1);
}

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

static void move_items(const uint64_t *from, uint64_t *to, uint32_t count, int digit, uint32_t *starts)
{
    for (uint32_t i = 0; i < count; i++)
        to[starts[digit_of(from[i], digit)]++] = from[i];
}

/* All digits are counted at once. */
static void sort_alone(uint64_t *from, uint64_t *to, uint32_t count)
{
    uint32_t starts[DIGIT_COUNT][BUCKETS];
    memset(starts, 0, sizeof starts);
    for (uint32_t i = 0; i < count; i++)
        for (int digit = 0; digit < DIGIT_COUNT; digit++)
            starts[digit][digit_of(from[i], digit)]++;
    for (int digit = 0; digit < DIGIT_COUNT; digit++)
    {
        uint32_t sum = 0;
        for (int bucket = 0; bucket < BUCKETS; bucket++)
        {
            uint32_t here = starts[digit][bucket];
            starts[digit][bucket] = sum;
            sum += here;
        }
        move_items(from, to, count, digit, starts[digit]);
        uint64_t *swap = from;
        from = to, to = swap;
    }
}

typedef struct shared_sort
{
    uint64_t *from, *to;
    uint32_t count, block_count;
    int digit;
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
            counts[digit_of(sort->from[i], sort->digit)]++;
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
        move_items(sort->from + begin, sort->to, block_begin(sort, block + 1) - begin, sort->digit,
                   sort->starts[block]);
    }
}

static BASE_NEVER_INLINE void sort_together(carom_context *context, shared_sort *sort)
{
    for (sort->digit = 0; sort->digit < DIGIT_COUNT; sort->digit++)
    {
        base_parallel_for(context, sort->block_count, 1, count_blocks, sort);
        find_starts(sort);
        base_parallel_for(context, sort->block_count, 1, move_blocks, sort);
        uint64_t *swap = sort->from;
        sort->from = sort->to, sort->to = swap;
    }
}

void base_sort_codes(carom_context *context, uint64_t *items, uint64_t *sorted, uint32_t count)
{
    uint32_t blocks = base_worker_count(context) < MAX_BLOCKS ? base_worker_count(context) : MAX_BLOCKS;
    blocks = blocks < count / MIN_BLOCK ? blocks : count / MIN_BLOCK;
    if (count < SMALL)
        insert_all(items, sorted, count);
    else if (blocks < 2)
        sort_alone(items, sorted, count);
    else
    {
        shared_sort sort = {.from = items, .to = sorted, .count = count, .block_count = blocks};
        sort_together(context, &sort);
    }
}
