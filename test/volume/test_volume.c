/* Volumes contain what they enclose (in rational arithmetic), and no test on them claims more than the triangles say.
 */
#include "support/check.h"

#include "narrow/narrow.h"
#include "volume/volume.h"

#include <gmp.h>

enum
{
    TRIANGLES = 6,
    CORNERS = 3 * TRIANGLES
};

static const uint32_t INDICES[CORNERS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17};

static volume_cloud cloud_over(const carom_vec3 *corners, size_t triangles)
{
    return (volume_cloud){.vertices = corners, .indices = INDICES, .count = triangles};
}

/* ---- random clouds ---- */

static carom_vec3 random_point(check_random *random, double size) { return check_random_point(random, -size, size); }

typedef enum cloud_kind
{
    CLOUD_ROUND,
    CLOUD_FLAT,    /* in a slanted plane, but for rounding */
    CLOUD_UPRIGHT, /* in a plane z = constant, exactly */
    CLOUD_SEGMENT,
    CLOUD_POINT,
    CLOUD_LATTICE,
    CLOUD_NEEDLE,
    CLOUD_KINDS
} cloud_kind;

static void make_cloud(check_random *random, cloud_kind kind, double size, carom_vec3 offset, carom_vec3 out[CORNERS])
{
    carom_vec3 base = random_point(random, size), u = random_point(random, size), v = random_point(random, size);
    for (int i = 0; i < CORNERS; i++)
    {
        double s = check_uniform(random, -1, 1), t = check_uniform(random, -1, 1);
        carom_vec3 p = random_point(random, size);
        if (kind == CLOUD_FLAT)
            p = vec3_add(base, vec3_add(vec3_scale(u, s), vec3_scale(v, t)));
        if (kind == CLOUD_UPRIGHT)
            p.z = base.z;
        if (kind == CLOUD_SEGMENT)
            p = vec3_add(base, vec3_scale(u, s));
        if (kind == CLOUD_POINT)
            p = base;
        if (kind == CLOUD_LATTICE)
            p = vec3_scale(check_random_grid_point(random, 3), size);
        if (kind == CLOUD_NEEDLE)
            p = vec3_add(vec3_scale(u, s), vec3_scale(v, 1e-9 * t));
        out[i] = vec3_add(p, offset);
    }
}

/* Sizes and offsets that the contract names, and beyond the floats. */
static const double SIZES[] = {1.0, 1e-12, 1e12, 0x1p98, 1e-42, 1e-200};
static const double OFFSETS[] = {0.0, 3.0, 1e6};

/* ---- rational arithmetic ---- */

typedef struct exact3
{
    mpq_t v[3];
} exact3;

static void exact3_init(exact3 *e, carom_vec3 v)
{
    double parts[3] = {v.x, v.y, v.z};
    for (int i = 0; i < 3; i++)
        mpq_init(e->v[i]), mpq_set_d(e->v[i], parts[i]);
}

static void exact3_clear(exact3 *e)
{
    for (int i = 0; i < 3; i++)
        mpq_clear(e->v[i]);
}

static carom_vec3 floats3(const float *f) { return vec3((double)f[0], (double)f[1], (double)f[2]); }

/* e -= factor * v */
static void exact3_subtract(exact3 *e, double factor, carom_vec3 v)
{
    double parts[3] = {v.x, v.y, v.z};
    mpq_t a, b;
    mpq_init(a), mpq_init(b);
    for (int i = 0; i < 3; i++)
    {
        mpq_set_d(a, factor), mpq_set_d(b, parts[i]);
        mpq_mul(a, a, b);
        mpq_sub(e->v[i], e->v[i], a);
    }
    mpq_clear(a), mpq_clear(b);
}

/* |e| <= limit */
static bool exact3_within(const exact3 *e, double limit)
{
    mpq_t sum, part;
    mpq_init(sum), mpq_init(part);
    for (int i = 0; i < 3; i++)
        mpq_mul(part, e->v[i], e->v[i]), mpq_add(sum, sum, part);
    mpq_set_d(part, limit);
    mpq_mul(part, part, part);
    bool inside = mpq_cmp(sum, part) <= 0;
    mpq_clear(sum), mpq_clear(part);
    return inside;
}

static void determinant(mpq_t out, const exact3 *a, const exact3 *b, const exact3 *c)
{
    mpq_t one, other;
    mpq_init(one), mpq_init(other);
    mpq_set_si(out, 0, 1);
    for (int i = 0; i < 3; i++)
    {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        mpq_mul(one, b->v[j], c->v[k]), mpq_mul(other, b->v[k], c->v[j]);
        mpq_sub(one, one, other), mpq_mul(one, one, a->v[i]);
        mpq_add(out, out, one);
    }
    mpq_clear(one), mpq_clear(other);
}

/* Solves centre + sum x_i axis_i = p and compares |x_i| with the halves. */
static bool obb_contains(const float *obb, carom_vec3 p)
{
    exact3 rest, axis[3];
    mpq_t whole, part, half;
    mpq_init(whole), mpq_init(part), mpq_init(half);
    exact3_init(&rest, p);
    exact3_subtract(&rest, 1.0, floats3(obb));
    for (int i = 0; i < 3; i++)
        exact3_init(&axis[i], floats3(obb + 3 + 3 * i));
    determinant(whole, &axis[0], &axis[1], &axis[2]);
    bool inside = mpq_sgn(whole) != 0;
    for (int i = 0; i < 3 && inside; i++)
    {
        determinant(part, i == 0 ? &rest : &axis[0], i == 1 ? &rest : &axis[1], i == 2 ? &rest : &axis[2]);
        mpq_div(part, part, whole);
        mpq_abs(part, part);
        mpq_set_d(half, (double)obb[12 + i]);
        inside = mpq_cmp(part, half) <= 0;
    }
    exact3_clear(&rest);
    for (int i = 0; i < 3; i++)
        exact3_clear(&axis[i]);
    mpq_clear(whole), mpq_clear(part), mpq_clear(half);
    return inside;
}

static bool ball_contains(const float *centre, double radius, carom_vec3 p)
{
    exact3 rest;
    exact3_init(&rest, p);
    exact3_subtract(&rest, 1.0, floats3(centre));
    bool inside = exact3_within(&rest, radius);
    exact3_clear(&rest);
    return inside;
}

/* Any point of the rectangle will do as witness; the nearest up to rounding is likely one. */
static bool rss_contains(const float *rss, carom_vec3 p)
{
    carom_vec3 from = vec3_sub(p, floats3(rss));
    exact3 rest;
    exact3_init(&rest, p);
    exact3_subtract(&rest, 1.0, floats3(rss));
    for (int k = 0; k < 2; k++)
    {
        carom_vec3 axis = floats3(rss + 3 + 3 * k);
        double half = (double)rss[12 + k];
        exact3_subtract(&rest, fmin(fmax(vec3_dot(axis, from), -half), half), axis);
    }
    bool inside = exact3_within(&rest, (double)rss[14]);
    exact3_clear(&rest);
    return inside;
}

static const int SLABS_26[13][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1},  {1, -1, 1}, {1, 1, -1}, {1, -1, -1},
                                    {1, 1, 0}, {1, 0, 1}, {0, 1, 1}, {1, -1, 0}, {1, 0, -1}, {0, 1, -1}};

static const int *slab_direction(carom_volume kind, uint32_t slab)
{
    return SLABS_26[kind == CAROM_VOLUME_KDOP18 && slab >= 3 ? slab + 4 : slab];
}

static bool slabs_contain(carom_volume kind, const float *volume, carom_vec3 p)
{
    uint32_t count = volume_floats(kind) / 2;
    exact3 exact;
    mpq_t along, bound, part;
    mpq_init(along), mpq_init(bound), mpq_init(part);
    exact3_init(&exact, p);
    bool inside = true;
    for (uint32_t s = 0; s < count && inside; s++)
    {
        const int *d = slab_direction(kind, s);
        mpq_set_si(along, 0, 1);
        for (int i = 0; i < 3; i++)
        {
            mpq_set_si(part, d[i], 1);
            mpq_mul(part, part, exact.v[i]);
            mpq_add(along, along, part);
        }
        mpq_set_d(bound, (double)volume[s]);
        inside = mpq_cmp(along, bound) >= 0;
        mpq_set_d(bound, (double)volume[count + s]);
        inside = inside && mpq_cmp(along, bound) <= 0;
    }
    mpq_clear(along), mpq_clear(bound), mpq_clear(part);
    exact3_clear(&exact);
    return inside;
}

static bool contains(carom_volume kind, const float *volume, carom_vec3 p)
{
    switch (kind)
    {
    case CAROM_VOLUME_OBB: return obb_contains(volume, p);
    case CAROM_VOLUME_RSS: return rss_contains(volume, p);
    case CAROM_VOLUME_SPHERE: return ball_contains(volume, (double)volume[3], p);
    default: return slabs_contain(kind, volume, p);
    }
}

/* ---- fit and merge ---- */

static void check_contains(carom_volume kind, const float *volume, const carom_vec3 *corners, const char *what)
{
    for (int i = 0; i < CORNERS; i++)
        if (!contains(kind, volume, corners[i]))
            fail_msg("%s of %s does not contain (%.17g, %.17g, %.17g)", what, carom_volume_name(kind), corners[i].x,
                     corners[i].y, corners[i].z);
}

static void test_fit_and_merge_contain(void **state)
{
    (void)state;
    check_random random = {11};
    for (size_t size = 0; size < sizeof SIZES / sizeof *SIZES; size++)
        for (size_t offset = 0; offset < sizeof OFFSETS / sizeof *OFFSETS; offset++)
            for (int shape = 0; shape < CLOUD_KINDS; shape++)
                for (int kind = 0; kind < CAROM_VOLUME_COUNT; kind++)
                    for (int fit = 0; fit < (kind == CAROM_VOLUME_OBB || kind == CAROM_VOLUME_RSS ? 3 : 1); fit++)
                    {
                        carom_vec3 one[CORNERS], other[CORNERS];
                        double o = OFFSETS[offset] * SIZES[size];
                        make_cloud(&random, (cloud_kind)shape, SIZES[size], vec3(o, -o, o / 2), one);
                        make_cloud(&random, (cloud_kind)((shape + fit) % CLOUD_KINDS), SIZES[size], vec3(-o, o, o),
                                   other);
                        float a[VOLUME_FLOATS_MAX], b[VOLUME_FLOATS_MAX], both[VOLUME_FLOATS_MAX];
                        volume_cloud cloud_a = cloud_over(one, TRIANGLES), cloud_b = cloud_over(other, TRIANGLES);
                        volume_fit((carom_volume)kind, (carom_obb_fit)fit, &cloud_a, a);
                        volume_fit((carom_volume)kind, (carom_obb_fit)fit, &cloud_b, b);
                        check_contains((carom_volume)kind, a, one, "fit");
                        volume_merge((carom_volume)kind, a, b, both);
                        check_contains((carom_volume)kind, both, one, "merge");
                        check_contains((carom_volume)kind, both, other, "merge");
                    }
}

/* ---- tests against triangles ---- */

typedef struct body
{
    carom_vec3 corners[CORNERS];
    carom_pose pose;
    double extent;
} body;

static narrow_triangle world_triangle(const body *b, int i)
{
    narrow_triangle t;
    for (int k = 0; k < 3; k++)
        t.corner[k] = pose_apply(&b->pose, b->corners[3 * i + k]);
    return t;
}

static narrow_distance_result true_distance(const body *a, const body *b)
{
    narrow_counts counts = {0};
    narrow_distance_result best = {.distance = INFINITY};
    for (int i = 0; i < TRIANGLES; i++)
        for (int j = 0; j < TRIANGLES; j++)
        {
            narrow_triangle ta = world_triangle(a, i), tb = world_triangle(b, j);
            narrow_distance_result d = narrow_distance(&ta, &tb, &counts);
            if (d.distance < best.distance)
                best = d;
        }
    return best;
}

static carom_pose random_pose(check_random *random, int style, double size)
{
    carom_vec3 t = random_point(random, 4.0 * size);
    double tiny = style == 2 ? 1e-9 : 1.0;
    double q[4] = {tiny * check_uniform(random, -1, 1), tiny * check_uniform(random, -1, 1),
                   tiny * check_uniform(random, -1, 1), style == 2 ? 1.0 : check_uniform(random, -1, 1)};
    if (style == 0)
        return carom_pose_translation(t.x, t.y, t.z);
    if (style == 3)
        t = vec3_add(t, vec3(1e9 * size, -1e9 * size, 1e9 * size));
    return carom_pose_from_quaternion(q, t);
}

static void make_body(check_random *random, body *b, double size)
{
    make_cloud(random, (cloud_kind)(check_next(random) % CLOUD_KINDS), size, vec3(0, 0, 0), b->corners);
    b->extent = 0.0;
    for (int i = 0; i < CORNERS; i++)
        b->extent = fmax(b->extent, fmax(fabs(b->corners[i].x), fmax(fabs(b->corners[i].y), fabs(b->corners[i].z))));
}

typedef struct pair_counts
{
    int pairs, apart, meeting;
    double bound_sum;
} pair_counts;

static void check_pair(const body *a, const body *b, carom_volume kind_a, carom_volume kind_b, pair_counts *counts)
{
    float volume_a[VOLUME_FLOATS_MAX], volume_b[VOLUME_FLOATS_MAX];
    volume_cloud cloud_a = cloud_over(a->corners, TRIANGLES), cloud_b = cloud_over(b->corners, TRIANGLES);
    volume_fit(kind_a, CAROM_OBB_TIGHT, &cloud_a, volume_a);
    volume_fit(kind_b, CAROM_OBB_AREA_WEIGHTED, &cloud_b, volume_b);
    math_relative relative = math_relative_pose(&a->pose, &b->pose, a->extent, b->extent);
    carom_vec3 t = relative.translation;
    volume_frame frame;
    volume_frame_begin(&frame, kind_a, kind_b, &relative,
                       4.0 * (a->extent + b->extent) + fabs(t.x) + fabs(t.y) + fabs(t.z));
    volume_moved moved;
    volume_move(&frame, volume_b, &moved);

    double distance = true_distance(a, b).distance, bound = volume_distance(&frame, volume_a, &moved);
    if (!(bound <= distance))
        fail_msg("%s with %s: lower bound %.17g of distance %.17g", carom_volume_name(kind_a),
                 carom_volume_name(kind_b), bound, distance);
    bool apart = volume_apart(&frame, volume_a, &moved, 0.0);
    if (apart && distance == 0.0)
        fail_msg("%s with %s: apart, but the triangles meet", carom_volume_name(kind_a), carom_volume_name(kind_b));
    for (int i = -3; i <= 3; i++)
    {
        double margin = distance * (1.0 + i * 1e-15);
        if (margin > 0.0 && volume_apart(&frame, volume_a, &moved, margin) && !(distance > margin))
            fail_msg("%s with %s: farther than %.17g, but the distance is %.17g", carom_volume_name(kind_a),
                     carom_volume_name(kind_b), margin, distance);
    }
    counts->pairs++;
    counts->apart += apart;
    counts->meeting += distance == 0.0;
    if (distance > 0.0)
        counts->bound_sum += bound / distance;
}

/* Moves b so that it just touches a, or comes within a sliver of it: where a wrong bound shows. */
static void bring_close(check_random *random, const body *a, body *b)
{
    narrow_distance_result d = true_distance(a, b);
    if (!(d.distance > 0.0))
        return;
    static const double gaps[] = {0.0, 0.0, 1e-15, 1e-12, 1e-6, 0.1};
    double keep = gaps[check_next(random) % (sizeof gaps / sizeof *gaps)];
    carom_vec3 step = vec3_scale(vec3_sub(d.point_a, d.point_b), 1.0 - keep);
    b->pose.translation = vec3_add(b->pose.translation, step);
}

static void test_pairs_never_claim_too_much(void **state)
{
    (void)state;
    check_random random = {23};
    for (int kind_a = 0; kind_a < CAROM_VOLUME_COUNT; kind_a++)
        for (int kind_b = 0; kind_b < CAROM_VOLUME_COUNT; kind_b++)
        {
            pair_counts counts = {0};
            int rounds = kind_a == kind_b ? 600 : 60;
            for (int round = 0; round < rounds; round++)
            {
                double size = SIZES[check_next(&random) % 4];
                body a, b;
                make_body(&random, &a, size), make_body(&random, &b, size);
                a.pose = random_pose(&random, round % 4, size), b.pose = random_pose(&random, round % 4, size);
                if (round % 4 == 2)
                    memcpy(b.pose.rotation, a.pose.rotation, sizeof b.pose.rotation);
                if (round % 3)
                    bring_close(&random, &a, &b);
                check_pair(&a, &b, (carom_volume)kind_a, (carom_volume)kind_b, &counts);
            }
            /* The tests must also cull: on far pairs every kind has to say so. */
            assert_true(counts.apart > counts.pairs / 10);
            assert_true(counts.meeting > counts.pairs / 50);
            assert_true(counts.bound_sum > 0.05 * counts.pairs);
        }
}

/* A box beside a box, as close as doubles can tell: exactly touching is not apart, clearly apart is. */
static void test_overlap_is_sharp(void **state)
{
    (void)state;
    body a = {.pose = carom_pose_identity(), .extent = 1.0}, b = a;
    for (int i = 0; i < CORNERS; i++)
        a.corners[i] = b.corners[i] = vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
    for (int kind = 0; kind < CAROM_VOLUME_COUNT; kind++)
    {
        if (kind == CAROM_VOLUME_SPHERE || kind == CAROM_VOLUME_RSS)
            continue;
        float volume[VOLUME_FLOATS_MAX];
        volume_cloud cloud = cloud_over(a.corners, TRIANGLES);
        volume_fit((carom_volume)kind, CAROM_OBB_TIGHT, &cloud, volume);
        for (int step = 0; step < 2; step++)
        {
            b.pose = carom_pose_translation(step ? 2.00001 : 2.0, 0.3, -0.2);
            math_relative relative = math_relative_pose(&a.pose, &b.pose, 1.0, 1.0);
            volume_frame frame;
            volume_frame_begin(&frame, (carom_volume)kind, (carom_volume)kind, &relative, 4.0);
            volume_moved moved;
            volume_move(&frame, volume, &moved);
            assert_int_equal(volume_apart(&frame, volume, &moved, 0.0), step);
            if (step)
                check_near(volume_distance(&frame, volume, &moved), 1e-5, 9e-6);
        }
    }
}

/* Rotated hulls contain the rotated points and are no looser than the rewrapped box. */
static void test_rotated_hulls(void **state)
{
    (void)state;
    check_random random = {31};
    for (int kind = CAROM_VOLUME_KDOP6; kind <= CAROM_VOLUME_KDOP26; kind++)
        for (int round = 0; round < 300; round++)
        {
            body b;
            make_body(&random, &b, 1.0);
            b.pose = random_pose(&random, round % 3, 1.0);
            carom_pose still = carom_pose_identity();
            math_relative relative = math_relative_pose(&still, &b.pose, 1.0, b.extent);
            float volume[VOLUME_FLOATS_MAX];
            volume_cloud cloud = cloud_over(b.corners, TRIANGLES);
            volume_fit((carom_volume)kind, CAROM_OBB_COVARIANCE, &cloud, volume);
            volume_frame frame;
            volume_frame_begin(&frame, (carom_volume)kind, (carom_volume)kind, &relative, 8.0);
            volume_moved moved;
            volume_move(&frame, volume, &moved);
            uint32_t count = volume_floats((carom_volume)kind) / 2;
            carom_vec3 middle, half;
            middle = vec3(0.5 * ((double)volume[0] + (double)volume[count]),
                          0.5 * ((double)volume[1] + (double)volume[count + 1]),
                          0.5 * ((double)volume[2] + (double)volume[count + 2]));
            half = vec3((double)volume[count] - middle.x, (double)volume[count + 1] - middle.y,
                        (double)volume[count + 2] - middle.z);
            for (int i = 0; i < CORNERS; i++)
                assert_true(slabs_contain((carom_volume)kind, moved.slabs, pose_apply(&b.pose, b.corners[i])));
            for (uint32_t s = 0; s < count; s++)
            {
                const int *d = slab_direction((carom_volume)kind, s);
                const double *r = b.pose.rotation;
                double reach = 0.0, halves[3] = {half.x, half.y, half.z};
                for (int i = 0; i < 3; i++)
                    reach += fabs(r[i] * d[0] + r[3 + i] * d[1] + r[6 + i] * d[2]) * halves[i];
                carom_vec3 c = pose_apply(&b.pose, middle);
                double centre = c.x * d[0] + c.y * d[1] + c.z * d[2];
                assert_true((double)moved.slabs[count + s] <= centre + reach + 1e-5);
                assert_true((double)moved.slabs[s] >= centre - reach - 1e-5);
            }
        }
}

/* ---- theorems of the FDH paper ---- */

static void test_translation_and_union_theorems(void **state)
{
    (void)state;
    check_random random = {41};
    for (int kind = CAROM_VOLUME_KDOP6; kind <= CAROM_VOLUME_KDOP26; kind++)
    {
        carom_vec3 points[CORNERS];
        make_cloud(&random, CLOUD_ROUND, 1.0, vec3(0, 0, 0), points);
        float left[VOLUME_FLOATS_MAX], right[VOLUME_FLOATS_MAX], whole[VOLUME_FLOATS_MAX];
        volume_cloud cloud = cloud_over(points, TRIANGLES), half = cloud_over(points, TRIANGLES / 2);
        volume_fit((carom_volume)kind, CAROM_OBB_COVARIANCE, &cloud, whole);
        volume_fit((carom_volume)kind, CAROM_OBB_COVARIANCE, &half, left);
        half.vertices += CORNERS / 2;
        volume_fit((carom_volume)kind, CAROM_OBB_COVARIANCE, &half, right);
        volume_merge((carom_volume)kind, left, right, left);
        uint32_t floats = volume_floats((carom_volume)kind), count = floats / 2;
        for (uint32_t i = 0; i < floats; i++)
            check_near((double)left[i], (double)whole[i], 1e-6);

        math_relative shift = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0.5, -1.25, 2.0}, 0.0};
        volume_frame frame;
        volume_frame_begin(&frame, (carom_volume)kind, (carom_volume)kind, &shift, 4.0);
        volume_moved moved;
        volume_move(&frame, whole, &moved);
        for (uint32_t s = 0; s < count; s++)
        {
            const int *d = slab_direction((carom_volume)kind, s);
            double along = 0.5 * d[0] - 1.25 * d[1] + 2.0 * d[2];
            check_near((double)moved.slabs[s], (double)whole[s] + along, 1e-6);
            check_near((double)moved.slabs[count + s], (double)whole[count + s] + along, 1e-6);
        }
    }
}

/* ---- measures ---- */

static void fit_points(carom_volume kind, const carom_vec3 *points, int count, float *out)
{
    carom_vec3 corners[CORNERS];
    for (int i = 0; i < CORNERS; i++)
        corners[i] = points[i % count];
    volume_cloud cloud = cloud_over(corners, TRIANGLES);
    volume_fit(kind, CAROM_OBB_TIGHT, &cloud, out);
}

static void test_measures(void **state)
{
    (void)state;
    float volume[VOLUME_FLOATS_MAX];
    carom_vec3 cube[8], octahedron[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    for (int i = 0; i < 8; i++)
        cube[i] = vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
    for (int kind = 0; kind < CAROM_VOLUME_COUNT; kind++)
    {
        if (kind == CAROM_VOLUME_SPHERE || kind == CAROM_VOLUME_RSS)
            continue;
        fit_points((carom_volume)kind, cube, 8, volume);
        check_near(volume_area((carom_volume)kind, volume), 24.0, 1e-4);
        check_near(volume_content((carom_volume)kind, volume), 8.0, 1e-4);
    }
    /* The 14-DOP of an octahedron is the octahedron; the 18-DOP of a rhombic dodecahedron is that. */
    fit_points(CAROM_VOLUME_KDOP14, octahedron, 6, volume);
    check_near(volume_area(CAROM_VOLUME_KDOP14, volume), 4.0 * sqrt(3.0), 1e-5);
    check_near(volume_content(CAROM_VOLUME_KDOP14, volume), 4.0 / 3.0, 1e-5);
    carom_vec3 dodecahedron[14];
    for (int i = 0; i < 14; i++)
        dodecahedron[i] = i < 8 ? cube[i] : vec3_scale(octahedron[i - 8], 2.0);
    fit_points(CAROM_VOLUME_KDOP18, dodecahedron, 14, volume);
    check_near(volume_area(CAROM_VOLUME_KDOP18, volume), 24.0 * sqrt(2.0), 1e-4);
    check_near(volume_content(CAROM_VOLUME_KDOP18, volume), 16.0, 1e-4);
    fit_points(CAROM_VOLUME_SPHERE, cube, 8, volume);
    check_near(volume_content(CAROM_VOLUME_SPHERE, volume), 4.0 / 3.0 * 3.14159265358979 * 3.0 * sqrt(3.0), 0.5);
    /* A flat square is its own rectangle: radius about nothing. */
    carom_vec3 square[4] = {{1, 1, 0}, {1, -1, 0}, {-1, -1, 0}, {-1, 1, 0}};
    fit_points(CAROM_VOLUME_RSS, square, 4, volume);
    check_near(volume_area(CAROM_VOLUME_RSS, volume), 8.0, 1e-3);
    check_near(volume_content(CAROM_VOLUME_RSS, volume), 0.0, 1e-3);
}

/* A slanted slab of a surface: each better fit gives a smaller box, and far smaller than the upright one. */
static void test_oriented_fits_are_tight(void **state)
{
    (void)state;
    check_random random = {51};
    for (int round = 0; round < 50; round++)
    {
        carom_vec3 points[CORNERS];
        make_cloud(&random, CLOUD_FLAT, 1.0, vec3(0, 0, 0), points);
        float volume[VOLUME_FLOATS_MAX];
        volume_cloud cloud = cloud_over(points, TRIANGLES);
        double area[3];
        for (int fit = 0; fit < 3; fit++)
        {
            volume_fit(CAROM_VOLUME_OBB, (carom_obb_fit)fit, &cloud, volume);
            area[fit] = volume_area(CAROM_VOLUME_OBB, volume);
            if (fit != CAROM_OBB_TIGHT) /* which may prefer a thicker box with less surface */
                assert_true(volume_content(CAROM_VOLUME_OBB, volume) < 1e-4);
        }
        assert_true(area[CAROM_OBB_TIGHT] <= area[CAROM_OBB_AREA_WEIGHTED] * (1.0 + 1e-6));
    }
}

/* ---- rays ---- */

static void test_rays_never_miss(void **state)
{
    (void)state;
    check_random random = {61};
    int hits = 0, misses = 0;
    for (int kind = 0; kind < CAROM_VOLUME_COUNT; kind++)
        for (int round = 0; round < 1500; round++)
        {
            double size = SIZES[check_next(&random) % 4];
            body b;
            make_body(&random, &b, size);
            b.pose = carom_pose_identity();
            float volume[VOLUME_FLOATS_MAX];
            volume_cloud cloud = cloud_over(b.corners, TRIANGLES);
            volume_fit((carom_volume)kind, CAROM_OBB_TIGHT, &cloud, volume);
            narrow_triangle target = world_triangle(&b, (int)(check_next(&random) % TRIANGLES));
            carom_vec3 to =
                round % 2 ? target.corner[0] : vec3_scale(vec3_add(target.corner[0], target.corner[1]), 0.5);
            carom_vec3 from = random_point(&random, (round % 3 ? 4.0 : 1.0) * size);
            narrow_ray ray = {from, vec3_sub(to, from)};
            if (round % 5 == 0)
                ray.direction = vec3(0, 0, to.z > from.z ? 1 : -1), ray.origin.x = to.x, ray.origin.y = to.y;
            if (round % 7 == 0)
                ray.direction = random_point(&random, 1.0);
            volume_ray asked = {ray.origin, ray.direction, 0.0, INFINITY, 1e-14 * 16.0 * size};
            double entry_t = 0.0, first = INFINITY, t, uv[2];
            narrow_counts counts = {0};
            for (int i = 0; i < TRIANGLES; i++)
            {
                narrow_triangle triangle = world_triangle(&b, i);
                if (narrow_ray_hit(&ray, &triangle, &t, uv, &counts))
                    first = fmin(first, t);
            }
            bool hit = volume_ray_hits((carom_volume)kind, volume, &asked, &entry_t);
            if (first < INFINITY)
            {
                hits++;
                assert_true(hit);
                assert_true(entry_t <= first * (1.0 + 1e-12));
            }
            misses += !hit;
        }
    assert_true(hits > 1000);
    assert_true(misses > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measures),
        cmocka_unit_test(test_translation_and_union_theorems),
        cmocka_unit_test(test_oriented_fits_are_tight),
        cmocka_unit_test(test_overlap_is_sharp),
        cmocka_unit_test(test_rotated_hulls),
        cmocka_unit_test(test_fit_and_merge_contain),
        cmocka_unit_test(test_rays_never_miss),
        cmocka_unit_test(test_pairs_never_claim_too_much),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
