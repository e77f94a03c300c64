/* carom bench image: its tables, as text and JSON. */
#include "tool/bench_image.h"

#include <string.h>

/* ---- text ---- */

/* Of a method's column. */
static int width_of(int method)
{
    int length = (int)strlen(IMAGE_BENCH_NAMES[method]);
    return length > 10 ? length : 10;
}

static void print_times(const bench_image_table *table, int scene)
{
    char number[32];
    printf("Scene %d, %s: ms per step, %s; pairs of bodies that meet, over all steps, and those that were missed\n",
           scene + 1, scene == 0 ? "figure 2-17" : "figures 2-18 and 2-19",
           table->options->all ? "all pairs of triangles" : "any hit");
    printf("%10s %9s", "triangles", "meeting");
    for (int k = 0; k < IMAGE_BENCH_METHODS; k++)
        if (image_bench_has(table->options, k))
            printf(" %*s", width_of(k), IMAGE_BENCH_NAMES[k]);
    printf(" %12s %12s %14s\n", "RECODE/IBCD", "missed IBCD", "missed RECODE");
    for (uint32_t i = 0; i < table->counts[scene]; i++)
    {
        const image_bench_row *row = table->rows[scene][i];
        printf("%10s %9llu", tool_thousands(row->triangles, number), (unsigned long long)row->meeting);
        for (int k = 0; k < IMAGE_BENCH_METHODS; k++)
            if (image_bench_has(table->options, k))
                printf(" %*.3f", width_of(k), row->runs[k].mean_ms);
        printf(" %12.2f %12llu %14llu%s\n", row->runs[IMAGE_BENCH_RECODE].mean_ms / row->runs[IMAGE_BENCH_IBCD].mean_ms,
               (unsigned long long)row->runs[IMAGE_BENCH_IBCD].missed,
               (unsigned long long)row->runs[IMAGE_BENCH_RECODE].missed, row->differ ? "  ANSWERS DIFFER" : "");
    }
}

static void print_spread(const bench_image_table *table, int scene)
{
    char number[32];
    printf("\nScene %d, figure 2-20: standard deviation of eta = (t - mean) / mean (2-12), and mean of |eta|, in %%\n",
           scene + 1);
    printf("%10s", "triangles");
    for (int k = 0; k < IMAGE_BENCH_METHODS; k++)
        if (image_bench_has(table->options, k))
            printf(" %18s", IMAGE_BENCH_NAMES[k]);
    printf("  %s\n", "IBCD: correlation of t and images");
    for (uint32_t i = 0; i < table->counts[scene]; i++)
    {
        const image_bench_row *row = table->rows[scene][i];
        printf("%10s", tool_thousands(row->triangles, number));
        for (int k = 0; k < IMAGE_BENCH_METHODS; k++)
            if (image_bench_has(table->options, k))
                printf(" %10.1f %7.1f", 100.0 * row->runs[k].spread, 100.0 * row->runs[k].mean_off);
        printf("  %.3f\n", row->runs[IMAGE_BENCH_IBCD].correlation);
    }
}

static void print_run(const image_bench_row *row, int method)
{
    const image_bench_run *run = &row->runs[method];
    const carom_engine_stats *seconds = &run->seconds;
    double all = 1e-3 * run->mean_ms, known = seconds->box_seconds + seconds->view_seconds + seconds->upload_seconds +
                                              seconds->draw_seconds + seconds->query_seconds + seconds->exact_seconds;
    const double parts[6] = {seconds->box_seconds,  seconds->view_seconds,  seconds->upload_seconds,
                             seconds->draw_seconds, seconds->query_seconds, seconds->exact_seconds};
    char number[32];
    printf("%10s %-18s %9.1f %9.1f %9.1f %8.1f %10.0f %8.1f", tool_thousands(row->triangles, number),
           IMAGE_BENCH_NAMES[method], run->views_apart, run->images, run->images_apart, run->passes, run->pixels,
           run->image_us);
    /* parts of the sum where repeats make the fastest step shorter than the mean of its parts */
    double whole = all > known ? all : known;
    for (int i = 0; i < 6; i++)
        printf(" %6.1f", whole > 0.0 ? 100.0 * parts[i] / whole : 0.0);
    printf(" %6.1f %10.3f\n", whole > 0.0 ? 100.0 * (whole - known) / whole : 0.0, run->processor_ms);
}

static void print_passes(const bench_image_table *table, int scene)
{
    printf("\nScene %d, what was drawn: pairs that need no image, images, those that are apart, passes, and pixels of "
           "their "
           "targets, per step; time per image; shares of the time in %%\n",
           scene + 1);
    printf("%10s %-18s %9s %9s %9s %8s %10s %8s %6s %6s %6s %6s %6s %6s %6s %10s\n", "triangles", "method", "undrawn",
           "images", "apart", "passes", "pixels", "us/image", "boxes", "view", "upload", "draw", "query", "exact",
           "rest", "cpu ms");
    for (uint32_t i = 0; i < table->counts[scene]; i++)
        for (int k = 0; k < IMAGE_BENCH_METHODS; k++)
            if (k != IMAGE_BENCH_TREE && image_bench_has(table->options, k))
                print_run(table->rows[scene][i], k);
}

static void print_claims(const bench_image_table *table)
{
    uint32_t faster[IMAGE_BENCH_SCENES] = {0}, steadier = 0;
    for (int scene = 0; scene < IMAGE_BENCH_SCENES; scene++)
        for (uint32_t i = 0; i < table->counts[scene]; i++)
        {
            const image_bench_run *runs = table->rows[scene][i]->runs;
            faster[scene] += runs[IMAGE_BENCH_IBCD].mean_ms < runs[IMAGE_BENCH_RECODE].mean_ms;
            steadier += scene == 1 && runs[IMAGE_BENCH_IBCD].spread < runs[IMAGE_BENCH_TREE].spread;
        }
    puts("\nPublished, and here (the thesis prints curves, no numbers):");
    for (int scene = 0; scene < IMAGE_BENCH_SCENES; scene++)
        if (table->counts[scene] > 0)
            printf("  %-14s IBCD is much faster than RECODE on scene %d; here for %u of %u sizes\n",
                   scene == 0 ? "2-17" : "2-18, 2-19", scene + 1, faster[scene], table->counts[scene]);
    if (table->counts[1] > 0)
        printf("  %-14s on scene 2 the time of IBCD varies less than RAPID's; here for %u of %u sizes\n", "2-20",
               steadier, table->counts[1]);
}

void bench_image_print(const bench_image_table *table)
{
    bool any = false;
    for (int scene = 0; scene < IMAGE_BENCH_SCENES; scene++)
    {
        if (table->counts[scene] == 0)
            continue;
        if (any)
            putchar('\n');
        any = true;
        print_times(table, scene);
        print_spread(table, scene);
        print_passes(table, scene);
    }
    print_claims(table);
}

/* ---- JSON ---- */

static json_t *run_to_json(const image_bench_run *run)
{
    const carom_engine_stats *seconds = &run->seconds;
    json_t *ms =
        json_pack("{s:f,s:f,s:f,s:f,s:f,s:f}", "boxes", 1e3 * seconds->box_seconds, "view", 1e3 * seconds->view_seconds,
                  "upload", 1e3 * seconds->upload_seconds, "draw", 1e3 * seconds->draw_seconds, "query",
                  1e3 * seconds->query_seconds, "exact", 1e3 * seconds->exact_seconds);
    return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:I,s:o,s:o}", "ms", tool_json_number(run->mean_ms),
                     "eta_deviation", tool_json_number(run->spread), "eta_mean_absolute",
                     tool_json_number(run->mean_off), "image_correlation", tool_json_number(run->correlation),
                     "processor_ms", tool_json_number(run->processor_ms), "images", tool_json_number(run->images),
                     "images_apart", tool_json_number(run->images_apart), "views_apart",
                     tool_json_number(run->views_apart), "passes", tool_json_number(run->passes), "pixels",
                     tool_json_number(run->pixels), "us_per_image", tool_json_number(run->image_us), "missed",
                     (json_int_t)run->missed, "sampled_size", tool_json_number(run->sampled_size), "ms_by_pass", ms);
}

static json_t *row_to_json(const image_bench_row *row)
{
    json_t *methods = json_object();
    for (int k = 0; k < IMAGE_BENCH_METHODS; k++)
        if (image_bench_has(row->options, k))
            json_object_set_new(methods, IMAGE_BENCH_NAMES[k], run_to_json(&row->runs[k]));
    return json_pack("{s:i,s:I,s:I,s:b,s:o}", "scene", row->scene + 1, "triangles", (json_int_t)row->triangles,
                     "meeting", (json_int_t)row->meeting, "answers_equal", !row->differ, "methods", methods);
}

int bench_image_print_json(const bench_image_table *table)
{
    json_t *rows = json_array();
    bool equal = true;
    for (int scene = 0; scene < IMAGE_BENCH_SCENES; scene++)
        for (uint32_t i = 0; i < table->counts[scene]; i++)
        {
            json_array_append_new(rows, row_to_json(table->rows[scene][i]));
            equal &= !table->rows[scene][i]->differ;
        }
    return tool_print_json(table->command, json_pack("{s:b,s:b,s:I,s:I,s:o}", "answers_equal", equal, "all_pairs",
                                                     table->options->all, "steps", (json_int_t)table->options->steps,
                                                     "repeats", (json_int_t)table->options->repeats, "rows", rows));
}
