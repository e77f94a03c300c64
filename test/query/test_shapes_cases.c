/* Spheres, capsules and meshes in cases worked out by hand, of extreme sizes, and shapes that have to be refused. */
#include "query/world.h"

/* ---- cases worked out by hand ---- */

static carom_placed sphere_at(double radius, double x, double y, double z)
{
    return (carom_placed){carom_shape_sphere(radius), carom_pose_translation(x, y, z)};
}

static carom_placed capsule(carom_vec3 from, carom_vec3 to, double radius)
{
    return (carom_placed){carom_shape_capsule(from, to, radius), carom_pose_identity()};
}

static void check_relation(const world *w, const carom_placed *a, const carom_placed *b, carom_relation expected,
                           uint64_t pairs)
{
    carom_collide_options options = {.mode = CAROM_COLLIDE_ALL, .relation = true};
    carom_report report;
    assert_int_equal(carom_collide(w->query, a, b, &options, &report), CAROM_OK);
    if (report.relation != expected || report.pair_count != pairs)
        fail_msg("%s with %llu pairs, should be %s with %llu", carom_relation_name(report.relation),
                 (unsigned long long)report.pair_count, carom_relation_name(expected), (unsigned long long)pairs);
    /* Without asking, nothing that is inside is called apart. */
    options.relation = false;
    assert_int_equal(carom_collide(w->query, a, b, &options, &report), CAROM_OK);
    assert_true(report.relation != CAROM_RELATION_APART || expected == CAROM_RELATION_APART);
    options.mode = CAROM_COLLIDE_ANY;
    assert_int_equal(carom_collide(w->query, a, b, &options, &report), CAROM_OK);
    assert_true(report.relation != CAROM_RELATION_APART || expected == CAROM_RELATION_APART);
}

static void relations_of_solids(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *mesh = world_box(&w, -1, -1, -1, 1, 1, 1); /* 12 triangles */
    carom_placed box = world_place(mesh, 0, 0, 0), a, b;
    /* in a closed mesh */
    a = sphere_at(0.5, 0, 0, 0);
    check_relation(&w, &a, &box, CAROM_RELATION_A_INSIDE_B, 0);
    check_relation(&w, &box, &a, CAROM_RELATION_B_INSIDE_A, 0);
    a = sphere_at(0.5, 3, 0, 0);
    check_relation(&w, &a, &box, CAROM_RELATION_APART, 0);
    a = sphere_at(0.5, 0.5, 0.25, 0); /* touches the face x = 1 from within, in one triangle */
    check_relation(&w, &a, &box, CAROM_RELATION_A_INSIDE_B, 1);
    a = sphere_at(0.5, 1.5, 0.25, 0); /* and from outside */
    check_relation(&w, &a, &box, CAROM_RELATION_TOUCHING, 1);
    a = sphere_at(0.5, 1.25, 0.5, 0);
    check_relation(&w, &a, &box, CAROM_RELATION_OVERLAPPING, 2);
    a = sphere_at(0.0, 0, 0, 0.5); /* a point */
    check_relation(&w, &a, &box, CAROM_RELATION_A_INSIDE_B, 0);
    a = sphere_at(0.0, 1, 0.25, 0); /* on a face */
    check_relation(&w, &a, &box, CAROM_RELATION_TOUCHING, 1);
    /* around a mesh: every triangle is a part of the solid */
    a = sphere_at(2.0, 0, 0, 0);
    check_relation(&w, &a, &box, CAROM_RELATION_B_INSIDE_A, 12);
    a = sphere_at(1.7, 0, 0, 0); /* the corners stand out */
    check_relation(&w, &a, &box, CAROM_RELATION_OVERLAPPING, 12);
    b = world_place(mesh, 3, 4, 0);
    a = capsule((carom_vec3){3, 4, -1}, (carom_vec3){3, 4, 1}, 1.5);
    check_relation(&w, &b, &a, CAROM_RELATION_A_INSIDE_B, 12);
    /* segments */
    a = capsule((carom_vec3){-0.5, 0, 0}, (carom_vec3){0.5, 0.25, 0}, 0.0);
    check_relation(&w, &a, &box, CAROM_RELATION_A_INSIDE_B, 0);
    a = capsule((carom_vec3){0, 0, 0}, (carom_vec3){2, 2, 0.25}, 0.0); /* out through an edge: no pair crosses */
    check_relation(&w, &a, &box, CAROM_RELATION_OVERLAPPING, 2);
    a = capsule((carom_vec3){2, 2, 0.25}, (carom_vec3){0, 0, 0}, 0.0);
    check_relation(&w, &a, &box, CAROM_RELATION_OVERLAPPING, 2);
    a = capsule((carom_vec3){0, 2, 0.25}, (carom_vec3){2, 0, 0.25}, 0.0); /* past that edge, outside */
    check_relation(&w, &a, &box, CAROM_RELATION_TOUCHING, 2);
    a = capsule((carom_vec3){0.25, 1, 0.5}, (carom_vec3){0.5, 1, 0.25}, 0.0); /* in a face */
    check_relation(&w, &a, &box, CAROM_RELATION_TOUCHING, 1);
    a = capsule((carom_vec3){0, 0, 0}, (carom_vec3){1, 1, 0.125}, 0.0); /* ends on that edge */
    check_relation(&w, &a, &box, CAROM_RELATION_A_INSIDE_B, 2);
    a = capsule((carom_vec3){-1, -1, 0.125}, (carom_vec3){1, 1, 0.125}, 0.0); /* from edge to edge */
    check_relation(&w, &a, &box, CAROM_RELATION_A_INSIDE_B, 4);
    /* solids with each other */
    a = sphere_at(1, 0, 0, 0), b = sphere_at(0.25, 0.75, 0, 0); /* touches from within */
    check_relation(&w, &a, &b, CAROM_RELATION_B_INSIDE_A, 1);
    check_relation(&w, &b, &a, CAROM_RELATION_A_INSIDE_B, 1);
    b = sphere_at(0.25, 1.25, 0, 0); /* from outside */
    check_relation(&w, &a, &b, CAROM_RELATION_TOUCHING, 1);
    b = sphere_at(0.25, nextafter(1.25, 2.0), 0, 0);
    check_relation(&w, &a, &b, CAROM_RELATION_APART, 0);
    b = sphere_at(0.25, nextafter(0.75, 2.0), 0, 0);
    check_relation(&w, &a, &b, CAROM_RELATION_OVERLAPPING, 1);
    b = sphere_at(1, 0, 0, 0);
    check_relation(&w, &a, &b, CAROM_RELATION_EQUAL, 1);
    b = capsule((carom_vec3){0, 0, 0}, (carom_vec3){0, 0, 0}, 1.0);
    check_relation(&w, &a, &b, CAROM_RELATION_EQUAL, 1);
    b = capsule((carom_vec3){0.5, 0, 0}, (carom_vec3){-0.5, 0, 0}, 0.5);
    check_relation(&w, &b, &a, CAROM_RELATION_A_INSIDE_B, 1);
    b = capsule((carom_vec3){0.5, 0, 0}, (carom_vec3){0.5, 0, 0}, 0.5); /* of length 0: a sphere */
    check_relation(&w, &b, &a, CAROM_RELATION_A_INSIDE_B, 1);
    a = sphere_at(0, 0, 0, 0), b = sphere_at(0, 0, 0, 0);
    check_relation(&w, &a, &b, CAROM_RELATION_EQUAL, 1);
    b = capsule((carom_vec3){-1, 0, 0}, (carom_vec3){1, 0, 0}, 0.0); /* neither has an interior */
    check_relation(&w, &a, &b, CAROM_RELATION_SURFACES_MEET, 1);
    b = sphere_at(1, 1, 0, 0); /* a point on a sphere */
    check_relation(&w, &a, &b, CAROM_RELATION_TOUCHING, 1);
    carom_mesh_destroy(mesh);
    world_close(&w);
}

static void extreme_sizes(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *mesh = world_box(&w, -1, -1, -1, 1, 1, 1);
    carom_placed box = world_place(mesh, 0, 0, 0);
    carom_report report;
    carom_placed huge = sphere_at(0x1p100, 0x1p100, 0, 0); /* its surface passes the origin */
    assert_int_equal(carom_collide(w.query, &huge, &box, NULL, &report), CAROM_OK);
    assert_true(report.pair_count > 0);
    huge = sphere_at(0x1p99, 0x1p100, 0, 0);
    assert_int_equal(carom_distance(w.query, &box, &huge, NULL, &report), CAROM_OK);
    check_near(report.distance, 0x1p99, 0x1p60);
    carom_placed tiny = sphere_at(0x1p-1000, 1.0, 0.25, 0.0); /* centre on a face */
    assert_int_equal(carom_collide(w.query, &tiny, &box, NULL, &report), CAROM_OK);
    assert_int_equal(report.pair_count, 1);
    assert_int_equal(report.pairs[0].meeting, CAROM_MEET_CROSSING);
    tiny = sphere_at(0x1p-1074, nextafter(1.0, 2.0), 0.25, 0.0);
    assert_int_equal(carom_collide(w.query, &tiny, &box, NULL, &report), CAROM_OK);
    assert_int_equal(report.pair_count, 0);
    carom_mesh_destroy(mesh);
    world_close(&w);
}

/* ---- what is refused ---- */

static void check_refused(const world *w, const carom_shape *shape, carom_status expected, const char *culprit)
{
    carom_placed bad = {*shape, carom_pose_identity()}, good = sphere_at(1, 0, 0, 0);
    carom_report report;
    carom_ray ray = {{5, 0, 0}, {-1, 0, 0}, INFINITY};
    carom_ray_report hits;
    bool within;
    assert_int_equal(carom_collide(w->query, &bad, &good, NULL, &report), expected);
    world_check_message(w, "body a");
    world_check_message(w, culprit);
    assert_int_equal(carom_distance(w->query, &good, &bad, NULL, &report), expected);
    world_check_message(w, "body b");
    world_check_message(w, culprit);
    assert_int_equal(carom_within(w->query, &good, &bad, 1.0, &within), expected);
    assert_int_equal(carom_ray_cast(w->query, &bad, &ray, CAROM_RAY_FIRST, &hits), expected);
    world_check_message(w, culprit);
    carom_scene *scene = world_scene(w);
    carom_body_id id;
    carom_body_def def = carom_body_def_default();
    def.placed = bad;
    assert_int_equal(carom_scene_add(scene, &def, &id), expected);
    world_check_message(w, culprit);
    id = world_add(scene, good);
    assert_int_equal(carom_scene_reshape(scene, id, shape), expected);
    world_check_message(w, culprit);
    carom_scene_destroy(scene);
}

static void bad_shapes_are_named(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *mesh = world_box(&w, -1, -1, -1, 1, 1, 1);
    carom_tree_def def = carom_tree_def_default();
    carom_tree *tree;
    assert_int_equal(carom_tree_create(w.context, mesh, &def, &tree), CAROM_OK);
    static const struct
    {
        double radius;
        carom_status status;
        const char *culprit;
    } radii[] = {{-1.0, CAROM_INVALID_ARGUMENT, "negative"}, {-0x1p-1074, CAROM_INVALID_ARGUMENT, "negative"},
                 {NAN, CAROM_NOT_FINITE, "radius"},          {INFINITY, CAROM_NOT_FINITE, "radius"},
                 {-INFINITY, CAROM_NOT_FINITE, "radius"},    {0x1p101, CAROM_OUT_OF_RANGE, "2^100"}};
    const carom_vec3 zero = {0, 0, 0}, one = {1, 0, 0};
    for (size_t i = 0; i < sizeof radii / sizeof *radii; i++)
    {
        carom_shape sphere = carom_shape_sphere(radii[i].radius),
                    capsule_shape = carom_shape_capsule(zero, one, radii[i].radius);
        check_refused(&w, &sphere, radii[i].status, radii[i].culprit);
        check_refused(&w, &sphere, radii[i].status, "sphere");
        check_refused(&w, &capsule_shape, radii[i].status, radii[i].culprit);
        check_refused(&w, &capsule_shape, radii[i].status, "capsule");
    }
    for (int i = 0; i < 6; i++)
    {
        carom_shape bad = carom_shape_capsule(zero, one, 1.0);
        ((double *)&bad.capsule.ends[0])[i] = i % 2 ? NAN : INFINITY;
        check_refused(&w, &bad, CAROM_NOT_FINITE, "point of the capsule");
        ((double *)&bad.capsule.ends[0])[i] = -0x1.8p100;
        check_refused(&w, &bad, CAROM_OUT_OF_RANGE, "point of the capsule");
    }
    carom_shape bad = carom_shape_sphere(1.0);
    bad.sphere.centre.y = NAN;
    check_refused(&w, &bad, CAROM_NOT_FINITE, "point of the sphere");
    bad = carom_shape_sphere(1.0), bad.tree = tree;
    check_refused(&w, &bad, CAROM_INVALID_ARGUMENT, "no tree");
    bad = (carom_shape){.kind = CAROM_SHAPE_NONE};
    check_refused(&w, &bad, CAROM_INVALID_ARGUMENT, "never set");
    assert_int_equal(carom_shape_element_count(&bad), 0);
    bad.kind = (carom_shape_kind)99;
    check_refused(&w, &bad, CAROM_INVALID_ARGUMENT, "99");
    assert_int_equal(carom_shape_element_count(&bad), 0);
    bad.kind = (carom_shape_kind)-1;
    check_refused(&w, &bad, CAROM_INVALID_ARGUMENT, "-1");
    bad = carom_shape_mesh(NULL);
    check_refused(&w, &bad, CAROM_INVALID_ARGUMENT, "null");
    assert_null(carom_shape_kind_name((carom_shape_kind)99));
    assert_string_equal(carom_shape_kind_name(CAROM_SHAPE_CAPSULE), "capsule");
    carom_tree_destroy(tree);
    carom_mesh_destroy(mesh);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relations_of_solids),
        cmocka_unit_test(extreme_sizes),
        cmocka_unit_test(bad_shapes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
