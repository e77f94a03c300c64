/* Solving the sparse system by elimination, for both coordinates at once, with the multifrontal method (Duff and Reid,
 * 1983): each block of rows is eliminated in a dense matrix, its front, and what that changes in later rows is left on
 * a stack for the block that has them next. The weights are positive and the diagonal is their sum, so no pivoting is
 * needed. Only the upper factor is kept: the right-hand sides are two more columns of the fronts. */
#include "geoimage/solve.h"

enum
{
    PANEL = 4 /* pivots that are applied to a row in one go */
};

typedef struct front_matrix
{
    double *items;
    size_t pivots, width, stride; /* width + 2 columns */
} front_matrix;

static double *front_row(const front_matrix *front, size_t row) { return front->items + row * front->stride; }

/* ---- dense elimination ---- */

/* Subtracts multiples of up to four rows from another, from a column on. */
static void subtract_rows(double *restrict out, const double *const rows[PANEL], const double factor[PANEL],
                          size_t from, size_t end)
{
    const double *restrict a = rows[0], *restrict b = rows[1], *restrict c = rows[2], *restrict d = rows[3];
    double fa = factor[0], fb = factor[1], fc = factor[2], fd = factor[3];
    for (size_t i = from; i < end; i++)
        out[i] -= ((fa * a[i] + fb * b[i]) + fc * c[i]) + fd * d[i];
}

static void subtract_row(double *restrict out, const double *restrict row, double factor, size_t from, size_t end)
{
    for (size_t i = from; i < end; i++)
        out[i] -= factor * row[i];
}

/* Applies the pivots of a panel to a row below or in it. */
static void reduce_row(const front_matrix *front, size_t row, size_t first, size_t count)
{
    double factor[PANEL], *out = front_row(front, row);
    const double *rows[PANEL];
    for (size_t k = 0; k < count; k++)
    {
        rows[k] = front_row(front, first + k);
        factor[k] = out[first + k] / rows[k][first + k];
        size_t end = count == PANEL ? first + PANEL : front->stride;
        subtract_row(out, rows[k], factor[k], first + k + 1, end);
    }
    if (count == PANEL)
        subtract_rows(out, rows, factor, first + PANEL, front->stride);
}

static void eliminate(const front_matrix *front)
{
    for (size_t first = 0; first < front->pivots; first += PANEL)
    {
        size_t count = front->pivots - first < PANEL ? front->pivots - first : PANEL;
        for (size_t k = 0; k < count; k++)
        {
            reduce_row(front, first + k, first, k);
            double *pivot = front_row(front, first + k) + first + k;
            *pivot = *pivot > 0 ? *pivot : 0x1p-900; /* only rounding takes it to 0 */
        }
        for (size_t row = first + count; row < front->width; row++)
            reduce_row(front, row, first, count);
    }
}

/* ---- fronts ---- */

static void place_rows(geoimage_solver *solver, const solve_block *block)
{
    for (uint32_t i = 0; i < block->row_count; i++)
        solver->place[block->row + i] = i;
    for (uint32_t i = 0; i < block->count; i++)
        solver->place[solver->later.items[block->index + i]] = block->row_count + i;
}

/* Entries of the system between a row of the block and itself or later rows, in both directions. */
static void add_row(const geoimage_solver *solver, const front_matrix *front, uint32_t row)
{
    const geoimage_system *system = solver->system;
    uint32_t unknown = solver->order[row], at = solver->place[row];
    double *out = front_row(front, at);
    out[at] += system->diagonal[unknown];
    out[front->width] += system->value[unknown].x, out[front->width + 1] += system->value[unknown].y;
    for (size_t i = system->first[unknown]; i < system->first[unknown + 1]; i++)
    {
        uint32_t other = solver->row[system->neighbour[i]];
        if (other < row)
            continue;
        out[solver->place[other]] -= system->weight[i];
        front_row(front, solver->place[other])[at] -= system->weight[system->mirror[i]];
    }
}

/* What an earlier block has left. */
static void add_left(const geoimage_solver *solver, const front_matrix *front, const solve_block *child,
                     const double *left)
{
    const uint32_t *later = solver->later.items + child->index;
    for (uint32_t i = 0; i < child->count; i++, left += child->count + 2)
    {
        double *out = front_row(front, solver->place[later[i]]);
        for (uint32_t k = 0; k < child->count; k++)
            out[solver->place[later[k]]] += left[k];
        out[front->width] += left[child->count], out[front->width + 1] += left[child->count + 1];
    }
}

static void keep_upper(geoimage_solver *solver, const front_matrix *front, const solve_block *block)
{
    for (uint32_t i = 0; i < block->row_count; i++)
    {
        const double *row = front_row(front, i);
        memcpy(solver->upper + block->upper + i * front->width, row, front->width * sizeof *row);
        solver->value[block->row + i] = (geoimage_point){row[front->width], row[front->width + 1]};
    }
}

static size_t eliminate_block(geoimage_solver *solver, const solve_block *block, size_t stack)
{
    size_t width = (size_t)block->row_count + block->count;
    front_matrix front = {solver->front, block->row_count, width, width + 2};
    for (size_t i = 0; i < width * front.stride; i++)
        front.items[i] = 0;
    place_rows(solver, block);
    for (uint32_t i = 0; i < block->row_count; i++)
        add_row(solver, &front, block->row + i);
    for (uint32_t c = block->child; c != GEOIMAGE_NONE; c = solver->blocks.items[c].sibling)
    {
        const solve_block *child = &solver->blocks.items[c];
        stack -= (size_t)child->count * (child->count + 2);
        add_left(solver, &front, child, solver->stack + stack);
    }
    eliminate(&front);
    keep_upper(solver, &front, block);
    for (size_t i = 0; i < block->count; i++, stack += block->count + 2)
        memcpy(solver->stack + stack, front_row(&front, block->row_count + i) + block->row_count,
               (block->count + 2) * sizeof(double));
    return stack;
}

static void substitute_back(geoimage_solver *solver, const solve_block *block)
{
    size_t width = (size_t)block->row_count + block->count;
    const uint32_t *later = solver->later.items + block->index;
    for (uint32_t i = block->row_count; i-- > 0;)
    {
        const double *upper = solver->upper + block->upper + i * width;
        geoimage_point sum = solver->value[block->row + i];
        for (uint32_t k = i + 1; k < width; k++)
        {
            uint32_t row = k < block->row_count ? block->row + k : later[k - block->row_count];
            sum.x -= upper[k] * solver->value[row].x, sum.y -= upper[k] * solver->value[row].y;
        }
        sum.x /= upper[i], sum.y /= upper[i];
        solver->value[block->row + i] = sum;
        solver->system->value[solver->order[block->row + i]] = sum;
    }
}

void geoimage_solver_run(geoimage_solver *solver)
{
    size_t stack = 0;
    for (size_t b = 0; b < solver->blocks.count; b++)
        stack = eliminate_block(solver, &solver->blocks.items[b], stack);
    for (size_t b = solver->blocks.count; b-- > 0;)
        substitute_back(solver, &solver->blocks.items[b]);
}

/* ---- memory ---- */

static bool prepare(geoimage_solver *solver)
{
    size_t count = solver->count;
    carom_context *context = solver->system->context;
    base_arena *arena = &solver->arena;
    solver->order = base_arena_allocate(arena, count, sizeof *solver->order, 8);
    solver->row = base_arena_allocate(arena, count, sizeof *solver->row, 8);
    solver->place = base_arena_allocate(arena, count, sizeof *solver->place, 8);
    solver->value = base_arena_allocate(arena, count, sizeof *solver->value, 8);
    if (!solver->order || !solver->row || !solver->place || !solver->value || !solve_plan(solver))
        return false;
    solver->upper = base_allocate(context, solver->upper_size, sizeof *solver->upper, BASE_CACHE_LINE);
    solver->front = base_allocate(context, solver->front_size, sizeof *solver->front, BASE_CACHE_LINE);
    solver->stack = base_allocate(context, solver->stack_size, sizeof *solver->stack, BASE_CACHE_LINE);
    return solver->upper && solver->front && solver->stack;
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
    base_release(context, solver->upper, solver->upper_size, sizeof *solver->upper);
    base_release(context, solver->front, solver->front_size, sizeof *solver->front);
    base_release(context, solver->stack, solver->stack_size, sizeof *solver->stack);
    base_array_free(context, &solver->blocks);
    base_array_free(context, &solver->later);
    base_arena_free(&solver->arena);
    base_release(context, solver, 1, sizeof *solver);
}
