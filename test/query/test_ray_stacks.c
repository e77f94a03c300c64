/* Rays through stacks of triangles that lie in the same planes: hits with equal t, hits exactly at max_t, and triangles
 * that a builder puts into several leaves. Everything is a small integer, so that the truth is integer arithmetic and
 * each t is exact. */
#include "support/check.h"
#include "support/soup.h"

#include "carom/query.h"
#include "carom/tree.h"

#include <string.h>

enum
{
    TRIANGLES = 240,
    LAYERS = 6, /* planes z = 1 .. 6 */
    SIDE = 8,   /* corners have x and y from 0 to 8 */
    LAYOUTS = 3 + CAROM_VOLUME_COUNT + CAROM_BUILDER_COUNT
};

typedef struct flat_triangle
{
    int x[3], y[3], z;
} flat_triangle;

typedef struct stack
{
    flat_triangle triangles[TRIANGLES];
    carom_mesh *mesh;
} stack;

/* Twice the area that a, b, c turn around, in units of a half. */
static int turn(int ax, int ay, int bx, int by, int cx, int cy)
{
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
}

static stack make_stack(carom_context *context, check_random *random)
{
    stack s;
    carom_vec3 corners[3 * TRIANGLES];
    for (int i = 0; i < TRIANGLES; i++)
    {
        flat_triangle *t = &s.triangles[i];
        do
            for (int k = 0; k < 3; k++)
                t->x[k] = (int)(check_next(random) % (SIDE + 1)), t->y[k] = (int)(check_next(random) % (SIDE + 1));
        while (turn(t->x[0], t->y[0], t->x[1], t->y[1], t->x[2], t->y[2]) == 0);
        t->z = 1 + (int)(check_next(random) % LAYERS);
        for (int k = 0; k < 3; k++)
            corners[3 * i + k] = (carom_vec3){t->x[k], t->y[k], t->z};
    }
    s.mesh = soup_mesh(context, corners, TRIANGLES);
    return s;
}

/* Is the point (x, y) / 2 in the triangle or on its edge? */
static bool covers(const flat_triangle *t, int x, int y)
{
    bool left = false, right = false;
    for (int k = 0; k < 3; k++)
    {
        int n = (k + 1) % 3, side = turn(2 * t->x[k], 2 * t->y[k], 2 * t->x[n], 2 * t->y[n], x, y);
        left = left || side > 0, right = right || side < 0;
    }
    return !(left && right);
}

/* The default, the presets, each volume, each builder; those that duplicate must do so here. */
static carom_tree *make_tree(carom_context *context, const stack *s, int layout)
{
    carom_tree_def def = carom_tree_def_preset(layout == 1   ? CAROM_TREE_FAST
                                               : layout == 2 ? CAROM_TREE_TIGHT
                                                             : CAROM_TREE_RAYS);
    if (layout >= 3)
    {
        def = carom_tree_def_default();
        def.layout = CAROM_LAYOUT_BINARY;
        def.volume = layout < 3 + CAROM_VOLUME_COUNT ? (carom_volume)(layout - 3) : CAROM_VOLUME_AABB;
        def.builder =
            layout < 3 + CAROM_VOLUME_COUNT ? CAROM_BUILDER_SAH : (carom_builder)(layout - 3 - CAROM_VOLUME_COUNT);
    }
    carom_tree *tree;
    assert_int_equal(carom_tree_create(context, s->mesh, &def, &tree), CAROM_OK);
    if (layout >= 3 && def.builder == CAROM_BUILDER_BALANCED)
        assert_true(carom_tree_get_info(tree).reference_count > TRIANGLES);
    return tree;
}

/* One ray upwards through (x, y) / 2, with t = z / 4: what must it hit up to `limit` quarters? */
static void check_ray(carom_query *query, const stack *s, const carom_tree *tree, const int at[2], int limit)
{
    carom_placed placed = {carom_shape_tree(tree), carom_pose_identity()};
    carom_ray ray = {{at[0] / 2.0, at[1] / 2.0, 0.0}, {0.0, 0.0, 4.0}, limit / 4.0};
    carom_ray_report report;
    assert_int_equal(carom_ray_cast(query, &placed, &ray, CAROM_RAY_ALL, &report), CAROM_OK);
    uint64_t seen = 0;
    uint32_t first = CAROM_NO_TRIANGLE;
    for (int z = 1; z <= limit; z++)
        for (uint32_t i = 0; i < TRIANGLES; i++)
            if (s->triangles[i].z == z && covers(&s->triangles[i], at[0], at[1]))
            {
                assert_true(seen < report.hit_count);
                assert_int_equal(report.hits[seen].triangle, i);
                assert_true(report.hits[seen].t == z / 4.0);
                first = seen++ == 0 ? i : first;
            }
    assert_int_equal(report.hit_count, seen);
    assert_int_equal(carom_ray_cast(query, &placed, &ray, CAROM_RAY_ANY, &report), CAROM_OK);
    assert_int_equal(report.hit_count, seen > 0);
    assert_int_equal(carom_ray_cast(query, &placed, &ray, CAROM_RAY_FIRST, &report), CAROM_OK);
    assert_int_equal(report.hit_count, seen > 0);
    if (seen > 0)
        assert_int_equal(report.hits[0].triangle, first);
    /* just before the plane of the limit */
    ray.max_t = nextafter(ray.max_t, 0.0);
    assert_int_equal(carom_ray_cast(query, &placed, &ray, CAROM_RAY_ALL, &report), CAROM_OK);
    assert_true(report.hit_count == 0 || report.hits[report.hit_count - 1].t <= (limit - 1) / 4.0);
}

static void ties_and_limits_are_exact(void **state)
{
    check_random random = {1};
    stack s = make_stack(*state, &random);
    carom_query *query;
    assert_int_equal(carom_query_create(*state, &query), CAROM_OK);
    for (int layout = 0; layout < LAYOUTS; layout++)
    {
        carom_tree *tree = make_tree(*state, &s, layout);
        for (int i = 0; i < (2 * SIDE + 1) * (2 * SIDE + 1); i++)
            check_ray(query, &s, tree, (int[]){i / (2 * SIDE + 1), i % (2 * SIDE + 1)}, 1 + i % LAYERS);
        carom_tree_destroy(tree);
    }
    carom_query_destroy(query);
    carom_mesh_destroy(s.mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ties_and_limits_are_exact),
    };
    return cmocka_run_group_tests(tests, check_open_context, check_close_context);
}
