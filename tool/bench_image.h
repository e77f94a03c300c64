/* What the files of carom bench image share. */
#ifndef TOOL_BENCH_IMAGE_H
#define TOOL_BENCH_IMAGE_H

#include "tool/image_bench.h"
#include "tool/tool.h"

/* Rows that were measured, by scene. */
typedef struct bench_image_table
{
    const tool_command *command;
    const image_bench_options *options;
    carom_context *context;
    image_bench_row *rows[IMAGE_BENCH_SCENES][IMAGE_BENCH_SIZES];
    uint32_t counts[IMAGE_BENCH_SCENES];
} bench_image_table;

void bench_image_print(const bench_image_table *table);
int bench_image_print_json(const bench_image_table *table);
/* Writes figures into a folder that exists. Returns an exit code. */
int bench_image_plot(const bench_image_table *table, const char *folder);
/* --misses; folder: null or for the plot. */
int bench_image_misses(const tool_command *command, carom_context *context, uint64_t pairs, const char *folder);

#endif
