/* Linear builder (Lauterbach et al. 2009; chapter 25.2.1): records sorted along a Morton curve, the hierarchy read off
 * the codes' highest differing bits. Codes have 30 bits; a run of equal codes that is too large for a leaf gets 30 more
 * within its own bounds, and what is equal even then is halved. */
#include "tree/build.h"

#include <math.h>

enum
{
    AXIS_BITS = 10,
    RECORDS_PER_TASK = 4096
};

typedef struct morton_space
{
    carom_context *context;
    build_box *boxes, *spare;
    uint64_t *keys; /* code << 32 | position before sorting; twice as many as records */
    uint32_t count;
} morton_space;

typedef struct open_range
{
    uint32_t node, first, count;
    bool refined;
} open_range;

static void free_space(morton_space *space)
{
    base_release(space->context, space->spare, space->count, sizeof *space->spare);
    base_release(space->context, space->keys, 2 * (size_t)space->count, sizeof *space->keys);
}

/* abcdefghij -> a00b00c00d00e00f00g00h00i00j */
static uint32_t spread_bits(uint32_t x)
{
    x = (x | x << 16) & 0x030000ffu;
    x = (x | x << 8) & 0x0300f00fu;
    x = (x | x << 4) & 0x030c30c3u;
    return (x | x << 2) & 0x09249249u;
}

/* Records on their way to their place on the curve. */
typedef struct curve_task
{
    build_box *boxes, *spare;
    uint64_t *keys, *sorted;
    float low[3], scale;
} curve_task;

static void encode(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const curve_task *task = data;
    (void)worker;
    for (uint32_t i = first; i < last; i++)
    {
        uint32_t cell[3];
        for (int axis = 0; axis < 3; axis++)
            cell[axis] = (uint32_t)(int32_t)((build_box_centre(&task->boxes[i], axis) - task->low[axis]) * task->scale);
        uint32_t code = spread_bits(cell[0]) << 2 | spread_bits(cell[1]) << 1 | spread_bits(cell[2]);
        task->keys[i] = (uint64_t)code << 32 | i;
        task->spare[i] = task->boxes[i];
    }
}

static void put_in_order(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const curve_task *task = data;
    (void)worker;
    for (uint32_t i = first; i < last; i++)
        task->boxes[i] = task->spare[(uint32_t)task->sorted[i]];
}

/* The sort is stable: equal codes stay in the order of their positions. */
static bool sort_records(carom_context *context, curve_task *task, uint32_t count)
{
    float high[3];
    build_centre_range(task->boxes, count, task->low, high);
    /* One scale for all axes keeps the cells cubes. */
    float extent = fmaxf(high[0] - task->low[0], fmaxf(high[1] - task->low[1], high[2] - task->low[2]));
    task->scale = 0.99999f * (float)(1 << AXIS_BITS) / extent;
    if (!(task->scale <= 0x1p126f)) /* no scale separates the centres */
        return false;
    base_parallel_for(context, count, RECORDS_PER_TASK, encode, task);
    base_sort_codes(context, task->keys, task->sorted, count);
    base_parallel_for(context, count, RECORDS_PER_TASK, put_in_order, task);
    return true;
}

bool build_sort_morton(const build_input *input, uint64_t *keys, build_box *spare)
{
    curve_task task = {.boxes = input->boxes, .spare = spare, .keys = keys + input->count, .sorted = keys};
    return sort_records(input->context, &task, input->count);
}

/* Sorts a range along the curve within its own bounds. False if its centres coincide. */
static bool sort_range(morton_space *space, uint32_t first, uint32_t count)
{
    curve_task task = {.boxes = space->boxes + first,
                       .spare = space->spare,
                       .keys = space->keys + space->count + first,
                       .sorted = space->keys + first};
    return sort_records(space->context, &task, count);
}

static uint32_t code_of(const morton_space *space, uint32_t at) { return (uint32_t)(space->keys[at] >> 32); }

/* How many of the range have the highest differing bit clear. Gallops from both ends, so that a whole tree costs O(n)
 * also where the splits are lopsided. */
static uint32_t left_count(const morton_space *space, const open_range *range)
{
    const uint64_t *keys = space->keys + range->first;
    uint32_t differing = code_of(space, range->first) ^ code_of(space, range->first + range->count - 1);
    uint64_t bit = (uint64_t)1 << 32;
    while (differing >>= 1)
        bit <<= 1;
    uint32_t low = 0, high = range->count - 1; /* keys[low] is left, keys[high] is right */
    for (uint32_t step = 1; step < range->count / 2; step *= 2)
    {
        if (keys[step] & bit)
        {
            high = step;
            break;
        }
        low = step;
        if (!(keys[range->count - 1 - step] & bit))
        {
            low = range->count - 1 - step;
            break;
        }
        high = range->count - 1 - step;
    }
    while (high - low > 1)
    {
        uint32_t middle = low + (high - low) / 2;
        *(keys[middle] & bit ? &high : &low) = middle;
    }
    return high;
}

static void read_hierarchy(morton_space *space, const build_input *input, build_nodes *nodes)
{
    open_range waiting[BUILD_DEPTH_LIMIT];
    uint32_t waiting_count = 0;
    waiting[waiting_count++] = (open_range){0, 0, space->count, !sort_range(space, 0, space->count)};
    bool coincide = waiting[0].refined;
    nodes->count = 1;
    while (waiting_count)
    {
        open_range range = waiting[--waiting_count];
        if (range.count <= input->leaf_size)
        {
            nodes->items[range.node] = (tree_node){range.first, range.count};
            continue;
        }
        uint32_t last = range.first + range.count - 1;
        bool equal = coincide || code_of(space, range.first) == code_of(space, last);
        if (equal && !range.refined)
        {
            range.refined = true;
            equal = !sort_range(space, range.first, range.count) || code_of(space, range.first) == code_of(space, last);
        }
        uint32_t left = equal ? range.count / 2 : left_count(space, &range);
        left = build_left_blocks(range.count, left, input->block_size);
        uint32_t child = (uint32_t)nodes->count;
        nodes->count += 2;
        nodes->items[range.node] = (tree_node){child, 0};
        waiting[waiting_count++] = (open_range){child + 1, range.first + left, range.count - left, range.refined};
        waiting[waiting_count++] = (open_range){child, range.first, left, range.refined};
    }
}

carom_status build_morton(const build_input *input, build_nodes *nodes)
{
    morton_space space = {.context = input->context, .boxes = input->boxes, .count = input->count};
    space.spare = base_allocate(input->context, input->count, sizeof *space.spare, BASE_CACHE_LINE);
    space.keys = base_allocate(input->context, 2 * (size_t)input->count, sizeof *space.keys, BASE_CACHE_LINE);
    if (!space.spare || !space.keys || !base_array_reserve(input->context, nodes, 2 * (size_t)input->count - 1))
    {
        free_space(&space);
        return build_out_of_memory(input->context, input->count);
    }
    read_hierarchy(&space, input, nodes);
    free_space(&space);
    return CAROM_OK;
}
