/* Readers and writers: the public seeds, files that must be refused, round trips, polygons, what failure leaves. */
#include "support/data.h"
#include "support/failing.h"

#include "carom/io.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct fixture
{
    carom_context *context;
    char folder[64];
} fixture;

static int set_up(void **state)
{
    fixture *made = calloc(1, sizeof *made);
    strcpy(made->folder, "/tmp/carom-io-XXXXXX");
    if (!made || !mkdtemp(made->folder) || carom_context_create(NULL, &made->context) != CAROM_OK)
        return -1;
    *state = made;
    return 0;
}

static int tear_down(void **state)
{
    fixture *made = *state;
    carom_context_destroy(made->context);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", made->folder);
    int result = system(command);
    free(made);
    return result;
}

static carom_status read_text(fixture *f, const char *text, const char *format, io_model *model)
{
    return io_read_memory(f->context, text, strlen(text), format, model);
}

static const char *message(fixture *f)
{
    static char text[512];
    carom_context_message(f->context, text, sizeof text);
    return text;
}

static void check_message(fixture *f, const char *part)
{
    if (!strstr(message(f), part))
        fail_msg("'%s' is not in the message '%s'", part, message(f));
}

/* ---- the data set ---- */

/* Calls check for every file of a folder with one of our formats; returns how many. */
static int for_each_file(const char *folder, void (*check)(fixture *, const char *), fixture *f)
{
    char path[1024];
    char name[256];
    snprintf(name, sizeof name, "meshfiles/%s", folder);
    data_find(name, path, sizeof path);
    DIR *directory = opendir(path);
    assert_non_null(directory);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
    {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || (strcmp(dot, ".obj") != 0 && strcmp(dot, ".stl") != 0))
            continue;
        snprintf(path, sizeof path, "%s/%s/%s", data_folder(), name, entry->d_name);
        check(f, path);
        count++;
    }
    closedir(directory);
    return count;
}

static const struct
{
    const char *file;
    uint32_t triangles;
} seed_counts[] = {
    {"OBJ_box.obj", 12},
    {"OBJ_box_UTF16BE.obj", 12},
    {"OBJ_box_without_lineending.obj", 12},
    {"OBJ_testmixed.obj", 12},
    {"OBJ_point_cloud.obj", 0},
    {"OBJ_testline.obj", 0},
    {"OBJ_testpoints.obj", 0},
    {"OBJ_cube_with_vertexcolors.obj", 12},
    {"OBJ_concave_polygon.obj", 64},
    {"OBJ_regr_3429812.obj", 4},
    {"STL_triangle.stl", 1},
    {"STL_triangle_with_empty_solid.stl", 1},
    {"STL_triangle_with_two_solids.stl", 2},
    {"OBJ_number_formats.obj", 1},
    {"OBJ_multiple_spaces.obj", 1},
};

static void check_seed(fixture *f, const char *path)
{
    io_model model;
    if (io_read(f->context, path, NULL, &model) != CAROM_OK)
        fail_msg("%s: %s", path, message(f));
    uint32_t triangles = carom_mesh_get_info(model.mesh).triangle_count;
    for (size_t i = 0; i < sizeof seed_counts / sizeof *seed_counts; i++)
        if (strcmp(strrchr(path, '/') + 1, seed_counts[i].file) == 0 && seed_counts[i].triangles != triangles)
            fail_msg("%s: %u triangles instead of %u", path, triangles, seed_counts[i].triangles);
    io_model_free(&model);
}

static void loads_every_seed(void **state) { assert_true(for_each_file("seeds", check_seed, *state) >= 17); }

static void check_malformed(fixture *f, const char *path)
{
    io_model model;
    assert_int_equal(io_read(f->context, path, NULL, &model), CAROM_BAD_DATA);
    check_message(f, strrchr(path, '/') + 1);
    assert_null(model.mesh);
    io_model_free(&model);
}

static void refuses_malformed_files(void **state)
{
    assert_true(for_each_file("malformed", check_malformed, *state) >= 3);
}

/* ---- refusals ---- */

static void names_the_culprit(void **state)
{
    fixture *f = *state;
    static const struct
    {
        const char *format, *text, *part;
    } cases[] = {
        {"obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "line 4: vertex index '4', but 3"},
        {"obj", "v 0 0 0\nf -2 1 1\n", "line 2: vertex index '-2'"},
        {"obj", "v 0 0 0\nf 0 1 1\n", "line 2: corner '0'"},
        {"obj", "v 0 0 0\nf 1 1\n", "line 2: a face has 2 corners"},
        {"obj", "v 0 0 0\nf 1/1/1/1 1 1\n", "corner '1/1/1/1'"},
        {"obj", "v 0 nan 0\n", "line 1: coordinate 'nan' is not"},
        {"obj", "v 0 1x 0\n", "coordinate '1x'"},
        {"obj", "\n\nv 0 1\nv 1 1 1\n", "line 3: a point has 2 coordinates"},
        {"obj", "v 0 0 1e31\n", "beyond 2^100"},
        {"obj", "v 0 0 1e999\n", "beyond 2^100"},
        {"obj", "v 0 0 0\nf 99999999999999999999999 1 1\n", "line 2: vertex index '99999999999999999999999', but 1"},
        {"obj", "what is this\n", "'what' is not an OBJ statement"},
        {"obj", "", "empty"},
        {"stl", "", "empty"},
        {"stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0", "a point has 2"},
        {"stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop",
         "'endloop' where 'vertex'"},
        {"stl", "solid a\n", "ends where 'endsolid'"},
        {"stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 inf 0", "line 4: coordinate 'inf'"},
        {"stl", "solid a\nendsolid\nrubbish", "line 3: 'rubbish' where 'solid'"},
        {"stl", "short", "5 bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        io_model model;
        carom_status status = read_text(f, cases[i].text, cases[i].format, &model);
        if (status != CAROM_BAD_DATA)
            fail_msg("case %zu: %s", i, carom_status_name(status));
        check_message(f, cases[i].part);
        io_model_free(&model);
    }
    io_model model;
    assert_int_equal(read_text(f, "v 0 0 0", "step", &model), CAROM_INVALID_ARGUMENT);
    check_message(f, "'step'");
    assert_int_equal(io_read(f->context, "/tmp", NULL, &model), CAROM_IO_ERROR);
    check_message(f, "/tmp: is a directory");
    assert_int_equal(io_read(f->context, "/nonexistent.stl", NULL, &model), CAROM_IO_ERROR);
    check_message(f, "/nonexistent.stl: can't be opened");
    assert_int_equal(io_read(f->context, "/dev/zero", NULL, &model), CAROM_IO_ERROR);
    assert_int_equal(io_read(f->context, "/etc/passwd", NULL, &model), CAROM_UNSUPPORTED);
    check_message(f, "known: stl, obj");
}

static size_t make_binary_stl(unsigned char *bytes, const char *header, uint32_t count, uint32_t present)
{
    memset(bytes, 0, 84 + 50 * (size_t)present);
    strncpy((char *)bytes, header, 80);
    memcpy(bytes + 80, &count, 4);
    for (uint32_t i = 0; i < present; i++)
    {
        float corners[9] = {0, 0, (float)i, 1, 0, (float)i, 0, 1, (float)i};
        memcpy(bytes + 84 + 50 * (size_t)i + 12, corners, sizeof corners);
    }
    return 84 + 50 * (size_t)present;
}

static void distinguishes_binary_from_text(void **state)
{
    fixture *f = *state;
    unsigned char bytes[84 + 50 * 10];
    io_model model;
    size_t size = make_binary_stl(bytes, "solid facet normal", 10, 10);
    assert_int_equal(io_read_memory(f->context, bytes, size, "stl", &model), CAROM_OK);
    assert_int_equal(carom_mesh_get_info(model.mesh).triangle_count, 10);
    io_model_free(&model);

    size = make_binary_stl(bytes, "solid", 11, 10);
    assert_int_equal(io_read_memory(f->context, bytes, size, "stl", &model), CAROM_BAD_DATA);
    check_message(f, "says 11 triangles, 10 are there");
    size = make_binary_stl(bytes, "", 0xffffffff, 10);
    assert_int_equal(io_read_memory(f->context, bytes, size, "stl", &model), CAROM_BAD_DATA);
    size = make_binary_stl(bytes, "", 0, 1);
    assert_int_equal(io_read_memory(f->context, bytes, size, "stl", &model), CAROM_BAD_DATA);
    size = make_binary_stl(bytes, "", 0, 0);
    assert_int_equal(io_read_memory(f->context, bytes, size, "stl", &model), CAROM_OK);
    io_model_free(&model);

    size = make_binary_stl(bytes, "", 2, 2);
    float bad = NAN;
    memcpy(bytes + 84 + 50 + 12 + 16, &bad, 4);
    assert_int_equal(io_read_memory(f->context, bytes, size, "stl", &model), CAROM_BAD_DATA);
    check_message(f, "triangle 1, corner 1 at byte 158");
}

/* ---- what OBJ files do ---- */

static void reads_obj_forms(void **state)
{
    fixture *f = *state;
    static const char *const forms[] = {
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
        "v 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\nf 1 2 3",
        "v 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3",
        "\xef\xbb\xbfv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/1 2/2 3/3",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1//1 2//1 3//1 # face",
        "v 0 0 0 1\nv 1 0 0 .5 .5 .5\nv 0 1 0\nf 1/1/1 2/1/1 3/1/1",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1",
        "v 0 0 \\\n 0\nv 1 0 0\nv 0 1 0\nf 1 2 \\\r\n 3",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\np 1 2\nl 1 2\nusemtl x\ncurv 1 2\nf 1/ 2/ 3/",
        "\xff\xfev\0 \0\060\0 \0\060\0 \0\060\0\n\0",
    };
    static const carom_vec3 corners[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    {
        io_model model;
        bool utf16 = i + 1 == sizeof forms / sizeof *forms;
        size_t size = utf16 ? 16 : strlen(forms[i]);
        if (io_read_memory(f->context, forms[i], size, "obj", &model) != CAROM_OK)
            fail_msg("form %zu: %s", i, message(f));
        assert_int_equal(carom_mesh_get_info(model.mesh).triangle_count, utf16 ? 0 : 1);
        if (!utf16)
            assert_memory_equal(carom_mesh_vertices(model.mesh), corners, sizeof corners);
        io_model_free(&model);
    }
}

static void keeps_part_names(void **state)
{
    fixture *f = *state;
    io_model model;
    const char *text = "v 0 0 0\nv 1 0 0\nv 0 1 0\no left wing \nf 1 2 3\nf 1 2 3\ng unused\ng right\nf 3 2 1\n";
    assert_int_equal(read_text(f, text, "obj", &model), CAROM_OK);
    assert_int_equal(model.part_count, 2);
    assert_string_equal(io_part_name(&model, 0), "left wing");
    assert_int_equal(model.parts[0].triangle_count, 2);
    assert_string_equal(io_part_name(&model, 1), "right");
    assert_int_equal(model.parts[1].first_triangle, 2);
    assert_int_equal(model.parts[1].triangle_count, 1);
    assert_string_equal(io_part_name(&model, 2), "");
    io_model_free(&model);
}

/* ---- polygons ---- */

static double triangle_area_z(const carom_mesh *mesh, uint32_t triangle)
{
    const uint32_t *index = carom_mesh_indices(mesh) + 3 * (size_t)triangle;
    const carom_vec3 *v = carom_mesh_vertices(mesh);
    carom_vec3 a = v[index[0]], b = v[index[1]], c = v[index[2]];
    return ((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)) / 2;
}

/* Random star-shaped polygons, very concave, clockwise and not, in any plane: if no triangle is turned over and the
 * areas add up to the polygon's, they cover it without overlap. */
static void triangulates_concave_polygons(void **state)
{
    fixture *f = *state;
    check_random random = {3};
    static char text[200000];
    for (int round = 0; round < 300; round++)
    {
        int corners = 4 + (int)(check_next(&random) % 60);
        bool clockwise = round % 2;
        double expected = 0, x0 = 0, y0 = 0, px = 0, py = 0;
        size_t at = 0;
        for (int i = 0; i < corners; i++)
        {
            double angle = 2 * 3.141592653589793 * (clockwise ? -i : i) / corners,
                   radius = check_uniform(&random, 0.05, 1);
            double x = radius * cos(angle), y = radius * sin(angle);
            at += (size_t)sprintf(text + at, "v %.17g %.17g %.17g\n", x, y, round % 3 ? 0.5 * x - 0.25 * y : 0.0);
            if (i > 0)
                expected += (px * y - py * x) / 2;
            else
                x0 = x, y0 = y;
            px = x, py = y;
        }
        expected += (px * y0 - py * x0) / 2;
        at += (size_t)sprintf(text + at, "f");
        for (int i = 1; i <= corners; i++)
            at += (size_t)sprintf(text + at, " %d", i);
        io_model model;
        assert_int_equal(read_text(f, text, "obj", &model), CAROM_OK);
        uint32_t count = carom_mesh_get_info(model.mesh).triangle_count;
        assert_int_equal(count, corners - 2);
        double sum = 0;
        for (uint32_t i = 0; i < count; i++)
        {
            double area = triangle_area_z(model.mesh, i);
            if (area * expected < -1e-18)
                fail_msg("round %d: triangle %u of %u is turned over", round, i, count);
            sum += area;
        }
        check_near(sum, expected, 1e-12);
        io_model_free(&model);
    }
}

static void bounds_hostile_polygons(void **state)
{
    fixture *f = *state;
    /* a comb of 20,000 corners, and a polygon that crosses itself everywhere */
    size_t capacity = 4000000, at = 0;
    char *text = malloc(capacity);
    int corners = 20000;
    check_random random = {5};
    for (int i = 0; i < corners; i++)
        at += (size_t)sprintf(text + at, "v %.9g %.9g 0\n", check_uniform(&random, 0, 1), check_uniform(&random, 0, 1));
    at += (size_t)sprintf(text + at, "f");
    for (int i = 1; i <= corners; i++)
        at += (size_t)sprintf(text + at, " %d", i);
    io_model model;
    carom_status status = io_read_memory(f->context, text, at, "obj", &model);
    assert_true(status == CAROM_OK || status == CAROM_BAD_DATA);
    io_model_free(&model);
    free(text);
}

/* ---- round trips ---- */

static carom_mesh *random_mesh(fixture *f, uint32_t triangles, bool floats)
{
    check_random random = {triangles};
    double *vertices = malloc(9 * sizeof *vertices * triangles);
    for (uint32_t i = 0; i < 9 * triangles; i++)
    {
        vertices[i] = check_uniform(&random, -10, 10) * pow(10, check_uniform(&random, -20, 20));
        if (floats)
            vertices[i] = (double)(float)vertices[i];
    }
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = (const double *)vertices;
    def.vertex_count = 3 * (size_t)triangles;
    def.unindexed = true;
    def.triangle_count = triangles;
    carom_mesh *mesh;
    assert_int_equal(carom_mesh_create(f->context, &def, &mesh), CAROM_OK);
    free(vertices);
    return mesh;
}

static void reads_back_what_was_written(void **state)
{
    fixture *f = *state;
    static const struct
    {
        const char *file;
        bool text, floats;
    } cases[] = {{"a.obj", false, false}, {"b.stl", false, true}, {"c.STL", true, false}, {"d.stl", true, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint32_t triangles = 0; triangles <= 3000; triangles += 1500)
        {
            carom_mesh *mesh = random_mesh(f, triangles, cases[i].floats);
            char path[128];
            snprintf(path, sizeof path, "%s/%s", f->folder, cases[i].file);
            io_write_options options = {.text = cases[i].text};
            assert_int_equal(io_write(f->context, path, mesh, &options), CAROM_OK);
            io_model model;
            if (io_read(f->context, path, NULL, &model) != CAROM_OK)
                fail_msg("%s", message(f));
            assert_int_equal(carom_mesh_get_info(model.mesh).triangle_count, triangles);
            if (triangles > 0)
                assert_memory_equal(carom_mesh_vertices(model.mesh), carom_mesh_vertices(mesh),
                                    3 * triangles * sizeof(carom_vec3));
            io_model_free(&model);
            carom_mesh_destroy(mesh);
        }
}

static int files_in(const char *folder)
{
    int count = 0;
    DIR *directory = opendir(folder);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

static void leaves_nothing_behind(void **state)
{
    fixture *f = *state;
    carom_mesh *mesh = random_mesh(f, 5000, true);
    char folder[128], path[160];
    snprintf(folder, sizeof folder, "%s/out", f->folder);
    assert_int_equal(mkdir(folder, 0777), 0);

    /* the disk is full after 64 KB, simulated by a limit on file sizes */
    struct rlimit old, small = {65536, 65536};
    getrlimit(RLIMIT_FSIZE, &old);
    small.rlim_max = old.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    snprintf(path, sizeof path, "%s/big.stl", folder);
    carom_status status = io_write(f->context, path, mesh, NULL);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_int_equal(status, CAROM_IO_ERROR);
    check_message(f, "big.stl: can't be written");
    assert_int_equal(files_in(folder), 0);

    /* a target that is a folder, or in none */
    snprintf(path, sizeof path, "%s/sub.stl", folder);
    assert_int_equal(mkdir(path, 0777), 0);
    assert_int_equal(io_write(f->context, path, mesh, NULL), CAROM_IO_ERROR);
    assert_int_equal(files_in(folder), 1);
    snprintf(path, sizeof path, "%s/none/x.stl", folder);
    assert_int_equal(io_write(f->context, path, mesh, NULL), CAROM_IO_ERROR);
    snprintf(path, sizeof path, "%s/x.xyz", folder);
    assert_int_equal(io_write(f->context, path, mesh, NULL), CAROM_UNSUPPORTED);
    assert_int_equal(files_in(folder), 1);
    assert_int_equal(io_write(f->context, "/dev/full", mesh, &(io_write_options){.format = "stl"}), CAROM_IO_ERROR);
    carom_mesh_destroy(mesh);
}

/* ---- every allocation fails once ---- */

static void survives_failing_allocations(void **state)
{
    fixture *f = *state;
    static const char text[] =
        "\xef\xbb\xbfo a\nv 0 0 0\nv 2 0 0\nv 1 .5 0\nv 2 2 0\nv 0 2 0\nv 1 1.5 0\nf 1 2 3 4 6 5\n";
    char path[128];
    snprintf(path, sizeof path, "%s/alloc.obj", f->folder);
    uint64_t k = 1;
    for (;; k++)
    {
        failing memory = {.fail_at = k};
        carom_context *context;
        carom_status status = failing_context(&memory, &context);
        if (status == CAROM_OK)
        {
            io_model model;
            status = io_read_memory(context, text, sizeof text - 1, "obj", &model);
            if (status == CAROM_OK)
                status = io_write(context, path, model.mesh, NULL);
            io_model_free(&model);
            if (status == CAROM_OK)
                status = io_read(context, path, NULL, &model);
            io_model_free(&model);
            carom_context_destroy(context);
        }
        assert_int_equal(memory.blocks_out, 0);
        if (status == CAROM_OK)
            break;
        assert_int_equal(status, CAROM_OUT_OF_MEMORY);
        assert_true(k < 1000);
    }
    assert_true(k > 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_every_seed),
        cmocka_unit_test(refuses_malformed_files),
        cmocka_unit_test(names_the_culprit),
        cmocka_unit_test(distinguishes_binary_from_text),
        cmocka_unit_test(reads_obj_forms),
        cmocka_unit_test(keeps_part_names),
        cmocka_unit_test(triangulates_concave_polygons),
        cmocka_unit_test(bounds_hostile_polygons),
        cmocka_unit_test(reads_back_what_was_written),
        cmocka_unit_test(leaves_nothing_behind),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
