/* Median split along the longest axis of the triangles' centres. */
#include "tree/build.h"

void tree_structure_free(carom_context *context, tree_structure *structure)
{
    base_release(context, structure->nodes, structure->node_count, sizeof *structure->nodes);
    base_release(context, structure->order, structure->reference_count, sizeof *structure->order);
    *structure = (tree_structure){0};
}

typedef struct median_range
{
    uint32_t node, first, count;
} median_range;

typedef struct median_build
{
    carom_context *context;
    const carom_mesh *mesh;
    uint32_t leaf_size;
    BASE_ARRAY(tree_node) nodes;
    BASE_ARRAY(median_range) open;
    uint32_t *order;
    base_key_value *keys; /* room for two copies: sorting needs scratch */
} median_build;

static carom_vec3 triangle_centre(const carom_mesh *mesh, uint32_t triangle)
{
    carom_vec3 corner[3];
    mesh_corners(mesh, triangle, corner);
    carom_vec3 low = vec3_min(corner[0], vec3_min(corner[1], corner[2]));
    carom_vec3 high = vec3_max(corner[0], vec3_max(corner[1], corner[2]));
    return vec3_scale(vec3_add(low, high), 0.5);
}

/* Order of doubles as order of unsigned integers. */
static uint64_t sortable(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static void sort_range(median_build *build, const median_range *range)
{
    carom_aabb centres = aabb_empty();
    for (uint32_t i = 0; i < range->count; i++)
        centres = aabb_add_point(centres, triangle_centre(build->mesh, build->order[range->first + i]));
    carom_vec3 size = vec3_sub(centres.max, centres.min);
    for (uint32_t i = 0; i < range->count; i++)
    {
        uint32_t triangle = build->order[range->first + i];
        carom_vec3 centre = triangle_centre(build->mesh, triangle);
        double along = size.x >= size.y && size.x >= size.z ? centre.x : size.y >= size.z ? centre.y : centre.z;
        build->keys[i] = (base_key_value){sortable(along), triangle};
    }
    base_sort_keys(build->keys, build->keys + range->count, range->count);
    for (uint32_t i = 0; i < range->count; i++)
        build->order[range->first + i] = (uint32_t)build->keys[i].value;
}

static carom_status split_ranges(median_build *build)
{
    while (build->open.count > 0)
    {
        median_range range = build->open.items[--build->open.count];
        if (range.count <= build->leaf_size)
        {
            build->nodes.items[range.node] = (tree_node){range.first, range.count};
            continue;
        }
        if (!base_array_reserve(build->context, &build->nodes, 2) ||
            !base_array_reserve(build->context, &build->open, 2))
            return base_fail(build->context, CAROM_OUT_OF_MEMORY, "tree of %u triangles: out of memory",
                             build->mesh->triangle_count);
        sort_range(build, &range);
        uint32_t child = (uint32_t)build->nodes.count, half = range.count / 2;
        build->nodes.count += 2;
        build->nodes.items[range.node] = (tree_node){child, 0};
        build->open.items[build->open.count++] = (median_range){child + 1, range.first + half, range.count - half};
        build->open.items[build->open.count++] = (median_range){child, range.first, half};
    }
    return CAROM_OK;
}

static carom_status build_median(median_build *build, tree_structure *out)
{
    uint32_t count = build->mesh->triangle_count;
    build->order = base_allocate(build->context, count, sizeof *build->order, BASE_CACHE_LINE);
    build->keys = base_allocate(build->context, 2 * (size_t)count, sizeof *build->keys, BASE_CACHE_LINE);
    if (!build->order || !build->keys || !base_array_reserve(build->context, &build->nodes, 1) ||
        !base_array_reserve(build->context, &build->open, 1))
        return base_fail(build->context, CAROM_OUT_OF_MEMORY, "tree of %u triangles: out of memory", count);
    for (uint32_t i = 0; i < count; i++)
        build->order[i] = i;
    build->nodes.count = 1;
    build->open.items[build->open.count++] = (median_range){0, 0, count};
    BASE_TRY(split_ranges(build));
    tree_node *nodes = base_allocate(build->context, build->nodes.count, sizeof *nodes, BASE_CACHE_LINE);
    if (!nodes)
        return base_fail(build->context, CAROM_OUT_OF_MEMORY, "tree of %u triangles: out of memory", count);
    memcpy(nodes, build->nodes.items, build->nodes.count * sizeof *nodes);
    *out = (tree_structure){nodes, (uint32_t)build->nodes.count, build->order, count};
    build->order = NULL;
    return CAROM_OK;
}

carom_status tree_build_structure(carom_context *context, const carom_mesh *mesh, const carom_tree_def *def,
                                  tree_structure *out)
{
    *out = (tree_structure){0};
    if (mesh->triangle_count == 0)
        return CAROM_OK;
    median_build build = {.context = context, .mesh = mesh, .leaf_size = def->leaf_size};
    carom_status status = build_median(&build, out);
    base_array_free(context, &build.nodes);
    base_array_free(context, &build.open);
    base_release(context, build.order, mesh->triangle_count, sizeof *build.order);
    base_release(context, build.keys, 2 * (size_t)mesh->triangle_count, sizeof *build.keys);
    return status;
}
