/* What tests of the engines `image` and `cullide` share: a crowd of bodies, many of which are close, and the answers of
 * engines about it. */
#ifndef TEST_ENGINE_CROWD_H
#define TEST_ENGINE_CROWD_H

#include "query/world.h"

enum
{
    CROWD_BODIES = 14,
    CROWD_MESHES = 4
};

typedef struct crowd
{
    carom_context *context;
    carom_scene *scene;
    carom_mesh *meshes[CROWD_MESHES];
    uint64_t truth, any_truth; /* hashes of brute force's reports: all pairs with relations, any pair */
    uint64_t pairs;            /* of triangles */
} crowd;

static inline carom_engine *crowd_engine(const crowd *c, const carom_engine_def *def)
{
    carom_engine *engine = NULL;
    carom_status status = carom_engine_create(c->context, def, &engine);
    char message[256];
    carom_context_message(c->context, message, sizeof message);
    if (status != CAROM_OK)
        fail_msg("engine %s: %s (%s)", def->engine, carom_status_name(status), message);
    return engine;
}

static inline carom_status crowd_run(const crowd *c, carom_engine *engine, carom_collide_mode mode,
                                     carom_scene_report *out)
{
    carom_collide_options options = carom_collide_options_default();
    carom_frame frame;
    options.mode = mode, options.relation = mode == CAROM_COLLIDE_ALL;
    assert_int_equal(carom_scene_frame(c->scene, &frame), CAROM_OK);
    return carom_engine_run(engine, &frame, &options, out);
}

/* Both answers are right. */
static inline void crowd_ask(const crowd *c, carom_engine *engine)
{
    carom_scene_report report;
    assert_int_equal(crowd_run(c, engine, CAROM_COLLIDE_ALL, &report), CAROM_OK);
    assert_true(report.hash == c->truth);
    assert_int_equal(crowd_run(c, engine, CAROM_COLLIDE_ANY, &report), CAROM_OK);
    assert_true(report.hash == c->any_truth);
}

static inline void crowd_fill(crowd *c, double far)
{
    static const generate_kind kinds[CROWD_MESHES] = {GENERATE_TORUS, GENERATE_CLOTH, GENERATE_HAND, GENERATE_RUBBLE};
    world w = {c->context, NULL};
    check_random random = {5};
    assert_int_equal(carom_scene_create(c->context, &c->scene), CAROM_OK);
    for (int i = 0; i < CROWD_MESHES; i++)
        c->meshes[i] = world_shape(&w, kinds[i], 100 + 20 * (uint32_t)i);
    for (int i = 0; i < CROWD_BODIES; i++)
    {
        carom_body_def body = carom_body_def_default();
        carom_body_id id;
        body.placed.shape = i == 0 ? carom_shape_sphere(0.3) : carom_shape_mesh(c->meshes[i % CROWD_MESHES]);
        body.placed.pose = world_random_pose(&random, 0.7);
        body.placed.pose.translation.z += far;
        assert_int_equal(carom_scene_add(c->scene, &body, &id), CAROM_OK);
    }
}

/* On a context of its own with so many workers, this far from the origin. */
static inline crowd crowd_open(uint32_t workers, double far)
{
    crowd c = {0};
    carom_context_def def = carom_context_def_default();
    carom_scene_report report;
    def.workers = workers;
    assert_int_equal(carom_context_create(&def, &c.context), CAROM_OK);
    crowd_fill(&c, far);
    carom_engine *brute = crowd_engine(&c, &(carom_engine_def){.engine = "brute", .broad_phase = "brute"});
    assert_int_equal(crowd_run(&c, brute, CAROM_COLLIDE_ALL, &report), CAROM_OK);
    c.truth = report.hash, c.pairs = report.pair_count;
    printf("%u of %d pairs of bodies meet\n", (unsigned)report.body_pair_count, CROWD_BODIES * (CROWD_BODIES - 1) / 2);
    assert_true(report.body_pair_count > 10 && report.body_pair_count < CROWD_BODIES * (CROWD_BODIES - 1) / 2 - 10);
    assert_int_equal(crowd_run(&c, brute, CAROM_COLLIDE_ANY, &report), CAROM_OK);
    c.any_truth = report.hash;
    carom_engine_destroy(brute);
    return c;
}

static inline void crowd_close(crowd *c)
{
    carom_scene_destroy(c->scene);
    for (int i = 0; i < CROWD_MESHES; i++)
        carom_mesh_destroy(c->meshes[i]);
    carom_context_destroy(c->context);
}

#endif
