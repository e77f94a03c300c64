/* Quadtrees of geometry images, rebuilt for every frame of a deforming surface, next to trees of the same mesh that are
 * built and refitted: in turn, on one thread, shortest times. */
#include "geoimage/geoimage.h"
#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>

enum
{
    ROUNDS = 15
};

typedef struct geoimage_frames
{
    uint32_t side;
    carom_vec3 *points;    /* of one frame after the other */
    carom_mesh *meshes[2]; /* two frames */
} geoimage_frames;

/* A waving sheet. */
static void place(geoimage_frames *frames, int frame)
{
    double step = 6.0 / (frames->side - 1), shift = 0.4 * frame;
    for (uint32_t y = 0; y < frames->side; y++)
        for (uint32_t x = 0; x < frames->side; x++)
        {
            double u = x * step, v = y * step;
            frames->points[(size_t)y * frames->side + x] =
                vec3(u, v, 0.3 * sin(2.0 * u + shift) * cos(1.5 * v + shift) + 0.05 * sin(9.0 * (u + v) + shift));
        }
}

static bool make_frames(bench_session *session, geoimage_frames *frames)
{
    size_t count = (size_t)frames->side * frames->side;
    carom_geoimage *image = NULL;
    frames->points = malloc(count * sizeof *frames->points);
    if (!frames->points)
        return session->failed = true, false;
    place(frames, 0);
    bool made =
        bench_check(session,
                    carom_geoimage_create_grid(session->context, frames->side, frames->side, frames->points, &image),
                    "image") &&
        bench_check(session, carom_geoimage_mesh(image, 0, &frames->meshes[0]), "mesh");
    carom_geoimage_destroy(image);
    if (!made)
        return false;
    place(frames, 1);
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = &frames->points->x, def.vertex_count = count;
    return bench_check(session, carom_mesh_deform(frames->meshes[0], &def, &frames->meshes[1]), "deformed mesh");
}

static double shorter(double a, double b) { return a < b ? a : b; }

/* Seconds: a tree built, a tree refitted, a quadtree built. */
static bool measure(bench_session *session, geoimage_frames *frames, double best[3])
{
    carom_tree *kept = NULL;
    geoimage_quadtree quadtree;
    if (!bench_check(session, carom_tree_create(session->context, frames->meshes[0], NULL, &kept), "tree"))
        return false;
    bool good = bench_check(session, geoimage_quadtree_create(session->context, frames->side, frames->side, &quadtree),
                            "quadtree");
    best[0] = best[1] = best[2] = HUGE_VAL;
    for (int i = 0; good && i < ROUNDS; i++)
    {
        const carom_mesh *mesh = frames->meshes[(i + 1) % 2];
        carom_tree *tree = NULL;
        double start = bench_now();
        geoimage_quadtree_build(&quadtree, mesh->vertices, &mesh->info.bounds);
        double built = bench_now();
        good = bench_check(session, carom_tree_refit(kept, mesh), "refit");
        double refitted = bench_now();
        good = good && bench_check(session, carom_tree_create(session->context, mesh, NULL, &tree), "tree");
        best[0] = shorter(best[0], bench_now() - refitted);
        best[1] = shorter(best[1], refitted - built);
        best[2] = shorter(best[2], built - start);
        carom_tree_destroy(tree);
    }
    geoimage_quadtree_free(&quadtree);
    carom_tree_destroy(kept);
    return good;
}

static void print_side(bench_session *session, uint32_t side)
{
    geoimage_frames frames = {.side = side};
    double best[3];
    if (make_frames(session, &frames) && measure(session, &frames, best))
        printf("  %4u x %4u: tree built in %8.3f ms, refitted in %8.3f ms, quadtree built in %7.3f ms: %5.1f and %5.1f "
               "times as fast\n",
               side, side, 1e3 * best[0], 1e3 * best[1], 1e3 * best[2], best[0] / best[2], best[1] / best[2]);
    carom_mesh_destroy(frames.meshes[0]);
    carom_mesh_destroy(frames.meshes[1]);
    free(frames.points);
}

void bench_geoimage(bench_session *session)
{
    if (!bench_wanted(session, "geoimage"))
        return;
    printf("geometry images (quadtrees of a deforming sheet, shortest of %d in turn)\n", ROUNDS);
    for (uint32_t side = 65; side <= (session->options->quick ? 129u : 1025u); side = 2 * side - 1)
        print_side(session, side);
}
