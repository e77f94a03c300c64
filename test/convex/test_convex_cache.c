/* Pieces from a folder: made once, found again, and never worse than new ones whatever is in the folder. */
#include "convex/stored.h"
#include "scenes/generate.h"
#include "support/check.h"
#include "support/failing.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct cache_fixture
{
    carom_context *context;
    carom_mesh *mesh;
    convex_pieces *fresh;
    char folder[64], path[128]; /* path: the only file */
    unsigned char *file;        /* its bytes, as they were written */
    size_t size;
    int warnings;
} cache_fixture;

static void count_warnings(carom_log_level level, const char *message, void *user)
{
    (void)message;
    if (level <= CAROM_LOG_WARNING)
        ((cache_fixture *)user)->warnings++;
}

static void write_bytes(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static unsigned char *read_bytes(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = aligned_alloc(BASE_CACHE_LINE, *size / BASE_CACHE_LINE * BASE_CACHE_LINE + BASE_CACHE_LINE);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

/* The name of the only file; its number: how many there are. */
static int find_file(cache_fixture *f)
{
    int count = 0;
    DIR *folder = opendir(f->folder);
    for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;)
        if (entry->d_name[0] != '.')
            snprintf(f->path, sizeof f->path, "%s/%.48s", f->folder, entry->d_name), count++;
    if (folder)
        closedir(folder);
    return count;
}

/* The pieces by way of the folder must be the fresh ones, to the byte. */
static void check_cached(cache_fixture *f)
{
    convex_pieces *cached;
    assert_int_equal(convex_pieces_create_cached(f->context, f->mesh, f->folder, &cached), CAROM_OK);
    assert_int_equal(cached->size, f->fresh->size);
    assert_memory_equal(cached, f->fresh, f->fresh->size);
    convex_pieces_destroy(f->context, cached);
}

static int open_fixture(void **state)
{
    cache_fixture *f = calloc(1, sizeof *f);
    carom_context_def def = carom_context_def_default();
    def.log = count_warnings, def.log_user = f;
    strcpy(f->folder, "/tmp/carom_pieces_XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    assert_int_equal(carom_context_create(&def, &f->context), CAROM_OK);
    generate_def shape = generate_def_default(GENERATE_TORUS);
    shape.triangles = 200;
    assert_int_equal(generate_mesh(f->context, &shape, &f->mesh), CAROM_OK);
    assert_int_equal(convex_pieces_create(f->context, f->mesh, &f->fresh), CAROM_OK);
    check_cached(f);
    assert_int_equal(find_file(f), 1);
    f->file = read_bytes(f->path, &f->size);
    return *state = f, 0;
}

static int close_fixture(void **state)
{
    cache_fixture *f = *state;
    remove(f->path);
    assert_int_equal(rmdir(f->folder), 0);
    convex_pieces_destroy(f->context, f->fresh);
    carom_mesh_destroy(f->mesh);
    carom_context_destroy(f->context);
    free(f->file);
    free(f);
    return 0;
}

static void test_found_again(void **state)
{
    cache_fixture *f = *state;
    for (int i = 0; i < 3; i++)
        check_cached(f);
    assert_int_equal(f->warnings, 0);
    assert_int_equal(find_file(f), 1);
    size_t size;
    unsigned char *file = read_bytes(f->path, &size);
    assert_int_equal(size, f->size);
    assert_memory_equal(file, f->file, size);
    free(file);
}

/* A block whose checksum is right is used: with another order of a piece's children, say, the result shows it. */
static void seal(unsigned char *block, size_t size)
{
    uint64_t checksum = stored_checksum(block, size);
    memcpy(block + offsetof(stored_header, checksum), &checksum, sizeof checksum);
}

static void test_the_file_is_read(void **state)
{
    cache_fixture *f = *state;
    unsigned char *copy = malloc(f->size);
    memcpy(copy, f->file, f->size);
    convex_pieces *pieces = (convex_pieces *)(void *)(copy + sizeof(stored_header));
    convex_node *root = (convex_node *)(void *)((char *)pieces + pieces->offset[CONVEX_NODES]);
    root->box.half[0] *= 2;
    seal(copy, f->size);
    write_bytes(f->path, copy, f->size);
    convex_pieces *cached;
    assert_int_equal(convex_pieces_create_cached(f->context, f->mesh, f->folder, &cached), CAROM_OK);
    assert_true(convex_nodes(cached)->box.half[0] == root->box.half[0]);
    convex_pieces_destroy(f->context, cached);
    free(copy);
    write_bytes(f->path, f->file, f->size);
}

/* Any damage is noticed: the pieces are made again, with one warning, and stored again. */
static void test_damage(void **state)
{
    cache_fixture *f = *state;
    unsigned char *copy = malloc(f->size + 8);
    size_t rounds = 0;
    for (size_t at = 0; at < f->size; at += at < 512 ? 1 : f->size / 97 + 1, rounds++)
    {
        memcpy(copy, f->file, f->size);
        copy[at] ^= (unsigned char)(1u << at % 8);
        write_bytes(f->path, copy, f->size);
        f->warnings = 0;
        check_cached(f);
        assert_int_equal(f->warnings, 1);
        check_cached(f);
        assert_int_equal(f->warnings, 1);
    }
    assert_true(rounds > 500);
    memcpy(copy, f->file, f->size);
    memset(copy + f->size, 0, 8);
    static const size_t cuts[] = {1, 7, 8, 63, 64, 65, 100, 300, 1000};
    for (size_t i = 0; i < 2 * sizeof cuts / sizeof *cuts; i++)
    {
        size_t size = i % 2 ? cuts[i / 2] : f->size - cuts[i / 2];
        write_bytes(f->path, copy, size);
        f->warnings = 0;
        check_cached(f);
        assert_int_equal(f->warnings, 1);
    }
    write_bytes(f->path, copy, f->size + 8);
    f->warnings = 0;
    check_cached(f);
    assert_int_equal(f->warnings, 1);
    f->warnings = 0;
    free(copy);
}

/* Everything that a reader does with pieces. */
static void use(cache_fixture *f, const convex_pieces *pieces)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < pieces->node_count; i++)
    {
        const convex_node *node = convex_nodes(pieces) + i;
        uint32_t *list = malloc((node->index_count + 1) * sizeof *list);
        convex_decode_strips(pieces, node, list);
        for (uint32_t k = 0; k < node->index_count; k++)
            sum += list[k] == CONVEX_NONE ? 0 : (uint64_t)carom_mesh_vertices(f->mesh)[list[k]].x;
        free(list);
    }
    uint32_t *list = malloc((pieces->mesh_index_count + 1) * sizeof *list);
    convex_decode_mesh_strips(pieces, f->mesh, list);
    free(list);
    (void)sum;
    carom_status status = convex_check(f->context, f->mesh, pieces);
    assert_true(status == CAROM_OK || status == CAROM_BAD_DATA);
}

/* Blocks with right checksums and wrong contents: refused, or safe to use. Sanitizers watch. */
static void test_forged(void **state)
{
    cache_fixture *f = *state;
    check_random random = {20240611};
    unsigned char *copy = aligned_alloc(BASE_CACHE_LINE, f->size / BASE_CACHE_LINE * BASE_CACHE_LINE + BASE_CACHE_LINE);
    uint32_t refused = 0, accepted = 0;
    for (int round = 0; round < 6000; round++)
    {
        memcpy(copy, f->file, f->size);
        size_t space = round % 3 == 0 ? sizeof(stored_header) + sizeof(convex_pieces) : f->size;
        for (int k = 0; k <= round % 2; k++)
        {
            size_t word = (size_t)check_uniform(&random, 0, (double)space / 4);
            uint32_t value, kind = (uint32_t)check_uniform(&random, 0, 6);
            memcpy(&value, copy + 4 * word, sizeof value);
            value = kind == 0   ? value + 1
                    : kind == 1 ? value - 1
                    : kind == 2 ? 0
                    : kind == 3 ? UINT32_MAX
                    : kind == 4 ? value ^ 1u << (uint32_t)check_uniform(&random, 0, 32)
                                : (uint32_t)check_uniform(&random, 0, 4294967295.0);
            memcpy(copy + 4 * word, &value, sizeof value);
        }
        seal(copy, f->size);
        const convex_pieces *pieces = (const convex_pieces *)(const void *)(copy + sizeof(stored_header));
        bool fine = !stored_complaint(f->context, f->mesh, copy, f->size);
        refused += !fine, accepted += fine;
        if (fine)
            use(f, pieces);
    }
    print_message("%u blocks refused, %u accepted\n", refused, accepted);
    assert_true(refused > 2000 && accepted > 100);
    free(copy);
}

/* What each part of the check is there for: a block that is wrong in just one respect is refused for that. */
static void expect_complaint(cache_fixture *f, const unsigned char *copy, const char *wanted)
{
    unsigned char *sealed =
        aligned_alloc(BASE_CACHE_LINE, f->size / BASE_CACHE_LINE * BASE_CACHE_LINE + BASE_CACHE_LINE);
    memcpy(sealed, copy, f->size);
    seal(sealed, f->size);
    const char *complaint = stored_complaint(f->context, f->mesh, sealed, f->size);
    assert_string_equal(complaint ? complaint : "nothing", wanted);
    free(sealed);
}

static void test_each_complaint(void **state)
{
    cache_fixture *f = *state;
    unsigned char *copy = malloc(f->size);
    convex_pieces *p = (convex_pieces *)(void *)(copy + sizeof(stored_header));
#define DAMAGE(change, wanted) memcpy(copy, f->file, f->size), change, expect_complaint(f, copy, wanted)
#define ITEMS(type, array)     ((type *)(void *)((char *)p + p->offset[array]))
    DAMAGE((void)0, "nothing");
    DAMAGE(p->piece_count--, "its sizes are wrong");
    DAMAGE(p->offset[CONVEX_FACETS] += 64, "its sizes are wrong");
    DAMAGE(p->count[CONVEX_BITS] = UINT64_MAX / 2, "its sizes are wrong");
    DAMAGE(ITEMS(uint32_t, CONVEX_PIECE_FIRST)[1] = 0, "its lists of triangles are wrong");
    DAMAGE(ITEMS(uint32_t, CONVEX_TRIANGLES)[0] = ITEMS(uint32_t, CONVEX_TRIANGLES)[1],
           "its lists of triangles are wrong");
    DAMAGE(ITEMS(convex_node, CONVEX_NODES)[0].parent = 0, "its nodes are wrong");
    DAMAGE(ITEMS(convex_node, CONVEX_NODES)[1].parent = 1, "its nodes are wrong");
    DAMAGE(ITEMS(convex_node, CONVEX_NODES)[p->node_count - 1].piece =
               ITEMS(convex_node, CONVEX_NODES)[p->node_count - 2].piece,
           "its nodes are wrong");
    DAMAGE(ITEMS(convex_node, CONVEX_NODES)[2].vertex_first = p->count[CONVEX_VERTICES], "its hulls are wrong");
    DAMAGE(ITEMS(uint32_t, CONVEX_VERTICES)[0] = UINT32_MAX - 1, "its hulls are wrong");
    DAMAGE(ITEMS(uint32_t, CONVEX_FACETS)[0] = UINT32_MAX, "its hulls are wrong");
    DAMAGE(ITEMS(uint32_t, CONVEX_NEIGHBOURS)[4] = UINT32_MAX, "its hulls are wrong");
    DAMAGE(ITEMS(convex_node, CONVEX_NODES)[0].box.half[1] *= 0.5, "its boxes are wrong");
    DAMAGE(ITEMS(convex_node, CONVEX_NODES)[0].box.half[1] = INFINITY, "its boxes are wrong");
    DAMAGE(ITEMS(convex_node, CONVEX_NODES)[0].index_count++, "its strips are wrong");
    DAMAGE(ITEMS(convex_strip, CONVEX_STRIPS)[0].count++, "its strips are wrong");
    DAMAGE(p->mesh_index_count--, "its strips are wrong");
    DAMAGE(p->mesh_strip_first++, "its strips are wrong");
#undef DAMAGE
#undef ITEMS
    free(copy);
}

static void test_a_folder_that_is_none(void **state)
{
    cache_fixture *f = *state;
    convex_pieces *cached;
    carom_pieces *pieces;
    f->warnings = 0;
    assert_int_equal(convex_pieces_create_cached(f->context, f->mesh, "/nonexistent/folder", &cached), CAROM_OK);
    assert_memory_equal(cached, f->fresh, f->fresh->size);
    assert_int_equal(f->warnings, 1);
    convex_pieces_destroy(f->context, cached);
    assert_int_equal(carom_pieces_create_cached(f->context, f->mesh, "", &pieces), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_pieces_create_cached(f->context, NULL, f->folder, &pieces), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_pieces_create_cached(f->context, f->mesh, f->folder, &pieces), CAROM_OK);
    assert_int_equal(carom_pieces_check(pieces), CAROM_OK);
    carom_pieces_destroy(pieces);
}

/* Without memory there is a status, or at least pieces; no leak, no half file. */
static void test_failing_memory(void **state)
{
    cache_fixture *f = *state;
    failing memory = {0};
    carom_context *context;
    assert_int_equal(failing_context(&memory, &context), CAROM_OK);
    uint64_t blocks = memory.blocks_out, failures = 0;
    for (uint64_t k = 1; k < 400; k += 1 + k / 16)
    {
        convex_pieces *pieces;
        failing_arm(&memory, k);
        if (k % 2)
            write_bytes(f->path, f->file, f->size / 2);
        carom_status status = convex_pieces_create_cached(context, f->mesh, f->folder, &pieces);
        assert_true(status == CAROM_OK || (status == CAROM_OUT_OF_MEMORY && memory.failed));
        if (status == CAROM_OK)
            assert_memory_equal(pieces, f->fresh, f->fresh->size);
        convex_pieces_destroy(context, pieces);
        assert_int_equal(memory.blocks_out, blocks);
        failures += memory.failed;
    }
    assert_true(failures > 20);
    carom_context_destroy(context);
    write_bytes(f->path, f->file, f->size);
    assert_int_equal(find_file(f), 1);
}

/* Files outlive the library that wrote them: the pieces of a fixed mesh change only together with STORED_FORMAT. */
static void test_recorded(void **state)
{
    enum
    {
        SIDE = 21
    };
    static const int RECORDED_FORMAT = 2;
    static const uint64_t RECORDED = 0x7edc4f2be488ccc1;
    cache_fixture *f = *state;
    static double vertices[3 * SIDE * SIDE];
    static uint32_t indices[6 * (SIDE - 1) * (SIDE - 1)];
    uint32_t n = 0;
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
    {
        double x = i % SIDE, y = i / SIDE;
        vertices[3 * i] = x, vertices[3 * i + 1] = y, vertices[3 * i + 2] = 0.125 * ((i * 7 + i / SIDE * 3) % 11);
    }
    for (uint32_t i = 0; i + SIDE < SIDE * SIDE; i++)
        if (i % SIDE + 1 < SIDE)
        {
            uint32_t corners[6] = {i, i + 1, i + SIDE, i + 1, i + SIDE + 1, i + SIDE};
            memcpy(indices + n, corners, sizeof corners), n += 6;
        }
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = vertices, def.vertex_count = SIDE * SIDE;
    def.indices_u32 = indices, def.triangle_count = n / 3;
    carom_mesh *mesh;
    convex_pieces *pieces;
    assert_int_equal(carom_mesh_create(f->context, &def, &mesh), CAROM_OK);
    assert_int_equal(convex_pieces_create(f->context, mesh, &pieces), CAROM_OK);
    base_hash hash = base_hash_begin();
    base_hash_bytes(&hash, pieces, pieces->size);
    if (STORED_FORMAT != RECORDED_FORMAT || base_hash_end(&hash) != RECORDED)
        fail_msg("the pieces have changed: raise STORED_FORMAT and record format %d, hash 0x%016llx", STORED_FORMAT,
                 (unsigned long long)base_hash_end(&hash));
    convex_pieces_destroy(f->context, pieces);
    carom_mesh_destroy(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found_again),    cmocka_unit_test(test_the_file_is_read),
        cmocka_unit_test(test_damage),         cmocka_unit_test(test_forged),
        cmocka_unit_test(test_each_complaint), cmocka_unit_test(test_a_folder_that_is_none),
        cmocka_unit_test(test_failing_memory), cmocka_unit_test(test_recorded),
    };
    return cmocka_run_group_tests(tests, open_fixture, close_fixture);
}
