/* The ray layout answers like brute force over narrow_ray_hit: first, any, all; ordinary, hostile and far rays. */
#include "support/check.h"
#include "support/placed.h"
#include "tree/rays.h"

#include <stdlib.h>

typedef struct hit_list
{
    carom_ray_hit *items;
    size_t count, capacity;
    carom_ray_mode mode;
    double max_t;
} hit_list;

static double keep_hit(uint32_t triangle, double t, const double uv[2], void *user)
{
    hit_list *list = user;
    carom_ray_hit hit = {t, triangle, uv[0], uv[1]};
    if (t > list->max_t) /* by less than rounding */
        return list->max_t;
    assert_true(list->count < list->capacity);
    list->items[list->count++] = hit;
    return list->mode == CAROM_RAY_ANY ? -1.0 : list->max_t;
}

static int by_triangle(const void *a, const void *b)
{
    const carom_ray_hit *x = a, *y = b;
    return (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

typedef struct ray_case
{
    carom_context *context;
    carom_mesh *mesh;
    ray_tree *tree;
    carom_pose pose;
    hit_list expected, actual;
    uint64_t hit_rays, rays;
} ray_case;

static void brute(const carom_placed *placed, const carom_ray *ray, hit_list *list)
{
    narrow_ray exact = {ray->origin, ray->direction};
    narrow_counts counts = {0};
    list->count = 0;
    for (uint32_t i = 0; i < placed->shape.mesh->triangle_count; i++)
    {
        narrow_triangle corners = placed_triangle(placed, i);
        double t, uv[2];
        if (narrow_ray_hit(&exact, &corners, &t, uv, &counts) && t <= ray->max_t)
            list->items[list->count++] = (carom_ray_hit){t, i, uv[0], uv[1]};
    }
}

/* The smallest exact t up to max_t, then the smallest id. */
static tree_hit brute_first(const carom_placed *placed, const carom_ray *ray)
{
    narrow_ray line = {ray->origin, ray->direction};
    narrow_counts counts = {0};
    tree_hit best = {.triangle = CAROM_NO_TRIANGLE};
    exact_ray_at best_at;
    for (uint32_t i = 0; i < placed->shape.mesh->triangle_count; i++)
    {
        narrow_triangle corners = placed_triangle(placed, i);
        double t, uv[2];
        if (!narrow_ray_hit(&line, &corners, &t, uv, &counts))
            continue;
        exact_ray_at at = narrow_ray_at(&line, &corners, &counts);
        if (ray->max_t < INFINITY && exact_ray_compare_t(line.direction, line.origin, &at, ray->max_t, NULL) > 0)
            continue;
        if (best.triangle == CAROM_NO_TRIANGLE || narrow_ray_compare(&line, &at, &best_at, &counts) < 0)
            best = (tree_hit){t, i, uv[0], uv[1]}, best_at = at;
    }
    return best;
}

static void check_first(const ray_case *test, const tree_ray_task *line, const char *what)
{
    carom_placed placed = {carom_shape_mesh(test->mesh), test->pose};
    tree_ray_frame ray_frame = {.pose = test->pose};
    tree_ray_task task = *line;
    task.ray_frame = &ray_frame;
    tree_hit first = {.triangle = CAROM_NO_TRIANGLE}, best = brute_first(&placed, task.ray);
    assert_int_equal(ray_tree_first(test->tree, &task, &first), CAROM_OK);
    if (first.triangle != best.triangle ||
        (best.triangle != CAROM_NO_TRIANGLE && (first.t != best.t || first.u != best.u || first.v != best.v)))
        fail_msg("%s: first hit is triangle %u at %.17g, expected %u at %.17g", what, first.triangle, first.t,
                 best.triangle, best.t);
}

static void check_ray(ray_case *test, carom_ray ray, const char *what)
{
    carom_placed placed = {carom_shape_mesh(test->mesh), test->pose};
    mesh_placed mesh = placed_tree(&placed);
    carom_counters counters = {0};
    brute(&placed, &ray, &test->expected);
    for (int mode = 0; mode <= CAROM_RAY_ALL; mode++)
    {
        tree_ray_task task = {.context = test->context, .placed = &mesh, .ray = &ray, .counters = &counters};
        if (mode == CAROM_RAY_FIRST)
        {
            check_first(test, &task, what);
            continue;
        }
        test->actual.mode = (carom_ray_mode)mode;
        test->actual.max_t = ray.max_t;
        test->actual.count = 0;
        carom_status status = ray_tree_cast(test->tree, &task, keep_hit, &test->actual);
        assert_true(status == CAROM_OK || (mode == CAROM_RAY_ANY && status == CAROM_STOPPED));
        if (mode == CAROM_RAY_ANY)
            assert_int_equal(test->actual.count > 0, test->expected.count > 0);
        if (mode != CAROM_RAY_ALL)
            continue;
        qsort(test->actual.items, test->actual.count, sizeof *test->actual.items, by_triangle);
        if (test->actual.count != test->expected.count)
            fail_msg("%s: %zu hits, expected %zu", what, test->actual.count, test->expected.count);
        for (size_t i = 0; i < test->actual.count; i++)
        {
            carom_ray_hit actual = test->actual.items[i], expected = test->expected.items[i];
            assert_int_equal(actual.triangle, expected.triangle);
            assert_true(actual.t == expected.t && actual.u == expected.u && actual.v == expected.v);
        }
    }
    test->rays++;
    test->hit_rays += test->expected.count > 0;
}

/* ---- meshes ---- */

static carom_vec3 random_point(check_random *random, double size)
{
    double x = check_uniform(random, -size, size), y = check_uniform(random, -size, size);
    return vec3(x, y, check_uniform(random, -size, size));
}

static carom_mesh *make_mesh(carom_context *context, const carom_vec3 *vertices, size_t vertex_count,
                             const uint32_t *indices, size_t triangle_count)
{
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = (const double *)vertices;
    def.vertex_count = vertex_count;
    def.indices_u32 = (const uint32_t *)indices;
    def.triangle_count = triangle_count;
    carom_mesh *mesh = NULL;
    assert_int_equal(carom_mesh_create(context, &def, &mesh), CAROM_OK);
    return mesh;
}

enum
{
    GRID = 24
};

/* A bumpy closed torus-like grid: neighbours share edges and corners. */
static carom_mesh *grid_mesh(carom_context *context, double size, carom_vec3 centre)
{
    carom_vec3 vertices[GRID * GRID];
    uint32_t indices[GRID * GRID * 6], count = 0;
    for (uint32_t i = 0; i < GRID * GRID; i++)
    {
        double a = 6.283185307179586 * (double)(i / GRID) / GRID, b = 6.283185307179586 * (double)(i % GRID) / GRID;
        double ring = 2.0 + cos(b) * (0.8 + 0.1 * sin(5 * a));
        vertices[i] = vec3_add(centre, vec3_scale(vec3(cos(a) * ring, sin(a) * ring, sin(b)), size));
        uint32_t row = i / GRID, column = i % GRID, below = (row + 1) % GRID, right = (column + 1) % GRID;
        uint32_t quad[6] = {i, below * GRID + column, below * GRID + right,
                            i, below * GRID + right,  row * GRID + right};
        memcpy(indices + count, quad, sizeof quad);
        count += 6;
    }
    return make_mesh(context, vertices, GRID * GRID, indices, count / 3);
}

/* Every triangle of the grid four times: all hits are ties. */
static carom_mesh *layered_mesh(carom_context *context)
{
    carom_mesh *once = grid_mesh(context, 1.0, vec3(0, 0, 0));
    uint32_t count = once->triangle_count, *indices = malloc(12 * (size_t)count * sizeof *indices);
    for (uint32_t i = 0; i < 4 * count; i++)
        for (uint32_t k = 0; k < 3; k++)
            indices[3 * i + k] = once->indices[3 * (i * 7 % count) + (k + i / count) % 3];
    carom_mesh *mesh = make_mesh(context, once->vertices, once->vertex_count, indices, 4 * (size_t)count);
    free(indices);
    carom_mesh_destroy(once);
    return mesh;
}

/* Flat, needle and point triangles among ordinary ones, with many on the same planes. */
static carom_mesh *awkward_mesh(carom_context *context)
{
    enum
    {
        COUNT = 600
    };
    carom_vec3 vertices[3 * COUNT];
    uint32_t indices[3 * COUNT];
    check_random random = {11};
    for (uint32_t i = 0; i < COUNT; i++)
    {
        carom_vec3 at = random_point(&random, 4.0);
        at = vec3(floor(at.x), floor(at.y), floor(at.z));
        vertices[3 * i] = at;
        vertices[3 * i + 1] = i % 7 == 0 ? at : vec3_add(at, vec3(i % 5, 0, i % 2));
        vertices[3 * i + 2] = i % 11 == 0 ? at : vec3_add(at, vec3(0, i % 3, i % 4));
    }
    for (uint32_t i = 0; i < 3 * COUNT; i++)
        indices[i] = i;
    return make_mesh(context, vertices, 3 * COUNT, indices, COUNT);
}

/* ---- rays ---- */

static carom_vec3 world_vertex(const ray_case *test, uint32_t i)
{
    return carom_pose_apply(&test->pose, test->mesh->vertices[i % test->mesh->vertex_count]);
}

static void cast_many(ray_case *test, check_random *random, uint32_t count)
{
    double size = test->mesh->info.bounds.max.x - test->mesh->info.bounds.min.x;
    for (uint32_t i = 0; i < count; i++)
    {
        uint32_t pick = (uint32_t)check_next(random);
        carom_vec3 a = world_vertex(test, pick), b = world_vertex(test, pick + 1), c = world_vertex(test, pick + GRID);
        carom_vec3 from = vec3_add(a, random_point(random, size)), middle = vec3_scale(vec3_add(a, b), 0.5);
        check_ray(test, (carom_ray){from, random_point(random, 1.0), INFINITY}, "random");
        check_ray(test, (carom_ray){from, vec3_sub(c, from), INFINITY}, "towards a corner");
        check_ray(test, (carom_ray){from, vec3_sub(middle, from), INFINITY}, "towards an edge");
        check_ray(test, (carom_ray){from, vec3_sub(middle, from), 1.0}, "up to an edge");
        check_ray(test, (carom_ray){a, vec3_sub(b, a), 1.0}, "along an edge");
        check_ray(test, (carom_ray){a, random_point(random, 1e-3), 1e5}, "from a corner");
        carom_vec3 far = vec3_add(c, random_point(random, 1e7 * size));
        check_ray(test, (carom_ray){far, vec3_sub(c, far), INFINITY}, "from far away");
        for (int axis = 0; axis < 3; axis++)
        {
            carom_vec3 along = vec3(axis == 0, axis == 1, axis == 2);
            check_ray(test, (carom_ray){vec3_sub(c, vec3_scale(along, size)), along, INFINITY}, "along an axis");
            check_ray(test,
                      (carom_ray){vec3_add(middle, vec3_scale(along, size)), vec3_scale(along, -1e-200), INFINITY},
                      "back along an axis");
        }
        check_ray(test, (carom_ray){from, vec3(0.0, 1e-30, 1.0), INFINITY}, "almost along an axis");
        check_ray(test, (carom_ray){vec3_sub(c, vec3(0, 0, size)), vec3(0.0, -0.0, 1.0), INFINITY}, "with -0");
        carom_vec3 inside = vec3_scale(vec3_add(vec3_add(a, b), c), 1.0 / 3.0);
        check_ray(test, (carom_ray){inside, random_point(random, 1.0), INFINITY}, "from on the surface");
        check_ray(test, (carom_ray){inside, vec3_scale(vec3_sub(b, inside), 1e20), 1e-20}, "in the surface");
        check_ray(test, (carom_ray){from, vec3_sub(inside, from), 1.0}, "up to the surface");
    }
}

static carom_pose random_pose(check_random *random, double size)
{
    double q[4];
    for (int i = 0; i < 4; i++)
        q[i] = check_uniform(random, -1.0, 1.0);
    return carom_pose_from_quaternion(q, random_point(random, size));
}

static void run_case(carom_context *context, carom_mesh *mesh, const carom_tree_def *def, uint32_t count)
{
    ray_case test = {.context = context, .mesh = mesh};
    assert_int_equal(ray_tree_create(context, mesh, def, &test.tree), CAROM_OK);
    test.expected.capacity = test.actual.capacity = 4 * (size_t)mesh->triangle_count + 1;
    test.expected.items = malloc(test.expected.capacity * sizeof(carom_ray_hit));
    test.actual.items = malloc(test.actual.capacity * sizeof(carom_ray_hit));
    check_random random = {mesh->triangle_count};
    test.pose = carom_pose_identity();
    cast_many(&test, &random, count);
    for (int i = 0; i < 3; i++)
    {
        test.pose = random_pose(&random, i == 2 ? 1e9 : 10.0);
        cast_many(&test, &random, count / 2);
    }
    assert_in_range(test.hit_rays * 100 / test.rays, 20, 95);
    free(test.expected.items), free(test.actual.items);
    ray_tree_destroy(context, test.tree);
}

static carom_context *context_for(carom_simd simd)
{
    carom_context_def def = carom_context_def_default();
    def.simd = simd;
    carom_context *context = NULL;
    return carom_context_create(&def, &context) == CAROM_OK ? context : NULL;
}

static void like_brute_force(void **state)
{
    (void)state;
    for (int simd = CAROM_SIMD_SCALAR; simd <= CAROM_SIMD_AVX2; simd++)
    {
        carom_context *context = context_for((carom_simd)simd);
        if (!context)
            continue;
        carom_tree_def def = {.volume = CAROM_VOLUME_AABB};
        carom_mesh *meshes[] = {
            grid_mesh(context, 1.0, vec3(0, 0, 0)),
            grid_mesh(context, 1e-12, vec3(0, 0, 0)),
            grid_mesh(context, 1e12, vec3(0, 0, 0)),
            grid_mesh(context, 1.0, vec3(1e9, -1e9, 3e8)),
            awkward_mesh(context),
            layered_mesh(context),
        };
        for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++)
        {
            run_case(context, meshes[i], &def, (uint32_t)check_scale() * (meshes[i]->triangle_count > 2000 ? 10 : 20));
            carom_mesh_destroy(meshes[i]);
        }
        carom_context_destroy(context);
    }
}

static void every_builder(void **state)
{
    (void)state;
    carom_context *context = context_for(CAROM_SIMD_AUTO);
    carom_mesh *mesh = grid_mesh(context, 1.0, vec3(0, 0, 0));
    for (int builder = 0; builder < CAROM_BUILDER_COUNT; builder++)
    {
        carom_tree_def def = {.volume = CAROM_VOLUME_AABB, .builder = (carom_builder)builder, .balance_penalty = 0.5};
        ray_tree *tree;
        assert_int_equal(ray_tree_create(context, mesh, &def, &tree), CAROM_OK);
        assert_true(tree->size <= 64 * (size_t)tree->reference_count); /* full leaves, well filled nodes */
        ray_tree_destroy(context, tree);
        if (builder != CAROM_BUILDER_BALANCED) /* reports triangles twice; the query layer removes them */
            run_case(context, mesh, &def, 10);
    }
    carom_mesh_destroy(mesh);
    carom_context_destroy(context);
}

/* Sizes from 2^90 down to 2^-900 around one corner, then all of one size at one place. */
static void hostile_meshes(void **state)
{
    (void)state;
    enum
    {
        COUNT = 990
    };
    carom_context *context = context_for(CAROM_SIMD_AUTO);
    carom_vec3 vertices[3 * COUNT];
    uint32_t indices[3 * COUNT];
    for (int same = 0; same < 2; same++)
    {
        for (uint32_t i = 0; i < COUNT; i++)
        {
            double size = same ? 1.0 : ldexp(1.0, 90 - (int)i);
            vertices[3 * i] = vec3(size, 0, 0);
            vertices[3 * i + 1] = vec3(size, size / 4, 0);
            vertices[3 * i + 2] = vec3(size, 0, size / 4);
            for (uint32_t corner = 0; corner < 3; corner++)
                indices[3 * i + corner] = 3 * i + corner;
        }
        carom_mesh *mesh = make_mesh(context, vertices, 3 * COUNT, indices, COUNT);
        for (int builder = 0; builder < CAROM_BUILDER_COUNT; builder++)
        {
            carom_tree_def def = {.volume = CAROM_VOLUME_AABB, .builder = (carom_builder)builder, .leaf_size = 1};
            ray_case test = {.context = context, .mesh = mesh, .pose = carom_pose_identity()};
            assert_int_equal(ray_tree_create(context, mesh, &def, &test.tree), CAROM_OK);
            carom_ray_hit expected[COUNT], actual[4 * COUNT];
            test.expected.items = expected, test.expected.capacity = COUNT;
            test.actual.items = actual, test.actual.capacity = 4 * COUNT;
            if (builder != CAROM_BUILDER_BALANCED)
            {
                check_ray(&test, (carom_ray){vec3(-1, 0.1, 0.1), vec3(1, 0, 0), INFINITY}, "along x");
                check_ray(&test, (carom_ray){vec3(0, 0, 0), vec3(1, 0.01, 0.02), INFINITY}, "through all");
                check_ray(&test, (carom_ray){vec3(0.5, 0.1, -1), vec3(0, 0, 1), INFINITY}, "in a plane");
                check_ray(&test, (carom_ray){vec3(1, 0.1, -1), vec3(0, 0, 1e-30), INFINITY}, "in another");
            }
            ray_tree_destroy(context, test.tree);
        }
        carom_mesh_destroy(mesh);
    }
    carom_context_destroy(context);
}

/* Specks so small that an origin overflows in their frame, where a turn makes NaN of infinities. */
static void specks_seen_from_afar(void **state)
{
    (void)state;
    const double third = 1.0 / 3.0;
    const uint32_t indices[3] = {0, 1, 2};
    carom_pose turned = {{2 * third, -third, 2 * third, 2 * third, 2 * third, -third, -third, 2 * third, 2 * third},
                         {0, 0, 0}};
    for (int simd = CAROM_SIMD_SCALAR; simd <= CAROM_SIMD_AVX2; simd++)
    {
        carom_context *context = context_for((carom_simd)simd);
        for (int size = -860; context && size >= -1060; size -= 20)
        {
            carom_vec3 corner[3] = {{1, 0.25, 0}, {-1, 0.5, 0}, {0.125, -1, 0}};
            for (int i = 0; i < 3; i++)
                corner[i] = vec3_scale(corner[i], ldexp(1.0, size));
            carom_ray_hit expected[1], actual[4];
            ray_case test = {.context = context, .mesh = make_mesh(context, corner, 3, indices, 1), .pose = turned};
            carom_tree_def def = {.volume = CAROM_VOLUME_AABB};
            assert_int_equal(ray_tree_create(context, test.mesh, &def, &test.tree), CAROM_OK);
            test.expected.items = expected, test.expected.capacity = 1;
            test.actual.items = actual, test.actual.capacity = 4;
            for (int away = 0; away <= 100; away += 10)
            {
                double from = ldexp(1.0, away), back = -0x1p-100;
                check_ray(&test, (carom_ray){vec3(from, from, from), vec3(back, back, back), INFINITY}, "from afar");
                assert_int_equal(test.expected.count, 1);
            }
            ray_tree_destroy(context, test.tree);
            carom_mesh_destroy(test.mesh);
        }
        carom_context_destroy(context);
    }
}

/* A query keeps what it knows of the last pose and tree; it must not use it for another. */
static void nothing_is_kept_too_long(void **state)
{
    (void)state;
    carom_context *context = context_for(CAROM_SIMD_AUTO);
    carom_mesh *meshes[3] = {grid_mesh(context, 1.0, vec3(0, 0, 0)), grid_mesh(context, 5.0, vec3(1, 2, 3)),
                             grid_mesh(context, 0.3, vec3(0, 0, 1))};
    carom_tree_def def = carom_tree_def_preset(CAROM_TREE_RAYS);
    carom_tree *trees[2];
    carom_query *kept;
    for (int i = 0; i < 2; i++)
        assert_int_equal(carom_tree_create(context, meshes[i], &def, &trees[i]), CAROM_OK);
    assert_int_equal(carom_query_create(context, &kept), CAROM_OK);
    check_random random = {5};
    carom_pose poses[2] = {carom_pose_identity(), random_pose(&random, 4.0)};
    const carom_mesh *now[2] = {meshes[0], meshes[1]};
    uint64_t hits = 0;
    for (int i = 0; i < 4000; i++)
    {
        int body = (int)(check_next(&random) & 1);
        if (i % 100 == 99) /* the same tree, other positions and perhaps another frame */
        {
            now[0] = now[0] == meshes[0] ? meshes[2] : meshes[0];
            assert_int_equal(carom_tree_refit(trees[0], now[0]), CAROM_OK);
        }
        if (i % 7 == 0)
            poses[1].translation.x = nextafter(poses[1].translation.x, 9.0);
        carom_placed placed = {carom_shape_tree(trees[body]), poses[check_next(&random) & 1]};
        carom_vec3 from = random_point(&random, 8.0);
        carom_vec3 at = carom_pose_apply(&placed.pose, now[body]->vertices[check_next(&random) % (GRID * GRID)]);
        carom_ray ray = {from, vec3_sub(at, from), INFINITY};
        carom_ray_report report, expected;
        carom_query *fresh;
        assert_int_equal(carom_query_create(context, &fresh), CAROM_OK);
        assert_int_equal(carom_ray_cast(kept, &placed, &ray, CAROM_RAY_FIRST, &report), CAROM_OK);
        assert_int_equal(carom_ray_cast(fresh, &placed, &ray, CAROM_RAY_FIRST, &expected), CAROM_OK);
        assert_true(report.hit_count == expected.hit_count && report.hash == expected.hash);
        hits += report.hit_count;
        carom_query_destroy(fresh);
    }
    assert_true(hits > 3000);
    carom_placed zero = {carom_shape_tree(trees[1]), {{0}, {0, 0, 0}}};
    carom_ray_report report;
    carom_query *fresh;
    assert_int_equal(carom_query_create(context, &fresh), CAROM_OK);
    assert_int_equal(carom_ray_cast(fresh, &zero, &(carom_ray){{0, 0, 0}, {1, 0, 0}, 1.0}, CAROM_RAY_ANY, &report),
                     CAROM_NOT_RIGID);
    carom_query_destroy(fresh);
    carom_query_destroy(kept);
    for (int i = 0; i < 2; i++)
        carom_tree_destroy(trees[i]);
    for (int i = 0; i < 3; i++)
        carom_mesh_destroy(meshes[i]);
    carom_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(like_brute_force),         cmocka_unit_test(every_builder),
        cmocka_unit_test(hostile_meshes),           cmocka_unit_test(specks_seen_from_afar),
        cmocka_unit_test(nothing_is_kept_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
