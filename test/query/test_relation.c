/* Relations of two bodies, on cases with obvious answers. */
#include "query/query.h"
#include "query/world.h"

static carom_relation relation_of(const world *w, carom_placed a, carom_placed b)
{
    carom_collide_options options = carom_collide_options_default();
    options.relation = true;
    carom_relation seen[3];
    for (int mode = CAROM_COLLIDE_ANY; mode <= CAROM_COLLIDE_ALL; mode++)
    {
        options.mode = (carom_collide_mode)mode;
        carom_report report;
        assert_int_equal(carom_collide(w->query, &a, &b, &options, &report), CAROM_OK);
        seen[mode] = report.relation;
    }
    assert_int_equal(seen[0], seen[1]);
    assert_int_equal(seen[1], seen[2]);
    return seen[2];
}

/* Queries both orders: the swapped query must give the mirrored answer. */
static void check_relation(const world *w, carom_placed a, carom_placed b, carom_relation expected)
{
    carom_relation mirrored = expected == CAROM_RELATION_A_INSIDE_B   ? CAROM_RELATION_B_INSIDE_A
                              : expected == CAROM_RELATION_B_INSIDE_A ? CAROM_RELATION_A_INSIDE_B
                                                                      : expected;
    assert_string_equal(carom_relation_name(relation_of(w, a, b)), carom_relation_name(expected));
    assert_string_equal(carom_relation_name(relation_of(w, b, a)), carom_relation_name(mirrored));
}

static void boxes_in_every_relation(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *large = world_box(&w, 0, 0, 0, 8, 8, 8), *small = world_box(&w, 0, 0, 0, 2, 2, 2);
    carom_placed container = world_place(large, 0, 0, 0);
    check_relation(&w, container, world_place(small, 20, 0, 0), CAROM_RELATION_APART);
    check_relation(&w, container, world_place(small, 3, 3, 3), CAROM_RELATION_B_INSIDE_A);
    check_relation(&w, container, world_place(small, 7, 3, 3), CAROM_RELATION_OVERLAPPING);
    /* corner to corner, edge to edge, from outside */
    check_relation(&w, container, world_place(small, 8, 8, 8), CAROM_RELATION_TOUCHING);
    check_relation(&w, container, world_place(small, 8, 8, 3), CAROM_RELATION_TOUCHING);
    /* diagonal neighbours of every corner: rays along x run through edges and faces */
    for (int i = 0; i < 8; i++)
        check_relation(&w, container, world_place(small, i & 1 ? 8 : -2, i & 2 ? 8 : -2, i & 4 ? 8 : -2),
                       CAROM_RELATION_TOUCHING);
    carom_mesh_destroy(large);
    carom_mesh_destroy(small);
    world_close(&w);
}

/* A slim octahedron-like body that touches its container from within, all of whose vertices lie on the surface. */
static void touching_from_within_is_inside(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *box = world_box(&w, -4, -4, -4, 4, 4, 4);
    /* off the diagonals of the faces, so that vertices lie inside triangles */
    const double corners[18] = {4, 1, 2, -4, 1, 2, 1, 4, 2, 2, -4, 1, 1, 2, 4, 2, 1, -4};
    const uint32_t faces[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
    carom_mesh *inscribed = world_mesh(&w, corners, 6, faces, 8);
    check_relation(&w, world_place(inscribed, 0, 0, 0), world_place(box, 0, 0, 0), CAROM_RELATION_A_INSIDE_B);

    /* a tetrahedron on four corners of the box: edges lie in the faces, vertices on vertices */
    const double four[12] = {-4, -4, -4, 4, 4, -4, 4, -4, 4, -4, 4, 4};
    const uint32_t tetrahedron[12] = {0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2};
    carom_mesh *corner_fit = world_mesh(&w, four, 4, tetrahedron, 4);
    check_relation(&w, world_place(corner_fit, 0, 0, 0), world_place(box, 0, 0, 0), CAROM_RELATION_A_INSIDE_B);
    carom_mesh_destroy(box);
    carom_mesh_destroy(inscribed);
    carom_mesh_destroy(corner_fit);
    world_close(&w);
}

/* Every vertex of the inner body lies on the surface: the triangles that touch decide, and that counts as work. */
static void deciding_what_touches_counts_as_work(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *box = world_shape(&w, GENERATE_BOX, 10000);
    const double h = 0.5;
    const double corners[18] = {h, .12, .27, -h, .13, .22, .11, h, .23, .21, -h, .14, .17, .28, h, .26, .15, -h};
    const uint32_t faces[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
    carom_mesh *inscribed = world_mesh(&w, corners, 6, faces, 8);
    carom_placed a = world_place(inscribed, 0, 0, 0), b = world_place(box, 0, 0, 0);
    check_relation(&w, a, b, CAROM_RELATION_A_INSIDE_B);
    /* In slices of 8 units: once all pairs are known, the relation takes several more. */
    carom_collide_options options = {.mode = CAROM_COLLIDE_ALL, .relation = true, .budget = {.work = 8}};
    carom_report report;
    int beyond = 0;
    for (carom_status status = carom_collide(w.query, &a, &b, &options, &report); status != CAROM_OK;
         status = carom_collide_resume(w.query, &options.budget, &report))
    {
        assert_int_equal(status, CAROM_UNKNOWN);
        assert_int_equal(report.relation, CAROM_RELATION_UNKNOWN);
        beyond += w.query->job.searched;
    }
    assert_int_equal(report.relation, CAROM_RELATION_A_INSIDE_B);
    assert_true(beyond > 4);
    carom_mesh_destroy(box);
    carom_mesh_destroy(inscribed);
    world_close(&w);
}

enum
{
    BLADES = 1000
};

/* A cone of blades from the origin up to a circle; closed: with a roof over it. */
static carom_mesh *cone(const world *w, double radius, bool closed, bool with_spike)
{
    double vertices[BLADES + 4][3] = {{0, 0, 0}};
    uint32_t indices[2 * BLADES + 1][3], count = 0;
    for (uint32_t i = 0; i < BLADES; i++)
    {
        double angle = 6.283185307179586 * i / BLADES;
        memcpy(vertices[1 + i], (double[3]){radius * cos(angle), radius * sin(angle), 1}, sizeof *vertices);
        uint32_t here = 1 + i, next = 1 + (i + 1) % BLADES;
        memcpy(indices[count++], (uint32_t[3]){0, next, here}, sizeof *indices);
        if (closed)
            memcpy(indices[count++], (uint32_t[3]){BLADES + 1, here, next}, sizeof *indices);
    }
    memcpy(vertices[BLADES + 1], (double[3]){0, 0, 2}, sizeof *vertices);
    memcpy(vertices[BLADES + 2], (double[3]){0.1, 0, -1}, sizeof *vertices);
    memcpy(vertices[BLADES + 3], (double[3]){0, 0.1, -1}, sizeof *vertices);
    if (with_spike)
        memcpy(indices[count++], (uint32_t[3]){0, BLADES + 2, BLADES + 3}, sizeof *indices);
    return world_mesh(w, vertices[0], BLADES + 4, indices[0], count);
}

/* Is every blade of both in what a query has kept? A roof for each blade makes a closed cone's ids even. */
static void check_kept(const world *w, uint32_t step_a, uint32_t step_b)
{
    bool seen[2][BLADES] = {{false}};
    for (size_t i = 0; i < w->query->job.keys.count; i++)
    {
        carom_pair pair = query_unpack(w->query->job.keys.items[i]);
        seen[0][pair.triangle_a / step_a] = seen[1][pair.triangle_b / step_b] = true;
    }
    for (int i = 0; i < BLADES; i++)
        assert_true(seen[0][i] && seen[1][i]);
    assert_true(w->query->job.keys.capacity < BLADES * BLADES / 4);
}

/* Every blade of one cone touches every blade of the other in the origin. One more sticks out of it: then not all of
 * the inner cone is inside. Only the touching triangles are kept, not all the pairs. */
static void many_touching_pairs_take_little_memory(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *outer = cone(&w, 1.0, true, false), *inner = cone(&w, 0.25, false, false),
               *spiked = cone(&w, 0.25, false, true);
    carom_placed a = world_place(inner, 0, 0, 0), b = world_place(outer, 0, 0, 0), c = world_place(spiked, 0, 0, 0);
    carom_collide_options options = {.mode = CAROM_COLLIDE_ALL, .relation = true, .max_pairs = 2500};
    carom_report report;
    for (int mode = CAROM_COLLIDE_COUNT; mode <= CAROM_COLLIDE_ALL; mode++)
    {
        options.mode = (carom_collide_mode)mode;
        assert_int_equal(carom_collide(w.query, &a, &b, &options, &report), mode == CAROM_COLLIDE_ALL);
        assert_int_equal(report.pair_count, BLADES * BLADES);
        assert_int_equal(report.relation, CAROM_RELATION_A_INSIDE_B);
        check_kept(&w, 1, 2);
        assert_int_equal(carom_collide(w.query, &b, &a, &options, &report), mode == CAROM_COLLIDE_ALL);
        assert_int_equal(report.relation, CAROM_RELATION_B_INSIDE_A);
        check_kept(&w, 2, 1);
    }
    assert_int_equal(report.pairs_listed, options.max_pairs);
    for (uint32_t i = 0; i < report.pairs_listed; i++)
        assert_true(report.pairs[i].triangle_a == i / BLADES * 2 && report.pairs[i].triangle_b == i % BLADES);
    check_relation(&w, a, b, CAROM_RELATION_A_INSIDE_B);
    check_relation(&w, c, b, CAROM_RELATION_OVERLAPPING);
    carom_mesh_destroy(outer);
    carom_mesh_destroy(inner);
    carom_mesh_destroy(spiked);
    world_close(&w);
}

/* An open strip whose inner edge lies on an edge of the box, one half inside, one half outside: no pair crosses. */
static void passing_through_along_edges_is_overlapping(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *box = world_box(&w, 0, 0, 0, 4, 4, 4);
    const double strip[12] = {4, 4, 0, 4, 4, 4, 3, 3, 2, 5, 5, 2};
    const uint32_t strip_faces[6] = {0, 1, 2, 1, 0, 3};
    carom_mesh *through = world_mesh(&w, strip, 4, strip_faces, 2);
    check_relation(&w, world_place(through, 0, 0, 0), world_place(box, 0, 0, 0), CAROM_RELATION_OVERLAPPING);
    carom_mesh_destroy(box);
    carom_mesh_destroy(through);
    world_close(&w);
}

/* Vertices and triangles of two boxes in one mesh; the second turned inside out if asked for. */
static carom_mesh *two_boxes(const world *w, const double first[6], const double second[6], bool turned)
{
    double vertices[48];
    uint32_t indices[72];
    world_box_vertices(first, first + 3, vertices);
    world_box_vertices(second, second + 3, vertices + 24);
    for (int i = 0; i < 36; i++)
        indices[i] = WORLD_BOX_INDICES[i], indices[36 + i] = 8 + WORLD_BOX_INDICES[turned ? 35 - i : i];
    return world_mesh(w, vertices, 16, indices, 24);
}

static void cavities_and_components_count(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *hollow = two_boxes(&w, (double[6]){0, 0, 0, 10, 10, 10}, (double[6]){2, 2, 2, 8, 8, 8}, true);
    carom_mesh *small = world_box(&w, 0, 0, 0, 1, 1, 1);
    /* in the cavity, in the wall, outside */
    check_relation(&w, world_place(small, 4, 4, 4), world_place(hollow, 0, 0, 0), CAROM_RELATION_APART);
    check_relation(&w, world_place(small, 0.5, 0.5, 0.5), world_place(hollow, 0, 0, 0), CAROM_RELATION_A_INSIDE_B);
    check_relation(&w, world_place(small, 20, 4, 4), world_place(hollow, 0, 0, 0), CAROM_RELATION_APART);

    /* one component inside, one outside: overlapping; both inside: inside */
    carom_mesh *large = world_box(&w, 0, 0, 0, 10, 10, 10);
    carom_mesh *split = two_boxes(&w, (double[6]){1, 1, 1, 2, 2, 2}, (double[6]){20, 1, 1, 22, 2, 2}, false);
    carom_mesh *both = two_boxes(&w, (double[6]){1, 1, 1, 2, 2, 2}, (double[6]){4, 1, 1, 6, 2, 2}, false);
    check_relation(&w, world_place(split, 0, 0, 0), world_place(large, 0, 0, 0), CAROM_RELATION_OVERLAPPING);
    check_relation(&w, world_place(both, 0, 0, 0), world_place(large, 0, 0, 0), CAROM_RELATION_A_INSIDE_B);
    carom_mesh_destroy(hollow);
    carom_mesh_destroy(small);
    carom_mesh_destroy(large);
    carom_mesh_destroy(split);
    carom_mesh_destroy(both);
    world_close(&w);
}

static void open_containers_hold_nothing(void **state)
{
    (void)state;
    world w = world_open();
    double vertices[24];
    world_box_vertices((double[3]){0, 0, 0}, (double[3]){8, 8, 8}, vertices);
    carom_mesh *lidless = world_mesh(&w, vertices, 8, WORLD_BOX_INDICES, 11);
    carom_mesh *small = world_box(&w, 0, 0, 0, 2, 2, 2);
    carom_placed a = world_place(small, 3, 3, 3), b = world_place(lidless, 0, 0, 0);
    check_relation(&w, a, b, CAROM_RELATION_APART);
    carom_collide_options options = carom_collide_options_default();
    options.relation = true;
    carom_report report;
    assert_int_equal(carom_collide(w.query, &a, &b, &options, &report), CAROM_OK);
    assert_true(report.a_closed);
    assert_false(report.b_closed);

    /* inside out is still a container: the winding number is -1 */
    uint32_t reversed[36];
    for (int i = 0; i < 36; i++)
        reversed[i] = WORLD_BOX_INDICES[35 - i];
    carom_mesh *inside_out = world_mesh(&w, vertices, 8, reversed, 12);
    check_relation(&w, a, world_place(inside_out, 0, 0, 0), CAROM_RELATION_A_INSIDE_B);
    /* closed, but one face is turned over: around some points the winding number means nothing */
    uint32_t muddled[36];
    memcpy(muddled, WORLD_BOX_INDICES, sizeof muddled);
    muddled[0] = WORLD_BOX_INDICES[1], muddled[1] = WORLD_BOX_INDICES[0];
    carom_mesh *unoriented = world_mesh(&w, vertices, 8, muddled, 12);
    b = world_place(unoriented, 0, 0, 0);
    assert_true(carom_mesh_get_info(unoriented).closed);
    check_relation(&w, a, b, CAROM_RELATION_APART);
    assert_int_equal(carom_collide(w.query, &a, &b, &options, &report), CAROM_OK);
    assert_false(report.b_closed);
    /* an open body inside a closed one is inside */
    carom_mesh *triangle = world_mesh(&w, (double[9]){1, 1, 1, 2, 1, 1, 1, 2, 1}, 3, NULL, 1);
    check_relation(&w, world_place(triangle, 0, 0, 0), world_place(inside_out, 0, 0, 0), CAROM_RELATION_A_INSIDE_B);
    carom_mesh_destroy(lidless);
    carom_mesh_destroy(small);
    carom_mesh_destroy(inside_out);
    carom_mesh_destroy(unoriented);
    carom_mesh_destroy(triangle);
    world_close(&w);
}

/* A point-like triangle in a lattice of positions around a torus, against the torus's own equation. */
static void winding_agrees_with_the_equation_of_a_torus(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *torus = world_shape(&w, GENERATE_TORUS, 2000);
    carom_mesh *speck = world_mesh(&w, (double[9]){0}, 3, NULL, 1);
    const carom_vec3 *vertices = carom_mesh_vertices(torus);
    carom_mesh_info info = carom_mesh_get_info(torus);
    /* radii from the vertices themselves; the axis is the short side of the bounds */
    double across = info.bounds.max.x - info.bounds.min.x, thick = info.bounds.max.z - info.bounds.min.z;
    double tube = 0.5 * thick, ring = 0.5 * across - tube;
    double defect = 0.0;
    for (uint32_t i = 0; i < info.vertex_count; i++)
    {
        double r = sqrt(vertices[i].x * vertices[i].x + vertices[i].y * vertices[i].y) - ring;
        defect = fmax(defect, fabs(sqrt(r * r + vertices[i].z * vertices[i].z) - tube));
    }
    assert_true(defect < 0.05 * tube);
    int inside = 0, outside = 0;
    for (int i = 0; i < 2000; i++)
    {
        check_random random = {.state = (uint64_t)i};
        double x = check_uniform(&random, -0.55, 0.55), y = check_uniform(&random, -0.55, 0.55);
        double z = check_uniform(&random, -0.2, 0.2);
        double r = sqrt(x * x + y * y) - ring, depth = sqrt(r * r + z * z) / tube;
        if (depth > 0.8 && depth < 1.1)
            continue; /* facets lie between */
        carom_relation expected = depth < 1.0 ? CAROM_RELATION_A_INSIDE_B : CAROM_RELATION_APART;
        assert_int_equal(relation_of(&w, world_place(speck, x, y, z), world_place(torus, 0, 0, 0)), expected);
        depth < 1.0 ? inside++ : outside++;
    }
    assert_true(inside > 100 && outside > 100);
    carom_mesh_destroy(torus);
    carom_mesh_destroy(speck);
    world_close(&w);
}

/* Vertices of a lattice against a box with the same lattice coordinates: every ray runs through edges and corners. */
static void rays_through_edges_and_corners_count_once(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *ball = world_shape(&w, GENERATE_UV_SPHERE, 480);
    const carom_vec3 *vertices = carom_mesh_vertices(ball);
    carom_mesh_info info = carom_mesh_get_info(ball);
    carom_mesh *speck = world_mesh(&w, (double[9]){0}, 3, NULL, 1);
    for (uint32_t i = 0; i < info.vertex_count; i++)
    {
        /* on the line along x through a vertex, at the middle of the chord and far to both sides */
        carom_vec3 v = vertices[i];
        if (fabs(v.x) < 0.01)
            continue;
        check_relation(&w, world_place(speck, 0, v.y, v.z), world_place(ball, 0, 0, 0), CAROM_RELATION_A_INSIDE_B);
        check_relation(&w, world_place(speck, -2, v.y, v.z), world_place(ball, 0, 0, 0), CAROM_RELATION_APART);
    }
    carom_mesh_destroy(ball);
    carom_mesh_destroy(speck);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_in_every_relation),
        cmocka_unit_test(touching_from_within_is_inside),
        cmocka_unit_test(many_touching_pairs_take_little_memory),
        cmocka_unit_test(deciding_what_touches_counts_as_work),
        cmocka_unit_test(passing_through_along_edges_is_overlapping),
        cmocka_unit_test(cavities_and_components_count),
        cmocka_unit_test(open_containers_hold_nothing),
        cmocka_unit_test(winding_agrees_with_the_equation_of_a_torus),
        cmocka_unit_test(rays_through_edges_and_corners_count_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
