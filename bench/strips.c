/* Drawing with and without triangle strips: depth images of a model and of the hulls of its pieces, from the same
 * vertices, with three indices per triangle or with strips and restarts between them. */
#include "bench/bench.h"

#include "convex/convex.h"
#include "gpu/gpu.h"

#include <stdio.h>
#include <stdlib.h>

enum
{
    SIDE = 512, /* pixels */
    ROUNDS = 31,
    WAYS = 4 /* model and hulls, triangles and strips */
};

typedef struct strip_bench
{
    gpu_device *device;
    const carom_mesh *mesh;
    convex_pieces *pieces;
    gpu_target target;
    gpu_program program;
    gpu_buffer vertices, indices[WAYS];
    gpu_layout layouts[WAYS];
    uint32_t counts[WAYS];
    double seconds[WAYS][ROUNDS];
} strip_bench;

/* Clip space, by the model's box. */
static carom_status make_vertices(strip_bench *b)
{
    carom_mesh_info info = carom_mesh_get_info(b->mesh);
    float *corners = malloc(4 * (size_t)info.vertex_count * sizeof *corners);
    if (!corners)
        return CAROM_OUT_OF_MEMORY;
    carom_vec3 low = info.bounds.min, high = info.bounds.max;
    for (uint32_t i = 0; i < info.vertex_count; i++)
    {
        carom_vec3 p = carom_mesh_vertices(b->mesh)[i];
        corners[4 * i] = (float)(2 * (p.x - low.x) / (high.x - low.x) - 1);
        corners[4 * i + 1] = (float)(2 * (p.y - low.y) / (high.y - low.y) - 1);
        corners[4 * i + 2] = (float)((p.z - low.z) / (high.z - low.z)), corners[4 * i + 3] = 1;
    }
    carom_status status =
        gpu_buffer_create(b->device, corners, 4 * (size_t)info.vertex_count * sizeof *corners, false, &b->vertices);
    free(corners);
    return status;
}

/* The hulls of all leaves one after the other. */
static uint32_t list_hulls(const strip_bench *b, bool strips, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->pieces->node_count; i++)
    {
        const convex_node *node = convex_nodes(b->pieces) + i;
        if (node->first_child != 0 || node->facet_count == 0)
            continue;
        if (strips && count > 0)
            out[count++] = CONVEX_NONE;
        if (strips)
            convex_decode_strips(b->pieces, node, out + count), count += node->index_count;
        for (uint32_t k = 0; k < 3 * node->facet_count && !strips; k++)
            out[count++] = convex_facets(b->pieces, node)[k];
    }
    return count;
}

static uint32_t list_way(const strip_bench *b, int way, uint32_t *out)
{
    if (way >= 2)
        return list_hulls(b, way == 3, out);
    if (way == 1)
        return convex_decode_mesh_strips(b->pieces, b->mesh, out), b->pieces->mesh_index_count;
    memcpy(out, carom_mesh_indices(b->mesh), 3 * (size_t)b->pieces->triangle_count * sizeof *out);
    return 3 * b->pieces->triangle_count;
}

static carom_status prepare(strip_bench *b)
{
    const gpu_target_def target = {.width = SIDE, .height = SIDE, .depth = GPU_DEPTH32F};
    const gpu_program_def program = {.vertex = "check_vertices.vert.glsl"};
    BASE_TRY(gpu_target_create(b->device, &target, &b->target));
    BASE_TRY(gpu_program_create(b->device, &program, &b->program));
    BASE_TRY(make_vertices(b));
    uint64_t room = b->pieces->count[CONVEX_FACETS] + 4 * (uint64_t)b->pieces->triangle_count;
    uint32_t *list = malloc((size_t)room * sizeof *list);
    carom_status status = list ? CAROM_OK : CAROM_OUT_OF_MEMORY;
    for (int way = 0; way < WAYS && !carom_failed(status); way++)
    {
        const gpu_attribute corner = {0, GPU_FLOAT, 4, &b->vertices, 0, 16, false};
        b->counts[way] = list_way(b, way, list);
        status = gpu_buffer_create(b->device, list, b->counts[way] * sizeof *list, false, &b->indices[way]);
        if (!carom_failed(status))
            status = gpu_layout_create(b->device, &corner, 1, &b->indices[way], &b->layouts[way]);
    }
    free(list);
    return status;
}

static carom_status draw(strip_bench *b, int way, double *seconds)
{
    gpu_state state = gpu_state_default();
    state.depth_test = state.depth_write = true, state.depth_compare = GPU_LESS;
    const gpu_clear_values clear = {.planes = GPU_PLANE_BIT(GPU_DEPTH), .depth = 1};
    gpu_draw_def call = gpu_draw_def_default();
    call.target = &b->target, call.program = &b->program, call.layout = &b->layouts[way], call.state = &state;
    call.mode = way % 2 ? GPU_TRIANGLE_STRIP : GPU_TRIANGLES, call.count = b->counts[way];
    double start, end;
    BASE_TRY(gpu_clear(b->device, &b->target, &clear));
    BASE_TRY(gpu_clock(b->device, &start));
    BASE_TRY(gpu_draw(b->device, &call));
    BASE_TRY(gpu_clock(b->device, &end));
    *seconds = end - start;
    return CAROM_OK;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static carom_status run(strip_bench *b)
{
    BASE_TRY(prepare(b));
    for (int round = 0; round < ROUNDS; round++)
        for (int way = 0; way < WAYS; way++)
            BASE_TRY(draw(b, way, &b->seconds[way][round]));
    for (int way = 0; way < WAYS; way++)
        qsort(b->seconds[way], ROUNDS, sizeof(double), compare);
    for (int kind = 0; kind < 2; kind++)
    {
        int t = 2 * kind, s = t + 1;
        printf("  %-6s %7u triangles: %8.3f ms as triangles, %8.3f ms as strips (%.3f indices per triangle)\n",
               kind ? "hulls" : "model", b->counts[t] / 3, 1e3 * b->seconds[t][ROUNDS / 2],
               1e3 * b->seconds[s][ROUNDS / 2], 3.0 * b->counts[s] / b->counts[t]);
    }
    return CAROM_OK;
}

static void clean(strip_bench *b)
{
    for (int way = 0; way < WAYS; way++)
        gpu_layout_destroy(b->device, &b->layouts[way]), gpu_buffer_destroy(b->device, &b->indices[way]);
    gpu_buffer_destroy(b->device, &b->vertices);
    gpu_program_destroy(b->device, &b->program);
    gpu_target_destroy(b->device, &b->target);
}

void bench_strips(bench_session *session, const carom_mesh *mesh)
{
    strip_bench *b = calloc(1, sizeof *b);
    if (!b || carom_failed(gpu_open(session->context, NULL, &b->device)))
    {
        printf("  strips: there is no driver to draw with\n");
        free(b);
        return;
    }
    b->mesh = mesh;
    if (bench_check(session, convex_pieces_create(session->context, mesh, &b->pieces), "pieces") &&
        bench_check(session, gpu_begin(b->device), "gpu_begin"))
    {
        bench_check(session, run(b), "drawing");
        clean(b);
        bench_check(session, gpu_end(b->device), "gpu_end");
    }
    convex_pieces_destroy(session->context, b->pieces);
    gpu_close(b->device);
    free(b);
}
