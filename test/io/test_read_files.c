/* Several files at once: the results, messages and warnings of one after another, for any number of workers; files that
 * fail among good ones; the same file twice; allocations that fail. The truth is io_read in a loop without workers. */
#include "support/check.h"
#include "support/guarded.h"

#include "carom/io.h"

#include <fenv.h>
#include <string.h>
#include <sys/stat.h>

enum
{
    FILE_COUNT = 18,
    LOG_SIZE = 64
};

/* What was asked for, and everything that came of it. */
typedef struct batch
{
    io_request requests[FILE_COUNT];
    io_result results[FILE_COUNT];
} batch;

/* Everything that a context said. */
typedef struct heard
{
    int count;
    char lines[LOG_SIZE][IO_MESSAGE_SIZE + 16];
} heard;

static char folder[64];
static char paths[FILE_COUNT][128];

static void listen(carom_log_level level, const char *message, void *user)
{
    heard *to = user;
    assert_true(to->count < LOG_SIZE);
    snprintf(to->lines[to->count++], sizeof to->lines[0], "%d: %s", (int)level, message);
}

static carom_context *open_context(uint32_t workers, heard *log)
{
    carom_context_def def = carom_context_def_default();
    def.workers = workers;
    if (log)
        def.log = listen, def.log_user = log;
    carom_context *context;
    assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
    return context;
}

/* ---- the files ---- */

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* A wavy sheet of n x n squares in two named parts. */
static void write_sheet(const char *path, int n)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i <= n; i++)
        for (int k = 0; k <= n; k++)
            fprintf(file, "v %d %d %.17g\n", i, k, 0.1 * ((i * 7 + k * 3) % 11));
    fprintf(file, "o left\n");
    for (int i = 0; i < n; i++)
    {
        if (i == n / 2)
            fprintf(file, "o right\n");
        for (int k = 1; k <= n; k++)
            fprintf(file, "f %d %d %d %d\n", i * (n + 1) + k, (i + 1) * (n + 1) + k, (i + 1) * (n + 1) + k + 1,
                    i * (n + 1) + k + 1);
    }
    assert_int_equal(fclose(file), 0);
}

/* `more` bytes after the last triangle. */
static void write_stl(const char *path, uint32_t count, int more)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fprintf(file, "%-80s", "binary");
    fwrite(&count, 4, 1, file);
    for (uint32_t i = 0; i < count; i++)
    {
        float record[12] = {0, 0, 1, (float)i, 0, 0, (float)i + 1, 0, 0, (float)i, 1, 0};
        fwrite(record, sizeof record, 1, file);
        fwrite("\0\0", 2, 1, file);
    }
    for (int i = 0; i < more; i++)
        fputc(0, file);
    assert_int_equal(fclose(file), 0);
}

static char *path_at(int i, const char *name)
{
    snprintf(paths[i], sizeof paths[i], "%s/%s", folder, name);
    return paths[i];
}

/* Good ones of several sizes, and every way to fail among them. */
static int make_files(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/carom-files-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    write_sheet(path_at(0, "large.obj"), 120);
    path_at(1, "missing.obj");
    write_sheet(path_at(2, "small.obj"), 3);
    write_text(path_at(3, "index.obj"), "v 0 0 0\nv 1 0 0\nf 1 2 3\n");
    write_stl(path_at(4, "extra.stl"), 500, 7);
    write_text(path_at(5, "empty.stl"), "");
    path_at(6, "large.obj"); /* once more */
    write_text(path_at(7, "points.obj"), "v 0 0 0\nv 1 0 0\np 1\n");
    path_at(8, "folder.stl");
    if (mkdir(paths[8], 0777) != 0)
        return -1;
    write_text(path_at(9, "what.step"), "nothing that is known");
    write_stl(path_at(10, "plain.stl"), 2000, 0);
    path_at(11, "index.obj");
    write_text(path_at(12, "nan.obj"), "v 0 nan 0\n");
    path_at(13, "points.obj");
    path_at(14, "extra.stl");
    write_sheet(path_at(15, "as.data"), 10); /* by the format's name */
    path_at(16, "as.data");                  /* and without */
    path_at(17, "missing.obj");
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void request_all(batch *b)
{
    memset(b, 0, sizeof *b);
    for (int i = 0; i < FILE_COUNT; i++)
        b->requests[i].path = paths[i];
    b->requests[15].options.format = "obj";
}

static void free_all(batch *b)
{
    for (int i = 0; i < FILE_COUNT; i++)
        io_model_free(&b->results[i].model);
}

/* ---- comparing ---- */

static void check_same_model(const io_model *a, const io_model *b, const char *path)
{
    if ((a->mesh == NULL) != (b->mesh == NULL))
        fail_msg("%s: only one has a mesh", path);
    if (!a->mesh)
        return;
    carom_mesh_info info = carom_mesh_get_info(a->mesh), other = carom_mesh_get_info(b->mesh);
    assert_memory_equal(&info, &other, sizeof info);
    assert_memory_equal(carom_mesh_vertices(a->mesh), carom_mesh_vertices(b->mesh),
                        info.vertex_count * sizeof(carom_vec3));
    assert_memory_equal(carom_mesh_indices(a->mesh), carom_mesh_indices(b->mesh),
                        3 * info.triangle_count * sizeof(uint32_t));
    assert_string_equal(carom_mesh_name(a->mesh), carom_mesh_name(b->mesh));
    assert_string_equal(a->format, b->format);
    assert_int_equal(a->ignored_points, b->ignored_points);
    assert_int_equal(a->part_count, b->part_count);
    for (size_t i = 0; i < a->part_count; i++)
    {
        assert_string_equal(io_part_name(a, i), io_part_name(b, i));
        assert_int_equal(a->parts[i].first_triangle, b->parts[i].first_triangle);
        assert_int_equal(a->parts[i].triangle_count, b->parts[i].triangle_count);
    }
}

static void check_same_log(const heard *a, const heard *b)
{
    assert_int_equal(a->count, b->count);
    for (int i = 0; i < a->count; i++)
        assert_string_equal(a->lines[i], b->lines[i]);
}

/* One after another, on a context without workers. */
static carom_context *read_in_turn(batch *b, heard *log)
{
    carom_context *context = open_context(0, log);
    for (int i = 0; i < FILE_COUNT; i++)
    {
        io_result *result = &b->results[i];
        result->status = io_read(context, b->requests[i].path, &b->requests[i].options, &result->model);
        if (carom_failed(result->status))
            carom_context_message(context, result->message, sizeof result->message);
    }
    return context;
}

static void answers_are_those_of_one_after_another(void **state)
{
    (void)state;
    static batch truth, found;
    static heard truth_log, log;
    request_all(&truth);
    carom_context *truth_context = read_in_turn(&truth, &truth_log);
    assert_int_equal(truth.results[0].model.part_count, 2);
    assert_int_equal(truth.results[1].status, CAROM_IO_ERROR);
    assert_int_equal(truth.results[3].status, CAROM_BAD_DATA);
    assert_int_equal(truth.results[9].status, CAROM_UNSUPPORTED);
    assert_true(truth_log.count >= 12); /* errors and warnings */

    static const uint32_t workers[] = {0, 1, 2, 8};
    for (int round = 0; round < 5; round++)
        for (size_t w = 0; w < sizeof workers / sizeof *workers; w++)
        {
            log.count = 0;
            carom_context *context = open_context(workers[w], &log);
            request_all(&found);
            assert_int_equal(io_read_files(context, found.requests, FILE_COUNT, found.results), CAROM_IO_ERROR);
            for (int i = 0; i < FILE_COUNT; i++)
            {
                const io_result *a = &truth.results[i], *b = &found.results[i];
                assert_int_equal(a->status, b->status);
                assert_string_equal(a->message, b->message);
                check_same_model(&a->model, &b->model, paths[i]);
            }
            check_same_log(&truth_log, &log);
            char message[IO_MESSAGE_SIZE];
            carom_context_message(context, message, sizeof message);
            assert_string_equal(message, found.results[FILE_COUNT - 1].message); /* the latest */
            free_all(&found);
            carom_context_destroy(context);
        }
    free_all(&truth);
    carom_context_destroy(truth_context);
}

static void the_same_file_is_read_once(void **state)
{
    (void)state;
    carom_context *context = open_context(2, NULL);
    static batch b;
    request_all(&b);
    io_read_files(context, b.requests, FILE_COUNT, b.results);
    assert_ptr_equal(b.results[0].model.mesh, b.results[6].model.mesh);
    assert_ptr_not_equal(b.results[0].model.parts, b.results[6].model.parts);
    assert_ptr_not_equal(b.results[0].model.mesh, b.results[2].model.mesh);
    assert_ptr_equal(b.results[4].model.mesh, b.results[14].model.mesh);
    assert_string_equal(b.results[3].message, b.results[11].message);
    assert_true(b.results[0].milliseconds > 0);
    /* one goes, the other stays */
    io_model_free(&b.results[0].model);
    assert_int_equal(carom_mesh_get_info(b.results[6].model.mesh).triangle_count, 2 * 120 * 120);
    assert_string_equal(io_part_name(&b.results[6].model, 1), "right");
    free_all(&b);
    carom_context_destroy(context);
}

static void senseless_calls_are_refused(void **state)
{
    (void)state;
    carom_context *context = open_context(2, NULL);
    static batch b;
    request_all(&b);
    assert_int_equal(io_read_files(NULL, b.requests, 1, b.results), CAROM_INVALID_ARGUMENT);
    assert_int_equal(io_read_files(context, NULL, 1, b.results), CAROM_INVALID_ARGUMENT);
    assert_int_equal(io_read_files(context, b.requests, 1, NULL), CAROM_INVALID_ARGUMENT);
    assert_int_equal(io_read_files(context, NULL, 0, NULL), CAROM_OK);

    /* a null path among good ones */
    io_request three[3] = {{.path = paths[2]}, {.path = NULL}, {.path = paths[10]}};
    io_result results[3];
    assert_int_equal(io_read_files(context, three, 3, results), CAROM_INVALID_ARGUMENT);
    assert_int_equal(results[0].status, CAROM_OK);
    assert_int_equal(results[1].status, CAROM_INVALID_ARGUMENT);
    assert_non_null(strstr(results[1].message, "file 1"));
    assert_int_equal(results[2].status, CAROM_OK);
    for (int i = 0; i < 3; i++)
        io_model_free(&results[i].model);

    /* numbers are not even parsed in a float mode that would round them wrongly */
    fesetround(FE_UPWARD);
    carom_status status = io_read_files(context, three, 3, results);
    io_model model;
    carom_status alone = io_read(context, paths[2], NULL, &model);
    fesetround(FE_TONEAREST);
    assert_int_equal(status, CAROM_FLOAT_MODE);
    assert_int_equal(alone, CAROM_FLOAT_MODE);
    for (int i = 0; i < 3; i++)
    {
        assert_int_equal(results[i].status, CAROM_FLOAT_MODE);
        assert_true(results[i].message[0] != '\0');
        io_model_free(&results[i].model);
    }
    io_model_free(&model);
    carom_context_destroy(context);
}

/* Every allocation of a call fails once: files are read or out of memory, and nothing is lost. */
static void fail_each(uint32_t workers, bool persistent)
{
    guarded g = {.lock = PTHREAD_MUTEX_INITIALIZER};
    carom_context_def def = carom_context_def_default();
    def.allocator = (carom_allocator){guarded_allocate, guarded_release, &g};
    def.workers = workers;
    carom_context *context;
    assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
    io_request requests[4] = {{.path = paths[2]}, {.path = paths[10]}, {.path = paths[2]}, {.path = paths[15]}};
    requests[3].options.format = "obj";
    io_result results[4];
    /* the threads of the pool start now, not with the first file that is counted */
    assert_int_equal(io_read_files(context, requests, 4, results), CAROM_OK);
    for (int i = 0; i < 4; i++)
        io_model_free(&results[i].model);
    uint64_t level = g.memory.bytes_out, failures = 0;
    g.memory.persistent = persistent;
    for (uint64_t k = 1;; k++)
    {
        failing_arm(&g.memory, k);
        carom_status status = io_read_files(context, requests, 4, results);
        g.memory.fail_at = 0;
        bool any = false;
        for (int i = 0; i < 4; i++)
        {
            bool fine = results[i].status == CAROM_OK;
            assert_true(fine || results[i].status == CAROM_OUT_OF_MEMORY);
            assert_true(fine == (results[i].message[0] == '\0'));
            assert_true(fine == (results[i].model.mesh != NULL));
            any = any || !fine;
            io_model_free(&results[i].model);
        }
        assert_int_equal(status, any ? CAROM_OUT_OF_MEMORY : CAROM_OK);
        assert_int_equal(g.memory.bytes_out, level);
        failures += any;
        if (!g.memory.failed)
            break;
        assert_true(k < 10000);
    }
    assert_true(failures > 15);
    carom_context_destroy(context);
    assert_int_equal(g.memory.blocks_out, 0);
}

static void survives_failing_allocations(void **state)
{
    (void)state;
    fail_each(0, false);
    fail_each(2, false);
    fail_each(2, true);
    fail_each(8, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_of_one_after_another),
        cmocka_unit_test(the_same_file_is_read_once),
        cmocka_unit_test(senseless_calls_are_refused),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
