/* The topological grid seen from outside: its choice for a frame, and what the grid paper's way to locate objects would
 * have missed in the last run. */
#include "engine/engine.h"

carom_grid_choice carom_engine_choose_grid(const carom_frame *frame, uint32_t depth)
{
    broad_grid_extent extent = broad_grid_no_extent();
    for (uint32_t i = 0; frame && i < frame->body_count; i++)
        broad_grid_add_box(&extent, &frame->bodies[i].bounds, frame->bodies[i].is_static);
    double length = broad_grid_length(&extent);
    if (!(length > 0.0) || depth > BROAD_GRID_MAX_DEPTH)
        return (carom_grid_choice){0};
    depth = depth > 0 ? depth : broad_grid_choose_depth(&extent);
    return (carom_grid_choice){depth, ldexp(length, -(int)depth)};
}

/* ---- what diagonals miss ---- */

/* The cells of one object: those its box is in, and those its diagonals find. */
typedef struct object_cells
{
    broad_cell_set all, found;
} object_cells;

static broad_oriented oriented_box(const carom_engine *engine, const carom_frame *frame, uint32_t slot)
{
    const engine_proxies *proxies = &engine->proxies;
    const carom_frame_body *body = &frame->bodies[proxies->bodies.items[proxies->traits.items[slot].owner].position];
    const carom_shape *shape = &body->placed.shape;
    const carom_tree *tree = shape->kind != CAROM_SHAPE_MESH ? NULL
                             : shape->tree                   ? shape->tree
                                                             : tree_default_if_built(shape->mesh, TREE_FOR_PAIRS);
    broad_oriented box;
    if (!tree)
    {
        carom_vec3 half = vec3_scale(vec3_sub(body->bounds.max, body->bounds.min), 0.5);
        return (broad_oriented){vec3_add(body->bounds.min, half), {{half.x, 0, 0}, {0, half.y, 0}, {0, 0, half.z}}};
    }
    carom_vec3 centre, half[3];
    tree_part_box(tree, proxies->proxies.items[slot].part, &centre, half);
    box.centre = pose_apply(&body->placed.pose, centre);
    for (int i = 0; i < 3; i++)
        box.half[i] = vec3_sub(pose_apply(&body->placed.pose, half[i]), body->placed.pose.translation);
    return box;
}

static bool share_cell(const broad_cell_set *a, const broad_cell_set *b)
{
    for (size_t i = 0; i < sizeof a->bits / sizeof *a->bits; i++)
        if (a->bits[i] & b->bits[i])
            return true;
    return false;
}

static uint64_t count_cells(const broad_cell_set *set)
{
    uint64_t count = 0;
    for (size_t i = 0; i < sizeof set->bits / sizeof *set->bits; i++)
        count += (uint64_t)__builtin_popcountll(set->bits[i]);
    return count;
}

/* Positions of a pair of bodies, the first in the upper half. */
static bool meet_in_report(const carom_engine *engine, const carom_frame *frame, uint64_t bodies)
{
    carom_body_id a = frame->bodies[bodies >> 32].id, b = frame->bodies[(uint32_t)bodies].id;
    size_t first = 0, last = engine->body_pairs.count;
    while (first < last)
    {
        size_t middle = first + (last - first) / 2;
        const carom_body_pair *pair = &engine->body_pairs.items[middle];
        if (pair->body_a.index == a.index && pair->body_b.index == b.index)
            return pair->pair_count > 0;
        bool before = pair->body_a.index != a.index ? pair->body_a.index < a.index : pair->body_b.index < b.index;
        first = before ? middle + 1 : first, last = before ? last : middle;
    }
    return false;
}

typedef struct grid_inspection
{
    const carom_engine *engine;
    const carom_frame *frame;
    object_cells *cells;          /* by slot */
    base_key_value *keys, *space; /* pairs of objects by their pairs of bodies; value: do the diagonals find it? */
    size_t slot_count, pair_count;
} grid_inspection;

static void count_objects(const grid_inspection *inspection, carom_grid_stats *out)
{
    const carom_engine *engine = inspection->engine;
    const broad_octree_grid *grid = broad_topogrid_grid(engine->broad_state);
    out->depth = grid->depth, out->cell_size = grid->cell;
    for (uint32_t slot = 0; slot < inspection->slot_count; slot++)
    {
        object_cells *cells = &inspection->cells[slot];
        memset(cells, 0, sizeof *cells);
        if (broad_is_empty(&engine->proxies.boxes.items[slot]) || !engine->proxies.proxies.items[slot].searched)
            continue;
        broad_oriented box = oriented_box(engine, inspection->frame, slot);
        broad_grid_oriented_cells(grid, &box, &cells->all);
        broad_grid_diagonal_cells(grid, &box, &cells->found);
        for (size_t i = 0; i < sizeof cells->all.bits / sizeof *cells->all.bits; i++)
            cells->found.bits[i] &= cells->all.bits[i]; /* a diagonal that touches a cell may be rounded into it */
        out->objects++;
        out->cells += count_cells(&cells->all);
        out->cells_missed += count_cells(&cells->all) - count_cells(&cells->found);
    }
}

static void count_pairs(const grid_inspection *inspection, carom_grid_stats *out)
{
    const engine_proxies *proxies = &inspection->engine->proxies;
    for (size_t i = 0; i < inspection->pair_count; i++)
    {
        uint64_t slots = inspection->engine->proposed.items[i];
        uint32_t one = (uint32_t)(slots >> 32), other = (uint32_t)slots;
        uint64_t a = proxies->bodies.items[proxies->traits.items[one].owner].position;
        uint64_t b = proxies->bodies.items[proxies->traits.items[other].owner].position;
        const object_cells *cells_a = &inspection->cells[one], *cells_b = &inspection->cells[other];
        bool shared = share_cell(&cells_a->all, &cells_b->all), found = share_cell(&cells_a->found, &cells_b->found);
        out->pairs += shared, out->pairs_missed += shared && !found;
        inspection->keys[i] = (base_key_value){a < b ? a << 32 | b : b << 32 | a, found};
    }
    base_sort_keys(inspection->keys, inspection->space, inspection->pair_count);
    for (size_t i = 0; i < inspection->pair_count;)
    {
        uint64_t bodies = inspection->keys[i].key;
        bool found = false;
        for (; i < inspection->pair_count && inspection->keys[i].key == bodies; i++)
            found |= inspection->keys[i].value != 0;
        bool meet = meet_in_report(inspection->engine, inspection->frame, bodies);
        out->body_pairs += meet, out->body_pairs_missed += meet && !found;
    }
}

static carom_status check_inspection(carom_engine *engine, const carom_frame *frame)
{
    if (engine->busy)
        return base_fail(engine->context, CAROM_BUSY, "inspect grid: this was called from the engine's own run");
    if (engine->broad != &broad_topogrid || engine->author)
        return base_fail(engine->context, CAROM_UNSUPPORTED, "inspect grid: the broad phase is not topogrid");
    BASE_TRY(scene_check_fresh(engine->context, frame));
    if (frame->scene == 0 || !engine->has_run || frame->scene != engine->scene || frame->version != engine->version)
        return base_fail(engine->context, CAROM_STALE_FRAME, "inspect grid: the frame is not that of the last run");
    if (broad_topogrid_grid(engine->broad_state)->depth > BROAD_DIAGONAL_MAX_DEPTH)
        return base_fail(engine->context, CAROM_UNSUPPORTED, "inspect grid: its depth is %u, at most %d are supported",
                         broad_topogrid_grid(engine->broad_state)->depth, BROAD_DIAGONAL_MAX_DEPTH);
    return CAROM_OK;
}

carom_status carom_engine_inspect_grid(carom_engine *engine, const carom_frame *frame, carom_grid_stats *out)
{
    if (!engine || !frame || !out)
        return base_fail(engine ? engine->context : NULL, CAROM_INVALID_ARGUMENT, "inspect grid: %s is null",
                         !engine  ? "engine"
                         : !frame ? "frame"
                                  : "out");
    *out = (carom_grid_stats){0};
    BASE_TRY(check_inspection(engine, frame));
    carom_context *context = engine->context;
    grid_inspection inspection = {.engine = engine,
                                  .frame = frame,
                                  .slot_count = engine->proxies.boxes.count,
                                  .pair_count = engine->proposed.count};
    inspection.cells = base_allocate(context, inspection.slot_count, sizeof *inspection.cells, BASE_CACHE_LINE);
    inspection.keys = base_allocate(context, inspection.pair_count, sizeof *inspection.keys, BASE_CACHE_LINE);
    inspection.space = base_allocate(context, inspection.pair_count, sizeof *inspection.space, BASE_CACHE_LINE);
    bool enough = inspection.cells && inspection.keys && inspection.space;
    if (enough)
    {
        count_objects(&inspection, out);
        count_pairs(&inspection, out);
    }
    base_release(context, inspection.cells, inspection.slot_count, sizeof *inspection.cells);
    base_release(context, inspection.keys, inspection.pair_count, sizeof *inspection.keys);
    base_release(context, inspection.space, inspection.pair_count, sizeof *inspection.space);
    return enough ? CAROM_OK
                  : base_fail(context, CAROM_OUT_OF_MEMORY, "inspect grid: no memory for %zu boxes",
                              inspection.slot_count);
}
