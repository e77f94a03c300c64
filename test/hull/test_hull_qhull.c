/* Hulls against libqhull, an independent implementation in floating point. Where the two differ, exact arithmetic says
 * who is wrong: qhull merges facets that are almost coplanar and may drop a vertex or add one on the way; ours must
 * always be right. */
#include "carom/io.h"
#include "support/data.h"
#include "support/hulls.h"

#include <libqhull_r/qhull_ra.h>
#include <stdlib.h>
#include <string.h>

/* What qhull says. */
typedef struct answer
{
    bool valid; /* flat points are an error to it */
    uint32_t vertex_count;
    bool *is_vertex; /* per point */
    double volume;
} answer;

typedef struct tally
{
    uint32_t clouds, refused, same, differ; /* qhull's refusals, equal and different vertices */
    uint32_t dropped, added;                /* vertices by qhull */
    double worst_volume;                    /* relative difference */
} tally;

static answer ask_qhull(const carom_vec3 *points, uint32_t count)
{
    answer out = {.is_vertex = calloc((size_t)count + 1, sizeof(bool))};
    char command[] = "qhull Pp";
    qhT qh;
    FILE *errors = fopen("/dev/null", "w");
    assert_non_null(errors);
    memset(&qh, 0, sizeof qh);
    qh_zero(&qh, errors);
    coordT *copy = malloc(((size_t)count + 1) * 3 * sizeof *copy);
    memcpy(copy, points, (size_t)count * sizeof *points);
    out.valid = qh_new_qhull(&qh, 3, (int)count, copy, False, command, NULL, errors) == 0;
    if (out.valid)
    {
        qh_getarea(&qh, qh.facet_list);
        out.volume = qh.totvol;
        vertexT *vertex;
        for (vertex = qh.vertex_list; vertex && vertex->next; vertex = vertex->next)
            out.is_vertex[qh_pointid(&qh, vertex->point)] = true, out.vertex_count++;
    }
    int left, total;
    qh_freeqhull(&qh, qh_ALL);
    qh_memfreeshort(&qh, &left, &total);
    free(copy);
    fclose(errors);
    return out;
}

/* Is a vertex of ours extreme? Not if it is in the hull of the others, whose facets are checked as well. */
static void check_extreme(carom_context *context, const carom_vec3 *points, const hull *h, uint32_t vertex)
{
    carom_vec3 *others = malloc(h->vertex_count * sizeof *others);
    uint32_t count = 0;
    for (uint32_t i = 0; i < h->vertex_count; i++)
        if (h->vertices[i] != vertex)
            others[count++] = points[h->vertices[i]];
    hull rest;
    assert_int_equal(hull_build(context, others, count, &rest), CAROM_OK);
    hulls_check(others, count, &rest, 1);
    if (hull_contains_point(&rest, others, points[vertex]))
        fail_msg("point %u is not extreme", vertex);
    hull_free(&rest);
    free(others);
}

/* qhull's vertex may be another one of equal points. */
static bool has_equal(const carom_vec3 *points, const hull *h, uint32_t point)
{
    for (uint32_t i = 0; i < h->vertex_count; i++)
        if (vec3_equal(points[h->vertices[i]], points[point]))
            return true;
    return false;
}

static void compare(carom_context *context, const carom_vec3 *points, uint32_t count, tally *sums)
{
    hull h;
    assert_int_equal(hull_build(context, points, count, &h), CAROM_OK);
    hulls_check(points, count, &h, (uint32_t)(1 + (uint64_t)h.facet_count * count / 20000000));
    answer q = ask_qhull(points, count);
    sums->clouds++, sums->refused += !q.valid;
    uint32_t dropped = 0, added = 0;
    for (uint32_t i = 0; i < h.vertex_count && q.valid; i++)
    {
        bool found = q.is_vertex[h.vertices[i]];
        for (uint32_t k = 0; k < count && !found; k++)
            found = q.is_vertex[k] && vec3_equal(points[k], points[h.vertices[i]]);
        if (!found && ++dropped)
            check_extreme(context, points, &h, h.vertices[i]);
    }
    for (uint32_t i = 0; i < count && q.valid; i++)
        added += q.is_vertex[i] && !has_equal(points, &h, i); /* hulls_check has shown that it is in the hull */
    if (q.valid)
    {
        double volume = hull_measure(&h, points).volume, difference = fabs(volume - q.volume) / volume;
        sums->worst_volume = fmax(sums->worst_volume, difference);
        sums->same += dropped + added == 0, sums->differ += dropped + added > 0;
        sums->dropped += dropped, sums->added += added;
    }
    free(q.is_vertex);
    hull_free(&h);
}

static void report(const char *name, const tally *sums)
{
    print_message("%s: %u clouds, %u that qhull refuses, %u with the same vertices, %u where it drops %u and adds %u; "
                  "volumes within %.1e\n",
                  name, sums->clouds, sums->refused, sums->same, sums->differ, sums->dropped, sums->added,
                  sums->worst_volume);
}

/* ---- clouds ---- */

static void test_generic(void **state)
{
    tally sums = {0};
    for (uint32_t seed = 0; seed < 60; seed++)
    {
        check_random r = {seed};
        uint32_t count = 5 + (uint32_t)(check_next(&r) % (seed % 10 == 0 ? 5000 : 300));
        carom_vec3 *points = malloc(count * sizeof *points);
        for (uint32_t i = 0; i < count; i++)
        {
            points[i] = check_random_point(&r, -1.0, 1.0);
            if (seed % 2)
                points[i] = vec3_scale(points[i], 1.0 / vec3_length(points[i]));
        }
        compare(*state, points, count, &sums);
        free(points);
    }
    report("random", &sums);
    assert_int_equal(sums.same, 60);
    assert_true(sums.worst_volume < 1e-12);
}

/* The surface of a rotated cube: rounding lifts points off the faces by a bit or so. Exactly, many of them are extreme;
 * qhull takes them for points of the faces. */
static void test_rotated_cube(void **state)
{
    tally sums = {0};
    for (uint32_t seed = 0; seed < 20; seed++)
    {
        check_random r = {seed};
        carom_vec3 points[200];
        for (int i = 0; i < 200; i++)
        {
            carom_vec3 p = check_random_point(&r, -1.0, 1.0);
            p.x = i % 2 ? 1.0 : -1.0;
            p = i % 3 == 0 ? p : i % 3 == 1 ? vec3(p.y, p.z, p.x) : vec3(p.z, p.x, p.y);
            p = vec3(0.6 * p.x - 0.8 * p.y, 0.8 * p.x + 0.6 * p.y, p.z);
            points[i] = vec3(p.x, 0.28 * p.y - 0.96 * p.z, 0.96 * p.y + 0.28 * p.z);
        }
        compare(*state, points, 200, &sums);
    }
    report("rotated cube", &sums);
    assert_true(sums.dropped > 100);
    assert_true(sums.worst_volume < 1e-12);
}

/* u32 count, then 3 floats per point, little endian. */
static void test_clouds_of_a_game(void **state)
{
    char path[512];
    data_find("hulls/convex_hulls.bin", path, sizeof path);
    FILE *file = fopen(path, "rb");
    tally sums = {0};
    unsigned char head[4];
    while (fread(head, 1, 4, file) == 4)
    {
        uint32_t count = head[0] | (uint32_t)head[1] << 8 | (uint32_t)head[2] << 16 | (uint32_t)head[3] << 24;
        assert_true(count < 1000000);
        carom_vec3 *points = malloc(((size_t)count + 1) * sizeof *points);
        for (uint32_t i = 0; i < count; i++)
        {
            float p[3];
            assert_int_equal(fread(p, sizeof *p, 3, file), 3);
            points[i] = vec3(p[0], p[1], p[2]);
        }
        compare(*state, points, count, &sums);
        free(points);
    }
    fclose(file);
    report("convex_hulls.bin", &sums);
    assert_int_equal(sums.clouds, 6755);
    assert_true(sums.same > 6000);
}

static void test_models(void **state)
{
    static const char *const names[] = {"cow", "fandisk", "rocker-arm", "spot", "stanford-bunny", "suzanne", "teapot"};
    carom_context *context = *state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    {
        char name[64], path[512];
        snprintf(name, sizeof name, "models/%s.obj", names[i]);
        data_find(name, path, sizeof path);
        io_model model;
        assert_int_equal(io_read(context, path, NULL, &model), CAROM_OK);
        tally sums = {0};
        compare(context, carom_mesh_vertices(model.mesh), carom_mesh_get_info(model.mesh).vertex_count, &sums);
        report(names[i], &sums);
        assert_int_equal(sums.refused, 0);
        assert_true(sums.worst_volume < 1e-9);
        io_model_free(&model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_generic, check_open_context, check_close_context),
        cmocka_unit_test_setup_teardown(test_rotated_cube, check_open_context, check_close_context),
        cmocka_unit_test_setup_teardown(test_clouds_of_a_game, check_open_context, check_close_context),
        cmocka_unit_test_setup_teardown(test_models, check_open_context, check_close_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
