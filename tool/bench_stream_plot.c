/* carom bench stream: its plots. */
#include "tool/bench_stream.h"
#include "tool/chart.h"

/* Curves of some methods over the sizes of a scene; fewer than two sizes make none. */
static carom_status plot(const bench_stream_table *table, int scene, const char *title, const char *path)
{
    uint32_t sizes[STREAM_BENCH_SIZES];
    chart_curves curves = {.title = title, .x_title = "triangles", .logarithmic = true, .x = sizes};
    for (int k = 0; k < STREAM_BENCH_METHODS; k++)
    {
        uint32_t points = 0;
        bool everywhere = true;
        for (uint32_t i = 0; i < table->row_count; i++)
            if (table->rows[i]->scene == scene)
            {
                sizes[points] = table->rows[i]->triangles;
                curves.y[curves.curve_count][points++] = table->rows[i]->runs[k].ms;
                everywhere &= table->rows[i]->runs[k].measured;
            }
        if (everywhere)
            curves.names[curves.curve_count++] = STREAM_BENCH_NAMES[k];
        curves.point_count = points;
    }
    return chart_write_curves(table->context, &curves, 1, path);
}

static uint32_t count_sizes(const bench_stream_table *table, int scene)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < table->row_count; i++)
        count += table->rows[i]->scene == scene;
    return count;
}

int bench_stream_plot(const bench_stream_table *table, const char *folder)
{
    static const struct
    {
        const char *name, *title;
        int scene;
    } figures[] = {{"figure-3-16.png", "figure 3-16: scene 1, ms per step", 0},
                   {"figure-3-17.png", "figure 3-17: scene 3, ms per step", 2},
                   {"figure-3-18.png", "figure 3-18: scene 4, ms per step", 3}};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
    {
        char path[4096];
        if (count_sizes(table, figures[i].scene) < 2)
            continue;
        if (snprintf(path, sizeof path, "%s/%s", folder, figures[i].name) >= (int)sizeof path)
            return tool_fail(table->command, "--plot: the name of the folder is too long");
        carom_status status = plot(table, figures[i].scene, figures[i].title, path);
        if (carom_failed(status))
            return tool_fail_status(table->command, table->context, status);
        fprintf(stderr, "carom %s: a plot is in %s\n", table->command->name, path);
    }
    return TOOL_CLEAN;
}
