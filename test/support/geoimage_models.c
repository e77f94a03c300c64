/* The models: generated shapes, some with triangles left out, and plates. */
#include "support/geoimage_models.h"

#include "scenes/generate.h"
#include "support/check.h"
#include "support/soup.h"

#include <stdlib.h>

const geoimage_model geoimage_models[GEOIMAGE_MODELS] = {
    {"box", 12, 1, 0, 1, 0, 0},           {"box", 768, 1, 0, 1, 0, 0},     {"uv-sphere", 600, 1, 0, 1, 0, 0},
    {"ico-sphere", 1280, 1, 0, 1, 0, 0},  {"blob", 1280, 1, 0, 1, 0, 0},   {"tetrahedron", 4, 1, 0, 1, 0, 0},
    {"cylinder", 800, 1, 0, 1, 0, 0},     {"rubble", 300, 2, 0, 1, 0, 0},  {"stratum", 600, 1, 0, 1, 0, 0},
    {"hand", 900, 1, 0, 6, 0, 0},         {"terrain", 800, 1, 0, 1, 0, 1}, {"cloth", 700, 1, 0, 1, 0, 1},
    {"ico-sphere", 500, 1, 499, 1, 0, 2}, {"blob", 900, 3, 150, 1, 0, 6},  {"torus", 800, 1, 0, 1, 1, 0},
    {"torus-knot", 1500, 1, 0, 1, 1, 0},  {"gear", 1500, 1, 0, 1, 1, 0},   {"torus", 900, 1, 300, 1, 1, 3},
    {"sieve", 900, 1, 0, 1, 2, 0},        {"sieve", 1300, 2, 0, 1, 3, 0},  {"sieve", 1400, 3, 500, 1, 4, 3},
    {"sieve", 1900, 4, 0, 1, 5, 0},
};

carom_mesh *geoimage_model_mesh(carom_context *context, const geoimage_model *model)
{
    generate_kind kind;
    assert_true(generate_find(model->name, &kind));
    generate_def def = generate_def_default(kind);
    def.triangles = model->triangles, def.seed = model->seed;
    carom_mesh *whole, *open;
    assert_int_equal(generate_mesh(context, &def, &whole), CAROM_OK);
    if (model->removed == 0)
        return whole;
    carom_mesh_info info = carom_mesh_get_info(whole);
    uint32_t *indices = malloc(3 * info.triangle_count * sizeof *indices);
    assert_non_null(indices);
    carom_mesh_def open_def = carom_mesh_def_default();
    for (uint32_t t = 0; t < info.triangle_count; t++)
        for (uint32_t k = 0; t % model->removed != 0 && k < 3; k++)
            indices[3 * open_def.triangle_count + k] = carom_mesh_indices(whole)[3 * t + k],
                                                  open_def.triangle_count += k == 2;
    open_def.vertices_f64 = (const double *)carom_mesh_vertices(whole), open_def.vertex_count = info.vertex_count;
    open_def.indices_u32 = indices, open_def.name = model->name;
    assert_int_equal(carom_mesh_create(context, &open_def, &open), CAROM_OK);
    free(indices);
    carom_mesh_destroy(whole);
    return open;
}

static bool is_solid(uint32_t holes, int64_t i, int64_t j)
{
    return i >= 0 && i < 2 * (int64_t)holes + 1 && j >= 0 && j < 3 && !(j == 1 && i % 2 == 1);
}

static size_t add_quad(carom_vec3 *out, carom_vec3 at, carom_vec3 a, carom_vec3 b)
{
    carom_vec3 p[4] = {at,
                       {at.x + a.x, at.y + a.y, at.z + a.z},
                       {at.x + a.x + b.x, at.y + a.y + b.y, at.z + a.z + b.z},
                       {at.x + b.x, at.y + b.y, at.z + b.z}};
    const int corners[6] = {0, 1, 2, 0, 2, 3};
    for (int k = 0; k < 6; k++)
        out[k] = p[corners[k]];
    return 6;
}

carom_mesh *geoimage_plate(carom_context *context, uint32_t holes)
{
    size_t count = 0;
    carom_vec3 *corners = malloc(36 * 3 * (2 * (size_t)holes + 1) * sizeof *corners);
    assert_non_null(corners);
    const carom_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    for (int64_t j = 0; j < 3; j++)
        for (int64_t i = 0; i < 2 * (int64_t)holes + 1; i++)
        {
            if (!is_solid(holes, i, j))
                continue;
            double u = (double)i, v = (double)j;
            count += add_quad(corners + count, (carom_vec3){u, v, 1}, x, y);
            count += add_quad(corners + count, (carom_vec3){u, v, 0}, y, x);
            if (!is_solid(holes, i - 1, j))
                count += add_quad(corners + count, (carom_vec3){u, v, 0}, z, y);
            if (!is_solid(holes, i + 1, j))
                count += add_quad(corners + count, (carom_vec3){u + 1, v, 0}, y, z);
            if (!is_solid(holes, i, j - 1))
                count += add_quad(corners + count, (carom_vec3){u, v, 0}, x, z);
            if (!is_solid(holes, i, j + 1))
                count += add_quad(corners + count, (carom_vec3){u, v + 1, 0}, z, x);
        }
    carom_mesh *mesh = soup_mesh(context, corners, count / 3);
    free(corners);
    return mesh;
}
