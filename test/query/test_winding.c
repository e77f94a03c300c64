/* Generalized winding numbers: against the sum over all triangles with the C library's arctangent, on closed shapes,
 * where they are whole numbers, and on surfaces with holes or turned triangles. */
#include "query/winding.h"
#include "query/world.h"
#include "support/soup.h"

/* The definition, without groups. Points on the surface are not asked for. */
static double slow_winding(const carom_vec3 *corners, size_t triangles, carom_vec3 p)
{
    double sum = 0.0;
    for (size_t i = 0; i < triangles; i++)
    {
        carom_vec3 a = vec3_sub(corners[3 * i], p), b = vec3_sub(corners[3 * i + 1], p);
        carom_vec3 c = vec3_sub(corners[3 * i + 2], p);
        double x = vec3_length(a), y = vec3_length(b), z = vec3_length(c);
        sum += 2.0 * atan2(vec3_dot(a, vec3_cross(b, c)),
                           x * y * z + vec3_dot(a, b) * z + vec3_dot(b, c) * x + vec3_dot(c, a) * y);
    }
    return sum / (4.0 * acos(-1.0));
}

static carom_vec3 *list_corners(const carom_mesh *mesh)
{
    uint32_t count = carom_mesh_get_info(mesh).triangle_count;
    carom_vec3 *corners = malloc(3 * (size_t)count * sizeof *corners);
    assert_non_null(corners);
    for (size_t i = 0; i < 3 * (size_t)count; i++)
        corners[i] = carom_mesh_vertices(mesh)[carom_mesh_indices(mesh)[i]];
    return corners;
}

static double fast_winding(const carom_mesh *mesh, carom_vec3 point)
{
    const winding_field *field;
    uint64_t work = 0;
    assert_int_equal(winding_field_of(mesh, &field), CAROM_OK);
    double turns = winding_number(field, point, &work);
    assert_true(work > 0);
    return turns;
}

/* Random points in the mesh's box, grown by a half; near a corner every third time. */
static carom_vec3 random_point(check_random *random, const carom_mesh *mesh)
{
    carom_aabb box = carom_mesh_get_info(mesh).bounds;
    carom_vec3 size = vec3_sub(box.max, box.min);
    carom_vec3 p = {check_uniform(random, box.min.x - 0.25 * size.x, box.max.x + 0.25 * size.x),
                    check_uniform(random, box.min.y - 0.25 * size.y, box.max.y + 0.25 * size.y),
                    check_uniform(random, box.min.z - 0.25 * size.z, box.max.z + 0.25 * size.z)};
    if (check_next(random) % 3 != 0)
        return p;
    carom_vec3 corner = carom_mesh_vertices(mesh)[check_next(random) % carom_mesh_get_info(mesh).vertex_count];
    double near = check_uniform(random, 1e-6, 0.05);
    return vec3_add(vec3_scale(corner, 1.0 - near), vec3_scale(p, near));
}

/* The threshold of 0.6 is 0.1 away from what a flat sheet reaches; the error must be well below. */
static void agrees_with_the_sum(void **state)
{
    (void)state;
    world w = world_open();
    check_random random = {11};
    double worst = 0.0;
    for (generate_kind kind = 0; kind < GENERATE_KIND_COUNT; kind++)
        for (uint32_t triangles = 300; triangles <= 10000; triangles *= 5)
        {
            carom_mesh *whole = world_shape(&w, kind, triangles);
            uint32_t count = carom_mesh_get_info(whole).triangle_count;
            carom_vec3 *corners = list_corners(whole);
            /* whole, and with the last fifth missing */
            for (uint32_t kept = count; kept >= count - count / 5; kept -= count / 5)
            {
                carom_mesh *mesh = soup_mesh(w.context, corners, kept);
                for (int i = 0; i < 60; i++)
                {
                    carom_vec3 p = random_point(&random, mesh);
                    double error = fabs(fast_winding(mesh, p) - slow_winding(corners, kept, p));
                    worst = fmax(worst, error);
                }
                carom_mesh_destroy(mesh);
            }
            free(corners);
            carom_mesh_destroy(whole);
        }
    printf("largest error %.4f\n", worst);
    assert_true(worst < 0.05);
    world_close(&w);
}

/* One triangle seen from everywhere: the own arctangent, all signs and quadrants. */
static void angles_of_one_triangle(void **state)
{
    world w = world_open();
    (void)state;
    const carom_vec3 corners[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    carom_mesh *mesh = soup_mesh(w.context, corners, 1);
    check_random random = {3};
    for (int i = 0; i < 20000; i++)
    {
        double reach = check_uniform(&random, 0, 1) < 0.5 ? 0.3 : 1.2; /* nearer than a dipole stands for */
        carom_vec3 p = {1.0 / 3 + check_uniform(&random, -reach, reach),
                        1.0 / 3 + check_uniform(&random, -reach, reach),
                        1.0 / 3 + check_uniform(&random, -reach, reach)};
        check_near(fast_winding(mesh, p), slow_winding(corners, 1, p), 2e-8);
    }
    /* in its plane: the mean of both sides */
    assert_true(fast_winding(mesh, (carom_vec3){0.25, 0.25, 0.5}) == 0.0);
    assert_true(fast_winding(mesh, (carom_vec3){1, 1, -1}) == 0.0);
    assert_true(fast_winding(mesh, corners[1]) == 0.0);
    carom_mesh_destroy(mesh);
    world_close(&w);
}

/* Boxes of every size and place: 1 inside, 0 outside, 1/2 on a face, 1/4 on an edge, 1/8 at a corner. */
static void boxes_of_every_size(void **state)
{
    (void)state;
    world w = world_open();
    for (int exponent = -300; exponent <= 90; exponent += 13)
        for (int far = 0; far < 2; far++)
        {
            double s = ldexp(1.0, exponent), o = far ? 1000 * s : 0;
            carom_mesh *box = world_box(&w, o, o, o, o + s, o + s, o + s);
            check_near(fast_winding(box, (carom_vec3){o + s / 2, o + s / 4, o + s / 8}), 1, 1e-6);
            check_near(fast_winding(box, (carom_vec3){o + s / 2, o + s / 4, o + 2 * s}), 0, 1e-6);
            check_near(fast_winding(box, (carom_vec3){o + s / 2, o + s / 4, o}), 0.5, 1e-6);
            check_near(fast_winding(box, (carom_vec3){o, o + s / 4, o}), 0.25, 1e-6);
            check_near(fast_winding(box, (carom_vec3){o, o + s, o}), 0.125, 1e-6);
            carom_mesh_destroy(box);
        }
    world_close(&w);
}

static void swap_corners(carom_vec3 *triangle)
{
    carom_vec3 kept = triangle[1];
    triangle[1] = triangle[2], triangle[2] = kept;
}

/* Triangles that are turned over at random: the larger part of the surface is right. */
static void turned_triangles_are_turned_back(void **state)
{
    (void)state;
    world w = world_open();
    check_random random = {17};
    for (generate_kind kind = 0; kind < GENERATE_KIND_COUNT; kind++)
    {
        carom_mesh *mesh = world_shape(&w, kind, 600);
        uint32_t count = carom_mesh_get_info(mesh).triangle_count;
        carom_vec3 *corners = list_corners(mesh), *turned = list_corners(mesh);
        for (uint32_t i = 0; i < count; i++)
            if (check_next(&random) % 5 == 0)
                swap_corners(turned + 3 * (size_t)i);
        carom_mesh *other = soup_mesh(w.context, turned, count);
        for (int i = 0; i < 50; i++)
        {
            carom_vec3 p = random_point(&random, mesh);
            check_near(fast_winding(other, p), slow_winding(corners, count, p), 0.05);
        }
        free(corners), free(turned);
        carom_mesh_destroy(mesh), carom_mesh_destroy(other);
    }
    world_close(&w);
}

/* What a point costs grows little with the mesh. */
static void work_stays_small(void **state)
{
    (void)state;
    world w = world_open();
    check_random random = {41};
    carom_mesh *torus = world_shape(&w, GENERATE_TORUS, 100000);
    const winding_field *field;
    assert_int_equal(winding_field_of(torus, &field), CAROM_OK);
    carom_aabb box = carom_mesh_get_info(torus).bounds;
    uint64_t work = 0;
    for (int i = 0; i < 1000; i++)
        winding_number(field,
                       (carom_vec3){check_uniform(&random, box.min.x, box.max.x),
                                    check_uniform(&random, box.min.y, box.max.y),
                                    check_uniform(&random, box.min.z, box.max.z)},
                       &work);
    printf("%.0f looks per point\n", (double)work / 1000);
    assert_true(work < 3000 * 1000);
    carom_mesh_destroy(torus);
    world_close(&w);
}

/* A strip with one side only can't be turned; an inside-out box has winding number -1. */
static void surfaces_that_stay_as_they_are(void **state)
{
    (void)state;
    world w = world_open();
    /* five triangles around, the last glued to the first the wrong way */
    const double strip[15] = {0, 0, 0, 1, 0, 1, 2, 0, 0, 1, 1, 1, 0, 2, 0};
    const uint32_t around[15] = {0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 0, 4, 0, 1};
    carom_mesh *moebius = world_mesh(&w, strip, 5, around, 5);
    carom_vec3 *corners = list_corners(moebius);
    const carom_vec3 p = {0.9, 0.6, 0.3};
    check_near(fast_winding(moebius, p), slow_winding(corners, 5, p), 1e-7);
    free(corners);
    carom_mesh *box = world_box(&w, 0, 0, 0, 1, 1, 1);
    corners = list_corners(box);
    for (int i = 0; i < 12; i++)
        swap_corners(corners + 3 * (size_t)i);
    carom_mesh *inside_out = soup_mesh(w.context, corners, 12);
    check_near(fast_winding(inside_out, (carom_vec3){0.5, 0.25, 0.75}), -1, 1e-6);
    free(corners);
    carom_mesh_destroy(moebius), carom_mesh_destroy(box), carom_mesh_destroy(inside_out);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_sum), cmocka_unit_test(angles_of_one_triangle),
        cmocka_unit_test(boxes_of_every_size), cmocka_unit_test(turned_triangles_are_turned_back),
        cmocka_unit_test(work_stays_small),    cmocka_unit_test(surfaces_that_stay_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
