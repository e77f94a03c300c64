/* The hard cases of cliffs.c through the engines that draw images: each pair as a scene of two bodies. */
#include "bench/image_cliffs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const ENGINES[] = {"tree", "image", "image-sampled", "cullide"};

enum
{
    ENGINE_COUNT = sizeof ENGINES / sizeof ENGINES[0],
    REPETITIONS = 40 /* engine image needs some to find out what is faster */
};

static const double ENOUGH = 0.5; /* seconds per engine and question */

/* The first run, which makes trees and pieces, and the fastest of the others. */
typedef struct image_timing
{
    double first, best;
    uint64_t hash;
} image_timing;

static bool time_engine(bench_session *session, const image_case *the_case, carom_engine *engine,
                        const carom_collide_options *options, image_timing *out)
{
    carom_frame frame;
    carom_scene_report report;
    double spent = 0.0;
    *out = (image_timing){.best = INFINITY};
    for (int i = 0; i <= REPETITIONS && (i < 2 || spent < ENOUGH); i++)
    {
        if (the_case->empty_caches)
            the_case->empty_caches(the_case->user);
        double start = bench_now();
        if (!bench_check(session, carom_scene_frame(the_case->scene, &frame), the_case->name) ||
            !bench_check(session, carom_engine_run(engine, &frame, options, &report), the_case->name))
            return false;
        double seconds = bench_now() - start;
        spent += seconds, out->hash = report.hash;
        *(i == 0 ? &out->first : &out->best) = i == 0 ? seconds : fmin(out->best, seconds);
    }
    return true;
}

static void run_question(bench_session *session, const image_case *the_case, bool all)
{
    carom_collide_options options = carom_collide_options_default();
    image_timing timing[ENGINE_COUNT];
    options.mode = all ? CAROM_COLLIDE_ALL : CAROM_COLLIDE_ANY;
    for (int i = 0; i < ENGINE_COUNT; i++)
    {
        carom_engine *engine;
        carom_engine_def def = {.engine = ENGINES[i]};
        if (!bench_check(session, carom_engine_create(session->context, &def, &engine), ENGINES[i]))
            return;
        bool good = time_engine(session, the_case, engine, &options, &timing[i]);
        carom_engine_destroy(engine);
        if (!good)
            return;
    }
    bool differs = timing[1].hash != timing[0].hash || timing[3].hash != timing[0].hash;
    printf("%-36s %-10s", the_case->name, all ? "all pairs" : "any-hit");
    for (int i = 0; i < ENGINE_COUNT; i++)
        printf(" %13.1f", 1e6 * timing[i].best);
    printf(" %10.1f %8.3g%s\n", 1e3 * timing[1].first, timing[1].best / timing[0].best, differs ? "  DIFFERS" : "");
    fflush(stdout);
    session->failed |= differs;
}

bool image_cliffs_begin(bench_session *session)
{
    carom_gpu_info info;
    if (carom_gpu_describe(session->context, &info) != CAROM_OK)
        return printf("\nimage: no graphics driver\n"), false;
    printf("\nimage: %s\nmicroseconds per frame of two bodies, the fastest of several; then the milliseconds of engine "
           "image's first frame, with its pieces, and image over tree\n%-36s %-10s",
           info.renderer, "case", "question");
    for (int i = 0; i < ENGINE_COUNT; i++)
        printf(" %13s", ENGINES[i]);
    printf(" %10s %8s\n", "first, ms", "/tree");
    return true;
}

void image_cliffs_run(bench_session *session, const carom_placed placed[2], image_case the_case)
{
    bool good = bench_check(session, carom_scene_create(session->context, &the_case.scene), the_case.name);
    for (int i = 0; i < 2 && good; i++)
    {
        carom_body_def body = carom_body_def_default();
        carom_body_id id;
        body.placed = placed[i];
        good = bench_check(session, carom_scene_add(the_case.scene, &body, &id), the_case.name);
    }
    for (int all = 0; all < 2 && good; all++)
        run_question(session, &the_case, all != 0);
    carom_scene_destroy(the_case.scene);
}
