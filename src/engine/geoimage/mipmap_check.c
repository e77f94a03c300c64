/* The kernels of the engine, compared with their twins: a waving grid and a cloud of triangles. Boxes are the same as
 * those of src/geoimage, and of two searches everything is, after every dispatch: masks, all levels of count pyramids,
 * frontiers, cells, what is spilled, and candidates, their order included. */
#include "engine/geoimage/mipmap.h"

#include <stdio.h>

enum
{
    WIDTH = 42, /* points of the grid: its last column and row of cells have no neighbours in their squares */
    HEIGHT = 30,
    CLOUD = 300 /* triangles */
};

typedef struct check_bodies
{
    carom_context *context;
    carom_mesh *meshes[2];
    void *assets[2];
    carom_pose poses[2];
} check_bodies;

static double random_of(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

static carom_status make_grid(carom_context *context, carom_mesh **out)
{
    carom_vec3 points[WIDTH * HEIGHT];
    carom_geoimage *image;
    uint64_t seed = 1;
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        points[i] = vec3(0.05 * (i % WIDTH), 0.05 * (int)(i / WIDTH), 0.2 * random_of(&seed));
    BASE_TRY(carom_geoimage_create_grid(context, WIDTH, HEIGHT, points, &image));
    carom_status status = carom_geoimage_mesh(image, 0, out);
    carom_geoimage_destroy(image);
    return status;
}

/* Some touch others by a corner. */
static carom_status make_cloud(carom_context *context, carom_mesh **out)
{
    double vertices[CLOUD][9];
    uint64_t seed = 2;
    for (int i = 0; i < CLOUD; i++)
        for (int k = 0; k < 9; k++)
            vertices[i][k] = k < 3 ? 2.0 * random_of(&seed) : vertices[i][k % 3] + 0.2 * (random_of(&seed) - 0.5);
    for (int i = 1; i < CLOUD; i += 5)
        memcpy(vertices[i], vertices[i - 1], 3 * sizeof vertices[0][0]);
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = vertices[0], def.vertex_count = (size_t)3 * CLOUD;
    def.unindexed = true, def.triangle_count = CLOUD;
    return carom_mesh_create(context, &def, out);
}

static carom_status make_bodies(check_bodies *bodies)
{
    const double quaternion[4] = {0.1, -0.05, 0.1, 0.98};
    bodies->poses[0] = carom_pose_identity();
    bodies->poses[1] = carom_pose_from_quaternion(quaternion, vec3(0.1, -0.2, -0.75));
    BASE_TRY(make_grid(bodies->context, &bodies->meshes[0]));
    BASE_TRY(make_cloud(bodies->context, &bodies->meshes[1]));
    for (int i = 0; i < 2; i++)
    {
        carom_shape shape = carom_shape_mesh(bodies->meshes[i]);
        BASE_TRY(mipmap_create_asset(bodies->context, &shape, &bodies->assets[i]));
    }
    return CAROM_OK;
}

static void free_bodies(check_bodies *bodies)
{
    for (int i = 0; i < 2; i++)
    {
        if (bodies->assets[i])
            mipmap_destroy_asset(bodies->context, bodies->assets[i]);
        carom_mesh_destroy(bodies->meshes[i]);
    }
}

/* ---- one device ---- */

typedef struct check_outcome
{
    batch_job job;
    compute_record record;
    BASE_ARRAY(float) nodes; /* of both bodies, one after the other */
} check_outcome;

static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

static carom_status record_counters(compute_record *record, const compute_buffer *buffer,
                                    uint32_t counters[MIPMAP_COUNTERS])
{
    BASE_TRY(compute_record_read(record, "counter", buffer, (compute_words){0, MIPMAP_COUNTERS}));
    memcpy(counters, compute_record_last(record), MIPMAP_COUNTERS * sizeof *counters);
    return CAROM_OK;
}

/* Which children or triangles are left, and how many: the buffers of two kernels. */
static carom_status record_masks(compute_record *record, compute_buffer *const *buffers)
{
    uint32_t counters[MIPMAP_COUNTERS];
    BASE_TRY(record_counters(record, buffers[7], counters));
    size_t entries = counters[MIPMAP_ENTRIES];
    BASE_TRY(compute_record_read(record, "mask", buffers[5], (compute_words){0, entries}));
    return compute_record_read(record, "count", buffers[6], (compute_words){0, 2 * entries});
}

/* The levels of a pyramid up to those of a pass, three in each. */
static carom_status record_sums(compute_record *record, const compute_dispatch_def *dispatch)
{
    uint32_t counters[MIPMAP_COUNTERS];
    BASE_TRY(record_counters(record, dispatch->buffers[1], counters));
    size_t size = counters[MIPMAP_ENTRIES], sum = size;
    for (uint32_t level = 0; level < 3 * (dispatch->argument + 1) && size > 1; level++)
        size = (size + 3) / 4, sum += size;
    return compute_record_read(record, "sum", dispatch->buffers[0], (compute_words){0, 2 * sum});
}

static carom_status record_scatter(compute_record *record, const compute_dispatch_def *dispatch)
{
    uint32_t counters[MIPMAP_COUNTERS], step = dispatch->argument;
    BASE_TRY(record_counters(record, dispatch->buffers[5], counters));
    size_t target = step % 2 ? 0 : counters[MIPMAP_BEAM], items = counters[MIPMAP_ITEMS + step + 1];
    size_t leaves = counters[MIPMAP_LEAVES + step + 1];
    size_t spilled = smaller(counters[MIPMAP_SPILLED + step + 1], counters[MIPMAP_MAX_SPILLED]);
    BASE_TRY(
        compute_record_read(record, "pair of nodes", dispatch->buffers[0], (compute_words){3 * target, 3 * items}));
    BASE_TRY(compute_record_read(record, "pair of cells", dispatch->buffers[3], (compute_words){0, 3 * leaves}));
    return compute_record_read(record, "spilled pair", dispatch->buffers[4], (compute_words){0, 3 * spilled});
}

static carom_status record_list(compute_record *record, const compute_dispatch_def *dispatch)
{
    uint32_t counters[MIPMAP_COUNTERS], first = dispatch->argument;
    BASE_TRY(record_counters(record, dispatch->buffers[6], counters));
    uint32_t total = counters[MIPMAP_CANDIDATES], left = total > first ? total - first : 0;
    size_t listed = smaller(left, counters[MIPMAP_MAX_CANDIDATES]);
    return compute_record_read(record, "candidate", dispatch->buffers[5], (compute_words){0, 3 * listed});
}

/* Boxes are compared at the end. */
static carom_status record_dispatch(const compute_dispatch_def *dispatch, void *user)
{
    const compute_kernel_def *kernel = dispatch->kernel->def;
    if (kernel == &mipmap_descend_def || kernel == &mipmap_test_def)
        return record_masks(user, dispatch->buffers);
    if (kernel == &mipmap_sum_def)
        return record_sums(user, dispatch);
    if (kernel == &mipmap_scatter_def)
        return record_scatter(user, dispatch);
    return kernel == &mipmap_list_def ? record_list(user, dispatch) : CAROM_OK;
}

static carom_status read_nodes(const batch_runner *runner, const batch_model *model, check_outcome *out)
{
    const batch_slot *slot = batch_slot_of(runner, model);
    size_t count = GEOIMAGE_NODE * (size_t)slot->count[MIPMAP_NODES];
    if (!base_array_reserve(runner->context, &out->nodes, count))
        return batch_out_of_memory(runner);
    BASE_TRY(compute_read(runner->device, &runner->stores[MIPMAP_NODES],
                          GEOIMAGE_NODE * sizeof(float) * (size_t)slot->first[MIPMAP_NODES],
                          out->nodes.items + out->nodes.count, count * sizeof(float)));
    out->nodes.count += count;
    return CAROM_OK;
}

static carom_status search(batch_runner *runner, const batch_pair *pair, check_outcome *out)
{
    float place[BATCH_PLACE];
    if (batch_place_pair(pair, place) != BATCH_SEARCH)
        return base_fail(runner->context, CAROM_UNSUPPORTED, "engine geoimage: the bodies of its check are far apart");
    BASE_TRY(batch_runner_load(runner, pair, place, 1));
    BASE_TRY(batch_job_begin(&out->job, runner, pair, 1));
    while (out->job.open.count > 0)
        BASE_TRY(mipmap_round(&out->job, UINT32_MAX));
    BASE_TRY(read_nodes(runner, pair->a, out));
    return read_nodes(runner, pair->b, out);
}

static carom_status search_on(compute_device *device, const batch_pair *pair, check_outcome *out)
{
    batch_runner runner;
    BASE_TRY(batch_runner_use(&runner, &mipmap_kind, device));
    runner.limits.frontier = 256; /* some of it is spilled */
    carom_status status = compute_begin(device);
    if (!carom_failed(status))
    {
        compute_watch(device, record_dispatch, &out->record);
        status = search(&runner, pair, out);
        compute_watch(device, NULL, NULL);
        carom_status ended = compute_end(device);
        status = carom_failed(status) ? status : ended;
    }
    batch_runner_close(&runner);
    return status;
}

/* ---- both ---- */

static void compare(compute_check_result *result, const check_outcome outcomes[2])
{
    uint32_t counts[2][3];
    for (int i = 0; i < 2; i++)
    {
        const batch_job *job = &outcomes[i].job;
        counts[i][0] = (uint32_t)job->boxes, counts[i][1] = (uint32_t)job->triangles;
        counts[i][2] = (uint32_t)job->found.count;
    }
    compute_compare_records(result, &outcomes[0].record, &outcomes[1].record);
    compute_compare_words(result, "count", counts[0], counts[1], 3);
    if (counts[1][2] == 0 && result->wrong++ == 0)
        snprintf(result->detail, sizeof result->detail, "the bodies have no candidates");
    size_t count = counts[0][2] < counts[1][2] ? counts[0][2] : counts[1][2];
    if (count > 0)
        compute_compare_words(result, "candidate", &outcomes[0].job.found.items->pair,
                              &outcomes[1].job.found.items->pair, 3 * count);
    compute_compare_words(result, "box", (const uint32_t *)(const void *)outcomes[0].nodes.items,
                          (const uint32_t *)(const void *)outcomes[1].nodes.items, outcomes[0].nodes.count);
}

/* Against what the processor builds without kernels. */
static carom_status compare_builder(compute_check_result *result, const mipmap_asset *grid, const float *nodes)
{
    size_t count = GEOIMAGE_NODE * (size_t)geoimage_node_count(&grid->levels);
    float *built = base_allocate(grid->context, count, sizeof *built, BASE_CACHE_LINE);
    if (!built)
        return mipmap_out_of_memory(grid->context);
    geoimage_build_levels(grid->context, &grid->levels, grid->points, built);
    compute_compare_words(result, "built box", (const uint32_t *)(const void *)nodes,
                          (const uint32_t *)(const void *)built, count);
    base_release(grid->context, built, count, sizeof *built);
    return CAROM_OK;
}

static carom_status check_mipmap(compute_device *device, compute_device *twin, compute_check_result *result)
{
    check_bodies bodies = {.context = compute_context(device)};
    check_outcome outcomes[2] = {{.record.device = device}, {.record.device = twin}};
    compute_device *const devices[2] = {device, twin};
    carom_status status = make_bodies(&bodies);
    batch_pair pair = {bodies.assets[0],
                       bodies.assets[1],
                       {bodies.meshes[0], NULL, &bodies.poses[0]},
                       {bodies.meshes[1], NULL, &bodies.poses[1]}};
    for (int i = 0; i < 2 && !carom_failed(status); i++)
        status = search_on(devices[i], &pair, &outcomes[i]);
    if (!carom_failed(status))
    {
        compare(result, outcomes);
        status = compare_builder(result, bodies.assets[0], outcomes[0].nodes.items);
    }
    for (int i = 0; i < 2; i++)
    {
        batch_job_free(bodies.context, &outcomes[i].job);
        compute_record_free(&outcomes[i].record);
        base_array_free(bodies.context, &outcomes[i].nodes);
    }
    free_bodies(&bodies);
    return status;
}

static const compute_check CHECKS[] = {{"mipmap", check_mipmap}};

const compute_check *mipmap_check_at(uint32_t index)
{
    return index < sizeof CHECKS / sizeof *CHECKS ? &CHECKS[index] : NULL;
}
