/* The common part of all builders: records from a mesh, the builder that the def names, the result in its canonical
 * form. */
#include "tree/build.h"

#include <math.h>

void tree_structure_free(carom_context *context, tree_structure *structure)
{
    base_release(context, structure->nodes, structure->node_count, sizeof *structure->nodes);
    base_release(context, structure->order, structure->reference_count, sizeof *structure->order);
    *structure = (tree_structure){0};
}

void build_tree_free(carom_context *context, build_tree *tree)
{
    base_release(context, tree->nodes, tree->capacity, sizeof *tree->nodes);
    base_release(context, tree->areas, tree->capacity, sizeof *tree->areas);
    *tree = (build_tree){0};
}

carom_status build_out_of_memory(carom_context *context, uint64_t count)
{
    return base_fail(context, CAROM_OUT_OF_MEMORY, "tree: no memory to build over %llu triangles",
                     (unsigned long long)count);
}

carom_status build_step(carom_context *context, const char *name, uint64_t done, uint64_t count)
{
    return base_step(context, &(carom_progress){"tree", name, done, 2 * count});
}

/* ---- records ---- */

enum
{
    RECORDS_PER_TASK = 4096 /* fewer are not worth a task */
};

build_frame build_frame_of(const carom_aabb *bounds)
{
    build_frame frame = {{0.0, 0.0, 0.0}, 1.0};
    if (!(bounds->min.x <= bounds->max.x))
        return frame;
    frame.centre = vec3_scale(vec3_add(bounds->min, bounds->max), 0.5);
    carom_vec3 half = vec3_max(vec3_sub(bounds->max, frame.centre), vec3_sub(frame.centre, bounds->min));
    int exponent = 0;
    frexp(fmax(half.x, fmax(half.y, half.z)), &exponent);
    frame.scale = ldexp(1.0, exponent > -1000 ? -exponent : 1000);
    return frame;
}

/* A vertex that no triangle uses may lie anywhere; the others are within [-1, 1]. */
static float in_frame(double offset, double scale)
{
    double x = offset * scale;
    x = x < 8.0 ? x : 8.0;
    return (float)(x > -8.0 ? x : -8.0);
}

typedef struct vertex_task
{
    const carom_mesh *mesh;
    build_frame frame;
    float (*out)[4];
} vertex_task;

static void frame_vertices(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const vertex_task *task = data;
    const carom_vec3 centre = task->frame.centre;
    const double scale = task->frame.scale;
    float(*out)[4] = task->out;
    (void)worker;
    for (uint32_t i = first; i < last; i++)
    {
        carom_vec3 offset = vec3_sub(task->mesh->vertices[i], centre);
        out[i][0] = in_frame(offset.x, scale);
        out[i][1] = in_frame(offset.y, scale);
        out[i][2] = in_frame(offset.z, scale);
        out[i][3] = 0.0f;
    }
}

void build_vertices(carom_context *context, const carom_mesh *mesh, const build_frame *frame, float (*out)[4])
{
    vertex_task task = {mesh, *frame, out};
    base_parallel_for(context, mesh->vertex_count, RECORDS_PER_TASK, frame_vertices, &task);
}

typedef struct gather_task
{
    carom_context *context;
    const carom_mesh *mesh;
    float (*vertices)[4];
    build_box *out;
} gather_task;

static void gather_boxes(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const gather_task *task = data;
    (void)worker;
    BASE_PICK_ISA(task->context, build_gather_boxes)(task->mesh, task->vertices, first, last, task->out);
}

carom_status build_triangle_boxes(base_arena *scratch, const carom_mesh *mesh, build_box *out)
{
    carom_context *context = scratch->context;
    base_arena_mark mark = base_arena_at(scratch);
    float(*vertices)[4] = base_arena_allocate(scratch, mesh->vertex_count, sizeof *vertices, BASE_CACHE_LINE);
    if (!vertices)
        return build_out_of_memory(context, mesh->triangle_count);
    build_frame frame = build_frame_of(&mesh->info.bounds);
    build_vertices(context, mesh, &frame, vertices);
    gather_task task = {context, mesh, vertices, out};
    base_parallel_for(context, mesh->triangle_count, RECORDS_PER_TASK, gather_boxes, &task);
    base_arena_rewind(scratch, mark);
    return CAROM_OK;
}

float build_unit(const build_box *boxes, uint32_t count)
{
    build_box all = boxes[0];
    for (uint32_t i = 1; i < count; i++)
        all = build_join(&all, &boxes[i]);
    float largest = 0.0f;
    for (int axis = 0; axis < 3; axis++)
        largest = fmaxf(largest, all.v[axis] + all.v[4 + axis]);
    float unit = largest > 0.0f ? 1.0f / largest : 1.0f;
    return unit < 0x1p126f ? unit : 0x1p126f;
}

/* ---- the choice of builder ---- */

static carom_status run_binned(const build_input *input, const carom_tree_def *def, uint32_t block_size,
                               build_tree *tree)
{
    build_options options = {.leaf_size = input->leaf_size, .block_size = block_size};
    options.by_volume = def->builder == CAROM_BUILDER_VOLUME;
    return build_binned(input->scratch, input->boxes, input->count, &options, tree);
}

static carom_status run_builder(const build_input *input, const carom_tree_def *def, build_result *out)
{
    build_nodes nodes = {0};
    carom_status status = CAROM_INVALID_ARGUMENT;
    switch (def->builder)
    {
    case CAROM_BUILDER_MEDIAN: status = build_median(input, &nodes); break;
    case CAROM_BUILDER_MEAN: status = build_mean(input, &nodes); break;
    case CAROM_BUILDER_BALANCED: status = build_balanced(input, &nodes, &out->order, &out->reference_count); break;
    case CAROM_BUILDER_BOTTOM_UP: status = build_bottom_up(input, &nodes); break;
    case CAROM_BUILDER_INSERTION: status = build_insertion(input, &nodes); break;
    case CAROM_BUILDER_MORTON: status = build_morton(input, &nodes); break;
    default: base_fail(input->context, status, "tree: builder %d is unknown", (int)def->builder);
    }
    out->tree = (build_tree){nodes.items, NULL, (uint32_t)nodes.count, (uint32_t)nodes.capacity};
    return status;
}

/* ---- full SIMD leaves ---- */

typedef struct node_range
{
    uint32_t first, count;
} node_range;

typedef struct open_node
{
    uint32_t old, node; /* its index in the old tree and in the new one */
    node_range range;
    bool cut; /* below what is rearranged: `old` has no meaning */
} open_node;

/* The records under each node, children before parents. */
static void find_ranges(const build_tree *tree, node_range *ranges)
{
    for (uint32_t i = tree->node_count; i-- > 0;)
    {
        tree_node node = tree->nodes[i];
        const node_range *child = &ranges[node.first];
        ranges[i] = node.count ? (node_range){node.first, node.count}
                               : (node_range){child[0].first, child[0].count + child[1].count};
    }
}

/* Redivides subtrees of a few blocks along their order, so that all their leaves except one are full. */
static uint32_t cut_small(const build_tree *tree, const node_range *ranges, uint32_t block, tree_node *out)
{
    open_node waiting[BUILD_DEPTH_LIMIT];
    uint32_t waiting_count = 0, count = 1;
    waiting[waiting_count++] = (open_node){0, 0, ranges[0], false};
    while (waiting_count)
    {
        open_node at = waiting[--waiting_count];
        bool cut = at.cut || at.range.count <= BUILD_FEW_BLOCKS * block;
        if (at.range.count <= block)
        {
            out[at.node] = (tree_node){at.range.first, at.range.count};
            continue;
        }
        uint32_t child = at.cut ? 0 : tree->nodes[at.old].first;
        uint32_t left = at.cut ? at.range.count / 2 : ranges[child].count;
        left = build_left_blocks(at.range.count, left, block);
        open_node low = {child, count, {at.range.first, left}, cut};
        open_node high = {child + 1, count + 1, {at.range.first + left, at.range.count - left}, cut};
        out[at.node] = (tree_node){count, 0};
        count += 2;
        waiting[waiting_count++] = high;
        waiting[waiting_count++] = low;
    }
    return count;
}

static carom_status fill_blocks(const build_input *input, build_tree *tree)
{
    node_range *ranges = base_allocate(input->context, tree->node_count, sizeof *ranges, BASE_CACHE_LINE);
    tree_node *nodes = base_allocate(input->context, tree->capacity, sizeof *nodes, BASE_CACHE_LINE);
    carom_status status = ranges && nodes ? CAROM_OK : build_out_of_memory(input->context, input->count);
    uint32_t old_count = tree->node_count;
    if (status == CAROM_OK)
    {
        find_ranges(tree, ranges);
        tree->node_count = cut_small(tree, ranges, input->block_size, nodes);
        tree_node *old = tree->nodes;
        tree->nodes = nodes;
        nodes = old;
    }
    base_release(input->context, ranges, old_count, sizeof *ranges);
    base_release(input->context, nodes, tree->capacity, sizeof *nodes);
    return status;
}

typedef struct order_task
{
    const build_box *boxes;
    uint32_t *order;
} order_task;

static void read_ids(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const order_task *task = data;
    (void)worker;
    for (uint32_t i = first; i < last; i++)
        task->order[i] = build_box_id(&task->boxes[i]);
}

/* Reads the order off the records, unless the builder made one because it duplicates. */
static carom_status take_order(const build_input *input, build_result *out)
{
    if (out->order)
        return CAROM_OK;
    out->order = base_allocate(input->context, input->count, sizeof *out->order, BASE_CACHE_LINE);
    if (!out->order)
        return build_out_of_memory(input->context, input->count);
    out->reference_count = input->count;
    order_task task = {input->boxes, out->order};
    base_parallel_for(input->context, input->count, RECORDS_PER_TASK, read_ids, &task);
    return CAROM_OK;
}

static carom_status add_areas(const build_input *input, bool reordered, build_result *out)
{
    build_tree *tree = &out->tree;
    build_box *boxes = base_arena_allocate(input->scratch, tree->node_count, sizeof *boxes, BASE_CACHE_LINE);
    tree->areas = base_allocate(input->context, tree->capacity, sizeof *tree->areas, BASE_CACHE_LINE);
    if (!boxes || !tree->areas)
        return build_out_of_memory(input->context, input->count);
    for (uint32_t i = tree->node_count; i-- > 0;)
    {
        tree_node node = tree->nodes[i];
        uint32_t count = node.count ? node.count : 2;
        build_box box = {{-INFINITY, -INFINITY, -INFINITY, 0.0f, -INFINITY, -INFINITY, -INFINITY, 0.0f}};
        for (uint32_t k = node.first; k < node.first + count; k++)
            box = build_join(&box, !node.count ? &boxes[k] : &input->boxes[reordered ? k : out->order[k]]);
        boxes[i] = box;
        tree->areas[i] = build_joint_area(&box, &box, 1.0f);
    }
    return CAROM_OK;
}

static carom_status build_all(const build_input *input, const carom_mesh *mesh, const carom_tree_def *def,
                              uint32_t block_size, build_result *out)
{
    BASE_TRY(build_step(input->context, input->name, 0, input->count));
    BASE_TRY(build_triangle_boxes(input->scratch, mesh, input->boxes));
    if (def->builder == CAROM_BUILDER_SAH || def->builder == CAROM_BUILDER_VOLUME)
    {
        BASE_TRY(run_binned(input, def, block_size, &out->tree));
        return take_order(input, out);
    }
    BASE_TRY(run_builder(input, def, out));
    if (input->block_size > 1 && def->builder != CAROM_BUILDER_MORTON)
        BASE_TRY(fill_blocks(input, &out->tree));
    BASE_TRY(take_order(input, out));
    return block_size ? add_areas(input, def->builder != CAROM_BUILDER_BALANCED, out) : CAROM_OK;
}

void build_result_free(carom_context *context, build_result *result)
{
    build_tree_free(context, &result->tree);
    base_release(context, result->order, result->reference_count, sizeof *result->order);
    *result = (build_result){0};
}

bool build_reserve(base_arena *scratch, const carom_mesh *mesh, size_t bytes_per_triangle)
{
    enum
    {
        /* Two buffers of records, and room for as many nodes as there can be; vertices come and go before them. */
        PER_TRIANGLE = 2 * sizeof(build_box) + 2 * (sizeof(tree_node) + sizeof(float)),
        BINS = 16,   /* per triangle, roughly: bins of the blocks at the top */
        SMALL = 1024 /* triangles that are split without blocks */
    };
    size_t count = mesh->triangle_count, more = count <= SMALL ? 8 : 512; /* the branches at the top */
    size_t needed = PER_TRIANGLE + BINS;
    return base_arena_reserve(scratch, count + more, bytes_per_triangle > needed ? bytes_per_triangle : needed);
}

carom_status build_with_areas(base_arena *scratch, const carom_mesh *mesh, const carom_tree_def *def,
                              uint32_t block_size, build_result *out)
{
    carom_context *context = scratch->context;
    *out = (build_result){0};
    if (!mesh->triangle_count)
        return CAROM_OK;
    build_input input = {.context = context,
                         .name = mesh->name,
                         .scratch = scratch,
                         .count = mesh->triangle_count,
                         .leaf_size = def->leaf_size,
                         .block_size = def->leaf_size == block_size ? block_size : 0,
                         .balance_penalty = def->balance_penalty,
                         .depth_limit = def->depth_limit,
                         .keep_large_leaves = def->keep_large_leaves};
    base_arena_mark mark = base_arena_at(scratch);
    input.boxes = base_arena_allocate(scratch, input.count, sizeof *input.boxes, BASE_CACHE_LINE);
    if (!input.boxes)
        return build_out_of_memory(context, input.count);
    carom_status status = build_all(&input, mesh, def, block_size, out);
    if (status != CAROM_OK)
        build_result_free(context, out);
    base_arena_rewind(scratch, mark);
    return status;
}

carom_status tree_build_structure(carom_context *context, const carom_mesh *mesh, const carom_tree_def *def,
                                  tree_structure *out)
{
    *out = (tree_structure){0};
    bool binned = def->builder == CAROM_BUILDER_SAH || def->builder == CAROM_BUILDER_VOLUME;
    build_result result = {0};
    base_arena scratch = {.context = context};
    carom_status status = build_reserve(&scratch, mesh, 0)
                              ? build_with_areas(&scratch, mesh, def, binned ? 1 : 0, &result)
                              : build_out_of_memory(context, mesh->triangle_count);
    base_arena_free(&scratch);
    BASE_TRY(status);
    if (!result.tree.node_count)
        return CAROM_OK;
    out->nodes = base_allocate(context, result.tree.node_count, sizeof *out->nodes, BASE_CACHE_LINE);
    if (out->nodes)
    {
        memcpy(out->nodes, result.tree.nodes, result.tree.node_count * sizeof *out->nodes);
        out->node_count = result.tree.node_count;
        out->order = result.order;
        out->reference_count = result.reference_count;
        result.order = NULL;
    }
    else
        status = build_out_of_memory(context, mesh->triangle_count);
    build_result_free(context, &result);
    return status;
}
