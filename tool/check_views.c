/* Pictures of images: PNG files to look at, PFM files (float) to compute with, and a list of them. */
#include "tool/check_views.h"

#include "tool/chart_draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    MAX_PATH = 4096,
    PANEL = 256, /* pixels at least, along a side */
    GAP = 8,
    HEAD = 24
};

static const uint32_t BEHIND = 0x1b2a41, RED = 0xd62728;

bool check_views_can_show(const char *engine)
{
    const carom_engine_info *info;
    for (uint32_t i = 0; engine && (info = carom_engine_list(i)) != NULL; i++)
        if (strcmp(info->name, engine) == 0)
            return info->shows_images;
    return false;
}

/* ---- names ---- */

/* "image-0001-a0-b0-meets" and what comes after it, in the folder. False: too long. */
static bool make_path(check_views *views, const carom_engine_image *image, const char *end, char out[MAX_PATH])
{
    int length =
        snprintf(out, MAX_PATH, "%s/image-%04llu-a%u-b%u-%s%s", views->folder, (unsigned long long)views->count,
                 image->node_a, image->node_b, image->meets ? "meets" : "apart", end);
    if (length < MAX_PATH)
        return true;
    views->code = tool_fail(views->command, "--picture: the name of the folder is too long");
    return false;
}

static const char *file_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- float files ---- */

static void write_float(tool_out *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    unsigned char bytes[4] = {(unsigned char)bits, (unsigned char)(bits >> 8), (unsigned char)(bits >> 16),
                              (unsigned char)(bits >> 24)};
    tool_out_write(out, bytes, sizeof bytes);
}

/* A negative scale says: little-endian. Rows from the bottom, as in the layer. */
static bool write_pfm(check_views *views, const carom_engine_image *image, const carom_engine_layer *layer,
                      const char *path)
{
    tool_out out;
    size_t pixels = (size_t)image->side * image->side;
    if (!tool_out_open(views->command, views->context, path, &out))
        return false;
    tool_out_print(&out, "Pf\n%u %u\n-1.0\n", image->side, image->side);
    for (size_t i = 0; i < pixels; i++)
        write_float(&out, layer->values[i]);
    return tool_out_close(&out, TOOL_CLEAN) == TOOL_CLEAN;
}

/* ---- pictures ---- */

typedef struct views_range
{
    double near, far;
} views_range;

static views_range find_range(const carom_engine_image *image)
{
    views_range range = {INFINITY, -INFINITY};
    size_t pixels = (size_t)image->side * image->side;
    for (uint32_t k = 0; k < image->layer_count; k++)
        for (size_t i = 0; i < pixels && image->layers[k].is_depth; i++)
            if (!isnan(image->layers[k].values[i]))
            {
                range.near = fmin(range.near, (double)image->layers[k].values[i]);
                range.far = fmax(range.far, (double)image->layers[k].values[i]);
            }
    return range;
}

/* What is near is light; the stencil in colours. */
static uint32_t colour_of(const carom_engine_layer *layer, const views_range *range, size_t pixel)
{
    static const uint32_t counts[4] = {0x1b2a41, 0x4c78a8, 0xd62728, 0xf5b041};
    float value = layer->values[pixel];
    if (!layer->is_depth)
        return value <= 3.0f ? counts[(int)value] : 0xffffff;
    if (isnan(value))
        return BEHIND;
    double share = range->far > range->near ? ((double)value - range->near) / (range->far - range->near) : 0.0;
    uint32_t grey = (uint32_t)(245.0 - 165.0 * share);
    return grey << 16 | grey << 8 | grey;
}

/* Do the intervals of the two hulls meet in a pixel? Layers as those of engine `image`. */
static bool intervals_meet(const carom_engine_image *image, size_t pixel)
{
    const carom_engine_layer *layers = image->layers;
    return layers[1].values[pixel] >= layers[2].values[pixel] && layers[3].values[pixel] >= layers[0].values[pixel];
}

typedef struct views_sheet
{
    picture_pixels pixels;
    int scale; /* pixels of the picture per pixel of the image */
} views_sheet;

static void draw_panel(const views_sheet *sheet, const carom_engine_image *image, uint32_t panel,
                       const views_range *range)
{
    bool common = panel >= image->layer_count; /* where the intervals meet */
    int side = (int)image->side, scale = sheet->scale, left = GAP + (int)panel * (side * scale + GAP);
    chart_draw_text(&sheet->pixels, (chart_point){left, 6}, CHART_FROM, common ? "meet" : image->layers[panel].name);
    for (int i = 0; i < side * side; i++)
    {
        uint32_t colour = BEHIND;
        if (!common)
            colour = colour_of(&image->layers[panel], range, (size_t)i);
        else if (intervals_meet(image, (size_t)i))
            colour = RED;
        chart_box box = {left + i % side * scale, HEAD + (side - 1 - i / side) * scale, scale, scale};
        chart_fill(&sheet->pixels, box, colour);
    }
}

static bool write_png(check_views *views, const carom_engine_image *image, const char *path)
{
    bool intervals = image->layer_count == 4 && image->layers[1].is_depth;
    uint32_t panels = image->layer_count + intervals, scale = image->side < PANEL ? PANEL / image->side : 1;
    uint32_t side = image->side * scale;
    views_sheet sheet = {{GAP + panels * (side + GAP), HEAD + side + GAP, NULL}, (int)scale};
    views_range range = find_range(image);
    sheet.pixels.rgb = malloc(3 * (size_t)sheet.pixels.width * sheet.pixels.height);
    carom_status status = sheet.pixels.rgb ? CAROM_OK : CAROM_OUT_OF_MEMORY;
    if (sheet.pixels.rgb)
    {
        chart_fill(&sheet.pixels, (chart_box){0, 0, (int)sheet.pixels.width, (int)sheet.pixels.height}, CHART_PAPER);
        for (uint32_t i = 0; i < panels; i++)
            draw_panel(&sheet, image, i, &range);
        status = picture_write_png(views->context, &sheet.pixels, path);
    }
    free(sheet.pixels.rgb);
    if (carom_failed(status))
        tool_fail_status(views->command, views->context, status);
    return !carom_failed(status);
}

/* ---- the index ---- */

static void write_view(tool_writer *writer, const carom_engine_image *image)
{
    writer_begin(writer, "view", '{');
    writer_point(writer, "right", image->axis[0]);
    writer_point(writer, "up", image->axis[1]);
    writer_point(writer, "away", image->axis[2]);
    writer_point(writer, "centre", image->centre);
    writer_begin_line(writer, "low", '[');
    writer_number(writer, NULL, image->low[0]), writer_number(writer, NULL, image->low[1]);
    writer_end(writer);
    writer_begin_line(writer, "pixel", '[');
    writer_number(writer, NULL, image->pixel[0]), writer_number(writer, NULL, image->pixel[1]);
    writer_end(writer);
    writer_end(writer);
}

/* The files of an image, written one after the other and listed. */
static bool write_files(check_views *views, const carom_engine_image *image)
{
    tool_writer *writer = &views->writer;
    char path[MAX_PATH], end[64];
    if (!make_path(views, image, ".png", path) || !write_png(views, image, path))
        return false;
    writer_text(writer, "picture", file_of(path));
    writer_begin(writer, "layers", '{');
    for (uint32_t k = 0; k < image->layer_count; k++)
    {
        snprintf(end, sizeof end, "-%s.pfm", image->layers[k].name);
        if (!make_path(views, image, end, path) || !write_pfm(views, image, &image->layers[k], path))
            return false;
        writer_text(writer, image->layers[k].name, file_of(path));
    }
    writer_end(writer);
    return true;
}

void check_views_add(const carom_engine_image *image, void *user)
{
    check_views *views = user;
    tool_writer *writer = &views->writer;
    views->count++;
    if (views->code != TOOL_CLEAN)
        return;
    writer_begin(writer, NULL, '{');
    writer_count(writer, "image", views->count);
    writer_count(writer, "node_a", image->node_a);
    writer_count(writer, "node_b", image->node_b);
    writer_bool(writer, "piece_a", image->leaf_a);
    writer_bool(writer, "piece_b", image->leaf_b);
    writer_text(writer, "verdict", image->meets ? "meets" : "apart");
    writer_number(writer, "sampled_size", image->sampled_size);
    writer_count(writer, "side", image->side);
    write_view(writer, image);
    tool_hold_deadline();
    if (views->count <= views->limit && !write_files(views, image))
        views->code = TOOL_ERROR;
    tool_release_deadline();
    writer_end(writer);
}

bool check_views_open(check_views *views, const char *engine)
{
    char path[MAX_PATH];
    if (!tool_make_folder(views->command, views->folder))
        return false;
    if (snprintf(path, sizeof path, "%s/index.json", views->folder) >= MAX_PATH)
        return tool_fail(views->command, "--picture: the name of the folder is too long"), false;
    tool_hold_deadline();
    bool opened = tool_out_open(views->command, views->context, path, &views->index);
    tool_release_deadline();
    if (!opened)
        return false;
    views->writer = (tool_writer){.out = &views->index};
    writer_begin(&views->writer, NULL, '{');
    writer_text(&views->writer, "document", "carom views");
    writer_text(&views->writer, "engine", engine);
    writer_begin(&views->writer, "images", '[');
    return true;
}

int check_views_close(check_views *views, int code)
{
    if (views->code != TOOL_CLEAN)
    {
        tool_out_abandon(&views->index);
        return TOOL_ERROR;
    }
    writer_end(&views->writer);
    writer_count(&views->writer, "count", views->count);
    writer_end(&views->writer);
    code = tool_out_close(&views->index, code);
    uint64_t drawn = views->count < views->limit ? views->count : views->limit;
    if (code != TOOL_ERROR)
        tool_note(views->command,
                  "%llu images of pairs of hulls, %llu of them as pictures, are listed in %s/index.json",
                  (unsigned long long)views->count, (unsigned long long)drawn, views->folder);
    return code;
}
