/* The ray layout inside a baked block: only the shape of the tree. Its boxes are cheap to fit. */
#include "tree/baked.h"
#include "tree/rays.h"

_Static_assert((int)BAKED_LANES == (int)RAY_WIDTH && (int)BAKED_LEAF_TRIANGLES == (int)RAY_LEAF,
               "the shared form fits the layout");
_Static_assert(BAKED_LEAF_FLAG == RAY_LEAF_FLAG && BAKED_NO_CHILD == RAY_NO_CHILD, "and its marks too");

static uint32_t block_size(const ray_block *block)
{
    uint32_t count = 0;
    while (count < RAY_LEAF && block->triangle[count] != CAROM_NO_TRIANGLE)
        count++;
    return count;
}

void baked_write_rays(baked_writer *writer, const carom_tree *tree)
{
    const ray_tree *rays = tree->rays;
    const ray_block *blocks = ray_tree_blocks(rays);
    for (uint32_t i = 0; i < rays->node_count; i++)
        for (int lane = 0; lane < RAY_WIDTH; lane++)
            baked_put_u32(writer, ray_child_index(ray_tree_nodes(rays)[i].child[lane]));
    baked_close(writer);
    for (uint32_t i = 0; i < rays->block_count; i++)
        baked_put_u32(writer, block_size(&blocks[i]));
    baked_close(writer);
    for (uint32_t i = 0; i < rays->block_count; i++)
        for (uint32_t k = 0; k < block_size(&blocks[i]); k++)
            baked_put_u32(writer, blocks[i].triangle[k]);
    baked_close(writer);
}

static void fill(ray_tree *rays, const baked_eight *eight)
{
    for (uint32_t i = 0; i < rays->node_count; i++)
        ray_node_fill(&ray_tree_nodes(rays)[i], eight->child + (size_t)i * RAY_WIDTH, RAY_WIDTH);
    const uint32_t *triangles = eight->order;
    for (uint32_t i = 0; i < rays->block_count; i++)
    {
        ray_block_fill(&ray_tree_blocks(rays)[i], triangles, eight->leaf_size[i]);
        triangles += eight->leaf_size[i];
    }
}

carom_status baked_read_rays(baked_reader *reader, carom_tree *tree)
{
    const baked_header *header = reader->header;
    baked_eight eight;
    BASE_TRY(baked_read_eight(reader, &eight));
    tree->rays = ray_tree_allocate(reader->context, tree->mesh, header->node_count, header->leaf_count);
    if (!tree->rays)
        return CAROM_OUT_OF_MEMORY;
    tree->rays->reference_count = header->reference_count;
    tree->rays->depth = eight.depth;
    fill(tree->rays, &eight);
    if (!ray_tree_in_order(tree->rays))
        return baked_refuse(reader, "the tree's nodes are not numbered depth first");
    BASE_TRY(ray_tree_fit(reader->context, tree->rays, tree->mesh));
    ray_tree_describe(tree->rays, &tree->info);
    return CAROM_OK;
}
