/* Pairs of long thin boxes by classes, sweeps and halved space, called directly, next to brute force: shapes for which
 * one class is enough, and several; for which space is halved, and not; boxes that touch exactly, without end, of no
 * size, all the same; with a margin; in passes that are cut into any ranges. */
#include "broad/split.h"
#include "support/check.h"

#include <stdlib.h>

enum
{
    MAX_BOXES = 6000
};

/* ---- shapes ---- */

typedef struct shape
{
    const char *name;
    carom_aabb (*make)(check_random *random, uint32_t i);
    uint32_t count;
    double margin;
    bool is_halved; /* space is, for some classes */
} shape;

static carom_aabb box_at(carom_vec3 low, double x, double y, double z)
{
    return (carom_aabb){low, {low.x + x, low.y + y, low.z + z}};
}

static carom_aabb stick(check_random *random, double reach, double length, uint32_t axes)
{
    double size[3] = {0.05, 0.05, 0.05};
    size[check_next(random) % axes] = length;
    return box_at(check_random_point(random, 0.0, reach), size[0], size[1], size[2]);
}

static carom_aabb make_sticks(check_random *random, uint32_t i)
{
    (void)i;
    return stick(random, 20.0, 8.0, 3);
}

static carom_aabb make_parallel(check_random *random, uint32_t i)
{
    (void)i;
    return stick(random, 10.0, 5.0, 1);
}

/* Sticks on a floor, which overlap along its normal. */
static carom_aabb make_on_floor(check_random *random, uint32_t i)
{
    (void)i;
    carom_aabb box = stick(random, 200.0, 6.0, 2);
    box.min.z = 0.0, box.max.z = 0.05;
    return box;
}

/* So many along any axis that space is halved across both of the others. */
static carom_aabb make_cubes(check_random *random, uint32_t i)
{
    (void)i;
    return box_at(check_random_point(random, 0.0, 10.0), 0.5, 0.5, 0.5);
}

/* Wherever these end, others begin. */
static carom_aabb make_touching(check_random *random, uint32_t i)
{
    (void)i;
    double size[3] = {1.0, 1.0, 1.0};
    size[check_next(random) % 3] = 1.0 + (double)(check_next(random) % 12);
    carom_vec3 low = check_random_grid_point(random, 24);
    return box_at(low, size[0], size[1], size[2]);
}

static carom_aabb make_mixed(check_random *random, uint32_t i)
{
    double size[3];
    for (int axis = 0; axis < 3; axis++)
        size[axis] = 0.02 * pow(500.0, check_uniform(random, 0.0, 1.0));
    return i % 50 ? box_at(check_random_point(random, -20.0, 20.0), size[0], size[1], size[2])
                  : box_at(check_random_point(random, -20.0, 20.0), 0.0, 0.0, 0.0);
}

/* Sticks, and some planes and beams without end. */
static carom_aabb make_endless(check_random *random, uint32_t i)
{
    carom_aabb box = make_sticks(random, i);
    if (i % 100 == 3)
        box.min.x = -INFINITY, box.max.x = INFINITY;
    if (i % 200 == 3)
        box.min.y = -1e300, box.max.y = INFINITY;
    if (i % 1000 == 3)
        box.min.z = -INFINITY, box.max.z = 1e39;
    if (i % 100 == 4)
        box.max.z = 3e38;
    return box;
}

static carom_aabb make_endless_on_floor(check_random *random, uint32_t i)
{
    carom_aabb box = make_on_floor(random, i);
    if (i % 500 == 3)
        box.min.x = -INFINITY, box.max.x = INFINITY;
    if (i % 1000 == 3)
        box.min.y = -1e39, box.max.y = 1e300;
    return box;
}

static carom_aabb make_same(check_random *random, uint32_t i)
{
    (void)random;
    return i % 2 ? (carom_aabb){{1, 2, 3}, {9, 3, 4}} : (carom_aabb){{5, 1, 3}, {6, 9, 4}};
}

static const shape SHAPES[] = {
    {"sticks", make_sticks, 4000, 0.0, false},
    {"few sticks", make_sticks, 60, 2.0, false},
    {"parallel sticks", make_parallel, 6000, 0.1, true},
    {"sticks on a floor", make_on_floor, 6000, 0.0, true},
    {"sticks on a floor with a margin", make_on_floor, 5000, 0.01, true},
    {"cubes", make_cubes, 6000, 0.0, true},
    {"boxes that touch", make_touching, 6000, 0.0, true},
    {"boxes that touch within a margin", make_touching, 2000, 1.0, false},
    {"boxes of all sizes", make_mixed, 6000, 0.0, false},
    {"boxes without end", make_endless, 3000, 0.0, false},
    {"sticks on a floor and boxes without end", make_endless_on_floor, 6000, 0.0, true},
    {"the same boxes", make_same, 300, 0.0, false},
    {"one box", make_sticks, 1, 0.0, false},
    {"nothing", make_sticks, 0, 0.0, false},
};

/* ---- a search ---- */

typedef struct search
{
    broad_join join; /* first: what it takes is for this search */
    carom_context *context;
    const broad_input *input;
    broad_pairs pairs;
    uint32_t range; /* boxes of a pass at a time */
} search;

static void take(broad_join *join)
{
    search *self = (search *)join;
    self->pairs.count += join->pair_count;
    assert_true(base_array_reserve(self->context, &self->pairs, 3 * BROAD_PAIRS));
    for (uint32_t i = 0; i < join->unsure_count; i++)
    {
        uint64_t pair = join->unsure[i];
        const carom_aabb *boxes = self->input->boxes;
        if (broad_near(&boxes[pair >> 32], &boxes[(uint32_t)pair], self->input->margin))
            self->pairs.items[self->pairs.count++] = pair;
    }
    join->pairs = self->pairs.items + self->pairs.count;
}

static void pass(broad_split *split, const broad_pass *all)
{
    search *self = split->user;
    for (uint32_t first = 0; first < all->count; first += self->range)
    {
        uint32_t last = first + self->range < all->count ? first + self->range : all->count;
        BASE_PICK_ISA(split->context, broad_split_sweep)(&self->join, all, first, last);
    }
}

/* The boxes with an index below `end` and from `first` on, of which every seventh lane is free. */
static void load(broad_groups *groups, const broad_input *input, uint32_t first, uint32_t end)
{
    uint32_t lane = 0, parents;
    for (uint32_t i = first; i < end; lane++)
    {
        if (lane % BROAD_LANES == 0)
            assert_true(broad_groups_add(groups));
        if (lane % 7 != 5)
            *broad_slot_of(groups, lane) = i++;
    }
    parents = (uint32_t)(groups->levels[0].count + BROAD_LANES - 1) / BROAD_LANES;
    groups->levels[1].count = parents;
    BASE_PICK_ISA(groups->context, broad_groups_load)(groups, 0, parents, input);
}

static void sort_pairs(carom_context *context, broad_pairs *pairs)
{
    broad_pairs space = {0};
    assert_true(base_array_reserve(context, &space, pairs->count));
    base_sort_u64(pairs->items, space.items, pairs->count);
    base_array_free(context, &space);
}

/* Boxes from `apart` on are no pairs with each other. */
static void find_by_split(search *self, uint32_t apart, bool *is_halved)
{
    const broad_input *input = self->input;
    broad_words keys = {0}, sorted = {0};
    broad_split split = {.context = self->context, .keys = &keys, .sorted = &sorted, .sweep = pass, .user = self};
    broad_groups groups[2] = {{.context = self->context}, {.context = self->context}};
    self->join = (broad_join){.margin = (float)input->margin, .take = take};
    take(&self->join); /* makes room */
    load(&groups[0], input, 0, apart), load(&groups[1], input, apart, input->slot_count);
    assert_true(broad_split_join(&split, &groups[0], &groups[1]));
    take(&self->join);
    *is_halved = split.cut_count > 0;
    broad_split_free(&split);
    base_array_free(self->context, &keys), base_array_free(self->context, &sorted);
    broad_groups_free(&groups[0]), broad_groups_free(&groups[1]);
    sort_pairs(self->context, &self->pairs);
}

static void find_by_force(carom_context *context, const broad_input *input, uint32_t apart, broad_pairs *out)
{
    for (uint32_t i = 0; i < input->slot_count && i < apart; i++)
        for (uint32_t k = i + 1; k < input->slot_count; k++)
            if (broad_near(&input->boxes[i], &input->boxes[k], input->margin))
            {
                assert_true(base_array_reserve(context, out, 1));
                out->items[out->count++] = broad_pack(i, k);
            }
}

static void check_shape(carom_context *context, const shape *s, uint32_t apart, uint32_t range)
{
    check_random random = {s->count + 1};
    carom_aabb *boxes = malloc(MAX_BOXES * sizeof *boxes);
    search *self = calloc(1, sizeof *self);
    assert_true(boxes && self);
    for (uint32_t i = 0; i < s->count; i++)
        boxes[i] = s->make(&random, i);
    broad_input input = {.boxes = boxes, .slot_count = s->count, .margin = s->margin};
    broad_pairs truth = {0};
    bool is_halved;
    *self = (search){.context = context, .input = &input, .range = range};
    find_by_force(context, &input, apart, &truth);
    find_by_split(self, apart, &is_halved);
    if (self->pairs.count != truth.count ||
        (truth.count && memcmp(truth.items, self->pairs.items, truth.count * sizeof *truth.items) != 0))
        fail_msg("%s, %u apart, ranges of %u: other pairs, %zu instead of %zu", s->name, apart, range,
                 self->pairs.count, truth.count);
    assert_true(truth.count >= s->count / 8);
    if (apart == s->count && is_halved != s->is_halved)
        fail_msg("%s: space is %shalved", s->name, is_halved ? "" : "not ");
    base_array_free(context, &truth);
    base_array_free(context, &self->pairs);
    free(boxes), free(self);
}

static void finds_the_pairs_of_all_shapes(void **state)
{
    (void)state;
    static const carom_simd LEVELS[] = {CAROM_SIMD_SCALAR, CAROM_SIMD_AUTO};
    for (size_t k = 0; k < 2; k++)
    {
        carom_context_def def = carom_context_def_default();
        carom_context *context;
        def.simd = LEVELS[k];
        assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
        for (size_t i = 0; i < sizeof SHAPES / sizeof *SHAPES; i++)
        {
            check_shape(context, &SHAPES[i], SHAPES[i].count, UINT32_MAX / 2);
            check_shape(context, &SHAPES[i], SHAPES[i].count * 2 / 3, 7);
        }
        carom_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_pairs_of_all_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
