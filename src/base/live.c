/* Which versioned objects of a context are alive, and at which version, so that stale views are detected without
 * touching memory that may be gone. */
#include "base/base.h"

static size_t find(const carom_context *context, uint64_t serial)
{
    size_t i = 0;
    while (i < context->live.count && context->live.items[i].serial != serial)
        i++;
    return i;
}

bool base_live_add(carom_context *context, uint64_t serial, uint64_t version)
{
    pthread_mutex_lock(&context->list_lock);
    bool enough = base_array_reserve(context, &context->live, 1);
    if (enough)
        context->live.items[context->live.count++] = (base_live){serial, version};
    pthread_mutex_unlock(&context->list_lock);
    return enough;
}

void base_live_set(carom_context *context, uint64_t serial, uint64_t version)
{
    pthread_mutex_lock(&context->list_lock);
    size_t at = find(context, serial);
    if (at < context->live.count)
        context->live.items[at].version = version;
    pthread_mutex_unlock(&context->list_lock);
}

bool base_live_find(carom_context *context, uint64_t serial, uint64_t *version)
{
    pthread_mutex_lock(&context->list_lock);
    size_t at = find(context, serial);
    bool found = at < context->live.count;
    if (found)
        *version = context->live.items[at].version;
    pthread_mutex_unlock(&context->list_lock);
    return found;
}

void base_live_remove(carom_context *context, uint64_t serial)
{
    pthread_mutex_lock(&context->list_lock);
    size_t at = find(context, serial);
    if (at < context->live.count)
        context->live.items[at] = context->live.items[--context->live.count];
    pthread_mutex_unlock(&context->list_lock);
}
