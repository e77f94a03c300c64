/* The collision layout's own splits around their kernels (wide_split_simd.c): memory. */
#include "tree/wide_split.h"

static bool make_work(const build_top *top, base_arena *arena, split_work *work)
{
    size_t n = work->build->count;
    work->spare = base_arena_allocate(arena, n, sizeof *work->spare, BASE_CACHE_LINE);
    work->local = base_arena_allocate(arena, n, sizeof *work->local, BASE_CACHE_LINE);
    work->plans = base_arena_allocate(arena, top->branch_capacity, sizeof *work->plans, BASE_CACHE_LINE);
    work->blocks = base_arena_allocate(arena, top->block_capacity, sizeof *work->blocks, BASE_CACHE_LINE);
    work->grown = base_arena_allocate(arena, 2 * n, sizeof *work->grown, BASE_CACHE_LINE);
    return work->spare && work->local && work->plans && work->blocks && work->grown;
}

static carom_status split_all(build_top *top, base_arena *arena, split_work *work)
{
    wide_build *build = work->build;
    base_arena scratch = {.context = build->context};
    carom_status status = make_work(top, &scratch, work) ? CAROM_OK : CAROM_OUT_OF_MEMORY;
    if (status == CAROM_OK)
    {
        build->node_count = build_top_grow(top);
        build->nodes = base_arena_allocate(arena, build->node_count, sizeof *build->nodes, BASE_CACHE_LINE);
        status = build->nodes ? CAROM_OK : CAROM_OUT_OF_MEMORY;
    }
    if (status == CAROM_OK)
        build_top_place(top);
    base_arena_free(&scratch);
    return status;
}

carom_status wide_split(wide_build *build, base_arena *arena)
{
    build_top top;
    split_work work = {.build = build};
    const build_method *method = BASE_PICK_ISA(build->context, wide_split_method)();
    carom_status status = CAROM_OUT_OF_MEMORY;
    if (build_top_begin(build->context, build->count, method, &top))
    {
        top.builder = &work;
        status = split_all(&top, arena, &work);
    }
    build_top_end(&top);
    return status;
}
