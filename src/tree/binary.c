/* Builds the binary layout: structure from the chosen builder, then a volume for every node. */
#include "tree/binary.h"
#include "tree/build.h"

static carom_status out_of_memory(const carom_tree *tree)
{
    return base_fail(tree->context, CAROM_OUT_OF_MEMORY, "tree of %u triangles: out of memory",
                     tree->mesh->triangle_count);
}

static volume_cloud cloud_of(const carom_tree *tree, uint32_t first, uint32_t count)
{
    return (volume_cloud){tree->mesh->vertices, tree->mesh->indices, tree->order + first, count, tree->origin};
}

void binary_fit_leaf(const carom_tree *tree, uint32_t leaf, float *out)
{
    volume_cloud cloud = cloud_of(tree, tree->nodes[leaf].first, tree->nodes[leaf].count);
    volume_fit(tree->def.volume, tree->def.obb_fit, &cloud, out);
}

/* References below each node: a range of `order` where references == last - first. */
typedef struct node_range
{
    uint32_t first, last;
    uint64_t references;
} node_range;

typedef struct fit_task
{
    carom_tree *tree;
    const node_range *ranges;
    const float *found; /* or null */
} fit_task;

typedef struct fit_part
{
    const fit_task *fit;
    uint32_t first; /* node */
} fit_part;

static bool fitted_directly(const carom_tree *tree, const node_range *range, uint32_t node)
{
    bool merges_exactly = tree->def.volume != CAROM_VOLUME_OBB && tree->def.volume != CAROM_VOLUME_RSS &&
                          tree->def.volume != CAROM_VOLUME_SPHERE;
    bool is_range = range->references == (uint64_t)(range->last - range->first);
    return tree->nodes[node].count > 0 || (!merges_exactly && is_range);
}

static void fit_range(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    (void)worker;
    const fit_part *part = data;
    const fit_task *fit = part->fit;
    const carom_tree *tree = fit->tree;
    for (uint32_t node = part->first + first; node < part->first + last; node++)
    {
        const node_range *range = &fit->ranges[node];
        if (!fitted_directly(tree, range, node))
            continue;
        volume_cloud cloud = cloud_of(tree, range->first, range->last - range->first);
        if (fit->found)
            volume_enclose(tree->def.volume, &cloud, fit->found + (size_t)node * volume_found(tree->def.volume).count,
                           binary_volume(tree, node));
        else
            volume_fit(tree->def.volume, tree->def.obb_fit, &cloud, binary_volume(tree, node));
    }
}

/* In parts, so that the caller's hook is asked again and again. */
static carom_status fit_directly(fit_task *fit)
{
    const carom_tree *tree = fit->tree;
    uint64_t total = 0, done = 0;
    for (uint32_t node = 0; node < tree->node_count; node++)
        total += fit->ranges[node].last - fit->ranges[node].first;
    for (uint32_t first = 0, last; first < tree->node_count; first = last)
    {
        BASE_TRY(build_step(tree->context, tree->mesh->name, total + done, total));
        uint64_t part = 0;
        for (last = first; last < tree->node_count && part < BUILD_STEP; last++)
            part += fit->ranges[last].last - fit->ranges[last].first;
        fit_part part_of = {fit, first};
        base_parallel_for(tree->context, last - first, 64, fit_range, &part_of);
        done += part;
    }
    return CAROM_OK;
}

static carom_status fit_volumes(carom_tree *tree, node_range *ranges, const float *found)
{
    for (uint32_t node = tree->node_count; node-- > 0;)
    {
        tree_node n = tree->nodes[node];
        if (n.count > 0)
        {
            ranges[node] = (node_range){n.first, n.first + n.count, n.count};
            continue;
        }
        node_range left = ranges[n.first], right = ranges[n.first + 1];
        ranges[node] =
            (node_range){left.first < right.first ? left.first : right.first,
                         left.last > right.last ? left.last : right.last, left.references + right.references};
    }
    fit_task fit = {tree, ranges, found};
    BASE_TRY(fit_directly(&fit));
    for (uint32_t node = tree->node_count; node-- > 0;)
        if (!fitted_directly(tree, &ranges[node], node))
        {
            uint32_t child = tree->nodes[node].first;
            volume_merge(tree->def.volume, binary_volume(tree, child), binary_volume(tree, child + 1),
                         binary_volume(tree, node));
        }
    return CAROM_OK;
}

/* Depth and leaf count; children come after their parent. */
static void measure_shape(carom_tree *tree, uint32_t *depth)
{
    tree->info.depth = tree->info.leaf_count = 0;
    for (uint32_t node = 0; node < tree->node_count; node++)
    {
        uint32_t own = node == 0 ? 1 : depth[node];
        tree_node n = tree->nodes[node];
        if (own > tree->info.depth)
            tree->info.depth = own;
        if (n.count > 0)
            tree->info.leaf_count++;
        else
            depth[n.first] = depth[n.first + 1] = own + 1;
    }
}

carom_status binary_fit(carom_tree *tree, const float *found)
{
    carom_context *context = tree->context;
    const carom_aabb *bounds = &tree->mesh->info.bounds;
    tree->info.node_count = tree->node_count, tree->info.reference_count = tree->reference_count;
    if (tree->node_count == 0)
        return CAROM_OK;
    tree->origin = vec3_add(vec3_scale(bounds->min, 0.5), vec3_scale(bounds->max, 0.5));
    uint32_t floats = volume_floats(tree->def.volume);
    tree->volumes = base_allocate(context, tree->node_count, floats * sizeof(float), BASE_CACHE_LINE);
    node_range *ranges = base_allocate(context, tree->node_count, sizeof *ranges, BASE_CACHE_LINE);
    if (!tree->volumes || !ranges)
    {
        base_release(context, ranges, tree->node_count, sizeof *ranges);
        return out_of_memory(tree);
    }
    carom_status status = fit_volumes(tree, ranges, found);
    if (status == CAROM_OK)
        measure_shape(tree, (uint32_t *)(void *)ranges);
    base_release(context, ranges, tree->node_count, sizeof *ranges);
    BASE_TRY(status);
    tree->info.bytes =
        tree->node_count * (sizeof(tree_node) + floats * sizeof(float)) + tree->reference_count * sizeof(uint32_t);
    return CAROM_OK;
}

carom_status binary_create(carom_tree *tree)
{
    tree_structure structure;
    BASE_TRY(tree_build_structure(tree->context, tree->mesh, &tree->def, &structure));
    tree->nodes = structure.nodes, tree->node_count = structure.node_count;
    tree->order = structure.order, tree->reference_count = structure.reference_count;
    return binary_fit(tree, NULL);
}

void binary_destroy(carom_tree *tree)
{
    base_release(tree->context, tree->volumes, tree->node_count, volume_floats(tree->def.volume) * sizeof(float));
    tree_structure structure = {tree->nodes, tree->node_count, tree->order, tree->reference_count};
    tree_structure_free(tree->context, &structure);
    tree->volumes = NULL, tree->nodes = NULL, tree->order = NULL;
    tree->node_count = tree->reference_count = 0;
}

void binary_costs(const carom_tree *tree, double *area_cost, double *volume_cost)
{
    *area_cost = *volume_cost = 0.0;
    if (tree->node_count == 0)
        return;
    carom_volume kind = tree->def.volume;
    double root_area = volume_area(kind, tree->volumes), root_content = volume_content(kind, tree->volumes);
    double area = 0.0, content = 0.0;
    for (uint32_t node = 0; node < tree->node_count; node++)
    {
        double weight = tree->nodes[node].count > 0 ? (double)tree->nodes[node].count : 1.0;
        area += weight * volume_area(kind, binary_volume(tree, node));
        content += weight * volume_content(kind, binary_volume(tree, node));
    }
    *area_cost = root_area > 0.0 ? area / root_area : 0.0;
    *volume_cost = root_content > 0.0 ? content / root_content : 0.0;
}
