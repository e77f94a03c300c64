/* Points to build hulls of: generated, of models, of a game. */
#include "bench/clouds.h"

#include "carom/io.h"
#include "scenes/numeric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const kind_names[BENCH_CLOUD_KINDS] = {"ball", "sphere", "cube's surface", "grid"};
static const char *const models[] = {"cow", "fandisk", "rocker-arm", "spot", "stanford-bunny", "suzanne", "teapot"};

static carom_vec3 make_point(bench_cloud_kind kind, numeric_random *random, uint32_t i, uint32_t side)
{
    double p[3];
    if (kind == BENCH_CLOUD_GRID)
        return numeric_vec(i % side, i / side % side, i / side / side);
    if (kind != BENCH_CLOUD_CUBE)
        return numeric_scale(numeric_direction(random),
                             kind == BENCH_CLOUD_BALL ? cbrt(numeric_uniform(random, 0.0, 1.0)) : 1.0);
    for (int k = 0; k < 3; k++)
        p[k] = numeric_uniform(random, -1.0, 1.0);
    uint64_t face = numeric_next(random) % 6;
    p[face / 2] = face % 2 ? 1.0 : -1.0;
    return numeric_vec(p[0], p[1], p[2]);
}

bench_cloud bench_cloud_make(bench_cloud_kind kind, uint32_t count)
{
    uint32_t side = (uint32_t)lround(cbrt(count));
    bench_cloud cloud = {.count = kind == BENCH_CLOUD_GRID ? side * side * side : count};
    snprintf(cloud.name, sizeof cloud.name, "%s", kind_names[kind]);
    cloud.points = malloc(cloud.count * sizeof *cloud.points);
    numeric_random random = {1};
    for (uint32_t i = 0; i < cloud.count && cloud.points; i++)
        cloud.points[i] = make_point(kind, &random, i, side);
    return cloud;
}

void bench_cloud_free(bench_cloud *cloud)
{
    free(cloud->points);
    cloud->points = NULL;
}

const char *bench_cloud_model_name(uint32_t model)
{
    return model < sizeof models / sizeof *models ? models[model] : NULL;
}

bench_cloud bench_cloud_read_model(carom_context *context, const char *data_folder, uint32_t model)
{
    bench_cloud cloud = {.count = 0};
    char path[512];
    io_model file;
    snprintf(cloud.name, sizeof cloud.name, "%s", models[model]);
    snprintf(path, sizeof path, "%s/models/%s.obj", data_folder, models[model]);
    if (!carom_failed(io_read(context, path, NULL, &file)))
    {
        cloud.count = carom_mesh_get_info(file.mesh).vertex_count;
        cloud.points = malloc(((size_t)cloud.count + 1) * sizeof *cloud.points);
        for (uint32_t i = 0; i < cloud.count && cloud.points; i++)
            cloud.points[i] = carom_mesh_vertices(file.mesh)[i];
    }
    io_model_free(&file);
    return cloud;
}

/* u32 count, then 3 floats per point, little endian. */
bench_clouds bench_clouds_read(const char *data_folder)
{
    enum
    {
        MAX_CLOUDS = 10000,
        MAX_POINTS = 1000000
    };
    bench_clouds out = {malloc(MAX_POINTS * sizeof *out.points), malloc((MAX_CLOUDS + 1) * sizeof *out.first), 0};
    char path[512];
    snprintf(path, sizeof path, "%s/hulls/convex_hulls.bin", data_folder);
    FILE *file = fopen(path, "rb");
    uint32_t count, total = 0;
    while (file && out.points && out.first && out.count < MAX_CLOUDS && fread(&count, sizeof count, 1, file) == 1 &&
           count <= MAX_POINTS - total)
    {
        out.first[out.count] = total;
        float p[3];
        for (uint32_t i = 0; i < count && fread(p, sizeof p, 1, file) == 1; i++)
            out.points[total++] = numeric_vec(p[0], p[1], p[2]);
        out.first[++out.count] = total;
    }
    if (file)
        fclose(file);
    return out;
}

void bench_clouds_free(bench_clouds *clouds)
{
    free(clouds->points);
    free(clouds->first);
}
