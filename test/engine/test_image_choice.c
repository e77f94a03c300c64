/* When engine `image` draws: each pair of bodies is searched in the way that was measured to be faster, the other one
 * is tried less and less often, and an interruption does not change that. The times are made up here. And flat pieces,
 * which sampled images must not look at edge on. */
#include "engine/image/ibcd.h"
#include "query/world.h"
#include "support/gpu_test.h"

/* ---- the choice ---- */

typedef struct chooser
{
    image_state state;
    query_memory memory;
    query_task task;
    narrow_search search;
} chooser;

/* A worker that has searched before, and whose passes take at least 100 microseconds. */
static void begin(chooser *c)
{
    *c = (chooser){0};
    c->state.balance.searches = 2, c->state.balance.pass_seconds = 1e-4;
    c->task.memory = &c->memory;
}

/* One search, which takes so long by trees or by images. */
static bool search(chooser *c, double trees, double images)
{
    image_walk walk = {.state = &c->state, .task = &c->task, .search = &c->search};
    bool chosen = image_is_chosen(&walk);
    image_note_seconds(&walk, chosen, chosen ? images : trees);
    if (chosen && images >= trees)
        image_note_seconds(&walk, false, trees); /* they took over */
    return chosen;
}

static int count_chosen(chooser *c, int searches, double trees, double images)
{
    int count = 0;
    for (int i = 0; i < searches; i++)
        count += search(c, trees, images);
    return count;
}

static void test_slow_images(void **state)
{
    (void)state;
    chooser c;
    begin(&c);
    assert_false(search(&c, 1e-3, 5e-3)); /* trees first */
    assert_true(search(&c, 1e-3, 5e-3));
    int tried = count_chosen(&c, 4096, 1e-3, 5e-3);
    assert_in_range(tried, 8, 14); /* after 2, 4, 8 ... 1,024 searches, and then after each 1,024 */
}

/* No image is drawn where trees take less than any pass. */
static void test_fast_trees(void **state)
{
    (void)state;
    chooser c;
    begin(&c);
    assert_int_equal(count_chosen(&c, 5000, 9e-5, 1e-6), 0);
}

static void test_fast_images(void **state)
{
    (void)state;
    chooser c;
    begin(&c);
    int drawn = count_chosen(&c, 4096, 5e-3, 1e-3);
    assert_in_range(4096 - drawn, 8, 16);
    /* once they are slow, trees are back after a few searches */
    assert_in_range(count_chosen(&c, 1000, 5e-3, 2e-2), 1, 16);
}

/* Other programs interrupt a search by trees: images, which are slower, get one search. */
static void test_interruption(void **state)
{
    (void)state;
    chooser c;
    begin(&c);
    count_chosen(&c, 100, 1e-3, 1.5e-3);
    search(&c, 1.0, 1.5e-3);
    assert_in_range(count_chosen(&c, 100, 1e-3, 1.5e-3), 0, 6);
    /* much slower ones get none before their turn, however long the interruption was */
    begin(&c);
    count_chosen(&c, 100, 1e-3, 3e-3);
    search(&c, 1.0, 3e-3);
    assert_int_equal(count_chosen(&c, 5, 1e-3, 3e-3), 0);
}

/* Searches for one pair and for all of them are measured apart. */
static void test_questions(void **state)
{
    (void)state;
    chooser c;
    begin(&c);
    count_chosen(&c, 10, 1e-3, 5e-3);
    c.search.every_pair = true;
    assert_false(search(&c, 5e-3, 1e-3));
    assert_true(search(&c, 5e-3, 1e-3));
    assert_true(search(&c, 5e-3, 1e-3));
}

/* The first pass of a device takes long, and is not believed: images are tried where trees take longer than the next.
 */
static void test_first_pass(void **state)
{
    (void)state;
    chooser c;
    begin(&c);
    c.state.balance = (image_balance){.searches = 1};
    image_walk walk = {.state = &c.state, .task = &c.task, .search = &c.search, .deadline = base_now() - 1.0};
    image_note_pass(&walk, 20e-3, 1);
    assert_true(c.state.balance.pass_seconds == 0.0 && c.state.balance.tile_seconds == 0.0);
    assert_int_equal(image_check_deadline(&walk), CAROM_OK); /* its time begins now */
    image_note_seconds(&walk, true, 25e-3);
    image_note_seconds(&walk, false, 2e-3); /* trees took over */
    c.state.balance.searches = 2;
    assert_true(search(&c, 2e-3, 1e-3)); /* before any other pass was measured */
    image_note_pass(&walk, 1e-3, 4);
    assert_true(c.state.balance.pass_seconds == 1e-3 && c.state.balance.tile_seconds == 0.25e-3);
    image_note_pass(&walk, 30e-3, 4); /* an interruption */
    assert_true(c.state.balance.pass_seconds < 1.1e-3);
}

/* Nor are images tried with a device that never drew, where no pass could be as fast as trees. */
static void test_unknown_pass(void **state)
{
    (void)state;
    chooser c;
    begin(&c);
    c.state.balance.pass_seconds = 0.0;
    assert_int_equal(count_chosen(&c, 5000, 9e-5, 1e-6), 0);
    begin(&c);
    c.state.balance.pass_seconds = 0.0;
    assert_in_range(count_chosen(&c, 5000, 2e-4, 1e-4), 4000, 5000);
}

static void test_deadline(void **state)
{
    (void)state;
    image_walk walk = {0};
    assert_int_equal(image_check_deadline(&walk), CAROM_OK); /* none */
    walk.deadline = base_now() + 100.0;
    assert_int_equal(image_check_deadline(&walk), CAROM_OK);
    assert_false(walk.late);
    walk.deadline = base_now() - 1.0;
    assert_int_equal(image_check_deadline(&walk), CAROM_STOPPED);
    assert_true(walk.late);
}

/* ---- flat pieces ---- */

/* A plate cuts a cube that holds a ball of half the plate's size around the plate's centre. */
static void test_plates(void **state)
{
    (void)state;
    static const double corners[12] = {-1.0, -1.0, 0.0, 1.0, -1.0, 0.0, 1.0, 1.0, 0.0, -1.0, 1.0, 0.0};
    static const uint32_t triangles[6] = {0, 1, 2, 0, 2, 3};
    gpu_test_needs_driver();
    world w = world_open();
    carom_mesh *plate = world_mesh(&w, corners, 4, triangles, 2),
               *cube = world_box(&w, -0.5, -0.5, -0.5, 0.5, 0.5, 0.5);
    check_random random = {11};
    carom_engine *engine;
    carom_engine_def def = {.engine = "image-sampled"};
    assert_int_equal(carom_engine_create(w.context, &def, &engine), CAROM_OK);
    for (int i = 0; i < 200; i++)
    {
        carom_body_def bodies[2] = {carom_body_def_default(), carom_body_def_default()};
        carom_body_id id;
        carom_scene *scene;
        carom_frame frame;
        carom_scene_report report;
        assert_int_equal(carom_scene_create(w.context, &scene), CAROM_OK);
        for (int k = 0; k < 2; k++)
        {
            bodies[k].placed = world_place(k == i % 2 ? plate : cube, 0.0, 0.0, 0.0);
            bodies[k].placed.pose = world_random_pose(&random, 0.1);
            assert_int_equal(carom_scene_add(scene, &bodies[k], &id), CAROM_OK);
        }
        assert_int_equal(carom_scene_frame(scene, &frame), CAROM_OK);
        assert_int_equal(carom_engine_run(engine, &frame, NULL, &report), CAROM_OK);
        assert_int_equal(report.body_pair_count, 1);
        carom_scene_destroy(scene);
    }
    carom_engine_destroy(engine);
    carom_mesh_destroy(plate), carom_mesh_destroy(cube);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slow_images),  cmocka_unit_test(test_fast_trees), cmocka_unit_test(test_fast_images),
        cmocka_unit_test(test_interruption), cmocka_unit_test(test_questions),  cmocka_unit_test(test_deadline),
        cmocka_unit_test(test_plates),       cmocka_unit_test(test_first_pass), cmocka_unit_test(test_unknown_pass)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
