/* What the tests of queries, scenes and engines share: a context, small meshes, poses, a query. */
#ifndef TEST_QUERY_WORLD_H
#define TEST_QUERY_WORLD_H

#include "base/base.h"
#include "carom/carom.h"
#include "scenes/generate.h"
#include "support/check.h"

#include <stdlib.h>

typedef struct world
{
    carom_context *context;
    carom_query *query;
} world;

static inline world world_open_with(const carom_context_def *def)
{
    world w = {0};
    assert_int_equal(carom_context_create(def, &w.context), CAROM_OK);
    assert_int_equal(carom_query_create(w.context, &w.query), CAROM_OK);
    return w;
}

static inline world world_open(void) { return world_open_with(NULL); }

static inline void world_close(world *w)
{
    carom_query_destroy(w->query);
    carom_context_destroy(w->context);
}

/* Can the engine be compared with others: does it answer exactly, and is there a driver if it needs one? */
static inline bool world_compares(carom_context *context, const carom_engine_info *info)
{
    carom_engine *engine = NULL;
    if (info->engine_class == CAROM_CLASS_SAMPLED)
        return false;
    carom_status status = carom_engine_create(context, &(carom_engine_def){.engine = info->name}, &engine);
    if (status == CAROM_UNAVAILABLE)
        print_message("engine %s is left out: there is no driver for it\n", info->name);
    else
        assert_int_equal(status, CAROM_OK);
    carom_engine_destroy(engine);
    return status == CAROM_OK;
}

static inline carom_mesh *world_mesh(const world *w, const double *vertices, size_t vertex_count,
                                     const uint32_t *indices, size_t triangle_count)
{
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = vertices, def.vertex_count = vertex_count;
    def.indices_u32 = indices, def.unindexed = !indices;
    def.triangle_count = triangle_count;
    carom_mesh *mesh = NULL;
    assert_int_equal(carom_mesh_create(w->context, &def, &mesh), CAROM_OK);
    return mesh;
}

static const uint32_t WORLD_BOX_INDICES[36] = {0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                                               1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7};

static inline void world_box_vertices(const double min[3], const double max[3], double out[24])
{
    for (int i = 0; i < 8; i++)
    {
        bool high_x = (i & 3) == 1 || (i & 3) == 2, high_y = (i & 3) >= 2, high_z = i >= 4;
        out[3 * i] = high_x ? max[0] : min[0];
        out[3 * i + 1] = high_y ? max[1] : min[1];
        out[3 * i + 2] = high_z ? max[2] : min[2];
    }
}

/* A closed box of 12 triangles, outward oriented. */
static inline carom_mesh *world_box(const world *w, double x0, double y0, double z0, double x1, double y1, double z1)
{
    double vertices[24];
    world_box_vertices((double[3]){x0, y0, z0}, (double[3]){x1, y1, z1}, vertices);
    return world_mesh(w, vertices, 8, WORLD_BOX_INDICES, 12);
}

static inline carom_mesh *world_shape(const world *w, generate_kind kind, uint32_t triangles)
{
    generate_def def = generate_def_default(kind);
    def.triangles = triangles;
    carom_mesh *mesh = NULL;
    assert_int_equal(generate_mesh(w->context, &def, &mesh), CAROM_OK);
    return mesh;
}

static inline carom_pose world_random_pose(check_random *random, double reach)
{
    double q[4];
    for (int i = 0; i < 4; i++)
        q[i] = check_uniform(random, -1.0, 1.0);
    carom_vec3 t = {check_uniform(random, -reach, reach), check_uniform(random, -reach, reach),
                    check_uniform(random, -reach, reach)};
    return carom_pose_from_quaternion(q, t);
}

static inline carom_placed world_place(const carom_mesh *mesh, double x, double y, double z)
{
    return (carom_placed){carom_shape_mesh(mesh), carom_pose_translation(x, y, z)};
}

/* ---- scenes and engines ---- */

static inline carom_scene *world_scene(const world *w)
{
    carom_scene *scene = NULL;
    assert_int_equal(carom_scene_create(w->context, &scene), CAROM_OK);
    return scene;
}

/* Adds a body whose settings are the default ones. */
static inline carom_body_id world_add(carom_scene *scene, carom_placed placed)
{
    carom_body_def def = carom_body_def_default();
    carom_body_id id = {0};
    def.placed = placed;
    assert_int_equal(carom_scene_add(scene, &def, &id), CAROM_OK);
    return id;
}

static inline carom_frame world_frame(carom_scene *scene)
{
    carom_frame frame;
    assert_int_equal(carom_scene_frame(scene, &frame), CAROM_OK);
    return frame;
}

/* The default engine. */
static inline carom_engine *world_engine(const world *w)
{
    carom_engine *engine = NULL;
    assert_int_equal(carom_engine_create(w->context, NULL, &engine), CAROM_OK);
    return engine;
}

/* The message of the latest failure must name the culprit. */
static inline void world_check_message(const world *w, const char *part)
{
    char message[256];
    carom_context_message(w->context, message, sizeof message);
    if (!strstr(message, part))
        fail_msg("the message \"%s\" does not contain \"%s\"", message, part);
}

#endif
