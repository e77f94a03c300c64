/* Breadth first over two trees of hulls (thesis, 2.4.1; its list of child pairs repeats one and lacks another). */
#include "engine/image/ibcd.h"

/* In a queue: what the clearance leaves to do; a tree's own parts have the bound OF_CLEARANCE. */
#define IMAGE_ALL UINT32_MAX
static const float OF_CLEARANCE = -1.0f;

static bool is_of_clearance(narrow_part_pair pair)
{
    return pair.bound < 0.0f || (pair.part_a == IMAGE_ALL && pair.part_b == IMAGE_ALL);
}

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
    image_state *state = walk->state;
    double start = base_now();
    state->drawn.count = 0;
    if (!base_array_reserve(state->context, &state->drawn, state->current_level.count))
        return image_out_of_memory(state->context);
    for (size_t i = 0; i < state->current_level.count; i++)
        if (!boxes_apart(walk, state->current_level.items[i]))
            state->drawn.items[state->drawn.count++] = state->current_level.items[i];
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
        state->stats.image_seconds += base_now() - start, state->stats.images_apart += !meets;
        if (meets)
            IMAGE_GO_ON(decide_or_open(walk, state->drawn.items[i]));
    }
    return CAROM_OK;
}

/* What is left of a queue goes to `open`. */
static carom_status leave(image_state *state, const image_queue *queue, size_t at)
{
    return push_all(state->context, &state->open, queue->items + at, queue->count - at)
               ? CAROM_UNKNOWN
               : image_out_of_memory(state->context);
}

/* ---- within a budget: pair after pair, without images, which can't be cut short ---- */

/* A pair of patches is one step of the search, and decided as a whole once there is something left to spend. */
static carom_status test_limited_patches(image_walk *walk, narrow_part_pair pair)
{
    base_budget *budget = walk->task->budget;
    uint64_t before = walk->task->counters->triangles_tested;
    carom_status status = image_test_patches(walk, pair);
    uint64_t tested = walk->task->counters->triangles_tested - before;
    if (budget->work_left != UINT64_MAX && budget->work_left < tested)
        budget->work_left = 0;
    else
        base_budget_spend(budget, tested < UINT32_MAX ? (uint32_t)tested : UINT32_MAX);
    return status;
}

/* CAROM_UNKNOWN: the budget is spent, and the pair has to be looked at again. */
static carom_status run_pair(image_walk *walk, narrow_part_pair pair)
{
    if (!base_budget_spend(walk->task->budget, 1))
        return CAROM_UNKNOWN;
    if (boxes_apart(walk, pair))
        return CAROM_OK;
    if (!is_patches(walk, pair))
        return open_pair(walk, pair) ? CAROM_OK : image_out_of_memory(walk->state->context);
    return test_limited_patches(walk, pair);
}

static carom_status run_limited_level(image_walk *walk)
{
    image_state *state = walk->state;
    for (size_t i = 0; i < state->current_level.count; i++)
    {
        carom_status status = run_pair(walk, state->current_level.items[i]);
        if (status == CAROM_UNKNOWN && carom_failed(leave(state, &state->current_level, i)))
            return CAROM_OUT_OF_MEMORY;
        if (status == CAROM_UNKNOWN)
            return leave(state, &state->next_level, 0);
        if (status != CAROM_OK)
            return status;
    }
    return CAROM_OK;
}

/* ---- the balance of processor and graphics hardware ---- */

static image_level *level_at(image_state *state, uint32_t depth)
{
    return &state->balance.levels[depth < IMAGE_LEVELS ? depth : IMAGE_LEVELS - 1];
}

static void learn(double *mean, double value, bool known) { *mean = known ? 0.875 * *mean + 0.125 * value : value; }

/* How many images are worth drawing here: all, if they save more below than they cost, or none. Now and then some are
 * drawn to find out. */
static size_t images_worth(const image_walk *walk, uint32_t depth)
{
    enum
    {
        TRIAL = 64,  /* searches from one to the next */
        IMAGES = 32, /* of a trial */
    };
    image_state *state = walk->state;
    const image_level *level = level_at(state, depth);
    if (state->sampled)
        return 0; /* within a budget, and where it was cut short: without images */
    if (state->always)
        return SIZE_MAX;
    if (level->known && level->rejected * level->below > state->balance.tile_seconds)
        return SIZE_MAX;
    return !level->known || state->balance.searches % TRIAL == 0 ? IMAGES : 0;
}

/* Rejects pairs by images, and counts what that took. */
static carom_status reject(image_walk *walk, image_level *level, size_t limit)
{
    image_state *state = walk->state;
    size_t before = state->drawn.count, looked_at = before < limit ? before : limit;
    double start = base_now();
    BASE_TRY(image_reject(walk, looked_at));
    double seconds = base_now() - start, rejected = (double)(before - state->drawn.count);
    state->stats.images_apart += before - state->drawn.count, state->stats.image_seconds += seconds;
    learn(&state->balance.tile_seconds, seconds / (double)looked_at, level->known);
    learn(&level->rejected, rejected / (double)looked_at, level->known);
    level->known = true;
    return CAROM_OK;
}

static carom_status run_level(image_walk *walk, uint32_t depth, size_t *kept)
{
    image_state *state = walk->state;
    BASE_TRY(test_boxes(walk));
    size_t worth = state->drawn.count > 0 ? images_worth(walk, depth) : 0;
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
        status = walk->limited ? run_limited_level(walk) : run_level(walk, depth, &count);
        image_queue done = state->current_level;
        state->current_level = state->next_level, state->next_level = done;
        if (depth < IMAGE_LEVELS)
            begun[depth + 1] = base_now(), kept[depth] = count;
    }
    double end = base_now();
    for (uint32_t i = 0; i < depth && i < IMAGE_LEVELS && status == CAROM_OK; i++)
        if (kept[i] > 0)
            learn(&level_at(state, i)->below, (end - begun[i + 1]) / (double)kept[i], level_at(state, i)->below > 0.0);
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
    BASE_TRY(test_boxes(walk));
    if (state->drawn.count == 0)
        return CAROM_OK;
    if (single)
        return image_sample_pairs(walk);
    size_t count = state->drawn.count;
    double start = base_now();
    BASE_TRY(image_reject_sampled(walk));
    state->stats.images_apart += count - state->drawn.count, state->stats.image_seconds += base_now() - start;
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

static carom_status list_open(image_state *state, const narrow_front *front)
{
    static const narrow_part_pair ROOTS = {0, 0, 0.0f}, CLEARANCE = {IMAGE_ALL, IMAGE_ALL, 0.0f};
    state->open.count = state->current_level.count = state->next_level.count = 0;
    bool fits = true;
    if (!front || front->count == 0)
        fits = push(state->context, &state->current_level, ROOTS) && push(state->context, &state->open, CLEARANCE);
    for (size_t i = 0; front && i < front->count && fits; i++)
        fits = push(state->context, is_of_clearance(front->items[i]) ? &state->open : &state->current_level,
                    front->items[i]);
    return fits ? CAROM_OK : image_out_of_memory(state->context);
}

/* No pair meets, or the clearance would be violated already. */
static bool stop(uint32_t triangle_a, uint32_t triangle_b, uint32_t meeting, void *user)
{
    (void)triangle_a, (void)triangle_b, (void)meeting, (void)user;
    return false;
}

/* Closer than the clearance? Trees decide. What is left of it stays in `open`. */
static carom_status check_clearance(image_walk *walk)
{
    image_state *state = walk->state;
    const query_task *task = walk->task;
    narrow_front front = {0}; /* empty: from the roots */
    bool resumed = state->open.count > 0 && state->open.items[0].bound < 0.0f;
    if (resumed && !base_array_reserve(task->context, &front, state->open.count))
        return image_out_of_memory(task->context);
    for (size_t i = 0; resumed && i < state->open.count; i++)
        front.items[front.count++] = (narrow_part_pair){state->open.items[i].part_a, state->open.items[i].part_b, 0.0f};
    tree_task trees = {.context = task->context,
                       .a = &task->a,
                       .b = &task->b,
                       .defect = task->defect,
                       .scratch = &state->scratch,
                       .front = &front,
                       .budget = task->budget,
                       .counters = task->counters};
    narrow_search search = {.clearance = walk->search->clearance, .on_pair = stop};
    carom_status status = tree_collide(&trees, &search, &walk->violated);
    status = status == CAROM_STOPPED ? CAROM_OK : status;
    state->open.count = 0;
    for (size_t i = 0; i < front.count; i++)
        front.items[i].bound = OF_CLEARANCE;
    /* with nothing left to spend, trees leave nothing: then all of it is open */
    bool fits = status != CAROM_UNKNOWN ||
                (front.count > 0 ? push_all(state->context, &state->open, front.items, front.count)
                                 : push(state->context, &state->open, (narrow_part_pair){IMAGE_ALL, IMAGE_ALL, 0.0f}));
    if (!fits)
        status = image_out_of_memory(state->context);
    base_array_free(task->context, &front);
    return status;
}

static carom_status leave_front(const image_walk *walk, carom_status status)
{
    narrow_front *front = walk->task->front;
    if (!front || carom_failed(status))
        return status;
    const image_queue *open = &walk->state->open;
    front->count = 0;
    if (status != CAROM_UNKNOWN)
        return status;
    if (!base_array_reserve(walk->task->context, front, open->count))
        return image_out_of_memory(walk->task->context);
    memcpy(front->items, open->items, open->count * sizeof *open->items);
    front->count = open->count;
    return status;
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

carom_status image_collide(void *object, const query_task *task, const narrow_search *search, bool *violated)
{
    image_state *state = object;
    image_walk walk = {.state = state, .task = task, .search = search, .violated = *violated};
    if (task->a.mesh->triangle_count == 0 || task->b.mesh->triangle_count == 0)
        return CAROM_OK;
    walk.body[0] = place_body(task->asset_a, &task->a), walk.body[1] = place_body(task->asset_b, &task->b);
    walk.limited = !base_budget_is_unlimited(task->budget);
    relate(&walk);
    BASE_TRY(list_open(state, task->front));
    state->balance.searches++;
    /* from a front on, as a budget leaves it, pieces are found by the tree, and decided without images */
    bool from_roots = !task->front || task->front->count == 0;
    bool sampled = state->sampled && from_roots && !walk.limited;
    carom_status status = !sampled ? run_levels(&walk) : state->recode ? image_run_recode(&walk) : run_blocks(&walk);
    if (status == CAROM_OK && search->clearance > 0.0 && !walk.violated)
        status = check_clearance(&walk);
    task->counters->exact_fallbacks += walk.counts.exact_fallbacks;
    *violated = walk.violated;
    if (carom_failed(status))
        return image_close_device(state), status;
    carom_status ended = image_end_device(state);
    return carom_failed(ended) ? ended : leave_front(&walk, status);
}
