/* Models from files or generators, placements after scenes/poses.h, rays from all sides. */
#include "bench/against/workload.h"

#include "carom/io.h"
#include "scenes/generate.h"
#include "scenes/numeric.h"
#include "scenes/poses.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const workload_placement_names[WORKLOAD_PLACEMENT_COUNT] = {"deep", "touch", "0.1%", "1%", "5%", "far"};
static const poses_class placement_classes[WORKLOAD_PLACEMENT_COUNT] = {POSES_DEEP,    POSES_TOUCH,   POSES_APART_01,
                                                                        POSES_APART_1, POSES_APART_5, POSES_APART_5};
enum
{
    FAR_PLACEMENT = WORKLOAD_PLACEMENT_COUNT - 1,
    GENERATED_TRIANGLES = 20000
};

static void add_name(workload_names *names, const char *name)
{
    if (names->count < WORKLOAD_MAX_MODELS)
        snprintf(names->names[names->count++], sizeof names->names[0], "%s", name);
}

void workload_find(workload_names *out)
{
    static const char *const generated[] = {"torus", "torus-knot", "blob", "gear", "pipe-network"};
    const char *data = getenv("CAROM_DATA");
    char pattern[256];
    snprintf(pattern, sizeof pattern, "%s/models/*.obj", data ? data : "../shared/data");
    glob_t found;
    out->count = 0;
    if (glob(pattern, 0, NULL, &found) == 0)
    {
        for (size_t i = 0; i < found.gl_pathc; i++)
            add_name(out, found.gl_pathv[i]);
        globfree(&found);
    }
    if (out->count > 0)
        return;
    for (size_t i = 0; i < sizeof generated / sizeof generated[0]; i++)
        add_name(out, generated[i]);
}

const char *workload_short_name(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

static carom_status open_mesh(carom_context *context, const char *name, carom_mesh **out)
{
    generate_kind kind;
    if (generate_find(name, &kind))
    {
        generate_def def = generate_def_default(kind);
        def.triangles = GENERATED_TRIANGLES;
        return generate_mesh(context, &def, out);
    }
    io_model model;
    carom_status status = io_read(context, name, NULL, &model);
    if (!carom_failed(status))
    {
        *out = model.mesh;
        model.mesh = NULL;
    }
    io_model_free(&model);
    return status;
}

typedef struct oracle
{
    carom_query *query;
    const carom_mesh *mesh;
} oracle;

static carom_status measure_distance(void *user, const carom_pose *a, const carom_pose *b, double *out)
{
    const oracle *oracle = user;
    carom_placed placed_a = {carom_shape_mesh(oracle->mesh), *a}, placed_b = {carom_shape_mesh(oracle->mesh), *b};
    carom_report report;
    carom_status status = carom_distance(oracle->query, &placed_a, &placed_b, NULL, &report);
    *out = report.distance;
    return status;
}

static void store_pose(double *out, const carom_pose *pose)
{
    memcpy(out, pose->rotation, sizeof pose->rotation);
    out[9] = pose->translation.x, out[10] = pose->translation.y, out[11] = pose->translation.z;
}

/* Half of the size further away, on the line between the two middles. */
static void move_apart(const carom_mesh *mesh, poses_pair *pair)
{
    carom_aabb bounds = carom_mesh_get_info(mesh).bounds;
    carom_vec3 middle = numeric_mix(bounds.min, bounds.max, 0.5);
    double size = numeric_length(numeric_sub(bounds.max, bounds.min));
    carom_vec3 line = numeric_sub(carom_pose_apply(&pair->b, middle), carom_pose_apply(&pair->a, middle));
    pair->b.translation = numeric_add(pair->b.translation, numeric_scale(numeric_normalised(line), 0.5 * size));
}

static carom_status make_poses(carom_context *context, workload *workload)
{
    oracle with = {.mesh = workload->mesh};
    poses_oracle oracle = {measure_distance, &with};
    carom_status status = carom_query_create(context, &with.query);
    for (int i = 0; !carom_failed(status) && i < WORKLOAD_PLACEMENT_COUNT * WORKLOAD_POSE_COUNT; i++)
    {
        int placement = i / WORKLOAD_POSE_COUNT, index = i % WORKLOAD_POSE_COUNT;
        double *at = &workload->poses[placement][(ptrdiff_t)index * 2 * ADAPTER_POSE_SIZE];
        poses_pair pair;
        status = poses_make(workload->mesh, workload->mesh, &oracle, placement_classes[placement], (uint64_t)index + 1,
                            &pair);
        if (carom_failed(status))
            break;
        if (placement == FAR_PLACEMENT)
            move_apart(workload->mesh, &pair);
        store_pose(at, &pair.a);
        store_pose(at + ADAPTER_POSE_SIZE, &pair.b);
    }
    carom_query_destroy(with.query);
    return status;
}

/* From a sphere around the model towards points within half its radius. */
static void make_rays(workload *workload)
{
    carom_aabb bounds = carom_mesh_get_info(workload->mesh).bounds;
    carom_vec3 middle = numeric_mix(bounds.min, bounds.max, 0.5);
    double size = numeric_length(numeric_sub(bounds.max, bounds.min));
    numeric_random random = {5};
    for (double *ray = workload->rays; ray < workload->rays + WORKLOAD_RAY_COUNT * ADAPTER_RAY_SIZE;
         ray += ADAPTER_RAY_SIZE)
    {
        carom_vec3 origin = numeric_add(middle, numeric_scale(numeric_direction(&random), size));
        carom_vec3 target = numeric_add(middle, numeric_scale(numeric_direction(&random), 0.25 * size));
        carom_vec3 direction = numeric_sub(target, origin);
        memcpy(ray, &origin, sizeof origin);
        memcpy(ray + 3, &direction, sizeof direction);
    }
}

carom_status workload_open(carom_context *context, const char *name, workload *out)
{
    out->mesh = NULL;
    carom_status status = open_mesh(context, name, &out->mesh);
    if (!carom_failed(status))
        status = make_poses(context, out);
    if (!carom_failed(status))
        make_rays(out);
    return status;
}

void workload_close(workload *workload) { carom_mesh_destroy(workload->mesh); }
