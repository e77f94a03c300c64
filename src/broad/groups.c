/* Groups of eight boxes: memory, and the order of their slots. */
#include "broad/groups.h"

void broad_groups_free(broad_groups *groups)
{
    for (int level = 0; level < BROAD_LEVELS; level++)
        base_array_free(groups->context, &groups->levels[level]);
    base_array_free(groups->context, &groups->lanes);
}

bool broad_groups_add(broad_groups *groups)
{
    if (!base_array_reserve(groups->context, &groups->lanes, BROAD_LANES))
        return false;
    size_t count = groups->lanes.count + BROAD_LANES;
    for (int level = 0; level < BROAD_LEVELS; level++)
    {
        count = (count + BROAD_LANES - 1) / BROAD_LANES;
        size_t have = groups->levels[level].count;
        if (count > have && !base_array_reserve(groups->context, &groups->levels[level], count - have))
            return false;
    }
    broad_group *group = &groups->levels[0].items[groups->levels[0].count++];
    for (int i = 0; i < BROAD_LANES; i++)
    {
        groups->lanes.items[groups->lanes.count++] = (broad_lane){0, 0};
        for (int axis = 0; axis < 3; axis++)
            group->low[axis][i] = INFINITY, group->high[axis][i] = -INFINITY;
        group->slack[i] = 0.0f, group->slot[i] = BROAD_NO_SLOT;
    }
    return true;
}

/* ---- order ---- */

#define HUGE_CENTRE 0x1p500 /* its square is finite; what is farther away does not count */

typedef struct cube
{
    carom_vec3 low; /* twice, like the centres */
    double scale;
} cube;

static carom_vec3 twice_centre(const carom_aabb *box) { return vec3_add(box->min, box->max); }

/* The cube in which most of the centres are: the mean plus and minus 3.5 standard deviations, or all if that is less.
 * One scale for all axes, so that cells are cubes. */
static cube choose_cube(const uint64_t *items, size_t count, const carom_aabb *boxes)
{
    carom_vec3 sum = {0, 0, 0}, squares = {0, 0, 0}, origin = {0, 0, 0}, low = {0, 0, 0}, high = {0, 0, 0};
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
    {
        carom_vec3 c = twice_centre(&boxes[(uint32_t)items[i]]);
        if (!(fabs(c.x) < HUGE_CENTRE && fabs(c.y) < HUGE_CENTRE && fabs(c.z) < HUGE_CENTRE))
            continue;
        if (n++ == 0)
            origin = c;
        c = vec3_sub(c, origin);
        sum = vec3_add(sum, c);
        squares = vec3_add(squares, (carom_vec3){c.x * c.x, c.y * c.y, c.z * c.z});
        low = (carom_vec3){fmin(low.x, c.x), fmin(low.y, c.y), fmin(low.z, c.z)};
        high = (carom_vec3){fmax(high.x, c.x), fmax(high.y, c.y), fmax(high.z, c.z)};
    }
    const double *s = &sum.x, *q = &squares.x;
    double *l = &low.x, *h = &high.x, side = 0.0;
    for (int axis = 0; axis < 3 && n > 0; axis++)
    {
        double mean = s[axis] / (double)n, reach = 3.5 * sqrt(fmax(0.0, q[axis] / (double)n - mean * mean));
        l[axis] = fmax(l[axis], mean - reach);
        h[axis] = fmin(h[axis], mean + reach);
        side = fmax(side, h[axis] - l[axis]);
    }
    return (cube){vec3_add(low, origin), side > 0.0 && 1023.999 / side < INFINITY ? 1023.999 / side : 0.0};
}

static uint32_t cell(double value, double low, double scale)
{
    double at = (value - low) * scale;
    return at > 0.0 ? (at < 1023.0 ? (uint32_t)at : 1023) : 0; /* 0 where not a number */
}

static void set_codes(const broad_curve *curve, uint64_t *items, size_t count, const carom_aabb *boxes, const cube *in)
{
    for (size_t i = 0; i < count; i++)
    {
        carom_vec3 centre = twice_centre(&boxes[(uint32_t)items[i]]);
        uint32_t x = cell(centre.x, in->low.x, in->scale), y = cell(centre.y, in->low.y, in->scale);
        uint32_t code = broad_curve_code(curve, x, y, cell(centre.z, in->low.z, in->scale));
        items[i] = (uint64_t)code << 32 | (uint32_t)items[i];
    }
}

/* Sorts a range of the items into the same range of `sorted`. Many in one cell are sorted again in a cube of their own.
 */
static void sort_range(carom_context *context, broad_order *order, size_t first, size_t count, const carom_aabb *boxes,
                       int depth)
{
    enum
    {
        MAX_EQUAL = 16,
        MAX_DEPTH = 32
    };
    uint64_t *items = order->items.items + first, *sorted = order->sorted.items + first;
    cube in = choose_cube(items, count, boxes);
    if (in.scale == 0.0 || depth == MAX_DEPTH)
    {
        memcpy(sorted, items, count * sizeof *items);
        return;
    }
    set_codes(&order->curve, items, count, boxes, &in);
    base_sort_codes(context, items, sorted, (uint32_t)count);
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
