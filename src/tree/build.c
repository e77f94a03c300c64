/* The builders' front: records from a mesh, the builder that the def names, the result in its canonical form. */
#include "tree/build.h"

void tree_structure_free(carom_context *context, tree_structure *structure)
{
    base_release(context, structure->nodes, structure->node_count, sizeof *structure->nodes);
    base_release(context, structure->order, structure->reference_count, sizeof *structure->order);
    *structure = (tree_structure){0};
}

void build_tree_free(carom_context *context, build_tree *tree)
{
    base_release(context, tree->nodes, tree->capacity, sizeof *tree->nodes);
    base_release(context, tree->boxes, tree->capacity, sizeof *tree->boxes);
    *tree = (build_tree){0};
}

carom_status build_out_of_memory(carom_context *context, uint64_t count)
{
    return base_fail(context, CAROM_OUT_OF_MEMORY, "tree: no memory to build over %llu triangles",
                     (unsigned long long)count);
}

/* ---- records ---- */

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

/* A vertex that no triangle uses may lie anywhere; others are within one. */
static float in_frame(double offset, double scale)
{
    double x = offset * scale;
    x = x < 8.0 ? x : 8.0;
    return (float)(x > -8.0 ? x : -8.0);
}

void build_vertex_boxes(const carom_mesh *mesh, const build_frame *frame, build_box *out)
{
    for (uint32_t i = 0; i < mesh->vertex_count; i++)
    {
        carom_vec3 offset = vec3_sub(mesh->vertices[i], frame->centre);
        float x = in_frame(offset.x, frame->scale), y = in_frame(offset.y, frame->scale);
        float z = in_frame(offset.z, frame->scale);
        out[i] = (build_box){{-x, -y, -z, 1.0f, x, y, z, 0.0f}};
    }
}

carom_status build_triangle_boxes(carom_context *context, const carom_mesh *mesh, build_box *out)
{
    build_box *vertices = base_allocate(context, mesh->vertex_count, sizeof *vertices, BASE_CACHE_LINE);
    if (!vertices)
        return build_out_of_memory(context, mesh->triangle_count);
    build_frame frame = build_frame_of(&mesh->info.bounds);
    build_vertex_boxes(mesh, &frame, vertices);
    BASE_PICK_ISA(context, build_gather_boxes)(mesh, vertices, out);
    base_release(context, vertices, mesh->vertex_count, sizeof *vertices);
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

/* ---- the binned core ---- */

carom_status build_binned(carom_context *context, build_box *boxes, uint32_t count, const build_options *options,
                          build_tree *out)
{
    *out = (build_tree){0};
    if (!count)
        return CAROM_OK;
    out->capacity = 2 * count - 1;
    out->nodes = base_allocate(context, out->capacity, sizeof *out->nodes, BASE_CACHE_LINE);
    out->boxes = base_allocate(context, out->capacity, sizeof *out->boxes, BASE_CACHE_LINE);
    build_box *spare = base_allocate(context, count, sizeof *spare, BASE_CACHE_LINE);
    carom_status status = CAROM_OK;
    if (out->nodes && out->boxes && spare)
    {
        build_work work = {boxes, spare, count, options, out->nodes, out->boxes};
        out->node_count = BASE_PICK_ISA(context, build_binned_run)(&work);
    }
    else
    {
        build_tree_free(context, out);
        status = build_out_of_memory(context, count);
    }
    base_release(context, spare, count, sizeof *spare);
    return status;
}

/* ---- the front ---- */

static carom_status build_nodes_binned(const build_input *input, const carom_tree_def *def, build_nodes *nodes)
{
    build_options options = {.leaf_size = input->leaf_size, .block_size = 1};
    options.by_volume = def->builder == CAROM_BUILDER_VOLUME;
    build_tree tree;
    BASE_TRY(build_binned(input->context, input->boxes, input->count, &options, &tree));
    nodes->items = tree.nodes;
    nodes->count = tree.node_count;
    nodes->capacity = tree.capacity;
    base_release(input->context, tree.boxes, tree.capacity, sizeof *tree.boxes);
    return CAROM_OK;
}

static carom_status run_builder(const build_input *input, const carom_tree_def *def, build_nodes *nodes,
                                tree_structure *out)
{
    switch (def->builder)
    {
    case CAROM_BUILDER_SAH:
    case CAROM_BUILDER_VOLUME: return build_nodes_binned(input, def, nodes);
    case CAROM_BUILDER_MEDIAN: return build_median(input, nodes);
    case CAROM_BUILDER_MEAN: return build_mean(input, nodes);
    case CAROM_BUILDER_BALANCED: return build_balanced(input, nodes, &out->order, &out->reference_count);
    case CAROM_BUILDER_BOTTOM_UP: return build_bottom_up(input, nodes);
    case CAROM_BUILDER_INSERTION: return build_insertion(input, nodes);
    case CAROM_BUILDER_MORTON: return build_morton(input, nodes);
    case CAROM_BUILDER_COUNT: break;
    }
    return base_fail(input->context, CAROM_INVALID_ARGUMENT, "tree: builder %d is unknown", (int)def->builder);
}

/* Arrays of exactly the right size, from the working arrays. */
static carom_status keep(const build_input *input, const build_nodes *nodes, tree_structure *out)
{
    carom_context *context = input->context;
    out->node_count = (uint32_t)nodes->count;
    out->nodes = base_allocate(context, nodes->count, sizeof *out->nodes, BASE_CACHE_LINE);
    if (!out->nodes)
        return build_out_of_memory(context, input->count);
    memcpy(out->nodes, nodes->items, nodes->count * sizeof *out->nodes);
    if (out->order)
        return CAROM_OK;
    out->reference_count = input->count;
    out->order = base_allocate(context, input->count, sizeof *out->order, BASE_CACHE_LINE);
    if (!out->order)
        return build_out_of_memory(context, input->count);
    for (uint32_t i = 0; i < input->count; i++)
        out->order[i] = build_box_id(&input->boxes[i]);
    return CAROM_OK;
}

carom_status tree_build_structure(carom_context *context, const carom_mesh *mesh, const carom_tree_def *def,
                                  tree_structure *out)
{
    *out = (tree_structure){0};
    if (!mesh->triangle_count)
        return CAROM_OK;
    build_input input = {.context = context,
                         .count = mesh->triangle_count,
                         .leaf_size = def->leaf_size,
                         .balance_penalty = def->balance_penalty};
    input.boxes = base_allocate(context, input.count, sizeof *input.boxes, BASE_CACHE_LINE);
    if (!input.boxes)
        return build_out_of_memory(context, input.count);
    build_nodes nodes = {0};
    carom_status status = build_triangle_boxes(context, mesh, input.boxes);
    if (status == CAROM_OK)
        status = run_builder(&input, def, &nodes, out);
    if (status == CAROM_OK)
        status = keep(&input, &nodes, out);
    if (status != CAROM_OK)
        tree_structure_free(context, out);
    base_array_free(context, &nodes);
    base_release(context, input.boxes, input.count, sizeof *input.boxes);
    return status;
}
