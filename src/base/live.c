/* Which versioned objects of a context are alive, and at which version, so that stale views are detected without
 * touching memory that may be gone. */
#include "base/base.h"

/* The serials of two contexts are the same numbers, but no two contexts have the same address at a time. 0 and
 * UINT64_MAX are never returned. */
uint64_t base_new_identity(carom_context *context)
{
    uint64_t scattered = (uint64_t)(uintptr_t)context * 0x9e3779b97f4a7c15u;
    return (scattered >> 2) + atomic_fetch_add(&context->next_serial, 1);
}

static size_t find(const carom_context *context, uint64_t identity)
{
    size_t i = 0;
    while (i < context->live.count && context->live.items[i].identity != identity)
        i++;
    return i;
}

bool base_live_add(carom_context *context, uint64_t identity, uint64_t version)
{
    pthread_mutex_lock(&context->list_lock);
    bool enough = base_array_reserve(context, &context->live, 1);
    if (enough)
        context->live.items[context->live.count++] = (base_live){identity, version};
    pthread_mutex_unlock(&context->list_lock);
    return enough;
}

void base_live_set(carom_context *context, uint64_t identity, uint64_t version)
{
    pthread_mutex_lock(&context->list_lock);
    size_t at = find(context, identity);
    if (at < context->live.count)
        context->live.items[at].version = version;
    pthread_mutex_unlock(&context->list_lock);
}

bool base_live_find(carom_context *context, uint64_t identity, uint64_t *version)
{
    pthread_mutex_lock(&context->list_lock);
    size_t at = find(context, identity);
    bool found = at < context->live.count;
    if (found)
        *version = context->live.items[at].version;
    pthread_mutex_unlock(&context->list_lock);
    return found;
}

void base_live_remove(carom_context *context, uint64_t identity)
{
    pthread_mutex_lock(&context->list_lock);
    size_t at = find(context, identity);
    if (at < context->live.count)
        context->live.items[at] = context->live.items[--context->live.count];
    pthread_mutex_unlock(&context->list_lock);
}
