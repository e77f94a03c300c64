/* Questions about a scene: what an instance costs, batches of boxes, spheres and points, what a change costs, rules. */
#include "bench/bench.h"
#include "scenes/generate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- memory that is counted ---- */

typedef struct counted
{
    uint64_t bytes, blocks;
} counted;

static void *allocate(size_t size, size_t alignment, void *user)
{
    size_t at_least = alignment < sizeof(void *) ? sizeof(void *) : alignment;
    void *memory = aligned_alloc(at_least, (size + at_least - 1) / at_least * at_least);
    counted *count = user;
    if (memory)
        count->bytes += size, count->blocks++;
    return memory;
}

static void release(void *memory, size_t size, void *user)
{
    counted *count = user;
    if (memory)
        count->bytes -= size, count->blocks--;
    free(memory);
}

/* ---- a scene of instances ---- */

typedef struct room
{
    bench_session *session;
    counted memory;
    carom_context *context;
    carom_mesh *mesh;
    carom_scene *scene;
    carom_engine *engine;
    uint32_t count;
    carom_body_id *ids;
    uint64_t random;
    double size; /* the side of the cube that they are in */
} room;

static double uniform(room *r, double low, double high)
{
    uint64_t z = (r->random += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return low + (high - low) * (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static carom_vec3 random_point(room *r)
{
    carom_vec3 p;
    p.x = uniform(r, 0.0, r->size), p.y = uniform(r, 0.0, r->size), p.z = uniform(r, 0.0, r->size);
    return p;
}

static carom_pose random_pose(room *r)
{
    double q[4];
    for (int i = 0; i < 4; i++)
        q[i] = uniform(r, -1.0, 1.0);
    return carom_pose_from_quaternion(q, random_point(r));
}

static bool check(room *r, carom_status status, const char *what)
{
    return bench_check_on(r->session, r->context, status, what);
}

static bool open_room(room *r, uint32_t count, uint32_t triangles)
{
    carom_context_def def = carom_context_def_default();
    def.allocator = (carom_allocator){allocate, release, &r->memory};
    generate_def shape = generate_def_default(GENERATE_BLOB);
    shape.triangles = triangles;
    r->count = count, r->random = 9, r->size = 1.5 * cbrt((double)count);
    r->ids = malloc(count * sizeof *r->ids);
    return r->ids && check(r, carom_context_create(&def, &r->context), "context") &&
           check(r, generate_mesh(r->context, &shape, &r->mesh), "mesh") &&
           check(r, carom_scene_create(r->context, &r->scene), "scene") &&
           check(r, carom_engine_create(r->context, NULL, &r->engine), "engine");
}

static void close_room(room *r)
{
    carom_engine_destroy(r->engine);
    carom_scene_destroy(r->scene);
    carom_mesh_destroy(r->mesh);
    carom_context_destroy(r->context);
    free(r->ids);
}

static bool add_bodies(room *r)
{
    for (uint32_t i = 0; i < r->count; i++)
    {
        carom_body_def def = carom_body_def_default();
        def.placed = (carom_placed){carom_shape_mesh(r->mesh), random_pose(r)};
        if (!check(r, carom_scene_add(r->scene, &def, &r->ids[i]), "add"))
            return false;
    }
    return true;
}

/* ---- instances ---- */

static bool bench_instances(room *r)
{
    uint64_t bytes = r->memory.bytes, blocks = r->memory.blocks;
    double start = bench_now();
    if (!add_bodies(r))
        return false;
    double seconds = bench_now() - start;
    uint64_t of_bodies = r->memory.bytes - bytes, more = r->memory.blocks - blocks;
    carom_mesh_info info = carom_mesh_get_info(r->mesh);
    printf("%u instances of a mesh of %u triangles (%zu bytes): %.3f us and %.0f bytes per body, %llu blocks in all\n",
           r->count, info.triangle_count, info.bytes, 1e6 * seconds / r->count, (double)of_bodies / r->count,
           (unsigned long long)more);
    carom_frame frame;
    start = bench_now(), bytes = r->memory.bytes;
    if (!check(r, carom_scene_frame(r->scene, &frame), "frame"))
        return false;
    printf("its frame: %.3f us and %.0f more bytes per body; a record has %zu bytes\n",
           1e6 * (bench_now() - start) / r->count, (double)(r->memory.bytes - bytes) / r->count,
           sizeof(carom_frame_body));
    return true;
}

/* ---- batches ---- */

enum
{
    ITEMS = 2000,
    LOOPED = 20 /* items that a loop over all bodies answers, too */
};

static void print_batch(const char *name, double seconds, uint64_t found, const carom_counters *counters)
{
    printf("%-34s %8.2f us each, %6.2f bodies, %7.1f boxes tested\n", name, 1e6 * seconds / ITEMS,
           (double)found / ITEMS, (double)counters->boxes_tested / ITEMS);
}

static bool bench_boxes(room *r, double half, const char *name)
{
    static carom_aabb boxes[ITEMS];
    for (int i = 0; i < ITEMS; i++)
    {
        carom_vec3 p = random_point(r);
        boxes[i] = (carom_aabb){{p.x - half, p.y - half, p.z - half}, {p.x + half, p.y + half, p.z + half}};
    }
    carom_box_batch batch = {boxes, ITEMS, 0};
    carom_overlap_report report;
    double start = bench_now();
    if (!check(r, carom_scene_overlap_boxes(r->scene, &batch, &report), "boxes"))
        return false;
    print_batch(name, bench_now() - start, report.body_count, &report.counters);
    return true;
}

/* The same spheres one by one, against every body. */
static bool loop_over_spheres(room *r, const carom_placed *probes, const carom_overlap_report *report)
{
    carom_frame frame;
    carom_query *query;
    if (!check(r, carom_query_create(r->context, &query), "query") ||
        !check(r, carom_scene_frame(r->scene, &frame), "frame"))
        return false;
    double start = bench_now();
    uint64_t found = 0;
    for (int i = 0; i < LOOPED; i++)
        for (uint32_t b = 0; b < frame.body_count; b++)
        {
            carom_collide_options any = {.mode = CAROM_COLLIDE_ANY};
            carom_report pair;
            carom_collide(query, &probes[i], &frame.bodies[b].placed, &any, &pair);
            found += pair.pair_count > 0 || pair.relation > CAROM_RELATION_APART;
        }
    printf("%-34s %8.2f us each\n", "  in a loop over all bodies", 1e6 * (bench_now() - start) / LOOPED);
    if (found != report->first_body[LOOPED])
        printf("spheres: the loop finds %llu bodies, not %llu\n", (unsigned long long)found,
               (unsigned long long)report->first_body[LOOPED]),
            r->session->failed = true;
    carom_query_destroy(query);
    return true;
}

static bool bench_spheres(room *r)
{
    static carom_placed probes[ITEMS];
    for (int i = 0; i < ITEMS; i++)
    {
        carom_vec3 p = random_point(r);
        probes[i] = (carom_placed){carom_shape_sphere(1.0), carom_pose_translation(p.x, p.y, p.z)};
    }
    carom_probe_batch batch = {probes, ITEMS, 0};
    carom_overlap_report report;
    double start = bench_now();
    if (!check(r, carom_scene_overlap(r->scene, &batch, &report), "spheres"))
        return false;
    print_batch("spheres of radius 1", bench_now() - start, report.body_count, &report.counters);
    return loop_over_spheres(r, probes, &report);
}

static bool bench_points(room *r, uint32_t max_bodies, const char *name)
{
    static carom_vec3 points[ITEMS];
    for (int i = 0; i < ITEMS; i++)
        points[i] = random_point(r);
    carom_point_batch batch = carom_point_batch_default();
    batch.points = points, batch.count = ITEMS, batch.max_bodies = max_bodies;
    carom_nearest_report report;
    double start = bench_now();
    if (!check(r, carom_scene_nearest(r->scene, &batch, &report), "nearest"))
        return false;
    print_batch(name, bench_now() - start, report.body_count, &report.counters);
    return true;
}

/* One point after some bodies have moved. */
static bool bench_change(room *r, uint32_t movers)
{
    enum
    {
        ROUNDS = 20
    };
    carom_point_batch batch = carom_point_batch_default();
    carom_vec3 point = {0, 0, 0};
    batch.points = &point, batch.count = 1;
    carom_nearest_report report;
    double seconds = 0.0;
    if (!check(r, carom_scene_nearest(r->scene, &batch, &report), "nearest")) /* builds the tree */
        return false;
    for (int n = 0; n < ROUNDS; n++)
    {
        for (uint32_t i = 0; i < movers; i++)
        {
            carom_pose pose = random_pose(r);
            if (!check(r, carom_scene_move(r->scene, r->ids[i], &pose), "move"))
                return false;
        }
        carom_frame frame;
        if (!check(r, carom_scene_frame(r->scene, &frame), "frame"))
            return false;
        double start = bench_now();
        if (!check(r, carom_scene_nearest(r->scene, &batch, &report), "nearest"))
            return false;
        seconds += bench_now() - start;
    }
    printf("one point after %u of %u bodies moved: %.1f us\n", movers, r->count, 1e6 * seconds / ROUNDS);
    return true;
}

/* ---- pairs within a distance ---- */

static bool bench_within(room *r, carom_collide_mode mode, double distance, const char *name)
{
    enum
    {
        ROUNDS = 3
    };
    carom_collide_options options = {.mode = mode, .clearance = distance};
    carom_frame frame;
    carom_scene_report report = {0};
    double best = INFINITY;
    uint64_t apart = 0;
    for (int n = 0; n < ROUNDS; n++)
    {
        if (!check(r, carom_scene_frame(r->scene, &frame), "frame") ||
            !check(r, carom_engine_run(r->engine, &frame, &options, &report), "run"))
            return false;
        best = report.times.total_ms < best ? report.times.total_ms : best;
    }
    for (uint64_t i = 0; i < report.body_pair_count; i++)
        apart += report.body_pairs[i].distance > 0.0 && report.body_pairs[i].distance < INFINITY;
    printf("%-34s %8.2f ms, %llu pairs of bodies, %llu of them apart\n", name, best,
           (unsigned long long)report.body_pair_count, (unsigned long long)apart);
    return true;
}

static bool bench_distances(room *r, double distance, const char *name)
{
    carom_within_options options = carom_within_options_default();
    carom_within_report report = {0};
    double best = INFINITY;
    options.distance = distance;
    for (int n = 0; n < 3; n++)
    {
        double start = bench_now();
        if (!check(r, carom_scene_pairs_within(r->scene, &options, &report), "pairs within"))
            return false;
        best = fmin(best, bench_now() - start);
    }
    printf("%-34s %8.2f ms, %llu pairs of bodies\n", name, 1e3 * best, (unsigned long long)report.pair_count);
    return true;
}

/* ---- rules ---- */

static bool step(room *r, const char *name)
{
    enum
    {
        ROUNDS = 8
    };
    carom_scene_report report = {0};
    carom_frame frame;
    double best = INFINITY;
    for (int n = 0; n < ROUNDS; n++)
    {
        carom_pose pose = random_pose(r);
        if (!check(r, carom_scene_move(r->scene, r->ids[0], &pose), "move") ||
            !check(r, carom_scene_frame(r->scene, &frame), "frame") ||
            !check(r, carom_engine_run(r->engine, &frame, NULL, &report), "run"))
            return false;
        best = report.times.broad_ms < best ? report.times.broad_ms : best;
    }
    printf("%-34s %8.3f ms from frame to pairs of bodies, %llu examined\n", name, best,
           (unsigned long long)report.body_pairs_examined);
    return true;
}

static bool bench_rules(room *r)
{
    const uint32_t rules = 100000;
    if (!step(r, "no rules"))
        return false;
    for (int kind = CAROM_RULE_NEVER; kind <= CAROM_RULE_CLEARANCE; kind++)
    {
        double start = bench_now();
        for (uint32_t i = 0; i < rules; i++)
        {
            uint32_t a = i % r->count, b = (a + 1 + i / r->count) % r->count;
            carom_pair_rule rule = {(carom_rule_kind)kind, 0.01};
            if (!check(r, carom_scene_set_rule(r->scene, r->ids[a], r->ids[b], &rule), "rule"))
                return false;
        }
        printf("%u rules set: %.3f us each\n", rules, 1e6 * (bench_now() - start) / rules);
        if (!step(r, kind == CAROM_RULE_NEVER ? "100,000 rules: never" : "100,000 rules: clearance 0.01"))
            return false;
    }
    return true;
}

void bench_questions(bench_session *session)
{
    if (!bench_wanted(session, "questions"))
        return;
    room many = {.session = session}, few = {.session = session};
    printf("\nquestions about scenes\n\n");
    if (open_room(&many, session->options->quick ? 10000 : 100000, 1000))
        (void)(bench_instances(&many) && bench_change(&many, 1) && bench_change(&many, many.count / 100) &&
               bench_change(&many, many.count));
    close_room(&many);
    printf("\n");
    if (open_room(&few, 10000, 1000) && add_bodies(&few))
        (void)(bench_points(&few, 1, "(trees are built)") && bench_boxes(&few, 0.5, "boxes of side 1") &&
               bench_boxes(&few, 3.0, "boxes of side 6") && bench_spheres(&few) &&
               bench_points(&few, 1, "nearest body to a point") &&
               bench_points(&few, 10, "10 nearest bodies to a point") &&
               bench_distances(&few, 0.1, "pairs within 0.1") &&
               bench_within(&few, CAROM_COLLIDE_ANY, 0.1, "  by an engine, mode any") &&
               bench_within(&few, CAROM_COLLIDE_ALL, 0.1, "  by an engine, mode all") && bench_rules(&few));
    close_room(&few);
}
