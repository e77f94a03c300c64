/* Output that is written as it is made: text and JSON, to standard output or to a file. */
#include "tool/out.h"
#include "tool/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool tool_out_open(const tool_command *command, carom_context *context, const char *path, tool_out *out)
{
    *out = (tool_out){.command = command, .context = context};
    tool_clear_progress();
    carom_status status = path ? io_output_open(context, path, &out->file) : CAROM_OK;
    if (carom_failed(status))
        tool_fail_status(command, context, status);
    return !carom_failed(status);
}

void tool_out_write(tool_out *out, const void *bytes, size_t size)
{
    if (out->file)
        io_output_write(out->file, bytes, size);
    else if (!out->failed && fwrite(bytes, 1, size, stdout) != size)
        out->failed = true;
}

void tool_out_print(tool_out *out, const char *format, ...)
{
    char short_text[512], *text = short_text;
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(short_text, sizeof short_text, format, arguments);
    if (length >= (int)sizeof short_text)
    {
        text = malloc((size_t)length + 1);
        if (text)
            length = vsnprintf(text, (size_t)length + 1, format, again);
    }
    va_end(again);
    va_end(arguments);
    if (text && length >= 0)
        tool_out_write(out, text, (size_t)length);
    else
        out->failed = true;
    if (text != short_text)
        free(text);
}

void tool_out_name(tool_out *out, const char *name, int width)
{
    char piece[TEXT_PIECE_SIZE];
    int columns, sum = 0;
    while ((name = text_next_safe(name, piece, &columns)) != NULL)
    {
        tool_out_write(out, piece, strlen(piece));
        sum += columns;
    }
    for (; sum < width; sum++)
        tool_out_write(out, " ", 1);
}

int tool_out_close(tool_out *out, int code)
{
    bool failed = out->failed;
    if (!out->file)
    {
        failed = fflush(stdout) != 0 || ferror(stdout) || failed;
        return failed ? tool_fail(out->command, "the output could not be written") : code;
    }
    if (failed)
        return tool_out_abandon(out), tool_fail(out->command, "the output could not be written: out of memory");
    carom_status status = io_output_commit(out->file);
    out->file = NULL;
    return carom_failed(status) ? tool_fail_status(out->command, out->context, status) : code;
}

void tool_out_abandon(tool_out *out)
{
    io_output_abandon(out->file);
    out->file = NULL;
}

const char *tool_out_tint(const tool_out *out, const char *sequence) { return out->file ? "" : sequence; }

/* ---- JSON ---- */

static void write_text(tool_out *out, const char *text) { tool_out_write(out, text, strlen(text)); }

static void write_quoted(tool_out *out, const char *text)
{
    char piece[TEXT_PIECE_SIZE];
    write_text(out, "\"");
    while ((text = text_next_json(text, piece)) != NULL)
        write_text(out, piece);
    write_text(out, "\"");
}

static void new_line(const tool_writer *writer)
{
    write_text(writer->out, "\n");
    for (int i = 0; i < writer->depth; i++)
        write_text(writer->out, "  ");
}

/* Everything before a value: comma, line, key. */
static void begin_value(tool_writer *writer, const char *key)
{
    if (writer->depth > 0)
    {
        bool any = writer->levels[writer->depth - 1].any, inside = writer->levels[writer->depth - 1].inside;
        write_text(writer->out, any ? inside ? ", " : "," : "");
        if (!inside)
            new_line(writer);
        writer->levels[writer->depth - 1].any = true;
    }
    if (key)
        write_quoted(writer->out, key), write_text(writer->out, ": ");
}

static void begin(tool_writer *writer, const char *key, char bracket, bool inside)
{
    begin_value(writer, key);
    tool_out_write(writer->out, &bracket, 1);
    if (writer->depth > 0)
        inside = inside || writer->levels[writer->depth - 1].inside;
    if (writer->depth < WRITER_DEPTH) /* no document of ours is that deep */
    {
        writer->levels[writer->depth].any = false;
        writer->levels[writer->depth].inside = inside;
        writer->levels[writer->depth++].end = bracket == '{' ? '}' : ']';
    }
}

void writer_begin(tool_writer *writer, const char *key, char bracket) { begin(writer, key, bracket, false); }
void writer_begin_line(tool_writer *writer, const char *key, char bracket) { begin(writer, key, bracket, true); }

void writer_end(tool_writer *writer)
{
    writer->depth--;
    if (writer->levels[writer->depth].any && !writer->levels[writer->depth].inside)
        new_line(writer);
    tool_out_write(writer->out, &writer->levels[writer->depth].end, 1);
    if (writer->depth == 0)
        write_text(writer->out, "\n");
}

void writer_text(tool_writer *writer, const char *key, const char *text)
{
    begin_value(writer, key);
    if (text)
        write_quoted(writer->out, text);
    else
        write_text(writer->out, "null");
}

void writer_number(tool_writer *writer, const char *key, double value)
{
    char text[IO_NUMBER_SIZE] = "null";
    begin_value(writer, key);
    if (isfinite(value))
        io_format_number(value, text);
    write_text(writer->out, text);
    if (isfinite(value) && !strpbrk(text, ".eE")) /* a measure, not a count */
        write_text(writer->out, ".0");
}

void writer_count(tool_writer *writer, const char *key, uint64_t value)
{
    begin_value(writer, key);
    tool_out_print(writer->out, "%llu", (unsigned long long)value);
}

void writer_bool(tool_writer *writer, const char *key, bool value)
{
    begin_value(writer, key);
    write_text(writer->out, value ? "true" : "false");
}

void writer_null(tool_writer *writer, const char *key)
{
    begin_value(writer, key);
    write_text(writer->out, "null");
}

void writer_hash(tool_writer *writer, const char *key, uint64_t hash)
{
    char text[17];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    writer_text(writer, key, text);
}

void writer_point(tool_writer *writer, const char *key, carom_vec3 point)
{
    writer_begin_line(writer, key, '[');
    writer_number(writer, NULL, point.x);
    writer_number(writer, NULL, point.y);
    writer_number(writer, NULL, point.z);
    writer_end(writer);
}

void writer_pose(tool_writer *writer, const char *key, const carom_pose *pose)
{
    double numbers[12];
    memcpy(numbers, pose->rotation, sizeof pose->rotation);
    memcpy(numbers + 9, &pose->translation, sizeof pose->translation);
    writer_begin_line(writer, key, '[');
    for (int i = 0; i < 12; i++)
        writer_number(writer, NULL, numbers[i]);
    writer_end(writer);
}

void writer_counters(tool_writer *writer, const char *key, const carom_counters *counters)
{
    writer_begin(writer, key, '{');
    writer_count(writer, "boxes_tested", counters->boxes_tested);
    writer_count(writer, "triangles_tested", counters->triangles_tested);
    writer_count(writer, "volumes_updated", counters->volumes_updated);
    writer_count(writer, "filter_undecided", counters->filter_undecided);
    writer_count(writer, "exact_fallbacks", counters->exact_fallbacks);
    writer_number(writer, "sampled_size", counters->sampled_size);
    writer_end(writer);
}

void writer_left_out(tool_writer *writer, const char *key, const tool_left_out *left_out)
{
    writer_begin(writer, key, '{');
    writer_count(writer, "points", left_out->points);
    writer_count(writer, "lines", left_out->lines);
    writer_count(writer, "free_form", left_out->free_form);
    writer_count(writer, "statements", left_out->statements);
    writer_count(writer, "bytes", left_out->bytes);
    writer_count(writer, "odd_faces", left_out->odd_faces);
    writer_count(writer, "complex_faces", left_out->complex_faces);
    writer_end(writer);
}

void writer_times(tool_writer *writer, const char *key, const carom_times *times)
{
    writer_begin(writer, key, '{');
    writer_number(writer, "broad_ms", times->broad_ms);
    writer_number(writer, "mid_ms", times->mid_ms);
    writer_number(writer, "narrow_ms", times->narrow_ms);
    writer_number(writer, "report_ms", times->report_ms);
    writer_number(writer, "total_ms", times->total_ms);
    writer_end(writer);
}
