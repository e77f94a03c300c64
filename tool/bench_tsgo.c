/* carom bench tsgo: the experiment of the grid paper. Table 1 (oriented box trees only, a hybrid of grid and trees, the
 * topological grid, ours) next to the published columns, figure 3 (the grid's depth) and figure 9 (table 1 as curves),
 * and what the paper's way to locate objects would miss. */
#include "tool/chart.h"
#include "tool/picture.h"
#include "tool/tool.h"
#include "tool/tsgo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum
{
    COLUMN_COUNT = 4,
    PUBLISHED_COUNT = 3
};

static const char *const COLUMNS[COLUMN_COUNT] = {"OBB trees", "hybrid", "TSGO", "ours"};

typedef struct bench_options
{
    uint64_t pieces; /* 0: all rows of the table */
    uint64_t steps, repeats, depth;
    const char *plot;
    bool quick, json;
} bench_options;

/* Rows that were measured. */
typedef struct bench_table
{
    tsgo_row *rows[TSGO_ROW_COUNT];
    uint32_t count;
    uint32_t depth;
} bench_table;

static const tsgo_run *run_of(const tsgo_row *row, int column)
{
    const int methods[COLUMN_COUNT] = {TSGO_TREES, TSGO_HYBRID, TSGO_AT_DEPTH + (int)row->options->depth, TSGO_OURS};
    return &row->runs[methods[column]];
}

/* ---- text ---- */

static void print_table(const bench_table *table)
{
    char text[32];
    printf("Table 1: ms per step, contact points included; depth %u\n", table->depth);
    printf("%7s %10s %8s", "pieces", "triangles", "points");
    for (int k = 0; k < COLUMN_COUNT; k++)
        printf(" %10s", COLUMNS[k]);
    printf(" %10s %12s %10s\n", "OBB/TSGO", "hybrid/TSGO", "TSGO/ours");
    for (uint32_t i = 0; i < table->count; i++)
    {
        const tsgo_row *row = table->rows[i];
        const tsgo_published *published = row->published;
        printf("%7u %10s %8.0f", published->pieces, tool_thousands(published->triangles, text), row->points);
        for (int k = 0; k < COLUMN_COUNT; k++)
            printf(" %10.3f", run_of(row, k)->mean_ms);
        double ms[COLUMN_COUNT];
        for (int k = 0; k < COLUMN_COUNT; k++)
            ms[k] = run_of(row, k)->mean_ms;
        printf(" %10.2f %12.2f %10.2f%s\n", ms[0] / ms[2], ms[1] / ms[2], ms[2] / ms[3],
               row->differ ? "  ANSWERS DIFFER" : "");
        printf("%18s %8u", "published", published->points);
        for (int k = 0; k < PUBLISHED_COUNT; k++)
            printf(" %10.2f", published->ms[k]);
        printf(" %10s %10.2f %12.2f\n", "-", published->ms[0] / published->ms[2], published->ms[1] / published->ms[2]);
    }
}

static void print_work(const bench_table *table)
{
    printf("\nWork per step\n%7s %-10s %12s %12s %12s %12s\n", "pieces", "method", "body pairs", "boxes", "triangles",
           "broad ms");
    for (uint32_t i = 0; i < table->count; i++)
        for (int k = 0; k < COLUMN_COUNT; k++)
        {
            const tsgo_run *run = run_of(table->rows[i], k);
            printf("%7u %-10s %12.0f %12.0f %12.0f %12.3f\n", table->rows[i]->published->pieces, COLUMNS[k], run->pairs,
                   run->boxes, run->triangles, run->broad_ms);
        }
}

static void print_depths(const bench_table *table)
{
    printf("\nFigure 3: ms per step at depth\n%7s", "pieces");
    for (int depth = 0; depth <= TSGO_MAX_DEPTH; depth++)
        printf(" %10d", depth);
    printf(" %10s\n", "automatic");
    for (uint32_t i = 0; i < table->count; i++)
    {
        const tsgo_row *row = table->rows[i];
        printf("%7u", row->published->pieces);
        for (int depth = 0; depth <= TSGO_MAX_DEPTH; depth++)
            printf(" %10.3f", row->runs[TSGO_AT_DEPTH + depth].mean_ms);
        printf(" %10u\n", row->chosen_depth);
    }
    puts("Figure 9 is table 1 as curves.");
}

static void print_missed(const bench_table *table)
{
    printf("\nMissed by the paper's diagonal rule, over all steps (nothing here misses them)\n%7s %12s %10s %12s %10s "
           "%12s %10s\n",
           "pieces", "cells", "missed", "pairs", "missed", "meeting", "missed");
    for (uint32_t i = 0; i < table->count; i++)
    {
        const carom_grid_stats *missed = &table->rows[i]->missed;
        printf("%7u %12llu %10llu %12llu %10llu %12llu %10llu\n", table->rows[i]->published->pieces,
               (unsigned long long)missed->cells, (unsigned long long)missed->cells_missed,
               (unsigned long long)missed->pairs, (unsigned long long)missed->pairs_missed,
               (unsigned long long)missed->body_pairs, (unsigned long long)missed->body_pairs_missed);
    }
}

static void print_text(const bench_table *table)
{
    print_table(table);
    print_work(table);
    print_depths(table);
    print_missed(table);
}

/* ---- JSON ---- */

static json_t *missed_to_json(const carom_grid_stats *missed)
{
    return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I}", "cells", (json_int_t)missed->cells, "cells_missed",
                     (json_int_t)missed->cells_missed, "pairs", (json_int_t)missed->pairs, "pairs_missed",
                     (json_int_t)missed->pairs_missed, "body_pairs", (json_int_t)missed->body_pairs,
                     "body_pairs_missed", (json_int_t)missed->body_pairs_missed);
}

static json_t *row_to_json(const tsgo_row *row)
{
    json_t *ms = json_object(), *published = json_object(), *depths = json_array();
    for (int k = 0; k < COLUMN_COUNT; k++)
        json_object_set_new(ms, COLUMNS[k], tool_json_number(run_of(row, k)->mean_ms));
    for (int k = 0; k < PUBLISHED_COUNT; k++)
        json_object_set_new(published, COLUMNS[k], json_real(row->published->ms[k]));
    for (int depth = 0; depth <= TSGO_MAX_DEPTH; depth++)
        json_array_append_new(depths, tool_json_number(row->runs[TSGO_AT_DEPTH + depth].mean_ms));
    return json_pack("{s:I,s:I,s:o,s:I,s:o,s:o,s:o,s:o,s:I,s:b,s:o}", "pieces", (json_int_t)row->published->pieces,
                     "triangles", (json_int_t)row->published->triangles, "points", tool_json_number(row->points),
                     "published_points", (json_int_t)row->published->points, "meeting_body_pairs",
                     tool_json_number(row->meeting), "ms", ms, "published_ms", published, "ms_by_depth", depths,
                     "automatic_depth", (json_int_t)row->chosen_depth, "answers_equal", !row->differ, "diagonal_rule",
                     missed_to_json(&row->missed));
}

static int print_json(const tool_command *command, const bench_table *table)
{
    json_t *rows = json_array();
    bool equal = true;
    for (uint32_t i = 0; i < table->count; i++)
    {
        json_array_append_new(rows, row_to_json(table->rows[i]));
        equal &= !table->rows[i]->differ;
    }
    return tool_print_json(
        command, json_pack("{s:b,s:I,s:o}", "answers_equal", equal, "depth", (json_int_t)table->depth, "rows", rows));
}

/* ---- plots ---- */

static carom_status plot_depths(carom_context *context, const bench_table *table, const char *path)
{
    static const uint32_t DEPTHS[TSGO_MAX_DEPTH + 1] = {0, 1, 2, 3, 4, 5};
    char names[TSGO_ROW_COUNT][16];
    chart_curves curves = {.title = "figure 3: ms per step, pieces",
                           .x_title = "depth of the grid",
                           .curve_count = table->count,
                           .point_count = TSGO_MAX_DEPTH + 1,
                           .x = DEPTHS};
    for (uint32_t i = 0; i < table->count; i++)
    {
        snprintf(names[i], sizeof names[i], "%u", table->rows[i]->published->pieces);
        curves.names[i] = names[i];
        for (int depth = 0; depth <= TSGO_MAX_DEPTH; depth++)
            curves.y[i][depth] = table->rows[i]->runs[TSGO_AT_DEPTH + depth].mean_ms;
    }
    return chart_write_curves(context, &curves, 1, path);
}

static carom_status plot_times(carom_context *context, const bench_table *table, const char *path)
{
    uint32_t pieces[TSGO_ROW_COUNT];
    chart_curves panels[2] = {{.title = "figure 9: ms per step",
                               .x_title = "pieces",
                               .curve_count = COLUMN_COUNT,
                               .point_count = table->count,
                               .x = pieces},
                              {.title = "as published",
                               .x_title = "pieces",
                               .curve_count = PUBLISHED_COUNT,
                               .point_count = table->count,
                               .x = pieces}};
    for (uint32_t i = 0; i < table->count; i++)
    {
        pieces[i] = table->rows[i]->published->pieces;
        for (int k = 0; k < COLUMN_COUNT; k++)
            panels[0].names[k] = COLUMNS[k], panels[0].y[k][i] = run_of(table->rows[i], k)->mean_ms;
        for (int k = 0; k < PUBLISHED_COUNT; k++)
            panels[1].names[k] = k == 0 ? "RAPID" : COLUMNS[k], panels[1].y[k][i] = table->rows[i]->published->ms[k];
    }
    return chart_write_curves(context, panels, 2, path);
}

static int plot(const tool_command *command, const bench_table *table, const char *folder)
{
    carom_status (*const functions[])(carom_context *, const bench_table *, const char *) = {plot_depths, plot_times};
    static const char *const NAMES[] = {"figure-3.png", "figure-9.png"};
    carom_context *context = tool_context(&(tool_arguments){.command = command});
    int code = context ? TOOL_CLEAN : TOOL_ERROR;
    for (int i = 0; i < 2 && code == TOOL_CLEAN; i++)
    {
        char path[4096];
        if (snprintf(path, sizeof path, "%s/%s", folder, NAMES[i]) >= (int)sizeof path)
            code = tool_fail(command, "--plot: the name of the folder is too long");
        carom_status status = code == TOOL_CLEAN ? functions[i](context, table, path) : CAROM_OK;
        if (carom_failed(status))
            code = tool_fail_status(command, context, status);
        else if (code == TOOL_CLEAN)
            fprintf(stderr, "carom %s: a plot is in %s\n", command->name, path);
    }
    carom_context_destroy(context);
    return code;
}

/* ---- the command ---- */

static bool is_wanted(const bench_options *options, const tsgo_published *row)
{
    if (options->pieces > 0)
        return row->pieces == options->pieces;
    return !options->quick || row->pieces == 50 || row->pieces == 200;
}

/* Measures a row and closes it; its figures stay. */
static int measure(const tool_command *command, const tsgo_options *options, const tsgo_published *published,
                   tsgo_row *row)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%u pieces ... ", published->pieces);
    *row = (tsgo_row){.published = published, .options = options};
    carom_status status = tsgo_measure(row);
    int code = TOOL_CLEAN;
    if (carom_failed(status))
        code = row->context ? tool_fail_status(command, row->context, status)
                            : tool_fail(command, "%u pieces: %s", published->pieces, carom_status_name(status));
    tsgo_close(row);
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%20s\r", "");
    return code != TOOL_CLEAN ? code : row->differ ? TOOL_FINDINGS : TOOL_CLEAN;
}

static int run(const tool_command *command, const bench_options *options)
{
    tsgo_options measured = {(uint32_t)options->steps, (uint32_t)options->repeats, (uint32_t)options->depth};
    bench_table table = {.depth = measured.depth};
    int code = TOOL_CLEAN;
    for (int i = 0; i < TSGO_ROW_COUNT && code != TOOL_ERROR; i++)
    {
        if (!is_wanted(options, &TSGO_TABLE[i]))
            continue;
        tsgo_row *row = malloc(sizeof *row);
        if (!row)
            return tool_fail(command, "no memory");
        table.rows[table.count++] = row;
        int found = measure(command, &measured, &TSGO_TABLE[i], row);
        code = found > code ? found : code;
    }
    if (code != TOOL_ERROR && options->json && print_json(command, &table) != TOOL_CLEAN)
        code = TOOL_ERROR;
    else if (code != TOOL_ERROR && !options->json)
        print_text(&table);
    if (code != TOOL_ERROR && options->plot && plot(command, &table, options->plot) != TOOL_CLEAN)
        code = TOOL_ERROR;
    for (uint32_t i = 0; i < table.count; i++)
        free(table.rows[i]);
    return code;
}

static bool check_options(const tool_command *command, const bench_options *options)
{
    bool known = options->pieces == 0;
    for (int i = 0; i < TSGO_ROW_COUNT; i++)
        known |= TSGO_TABLE[i].pieces == options->pieces;
    if (!known)
        return tool_fail(command, "--pieces %llu: 50, 100, 200, 300, 400, 500 or 600",
                         (unsigned long long)options->pieces),
               false;
    if (options->steps < 1 || options->steps > TSGO_MAX_STEPS)
        return tool_fail(command, "--steps %llu: from 1 to %d", (unsigned long long)options->steps, TSGO_MAX_STEPS),
               false;
    if (options->repeats < 1 || options->repeats > 10000)
        return tool_fail(command, "--repeats %llu: from 1 to 10000", (unsigned long long)options->repeats), false;
    if (options->depth < 1 || options->depth > TSGO_MAX_DEPTH)
        return tool_fail(command, "--depth %llu: from 1 to %d", (unsigned long long)options->depth, TSGO_MAX_DEPTH),
               false;
    return true;
}

int tool_bench_tsgo(int argc, char **argv)
{
    static const tool_command bench_tsgo = {
        .name = "bench tsgo",
        .arguments = "",
        .summary = "time the grid paper's topological grid, what it is compared with, and ours",
        .details = "The scenes are those of the paper's table 1, with its numbers of triangles; its times are printed\n"
                   "for comparison. One worker. Exit codes: 0 all methods give the same answers, 1 they differ,\n"
                   "2 error.\n",
    };
    const tool_command *command = &bench_tsgo;
    bench_options options = {.depth = 2};
    const tool_option table[] = {
        {"--pieces", TOOL_COUNT, &options.pieces, "N", "only the scene with this number of pieces of rubble"},
        {"--steps", TOOL_COUNT, &options.steps, "N", "steps of each scene, evenly spaced (default: 20)"},
        {"--repeats", TOOL_COUNT, &options.repeats, "N", "repeats of each step; the fastest counts (default: 5)"},
        {"--depth", TOOL_COUNT, &options.depth, "K", "depth of the grid in table 1 (default: 2, as in the paper)"},
        {"--quick", TOOL_FLAG, &options.quick, NULL, "50 and 200 pieces, 2 steps, no repeats"},
        {"--plot", TOOL_TEXT, &options.plot, "DIR", "folder for figure-3.png and figure-9.png; it must exist"},
        {"--json", TOOL_FLAG, &options.json, NULL, "print JSON"},
    };
    tool_arguments arguments = {.command = command, .options = table, .option_count = sizeof table / sizeof *table};
    const uint64_t not_given = UINT64_MAX;
    options.steps = options.repeats = not_given;
    int code = tool_parse_all(&arguments, argc, argv);
    if (code >= 0)
        return code;
    if (options.steps == not_given)
        options.steps = options.quick ? 2 : 20;
    if (options.repeats == not_given)
        options.repeats = options.quick ? 1 : 5;
    return check_options(command, &options) ? run(command, &options) : TOOL_ERROR;
}
