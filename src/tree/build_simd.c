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

enum
{
    BATCH = 16 /* records that are binned at a time */
};

/* Bins per unit of length along each axis, and how many; 0 where all centres coincide. */
typedef struct bin_scale
{
    _Alignas(32) float scale[8];
    uint32_t used;
    bool any; /* some axis to split along */
} bin_scale;

typedef struct split
{
    float cost;
    uint32_t imbalance;
    int axis;     /* -1: none found */
    uint32_t bin; /* the last one on the left */
} split;

static BASE_ALWAYS_INLINE f8 empty_box(void) { return f8_set1(-INFINITY); }

/* (centre, -centre), doubled */
static BASE_ALWAYS_INLINE f8 centre_of(f8 box) { return f8_sub(f8_swap(box), box); }

static BASE_ALWAYS_INLINE f8 centre_box(f8 box) { return f8_sub(box, f8_swap(box)); }

static uint32_t bins_for(uint32_t count)
{
    uint32_t wanted = 4 + count / 8;
    return wanted < BUILD_MAX_BINS / 2 ? wanted : BUILD_MAX_BINS / 2;
}

static BASE_ALWAYS_INLINE bin_scale scale_of(f8 centres, uint32_t count)
{
    bin_scale out = {.used = bins_for(count)};
    f8 extent = f8_add(centres, f8_swap(centres)), spread = f8_gt(f8_xyz(extent), f8_zero());
    f8 bins = f8_set1(0.99999f * (float)out.used), one = f8_set1(1.0f);
    f8 scale = f8_min(f8_div(bins, f8_select(spread, extent, one)), f8_set1(FLT_MAX));
    f8_store(out.scale, f8_and(scale, spread));
    out.any = f8_bits(spread) != 0;
    return out;
}

static BASE_ALWAYS_INLINE void fill_bins(build_bins *bins, const bin_scale *scales, const build_box *boxes,
                                         uint32_t count, f8 centres)
{
    for (int axis = 0; axis < 3; axis++)
        for (uint32_t i = 0; i < scales->used; i++)
        {
            f8_store(bins->box[axis][i].v, empty_box());
            bins->count[axis][i] = 0;
        }
    f8 scale = f8_load(scales->scale), last = f8_set1((float)(scales->used - 1));
    /* First the bins of a few records, then the records: otherwise each load would wait until the target of the
     * previous store is known. */
    for (uint32_t first = 0; first < count; first += BATCH)
    {
        _Alignas(32) float at[BATCH][8];
        uint32_t batch = count - first < BATCH ? count - first : BATCH;
        for (uint32_t i = 0; i < batch; i++)
        {
            f8 box = f8_xyz(f8_load(boxes[first + i].v));
            f8_store(at[i], f8_min(f8_mul(f8_add(centre_of(box), centres), scale), last));
        }
        for (uint32_t i = 0; i < batch; i++)
        {
            f8 box = f8_xyz(f8_load(boxes[first + i].v));
            for (int axis = 0; axis < 3; axis++)
            {
                uint32_t bin = (uint32_t)(int32_t)at[i][axis];
                float *joint = bins->box[axis][bin].v;
                f8_store(joint, f8_max(f8_load(joint), box));
                bins->count[axis][bin]++;
            }
        }
    }
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

/* Areas, or volumes, of both sides of the splits along all axes. In [t], lanes 0 to 2 have those of the left side of
 * the split after bin t, lanes 4 to 6 those of the right side of the split that leaves t + 1 bins there; infinite if a
 * side is empty. */
typedef struct side_measures
{
    _Alignas(32) float of[BUILD_MAX_BINS][8];
} side_measures;

static BASE_ALWAYS_INLINE void measure_sides(const build_bins *bins, uint32_t used, f8 unit, bool by_volume,
                                             side_measures *out)
{
    const f8 lower = f8_lt(f8_two(-1.0f, 1.0f), f8_zero());
    f8 left[3], right[3];
    for (int axis = 0; axis < 3; axis++)
        left[axis] = right[axis] = empty_box();
    for (uint32_t t = 0; t + 1 < used; t++)
    {
        f8 extent[4];
        for (int axis = 0; axis < 3; axis++)
        {
            left[axis] = f8_max(left[axis], f8_load(bins->box[axis][t].v));
            right[axis] = f8_max(right[axis], f8_load(bins->box[axis][used - 1 - t].v));
            f8 low = f8_select(lower, left[axis], f8_swap(right[axis])); /* -min of the left side, max of the right */
            f8 high = f8_select(lower, f8_swap(left[axis]), right[axis]);
            extent[axis] = f8_mul(f8_add(low, high), unit);
        }
        extent[3] = extent[2];
        f8_transpose(extent);
        f8 x = extent[0], y = extent[1], z = extent[2];
        f8 area = f8_add(f8_add(f8_mul(x, y), f8_mul(y, z)), f8_mul(z, x));
        f8_store(out->of[t], by_volume ? f8_mul(f8_mul(x, y), z) : area);
    }
}

static split best_split(const build_bins *bins, const bin_scale *scales, f8 bounds, uint32_t count,
                        const build_options *options)
{
    split best = {INFINITY, UINT32_MAX, -1, 0};
    const uint32_t round_up = options->block_size - 1, block_mask = ~round_up, used = scales->used;
    side_measures measures;
    measure_sides(bins, used, unit_of(bounds), options->by_volume, &measures);
    for (int axis = 0; axis < 3; axis++)
    {
        if (!(scales->scale[axis] > 0.0f))
            continue;
        uint32_t left = 0;
        for (uint32_t i = 0; i + 1 < used; i++)
        {
            left += bins->count[axis][i];
            uint32_t right = count - left;
            if (!left || !right)
                continue;
            float cost = measures.of[i][axis] * (float)((left + round_up) & block_mask) +
                         measures.of[used - 2 - i][4 + axis] * (float)((right + round_up) & block_mask);
            uint32_t imbalance = left > right ? left - right : right - left;
            if (cost < best.cost || (cost == best.cost && imbalance < best.imbalance))
                best = (split){cost, imbalance, axis, i};
        }
    }
    return best;
}

/* Bounds of both sides of a split, added to what is there. */
static void add_bounds(const build_bins *bins, const bin_scale *scales, const split *at, f8 bounds[2])
{
    for (uint32_t i = 0; i < scales->used; i++)
        bounds[i > at->bin] = f8_max(bounds[i > at->bin], f8_load(bins->box[at->axis][i].v));
}

/* Records [first, last) on their way to the other buffer: left ones from the front on, right ones from the back. */
typedef struct move_work
{
    const build_box *from;
    build_box *to;
    uint32_t count;       /* of the whole range */
    uint32_t first, last; /* counted from the range's first */
    uint32_t front;       /* where the next left one goes */
    f8 centres[2];        /* of what went to either side */
} move_work;

static BASE_ALWAYS_INLINE f8 bound_centres(const build_box *boxes, uint32_t count)
{
    f8 centres = empty_box();
    for (uint32_t i = 0; i < count; i++)
        centres = f8_max(centres, centre_box(f8_xyz(f8_load(boxes[i].v))));
    return centres;
}

/* Either side is in a row afterwards, so its centres are bounded in a loop without masks. */
static BASE_ALWAYS_INLINE void move_records(move_work *work, const bin_scale *scales, const split *at, f8 centres)
{
    _Alignas(32) float low[8];
    f8_store(low, centres);
    const build_box *from = work->from;
    build_box *to = work->to;
    const float offset = low[at->axis], scale = scales->scale[at->axis], limit = (float)(at->bin + 1);
    const uint32_t back = work->count - 1, left_first = work->front;
    uint32_t front = left_first;
    for (uint32_t i = work->first; i < work->last; i++)
    {
        uint32_t goes_left = (build_box_centre(&from[i], at->axis) + offset) * scale < limit;
        uint32_t right_place = back - i + front, differing = right_place ^ front;
        f8_store(to[right_place ^ (differing & (0 - goes_left))].v, f8_load(from[i].v)); /* without a branch */
        front += goes_left;
    }
    uint32_t left_count = front - left_first, right_count = work->last - work->first - left_count;
    work->front = front;
    work->centres[0] = bound_centres(to + left_first, left_count);
    work->centres[1] = bound_centres(to + (back - (work->last - 1) + front), right_count);
}

static build_box *buffer_of(const build_work *work, bool spare) { return spare ? work->spare : work->boxes; }

/* What becomes of a range: its left part is [0, count). */
typedef struct parts
{
    f8 bounds[2], centres[2];
    uint32_t count;
    bool moved; /* to the other buffer */
} parts;

/* Halves by count in the order they are in: for equal centres, and where a chain would go too deep. */
static void halve(const build_box *boxes, uint32_t count, parts *out)
{
    const uint32_t start[3] = {0, count / 2, count};
    out->count = start[1], out->moved = false;
    for (int side = 0; side < 2; side++)
    {
        f8 bounds = empty_box();
        for (uint32_t i = start[side]; i < start[side + 1]; i++)
            bounds = f8_max(bounds, f8_xyz(f8_load(boxes[i].v)));
        out->bounds[side] = bounds;
        out->centres[side] = bound_centres(boxes + start[side], start[side + 1] - start[side]);
    }
}

static BASE_ALWAYS_INLINE void divide(const build_work *work, const range *parent, parts *out)
{
    build_box *from = buffer_of(work, parent->in_spare) + parent->first;
    build_box *to = buffer_of(work, !parent->in_spare) + parent->first;
    split best = {.axis = -1};
    bin_scale scales = scale_of(parent->centres, parent->count);
    build_bins bins;
    if (parent->depth < BUILD_FREE_DEPTH && scales.any)
    {
        fill_bins(&bins, &scales, from, parent->count, parent->centres);
        best = best_split(&bins, &scales, parent->bounds, parent->count, work->options);
    }
    if (best.axis < 0)
    {
        halve(from, parent->count, out);
        return;
    }
    out->bounds[0] = out->bounds[1] = empty_box();
    add_bounds(&bins, &scales, &best, out->bounds);
    move_work moved = {.from = from, .to = to, .count = parent->count, .last = parent->count};
    move_records(&moved, &scales, &best, parent->centres);
    out->centres[0] = moved.centres[0], out->centres[1] = moved.centres[1];
    out->count = moved.front, out->moved = true;
}

/* ---- subtrees ---- */

static BASE_ALWAYS_INLINE float area_of(f8 box)
{
    _Alignas(32) float e[8];
    f8_store(e, f8_add(box, f8_swap(box)));
    return e[0] * e[1] + e[1] * e[2] + e[2] * e[0];
}

/* Splits the last waiting range: its right part waits in its place, the left one on top. Copies of whole ranges would
 * be made in smaller pieces than they are read in, which a processor waits for. */
static BASE_ALWAYS_INLINE void split_last(const build_work *work, range *last, uint32_t node)
{
    parts parts;
    divide(work, last, &parts);
    range *left = last + 1, *right = last;
    left->bounds = parts.bounds[0], left->centres = parts.centres[0];
    left->node = node, left->first = last->first, left->count = parts.count;
    left->depth = last->depth + 1, left->in_spare = last->in_spare != parts.moved;
    right->bounds = parts.bounds[1], right->centres = parts.centres[1];
    right->node = node + 1, right->first += parts.count, right->count -= parts.count;
    right->depth = left->depth, right->in_spare = left->in_spare;
}

static uint32_t grow(build_top *top, uint32_t index)
{
    const build_work *work = top->builder;
    const build_branch *branch = &top->branches[index];
    tree_node *nodes = work->grown + 2 * (size_t)branch->first;
    float *areas = work->grown_areas + 2 * (size_t)branch->first;
    /* Depth first: one waiting sibling per level. */
    range waiting[BUILD_DEPTH_LIMIT + 1], *last = waiting;
    uint32_t node_count = 1;
    *last = (range){.first = branch->first, .count = branch->count, .depth = branch->depth};
    last->bounds = f8_load(work->spreads[index].bounds.v);
    last->centres = f8_load(work->spreads[index].centres.v);
    last->in_spare = branch->in_spare;
    for (;;)
    {
        areas[last->node] = area_of(last->bounds);
        if (last->count > work->options->leaf_size)
        {
            nodes[last->node] = (tree_node){node_count, 0};
            split_last(work, last++, node_count);
            node_count += 2;
            continue;
        }
        nodes[last->node] = (tree_node){last->first, last->count};
        if (last->in_spare)
            memcpy(work->boxes + last->first, work->spare + last->first, last->count * sizeof *work->boxes);
        if (last == waiting)
            return node_count;
        last--;
    }
}

static void place(build_top *top, uint32_t index)
{
    const build_work *work = top->builder;
    const build_branch *branch = &top->branches[index];
    if (branch->left)
    {
        work->nodes[branch->node] = (tree_node){branch->below, 0};
        work->areas[branch->node] = area_of(f8_load(work->spreads[index].bounds.v));
        return;
    }
    const tree_node *grown = work->grown + 2 * (size_t)branch->first;
    const float *areas = work->grown_areas + 2 * (size_t)branch->first;
    build_place_nodes(branch, grown, work->nodes);
    work->areas[branch->node] = areas[0];
    memcpy(work->areas + branch->below, areas + 1, (branch->node_count - 1) * sizeof *areas);
}

/* ---- the top, in blocks ---- */

static bin_scale branch_scale(const build_top *top, uint32_t branch)
{
    const build_work *work = top->builder;
    return scale_of(f8_load(work->spreads[branch].centres.v), top->branches[branch].count);
}

static void look(build_top *top, uint32_t index, uint32_t pass)
{
    (void)pass;
    const build_work *work = top->builder;
    const build_block *block = &top->blocks[index];
    const build_branch *branch = &top->branches[block->branch];
    const build_spread *spread = &work->spreads[block->branch];
    bin_scale scales = branch_scale(top, block->branch);
    const build_box *boxes = buffer_of(work, branch->in_spare) + branch->first + block->first;
    fill_bins(&work->blocks[index].bins, &scales, boxes, block->last - block->first, f8_load(spread->centres.v));
}

static void add_bins(build_bins *sum, const build_bins *bins, uint32_t used)
{
    for (int axis = 0; axis < 3; axis++)
        for (uint32_t i = 0; i < used; i++)
        {
            float *joint = sum->box[axis][i].v;
            f8_store(joint, f8_max(f8_load(joint), f8_load(bins->box[axis][i].v)));
            sum->count[axis][i] += bins->count[axis][i];
        }
}

static uint32_t choose(build_top *top, uint32_t index)
{
    const build_work *work = top->builder;
    const build_branch *branch = &top->branches[index];
    build_spread *spread = &work->spreads[index];
    bin_scale scales = branch_scale(top, index);
    if (branch->depth >= BUILD_FREE_DEPTH || !scales.any)
        return 0;
    build_bins all = work->blocks[branch->first_block].bins;
    for (uint32_t i = branch->first_block + 1; i < branch->last_block; i++)
        add_bins(&all, &work->blocks[i].bins, scales.used);
    split best = best_split(&all, &scales, f8_load(spread->bounds.v), branch->count, work->options);
    if (best.axis < 0)
        return 0;
    spread->axis = best.axis, spread->bin = best.bin;
    uint32_t left = 0;
    for (uint32_t i = branch->first_block; i < branch->last_block; i++)
    {
        uint32_t own = 0;
        for (uint32_t bin = 0; bin <= best.bin; bin++)
            own += work->blocks[i].bins.count[best.axis][bin];
        top->blocks[i].left_count = own;
        left += own;
    }
    return left;
}

static void move(build_top *top, uint32_t index)
{
    const build_work *work = top->builder;
    const build_block *block = &top->blocks[index];
    const build_branch *branch = &top->branches[block->branch];
    const build_spread *spread = &work->spreads[block->branch];
    bin_scale scales = branch_scale(top, block->branch);
    split at = {.axis = spread->axis, .bin = spread->bin};
    move_work moved = {.from = buffer_of(work, branch->in_spare) + branch->first,
                       .to = buffer_of(work, !branch->in_spare) + branch->first,
                       .count = branch->count,
                       .first = block->first,
                       .last = block->last,
                       .front = block->left_before};
    move_records(&moved, &scales, &at, f8_load(spread->centres.v));
    for (int side = 0; side < 2; side++)
        f8_store(work->blocks[index].centres[side].v, moved.centres[side]);
}

static void adopt(build_top *top, uint32_t index)
{
    const build_work *work = top->builder;
    const build_branch *branch = &top->branches[index];
    const build_spread *spread = &work->spreads[index];
    bin_scale scales = branch_scale(top, index);
    split at = {.axis = spread->axis, .bin = spread->bin};
    f8 bounds[2] = {empty_box(), empty_box()}, centres[2] = {empty_box(), empty_box()};
    for (uint32_t i = branch->first_block; i < branch->last_block; i++)
    {
        add_bounds(&work->blocks[i].bins, &scales, &at, bounds);
        for (int side = 0; side < 2; side++)
            centres[side] = f8_max(centres[side], f8_load(work->blocks[i].centres[side].v));
    }
    for (uint32_t side = 0; side < 2; side++)
    {
        f8_store(work->spreads[branch->left + side].bounds.v, bounds[side]);
        f8_store(work->spreads[branch->left + side].centres.v, centres[side]);
    }
}

const build_method *BASE_ISA(build_binned_method)(void)
{
    static const build_method method = {
        .pass_count = 1, .look = look, .choose = choose, .move = move, .adopt = adopt, .grow = grow, .place = place};
    return &method;
}

/* ---- records ---- */

void BASE_ISA(build_add_spread)(const build_box *boxes, uint32_t count, build_spread *spread)
{
    f8 bounds = f8_load(spread->bounds.v), centres = f8_load(spread->centres.v);
    for (uint32_t i = 0; i < count; i++)
    {
        f8 box = f8_xyz(f8_load(boxes[i].v));
        bounds = f8_max(bounds, box);
        centres = f8_max(centres, centre_box(box));
    }
    f8_store(spread->bounds.v, bounds);
    f8_store(spread->centres.v, centres);
}

void BASE_ISA(build_gather_boxes)(const carom_mesh *mesh, float (*vertices)[4], uint32_t first, uint32_t last,
                                  build_box *out)
{
    const float minus = -0.0f, plus = 0.0f;
    const f8 negate = f8_two(minus, plus);
    for (uint32_t i = first; i < last; i++)
    {
        const uint32_t *index = mesh->indices + 3 * (size_t)i;
        f8 a = f8_xor(f8_twice(vertices[index[0]]), negate), b = f8_xor(f8_twice(vertices[index[1]]), negate);
        f8_store(out[i].v, f8_max(f8_max(a, b), f8_xor(f8_twice(vertices[index[2]]), negate)));
        build_box_set_id(&out[i], i);
    }
}
