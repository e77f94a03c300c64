/* Many boxes in one place of which few or none may pair, and boxes far beyond the others: broad phases may not test
 * each with each. What they count is compared with the boxes and the pairs that there are, which is the same on every
 * machine; the pairs are compared with brute force. */
#include "broad/broad.h"
#include "support/check.h"

#include <stdlib.h>

enum
{
    FEW = 2000,
    MANY = 8000
};

typedef struct crowd
{
    carom_aabb boxes[MANY];
    broad_traits traits[MANY];
    uint32_t changed[MANY];
    uint32_t count;
    check_random random;
    uint32_t partner; /* of a rare kind; any slot */
} crowd;

typedef void make_fn(crowd *c, uint32_t i);

/* ---- scenes; boxes are in one place, and may all pair, unless these say otherwise ---- */

static void allow_nothing(crowd *c, uint32_t i) { c->traits[i].filter = (carom_filter){1, 0, 0}; }

static void make_one_group(crowd *c, uint32_t i) { c->traits[i].filter = (carom_filter){1, 1, 7}; }

static void make_static(crowd *c, uint32_t i) { c->traits[i].is_static = true; }

static void exclude_categories(crowd *c, uint32_t i)
{
    c->traits[i].filter = (carom_filter){(uint64_t)1 << i % 20, (uint64_t)1 << (20 + i % 20), 0};
}

/* More filters than broad phases tell apart. */
static void exclude_many_categories(crowd *c, uint32_t i)
{
    c->traits[i].filter = (carom_filter){1 + i % 1000, (uint64_t)1 << 40, 0};
    c->traits[i].is_static = i % 3 == 0;
}

static void allow_one(crowd *c, uint32_t i)
{
    c->traits[i].filter = i == c->partner ? (carom_filter){2, 1, 0} : (carom_filter){1, 2, 0};
}

static void move_one(crowd *c, uint32_t i) { c->traits[i].is_static = i != c->partner; }

/* Not quite in one place, and each of some kinds has one partner. */
static void scatter(crowd *c, uint32_t i)
{
    carom_vec3 by = check_random_point(&c->random, 0.0, 0.01);
    uint32_t kind = i / 100 % 4;
    c->boxes[i] = (carom_aabb){vec3_add(c->boxes[i].min, by), vec3_add(c->boxes[i].max, by)};
    c->traits[i].filter = (carom_filter){(uint64_t)1 << kind, (uint64_t)16 << kind, 0};
    if (i / 4 * 4 == c->partner / 4 * 4)
        c->traits[i].filter = (carom_filter){(uint64_t)16 << i % 4, (uint64_t)1 << i % 4, 0};
}

/* Some pair with each other, many with nothing. */
static void stand_by(crowd *c, uint32_t i)
{
    if (i >= c->count / 50)
        c->traits[i].filter = (carom_filter){2, 4, 0};
}

/* Forty kinds, one after the other, and the last box is the only partner of each. */
static void make_kinds(crowd *c, uint32_t i)
{
    const uint64_t last = (uint64_t)1 << 60;
    c->traits[i].filter = (carom_filter){(uint64_t)1 << (40 * i / c->count), last, 0};
    if (i == c->count - 1)
        c->traits[i].filter = (carom_filter){last, ~last, 0};
}

/* Small and tiny ones, and three of ten that are very far away. */
static void mix(crowd *c, uint32_t i)
{
    double size = i % 2 ? 1e-9 : 0.2, side = cbrt(c->count);
    carom_vec3 at = check_random_point(&c->random, 0.0, side);
    if (i % 10 < 3)
        at = check_random_point(&c->random, -1e12, 1e12);
    c->boxes[i] = (carom_aabb){at, {at.x + size, at.y + size, at.z + size}};
}

/* Not in one place, but many in each cell of a coarse grid, and all may pair. */
static void spread(crowd *c, uint32_t i)
{
    carom_vec3 at = check_random_point(&c->random, 0.0, 5.0);
    c->boxes[i] = (carom_aabb){at, {at.x + 0.4, at.y + 0.4, at.z + 0.4}};
}

/* ---- two or more kinds, of which few may pair with each other ---- */

static void put(crowd *c, uint32_t i, carom_vec3 at, carom_vec3 size)
{
    c->boxes[i] = (carom_aabb){at, vec3_add(at, size)};
}

static void put_cube(crowd *c, uint32_t i, carom_vec3 at, double size)
{
    put(c, i, at, (carom_vec3){size, size, size});
}

/* Somewhat fewer static boxes in one place than movers elsewhere that pair only with those. */
static void add_debris(crowd *c, uint32_t i)
{
    c->traits[i].is_static = i < c->count / 2 - 10;
    c->traits[i].filter = c->traits[i].is_static ? (carom_filter){1, 2, 0} : (carom_filter){2, 1, 0};
    if (!c->traits[i].is_static)
        put_cube(c, i, check_random_point(&c->random, 10.0, 100.0), 0.5);
}

/* The same in few cells of a coarse grid. */
static void add_debris_nearby(crowd *c, uint32_t i)
{
    add_debris(c, i);
    if (!c->traits[i].is_static)
        put_cube(c, i, check_random_point(&c->random, 3.5, 20.0), 0.2);
}

/* Long static boxes that overlap, movers above them that pair only with these, and some that pair with each other. */
static void build_city(crowd *c, uint32_t i)
{
    carom_vec3 at = check_random_point(&c->random, 0.0, 100.0);
    bool is_static = i < c->count / 2 - 100, is_walker = i >= c->count - c->count / 100;
    c->traits[i].is_static = is_static;
    c->traits[i].filter = is_static   ? (carom_filter){1, 6, 0}
                          : is_walker ? (carom_filter){4, 5, 0}
                                      : (carom_filter){2, 1, 0};
    if (is_static)
        put(c, i, (carom_vec3){at.x, at.y, 0.0}, (carom_vec3){20.0, 1.0, 10.0});
    else
        put_cube(c, i, (carom_vec3){at.x, at.y, 20.0 + 2.0 * at.z}, 0.2);
}

/* Two crowds that may not pair with their like, of which one pairs with a third that is small and anywhere. */
static void add_walkers(crowd *c, uint32_t i)
{
    c->traits[i].is_static = i % 2 == 0;
    c->traits[i].filter = i % 2 == 0 ? (carom_filter){1, 6, 0} : (carom_filter){2, 1, 0};
    if (i % 2)
        put_cube(c, i, (carom_vec3){50.0, 50.0, 50.0}, 1.0);
    if (i % 100 == 7)
    {
        c->traits[i].filter = (carom_filter){4, 5, 0};
        put_cube(c, i, check_random_point(&c->random, 10.0, 45.0), 0.5);
    }
}

/* Three kinds that pair with each other but not with their like, two crowds and a few elsewhere, and a fourth that
 * pairs only with its like. */
static void separate_kinds(crowd *c, uint32_t i)
{
    static const carom_filter FILTERS[] = {{1, 6, 0}, {2, 5, 0}, {4, 3, 0}, {8, 8, 0}};
    uint32_t kind = i % 25 < 2 ? 2 + i % 25 : i % 2;
    c->traits[i].filter = FILTERS[kind];
    if (kind == 1)
        put_cube(c, i, (carom_vec3){50.0, 50.0, 50.0}, 1.0);
    if (kind >= 2)
        put_cube(c, i, check_random_point(&c->random, 10.0, 45.0), 0.5);
}

/* Nine kinds in one place, each smaller than the one that they all pair with and that is elsewhere. */
static void surround_hub(crowd *c, uint32_t i)
{
    bool is_hub = i < c->count / 10 + 1;
    c->traits[i].is_static = is_hub;
    c->traits[i].filter = is_hub ? (carom_filter){1, 0xffe, 0} : (carom_filter){(uint64_t)2 << i % 9, 1, 0};
    if (is_hub)
        put_cube(c, i, check_random_point(&c->random, 10.0, 100.0), 0.5);
}

/* Static boxes of all sizes around one point, and one that moves, far from them. */
static void nest(crowd *c, uint32_t i)
{
    double size = exp2(10.0 * i / c->count);
    c->traits[i].is_static = i != c->partner;
    put_cube(c, i, (carom_vec3){-0.5 * size, -0.5 * size, -0.5 * size}, size);
    if (i == c->partner)
        put_cube(c, i, (carom_vec3){5000.0, 5000.0, 5000.0}, 1.0);
}

/* Boxes of all sizes, static or not, some of which pair with each other, some not. */
static void mix_kinds(crowd *c, uint32_t i)
{
    static const carom_filter FILTERS[] = {{1, 6, 0}, {2, 1, 0}, {4, 5, 0}};
    put_cube(c, i, check_random_point(&c->random, 0.0, 100.0), exp2(i % 60 / 10.0));
    c->traits[i].filter = FILTERS[i % 3];
    c->traits[i].is_static = i % 3 == 0;
    if (i % 50 == 7)
        put(c, i, c->boxes[i].min, (carom_vec3){INFINITY, i % 2 ? 1.0 : INFINITY, 0.0});
}

/* Large boxes far around small ones, that may pair with nothing. */
static void surround_idle(crowd *c, uint32_t i)
{
    double side = cbrt(c->count);
    put_cube(c, i, check_random_point(&c->random, 0.0, side), 0.2);
    if (i % 2)
    {
        c->traits[i].filter = (carom_filter){2, 0, 0};
        put_cube(c, i, check_random_point(&c->random, 0.0, 1e5), 1000.0);
    }
}

/* ---- some boxes very far from the others ---- */

/* Every third one: samples at equal distances in the list may all be such. */
static void alternate(crowd *c, uint32_t i)
{
    double side = cbrt(c->count);
    put_cube(c, i, check_random_point(&c->random, 0.0, side), 0.2);
    if (i % 3 == 0)
        put_cube(c, i, check_random_point(&c->random, -1e12, 1e12), 0.2);
}

/* Around a place that is far from zero, but for fifteen at equal distances in the list. */
static void leave_origin(crowd *c, uint32_t i)
{
    double side = cbrt(c->count);
    put_cube(c, i, check_random_point(&c->random, 1e9, 1e9 + side), 0.2);
    if (15 * i % c->count < 15)
        put_cube(c, i, check_random_point(&c->random, -1e12, 1e12), 0.2);
}

/* On a floor. */
static void lay_flat(crowd *c, uint32_t i)
{
    carom_vec3 at = check_random_point(&c->random, 0.0, 0.6 * sqrt(c->count));
    put_cube(c, i, (carom_vec3){at.x, at.y, 0.0}, 0.2);
    if (i % 5 == 0)
        put_cube(c, i, check_random_point(&c->random, -1e12, 1e12), 0.2);
}

/* On a wall, and others in a row across it. */
static void lean(crowd *c, uint32_t i)
{
    carom_vec3 at = check_random_point(&c->random, 0.0, 0.6 * sqrt(c->count));
    put_cube(c, i, (carom_vec3){0.0, at.y, at.z}, 0.2);
    if (i % 10 == 0)
        put_cube(c, i, (carom_vec3){1e5 * at.x - 2e6, 0.0, 0.0}, 0.2);
}

typedef struct scene
{
    const char *name;
    make_fn *make;
    double limit; /* tests per box and pair; 0: any number */
    uint32_t grid_depth;
    bool stays;  /* boxes do not move, because rounding might change the pairs */
    bool is_far; /* some are so far away that the grid paper's grid, which has one size of cells, has all others in one
                  */
} scene;

static const scene SCENES[] = {
    {"a filter that allows nothing", allow_nothing, 2.0, 0, false, false},
    {"one group", make_one_group, 2.0, 0, false, false},
    {"all static", make_static, 2.0, 0, false, false},
    {"categories that exclude each other", exclude_categories, 2.0, 0, false, false},
    {"many categories that exclude each other", exclude_many_categories, 2.0, 0, false, false},
    {"one may pair", allow_one, 40.0, 0, false, false},
    {"one moves", move_one, 40.0, 0, false, false},
    {"a few partners in a cloud", scatter, 60.0, 0, false, false},
    {"many that stand by", stand_by, 40.0, 0, false, false},
    {"forty kinds and one partner", make_kinds, 0.0, 0, false, false},
    {"static boxes and debris", add_debris, 40.0, 0, true, false},
    {"static boxes and debris close to them", add_debris_nearby, 40.0, 0, true, false},
    {"overlapping buildings", build_city, 120.0, 0, true, false},
    {"two crowds and a third kind", add_walkers, 300.0, 0, true, false},
    {"two crowds that pair with each other", separate_kinds, 500.0, 0, true, false},
    {"nine kinds around a hub", surround_hub, 60.0, 0, true, false},
    {"nested static boxes", nest, 40.0, 0, true, false},
    {"idle boxes around small ones", surround_idle, 100.0, 0, true, false},
    {"near and far, small and tiny", mix, 100.0, 0, true, true},
    {"every third one far away", alternate, 100.0, 0, true, true},
    {"some of those far from zero farther away", leave_origin, 100.0, 0, true, true},
    {"a floor and boxes far away", lay_flat, 100.0, 0, true, true},
    {"a wall and a row across it", lean, 100.0, 0, true, true},
    {"a coarse grid", spread, 0.0, 1, true, false},
    {"all kinds and sizes", mix_kinds, 0.0, 0, true, false},
    {"all kinds and sizes in a fine grid", mix_kinds, 0.0, 6, true, false},
};

static crowd *make_crowd(const scene *s, uint32_t count)
{
    crowd *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->count = count, c->random.state = 11, c->partner = count / 2 + 3;
    for (uint32_t i = 0; i < count; i++)
    {
        c->boxes[i] = (carom_aabb){{1.0, 2.0, 3.0}, {1.25, 2.25, 3.25}};
        c->traits[i] = (broad_traits){.owner = i + 1, .filter = {1, 1, 0}};
        c->changed[i] = i;
        s->make(c, i);
    }
    return c;
}

/* ---- checks ---- */

static void sort_pairs(carom_context *context, broad_pairs *pairs)
{
    uint64_t *space = calloc(pairs->count + 1, sizeof *space);
    assert_non_null(space);
    base_sort_words(context, pairs->items, space, pairs->count);
    free(space);
}

static broad_input input_of(const crowd *c, const scene *s)
{
    return (broad_input){.boxes = c->boxes,
                         .traits = c->traits,
                         .slot_count = c->count,
                         .changed = c->changed,
                         .changed_count = c->count,
                         .distinct_owners = true,
                         .grid_depth = s->grid_depth};
}

/* Pairs of the boxes as brute force finds them. */
static broad_pairs find_truth(carom_context *context, const scene *s, uint32_t count)
{
    void *brute;
    uint64_t tested = 0;
    broad_pairs truth = {0};
    crowd *c = make_crowd(s, count);
    broad_input input = input_of(c, s);
    assert_int_equal(broad_brute.create(context, &brute), CAROM_OK);
    assert_int_equal(broad_brute.find_pairs(brute, &input, &truth, &tested), CAROM_OK);
    broad_brute.destroy(brute);
    free(c);
    sort_pairs(context, &truth);
    return truth;
}

/* All boxes of one place move by the same way. */
static void move(crowd *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        c->boxes[i].min.x += 0.125, c->boxes[i].max.x += 0.125;
}

/* Frames in which all have come, none has moved, and all have moved. */
static void check_kind(carom_context *context, const broad_kind *kind, const scene *s, crowd *c,
                       const broad_pairs *truth)
{
    void *state;
    broad_pairs pairs = {0};
    broad_input input = input_of(c, s);
    assert_int_equal(kind->create(context, &state), CAROM_OK);
    for (int frame = 0; frame < 3; frame++)
    {
        uint64_t tested = 0;
        if (frame == 2 && !s->stays)
            move(c);
        input.changed_count = frame == 1 ? 0 : c->count, input.same_traits = frame > 0;
        assert_int_equal(kind->find_pairs(state, &input, &pairs, &tested), CAROM_OK);
        sort_pairs(context, &pairs);
        if (pairs.count != truth->count ||
            (truth->count > 0 && memcmp(pairs.items, truth->items, truth->count * sizeof *truth->items) != 0))
            fail_msg("%s, %u boxes, %s: %zu pairs instead of %zu", kind->info.name, c->count, s->name, pairs.count,
                     truth->count);
        double each = (double)tested / (c->count + (double)truth->count);
        if (s->limit > 0.0 && each > s->limit)
            fail_msg("%s, %u boxes, %s, frame %d: %.1f tests per box and pair", kind->info.name, c->count, s->name,
                     frame, each);
    }
    kind->destroy(state);
    base_array_free(context, &pairs);
}

static bool is_excepted(const broad_kind *kind, const scene *s)
{
    return kind == &broad_brute || kind == &broad_all || (kind == &broad_topogrid && s->is_far);
}

static void check_scene(carom_context *context, const scene *s, uint32_t count)
{
    broad_pairs truth = find_truth(context, s, count);
    for (uint32_t k = 0; broad_find(k); k++)
    {
        if (is_excepted(broad_find(k), s))
            continue;
        crowd *c = make_crowd(s, count);
        check_kind(context, broad_find(k), s, c, &truth);
        free(c);
    }
    base_array_free(context, &truth);
}

static void no_kind_tests_each_with_each(void **state)
{
    (void)state;
    carom_context *context;
    assert_int_equal(carom_context_create(NULL, &context), CAROM_OK);
    for (size_t i = 0; i < sizeof SCENES / sizeof *SCENES; i++)
    {
        check_scene(context, &SCENES[i], FEW);
        if (SCENES[i].limit > 0.0)
            check_scene(context, &SCENES[i], MANY);
    }
    carom_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_kind_tests_each_with_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
