/* What tests of the surveyed image methods share: closed bodies, a driver. */
#ifndef TEST_ENGINE_SURVEY_H
#define TEST_ENGINE_SURVEY_H

#include "engine/image/filter.h"
#include "query/world.h"

enum
{
    SURVEY_MESHES = 10
};

/* Closed bodies: round, long, thin, hollow, of several parts. */
static inline void survey_make(const world *w, carom_mesh *out[SURVEY_MESHES])
{
    static const generate_kind kinds[SURVEY_MESHES] = {
        GENERATE_BOX,  GENERATE_TORUS,       GENERATE_TORUS_KNOT, GENERATE_GEAR, GENERATE_CYLINDER,
        GENERATE_BLOB, GENERATE_TETRAHEDRON, GENERATE_RUBBLE,     GENERATE_HAND, GENERATE_ICO_SPHERE};
    for (int i = 0; i < SURVEY_MESHES; i++)
    {
        const generate_info *info = generate_get_info(kinds[i]);
        /* dividing faces further moves vertices in or out by a rounding, and then these are not convex */
        uint32_t triangles = kinds[i] == GENERATE_TETRAHEDRON ? 4 : kinds[i] == GENERATE_ICO_SPHERE ? 320 : 300;
        out[i] = world_shape(w, kinds[i], info->min_triangles > triangles ? info->min_triangles : triangles);
        assert_true(carom_mesh_get_info(out[i]).closed && carom_mesh_get_info(out[i]).oriented);
    }
}

static inline void survey_free(carom_mesh *meshes[SURVEY_MESHES])
{
    for (int i = 0; i < SURVEY_MESHES; i++)
        carom_mesh_destroy(meshes[i]);
}

/* One of them; myszkowski is for convex ones only. */
static inline const carom_mesh *survey_pick(carom_mesh *const meshes[SURVEY_MESHES], const char *method,
                                            check_random *random)
{
    static const int convex[5] = {0, 4, 6, 7, 9};
    bool any = strcmp(method, "myszkowski") != 0;
    return any ? meshes[check_next(random) % SURVEY_MESHES] : meshes[convex[check_next(random) % 5]];
}

/* Null: there is no driver; says so. */
static inline gpu_device *survey_open_device(carom_context *context, const gpu_device_def *def)
{
    gpu_device *device = NULL;
    carom_status status = gpu_open(context, def, &device);
    if (status != CAROM_OK)
    {
        char message[256];
        carom_context_message(context, message, sizeof message);
        assert_int_equal(status, CAROM_UNAVAILABLE);
        printf("skipped: %s\n", message);
    }
    return device;
}

/* Vertices of a mesh in a pose; free it. */
static inline carom_vec3 *survey_place(const carom_mesh *mesh, const carom_pose *pose, carom_aabb *box)
{
    carom_vec3 *points = malloc((mesh->vertex_count + 1) * sizeof *points);
    *box = aabb_empty();
    for (uint32_t i = 0; i < mesh->vertex_count; i++)
        points[i] = pose_apply(pose, mesh->vertices[i]);
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
        *box = aabb_add_point(*box, points[mesh->indices[i]]);
    return points;
}

#endif
