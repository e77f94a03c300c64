/* Top-down splits by the binned surface area heuristic, along the frame's axes and, on request, along each node's
 * principal axes (chapter 25.2; measured 10 to 40 % better trees for oriented boxes). Nothing is fused here, so that
 * every instruction set builds the same tree. */
#include "base/simd.h"
#include "tree/wide_build.h"

enum
{
    MOST_BINS = 16,
    STACK_LIMIT = 128,      /* depth is bounded by MOST_UNBALANCED + 32 */
    MOST_UNBALANCED = 64,   /* below this depth ranges are halved */
    PRINCIPAL_SAMPLE = 256, /* triangles that stand for a large node */
    PRINCIPAL_FROM = 9      /* triangles; smaller nodes are not worth an eigenvalue problem */
};

typedef struct bins
{
    split_box box[3][MOST_BINS];
    uint32_t count[3][MOST_BINS];
} bins;

typedef struct split_choice
{
    float cost;
    int axis;
    float low, scale; /* bin = (twice the centre - low) * scale */
    uint32_t bin;     /* first bin of the right side */
} split_choice;

static const split_box EMPTY_BOX = {{3e38f, 3e38f, 3e38f, 0, 3e38f, 3e38f, 3e38f, 0}};

static inline float box_area(const float *b)
{
    float x = -(b[0] + b[4]), y = -(b[1] + b[5]), z = -(b[2] + b[6]);
    return x * y + y * z + z * x;
}

static inline float twice_centre(const split_box *box, int axis) { return box->lane[axis] - box->lane[4 + axis]; }

/* Twice the centre, in the upper half negated: the lanes' least are a box of centres. */
static BASE_ALWAYS_INLINE f8 twice_centres(f8 box) { return f8_sub(box, f8_swap(box)); }

/* Bounds of the boxes and of twice their centres. */
static void range_bounds(const split_box *boxes, uint32_t count, split_box *bounds, split_box *centres)
{
    f8 all = f8_loadu(EMPTY_BOX.lane), among = all;
    for (uint32_t i = 0; i < count; i++)
    {
        f8 box = f8_loadu(boxes[i].lane);
        all = f8_min(all, box);
        among = f8_min(among, twice_centres(box));
    }
    f8_storeu(bounds->lane, all);
    f8_storeu(centres->lane, among);
}

static void fill_bins(const split_box *boxes, uint32_t count, uint32_t bin_count, const float low[4],
                      const float scale[4], bins *out)
{
    f8 lows = f8_twice(low), scales = f8_twice(scale);
    for (int axis = 0; axis < 3; axis++)
        for (uint32_t bin = 0; bin < bin_count; bin++)
            out->box[axis][bin] = EMPTY_BOX, out->count[axis][bin] = 0;
    for (uint32_t i = 0; i < count; i++)
    {
        f8 box = f8_loadu(boxes[i].lane);
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

static void best_of_axis(const bins *filled, uint32_t bin_count, int axis, split_choice *best)
{
    float right_cost[MOST_BINS];
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

/* Looks for a cheaper split of these boxes; true if it found one. */
static bool improve_choice(const split_box *boxes, uint32_t count, split_box *bounds, split_choice *best)
{
    split_box centres;
    range_bounds(boxes, count, bounds, &centres);
    uint32_t bin_count = count >= 32 ? MOST_BINS : count >= 8 ? 8 : 4;
    float low[4] = {0}, scale[4] = {0};
    for (int axis = 0; axis < 3; axis++)
    {
        float width = -centres.lane[4 + axis] - centres.lane[axis];
        low[axis] = centres.lane[axis];
        scale[axis] = width > 1e-30f ? (float)bin_count * 0.9999f / width : 0.0f;
    }
    bins filled;
    fill_bins(boxes, count, bin_count, low, scale, &filled);
    float before = best->cost;
    for (int axis = 0; axis < 3; axis++)
        if (scale[axis] > 0.0f)
            best_of_axis(&filled, bin_count, axis, best);
    if (!(best->cost < before))
        return false;
    best->low = low[best->axis];
    best->scale = scale[best->axis];
    return true;
}

/* Area-weighted covariance of the centres, then its axes. */
static void principal_frame(const wide_build *build, uint32_t first, uint32_t count, float axis[3][3])
{
    double sum[3] = {0}, square[6] = {0}, weight = 0;
    uint32_t stride = count > PRINCIPAL_SAMPLE ? count / PRINCIPAL_SAMPLE : 1;
    for (uint32_t i = first; i < first + count; i += stride)
    {
        const float *b = build->boxes[i].lane;
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

/* Boxes of the range's triangles in another frame, into build->local. */
static void project_boxes(const wide_build *build, uint32_t first, uint32_t count, float axis[3][3])
{
    f8 column[3]; /* a lane per axis, the upper half for its opposite */
    for (int j = 0; j < 3; j++)
        column[j] =
            f8_loadu((float[8]){axis[0][j], axis[1][j], axis[2][j], 0.0f, -axis[0][j], -axis[1][j], -axis[2][j], 0.0f});
    for (uint32_t i = first; i < first + count; i++)
    {
        const float *v = build->corners + 9 * (size_t)build->order[i];
        f8 corner[3];
        for (int c = 0; c < 3; c++)
            corner[c] = f8_add(f8_add(f8_mul(column[0], f8_set1(v[3 * c])), f8_mul(column[1], f8_set1(v[3 * c + 1]))),
                               f8_mul(column[2], f8_set1(v[3 * c + 2])));
        f8_storeu(build->local[i].lane, f8_min(f8_min(corner[0], corner[1]), corner[2]));
    }
}

static void swap_items(wide_build *build, split_box *keys, uint32_t i, uint32_t j)
{
    split_box box = build->boxes[i];
    build->boxes[i] = build->boxes[j], build->boxes[j] = box;
    uint32_t id = build->order[i];
    build->order[i] = build->order[j], build->order[j] = id;
    if (keys != build->boxes)
        box = keys[i], keys[i] = keys[j], keys[j] = box;
}

/* Left part first; returns where the right part starts. */
static uint32_t partition(wide_build *build, split_box *keys, const split_node *node, const split_choice *choice)
{
    uint32_t i = node->first, j = node->first + node->count;
    while (i < j)
    {
        uint32_t bin = (uint32_t)(int32_t)((twice_centre(&keys[i], choice->axis) - choice->low) * choice->scale);
        if (bin < choice->bin)
            i++;
        else
            swap_items(build, keys, i, --j);
    }
    return i;
}

/* Splits one node's range; returns where its right part starts and sets the node's area. */
static uint32_t split_range(wide_build *build, split_node *node, uint32_t depth)
{
    uint32_t middle = node->first + node->count / 2;
    split_choice best = {.cost = INFINITY};
    split_box bounds;
    split_box *keys = build->boxes;
    bool found = improve_choice(build->boxes + node->first, node->count, &bounds, &best);
    node->area = box_area(bounds.lane);
    if (build->principal_splits && node->count >= PRINCIPAL_FROM)
    {
        float axis[3][3];
        principal_frame(build, node->first, node->count, axis);
        project_boxes(build, node->first, node->count, axis);
        if (improve_choice(build->local + node->first, node->count, &bounds, &best))
            keys = build->local, found = true;
        float local_area = box_area(bounds.lane);
        node->area = local_area < node->area ? local_area : node->area;
    }
    if (!found || depth >= MOST_UNBALANCED)
        return middle;
    uint32_t right = partition(build, keys, node, &best);
    return right > node->first && right < node->first + node->count ? right : middle;
}

void BASE_ISA(wide_split)(wide_build *build)
{
    struct
    {
        uint32_t node, depth;
    } stack[STACK_LIMIT];
    uint32_t top = 0;
    build->nodes[0] = (split_node){.first = 0, .count = build->count};
    build->node_count = 1;
    stack[top].node = 0, stack[top++].depth = 0;
    while (top > 0)
    {
        top--;
        split_node *node = &build->nodes[stack[top].node];
        uint32_t depth = stack[top].depth;
        if (node->count <= build->split_above)
        {
            split_box bounds = build->boxes[node->first];
            for (uint32_t i = 1; i < node->count; i++)
                f8_storeu(bounds.lane, f8_min(f8_loadu(bounds.lane), f8_loadu(build->boxes[node->first + i].lane)));
            node->area = box_area(bounds.lane);
            continue;
        }
        uint32_t right = split_range(build, node, depth);
        uint32_t left_count = right - node->first;
        node->left = build->node_count;
        build->nodes[node->left] = (split_node){.first = node->first, .count = left_count};
        build->nodes[node->left + 1] = (split_node){.first = right, .count = node->count - left_count};
        build->node_count += 2;
        stack[top].node = node->left + 1, stack[top++].depth = depth + 1;
        stack[top].node = node->left, stack[top++].depth = depth + 1;
    }
}
