/* carom bench geoimage: its tables, as text and JSON, and its plot. */
#include "tool/bench_geoimage.h"
#include "tool/chart.h"

#include <math.h>

/* ---- text ---- */

static void print_ms(double ms, bool measured)
{
    if (measured && !isnan(ms))
        printf(" %10.3f", ms);
    else
        printf(" %10s", "-");
}

static void print_figure(const geoimage_bench *bench)
{
    char number[3][32];
    printf("Figure 5: ms per step, mean of a full turn of %u steps; tests and pairs of all steps\n%9s", bench->steps,
           "distance");
    for (int k = 0; k < GEOIMAGE_BENCH_METHODS; k++)
        printf(" %10s", GEOIMAGE_BENCH_NAMES[k]);
    printf(" %12s %12s %10s\n", "boxes", "triangles", "meeting");
    for (uint32_t i = 0; i < bench->distances; i++)
    {
        const geoimage_bench_run *runs = bench->rows[i].runs, *twin = &runs[GEOIMAGE_BENCH_PROCESSOR];
        printf("%9.3f", bench->rows[i].distance);
        for (int k = 0; k < GEOIMAGE_BENCH_METHODS; k++)
            print_ms(runs[k].ms, bench->measured[k]);
        printf(" %12s %12s %10s\n", tool_thousands(twin->boxes, number[0]), tool_thousands(twin->triangles, number[1]),
               tool_thousands(twin->pairs, number[2]));
    }
    for (geoimage_bench_method k = GEOIMAGE_BENCH_OPENCL; k < GEOIMAGE_BENCH_METHODS; k++)
        if (bench->measured[k])
            printf("  %s against the same search on the processor: %+.0f %% in the mean (published: %+.0f %%)\n",
                   GEOIMAGE_BENCH_NAMES[k], 100.0 * geoimage_bench_gain(bench, k),
                   100.0 * BENCH_GEOIMAGE_PUBLISHED_GAIN);
    puts("  The paper has figure 5 as curves without numbers, drawn on a Celeron M of 1.6 GHz and a Radeon X600");
}

static double mean_stage(const geoimage_bench *bench, int method, int stage)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < bench->distances; i++)
        sum += bench->rows[i].runs[method].stages[stage] / bench->distances;
    return sum;
}

static void print_stages(const geoimage_bench *bench)
{
    printf("\nStages, ms per step over all distances, by the clock\n%9s", "");
    for (int s = 0; s < GEOIMAGE_BENCH_STAGES; s++)
        printf(" %10s", GEOIMAGE_BENCH_STAGE_NAMES[s]);
    printf(" %10s\n", "dispatches");
    for (int k = GEOIMAGE_BENCH_PROCESSOR; k < GEOIMAGE_BENCH_METHODS; k++)
    {
        uint64_t dispatches = 0;
        if (!bench->measured[k])
            continue;
        printf("%9s", GEOIMAGE_BENCH_NAMES[k]);
        for (int s = 0; s < GEOIMAGE_BENCH_STAGES; s++)
            printf(" %10.4f", mean_stage(bench, k, s));
        for (uint32_t i = 0; i < bench->distances; i++)
            dispatches += bench->rows[i].runs[k].dispatches;
        printf(" %10.1f\n", (double)dispatches / ((double)bench->distances * bench->steps));
    }
}

static void print_rebuild(const geoimage_bench *bench)
{
    const geoimage_bench_rebuild *r = &bench->rebuild;
    printf("\nBoxes of a waving sheet of %u x %u points rebuilt, ms, the shortest of all rounds\n", r->side, r->side);
    printf("  tree built %.3f, tree refitted %.3f\n", r->tree_built, r->tree_refitted);
    for (int k = GEOIMAGE_BENCH_PROCESSOR; k < GEOIMAGE_BENCH_METHODS; k++)
    {
        double built = r->tree_built / r->mipmap[k], refitted = r->tree_refitted / r->mipmap[k];
        bool reached = built >= BENCH_GEOIMAGE_BUILD_GOAL && refitted >= BENCH_GEOIMAGE_REFIT_GOAL;
        if (bench->measured[k])
            printf(
                "  %-6s mipmaps %.3f: %.1f times as fast as building (goal: %.0f), %.1f as refitting (goal: %.0f)%s; "
                "new points %.3f\n",
                GEOIMAGE_BENCH_NAMES[k], r->mipmap[k], built, BENCH_GEOIMAGE_BUILD_GOAL, refitted,
                BENCH_GEOIMAGE_REFIT_GOAL, reached ? "" : ", MISSED", r->upload[k]);
    }
}

/* Section 5 of the paper compares the two tests by themselves. */
static void print_tests(const geoimage_bench *bench)
{
    const int twin = GEOIMAGE_BENCH_PROCESSOR;
    for (int k = GEOIMAGE_BENCH_OPENCL; k < GEOIMAGE_BENCH_METHODS; k++)
        if (bench->measured[k])
            printf("  %-6s boxes %.2f times as fast as on the processor, triangles %.2f (published: up to %.0f)\n",
                   GEOIMAGE_BENCH_NAMES[k],
                   mean_stage(bench, twin, GEOIMAGE_BENCH_TRAVERSAL) / mean_stage(bench, k, GEOIMAGE_BENCH_TRAVERSAL),
                   mean_stage(bench, twin, GEOIMAGE_BENCH_TRIANGLES) / mean_stage(bench, k, GEOIMAGE_BENCH_TRIANGLES),
                   BENCH_GEOIMAGE_PUBLISHED_TESTS);
}

void bench_geoimage_print(const geoimage_bench *bench)
{
    print_figure(bench);
    print_stages(bench);
    print_tests(bench);
    print_rebuild(bench);
    if (bench->differ)
        puts("ANSWERS DIFFER");
    if (bench->counts_differ)
        puts("COUNTS DIFFER");
}

/* ---- JSON ---- */

static json_t *run_to_json(const geoimage_bench_run *run, bool stages)
{
    json_t *out = json_pack("{s:o,s:I,s:I,s:I,s:I}", "ms", tool_json_number(run->ms), "pairs", (json_int_t)run->pairs,
                            "boxes_tested", (json_int_t)run->boxes, "triangles_tested", (json_int_t)run->triangles,
                            "dispatches", (json_int_t)run->dispatches);
    json_t *times = json_object();
    for (int s = 0; s < GEOIMAGE_BENCH_STAGES; s++)
        json_object_set_new(times, GEOIMAGE_BENCH_STAGE_NAMES[s], tool_json_number(run->stages[s]));
    if (stages)
        json_object_set_new(out, "stages_ms", times);
    else
        json_decref(times);
    return out;
}

static json_t *rows_to_json(const geoimage_bench *bench)
{
    json_t *rows = json_array();
    for (uint32_t i = 0; i < bench->distances; i++)
    {
        json_t *methods = json_object();
        for (int k = 0; k < GEOIMAGE_BENCH_METHODS; k++)
            if (bench->measured[k])
                json_object_set_new(methods, GEOIMAGE_BENCH_NAMES[k],
                                    run_to_json(&bench->rows[i].runs[k], k != GEOIMAGE_BENCH_TREE));
        json_array_append_new(
            rows, json_pack("{s:o,s:o}", "distance", tool_json_number(bench->rows[i].distance), "methods", methods));
    }
    return rows;
}

int bench_geoimage_print_json(const tool_command *command, const geoimage_bench *bench)
{
    const geoimage_bench_rebuild *r = &bench->rebuild;
    json_t *gains = json_object(), *mipmaps = json_object();
    for (geoimage_bench_method k = GEOIMAGE_BENCH_PROCESSOR; k < GEOIMAGE_BENCH_METHODS; k++)
        if (bench->measured[k])
        {
            json_object_set_new(gains, GEOIMAGE_BENCH_NAMES[k], tool_json_number(geoimage_bench_gain(bench, k)));
            json_object_set_new(mipmaps, GEOIMAGE_BENCH_NAMES[k],
                                json_pack("{s:o,s:o,s:o,s:o}", "mipmap_ms", tool_json_number(r->mipmap[k]), "upload_ms",
                                          tool_json_number(r->upload[k]), "over_building",
                                          tool_json_number(r->tree_built / r->mipmap[k]), "over_refitting",
                                          tool_json_number(r->tree_refitted / r->mipmap[k])));
        }
    json_t *rebuild = json_pack("{s:I,s:o,s:o,s:f,s:f,s:o}", "side", (json_int_t)r->side, "tree_built_ms",
                                tool_json_number(r->tree_built), "tree_refitted_ms", tool_json_number(r->tree_refitted),
                                "goal_over_building", BENCH_GEOIMAGE_BUILD_GOAL, "goal_over_refitting",
                                BENCH_GEOIMAGE_REFIT_GOAL, "devices", mipmaps);
    return tool_print_json(command,
                           json_pack("{s:b,s:b,s:I,s:b,s:o,s:f,s:o,s:o}", "answers_equal", !bench->differ,
                                     "counts_equal", !bench->counts_differ, "steps", (json_int_t)bench->steps, "rigid",
                                     bench->rigid, "gain_over_processor", gains, "published_gain",
                                     BENCH_GEOIMAGE_PUBLISHED_GAIN, "rows", rows_to_json(bench), "rebuild", rebuild));
}

/* ---- the plot ---- */

int bench_geoimage_plot(const tool_command *command, const geoimage_bench *bench, const char *path)
{
    double x[GEOIMAGE_BENCH_DISTANCES], y[GEOIMAGE_BENCH_METHODS][GEOIMAGE_BENCH_DISTANCES];
    chart_series series = {.title = "figure 5: ms per step, mean of a turn",
                           .x_title = "distance of the centres, diameters",
                           .point_count = bench->distances,
                           .x = x};
    for (int k = 0; k < GEOIMAGE_BENCH_METHODS; k++)
    {
        if (!bench->measured[k])
            continue;
        for (uint32_t i = 0; i < bench->distances; i++) /* the nearest first: x ascends */
        {
            const geoimage_bench_row *row = &bench->rows[bench->distances - 1 - i];
            x[i] = row->distance, y[k][i] = row->runs[k].ms;
        }
        series.names[series.curve_count] = GEOIMAGE_BENCH_NAMES[k];
        series.y[series.curve_count++] = y[k];
    }
    carom_status status = chart_write_series(bench->context, &series, 1, path);
    if (carom_failed(status))
        return tool_fail_status(command, bench->context, status);
    tool_say("carom %s: a plot is in %s", command->name, path);
    return TOOL_CLEAN;
}
