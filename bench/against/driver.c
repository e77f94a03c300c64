/* carom_against: two revisions of Carom in one process, asked in turn. scripts/bench_against builds the adapters and
 * runs this. Exit 1 if their answers differ. */
#define _GNU_SOURCE /* RTLD_DEEPBIND. NOLINT(bugprone-reserved-identifier): the system's own word */
#include "bench/against/workload.h"
#include "bench/machine.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef RTLD_DEEPBIND
#define RTLD_DEEPBIND 0 /* of glibc only; elsewhere it must do that adapters export no carom_* */
#endif

static const char *const usage =
    "carom_against [--quick] [--alternations N] [--model PART] OLD.so NEW.so\n"
    "carom_against [--quick] [--model PART] --count ONE.so\n"
    "  --quick           two models, 7 alternations\n"
    "  --alternations N  a time is the minimum of N, old and new in turn (default 31)\n"
    "  --model PART      models with this in their name only\n"
    "  --count           no times: one pass per cell through counted_pass, for callgrind; prints the cells\n"
    "models come from $CAROM_DATA/models (default ../shared/data), else they are generated\n";

enum
{
    OLD = 0,
    NEW = 1,
    /* Groups of cells that get a mean: questions with fast and tight trees, rays, builds and bytes of three trees. */
    RAY_GROUP = 2 * ADAPTER_QUESTION_COUNT,
    BUILD_GROUP = RAY_GROUP + 1,
    BYTES_GROUP = BUILD_GROUP + ADAPTER_TREE_COUNT,
    GROUP_COUNT = BYTES_GROUP + ADAPTER_TREE_COUNT
};

static const char *const question_names[ADAPTER_QUESTION_COUNT] = {"any-hit", "all pairs", "distance"};
static const char *const tree_names[ADAPTER_TREE_COUNT] = {"fast", "tight", "rays"};
static const double MIN_STRETCH = 50e-6;     /* seconds that one reading of the clock is worth */
static const double MAX_BUILD_SECONDS = 3.0; /* per tree; no new alternation after that */

typedef struct options
{
    const char *libraries[2];
    const char *model;
    int alternations;
    bool quick, count;
} options;

typedef struct group
{
    double log_sum, lowest;
    uint32_t cell_count;
    char lowest_cell[96];
} group;

typedef struct contest
{
    const options *options;
    const adapter *sides[2];
    int side_count;
    carom_context *context; /* of the driver's own library: models and poses */
    workload workload;
    const char *model;
    group groups[GROUP_COUNT];
    bool failed;
} contest;

/* One thing to ask: a question, or rays. */
typedef struct cell
{
    int group;
    adapter_question question;
    adapter_tree tree;
    int placement; /* -1: rays */
    uint32_t questions_per_pass;
} cell;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- means ---- */

static void group_name(int index, char out[40])
{
    if (index < RAY_GROUP)
        snprintf(out, 40, "%s, %s", question_names[index / 2], tree_names[index % 2]);
    else if (index == RAY_GROUP)
        snprintf(out, 40, "rays");
    else if (index < BYTES_GROUP)
        snprintf(out, 40, "build %s, ms", tree_names[index - BUILD_GROUP]);
    else
        snprintf(out, 40, "bytes per triangle, %s", tree_names[index - BYTES_GROUP]);
}

static void add_ratio(contest *contest, int index, const char *what, double ratio)
{
    group *group = &contest->groups[index];
    if (group->cell_count++ == 0 || ratio < group->lowest)
    {
        group->lowest = ratio;
        snprintf(group->lowest_cell, sizeof group->lowest_cell, "%s%s%s", contest->model, what[0] ? " " : "", what);
    }
    group->log_sum += log(ratio);
}

static void print_row(contest *contest, int index, const char *what, const double values[2], const char *mark)
{
    char name[40];
    group_name(index, name);
    printf("%-22s %-26s %-6s %11.3f %11.3f %7.3f%s\n", contest->model, name, what, values[OLD], values[NEW],
           values[OLD] / values[NEW], mark);
    fflush(stdout);
    add_ratio(contest, index, what, values[OLD] / values[NEW]);
}

static void print_means(const contest *contest)
{
    printf("\n%-26s %5s %10s %8s\n", "old / new", "cells", "geo. mean", "lowest");
    for (int i = 0; i < GROUP_COUNT; i++)
    {
        const group *group = &contest->groups[i];
        char name[40];
        group_name(i, name);
        if (group->cell_count > 0)
            printf("%-26s %5u %10.3f %8.3f  %s\n", name, group->cell_count, exp(group->log_sum / group->cell_count),
                   group->lowest, group->lowest_cell);
    }
}

/* ---- questions ---- */

static double pass(const contest *contest, const adapter *side, const cell *cell)
{
    return cell->placement < 0 ? side->cast(contest->workload.rays, WORKLOAD_RAY_COUNT) : side->ask(cell->question);
}

static double time_passes(const contest *contest, const adapter *side, const cell *cell, int loops)
{
    double start = now();
    for (int i = 0; i < loops; i++)
        pass(contest, side, cell);
    return (now() - start) / loops;
}

static void measure_cell(contest *contest, const cell *cell)
{
    double sums[2], seconds[2] = {INFINITY, INFINITY}, longest = 0.0;
    for (int i = 0; i < 2; i++)
    {
        sums[i] = pass(contest, contest->sides[i], cell);
        longest = fmax(longest, time_passes(contest, contest->sides[i], cell, 1));
    }
    int loops = longest < MIN_STRETCH ? (int)(MIN_STRETCH / longest) + 1 : 1;
    for (int i = 0; i < contest->options->alternations; i++)
        for (int turn = 0; turn < 2; turn++)
        {
            int side = (i + turn) % 2;
            seconds[side] = fmin(seconds[side], time_passes(contest, contest->sides[side], cell, loops));
        }
    /* Distances were not rounded correctly in 0.1; counts are whole numbers. NaN after a failure differs too. */
    bool differs = !(fabs(sums[OLD] - sums[NEW]) <= 1e-13 * fabs(sums[OLD]));
    contest->failed |= differs;
    double values[2] = {1e6 * seconds[OLD] / cell->questions_per_pass, 1e6 * seconds[NEW] / cell->questions_per_pass};
    print_row(contest, cell->group, cell->placement < 0 ? "" : workload_placement_names[cell->placement], values,
              differs ? "  DIFFERS" : "");
}

/* Callgrind counts in here and dumps at its end: the script knows it by its name. */
#if defined(__GNUC__)
__attribute__((noinline))
#endif
double
counted_pass(const contest *contest, const cell *cell);
double counted_pass(const contest *contest, const cell *cell)
{
    volatile double sum = pass(contest, contest->sides[OLD], cell); /* not a tail call */
    return sum;
}

/* After one pass that warms up. The sum goes along: the script compares it. */
static void count_cell(contest *contest, const cell *cell)
{
    pass(contest, contest->sides[OLD], cell);
    double sum = counted_pass(contest, cell);
    char name[40];
    group_name(cell->group, name);
    printf("%s\t%s\t%s\t%u\t%.17g\n", contest->model, name,
           cell->placement < 0 ? "-" : workload_placement_names[cell->placement], cell->questions_per_pass, sum);
    contest->failed |= isnan(sum);
}

static void run_cell(contest *contest, const cell *cell)
{
    for (int i = 0; i < contest->side_count; i++)
        if (cell->placement >= 0)
            contest->sides[i]->place(cell->tree, contest->workload.poses[cell->placement], WORKLOAD_POSE_COUNT);
    if (contest->options->count)
        count_cell(contest, cell);
    else
        measure_cell(contest, cell);
}

static void run_questions(contest *contest)
{
    for (int i = 0; i < RAY_GROUP; i++)
        for (int placement = 0; placement < WORKLOAD_PLACEMENT_COUNT; placement++)
        {
            cell cell = {i, (adapter_question)(i / 2), (adapter_tree)(i % 2), placement, WORKLOAD_POSE_COUNT};
            run_cell(contest, &cell);
        }
    cell rays = {.group = RAY_GROUP, .tree = ADAPTER_RAYS, .placement = -1, .questions_per_pass = WORKLOAD_RAY_COUNT};
    run_cell(contest, &rays);
}

/* ---- builds ---- */

static void measure_builds(contest *contest)
{
    for (int tree = 0; tree < ADAPTER_TREE_COUNT; tree++)
    {
        double milliseconds[2] = {INFINITY, INFINITY}, bytes[2], begin = now();
        for (int i = 0; i < contest->options->alternations && (i < 3 || now() - begin < MAX_BUILD_SECONDS); i++)
            for (int turn = 0; turn < 2; turn++)
            {
                int side = (i + turn) % 2;
                double start = now();
                contest->failed |= !contest->sides[side]->build((adapter_tree)tree);
                milliseconds[side] = fmin(milliseconds[side], 1e3 * (now() - start));
            }
        if (contest->failed)
            return;
        for (int side = 0; side < 2; side++)
            bytes[side] = contest->sides[side]->bytes_per_triangle((adapter_tree)tree);
        print_row(contest, BUILD_GROUP + tree, "", milliseconds, "");
        print_row(contest, BYTES_GROUP + tree, "", bytes, "");
    }
}

/* ---- models and revisions ---- */

static bool set_model(contest *contest, const adapter *side)
{
    const carom_mesh *mesh = contest->workload.mesh;
    carom_mesh_info info = carom_mesh_get_info(mesh);
    adapter_mesh source = {&carom_mesh_vertices(mesh)->x, info.vertex_count, carom_mesh_indices(mesh),
                           info.triangle_count};
    bool good = side->set_model(&source);
    for (int tree = 0; good && tree < ADAPTER_TREE_COUNT; tree++)
        good = side->build((adapter_tree)tree);
    return good;
}

static void run_model(contest *contest, const char *name)
{
    contest->model = workload_short_name(name);
    bool good = !carom_failed(workload_open(contest->context, name, &contest->workload));
    for (int i = 0; good && i < contest->side_count; i++)
        good = set_model(contest, contest->sides[i]);
    if (good)
        run_questions(contest);
    if (good && !contest->options->count)
        measure_builds(contest);
    if (!good)
        fprintf(stderr, "carom_against: %s could not be set up\n", contest->model);
    contest->failed |= !good;
    workload_close(&contest->workload);
}

static const adapter *load(const char *path)
{
    /* Local and bound deeply: each finds its own carom_* functions, and neither the other's nor the driver's. */
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    adapter_get_fn *get = NULL;
    void *symbol = library ? dlsym(library, ADAPTER_ENTRY) : NULL;
    memcpy(&get, &symbol, sizeof get); /* ISO C has no cast between the two kinds of pointers */
    if (!get)
    {
        fprintf(stderr, "carom_against: %s\n", dlerror());
        return NULL;
    }
    const adapter *adapter = get();
    return adapter->open() ? adapter : NULL;
}

static bool open_contest(contest *contest)
{
    contest->side_count = contest->options->count ? 1 : 2;
    for (int i = 0; i < contest->side_count; i++)
        if (!(contest->sides[i] = load(contest->options->libraries[i])))
            return false;
    return carom_context_create(NULL, &contest->context) == CAROM_OK;
}

static void print_head(const contest *contest)
{
    char machine[MACHINE_TEXT_SIZE];
    machine_describe(machine);
    printf("%s\nold %s, new %s; minimum of %d, in turn; microseconds per question, ms per build; old / new\n"
           "%-22s %-26s %-6s %11s %11s %7s\n",
           machine, contest->sides[OLD]->version(), contest->sides[NEW]->version(), contest->options->alternations,
           "model", "question, tree", "", "old", "new", "ratio");
}

static void run_contest(contest *contest)
{
    workload_names names;
    workload_find(&names);
    int left = contest->options->quick ? 2 : WORKLOAD_MAX_MODELS;
    if (!contest->options->count)
        print_head(contest);
    for (uint32_t i = 0; i < names.count && left > 0; i++)
        if (!contest->options->model || strstr(workload_short_name(names.names[i]), contest->options->model))
        {
            run_model(contest, names.names[i]);
            left--;
        }
    if (!contest->options->count)
        print_means(contest);
}

static bool parse(int argc, char **argv, options *out)
{
    int library_count = 0;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--quick") == 0)
            out->quick = true;
        else if (strcmp(argv[i], "--count") == 0)
            out->count = true;
        else if (strcmp(argv[i], "--model") == 0 && i + 1 < argc)
            out->model = argv[++i];
        else if (strcmp(argv[i], "--alternations") == 0 && i + 1 < argc)
            out->alternations = (int)strtol(argv[++i], NULL, 10);
        else if (argv[i][0] != '-' && library_count < 2)
            out->libraries[library_count++] = argv[i];
        else
            return false;
    if (out->alternations == 0)
        out->alternations = out->quick ? 7 : 31;
    return out->alternations > 0 && library_count == (out->count ? 1 : 2);
}

int main(int argc, char **argv)
{
    options options = {.alternations = 0};
    if (!parse(argc, argv, &options))
    {
        fputs(usage, stderr);
        return 2;
    }
    contest contest = {.options = &options};
    if (!open_contest(&contest))
        return 2;
    run_contest(&contest);
    for (int i = 0; i < contest.side_count; i++)
        contest.sides[i]->close();
    carom_context_destroy(contest.context);
    return contest.failed ? 1 : 0;
}
