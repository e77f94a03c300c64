/* The bodies nearest to points against a loop over all bodies, whose distances are carom_distance's and, for meshes,
 * also those of rational arithmetic; ties; any number of workers; misuse; no memory. */
#include "scene/asked.h"
#include "scene/starved.h"
#include "support/oracle.h"

enum
{
    BODIES = 60,
    POINTS = 80
};

static asked_scene open_scene(uint32_t host)
{
    asked_scene s = asked_open(host);
    s.meshes[0] = world_box(&s.w, -0.5, -0.5, -0.5, 0.5, 0.5, 0.5);
    s.meshes[1] = world_shape(&s.w, GENERATE_TORUS, 60);
    s.meshes[2] = world_mesh(&s.w, NULL, 0, NULL, 0);
    s.meshes[3] = world_shape(&s.w, GENERATE_TERRAIN, 40);
    check_random random = {.state = 70};
    for (uint32_t i = 0; i < BODIES; i++)
    {
        carom_body_def body = carom_body_def_default();
        body.placed = (carom_placed){carom_shape_mesh(s.meshes[i % 4]), world_random_pose(&random, 4.0)};
        if (i % 6 == 4)
            body.placed.shape = carom_shape_sphere(0.5);
        if (i % 6 == 5)
            body.placed.shape = carom_shape_capsule((carom_vec3){-1, 0, 0}, (carom_vec3){1, 0, 0}, 0.25);
        if (i % 5 == 0) /* ties */
            body.placed.pose = carom_pose_translation((double)(i % 2), 0, 0);
        body.filter.category = (uint64_t)1 << i % 3;
        assert_int_equal(carom_scene_add(s.scene, &body, &s.ids[i]), CAROM_OK);
    }
    return s;
}

static int compare(const void *a, const void *b)
{
    const carom_near_body *x = a, *y = b;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return x->body.index < y->body.index ? -1 : 1;
}

/* All bodies that count, in order. */
static size_t loop_over_bodies(asked_scene *s, const carom_point_batch *batch, carom_vec3 p,
                               carom_near_body out[BODIES])
{
    size_t count = 0;
    carom_frame frame = world_frame(s->scene);
    carom_placed point = {carom_shape_sphere(0.0), carom_pose_translation(p.x, p.y, p.z)};
    for (uint32_t i = 0; i < frame.body_count; i++)
    {
        const carom_frame_body *body = &frame.bodies[i];
        carom_report report;
        bool within = false;
        assert_int_equal(carom_distance(s->w.query, &body->placed, &point, NULL, &report), CAROM_OK);
        bool inside = batch->solid && report.relation == CAROM_RELATION_B_INSIDE_A;
        assert_int_equal(carom_within(s->w.query, &body->placed, &point, batch->max_distance, &within), CAROM_OK);
        if (report.distance == INFINITY || !(within || inside) ||
            (batch->categories != 0 && !(body->filter.category & batch->categories)))
            continue;
        out[count++] = (carom_near_body){body->id, report.distance, report.point_a, report.triangle_a};
        if (inside && report.distance > 0.0)
            out[count - 1] = (carom_near_body){body->id, 0.0, p, CAROM_NO_TRIANGLE};
    }
    qsort(out, count, sizeof *out, compare);
    return count;
}

static void check_point(asked_scene *s, const carom_point_batch *batch, uint32_t index,
                        const carom_nearest_report *report)
{
    carom_near_body expected[BODIES];
    size_t count = loop_over_bodies(s, batch, batch->points[index], expected);
    if (batch->max_bodies > 0 && count > batch->max_bodies)
        count = batch->max_bodies;
    const carom_near_body *found = report->bodies + report->first_body[index];
    assert_int_equal(report->first_body[index + 1] - report->first_body[index], count);
    for (size_t i = 0; i < count; i++)
    {
        assert_int_equal(found[i].body.index, expected[i].body.index);
        assert_int_equal(found[i].body.generation, expected[i].body.generation);
        assert_true(found[i].distance == expected[i].distance);
        assert_int_equal(found[i].triangle, expected[i].triangle);
        assert_memory_equal(&found[i].point, &expected[i].point, sizeof found[i].point);
    }
}

/* The first body's distance by rational arithmetic, if that is a mesh. */
static void check_with_oracle(asked_scene *s, oracle *o, carom_vec3 p, const carom_near_body *near)
{
    carom_frame frame = world_frame(s->scene);
    const carom_placed *placed = &carom_frame_find(&frame, near->body)->placed;
    if (placed->shape.kind != CAROM_SHAPE_MESH || near->triangle == CAROM_NO_TRIANGLE)
        return;
    const uint32_t *indices = carom_mesh_indices(placed->shape.mesh);
    double least = INFINITY;
    for (uint32_t t = 0; t < carom_shape_element_count(&placed->shape); t++)
    {
        narrow_triangle triangle;
        for (uint32_t k = 0; k < 3; k++)
            triangle.corner[k] =
                carom_pose_apply(&placed->pose, carom_mesh_vertices(placed->shape.mesh)[indices[3 * t + k]]);
        least = fmin(least, oracle_point_distance(o, p, &triangle));
    }
    check_near(near->distance, least, 0x1p-52 * least); /* the oracle cuts digits off */
}

static void make_points(check_random *random, carom_vec3 points[POINTS])
{
    for (int i = 0; i < POINTS; i++)
    {
        points[i] = check_random_point(random, -5.0, 5.0);
        if (i % 4 == 1) /* among boxes that coincide: ties, points inside, on faces and on corners */
            points[i] = (carom_vec3){0.25 * (double)(i % 5), 0.5 * (double)(i % 3), 0.0};
    }
    points[2] = (carom_vec3){0.5, 0.5, 0.5};
    points[6] = (carom_vec3){1e12, -1e12, 0};
}

static void change(asked_scene *s, check_random *random, int round)
{
    asked_move(s, random, round % 2 ? 4 : 40, BODIES, 4.0);
    if (round == 1)
    {
        carom_body_def body = carom_body_def_default();
        body.placed = (carom_placed){carom_shape_sphere(1e-9), carom_pose_translation(1e12, 0, 0)};
        assert_int_equal(carom_scene_remove(s->scene, s->ids[3]), CAROM_OK);
        assert_int_equal(carom_scene_add(s->scene, &body, &s->ids[3]), CAROM_OK);
    }
}

static void points_agree_with_loops(void **state)
{
    (void)state;
    enum
    {
        ROUNDS = 4,
        KINDS = 6
    };
    uint64_t truth[ROUNDS][KINDS];
    oracle *o = oracle_create();
    for (uint32_t host = 0; host < HOST_COUNT; host++)
    {
        asked_scene s = open_scene(host);
        check_random random = {.state = 71};
        for (int round = 0; round < ROUNDS; round++)
        {
            carom_vec3 points[POINTS];
            make_points(&random, points);
            const carom_point_batch batches[KINDS] = {
                {points, POINTS, 1, INFINITY, true, 0}, {points, POINTS, 1, INFINITY, false, 0},
                {points, POINTS, 7, 1.0, true, 0},      {points, POINTS, 0, 0.5, false, 0},
                {points, POINTS, 0, 0.0, true, 0},      {points, POINTS, 5, INFINITY, true, 6}};
            uint64_t hashes[KINDS];
            for (int kind = 0; kind < KINDS; kind++)
            {
                carom_nearest_report report;
                assert_int_equal(carom_scene_nearest(s.scene, &batches[kind], &report), CAROM_OK);
                assert_int_equal(report.point_count, POINTS);
                assert_true(report.body_count > 10);
                hashes[kind] = report.hash;
                for (uint32_t i = 0; host == 0 && i < POINTS; i++)
                {
                    check_point(&s, &batches[kind], i, &report);
                    if (kind < 2)
                        check_with_oracle(&s, o, points[i], &report.bodies[report.first_body[i]]);
                }
            }
            if (host > 0)
                assert_memory_equal(hashes, truth[round], sizeof hashes);
            memcpy(truth[round], hashes, sizeof hashes);
            change(&s, &random, round);
        }
        asked_close(&s);
    }
    oracle_destroy(o);
}

/* max_distance is compared with the exact distance: that of a corner is no double. */
static void limits_are_exact(void **state)
{
    (void)state;
    world w = world_open();
    carom_scene *scene = world_scene(&w);
    carom_mesh *box = world_box(&w, 1, 1, 0, 2, 2, 1);
    world_add(scene, world_place(box, 0, 0, 0));
    carom_vec3 origin = {0, 0, 0};
    carom_point_batch batch = carom_point_batch_default();
    batch.points = &origin, batch.count = 1;
    carom_nearest_report report;
    double root = sqrt(2.0); /* rounded up: its square is above 2 */
    const double limits[4] = {root, nextafter(root, 0), nextafter(root, 2), 1.0};
    for (int i = 0; i < 4; i++)
    {
        batch.max_distance = limits[i];
        assert_int_equal(carom_scene_nearest(scene, &batch, &report), CAROM_OK);
        assert_int_equal(report.body_count, i == 0 || i == 2 ? 1 : 0);
    }
    carom_scene_destroy(scene);
    carom_mesh_destroy(box);
    world_close(&w);
}

static void misuse_is_refused(void **state)
{
    (void)state;
    asked_scene s = open_scene(2);
    carom_vec3 points[3] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}};
    carom_point_batch batch = carom_point_batch_default();
    carom_nearest_report report;
    assert_int_equal(carom_scene_nearest(s.scene, &batch, &report), CAROM_OK);
    assert_int_equal(report.body_count, 0);
    batch.count = 3;
    assert_int_equal(carom_scene_nearest(s.scene, &batch, &report), CAROM_INVALID_ARGUMENT);
    batch.points = points;
    assert_int_equal(carom_scene_nearest(NULL, &batch, &report), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_scene_nearest(s.scene, NULL, &report), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_scene_nearest(s.scene, &batch, NULL), CAROM_INVALID_ARGUMENT);
    batch.max_distance = NAN;
    assert_int_equal(carom_scene_nearest(s.scene, &batch, &report), CAROM_NOT_FINITE);
    batch.max_distance = -1.0;
    assert_int_equal(carom_scene_nearest(s.scene, &batch, &report), CAROM_INVALID_ARGUMENT);
    batch.max_distance = INFINITY;
    points[2].y = NAN;
    assert_int_equal(carom_scene_nearest(s.scene, &batch, &report), CAROM_NOT_FINITE);
    world_check_message(&s.w, "point 2");
    assert_int_equal(report.status, CAROM_NOT_FINITE);
    points[2].y = 0x1p101;
    assert_int_equal(carom_scene_nearest(s.scene, &batch, &report), CAROM_OUT_OF_RANGE);
    batch.count = 2;
    for (uint32_t i = 0; i < BODIES; i++)
        assert_int_equal(carom_scene_remove(s.scene, s.ids[i]), CAROM_OK);
    assert_int_equal(carom_scene_nearest(s.scene, &batch, &report), CAROM_OK);
    assert_int_equal(report.body_count, 0);
    assert_int_equal(report.first_body[2], 0);
    asked_close(&s);
}

static carom_status ask(const starved_scene *s, uint64_t *hash)
{
    carom_vec3 points[2] = {{3, 0, 0}, {7, 1, 2}};
    carom_point_batch batch = {points, 2, 50, INFINITY, true, 0};
    carom_nearest_report report = {0};
    carom_status status = carom_scene_nearest(s->scene, &batch, &report);
    *hash = report.hash;
    return status;
}

static void no_memory(void **state)
{
    (void)state;
    starved_check(ask);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_agree_with_loops),
        cmocka_unit_test(limits_are_exact),
        cmocka_unit_test(misuse_is_refused),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
