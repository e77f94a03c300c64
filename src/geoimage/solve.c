/* Solving the sparse system by elimination, row by row (up-looking, as in Davis, Direct methods for sparse linear
 * systems, 2006), for both coordinates at once. The weights are positive and the diagonal is their sum, so no pivoting
 * is needed. Only the upper factor is kept: the lower one is applied to the right-hand sides at once. */
#include "geoimage/geoimage.h"

typedef struct solve_work
{
    const geoimage_system *system;
    uint32_t count;
    uint32_t *order;           /* row -> unknown */
    uint32_t *row;             /* unknown -> row */
    uint32_t *parent;          /* in the elimination tree */
    uint32_t *child, *sibling; /* its children: first and next */
    uint32_t *mark, *stack;
    size_t *first;            /* of each row's pattern */
    geoimage_numbers pattern; /* columns right of the diagonal */
    double *upper;            /* their values */
    double *diagonal, *dense;
    geoimage_point *value;
} solve_work;

/* ---- which entries there are ---- */

static bool add_column(solve_work *work, uint32_t row, uint32_t column)
{
    if (column <= row || work->mark[column] == row)
        return true;
    work->mark[column] = row;
    if (!base_array_reserve(work->system->context, &work->pattern, 1))
        return false;
    work->pattern.items[work->pattern.count++] = column;
    return true;
}

/* A row has its own neighbours and what the rows below it in the tree leave to it. */
static bool find_pattern(solve_work *work, uint32_t row)
{
    const geoimage_system *system = work->system;
    uint32_t unknown = work->order[row], parent = GEOIMAGE_NONE;
    work->first[row] = work->pattern.count;
    for (size_t i = system->first[unknown]; i < system->first[unknown + 1]; i++)
        if (!add_column(work, row, work->row[system->neighbour[i]]))
            return false;
    for (uint32_t below = work->child[row]; below != GEOIMAGE_NONE; below = work->sibling[below])
        for (size_t i = work->first[below]; i < work->first[below + 1]; i++)
            if (!add_column(work, row, work->pattern.items[i]))
                return false;
    for (size_t i = work->first[row]; i < work->pattern.count; i++)
        parent = work->pattern.items[i] < parent ? work->pattern.items[i] : parent;
    work->first[row + 1] = work->pattern.count;
    work->parent[row] = parent;
    if (parent != GEOIMAGE_NONE)
        work->sibling[row] = work->child[parent], work->child[parent] = row;
    return true;
}

static bool find_patterns(solve_work *work)
{
    for (uint32_t row = 0; row < work->count; row++)
        work->mark[row] = work->child[row] = GEOIMAGE_NONE;
    work->first[0] = 0;
    for (uint32_t row = 0; row < work->count; row++)
        if (!find_pattern(work, row))
            return false;
    return true;
}

/* ---- their values ---- */

/* The rows that a row is to be reduced by, in an order that the tree allows: from the returned place on. */
static uint32_t find_reducers(solve_work *work, uint32_t row)
{
    const geoimage_system *system = work->system;
    uint32_t unknown = work->order[row], top = work->count;
    work->mark[row] = row;
    for (size_t i = system->first[unknown]; i < system->first[unknown + 1]; i++)
    {
        uint32_t depth = 0, at = work->row[system->neighbour[i]];
        if (at > row)
            continue;
        for (; work->mark[at] != row; at = work->parent[at])
        {
            work->stack[depth++] = at;
            work->mark[at] = row;
        }
        while (depth > 0)
            work->stack[--top] = work->stack[--depth];
    }
    return top;
}

static void reduce(solve_work *work, uint32_t by, geoimage_point *value)
{
    double *dense = work->dense, factor = dense[by] / work->diagonal[by];
    const uint32_t *column = work->pattern.items;
    dense[by] = 0;
    for (size_t i = work->first[by]; i < work->first[by + 1]; i++)
        dense[column[i]] -= factor * work->upper[i];
    value->x -= factor * work->value[by].x, value->y -= factor * work->value[by].y;
}

static void eliminate_row(solve_work *work, uint32_t row)
{
    const geoimage_system *system = work->system;
    uint32_t unknown = work->order[row];
    double *dense = work->dense;
    geoimage_point value = system->value[unknown];
    for (size_t i = system->first[unknown]; i < system->first[unknown + 1]; i++)
        dense[work->row[system->neighbour[i]]] = -system->weight[i];
    dense[row] = system->diagonal[unknown];
    for (uint32_t i = find_reducers(work, row); i < work->count; i++)
        reduce(work, work->stack[i], &value);
    work->diagonal[row] = dense[row] > 0 ? dense[row] : 0x1p-900; /* only rounding takes it to 0 */
    dense[row] = 0;
    for (size_t i = work->first[row]; i < work->first[row + 1]; i++)
    {
        work->upper[i] = dense[work->pattern.items[i]];
        dense[work->pattern.items[i]] = 0;
    }
    work->value[row] = value;
}

static void substitute_back(solve_work *work)
{
    for (uint32_t row = work->count; row-- > 0;)
    {
        geoimage_point sum = work->value[row];
        for (size_t i = work->first[row]; i < work->first[row + 1]; i++)
        {
            geoimage_point known = work->value[work->pattern.items[i]];
            sum.x -= work->upper[i] * known.x, sum.y -= work->upper[i] * known.y;
        }
        sum.x /= work->diagonal[row], sum.y /= work->diagonal[row];
        work->value[row] = sum;
        work->system->value[work->order[row]] = sum;
    }
}

static bool solve(solve_work *work)
{
    carom_context *context = work->system->context;
    if (!geoimage_order(work->system, work->order))
        return false;
    for (uint32_t row = 0; row < work->count; row++)
        work->row[work->order[row]] = row;
    if (!find_patterns(work))
        return false;
    work->upper = base_allocate(context, work->pattern.count, sizeof *work->upper, 8);
    if (!work->upper)
        return false;
    for (uint32_t row = 0; row < work->count; row++)
        work->mark[row] = GEOIMAGE_NONE, work->dense[row] = 0;
    for (uint32_t row = 0; row < work->count; row++)
        eliminate_row(work, row);
    substitute_back(work);
    base_release(context, work->upper, work->pattern.count, sizeof *work->upper);
    return true;
}

bool geoimage_solve(geoimage_system *system)
{
    solve_work work = {.system = system, .count = system->count};
    size_t count = system->count;
    base_arena arena = {.context = system->context};
    work.order = base_arena_allocate(&arena, count, sizeof *work.order, 8);
    work.row = base_arena_allocate(&arena, count, sizeof *work.row, 8);
    work.parent = base_arena_allocate(&arena, count, sizeof *work.parent, 8);
    work.child = base_arena_allocate(&arena, count, sizeof *work.child, 8);
    work.sibling = base_arena_allocate(&arena, count, sizeof *work.sibling, 8);
    work.mark = base_arena_allocate(&arena, count, sizeof *work.mark, 8);
    work.stack = base_arena_allocate(&arena, count, sizeof *work.stack, 8);
    work.first = base_arena_allocate(&arena, count + 1, sizeof *work.first, 8);
    work.diagonal = base_arena_allocate(&arena, count, sizeof *work.diagonal, 8);
    work.dense = base_arena_allocate(&arena, count, sizeof *work.dense, 8);
    work.value = base_arena_allocate(&arena, count, sizeof *work.value, 8);
    bool have = work.order && work.row && work.parent && work.child && work.sibling && work.mark && work.stack &&
                work.first && work.diagonal && work.dense && work.value;
    have = have && solve(&work);
    base_array_free(system->context, &work.pattern);
    base_arena_free(&arena);
    return have;
}
