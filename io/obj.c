/* OBJ: the polygonal part. v and f, with texture and normal indices ignored; o and g name parts; points, lines and
 * free-form elements are counted; everything else (materials, smoothing) is skipped. */
#include "io/polygon.h"

enum
{
    STEP_SIZE = 1 << 20, /* bytes between two calls of the caller's hook */
    MIN_WORK = 100000000 /* corners looked at while polygons are cut: some seconds */
};

typedef struct obj_reader
{
    io_source *source;
    io_soup *soup;
    io_polygon polygon;
    const char *unknown;   /* first statement that is not one of OBJ's */
    const char *next_step; /* where to call the caller's hook next */
} obj_reader;

static carom_status step(obj_reader *reader, const char *at)
{
    const io_source *source = reader->source;
    reader->next_step = at + STEP_SIZE;
    return io_step(source, "parse", (size_t)(at - source->begin), (size_t)(source->end - source->begin));
}

/* To the start of the next line; a continued line counts as one. */
static const char *skip_statement(const char *at)
{
    for (;;)
    {
        const char *end = strchr(at, '\n');
        if (!end)
            return at + strlen(at);
        const char *last = end;
        while (last > at && last[-1] == '\r')
            last--;
        if (last == at || last[-1] != '\\')
            return end + 1;
        at = end + 1;
    }
}

static const char *skip_comment(const char *at)
{
    const char *end = strchr(at, '\n');
    return end ? end + 1 : at + strlen(at);
}

/* What follows three coordinates should be numbers, or a comment. */
static void check_extras(obj_reader *reader, const char *at)
{
    for (double ignored; *at != '\n' && *at != '\0' && *at != '#'; at = io_skip_blanks(at))
    {
        const char *end = io_parse_number(at, &ignored);
        if (!end || !(io_ends_word(*end) || *end == '\\'))
        {
            io_note_at(reader->source, at, &reader->soup->skipped);
            return;
        }
        at = end;
    }
}

static carom_status read_vertex(obj_reader *reader, const char **at)
{
    io_soup *soup = reader->soup;
    ++*at; /* past the v */
    if (!io_array_reserve(soup->context, &soup->vertices, 1))
        return io_out_of_memory(reader->source);
    if (soup->vertices.count >= UINT32_MAX - 1)
        return io_fail_at(reader->source, *at, "more vertices than a mesh can hold");
    BASE_TRY(io_read_point(reader->source, at, soup->vertices.items + soup->vertices.count));
    soup->vertices.count++;
    /* a weight or a colour may follow */
    const char *rest = io_skip_blanks(*at);
    if (BASE_UNLIKELY(*rest != '\n'))
        check_extras(reader, rest);
    *at = *rest == '\n' ? rest + 1 : skip_statement(rest);
    return CAROM_OK;
}

/* Digits with a sign; null if there are none. Far above any vertex count where it does not fit. */
static const char *parse_index(const char *at, int64_t *out)
{
    bool negative = *at == '-';
    at += *at == '-' || *at == '+';
    if ((unsigned char)(*at - '0') >= 10)
        return NULL;
    uint64_t value = 0;
    const char *first = at;
    for (; (unsigned char)(*at - '0') < 10; at++)
        value = 10 * value + (uint64_t)(*at - '0');
    if (at - first > 18)
        value = (uint64_t)1 << 60;
    *out = negative ? -(int64_t)value : (int64_t)value;
    return at;
}

/* /vt, /vt/vn, //vn: checked, but not used. */
static const char *skip_attributes(const char *at)
{
    for (int slashes = 0; *at == '/'; slashes++)
    {
        if (slashes == 2)
            return NULL;
        at++;
        int64_t ignored;
        const char *end = parse_index(at, &ignored);
        at = end ? end : at;
    }
    return at;
}

static carom_status fail_corner(const obj_reader *reader, const char *at, int64_t index)
{
    char word[IO_QUOTE_SIZE];
    size_t count = reader->soup->vertices.count;
    if (index == 0)
        return io_fail_at(reader->source, at, "corner '%s' is not a vertex index", io_quote(at, word));
    /* quoted, not printed: a number that does not fit is still the one in the file */
    return io_fail_at(reader->source, at, "vertex index '%s', but %zu vertices come before it", io_quote(at, word),
                      count);
}

static carom_status read_corner(obj_reader *reader, const char **at)
{
    io_polygon *polygon = &reader->polygon;
    int64_t index = 0, count = (int64_t)reader->soup->vertices.count;
    const char *end = parse_index(*at, &index);
    if (BASE_UNLIKELY(end && *end == '/'))
        end = skip_attributes(end);
    if (BASE_UNLIKELY(!end || !(io_ends_word(*end) || *end == '\\')))
        return fail_corner(reader, *at, 0);
    if (BASE_UNLIKELY(index == 0 || index > count || index < -count))
        return fail_corner(reader, *at, index);
    if (!io_array_reserve(polygon->context, &polygon->vertices, 1))
        return io_out_of_memory(reader->source);
    polygon->vertices.items[polygon->vertices.count++] = (uint32_t)(index > 0 ? index - 1 : count + index);
    *at = end;
    return CAROM_OK;
}

static carom_status read_face(obj_reader *reader, const char **at)
{
    const char *start = (*at)++; /* past the f */
    reader->polygon.vertices.count = 0;
    for (;;)
    {
        *at = io_skip_blanks(*at);
        if (**at == '\n' || **at == '\0' || **at == '#')
            break;
        if (BASE_UNLIKELY(*at >= reader->next_step))
            BASE_TRY(step(reader, *at));
        BASE_TRY(read_corner(reader, at));
    }
    size_t corners = reader->polygon.vertices.count;
    if (corners < 3)
        return io_fail_at(reader->source, start, "a face has %zu corners", corners);
    if (reader->soup->indices.count / 3 + corners >= (size_t)1 << 31)
        return io_fail_at(reader->source, start, "more triangles than a mesh can hold");
    reader->polygon.at = start;
    carom_status status = io_polygon_triangulate(&reader->polygon, reader->soup);
    if (status == CAROM_OUT_OF_MEMORY)
        return io_out_of_memory(reader->source);
    BASE_TRY(status);
    if (reader->polygon.is_odd)
        io_note_at(reader->source, start, &reader->soup->odd_faces);
    if (reader->polygon.is_too_complex)
        io_note_at(reader->source, start, &reader->soup->complex_faces);
    *at = skip_comment(*at);
    return CAROM_OK;
}

static carom_status read_name(obj_reader *reader, const char **at)
{
    const char *name = io_skip_blanks(*at);
    const char *end = strchr(name, '\n');
    if (!end)
        end = reader->source->end;
    if (!io_soup_begin_part(reader->soup, name, end))
        return io_out_of_memory(reader->source);
    *at = end;
    return CAROM_OK;
}

static const char *const other_statements[] = {
    "vn",     "vt",     "vp",    "cstype", "deg",      "bmat",     "step",       "parm",      "trim",   "hole",
    "scrv",   "sp",     "end",   "con",    "s",        "mg",       "bevel",      "lod",       "usemtl", "mtllib",
    "maplib", "usemap", "ctech", "stech",  "c_interp", "d_interp", "shadow_obj", "trace_obj", "csh",
};

/* Those that are geometry; the last four are of old versions. */
static const char *const free_form_statements[] = {"curv", "curv2", "surf", "bzp", "bsp", "cdc", "cdp"};

static bool is_one_of(const char *at, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
    {
        size_t length = strlen(words[i]);
        if (strncmp(at, words[i], length) == 0 && io_ends_word(at[length]))
            return true;
    }
    return false;
}

/* One statement that is neither a vertex nor a face. */
static carom_status read_other(obj_reader *reader, const char **at)
{
    const char *word = *at;
    bool single = io_ends_word(word[1]);
    if (*word == '#')
        return *at = skip_comment(word), CAROM_OK;
    if (single && (*word == 'o' || *word == 'g'))
        return *at = word + 1, read_name(reader, at);
    if (single && *word == 'p')
        reader->soup->ignored_points++;
    else if (single && *word == 'l')
        reader->soup->ignored_lines++;
    else if (is_one_of(word, free_form_statements, sizeof free_form_statements / sizeof *free_form_statements))
        io_note_at(reader->source, word, &reader->soup->free_form);
    else if (!is_one_of(word, other_statements, sizeof other_statements / sizeof *other_statements))
    {
        reader->unknown = reader->unknown ? reader->unknown : word;
        io_note_at(reader->source, word, &reader->soup->skipped);
    }
    *at = skip_statement(word);
    return CAROM_OK;
}

static carom_status read_statements(obj_reader *reader)
{
    for (const char *at = reader->source->begin;;)
    {
        if (BASE_UNLIKELY(at >= reader->next_step))
            BASE_TRY(step(reader, at));
        at = io_skip_blanks(at);
        if (*at == '\0')
            return CAROM_OK;
        if (*at == '\n')
            at++;
        else if (*at == 'v' && io_ends_word(at[1]))
            BASE_TRY(read_vertex(reader, &at));
        else if (*at == 'f' && io_ends_word(at[1]))
            BASE_TRY(read_face(reader, &at));
        else
            BASE_TRY(read_other(reader, &at));
    }
}

carom_status io_obj_read(io_source *source, io_soup *soup)
{
    BASE_TRY(io_source_to_text(source));
    /* hostile polygons must not cost more than a constant times the file's size */
    uint64_t work = MIN_WORK + 16 * (uint64_t)(source->end - source->begin);
    obj_reader reader = {.source = source,
                         .soup = soup,
                         .polygon = {.context = source->context, .source = source, .work_left = work},
                         .next_step = source->begin};
    carom_status status = read_statements(&reader);
    io_polygon_free(&reader.polygon);
    if (status == CAROM_OK && soup->vertices.count == 0 && reader.unknown)
    {
        char word[IO_QUOTE_SIZE];
        return io_fail_at(source, reader.unknown, "'%s' is not an OBJ statement, and the file has no vertices",
                          io_quote(reader.unknown, word));
    }
    return status;
}

/* What does not begin as text is refused before all of it is read. */
carom_status io_obj_stream(io_source *source, io_soup *soup, bool *complete)
{
    enum
    {
        SNIFF_SIZE = 4096
    };
    char first[SNIFF_SIZE];
    size_t size = io_source_peek(source, first, sizeof first);
    (void)soup;
    *complete = false;
    bool wide = size >= 2 && ((unsigned char)first[0] == 0xfe || (unsigned char)first[0] == 0xff); /* UTF-16 */
    const char *zero = wide ? NULL : memchr(first, '\0', size);
    if (!zero)
        return CAROM_OK;
    *complete = true;
    io_source begin = *source;
    begin.begin = first;
    return io_fail_at(&begin, zero, "byte %zu is zero: this is not text", (size_t)(zero - first));
}

carom_status io_obj_write(io_output *output, const carom_mesh *mesh, const io_write_options *options)
{
    (void)options;
    carom_mesh_info info = carom_mesh_get_info(mesh);
    const carom_vec3 *vertices = carom_mesh_vertices(mesh);
    const uint32_t *indices = carom_mesh_indices(mesh);
    io_output_print(output, "# written by carom\n");
    for (uint32_t i = 0; i < info.vertex_count; i++)
    {
        io_output_print(output, "v ");
        io_output_number(output, vertices[i].x, ' ');
        io_output_number(output, vertices[i].y, ' ');
        io_output_number(output, vertices[i].z, '\n');
    }
    for (size_t i = 0; i < info.triangle_count; i++)
    {
        io_output_print(output, "f ");
        for (int c = 0; c < 3; c++)
            io_output_integer(output, (uint64_t)indices[3 * i + (size_t)c] + 1, c < 2 ? ' ' : '\n');
    }
    return CAROM_OK;
}
