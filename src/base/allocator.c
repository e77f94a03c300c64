/* The allocator of contexts that bring none: malloc and free, and large pages for large blocks.
 *
 * The system clears the pages of each large block that malloc returns, which takes a third of the time to build a tree
 * of 500,000 triangles, and several times as long where a host has taken free pages from a virtual machine. So a
 * context keeps large blocks that were released for the next ones of about their size, the latest before older ones. */
#define _DEFAULT_SOURCE /* madvise. NOLINT(bugprone-reserved-identifier): the system's own word */
#include "base/allocator.h"

#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <malloc.h>
#include <sys/mman.h>
#endif

#define LARGE_PAGE ((size_t)1 << 21)
#define MAX_SPARE  ((size_t)256 << 20)

static size_t round_up(size_t size, size_t unit) { return (size + unit - 1) / unit * unit; }

/* A thread that finds the spare blocks in use does without them. */
static bool enter(base_spare *spare) { return !atomic_flag_test_and_set_explicit(&spare->busy, memory_order_acquire); }
static void leave(base_spare *spare) { atomic_flag_clear_explicit(&spare->busy, memory_order_release); }

/* Takes a block out of those that are kept. */
static void *take(base_spare *spare, int i)
{
    void *memory = spare->blocks[i].memory;
    spare->size -= spare->blocks[i].size;
    spare->count--;
    memmove(&spare->blocks[i], &spare->blocks[i + 1], (size_t)(spare->count - i) * sizeof *spare->blocks);
    return memory;
}

static void free_all(base_spare *spare)
{
    while (spare->count > 0)
        free(take(spare, spare->count - 1));
}

/* The size of a block, which may be larger than what was asked for last. */
static size_t whole_size(void *memory, size_t asked)
{
#ifdef __linux__
    size_t usable = malloc_usable_size(memory);
    return usable > asked ? usable : asked;
#else
    (void)memory;
    return asked;
#endif
}

/* Keeps a block, and frees the oldest ones if they are too many or too large. */
static void keep_or_free(base_spare *spare, void *memory, size_t asked)
{
    size_t size = whole_size(memory, asked);
    if (size > MAX_SPARE || !enter(spare))
    {
        free(memory);
        return;
    }
    while (spare->count == BASE_SPARE_BLOCKS || spare->size + size > MAX_SPARE)
        free(take(spare, 0));
    spare->blocks[spare->count++] = (base_spare_block){memory, size};
    spare->size += size;
    leave(spare);
}

/* The smallest spare block that has room for the size, the latest one of these; null if there is none that is not more
 * than twice as large. */
static void *take_spare(base_spare *spare, size_t size)
{
    if (!enter(spare))
        return NULL;
    int best = -1;
    for (int i = spare->count - 1; i >= 0; i--)
        if (spare->blocks[i].size >= size && spare->blocks[i].size / 2 <= size &&
            (best < 0 || spare->blocks[i].size < spare->blocks[best].size))
            best = i;
    void *memory = best >= 0 ? take(spare, best) : NULL;
    leave(spare);
    return memory;
}

/* The system's memory, if necessary after giving it back all that is spare. */
static void *allocate_fresh(base_spare *spare, size_t size)
{
    void *memory = aligned_alloc(LARGE_PAGE, size);
    if (!memory && spare && enter(spare))
    {
        free_all(spare);
        leave(spare);
        memory = aligned_alloc(LARGE_PAGE, size);
    }
    return memory;
}

static void *allocate_large(base_spare *spare, size_t size)
{
    size_t rounded = round_up(size, LARGE_PAGE);
    void *memory = BASE_KEEPS_SPARE && spare && rounded >= size ? take_spare(spare, rounded) : NULL;
    if (memory || rounded < size)
        return memory;
    memory = allocate_fresh(spare, rounded);
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
    if (BASE_KEEPS_SPARE && user && memory && size >= LARGE_PAGE)
        keep_or_free(user, memory, size);
    else
        free(memory);
}

carom_allocator base_default_allocator(void) { return (carom_allocator){default_allocate, default_release, NULL}; }

void base_spare_begin(carom_allocator *allocator, base_spare *spare)
{
    atomic_flag_clear(&spare->busy);
    spare->count = 0;
    spare->size = 0;
    if (allocator->allocate == default_allocate)
        allocator->user = spare;
}

void base_spare_end(base_spare *spare) { free_all(spare); }
