/* carom bench image: its plots. */
#include "tool/bench_image.h"
#include "tool/chart.h"

#include <stdlib.h>

typedef double value_of(const image_bench_run *run);

static double ms_of(const image_bench_run *run) { return run->mean_ms; }
static double passes_of(const image_bench_run *run) { return run->passes; }
static double pixels_of(const image_bench_run *run) { return run->pixels; }
static double spread_of(const image_bench_run *run) { return 100.0 * run->spread; }

/* A curve per method over the sizes of a scene. */
static void set_curves(const bench_image_table *table, int scene, value_of *value, uint32_t sizes[IMAGE_BENCH_SIZES],
                       chart_curves *out)
{
    out->x_title = "triangles", out->point_count = table->counts[scene], out->logarithmic = true, out->x = sizes;
    for (uint32_t i = 0; i < table->counts[scene]; i++)
        sizes[i] = table->rows[scene][i]->triangles;
    for (int k = 0; k < IMAGE_BENCH_METHODS; k++)
    {
        if (value != ms_of && value != spread_of && k == IMAGE_BENCH_TREE)
            continue; /* draws nothing */
        out->names[out->curve_count] = IMAGE_BENCH_NAMES[k];
        for (uint32_t i = 0; i < table->counts[scene]; i++)
            out->y[out->curve_count][i] = value(&table->rows[scene][i]->runs[k]);
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

static carom_status plot_first(const bench_image_table *table, const char *path) { return plot_times(table, 0, path); }
static carom_status plot_second(const bench_image_table *table, const char *path) { return plot_times(table, 1, path); }

static carom_status plot_passes(const bench_image_table *table, const char *path)
{
    uint32_t sizes[IMAGE_BENCH_SIZES];
    chart_curves panels[3] = {{.title = "scene 2: passes per step"},
                              {.title = "scene 2: pixels per step"},
                              {.title = "scene 2: deviation of eta in %"}};
    set_curves(table, 1, passes_of, sizes, &panels[0]);
    set_curves(table, 1, pixels_of, sizes, &panels[1]);
    set_curves(table, 1, spread_of, sizes, &panels[2]);
    return chart_write_curves(table->context, panels, 3, path);
}

/* Of the largest size, step by step. */
static carom_status plot_spread(const bench_image_table *table, const char *path)
{
    static const int methods[2] = {IMAGE_BENCH_IBCD, IMAGE_BENCH_TREE};
    const image_bench_row *row = table->rows[1][table->counts[1] - 1];
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
            numbers[step] = step, eta[step] = 100.0 * (run->ms[step] - run->mean_ms) / run->mean_ms;
        panels[k] = (chart_series){.title = "figure 2-20: scene 2, eta in %",
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

int bench_image_plot(const bench_image_table *table, const char *folder)
{
    static const struct
    {
        const char *name;
        int scene;
        carom_status (*draw)(const bench_image_table *table, const char *path);
    } figures[] = {{"figure-2-17.png", 0, plot_first},
                   {"figure-2-18.png", 1, plot_second},
                   {"figure-2-19.png", 1, plot_passes},
                   {"figure-2-20.png", 1, plot_spread}};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
    {
        char path[4096];
        if (table->counts[figures[i].scene] == 0)
            continue;
        if (snprintf(path, sizeof path, "%s/%s", folder, figures[i].name) >= (int)sizeof path)
            return tool_fail(table->command, "--plot: the name of the folder is too long");
        carom_status status = figures[i].draw(table, path);
        if (carom_failed(status))
            return tool_fail_status(table->command, table->context, status);
        fprintf(stderr, "carom %s: a plot is in %s\n", table->command->name, path);
    }
    return TOOL_CLEAN;
}
