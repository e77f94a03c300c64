/* Every engine, broad phase, volume, builder and layout against brute force, on every scene: the same report to the
 * bit. A new engine or broad phase joins by being in its table.
 *
 * The default run keeps to a few steps of each scene and to small scenes for the large products; CAROM_PARITY=full
 * takes more steps and every combination on every scene, which takes hours; CAROM_PARITY_SCENES=mine,fdh keeps to the
 * scenes with one of these in their names, CAROM_PARITY_ENGINES=stream to such engines. */
#include "query/world.h"
#include "scenes/scenes.h"
#include "support/placed.h"

static bool full_run(void)
{
    const char *wish = getenv("CAROM_PARITY");
    return wish && strcmp(wish, "full") == 0;
}

/* By the parts of names that an environment variable lists; all without it. */
static bool is_listed(const char *variable, const char *name)
{
    const char *wish = getenv(variable);
    if (!wish)
        return true;
    char parts[256];
    snprintf(parts, sizeof parts, "%s", wish);
    for (char *rest = parts, *part; (part = strtok_r(rest, ",", &rest));)
        if (strstr(name, part))
            return true;
    return false;
}

static bool is_wanted(const scenes_info *info) { return is_listed("CAROM_PARITY_SCENES", info->name); }

/* ---- one scene as a frame ---- */

typedef struct stage
{
    world w;
    scenes_scene *source;
    carom_scene *scene;
    carom_body_id *ids;
    carom_tree **trees; /* one per mesh, or null */
} stage;

/* With the tree of its mesh, unless that is one for rays. */
static carom_shape shape_of(const stage *s, const scenes_body *body)
{
    carom_shape shape = body->shape;
    uint32_t i = 0;
    if (shape.kind != CAROM_SHAPE_MESH)
        return shape;
    while (i < s->source->mesh_count && s->source->meshes[i] != shape.mesh)
        i++;
    assert_in_range(i, 0, s->source->mesh_count - 1);
    shape.tree = s->trees[i] && s->trees[i]->rays ? NULL : s->trees[i];
    return shape;
}

/* def null: the scene's own default trees. */
static void fill_scene(stage *s, const carom_tree_def *def)
{
    assert_int_equal(carom_scene_create(s->w.context, &s->scene), CAROM_OK);
    s->ids = calloc(s->source->body_count, sizeof *s->ids);
    s->trees = calloc(s->source->mesh_count, sizeof *s->trees);
    for (uint32_t i = 0; def && i < s->source->mesh_count; i++)
        assert_int_equal(carom_tree_create(s->w.context, s->source->meshes[i], def, &s->trees[i]), CAROM_OK);
    for (uint32_t i = 0; i < s->source->body_count; i++)
    {
        const scenes_body *body = &s->source->bodies[i];
        carom_body_def body_def = carom_body_def_default();
        body_def.placed = (carom_placed){shape_of(s, body), body->pose};
        body_def.name = body->name;
        assert_int_equal(carom_scene_add(s->scene, &body_def, &s->ids[i]), CAROM_OK);
    }
}

static void clear_scene(stage *s)
{
    carom_scene_destroy(s->scene);
    for (uint32_t i = 0; i < s->source->mesh_count; i++)
        carom_tree_destroy(s->trees[i]);
    free(s->trees);
    free(s->ids);
}

static carom_frame frame_at(stage *s, uint32_t step)
{
    scenes_move(s->source, step);
    for (uint32_t i = 0; i < s->source->body_count; i++)
    {
        const scenes_body *body = &s->source->bodies[i];
        carom_shape shape = shape_of(s, body);
        assert_int_equal(carom_scene_move(s->scene, s->ids[i], &body->pose), CAROM_OK);
        if (body->frame_count > 0)
            assert_int_equal(carom_scene_reshape(s->scene, s->ids[i], &shape), CAROM_OK);
    }
    carom_frame frame;
    assert_int_equal(carom_scene_frame(s->scene, &frame), CAROM_OK);
    return frame;
}

/* ---- questions ---- */

enum
{
    QUESTION_COUNT = 3
};

static carom_collide_options make_question(int question, double clearance)
{
    carom_collide_options options = carom_collide_options_default();
    options.clearance = clearance;
    if (question == 0)
        options.relation = options.contacts = true;
    else if (question == 1)
        options.mode = CAROM_COLLIDE_ANY;
    else
        options.mode = CAROM_COLLIDE_COUNT, options.relation = true, options.clearance = 0.0;
    return options;
}

static carom_engine *open_engine(const world *w, const char *engine, const char *broad)
{
    carom_engine_def def = {.engine = engine, .broad_phase = broad};
    carom_engine *out;
    assert_int_equal(carom_engine_create(w->context, &def, &out), CAROM_OK);
    return out;
}

static uint64_t ask(carom_engine *engine, const carom_frame *frame, const carom_collide_options *options)
{
    carom_scene_report report;
    assert_int_equal(carom_engine_run(engine, frame, options, &report), CAROM_OK);
    return report.hash;
}

/* ---- engines and broad phases on all scenes ---- */

static uint32_t largest_body(const scenes_scene *source)
{
    uint32_t largest = 0;
    for (uint32_t i = 0; i < source->mesh_count; i++)
    {
        uint32_t count = carom_mesh_get_info(source->meshes[i]).triangle_count;
        largest = count > largest ? count : largest;
    }
    return largest;
}

/* Streams of edges take long: in the default run, on all but small scenes, the last step is enough. Large bodies, such
 * as those of the thesis's own scenes, are left to the methods that skip most passes. */
static bool is_asked_once(const stage *s, const scenes_info *info, const char *engine)
{
    uint32_t largest = largest_body(s->source);
    if (full_run() || strncmp(engine, "scd", 3) != 0)
        return false;
    if (largest <= 3000)
        return info->triangle_count > 1500;
    return strcmp(engine, "scd0") != 0 && s->source->body_count <= 4 && largest <= 25000;
}

/* In the default run slow engines leave out what would take long: brute force large scenes, the thesis's methods large
 * bodies, both all broad phases but one; engine cullide has no broad phase. */
static bool is_checked(const stage *s, const scenes_info *info, const char *engine, const char *broad)
{
    if (!is_listed("CAROM_PARITY_ENGINES", engine))
        return false;
    if (full_run() || strcmp(engine, "tree") == 0)
        return true;
    if (strcmp(engine, "brute") == 0)
        return info->triangle_count < 7000;
    if (strcmp(engine, "cullide") == 0 || strcmp(engine, "stream") == 0 || strcmp(engine, "geoimage") == 0)
        return strcmp(broad, "tree") == 0;
    if (strcmp(engine, "scd0") == 0 && info->triangle_count > 20000)
        return false;
    return strcmp(broad, "tree") == 0 && (largest_body(s->source) <= 3000 || is_asked_once(s, info, engine));
}

/* Engines stream and geoimage on every device that is there, whichever of them they would choose; geoimage in the
 * default run on small scenes only. Returns how many. */
static uint32_t open_on_devices(const stage *s, const scenes_info *info, carom_engine **out)
{
    static const char *const names[] = {"stream", "geoimage"}, *const devices[] = {"opencl", "opengl", "processor"};
    uint32_t count = 0;
    for (size_t i = 0; i < 6; i++)
    {
        carom_engine_def def = {.engine = names[i / 3], .compute = devices[i % 3]};
        if (!is_listed("CAROM_PARITY_ENGINES", def.engine) || (i >= 3 && !full_run() && info->triangle_count > 7000))
            continue;
        carom_status status = carom_engine_create(s->w.context, &def, &out[count]);
        assert_true(status == CAROM_OK || status == CAROM_UNAVAILABLE);
        count += status == CAROM_OK;
    }
    return count;
}

/* Engine image with all of its images: it would leave most pairs to the trees, which are faster on software drivers.
 * Null: not wanted, too slow for the default run, or no driver. */
static carom_engine *open_images(const stage *s)
{
    carom_engine_def def = {.engine = "image", .broad_phase = "tree", .image_always = true};
    carom_engine *out = NULL;
    if (!is_listed("CAROM_PARITY_ENGINES", "image") || (!full_run() && largest_body(s->source) > 6000))
        return NULL;
    carom_status status = carom_engine_create(s->w.context, &def, &out);
    assert_true(status == CAROM_OK || status == CAROM_UNAVAILABLE);
    return status == CAROM_OK ? out : NULL;
}

/* What such images did, over all scenes. */
typedef struct image_tally
{
    uint32_t scenes, drawn; /* that it was asked about; of these, with images */
    uint64_t images, apart;
} image_tally;

static void add_images(image_tally *sum, const carom_engine *images)
{
    carom_engine_stats stats = carom_engine_get_stats(images);
    sum->scenes++, sum->drawn += stats.images > 0;
    sum->images += stats.images, sum->apart += stats.images_apart;
}

/* What was compared was the images, or it says nothing about them. Without a driver there are none. */
static void check_images(const image_tally *sum)
{
    print_message("image, all of its images: %llu in %u of %u scenes, %llu of them apart\n",
                  (unsigned long long)sum->images, sum->drawn, sum->scenes, (unsigned long long)sum->apart);
    if (sum->scenes == 0 || getenv("CAROM_PARITY_SCENES"))
        return;
    assert_true(10 * sum->drawn >= 9 * sum->scenes); /* no two meshes of scene capsules are near each other */
    assert_true(sum->apart > 0 && sum->apart < sum->images);
}

static void check_engines(stage *s, const scenes_info *info, image_tally *images_drawn)
{
    uint32_t max_steps = full_run() ? 20 : info->triangle_count > 45000 ? 2 : 4;
    uint32_t stride = info->step_count / max_steps + 1;
    carom_engine *brute = open_engine(&s->w, "brute", "brute"), *images = open_images(s);
    carom_engine *engines[512];
    bool once[512] = {false};
    uint32_t engine_count = open_on_devices(s, info, engines), last = (info->step_count - 1) / stride * stride;
    if (images)
    {
        once[engine_count] = !full_run() && info->triangle_count > 3000;
        engines[engine_count++] = images;
    }
    for (uint32_t e = 0; carom_engine_list(e); e++)
        for (uint32_t b = 0; (b > 0 || world_compares(s->w.context, carom_engine_list(e))) && carom_broad_list(b); b++)
            if (engine_count < 512 && is_checked(s, info, carom_engine_list(e)->name, carom_broad_list(b)->name))
            {
                once[engine_count] = is_asked_once(s, info, carom_engine_list(e)->name);
                engines[engine_count++] = open_engine(&s->w, carom_engine_list(e)->name, carom_broad_list(b)->name);
            }
    for (uint32_t step = 0; step < info->step_count; step += stride)
    {
        carom_frame frame = frame_at(s, step);
        for (int question = 0; question < QUESTION_COUNT; question++)
        {
            carom_collide_options options = make_question(question, s->source->clearance);
            uint64_t truth = ask(brute, &frame, &options);
            for (uint32_t e = 0; e < engine_count; e++)
                if ((!once[e] || step == last) && ask(engines[e], &frame, &options) != truth)
                    fail_msg("scene %s, step %u, question %d: engine %u differs from brute force", info->name, step,
                             question, e);
        }
    }
    if (images)
        add_images(images_drawn, images);
    for (uint32_t e = 0; e < engine_count; e++)
        carom_engine_destroy(engines[e]);
    carom_engine_destroy(brute);
}

static bool is_long(const scenes_info *info)
{
    /* one of a family is enough in the default run */
    bool large_mine = strncmp(info->name, "mine-", 5) == 0 && strcmp(info->name, "mine-50") != 0;
    return large_mine || info->body_count >= 1000;
}

static void engines_agree_on_every_scene(void **state)
{
    (void)state;
    image_tally images = {0};
    for (uint32_t i = 0; scenes_get_info(i); i++)
    {
        const scenes_info *info = scenes_get_info(i);
        if ((is_long(info) && !full_run()) || !is_wanted(info))
            continue;
        stage s = {.w = world_open()};
        assert_int_equal(scenes_create(s.w.context, info->name, &s.source), CAROM_OK);
        fill_scene(&s, NULL);
        double start = base_now();
        check_engines(&s, info, &images);
        print_message("%s: %.2f s\n", info->name, base_now() - start);
        clear_scene(&s);
        scenes_destroy(s.source);
        world_close(&s.w);
    }
    check_images(&images);
}

/* ---- volumes, builders and layouts ---- */

typedef struct tree_choice
{
    carom_tree_def def;
    char name[64];
} tree_choice;

static uint32_t list_choices(tree_choice *out, bool all)
{
    uint32_t count = 0;
    for (int preset = CAROM_TREE_FAST; preset <= CAROM_TREE_RAYS; preset++)
    {
        out[count].def = carom_tree_def_preset((carom_tree_preset)preset);
        snprintf(out[count].name, sizeof out[count].name, "preset %d", preset);
        count++;
    }
    for (int volume = 0; volume < CAROM_VOLUME_COUNT; volume++)
        for (int builder = 0; builder < CAROM_BUILDER_COUNT; builder++)
        {
            /* each volume and each builder at least once */
            if (!all && volume != CAROM_VOLUME_OBB && builder != CAROM_BUILDER_SAH)
                continue;
            out[count].def = (carom_tree_def){.volume = (carom_volume)volume,
                                              .layout = CAROM_LAYOUT_BINARY,
                                              .builder = (carom_builder)builder,
                                              .obb_fit = (carom_obb_fit)(builder % 3),
                                              .leaf_size = 1 + (uint32_t)(volume + builder) % 5,
                                              .balance_penalty = 0.5};
            snprintf(out[count].name, sizeof out[count].name, "%s %s", carom_volume_name((carom_volume)volume),
                     carom_builder_name((carom_builder)builder));
            count++;
        }
    return count;
}

static void check_choice(stage *s, const tree_choice *choice, uint32_t step, const uint64_t truth[QUESTION_COUNT])
{
    fill_scene(s, &choice->def);
    carom_engine *tree = open_engine(&s->w, "tree", "tree");
    carom_frame frame = frame_at(s, step);
    for (int question = 0; question < QUESTION_COUNT; question++)
    {
        carom_collide_options options = make_question(question, s->source->clearance);
        if (ask(tree, &frame, &options) != truth[question])
            fail_msg("scene %s, step %u, question %d: %s differs from brute force", s->source->name, step, question,
                     choice->name);
    }
    carom_engine_destroy(tree);
    clear_scene(s);
}

static void check_choices(const scenes_info *info, bool all)
{
    tree_choice choices[3 + CAROM_VOLUME_COUNT * CAROM_BUILDER_COUNT];
    uint32_t choice_count = list_choices(choices, all), step = info->step_count / 3;
    stage s = {.w = world_open()};
    assert_int_equal(scenes_create(s.w.context, info->name, &s.source), CAROM_OK);
    fill_scene(&s, NULL);
    carom_engine *brute = open_engine(&s.w, "brute", "brute");
    carom_frame frame = frame_at(&s, step);
    uint64_t truth[QUESTION_COUNT];
    for (int question = 0; question < QUESTION_COUNT; question++)
    {
        carom_collide_options options = make_question(question, s.source->clearance);
        truth[question] = ask(brute, &frame, &options);
    }
    carom_engine_destroy(brute);
    clear_scene(&s);
    for (uint32_t i = 0; i < choice_count; i++)
        check_choice(&s, &choices[i], step, truth);
    scenes_destroy(s.source);
    world_close(&s.w);
}

static void volumes_and_builders_agree(void **state)
{
    (void)state;
    for (uint32_t i = 0; scenes_get_info(i); i++)
    {
        const scenes_info *info = scenes_get_info(i);
        double start = base_now();
        if ((!full_run() && info->triangle_count > 11000) || !is_wanted(info) ||
            !is_listed("CAROM_PARITY_ENGINES", "tree"))
            continue;
        check_choices(info, full_run() || info->triangle_count <= 3000);
        print_message("%s, %u triangles: %.2f s\n", info->name, info->triangle_count, base_now() - start);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engines_agree_on_every_scene),
        cmocka_unit_test(volumes_and_builders_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
