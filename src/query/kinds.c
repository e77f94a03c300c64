/* Which functions answer a pair of shapes: the table at the end, kind against kind. A primitive is a solid with the
 * single element 0; the narrow phase decides it exactly, from placed points. A row for two kinds in reverse order calls
 * its twin with the bodies swapped. */
#include "query/query.h"

/* ---- mesh and mesh: left to the method ---- */

static query_task make_task(carom_context *context, const query_walk *walk)
{
    const query_question *question = walk->question;
    return (query_task){.context = context,
                        .a = query_placed_mesh(question->a, question->tree_a),
                        .b = query_placed_mesh(question->b, question->tree_b),
                        .defect = question->defect,
                        .asset_a = question->asset_a,
                        .asset_b = question->asset_b,
                        .memory = question->memory,
                        .front = walk->front,
                        .budget = walk->budget,
                        .counters = walk->counters};
}

static bool meshes_far_apart(carom_context *context, const query_question *question, double limit)
{
    if (!question->method->far_apart)
        return false;
    mesh_placed a = query_placed_mesh(question->a, question->tree_a);
    mesh_placed b = query_placed_mesh(question->b, question->tree_b);
    return question->method->far_apart(context, &a, &b, limit, question->memory);
}

static carom_status collide_meshes(carom_query *query, const query_walk *walk, const narrow_search *search,
                                   bool *violated)
{
    query_task task = make_task(query->context, walk);
    return walk->question->method->collide(query->method_state, &task, search, violated);
}

static carom_status distance_of_meshes(carom_query *query, const query_walk *walk, narrow_closest *closest)
{
    query_task task = make_task(query->context, walk);
    return walk->question->method->distance(query->method_state, &task, closest);
}

static carom_status meshes_within(carom_query *query, const query_walk *walk, double limit, bool *within)
{
    query_task task = make_task(query->context, walk);
    return walk->question->method->within(query->method_state, &task, limit, within);
}

static narrow_triangle triangle_of(const carom_placed *placed, uint32_t triangle)
{
    mesh_placed mesh = query_placed_mesh(placed, NULL);
    return tree_world_triangle(&mesh, triangle);
}

static uint32_t contact_of_triangles(const query_question *question, const carom_pair *pair, carom_vec3 out[6],
                                     narrow_counts *counts)
{
    narrow_triangle a = triangle_of(question->a, pair->triangle_a), b = triangle_of(question->b, pair->triangle_b);
    return narrow_contact(&a, &b, out, counts);
}

static narrow_distance_result measure_triangles(const query_question *question, const carom_pair *pair,
                                                narrow_counts *counts)
{
    narrow_triangle a = triangle_of(question->a, pair->triangle_a), b = triangle_of(question->b, pair->triangle_b);
    return narrow_distance(&a, &b, counts);
}

/* ---- round and round: spheres and capsules ---- */

static carom_status collide_rounds(carom_query *query, const query_walk *walk, const narrow_search *search,
                                   bool *violated)
{
    (void)query;
    narrow_counts counts = {0};
    narrow_round a = query_placed_round(walk->question->a), b = query_placed_round(walk->question->b);
    if (!base_budget_spend(walk->budget, 1))
        return CAROM_UNKNOWN;
    uint32_t meeting = narrow_round_meet(&a, &b, &counts);
    walk->counters->triangles_tested++;
    if (meeting == CAROM_MEET_NONE && search->clearance > 0.0)
        *violated = *violated || narrow_round_distance_sign(&a, &b, search->clearance, &counts) < 0;
    walk->counters->exact_fallbacks += counts.exact_fallbacks;
    if (meeting == CAROM_MEET_NONE)
        return CAROM_OK;
    *violated = true;
    return search->on_pair(0, 0, meeting, search->user) ? CAROM_OK : CAROM_STOPPED;
}

static void settle(const query_walk *walk, narrow_closest *closest)
{
    narrow_counts counts = {0};
    narrow_closest_settle(closest, &counts);
    walk->counters->exact_fallbacks += counts.exact_fallbacks;
}

static carom_status distance_of_rounds(carom_query *query, const query_walk *walk, narrow_closest *closest)
{
    (void)query;
    narrow_counts counts = {0};
    narrow_round a = query_placed_round(walk->question->a), b = query_placed_round(walk->question->b);
    if (!base_budget_spend(walk->budget, 1))
        return closest->lower_bound = 0.0, CAROM_UNKNOWN;
    narrow_offer_rounds(closest, &a, &b, &counts);
    walk->counters->triangles_tested++;
    walk->counters->exact_fallbacks += counts.exact_fallbacks;
    settle(walk, closest);
    closest->lower_bound = narrow_closest_bound(closest);
    return CAROM_OK;
}

static carom_status rounds_within(carom_query *query, const query_walk *walk, double limit, bool *within)
{
    narrow_closest closest;
    narrow_closest_begin(&closest, limit);
    carom_status status = distance_of_rounds(query, walk, &closest);
    *within = closest.triangle_a != CAROM_NO_TRIANGLE;
    return status;
}

static uint32_t contact_of_rounds(const query_question *question, const carom_pair *pair, carom_vec3 out[6],
                                  narrow_counts *counts)
{
    (void)pair;
    narrow_round a = query_placed_round(question->a), b = query_placed_round(question->b);
    out[0] = narrow_round_contact(&a, &b, counts);
    return 1;
}

static narrow_distance_result measure_rounds(const query_question *question, const carom_pair *pair,
                                             narrow_counts *counts)
{
    (void)pair;
    narrow_round a = query_placed_round(question->a), b = query_placed_round(question->b);
    return narrow_round_distance(&a, &b, counts);
}

/* ---- mesh and round ---- */

/* The error of a computed distance, for a search that must not miss a nearer triangle. */
static double widen(const carom_placed *mesh, const narrow_round *round, double limit)
{
    const carom_aabb *box = &mesh->shape.mesh->info.bounds;
    carom_vec3 size = vec3_sub(box->max, box->min), length = vec3_sub(round->end[1], round->end[0]);
    double span = fabs(size.x) + fabs(size.y) + fabs(size.z) + fabs(length.x) + fabs(length.y) + fabs(length.z);
    return limit + 4.0 * NARROW_ROUND_DISTANCE_ERROR * (limit + round->radius + 2.0 * span);
}

/* How far a search must reach so that no triangle at this computed distance from the solid is missed. */
static double reach_for(const carom_placed *mesh, const narrow_round *round, double limit)
{
    return (widen(mesh, round, limit) + round->radius) * (1.0 + 0x1p-50);
}

typedef struct round_search
{
    const query_walk *walk;
    const carom_placed *mesh;
    narrow_round round;
    const narrow_search *search; /* collide */
    double margin;               /* collide: the clearance until something violates it, then 0 */
    bool violated;
    narrow_closest *closest; /* distance: in the order mesh, round */
    bool stop_at_first;      /* distance: any triangle within the first distance of interest will do */
    uint32_t smallest;       /* distance: once a triangle meets the solid, only smaller ids matter */
    bool unmeasured;         /* the closest triangle meets the solid, but the point is not computed yet */
    narrow_counts counts;
} round_search;

static round_search begin_search(const query_walk *walk)
{
    return (round_search){.walk = walk,
                          .mesh = walk->question->a,
                          .round = query_placed_round(walk->question->b),
                          .smallest = CAROM_NO_TRIANGLE};
}

static carom_status search_near(carom_query *query, round_search *state, narrow_near *near)
{
    const query_walk *walk = state->walk;
    const query_question *question = walk->question;
    query_mesh_task task = {.context = query->context,
                            .mesh = query_placed_mesh(question->a, question->tree_a),
                            .defect = question->defect,
                            .asset = question->asset_a,
                            .front = walk->front,
                            .budget = walk->budget,
                            .counters = walk->counters};
    near->round = &state->round, near->user = state;
    near->limit = reach_for(state->mesh, &state->round, near->limit);
    carom_status status = question->method->near(query->method_state, &task, near);
    walk->counters->exact_fallbacks += state->counts.exact_fallbacks;
    return status;
}

/* Is a triangle that does not meet the solid closer than the clearance? */
static bool is_too_near(round_search *state, const narrow_triangle *triangle)
{
    return narrow_round_triangle_distance_sign(&state->round, triangle, state->search->clearance, &state->counts) < 0;
}

static double collide_triangle(uint32_t triangle, bool certain, void *user)
{
    round_search *state = user;
    uint32_t meeting = CAROM_MEET_CROSSING;
    if (!certain)
    {
        narrow_triangle corners = triangle_of(state->mesh, triangle);
        meeting = narrow_round_triangle_meet(&state->round, &corners, &state->counts);
        if (meeting == CAROM_MEET_NONE && state->margin > 0.0 && is_too_near(state, &corners))
            state->violated = true, state->margin = 0.0;
    }
    if (meeting != CAROM_MEET_NONE)
    {
        state->violated = true, state->margin = 0.0;
        if (!state->search->on_pair(triangle, 0, meeting, state->search->user))
            return -1.0;
    }
    return reach_for(state->mesh, &state->round, state->margin);
}

static carom_status collide_mesh_round(carom_query *query, const query_walk *walk, const narrow_search *search,
                                       bool *violated)
{
    round_search state = begin_search(walk);
    state.search = search;
    state.violated = *violated;
    state.margin = state.violated ? 0.0 : search->clearance;
    narrow_near near = {.limit = state.margin, .on_triangle = collide_triangle};
    carom_status status = search_near(query, &state, &near);
    *violated = state.violated;
    return status;
}

static double measure_triangle(uint32_t triangle, bool certain, void *user)
{
    round_search *state = user;
    narrow_closest *closest = state->closest;
    if (certain)
        narrow_offer_meeting(closest, (carom_pair){triangle, 0, 0});
    else
    {
        narrow_triangle corners = triangle_of(state->mesh, triangle);
        narrow_offer_triangle_round(closest, &corners, &state->round, triangle, &state->counts);
    }
    if (closest->triangle_a == triangle)
        state->unmeasured = certain;
    if (closest->distance == 0.0)
        state->smallest = closest->triangle_a;
    if (state->stop_at_first && closest->triangle_a != CAROM_NO_TRIANGLE)
        return -1.0;
    return reach_for(state->mesh, &state->round, closest->distance);
}

static carom_status search_closest(carom_query *query, round_search *state)
{
    narrow_closest *closest = state->closest;
    double open = 0.0;
    narrow_near near = {.limit = closest->distance,
                        .nearest_only = true,
                        .smallest = &state->smallest,
                        .open_bound = &open,
                        .on_triangle = measure_triangle};
    carom_status status = search_near(query, state, &near);
    if (state->unmeasured)
    {
        narrow_triangle corners = triangle_of(state->mesh, closest->triangle_a);
        narrow_distance_result found = narrow_round_triangle_distance(&state->round, &corners, &state->counts);
        closest->point_a = found.point_b, closest->point_b = found.point_a;
    }
    double radius = state->round.radius, bound = open - radius - 0x1p-40 * (open + radius);
    settle(state->walk, closest);
    double known = narrow_closest_bound(closest);
    closest->lower_bound = status != CAROM_UNKNOWN || bound > known ? known : fmax(bound, 0.0);
    return status == CAROM_STOPPED ? CAROM_OK : status;
}

static carom_status distance_mesh_round(carom_query *query, const query_walk *walk, narrow_closest *closest)
{
    round_search state = begin_search(walk);
    state.closest = closest;
    return search_closest(query, &state);
}

static carom_status mesh_round_within(carom_query *query, const query_walk *walk, double limit, bool *within)
{
    narrow_closest closest;
    narrow_closest_begin(&closest, limit);
    round_search state = begin_search(walk);
    state.closest = &closest, state.stop_at_first = true;
    carom_status status = search_closest(query, &state);
    *within = closest.triangle_a != CAROM_NO_TRIANGLE;
    return *within ? CAROM_OK : status;
}

static uint32_t contact_mesh_round(const query_question *question, const carom_pair *pair, carom_vec3 out[6],
                                   narrow_counts *counts)
{
    narrow_triangle a = triangle_of(question->a, pair->triangle_a);
    narrow_round b = query_placed_round(question->b);
    out[0] = narrow_round_triangle_contact(&b, &a, counts);
    return 1;
}

static narrow_distance_result measure_mesh_round(const query_question *question, const carom_pair *pair,
                                                 narrow_counts *counts)
{
    narrow_triangle a = triangle_of(question->a, pair->triangle_a);
    narrow_round b = query_placed_round(question->b);
    narrow_distance_result found = narrow_round_triangle_distance(&b, &a, counts);
    return narrow_swap_points(&found);
}

/* ---- rows in reverse order: the same question with the bodies swapped ---- */

static query_question swap_bodies(const query_question *question)
{
    query_question swapped = *question;
    swapped.a = question->b, swapped.b = question->a;
    swapped.tree_a = question->tree_b, swapped.tree_b = question->tree_a;
    swapped.asset_a = question->asset_b, swapped.asset_b = question->asset_a;
    swapped.memory = NULL;
    return swapped;
}

/* Swaps the parts of a front, before and after the call of the twin. */
static void swap_front(narrow_front *front)
{
    for (size_t i = 0; front && i < front->count; i++)
    {
        uint32_t part = front->items[i].part_a;
        front->items[i].part_a = front->items[i].part_b, front->items[i].part_b = part;
    }
}

typedef struct swapped_search
{
    const narrow_search *search;
} swapped_search;

static bool swap_pair(uint32_t element_a, uint32_t element_b, uint32_t meeting, void *user)
{
    const narrow_search *search = ((const swapped_search *)user)->search;
    return search->on_pair(element_b, element_a, meeting, search->user);
}

static carom_status collide_swapped(carom_query *query, const query_walk *walk, const narrow_search *search,
                                    bool *violated)
{
    query_question question = swap_bodies(walk->question);
    query_walk swapped = {&question, walk->front, walk->budget, walk->counters};
    swapped_search user = {search};
    narrow_search other = *search;
    other.on_pair = swap_pair, other.user = &user;
    swap_front(walk->front);
    carom_status status = query_row_of(&question)->collide(query, &swapped, &other, violated);
    swap_front(walk->front);
    return status;
}

static void swap_closest(narrow_closest *closest)
{
    carom_vec3 point = closest->point_a;
    closest->point_a = closest->point_b, closest->point_b = point;
    uint32_t element = closest->triangle_a;
    closest->triangle_a = closest->triangle_b, closest->triangle_b = element;
}

static carom_status distance_swapped(carom_query *query, const query_walk *walk, narrow_closest *closest)
{
    query_question question = swap_bodies(walk->question);
    query_walk swapped = {&question, walk->front, walk->budget, walk->counters};
    swap_closest(closest);
    swap_front(walk->front);
    carom_status status = query_row_of(&question)->distance(query, &swapped, closest);
    swap_front(walk->front);
    swap_closest(closest);
    return status;
}

static carom_status within_swapped(carom_query *query, const query_walk *walk, double limit, bool *within)
{
    query_question question = swap_bodies(walk->question);
    query_walk swapped = {&question, NULL, walk->budget, walk->counters};
    return query_row_of(&question)->within(query, &swapped, limit, within);
}

static uint32_t contact_swapped(const query_question *question, const carom_pair *pair, carom_vec3 out[6],
                                narrow_counts *counts)
{
    query_question other = swap_bodies(question);
    carom_pair swapped = {pair->triangle_b, pair->triangle_a, pair->meeting};
    return query_row_of(&other)->contact(&other, &swapped, out, counts);
}

static narrow_distance_result measure_swapped(const query_question *question, const carom_pair *pair,
                                              narrow_counts *counts)
{
    query_question other = swap_bodies(question);
    carom_pair swapped = {pair->triangle_b, pair->triangle_a, pair->meeting};
    narrow_distance_result found = query_row_of(&other)->measure(&other, &swapped, counts);
    return narrow_swap_points(&found);
}

/* ---- the table ---- */

static const query_row MESH_MESH = {meshes_far_apart, collide_meshes,       distance_of_meshes,
                                    meshes_within,    contact_of_triangles, measure_triangles};
static const query_row MESH_ROUND = {
    NULL, collide_mesh_round, distance_mesh_round, mesh_round_within, contact_mesh_round, measure_mesh_round};
static const query_row ROUND_ROUND = {NULL,          collide_rounds,    distance_of_rounds,
                                      rounds_within, contact_of_rounds, measure_rounds};
static const query_row SWAPPED = {NULL,           collide_swapped, distance_swapped,
                                  within_swapped, contact_swapped, measure_swapped};

/* No cell between existing kinds is empty. */
const query_row *const query_table[CAROM_SHAPE_KIND_COUNT][CAROM_SHAPE_KIND_COUNT] = {
    [CAROM_SHAPE_MESH] =
        {[CAROM_SHAPE_MESH] = &MESH_MESH, [CAROM_SHAPE_SPHERE] = &MESH_ROUND, [CAROM_SHAPE_CAPSULE] = &MESH_ROUND},
    [CAROM_SHAPE_SPHERE] =
        {[CAROM_SHAPE_MESH] = &SWAPPED, [CAROM_SHAPE_SPHERE] = &ROUND_ROUND, [CAROM_SHAPE_CAPSULE] = &ROUND_ROUND},
    [CAROM_SHAPE_CAPSULE] =
        {[CAROM_SHAPE_MESH] = &SWAPPED, [CAROM_SHAPE_SPHERE] = &ROUND_ROUND, [CAROM_SHAPE_CAPSULE] = &ROUND_ROUND},
};
