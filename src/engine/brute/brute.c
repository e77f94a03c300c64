/* Engine `brute`: tests all pairs of triangles. Slow, short and right; the reference for every other engine. */
#include "engine/brute/brute.h"

typedef struct brute_state
{
    carom_context *context;
    brute_find_near_fn *find_near;
    BASE_ARRAY(narrow_triangle) a, b; /* world corners */
    BASE_ARRAY(brute_group) groups;   /* of b */
    BASE_ARRAY(uint64_t) hits;
    carom_vec3 origin; /* of the boxes: a point of b */
    double span;       /* largest extent of both bodies together: bounds the error of a computed distance */
} brute_state;

/* ---- geometry of the current pair ---- */

static carom_aabb triangle_box(const narrow_triangle *t)
{
    return (carom_aabb){vec3_min(t->corner[0], vec3_min(t->corner[1], t->corner[2])),
                        vec3_max(t->corner[0], vec3_max(t->corner[1], t->corner[2]))};
}

/* Boxes are relative to a point near the bodies, where floats are precise. Rounding is monotonic, so boxes that overlap
 * still do after being shifted alike. */
static void round_box(const carom_aabb *box, double margin, carom_vec3 origin, float out[6])
{
    out[0] = math_float_down((box->min.x - margin) - origin.x);
    out[1] = math_float_down((box->min.y - margin) - origin.y);
    out[2] = math_float_down((box->min.z - margin) - origin.z);
    out[3] = math_float_up((box->max.x + margin) - origin.x);
    out[4] = math_float_up((box->max.y + margin) - origin.y);
    out[5] = math_float_up((box->max.z + margin) - origin.z);
}

static void group_boxes(brute_state *brute)
{
    for (size_t i = 0; i < 8 * brute->groups.count; i++)
    {
        brute_group *group = &brute->groups.items[i / 8];
        float box[6] = {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY};
        if (i < brute->b.count)
        {
            carom_aabb exact = triangle_box(&brute->b.items[i]);
            round_box(&exact, 0.0, brute->origin, box);
        }
        for (int axis = 0; axis < 3; axis++)
            group->min[axis][i % 8] = box[axis], group->max[axis][i % 8] = box[3 + axis];
    }
}

static double box_span(const mesh_placed *placed)
{
    carom_vec3 size = vec3_sub(placed->mesh->info.bounds.max, placed->mesh->info.bounds.min);
    return 2.0 * (size.x + size.y + size.z); /* more than the diagonal, whatever the rotation */
}

static carom_status prepare(brute_state *brute, const query_task *task)
{
    const carom_mesh *mesh_a = task->a.mesh, *mesh_b = task->b.mesh;
    size_t group_count = ((size_t)mesh_b->triangle_count + 7) / 8;
    brute->a.count = brute->b.count = brute->groups.count = brute->hits.count = 0;
    if (!base_array_reserve(task->context, &brute->a, mesh_a->triangle_count) ||
        !base_array_reserve(task->context, &brute->b, mesh_b->triangle_count) ||
        !base_array_reserve(task->context, &brute->groups, group_count) ||
        !base_array_reserve(task->context, &brute->hits, group_count))
        return base_fail(task->context, CAROM_OUT_OF_MEMORY, "engine brute: no memory for %u and %u triangles",
                         mesh_a->triangle_count, mesh_b->triangle_count);
    brute->a.count = mesh_a->triangle_count, brute->b.count = mesh_b->triangle_count;
    brute->groups.count = group_count;
    for (uint32_t i = 0; i < mesh_a->triangle_count; i++)
        brute->a.items[i] = tree_world_triangle(&task->a, i);
    for (uint32_t i = 0; i < mesh_b->triangle_count; i++)
        brute->b.items[i] = tree_world_triangle(&task->b, i);
    brute->origin = brute->b.count > 0 ? brute->b.items[0].corner[0] : vec3(0.0, 0.0, 0.0);
    group_boxes(brute);
    brute->span = box_span(&task->a) + box_span(&task->b);
    task->counters->volumes_updated += brute->a.count + brute->b.count;
    return CAROM_OK;
}

/* A distance of `limit` as computed may belong to boxes this far apart. */
static double widen(const brute_state *brute, double limit)
{
    return limit + 4.0 * NARROW_DISTANCE_ERROR * (limit + brute->span);
}

/* ---- rows: one triangle of a against all of b ---- */

typedef struct row
{
    uint32_t triangle_a;
    uint32_t hit_count;
} row;

/* False when the budget ran out. */
static bool start_row(brute_state *brute, const query_task *task, double margin, row *out)
{
    uint64_t work = 8 * (uint64_t)brute->groups.count;
    if (!base_budget_spend(task->budget, work < UINT32_MAX ? (uint32_t)work : UINT32_MAX))
        return false;
    float box[6];
    carom_aabb exact = triangle_box(&brute->a.items[out->triangle_a]);
    round_box(&exact, margin, brute->origin, box);
    out->hit_count = brute->find_near(brute->groups.items, (uint32_t)brute->groups.count, box, brute->hits.items);
    task->counters->boxes_tested += work;
    return true;
}

/* Next partner in a row, smallest first; false at its end. `at` starts at 0. */
static bool next_in_row(brute_state *brute, const row *row, uint32_t *at, uint32_t *triangle_b)
{
    if (*at >= row->hit_count)
        return false;
    uint64_t *hit = &brute->hits.items[*at];
    uint32_t lanes = (uint32_t)(*hit & 0xff);
    *triangle_b = (uint32_t)(*hit >> 8) * 8 + (uint32_t)__builtin_ctz(lanes);
    *hit &= *hit - 1;
    if ((*hit & 0xff) == 0)
        ++*at;
    return true;
}

/* ---- the method ---- */

typedef struct collide_run
{
    const narrow_search *search;
    bool violated;
    narrow_counts counts;
} collide_run;

/* False if the caller asked to stop. */
static bool collide_triangles(brute_state *brute, collide_run *run, uint32_t triangle_a, uint32_t triangle_b)
{
    const narrow_triangle *a = &brute->a.items[triangle_a], *b = &brute->b.items[triangle_b];
    uint32_t meeting = narrow_meet(a, b, &run->counts);
    if (meeting != CAROM_MEET_NONE)
    {
        run->violated = true;
        return run->search->on_pair(triangle_a, triangle_b, meeting, run->search->user);
    }
    if (!run->violated && run->search->clearance > 0.0)
        run->violated = narrow_distance_sign(a, b, run->search->clearance, &run->counts) < 0;
    return true;
}

/* The front of this method is the first remaining row. */
static uint32_t first_row(const narrow_front *front) { return front && front->count > 0 ? front->items[0].part_a : 0; }

static carom_status leave_front(carom_context *context, narrow_front *front, carom_status status, uint32_t row)
{
    if (!front)
        return status;
    front->count = 0;
    if (status != CAROM_UNKNOWN)
        return status;
    if (!base_array_reserve(context, front, 1))
        return base_fail(context, CAROM_OUT_OF_MEMORY, "engine brute: no memory");
    front->items[front->count++] = (narrow_part_pair){row, 0, 0.0f};
    return CAROM_UNKNOWN;
}

static carom_status collide_brute(void *state, const query_task *task, const narrow_search *search, bool *violated)
{
    brute_state *brute = state;
    collide_run run = {.search = search, .violated = *violated};
    carom_status status = CAROM_OK;
    BASE_TRY(prepare(brute, task));
    double margin = search->clearance > 0.0 ? widen(brute, search->clearance) : 0.0;
    uint32_t i = first_row(task->front);
    for (; i < brute->a.count && status == CAROM_OK; i++)
    {
        row row = {.triangle_a = i};
        uint32_t at = 0, triangle_b;
        if (!start_row(brute, task, margin, &row))
        {
            status = CAROM_UNKNOWN;
            break;
        }
        while (status == CAROM_OK && next_in_row(brute, &row, &at, &triangle_b))
        {
            task->counters->triangles_tested++;
            if (!collide_triangles(brute, &run, i, triangle_b))
                status = CAROM_STOPPED;
        }
    }
    task->counters->exact_fallbacks += run.counts.exact_fallbacks;
    *violated = run.violated;
    return leave_front(task->context, task->front, status, i);
}

typedef struct distance_run
{
    narrow_closest *closest;
    narrow_counts counts;
} distance_run;

static void try_closest(brute_state *brute, distance_run *run, uint32_t triangle_a, uint32_t triangle_b)
{
    narrow_offer(run->closest, &brute->a.items[triangle_a], &brute->b.items[triangle_b],
                 (carom_pair){triangle_a, triangle_b, 0}, &run->counts);
}

/* Largest gap of two boxes along an axis; negative where they overlap along all. */
static double box_gap(const carom_aabb *a, const carom_aabb *b)
{
    double x = fmax(a->min.x - b->max.x, b->min.x - a->max.x);
    double y = fmax(a->min.y - b->max.y, b->min.y - a->max.y);
    double z = fmax(a->min.z - b->max.z, b->min.z - a->max.z);
    return fmax(x, fmax(y, z));
}

static uint32_t nearest_box(const narrow_triangle *from, const narrow_triangle *triangles, size_t count)
{
    carom_aabb own = triangle_box(from);
    uint32_t nearest = 0;
    double smallest_gap = INFINITY;
    for (uint32_t i = 0; i < count; i++)
    {
        carom_aabb other = triangle_box(&triangles[i]);
        double gap = box_gap(&own, &other);
        if (gap < smallest_gap)
            smallest_gap = gap, nearest = i;
    }
    return nearest;
}

/* A few steps of alternating projection give a bound with which the rows can skip most pairs. */
static void find_first_bound(brute_state *brute, distance_run *run)
{
    uint32_t triangle_a = 0, triangle_b = 0;
    for (int step = 0; step < 4; step++)
    {
        triangle_b = nearest_box(&brute->a.items[triangle_a], brute->b.items, brute->b.count);
        try_closest(brute, run, triangle_a, triangle_b);
        triangle_a = nearest_box(&brute->b.items[triangle_b], brute->a.items, brute->a.count);
        try_closest(brute, run, triangle_a, triangle_b);
    }
}

static carom_status search_closest(brute_state *brute, const query_task *task, narrow_closest *closest,
                                   bool stop_at_first)
{
    distance_run run = {.closest = closest};
    carom_status status = CAROM_OK;
    BASE_TRY(prepare(brute, task));
    closest->lower_bound = 0.0;
    find_first_bound(brute, &run);
    uint32_t i = first_row(task->front);
    for (; i < brute->a.count && status == CAROM_OK; i++)
    {
        row row = {.triangle_a = i};
        uint32_t at = 0, triangle_b;
        if (stop_at_first && closest->triangle_a != CAROM_NO_TRIANGLE)
            break;
        if (!start_row(brute, task, widen(brute, closest->distance), &row))
        {
            status = CAROM_UNKNOWN;
            break;
        }
        while (status == CAROM_OK && next_in_row(brute, &row, &at, &triangle_b))
        {
            task->counters->triangles_tested++;
            try_closest(brute, &run, i, triangle_b);
        }
    }
    if (!stop_at_first)
        narrow_closest_settle(closest, &run.counts);
    if (!stop_at_first && status == CAROM_OK)
        closest->lower_bound = narrow_closest_bound(closest);
    task->counters->exact_fallbacks += run.counts.exact_fallbacks;
    return leave_front(task->context, task->front, status, i);
}

static carom_status distance_brute(void *state, const query_task *task, narrow_closest *closest)
{
    return search_closest(state, task, closest, false);
}

static carom_status within_brute(void *state, const query_task *task, double limit, bool *within)
{
    narrow_closest closest;
    narrow_closest_begin(&closest, limit);
    carom_status status = search_closest(state, task, &closest, true);
    *within = closest.triangle_a != CAROM_NO_TRIANGLE;
    return status == CAROM_UNKNOWN && *within ? CAROM_OK : status;
}

static carom_status near_brute(void *state, const query_mesh_task *task, const narrow_near *near)
{
    (void)state;
    carom_status status = CAROM_OK;
    uint32_t i = first_row(task->front);
    for (; i < task->mesh.mesh->triangle_count && status == CAROM_OK; i++)
    {
        if (!base_budget_spend(task->budget, 1))
        {
            status = CAROM_UNKNOWN;
            break;
        }
        task->counters->triangles_tested++;
        if (near->on_triangle(i, false, near->user) < 0.0)
            status = CAROM_STOPPED;
    }
    return leave_front(task->context, task->front, status, i);
}

static carom_status line_x_brute(void *state, const query_mesh_task *task, carom_vec3 point,
                                 void (*on_triangle)(uint32_t triangle, void *user), void *user)
{
    (void)state, (void)point;
    for (uint32_t i = 0; i < task->mesh.mesh->triangle_count; i++)
        on_triangle(i, user);
    return CAROM_OK;
}

static const query_method BRUTE_METHOD = {.collide = collide_brute,
                                          .distance = distance_brute,
                                          .within = within_brute,
                                          .near = near_brute,
                                          .line_x = line_x_brute};

/* ---- the engine ---- */

static carom_status create_state(carom_context *context, const carom_engine_def *def, void **out)
{
    (void)def;
    brute_state *brute = base_allocate(context, 1, sizeof *brute, BASE_CACHE_LINE);
    *out = brute;
    if (!brute)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "engine brute: no memory");
    memset(brute, 0, sizeof *brute);
    brute->context = context;
    brute->find_near = BASE_PICK_ISA(context, brute_find_near);
    return CAROM_OK;
}

static void destroy_state(void *state)
{
    brute_state *brute = state;
    carom_context *context = brute->context;
    base_array_free(context, &brute->a);
    base_array_free(context, &brute->b);
    base_array_free(context, &brute->groups);
    base_array_free(context, &brute->hits);
    base_release(context, brute, 1, sizeof *brute);
}

const engine_kind engine_brute = {
    .info = {"brute", "every triangle pair, exact: the reference", CAROM_CLASS_EXACT, false},
    .method = &BRUTE_METHOD,
    .create_state = create_state,
    .destroy_state = destroy_state};
