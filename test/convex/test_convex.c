/* Convex pieces of meshes of all kinds, against rational arithmetic and the library's own check. */
#include "convex/failing_pieces.h"
#include "scenes/flats.h"
#include "scenes/generate.h"
#include "support/patches.h"
#include "support/shapes_odd.h"

#include "convex/convex.h"

#include <stdlib.h>
#include <string.h>

static carom_pieces *make_pieces(carom_context *context, const carom_mesh *mesh)
{
    carom_pieces *pieces;
    char message[256] = "";
    carom_status status = carom_pieces_create(context, mesh, &pieces);
    if (status == CAROM_OK)
        status = carom_pieces_check(pieces);
    carom_context_message(context, message, sizeof message);
    if (status != CAROM_OK)
        fail_msg("%s", message);
    return pieces;
}

/* Verifies a mesh, destroys it and returns what is known of its pieces. */
static carom_pieces_info verify(carom_context *context, carom_mesh *mesh, patches_count *total)
{
    carom_pieces *pieces = make_pieces(context, mesh);
    carom_pieces_info info = carom_pieces_get_info(pieces);
    patches_count counts = patches_verify(mesh, pieces);
    patches_verify_boxes(mesh, pieces);
    if (total)
    {
        total->pieces += counts.pieces, total->skipped += counts.skipped;
        total->strangers += counts.strangers, total->touching += counts.touching;
    }
    carom_pieces_destroy(pieces);
    carom_mesh_destroy(mesh);
    return info;
}

static carom_mesh *generated(carom_context *context, generate_kind kind, uint32_t triangles)
{
    generate_def def = generate_def_default(kind);
    def.triangles = triangles;
    carom_mesh *mesh;
    assert_int_equal(generate_mesh(context, &def, &mesh), CAROM_OK);
    return mesh;
}

static void test_convex_shapes_are_one_piece(void **state)
{
    static const struct
    {
        generate_kind kind;
        uint32_t triangles;
    } shapes[] = {{GENERATE_TETRAHEDRON, 4}, {GENERATE_BOX, 12},        {GENERATE_BOX, 48},         {GENERATE_BOX, 300},
                  {GENERATE_ICO_SPHERE, 20}, {GENERATE_ICO_SPHERE, 80}, {GENERATE_ICO_SPHERE, 1280}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    {
        carom_pieces_info info = verify(*state, generated(*state, shapes[i].kind, shapes[i].triangles), NULL);
        assert_int_equal(info.piece_count, 1);
        assert_int_equal(info.largest, shapes[i].triangles);
    }
}

static void test_generated_shapes(void **state)
{
    static const struct
    {
        generate_kind kind;
        uint32_t triangles, max_pieces;
    } shapes[] = {{GENERATE_TORUS, 400, 120},   {GENERATE_TORUS_KNOT, 600, 250}, {GENERATE_GEAR, 400, 200},
                  {GENERATE_HAND, 700, 300},    {GENERATE_BLOB, 300, 150},       {GENERATE_CYLINDER, 200, 60},
                  {GENERATE_RUBBLE, 400, 200},  {GENERATE_TERRAIN, 400, 250},    {GENERATE_CLOTH, 300, 200},
                  {GENERATE_UV_SPHERE, 320, 60}};
    patches_count counts = {0};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    {
        carom_pieces_info info = verify(*state, generated(*state, shapes[i].kind, shapes[i].triangles), &counts);
        print_message("%s: %u triangles, %u pieces\n", generate_get_info(shapes[i].kind)->name, info.triangle_count,
                      info.piece_count);
        assert_true(info.piece_count <= shapes[i].max_pieces);
    }
    print_message("%u pieces, %u too large, %u comparisons, %u touching\n", counts.pieces, counts.skipped,
                  counts.strangers, counts.touching);
    assert_true(counts.pieces > 500 && counts.touching > 1000 && counts.skipped < counts.pieces / 4);
}

static void test_odd_shapes(void **state)
{
    odd_shape shape = {.count = 0};
    /* Nothing, one triangle, the same twice, and with its other side. */
    assert_int_equal(verify(*state, odd_mesh(*state, &shape), NULL).piece_count, 0);
    carom_vec3 p[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    odd_add(&shape, p[0], p[1], p[2]);
    assert_int_equal(verify(*state, odd_mesh(*state, &shape), NULL).piece_count, 1);
    odd_add(&shape, p[0], p[2], p[1]);
    assert_int_equal(verify(*state, odd_mesh(*state, &shape), NULL).piece_count, 1);
    shape.count = 1, odd_add(&shape, p[0], p[1], p[2]);
    assert_int_equal(verify(*state, odd_mesh(*state, &shape), NULL).piece_count, 2);
    /* Only segments and points. */
    shape.count = 0;
    odd_add(&shape, p[0], p[0], p[0]), odd_add(&shape, p[0], p[1], p[1]), odd_add(&shape, p[0], p[1], p[2]);
    shape.corner[8] = (carom_vec3){2, 0, 0};
    assert_int_equal(verify(*state, odd_mesh(*state, &shape), NULL).piece_count, 3);
    /* Two tetrahedra apart, then one through the other: their triangles that cross stay alone. */
    shape.count = 0, odd_tetrahedron(&shape, p[0], 1), odd_tetrahedron(&shape, (carom_vec3){2, 2, 2}, 1);
    assert_int_equal(verify(*state, odd_mesh(*state, &shape), NULL).piece_count, 2);
    shape.count = 0, odd_tetrahedron(&shape, p[0], 1), odd_tetrahedron(&shape, (carom_vec3){-0.25, 0.25, 0.25}, 1);
    assert_true(verify(*state, odd_mesh(*state, &shape), NULL).piece_count > 2);
    /* Something within. */
    shape.count = 0, odd_tetrahedron(&shape, p[0], 1);
    odd_add(&shape, (carom_vec3){0.1, 0.1, 0.1}, (carom_vec3){0.2, 0.1, 0.1}, (carom_vec3){0.1, 0.2, 0.1});
    assert_true(verify(*state, odd_mesh(*state, &shape), NULL).piece_count > 2);
    shape.count = 0, odd_moebius(&shape);
    assert_true(verify(*state, odd_mesh(*state, &shape), NULL).piece_count < 16);
    shape.count = 0, odd_fan(&shape);
    assert_int_equal(verify(*state, odd_mesh(*state, &shape), NULL).piece_count, 5);
}

/* A flat region is one piece if it is convex, however it is cut into triangles, also far away, tiny or turned. */
static void test_flat_regions(void **state)
{
    static const double scales[] = {1, 0.1, 1e-9, 1e9};
    for (int n = 1; n <= 12; n += n < 4 ? 1 : 4)
        for (size_t i = 0; i < 4; i++)
        {
            odd_shape shape = {.count = 0};
            odd_grid(&shape, n, 1.0 / 3);
            odd_move(&shape, scales[i], 0, i % 2);
            carom_mesh *mesh = odd_mesh(*state, &shape);
            carom_pieces *pieces = make_pieces(*state, mesh);
            assert_int_equal(carom_pieces_get_info(pieces).piece_count, 1);
            carom_pieces_destroy(pieces), carom_mesh_destroy(mesh);
        }
}

/* A flat triangle, cut by points at random: long thin triangles, of which most can join only together with others, so
 * that steps are refused and tried again. Too few to be taken as a whole. */
static carom_mesh *shattered_triangle(carom_context *context, check_random *random)
{
    enum
    {
        POINTS = 30 /* of which 3 are the corners: 55 triangles */
    };
    double points[3 * POINTS] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    uint32_t indices[6 * POINTS] = {0, 1, 2}, triangles = 1, count = 4 + (uint32_t)(check_next(random) % (POINTS - 3));
    for (uint32_t i = 3; i < count; i++)
    {
        uint32_t *cut = indices + 3 * (size_t)(check_next(random) % triangles), corner[3];
        memcpy(corner, cut, sizeof corner);
        for (size_t k = 0; k < 3; k++)
            points[3 * i + k] =
                0.25 * points[3 * corner[0] + k] + 0.25 * points[3 * corner[1] + k] + 0.5 * points[3 * corner[2] + k];
        cut[2] = i;
        uint32_t added[6] = {corner[1], corner[2], i, corner[2], corner[0], i};
        memcpy(indices + 3 * (size_t)triangles, added, sizeof added), triangles += 2;
    }
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = points, def.vertex_count = count, def.indices_u32 = indices, def.triangle_count = triangles;
    carom_mesh *mesh;
    assert_int_equal(carom_mesh_create(context, &def, &mesh), CAROM_OK);
    return mesh;
}

static void test_shattered_triangles(void **state)
{
    check_random random = {5};
    for (int round = 0; round < 2000; round++)
    {
        carom_mesh *mesh = shattered_triangle(*state, &random);
        carom_pieces *pieces = make_pieces(*state, mesh);
        assert_int_equal(carom_pieces_get_info(pieces).piece_count, 1);
        carom_pieces_destroy(pieces), carom_mesh_destroy(mesh);
    }
}

/* Large flat regions: what lies on one face is one piece where nothing is in the way, with holes too. */
static void test_large_flat_regions(void **state)
{
    static const uint32_t max_pieces[FLATS_COUNT] = {
        [FLATS_GRID] = 1,    [FLATS_ANNULUS] = 1, [FLATS_HOLES] = 1,   [FLATS_BOX] = 1,
        [FLATS_PLATE] = 120, [FLATS_POSTS] = 350, [FLATS_PIERCED] = 6,
    };
    for (int kind = 0; kind < FLATS_COUNT; kind++)
    {
        carom_mesh *mesh;
        assert_int_equal(flats_make(*state, (flats_kind)kind, 6000, &mesh), CAROM_OK);
        carom_pieces *pieces = make_pieces(*state, mesh);
        carom_pieces_info info = carom_pieces_get_info(pieces);
        print_message("%s: %u triangles, %u pieces, %.0f ms\n", flats_name((flats_kind)kind), info.triangle_count,
                      info.piece_count, info.ms);
        assert_true(info.piece_count <= max_pieces[kind]);
        carom_pieces_destroy(pieces), carom_mesh_destroy(mesh);
    }
}

/* Two flat squares that share nothing but a corner are one component, but a patch can't get from one to the other. */
static void test_squares_at_a_corner(void **state)
{
    odd_shape shape = {.count = 0};
    odd_grid(&shape, 8, 1);
    size_t corners = 3 * shape.count;
    odd_grid(&shape, 8, 1);
    for (size_t i = corners; i < 3 * shape.count; i++)
        shape.corner[i].x += 8, shape.corner[i].y += 8;
    assert_int_equal(verify(*state, odd_mesh(*state, &shape), NULL).piece_count, 2);
}

/* Few triangles over points of a small lattice, each new one across an edge of the border: they fold through each other
 * in all ways, so that most trials have to be refused, and what they changed undone. */
static carom_mesh *crumpled_tree(carom_context *context, check_random *random)
{
    enum
    {
        POINTS = 12
    };
    uint32_t count = 5 + (uint32_t)check_uniform(random, 0, POINTS - 5), triangles = 1, edges = 3;
    double side = 3 + (uint32_t)check_uniform(random, 0, 5), points[3 * POINTS];
    uint32_t indices[3 * POINTS] = {0, 1, 2}, edge[2 * POINTS][2] = {{0, 1}, {1, 2}, {2, 0}};
    for (uint32_t i = 0; i < 3 * count; i++)
        points[i] = (uint32_t)check_uniform(random, 0, side);
    for (uint32_t i = 3; i < count; i++)
    {
        uint32_t chosen = (uint32_t)check_uniform(random, 0, edges), from = edge[chosen][0], to = edge[chosen][1];
        uint32_t *corner = indices + 3 * triangles++;
        corner[0] = to, corner[1] = from, corner[2] = i;
        edge[chosen][1] = i;
        edge[edges][0] = i, edge[edges++][1] = to;
    }
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = points, def.vertex_count = count, def.indices_u32 = indices, def.triangle_count = triangles;
    carom_mesh *mesh;
    assert_int_equal(carom_mesh_create(context, &def, &mesh), CAROM_OK);
    return mesh;
}

static void test_crumpled_trees(void **state)
{
    check_random random = {77};
    uint64_t triangles = 0, pieces = 0;
    for (int round = 0; round < 40000; round++)
    {
        carom_mesh *mesh = crumpled_tree(*state, &random);
        carom_pieces *made = make_pieces(*state, mesh);
        carom_pieces_info info = carom_pieces_get_info(made);
        triangles += info.triangle_count, pieces += info.piece_count;
        carom_pieces_destroy(made), carom_mesh_destroy(mesh);
    }
    print_message("seed 77: %llu triangles, %llu pieces\n", (unsigned long long)triangles, (unsigned long long)pieces);
    assert_true(pieces > triangles / 3 && pieces < triangles);
}

static void test_any_place_and_size(void **state)
{
    carom_mesh *torus = generated(*state, GENERATE_TORUS, 200);
    static const double places[][2] = {{1, 0}, {1, 1e9}, {1e-9, 0}, {1e-9, 1}, {0x1p90, 0}, {0x1p-900, 0}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        for (int turned = 0; turned < 2; turned++)
        {
            odd_shape shape = {.count = 200};
            for (size_t k = 0; k < 600; k++)
                shape.corner[k] = carom_mesh_vertices(torus)[carom_mesh_indices(torus)[k]];
            odd_move(&shape, places[i][0], places[i][1], turned);
            carom_pieces_info info = verify(*state, odd_mesh(*state, &shape), NULL);
            /* Scaling by a power of two and turning change nothing. */
            static uint32_t first;
            first = i == 0 && !turned ? info.piece_count : first;
            if (places[i][1] == 0 && places[i][0] != 1e-9)
                assert_int_equal(info.piece_count, first);
        }
    carom_mesh_destroy(torus);
}

static void test_random_soups(void **state)
{
    patches_count counts = {0};
    uint32_t joined = 0;
    for (uint64_t seed = 1; seed <= 600; seed++)
    {
        check_random random = {seed};
        odd_shape shape = {.count = 0};
        if (seed % 10 == 0)
            odd_soup(&shape, &random, 60, 0.3);
        else
            odd_lattice(&shape, &random, 3 + (int)(seed % 7), seed % 3 == 1 ? 2 : 3);
        carom_pieces_info info = verify(*state, odd_mesh(*state, &shape), &counts);
        joined += info.triangle_count - info.piece_count;
    }
    print_message("seeds 1 to 600: %u triangles joined others, %u comparisons, %u touching\n", joined, counts.strangers,
                  counts.touching);
    assert_true(joined > 20 && counts.touching > 10);
}

/* Bumps of whole numbers over a grid: surfaces with many flat and convex places, T-free. */
static void test_random_terrains(void **state)
{
    patches_count counts = {0};
    uint32_t triangles = 0, pieces = 0;
    for (uint64_t seed = 1; seed <= 40; seed++)
    {
        check_random random = {seed};
        odd_shape shape = {.count = 0};
        odd_grid(&shape, 6, 1);
        double height[7][7];
        for (int i = 0; i < 49; i++)
            height[i / 7][i % 7] = (double)(check_next(&random) >> 40) * 0x1p-24 * (double)(seed % 4);
        for (size_t i = 0; i < 3 * shape.count; i++)
        {
            carom_vec3 *p = &shape.corner[i];
            double z = height[(int)p->x][(int)p->y];
            p->z = seed % 2 ? (double)(int)z : z;
        }
        carom_pieces_info info = verify(*state, odd_mesh(*state, &shape), &counts);
        triangles += info.triangle_count, pieces += info.piece_count;
    }
    print_message("%u triangles, %u pieces, %u touching\n", triangles, pieces, counts.touching);
    assert_true(pieces < triangles / 2 && counts.touching > 1000);
}

/* Spheres whose vertices went astray: sharp edges, and surfaces through themselves. */
static void test_crumpled_spheres(void **state)
{
    patches_count counts = {0};
    uint32_t triangles = 0, pieces = 0;
    carom_mesh *sphere = generated(*state, GENERATE_ICO_SPHERE, 80);
    for (uint64_t seed = 1; seed <= 120; seed++)
    {
        check_random random = {seed};
        odd_shape shape = {.count = 80};
        double factor[42], strength = 0.1 + 0.2 * (double)(seed % 9);
        for (size_t i = 0; i < 42; i++)
            factor[i] = 1 + check_uniform(&random, -strength, strength);
        for (size_t i = 0; i < 240; i++)
        {
            uint32_t vertex = carom_mesh_indices(sphere)[i];
            carom_vec3 p = carom_mesh_vertices(sphere)[vertex];
            shape.corner[i] = (carom_vec3){p.x * factor[vertex], p.y * factor[vertex], p.z * factor[vertex]};
        }
        carom_pieces_info info = verify(*state, odd_mesh(*state, &shape), &counts);
        triangles += info.triangle_count, pieces += info.piece_count;
    }
    carom_mesh_destroy(sphere);
    print_message("seeds 1 to 120: %u triangles, %u pieces, %u touching\n", triangles, pieces, counts.touching);
    assert_true(pieces < triangles / 2 && counts.touching > 1000);
}

/* Two spheres of 320 triangles each, the second one of another size and elsewhere. */
static carom_pieces_info two_spheres(carom_context *context, double scale, double shift)
{
    carom_mesh *sphere = generated(context, GENERATE_ICO_SPHERE, 320);
    carom_vec3 *corners = malloc(6 * 320 * sizeof *corners);
    assert_non_null(corners);
    for (size_t i = 0; i < 960; i++)
    {
        carom_vec3 p = carom_mesh_vertices(sphere)[carom_mesh_indices(sphere)[i]];
        corners[i] = p;
        corners[960 + i] = (carom_vec3){p.x * scale + shift, p.y * scale, p.z * scale};
    }
    carom_mesh *both = soup_mesh(context, corners, 640);
    carom_pieces *pieces = make_pieces(context, both);
    carom_pieces_info info = carom_pieces_get_info(pieces);
    carom_pieces_destroy(pieces);
    carom_mesh_destroy(both), carom_mesh_destroy(sphere);
    free(corners);
    return info;
}

static void test_closed_components(void **state)
{
    assert_int_equal(two_spheres(*state, 1, 3).piece_count, 2);
    assert_int_equal(two_spheres(*state, 1, 0.9).piece_count > 2, true); /* one through the other */
    carom_pieces_info nested = two_spheres(*state, 0.5, 0);
    assert_true(nested.piece_count > 2 && nested.largest == 320); /* only the inner one is a piece */
}

/* No triangle has a neighbour: one piece each. */
static void test_single_triangles(void **state)
{
    odd_shape shape = {.count = 0};
    check_random random = {7};
    odd_soup(&shape, &random, 500, 0.1);
    carom_mesh *mesh = odd_mesh(*state, &shape);
    carom_pieces *pieces = make_pieces(*state, mesh);
    carom_pieces_info info = carom_pieces_get_info(pieces);
    assert_int_equal(info.piece_count, 500);
    assert_int_equal(info.single_count, 500);
    assert_int_equal(info.node_count, 999);
    assert_true(info.depth <= 10); /* halved at each node */
    carom_pieces_destroy(pieces), carom_mesh_destroy(mesh);
}

static void test_any_number_of_workers(void **state)
{
    static const generate_kind kinds[] = {GENERATE_HAND, GENERATE_RUBBLE};
    for (size_t k = 0; k < 2; k++)
    {
        carom_mesh *mesh = generated(*state, kinds[k], 3000);
        convex_pieces *expected;
        assert_int_equal(convex_pieces_create(*state, mesh, &expected), CAROM_OK);
        for (uint32_t workers = 1; workers <= 8; workers++)
        {
            carom_context_def def = carom_context_def_default();
            carom_context *context;
            def.workers = workers;
            assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
            carom_mesh *own = generated(context, kinds[k], 3000);
            convex_pieces *pieces;
            assert_int_equal(convex_pieces_create(context, own, &pieces), CAROM_OK);
            assert_int_equal(pieces->size, expected->size);
            assert_memory_equal(pieces, expected, (size_t)expected->size);
            convex_pieces_destroy(context, pieces);
            carom_mesh_destroy(own);
            carom_context_destroy(context);
        }
        convex_pieces_destroy(*state, expected);
        carom_mesh_destroy(mesh);
    }
}

static void test_failing_allocations(void **state)
{
    (void)state;
    failing memory = {0};
    carom_context *context = each_failure_context(&memory);
    failing_pieces_check(&memory, context, generated(context, GENERATE_TORUS, 200), 16);
}

static bool stop_at_once(const carom_progress *progress, void *user)
{
    (void)progress;
    return ++*(int *)user < 3;
}

static void test_cancelling(void **state)
{
    int calls = -1000;
    carom_context_def def = carom_context_def_default();
    carom_context *context;
    def.progress = stop_at_once, def.progress_user = &calls;
    assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
    carom_mesh *mesh = generated(context, GENERATE_TORUS, 400);
    carom_pieces *pieces;
    calls = 0;
    assert_int_equal(carom_pieces_create(context, mesh, &pieces), CAROM_CANCELLED);
    assert_null(pieces);
    carom_mesh_destroy(mesh);
    carom_context_destroy(context);
    (void)state;
}

static void test_arguments(void **state)
{
    carom_pieces *pieces;
    assert_int_equal(carom_pieces_create(NULL, NULL, &pieces), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_pieces_create(*state, NULL, &pieces), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_pieces_check(NULL), CAROM_INVALID_ARGUMENT);
    carom_mesh *mesh = generated(*state, GENERATE_BOX, 12);
    pieces = make_pieces(*state, mesh);
    carom_pieces_node node;
    uint32_t count, strips[64];
    assert_int_equal(carom_pieces_get_node(pieces, 1, &node), CAROM_OUT_OF_RANGE);
    assert_int_equal(carom_pieces_get_node(pieces, 0, NULL), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_pieces_strips(pieces, 0, strips), CAROM_OK);
    assert_int_equal(carom_pieces_strips(pieces, 0, NULL), CAROM_INVALID_ARGUMENT);
    assert_null(carom_pieces_triangles(pieces, 1, &count));
    assert_int_equal(count, 0);
    carom_mesh_destroy(mesh); /* the pieces hold it */
    assert_int_equal(carom_pieces_check(pieces), CAROM_OK);
    carom_pieces_destroy(pieces);
    carom_pieces_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        /* First: where these fail, others may not end. */
        cmocka_unit_test(test_shattered_triangles),
        cmocka_unit_test(test_flat_regions),
        cmocka_unit_test(test_convex_shapes_are_one_piece),
        cmocka_unit_test(test_generated_shapes),
        cmocka_unit_test(test_odd_shapes),
        cmocka_unit_test(test_large_flat_regions),
        cmocka_unit_test(test_squares_at_a_corner),
        cmocka_unit_test(test_crumpled_trees),
        cmocka_unit_test(test_any_place_and_size),
        cmocka_unit_test(test_random_soups),
        cmocka_unit_test(test_random_terrains),
        cmocka_unit_test(test_crumpled_spheres),
        cmocka_unit_test(test_closed_components),
        cmocka_unit_test(test_single_triangles),
        cmocka_unit_test(test_any_number_of_workers),
        cmocka_unit_test(test_failing_allocations),
        cmocka_unit_test(test_cancelling),
        cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, check_open_context, check_close_context);
}
