/* Convex pieces: time against triangles, of generated shapes, of flat regions, of fans and of a scanned model. */
#include "bench/bench.h"

#include "carom/io.h"
#include "scenes/fans.h"
#include "scenes/flats.h"
#include "scenes/generate.h"

#include <stdio.h>

static void measure(bench_session *session, const char *name, carom_mesh *mesh)
{
    carom_pieces_info best = {0};
    int repetitions = carom_mesh_get_info(mesh).triangle_count > 100000 ? 1 : 3;
    for (int i = 0; i < repetitions; i++)
    {
        carom_pieces *pieces;
        if (!bench_check(session, carom_pieces_create(session->context, mesh, &pieces), "pieces"))
            return;
        carom_pieces_info info = carom_pieces_get_info(pieces);
        best = i == 0 || info.ms < best.ms ? info : best;
        carom_pieces_destroy(pieces);
    }
    printf("  %-16s %8u triangles, %7u pieces: %10.2f ms, %7.2f microseconds per triangle\n", name, best.triangle_count,
           best.piece_count, best.ms, 1e3 * best.ms / best.triangle_count);
}

static void measure_shape(bench_session *session, generate_kind kind, uint32_t triangles)
{
    generate_def def = generate_def_default(kind);
    def.triangles = triangles;
    carom_mesh *mesh;
    if (!bench_check(session, generate_mesh(session->context, &def, &mesh), "shape"))
        return;
    measure(session, generate_get_info(kind)->name, mesh);
    carom_mesh_destroy(mesh);
}

static void measure_flat(bench_session *session, flats_kind kind, uint32_t triangles)
{
    carom_mesh *mesh;
    if (!bench_check(session, flats_make(session->context, kind, triangles, &mesh), "flat mesh"))
        return;
    measure(session, flats_name(kind), mesh);
    carom_mesh_destroy(mesh);
}

static void measure_fan(bench_session *session, fans_kind kind, uint32_t triangles)
{
    carom_mesh *mesh;
    if (!bench_check(session, fans_make(session->context, kind, triangles, &mesh), "fan"))
        return;
    measure(session, fans_name(kind), mesh);
    carom_mesh_destroy(mesh);
}

static void measure_bunny(bench_session *session)
{
    char path[1024];
    io_model file;
    snprintf(path, sizeof path, "%s/models/stanford-bunny.obj", session->options->data_folder);
    if (carom_failed(io_read(session->context, path, NULL, &file)))
        printf("  bunny            absent\n");
    else
    {
        measure(session, "bunny", file.mesh);
        bench_strips(session, file.mesh);
    }
    io_model_free(&file);
}

void bench_pieces(bench_session *session)
{
    static const generate_kind shapes[] = {GENERATE_TORUS, GENERATE_ICO_SPHERE};
    if (!bench_wanted(session, "pieces"))
        return;
    printf("convex pieces (carom_pieces_create, shortest of three; of large ones the only one)\n");
    measure_bunny(session);
    for (uint32_t count = 1000; count <= (session->options->quick ? 10000u : 1000000u); count *= 10)
    {
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
            measure_shape(session, shapes[i], count);
        for (int kind = 0; kind < FLATS_COUNT; kind++)
            measure_flat(session, (flats_kind)kind, count);
        for (int kind = 0; kind < FANS_COUNT && count <= 100000; kind++)
            measure_fan(session, (fans_kind)kind, count);
    }
}
