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

/* ---- late images ---- */

enum
{
    MAX_TRIANGLES = 512
};

/* How often each pair of triangles was reported. */
typedef struct pair_counts
{
    uint8_t of[MAX_TRIANGLES][MAX_TRIANGLES];
    uint32_t total;
} pair_counts;

static bool count_pair(uint32_t triangle_a, uint32_t triangle_b, uint32_t meeting, void *user)
{
    pair_counts *counts = user;
    (void)meeting;
    assert_true(triangle_a < MAX_TRIANGLES && triangle_b < MAX_TRIANGLES);
    return counts->of[triangle_a][triangle_b]++, counts->total++, true;
}

/* An allocator that keeps a search waiting: at its k-th request, images run out of time. */
static void *allocate_late(size_t size, size_t alignment, void *user)
{
    int *requests_left = user;
    if (--*requests_left == 0)
        for (double end = base_now() + 0.012; base_now() < end;)
            ;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void release_late(void *memory, size_t size, void *user)
{
    (void)size, (void)user;
    free(memory);
}

typedef struct late_pair
{
    world w;
    int requests_left;
    carom_mesh *mesh;
    void *asset;
    carom_pose pose[2];
    carom_counters counters;
    query_memory memory;
    base_budget budget;
    query_task task;
} late_pair;

/* A torus and, far away, a triangle: a leaf near the root, so that a pair is found before the last level. */
static carom_mesh *make_mesh(const world *w)
{
    static const carom_vec3 corners[3] = {{100.0, 0.0, 0.0}, {102.0, 0.0, 0.0}, {100.0, 2.0, 0.0}};
    carom_vec3 soup[MAX_TRIANGLES][3];
    carom_mesh *torus = world_shape(w, GENERATE_TORUS, MAX_TRIANGLES / 2);
    uint32_t count = torus->triangle_count;
    assert_true(count < MAX_TRIANGLES);
    for (uint32_t i = 0; i < count; i++)
        mesh_corners(torus, i, soup[i]);
    memcpy(soup[count], corners, sizeof corners);
    carom_mesh_destroy(torus);
    return world_mesh(w, &soup[0][0].x, 3 * (count + 1), NULL, count + 1);
}

static void open_late(late_pair *late)
{
    carom_context_def def = carom_context_def_default();
    def.allocator = (carom_allocator){allocate_late, release_late, &late->requests_left};
    assert_int_equal(carom_context_create(&def, &late->w.context), CAROM_OK);
    late->mesh = make_mesh(&late->w);
    carom_shape shape = carom_shape_mesh(late->mesh);
    assert_int_equal(engine_image.create_asset(late->w.context, &shape, &late->asset), CAROM_OK);
    late->pose[0] = carom_pose_identity(), late->pose[1] = carom_pose_translation(0.5, 0.25, 0.0);
    late->budget = base_budget_begin(NULL);
    const carom_tree *tree;
    assert_int_equal(tree_default(late->mesh, TREE_FOR_PAIRS, &tree), CAROM_OK);
    late->task = (query_task){.context = late->w.context,
                              .a = {late->mesh, tree, &late->pose[0]},
                              .b = {late->mesh, tree, &late->pose[1]},
                              .asset_a = late->asset,
                              .asset_b = late->asset,
                              .memory = &late->memory,
                              .budget = &late->budget,
                              .counters = &late->counters};
}

static void close_late(late_pair *late)
{
    engine_image.destroy_asset(late->w.context, late->asset);
    carom_mesh_destroy(late->mesh);
    carom_context_destroy(late->w.context);
}

/* Searches with images that are late at the k-th request of memory. False: there were fewer. */
static bool search_late(late_pair *late, int k, pair_counts *counts)
{
    void *object;
    bool violated = false;
    narrow_search search = {.every_pair = true, .on_pair = count_pair, .user = counts};
    assert_int_equal(engine_image.create_state(late->w.context, &(carom_engine_def){.engine = "image"}, &object),
                     CAROM_OK);
    image_state *state = object;
    assert_int_equal(image_begin_device(state), CAROM_OK);
    state->balance.searches = 1, state->balance.pass_seconds = 1e-4;
    for (int i = 0; i < IMAGE_LEVELS; i++)
        state->balance.levels[i].known = true; /* as not worth drawing, which would take longer than there is time */
    late->memory = (query_memory){0};
    late->memory.choice[1].seconds[0] = 0.01f; /* what trees are said to take */
    late->requests_left = k;
    assert_int_equal(engine_image.method->collide(object, &late->task, &search, &violated), CAROM_OK);
    bool was_late = late->requests_left <= 0;
    assert_true(late->memory.choice[1].seconds[1] > 0.0f); /* images were tried */
    late->requests_left = 0;
    engine_image.destroy_state(object);
    return was_late;
}

/* Wherever images run out of time, trees take over, and each pair is reported once. */
static void test_late_images(void **state)
{
    (void)state;
    static pair_counts counts, truth;
    gpu_test_needs_driver();
    late_pair late = {0};
    open_late(&late);
    for (uint32_t i = 0; i < late.mesh->triangle_count; i++)
        for (uint32_t k = 0; k < late.mesh->triangle_count; k++)
        {
            narrow_triangle a = tree_world_triangle(&late.task.a, i), b = tree_world_triangle(&late.task.b, k);
            if (narrow_touches(&a, &b, &(narrow_counts){0}))
                count_pair(i, k, CAROM_MEET_TOUCHING, &truth);
        }
    assert_true(truth.total > 20);
    int k = 1;
    for (bool more = true; more; k++)
    {
        memset(&counts, 0, sizeof counts);
        more = search_late(&late, k, &counts);
        assert_memory_equal(&counts, &truth, sizeof counts);
    }
    assert_true(k > 10);
    close_late(&late);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_slow_images),  cmocka_unit_test(test_fast_trees),
                                       cmocka_unit_test(test_fast_images),  cmocka_unit_test(test_interruption),
                                       cmocka_unit_test(test_questions),    cmocka_unit_test(test_deadline),
                                       cmocka_unit_test(test_plates),       cmocka_unit_test(test_first_pass),
                                       cmocka_unit_test(test_unknown_pass), cmocka_unit_test(test_late_images)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
