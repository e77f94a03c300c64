/* The speed-up by workers on many bodies, and on many files. */
#include "bench/workers.h"

#include "base/base.h"
#include "carom/io.h"
#include "scenes/generate.h"
#include "scenes/numeric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum
{
    STEPS_PER_RUN = 3,
    FILE_COUNT = 8,
    PATH_SIZE = 512
};

/* ---- many bodies ---- */

/* A body drifts and turns: the quaternion and the position at step 0 and what each step adds. */
typedef struct drift
{
    double start[4], turn[4];
    carom_vec3 position, velocity;
} drift;

typedef struct crowd
{
    workers_contest *contest;
    uint32_t body_count;
    drift *drifts;
    carom_body_id *ids; /* the same on every side: they are handed out in the same order */
    carom_mesh *meshes[WORKERS_MAX_SIDES];
    carom_scene *scenes[WORKERS_MAX_SIDES];
    carom_engine *engines[WORKERS_MAX_SIDES];
} crowd;

static carom_pose pose_at(const drift *drift, double step)
{
    double quaternion[4];
    for (int i = 0; i < 4; i++)
        quaternion[i] = drift->start[i] + step * drift->turn[i];
    return carom_pose_from_quaternion(quaternion, numeric_add(drift->position, numeric_scale(drift->velocity, step)));
}

static carom_status move_all(crowd *crowd, uint32_t side, int step)
{
    carom_status status = CAROM_OK;
    for (uint32_t i = 0; status == CAROM_OK && i < crowd->body_count; i++)
    {
        carom_pose pose = pose_at(&crowd->drifts[i], step);
        status = carom_scene_move(crowd->scenes[side], crowd->ids[i], &pose);
    }
    return status;
}

static carom_status run_frame(crowd *crowd, uint32_t side, carom_scene_report *report)
{
    carom_frame frame;
    carom_status status = carom_scene_frame(crowd->scenes[side], &frame);
    return status == CAROM_OK ? carom_engine_run(crowd->engines[side], &frame, NULL, report) : status;
}

/* Back to step 0, then some steps on; the seconds are of a step, without the moves themselves. */
static carom_status run_moving(void *data, uint32_t side, bool hash, workers_sample *out)
{
    (void)hash;
    crowd *crowd = data;
    carom_scene_report report = {0};
    base_hash answer = base_hash_begin();
    carom_status status = CAROM_OK;
    for (int step = 0; status == CAROM_OK && step <= STEPS_PER_RUN; step++)
    {
        status = move_all(crowd, side, step);
        double start = bench_now();
        if (status == CAROM_OK)
            status = run_frame(crowd, side, &report);
        out->seconds += step > 0 ? (bench_now() - start) / STEPS_PER_RUN : 0.0;
        base_hash_u64(&answer, report.hash);
    }
    out->answer = base_hash_end(&answer);
    return status;
}

static carom_status run_resting(void *data, uint32_t side, bool hash, workers_sample *out)
{
    (void)hash;
    carom_scene_report report = {0};
    carom_status status = run_frame(data, side, &report); /* untimed: what the other sides left in the caches */
    double start = bench_now();
    for (int step = 0; status == CAROM_OK && step < STEPS_PER_RUN; step++)
        status = run_frame(data, side, &report);
    out->seconds = (bench_now() - start) / STEPS_PER_RUN;
    out->answer = report.hash;
    return status;
}

/* About as many bodies per volume whatever their number. */
static bool scatter(crowd *crowd)
{
    crowd->drifts = malloc(crowd->body_count * sizeof *crowd->drifts);
    crowd->ids = malloc(crowd->body_count * sizeof *crowd->ids);
    numeric_random random = {11};
    double half = 0.9 * cbrt(crowd->body_count);
    for (uint32_t i = 0; crowd->drifts && i < crowd->body_count; i++)
    {
        drift *drift = &crowd->drifts[i];
        for (int k = 0; k < 4; k++)
        {
            drift->start[k] = numeric_uniform(&random, -1.0, 1.0);
            drift->turn[k] = numeric_uniform(&random, -0.02, 0.02);
        }
        drift->position = numeric_vec(numeric_uniform(&random, -half, half), numeric_uniform(&random, -half, half),
                                      numeric_uniform(&random, -half, half));
        drift->velocity = numeric_scale(numeric_direction(&random), 0.03);
    }
    return crowd->drifts && crowd->ids;
}

static carom_status open_side(crowd *crowd, uint32_t side)
{
    carom_context *context = crowd->contest->sides[side].context;
    generate_def def = generate_def_default(GENERATE_RUBBLE);
    def.triangles = 56;
    def.size = 1.5;
    carom_engine_def engine = carom_engine_def_default();
    engine.engine = "tree";
    engine.broad_phase = "tree";
    carom_status status = generate_mesh(context, &def, &crowd->meshes[side]);
    if (status == CAROM_OK)
        status = carom_scene_create(context, &crowd->scenes[side]);
    if (status == CAROM_OK)
        status = carom_engine_create(context, &engine, &crowd->engines[side]);
    for (uint32_t i = 0; status == CAROM_OK && i < crowd->body_count; i++)
    {
        carom_body_def body = carom_body_def_default();
        body.placed = (carom_placed){carom_shape_mesh(crowd->meshes[side]), pose_at(&crowd->drifts[i], 0.0)};
        status = carom_scene_add(crowd->scenes[side], &body, &crowd->ids[i]);
    }
    return status;
}

static void measure_crowd(crowd *crowd)
{
    char name[80];
    snprintf(name, sizeof name, "a frame of %u bodies, all moving", crowd->body_count);
    workers_task task = {"bodies, moving", name, run_moving, crowd};
    workers_measure(crowd->contest, &task);
    snprintf(name, sizeof name, "a frame of %u bodies, all at rest", crowd->body_count);
    task = (workers_task){"bodies, at rest", name, run_resting, crowd};
    workers_measure(crowd->contest, &task);
}

void workers_run_bodies(workers_contest *contest)
{
    crowd crowd = {.contest = contest, .body_count = contest->session->options->quick ? 1000 : 10000};
    bool good = scatter(&crowd);
    for (uint32_t side = 0; good && side < contest->side_count; side++)
        good = bench_check_on(contest->session, contest->sides[side].context, open_side(&crowd, side), "bodies");
    if (good)
        measure_crowd(&crowd);
    for (uint32_t side = 0; side < contest->side_count; side++)
    {
        carom_engine_destroy(crowd.engines[side]);
        carom_scene_destroy(crowd.scenes[side]);
        carom_mesh_destroy(crowd.meshes[side]);
    }
    free(crowd.drifts);
    free(crowd.ids);
}

/* ---- many files ---- */

typedef struct library
{
    workers_contest *contest;
    char folder[PATH_SIZE / 2];
    char paths[FILE_COUNT][PATH_SIZE];
    io_request requests[FILE_COUNT];
} library;

static carom_status run_files(void *data, uint32_t side, bool hash, workers_sample *out)
{
    (void)hash;
    library *library = data;
    io_result results[FILE_COUNT];
    double start = bench_now();
    carom_status status = io_read_files(library->contest->sides[side].context, library->requests, FILE_COUNT, results);
    out->seconds = bench_now() - start;
    base_hash answer = base_hash_begin();
    for (int i = 0; i < FILE_COUNT; i++)
    {
        if (status == CAROM_OK)
            base_hash_double(&answer, carom_mesh_get_info(results[i].model.mesh).volume);
        io_model_free(&results[i].model);
    }
    out->answer = base_hash_end(&answer);
    return status;
}

static carom_status write_file(library *library, int index)
{
    carom_context *context = library->contest->session->context;
    generate_def def = generate_def_default(GENERATE_BLOB);
    def.triangles = library->contest->session->options->quick ? 2000 : 50000;
    def.seed = (uint64_t)index + 1;
    carom_mesh *mesh = NULL;
    carom_status status = generate_mesh(context, &def, &mesh);
    snprintf(library->paths[index], PATH_SIZE, "%s/%d.obj", library->folder, index);
    if (status == CAROM_OK)
        status = io_write(context, library->paths[index], mesh, NULL);
    library->requests[index] = (io_request){.path = library->paths[index]};
    carom_mesh_destroy(mesh);
    return status;
}

void workers_run_files(workers_contest *contest)
{
    library library = {.contest = contest};
    const char *parent = getenv("TMPDIR");
    snprintf(library.folder, sizeof library.folder, "%s/carom_bench_XXXXXX", parent ? parent : "/tmp");
    if (!mkdtemp(library.folder))
    {
        printf("files left out: no folder %s\n", library.folder);
        return;
    }
    bool good = true;
    for (int i = 0; good && i < FILE_COUNT; i++)
        good = bench_check(contest->session, write_file(&library, i), library.folder);
    workers_task task = {"files", "reading 8 files (OBJ)", run_files, &library};
    if (good)
        workers_measure(contest, &task);
    for (int i = 0; i < FILE_COUNT; i++)
        unlink(library.paths[i]);
    rmdir(library.folder);
}
