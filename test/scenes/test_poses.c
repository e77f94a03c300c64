/* Benchmark poses, with distances by brute force. */
#include "narrow/narrow.h"
#include "scenes/generate.h"
#include "scenes/poses.h"
#include "support/check.h"

#include <stdlib.h>

typedef struct two_meshes
{
    const carom_mesh *a, *b;
    int calls;
    int fail_at; /* the call that reports an error; 0: none */
} two_meshes;

static double interval_gap(double a_min, double a_max, double b_min, double b_max)
{
    return a_max < b_min ? b_min - a_max : b_max < a_min ? a_min - b_max : 0.0;
}

static double box_gap(const carom_aabb *a, const carom_aabb *b)
{
    double x = interval_gap(a->min.x, a->max.x, b->min.x, b->max.x);
    double y = interval_gap(a->min.y, a->max.y, b->min.y, b->max.y);
    double z = interval_gap(a->min.z, a->max.z, b->min.z, b->max.z);
    return sqrt(x * x + y * y + z * z);
}

static carom_aabb place(const carom_mesh *mesh, const carom_pose *pose, uint32_t t, narrow_triangle *out)
{
    carom_aabb box = aabb_empty();
    for (int i = 0; i < 3; i++)
    {
        carom_vec3 v = carom_mesh_vertices(mesh)[carom_mesh_indices(mesh)[3 * t + i]];
        out->corner[i] = carom_pose_apply(pose, v);
        box = aabb_add_point(box, out->corner[i]);
    }
    return box;
}

static carom_status brute_distance(void *user, const carom_pose *pose_a, const carom_pose *pose_b, double *out)
{
    two_meshes *meshes = user;
    if (++meshes->calls == meshes->fail_at)
        return CAROM_OUT_OF_MEMORY;
    uint32_t count_a = carom_mesh_get_info(meshes->a).triangle_count;
    uint32_t count_b = carom_mesh_get_info(meshes->b).triangle_count;
    narrow_counts counts = {0};
    *out = INFINITY;
    for (uint32_t i = 0; i < count_a; i++)
        for (uint32_t j = 0; j < count_b; j++)
        {
            narrow_triangle a, b;
            carom_aabb box_a = place(meshes->a, pose_a, i, &a), box_b = place(meshes->b, pose_b, j, &b);
            if (box_gap(&box_a, &box_b) < *out)
                *out = fmin(*out, narrow_distance(&a, &b, &counts).distance);
        }
    return CAROM_OK;
}

static double centre_distance(const two_meshes *meshes, const poses_pair *pair)
{
    carom_aabb a = carom_mesh_get_info(meshes->a).bounds, b = carom_mesh_get_info(meshes->b).bounds;
    carom_vec3 p = carom_pose_apply(&pair->a, vec3_scale(vec3_add(a.min, a.max), 0.5));
    carom_vec3 q = carom_pose_apply(&pair->b, vec3_scale(vec3_add(b.min, b.max), 0.5));
    return vec3_length(vec3_sub(p, q));
}

static carom_mesh *make(carom_context *context, generate_kind kind, uint32_t triangles)
{
    generate_def def = generate_def_default(kind);
    def.triangles = triangles;
    carom_mesh *mesh = NULL;
    assert_int_equal(generate_mesh(context, &def, &mesh), CAROM_OK);
    return mesh;
}

static void poses_have_the_distance_of_their_class(void **state)
{
    carom_mesh *torus = make(*state, GENERATE_TORUS, 60), *hand = make(*state, GENERATE_HAND, 180);
    two_meshes meshes = {torus, hand, 0, 0};
    poses_oracle oracle = {brute_distance, &meshes};
    carom_aabb box_a = carom_mesh_get_info(torus).bounds, box_b = carom_mesh_get_info(hand).bounds;
    double diagonal = fmax(vec3_length(vec3_sub(box_a.max, box_a.min)), vec3_length(vec3_sub(box_b.max, box_b.min)));
    static const double WANTED[3] = {0.05, 0.01, 0.001};
    for (uint64_t seed = 1; seed <= 4; seed++)
    {
        poses_pair pairs[POSES_CLASS_COUNT];
        double centres[POSES_CLASS_COUNT], distances[POSES_CLASS_COUNT];
        for (int i = 0; i < POSES_CLASS_COUNT; i++)
        {
            assert_int_equal(poses_make(torus, hand, &oracle, (poses_class)i, seed, &pairs[i]), CAROM_OK);
            assert_int_equal(carom_pose_check(&pairs[i].a), CAROM_OK);
            assert_int_equal(carom_pose_check(&pairs[i].b), CAROM_OK);
            assert_memory_equal(pairs[i].a.rotation, pairs[0].a.rotation, sizeof pairs[0].a.rotation);
            assert_memory_equal(pairs[i].b.rotation, pairs[0].b.rotation, sizeof pairs[0].b.rotation);
            centres[i] = centre_distance(&meshes, &pairs[i]);
            assert_int_equal(brute_distance(&meshes, &pairs[i].a, &pairs[i].b, &distances[i]), CAROM_OK);
        }
        for (int i = 0; i < 3; i++)
            check_near(distances[i], WANTED[i] * diagonal, 0.01 * WANTED[i] * diagonal);
        assert_true(distances[POSES_TOUCH] == 0.0);
        /* First contact is 0.2 % further out: there the surfaces are all but touching, nowhere before. */
        double touching = centres[POSES_TOUCH] + 0.002 * diagonal;
        check_near(centres[POSES_DEEP], 0.4 * touching, 1e-6 * diagonal);
        assert_true(centres[POSES_APART_01] > touching && centres[POSES_APART_1] > centres[POSES_APART_01]);
    }
    carom_mesh_destroy(torus), carom_mesh_destroy(hand);
}

static void errors_come_through(void **state)
{
    carom_mesh *torus = make(*state, GENERATE_TORUS, 18);
    two_meshes meshes = {torus, torus, 0, 2};
    poses_oracle oracle = {brute_distance, &meshes};
    poses_pair pair;
    assert_int_equal(poses_make(torus, torus, &oracle, POSES_APART_1, 1, &pair), CAROM_OUT_OF_MEMORY);
    assert_int_equal(poses_make(NULL, torus, &oracle, POSES_APART_1, 1, &pair), CAROM_INVALID_ARGUMENT);
    assert_int_equal(poses_make(torus, torus, NULL, POSES_APART_1, 1, &pair), CAROM_INVALID_ARGUMENT);
    assert_int_equal(poses_make(torus, torus, &oracle, POSES_CLASS_COUNT, 1, &pair), CAROM_INVALID_ARGUMENT);
    assert_int_equal(poses_make(torus, torus, &oracle, POSES_TOUCH, 1, NULL), CAROM_INVALID_ARGUMENT);
    carom_mesh_def empty = carom_mesh_def_default();
    carom_mesh *nothing = NULL;
    assert_int_equal(carom_mesh_create(*state, &empty, &nothing), CAROM_OK);
    assert_int_equal(poses_make(torus, nothing, &oracle, POSES_TOUCH, 1, &pair), CAROM_INVALID_ARGUMENT);
    assert_null(poses_class_name(POSES_CLASS_COUNT));
    assert_string_equal(poses_class_name(POSES_APART_01), "0.1%");
    carom_mesh_destroy(nothing), carom_mesh_destroy(torus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poses_have_the_distance_of_their_class),
        cmocka_unit_test(errors_come_through),
    };
    return cmocka_run_group_tests(tests, check_open_context, check_close_context);
}
