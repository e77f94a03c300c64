/* The passes on random edges, triangles and boxes, drawn and computed: rows of `carom gpu --selftest`. */
#include "engine/stream/stream.h"

enum
{
    EDGES = 1000,
    ROUNDS = 24
};

/* The same everywhere; in [-1, 1]. */
static float random_float(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (float)(int32_t)(*state >> 32) * 0x1p-31f;
}

static stream_edge random_edge(uint64_t *state, float size)
{
    stream_edge edge = {0};
    double sum = 0.0, way[3];
    for (int i = 0; i < 3; i++)
    {
        edge.origin[i] = 0.5f * random_float(state);
        way[i] = (double)(size * random_float(state)), sum += way[i] * way[i];
    }
    edge.length = (float)sqrt(sum);
    for (int i = 0; i < 3 && sum > 0.0; i++)
        edge.direction[i] = (float)(way[i] / sqrt(sum));
    return edge;
}

/* A triangle of a stream. */
static stream_edge random_corners(uint64_t *state, float size)
{
    stream_edge out = {.length = 1.0f};
    for (int i = 0; i < 3; i++)
    {
        out.origin[i] = 0.5f * random_float(state);
        out.direction[i] = out.origin[i] + size * random_float(state);
        out.third[i] = out.origin[i] + size * random_float(state);
    }
    return out;
}

static void random_triangle(uint64_t *state, float size, stream_record *out)
{
    double e[2][3], n[3], sum = 0.0;
    for (int i = 0; i < 3; i++)
    {
        out->row[0][i] = 0.5f * random_float(state);
        for (int k = 0; k < 2; k++)
            out->row[k + 1][i] = out->row[0][i] + size * random_float(state),
                         e[k][i] = (double)out->row[k + 1][i] - (double)out->row[0][i];
    }
    for (int i = 0; i < 3; i++)
    {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        n[i] = e[0][j] * e[1][k] - e[0][k] * e[1][j], sum += n[i] * n[i];
    }
    for (int i = 0; i < 3 && sum > 0.0; i++)
        out->row[3][i] = (float)(n[i] / sqrt(sum));
}

/* Axes that are about orthonormal, from two that are not. */
static void random_box(uint64_t *state, float size, stream_record *out)
{
    carom_vec3 a = vec3(1.0, 0.3 * (double)random_float(state), 0.3 * (double)random_float(state));
    carom_vec3 b = vec3(0.3 * (double)random_float(state), 1.0, 0.3 * (double)random_float(state));
    a = vec3_scale(a, 1.0 / vec3_length(a));
    carom_vec3 c = vec3_cross(a, b);
    c = vec3_scale(c, 1.0 / vec3_length(c)), b = vec3_cross(c, a);
    const carom_vec3 axes[3] = {a, b, c};
    for (int i = 0; i < 3; i++)
    {
        out->row[i][0] = (float)axes[i].x, out->row[i][1] = (float)axes[i].y, out->row[i][2] = (float)axes[i].z;
        out->row[i][3] = size * fabsf(random_float(state));
        out->row[3][i] = 0.5f * random_float(state);
    }
}

/* A batch of triangles or boxes, from large to small. */
static stream_batch random_batch(uint64_t *state, stream_kind kind, uint32_t round)
{
    float size = ldexpf(1.0f, -(int)(round % 8));
    stream_batch batch = {.kind = kind, .count = 1 + round % STREAM_BATCH, .want_hits = true, .depth_scale = 0.125f};
    bool boxes = kind == STREAM_BOXES || kind == STREAM_PRINTED_BOXES || kind == STREAM_PAIR_BOXES;
    for (uint32_t i = 0; i < batch.count; i++)
        (boxes ? random_box : random_triangle)(state, size, &batch.records[i]);
    return batch;
}

/* The stencil, to the bit, and what the queries counted. */
static carom_status compare_square(stream_pass *pass, stream_square *square, const stream_batch *batch,
                                   const stream_edge *edges, gpu_check_result *result)
{
    uint64_t counts[STREAM_BATCH], expected[STREAM_BATCH] = {0};
    uint8_t drawn[64 * 64], computed[64 * 64] = {0};
    BASE_TRY(stream_pass_draw(pass, square, batch, counts));
    BASE_TRY(stream_pass_read(pass, square, drawn));
    for (uint32_t i = 0; i < square->count; i++)
        for (uint32_t k = 0; k < batch->count; k++)
        {
            float depth;
            bool hit = stream_test(batch->kind, &edges[i], &batch->records[k], batch->depth_scale, &depth);
            expected[k] += hit, computed[i] |= (uint8_t)(hit << k);
        }
    gpu_compared stencil = {"stencil", square->side, 0, (size_t)square->side * square->side};
    gpu_compare_words(result, &stencil, drawn, computed);
    for (uint32_t k = 0; k < batch->count; k++)
        gpu_compare_bits(result, "count", (uint32_t)counts[k], (uint32_t)expected[k]);
    return CAROM_OK;
}

static carom_status check_rounds(stream_pass *pass, stream_kind kind, gpu_check_result *result)
{
    uint64_t state = 11;
    stream_edge edges[EDGES];
    for (uint32_t round = 0; round < ROUNDS; round++)
    {
        stream_textures textures;
        for (uint32_t i = 0; i < EDGES; i++)
            edges[i] = (kind >= STREAM_PAIRS ? random_corners : random_edge)(&state, ldexpf(1.0f, -(int)(i % 10)));
        stream_batch batch = random_batch(&state, kind, round);
        for (uint32_t i = 5; i < EDGES && kind < STREAM_PAIRS; i += 16)
            edges[i].length = 0.0f; /* their depths are those of their ends */
        if (kind == STREAM_TRIANGLES)
            memcpy(edges[5].origin, batch.records[0].row[0], 3 * sizeof(float)); /* at a corner */
        if (kind < STREAM_PAIRS)
            edges[round].length = 0.0f, memset(edges[round].direction, 0, sizeof edges[round].direction);
        uint32_t count = round % 3 == 0 ? round + 1 : EDGES - round;
        stream_source source = {edges, count, kind >= STREAM_PAIRS, 0.125f};
        BASE_TRY(stream_textures_create(pass, &source, &textures));
        carom_status status = CAROM_OK;
        for (uint32_t i = 0; i < textures.square_count && !carom_failed(status); i++)
            status = compare_square(pass, &textures.squares[i], &batch, edges + textures.squares[i].first, result);
        stream_textures_destroy(pass, &textures);
        BASE_TRY(status);
    }
    return CAROM_OK;
}

static carom_status check_kind(gpu_device *device, stream_kind kind, gpu_check_result *result)
{
    stream_pass pass;
    carom_status status = stream_pass_create(device, &pass);
    if (!carom_failed(status))
        status = check_rounds(&pass, kind, result);
    stream_pass_destroy(&pass);
    return status;
}

static carom_status check_triangles(gpu_device *device, gpu_check_result *result)
{
    return check_kind(device, STREAM_TRIANGLES, result);
}

static carom_status check_boxes(gpu_device *device, gpu_check_result *result)
{
    return check_kind(device, STREAM_BOXES, result);
}

static carom_status check_printed_triangles(gpu_device *device, gpu_check_result *result)
{
    return check_kind(device, STREAM_PRINTED_TRIANGLES, result);
}

static carom_status check_printed_boxes(gpu_device *device, gpu_check_result *result)
{
    return check_kind(device, STREAM_PRINTED_BOXES, result);
}

static carom_status check_pairs(gpu_device *device, gpu_check_result *result)
{
    return check_kind(device, STREAM_PAIRS, result);
}

static carom_status check_pair_boxes(gpu_device *device, gpu_check_result *result)
{
    return check_kind(device, STREAM_PAIR_BOXES, result);
}

const gpu_check *stream_check_at(uint32_t index)
{
    static const gpu_check checks[] = {
        {"stream triangles", check_triangles},
        {"stream boxes", check_boxes},
        {"stream triangles as printed", check_printed_triangles},
        {"stream boxes as printed", check_printed_boxes},
        {"stream pairs of triangles", check_pairs},
        {"stream triangles and boxes", check_pair_boxes},
    };
    return index < sizeof checks / sizeof checks[0] ? &checks[index] : NULL;
}
