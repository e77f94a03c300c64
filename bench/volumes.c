/* Every volume with every builder on the same models and poses, and the wide layouts. The answers must be the same
 * for all: a row that differs from the first is marked and fails the bench. */
#include "bench/bench.h"

#include "carom/io.h"
#include "scenes/generate.h"
#include "scenes/poses.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    MAX_POSES = 5,
    REPETITIONS = 5
};

typedef enum question
{
    ANY_HIT = 0,
    ALL_PAIRS,
    DISTANCE,
    QUESTION_COUNT
} question;

static const char *const question_names[QUESTION_COUNT] = {"any-hit", "all pairs", "distance"};
/* Where each question is hardest without being the same for every tree. */
static const poses_class question_poses[QUESTION_COUNT] = {POSES_APART_01, POSES_DEEP, POSES_APART_1};

/* A model against itself, with the poses of each question and the answers of the first tree. */
typedef struct subject
{
    char name[64];
    carom_mesh *mesh;
    uint32_t pose_count;
    poses_pair poses[QUESTION_COUNT][MAX_POSES];
    uint64_t hashes[QUESTION_COUNT][MAX_POSES];
    bool has_hashes;
} subject;

/* Sums over the poses of one question. */
typedef struct measure
{
    double microseconds; /* per question */
    double boxes, triangles;
    bool differs;
} measure;

typedef struct measuring
{
    carom_query *query;
    const carom_mesh *mesh;
    const carom_tree *tree;
} measuring;

static carom_status measure_distance(void *user, const carom_pose *a, const carom_pose *b, double *out)
{
    const measuring *with = user;
    carom_placed placed_a = {carom_shape_tree(with->tree), *a}, placed_b = {carom_shape_tree(with->tree), *b};
    carom_report report;
    carom_status status = carom_distance(with->query, &placed_a, &placed_b, NULL, &report);
    *out = report.distance;
    return status;
}

static bool place(bench_session *session, subject *subject)
{
    carom_tree *tree = NULL;
    if (!bench_check(session, carom_tree_create(session->context, subject->mesh, NULL, &tree), "default tree"))
        return false;
    measuring with = {session->query, subject->mesh, tree};
    poses_oracle oracle = {measure_distance, &with};
    bool good = true;
    subject->pose_count = session->options->quick ? 3 : MAX_POSES;
    for (int q = 0; good && q < QUESTION_COUNT; q++)
        for (uint32_t i = 0; good && i < subject->pose_count; i++)
            good = bench_check(
                session,
                poses_make(subject->mesh, subject->mesh, &oracle, question_poses[q], i + 1, &subject->poses[q][i]),
                "poses");
    carom_tree_destroy(tree);
    return good;
}

static carom_status ask(carom_query *query, question question, const carom_placed *a, const carom_placed *b,
                        carom_report *report)
{
    carom_collide_options options = carom_collide_options_default();
    if (question == DISTANCE)
        return carom_distance(query, a, b, NULL, report);
    options.mode = question == ANY_HIT ? CAROM_COLLIDE_ANY : CAROM_COLLIDE_ALL;
    return carom_collide(query, a, b, &options, report);
}

/* The lowest time of some repetitions at one pose. */
static bool measure_pose(bench_session *session, question question, const carom_placed *a, const carom_placed *b,
                         carom_report *report, double *seconds)
{
    *seconds = INFINITY;
    double begin = bench_now();
    for (int repetition = 0; repetition < REPETITIONS && bench_now() - begin < 0.2; repetition++)
    {
        double start = bench_now();
        if (!bench_check(session, ask(session->query, question, a, b, report), question_names[question]))
            return false;
        double taken = bench_now() - start;
        *seconds = taken < *seconds ? taken : *seconds;
    }
    return true;
}

static bool measure_question(bench_session *session, subject *subject, const carom_tree *tree, question question,
                             measure *out)
{
    *out = (measure){0};
    for (uint32_t i = 0; i < subject->pose_count; i++)
    {
        carom_placed a = {carom_shape_tree(tree), subject->poses[question][i].a};
        carom_placed b = {carom_shape_tree(tree), subject->poses[question][i].b};
        carom_report report;
        double seconds;
        if (!measure_pose(session, question, &a, &b, &report, &seconds))
            return false;
        out->microseconds += 1e6 * seconds / subject->pose_count;
        out->boxes += (double)report.counters.boxes_tested / subject->pose_count;
        out->triangles += (double)report.counters.triangles_tested / subject->pose_count;
        if (!subject->has_hashes)
            subject->hashes[question][i] = report.hash;
        out->differs |= subject->hashes[question][i] != report.hash;
    }
    return true;
}

static void measure_tree(bench_session *session, subject *subject, const char *label, const carom_tree_def *def)
{
    carom_tree *tree = NULL;
    carom_status status = carom_tree_create(session->context, subject->mesh, def, &tree);
    if (status == CAROM_UNSUPPORTED)
    {
        printf("%-20s not offered\n", label);
        return;
    }
    if (!bench_check(session, status, label))
        return;
    carom_tree_info info = carom_tree_get_info(tree);
    printf("%-20s %9.2f %7.1f %5u %8.1f %8.2f", label, info.build_ms, info.bytes_per_triangle, info.depth,
           info.area_cost, info.volume_cost);
    bool differs = false, good = true;
    for (int q = 0; good && q < QUESTION_COUNT; q++)
    {
        measure result;
        good = measure_question(session, subject, tree, (question)q, &result);
        printf(" %10.1f %9.0f %7.0f", result.microseconds, result.boxes, result.triangles);
        differs |= result.differs;
    }
    printf("%s\n", differs ? "  DIFFERS" : "");
    session->failed |= differs;
    subject->has_hashes |= good;
    carom_tree_destroy(tree);
    fflush(stdout);
}

static void measure_all(bench_session *session, subject *subject)
{
    printf(
        "\n%s against itself, %u triangles; build ms, bytes per triangle, depth, area and volume cost; then for\n"
        "any-hit (0.1 %% apart), all pairs (deep), distance (1 %% apart): microseconds, box tests N_b, triangle tests "
        "N_p per question\n"
        "%-20s %9s %7s %5s %8s %8s %10s %9s %7s %10s %9s %7s %10s %9s %7s\n",
        subject->name, carom_mesh_get_info(subject->mesh).triangle_count, "tree", "build", "bytes", "depth", "area",
        "volume", "any us", "N_b", "N_p", "all us", "N_b", "N_p", "dist us", "N_b", "N_p");
    carom_tree_def def = carom_tree_def_preset(CAROM_TREE_FAST);
    measure_tree(session, subject, "wide obb, fast", &def);
    def = carom_tree_def_preset(CAROM_TREE_TIGHT);
    measure_tree(session, subject, "wide obb, tight", &def);
    for (int volume = 0; volume < CAROM_VOLUME_COUNT; volume++)
        for (int builder = 0; builder < CAROM_BUILDER_COUNT; builder++)
        {
            char label[64];
            snprintf(label, sizeof label, "%s %s", carom_volume_name((carom_volume)volume),
                     carom_builder_name((carom_builder)builder));
            def = carom_tree_def_default();
            def.layout = CAROM_LAYOUT_BINARY;
            def.volume = (carom_volume)volume;
            def.builder = (carom_builder)builder;
            measure_tree(session, subject, label, &def);
        }
}

static bool generate_subject(bench_session *session, const char *kind, uint32_t triangles, subject *out)
{
    generate_kind found;
    if (!generate_find(kind, &found))
    {
        printf("%s left out: no such generator\n", kind);
        return false;
    }
    generate_def def = generate_def_default(found);
    def.triangles = triangles;
    snprintf(out->name, sizeof out->name, "%s", kind);
    return bench_check(session, generate_mesh(session->context, &def, &out->mesh), kind);
}

static void run_subject(bench_session *session, subject *subject)
{
    if (place(session, subject))
        measure_all(session, subject);
    carom_mesh_destroy(subject->mesh);
}

void bench_volumes(bench_session *session)
{
    bool all = bench_wanted(session, "volumes");
    subject knot = {0}, bunny = {0};
    if ((all || bench_wanted(session, "torus-knot")) &&
        generate_subject(session, "torus-knot", session->options->quick ? 2000 : 10000, &knot))
        run_subject(session, &knot);
    if (!all && !bench_wanted(session, "stanford-bunny"))
        return;
    char path[512];
    snprintf(path, sizeof path, "%s/models/stanford-bunny.obj", session->options->data_folder);
    io_model model;
    if (session->options->quick || carom_failed(io_read(session->context, path, NULL, &model)))
    {
        printf("stanford-bunny left out: %s\n", session->options->quick ? "quick" : "no such file, set CAROM_DATA");
        return;
    }
    snprintf(bunny.name, sizeof bunny.name, "stanford-bunny");
    bunny.mesh = model.mesh;
    model.mesh = NULL;
    io_model_free(&model);
    run_subject(session, &bunny);
}
