/* carom_engine_def.on_image: all images are shown, their verdicts follow from their layers, depths are where the hulls
 * are, and the answer is the same as without. */
#include "query/world.h"

#include <string.h>

typedef struct gallery
{
    const carom_placed *placed[2];
    carom_pieces *pieces[2];
    bool certified;
    uint64_t images, meeting, apart, swapped, depths, leaves;
} gallery;

/* The range of a placed hull along the view's third axis. */
static void hull_range(const gallery *g, int which, uint32_t node, const carom_engine_image *image, double out[2])
{
    carom_pieces_node hull;
    assert_int_equal(carom_pieces_get_node(g->pieces[which], node, &hull), CAROM_OK);
    out[0] = INFINITY, out[1] = -INFINITY;
    for (uint32_t i = 0; i < hull.vertex_count; i++)
    {
        carom_vec3 local = carom_mesh_vertices(g->placed[which]->shape.mesh)[hull.vertices[i]];
        carom_vec3 p = carom_pose_apply(&g->placed[which]->pose, local), c = image->centre, axis = image->axis[2];
        double at = axis.x * (p.x - c.x) + axis.y * (p.y - c.y) + axis.z * (p.z - c.z);
        out[0] = fmin(out[0], at), out[1] = fmax(out[1], at);
    }
}

static void check_depths(gallery *g, const carom_engine_image *image, const carom_engine_layer *layer)
{
    double range[2], reserve = 1e-4;
    int which = layer->name[0] == 'b';
    hull_range(g, which, which ? image->node_b : image->node_a, image, range);
    for (uint32_t i = 0; i < image->side * image->side; i++)
        if (!isnan(layer->values[i]))
        {
            double value = (double)layer->values[i];
            assert_true(value >= range[0] - reserve && value <= range[1] + reserve);
            g->depths++;
        }
}

static bool judge_certified(const carom_engine_image *image)
{
    static const char *const names[4] = {"a-near", "a-far", "b-near", "b-far"};
    bool meets = false;
    assert_int_equal(image->layer_count, 4);
    for (int k = 0; k < 4; k++)
        assert_string_equal(image->layers[k].name, names[k]);
    for (uint32_t i = 0; i < image->side * image->side; i++)
    {
        float value[4];
        for (int k = 0; k < 4; k++)
            value[k] = image->layers[k].values[i];
        assert_true(isnan(value[0]) == isnan(value[1]) && isnan(value[2]) == isnan(value[3]));
        assert_false(value[0] > value[1] || value[2] > value[3]);
        meets = meets || (value[1] >= value[2] && value[3] >= value[0]);
    }
    return meets;
}

static bool judge_sampled(const carom_engine_image *image)
{
    bool meets = false;
    const float *a = image->layers[1].values, *b = image->layer_count == 4 ? image->layers[3].values : NULL;
    assert_true(image->layer_count == 2 || image->layer_count == 4);
    assert_string_equal(image->layers[1].name, "a-stencil");
    assert_true(image->sampled_size > 0.0);
    for (uint32_t i = 0; i < image->side * image->side; i++)
        meets = meets || a[i] == 2.0f || (b && (b[i] == 2.0f || (a[i] == 3.0f && b[i] == 3.0f)));
    return meets;
}

static void look_at(const carom_engine_image *image, void *user)
{
    gallery *g = user;
    g->images++, g->meeting += image->meets, g->apart += !image->meets;
    g->swapped += !g->certified && image->layer_count == 4, g->leaves += image->leaf_a && image->leaf_b;
    assert_int_equal(image->side, 16);
    assert_true(image->pixel[0] > 0.0 && image->pixel[1] > 0.0);
    assert_int_equal(image->meets, g->certified ? judge_certified(image) : judge_sampled(image));
    for (uint32_t k = 0; k < image->layer_count; k++)
        if (image->layers[k].is_depth)
            check_depths(g, image, &image->layers[k]);
}

static void run(const world *w, carom_scene *scene, const carom_engine_def *def, uint64_t *hash,
                carom_engine_stats *stats)
{
    carom_engine *engine;
    carom_frame frame;
    carom_scene_report report;
    assert_int_equal(carom_engine_create(w->context, def, &engine), CAROM_OK);
    assert_int_equal(carom_scene_frame(scene, &frame), CAROM_OK);
    assert_int_equal(carom_engine_run(engine, &frame, NULL, &report), CAROM_OK);
    *hash = report.hash, *stats = carom_engine_get_stats(engine);
    carom_engine_destroy(engine);
}

static void show_engine(const world *w, const char *name, const carom_placed placed[2])
{
    carom_scene *scene;
    gallery g = {.placed = {&placed[0], &placed[1]}, .certified = strcmp(name, "image") == 0};
    carom_engine_def def = carom_engine_def_default();
    uint64_t hashes[2];
    carom_engine_stats stats[2];
    assert_int_equal(carom_scene_create(w->context, &scene), CAROM_OK);
    for (int i = 0; i < 2; i++)
    {
        carom_body_def body = carom_body_def_default();
        carom_body_id id;
        body.placed = placed[i];
        assert_int_equal(carom_scene_add(scene, &body, &id), CAROM_OK);
        assert_int_equal(carom_pieces_create(w->context, placed[i].shape.mesh, &g.pieces[i]), CAROM_OK);
    }
    def.engine = name, def.image_side = 16, def.image_always = true;
    run(w, scene, &def, &hashes[0], &stats[0]);
    def.on_image = look_at, def.on_image_user = &g;
    run(w, scene, &def, &hashes[1], &stats[1]);
    printf("%s: %llu images, %llu meet, %llu swapped, %llu depths; %llu pairs not drawn\n", name,
           (unsigned long long)g.images, (unsigned long long)g.meeting, (unsigned long long)g.swapped,
           (unsigned long long)g.depths, (unsigned long long)stats[1].views_apart);
    /* what was apart before anything was drawn is no image; recode's boxes along the same axes find all of that */
    assert_int_equal(g.images, stats[1].images), assert_int_equal(g.apart, stats[1].images_apart);
    bool views = strcmp(name, "recode") != 0;
    assert_true((stats[0].views_apart > 0) == views && (stats[1].views_apart > 0) == views);
    assert_true(stats[0].images_apart > 0 && stats[0].images_apart < stats[0].images);
    assert_true(g.meeting > 0 && g.apart > 0 && g.leaves > 0 && g.depths > 1000 && (g.certified || g.swapped > 0));
    if (g.certified || strcmp(name, "recode") == 0)
    {
        assert_int_equal(hashes[0], hashes[1]);
        assert_int_equal(stats[0].images, stats[1].images);
        assert_int_equal(stats[0].images_apart, stats[1].images_apart);
        assert_int_equal(stats[0].views_apart, stats[1].views_apart);
    }
    for (int i = 0; i < 2; i++)
        carom_pieces_destroy(g.pieces[i]);
    carom_scene_destroy(scene);
}

static void test_show(void **state)
{
    (void)state;
    world w = world_open();
    carom_engine *engine = NULL;
    carom_status status = carom_engine_create(w.context, &(carom_engine_def){.engine = "image"}, &engine);
    carom_engine_destroy(engine);
    carom_mesh *torus = world_shape(&w, GENERATE_TORUS, 600), *hand = world_shape(&w, GENERATE_HAND, 1000);
    carom_placed placed[2] = {world_place(torus, 0.0, 0.0, 0.0), world_place(hand, 0.35, 0.1, 0.1)};
    uint32_t shown = 0;
    for (uint32_t i = 0; carom_engine_list(i) && status == CAROM_OK; i++)
        if (carom_engine_list(i)->shows_images)
            show_engine(&w, carom_engine_list(i)->name, placed), shown++;
    assert_int_equal(shown, status == CAROM_OK ? 3 : 0);
    carom_mesh_destroy(torus), carom_mesh_destroy(hand);
    world_close(&w);
    if (status == CAROM_UNAVAILABLE)
        skip();
    assert_int_equal(status, CAROM_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_show)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
