/* The padded tests of the stream passes never reject what meets: edges that touch triangles by less than a float can
 * tell, exactly decided, in frames near the origin and far away; thin triangles; boxes of trees around their own
 * triangles. And they are not padded so much that they reject nothing. CAROM_TEST_SCALE multiplies the rounds. */
#include "engine/stream/stream.h"
#include "query/world.h"
#include "support/check.h"

#include <math.h>

typedef struct pair
{
    carom_pose pose[2];
    mesh_placed placed[2];
    stream_asset *asset[2];
    stream_state state;
    carom_counters counters;
    query_task task;
    narrow_search search;
    stream_walk walk;
} pair;

static void pair_open(pair *p, const world *w, const carom_mesh *a, const carom_mesh *b)
{
    const carom_mesh *mesh[2] = {a, b};
    memset(&p->state, 0, sizeof p->state);
    p->state.context = w->context;
    p->task = (query_task){.context = w->context, .counters = &p->counters};
    p->walk = (stream_walk){.state = &p->state, .task = &p->task, .search = &p->search};
    for (int i = 0; i < 2; i++)
    {
        carom_shape shape = carom_shape_mesh(mesh[i]);
        assert_int_equal(stream_create_asset(w->context, &shape, (void **)&p->asset[i]), CAROM_OK);
        p->placed[i] = (mesh_placed){mesh[i], p->asset[i]->tree, &p->pose[i]};
        p->walk.body[i] = (stream_body){p->asset[i], &p->placed[i], NULL};
    }
}

static void pair_place(pair *p)
{
    assert_int_equal(stream_place(&p->walk), CAROM_OK);
    assert_int_equal(stream_place_edges(&p->walk, 0), CAROM_OK);
}

static void pair_close(pair *p, const world *w)
{
    for (int i = 0; i < 2; i++)
    {
        stream_destroy_asset(w->context, p->asset[i]);
        base_array_free(w->context, &p->state.points[i]);
    }
    base_array_free(w->context, &p->state.edges);
}

/* The same triangles as a stream. */
static void place_triangles(pair *p)
{
    p->state.method = STREAM_TRIANGLE_PAIRS;
    assert_int_equal(stream_place_edges(&p->walk, 0), CAROM_OK);
    p->state.method = STREAM_SCD0;
}

static bool triangles_meet(const pair *p, uint32_t a, uint32_t b)
{
    narrow_counts counts = {0};
    narrow_triangle one = tree_world_triangle(&p->placed[0], a), other = tree_world_triangle(&p->placed[1], b);
    return narrow_touches(&one, &other, &counts);
}

static bool passes(const pair *p, stream_kind kind, uint32_t edge, const stream_record *record)
{
    float depth;
    return stream_test(kind, &p->state.edges.items[edge], record, 0.125f, &depth);
}

/* Does the edge meet the triangle? As a triangle of no width. */
static bool meets(const pair *p, uint32_t edge, uint32_t triangle)
{
    narrow_counts counts = {0};
    const uint32_t *ends = p->asset[0]->list.ends[edge];
    carom_vec3 from = pose_apply(&p->pose[0], p->placed[0].mesh->vertices[ends[0]]);
    carom_vec3 to = pose_apply(&p->pose[0], p->placed[0].mesh->vertices[ends[1]]);
    narrow_triangle segment = {{from, to, to}}, other = tree_world_triangle(&p->placed[1], triangle);
    return narrow_touches(&segment, &other, &counts);
}

/* ---- edges that hardly meet triangles ---- */

/* A point of the triangle's border or inside. */
static carom_vec3 point_of(check_random *random, const double corners[9])
{
    double u = check_uniform(random, 0.0, 1.0), v = check_uniform(random, 0.0, 1.0 - u);
    uint64_t where = check_next(random) % 4;
    u = where == 0 ? 0.0 : u, v = where <= 1 ? (where == 0 ? v : 0.0) : where == 2 ? 1.0 - u : v;
    double out[3];
    for (int i = 0; i < 3; i++)
        out[i] = corners[i] + u * (corners[3 + i] - corners[i]) + v * (corners[6 + i] - corners[i]);
    return vec3(out[0], out[1], out[2]);
}

typedef struct tally
{
    uint64_t asked, met, passed;
    uint64_t pairs_met, pairs_passed; /* of triangles, one per round */
} tally;

/* Random triangle, of any size and thinness, down to normals that doubles hardly tell; an edge through a point of it or
 * that ends there, off by some roundings. */
static void ask_one(const world *w, check_random *random, tally *t)
{
    static const double thinness[] = {1.0, 1.0, 1.0, 1e-6, 1e-6, 1e-11};
    double size = ldexp(1.0, -(int)(check_next(random) % 20)), thin = thinness[check_next(random) % 6];
    double far = check_next(random) % 3 ? 0.0 : 1e5, corners[9], edge[9];
    for (int i = 0; i < 9; i++)
        corners[i] = far + size * check_uniform(random, -1.0, 1.0);
    for (int i = 0; i < 3; i++)
        corners[6 + i] = corners[i] + thin * (corners[6 + i] - corners[i]) +
                         (thin < 1.0 ? 0.3 : 0.0) * (corners[3 + i] - corners[i]);
    carom_vec3 at = point_of(random, corners);
    double length = size * ldexp(1.0, (int)(check_next(random) % 24) - 12);
    double off = ldexp(size + far, -40 - (int)(check_next(random) % 16)), before = check_uniform(random, -0.1, 1.1);
    uint64_t ends = check_next(random) % 4;
    before = ends == 0 ? 0.0 : ends == 1 ? 1.0 : before;
    for (int i = 0; i < 3; i++)
    {
        double way = length * check_uniform(random, -1.0, 1.0);
        if (check_next(random) % 4 == 0)
            way = length * (corners[3 + i] - corners[i]) / size; /* in the plane, if all three are */
        double middle = vec3_at(&at, i) + check_uniform(random, -off, off);
        edge[i] = middle - before * way, edge[3 + i] = middle + (1.0 - before) * way;
        edge[6 + i] = edge[3 + i];
    }
    carom_mesh *one = world_mesh(w, edge, 3, NULL, 1), *other = world_mesh(w, corners, 3, NULL, 1);
    pair p = {.pose = {carom_pose_identity(), carom_pose_identity()}};
    pair_open(&p, w, one, other);
    pair_place(&p);
    stream_record record = stream_place_triangle(&p.walk, 0), box = stream_place_box(&p.walk, 0);
    for (uint32_t i = 0; i < p.asset[0]->list.count; i++)
    {
        bool met = meets(&p, i, 0), passed = passes(&p, STREAM_TRIANGLES, i, &record);
        t->asked++, t->met += met, t->passed += passed;
        assert_true(passed || !met);
        assert_true(passes(&p, STREAM_BOXES, i, &box) || !met);
    }
    place_triangles(&p);
    bool met = triangles_meet(&p, 0, 0), passed = passes(&p, STREAM_PAIRS, 0, &record);
    t->pairs_met += met, t->pairs_passed += passed;
    assert_true(passed || !met);
    assert_true(passes(&p, STREAM_PAIR_BOXES, 0, &box) || !met);
    pair_close(&p, w);
    carom_mesh_destroy(one), carom_mesh_destroy(other);
}

static uint32_t rounds(uint32_t usual)
{
    const char *scale = getenv("CAROM_TEST_SCALE");
    return scale && atoi(scale) > 1 ? usual * (uint32_t)atoi(scale) : usual;
}

static void test_edges_and_triangles(void **state)
{
    (void)state;
    world w = world_open();
    check_random random = {31};
    tally t = {0};
    for (uint32_t i = 0; i < rounds(4000); i++)
        ask_one(&w, &random, &t);
    printf("%llu edges, %llu meet, %llu pass\n", (unsigned long long)t.asked, (unsigned long long)t.met,
           (unsigned long long)t.passed);
    assert_true(t.met > t.asked / 10 && t.passed > t.met && t.passed < t.asked);
    printf("%u pairs of triangles, %llu meet, %llu pass\n", rounds(4000), (unsigned long long)t.pairs_met,
           (unsigned long long)t.pairs_passed);
    assert_true(t.pairs_met > rounds(4000) / 10 && t.pairs_passed < rounds(4000));
    world_close(&w);
}

/* ---- boxes ---- */

/* Every edge of a mesh meets the boxes around its own triangles, wherever it is; edges far from a leaf are rejected. */
static void test_boxes_hold_their_triangles(void **state)
{
    (void)state;
    static const double far[] = {0.0, 1.0, 1e4, 1e9, 1e12};
    world w = world_open();
    check_random random = {37};
    carom_mesh *mesh = world_shape(&w, GENERATE_TORUS_KNOT, 600);
    uint64_t rejected = 0, tested = 0;
    for (int round = 0; round < 10; round++)
    {
        pair p = {.pose = {world_random_pose(&random, far[round % 5])}};
        p.pose[1] = p.pose[0];
        pair_open(&p, &w, mesh, mesh);
        pair_place(&p);
        const carom_tree *tree = p.asset[1]->tree;
        for (uint32_t node = 0; node < tree->node_count; node++)
        {
            stream_record box = stream_place_box(&p.walk, node);
            tree_node n = tree->nodes[node];
            for (uint32_t edge = 0; edge < p.asset[0]->list.count; edge++)
            {
                bool own = false, passed = passes(&p, STREAM_BOXES, edge, &box);
                const edge_list *list = &p.asset[0]->list;
                for (uint32_t i = list->first_user[edge]; n.count > 0 && i < list->first_user[edge + 1]; i++)
                    for (uint32_t k = n.first; k < n.first + n.count; k++)
                        own |= tree->order[k] == list->users[i];
                tested++, rejected += !passed;
                assert_true(passed || !own);
            }
        }
        pair_close(&p, &w);
    }
    printf("%llu of %llu edges rejected by boxes\n", (unsigned long long)rejected, (unsigned long long)tested);
    assert_true(rejected > tested / 2);
    carom_mesh_destroy(mesh);
    world_close(&w);
}

/* Two meshes: no pair of edge and triangle that meets is rejected, and few that do not meet pass. */
static void test_meshes(void **state)
{
    (void)state;
    world w = world_open();
    check_random random = {41};
    carom_mesh *a = world_shape(&w, GENERATE_TORUS, 300), *b = world_shape(&w, GENERATE_BLOB, 300);
    uint64_t met = 0, passed = 0, pairs_met = 0, pairs_passed = 0;
    for (int round = 0; round < 12; round++)
    {
        pair p = {.pose = {world_random_pose(&random, 0.3), world_random_pose(&random, 0.3)}};
        for (int i = 0; i < 2 && round % 3 == 2; i++)
            p.pose[i].translation.y += 1e7;
        pair_open(&p, &w, a, b);
        pair_place(&p);
        for (uint32_t triangle = 0; triangle < p.placed[1].mesh->triangle_count; triangle++)
        {
            stream_record record = stream_place_triangle(&p.walk, triangle);
            for (uint32_t edge = 0; edge < p.asset[0]->list.count; edge++)
            {
                bool through = meets(&p, edge, triangle), found = passes(&p, STREAM_TRIANGLES, edge, &record);
                met += through, passed += found;
                assert_true(found || !through);
            }
        }
        place_triangles(&p);
        for (uint32_t i = 0; i < p.placed[0].mesh->triangle_count * p.placed[1].mesh->triangle_count; i++)
        {
            uint32_t own = i / p.placed[1].mesh->triangle_count, other = i % p.placed[1].mesh->triangle_count;
            stream_record record = stream_place_triangle(&p.walk, other);
            bool through = triangles_meet(&p, own, other), found = passes(&p, STREAM_PAIRS, own, &record);
            pairs_met += through, pairs_passed += found;
            assert_true(found || !through);
        }
        pair_close(&p, &w);
    }
    printf("%llu meet, %llu pass\n", (unsigned long long)met, (unsigned long long)passed);
    assert_true(met > 100 && passed < met + met / 20 + 3);
    printf("%llu pairs of triangles meet, %llu pass\n", (unsigned long long)pairs_met,
           (unsigned long long)pairs_passed);
    assert_true(pairs_met > 100 && pairs_passed < pairs_met + pairs_met / 20 + 3);
    carom_mesh_destroy(a), carom_mesh_destroy(b);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_edges_and_triangles),
                                       cmocka_unit_test(test_boxes_hold_their_triangles),
                                       cmocka_unit_test(test_meshes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
