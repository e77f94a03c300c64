/* What open surfaces probably contain: cases that an engineer would expect, and closed shapes with triangles removed
 * against the exact answer of the closed one. */
#include "query/query.h"
#include "query/world.h"
#include "support/failing.h"
#include "support/soup.h"

#include <string.h>

/* What a question with the full relation answers, the same for every mode. */
static carom_report ask(const world *w, const carom_placed *a, const carom_placed *b)
{
    carom_collide_options options = carom_collide_options_default();
    options.relation = true;
    carom_report report, other;
    assert_int_equal(carom_collide(w->query, a, b, &options, &report), CAROM_OK);
    for (int mode = CAROM_COLLIDE_ANY; mode <= CAROM_COLLIDE_COUNT; mode++)
    {
        options.mode = (carom_collide_mode)mode;
        assert_int_equal(carom_collide(w->query, a, b, &options, &other), CAROM_OK);
        assert_int_equal(other.relation, report.relation);
        assert_int_equal(other.a_probably_inside_b, report.a_probably_inside_b);
        assert_int_equal(other.b_probably_inside_a, report.b_probably_inside_a);
    }
    return report;
}

/* Both orders: `inner` is probably inside `outer`, or not; never the other way round. */
static void check_inside(const world *w, carom_placed outer, carom_placed inner, carom_relation relation, bool expected)
{
    carom_report report = ask(w, &outer, &inner), mirrored = ask(w, &inner, &outer);
    assert_string_equal(carom_relation_name(report.relation), carom_relation_name(relation));
    assert_int_equal(report.b_probably_inside_a, expected);
    assert_int_equal(mirrored.a_probably_inside_b, expected);
    assert_false(report.a_probably_inside_b || mirrored.b_probably_inside_a);
    assert_int_equal(mirrored.relation, report.relation);
}

/* The first triangles of a box, which come in pairs per face: z low, z high, y low, x high, y high, x low. */
static carom_mesh *open_box(const world *w, double size, size_t triangles)
{
    double vertices[24];
    world_box_vertices((double[3]){0, 0, 0}, (double[3]){size, size, size}, vertices);
    return world_mesh(w, vertices, 8, WORLD_BOX_INDICES, triangles);
}

static void box_without_a_lid(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *box = open_box(&w, 10, 10), *part = world_box(&w, 0, 0, 0, 2, 2, 2); /* x = 0 is open */
    carom_placed outer = world_place(box, 0, 0, 0);
    check_inside(&w, outer, world_place(part, 4, 4, 4), CAROM_RELATION_APART, true);
    check_inside(&w, outer, world_place(part, 7, 1, 7), CAROM_RELATION_APART, true);
    check_inside(&w, outer, world_place(part, -1, 4, 4), CAROM_RELATION_APART, false);  /* half of it sticks out */
    check_inside(&w, outer, world_place(part, -3, 4, 4), CAROM_RELATION_APART, false);  /* before the opening */
    check_inside(&w, outer, world_place(part, 11, 4, 4), CAROM_RELATION_APART, false);  /* behind the box */
    check_inside(&w, outer, world_place(part, 4, 12, 40), CAROM_RELATION_APART, false); /* far away */
    /* it lies on the bottom, in a corner, or outside against a wall */
    check_inside(&w, outer, world_place(part, 4, 4, 0), CAROM_RELATION_TOUCHING, true);
    check_inside(&w, outer, world_place(part, 8, 8, 8), CAROM_RELATION_TOUCHING, true);
    check_inside(&w, outer, world_place(part, 4, 4, 10), CAROM_RELATION_TOUCHING, false);
    check_inside(&w, outer, world_place(part, 10, 4, 4), CAROM_RELATION_TOUCHING, false);
    /* normals that point inwards make no difference */
    double vertices[24];
    uint32_t reversed[30];
    world_box_vertices((double[3]){0, 0, 0}, (double[3]){10, 10, 10}, vertices);
    for (int i = 0; i < 30; i++)
        reversed[i] = WORLD_BOX_INDICES[29 - i];
    carom_mesh *inside_out = world_mesh(&w, vertices, 8, reversed, 10);
    check_inside(&w, world_place(inside_out, 0, 0, 0), world_place(part, 4, 4, 4), CAROM_RELATION_APART, true);
    check_inside(&w, world_place(inside_out, 0, 0, 0), world_place(part, 11, 4, 4), CAROM_RELATION_APART, false);
    /* it fills the box */
    carom_mesh *filling = world_box(&w, 0, 0, 0, 10, 10, 10);
    check_inside(&w, outer, world_place(filling, 0, 0, 0), CAROM_RELATION_TOUCHING, true);
    carom_mesh_destroy(box), carom_mesh_destroy(part), carom_mesh_destroy(filling), carom_mesh_destroy(inside_out);
    world_close(&w);
}

/* Spheres and capsules have points of their own. */
static void solids_in_a_box_without_a_lid(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *box = open_box(&w, 10, 10);
    carom_placed outer = world_place(box, 0, 0, 0);
    carom_shape rod = carom_shape_capsule((carom_vec3){-1, 0, 0}, (carom_vec3){1, 0, 0}, 0.5);
    for (int i = 0; i < 2; i++)
    {
        carom_shape shape = i == 0 ? carom_shape_sphere(1) : rod;
        check_inside(&w, outer, (carom_placed){shape, carom_pose_translation(5, 5, 5)}, CAROM_RELATION_APART, true);
        check_inside(&w, outer, (carom_placed){shape, carom_pose_translation(-2, 5, 5)}, CAROM_RELATION_APART, false);
        check_inside(&w, outer, (carom_placed){shape, carom_pose_translation(5, 5, 12)}, CAROM_RELATION_APART, false);
    }
    carom_mesh_destroy(box);
    world_close(&w);
}

/* The lower part of a sphere of radius 1, as a sheet. */
static carom_mesh *make_bowl(const world *w, double rim)
{
    carom_mesh *sphere = world_shape(w, GENERATE_ICO_SPHERE, 5120);
    static carom_vec3 corners[3 * 5120];
    size_t count = 0;
    for (size_t i = 0; i < 5120; i++)
    {
        carom_vec3 c[3];
        mesh_corners(sphere, (uint32_t)i, c);
        if (c[0].z + c[1].z + c[2].z < 1.5 * rim) /* its radius is 1/2 */
            for (int k = 0; k < 3; k++)
                corners[3 * count + (size_t)k] = vec3_scale(c[k], 2.0);
        count += c[0].z + c[1].z + c[2].z < 1.5 * rim;
    }
    carom_mesh_destroy(sphere);
    assert_in_range(count, 100, 5119);
    return soup_mesh(w->context, corners, count);
}

static void ball_in_a_bowl(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *bowl = make_bowl(&w, 0), *deep = make_bowl(&w, 0.8), *ball = world_shape(&w, GENERATE_ICO_SPHERE, 320);
    carom_placed in_bowl = world_place(bowl, 0, 0, 0), in_deep = world_place(deep, 0, 0, 0);
    check_inside(&w, in_bowl, world_place(ball, 0, 0, -0.45), CAROM_RELATION_APART, true);
    check_inside(&w, in_bowl, world_place(ball, 0, 0, 0), CAROM_RELATION_APART, false); /* half of it looks out */
    check_inside(&w, in_bowl, world_place(ball, 0, 0, 0.6), CAROM_RELATION_APART, false);
    check_inside(&w, in_bowl, world_place(ball, 0, 0, -1.6), CAROM_RELATION_APART, false); /* below */
    check_inside(&w, in_deep, world_place(ball, 0, 0, 0), CAROM_RELATION_APART, true);
    check_inside(&w, in_deep, world_place(ball, 0, 0, 1.4), CAROM_RELATION_APART, false);
    carom_mesh_destroy(bowl), carom_mesh_destroy(deep), carom_mesh_destroy(ball);
    world_close(&w);
}

/* A sphere that a file format tore open everywhere. */
static void sphere_of_loose_triangles(void **state)
{
    (void)state;
    world w = world_open();
    check_random random = {23};
    carom_mesh *sphere = world_shape(&w, GENERATE_ICO_SPHERE, 1280), *small = world_box(&w, 0, 0, 0, .05, .05, .05);
    static carom_vec3 corners[3 * 1280];
    for (uint32_t i = 0; i < 1280; i++)
        mesh_corners(sphere, i, corners + 3 * (size_t)i);
    for (size_t i = 0; i < 3 * 1280; i++)
        corners[i] = vec3_add(corners[i], check_random_point(&random, -1e-6, 1e-6));
    carom_mesh *loose = soup_mesh(w.context, corners, 1280);
    assert_true(carom_mesh_get_info(loose).component_count > 32);
    carom_placed outer = world_place(loose, 0, 0, 0);
    for (int i = 0; i < 200; i++)
    {
        carom_pose pose = world_random_pose(&random, 0.6);
        carom_vec3 t = pose.translation;
        double from_centre = vec3_length(t);
        if (fabs(from_centre - 0.5) < 0.1)
            continue;
        check_inside(&w, outer, (carom_placed){carom_shape_mesh(small), pose}, CAROM_RELATION_APART, from_centre < 0.5);
    }
    /* the loose sphere is inside something, too: its many components count as one body */
    carom_mesh *box = open_box(&w, 2, 10);
    check_inside(&w, world_place(box, -1, -1, -1), outer, CAROM_RELATION_APART, true);
    check_inside(&w, world_place(box, -1, -1, -1), world_place(loose, 0, 0, 3), CAROM_RELATION_APART, false);
    carom_mesh_destroy(sphere), carom_mesh_destroy(small), carom_mesh_destroy(loose), carom_mesh_destroy(box);
    world_close(&w);
}

/* Sheets contain nothing, however close: flat ones, and gentle folds one above the other. */
static void sheets_contain_nothing(void **state)
{
    (void)state;
    world w = world_open();
    const double square[12] = {-5, -5, 0, 5, -5, 0, 5, 5, 0, -5, 5, 0};
    const uint32_t halves[6] = {0, 1, 2, 0, 2, 3};
    carom_mesh *sheet = world_mesh(&w, square, 4, halves, 2), *part = world_box(&w, -1, -1, 0, 1, 1, 1);
    carom_mesh *terrain = world_shape(&w, GENERATE_TERRAIN, 2000), *small = world_box(&w, 0, 0, 0, .02, .02, .02);
    const double gaps[] = {1e-12, 1e-6, 1e-3, 0.1, 1, 10};
    for (int i = 0; i < 6; i++)
    {
        check_inside(&w, world_place(sheet, 0, 0, 0), world_place(sheet, 0, 0, gaps[i]), CAROM_RELATION_APART, false);
        check_inside(&w, world_place(sheet, 0, 0, 0), world_place(sheet, 1, 2, -gaps[i]), CAROM_RELATION_APART, false);
        check_inside(&w, world_place(sheet, 0, 0, 0), world_place(part, 1, 2, gaps[i]), CAROM_RELATION_APART, false);
        check_inside(&w, world_place(sheet, 0, 0, 0), world_place(part, 1, 2, -1 - gaps[i]), CAROM_RELATION_APART,
                     false);
        check_inside(&w, world_place(terrain, 0, 0, 0), world_place(terrain, 0, 0, gaps[i]), CAROM_RELATION_APART,
                     false);
    }
    check_inside(&w, world_place(sheet, 0, 0, 0), world_place(part, 1, 2, 0), CAROM_RELATION_TOUCHING, false);
    check_random random = {29};
    for (int i = 0; i < 300; i++)
    {
        carom_placed body = {carom_shape_mesh(small), world_random_pose(&random, 0.5)}, ground;
        ground = world_place(terrain, 0, 0, 0);
        carom_report report = ask(&w, &ground, &body);
        assert_false(report.a_probably_inside_b || report.b_probably_inside_a);
    }
    carom_mesh_destroy(sheet), carom_mesh_destroy(part), carom_mesh_destroy(terrain), carom_mesh_destroy(small);
    world_close(&w);
}

/* Two parts in one mesh, one of them in the box: that is enough. */
static void one_of_two_components(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *box = open_box(&w, 10, 10);
    double vertices[48];
    uint32_t indices[72];
    world_box_vertices((double[3]){0, 0, 0}, (double[3]){2, 2, 2}, vertices);
    world_box_vertices((double[3]){20, 0, 0}, (double[3]){22, 2, 2}, vertices + 24);
    for (int i = 0; i < 72; i++)
        indices[i] = WORLD_BOX_INDICES[i % 36] + (i < 36 ? 0u : 8u);
    carom_mesh *two = world_mesh(&w, vertices, 16, indices, 24);
    check_inside(&w, world_place(box, 0, 0, 0), world_place(two, 4, 4, 4), CAROM_RELATION_APART, true);
    check_inside(&w, world_place(box, 0, 0, 0), world_place(two, -16, 4, 4), CAROM_RELATION_APART, true);
    check_inside(&w, world_place(box, 0, 0, 0), world_place(two, -6, 4, 4), CAROM_RELATION_APART, false);
    carom_mesh_destroy(box), carom_mesh_destroy(two);
    world_close(&w);
}

/* Not closed for another reason: every edge has two triangles, but half of the surface is turned over. */
static void half_turned_over(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *sphere = world_shape(&w, GENERATE_ICO_SPHERE, 1280), *small = world_box(&w, 0, 0, 0, .05, .05, .05);
    static carom_vec3 corners[3 * 1280];
    for (uint32_t i = 0; i < 1280; i++)
    {
        carom_vec3 *c = corners + 3 * (size_t)i, kept;
        mesh_corners(sphere, i, c);
        kept = c[1];
        if (c[0].x + c[1].x + c[2].x > 0)
            c[1] = c[2], c[2] = kept;
    }
    carom_mesh *turned = soup_mesh(w.context, corners, 1280);
    assert_int_equal(carom_mesh_get_info(turned).boundary_edge_count, 0);
    check_inside(&w, world_place(turned, 0, 0, 0), world_place(small, 0, 0, 0), CAROM_RELATION_APART, true);
    check_inside(&w, world_place(turned, 0, 0, 0), world_place(small, .45, .45, 0), CAROM_RELATION_APART, false);
    carom_mesh_destroy(sphere), carom_mesh_destroy(small), carom_mesh_destroy(turned);
    world_close(&w);
}

/* No estimate where the relation is not requested, is exact anyway, or is a finding. */
static void only_where_needed(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *box = open_box(&w, 10, 10), *whole = world_box(&w, 0, 0, 0, 10, 10, 10);
    carom_mesh *part = world_box(&w, 0, 0, 0, 2, 2, 2), *empty = world_mesh(&w, NULL, 0, NULL, 0);
    carom_placed outer = world_place(box, 0, 0, 0), inner = world_place(part, 4, 4, 4);
    carom_report report;
    for (int mode = CAROM_COLLIDE_ANY; mode <= CAROM_COLLIDE_ALL; mode++)
    {
        carom_collide_options options = {.mode = (carom_collide_mode)mode};
        assert_int_equal(carom_collide(w.query, &outer, &inner, &options, &report), CAROM_OK);
        assert_int_equal(report.relation, CAROM_RELATION_APART);
        assert_false(report.a_probably_inside_b || report.b_probably_inside_a);
    }
    carom_placed closed = world_place(whole, 0, 0, 0), nothing = world_place(empty, 4, 4, 4);
    report = ask(&w, &closed, &inner);
    assert_int_equal(report.relation, CAROM_RELATION_B_INSIDE_A);
    assert_false(report.a_probably_inside_b || report.b_probably_inside_a);
    check_inside(&w, outer, nothing, CAROM_RELATION_APART, false);
    carom_placed through = world_place(part, 4, 4, 9);
    report = ask(&w, &outer, &through);
    assert_true(report.pair_count > 0);
    assert_int_equal(report.relation, CAROM_RELATION_OVERLAPPING);
    assert_false(report.a_probably_inside_b || report.b_probably_inside_a);
    carom_mesh_destroy(box), carom_mesh_destroy(whole), carom_mesh_destroy(part), carom_mesh_destroy(empty);
    world_close(&w);
}

/* A budget may end before the estimate; resumed as often as it takes, the answer is the same. */
static void budgets(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *bowl = make_bowl(&w, 0.8), *ball = world_shape(&w, GENERATE_ICO_SPHERE, 320);
    carom_placed outer = world_place(bowl, 0, 0, 0), inner = world_place(ball, 0, 0, 0);
    carom_collide_options options = carom_collide_options_default();
    options.relation = true;
    carom_report whole = ask(&w, &outer, &inner), report;
    assert_true(whole.b_probably_inside_a);
    uint32_t cut_short = 0;
    for (uint64_t work = 1; work < 100000; work = work * 3 + 1)
    {
        options.budget.work = work;
        carom_status status = carom_collide(w.query, &outer, &inner, &options, &report);
        for (int steps = 0; status == CAROM_UNKNOWN; steps++)
        {
            assert_true(steps < 100000);
            assert_false(report.b_probably_inside_a);
            cut_short += report.relation == CAROM_RELATION_APART;
            status = carom_collide_resume(w.query, &options.budget, &report);
        }
        assert_int_equal(status, CAROM_OK);
        assert_true(report.b_probably_inside_a && report.hash == whole.hash);
    }
    assert_true(cut_short > 0);
    carom_mesh_destroy(bowl), carom_mesh_destroy(ball);
    world_close(&w);
}

/* Memory that is refused gives an error, leaks nothing, and does no harm to the next question. */
static void refused_memory(void **state)
{
    (void)state;
    failing memory = {0};
    world w = {0};
    assert_int_equal(failing_context(&memory, &w.context), CAROM_OK);
    carom_collide_options options = carom_collide_options_default();
    options.relation = true;
    uint32_t failures = 0;
    for (uint64_t at = 1; at < 1000; at++)
    {
        carom_mesh *box = open_box(&w, 10, 10), *part = world_box(&w, 0, 0, 0, 2, 2, 2);
        assert_int_equal(carom_mesh_prepare(box, CAROM_TREE_FAST) | carom_mesh_prepare(part, CAROM_TREE_FAST), 0);
        assert_int_equal(carom_query_create(w.context, &w.query), CAROM_OK);
        carom_placed a = world_place(box, 0, 0, 0), b = world_place(part, 4, 4, 4);
        carom_report report;
        failing_arm(&memory, at);
        carom_status status = carom_collide(w.query, &a, &b, &options, &report);
        bool failed = memory.failed;
        failing_arm(&memory, 0);
        assert_int_equal(status, failed ? CAROM_OUT_OF_MEMORY : CAROM_OK);
        if (failed)
            assert_int_equal(carom_collide(w.query, &a, &b, &options, &report), CAROM_OK);
        assert_true(report.b_probably_inside_a);
        failures += failed;
        carom_query_destroy(w.query);
        carom_mesh_destroy(box), carom_mesh_destroy(part);
        if (!failed)
            break;
    }
    assert_true(failures >= 5); /* the field, two arrays that it keeps, three that it does not */
    carom_context_destroy(w.context);
    assert_int_equal(memory.blocks_out, 0);
}

/* ---- against the exact answer of the closed surface ---- */

typedef struct tally
{
    uint32_t cases, inside, missed, false_alarms;
} tally;

/* The mesh without every triangle near some of its corners: holes of about the given share of the surface. */
static carom_mesh *tear(const world *w, const carom_mesh *mesh, uint32_t holes, double radius, check_random *random)
{
    carom_mesh_info info = carom_mesh_get_info(mesh);
    carom_vec3 *corners = malloc(3 * (size_t)info.triangle_count * sizeof *corners), centre[8];
    assert_non_null(corners);
    for (uint32_t i = 0; i < holes; i++)
        centre[i] = mesh->vertices[check_next(random) % info.vertex_count];
    size_t kept = 0;
    for (uint32_t i = 0; i < info.triangle_count; i++)
    {
        mesh_corners(mesh, i, corners + 3 * kept);
        bool gone = false;
        for (uint32_t k = 0; k < holes; k++)
            gone |= vec3_length(vec3_sub(corners[3 * kept], centre[k])) <= radius;
        kept += !gone;
    }
    assert_true(kept > 0 && kept < info.triangle_count);
    carom_mesh *torn = soup_mesh(w->context, corners, kept);
    free(corners);
    return torn;
}

/* Bodies everywhere in and around the shape; those that meet it are left out. */
static void compare(const world *w, const carom_mesh *whole, const carom_mesh *torn, const carom_mesh *body, tally *sum)
{
    check_random random = {31};
    carom_placed closed = world_place(whole, 0, 0, 0), open = world_place(torn, 0, 0, 0);
    for (int i = 0; i < 200; i++)
    {
        carom_placed inner = {carom_shape_mesh(body), world_random_pose(&random, 0.5)};
        carom_report exact = ask(w, &closed, &inner);
        if (exact.pair_count > 0)
            continue;
        carom_report estimate = ask(w, &open, &inner);
        bool inside = exact.relation == CAROM_RELATION_B_INSIDE_A;
        assert_int_equal(estimate.relation, CAROM_RELATION_APART);
        sum->cases++, sum->inside += inside;
        sum->missed += inside && !estimate.b_probably_inside_a;
        sum->false_alarms += !inside && estimate.b_probably_inside_a;
    }
}

static void agrees_with_the_closed_surface(void **state)
{
    (void)state;
    world w = world_open();
    check_random random = {37};
    const double radii[3] = {0, 0.05, 0.15}; /* of shapes that fit a cube of side 1; 0: the triangles of a corner */
    generate_def def = generate_def_default(GENERATE_RUBBLE);
    def.triangles = 60, def.size = 0.06;
    carom_mesh *body;
    assert_int_equal(generate_mesh(w.context, &def, &body), CAROM_OK);
    for (int r = 0; r < 3; r++)
    {
        tally sum = {0};
        for (generate_kind kind = 0; kind < GENERATE_KIND_COUNT; kind++)
        {
            if (!generate_get_info(kind)->closed)
                continue;
            carom_mesh *whole = world_shape(&w, kind, 3000), *torn = tear(&w, whole, 3, radii[r], &random);
            compare(&w, whole, torn, body, &sum);
            carom_mesh_destroy(whole), carom_mesh_destroy(torn);
        }
        printf("3 holes of radius %.2f: %u bodies, %u inside, %u of them missed, %u false alarms\n", radii[r],
               sum.cases, sum.inside, sum.missed, sum.false_alarms);
        assert_true(sum.cases > 2000 && sum.inside > 400);
        assert_true(sum.false_alarms == 0 && (radii[r] < 0.1 ? sum.missed == 0 : 50 * sum.missed < sum.inside));
    }
    carom_mesh_destroy(body);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_without_a_lid),
        cmocka_unit_test(solids_in_a_box_without_a_lid),
        cmocka_unit_test(ball_in_a_bowl),
        cmocka_unit_test(sphere_of_loose_triangles),
        cmocka_unit_test(sheets_contain_nothing),
        cmocka_unit_test(one_of_two_components),
        cmocka_unit_test(half_turned_over),
        cmocka_unit_test(only_where_needed),
        cmocka_unit_test(budgets),
        cmocka_unit_test(refused_memory),
        cmocka_unit_test(agrees_with_the_closed_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
