/* Text in any supported encoding becomes UTF-8 lines that end in \n. */
#include "io/soup.h"

/* One code point as UTF-8; returns the bytes used. */
static size_t encode_utf8(uint32_t code, char *out)
{
    if (code < 0x80)
        return out[0] = (char)code, 1;
    if (code < 0x800)
        return out[0] = (char)(0xc0 | code >> 6), out[1] = (char)(0x80 | (code & 0x3f)), 2;
    size_t at = 0;
    if (code < 0x10000)
        out[at++] = (char)(0xe0 | code >> 12);
    else
        out[at++] = (char)(0xf0 | code >> 18), out[at++] = (char)(0x80 | (code >> 12 & 0x3f));
    out[at++] = (char)(0x80 | (code >> 6 & 0x3f));
    out[at++] = (char)(0x80 | (code & 0x3f));
    return at;
}

static uint32_t utf16_unit(const unsigned char *at, bool big_endian)
{
    return big_endian ? (uint32_t)at[0] << 8 | at[1] : (uint32_t)at[1] << 8 | at[0];
}

/* A unit of two bytes becomes at most three. */
static carom_status decode_utf16(io_source *source, bool big_endian)
{
    size_t units = (size_t)(source->end - source->begin) / 2;
    size_t capacity = 3 * units + 1;
    char *text = carom_context_allocate(source->context, capacity, 1);
    if (!text)
        return io_out_of_memory(source);
    const unsigned char *bytes = (const unsigned char *)source->begin;
    char *out = text;
    for (size_t i = 1; i < units; i++)
    {
        uint32_t code = utf16_unit(bytes + 2 * i, big_endian);
        if (code >= 0xd800 && code < 0xdc00 && i + 1 < units)
        {
            uint32_t low = utf16_unit(bytes + 2 * (i + 1), big_endian);
            if (low >= 0xdc00 && low < 0xe000)
                code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00), i++;
        }
        out += encode_utf8(code, out);
    }
    *out = '\0';
    carom_context_release(source->context, source->begin, source->capacity);
    source->begin = text, source->end = out, source->capacity = capacity;
    return CAROM_OK;
}

carom_status io_source_to_text(io_source *source)
{
    size_t size = (size_t)(source->end - source->begin);
    const unsigned char *bytes = (const unsigned char *)source->begin;
    if (size >= 2 && bytes[0] == 0xfe && bytes[1] == 0xff)
        BASE_TRY(decode_utf16(source, true));
    else if (size >= 2 && bytes[0] == 0xff && bytes[1] == 0xfe)
        BASE_TRY(decode_utf16(source, false));
    else if (size >= 3 && bytes[0] == 0xef && bytes[1] == 0xbb && bytes[2] == 0xbf)
        memset(source->begin, ' ', 3);

    size = (size_t)(source->end - source->begin);
    const char *zero = memchr(source->begin, '\0', size);
    if (zero)
        return io_fail_at(source, zero, "byte %zu is zero: this is not text", (size_t)(zero - source->begin));

    /* lines that end in a carriage return alone */
    if (!memchr(source->begin, '\n', size))
        for (char *c = source->begin; c < source->end; c++)
            if (*c == '\r')
                *c = '\n';
    return CAROM_OK;
}
