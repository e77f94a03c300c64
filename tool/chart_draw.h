/* What all charts are drawn with. */
#ifndef TOOL_CHART_DRAW_H
#define TOOL_CHART_DRAW_H

#include "tool/chart.h"
#include "tool/picture.h"

#define CHART_INK   0x222222u
#define CHART_PALE  0xd9d9d9u
#define CHART_PAPER 0xffffffu

enum
{
    CHART_LETTER_WIDTH = 12,
    CHART_LETTER_HEIGHT = 14
};

typedef struct chart_box
{
    int x, y, width, height;
} chart_box;

typedef struct chart_point
{
    double x, y;
} chart_point;

/* The position of a text relative to the given x. */
typedef enum chart_align
{
    CHART_FROM,
    CHART_AROUND,
    CHART_UP_TO
} chart_align;

void chart_fill(const picture_pixels *image, chart_box box, uint32_t colour);
void chart_draw_line(const picture_pixels *image, chart_point from, chart_point to, uint32_t colour);
/* In capitals; at.y is its upper edge. */
void chart_draw_text(const picture_pixels *image, chart_point at, chart_align align, const char *text);

/* Of the curve with this number. */
uint32_t chart_colour(uint32_t curve);

/* A round number of which at most six fit below the highest value. */
double chart_round_step(double top);

#endif
