/* carom bench image: its plots. */
#include "tool/bench_image.h"
#include "tool/chart.h"

#include <stdlib.h>

typedef double value_of(const image_bench_row *row, int method);

static double ms_of(const image_bench_row *row, int method) { return row->runs[method].mean_ms; }
static double passes_of(const image_bench_row *row, int method) { return row->runs[method].passes; }
static double pixels_of(const image_bench_row *row, int method) { return row->runs[method].pixels; }
static double spread_of(const image_bench_row *row, int method) { return 100.0 * row->runs[method].spread; }

static double ratio_of(const image_bench_row *row, int method)
{
    return row->runs[method].mean_ms / row->runs[IMAGE_BENCH_IBCD].mean_ms;
}

/* A curve per method over the sizes of a scene. */
static void set_curves(const bench_image_table *table, int scene, value_of *value, uint32_t sizes[IMAGE_BENCH_SIZES],
                       chart_curves *out)
{
    bool drawn = value == passes_of || value == pixels_of;
    out->x_title = "triangles", out->point_count = table->counts[scene], out->logarithmic = true, out->x = sizes;
    for (uint32_t i = 0; i < table->counts[scene]; i++)
        sizes[i] = table->rows[scene][i]->triangles;
    for (int k = 0; k < IMAGE_BENCH_METHODS; k++)
    {
        bool draws = k != IMAGE_BENCH_TREE;
        if (!image_bench_has(table->options, k) || (drawn && !draws))
            continue;
        out->names[out->curve_count] = IMAGE_BENCH_NAMES[k];
        for (uint32_t i = 0; i < table->counts[scene]; i++)
            out->y[out->curve_count][i] = value(table->rows[scene][i], k);
        out->curve_count++;
    }
}

static carom_status plot_times(const bench_image_table *table, int scene, const char *path)
{
    uint32_t sizes[IMAGE_BENCH_SIZES];
    chart_curves curves = {.title =
                               scene == 0 ? "figure 2-17: scene 1, ms per step" : "figure 2-18: scene 2, ms per step"};
    set_curves(table, scene, ms_of, sizes, &curves);
    return chart_write_curves(table->context, &curves, 1, path);
}

/* The thesis's 2-19 is 2-18 on another machine, and shows by how much IBCD is faster; why, is in what was drawn. */
static carom_status plot_drawn(const bench_image_table *table, int scene, const char *path)
{
    uint32_t sizes[IMAGE_BENCH_SIZES];
    chart_curves panels[3] = {
        {.title = scene == 0 ? "scene 1: time / that of IBCD" : "figure 2-19: time / that of IBCD"},
        {.title = "passes per step"},
        {.title = "pixels per step"}};
    set_curves(table, scene, ratio_of, sizes, &panels[0]);
    set_curves(table, scene, passes_of, sizes, &panels[1]);
    set_curves(table, scene, pixels_of, sizes, &panels[2]);
    return chart_write_curves(table->context, panels, 3, path);
}

/* ---- the spread ---- */

/* Of the largest size, step by step. */
static carom_status plot_steps(const bench_image_table *table, int scene, const char *path)
{
    static const int methods[2] = {IMAGE_BENCH_IBCD, IMAGE_BENCH_TREE};
    const image_bench_row *row = table->rows[scene][table->counts[scene] - 1];
    uint32_t steps = table->options->steps;
    double *numbers = calloc(3 * (size_t)steps, sizeof *numbers);
    chart_series panels[2];
    if (!numbers)
        return CAROM_OUT_OF_MEMORY;
    for (int k = 0; k < 2; k++)
    {
        const image_bench_run *run = &row->runs[methods[k]];
        double *eta = numbers + (k + 1) * (size_t)steps;
        for (uint32_t step = 0; step < steps; step++)
        {
            numbers[step] = image_bench_moment(table->options, step);
            eta[step] = 100.0 * (run->ms[step] - run->mean_ms) / run->mean_ms;
        }
        panels[k] = (chart_series){.title = scene == 0 ? "scene 1, eta in %" : "figure 2-20: scene 2, eta in %",
                                   .x_title = "step",
                                   .names = {IMAGE_BENCH_NAMES[methods[k]]},
                                   .curve_count = 1,
                                   .point_count = steps,
                                   .x = numbers,
                                   .y = {eta}};
    }
    carom_status status = chart_write_series(table->context, panels, 2, path);
    free(numbers);
    return status;
}

static carom_status plot_deviation(const bench_image_table *table, int scene, const char *path)
{
    uint32_t sizes[IMAGE_BENCH_SIZES];
    chart_curves curves = {.title = scene == 0 ? "scene 1: deviation of eta in %" : "scene 2: deviation of eta in %"};
    set_curves(table, scene, spread_of, sizes, &curves);
    return chart_write_curves(table->context, &curves, 1, path);
}

int bench_image_plot(const bench_image_table *table, const char *folder)
{
    static const struct
    {
        const char *name;
        int scene;
        carom_status (*draw)(const bench_image_table *table, int scene, const char *path);
    } figures[] = {{"figure-2-17.png", 0, plot_times},         {"figure-2-19-scene-1.png", 0, plot_drawn},
                   {"figure-2-20-scene-1.png", 0, plot_steps}, {"deviation-scene-1.png", 0, plot_deviation},
                   {"figure-2-18.png", 1, plot_times},         {"figure-2-19.png", 1, plot_drawn},
                   {"figure-2-20.png", 1, plot_steps},         {"deviation-scene-2.png", 1, plot_deviation}};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
    {
        char path[4096];
        if (table->counts[figures[i].scene] == 0)
            continue;
        if (snprintf(path, sizeof path, "%s/%s", folder, figures[i].name) >= (int)sizeof path)
            return tool_fail(table->command, "--plot: the name of the folder is too long");
        carom_status status = figures[i].draw(table, figures[i].scene, path);
        if (carom_failed(status))
            return tool_fail_status(table->command, table->context, status);
        fprintf(stderr, "carom %s: a plot is in %s\n", table->command->name, path);
    }
    return TOOL_CLEAN;
}
