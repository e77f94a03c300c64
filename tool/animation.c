/* Animated PNG, by the chunks acTL, fcTL and fdAT of the PNG specification, third edition (W3C 2025), section 11.3.6.
 * libpng compresses each frame as a picture of its own; its data is put into chunks of the animation. */
#include "tool/animation.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

static void put_big(unsigned char *out, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        out[i] = (unsigned char)(value >> (24 - 8 * i));
}

static uint32_t get_big(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* ISO 3309, as PNG demands; bit by bit is fast enough next to compression. */
static uint32_t add_crc(uint32_t crc, const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
    {
        crc ^= bytes[i];
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return crc;
}

/* The data of a chunk, in two pieces: what an animation puts first, and the rest. */
typedef struct chunk_data
{
    const unsigned char *first, *rest;
    size_t first_size, rest_size;
} chunk_data;

static void write_chunk(const animation *animation, const char *type, const chunk_data *data)
{
    unsigned char head[8], tail[4];
    put_big(head, (uint32_t)(data->first_size + data->rest_size));
    memcpy(head + 4, type, 4);
    uint32_t crc = add_crc(UINT32_MAX, head + 4, 4);
    crc = add_crc(add_crc(crc, data->first, data->first_size), data->rest, data->rest_size);
    put_big(tail, ~crc);
    io_output_write(animation->output, head, sizeof head);
    if (data->first_size > 0)
        io_output_write(animation->output, data->first, data->first_size);
    if (data->rest_size > 0)
        io_output_write(animation->output, data->rest, data->rest_size);
    io_output_write(animation->output, tail, sizeof tail);
}

static void write_plain(const animation *animation, const char *type, const unsigned char *bytes, size_t size)
{
    write_chunk(animation, type, &(chunk_data){.rest = bytes, .rest_size = size});
}

carom_status animation_open(carom_context *context, const char *path, uint32_t frame_count, uint16_t delay_ms,
                            animation *out)
{
    *out = (animation){.frame_count = frame_count, .delay_ms = delay_ms};
    return frame_count == 0 ? CAROM_INVALID_ARGUMENT : io_output_open(context, path, &out->output);
}

/* Everything before the first frame: signature, header, acTL with the number of frames and 0 for "forever". */
static void write_head(const animation *animation, const unsigned char *header)
{
    static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    unsigned char control[8];
    put_big(control, animation->frame_count);
    put_big(control + 4, 0);
    io_output_write(animation->output, signature, sizeof signature);
    write_plain(animation, "IHDR", header, 13);
    write_plain(animation, "acTL", control, sizeof control);
}

static void write_frame_control(animation *animation)
{
    unsigned char control[26] = {0}; /* offsets 0, no disposal, no blending */
    put_big(control, animation->sequence++);
    put_big(control + 4, animation->width);
    put_big(control + 8, animation->height);
    control[20] = (unsigned char)(animation->delay_ms >> 8), control[21] = (unsigned char)animation->delay_ms;
    control[22] = 1000 >> 8, control[23] = 1000 & 0xff;
    write_plain(animation, "fcTL", control, sizeof control);
}

/* The chunks of a still picture, in order. */
static void write_frame(animation *animation, const unsigned char *png, size_t size)
{
    for (size_t at = 8; at + 12 <= size;)
    {
        uint32_t length = get_big(png + at);
        const unsigned char *type = png + at + 4, *data = png + at + 8;
        if (memcmp(type, "IHDR", 4) == 0 && animation->frames == 0)
            write_head(animation, data);
        if (memcmp(type, "IHDR", 4) == 0)
            write_frame_control(animation);
        if (memcmp(type, "IDAT", 4) == 0 && animation->frames == 0)
            write_plain(animation, "IDAT", data, length);
        else if (memcmp(type, "IDAT", 4) == 0)
        {
            unsigned char sequence[4];
            put_big(sequence, animation->sequence++);
            write_chunk(animation, "fdAT", &(chunk_data){sequence, data, sizeof sequence, length});
        }
        at += 12 + (size_t)length;
    }
    animation->frames++;
}

carom_status animation_add(animation *animation, const picture_pixels *pixels)
{
    bool fits = animation->frames == 0 || (pixels->width == animation->width && pixels->height == animation->height);
    if (!fits || animation->frames == animation->frame_count)
        return CAROM_INVALID_ARGUMENT;
    animation->width = pixels->width, animation->height = pixels->height;
    png_image png = {.version = PNG_IMAGE_VERSION, .width = pixels->width, .height = pixels->height};
    png.format = PNG_FORMAT_RGB;
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png);
    unsigned char *bytes = malloc(size);
    if (!bytes)
        return CAROM_OUT_OF_MEMORY;
    bool fine = png_image_write_to_memory(&png, bytes, &size, 0, pixels->rgb, 0, NULL);
    if (fine)
        write_frame(animation, bytes, size);
    free(bytes);
    return fine ? CAROM_OK : CAROM_BAD_DATA;
}

carom_status animation_close(animation *animation)
{
    if (animation->frames != animation->frame_count)
        return animation_abandon(animation), CAROM_INVALID_ARGUMENT;
    write_plain(animation, "IEND", NULL, 0);
    carom_status status = io_output_commit(animation->output);
    animation->output = NULL;
    return status;
}

void animation_abandon(animation *animation)
{
    io_output_abandon(animation->output);
    animation->output = NULL;
}
