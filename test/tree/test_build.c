/* Every builder gives a valid canonical tree, the same on every instruction set, for ordinary and hostile meshes. */
#include "support/check.h"
#include "tree/build.h"

#include <stdlib.h>

/* ---- meshes made by hand: builders look at vertices and indices only ---- */

typedef struct soup
{
    carom_mesh mesh;
} soup;

static soup soup_new(uint32_t triangle_count)
{
    soup made = {0};
    made.mesh.vertex_count = 3 * triangle_count;
    made.mesh.triangle_count = triangle_count;
    made.mesh.vertices = calloc(3 * (size_t)triangle_count + 1, sizeof(carom_vec3));
    made.mesh.indices = calloc(3 * (size_t)triangle_count + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < 3 * triangle_count; i++)
        made.mesh.indices[i] = i;
    return made;
}

static void soup_free(soup *old)
{
    free(old->mesh.vertices);
    free(old->mesh.indices);
}

static carom_vec3 random_point(check_random *random, double size)
{
    double x = check_uniform(random, -size, size), y = check_uniform(random, -size, size);
    return vec3(x, y, check_uniform(random, -size, size));
}

static soup random_soup(uint32_t count, double size, double triangle_size)
{
    soup made = soup_new(count);
    check_random random = {count};
    for (uint32_t i = 0; i < count; i++)
    {
        carom_vec3 at = random_point(&random, size);
        for (int corner = 0; corner < 3; corner++)
            made.mesh.vertices[3 * i + (uint32_t)corner] = vec3_add(at, random_point(&random, triangle_size));
    }
    return made;
}

static soup identical_soup(uint32_t count)
{
    soup made = soup_new(count);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t corner = 0; corner < 3; corner++)
            made.mesh.vertices[3 * i + corner] = vec3(corner == 1, corner == 2, 0.5);
    return made;
}

/* Each triangle is half the size of the one before, all around one corner; 2^-1074 is reached and stays. */
static soup chain_soup(uint32_t count)
{
    soup made = soup_new(count);
    for (uint32_t i = 0; i < count; i++)
    {
        double size = ldexp(1.0, 99 - (int)(i % 1170));
        made.mesh.vertices[3 * i] = vec3(size, 0, 0);
        made.mesh.vertices[3 * i + 1] = vec3(size, size / 4, 0);
        made.mesh.vertices[3 * i + 2] = vec3(size, 0, size / 4);
    }
    return made;
}

/* Long triangles through the middle: any plane cuts nearly all of them. */
static soup fan_soup(uint32_t count)
{
    soup made = soup_new(count);
    check_random random = {7};
    for (uint32_t i = 0; i < count; i++)
    {
        carom_vec3 far = random_point(&random, 1e12);
        made.mesh.vertices[3 * i] = far;
        made.mesh.vertices[3 * i + 1] = vec3_scale(far, -1.0);
        made.mesh.vertices[3 * i + 2] = vec3_scale(far, -0.999);
    }
    return made;
}

static soup line_soup(uint32_t count)
{
    soup made = soup_new(count);
    for (uint32_t i = 0; i < 3 * count; i++)
        made.mesh.vertices[i] = vec3(1e-12 * (double)(i / 3), 0, 0);
    return made;
}

static soup huge_soup(uint32_t count)
{
    soup made = random_soup(count, 0x1p99, 0x1p99);
    return made;
}

/* ---- what makes a tree valid ---- */

static uint32_t structure_depth(const tree_structure *structure)
{
    uint32_t *depth = calloc(structure->node_count + 1, sizeof *depth), deepest = 0;
    for (uint32_t i = 0; i < structure->node_count; i++)
    {
        deepest = depth[i] > deepest ? depth[i] : deepest;
        if (structure->nodes[i].count == 0)
            depth[structure->nodes[i].first] = depth[structure->nodes[i].first + 1] = depth[i] + 1;
    }
    free(depth);
    return deepest;
}

static void check_structure(const tree_structure *structure, const carom_mesh *mesh, const carom_tree_def *def)
{
    uint32_t *parents = calloc(structure->node_count, sizeof *parents), covered = 0;
    bool *range_taken = calloc(structure->reference_count, sizeof *range_taken);
    uint32_t *seen = calloc(mesh->triangle_count, sizeof *seen);
    for (uint32_t i = 0; i < structure->node_count; i++)
    {
        tree_node node = structure->nodes[i];
        if (i > 0)
            assert_int_equal(parents[i], 1);
        if (node.count == 0)
        {
            assert_true(node.first > i && node.first + 1 < structure->node_count);
            parents[node.first]++, parents[node.first + 1]++;
            continue;
        }
        assert_true(node.count <= def->leaf_size);
        for (uint32_t k = 0; k < node.count; k++)
        {
            assert_true(node.first + k < structure->reference_count);
            assert_false(range_taken[node.first + k]);
            range_taken[node.first + k] = true;
            covered++;
            assert_true(structure->order[node.first + k] < mesh->triangle_count);
            seen[structure->order[node.first + k]]++;
        }
    }
    assert_int_equal(covered, structure->reference_count);
    for (uint32_t i = 0; i < mesh->triangle_count; i++)
        assert_true(def->builder == CAROM_BUILDER_BALANCED ? seen[i] >= 1 : seen[i] == 1);
    assert_true(structure_depth(structure) <= BUILD_DEPTH_LIMIT);
    free(parents), free(range_taken), free(seen);
}

static carom_context *context_for(carom_simd simd)
{
    carom_context_def def = carom_context_def_default();
    def.simd = simd;
    carom_context *context = NULL;
    return carom_context_create(&def, &context) == CAROM_OK ? context : NULL;
}

static void measure(carom_mesh *mesh)
{
    mesh->info.bounds = aabb_empty();
    for (uint32_t i = 0; i < mesh->vertex_count; i++)
        mesh->info.bounds = aabb_add_point(mesh->info.bounds, mesh->vertices[i]);
}

static void check_soup(soup made, uint32_t leaf_size)
{
    measure(&made.mesh);
    carom_context *reference = context_for(CAROM_SIMD_SCALAR);
    for (int builder = 0; builder < CAROM_BUILDER_COUNT; builder++)
    {
        carom_tree_def def = {.builder = (carom_builder)builder, .leaf_size = leaf_size, .balance_penalty = 1.0};
        tree_structure expected;
        assert_int_equal(tree_build_structure(reference, &made.mesh, &def, &expected), CAROM_OK);
        check_structure(&expected, &made.mesh, &def);
        for (int simd = CAROM_SIMD_SSE2; simd <= CAROM_SIMD_AVX2; simd++)
        {
            carom_context *context = context_for((carom_simd)simd);
            if (!context)
                continue;
            tree_structure actual;
            assert_int_equal(tree_build_structure(context, &made.mesh, &def, &actual), CAROM_OK);
            assert_int_equal(actual.node_count, expected.node_count);
            assert_int_equal(actual.reference_count, expected.reference_count);
            assert_memory_equal(actual.nodes, expected.nodes, actual.node_count * sizeof *actual.nodes);
            assert_memory_equal(actual.order, expected.order, actual.reference_count * sizeof *actual.order);
            tree_structure_free(context, &actual);
            carom_context_destroy(context);
        }
        tree_structure_free(reference, &expected);
    }
    carom_context_destroy(reference);
    soup_free(&made);
}

static void ordinary_meshes(void **state)
{
    (void)state;
    for (uint32_t count = 0; count < 40; count++)
        for (uint32_t leaf_size = 1; leaf_size <= 4; leaf_size += 3)
            check_soup(random_soup(count, 1.0, 0.3), leaf_size);
    check_soup(random_soup(3000, 1.0, 0.05), 1);
    check_soup(random_soup(3000, 1.0, 0.05), 4);
    check_soup(random_soup(20000, 1e9, 1.0), 8);
}

static void hostile_meshes(void **state)
{
    (void)state;
    check_soup(identical_soup(20000), 4);
    check_soup(chain_soup(1170), 1);
    check_soup(chain_soup(20000), 4);
    check_soup(fan_soup(5000), 4);
    check_soup(line_soup(20000), 2);
    check_soup(huge_soup(3000), 4);
}

static void million_identical(void **state)
{
    (void)state;
    soup made = identical_soup(1000000);
    measure(&made.mesh);
    carom_context *context = context_for(CAROM_SIMD_AUTO);
    for (int builder = 0; builder < CAROM_BUILDER_COUNT; builder++)
    {
        carom_tree_def def = {.builder = (carom_builder)builder, .leaf_size = 4, .balance_penalty = 1.0};
        tree_structure structure;
        assert_int_equal(tree_build_structure(context, &made.mesh, &def, &structure), CAROM_OK);
        check_structure(&structure, &made.mesh, &def);
        tree_structure_free(context, &structure);
    }
    carom_context_destroy(context);
    soup_free(&made);
}

/* ---- the core's boxes and areas ---- */

static void check_record(const carom_mesh *mesh, const build_frame *frame, const build_box *record)
{
    carom_vec3 corner[3];
    mesh_corners(mesh, build_box_id(record), corner);
    for (int c = 0; c < 3; c++)
    {
        carom_vec3 at = vec3_scale(vec3_sub(corner[c], frame->centre), frame->scale);
        const double v[3] = {at.x, at.y, at.z};
        for (int axis = 0; axis < 3; axis++)
            assert_true(v[axis] <= (double)record->v[4 + axis] + 0x1p-24 &&
                        v[axis] >= -(double)record->v[axis] - 0x1p-24);
    }
}

/* Every record holds its triangle, and every node has the area of the box around all its records. */
static void areas_are_those_of_the_records(void **state)
{
    (void)state;
    soup made = random_soup(5000, 100.0, 3.0);
    measure(&made.mesh);
    build_frame frame = build_frame_of(&made.mesh.info.bounds);
    carom_context *context = context_for(CAROM_SIMD_AUTO);
    build_box *boxes = aligned_alloc(64, made.mesh.triangle_count * sizeof *boxes);
    base_arena scratch = {.context = context};
    assert_int_equal(build_triangle_boxes(&scratch, &made.mesh, boxes), CAROM_OK);
    build_options options = {.leaf_size = 3, .block_size = 1};
    build_tree tree;
    assert_int_equal(build_binned(&scratch, boxes, made.mesh.triangle_count, &options, &tree), CAROM_OK);
    build_box *joint = base_arena_allocate(&scratch, tree.node_count, sizeof *joint, BASE_CACHE_LINE);
    assert_non_null(joint);
    for (uint32_t i = tree.node_count; i-- > 0;)
    {
        tree_node node = tree.nodes[i];
        const build_box *below = node.count ? boxes + node.first : joint + node.first;
        joint[i] = below[0];
        for (uint32_t k = 1; k < (node.count ? node.count : 2); k++)
            joint[i] = build_join(&joint[i], &below[k]);
        const float *v = joint[i].v;
        float x = v[0] + v[4], y = v[1] + v[5], z = v[2] + v[6], area = x * y + y * z + z * x;
        assert_memory_equal(&area, &tree.areas[i], sizeof area);
        for (uint32_t k = 0; k < node.count; k++)
            check_record(&made.mesh, &frame, &boxes[node.first + k]);
    }
    build_tree_free(context, &tree);
    base_arena_free(&scratch);
    free(boxes);
    carom_context_destroy(context);
    soup_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ordinary_meshes),
        cmocka_unit_test(hostile_meshes),
        cmocka_unit_test(million_identical),
        cmocka_unit_test(areas_are_those_of_the_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
