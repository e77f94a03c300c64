/* A tree over the boxes, built anew each frame. The boxes are put in Morton order of their centres' ranks (ranks, not
 * coordinates, so that one body far away does not spoil the order of the rest); above them stand levels of eight
 * boxes a node, implicit in the order. Each box then asks the tree for its partners. */
#include "broad/broad.h"

enum
{
    WIDTH = 8,
    MOST_LEVELS = 12, /* 8^11 > 2^32 */
    RANK_BITS = 21    /* three of them in a 64-bit code */
};

typedef struct broad_level
{
    size_t first; /* in tree_state.boxes */
    uint32_t count;
} broad_level;

typedef struct tree_state
{
    carom_context *context;
    BASE_ARRAY(base_key_value) order, space;
    BASE_ARRAY(uint64_t) codes;   /* per input box */
    BASE_ARRAY(carom_aabb) boxes; /* level 0 in Morton order, then each level above */
    BASE_ARRAY(uint64_t) pair_space;
    broad_level levels[MOST_LEVELS];
    uint32_t level_count;
} tree_state;

static carom_status create(carom_context *context, void **out)
{
    tree_state *tree = base_allocate(context, 1, sizeof *tree, BASE_CACHE_LINE);
    *out = tree;
    if (!tree)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "broad phase tree: no memory");
    memset(tree, 0, sizeof *tree);
    tree->context = context;
    return CAROM_OK;
}

static void destroy(void *state)
{
    tree_state *tree = state;
    base_array_free(tree->context, &tree->order);
    base_array_free(tree->context, &tree->space);
    base_array_free(tree->context, &tree->codes);
    base_array_free(tree->context, &tree->boxes);
    base_array_free(tree->context, &tree->pair_space);
    base_release(tree->context, tree, 1, sizeof *tree);
}

/* ---- order ---- */

/* An unsigned number that sorts as the double does. */
static uint64_t sortable(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

/* Puts two zero bits between the low 21 bits of a number. */
static uint64_t spread(uint64_t x)
{
    x &= 0x1fffff;
    x = (x | x << 32) & 0x1f00000000ffff;
    x = (x | x << 16) & 0x1f0000ff0000ff;
    x = (x | x << 8) & 0x100f00f00f00f00f;
    x = (x | x << 4) & 0x10c30c30c30c30c3;
    return (x | x << 2) & 0x1249249249249249;
}

static double twice_centre(const carom_aabb *box, int axis)
{
    return axis == 0 ? box->min.x + box->max.x : axis == 1 ? box->min.y + box->max.y : box->min.z + box->max.z;
}

/* Adds each box's rank along one axis to its code. */
static void rank_axis(tree_state *tree, const broad_input *input, int axis, int rank_shift)
{
    base_key_value *order = tree->order.items;
    for (size_t i = 0; i < tree->order.count; i++)
        order[i].key = sortable(twice_centre(&input->boxes[order[i].value], axis));
    base_sort_keys(order, tree->space.items, tree->order.count);
    for (size_t rank = 0; rank < tree->order.count; rank++)
        tree->codes.items[order[rank].value] |= spread(rank >> rank_shift) << axis;
}

static bool sort_boxes(tree_state *tree, const broad_input *input)
{
    tree->order.count = tree->space.count = tree->codes.count = 0;
    if (!base_array_reserve(tree->context, &tree->order, input->count) ||
        !base_array_reserve(tree->context, &tree->space, input->count) ||
        !base_array_reserve(tree->context, &tree->codes, input->count))
        return false;
    for (uint32_t i = 0; i < input->count; i++)
    {
        tree->codes.items[i] = 0;
        if (!broad_is_empty(&input->boxes[i]))
            tree->order.items[tree->order.count++] = (base_key_value){0, i};
    }
    int rank_shift = 0;
    while (tree->order.count >> rank_shift >> RANK_BITS)
        rank_shift++;
    for (int axis = 0; axis < 3; axis++)
        rank_axis(tree, input, axis, rank_shift);
    for (size_t i = 0; i < tree->order.count; i++)
        tree->order.items[i].key = tree->codes.items[tree->order.items[i].value];
    base_sort_keys(tree->order.items, tree->space.items, tree->order.count);
    return true;
}

/* ---- levels ---- */

static bool build_levels(tree_state *tree, const broad_input *input)
{
    size_t total = 0, count = tree->order.count;
    tree->level_count = 0;
    for (;;)
    {
        tree->levels[tree->level_count++] = (broad_level){total, (uint32_t)count};
        total += count;
        if (count <= WIDTH)
            break;
        count = (count + WIDTH - 1) / WIDTH;
    }
    tree->boxes.count = 0;
    if (!base_array_reserve(tree->context, &tree->boxes, total))
        return false;
    carom_aabb *boxes = tree->boxes.items;
    for (size_t i = 0; i < tree->order.count; i++)
        boxes[i] = input->boxes[tree->order.items[i].value];
    for (uint32_t level = 1; level < tree->level_count; level++)
        for (uint32_t i = 0; i < tree->levels[level].count; i++)
        {
            carom_aabb merged = aabb_empty();
            for (uint32_t child = i * WIDTH; child < (i + 1) * WIDTH && child < tree->levels[level - 1].count; child++)
            {
                const carom_aabb *box = &boxes[tree->levels[level - 1].first + child];
                merged = aabb_add_point(aabb_add_point(merged, box->min), box->max);
            }
            boxes[tree->levels[level].first + i] = merged;
        }
    tree->boxes.count = total;
    return true;
}

/* ---- partners ---- */

typedef struct partner_search
{
    tree_state *tree;
    broad_pairs *out;
    double margin;
    uint64_t boxes_tested;
} partner_search;

/* Pairs of the box at `place` in Morton order with later ones. */
static bool find_partners(partner_search *search, uint32_t place)
{
    tree_state *tree = search->tree;
    const carom_aabb *boxes = tree->boxes.items, *own = &boxes[place];
    struct
    {
        uint32_t level, first;
    } stack[MOST_LEVELS * WIDTH];
    int depth = 0;
    stack[depth].level = tree->level_count - 1, stack[depth++].first = 0;
    while (depth > 0)
    {
        uint32_t level = stack[--depth].level, first = stack[depth].first;
        uint32_t last = first + WIDTH < tree->levels[level].count ? first + WIDTH : tree->levels[level].count;
        for (uint32_t i = first; i < last; i++)
        {
            /* what lies wholly before this box in the order has been paired from the other side */
            if (((uint64_t)i + 1) << (3 * level) <= (uint64_t)place + 1)
                continue;
            search->boxes_tested++;
            if (!broad_near(own, &boxes[tree->levels[level].first + i], search->margin))
                continue;
            if (level > 0)
                stack[depth].level = level - 1, stack[depth++].first = i * WIDTH;
            else if (!base_array_reserve(tree->context, search->out, 1))
                return false;
            else
                search->out->items[search->out->count++] =
                    broad_pack((uint32_t)tree->order.items[place].value, (uint32_t)tree->order.items[i].value);
        }
    }
    return true;
}

static carom_status find_pairs(void *state, const broad_input *input, broad_pairs *out, uint64_t *boxes_tested)
{
    tree_state *tree = state;
    partner_search search = {tree, out, input->margin, 0};
    out->count = 0;
    bool enough = sort_boxes(tree, input) && build_levels(tree, input);
    for (uint32_t place = 0; enough && place < tree->order.count; place++)
        enough = find_partners(&search, place);
    tree->pair_space.count = 0;
    if (!enough || !base_array_reserve(tree->context, &tree->pair_space, out->count))
        return base_fail(tree->context, CAROM_OUT_OF_MEMORY, "broad phase tree: no memory for %u boxes", input->count);
    base_sort_u64(out->items, tree->pair_space.items, out->count);
    *boxes_tested += search.boxes_tested;
    return CAROM_OK;
}

const broad_kind broad_tree = {{"tree", "eight boxes a node, rebuilt each frame"}, create, find_pairs, destroy};
