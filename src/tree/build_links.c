/* From linked nodes to the canonical tree. */
#include "tree/build.h"

#define NO_LINK UINT32_MAX /* a bare range of records: halved by count */

typedef struct link_space
{
    const build_input *input;
    const build_links *links;
    uint32_t *sizes; /* records below each inner node */
    uint32_t *stack; /* as many as records */
    build_box *sorted;
} link_space;

typedef struct open_link
{
    uint32_t link, node, first, count, depth;
} open_link;

static void free_space(link_space *space)
{
    carom_context *context = space->input->context;
    base_release(context, space->sizes, space->input->count, sizeof *space->sizes);
    base_release(context, space->stack, space->input->count, sizeof *space->stack);
    base_release(context, space->sorted, space->input->count, sizeof *space->sorted);
}

static uint32_t size_of(const link_space *space, uint32_t link)
{
    return link < space->input->count ? 1 : space->sizes[link - space->input->count];
}

/* Lists the inner nodes parents first, then adds up backwards; `stack` holds the list. */
static void count_records(link_space *space)
{
    uint32_t count = space->input->count, listed = 0;
    if (space->links->root >= count)
        space->stack[listed++] = space->links->root - count;
    for (uint32_t i = 0; i < listed; i++)
        for (int side = 0; side < 2; side++)
        {
            uint32_t child = space->links->children[space->stack[i]][side];
            if (child >= count)
                space->stack[listed++] = child - count;
        }
    while (listed--)
    {
        const uint32_t *child = space->links->children[space->stack[listed]];
        space->sizes[space->stack[listed]] = size_of(space, child[0]) + size_of(space, child[1]);
    }
}

/* Writes the records below a link to their range, in the order of the tree. */
static void collect(link_space *space, uint32_t link, uint32_t first)
{
    uint32_t depth = 0, count = space->input->count;
    space->stack[depth++] = link;
    while (depth)
    {
        link = space->stack[--depth];
        if (link < count)
        {
            space->sorted[first++] = space->input->boxes[link];
            continue;
        }
        space->stack[depth++] = space->links->children[link - count][1];
        space->stack[depth++] = space->links->children[link - count][0];
    }
}

static void emit(link_space *space, build_nodes *nodes)
{
    const build_input *input = space->input;
    open_link waiting[BUILD_DEPTH_LIMIT];
    uint32_t waiting_count = 0;
    waiting[waiting_count++] = (open_link){space->links->root, 0, 0, input->count, 0};
    nodes->count = 1;
    while (waiting_count)
    {
        open_link open = waiting[--waiting_count];
        bool small = open.count <= input->leaf_size;
        if (open.link != NO_LINK && (small || open.depth >= BUILD_FREE_DEPTH))
        {
            collect(space, open.link, open.first);
            open.link = NO_LINK;
        }
        if (small)
        {
            nodes->items[open.node] = (tree_node){open.first, open.count};
            continue;
        }
        uint32_t child[2] = {NO_LINK, NO_LINK}, left = open.count / 2, node = (uint32_t)nodes->count;
        if (open.link != NO_LINK)
        {
            memcpy(child, space->links->children[open.link - input->count], sizeof child);
            left = size_of(space, child[0]);
        }
        nodes->count += 2;
        nodes->items[open.node] = (tree_node){node, 0};
        waiting[waiting_count++] =
            (open_link){child[1], node + 1, open.first + left, open.count - left, open.depth + 1};
        waiting[waiting_count++] = (open_link){child[0], node, open.first, left, open.depth + 1};
    }
}

carom_status build_from_links(const build_input *input, const build_links *links, build_nodes *nodes)
{
    carom_context *context = input->context;
    link_space space = {.input = input, .links = links};
    space.sizes = base_allocate(context, input->count, sizeof *space.sizes, BASE_CACHE_LINE);
    space.stack = base_allocate(context, input->count, sizeof *space.stack, BASE_CACHE_LINE);
    space.sorted = base_allocate(context, input->count, sizeof *space.sorted, BASE_CACHE_LINE);
    carom_status status = CAROM_OK;
    if (space.sizes && space.stack && space.sorted && base_array_reserve(context, nodes, 2 * (size_t)input->count - 1))
    {
        count_records(&space);
        emit(&space, nodes);
        memcpy(input->boxes, space.sorted, input->count * sizeof *input->boxes);
    }
    else
        status = build_out_of_memory(context, input->count);
    free_space(&space);
    return status;
}
