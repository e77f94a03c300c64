/* The default trees that a frame's pairs need: built before pairs are examined, within a budget of time only as far as
 * it goes. */
#include "engine/engine.h"

typedef struct tree_building
{
    carom_engine *engine;
    const carom_frame *frame;
} tree_building;

static bool lacks_tree(const carom_frame_body *body)
{
    const carom_shape *shape = &body->placed.shape;
    return shape->kind == CAROM_SHAPE_MESH && !shape->tree && !tree_default_if_built(shape->mesh, TREE_FOR_PAIRS);
}

bool engine_pair_lacks_trees(const carom_engine *engine, const carom_frame *frame, const engine_pair *pair)
{
    return engine->kind->method->needs_trees &&
           (lacks_tree(&frame->bodies[pair->a]) || lacks_tree(&frame->bodies[pair->b]));
}

static void build_trees(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const tree_building *building = data;
    engine_worker *own = &building->engine->workers[worker];
    const carom_tree *tree;
    for (uint32_t i = first; i < last && own->failure == CAROM_OK; i++)
    {
        uint32_t position = building->engine->waiting.items[i];
        own->failure = tree_default(building->frame->bodies[position].placed.shape.mesh, TREE_FOR_PAIRS, &tree);
    }
}

/* Bodies whose default trees are missing, each mesh once, in engine->waiting. */
static carom_status list_missing_trees(carom_engine *engine, const carom_frame *frame)
{
    engine->waiting.count = engine->grouped.count = engine->space.count = 0;
    size_t needed = engine->pairs.count > 0 ? frame->body_count : 0, count = 0;
    if (!base_array_reserve(engine->context, &engine->waiting, needed) ||
        !base_array_reserve(engine->context, &engine->grouped, needed) ||
        !base_array_reserve(engine->context, &engine->space, needed))
        return base_fail(engine->context, CAROM_OUT_OF_MEMORY, "engine run: no memory for the trees of %u bodies",
                         frame->body_count);
    for (uint32_t i = 0; i < needed; i++)
        if (lacks_tree(&frame->bodies[i]))
            engine->grouped.items[count++] = (base_key_value){frame->bodies[i].placed.shape.mesh->serial, i};
    base_sort_keys(engine->grouped.items, engine->space.items, count);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || engine->grouped.items[i].key != engine->grouped.items[i - 1].key)
            engine->waiting.items[engine->waiting.count++] = (uint32_t)engine->grouped.items[i].value;
    return CAROM_OK;
}

/* Many trees are built in parallel, one per task; a few are built one after the other, each by all workers. */
static carom_status build_listed(carom_engine *engine, const carom_frame *frame)
{
    tree_building building = {engine, frame};
    for (uint32_t i = 0; i < engine->worker_count; i++)
        engine->workers[i].failure = CAROM_OK;
    uint32_t count = (uint32_t)engine->waiting.count;
    if (count >= 4 * engine->worker_count)
        base_parallel_for(engine->context, count, 1, build_trees, &building);
    else
        build_trees(0, count, 0, &building);
    for (uint32_t i = 0; i < engine->worker_count; i++)
        if (engine->workers[i].failure != CAROM_OK)
            return engine->workers[i].failure;
    return CAROM_OK;
}

/* Those that the deadline leaves time for; pairs without trees stay undecided. */
static carom_status build_in_time(carom_engine *engine, const carom_frame *frame)
{
    const carom_tree *tree;
    for (size_t i = 0; i < engine->waiting.count; i++)
    {
        const carom_mesh *mesh = frame->bodies[engine->waiting.items[i]].placed.shape.mesh;
        double start = base_now(), cost = engine_pace_build_cost(&engine->pace, mesh->triangle_count);
        if (!engine_pace_allows(&engine->pace, cost, engine->pace.reserve))
            continue;
        BASE_TRY(tree_default(mesh, TREE_FOR_PAIRS, &tree));
        engine_pace_built(&engine->pace, mesh->triangle_count, base_now() - start);
    }
    return CAROM_OK;
}

carom_status engine_prepare_trees(carom_engine *engine, const carom_frame *frame)
{
    if (!engine->kind->method->needs_trees)
        return CAROM_OK;
    BASE_TRY(list_missing_trees(engine, frame));
    return engine->pace.deadline > 0.0 ? build_in_time(engine, frame) : build_listed(engine, frame);
}
