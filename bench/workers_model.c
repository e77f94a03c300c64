/* The speed-up by workers on one model: making the mesh, building and refitting its trees, two copies of it, rays at
 * it. */
#include "bench/workers.h"

#include "base/base.h"
#include "scenes/generate.h"
#include "scenes/numeric.h"
#include "scenes/poses.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum
{
    RAY_COUNT = 100000,
    PRESET_COUNT = 3
};

static const char *const preset_names[PRESET_COUNT] = {"fast", "tight", "rays"};
static const char *const build_groups[PRESET_COUNT] = {"build fast", "build tight", "build rays"};
static const char *const refit_groups[PRESET_COUNT] = {"refit fast", "refit tight", "refit rays"};

/* A model on every side: a mesh belongs to a context. */
typedef struct model
{
    workers_contest *contest;
    char name[40];
    carom_mesh *source; /* of the session's context */
    carom_vec3 *bent;   /* its vertices, deformed */
    carom_mesh *rest[WORKERS_MAX_SIDES], *deformed[WORKERS_MAX_SIDES];
    carom_tree *trees[WORKERS_MAX_SIDES]; /* of the preset that is being measured */
    carom_tree_preset preset;
    carom_placed placed[WORKERS_MAX_SIDES][2];
    carom_ray *rays;
} model;

static void measure(model *model, const char *group, const char *what, workers_run_fn *run)
{
    char name[128];
    snprintf(name, sizeof name, "%s: %s", model->name, what);
    workers_task task = {group, name, run, model};
    workers_measure(model->contest, &task);
}

/* ---- meshes ---- */

static carom_mesh_def def_of(const model *model)
{
    carom_mesh_info info = carom_mesh_get_info(model->source);
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = &carom_mesh_vertices(model->source)->x;
    def.vertex_count = info.vertex_count;
    def.indices_u32 = carom_mesh_indices(model->source);
    def.triangle_count = info.triangle_count;
    return def;
}

/* Counts, area and volume rest on every edge and corner; the order of triangles is the def's. */
static uint64_t hash_mesh(const carom_mesh *mesh)
{
    carom_mesh_info info = carom_mesh_get_info(mesh);
    base_hash hash = base_hash_begin();
    base_hash_u64(&hash, info.distinct_vertex_count);
    base_hash_u64(&hash, info.component_count);
    base_hash_double(&hash, info.area);
    base_hash_double(&hash, info.volume);
    for (uint32_t i = 0; i < info.edge_count; i++)
    {
        uint32_t edge[2] = {0, 0};
        carom_mesh_edge(mesh, i, edge);
        base_hash_u64(&hash, (uint64_t)edge[0] << 32 | edge[1]);
    }
    return base_hash_end(&hash);
}

static carom_status run_mesh(void *data, uint32_t side, bool hash, workers_sample *out)
{
    model *model = data;
    carom_mesh_def def = def_of(model);
    carom_mesh *mesh = NULL;
    double start = bench_now();
    carom_status status = carom_mesh_create(model->contest->sides[side].context, &def, &mesh);
    out->seconds = bench_now() - start;
    if (status == CAROM_OK && hash)
        out->answer = hash_mesh(mesh);
    carom_mesh_destroy(mesh);
    return status;
}

/* ---- trees ---- */

static carom_status hash_tree(carom_context *context, const carom_tree *tree, uint64_t *out)
{
    void *block = NULL;
    size_t size = 0;
    carom_status status = carom_bake(context, tree, &block, &size);
    if (status != CAROM_OK)
        return status;
    base_hash hash = base_hash_begin();
    base_hash_bytes(&hash, block, size);
    *out = base_hash_end(&hash);
    carom_baked_destroy(context, block, size);
    return CAROM_OK;
}

static carom_status run_build(void *data, uint32_t side, bool hash, workers_sample *out)
{
    model *model = data;
    carom_context *context = model->contest->sides[side].context;
    carom_tree_def def = carom_tree_def_preset(model->preset);
    carom_tree *tree = NULL;
    double start = bench_now();
    carom_status status = carom_tree_create(context, model->rest[side], &def, &tree);
    out->seconds = bench_now() - start;
    if (status == CAROM_OK && hash)
        status = hash_tree(context, tree, &out->answer);
    carom_tree_destroy(tree);
    return status;
}

/* To the deformed mesh and back, in turn: every vertex moves each time. */
static carom_status run_refit(void *data, uint32_t side, bool hash, workers_sample *out)
{
    model *model = data;
    carom_tree *tree = model->trees[side];
    bool is_at_rest = carom_tree_mesh(tree) == model->rest[side];
    double start = bench_now();
    carom_status status = carom_tree_refit(tree, is_at_rest ? model->deformed[side] : model->rest[side]);
    out->seconds = bench_now() - start;
    if (status == CAROM_OK && hash)
        status = hash_tree(model->contest->sides[side].context, tree, &out->answer);
    return status;
}

static bool build_trees(model *model, carom_tree_preset preset)
{
    workers_contest *contest = model->contest;
    carom_tree_def def = carom_tree_def_preset(preset);
    model->preset = preset;
    bool good = true;
    for (uint32_t side = 0; good && side < contest->side_count; side++)
        good = bench_check_on(
            contest->session, contest->sides[side].context,
            carom_tree_create(contest->sides[side].context, model->rest[side], &def, &model->trees[side]), "tree");
    return good;
}

static void destroy_trees(model *model)
{
    for (uint32_t side = 0; side < model->contest->side_count; side++)
    {
        carom_tree_destroy(model->trees[side]);
        model->trees[side] = NULL;
    }
}

static void measure_trees(model *model)
{
    char what[40];
    for (int preset = 0; preset < PRESET_COUNT; preset++)
    {
        model->preset = (carom_tree_preset)preset;
        snprintf(what, sizeof what, "build %s", preset_names[preset]);
        measure(model, build_groups[preset], what, run_build);
        snprintf(what, sizeof what, "refit %s", preset_names[preset]);
        if (build_trees(model, (carom_tree_preset)preset))
            measure(model, refit_groups[preset], what, run_refit);
        destroy_trees(model);
    }
}

/* ---- two copies ---- */

static carom_status run_pair(void *data, uint32_t side, bool hash, workers_sample *out)
{
    (void)hash;
    model *model = data;
    carom_report report = {0};
    double start = bench_now();
    carom_status status = carom_collide(model->contest->sides[side].query, &model->placed[side][0],
                                        &model->placed[side][1], NULL, &report);
    out->seconds = bench_now() - start;
    out->answer = report.hash;
    return status;
}

static void measure_pair(model *model, const char *what, const poses_pair *poses)
{
    for (uint32_t side = 0; side < model->contest->side_count; side++)
    {
        model->placed[side][0] = (carom_placed){carom_shape_tree(model->trees[side]), poses->a};
        model->placed[side][1] = (carom_placed){carom_shape_tree(model->trees[side]), poses->b};
    }
    measure(model, "all pairs", what, run_pair);
}

/* Two copies that nearly coincide have the most to find. Each takes 5 ms or more with 500,000 triangles. */
static void measure_pairs(model *model)
{
    static const struct
    {
        const char *what;
        double quaternion[4]; /* scalar last */
        carom_vec3 shift;
    } poses[] = {
        {"all pairs, turned by 7 degrees", {0.02, 0.03, 0.05, 1.0}, {0.003, 0.002, 0.001}},
        {"all pairs, turned by 1 degree", {0.003, 0.004, 0.007, 1.0}, {0.003, 0.002, 0.001}},
        {"all pairs, shifted by 0.4 %", {0.0, 0.0, 0.0, 1.0}, {0.003, 0.002, 0.001}},
        {"all pairs, nearly coincident", {1e-4, 2e-4, -1e-4, 1.0}, {1e-5, 2e-5, 1e-5}},
    };
    for (size_t i = 0; i < sizeof poses / sizeof poses[0]; i++)
    {
        poses_pair placed = {carom_pose_identity(), carom_pose_from_quaternion(poses[i].quaternion, poses[i].shift)};
        measure_pair(model, poses[i].what, &placed);
    }
}

/* ---- rays ---- */

static carom_status run_rays(void *data, uint32_t side, bool hash, workers_sample *out)
{
    (void)hash;
    model *model = data;
    carom_placed placed = {carom_shape_tree(model->trees[side]), carom_pose_identity()};
    carom_ray_batch batch = {model->rays, RAY_COUNT, CAROM_RAY_FIRST};
    carom_ray_batch_report report = {0};
    double start = bench_now();
    carom_status status = carom_ray_cast_batch(model->contest->sides[side].query, &placed, &batch, &report);
    out->seconds = bench_now() - start;
    out->answer = report.hash;
    return status;
}

/* From all sides towards points near the middle. */
static void measure_rays(model *model)
{
    model->rays = malloc(RAY_COUNT * sizeof *model->rays);
    numeric_random random = {7};
    for (int i = 0; model->rays && i < RAY_COUNT; i++)
    {
        carom_vec3 origin = numeric_scale(numeric_direction(&random), 2.0);
        carom_vec3 target = numeric_scale(numeric_direction(&random), 0.4);
        model->rays[i] = (carom_ray){origin, numeric_sub(target, origin), INFINITY};
    }
    if (model->rays)
        measure(model, "rays", "a batch of 100,000 rays", run_rays);
    free(model->rays);
}

static void measure_questions(model *model)
{
    if (build_trees(model, CAROM_TREE_FAST))
        measure_pairs(model);
    destroy_trees(model);
    if (build_trees(model, CAROM_TREE_RAYS))
        measure_rays(model);
    destroy_trees(model);
}

/* ---- the model ---- */

static bool bend(model *model)
{
    uint32_t count = carom_mesh_get_info(model->source).vertex_count;
    const carom_vec3 *vertices = carom_mesh_vertices(model->source);
    model->bent = malloc(count * sizeof *model->bent);
    for (uint32_t i = 0; model->bent && i < count; i++)
    {
        double wave = 0.05 * numeric_noise(numeric_scale(vertices[i], 3.0), 1, 1);
        model->bent[i] = numeric_vec(vertices[i].x * (1.0 + wave), vertices[i].y - wave, vertices[i].z + wave);
    }
    return model->bent != NULL;
}

static bool open_model(model *model, const workers_model_def *def)
{
    bench_session *session = model->contest->session;
    generate_kind kind = GENERATE_BOX;
    generate_find(def->kind, &kind);
    generate_def wanted = generate_def_default(kind);
    wanted.triangles = def->triangles;
    snprintf(model->name, sizeof model->name, "%s %u", def->kind, def->triangles);
    bool good =
        bench_check(session, generate_mesh(session->context, &wanted, &model->source), def->kind) && bend(model);
    for (uint32_t side = 0; good && side < model->contest->side_count; side++)
    {
        carom_context *context = model->contest->sides[side].context;
        carom_mesh_def mesh_def = def_of(model);
        good = bench_check_on(session, context, carom_mesh_create(context, &mesh_def, &model->rest[side]), "mesh");
        mesh_def.vertices_f64 = &model->bent->x;
        good =
            good && bench_check_on(session, context,
                                   carom_mesh_deform(model->rest[side], &mesh_def, &model->deformed[side]), "deform");
    }
    return good;
}

void workers_run_model(workers_contest *contest, const workers_model_def *def)
{
    model model = {.contest = contest};
    if (open_model(&model, def))
    {
        measure(&model, "mesh", "mesh and topology", run_mesh);
        measure_trees(&model);
        if (def->heavy)
            measure_questions(&model);
    }
    for (uint32_t side = 0; side < contest->side_count; side++)
    {
        carom_mesh_destroy(model.deformed[side]);
        carom_mesh_destroy(model.rest[side]);
    }
    carom_mesh_destroy(model.source);
    free(model.bent);
}
