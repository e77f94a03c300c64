/* Engine `geoimage` against brute force while bodies deform. */
#include "engine/batches.h"

static void wave(carom_vec3 *points, uint32_t side, double time)
{
    for (uint32_t y = 0; y < side; y++)
        for (uint32_t x = 0; x < side; x++)
        {
            double u = 2.0 * x / (side - 1) - 1.0, v = 2.0 * y / (side - 1) - 1.0;
            points[y * side + x] = vec3(u, v, 0.3 * sin(4.0 * u + time) * cos(3.0 * v - time));
        }
}

enum
{
    SHEET = 21
};

static carom_mesh *make_sheet(carom_context *context)
{
    carom_vec3 points[SHEET * SHEET];
    carom_geoimage *image;
    carom_mesh *mesh;
    wave(points, SHEET, 0.0);
    assert_int_equal(carom_geoimage_create_grid(context, SHEET, SHEET, points, &image), CAROM_OK);
    assert_int_equal(carom_geoimage_mesh(image, 0, &mesh), CAROM_OK);
    carom_geoimage_destroy(image);
    return mesh;
}

/* The next shape of both bodies: the first is a sheet. */
static void deform_both(const duo *d, carom_mesh *meshes[2], int step)
{
    carom_vec3 points[SHEET * SHEET], *scaled = malloc(meshes[1]->vertex_count * sizeof *scaled);
    assert_non_null(scaled);
    wave(points, SHEET, 0.5 * step);
    for (size_t i = 0; i < meshes[1]->vertex_count; i++)
        scaled[i] = vec3_scale(meshes[1]->vertices[i], step % 2 ? 1.2 : 0.9);
    for (int i = 0; i < 2; i++)
    {
        carom_mesh *next = deformed(meshes[i], i == 0 ? points : scaled);
        reshape(d->scene, d->ids[i], next);
        carom_mesh_destroy(meshes[i]);
        meshes[i] = next;
    }
    free(scaled);
}

/* A sheet and a blob that both change in every step: one is a grid, one is not. */
static void deforming_bodies_get_new_boxes(void **unused)
{
    (void)unused;
    world w = world_open();
    for (compute_kind kind = COMPUTE_OPENCL; kind < COMPUTE_KIND_COUNT; kind++)
    {
        carom_engine *engine = open_on(w.context, "geoimage", kind), *brute = open_named(w.context, "brute");
        carom_mesh *meshes[2] = {make_sheet(w.context), world_shape(&w, GENERATE_BLOB, 400)};
        duo d = duo_open(w.context, meshes, carom_pose_identity());
        uint64_t changes = 0, last = 0;
        for (int step = 0; engine && step < 8; step++)
        {
            deform_both(&d, meshes, step);
            carom_collide_options options = question(step % QUESTIONS);
            uint64_t truth = run(brute, d.scene, &options).hash;
            assert_true(run(engine, d.scene, &options).hash == truth);
            changes += truth != last, last = truth;
        }
        if (engine)
        {
            assert_true(changes > 5);
            assert_int_equal(state_of(engine)->device.stats.uploads, 16);
            assert_in_range(state_of(engine)->device.slots.count, 1, 2); /* memory is reused */
        }
        carom_scene_destroy(d.scene);
        carom_mesh_destroy(meshes[0]), carom_mesh_destroy(meshes[1]);
        carom_engine_destroy(engine), carom_engine_destroy(brute);
    }
    world_close(&w);
}

/* A body that was a grid gets a mesh with as many triangles and vertices that is none, and back. */
static void a_grid_becomes_another_mesh(void **unused)
{
    (void)unused;
    enum
    {
        SMALL = 5
    };
    world w = world_open();
    carom_vec3 points[SMALL * SMALL];
    uint32_t indices[6 * (SMALL - 1) * (SMALL - 1)], count = 0;
    wave(points, SMALL, 0.0);
    for (uint32_t y = 0; y + 1 < SMALL; y++)
        for (uint32_t x = 0; x + 1 < SMALL; x++)
        {
            uint32_t at = y * SMALL + x, corners[6] = {at, at + 1, at + SMALL + 1, at, at + SMALL + 1, at + SMALL};
            memcpy(indices + 6 * count++, corners, sizeof corners);
        }
    carom_mesh *meshes[3];
    meshes[0] = world_mesh(&w, &points->x, SMALL * SMALL, indices, 2 * count);
    uint32_t last = indices[6 * count - 1]; /* another triangle in place of the last one */
    indices[6 * count - 1] = 0;
    meshes[1] = world_mesh(&w, &points->x, SMALL * SMALL, indices, 2 * count);
    indices[6 * count - 1] = last;
    meshes[2] = world_box(&w, -0.9, -0.9, -0.1, 0.9, 0.9, 0.1);
    carom_engine *engine = open_on(w.context, "geoimage", COMPUTE_PROCESSOR), *brute = open_named(w.context, "brute");
    duo d = duo_open(w.context, (carom_mesh *const[2]){meshes[0], meshes[2]}, carom_pose_identity());
    for (int step = 0; step < 4; step++)
    {
        reshape(d.scene, d.ids[0], meshes[step % 2]);
        carom_scene_report truth = run(brute, d.scene, NULL), found = run(engine, d.scene, NULL);
        assert_true(truth.hash == found.hash && truth.pair_count > 10);
    }
    carom_scene_destroy(d.scene);
    carom_engine_destroy(engine), carom_engine_destroy(brute);
    for (int i = 0; i < 3; i++)
        carom_mesh_destroy(meshes[i]);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(deforming_bodies_get_new_boxes),
                                       cmocka_unit_test(a_grid_becomes_another_mesh)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
