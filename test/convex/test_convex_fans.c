/* Convex pieces of meshes with very many triangles around one vertex: what they are, and that the work grows with the
 * triangles and not with their square. */
#include "convex/failing_pieces.h"
#include "scenes/fans.h"
#include "scenes/flats.h"
#include "support/patches.h"

#include "convex/grow.h"

#include <stdlib.h>
#include <string.h>

static carom_mesh *make_fan(carom_context *context, fans_kind kind, uint32_t triangles)
{
    carom_mesh *mesh;
    assert_int_equal(fans_make(context, kind, triangles, &mesh), CAROM_OK);
    return mesh;
}

static void assert_ok(carom_context *context, carom_status status)
{
    char message[256] = "";
    carom_context_message(context, message, sizeof message);
    if (status != CAROM_OK)
        fail_msg("%s", message);
}

/* ---- what they are ---- */

/* The number of pieces of n triangles, where it is easy to tell; 0: not. */
static uint32_t expected_pieces(fans_kind kind, uint32_t n)
{
    switch (kind)
    {
    case FANS_CONE:
    case FANS_CLOSED_CONE:
    case FANS_BICONE:
    case FANS_FLAT: return 1;
    case FANS_WAVY:
    case FANS_STAR: return n / 2; /* each other edge is concave */
    case FANS_TUFT: return n / 4;
    case FANS_WAVY_TWICE:
    case FANS_BOOK: return n; /* edges of four triangles, or of all */
    default: return 0;
    }
}

static void test_pieces(void **state)
{
    carom_context *context = *state;
    patches_count counts = {0};
    for (int kind = 0; kind < FANS_COUNT; kind++)
        for (uint32_t triangles = 40; triangles <= 320; triangles += 280)
        {
            carom_mesh *mesh = make_fan(context, (fans_kind)kind, triangles);
            carom_pieces *pieces;
            assert_ok(context, carom_pieces_create(context, mesh, &pieces));
            assert_ok(context, carom_pieces_check(pieces));
            carom_pieces_info info = carom_pieces_get_info(pieces);
            uint32_t expected = expected_pieces((fans_kind)kind, triangles);
            print_message("%s: %u triangles, %u pieces\n", fans_name((fans_kind)kind), info.triangle_count,
                          info.piece_count);
            if (expected > 0)
                assert_int_equal(info.piece_count, expected);
            patches_count own = patches_verify(mesh, pieces);
            counts.pieces += own.pieces, counts.touching += own.touching;
            carom_pieces_destroy(pieces), carom_mesh_destroy(mesh);
        }
    print_message("%u pieces, %u touching\n", counts.pieces, counts.touching);
    assert_true(counts.pieces > 1000 && counts.touching > 50000);
}

/* ---- hubs only save time ---- */

enum
{
    RIM = 160
};

/* A fan with one apex or two, its rim at random or flat, on a lattice or not, and perhaps a collar around it. */
typedef struct random_fan
{
    carom_vec3 points[2 * RIM + 3];
    uint32_t indices[12 * RIM + 3], triangles;
} random_fan;

static void add(random_fan *fan, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *out = fan->indices + 3 * (size_t)fan->triangles++;
    out[0] = a, out[1] = b, out[2] = c;
}

/* From 0, a multiple of a power of two. */
static double up_to(check_random *random, double largest, double rounding)
{
    return largest > 0 ? round(check_uniform(random, 0, largest) * rounding) / rounding : 0;
}

static void place_rims(random_fan *fan, check_random *random)
{
    double waves = floor(check_uniform(random, 0, 4)), rounding = check_uniform(random, 0, 2) < 1 ? 0x1p3 : 0x1p40;
    const double radius[4] = {0, 0, 0.5, 0.5}, height[4] = {0, 0.2, 0.2, 2};
    for (uint32_t i = 0; i < 2 * RIM; i++)
    {
        double angle = 6.283185307179586 * i / RIM;
        double r = (i < RIM ? 4 : 6) * (1 + up_to(random, radius[(int)waves], rounding));
        fan->points[i] =
            (carom_vec3){round(r * cos(angle) * rounding) / rounding, round(r * sin(angle) * rounding) / rounding,
                         up_to(random, height[(int)waves], rounding)};
    }
}

static carom_mesh *make_random(carom_context *context, check_random *random)
{
    random_fan fan = {.triangles = 0};
    const uint32_t apex = 2 * RIM, ends = (uint32_t)check_uniform(random, 1, 3);
    bool collar = check_uniform(random, 0, 2) < 1;
    place_rims(&fan, random);
    fan.points[apex].z = check_uniform(random, 0, 2) < 1 ? 0 : 4;
    fan.points[apex + 1].z = -3, fan.points[apex + 2].z = 1;
    for (uint32_t i = 0; i < RIM; i++)
    {
        uint32_t next = (i + 1) % RIM;
        add(&fan, apex, i, next);
        if (ends == 2 && !collar)
            add(&fan, apex + 1, next, i);
        if (collar)
            add(&fan, i, RIM + i, RIM + next), add(&fan, i, RIM + next, next);
    }
    /* One more, from rim to rim or from the apex inwards. */
    add(&fan, check_uniform(random, 0, 2) < 1 ? apex : 0, apex + 2, RIM / 3);
    /* Now and then tiny or far away. */
    double place = check_uniform(random, 0, 8), size = place < 1 ? 0x1p-350 : 1, shift = place > 7 ? 1e6 : 0;
    for (uint32_t i = 0; i < 2 * RIM + 3; i++)
    {
        carom_vec3 *p = &fan.points[i];
        *p = (carom_vec3){p->x * size + shift, p->y * size + shift, p->z * size + shift};
    }
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = &fan.points[0].x, def.vertex_count = 2 * RIM + 3, def.indices_u32 = fan.indices;
    def.triangle_count = fan.triangles;
    carom_mesh *mesh;
    assert_int_equal(carom_mesh_create(context, &def, &mesh), CAROM_OK);
    return mesh;
}

static uint32_t *grow_with(carom_context *context, const carom_mesh *mesh, bool hubs, uint64_t *effort)
{
    convex_surface surface;
    assert_ok(context, surface_create(context, mesh, &surface));
    if (!hubs)
    {
        bounds_free_hubs(context, surface.tree, surface.hubs);
        surface.hubs = NULL;
    }
    assert_ok(context, patches_grow(&surface));
    size_t size = mesh->triangle_count * sizeof *surface.piece;
    uint32_t *pieces = malloc(size);
    assert_non_null(pieces);
    memcpy(pieces, surface.piece, size);
    *effort = surface.effort;
    surface_free(&surface);
    return pieces;
}

static void test_hubs_change_nothing(void **state)
{
    carom_context *context = *state;
    check_random random = {12};
    uint64_t effort[2], sum[2] = {0};
    for (int round = 0; round < 400 + FANS_COUNT; round++)
    {
        carom_mesh *mesh =
            round < FANS_COUNT ? make_fan(context, (fans_kind)round, 400) : make_random(context, &random);
        uint32_t *with = grow_with(context, mesh, true, &effort[1]),
                 *without = grow_with(context, mesh, false, &effort[0]);
        assert_memory_equal(with, without, mesh->triangle_count * sizeof *with);
        sum[0] += effort[0], sum[1] += effort[1];
        if (round % 4 == 0)
        {
            carom_pieces *pieces;
            assert_ok(context, carom_pieces_create(context, mesh, &pieces));
            assert_ok(context, carom_pieces_check(pieces));
            carom_pieces_destroy(pieces);
        }
        free(with), free(without), carom_mesh_destroy(mesh);
    }
    print_message("effort %.3g without hubs, %.3g with them\n", (double)sum[0], (double)sum[1]);
    assert_true(sum[1] < sum[0]);
}

/* ---- work ---- */

typedef struct work
{
    uint64_t growth, check;
} work;

static work measure(carom_context *context, fans_kind kind, uint32_t triangles)
{
    work out;
    carom_mesh *mesh = make_fan(context, kind, triangles);
    free(grow_with(context, mesh, true, &out.growth));
    convex_pieces *pieces;
    assert_ok(context, convex_pieces_create(context, mesh, &pieces));
    assert_ok(context, convex_check_counted(context, mesh, pieces, &out.check));
    convex_pieces_destroy(context, pieces);
    carom_mesh_destroy(mesh);
    return out;
}

/* Four times as many triangles take hardly more than four times the work; the square would be sixteen times. */
static void test_work(void **state)
{
    for (int kind = 0; kind < FANS_COUNT; kind++)
    {
        work few = measure(*state, (fans_kind)kind, 3000), many = measure(*state, (fans_kind)kind, 12000);
        print_message("%s: growth %llu, times %.2f; check %llu, times %.2f\n", fans_name((fans_kind)kind),
                      (unsigned long long)few.growth, (double)many.growth / (double)(few.growth + 1),
                      (unsigned long long)few.check, (double)many.check / (double)few.check);
        assert_true(many.growth <= 8 * few.growth && many.check <= 8 * few.check);
    }
}

/* A million triangles in one plane, as an engine's worst case would have them. */
static void test_a_million_in_a_plane(void **state)
{
#ifdef CAROM_SANITIZED
    const uint32_t triangles = 50000;
#else
    const uint32_t triangles = 1000000;
#endif
    carom_mesh *mesh;
    carom_pieces *pieces;
    assert_int_equal(flats_make(*state, FLATS_GRID, triangles, &mesh), CAROM_OK);
    assert_ok(*state, carom_pieces_create(*state, mesh, &pieces));
    carom_pieces_info info = carom_pieces_get_info(pieces);
    print_message("%u triangles in a plane: %.0f ms\n", info.triangle_count, info.ms);
    assert_true(info.triangle_count > triangles - triangles / 100);
    assert_int_equal(info.piece_count, 1);
    carom_pieces_destroy(pieces), carom_mesh_destroy(mesh);
}

/* ---- what the check notices ---- */

/* A cone, and a triangle from its apex to a corner far away; its third corner is at this height, above the cone or in
 * it, but never a corner of the hull of all. */
static carom_mesh *cone_with_flag(carom_context *context, double height)
{
    enum
    {
        RIM = 200
    };
    carom_vec3 points[RIM + 3];
    uint32_t indices[3 * RIM + 3];
    for (uint32_t i = 0; i < RIM; i++)
    {
        double angle = 6.283185307179586 * i / RIM;
        points[i] = (carom_vec3){cos(angle), sin(angle), 0};
        const uint32_t corner[3] = {RIM, i, (i + 1) % RIM};
        memcpy(indices + 3 * (size_t)i, corner, sizeof corner);
    }
    const carom_vec3 flag[3] = {{0, 0, 1}, {0.25, 0, height}, {3, 0, 1}};
    const uint32_t corner[3] = {RIM, RIM + 1, RIM + 2};
    memcpy(points + RIM, flag, sizeof flag);
    memcpy(indices + 3 * RIM, corner, sizeof corner);
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = &points[0].x, def.vertex_count = RIM + 3, def.indices_u32 = indices;
    def.triangle_count = RIM + 1;
    carom_mesh *mesh;
    assert_int_equal(carom_mesh_create(context, &def, &mesh), CAROM_OK);
    return mesh;
}

/* Pieces of a mesh whose flag is outside, checked on one whose flag is in the cone: nothing is wrong but criterion 3.
 */
static void test_check_at_a_hub(void **state)
{
    carom_context *context = *state;
    char message[256] = "";
    carom_mesh *outside = cone_with_flag(context, 0.875), *inside = cone_with_flag(context, 0.625);
    convex_pieces *pieces;
    assert_ok(context, convex_pieces_create(context, outside, &pieces));
    assert_int_equal(pieces->piece_count, 2);
    convex_node *nodes = (convex_node *)(void *)((char *)pieces + pieces->offset[CONVEX_NODES]);
    for (uint32_t i = 0; i < pieces->node_count; i++)
        for (int k = 0; k < 3; k++)
            nodes[i].box.half[k] += 1; /* for the corner that moves */
    assert_ok(context, convex_check(context, outside, pieces));
    assert_int_equal(convex_check(context, inside, pieces), CAROM_BAD_DATA);
    carom_context_message(context, message, sizeof message);
    assert_non_null(strstr(message, "the hull of piece 0 meets triangle 200"));
    convex_pieces_destroy(context, pieces);
    carom_mesh_destroy(outside), carom_mesh_destroy(inside);
}

static void test_failing_allocations(void **state)
{
    (void)state;
    failing memory = {0};
    carom_context *context = each_failure_context(&memory);
    failing_pieces_check(&memory, context, make_fan(context, FANS_WAVY_BICONE, 400), 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces),         cmocka_unit_test(test_hubs_change_nothing),
        cmocka_unit_test(test_work),           cmocka_unit_test(test_a_million_in_a_plane),
        cmocka_unit_test(test_check_at_a_hub), cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, check_open_context, check_close_context);
}
