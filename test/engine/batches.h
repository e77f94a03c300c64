/* Engines whose state is a batch_state, `stream` and `geoimage`: what both are asked alike. */
#ifndef TEST_ENGINE_BATCHES_H
#define TEST_ENGINE_BATCHES_H

#include "compute/device.h"
#include "engine/batch/batch.h"
#include "engine/devices.h"
#include "support/failing.h"

static inline batch_state *state_of(carom_engine *engine) { return engine->workers[0].method_state; }

/* ---- two bodies ---- */

typedef struct duo
{
    carom_scene *scene;
    carom_body_id ids[2];
} duo;

/* One of each mesh, the second one in this pose. */
static inline duo duo_open(carom_context *context, carom_mesh *const meshes[2], carom_pose pose)
{
    duo d;
    assert_int_equal(carom_scene_create(context, &d.scene), CAROM_OK);
    for (int i = 0; i < 2; i++)
    {
        carom_body_def def = carom_body_def_default();
        def.placed = (carom_placed){carom_shape_mesh(meshes[i]), i == 0 ? carom_pose_identity() : pose};
        assert_int_equal(carom_scene_add(d.scene, &def, &d.ids[i]), CAROM_OK);
    }
    return d;
}

static inline carom_mesh *deformed(const carom_mesh *mesh, const carom_vec3 *vertices)
{
    carom_mesh_def def = carom_mesh_def_default();
    carom_mesh *out;
    def.vertices_f64 = &vertices->x, def.vertex_count = mesh->vertex_count;
    assert_int_equal(carom_mesh_deform(mesh, &def, &out), CAROM_OK);
    return out;
}

static inline void reshape(carom_scene *scene, carom_body_id id, carom_mesh *mesh)
{
    carom_shape shape = carom_shape_mesh(mesh);
    assert_int_equal(carom_scene_reshape(scene, id, &shape), CAROM_OK);
}

/* ---- limits ---- */

enum
{
    LIMIT_COUNT = 4
};

typedef struct counts
{
    uint64_t boxes, triangles, candidates;
} counts;

/* One device with one limit: its answers are those of brute force. Returns what a search of everything has tested, in
 * at least so many rounds. */
static inline counts compare_limit(carom_engine *engine, carom_engine *brute, const stage *s, batch_limits limits,
                                   uint64_t min_rounds)
{
    counts out = {0};
    state_of(engine)->device.limits = limits;
    for (int number = 0; number < QUESTIONS; number++)
    {
        carom_collide_options options = question(number);
        carom_scene_report truth = run(brute, s->scene, &options), found = run(engine, s->scene, &options);
        assert_true(truth.hash == found.hash);
        assert_true(found.pair_count > 0);
        const batch_stats *stats = &state_of(engine)->device.stats;
        if (number > 0)
            continue;
        out = (counts){stats->boxes, stats->triangles, stats->candidates};
        assert_true(stats->rounds >= min_rounds);
    }
    assert_int_equal(carom_engine_get_stats(engine).pairs_by_trees, 0);
    return out;
}

static inline void compare_hundred_runs(carom_engine *engine, const stage *s, uint64_t truth)
{
    carom_collide_options options = question(1);
    for (int i = 0; i < 100; i++)
        assert_true(run(engine, s->scene, &options).hash == truth);
}

/* On every device with every limit. Small frontiers take hundreds of rounds: there with fewer triangles.
 * min_on_drivers: of the frontiers there. */
static inline void check_a_hundred_runs(const char *name, uint64_t seed, const uint32_t triangles[2],
                                        const batch_limits limits[LIMIT_COUNT], uint32_t min_on_drivers)
{
    world w = world_open();
    carom_engine *brute = open_named(w.context, "brute");
    stage stages[2] = {stage_open(w.context, seed, triangles[0]), stage_open(w.context, seed, triangles[1])};
    carom_collide_options options = question(1);
    uint64_t truths[2] = {run(brute, stages[0].scene, &options).hash, run(brute, stages[1].scene, &options).hash};
    for (compute_kind kind = COMPUTE_OPENCL; kind < COMPUTE_KIND_COUNT; kind++)
        for (size_t i = 0; i < LIMIT_COUNT; i++)
        {
            carom_engine *engine = open_on(w.context, name, kind);
            batch_limits limit = limits[i];
            int small = limit.frontier != 0;
            if (!engine)
                continue;
            if (small && limit.frontier < min_on_drivers && kind != COMPUTE_PROCESSOR)
                limit.frontier = min_on_drivers;
            state_of(engine)->device.limits = limit;
            compare_hundred_runs(engine, &stages[small], truths[small]);
            assert_int_equal(compute_kind_of(state_of(engine)->device.device), kind); /* it was not given up */
            carom_engine_destroy(engine);
        }
    stage_close(&stages[0]), stage_close(&stages[1]);
    carom_engine_destroy(brute);
    world_close(&w);
}

/* ---- budgets and faults ---- */

/* Returns how often a run was resumed. */
static inline int check_budgets(const char *name, compute_kind kind, uint64_t seed)
{
    world w = world_open();
    stage s = stage_open(w.context, seed, 400);
    carom_engine *brute = open_named(w.context, "brute"), *engine = open_on(w.context, name, kind);
    int resumed = 0;
    for (int number = 0; number < QUESTIONS; number++)
    {
        carom_collide_options options = question(number);
        uint64_t truth = run(brute, s.scene, &options).hash;
        options.budget.work = 3000;
        carom_frame frame;
        carom_scene_report report;
        assert_int_equal(carom_scene_frame(s.scene, &frame), CAROM_OK);
        carom_status status = carom_engine_run(engine, &frame, &options, &report);
        for (; status == CAROM_UNKNOWN; resumed++)
        {
            assert_true(resumed < 100000);
            status = carom_engine_resume(engine, &frame, &options.budget, &report);
        }
        assert_int_equal(status, CAROM_OK);
        assert_true(report.hash == truth);
    }
    carom_engine_destroy(engine), carom_engine_destroy(brute);
    stage_close(&s);
    world_close(&w);
    return resumed;
}

/* A device that is lost is given up; the answer stays the same. */
static inline void check_lost_devices(const char *name, uint64_t seed)
{
    world w = world_open();
    stage s = stage_open(w.context, seed, 200);
    carom_engine *brute = open_named(w.context, "brute");
    for (compute_kind kind = COMPUTE_OPENCL; kind <= COMPUTE_OPENGL; kind++)
    {
        carom_engine *engine = open_on(w.context, name, kind);
        if (!engine)
            continue;
        carom_collide_options options = question(0);
        uint64_t truth = run(brute, s.scene, &options).hash;
        assert_true(run(engine, s.scene, &options).hash == truth);
        state_of(engine)->device.device->lost = true;
        assert_true(run(engine, s.scene, &options).hash == truth);
        assert_int_equal(compute_kind_of(state_of(engine)->device.device), COMPUTE_PROCESSOR);
        carom_engine_destroy(engine);
    }
    carom_engine_destroy(brute);
    stage_close(&s);
    world_close(&w);
}

/* Meshes that no buffer of the device holds: also when they are asked about again. */
static inline void check_too_small_device(const char *name, uint64_t seed)
{
    world w = world_open();
    stage s = stage_open(w.context, seed, 1000);
    carom_engine *engine = open_on(w.context, name, COMPUTE_PROCESSOR);
    state_of(engine)->device.limits = (batch_limits){0, 20000};
    for (int i = 0; i < 2; i++)
    {
        carom_frame frame;
        carom_scene_report report;
        assert_int_equal(carom_scene_frame(s.scene, &frame), CAROM_OK);
        assert_int_equal(carom_engine_run(engine, &frame, NULL, &report), CAROM_TOO_LARGE);
        world_check_message(&w, "20000 bytes");
    }
    carom_engine_destroy(engine);
    stage_close(&s);
    world_close(&w);
}

/* ---- memory that runs out while many meshes join a few ---- */

enum
{
    GROWTH_FEW = 3,
    GROWTH_MANY = 24 /* more than fit the room that was made for a few */
};

typedef struct growth
{
    failing memory;
    carom_context *context;
    carom_scene *scene;
    carom_mesh *meshes[GROWTH_MANY];
    carom_body_id ids[GROWTH_MANY];
    uint32_t count; /* of bodies that are there */
} growth;

/* A row of blobs, each of its own shape, that all meet their neighbours. */
static inline void growth_resize(growth *g, uint32_t count)
{
    for (uint32_t i = 0; i < GROWTH_MANY; i++)
    {
        carom_body_def def = carom_body_def_default();
        def.placed = (carom_placed){carom_shape_mesh(g->meshes[i]), carom_pose_translation(0.5 * i, 0.03 * i, 0)};
        if (i >= g->count && i < count)
            assert_int_equal(carom_scene_add(g->scene, &def, &g->ids[i]), CAROM_OK);
        else if (i < g->count && i >= count)
            assert_int_equal(carom_scene_remove(g->scene, g->ids[i]), CAROM_OK);
    }
    g->count = count;
}

static inline void growth_open(growth *g)
{
    assert_int_equal(failing_context(&g->memory, &g->context), CAROM_OK);
    assert_int_equal(carom_scene_create(g->context, &g->scene), CAROM_OK);
    for (uint32_t i = 0; i < GROWTH_MANY; i++)
    {
        generate_def def = generate_def_default(GENERATE_BLOB);
        def.triangles = 60, def.seed = i + 1;
        assert_int_equal(generate_mesh(g->context, &def, &g->meshes[i]), CAROM_OK);
    }
}

static inline void growth_close(growth *g)
{
    carom_scene_destroy(g->scene);
    for (uint32_t i = 0; i < GROWTH_MANY; i++)
        carom_mesh_destroy(g->meshes[i]);
    carom_context_destroy(g->context);
    assert_int_equal(g->memory.blocks_out, 0);
}

/* An engine that has seen a few meshes gets many, and one request for memory fails; with the few again it answers as it
 * did. Returns how many runs failed. */
static inline uint64_t check_memory_while_growing(const char *name)
{
    growth g = {0};
    growth_open(&g);
    carom_collide_options options = question(0);
    uint64_t failures = 0, truth = 0;
    bool failed = true;
    for (uint64_t k = 1; failed; k++)
    {
        carom_engine *engine = open_on(g.context, name, COMPUTE_PROCESSOR);
        carom_frame frame;
        carom_scene_report report;
        growth_resize(&g, GROWTH_FEW);
        uint64_t few = run(engine, g.scene, &options).hash;
        assert_true(k == 1 || few == truth);
        truth = few;
        growth_resize(&g, GROWTH_MANY);
        assert_int_equal(carom_scene_frame(g.scene, &frame), CAROM_OK);
        failing_arm(&g.memory, k);
        carom_status status = carom_engine_run(engine, &frame, &options, &report);
        failed = g.memory.failed;
        failing_arm(&g.memory, 0);
        assert_true(status == CAROM_OK || (failed && status == CAROM_OUT_OF_MEMORY));
        failures += status != CAROM_OK;
        growth_resize(&g, GROWTH_FEW);
        assert_true(run(engine, g.scene, &options).hash == truth);
        carom_engine_destroy(engine);
    }
    growth_close(&g);
    return failures;
}

#endif
