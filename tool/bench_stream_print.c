/* carom bench stream: its tables, as text and JSON. */
#include "tool/bench_stream.h"

#include <math.h>

const bench_stream_published BENCH_STREAM_PUBLISHED[STREAM_BENCH_SCENES] = {{{6627.5, 47.6, 23.0}, 29.3, 1.0},
                                                                            {{2256.0, 53.2, 40.4}, 0.0, 1.9},
                                                                            {{15587.4, 58.7, 24.1}, 0.0, 161.6},
                                                                            {{9593.6, 72.3, 26.1}, 0.0, 10.2}};

static bool is_whole(const stream_bench_row *row) { return row->size == STREAM_BENCH_SIZES - 1; }

/* NAN: one of the two was not measured. */
static double faster(const stream_bench_row *row, stream_bench_method method, stream_bench_method other)
{
    const stream_bench_run *one = &row->runs[method], *two = &row->runs[other];
    return one->measured && two->measured ? two->ms / one->ms : NAN;
}

double bench_stream_mean(const bench_stream_table *table, stream_bench_method method, stream_bench_method other)
{
    uint32_t count = 0;
    double sum = 0.0;
    for (uint32_t i = 0; i < table->row_count; i++)
        if (is_whole(table->rows[i]) && !isnan(faster(table->rows[i], method, other)))
            count++, sum += log(faster(table->rows[i], method, other));
    return count > 0 ? exp(sum / count) : NAN;
}

/* ---- text ---- */

static void print_ms(const stream_bench_run *run)
{
    if (run->measured)
        printf(" %9.3f", run->ms);
    else
        printf(" %9s", "-");
}

static void print_published(const bench_stream_published *p)
{
    printf("  %-10s %9s", "published", "");
    for (int k = 0; k < 3; k++)
        printf(" %9.1f", p->scd[k]);
    printf(" %9s %9s %9s", "", "", "");
    if (p->recode > 0.0)
        printf(" %9.1f", p->recode);
    else
        printf(" %9s", "-");
    printf(" %9.1f", p->rapid);
    printf(" %8.1f %8.1f %8s\n", p->scd[0] / p->scd[1], p->scd[0] / p->scd[2], "");
}

static const int TABLE_COLUMNS[] = {STREAM_BENCH_SCD0,  STREAM_BENCH_SCD1, STREAM_BENCH_SCD2,   STREAM_BENCH_BALANCED,
                                    STREAM_BENCH_PAIRS, STREAM_BENCH_IBCD, STREAM_BENCH_RECODE, STREAM_BENCH_TREE};
enum
{
    TABLE_COLUMN_COUNT = sizeof TABLE_COLUMNS / sizeof *TABLE_COLUMNS
};

static void print_ratio(double ratio, int digits)
{
    if (isnan(ratio))
        printf(" %8s", "-");
    else
        printf(" %8.*f", digits, ratio);
}

static const char *remark(const stream_bench_row *row)
{
    return row->differ ? "  ANSWERS DIFFER" : row->counts_differ ? "  COUNTS DIFFER" : "";
}

static const char *question(const bench_stream_table *table) { return table->options->all ? "all pairs" : "any hit"; }

static void print_row(const stream_bench_row *row)
{
    char number[32];
    printf("%d %-10s %4u / %-2u", row->scene + 1, tool_thousands(row->triangles, number), row->meeting,
           row->step_count);
    for (int k = 0; k < TABLE_COLUMN_COUNT; k++)
        print_ms(&row->runs[TABLE_COLUMNS[k]]);
    for (stream_bench_method k = STREAM_BENCH_SCD1; k <= STREAM_BENCH_BALANCED; k++)
        print_ratio(faster(row, k, STREAM_BENCH_SCD0), 1);
    puts(remark(row));
    if (!row->options->all)
        print_published(&BENCH_STREAM_PUBLISHED[row->scene]);
}

static bool has_table(const bench_stream_table *table)
{
    bool whole = false;
    for (uint32_t i = 0; i < table->row_count; i++)
        whole |= is_whole(table->rows[i]);
    return whole;
}

static void print_table(const bench_stream_table *table)
{
    printf("%s: ms per step, %s; and how many times faster than SCD0. balanced: SCD2 that computes passes of few\n"
           "edges on the processor; SCD tri: as SCD2, triangles for edges.%s\n",
           table->options->all ? "Scenes of table 3-1" : "Table 3-1", question(table),
           table->options->all ? "" : " Published: RAPID in the column of the OBB tree");
    printf("  %-10s %9s", "triangles", "meeting");
    for (int k = 0; k < TABLE_COLUMN_COUNT; k++)
        printf(" %9s", STREAM_BENCH_NAMES[TABLE_COLUMNS[k]]);
    printf(" %8s %8s %8s\n", "SCD1", "SCD2", "balanced");
    for (uint32_t i = 0; i < table->row_count; i++)
        if (is_whole(table->rows[i]))
            print_row(table->rows[i]);
    double published[2] = {1.0, 1.0};
    for (int i = 0; i < STREAM_BENCH_SCENES; i++)
        for (int k = 0; k < 2; k++)
            published[k] *= BENCH_STREAM_PUBLISHED[i].scd[0] / BENCH_STREAM_PUBLISHED[i].scd[k + 1];
    if (table->options->fast)
        return; /* SCD0 is not there */
    printf("  geometric means: SCD1 %.1f, SCD2 %.1f, balanced %.1f times faster than SCD0",
           bench_stream_mean(table, STREAM_BENCH_SCD1, STREAM_BENCH_SCD0),
           bench_stream_mean(table, STREAM_BENCH_SCD2, STREAM_BENCH_SCD0),
           bench_stream_mean(table, STREAM_BENCH_BALANCED, STREAM_BENCH_SCD0));
    if (table->options->all)
        putchar('\n');
    else
        printf(" (published: %.1f, %.1f)\n", sqrt(sqrt(published[0])), sqrt(sqrt(published[1])));
}

/* The modern version, next to SCD2. */
static void print_stream(const bench_stream_table *table)
{
    char number[2][32];
    printf("\nEngine stream, by what runs its kernels: ms per step, %s; how many times faster than SCD2; and tests of "
           "all\nsearches for all pairs\n",
           question(table));
    printf("  %-10s %9s %9s %9s %9s %8s %8s %8s %14s %14s\n", "triangles", "SCD2", "OpenCL", "GL", "CPU", "OpenCL",
           "GL", "CPU", "boxes", "triangles");
    for (uint32_t i = 0; i < table->row_count; i++)
    {
        const stream_bench_row *row = table->rows[i];
        printf("%d %-10s", row->scene + 1, tool_thousands(row->triangles, number[0]));
        print_ms(&row->runs[STREAM_BENCH_SCD2]);
        for (int k = STREAM_BENCH_OPENCL; k < STREAM_BENCH_METHODS; k++)
            print_ms(&row->runs[k]);
        for (stream_bench_method k = STREAM_BENCH_OPENCL; k < STREAM_BENCH_METHODS; k++)
            print_ratio(faster(row, k, STREAM_BENCH_SCD2), 2);
        const stream_bench_run *run = &row->runs[STREAM_BENCH_PROCESSOR];
        printf(" %14s %14s%s\n", tool_thousands(run->boxes, number[0]), tool_thousands(run->triangles, number[1]),
               remark(row));
    }
    static const struct
    {
        stream_bench_method method;
        const char *name;
    } others[] = {{STREAM_BENCH_SCD2, "SCD2"}, {STREAM_BENCH_BALANCED, "balanced"}};
    for (int i = 0; i < 2 && has_table(table); i++)
        printf("  geometric means: OpenCL %.2f, GL %.2f, CPU %.2f times faster than %s\n",
               bench_stream_mean(table, STREAM_BENCH_OPENCL, others[i].method),
               bench_stream_mean(table, STREAM_BENCH_OPENGL, others[i].method),
               bench_stream_mean(table, STREAM_BENCH_PROCESSOR, others[i].method), others[i].name);
}

static void print_passes(const bench_stream_table *table)
{
    char number[32];
    puts("\nPasses, pixels and packed textures per step; passes on the processor");
    for (uint32_t i = 0; i < table->row_count; i++)
        for (int k = STREAM_BENCH_SCD0; k <= STREAM_BENCH_PAIRS; k++)
        {
            const stream_bench_run *run = &table->rows[i]->runs[k];
            if (!run->measured)
                continue;
            printf("%d %-10s %-9s %10.1f %14.0f %8.1f %10.1f\n", table->rows[i]->scene + 1,
                   tool_thousands(table->rows[i]->triangles, number), STREAM_BENCH_NAMES[k], run->passes, run->pixels,
                   run->packed, run->computed);
        }
}

static void print_figure(const bench_stream_table *table, int scene, const char *title)
{
    char number[32];
    bool any = false;
    for (uint32_t i = 0; i < table->row_count; i++)
    {
        const stream_bench_row *row = table->rows[i];
        if (row->scene != scene)
            continue;
        if (!any)
        {
            printf("\n%s, ms per step, %s\n%10s", title, question(table), "triangles");
            for (int k = 0; k < STREAM_BENCH_METHODS; k++)
                printf(" %9s", STREAM_BENCH_NAMES[k]);
            putchar('\n');
        }
        any = true;
        printf("%10s", tool_thousands(row->triangles, number));
        for (int k = 0; k < STREAM_BENCH_METHODS; k++)
            print_ms(&row->runs[k]);
        puts(remark(row));
    }
}

static void print_fit(const bench_stream_table *table)
{
    stream_bench_fit fit = stream_bench_fit_costs((const stream_bench_row *const *)table->rows, table->row_count);
    if (table->options->fast)
        return; /* not without SCD0 */
    printf("\nThe cost model (3-14), with a cost per pass, fitted to %u runs of SCD0 and SCD1:\n", fit.run_count);
    printf("  Cost_rd %.3f ns per pixel, Cost_rb %.1f ns per edge, %.2f us per pass\n", 1e6 * fit.per_pixel,
           1e6 * fit.per_edge, 1e3 * fit.per_pass);
    printf(
        "  off by %.1f %% in the mean and %.1f %% at most; as printed, without a cost per pass: %.1f %% in the mean\n",
        100.0 * fit.mean_error, 100.0 * fit.largest_error, 100.0 * fit.printed_error);
    if (fit.per_test > 0.0)
        printf("  on the processor %.2f ns per edge and triangle: faster below %.0f edges\n", 1e6 * fit.per_test,
               fit.break_even);
}

void bench_stream_print(const bench_stream_table *table)
{
    if (has_table(table))
        print_table(table);
    print_stream(table);
    print_passes(table);
    print_figure(table, 0, "Figure 3-16: scene 1");
    print_figure(table, 2, "Figure 3-17: scene 3");
    print_figure(table, 3, "Figure 3-18: scene 4");
    print_fit(table);
}

/* ---- JSON ---- */

static json_t *row_to_json(const stream_bench_row *row)
{
    json_t *methods = json_object();
    for (int k = 0; k < STREAM_BENCH_METHODS; k++)
    {
        const stream_bench_run *run = &row->runs[k];
        if (run->measured)
            json_object_set_new(methods, STREAM_BENCH_NAMES[k],
                                json_pack("{s:o,s:o,s:o,s:o,s:o,s:I,s:I,s:I}", "ms", tool_json_number(run->ms),
                                          "passes", tool_json_number(run->passes), "passes_computed",
                                          tool_json_number(run->computed), "pixels", tool_json_number(run->pixels),
                                          "packed_textures", tool_json_number(run->packed), "missed",
                                          (json_int_t)run->missed, "boxes_tested_for_all", (json_int_t)run->boxes,
                                          "triangles_tested_for_all", (json_int_t)run->triangles));
    }
    return json_pack("{s:i,s:I,s:I,s:I,s:I,s:b,s:b,s:o}", "scene", row->scene + 1, "triangles",
                     (json_int_t)row->triangles, "edges", (json_int_t)row->edges, "steps", (json_int_t)row->step_count,
                     "meeting", (json_int_t)row->meeting, "answers_equal", !row->differ, "counts_equal",
                     !row->counts_differ, "methods", methods);
}

static json_t *published_to_json(void)
{
    json_t *out = json_array();
    for (int i = 0; i < STREAM_BENCH_SCENES; i++)
    {
        const bench_stream_published *p = &BENCH_STREAM_PUBLISHED[i];
        json_array_append_new(out, json_pack("{s:i,s:f,s:f,s:f,s:o,s:f}", "scene", i + 1, "scd0", p->scd[0], "scd1",
                                             p->scd[1], "scd2", p->scd[2], "recode",
                                             p->recode > 0.0 ? json_real(p->recode) : json_null(), "rapid", p->rapid));
    }
    return out;
}

int bench_stream_print_json(const bench_stream_table *table)
{
    json_t *rows = json_array();
    bool equal = true;
    for (uint32_t i = 0; i < table->row_count; i++)
    {
        json_array_append_new(rows, row_to_json(table->rows[i]));
        equal &= !table->rows[i]->differ;
    }
    stream_bench_fit fit = stream_bench_fit_costs((const stream_bench_row *const *)table->rows, table->row_count);
    json_t *cost =
        json_pack("{s:I,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "runs", (json_int_t)fit.run_count, "ns_per_pixel",
                  tool_json_number(1e6 * fit.per_pixel), "ns_per_edge", tool_json_number(1e6 * fit.per_edge),
                  "us_per_pass", tool_json_number(1e3 * fit.per_pass), "mean_error", tool_json_number(fit.mean_error),
                  "largest_error", tool_json_number(fit.largest_error), "mean_error_as_printed",
                  tool_json_number(fit.printed_error), "ns_per_test_on_processor", tool_json_number(1e6 * fit.per_test),
                  "break_even_edges", tool_json_number(fit.break_even));
    json_t *speedups = json_object(), *modern = json_object();
    for (stream_bench_method k = STREAM_BENCH_SCD1; k < STREAM_BENCH_PAIRS; k++)
        json_object_set_new(speedups, STREAM_BENCH_NAMES[k],
                            tool_json_number(bench_stream_mean(table, k, STREAM_BENCH_SCD0)));
    for (stream_bench_method k = STREAM_BENCH_OPENCL; k < STREAM_BENCH_METHODS; k++)
        json_object_set_new(modern, STREAM_BENCH_NAMES[k],
                            tool_json_number(bench_stream_mean(table, k, STREAM_BENCH_SCD2)));
    return tool_print_json(table->command,
                           json_pack("{s:b,s:b,s:o,s:o,s:o,s:o,s:o}", "answers_equal", equal, "all_pairs",
                                     table->options->all, "speedups_over_scd0", speedups, "stream_over_scd2", modern,
                                     "cost_model", cost, "rows", rows, "published_ms", published_to_json()));
}
