/* The table of the library's engines, and those that authors add to a context. */
#include "engine/engine.h"

static const engine_kind *const ENGINES[] = {
    &engine_tree,       &engine_brute,    &engine_sstcd,         &engine_spcd,      &engine_escd,
    &engine_epcd,       &engine_image,    &engine_image_sampled, &engine_rossignac, &engine_shinya,
    &engine_myszkowski, &engine_lombardo, &engine_cullide,       &engine_recode,    &engine_scd0,
    &engine_scd1,       &engine_scd2,     &engine_scd_triangles, &engine_stream,    &engine_geoimage};

const engine_kind *engine_find(uint32_t index)
{
    return index < sizeof ENGINES / sizeof ENGINES[0] ? ENGINES[index] : NULL;
}

const engine_kind *engine_find_name(const char *name)
{
    for (uint32_t i = 0; engine_find(i); i++)
        if (strcmp(engine_find(i)->info.name, name) == 0)
            return engine_find(i);
    return NULL;
}

const carom_engine_info *carom_engine_list(uint32_t index)
{
    const engine_kind *kind = engine_find(index);
    return kind ? &kind->info : NULL;
}

/* ---- authors' ---- */

/* The list is locked. */
static const carom_engine_kind *find_in_list(const carom_context *context, const char *name)
{
    const carom_engine_kind *found = NULL;
    for (size_t i = 0; i < context->engines.count && !found; i++)
    {
        const carom_engine_kind *kind = context->engines.items[i].copy;
        found = strcmp(kind->info.name, name) == 0 ? kind : NULL;
    }
    return found;
}

const carom_engine_kind *engine_find_author(carom_context *context, const char *name)
{
    pthread_mutex_lock(&context->list_lock);
    const carom_engine_kind *found = find_in_list(context, name);
    pthread_mutex_unlock(&context->list_lock);
    return found;
}

static carom_status check_kind(carom_context *context, const carom_engine_kind *kind)
{
    const char *missing = !kind->info.name                              ? "info.name"
                          : !kind->info.summary                         ? "info.summary"
                          : !kind->run                                  ? "run"
                          : !kind->create_asset && kind->update_asset   ? "create_asset"
                          : !kind->create_asset != !kind->destroy_asset ? "one of create_asset and destroy_asset"
                                                                        : NULL;
    if (missing)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "engine register: %s is null", missing);
    if ((unsigned)kind->info.engine_class > CAROM_CLASS_SAMPLED)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "engine register: %s: unknown class %d", kind->info.name,
                         (int)kind->info.engine_class);
    return CAROM_OK;
}

static carom_status refuse_taken(carom_context *context, const char *name)
{
    return base_fail(context, CAROM_INVALID_ARGUMENT, "engine register: there is an engine \"%s\" already", name);
}

/* Looks and adds under one lock: of several threads that add the same name, one succeeds. */
static carom_status add_to_list(carom_context *context, carom_engine_kind *copy)
{
    carom_status status = CAROM_OK;
    pthread_mutex_lock(&context->list_lock);
    if (find_in_list(context, copy->info.name))
        status = CAROM_INVALID_ARGUMENT;
    else if (!base_array_reserve(context, &context->engines, 1))
        status = CAROM_OUT_OF_MEMORY;
    else
        context->engines.items[context->engines.count++] = (base_extension){copy, sizeof *copy};
    pthread_mutex_unlock(&context->list_lock);
    return status;
}

carom_status carom_engine_register(carom_context *context, const carom_engine_kind *kind)
{
    if (!context || !kind)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "engine register: %s is null", context ? "kind" : "context");
    BASE_TRY(check_kind(context, kind));
    if (engine_find_name(kind->info.name))
        return refuse_taken(context, kind->info.name);
    carom_engine_kind *copy = base_allocate(context, 1, sizeof *copy, BASE_CACHE_LINE);
    if (copy)
        *copy = *kind;
    carom_status status = copy ? add_to_list(context, copy) : CAROM_OUT_OF_MEMORY;
    if (status == CAROM_OK)
        return CAROM_OK;
    base_release(context, copy, 1, sizeof *copy);
    return status == CAROM_OUT_OF_MEMORY ? base_fail(context, status, "engine register: no memory")
                                         : refuse_taken(context, kind->info.name);
}

const carom_engine_info *carom_engine_registered(carom_context *context, uint32_t index)
{
    if (!context)
        return NULL;
    const carom_engine_info *info = NULL;
    pthread_mutex_lock(&context->list_lock);
    if (index < context->engines.count)
        info = &((const carom_engine_kind *)context->engines.items[index].copy)->info;
    pthread_mutex_unlock(&context->list_lock);
    return info;
}
