/* Two small triangle soups and their poses out of any bytes; every answer of the trees against all pairs. Numbers are
 * decoded so that equal, coplanar, tiny, denormal and huge ones are common. */
#include "fuzz/fuzz.h"
#include "support/placed.h"

#include "carom/carom.h"
#include "narrow/gap.h"
#include "tree/tree.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

enum
{
    MAX_TRIANGLES = 12,
    MAX_PAIRS = MAX_TRIANGLES * MAX_TRIANGLES
};

/* ---- numbers out of bytes ---- */

typedef struct decoder
{
    const uint8_t *bytes;
    size_t size, at;
    double last; /* number */
    double unit; /* of this soup */
} decoder;

static uint8_t next_byte(decoder *d) { return d->at < d->size ? d->bytes[d->at++] : 0; }

static double next_raw(decoder *d)
{
    unsigned char raw[8];
    for (int i = 0; i < 8; i++)
        raw[i] = next_byte(d);
    double value;
    memcpy(&value, raw, sizeof value);
    return fabs(value) <= 0x1p99 ? value : 1.0;
}

static double next_number(decoder *d)
{
    static const double odd[16] = {0.0,     -0.0, 0x1p-1074, DBL_MIN, 1e-300, 1e-160, 1e-30, 1e-12,
                                   0x1p-53, 0.1,  1e9,       1e12,    0x1p60, 0x1p90, -1.0,  1.0 + 0x1p-52};
    uint8_t choice = next_byte(d);
    double value;
    if (choice < 160)
        value = (double)(choice % 8) * d->unit; /* a lattice */
    else if (choice < 192)
        value = (double)(int8_t)next_byte(d) * 0.0625 * d->unit;
    else if (choice < 208)
        value = odd[choice - 192];
    else if (choice < 224)
        value = d->last;
    else if (choice < 240)
        value = nextafter(d->last, choice & 1 ? INFINITY : -INFINITY);
    else
        value = next_raw(d);
    return d->last = value;
}

static carom_vec3 next_point(decoder *d)
{
    double x = next_number(d), y = next_number(d), z = next_number(d);
    return (carom_vec3){x, y, z};
}

/* Corners are often those of earlier triangles. */
static carom_mesh *next_mesh(decoder *d, carom_context *context)
{
    static const double units[8] = {1.0, 1.0, 1.0, 0.1, 1e-12, 1e12, 0x1p-1060, 0x1p95};
    carom_vec3 corners[3 * MAX_TRIANGLES];
    uint8_t head = next_byte(d);
    d->unit = units[head >> 5];
    size_t count = head % (MAX_TRIANGLES + 1);
    for (size_t i = 0; i < 3 * count; i++)
    {
        uint8_t choice = i > 0 ? next_byte(d) : 0;
        corners[i] = choice >= 128 ? corners[choice % i] : next_point(d);
    }
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = (const double *)corners, def.vertex_count = 3 * count;
    def.unindexed = true, def.triangle_count = count;
    carom_mesh *mesh = NULL;
    demand(carom_mesh_create(context, &def, &mesh) == CAROM_OK);
    return mesh;
}

static carom_pose next_pose(decoder *d)
{
    static const double quarter[4][9] = {{1, 0, 0, 0, 1, 0, 0, 0, 1},
                                         {0, -1, 0, 1, 0, 0, 0, 0, 1},
                                         {0, 0, 1, 1, 0, 0, 0, 1, 0},
                                         {-1, 0, 0, 0, 1, 0, 0, 0, -1}};
    uint8_t choice = next_byte(d);
    carom_vec3 translation = {0.0, 0.0, 0.0};
    if (choice & 0x80)
        translation = next_point(d);
    if ((choice & 0x7f) < 96)
    {
        carom_pose pose = {.translation = translation};
        memcpy(pose.rotation, quarter[choice & 3], sizeof pose.rotation);
        return pose;
    }
    double q[4];
    for (int i = 0; i < 4; i++)
        q[i] = (double)(int8_t)next_byte(d);
    if (q[0] == 0.0 && q[1] == 0.0 && q[2] == 0.0 && q[3] == 0.0)
        q[0] = 1.0;
    return carom_pose_from_quaternion(q, translation);
}

static carom_tree_def next_def(decoder *d)
{
    uint8_t kind = next_byte(d), builder = next_byte(d);
    carom_tree_def def = carom_tree_def_preset((carom_tree_preset)(kind % 3));
    def.builder = (carom_builder)(builder % CAROM_BUILDER_COUNT);
    def.obb_fit = (carom_obb_fit)(builder / CAROM_BUILDER_COUNT % 3);
    if (kind & 0x80)
    {
        def.layout = CAROM_LAYOUT_BINARY;
        def.volume = (carom_volume)((kind >> 2) % CAROM_VOLUME_COUNT);
        def.leaf_size = builder >> 6;
    }
    return def;
}

/* ---- truth: all pairs ---- */

typedef struct truth
{
    carom_pair pairs[MAX_PAIRS];
    uint32_t pair_count;
    narrow_closest nearest;
} truth;

/* Is this pair nearer than the nearest so far? Each is measured by itself, so that no shortcut of a search is used. */
static bool is_nearer(narrow_closest *pair, narrow_closest *nearest, narrow_counts *counts)
{
    if (nearest->triangle_a == CAROM_NO_TRIANGLE || pair->distance == 0.0 || nearest->distance == 0.0)
        return pair->distance < nearest->distance;
    return gap_compare(&pair->gap, &nearest->gap, counts) < 0;
}

static void find_truth(const carom_placed *a, const carom_placed *b, truth *out)
{
    narrow_counts counts = {0};
    out->pair_count = 0, out->nearest = (narrow_closest){0};
    narrow_closest_begin(&out->nearest, INFINITY);
    for (uint32_t i = 0; i < a->shape.mesh->triangle_count; i++)
        for (uint32_t j = 0; j < b->shape.mesh->triangle_count; j++)
        {
            narrow_triangle s = placed_triangle(a, i), t = placed_triangle(b, j);
            uint32_t meeting = narrow_meet(&s, &t, &counts);
            narrow_closest found;
            narrow_closest_begin(&found, INFINITY);
            narrow_offer(&found, &s, &t, (carom_pair){i, j, 0}, &counts);
            narrow_closest_settle(&found, &counts);
            demand((meeting != CAROM_MEET_NONE) == (found.distance == 0.0));
            if (meeting != CAROM_MEET_NONE)
                out->pairs[out->pair_count++] = (carom_pair){i, j, meeting};
            if (is_nearer(&found, &out->nearest, &counts))
                out->nearest = found;
        }
}

/* ---- questions ---- */

static bool same_number(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static bool same_point(carom_vec3 a, carom_vec3 b)
{
    return same_number(a.x, b.x) && same_number(a.y, b.y) && same_number(a.z, b.z);
}

/* Hashes of answers that must not depend on the tree. */
typedef struct answers
{
    uint64_t all, distance, relation;
} answers;

static void check_collide(carom_query *query, const carom_placed *a, const carom_placed *b, const truth *t,
                          answers *out)
{
    carom_collide_options options = carom_collide_options_default();
    carom_report report;
    options.contacts = true;
    demand(carom_collide(query, a, b, &options, &report) == CAROM_OK);
    demand(report.pair_count == t->pair_count && report.pairs_listed == t->pair_count);
    for (uint32_t i = 0; i < t->pair_count; i++)
        demand(report.pairs[i].triangle_a == t->pairs[i].triangle_a &&
               report.pairs[i].triangle_b == t->pairs[i].triangle_b && report.pairs[i].meeting == t->pairs[i].meeting);
    out->all = report.hash;
    options.contacts = false, options.relation = true;
    demand(carom_collide(query, a, b, &options, &report) == CAROM_OK);
    out->relation = report.hash;
    options.mode = CAROM_COLLIDE_ANY, options.relation = false;
    demand(carom_collide(query, a, b, &options, &report) == CAROM_OK);
    demand(report.pair_count == (t->pair_count > 0));
    double below = narrow_closest_bound(&t->nearest);
    if (below > 0.0 && below < INFINITY)
    {
        options.clearance = below;
        demand(carom_collide(query, a, b, &options, &report) == CAROM_OK && !report.clearance_violated);
        options.clearance = nextafter(below, INFINITY);
        demand(carom_collide(query, a, b, &options, &report) == CAROM_OK && report.clearance_violated);
    }
}

static void check_distance(carom_query *query, const carom_placed *a, const carom_placed *b, const truth *t,
                           answers *out)
{
    carom_report report;
    carom_pair_cache *cache;
    demand(carom_pair_cache_create(a->shape.mesh->context, &cache) == CAROM_OK);
    carom_distance_options options = carom_distance_options_default();
    options.cache = cache;
    for (int again = 0; again < 2; again++)
    {
        demand(carom_distance(query, a, b, &options, &report) == CAROM_OK);
        demand(same_number(report.distance, t->nearest.distance));
        if (report.distance == INFINITY)
            continue;
        demand(report.distance_bound == narrow_closest_bound(&t->nearest));
        demand(report.triangle_a == t->nearest.triangle_a && report.triangle_b == t->nearest.triangle_b);
        demand(same_point(report.point_a, t->nearest.point_a) && same_point(report.point_b, t->nearest.point_b));
    }
    carom_pair_cache_destroy(cache);
    out->distance = report.hash;
    bool within = false;
    double below = narrow_closest_bound(&t->nearest);
    if (below == INFINITY)
        return;
    bool whole = t->nearest.distance == 0.0 || t->nearest.gap.length.whole;
    demand(carom_within(query, a, b, below, &within) == CAROM_OK && within == whole);
    demand(carom_within(query, a, b, nextafter(below, INFINITY), &within) == CAROM_OK && within);
    if (below > 0.0)
        demand(carom_within(query, a, b, nextafter(below, 0.0), &within) == CAROM_OK && !within);
}

typedef struct true_hit
{
    exact_ray_at at;
    carom_ray_hit hit;
} true_hit;

/* Keeps the hits sorted by (t, triangle); triangles come in order. */
static void insert_hit(const narrow_ray *ray, true_hit *hits, uint32_t count, const true_hit *added)
{
    narrow_counts counts = {0};
    for (; count > 0 && narrow_ray_compare(ray, &added->at, &hits[count - 1].at, &counts) < 0; count--)
        hits[count] = hits[count - 1];
    hits[count] = *added;
}

static uint32_t find_hits(const carom_placed *placed, const carom_ray *ray, true_hit hits[MAX_TRIANGLES])
{
    uint32_t count = 0;
    narrow_counts counts = {0};
    narrow_ray line = {ray->origin, ray->direction};
    for (uint32_t i = 0; i < placed->shape.mesh->triangle_count; i++)
    {
        narrow_triangle triangle = placed_triangle(placed, i);
        double t, uv[2];
        if (!narrow_ray_hit(&line, &triangle, &t, uv, &counts))
            continue;
        true_hit added = {narrow_ray_at(&line, &triangle, &counts), {t, i, uv[0], uv[1]}};
        if (isinf(ray->max_t) || exact_ray_compare_t(line.direction, line.origin, &added.at, ray->max_t, NULL) <= 0)
            insert_hit(&line, hits, count++, &added);
    }
    return count;
}

static void check_ray(carom_query *query, const carom_placed *placed, const carom_ray *ray)
{
    true_hit hits[MAX_TRIANGLES];
    uint32_t count = find_hits(placed, ray, hits);
    carom_ray_report report;
    demand(carom_ray_cast(query, placed, ray, CAROM_RAY_ALL, &report) == CAROM_OK);
    demand(report.hit_count == count);
    for (uint32_t i = 0; i < count; i++)
        demand(report.hits[i].triangle == hits[i].hit.triangle && same_number(report.hits[i].t, hits[i].hit.t));
    demand(carom_ray_cast(query, placed, ray, CAROM_RAY_FIRST, &report) == CAROM_OK);
    demand(report.hit_count == (count > 0));
    if (count > 0)
        demand(report.hits[0].triangle == hits[0].hit.triangle && same_number(report.hits[0].t, hits[0].hit.t));
    demand(carom_ray_cast(query, placed, ray, CAROM_RAY_ANY, &report) == CAROM_OK);
    demand((report.hit_count > 0) == (count > 0));
}

/* ---- one input ---- */

static void check_world(decoder *d, carom_context *context, carom_placed bodies[2], const carom_ray *ray)
{
    truth t;
    find_truth(&bodies[0], &bodies[1], &t);
    carom_query *query;
    demand(carom_query_create(context, &query) == CAROM_OK);
    answers first = {0};
    for (int round = 0; round < 2; round++)
    {
        carom_tree *trees[2];
        for (int i = 0; i < 2; i++)
        {
            carom_tree_def def = round == 0 ? carom_tree_def_default() : next_def(d);
            demand(carom_tree_create(context, bodies[i].shape.mesh, &def, &trees[i]) == CAROM_OK);
            bodies[i].shape = pair_shape(trees[i]);
        }
        answers now;
        check_collide(query, &bodies[0], &bodies[1], &t, &now);
        check_distance(query, &bodies[0], &bodies[1], &t, &now);
        check_ray(query, &bodies[0], ray);
        check_ray(query, &bodies[1], ray);
        demand(round == 0 || memcmp(&first, &now, sizeof now) == 0);
        first = now;
        carom_tree_destroy(trees[0]);
        carom_tree_destroy(trees[1]);
    }
    carom_query_destroy(query);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    carom_context *context;
    if (carom_context_create(NULL, &context) != CAROM_OK)
        return 0;
    decoder d = {.bytes = bytes, .size = size, .unit = 1.0};
    carom_placed bodies[2];
    for (int i = 0; i < 2; i++)
    {
        bodies[i].shape = carom_shape_mesh(next_mesh(&d, context));
        bodies[i].pose = next_pose(&d);
    }
    carom_ray ray = {next_point(&d), next_point(&d), INFINITY};
    if (fmax(fabs(ray.direction.x), fmax(fabs(ray.direction.y), fabs(ray.direction.z))) < 0x1p-100)
        ray.direction.x = 1.0; /* shorter ones are refused */
    if (next_byte(&d) & 1)
        ray.max_t = fabs(next_number(&d));
    check_world(&d, context, bodies, &ray);
    carom_mesh_destroy((carom_mesh *)bodies[0].shape.mesh);
    carom_mesh_destroy((carom_mesh *)bodies[1].shape.mesh);
    carom_context_destroy(context);
    return 0;
}
