/* From samples to a PNG: light, edges, filter. */
#include "tool/picture.h"

#include "io/io.h"
#include "tool/raster.h"

#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

enum
{
    SUPERSAMPLING = 3, /* per axis */
    SIZE_LIMIT = 8192,
    OCCLUSION_TAPS = 12
};

#define MARK_COLOUR 0xe0281e

picture_def picture_def_default(void)
{
    return (picture_def){.width = 1280, .height = 800, .from = {0.75, -1.0, 0.62}};
}

uint32_t picture_tint(uint32_t index)
{
    static const uint32_t tints[] = {0x7f9db9, 0xc9b382, 0x8fae8b, 0xa693b5, 0xb9a39a, 0x79aeb0,
                                     0xc4a0a4, 0x9aa66f, 0x8f9bc4, 0xb0b7bd, 0xa88f6d, 0x86b59f};
    return tints[index % (sizeof tints / sizeof *tints)];
}

typedef struct colour
{
    float r, g, b;
} colour;

/* Light adds up linearly, screens do not: 2.2 is near enough. */
static float to_linear(uint32_t byte) { return powf((float)(byte & 0xff) / 255.0f, 2.2f); }
static unsigned char to_byte(float value)
{
    float clipped = value < 0 ? 0 : value > 1 ? 1 : value;
    return (unsigned char)lrintf(255.0f * powf(clipped, 1 / 2.2f));
}
static colour from_hex(uint32_t hex) { return (colour){to_linear(hex >> 16), to_linear(hex >> 8), to_linear(hex)}; }
static colour mix(colour a, colour b, float t)
{
    return (colour){a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t};
}
static colour scaled(colour a, float s) { return (colour){a.r * s, a.g * s, a.b * s}; }

/* ---- light ---- */

/* A key light from the upper left, a fill from the right, sky above; all in the eye's frame. */
static float light_of(const raster_sample *sample)
{
    float x = sample->normal[0] / 127.0f, y = sample->normal[1] / 127.0f, z = sample->normal[2] / 127.0f;
    float key = fmaxf(0, -0.42f * x + 0.64f * y + 0.64f * z);
    float fill = fmaxf(0, 0.8f * x + 0.1f * y + 0.59f * z);
    return 0.28f + 0.62f * key + 0.16f * fill + 0.10f * (0.5f + 0.5f * y);
}

static const raster_sample *sample_at(const raster_image *image, int x, int y)
{
    x = x < 0 ? 0 : x >= image->width ? image->width - 1 : x;
    y = y < 0 ? 0 : y >= image->height ? image->height - 1 : y;
    return &image->samples[(size_t)y * (size_t)image->width + (size_t)x];
}

/* How much of the surroundings stands in front: a ring of neighbours that are nearer, but not much nearer. */
static float occlusion_at(const raster_image *image, int x, int y, float near_step)
{
    static const float ring[OCCLUSION_TAPS][2] = {{1, 0},          {0.5f, 0.87f},  {-0.5f, 0.87f}, {-1, 0},
                                                  {-0.5f, -0.87f}, {0.5f, -0.87f}, {0, 2},         {1.7f, 1},
                                                  {1.7f, -1},      {0, -2},        {-1.7f, -1},    {-1.7f, 1}};
    const raster_sample *here = sample_at(image, x, y);
    float reach = (float)image->height / 70, covered = 0;
    for (int i = 0; i < OCCLUSION_TAPS; i++)
    {
        const raster_sample *there = sample_at(image, x + (int)(reach * ring[i][0]), y + (int)(reach * ring[i][1]));
        float nearer = there->depth / here->depth - 1; /* part of the distance */
        float above = nearer / near_step;
        if (above > 0.15f && above < 4)
            covered += above < 1 ? above : 1 - (above - 1) / 3;
    }
    return covered / OCCLUSION_TAPS;
}

/* 0: none, 1: a full line. Outlines where the part or the depth changes, creases where the normal does. */
static float edge_at(const raster_image *image, int x, int y, float near_step)
{
    const raster_sample *here = sample_at(image, x, y);
    float strongest = 0;
    static const int beside[2][2] = {{1, 0}, {0, 1}};
    for (int i = 0; i < 2; i++)
    {
        const raster_sample *a = sample_at(image, x - beside[i][0], y - beside[i][1]);
        const raster_sample *b = sample_at(image, x + beside[i][0], y + beside[i][1]);
        float far = fmaxf(a->depth, b->depth), bend = 2 * here->depth - a->depth - b->depth;
        float line = 0;
        if (a->part != b->part)
            line = 1;
        else if (far > 0 && fabsf(bend) / far > 0.08f * near_step)
            line = 0.8f;
        else
        {
            int across = a->normal[0] * b->normal[0] + a->normal[1] * b->normal[1] + a->normal[2] * b->normal[2];
            if (across < 127 * 127 * 7 / 10)
                line = 0.5f;
        }
        strongest = line > strongest ? line : strongest;
    }
    return strongest;
}

static colour background_at(const raster_image *image, int y)
{
    float t = (float)y / (float)image->height;
    return mix(from_hex(0xfbfcfd), from_hex(0xe3e8ed), t * t);
}

static colour colour_at(const raster_image *image, const picture_part *parts, int x, int y, float near_step)
{
    const raster_sample *here = sample_at(image, x, y);
    colour result;
    if (here->depth == 0)
        result = background_at(image, y);
    else
    {
        bool marked = here->flags & RASTER_MARKED;
        result = from_hex(marked ? MARK_COLOUR : parts[here->part].tint);
        float light = light_of(here);
        /* red stays red in the shade */
        result = scaled(result, marked ? 0.45f + 0.65f * light : light);
        result = scaled(result, 1 - 0.55f * occlusion_at(image, x, y, near_step));
        if (here->flags & RASTER_MARKED_HIDDEN)
            result = mix(result, from_hex(MARK_COLOUR), 0.22f);
    }
    float edge = edge_at(image, x, y, near_step);
    return edge > 0 ? mix(result, from_hex(0x2a3138), 0.62f * edge) : result;
}

/* ---- output ---- */

/* Averages each block of samples into one pixel. */
static void resolve(const raster_image *image, const picture_part *parts, float near_step, unsigned char *pixels)
{
    int width = image->width / SUPERSAMPLING, height = image->height / SUPERSAMPLING;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
        {
            colour sum = {0, 0, 0};
            for (int k = 0; k < SUPERSAMPLING * SUPERSAMPLING; k++)
            {
                colour one = colour_at(image, parts, x * SUPERSAMPLING + k % SUPERSAMPLING,
                                       y * SUPERSAMPLING + k / SUPERSAMPLING, near_step);
                sum.r += one.r, sum.g += one.g, sum.b += one.b;
            }
            sum = scaled(sum, 1.0f / (SUPERSAMPLING * SUPERSAMPLING));
            unsigned char *pixel = pixels + 3 * ((size_t)y * (size_t)width + (size_t)x);
            pixel[0] = to_byte(sum.r), pixel[1] = to_byte(sum.g), pixel[2] = to_byte(sum.b);
        }
}

static carom_status write_png(carom_context *context, const picture_def *def, const unsigned char *pixels,
                              const char *path)
{
    png_image png = {.version = PNG_IMAGE_VERSION, .width = def->width, .height = def->height};
    png.format = PNG_FORMAT_RGB;
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png);
    void *bytes = malloc(size);
    if (!bytes)
        return CAROM_OUT_OF_MEMORY;
    carom_status status = CAROM_BAD_DATA;
    io_output *output = NULL;
    if (png_image_write_to_memory(&png, bytes, &size, 0, pixels, 0, NULL))
        status = io_output_open(context, path, &output);
    if (output)
    {
        io_output_write(output, bytes, size);
        status = io_output_commit(output);
    }
    free(bytes);
    return status;
}

/* How deep the scene is next to its distance: the measure for edges and shade. */
static float depth_step(const raster_image *image)
{
    float low = INFINITY, high = 0;
    size_t count = (size_t)image->width * (size_t)image->height;
    for (size_t i = 0; i < count; i++)
        if (image->samples[i].depth > 0)
        {
            low = fminf(low, image->samples[i].depth);
            high = fmaxf(high, image->samples[i].depth);
        }
    return high > low ? 0.05f * (high / low - 1) : 1e-3f;
}

carom_status picture_write(carom_context *context, const picture_def *def, const picture_part *parts, uint32_t count,
                           const char *path)
{
    if (def->width == 0 || def->height == 0 || def->width > SIZE_LIMIT || def->height > SIZE_LIMIT ||
        count >= RASTER_NOTHING)
        return CAROM_INVALID_ARGUMENT;
    raster_image image = {.width = (int)def->width * SUPERSAMPLING, .height = (int)def->height * SUPERSAMPLING};
    size_t samples = (size_t)image.width * (size_t)image.height;
    image.samples = malloc(samples * sizeof *image.samples);
    unsigned char *pixels = malloc(3 * (size_t)def->width * def->height);
    carom_status status = image.samples && pixels ? CAROM_OK : CAROM_OUT_OF_MEMORY;
    if (status == CAROM_OK)
    {
        for (size_t i = 0; i < samples; i++)
            image.samples[i] = (raster_sample){.part = RASTER_NOTHING};
        raster_camera camera = raster_aim(def, parts, count, &image);
        for (uint32_t i = 0; i < count && status == CAROM_OK; i++)
            if (!raster_draw(&image, &camera, &parts[i], (uint16_t)i))
                status = CAROM_OUT_OF_MEMORY;
        for (uint32_t i = 0; i < count && status == CAROM_OK; i++)
            raster_draw_hidden(&image, &camera, &parts[i]);
    }
    if (status == CAROM_OK)
    {
        resolve(&image, parts, depth_step(&image), pixels);
        status = write_png(context, def, pixels, path);
    }
    free(pixels);
    free(image.samples);
    return status;
}
