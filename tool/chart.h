/* Plain charts as PNG: a row of panels, each with bars on a logarithmic scale above and lines below; or with curves. */
#ifndef TOOL_CHART_H
#define TOOL_CHART_H

#include "carom/carom.h"

enum
{
    CHART_MAX_BARS = 5,
    CHART_MAX_LINES = 3,
    CHART_MAX_POINTS = 8,
    CHART_MAX_CURVES = 12,
    CHART_PANELS_PER_ROW = 4
};

typedef struct chart_panel
{
    const char *title;
    double bar[CHART_MAX_BARS];
    double reference[CHART_MAX_BARS]; /* drawn next to each bar in grey; not positive: none */
    double line[CHART_MAX_LINES][CHART_MAX_POINTS];
} chart_panel;

typedef struct chart_def
{
    const char *bars_title, *lines_title;
    const char *bar_name[CHART_MAX_BARS], *line_name[CHART_MAX_LINES];
    uint32_t bar_count, line_count, point_count; /* bar_count may be 0 */
    const uint32_t *points; /* x values of the lines; the ideal, value = point, is drawn too where it fits */
    const chart_panel *panels;
    uint32_t panel_count;
} chart_def;

/* Texts appear in capitals: letters, digits and . , + - / : % are known. Writes the file whole or not at all. */
carom_status chart_write(carom_context *context, const chart_def *def, const char *path);

/* Curves over common x values, from zero up, or on logarithmic scales, where values that are not positive are left
 * out. */
typedef struct chart_curves
{
    const char *title, *x_title;
    const char *names[CHART_MAX_CURVES];
    uint32_t curve_count, point_count;
    bool logarithmic;
    const uint32_t *x; /* ascending */
    double y[CHART_MAX_CURVES][CHART_MAX_POINTS];
} chart_curves;

/* Panels in rows, each with a scale of its own. Texts as above. */
carom_status chart_write_curves(carom_context *context, const chart_curves *panels, uint32_t panel_count,
                                const char *path);

/* Curves of any number of points, on axes of plain numbers that may be negative. */
typedef struct chart_series
{
    const char *title, *x_title;
    const char *names[CHART_MAX_CURVES];
    uint32_t curve_count;
    size_t point_count;
    const double *x; /* ascending */
    const double *y[CHART_MAX_CURVES];
} chart_series;

/* Panels from left to right with a common scale. Texts as above. */
carom_status chart_write_series(carom_context *context, const chart_series *panels, uint32_t panel_count,
                                const char *path);

#endif
