/* The thesis's balanced tree (4.3.2, eq. 4-1 and 4-2): the plane across one of the three axes that minimises
 * |n_left - n_right| + lambda n_cross; triangles that cross it go to both sides. It ends where a node is small, deep,
 * or a child nearly as big as its parent. The thesis leaves a leaf of any size there (keep_large_leaves); otherwise
 * such a node is halved at the median, without duplicates, so that no leaf is larger than leaf_size. Duplicates are
 * bounded by a budget of MAX_REFERENCES per triangle, shared out among the children by their size. */
#include "tree/build.h"

#include <math.h>

enum
{
    MAX_REFERENCES = 4,
    EXTRA_DEPTH = 8 /* beyond what a perfectly balanced tree has */
};

static const double NEARLY_ALL = 0.9; /* of the parent's triangles in one child: further splits would not help */

typedef struct balanced_range
{
    uint32_t node, first, count, depth; /* first: in `ids` */
    uint64_t budget;
    bool plain; /* no more duplicates: median splits */
} balanced_range;

typedef struct balanced_space
{
    const build_input *input;
    uint32_t depth_limit;
    BASE_ARRAY(uint32_t) ids;         /* of the waiting ranges, the next one last */
    BASE_ARRAY(uint32_t) order;       /* of the finished leaves */
    uint64_t *lows, *highs, *scratch; /* count each */
    uint32_t *sides[2];               /* count each */
    uint64_t handled;                 /* triangles of ranges, since the last step */
    carom_status status;              /* of the steps */
} balanced_space;

typedef struct plane
{
    double penalty;
    int axis;
    uint64_t at; /* a key */
    uint32_t left, right;
} plane;

static bool make_space(balanced_space *space)
{
    carom_context *context = space->input->context;
    size_t count = space->input->count;
    space->lows = base_allocate(context, 3 * count, sizeof *space->lows, BASE_CACHE_LINE);
    space->sides[0] = base_allocate(context, 2 * count, sizeof *space->sides[0], BASE_CACHE_LINE);
    if (!space->lows || !space->sides[0] || !base_array_reserve(context, &space->ids, count))
        return false;
    space->highs = space->lows + count;
    space->scratch = space->highs + count;
    space->sides[1] = space->sides[0] + count;
    return true;
}

static void free_space(balanced_space *space)
{
    carom_context *context = space->input->context;
    size_t count = space->input->count;
    base_release(context, space->lows, 3 * count, sizeof *space->lows);
    base_release(context, space->sides[0], 2 * count, sizeof *space->sides[0]);
    base_array_free(context, &space->ids);
    base_array_free(context, &space->order);
}

/* Order of floats as order of unsigned integers; both zeros alike. Doubled, to leave room in between. */
static uint64_t key_of(float value)
{
    uint32_t bits;
    value += 0.0f;
    memcpy(&bits, &value, sizeof bits);
    return 2 * (uint64_t)(bits >> 31 ? ~bits : bits | 0x80000000u);
}

static uint64_t low_key(const build_box *box, int axis) { return key_of(-box->v[axis]); }

/* A flat triangle ends just after its plane, so that it counts as right of it, never as left and right. */
static uint64_t high_key(const build_box *box, int axis)
{
    return key_of(box->v[4 + axis]) + (box->v[4 + axis] == -box->v[axis]);
}

/* A plane with this many triangles completely left and right of it. */
static void offer_plane(const balanced_space *space, uint32_t count, plane at, plane *best)
{
    uint32_t cross = count - at.left - at.right;
    at.penalty = fabs((double)at.left - (double)at.right) + space->input->balance_penalty * (double)cross;
    at.left += cross, at.right += cross;
    if (at.left > 0 && at.right > 0 && at.penalty < best->penalty)
        *best = at;
}

/* Tries every plane across one axis: through each end of a triangle, and between there and the next, where more
 * triangles cross, which lambda < 1 may prefer for the balance. */
static void try_axis(balanced_space *space, const uint32_t *ids, uint32_t count, int axis, plane *best)
{
    for (uint32_t i = 0; i < count; i++)
    {
        space->lows[i] = low_key(&space->input->boxes[ids[i]], axis);
        space->highs[i] = high_key(&space->input->boxes[ids[i]], axis);
    }
    base_sort_u64(space->lows, space->scratch, count);
    base_sort_u64(space->highs, space->scratch, count);
    uint32_t started = 0, ended = 0; /* lows before the plane, highs up to it */
    while (started < count || ended < count)
    {
        uint64_t at =
            started < count && space->lows[started] < space->highs[ended] ? space->lows[started] : space->highs[ended];
        at &= ~(uint64_t)1;
        while (ended < count && space->highs[ended] <= at)
            ended++;
        offer_plane(space, count, (plane){.axis = axis, .at = at, .left = ended, .right = count - started}, best);
        while (started < count && space->lows[started] <= at)
            started++;
        while (ended < count && space->highs[ended] <= at + 1)
            ended++;
        offer_plane(space, count, (plane){.axis = axis, .at = at + 1, .left = ended, .right = count - started}, best);
    }
}

static void deal_at_plane(balanced_space *space, const uint32_t *ids, uint32_t count, const plane *plane)
{
    uint32_t left = 0, right = 0;
    for (uint32_t i = 0; i < count; i++)
    {
        const build_box *box = &space->input->boxes[ids[i]];
        bool is_left = high_key(box, plane->axis) <= plane->at, is_right = low_key(box, plane->axis) >= plane->at;
        if (!is_right)
            space->sides[0][left++] = ids[i];
        if (!is_left)
            space->sides[1][right++] = ids[i];
    }
}

/* Halves at the median centre along the longest axis. */
static void deal_at_median(balanced_space *space, const uint32_t *ids, uint32_t count)
{
    build_box all = space->input->boxes[ids[0]];
    for (uint32_t i = 1; i < count; i++)
        all = build_join(&all, &space->input->boxes[ids[i]]);
    float size[3] = {all.v[0] + all.v[4], all.v[1] + all.v[5], all.v[2] + all.v[6]};
    int axis = size[0] >= size[1] && size[0] >= size[2] ? 0 : size[1] >= size[2] ? 1 : 2;
    for (uint32_t i = 0; i < count; i++)
        space->lows[i] = key_of(build_box_centre(&space->input->boxes[ids[i]], axis)) << 31 | i;
    base_sort_u64(space->lows, space->scratch, count);
    for (uint32_t i = 0; i < count; i++)
    {
        uint32_t id = ids[space->lows[i] & 0x7fffffffu];
        if (i < count / 2)
            space->sides[0][i] = id;
        else
            space->sides[1][i - count / 2] = id;
    }
}

/* The plane to divide a range at; false where the thesis stops. */
static bool find_plane(balanced_space *space, const balanced_range *range, plane *best)
{
    *best = (plane){.penalty = INFINITY};
    if (range->plain || range->depth >= space->depth_limit)
        return false;
    for (int axis = 0; axis < 3; axis++)
        try_axis(space, space->ids.items + range->first, range->count, axis, best);
    double limit = NEARLY_ALL * (double)range->count;
    return best->penalty < INFINITY && (double)best->left <= limit && (double)best->right <= limit &&
           (uint64_t)best->left + best->right <= range->budget;
}

/* Distributes a range's triangles to the two sides and returns the children's counts. False: the range becomes a leaf.
 */
static bool divide(balanced_space *space, balanced_range *range, uint32_t child_count[2])
{
    const uint32_t *ids = space->ids.items + range->first;
    plane best;
    if (find_plane(space, range, &best))
    {
        deal_at_plane(space, ids, range->count, &best);
        child_count[0] = best.left;
        child_count[1] = best.right;
        return true;
    }
    if (space->input->keep_large_leaves)
        return false;
    range->plain = true;
    deal_at_median(space, ids, range->count);
    child_count[0] = range->count / 2;
    child_count[1] = range->count - range->count / 2;
    return true;
}

static bool finish_leaf(balanced_space *space, const balanced_range *range, build_nodes *nodes)
{
    if (!base_array_reserve(space->input->context, &space->order, range->count))
        return false;
    nodes->items[range->node] = (tree_node){(uint32_t)space->order.count, range->count};
    memcpy(space->order.items + space->order.count, space->ids.items + range->first, range->count * sizeof(uint32_t));
    space->order.count += range->count;
    return true;
}

/* Replaces a range by its children, of these counts, on the pile of ids, the left one last. */
static bool open_children(balanced_space *space, const balanced_range *range, const uint32_t count[2],
                          build_nodes *nodes, balanced_range child[2])
{
    if (!base_array_reserve(space->input->context, &space->ids, (size_t)count[0] + count[1]) ||
        !base_array_reserve(space->input->context, nodes, 2))
        return false;
    uint32_t node = (uint32_t)nodes->count, first[2] = {range->first + count[1], range->first};
    nodes->items[range->node] = (tree_node){node, 0};
    nodes->count += 2;
    for (int side = 0; side < 2; side++)
    {
        memcpy(space->ids.items + first[side], space->sides[side], count[side] * sizeof(uint32_t));
        uint64_t budget = range->budget * count[side] / (count[0] + count[1]);
        child[side] =
            (balanced_range){node + (uint32_t)side, first[side], count[side], range->depth + 1, budget, range->plain};
    }
    space->ids.count = (size_t)first[0] + count[0];
    return true;
}

/* False: cancelled, and space->status says so. */
static bool go_on(balanced_space *space, uint32_t count, uint64_t placed, uint64_t budget)
{
    space->handled += count;
    if (space->handled < BUILD_STEP)
        return true;
    space->handled = 0;
    space->status = build_step(space->input->context, space->input->name, placed, budget);
    return space->status == CAROM_OK;
}

static bool grow(balanced_space *space, build_nodes *nodes)
{
    balanced_range waiting[BUILD_DEPTH_LIMIT];
    uint32_t waiting_count = 0;
    uint64_t budget = (uint64_t)MAX_REFERENCES * space->input->count;
    budget = budget < UINT32_MAX ? budget : UINT32_MAX;
    waiting[waiting_count++] = (balanced_range){.count = space->input->count, .budget = budget};
    uint64_t placed = 0;
    for (uint32_t i = 0; i < space->input->count; i++)
        space->ids.items[space->ids.count++] = i;
    if (!base_array_reserve(space->input->context, nodes, 1))
        return false;
    nodes->count = 1;
    while (waiting_count)
    {
        balanced_range range = waiting[--waiting_count], child[2];
        uint32_t child_count[2];
        space->ids.count = (size_t)range.first + range.count;
        if (!go_on(space, range.count, placed, budget))
            return false;
        if (range.count <= space->input->leaf_size || !divide(space, &range, child_count))
        {
            if (!finish_leaf(space, &range, nodes))
                return false;
            placed += range.budget;
            continue;
        }
        if (!open_children(space, &range, child_count, nodes, child))
            return false;
        waiting[waiting_count++] = child[1];
        waiting[waiting_count++] = child[0];
    }
    return true;
}

carom_status build_balanced(const build_input *input, build_nodes *nodes, uint32_t **order, uint32_t *order_count)
{
    balanced_space space = {.input = input, .depth_limit = input->depth_limit};
    if (space.depth_limit == 0)
    {
        space.depth_limit = EXTRA_DEPTH;
        for (uint32_t left = input->count; left > input->leaf_size; left -= left / 2)
            space.depth_limit++;
    }
    bool done = make_space(&space) && grow(&space, nodes);
    if (done)
    {
        *order = base_allocate(input->context, space.order.count, sizeof **order, BASE_CACHE_LINE);
        done = *order != NULL;
    }
    if (done)
    {
        *order_count = (uint32_t)space.order.count;
        for (uint32_t i = 0; i < *order_count; i++)
            (*order)[i] = build_box_id(&input->boxes[space.order.items[i]]);
    }
    free_space(&space);
    if (space.status != CAROM_OK)
        return space.status;
    return done ? CAROM_OK : build_out_of_memory(input->context, input->count);
}
