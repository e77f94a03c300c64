/* carom_collide and carom_distance against the obvious loop over all triangle pairs, and the promises of their options.
 */
#include "narrow/narrow.h"
#include "query/query.h"
#include "query/world.h"
#include "support/placed.h"

typedef struct truth
{
    uint64_t count;
    bool crossing;
    uint64_t first; /* packed */
    narrow_closest closest;
} truth;

static truth find_truth(const carom_placed *a, const carom_placed *b)
{
    truth t = {.closest = {.distance = INFINITY, .triangle_a = CAROM_NO_TRIANGLE, .triangle_b = CAROM_NO_TRIANGLE},
               .first = UINT64_MAX};
    narrow_counts counts = {0};
    for (uint32_t i = 0; i < a->shape.mesh->triangle_count; i++)
        for (uint32_t j = 0; j < b->shape.mesh->triangle_count; j++)
        {
            narrow_triangle ta = placed_triangle(a, i), tb = placed_triangle(b, j);
            uint32_t meeting = narrow_meet(&ta, &tb, &counts);
            if (meeting && t.count++ == 0)
                t.first = query_pack(i, j, meeting);
            t.crossing |= (meeting & CAROM_MEET_CROSSING) != 0;
            narrow_offer(&t.closest, &ta, &tb, (carom_pair){i, j, 0}, &counts);
        }
    narrow_closest_settle(&t.closest, &counts);
    return t;
}

typedef struct fixture
{
    world w;
    carom_mesh *torus, *knot;
    carom_placed a, b;
} fixture;

static fixture open_fixture(void)
{
    fixture f = {.w = world_open()};
    f.torus = world_shape(&f.w, GENERATE_TORUS, 200);
    f.knot = world_shape(&f.w, GENERATE_TORUS_KNOT, 300);
    f.a = world_place(f.torus, 0, 0, 0);
    f.b = world_place(f.knot, 0.3, 0.1, 0.05);
    return f;
}

static void close_fixture(fixture *f)
{
    carom_mesh_destroy(f->torus);
    carom_mesh_destroy(f->knot);
    world_close(&f->w);
}

static void every_mode_agrees_with_all_pairs(void **state)
{
    (void)state;
    fixture f = open_fixture();
    check_random random = {.state = 7};
    int meeting = 0, apart = 0;
    for (int i = 0; i < 40; i++)
    {
        f.a.pose = world_random_pose(&random, 0.0);
        f.b.pose = world_random_pose(&random, 0.9);
        truth t = find_truth(&f.a, &f.b);
        t.count ? meeting++ : apart++;
        carom_report report;
        carom_collide_options options = carom_collide_options_default();
        assert_int_equal(carom_collide(f.w.query, &f.a, &f.b, NULL, &report), CAROM_OK);
        assert_int_equal(report.pair_count, t.count);
        assert_int_equal(report.pairs_listed, t.count);
        for (uint64_t k = 1; k < report.pairs_listed; k++)
            assert_true(query_pack(report.pairs[k - 1].triangle_a, report.pairs[k - 1].triangle_b, 0) <
                        query_pack(report.pairs[k].triangle_a, report.pairs[k].triangle_b, 0));
        if (t.count)
            assert_int_equal(
                query_pack(report.pairs[0].triangle_a, report.pairs[0].triangle_b, report.pairs[0].meeting), t.first);
        assert_int_equal(report.relation, t.count > 0 ? CAROM_RELATION_UNKNOWN : CAROM_RELATION_APART);
        uint64_t hash = report.hash;
        assert_int_equal(carom_collide(f.w.query, &f.a, &f.b, NULL, &report), CAROM_OK);
        assert_int_equal(report.hash, hash);

        options.mode = CAROM_COLLIDE_COUNT;
        assert_int_equal(carom_collide(f.w.query, &f.a, &f.b, &options, &report), CAROM_OK);
        assert_int_equal(report.pair_count, t.count);
        assert_int_equal(report.pairs_listed, 0);
        options.mode = CAROM_COLLIDE_ANY;
        assert_int_equal(carom_collide(f.w.query, &f.a, &f.b, &options, &report), CAROM_OK);
        assert_int_equal(report.pair_count, t.count > 0);
        assert_int_equal(report.relation, t.count > 0 ? CAROM_RELATION_UNKNOWN : CAROM_RELATION_APART);

        assert_int_equal(carom_distance(f.w.query, &f.a, &f.b, NULL, &report), CAROM_OK);
        assert_true(report.distance == t.closest.distance && report.distance_bound == t.closest.gap.length.below);
        assert_true((report.distance == 0.0) == (t.count > 0));
        assert_int_equal(report.triangle_a, t.closest.triangle_a);
        assert_int_equal(report.triangle_b, t.closest.triangle_b);
        carom_vec3 between = vec3_sub(report.point_a, report.point_b);
        check_near(vec3_length(between), report.distance, 1e-12);
    }
    assert_true(meeting >= 5 && apart >= 5);
    close_fixture(&f);
}

static void limits_list_the_smallest_pairs(void **state)
{
    (void)state;
    fixture f = open_fixture();
    carom_report report;
    assert_int_equal(carom_collide(f.w.query, &f.a, &f.b, NULL, &report), CAROM_OK);
    uint64_t count = report.pair_count;
    assert_true(count > 20);
    carom_pair *all = malloc(count * sizeof *all);
    memcpy(all, report.pairs, count * sizeof *all);
    for (uint64_t limit = 1; limit < count + 2; limit++)
    {
        carom_collide_options options = carom_collide_options_default();
        options.max_pairs = limit;
        options.relation = limit % 2 == 0;
        carom_status expected = limit < count ? CAROM_TRUNCATED : CAROM_OK;
        assert_int_equal(carom_collide(f.w.query, &f.a, &f.b, &options, &report), expected);
        assert_int_equal(report.status, expected);
        assert_int_equal(report.pair_count, count);
        assert_int_equal(report.pairs_listed, limit < count ? limit : count);
        assert_memory_equal(report.pairs, all, report.pairs_listed * sizeof *all);
    }
    free(all);
    close_fixture(&f);
}

typedef struct stream
{
    uint64_t seen, stop_after, sum;
} stream;

static bool take_streamed(const carom_pair *pair, void *user)
{
    stream *s = user;
    s->sum += query_pack(pair->triangle_a, pair->triangle_b, pair->meeting);
    return ++s->seen != s->stop_after;
}

static void streams_carry_every_pair_and_stop(void **state)
{
    (void)state;
    fixture f = open_fixture();
    carom_report report;
    assert_int_equal(carom_collide(f.w.query, &f.a, &f.b, NULL, &report), CAROM_OK);
    uint64_t sum = 0, count = report.pair_count;
    for (uint64_t i = 0; i < count; i++)
        sum += query_pack(report.pairs[i].triangle_a, report.pairs[i].triangle_b, report.pairs[i].meeting);

    stream s = {0};
    carom_collide_options options = carom_collide_options_default();
    options.on_pair = take_streamed, options.on_pair_user = &s;
    assert_int_equal(carom_collide(f.w.query, &f.a, &f.b, &options, &report), CAROM_OK);
    assert_int_equal(s.seen, count);
    assert_int_equal(s.sum, sum);
    assert_int_equal(report.pairs_listed, 0);
    assert_int_equal(report.pair_count, count);

    s = (stream){.stop_after = 3};
    assert_int_equal(carom_collide(f.w.query, &f.a, &f.b, &options, &report), CAROM_STOPPED);
    assert_int_equal(s.seen, 3);
    assert_int_equal(report.status, CAROM_STOPPED);
    close_fixture(&f);
}

static void contacts_lie_on_both_triangles(void **state)
{
    (void)state;
    fixture f = open_fixture();
    carom_collide_options options = carom_collide_options_default();
    options.contacts = true;
    carom_report report;
    assert_int_equal(carom_collide(f.w.query, &f.a, &f.b, &options, &report), CAROM_OK);
    assert_int_equal(report.contact_count, report.pair_count);
    uint64_t points = 0;
    narrow_counts counts = {0};
    for (uint64_t i = 0; i < report.contact_count; i++)
    {
        carom_contact contact = report.contacts[i];
        assert_int_equal(contact.pair, i);
        assert_int_equal(contact.first_point, points);
        assert_in_range(contact.point_count, 1, 6);
        narrow_triangle a = placed_triangle(&f.a, report.pairs[i].triangle_a);
        narrow_triangle b = placed_triangle(&f.b, report.pairs[i].triangle_b);
        for (uint32_t k = 0; k < contact.point_count; k++)
        {
            carom_vec3 p = report.points[contact.first_point + k];
            narrow_triangle as_triangle = {{p, p, p}};
            check_near(narrow_distance(&as_triangle, &a, &counts).distance, 0.0, 1e-12);
            check_near(narrow_distance(&as_triangle, &b, &counts).distance, 0.0, 1e-12);
        }
        points += contact.point_count;
    }
    assert_int_equal(points, report.point_count);
    close_fixture(&f);
}

static void clearance_and_within_follow_the_distance(void **state)
{
    (void)state;
    fixture f = open_fixture();
    check_random random = {.state = 11};
    carom_mesh *torus = world_shape(&f.w, GENERATE_TORUS, 1000);
    for (int i = 0; i < 40; i++)
    {
        f.a.shape.mesh = i % 2 ? torus : f.torus; /* large enough for the quick rejection test, or not */
        f.b.pose = world_random_pose(&random, i % 4 < 2 ? 1.2 : 3.0);
        carom_report report;
        assert_int_equal(carom_distance(f.w.query, &f.a, &f.b, NULL, &report), CAROM_OK);
        /* no double lies between the two bounds, and no distance of turned bodies is one */
        double distance = report.distance, below = report.distance_bound;
        exact_length length = {distance, below, below == 0.0};
        assert_true(distance == below || distance == nextafter(below, INFINITY));
        const double limits[] = {below, nextafter(below, INFINITY), nextafter(below, 0.0), 0.5, 1e-3};
        for (int k = 0; k < 5; k++)
        {
            double limit = limits[k];
            bool within;
            assert_int_equal(carom_within(f.w.query, &f.a, &f.b, limit, &within), CAROM_OK);
            bool reached = narrow_length_sign(&length, limit) <= 0;
            assert_int_equal(within, reached);
            if (!(limit > 0.0))
                continue;
            for (int mode = CAROM_COLLIDE_ANY; mode <= CAROM_COLLIDE_ALL; mode++)
            {
                carom_collide_options options = {.mode = (carom_collide_mode)mode, .clearance = limit};
                assert_int_equal(carom_collide(f.w.query, &f.a, &f.b, &options, &report), CAROM_OK);
                assert_int_equal(report.clearance_violated, below < limit);
                assert_true(report.distance_bound <= below);
            }
            carom_distance_options bounded = {.upper_bound = limit};
            assert_int_equal(carom_distance(f.w.query, &f.a, &f.b, &bounded, &report), CAROM_OK);
            assert_true(report.distance == (reached ? distance : INFINITY));
            assert_true(report.distance_bound == (reached ? below : limit));
        }
    }
    carom_mesh_destroy(torus);
    close_fixture(&f);
}

/* Whatever the work budget, what is said is true: counts and bounds never exceed the truth. */
static void budgets_are_honest(void **state)
{
    (void)state;
    fixture f = open_fixture();
    int unknown = 0, decided = 0;
    for (int apart = 0; apart < 2; apart++)
    {
        f.b.pose = carom_pose_translation(apart ? 1.2 : 0.3, 0.1, 0.05);
        carom_report truth, report;
        assert_int_equal(carom_collide(f.w.query, &f.a, &f.b, NULL, &truth), CAROM_OK);
        uint64_t count = truth.pair_count;
        assert_int_equal(carom_distance(f.w.query, &f.a, &f.b, NULL, &truth), CAROM_OK);
        for (uint64_t work = 1; work < 400000; work = work < 200 ? work + 1 : work + work / 3)
        {
            carom_collide_options options = {.mode = CAROM_COLLIDE_ALL, .relation = true, .budget = {.work = work}};
            carom_status status = carom_collide(f.w.query, &f.a, &f.b, &options, &report);
            assert_int_equal(report.status, status);
            if (status == CAROM_OK)
                assert_int_equal(report.pair_count, count), decided++;
            else
            {
                assert_int_equal(status, CAROM_UNKNOWN), unknown++;
                assert_true(report.pair_count <= count);
                assert_true(report.relation == CAROM_RELATION_UNKNOWN || report.relation == CAROM_RELATION_OVERLAPPING);
            }
            assert_true(report.distance_bound <= truth.distance);

            options.mode = CAROM_COLLIDE_ANY, options.relation = false;
            status = carom_collide(f.w.query, &f.a, &f.b, &options, &report);
            if (status == CAROM_OK)
                assert_int_equal(report.pair_count, count > 0);
            else
                assert_int_equal(report.relation, CAROM_RELATION_UNKNOWN);

            carom_distance_options bounded = {.budget = {.work = work}};
            status = carom_distance(f.w.query, &f.a, &f.b, &bounded, &report);
            assert_true(report.distance_bound <= truth.distance);
            assert_true(report.distance >= truth.distance);
            if (status == CAROM_OK)
                assert_true(report.distance == truth.distance && report.triangle_a == truth.triangle_a);
            else
                assert_int_equal(status, CAROM_UNKNOWN), unknown++;
        }
    }
    assert_true(unknown > 20 && decided > 20);
    close_fixture(&f);
}

static void caches_change_nothing(void **state)
{
    (void)state;
    fixture f = open_fixture();
    carom_pair_cache *cache, *exchanging;
    assert_int_equal(carom_pair_cache_create(f.w.context, &cache), CAROM_OK);
    assert_int_equal(carom_pair_cache_create(f.w.context, &exchanging), CAROM_OK);
    int hits = 0, misses = 0;
    carom_mesh *torus = world_shape(&f.w, GENERATE_TORUS, 3000), *knot = world_shape(&f.w, GENERATE_TORUS_KNOT, 5000);
    f.a.shape.mesh = torus, f.b.shape.mesh = knot; /* large enough for all that is remembered */
    check_random random = {.state = 3};
    carom_pose pose = world_random_pose(&random, 0.5);
    for (int i = 0; i < 200; i++)
    {
        /* small steps, with a jump now and then */
        pose.translation.x += check_uniform(&random, -0.02, 0.02);
        pose.translation.y += check_uniform(&random, -0.02, 0.02);
        if (i % 50 == 49)
            pose = world_random_pose(&random, 0.9);
        f.b.pose = pose;
        for (int mode = CAROM_COLLIDE_ANY; mode <= CAROM_COLLIDE_ALL; mode++)
        {
            carom_collide_options options = {.mode = (carom_collide_mode)mode, .clearance = i % 3 ? 0.0 : 0.1};
            carom_report plain, cached;
            assert_int_equal(carom_collide(f.w.query, &f.a, &f.b, &options, &plain), CAROM_OK);
            options.cache = cache;
            assert_int_equal(carom_collide(f.w.query, &f.a, &f.b, &options, &cached), CAROM_OK);
            assert_int_equal(plain.hash, cached.hash);
            *(cached.pair_count > 0 ? &hits : &misses) += 1;
        }
        carom_distance_options options = carom_distance_options_default();
        carom_report plain, cached;
        assert_int_equal(carom_distance(f.w.query, &f.a, &f.b, &options, &plain), CAROM_OK);
        options.cache = cache;
        assert_int_equal(carom_distance(f.w.query, &f.a, &f.b, &options, &cached), CAROM_OK);
        assert_int_equal(plain.hash, cached.hash);
        /* one cache for the bodies in either order: forgotten, not misused */
        options.cache = exchanging;
        assert_int_equal(carom_distance(f.w.query, &f.a, &f.b, &options, &cached), CAROM_OK);
        assert_int_equal(plain.hash, cached.hash);
        assert_int_equal(carom_distance(f.w.query, &f.b, &f.a, &options, &cached), CAROM_OK);
        assert_true(cached.distance == plain.distance);
    }
    assert_true(hits > 100 && misses > 100);
    carom_pair_cache_destroy(cache);
    carom_pair_cache_destroy(exchanging);
    carom_mesh_destroy(torus);
    carom_mesh_destroy(knot);
    close_fixture(&f);
}

/* A ring moves into another and out again: with a cache, hits and distances take fewer tests. */
static void caches_save_tests(void **state)
{
    (void)state;
    fixture f = open_fixture();
    carom_pair_cache *cache;
    assert_int_equal(carom_pair_cache_create(f.w.context, &cache), CAROM_OK);
    carom_mesh *torus = world_shape(&f.w, GENERATE_TORUS, 3000);
    f.a.shape.mesh = f.b.shape.mesh = torus;
    carom_collide_options any = {.mode = CAROM_COLLIDE_ANY};
    carom_distance_options distance = carom_distance_options_default();
    uint64_t of_hits[2] = {0, 0}, of_distances[2] = {0, 0};
    int hits = 0, misses = 0;
    for (int i = -200; i < 200; i++)
    {
        f.b.pose.translation.x = 0.01 * abs(i); /* the rings are 1 wide */
        for (int with_cache = 0; with_cache < 2; with_cache++)
        {
            carom_report report;
            any.cache = distance.cache = with_cache ? cache : NULL;
            assert_int_equal(carom_collide(f.w.query, &f.a, &f.b, &any, &report), CAROM_OK);
            of_hits[with_cache] += report.pair_count > 0 ? report.counters.boxes_tested : 0;
            *(report.pair_count > 0 ? &hits : &misses) += 1;
            assert_int_equal(carom_distance(f.w.query, &f.a, &f.b, &distance, &report), CAROM_OK);
            of_distances[with_cache] += report.distance > 0.0 ? report.counters.boxes_tested : 0;
        }
    }
    print_message("boxes tested, cold and with a cache: %llu and %llu of hits, %llu and %llu of distances\n",
                  (unsigned long long)of_hits[0], (unsigned long long)of_hits[1], (unsigned long long)of_distances[0],
                  (unsigned long long)of_distances[1]);
    assert_true(hits > 100 && misses > 100);
    assert_true(4 * of_hits[1] < 3 * of_hits[0]);
    assert_true(of_distances[1] < of_distances[0]);
    carom_pair_cache_destroy(cache);
    carom_mesh_destroy(torus);
    close_fixture(&f);
}

/* Any two trees give the answer, also those that have no common walk. */
static void trees_of_different_kinds_agree(void **state)
{
    (void)state;
    fixture f = open_fixture();
    carom_tree_def defs[5] = {carom_tree_def_preset(CAROM_TREE_FAST), carom_tree_def_preset(CAROM_TREE_TIGHT),
                              carom_tree_def_preset(CAROM_TREE_RAYS)};
    defs[3] = (carom_tree_def){.volume = CAROM_VOLUME_SPHERE, .layout = CAROM_LAYOUT_BINARY};
    defs[4] = (carom_tree_def){.volume = CAROM_VOLUME_KDOP18,
                               .layout = CAROM_LAYOUT_BINARY,
                               .builder = CAROM_BUILDER_BALANCED,
                               .balance_penalty = 0.2};
    carom_tree *a[6] = {NULL}, *b[6] = {NULL};
    for (int i = 0; i < 5; i++)
    {
        assert_int_equal(carom_tree_create(f.w.context, f.torus, &defs[i], &a[i]), CAROM_OK);
        assert_int_equal(carom_tree_create(f.w.context, f.knot, &defs[i], &b[i]), CAROM_OK);
    }
    carom_collide_options options = carom_collide_options_default();
    options.relation = options.contacts = true;
    carom_report report;
    assert_int_equal(carom_collide(f.w.query, &f.a, &f.b, &options, &report), CAROM_OK);
    uint64_t collide_hash = report.hash;
    assert_int_equal(carom_distance(f.w.query, &f.a, &f.b, NULL, &report), CAROM_OK);
    uint64_t distance_hash = report.hash;
    for (int i = 0; i < 36; i++)
    {
        f.a.shape = a[i / 6] ? pair_shape(a[i / 6]) : carom_shape_mesh(f.torus);
        f.b.shape = b[i % 6] ? pair_shape(b[i % 6]) : carom_shape_mesh(f.knot);
        bool within;
        assert_int_equal(carom_collide(f.w.query, &f.a, &f.b, &options, &report), CAROM_OK);
        assert_int_equal(report.hash, collide_hash);
        assert_int_equal(carom_distance(f.w.query, &f.a, &f.b, NULL, &report), CAROM_OK);
        assert_int_equal(report.hash, distance_hash);
        assert_int_equal(carom_within(f.w.query, &f.a, &f.b, 0.0, &within), CAROM_OK);
        assert_true(within);
    }
    for (int i = 0; i < 5; i++)
    {
        carom_tree_destroy(a[i]);
        carom_tree_destroy(b[i]);
    }
    close_fixture(&f);
}

/* A builder that puts triangles into several leaves must not show a pair twice, in any mode. */
static void repeated_triangles_count_once(void **state)
{
    (void)state;
    fixture f = open_fixture();
    carom_report report;
    assert_int_equal(carom_collide(f.w.query, &f.a, &f.b, NULL, &report), CAROM_OK);
    uint64_t count = report.pair_count, hash = report.hash;
    carom_tree_def def = {.layout = CAROM_LAYOUT_BINARY, .builder = CAROM_BUILDER_BALANCED, .leaf_size = 2};
    carom_tree *a, *b;
    assert_int_equal(carom_tree_create(f.w.context, f.torus, &def, &a), CAROM_OK);
    assert_int_equal(carom_tree_create(f.w.context, f.knot, &def, &b), CAROM_OK);
    assert_true(carom_tree_get_info(a).reference_count > f.torus->triangle_count);
    f.a.shape.tree = a, f.b.shape.tree = b;
    assert_int_equal(carom_collide(f.w.query, &f.a, &f.b, NULL, &report), CAROM_OK);
    assert_int_equal(report.hash, hash);
    carom_collide_options options = {.mode = CAROM_COLLIDE_COUNT};
    assert_int_equal(carom_collide(f.w.query, &f.a, &f.b, &options, &report), CAROM_OK);
    assert_int_equal(report.pair_count, count);
    stream s = {0};
    options = (carom_collide_options){.mode = CAROM_COLLIDE_ALL, .on_pair = take_streamed, .on_pair_user = &s};
    assert_int_equal(carom_collide(f.w.query, &f.a, &f.b, &options, &report), CAROM_OK);
    assert_int_equal(s.seen, count);
    s = (stream){.stop_after = 2};
    assert_int_equal(carom_collide(f.w.query, &f.a, &f.b, &options, &report), CAROM_STOPPED);
    assert_int_equal(s.seen, 2);
    options = (carom_collide_options){.mode = CAROM_COLLIDE_ALL, .max_pairs = 5};
    assert_int_equal(carom_collide(f.w.query, &f.a, &f.b, &options, &report), CAROM_TRUNCATED);
    assert_int_equal(report.pair_count, count);
    carom_tree_destroy(a);
    carom_tree_destroy(b);
    close_fixture(&f);
}

/* A limit also limits memory, with the relation asked for too: that needs one pair of each triangle. */
static void a_limit_bounds_memory(void **state)
{
    (void)state;
    enum
    {
        COPIES = 400
    };
    world w = world_open();
    double corners[COPIES][9];
    for (int i = 0; i < COPIES; i++)
        memcpy(corners[i], (double[9]){0, 0, 0, 1, 0, 0, 0, 1, 0}, sizeof corners[i]);
    carom_mesh *mesh = world_mesh(&w, corners[0], 3 * COPIES, NULL, COPIES);
    carom_placed placed = world_place(mesh, 0, 0, 0);
    carom_collide_options options = {.mode = CAROM_COLLIDE_ALL, .relation = true, .max_pairs = 5};
    carom_report report;
    assert_int_equal(carom_collide(w.query, &placed, &placed, &options, &report), CAROM_TRUNCATED);
    assert_int_equal(report.pair_count, COPIES * COPIES);
    assert_int_equal(report.relation, CAROM_RELATION_EQUAL);
    assert_int_equal(report.pairs_listed, 5);
    for (uint32_t i = 0; i < 5; i++)
        assert_true(report.pairs[i].triangle_a == 0 && report.pairs[i].triangle_b == i);
    options = (carom_collide_options){.mode = CAROM_COLLIDE_COUNT, .relation = true};
    assert_int_equal(carom_collide(w.query, &placed, &placed, &options, &report), CAROM_OK);
    assert_int_equal(report.pair_count, COPIES * COPIES);
    assert_int_equal(report.relation, CAROM_RELATION_EQUAL);
    assert_true(w.query->job.keys.capacity < COPIES * COPIES / 4);
    carom_mesh_destroy(mesh);
    world_close(&w);
}

static void empty_meshes_meet_nothing(void **state)
{
    (void)state;
    fixture f = open_fixture();
    carom_mesh *nothing = world_mesh(&f.w, NULL, 0, NULL, 0);
    carom_placed empty = world_place(nothing, 0, 0, 0);
    carom_collide_options options = carom_collide_options_default();
    options.relation = true, options.clearance = 1e9;
    for (int order = 0; order < 3; order++)
    {
        const carom_placed *a = order == 0 ? &empty : &f.a, *b = order == 1 ? &empty : order == 2 ? &empty : &f.a;
        carom_report report;
        assert_int_equal(carom_collide(f.w.query, a, b, &options, &report), CAROM_OK);
        assert_int_equal(report.relation, CAROM_RELATION_APART);
        assert_int_equal(report.pair_count, 0);
        assert_false(report.clearance_violated);
        assert_int_equal(carom_distance(f.w.query, a, b, NULL, &report), CAROM_OK);
        assert_true(isinf(report.distance) && isinf(report.distance_bound));
        assert_int_equal(report.relation, CAROM_RELATION_APART);
        bool within = true;
        assert_int_equal(carom_within(f.w.query, a, b, 1e30, &within), CAROM_OK);
        assert_false(within);
    }
    carom_ray ray = {{-5, 0, 0}, {1, 0, 0}, INFINITY};
    carom_ray_report hits;
    assert_int_equal(carom_ray_cast(f.w.query, &empty, &ray, CAROM_RAY_ALL, &hits), CAROM_OK);
    assert_int_equal(hits.hit_count, 0);
    carom_mesh_destroy(nothing);
    close_fixture(&f);
}

static void rays_agree_with_every_triangle(void **state)
{
    (void)state;
    fixture f = open_fixture();
    check_random random = {.state = 5};
    narrow_counts counts = {0};
    uint64_t hits_seen = 0;
    for (int i = 0; i < 500; i++)
    {
        f.b.pose = world_random_pose(&random, 0.3);
        carom_ray ray = {.max_t = i % 2 ? INFINITY : 1.5};
        ray.origin = world_random_pose(&random, 2.0).translation;
        carom_vec3 target = world_random_pose(&random, 0.4).translation;
        ray.direction = vec3_sub(target, ray.origin);
        uint64_t expected = 0;
        double first = INFINITY;
        uint32_t first_triangle = CAROM_NO_TRIANGLE;
        narrow_ray plain = {ray.origin, ray.direction};
        for (uint32_t k = 0; k < f.knot->triangle_count; k++)
        {
            narrow_triangle triangle = placed_triangle(&f.b, k);
            double t, uv[2];
            if (!narrow_ray_hit(&plain, &triangle, &t, uv, &counts) || t > ray.max_t)
                continue;
            expected++;
            if (t < first)
                first = t, first_triangle = k;
        }
        carom_ray_report report;
        assert_int_equal(carom_ray_cast(f.w.query, &f.b, &ray, CAROM_RAY_ALL, &report), CAROM_OK);
        assert_int_equal(report.hit_count, expected);
        for (uint64_t k = 1; k < report.hit_count; k++)
            assert_true(
                report.hits[k - 1].t < report.hits[k].t ||
                (report.hits[k - 1].t == report.hits[k].t && report.hits[k - 1].triangle < report.hits[k].triangle));
        assert_int_equal(carom_ray_cast(f.w.query, &f.b, &ray, CAROM_RAY_FIRST, &report), CAROM_OK);
        assert_int_equal(report.hit_count, expected > 0);
        if (expected > 0)
        {
            assert_true(report.hits[0].t == first);
            assert_int_equal(report.hits[0].triangle, first_triangle);
        }
        assert_int_equal(carom_ray_cast(f.w.query, &f.b, &ray, CAROM_RAY_ANY, &report), CAROM_OK);
        assert_int_equal(report.hit_count, expected > 0);
        hits_seen += expected;
    }
    assert_true(hits_seen > 100);
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mode_agrees_with_all_pairs),
        cmocka_unit_test(limits_list_the_smallest_pairs),
        cmocka_unit_test(streams_carry_every_pair_and_stop),
        cmocka_unit_test(contacts_lie_on_both_triangles),
        cmocka_unit_test(clearance_and_within_follow_the_distance),
        cmocka_unit_test(budgets_are_honest),
        cmocka_unit_test(caches_change_nothing),
        cmocka_unit_test(caches_save_tests),
        cmocka_unit_test(trees_of_different_kinds_agree),
        cmocka_unit_test(repeated_triangles_count_once),
        cmocka_unit_test(a_limit_bounds_memory),
        cmocka_unit_test(empty_meshes_meet_nothing),
        cmocka_unit_test(rays_agree_with_every_triangle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
