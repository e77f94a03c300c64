/* The four engines of the thesis's chapter 4: one method with different rules. Distances, rays and what is near a
 * segment, which the thesis does not treat, are answered by plain traversals of the same trees. */
#include "engine/edge/edge.h"

/* ---- the other questions ---- */

static mesh_placed with_tree(const mesh_placed *placed, const void *asset)
{
    return (mesh_placed){placed->mesh, ((const edge_asset *)asset)->tree, placed->pose};
}

typedef struct tree_question
{
    mesh_placed a, b;
    tree_task task;
} tree_question;

static void ask_trees(edge_state *state, const query_task *task, tree_question *out)
{
    out->a = with_tree(&task->a, task->asset_a), out->b = with_tree(&task->b, task->asset_b);
    out->task = (tree_task){.context = task->context,
                            .a = &out->a,
                            .b = &out->b,
                            .defect = task->defect,
                            .scratch = &state->scratch,
                            .front = task->front,
                            .budget = task->budget,
                            .counters = task->counters};
}

static carom_status distance(void *state, const query_task *task, narrow_closest *closest)
{
    tree_question trees;
    ask_trees(state, task, &trees);
    return tree_distance(&trees.task, closest);
}

static carom_status within(void *state, const query_task *task, double limit, bool *within)
{
    tree_question trees;
    ask_trees(state, task, &trees);
    return tree_within(&trees.task, limit, false, within);
}

static carom_status near_shape(void *state, const query_mesh_task *task, const narrow_near *near)
{
    mesh_placed placed = with_tree(&task->mesh, task->asset);
    tree_near_task tree = {.context = task->context,
                           .placed = &placed,
                           .defect = task->defect,
                           .front = task->front,
                           .scratch = &((edge_state *)state)->scratch,
                           .budget = task->budget,
                           .counters = task->counters};
    return tree_near(&tree, near);
}

static carom_status line_x(void *state, const query_mesh_task *task, carom_vec3 point,
                           void (*on_triangle)(uint32_t triangle, void *user), void *user)
{
    mesh_placed placed = with_tree(&task->mesh, task->asset);
    carom_ray ray = {point, {1.0, 0.0, 0.0}, INFINITY};
    tree_ray_task line = {.context = task->context,
                          .placed = &placed,
                          .ray = &ray,
                          .scratch = &((edge_state *)state)->scratch,
                          .counters = task->counters};
    return tree_line_x(&line, point, on_triangle, user);
}

static const query_method EDGE_METHOD = {.collide = edge_collide,
                                         .distance = distance,
                                         .within = within,
                                         .near = near_shape,
                                         .line_x = line_x,
                                         .repeats = true};

/* ---- states ---- */

enum
{
    TASKS_AT_ONCE = 32 /* the best value on four processors in the thesis (4.5.1) */
};

/* Most tasks of two nodes take a fraction of a microsecond: several go together. */
static const edge_rules SSTCD = {.by_edges = false, .shared = false};
static const edge_rules SPCD = {
    .by_edges = false, .shared = true, .batch = UINT32_MAX, .min_range = 16, .max_range = 64};
static const edge_rules ESCD = {.by_edges = true, .shared = false};
static const edge_rules EPCD = {.by_edges = true, .shared = true, .batch = 0, .min_range = 1, .max_range = 1};

static carom_status create_state(carom_context *context, const carom_engine_def *def, const edge_rules *rules,
                                 void **out)
{
    edge_state *state = base_allocate(context, 1, sizeof *state, BASE_CACHE_LINE);
    *out = state;
    if (!state)
        return edge_out_of_memory(context);
    memset(state, 0, sizeof *state);
    state->context = state->scratch.context = context;
    state->rules = rules;
    state->tasks_at_once = def->tasks_at_once > 0 ? def->tasks_at_once : TASKS_AT_ONCE;
    state->find = BASE_PICK_ISA(context, edge_find);
    state->watch = base_watch_create(context);
    state->scratch.ray_frame.pose = carom_pose_identity();
    return CAROM_OK;
}

static carom_status create_sstcd(carom_context *context, const carom_engine_def *def, void **out)
{
    return create_state(context, def, &SSTCD, out);
}

static carom_status create_spcd(carom_context *context, const carom_engine_def *def, void **out)
{
    return create_state(context, def, &SPCD, out);
}

static carom_status create_escd(carom_context *context, const carom_engine_def *def, void **out)
{
    return create_state(context, def, &ESCD, out);
}

static carom_status create_epcd(carom_context *context, const carom_engine_def *def, void **out)
{
    return create_state(context, def, &EPCD, out);
}

static void free_lane(carom_context *context, edge_lane *lane)
{
    base_array_free(context, &lane->children);
    base_array_free(context, &lane->found);
    base_array_free(context, &lane->faces);
    edge_proposed_free(context, &lane->proposed);
    base_array_free(context, &lane->hits);
}

static void destroy_state(void *object)
{
    edge_state *state = object;
    carom_context *context = state->context;
    for (uint32_t i = 0; i < state->lane_count; i++)
        free_lane(context, &state->lanes[i]);
    base_release(context, state->lanes, state->lane_count, sizeof *state->lanes);
    base_array_free(context, &state->open);
    base_array_free(context, &state->current);
    base_array_free(context, &state->next);
    base_array_free(context, &state->groups);
    base_array_free(context, &state->positions);
    tree_scratch_free(&state->scratch);
    base_release(context, state, 1, sizeof *state);
}

static void add_stats(const void *object, carom_engine_stats *sum)
{
    const carom_engine_stats *own = &((const edge_state *)object)->stats;
    sum->tasks += own->tasks, sum->edge_tests += own->edge_tests;
    sum->depth = own->depth > sum->depth ? own->depth : sum->depth;
    sum->worker_seconds += own->worker_seconds, sum->busy_seconds += own->busy_seconds;
}

/* ---- the engines ---- */

const engine_kind engine_sstcd = {
    .info = {"sstcd", "thesis 4.3.3: a queue of pairs of boxes, one at a time", CAROM_CLASS_EXACT, false},
    .method = &EDGE_METHOD,
    .create_state = create_sstcd,
    .destroy_state = destroy_state,
    .add_stats = add_stats,
    .create_asset = edge_create_asset,
    .destroy_asset = edge_destroy_asset};

const engine_kind engine_spcd = {
    .info = {"spcd", "thesis 4.3.4: pairs of boxes, each level in parallel", CAROM_CLASS_EXACT, false},
    .method = &EDGE_METHOD,
    .parallel_inside = true,
    .create_state = create_spcd,
    .destroy_state = destroy_state,
    .add_stats = add_stats,
    .create_asset = edge_create_asset,
    .destroy_asset = edge_destroy_asset};

const engine_kind engine_escd = {.info = {"escd",
                                          "thesis 4.4: all edges of a body against the other's boxes, one at a time",
                                          CAROM_CLASS_EXACT, false},
                                 .method = &EDGE_METHOD,
                                 .create_state = create_escd,
                                 .destroy_state = destroy_state,
                                 .add_stats = add_stats,
                                 .create_asset = edge_create_asset,
                                 .destroy_asset = edge_destroy_asset};

const engine_kind engine_epcd = {.info = {"epcd",
                                          "thesis 4.4: all edges of a body against the other's boxes, in parallel",
                                          CAROM_CLASS_EXACT, false},
                                 .method = &EDGE_METHOD,
                                 .parallel_inside = true,
                                 .create_state = create_epcd,
                                 .destroy_state = destroy_state,
                                 .add_stats = add_stats,
                                 .create_asset = edge_create_asset,
                                 .destroy_asset = edge_destroy_asset};
