/* Engines on compute devices: opening them, questions, and crowds of meshes that they are compared on. */
#ifndef TEST_ENGINE_DEVICES_H
#define TEST_ENGINE_DEVICES_H

#include "compute/compute.h"
#include "engine/stage.h"

#include <stdlib.h>

static inline carom_engine *open_named(carom_context *context, const char *name)
{
    carom_engine *engine = NULL;
    assert_int_equal(carom_engine_create(context, &(carom_engine_def){.engine = name}, &engine), CAROM_OK);
    return engine;
}

/* Null where there is no such device. */
static inline carom_engine *open_on(carom_context *context, const char *name, compute_kind kind)
{
    carom_engine *engine = NULL;
    setenv("CAROM_COMPUTE", compute_kind_name(kind), 1);
    carom_status status = carom_engine_create(context, &(carom_engine_def){.engine = name}, &engine);
    unsetenv("CAROM_COMPUTE");
    if (status == CAROM_UNAVAILABLE)
    {
        char message[256];
        carom_context_message(context, message, sizeof message);
        print_message("without %s: %s\n", compute_kind_name(kind), message);
        return NULL;
    }
    assert_int_equal(status, CAROM_OK);
    return engine;
}

static inline carom_scene_report run(carom_engine *engine, carom_scene *scene, const carom_collide_options *options)
{
    carom_frame frame;
    carom_scene_report report;
    assert_int_equal(carom_scene_frame(scene, &frame), CAROM_OK);
    assert_int_equal(carom_engine_run(engine, &frame, options, &report), CAROM_OK);
    return report;
}

enum
{
    QUESTIONS = 4
};

static inline carom_collide_options question(int number)
{
    carom_collide_options options = carom_collide_options_default();
    if (number == 1)
        options.relation = options.contacts = true, options.clearance = 0.1;
    if (number == 2)
        options.mode = CAROM_COLLIDE_ANY, options.clearance = 0.05;
    if (number == 3)
        options.mode = CAROM_COLLIDE_ANY, options.relation = true;
    return options;
}

typedef struct crowd
{
    world w;
    carom_scene *scene;
    carom_mesh *meshes[64];
    uint32_t count;
} crowd;

static inline void add_mesh(crowd *c, carom_mesh *mesh, carom_pose pose)
{
    carom_body_def def = carom_body_def_default();
    carom_body_id id;
    assert_true(c->count < 64);
    c->meshes[c->count++] = mesh;
    def.placed = (carom_placed){carom_shape_mesh(mesh), pose};
    assert_int_equal(carom_scene_add(c->scene, &def, &id), CAROM_OK);
}

static inline crowd crowd_open(void)
{
    crowd c = {.w = world_open()};
    assert_int_equal(carom_scene_create(c.w.context, &c.scene), CAROM_OK);
    return c;
}

static inline void crowd_close(crowd *c)
{
    carom_scene_destroy(c->scene);
    for (uint32_t i = 0; i < c->count; i++)
        carom_mesh_destroy(c->meshes[i]);
    world_close(&c->w);
}

/* Compares all questions on all devices with brute force; returns how many pairs of triangles meet. */
static inline uint64_t compare_engine(const crowd *c, const char *name, bool on_all)
{
    carom_engine *brute = open_named(c->w.context, "brute");
    uint64_t pairs = 0;
    for (compute_kind kind = on_all ? COMPUTE_OPENCL : COMPUTE_PROCESSOR; kind < COMPUTE_KIND_COUNT; kind++)
    {
        carom_engine *engine = open_on(c->w.context, name, kind);
        for (int number = 0; engine && number < QUESTIONS; number++)
        {
            carom_collide_options options = question(number);
            carom_scene_report truth = run(brute, c->scene, &options), found = run(engine, c->scene, &options);
            if (truth.hash != found.hash)
                fail_msg("%s, question %d on %s: %llu pairs, but there are %llu", name, number, compute_kind_name(kind),
                         (unsigned long long)found.pair_count, (unsigned long long)truth.pair_count);
            if (number == 0)
                pairs = truth.pair_count;
        }
        carom_engine_destroy(engine);
    }
    carom_engine_destroy(brute);
    return pairs;
}

/* For both engines that search on compute devices. */
static inline uint64_t compare_crowd(const crowd *c, bool on_all)
{
    uint64_t pairs = compare_engine(c, "stream", on_all);
    assert_int_equal(compare_engine(c, "geoimage", on_all), pairs);
    return pairs;
}

#endif
