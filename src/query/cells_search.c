/* Searches around a point: which triangles are near a triangle or on a ray, and the winding numbers that follow. */
#include "query/cells.h"

cells_task cells_begin(carom_query *query, const query_walk *walk, query_cells *cells, narrow_counts *counts)
{
    const query_question *question = walk->question;
    const carom_placed *placed[2] = {question->a, question->b};
    const carom_tree *trees[2] = {question->tree_a, question->tree_b};
    const void *assets[2] = {question->asset_a, question->asset_b};
    cells_task task = {.query = query,
                       .question = question,
                       .cells = cells,
                       .budget = walk->budget,
                       .counters = walk->counters,
                       .counts = counts};
    for (int i = 0; i < 2; i++)
        if (query_is_mesh(placed[i]))
            task.bodies[i] = (cells_body){.mesh = query_placed_mesh(placed[i], trees[i]),
                                          .asset = assets[i],
                                          .box = query_world_box(placed[i]),
                                          .solid = query_has_inside(&placed[i]->shape)};
    return task;
}

carom_status cells_no_memory(const cells_task *task)
{
    return base_fail(task->query->context, CAROM_OUT_OF_MEMORY, "relation: no memory for cells");
}

local_face cells_triangle(const cells_task *task, int body, uint32_t triangle)
{
    narrow_triangle world = tree_world_triangle(&task->bodies[body].mesh, triangle);
    return local_make(&world, task->counts);
}

/* ---- triangles near something ---- */

typedef struct triangle_search
{
    const cells_task *task;
    query_words *out;
    double limit;
    bool out_of_memory;
} triangle_search;

static void note_triangle(uint32_t triangle, void *user)
{
    triangle_search *search = user;
    if (!base_array_reserve(search->task->query->context, search->out, 1))
        search->out_of_memory = true;
    else
        search->out->items[search->out->count++] = triangle;
}

static double note_near(uint32_t triangle, bool certain, void *user)
{
    triangle_search *search = user;
    (void)certain;
    note_triangle(triangle, user);
    return search->out_of_memory ? -1.0 : search->limit;
}

/* A search is never cut short, so that it need not start again: what it found is paid for afterwards. */
static query_mesh_task mesh_task(const cells_task *task, int body, base_budget *unlimited)
{
    *unlimited = base_budget_begin(NULL);
    return (query_mesh_task){.context = task->query->context,
                             .mesh = task->bodies[body].mesh,
                             .defect = task->question->defect,
                             .asset = task->bodies[body].asset,
                             .budget = unlimited,
                             .counters = task->counters};
}

static carom_status finish_search(triangle_search *search, carom_status status)
{
    const cells_task *task = search->task;
    if (search->out_of_memory)
        return cells_no_memory(task);
    if (status != CAROM_OK)
        return status;
    return query_sort_unique(task->query->context, search->out, &task->query->sort_space) ? CAROM_OK
                                                                                          : cells_no_memory(task);
}

/* The triangles of a body within the radius of a segment, and perhaps others, each once. */
static carom_status find_near(const cells_task *task, int body, const narrow_round *round, query_words *out)
{
    triangle_search search = {.task = task, .out = out, .limit = round->radius};
    narrow_near near = {
        .round = round, .limit = search.limit, .vanishing = true, .on_triangle = note_near, .user = &search};
    base_budget unlimited;
    query_mesh_task mesh = mesh_task(task, body, &unlimited);
    out->count = 0;
    return finish_search(&search, task->question->method->near(task->query->method_state, &mesh, &near));
}

static double largest(carom_vec3 p) { return fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))); }

/* A capsule along the longest side that holds the triangle, with room for rounding. */
static narrow_round cover(const carom_vec3 corner[3])
{
    double longest = -1.0, size = 0.0;
    int from = 0;
    for (int i = 0; i < 3; i++)
    {
        carom_vec3 side = vec3_sub(corner[(i + 1) % 3], corner[i]);
        double square = vec3_dot(side, side);
        size = fmax(size, largest(corner[i]));
        if (square > longest)
            longest = square, from = i;
    }
    carom_vec3 a = corner[from], along = vec3_sub(corner[(from + 1) % 3], a),
               apart = vec3_sub(corner[(from + 2) % 3], a);
    double share = longest > 0.0 ? fmin(fmax(vec3_dot(apart, along) / longest, 0.0), 1.0) : 0.0;
    double height = vec3_length(vec3_sub(apart, vec3_scale(along, share)));
    return (narrow_round){{a, corner[(from + 1) % 3]}, height * (1.0 + 0x1p-40) + 0x1p-40 * size + 0x1p-1000};
}

carom_status cells_find_near(const cells_task *task, int body, const carom_vec3 corner[3], query_words *out)
{
    out->count = 0;
    if (!task->bodies[body].mesh.mesh)
        return CAROM_OK;
    narrow_round round = cover(corner);
    return find_near(task, body, &round, out);
}

/* ---- rays ---- */

static void set_coordinate(carom_vec3 *v, int axis, double value)
{
    *(axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z) = value;
}

static double coordinate(carom_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

static bool is_beyond(const carom_aabb *box, carom_vec3 p, double error)
{
    return p.x + error < box->min.x || p.x - error > box->max.x || p.y + error < box->min.y ||
           p.y - error > box->max.y || p.z + error < box->min.z || p.z - error > box->max.z;
}

/* Without an inside only what contains the point matters. */
static carom_status find_on_ray(const cells_task *task, int body, const exact_point *point, int axis, query_words *out)
{
    const cells_body *own = &task->bodies[body];
    carom_vec3 from = point->rounded, to = from;
    if (axis == 0 && own->solid && point->kind == EXACT_POINT_GIVEN)
    {
        triangle_search search = {.task = task, .out = out};
        base_budget unlimited;
        query_mesh_task mesh = mesh_task(task, body, &unlimited);
        out->count = 0;
        return finish_search(
            &search, task->question->method->line_x(task->query->method_state, &mesh, from, note_triangle, &search));
    }
    if (own->solid)
        set_coordinate(&to, axis, fmax(coordinate(from, axis), coordinate(own->box.max, axis)));
    narrow_round round = {{from, to}, exact_point_reach(point) + 0x1p-500}; /* whose square is normal */
    return find_near(task, body, &round, out);
}

carom_status cells_find_on_line(const cells_task *task, int body, const exact_point *point, int axis)
{
    query_words *on_line = &task->cells->on_line[body];
    task->cells->axis = axis, task->cells->winding[body] = 0;
    on_line->count = 0;
    if (!task->bodies[body].mesh.mesh || is_beyond(&task->bodies[body].box, point->rounded, 2.0 * point->error))
        return CAROM_OK;
    CELLS_TRY(find_on_ray(task, body, point, axis, on_line));
    size_t kept = 0;
    for (size_t i = 0; i < on_line->count; i++)
    {
        narrow_triangle world = tree_world_triangle(&task->bodies[body].mesh, (uint32_t)on_line->items[i]);
        int winding;
        if (local_winding_around(world.corner, axis, point, &winding, task->counts))
            task->cells->winding[body] += winding;
        else
            on_line->items[kept++] = on_line->items[i];
    }
    on_line->count = kept;
    return CAROM_OK;
}

int cells_winding(const cells_task *task, int body, const local_sample *sample)
{
    const query_words *on_line = &task->cells->on_line[body];
    if (!task->bodies[body].solid)
        return 0;
    int winding = task->cells->winding[body];
    for (size_t i = 0; i < on_line->count; i++)
    {
        narrow_triangle world = tree_world_triangle(&task->bodies[body].mesh, (uint32_t)on_line->items[i]);
        winding += local_winding(world.corner, task->cells->axis, sample, task->counts);
    }
    return winding;
}

carom_status cells_locate(const cells_task *task, int body, carom_vec3 p, bool *inside)
{
    const exact_point point = local_given(p);
    const local_sample sample = {.point = &point};
    *inside = false;
    if (!task->bodies[body].solid)
        return CAROM_OK;
    CELLS_TRY(cells_find_on_line(task, body, &point, 0));
    *inside = cells_winding(task, body, &sample) != 0;
    return CAROM_OK;
}
