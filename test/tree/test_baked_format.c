/* Blocks on disk outlive the library that wrote them: a cached tree must not differ from the one built today. So the
 * hashes of trees of fixed meshes are recorded here, and change only together with BAKED_FORMAT. */
#include "query/world.h"
#include "tree/baked.h"

typedef struct recorded
{
    const char *kind;
    uint64_t hash;
} recorded;

/* When this test fails, it prints what belongs here. */
static const int RECORDED_FORMAT = 5;
static const recorded records[] = {
    {"preset fast", 0xb1f4936139fc2df0},       {"preset tight", 0xffcd598f7c61db94},
    {"preset rays", 0x94786c971d42cb57},       {"builder sah", 0xf5315d5cd11694cd},
    {"builder median", 0xba9a0728ecbee89b},    {"builder mean", 0x17409a0aafa15f92},
    {"builder volume", 0x85a0f524c21debe3},    {"builder balanced", 0xa582f41d66516746},
    {"builder bottom_up", 0x1ec9870d43506c28}, {"builder insertion", 0xe1e01860ea93c7a7},
    {"builder morton", 0x2dc18e31f05dc211},
};

enum
{
    SIDE = 21,
    GRID = 2 * (SIDE - 1) * (SIDE - 1),
    SOUP = 300,
    MAX_KINDS = 64
};

/* A wavy sheet and some scattered triangles, by arithmetic alone: no generator whose change could be mistaken for a
 * builder's. */
static carom_mesh *make_mesh(const world *w)
{
    static double vertices[3 * (SIDE * SIDE + 3 * SOUP)];
    static uint32_t indices[3 * (GRID + SOUP)];
    uint32_t n = 0, first = SIDE * SIDE;
    for (uint32_t i = 0; i < first; i++)
    {
        double x = i % SIDE, y = i / SIDE;
        vertices[3 * i] = x, vertices[3 * i + 1] = y, vertices[3 * i + 2] = 0.125 * ((i * 7 + i / SIDE * 3) % 11);
    }
    for (uint32_t i = 0; i + SIDE < first; i++)
        if (i % SIDE + 1 < SIDE)
        {
            uint32_t corners[6] = {i, i + 1, i + SIDE, i + 1, i + SIDE + 1, i + SIDE};
            memcpy(indices + n, corners, sizeof corners), n += 6;
        }
    check_random random = {11};
    for (uint32_t i = first; i < first + 3 * SOUP; i++)
    {
        double spread = i % 3 == 0 ? 20.0 : 1.5;
        for (int axis = 0; axis < 3; axis++)
            vertices[3 * i + (uint32_t)axis] =
                check_uniform(&random, 0.0, spread) + (i % 3 == 0 ? 0.0 : vertices[3 * (i - i % 3) + (uint32_t)axis]);
        indices[n++] = i;
    }
    return world_mesh(w, vertices, SIDE * SIDE + 3 * SOUP, indices, GRID + SOUP);
}

/* Of everything but the format and the checksum over it, so that a new format alone changes nothing here. */
static uint64_t hash_block(const world *w, const carom_mesh *mesh, const carom_tree_def *def)
{
    carom_tree *tree;
    void *block;
    size_t size;
    assert_int_equal(carom_tree_create(w->context, mesh, def, &tree), CAROM_OK);
    assert_int_equal(carom_bake(w->context, tree, &block, &size), CAROM_OK);
    baked_header header;
    memcpy(&header, block, sizeof header);
    header.format = 0, header.checksum = 0;
    memcpy(block, &header, sizeof header);
    base_hash hash = base_hash_begin();
    base_hash_bytes(&hash, block, size);
    carom_baked_destroy(w->context, block, size);
    carom_tree_destroy(tree);
    return base_hash_end(&hash);
}

typedef struct kind_hash
{
    char kind[48];
    uint64_t hash;
} kind_hash;

/* Every preset, and every builder under boxes. */
static int hash_kinds(const world *w, kind_hash *out)
{
    static const char *const presets[] = {
        [CAROM_TREE_FAST] = "fast", [CAROM_TREE_TIGHT] = "tight", [CAROM_TREE_RAYS] = "rays"};
    carom_mesh *mesh = make_mesh(w);
    int count = 0;
    for (int preset = 0; preset < (int)(sizeof presets / sizeof *presets); preset++)
    {
        carom_tree_def def = carom_tree_def_preset((carom_tree_preset)preset);
        snprintf(out[count].kind, sizeof out[count].kind, "preset %s", presets[preset]);
        out[count++].hash = hash_block(w, mesh, &def);
    }
    for (int builder = 0; builder < CAROM_BUILDER_COUNT; builder++)
    {
        carom_tree_def def = carom_tree_def_default();
        def.layout = CAROM_LAYOUT_BINARY, def.volume = CAROM_VOLUME_OBB, def.builder = (carom_builder)builder;
        snprintf(out[count].kind, sizeof out[count].kind, "builder %s", carom_builder_name((carom_builder)builder));
        out[count++].hash = hash_block(w, mesh, &def);
    }
    carom_mesh_destroy(mesh);
    return count;
}

static void builders_make_the_recorded_trees(void **state)
{
    (void)state;
    if (*(const uint8_t *)&(uint16_t){1} != 1)
    {
        print_message("SKIPPED: the record is of a little-endian machine\n");
        skip();
    }
    world w = world_open();
    kind_hash now[MAX_KINDS];
    int count = hash_kinds(&w, now), changed = 0;
    world_close(&w);
    int on_record = (int)(sizeof records / sizeof *records);
    for (int i = 0; i < count; i++)
    {
        bool same = i < on_record && strcmp(records[i].kind, now[i].kind) == 0 && records[i].hash == now[i].hash;
        if (!same)
            print_message("changed: %s\n", now[i].kind);
        changed += !same;
    }
    if (changed == 0 && count == on_record && RECORDED_FORMAT == BAKED_FORMAT)
        return;
    bool raised = RECORDED_FORMAT != BAKED_FORMAT;
    print_message("the record for %s:\nRECORDED_FORMAT = %d;\n", __FILE__, BAKED_FORMAT + (raised ? 0 : 1));
    for (int i = 0; i < count; i++)
        print_message("    {\"%s\", 0x%016llx},\n", now[i].kind, (unsigned long long)now[i].hash);
    fail_msg("%s", raised ? "BAKED_FORMAT was raised: record the new hashes, printed above"
                          : "builder changed: raise BAKED_FORMAT and record the new hash, printed above");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(builders_make_the_recorded_trees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
