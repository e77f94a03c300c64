/* The broad phase `auto`: what it chooses, that it says why, and that a change of its choice loses no pair. */
#include "broad/broad.h"
#include "query/world.h"
#include "support/failing.h"

enum
{
    MAX_BOXES = 1000
};

typedef struct crowd
{
    carom_aabb boxes[MAX_BOXES];
    broad_traits traits[MAX_BOXES];
    uint32_t changed[MAX_BOXES];
    uint32_t count;
    check_random random;
} crowd;

static void place(crowd *c, uint32_t i)
{
    double reach = cbrt(c->count);
    carom_vec3 at = check_random_point(&c->random, 0.0, 1.2 * reach);
    c->boxes[i] = (carom_aabb){at, {at.x + 1.0, at.y + 0.8, at.z + 1.2}};
}

static void fill(crowd *c, uint32_t count)
{
    c->count = count;
    for (uint32_t i = 0; i < count; i++)
    {
        place(c, i);
        c->traits[i] = (broad_traits){.owner = i + 1, .filter = {1, 1, 0}};
        c->changed[i] = i;
    }
}

/* One in `one_of` jumps, the others drift; 0: none does. */
static void stir(crowd *c, uint32_t one_of)
{
    for (uint32_t i = 0; i < c->count; i++)
    {
        c->boxes[i].min.x += 0.01, c->boxes[i].max.x += 0.01;
        if (one_of && check_next(&c->random) % one_of == 0)
        {
            carom_vec3 far = {check_uniform(&c->random, 20.0, 40.0), 0.0, 0.0};
            place(c, i);
            if (i % 2)
                c->boxes[i].min = vec3_add(c->boxes[i].min, far), c->boxes[i].max = vec3_add(c->boxes[i].max, far);
        }
    }
}

static uint64_t *sorted(broad_pairs *pairs)
{
    uint64_t *space = calloc(pairs->count + 1, sizeof *space);
    base_sort_u64(pairs->items, space, pairs->count);
    free(space);
    return pairs->items;
}

typedef struct contest
{
    carom_context *context;           /* of `auto` */
    carom_context *reference_context; /* of `brute`: memory never fails there */
    void *automatic, *brute;
} contest;

static contest contest_open(carom_context *context, const world *w)
{
    contest c = {.context = context, .reference_context = w->context};
    assert_int_equal(broad_auto.create(context, &c.automatic), CAROM_OK);
    assert_int_equal(broad_brute.create(w->context, &c.brute), CAROM_OK);
    return c;
}

static void contest_close(const contest *c)
{
    broad_auto.destroy(c->automatic);
    broad_brute.destroy(c->brute);
}

/* The pairs of this frame by `auto`, compared with those of `brute` unless it failed. */
static carom_status step(const contest *between, const crowd *c)
{
    broad_pairs found = {0}, expected = {0};
    uint64_t tested = 0;
    broad_input input = {.boxes = c->boxes,
                         .traits = c->traits,
                         .slot_count = c->count,
                         .changed = c->changed,
                         .changed_count = c->count,
                         .distinct_owners = true};
    carom_status status = broad_auto.find_pairs(between->automatic, &input, &found, &tested);
    if (status == CAROM_OK)
    {
        assert_int_equal(broad_brute.find_pairs(between->brute, &input, &expected, &tested), CAROM_OK);
        assert_int_equal(found.count, expected.count);
        if (found.count > 0)
            assert_memory_equal(sorted(&found), sorted(&expected), found.count * sizeof *found.items);
    }
    base_array_free(between->context, &found);
    base_array_free(between->reference_context, &expected);
    return status;
}

static void check_choice(const void *automatic, const char *name, const char *word)
{
    carom_broad_choice choice = broad_choice(&broad_auto, automatic);
    assert_string_equal(choice.name, name);
    if (!strstr(choice.reason, word))
        fail_msg("the reason does not contain '%s': %s", word, choice.reason);
}

static void it_follows_the_boxes(void **state)
{
    (void)state;
    static crowd c = {.random = {.state = 5}};
    world w = world_open();
    contest between = contest_open(w.context, &w);
    const void *automatic = between.automatic;
    check_choice(automatic, "auto", "yet");
    fill(&c, 100);
    for (int i = 0; i < 20; i++, stir(&c, 0))
        assert_int_equal(step(&between, &c), CAROM_OK);
    check_choice(automatic, "tree", "100 boxes, 0 of 64 jump");
    for (int i = 0; i < 40; i++, stir(&c, 8))
        assert_int_equal(step(&between, &c), CAROM_OK);
    check_choice(automatic, "sweep", "100 boxes");
    for (int i = 0; i < 40; i++, stir(&c, 0))
        assert_int_equal(step(&between, &c), CAROM_OK);
    check_choice(automatic, "tree", "0 of 64 jump");
    fill(&c, MAX_BOXES); /* so many that the next call decides anew */
    for (int i = 0; i < 40; i++, stir(&c, 8))
        assert_int_equal(step(&between, &c), CAROM_OK);
    check_choice(automatic, "tree", "1000 boxes");
    c.count = 0;
    assert_int_equal(step(&between, &c), CAROM_OK);
    check_choice(automatic, "sweep", "0 boxes");
    contest_close(&between);
    world_close(&w);
}

/* Memory fails once, at the k-th allocation; later calls give the right pairs. */
static void it_survives_failures(void **state)
{
    (void)state;
    static crowd c;
    world w = world_open();
    bool failed = true;
    for (uint64_t k = 1; failed; k++)
    {
        failing memory = {0};
        carom_context *context;
        assert_int_equal(failing_context(&memory, &context), CAROM_OK);
        contest between = contest_open(context, &w);
        c = (crowd){.random = {.state = 9}};
        fill(&c, 100);
        failing_arm(&memory, k);
        for (int i = 0; i < 40; i++, stir(&c, 8))
        {
            bool had_failed = memory.failed;
            carom_status status = step(&between, &c);
            assert_int_equal(status, memory.failed && !had_failed ? CAROM_OUT_OF_MEMORY : CAROM_OK);
        }
        failed = memory.failed;
        assert_string_equal(broad_choice(&broad_auto, between.automatic).name, "sweep");
        contest_close(&between);
        carom_context_destroy(context);
        assert_int_equal(memory.blocks_out, 0);
    }
    world_close(&w);
}

/* An engine says which broad phase it used. */
static void an_engine_tells_the_choice(void **state)
{
    (void)state;
    world w = world_open();
    carom_engine_def def = carom_engine_def_default();
    carom_engine *engine;
    carom_scene *scene;
    carom_frame frame;
    carom_scene_report report;
    assert_string_equal(def.broad_phase, "auto");
    assert_string_equal(carom_engine_broad_phase(NULL).name, "");
    assert_int_equal(carom_engine_create(w.context, &def, &engine), CAROM_OK);
    assert_string_equal(carom_engine_broad_phase(engine).name, "auto");
    assert_int_equal(carom_scene_create(w.context, &scene), CAROM_OK);
    assert_int_equal(carom_scene_frame(scene, &frame), CAROM_OK);
    assert_int_equal(carom_engine_run(engine, &frame, NULL, &report), CAROM_OK);
    assert_string_equal(carom_engine_broad_phase(engine).name, "tree");
    carom_engine_destroy(engine);
    def.broad_phase = "grid";
    assert_int_equal(carom_engine_create(w.context, &def, &engine), CAROM_OK);
    assert_string_equal(carom_engine_broad_phase(engine).name, "grid");
    carom_engine_destroy(engine);
    carom_scene_destroy(scene);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_follows_the_boxes),
        cmocka_unit_test(it_survives_failures),
        cmocka_unit_test(an_engine_tells_the_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
