/* Convex hulls: time per hull of generated points, of models and of a game's small clouds. */
#include "bench/bench.h"
#include "bench/clouds.h"

#include <stdio.h>

enum
{
    REPETITIONS = 5
};

/* The shortest time of a hull through the public function, or a negative number. */
static double measure(bench_session *session, const carom_vec3 *points, uint32_t count, carom_hull_info *info)
{
    carom_hull_def def = carom_hull_def_default();
    def.points_f64 = &points->x, def.point_count = count;
    double best = -1.0;
    for (int i = 0; i < REPETITIONS; i++)
    {
        carom_hull *hull;
        double start = bench_now();
        if (!bench_check(session, carom_hull_create(session->context, &def, &hull), "hull"))
            return -1.0;
        double seconds = bench_now() - start;
        best = best < 0.0 || seconds < best ? seconds : best;
        *info = carom_hull_get_info(hull);
        carom_hull_destroy(hull);
    }
    return best;
}

static void print_cloud(bench_session *session, bench_cloud *cloud)
{
    carom_hull_info info = {0};
    if (cloud->points)
    {
        double seconds = measure(session, cloud->points, cloud->count, &info);
        printf("  %-16s %8u points, %8u vertices: %10.3f ms, %7.1f ns per point\n", cloud->name, cloud->count,
               info.vertex_count, 1e3 * seconds, 1e9 * seconds / cloud->count);
    }
    else
        printf("  %-16s absent\n", cloud->name);
    bench_cloud_free(cloud);
}

static void print_small(bench_session *session)
{
    bench_clouds clouds = bench_clouds_read(session->options->data_folder);
    double total = 0.0;
    for (uint32_t i = 0; i < clouds.count; i++)
    {
        carom_hull_info info;
        total += measure(session, clouds.points + clouds.first[i], clouds.first[i + 1] - clouds.first[i], &info);
    }
    if (clouds.count > 0)
        printf("  %u clouds of a game, %.1f points each: %.2f microseconds per hull\n", clouds.count,
               (double)clouds.first[clouds.count] / clouds.count, 1e6 * total / clouds.count);
    bench_clouds_free(&clouds);
}

void bench_hull(bench_session *session)
{
    if (!bench_wanted(session, "hull"))
        return;
    printf("convex hulls (carom_hull_create, shortest of %d)\n", REPETITIONS);
    for (int kind = 0; kind < BENCH_CLOUD_KINDS; kind++)
        for (uint32_t count = 1000; count <= (session->options->quick ? 10000u : 1000000u); count *= 10)
        {
            bench_cloud cloud = bench_cloud_make((bench_cloud_kind)kind, count);
            print_cloud(session, &cloud);
        }
    for (uint32_t model = 0; bench_cloud_model_name(model); model++)
    {
        bench_cloud cloud = bench_cloud_read_model(session->context, session->options->data_folder, model);
        print_cloud(session, &cloud);
    }
    print_small(session);
}
