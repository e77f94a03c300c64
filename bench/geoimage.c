/* Quadtrees of geometry images, rebuilt for every frame of a deforming surface, next to trees of the same mesh that are
 * built and refitted: in turn, on one thread, shortest times. */
#include "geoimage/geoimage.h"
#include "bench/bench.h"
#include "scenes/grids.h"

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

static bool make_frames(bench_session *session, geoimage_frames *frames)
{
    frames->points = malloc((size_t)frames->side * frames->side * sizeof *frames->points);
    if (!frames->points)
        return session->failed = true, false;
    grids_sheet(frames->side, frames->side, 0.0, frames->points);
    if (!bench_check(session,
                     grids_mesh(session->context, frames->side, frames->side, frames->points, &frames->meshes[0]),
                     "mesh"))
        return false;
    grids_sheet(frames->side, frames->side, 0.06, frames->points);
    return bench_check(session, grids_deform(frames->meshes[0], frames->points, &frames->meshes[1]), "deformed mesh");
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
