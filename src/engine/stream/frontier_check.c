/* Both kernels of the engine, compared with their twins: two clouds of triangles searched on both devices. The counts
 * and the candidates must be the same to the bit, but for their order. */
#include "engine/stream/frontier.h"

#include <stdio.h>

enum
{
    TRIANGLES = 400 /* of a cloud */
};

typedef struct check_body
{
    carom_mesh *mesh;
    void *asset;
} check_body;

static double random_of(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

/* Triangles of a tenth of the cloud's size; some touch others by a corner. */
static carom_status make_cloud(carom_context *context, uint64_t seed, check_body *out)
{
    double vertices[TRIANGLES][9];
    for (int i = 0; i < TRIANGLES; i++)
        for (int k = 0; k < 9; k++)
            vertices[i][k] = k < 3 ? random_of(&seed) - 0.5 : vertices[i][k % 3] + 0.1 * (random_of(&seed) - 0.5);
    for (int i = 1; i < TRIANGLES; i += 5)
        memcpy(vertices[i], vertices[i - 1], 3 * sizeof vertices[0][0]);
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = vertices[0], def.vertex_count = (size_t)3 * TRIANGLES;
    def.unindexed = true, def.triangle_count = TRIANGLES;
    BASE_TRY(carom_mesh_create(context, &def, &out->mesh));
    carom_shape shape = carom_shape_mesh(out->mesh);
    return frontier_create_asset(context, &shape, &out->asset);
}

static void free_cloud(carom_context *context, check_body *body)
{
    if (body->asset)
        frontier_destroy_asset(context, body->asset);
    carom_mesh_destroy(body->mesh);
}

/* ---- one device ---- */

typedef struct check_outcome
{
    frontier_job job;
    BASE_ARRAY(uint64_t) keys, space;
} check_outcome;

static carom_status search(frontier_runner *runner, const frontier_pair *pair, check_outcome *out)
{
    float place[FRONTIER_PLACE];
    carom_context *context = runner->context;
    if (frontier_place_pair(pair, place) != FRONTIER_SEARCH || !base_array_reserve(context, &out->job.open, 1))
        return frontier_out_of_memory(context);
    out->job.runner = runner, out->job.pairs = pair, out->job.levels = FRONTIER_LEVELS;
    out->job.open.items[out->job.open.count++] = (frontier_item){0, 0, 0};
    BASE_TRY(frontier_runner_load(runner, pair, place, 1));
    while (out->job.open.count > 0)
        BASE_TRY(frontier_round(&out->job, UINT32_MAX));
    size_t count = out->job.found.count;
    if (!base_array_reserve(context, &out->keys, count) || !base_array_reserve(context, &out->space, count))
        return frontier_out_of_memory(context);
    for (size_t i = 0; i < count; i++)
        out->keys.items[i] = (uint64_t)out->job.found.items[i].a << 32 | out->job.found.items[i].b;
    out->keys.count = count;
    base_sort_u64(out->keys.items, out->space.items, count);
    return CAROM_OK;
}

static carom_status search_on(compute_device *device, const frontier_pair *pair, check_outcome *out)
{
    frontier_runner runner;
    BASE_TRY(frontier_runner_use(&runner, pair->a->context, device));
    carom_status status = compute_begin(device);
    if (!carom_failed(status))
    {
        status = search(&runner, pair, out);
        carom_status ended = compute_end(device);
        status = carom_failed(status) ? status : ended;
    }
    out->job.runner = NULL;
    frontier_runner_close(&runner);
    return status;
}

/* ---- both ---- */

static void compare(compute_check_result *result, const check_outcome outcomes[2])
{
    uint32_t counts[2][3];
    for (int i = 0; i < 2; i++)
    {
        counts[i][0] = (uint32_t)outcomes[i].job.boxes, counts[i][1] = (uint32_t)outcomes[i].job.triangles;
        counts[i][2] = (uint32_t)outcomes[i].keys.count;
    }
    compute_compare_words(result, "count", counts[0], counts[1], 3);
    if (counts[1][2] == 0 && result->wrong++ == 0)
        snprintf(result->detail, sizeof result->detail, "the clouds have no candidates");
    size_t count = outcomes[0].keys.count < outcomes[1].keys.count ? outcomes[0].keys.count : outcomes[1].keys.count;
    if (count > 0)
        compute_compare_words(result, "candidate", (const uint32_t *)outcomes[0].keys.items,
                              (const uint32_t *)outcomes[1].keys.items, 2 * count);
}

static carom_status run_both(compute_device *const devices[2], const frontier_pair *pair, compute_check_result *result)
{
    carom_context *context = pair->a->context;
    check_outcome outcomes[2] = {0};
    carom_status status = CAROM_OK;
    for (int i = 0; i < 2 && !carom_failed(status); i++)
        status = search_on(devices[i], pair, &outcomes[i]);
    if (!carom_failed(status))
        compare(result, outcomes);
    for (int i = 0; i < 2; i++)
    {
        frontier_job_free(context, &outcomes[i].job);
        base_array_free(context, &outcomes[i].keys);
        base_array_free(context, &outcomes[i].space);
    }
    return status;
}

static carom_status check_frontier(compute_device *device, compute_device *twin, compute_check_result *result)
{
    carom_context *context = compute_context(device);
    check_body bodies[2] = {{0}, {0}};
    const double quaternion[4] = {0.9, 0.3, -0.2, 0.1};
    const carom_pose poses[2] = {carom_pose_identity(),
                                 carom_pose_from_quaternion(quaternion, vec3(0.25, -0.125, 0.0625))};
    carom_status status = make_cloud(context, 1, &bodies[0]);
    if (!carom_failed(status))
        status = make_cloud(context, 2, &bodies[1]);
    if (!carom_failed(status))
    {
        frontier_pair pair = {
            bodies[0].asset, bodies[1].asset, {bodies[0].mesh, NULL, &poses[0]}, {bodies[1].mesh, NULL, &poses[1]}};
        status = run_both((compute_device *const[2]){device, twin}, &pair, result);
    }
    free_cloud(context, &bodies[0]);
    free_cloud(context, &bodies[1]);
    return status;
}

static const compute_check CHECKS[] = {{"frontier", check_frontier}};

const compute_check *frontier_check_at(uint32_t index)
{
    return index < sizeof CHECKS / sizeof *CHECKS ? &CHECKS[index] : NULL;
}
