/* Every broad phase over hundreds of frames, next to brute force: boxes that drift, jump, rest, touch exactly, lie on
 * one point or at the end of the numbers, while others come and go, change their filters and whether they are static,
 * and the margin changes. CAROM_TEST_SCALE multiplies the number of frames. */
#include "broad/tree.h"
#include "support/check.h"
#include "support/failing.h"

#include <stdlib.h>

enum
{
    MAX_BOXES = 4096,
    MAX_KINDS = 16
};

/* ---- a play: boxes that change ---- */

typedef struct play
{
    carom_aabb boxes[MAX_BOXES];
    broad_traits traits[MAX_BOXES];
    carom_vec3 velocity[MAX_BOXES];
    bool has_changed[MAX_BOXES]; /* since the last frame */
    uint32_t changed[MAX_BOXES];
    uint32_t count, max_count;
    bool distinct_owners;
    bool new_traits; /* since the last frame */
    double margin;
    uint32_t frame;
    check_random random;
} play;

static uint32_t pick(play *p, uint32_t count) { return (uint32_t)(check_next(&p->random) % count); }

static void set_box(play *p, uint32_t i, carom_aabb box)
{
    p->boxes[i] = box;
    p->has_changed[i] = true;
}

static carom_aabb box_at(carom_vec3 low, double x, double y, double z)
{
    return (carom_aabb){low, {low.x + x, low.y + y, low.z + z}};
}

static void random_traits(play *p, uint32_t i)
{
    carom_filter filter = {1, UINT64_MAX, 0};
    if (pick(p, 4) == 0)
        filter = (carom_filter){1 + pick(p, 3), pick(p, 8), pick(p, 3)};
    bool own = p->distinct_owners || pick(p, 8);
    p->traits[i] = (broad_traits){own ? i + 1 : pick(p, p->count) + 1, pick(p, 3) == 0, filter};
    p->has_changed[i] = p->new_traits = true;
}

typedef struct motion
{
    const char *name;
    carom_aabb (*make)(play *p);       /* a new box */
    void (*move)(play *p, uint32_t i); /* an old one; null: boxes jump to new places */
    uint32_t one_of;                   /* so many moves per frame */
    double size;                       /* margins are some of these */
} motion;

/* ---- boxes of all kinds ---- */

static carom_aabb make_box(play *p)
{
    double reach = 1.2 * cbrt(p->max_count), size = check_uniform(&p->random, 0.2, 1.6);
    return box_at(check_random_point(&p->random, 0.0, reach), size, check_uniform(&p->random, 0.2, 1.6), size);
}

static carom_aabb make_clustered(play *p)
{
    carom_vec3 at = check_random_point(&p->random, -1.0, 1.0);
    double far = (double)pick(p, 5) * 1000.0;
    return box_at((carom_vec3){at.x * at.x * at.x * 5.0 + far, at.y * 4.0, at.z - far}, 0.5, 0.5, 0.5);
}

static carom_aabb make_thin(play *p)
{
    double size[3] = {0.05, 0.05, 0.05};
    size[pick(p, 3)] = check_uniform(&p->random, 1.0, 12.0);
    return box_at(check_random_point(&p->random, 0.0, 12.0), size[0], size[1], size[2]);
}

static carom_aabb make_mixed(play *p)
{
    double size = pow(10.0, check_uniform(&p->random, -4.0, 1.5));
    return box_at(check_random_point(&p->random, -20.0, 20.0), size, size, size);
}

static carom_aabb make_touching(play *p)
{
    return box_at(check_random_grid_point(&p->random, 9), 1.0, 1.0 + pick(p, 2), 1.0);
}

static carom_aabb make_far(play *p)
{
    carom_aabb box = make_box(p);
    carom_vec3 far = {1e12, -1e12, 1e9};
    return (carom_aabb){vec3_add(box.min, far), vec3_add(box.max, far)};
}

/* Three places for all: one box, one point, or another box. */
static carom_aabb make_same(play *p)
{
    static const carom_aabb same[3] = {{{1, 2, 3}, {2, 3, 4}}, {{1, 2, 3}, {1, 2, 3}}, {{2, 3, 4}, {2, 3, 5}}};
    return same[p->frame / 20 % 3];
}

static double extreme(play *p)
{
    static const double values[] = {0.0,       -0.0,  1e-9,  2e-9,     1e12,        1e12 + 1e-3,  -1e12,
                                    1e30,      -1e30, 1e200, 4.9e-324, 1.79769e308, -1.79769e308, INFINITY,
                                    -INFINITY, 1.0,   2e38,  -3e38,    1e39};
    return values[pick(p, sizeof values / sizeof *values)];
}

static carom_aabb make_extreme(play *p)
{
    double end[6];
    for (int i = 0; i < 6; i++)
        end[i] = extreme(p);
    if (pick(p, 20) == 0) /* all that there is */
        return (carom_aabb){{-INFINITY, -INFINITY, -1e300}, {1e300, INFINITY, INFINITY}};
    if (pick(p, 3) == 0) /* a point, or nearly */
        for (int i = 0; i < 3; i++)
            end[i + 3] = end[i] + (pick(p, 2) ? 1e-9 : 0.0);
    carom_aabb box = aabb_empty();
    box = aabb_add_point(box, (carom_vec3){end[0], end[1], end[2]});
    return aabb_add_point(box, (carom_vec3){end[3], end[4], end[5]});
}

static carom_aabb make_anything(play *p)
{
    switch (pick(p, 12))
    {
    case 0: return make_extreme(p);
    case 1: return (carom_aabb){{-1e4, -1e4, -1e4}, {1e4, 1e4, 1e4}}; /* holds all but a few */
    case 2: return make_far(p);
    case 3: return make_thin(p);
    case 4: return make_mixed(p);
    case 5: return box_at(check_random_point(&p->random, -1e12, 1e12), 1e-9, 1e-9, 1e-9);
    default: return make_box(p);
    }
}

static void drift(play *p, uint32_t i)
{
    double reach = 1.2 * cbrt(p->max_count);
    carom_aabb box = {vec3_add(p->boxes[i].min, p->velocity[i]), vec3_add(p->boxes[i].max, p->velocity[i])};
    for (int axis = 0; axis < 3; axis++)
        if (((double *)&box.min)[axis] < 0.0 || ((double *)&box.min)[axis] > reach)
            ((double *)&p->velocity[i])[axis] = -((double *)&p->velocity[i])[axis];
    set_box(p, i, box);
}

static void step(play *p, uint32_t i)
{
    carom_vec3 by = {(double)pick(p, 3) - 1.0, (double)pick(p, 3) - 1.0, (double)pick(p, 3) - 1.0};
    set_box(p, i, (carom_aabb){vec3_add(p->boxes[i].min, by), vec3_add(p->boxes[i].max, by)});
}

static void grow(play *p, uint32_t i)
{
    double by = check_uniform(&p->random, 0.0, 0.05);
    carom_vec3 all = {by, by, by};
    carom_aabb box = {vec3_sub(p->boxes[i].min, all), vec3_add(p->boxes[i].max, all)};
    set_box(p, i, box.max.x - box.min.x > 3.0 ? make_box(p) : box);
}

static const motion MOTIONS[] = {
    {"drifting boxes", make_box, drift, 1, 1.0},
    {"a few drifting boxes", make_box, drift, 20, 1.0},
    {"jumping boxes", make_box, NULL, 3, 1.0},
    {"growing boxes", make_box, grow, 2, 1.0},
    {"clusters", make_clustered, drift, 2, 0.5},
    {"thin boxes", make_thin, drift, 1, 1.0},
    {"boxes of all sizes", make_mixed, drift, 2, 1.0},
    {"boxes that touch", make_touching, step, 4, 1.0},
    {"boxes far away", make_far, step, 2, 1.0},
    {"the same box", make_same, NULL, 2, 1.0},
    {"extreme boxes", make_extreme, NULL, 4, 1e-9},
    {"anything", make_anything, NULL, 6, 1.0},
    {"anything, drifting", make_anything, drift, 3, 1.0},
};

static void start(play *p, const motion *m, uint32_t max_count, uint64_t seed)
{
    memset(p, 0, sizeof *p);
    p->random.state = seed;
    p->max_count = max_count;
    p->count = max_count / 2;
    p->distinct_owners = max_count % 2 == 1;
    for (uint32_t i = 0; i < max_count; i++)
    {
        p->velocity[i] = check_random_point(&p->random, -0.05, 0.05);
        random_traits(p, i);
        p->boxes[i] = i < p->count ? m->make(p) : aabb_empty();
    }
}

static void choose_margin(play *p, const motion *m)
{
    static const double factors[] = {0.0, 0.0, 0.0, 0.1, 1.0, 1e-3, 2.5, 1e-15, 1e10};
    uint32_t last = p->max_count <= 300 ? 9 : 7;
    p->margin = m->size * factors[pick(p, last)];
}

/* Moves some, removes and adds some, changes the traits of some, but not always. */
static void change(play *p, const motion *m)
{
    bool keep_traits = ++p->frame / 12 % 2 == 1;
    if (p->count < p->max_count && pick(p, 3) == 0)
        p->count += 1 + pick(p, 1 + (p->max_count - p->count) / 4);
    for (uint32_t i = 0; i < p->count; i++)
    {
        if (broad_is_empty(&p->boxes[i]))
        {
            if (pick(p, 20) == 0)
                set_box(p, i, m->make(p));
            if (pick(p, 2) && p->has_changed[i] && !keep_traits)
                random_traits(p, i);
            continue;
        }
        if (p->traits[i].is_static ? pick(p, 200) == 0 : pick(p, m->one_of) == 0)
        {
            if (m->move)
                m->move(p, i);
            else
                set_box(p, i, m->make(p));
        }
        if (pick(p, 150) == 0)
            set_box(p, i, aabb_empty());
        if (pick(p, 150) == 0 && !keep_traits)
            random_traits(p, i);
        if (pick(p, 300) == 0)
            p->has_changed[i] = true; /* it has not, which does no harm */
    }
    if (p->frame % 64 == 50) /* now and then everything is elsewhere */
        for (uint32_t i = 0; i < p->count; i++)
            set_box(p, i, pick(p, 10) ? m->make(p) : aabb_empty());
    if (pick(p, 12) == 0)
        choose_margin(p, m);
}

static broad_input input_of(play *p)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->count; i++)
        if (p->has_changed[i])
            p->changed[count++] = i;
    return (broad_input){.boxes = p->boxes,
                         .traits = p->traits,
                         .slot_count = p->count,
                         .changed = p->changed,
                         .changed_count = count,
                         .same_traits = !p->new_traits,
                         .distinct_owners = p->distinct_owners,
                         .margin = p->margin};
}

/* ---- broad phases ---- */

typedef struct phases
{
    carom_context *context;
    const broad_kind *kind[MAX_KINDS];
    void *state[MAX_KINDS];
    uint32_t count;
    broad_pairs truth, pairs, space;
} phases;

/* All but `all`; brute force is the first. */
static void open_phases(phases *all, carom_context *context)
{
    *all = (phases){.context = context};
    all->kind[all->count++] = &broad_brute;
    for (uint32_t i = 0; broad_find(i); i++)
        if (broad_find(i) != &broad_brute && broad_find(i) != &broad_all)
        {
            assert_true(all->count < MAX_KINDS);
            all->kind[all->count++] = broad_find(i);
        }
    for (uint32_t i = 0; i < all->count; i++)
        assert_int_equal(all->kind[i]->create(context, &all->state[i]), CAROM_OK);
}

static void close_phases(phases *all)
{
    for (uint32_t i = 0; i < all->count; i++)
        all->kind[i]->destroy(all->state[i]);
    base_array_free(all->context, &all->truth);
    base_array_free(all->context, &all->pairs);
    base_array_free(all->context, &all->space);
}

static void sort_pairs(phases *all, broad_pairs *pairs)
{
    all->space.count = 0;
    assert_true(base_array_reserve(all->context, &all->space, pairs->count));
    base_sort_u64(pairs->items, all->space.items, pairs->count);
}

/* The pairs that a broad phase without a past finds, sorted. */
static void find_alone(phases *all, const broad_kind *kind, const broad_input *input, broad_pairs *pairs)
{
    void *state;
    uint64_t tested = 0;
    assert_int_equal(kind->create(all->context, &state), CAROM_OK);
    assert_int_equal(kind->find_pairs(state, input, pairs, &tested), CAROM_OK);
    kind->destroy(state);
    sort_pairs(all, pairs);
}

/* The first pair that is in one list only. */
static void fail_of(const phases *all, uint32_t k, const motion *m, const play *p)
{
    size_t at = 0;
    while (at < all->truth.count && at < all->pairs.count && all->truth.items[at] == all->pairs.items[at])
        at++;
    bool misses = at == all->pairs.count || (at < all->truth.count && all->truth.items[at] < all->pairs.items[at]);
    uint64_t pair = misses ? all->truth.items[at] : all->pairs.items[at];
    uint32_t slots[2] = {(uint32_t)(pair >> 32), (uint32_t)pair};
    for (int i = 0; i < 2; i++)
    {
        const carom_aabb *box = &p->boxes[slots[i]];
        print_message("box %u: (%.17g, %.17g, %.17g) to (%.17g, %.17g, %.17g)\n", slots[i], box->min.x, box->min.y,
                      box->min.z, box->max.x, box->max.y, box->max.z);
    }
    fail_msg("%s, frame %u, margin %g: %s %s boxes %u and %u", m->name, p->frame, p->margin, all->kind[k]->info.name,
             misses                                       ? "misses"
             : at > 0 && all->pairs.items[at - 1] == pair ? "repeats"
                                                          : "pairs",
             slots[0], slots[1]);
}

static size_t check_frame(phases *all, const motion *m, play *p)
{
    broad_input input = input_of(p);
    uint64_t tested = 0;
    assert_int_equal(all->kind[0]->find_pairs(all->state[0], &input, &all->truth, &tested), CAROM_OK);
    sort_pairs(all, &all->truth);
    for (uint32_t k = 1; k < all->count; k++)
    {
        assert_int_equal(all->kind[k]->find_pairs(all->state[k], &input, &all->pairs, &tested), CAROM_OK);
        sort_pairs(all, &all->pairs);
        if (all->pairs.count != all->truth.count ||
            (all->truth.count > 0 &&
             memcmp(all->pairs.items, all->truth.items, all->truth.count * sizeof *all->truth.items) != 0))
            fail_of(all, k, m, p);
    }
    memset(p->has_changed, 0, sizeof p->has_changed);
    p->new_traits = false;
    return all->truth.count;
}

static void run(carom_context *context, const motion *m, uint32_t max_count, uint32_t frames)
{
    play *p = malloc(sizeof *p);
    phases all;
    size_t pairs = 0;
    assert_non_null(p);
    open_phases(&all, context);
    start(p, m, max_count, max_count + frames);
    for (uint32_t frame = 0; frame < frames; frame++)
    {
        pairs += check_frame(&all, m, p);
        change(p, m);
    }
    assert_true(pairs > (max_count < 100 ? frames / 4 : frames)); /* there is something to find */
    close_phases(&all);
    free(p);
}

/* ---- tests ---- */

static uint32_t scaled(uint32_t frames)
{
    const char *scale = getenv("CAROM_TEST_SCALE");
    return frames * (scale ? (uint32_t)strtoul(scale, NULL, 10) : 1);
}

static carom_context *open_context(uint32_t workers)
{
    carom_context_def def = carom_context_def_default();
    carom_context *context;
    def.workers = workers;
    assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
    return context;
}

static void few_boxes(void **state)
{
    (void)state;
    carom_context *context = open_context(0);
    for (size_t i = 0; i < sizeof MOTIONS / sizeof *MOTIONS; i++)
    {
        run(context, &MOTIONS[i], 12, scaled(100));
        run(context, &MOTIONS[i], 200, scaled(100));
        run(context, &MOTIONS[i], 201, scaled(100)); /* odd: with owners of their own */
    }
    carom_context_destroy(context);
}

static void many_boxes(void **state)
{
    (void)state;
    carom_context *context = open_context(3);
    for (size_t i = 0; i < sizeof MOTIONS / sizeof *MOTIONS; i++)
        run(context, &MOTIONS[i], MOTIONS[i].make == make_same ? 400 : 2501, scaled(16));
    carom_context_destroy(context);
}

/* ---- long boxes, so many that groups of neighbours meet hundreds of others: the tree sweeps them by classes. Brute
 * force would take too long, so `sweep` is next to it. */

typedef struct crowd
{
    carom_aabb *boxes;
    broad_traits *traits;
    uint32_t *changed;
    uint32_t count;
    check_random random;
} crowd;

static carom_aabb make_long(crowd *all, uint32_t i)
{
    double size[3] = {0.001, 0.001, 0.001};
    size[check_next(&all->random) % 3] = 150.0;
    if (i % 1500 == 7)
        return (carom_aabb){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    return box_at(check_random_point(&all->random, 0.0, 100.0), size[0], size[1], size[2]);
}

/* of_classes: every third box is static, a few filters, and two boxes for some owners. */
static crowd make_crowd(uint32_t count, bool of_classes)
{
    crowd all = {.count = count, .random = {7}};
    all.boxes = malloc(count * sizeof *all.boxes);
    all.traits = malloc(count * sizeof *all.traits);
    all.changed = malloc(count * sizeof *all.changed);
    assert_true(all.boxes && all.traits && all.changed);
    for (uint32_t i = 0; i < count; i++)
    {
        all.boxes[i] = make_long(&all, i);
        all.traits[i] = (broad_traits){.owner = i + 1, .filter = {1, 1, 0}};
        if (of_classes)
            all.traits[i] = (broad_traits){i / 50 * 50 == i ? i + 2 : i + 1, i % 3 == 0, {1 + i % 2, 1 + i % 5, i % 7}};
    }
    return all;
}

static void free_crowd(crowd *all)
{
    free(all->boxes);
    free(all->traits);
    free(all->changed);
}

static void check_crowd(phases *both, size_t expected)
{
    assert_true(both->truth.count > expected);
    assert_int_equal(both->pairs.count, both->truth.count);
    assert_memory_equal(both->pairs.items, both->truth.items, both->truth.count * sizeof *both->truth.items);
}

static void crowded_boxes(void **state)
{
    (void)state;
    carom_context *context = open_context(0);
    crowd all = make_crowd(60001, false);
    broad_input input = {.boxes = all.boxes, .traits = all.traits, .slot_count = all.count};
    phases both = {.context = context};
    find_alone(&both, &broad_sweep, &input, &both.truth);
    find_alone(&both, &broad_tree, &input, &both.pairs);
    check_crowd(&both, 10 * (size_t)all.count - 100);
    close_phases(&both);
    free_crowd(&all);
    carom_context_destroy(context);
}

/* Moves four of five boxes that are not static, and empties a few. */
static uint32_t move_crowd(crowd *all)
{
    uint32_t changed = 0;
    for (uint32_t i = 0; i < all->count; i++)
    {
        if (all->traits[i].is_static || i % 5 == 1)
            continue;
        all->boxes[i] = check_next(&all->random) % 100 ? make_long(all, i) : aabb_empty();
        all->changed[changed++] = i;
    }
    return changed;
}

/* Some of them static, at rest or empty, with filters and a margin, on several workers. */
static void crowds_that_move(void **state)
{
    (void)state;
    static const double MARGINS[] = {0.0, 0.0, 0.002};
    for (uint32_t workers = 0; workers < 4; workers += 3)
    {
        carom_context *context = open_context(workers);
        crowd all = make_crowd(14001, true);
        phases both = {.context = context};
        void *tree;
        uint64_t tested = 0;
        assert_int_equal(broad_tree.create(context, &tree), CAROM_OK);
        uint32_t changed = 0;
        for (int frame = 0; frame < 12; frame++)
        {
            broad_input input = {.boxes = all.boxes,
                                 .traits = all.traits,
                                 .slot_count = all.count,
                                 .changed = all.changed,
                                 .changed_count = changed,
                                 .same_traits = frame > 0,
                                 .margin = MARGINS[frame / 4]};
            find_alone(&both, &broad_sweep, &input, &both.truth);
            assert_int_equal(broad_tree.find_pairs(tree, &input, &both.pairs, &tested), CAROM_OK);
            sort_pairs(&both, &both.pairs);
            check_crowd(&both, all.count);
            changed = move_crowd(&all);
        }
        assert_non_null(((const tree_state *)tree)->split); /* it was swept */
        broad_tree.destroy(tree);
        close_phases(&both);
        free_crowd(&all);
        carom_context_destroy(context);
    }
}

/* The pairs of boxes at rest come first, and sorted. */
static void pairs_at_rest_are_sorted(void **state)
{
    (void)state;
    carom_context *context = open_context(0);
    play *p = malloc(sizeof *p);
    broad_pairs pairs = {0};
    void *tree;
    uint64_t tested = 0;
    assert_non_null(p);
    start(p, &MOTIONS[0], 500, 3);
    assert_int_equal(broad_tree.create(context, &tree), CAROM_OK);
    bool sorted = false;
    for (int call = 0; call < 40; call++)
    {
        broad_input input = input_of(p);
        assert_int_equal(broad_tree.find_pairs(tree, &input, &pairs, &tested), CAROM_OK);
        memset(p->has_changed, 0, sizeof p->has_changed);
        sorted = true;
        for (size_t i = 1; i < pairs.count; i++)
            sorted = sorted && pairs.items[i - 1] < pairs.items[i];
        assert_true(pairs.count > 40 && (call > 0 || !sorted));
    }
    assert_true(sorted);
    broad_tree.destroy(tree);
    base_array_free(context, &pairs);
    free(p);
    carom_context_destroy(context);
}

/* A long quiet time, in which caches live long. */
static void a_long_time(void **state)
{
    (void)state;
    carom_context *context = open_context(0);
    run(context, &MOTIONS[1], 100, scaled(2000));
    carom_context_destroy(context);
}

/* Each allocation of a first call and of one with many more boxes fails once; the call after that is right. */
static void check_failure(const broad_kind *kind, play *p, uint64_t k, bool *failed)
{
    failing memory = {0};
    carom_context *context;
    void *phase;
    uint64_t tested = 0;
    broad_pairs pairs = {0}, truth = {0};
    assert_int_equal(failing_context(&memory, &context), CAROM_OK);
    phases brute = {.context = context};
    failing_arm(&memory, k);
    carom_status status = kind->create(context, &phase);
    *failed = memory.failed;
    assert_int_equal(status, memory.failed ? CAROM_OUT_OF_MEMORY : CAROM_OK);
    if (status != CAROM_OK)
        assert_null(phase);
    for (int call = 0; call < 2 && status == CAROM_OK; call++)
    {
        broad_input input = input_of(p);
        input.slot_count = call ? p->count : p->count / 8;
        input.changed_count = call ? input.changed_count : 0;
        status = kind->find_pairs(phase, &input, &pairs, &tested);
        assert_int_equal(status, memory.failed && !*failed ? CAROM_OUT_OF_MEMORY : CAROM_OK);
        *failed = memory.failed;
        uint64_t requests = memory.requests;
        memory.fail_at = 0; /* not in what follows */
        if (status != CAROM_OK)
            assert_int_equal(kind->find_pairs(phase, &input, &pairs, &tested), CAROM_OK);
        status = CAROM_OK;
        find_alone(&brute, &broad_brute, &input, &truth);
        assert_int_equal(pairs.count, truth.count);
        memory.fail_at = *failed ? 0 : k, memory.requests = requests;
    }
    if (phase)
        kind->destroy(phase);
    base_array_free(context, &pairs);
    base_array_free(context, &truth);
    close_phases(&brute);
    carom_context_destroy(context);
    assert_int_equal(memory.bytes_out, 0);
}

static void check_failures(const broad_kind *kind, play *p)
{
    bool failed = true;
    uint64_t k = 1;
    for (; failed; k++)
        check_failure(kind, p, k, &failed);
    assert_true(k > 2);
}

/* Does the tree sweep them by classes? */
static bool is_swept(play *p)
{
    carom_context *context = open_context(0);
    broad_input input = input_of(p);
    broad_pairs pairs = {0};
    void *tree;
    uint64_t tested = 0;
    assert_int_equal(broad_tree.create(context, &tree), CAROM_OK);
    assert_int_equal(broad_tree.find_pairs(tree, &input, &pairs, &tested), CAROM_OK);
    bool swept = ((const tree_state *)tree)->split != NULL;
    broad_tree.destroy(tree);
    base_array_free(context, &pairs);
    carom_context_destroy(context);
    return swept;
}

static void memory_fails_anywhere(void **state)
{
    (void)state;
    play *p = malloc(sizeof *p);
    assert_non_null(p);
    start(p, &MOTIONS[6], 600, 1);
    p->count = 600;
    for (uint32_t i = 0; i < p->count; i++)
        set_box(p, i, make_mixed(p));
    for (uint32_t i = 0; broad_find(i); i++)
        if (broad_find(i) != &broad_all)
            check_failures(broad_find(i), p);
    assert_false(is_swept(p));
    start(p, &MOTIONS[5], 4000, 2);
    p->count = 4000;
    for (uint32_t i = 0; i < p->count; i++)
    {
        double size[3] = {0.01, 0.01, 0.01};
        size[pick(p, 3)] = 100.0;
        carom_vec3 half = {0.5 * size[0], 0.5 * size[1], 0.5 * size[2]}; /* all have their centres in one cube */
        set_box(p, i, box_at(vec3_sub(check_random_point(&p->random, 0.0, 30.0), half), size[0], size[1], size[2]));
    }
    assert_true(is_swept(p));
    check_failures(&broad_tree, p);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_boxes),
        cmocka_unit_test(many_boxes),
        cmocka_unit_test(crowded_boxes),
        cmocka_unit_test(crowds_that_move),
        cmocka_unit_test(pairs_at_rest_are_sorted),
        cmocka_unit_test(a_long_time),
        cmocka_unit_test(memory_fails_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
