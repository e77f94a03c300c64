/* Animated PNG: a picture that programs without animation show as its first frame. */
#ifndef TOOL_ANIMATION_H
#define TOOL_ANIMATION_H

#include "carom/io.h"
#include "tool/picture.h"

typedef struct animation
{
    io_output *output;
    uint32_t width, height;
    uint32_t frame_count; /* in all; known beforehand */
    uint32_t frames;      /* added so far */
    uint32_t sequence;    /* of chunks that belong to the animation */
    uint16_t delay_ms;
} animation;

/* The file is written whole or not at all. frame_count: at least 1. */
carom_status animation_open(carom_context *context, const char *path, uint32_t frame_count, uint16_t delay_ms,
                            animation *out);
/* All frames have the size of the first. */
carom_status animation_add(animation *animation, const picture_pixels *pixels);
/* Fewer frames than announced: CAROM_INVALID_ARGUMENT, and no file. */
carom_status animation_close(animation *animation);
void animation_abandon(animation *animation);

#endif
