/* Baked blocks: back and forth to the bit for every kind of tree, the same bytes on every instruction set; damaged and
 * forged blocks; the cache on disk. */
#include "query/world.h"
#include "support/placed.h"
#include "tree/baked.h"
#include "tree/binary.h"
#include "tree/rays.h"
#include "tree/wide.h"

/* ---- every kind of tree ---- */

typedef struct kind_list
{
    carom_tree_def defs[(CAROM_VOLUME_COUNT + 3) * CAROM_BUILDER_COUNT];
    size_t count;
} kind_list;

static kind_list every_kind(void)
{
    kind_list list = {0};
    for (int preset = CAROM_TREE_FAST; preset <= CAROM_TREE_RAYS; preset++)
        for (int builder = 0; builder < CAROM_BUILDER_COUNT; builder++)
        {
            carom_tree_def def = carom_tree_def_preset((carom_tree_preset)preset);
            def.builder = (carom_builder)builder;
            list.defs[list.count++] = def;
        }
    for (int volume = 0; volume < CAROM_VOLUME_COUNT; volume++)
        for (int builder = 0; builder < CAROM_BUILDER_COUNT; builder++)
        {
            carom_tree_def def = carom_tree_def_default();
            def.layout = CAROM_LAYOUT_BINARY;
            def.volume = (carom_volume)volume, def.builder = (carom_builder)builder;
            def.obb_fit = (carom_obb_fit)(builder % 3);
            def.leaf_size = (uint32_t)builder % 4;
            list.defs[list.count++] = def;
        }
    return list;
}

static carom_tree *tree_of(carom_context *context, const carom_mesh *mesh, const carom_tree_def *def)
{
    carom_tree *tree = NULL;
    assert_int_equal(carom_tree_create(context, mesh, def, &tree), CAROM_OK);
    return tree;
}

static carom_mesh *empty_mesh(const world *w) { return world_mesh(w, NULL, 0, NULL, 0); }

/* Triangles that are points, segments, copies of each other, and coordinates of every size. */
static carom_mesh *rough_mesh(const world *w)
{
    double vertices[60 * 3];
    uint32_t indices[150];
    check_random random = {5};
    for (int i = 0; i < 180; i++)
        vertices[i] = i % 7 == 0 ? 1e12 : i % 11 == 0 ? 1e-300 : (double)(check_next(&random) % 5);
    for (int i = 0; i < 150; i++)
        indices[i] = (uint32_t)(check_next(&random) % 60);
    return world_mesh(w, vertices, 60, indices, 50);
}

/* ---- equality ---- */

static void check_same_mesh(const carom_mesh *a, const carom_mesh *b)
{
    carom_mesh_info x = a->info, y = b->info;
    assert_string_equal(a->name, b->name);
    assert_int_equal(x.vertex_count, y.vertex_count);
    assert_int_equal(x.triangle_count, y.triangle_count);
    assert_int_equal(x.distinct_vertex_count, y.distinct_vertex_count);
    assert_int_equal(x.edge_count, y.edge_count);
    assert_int_equal(x.boundary_edge_count, y.boundary_edge_count);
    assert_int_equal(x.nonmanifold_edge_count, y.nonmanifold_edge_count);
    assert_int_equal(x.degenerate_triangle_count, y.degenerate_triangle_count);
    assert_int_equal(x.component_count, y.component_count);
    assert_true(x.closed == y.closed && x.oriented == y.oriented && x.manifold == y.manifold);
    assert_memory_equal(&x.area, &y.area, sizeof x.area);
    assert_memory_equal(&x.volume, &y.volume, sizeof x.volume);
    assert_memory_equal(&x.bounds, &y.bounds, sizeof x.bounds);
    assert_true(a->extent == b->extent);
    size_t triangles = x.triangle_count;
    assert_memory_equal(a->vertices, b->vertices, x.vertex_count * sizeof *a->vertices);
    assert_memory_equal(a->indices, b->indices, 3 * triangles * sizeof(uint32_t));
    assert_memory_equal(a->merged, b->merged, x.vertex_count * sizeof(uint32_t));
    assert_memory_equal(a->edges, b->edges, 2 * (size_t)x.edge_count * sizeof(uint32_t));
    assert_memory_equal(a->neighbours, b->neighbours, 3 * triangles * sizeof(uint32_t));
    assert_memory_equal(a->component, b->component, triangles * sizeof(uint32_t));
    assert_memory_equal(a->component_vertex, b->component_vertex, x.component_count * sizeof(uint32_t));
}

static void check_same_wide(const wide_tree *a, const wide_tree *b)
{
    assert_memory_equal(&a->centre, &b->centre, sizeof a->centre);
    assert_true(a->scale == b->scale && a->depth == b->depth);
    assert_int_equal(a->node_count, b->node_count);
    assert_int_equal(a->leaf_count, b->leaf_count);
    assert_memory_equal(a->nodes, b->nodes, a->node_count * sizeof *a->nodes);
    assert_memory_equal(a->leaves, b->leaves, a->leaf_count * sizeof *a->leaves);
    assert_int_equal(!a->support, !b->support);
    if (a->support)
        assert_memory_equal(a->support, b->support, WIDE_SUPPORT_ENTRIES * sizeof(float));
    assert_memory_equal(a->first_leaf, b->first_leaf, a->node_count * WIDE_LANES * sizeof(uint32_t));
}

static void check_same_rays(const ray_tree *a, const ray_tree *b)
{
    assert_int_equal(a->size, b->size);
    ray_tree header;
    memcpy(&header, a, sizeof header);
    header.fit = b->fit; /* a serial */
    assert_memory_equal(&header, b, sizeof header);
    assert_memory_equal(ray_tree_nodes(a), ray_tree_nodes(b), a->size - RAY_HEADER);
}

static void check_same_tree(const carom_tree *a, const carom_tree *b)
{
    carom_tree_info x = carom_tree_get_info(a), y = carom_tree_get_info(b);
    assert_true(x.def.volume == y.def.volume && x.def.layout == y.def.layout && x.def.builder == y.def.builder);
    assert_true(x.def.obb_fit == y.def.obb_fit && x.def.leaf_size == y.def.leaf_size);
    assert_true(x.node_count == y.node_count && x.leaf_count == y.leaf_count && x.depth == y.depth);
    assert_true(x.reference_count == y.reference_count && x.bytes == y.bytes);
    assert_true(x.area_cost == y.area_cost && x.volume_cost == y.volume_cost);
    assert_int_equal(!a->wide, !b->wide);
    if (a->wide)
        check_same_wide(a->wide, b->wide);
    assert_int_equal(!a->rays, !b->rays);
    if (a->rays)
        check_same_rays(a->rays, b->rays);
    assert_int_equal(a->node_count, b->node_count);
    assert_memory_equal(&a->origin, &b->origin, sizeof a->origin);
    if (a->node_count == 0)
        return;
    assert_memory_equal(a->nodes, b->nodes, a->node_count * sizeof *a->nodes);
    assert_memory_equal(a->order, b->order, a->reference_count * sizeof *a->order);
    size_t floats = (size_t)a->node_count * volume_floats(a->def.volume);
    assert_memory_equal(a->volumes, b->volumes, floats * sizeof(float));
}

static void back_and_forth(const world *w, const carom_mesh *mesh, const carom_tree_def *def)
{
    carom_tree *tree = tree_of(w->context, mesh, def), *loaded_tree;
    carom_mesh *loaded_mesh;
    void *block, *again;
    size_t size, again_size;
    assert_int_equal(carom_bake(w->context, tree, &block, &size), CAROM_OK);
    assert_int_equal(carom_unbake(w->context, block, size, &loaded_mesh, &loaded_tree), CAROM_OK);
    check_same_mesh(mesh, loaded_mesh);
    check_same_tree(tree, loaded_tree);
    assert_ptr_equal(carom_tree_mesh(loaded_tree), loaded_mesh);
    assert_int_equal(carom_bake(w->context, loaded_tree, &again, &again_size), CAROM_OK);
    assert_int_equal(size, again_size);
    assert_memory_equal(block, again, size);
    carom_tree_destroy(loaded_tree);
    carom_mesh_destroy(loaded_mesh);
    carom_tree_destroy(tree);

    /* the same bytes from a second build, and from any address */
    tree = tree_of(w->context, mesh, def);
    carom_baked_destroy(w->context, again, again_size);
    assert_int_equal(carom_bake(w->context, tree, &again, &again_size), CAROM_OK);
    assert_memory_equal(block, again, size);
    char *shifted = malloc(size + 1);
    memcpy(shifted + 1, block, size);
    assert_int_equal(carom_unbake(w->context, shifted + 1, size, &loaded_mesh, &loaded_tree), CAROM_OK);
    carom_tree_destroy(loaded_tree);
    carom_mesh_destroy(loaded_mesh);
    free(shifted);
    carom_tree_destroy(tree);
    carom_baked_destroy(w->context, block, size);
    carom_baked_destroy(w->context, again, again_size);
}

static void every_kind_survives_baking(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *meshes[] = {world_shape(&w, GENERATE_TORUS_KNOT, 200), world_shape(&w, GENERATE_RUBBLE, 80),
                            rough_mesh(&w), world_box(&w, 1e9, 0, 0, 1e9 + 1, 1, 1), empty_mesh(&w)};
    kind_list kinds = every_kind();
    for (size_t m = 0; m < sizeof meshes / sizeof *meshes; m++)
    {
        for (size_t i = 0; i < kinds.count; i++)
            back_and_forth(&w, meshes[m], &kinds.defs[i]);
        carom_mesh_destroy(meshes[m]);
    }
    world_close(&w);
}

/* Large enough for several levels of wide nodes; presets only. */
static void large_trees_survive_baking(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *mesh = world_shape(&w, GENERATE_BLOB, 8000);
    for (int preset = CAROM_TREE_FAST; preset <= CAROM_TREE_RAYS; preset++)
    {
        carom_tree_def def = carom_tree_def_preset((carom_tree_preset)preset);
        back_and_forth(&w, mesh, &def);
    }
    carom_mesh_destroy(mesh);
    world_close(&w);
}

/* ---- instruction sets ---- */

static uint64_t block_hash(carom_simd simd, const carom_tree_def *def)
{
    carom_context_def context_def = carom_context_def_default();
    context_def.simd = simd;
    world w = {0};
    if (carom_context_create(&context_def, &w.context) != CAROM_OK)
        return 0;
    carom_mesh *mesh = world_shape(&w, GENERATE_HAND, 400);
    carom_tree *tree = tree_of(w.context, mesh, def), *loaded_tree;
    carom_mesh *loaded_mesh;
    void *block;
    size_t size;
    assert_int_equal(carom_bake(w.context, tree, &block, &size), CAROM_OK);
    assert_int_equal(carom_unbake(w.context, block, size, &loaded_mesh, &loaded_tree), CAROM_OK);
    check_same_tree(tree, loaded_tree);
    base_hash hash = base_hash_begin();
    base_hash_bytes(&hash, block, size);
    carom_baked_destroy(w.context, block, size);
    carom_tree_destroy(loaded_tree);
    carom_mesh_destroy(loaded_mesh);
    carom_tree_destroy(tree);
    carom_mesh_destroy(mesh);
    carom_context_destroy(w.context);
    return base_hash_end(&hash);
}

static void every_instruction_set_writes_the_same(void **state)
{
    (void)state;
    kind_list kinds = every_kind();
    for (size_t i = 0; i < kinds.count; i++)
    {
        uint64_t scalar = block_hash(CAROM_SIMD_SCALAR, &kinds.defs[i]);
        assert_true(scalar != 0);
        for (int simd = CAROM_SIMD_SSE2; simd <= CAROM_SIMD_AVX2; simd++)
        {
            uint64_t other = block_hash((carom_simd)simd, &kinds.defs[i]);
            if (other != 0) /* the machine has it */
                assert_int_equal(other, scalar);
        }
    }
}

/* ---- damage ---- */

typedef struct baked
{
    void *bytes;
    size_t size;
} baked;

static baked bake_kind(const world *w, const carom_tree_def *def, generate_kind shape)
{
    carom_mesh *mesh = world_shape(w, shape, 90);
    carom_tree *tree = tree_of(w->context, mesh, def);
    baked block;
    assert_int_equal(carom_bake(w->context, tree, &block.bytes, &block.size), CAROM_OK);
    carom_tree_destroy(tree);
    carom_mesh_destroy(mesh);
    return block;
}

static void check_refused(const world *w, const void *bytes, size_t size, const char *why)
{
    carom_mesh *mesh = (carom_mesh *)16;
    carom_tree *tree = (carom_tree *)16;
    assert_int_equal(carom_unbake(w->context, bytes, size, &mesh, &tree), CAROM_BAD_DATA);
    assert_null(mesh);
    assert_null(tree);
    if (why)
        world_check_message(w, why);
}

static void damaged_blocks_are_refused(void **state)
{
    (void)state;
    world w = world_open();
    carom_tree_def def = carom_tree_def_default();
    baked block = bake_kind(&w, &def, GENERATE_TORUS);
    unsigned char *bytes = block.bytes;
    for (size_t i = 0; i < block.size; i++)
        for (int bit = 0; bit < 8; bit += 3)
        {
            bytes[i] ^= (unsigned char)(1 << bit);
            check_refused(&w, bytes, block.size, NULL);
            bytes[i] ^= (unsigned char)(1 << bit);
        }
    for (size_t size = 0; size < block.size; size += size < 200 ? 1 : 37)
        check_refused(&w, bytes, size, NULL);
    char *longer = calloc(1, block.size + 8);
    memcpy(longer, bytes, block.size);
    check_refused(&w, longer, block.size + 8, "cut short");
    free(longer);
    baked_header *header = block.bytes;
    header->format++;
    check_refused(&w, bytes, block.size, "another version");
    header->format--;
    header->byte_order = 0x04030201;
    check_refused(&w, bytes, block.size, "byte order");
    header->byte_order = BAKED_BYTE_ORDER;
    carom_baked_destroy(w.context, block.bytes, block.size);
    world_close(&w);
}

/* ---- forgery: damage under a right checksum ---- */

static void forge(const baked *block)
{
    uint64_t checksum = baked_checksum(block->bytes, block->size);
    memcpy((char *)block->bytes + offsetof(baked_header, checksum), &checksum, sizeof checksum);
}

/* Answers by the tree and by all pairs must agree, whatever the bytes. */
static void check_answers(const world *w, const carom_mesh *mesh, const carom_tree *tree)
{
    carom_pose pose = carom_pose_translation(0.21, 0.13, 0.05);
    carom_placed a = {pair_shape(tree), carom_pose_identity()}, b = {pair_shape(tree), pose};
    carom_report report;
    carom_collide_options options = carom_collide_options_default();
    options.relation = true;
    assert_int_equal(carom_collide(w->query, &a, &b, &options, &report), CAROM_OK);
    uint64_t pairs = 0;
    narrow_counts counts = {0};
    narrow_closest nearest = {.distance = INFINITY, .triangle_a = CAROM_NO_TRIANGLE, .triangle_b = CAROM_NO_TRIANGLE};
    for (uint32_t i = 0; i < mesh->triangle_count; i++)
        for (uint32_t j = 0; j < mesh->triangle_count; j++)
        {
            narrow_triangle ta = placed_triangle(&a, i), tb = placed_triangle(&b, j);
            pairs += narrow_touches(&ta, &tb, &counts);
            narrow_offer(&nearest, &ta, &tb, (carom_pair){i, j, 0}, &counts);
        }
    narrow_closest_settle(&nearest, &counts);
    assert_int_equal(report.pair_count, pairs);
    assert_int_equal(carom_distance(w->query, &a, &b, NULL, &report), CAROM_OK);
    assert_true(report.distance == nearest.distance);
    carom_ray ray = {{-3, 0.01, 0.01}, {1, 0.01, 0.02}, INFINITY};
    carom_ray_report hits;
    assert_int_equal(carom_ray_cast(w->query, &a, &ray, CAROM_RAY_ALL, &hits), CAROM_OK);
    uint64_t hit_count = 0;
    for (uint32_t i = 0; i < mesh->triangle_count; i++)
    {
        narrow_triangle t = placed_triangle(&a, i);
        double at, uv[2];
        hit_count += narrow_ray_hit(&(narrow_ray){ray.origin, ray.direction}, &t, &at, uv, &counts);
    }
    assert_int_equal(hits.hit_count, hit_count);
}

/* Whatever a mesh says of its topology, it names vertices and triangles that it has. */
static void check_topology(const carom_mesh *mesh)
{
    carom_mesh_info info = carom_mesh_get_info(mesh);
    for (uint32_t i = 0; i < info.triangle_count; i++)
    {
        uint32_t across[3];
        assert_int_equal(carom_mesh_neighbours(mesh, i, across), CAROM_OK);
        for (int k = 0; k < 3; k++)
            assert_true(across[k] < info.triangle_count || across[k] == UINT32_MAX);
    }
    for (uint32_t i = 0; i < info.edge_count; i++)
    {
        uint32_t ends[2];
        assert_int_equal(carom_mesh_edge(mesh, i, ends), CAROM_OK);
        assert_true(ends[0] < info.vertex_count && ends[1] < info.vertex_count);
    }
}

/* One or two damaged places per copy; most are refused, the others answer right. */
static void forged_blocks_do_no_harm(void **state)
{
    (void)state;
    world w = world_open();
    check_random random = {11};
    uint32_t accepted = 0, refused = 0;
    kind_list kinds = every_kind();
    for (size_t k = 0; k < kinds.count; k += 3)
    {
        baked original = bake_kind(&w, &kinds.defs[k], GENERATE_TORUS);
        baked copy = {malloc(original.size), original.size};
        for (int round = 0; round < 240; round++)
        {
            memcpy(copy.bytes, original.bytes, copy.size);
            for (uint64_t changes = 1 + check_next(&random) % 2; changes > 0; changes--)
            {
                size_t at = 24 + check_next(&random) % (copy.size - 24);
                if (round % 3 == 0)
                    at = 32 + check_next(&random) % (sizeof(baked_header) - 32);
                uint32_t word, values[] = {0, 1, UINT32_MAX, 0x80000000u, 0x7fc00000u, (uint32_t)check_next(&random)};
                word = values[check_next(&random) % 6];
                if (round % 2)
                    ((unsigned char *)copy.bytes)[at] ^= (unsigned char)(1 << check_next(&random) % 8);
                else
                    memcpy((char *)copy.bytes + at / 4 * 4, &word, sizeof word);
            }
            forge(&copy);
            carom_mesh *mesh;
            carom_tree *tree;
            carom_status status = carom_unbake(w.context, copy.bytes, copy.size, &mesh, &tree);
            assert_true(status == CAROM_OK || status == CAROM_BAD_DATA);
            refused += status == CAROM_BAD_DATA;
            if (status != CAROM_OK)
                continue;
            accepted++;
            check_topology(mesh);
            if (accepted % 16 == 0)
                check_answers(&w, mesh, tree);
            carom_tree_destroy(tree);
            carom_mesh_destroy(mesh);
        }
        free(copy.bytes);
        carom_baked_destroy(w.context, original.bytes, original.size);
    }
    print_message("%u forged blocks refused, %u loaded\n", refused, accepted);
    assert_true(refused > 1000 && accepted > 100);
    world_close(&w);
}

/* A binary tree of four leaves whose two lower pairs of nodes changed places: a tree, but refits could not climb it. */
static void other_numberings_are_refused(void **state)
{
    (void)state;
    world w = world_open();
    double vertices[12 * 3];
    uint32_t indices[12];
    for (uint32_t i = 0; i < 12; i++)
    {
        indices[i] = i;
        vertices[3 * i] = 2.0 * (i / 3) + (i % 3 == 1), vertices[3 * i + 1] = i % 3 == 2, vertices[3 * i + 2] = 0.0;
    }
    carom_mesh *mesh = world_mesh(&w, vertices, 12, indices, 4);
    carom_tree_def def = carom_tree_def_preset(CAROM_TREE_RAYS);
    def.layout = CAROM_LAYOUT_BINARY, def.builder = CAROM_BUILDER_MEDIAN, def.leaf_size = 1;
    carom_tree *tree = tree_of(w.context, mesh, &def);
    const tree_node *nodes = tree->nodes;
    assert_int_equal(tree->node_count, 7);
    assert_true(nodes[0].first == 1 && nodes[1].first == 3 && nodes[2].first == 5);
    tree_node renumbered[7] = {nodes[0], nodes[2], nodes[1], nodes[5], nodes[6], nodes[3], nodes[4]};
    renumbered[1].first = 5, renumbered[2].first = 3;
    baked block;
    assert_int_equal(carom_bake(w.context, tree, &block.bytes, &block.size), CAROM_OK);
    size_t at = 0;
    while (memcmp((char *)block.bytes + at, nodes, sizeof renumbered) != 0)
        at += sizeof(uint32_t);
    memcpy((char *)block.bytes + at, renumbered, sizeof renumbered);
    forge(&block);
    check_refused(&w, block.bytes, block.size, "depth first");
    carom_baked_destroy(w.context, block.bytes, block.size);
    carom_tree_destroy(tree);
    carom_mesh_destroy(mesh);
    world_close(&w);
}

/* The error bounds of oriented boxes rely on axes that are orthonormal but for their rounding. */
static void bent_axes_are_refused(void **state)
{
    (void)state;
    world w = world_open();
    carom_tree_def def = carom_tree_def_default();
    carom_mesh *mesh = world_shape(&w, GENERATE_TORUS, 90);
    carom_tree *tree = tree_of(w.context, mesh, &def);
    float axis[9];
    for (int i = 0; i < 9; i++)
        axis[i] = tree->wide->nodes[0].axis[i / 3][i % 3][0];
    baked block;
    assert_int_equal(carom_bake(w.context, tree, &block.bytes, &block.size), CAROM_OK);
    size_t at = 0;
    while (memcmp((char *)block.bytes + at, (const char *)axis, sizeof axis) != 0)
        at += sizeof(float);
    for (int i = 0; i < 3; i++) /* the second axis turns towards the first by four units of rounding */
        axis[3 + i] += 4.0f * 0x1p-24f * axis[i];
    memcpy((char *)block.bytes + at, axis, sizeof axis);
    forge(&block);
    check_refused(&w, block.bytes, block.size, "axes are none");
    carom_baked_destroy(w.context, block.bytes, block.size);
    carom_tree_destroy(tree);
    carom_mesh_destroy(mesh);
    world_close(&w);
}

/* ---- misuse ---- */

static void misuse_has_a_status(void **state)
{
    (void)state;
    world w = world_open();
    carom_tree_def def = carom_tree_def_default();
    baked block = bake_kind(&w, &def, GENERATE_BOX);
    carom_mesh *mesh;
    carom_tree *tree;
    void *bytes;
    size_t size;
    assert_int_equal(carom_unbake(w.context, block.bytes, block.size, &mesh, &tree), CAROM_OK);
    assert_int_equal(carom_bake(NULL, tree, &bytes, &size), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_bake(w.context, NULL, &bytes, &size), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_bake(w.context, tree, NULL, &size), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_bake(w.context, tree, &bytes, NULL), CAROM_INVALID_ARGUMENT);
    carom_tree_destroy(tree);
    carom_mesh_destroy(mesh);
    assert_int_equal(carom_unbake(NULL, block.bytes, block.size, &mesh, &tree), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_unbake(w.context, NULL, block.size, &mesh, &tree), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_unbake(w.context, block.bytes, block.size, NULL, &tree), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_unbake(w.context, block.bytes, block.size, &mesh, NULL), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_tree_create_cached(w.context, NULL, NULL, ".", &tree), CAROM_INVALID_ARGUMENT);
    carom_baked_destroy(w.context, block.bytes, block.size);
    carom_baked_destroy(NULL, NULL, 0);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_survives_baking),
        cmocka_unit_test(large_trees_survive_baking),
        cmocka_unit_test(every_instruction_set_writes_the_same),
        cmocka_unit_test(damaged_blocks_are_refused),
        cmocka_unit_test(forged_blocks_do_no_harm),
        cmocka_unit_test(other_numberings_are_refused),
        cmocka_unit_test(bent_axes_are_refused),
        cmocka_unit_test(misuse_has_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
