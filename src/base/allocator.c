/* The allocator of contexts that bring none: malloc and free, and large pages for large blocks.
 *
 * The system clears the pages of each large block that malloc returns, which took a third of the time to build a tree
 * of 500,000 triangles. So a context keeps the two largest blocks that were released, if they are not too large, for
 * the next ones of about their size. */
#define _DEFAULT_SOURCE /* madvise. NOLINT(bugprone-reserved-identifier): the system's own word */
#include "base/allocator.h"

#include <stdlib.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#define LARGE_PAGE ((size_t)1 << 21)
#define MAX_SPARE  ((size_t)96 << 20)

static size_t round_up(size_t size, size_t unit) { return (size + unit - 1) / unit * unit; }

/* Puts a block, which begins with its size, into a slot and returns what is left over: the smaller of two. */
static size_t *exchange(_Atomic(size_t *) *slot, size_t *block)
{
    size_t *other = atomic_exchange(slot, NULL);
    size_t *kept = other && *other >= *block ? other : block, *rest = kept == other ? block : other, *empty = NULL;
    if (atomic_compare_exchange_strong(slot, &empty, kept))
        return rest;
    free(rest); /* another thread was faster */
    return kept;
}

static void keep_or_free(base_spare *spare, void *memory, size_t size)
{
    size_t *block = memory;
    *block = size;
    for (int i = 0; i < BASE_SPARE_BLOCKS && block; i++)
        block = exchange(&spare->blocks[i], block);
    free(block);
}

/* A spare block that has room for the size and is not more than twice as large; null if there is none. */
static void *take_spare(base_spare *spare, size_t size)
{
    for (int i = 0; i < BASE_SPARE_BLOCKS; i++)
    {
        size_t *block = atomic_exchange(&spare->blocks[i], NULL);
        if (block && *block >= size && *block / 2 <= size)
            return block;
        if (block)
            free(exchange(&spare->blocks[i], block));
    }
    return NULL;
}

static void *allocate_large(base_spare *spare, size_t size)
{
    size_t rounded = round_up(size, LARGE_PAGE);
    void *memory = BASE_KEEPS_SPARE && spare && rounded >= size ? take_spare(spare, rounded) : NULL;
    if (memory || rounded < size)
        return memory;
    memory = aligned_alloc(LARGE_PAGE, rounded);
#ifdef MADV_HUGEPAGE
    if (memory)
        madvise(memory, rounded, MADV_HUGEPAGE); /* a hint: it may fail */
#endif
    return memory;
}

static void *default_allocate(size_t size, size_t alignment, void *user)
{
    if (size >= LARGE_PAGE && alignment <= LARGE_PAGE)
        return allocate_large(user, size);
    if (alignment <= sizeof(void *))
        return malloc(size);
    size_t rounded = round_up(size, alignment); /* aligned_alloc requires a multiple */
    return rounded < size ? NULL : aligned_alloc(alignment, rounded);
}

static void default_release(void *memory, size_t size, void *user)
{
    size_t rounded = round_up(size, LARGE_PAGE);
    if (BASE_KEEPS_SPARE && user && memory && size >= LARGE_PAGE && rounded <= MAX_SPARE)
        keep_or_free(user, memory, rounded);
    else
        free(memory);
}

carom_allocator base_default_allocator(void) { return (carom_allocator){default_allocate, default_release, NULL}; }

void base_spare_begin(carom_allocator *allocator, base_spare *spare)
{
    for (int i = 0; i < BASE_SPARE_BLOCKS; i++)
        atomic_init(&spare->blocks[i], NULL);
    if (allocator->allocate == default_allocate)
        allocator->user = spare;
}

void base_spare_end(base_spare *spare)
{
    for (int i = 0; i < BASE_SPARE_BLOCKS; i++)
        free(atomic_exchange(&spare->blocks[i], NULL));
}
