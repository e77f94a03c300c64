/* The order of elimination: nested dissection (George, 1973) by planes in space. A plane cuts a surface along a curve,
 * so the vertices at the cut are few; they come last, and the two sides do not know each other. */
#include "geoimage/geoimage.h"

enum
{
    LEAF = 12,   /* unknowns whose order hardly matters */
    MIN_HUB = 32 /* neighbours that are not very many */
};

typedef struct order_range
{
    uint32_t begin, end;
} order_range;

typedef struct order_work
{
    const geoimage_system *system;
    uint32_t *order, *scratch;
    uint64_t *side; /* per unknown: twice the number of the range, and 1 on its far side */
    uint64_t range_count;
    BASE_ARRAY(order_range) stack;
} order_work;

static double coordinate(const carom_vec3 *p, int axis) { return axis == 0 ? p->x : axis == 1 ? p->y : p->z; }

/* Hoare's selection, ties by number: afterwards those before `middle` come before it. The pivot is the item at a place
 * that no input is made for. */
static void select_middle(const order_work *work, order_range range, uint32_t middle, int axis)
{
    const carom_vec3 *position = work->system->position;
    uint32_t *order = work->order;
    uint64_t random = 0x9e3779b97f4a7c15u;
    while (range.end - range.begin > 1)
    {
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint32_t pivot = order[range.begin + (uint32_t)((random >> 33) % (range.end - range.begin))];
        double at = coordinate(&position[pivot], axis);
        uint32_t low = range.begin, high = range.end - 1;
        for (;;)
        {
            for (double c; (c = coordinate(&position[order[low]], axis)) < at || (c == at && order[low] < pivot);)
                low++;
            for (double c; (c = coordinate(&position[order[high]], axis)) > at || (c == at && order[high] > pivot);)
                high--;
            if (low >= high)
                break;
            uint32_t item = order[low];
            order[low] = order[high], order[high] = item;
        }
        if (low == middle)
            return;
        *(low < middle ? &range.begin : &range.end) = low < middle ? low + 1 : low;
    }
}

/* Does an unknown of one side have neighbours on the other? */
static bool is_at_cut(const order_work *work, uint32_t unknown)
{
    const geoimage_system *system = work->system;
    for (size_t i = system->first[unknown]; i < system->first[unknown + 1]; i++)
        if (work->side[system->neighbour[i]] == (work->side[unknown] ^ 1))
            return true;
    return false;
}

static uint32_t count_at_cut(const order_work *work, order_range range)
{
    uint32_t count = 0;
    for (uint32_t i = range.begin; i < range.end; i++)
        count += is_at_cut(work, work->order[i]);
    return count;
}

/* Divides a range in two by a coordinate, and returns how many unknowns have to be given up: those at the cut on the
 * side where there are fewer. */
static uint32_t divide(order_work *work, order_range range, int axis, bool *near_gives)
{
    uint32_t middle = range.begin + (range.end - range.begin) / 2;
    select_middle(work, range, middle, axis);
    work->range_count++;
    for (uint32_t i = range.begin; i < range.end; i++)
        work->side[work->order[i]] = 2 * work->range_count + (i >= middle);
    uint32_t near = count_at_cut(work, (order_range){range.begin, middle}),
             far = count_at_cut(work, (order_range){middle, range.end});
    *near_gives = near <= far;
    return near <= far ? near : far;
}

/* The shortest cut of three. Those at the cut come last. */
static bool split(order_work *work, order_range range)
{
    uint32_t *order = work->order, middle = range.begin + (range.end - range.begin) / 2, kept = 0, cut = 0;
    uint32_t best = UINT32_MAX;
    bool near_gives;
    int axis = 0;
    for (int k = 0; k < 3; k++)
    {
        uint32_t length = divide(work, range, k, &near_gives);
        if (length < best)
            best = length, axis = k;
    }
    if (axis != 2)
        divide(work, range, axis, &near_gives);
    order_range near = {range.begin, middle}, far = {middle, range.end};
    order_range giving = near_gives ? near : far, other = near_gives ? far : near;
    uint32_t size = giving.end - giving.begin, filled = range.begin;
    /* Those that are kept, from the beginning of the scratch memory, those that are given up, from its end. */
    for (uint32_t i = giving.begin; i < giving.end; i++)
        work->scratch[is_at_cut(work, order[i]) ? size - ++cut : kept++] = order[i];
    memmove(order + filled, order + other.begin, (other.end - other.begin) * sizeof *order);
    filled += other.end - other.begin;
    memcpy(order + filled, work->scratch, size * sizeof *order);
    if (!base_array_reserve(work->system->context, &work->stack, 2))
        return false;
    work->stack.items[work->stack.count++] = (order_range){range.begin, filled};
    work->stack.items[work->stack.count++] = (order_range){filled, filled + kept};
    return true;
}

/* Unknowns with very many neighbours, such as the centre of a fan, would make every cut long: they come last of all. */
static uint32_t put_hubs_last(order_work *work)
{
    const geoimage_system *system = work->system;
    double limit = fmax(MIN_HUB, sqrt(system->count));
    uint32_t filled = 0, hubs = 0;
    for (uint32_t i = 0; i < system->count; i++)
    {
        work->side[i] = 0;
        if ((double)(system->first[i + 1] - system->first[i]) > limit)
            work->scratch[hubs++] = i;
        else
            work->order[filled++] = i;
    }
    memcpy(work->order + filled, work->scratch, hubs * sizeof *work->scratch);
    return filled;
}

static bool dissect(order_work *work)
{
    if (!base_array_reserve(work->system->context, &work->stack, 1))
        return false;
    work->stack.items[work->stack.count++] = (order_range){0, put_hubs_last(work)};
    while (work->stack.count > 0)
    {
        order_range range = work->stack.items[--work->stack.count];
        if (range.end - range.begin > LEAF && !split(work, range))
            return false;
    }
    return true;
}

bool geoimage_order(const geoimage_system *system, uint32_t *order)
{
    carom_context *context = system->context;
    order_work work = {.system = system, .order = order};
    work.scratch = base_allocate(context, system->count, sizeof *work.scratch, 8);
    work.side = base_allocate(context, system->count, sizeof *work.side, 8);
    bool have = work.scratch && work.side;
    have = have && dissect(&work);
    base_release(context, work.scratch, system->count, sizeof *work.scratch);
    base_release(context, work.side, system->count, sizeof *work.side);
    base_array_free(context, &work.stack);
    return have;
}
