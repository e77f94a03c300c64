/* Faces of many corners: the triangles against the polygon's area, whatever its shape; what crosses or touches itself;
 * cancelling. */
#include "support/check.h"
#include "support/maze.h"

#include "carom/carom.h"
#include "carom/io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    MAX_CORNERS = 400000
};

static const double pi = 3.14159265358979323846;
static double corners[MAX_CORNERS][2];
static size_t count;

static void put(double x, double y) { corners[count][0] = x, corners[count][1] = y, ++count; }

static void reverse(void)
{
    for (size_t i = 0; i < count / 2; i++)
        for (int k = 0; k < 2; k++)
        {
            double swap = corners[i][k];
            corners[i][k] = corners[count - 1 - i][k], corners[count - 1 - i][k] = swap;
        }
}

static void turn_by(double angle)
{
    for (size_t i = 0; i < count; i++)
    {
        double x = corners[i][0], y = corners[i][1];
        corners[i][0] = cos(angle) * x - sin(angle) * y, corners[i][1] = sin(angle) * x + cos(angle) * y;
    }
}

/* ---- reading ---- */

static char heard[1024];

static void listen(carom_log_level level, const char *message, void *user)
{
    (void)level, (void)user;
    snprintf(heard, sizeof heard, "%s", message);
}

typedef struct watcher
{
    size_t calls, stop_at;
} watcher;

static bool watch(const carom_progress *progress, void *user)
{
    watcher *w = user;
    (void)progress;
    return ++w->calls != w->stop_at;
}

/* The corners as `faces` faces of one file, in the plane y = 1. */
static char *write_text(size_t faces, size_t *size)
{
    char *text = malloc(count * (64 + 8 * faces) + 64);
    size_t at = 0;
    assert_non_null(text);
    for (size_t i = 0; i < count; i++)
        at += (size_t)sprintf(text + at, "v %.17g 1 %.17g\n", corners[i][0], corners[i][1]);
    for (size_t k = 0; k < faces; k++)
    {
        text[at++] = 'f';
        for (size_t i = 0; i < count; i++)
            at += (size_t)sprintf(text + at, " %zu", i + 1);
        text[at++] = '\n';
    }
    *size = at;
    return text;
}

static carom_status read_face(watcher *w, io_model *model)
{
    carom_context_def def = carom_context_def_default();
    def.log = listen, def.progress = watch, def.progress_user = w;
    carom_context *context;
    size_t size;
    char *text = write_text(1, &size);
    heard[0] = '\0';
    assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
    carom_status status = io_read_memory(context, text, size, "obj", model);
    free(text);
    return status;
}

static void close_model(io_model *model)
{
    carom_context *context = model->context;
    io_model_free(model);
    carom_context_destroy(context);
}

/* ---- area ---- */

static double twice_area(void)
{
    double twice = 0;
    for (size_t i = 0; i < count; i++)
    {
        const double *p = corners[i], *q = corners[i + 1 < count ? i + 1 : 0];
        twice += p[0] * q[1] - p[1] * q[0];
    }
    return twice;
}

/* Every triangle turns the polygon's way, and all together have its area: then they cover it once. */
static void check_triangles(const carom_mesh *mesh, double twice)
{
    const carom_vec3 *v = carom_mesh_vertices(mesh);
    const uint32_t *index = carom_mesh_indices(mesh);
    size_t triangles = carom_mesh_get_info(mesh).triangle_count;
    double sum = 0, largest = 1e-14 * fabs(twice);
    assert_int_equal(triangles, count - 2);
    for (size_t i = 0; i < triangles; i++, index += 3)
    {
        carom_vec3 a = v[index[0]], b = v[index[1]], c = v[index[2]];
        double turn = (b.x - a.x) * (c.z - a.z) - (b.z - a.z) * (c.x - a.x);
        if (twice > 0 ? turn < -largest : turn > largest)
            fail_msg("triangle %zu of %zu is turned over", i, triangles);
        sum += turn;
    }
    check_near(sum, twice, 1e-9 * fabs(twice));
}

static void check_face(void)
{
    watcher w = {0};
    io_model model;
    assert_int_equal(read_face(&w, &model), CAROM_OK);
    assert_int_equal(model.odd_faces, 0);
    assert_int_equal(model.complex_faces, 0);
    assert_string_equal(heard, "");
    check_triangles(model.mesh, twice_area());
    close_model(&model);
}

static void check_both_ways(void)
{
    check_face();
    reverse();
    check_face();
}

static void comb(size_t n, double depth)
{
    count = 0;
    for (size_t i = 0; i < n; i++)
        put((double)i, i % 2 ? depth : 0.5);
    put((double)n, -1), put(0, -1);
}

static void star(size_t n, double inner)
{
    count = 0;
    for (size_t i = 0; i < n; i++)
    {
        double angle = 2 * pi * (double)i / (double)n, radius = i % 2 ? 10 : inner;
        put(radius * cos(angle), radius * sin(angle));
    }
}

/* Round and round, there and back. */
static void spiral(size_t n, double turns)
{
    count = 0;
    for (int way = 0; way < 2; way++)
        for (size_t i = 0; i < n / 2; i++)
        {
            double angle = 2 * pi * turns * (double)(way ? n / 2 - 1 - i : i) / ((double)n / 2);
            double radius = 10 + angle + (way ? 3 : 0);
            put(radius * cos(angle), radius * sin(angle));
        }
}

static uint64_t choose(void *user) { return check_next(user) >> 33; }

static void maze_of(int width, int height, double thickness, bool collinear)
{
    static check_random random = {7};
    const maze m = {width, height, thickness, collinear, choose, &random};
    maze_corners found = {corners, 0, MAX_CORNERS};
    maze_outline(&m, &found);
    assert_true(found.count <= MAX_CORNERS);
    count = found.count;
}

static void concave_faces_keep_their_area(void **state)
{
    (void)state;
    for (size_t n = 20; n <= 20000; n *= 10)
    {
        comb(n, 10);
        check_both_ways();
        star(n, 3);
        check_both_ways();
        spiral(n, n > 20 ? 3 : 0.9);
        check_both_ways();
        /* collinear runs around an L */
        count = 0;
        double side = (double)n;
        for (size_t i = 0; i < n; i++)
            put((double)i, 0);
        put(side, 0), put(side, side / 2), put(side / 2, side / 2), put(side / 2, side);
        for (size_t i = n / 2; i-- > 0;)
            put((double)i, side);
        check_both_ways();
    }
}

/* Ears that reach across the whole face; combs and stars of so many corners used to become wrong fans without a word.
 */
static void large_faces_keep_their_area(void **state)
{
    (void)state;
    star(300000, 3);
    check_face();
    star(100000, 9.9999);
    check_both_ways();
    comb(100000, 10);
    check_both_ways();
    comb(300000, 1e7);
    check_face();
    spiral(100000, 200);
    check_both_ways();
    maze_of(200, 200, 0.25, true);
    check_both_ways();
    turn_by(0.3);
    check_face();
}

static void mazes_keep_their_area(void **state)
{
    (void)state;
    for (int round = 0; round < 300; round++)
    {
        maze_of(2 + round % 23, 1 + round % 19, round % 5 ? 0.25 : 0.4999, round % 2);
        if (round % 3)
            turn_by(0.1 * round);
        if (count > 4)
            check_both_ways();
    }
}

/* Many faces together have no common limit. */
static void all_faces_of_a_file_keep_their_area(void **state)
{
    (void)state;
    size_t size, faces = 200;
    comb(3000, 10);
    char *text = write_text(faces, &size);
    carom_context *context;
    assert_int_equal(carom_context_create(NULL, &context), CAROM_OK);
    io_model model;
    assert_int_equal(io_read_memory(context, text, size, "obj", &model), CAROM_OK);
    assert_int_equal(model.odd_faces + model.complex_faces, 0);
    double area = carom_mesh_get_info(model.mesh).area, expected = (double)faces * fabs(twice_area()) / 2;
    check_near(area, expected, 1e-9 * expected);
    io_model_free(&model);
    carom_context_destroy(context);
    free(text);
}

/* ---- what touches and what crosses ---- */

/* Holes on a bridge, whose two sides are the same points; passages without walls between them. */
static void faces_that_touch_themselves_keep_their_area(void **state)
{
    (void)state;
    for (int holes = 1; holes <= 300; holes *= 4)
    {
        count = 0;
        for (int i = 0; i < holes; i++)
        {
            double x = 4 * i;
            put(x, 0), put(x + 1, 0), put(x + 1, 1), put(x + 1, 2), put(x + 3, 2), put(x + 3, 1), put(x + 1, 1);
            put(x + 1, 0);
        }
        put(4 * holes, 0), put(4 * holes, 4), put(0, 4);
        check_both_ways();
        turn_by(pi / 2);
        for (size_t i = 0; i < count; i++)
            corners[i][0] = round(corners[i][0]), corners[i][1] = round(corners[i][1]);
        check_both_ways();
    }
}

static void check_crossing(void)
{
    watcher w = {0};
    io_model model;
    assert_int_equal(read_face(&w, &model), CAROM_OK);
    assert_int_equal(carom_mesh_get_info(model.mesh).triangle_count, count - 2);
    assert_int_equal(model.odd_faces, 1);
    assert_int_equal(model.complex_faces, 0);
    assert_non_null(strstr(heard, "crosses itself"));
    close_model(&model);
}

static void crossing_faces_become_fans_with_a_note(void **state)
{
    (void)state;
    static const double pentagram[5][2] = {{0, 10}, {6, -8}, {-9.5, 3}, {9.5, 3}, {-6, -8}};
    static const double hook[6][2] = {{0, 0}, {9, 0}, {9, 6}, {3, 6}, {3, -3}, {0, -3}};
    memcpy(corners, pentagram, sizeof pentagram), count = 5;
    check_crossing();
    memcpy(corners, hook, sizeof hook), count = 6;
    check_crossing();
    /* in large faces: a tooth through the ground, first, in the middle and last */
    for (size_t n = 300; n <= 30000; n *= 10)
        for (size_t tooth = 2; tooth < n; tooth += n / 2 - 2)
        {
            comb(n, 10);
            corners[tooth][1] = -2;
            check_crossing();
            reverse();
            check_crossing();
        }
    /* an arm that comes back into the body from above: covered twice */
    static const double arm[][2] = {{300, 0},  {320, 0}, {320, 30}, {100, 30}, {90, 5}, {110, 25},
                                    {310, 25}, {310, 5}, {300, 5},  {300, 10}, {0, 10}};
    count = 0;
    for (int i = 0; i < 300; i++)
        put(i, i % 2 ? 0.5 : 0);
    for (size_t i = 0; i < sizeof arm / sizeof *arm; i++)
        put(arm[i][0], arm[i][1]);
    for (int i = 0; i < 4; i++)
    {
        check_crossing();
        turn_by(pi / 2);
        reverse();
    }
    /* twice round: likewise */
    count = 0;
    for (int i = 0; i < 1000; i++)
    {
        double angle = 4 * pi * i / 1000, radius = 10 + (i % 2 ? 1 : 0) + 0.002 * i;
        put(radius * cos(angle), radius * sin(angle));
    }
    check_crossing();
}

/* ---- cancelling ---- */

static void large_faces_can_be_cancelled(void **state)
{
    (void)state;
    io_model model;
    watcher w = {0};
    star(200000, 3);
    assert_int_equal(read_face(&w, &model), CAROM_OK);
    close_model(&model);
    size_t calls = w.calls;
    assert_true(calls > 20);
    for (size_t at = 1; at <= calls; at += 7)
    {
        w = (watcher){.stop_at = at};
        assert_int_equal(read_face(&w, &model), CAROM_CANCELLED);
        assert_int_equal(w.calls, at);
        close_model(&model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(concave_faces_keep_their_area),
        cmocka_unit_test(large_faces_keep_their_area),
        cmocka_unit_test(mazes_keep_their_area),
        cmocka_unit_test(all_faces_of_a_file_keep_their_area),
        cmocka_unit_test(faces_that_touch_themselves_keep_their_area),
        cmocka_unit_test(crossing_faces_become_fans_with_a_note),
        cmocka_unit_test(large_faces_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
