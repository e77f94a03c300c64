/* Trees from a folder: built once, found again, never worse than a new build whatever is in the folder. */
#include "query/world.h"
#include "tree/baked.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct cache_world
{
    world base;
    char folder[64];
    int warnings;
} cache_world;

static void count_warnings(carom_log_level level, const char *message, void *user)
{
    (void)message;
    if (level <= CAROM_LOG_WARNING)
        ((cache_world *)user)->warnings++;
}

static void open_world(cache_world *w)
{
    *w = (cache_world){.folder = "/tmp/carom_cache_XXXXXX"};
    assert_non_null(mkdtemp(w->folder));
    carom_context_def def = carom_context_def_default();
    def.log = count_warnings, def.log_user = w;
    assert_int_equal(carom_context_create(&def, &w->base.context), CAROM_OK);
    assert_int_equal(carom_query_create(w->base.context, &w->base.query), CAROM_OK);
}

/* Calls `visit` for each file of the folder, or only counts them. */
static int each_file(const cache_world *w, void (*visit)(const char *path))
{
    int count = 0;
    DIR *directory = opendir(w->folder);
    for (struct dirent *entry; directory && (entry = readdir(directory)) != NULL;)
    {
        if (entry->d_name[0] == '.')
            continue;
        char path[512];
        snprintf(path, sizeof path, "%s/%s", w->folder, entry->d_name);
        count++;
        if (visit)
            visit(path);
    }
    if (directory)
        closedir(directory);
    return count;
}

static void remove_path(const char *path) { remove(path); }

static void close_world(cache_world *w)
{
    each_file(w, remove_path);
    rmdir(w->folder);
    world_close(&w->base);
}

/* The tree through the folder must equal a fresh one: the same baked bytes, and the caller's mesh. */
static void check_cached(cache_world *w, const carom_mesh *mesh, const carom_tree_def *def, const char *folder)
{
    carom_tree *cached, *fresh;
    void *block[2];
    size_t size[2];
    assert_int_equal(carom_tree_create_cached(w->base.context, mesh, def, folder, &cached), CAROM_OK);
    assert_int_equal(carom_tree_create(w->base.context, mesh, def, &fresh), CAROM_OK);
    assert_ptr_equal(carom_tree_mesh(cached), mesh);
    assert_int_equal(carom_bake(w->base.context, cached, &block[0], &size[0]), CAROM_OK);
    assert_int_equal(carom_bake(w->base.context, fresh, &block[1], &size[1]), CAROM_OK);
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(block[0], block[1], size[0]);
    carom_baked_destroy(w->base.context, block[0], size[0]);
    carom_baked_destroy(w->base.context, block[1], size[1]);
    carom_tree_destroy(cached);
    carom_tree_destroy(fresh);
}

static void trees_are_found_again(void **state)
{
    (void)state;
    cache_world w;
    open_world(&w);
    carom_mesh *knot = world_shape(&w.base, GENERATE_TORUS_KNOT, 900), *empty = world_mesh(&w.base, NULL, 0, NULL, 0);
    carom_tree_def defs[4] = {carom_tree_def_default(), carom_tree_def_preset(CAROM_TREE_TIGHT),
                              carom_tree_def_preset(CAROM_TREE_RAYS), carom_tree_def_default()};
    defs[3].layout = CAROM_LAYOUT_BINARY, defs[3].volume = CAROM_VOLUME_RSS;
    for (int round = 0; round < 2; round++)
    {
        for (int i = 0; i < 4; i++)
            check_cached(&w, knot, &defs[i], w.folder);
        check_cached(&w, empty, NULL, w.folder);
        assert_int_equal(each_file(&w, NULL), 5);
    }
    assert_int_equal(w.warnings, 0);
    carom_mesh_destroy(knot);
    carom_mesh_destroy(empty);
    close_world(&w);
}

/* What the file says is used: a block with other leaves, under the right name, shows in the tree. */
static void the_file_is_read(void **state)
{
    (void)state;
    cache_world w;
    open_world(&w);
    carom_mesh *mesh = world_shape(&w.base, GENERATE_TORUS, 400);
    carom_tree_def def = carom_tree_def_default(), other;
    def.layout = CAROM_LAYOUT_BINARY, def.volume = CAROM_VOLUME_AABB;
    other = def, other.leaf_size = 7;
    carom_tree *tree;
    assert_int_equal(carom_tree_create_cached(w.base.context, mesh, &def, w.folder, &tree), CAROM_OK);
    uint32_t nodes = carom_tree_get_info(tree).node_count;
    carom_tree_destroy(tree);
    char path[512] = "";
    DIR *directory = opendir(w.folder);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
        if (entry->d_name[0] != '.')
            snprintf(path, sizeof path, "%s/%s", w.folder, entry->d_name);
    closedir(directory);
    assert_int_equal(carom_tree_create(w.base.context, mesh, &other, &tree), CAROM_OK);
    void *block;
    size_t size;
    assert_int_equal(carom_bake(w.base.context, tree, &block, &size), CAROM_OK);
    carom_tree_destroy(tree);
    FILE *file = fopen(path, "wb");
    assert_int_equal(fwrite(block, 1, size, file), size);
    fclose(file);
    carom_baked_destroy(w.base.context, block, size);
    assert_int_equal(carom_tree_create_cached(w.base.context, mesh, &def, w.folder, &tree), CAROM_OK);
    assert_true(carom_tree_get_info(tree).node_count < nodes);
    carom_tree_destroy(tree);
    carom_mesh_destroy(mesh);
    close_world(&w);
}

static void damage_file(const char *path)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, 300, SEEK_SET);
    fputs("damage", file);
    fclose(file);
}

static void cut_file(const char *path) { assert_int_equal(truncate(path, 150), 0); }

static void empty_file(const char *path) { assert_int_equal(truncate(path, 0), 0); }

static void make_directory(const char *path)
{
    remove(path);
    assert_int_equal(mkdir(path, 0777), 0);
}

static void bad_files_mean_a_fresh_build(void **state)
{
    (void)state;
    cache_world w;
    open_world(&w);
    carom_mesh *mesh = world_shape(&w.base, GENERATE_TORUS, 400);
    void (*const harm[])(const char *path) = {damage_file, cut_file, empty_file};
    check_cached(&w, mesh, NULL, w.folder);
    for (size_t i = 0; i < sizeof harm / sizeof *harm; i++)
    {
        each_file(&w, harm[i]);
        check_cached(&w, mesh, NULL, w.folder);
        /* and it was replaced by a good one */
        int warnings = w.warnings;
        check_cached(&w, mesh, NULL, w.folder);
        assert_int_equal(w.warnings, warnings);
        assert_int_equal(each_file(&w, NULL), 1);
    }
    assert_int_equal(w.warnings, 2); /* an empty file is ignored silently */
    each_file(&w, make_directory);
    check_cached(&w, mesh, NULL, w.folder);
    assert_int_equal(w.warnings, 3);
    assert_int_equal(each_file(&w, NULL), 1); /* nothing left behind */
    carom_mesh_destroy(mesh);
    close_world(&w);
}

/* A file with the right name, header and size that no memory could hold: it is not read. */
static void make_sparse(const char *path) { assert_int_equal(truncate(path, (off_t)1 << 42), 0); }

static void claim_to_be_sparse(const char *path)
{
    uint64_t size = (uint64_t)1 << 42;
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, offsetof(baked_header, size), SEEK_SET);
    assert_int_equal(fwrite(&size, sizeof size, 1, file), 1);
    fclose(file);
    make_sparse(path);
}

static void huge_files_are_not_read(void **state)
{
    (void)state;
    cache_world w;
    open_world(&w);
    carom_mesh *mesh = world_shape(&w.base, GENERATE_TORUS, 400);
    check_cached(&w, mesh, NULL, w.folder);
    each_file(&w, make_sparse);
    check_cached(&w, mesh, NULL, w.folder);
    each_file(&w, claim_to_be_sparse);
    check_cached(&w, mesh, NULL, w.folder);
    assert_int_equal(w.warnings, 2);
    carom_mesh_destroy(mesh);
    close_world(&w);
}

/* ---- a limit ---- */

static void put_file(const cache_world *w, const char *name, const char *bytes)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", w->folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(bytes, file);
    fclose(file);
}

static bool has_file(const cache_world *w, const char *name)
{
    char path[512];
    struct stat about;
    snprintf(path, sizeof path, "%s/%s", w->folder, name);
    return lstat(path, &about) == 0;
}

static uint64_t total_size;
static void add_size(const char *path)
{
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    total_size += (uint64_t)about.st_size;
}

/* As if it had been used an hour and a half ago. */
static void make_old(const char *path)
{
    struct timespec then[2] = {{time(NULL) - 5400, 0}, {time(NULL) - 5400, 0}};
    assert_int_equal(utimensat(AT_FDCWD, path, then, 0), 0);
}

static void the_oldest_go_first(void **state)
{
    (void)state;
    cache_world w;
    open_world(&w);
    carom_mesh *meshes[5];
    for (uint32_t i = 0; i < 5; i++)
    {
        meshes[i] = world_shape(&w.base, GENERATE_TORUS, 400 + 100 * i);
        check_cached(&w, meshes[i], NULL, w.folder);
    }
    each_file(&w, make_old);
    check_cached(&w, meshes[3], NULL, w.folder); /* used again */
    total_size = 0;
    each_file(&w, add_size);
    assert_int_equal(carom_tree_cache_trim(w.base.context, w.folder, total_size), CAROM_OK);
    assert_int_equal(each_file(&w, NULL), 5);
    assert_int_equal(carom_tree_cache_trim(w.base.context, w.folder, total_size - 1), CAROM_OK);
    assert_int_equal(each_file(&w, NULL), 4);
    carom_tree *tree;
    void *block;
    size_t size;
    assert_int_equal(carom_tree_create(w.base.context, meshes[3], NULL, &tree), CAROM_OK);
    assert_int_equal(carom_bake(w.base.context, tree, &block, &size), CAROM_OK);
    carom_baked_destroy(w.base.context, block, size);
    carom_tree_destroy(tree);
    assert_int_equal(carom_tree_cache_trim(w.base.context, w.folder, size), CAROM_OK);
    assert_int_equal(each_file(&w, NULL), 1);
    total_size = 0;
    each_file(&w, add_size);
    assert_int_equal(total_size, size); /* the one that was used last */
    assert_int_equal(w.warnings, 0);
    for (uint32_t i = 0; i < 5; i++)
        carom_mesh_destroy(meshes[i]);
    close_world(&w);
}

static void other_files_stay(void **state)
{
    (void)state;
    static const char *const names[] = {"notes.txt", "0123456789abcdef.carom", /* the name of a tree, but none */
                                        "0123456789abcdef.1-2-3.part", "0123456789abcdefg.carom", "thesis.carom"};
    cache_world w;
    open_world(&w);
    carom_mesh *mesh = world_shape(&w.base, GENERATE_TORUS, 400);
    char path[512], leftover[512];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        put_file(&w, names[i],
                 i == 1 ? ""
                        : "carom is mentioned here, and there are more words than a header has: "
                          "magic, byte order, format, size, checksum, counts, and so on and on.");
    snprintf(path, sizeof path, "%s/fedcba9876543210.carom", w.folder);
    assert_int_equal(symlink("notes.txt", path), 0);
    put_file(&w, "00000000000000aa.1-2-3.part",
             "carombak: half a tree, by a process that was killed. A header has "
             "112 bytes, so this has to go on for a while, up to about here.......");
    put_file(&w, "00000000000000ab.1-2-3.part",
             "carombak: half a tree, by a process that is still writing it. A "
             "header has 112 bytes; it is younger than the other one, and stays...");
    snprintf(leftover, sizeof leftover, "%s/00000000000000aa.1-2-3.part", w.folder);
    make_old(leftover);
    check_cached(&w, mesh, NULL, w.folder);
    int before = each_file(&w, NULL);
    assert_int_equal(carom_tree_cache_trim(w.base.context, w.folder, 0), CAROM_OK);
    assert_int_equal(each_file(&w, NULL), before - 2); /* the tree and the leftover */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_true(has_file(&w, names[i]));
    assert_true(has_file(&w, "fedcba9876543210.carom") && has_file(&w, "00000000000000ab.1-2-3.part"));
    assert_false(has_file(&w, "00000000000000aa.1-2-3.part"));
    assert_int_equal(carom_tree_cache_trim(w.base.context, "/nowhere/at/all", 0), CAROM_IO_ERROR);
    assert_int_equal(carom_tree_cache_trim(w.base.context, NULL, 0), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_tree_cache_trim(NULL, w.folder, 0), CAROM_INVALID_ARGUMENT);
    carom_mesh_destroy(mesh);
    close_world(&w);
}

static void a_path_that_is_no_folder(void **state)
{
    (void)state;
    cache_world w;
    open_world(&w);
    carom_mesh *mesh = world_shape(&w.base, GENERATE_TORUS, 100);
    check_cached(&w, mesh, NULL, "/nowhere/at/all");
    check_cached(&w, mesh, NULL, "/dev/null");
    assert_int_equal(w.warnings, 2);
    carom_tree *tree;
    carom_tree_def wrong = carom_tree_def_default();
    wrong.volume = CAROM_VOLUME_SPHERE;
    assert_int_equal(carom_tree_create_cached(w.base.context, mesh, &wrong, w.folder, &tree), CAROM_UNSUPPORTED);
    assert_null(tree);
    assert_int_equal(carom_tree_create_cached(w.base.context, mesh, NULL, NULL, &tree), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_tree_create_cached(w.base.context, mesh, NULL, "", &tree), CAROM_INVALID_ARGUMENT);
    assert_int_equal(each_file(&w, NULL), 0);
    carom_mesh_destroy(mesh);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_are_found_again),        cmocka_unit_test(the_file_is_read),
        cmocka_unit_test(bad_files_mean_a_fresh_build), cmocka_unit_test(huge_files_are_not_read),
        cmocka_unit_test(the_oldest_go_first),          cmocka_unit_test(other_files_stay),
        cmocka_unit_test(a_path_that_is_no_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
