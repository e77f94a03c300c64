/* The binned builder around its kernels (build_simd.c): memory, and the bounds that the first split starts from. */
#include "tree/build.h"

enum
{
    SPREAD_BLOCKS = 64
};

typedef struct spread_task
{
    carom_context *context;
    const build_box *boxes;
    uint32_t count;
    build_spread blocks[SPREAD_BLOCKS];
} spread_task;

static build_spread no_spread(void)
{
    build_spread spread = {.axis = -1};
    for (int i = 0; i < 8; i++)
        spread.bounds.v[i] = spread.centres.v[i] = -INFINITY;
    return spread;
}

static void spread_blocks(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    spread_task *task = data;
    (void)worker;
    for (uint32_t i = first; i < last; i++)
    {
        size_t begin = (size_t)task->count * i / SPREAD_BLOCKS, end = (size_t)task->count * (i + 1) / SPREAD_BLOCKS;
        task->blocks[i] = no_spread();
        BASE_PICK_ISA(task->context, build_add_spread)
        (task->boxes + begin, (uint32_t)(end - begin), &task->blocks[i]);
    }
}

static build_spread whole_spread(carom_context *context, const build_box *boxes, uint32_t count)
{
    spread_task task = {.context = context, .boxes = boxes, .count = count};
    base_parallel_for(context, SPREAD_BLOCKS, 4, spread_blocks, &task);
    build_spread all = task.blocks[0];
    for (int i = 1; i < SPREAD_BLOCKS; i++)
    {
        all.bounds = build_join(&all.bounds, &task.blocks[i].bounds);
        all.centres = build_join(&all.centres, &task.blocks[i].centres);
    }
    return all;
}

static bool make_work(base_arena *scratch, const build_top *top, uint32_t count, build_work *work)
{
    work->spare = base_arena_allocate(scratch, count, sizeof *work->spare, BASE_CACHE_LINE);
    work->spreads = base_arena_allocate(scratch, top->branch_capacity, sizeof *work->spreads, BASE_CACHE_LINE);
    work->blocks = base_arena_allocate(scratch, top->block_capacity, sizeof *work->blocks, BASE_CACHE_LINE);
    work->grown = base_arena_allocate(scratch, 2 * (size_t)count, sizeof *work->grown, BASE_CACHE_LINE);
    work->grown_areas = base_arena_allocate(scratch, 2 * (size_t)count, sizeof *work->grown_areas, BASE_CACHE_LINE);
    return work->spare && work->spreads && work->blocks && work->grown && work->grown_areas;
}

static bool make_tree(carom_context *context, uint32_t node_count, build_tree *out)
{
    out->capacity = out->node_count = node_count;
    out->nodes = base_allocate(context, node_count, sizeof *out->nodes, BASE_CACHE_LINE);
    out->areas = base_allocate(context, node_count, sizeof *out->areas, BASE_CACHE_LINE);
    return out->nodes && out->areas;
}

carom_status build_binned(base_arena *scratch, build_box *boxes, uint32_t count, const build_options *options,
                          build_tree *out)
{
    carom_context *context = scratch->context;
    *out = (build_tree){0};
    if (!count)
        return CAROM_OK;
    build_top top;
    base_arena_mark mark = base_arena_at(scratch);
    build_work work = {.boxes = boxes, .options = options};
    bool made = build_top_begin(context, count, BASE_PICK_ISA(context, build_binned_method)(), &top) &&
                make_work(scratch, &top, count, &work);
    if (made)
    {
        top.builder = &work;
        work.spreads[0] = whole_spread(context, boxes, count);
        made = make_tree(context, build_top_grow(&top), out);
    }
    if (made)
    {
        work.nodes = out->nodes, work.areas = out->areas;
        build_top_place(&top);
    }
    else
        build_tree_free(context, out);
    build_top_end(&top);
    base_arena_rewind(scratch, mark);
    return made ? CAROM_OK : build_out_of_memory(context, count);
}
