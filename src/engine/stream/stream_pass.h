/* The passes of the stream methods: edges (or triangles) as textures, one rectangle per triangle or box, on the GPU and
 * in plain C. */
#ifndef ENGINE_STREAM_PASS_H
#define ENGINE_STREAM_PASS_H

#include "gpu/gpu.h"

/* A texel of the two textures: where an edge begins, its unit direction and its length. The fourth number of the first
 * is not used. Length 0 and no direction: a point. Length -1: no edge. In a stream of triangles, `origin` and
 * `direction` are two corners, the third is in a texture of its own, and the length is 1. */
typedef struct stream_edge
{
    float origin[4];
    float direction[3], length;
    float third[4];
} stream_edge;

/* What a rectangle's vertices have as attributes, as the thesis's figure 3-6.
 *   triangle  three corners and the unit normal; no normal (0) if the triangle is too thin to have one
 *   box       three axes, each with how far the box reaches along it, and the centre */
typedef struct stream_record
{
    float row[4][4];
} stream_record;

enum
{
    STREAM_BATCH = 8 /* passes between two waits: each has a bit of the stencil */
};

typedef enum stream_kind
{
    STREAM_TRIANGLES,
    STREAM_BOXES,
    STREAM_PRINTED_TRIANGLES, /* the thesis's figure 3-8, */
    STREAM_PRINTED_BOXES,     /* and 3-9, as they stand */
    STREAM_PAIRS,             /* triangles of the stream against a triangle, */
    STREAM_PAIR_BOXES,        /* and a box */
    STREAM_KINDS
} stream_kind;

typedef struct stream_batch
{
    stream_kind kind;
    uint32_t count; /* up to STREAM_BATCH */
    bool want_hits; /* which edges pass, not only how many */
    float depth_scale;
    stream_record records[STREAM_BATCH];
} stream_batch;

/* ---- the twin: stream_twin.c ---- */

/* Does the edge pass, and the depth that is written. */
bool stream_test(stream_kind kind, const stream_edge *edge, const stream_record *record, float depth_scale,
                 float *depth);

/* ---- on the GPU: stream_pass.c ---- */

/* A square of edges: two textures, and a target whose depth is the edges' lengths. */
typedef struct stream_square
{
    gpu_texture origins, directions, thirds; /* the last only of a stream of triangles */
    gpu_target target;
    uint32_t side, first, count; /* edges of the stream */
    bool stained;                /* the stencil is not 0 */
} stream_square;

/* A stream of edges: one square, or several where one would be larger than the device's limit. */
typedef struct stream_textures
{
    stream_square *squares;
    uint32_t square_count;
    bool triangles;
    float depth_scale;
} stream_textures;

/* What textures are made of. */
typedef struct stream_source
{
    const stream_edge *edges;
    uint32_t count;
    bool triangles;
    float depth_scale;
} stream_source;

typedef struct stream_pass_stats
{
    uint64_t passes, pixels, reads;
    double upload_seconds, draw_seconds, query_seconds;
} stream_pass_stats;

typedef struct stream_pass
{
    gpu_device *device;
    gpu_program programs[STREAM_KINDS], lengths;
    gpu_layout rectangle, nothing;
    gpu_buffer records;
    gpu_query queries[STREAM_BATCH];
    stream_pass_stats stats;
} stream_pass;

carom_status stream_pass_create(gpu_device *device, stream_pass *out);
void stream_pass_destroy(stream_pass *pass);

/* The side of a square for so many edges: (3-1), or the device's limit. */
uint32_t stream_side(const gpu_device *device, uint32_t count);
carom_status stream_textures_create(stream_pass *pass, const stream_source *source, stream_textures *out);
void stream_textures_destroy(stream_pass *pass, stream_textures *textures);

/* Draws a rectangle per record on a square: how many edges pass each. */
carom_status stream_pass_draw(stream_pass *pass, stream_square *square, const stream_batch *batch,
                              uint64_t counts[STREAM_BATCH]);
/* The stencil of a square after that, if hits were wanted: a bit per record; side * side bytes. */
carom_status stream_pass_read(stream_pass *pass, const stream_square *square, uint8_t *out);

#endif
