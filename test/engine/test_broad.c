/* Every broad phase against the definition: all pairs of boxes within the margin, each once. */
#include "broad/order.h"
#include "query/world.h"
#include "support/failing.h"

typedef struct box_set
{
    carom_aabb *boxes;
    broad_traits *traits;
    uint32_t count;
} box_set;

static box_set make_boxes(uint32_t count, uint64_t seed, double reach)
{
    box_set set = {calloc(count + 1, sizeof(carom_aabb)), calloc(count + 1, sizeof(broad_traits)), count};
    check_random random = {.state = seed};
    for (uint32_t i = 0; i < count; i++)
    {
        carom_vec3 at = {check_uniform(&random, -reach, reach), check_uniform(&random, -reach, reach),
                         check_uniform(&random, -reach, reach)};
        double size = check_uniform(&random, 0.0, 1.0);
        size *= size * size * 4.0;
        set.boxes[i] = (carom_aabb){at, {at.x + size, at.y + size, at.z + size}};
        if (i % 17 == 3)
            set.boxes[i] = aabb_empty();
        if (i % 29 == 5) /* far away, in a cluster of its own */
            set.boxes[i].min.x += 1e9, set.boxes[i].max.x += 1e9;
        if (i % 31 == 6 && i > 0) /* the same again */
            set.boxes[i] = set.boxes[i - 1];
        if (i % 37 == 7 && i % 17 != 3) /* a point */
            set.boxes[i].max = set.boxes[i].min;
        set.traits[i] = (broad_traits){.owner = i + 1, .filter = {1, 1, 0}};
    }
    return set;
}

static void free_boxes(box_set *set)
{
    free(set->boxes);
    free(set->traits);
}

/* A sum over all pairs would do; keep the whole list and compare it. */
static void check_kind(const world *w, const broad_kind *kind, const box_set *set, double margin)
{
    void *state;
    broad_pairs pairs = {0};
    uint64_t tested = 0;
    assert_int_equal(kind->create(w->context, &state), CAROM_OK);
    broad_input input = {.boxes = set->boxes,
                         .traits = set->traits,
                         .slot_count = set->count,
                         .margin = margin,
                         .distinct_owners = true};
    for (int frame = 0; frame < 2; frame++) /* the second must not depend on the first */
        assert_int_equal(kind->find_pairs(state, &input, &pairs, &tested), CAROM_OK);
    uint64_t *space = calloc(pairs.count + 1, sizeof *space);
    base_sort_u64(pairs.items, space, pairs.count);
    free(space);
    size_t at = 0;
    for (uint32_t i = 0; i < set->count; i++)
        for (uint32_t j = i + 1; j < set->count; j++)
        {
            const carom_aabb *a = &set->boxes[i], *b = &set->boxes[j];
            bool empty = !(a->min.x <= a->max.x) || !(b->min.x <= b->max.x);
            bool near = a->min.x <= b->max.x + margin && b->min.x <= a->max.x + margin &&
                        a->min.y <= b->max.y + margin && b->min.y <= a->max.y + margin &&
                        a->min.z <= b->max.z + margin && b->min.z <= a->max.z + margin;
            uint64_t key = (uint64_t)i << 32 | j;
            bool listed = at < pairs.count && pairs.items[at] == key;
            if (!empty && near && !listed)
                fail_msg("%s misses boxes %u and %u at margin %g", kind->info.name, i, j, margin);
            if (empty && listed)
                fail_msg("%s pairs an empty box, %u or %u", kind->info.name, i, j);
            at += listed;
        }
    assert_int_equal(at, pairs.count); /* each once, nothing else */
    base_array_free(w->context, &pairs);
    kind->destroy(state);
}

static void every_kind_finds_every_pair(void **state)
{
    (void)state;
    world w = world_open();
    const uint32_t counts[] = {0, 1, 2, 7, 8, 9, 64, 65, 100, 513, 1000};
    const double margins[] = {0.0, 0.1, 3.0, 1e10};
    for (uint32_t k = 0; broad_find(k); k++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            for (size_t m = 0; m < sizeof margins / sizeof *margins; m++)
            {
                if (margins[m] > 1e9 && counts[i] > 200)
                    continue;
                box_set set = make_boxes(counts[i], 10 * i + m, 12.0);
                check_kind(&w, broad_find(k), &set, margins[m]);
                free_boxes(&set);
            }
    world_close(&w);
}

/* Neighbours on the curve are neighbours in space, and each cell is on it once. */
static void the_curve_has_no_gaps(void **state)
{
    (void)state;
    enum
    {
        SIDE = 16
    };
    static broad_curve curve;
    static uint32_t cells[SIDE * SIDE * SIDE];
    broad_curve_fill(&curve);
    memset(cells, 0xff, sizeof cells);
    for (uint32_t i = 0; i < SIDE * SIDE * SIDE; i++)
    {
        const uint32_t cell[3] = {i / (SIDE * SIDE), i / SIDE % SIDE, i % SIDE};
        uint32_t code = broad_curve_walk(&curve, cell, BROAD_FINE_STEPS);
        assert_true(code < SIDE * SIDE * SIDE && cells[code] == UINT32_MAX);
        cells[code] = i;
    }
    for (uint32_t k = 1; k < SIDE * SIDE * SIDE; k++)
    {
        int a = (int)cells[k - 1], b = (int)cells[k];
        assert_int_equal(abs(a / (SIDE * SIDE) - b / (SIDE * SIDE)) + abs(a / SIDE % SIDE - b / SIDE % SIDE) +
                             abs(a % SIDE - b % SIDE),
                         1);
    }
}

/* The tree must not be quadratic, even with a body far away that dwarfs all other coordinates. */
static void the_tree_is_not_quadratic(void **state)
{
    (void)state;
    world w = world_open();
    const uint32_t count = 60000;
    box_set set = make_boxes(count, 1, 200.0);
    set.boxes[0] = (carom_aabb){{1e30, 1e30, 1e30}, {2e30, 2e30, 2e30}};
    void *tree;
    broad_pairs pairs = {0};
    uint64_t tested = 0;
    assert_int_equal(broad_tree.create(w.context, &tree), CAROM_OK);
    broad_input input = {.boxes = set.boxes, .traits = set.traits, .slot_count = count};
    assert_int_equal(broad_tree.find_pairs(tree, &input, &pairs, &tested), CAROM_OK);
    assert_true(pairs.count > 1000);
    assert_true(tested < (uint64_t)count * 400);
    base_array_free(w.context, &pairs);
    broad_tree.destroy(tree);
    free_boxes(&set);
    world_close(&w);
}

/* Boxes that move, jump, come, go, empty and huge, with owners, filters and static marks, over frames; memory fails at
 * any allocation of any of them, and the call after that is right again. */
static void change_boxes(box_set *set, check_random *random)
{
    for (uint32_t k = 0; k < set->count; k++)
    {
        if (check_next(random) % 4)
            continue;
        double reach = check_next(random) % 20 == 0 ? 1e12 : 6.0, size = check_uniform(random, 0.0, 2.0);
        if (check_next(random) % 40 == 0)
            size = 0x1p100;
        carom_vec3 at = {check_uniform(random, -reach, reach), check_uniform(random, -reach, reach),
                         check_uniform(random, -reach, reach)};
        set->boxes[k] = (carom_aabb){{at.x - size, at.y - size, at.z - size}, {at.x + size, at.y + size, at.z + size}};
        if (check_next(random) % 6 == 0)
            set->boxes[k] = aabb_empty();
        set->traits[k] = (broad_traits){
            .owner = 1 + (uint32_t)(check_next(random) % set->count),
            .is_static = check_next(random) % 3 == 0,
            .filter = {1 + check_next(random) % 3, check_next(random) % 8, (uint32_t)(check_next(random) % 4)}};
    }
}

static void check_frame(const broad_kind *kind, const box_set *set, broad_pairs *pairs, double margin)
{
    uint64_t *space = calloc(pairs->count + 1, sizeof *space);
    base_sort_u64(pairs->items, space, pairs->count);
    free(space);
    size_t at = 0;
    for (uint32_t i = 0; i < set->count; i++)
        for (uint32_t j = i + 1; j < set->count; j++)
        {
            const carom_aabb *a = &set->boxes[i], *b = &set->boxes[j];
            const broad_traits *s = &set->traits[i], *t = &set->traits[j];
            bool allowed = s->owner != t->owner && !(s->is_static && t->is_static) &&
                           (s->filter.category & t->filter.mask) && (t->filter.category & s->filter.mask) &&
                           (s->filter.group != t->filter.group || s->filter.group == 0);
            bool near = a->min.x <= b->max.x + margin && b->min.x <= a->max.x + margin &&
                        a->min.y <= b->max.y + margin && b->min.y <= a->max.y + margin &&
                        a->min.z <= b->max.z + margin && b->min.z <= a->max.z + margin;
            bool empty = !(a->min.x <= a->max.x) || !(b->min.x <= b->max.x);
            bool listed = at < pairs->count && pairs->items[at] == ((uint64_t)i << 32 | j);
            if (allowed && near && !empty && !listed)
                fail_msg("%s misses boxes %u and %u", kind->info.name, i, j);
            if (listed && (!allowed || empty))
                fail_msg("%s pairs boxes %u and %u", kind->info.name, i, j);
            at += listed;
        }
    assert_int_equal(at, pairs->count);
}

static void frames_follow_each_other(void **state)
{
    (void)state;
    for (uint32_t k = 0; broad_find(k); k++)
    {
        const broad_kind *kind = broad_find(k);
        failing memory = {0};
        carom_context *context;
        void *phase;
        assert_int_equal(failing_context(&memory, &context), CAROM_OK);
        assert_int_equal(kind->create(context, &phase), CAROM_OK);
        box_set set = make_boxes(120, k, 6.0);
        check_random random = {.state = 60 + k};
        broad_pairs pairs = {0};
        uint64_t tested = 0, failures = 0;
        uint32_t changed[120];
        for (uint32_t i = 0; i < 120; i++)
            changed[i] = i;
        for (int frame = 0; frame < 400; frame++)
        {
            change_boxes(&set, &random);
            set.count = frame < 40 ? (uint32_t)(3 * frame) : 120; /* slots are added */
            double margin = frame % 3 ? 0.0 : 0.5;
            broad_input input = {.boxes = set.boxes,
                                 .traits = set.traits,
                                 .slot_count = set.count,
                                 .changed = changed,
                                 .changed_count = set.count,
                                 .margin = margin};
            if (frame % 2)
            {
                base_array_free(context, &pairs);
                failing_arm(&memory, 1 + check_next(&random) % 6);
                carom_status status = kind->find_pairs(phase, &input, &pairs, &tested);
                assert_int_equal(status, memory.failed ? CAROM_OUT_OF_MEMORY : CAROM_OK);
                failures += memory.failed;
                failing_arm(&memory, 0);
            }
            assert_int_equal(kind->find_pairs(phase, &input, &pairs, &tested), CAROM_OK);
            check_frame(kind, &set, &pairs, margin);
        }
        assert_true(failures > 5);
        base_array_free(context, &pairs);
        kind->destroy(phase);
        free_boxes(&set);
        carom_context_destroy(context);
        assert_int_equal(memory.bytes_out, 0);
    }
}

/* Cubes of length 1 at whole numbers, so that many touch exactly, in a world of its own at `far`. Of three, one is
 * static, one stays behind at 0, and one is now and then empty. */
static void place_cubes(box_set *set, check_random *random, double far, bool all)
{
    for (uint32_t i = 0; i < set->count; i++)
    {
        double at = i % 3 == 1 ? 0.0 : far;
        if (i % 3 == 0 && !all)
            continue;
        set->boxes[i].min = (carom_vec3){at + (double)(check_next(random) % 8), at - (double)(check_next(random) % 8),
                                         at + (double)(check_next(random) % 8)};
        set->boxes[i].max = vec3_add(set->boxes[i].min, (carom_vec3){1, 1, 1});
        if (i % 3 == 2 && check_next(random) % 4 == 0)
            set->boxes[i] = aabb_empty();
        set->traits[i] = (broad_traits){.owner = i + 1, .is_static = i % 3 == 0, .filter = {1, 1, 0}};
    }
}

/* Floats do not tell these boxes apart where they are; pairs are exact all the same, while boxes travel. */
static void boxes_travel_far(void **state)
{
    (void)state;
    world w = world_open();
    for (uint32_t k = 0; broad_find(k); k++)
    {
        const broad_kind *kind = broad_find(k);
        box_set set = make_boxes(300, k, 1.0);
        check_random random = {.state = 7 + k};
        uint32_t changed[300];
        void *phase;
        broad_pairs pairs = {0};
        uint64_t tested = 0;
        for (uint32_t i = 0; i < set.count; i++)
            changed[i] = i;
        assert_int_equal(kind->create(w.context, &phase), CAROM_OK);
        for (int frame = 0; frame < 60; frame++)
        {
            static const double FAR[] = {0x1p40, 0.0, -1e6, 0x1p45};
            double margin = frame < 40 ? 0.0 : 2.0;
            place_cubes(&set, &random, FAR[frame / 5 % 4], frame % 20 == 0);
            broad_input input = {.boxes = set.boxes,
                                 .traits = set.traits,
                                 .slot_count = set.count,
                                 .changed = changed,
                                 .changed_count = set.count,
                                 .same_traits = frame > 0,
                                 .distinct_owners = true,
                                 .margin = margin};
            assert_int_equal(kind->find_pairs(phase, &input, &pairs, &tested), CAROM_OK);
            check_frame(kind, &set, &pairs, margin);
        }
        base_array_free(w.context, &pairs);
        kind->destroy(phase);
        free_boxes(&set);
    }
    world_close(&w);
}

static void the_table_has_names(void **state)
{
    (void)state;
    assert_ptr_equal(broad_find_name("brute"), &broad_brute);
    assert_null(broad_find_name("nothing of the sort"));
    for (uint32_t i = 0; carom_broad_list(i); i++)
        assert_true(strlen(carom_broad_list(i)->name) > 0 && strlen(carom_broad_list(i)->summary) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_finds_every_pair), cmocka_unit_test(frames_follow_each_other),
        cmocka_unit_test(the_curve_has_no_gaps),       cmocka_unit_test(the_tree_is_not_quadratic),
        cmocka_unit_test(the_table_has_names),         cmocka_unit_test(boxes_travel_far),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
