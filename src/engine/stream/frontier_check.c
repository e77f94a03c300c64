/* Both kernels of the engine, compared with their twins: two clouds of triangles in two poses, searched on both
 * devices. After every dispatch, counters and items must be the same to the bit, but for the items' order. With small
 * buffers, which items are spilled depends on that order, so then the counts and the candidates are compared. */
#include "engine/stream/frontier.h"

#include <stdio.h>
#include <stdlib.h>

enum
{
    TRIANGLES = 400, /* of a cloud */
    PAIRS = 2,
    SMALL = 1024 /* items of a small frontier, of which some are spilled */
};

typedef struct check_scene
{
    batch_pair pairs[PAIRS];
    carom_context *context;
} check_scene;

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
    batch_job job;
    compute_record record;
} check_outcome;

static int compare_items(const void *one, const void *other)
{
    const uint32_t *a = one, *b = other;
    for (int i = 0; i < 3; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* Items from the one with this number on, in the order of their numbers. */
static carom_status record_items(compute_record *record, const char *what, const compute_buffer *buffer,
                                 compute_words items)
{
    BASE_TRY(compute_record_read(record, what, buffer, (compute_words){3 * items.first, 3 * items.count}));
    qsort(compute_record_last(record), items.count, sizeof(batch_item), compare_items);
    return CAROM_OK;
}

static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* What a level appended: to the next frontier and to the leaves. */
static carom_status record_level(compute_record *record, const compute_dispatch_def *dispatch)
{
    compute_buffer *const *buffers = dispatch->buffers;
    BASE_TRY(compute_record_read(record, "counter of a level", buffers[7], (compute_words){0, FRONTIER_COUNTERS}));
    const uint32_t *counters = compute_record_last(record);
    uint32_t level = dispatch->argument, beam = counters[FRONTIER_BEAM];
    uint32_t items = smaller(counters[FRONTIER_ITEMS + level + 1], beam);
    uint32_t leaves = smaller(counters[FRONTIER_LEAVES], counters[FRONTIER_MAX_LEAVES]);
    uint32_t target = level % 2 ? 0 : beam;
    BASE_TRY(record_items(record, "pair of nodes", buffers[4], (compute_words){target, items}));
    return record_items(record, "pair of leaves", buffers[5], (compute_words){0, leaves});
}

static carom_status record_test(compute_record *record, const compute_dispatch_def *dispatch)
{
    compute_buffer *const *buffers = dispatch->buffers;
    BASE_TRY(compute_record_read(record, "counter", buffers[6], (compute_words){0, FRONTIER_COUNTERS}));
    uint32_t count = compute_record_last(record)[FRONTIER_CANDIDATES];
    return record_items(record, "candidate", buffers[5], (compute_words){0, count});
}

static carom_status record_dispatch(const compute_dispatch_def *dispatch, void *user)
{
    return dispatch->kernel->def == &frontier_refine_def ? record_level(user, dispatch) : record_test(user, dispatch);
}

static carom_status search(batch_runner *runner, const check_scene *scene, check_outcome *out)
{
    float places[PAIRS][BATCH_PLACE];
    batch_job *job = &out->job;
    for (uint32_t i = 0; i < PAIRS; i++)
        if (batch_place_pair(&scene->pairs[i], places[i]) != BATCH_SEARCH)
            return base_fail(scene->context, CAROM_UNSUPPORTED, "engine stream: the bodies of its check are far apart");
    BASE_TRY(batch_job_begin(job, runner, scene->pairs, PAIRS));
    BASE_TRY(batch_runner_load(runner, scene->pairs, places[0], PAIRS));
    while (job->open.count > 0)
        BASE_TRY(frontier_round(job, UINT32_MAX));
    if (job->found.count > 0)
        qsort(job->found.items, job->found.count, sizeof *job->found.items, compare_items);
    return CAROM_OK;
}

/* small: with small buffers. Otherwise every dispatch is recorded. */
static carom_status search_on(compute_device *device, const check_scene *scene, bool small, check_outcome *out)
{
    batch_runner runner;
    out->record.device = device;
    BASE_TRY(batch_runner_use(&runner, &frontier_kind, device));
    runner.limits.frontier = small ? SMALL : 0;
    carom_status status = compute_begin(device);
    if (!carom_failed(status))
    {
        compute_watch(device, small ? NULL : record_dispatch, &out->record);
        status = search(&runner, scene, out);
        compute_watch(device, NULL, NULL);
        carom_status ended = compute_end(device);
        status = carom_failed(status) ? status : ended;
    }
    out->job.runner = NULL;
    batch_runner_close(&runner);
    return status;
}

/* ---- both ---- */

static void compare(compute_check_result *result, const check_outcome outcomes[2])
{
    uint32_t counts[2][3];
    for (int i = 0; i < 2; i++)
    {
        counts[i][0] = (uint32_t)outcomes[i].job.boxes, counts[i][1] = (uint32_t)outcomes[i].job.triangles;
        counts[i][2] = (uint32_t)outcomes[i].job.found.count;
    }
    compute_compare_records(result, &outcomes[0].record, &outcomes[1].record);
    compute_compare_words(result, "count", counts[0], counts[1], 3);
    if (counts[1][2] == 0 && result->wrong++ == 0)
        snprintf(result->detail, sizeof result->detail, "the clouds have no candidates");
    size_t count = smaller(counts[0][2], counts[1][2]);
    if (count > 0)
        compute_compare_words(result, "candidate", &outcomes[0].job.found.items->pair,
                              &outcomes[1].job.found.items->pair, 3 * count);
}

static carom_status run_both(compute_device *const devices[2], const check_scene *scene, bool small,
                             compute_check_result *result)
{
    check_outcome outcomes[2] = {{.record.device = devices[0]}, {.record.device = devices[1]}};
    carom_status status = CAROM_OK;
    for (int i = 0; i < 2 && !carom_failed(status); i++)
        status = search_on(devices[i], scene, small, &outcomes[i]);
    if (!carom_failed(status))
        compare(result, outcomes);
    for (int i = 0; i < 2; i++)
    {
        batch_job_free(scene->context, &outcomes[i].job);
        compute_record_free(&outcomes[i].record);
    }
    return status;
}

static carom_status check_frontier(compute_device *device, compute_device *twin, compute_check_result *result)
{
    carom_context *context = compute_context(device);
    check_body bodies[2] = {{0}, {0}};
    const double quaternion[4] = {0.9, 0.3, -0.2, 0.1};
    const carom_pose poses[PAIRS + 1] = {carom_pose_identity(),
                                         carom_pose_from_quaternion(quaternion, vec3(0.25, -0.125, 0.0625)),
                                         carom_pose_translation(-0.5, 0.25, 0.125)};
    carom_status status = make_cloud(context, 1, &bodies[0]);
    if (!carom_failed(status))
        status = make_cloud(context, 2, &bodies[1]);
    if (!carom_failed(status))
    {
        check_scene scene = {.context = context};
        for (int i = 0; i < PAIRS; i++)
            scene.pairs[i] = (batch_pair){bodies[i].asset,
                                          bodies[1 - i].asset,
                                          {bodies[i].mesh, NULL, &poses[0]},
                                          {bodies[1 - i].mesh, NULL, &poses[1 + i]}};
        for (int small = 0; small < 2 && !carom_failed(status); small++)
            status = run_both((compute_device *const[2]){device, twin}, &scene, small == 1, result);
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
