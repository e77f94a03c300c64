/* Tables 1 and 2 of the FDH paper (Wei, Wang, Wu, Shi 2001) on our versions of its three scenes, with the published
 * columns. Counts are only roughly comparable: the paper's models are not public and ours only have their triangle
 * counts; its times are of a 195 MHz R10000. */
#include "bench/bench.h"

#include "scenes/scenes.h"

#include <inttypes.h>
#include <stdio.h>

enum
{
    SCENE_COUNT = 3,
    ROW_COUNT = 5
};

typedef struct published
{
    double build_s, boxes, triangles, step_ms;
} published;

static const char *const scene_names[SCENE_COUNT] = {"fdh-1", "fdh-2", "fdh-3"};
static const double published_contacts[SCENE_COUNT] = {2305, 39802, 84931};

typedef struct row
{
    const char *name;
    carom_volume volume;
    carom_layout layout;
    published printed[SCENE_COUNT]; /* zeros: the paper has no such row */
} row;

static const row rows[ROW_COUNT] = {
    {"FDH14",
     CAROM_VOLUME_KDOP14,
     CAROM_LAYOUT_BINARY,
     {{.0105, 54872, 14570, .078}, {.231, 3.560e6, 131068, 21.431}, {7.111, 3.616e6, .516e6, 1.133}}},
    {"FDH18",
     CAROM_VOLUME_KDOP18,
     CAROM_LAYOUT_BINARY,
     {{.0113, 53851, 14601, .085}, {.252, 2.761e6, 120208, 17.563}, {7.929, 3.218e6, .505e6, 1.063}}},
    {"AABB",
     CAROM_VOLUME_AABB,
     CAROM_LAYOUT_BINARY,
     {{.0081, 149329, 43048, .103}, {.180, 4.594e6, 152352, 26.380}, {5.168, 7.866e6, .903e6, 1.939}}},
    {"OBB",
     CAROM_VOLUME_OBB,
     CAROM_LAYOUT_BINARY,
     {{.017, 11889, 2512, .157}, {.416, 662198, 78191, 28.920}, {17.293, .542e6, .203e6, 1.905}}},
    {"wide OBB, tight", CAROM_VOLUME_OBB, CAROM_LAYOUT_WIDE, {{0, 0, 0, 0}}},
};

typedef struct result
{
    double build_s, step_ms;
    uint64_t boxes, triangles, contacts;
} result;

static carom_tree_def row_def(const row *row)
{
    if (row->layout == CAROM_LAYOUT_WIDE)
        return carom_tree_def_preset(CAROM_TREE_TIGHT);
    carom_tree_def def = carom_tree_def_default();
    def.volume = row->volume;
    def.layout = CAROM_LAYOUT_BINARY;
    def.builder =
        CAROM_BUILDER_MEAN; /* the paper does not name its splitting rule; this was the usual one of its time */
    def.leaf_size = 1;
    return def;
}

/* All pairs of every step, as the paper counts them. */
static bool walk(bench_session *session, scenes_scene *scene, const carom_tree *trees[2], result *out)
{
    uint32_t steps = session->options->quick && scene->step_count > 50 ? 50 : scene->step_count;
    double seconds = 0;
    for (uint32_t step = 0; step < steps; step++)
    {
        scenes_move(scene, step);
        carom_placed a = {carom_shape_tree(trees[0]), scene->bodies[0].pose};
        carom_placed b = {carom_shape_tree(trees[1]), scene->bodies[1].pose};
        carom_report report;
        double start = bench_now();
        if (!bench_check(session, carom_collide(session->query, &a, &b, NULL, &report), scene->name))
            return false;
        seconds += bench_now() - start;
        out->boxes += report.counters.boxes_tested;
        out->triangles += report.counters.triangles_tested;
        out->contacts += report.pair_count;
    }
    out->step_ms = 1e3 * seconds / steps;
    return true;
}

static bool measure_row(bench_session *session, scenes_scene *scene, const row *row, result *out)
{
    carom_tree_def def = row_def(row);
    carom_tree *trees[2] = {NULL, NULL};
    bool good = true;
    *out = (result){0};
    for (int i = 0; good && i < 2; i++)
    {
        good = bench_check(session, carom_tree_create(session->context, scene->bodies[i].shape.mesh, &def, &trees[i]),
                           row->name);
        if (good)
            out->build_s += 1e-3 * carom_tree_get_info(trees[i]).build_ms;
    }
    const carom_tree *built[2] = {trees[0], trees[1]};
    good = good && walk(session, scene, built, out);
    carom_tree_destroy(trees[0]);
    carom_tree_destroy(trees[1]);
    return good;
}

static void print_row(const row *row, const result *result, const published *printed)
{
    printf("%-16s %9.5f %11" PRIu64 " %9" PRIu64 " %9.4f", row->name, result->build_s, result->boxes, result->triangles,
           result->step_ms);
    if (printed->build_s > 0)
        printf("   | %8.4f %10.0f %9.0f %8.3f", printed->build_s, printed->boxes, printed->triangles, printed->step_ms);
    printf("\n");
    fflush(stdout);
}

static void measure_scene(bench_session *session, int index)
{
    scenes_scene *scene = NULL;
    if (!bench_check(session, scenes_create(session->context, scene_names[index], &scene), scene_names[index]))
        return;
    printf("\n%s: %u + %u triangles, %u steps%s; ours, then the paper's\n%-16s %9s %11s %9s %9s   | %8s %10s %9s %8s\n",
           scene->name, carom_mesh_get_info(scene->bodies[0].shape.mesh).triangle_count,
           carom_mesh_get_info(scene->bodies[1].shape.mesh).triangle_count, scene->step_count,
           session->options->quick ? " (quick: the first 50)" : "", "tree", "build s", "N_b", "N_p", "ms/step",
           "build s", "N_b", "N_p", "ms");
    uint64_t contacts = 0;
    for (int i = 0; i < ROW_COUNT; i++)
    {
        result result;
        if (!measure_row(session, scene, &rows[i], &result))
            continue;
        print_row(&rows[i], &result, &rows[i].printed[index]);
        if (i > 0 && result.contacts != contacts)
        {
            printf("%s DIFFERS: %" PRIu64 " contacts, not %" PRIu64 "\n", rows[i].name, result.contacts, contacts);
            session->failed = true;
        }
        contacts = result.contacts;
    }
    printf("contacts over all steps: %" PRIu64 " (the paper's scene: %.0f)\n", contacts, published_contacts[index]);
    scenes_destroy(scene);
}

void bench_fdh(bench_session *session)
{
    for (int i = 0; i < SCENE_COUNT; i++)
        if (bench_wanted(session, "fdh") || bench_wanted(session, scene_names[i]))
            measure_scene(session, i);
}
