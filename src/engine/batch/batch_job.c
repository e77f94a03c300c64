/* A search in rounds: what is common to those of all engines. */
#include "engine/batch/batch.h"

carom_status batch_job_begin(batch_job *job, batch_runner *runner, const batch_pair *pairs, uint32_t count)
{
    job->runner = runner, job->pairs = pairs, job->levels = 1, job->beam = 0;
    job->open.count = job->found.count = 0;
    job->boxes = job->triangles = 0;
    if (!base_array_reserve(runner->context, &job->open, count))
        return batch_out_of_memory(runner);
    for (uint32_t i = 0; i < count; i++)
    {
        const batch_model *a = pairs[i].a, *b = pairs[i].b;
        uint32_t levels = a->levels > b->levels ? a->levels : b->levels;
        job->levels = levels > job->levels ? levels : job->levels;
        job->open.items[job->open.count++] = (batch_item){i, a->root, b->root};
    }
    return CAROM_OK;
}

uint32_t batch_job_beam(const batch_job *job)
{
    return job->beam > 0 && job->beam < job->runner->beam ? job->beam : job->runner->beam;
}

void batch_job_free(carom_context *context, batch_job *job)
{
    base_array_free(context, &job->open);
    base_array_free(context, &job->found);
}

carom_status batch_read_items(batch_runner *runner, const compute_buffer *buffer, size_t first, uint32_t count,
                              batch_items *out)
{
    if (count == 0)
        return CAROM_OK;
    if (!base_array_reserve(runner->context, out, count))
        return batch_out_of_memory(runner);
    BASE_TRY(compute_read(runner->device, buffer, first * sizeof(batch_item), out->items + out->count,
                          count * sizeof(batch_item)));
    out->count += count;
    return CAROM_OK;
}
