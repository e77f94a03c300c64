/* Questions about a scene while memory runs out: each request for memory fails in turn, and the question is either
 * answered as always or refused; asked again with memory, it is answered, and in the end nothing is left over. */
#ifndef TEST_SCENE_STARVED_H
#define TEST_SCENE_STARVED_H

#include "query/world.h"
#include "support/failing.h"

enum
{
    STARVED_BODIES = 20,
    STARVED_MIN_FAILURES = 11 /* fewer would mean that hardly anything was tried */
};

/* A row of rings, each through the next. */
typedef struct starved_scene
{
    world w;
    carom_mesh *torus;
    carom_scene *scene;
} starved_scene;

/* The answer's hash. */
typedef carom_status starved_question(const starved_scene *s, uint64_t *hash);

static inline starved_scene starved_open(failing *memory)
{
    starved_scene s = {.w = {0}};
    assert_int_equal(failing_context(memory, &s.w.context), CAROM_OK);
    s.torus = world_shape(&s.w, GENERATE_TORUS, 100);
    assert_int_equal(carom_scene_create(s.w.context, &s.scene), CAROM_OK);
    for (int i = 0; i < STARVED_BODIES; i++)
        world_add(s.scene, world_place(s.torus, 0.2 * i, 0, 0));
    return s;
}

static inline void starved_close(starved_scene *s)
{
    carom_scene_destroy(s->scene);
    carom_mesh_destroy(s->torus);
    carom_context_destroy(s->w.context);
}

static inline void starved_check(starved_question *ask)
{
    uint64_t truth = 0, failures = 0;
    for (uint64_t k = 0;; k++)
    {
        failing memory = {0};
        starved_scene s = starved_open(&memory);
        uint64_t hash = 0;
        failing_arm(&memory, k);
        carom_status status = ask(&s, &hash);
        truth = k == 0 ? hash : truth;
        if (carom_failed(status))
            assert_int_equal(status, CAROM_OUT_OF_MEMORY), failures++;
        else
            assert_int_equal(hash, truth);
        bool failed = memory.failed;
        memory.fail_at = 0;
        assert_int_equal(ask(&s, &hash), CAROM_OK);
        assert_int_equal(hash, truth);
        starved_close(&s);
        assert_int_equal(memory.bytes_out, 0);
        if (k > 0 && !failed)
            break;
    }
    assert_true(failures >= STARVED_MIN_FAILURES);
}

#endif
