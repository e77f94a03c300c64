/* The experiment of the geometry-image paper: scenes, engines and their times. */
#include "tool/geoimage_bench.h"

#include "scenes/grids.h"
#include "scenes/numeric.h"
#include "tool/tool.h"

#include <math.h>
#include <stdlib.h>

enum
{
    WIDTH = 33, /* of the paper's images */
    HEIGHT = 17,
    ROUNDS = 15 /* of rebuilding */
};

const char *const GEOIMAGE_BENCH_NAMES[GEOIMAGE_BENCH_METHODS] = {"tree", "CPU", "OpenCL", "GL"};
const char *const GEOIMAGE_BENCH_STAGE_NAMES[GEOIMAGE_BENCH_STAGES] = {
    "upload", "mipmaps", "traversal", "compaction", "triangles", "read-back", "exact"};

/* ---- engines ---- */

static carom_status open_engine(const geoimage_bench *bench, geoimage_bench_method method, bool staged,
                                carom_engine **out)
{
    static const char *const computes[GEOIMAGE_BENCH_METHODS] = {NULL, "processor", "opencl", "opengl"};
    carom_engine_def def = carom_engine_def_default();
    def.engine = method == GEOIMAGE_BENCH_TREE ? "tree" : "geoimage";
    def.compute = computes[method], def.time_stages = staged;
    return carom_engine_create(bench->context, &def, out);
}

/* Those of geoimage come with a second one, for the times of stages. */
static carom_status open_engines(geoimage_bench *bench, geoimage_bench_method method)
{
    geoimage_bench_view *view = &bench->views[method];
    carom_status status = open_engine(bench, method, false, &view->engine);
    if (status == CAROM_OK && method != GEOIMAGE_BENCH_TREE)
        status = open_engine(bench, method, true, &view->staged);
    bench->measured[method] = status == CAROM_OK;
    return status == CAROM_UNAVAILABLE && method >= GEOIMAGE_BENCH_OPENCL ? CAROM_OK : status; /* then without */
}

static void read_stages(const carom_engine *engine, double out[GEOIMAGE_BENCH_STAGES])
{
    carom_engine_stats stats = carom_engine_get_stats(engine);
    const double seconds[GEOIMAGE_BENCH_STAGES] = {
        stats.upload_seconds,   stats.mipmap_seconds, stats.traversal_seconds, stats.compaction_seconds,
        stats.triangle_seconds, stats.query_seconds,  stats.exact_seconds};
    for (int i = 0; i < GEOIMAGE_BENCH_STAGES; i++)
        out[i] = 1e3 * seconds[i];
}

/* ---- two spheres ---- */

static carom_status add_body(carom_scene *scene, const carom_mesh *mesh, bool is_static, carom_body_id *id)
{
    carom_body_def def = carom_body_def_default();
    def.placed = (carom_placed){carom_shape_mesh(mesh), carom_pose_identity()}, def.is_static = is_static;
    return carom_scene_add(scene, &def, id);
}

static carom_status open_view(geoimage_bench *bench, geoimage_bench_method method)
{
    geoimage_bench_view *view = &bench->views[method];
    carom_vec3 points[WIDTH * HEIGHT];
    carom_body_id resting;
    grids_sphere(WIDTH, HEIGHT, 0.5, points);
    carom_status status = open_engines(bench, method);
    if (carom_failed(status) || !bench->measured[method])
        return status;
    status = grids_mesh(bench->context, WIDTH, HEIGHT, points, &view->sphere);
    if (!carom_failed(status))
        status = carom_scene_create(bench->context, &view->scene);
    if (!carom_failed(status))
        status = add_body(view->scene, view->sphere, true, &resting);
    return carom_failed(status) ? status : add_body(view->scene, view->sphere, false, &view->turning);
}

void geoimage_bench_close(geoimage_bench *bench)
{
    for (int i = 0; i < GEOIMAGE_BENCH_METHODS; i++)
    {
        geoimage_bench_view *view = &bench->views[i];
        carom_engine_destroy(view->engine), carom_engine_destroy(view->staged);
        carom_scene_destroy(view->scene);
        carom_mesh_destroy(view->sphere), carom_mesh_destroy(view->turned);
        *view = (geoimage_bench_view){0};
    }
}

/* Where the turning sphere is, as a rotation and a distance. */
static carom_pose pose_at(const geoimage_bench *bench, uint32_t row, uint32_t step)
{
    double sine, cosine;
    numeric_sin_cos(0.5 * step / bench->steps, &sine, &cosine);
    carom_vec3 axis = numeric_scale(numeric_normalised(numeric_vec(1, 1, 1)), sine);
    const double turn[4] = {axis.x, axis.y, axis.z, cosine};
    return carom_pose_from_quaternion(turn, numeric_vec(bench->rows[row].distance, 0, 0));
}

/* New points for this step: not timed, since they are where a deforming body comes from. */
static carom_status turn_points(geoimage_bench_view *view, const carom_pose *pose)
{
    carom_vec3 points[WIDTH * HEIGHT];
    const carom_vec3 *source = carom_mesh_vertices(view->sphere);
    carom_mesh *turned = NULL;
    for (int i = 0; i < WIDTH * HEIGHT; i++)
    {
        double part[3];
        for (int k = 0; k < 3; k++)
            part[k] = pose->rotation[3 * k] * source[i].x + pose->rotation[3 * k + 1] * source[i].y +
                      pose->rotation[3 * k + 2] * source[i].z;
        points[i] = numeric_vec(part[0], part[1], part[2]);
    }
    const carom_mesh *previous = view->turned ? view->turned : view->sphere; /* its trees are refitted */
    carom_status status = grids_deform(previous, points, &turned);
    if (carom_failed(status))
        return status;
    carom_mesh_destroy(view->turned);
    view->turned = turned;
    return CAROM_OK;
}

/* ---- measuring ---- */

typedef struct bench_step
{
    uint32_t row, step;
    bool counted;
    uint64_t hash; /* of the first method */
} bench_step;

static carom_status place(const geoimage_bench *bench, geoimage_bench_view *view, const carom_pose *pose,
                          carom_frame *frame)
{
    carom_shape shape = carom_shape_mesh(bench->rigid ? view->sphere : view->turned);
    carom_pose shift = carom_pose_translation(pose->translation.x, pose->translation.y, pose->translation.z);
    carom_status status = carom_scene_move(view->scene, view->turning, bench->rigid ? pose : &shift);
    if (!carom_failed(status) && !bench->rigid)
        status = carom_scene_reshape(view->scene, view->turning, &shape);
    return carom_failed(status) ? status : carom_scene_frame(view->scene, frame);
}

/* The same search again, with times of its stages. */
static carom_status run_stages(geoimage_bench *bench, const geoimage_bench_view *view, const carom_frame *frame,
                               geoimage_bench_run *run)
{
    double before[GEOIMAGE_BENCH_STAGES], after[GEOIMAGE_BENCH_STAGES];
    carom_scene_report report;
    read_stages(view->staged, before);
    carom_status status = carom_engine_run(view->staged, frame, NULL, &report);
    read_stages(view->staged, after);
    for (int i = 0; i < GEOIMAGE_BENCH_STAGES; i++)
        run->stages[i] += (after[i] - before[i]) / bench->steps;
    return status;
}

static carom_status run_method(geoimage_bench *bench, geoimage_bench_method method, bench_step *at)
{
    geoimage_bench_view *view = &bench->views[method];
    geoimage_bench_run ignored = {0}, *run = at->counted ? &bench->rows[at->row].runs[method] : &ignored;
    carom_pose pose = pose_at(bench, at->row, at->step);
    carom_scene_report report = {0};
    carom_frame frame;
    carom_status status = bench->rigid ? CAROM_OK : turn_points(view, &pose);
    uint64_t passes = carom_engine_get_stats(view->engine).passes;
    double start = tool_clock_ms(bench->elapsed);
    if (!carom_failed(status))
        status = place(bench, view, &pose, &frame);
    if (!carom_failed(status))
        status = carom_engine_run(view->engine, &frame, NULL, &report);
    run->ms += (tool_clock_ms(bench->elapsed) - start) / bench->steps;
    if (carom_failed(status))
        return status;
    run->pairs += report.pair_count;
    run->boxes += report.counters.boxes_tested, run->triangles += report.counters.triangles_tested;
    run->dispatches += carom_engine_get_stats(view->engine).passes - passes;
    at->hash = method == GEOIMAGE_BENCH_TREE ? report.hash : at->hash;
    bench->differ |= report.hash != at->hash;
    return view->staged ? run_stages(bench, view, &frame, run) : CAROM_OK;
}

static carom_status run_step(geoimage_bench *bench, bench_step at)
{
    carom_status status = CAROM_OK;
    for (geoimage_bench_method i = 0; i < GEOIMAGE_BENCH_METHODS && !carom_failed(status); i++)
        if (bench->measured[i])
            status = run_method(bench, i, &at);
    return status;
}

static carom_status run_turn(geoimage_bench *bench, uint32_t row)
{
    carom_status status = CAROM_OK;
    for (uint32_t step = 0; step < bench->steps && !carom_failed(status); step++)
        status = run_step(bench, (bench_step){.row = row, .step = step, .counted = true});
    const geoimage_bench_run *runs = bench->rows[row].runs, *twin = &runs[GEOIMAGE_BENCH_PROCESSOR];
    for (int i = GEOIMAGE_BENCH_PROCESSOR; i < GEOIMAGE_BENCH_METHODS; i++)
        bench->counts_differ |=
            bench->measured[i] && (runs[i].boxes != twin->boxes || runs[i].triangles != twin->triangles);
    return status;
}

/* From 1.2 diameters, where even the boxes are apart, to 0.825. */
static carom_status run_turns(geoimage_bench *bench)
{
    carom_status status = CAROM_OK;
    for (uint32_t row = 0; row < bench->distances; row++)
        bench->rows[row].distance = 1.2 - 0.375 * row / (bench->distances > 1 ? bench->distances - 1 : 1);
    /* Trees, programs of the driver and room for what is found belong to the preparation. */
    for (uint32_t step = 0; step < 2 && !carom_failed(status); step++)
        status = run_step(bench, (bench_step){.row = bench->distances - 1, .step = step % bench->steps});
    for (uint32_t row = 0; row < bench->distances && !carom_failed(status); row++)
    {
        tool_watch(&(carom_progress){"measuring", "turns of a sphere", row, bench->distances}, NULL);
        status = run_turn(bench, row);
    }
    return status;
}

double geoimage_bench_gain(const geoimage_bench *bench, geoimage_bench_method method)
{
    double ms = 0.0, twin = 0.0;
    for (uint32_t row = 0; row < bench->distances; row++)
        ms += bench->rows[row].runs[method].ms, twin += bench->rows[row].runs[GEOIMAGE_BENCH_PROCESSOR].ms;
    return bench->measured[method] && ms > 0.0 ? twin / ms - 1.0 : NAN;
}

/* ---- rebuilding ---- */

/* Two frames of a waving sheet, and engines that see one after the other, with a ball in it. */
typedef struct bench_sheet
{
    carom_vec3 *points;
    carom_mesh *meshes[2], *ball;
    carom_tree *tree;
    carom_scene *scene;
    carom_body_id id;
    carom_engine *engines[GEOIMAGE_BENCH_METHODS];
} bench_sheet;

static carom_status open_sheet(geoimage_bench *bench, bench_sheet *sheet)
{
    uint32_t side = bench->rebuild.side;
    carom_vec3 ball[WIDTH * HEIGHT];
    carom_body_id id;
    sheet->points = malloc((size_t)side * side * sizeof *sheet->points);
    if (!sheet->points)
        return CAROM_OUT_OF_MEMORY;
    grids_sphere(WIDTH, HEIGHT, 0.1, ball);
    grids_sheet(side, side, 0.0, sheet->points);
    carom_status status = grids_mesh(bench->context, side, side, sheet->points, &sheet->meshes[0]);
    grids_sheet(side, side, 0.06, sheet->points);
    if (!carom_failed(status))
        status = grids_deform(sheet->meshes[0], sheet->points, &sheet->meshes[1]);
    if (!carom_failed(status))
        status = carom_tree_create(bench->context, sheet->meshes[0], NULL, &sheet->tree);
    if (!carom_failed(status))
        status = grids_mesh(bench->context, WIDTH, HEIGHT, ball, &sheet->ball);
    if (!carom_failed(status))
        status = carom_scene_create(bench->context, &sheet->scene);
    if (!carom_failed(status))
        status = add_body(sheet->scene, sheet->ball, true, &id);
    if (!carom_failed(status))
        status = add_body(sheet->scene, sheet->meshes[0], false, &sheet->id);
    for (geoimage_bench_method i = GEOIMAGE_BENCH_PROCESSOR; i < GEOIMAGE_BENCH_METHODS && !carom_failed(status); i++)
        if (bench->measured[i])
            status = open_engine(bench, i, true, &sheet->engines[i]);
    return status;
}

static void close_sheet(bench_sheet *sheet)
{
    for (int i = 0; i < GEOIMAGE_BENCH_METHODS; i++)
        carom_engine_destroy(sheet->engines[i]);
    carom_scene_destroy(sheet->scene);
    carom_tree_destroy(sheet->tree);
    carom_mesh_destroy(sheet->ball), carom_mesh_destroy(sheet->meshes[0]), carom_mesh_destroy(sheet->meshes[1]);
    free(sheet->points);
}

/* Engines that have seen this sheet with other points: they keep all but those and the boxes. */
static carom_status rebuild_mipmaps(geoimage_bench *bench, bench_sheet *sheet, const carom_mesh *mesh)
{
    geoimage_bench_rebuild *best = &bench->rebuild;
    carom_shape shape = carom_shape_mesh(mesh);
    carom_frame frame;
    carom_status status = carom_scene_reshape(sheet->scene, sheet->id, &shape);
    if (!carom_failed(status))
        status = carom_scene_frame(sheet->scene, &frame);
    for (int i = 0; i < GEOIMAGE_BENCH_METHODS && !carom_failed(status); i++)
    {
        double before[GEOIMAGE_BENCH_STAGES], after[GEOIMAGE_BENCH_STAGES];
        carom_scene_report report;
        if (!sheet->engines[i])
            continue;
        read_stages(sheet->engines[i], before);
        status = carom_engine_run(sheet->engines[i], &frame, NULL, &report);
        read_stages(sheet->engines[i], after);
        best->mipmap[i] = fmin(best->mipmap[i], after[GEOIMAGE_BENCH_MIPMAP] - before[GEOIMAGE_BENCH_MIPMAP]);
        best->upload[i] = fmin(best->upload[i], after[GEOIMAGE_BENCH_UPLOAD] - before[GEOIMAGE_BENCH_UPLOAD]);
    }
    return status;
}

static carom_status rebuild_trees(geoimage_bench *bench, bench_sheet *sheet, const carom_mesh *mesh)
{
    geoimage_bench_rebuild *best = &bench->rebuild;
    carom_tree *tree = NULL;
    double start = tool_now_ms();
    carom_status status = carom_tree_refit(sheet->tree, mesh);
    double refitted = tool_now_ms();
    if (!carom_failed(status))
        status = carom_tree_create(bench->context, mesh, NULL, &tree);
    best->tree_refitted = fmin(best->tree_refitted, refitted - start);
    best->tree_built = fmin(best->tree_built, tool_now_ms() - refitted);
    carom_tree_destroy(tree);
    return status;
}

/* In turn, so that other load meets all of them. The first rounds of the engines make room, and are not the shortest.
 */
static carom_status measure_rebuild(geoimage_bench *bench)
{
    bench_sheet sheet = {0};
    bench->rebuild = (geoimage_bench_rebuild){.side = bench->side, .tree_built = NAN, .tree_refitted = NAN};
    for (int i = 0; i < GEOIMAGE_BENCH_METHODS; i++)
        bench->rebuild.mipmap[i] = bench->rebuild.upload[i] = NAN;
    carom_status status = open_sheet(bench, &sheet);
    for (int i = 0; i < ROUNDS && !carom_failed(status); i++)
    {
        const carom_mesh *mesh = sheet.meshes[(i + 1) % 2];
        tool_watch(&(carom_progress){"measuring", "boxes of a waving sheet", (uint64_t)i, ROUNDS}, NULL);
        status = rebuild_trees(bench, &sheet, mesh);
        if (!carom_failed(status))
            status = rebuild_mipmaps(bench, &sheet, mesh);
    }
    close_sheet(&sheet);
    return status;
}

carom_status geoimage_bench_measure(geoimage_bench *bench)
{
    carom_status status = CAROM_OK;
    for (geoimage_bench_method i = 0; i < GEOIMAGE_BENCH_METHODS && !carom_failed(status); i++)
        status = open_view(bench, i);
    if (!carom_failed(status))
        status = run_turns(bench);
    return carom_failed(status) ? status : measure_rebuild(bench);
}
