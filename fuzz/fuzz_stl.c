/* Any bytes as an STL file: a model or an error, nothing else. */
#include "carom/io.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    carom_context *context;
    if (carom_context_create(NULL, &context) != CAROM_OK)
        return 0;
    io_model model;
    carom_status status = io_read_memory(context, bytes, size, "stl", &model);
    if (!carom_failed(status) && !model.mesh)
        __builtin_trap();
    io_model_free(&model);
    carom_context_destroy(context);
    return 0;
}
