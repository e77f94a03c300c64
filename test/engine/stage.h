/* A scene for runs of an engine: bodies of all kinds. */
#ifndef TEST_ENGINE_STAGE_H
#define TEST_ENGINE_STAGE_H

#include "query/world.h"

enum
{
    STAGE_BODIES = 14
};

typedef struct stage
{
    carom_context *context;
    carom_scene *scene;
    carom_mesh *meshes[5];
} stage;

static inline carom_mesh *stage_mesh(carom_context *context, generate_kind kind, uint32_t triangles, double size)
{
    generate_def def = generate_def_default(kind);
    def.triangles = triangles, def.size = size;
    carom_mesh *mesh;
    assert_int_equal(generate_mesh(context, &def, &mesh), CAROM_OK);
    return mesh;
}

/* Bodies of all kinds: a terrain that may be cut, a large shell with something inside, heavy pairs, primitives. */
static inline stage stage_open(carom_context *context, uint64_t seed, uint32_t triangles)
{
    stage s = {.context = context};
    check_random random = {.state = seed};
    s.meshes[0] = stage_mesh(context, GENERATE_TERRAIN, 3 * triangles, 8.0);
    s.meshes[1] = stage_mesh(context, GENERATE_ICO_SPHERE, triangles, 5.0);
    s.meshes[2] = stage_mesh(context, GENERATE_TORUS_KNOT, triangles, 1.5);
    s.meshes[3] = stage_mesh(context, GENERATE_BOX, 12, 0.7);
    s.meshes[4] = stage_mesh(context, GENERATE_BLOB, triangles, 1.2);
    assert_int_equal(carom_scene_create(context, &s.scene), CAROM_OK);
    for (int i = 0; i < STAGE_BODIES; i++)
    {
        carom_body_def def = carom_body_def_default();
        def.placed.shape = i == 8    ? carom_shape_sphere(0.5)
                           : i == 9  ? carom_shape_capsule((carom_vec3){-1, 0, 0}, (carom_vec3){1, 0, 0}, 0.3)
                           : i == 10 ? carom_shape_sphere(2.0)
                                     : carom_shape_mesh(s.meshes[i < 5 ? i : 2 + i % 3]);
        def.placed.pose = world_random_pose(&random, i < 2 ? 0.2 : 2.2);
        def.is_static = i < 2 || i == 7;
        def.margin = i % 3 == 0 ? 0.05 * i : 0.0;
        def.priority = i % 4 == 0 ? 0.0 : (double)i;
        def.filter.group = i == 11 || i == 12 ? 3 : 0;
        carom_body_id id;
        assert_int_equal(carom_scene_add(s.scene, &def, &id), CAROM_OK);
    }
    return s;
}

static inline void stage_close(stage *s)
{
    carom_scene_destroy(s->scene);
    for (int i = 0; i < 5; i++)
        carom_mesh_destroy(s->meshes[i]);
}

#endif
