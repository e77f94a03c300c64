/* carom bench stream --cliffs: engine stream where it may be slow, next to scd2 and the default trees. */
#include "scenes/generate.h"
#include "tool/bench_stream.h"

#include <math.h>
#include <stdlib.h>

enum
{
    METHODS = 5,
    MAX_BODIES = 512,
    MAX_RUNS = 12, /* of each; the fastest counts */
    SCD2 = 1
};

static const struct
{
    const char *name, *engine, *compute;
} METHOD[METHODS] = {{"tree", "tree", NULL},
                     {"SCD2", "scd2", NULL},
                     {"OpenCL", "stream", "opencl"},
                     {"GL", "stream", "opengl"},
                     {"CPU", "stream", "processor"}};

typedef struct cliff_work
{
    const bench_stream_table *table;
    carom_scene *scene;
    carom_body_id ids[MAX_BODIES];
    uint32_t body_count;
    carom_engine *engines[METHODS]; /* null: there is no such device */
    double ms[METHODS];
    bool differ;
} cliff_work;

/* ---- bodies ---- */

static carom_status add(cliff_work *work, carom_mesh *mesh, carom_pose pose, bool is_static)
{
    carom_body_def def = carom_body_def_default();
    def.placed = (carom_placed){carom_shape_mesh(mesh), pose}, def.is_static = is_static;
    return carom_scene_add(work->scene, &def, &work->ids[work->body_count++]);
}

static carom_status add_shapes(cliff_work *work, generate_def def, uint32_t count, carom_vec3 step)
{
    carom_mesh *mesh;
    carom_status status = generate_mesh(work->table->context, &def, &mesh);
    for (uint32_t i = 0; i < count && !carom_failed(status); i++)
        status = add(work, mesh,
                     carom_pose_translation(step.x * (i % 8), step.y * (i / 8 % 8), step.z * (i / 64 + i % 8)), false);
    carom_mesh_destroy(mesh);
    return status;
}

static generate_def shape(generate_kind kind, uint32_t triangles)
{
    generate_def def = generate_def_default(kind);
    def.triangles = triangles;
    return def;
}

static carom_status make_tiny(cliff_work *work)
{
    return add_shapes(work, shape(GENERATE_TETRAHEDRON, 4), 2, (carom_vec3){0.2, 0.0, 0.1});
}

static carom_status make_hair(cliff_work *work)
{
    return add_shapes(work, shape(GENERATE_CLOTH, 20000), 2, (carom_vec3){0.0, 0.0, 1e-3});
}

static carom_status make_touching(cliff_work *work)
{
    return add_shapes(work, shape(GENERATE_BOX, 19200), 2, (carom_vec3){1.0, 0.0, 0.0});
}

static carom_status make_deep(cliff_work *work)
{
    return add_shapes(work, shape(GENERATE_BLOB, 20000), 2, (carom_vec3){0.02, 0.01, 0.01});
}

static carom_status make_many(cliff_work *work)
{
    return add_shapes(work, shape(GENERATE_ICO_SPHERE, 320), 512, (carom_vec3){0.6, 0.7, 0.8});
}

/* A sheaf of long triangles through the middle, and another across it. */
static carom_status make_needles(cliff_work *work)
{
    enum
    {
        NEEDLES = 300
    };
    static float vertices[NEEDLES][3][3];
    carom_status status = CAROM_OK;
    for (int body = 0; body < 2 && !carom_failed(status); body++)
    {
        for (int i = 0; i < NEEDLES; i++)
        {
            double angle = 0.7 * body + i * 0.0013;
            for (int k = 0; k < 3; k++)
            {
                double along = k == 0 ? -1.0 : 1.0, across = 1e-3 * (k - 1) + 1e-4 * (i % 17);
                vertices[i][k][0] = (float)(along * cos(angle) - across * sin(angle));
                vertices[i][k][1] = (float)(along * sin(angle) + across * cos(angle));
                vertices[i][k][2] = (float)(0.3 * along * (i % 5 - 2) + 1e-4 * i);
            }
        }
        carom_mesh_def def = carom_mesh_def_default();
        carom_mesh *mesh;
        def.vertices_f32 = &vertices[0][0][0], def.vertex_count = 3 * NEEDLES;
        def.unindexed = true, def.triangle_count = NEEDLES;
        status = carom_mesh_create(work->table->context, &def, &mesh);
        if (!carom_failed(status))
            status = add(work, mesh, carom_pose_identity(), false);
        carom_mesh_destroy(mesh);
    }
    return status;
}

static carom_status make_static(cliff_work *work)
{
    carom_status status = make_many(work);
    for (uint32_t i = 0; i < work->body_count && !carom_failed(status); i++)
        status = carom_scene_set_static(work->scene, work->ids[i], true);
    return status;
}

static const struct
{
    const char *what;
    carom_status (*make)(cliff_work *work);
    bool all, cold;
} CLIFFS[] = {{"two tetrahedra, any hit", make_tiny, false, false},
              {"two cloths 1e-3 apart, any hit", make_hair, false, false},
              {"two boxes that touch, any hit", make_touching, false, false},
              {"two boxes that touch, all pairs", make_touching, true, false},
              {"300 needles across 300, any hit", make_needles, false, false},
              {"300 needles across 300, all pairs", make_needles, true, false},
              {"two blobs, deep, any hit", make_deep, false, false},
              {"two blobs, deep, all pairs", make_deep, true, false},
              {"512 spheres, any hit", make_many, false, false},
              {"512 spheres, all pairs", make_many, true, false},
              {"512 static spheres, all pairs", make_static, true, false},
              {"two blobs, a new engine each time", make_deep, false, true}};

/* ---- measuring ---- */

static carom_status open_engine(cliff_work *work, int method)
{
    carom_engine_def def = carom_engine_def_default();
    def.engine = METHOD[method].engine, def.compute = METHOD[method].compute, def.image_always = method == SCD2;
    carom_status status = carom_engine_create(work->table->context, &def, &work->engines[method]);
    return status == CAROM_UNAVAILABLE && def.compute ? CAROM_OK : status;
}

/* The first body moves a little, so that nothing of the last run can be reused. */
static carom_status move(cliff_work *work, int run, carom_frame *frame)
{
    carom_pose pose = carom_pose_translation(1e-9 * run, 0.0, 0.0);
    carom_status status = carom_scene_move(work->scene, work->ids[0], &pose);
    return carom_failed(status) ? status : carom_scene_frame(work->scene, frame);
}

static carom_status run_once(cliff_work *work, size_t cliff, int method, const carom_frame *frame, uint64_t *hash)
{
    carom_scene_report report;
    carom_collide_options options = carom_collide_options_default();
    carom_status status = CAROM_OK;
    options.mode = CLIFFS[cliff].all ? CAROM_COLLIDE_ALL : CAROM_COLLIDE_ANY;
    double start = tool_clock_ms(work->table->options->elapsed);
    if (!work->engines[method] || CLIFFS[cliff].cold)
    {
        carom_engine_destroy(work->engines[method]);
        status = open_engine(work, method);
    }
    if (carom_failed(status) || !work->engines[method])
        return status;
    status = carom_engine_run(work->engines[method], frame, &options, &report);
    double taken = tool_clock_ms(work->table->options->elapsed) - start;
    if (carom_failed(status))
        return status;
    work->ms[method] = fmin(work->ms[method], taken);
    *hash = method == 0 ? report.hash : *hash;
    work->differ |= report.hash != *hash;
    return CAROM_OK;
}

static carom_status measure(cliff_work *work, size_t cliff)
{
    carom_status status = CLIFFS[cliff].make(work);
    double spent = 0.0;
    for (int i = 0; i < METHODS; i++)
        work->ms[i] = INFINITY;
    for (int run = 0; run < MAX_RUNS && spent < 3000.0 && !carom_failed(status); run++)
    {
        carom_frame frame;
        uint64_t hash = 0;
        double start = tool_now_ms();
        status = move(work, run, &frame);
        for (int i = 0; i < METHODS && !carom_failed(status); i++)
            status = run_once(work, cliff, i, &frame, &hash);
        spent += tool_now_ms() - start;
    }
    return status;
}

static void print(const cliff_work *work, size_t cliff)
{
    printf("%-34s", CLIFFS[cliff].what);
    for (int i = 0; i < METHODS; i++)
        if (work->engines[i])
            printf(" %10.3f", work->ms[i]);
        else
            printf(" %10s", "-");
    for (int i = SCD2 + 1; i < METHODS; i++)
        printf(" %8.2f", work->ms[SCD2] / work->ms[i]);
    puts(work->differ ? "  ANSWERS DIFFER" : "");
}

static int run_cliff(const bench_stream_table *table, size_t cliff)
{
    cliff_work *work = calloc(1, sizeof *work);
    if (!work)
        return tool_fail(table->command, "no memory");
    work->table = table;
    carom_status status = carom_scene_create(table->context, &work->scene);
    if (!carom_failed(status))
        status = measure(work, cliff);
    int code = carom_failed(status) ? tool_fail_status(table->command, table->context, status)
               : work->differ       ? TOOL_FINDINGS
                                    : TOOL_CLEAN;
    if (!carom_failed(status))
        print(work, cliff);
    for (int i = 0; i < METHODS; i++)
        carom_engine_destroy(work->engines[i]);
    carom_scene_destroy(work->scene);
    free(work);
    return code;
}

int bench_stream_cliffs(const bench_stream_table *table)
{
    int code = TOOL_CLEAN;
    printf(
        "Engine stream where it may be slow: ms, the fastest of up to %d runs, and how many times faster than SCD2\n",
        MAX_RUNS);
    printf("%-34s", "");
    for (int i = 0; i < METHODS; i++)
        printf(" %10s", METHOD[i].name);
    printf(" %8s %8s %8s\n", "OpenCL", "GL", "CPU");
    for (size_t i = 0; i < sizeof CLIFFS / sizeof *CLIFFS && code != TOOL_ERROR; i++)
    {
        int found = run_cliff(table, i);
        code = found > code ? found : code;
        fflush(stdout);
    }
    return code;
}
