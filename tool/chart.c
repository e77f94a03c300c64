/* Draws charts: bars, lines, axes with their labels, written as PNG. */
#include "tool/chart.h"

#include "tool/chart_draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    PANEL_WIDTH = 560,
    PLOT_HEIGHT = 260,
    MARGIN_LEFT = 90,
    MARGIN_RIGHT = 20,
    TOP = 70,       /* of the bars */
    BETWEEN = 110,  /* bars and lines */
    MARGIN_LOW = 70 /* below the lines */
};

static const uint32_t INK = CHART_INK, PALE = CHART_PALE, GREY = 0xa8a8a8, PAPER = CHART_PAPER;
static const uint32_t BAR_COLOUR[CHART_MAX_BARS] = {0x4c78a8, 0x4c78a8, 0xf58518, 0xf58518, 0x54a24b};
static const uint32_t LINE_COLOUR[CHART_MAX_LINES] = {0x4c78a8, 0xf58518, 0x54a24b};

/* ---- bars ---- */

/* Decades that hold all values. */
typedef struct decades
{
    int low, high;
} decades;

static decades find_decades(const chart_def *def)
{
    double low = INFINITY, high = 0;
    for (uint32_t p = 0; p < def->panel_count; p++)
        for (uint32_t i = 0; i < def->bar_count; i++)
        {
            double bar = def->panels[p].bar[i], reference = def->panels[p].reference[i];
            low = fmin(low, bar), high = fmax(high, fmax(bar, reference));
        }
    if (!(low > 0.0) || !(high >= low) || !(high < INFINITY))
        return (decades){0, 1}; /* no positive value */
    decades found = {(int)floor(log10(low)), (int)ceil(log10(high))};
    found.high += found.high == found.low;
    return found;
}

static double bar_height(decades decades, double value)
{
    return PLOT_HEIGHT * (log10(value) - decades.low) / (decades.high - decades.low);
}

/* The value is written above the bar: around its middle, or up to its right edge where a higher bar may follow. */
static void draw_bar(const picture_pixels *image, chart_box box, uint32_t colour, double value, chart_align side)
{
    char text[32];
    chart_fill(image, box, colour);
    snprintf(text, sizeof text, "%.*f", value < 1 ? 2 : value < 100 ? 1 : 0, value);
    chart_draw_text(image, (chart_point){box.x + (side == CHART_UP_TO ? box.width : box.width / 2.0), box.y - 20}, side,
                    text);
}

static void draw_decades(const picture_pixels *image, int left, decades decades)
{
    for (int decade = decades.low; decade <= decades.high; decade++)
    {
        int y = TOP + PLOT_HEIGHT - (int)(PLOT_HEIGHT * (decade - decades.low) / (decades.high - decades.low));
        char text[32];
        snprintf(text, sizeof text, "%.*f", decade < 0 ? -decade : 0, pow(10, decade));
        chart_fill(image, (chart_box){left, y, PANEL_WIDTH - MARGIN_LEFT - MARGIN_RIGHT, 1}, PALE);
        chart_draw_text(image, (chart_point){left - 8, y - 7}, CHART_UP_TO, text);
    }
}

static void draw_bars(const picture_pixels *image, const chart_def *def, uint32_t index)
{
    const chart_panel *panel = &def->panels[index];
    int left = (int)index * PANEL_WIDTH + MARGIN_LEFT, width = PANEL_WIDTH - MARGIN_LEFT - MARGIN_RIGHT;
    int slot = width / (int)def->bar_count, bottom = TOP + PLOT_HEIGHT;
    decades decades = find_decades(def);
    chart_draw_text(image, (chart_point){left + width / 2.0, 10}, CHART_AROUND, panel->title);
    chart_draw_text(image, (chart_point){left - MARGIN_LEFT + PANEL_WIDTH / 2.0, 32}, CHART_AROUND, def->bars_title);
    draw_decades(image, left, decades);
    for (uint32_t i = 0; i < def->bar_count; i++)
    {
        int x = left + (int)i * slot, height = (int)bar_height(decades, panel->bar[i]);
        bool pair = panel->reference[i] > 0;
        int bar_width = slot / 3, first = x + (pair ? 2 * slot / 9 : slot / 3); /* room for a value left of it */
        draw_bar(image, (chart_box){first, bottom - height, bar_width, height}, BAR_COLOUR[i], panel->bar[i],
                 pair ? CHART_UP_TO : CHART_AROUND);
        if (pair)
        {
            height = (int)bar_height(decades, panel->reference[i]);
            draw_bar(image, (chart_box){first + bar_width + 4, bottom - height, bar_width, height}, GREY,
                     panel->reference[i], CHART_AROUND);
        }
        chart_draw_text(image, (chart_point){x + slot / 2.0, bottom + 10}, CHART_AROUND, def->bar_name[i]);
    }
    chart_fill(image, (chart_box){left, bottom, width, 2}, INK);
}

/* ---- lines ---- */

static double find_top(const chart_def *def)
{
    double top = 2;
    for (uint32_t p = 0; p < def->panel_count; p++)
        for (uint32_t line = 0; line < def->line_count; line++)
            for (uint32_t i = 0; i < def->point_count; i++)
                top = fmax(top, def->panels[p].line[line][i]);
    return ceil(top * 1.05);
}

static void draw_scale(const picture_pixels *image, const chart_box *plot, double top)
{
    double step = top > 8 ? ceil(top / 6) : top > 3 ? 1 : 0.5;
    for (double value = 0; value <= top; value += step)
    {
        int y = plot->y + plot->height - (int)(plot->height * value / top);
        char text[32];
        snprintf(text, sizeof text, "%.1f", value);
        chart_fill(image, (chart_box){plot->x, y, plot->width, 1}, PALE);
        chart_draw_text(image, (chart_point){plot->x - 8, y - 7}, CHART_UP_TO, text);
    }
}

static chart_point place(const chart_def *def, const chart_box *plot, uint32_t point, double share)
{
    double slot = (double)plot->width / def->point_count;
    return (chart_point){plot->x + slot * (point + 0.5), plot->y + plot->height * (1 - fmin(share, 1))};
}

/* Lines are below the bars, if there are any. */
static int lines_top(const chart_def *def) { return def->bar_count > 0 ? TOP + PLOT_HEIGHT + BETWEEN : BETWEEN; }

static void draw_lines(const picture_pixels *image, const chart_def *def, uint32_t index)
{
    chart_box plot = {(int)index * PANEL_WIDTH + MARGIN_LEFT, lines_top(def), PANEL_WIDTH - MARGIN_LEFT - MARGIN_RIGHT,
                      PLOT_HEIGHT};
    double top = find_top(def);
    chart_draw_text(image, (chart_point){plot.x, plot.y - 52}, CHART_FROM, def->lines_title);
    draw_scale(image, &plot, top);
    for (uint32_t i = 0; i < def->point_count; i++)
    {
        char text[16];
        snprintf(text, sizeof text, "%u", def->points[i]);
        chart_draw_text(image, (chart_point){place(def, &plot, i, 0).x, plot.y + plot.height + 10}, CHART_AROUND, text);
        if (i > 0 && def->points[i] <= top)
            chart_draw_line(image, place(def, &plot, i - 1, def->points[i - 1] / top),
                            place(def, &plot, i, def->points[i] / top), PALE);
    }
    int legend = plot.x;
    for (uint32_t line = 0; line < def->line_count; line++)
    {
        const double *values = def->panels[index].line[line];
        for (uint32_t i = 0; i < def->point_count; i++)
        {
            chart_point at = place(def, &plot, i, values[i] / top);
            if (i > 0)
                chart_draw_line(image, place(def, &plot, i - 1, values[i - 1] / top), at, LINE_COLOUR[line]);
            chart_fill(image, (chart_box){(int)at.x - 5, (int)at.y - 5, 10, 10}, LINE_COLOUR[line]);
        }
        chart_fill(image, (chart_box){legend, plot.y - 26, 14, 14}, LINE_COLOUR[line]);
        chart_draw_text(image, (chart_point){legend + 20, plot.y - 26}, CHART_FROM, def->line_name[line]);
        legend += 40 + CHART_LETTER_WIDTH * (int)strlen(def->line_name[line]);
    }
    chart_fill(image, (chart_box){plot.x, plot.y + plot.height, plot.width, 2}, INK);
}

/* ---- the whole chart ---- */

carom_status chart_write(carom_context *context, const chart_def *def, const char *path)
{
    picture_pixels image = {.width = PANEL_WIDTH * def->panel_count,
                            .height = (uint32_t)lines_top(def) + PLOT_HEIGHT + MARGIN_LOW};
    image.rgb = malloc(3 * (size_t)image.width * image.height);
    if (!image.rgb)
        return CAROM_OUT_OF_MEMORY;
    chart_fill(&image, (chart_box){0, 0, (int)image.width, (int)image.height}, PAPER);
    for (uint32_t i = 0; i < def->panel_count; i++)
    {
        if (def->bar_count > 0)
            draw_bars(&image, def, i);
        draw_lines(&image, def, i);
    }
    carom_status status = picture_write_png(context, &image, path);
    free(image.rgb);
    return status;
}

/* ---- curves ---- */

/* The part of the image and the range of values that a panel's curves have. */
typedef struct curve_frame
{
    const chart_curves *curves;
    chart_box plot;
    double low, high, step; /* logarithmic: powers of ten, 1 apart */
} curve_frame;

static void find_range(curve_frame *frame)
{
    const chart_curves *curves = frame->curves;
    double highest = 0, lowest = INFINITY;
    for (uint32_t k = 0; k < curves->curve_count; k++)
        for (uint32_t i = 0; i < curves->point_count; i++)
        {
            double value = curves->y[k][i];
            highest = fmax(highest, value);
            lowest = value > 0.0 ? fmin(lowest, value) : lowest;
        }
    frame->step = curves->logarithmic ? 1.0 : chart_round_step(highest);
    frame->low = curves->logarithmic && highest > 0.0 ? floor(log10(lowest)) : 0.0;
    frame->high = curves->logarithmic ? (highest > 0.0 ? floor(log10(highest)) : 0.0) + 1.0
                                      : frame->step * (floor(highest / frame->step) + 1);
}

/* Where a value is between the lowest and the highest. */
static double value_share(const curve_frame *frame, double value)
{
    double scaled = frame->curves->logarithmic ? log10(value) : value;
    return (scaled - frame->low) / (frame->high - frame->low);
}

static void draw_curve_scale(const picture_pixels *image, const curve_frame *frame)
{
    const chart_box *plot = &frame->plot;
    for (double at = frame->low; at <= frame->high; at += frame->step)
    {
        int y = plot->y + plot->height - (int)(plot->height * (at - frame->low) / (frame->high - frame->low));
        char text[32];
        snprintf(text, sizeof text, "%g", frame->curves->logarithmic ? pow(10.0, at) : at);
        chart_fill(image, (chart_box){plot->x, y, plot->width, 1}, PALE);
        chart_draw_text(image, (chart_point){plot->x - 8, y - 7}, CHART_UP_TO, text);
    }
}

static double along_x(const chart_curves *curves, uint32_t point)
{
    double first = curves->x[0], last = curves->x[curves->point_count - 1], at = curves->x[point];
    if (!(last > first))
        return 0.5;
    return curves->logarithmic ? log(at / first) / log(last / first) : (at - first) / (last - first);
}

static chart_point curve_point(const curve_frame *frame, uint32_t point, double share)
{
    const chart_box *plot = &frame->plot;
    return (chart_point){plot->x + 12 + (plot->width - 24) * along_x(frame->curves, point),
                         plot->y + plot->height * (1 - share)};
}

static void draw_curve(const picture_pixels *image, const curve_frame *frame, uint32_t curve)
{
    const double *y = frame->curves->y[curve];
    for (uint32_t i = 0; i < frame->curves->point_count; i++)
    {
        if (frame->curves->logarithmic && !(y[i] > 0.0))
            continue;
        chart_point at = curve_point(frame, i, value_share(frame, y[i]));
        if (i > 0 && (y[i - 1] > 0.0 || !frame->curves->logarithmic))
            chart_draw_line(image, curve_point(frame, i - 1, value_share(frame, y[i - 1])), at, chart_colour(curve));
        chart_fill(image, (chart_box){(int)at.x - 4, (int)at.y - 4, 8, 8}, chart_colour(curve));
    }
}

/* The names of the curves, in rows below the title. */
static void draw_curve_names(const picture_pixels *image, const curve_frame *frame)
{
    const chart_box *plot = &frame->plot;
    int x = plot->x, y = plot->y - TOP + 36;
    for (uint32_t k = 0; k < frame->curves->curve_count; k++)
    {
        int width = 30 + CHART_LETTER_WIDTH * (int)strlen(frame->curves->names[k]);
        if (x + width > plot->x + plot->width + MARGIN_RIGHT && x > plot->x)
            x = plot->x, y += 18;
        chart_fill(image, (chart_box){x, y, 14, 14}, chart_colour(k));
        chart_draw_text(image, (chart_point){x + 18, y}, CHART_FROM, frame->curves->names[k]);
        x += width;
    }
}

static int curve_panel_height(void) { return TOP + 30 + 2 * PLOT_HEIGHT + MARGIN_LOW; }

static void draw_curve_panel(const picture_pixels *image, const chart_curves *curves, uint32_t index)
{
    int column = (int)(index % CHART_PANELS_PER_ROW), row = (int)(index / CHART_PANELS_PER_ROW);
    curve_frame frame = {.curves = curves,
                         .plot = {column * PANEL_WIDTH + MARGIN_LEFT, row * curve_panel_height() + TOP + 30,
                                  PANEL_WIDTH - MARGIN_LEFT - MARGIN_RIGHT, 2 * PLOT_HEIGHT}};
    const chart_box *plot = &frame.plot;
    find_range(&frame);
    chart_draw_text(image, (chart_point){plot->x, plot->y - TOP - 20}, CHART_FROM, curves->title);
    draw_curve_scale(image, &frame);
    draw_curve_names(image, &frame);
    for (uint32_t k = 0; k < curves->curve_count; k++)
        draw_curve(image, &frame, k);
    for (uint32_t i = 0; i < curves->point_count; i++)
    {
        char text[16];
        snprintf(text, sizeof text, "%u", curves->x[i]);
        chart_draw_text(image, (chart_point){curve_point(&frame, i, 0).x, plot->y + plot->height + 10}, CHART_AROUND,
                        text);
    }
    chart_draw_text(image, (chart_point){plot->x + plot->width / 2.0, plot->y + plot->height + 32}, CHART_AROUND,
                    curves->x_title);
    chart_fill(image, (chart_box){plot->x, plot->y + plot->height, plot->width, 2}, INK);
}

carom_status chart_write_curves(carom_context *context, const chart_curves *panels, uint32_t panel_count,
                                const char *path)
{
    uint32_t columns = panel_count < CHART_PANELS_PER_ROW ? panel_count : CHART_PANELS_PER_ROW;
    uint32_t rows = (panel_count + CHART_PANELS_PER_ROW - 1) / CHART_PANELS_PER_ROW;
    picture_pixels image = {.width = PANEL_WIDTH * columns, .height = (uint32_t)curve_panel_height() * rows};
    image.rgb = malloc(3 * (size_t)image.width * image.height);
    if (!image.rgb)
        return CAROM_OUT_OF_MEMORY;
    chart_fill(&image, (chart_box){0, 0, (int)image.width, (int)image.height}, PAPER);
    for (uint32_t i = 0; i < panel_count; i++)
        draw_curve_panel(&image, &panels[i], i);
    carom_status status = picture_write_png(context, &image, path);
    free(image.rgb);
    return status;
}
