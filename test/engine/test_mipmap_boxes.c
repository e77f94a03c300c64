/* Engine `geoimage`: which meshes are grids, what their atlases list, and the boxes that devices make of both. */
#include "engine/batches.h"
#include "engine/geoimage/mipmap.h"

#include "support/geoimage_models.h"

/* ---- grids and atlases ---- */

/* Almost grids: one index, or the order, differs. */
static void grids_are_recognised(void **unused)
{
    (void)unused;
    world w = world_open();
    const double points[] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 1, 0, 1, 1, 0, 2, 1, 1};
    uint32_t indices[] = {0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4};
    for (int i = 0; i <= 12; i++)
    {
        uint32_t changed[12];
        memcpy(changed, indices, sizeof changed);
        if (i < 12)
            changed[i] = (changed[i] + 1) % 6;
        carom_mesh *mesh = world_mesh(&w, points, 6, changed, 4);
        carom_shape shape = carom_shape_mesh(mesh);
        void *object;
        assert_int_equal(mipmap_create_asset(w.context, &shape, &object), CAROM_OK);
        mipmap_asset *asset = object;
        assert_true((asset->order == NULL) == (i == 12));
        assert_false(asset->by_trees);
        mipmap_destroy_asset(w.context, asset);
        carom_mesh_destroy(mesh);
    }
    world_close(&w);
}

/* Every triangle is in one cell, and none is crowded. */
static void atlases_list_everything_once(void **unused)
{
    (void)unused;
    world w = world_open();
    for (int i = 0; i < GEOIMAGE_MODELS; i++)
    {
        carom_mesh *mesh = geoimage_model_mesh(w.context, &geoimage_models[i]);
        geoimage_atlas atlas;
        assert_int_equal(geoimage_atlas_create(w.context, mesh, &atlas), CAROM_OK);
        size_t cells = (size_t)atlas.side * atlas.side;
        uint8_t *seen = calloc(mesh->triangle_count, 1);
        assert_non_null(seen);
        assert_int_equal(atlas.cell_first[0], 0);
        assert_int_equal(atlas.cell_first[cells], mesh->triangle_count);
        for (size_t c = 0; c < cells; c++)
            assert_in_range(atlas.cell_first[c + 1] - atlas.cell_first[c], 0, GEOIMAGE_CELL_TRIANGLES);
        for (uint32_t k = 0; k < mesh->triangle_count; k++)
            assert_int_equal(seen[atlas.triangles[k]]++, 0);
        free(seen);
        geoimage_atlas_free(&atlas);
        carom_mesh_destroy(mesh);
    }
    world_close(&w);
}

/* ---- boxes ---- */

static void fill_boxes_of_lists(const mipmap_asset *asset, float *nodes)
{
    uint32_t cells = asset->levels.columns * asset->levels.rows;
    const uint32_t *lists = asset->table + MIPMAP_LISTS, *corners = lists + cells + 1;
    for (uint32_t cell = 0; cell < cells; cell++)
        for (int k = 0; k < 4; k++)
        {
            float *low = nodes + (size_t)GEOIMAGE_NODE * cell + k, *high = low + 4;
            *low = k < 3 ? GEOIMAGE_OUTSIDE : 0, *high = -*low;
            for (uint32_t i = 3 * lists[cell]; k < 3 && i < 3 * lists[cell + 1]; i++)
            {
                float value = asset->points[GEOIMAGE_POINT * corners[i] + (uint32_t)k];
                *low = fminf(*low, value), *high = fmaxf(*high, value);
            }
        }
}

/* Reads the boxes of a mesh back from a device and compares them with those that src/geoimage makes. */
static void check_boxes(batch_runner *runner, carom_mesh *mesh)
{
    carom_context *context = runner->context;
    carom_shape shape = carom_shape_mesh(mesh);
    carom_pose pose = carom_pose_identity();
    void *asset;
    float place[BATCH_PLACE];
    assert_int_equal(mipmap_create_asset(context, &shape, &asset), CAROM_OK);
    batch_pair pair = {asset, asset, {mesh, NULL, &pose}, {mesh, NULL, &pose}};
    assert_int_equal(batch_place_pair(&pair, place), BATCH_SEARCH);
    const geoimage_levels *levels = &((mipmap_asset *)asset)->levels;
    size_t floats = (size_t)GEOIMAGE_NODE * geoimage_node_count(levels);
    float *found = base_allocate(context, floats, sizeof *found, 32),
          *expected = base_allocate(context, floats, sizeof *expected, 32);
    assert_int_equal(compute_begin(runner->device), CAROM_OK);
    assert_int_equal(batch_runner_load(runner, &pair, place, 1), CAROM_OK);
    size_t first = batch_slot_of(runner, asset)->first[MIPMAP_NODES] * (size_t)GEOIMAGE_NODE;
    assert_int_equal(compute_read(runner->device, &runner->stores[MIPMAP_NODES], first * sizeof *found, found,
                                  floats * sizeof *found),
                     CAROM_OK);
    assert_int_equal(compute_end(runner->device), CAROM_OK);
    if (((mipmap_asset *)asset)->table[MIPMAP_LISTED] == 0)
        geoimage_build_levels(context, levels, ((mipmap_asset *)asset)->points, expected);
    else
    {
        fill_boxes_of_lists(asset, expected);
        geoimage_build_parents(context, levels, expected);
    }
    for (size_t i = 0; i < floats; i++)
        if (found[i] != expected[i])
            fail_msg("%u x %u cells on %s: number %zu of node %zu is %g, not %g", levels->columns, levels->rows,
                     compute_kind_name(compute_kind_of(runner->device)), i % GEOIMAGE_NODE, i / GEOIMAGE_NODE, found[i],
                     expected[i]);
    base_release(context, found, floats, sizeof *found), base_release(context, expected, floats, sizeof *expected);
    mipmap_destroy_asset(context, asset);
}

static carom_mesh *rough_grid(carom_context *context, uint32_t width, uint32_t height)
{
    check_random random = {width * 1000 + height};
    carom_vec3 *points = malloc((size_t)width * height * sizeof *points);
    carom_geoimage *image;
    carom_mesh *mesh;
    assert_non_null(points);
    for (uint32_t i = 0; i < width * height; i++)
        points[i] = vec3_add(vec3(i % width, (double)(i / width), 0), check_random_point(&random, -2, 2));
    assert_int_equal(carom_geoimage_create_grid(context, width, height, points, &image), CAROM_OK);
    assert_int_equal(carom_geoimage_mesh(image, 0, &mesh), CAROM_OK);
    carom_geoimage_destroy(image);
    free(points);
    return mesh;
}

/* Grids of all small sizes, long ones, and atlases: each square of two by two cells is one item of a kernel, also where
 * a side has an odd number of cells. */
static void boxes_of_all_sizes(void **unused)
{
    (void)unused;
    static const uint32_t sizes[][2] = {{2, 300}, {300, 2}, {100, 33}, {129, 129}};
    world w = world_open();
    for (compute_kind kind = COMPUTE_OPENCL; kind < COMPUTE_KIND_COUNT; kind++)
    {
        batch_runner runner = {.kind = &mipmap_kind, .context = w.context};
        if (batch_runner_open(&runner, kind) == CAROM_UNAVAILABLE)
            continue;
        for (uint32_t i = 0; i < 10 * 10 + 4 + 3; i++)
        {
            carom_mesh *mesh = i < 100   ? rough_grid(w.context, 2 + i % 10, 2 + i / 10)
                               : i < 104 ? rough_grid(w.context, sizes[i - 100][0], sizes[i - 100][1])
                                         : geoimage_model_mesh(w.context, &geoimage_models[3 * (i - 104)]);
            check_boxes(&runner, mesh);
            carom_mesh_destroy(mesh);
        }
        batch_runner_close(&runner);
    }
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(grids_are_recognised),
                                       cmocka_unit_test(atlases_list_everything_once),
                                       cmocka_unit_test(boxes_of_all_sizes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
