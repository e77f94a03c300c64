/* Top-down builders without a cost function: median and mean splits. */
#include "tree/build.h"

#include <math.h>

typedef struct split_space
{
    carom_context *context;
    build_box *spare;     /* as many as there are records */
    base_key_value *keys; /* twice as many */
    uint32_t count;
} split_space;

/* Reorders count >= 2 records and says how many are on the left: at least 1, fewer than count. */
typedef uint32_t split_fn(split_space *space, build_box *boxes, uint32_t count);

typedef struct open_range
{
    uint32_t node, first, count, depth;
} open_range;

static void free_space(split_space *space)
{
    base_release(space->context, space->spare, space->count, sizeof *space->spare);
    base_release(space->context, space->keys, 2 * (size_t)space->count, sizeof *space->keys);
}

static carom_status split_down(const build_input *input, split_fn *split, build_nodes *nodes)
{
    split_space space = {.context = input->context, .count = input->count};
    space.spare = base_allocate(input->context, input->count, sizeof *space.spare, BASE_CACHE_LINE);
    space.keys = base_allocate(input->context, 2 * (size_t)input->count, sizeof *space.keys, BASE_CACHE_LINE);
    if (!space.spare || !space.keys || !base_array_reserve(input->context, nodes, 2 * (size_t)input->count - 1))
    {
        free_space(&space);
        return build_out_of_memory(input->context, input->count);
    }
    open_range waiting[BUILD_DEPTH_LIMIT];
    uint32_t waiting_count = 0;
    waiting[waiting_count++] = (open_range){0, 0, input->count, 0};
    nodes->count = 1;
    carom_status status = CAROM_OK;
    for (uint64_t handled = 0; waiting_count && status == CAROM_OK;)
    {
        open_range range = waiting[--waiting_count];
        handled += range.count;
        if (handled >= BUILD_STEP)
            handled = 0, status = build_step(input->context, input->name, range.first, input->count);
        if (range.count <= input->leaf_size)
        {
            nodes->items[range.node] = (tree_node){range.first, range.count};
            continue;
        }
        uint32_t left =
            range.depth < BUILD_FREE_DEPTH ? split(&space, input->boxes + range.first, range.count) : range.count / 2;
        uint32_t child = (uint32_t)nodes->count;
        nodes->count += 2;
        nodes->items[range.node] = (tree_node){child, 0};
        waiting[waiting_count++] = (open_range){child + 1, range.first + left, range.count - left, range.depth + 1};
        waiting[waiting_count++] = (open_range){child, range.first, left, range.depth + 1};
    }
    free_space(&space);
    return status;
}

/* ---- median ---- */

static int longest_axis(const build_box *boxes, uint32_t count)
{
    float low[3], high[3];
    build_centre_range(boxes, count, low, high);
    float size[3] = {high[0] - low[0], high[1] - low[1], high[2] - low[2]};
    return size[0] >= size[1] && size[0] >= size[2] ? 0 : size[1] >= size[2] ? 1 : 2;
}

/* Order of floats as order of unsigned integers; both zeros alike. */
static uint32_t sortable(float value)
{
    uint32_t bits;
    value += 0.0f;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}

static uint32_t split_median(split_space *space, build_box *boxes, uint32_t count)
{
    int axis = longest_axis(boxes, count);
    for (uint32_t i = 0; i < count; i++)
        space->keys[i] = (base_key_value){sortable(build_box_centre(&boxes[i], axis)), i};
    base_sort_keys(space->keys, space->keys + count, count);
    memcpy(space->spare, boxes, count * sizeof *boxes);
    for (uint32_t i = 0; i < count; i++)
        boxes[i] = space->spare[space->keys[i].value];
    return count / 2;
}

carom_status build_median(const build_input *input, build_nodes *nodes)
{
    return split_down(input, split_median, nodes);
}

/* ---- mean ---- */

static uint32_t split_mean(split_space *space, build_box *boxes, uint32_t count)
{
    double mean[3] = {0}, spread[3] = {0};
    for (uint32_t i = 0; i < count; i++)
        for (int axis = 0; axis < 3; axis++)
            mean[axis] += (double)build_box_centre(&boxes[i], axis);
    for (int axis = 0; axis < 3; axis++)
        mean[axis] /= (double)count;
    for (uint32_t i = 0; i < count; i++)
        for (int axis = 0; axis < 3; axis++)
        {
            double off = (double)build_box_centre(&boxes[i], axis) - mean[axis];
            spread[axis] += off * off;
        }
    int axis = spread[0] >= spread[1] && spread[0] >= spread[2] ? 0 : spread[1] >= spread[2] ? 1 : 2;
    uint32_t left = 0, right = 0;
    for (uint32_t i = 0; i < count; i++)
        if ((double)build_box_centre(&boxes[i], axis) < mean[axis])
            boxes[left++] = boxes[i];
        else
            space->spare[right++] = boxes[i];
    memcpy(boxes + left, space->spare, right * sizeof *boxes);
    return left && right ? left : count / 2;
}

carom_status build_mean(const build_input *input, build_nodes *nodes) { return split_down(input, split_mean, nodes); }
