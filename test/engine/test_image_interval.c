/* The certified image against rational arithmetic: whatever a triangle is, each pixel that its exact part touches is
 * drawn, with an interval that holds all depths of that part; also where the corners are off by as much as the view
 * allows for. Likewise for views: a seen point is as near to where the exact view sees it as the view says. */
#include "engine/image/image_interval.h"
#include "support/axes.h"

#include <gmp.h>
#include <stdlib.h>

enum
{
    SIDE = 8,
    MAX_CORNERS = 8 /* of a triangle, cut by a square */
};

/* ---- rational polygons ---- */

typedef struct rational_point
{
    mpq_t at[3];
} rational_point;

typedef struct polygon
{
    rational_point corner[MAX_CORNERS];
    int count;
} polygon;

static void polygon_open(polygon *p)
{
    for (int i = 0; i < MAX_CORNERS; i++)
        for (int k = 0; k < 3; k++)
            mpq_init(p->corner[i].at[k]);
    p->count = 0;
}

static void polygon_close(polygon *p)
{
    for (int i = 0; i < MAX_CORNERS; i++)
        for (int k = 0; k < 3; k++)
            mpq_clear(p->corner[i].at[k]);
}

static void point_copy(rational_point *to, const rational_point *from)
{
    for (int k = 0; k < 3; k++)
        mpq_set(to->at[k], from->at[k]);
}

/* Where the segment from p to q has the given value along an axis. */
static void point_between(const rational_point *p, const rational_point *q, int axis, const mpq_t value,
                          rational_point *out)
{
    mpq_t share, length, part;
    mpq_inits(share, length, part, NULL);
    mpq_sub(share, value, p->at[axis]);
    mpq_sub(length, q->at[axis], p->at[axis]);
    mpq_div(share, share, length);
    for (int k = 0; k < 3; k++)
    {
        mpq_sub(part, q->at[k], p->at[k]);
        mpq_mul(part, part, share);
        mpq_add(out->at[k], p->at[k], part);
    }
    mpq_clears(share, length, part, NULL);
}

/* Keeps what is at or above (sign 1) or below (-1) a value along an axis. */
static void cut(const polygon *p, int axis, long value, int sign, polygon *out)
{
    mpq_t limit;
    mpq_init(limit);
    mpq_set_si(limit, value, 1);
    out->count = 0;
    for (int i = 0; i < p->count; i++)
    {
        const rational_point *here = &p->corner[i], *next = &p->corner[(i + 1) % p->count];
        int here_side = sign * mpq_cmp(here->at[axis], limit), next_side = sign * mpq_cmp(next->at[axis], limit);
        if (here_side >= 0)
            point_copy(&out->corner[out->count++], here);
        if ((here_side > 0 && next_side < 0) || (here_side < 0 && next_side > 0))
            point_between(here, next, axis, limit, &out->corner[out->count++]);
    }
    mpq_clear(limit);
}

/* ---- one triangle ---- */

typedef struct judge
{
    polygon whole, cut[4];
    uint64_t touched, drawn, tight;
} judge;

static void judge_pixel(judge *j, const image_record *record, const image_texel *target, int column, int row)
{
    cut(&j->whole, 0, column, 1, &j->cut[0]);
    cut(&j->cut[0], 0, column + 1, -1, &j->cut[1]);
    cut(&j->cut[1], 1, row, 1, &j->cut[2]);
    cut(&j->cut[2], 1, row + 1, -1, &j->cut[3]);
    const float *depth = target[row * SIDE + column].depth;
    bool drawn = depth[1] > IMAGE_NOTHING;
    j->drawn += drawn;
    if (j->cut[3].count == 0)
        return;
    j->touched++;
    if (!drawn)
        fail_msg("pixel %d %d is touched, but not drawn (rect %g %g)", column, row, (double)record->rect[0],
                 (double)record->rect[1]);
    double low = INFINITY, high = -INFINITY;
    mpq_t below, above;
    mpq_inits(below, above, NULL);
    mpq_set_d(below, -(double)depth[0]), mpq_set_d(above, (double)depth[1]);
    for (int i = 0; i < j->cut[3].count; i++)
    {
        double z = mpq_get_d(j->cut[3].corner[i].at[2]);
        low = fmin(low, z), high = fmax(high, z);
        if (mpq_cmp(j->cut[3].corner[i].at[2], below) < 0 || mpq_cmp(j->cut[3].corner[i].at[2], above) > 0)
            fail_msg("pixel %d %d: depth %.17g is not in [%.9g, %.9g]", column, row, z, -(double)depth[0],
                     (double)depth[1]);
    }
    mpq_clears(below, above, NULL);
    j->tight += (double)depth[1] + (double)depth[0] <= 3.0 * (high - low) + 1e-5;
}

static void judge_triangle(judge *j, const image_view *view, const carom_vec3 drawn[3], const carom_vec3 exact[3])
{
    image_record record;
    image_texel target[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++)
        for (int k = 0; k < 4; k++)
            target[i].depth[k] = IMAGE_NOTHING;
    if (image_prepare(view, drawn, &record))
        image_draw_twin(&record, 1, target, SIDE);
    j->whole.count = 3;
    for (int i = 0; i < 3; i++)
    {
        mpq_set_d(j->whole.corner[i].at[0], exact[i].x);
        mpq_set_d(j->whole.corner[i].at[1], exact[i].y);
        mpq_set_d(j->whole.corner[i].at[2], exact[i].z);
    }
    for (int row = 0; row < SIDE; row++)
        for (int column = 0; column < SIDE; column++)
            judge_pixel(j, &record, target, column, row);
}

/* ---- families ---- */

static double power(check_random *random, int low, int high)
{
    return ldexp(1.0, low + (int)(check_next(random) % (uint64_t)(high - low)));
}

static carom_vec3 around(check_random *random, carom_vec3 centre, double reach)
{
    return vec3_add(centre, check_random_point(random, -reach, reach));
}

static void make_triangle(check_random *random, int family, carom_vec3 corner[3])
{
    carom_vec3 centre =
        vec3(check_uniform(random, 0.0, SIDE), check_uniform(random, 0.0, SIDE), check_uniform(random, -0.9, 0.9));
    double reach = family == 1 ? power(random, -30, 0) : family == 2 ? power(random, 3, 40) : 5.0;
    for (int i = 0; i < 3; i++)
        corner[i] = around(random, centre, reach);
    if (family == 3) /* a sliver, or nearly a segment */
        corner[2] =
            around(random, vec3_add(vec3_scale(corner[0], 0.3), vec3_scale(corner[1], 0.7)), power(random, -50, -2));
    if (family == 4) /* seen edge on, or nearly */
        corner[1].x = corner[0].x + 2.0, corner[2].x = corner[0].x + (check_next(random) % 2 ? 0.0 : 1e-17),
        corner[1].y = corner[0].y + 1.0, corner[2].y = corner[0].y;
    if (family == 5) /* corners between pixels */
        for (int i = 0; i < 3; i++)
            corner[i] = vec3(floor(corner[i].x), floor(corner[i].y), floor(8.0 * corner[i].z) / 8.0);
    if (family == 6) /* a segment or a point */
        corner[2] = corner[check_next(random) % 2], corner[1] = check_next(random) % 2 ? corner[0] : corner[1];
    if (family == 7) /* a long needle: which of its sides is which, and how it is inclined, is hard to tell */
    {
        corner[1] = around(random, centre, power(random, 4, 12)), corner[2] = corner[1];
        for (int k = 0; k < 3; k++)
            for (uint64_t steps = check_next(random) % 4; steps > 0; steps--)
                ((double *)&corner[2])[k] = nextafter(((double *)&corner[2])[k], k == 1 ? INFINITY : -INFINITY);
        corner[0].z = 0.9, corner[1].z *= 0x1p-12, corner[2].z *= 0x1p-12;
        if (check_next(random) % 2)
        {
            carom_vec3 first = corner[0];
            corner[0] = corner[1], corner[1] = corner[2], corner[2] = first;
        }
    }
    for (int i = 0; i < 3; i++)
        corner[i].z = fmax(-1.0, fmin(1.0, corner[i].z));
}

/* The error alone takes a corner into the next row or column. */
static void test_next_pixel(void **state)
{
    (void)state;
    image_view view = {.side = SIDE, .error = {1e-9, 1e-9, 1e-9}};
    for (int axis = 0; axis < 2; axis++)
        for (int up = 0; up < 2; up++)
        {
            carom_vec3 corner[3] = {{4.4, 4.5, 0.0}, {4.6, 4.5, 0.0}, {4.5, 4.6, 0.0}};
            image_record record;
            ((double *)&corner[2])[axis] = up ? 5.0 - 5e-10 : 4.0 + 5e-10;
            assert_true(image_prepare(&view, corner, &record));
            assert_true(record.rect[axis] == (up ? 4.0f : 3.0f) && record.rect[axis + 2] == (up ? 6.0f : 5.0f));
        }
}

static void test_triangles(void **state)
{
    (void)state;
    const char *scale = getenv("CAROM_TEST_SCALE");
    int rounds = 400 * (scale ? atoi(scale) : 1);
    check_random random = {20261118};
    judge j = {0};
    polygon_open(&j.whole);
    for (int i = 0; i < 4; i++)
        polygon_open(&j.cut[i]);
    for (int round = 0; round < rounds; round++)
        for (int family = 0; family < 8; family++)
        {
            carom_vec3 drawn[3], exact[3];
            double error = round % 3 == 0 ? 0.0 : power(&random, -50, -3);
            image_view view = {.side = SIDE, .error = {error, error, error}};
            make_triangle(&random, family, drawn);
            for (int i = 0; i < 3; i++)
                exact[i] = around(&random, drawn[i], 0.999 * error);
            judge_triangle(&j, &view, drawn, exact);
        }
    printf("%llu pixels touched, %llu drawn, %llu with narrow intervals\n", (unsigned long long)j.touched,
           (unsigned long long)j.drawn, (unsigned long long)j.tight);
    assert_true(j.touched > (uint64_t)rounds * 20);
    assert_true(j.drawn < 2 * j.touched);      /* not everything */
    assert_true(j.tight > j.touched * 4 / 10); /* nor anything */
    polygon_close(&j.whole);
    for (int i = 0; i < 4; i++)
        polygon_close(&j.cut[i]);
}

/* ---- views ---- */

static volume_box random_box(check_random *random, carom_vec3 centre, double size)
{
    volume_box box = {.centre = centre};
    axes_random(random, box.axis);
    for (int i = 0; i < 3; i++)
        box.half[i] = size * check_uniform(random, 0.1, 1.0);
    return box;
}

/* The exact image of a vertex: rational placement, rational view. */
static void see_exactly(const image_view *view, const carom_pose *pose, carom_vec3 vertex, mpq_t out[3])
{
    mpq_t world[3], term, other;
    mpq_inits(world[0], world[1], world[2], term, other, NULL);
    const double *v = &vertex.x, *t = &pose->translation.x, *c = &view->centre.x;
    for (int row = 0; row < 3; row++)
    {
        mpq_set_d(world[row], t[row]);
        for (int k = 0; k < 3; k++)
        {
            mpq_set_d(term, pose->rotation[3 * row + k]), mpq_set_d(other, v[k]);
            mpq_mul(term, term, other);
            mpq_add(world[row], world[row], term);
        }
        mpq_set_d(term, c[row]);
        mpq_sub(world[row], world[row], term);
    }
    for (int axis = 0; axis < 3; axis++)
    {
        const double *a = &view->axis[axis].x;
        mpq_set_ui(out[axis], 0, 1);
        for (int k = 0; k < 3; k++)
        {
            mpq_set_d(term, a[k]);
            mpq_mul(term, term, world[k]);
            mpq_add(out[axis], out[axis], term);
        }
        if (axis < 2)
        {
            mpq_set_d(term, view->low[axis]);
            mpq_sub(out[axis], out[axis], term);
        }
        mpq_set_d(term, axis < 2 ? view->scale[axis] : view->depth_scale);
        mpq_mul(out[axis], out[axis], term);
    }
    mpq_clears(world[0], world[1], world[2], term, other, NULL);
}

/* Largest difference between where a vertex is drawn and where it is, over the error that the view states. */
static double judge_view(check_random *random, double far, double size, double *overlapping)
{
    enum
    {
        POINTS = 12
    };
    carom_pose pose = carom_pose_identity();
    volume_box turned = random_box(random, vec3(0.0, 0.0, 0.0), 1.0);
    for (int row = 0; row < 3; row++)
        for (int k = 0; k < 3; k++)
            pose.rotation[3 * row + k] = ((double *)&turned.axis[k])[row];
    pose.translation = check_random_point(random, -far, far);
    carom_vec3 vertices[2][POINTS], seen_points[2][POINTS];
    image_seen seen[2];
    volume_box boxes[2];
    for (int body = 0; body < 2; body++)
        boxes[body] = random_box(random, vec3_add(pose.translation, check_random_point(random, -size, size)), size);
    image_overlap overlap = image_overlap_of(&boxes[0], &boxes[1]);
    image_view view;
    image_choose_view(&boxes[0], &boxes[1], &overlap, &view);
    for (int body = 0; body < 2; body++)
    {
        seen[body].points = seen_points[body];
        seen[body].placement = image_placement_error(&pose, 4.0 * size);
        image_see_nothing(&seen[body]);
        for (int i = 0; i < POINTS; i++)
        {
            vertices[body][i] = check_random_point(random, -2.0 * size, 2.0 * size);
            image_see(&view, pose_apply(&pose, vertices[body][i]), &seen[body]);
        }
    }
    if (!image_fit_view(&seen[0], &seen[1], SIDE, &view))
        return 0.0;
    *overlapping += 1.0;
    double worst = 0.0;
    mpq_t exact[3], drawn;
    mpq_inits(exact[0], exact[1], exact[2], drawn, NULL);
    for (int i = 0; i < 2 * POINTS; i++)
    {
        carom_vec3 pixel = image_to_pixels(&view, seen_points[i % 2][i / 2]);
        see_exactly(&view, &pose, vertices[i % 2][i / 2], exact);
        for (int axis = 0; axis < 3; axis++)
        {
            mpq_set_d(drawn, ((double *)&pixel)[axis]);
            mpq_sub(drawn, drawn, exact[axis]);
            worst = fmax(worst, fabs(mpq_get_d(drawn)) / view.error[axis]);
        }
    }
    mpq_clears(exact[0], exact[1], exact[2], drawn, NULL);
    return worst;
}

static void test_views(void **state)
{
    (void)state;
    check_random random = {77};
    double worst = 0.0, overlapping = 0.0;
    const int rounds = 1500;
    for (int i = 0; i < rounds; i++)
        worst = fmax(worst, judge_view(&random, power(&random, -20, 40), power(&random, -30, 30), &overlapping));
    printf("drawn points are off by up to %.3f of what their views state\n", worst);
    assert_true(worst <= 0.5);  /* one half is for the piece itself */
    assert_true(worst >= 0.01); /* the statement means something */
    assert_true(overlapping > 0.3 * rounds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_triangles), cmocka_unit_test(test_next_pixel),
                                       cmocka_unit_test(test_views)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
