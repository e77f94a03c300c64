/* Broad phase `tree`: groups of eight boxes along a space-filling curve, joined with each other; see tree.h. Where
 * groups meet too many others (long thin boxes), space is halved instead. */
#include "broad/tree.h"

enum
{
    MAX_AGE = 64, /* calls until the boxes that move are sorted again */
    RETRY = 16,   /* calls after which it is tried again whether an order lasts */
    MAX_FRESH = 4 /* calls without a change after which the pairs of still boxes are sorted */
};
#define DECAY 1.12 /* growth of the groups' extents after which boxes are sorted again */

static void destroy(void *state)
{
    tree_state *tree = state;
    carom_context *context = tree->context;
    uint32_t worker_count = base_worker_count(context);
    for (uint32_t i = 0; i < worker_count; i++)
    {
        if (tree->workers[i])
            base_array_free(context, &tree->workers[i]->pairs);
        base_release(context, tree->workers[i], 1, sizeof *tree->workers[i]);
    }
    broad_groups_free(&tree->moving.groups);
    broad_groups_free(&tree->still.groups);
    base_array_free(context, &tree->order.items);
    base_array_free(context, &tree->order.sorted);
    if (tree->split)
        broad_split_free(tree->split);
    base_release(context, tree->split, 1, sizeof *tree->split);
    base_array_free(context, &tree->places);
    base_array_free(context, &tree->changed);
    base_array_free(context, &tree->class_of);
    base_array_free(context, &tree->kept);
    base_release(context, tree, 1, sizeof *tree + worker_count * sizeof(tree_worker *));
}

static carom_status create(carom_context *context, void **out)
{
    uint32_t worker_count = base_worker_count(context);
    size_t size = sizeof(tree_state) + worker_count * sizeof(tree_worker *);
    tree_state *tree = base_allocate(context, 1, size, BASE_CACHE_LINE);
    bool enough = tree != NULL;
    *out = NULL;
    if (tree)
        memset(tree, 0, size), tree->context = tree->moving.groups.context = tree->still.groups.context = context;
    for (uint32_t i = 0; enough && i < worker_count; i++)
    {
        tree_worker *worker = tree->workers[i] = base_allocate(context, 1, sizeof *worker, BASE_CACHE_LINE);
        enough = worker != NULL;
        if (enough)
            memset(worker, 0, sizeof *worker), worker->state = tree;
    }
    if (!enough)
    {
        if (tree)
            destroy(tree);
        return base_fail(context, CAROM_OUT_OF_MEMORY, "broad phase tree: no memory");
    }
    broad_curve_fill(&tree->order.curve);
    *out = tree;
    return CAROM_OK;
}

/* ---- a call ---- */

/* Forgets everything unless the input continues the last call's. */
static void begin_call(tree_state *tree, const broad_input *input)
{
    if (!tree->is_current || tree->margin != input->margin || input->slot_count < tree->places.count)
    {
        tree_part_clear(&tree->moving), tree_part_clear(&tree->still);
        broad_classes_reset(&tree->classes);
        tree->places.count = tree->changed.count = tree->class_of.count = 0;
        tree->kept.count = 0, tree->call = tree->kept_changed = 0;
    }
    tree->is_current = false;
    tree->margin = input->margin;
    tree->woken = 0;
    tree->call++, tree->moving.age++, tree->still.age++;
}

/* The boxes that move, refitted or sorted. */
static bool update_moving(tree_state *tree, const broad_input *input)
{
    tree_part *part = &tree->moving;
    bool many_rest = part->age >= TREE_REST && input->changed_count < part->used / 2;
    bool at_once = part->hurried && part->skipped < RETRY; /* as it was of no use before */
    if (part->age < MAX_AGE && part->changed <= part->used / 8 && !many_rest && !at_once)
    {
        tree_load(tree, part, input, 0);
        bool lasts = tree_extents(part) <= DECAY * part->sorted_extents;
        part->hurried = !lasts && part->age == 1, part->skipped = 0;
        if (lasts)
            return true;
    }
    part->skipped += at_once;
    return tree_sort(tree, part, input);
}

/* Of the kept pairs, those whose boxes have not changed. */
static void drop_changed(tree_state *tree)
{
    size_t kept = 0;
    for (size_t i = 0; i < tree->kept.count; i++)
    {
        uint64_t pair = tree->kept.items[i];
        tree->kept.items[kept] = pair;
        kept += tree->changed.items[pair >> 32] != tree->call && tree->changed.items[(uint32_t)pair] != tree->call;
    }
    tree->kept.count = kept; /* as sorted as they were */
}

/* Every call that brings still boxes begins a new block of lanes, however few they are. */
static bool is_sparse(const tree_part *part)
{
    return broad_lane_count(&part->groups) > 2 * (size_t)part->used + 16 * (size_t)TREE_PARENT;
}

/* Adds pairs to those that are kept, in memory of just that size unless there were some before. */
static bool keep_pairs(tree_state *tree, const broad_pairs *found)
{
    broad_pairs *kept = &tree->kept;
    if (kept->count == 0 && kept->capacity < found->count)
        base_array_free(tree->context, kept);
    if (!base_array_reserve(tree->context, kept, found->count))
        return false;
    if (found->count)
        memcpy(kept->items + kept->count, found->items, found->count * sizeof *kept->items);
    kept->count += found->count;
    return true;
}

/* Pairs of still boxes: those from before whose boxes have not changed, and those of new ones, whose lanes begin at
 * `first`. `found` is scratch. */
static bool update_still(tree_state *tree, const broad_input *input, uint32_t first, broad_pairs *found,
                         uint64_t *boxes_tested)
{
    tree_part *part = &tree->still;
    bool many = part->changed > TREE_PARENT / 4 && part->changed > part->used / 4;
    bool sort = many || is_sparse(part);
    if (sort && !tree_sort(tree, part, input))
        return false;
    if (sort)
        tree->kept.count = 0;
    else if (tree->woken)
        drop_changed(tree);
    if (!sort && part->next == first)
        return true;
    if (!sort)
        tree_load(tree, part, input, first / BROAD_LANES);
    tree->kept_changed = tree->call;
    tree_begin_pairs(tree, found);
    if (sort && tree_must_split(tree, part, NULL))
        tree_join_by_split(tree, input, part, NULL);
    else
    {
        tree_task task = {tree, part, part, input, .self = true, .first = sort ? 0 : first / TREE_PARENT};
        tree_join(task);
        task.self = false, task.b_last = sort ? 0 : first / BROAD_LANES;
        tree_join(task);
    }
    return tree_end_pairs(tree, found, boxes_tested) && keep_pairs(tree, found);
}

/* The pairs of still boxes, which are listed first. Once they have been the same for a while they are sorted, so that
 * whoever sorts the list has less to do. */
static bool list_kept(tree_state *tree, broad_pairs *out)
{
    broad_pairs *kept = &tree->kept;
    out->count = 0;
    if (!base_array_reserve(tree->context, out, kept->count))
        return false;
    if (tree->call - tree->kept_changed == MAX_FRESH)
        base_sort_words(tree->context, kept->items, out->items, kept->count);
    if (kept->count)
        memcpy(out->items, kept->items, kept->count * sizeof *out->items);
    out->count = kept->count;
    return true;
}

static bool find(tree_state *tree, const broad_input *input, broad_pairs *out, uint64_t *boxes_tested)
{
    uint32_t first;
    begin_call(tree, input);
    if (!tree_begin_still(tree, &first) || !tree_update_slots(tree, input) || !update_moving(tree, input) ||
        !update_still(tree, input, first, out, boxes_tested) || !list_kept(tree, out))
        return false;
    tree_begin_pairs(tree, out);
    if (tree_must_split(tree, &tree->moving, &tree->still))
        tree_join_by_split(tree, input, &tree->moving, &tree->still);
    else
    {
        tree_task task = {tree, &tree->moving, &tree->moving, input, .self = true};
        tree_join(task);
        task.self = false, task.by_box = tree->moving.used < tree->still.used / 16;
        task.b = &tree->still, task.b_last = (uint32_t)tree->still.groups.levels[0].count;
        tree_join(task);
    }
    return tree_end_pairs(tree, out, boxes_tested);
}

static carom_status find_pairs(void *state, const broad_input *input, broad_pairs *out, uint64_t *boxes_tested)
{
    tree_state *tree = state;
    out->count = 0;
    if (!find(tree, input, out, boxes_tested))
    {
        out->count = 0;
        return base_fail(tree->context, CAROM_OUT_OF_MEMORY, "broad phase tree: no memory for %u boxes",
                         input->slot_count);
    }
    tree->is_current = true;
    return CAROM_OK;
}

const broad_kind broad_tree = {
    {"tree", "groups of eight boxes along a curve, refitted while that is good enough"}, create, find_pairs, destroy};
