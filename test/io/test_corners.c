/* Corners of formats without vertex numbers: those at the same position to the bit are one vertex, numbered in the
 * order of first occurrence; the truth is found by sorting. For any number of workers, from files of every size, from
 * text, from memory, and where the hash table goes wrong. */
#include "support/failing.h"
#include "support/hosts.h"

#include "io/soup.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum
{
    TRIANGLES = 100000, /* a binary file of 5 MB: several batches, in pieces */
    CORNERS = 3 * TRIANGLES
};

/* Corners drawn from a set of positions, and what must become of them. */
typedef struct truth
{
    carom_vec3 corners[CORNERS], vertices[CORNERS];
    uint32_t indices[CORNERS];
    size_t corner_count, vertex_count;
} truth;

static const carom_vec3 *sorted_points; /* for qsort, which has no other way in */

static int compare_corners(const void *a, const void *b)
{
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    int order = memcmp((const void *)&sorted_points[i], (const void *)&sorted_points[k], sizeof(carom_vec3));
    return order ? order : i < k ? -1 : 1;
}

static void find_truth(truth *t)
{
    uint32_t *order = malloc(CORNERS * sizeof *order), *first = malloc(CORNERS * sizeof *first);
    assert_true(order && first);
    for (uint32_t i = 0; i < t->corner_count; i++)
        order[i] = i;
    sorted_points = t->corners;
    qsort(order, t->corner_count, sizeof *order, compare_corners);
    for (size_t i = 0; i < t->corner_count; i++)
    {
        const void *here = &t->corners[order[i]], *before = &t->corners[order[i > 0 ? i - 1 : 0]];
        bool same = i > 0 && memcmp(here, before, sizeof *t->corners) == 0;
        first[order[i]] = same ? first[order[i - 1]] : order[i];
    }
    t->vertex_count = 0;
    for (size_t i = 0; i < t->corner_count; i++)
    {
        if (first[i] == i)
        {
            t->vertices[t->vertex_count] = t->corners[i];
            t->indices[i] = (uint32_t)t->vertex_count++;
        }
        else
            t->indices[i] = t->indices[first[i]];
    }
    free(order), free(first);
}

/* `positions` different ones at most, among them zeros of both signs and denormals; floats, for binary files. Near ones
 * come one after another, as in a mesh, unless `jumps`. */
static truth *make_truth(check_random *random, size_t triangles, uint32_t positions, bool jumps)
{
    truth *t = malloc(sizeof *t);
    assert_non_null(t);
    t->corner_count = 3 * triangles;
    for (size_t i = 0; i < t->corner_count; i++)
    {
        uint64_t number = jumps ? check_next(random) : i / 6 + check_next(random) % 64;
        check_random of_position = {number % positions};
        double *out = &t->corners[i].x;
        for (int k = 0; k < 3; k++)
        {
            uint64_t kind = check_next(&of_position) % 16;
            float value = (float)check_uniform(&of_position, -10, 10);
            out[k] = kind == 0 ? 0.0 : kind == 1 ? -0.0 : kind == 2 ? (double)(value * 0x1p-140f) : (double)value;
        }
    }
    find_truth(t);
    return t;
}

static void check_arrays(const truth *t, const carom_vec3 *vertices, size_t count, const uint32_t *indices)
{
    assert_int_equal(count, t->vertex_count);
    assert_memory_equal(indices, t->indices, t->corner_count * sizeof *indices);
    assert_memory_equal(vertices, t->vertices, count * sizeof *vertices);
}

static void check_model(const truth *t, io_model *model)
{
    carom_mesh_info info = carom_mesh_get_info(model->mesh);
    assert_int_equal(3 * (size_t)info.triangle_count, t->corner_count);
    check_arrays(t, carom_mesh_vertices(model->mesh), info.vertex_count, carom_mesh_indices(model->mesh));
    io_model_free(model);
}

/* Adds the corners in batches of any size. */
static void check_batches(carom_context *context, const truth *t, size_t batch, size_t probe_limit)
{
    io_soup soup = {.context = context};
    io_corners corners = {.soup = &soup, .probe_limit = probe_limit};
    for (size_t i = 0, count; i < t->corner_count; i += count)
    {
        count = t->corner_count - i < batch ? t->corner_count - i : batch;
        assert_int_equal(io_corners_add(&corners, t->corners + i, count), CAROM_OK);
    }
    if (probe_limit > 0) /* so few are not enough: keys were given up, and then the limit */
        assert_true(corners.bad_keys > 0);
    check_arrays(t, soup.vertices.items, soup.vertices.count, soup.indices.items);
    io_corners_free(&corners);
    io_soup_free(&soup);
}

static void batches_do_not_matter(void **state)
{
    (void)state;
    check_random random = {1};
    truth *few = make_truth(&random, 20000, 300, true), *many = make_truth(&random, 20000, 1000000000, true);
    assert_true(few->vertex_count <= 300 && many->vertex_count > 50000);
    for (uint32_t i = 0; i < HOST_COUNT; i++)
    {
        carom_context_def def = host_def(i);
        carom_context *context;
        assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
        check_batches(context, few, 60000, 0);
        check_batches(context, few, 999, 0);
        check_batches(context, many, 60000, 0);
        check_batches(context, many, 7000, 0);
        check_batches(context, many, 30000, 2);
        carom_context_destroy(context);
    }
    free(few), free(many);
}

/* ---- files ---- */

static unsigned char *make_stl(const truth *t, size_t *size)
{
    uint32_t count = (uint32_t)(t->corner_count / 3);
    *size = 84 + 50 * (size_t)count;
    unsigned char *bytes = calloc(*size, 1);
    assert_non_null(bytes);
    for (int i = 0; i < 4; i++)
        bytes[80 + i] = (unsigned char)(count >> 8 * i);
    for (size_t i = 0; i < t->corner_count; i++)
    {
        float point[3] = {(float)t->corners[i].x, (float)t->corners[i].y, (float)t->corners[i].z};
        memcpy(bytes + 84 + i / 3 * 50 + 12 + i % 3 * 12, point, sizeof point);
    }
    return bytes;
}

static char *write_text(const truth *t, size_t *size)
{
    char *text = NULL, number[3][IO_NUMBER_SIZE];
    FILE *out = open_memstream(&text, size);
    assert_non_null(out);
    fputs("solid a\n", out);
    for (size_t i = 0; i < t->corner_count; i++)
    {
        io_format_number(t->corners[i].x, number[0]), io_format_number(t->corners[i].y, number[1]);
        io_format_number(t->corners[i].z, number[2]);
        fprintf(out, "%svertex %s %s %s\n%s", i % 3 == 0 ? "facet normal 0 0 0 outer loop\n" : "", number[0], number[1],
                number[2], i % 3 == 2 ? "endloop endfacet\n" : "");
    }
    fputs("endsolid\n", out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void save(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void files_pieces_and_memory_agree(void **state)
{
    (void)state;
    check_random random = {2};
    char path[] = "/tmp/carom-corners-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    static const uint32_t positions[2] = {TRIANGLES / 2, 1000000000};
    for (uint32_t round = 0; round < 2; round++)
    {
        truth *t = make_truth(&random, TRIANGLES, positions[round], round == 1);
        size_t size, text_size;
        unsigned char *bytes = make_stl(t, &size);
        char *text = write_text(t, &text_size);
        for (uint32_t i = round; i < HOST_COUNT; i += 2)
        {
            carom_context_def def = host_def(i);
            carom_context *context;
            io_model model;
            io_read_options options = {.format = "stl"};
            assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
            assert_int_equal(io_read_memory(context, bytes, size, "stl", &model), CAROM_OK);
            check_model(t, &model);
            assert_int_equal(io_read_memory(context, text, text_size, "stl", &model), CAROM_OK);
            check_model(t, &model);
            save(path, bytes, size);
            assert_int_equal(io_read(context, path, &options, &model), CAROM_OK);
            check_model(t, &model);
            save(path, text, text_size);
            assert_int_equal(io_read(context, path, &options, &model), CAROM_OK);
            check_model(t, &model);
            carom_context_destroy(context);
        }
        free(t), free(bytes), free(text);
    }
    close(file);
    unlink(path);
}

/* A bad number or a missing end in a file that is read in pieces is named as in a small one. */
static void errors_in_pieces_are_named(void **state)
{
    (void)state;
    check_random random = {3};
    char path[] = "/tmp/carom-corners-XXXXXX", message[IO_MESSAGE_SIZE];
    int file = mkstemp(path);
    assert_true(file >= 0);
    truth *t = make_truth(&random, TRIANGLES, TRIANGLES / 2, false);
    size_t size;
    unsigned char *bytes = make_stl(t, &size);
    float nan_value = NAN;
    memcpy(bytes + 84 + 50 * (size_t)77777 + 12 + 12 + 4, &nan_value, sizeof nan_value);
    save(path, bytes, size);
    carom_context *context;
    assert_int_equal(carom_context_create(NULL, &context), CAROM_OK);
    io_model model;
    io_read_options options = {.format = "stl"};
    assert_int_equal(io_read(context, path, &options, &model), CAROM_BAD_DATA);
    carom_context_message(context, message, sizeof message);
    assert_non_null(strstr(message, "triangle 77777, corner 1 at byte 3888958"));
    save(path, bytes, size - 1);
    assert_int_equal(io_read(context, path, &options, &model), CAROM_BAD_DATA);
    carom_context_message(context, message, sizeof message);
    assert_non_null(strstr(message, "truncated: the header at byte 80 says 100000 triangles, 99999 are there"));
    carom_context_destroy(context);
    close(file);
    unlink(path);
    free(t), free(bytes);
}

/* Whichever request for memory fails: a status, and nothing is left over. */
static void memory_may_run_out(void **state)
{
    (void)state;
    check_random random = {4};
    truth *t = make_truth(&random, 5000, 2000, false);
    failing memory = {0};
    carom_context *context;
    assert_int_equal(failing_context(&memory, &context), CAROM_OK);
    uint64_t before = memory.blocks_out, failures = 0;
    for (bool failed = true; failed;)
    {
        io_soup soup = {.context = context};
        io_corners corners = {.soup = &soup};
        carom_status status = CAROM_OK;
        failing_arm(&memory, failures + 1);
        for (size_t i = 0; i < t->corner_count && status == CAROM_OK; i += 5000)
            status = io_corners_add(&corners, t->corners + i, 5000);
        failed = memory.failed;
        assert_int_equal(status, failed ? CAROM_OUT_OF_MEMORY : CAROM_OK);
        failures += failed;
        io_corners_free(&corners);
        io_soup_free(&soup);
        assert_int_equal(memory.blocks_out, before);
    }
    assert_true(failures >= 4);
    carom_context_destroy(context);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_do_not_matter),
        cmocka_unit_test(files_pieces_and_memory_agree),
        cmocka_unit_test(errors_in_pieces_are_named),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
