/* The tree inside a baked block: the binary layout, and what both wide layouts share. */
#include "tree/baked.h"
#include "tree/binary.h"
#include "tree/build.h"

static carom_status no_memory(const baked_reader *reader)
{
    return base_fail(reader->context, CAROM_OUT_OF_MEMORY, "unbake: no memory for a tree of %u triangles",
                     reader->header->triangle_count);
}

/* Marks for `count` things, all zero; null when out of memory. */
static uint8_t *new_marks(const baked_reader *reader, size_t count)
{
    uint8_t *marks = base_allocate(reader->context, count, 1, BASE_CACHE_LINE);
    if (marks)
        memset(marks, 0, count);
    return marks;
}

carom_status baked_check_order(const baked_reader *reader, const uint32_t *order, size_t count)
{
    uint32_t triangles = reader->header->triangle_count, seen = 0;
    uint8_t *marks = new_marks(reader, triangles);
    if (!marks)
        return no_memory(reader);
    bool valid = true;
    for (size_t i = 0; i < count && valid; i++)
    {
        valid = order[i] < triangles;
        if (valid && !marks[order[i]])
            marks[order[i]] = 1, seen++;
    }
    base_release(reader->context, marks, triangles, 1);
    return valid && seen == triangles ? CAROM_OK : baked_refuse(reader, "the leaves do not hold the mesh's triangles");
}

/* ---- binary ---- */

/* Depth 0: not reached yet. Leaves must be adjacent in `order`, in any sequence. */
static bool nodes_valid(const baked_header *header, const tree_node *nodes, uint8_t *depth, uint8_t *taken)
{
    uint32_t taken_count = 0;
    depth[0] = 1;
    for (uint32_t i = 0; i < header->node_count; i++)
    {
        tree_node node = nodes[i];
        if (depth[i] == 0)
            return false;
        if (node.count == 0)
        {
            if (depth[i] >= BUILD_DEPTH_LIMIT || node.first <= i || node.first >= header->node_count - 1 ||
                depth[node.first] || depth[node.first + 1])
                return false;
            depth[node.first] = depth[node.first + 1] = depth[i] + 1;
            continue;
        }
        if (node.count > header->reference_count || node.first > header->reference_count - node.count)
            return false;
        for (uint32_t k = node.first; k < node.first + node.count; k++)
        {
            if (taken[k]++)
                return false;
            taken_count++;
        }
    }
    return taken_count == header->reference_count;
}

/* Refits rely on it (subtrees.h). For nodes that form a tree, so the depth limit bounds the stack. */
static bool numbered_depth_first(const tree_node *nodes)
{
    uint32_t waiting[BUILD_DEPTH_LIMIT + 1], waiting_count = 0, next = 1;
    waiting[waiting_count++] = 0;
    while (waiting_count)
    {
        tree_node node = nodes[waiting[--waiting_count]];
        if (node.count)
            continue;
        if (node.first != next)
            return false;
        waiting[waiting_count++] = next + 1;
        waiting[waiting_count++] = next;
        next += 2;
    }
    return true;
}

static carom_status check_nodes(const baked_reader *reader, const tree_node *nodes)
{
    const baked_header *header = reader->header;
    if ((header->node_count > 0) != (header->triangle_count > 0) || header->leaf_count != 0)
        return baked_refuse(reader, "the tree's counts contradict each other");
    if (header->node_count == 0)
        return CAROM_OK;
    uint8_t *depth = new_marks(reader, header->node_count), *taken = new_marks(reader, header->reference_count);
    carom_status status =
        !depth || !taken                            ? no_memory(reader)
        : !nodes_valid(header, nodes, depth, taken) ? baked_refuse(reader, "the tree's nodes do not form a tree")
        : !numbered_depth_first(nodes) ? baked_refuse(reader, "the tree's nodes are not numbered depth first")
                                       : CAROM_OK;
    base_release(reader->context, depth, header->node_count, 1);
    base_release(reader->context, taken, header->reference_count, 1);
    return status;
}

carom_status baked_read_binary(baked_reader *reader, carom_tree *tree)
{
    const baked_header *header = reader->header;
    volume_range found = volume_found(tree->def.volume);
    const tree_node *nodes = baked_take(reader, header->node_count, sizeof *nodes);
    const uint32_t *order = baked_take(reader, header->reference_count, sizeof *order);
    const float *volumes = baked_take(reader, (size_t)header->node_count * found.count, sizeof *volumes);
    if (!nodes || !order || !volumes)
        return baked_refuse(reader, "the tree does not fit");
    BASE_TRY(check_nodes(reader, nodes));
    BASE_TRY(baked_check_order(reader, order, header->reference_count));
    for (uint32_t i = 0; i < header->node_count; i++)
        if (!volume_found_valid(tree->def.volume, volumes + (size_t)i * found.count))
            return baked_refuse(reader, "a volume that is none");
    if (header->node_count == 0)
        return CAROM_OK;
    tree->node_count = header->node_count, tree->reference_count = header->reference_count;
    tree->nodes = base_allocate(reader->context, tree->node_count, sizeof *nodes, BASE_CACHE_LINE);
    tree->order = base_allocate(reader->context, tree->reference_count, sizeof *order, BASE_CACHE_LINE);
    if (!tree->nodes || !tree->order)
        return no_memory(reader);
    memcpy(tree->nodes, nodes, tree->node_count * sizeof *nodes);
    memcpy(tree->order, order, tree->reference_count * sizeof *order);
    return binary_fit(tree, volumes);
}

void baked_write_binary(baked_writer *writer, const carom_tree *tree)
{
    volume_range found = volume_found(tree->def.volume);
    baked_put(writer, tree->nodes, tree->node_count, sizeof *tree->nodes);
    baked_put(writer, tree->order, tree->reference_count, sizeof *tree->order);
    for (uint32_t i = 0; i < tree->node_count; i++)
        baked_put_floats(writer, binary_volume(tree, i) + found.first, found.count);
    baked_close(writer);
}

/* ---- eight children per node ---- */

static bool child_valid(const baked_header *header, uint32_t parent, uint32_t child, uint8_t *depth,
                        uint8_t *leaf_taken)
{
    if (child & BAKED_LEAF_FLAG)
    {
        uint32_t leaf = child & ~BAKED_LEAF_FLAG;
        return leaf < header->leaf_count && leaf_taken[leaf]++ == 0;
    }
    if (child <= parent || child >= header->node_count || depth[child] || depth[parent] >= BUILD_DEPTH_LIMIT)
        return false;
    depth[child] = depth[parent] + 1;
    return true;
}

/* Exactly one way to each node and leaf: as many are reached as there are, none twice. */
static bool eight_valid(const baked_header *header, baked_eight *eight, uint8_t *depth, uint8_t *leaf_taken)
{
    uint32_t leaves = 0;
    depth[0] = 1;
    for (uint32_t i = 0; i < header->node_count; i++)
    {
        const uint32_t *children = eight->child + (size_t)i * BAKED_LANES;
        if (depth[i] == 0 || children[0] == BAKED_NO_CHILD)
            return false;
        eight->depth = depth[i] > eight->depth ? depth[i] : eight->depth;
        for (int lane = 0; lane < BAKED_LANES; lane++)
        {
            uint32_t child = children[lane];
            if (child == BAKED_NO_CHILD)
                continue;
            if ((lane > 0 && children[lane - 1] == BAKED_NO_CHILD) || !child_valid(header, i, child, depth, leaf_taken))
                return false;
            leaves += (child & BAKED_LEAF_FLAG) != 0;
        }
    }
    return leaves == header->leaf_count;
}

static bool leaf_sizes_valid(const baked_header *header, const uint32_t *leaf_size)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < header->leaf_count; i++)
    {
        if (leaf_size[i] < 1 || leaf_size[i] > BAKED_LEAF_TRIANGLES)
            return false;
        sum += leaf_size[i];
    }
    return sum == header->reference_count;
}

carom_status baked_read_eight(baked_reader *reader, baked_eight *out)
{
    const baked_header *header = reader->header;
    bool empty = header->triangle_count == 0;
    if ((header->node_count == 0) != empty || (header->leaf_count == 0) != empty ||
        header->leaf_count >= BAKED_LEAF_FLAG || header->node_count >= BAKED_LEAF_FLAG / BAKED_LANES)
        return baked_refuse(reader, "the tree's counts contradict each other");
    out->depth = 0;
    out->child = baked_take(reader, (size_t)header->node_count * BAKED_LANES, sizeof *out->child);
    out->leaf_size = baked_take(reader, header->leaf_count, sizeof *out->leaf_size);
    out->order = baked_take(reader, header->reference_count, sizeof *out->order);
    if (!out->child || !out->leaf_size || !out->order)
        return baked_refuse(reader, "the tree does not fit");
    if (!leaf_sizes_valid(header, out->leaf_size))
        return baked_refuse(reader, "leaves that hold too few or too many triangles");
    if (empty)
        return CAROM_OK;
    uint8_t *depth = new_marks(reader, header->node_count), *taken = new_marks(reader, header->leaf_count);
    carom_status status = !depth || !taken ? no_memory(reader)
                          : eight_valid(header, out, depth, taken)
                              ? CAROM_OK
                              : baked_refuse(reader, "the tree's nodes do not form a tree");
    base_release(reader->context, depth, header->node_count, 1);
    base_release(reader->context, taken, header->leaf_count, 1);
    BASE_TRY(status);
    return baked_check_order(reader, out->order, header->reference_count);
}

/* ---- the object ---- */

static carom_status read_layout(carom_tree *tree, void *source)
{
    baked_reader *reader = source;
    bool binary = tree->def.layout == CAROM_LAYOUT_BINARY, boxes = tree->def.volume == CAROM_VOLUME_OBB;
    BASE_TRY(binary  ? baked_read_binary(reader, tree)
             : boxes ? baked_read_wide(reader, tree)
                     : baked_read_rays(reader, tree));
    return reader->at == reader->size ? CAROM_OK : baked_refuse(reader, "something follows the tree");
}

carom_status baked_read_tree(baked_reader *reader, const carom_mesh *mesh, carom_tree **out)
{
    const baked_header *header = reader->header;
    carom_tree_def def = {.volume = (carom_volume)header->volume,
                          .layout = (carom_layout)header->layout,
                          .builder = (carom_builder)header->builder,
                          .obb_fit = (carom_obb_fit)header->obb_fit,
                          .leaf_size = header->leaf_size,
                          .balance_penalty = header->balance_penalty,
                          .depth_limit = header->depth_limit,
                          .keep_large_leaves = header->tree_flags & 1};
    if (tree_check_def(reader->context, &def) != CAROM_OK || header->tree_flags > 1)
        return baked_refuse(reader, "the tree's kind is unknown");
    return tree_assemble(&(carom_tree){.context = reader->context, .mesh = mesh, .def = def}, read_layout, reader, out);
}
