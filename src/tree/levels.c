/* Sorts nodes by depth and runs tasks level by level. */
#include "tree/levels.h"

bool tree_levels_allocate(carom_context *context, uint32_t node_count, tree_levels *levels)
{
    *levels = (tree_levels){.context = context, .node_count = node_count};
    if (base_worker_count(context) == 1 || node_count == 0)
        return true;
    levels->depth = base_allocate(context, node_count, sizeof *levels->depth, BASE_CACHE_LINE);
    levels->nodes = base_allocate(context, node_count, sizeof *levels->nodes, BASE_CACHE_LINE);
    levels->ends = base_allocate(context, node_count, sizeof *levels->ends, BASE_CACHE_LINE);
    if (!levels->depth || !levels->nodes || !levels->ends)
        return false;
    levels->depth[0] = 0;
    return true;
}

void tree_levels_free(tree_levels *levels)
{
    base_release(levels->context, levels->depth, levels->node_count, sizeof *levels->depth);
    base_release(levels->context, levels->nodes, levels->node_count, sizeof *levels->nodes);
    base_release(levels->context, levels->ends, levels->node_count, sizeof *levels->ends);
}

void tree_levels_sort(tree_levels *levels)
{
    if (!levels->nodes)
        return;
    for (uint32_t node = 0; node < levels->node_count; node++)
    {
        uint32_t depth = levels->depth[node];
        for (; levels->level_count <= depth; levels->level_count++)
            levels->ends[levels->level_count] = 0;
        levels->ends[depth]++;
    }
    uint32_t begin = 0;
    for (uint32_t level = 0; level < levels->level_count; level++)
    {
        uint32_t count = levels->ends[level];
        levels->ends[level] = begin;
        begin += count;
    }
    for (uint32_t node = 0; node < levels->node_count; node++)
        levels->nodes[levels->ends[levels->depth[node]]++] = node;
}

typedef struct level_task
{
    carom_task_fn *task;
    void *data;
    uint32_t begin;
} level_task;

static void run_part(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const level_task *level = data;
    level->task(level->begin + first, level->begin + last, worker, level->data);
}

void tree_levels_run(const tree_levels *levels, uint32_t min_range, carom_task_fn *task, void *data)
{
    if (!levels->nodes)
    {
        base_parallel_for(levels->context, levels->node_count, UINT32_MAX, task, data);
        return;
    }
    for (uint32_t level = levels->level_count; level-- > 0;)
    {
        level_task part = {task, data, level > 0 ? levels->ends[level - 1] : 0};
        base_parallel_for(levels->context, levels->ends[level] - part.begin, min_range, run_part, &part);
    }
}
