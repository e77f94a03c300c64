/* How much stack a function takes: it runs in a thread whose stack was painted before. What every thread takes, which
 * is much with some sanitizers, does not count. */
#ifndef TEST_STACK_H
#define TEST_STACK_H

#include "support/check.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum
{
    STACK_SIZE = 1 << 20,
    STACK_LIMIT = 64 * 1024 /* what a query may take */
};

static inline void *stack_of_nothing(void *user) { return user; }

static inline size_t stack_touched(void *(*run)(void *), void *user)
{
    const uint8_t paint = 0xa5;
    uint8_t *stack = aligned_alloc(4096, STACK_SIZE);
    assert_non_null(stack);
    memset(stack, paint, STACK_SIZE);
    pthread_attr_t attributes;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstack(&attributes, stack, STACK_SIZE), 0);
    assert_int_equal(pthread_create(&thread, &attributes, run, user), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
    size_t untouched = 0;
    while (untouched < STACK_SIZE && stack[untouched] == paint)
        untouched++;
    free(stack);
    return STACK_SIZE - untouched;
}

static inline size_t stack_used(void *(*run)(void *), void *user)
{
    return stack_touched(run, user) - stack_touched(stack_of_nothing, NULL);
}

#endif
