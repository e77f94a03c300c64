/* What readers have in common: messages with positions, growing meshes and parts, points. */
#include "io/soup.h"

#include <stdio.h>

enum
{
    SHOWN_PATH = 100 /* leaves room in a message for the error itself */
};

const char *io_short_path(const char *path)
{
    size_t length = strlen(path);
    return length > SHOWN_PATH ? path + length - SHOWN_PATH : path;
}

static carom_status fail_with(const io_source *source, carom_status status, const char *place, const char *message)
{
    snprintf(source->message, IO_MESSAGE_SIZE, "%s:%s %.200s", io_short_path(source->name), place, message);
    return status;
}

carom_status io_fail(const io_source *source, carom_status status, const char *format, ...)
{
    char message[IO_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return fail_with(source, status, "", message);
}

static size_t line_of(const io_source *source, const char *at)
{
    size_t line = 1;
    for (const char *c = source->begin; c < at; c++)
        line += *c == '\n';
    return line;
}

void io_note_at(const io_source *source, const char *at, io_notes *notes)
{
    if (notes->count++ > 0)
        return;
    notes->first_line = line_of(source, at);
    io_quote(at, notes->first_word);
}

carom_status io_fail_at(const io_source *source, const char *at, const char *format, ...)
{
    size_t line = line_of(source, at);
    char place[32], message[IO_MESSAGE_SIZE];
    snprintf(place, sizeof place, " line %zu:", line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return fail_with(source, CAROM_BAD_DATA, place, message);
}

carom_status io_out_of_memory(const io_source *source) { return io_fail(source, CAROM_OUT_OF_MEMORY, "out of memory"); }

carom_status io_step(const io_source *source, const char *stage, uint64_t done, uint64_t total)
{
    if (carom_context_progress(source->context, &(carom_progress){stage, source->name, done, total}))
        return CAROM_OK;
    return io_fail(source, CAROM_CANCELLED, "cancelled (%s)", stage);
}

const char *io_quote(const char *at, char out[IO_QUOTE_SIZE])
{
    size_t length = 0;
    for (; !io_ends_word(at[length]) && length < IO_QUOTE_SIZE - 1; length++)
        out[length] = (char)(at[length] > ' ' && at[length] < 127 ? at[length] : '?');
    out[length] = '\0';
    return out;
}

bool io_soup_begin_part(io_soup *soup, const char *name, const char *name_end)
{
    while (name_end > name && io_is_blank(name_end[-1]))
        name_end--;
    size_t length = (size_t)(name_end - name);
    uint32_t first = (uint32_t)io_soup_triangle_count(soup);

    /* a name without triangles is replaced by the next */
    if (soup->parts.count > 0 && soup->parts.items[soup->parts.count - 1].first_triangle == first)
    {
        soup->parts.count--;
        soup->names.count = soup->parts.items[soup->parts.count].name_offset;
    }
    if (!io_array_reserve(soup->context, &soup->parts, 1) || !io_array_reserve(soup->context, &soup->names, length + 1))
        return false;
    soup->parts.items[soup->parts.count++] = (io_part){.name_offset = soup->names.count, .first_triangle = first};
    memcpy(soup->names.items + soup->names.count, name, length);
    soup->names.items[soup->names.count + length] = '\0';
    soup->names.count += length + 1;
    return true;
}

bool io_soup_add_triangle(io_soup *soup, uint32_t a, uint32_t b, uint32_t c)
{
    if (!io_array_reserve(soup->context, &soup->indices, 3))
        return false;
    uint32_t *index = soup->indices.items + soup->indices.count;
    index[0] = a, index[1] = b, index[2] = c;
    soup->indices.count += 3;
    return true;
}

void io_soup_free(io_soup *soup)
{
    io_array_free(soup->context, &soup->vertices);
    io_array_free(soup->context, &soup->indices);
    io_array_free(soup->context, &soup->parts);
    io_array_free(soup->context, &soup->names);
}

carom_status io_read_point(const io_source *source, const char **at, carom_vec3 *out)
{
    double number[3];
    const char *next = *at;
    for (int i = 0; i < 3; i++)
    {
        next = io_skip_blanks(next);
        const char *end = io_parse_number(next, &number[i]);
        if (BASE_UNLIKELY(!end || !(io_ends_word(*end) || *end == '\\')))
        {
            char word[IO_QUOTE_SIZE];
            if (*next == '\n' || *next == '\0')
                return io_fail_at(source, next, "a point has %d coordinates instead of 3", i);
            return io_fail_at(source, next, "coordinate '%s' is not a finite number", io_quote(next, word));
        }
        if (BASE_UNLIKELY(!(fabs(number[i]) <= MATH_COORDINATE_LIMIT)))
        {
            char word[IO_QUOTE_SIZE];
            return io_fail_at(source, next, "coordinate '%s' is beyond 2^100", io_quote(next, word));
        }
        next = end;
    }
    *at = next;
    *out = vec3(number[0], number[1], number[2]);
    return CAROM_OK;
}
