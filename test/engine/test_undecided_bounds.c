/* Bounds of pairs that a budget left undecided: never above the exact distance, which the engine `brute` finds triangle
 * by triangle; tighter than boxes around whole bodies where a search had begun; and never lower than before while a
 * search goes on. */
#include "engine/engine.h"
#include "query/world.h"

enum
{
    BODIES = 24,
    KINDS = 4
};
static const double CLEARANCE = 0.5;

typedef struct crowd
{
    carom_mesh *meshes[KINDS];
    carom_tree *trees[KINDS]; /* or null: the default one */
    carom_scene *scene;
} crowd;

/* Bodies so far apart that most of those whose boxes are close do not meet. Layouts: 0 default trees, 1 trees of
 * k-DOPs, 2 both. */
static crowd open_crowd(const world *w, uint64_t seed, int layout, double offset)
{
    static const generate_kind shapes[KINDS] = {GENERATE_TORUS_KNOT, GENERATE_BLOB, GENERATE_TORUS, GENERATE_GEAR};
    crowd out = {0};
    check_random random = {.state = seed};
    assert_int_equal(carom_scene_create(w->context, &out.scene), CAROM_OK);
    for (int i = 0; i < KINDS; i++)
    {
        generate_def def = generate_def_default(shapes[i]);
        def.triangles = 300;
        assert_int_equal(generate_mesh(w->context, &def, &out.meshes[i]), CAROM_OK);
        carom_tree_def tree = carom_tree_def_default();
        tree.layout = CAROM_LAYOUT_BINARY, tree.volume = i % 2 ? CAROM_VOLUME_KDOP18 : CAROM_VOLUME_OBB;
        if (layout == 1 || (layout == 2 && i % 2 == 0))
            assert_int_equal(carom_tree_create(w->context, out.meshes[i], &tree, &out.trees[i]), CAROM_OK);
    }
    for (int i = 0; i < BODIES; i++)
    {
        carom_body_def def = carom_body_def_default();
        int kind = i % KINDS;
        carom_pose pose = world_random_pose(&random, 1.8);
        pose.translation.x += offset;
        def.placed.shape = out.trees[kind] ? carom_shape_tree(out.trees[kind]) : carom_shape_mesh(out.meshes[kind]);
        def.placed.pose = pose;
        carom_body_id id;
        assert_int_equal(carom_scene_add(out.scene, &def, &id), CAROM_OK);
    }
    return out;
}

static void close_crowd(crowd *c)
{
    carom_scene_destroy(c->scene);
    for (int i = 0; i < KINDS; i++)
    {
        carom_tree_destroy(c->trees[i]);
        carom_mesh_destroy(c->meshes[i]);
    }
}

static uint64_t key_of(const carom_body_pair *pair) { return (uint64_t)pair->body_a.index * 64 + pair->body_b.index; }

/* The exact distances up to the clearance; those of other pairs are not below it. */
static void find_truth(const world *w, const carom_frame *frame, double out[64 * 64])
{
    carom_engine *brute;
    carom_scene_report report;
    const carom_collide_options options = {.mode = CAROM_COLLIDE_COUNT, .clearance = CLEARANCE};
    assert_int_equal(carom_engine_create(w->context, &(carom_engine_def){.engine = "brute"}, &brute), CAROM_OK);
    assert_int_equal(carom_engine_run(brute, frame, &options, &report), CAROM_OK);
    for (int i = 0; i < 64 * 64; i++)
        out[i] = INFINITY;
    for (uint64_t i = 0; i < report.body_pair_count; i++)
        out[key_of(&report.body_pairs[i])] = report.body_pairs[i].distance;
    carom_engine_destroy(brute);
}

static double gap_of_bodies(const carom_frame *frame, const carom_body_pair *pair)
{
    const carom_aabb *a = &carom_frame_find(frame, pair->body_a)->bounds;
    const carom_aabb *b = &carom_frame_find(frame, pair->body_b)->bounds;
    double x = fmax(0.0, fmax(a->min.x - b->max.x, b->min.x - a->max.x));
    double y = fmax(0.0, fmax(a->min.y - b->max.y, b->min.y - a->max.y));
    double z = fmax(0.0, fmax(a->min.z - b->max.z, b->min.z - a->max.z));
    return sqrt(x * x + y * y + z * z);
}

typedef struct counts
{
    uint64_t undecided, apart, tighter, risen;
    double missing; /* sum over pairs that are apart: of what there is to know beyond bounds */
} counts;

/* The bounds of one report; `before` holds those of the last one. */
static void check_bounds(const carom_frame *frame, const carom_scene_report *report, const double truth[64 * 64],
                         double before[64 * 64], counts *out)
{
    for (uint64_t i = 0; i < report->body_pair_count; i++)
    {
        const carom_body_pair *pair = &report->body_pairs[i];
        double bound = pair->distance_bound, distance = truth[key_of(pair)], *last = &before[key_of(pair)];
        if (pair->status != CAROM_UNKNOWN)
            continue;
        double limit = distance < INFINITY ? distance : fmax(CLEARANCE, gap_of_bodies(frame, pair));
        if (!(bound >= 0.0 && bound <= limit))
            fail_msg("bodies %u and %u: bound %.17g, distance %.17g", pair->body_a.index, pair->body_b.index, bound,
                     distance);
        if (bound < *last)
            fail_msg("bodies %u and %u: the bound was %.17g, now %.17g", pair->body_a.index, pair->body_b.index, *last,
                     bound);
        out->undecided++;
        out->tighter += bound > gap_of_bodies(frame, pair);
        out->risen += *last > 0.0 && bound > *last;
        if (distance > 0.0)
            out->apart++, out->missing += fmin(distance, CLEARANCE) - fmin(bound, CLEARANCE);
        *last = bound;
    }
}

/* Runs that go on with the same frame, each with so much work, until everything is decided. */
static void run_on(const world *w, const carom_frame *frame, uint64_t work, const double truth[64 * 64], counts *out)
{
    carom_engine *engine;
    carom_scene_report report;
    double before[64 * 64] = {0};
    const carom_collide_options options = {.mode = CAROM_COLLIDE_COUNT, .clearance = CLEARANCE, .budget.work = work};
    assert_int_equal(carom_engine_create(w->context, NULL, &engine), CAROM_OK);
    for (int runs = 0; carom_engine_run(engine, frame, &options, &report) == CAROM_UNKNOWN; runs++)
    {
        assert_true(runs < 10000);
        check_bounds(frame, &report, truth, before, out);
    }
    assert_int_equal(report.status, CAROM_OK);
    carom_engine_destroy(engine);
}

static void bounds_hold_and_rise(void **state)
{
    (void)state;
    world w = world_open();
    static double truth[64 * 64];
    for (int layout = 0; layout < 3; layout++)
    {
        counts counts = {0};
        for (int round = 0; round < 18; round++)
        {
            crowd c = open_crowd(&w, 100 + (uint64_t)round, layout, round % 3 == 2 ? 1e6 : 0.0);
            carom_frame frame;
            assert_int_equal(carom_scene_frame(c.scene, &frame), CAROM_OK);
            find_truth(&w, &frame, truth);
            run_on(&w, &frame, round % 2 ? 4000 : 16000, truth, &counts);
            close_crowd(&c);
        }
        print_message("layout %d: %lu undecided, %lu of them apart, %lu tighter than boxes, %lu risen\n", layout,
                      (unsigned long)counts.undecided, (unsigned long)counts.apart, (unsigned long)counts.tighter,
                      (unsigned long)counts.risen);
        assert_true(counts.apart > 1500 && counts.tighter > 300 && counts.risen > 60);
    }
    world_close(&w);
}

/* What all bounds together lack with a budget of work, of pairs that are apart; of those that are decided, nothing. */
static double missing_with(const world *w, const carom_frame *frame, uint64_t work, const double truth[64 * 64])
{
    counts counts = {0};
    double before[64 * 64] = {0};
    carom_engine *engine;
    carom_scene_report report;
    const carom_collide_options options = {.mode = CAROM_COLLIDE_COUNT, .clearance = CLEARANCE, .budget.work = work};
    assert_int_equal(carom_engine_create(w->context, NULL, &engine), CAROM_OK);
    assert_int_equal(carom_engine_run(engine, frame, &options, &report), CAROM_UNKNOWN);
    check_bounds(frame, &report, truth, before, &counts);
    assert_true(counts.apart > 0);
    carom_engine_destroy(engine);
    return counts.missing;
}

static void more_work_gives_more(void **state)
{
    (void)state;
    world w = world_open();
    static double truth[64 * 64];
    crowd c = open_crowd(&w, 7, 0, 0.0);
    carom_frame frame;
    assert_int_equal(carom_scene_frame(c.scene, &frame), CAROM_OK);
    find_truth(&w, &frame, truth);
    double first = missing_with(&w, &frame, 2000, truth), last = first;
    for (uint64_t work = 4000; work <= 32000; work *= 2)
    {
        double missing = missing_with(&w, &frame, work, truth);
        print_message("work %lu: %.3f missing\n", (unsigned long)work, missing);
        assert_true(missing < last);
        last = missing;
    }
    assert_true(last < 0.5 * first);
    close_crowd(&c);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_hold_and_rise),
        cmocka_unit_test(more_work_gives_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
