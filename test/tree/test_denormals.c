/* No denormal number on ordinary paths: a lane that holds bits which aren't a float, or a bound below the smallest
 * normal number, makes some processors take a hundred times as long for an addition, and shows in no result. So this
 * test asks the processor: after each build, refit and question on ordinary models its flags must be clear. */
#include "query/world.h"
#include "support/float_flags.h"
#include "support/placed.h"

#if BASE_HAS_X86

typedef struct model
{
    world w;
    double size;
    carom_mesh *mesh, *other, *moved;
    const char *what;
} model;

/* Asks the processor what the step before raised. */
static void check_flags(const model *m, const char *step, const char *detail)
{
    unsigned raised = float_flags_raised();
    if (raised)
        fail_msg("%s, size %g: %s %s raised%s%s", m->what, m->size, step, detail,
                 raised & FLOAT_DENORMAL ? " denormal-operand" : "", raised & FLOAT_UNDERFLOW ? " underflow" : "");
}

static carom_mesh *make_mesh(const model *m, generate_kind kind, uint32_t triangles, carom_vec3 offset)
{
    generate_def def = generate_def_default(kind);
    def.triangles = triangles, def.size = m->size;
    carom_mesh *mesh, *shifted;
    assert_int_equal(generate_mesh(m->w.context, &def, &mesh), CAROM_OK);
    check_flags(m, "mesh", "create");
    uint32_t count = carom_mesh_get_info(mesh).vertex_count;
    carom_vec3 *vertices = malloc(count * sizeof *vertices);
    assert_non_null(vertices);
    memcpy(vertices, carom_mesh_vertices(mesh), count * sizeof *vertices);
    for (uint32_t i = 0; i < count; i++)
        vertices[i].x += offset.x, vertices[i].y += offset.y, vertices[i].z += offset.z;
    carom_mesh_def moved = carom_mesh_def_default();
    moved.vertices_f64 = (const double *)vertices, moved.vertex_count = count;
    assert_int_equal(carom_mesh_deform(mesh, &moved, &shifted), CAROM_OK);
    check_flags(m, "mesh", "deform");
    carom_mesh_destroy(mesh);
    free(vertices);
    return shifted;
}

/* ---- questions ---- */

static void ask_pair(const model *m, const carom_placed *a, const carom_placed *b)
{
    carom_report report;
    bool within;
    for (int mode = CAROM_COLLIDE_ANY; mode <= CAROM_COLLIDE_ALL; mode++)
    {
        carom_collide_options options = {.mode = (carom_collide_mode)mode, .relation = mode != CAROM_COLLIDE_COUNT};
        options.contacts = mode == CAROM_COLLIDE_ALL;
        assert_false(carom_failed(carom_collide(m->w.query, a, b, &options, &report)));
        check_flags(m, "collide", mode == CAROM_COLLIDE_ANY ? "any" : mode == CAROM_COLLIDE_ALL ? "all" : "count");
    }
    carom_collide_options options = {.mode = CAROM_COLLIDE_ALL, .clearance = 0.05 * m->size};
    assert_false(carom_failed(carom_collide(m->w.query, a, b, &options, &report)));
    check_flags(m, "collide", "with a clearance");
    assert_int_equal(carom_distance(m->w.query, a, b, NULL, &report), CAROM_OK);
    check_flags(m, "distance", "");
    assert_int_equal(carom_within(m->w.query, a, b, 0.3 * m->size, &within), CAROM_OK);
    check_flags(m, "within", "");
}

static void ask_rays(const model *m, const carom_placed *placed)
{
    static const char *const names[] = {"first", "any", "all"};
    check_random random = {3};
    carom_aabb bounds = {{-0.3 * m->size, -0.3 * m->size, -0.3 * m->size},
                         {0.3 * m->size, 0.3 * m->size, 0.3 * m->size}};
    if (placed->shape.kind == CAROM_SHAPE_MESH)
        bounds = carom_mesh_get_info(placed->shape.mesh).bounds;
    for (int i = 0; i < 60; i++)
    {
        carom_vec3 from = {-2.0 * m->size, 0.1 * m->size, 0.2 * m->size}, to;
        to.x = check_uniform(&random, bounds.min.x, bounds.max.x);
        to.y = check_uniform(&random, bounds.min.y, bounds.max.y);
        to.z = check_uniform(&random, bounds.min.z, bounds.max.z);
        to = carom_pose_apply(&placed->pose, to);
        carom_ray ray = {from, {to.x - from.x, to.y - from.y, to.z - from.z}, INFINITY};
        if (i % 4 == 0) /* along an axis, which zeros are part of */
            ray = (carom_ray){{to.x, to.y, -3.0 * m->size}, {0.0, 0.0, 1.0}, 100.0 * m->size};
        carom_ray_report report;
        for (int mode = CAROM_RAY_FIRST; mode <= CAROM_RAY_ALL; mode++)
        {
            assert_int_equal(carom_ray_cast(m->w.query, placed, &ray, (carom_ray_mode)mode, &report), CAROM_OK);
            check_flags(m, "ray", names[mode]);
        }
    }
}

/* A meeting pair, one close by, one far away, one turned by a right angle up to rounding, as programs make it. */
static void ask_all(const model *m, const carom_tree *tree, const carom_tree *other)
{
    const double half = 0.70710678118654757, s = m->size;
    const carom_pose poses[] = {
        carom_pose_from_quaternion((double[4]){0.9, 0.1, 0.3, 0.2}, (carom_vec3){0.3 * s, 0.1 * s, 0.2 * s}),
        carom_pose_from_quaternion((double[4]){0.2, 0.4, 0.3, 0.8}, (carom_vec3){1.1 * s, 0.1 * s, 0.0}),
        carom_pose_from_quaternion((double[4]){0.2, 0.4, 0.3, 0.8}, (carom_vec3){9.0 * s, 3.0 * s, -4.0 * s}),
        {{6.1e-17, -1.0, 0.0, 1.0, 6.1e-17, 0.0, 0.0, 0.0, 1.0}, {0.5 * s, 0.0, 0.0}},
        carom_pose_from_quaternion((double[4]){half, half, 0.0, 0.0}, (carom_vec3){0.0, 0.25 * s, 0.0}),
        carom_pose_identity(),
    };
    carom_placed a = {pair_shape(tree), poses[0]};
    for (size_t i = 0; i < sizeof poses / sizeof *poses; i++)
    {
        carom_placed b = {pair_shape(other), poses[i]}, target = {carom_shape_tree(other), poses[i]};
        ask_pair(m, &a, &b);
        ask_rays(m, &target);
        carom_vec3 middle = {0.0, 0.0, 0.0}, end = {0.3 * s, 0.0, 6.1e-17 * s};
        carom_placed sphere = {carom_shape_sphere(0.3 * s), poses[i]};
        carom_placed capsule = {carom_shape_capsule(middle, end, 0.1 * s), poses[i]};
        ask_pair(m, &a, &sphere);
        ask_pair(m, &capsule, &a);
    }
}

/* Spheres and capsules among themselves, and rays at them. */
static void ask_solids(const model *m)
{
    const double s = m->size;
    const carom_vec3 ends[2] = {{-0.2 * s, 0.0, 0.1 * s}, {0.3 * s, 0.1 * s, 6.1e-17 * s}};
    const carom_shape shapes[] = {
        carom_shape_sphere(0.3 * s), carom_shape_sphere(0.0), carom_shape_capsule(ends[0], ends[1], 0.1 * s),
        carom_shape_capsule(ends[0], ends[1], 0.0), carom_shape_capsule(ends[0], ends[0], 0.2 * s)};
    const int count = sizeof shapes / sizeof *shapes;
    check_random random = {7};
    for (int i = 0; i < count * count * 4; i++)
    {
        carom_placed a = {shapes[i % count], world_random_pose(&random, 0.3 * s)};
        carom_placed b = {shapes[i / count % count], world_random_pose(&random, i < count * count ? 0.0 : 0.4 * s)};
        ask_pair(m, &a, &b);
        if (i < 2 * count)
            ask_rays(m, &a);
    }
}

/* ---- scenes ---- */

static void run_engine(const model *m, const carom_frame *frame, const carom_engine_def *def)
{
    carom_engine *engine;
    carom_scene_report report;
    carom_collide_options options = carom_collide_options_default();
    assert_int_equal(carom_engine_create(m->w.context, def, &engine), CAROM_OK);
    assert_false(carom_failed(carom_engine_run(engine, frame, NULL, &report)));
    check_flags(m, "engine run with broad phase", def->broad_phase);
    options.relation = options.contacts = true, options.clearance = 0.1 * m->size;
    assert_false(carom_failed(carom_engine_run(engine, frame, &options, &report)));
    check_flags(m, "engine run with a clearance", def->engine);
    options.mode = CAROM_COLLIDE_ANY, options.contacts = false, options.budget.work = 2000;
    carom_status status = carom_engine_run(engine, frame, &options, &report);
    while (status == CAROM_UNKNOWN)
        status = carom_engine_resume(engine, frame, &(carom_budget){.work = 100000}, &report);
    assert_int_equal(status, CAROM_OK);
    check_flags(m, "engine resume", def->engine);
    carom_engine_destroy(engine);
}

/* What a driver computes on this thread is its own business. */
static bool draws_images(const char *engine)
{
    static const char *const names[] = {"image",    "image-sampled", "recode", "shinya", "rossignac", "myszkowski",
                                        "lombardo", "cullide",       "scd0",   "scd1",   "scd2",      "scd-triangles"};
    bool draws = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        draws = draws || strcmp(engine, names[i]) == 0;
    return draws;
}

/* Every broad phase, and every engine. */
static void run_engines(const model *m, carom_scene *scene)
{
    carom_frame frame;
    assert_int_equal(carom_scene_frame(scene, &frame), CAROM_OK);
    check_flags(m, "scene", "");
    for (uint32_t i = 0; carom_broad_list(i); i++)
        run_engine(m, &frame, &(carom_engine_def){.engine = "tree", .broad_phase = carom_broad_list(i)->name});
    for (uint32_t i = 0; carom_engine_list(i); i++)
        if (!draws_images(carom_engine_list(i)->name))
            run_engine(m, &frame, &(carom_engine_def){.engine = carom_engine_list(i)->name, .broad_phase = "tree"});
    run_engine(m, &frame, /* without a driver */
               &(carom_engine_def){.engine = "scd2", .broad_phase = "tree", .on_processor = true});
    run_engine(m, &frame,
               &(carom_engine_def){.engine = "tree", .broad_phase = "tree", .cut_size = 0.2 * m->size}); /* parts */
}

static void cast_at_scene(const model *m, carom_scene *scene)
{
    static const char *const names[] = {"first", "any", "all"};
    check_random random = {13};
    carom_ray rays[64];
    for (int i = 0; i < 64; i++)
    {
        double *numbers[6] = {&rays[i].origin.x,    &rays[i].origin.y,    &rays[i].origin.z,
                              &rays[i].direction.x, &rays[i].direction.y, &rays[i].direction.z};
        for (int k = 0; k < 6; k++)
            *numbers[k] = check_uniform(&random, -2.0, 2.0) * m->size;
        if (i % 4 == 0)
            rays[i].direction = (carom_vec3){0.0, 0.0, 1.0};
        rays[i].max_t = i % 3 ? INFINITY : m->size;
    }
    for (int mode = CAROM_RAY_FIRST; mode <= CAROM_RAY_ALL; mode++)
    {
        carom_ray_batch batch = {rays, 64, (carom_ray_mode)mode};
        carom_frame_ray_report report;
        assert_int_equal(carom_scene_cast(scene, &batch, &report), CAROM_OK);
        check_flags(m, "scene cast", names[mode]);
        carom_placed placed = {carom_shape_mesh(m->mesh), carom_pose_identity()};
        carom_ray_batch_report batch_report;
        assert_int_equal(carom_ray_cast_batch(m->w.query, &placed, &batch, &batch_report), CAROM_OK);
        check_flags(m, "ray batch", names[mode]);
    }
}

/* Meshes, spheres and capsules, one large static body; then a body deforms, with its default trees. */
static void exercise_scene(const model *m)
{
    const double s = m->size;
    const carom_shape shapes[4] = {carom_shape_mesh(m->mesh), carom_shape_mesh(m->other), carom_shape_sphere(0.4 * s),
                                   carom_shape_capsule((carom_vec3){0, 0, 0}, (carom_vec3){0.3 * s, 0, 0}, 0.2 * s)};
    carom_scene *scene;
    carom_body_id ids[14];
    assert_int_equal(carom_scene_create(m->w.context, &scene), CAROM_OK);
    check_random random = {5};
    for (int i = 0; i < 14; i++)
    {
        carom_body_def def = carom_body_def_default();
        def.placed = (carom_placed){shapes[i % 4], world_random_pose(&random, 1.2 * s)};
        def.is_static = i < 2, def.margin = i % 5 == 0 ? 0.05 * s : 0.0;
        assert_int_equal(carom_scene_add(scene, &def, &ids[i]), CAROM_OK);
    }
    run_engines(m, scene);
    cast_at_scene(m, scene);
    carom_shape moved = carom_shape_mesh(m->moved);
    assert_int_equal(carom_scene_reshape(scene, ids[0], &moved), CAROM_OK);
    assert_int_equal(carom_scene_reshape(scene, ids[4], &moved), CAROM_OK);
    check_flags(m, "reshape", "");
    run_engines(m, scene);
    cast_at_scene(m, scene);
    carom_scene_destroy(scene);
}

/* ---- trees ---- */

static void exercise_tree(const model *m, const carom_tree_def *def, const char *name)
{
    carom_tree *tree, *other;
    assert_int_equal(carom_tree_create(m->w.context, m->mesh, def, &tree), CAROM_OK);
    check_flags(m, "build", name);
    assert_int_equal(carom_tree_create(m->w.context, m->other, def, &other), CAROM_OK);
    check_flags(m, "build", name);
    carom_tree_get_info(tree);
    check_flags(m, "info", name);
    ask_all(m, tree, other);
    assert_int_equal(carom_tree_refit(tree, m->moved), CAROM_OK);
    check_flags(m, "refit", name);
    assert_int_equal(carom_tree_refit(tree, m->mesh), CAROM_OK);
    check_flags(m, "refit back", name);
    carom_tree_destroy(tree);
    carom_tree_destroy(other);
}

static void exercise(const model *m)
{
    static const char *const presets[] = {"fast", "tight", "rays"};
    for (int preset = CAROM_TREE_FAST; preset <= CAROM_TREE_RAYS; preset++)
    {
        carom_tree_def def = carom_tree_def_preset((carom_tree_preset)preset);
        exercise_tree(m, &def, presets[preset]);
    }
    for (int i = 0; i < CAROM_BUILDER_COUNT; i++)
    {
        carom_tree_def def = carom_tree_def_default();
        def.builder = (carom_builder)i;
        exercise_tree(m, &def, carom_builder_name(def.builder));
        def.layout = CAROM_LAYOUT_BINARY, def.volume = (carom_volume)(i % CAROM_VOLUME_COUNT);
        def.obb_fit = (carom_obb_fit)(i % 3);
        exercise_tree(m, &def, carom_volume_name(def.volume));
    }
    ask_solids(m);
    exercise_scene(m);
}

static void ordinary_models_raise_no_flag(carom_simd simd)
{
    static const struct
    {
        const char *what;
        generate_kind kind, other;
        uint32_t triangles;
        double away; /* in sizes */
    } kinds[] = {{"a knot and a blob", GENERATE_TORUS_KNOT, GENERATE_BLOB, 400, 0.0},
                 {"a hand and rubble", GENERATE_HAND, GENERATE_RUBBLE, 300, 0.0},
                 {"two sheets of two triangles", GENERATE_CLOTH, GENERATE_CLOTH, 2, 0.0}, /* lanes stay empty */
                 {"a sphere and a cylinder", GENERATE_UV_SPHERE, GENERATE_CYLINDER, 300, 0.0},
                 {"a box and a sheet", GENERATE_BOX, GENERATE_CLOTH, 200, 0.0},
                 {"pipes and a gear away from the origin", GENERATE_PIPE_NETWORK, GENERATE_GEAR, 400, 7.3}};
    static const double sizes[] = {1.0, 1000.0, 0.001};
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
        for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++)
        {
            carom_context_def def = carom_context_def_default();
            def.simd = simd;
            model m = {.size = sizes[size], .what = kinds[kind].what};
            if (carom_context_create(&def, &m.w.context) != CAROM_OK)
                return; /* not on this machine */
            assert_int_equal(carom_query_create(m.w.context, &m.w.query), CAROM_OK);
            float_flags_clear();
            double away = kinds[kind].away * m.size;
            carom_vec3 offset = {away, -2.0 * away, 3.1 * away};
            m.mesh = make_mesh(&m, kinds[kind].kind, kinds[kind].triangles, offset);
            m.other = make_mesh(&m, kinds[kind].other, kinds[kind].triangles, offset);
            offset.x += 0.01 * m.size;
            m.moved = make_mesh(&m, kinds[kind].kind, kinds[kind].triangles, offset);
            exercise(&m);
            carom_mesh_destroy(m.mesh);
            carom_mesh_destroy(m.other);
            carom_mesh_destroy(m.moved);
            world_close(&m.w);
        }
}

static void scalar_code_raises_no_flag(void **state)
{
    (void)state;
    ordinary_models_raise_no_flag(CAROM_SIMD_SCALAR);
}

static void sse2_code_raises_no_flag(void **state)
{
    (void)state;
    ordinary_models_raise_no_flag(CAROM_SIMD_SSE2);
}

static void avx2_code_raises_no_flag(void **state)
{
    (void)state;
    ordinary_models_raise_no_flag(CAROM_SIMD_AVX2);
}

/* The test itself can fail: the processor does note what it looks for. */
static void a_denormal_raises_its_flag(void **state)
{
    (void)state;
    static volatile float tiny = 0x1p-140f, small = 0x1p-100f;
    float_flags_clear();
    volatile float sum = tiny + 1.0f;
    assert_int_equal(float_flags_raised(), FLOAT_DENORMAL);
    float_flags_clear();
    volatile float product = small * 0x1.8p-40f * 0x1.000002p0f;
    assert_true(float_flags_raised() & FLOAT_UNDERFLOW);
    float_flags_clear();
    (void)sum, (void)product;
}

int main(void)
{
    setenv("CAROM_COMPUTE", "processor", 1); /* compiling kernels takes long, and is a driver's own business, too */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_denormal_raises_its_flag), cmocka_unit_test(scalar_code_raises_no_flag),
        cmocka_unit_test(sse2_code_raises_no_flag), cmocka_unit_test(avx2_code_raises_no_flag)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void nothing_to_ask(void **state)
{
    (void)state;
    print_message("SKIPPED: only x86 processors note denormal operands\n");
    skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_to_ask)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
