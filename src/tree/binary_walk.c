#include "tree/binary_walk.h"

static double largest_coordinate(carom_vec3 v) { return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))); }

static double diagonal(const carom_mesh *mesh)
{
    return vec3_length(vec3_sub(mesh->info.bounds.max, mesh->info.bounds.min));
}

/* The relative pose between the frames of the volumes, which lie around each tree's origin. */
static void begin_frame(binary_walk *walk)
{
    const carom_tree *still = walk->still->tree, *moved = walk->moved->tree;
    double still_extent = still->mesh->extent, moved_extent = moved->mesh->extent;
    math_relative relative = math_relative_pose(&walk->still->pose, &walk->moved->pose, still_extent, moved_extent);
    const double *r = relative.rotation;
    carom_vec3 o = moved->origin, t = relative.translation;
    relative.error += 0x1p-50 * (still_extent + moved_extent + largest_coordinate(t));
    relative.translation = vec3((r[0] * o.x + r[1] * o.y + r[2] * o.z) + t.x - still->origin.x,
                                (r[3] * o.x + r[4] * o.y + r[5] * o.z) + t.y - still->origin.y,
                                (r[6] * o.x + r[7] * o.y + r[8] * o.z) + t.z - still->origin.z);
    double reach = diagonal(still->mesh) + diagonal(moved->mesh) + largest_coordinate(relative.translation);
    volume_frame_begin(&walk->frame, still->def.volume, moved->def.volume, &relative, reach);
}

static carom_status begin_cache(binary_walk *walk)
{
    const uint32_t largest = 4096;
    uint32_t size = 1;
    while (size < walk->moved->tree->node_count && size < largest)
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
    walk->swapped = task->b->tree->node_count > task->a->tree->node_count;
    walk->still = walk->swapped ? task->b : task->a;
    walk->moved = walk->swapped ? task->a : task->b;
    walk->still_floats = volume_floats(walk->still->tree->def.volume);
    walk->moved_floats = volume_floats(walk->moved->tree->def.volume);
    walk->counts = (narrow_counts){0};
    begin_frame(walk);
    task->scratch->stack.count = 0;
    return begin_cache(walk);
}

void binary_walk_end(binary_walk *walk) { walk->task->counters->exact_fallbacks += walk->counts.exact_fallbacks; }

const volume_moved *binary_walk_move(binary_walk *walk, uint32_t node)
{
    uint32_t slot = node & walk->mask;
    walk->tags[slot] = node + 1;
    volume_move(&walk->frame, walk->moved->tree->volumes + (size_t)node * walk->moved_floats, &walk->cached[slot]);
    walk->task->counters->volumes_updated++;
    return &walk->cached[slot];
}

binary_opening binary_walk_opening(const binary_walk *walk, uint32_t still_node, uint32_t moved_node)
{
    const carom_tree *still = walk->still->tree, *moved = walk->moved->tree;
    if (moved->nodes[moved_node].count > 0)
        return still->nodes[still_node].count > 0 ? BINARY_OPEN_NONE : BINARY_OPEN_STILL;
    if (still->nodes[still_node].count > 0)
        return BINARY_OPEN_MOVED;
    double still_size = volume_size(still->def.volume, still->volumes + (size_t)still_node * walk->still_floats);
    double moved_size = volume_size(moved->def.volume, moved->volumes + (size_t)moved_node * walk->moved_floats);
    return still_size >= moved_size ? BINARY_OPEN_STILL : BINARY_OPEN_MOVED;
}

bool binary_walk_recall(const tree_task *task, binary_pair *last)
{
    const tree_memory *memory = task->memory;
    if (!memory || !memory->has_last || memory->tree_a_serial != task->a->tree->serial ||
        memory->tree_b_serial != task->b->tree->serial || memory->last_a >= task->a->mesh->triangle_count ||
        memory->last_b >= task->b->mesh->triangle_count)
        return false;
    *last = (binary_pair){memory->last_a, memory->last_b};
    return true;
}

void binary_walk_remember(const tree_task *task, binary_pair last)
{
    tree_memory *memory = task->memory;
    if (!memory)
        return;
    if (memory->tree_a_serial != task->a->tree->serial || memory->tree_b_serial != task->b->tree->serial)
        memory->has_axis = false, memory->front.count = 0;
    memory->tree_a_serial = task->a->tree->serial, memory->tree_b_serial = task->b->tree->serial;
    memory->last_a = last.a, memory->last_b = last.b;
    memory->has_last = true;
}
