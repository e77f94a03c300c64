/* Front and back images of bodies: drawn and computed alike, to the bit; pixels against rays; points of cloth against
 * exact containment; particles against what they must do on known surfaces; bad input. */
#include "images.h"

#include "engine/image/image_camera.h"
#include "support/each_failure.h"

/* ---- shots ---- */

static carom_image_camera random_camera(check_random *random)
{
    carom_image_camera camera = {.pose = world_random_pose(random, 0.2), .perspective = check_next(random) % 2};
    camera.width = check_uniform(random, 0.5, 2.0), camera.height = check_uniform(random, 0.5, 2.0);
    camera.near_distance = camera.perspective ? check_uniform(random, 0.01, 0.3) : check_uniform(random, -1.0, 0.0);
    camera.far_distance = check_uniform(random, 0.6, 3.0);
    camera.columns = 1 + (uint32_t)(check_next(random) % 90), camera.rows = 1 + (uint32_t)(check_next(random) % 90);
    return camera;
}

static void test_texels(void **state)
{
    images *b = *state;
    if (!b->drawn)
        skip();
    check_random random = {41};
    carom_mesh *meshes[] = {world_shape(&b->w, GENERATE_HAND, 900), world_shape(&b->w, GENERATE_BOX, 12),
                            world_shape(&b->w, GENERATE_CLOTH, 500)};
    uint64_t texels = 0, covered = 0;
    assert_int_equal(image_begin(b->drawn), CAROM_OK);
    for (int i = 0; i < 80; i++)
    {
        carom_placed bodies[2] = {{carom_shape_mesh(meshes[i % 3]), carom_pose_identity()},
                                  {carom_shape_mesh(meshes[(i + 1) % 3]), world_random_pose(&random, 0.5)}};
        image_shot shot = {.context = b->w.context, .bodies = bodies, .body_count = 2};
        carom_image_camera camera = random_camera(&random);
        assert_int_equal(image_eye_open(b->drawn, &camera, &shot.eye), CAROM_OK);
        assert_int_equal(image_shot_load(&shot), CAROM_OK);
        size_t count = (size_t)camera.columns * camera.rows;
        uint32_t *numbers[2] = {calloc(count, 4), calloc(count, 4)};
        float *depths[2] = {calloc(count, 4), calloc(count, 4)};
        image_surface_job job = {&shot.records, camera.columns, camera.rows, i % 3 == 0, numbers[0], depths[0]};
        assert_int_equal(image_surface_draw(&b->drawn->surface, &job), CAROM_OK);
        job.numbers = numbers[1], job.depths = depths[1];
        image_surface_draw_twin(&job);
        assert_memory_equal(numbers[0], numbers[1], count * 4);
        assert_memory_equal(depths[0], depths[1], count * 4);
        for (size_t k = 0; k < count; k++)
            covered += numbers[0][k] != 0;
        texels += count;
        for (int k = 0; k < 2; k++)
            free(numbers[k]), free(depths[k]);
        image_shot_free(&shot);
    }
    assert_int_equal(image_end(b->drawn, CAROM_OK), CAROM_OK);
    printf("%llu texels, %llu with a triangle\n", (unsigned long long)texels, (unsigned long long)covered);
    assert_true(covered > texels / 8 && covered < texels);
    for (int i = 0; i < 3; i++)
        carom_mesh_destroy(meshes[i]);
}

/* What a pixel shows is what the ray through its centre meets first. */
static void test_rays(void **state)
{
    images *b = *state;
    check_random random = {43};
    carom_mesh *mesh = world_shape(&b->w, GENERATE_HAND, 900);
    carom_placed body = {carom_shape_mesh(mesh), carom_pose_identity()};
    uint64_t pixels = 0, hits = 0, differing = 0;
    for (int i = 0; i < 30; i++)
    {
        carom_image_camera camera = random_camera(&random);
        image_shot shot = {.context = b->w.context, .bodies = &body, .body_count = 1};
        assert_int_equal(image_begin(images_best(b)), CAROM_OK);
        assert_int_equal(image_eye_open(images_best(b), &camera, &shot.eye), CAROM_OK);
        assert_int_equal(image_shot_load(&shot), CAROM_OK);
        assert_int_equal(image_end(images_best(b), image_shot_take(images_best(b), &shot, false)), CAROM_OK);
        for (uint32_t k = 0; k < camera.columns * camera.rows; k++)
        {
            uint32_t column = k % camera.columns, row = k / camera.columns;
            double x = ((column + 0.5) / camera.columns - 0.5) * camera.width;
            double y = ((row + 0.5) / camera.rows - 0.5) * camera.height, near = camera.near_distance;
            carom_vec3 way = camera.perspective ? vec3(x, y, -1.0) : vec3(0.0, 0.0, -1.0);
            carom_vec3 from = camera.perspective ? vec3(near * x, near * y, -near) : vec3(x, y, -near);
            carom_ray ray = {.origin = pose_apply(&camera.pose, from), .max_t = camera.far_distance - near};
            ray.direction = vec3_sub(pose_apply(&camera.pose, way), camera.pose.translation);
            carom_ray_report report;
            assert_int_equal(carom_ray_cast(b->w.query, &body, &ray, CAROM_RAY_FIRST, &report), CAROM_OK);
            image_seen_point seen;
            bool found = image_shot_look(&shot, column, row, &seen), hit = report.hit_count > 0;
            double expected = hit ? report.hits[0].t + near : camera.far_distance;
            pixels++, hits += hit;
            bool same = found == hit && (!hit || fabs(seen.distance - expected) < 1e-5 * camera.far_distance);
            differing += !same; /* rims, where a centre is next to an edge */
        }
        image_shot_free(&shot);
    }
    printf("%llu pixels, %llu hits, %llu differ from rays\n", (unsigned long long)pixels, (unsigned long long)hits,
           (unsigned long long)differing);
    assert_true(hits > pixels / 20 && differing * 2000 < pixels);
    carom_mesh_destroy(mesh);
}

/* ---- cloth ---- */

/* How far a point is from the surface; negative: inside. */
static double signed_distance(images *b, const carom_placed *body, carom_vec3 at)
{
    carom_placed point = {carom_shape_sphere(0.0), carom_pose_translation(at.x, at.y, at.z)};
    carom_report report;
    assert_int_equal(carom_collide(b->w.query, &point, body, NULL, &report), CAROM_OK);
    bool inside = report.relation == CAROM_RELATION_A_INSIDE_B;
    assert_int_equal(carom_distance(b->w.query, &point, body, NULL, &report), CAROM_OK);
    return inside ? -report.distance : report.distance;
}

static void judge_cloth(images *b, check_random *random, const carom_mesh *mesh, bool convex, uint64_t counts[3])
{
    enum
    {
        POINTS = 150
    };
    carom_vec3 points[POINTS];
    carom_image_cloth_point out[POINTS], twin[POINTS];
    carom_image_cloth_result result, other;
    carom_image_cloth_def def = {.body = {carom_shape_mesh(mesh), world_random_pose(random, 1e4)}};
    def.axis = (carom_image_axis)(check_next(random) % 4), def.resolution = 20 + (uint32_t)(check_next(random) % 200);
    def.points = points, def.point_count = POINTS;
    for (int i = 0; i < POINTS; i++)
        points[i] = vec3_add(def.body.pose.translation, check_random_point(random, -0.6, 0.6));
    assert_int_equal(carom_image_cloth(images_best(b), &def, out, &result), CAROM_OK);
    assert_int_equal(carom_image_cloth(b->computed, &def, twin, &other), CAROM_OK);
    assert_memory_equal(&result, &other, sizeof result);
    for (int i = 0; i < POINTS; i++)
    {
        double distance = signed_distance(b, &def.body, points[i]);
        assert_true(out[i].inside == twin[i].inside && out[i].depth == twin[i].depth);
        counts[0] += out[i].inside, counts[1] += distance<-0.5 * result.size, counts[2] += distance> result.size;
        if (distance < -0.5 * result.size)
            assert_true(out[i].inside);
        if (convex && distance > result.size)
            assert_false(out[i].inside);
        if (!out[i].inside)
            continue;
        check_near(vec3_length(out[i].normal), 1.0, 1e-9);
        check_near(vec3_length(vec3_sub(out[i].surface, points[i])), out[i].depth, 1e-9 * 1e4);
        assert_true(out[i].depth >= 0.0);
    }
}

static void test_cloth(void **state)
{
    images *b = *state;
    check_random random = {47};
    uint64_t counts[3] = {0};
    carom_mesh *convex[] = {world_shape(&b->w, GENERATE_ICO_SPHERE, 500), world_shape(&b->w, GENERATE_BOX, 12),
                            world_shape(&b->w, GENERATE_RUBBLE, 60)};
    carom_mesh *hand = world_shape(&b->w, GENERATE_HAND, 700);
    for (int i = 0; i < 24; i++)
        judge_cloth(b, &random, convex[i % 3], true, counts);
    for (int i = 0; i < 8; i++)
        judge_cloth(b, &random, hand, false, counts);
    printf("%llu points inside by image, %llu surely, %llu surely outside\n", (unsigned long long)counts[0],
           (unsigned long long)counts[1], (unsigned long long)counts[2]);
    assert_true(counts[1] > 300 && counts[2] > 300);
    /* the normal of the nearer side of a box, and how deep a point is */
    carom_mesh *box = world_box(&b->w, 0, 0, 0, 4, 3, 1);
    carom_vec3 points[] = {{1.0, 1.0, 0.25}, {1.0, 1.0, 0.875}, {1.0, 1.0, 1.5}, {9.0, 9.0, 0.5}};
    carom_image_cloth_point out[4];
    carom_image_cloth_result result;
    carom_image_cloth_def def = {
        .body = {carom_shape_mesh(box), carom_pose_identity()}, .points = points, .point_count = 4};
    assert_int_equal(carom_image_cloth(images_best(b), &def, out, &result), CAROM_OK);
    assert_int_equal(result.axis, CAROM_IMAGE_AXIS_Z);
    assert_true(out[0].inside && out[1].inside && !out[2].inside && !out[3].inside);
    check_near(out[0].depth, 0.25, 1e-9);
    check_near(out[0].normal.z, -1.0, 1e-12);
    check_near(out[1].depth, 0.125, 1e-9);
    check_near(out[1].normal.z, 1.0, 1e-12);
    check_near(out[1].surface.z, 1.0, 1e-9);
    for (int i = 0; i < 3; i++)
        carom_mesh_destroy(convex[i]);
    carom_mesh_destroy(hand), carom_mesh_destroy(box);
}

/* ---- particles ---- */

/* A camera above a floor at z = 0, looking down. */
static carom_image_camera look_down(bool perspective)
{
    carom_image_camera camera = {.pose = carom_pose_translation(0.0, 0.0, 10.0), .perspective = perspective};
    camera.width = camera.height = perspective ? 1.0 : 8.0;
    camera.near_distance = 1.0, camera.far_distance = 20.0;
    camera.columns = 64, camera.rows = 48;
    return camera;
}

static void test_particles(void **state)
{
    images *b = *state;
    carom_mesh *floor = world_box(&b->w, -4, -4, -1, 4, 4, 0);
    carom_placed body = {carom_shape_mesh(floor), carom_pose_identity()};
    const carom_particle particles[] = {
        {{0.5, 0.5, 1.0}, {0, 0, -1}, 0.1},   /* far above */
        {{0.5, 0.5, 0.05}, {1, 0, -1}, 0.1},  /* about to touch */
        {{0.5, 0.5, -0.1}, {0, 0, -2}, 0.0},  /* just went in */
        {{0.5, 0.5, 0.05}, {0, 0, 1}, 0.1},   /* leaving */
        {{0.5, 0.5, -0.1}, {0, 0, 1}, 0.05},  /* comes from behind */
        {{0.5, 0.5, -0.5}, {0, 0, -1}, 0.05}, /* too deep */
        {{50.0, 0.0, 1.0}, {0, 0, -1}, 0.1},  /* out of view */
        {{0.5, 0.5, 11.0}, {0, 0, -1}, 0.1},  /* behind the camera */
    };
    const carom_particle_fate fates[] = {CAROM_PARTICLE_FREE,   CAROM_PARTICLE_HIT,    CAROM_PARTICLE_HIT,
                                         CAROM_PARTICLE_FREE,   CAROM_PARTICLE_BEHIND, CAROM_PARTICLE_UNSEEN,
                                         CAROM_PARTICLE_UNSEEN, CAROM_PARTICLE_UNSEEN};
    for (int perspective = 0; perspective < 2; perspective++)
    {
        carom_particle_hit out[8];
        carom_image_particles_result result;
        carom_image_particles_def def = {.camera = look_down(perspective),
                                         .bodies = &body,
                                         .body_count = 1,
                                         .thickness = 0.3,
                                         .particles = particles,
                                         .particle_count = 8};
        assert_int_equal(carom_image_particles(images_best(b), &def, out, &result), CAROM_OK);
        for (int i = 0; i < 8; i++)
            assert_int_equal(out[i].fate, fates[i]);
        assert_true(result.hits == 2 && result.behind == 1 && result.unseen == 3);
        check_near(out[1].position.z, 0.1, 1e-9);
        check_near(out[1].position.x, 0.45, 1e-9);
        check_near(out[1].velocity.z, 1.0, 1e-12);
        check_near(out[1].velocity.x, 1.0, 1e-12);
        check_near(out[2].position.z, 0.0, 1e-9);
        check_near(out[1].normal.z, 1.0, 1e-12);
        assert_int_equal(out[1].body, 0);
    }
    carom_mesh_destroy(floor);
}

/* Drops on a ball bounce off along its radius; the same on the processor. */
static void test_drops(void **state)
{
    images *b = *state;
    enum
    {
        DROPS = 2000
    };
    check_random random = {53};
    carom_mesh *ball = world_shape(&b->w, GENERATE_ICO_SPHERE, 5000);
    carom_placed body = {carom_shape_mesh(ball), carom_pose_identity()};
    static carom_particle drops[DROPS];
    static carom_particle_hit out[DROPS], twin[DROPS];
    for (int i = 0; i < DROPS; i++)
    {
        carom_vec3 way = check_random_point(&random, -1.0, 1.0);
        way.z = fabs(way.z) + 1.0;
        drops[i].position = vec3_scale(way, check_uniform(&random, 0.47, 0.55) / vec3_length(way));
        drops[i].velocity = vec3_scale(way, -1.0), drops[i].radius = 0.01;
    }
    carom_image_camera camera = look_down(false);
    camera.width = camera.height = 1.1, camera.columns = camera.rows = 256;
    carom_image_particles_def def = {.camera = camera,
                                     .bodies = &body,
                                     .body_count = 1,
                                     .thickness = 0.1,
                                     .particles = drops,
                                     .particle_count = DROPS};
    carom_image_particles_result result;
    assert_int_equal(carom_image_particles(images_best(b), &def, out, &result), CAROM_OK);
    assert_int_equal(carom_image_particles(b->computed, &def, twin, &result), CAROM_OK);
    uint64_t hits = 0;
    for (int i = 0; i < DROPS; i++)
    {
        assert_true(out[i].fate == twin[i].fate && out[i].position.x == twin[i].position.x);
        double height = vec3_length(drops[i].position) - 0.5;
        if (fabs(height - 0.01) > 0.01) /* more than the ball's facets and pixels explain */
            assert_int_equal(out[i].fate, height < 0.01 ? CAROM_PARTICLE_HIT : CAROM_PARTICLE_FREE);
        if (out[i].fate != CAROM_PARTICLE_HIT)
            continue;
        hits++;
        carom_vec3 radial = vec3_scale(drops[i].position, 1.0 / vec3_length(drops[i].position));
        assert_true(vec3_dot(out[i].normal, radial) > 0.98);
        check_near(vec3_length(out[i].position), 0.51, 0.01);
        assert_true(vec3_dot(out[i].velocity, radial) > 0.0);
    }
    printf("%llu of %d drops hit\n", (unsigned long long)hits, DROPS);
    assert_true(hits > DROPS / 5 && hits < DROPS * 4 / 5);
    carom_mesh_destroy(ball);
}

/* ---- bad input ---- */

static void test_bad_input(void **state)
{
    images *b = *state;
    carom_image *image = images_best(b);
    carom_mesh *box = world_box(&b->w, 0, 0, 0, 1, 1, 1), *empty = world_mesh(&b->w, NULL, 0, NULL, 0);
    carom_mesh *flat = world_box(&b->w, 0, 0, 0, 1, 1, 0);
    carom_vec3 point = {0.5, 0.5, 0.5};
    carom_image_cloth_point placed;
    carom_image_cloth_result cloth;
    carom_image_cloth_def def = {.body = {carom_shape_mesh(box), carom_pose_identity()}, .points = &point}, bad;
    assert_int_equal(carom_image_cloth(image, &def, NULL, &cloth), CAROM_OK);
    def.point_count = 1;
    assert_int_equal(carom_image_cloth(image, &def, NULL, &cloth), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_image_cloth(image, NULL, &placed, &cloth), CAROM_INVALID_ARGUMENT);
    bad = def, bad.resolution = 1000000;
    assert_int_equal(carom_image_cloth(image, &bad, &placed, &cloth), CAROM_TOO_LARGE);
    bad = def, bad.body.shape = carom_shape_mesh(empty);
    assert_int_equal(carom_image_cloth(image, &bad, &placed, &cloth), CAROM_OK);
    assert_false(placed.inside);
    for (int axis = 1; axis < 4; axis++) /* edge on, too */
    {
        bad = def, bad.body.shape = carom_shape_mesh(flat), bad.axis = (carom_image_axis)axis;
        assert_int_equal(carom_image_cloth(image, &bad, &placed, &cloth), CAROM_OK);
    }
    bad = def, bad.resolution = 1;
    assert_int_equal(carom_image_cloth(image, &bad, &placed, &cloth), CAROM_OK);
    assert_true(placed.inside);
    bad = def, bad.body.pose = carom_pose_translation(1e9, 0.0, 0.0);
    carom_vec3 far = {1e9 + 0.5, 0.5, 0.5};
    bad.points = &far;
    assert_int_equal(carom_image_cloth(image, &bad, &placed, &cloth), CAROM_OK);
    assert_true(placed.inside);
    point.x = NAN;
    assert_int_equal(carom_image_cloth(image, &def, &placed, &cloth), CAROM_NOT_FINITE);

    carom_particle particle = {{0, 0, 1}, {0, 0, -1}, 0.1};
    carom_particle_hit hit;
    carom_image_particles_result result;
    carom_image_particles_def fine = {.camera = look_down(true),
                                      .thickness = 1.0,
                                      .particles = &particle,
                                      .particle_count = 1},
                              odd;
    assert_int_equal(carom_image_particles(image, &fine, &hit, &result), CAROM_OK); /* no bodies */
    assert_int_equal(hit.fate, CAROM_PARTICLE_FREE);
    odd = fine, odd.thickness = 0.0;
    assert_int_equal(carom_image_particles(image, &odd, &hit, &result), CAROM_INVALID_ARGUMENT);
    odd = fine, odd.camera.width = NAN;
    assert_int_equal(carom_image_particles(image, &odd, &hit, &result), CAROM_NOT_FINITE);
    odd = fine, odd.camera.near_distance = 0.0;
    assert_int_equal(carom_image_particles(image, &odd, &hit, &result), CAROM_INVALID_ARGUMENT);
    odd = fine, odd.camera.columns = 0;
    assert_int_equal(carom_image_particles(image, &odd, &hit, &result), CAROM_INVALID_ARGUMENT);
    odd = fine, odd.camera.columns = 1000000;
    assert_int_equal(carom_image_particles(image, &odd, &hit, &result), CAROM_TOO_LARGE);
    odd = fine, odd.camera.pose.rotation[0] = 2.0;
    assert_int_equal(carom_image_particles(image, &odd, &hit, &result), CAROM_NOT_RIGID);
    particle.velocity.y = INFINITY;
    assert_int_equal(carom_image_particles(image, &fine, &hit, &result), CAROM_NOT_FINITE);
    carom_placed ball = {carom_shape_sphere(1.0), carom_pose_identity()};
    odd = fine, odd.bodies = &ball, odd.body_count = 1;
    assert_int_equal(carom_image_particles(image, &odd, &hit, &result), CAROM_UNSUPPORTED);
    carom_mesh_destroy(box), carom_mesh_destroy(empty), carom_mesh_destroy(flat);
}

typedef struct cloth_question
{
    carom_image *image;
    carom_placed body;
} cloth_question;

static carom_status ask_for_cloth(carom_context *context, void *user)
{
    const cloth_question *question = user;
    carom_vec3 point = {0.5, 0.5, 0.5};
    carom_image_cloth_point placed;
    carom_image_cloth_result cloth;
    carom_image_cloth_def def = {.body = question->body, .points = &point, .point_count = 1};
    (void)context;
    return carom_image_cloth(question->image, &def, &placed, &cloth);
}

static void test_no_memory(void **state)
{
    (void)state;
    failing f = {0};
    world w = {.context = each_failure_context(&f)};
    carom_mesh *box = world_box(&w, 0, 0, 0, 1, 1, 1);
    carom_image *image;
    assert_int_equal(carom_image_create(w.context, &(carom_image_def){.on_processor = true}, &image), CAROM_OK);
    cloth_question question = {image, {carom_shape_mesh(box), carom_pose_identity()}};
    assert_true(each_failure(&f, w.context, 0, ask_for_cloth, &question) >= 4);
    carom_image_destroy(image);
    carom_mesh_destroy(box);
    carom_context_destroy(w.context);
    assert_int_equal(f.blocks_out, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texels),    cmocka_unit_test(test_rays),  cmocka_unit_test(test_cloth),
        cmocka_unit_test(test_particles), cmocka_unit_test(test_drops), cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, images_open, images_close);
}
