/* carom_bench_hulls: hulls against libqhull, in one process and in turn, so that a busy machine slows both down. Prints
 * the shortest time of each and the ratio, and fails if the numbers of vertices differ where the points are generic. */
#include "bench/clouds.h"
#include "hull/hull.h"

#include <libqhull_r/qhull_ra.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct contest
{
    double ours, theirs; /* seconds; the shortest */
    uint32_t our_vertices, their_vertices;
} contest;

/* Of this process: others do not count. */
static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double build_ours(hull_space *space, const carom_vec3 *points, uint32_t count, uint32_t *vertices)
{
    hull hull;
    double start = now();
    if (carom_failed(hull_build_in(space, points, count, &hull)))
        exit(2);
    double seconds = now() - start;
    *vertices = hull.vertex_count;
    hull_free(&hull);
    return seconds;
}

/* No vertices: it refused the points. */
static double build_theirs(const carom_vec3 *points, uint32_t count, FILE *errors, uint32_t *vertices)
{
    static char command[] = "qhull Pp";
    qhT qh;
    int left, total;
    memset(&qh, 0, sizeof qh);
    coordT *copy = malloc((size_t)count * sizeof *points);
    if (!copy)
        exit(2);
    memcpy(copy, points, (size_t)count * sizeof *points);
    double start = now();
    qh_zero(&qh, errors);
    bool refused = qh_new_qhull(&qh, 3, (int)count, copy, False, command, NULL, errors) != 0;
    double seconds = now() - start;
    *vertices = refused ? 0 : (uint32_t)qh.num_vertices;
    qh_freeqhull(&qh, qh_ALL);
    qh_memfreeshort(&qh, &left, &total);
    free(copy);
    return seconds;
}

static contest compete(hull_space *space, const carom_vec3 *points, uint32_t count, FILE *errors, int repetitions)
{
    contest c = {1e30, 1e30, 0, 0};
    for (int i = 0; i < repetitions; i++)
    {
        double ours = build_ours(space, points, count, &c.our_vertices);
        double theirs = build_theirs(points, count, errors, &c.their_vertices);
        c.ours = ours < c.ours ? ours : c.ours, c.theirs = theirs < c.theirs ? theirs : c.theirs;
    }
    return c;
}

/* False if the vertices differ. */
static bool print_cloud(hull_space *space, bench_cloud *cloud, FILE *errors)
{
    if (!cloud->points)
        return true;
    contest c = compete(space, cloud->points, cloud->count, errors, cloud->count > 200000 ? 2 : 5);
    bool same = c.our_vertices == c.their_vertices;
    printf("%-16s %8u points, %8u vertices: %10.3f ms, qhull %10.3f ms, ratio %5.2f%s\n", cloud->name, cloud->count,
           c.our_vertices, 1e3 * c.ours, 1e3 * c.theirs, c.theirs / c.ours, same ? "" : "  VERTICES DIFFER");
    bench_cloud_free(cloud);
    return same;
}

static void print_small(hull_space *space, const char *data, FILE *errors)
{
    bench_clouds clouds = bench_clouds_read(data);
    contest sum = {0.0, 0.0, 0, 0};
    uint32_t differ = 0, refused = 0;
    for (uint32_t i = 0; i < clouds.count; i++)
    {
        contest c = compete(space, clouds.points + clouds.first[i], clouds.first[i + 1] - clouds.first[i], errors, 5);
        sum.ours += c.ours, sum.theirs += c.theirs;
        refused += c.their_vertices == 0, differ += c.their_vertices != 0 && c.their_vertices != c.our_vertices;
    }
    if (clouds.count > 0)
        printf("%u clouds of a game, %.1f points each: %.2f us, qhull %.2f us, ratio %.2f (it refuses %u, differs on "
               "%u)\n",
               clouds.count, (double)clouds.first[clouds.count] / clouds.count, 1e6 * sum.ours / clouds.count,
               1e6 * sum.theirs / clouds.count, sum.theirs / sum.ours, refused, differ);
    bench_clouds_free(&clouds);
}

int main(int argc, char **argv)
{
    bool quick = argc == 2 && strcmp(argv[1], "--quick") == 0, same = true;
    const char *data = getenv("CAROM_DATA") ? getenv("CAROM_DATA") : "../shared/data";
    carom_context *context;
    hull_space *space;
    FILE *errors = fopen("/dev/null", "w");
    if ((argc > 1 && !quick) || !errors || carom_context_create(NULL, &context) != CAROM_OK ||
        hull_space_create(context, &space) != CAROM_OK)
        return fputs("usage: carom_bench_hulls [--quick]\n", stderr), 2;
    for (int kind = 0; kind < BENCH_CLOUD_KINDS; kind++)
        for (uint32_t count = 1000; count <= (quick ? 10000u : 1000000u); count *= 10)
        {
            bench_cloud cloud = bench_cloud_make((bench_cloud_kind)kind, count);
            same &= print_cloud(space, &cloud, errors);
        }
    for (uint32_t model = 0; bench_cloud_model_name(model); model++)
    {
        bench_cloud cloud = bench_cloud_read_model(context, data, model);
        same &= print_cloud(space, &cloud, errors);
    }
    print_small(space, data, errors);
    hull_space_destroy(space);
    carom_context_destroy(context);
    fclose(errors);
    return same ? 0 : 1;
}
