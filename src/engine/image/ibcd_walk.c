/* Breadth first over two trees of hulls (thesis, 2.4.1; its list of child pairs repeats one and lacks another). */
#include "engine/image/ibcd.h"

static bool push(carom_context *context, image_queue *queue, narrow_part_pair pair)
{
    if (!base_array_reserve(context, queue, 1))
        return false;
    queue->items[queue->count++] = pair;
    return true;
}

static bool push_all(carom_context *context, image_queue *queue, const narrow_part_pair *pairs, size_t count)
{
    if (!base_array_reserve(context, queue, count))
        return false;
    if (count > 0)
        memcpy(queue->items + queue->count, pairs, count * sizeof *pairs);
    queue->count += count;
    return true;
}

/* ---- one level ---- */

static bool boxes_apart(const image_walk *walk, narrow_part_pair pair)
{
    volume_box moved;
    volume_move_box(&walk->frame, image_node_box(walk->body[1].pieces, pair.part_b), &moved);
    walk->task->counters->boxes_tested++, walk->task->counters->volumes_updated++;
    return volume_boxes_apart(&walk->frame, image_node_box(walk->body[0].pieces, pair.part_a), &moved, 0.0);
}

static bool is_patches(const image_walk *walk, narrow_part_pair pair)
{
    return image_is_leaf(walk->body[0].pieces, pair.part_a) && image_is_leaf(walk->body[1].pieces, pair.part_b);
}

/* Keeps the pairs of the current level whose boxes are not apart, in `drawn`. */
static carom_status test_boxes(image_walk *walk)
{
    enum
    {
        BOXES = 64 /* from one look at the clock to the next */
    };
    image_state *state = walk->state;
    double start = base_now();
    state->drawn.count = 0;
    if (!base_array_reserve(state->context, &state->drawn, state->current_level.count))
        return image_out_of_memory(state->context);
    for (size_t i = 0; i < state->current_level.count; i++)
    {
        if (i % BOXES == 0)
            IMAGE_GO_ON(image_check_deadline(walk));
        if (!boxes_apart(walk, state->current_level.items[i]))
            state->drawn.items[state->drawn.count++] = state->current_level.items[i];
    }
    state->stats.box_seconds += base_now() - start;
    return CAROM_OK;
}

/* Four pairs of children, or two where one node is a leaf. */
static bool open_pair(image_walk *walk, narrow_part_pair pair)
{
    image_state *state = walk->state;
    uint32_t child_a = convex_nodes(walk->body[0].pieces)[pair.part_a].first_child;
    uint32_t child_b = convex_nodes(walk->body[1].pieces)[pair.part_b].first_child;
    uint32_t first_a = child_a ? child_a : pair.part_a, last_a = child_a ? child_a + 1 : pair.part_a;
    uint32_t first_b = child_b ? child_b : pair.part_b, last_b = child_b ? child_b + 1 : pair.part_b;
    if (!base_array_reserve(state->context, &state->next_level, 4))
        return false;
    for (uint32_t i = first_a; i <= last_a; i++)
        for (uint32_t k = first_b; k <= last_b; k++)
            state->next_level.items[state->next_level.count++] = (narrow_part_pair){i, k, 0.0f};
    return true;
}

/* Patches are decided, other nodes opened. */
static carom_status decide_or_open(image_walk *walk, narrow_part_pair pair)
{
    if (is_patches(walk, pair))
        return image_test_patches(walk, pair);
    return open_pair(walk, pair) ? CAROM_OK : image_out_of_memory(walk->state->context);
}

static carom_status open_pairs(image_walk *walk)
{
    const image_queue *drawn = &walk->state->drawn;
    for (size_t i = 0; i < drawn->count; i++)
        IMAGE_GO_ON(decide_or_open(walk, drawn->items[i]));
    return CAROM_OK;
}

carom_status image_sample_pairs(image_walk *walk)
{
    image_state *state = walk->state;
    BASE_TRY(image_begin_device(state));
    for (size_t i = 0; i < state->drawn.count; i++)
    {
        bool meets;
        double start = base_now();
        BASE_TRY(image_sample(walk, state->drawn.items[i], &meets));
        state->stats.image_seconds += base_now() - start;
        if (meets)
            IMAGE_GO_ON(decide_or_open(walk, state->drawn.items[i]));
    }
    return CAROM_OK;
}

/* ---- levels with certified images ---- */

static image_level *level_at(image_state *state, uint32_t depth)
{
    return &state->balance.levels[depth < IMAGE_LEVELS ? depth : IMAGE_LEVELS - 1];
}

/* Rejects pairs by images, and counts what that took. */
static carom_status reject(image_walk *walk, image_level *level, size_t limit)
{
    image_state *state = walk->state;
    size_t before = state->drawn.count, looked_at = before < limit ? before : limit;
    double start = base_now();
    BASE_TRY(image_reject(walk, looked_at));
    double seconds = base_now() - start, rejected = (double)(before - state->drawn.count);
    state->stats.image_seconds += seconds;
    image_note_pass(walk, seconds, looked_at);
    image_learn(&level->rejected, rejected / (double)looked_at, level->known);
    level->known = true;
    return CAROM_OK;
}

static carom_status run_level(image_walk *walk, uint32_t depth, size_t *kept)
{
    image_state *state = walk->state;
    IMAGE_GO_ON(test_boxes(walk));
    size_t worth = state->drawn.count > 0 ? image_count_worth(walk, level_at(state, depth)) : 0;
    if (worth > 0)
        BASE_TRY(reject(walk, level_at(state, depth), worth));
    *kept = state->drawn.count;
    return open_pairs(walk);
}

static carom_status run_levels(image_walk *walk)
{
    image_state *state = walk->state;
    double begun[IMAGE_LEVELS + 1] = {0};
    size_t kept[IMAGE_LEVELS] = {0};
    carom_status status = CAROM_OK;
    uint32_t depth = 0;
    for (; state->current_level.count > 0 && status == CAROM_OK; depth++)
    {
        size_t count = 0;
        state->next_level.count = 0;
        status = run_level(walk, depth, &count);
        image_queue done = state->current_level;
        state->current_level = state->next_level, state->next_level = done;
        if (depth < IMAGE_LEVELS)
            begun[depth + 1] = base_now(), kept[depth] = count;
    }
    double end = base_now();
    for (uint32_t i = 0; i < depth && i < IMAGE_LEVELS; i++)
    {
        double *below = &level_at(state, i)->below, seconds = (end - begun[i + 1]) / (double)kept[i];
        /* a search that was given up would have taken longer */
        if (kept[i] > 0 && (status == CAROM_OK || (walk->late && seconds > *below)))
            image_learn(below, seconds, *below > 0.0);
    }
    state->stats.depth = depth > state->stats.depth ? depth : state->stats.depth;
    return status;
}

/* ---- sampled images: breadth first in blocks ---- */

/* Takes the end of the last block, up to so many pairs, as the current level. */
static carom_status take_block(image_state *state, size_t limit, uint32_t *depth)
{
    const narrow_part_pair *block = &state->blocks.items[state->blocks.count - 1];
    size_t count = state->waiting.count - block->part_a;
    count = count < limit ? count : limit;
    *depth = block->part_b;
    state->current_level.count = state->next_level.count = 0;
    state->waiting.count -= count;
    if (!push_all(state->context, &state->current_level, state->waiting.items + state->waiting.count, count))
        return image_out_of_memory(state->context);
    if (state->waiting.count == block->part_a)
        state->blocks.count--;
    return CAROM_OK;
}

/* What was opened waits as a block of its own. */
static carom_status add_block(image_state *state, const image_queue *queue, uint32_t depth)
{
    if (queue->count == 0)
        return CAROM_OK;
    if (state->waiting.count + queue->count > UINT32_MAX ||
        !push(state->context, &state->blocks, (narrow_part_pair){(uint32_t)state->waiting.count, depth, 0.0f}) ||
        !push_all(state->context, &state->waiting, queue->items, queue->count))
        return image_out_of_memory(state->context);
    return CAROM_OK;
}

static carom_status run_block(image_walk *walk)
{
    image_state *state = walk->state;
    /* images of any size, or to be seen */
    bool single = state->accuracy > 0.0 || state->side > IMAGE_SHEET_SIDE || state->on_image;
    IMAGE_GO_ON(test_boxes(walk));
    if (state->drawn.count == 0)
        return CAROM_OK;
    if (single)
        return image_sample_pairs(walk);
    double start = base_now();
    BASE_TRY(image_reject_sampled(walk));
    state->stats.image_seconds += base_now() - start;
    return open_pairs(walk);
}

/* A level is drawn at once, but no more than a block of it: what that opens comes first, so that a hit is found before
 * all of a level was looked at. Blocks begin with the children of one pair, and grow with what was looked at without
 * success: then all is likely to be looked at in the end. */
static carom_status run_blocks(image_walk *walk)
{
    image_state *state = walk->state;
    size_t looked_at = 0;
    state->waiting.count = state->blocks.count = 0;
    BASE_TRY(add_block(state, &state->current_level, 0));
    while (state->blocks.count > 0)
    {
        uint32_t depth;
        size_t limit = IMAGE_BLOCK + looked_at / IMAGE_BLOCK_GROWTH;
        BASE_TRY(take_block(state, limit, &depth));
        looked_at += state->current_level.count;
        IMAGE_GO_ON(run_block(walk));
        BASE_TRY(add_block(state, &state->next_level, depth + 1));
        state->stats.depth = depth + 1 > state->stats.depth ? depth + 1 : state->stats.depth;
    }
    return CAROM_OK;
}

/* ---- the search ---- */

/* No pair meets, or the clearance would be violated already. */
static bool stop(uint32_t triangle_a, uint32_t triangle_b, uint32_t meeting, void *user)
{
    (void)triangle_a, (void)triangle_b, (void)meeting, (void)user;
    return false;
}

/* Closer than the clearance? Trees decide. */
static carom_status check_clearance(image_walk *walk)
{
    narrow_search search = {.clearance = walk->search->clearance, .on_pair = stop};
    carom_status status = query_tree_method.collide(walk->state, walk->task, &search, &walk->violated);
    return status == CAROM_STOPPED ? CAROM_OK : status;
}

/* Hands over what was found by a search that was not given up. */
static carom_status report_found(const image_walk *walk)
{
    const image_state *state = walk->state;
    for (size_t i = 0; i < state->found.count; i++)
    {
        const carom_pair *pair = &state->found.items[i];
        if (!walk->search->on_pair(pair->triangle_a, pair->triangle_b, pair->meeting, walk->search->user))
            return CAROM_STOPPED;
    }
    return CAROM_OK;
}

static image_body place_body(const void *asset, const mesh_placed *placed)
{
    return (image_body){asset, placed, image_placement_error(placed->pose, placed->mesh->extent)};
}

static double diagonal(const carom_mesh *mesh)
{
    return vec3_length(vec3_sub(mesh->info.bounds.max, mesh->info.bounds.min));
}

static void relate(image_walk *walk)
{
    const mesh_placed *a = walk->body[0].placed, *b = walk->body[1].placed;
    math_relative relative = math_relative_pose(a->pose, b->pose, a->mesh->extent, b->mesh->extent);
    carom_vec3 t = relative.translation;
    double reach = 2.0 * (a->mesh->extent + b->mesh->extent) + diagonal(a->mesh) + diagonal(b->mesh) +
                   fmax(fabs(t.x), fmax(fabs(t.y), fabs(t.z)));
    volume_frame_begin(&walk->frame, CAROM_VOLUME_OBB, CAROM_VOLUME_OBB, &relative, reach);
}

static carom_status run(image_walk *walk)
{
    static const narrow_part_pair ROOTS = {0, 0, 0.0f};
    image_state *state = walk->state;
    state->current_level.count = state->next_level.count = state->found.count = 0;
    if (!push(state->context, &state->current_level, ROOTS))
        return image_out_of_memory(state->context);
    IMAGE_GO_ON(!state->sampled ? run_levels(walk) : state->recode ? image_run_recode(walk) : run_blocks(walk));
    IMAGE_GO_ON(report_found(walk));
    return walk->search->clearance > 0.0 && !walk->violated ? check_clearance(walk) : CAROM_OK;
}

static carom_status search_images(image_walk *walk, bool *violated)
{
    image_state *state = walk->state;
    double start = base_now();
    carom_status status = run(walk);
    image_note_seconds(walk, true, base_now() - start);
    walk->task->counters->exact_fallbacks += walk->counts.exact_fallbacks;
    if (!walk->late)
        *violated = walk->violated;
    if (carom_failed(status))
        return image_close_device(state), status;
    carom_status ended = image_end_device(state);
    return carom_failed(ended) ? ended : status;
}

static carom_status search_trees(image_walk *walk, bool *violated)
{
    const query_task *task = walk->task;
    const narrow_search *search = walk->search;
    double start = base_now();
    carom_status status = CAROM_OK;
    if (!query_tree_method.far_apart(task->context, &task->a, &task->b, search->clearance, task->memory))
        status = query_tree_method.collide(walk->state, task, search, violated);
    image_note_seconds(walk, false, base_now() - start);
    return status;
}

carom_status image_collide(void *object, const query_task *task, const narrow_search *search, bool *violated)
{
    image_state *state = object;
    image_walk walk = {.state = state, .task = task, .search = search, .violated = *violated};
    if (task->a.mesh->triangle_count == 0 || task->b.mesh->triangle_count == 0)
        return CAROM_OK;
    /* a pass can't be cut short, so trees search within a budget, and where it ended */
    if (!base_budget_is_unlimited(task->budget) || (task->front && task->front->count > 0))
        return query_tree_method.collide(state, task, search, violated);
    state->balance.searches++;
    if (image_is_chosen(&walk))
    {
        walk.body[0] = place_body(task->asset_a, &task->a), walk.body[1] = place_body(task->asset_b, &task->b);
        relate(&walk);
        carom_status status = search_images(&walk, violated);
        if (!walk.late || carom_failed(status))
            return status;
    }
    return search_trees(&walk, violated);
}
