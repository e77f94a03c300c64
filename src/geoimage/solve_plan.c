/* What elimination will do, before it does: the order, the elimination tree (Liu, 1990), blocks of rows with the same
 * entries, and how much memory they need. */
#include "geoimage/solve.h"

/* Rows are joined to blocks that store this many times the entries that they have. */
static const double SPACIOUS = 1.25;

typedef struct plan_work
{
    geoimage_solver *solver;
    uint32_t *parent;          /* of each row in the tree: the first later row that it has an entry for */
    uint32_t *child, *sibling; /* its children */
    uint32_t *mark, *scratch;
    uint32_t *entries; /* per row: later rows that it has entries for */
    uint32_t *block;   /* per row */
} plan_work;

static size_t entries_begin(const geoimage_solver *solver, uint32_t row)
{
    return solver->system->first[solver->order[row]];
}
static size_t entries_end(const geoimage_solver *solver, uint32_t row)
{
    return solver->system->first[solver->order[row] + 1];
}
static uint32_t entry_row(const geoimage_solver *solver, size_t entry)
{
    return solver->row[solver->system->neighbour[entry]];
}

static void find_rows(geoimage_solver *solver)
{
    for (uint32_t row = 0; row < solver->count; row++)
        solver->row[solver->order[row]] = row;
}

/* ---- the tree ---- */

static void find_parents(plan_work *work)
{
    const geoimage_solver *solver = work->solver;
    uint32_t *ancestor = work->scratch;
    for (uint32_t row = 0; row < solver->count; row++)
    {
        work->parent[row] = ancestor[row] = GEOIMAGE_NONE;
        for (size_t i = entries_begin(solver, row); i < entries_end(solver, row); i++)
        {
            uint32_t next, at = entry_row(solver, i);
            for (; at < row; at = next)
            {
                next = ancestor[at];
                ancestor[at] = row;
                if (next == GEOIMAGE_NONE)
                    work->parent[at] = row;
            }
        }
    }
}

static void list_children(plan_work *work)
{
    for (uint32_t row = 0; row < work->solver->count; row++)
        work->child[row] = GEOIMAGE_NONE;
    for (uint32_t row = work->solver->count; row-- > 0;)
        if (work->parent[row] != GEOIMAGE_NONE)
        {
            work->sibling[row] = work->child[work->parent[row]];
            work->child[work->parent[row]] = row;
        }
}

/* Renumbers the rows so that all below a row come right before it: then what blocks leave to others is a stack. */
static void sort_by_tree(plan_work *work)
{
    geoimage_solver *solver = work->solver;
    uint32_t *sorted = work->mark, *stack = work->scratch, filled = 0, depth = 0;
    list_children(work);
    for (uint32_t root = 0; root < solver->count; root++)
    {
        if (work->parent[root] != GEOIMAGE_NONE)
            continue;
        for (stack[depth++] = root; depth > 0;)
        {
            uint32_t row = stack[depth - 1], child = work->child[row];
            if (child == GEOIMAGE_NONE)
            {
                sorted[filled++] = solver->order[row];
                depth--;
                continue;
            }
            work->child[row] = work->sibling[child];
            stack[depth++] = child;
        }
    }
    memcpy(solver->order, sorted, solver->count * sizeof *sorted);
    find_rows(solver);
}

/* A row has an entry for a later one if that has a neighbour below it: on the ways up from its neighbours. */
static void count_entries(plan_work *work)
{
    const geoimage_solver *solver = work->solver;
    for (uint32_t row = 0; row < solver->count; row++)
        work->entries[row] = 0, work->mark[row] = GEOIMAGE_NONE;
    for (uint32_t row = 0; row < solver->count; row++)
    {
        work->mark[row] = row;
        for (size_t i = entries_begin(solver, row); i < entries_end(solver, row); i++)
            for (uint32_t at = entry_row(solver, i); at < row && work->mark[at] != row; at = work->parent[at])
                work->entries[at]++, work->mark[at] = row;
    }
}

/* ---- blocks ---- */

static bool add_block(plan_work *work, solve_block block)
{
    geoimage_solver *solver = work->solver;
    if (!base_array_reserve(solver->system->context, &solver->blocks, 1))
        return false;
    for (uint32_t i = 0; i < block.row_count; i++)
        work->block[block.row + i] = (uint32_t)solver->blocks.count;
    solver->blocks.items[solver->blocks.count++] = block;
    return true;
}

static bool find_blocks(plan_work *work)
{
    solve_block block = {.row_count = 0};
    double needed = 0; /* entries of its rows */
    for (uint32_t row = 0; row < work->solver->count; row++)
    {
        uint32_t entries = work->entries[row];
        bool follows = block.row_count > 0 && work->parent[row - 1] == row;
        double all = 0.5 * (block.row_count + 1.0) * (block.row_count + 2.0) + (block.row_count + 1.0) * entries;
        if (block.row_count > 0 && (!follows || all > SPACIOUS * (needed + entries + 1)))
        {
            if (!add_block(work, block))
                return false;
            block.row_count = 0, needed = 0;
        }
        if (block.row_count == 0)
            block = (solve_block){.row = row, .child = GEOIMAGE_NONE, .sibling = GEOIMAGE_NONE};
        block.row_count++, block.count = entries;
        needed += entries + 1.0;
    }
    return block.row_count == 0 || add_block(work, block);
}

static bool add_later(plan_work *work, const solve_block *block, uint32_t row)
{
    geoimage_solver *solver = work->solver;
    if (row < block->row + block->row_count || work->mark[row] == block->row)
        return true;
    work->mark[row] = block->row;
    if (!base_array_reserve(solver->system->context, &solver->later, 1))
        return false;
    solver->later.items[solver->later.count++] = row;
    return true;
}

/* The later rows of a block: neighbours of its rows, and what blocks below leave to it. */
static bool find_later(plan_work *work, uint32_t number)
{
    geoimage_solver *solver = work->solver;
    solve_block *block = &solver->blocks.items[number];
    uint32_t last = block->row + block->row_count - 1;
    block->index = solver->later.count;
    for (uint32_t row = block->row; row <= last; row++)
        for (size_t i = entries_begin(solver, row); i < entries_end(solver, row); i++)
            if (!add_later(work, block, entry_row(solver, i)))
                return false;
    for (uint32_t c = block->child; c != GEOIMAGE_NONE; c = solver->blocks.items[c].sibling)
        for (uint32_t i = 0; i < solver->blocks.items[c].count; i++)
            if (!add_later(work, block, solver->later.items[solver->blocks.items[c].index + i]))
                return false;
    block->count = (uint32_t)(solver->later.count - block->index);
    if (work->parent[last] != GEOIMAGE_NONE)
    {
        solve_block *parent = &solver->blocks.items[work->block[work->parent[last]]];
        block->sibling = parent->child;
        parent->child = number;
    }
    return true;
}

static size_t left_size(const solve_block *block) { return (size_t)block->count * (block->count + 2); }

/* Goes through the blocks as the elimination will, to see how large things get. */
static void measure(geoimage_solver *solver)
{
    size_t stack = 0;
    for (uint32_t b = 0; b < solver->blocks.count; b++)
    {
        solve_block *block = &solver->blocks.items[b];
        size_t width = (size_t)block->row_count + block->count, front = width * (width + 2);
        block->upper = solver->upper_size;
        solver->upper_size += block->row_count * width;
        solver->front_size = front > solver->front_size ? front : solver->front_size;
        for (uint32_t c = block->child; c != GEOIMAGE_NONE; c = solver->blocks.items[c].sibling)
            stack -= left_size(&solver->blocks.items[c]);
        stack += left_size(block);
        solver->stack_size = stack > solver->stack_size ? stack : solver->stack_size;
    }
}

static bool plan(plan_work *work)
{
    geoimage_solver *solver = work->solver;
    if (!geoimage_order(solver->system, solver->order))
        return false;
    find_rows(solver);
    find_parents(work);
    sort_by_tree(work);
    find_parents(work);
    count_entries(work);
    if (!find_blocks(work))
        return false;
    for (uint32_t row = 0; row < solver->count; row++)
        work->mark[row] = GEOIMAGE_NONE;
    for (uint32_t b = 0; b < solver->blocks.count; b++)
        if (!find_later(work, b))
            return false;
    measure(solver);
    return true;
}

bool solve_plan(geoimage_solver *solver)
{
    size_t count = solver->count;
    base_arena arena = {.context = solver->system->context};
    plan_work work = {.solver = solver};
    work.parent = base_arena_allocate(&arena, count, sizeof *work.parent, 8);
    work.child = base_arena_allocate(&arena, count, sizeof *work.child, 8);
    work.sibling = base_arena_allocate(&arena, count, sizeof *work.sibling, 8);
    work.mark = base_arena_allocate(&arena, count, sizeof *work.mark, 8);
    work.scratch = base_arena_allocate(&arena, count, sizeof *work.scratch, 8);
    work.entries = base_arena_allocate(&arena, count, sizeof *work.entries, 8);
    work.block = base_arena_allocate(&arena, count, sizeof *work.block, 8);
    bool have = work.parent && work.child && work.sibling && work.mark && work.scratch && work.entries && work.block;
    have = have && plan(&work);
    base_arena_free(&arena);
    return have;
}
