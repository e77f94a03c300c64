/* Solving the sparse system by elimination, row by row (up-looking, as in Davis, Direct methods for sparse linear
 * systems, 2006), for both coordinates at once. The weights are positive and the diagonal is their sum, so no pivoting
 * is needed. Only the upper factor is kept: the lower one is applied to the right-hand sides at once. */
#include "geoimage/geoimage.h"

struct geoimage_solver
{
    const geoimage_system *system;
    base_arena arena;
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
};

/* ---- which entries there are ---- */

static bool add_column(geoimage_solver *solver, uint32_t row, uint32_t column)
{
    if (column <= row || solver->mark[column] == row)
        return true;
    solver->mark[column] = row;
    if (!base_array_reserve(solver->system->context, &solver->pattern, 1))
        return false;
    solver->pattern.items[solver->pattern.count++] = column;
    return true;
}

/* A row has its own neighbours and what the rows below it in the tree leave to it. */
static bool find_pattern(geoimage_solver *solver, uint32_t row)
{
    const geoimage_system *system = solver->system;
    uint32_t unknown = solver->order[row], parent = GEOIMAGE_NONE;
    solver->first[row] = solver->pattern.count;
    for (size_t i = system->first[unknown]; i < system->first[unknown + 1]; i++)
        if (!add_column(solver, row, solver->row[system->neighbour[i]]))
            return false;
    for (uint32_t below = solver->child[row]; below != GEOIMAGE_NONE; below = solver->sibling[below])
        for (size_t i = solver->first[below]; i < solver->first[below + 1]; i++)
            if (!add_column(solver, row, solver->pattern.items[i]))
                return false;
    for (size_t i = solver->first[row]; i < solver->pattern.count; i++)
        parent = solver->pattern.items[i] < parent ? solver->pattern.items[i] : parent;
    solver->first[row + 1] = solver->pattern.count;
    solver->parent[row] = parent;
    if (parent != GEOIMAGE_NONE)
        solver->sibling[row] = solver->child[parent], solver->child[parent] = row;
    return true;
}

static bool find_patterns(geoimage_solver *solver)
{
    for (uint32_t row = 0; row < solver->count; row++)
        solver->mark[row] = solver->child[row] = GEOIMAGE_NONE;
    solver->first[0] = 0;
    for (uint32_t row = 0; row < solver->count; row++)
        if (!find_pattern(solver, row))
            return false;
    return true;
}

/* ---- their values ---- */

/* The rows that a row is to be reduced by, in an order that the tree allows: from the returned place on. */
static uint32_t find_reducers(geoimage_solver *solver, uint32_t row)
{
    const geoimage_system *system = solver->system;
    uint32_t unknown = solver->order[row], top = solver->count;
    solver->mark[row] = row;
    for (size_t i = system->first[unknown]; i < system->first[unknown + 1]; i++)
    {
        uint32_t depth = 0, at = solver->row[system->neighbour[i]];
        if (at > row)
            continue;
        for (; solver->mark[at] != row; at = solver->parent[at])
        {
            solver->stack[depth++] = at;
            solver->mark[at] = row;
        }
        while (depth > 0)
            solver->stack[--top] = solver->stack[--depth];
    }
    return top;
}

static void reduce(geoimage_solver *solver, uint32_t by, geoimage_point *value)
{
    double *dense = solver->dense, factor = dense[by] / solver->diagonal[by];
    const uint32_t *column = solver->pattern.items;
    dense[by] = 0;
    for (size_t i = solver->first[by]; i < solver->first[by + 1]; i++)
        dense[column[i]] -= factor * solver->upper[i];
    value->x -= factor * solver->value[by].x, value->y -= factor * solver->value[by].y;
}

static void eliminate_row(geoimage_solver *solver, uint32_t row)
{
    const geoimage_system *system = solver->system;
    uint32_t unknown = solver->order[row];
    double *dense = solver->dense;
    geoimage_point value = system->value[unknown];
    for (size_t i = system->first[unknown]; i < system->first[unknown + 1]; i++)
        dense[solver->row[system->neighbour[i]]] = -system->weight[i];
    dense[row] = system->diagonal[unknown];
    for (uint32_t i = find_reducers(solver, row); i < solver->count; i++)
        reduce(solver, solver->stack[i], &value);
    solver->diagonal[row] = dense[row] > 0 ? dense[row] : 0x1p-900; /* only rounding takes it to 0 */
    dense[row] = 0;
    for (size_t i = solver->first[row]; i < solver->first[row + 1]; i++)
    {
        solver->upper[i] = dense[solver->pattern.items[i]];
        dense[solver->pattern.items[i]] = 0;
    }
    solver->value[row] = value;
}

static void substitute_back(geoimage_solver *solver)
{
    for (uint32_t row = solver->count; row-- > 0;)
    {
        geoimage_point sum = solver->value[row];
        for (size_t i = solver->first[row]; i < solver->first[row + 1]; i++)
        {
            geoimage_point known = solver->value[solver->pattern.items[i]];
            sum.x -= solver->upper[i] * known.x, sum.y -= solver->upper[i] * known.y;
        }
        sum.x /= solver->diagonal[row], sum.y /= solver->diagonal[row];
        solver->value[row] = sum;
        solver->system->value[solver->order[row]] = sum;
    }
}

void geoimage_solver_run(geoimage_solver *solver)
{
    for (uint32_t row = 0; row < solver->count; row++)
        solver->mark[row] = GEOIMAGE_NONE, solver->dense[row] = 0;
    for (uint32_t row = 0; row < solver->count; row++)
        eliminate_row(solver, row);
    substitute_back(solver);
}

static bool allocate(geoimage_solver *solver)
{
    size_t count = solver->count;
    base_arena *arena = &solver->arena;
    solver->order = base_arena_allocate(arena, count, sizeof *solver->order, 8);
    solver->row = base_arena_allocate(arena, count, sizeof *solver->row, 8);
    solver->parent = base_arena_allocate(arena, count, sizeof *solver->parent, 8);
    solver->child = base_arena_allocate(arena, count, sizeof *solver->child, 8);
    solver->sibling = base_arena_allocate(arena, count, sizeof *solver->sibling, 8);
    solver->mark = base_arena_allocate(arena, count, sizeof *solver->mark, 8);
    solver->stack = base_arena_allocate(arena, count, sizeof *solver->stack, 8);
    solver->first = base_arena_allocate(arena, count + 1, sizeof *solver->first, 8);
    solver->diagonal = base_arena_allocate(arena, count, sizeof *solver->diagonal, 8);
    solver->dense = base_arena_allocate(arena, count, sizeof *solver->dense, 8);
    solver->value = base_arena_allocate(arena, count, sizeof *solver->value, 8);
    return solver->order && solver->row && solver->parent && solver->child && solver->sibling && solver->mark &&
           solver->stack && solver->first && solver->diagonal && solver->dense && solver->value;
}

static bool prepare(geoimage_solver *solver)
{
    if (!allocate(solver) || !geoimage_order(solver->system, solver->order))
        return false;
    for (uint32_t row = 0; row < solver->count; row++)
        solver->row[solver->order[row]] = row;
    if (!find_patterns(solver))
        return false;
    solver->upper = base_allocate(solver->system->context, solver->pattern.count, sizeof *solver->upper, 8);
    return solver->upper;
}

geoimage_solver *geoimage_solver_create(const geoimage_system *system)
{
    geoimage_solver *solver = base_allocate(system->context, 1, sizeof *solver, _Alignof(geoimage_solver));
    if (!solver)
        return NULL;
    *solver = (geoimage_solver){.system = system, .arena = {.context = system->context}, .count = system->count};
    if (prepare(solver))
        return solver;
    geoimage_solver_free(solver);
    return NULL;
}

void geoimage_solver_free(geoimage_solver *solver)
{
    if (!solver)
        return;
    carom_context *context = solver->system->context;
    base_release(context, solver->upper, solver->pattern.count, sizeof *solver->upper);
    base_array_free(context, &solver->pattern);
    base_arena_free(&solver->arena);
    base_release(context, solver, 1, sizeof *solver);
}
