/* Rays on scenes and batches of rays against a loop over carom_ray_cast: first, any and all, with workers. */
#include "query/world.h"
#include "support/hosts.h"

enum
{
    BODIES = 60,
    RAYS = 600
};

typedef struct stage
{
    carom_context *context;
    carom_query *query;
    carom_scene *scene;
    carom_mesh *meshes[4];
    carom_tree *trees[2];
    carom_body_id ids[BODIES];
} stage;

static stage open_stage(uint32_t host)
{
    stage s = {0};
    carom_context_def def = host_def(host);
    assert_int_equal(carom_context_create(&def, &s.context), CAROM_OK);
    assert_int_equal(carom_query_create(s.context, &s.query), CAROM_OK);
    assert_int_equal(carom_scene_create(s.context, &s.scene), CAROM_OK);
    world w = {.context = s.context};
    s.meshes[0] = world_box(&w, -0.5, -0.5, -0.5, 0.5, 0.5, 0.5);
    s.meshes[1] = world_shape(&w, GENERATE_TORUS, 300);
    s.meshes[2] = world_mesh(&w, NULL, 0, NULL, 0);
    s.meshes[3] = world_shape(&w, GENERATE_BLOB, 200);
    carom_tree_def rays = carom_tree_def_preset(CAROM_TREE_RAYS), binary = carom_tree_def_default();
    binary.layout = CAROM_LAYOUT_BINARY;
    assert_int_equal(carom_tree_create(s.context, s.meshes[1], &rays, &s.trees[0]), CAROM_OK);
    assert_int_equal(carom_tree_create(s.context, s.meshes[3], &binary, &s.trees[1]), CAROM_OK);
    check_random random = {.state = 40};
    for (int i = 0; i < BODIES; i++)
    {
        const carom_shape kinds[8] = {
            carom_shape_mesh(s.meshes[0]), carom_shape_mesh(s.meshes[1]),
            carom_shape_mesh(s.meshes[2]), carom_shape_mesh(s.meshes[3]),
            carom_shape_tree(s.trees[0]),  carom_shape_tree(s.trees[1]),
            carom_shape_sphere(0.4),       carom_shape_capsule((carom_vec3){0, 0, 0}, (carom_vec3){1, 0, 0}, 0.2)};
        carom_body_def body = carom_body_def_default();
        body.placed = (carom_placed){kinds[i % 8], world_random_pose(&random, 4.0)};
        if (i % 8 == 0 && i % 3 == 0) /* boxes that coincide: ties */
            body.placed.pose = carom_pose_translation(1, 1, 1);
        body.filter.mask = (uint64_t)(i % 2);
        body.is_static = i % 3;
        assert_int_equal(carom_scene_add(s.scene, &body, &s.ids[i]), CAROM_OK);
    }
    return s;
}

static void close_stage(stage *s)
{
    carom_scene_destroy(s->scene);
    for (int i = 0; i < 2; i++)
        carom_tree_destroy(s->trees[i]);
    for (int i = 0; i < 4; i++)
        carom_mesh_destroy(s->meshes[i]);
    carom_query_destroy(s->query);
    carom_context_destroy(s->context);
}

/* Through the scene at random, along axes, along faces of the boxes that coincide, from within, short ones. */
static void make_rays(carom_ray rays[RAYS])
{
    check_random random = {.state = 41};
    for (int i = 0; i < RAYS; i++)
    {
        carom_vec3 from = {check_uniform(&random, -6, 6), check_uniform(&random, -6, 6), check_uniform(&random, -6, 6)};
        carom_vec3 to = {check_uniform(&random, -3, 3), check_uniform(&random, -3, 3), check_uniform(&random, -3, 3)};
        rays[i] = (carom_ray){from, {to.x - from.x, to.y - from.y, to.z - from.z}, INFINITY};
        if (i % 5 == 1)
            rays[i] = (carom_ray){{-9, 1.0, 1.0 + (i % 3 ? 0.25 : 0.5)}, {1, 0, 0}, INFINITY};
        if (i % 5 == 2)
            rays[i] = (carom_ray){{1.5, -9, 1}, {0, 1e-3, 0}, i % 2 ? INFINITY : 9500};
        if (i % 5 == 3)
            rays[i].max_t = check_uniform(&random, 0, 1.2);
        if (i % 50 == 4)
            rays[i].max_t = 0.0;
    }
}

static int compare(const void *a, const void *b)
{
    const carom_body_hit *x = a, *y = b;
    if (x->hit.t != y->hit.t)
        return x->hit.t < y->hit.t ? -1 : 1;
    if (x->body.index != y->body.index)
        return x->body.index < y->body.index ? -1 : 1;
    return x->hit.triangle < y->hit.triangle ? -1 : x->hit.triangle > y->hit.triangle;
}

static bool same_hit(const carom_ray_hit *a, const carom_ray_hit *b)
{
    return a->t == b->t && a->triangle == b->triangle && a->u == b->u && a->v == b->v;
}

/* All hits of a ray by a loop over the bodies. */
static size_t all_hits(stage *s, const carom_frame *frame, const carom_ray *ray, carom_body_hit **out)
{
    size_t count = 0, capacity = 0;
    *out = NULL;
    for (uint32_t i = 0; i < frame->body_count; i++)
    {
        carom_ray_report report;
        assert_int_equal(carom_ray_cast(s->query, &frame->bodies[i].placed, ray, CAROM_RAY_ALL, &report), CAROM_OK);
        if (count + report.hit_count > capacity)
        {
            capacity = 2 * (count + report.hit_count);
            *out = realloc(*out, capacity * sizeof **out);
        }
        for (uint64_t k = 0; k < report.hit_count; k++)
            (*out)[count++] = (carom_body_hit){frame->bodies[i].id, report.hits[k]};
    }
    if (count > 0)
        qsort(*out, count, sizeof **out, compare);
    return count;
}

static void check_ray(const carom_body_hit *hits, uint64_t count, const carom_body_hit *expected, size_t all,
                      carom_ray_mode mode)
{
    if (mode == CAROM_RAY_ALL)
        assert_int_equal(count, all);
    else
        assert_int_equal(count, all > 0 ? 1 : 0);
    for (uint64_t k = 0; k < count; k++)
    {
        size_t at = k;
        if (mode == CAROM_RAY_ANY)
            while (at < all &&
                   (expected[at].body.index != hits[k].body.index || !same_hit(&expected[at].hit, &hits[k].hit)))
                at++;
        assert_true(at < all);
        assert_int_equal(hits[k].body.index, expected[at].body.index);
        assert_int_equal(hits[k].body.generation, expected[at].body.generation);
        assert_true(same_hit(&hits[k].hit, &expected[at].hit));
    }
}

static void scenes_are_cast_at(void **state)
{
    (void)state;
    static carom_ray rays[RAYS];
    make_rays(rays);
    uint64_t truth[4][2] = {{0}};
    for (uint32_t host = 0; host < HOST_COUNT; host++)
    {
        stage s = open_stage(host);
        check_random random = {.state = 50};
        for (int round = 0; round < 4; round++)
        {
            uint64_t hashes[2], hits_found = 0;
            for (int mode = 0; mode < 3; mode++)
            {
                carom_ray_batch batch = {rays, round == 3 ? 1 : RAYS, (carom_ray_mode)mode};
                carom_frame_ray_report report;
                assert_int_equal(carom_scene_cast(s.scene, &batch, &report), CAROM_OK);
                assert_int_equal(report.ray_count, batch.count);
                assert_int_equal(report.first_hit[batch.count], report.hit_count);
                hits_found += report.hit_count;
                if (mode != CAROM_RAY_ANY)
                    hashes[mode / 2] = report.hash;
                carom_frame frame;
                assert_int_equal(carom_scene_frame(s.scene, &frame), CAROM_OK);
                for (uint32_t i = 0; i < batch.count && host % 4 == 0; i++)
                {
                    carom_body_hit *expected;
                    size_t all = all_hits(&s, &frame, &rays[i], &expected);
                    check_ray(report.hits + report.first_hit[i], report.first_hit[i + 1] - report.first_hit[i],
                              expected, all, (carom_ray_mode)mode);
                    free(expected);
                }
            }
            assert_true(round == 3 || hits_found > RAYS);
            if (host > 0)
                assert_memory_equal(hashes, truth[round], sizeof hashes);
            memcpy(truth[round], hashes, sizeof hashes);
            /* the scene changes: rays see it */
            carom_shape sphere = carom_shape_sphere(0.8);
            for (int i = 0; i < 10; i++)
            {
                carom_pose pose = world_random_pose(&random, 4.0);
                carom_body_id id = s.ids[(7 * round + i) % 30];
                assert_int_equal(carom_scene_move(s.scene, id, &pose), CAROM_OK);
            }
            assert_int_equal(carom_scene_reshape(s.scene, s.ids[1], &sphere), CAROM_OK);
            assert_int_equal(carom_scene_remove(s.scene, s.ids[40 + round]), CAROM_OK);
        }
        close_stage(&s);
    }
}

static void batches_are_loops(void **state)
{
    (void)state;
    static carom_ray rays[RAYS];
    make_rays(rays);
    for (uint32_t host = 0; host < HOST_COUNT; host++)
    {
        stage s = open_stage(host);
        carom_frame frame;
        carom_query *alone;
        assert_int_equal(carom_query_create(s.context, &alone), CAROM_OK);
        assert_int_equal(carom_scene_frame(s.scene, &frame), CAROM_OK);
        for (uint32_t b = 0; b < 8; b++)
            for (int mode = 0; mode < 3; mode++)
            {
                carom_placed placed = frame.bodies[b].placed;
                carom_ray_batch batch = {rays, b == 7 ? 0 : RAYS, (carom_ray_mode)mode};
                carom_ray_batch_report report;
                assert_int_equal(carom_ray_cast_batch(s.query, &placed, &batch, &report), CAROM_OK);
                assert_int_equal(report.ray_count, batch.count);
                for (uint32_t i = 0; i < batch.count; i++)
                {
                    carom_ray_report single;
                    assert_int_equal(carom_ray_cast(alone, &placed, &rays[i], (carom_ray_mode)mode, &single), CAROM_OK);
                    uint64_t count = report.first_hit[i + 1] - report.first_hit[i];
                    assert_int_equal(count, single.hit_count);
                    for (uint64_t k = 0; k < count; k++)
                        assert_true(same_hit(&report.hits[report.first_hit[i] + k], &single.hits[k]));
                }
            }
        carom_query_destroy(alone);
        close_stage(&s);
    }
}

static void unsound_rays_are_named(void **state)
{
    (void)state;
    stage s = open_stage(3);
    world w = {.context = s.context};
    static carom_ray rays[RAYS];
    make_rays(rays);
    carom_frame_ray_report report;
    carom_ray_batch_report batch_report;
    carom_placed placed = world_place(s.meshes[0], 0, 0, 0);
    carom_ray_batch batch = {rays, RAYS, CAROM_RAY_FIRST};
    rays[437].direction = (carom_vec3){0, 0, 0};
    assert_int_equal(carom_scene_cast(s.scene, &batch, &report), CAROM_INVALID_ARGUMENT);
    world_check_message(&w, "437");
    assert_int_equal(report.hit_count, 0);
    assert_int_equal(carom_ray_cast_batch(s.query, &placed, &batch, &batch_report), CAROM_INVALID_ARGUMENT);
    world_check_message(&w, "437");
    rays[437].direction.x = NAN;
    assert_int_equal(carom_scene_cast(s.scene, &batch, &report), CAROM_NOT_FINITE);
    rays[437] = rays[0];
    batch.mode = (carom_ray_mode)3;
    assert_int_equal(carom_scene_cast(s.scene, &batch, &report), CAROM_INVALID_ARGUMENT);
    batch = (carom_ray_batch){NULL, 1, CAROM_RAY_FIRST};
    assert_int_equal(carom_scene_cast(s.scene, &batch, &report), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_scene_cast(s.scene, NULL, &report), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_scene_cast(NULL, &batch, &report), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_scene_cast(s.scene, &batch, NULL), CAROM_INVALID_ARGUMENT);
    batch.count = 0;
    assert_int_equal(carom_scene_cast(s.scene, &batch, &report), CAROM_OK);
    assert_int_equal(report.hit_count, 0);
    close_stage(&s);
}

/* An empty scene, and one of empty bodies. */
static void empty_scenes_are_never_hit(void **state)
{
    (void)state;
    world w = world_open();
    carom_scene *scene;
    carom_mesh *empty = world_mesh(&w, NULL, 0, NULL, 0);
    carom_ray ray = {{0, 0, 0}, {1, 0, 0}, INFINITY};
    carom_ray_batch batch = {&ray, 1, CAROM_RAY_ALL};
    carom_frame_ray_report report;
    assert_int_equal(carom_scene_create(w.context, &scene), CAROM_OK);
    for (int i = 0; i < 3; i++)
    {
        assert_int_equal(carom_scene_cast(scene, &batch, &report), CAROM_OK);
        assert_int_equal(report.hit_count, 0);
        carom_body_def def = carom_body_def_default();
        carom_body_id id;
        def.placed = world_place(empty, 0, 0, 0);
        assert_int_equal(carom_scene_add(scene, &def, &id), CAROM_OK);
        carom_ray_batch_report hits;
        assert_int_equal(carom_ray_cast_batch(w.query, &def.placed, &batch, &hits), CAROM_OK);
        assert_int_equal(hits.hit_count, 0);
    }
    carom_scene_destroy(scene);
    carom_mesh_destroy(empty);
    world_close(&w);
}

/* A ray along x reaches a triangle, two spheres, a capsule's side and its end at x = 2. Its direction is 3 long, so
 * that t is 2/3, which is between two numbers, and rounds down. */
static void kinds_tie(void **state)
{
    (void)state;
    world w = world_open();
    const double wall[9] = {2, -1, -1, 2, 2, -1, 2, -1, 2};
    carom_mesh *mesh = world_mesh(&w, wall, 3, (const uint32_t[]){0, 1, 2}, 1);
    const double earlier = nextafter(3.0, INFINITY);
    const carom_shape shapes[6] = {carom_shape_sphere(3.0),
                                   carom_shape_capsule((carom_vec3){-2.5, -4, 1}, (carom_vec3){-2.5, 4, -1}, 0.5),
                                   carom_shape_mesh(mesh),
                                   carom_shape_sphere(1.0),
                                   carom_shape_capsule((carom_vec3){0, 0, 0}, (carom_vec3){7, 0, 0}, 2.0),
                                   carom_shape_sphere(earlier)};
    const double at[6] = {5, 5, 0, 3, 4, 5};
    carom_scene *scene;
    assert_int_equal(carom_scene_create(w.context, &scene), CAROM_OK);
    carom_ray rays[4];
    for (int i = 0; i < 4; i++)
        rays[i] = (carom_ray){{0, 0, 0}, {3, 0, 0}, INFINITY};
    rays[1].max_t = 2.0 / 3.0, rays[2].max_t = nextafter(2.0 / 3.0, 1.0), rays[3].max_t = nextafter(2.0 / 3.0, 0.0);
    for (uint32_t count = 1; count <= 6; count++)
    {
        carom_body_def body = carom_body_def_default();
        body.placed = (carom_placed){shapes[count - 1], carom_pose_translation(at[count - 1], 0, 0)};
        carom_body_id id;
        assert_int_equal(carom_scene_add(scene, &body, &id), CAROM_OK);
        /* the last one is reached 2^-51 earlier: at the number before that which 2/3 rounds to, exactly */
        uint32_t last = count == 6, expected[4] = {count, last, count, last};
        for (int mode = 0; mode <= CAROM_RAY_ALL; mode++)
        {
            carom_ray_batch batch = {rays, 4, (carom_ray_mode)mode};
            carom_frame_ray_report report;
            assert_int_equal(carom_scene_cast(scene, &batch, &report), CAROM_OK);
            for (uint32_t i = 0; i < 4; i++)
            {
                const carom_body_hit *hits = report.hits + report.first_hit[i];
                uint64_t found = report.first_hit[i + 1] - report.first_hit[i];
                uint32_t some = expected[i] < 1 ? expected[i] : 1;
                assert_int_equal(found, mode == CAROM_RAY_ALL ? expected[i] : some);
                for (uint64_t k = 0; k < found && mode != CAROM_RAY_ANY; k++)
                    assert_int_equal(hits[k].body.index, last ? (k == 0 ? 6 : k) : k + 1);
            }
        }
    }
    carom_scene_destroy(scene);
    carom_mesh_destroy(mesh);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_are_cast_at),
        cmocka_unit_test(batches_are_loops),
        cmocka_unit_test(unsound_rays_are_named),
        cmocka_unit_test(empty_scenes_are_never_hit),
        cmocka_unit_test(kinds_tie),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
