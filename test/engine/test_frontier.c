/* Engine `stream` against brute force: on every kind of device, with every limit, on odd meshes, while bodies deform,
 * with budgets, and when its device is lost. */
#include "engine/batches.h"
#include "engine/stream/frontier.h"

static const uint64_t SEED = 20261118;

/* ---- devices and limits ---- */

static const batch_limits LIMITS[LIMIT_COUNT] = {{0, 0}, {64, 0}, {FRONTIER_MIN_ITEMS, 0}, {0, 200000}};

/* The same hash; and where everything is searched, the same number of tests. */
static void every_device_and_limit_agrees(void **unused)
{
    (void)unused;
    world w = world_open();
    carom_engine *brute = open_named(w.context, "brute");
    stage s = stage_open(w.context, SEED, 600);
    counts expected = {0};
    int opened = 0;
    for (compute_kind kind = COMPUTE_OPENCL; kind < COMPUTE_KIND_COUNT; kind++)
        for (size_t limit = 0; limit < LIMIT_COUNT; limit++)
        {
            bool slow = kind == COMPUTE_OPENGL && limit == 2; /* thousands of rounds */
            carom_engine *engine = slow ? NULL : open_on(w.context, "stream", kind);
            if (!engine)
                continue;
            counts found = compare_limit(engine, brute, &s, LIMITS[limit], limit == 2 ? 101 : 1);
            if (opened++ == 0)
                expected = found;
            assert_memory_equal(&found, &expected, sizeof found);
            assert_int_equal(compute_kind_of(state_of(engine)->device.device), kind); /* it was not given up */
            carom_engine_destroy(engine);
        }
    print_message("%d engines, %llu tests of boxes, %llu of triangles\n", opened, (unsigned long long)expected.boxes,
                  (unsigned long long)expected.triangles);
    assert_true(expected.boxes > 1000 && expected.triangles > 100 && expected.candidates > 100);
    assert_true(opened >= 4);
    stage_close(&s);
    carom_engine_destroy(brute);
    world_close(&w);
}

/* Appends come in another order each time; the report does not, for any limit. A limit of four items takes thousands of
 * rounds: 16 items on drivers. */
static void a_hundred_runs_are_the_same(void **unused)
{
    (void)unused;
    check_a_hundred_runs("stream", SEED + 1, (const uint32_t[2]){120, 12}, LIMITS, 4 * FRONTIER_MIN_ITEMS);
}

static void threads_share_a_batch(void **unused)
{
    (void)unused;
    carom_context *context;
    carom_context_def def = carom_context_def_default();
    def.workers = 3;
    assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
    carom_engine *brute = open_named(context, "brute");
    stage s = stage_open(context, SEED + 2, 500);
    for (compute_kind kind = COMPUTE_OPENCL; kind < COMPUTE_KIND_COUNT; kind++)
    {
        carom_engine *engine = open_on(context, "stream", kind);
        for (int number = 0; engine && number < QUESTIONS; number++)
        {
            carom_collide_options options = question(number);
            assert_true(run(engine, s.scene, &options).hash == run(brute, s.scene, &options).hash);
        }
        carom_engine_destroy(engine);
    }
    stage_close(&s);
    carom_engine_destroy(brute);
    carom_context_destroy(context);
}

/* ---- odd meshes ---- */

/* Two triangles, one degenerate to a segment, one to a point, and an empty mesh. */
static void small_and_degenerate_meshes(void **unused)
{
    (void)unused;
    crowd c = crowd_open();
    const double square[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    const double segment[] = {0.25, 0.25, -1, 0.25, 0.25, 0, 0.25, 0.25, 1}, point[9] = {0};
    const uint32_t two[] = {0, 1, 2, 0, 2, 3}, one[] = {0, 1, 2};
    add_mesh(&c, world_mesh(&c.w, square, 4, two, 2), carom_pose_identity());
    add_mesh(&c, world_mesh(&c.w, square, 4, two, 2), carom_pose_translation(0.5, 0.5, 0));     /* coplanar */
    add_mesh(&c, world_mesh(&c.w, square, 4, two, 2), carom_pose_translation(0, 0, 1e-9));      /* next to it */
    add_mesh(&c, world_mesh(&c.w, segment, 3, one, 1), carom_pose_identity());                  /* through all */
    add_mesh(&c, world_mesh(&c.w, point, 3, one, 1), carom_pose_translation(0.125, 0.0625, 0)); /* on one */
    add_mesh(&c, world_mesh(&c.w, point, 3, one, 1), carom_pose_translation(0.125, 0.0625, 0)); /* on another */
    add_mesh(&c, world_mesh(&c.w, point, 3, one, 1), carom_pose_translation(0.125, 0.0625, 1e-300));
    add_mesh(&c, world_mesh(&c.w, square, 4, two, 0), carom_pose_identity());
    assert_int_equal(compare_crowd(&c, true), 4 + 1 + 1 + 2 + 2 + 1);
    crowd_close(&c);
}

/* Boxes that touch to the bit, that are 1e-9 apart, and that overlap by as much, near and far from the origin. */
static void touching_boxes(void **unused)
{
    (void)unused;
    static const double distances[] = {0.0, 1e6, 0x1p40};
    static const double gaps[] = {0.0, 1e-9, -1e-9, 1e-15, -1e-15};
    uint64_t met = 0, apart = 0;
    for (size_t d = 0; d < 3; d++)
        for (size_t g = 0; g < 5; g++)
        {
            crowd c = crowd_open();
            double far = distances[d];
            add_mesh(&c, world_box(&c.w, 0, 0, 0, 1, 1, 1), carom_pose_translation(far, -far, far));
            add_mesh(&c, world_box(&c.w, 0, 0, 0, 1, 1, 1), carom_pose_translation(far + 1.0 + gaps[g], -far, far));
            add_mesh(&c, world_box(&c.w, 0, 0, 0, 1, 1, 1), carom_pose_translation(far + 0.5, -far - 1.0, far + 1.0));
            uint64_t pairs = compare_crowd(&c, d == 0);
            met += pairs, apart += gaps[g] > 0.0;
            crowd_close(&c);
        }
    assert_true(met > 100 && apart > 0);
}

/* Boxes with four corners in common to the bit, turned together: only the bounds keep floats from tearing them apart.
 */
static void turned_boxes(void **unused)
{
    (void)unused;
    check_random random = {.state = SEED + 8};
    uint64_t pairs = 0;
    for (int round = 0; round < 60; round++)
    {
        crowd c = crowd_open();
        for (int k = 0; k < 6; k++)
        {
            carom_vec3 low = check_random_point(&random, -1.0, 0.0), high = check_random_point(&random, 0.1, 1.0);
            double end = check_uniform(&random, 1.5, 2.0);
            carom_pose pose = world_random_pose(&random, round % 2 ? 3.0 : 3e3);
            add_mesh(&c, world_box(&c.w, low.x, low.y, low.z, high.x, high.y, high.z), pose);
            add_mesh(&c, world_box(&c.w, high.x, low.y, low.z, end, high.y, high.z), pose);
        }
        pairs += compare_crowd(&c, round < 2);
        crowd_close(&c);
    }
    assert_true(pairs > 60 * 6 * 20);
}

/* Sizes from 1e-30 to 1e25 together, each around the surface of a larger one. */
static void sizes_of_all_orders(void **unused)
{
    (void)unused;
    static const double sizes[] = {1e-30, 1e-12, 1e-3, 1.0, 1e4, 1e12, 1e25};
    crowd c = crowd_open();
    check_random random = {.state = SEED};
    for (size_t i = 0; i < 7; i++)
    {
        generate_def def = generate_def_default(GENERATE_ICO_SPHERE);
        carom_mesh *mesh;
        def.triangles = 80, def.size = sizes[i];
        assert_int_equal(generate_mesh(c.w.context, &def, &mesh), CAROM_OK);
        add_mesh(&c, mesh, carom_pose_translation(0.4 * sizes[i], 0.2 * sizes[i], 0.0));
        carom_pose pose = world_random_pose(&random, 0.4 * sizes[i]);
        add_mesh(&c, carom_mesh_retain(mesh) ? mesh : NULL, pose);
    }
    compare_crowd(&c, true);
    crowd_close(&c);
}

/* Single triangles in a small space, many of which share corners or edges to the bit. */
static void triangles_that_touch(void **unused)
{
    (void)unused;
    uint64_t pairs = 0;
    check_random random = {.state = SEED + 7};
    print_message("seed %llu\n", (unsigned long long)random.state);
    for (int round = 0; round < 12; round++)
    {
        crowd c = crowd_open();
        carom_vec3 lattice[12];
        double scale = round % 2 ? 1.0 : 1e-7, offset = round % 4 >= 2 ? 1e3 : 0.0;
        for (int i = 0; i < 12; i++)
        {
            carom_vec3 p = check_random_point(&random, -1.0, 1.0);
            lattice[i] = vec3(offset + scale * p.x, scale * p.y, scale * p.z);
        }
        for (int i = 0; i < 60; i++)
        {
            carom_vec3 corners[6];
            const uint32_t two[] = {0, 1, 2, 3, 4, 5};
            for (int k = 0; k < 6; k++)
                corners[k] = lattice[check_next(&random) % 12];
            add_mesh(&c, world_mesh(&c.w, &corners[0].x, 6, two, 2), carom_pose_identity());
        }
        pairs += compare_crowd(&c, round < 2);
        crowd_close(&c);
    }
    assert_true(pairs > 12000);
}

/* ---- deforming bodies ---- */

static void deforming_bodies_are_refitted(void **unused)
{
    (void)unused;
    world w = world_open();
    for (compute_kind kind = COMPUTE_OPENCL; kind < COMPUTE_KIND_COUNT; kind++)
    {
        carom_engine *engine = open_on(w.context, "stream", kind), *brute = open_named(w.context, "brute");
        stage s = stage_open(w.context, SEED + 3, 300);
        carom_frame frame;
        assert_int_equal(carom_scene_frame(s.scene, &frame), CAROM_OK);
        carom_body_id id = frame.bodies[4].id;
        carom_mesh *mesh = s.meshes[4];
        uint64_t changes = 0, last = 0;
        for (int step = 0; engine && step < 10; step++)
        {
            carom_vec3 *vertices = malloc(mesh->vertex_count * sizeof *vertices);
            assert_non_null(vertices);
            for (size_t i = 0; i < mesh->vertex_count; i++)
            {
                carom_vec3 v = mesh->vertices[i];
                vertices[i] = vec3(v.x * 1.1, v.y * 1.05 + 0.1 * v.x, v.z);
            }
            carom_mesh *moved = deformed(mesh, vertices);
            free(vertices);
            reshape(s.scene, id, moved);
            if (step > 0)
                carom_mesh_destroy(mesh);
            mesh = moved;
            carom_collide_options options = question(step % QUESTIONS);
            uint64_t truth = run(brute, s.scene, &options).hash;
            assert_true(run(engine, s.scene, &options).hash == truth);
            changes += truth != last, last = truth;
        }
        if (engine)
        {
            assert_true(changes > 5);
            /* each mesh once, and once more for each deformation */
            assert_in_range(state_of(engine)->device.stats.uploads, 5, 5 + 10);
            carom_mesh_destroy(mesh);
        }
        stage_close(&s);
        carom_engine_destroy(engine), carom_engine_destroy(brute);
    }
    world_close(&w);
}

/* A mesh whose asset was fitted from another's, is forgotten, and comes back: then its tree is another one. */
static void a_deformed_mesh_comes_back(void **unused)
{
    (void)unused;
    world w = world_open();
    carom_engine *brute = open_named(w.context, "brute"), *engine = open_on(w.context, "stream", COMPUTE_PROCESSOR);
    carom_mesh *ball = world_shape(&w, GENERATE_ICO_SPHERE, 500), *blob = world_shape(&w, GENERATE_BLOB, 500);
    carom_vec3 vertices[1000];
    assert_in_range(blob->vertex_count, 100, 1000);
    for (size_t i = 0; i < blob->vertex_count; i++)
    {
        carom_vec3 v = blob->vertices[i];
        vertices[i] = vec3(0.1 * v.y, 3.0 * v.z, v.x);
    }
    carom_mesh *moved = deformed(blob, vertices);
    carom_pose pose = carom_pose_translation(0.3, 0.1, 0.2);
    duo d = duo_open(w.context, (carom_mesh *const[2]){ball, blob}, pose);
    carom_body_def body = carom_body_def_default();
    body.placed = (carom_placed){carom_shape_mesh(moved), pose};
    carom_collide_options options = question(0);
    for (int step = 0; step < 4; step++)
    {
        if (step == 1)
            reshape(d.scene, d.ids[1], moved);
        if (step == 2)
            assert_int_equal(carom_scene_remove(d.scene, d.ids[1]), CAROM_OK);
        if (step == 3)
            assert_int_equal(carom_scene_add(d.scene, &body, &d.ids[1]), CAROM_OK);
        carom_scene_report truth = run(brute, d.scene, &options), found = run(engine, d.scene, &options);
        assert_true(truth.pair_count > 100 || step == 2);
        assert_true(truth.hash == found.hash);
    }
    carom_scene_destroy(d.scene);
    carom_engine_destroy(engine), carom_engine_destroy(brute);
    carom_mesh_destroy(moved), carom_mesh_destroy(blob), carom_mesh_destroy(ball);
    world_close(&w);
}

/* ---- budgets ---- */

static void budgets_end_and_go_on(void **unused)
{
    (void)unused;
    assert_true(check_budgets("stream", COMPUTE_AUTO, SEED + 4) > 10);
}

/* ---- faults ---- */

static void a_lost_device_is_replaced(void **unused)
{
    (void)unused;
    check_lost_devices("stream", SEED + 5);
}

static void too_small_a_device_says_so(void **unused)
{
    (void)unused;
    check_too_small_device("stream", SEED + 6);
}

static void no_memory_while_meshes_join(void **unused)
{
    (void)unused;
    assert_true(check_memory_while_growing("stream") > 30);
}

/* ---- other devices than the one here, by what libOpenCL says and does ---- */

static struct
{
    compute_function *info, *read, *kernel; /* the library's own */
    uint64_t local_memory;
    int calls, vanishes_at; /* calls of the last two; 0: never */
} pretence;

static int pretend_info(cl_handle device, uint32_t name, size_t size, void *out, size_t *needed)
{
    typedef int info_fn(cl_handle, uint32_t, size_t, void *, size_t *);
    if (name != CL_DEVICE_DOUBLE_FP_CONFIG && name != CL_DEVICE_LOCAL_MEM_SIZE)
        return ((info_fn *)pretence.info)(device, name, size, out, needed);
    uint64_t value = name == CL_DEVICE_LOCAL_MEM_SIZE ? pretence.local_memory : 0;
    assert_true(size >= sizeof value);
    memcpy(out, &value, sizeof value);
    return CL_SUCCESS;
}

static bool has_vanished(void) { return pretence.vanishes_at > 0 && ++pretence.calls >= pretence.vanishes_at; }

static int pretend_read(cl_handle queue, cl_handle memory, uint32_t blocking, size_t offset, size_t size, void *data,
                        uint32_t waits, const cl_handle *events, cl_handle *event)
{
    typedef int read_fn(cl_handle, cl_handle, uint32_t, size_t, size_t, void *, uint32_t, const cl_handle *,
                        cl_handle *);
    return has_vanished()
               ? CL_DEVICE_NOT_AVAILABLE
               : ((read_fn *)pretence.read)(queue, memory, blocking, offset, size, data, waits, events, event);
}

static int pretend_kernel(cl_handle queue, cl_handle kernel, uint32_t dimensions, const size_t *offset,
                          const size_t *items, const size_t *group, uint32_t waits, const cl_handle *events,
                          cl_handle *event)
{
    typedef int kernel_fn(cl_handle, cl_handle, uint32_t, const size_t *, const size_t *, const size_t *, uint32_t,
                          const cl_handle *, cl_handle *);
    return has_vanished()
               ? CL_DEVICE_NOT_AVAILABLE
               : ((kernel_fn *)pretence.kernel)(queue, kernel, dimensions, offset, items, group, waits, events, event);
}

static compute_function *find_pretence(const char *name, compute_function *found, void *user)
{
    (void)user;
    static const struct
    {
        const char *name;
        compute_function **found, *replaced;
    } functions[] = {{"clGetDeviceInfo", &pretence.info, (compute_function *)pretend_info},
                     {"clEnqueueReadBuffer", &pretence.read, (compute_function *)pretend_read},
                     {"clEnqueueNDRangeKernel", &pretence.kernel, (compute_function *)pretend_kernel}};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(name, functions[i].name) == 0)
            return *functions[i].found = found, functions[i].replaced;
    return found;
}

/* Gives the engine a device that pretends; null where there is no OpenCL. */
static compute_device *pretend(carom_context *context, carom_engine *engine, uint32_t group_size)
{
    compute_device *device = NULL;
    compute_device_def def = {.kind = COMPUTE_OPENCL, .find = find_pretence};
    def.limits.group_size = group_size;
    if (compute_open(context, &def, &device) != CAROM_OK)
        return NULL;
    assert_int_equal(batch_runner_use(&state_of(engine)->device, &frontier_kind, device), CAROM_OK);
    state_of(engine)->compute = COMPUTE_OPENCL;
    return device;
}

/* No doubles, 32 KB of local memory or none, groups of one. */
static void a_poor_device_will_do(void **unused)
{
    (void)unused;
    static const uint64_t memories[] = {32 << 10, 1, 0};
    world w = world_open();
    stage s = stage_open(w.context, SEED + 9, 300);
    carom_engine *brute = open_named(w.context, "brute");
    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++)
    {
        carom_engine *engine = open_on(w.context, "stream", COMPUTE_PROCESSOR);
        memset(&pretence, 0, sizeof pretence);
        pretence.local_memory = memories[i];
        compute_device *device = pretend(w.context, engine, i == 2 ? 1 : 0);
        for (int number = 0; device && number < QUESTIONS; number++)
        {
            carom_collide_options options = question(number);
            assert_true(run(engine, s.scene, &options).hash == run(brute, s.scene, &options).hash);
        }
        if (device)
        {
            assert_false(compute_info(device)->doubles);
            assert_int_equal(compute_info(device)->local_memory, memories[i]);
            assert_ptr_equal(state_of(engine)->device.device, device); /* it was not given up */
        }
        carom_engine_destroy(engine);
        compute_close(device);
    }
    carom_engine_destroy(brute);
    stage_close(&s);
    world_close(&w);
}

/* In the middle of a search: while kernels run, while results are read. */
static void a_device_may_vanish_at_any_time(void **unused)
{
    (void)unused;
    world w = world_open();
    stage s = stage_open(w.context, SEED + 10, 200);
    carom_engine *brute = open_named(w.context, "brute");
    int vanished = 0;
    for (int at = 1; at < 40; at += 3)
        for (int number = 0; number < QUESTIONS; number++)
        {
            carom_engine *engine = open_on(w.context, "stream", COMPUTE_PROCESSOR);
            carom_collide_options options = question(number);
            memset(&pretence, 0, sizeof pretence);
            compute_device *device = pretend(w.context, engine, 0);
            if (!device)
            {
                carom_engine_destroy(engine);
                continue;
            }
            pretence.vanishes_at = at;
            assert_true(run(engine, s.scene, &options).hash == run(brute, s.scene, &options).hash);
            bool given_up = state_of(engine)->device.device != device;
            assert_int_equal(given_up, pretence.calls >= at);
            vanished += given_up;
            carom_engine_destroy(engine);
            compute_close(device);
        }
    print_message("a device has vanished %d times\n", vanished);
    carom_engine_destroy(brute);
    stage_close(&s);
    world_close(&w);
}

static void an_unknown_device_is_refused(void **unused)
{
    (void)unused;
    world w = world_open();
    carom_engine *engine;
    carom_engine_def def = {.engine = "stream", .compute = "abacus"};
    assert_int_equal(carom_engine_create(w.context, &def, &engine), CAROM_INVALID_ARGUMENT);
    world_check_message(&w, "abacus");
    def = (carom_engine_def){.engine = "stream", .on_processor = true};
    assert_int_equal(carom_engine_create(w.context, &def, &engine), CAROM_OK);
    assert_int_equal(state_of(engine)->compute, COMPUTE_PROCESSOR);
    carom_engine_destroy(engine);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_device_and_limit_agrees),
                                       cmocka_unit_test(a_hundred_runs_are_the_same),
                                       cmocka_unit_test(threads_share_a_batch),
                                       cmocka_unit_test(small_and_degenerate_meshes),
                                       cmocka_unit_test(touching_boxes),
                                       cmocka_unit_test(sizes_of_all_orders),
                                       cmocka_unit_test(turned_boxes),
                                       cmocka_unit_test(triangles_that_touch),
                                       cmocka_unit_test(deforming_bodies_are_refitted),
                                       cmocka_unit_test(a_deformed_mesh_comes_back),
                                       cmocka_unit_test(budgets_end_and_go_on),
                                       cmocka_unit_test(a_lost_device_is_replaced),
                                       cmocka_unit_test(a_poor_device_will_do),
                                       cmocka_unit_test(a_device_may_vanish_at_any_time),
                                       cmocka_unit_test(no_memory_while_meshes_join),
                                       cmocka_unit_test(too_small_a_device_says_so),
                                       cmocka_unit_test(an_unknown_device_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
