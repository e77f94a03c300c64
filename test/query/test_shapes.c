/* Every pair of kinds of shapes in every mode: against loops over the narrow kernels and rational arithmetic, against
 * brute force, with the bodies swapped, in scenes, and under budgets. By hand: test_shapes_cases.c. */
#include "query/query.h"
#include "query/world.h"
#include "support/oracle_round.h"
#include "support/placed.h"

enum
{
    ROUNDS = 600
};

/* ---- bodies ---- */

typedef struct cast
{
    world w;
    carom_mesh *closed, *open;
    carom_tree *binary; /* of the closed mesh, for the walk over other layouts */
} cast;

static cast cast_open(void)
{
    cast c = {.w = world_open()};
    c.closed = world_shape(&c.w, GENERATE_ICO_SPHERE, 80); /* of size 1 */
    const double sheet[12] = {-0.5, -0.5, 0, 0.5, -0.5, 0, 0.5, 0.5, 0, -0.5, 0.5, 0};
    const uint32_t indices[6] = {0, 1, 2, 0, 2, 3};
    c.open = world_mesh(&c.w, sheet, 4, indices, 2);
    carom_tree_def def = {.volume = CAROM_VOLUME_RSS, .layout = CAROM_LAYOUT_BINARY, .builder = CAROM_BUILDER_SAH};
    def.leaf_size = 2;
    assert_int_equal(carom_tree_create(c.w.context, c.closed, &def, &c.binary), CAROM_OK);
    return c;
}

static void cast_close(cast *c)
{
    carom_tree_destroy(c->binary);
    carom_mesh_destroy(c->closed);
    carom_mesh_destroy(c->open);
    world_close(&c->w);
}

enum
{
    SHAPES = 5 /* closed mesh, the same with a binary tree, open mesh, sphere, capsule */
};

static carom_vec3 random_point(check_random *random, double reach)
{
    double x = check_uniform(random, -reach, reach), y = check_uniform(random, -reach, reach);
    return (carom_vec3){x, y, check_uniform(random, -reach, reach)};
}

/* From a point to something larger than the meshes. */
static double random_radius(check_random *random)
{
    uint64_t choice = check_next(random) % 8;
    return choice == 0 ? 0.0 : choice == 1 ? 1e-9 : choice == 2 ? 1e6 : exp2(check_uniform(random, -6.0, 1.5));
}

static carom_placed random_body(const cast *c, check_random *random, int shape)
{
    carom_placed placed = {.pose = world_random_pose(random, 0.8)};
    if (check_next(random) % 4 == 0) /* where things touch exactly */
        placed.pose = carom_pose_translation(0.25 * (double)(check_next(random) % 5), 0.0, 0.0);
    double radius = check_next(random) % 4 ? random_radius(random) : 0.25;
    carom_vec3 end = random_point(random, 1.0);
    switch (shape)
    {
    case 0: placed.shape = carom_shape_mesh(c->closed); break;
    case 1: placed.shape = carom_shape_tree(c->binary); break;
    case 2: placed.shape = carom_shape_mesh(c->open); break;
    case 3: placed.shape = carom_shape_sphere(radius); break;
    default:
        placed.shape = carom_shape_capsule(check_next(random) % 4 ? random_point(random, 0.5) : end, end, radius);
        break;
    }
    return placed;
}

/* ---- truth: loops over the narrow kernels ---- */

typedef struct truth
{
    carom_pair pairs[128 * 128];
    uint64_t count;
    exact_length length;
    double distance; /* rounded */
    uint32_t nearest_a, nearest_b;
} truth;

static const narrow_closest NOTHING_YET = {
    .distance = INFINITY, .triangle_a = CAROM_NO_TRIANGLE, .triangle_b = CAROM_NO_TRIANGLE};

static narrow_triangle element_triangle(const carom_placed *placed, uint32_t element)
{
    return placed_triangle(placed, element);
}

static uint32_t meeting_of(const carom_placed *a, uint32_t i, const carom_placed *b, uint32_t j)
{
    narrow_counts counts = {0};
    bool mesh_a = query_is_mesh(a), mesh_b = query_is_mesh(b);
    narrow_triangle s, t;
    if (mesh_a)
        s = element_triangle(a, i);
    if (mesh_b)
        t = element_triangle(b, j);
    if (mesh_a && mesh_b)
        return narrow_meet(&s, &t, &counts);
    narrow_round p = query_placed_round(mesh_a ? b : a), q = query_placed_round(mesh_b ? a : b);
    return mesh_a   ? narrow_round_triangle_meet(&p, &s, &counts)
           : mesh_b ? narrow_round_triangle_meet(&q, &t, &counts)
                    : narrow_round_meet(&p, &q, &counts);
}

/* Elements of a mesh and a solid, or of two solids, in this order. */
static void offer_elements(const carom_placed *a, uint32_t i, const carom_placed *b, uint32_t j,
                           narrow_closest *closest)
{
    narrow_counts counts = {0};
    if (!query_is_mesh(a))
    {
        narrow_round p = query_placed_round(a), q = query_placed_round(b);
        narrow_offer_rounds(closest, &p, &q, &counts);
        return;
    }
    narrow_triangle s = element_triangle(a, i);
    if (query_is_mesh(b))
    {
        narrow_triangle t = element_triangle(b, j);
        narrow_offer(closest, &s, &t, (carom_pair){i, j, 0}, &counts);
        return;
    }
    narrow_round q = query_placed_round(b);
    narrow_offer_triangle_round(closest, &s, &q, i, &counts);
}

static void find_truth(const carom_placed *a, const carom_placed *b, truth *out)
{
    bool swap = !query_is_mesh(a) && query_is_mesh(b);
    narrow_closest nearest = NOTHING_YET;
    out->count = 0;
    for (uint32_t i = 0; i < carom_shape_element_count(&a->shape); i++)
        for (uint32_t j = 0; j < carom_shape_element_count(&b->shape); j++)
        {
            uint32_t meeting = meeting_of(a, i, b, j);
            narrow_closest here = NOTHING_YET;
            offer_elements(swap ? b : a, swap ? j : i, swap ? a : b, swap ? i : j, &here);
            offer_elements(swap ? b : a, swap ? j : i, swap ? a : b, swap ? i : j, &nearest);
            assert_true((meeting != CAROM_MEET_NONE) == (here.distance == 0.0));
            if (meeting != CAROM_MEET_NONE)
                out->pairs[out->count++] = (carom_pair){i, j, meeting};
        }
    narrow_closest_settle(&nearest, &(narrow_counts){0});
    const exact_length none = {INFINITY, INFINITY, true};
    out->distance = nearest.distance;
    out->length = nearest.triangle_a == CAROM_NO_TRIANGLE ? none : nearest.gap.length;
    out->nearest_a = swap ? nearest.triangle_b : nearest.triangle_a;
    out->nearest_b = swap ? nearest.triangle_a : nearest.triangle_b;
}

/* The narrow kernel itself against rational arithmetic. */
static void check_by_oracle(oracle_gap *gap, const carom_placed *mesh, const carom_placed *solid)
{
    narrow_round round = query_placed_round(solid);
    exact_round core = {round.end, vec3_equal(round.end[0], round.end[1]) ? 1 : 2, 0.0};
    for (uint32_t i = 0; i < mesh->shape.mesh->triangle_count; i++)
    {
        narrow_triangle triangle = element_triangle(mesh, i);
        exact_round corners = {triangle.corner, 3, 0.0};
        oracle_gap_measure(gap, &core, &corners);
        int sign = oracle_gap_sign(gap, round.radius, 0.0);
        assert_true((sign <= 0) == (meeting_of(mesh, i, solid, 0) != CAROM_MEET_NONE));
    }
}

/* ---- one pair in every mode ---- */

static void check_listed(const carom_report *report, const truth *known)
{
    assert_int_equal(report->pair_count, known->count);
    assert_int_equal(report->pairs_listed, known->count);
    for (uint64_t i = 0; i < known->count; i++)
        if (memcmp(&report->pairs[i], &known->pairs[i], sizeof known->pairs[i]) != 0)
            fail_msg("pair %llu is %u %u (%u), should be %u %u (%u)", (unsigned long long)i,
                     report->pairs[i].triangle_a, report->pairs[i].triangle_b, report->pairs[i].meeting,
                     known->pairs[i].triangle_a, known->pairs[i].triangle_b, known->pairs[i].meeting);
}

static void check_contacts(const carom_report *report, const carom_placed *a, const carom_placed *b)
{
    assert_int_equal(report->contact_count, report->pair_count);
    bool with_solid = !query_is_mesh(a) || !query_is_mesh(b);
    for (uint64_t i = 0; with_solid && i < report->contact_count; i++)
    {
        assert_int_equal(report->contacts[i].point_count, 1);
        /* As near to both solids as rounding allows. */
        const carom_vec3 *p = &report->points[report->contacts[i].first_point];
        carom_placed at = {carom_shape_sphere(0.0), carom_pose_translation(p->x, p->y, p->z)};
        narrow_closest to_a = NOTHING_YET, to_b = NOTHING_YET;
        offer_elements(a, report->pairs[i].triangle_a, &at, 0, &to_a);
        offer_elements(b, report->pairs[i].triangle_b, &at, 0, &to_b);
        assert_true(to_a.distance < 1e-6 && to_b.distance < 1e-6);
    }
}

static void check_modes(carom_query *query, const carom_placed *a, const carom_placed *b, const truth *known)
{
    carom_report report;
    assert_int_equal(carom_collide(query, a, b, NULL, &report), CAROM_OK);
    check_listed(&report, known);
    carom_collide_options options = {.mode = CAROM_COLLIDE_ANY};
    assert_int_equal(carom_collide(query, a, b, &options, &report), CAROM_OK);
    assert_int_equal(report.pair_count, known->count > 0);
    if (known->count > 0)
        assert_true(meeting_of(a, report.triangle_a, b, report.triangle_b) != CAROM_MEET_NONE);
    options.mode = CAROM_COLLIDE_COUNT;
    assert_int_equal(carom_collide(query, a, b, &options, &report), CAROM_OK);
    assert_int_equal(report.pair_count, known->count);
    options = (carom_collide_options){.mode = CAROM_COLLIDE_ALL, .relation = true, .contacts = true};
    assert_int_equal(carom_collide(query, a, b, &options, &report), CAROM_OK);
    check_listed(&report, known);
    check_contacts(&report, a, b);
    assert_true((report.relation == CAROM_RELATION_APART) <= (known->count == 0));
    if (known->count > 2)
    {
        options = (carom_collide_options){.mode = CAROM_COLLIDE_ALL, .max_pairs = 2};
        assert_int_equal(carom_collide(query, a, b, &options, &report), CAROM_TRUNCATED);
        assert_int_equal(report.pair_count, known->count);
        assert_memory_equal(report.pairs, known->pairs, 2 * sizeof *known->pairs);
    }
}

/* At the distance, just above and just below it. */
static void check_limits(carom_query *query, const carom_placed *a, const carom_placed *b, const truth *known)
{
    double limits[6] = {known->distance,
                        nextafter(known->distance, INFINITY),
                        0.5 * known->distance,
                        1.5,
                        nextafter(known->length.below, INFINITY),
                        known->length.below};
    for (int i = 0; i < 6; i++)
    {
        if (!(limits[i] < 0x1p100))
            continue;
        bool within;
        assert_int_equal(carom_within(query, a, b, limits[i], &within), CAROM_OK);
        assert_int_equal(within, narrow_length_sign(&known->length, limits[i]) <= 0);
        for (int mode = CAROM_COLLIDE_ANY; mode <= CAROM_COLLIDE_ALL; mode++)
        {
            carom_collide_options options = {.mode = (carom_collide_mode)mode, .clearance = limits[i]};
            carom_report report;
            assert_int_equal(carom_collide(query, a, b, &options, &report), CAROM_OK);
            assert_int_equal(report.clearance_violated,
                             limits[i] > 0.0 && narrow_length_sign(&known->length, limits[i]) < 0);
        }
    }
}

static carom_report check_distance(carom_query *query, const carom_placed *a, const carom_placed *b, const truth *known)
{
    carom_report report;
    assert_int_equal(carom_distance(query, a, b, NULL, &report), CAROM_OK);
    if (report.distance != known->distance || report.distance_bound != known->length.below ||
        report.triangle_a != known->nearest_a || report.triangle_b != known->nearest_b)
        fail_msg("distance %.17g of %u %u, should be %.17g of %u %u", report.distance, report.triangle_a,
                 report.triangle_b, known->distance, known->nearest_a, known->nearest_b);
    carom_distance_options options = {.upper_bound = 0.5 * known->distance};
    carom_report bounded;
    if (options.upper_bound > 0.0)
    {
        assert_int_equal(carom_distance(query, a, b, &options, &bounded), CAROM_OK);
        assert_true(isinf(bounded.distance) && bounded.distance_bound == options.upper_bound);
    }
    return report;
}

static bool same_point(carom_vec3 p, carom_vec3 q) { return p.x == q.x && p.y == q.y && p.z == q.z; }

/* The other way round everything is mirrored. */
static void check_swapped(carom_query *query, const carom_placed *a, const carom_placed *b, const truth *known)
{
    carom_report report, nearest = check_distance(query, a, b, known);
    carom_collide_options options = {.mode = CAROM_COLLIDE_ALL, .relation = true, .contacts = true};
    assert_int_equal(carom_collide(query, a, b, &options, &report), CAROM_OK);
    carom_relation relation = report.relation;
    if (relation == CAROM_RELATION_A_INSIDE_B || relation == CAROM_RELATION_B_INSIDE_A)
        relation = (carom_relation)(CAROM_RELATION_A_INSIDE_B + CAROM_RELATION_B_INSIDE_A - relation);
    assert_int_equal(carom_collide(query, b, a, &options, &report), CAROM_OK);
    assert_int_equal(report.pair_count, known->count);
    for (uint64_t i = 0; i < report.pairs_listed; i++)
    {
        carom_pair pair = report.pairs[i];
        assert_int_equal(pair.meeting, meeting_of(a, pair.triangle_b, b, pair.triangle_a));
    }
    bool equal_solids = relation != report.relation && !query_is_mesh(a) && !query_is_mesh(b);
    assert_true(relation == report.relation || equal_solids);
    carom_report mirrored;
    assert_int_equal(carom_distance(query, b, a, NULL, &mirrored), CAROM_OK);
    assert_true(mirrored.distance == nearest.distance);
    if (!query_is_mesh(a) || !query_is_mesh(b)) /* of equally near triangles the smallest of a come first */
    {
        assert_int_equal(mirrored.triangle_a, nearest.triangle_b);
        assert_int_equal(mirrored.triangle_b, nearest.triangle_a);
        assert_true(same_point(mirrored.point_a, nearest.point_b) && same_point(mirrored.point_b, nearest.point_a));
    }
}

/* In slices, from where the budget ran out: the same in the end. */
static void check_budgets(carom_query *query, const carom_placed *a, const carom_placed *b, const truth *known)
{
    carom_collide_options whole = {.mode = CAROM_COLLIDE_ALL, .relation = true};
    carom_report report;
    assert_int_equal(carom_collide(query, a, b, &whole, &report), CAROM_OK);
    uint64_t hash = report.hash;
    for (uint64_t work = 1; work < 100; work = 3 * work + 1)
    {
        carom_collide_options options = whole;
        options.budget.work = work;
        carom_status status = carom_collide(query, a, b, &options, &report);
        int slices = 1;
        for (; status == CAROM_UNKNOWN && slices < 2000; slices++)
        {
            assert_true(report.pair_count <= known->count);
            /* A relation is not divided: in the end it gets what it needs. */
            status = carom_collide_resume(query, slices % 50 ? &options.budget : NULL, &report);
        }
        assert_int_equal(status, CAROM_OK);
        check_listed(&report, known);
        assert_true(report.hash == hash);
        carom_distance_options near = {.budget.work = work};
        status = carom_distance(query, a, b, &near, &report);
        assert_true(status == CAROM_OK || status == CAROM_UNKNOWN);
        assert_true(report.distance_bound <= known->length.below && report.distance >= known->distance);
    }
}

static void every_pair_of_kinds_in_every_mode(void **state)
{
    (void)state;
    cast c = cast_open();
    check_random random = {51};
    oracle_gap *gap = oracle_gap_create();
    static truth known;
    int met = 0;
    for (int round = 0; round < ROUNDS; round++)
    {
        int shape_a = round % SHAPES, shape_b = round / SHAPES % SHAPES;
        carom_placed a = random_body(&c, &random, shape_a), b = random_body(&c, &random, shape_b);
        find_truth(&a, &b, &known);
        met += known.count > 0;
        check_modes(c.w.query, &a, &b, &known);
        check_limits(c.w.query, &a, &b, &known);
        check_swapped(c.w.query, &a, &b, &known);
        check_budgets(c.w.query, &a, &b, &known);
        if (query_is_mesh(&a) && !query_is_mesh(&b) && round % 3 == 0)
            check_by_oracle(gap, &a, &b);
    }
    print_message("%d of %d pairs met\n", met, ROUNDS);
    assert_true(met > ROUNDS / 5 && met < ROUNDS - ROUNDS / 10);
    oracle_gap_destroy(gap);
    cast_close(&c);
}

/* ---- scenes ---- */

static void fill(const cast *c, check_random *random, carom_scene *scene, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
    {
        carom_body_def def = carom_body_def_default();
        def.placed = random_body(c, random, (int)(i % SHAPES));
        def.placed.pose.translation.x += 0.7 * (double)(i / 3);
        def.is_static = i % 4 == 0;
        def.margin = i % 5 == 1 ? 0.1 : 0.0;
        carom_body_id id;
        assert_int_equal(carom_scene_add(scene, &def, &id), CAROM_OK);
    }
}

static uint64_t run(const cast *c, const carom_engine_def *def, const carom_frame *frame,
                    const carom_collide_options *options)
{
    carom_engine *engine;
    carom_scene_report report;
    assert_int_equal(carom_engine_create(c->w.context, def, &engine), CAROM_OK);
    assert_int_equal(carom_engine_run(engine, frame, options, &report), CAROM_OK);
    uint64_t hash = report.hash;
    for (uint64_t i = 0; i < report.body_pair_count; i++)
    {
        const carom_body_pair *pair = &report.body_pairs[i];
        const carom_frame_body *a = carom_frame_find(frame, pair->body_a), *b = carom_frame_find(frame, pair->body_b);
        static truth known;
        find_truth(&a->placed, &b->placed, &known);
        assert_int_equal(pair->pair_count, options->mode == CAROM_COLLIDE_ANY ? known.count > 0 : known.count);
        assert_false(a->is_static && b->is_static);
        double clearance = (a->margin + b->margin) + options->clearance;
        assert_int_equal(pair->clearance_violated, clearance > 0.0 && narrow_length_sign(&known.length, clearance) < 0);
        if (pair->clearance_violated)
            assert_true(pair->distance == known.distance);
    }
    carom_engine_destroy(engine);
    return hash;
}

static void scenes_of_mixed_shapes(void **state)
{
    (void)state;
    cast c = cast_open();
    check_random random = {52};
    for (int round = 0; round < 20; round++)
    {
        carom_scene *scene;
        carom_frame frame;
        assert_int_equal(carom_scene_create(c.w.context, &scene), CAROM_OK);
        fill(&c, &random, scene, 20);
        assert_int_equal(carom_scene_frame(scene, &frame), CAROM_OK);
        carom_collide_options options[3] = {{.mode = CAROM_COLLIDE_ALL, .relation = true, .contacts = true},
                                            {.mode = CAROM_COLLIDE_ANY, .clearance = 0.2},
                                            {.mode = CAROM_COLLIDE_COUNT, .relation = true}};
        for (int i = 0; i < 3; i++)
        {
            uint64_t brute =
                run(&c, &(carom_engine_def){.engine = "brute", .broad_phase = "brute"}, &frame, &options[i]);
            uint64_t tree = run(&c, &(carom_engine_def){0}, &frame, &options[i]);
            uint64_t parts = run(&c, &(carom_engine_def){.cut_size = 0.2}, &frame, &options[i]);
            assert_true(tree == brute);
            assert_true(parts == brute);
        }
        carom_scene_destroy(scene);
    }
    cast_close(&c);
}

/* ---- rays ---- */

static void rays_hit_solids(void **state)
{
    (void)state;
    cast c = cast_open();
    check_random random = {53};
    int hits = 0;
    for (int round = 0; round < 400; round++)
    {
        carom_placed placed = random_body(&c, &random, 3 + round % 2);
        narrow_round solid = query_placed_round(&placed);
        carom_ray rays[8];
        for (int i = 0; i < 8; i++)
            rays[i] = (carom_ray){random_point(&random, 2.0), random_point(&random, 1.0), i % 2 ? INFINITY : 1.0};
        for (int mode = CAROM_RAY_FIRST; mode <= CAROM_RAY_ALL; mode++)
        {
            carom_ray_batch batch = {rays, 8, (carom_ray_mode)mode};
            carom_ray_batch_report all;
            assert_int_equal(carom_ray_cast_batch(c.w.query, &placed, &batch, &all), CAROM_OK);
            carom_ray_hit found[8];
            uint64_t first[9];
            memcpy(first, all.first_hit, sizeof first);
            if (all.hit_count > 0)
                memcpy(found, all.hits, all.hit_count * sizeof *found);
            for (uint32_t i = 0; i < 8; i++)
            {
                narrow_counts counts = {0};
                narrow_ray line = {rays[i].origin, rays[i].direction};
                double t;
                bool hit = narrow_round_ray_hit(&line, &solid, &t, &counts) && t <= rays[i].max_t;
                carom_ray_report report;
                assert_int_equal(carom_ray_cast(c.w.query, &placed, &rays[i], (carom_ray_mode)mode, &report), CAROM_OK);
                assert_int_equal(report.hit_count, hit);
                assert_int_equal(first[i + 1] - first[i], hit);
                hits += hit;
                if (hit)
                    assert_true(report.hits[0].t == t && report.hits[0].triangle == 0 && found[first[i]].t == t);
            }
        }
    }
    assert_true(hits > 1000);
    cast_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_of_kinds_in_every_mode),
        cmocka_unit_test(scenes_of_mixed_shapes),
        cmocka_unit_test(rays_hit_solids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
