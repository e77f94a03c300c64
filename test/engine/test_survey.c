/* The surveyed image methods as engines, against brute force: pairs of closed bodies around contact. A method may miss,
 * but only an intersection that holds no ball of the size that its answer states; what it reports is exact. The ball is
 * looked for by distances and winding numbers that are computed here. */
#include "survey.h"

#include "carom/io.h"
#include "support/data.h"

/* ---- distances and winding numbers ---- */

static double squared(carom_vec3 v) { return vec3_dot(v, v); }

static double squared_to_segment(carom_vec3 p, carom_vec3 a, carom_vec3 b)
{
    carom_vec3 way = vec3_sub(b, a);
    double length = squared(way), t = length > 0.0 ? vec3_dot(vec3_sub(p, a), way) / length : 0.0;
    t = fmax(0.0, fmin(1.0, t));
    return squared(vec3_sub(p, vec3_add(a, vec3_scale(way, t))));
}

static double squared_to_triangle(carom_vec3 p, const carom_vec3 c[3])
{
    carom_vec3 normal = vec3_cross(vec3_sub(c[1], c[0]), vec3_sub(c[2], c[0]));
    bool above = squared(normal) > 0.0;
    double least = INFINITY;
    for (int i = 0; i < 3; i++)
    {
        carom_vec3 edge = vec3_sub(c[(i + 1) % 3], c[i]);
        above = above && vec3_dot(vec3_cross(normal, edge), vec3_sub(p, c[i])) >= 0.0;
        least = fmin(least, squared_to_segment(p, c[i], c[(i + 1) % 3]));
    }
    double height = vec3_dot(normal, vec3_sub(p, c[0]));
    return above ? height * height / squared(normal) : least;
}

/* The solid angle of a triangle (Van Oosterom and Strackee). */
static double angle_of(carom_vec3 p, const carom_vec3 c[3])
{
    carom_vec3 u = vec3_sub(c[0], p), v = vec3_sub(c[1], p), w = vec3_sub(c[2], p);
    double a = vec3_length(u), b = vec3_length(v), d = vec3_length(w);
    double below = a * b * d + vec3_dot(u, v) * d + vec3_dot(v, w) * a + vec3_dot(w, u) * b;
    return 2.0 * atan2(vec3_dot(u, vec3_cross(v, w)), below);
}

/* How far inside a body is the point? Negative: outside, or on it. */
static double depth_in(const image_placed *body, carom_vec3 p)
{
    double least = INFINITY, angle = 0.0;
    for (uint32_t i = 0; i < body->mesh->triangle_count; i++)
    {
        const uint32_t *index = body->mesh->indices + 3 * (size_t)i;
        carom_vec3 corner[3] = {body->points[index[0]], body->points[index[1]], body->points[index[2]]};
        least = fmin(least, squared_to_triangle(p, corner));
        angle += angle_of(p, corner);
    }
    return fabs(angle) > 6.2831853 ? sqrt(least) : -1.0; /* 4 pi times a whole number */
}

static double depth_in_both(const image_placed bodies[2], carom_vec3 p)
{
    double depth = depth_in(&bodies[0], p);
    return depth > 0.0 ? fmin(depth, depth_in(&bodies[1], p)) : depth;
}

/* The radius of the largest ball in both that a random search finds: points of the region, then better ones nearby. */
static double largest_ball(const image_placed bodies[2], const carom_aabb *region, check_random *random)
{
    carom_vec3 size = vec3_sub(region->max, region->min), best_at = region->min;
    double best = -1.0;
    for (int i = 0; i < 160; i++)
    {
        bool climbs = i >= 100 && best > 0.0;
        carom_vec3 t = climbs ? check_random_point(random, -best, best) : check_random_point(random, 0.0, 1.0);
        carom_vec3 p =
            climbs ? vec3_add(best_at, t)
                   : vec3(region->min.x + t.x * size.x, region->min.y + t.y * size.y, region->min.z + t.z * size.z);
        double depth = depth_in_both(bodies, p);
        if (depth > best)
            best = depth, best_at = p;
    }
    return best;
}

/* ---- pairs of bodies ---- */

typedef struct pair_stage
{
    world w;
    carom_scene *scene;
    carom_body_id ids[2];
    carom_engine *brute;
} pair_stage;

static pair_stage open_pair(const carom_mesh *a, const carom_mesh *b, const world *w)
{
    pair_stage s = {.w = *w};
    const carom_mesh *meshes[2] = {a, b};
    assert_int_equal(carom_scene_create(w->context, &s.scene), CAROM_OK);
    for (int i = 0; i < 2; i++)
    {
        carom_body_def def = carom_body_def_default();
        def.placed.shape = carom_shape_mesh(meshes[i]);
        assert_int_equal(carom_scene_add(s.scene, &def, &s.ids[i]), CAROM_OK);
    }
    assert_int_equal(carom_engine_create(w->context, &(carom_engine_def){.engine = "brute"}, &s.brute), CAROM_OK);
    return s;
}

static void close_pair(pair_stage *s)
{
    carom_engine_destroy(s->brute);
    carom_scene_destroy(s->scene);
}

static bool meet(const world *w, const carom_mesh *const meshes[2], const carom_pose poses[2])
{
    carom_placed a = {carom_shape_mesh(meshes[0]), poses[0]}, b = {carom_shape_mesh(meshes[1]), poses[1]};
    carom_collide_options options = carom_collide_options_default();
    carom_report report;
    options.mode = CAROM_COLLIDE_ANY;
    assert_int_equal(carom_collide(w->query, &a, &b, &options, &report), CAROM_OK);
    return report.pair_count > 0;
}

/* Two poses around contact: b comes from far away until it touches a, then goes on by up to `deeper`. */
static void choose_poses(const world *w, const carom_mesh *const meshes[2], check_random *random, double deeper,
                         carom_pose poses[2])
{
    poses[0] = world_random_pose(random, 0.0), poses[1] = world_random_pose(random, 0.0);
    carom_vec3 way = check_random_point(random, -1.0, 1.0), aside = check_random_point(random, -0.3, 0.3);
    way = vec3_scale(way, 1.0 / vec3_length(way));
    double low = 0.0, high = 4.0;
    for (int i = 0; i < 14; i++)
    {
        double middle = 0.5 * (low + high);
        poses[1].translation = vec3_add(aside, vec3_scale(way, middle));
        *(meet(w, meshes, poses) ? &low : &high) = middle;
    }
    double at = low - check_uniform(random, -0.2, 1.0) * deeper;
    poses[1].translation = vec3_add(aside, vec3_scale(way, at));
}

/* ---- one engine ---- */

typedef struct tally
{
    uint64_t pairs, meeting, found, missed, judged;
    double largest; /* ball of a missed pair, over the stated size */
} tally;

static void judge_miss(const carom_mesh *const meshes[2], const carom_pose poses[2], double size, check_random *random,
                       tally *t)
{
    image_placed bodies[2];
    carom_aabb box[2];
    for (int i = 0; i < 2; i++)
        bodies[i] = (image_placed){meshes[i], survey_place(meshes[i], &poses[i], &box[i])};
    carom_aabb region = {vec3_max(box[0].min, box[1].min), vec3_min(box[0].max, box[1].max)};
    double radius = largest_ball(bodies, &region, random);
    free((void *)bodies[0].points), free((void *)bodies[1].points);
    t->judged++;
    t->largest = fmax(t->largest, 2.0 * radius / size);
    if (2.0 * radius >= size)
        fail_msg("missed, though the intersection holds a ball of diameter %g, and %g is stated", 2.0 * radius, size);
}

static void run_pair(pair_stage *s, carom_engine *engine, const carom_mesh *const meshes[2], const carom_pose poses[2],
                     check_random *random, tally *t)
{
    carom_scene_report truth, report;
    carom_frame frame;
    for (int i = 0; i < 2; i++)
        assert_int_equal(carom_scene_move(s->scene, s->ids[i], &poses[i]), CAROM_OK);
    assert_int_equal(carom_scene_frame(s->scene, &frame), CAROM_OK);
    assert_int_equal(carom_engine_run(s->brute, &frame, NULL, &truth), CAROM_OK);
    assert_int_equal(carom_engine_run(engine, &frame, NULL, &report), CAROM_OK);
    t->pairs++, t->meeting += truth.pair_count > 0;
    assert_true(truth.counters.sampled_size == 0.0);
    if (report.hash == truth.hash)
    {
        t->found += truth.pair_count > 0;
        return;
    }
    assert_int_equal(report.pair_count, 0); /* what is reported is exact */
    assert_true(report.counters.sampled_size > 0.0);
    t->missed++;
    judge_miss(meshes, poses, report.counters.sampled_size, random, t);
}

static const char *const SAMPLED[] = {"rossignac", "shinya", "myszkowski"};

static carom_engine *open_engine(const world *w, const carom_engine_def *def)
{
    carom_engine *engine = NULL;
    carom_status status = carom_engine_create(w->context, def, &engine);
    if (status == CAROM_UNAVAILABLE)
        printf("%s is left out: there is no driver\n", def->engine);
    else
        assert_int_equal(status, CAROM_OK);
    return engine;
}

static void run_meshes(const world *w, const carom_mesh *const meshes[2], const char *name, int rounds,
                       check_random *random, tally *t)
{
    carom_engine_def def = {.engine = name, .image_side = 1u << (1 + check_next(random) % 7)};
    def.image_accuracy = check_next(random) % 4 ? check_uniform(random, 0.03, 0.3) : 0.0;
    carom_engine *engine = open_engine(w, &def);
    if (!engine)
        return;
    pair_stage s = open_pair(meshes[0], meshes[1], w);
    for (int i = 0; i < rounds; i++)
    {
        carom_pose poses[2];
        choose_poses(w, meshes, random, check_next(random) % 2 ? 0.05 : 0.4, poses);
        run_pair(&s, engine, meshes, poses, random, t);
    }
    close_pair(&s);
    carom_engine_destroy(engine);
}

static int test_scale(void)
{
    const char *scale = getenv("CAROM_TEST_SCALE");
    return scale ? atoi(scale) : 1;
}

static void say(const char *name, const tally *t)
{
    printf("%s: %llu pairs, %llu meet, %llu found, %llu missed; the largest ball missed is %.3f of the stated size\n",
           name, (unsigned long long)t->pairs, (unsigned long long)t->meeting, (unsigned long long)t->found,
           (unsigned long long)t->missed, t->largest);
}

static void test_sampled(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *meshes[SURVEY_MESHES];
    survey_make(&w, meshes);
    for (size_t e = 0; e < sizeof SAMPLED / sizeof SAMPLED[0]; e++)
    {
        check_random random = {5 + e};
        tally t = {0};
        for (int i = 0; i < 60 * test_scale(); i++)
        {
            const carom_mesh *pair[2];
            for (int body = 0; body < 2; body++)
                pair[body] = survey_pick(meshes, SAMPLED[e], &random);
            run_meshes(&w, pair, SAMPLED[e], 30, &random, &t);
        }
        say(SAMPLED[e], &t);
        if (t.pairs == 0)
            continue;
        assert_true(t.found > t.pairs / 4 && t.missed > t.pairs / 50);
        assert_true(t.largest > 0.2); /* the stated size means something */
    }
    survey_free(meshes);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sampled)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
