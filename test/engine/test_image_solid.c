/* What the surveyed methods draw, against their twins, pixel by pixel: closed bodies in random poses, images of all
 * sizes. */
#include "survey.h"

#include "engine/image/image_convex.h"
#include "support/gpu_test.h"

typedef struct bench
{
    world w;
    gpu_device *device;
    carom_mesh *meshes[SURVEY_MESHES];
} bench;

static int open_bench(void **state)
{
    static bench b;
    b = (bench){.w = world_open()};
    survey_make(&b.w, b.meshes);
    b.device = gpu_test_open(b.w.context);
    *state = &b;
    return 0;
}

static int close_bench(void **state)
{
    bench *b = *state;
    gpu_test_close(b->device);
    survey_free(b->meshes);
    world_close(&b->w);
    return 0;
}

typedef struct tally
{
    uint64_t images, may_meet;
    gpu_check_result result;
} tally;

static void compare_pair(bench *b, const image_filter *filter, void *pass, check_random *random, tally *t)
{
    image_question question = {0};
    carom_aabb box[2];
    carom_pose pose[2];
    void *asset[2] = {NULL, NULL};
    double reach = check_uniform(random, 0.2, 0.7), far = check_next(random) % 4 == 0 ? 1e6 : 0.0;
    for (int body = 0; body < 2; body++)
    {
        const carom_mesh *mesh = survey_pick(b->meshes, filter->name, random);
        pose[body] = world_random_pose(random, reach);
        pose[body].translation.x += far;
        question.pose[body] = &pose[body];
        question.placed[body].mesh = mesh;
        question.placed[body].points = survey_place(mesh, &pose[body], &box[body]);
        carom_shape shape = carom_shape_mesh(mesh);
        if (filter->create_asset)
            assert_int_equal(filter->create_asset(b->w.context, &shape, &asset[body]), CAROM_OK);
        question.asset[body] = asset[body];
    }
    question.region = (carom_aabb){vec3_max(box[0].min, box[1].min), vec3_min(box[0].max, box[1].max)};
    question.side = 1u << check_next(random) % 8;
    question.accuracy = check_next(random) % 2 ? 0.0 : check_uniform(random, 0.01, 0.2);
    carom_vec3 size = vec3_sub(question.region.max, question.region.min);
    image_verdict verdict;
    if (size.x > 0.0 && size.y > 0.0 && size.z > 0.0)
    {
        assert_int_equal(filter->may_meet(pass, &question, &verdict), CAROM_OK);
        assert_int_equal(filter->compare(pass, &t->result), CAROM_OK);
        t->images++, t->may_meet += verdict.may_meet;
    }
    for (int body = 0; body < 2 && filter->destroy_asset; body++)
        filter->destroy_asset(b->w.context, asset[body]);
    free((void *)question.placed[0].points), free((void *)question.placed[1].points);
}

static void test_pixels(void **state)
{
    bench *b = *state;
    if (!b->device)
        skip();
    for (uint32_t i = 0; image_filter_at(i); i++)
    {
        const image_filter *filter = image_filter_at(i);
        check_random random = {11};
        tally t = {0};
        void *pass;
        assert_int_equal(image_filter_create(filter, b->device, &pass), CAROM_OK);
        for (int k = 0; k < 300; k++)
            compare_pair(b, filter, pass, &random, &t);
        image_filter_forget(filter, gpu_context(b->device), pass);
        printf("%s: %llu images, %llu may meet; %llu values compared, up to %g of %g apart\n", filter->name,
               (unsigned long long)t.images, (unsigned long long)t.may_meet, (unsigned long long)t.result.compared,
               t.result.difference, t.result.bound);
        if (t.result.wrong > 0)
            fail_msg("%s: %llu are wrong: %s", filter->name, (unsigned long long)t.result.wrong, t.result.detail);
        assert_true(t.images > 200 && t.may_meet > t.images / 10 && t.may_meet < t.images * 98 / 100);
        assert_true(t.result.compared > 10000);
        assert_true(t.result.compared > 50 * t.images);
    }
}

/* ---- which meshes are convex ---- */

/* A pyramid on both sides of a pentagram: convex along each edge, and all around twice. */
static carom_mesh *make_star(const world *w)
{
    double vertices[21] = {0, 0, 1, 0, 0, -1};
    uint32_t indices[30];
    for (uint32_t i = 0; i < 5; i++)
    {
        vertices[6 + 3 * i] = cos(2.0 * 3.14159265 * 2.0 * i / 5.0);
        vertices[7 + 3 * i] = sin(2.0 * 3.14159265 * 2.0 * i / 5.0);
        uint32_t here = 2 + i, next = 2 + (i + 1) % 5, two[6] = {here, next, 0, next, here, 1};
        memcpy(indices + 6 * i, two, sizeof two);
    }
    return world_mesh(w, vertices, 7, indices, 10);
}

static void test_convex(void **state)
{
    bench *b = *state;
    static const bool truth[SURVEY_MESHES] = {true, false, false, false, true, false, true, true, false, true};
    for (int i = 0; i < SURVEY_MESHES; i++)
        if (image_is_convex(b->meshes[i]) != truth[i])
            fail_msg("%s: convex should be %d", carom_mesh_name(b->meshes[i]), truth[i]);
    carom_mesh *star = make_star(&b->w), *box = world_box(&b->w, 0, 0, 0, 1, 2, 3);
    assert_true(carom_mesh_get_info(star).closed && carom_mesh_get_info(star).manifold);
    assert_false(image_is_convex(star));
    assert_true(image_is_convex(box));
    double vertices[24], inside[24], beyond[24];
    uint32_t turned[36];
    world_box_vertices((double[3]){0, 0, 0}, (double[3]){1, 2, 3}, vertices);
    for (int i = 0; i < 36; i++)
        turned[i] = WORLD_BOX_INDICES[i - i % 3 + (3 - i % 3) % 3];
    memcpy(inside, vertices, sizeof inside), memcpy(beyond, vertices, sizeof beyond);
    /* a corner moved by the smallest step bends two faces along their diagonals: one way or the other is not convex */
    inside[18] = nextafter(1.0, 0.0), beyond[18] = nextafter(1.0, 2.0);
    carom_mesh *out = world_mesh(&b->w, vertices, 8, turned, 12),
               *in = world_mesh(&b->w, inside, 8, WORLD_BOX_INDICES, 12),
               *past = world_mesh(&b->w, beyond, 8, WORLD_BOX_INDICES, 12),
               *open = world_mesh(&b->w, vertices, 8, WORLD_BOX_INDICES, 11);
    assert_false(image_is_convex(out)); /* inside out */
    assert_false(image_is_convex(open));
    assert_true(image_is_convex(in) != image_is_convex(past));
    carom_mesh *all[] = {star, box, out, in, past, open};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        carom_mesh_destroy(all[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pixels), cmocka_unit_test(test_convex)};
    return cmocka_run_group_tests(tests, open_bench, close_bench);
}
