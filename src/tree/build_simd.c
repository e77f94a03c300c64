/* Binned top-down builder (Wald 2007, "On fast construction of SAH-based bounding volume hierarchies"): all three axes
 * are binned in one pass over the records, then the records move to the other buffer without a branch. Nothing here is
 * fused or rounded differently between instruction sets, so each gives the same tree. */
#include "base/simd.h"
#include "tree/build.h"

#include <float.h>

/* Boxes in registers are (-min, 0, max, 0); `centres` is a box of twice the centres. */
typedef struct range
{
    f8 bounds, centres;
    uint32_t node, first, count, depth;
    bool in_spare;
} range;

typedef struct bin_set
{
    f8 box[3][BUILD_MAX_BINS];
    uint32_t count[3][BUILD_MAX_BINS];
    uint32_t used;
    _Alignas(32) float scale[8];
} bin_set;

typedef struct split
{
    float cost;
    uint32_t imbalance;
    int axis;     /* -1: none found */
    uint32_t bin; /* the last one on the left */
} split;

static BASE_ALWAYS_INLINE f8 nothing(void) { return f8_set1(-INFINITY); }

/* A record without its id. */
static BASE_ALWAYS_INLINE f8 numbers_of(f8 record)
{
    static const union
    {
        uint32_t bits[8];
        _Alignas(32) float v[8];
    } lanes = {{~0u, ~0u, ~0u, 0, ~0u, ~0u, ~0u, 0}};
    return f8_and(record, f8_load(lanes.v));
}

/* (centre, -centre), doubled */
static BASE_ALWAYS_INLINE f8 centre_of(f8 box) { return f8_sub(f8_swap(box), box); }

static BASE_ALWAYS_INLINE f8 centre_box(f8 box) { return f8_sub(box, f8_swap(box)); }

static uint32_t bins_for(uint32_t count)
{
    uint32_t wanted = 4 + count / 8;
    return wanted < BUILD_MAX_BINS / 2 ? wanted : BUILD_MAX_BINS / 2;
}

/* Bins per unit of length along each axis; 0 where all centres coincide. False if they do on every axis. */
static bool set_scale(bin_set *bins, f8 centres)
{
    _Alignas(32) float extent[8];
    f8_store(extent, f8_add(centres, f8_swap(centres)));
    bool any = false;
    for (int i = 0; i < 8; i++)
    {
        bool spread = (i & 3) < 3 && extent[i] > 0.0f;
        float scale = spread ? 0.99999f * (float)bins->used / extent[i] : 0.0f;
        bins->scale[i] = scale < FLT_MAX ? scale : FLT_MAX;
        any |= spread;
    }
    return any;
}

static void fill_bins(bin_set *bins, const build_box *boxes, uint32_t count, f8 centres)
{
    for (int axis = 0; axis < 3; axis++)
        for (uint32_t i = 0; i < bins->used; i++)
        {
            bins->box[axis][i] = nothing();
            bins->count[axis][i] = 0;
        }
    f8 scale = f8_load(bins->scale), last = f8_set1((float)(bins->used - 1));
    for (uint32_t i = 0; i < count; i++)
    {
        f8 box = numbers_of(f8_load(boxes[i].v));
        _Alignas(32) float at[8];
        f8_store(at, f8_min(f8_mul(f8_add(centre_of(box), centres), scale), last));
        uint32_t x = (uint32_t)(int32_t)at[0], y = (uint32_t)(int32_t)at[1], z = (uint32_t)(int32_t)at[2];
        bins->box[0][x] = f8_max(bins->box[0][x], box);
        bins->box[1][y] = f8_max(bins->box[1][y], box);
        bins->box[2][z] = f8_max(bins->box[2][z], box);
        bins->count[0][x]++;
        bins->count[1][y]++;
        bins->count[2][z]++;
    }
}

static BASE_ALWAYS_INLINE float measure(f8 box, f8 unit, bool by_volume)
{
    _Alignas(32) float e[8];
    f8_store(e, f8_mul(f8_add(box, f8_swap(box)), unit));
    return by_volume ? e[0] * e[1] * e[2] : e[0] * e[1] + e[1] * e[2] + e[2] * e[0];
}

/* One over the node's largest extent, so that areas neither overflow nor vanish. */
static f8 unit_of(f8 bounds)
{
    _Alignas(32) float e[8];
    f8_store(e, f8_add(bounds, f8_swap(bounds)));
    float largest = e[0] > e[1] ? e[0] : e[1];
    largest = largest > e[2] ? largest : e[2];
    float unit = largest > 0.0f ? 1.0f / largest : 1.0f;
    return f8_set1(unit < 0x1p126f ? unit : 0x1p126f);
}

static BASE_ALWAYS_INLINE void sweep_axis(const bin_set *bins, int axis, f8 unit, const build_options *options,
                                          split *best)
{
    float right_cost[BUILD_MAX_BINS];
    uint32_t right_count[BUILD_MAX_BINS];
    const uint32_t round_up = options->block_size - 1, block_mask = ~round_up;
    const bool by_volume = options->by_volume;
    f8 box = nothing();
    uint32_t total = 0;
    for (uint32_t i = bins->used - 1; i > 0; i--)
    {
        box = f8_max(box, bins->box[axis][i]);
        total += bins->count[axis][i];
        right_count[i] = total;
        right_cost[i] = total ? measure(box, unit, by_volume) * (float)((total + round_up) & block_mask) : 0.0f;
    }
    box = nothing();
    total = 0;
    for (uint32_t i = 0; i + 1 < bins->used; i++)
    {
        box = f8_max(box, bins->box[axis][i]);
        total += bins->count[axis][i];
        uint32_t right = right_count[i + 1];
        if (!total || !right)
            continue;
        float cost = measure(box, unit, by_volume) * (float)((total + round_up) & block_mask) + right_cost[i + 1];
        uint32_t imbalance = total > right ? total - right : right - total;
        if (cost < best->cost || (cost == best->cost && imbalance < best->imbalance))
            *best = (split){cost, imbalance, axis, i};
    }
}

/* Moves the range's records to the other buffer, left ones from the front and right ones from the back, and fills in
 * the children's counts and boxes of centres. */
static void move_records(const build_box *from, build_box *to, const bin_set *bins, const split *at, range child[2])
{
    uint32_t count = child[0].count;
    f8 limit = f8_set1((float)(at->bin + 1)), none = nothing(), left = none, right = none;
    _Alignas(32) float low[8];
    f8_store(low, child[0].centres);
    float offset = low[at->axis], scale = bins->scale[at->axis];
    uint32_t front = 0;
    for (uint32_t i = 0; i < count; i++)
    {
        f8 record = f8_load(from[i].v), centre = centre_box(numbers_of(record));
        f8 is_left = f8_lt(f8_set1((build_box_centre(&from[i], at->axis) + offset) * scale), limit);
        f8_store(to[front].v, record);
        f8_store(to[count - 1 - i + front].v, record);
        left = f8_max(left, f8_select(is_left, centre, none));
        right = f8_max(right, f8_select(is_left, none, centre));
        front += f8_bits(is_left) & 1;
    }
    child[0].count = front;
    child[1].count = count - front;
    child[0].centres = left;
    child[1].centres = right;
}

/* Halves by count in the order they are in: for equal centres, and where a chain would go too deep. */
static void halve(const build_box *boxes, range child[2])
{
    uint32_t count = child[0].count, half = count / 2;
    const uint32_t start[3] = {0, half, count};
    for (int side = 0; side < 2; side++)
    {
        child[side].count = start[side + 1] - start[side];
        child[side].bounds = child[side].centres = nothing();
        for (uint32_t i = start[side]; i < start[side + 1]; i++)
        {
            f8 box = numbers_of(f8_load(boxes[i].v));
            child[side].bounds = f8_max(child[side].bounds, box);
            child[side].centres = f8_max(child[side].centres, centre_box(box));
        }
    }
}

static void divide(const build_work *work, const range *parent, range child[2])
{
    build_box *from = (parent->in_spare ? work->spare : work->boxes) + parent->first;
    build_box *to = (parent->in_spare ? work->boxes : work->spare) + parent->first;
    child[0] = child[1] = *parent;
    split best = {INFINITY, UINT32_MAX, -1, 0};
    bin_set bins;
    bins.used = bins_for(parent->count);
    if (parent->depth < BUILD_FREE_DEPTH && set_scale(&bins, parent->centres))
    {
        fill_bins(&bins, from, parent->count, parent->centres);
        f8 unit = unit_of(parent->bounds);
        for (int axis = 0; axis < 3; axis++)
            if (bins.scale[axis] > 0.0f)
                sweep_axis(&bins, axis, unit, work->options, &best);
    }
    if (best.axis < 0)
        halve(from, child);
    else
    {
        child[0].bounds = child[1].bounds = nothing();
        for (uint32_t i = 0; i < bins.used; i++)
            child[i > best.bin].bounds = f8_max(child[i > best.bin].bounds, bins.box[best.axis][i]);
        move_records(from, to, &bins, &best, child);
        child[0].in_spare = child[1].in_spare = !parent->in_spare;
    }
    child[0].depth = child[1].depth = parent->depth + 1;
    child[1].first = parent->first + child[0].count;
}

static range whole(const build_work *work)
{
    range root = {.bounds = nothing(), .centres = nothing(), .count = work->count};
    for (uint32_t i = 0; i < work->count; i++)
    {
        f8 box = numbers_of(f8_load(work->boxes[i].v));
        root.bounds = f8_max(root.bounds, box);
        root.centres = f8_max(root.centres, centre_box(box));
    }
    return root;
}

uint32_t BASE_ISA(build_binned_run)(const build_work *work)
{
    /* Depth first: one waiting sibling per level. */
    range waiting[BUILD_DEPTH_LIMIT];
    uint32_t waiting_count = 0, node_count = 1;
    range current = whole(work);
    for (;;)
    {
        f8_store(work->node_boxes[current.node].v, current.bounds);
        if (current.count > work->options->leaf_size)
        {
            range child[2];
            divide(work, &current, child);
            work->nodes[current.node] = (tree_node){node_count, 0};
            child[0].node = node_count++;
            child[1].node = node_count++;
            waiting[waiting_count++] = child[1];
            current = child[0];
            continue;
        }
        work->nodes[current.node] = (tree_node){current.first, current.count};
        if (current.in_spare)
            memcpy(work->boxes + current.first, work->spare + current.first, current.count * sizeof *work->boxes);
        if (!waiting_count)
            return node_count;
        current = waiting[--waiting_count];
    }
}

void BASE_ISA(build_gather_boxes)(const carom_mesh *mesh, float (*vertices)[4], build_box *out)
{
    const float minus = -0.0f, plus = 0.0f;
    const f8 negate = f8_two(minus, plus);
    for (uint32_t i = 0; i < mesh->triangle_count; i++)
    {
        const uint32_t *index = mesh->indices + 3 * (size_t)i;
        f8 a = f8_xor(f8_twice(vertices[index[0]]), negate), b = f8_xor(f8_twice(vertices[index[1]]), negate);
        f8_store(out[i].v, f8_max(f8_max(a, b), f8_xor(f8_twice(vertices[index[2]]), negate)));
        build_box_set_id(&out[i], i);
    }
}
