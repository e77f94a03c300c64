/* Attacks the error bounds of the ray layout (docs/exactness.md, section 16) with exact arithmetic: what a ray truly
 * hits is among the walk's candidates, between their parameters, and what the walk calls sure is hit. */
#include "support/check.h"
#include "support/oracle.h"
#include "support/placed.h"
#include "support/rooted.h"
#include "tree/rays.h"

#include <stdlib.h>

enum
{
    TRIANGLES = 12,
    CASES = 4000
};

typedef struct attack
{
    tree_ray_frame ray_frame;
    carom_context *context;
    oracle *oracle;
    check_random random;
    narrow_triangle own[TRIANGLES]; /* in the mesh's frame */
    carom_mesh *mesh;
    ray_tree *tree;
    uint64_t hits, sure, listed, rays;
    double worst; /* |s - truth| / the error that is allowed */
} attack;

typedef struct found
{
    ray_walk walk;
    ray_candidate items[16 * TRIANGLES];
    uint32_t count;
} found;

static void keep(ray_walk *walk)
{
    found *list = (found *)walk;
    for (uint32_t i = 0; i < walk->waiting_count; i++)
        list->items[list->count++] = walk->waiting[i];
    walk->waiting_count = 0;
}

static double pick(check_random *random, double low, double high) { return check_uniform(random, low, high); }

static int pick_integer(check_random *random, int low, int high)
{
    return low + (int)(check_next(random) % (uint64_t)(high - low + 1));
}

static carom_vec3 pick_point(check_random *random, double size)
{
    double x = pick(random, -size, size), y = pick(random, -size, size);
    return vec3(x, y, pick(random, -size, size));
}

/* Triangles of all sizes, slivers and nearly flat ones among them, in a box around a centre. */
static void make_mesh(attack *a)
{
    check_random *random = &a->random;
    double unit = exp2(pick_integer(random, -40, 40));
    carom_vec3 centre = pick_integer(random, 0, 2) ? vec3(0, 0, 0) : pick_point(random, 1000.0 * unit);
    uint32_t indices[3 * TRIANGLES];
    carom_vec3 *corners = a->own[0].corner;
    for (int i = 0; i < TRIANGLES; i++)
    {
        double size = unit * exp2(-pick(random, 0.0, 14.0));
        carom_vec3 at = vec3_add(centre, pick_point(random, unit));
        carom_vec3 e = pick_point(random, size), f = pick_point(random, size);
        if (pick_integer(random, 0, 3) == 0)
            f = vec3_add(vec3_scale(e, pick(random, 0.0, 1.0)), pick_point(random, size * 1e-4));
        if (pick_integer(random, 0, 3) == 0)
            e.z = f.z = 0.0;
        corners[3 * i] = at, corners[3 * i + 1] = vec3_add(at, e), corners[3 * i + 2] = vec3_add(at, f);
    }
    for (uint32_t i = 0; i < 3 * TRIANGLES; i++)
        indices[i] = i;
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = (const double *)corners;
    def.vertex_count = 3 * TRIANGLES;
    def.indices_u32 = (const uint32_t *)indices;
    def.triangle_count = TRIANGLES;
    assert_int_equal(carom_mesh_create(a->context, &def, &a->mesh), CAROM_OK);
    carom_tree_def tree = {.volume = CAROM_VOLUME_AABB};
    assert_int_equal(ray_tree_create(a->context, a->mesh, &tree, &a->tree), CAROM_OK);
}

/* Turned, bent as far as a pose may be, and moved far away. */
static void make_pose(attack *a)
{
    check_random *random = &a->random;
    double q[4], extent = a->mesh->extent;
    for (int i = 0; i < 4; i++)
        q[i] = pick(random, -1.0, 1.0);
    int kind = pick_integer(random, 0, 3);
    carom_vec3 move = kind == 0 ? vec3(0, 0, 0) : pick_point(random, kind == 3 ? 1e9 * extent : 3.0 * extent);
    a->ray_frame.pose = kind == 0 ? carom_pose_identity() : rooted_pose(q, move);
    if (kind == 2)
        for (int i = 0; i < 9; i++)
            a->ray_frame.pose.rotation[i] *= 1.0 + 4.5e-10;
    assert_int_equal(carom_pose_check(&a->ray_frame.pose), CAROM_OK);
    ray_frame_set(&a->ray_frame, a->tree, extent);
}

/* At the inside, a corner or an edge of a triangle, or a few float roundings off; from nearby, from far away, or from
 * on it. */
static carom_ray make_ray(attack *a, const narrow_triangle *t)
{
    check_random *random = &a->random;
    const carom_vec3 *c = t->corner;
    double size = 1.0 / a->tree->frame.scale, u = pick(random, 0.0, 1.0), v = pick(random, 0.0, 1.0 - u);
    double beside = size * 0x1p-24 * exp2(pick(random, -4.0, 8.0));
    int aim = pick_integer(random, 0, 3);
    u = aim == 1 ? (double)pick_integer(random, 0, 1) : u;
    v = aim == 0 ? v : aim == 1 ? 0.0 : aim == 2 ? 0.0 : 1.0 - u;
    carom_vec3 target =
        vec3_add(c[0], vec3_add(vec3_scale(vec3_sub(c[1], c[0]), u), vec3_scale(vec3_sub(c[2], c[0]), v)));
    if (pick_integer(random, 0, 2))
        target = vec3_add(target, pick_point(random, beside));
    int from = pick_integer(random, 0, 5);
    double away = from == 5 ? size * exp2(pick(random, 1.0, 30.0)) : 3.0 * size;
    carom_ray ray = {vec3_add(target, pick_point(random, away)), {0, 0, 0}, INFINITY};
    if (from == 4)
        ray.origin = vec3_add(target, pick_point(random, beside));
    ray.direction = vec3_scale(vec3_sub(target, ray.origin), exp2(pick_integer(random, -8, 8)));
    if (from == 3)
    {
        int axis = pick_integer(random, 0, 2);
        ray.direction = vec3(axis == 0, axis == 1, axis == 2);
        ray.origin = vec3_sub(target, vec3_scale(ray.direction, 2.5 * size));
        ray.direction = vec3_scale(ray.direction, pick_integer(random, 0, 4) ? 1.0 : -1.0);
    }
    return ray;
}

static void check_triangle(attack *a, const carom_ray *ray, const ray_entry *entry, const found *list, uint32_t id)
{
    carom_placed placed = {carom_shape_mesh(a->mesh), a->ray_frame.pose};
    narrow_triangle world = placed_triangle(&placed, id);
    const ray_candidate *own = NULL;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i].triangle == id)
            own = &list->items[i];
    double t;
    bool hit = oracle_ray(a->oracle, &(narrow_ray){ray->origin, ray->direction}, &world, &t);
    a->hits += hit, a->listed += own != NULL, a->sure += own && own->sure;
    if (own && own->sure && !hit)
        fail_msg("triangle %u is called sure and is not hit", id);
    if (!hit)
        return;
    if (!own)
        fail_msg("triangle %u is hit at %.17g and not among the candidates", id, t);
    double s = t * entry->rate - entry->start, rounding = t * entry->rate * 0x1p-50;
    double half = ((double)own->high - (double)own->low) / 2, middle = ((double)own->high + (double)own->low) / 2;
    if (!(half < 1e3) || own->low <= -1.0f)
        return; /* edge-on: nothing is claimed */
    if (s < (double)own->low - rounding || s > (double)own->high + rounding)
        fail_msg("triangle %u is hit at s = %.9g, outside %.9g to %.9g", id, s, (double)own->low, (double)own->high);
    a->worst = fmax(a->worst, (fabs(s - middle) - rounding) / half);
}

static void attack_once(attack *a)
{
    carom_placed placed = {carom_shape_mesh(a->mesh), a->ray_frame.pose};
    narrow_triangle target = placed_triangle(&placed, (uint32_t)pick_integer(&a->random, 0, TRIANGLES - 1));
    carom_ray ray = make_ray(a, &target);
    if (ray.direction.x == 0.0 && ray.direction.y == 0.0 && ray.direction.z == 0.0)
        return;
    found list = {.walk = {.tree = a->tree, .mesh = a->mesh, .max_t = INFINITY, .room = RAY_MAX_WAITING, .look = keep}};
    if (BASE_PICK_ISA(a->context, ray_walk_run)(&list.walk, &a->ray_frame, &ray) == RAY_UNDECIDED)
        return;
    keep(&list.walk);
    a->rays++;
    for (uint32_t i = 0; i < TRIANGLES; i++)
        check_triangle(a, &ray, &list.walk.entry, &list, i);
}

static void bounds_hold(void **state)
{
    (void)state;
    const char *scale = getenv("CAROM_TEST_SCALE");
    long cases = CASES * (scale ? strtol(scale, NULL, 10) : 1);
    for (int simd = CAROM_SIMD_SCALAR; simd <= CAROM_SIMD_AVX2; simd++)
    {
        carom_context_def def = carom_context_def_default();
        def.simd = (carom_simd)simd;
        attack a = {.oracle = oracle_create(), .random = {7}};
        if (carom_context_create(&def, &a.context) == CAROM_OK)
        {
            for (long i = 0; i < cases; i++)
            {
                if (i % 20 == 0)
                    make_mesh(&a);
                make_pose(&a);
                attack_once(&a);
                if (i % 20 != 19)
                    continue;
                ray_tree_destroy(a.context, a.tree);
                carom_mesh_destroy(a.mesh);
            }
            print_message("version %d: %llu rays, %llu hits, %llu candidates, %llu sure; s used %.2f of its bound\n",
                          simd, (unsigned long long)a.rays, (unsigned long long)a.hits, (unsigned long long)a.listed,
                          (unsigned long long)a.sure, a.worst);
            assert_true(a.hits > a.rays / 3 && a.sure > a.hits / 8 && a.worst > 0.02);
            assert_true(a.worst < 0.25); /* sixty times as many rays came to 0.09 */
            carom_context_destroy(a.context);
        }
        oracle_destroy(a.oracle);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bounds_hold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
