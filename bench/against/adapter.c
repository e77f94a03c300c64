/* The adapter of one revision, compiled against its headers and linked with its static library. The public structs
 * changed between 0.1 and 0.2: a revision with carom/shape.h has the later ones. */
#include "adapter.h"

#include <carom/carom.h>
#include <math.h>
#include <string.h>

#if defined(__has_include)
#if __has_include(<carom/shape.h>)
#define ADAPTER_HAS_SHAPES 1
#endif
#endif

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
adapter_get_fn adapter_get;

static carom_context *context;
static carom_query *query;
static carom_mesh *mesh;
static carom_tree *trees[ADAPTER_TREE_COUNT];
static carom_placed placed_a[ADAPTER_MAX_POSES], placed_b[ADAPTER_MAX_POSES];
static int placed_count;

static void drop_model(void)
{
    for (int i = 0; i < ADAPTER_TREE_COUNT; i++)
    {
        carom_tree_destroy(trees[i]);
        trees[i] = NULL;
    }
    carom_mesh_destroy(mesh);
    mesh = NULL;
    placed_count = 0;
}

static bool open_adapter(void)
{
    return carom_context_create(NULL, &context) == CAROM_OK && carom_query_create(context, &query) == CAROM_OK;
}

static void close_adapter(void)
{
    drop_model();
    carom_query_destroy(query);
    carom_context_destroy(context);
}

static bool set_model(const adapter_mesh *source)
{
    drop_model();
    carom_mesh_def def = carom_mesh_def_default();
#ifdef ADAPTER_HAS_SHAPES
    def.vertices_f64 = source->vertices;
    def.indices_u32 = source->indices;
#else
    def.vertices = source->vertices;
    def.vertex_type = CAROM_FLOAT64;
    def.indices = source->indices;
#endif
    def.vertex_count = source->vertex_count;
    def.triangle_count = source->triangle_count;
    return carom_mesh_create(context, &def, &mesh) == CAROM_OK;
}

static bool build(adapter_tree tree)
{
    static const carom_tree_preset presets[ADAPTER_TREE_COUNT] = {CAROM_TREE_FAST, CAROM_TREE_TIGHT, CAROM_TREE_RAYS};
    carom_tree_def def = carom_tree_def_preset(presets[tree]);
    carom_tree_destroy(trees[tree]);
    trees[tree] = NULL;
    return carom_tree_create(context, mesh, &def, &trees[tree]) == CAROM_OK;
}

static double bytes_per_triangle(adapter_tree tree) { return carom_tree_get_info(trees[tree]).bytes_per_triangle; }

static carom_placed placed_with(adapter_tree tree, const carom_pose *pose)
{
    carom_placed placed;
    memset(&placed, 0, sizeof placed);
#ifdef ADAPTER_HAS_SHAPES
    placed.shape = carom_shape_tree(trees[tree]);
#else
    placed.mesh = mesh;
    placed.tree = trees[tree];
#endif
    placed.pose = *pose;
    return placed;
}

static carom_pose pose_from(const double *numbers)
{
    carom_pose pose;
    memcpy(pose.rotation, numbers, sizeof pose.rotation);
    pose.translation = (carom_vec3){numbers[9], numbers[10], numbers[11]};
    return pose;
}

static void place(adapter_tree tree, const double *poses, int count)
{
    placed_count = count < ADAPTER_MAX_POSES ? count : ADAPTER_MAX_POSES;
    for (int i = 0; i < placed_count; i++, poses += 2 * ADAPTER_POSE_SIZE)
    {
        carom_pose a = pose_from(poses), b = pose_from(poses + ADAPTER_POSE_SIZE);
        placed_a[i] = placed_with(tree, &a);
        placed_b[i] = placed_with(tree, &b);
    }
}

static double ask_distances(void)
{
    double sum = 0.0;
    carom_report report;
    for (int i = 0; i < placed_count; i++)
    {
        if (carom_distance(query, &placed_a[i], &placed_b[i], NULL, &report) != CAROM_OK)
            return NAN;
        sum += report.distance;
    }
    return sum;
}

static double ask(adapter_question question)
{
    if (question == ADAPTER_DISTANCE)
        return ask_distances();
    carom_collide_options options = carom_collide_options_default();
    options.mode = question == ADAPTER_ANY_HIT ? CAROM_COLLIDE_ANY : CAROM_COLLIDE_ALL;
    double sum = 0.0;
    carom_report report;
    for (int i = 0; i < placed_count; i++)
    {
        if (carom_collide(query, &placed_a[i], &placed_b[i], &options, &report) != CAROM_OK)
            return NAN;
        sum += (double)report.pair_count;
    }
    return sum;
}

static double cast(const double *rays, int count)
{
    carom_pose identity = carom_pose_identity();
    carom_placed placed = placed_with(ADAPTER_RAYS, &identity);
    double sum = 0.0;
    carom_ray_report report;
    for (int i = 0; i < count; i++, rays += ADAPTER_RAY_SIZE)
    {
        carom_ray ray = {{rays[0], rays[1], rays[2]}, {rays[3], rays[4], rays[5]}, INFINITY};
        if (carom_ray_cast(query, &placed, &ray, CAROM_RAY_FIRST, &report) != CAROM_OK)
            return NAN;
        sum += report.hit_count > 0 ? report.hits[0].t : 0.0;
    }
    return sum;
}

const adapter *adapter_get(void)
{
    static const adapter functions = {carom_version,      open_adapter, close_adapter, set_model, build,
                                      bytes_per_triangle, place,        ask,           cast};
    return &functions;
}
