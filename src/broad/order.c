/* The order of slots along a curve: which cube it fills, and cells that hold too many. */
#include "broad/order.h"

#define HUGE_CENTRE 0x1p500 /* its square is finite; what is farther away does not count */

enum
{
    MAX_SAMPLES = 1024,
    MAX_EQUAL = 16,
    MAX_DEPTH = 32,
    MIN_CODES = 4096,   /* worth handing to another worker */
    MAX_COARSE = 100000 /* boxes for which a coarse cube is enough: many more on a floor would crowd its cells */
};

/* Of two numbers; fmin and fmax, which take anything, are calls. */
static double smaller(double a, double b) { return a < b ? a : b; }
static double larger(double a, double b) { return a > b ? a : b; }

static carom_vec3 twice_centre(const carom_aabb *box) { return vec3_add(box->min, box->max); }

/* The cube in which most of the centres are: the mean plus and minus 3.5 standard deviations, or all if that is less,
 * as far as some of them tell. One scale for all axes, so that cells are cubes. */
static broad_cube choose_cube(const uint64_t *items, size_t count, const carom_aabb *boxes)
{
    carom_vec3 sum = {0, 0, 0}, squares = {0, 0, 0}, origin = {0, 0, 0}, low = {0, 0, 0}, high = {0, 0, 0};
    size_t n = 0, samples = count < MAX_SAMPLES ? count : MAX_SAMPLES;
    for (size_t i = 0; i < samples; i++)
    {
        carom_vec3 c = twice_centre(&boxes[(uint32_t)items[i * count / samples]]);
        if (!(fabs(c.x) < HUGE_CENTRE && fabs(c.y) < HUGE_CENTRE && fabs(c.z) < HUGE_CENTRE))
            continue;
        if (n++ == 0)
            origin = c;
        c = vec3_sub(c, origin);
        sum = vec3_add(sum, c);
        squares = vec3_add(squares, (carom_vec3){c.x * c.x, c.y * c.y, c.z * c.z});
        low = (carom_vec3){smaller(low.x, c.x), smaller(low.y, c.y), smaller(low.z, c.z)};
        high = (carom_vec3){larger(high.x, c.x), larger(high.y, c.y), larger(high.z, c.z)};
    }
    bool is_fine = count > MAX_COARSE;
    double largest = (is_fine ? BROAD_CURVE_SIDE : BROAD_COARSE_SIDE) - 0.001;
    double side = 0.0;
    for (int axis = 0; axis < 3 && n > 0; axis++)
    {
        double mean = vec3_at(&sum, axis) / (double)n, square = vec3_at(&squares, axis) / (double)n;
        double reach = 3.5 * sqrt(fmax(0.0, square - mean * mean));
        double *from = vec3_part(&low, axis), *to = vec3_part(&high, axis);
        *from = fmax(*from, mean - reach), *to = fmin(*to, mean + reach);
        side = fmax(side, *to - *from);
    }
    return (broad_cube){vec3_add(low, origin), side > 0.0 && largest / side < INFINITY ? largest / side : 0.0, is_fine};
}

typedef struct code_task
{
    const broad_order *order;
    carom_context *context;
    const carom_aabb *boxes;
    broad_items items;
    broad_cube cube;
} code_task;

static void set_codes(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    (void)worker;
    const code_task *task = data;
    BASE_PICK_ISA(task->context, broad_order_codes)
    (&task->order->curve, &task->cube, task->boxes,
     (broad_items){task->items.from + first, task->items.to + first, last - first});
}

/* Sorts a range of the items into the same range of `sorted`. Many in one cell are sorted again in a cube of their own.
 */
static void sort_range(carom_context *context, broad_order *order, size_t first, size_t count, const carom_aabb *boxes,
                       int depth)
{
    uint64_t *items = order->items.items + first, *sorted = order->sorted.items + first;
    broad_cube cube = choose_cube(items, count, boxes);
    if (cube.scale == 0.0 || depth == MAX_DEPTH)
    {
        memcpy(sorted, items, count * sizeof *items);
        return;
    }
    code_task task = {order, context, boxes, {items, cube.is_fine ? items : sorted, count}, cube};
    base_parallel_for(context, (uint32_t)count, MIN_CODES, set_codes, &task);
    if (cube.is_fine)
        base_sort_codes(context, items, sorted, (uint32_t)count);
    else
        base_sort_short_codes(context, sorted, items, (uint32_t)count);
    for (size_t begin = 0, end; begin < count; begin = end)
    {
        for (end = begin + 1; end < count && sorted[end] >> 32 == sorted[begin] >> 32;)
            end++;
        if (end - begin <= MAX_EQUAL)
            continue;
        memcpy(items + begin, sorted + begin, (end - begin) * sizeof *items);
        sort_range(context, order, first + begin, end - begin, boxes, depth + 1);
    }
}

void broad_order_sort(carom_context *context, broad_order *order, const carom_aabb *boxes)
{
    order->sorted.count = order->items.count;
    if (order->items.count > 0)
        sort_range(context, order, 0, order->items.count, boxes, 0);
}
