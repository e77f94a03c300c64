/* Broad phase `tree`: a tree over the boxes, rebuilt when a box has changed, in which each box searches for its
 * partners. */
#include "broad/broad.h"

typedef struct worker_pairs
{
    _Alignas(BASE_CACHE_LINE) broad_pairs pairs; /* workers share no line */
    uint64_t boxes_tested;
    bool out_of_memory;
} worker_pairs;

typedef struct tree_state
{
    carom_context *context;
    broad_box_tree tree;
    uint32_t slot_count;   /* of the last call */
    bool is_current;       /* the tree holds the boxes of the last call, which succeeded */
    worker_pairs *workers; /* one per worker */
} tree_state;

static void destroy(void *state)
{
    tree_state *tree = state;
    uint32_t worker_count = base_worker_count(tree->context);
    for (uint32_t i = 0; tree->workers && i < worker_count; i++)
        base_array_free(tree->context, &tree->workers[i].pairs);
    base_release(tree->context, tree->workers, worker_count, sizeof *tree->workers);
    broad_box_tree_free(&tree->tree);
    base_release(tree->context, tree, 1, sizeof *tree);
}

static carom_status create(carom_context *context, void **out)
{
    tree_state *tree = base_allocate(context, 1, sizeof *tree, BASE_CACHE_LINE);
    uint32_t worker_count = base_worker_count(context);
    worker_pairs *workers = base_allocate(context, worker_count, sizeof *workers, BASE_CACHE_LINE);
    *out = NULL;
    if (!tree || !workers)
    {
        base_release(context, tree, 1, sizeof *tree);
        base_release(context, workers, worker_count, sizeof *workers);
        return base_fail(context, CAROM_OUT_OF_MEMORY, "broad phase tree: no memory");
    }
    memset(tree, 0, sizeof *tree);
    memset(workers, 0, worker_count * sizeof *workers);
    tree->context = tree->tree.context = context;
    tree->workers = workers;
    *out = tree;
    return CAROM_OK;
}

/* ---- partners ---- */

typedef struct partner_search
{
    tree_state *state;
    const broad_input *input;
} partner_search;

static bool add_pair(const partner_search *search, worker_pairs *own, uint64_t one, uint64_t other)
{
    const broad_traits *traits = search->input->traits;
    if (!broad_may_pair(&traits[one], &traits[other]))
        return true;
    if (!base_array_reserve(search->state->context, &own->pairs, 1))
        return false;
    own->pairs.items[own->pairs.count++] = broad_pack((uint32_t)one, (uint32_t)other);
    return true;
}

/* Pairs of the box at an index of the tree's order with later ones. */
static bool find_partners(const partner_search *search, worker_pairs *own, uint32_t index)
{
    const broad_box_tree *tree = &search->state->tree;
    const carom_aabb *boxes = tree->boxes.items, *box = &boxes[index];
    struct
    {
        uint32_t level, first;
    } stack[BROAD_TREE_LEVELS * BROAD_TREE_WIDTH];
    int depth = 0;
    stack[depth].level = tree->level_count - 1, stack[depth++].first = 0;
    while (depth > 0)
    {
        uint32_t level = stack[--depth].level, first = stack[depth].first, count = tree->levels[level].count;
        uint32_t last = first + BROAD_TREE_WIDTH < count ? first + BROAD_TREE_WIDTH : count;
        for (uint32_t i = first; i < last; i++)
        {
            /* boxes before this one in the order have been paired with it already */
            if (((uint64_t)i + 1) << (3 * level) <= (uint64_t)index + 1)
                continue;
            own->boxes_tested++;
            if (!broad_near(box, &boxes[tree->levels[level].first + i], search->input->margin))
                continue;
            if (level > 0)
                stack[depth].level = level - 1, stack[depth++].first = i * BROAD_TREE_WIDTH;
            else if (!add_pair(search, own, tree->order.items[index].value, tree->order.items[i].value))
                return false;
        }
    }
    return true;
}

static void search_range(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const partner_search *search = data;
    worker_pairs *own = &search->state->workers[worker];
    for (uint32_t i = first; i < last && !own->out_of_memory; i++)
        own->out_of_memory = !find_partners(search, own, i);
}

static bool gather_pairs(tree_state *tree, broad_pairs *out, uint64_t *boxes_tested)
{
    bool enough = true;
    for (uint32_t i = 0; i < base_worker_count(tree->context); i++)
    {
        worker_pairs *own = &tree->workers[i];
        *boxes_tested += own->boxes_tested;
        enough = enough && !own->out_of_memory && base_array_reserve(tree->context, out, own->pairs.count);
        if (!enough || own->pairs.count == 0)
            continue;
        memcpy(out->items + out->count, own->pairs.items, own->pairs.count * sizeof *out->items);
        out->count += own->pairs.count;
    }
    return enough;
}

static carom_status find_pairs(void *state, const broad_input *input, broad_pairs *out, uint64_t *boxes_tested)
{
    enum
    {
        MIN_RANGE = 64 /* boxes that are worth handing to another worker */
    };
    tree_state *tree = state;
    partner_search search = {tree, input};
    out->count = 0;
    for (uint32_t i = 0; i < base_worker_count(tree->context); i++)
        tree->workers[i].pairs.count = 0, tree->workers[i].boxes_tested = 0, tree->workers[i].out_of_memory = false;
    bool keep = tree->is_current && input->changed_count == 0 && input->slot_count == tree->slot_count;
    bool enough = keep || broad_box_tree_build(&tree->tree, input->boxes, input->slot_count);
    tree->is_current = false;
    if (enough)
        base_parallel_for(tree->context, (uint32_t)tree->tree.order.count, MIN_RANGE, search_range, &search);
    if (!enough || !gather_pairs(tree, out, boxes_tested))
        return base_fail(tree->context, CAROM_OUT_OF_MEMORY, "broad phase tree: no memory for %u boxes",
                         input->slot_count);
    tree->is_current = true, tree->slot_count = input->slot_count;
    return CAROM_OK;
}

const broad_kind broad_tree = {
    {"tree", "eight boxes per node, rebuilt when a box has changed"}, create, find_pairs, destroy};
