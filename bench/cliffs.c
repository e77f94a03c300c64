/* Hard cases: where a fast traversal could fall off a cliff. Each question through the wide trees and, as a yardstick,
 * through binary trees of oriented boxes; a ratio below 1 means that the wide tree is the slower one. */
#include "bench/bench.h"

#include "bench/image_cliffs.h"
#include "bench/machine.h"
#include "scenes/generate.h"
#include "scenes/numeric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    TREE_COUNT = 3, /* fast, tight, binary */
    BINARY = 2,
    QUESTION_COUNT = 3,
    REPETITIONS = 9,
    CACHE_LINE = 64
};

static const char *const question_names[QUESTION_COUNT] = {"any-hit", "all pairs", "distance"};
static const double PATIENCE = 5.0;         /* seconds for one question; more is printed as a lower bound */
static const double MIN_STRETCH = 50e-6;    /* seconds that one reading of the clock is worth */
static const double MIN_SECONDS = 0.2;      /* for the repetitions of a cell */
static const size_t COLD_BYTES = 64u << 20; /* more than the caches hold */

typedef struct cliffs
{
    bench_session *session;
    bool images;   /* through engines that draw images, instead of trees */
    uint8_t *cold; /* read between questions where caches are meant to be cold */
    double lowest_ratio;
    char lowest_name[80];
    uint32_t row_count, below_count;
} cliffs;

/* Two bodies and their trees. */
typedef struct scenario
{
    const char *name;
    const carom_mesh *meshes[2];
    carom_pose poses[2];
    bool is_cold;
    carom_tree *trees[TREE_COUNT][2];
} scenario;

typedef struct timing
{
    double seconds;
    uint64_t hash;
    bool unfinished; /* the patience ran out: seconds is a lower bound, hash says nothing */
} timing;

/* ---- measuring ---- */

static carom_status ask(cliffs *cliffs, const scenario *scenario, int tree, int question, double patience,
                        carom_report *report)
{
    carom_placed a = {carom_shape_tree(scenario->trees[tree][0]), scenario->poses[0]};
    carom_placed b = {carom_shape_tree(scenario->trees[tree][1]), scenario->poses[1]};
    if (question == QUESTION_COUNT - 1)
    {
        carom_distance_options options = carom_distance_options_default();
        options.budget.seconds = patience;
        return carom_distance(cliffs->session->query, &a, &b, &options, report);
    }
    carom_collide_options options = carom_collide_options_default();
    options.mode = question == 0 ? CAROM_COLLIDE_ANY : CAROM_COLLIDE_ALL;
    options.budget.seconds = patience;
    return carom_collide(cliffs->session->query, &a, &b, &options, report);
}

static void empty_caches(void *user)
{
    cliffs *cliffs = user;
    for (size_t i = 0; i < COLD_BYTES; i += CACHE_LINE)
        cliffs->cold[i]++;
}

/* One stretch of the same question; the seconds are of one. */
static bool time_stretch(cliffs *cliffs, const scenario *scenario, int tree, int question, timing *best)
{
    uint32_t loops = 1;
    if (scenario->is_cold)
        empty_caches(cliffs);
    else if (best->seconds < MIN_STRETCH)
        loops = (uint32_t)(MIN_STRETCH / best->seconds) + 1;
    carom_report report;
    carom_status status = CAROM_OK;
    double start = bench_now();
    for (uint32_t i = 0; i < loops && status == CAROM_OK; i++)
        status = ask(cliffs, scenario, tree, question, 0.0, &report);
    best->seconds = fmin(best->seconds, (bench_now() - start) / loops);
    return bench_check(cliffs->session, status, scenario->name);
}

/* Once with patience, which also says how long a stretch must be, then the trees in turn. */
static bool measure(cliffs *cliffs, const scenario *scenario, int question, timing out[TREE_COUNT])
{
    for (int tree = 0; tree < TREE_COUNT; tree++)
    {
        carom_report report;
        double start = bench_now();
        carom_status status = ask(cliffs, scenario, tree, question, PATIENCE, &report);
        out[tree] = (timing){bench_now() - start, report.hash, status == CAROM_UNKNOWN};
        if (!bench_check(cliffs->session, status, scenario->name))
            return false;
    }
    double begin = bench_now(), enough = cliffs->session->options->quick ? 0.1 * MIN_SECONDS : MIN_SECONDS;
    for (int repetition = 0; repetition < REPETITIONS || bench_now() - begin < enough; repetition++)
    {
        if (repetition > 1 && bench_now() - begin > 10.0 * enough)
            break;
        for (int tree = 0; tree < TREE_COUNT; tree++)
            if (!out[tree].unfinished && !time_stretch(cliffs, scenario, tree, question, &out[tree]))
                return false;
    }
    return true;
}

static void note_ratio(cliffs *cliffs, const char *name, const char *question, double ratio)
{
    cliffs->row_count++;
    cliffs->below_count += ratio < 1.0;
    if (ratio >= cliffs->lowest_ratio)
        return;
    cliffs->lowest_ratio = ratio;
    snprintf(cliffs->lowest_name, sizeof cliffs->lowest_name, "%s, %s", name, question);
}

static void print_row(cliffs *cliffs, const scenario *scenario, int question, const timing *timings)
{
    printf("%-36s %-10s", scenario->name, question_names[question]);
    for (int tree = 0; tree < TREE_COUNT; tree++)
        printf(" %s%12.3f", timings[tree].unfinished ? ">" : " ", 1e6 * timings[tree].seconds);
    bool differs = false;
    for (int tree = 0; tree < BINARY; tree++)
    {
        double ratio = timings[BINARY].seconds / timings[tree].seconds;
        if (timings[tree].unfinished && timings[BINARY].unfinished)
        {
            printf(" %8s", "-");
            continue;
        }
        printf(" %8.3g", ratio);
        note_ratio(cliffs, scenario->name, question_names[question], ratio);
        differs |=
            !timings[tree].unfinished && !timings[BINARY].unfinished && timings[tree].hash != timings[BINARY].hash;
    }
    printf("%s\n", differs ? "  DIFFERS" : "");
    cliffs->session->failed |= differs;
    fflush(stdout);
}

static carom_tree_def tree_def(int tree)
{
    carom_tree_def def = carom_tree_def_preset(tree == 1 ? CAROM_TREE_TIGHT : CAROM_TREE_FAST);
    if (tree == BINARY)
        def.layout = CAROM_LAYOUT_BINARY;
    return def;
}

static void run(cliffs *cliffs, scenario scenario)
{
    bench_session *session = cliffs->session;
    bool good = scenario.meshes[0] && scenario.meshes[1];
    if (good && cliffs->images)
    {
        const carom_placed placed[2] = {{carom_shape_mesh(scenario.meshes[0]), scenario.poses[0]},
                                        {carom_shape_mesh(scenario.meshes[1]), scenario.poses[1]}};
        image_cliffs_run(session, placed,
                         (image_case){scenario.name, scenario.is_cold ? empty_caches : NULL, cliffs, NULL});
        return;
    }
    for (int i = 0; good && i < 2 * TREE_COUNT; i++)
    {
        carom_tree_def def = tree_def(i / 2);
        good = bench_check(
            session, carom_tree_create(session->context, scenario.meshes[i % 2], &def, &scenario.trees[i / 2][i % 2]),
            scenario.name);
    }
    for (int question = 0; good && question < QUESTION_COUNT; question++)
    {
        timing timings[TREE_COUNT];
        good = measure(cliffs, &scenario, question, timings);
        if (good)
            print_row(cliffs, &scenario, question, timings);
    }
    for (int i = 0; i < 2 * TREE_COUNT; i++)
        carom_tree_destroy(scenario.trees[i / 2][i % 2]);
}

/* ---- meshes ---- */

static carom_mesh *make_mesh(cliffs *cliffs, const carom_vec3 *vertices, size_t vertex_count, const uint32_t *indices,
                             size_t triangle_count)
{
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = &vertices->x;
    def.vertex_count = vertex_count;
    def.indices_u32 = indices;
    def.unindexed = !indices;
    def.triangle_count = triangle_count;
    carom_mesh *mesh = NULL;
    bench_check(cliffs->session, carom_mesh_create(cliffs->session->context, &def, &mesh), "mesh");
    return mesh;
}

static carom_mesh *make_shape(cliffs *cliffs, generate_kind kind, uint32_t triangles, double size)
{
    generate_def def = generate_def_default(kind);
    def.triangles = triangles;
    def.size = size;
    carom_mesh *mesh = NULL;
    bench_check(cliffs->session, generate_mesh(cliffs->session->context, &def, &mesh), "shape");
    return mesh;
}

/* A unit square around the origin in the plane z = 0, of cells x cells x 2 triangles. */
static carom_mesh *make_plate(cliffs *cliffs, uint32_t cells)
{
    size_t side = cells + 1, triangle_count = (size_t)2 * cells * cells;
    carom_vec3 *vertices = malloc(side * side * sizeof *vertices);
    uint32_t *indices = malloc(3 * triangle_count * sizeof *indices), *at = indices;
    carom_mesh *mesh = NULL;
    for (size_t i = 0; vertices && i < side * side; i++)
        vertices[i] = numeric_vec((double)(i % side) / cells - 0.5, (double)(i / side) / cells - 0.5, 0.0);
    for (uint32_t i = 0; indices && i < cells * cells; i++, at += 6)
    {
        uint32_t corner = i / cells * (cells + 1) + i % cells, above = corner + cells + 1;
        const uint32_t two[6] = {corner, corner + 1, above, corner + 1, above + 1, above};
        memcpy(at, two, sizeof two);
    }
    if (vertices && indices)
        mesh = make_mesh(cliffs, vertices, side * side, indices, triangle_count);
    free(vertices);
    free(indices);
    return mesh;
}

/* Fans of needles, 1 long and 1e-5 wide, each fan around a point of its own in a plane of its own. */
static carom_mesh *make_needles(cliffs *cliffs, uint32_t fan_count, uint32_t needles_per_fan)
{
    size_t count = (size_t)fan_count * needles_per_fan;
    carom_vec3 *corners = malloc(3 * count * sizeof *corners);
    numeric_random random = {3};
    carom_vec3 centre = {0}, along = {0}, across = {0};
    for (size_t i = 0; corners && i < count; i++)
    {
        if (i % needles_per_fan == 0)
        {
            centre = numeric_scale(numeric_direction(&random), 0.3);
            along = numeric_direction(&random);
            across = numeric_normalised(numeric_cross(along, numeric_direction(&random)));
        }
        double angle = 1e-5 * (double)(i % needles_per_fan);
        carom_vec3 tip = numeric_add(centre, along);
        corners[3 * i] = centre;
        corners[3 * i + 1] = numeric_add(tip, numeric_scale(across, angle));
        corners[3 * i + 2] = numeric_add(tip, numeric_scale(across, angle + 1e-5));
    }
    carom_mesh *mesh = corners ? make_mesh(cliffs, corners, 3 * count, NULL, count) : NULL;
    free(corners);
    return mesh;
}

/* ---- the cases ---- */

static const double UPRIGHT[4] = {0, 0, 0, 1}, TILTED[4] = {0, 5e-4, 0, 1}, IN_PLANE[4] = {0, 0, 0.3, 1},
                    TURNED[4] = {0.3, 0.5, -0.2, 0.7};

/* A mesh and its copy. */
static void run_copy(cliffs *cliffs, const char *name, const carom_mesh *mesh, const double turn[4], carom_vec3 shift)
{
    run(cliffs, (scenario){.name = name,
                           .meshes = {mesh, mesh},
                           .poses = {carom_pose_identity(), carom_pose_from_quaternion(turn, shift)}});
}

/* A mesh and its copy, both turned: parallel but for rounding. */
static void run_turned(cliffs *cliffs, const char *name, const carom_mesh *mesh, carom_vec3 shift)
{
    carom_pose a = carom_pose_from_quaternion(TURNED, numeric_vec(0.0, 0.0, 0.0)), b = a;
    const double *r = a.rotation;
    b.translation =
        numeric_vec(r[0] * shift.x + r[1] * shift.y + r[2] * shift.z, r[3] * shift.x + r[4] * shift.y + r[5] * shift.z,
                    r[6] * shift.x + r[7] * shift.y + r[8] * shift.z);
    run(cliffs, (scenario){.name = name, .meshes = {mesh, mesh}, .poses = {a, b}});
}

static void run_plates(cliffs *cliffs, bool quick)
{
    uint32_t cells = quick ? 30 : 224;
    double x = 0.37 / cells, y = 0.21 / cells; /* no vertex above another */
    carom_mesh *plate = make_plate(cliffs, cells), *small = make_plate(cliffs, quick ? 20 : 70);
    run_copy(cliffs, "plates 1e-3 apart", plate, UPRIGHT, numeric_vec(x, y, 1e-3));
    run_copy(cliffs, "plates 1e-6 apart", plate, UPRIGHT, numeric_vec(x, y, 1e-6));
    run_copy(cliffs, "plates 1e-9 apart", plate, UPRIGHT, numeric_vec(x, y, 1e-9));
    run_turned(cliffs, "plates turned, 1e-3 apart", plate, numeric_vec(x, y, 1e-3));
    run_turned(cliffs, "plates turned, corner above corner", plate, numeric_vec(0.0, 0.0, 1e-3));
    run_copy(cliffs, "plates tilted, one edge 1e-6 apart", plate, TILTED, numeric_vec(x, y, 5e-4 + 1e-6));
    run_copy(cliffs, "plates tilted, crossing", plate, TILTED, numeric_vec(x, y, 1e-5));
    run_copy(cliffs, "in one plane, shifted", small, UPRIGHT, numeric_vec(0.3 / 70, 0.2 / 70, 0.0));
    run_copy(cliffs, "in one plane, turned", small, IN_PLANE, numeric_vec(0.1, 0.2, 0.0));
    run_copy(cliffs, "in one plane, side by side", small, UPRIGHT, numeric_vec(1.001, 0.001, 0.0));
    carom_mesh_destroy(plate);
    carom_mesh_destroy(small);
}

static void run_needles(cliffs *cliffs, bool quick)
{
    carom_mesh *needles = make_needles(cliffs, 20, quick ? 50 : 1000);
    run_copy(cliffs, "needles, turned", needles, TURNED, numeric_vec(0.1, 0.1, 0.1));
    run_copy(cliffs, "needles 1e-6 apart", needles, UPRIGHT, numeric_vec(5e-7, 5e-7, 7e-7));
    run_copy(cliffs, "needles side by side", needles, TURNED, numeric_vec(2.0, 1.0, 1.0));
    carom_mesh_destroy(needles);
}

static void run_tiny(cliffs *cliffs)
{
    static const carom_vec3 corner[3] = {{-0.5, -0.5, 0}, {0.5, -0.5, 0}, {0, 0.5, 0}};
    carom_mesh *one = make_mesh(cliffs, corner, 3, NULL, 1), *two = make_plate(cliffs, 1);
    carom_mesh *twelve = make_shape(cliffs, GENERATE_BOX, 12, 1.0);
    run_copy(cliffs, "1 triangle, crossing", one, TURNED, numeric_vec(0.1, 0.0, 0.0));
    run_copy(cliffs, "1 triangle, apart", one, TURNED, numeric_vec(0.1, 0.0, 1.0));
    run_copy(cliffs, "2 triangles, crossing", two, TURNED, numeric_vec(0.1, 0.0, 0.0));
    run_copy(cliffs, "2 triangles, apart", two, TURNED, numeric_vec(0.1, 0.0, 1.0));
    run_copy(cliffs, "12 triangles, crossing", twelve, TURNED, numeric_vec(0.3, 0.2, 0.7));
    run_copy(cliffs, "12 triangles, apart", twelve, TURNED, numeric_vec(0.3, 0.2, 1.5));
    carom_mesh_destroy(one);
    carom_mesh_destroy(two);
    carom_mesh_destroy(twelve);
}

static void run_cold(cliffs *cliffs, bool quick)
{
    carom_mesh *knot = make_shape(cliffs, GENERATE_TORUS_KNOT, quick ? 5000 : 100000, 1.0);
    cliffs->cold = calloc(COLD_BYTES, 1);
    const carom_pose overlapping = carom_pose_from_quaternion(TURNED, numeric_vec(0.3, 0.1, 0.2));
    const carom_pose apart = carom_pose_from_quaternion(TURNED, numeric_vec(1.0, 0.1, 0.1));
    scenario scenario = {.meshes = {knot, knot}, .poses = {carom_pose_identity()}, .is_cold = true};
    scenario.name = "cold caches, knots overlapping", scenario.poses[1] = overlapping;
    if (cliffs->cold)
        run(cliffs, scenario);
    scenario.name = "cold caches, knots apart", scenario.poses[1] = apart;
    if (cliffs->cold)
        run(cliffs, scenario);
    free(cliffs->cold);
    carom_mesh_destroy(knot);
}

/* One in the other, no facet crossing another: they are scaled copies. */
static void run_spheres(cliffs *cliffs, bool quick)
{
    static const struct
    {
        const char *name;
        double size;
    } inner[] = {{"spheres, the inner one 1e-2 smaller", 1.0 - 1e-2},
                 {"spheres, the inner one 1e-4 smaller", 1.0 - 1e-4},
                 {"spheres, the inner one 1e-6 smaller", 1.0 - 1e-6}};
    uint32_t triangles = quick ? 1280 : 20480;
    carom_mesh *outer = make_shape(cliffs, GENERATE_ICO_SPHERE, triangles, 1.0);
    for (size_t i = 0; i < sizeof inner / sizeof inner[0]; i++)
    {
        carom_mesh *mesh = make_shape(cliffs, GENERATE_ICO_SPHERE, triangles, inner[i].size);
        run(cliffs, (scenario){.name = inner[i].name,
                               .meshes = {outer, mesh},
                               .poses = {carom_pose_identity(), carom_pose_identity()}});
        carom_mesh_destroy(mesh);
    }
    carom_mesh_destroy(outer);
}

void bench_cliffs(bench_session *session)
{
    if (!bench_wanted(session, "cliffs"))
        return;
    bool quick = session->options->quick;
    cliffs cliffs = {.session = session, .lowest_ratio = INFINITY};
    char machine[MACHINE_TEXT_SIZE];
    machine_describe(machine);
    printf("\ncliffs: %s\nmicroseconds per question through wide trees (fast, tight) and binary ones, then binary over "
           "fast and over tight; > where %.0f s were not enough\n%-36s %-10s  %12s  %12s  %12s %8s %8s\n",
           machine, PATIENCE, "case", "question", "fast", "tight", "binary", "b/fast", "b/tight");
    run_plates(&cliffs, quick);
    run_needles(&cliffs, quick);
    run_tiny(&cliffs);
    run_cold(&cliffs, quick);
    run_spheres(&cliffs, quick);
    printf("%u of %u ratios below 1, the lowest %.3g (%s)\n", cliffs.below_count, cliffs.row_count, cliffs.lowest_ratio,
           cliffs.lowest_name);
}

/* Smaller than for trees: what takes longest are pieces. */
void bench_image(bench_session *session)
{
    cliffs cliffs = {.session = session, .images = true};
    if (!bench_wanted(session, "image") || !image_cliffs_begin(session))
        return;
    run_plates(&cliffs, true);
    run_needles(&cliffs, true);
    run_tiny(&cliffs);
    run_cold(&cliffs, true);
    run_spheres(&cliffs, true);
}
