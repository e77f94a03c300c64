/* A scene that tests ask questions about: bodies that share a few meshes, and a query that answers for pairs of them.
 */
#ifndef TEST_SCENE_ASKED_H
#define TEST_SCENE_ASKED_H

#include "query/world.h"
#include "support/hosts.h"

enum
{
    ASKED_MESHES = 4,
    ASKED_MAX_BODIES = 60
};

typedef struct asked_scene
{
    world w;
    carom_scene *scene;
    carom_mesh *meshes[ASKED_MESHES];
    carom_body_id ids[ASKED_MAX_BODIES];
} asked_scene;

/* Without meshes and bodies. `host` is that of host_def. */
static inline asked_scene asked_open(uint32_t host)
{
    carom_context_def def = host_def(host);
    asked_scene s = {.w = world_open_with(&def)};
    s.scene = world_scene(&s.w);
    return s;
}

static inline void asked_close(asked_scene *s)
{
    carom_scene_destroy(s->scene);
    for (int i = 0; i < ASKED_MESHES; i++)
        carom_mesh_destroy(s->meshes[i]);
    world_close(&s->w);
}

/* Moves so many bodies of the first `bodies`, chosen at random, to random poses. */
static inline void asked_move(asked_scene *s, check_random *random, uint32_t count, uint32_t bodies, double reach)
{
    for (uint32_t i = 0; i < count; i++)
    {
        carom_pose pose = world_random_pose(random, reach);
        assert_int_equal(carom_scene_move(s->scene, s->ids[check_next(random) % bodies], &pose), CAROM_OK);
    }
}

#endif
