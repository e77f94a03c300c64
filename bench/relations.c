/* Relations of bodies as point sets: what they cost beyond finding the pairs of triangles. Each answer is known. */
#include "bench/bench.h"

#include "bench/machine.h"
#include "scenes/generate.h"
#include "scenes/numeric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum
{
    REPETITIONS = 5
};

/* ---- meshes; those on the ground stand on the plane z = 0 or lie on it ---- */

typedef struct soup
{
    carom_vec3 *corners;
    size_t count; /* of triangles */
} soup;

static void add_triangle(soup *soup, carom_vec3 a, carom_vec3 b, carom_vec3 c)
{
    carom_vec3 *corner = soup->corners + 3 * soup->count++;
    corner[0] = a, corner[1] = b, corner[2] = c;
}

static void add_square(soup *soup, carom_vec3 a, carom_vec3 b, carom_vec3 c, carom_vec3 d)
{
    add_triangle(soup, a, b, c), add_triangle(soup, a, c, d);
}

static void add_box(soup *soup, carom_vec3 low, double width, double height)
{
    carom_vec3 p[8];
    for (int i = 0; i < 8; i++)
        p[i] = numeric_add(low, numeric_vec(i & 1 ? width : 0.0, i & 2 ? width : 0.0, i & 4 ? height : 0.0));
    add_square(soup, p[0], p[2], p[3], p[1]), add_square(soup, p[4], p[5], p[7], p[6]);
    add_square(soup, p[0], p[1], p[5], p[4]), add_square(soup, p[3], p[2], p[6], p[7]);
    add_square(soup, p[1], p[3], p[7], p[5]), add_square(soup, p[2], p[0], p[4], p[6]);
}

static carom_mesh *finish(bench_session *session, soup *soup)
{
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = soup->corners ? &soup->corners->x : NULL, def.vertex_count = 3 * soup->count;
    def.unindexed = true, def.triangle_count = soup->count;
    carom_mesh *mesh = NULL;
    bench_check(session, carom_mesh_create(session->context, &def, &mesh), "mesh");
    free(soup->corners);
    return mesh;
}

static soup begin(size_t triangles) { return (soup){malloc(3 * triangles * sizeof(carom_vec3)), 0}; }

/* A box under the plane. */
static carom_mesh *make_ground(bench_session *session)
{
    soup soup = begin(12);
    if (soup.corners)
        add_box(&soup, numeric_vec(-8.0, -8.0, -1.0), 16.0, 1.0);
    return finish(session, &soup);
}

/* A cone whose base is a fan of n triangles on the plane; standing: on its tip. */
static carom_mesh *make_cone(bench_session *session, uint32_t n, bool standing)
{
    soup soup = begin(2 * (size_t)n);
    carom_vec3 low = numeric_vec(0.1, 0.2, 0.0), high = numeric_vec(0.1, 0.2, 1.0);
    for (uint32_t i = 0; soup.corners && i < n; i++)
    {
        double a = 6.283185307179586 * i / n, b = 6.283185307179586 * ((i + 1) % n) / n, z = standing ? 0.5 : 0.0;
        carom_vec3 here = numeric_vec(0.1 + cos(a), 0.2 + sin(a), z), next = numeric_vec(0.1 + cos(b), 0.2 + sin(b), z);
        add_triangle(&soup, low, next, here), add_triangle(&soup, high, here, next);
    }
    return finish(session, &soup);
}

/* side x side boxes on the plane. */
static carom_mesh *make_boxes(bench_session *session, uint32_t side)
{
    soup soup = begin(12 * (size_t)side * side);
    for (uint32_t i = 0; soup.corners && i < side * side; i++)
        add_box(&soup, numeric_vec((double)(i % side) / side, (double)(i / side) / side, 0.0), 0.5 / side, 0.1);
    return finish(session, &soup);
}

static carom_mesh *make_shape(bench_session *session, generate_kind kind, uint32_t triangles)
{
    generate_def def = generate_def_default(kind);
    def.triangles = triangles;
    carom_mesh *mesh = NULL;
    bench_check(session, generate_mesh(session->context, &def, &mesh), "shape");
    return mesh;
}

/* ---- rows ---- */

typedef struct relation_case
{
    const char *name;
    const carom_mesh *a, *b;
    carom_vec3 shift; /* of b */
    carom_relation expected;
} relation_case;

static bool ask(bench_session *session, const relation_case *at, bool relation, double *seconds, carom_report *report)
{
    carom_placed a = {carom_shape_mesh(at->a), carom_pose_identity()},
                 b = {carom_shape_mesh(at->b), carom_pose_translation(at->shift.x, at->shift.y, at->shift.z)};
    carom_collide_options options = {.mode = CAROM_COLLIDE_COUNT, .relation = relation};
    *seconds = INFINITY;
    for (int i = 0; i <= REPETITIONS; i++) /* the first one builds trees */
    {
        double start = bench_now();
        if (!bench_check(session, carom_collide(session->query, &a, &b, &options, report), at->name))
            return false;
        *seconds = i > 0 ? fmin(*seconds, bench_now() - start) : *seconds;
    }
    return true;
}

static void run(bench_session *session, const relation_case *at)
{
    double search, both;
    carom_report pairs, report;
    if (!at->a || !at->b || !ask(session, at, false, &search, &pairs) || !ask(session, at, true, &both, &report))
        return;
    bool right = report.relation == at->expected;
    session->failed |= !right;
    printf("%-34s %-12s %9llu %12.1f %12.1f %7.1f %12llu %10llu%s\n", at->name, carom_relation_name(report.relation),
           (unsigned long long)pairs.pair_count, 1e6 * search, 1e6 * both, both / search,
           (unsigned long long)(report.counters.boxes_tested - pairs.counters.boxes_tested),
           (unsigned long long)(report.counters.exact_fallbacks - pairs.counters.exact_fallbacks),
           right ? "" : "  WRONG");
    fflush(stdout);
}

static void run_on_ground(bench_session *session, const char *name, carom_mesh *mesh)
{
    carom_mesh *ground = make_ground(session);
    run(session, &(relation_case){name, ground, mesh, {0.0, 0.0, 0.0}, CAROM_RELATION_TOUCHING});
    carom_mesh_destroy(ground);
    carom_mesh_destroy(mesh);
}

/* A model with itself, moved. */
static void run_copies(bench_session *session, uint32_t triangles)
{
    carom_mesh *sphere = make_shape(session, GENERATE_ICO_SPHERE, triangles),
               *box = make_shape(session, GENERATE_BOX, triangles), *small = make_shape(session, GENERATE_BOX, 12);
    run(session,
        &(relation_case){"spheres, just crossing", sphere, sphere, {0.95, 0.01, 0.02}, CAROM_RELATION_OVERLAPPING});
    run(session, &(relation_case){"spheres, moved by half a triangle",
                                  sphere,
                                  sphere,
                                  {1.0 / sqrt(triangles), 0.0, 0.0},
                                  CAROM_RELATION_OVERLAPPING});
    run(session, &(relation_case){"boxes, face to face", box, box, {1.0, 0.0, 0.0}, CAROM_RELATION_TOUCHING});
    run(session, &(relation_case){
                     "boxes, face to face, not aligned", box, box, {1.0, 0x1p-9, 0x1p-10}, CAROM_RELATION_TOUCHING});
    run(session, &(relation_case){"equal spheres", sphere, sphere, {0.0, 0.0, 0.0}, CAROM_RELATION_EQUAL});
    run(session, &(relation_case){"equal boxes", box, box, {0.0, 0.0, 0.0}, CAROM_RELATION_EQUAL});
    run(session,
        &(relation_case){"a box with another triangulation", small, box, {0.0, 0.0, 0.0}, CAROM_RELATION_EQUAL});
    carom_mesh_destroy(sphere);
    carom_mesh_destroy(box);
    carom_mesh_destroy(small);
}

static void run_inside(bench_session *session, uint32_t triangles)
{
    carom_mesh *sphere = make_shape(session, GENERATE_ICO_SPHERE, triangles);
    generate_def def = generate_def_default(GENERATE_ICO_SPHERE);
    def.triangles = triangles, def.size = 0.25;
    carom_mesh *inner = NULL;
    if (bench_check(session, generate_mesh(session->context, &def, &inner), "shape"))
        run(session,
            &(relation_case){"a sphere in another", sphere, inner, {0.1, 0.0, 0.0}, CAROM_RELATION_B_INSIDE_A});
    carom_mesh_destroy(sphere);
    carom_mesh_destroy(inner);
}

void bench_relations(bench_session *session)
{
    if (!bench_wanted(session, "relations"))
        return;
    bool quick = session->options->quick;
    char machine[MACHINE_TEXT_SIZE];
    machine_describe(machine);
    printf("\nrelations: %s\nmicroseconds for all pairs, and with the relation; box tests and exact decisions that the "
           "relation adds\n%-34s %-12s %9s %12s %12s %7s %12s %10s\n",
           machine, "case", "relation", "pairs", "pairs", "relation", "ratio", "boxes", "exact");
    run_copies(session, quick ? 1280 : 81920);
    run_inside(session, quick ? 1280 : 81920);
    run_on_ground(session, "a fan lying on a triangle", make_cone(session, quick ? 1000 : 100000, false));
    run_on_ground(session, "a fan standing on a triangle", make_cone(session, quick ? 1000 : 100000, true));
    run_on_ground(session, "boxes standing on two triangles", make_boxes(session, quick ? 20 : 300));
}
