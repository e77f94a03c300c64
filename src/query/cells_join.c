/* Which segments within a triangle may cross? Where they are short in some direction, compared with all of them
 * together, a sweep along it compares each with few others. Otherwise the square that holds them is divided into four,
 * until that is so: segments that cross do so in one of the four. Segments with a common end do not cross elsewhere; a
 * star of many is not divided further once nearly all that is left has one end in common. Nor is a square that nearly
 * all pass from side to side, unless many of them change their order. All this in doubles, with room for their errors.
 */
#include "query/cells.h"

enum
{
    FEW = 12,      /* others that each is compared with */
    MAX_DEPTH = 40 /* of squares */
};

static const double SLACK = 0x1p-40; /* relative, far more than the rounding of a few operations */

/* A square, and the segments that may pass through it: task->cells->items[first, first + count). */
typedef struct square
{
    double centre[2], half;
    size_t first, count;
    int depth;
} square;

typedef struct join
{
    cells_task *task;
    square stack[3 * MAX_DEPTH + 4];
    int size;
    size_t limit; /* of comparisons, for a ladder */
} join;

/* ---- two segments ---- */

static double cross_of(const double origin[2], const double along[2], const double p[2])
{
    return along[0] * (p[1] - origin[1]) - along[1] * (p[0] - origin[0]);
}

/* Is the point, moved by up to `reach` along both axes, certainly not on the line? Its side, or 0. */
static int side_of(const query_cut *cut, const double p[2], double reach)
{
    const double along[2] = {cut->end[1][0] - cut->end[0][0], cut->end[1][1] - cut->end[0][1]};
    double x = fabs(p[0] - cut->end[0][0]), y = fabs(p[1] - cut->end[0][1]), u = fabs(along[0]), v = fabs(along[1]);
    double bound = (reach + 2.0 * cut->pad) * (u + v) + 4.0 * cut->pad * (x + y) + SLACK * (u * y + v * x) + 0x1p-1000;
    double side = cross_of(cut->end[0], along, p);
    return (side > bound) - (side < -bound);
}

static bool are_beside(const query_cut *a, const query_cut *b)
{
    int side = side_of(a, b->end[0], 2.0 * b->pad);
    return side != 0 && side == side_of(a, b->end[1], 2.0 * b->pad);
}

static bool are_apart(const query_cut *a, const query_cut *b)
{
    double pad = 2.0 * (a->pad + b->pad);
    for (int i = 0; i < 2; i++)
        if (fmax(a->end[0][i], a->end[1][i]) + pad < fmin(b->end[0][i], b->end[1][i]) ||
            fmax(b->end[0][i], b->end[1][i]) + pad < fmin(a->end[0][i], a->end[1][i]))
            return true;
    return false;
}

static bool has_end(const query_cut *cut, const double end[2])
{
    for (int i = 0; i < 2; i++)
        if (cut->given[i] && cut->end[i][0] == end[0] && cut->end[i][1] == end[1])
            return true;
    return false;
}

static bool share_end(const query_cut *a, const query_cut *b)
{
    return (a->given[0] && has_end(b, a->end[0])) || (a->given[1] && has_end(b, a->end[1]));
}

/* Two triangles of one mesh with a common edge meet nowhere else, unless they overlap in one plane. */
static bool share_edge(const cells_task *task, const query_cut *a, const query_cut *b)
{
    const uint32_t *neighbours = task->bodies[a->body].mesh.mesh->neighbours + 3 * (size_t)a->triangle;
    return a->body == b->body && a->edge == 3 && b->edge == 3 &&
           (neighbours[0] == b->triangle || neighbours[1] == b->triangle || neighbours[2] == b->triangle);
}

static carom_status compare(const join *join, uint64_t first, uint64_t second)
{
    query_cells *cells = join->task->cells;
    const query_cut *a = &cells->cuts.items[first], *b = &cells->cuts.items[second];
    cells->compared++;
    if (are_apart(a, b) || are_beside(a, b) || are_beside(b, a) || share_end(a, b) ||
        (a->body == b->body && a->triangle == b->triangle) || share_edge(join->task, a, b))
        return CAROM_OK;
    if (!base_array_reserve(join->task->query->context, &cells->pairs, 1))
        return cells_no_memory(join->task);
    cells->pairs.items[cells->pairs.count++] = first < second ? first << 32 | second : second << 32 | first;
    return CAROM_OK;
}

/* ---- sweeps ---- */

/* The range of a segment along a direction, within the square. */
static void range_of(const query_cut *cut, const square *in, const double direction[2], double out[2])
{
    double reach = in->half * (fabs(direction[0]) + fabs(direction[1])),
           middle = in->centre[0] * direction[0] + in->centre[1] * direction[1];
    double a = cut->end[0][0] * direction[0] + cut->end[0][1] * direction[1],
           b = cut->end[1][0] * direction[0] + cut->end[1][1] * direction[1];
    double pad = 4.0 * cut->pad + SLACK * (fabs(a) + fabs(b));
    out[0] = fmax(fmin(a, b) - pad, middle - reach), out[1] = fmin(fmax(a, b) + pad, middle + reach);
}

/* Across the direction that most of them have: of the sum of their squares, the axis with the smaller value. */
static void across(const query_cells *cells, const square *in, double out[2])
{
    double xx = 0.0, xy = 0.0, yy = 0.0;
    for (size_t i = 0; i < in->count; i++)
    {
        const query_cut *cut = &cells->cuts.items[cells->items.items[in->first + i]];
        double x = (cut->end[1][0] - cut->end[0][0]) / in->half, y = (cut->end[1][1] - cut->end[0][1]) / in->half;
        xx += x * x, xy += x * y, yy += y * y;
    }
    double angle = 0.5 * atan2(2.0 * xy, xx - yy);
    out[0] = -sin(angle), out[1] = cos(angle);
}

/* With how many others would each be compared, about? */
static double crowd_along(const query_cells *cells, const square *in, const double direction[2])
{
    double low = INFINITY, high = -INFINITY, sum = 0.0;
    for (size_t i = 0; i < in->count; i++)
    {
        double range[2];
        range_of(&cells->cuts.items[cells->items.items[in->first + i]], in, direction, range);
        low = fmin(low, range[0]), high = fmax(high, range[1]), sum += fmax(range[1] - range[0], 0.0);
    }
    return high > low ? sum / (high - low) : (double)in->count;
}

static double best_direction(const query_cells *cells, const square *in, double out[2])
{
    double directions[3][2] = {{1.0, 0.0}, {0.0, 1.0}}, best = INFINITY;
    across(cells, in, directions[2]);
    for (int i = 0; i < 3; i++)
    {
        double crowd = crowd_along(cells, in, directions[i]);
        if (crowd < best)
            best = crowd, out[0] = directions[i][0], out[1] = directions[i][1];
    }
    return best;
}

static uint64_t key_of_double(double value)
{
    uint64_t bits;
    value += 0.0; /* -0 and 0 are the same place */
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | 0x8000000000000000u;
}

static carom_status sweep(join *join, const square *in, const double direction[2])
{
    query_cells *cells = join->task->cells;
    double range[2];
    CELLS_TRY(cells_reserve_order(join->task, in->count));
    base_key_value *order = cells->order.items;
    for (size_t i = 0; i < in->count; i++)
    {
        uint64_t item = cells->items.items[in->first + i];
        range_of(&cells->cuts.items[item], in, direction, range);
        order[i] = (base_key_value){key_of_double(range[0]), item};
    }
    base_sort_keys(order, cells->order_space.items, in->count);
    for (size_t i = 0; i < in->count; i++)
    {
        range_of(&cells->cuts.items[order[i].value], in, direction, range);
        uint64_t end = key_of_double(range[1]);
        for (size_t k = i + 1; k < in->count && order[k].key <= end; k++)
            CELLS_TRY(compare(join, order[i].value, order[k].value));
    }
    return CAROM_OK;
}

/* ---- ladders ---- */

/* Does a segment reach from one side of the square to the other along an axis? */
static bool spans(const query_cut *cut, const square *in, int axis)
{
    double low = fmin(cut->end[0][axis], cut->end[1][axis]), high = fmax(cut->end[0][axis], cut->end[1][axis]);
    return low + 4.0 * cut->pad <= in->centre[axis] - in->half && high - 4.0 * cut->pad >= in->centre[axis] + in->half;
}

/* Where a segment that spans the square passes its lower or upper side: a range, for all errors. */
static void rung_of(const query_cut *cut, const square *in, int axis, int side, double out[2])
{
    int other = 1 - axis;
    double from = cut->end[0][other], along = cut->end[1][axis] - cut->end[0][axis], rise = cut->end[1][other] - from;
    double at = in->centre[axis] + (side == 0 ? -in->half : in->half) - cut->end[0][axis];
    double middle = from + at / along * rise,
           pad = 4.0 * cut->pad * (1.0 + fabs(rise / along)) +
                 SLACK * (fabs(from) + fabs(rise) + fabs(rise / along) * (fabs(in->centre[axis]) + in->half));
    out[0] = middle - pad, out[1] = middle + pad;
}

/* Compares those that span the square and whose ranges at one side of it overlap, or which come in another order than
 * in `before`. Both in order of where the ranges begin; cells->ranks receives the order at this side. */
static carom_status climb(join *join, const square *in, int axis, int side, size_t count)
{
    query_cells *cells = join->task->cells;
    const base_key_value *before = cells->order.items;
    base_key_value *after = cells->ranks.items;
    double widest = 0.0, range[2];
    for (size_t i = 0; i < count; i++)
    {
        rung_of(&cells->cuts.items[before[i].value], in, axis, side, range);
        widest = fmax(widest, range[1] - range[0]);
        const base_key_value here = {key_of_double(range[0]), before[i].value};
        uint64_t near = key_of_double(range[0] - 2.0 * widest);
        size_t at = i;
        for (; at > 0 && after[at - 1].key > here.key; at--)
        {
            CELLS_TRY(compare(join, after[at - 1].value, here.value));
            after[at] = after[at - 1];
        }
        after[at] = here;
        for (size_t k = at; k > 0 && after[k - 1].key >= near; k--)
            CELLS_TRY(compare(join, after[k - 1].value, here.value));
        if (cells->compared > join->limit)
            return CAROM_STOPPED;
    }
    return CAROM_OK;
}

/* Compares the few that do not span the square with all; the others are put into cells->order, sorted where they enter
 * it. */
static carom_status enter_ladder(join *join, const square *in, int axis, size_t *count)
{
    query_cells *cells = join->task->cells;
    double range[2];
    *count = 0;
    for (size_t i = 0; i < in->count; i++)
    {
        uint64_t item = cells->items.items[in->first + i];
        const query_cut *cut = &cells->cuts.items[item];
        if (spans(cut, in, axis))
        {
            rung_of(cut, in, axis, 0, range);
            cells->order.items[(*count)++] = (base_key_value){key_of_double(range[0]), item};
            continue;
        }
        for (size_t k = 0; k < in->count; k++)
            if (k != i)
                CELLS_TRY(compare(join, item, cells->items.items[in->first + k]));
    }
    base_sort_keys(cells->order.items, cells->order_space.items, *count);
    return CAROM_OK;
}

/* Nearly all span the square along an axis: those that keep their order from side to side, like rungs of a ladder, do
 * not cross there. CAROM_STOPPED: too many do not. */
static carom_status take_ladder(join *join, const square *in, int axis)
{
    query_cells *cells = join->task->cells;
    carom_context *context = join->task->query->context;
    size_t count;
    cells->ranks.count = 0;
    CELLS_TRY(cells_reserve_order(join->task, in->count));
    if (!base_array_reserve(context, &cells->ranks, in->count))
        return cells_no_memory(join->task);
    join->limit = cells->compared + 4 * FEW * in->count;
    CELLS_TRY(enter_ladder(join, in, axis, &count));
    CELLS_TRY(climb(join, in, axis, 0, count));
    return climb(join, in, axis, 1, count);
}

/* The axis along which all but a few span the square; -1: none. */
static int ladder_axis(const query_cells *cells, const square *in)
{
    for (int axis = 0; axis < 2; axis++)
    {
        size_t others = 0;
        for (size_t i = 0; i < in->count && others <= FEW; i++)
            others += !spans(&cells->cuts.items[cells->items.items[in->first + i]], in, axis);
        if (others <= FEW && in->half > 0.0)
            return axis;
    }
    return -1;
}

/* ---- stars ---- */

static size_t count_with_end(const query_cells *cells, const square *in, const double end[2])
{
    size_t count = 0;
    for (size_t i = 0; i < in->count; i++)
        count += has_end(&cells->cuts.items[cells->items.items[in->first + i]], end);
    return count;
}

/* Finds an end that nearly all of them have, if there is one: then it is among those of any FEW + 1. */
static const double *common_end(const query_cells *cells, const square *in)
{
    for (size_t i = 0; i <= FEW && i < in->count; i++)
        for (int k = 0; k < 2; k++)
        {
            const query_cut *cut = &cells->cuts.items[cells->items.items[in->first + i]];
            if (cut->given[k] && fabs(cut->end[k][0] - in->centre[0]) <= 2.0 * in->half &&
                fabs(cut->end[k][1] - in->centre[1]) <= 2.0 * in->half &&
                in->count - count_with_end(cells, in, cut->end[k]) <= FEW)
                return cut->end[k];
        }
    return NULL;
}

static carom_status compare_others(join *join, const square *in, const double end[2])
{
    const query_cells *cells = join->task->cells;
    for (size_t i = 0; i < in->count; i++)
    {
        uint64_t item = cells->items.items[in->first + i];
        if (has_end(&cells->cuts.items[item], end))
            continue;
        for (size_t k = 0; k < in->count; k++)
            if (k != i)
                CELLS_TRY(compare(join, item, cells->items.items[in->first + k]));
    }
    return CAROM_OK;
}

/* ---- squares ---- */

static bool passes(const query_cut *cut, const square *in)
{
    double reach = in->half * (1.0 + SLACK) + 2.0 * cut->pad;
    for (int i = 0; i < 2; i++)
    {
        double slack = reach + SLACK * fabs(in->centre[i]);
        if (fmin(cut->end[0][i], cut->end[1][i]) > in->centre[i] + slack ||
            fmax(cut->end[0][i], cut->end[1][i]) < in->centre[i] - slack)
            return false;
    }
    return side_of(cut, in->centre, reach + SLACK * (fabs(in->centre[0]) + fabs(in->centre[1]))) == 0;
}

static carom_status divide(join *join, const square *in)
{
    query_cells *cells = join->task->cells;
    for (int quarter = 0; quarter < 4; quarter++)
    {
        double half = 0.5 * in->half;
        square part = {
            .centre = {in->centre[0] + (quarter & 1 ? half : -half), in->centre[1] + (quarter & 2 ? half : -half)},
            .half = half,
            .first = cells->items.count,
            .depth = in->depth + 1};
        if (!base_array_reserve(join->task->query->context, &cells->items, in->count))
            return cells_no_memory(join->task);
        for (size_t i = 0; i < in->count; i++)
        {
            uint64_t item = cells->items.items[in->first + i];
            if (passes(&cells->cuts.items[item], &part))
                cells->items.items[cells->items.count++] = item;
        }
        cells->compared += in->count;
        part.count = cells->items.count - part.first;
        join->stack[join->size++] = part;
    }
    return CAROM_OK;
}

static carom_status take_square(join *join, const square *in)
{
    const query_cells *cells = join->task->cells;
    double direction[2];
    if (in->count < 2)
        return CAROM_OK;
    if (best_direction(cells, in, direction) <= FEW || in->count <= FEW || in->depth >= MAX_DEPTH)
        return sweep(join, in, direction);
    const double *end = common_end(cells, in);
    if (end)
        return compare_others(join, in, end);
    int axis = ladder_axis(cells, in);
    carom_status status = axis >= 0 ? take_ladder(join, in, axis) : CAROM_STOPPED;
    return status == CAROM_STOPPED ? divide(join, in) : status;
}

/* The square around all of them. */
static square first_square(const query_cells *cells)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (size_t i = 0; i < cells->cuts.count; i++)
        for (int k = 0; k < 4; k++)
        {
            const query_cut *cut = &cells->cuts.items[i];
            double at = cut->end[k / 2][k % 2], pad = 2.0 * cut->pad;
            low[k % 2] = fmin(low[k % 2], at - pad), high[k % 2] = fmax(high[k % 2], at + pad);
        }
    return (square){.centre = {0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1])},
                    .half = 0.5 * fmax(high[0] - low[0], high[1] - low[1]),
                    .count = cells->cuts.count};
}

carom_status cells_join_cuts(cells_task *task)
{
    query_cells *cells = task->cells;
    cells->pairs.count = cells->items.count = cells->compared = 0;
    if (cells->cuts.count < 2)
        return CAROM_OK;
    if (!base_array_reserve(task->query->context, &cells->items, cells->cuts.count))
        return cells_no_memory(task);
    for (size_t i = 0; i < cells->cuts.count; i++)
        cells->items.items[cells->items.count++] = i;
    join join = {.task = task, .size = 1};
    join.stack[0] = first_square(cells);
    while (join.size > 0)
    {
        const square in = join.stack[--join.size];
        cells->items.count = in.first + in.count; /* what is above it is done */
        CELLS_TRY(take_square(&join, &in));
    }
    return query_sort_unique(task->query->context, &cells->pairs, &task->query->sort_space) ? CAROM_OK
                                                                                            : cells_no_memory(task);
}
