/* Distance, within and clearance through the public functions against rational arithmetic: triangles from 1e-6 to 1e24
 * in near contact, at thresholds around their distance, and in a scene with margins whose sum is no double.
 * CAROM_TEST_SCALE multiplies the number of cases (100 gives a million), CAROM_TEST_SEED starts elsewhere. */
#include "carom/carom.h"
#include "support/near_contacts.h"
#include "support/oracle_round.h"

#include <stdlib.h>

enum
{
    NEAR_CONTACTS = 10000
};

typedef struct bench
{
    carom_context *context;
    carom_query *query;
    carom_scene *scene;
    carom_engine *engines[2]; /* tree, brute */
    carom_body_id ids[2];
    oracle_gap *gap;
    uint64_t apart, decisions;
    uint64_t inexact, misjudged; /* sums that are no double; decisions that the sum in double would get wrong */
} bench;

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

static bench bench_open(void)
{
    bench b = {.gap = oracle_gap_create()};
    assert_int_equal(carom_context_create(NULL, &b.context), CAROM_OK);
    assert_int_equal(carom_query_create(b.context, &b.query), CAROM_OK);
    assert_int_equal(carom_scene_create(b.context, &b.scene), CAROM_OK);
    for (int i = 0; i < 2; i++)
    {
        carom_engine_def def = carom_engine_def_default();
        def.engine = i ? "brute" : "tree";
        assert_int_equal(carom_engine_create(b.context, &def, &b.engines[i]), CAROM_OK);
        carom_body_def body = carom_body_def_default();
        body.placed.shape = carom_shape_sphere(1.0);
        assert_int_equal(carom_scene_add(b.scene, &body, &b.ids[i]), CAROM_OK);
    }
    return b;
}

static void bench_close(bench *b, const char *name)
{
    print_message(
        "%s: %llu pairs apart, %llu decisions, %llu at a sum that is no double, %llu that it would get wrong\n", name,
        (unsigned long long)b->apart, (unsigned long long)b->decisions, (unsigned long long)b->inexact,
        (unsigned long long)b->misjudged);
    for (int i = 0; i < 2; i++)
        carom_engine_destroy(b->engines[i]);
    carom_scene_destroy(b->scene);
    carom_query_destroy(b->query);
    carom_context_destroy(b->context);
    oracle_gap_destroy(b->gap);
}

static carom_mesh *mesh_of(carom_context *context, const narrow_triangle *triangle)
{
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = &triangle->corner[0].x;
    def.vertex_count = 3;
    def.unindexed = true;
    def.triangle_count = 1;
    carom_mesh *mesh = NULL;
    assert_int_equal(carom_mesh_create(context, &def, &mesh), CAROM_OK);
    return mesh;
}

/* The sign of the distance minus the exact sum. */
static int sign_at(bench *b, const double terms[3])
{
    const double twice[6] = {terms[0], terms[1], terms[2], terms[0], terms[1], terms[2]};
    b->decisions++;
    return oracle_gap_twice_sign(b->gap, twice, 6);
}

/* ---- two bodies ---- */

static const char *check_distance(bench *b, const carom_report *report)
{
    double below = report->distance_bound, above = nextafter(below, INFINITY);
    const double at_below[2] = {below, below}, at_above[2] = {above, above}, middle[2] = {below, above};
    if (oracle_gap_twice_sign(b->gap, at_below, 2) < 0 || oracle_gap_twice_sign(b->gap, at_above, 2) >= 0)
        return "distance_bound";
    int half = oracle_gap_twice_sign(b->gap, middle, 2);
    uint64_t bits;
    memcpy(&bits, &below, sizeof bits);
    double nearest = half > 0 || (half == 0 && (bits & 1)) ? above : below;
    return report->distance == (nearest > 0.0 ? nearest : 0x1p-1074) ? NULL : "the distance";
}

static const char *check_thresholds(bench *b, const carom_placed placed[2], double below)
{
    double above = nextafter(below, INFINITY);
    const double limits[5] = {below, nextafter(below, 0.0), above, 0.5 * below, nextafter(above, INFINITY)};
    for (int i = 0; i < 5; i++)
    {
        int sign = sign_at(b, (const double[3]){limits[i], 0.0, 0.0});
        bool within = false;
        carom_report report;
        carom_collide_options options = carom_collide_options_default();
        options.clearance = limits[i];
        assert_int_equal(carom_within(b->query, &placed[0], &placed[1], limits[i], &within), CAROM_OK);
        if (within != (sign <= 0))
            return "within";
        assert_int_equal(carom_collide(b->query, &placed[0], &placed[1], &options, &report), CAROM_OK);
        if (limits[i] > 0.0 && report.clearance_violated != (sign < 0))
            return "the clearance";
    }
    return NULL;
}

/* ---- a scene ---- */

/* Margins and a clearance with a sum next to the distance: finer than a double can tell, or a few roundings away. */
static void make_terms(check_random *random, double distance, double terms[3])
{
    terms[0] = check_uniform(random, 0.0, 0.9) * distance;
    terms[1] = check_uniform(random, 0.0, 0.9) * (distance - terms[0]);
    terms[2] = fmax((distance - terms[0]) - terms[1], 0.0);
    for (int steps = (int)(check_next(random) % 9) - 4; steps != 0; steps += steps < 0 ? 1 : -1)
    {
        double *moved = &terms[check_next(random) % 3];
        *moved = nextafter(*moved, steps < 0 ? 0.0 : INFINITY);
    }
    if (check_next(random) % 4 == 0) /* the margins alone */
        terms[1] += terms[2], terms[2] = 0.0;
}

static bool is_whole(const double terms[3], double *sum)
{
    double first = terms[0] + terms[1], part = first - terms[0];
    double error = (terms[0] - (first - part)) + (terms[1] - part);
    *sum = first + terms[2], part = *sum - first;
    return error + ((first - (*sum - part)) + (terms[2] - part)) == 0.0;
}

static const char *check_scene(bench *b, const double terms[3], const carom_report *truth, int engine)
{
    for (int i = 0; i < 2; i++)
        assert_int_equal(carom_scene_set_margin(b->scene, b->ids[i], terms[i]), CAROM_OK);
    carom_frame frame;
    carom_scene_report report;
    carom_collide_options options = carom_collide_options_default();
    options.clearance = terms[2];
    assert_int_equal(carom_scene_frame(b->scene, &frame), CAROM_OK);
    assert_int_equal(carom_engine_run(b->engines[engine], &frame, &options, &report), CAROM_OK);
    bool violated = sign_at(b, terms) < 0;
    double sum;
    b->inexact += !is_whole(terms, &sum);
    b->misjudged += violated != (sign_at(b, (const double[3]){sum, 0.0, 0.0}) < 0);
    if ((report.body_pair_count == 1) != violated)
        return "the clearance with margins";
    if (violated && (!report.body_pairs[0].clearance_violated || report.body_pairs[0].distance != truth->distance))
        return "the pair of bodies";
    return NULL;
}

static const char *check_pair(bench *b, check_random *random, const narrow_triangle pair[2])
{
    carom_mesh *meshes[2] = {mesh_of(b->context, &pair[0]), mesh_of(b->context, &pair[1])};
    carom_placed placed[2] = {{carom_shape_mesh(meshes[0]), carom_pose_identity()},
                              {carom_shape_mesh(meshes[1]), carom_pose_identity()}};
    exact_round rounds[2] = {{pair[0].corner, 3, 0.0}, {pair[1].corner, 3, 0.0}};
    oracle_gap_measure(b->gap, &rounds[0], &rounds[1]);
    bool meets = oracle_gap_sign(b->gap, 0.0, 0.0) == 0;
    carom_report report;
    assert_int_equal(carom_distance(b->query, &placed[0], &placed[1], NULL, &report), CAROM_OK);
    const char *wrong = meets != (report.distance == 0.0) ? "zero" : meets ? NULL : check_distance(b, &report);
    b->apart += !meets;
    if (!meets && !wrong)
        wrong = check_thresholds(b, placed, report.distance_bound);
    for (int i = 0; i < 2; i++)
        assert_int_equal(carom_scene_reshape(b->scene, b->ids[i], &placed[i].shape), CAROM_OK);
    for (int i = 0; i < 4 && !meets && !wrong; i++)
    {
        double terms[3];
        make_terms(random, report.distance, terms);
        wrong = check_scene(b, terms, &report, i == 3);
    }
    carom_mesh_destroy(meshes[0]);
    carom_mesh_destroy(meshes[1]);
    return wrong;
}

static void fail_pair(const narrow_triangle pair[2], const char *wrong, uint64_t number)
{
    for (int i = 0; i < 6; i++)
    {
        carom_vec3 p = pair[i / 3].corner[i % 3];
        print_message("  {%a, %a, %a}\n", p.x, p.y, p.z);
    }
    fail_msg("%s is wrong, case %llu", wrong, (unsigned long long)number);
}

static void test_near_contacts(void **state)
{
    (void)state;
    check_random random = {31 + 1000 * from_environment("CAROM_TEST_SEED", 0)};
    bench b = bench_open();
    for (uint64_t i = 0, count = NEAR_CONTACTS * from_environment("CAROM_TEST_SCALE", 1); i < count; i++)
    {
        narrow_triangle pair[2];
        near_contact_make(&random, pair);
        const char *wrong = check_pair(&b, &random, pair);
        if (wrong)
            fail_pair(pair, wrong, i);
    }
    assert_true(b.apart > NEAR_CONTACTS / 2 && b.inexact > b.apart && b.misjudged > 0);
    bench_close(&b, "near contacts");
}

/* ---- cases that distances in double get wrong ---- */

/* A ground of 1e7 below something small: 0.16 % at 1e-6. */
static void test_ground(void **state)
{
    (void)state;
    check_random random = {41};
    bench b = bench_open();
    narrow_triangle pair[2] = {{{vec3(-1e7, -1e7, 0.1), vec3(1e7, -1e7, -0.3), vec3(0.3, 1e7, 0.7)}},
                               {{vec3(0.1, 0.2, 0.3), vec3(1.1, 0.2, 1.3), vec3(0.1, 1.2, 1.3)}}};
    for (int i = 0; i < 40; i++)
    {
        pair[1].corner[0].z = 0.3 + 1e-6 * (i + 1);
        const char *wrong = check_pair(&b, &random, pair);
        if (wrong)
            fail_pair(pair, wrong, (uint64_t)i);
    }
    assert_int_equal(b.apart, 40);
    bench_close(&b, "ground");
}

/* A point of the lattice plane across (u, v, w), and so many steps across it; a unit is 2^-50. */
static carom_vec3 lattice_point(double along, double across, double steps)
{
    const double u = 249999.0, v = 250000.0, w = 102500.0;
    carom_vec3 p = vec3(v * along + u * steps, -u * along + w * across + v * steps, -v * across + w * steps);
    return vec3_scale(p, 0x1p-50);
}

/* A corner one lattice step above the face of a triangle of size 1: 2^-50 / |(u, v, w)| = 2.4e-21, where distances in
 * double err by 4e-17. */
static void test_lattice_step(void **state)
{
    (void)state;
    check_random random = {42};
    bench b = bench_open();
    for (int i = 0; i < 20; i++)
    {
        double x = 0x1p20 * i + 12345.0, y = 6789.0 - 0x1p21 * i;
        narrow_triangle pair[2] = {
            {{lattice_point(-0x1p31, -0x1p31, 0), lattice_point(0x1p31, -0x1p31, 0), lattice_point(0, 0x1p31, 0)}},
            {{lattice_point(x, y, 0), lattice_point(x + 0x1p28, y, 0x1p30), lattice_point(x, y - 0x1p29, 0x1p31)}}};
        pair[1].corner[0].x -= 0x1p-50, pair[1].corner[0].y += 0x1p-50; /* (-1, 1, 0) (u, v, w) = 1 */
        const char *wrong = check_pair(&b, &random, pair);
        if (wrong)
            fail_pair(pair, wrong, (uint64_t)i);
        double distance = oracle_gap_distance(b.gap);
        assert_true(distance > 2.40e-21 && distance < 2.45e-21);
    }
    assert_int_equal(b.apart, 20);
    bench_close(&b, "one step of a lattice");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_near_contacts), cmocka_unit_test(test_ground),
                                       cmocka_unit_test(test_lattice_step)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
