/* STL as text: read in blocks, by all workers.
 *
 * Text is cut where a line begins with "facet", and each block is read as if it began inside a solid, between two
 * facets. The first block begins at the beginning of the file; so if each block ends exactly where the next one begins,
 * inside a solid, then every block was read as it would have been in one go. Where a block does not (the word may also
 * be part of a normal, for one), or has an error, the rest of the text is read in one go from that block on. Blocks
 * depend on the text alone.
 *
 * A large file passes through a window, since memory for all of it would cost more time than reading it. If a block
 * does not fit there, the file is read again as a whole. */
#include "io/soup.h"

#include <strings.h>

#define MAX_CORNERS (UINT32_MAX - 3)

enum
{
    BLOCK_SIZE = 1 << 19, /* bytes */
    WAVE_BLOCKS = 64,     /* read before their corners are put together */
    WINDOW_SIZE = BLOCK_SIZE * WAVE_BLOCKS,
    SAMPLE_MARGIN = 16 /* the soup gets room for what the first blocks let expect, and a sixteenth more */
};

/* Is this the word, in upper or lower case? */
static bool word_is(const char *at, const char *word)
{
    size_t length = strlen(word);
    return strncasecmp(at, word, length) == 0 && io_ends_word(at[length]);
}

static const char *skip_line(const char *at)
{
    const char *end = strchr(at, '\n');
    return end ? end + 1 : at + strlen(at);
}

static const char *next_word(const char *at)
{
    while (io_is_blank(*at) || *at == '\n')
        at++;
    return at;
}

static const char *skip_word(const char *at)
{
    while (!io_ends_word(*at))
        at++;
    return at;
}

static carom_status expect_word(const io_source *source, const char **at, const char *word)
{
    *at = next_word(*at);
    if (!word_is(*at, word))
    {
        char found[IO_QUOTE_SIZE];
        if (**at == '\0')
            return io_fail_at(source, *at, "the file ends where '%s' should be", word);
        return io_fail_at(source, *at, "'%s' where '%s' should be", io_quote(*at, found), word);
    }
    *at += strlen(word);
    return CAROM_OK;
}

/* From after "facet" to after "endfacet". */
static carom_status read_facet(const io_source *source, io_soup *soup, const char **at)
{
    /* the normal, which may be nan, up to the word outer */
    BASE_TRY(expect_word(source, at, "normal"));
    for (int i = 0; i < 3; i++)
    {
        const char *word = next_word(*at);
        if (!word_is(word, "outer"))
            *at = skip_word(word);
    }
    BASE_TRY(expect_word(source, at, "outer"));
    BASE_TRY(expect_word(source, at, "loop"));
    if (!io_array_reserve(soup->context, &soup->vertices, 3))
        return io_out_of_memory(source);
    for (int corner = 0; corner < 3; corner++)
    {
        BASE_TRY(expect_word(source, at, "vertex"));
        BASE_TRY(io_read_point(source, at, soup->vertices.items + soup->vertices.count));
        soup->vertices.count++;
    }
    BASE_TRY(expect_word(source, at, "endloop"));
    return expect_word(source, at, "endfacet");
}

/* The name of a solid, to the end of the line; *at is after the word. */
static carom_status read_name(const io_source *source, io_soup *soup, const char **at)
{
    const char *name = io_skip_blanks(*at), *line_end = strchr(name, '\n');
    if (!line_end)
        line_end = source->end;
    /* a first facet on the same line is not part of the name */
    if (word_is(name, "facet"))
        line_end = name;
    if (!io_soup_begin_part(soup, name, line_end))
        return io_out_of_memory(source);
    *at = line_end;
    return CAROM_OK;
}

/* Where reading is. */
typedef struct stl_state
{
    const char *at;
    bool inside; /* a solid, between two facets */
} stl_state;

/* Until the next word is at or beyond the limit. */
static carom_status read_until(const io_source *source, io_soup *soup, const char *limit, stl_state *state)
{
    for (;;)
    {
        state->at = next_word(state->at);
        if (state->at >= limit)
            return CAROM_OK;
        if (!state->inside)
        {
            BASE_TRY(expect_word(source, &state->at, "solid"));
            BASE_TRY(read_name(source, soup, &state->at));
            state->inside = true;
        }
        else if (word_is(state->at, "facet"))
        {
            state->at += strlen("facet");
            BASE_TRY(read_facet(source, soup, &state->at));
            if (soup->vertices.count > MAX_CORNERS)
                return io_fail_at(source, state->at, "more triangles than a mesh can hold");
        }
        else
        {
            BASE_TRY(expect_word(source, &state->at, "endsolid"));
            state->at = skip_line(state->at);
            state->inside = false;
        }
    }
}

/* ---- blocks ---- */

typedef struct stl_block
{
    const char *begin, *end;
    io_soup soup; /* its memory is used again by the blocks of the next wave */
    bool fits;    /* was read to its end, and what follows is inside a solid, if anything does */
} stl_block;

typedef struct stl_blocks
{
    const io_source *source; /* the text, or what the window has of it */
    bool begins_inside, ends_inside;
    size_t bytes_before, bytes_in_all; /* of the file: before this text; 0: not known */
    size_t count;                      /* blocks of this text */
    size_t wave_first;
    stl_block wave[WAVE_BLOCKS];
    io_soup joined; /* what a wave has read */
} stl_blocks;

/* The first line that begins with the word, at or after a position; the end if there is none. */
static const char *find_facet_line(const io_source *source, const char *at)
{
    for (;;)
    {
        at = strchr(at, '\n');
        if (!at)
            return source->end;
        at = next_word(at);
        if (word_is(at, "facet"))
            return at;
    }
}

static const char *block_begin(const stl_blocks *blocks, size_t block)
{
    const io_source *source = blocks->source;
    size_t size = (size_t)(source->end - source->begin);
    if (block == 0)
        return source->begin;
    return block >= blocks->count ? source->end : find_facet_line(source, source->begin + size / blocks->count * block);
}

static void clear_soup(io_soup *soup) { soup->vertices.count = soup->parts.count = soup->names.count = 0; }

static void read_blocks(uint32_t first, uint32_t last, uint32_t worker, void *task_data)
{
    stl_blocks *blocks = task_data;
    (void)worker;
    for (uint32_t i = first; i < last; i++)
    {
        stl_block *block = &blocks->wave[i];
        block->begin = block_begin(blocks, blocks->wave_first + i);
        block->end = block_begin(blocks, blocks->wave_first + i + 1);
        clear_soup(&block->soup);
        char message[IO_MESSAGE_SIZE]; /* the error comes up again when the rest is read */
        io_source source = *blocks->source;
        source.message = message;
        stl_state state = {block->begin, block->begin > source.begin || blocks->begins_inside};
        /* a line longer than a block leaves an empty one */
        block->fits = block->begin == block->end ||
                      (read_until(&source, &block->soup, block->end, &state) == CAROM_OK && state.at == block->end &&
                       state.inside == (block->end < source.end || blocks->ends_inside));
    }
}

/* Adds the parts and corners of one soup without numbers to another; false when out of memory. */
static bool append_soup(const io_soup *from, io_soup *to)
{
    size_t begin = to->vertices.count;
    if (!io_array_reserve(to->context, &to->vertices, from->vertices.count))
        return false;
    for (size_t i = 0; i < from->parts.count; i++)
    {
        const char *name = from->names.items + from->parts.items[i].name_offset;
        to->vertices.count = begin + 3 * (size_t)from->parts.items[i].first_triangle;
        if (!io_soup_begin_part(to, name, name + strlen(name)))
            return false;
    }
    if (from->vertices.count > 0)
        memcpy(to->vertices.items + begin, from->vertices.items, from->vertices.count * sizeof *from->vertices.items);
    to->vertices.count = begin + from->vertices.count;
    return true;
}

/* Moves what was read to where corners get numbers. */
static carom_status flush(io_soup *read, io_corners *corners)
{
    io_soup *soup = corners->soup;
    size_t begin = soup->indices.count;
    for (size_t i = 0; i < read->parts.count; i++)
    {
        const char *name = read->names.items + read->parts.items[i].name_offset;
        soup->indices.count = begin + 3 * (size_t)read->parts.items[i].first_triangle;
        bool begun = io_soup_begin_part(soup, name, name + strlen(name));
        soup->indices.count = begin;
        if (!begun)
            return CAROM_OUT_OF_MEMORY;
    }
    BASE_TRY(io_corners_add(corners, read->vertices.items, read->vertices.count));
    clear_soup(read);
    return CAROM_OK;
}

/* Makes room for what the text up to here lets expect of all of it. */
static bool expect_corners(const stl_blocks *blocks, const char *up_to, io_corners *corners)
{
    size_t read = blocks->bytes_before + (size_t)(up_to - blocks->source->begin);
    size_t had = corners->soup->indices.count, count = had + blocks->joined.vertices.count;
    if (corners->soup->indices.capacity >= count)
        return true;
    size_t expected = (size_t)(fmax(1, (double)blocks->bytes_in_all / (double)read) * (double)count);
    return io_corners_expect(corners, expected - had + expected / SAMPLE_MARGIN);
}

/* Puts together the blocks of a wave up to the first that does not fit; *rest is where that begins. */
static carom_status join_wave(stl_blocks *blocks, uint32_t count, io_corners *corners, stl_state *rest)
{
    uint32_t i = 0;
    for (; i < count; i++)
    {
        const stl_block *block = &blocks->wave[i];
        size_t before = corners->soup->indices.count + blocks->joined.vertices.count;
        if (!block->fits || before + block->soup.vertices.count > MAX_CORNERS)
            break;
        if (!append_soup(&block->soup, &blocks->joined))
            return io_out_of_memory(blocks->source);
        *rest = (stl_state){block->end, block->end < blocks->source->end || blocks->ends_inside};
    }
    carom_status status =
        expect_corners(blocks, rest->at, corners) ? flush(&blocks->joined, corners) : CAROM_OUT_OF_MEMORY;
    return status == CAROM_OUT_OF_MEMORY ? io_out_of_memory(blocks->source) : status;
}

/* Reads wave after wave; *rest is where the last block that fits ended. */
static carom_status read_waves(stl_blocks *blocks, io_corners *corners, stl_state *rest)
{
    size_t size = (size_t)(blocks->source->end - blocks->source->begin);
    blocks->count = size / BLOCK_SIZE > 1 ? size / BLOCK_SIZE : 1;
    for (blocks->wave_first = 0; blocks->wave_first < blocks->count; blocks->wave_first += WAVE_BLOCKS)
    {
        size_t left = blocks->count - blocks->wave_first;
        uint32_t count = left < WAVE_BLOCKS ? (uint32_t)left : WAVE_BLOCKS;
        BASE_TRY(carom_context_run(corners->soup->context, count, 1, read_blocks, blocks));
        const char *end = blocks->wave[count - 1].end;
        BASE_TRY(join_wave(blocks, count, corners, rest));
        if (rest->at != end)
            return CAROM_OK;
    }
    return CAROM_OK;
}

/* Null when out of memory. */
static stl_blocks *create_blocks(const io_source *source, size_t bytes_in_all)
{
    stl_blocks *blocks = carom_context_allocate(source->context, sizeof *blocks, _Alignof(stl_blocks));
    if (!blocks)
        return NULL;
    *blocks = (stl_blocks){.source = source, .bytes_in_all = bytes_in_all};
    blocks->joined = (io_soup){.context = source->context, .unindexed = true};
    for (int i = 0; i < WAVE_BLOCKS; i++)
        blocks->wave[i].soup = blocks->joined;
    return blocks;
}

static void destroy_blocks(carom_context *context, stl_blocks *blocks)
{
    if (!blocks)
        return;
    for (int i = 0; i < WAVE_BLOCKS; i++)
        io_soup_free(&blocks->wave[i].soup);
    io_soup_free(&blocks->joined);
    carom_context_release(context, blocks, sizeof *blocks);
}

/* In one go, to the end of the text. */
static carom_status read_rest(const io_source *source, io_corners *corners, stl_state state)
{
    io_soup read = {.context = source->context, .unindexed = true};
    carom_status status = read_until(source, &read, source->end, &state);
    if (status == CAROM_OK && state.inside)
        status = expect_word(source, &state.at, "endsolid");
    if (status == CAROM_OK && corners->soup->indices.count + read.vertices.count > MAX_CORNERS)
        status = io_fail_at(source, state.at, "more triangles than a mesh can hold");
    if (status == CAROM_OK)
        status = flush(&read, corners);
    io_soup_free(&read);
    return status == CAROM_OUT_OF_MEMORY ? io_out_of_memory(source) : status;
}

static carom_status read_text(const io_source *source, io_corners *corners)
{
    size_t size = (size_t)(source->end - source->begin);
    stl_state rest = {source->begin, false};
    if (*next_word(source->begin) == '\0')
        return expect_word(source, &rest.at, "solid");
    if (size >= 2 * (size_t)BLOCK_SIZE)
    {
        stl_blocks *blocks = create_blocks(source, size);
        carom_status status = blocks ? read_waves(blocks, corners, &rest) : io_out_of_memory(source);
        destroy_blocks(source->context, blocks);
        BASE_TRY(status);
    }
    return read_rest(source, corners, rest);
}

carom_status io_stl_read_text(io_source *source, io_soup *soup)
{
    BASE_TRY(io_source_to_text(source));
    io_corners corners = {.soup = soup};
    carom_status status = read_text(source, &corners);
    io_corners_free(&corners);
    return status;
}

/* ---- through a window ---- */

/* The last line in the window that begins with the word; null if there is none. */
static char *find_last_facet_line(const io_source *window)
{
    char *word = window->end; /* the first one after this position */
    for (char *at = window->end; at-- > window->begin;)
        if (*at == '\n' && word_is(word, "facet"))
            return word;
        else if (!io_is_blank(*at) && *at != '\n')
            word = at;
    return NULL;
}

/* One window after another; *complete: all of the file, and every block fit. */
static carom_status read_windows(io_source *window, stl_blocks *blocks, io_corners *corners, bool *complete)
{
    bool at_end = false;
    char *filled = window->begin;
    while (!at_end)
    {
        BASE_TRY(io_source_fill(window, &filled, &at_end));
        window->end = filled;
        if (strlen(window->begin) < (size_t)(filled - window->begin)) /* a zero byte */
            return CAROM_OK;
        if (!at_end)
            window->end = find_last_facet_line(window);
        if (!window->end || window->end == window->begin)
            return CAROM_OK;
        blocks->ends_inside = !at_end;
        stl_state rest = {window->begin, false};
        BASE_TRY(read_waves(blocks, corners, &rest));
        if (rest.at != window->end || rest.inside != blocks->ends_inside)
            return CAROM_OK;
        blocks->bytes_before += (size_t)(window->end - window->begin);
        blocks->begins_inside = true;
        memmove(window->begin, window->end, (size_t)(filled - window->end));
        filled -= window->end - window->begin;
    }
    *complete = true;
    return CAROM_OK;
}

carom_status io_stl_stream_text(io_source *source, io_soup *soup, bool *complete)
{
    char message[IO_MESSAGE_SIZE]; /* the error comes up again when the file is read as a whole */
    io_source window = {.context = source->context, .name = source->name, .message = message, .file = source->file};
    io_corners corners = {.soup = soup};
    *complete = false;
    window.file_size = source->file_size;
    window.capacity = WINDOW_SIZE;
    window.begin = carom_context_allocate(source->context, window.capacity, BASE_CACHE_LINE);
    stl_blocks *blocks = window.begin ? create_blocks(&window, source->file_size) : NULL;
    carom_status status = blocks ? CAROM_OK : io_out_of_memory(source);
    if (status == CAROM_OK)
        status = read_windows(&window, blocks, &corners, complete);
    if (status == CAROM_CANCELLED)
        memcpy(source->message, message, sizeof message);
    io_corners_free(&corners);
    destroy_blocks(source->context, blocks);
    carom_context_release(source->context, window.begin, window.capacity);
    return status;
}
