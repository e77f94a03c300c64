/* The allocator of test/support/failing.h, for several threads. */
#ifndef TEST_GUARDED_H
#define TEST_GUARDED_H

#include "support/failing.h"

#include <pthread.h>

typedef struct guarded
{
    pthread_mutex_t lock;
    failing memory;
} guarded;

static inline void *guarded_allocate(size_t size, size_t alignment, void *user)
{
    guarded *g = (guarded *)user;
    pthread_mutex_lock(&g->lock);
    void *memory = failing_allocate(size, alignment, &g->memory);
    pthread_mutex_unlock(&g->lock);
    return memory;
}

static inline void guarded_release(void *memory, size_t size, void *user)
{
    guarded *g = (guarded *)user;
    pthread_mutex_lock(&g->lock);
    failing_release(memory, size, &g->memory);
    pthread_mutex_unlock(&g->lock);
}

#endif
