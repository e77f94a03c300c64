/* Engines that draw convex pieces keep them in the folder of their definition: a second engine loads what the first one
 * stored, a damaged file is made again, and the answers are the same. */
#include "query/world.h"
#include "support/gpu_test.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const ENGINES[] = {"image", "image-sampled", "recode"};

enum
{
    ENGINE_COUNT = sizeof ENGINES / sizeof ENGINES[0],
    MESHES = 2,
    LONG_AGO = 1000000000 /* a time of last use that no run of this test has */
};

typedef struct stock
{
    carom_context *context;
    carom_scene *scene;
    carom_mesh *meshes[MESHES];
    char folder[64];
    char paths[MESHES][384]; /* of its files */
    int warnings;
} stock;

static void count_warnings(carom_log_level level, const char *message, void *user)
{
    (void)message;
    if (level <= CAROM_LOG_WARNING)
        ((stock *)user)->warnings++;
}

static void open_stock(stock *s)
{
    carom_context_def def = carom_context_def_default();
    *s = (stock){.folder = "/tmp/carom_stock_XXXXXX"};
    def.log = count_warnings, def.log_user = s;
    assert_non_null(mkdtemp(s->folder));
    assert_int_equal(carom_context_create(&def, &s->context), CAROM_OK);
    assert_int_equal(carom_scene_create(s->context, &s->scene), CAROM_OK);
    world w = {s->context, NULL};
    s->meshes[0] = world_shape(&w, GENERATE_TORUS, 200), s->meshes[1] = world_shape(&w, GENERATE_HAND, 200);
    for (int i = 0; i < 6; i++) /* a ring: each meets its neighbours */
    {
        carom_body_def body = carom_body_def_default();
        carom_body_id id;
        body.placed.shape = carom_shape_mesh(s->meshes[i % MESHES]);
        body.placed.pose = carom_pose_translation(0.6 * (i % 3), 0.6 * (i / 3), 0.1 * i);
        assert_int_equal(carom_scene_add(s->scene, &body, &id), CAROM_OK);
    }
}

static int compare_paths(const void *a, const void *b) { return strcmp(a, b); }

/* How many files there are; lists the first, by name. */
static int find_files(stock *s)
{
    int count = 0;
    DIR *folder = opendir(s->folder);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (entry->d_name[0] != '.')
        {
            if (count < MESHES)
                snprintf(s->paths[count], sizeof s->paths[count], "%s/%s", s->folder, entry->d_name);
            count++;
        }
    closedir(folder);
    qsort(s->paths, (size_t)(count < MESHES ? count : MESHES), sizeof s->paths[0], compare_paths);
    return count;
}

static void empty_folder(stock *s)
{
    assert_true(find_files(s) <= MESHES);
    for (int i = find_files(s); i-- > 0;)
        assert_int_equal(remove(s->paths[i]), 0);
    assert_int_equal(find_files(s), 0);
}

static void close_stock(stock *s)
{
    empty_folder(s);
    assert_int_equal(rmdir(s->folder), 0);
    carom_scene_destroy(s->scene);
    for (int i = 0; i < MESHES; i++)
        carom_mesh_destroy(s->meshes[i]);
    carom_context_destroy(s->context);
}

/* The hash of what a new engine reports. */
static uint64_t ask(const stock *s, const char *name, const char *cache)
{
    carom_engine_def def = {.engine = name, .cache = cache, .image_side = 16, .image_always = true};
    carom_collide_options options = carom_collide_options_default();
    carom_engine *engine;
    carom_frame frame;
    carom_scene_report report;
    gpu_test_ok(s->context, carom_engine_create(s->context, &def, &engine));
    assert_int_equal(carom_scene_frame(s->scene, &frame), CAROM_OK);
    gpu_test_ok(s->context, carom_engine_run(engine, &frame, &options, &report));
    assert_true(report.body_pair_count > 3);
    assert_true(carom_engine_get_stats(engine).images > 0);
    uint64_t hash = report.hash;
    carom_engine_destroy(engine);
    return hash;
}

/* As if the files were last used long ago. */
static void make_old(const stock *s)
{
    const struct timespec times[2] = {{.tv_sec = LONG_AGO}, {.tv_sec = LONG_AGO}};
    for (int i = 0; i < MESHES; i++)
        assert_int_equal(utimensat(AT_FDCWD, s->paths[i], times, 0), 0);
}

static struct stat facts_of(const char *path)
{
    struct stat facts;
    assert_int_equal(stat(path, &facts), 0);
    return facts;
}

/* Files are written under another name first, so a file that was written again is another one. A file that was loaded
 * is the same, with a new time of last use. */
static void test_second_engine_loads(void **state)
{
    (void)state;
    gpu_test_needs_driver();
    stock s;
    open_stock(&s);
    for (int e = 0; e < ENGINE_COUNT; e++)
    {
        uint64_t truth = ask(&s, ENGINES[e], NULL);
        struct stat before[MESHES];
        assert_int_equal(find_files(&s), 0);
        assert_true(ask(&s, ENGINES[e], s.folder) == truth);
        assert_int_equal(find_files(&s), MESHES);
        make_old(&s);
        for (int i = 0; i < MESHES; i++)
            before[i] = facts_of(s.paths[i]);
        for (int next = 0; next < ENGINE_COUNT; next++) /* the files are for all of them */
        {
            uint64_t wanted = ask(&s, ENGINES[next], NULL);
            make_old(&s);
            assert_true(ask(&s, ENGINES[next], s.folder) == wanted);
            for (int i = 0; i < MESHES; i++)
            {
                struct stat after = facts_of(s.paths[i]);
                assert_true(after.st_ino == before[i].st_ino && after.st_size == before[i].st_size);
                assert_true(after.st_mtime > LONG_AGO);
            }
        }
        empty_folder(&s);
    }
    assert_int_equal(s.warnings, 0);
    close_stock(&s);
}

/* Turns a bit of the file, somewhere in the pieces. */
static void damage(const char *path, double where)
{
    FILE *file = fopen(path, "r+b");
    long at = (long)(where * (double)facts_of(path).st_size);
    assert_non_null(file);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    int byte = fgetc(file);
    assert_true(byte != EOF);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    assert_true(fputc(byte ^ 4, file) != EOF);
    assert_int_equal(fclose(file), 0);
}

static uint64_t hash_file(const char *path)
{
    uint64_t hash = 14695981039346656037u;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    for (int byte; (byte = fgetc(file)) != EOF;)
        hash = (hash ^ (uint64_t)byte) * 1099511628211u;
    fclose(file);
    return hash;
}

static void test_damaged_file_is_made_again(void **state)
{
    (void)state;
    static const double places[] = {0.0, 0.1, 0.5, 0.9};
    gpu_test_needs_driver();
    stock s;
    open_stock(&s);
    for (int e = 0; e < ENGINE_COUNT; e++)
    {
        uint64_t truth = ask(&s, ENGINES[e], s.folder), right[MESHES];
        assert_int_equal(find_files(&s), MESHES);
        for (int i = 0; i < MESHES; i++)
            right[i] = hash_file(s.paths[i]);
        for (size_t place = 0; place < sizeof places / sizeof places[0]; place++)
        {
            s.warnings = 0;
            damage(s.paths[0], places[place]);
            assert_true(hash_file(s.paths[0]) != right[0]);
            assert_true(ask(&s, ENGINES[e], s.folder) == truth);
            assert_int_equal(s.warnings, 1);
            assert_int_equal(find_files(&s), MESHES);
            for (int i = 0; i < MESHES; i++)
                assert_true(hash_file(s.paths[i]) == right[i]);
        }
        assert_int_equal(truncate(s.paths[1], 100), 0);
        assert_true(ask(&s, ENGINES[e], s.folder) == truth);
        assert_true(hash_file(s.paths[1]) == right[1]);
        empty_folder(&s);
    }
    close_stock(&s);
}

/* A folder that can't be written to costs time and nothing else. */
static void test_missing_folder(void **state)
{
    (void)state;
    gpu_test_needs_driver();
    stock s;
    open_stock(&s);
    uint64_t truth = ask(&s, "image", NULL);
    assert_true(ask(&s, "image", "/nonexistent/carom") == truth);
    assert_true(s.warnings > 0);
    close_stock(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_second_engine_loads),
        cmocka_unit_test(test_damaged_file_is_made_again),
        cmocka_unit_test(test_missing_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
