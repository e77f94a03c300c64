/* The certified image on the GPU: all pairs of a batch as tiles of one target, decided by two draw calls. */
#ifndef ENGINE_IMAGE_PASS_H
#define ENGINE_IMAGE_PASS_H

#include "engine/image/image_interval.h"
#include "gpu/gpu.h"

enum
{
    IMAGE_TARGET_SIZES = 5, /* sides of 64, 128 ... pixels: what a pass costs follows the target's size */
    IMAGE_MIN_TARGET = 64,
    IMAGE_MEET_BLOCK = 64 /* side of what one fragment looks through: drivers end loops that run too long (llvmpipe
                        after 65,535 steps), and do not say so */
};

typedef BASE_ARRAY(image_record) image_records;

/* What was drawn since the device was opened. */
typedef struct image_pass_stats
{
    uint64_t passes, tiles, triangles, pixels;         /* pixels of targets */
    double upload_seconds, draw_seconds, read_seconds; /* many drivers draw when the result is read */
} image_pass_stats;

typedef struct image_pass_targets
{
    gpu_target depths; /* of a batch */
    gpu_target blocks; /* a pixel per block of a tile */
    int side;          /* of a tile */
    int blocks_per_side;
} image_pass_targets;

/* Zero-initialise. Everything belongs to the device. */
typedef struct image_pass
{
    gpu_device *device;
    gpu_program draw, meet;
    gpu_buffer records;
    gpu_layout layout, nothing;
    image_pass_targets targets[IMAGE_TARGET_SIZES];
    image_pass_stats stats;
} image_pass;

/* The layout of a buffer of records, each an instance: what interval.vert.glsl reads. */
carom_status image_records_layout(gpu_device *device, const gpu_buffer *records, gpu_layout *out);

/* Between gpu_begin and gpu_end, like all that follow. */
carom_status image_pass_create(gpu_device *device, image_pass *out);
void image_pass_destroy(image_pass *pass);

/* The largest side of a tile. */
uint32_t image_max_tile(const gpu_device *device);

/* How tiles lie in a target: from left to right, from the bottom up. */
typedef struct image_tiles
{
    uint32_t side; /* pixels of a tile */
    uint32_t per_row;
    uint32_t width;    /* of the square target */
    uint32_t capacity; /* tiles */
} image_tiles;

/* The smallest target for so many tiles, or the largest one there is. CAROM_TOO_LARGE: not even one fits. */
carom_status image_lay_out_tiles(const gpu_device *device, uint32_t side, size_t count, image_tiles *out);
carom_status image_pass_layout(const image_pass *pass, uint32_t side, size_t count, image_tiles *out);

static inline void image_tile_at(const image_tiles *tiles, uint32_t index, float out[2])
{
    out[0] = (float)(index % tiles->per_row * tiles->side), out[1] = (float)(index / tiles->per_row * tiles->side);
}

/* Draws the records of up to `capacity` tiles and says for each tile whether the intervals meet in any of its pixels.
 * meets: a byte per tile. */
carom_status image_pass_run(image_pass *pass, const image_tiles *tiles, const image_records *records, uint32_t count,
                            uint8_t *meets);

/* The depths of the last run, for tests and pictures: width * width texels. */
carom_status image_pass_depths(image_pass *pass, const image_tiles *tiles, image_texel *out);

#endif
