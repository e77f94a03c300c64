/* carom bench: how long queries take on this machine, for each kind of tree. The full benchmark, with other libraries
 * in the same run, is in bench/. */
#include "scenes/generate.h"
#include "tool/ask.h"
#include "tool/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum
{
    POSE_LIMIT = 100000
};

typedef struct bench_options
{
    const char *shape;
    uint64_t triangles, poses, seed;
    bool json, no_distance;
    tool_method_options method;
    tool_file_options files;
    io_read_options reading;
} bench_options;

/* Sums over all poses for one method. */
typedef struct bench_result
{
    const char *method;
    double build_ms, bytes_per_triangle;
    double any_us, all_us, distance_us; /* mean per pose */
    double boxes, triangles;            /* tested per pose, all pairs */
    uint64_t hits, pairs, hash;
} bench_result;

typedef struct bench_work
{
    const tool_command *command;
    const bench_options *options;
    carom_context *context;
    const carom_mesh *mesh[2];
    carom_pose *poses; /* of b; a stands still */
} bench_work;

/* ---- poses ---- */

static double next_uniform(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* Uniform in the ball, by rejection: no libm function whose results differ between machines. */
static void next_in_ball(uint64_t *state, double *out, int dimensions)
{
    double length;
    do
    {
        length = 0;
        for (int i = 0; i < dimensions; i++)
        {
            out[i] = 2 * next_uniform(state) - 1;
            length += out[i] * out[i];
        }
    } while (length > 1 || length < 1e-6);
}

static double half_diagonal(const carom_mesh *mesh)
{
    carom_aabb box = carom_mesh_get_info(mesh).bounds;
    double x = box.max.x - box.min.x, y = box.max.y - box.min.y, z = box.max.z - box.min.z;
    return sqrt(x * x + y * y + z * z) / 2;
}

static carom_vec3 centre_of(const carom_mesh *mesh)
{
    carom_aabb box = carom_mesh_get_info(mesh).bounds;
    return (carom_vec3){(box.min.x + box.max.x) / 2, (box.min.y + box.max.y) / 2, (box.min.z + box.max.z) / 2};
}

/* Any orientation, centres up to 0.9 of the sum of the half diagonals apart: from deep inside to clearly apart. */
static void make_poses(bench_work *work)
{
    uint64_t state = work->options->seed;
    double reach = 0.9 * (half_diagonal(work->mesh[0]) + half_diagonal(work->mesh[1]));
    carom_vec3 target = centre_of(work->mesh[0]), own = centre_of(work->mesh[1]);
    for (uint64_t i = 0; i < work->options->poses; i++)
    {
        double quaternion[4], offset[3];
        next_in_ball(&state, quaternion, 4);
        next_in_ball(&state, offset, 3);
        carom_pose pose = carom_pose_from_quaternion(quaternion, (carom_vec3){0, 0, 0});
        carom_vec3 turned = carom_pose_apply(&pose, own);
        pose.translation =
            (carom_vec3){target.x + reach * offset[0] - turned.x, target.y + reach * offset[1] - turned.y,
                         target.z + reach * offset[2] - turned.z};
        work->poses[i] = pose;
    }
}

/* ---- measuring ---- */

static carom_status time_collide(bench_work *work, const tool_asker *asker, carom_placed placed[2],
                                 bench_result *result)
{
    uint64_t poses = work->options->poses;
    carom_collide_options any = carom_collide_options_default();
    any.mode = CAROM_COLLIDE_ANY;
    carom_report report;
    double start = tool_now_ms();
    for (uint64_t i = 0; i < poses; i++)
    {
        placed[1].pose = work->poses[i];
        carom_status status = tool_ask_collide(asker, &placed[0], &placed[1], &any, &report);
        if (carom_failed(status))
            return status;
        result->hits += report.pair_count > 0;
    }
    double middle = tool_now_ms();
    for (uint64_t i = 0; i < poses; i++)
    {
        placed[1].pose = work->poses[i];
        carom_status status = tool_ask_collide(asker, &placed[0], &placed[1], NULL, &report);
        if (carom_failed(status))
            return status;
        result->pairs += report.pair_count;
        result->boxes += (double)report.counters.boxes_tested / (double)poses;
        result->triangles += (double)report.counters.triangles_tested / (double)poses;
        for (uint64_t k = 0; k < report.pairs_listed; k++)
            result->hash = (result->hash ^ ((uint64_t)report.pairs[k].triangle_a << 32 | report.pairs[k].triangle_b)) *
                           0x100000001b3u;
    }
    result->any_us = 1e3 * (middle - start) / (double)poses;
    result->all_us = 1e3 * (tool_now_ms() - middle) / (double)poses;
    return CAROM_OK;
}

static carom_status time_distance(bench_work *work, const tool_asker *asker, carom_placed placed[2],
                                  bench_result *result)
{
    result->distance_us = NAN;
    if (asker->engine || work->options->no_distance)
        return CAROM_OK;
    carom_report report;
    double start = tool_now_ms();
    for (uint64_t i = 0; i < work->options->poses; i++)
    {
        placed[1].pose = work->poses[i];
        carom_status status = carom_distance(asker->query, &placed[0], &placed[1], NULL, &report);
        if (carom_failed(status))
            return status;
    }
    result->distance_us = 1e3 * (tool_now_ms() - start) / (double)work->options->poses;
    return CAROM_OK;
}

static carom_status measure(bench_work *work, const tool_method *method, bench_result *result)
{
    *result = (bench_result){.method = method->name, .hash = 0xcbf29ce484222325u};
    tool_asker asker;
    carom_tree *tree[2] = {NULL, NULL};
    carom_placed placed[2];
    carom_status status = tool_asker_open(work->context, method, NULL, &asker);
    for (int i = 0; i < 2; i++)
    {
        if (!carom_failed(status))
            status = tool_ask_tree(&asker, work->mesh[i], &tree[i]);
        placed[i] = (carom_placed){tool_shape(work->mesh[i], tree[i]), carom_pose_identity()};
        /* an engine's trees belong to the meshes: NaN */
        result->build_ms += tree[i] ? carom_tree_get_info(tree[i]).build_ms / 2 : NAN;
        result->bytes_per_triangle += tree[i] ? carom_tree_get_info(tree[i]).bytes_per_triangle / 2 : NAN;
    }
    if (!carom_failed(status))
        status = time_collide(work, &asker, placed, result);
    if (!carom_failed(status))
        status = time_distance(work, &asker, placed, result);
    carom_tree_destroy(tree[0]);
    carom_tree_destroy(tree[1]);
    tool_asker_close(&asker);
    return status;
}

/* ---- output ---- */

/* A dash for NaN: what a method does not have. */
static const char *format_known(double value, int digits, char out[24])
{
    if (isnan(value))
        return "-";
    snprintf(out, 24, "%.*f", digits, value);
    return out;
}

static void print_row(const bench_result *row, const char *note)
{
    char build[24], bytes[24], distance[24];
    printf("%-20s %9s %9s %11.2f %12.2f %11s %10.1f %10.1f%s\n", row->method, format_known(row->build_ms, 2, build),
           format_known(row->bytes_per_triangle, 1, bytes), row->any_us, row->all_us,
           format_known(row->distance_us, 2, distance), row->boxes, row->triangles, note);
    fflush(stdout);
}

static json_t *row_to_json(const bench_result *row)
{
    return json_pack("{s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:I,s:I,s:o}", "method", row->method, "build_ms",
                     tool_json_number(row->build_ms), "bytes_per_triangle", tool_json_number(row->bytes_per_triangle),
                     "any_us", tool_json_number(row->any_us), "all_us", tool_json_number(row->all_us), "distance_us",
                     tool_json_number(row->distance_us), "boxes_per_pose", tool_json_number(row->boxes),
                     "triangle_pairs_per_pose", tool_json_number(row->triangles), "hits", (json_int_t)row->hits,
                     "pairs", (json_int_t)row->pairs, "pairs_hash", tool_json_hash(row->hash));
}

/* Runs all methods on the same poses; differing answers are findings. */
static int run_methods(bench_work *work, const tool_method *methods, int count)
{
    const bench_options *options = work->options;
    json_t *rows = json_array();
    bench_result first = {0};
    int code = TOOL_CLEAN;
    if (!options->json)
        printf("%u x %u triangles, %llu poses\n%-20s %9s %9s %11s %12s %11s %10s %10s\n",
               carom_mesh_get_info(work->mesh[0]).triangle_count, carom_mesh_get_info(work->mesh[1]).triangle_count,
               (unsigned long long)options->poses, "method", "build ms", "bytes/tri", "any-hit us", "all pairs us",
               "distance us", "boxes", "triangles");
    for (int i = 0; i < count && code != TOOL_ERROR; i++)
    {
        bench_result row;
        carom_status status = measure(work, &methods[i], &row);
        if (carom_failed(status))
        {
            code = tool_fail_status(work->command, work->context, status);
            break;
        }
        first = i == 0 ? row : first;
        bool differs = row.hash != first.hash || row.hits != first.hits;
        if (differs)
            code = TOOL_FINDINGS;
        if (options->json)
            json_array_append_new(rows, row_to_json(&row));
        else
            print_row(&row, differs ? "  ANSWERS DIFFER" : "");
    }
    if (!options->json && code != TOOL_ERROR)
        printf("%llu of %llu poses hit, %llu pairs, %s\n", (unsigned long long)first.hits,
               (unsigned long long)options->poses, (unsigned long long)first.pairs,
               code == TOOL_CLEAN ? "all answers equal" : "ANSWERS DIFFER");
    if (options->json && code != TOOL_ERROR)
    {
        json_t *root = json_pack("{s:I,s:I,s:b,s:O}", "poses", (json_int_t)options->poses, "seed",
                                 (json_int_t)options->seed, "answers_equal", code == TOOL_CLEAN, "methods", rows);
        if (tool_print_json(work->command, root) != TOOL_CLEAN)
            code = TOOL_ERROR;
    }
    json_decref(rows);
    return code;
}

static carom_status generate_pair(bench_work *work, carom_mesh *generated[2])
{
    generate_def def = generate_def_default(GENERATE_BOX);
    if (!generate_find(work->options->shape, &def.kind))
        return CAROM_INVALID_ARGUMENT;
    def.triangles = (uint32_t)work->options->triangles;
    carom_status status = CAROM_OK;
    for (int i = 0; i < 2 && !carom_failed(status); i++, def.seed++)
        status = generate_mesh(work->context, &def, &generated[i]);
    return status;
}

static carom_status load_pair(bench_work *work, const tool_arguments *arguments, io_model model[2],
                              carom_mesh *generated[2])
{
    carom_status status = CAROM_OK;
    if (arguments->positional_count == 2)
        status =
            tool_read_pair(work->context, (const char *const *)arguments->positional, &work->options->reading, model);
    else
        status = generate_pair(work, generated);
    for (int i = 0; i < 2; i++)
        work->mesh[i] = generated[i] ? generated[i] : model[i].mesh;
    return status;
}

static int run(bench_work *work, const tool_arguments *arguments, const tool_method *methods, int count)
{
    io_model model[2] = {0};
    carom_mesh *generated[2] = {NULL, NULL};
    int code;
    carom_status status = load_pair(work, arguments, model, generated);
    if (carom_failed(status))
        code = tool_fail_status(work->command, work->context, status);
    else if (carom_mesh_get_info(work->mesh[0]).triangle_count == 0 ||
             carom_mesh_get_info(work->mesh[1]).triangle_count == 0)
        code = (fprintf(stderr, "carom bench: nothing was timed: a model has no triangles\n"), TOOL_NOTHING);
    else
    {
        make_poses(work);
        code = run_methods(work, methods, count);
    }
    for (int i = 0; i < 2; i++)
    {
        carom_mesh_destroy(generated[i]);
        io_model_free(&model[i]);
    }
    return code;
}

/* Benchmarks of their own. */
static const struct
{
    const char *name;
    int (*run)(int argc, char **argv);
} below[] = {{"parallel", tool_bench_parallel}, {"tsgo", tool_bench_tsgo},         {"image", tool_bench_image},
             {"stream", tool_bench_stream},     {"geoimage", tool_bench_geoimage}, {"deadline", tool_bench_deadline},
             {"read", tool_bench_read}};

static const char *name_below(const void *list, int i)
{
    (void)list;
    return i < (int)(sizeof below / sizeof *below) ? below[i].name : NULL;
}

/* Neither two files nor none. */
static int refuse_files(const tool_arguments *arguments)
{
    const char *only = arguments->positional_count == 1 ? arguments->positional[0] : "";
    const char *meant = access(only, F_OK) != 0 ? text_nearest(only, name_below, NULL) : NULL;
    if (meant)
        return tool_fail(arguments->command, "there is no benchmark '%s'; did you mean '%s'?", only, meant);
    return tool_fail(arguments->command, "two files or none are needed, %d given", arguments->positional_count);
}

int tool_bench(const tool_command *command, int argc, char **argv)
{
    for (size_t i = 0; argc > 0 && i < sizeof below / sizeof *below; i++)
        if (strcmp(argv[0], below[i].name) == 0)
            return below[i].run(argc - 1, argv + 1);
    bench_options options = {.shape = "torus-knot", .triangles = 5000, .poses = 200, .seed = 1};
    const tool_option table[] = {
        {"--shape", TOOL_SHAPE, &options.shape, "KIND",
         "shape to generate if no files are given (default: torus-knot)"},
        {"--triangles", TOOL_COUNT, &options.triangles, "N", "triangles of each generated shape (default: 5000)"},
        {"--poses", TOOL_COUNT, &options.poses, "N", "number of random poses (default: 200)"},
        {"--seed", TOOL_COUNT, &options.seed, "S", "seed of the poses (default: 1)"},
        {"--no-distance", TOOL_FLAG, &options.no_distance, NULL, "skip distance queries"},
        TOOL_FILE_ROWS(&options.files),
        TOOL_METHODS_ROWS(&options.method),
        {"--json", TOOL_FLAG, &options.json, NULL, "print JSON"},
    };
    tool_arguments arguments = {.command = command, .options = table, .option_count = sizeof table / sizeof *table};
    int code = tool_parse(&arguments, argc, argv);
    if (code >= 0)
        return code;
    if (arguments.positional_count != 0 && arguments.positional_count != 2)
        return refuse_files(&arguments);
    if (arguments.positional_count == 0 && !tool_check_triangles(command, options.shape, options.triangles))
        return TOOL_ERROR;
    if (options.poses < 1 || options.poses > POSE_LIMIT)
        return tool_fail(command, "--poses %llu: from 1 to %d", (unsigned long long)options.poses, POSE_LIMIT);
    if (options.seed > INT64_MAX) /* the largest integer of jansson */
        return tool_fail(command, "--seed %llu: up to 2^63 - 1", (unsigned long long)options.seed);
    if (options.files.weld && arguments.positional_count == 0)
        return tool_fail(command, "--weld: there are no files to weld");
    if (!tool_read_options(command, &options.files, &options.reading))
        return TOOL_ERROR;
    tool_method_options *chosen = &options.method;
    if (!chosen->tree && !chosen->volume && !chosen->builder && !chosen->engine)
        chosen->volume = "all";
    tool_method methods[TOOL_METHOD_LIMIT];
    int count = tool_methods(chosen, methods);
    bench_work work = {.command = command, .options = &options, .context = tool_context(&arguments)};
    work.poses = malloc(options.poses * sizeof *work.poses);
    code = work.context && work.poses ? run(&work, &arguments, methods, count) : TOOL_ERROR;
    free(work.poses);
    if (work.context)
        carom_context_destroy(work.context);
    return code;
}
