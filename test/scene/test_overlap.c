/* Bodies that meet boxes and probes, at random against rational arithmetic and a loop over all bodies; any number of
 * workers; misuse; no memory. On a lattice: test_overlap_lattice.c. */
#include "scene/asked.h"
#include "scene/box.h"
#include "scene/starved.h"
#include "support/oracle.h"

enum
{
    BODIES = 48,
    QUESTIONS = 64
};

static carom_placed random_placed(const asked_scene *s, check_random *random, uint64_t kind)
{
    carom_placed placed = {carom_shape_sphere(check_uniform(random, 0.0, 0.8)), world_random_pose(random, 1.6)};
    if (kind % 6 == 4)
        placed.shape = carom_shape_capsule((carom_vec3){-0.5, 0, 0}, (carom_vec3){0.5, 0.2, 0}, 0.2);
    else if (kind % 6 != 5)
        placed.shape = carom_shape_mesh(s->meshes[kind % 6]);
    return placed;
}

static asked_scene open_scene(uint32_t host)
{
    asked_scene s = asked_open(host);
    s.meshes[0] = world_shape(&s.w, GENERATE_ICO_SPHERE, 80);
    s.meshes[1] = world_shape(&s.w, GENERATE_TORUS, 100);
    s.meshes[2] = world_mesh(&s.w, NULL, 0, NULL, 0);
    s.meshes[3] = world_shape(&s.w, GENERATE_TERRAIN, 60);
    check_random random = {.state = 61};
    for (uint32_t i = 0; i < BODIES; i++)
    {
        carom_body_def body = carom_body_def_default();
        body.placed = random_placed(&s, &random, i);
        body.filter.category = (uint64_t)1 << i % 3;
        body.is_static = i % 2;
        assert_int_equal(carom_scene_add(s.scene, &body, &s.ids[i]), CAROM_OK);
    }
    return s;
}

static void change(asked_scene *s, check_random *random, int round)
{
    for (uint32_t i = 0; i < (round % 2 ? 3u : 30u); i++)
    {
        uint32_t at = (uint32_t)(check_next(random) % BODIES);
        carom_pose pose = world_random_pose(random, 1.6);
        assert_int_equal(carom_scene_move(s->scene, s->ids[at], &pose), CAROM_OK);
    }
    for (uint32_t i = 0; round % 3 == 1 && i < 3; i++)
    {
        uint32_t at = (uint32_t)(check_next(random) % BODIES);
        carom_body_def body = carom_body_def_default();
        assert_int_equal(carom_scene_remove(s->scene, s->ids[at]), CAROM_OK);
        body.placed = random_placed(s, random, check_next(random));
        assert_int_equal(carom_scene_add(s->scene, &body, &s->ids[at]), CAROM_OK);
    }
    carom_shape sphere = carom_shape_sphere(0.3);
    if (round == 2)
        assert_int_equal(carom_scene_reshape(s->scene, s->ids[2], &sphere), CAROM_OK); /* was empty */
}

/* Is the point, a corner of the box, in the body's point set? */
static bool holds_point(asked_scene *s, const carom_placed *body, carom_vec3 p)
{
    carom_placed point = {carom_shape_sphere(0.0), carom_pose_translation(p.x, p.y, p.z)};
    carom_collide_options options = {.mode = CAROM_COLLIDE_COUNT, .relation = true};
    carom_report report;
    assert_int_equal(carom_collide(s->w.query, &point, body, &options, &report), CAROM_OK);
    return report.relation != CAROM_RELATION_APART;
}

static bool in_box(const carom_aabb *box, carom_vec3 p)
{
    return box->min.x <= p.x && p.x <= box->max.x && box->min.y <= p.y && p.y <= box->max.y && box->min.z <= p.z &&
           p.z <= box->max.z;
}

/* All corners on the far side of one face. */
static bool is_beyond(const narrow_triangle *t, const carom_aabb *box)
{
    const carom_vec3 *c = t->corner;
    return fmin(c[0].x, fmin(c[1].x, c[2].x)) > box->max.x || fmax(c[0].x, fmax(c[1].x, c[2].x)) < box->min.x ||
           fmin(c[0].y, fmin(c[1].y, c[2].y)) > box->max.y || fmax(c[0].y, fmax(c[1].y, c[2].y)) < box->min.y ||
           fmin(c[0].z, fmin(c[1].z, c[2].z)) > box->max.z || fmax(c[0].z, fmax(c[1].z, c[2].z)) < box->min.z;
}

/* A triangle that meets the box has a corner in it or meets one of its faces. */
static bool triangle_meets_box(oracle *o, const narrow_triangle *triangle, const carom_aabb *box)
{
    double corners[24];
    const double low[3] = {box->min.x, box->min.y, box->min.z}, high[3] = {box->max.x, box->max.y, box->max.z};
    world_box_vertices(low, high, corners);
    for (int k = 0; k < 3; k++)
        if (in_box(box, triangle->corner[k]))
            return true;
    for (int f = 0; f < 12 && !is_beyond(triangle, box); f++)
    {
        narrow_triangle face;
        for (int k = 0; k < 3; k++)
        {
            const double *c = corners + 3 * WORLD_BOX_INDICES[3 * f + k];
            face.corner[k] = (carom_vec3){c[0], c[1], c[2]};
        }
        if (oracle_meet(o, triangle, &face).meeting != CAROM_MEET_NONE)
            return true;
    }
    return false;
}

static bool mesh_meets_box(oracle *o, const carom_placed *body, const carom_aabb *box)
{
    const uint32_t *indices = carom_mesh_indices(body->shape.mesh);
    for (uint32_t t = 0; t < carom_shape_element_count(&body->shape); t++)
    {
        narrow_triangle triangle;
        for (uint32_t k = 0; k < 3; k++)
            triangle.corner[k] =
                carom_pose_apply(&body->pose, carom_mesh_vertices(body->shape.mesh)[indices[3 * t + k]]);
        if (triangle_meets_box(o, &triangle, box))
            return true;
    }
    return false;
}

/* Listed, all of them, in order, and no others. */
static void check_bodies(asked_scene *s, const carom_overlap_report *report, uint32_t probe, const bool *expected)
{
    carom_frame frame = world_frame(s->scene);
    uint64_t next = report->first_body[probe];
    for (uint32_t b = 0; b < frame.body_count; b++)
    {
        bool listed = next < report->first_body[probe + 1] && report->bodies[next].index == frame.bodies[b].id.index;
        if (listed != expected[b])
            fail_msg("probe %u and body %u: listed %d", probe, b, listed);
        if (listed)
            assert_int_equal(report->bodies[next].generation, frame.bodies[b].id.generation);
        next += listed;
    }
    assert_int_equal(next, report->first_body[probe + 1]);
}

static void check_probes(asked_scene *s, const carom_probe_batch *batch, const carom_overlap_report *report)
{
    carom_collide_options options = {.mode = CAROM_COLLIDE_ALL, .relation = true};
    carom_frame frame = world_frame(s->scene);
    for (uint32_t i = 0; i < batch->count; i++)
    {
        bool expected[BODIES] = {false};
        for (uint32_t b = 0; b < frame.body_count; b++)
        {
            carom_report pair;
            assert_int_equal(carom_collide(s->w.query, &batch->probes[i], &frame.bodies[b].placed, &options, &pair),
                             CAROM_OK);
            expected[b] = pair.relation != CAROM_RELATION_APART &&
                          (batch->categories == 0 || (frame.bodies[b].filter.category & batch->categories));
        }
        check_bodies(s, report, i, expected);
    }
}

static void check_boxes(asked_scene *s, oracle *o, const carom_box_batch *batch, const carom_overlap_report *report)
{
    carom_frame frame = world_frame(s->scene);
    carom_collide_options options = {.mode = CAROM_COLLIDE_ALL, .relation = true};
    for (uint32_t i = 0; i < batch->count; i++)
    {
        bool expected[BODIES] = {false};
        const carom_aabb *box = &batch->boxes[i];
        bool empty = box->min.x > box->max.x;
        carom_mesh *mesh =
            empty ? NULL : world_box(&s->w, box->min.x, box->min.y, box->min.z, box->max.x, box->max.y, box->max.z);
        for (uint32_t b = 0; b < frame.body_count; b++)
        {
            const carom_placed *body = &frame.bodies[b].placed;
            carom_placed placed = {carom_shape_mesh(mesh), carom_pose_identity()};
            carom_report pair = {.relation = CAROM_RELATION_APART};
            if (body->shape.kind == CAROM_SHAPE_MESH)
                expected[b] = !empty && (mesh_meets_box(o, body, box) || holds_point(s, body, box->min));
            else
            {
                if (!empty)
                    assert_int_equal(carom_collide(s->w.query, &placed, body, &options, &pair), CAROM_OK);
                expected[b] = pair.relation != CAROM_RELATION_APART;
            }
        }
        check_bodies(s, report, i, expected);
        carom_mesh_destroy(mesh);
    }
}

/* Triangles and boxes with small whole coordinates, many of them degenerate, that touch in all ways. */
static void triangles_agree_with_rationals(void **state)
{
    (void)state;
    check_random random = {.state = 63};
    oracle *o = oracle_create();
    static const double scales[3] = {1.0, 0x1p-70, 0x1p60};
    uint64_t meeting = 0, beyond = 0;
    for (int n = 0; n < 60000; n++)
    {
        narrow_triangle t;
        carom_vec3 low = check_random_grid_point(&random, 5), size = check_random_grid_point(&random, 4);
        double scale = scales[n % 3];
        for (int k = 0; k < 3; k++)
        {
            carom_vec3 c = check_random_grid_point(&random, 9);
            t.corner[k] = (carom_vec3){scale * (c.x + (n % 5 == 0) * 0x1p-50 * k), scale * c.y, scale * c.z};
        }
        carom_aabb box = {{scale * low.x, scale * low.y, scale * low.z},
                          {scale * (low.x + size.x), scale * (low.y + size.y), scale * (low.z + size.z)}};
        narrow_counts counts = {0};
        bool meets = box_meets_triangle(&box, &t, &counts);
        if (meets != triangle_meets_box(o, &t, &box))
            fail_msg("case %d: meets %d", n, meets);
        meeting += meets, beyond += !meets && !is_beyond(&t, &box);
    }
    assert_true(meeting > 10000 && beyond > 3000);
    oracle_destroy(o);
}

static void make_boxes(check_random *random, carom_aabb boxes[QUESTIONS])
{
    for (int i = 0; i < QUESTIONS; i++)
    {
        carom_vec3 c = check_random_point(random, -2.0, 2.0), r = check_random_point(random, 0.0, i % 5 ? 0.4 : 1.5);
        if (i % 7 == 3)
            r.z = 0.0;
        if (i % 21 == 4)
            r = (carom_vec3){0, 0, 0};
        boxes[i] = (carom_aabb){{c.x - r.x, c.y - r.y, c.z - r.z}, {c.x + r.x, c.y + r.y, c.z + r.z}};
    }
    boxes[9] = (carom_aabb){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static void random_scenes_agree_with_loops(void **state)
{
    (void)state;
    enum
    {
        ROUNDS = 5
    };
    uint64_t truth[ROUNDS][2];
    oracle *o = oracle_create();
    for (uint32_t host = 0; host < HOST_COUNT; host++)
    {
        asked_scene s = open_scene(host);
        check_random random = {.state = 62};
        for (int round = 0; round < ROUNDS; round++)
        {
            carom_aabb boxes[QUESTIONS];
            carom_placed probes[QUESTIONS];
            make_boxes(&random, boxes);
            for (uint32_t i = 0; i < QUESTIONS; i++)
                probes[i] = random_placed(&s, &random, i);
            carom_overlap_report report;
            carom_box_batch box_batch = {boxes, QUESTIONS, 0};
            assert_int_equal(carom_scene_overlap_boxes(s.scene, &box_batch, &report), CAROM_OK);
            uint64_t hashes[2] = {report.hash};
            assert_true(report.body_count > QUESTIONS / 4);
            if (host == 0)
                check_boxes(&s, o, &box_batch, &report);
            carom_probe_batch batch = {probes, QUESTIONS, round == 1 ? 5 : 0};
            assert_int_equal(carom_scene_overlap(s.scene, &batch, &report), CAROM_OK);
            hashes[1] = report.hash;
            assert_true(report.body_count > QUESTIONS / 4);
            assert_true(report.counters.boxes_tested > 0);
            if (host == 0)
                check_probes(&s, &batch, &report);
            if (host > 0)
                assert_memory_equal(hashes, truth[round], sizeof hashes);
            memcpy(truth[round], hashes, sizeof hashes);
            change(&s, &random, round);
        }
        asked_close(&s);
    }
    oracle_destroy(o);
}

/* ---- bad input ---- */

static void misuse_is_refused(void **state)
{
    (void)state;
    asked_scene s = open_scene(3);
    carom_aabb boxes[3] = {{{0, 0, 0}, {1, 1, 1}}, {{0, 0, 0}, {1, 1, 1}}, {{0, 0, 0}, {1, 1, 1}}};
    carom_placed probes[3];
    for (int i = 0; i < 3; i++)
        probes[i] = (carom_placed){carom_shape_sphere(1.0), carom_pose_identity()};
    carom_box_batch box_batch = {boxes, 3, 0};
    carom_probe_batch batch = {probes, 3, 0};
    carom_overlap_report report;
    assert_int_equal(carom_scene_overlap(NULL, &batch, &report), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_scene_overlap(s.scene, NULL, &report), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_scene_overlap(s.scene, &batch, NULL), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_scene_overlap_boxes(NULL, &box_batch, &report), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_scene_overlap_boxes(s.scene, NULL, &report), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_scene_overlap_boxes(s.scene, &box_batch, NULL), CAROM_INVALID_ARGUMENT);
    boxes[2].max.y = NAN;
    assert_int_equal(carom_scene_overlap_boxes(s.scene, &box_batch, &report), CAROM_NOT_FINITE);
    world_check_message(&s.w, "box 2");
    assert_int_equal(report.body_count, 0);
    assert_int_equal(report.status, CAROM_NOT_FINITE);
    boxes[2].max.y = INFINITY;
    assert_int_equal(carom_scene_overlap_boxes(s.scene, &box_batch, &report), CAROM_NOT_FINITE);
    boxes[2].max.y = 0x1p101;
    assert_int_equal(carom_scene_overlap_boxes(s.scene, &box_batch, &report), CAROM_OUT_OF_RANGE);
    probes[1].shape = carom_shape_sphere(NAN);
    assert_int_equal(carom_scene_overlap(s.scene, &batch, &report), CAROM_NOT_FINITE);
    world_check_message(&s.w, "probe 1");
    probes[1].shape = (carom_shape){0};
    assert_int_equal(carom_scene_overlap(s.scene, &batch, &report), CAROM_INVALID_ARGUMENT);
    carom_tree *rays;
    carom_tree_def def = carom_tree_def_preset(CAROM_TREE_RAYS);
    assert_int_equal(carom_tree_create(s.w.context, s.meshes[0], &def, &rays), CAROM_OK);
    probes[1].shape = carom_shape_tree(rays);
    assert_int_equal(carom_scene_overlap(s.scene, &batch, &report), CAROM_UNSUPPORTED);
    world_check_message(&s.w, "probe 1");
    batch.count = box_batch.count = 0;
    batch.probes = NULL, box_batch.boxes = NULL;
    assert_int_equal(carom_scene_overlap(s.scene, &batch, &report), CAROM_OK);
    assert_int_equal(carom_scene_overlap_boxes(s.scene, &box_batch, &report), CAROM_OK);
    assert_int_equal(report.first_body[0], 0);
    box_batch.count = 1;
    assert_int_equal(carom_scene_overlap_boxes(s.scene, &box_batch, &report), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_scene_reshape(s.scene, s.ids[7], &probes[1].shape), CAROM_OK);
    box_batch.boxes = boxes;
    assert_int_equal(carom_scene_overlap_boxes(s.scene, &box_batch, &report), CAROM_UNSUPPORTED);
    world_check_message(&s.w, "body 8");
    carom_tree_destroy(rays);
    asked_close(&s);
}

/* Bodies at 1e12 and of size 1e-9 in one scene, and no body at all. */
static void extremes(void **state)
{
    (void)state;
    world w = world_open();
    carom_scene *scene = world_scene(&w);
    carom_aabb boxes[4] = {{{-1, -1, -1}, {1, 1, 1}},
                           {{1e12, -1, -1}, {2e12, 1, 1}},
                           {{5e-10, 5e-10, 5e-10}, {1, 1, 1}},
                           {{-2e12, -2e12, -2e12}, {2e12, 2e12, 2e12}}};
    carom_box_batch batch = {boxes, 4, 0};
    carom_overlap_report report;
    assert_int_equal(carom_scene_overlap_boxes(scene, &batch, &report), CAROM_OK);
    assert_int_equal(report.body_count, 0);
    carom_mesh *tiny = world_box(&w, -5e-10, -5e-10, -5e-10, 5e-10, 5e-10, 5e-10);
    carom_mesh *huge = world_box(&w, -1e12, -1e12, -1e12, 1e12, 1e12, 1e12);
    const carom_placed placed[4] = {world_place(tiny, 0, 0, 0),
                                    world_place(tiny, 1e12, 0, 0),
                                    world_place(huge, 0, 0, 0),
                                    {carom_shape_sphere(1e-9), carom_pose_identity()}};
    for (int i = 0; i < 4; i++)
        world_add(scene, placed[i]);
    assert_int_equal(carom_scene_overlap_boxes(scene, &batch, &report), CAROM_OK);
    static const uint32_t expected[] = {1, 3, 4, 2, 3, 1, 3, 4, 1, 2, 3, 4};
    static const uint64_t first[] = {0, 3, 5, 8, 12};
    assert_int_equal(report.body_count, 12);
    for (int i = 0; i < 12; i++)
        assert_int_equal(report.bodies[i].index, expected[i]);
    assert_memory_equal(report.first_body, first, sizeof first);
    carom_scene_destroy(scene);
    carom_mesh_destroy(tiny);
    carom_mesh_destroy(huge);
    world_close(&w);
}

static carom_status ask(const starved_scene *s, uint64_t *hash)
{
    carom_aabb box = {{0.4, 0.1, -0.1}, {1.5, 0.2, 0.1}};
    carom_box_batch batch = {&box, 1, 0};
    carom_placed probe = world_place(s->torus, 0.5, 0.3, 0.0);
    carom_probe_batch probes = {&probe, 1, 0};
    carom_overlap_report report = {0};
    carom_status status = carom_scene_overlap_boxes(s->scene, &batch, &report);
    if (status == CAROM_OK)
        status = carom_scene_overlap(s->scene, &probes, &report);
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
        cmocka_unit_test(triangles_agree_with_rationals),
        cmocka_unit_test(random_scenes_agree_with_loops),
        cmocka_unit_test(misuse_is_refused),
        cmocka_unit_test(extremes),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
