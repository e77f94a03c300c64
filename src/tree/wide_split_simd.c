/* Top-down splits by the binned surface area heuristic, along the frame's axes and, on request, along each node's
 * principal axes (chapter 25.2; measured 10 to 40 % better trees for oriented boxes). Nothing is fused here, so that
 * every instruction set builds the same tree. */
#include "base/simd.h"
#include "tree/wide_split.h"

enum
{
    STACK_LIMIT = 128,      /* depth is bounded by MAX_UNBALANCED + 32 */
    MAX_UNBALANCED = 64,    /* below this depth ranges are halved */
    PRINCIPAL_SAMPLE = 256, /* sample of triangles for a large node */
    PRINCIPAL_FROM = 9      /* triangles; smaller nodes are not worth an eigenvalue problem */
};

/* Records [first, first + count) of one of the buffers. */
typedef struct split_range
{
    uint32_t first, count, depth;
    bool in_spare;
} split_range;

static const split_box EMPTY_BOX = {{3e38f, 3e38f, 3e38f, 0, 3e38f, 3e38f, 3e38f, 0}};

static inline float box_area(const float *b)
{
    float x = -(b[0] + b[4]), y = -(b[1] + b[5]), z = -(b[2] + b[6]);
    return x * y + y * z + z * x;
}

static inline float twice_centre(const split_box *box, int axis) { return box->lane[axis] - box->lane[4 + axis]; }

/* Twice the centre, in the upper half negated: the smallest of each lane make a box of centres. */
static BASE_ALWAYS_INLINE f8 twice_centres(f8 box) { return f8_sub(box, f8_swap(box)); }

static split_box *buffer_of(const split_work *work, bool spare) { return spare ? work->spare : work->build->boxes; }

static split_box *keys_of(const split_work *work, const split_range *range, int frame)
{
    return (frame == PRINCIPAL ? work->local : buffer_of(work, range->in_spare)) + range->first;
}

/* ---- first pass: bounds and principal axes ---- */

/* Area-weighted covariance of the centres, then its axes. */
static void principal_frame(const split_box *boxes, uint32_t count, float axis[3][3])
{
    double sum[3] = {0}, square[6] = {0}, weight = 0;
    uint32_t stride = count > PRINCIPAL_SAMPLE ? count / PRINCIPAL_SAMPLE : 1;
    for (uint32_t i = 0; i < count; i += stride)
    {
        float b[8]; /* without the id: compilers subtract whole vectors */
        f8_storeu(b, f8_xyz(f8_loadu(boxes[i].lane)));
        float x = b[0] - b[4], y = b[1] - b[5], z = b[2] - b[6];
        float w = box_area(b) + 1e-30f;
        weight += (double)w;
        sum[0] += (double)(w * x), sum[1] += (double)(w * y), sum[2] += (double)(w * z);
        square[0] += (double)(w * x * x), square[1] += (double)(w * x * y), square[2] += (double)(w * x * z);
        square[3] += (double)(w * y * y), square[4] += (double)(w * y * z), square[5] += (double)(w * z * z);
    }
    double inverse = 1.0 / weight;
    double covariance[6] = {square[0] - sum[0] * sum[0] * inverse, square[1] - sum[0] * sum[1] * inverse,
                            square[2] - sum[0] * sum[2] * inverse, square[3] - sum[1] * sum[1] * inverse,
                            square[4] - sum[1] * sum[2] * inverse, square[5] - sum[2] * sum[2] * inverse};
    wide_principal_axes(covariance, axis);
}

static void begin_plan(const split_work *work, const split_range *range, split_plan *plan)
{
    plan->frame_count = work->build->principal_splits && range->count >= PRINCIPAL_FROM ? FRAME_COUNT : 1;
    if (plan->frame_count > 1)
        principal_frame(keys_of(work, range, OWN), range->count, plan->axis);
}

/* Boxes of some of the range's triangles along the principal axes, into work->local. */
static void project_boxes(const split_work *work, const split_range *some, const float axis[3][3])
{
    const split_box *records = keys_of(work, some, OWN);
    split_box *local = work->local + some->first;
    f8 column[3]; /* a lane per axis, the upper half for its opposite */
    for (int j = 0; j < 3; j++)
        column[j] =
            f8_loadu((float[8]){axis[0][j], axis[1][j], axis[2][j], 0.0f, -axis[0][j], -axis[1][j], -axis[2][j], 0.0f});
    for (uint32_t i = 0; i < some->count; i++)
    {
        const float *v = work->build->corners + 9 * (size_t)split_box_id(&records[i]);
        f8 corner[3];
        for (int c = 0; c < 3; c++)
            corner[c] = f8_add(f8_add(f8_mul(column[0], f8_set1(v[3 * c])), f8_mul(column[1], f8_set1(v[3 * c + 1]))),
                               f8_mul(column[2], f8_set1(v[3 * c + 2])));
        f8_storeu(local[i].lane, f8_min(f8_min(corner[0], corner[1]), corner[2]));
    }
}

static split_extent extent_of(const split_box *boxes, uint32_t count)
{
    f8 bounds = f8_loadu(EMPTY_BOX.lane), centres = bounds;
    for (uint32_t i = 0; i < count; i++)
    {
        f8 box = f8_xyz(f8_loadu(boxes[i].lane));
        bounds = f8_min(bounds, box);
        centres = f8_min(centres, twice_centres(box));
    }
    split_extent out;
    f8_storeu(out.bounds.lane, bounds);
    f8_storeu(out.centres.lane, centres);
    return out;
}

static void measure_extents(const split_work *work, const split_range *some, const split_plan *plan,
                            split_extent out[FRAME_COUNT])
{
    if (plan->frame_count > 1)
        project_boxes(work, some, plan->axis);
    for (int frame = 0; frame < plan->frame_count; frame++)
        out[frame] = extent_of(keys_of(work, some, frame), some->count);
}

/* ---- second pass: bins ---- */

/* The extents are known now. */
static void plan_bins(split_plan *plan, uint32_t count)
{
    plan->bin_count = count >= 32 ? SPLIT_MAX_BINS : count >= 8 ? 8 : 4;
    for (int frame = 0; frame < plan->frame_count; frame++)
    {
        const float *centres = plan->extent[frame].centres.lane;
        for (int axis = 0; axis < 3; axis++)
        {
            float width = -centres[4 + axis] - centres[axis];
            plan->low[frame][axis] = centres[axis];
            plan->scale[frame][axis] = width > 1e-30f ? (float)plan->bin_count * 0.9999f / width : 0.0f;
        }
        plan->low[frame][3] = plan->scale[frame][3] = 0.0f;
    }
    float own = box_area(plan->extent[OWN].bounds.lane);
    float local = plan->frame_count > 1 ? box_area(plan->extent[PRINCIPAL].bounds.lane) : own;
    plan->area = local < own ? local : own;
}

static void fill_bins(const split_box *boxes, uint32_t count, const split_plan *plan, int frame, split_bins *out)
{
    f8 lows = f8_twice(plan->low[frame]), scales = f8_twice(plan->scale[frame]);
    for (int axis = 0; axis < 3; axis++)
        for (uint32_t bin = 0; bin < plan->bin_count; bin++)
            out->box[axis][bin] = EMPTY_BOX, out->count[axis][bin] = 0;
    for (uint32_t i = 0; i < count; i++)
    {
        f8 box = f8_xyz(f8_loadu(boxes[i].lane));
        float at[8];
        f8_storeu(at, f8_mul(f8_sub(twice_centres(box), lows), scales));
        for (int axis = 0; axis < 3; axis++)
        {
            uint32_t bin = (uint32_t)(int32_t)at[axis];
            float *target = out->box[axis][bin].lane;
            f8_storeu(target, f8_min(f8_loadu(target), box));
            out->count[axis][bin]++;
        }
    }
}

static void add_bins(split_bins *sum, const split_bins *more, uint32_t bin_count)
{
    for (int axis = 0; axis < 3; axis++)
        for (uint32_t bin = 0; bin < bin_count; bin++)
        {
            float *target = sum->box[axis][bin].lane;
            f8_storeu(target, f8_min(f8_loadu(target), f8_loadu(more->box[axis][bin].lane)));
            sum->count[axis][bin] += more->count[axis][bin];
        }
}

/* ---- the choice ---- */

static void best_of_axis(const split_bins *filled, uint32_t bin_count, int axis, split_choice *best)
{
    float right_cost[SPLIT_MAX_BINS];
    f8 all = f8_loadu(EMPTY_BOX.lane);
    uint32_t n = 0;
    float lanes[8];
    for (uint32_t bin = bin_count - 1; bin > 0; bin--)
    {
        all = f8_min(all, f8_loadu(filled->box[axis][bin].lane));
        n += filled->count[axis][bin];
        f8_storeu(lanes, all);
        right_cost[bin] = n ? box_area(lanes) * (float)n : 0.0f;
    }
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): the bins of every frame are filled */
    uint32_t total = n + filled->count[axis][0];
    all = f8_loadu(EMPTY_BOX.lane);
    n = 0;
    for (uint32_t bin = 1; bin < bin_count; bin++)
    {
        all = f8_min(all, f8_loadu(filled->box[axis][bin - 1].lane));
        n += filled->count[axis][bin - 1];
        if (n == 0 || n == total)
            continue;
        f8_storeu(lanes, all);
        float cost = box_area(lanes) * (float)n + right_cost[bin];
        if (cost < best->cost)
            best->cost = cost, best->axis = axis, best->bin = bin;
    }
}

/* Looks for the cheapest split, along the principal axes only if those are better. */
static void choose_split(split_plan *plan, const split_bins filled[FRAME_COUNT])
{
    plan->choice = (split_choice){.cost = INFINITY};
    for (int frame = 0; frame < plan->frame_count; frame++)
    {
        float before = plan->choice.cost;
        for (int axis = 0; axis < 3; axis++)
            if (plan->scale[frame][axis] > 0.0f)
                best_of_axis(&filled[frame], plan->bin_count, axis, &plan->choice);
        if (plan->choice.cost < before)
            plan->choice.frame = frame;
    }
}

/* Moves some of a range's records to the other buffer: left ones from the front on, right ones from the back. Returns
 * where the next left one would go. */
static uint32_t move_records(const split_work *work, const split_range *range, const split_plan *plan,
                             const build_block *some)
{
    const split_box *from = keys_of(work, range, OWN), *keys = keys_of(work, range, plan->choice.frame);
    split_box *to = buffer_of(work, !range->in_spare) + range->first;
    int axis = plan->choice.axis;
    float low = plan->low[plan->choice.frame][axis], scale = plan->scale[plan->choice.frame][axis];
    uint32_t front = some->left_before, back = range->count - 1;
    for (uint32_t i = some->first; i < some->last; i++)
    {
        uint32_t bin = (uint32_t)(int32_t)((twice_centre(&keys[i], axis) - low) * scale);
        uint32_t goes_left = bin < plan->choice.bin, right_place = back - i + front;
        to[right_place ^ ((right_place ^ front) & (0 - goes_left))] = from[i]; /* without a branch */
        front += goes_left;
    }
    return front;
}

/* ---- subtrees ---- */

/* Splits a range into two. */
static void divide(const split_work *work, const split_range *range, split_range child[2], float *area)
{
    split_plan plan;
    split_bins bins[FRAME_COUNT];
    begin_plan(work, range, &plan);
    measure_extents(work, range, &plan, plan.extent);
    plan_bins(&plan, range->count);
    for (int frame = 0; frame < plan.frame_count; frame++)
        fill_bins(keys_of(work, range, frame), range->count, &plan, frame, &bins[frame]);
    choose_split(&plan, bins);
    *area = plan.area;
    bool halve = !(plan.choice.cost < INFINITY) || range->depth >= MAX_UNBALANCED;
    const build_block whole = {.last = range->count};
    uint32_t left = halve ? range->count / 2 : move_records(work, range, &plan, &whole);
    child[0] = child[1] = (split_range){range->first, left, range->depth + 1, range->in_spare != !halve};
    child[1].first += left, child[1].count = range->count - left;
}

/* Nothing left to split: the ids are in their final order. */
static void finish_leaf(const split_work *work, const split_range *range, split_node *node)
{
    const split_box *records = keys_of(work, range, OWN);
    node->area = box_area(extent_of(records, range->count).bounds.lane);
    for (uint32_t i = 0; i < range->count; i++)
        work->build->order[range->first + i] = split_box_id(&records[i]);
}

static uint32_t grow(build_top *top, uint32_t index)
{
    const split_work *work = top->builder;
    const build_branch *branch = &top->branches[index];
    split_node *nodes = work->grown + 2 * (size_t)branch->first;
    struct
    {
        split_range range;
        uint32_t node;
    } waiting[STACK_LIMIT];
    uint32_t waiting_count = 0, node_count = 1;
    waiting[waiting_count].range = (split_range){branch->first, branch->count, branch->depth, branch->in_spare};
    waiting[waiting_count++].node = 0;
    while (waiting_count > 0)
    {
        split_range range = waiting[--waiting_count].range, child[2];
        split_node *node = &nodes[waiting[waiting_count].node];
        *node = (split_node){.first = range.first, .count = range.count};
        if (range.count <= work->build->split_above)
        {
            finish_leaf(work, &range, node);
            continue;
        }
        divide(work, &range, child, &node->area);
        node->left = node_count;
        node_count += 2;
        for (uint32_t side = 2; side-- > 0;)
            waiting[waiting_count].range = child[side], waiting[waiting_count++].node = node->left + side;
    }
    return node_count;
}

static void place(build_top *top, uint32_t index)
{
    const split_work *work = top->builder;
    const build_branch *branch = &top->branches[index];
    split_node *nodes = work->build->nodes;
    if (branch->left)
    {
        nodes[branch->node] = (split_node){.first = branch->first, .count = branch->count, .left = branch->below};
        nodes[branch->node].area = work->plans[index].area;
        return;
    }
    const split_node *grown = work->grown + 2 * (size_t)branch->first;
    for (uint32_t i = 0; i < branch->node_count; i++)
    {
        split_node node = grown[i];
        node.left += node.left ? branch->below - 1 : 0;
        nodes[i ? branch->below + i - 1 : branch->node] = node;
    }
}

/* ---- the top, in blocks ---- */

static split_range range_of(const build_branch *branch)
{
    return (split_range){branch->first, branch->count, branch->depth, branch->in_spare};
}

static bool prepare(build_top *top, uint32_t index, uint32_t pass)
{
    const split_work *work = top->builder;
    const build_branch *branch = &top->branches[index];
    split_plan *plan = &work->plans[index];
    split_range range = range_of(branch);
    if (pass == 0)
    {
        begin_plan(work, &range, plan);
        return branch->depth < MAX_UNBALANCED;
    }
    for (int frame = 0; frame < plan->frame_count; frame++)
    {
        split_extent all = work->blocks[branch->first_block].extent[frame];
        for (uint32_t i = branch->first_block + 1; i < branch->last_block; i++)
        {
            const split_extent *more = &work->blocks[i].extent[frame];
            f8_storeu(all.bounds.lane, f8_min(f8_loadu(all.bounds.lane), f8_loadu(more->bounds.lane)));
            f8_storeu(all.centres.lane, f8_min(f8_loadu(all.centres.lane), f8_loadu(more->centres.lane)));
        }
        plan->extent[frame] = all;
    }
    plan_bins(plan, branch->count);
    return true;
}

static void look(build_top *top, uint32_t index, uint32_t pass)
{
    const split_work *work = top->builder;
    const build_block *block = &top->blocks[index];
    const split_plan *plan = &work->plans[block->branch];
    split_range some = range_of(&top->branches[block->branch]);
    some.first += block->first, some.count = block->last - block->first;
    split_block *out = &work->blocks[index];
    if (pass == 0)
        measure_extents(work, &some, plan, out->extent);
    for (int frame = 0; frame < plan->frame_count && pass == 1; frame++)
        fill_bins(keys_of(work, &some, frame), some.count, plan, frame, &out->bins[frame]);
}

static uint32_t choose(build_top *top, uint32_t index)
{
    const split_work *work = top->builder;
    const build_branch *branch = &top->branches[index];
    split_plan *plan = &work->plans[index];
    split_bins all[FRAME_COUNT];
    for (int frame = 0; frame < plan->frame_count; frame++)
    {
        all[frame] = work->blocks[branch->first_block].bins[frame];
        for (uint32_t i = branch->first_block + 1; i < branch->last_block; i++)
            add_bins(&all[frame], &work->blocks[i].bins[frame], plan->bin_count);
    }
    choose_split(plan, all);
    uint32_t left = 0;
    for (uint32_t i = branch->first_block; i < branch->last_block && plan->choice.cost < INFINITY; i++)
    {
        const uint32_t *count = work->blocks[i].bins[plan->choice.frame].count[plan->choice.axis];
        top->blocks[i].left_count = 0;
        for (uint32_t bin = 0; bin < plan->choice.bin; bin++)
            top->blocks[i].left_count += count[bin];
        left += top->blocks[i].left_count;
    }
    return left;
}

static void move(build_top *top, uint32_t index)
{
    const split_work *work = top->builder;
    const build_block *block = &top->blocks[index];
    split_range range = range_of(&top->branches[block->branch]);
    move_records(work, &range, &work->plans[block->branch], block);
}

const build_method *BASE_ISA(wide_split_method)(void)
{
    static const build_method method = {.pass_count = 2,
                                        .prepare = prepare,
                                        .look = look,
                                        .choose = choose,
                                        .move = move,
                                        .grow = grow,
                                        .place = place};
    return &method;
}
