/* Rays with hits that nearly or exactly tie, and max_t at, just before and just after a hit: first, any and all of
 * every layout, batches and scenes against rational arithmetic. CAROM_TEST_SCALE multiplies the number of rays. */
#include "query/world.h"
#include "support/near_ties.h"
#include "support/oracle_numbers.h"
#include "support/placed.h"
#include "support/soup.h"

enum
{
    MESHES = 5000,
    TRIANGLES = 8,
    RAYS = 4, /* per mesh; they differ in max_t */
    TREES = 4,
    SCENE_EVERY = 8
};

typedef struct tie_case
{
    carom_vec3 corners[3 * TRIANGLES];
    narrow_triangle world[TRIANGLES];
    mpq_t t[TRIANGLES], limit;
    uint32_t order[TRIANGLES]; /* the triangles that are hit, by (t, id) */
    uint32_t hit_count;
    carom_ray rays[RAYS];
    carom_pose pose;
} tie_case;

typedef struct tie_stats
{
    uint64_t rays, hits, misordered, ties, duplicates, cut;
} tie_stats;

/* Moves x to y, y to z, z to x, so that placing a point does not round. */
static const carom_pose TURNED = {{0, 0, 1, 1, 0, 0, 0, 1, 0}, {0, 0, 0}};

static bool comes_first(const tie_case *c, uint32_t a, uint32_t b)
{
    int order = mpq_cmp(c->t[a], c->t[b]);
    return order < 0 || (order == 0 && a < b);
}

static void insert(tie_case *c, uint32_t triangle)
{
    uint32_t at = c->hit_count++;
    for (; at > 0 && comes_first(c, triangle, c->order[at - 1]); at--)
        c->order[at] = c->order[at - 1];
    c->order[at] = triangle;
}

static void make_case(check_random *random, oracle *o, tie_case *c)
{
    near_ties ties = near_ties_begin(random);
    bool turned = check_next(random) % 4 == 0;
    c->pose = turned ? TURNED : carom_pose_identity();
    c->hit_count = 0;
    for (uint32_t i = 0; i < TRIANGLES; i++)
    {
        c->world[i] = near_ties_make(random, &ties, i ? &c->world[i - 1] : NULL);
        for (int k = 0; k < 3; k++)
        {
            carom_vec3 p = c->world[i].corner[k];
            c->corners[3 * i + (uint32_t)k] = turned ? vec3(p.y, p.z, p.x) : p;
        }
        if (oracle_ray_parameter(o, &ties.ray, &c->world[i], c->t[i]))
            insert(c, i);
    }
    for (int i = 0; i < RAYS; i++)
    {
        double t = c->hit_count ? mpq_get_d(c->t[c->order[check_next(random) % c->hit_count]]) : ties.t;
        c->rays[i] = (carom_ray){ties.ray.origin, ties.ray.direction, near_ties_limit(random, t)};
    }
}

/* How many of the hits are within max_t. */
static uint32_t within(tie_case *c, double max_t)
{
    uint32_t count = 0;
    if (isinf(max_t))
        return c->hit_count;
    mpq_set_d(c->limit, max_t);
    while (count < c->hit_count && mpq_cmp(c->t[c->order[count]], c->limit) <= 0)
        count++;
    return count;
}

static void check_hits(tie_case *c, const carom_ray *ray, carom_ray_mode mode, const carom_ray_hit *hits,
                       uint64_t hit_count)
{
    uint32_t expected = within(c, ray->max_t);
    if (mode != CAROM_RAY_ALL && expected > 1)
        expected = 1;
    if (hit_count != expected)
        fail_msg("mode %d, max_t %a: %llu hits instead of %u", mode, ray->max_t, (unsigned long long)hit_count,
                 expected);
    for (uint32_t i = 0; i < expected && mode != CAROM_RAY_ANY; i++)
        if (hits[i].triangle != c->order[i])
            fail_msg("mode %d, max_t %a: hit %u is triangle %u at %a instead of %u at %a", mode, ray->max_t, i,
                     hits[i].triangle, hits[i].t, c->order[i], mpq_get_d(c->t[c->order[i]]));
    if (mode == CAROM_RAY_ANY && expected)
    {
        uint32_t at = 0, all = within(c, ray->max_t);
        while (at < all && c->order[at] != hits[0].triangle)
            at++;
        assert_true(at < all);
    }
}

static void check_cast(world *w, tie_case *c, const carom_placed *placed)
{
    for (int mode = 0; mode <= CAROM_RAY_ALL; mode++)
    {
        carom_ray_report report;
        for (int i = 0; i < RAYS; i++)
        {
            assert_int_equal(carom_ray_cast(w->query, placed, &c->rays[i], (carom_ray_mode)mode, &report), CAROM_OK);
            check_hits(c, &c->rays[i], (carom_ray_mode)mode, report.hits, report.hit_count);
        }
        carom_ray_batch batch = {c->rays, RAYS, (carom_ray_mode)mode};
        carom_ray_batch_report all;
        assert_int_equal(carom_ray_cast_batch(w->query, placed, &batch, &all), CAROM_OK);
        for (int i = 0; i < RAYS; i++)
            check_hits(c, &c->rays[i], (carom_ray_mode)mode, all.hits + all.first_hit[i],
                       all.first_hit[i + 1] - all.first_hit[i]);
    }
}

static void check_trees(world *w, tie_case *c, const carom_mesh *mesh, tie_stats *stats)
{
    carom_tree_def defs[TREES] = {carom_tree_def_default(), carom_tree_def_preset(CAROM_TREE_RAYS),
                                  carom_tree_def_default(), carom_tree_def_default()};
    defs[2].layout = CAROM_LAYOUT_BINARY;
    defs[3].layout = CAROM_LAYOUT_BINARY, defs[3].builder = CAROM_BUILDER_BALANCED, defs[3].leaf_size = 1;
    for (int i = 0; i < TREES; i++)
    {
        carom_tree *tree;
        assert_int_equal(carom_tree_create(w->context, mesh, &defs[i], &tree), CAROM_OK);
        carom_placed placed = {carom_shape_tree(tree), c->pose};
        check_cast(w, c, &placed);
        stats->duplicates += carom_tree_get_info(tree).reference_count > TRIANGLES;
        carom_tree_destroy(tree);
    }
}

/* Each triangle a body of its own: the order of bodies is that of triangles. */
static void check_scene(world *w, tie_case *c)
{
    carom_scene *scene;
    assert_int_equal(carom_scene_create(w->context, &scene), CAROM_OK);
    for (uint32_t i = 0; i < TRIANGLES; i++)
    {
        carom_mesh *mesh = soup_mesh(w->context, c->corners + 3 * (size_t)i, 1);
        carom_body_def body = carom_body_def_default();
        body.placed = (carom_placed){carom_shape_mesh(mesh), c->pose};
        carom_body_id id;
        assert_int_equal(carom_scene_add(scene, &body, &id), CAROM_OK);
        assert_int_equal(id.index, i + 1);
        carom_mesh_destroy(mesh);
    }
    for (int mode = 0; mode <= CAROM_RAY_ALL; mode++)
    {
        carom_ray_batch batch = {c->rays, RAYS, (carom_ray_mode)mode};
        carom_frame_ray_report report;
        assert_int_equal(carom_scene_cast(scene, &batch, &report), CAROM_OK);
        for (int i = 0; i < RAYS; i++)
        {
            carom_ray_hit hits[TRIANGLES];
            uint64_t first = report.first_hit[i], count = report.first_hit[i + 1] - first;
            assert_true(count <= TRIANGLES);
            for (uint64_t k = 0; k < count; k++)
            {
                hits[k] = report.hits[first + k].hit;
                hits[k].triangle = report.hits[first + k].body.index - 1;
            }
            check_hits(c, &c->rays[i], (carom_ray_mode)mode, hits, count);
        }
    }
    carom_scene_destroy(scene);
}

static void count_case(tie_case *c, tie_stats *stats)
{
    narrow_ray line = {c->rays[0].origin, c->rays[0].direction};
    narrow_counts counts = {0};
    double t[TRIANGLES], uv[2];
    for (uint32_t i = 0; i < c->hit_count; i++)
        assert_true(narrow_ray_hit(&line, &c->world[c->order[i]], &t[i], uv, &counts));
    for (uint32_t i = 1; i < c->hit_count; i++)
    {
        stats->misordered += t[i] < t[i - 1];
        stats->ties += mpq_equal(c->t[c->order[i]], c->t[c->order[i - 1]]) != 0;
    }
    for (int i = 0; i < RAYS; i++)
        stats->cut += within(c, c->rays[i].max_t) < c->hit_count;
    stats->rays += RAYS;
    stats->hits += c->hit_count;
}

static void ties_are_decided_exactly(void **state)
{
    (void)state;
    const char *scale = getenv("CAROM_TEST_SCALE");
    long meshes = MESHES * (scale ? strtol(scale, NULL, 10) : 1);
    world w = world_open();
    check_random random = {73};
    tie_stats stats = {0};
    oracle *o = oracle_create();
    static tie_case c;
    for (int i = 0; i < TRIANGLES; i++)
        mpq_init(c.t[i]);
    mpq_init(c.limit);
    for (long n = 0; n < meshes; n++)
    {
        make_case(&random, o, &c);
        count_case(&c, &stats);
        carom_mesh *mesh = soup_mesh(w.context, c.corners, TRIANGLES);
        check_trees(&w, &c, mesh, &stats);
        carom_mesh_destroy(mesh);
        if (n % SCENE_EVERY == 0)
            check_scene(&w, &c);
    }
    for (int i = 0; i < TRIANGLES; i++)
        mpq_clear(c.t[i]);
    mpq_clear(c.limit);
    oracle_destroy(o);
    world_close(&w);
    print_message("%llu rays, 0 wrong: %llu hits, %llu ties, %llu misordered by rounding, %llu cut off by max_t\n",
                  (unsigned long long)stats.rays, (unsigned long long)stats.hits, (unsigned long long)stats.ties,
                  (unsigned long long)stats.misordered, (unsigned long long)stats.cut);
    assert_true(stats.hits > stats.rays / 2 && stats.ties > stats.rays / 4 && stats.misordered > stats.rays / 20);
    assert_true(stats.cut > stats.rays / 10 && stats.duplicates > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ties_are_decided_exactly)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
