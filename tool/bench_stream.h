/* What the files of carom bench stream share. */
#ifndef TOOL_BENCH_STREAM_H
#define TOOL_BENCH_STREAM_H

#include "tool/stream_bench.h"
#include "tool/tool.h"

enum
{
    BENCH_STREAM_ROWS = STREAM_BENCH_SCENES * STREAM_BENCH_SIZES
};

/* Of table 3-1, ms; 0: not given. */
typedef struct bench_stream_published
{
    double scd[3], recode, rapid;
} bench_stream_published;

extern const bench_stream_published BENCH_STREAM_PUBLISHED[STREAM_BENCH_SCENES];

typedef struct bench_stream_table
{
    const tool_command *command;
    const stream_bench_options *options;
    carom_context *context;
    stream_bench_row *rows[BENCH_STREAM_ROWS]; /* by scene, then by size */
    uint32_t row_count;
} bench_stream_table;

/* How many times faster a method is than another: the geometric mean over the scenes of table 3-1 that were measured;
 * NAN: none was with both. */
double bench_stream_mean(const bench_stream_table *table, stream_bench_method method, stream_bench_method other);

void bench_stream_print(const bench_stream_table *table);
int bench_stream_print_json(const bench_stream_table *table);
int bench_stream_cliffs(const bench_stream_table *table);
/* Writes figure-3-16.png to figure-3-18.png. */
int bench_stream_plot(const bench_stream_table *table, const char *folder);

#endif
