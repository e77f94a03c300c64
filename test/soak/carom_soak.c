/* usage: carom_soak [SECONDS] [SEED]
 *
 * Random questions on random meshes, poses and trees until the time is up; one in a thousand is checked by brute force.
 * What the allocator has given out must come back to the same level after every round. Progress on stderr; the last
 * line on stdout: N queries, M checked, K wrong. Exit 1 if anything was wrong. */
#include "carom/carom.h"
#include "scenes/generate.h"
#include "support/failing.h"
#include "support/placed.h"
#include "tree/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum
{
    QUERIES_PER_ROUND = 200, /* on one pair of meshes */
    CHECK_EVERY = 1000,
    LARGEST_MESH = 400, /* triangles; brute force looks at every pair */
    LARGEST_SOUP = 50   /* where nearly everything meets everything */
};

typedef struct soak
{
    carom_context *context;
    uint64_t random, seed;
    failing memory; /* counts; none of it fails */
    uint64_t queries, checked, wrong;
    double started, limit;
} soak;

/* ---- random numbers ---- */

static uint64_t next(soak *s)
{
    uint64_t z = (s->random += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint32_t below(soak *s, uint32_t limit) { return (uint32_t)(next(s) % limit); }

static double uniform(soak *s, double low, double high)
{
    return low + (high - low) * ((double)(next(s) >> 11) * 0x1p-53);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- what is asked about ---- */

static void stop_on(soak *s, carom_status status, const char *what)
{
    char message[256];
    if (!carom_failed(status))
        return;
    carom_context_message(s->context, message, sizeof message);
    fprintf(stderr, "\ncarom_soak: seed %llu: %s: %s (%s)\n", (unsigned long long)s->seed, what,
            carom_status_name(status), message);
    exit(1);
}

/* Shapes of the generators, or a soup on a lattice where touching, coplanar and degenerate are common. */
static carom_mesh *random_mesh(soak *s)
{
    carom_mesh *mesh = NULL;
    uint32_t triangles = 1 + below(s, LARGEST_MESH);
    if (below(s, 3) > 0)
    {
        generate_def def = generate_def_default((generate_kind)below(s, GENERATE_KIND_COUNT));
        def.triangles = triangles, def.seed = next(s);
        stop_on(s, generate_mesh(s->context, &def, &mesh), "generate");
        return mesh;
    }
    triangles = 1 + triangles % LARGEST_SOUP;
    static const double scales[4] = {0.25, 0.25, 1e-9, 1e9};
    double *corners = malloc(9 * (size_t)triangles * sizeof *corners), scale = scales[below(s, 4)];
    if (!corners)
        exit(2);
    for (size_t i = 0; i < 9 * (size_t)triangles; i++)
        corners[i] = scale * (double)below(s, 5);
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = (const double *)corners, def.vertex_count = 3 * (size_t)triangles;
    def.unindexed = true, def.triangle_count = triangles;
    carom_status status = carom_mesh_create(s->context, &def, &mesh);
    free(corners);
    stop_on(s, status, "mesh");
    return mesh;
}

static carom_tree *random_tree(soak *s, const carom_mesh *mesh)
{
    carom_tree_def def = carom_tree_def_preset((carom_tree_preset)below(s, 3));
    def.builder = (carom_builder)below(s, CAROM_BUILDER_COUNT);
    if (below(s, 2))
    {
        def.layout = CAROM_LAYOUT_BINARY;
        def.volume = (carom_volume)below(s, CAROM_VOLUME_COUNT);
        def.leaf_size = below(s, 5);
    }
    carom_tree *tree = NULL;
    stop_on(s, carom_tree_create(s->context, mesh, &def, &tree), "tree");
    return tree;
}

static carom_pose random_pose(soak *s, double reach)
{
    double q[4];
    for (int i = 0; i < 4; i++)
        q[i] = below(s, 4) ? uniform(s, -1.0, 1.0) : (double)below(s, 2);
    if (q[0] == 0.0 && q[1] == 0.0 && q[2] == 0.0 && q[3] == 0.0)
        q[0] = 1.0;
    carom_vec3 t = {uniform(s, -reach, reach), uniform(s, -reach, reach), uniform(s, -reach, reach)};
    return carom_pose_from_quaternion(q, t);
}

/* ---- checks ---- */

static void note(soak *s, bool right, const char *what)
{
    if (right)
        return;
    s->wrong++;
    fprintf(stderr, "\ncarom_soak: seed %llu, query %llu: wrong %s\n", (unsigned long long)s->seed,
            (unsigned long long)s->queries, what);
}

/* All pairs: how many meet, and the smallest (distance, id, id). */
static void check_pairs(soak *s, const carom_placed *a, const carom_placed *b, const carom_report *collide,
                        const carom_report *distance)
{
    narrow_counts counts = {0};
    uint64_t pairs = 0;
    narrow_closest nearest = {.distance = INFINITY, .triangle_a = CAROM_NO_TRIANGLE, .triangle_b = CAROM_NO_TRIANGLE};
    for (uint32_t i = 0; i < a->shape.mesh->triangle_count; i++)
        for (uint32_t j = 0; j < b->shape.mesh->triangle_count; j++)
        {
            narrow_triangle t = placed_triangle(a, i), u = placed_triangle(b, j);
            pairs += narrow_touches(&t, &u, &counts);
            if (distance)
                narrow_offer(&nearest, &t, &u, (carom_pair){i, j, 0}, &counts);
        }
    narrow_closest_settle(&nearest, &counts);
    s->checked++;
    if (collide)
        note(s, collide->pair_count == pairs, "number of pairs");
    if (distance)
        note(s,
             distance->distance == nearest.distance && distance->triangle_a == nearest.triangle_a &&
                 distance->triangle_b == nearest.triangle_b && (nearest.distance == 0.0) == (pairs > 0),
             "distance");
}

static void check_hits(soak *s, const carom_placed *placed, const carom_ray *ray, const carom_ray_report *report)
{
    narrow_counts counts = {0};
    uint64_t hits = 0;
    for (uint32_t i = 0; i < placed->shape.mesh->triangle_count; i++)
    {
        narrow_triangle t = placed_triangle(placed, i);
        double at, uv[2];
        hits += narrow_ray_hit(&(narrow_ray){ray->origin, ray->direction}, &t, &at, uv, &counts);
    }
    s->checked++;
    note(s, report->hit_count == hits, "number of hits");
}

/* ---- questions ---- */

typedef struct round_state
{
    carom_query *query;
    carom_pair_cache *cache;
    carom_placed a, b;
    double size;
} round_state;

static void ask_pair(soak *s, round_state *r, bool check)
{
    carom_report report;
    uint32_t kind = below(s, 4);
    if (kind < 2)
    {
        carom_collide_options options = carom_collide_options_default();
        options.mode = kind == 0 && !check ? (carom_collide_mode)below(s, 3) : CAROM_COLLIDE_ALL;
        options.contacts = options.mode == CAROM_COLLIDE_ALL && below(s, 2);
        options.relation = below(s, 2);
        options.clearance = below(s, 2) ? uniform(s, 0.0, 0.1 * r->size) : 0.0;
        options.cache = below(s, 2) ? r->cache : NULL;
        stop_on(s, carom_collide(r->query, &r->a, &r->b, &options, &report), "collide");
        if (check)
            check_pairs(s, &r->a, &r->b, &report, NULL);
        return;
    }
    carom_distance_options options = carom_distance_options_default();
    options.cache = below(s, 2) ? r->cache : NULL;
    stop_on(s, carom_distance(r->query, &r->a, &r->b, &options, &report), "distance");
    if (check)
        check_pairs(s, &r->a, &r->b, NULL, &report);
    bool within;
    stop_on(s, carom_within(r->query, &r->a, &r->b, report.distance, &within), "within");
    note(s, within, "within at the distance itself");
}

static void ask_ray(soak *s, round_state *r, bool check)
{
    carom_ray ray = {.max_t = INFINITY};
    ray.origin = (carom_vec3){uniform(s, -2, 2), uniform(s, -2, 2), uniform(s, -2, 2)};
    ray.direction = (carom_vec3){uniform(s, -1, 1), uniform(s, -1, 1), uniform(s, -1, 1)};
    ray.origin = (carom_vec3){ray.origin.x * r->size, ray.origin.y * r->size, ray.origin.z * r->size};
    carom_ray_report report;
    carom_ray_mode mode = check ? CAROM_RAY_ALL : (carom_ray_mode)below(s, 3);
    stop_on(s, carom_ray_cast(r->query, &r->a, &ray, mode, &report), "ray");
    if (check)
        check_hits(s, &r->a, &ray, &report);
}

/* Small steps between poses now and then, so that caches have something to remember. */
static void move(soak *s, round_state *r)
{
    if (below(s, 3) == 0)
        r->a.pose = random_pose(s, r->size);
    if (below(s, 3) == 0)
        r->b.pose = random_pose(s, r->size);
    r->b.pose.translation.x += uniform(s, -0.01, 0.01) * r->size;
}

static double size_of(const carom_mesh *mesh)
{
    carom_aabb box = carom_mesh_get_info(mesh).bounds;
    return fmax(box.max.x - box.min.x, fmax(box.max.y - box.min.y, box.max.z - box.min.z));
}

static void run_round(soak *s)
{
    carom_mesh *meshes[2] = {random_mesh(s), random_mesh(s)};
    carom_tree *trees[2] = {random_tree(s, meshes[0]), random_tree(s, meshes[1])};
    round_state r = {.a = {carom_shape_tree(trees[0]), carom_pose_identity()},
                     .b = {carom_shape_tree(trees[1]), carom_pose_identity()},
                     .size = fmax(fmax(size_of(meshes[0]), size_of(meshes[1])), 1e-12)};
    stop_on(s, carom_query_create(s->context, &r.query), "query");
    stop_on(s, carom_pair_cache_create(s->context, &r.cache), "cache");
    for (int i = 0; i < QUERIES_PER_ROUND; i++)
    {
        bool check = s->queries++ % CHECK_EVERY == 0;
        move(s, &r);
        if (below(s, 5) == 0)
            ask_ray(s, &r, check);
        else
            ask_pair(s, &r, check);
    }
    carom_pair_cache_destroy(r.cache);
    carom_query_destroy(r.query);
    for (int i = 0; i < 2; i++)
    {
        carom_tree_destroy(trees[i]);
        carom_mesh_destroy(meshes[i]);
    }
}

static void show(const soak *s, char end)
{
    fprintf(stderr, "\r%6.0f s  %llu queries, %llu checked, %llu wrong, %llu bytes at most%c", now() - s->started,
            (unsigned long long)s->queries, (unsigned long long)s->checked, (unsigned long long)s->wrong,
            (unsigned long long)s->memory.max_bytes_out, end);
}

int main(int argc, char **argv)
{
    soak s = {.started = now(), .limit = argc > 1 ? atof(argv[1]) : 600.0};
    s.seed = s.random = argc > 2 ? strtoull(argv[2], NULL, 0) : (uint64_t)time(NULL);
    if (failing_context(&s.memory, &s.context) != CAROM_OK)
        return 2;
    uint64_t level = s.memory.bytes_out;
    double shown = s.started;
    while (now() - s.started < s.limit)
    {
        run_round(&s);
        if (s.memory.bytes_out != level)
        {
            note(&s, false, "level of memory after a round");
            level = s.memory.bytes_out;
        }
        if (now() - shown > 1.0)
            show(&s, ' '), shown = now();
    }
    show(&s, '\n');
    carom_context_destroy(s.context);
    printf("%llu queries, %llu checked, %llu wrong\n", (unsigned long long)s.queries, (unsigned long long)s.checked,
           (unsigned long long)s.wrong);
    return s.wrong > 0;
}
