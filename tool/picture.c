/* From samples to a PNG: light, edges, filter. */
#include "tool/picture.h"

#include "carom/io.h"
#include "tool/raster.h"

#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum
{
    SUPERSAMPLING = 3, /* per axis */
    SIZE_LIMIT = 4096,
    SHADOW_SIZE = 2048,
    OCCLUSION_TAPS = 12
};

#define CLASH_COLOUR   0xe0241b
#define CONTACT_COLOUR 0xe8a73c
#define LINE_COLOUR    0x262d34

/* The finished samples, and the same scene seen from the light. */
typedef struct scene_view
{
    const picture_part *parts;
    raster_image image;
    raster_camera camera;
    raster_image shadow;
    raster_camera light;
    float near_step;
} scene_view;

picture_def picture_def_default(void)
{
    return (picture_def){.width = 1280, .height = 800, .from = {-0.95, -1.0, 1.0}};
}

uint32_t picture_tint(uint32_t index)
{
    static const uint32_t tints[] = {0xb9c1c8, 0x8aa5c0, 0xcdbf9a, 0x94b08f, 0xa99bbd, 0x7fb0b3,
                                     0xc7a695, 0x9fa97a, 0x95a0c8, 0xb79bb0, 0xb0a07f, 0x86b59f,
                                     0xa7b6c9, 0xc2b0b0, 0x8fa3a0, 0xb8b88a, 0x9c93a8, 0x7f9db9};
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

/* A key light that casts shadows, a fill light from the right, sky light from above; directions in the eye's frame. */
static const float key_direction[3] = {-0.50f, 0.70f, 0.51f};

static float light_of(const raster_sample *sample, float lit)
{
    const signed char *normal = sample->normal;
    float x = (float)normal[0] / 127.0f, y = (float)normal[1] / 127.0f, z = (float)normal[2] / 127.0f;
    float key = fmaxf(0, key_direction[0] * x + key_direction[1] * y + key_direction[2] * z);
    float fill = fmaxf(0, 0.8f * x + 0.1f * y + 0.59f * z);
    return 0.30f + 0.72f * key * lit + 0.16f * fill + 0.12f * (0.5f + 0.5f * y);
}

static const raster_sample *sample_at(const raster_image *image, int x, int y)
{
    x = x < 0 ? 0 : x >= image->width ? image->width - 1 : x;
    y = y < 0 ? 0 : y >= image->height ? image->height - 1 : y;
    return &image->samples[(size_t)y * (size_t)image->width + (size_t)x];
}

/* The fraction of the key light that arrives: a few samples of the light's own depth buffer. */
static float lit_at(const scene_view *view, int x, int y, float depth)
{
    raster_point seen;
    carom_vec3 world = raster_unproject(&view->camera, x + 0.5, y + 0.5, depth);
    if (!raster_project(&view->light, world, &seen))
        return 1;
    int lit = 0, looks = 0;
    for (int dy = -4; dy <= 4; dy += 2)
        for (int dx = -4; dx <= 4; dx += 2, looks++)
        {
            const raster_sample *there = sample_at(&view->shadow, (int)seen.x + dx, (int)seen.y + dy);
            lit += there->depth <= seen.depth * (1 + 0.05f * view->near_step);
        }
    return (float)lit / (float)looks;
}

/* Ambient occlusion: the share of neighbours in a ring that are nearer, but not much nearer. */
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
        else if (a->part == RASTER_NOTHING)
            continue;
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
    return mix(from_hex(0xfdfdfe), from_hex(0xe6eaee), t);
}

static colour surface_at(const scene_view *view, const raster_sample *here, int x, int y)
{
    bool clash = here->flags & RASTER_CLASH;
    colour result = from_hex(clash ? CLASH_COLOUR : view->parts[here->part].tint);
    if (here->flags & RASTER_CONTACT)
        result = mix(result, from_hex(CONTACT_COLOUR), 0.5f);
    float light = light_of(here, lit_at(view, x, y, here->depth));
    /* red stays red in the shade */
    result = scaled(result, clash ? 0.5f + 0.6f * light : light);
    result = scaled(result, 1 - 0.5f * occlusion_at(&view->image, x, y, view->near_step));
    return here->flags & RASTER_CLASH_HIDDEN ? mix(result, from_hex(CLASH_COLOUR), 0.3f) : result;
}

static colour colour_at(const scene_view *view, int x, int y)
{
    const raster_sample *here = sample_at(&view->image, x, y);
    colour result = here->depth == 0 ? background_at(&view->image, y) : surface_at(view, here, x, y);
    float edge = edge_at(&view->image, x, y, view->near_step);
    return edge > 0 ? mix(result, from_hex(LINE_COLOUR), 0.7f * edge) : result;
}

/* ---- output ---- */

/* Averages each block of samples into one pixel. */
static void resolve(const scene_view *view, unsigned char *pixels)
{
    int width = view->image.width / SUPERSAMPLING, height = view->image.height / SUPERSAMPLING;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
        {
            colour sum = {0, 0, 0};
            for (int k = 0; k < SUPERSAMPLING * SUPERSAMPLING; k++)
            {
                colour one =
                    colour_at(view, x * SUPERSAMPLING + k % SUPERSAMPLING, y * SUPERSAMPLING + k / SUPERSAMPLING);
                sum.r += one.r, sum.g += one.g, sum.b += one.b;
            }
            sum = scaled(sum, 1.0f / (SUPERSAMPLING * SUPERSAMPLING));
            unsigned char *pixel = pixels + 3 * ((size_t)y * (size_t)width + (size_t)x);
            pixel[0] = to_byte(sum.r), pixel[1] = to_byte(sum.g), pixel[2] = to_byte(sum.b);
        }
}

bool picture_is_png(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, ".png") == 0;
}

carom_status picture_write_png(carom_context *context, const picture_pixels *pixels, const char *path)
{
    png_image png = {.version = PNG_IMAGE_VERSION, .width = pixels->width, .height = pixels->height};
    png.format = PNG_FORMAT_RGB;
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png);
    void *bytes = malloc(size);
    if (!bytes)
        return CAROM_OUT_OF_MEMORY;
    carom_status status = CAROM_BAD_DATA;
    io_output *output = NULL;
    if (png_image_write_to_memory(&png, bytes, &size, 0, pixels->rgb, 0, NULL))
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

static bool make_image(raster_image *image, int width, int height)
{
    size_t samples = (size_t)width * (size_t)height;
    *image = (raster_image){width, height, malloc(samples * sizeof *image->samples)};
    for (size_t i = 0; image->samples && i < samples; i++)
        image->samples[i] = (raster_sample){.part = RASTER_NOTHING};
    return image->samples != NULL;
}

static bool draw_parts(raster_image *image, const raster_camera *camera, const picture_part *parts, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!raster_draw(image, camera, &parts[i], (uint16_t)i))
            return false;
    return true;
}

/* The key light's direction in the world, from the eye's frame. */
static carom_vec3 key_in_world(const raster_camera *camera)
{
    const carom_vec3 *axes[3] = {&camera->right, &camera->up, &camera->back};
    carom_vec3 sum = {0, 0, 0};
    for (int i = 0; i < 3; i++)
    {
        sum.x += (double)key_direction[i] * axes[i]->x;
        sum.y += (double)key_direction[i] * axes[i]->y;
        sum.z += (double)key_direction[i] * axes[i]->z;
    }
    return sum;
}

/* False when out of memory. */
static bool draw_view(scene_view *view, const picture_def *def, uint32_t count)
{
    if (!make_image(&view->image, (int)def->width * SUPERSAMPLING, (int)def->height * SUPERSAMPLING) ||
        !make_image(&view->shadow, SHADOW_SIZE, SHADOW_SIZE))
        return false;
    const picture_part extent = {.mesh = def->extent, .pose = carom_pose_identity()};
    const picture_part *aim = def->extent ? &extent : view->parts;
    uint32_t aim_count = def->extent ? 1 : count;
    view->camera = raster_aim(def, aim, aim_count, &view->image);
    picture_def from_light = {.from = key_in_world(&view->camera)};
    view->light = raster_aim(&from_light, aim, aim_count, &view->shadow);
    if (!draw_parts(&view->image, &view->camera, view->parts, count) ||
        !draw_parts(&view->shadow, &view->light, view->parts, count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        raster_draw_hidden(&view->image, &view->camera, &view->parts[i]);
    view->near_step = depth_step(&view->image);
    return true;
}

carom_status picture_draw(const picture_def *def, const picture_part *parts, uint32_t count, picture_pixels *out)
{
    *out = (picture_pixels){def->width, def->height, NULL};
    if (def->width == 0 || def->height == 0 || def->width > SIZE_LIMIT || def->height > SIZE_LIMIT ||
        count >= RASTER_NOTHING)
        return CAROM_INVALID_ARGUMENT;
    scene_view view = {.parts = parts};
    unsigned char *pixels = malloc(3 * (size_t)def->width * def->height);
    bool drawn = pixels && draw_view(&view, def, count);
    if (drawn)
        resolve(&view, pixels);
    else
        free(pixels);
    free(view.image.samples);
    free(view.shadow.samples);
    out->rgb = drawn ? pixels : NULL;
    return drawn ? CAROM_OK : CAROM_OUT_OF_MEMORY;
}

carom_status picture_write(carom_context *context, const picture_def *def, const picture_part *parts, uint32_t count,
                           const char *path)
{
    picture_pixels pixels;
    carom_status status = picture_draw(def, parts, count, &pixels);
    if (status == CAROM_OK)
        status = picture_write_png(context, &pixels, path);
    free(pixels.rgb);
    return status;
}
