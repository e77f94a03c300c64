/* Memory and messages of the caller's context, as readers and writers need them. */
#include "io/soup.h"

#include <stdio.h>

bool io_array_grow(carom_context *context, void **items, size_t *capacity, size_t needed, size_t item_size)
{
    size_t grown = *capacity + *capacity / 2 + 16;
    if (grown < needed)
        grown = needed;
    void *memory =
        grown <= SIZE_MAX / item_size ? carom_context_allocate(context, grown * item_size, BASE_CACHE_LINE) : NULL;
    if (!memory)
        return false;
    if (*items)
        memcpy(memory, *items, *capacity * item_size);
    carom_context_release(context, *items, *capacity * item_size);
    *items = memory;
    *capacity = grown;
    return true;
}

carom_status io_context_fail(carom_context *context, carom_status status, const char *format, ...)
{
    char message[IO_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return carom_context_fail(context, status, message);
}

void io_context_warn(const carom_context *context, const char *format, ...)
{
    char message[IO_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    carom_context_log(context, CAROM_LOG_WARNING, message);
}
