/* Pictures of geometry images: points and normals as colours, and the surfaces in space. */
#include "tool/geoimage.h"

#include "carom/extend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static carom_status out_of_memory(carom_context *context)
{
    return carom_context_fail(context, CAROM_OUT_OF_MEMORY, "out of memory for the picture of a geometry image");
}

/* ---- charts in rows ---- */

enum
{
    GAP = 1,          /* pixels between charts */
    MAX_WIDE = 16385, /* pixels of a row, unless one chart is wider */
    MAX_SIDE = 65535  /* of the picture */
};

typedef struct layout
{
    uint64_t width, height;    /* of the whole */
    uint64_t row_limit;        /* where rows end */
    uint64_t x, y, row_height; /* where the next chart goes */
} layout;

/* Rows about as long as all of them are high. */
static layout begin_layout(const carom_geoimage *image)
{
    carom_geoimage_info info = carom_geoimage_get_info(image);
    layout out = {.row_limit = (uint64_t)sqrt((double)info.point_count) + 1};
    carom_geoimage_chart chart;
    out.row_limit = out.row_limit < MAX_WIDE ? out.row_limit : MAX_WIDE;
    for (uint32_t c = 0; c < info.chart_count; c++)
        if (!carom_failed(carom_geoimage_get_chart(image, c, &chart)) && chart.width > out.row_limit)
            out.row_limit = chart.width;
    return out;
}

static void place(layout *layout, const carom_geoimage_chart *chart, uint64_t at[2])
{
    if (layout->x > 0 && layout->x + chart->width > layout->row_limit)
        layout->x = 0, layout->y += layout->row_height + GAP, layout->row_height = 0;
    at[0] = layout->x, at[1] = layout->y;
    layout->x += chart->width + GAP;
    layout->row_height = chart->height > layout->row_height ? chart->height : layout->row_height;
    layout->width = layout->x - GAP > layout->width ? layout->x - GAP : layout->width;
    layout->height = layout->y + layout->row_height;
}

/* ---- colours ---- */

typedef struct colouring
{
    bool normals;
    carom_vec3 low; /* black */
    double scale;   /* 255 is this much more in all three */
} colouring;

static unsigned char to_byte(double value) { return (unsigned char)lround(fmin(fmax(value, 0.0), 255.0)); }

static colouring fit_colours(const carom_geoimage *image)
{
    carom_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t c = 0; c < carom_geoimage_get_info(image).chart_count; c++)
    {
        carom_geoimage_chart chart;
        if (carom_failed(carom_geoimage_get_chart(image, c, &chart)))
            continue;
        for (size_t i = 0; i < (size_t)chart.width * chart.height; i++)
        {
            carom_vec3 p = chart.points[i];
            low = (carom_vec3){fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z)};
            high = (carom_vec3){fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z)};
        }
    }
    double extent = fmax(high.x - low.x, fmax(high.y - low.y, high.z - low.z));
    return (colouring){.low = low, .scale = extent > 0 ? 255 / extent : 0};
}

static void colour_chart(const carom_geoimage_chart *chart, const colouring *colours, picture_pixels *pixels,
                         const uint64_t at[2])
{
    for (uint32_t y = 0; y < chart->height; y++)
        for (uint32_t x = 0; x < chart->width; x++)
        {
            size_t point = (size_t)y * chart->width + x;
            unsigned char *rgb = pixels->rgb + 3 * ((size_t)(at[1] + y) * pixels->width + (size_t)at[0] + x);
            carom_vec3 p = chart->points[point], n = chart->normals[point];
            carom_vec3 c = {(p.x - colours->low.x) * colours->scale, (p.y - colours->low.y) * colours->scale,
                            (p.z - colours->low.z) * colours->scale};
            if (colours->normals)
                c = (carom_vec3){127.5 + 127.5 * n.x, 127.5 + 127.5 * n.y, 127.5 + 127.5 * n.z};
            rgb[0] = to_byte(c.x), rgb[1] = to_byte(c.y), rgb[2] = to_byte(c.z);
        }
}

static carom_status write_colours(carom_context *context, const carom_geoimage *image, const colouring *colours,
                                  const char *path)
{
    layout whole = begin_layout(image), again = whole;
    uint32_t count = carom_geoimage_get_info(image).chart_count;
    carom_geoimage_chart chart;
    uint64_t at[2];
    for (uint32_t c = 0; c < count; c++)
        if (!carom_failed(carom_geoimage_get_chart(image, c, &chart)))
            place(&whole, &chart, at);
    if (whole.width > MAX_SIDE || whole.height > MAX_SIDE)
        return carom_context_fail(context, CAROM_TOO_LARGE, "all charts together are too large for a picture");
    picture_pixels pixels = {.width = (uint32_t)whole.width, .height = (uint32_t)whole.height};
    pixels.rgb = calloc((size_t)whole.width * whole.height + 1, 3);
    if (!pixels.rgb)
        return out_of_memory(context);
    for (uint32_t c = 0; c < count; c++)
        if (!carom_failed(carom_geoimage_get_chart(image, c, &chart)))
        {
            place(&again, &chart, at);
            colour_chart(&chart, colours, &pixels, at);
        }
    carom_status status = picture_write_png(context, &pixels, path);
    free(pixels.rgb);
    return status;
}

carom_status geoimage_write_points(carom_context *context, const carom_geoimage *image, const char *path)
{
    colouring colours = fit_colours(image);
    return write_colours(context, image, &colours, path);
}

carom_status geoimage_write_normals(carom_context *context, const carom_geoimage *image, const char *path)
{
    colouring colours = {.normals = true};
    return write_colours(context, image, &colours, path);
}

/* ---- in space ---- */

carom_status geoimage_draw(carom_context *context, const carom_geoimage *image, const picture_def *def,
                           const char *path)
{
    uint32_t count = carom_geoimage_get_info(image).chart_count, made = 0;
    picture_part *parts = calloc((size_t)count + 1, sizeof *parts);
    carom_mesh **meshes = calloc((size_t)count + 1, sizeof *meshes);
    carom_status status = parts && meshes ? CAROM_OK : out_of_memory(context);
    for (; made < count && !carom_failed(status); made++)
    {
        status = carom_geoimage_mesh(image, made, &meshes[made]);
        parts[made] = (picture_part){.mesh = meshes[made], .pose = carom_pose_identity(), .tint = picture_tint(made)};
    }
    if (!carom_failed(status))
        status = picture_write(context, def, parts, count, path);
    for (uint32_t i = 0; i < made; i++)
        carom_mesh_destroy(meshes[i]);
    free(meshes);
    free(parts);
    return status;
}
