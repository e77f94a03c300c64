/* Where a command's data goes, as text or JSON: standard output, or a file that is written completely or not at all.
 * Nothing is kept in memory, and every write is checked: the first failure is remembered until tool_out_close. */
#ifndef TOOL_OUT_H
#define TOOL_OUT_H

#include "tool/inputs.h"

typedef struct tool_out
{
    const tool_command *command;
    carom_context *context;
    io_output *file; /* null: standard output */
    bool failed;
} tool_out;

/* path: null for standard output. False after a message. */
bool tool_out_open(const tool_command *command, carom_context *context, const char *path, tool_out *out);
void tool_out_write(tool_out *out, const void *bytes, size_t size);
void tool_out_print(tool_out *out, const char *format, ...) TOOL_PRINTF(2, 3);
/* A name from outside, made safe, and padded to a width. */
void tool_out_name(tool_out *out, const char *name, int width);

/* Completes the output: returns the code given, or TOOL_ERROR after a message. */
int tool_out_close(tool_out *out, int code);
/* Drops what is in a file so far. */
void tool_out_abandon(tool_out *out);

/* Terminal sequences; empty for files. */
const char *tool_out_tint(const tool_out *out, const char *sequence);

/* ---- JSON, written piece by piece ---- */

enum
{
    WRITER_DEPTH = 16
};

typedef struct tool_writer
{
    tool_out *out;
    int depth;
    struct
    {
        bool any;    /* something is in it already */
        bool inside; /* written in one line */
        char end;
    } levels[WRITER_DEPTH];
} tool_writer;

/* The key is null in arrays and for the outermost value. */
void writer_begin(tool_writer *writer, const char *key, char bracket);      /* '{' or '[' */
void writer_begin_line(tool_writer *writer, const char *key, char bracket); /* all in one line */
void writer_end(tool_writer *writer);
void writer_text(tool_writer *writer, const char *key, const char *text); /* null: null */
void writer_number(tool_writer *writer, const char *key, double value);   /* null if not finite */
void writer_count(tool_writer *writer, const char *key, uint64_t value);
void writer_bool(tool_writer *writer, const char *key, bool value);
void writer_null(tool_writer *writer, const char *key);
void writer_hash(tool_writer *writer, const char *key, uint64_t hash);
void writer_point(tool_writer *writer, const char *key, carom_vec3 point);
void writer_pose(tool_writer *writer, const char *key, const carom_pose *pose); /* 12 numbers */
void writer_counters(tool_writer *writer, const char *key, const carom_counters *counters);
void writer_left_out(tool_writer *writer, const char *key, const tool_left_out *left_out);
void writer_times(tool_writer *writer, const char *key, const carom_times *times);

#endif
