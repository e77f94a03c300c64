/* What the traversals of pairs of binary trees share: frames, the cache of moved volumes, fronts, what to open. */
#include "tree/binary_walk.h"

static double largest_coordinate(carom_vec3 v) { return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))); }

static double diagonal(const carom_mesh *mesh)
{
    return vec3_length(vec3_sub(mesh->info.bounds.max, mesh->info.bounds.min));
}

/* Through the relative pose between the frames of the volumes. Oriented boxes where a tree is not binary. */
void tree_relate(const mesh_placed *still_placed, const mesh_placed *moved_placed, volume_frame *out)
{
    const carom_tree *still = still_placed->tree, *moved = moved_placed->tree;
    double still_extent = still->mesh->extent, moved_extent = moved->mesh->extent;
    math_relative relative = math_relative_pose(still_placed->pose, moved_placed->pose, still_extent, moved_extent);
    const double *r = relative.rotation;
    carom_vec3 o = moved->origin, t = relative.translation;
    relative.error += 0x1p-50 * (still_extent + moved_extent + largest_coordinate(t));
    relative.translation = vec3((r[0] * o.x + r[1] * o.y + r[2] * o.z) + t.x - still->origin.x,
                                (r[3] * o.x + r[4] * o.y + r[5] * o.z) + t.y - still->origin.y,
                                (r[6] * o.x + r[7] * o.y + r[8] * o.z) + t.z - still->origin.z);
    double reach = diagonal(still->mesh) + diagonal(moved->mesh) + largest_coordinate(relative.translation);
    bool boxes = !view_is_binary(still) || !view_is_binary(moved);
    volume_frame_begin(out, boxes ? CAROM_VOLUME_OBB : still->def.volume, boxes ? CAROM_VOLUME_OBB : moved->def.volume,
                       &relative, reach);
}

static void begin_frame(binary_walk *walk)
{
    walk->boxes = !view_is_binary(walk->still->tree) || !view_is_binary(walk->moved->tree);
    tree_relate(walk->still, walk->moved, &walk->frame);
    if (walk->boxes) /* other layouts may round their axes more than once */
        walk->frame.parallel *= 4.0, walk->frame.oblique *= 4.0;
}

static carom_status begin_cache(binary_walk *walk)
{
    const uint32_t largest = 4096;
    uint32_t size = 1;
    while (size < view_node_count(walk->moved->tree) && size < largest)
        size *= 2;
    tree_scratch *scratch = walk->task->scratch;
    size_t cached_words = (size_t)size * (sizeof(volume_moved) / sizeof(uint64_t));
    scratch->words.count = 0;
    if (!base_array_reserve(scratch->context, &scratch->words, cached_words + size))
        return base_fail(walk->task->context, CAROM_OUT_OF_MEMORY, "traversal: out of memory");
    walk->cached = (volume_moved *)(void *)scratch->words.items;
    walk->tags = (uint32_t *)(void *)(scratch->words.items + cached_words);
    memset(walk->tags, 0, size * sizeof *walk->tags);
    walk->mask = size - 1;
    return CAROM_OK;
}

carom_status binary_walk_begin(binary_walk *walk, const tree_task *task)
{
    walk->task = task;
    walk->swapped = view_node_count(task->b->tree) > view_node_count(task->a->tree);
    walk->still = walk->swapped ? task->b : task->a;
    walk->moved = walk->swapped ? task->a : task->b;
    walk->still_floats = volume_floats(walk->still->tree->def.volume);
    walk->moved_floats = volume_floats(walk->moved->tree->def.volume);
    walk->counts = (narrow_counts){0};
    begin_frame(walk);
    task->scratch->stack.count = 0;
    return begin_cache(walk);
}

static narrow_part_pair swap_parts(narrow_part_pair pair)
{
    return (narrow_part_pair){pair.part_b, pair.part_a, pair.bound};
}

carom_status binary_walk_begin_stack(const binary_walk *walk)
{
    const narrow_part_pair roots = {VIEW_ROOT, VIEW_ROOT, 0.0f};
    const narrow_front *front = walk->task->front;
    bool resumed = front && front->count > 0;
    walk->task->scratch->stack.count = 0;
    for (size_t i = resumed ? front->count : 1; i-- > 0;)
    {
        narrow_part_pair pair = resumed ? front->items[i] : roots;
        pair = walk->swapped ? swap_parts(pair) : pair;
        if (!binary_walk_push(walk->task, (tree_stack_entry){pair.part_a, pair.part_b, pair.bound, 0}))
            return base_fail(walk->task->context, CAROM_OUT_OF_MEMORY, "traversal: out of memory");
    }
    return CAROM_OK;
}

carom_status binary_walk_leave_front(const binary_walk *walk, bool done)
{
    narrow_front *front = walk->task->front;
    if (!front)
        return CAROM_OK;
    front->count = 0;
    size_t open = done ? 0 : walk->task->scratch->stack.count;
    if (!base_array_reserve(walk->task->context, front, open))
        return base_fail(walk->task->context, CAROM_OUT_OF_MEMORY, "traversal: out of memory");
    while (open-- > 0)
    {
        const tree_stack_entry *entry = &walk->task->scratch->stack.items[open];
        narrow_part_pair pair = {entry->node_a, entry->node_b, entry->key};
        front->items[front->count++] = walk->swapped ? swap_parts(pair) : pair;
    }
    return CAROM_OK;
}

void binary_walk_end(binary_walk *walk) { walk->task->counters->exact_fallbacks += walk->counts.exact_fallbacks; }

const volume_moved *binary_walk_move(binary_walk *walk, uint32_t node)
{
    const carom_tree *tree = walk->moved->tree;
    volume_moved *slot = &walk->cached[node & walk->mask];
    walk->tags[node & walk->mask] = node + 1;
    walk->task->counters->volumes_updated++;
    if (!walk->boxes)
        volume_move(&walk->frame, tree->volumes + (size_t)node * walk->moved_floats, slot);
    else
    {
        volume_box box;
        view_box(tree, node, &box);
        volume_move_box(&walk->frame, &box, &slot->box);
    }
    return slot;
}

bool binary_walk_apart(binary_walk *walk, uint32_t still_node, uint32_t moved_node, double margin)
{
    const volume_moved *moved = binary_walk_moved(walk, moved_node);
    const carom_tree *tree = walk->still->tree;
    walk->task->counters->boxes_tested++;
    if (!walk->boxes)
        return volume_apart(&walk->frame, tree->volumes + (size_t)still_node * walk->still_floats, moved, margin);
    volume_box still;
    view_box(tree, still_node, &still);
    return volume_boxes_apart(&walk->frame, &still, &moved->box, margin);
}

double binary_walk_bound(binary_walk *walk, uint32_t still_node, uint32_t moved_node)
{
    const volume_moved *moved = binary_walk_moved(walk, moved_node);
    const carom_tree *tree = walk->still->tree;
    walk->task->counters->boxes_tested++;
    if (!walk->boxes)
        return volume_distance(&walk->frame, tree->volumes + (size_t)still_node * walk->still_floats, moved);
    volume_box still;
    view_box(tree, still_node, &still);
    return volume_boxes_distance(&walk->frame, &still, &moved->box);
}

static double node_size(const carom_tree *tree, uint32_t floats, uint32_t node)
{
    if (view_is_binary(tree))
        return volume_size(tree->def.volume, tree->volumes + (size_t)node * floats);
    volume_box box;
    view_box(tree, node, &box);
    return box.half[0] + box.half[1] + box.half[2] + 2.0 * box.radius;
}

binary_opening binary_walk_opening(const binary_walk *walk, uint32_t still_node, uint32_t moved_node)
{
    const carom_tree *still = walk->still->tree, *moved = walk->moved->tree;
    uint32_t count;
    bool still_leaf = view_triangles(still, still_node, &count) != NULL;
    if (view_triangles(moved, moved_node, &count))
        return still_leaf ? BINARY_OPEN_NONE : BINARY_OPEN_STILL;
    if (still_leaf)
        return BINARY_OPEN_MOVED;
    double still_size = node_size(still, walk->still_floats, still_node);
    double moved_size = node_size(moved, walk->moved_floats, moved_node);
    return still_size >= moved_size ? BINARY_OPEN_STILL : BINARY_OPEN_MOVED;
}

uint32_t binary_walk_open(const binary_walk *walk, tree_stack_entry pair, binary_opening opening,
                          tree_stack_entry out[VIEW_CHILDREN_MAX])
{
    uint32_t child[VIEW_CHILDREN_MAX];
    bool still = opening == BINARY_OPEN_STILL;
    uint32_t count = still ? view_children(walk->still->tree, pair.node_a, child)
                           : view_children(walk->moved->tree, pair.node_b, child);
    for (uint32_t i = 0; i < count; i++)
    {
        out[i] = pair;
        if (still)
            out[i].node_a = child[i];
        else
            out[i].node_b = child[i];
    }
    return count;
}
