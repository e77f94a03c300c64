/* clouds.h: points to build hulls of, for the benchmarks. */
#ifndef BENCH_CLOUDS_H
#define BENCH_CLOUDS_H

#include "carom/carom.h"

typedef struct bench_cloud
{
    char name[32];
    carom_vec3 *points; /* null: no memory, or the file is absent */
    uint32_t count;
} bench_cloud;

typedef enum bench_cloud_kind
{
    BENCH_CLOUD_BALL,
    BENCH_CLOUD_SPHERE,
    BENCH_CLOUD_CUBE, /* its surface */
    BENCH_CLOUD_GRID, /* whole points of a cube */
    BENCH_CLOUD_KINDS
} bench_cloud_kind;

bench_cloud bench_cloud_make(bench_cloud_kind kind, uint32_t count);
void bench_cloud_free(bench_cloud *cloud);

/* The models of the data folder, by number; name is null past the last. */
const char *bench_cloud_model_name(uint32_t model);
bench_cloud bench_cloud_read_model(carom_context *context, const char *data_folder, uint32_t model);

/* The small clouds of a game, one after the other. */
typedef struct bench_clouds
{
    carom_vec3 *points;
    uint32_t *first; /* count + 1 */
    uint32_t count;  /* 0: the file is absent */
} bench_clouds;
bench_clouds bench_clouds_read(const char *data_folder);
void bench_clouds_free(bench_clouds *clouds);

#endif
