/* Charts of long series, as PNG. */
#include "tool/chart_draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    PANEL_WIDTH = 700,
    PANEL_HEIGHT = 520,
    MARGIN_LEFT = 90,
    MARGIN_RIGHT = 20,
    TOP = 80,
    MARGIN_LOW = 70
};

typedef struct series_range
{
    double low, high;
} series_range;

typedef struct series_frame
{
    const chart_series *series;
    chart_box plot;
    series_range x, y;
} series_frame;

static void widen(series_range *range, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i]))
            range->low = fmin(range->low, values[i]), range->high = fmax(range->high, values[i]);
}

/* Out to round numbers. */
static void round_range(series_range *range)
{
    double step = chart_round_step(range->high - range->low);
    range->low = step * floor(range->low / step);
    range->high = step * (floor(range->high / step) + 1.0);
}

static chart_point place(const series_frame *frame, double x, double y)
{
    const chart_box *plot = &frame->plot;
    double across = (x - frame->x.low) / (frame->x.high - frame->x.low);
    double up = (y - frame->y.low) / (frame->y.high - frame->y.low);
    return (chart_point){plot->x + plot->width * across, plot->y + plot->height * (1.0 - up)};
}

static void draw_axes(const picture_pixels *image, const series_frame *frame)
{
    const chart_box *plot = &frame->plot;
    char text[32];
    double step = chart_round_step(frame->y.high - frame->y.low);
    for (int i = 0; frame->y.low + i * step <= frame->y.high + 0.5 * step; i++)
    {
        double value = frame->y.low + i * step;
        chart_point at = place(frame, frame->x.low, value);
        bool zero = fabs(value) < 0.5 * step;
        chart_fill(image, (chart_box){plot->x, (int)at.y, plot->width, 1 + zero}, zero ? CHART_INK : CHART_PALE);
        snprintf(text, sizeof text, "%g", zero ? 0.0 : value);
        chart_draw_text(image, (chart_point){plot->x - 8, at.y - 7}, CHART_UP_TO, text);
    }
    step = chart_round_step(frame->x.high - frame->x.low);
    double first = step * ceil(frame->x.low / step - 1e-9);
    for (int i = 0; first + i * step <= frame->x.high + 1e-9 * step; i++)
    {
        chart_point at = place(frame, first + i * step, frame->y.low);
        snprintf(text, sizeof text, "%g", first + i * step);
        chart_fill(image, (chart_box){(int)at.x, (int)at.y, 2, 6}, CHART_INK);
        chart_draw_text(image, (chart_point){at.x, at.y + 10}, CHART_AROUND, text);
    }
    chart_draw_text(image, (chart_point){plot->x + plot->width / 2.0, plot->y + plot->height + 36}, CHART_AROUND,
                    frame->series->x_title);
}

static void draw_names(const picture_pixels *image, const series_frame *frame)
{
    double x = frame->plot.x;
    for (uint32_t k = 0; k < frame->series->curve_count; k++)
    {
        const char *name = frame->series->names[k];
        chart_fill(image, (chart_box){(int)x, 44, 14, 14}, chart_colour(k));
        chart_draw_text(image, (chart_point){x + 18, 44}, CHART_FROM, name);
        x += 34 + CHART_LETTER_WIDTH * (double)strlen(name);
    }
}

static void draw_panel(const picture_pixels *image, const series_frame *frame)
{
    const chart_series *series = frame->series;
    chart_draw_text(image, (chart_point){frame->plot.x, 14}, CHART_FROM, series->title);
    draw_axes(image, frame);
    draw_names(image, frame);
    for (uint32_t k = 0; k < series->curve_count; k++)
        for (size_t i = 1; i < series->point_count; i++)
            if (isfinite(series->y[k][i - 1]) && isfinite(series->y[k][i]))
                chart_draw_line(image, place(frame, series->x[i - 1], series->y[k][i - 1]),
                                place(frame, series->x[i], series->y[k][i]), chart_colour(k));
}

carom_status chart_write_series(carom_context *context, const chart_series *panels, uint32_t panel_count,
                                const char *path)
{
    picture_pixels image = {.width = PANEL_WIDTH * panel_count, .height = PANEL_HEIGHT};
    series_range x = {INFINITY, -INFINITY}, y = {0.0, 0.0};
    image.rgb = malloc(3 * (size_t)image.width * image.height);
    if (!image.rgb)
        return CAROM_OUT_OF_MEMORY;
    chart_fill(&image, (chart_box){0, 0, (int)image.width, (int)image.height}, CHART_PAPER);
    for (uint32_t i = 0; i < panel_count; i++)
    {
        widen(&x, panels[i].x, panels[i].point_count);
        for (uint32_t k = 0; k < panels[i].curve_count; k++)
            widen(&y, panels[i].y[k], panels[i].point_count);
    }
    x.high += !(x.high > x.low);
    round_range(&y);
    for (uint32_t i = 0; i < panel_count; i++)
    {
        chart_box plot = {(int)i * PANEL_WIDTH + MARGIN_LEFT, TOP, PANEL_WIDTH - MARGIN_LEFT - MARGIN_RIGHT,
                          PANEL_HEIGHT - TOP - MARGIN_LOW};
        draw_panel(&image, &(series_frame){&panels[i], plot, x, y});
    }
    carom_status status = picture_write_png(context, &image, path);
    free(image.rgb);
    return status;
}
