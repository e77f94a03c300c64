/* How good is the size that the sampled methods state? Bodies whose boxes share a large region and which meet in a
 * small place of it, where a ball of known size fits: it may be missed up to nearly the stated size, and never above.
 */
#include "survey.h"

/* ---- bodies of several parts ---- */

enum
{
    MAX_VERTICES = 1000
};

typedef struct parts
{
    double vertices[3 * MAX_VERTICES];
    uint32_t indices[6 * MAX_VERTICES];
    uint32_t vertex_count, triangle_count;
} parts;

/* Adds a mesh: its vertices times a scale, moved. */
static void add(parts *p, const carom_mesh *mesh, double scale, carom_vec3 at)
{
    assert_true(p->vertex_count + mesh->vertex_count <= MAX_VERTICES);
    for (uint32_t i = 0; i < 3 * mesh->triangle_count; i++)
        p->indices[3 * p->triangle_count + i] = p->vertex_count + mesh->indices[i];
    for (uint32_t i = 0; i < mesh->vertex_count; i++)
    {
        carom_vec3 v = vec3_add(at, vec3_scale(mesh->vertices[i], scale));
        memcpy(p->vertices + 3 * (size_t)p->vertex_count++, &v, sizeof v);
    }
    p->triangle_count += mesh->triangle_count;
}

static carom_mesh *finish(const world *w, const parts *p)
{
    return world_mesh(w, p->vertices, p->vertex_count, p->indices, p->triangle_count);
}

/* ---- one pair ---- */

typedef struct tally
{
    uint64_t pairs, missed;
    double largest; /* ball that was missed, over the stated size */
} tally;

static void judge(const world *w, const char *name, carom_mesh *const meshes[2], double diameter, uint32_t side,
                  tally *t)
{
    carom_engine *engine;
    carom_scene *scene;
    carom_frame frame;
    carom_scene_report report;
    carom_engine_def def = {.engine = name, .image_side = side, .image_accuracy = 1e-9};
    assert_int_equal(carom_engine_create(w->context, &def, &engine), CAROM_OK);
    assert_int_equal(carom_scene_create(w->context, &scene), CAROM_OK);
    for (int i = 0; i < 2; i++)
    {
        carom_body_def body = carom_body_def_default();
        carom_body_id id;
        body.placed.shape = carom_shape_mesh(meshes[i]);
        assert_int_equal(carom_scene_add(scene, &body, &id), CAROM_OK);
    }
    assert_int_equal(carom_scene_frame(scene, &frame), CAROM_OK);
    assert_int_equal(carom_engine_run(engine, &frame, &(carom_collide_options){.mode = CAROM_COLLIDE_ALL}, &report),
                     CAROM_OK);
    double size = report.counters.sampled_size;
    t->pairs++;
    if (report.pair_count == 0)
    {
        t->missed++, t->largest = fmax(t->largest, diameter / size);
        if (diameter >= size)
            fail_msg("%s: a ball of diameter %g is missed, and %g is stated", name, diameter, size);
    }
    carom_scene_destroy(scene);
    carom_engine_destroy(engine);
}

static void say(const char *name, const tally *t)
{
    printf("%s: %llu of %llu missed; the largest ball missed is %.3f of the stated size\n", name,
           (unsigned long long)t->missed, (unsigned long long)t->pairs, t->largest);
}

/* ---- a ball somewhere in a unit cube ---- */

/* The first body is a cage around the ball, smaller than it in one direction, so that surfaces cross; both have small
 * cubes at corners of the unit cube, not the same ones. */
static void hide_ball(const world *w, const char *name, check_random *random, carom_mesh *const shapes[2], tally *t)
{
    static parts a, b;
    uint32_t side = 3 + (uint32_t)(check_next(random) % 6);
    double diameter = check_uniform(random, 0.6, 2.0) / side;
    carom_vec3 at = check_random_point(random, 0.35, 0.65);
    a.vertex_count = a.triangle_count = b.vertex_count = b.triangle_count = 0;
    const double low = 0.005, high = 0.995;
    add(&a, shapes[0], 0.01, vec3(low, low, low)), add(&a, shapes[0], 0.01, vec3(high, high, high));
    add(&b, shapes[0], 0.01, vec3(low, low, high)), add(&b, shapes[0], 0.01, vec3(high, high, low));
    /* the cube's faces are just where the ball's outermost vertices are */
    add(&a, shapes[0], 0.999 * diameter, at);
    add(&b, shapes[1], diameter, at);
    carom_mesh *meshes[2] = {finish(w, &a), finish(w, &b)};
    /* a ball within the polyhedron and the cube: the polyhedron of 320 triangles is at most 2% smaller than its sphere
     */
    judge(w, name, meshes, 0.97 * diameter, side, t);
    carom_mesh_destroy(meshes[0]), carom_mesh_destroy(meshes[1]);
}

static void test_hidden_balls(void **state)
{
    static const char *const names[] = {"rossignac", "shinya"};
    (void)state;
    world w = world_open();
    gpu_device *device = survey_open_device(w.context, NULL);
    gpu_close(device);
    carom_mesh *shapes[2] = {world_box(&w, -0.5, -0.5, -0.5, 0.5, 0.5, 0.5), world_shape(&w, GENERATE_ICO_SPHERE, 320)};
    for (int e = 0; e < 2 && device; e++)
    {
        check_random random = {3};
        tally t = {0};
        for (int i = 0; i < 300; i++)
            hide_ball(&w, names[e], &random, shapes, &t);
        say(names[e], &t);
        assert_true(t.largest > 0.7 && t.missed > t.pairs / 20 && t.missed < t.pairs * 9 / 10);
    }
    carom_mesh_destroy(shapes[0]), carom_mesh_destroy(shapes[1]);
    world_close(&w);
}

/* ---- two bars ---- */

/* A bar along a direction, with a square section. */
static carom_mesh *make_bar(const world *w, carom_vec3 along, carom_vec3 middle, double thickness)
{
    double vertices[24];
    carom_vec3 up = vec3(0.0, 0.0, 1.0), aside = vec3_cross(up, along);
    world_box_vertices((double[3]){-1, -0.5, -0.5}, (double[3]){1, 0.5, 0.5}, vertices);
    for (int i = 0; i < 8; i++)
    {
        carom_vec3 v = vec3_add(middle, vec3_scale(along, vertices[3 * i]));
        v = vec3_add(v, vec3_scale(aside, thickness * vertices[3 * i + 1]));
        v = vec3_add(v, vec3_scale(up, thickness * vertices[3 * i + 2]));
        memcpy(vertices + 3 * (size_t)i, &v, sizeof v);
    }
    return world_mesh(w, vertices, 8, WORLD_BOX_INDICES, 12);
}

static void test_bars(void **state)
{
    (void)state;
    world w = world_open();
    gpu_device *device = survey_open_device(w.context, NULL);
    gpu_close(device);
    check_random random = {8};
    tally t = {0};
    for (int i = 0; i < 400 && device; i++)
    {
        uint32_t side = 3 + (uint32_t)(check_next(&random) % 6);
        double thickness = check_uniform(&random, 0.5, 3.0) / side, turn = check_uniform(&random, 0.6, 0.95);
        carom_vec3 along = vec3(turn, sqrt(1.0 - turn * turn), 0.0), aside = vec3(along.x, -along.y, 0.0);
        carom_vec3 middle = vec3(check_uniform(&random, -0.2, 0.2), check_uniform(&random, -0.2, 0.2), 0.0);
        carom_mesh *meshes[2] = {make_bar(&w, along, vec3(0.0, 0.0, 0.0), thickness),
                                 make_bar(&w, aside, middle, thickness)};
        /* the middle lines cross within both, and a ball of the bars' thickness fits around that point */
        judge(&w, "myszkowski", meshes, thickness, side, &t);
        carom_mesh_destroy(meshes[0]), carom_mesh_destroy(meshes[1]);
    }
    say("myszkowski", &t);
    assert_true(!device || (t.largest > 0.4 && t.missed > t.pairs / 20 && t.missed < t.pairs * 9 / 10));
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hidden_balls), cmocka_unit_test(test_bars)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
