/* Reading of large and odd files: text in blocks and windows against one go, files under several names,
 * progress and cancelling, damaged statements. */
#include "support/check.h"
#include "support/failing.h"

#include "carom/carom.h"
#include "carom/io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64], path[160], heard[1024];

static void listen(carom_log_level level, const char *message, void *user)
{
    (void)level, (void)user;
    snprintf(heard, sizeof heard, "%s", message);
}

static carom_context *open_context(uint32_t workers)
{
    carom_context_def def = carom_context_def_default();
    def.workers = workers;
    def.log = listen;
    carom_context *context;
    assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
    heard[0] = '\0';
    return context;
}

static const char *path_of(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/carom-reading-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* ---- text ---- */

typedef struct text
{
    char *bytes;
    size_t size, capacity;
} text;

static void add(text *t, const char *words)
{
    size_t length = strlen(words);
    if (t->capacity - t->size <= length)
    {
        t->capacity = 2 * t->capacity + length + 1;
        t->bytes = realloc(t->bytes, t->capacity);
        assert_non_null(t->bytes);
    }
    memcpy(t->bytes + t->size, words, length + 1);
    t->size += length;
}

static void add_facet(text *t, size_t i, const char *normal)
{
    char line[256];
    snprintf(line, sizeof line,
             "facet normal %s outer loop\nvertex %zu 0 0.5\n vertex 0 %zu 1e-3\nvertex %zu 2 -3.25\nendloop endfacet\n",
             normal, i, i % 977, i % 31);
    add(t, line);
}

/* Several solids of many facets. In every `odd`-th facet a line of the normal begins with the word that blocks are cut
 * at. */
static text make_solids(size_t solids, size_t facets, size_t odd)
{
    text t = {0};
    for (size_t s = 0; s < solids; s++)
    {
        char name[64];
        snprintf(name, sizeof name, "solid part %zu\n", s);
        add(&t, name);
        for (size_t i = 0; i < facets; i++)
            add_facet(&t, s * facets + i, odd && i % odd == odd - 1 ? "0\nfacet 1" : "0 0 nan");
        add(&t, "endsolid\n\n \n");
    }
    return t;
}

static void write_file(const char *name, const text *t)
{
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(t->bytes, 1, t->size, file), t->size);
    assert_int_equal(fclose(file), 0);
}

/* The truth is what the facets were made from. */
static void check_solids(const io_model *model, size_t solids, size_t facets)
{
    carom_mesh_info info = carom_mesh_get_info(model->mesh);
    assert_int_equal(info.triangle_count, solids * facets);
    assert_int_equal(model->part_count, solids);
    for (size_t s = 0; s < solids; s++)
    {
        char name[64];
        snprintf(name, sizeof name, "part %zu", s);
        assert_string_equal(io_part_name(model, s), name);
        assert_int_equal(model->parts[s].first_triangle, s * facets);
        assert_int_equal(model->parts[s].triangle_count, facets);
    }
    const carom_vec3 *v = carom_mesh_vertices(model->mesh);
    const uint32_t *index = carom_mesh_indices(model->mesh);
    for (size_t i = 0; i < solids * facets; i++, index += 3)
    {
        carom_vec3 a = v[index[0]], b = v[index[1]], c = v[index[2]];
        assert_true(a.x == (double)i && a.y == 0 && a.z == 0.5);
        assert_true(b.x == 0 && b.y == (double)(i % 977) && b.z == 1e-3);
        assert_true(c.x == (double)(i % 31) && c.y == 2 && c.z == -3.25);
    }
}

static void text_in_blocks_is_text_in_one_go(void **state)
{
    (void)state;
    /* one solid and many, in some of which cuts fall inside a normal; all larger than a window of 32 MiB or a block */
    const size_t cases[][3] = {{1, 400000, 0}, {7, 60000, 0}, {3, 30000, 5}, {40000, 2, 0}, {1, 30000, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        text t = make_solids(cases[i][0], cases[i][1], cases[i][2]);
        assert_true(t.size > 3000000);
        write_file("solids.stl", &t);
        for (uint32_t workers = 0; workers < 4; workers += 3)
        {
            carom_context *context = open_context(workers);
            io_model model;
            assert_int_equal(io_read(context, path_of("solids.stl"), NULL, &model), CAROM_OK);
            check_solids(&model, cases[i][0], cases[i][1]);
            io_model_free(&model);
            assert_int_equal(io_read_memory(context, t.bytes, t.size, "stl", &model), CAROM_OK);
            check_solids(&model, cases[i][0], cases[i][1]);
            io_model_free(&model);
            carom_context_destroy(context);
        }
        free(t.bytes);
    }
}

/* An error near the end of a large text has its line, through the window and in memory. */
static void errors_in_blocks_have_their_line(void **state)
{
    (void)state;
    static const char *const ends[] = {"facet normal 0 0 0 outer loop vertex 1 2 x", "facet normal 0 0 0 outer hoop",
                                       "solid in a solid", ""};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    {
        text t = make_solids(1, 60000, 0);
        t.size -= strlen("endsolid\n\n \n");
        t.bytes[t.size] = '\0';
        size_t line = 2 + 60000 * 5;
        add(&t, ends[i]);
        write_file("broken.stl", &t);
        carom_context *context = open_context(2);
        for (int memory = 0; memory < 2; memory++)
        {
            io_model model;
            char expected[32], message[512];
            assert_int_equal(memory ? io_read_memory(context, t.bytes, t.size, "stl", &model)
                                    : io_read(context, path_of("broken.stl"), NULL, &model),
                             CAROM_BAD_DATA);
            carom_context_message(context, message, sizeof message);
            snprintf(expected, sizeof expected, "line %zu:", line);
            if (!strstr(message, expected))
                fail_msg("'%s' lacks '%s'", message, expected);
            io_model_free(&model);
        }
        carom_context_destroy(context);
        free(t.bytes);
    }
}

/* ---- names ---- */

static void links_are_one_file(void **state)
{
    (void)state;
    char names[4][160];
    const char *const endings[4] = {"first.obj", "soft.obj", "hard.obj", "other.obj"};
    for (int i = 0; i < 4; i++)
        snprintf(names[i], sizeof names[i], "%s/%s", folder, endings[i]);
    text t = {0};
    add(&t, "v 0 0 0\nv 1 0 0\nv 0 1 0\nvv 3\nf 1 2 3\n");
    write_file("first.obj", &t);
    write_file("other.obj", &t);
    free(t.bytes);
    assert_int_equal(symlink("first.obj", names[1]), 0);
    assert_int_equal(link(names[0], names[2]), 0);
    carom_context *context = open_context(2);
    io_request requests[4] = {{.path = names[0]}, {.path = names[1]}, {.path = names[2]}, {.path = names[3]}};
    io_result results[4];
    assert_int_equal(io_read_files(context, requests, 4, results), CAROM_OK);
    assert_ptr_equal(results[1].model.mesh, results[0].model.mesh);
    assert_ptr_equal(results[2].model.mesh, results[0].model.mesh);
    assert_ptr_not_equal(results[3].model.mesh, results[0].model.mesh);
    for (int i = 0; i < 4; i++)
    {
        assert_int_equal(results[i].model.skipped_statements, 1);
        io_model_free(&results[i].model);
    }
    /* with an error, each message has its own name */
    t = (text){0};
    add(&t, "v 0 0 0\nf 1 2 3\n");
    write_file("first.obj", &t);
    free(t.bytes);
    assert_int_equal(io_read_files(context, requests, 3, results), CAROM_BAD_DATA);
    for (int i = 0; i < 3; i++)
    {
        assert_int_equal(results[i].status, CAROM_BAD_DATA);
        assert_non_null(strstr(results[i].message, endings[i]));
        io_model_free(&results[i].model);
    }
    carom_context_destroy(context);
}

/* ---- progress ---- */

typedef struct watcher
{
    int calls, stop_at;
    char stages[256];
} watcher;

static bool watch(const carom_progress *progress, void *user)
{
    watcher *w = user;
    assert_non_null(progress->subject);
    assert_true(progress->total == 0 || progress->done <= progress->total);
    if (!strstr(w->stages, progress->stage))
    {
        size_t used = strlen(w->stages);
        snprintf(w->stages + used, sizeof w->stages - used, "%s ", progress->stage);
    }
    return ++w->calls != w->stop_at;
}

static carom_status read_and_build(carom_context *context, const char *name)
{
    io_model model = {0};
    carom_tree *tree = NULL;
    carom_status status = io_read(context, path_of(name), NULL, &model);
    if (status == CAROM_OK)
        status = carom_tree_create(context, model.mesh, NULL, &tree);
    if (status == CAROM_OK)
        status = io_write(context, path_of("copy.obj"), model.mesh, NULL);
    else
        assert_null(tree);
    carom_tree_destroy(tree);
    io_model_free(&model);
    return status;
}

/* Whichever call of the hook says stop: a status, nothing is left over, and no file. */
static void every_step_can_be_cancelled(void **state)
{
    (void)state;
    text t = make_solids(2, 20000, 0);
    write_file("solids.stl", &t);
    free(t.bytes);
    watcher w = {0};
    int cancelled = 0;
    for (w.stop_at = 1;; w.stop_at++, cancelled++)
    {
        failing memory = {0};
        carom_context_def def = carom_context_def_default();
        def.allocator = (carom_allocator){failing_allocate, failing_release, &memory};
        def.progress = watch, def.progress_user = &w;
        carom_context *context;
        assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
        w.calls = 0;
        carom_status status = read_and_build(context, "solids.stl");
        bool written = access(path_of("copy.obj"), F_OK) == 0;
        carom_context_destroy(context);
        assert_int_equal(memory.blocks_out, 0);
        /* the last call tells that all is done */
        if (status == CAROM_OK)
        {
            assert_true(written);
            break;
        }
        assert_int_equal(status, CAROM_CANCELLED);
        assert_false(written);
    }
    assert_true(cancelled >= 10);
    assert_string_equal(w.stages, "read mesh tree write ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_in_blocks_is_text_in_one_go),
        cmocka_unit_test(errors_in_blocks_have_their_line),
        cmocka_unit_test(links_are_one_file),
        cmocka_unit_test(every_step_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
