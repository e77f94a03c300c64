/* What the relation of bodies that touch in many places costs: with ten times the contacts about ten times the work,
 * not a hundred times. Work is what budgets count, and box tests; not time. */
#include "query/world.h"

typedef struct shape
{
    double (*vertices)[3];
    uint32_t (*faces)[3];
    uint32_t vertex_count, face_count;
} shape;

static shape shape_begin(uint32_t vertices, uint32_t faces)
{
    shape out = {malloc(vertices * sizeof *out.vertices), malloc(faces * sizeof *out.faces), 0, 0};
    assert_true(out.vertices && out.faces);
    return out;
}

static uint32_t add_vertex(shape *shape, double x, double y, double z)
{
    double *v = shape->vertices[shape->vertex_count];
    v[0] = x, v[1] = y, v[2] = z;
    return shape->vertex_count++;
}

static void add_face(shape *shape, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *face = shape->faces[shape->face_count++];
    face[0] = a, face[1] = b, face[2] = c;
}

static carom_mesh *shape_end(const world *w, shape *shape)
{
    carom_mesh *mesh = world_mesh(w, shape->vertices[0], shape->vertex_count, shape->faces[0], shape->face_count);
    free(shape->vertices), free(shape->faces);
    return mesh;
}

/* ---- bodies; all stand on the plane z = 0, or lie on it, within 0 < x, y < 1 ---- */

/* The ground below z = 0: one triangle of it holds all the others' contacts. */
static carom_mesh *ground(const world *w, uint32_t n)
{
    (void)n;
    const double far = 16.0;
    return world_mesh(w, (double[12]){-far, -far, 0, 2 * far, -far, 0, -far, 2 * far, 0, 0, 0, -far}, 4,
                      (uint32_t[12]){0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0}, 4);
}

static void add_box(shape *shape, const double min[3], const double max[3])
{
    double corners[24];
    world_box_vertices(min, max, corners);
    uint32_t first = shape->vertex_count;
    for (int i = 0; i < 8; i++)
        add_vertex(shape, corners[3 * i], corners[3 * i + 1], corners[3 * i + 2]);
    for (int i = 0; i < 12; i++)
        add_face(shape, first + WORLD_BOX_INDICES[3 * i], first + WORLD_BOX_INDICES[3 * i + 1],
                 first + WORLD_BOX_INDICES[3 * i + 2]);
}

/* A ring of n points around the axis at x = y = 1/2, every second one at the radius `hole`, and two points on the axis.
 * Fans around both points. */
static void add_double_fan(shape *shape, uint32_t n, const double heights[3], double hole)
{
    uint32_t low = add_vertex(shape, 0.5, 0.5, heights[0]), high = add_vertex(shape, 0.5, 0.5, heights[2]);
    for (uint32_t i = 0; i < n; i++)
    {
        double angle = 6.283185307179586 * i / n, radius = i % 2 ? hole : 0.4;
        add_vertex(shape, 0.5 + radius * cos(angle), 0.5 + radius * sin(angle), heights[1]);
    }
    for (uint32_t i = 0; i < n; i++)
    {
        add_face(shape, low, low + 2 + (i + 1) % n, low + 2 + i);
        add_face(shape, high, low + 2 + i, low + 2 + (i + 1) % n);
    }
}

static carom_mesh *double_fan(const world *w, uint32_t n, const double heights[3], double hole)
{
    shape shape = shape_begin(n + 2, 2 * n);
    add_double_fan(&shape, n, heights, hole);
    return shape_end(w, &shape);
}

static carom_mesh *flat_fan(const world *w, uint32_t n) { return double_fan(w, n, (double[3]){0, 0, 1}, 0.4); }
static carom_mesh *flat_star(const world *w, uint32_t n) { return double_fan(w, n, (double[3]){0, 0, 1}, 0.1); }
static carom_mesh *long_star(const world *w, uint32_t n) { return double_fan(w, n, (double[3]){0, 0, 1}, 0.01); }
static carom_mesh *longer_star(const world *w, uint32_t n) { return double_fan(w, n, (double[3]){0, 0, 1}, 0.001); }
static carom_mesh *standing_fan(const world *w, uint32_t n) { return double_fan(w, n, (double[3]){0, 1, 2}, 0.4); }

/* Triangles with a common corner on the plane, each with an edge in it. */
static carom_mesh *fins(const world *w, uint32_t n)
{
    shape shape = shape_begin(2 * n + 1, n);
    uint32_t apex = add_vertex(&shape, 0.5, 0.5, 0);
    for (uint32_t i = 0; i < n; i++)
    {
        double angle = 6.283185307179586 * i / n, x = 0.4 * cos(angle), y = 0.4 * sin(angle);
        uint32_t end = add_vertex(&shape, 0.5 + x, 0.5 + y, 0), top = add_vertex(&shape, 0.5 + x, 0.5 + y, 1);
        add_face(&shape, apex, end, top);
    }
    return shape_end(w, &shape);
}

/* One triangle without an area, from the tip of a standing fan to this height over it. */
static carom_mesh *hair(const world *w, double height)
{
    return world_mesh(w, (double[9]){0.5, 0.5, 0, 0.5, 0.5, 0.5 * height, 0.5, 0.5, height}, 3, (uint32_t[3]){0, 1, 2},
                      1);
}

static carom_mesh *tip_point(const world *w, uint32_t n) { return (void)n, hair(w, 0); }
static carom_mesh *tip_segment(const world *w, uint32_t n) { return (void)n, hair(w, -1); }
static carom_mesh *tip_segment_inside(const world *w, uint32_t n) { return (void)n, hair(w, 1); }

/* A standing fan within a box: both wind around what is in the fan, so nothing is empty around its tip. */
static carom_mesh *fan_in_box(const world *w, uint32_t n)
{
    shape shape = shape_begin(n + 2 + 8, 2 * n + 12);
    add_double_fan(&shape, n, (double[3]){0, 1, 2}, 0.4);
    add_box(&shape, (double[3]){-4, -4, -4}, (double[3]){4, 4, 4});
    return shape_end(w, &shape);
}

/* The same, with a second fan upside down on its tip. */
static carom_mesh *fans_in_box(const world *w, uint32_t n)
{
    shape shape = shape_begin(2 * (n + 2) + 8, 4 * n + 12);
    add_double_fan(&shape, n, (double[3]){0, 1, 2}, 0.4);
    add_double_fan(&shape, n, (double[3]){-2, -1, 0}, 0.4);
    add_box(&shape, (double[3]){-4, -4, -4}, (double[3]){4, 4, 4});
    return shape_end(w, &shape);
}

/* Needles whose tips are at one point of the plane, or reach through it there. */
static carom_mesh *needles(const world *w, uint32_t n, double depth)
{
    shape shape = shape_begin(4 * n, 4 * n);
    for (uint32_t i = 0; i < n; i++)
    {
        double angle = 6.283185307179586 * i / n, c = cos(angle), s = sin(angle), e = 1.0 / n;
        uint32_t tip = add_vertex(&shape, 0.5 - 0.4 * depth * c, 0.5 - 0.4 * depth * s, -depth),
                 a = add_vertex(&shape, 0.5 + 0.4 * c, 0.5 + 0.4 * s, 1),
                 b = add_vertex(&shape, 0.5 + 0.4 * c - e * s, 0.5 + 0.4 * s + e * c, 1),
                 d = add_vertex(&shape, 0.5 + 0.4 * c, 0.5 + 0.4 * s, 1 + e);
        add_face(&shape, a, b, d), add_face(&shape, tip, b, a), add_face(&shape, tip, d, b);
        add_face(&shape, tip, a, d);
    }
    return shape_end(w, &shape);
}

static carom_mesh *needles_at_point(const world *w, uint32_t n) { return needles(w, n, 0); }
static carom_mesh *needles_through_point(const world *w, uint32_t n) { return needles(w, n, 0.5); }

/* Triangles with a common edge in the plane. */
static carom_mesh *book(const world *w, uint32_t n, double from, double to)
{
    shape shape = shape_begin(n + 2, n);
    uint32_t a = add_vertex(&shape, from, 0.5, 0), b = add_vertex(&shape, to, 0.5, 0);
    for (uint32_t i = 0; i < n; i++)
    {
        double angle = 3.141592653589793 * (i + 0.5) / n;
        add_face(&shape, a, b, add_vertex(&shape, 0.5, 0.5 + cos(angle), sin(angle)));
    }
    return shape_end(w, &shape);
}

static carom_mesh *small_book(const world *w, uint32_t n) { return book(w, n, 0.1, 0.9); }
static carom_mesh *large_book(const world *w, uint32_t n) { return book(w, n, -40, 40); }

/* About n boxes in a square, in one mesh. */
static carom_mesh *many_boxes(const world *w, uint32_t n)
{
    uint32_t side = (uint32_t)sqrt(n);
    shape shape = shape_begin(8 * side * side, 12 * side * side);
    for (uint32_t i = 0; i < side * side; i++)
    {
        double x = (double)(i % side) / side, y = (double)(i / side) / side, size = 0.5 / side;
        add_box(&shape, (double[3]){x, y, 0}, (double[3]){x + size, y + size, 1});
    }
    return shape_end(w, &shape);
}

/* About n needles whose tips touch the plane. */
static carom_mesh *comb(const world *w, uint32_t n)
{
    uint32_t side = (uint32_t)sqrt(n);
    shape shape = shape_begin(4 * side * side, 4 * side * side);
    for (uint32_t i = 0; i < side * side; i++)
    {
        double x = (double)(i % side) / side, y = (double)(i / side) / side, size = 0.3 / side;
        uint32_t tip = add_vertex(&shape, x, y, 0), a = add_vertex(&shape, x, y, 1),
                 b = add_vertex(&shape, x + size, y, 1), c = add_vertex(&shape, x, y + size, 1);
        add_face(&shape, a, b, c), add_face(&shape, tip, b, a), add_face(&shape, tip, c, b);
        add_face(&shape, tip, a, c);
    }
    return shape_end(w, &shape);
}

/* A plate whose upper and lower faces have about n triangles, from z to z + 1, moved by a part of one of them. */
static carom_mesh *plate_at(const world *w, uint32_t n, double z, double part)
{
    uint32_t side = (uint32_t)sqrt(n / 2.0), points = side + 1, top = points * points;
    shape shape = shape_begin(2 * top, 4 * side * side + 8 * side);
    for (uint32_t i = 0; i < 2 * top; i++)
        add_vertex(&shape, (i % points + part) / side, (i / points % points + 0.7 * part) / side, z + i / top);
    for (uint32_t i = 0; i < side * side; i++)
    {
        uint32_t p = i / side * points + i % side, q = p + 1, r = p + points, s = r + 1;
        add_face(&shape, p, s, q), add_face(&shape, p, r, s);
        add_face(&shape, p + top, q + top, s + top), add_face(&shape, p + top, s + top, r + top);
    }
    for (uint32_t i = 0; i < side; i++)
    {
        const uint32_t ends[4][2] = {{i, i + 1},
                                     {side * points + i + 1, side * points + i},
                                     {i * points + side, (i + 1) * points + side},
                                     {(i + 1) * points, i * points}};
        for (int k = 0; k < 4; k++)
            add_face(&shape, ends[k][0], ends[k][1], ends[k][1] + top),
                add_face(&shape, ends[k][0], ends[k][1] + top, ends[k][0] + top);
    }
    return shape_end(w, &shape);
}

static carom_mesh *coarse_plate(const world *w, uint32_t n) { return (void)n, plate_at(w, 2, 0, 0); }
static carom_mesh *plate(const world *w, uint32_t n) { return plate_at(w, n, 0, 0); }
static carom_mesh *plate_below(const world *w, uint32_t n) { return plate_at(w, n, -1, 0); }
static carom_mesh *plate_shifted(const world *w, uint32_t n) { return plate_at(w, n, -1, 0.5); }

static carom_mesh *sphere(const world *w, uint32_t n) { return world_shape(w, GENERATE_ICO_SPHERE, n); }
static carom_mesh *uv_sphere(const world *w, uint32_t n) { return world_shape(w, GENERATE_UV_SPHERE, n); }

/* A sphere on the plane, all of whose faces are touched: by a copy of itself. */
static carom_mesh *sphere_moved(const world *w, uint32_t n)
{
    carom_mesh *mesh = world_shape(w, GENERATE_ICO_SPHERE, n);
    const carom_vec3 *from = carom_mesh_vertices(mesh);
    carom_mesh_info info = carom_mesh_get_info(mesh);
    shape shape = shape_begin(info.vertex_count, info.triangle_count);
    for (uint32_t i = 0; i < info.vertex_count; i++)
        add_vertex(&shape, from[i].x, from[i].y, from[i].z);
    for (uint32_t i = 0; i < info.triangle_count; i++)
    {
        const uint32_t *index = carom_mesh_indices(mesh) + 3 * (size_t)i;
        add_face(&shape, index[0], index[1], index[2]);
    }
    double move = 1.0 / sqrt(info.triangle_count);
    for (uint32_t i = 0; i < info.vertex_count; i++)
        shape.vertices[i][0] += move;
    carom_mesh_destroy(mesh);
    return shape_end(w, &shape);
}

/* ---- work ---- */

/* Slices of the budget, and tests of boxes and triangles. */
static double work_of(const world *w, const carom_mesh *a, const carom_mesh *b, carom_relation expected)
{
    enum
    {
        SLICE = 1000
    };
    carom_placed placed_a = world_place(a, 0, 0, 0), placed_b = world_place(b, 0, 0, 0);
    carom_collide_options options = {.mode = CAROM_COLLIDE_COUNT, .relation = true, .budget = {.work = SLICE}};
    carom_report report;
    double slices = 1;
    for (carom_status status = carom_collide(w->query, &placed_a, &placed_b, &options, &report);
         status == CAROM_UNKNOWN; slices++)
        status = carom_collide_resume(w->query, &options.budget, &report);
    assert_int_equal(report.status, CAROM_OK);
    assert_string_equal(carom_relation_name(report.relation), carom_relation_name(expected));
    if (getenv("CAROM_TEST_SHOW"))
        print_message("  work %.0f, boxes %.0f, triangles %.0f, exact %.0f, pairs %.0f\n", slices * SLICE,
                      (double)report.counters.boxes_tested, (double)report.counters.triangles_tested,
                      (double)report.counters.exact_fallbacks, (double)report.pair_count);
    return slices * SLICE +
           (double)(report.counters.boxes_tested + report.counters.triangles_tested + report.counters.exact_fallbacks);
}

typedef carom_mesh *mesh_fn(const world *w, uint32_t n);

typedef struct cost_case
{
    const char *name;
    mesh_fn *a, *b;
    carom_relation relation;
    uint32_t count;
} cost_case;

static double work_for(const cost_case *at, uint32_t n)
{
    world w = world_open();
    carom_mesh *a = at->a(&w, n), *b = at->b(&w, n);
    double work = work_of(&w, a, b, at->relation);
    carom_mesh_destroy(a), carom_mesh_destroy(b);
    world_close(&w);
    return work;
}

static void work_grows_with_the_contacts(void **state)
{
    (void)state;
    static const cost_case cases[] = {
        {"fan lying on a triangle", ground, flat_fan, CAROM_RELATION_TOUCHING, 400},
        {"star lying on a triangle", ground, flat_star, CAROM_RELATION_TOUCHING, 400},
        {"star with longer spikes", ground, long_star, CAROM_RELATION_TOUCHING, 400},
        {"star with the longest spikes", ground, longer_star, CAROM_RELATION_TOUCHING, 400},
        {"point at the tip of a fan", tip_point, standing_fan, CAROM_RELATION_TOUCHING, 400},
        {"segment at the tip of a fan", tip_segment, standing_fan, CAROM_RELATION_TOUCHING, 400},
        {"segment in a fan", tip_segment_inside, standing_fan, CAROM_RELATION_A_INSIDE_B, 400},
        {"point at a filled tip", tip_point, fan_in_box, CAROM_RELATION_A_INSIDE_B, 400},
        {"segment at a filled tip", tip_segment, fan_in_box, CAROM_RELATION_A_INSIDE_B, 400},
        {"point between filled tips", tip_point, fans_in_box, CAROM_RELATION_A_INSIDE_B, 400},
        {"needles at a point", ground, needles_at_point, CAROM_RELATION_TOUCHING, 400},
        {"needles through a point", ground, needles_through_point, CAROM_RELATION_OVERLAPPING, 400},
        {"book on a triangle", ground, small_book, CAROM_RELATION_TOUCHING, 400},
        {"book beyond a triangle", ground, large_book, CAROM_RELATION_TOUCHING, 400},
        {"fan standing on a triangle", ground, standing_fan, CAROM_RELATION_TOUCHING, 400},
        {"fins on a triangle", ground, fins, CAROM_RELATION_TOUCHING, 400},
        {"boxes on a triangle", ground, many_boxes, CAROM_RELATION_TOUCHING, 225},
        {"comb on a triangle", ground, comb, CAROM_RELATION_TOUCHING, 400},
        {"plate on a triangle", ground, plate, CAROM_RELATION_TOUCHING, 400},
        {"equal plates face to face", plate_below, plate, CAROM_RELATION_TOUCHING, 400},
        {"shifted plates face to face", plate_shifted, plate, CAROM_RELATION_TOUCHING, 400},
        {"equal plates", plate, plate, CAROM_RELATION_EQUAL, 400},
        {"plate with other triangles", coarse_plate, plate, CAROM_RELATION_EQUAL, 400},
        {"equal spheres", sphere, sphere, CAROM_RELATION_EQUAL, 320},
        {"equal spheres with poles", uv_sphere, uv_sphere, CAROM_RELATION_EQUAL, 400},
        {"shifted spheres", sphere, sphere_moved, CAROM_RELATION_OVERLAPPING, 320},
    };
    const char *scale = getenv("CAROM_TEST_SCALE"), *only = getenv("CAROM_TEST_ONLY");
    int failures = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        const cost_case *at = &cases[i];
        if (only && !strstr(at->name, only))
            continue;
        uint32_t n = at->count * (scale ? (uint32_t)atol(scale) : 1);
        double few = work_for(at, n), many = work_for(at, 10 * n);
        print_message("%-28s %7u: %8.1f per contact, %7u: %8.1f\n", at->name, n, few / n, 10 * n, many / (10 * n));
        if (many > 16 * few)
            failures++, print_message("%s: %.3g times the work for 10 times the contacts\n", at->name, many / few);
    }
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(work_grows_with_the_contacts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
