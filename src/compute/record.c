/* What the dispatches of a check wrote, part by part, so that two devices are compared after every step of a search. */
#include "compute/device.h"

#include <stdio.h>

void compute_watch(compute_device *device, compute_watch_fn *watch, void *user)
{
    device->watch = watch, device->watch_user = user;
}

carom_status compute_record_read(compute_record *record, const char *what, const compute_buffer *buffer,
                                 compute_words words)
{
    carom_context *context = record->device->context;
    if (words.count > buffer->size / sizeof(uint32_t)) /* what a device says may be wrong */
        return base_fail(context, CAROM_OUT_OF_RANGE, "%s: %llu words of a buffer of %llu bytes", what,
                         (unsigned long long)words.count, (unsigned long long)buffer->size);
    if (!base_array_reserve(context, &record->parts, 1) || !base_array_reserve(context, &record->words, words.count))
        return base_fail(context, CAROM_OUT_OF_MEMORY, "no memory for what a kernel wrote");
    uint32_t *target = record->words.items + record->words.count;
    BASE_TRY(compute_read(record->device, buffer, words.first * sizeof *target, target, words.count * sizeof *target));
    record->parts.items[record->parts.count++] = (compute_part){what, record->words.count, words.count};
    record->words.count += words.count;
    return CAROM_OK;
}

uint32_t *compute_record_last(const compute_record *record)
{
    return record->words.items + record->parts.items[record->parts.count - 1].first;
}

/* Parts that begin to be different ones, or have other sizes, end the comparison: there is nothing to compare. */
void compute_compare_records(compute_check_result *result, const compute_record *one, const compute_record *other)
{
    size_t count = one->parts.count < other->parts.count ? one->parts.count : other->parts.count;
    bool same = one->parts.count == other->parts.count;
    for (size_t i = 0; i < count && result->wrong == 0; i++)
    {
        const compute_part *part = &one->parts.items[i], *twin = &other->parts.items[i];
        same = same && part->what == twin->what && part->count == twin->count;
        if (!same)
            break;
        compute_compare_words(result, part->what, one->words.items + part->first, other->words.items + twin->first,
                              part->count);
    }
    if (!same && result->wrong++ == 0)
        snprintf(result->detail, sizeof result->detail, "%llu steps with %llu words, but the processor has %llu, %llu",
                 (unsigned long long)one->parts.count, (unsigned long long)one->words.count,
                 (unsigned long long)other->parts.count, (unsigned long long)other->words.count);
}

void compute_record_free(compute_record *record)
{
    base_array_free(record->device->context, &record->parts);
    base_array_free(record->device->context, &record->words);
}
