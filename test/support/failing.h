/* An allocator for tests and the soak: it counts what is out, and fails on demand. No cmocka here. */
#ifndef TEST_FAILING_H
#define TEST_FAILING_H

#include "carom/base.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct failing
{
    uint64_t requests; /* since failing_arm */
    uint64_t fail_at;  /* the request that gets null, the first is 1; 0: none */
    bool persistent;   /* and every later one too */
    bool failed;       /* has one failed since failing_arm? */
    uint64_t blocks_out, bytes_out, max_bytes_out;
} failing;

static inline void *failing_allocate(size_t size, size_t alignment, void *user)
{
    failing *f = (failing *)user;
    f->requests++;
    if (f->fail_at != 0 && (f->persistent ? f->requests >= f->fail_at : f->requests == f->fail_at))
        return f->failed = true, NULL;
    size_t at_least = alignment < sizeof(void *) ? sizeof(void *) : alignment;
    if (size > SIZE_MAX - at_least)
        return NULL;
    void *memory = aligned_alloc(at_least, (size + at_least - 1) / at_least * at_least);
    if (!memory)
        return NULL;
    f->blocks_out++, f->bytes_out += size;
    f->max_bytes_out = f->bytes_out > f->max_bytes_out ? f->bytes_out : f->max_bytes_out;
    return memory;
}

static inline void failing_release(void *memory, size_t size, void *user)
{
    failing *f = (failing *)user;
    if (memory)
        f->blocks_out--, f->bytes_out -= size;
    free(memory);
}

/* Counts from here; the k-th request fails, none if k is 0. */
static inline void failing_arm(failing *f, uint64_t k) { f->requests = 0, f->fail_at = k, f->failed = false; }

/* A context that takes all its memory from here. */
static inline carom_status failing_context(failing *f, carom_context **out)
{
    carom_context_def def = carom_context_def_default();
    def.allocator = (carom_allocator){failing_allocate, failing_release, f};
    return carom_context_create(&def, out);
}

#endif
