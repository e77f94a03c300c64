/* Bodies that deform: a cloth in waves and breathing blobs over a static body, for 1,000 frames, with the meshes' own
 * trees and with trees of the caller's. Pairs are those of `brute`, memory use stays constant, and what pairs remember
 * survives. */
#include "query/world.h"
#include "support/failing.h"

#include "engine/engine.h"

enum
{
    FRAMES = 1000,
    SETTLED = 50, /* frames after which memory has found its level */
    BLOBS = 3,
    BODIES = 2 + BLOBS
};

typedef struct deforming
{
    carom_mesh *rest, *now;
    carom_tree *tree; /* the caller's, or null */
    carom_body_id id;
    carom_vec3 *vertices;
} deforming;

typedef struct stage
{
    failing memory;
    carom_context *context;
    carom_scene *scene;
    carom_mesh *ground;
    deforming bodies[BODIES - 1]; /* the cloth, then blobs */
    carom_engine *tree, *brute;
} stage;

/* A triangle wave of period 1 between -1 and 1, bent: the same bits everywhere. */
static double wave(double x)
{
    x -= floor(x);
    double t = x < 0.5 ? 4.0 * x - 1.0 : 3.0 - 4.0 * x;
    return t * (1.5 - 0.5 * t * t);
}

static carom_mesh *make_cloth(stage *s, uint32_t size)
{
    uint32_t side = size + 1;
    double *vertices = malloc(3 * (size_t)side * side * sizeof *vertices);
    uint32_t *indices = malloc(6 * (size_t)size * size * sizeof *indices), *at = indices;
    for (uint32_t i = 0; i < side * side; i++)
    {
        vertices[3 * i] = 4.0 * (i % side) / size - 2.0;
        vertices[3 * i + 1] = 4.0 * (i / side) / size - 2.0;
        vertices[3 * i + 2] = 0.0;
    }
    for (uint32_t y = 0; y < size; y++)
        for (uint32_t x = 0; x < size; x++)
        {
            uint32_t corner = y * side + x;
            const uint32_t two[6] = {corner, corner + 1, corner + side, corner + 1, corner + side + 1, corner + side};
            memcpy(at, two, sizeof two), at += 6;
        }
    world w = {.context = s->context};
    carom_mesh *mesh = world_mesh(&w, vertices, (size_t)side * side, indices, 2 * (size_t)size * size);
    free(vertices);
    free(indices);
    return mesh;
}

static carom_vec3 deform_cloth(carom_vec3 v, int frame)
{
    v.z = 0.25 * wave(0.3 * v.x + 0.01 * frame) + 0.15 * wave(0.4 * v.y - 0.017 * frame) + 0.2;
    return v;
}

static carom_vec3 deform_blob(carom_vec3 v, int frame, int which)
{
    double breath = 1.0 + 0.3 * wave(0.013 * frame + 0.3 * which) * (1.0 + 0.5 * v.z);
    return vec3(v.x * breath, v.y / breath, v.z + 0.1 * wave(v.x + 0.02 * frame));
}

static carom_mesh *next_mesh(deforming *body, int frame, int which)
{
    uint32_t count = carom_mesh_get_info(body->rest).vertex_count;
    const carom_vec3 *rest = carom_mesh_vertices(body->rest);
    for (uint32_t i = 0; i < count; i++)
        body->vertices[i] = which == 0 ? deform_cloth(rest[i], frame) : deform_blob(rest[i], frame, which);
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = (const double *)body->vertices, def.vertex_count = count;
    carom_mesh *mesh;
    assert_int_equal(carom_mesh_deform(body->now, &def, &mesh), CAROM_OK);
    return mesh;
}

static void open_stage(stage *s, uint32_t cloth_size, uint32_t blob_triangles, bool own_trees)
{
    *s = (stage){0};
    assert_int_equal(failing_context(&s->memory, &s->context), CAROM_OK);
    assert_int_equal(carom_scene_create(s->context, &s->scene), CAROM_OK);
    world w = {.context = s->context};
    s->ground = world_shape(&w, GENERATE_TORUS, blob_triangles);
    for (int i = 0; i < BODIES; i++)
    {
        carom_body_def def = carom_body_def_default();
        carom_body_id id;
        if (i == BODIES - 1)
        {
            def.placed = world_place(s->ground, 0, 0, 0.1);
            def.is_static = true;
            assert_int_equal(carom_scene_add(s->scene, &def, &id), CAROM_OK);
            continue;
        }
        deforming *body = &s->bodies[i];
        body->rest = i == 0 ? make_cloth(s, cloth_size) : world_shape(&w, GENERATE_BLOB, blob_triangles);
        body->now = body->rest;
        carom_mesh_retain(body->rest);
        body->vertices = malloc(carom_mesh_get_info(body->rest).vertex_count * sizeof *body->vertices);
        def.placed = world_place(body->now, i == 0 ? 0 : 0.7 * i - 1.2, 0.2 * i, 0.25);
        if (own_trees)
        {
            carom_tree_def tree_def = carom_tree_def_preset(i % 2 ? CAROM_TREE_TIGHT : CAROM_TREE_FAST);
            if (i == 2)
                tree_def.layout = CAROM_LAYOUT_BINARY, tree_def.volume = CAROM_VOLUME_KDOP14;
            assert_int_equal(carom_tree_create(s->context, body->now, &tree_def, &body->tree), CAROM_OK);
            def.placed.shape = carom_shape_tree(body->tree);
        }
        assert_int_equal(carom_scene_add(s->scene, &def, &body->id), CAROM_OK);
    }
    carom_engine_def brute = {.engine = "brute"};
    assert_int_equal(carom_engine_create(s->context, NULL, &s->tree), CAROM_OK);
    assert_int_equal(carom_engine_create(s->context, &brute, &s->brute), CAROM_OK);
}

static void close_stage(stage *s)
{
    carom_engine_destroy(s->tree);
    carom_engine_destroy(s->brute);
    carom_scene_destroy(s->scene);
    carom_mesh_destroy(s->ground);
    for (int i = 0; i < BODIES - 1; i++)
    {
        carom_tree_destroy(s->bodies[i].tree);
        carom_mesh_destroy(s->bodies[i].now);
        carom_mesh_destroy(s->bodies[i].rest);
        free(s->bodies[i].vertices);
    }
    carom_context_destroy(s->context);
    assert_int_equal(s->memory.bytes_out, 0);
}

static void deform_all(stage *s, int frame)
{
    for (int i = 0; i < BODIES - 1; i++)
    {
        deforming *body = &s->bodies[i];
        carom_mesh *mesh = next_mesh(body, frame, i);
        carom_shape shape = carom_shape_mesh(mesh);
        if (body->tree)
        {
            assert_int_equal(carom_tree_refit(body->tree, mesh), CAROM_OK);
            shape = carom_shape_tree(body->tree);
        }
        assert_int_equal(carom_scene_reshape(s->scene, body->id, &shape), CAROM_OK);
        carom_mesh_destroy(body->now); /* the scene holds what it needs */
        body->now = mesh;
    }
}

/* Runs the engines on the scene as it is; true to compare with `brute`. */
static uint64_t run(stage *s, bool compare, uint64_t *pairs)
{
    carom_frame frame;
    carom_scene_report report, truth;
    assert_int_equal(carom_scene_frame(s->scene, &frame), CAROM_OK);
    assert_int_equal(carom_engine_run(s->tree, &frame, NULL, &report), CAROM_OK);
    *pairs += report.pair_count;
    uint64_t hash = report.hash;
    if (!compare)
        return hash;
    assert_int_equal(carom_engine_run(s->brute, &frame, NULL, &truth), CAROM_OK);
    assert_int_equal(report.pair_count, truth.pair_count);
    assert_int_equal(hash, truth.hash);
    return hash;
}

static void deform_for_long(bool own_trees, uint32_t cloth_size, uint32_t blob_triangles, int compare_every)
{
    stage s;
    uint64_t pairs = 0, settled = 0;
    open_stage(&s, cloth_size, blob_triangles, own_trees);
    for (int frame = 0; frame < FRAMES; frame++)
    {
        deform_all(&s, frame);
        run(&s, frame % compare_every == 0, &pairs);
        if (frame + 1 == SETTLED)
            settled = s.memory.max_bytes_out;
    }
    assert_true(pairs > 10 * FRAMES);
    /* Lists of pairs may still find a frame that needs more; meshes and trees, the bulk, may not pile up. */
    uint64_t slack = carom_mesh_get_info(s.bodies[0].now).bytes;
    if (s.memory.max_bytes_out > settled + slack)
        fail_msg("%lu bytes after %d frames, %lu after %d", (unsigned long)settled, SETTLED,
                 (unsigned long)s.memory.max_bytes_out, FRAMES);
    close_stage(&s);
}

static void small_bodies_every_frame(void **state)
{
    (void)state;
    deform_for_long(false, 8, 60, 1);
    deform_for_long(true, 8, 60, 1);
}

static void larger_bodies(void **state)
{
    (void)state;
    deform_for_long(false, 30, 500, 100);
    deform_for_long(true, 30, 500, 100);
}

/* The same positions over and over: the same bytes at the same places, to the byte. */
static void memory_is_flat(void **state)
{
    (void)state;
    for (int own_trees = 0; own_trees < 2; own_trees++)
    {
        stage s;
        uint64_t pairs = 0, settled = 0;
        open_stage(&s, 16, 200, own_trees);
        for (int frame = 0; frame < FRAMES; frame++)
        {
            deform_all(&s, frame % 25);
            run(&s, false, &pairs);
            if (frame + 1 == SETTLED)
                settled = s.memory.max_bytes_out;
        }
        assert_int_equal(s.memory.max_bytes_out, settled);
        close_stage(&s);
    }
}

/* ---- what pairs remember ---- */

/* The work of any-hit over frames, from the pairs' memories or from none. */
static uint64_t work_of(stage *s, bool forget)
{
    uint64_t work = 0;
    for (int frame = 0; frame < 40; frame++)
    {
        carom_frame view;
        carom_scene_report report;
        carom_collide_options any = carom_collide_options_default();
        any.mode = CAROM_COLLIDE_ANY;
        deform_all(s, frame);
        assert_int_equal(carom_scene_frame(s->scene, &view), CAROM_OK);
        if (forget)
        {
            carom_engine_destroy(s->tree);
            assert_int_equal(carom_engine_create(s->context, NULL, &s->tree), CAROM_OK);
        }
        assert_int_equal(carom_engine_run(s->tree, &view, &any, &report), CAROM_OK);
        work += report.counters.boxes_tested + report.counters.triangles_tested;
    }
    return work;
}

static void memory_of_pairs_survives_refits(void **state)
{
    (void)state;
    for (int own_trees = 0; own_trees < 2; own_trees++)
    {
        stage s;
        open_stage(&s, 30, 2000, own_trees);
        uint64_t without = work_of(&s, true), with = work_of(&s, false);
        if (!(with < without * 3 / 4))
            fail_msg("%lu tests with memory, %lu without", (unsigned long)with, (unsigned long)without);
        close_stage(&s);
    }
}

/* A default tree is refitted, not rebuilt: its structure is the same. */
static void default_trees_are_refitted(void **state)
{
    (void)state;
    stage s;
    open_stage(&s, 16, 200, false);
    assert_int_equal(carom_mesh_prepare(s.bodies[0].now, CAROM_TREE_FAST), CAROM_OK);
    assert_int_equal(carom_mesh_prepare(s.bodies[0].now, CAROM_TREE_RAYS), CAROM_OK);
    uint64_t pairs_structure = tree_default_if_built(s.bodies[0].now, TREE_FOR_PAIRS)->structure;
    uint64_t rays_structure = tree_default_if_built(s.bodies[0].now, TREE_FOR_RAYS)->structure;
    for (int frame = 0; frame < 5; frame++)
    {
        deform_all(&s, 10 * frame);
        const carom_tree *pairs = tree_default_if_built(s.bodies[0].now, TREE_FOR_PAIRS);
        const carom_tree *rays = tree_default_if_built(s.bodies[0].now, TREE_FOR_RAYS);
        assert_non_null(pairs);
        assert_non_null(rays);
        assert_int_equal(pairs->structure, pairs_structure);
        assert_int_equal(rays->structure, rays_structure);
        assert_ptr_equal(pairs->mesh, s.bodies[0].now);
    }
    close_stage(&s);
}

/* Memory fails anywhere in a frame: a status, the body as it was, and the next frame right. */
static void failures_leave_bodies_as_they_were(void **state)
{
    (void)state;
    stage s;
    open_stage(&s, 8, 60, false);
    uint64_t pairs = 0, failures = 0;
    run(&s, true, &pairs);
    for (uint64_t k = 1; k < 60; k++)
    {
        deforming *body = &s.bodies[k % (BODIES - 1)];
        carom_mesh *mesh = next_mesh(body, (int)k, (int)(k % (BODIES - 1)));
        carom_shape shape = carom_shape_mesh(mesh);
        failing_arm(&s.memory, 1 + k / 4);
        carom_status status = carom_scene_reshape(s.scene, body->id, &shape);
        assert_int_equal(status, s.memory.failed ? CAROM_OUT_OF_MEMORY : CAROM_OK);
        failures += s.memory.failed;
        failing_arm(&s.memory, 0);
        run(&s, true, &pairs);
        if (status == CAROM_OK)
        {
            carom_mesh_destroy(body->now);
            body->now = mesh;
        }
        else
            carom_mesh_destroy(mesh);
        run(&s, true, &pairs);
    }
    assert_true(failures > 3);
    close_stage(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_bodies_every_frame),
        cmocka_unit_test(larger_bodies),
        cmocka_unit_test(memory_is_flat),
        cmocka_unit_test(memory_of_pairs_survives_refits),
        cmocka_unit_test(default_trees_are_refitted),
        cmocka_unit_test(failures_leave_bodies_as_they_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
