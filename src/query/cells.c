/* Cells of a triangle. Every cell has a corner: a corner of the triangle, a corner of its intersection with another
 * triangle, or a crossing of two such intersections. Around each of these points the directions in which triangles
 * leave it are sorted; between two that follow each other there is a cell, and a sample infinitely near to the point
 * tells on which side of it the solids are. docs/exactness.md proves that no cell is left out. */
#include "query/cells.h"

cells_task cells_begin(carom_query *query, const query_walk *walk, narrow_counts *counts)
{
    const query_question *question = walk->question;
    const carom_placed *placed[2] = {question->a, question->b};
    const carom_tree *trees[2] = {question->tree_a, question->tree_b};
    const void *assets[2] = {question->asset_a, question->asset_b};
    cells_task task = {.query = query,
                       .question = question,
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

static carom_status no_memory(const cells_task *task)
{
    return base_fail(task->query->context, CAROM_OUT_OF_MEMORY, "relation: no memory for cells");
}

static query_mesh_task mesh_task(const cells_task *task, int body)
{
    return (query_mesh_task){.context = task->query->context,
                             .mesh = task->bodies[body].mesh,
                             .defect = task->question->defect,
                             .asset = task->bodies[body].asset,
                             .budget = task->budget,
                             .counters = task->counters};
}

/* ---- searches ---- */

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

static carom_status finish_search(triangle_search *search, carom_status status)
{
    const cells_task *task = search->task;
    if (search->out_of_memory)
        return no_memory(task);
    if (status != CAROM_OK)
        return status;
    if (!query_sort_unique(task->query->context, search->out, &task->query->sort_space))
        return no_memory(task);
    return base_budget_spend(task->budget, (uint32_t)search->out->count + 1) ? CAROM_OK : CAROM_UNKNOWN;
}

/* The triangles of a body within the radius of a segment, and perhaps others, each once. */
static carom_status find_near(const cells_task *task, int body, const narrow_round *round, query_words *out)
{
    triangle_search search = {.task = task, .out = out, .limit = round->radius};
    if (!task->bodies[body].mesh.mesh)
        return out->count = 0, CAROM_OK;
    narrow_near near = {.round = round, .limit = search.limit, .on_triangle = note_near, .user = &search};
    query_mesh_task mesh = mesh_task(task, body);
    out->count = 0;
    return finish_search(&search, task->question->method->near(task->query->method_state, &mesh, &near));
}

static double largest(carom_vec3 p) { return fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))); }

carom_status cells_find_on_line(const cells_task *task, int body, const exact_point *point, query_words *out)
{
    carom_vec3 from = exact_point_rounded(point);
    if (!task->bodies[body].mesh.mesh)
        return out->count = 0, CAROM_OK;
    if (point->kind != EXACT_POINT_GIVEN)
    {
        const carom_aabb *box = &task->bodies[body].box;
        double size = fmax(largest(from), fmax(largest(box->min), largest(box->max)));
        for (int i = 0; i < (point->kind == EXACT_POINT_CUT ? 5 : 9); i++)
            size = fmax(size, largest(point->points[i]));
        carom_vec3 to = vec3(fmax(from.x, box->max.x), from.y, from.z);
        narrow_round round = {{from, to}, 0x1p-44 * size + 0x1p-1000};
        return find_near(task, body, &round, out);
    }
    triangle_search search = {.task = task, .out = out};
    query_mesh_task mesh = mesh_task(task, body);
    out->count = 0;
    return finish_search(&search, task->question->method->line_x(task->query->method_state, &mesh, from, note_triangle,
                                                                 &search));
}

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

local_triangle cells_triangle(const cells_task *task, int body, uint32_t triangle)
{
    narrow_triangle world = tree_world_triangle(&task->bodies[body].mesh, triangle);
    return local_make(&world, task->counts);
}

carom_status cells_find_touching(cells_task *task, int body, const carom_vec3 corner[3], query_words *out)
{
    narrow_round round = cover(corner);
    narrow_triangle world = {{corner[0], corner[1], corner[2]}};
    BASE_TRY(find_near(task, body, &round, out));
    size_t kept = 0;
    for (size_t i = 0; i < out->count; i++)
    {
        narrow_triangle other = tree_world_triangle(&task->bodies[body].mesh, (uint32_t)out->items[i]);
        if (narrow_touches(&world, &other, task->counts))
            out->items[kept++] = out->items[i];
    }
    out->count = kept;
    return CAROM_OK;
}

/* Does an edge of a triangle divide nothing within its plane, since the only neighbour there continues it? */
static bool is_continued(const cells_task *task, int body, uint32_t triangle, int edge, const local_triangle *b)
{
    const carom_mesh *mesh = task->bodies[body].mesh.mesh;
    uint32_t neighbour = mesh->neighbours[3 * (size_t)triangle + (size_t)edge];
    if (neighbour == MESH_NONE || neighbour == triangle)
        return false;
    local_triangle other = cells_triangle(task, body, neighbour);
    carom_vec3 from = b->corner[edge], to = b->corner[(edge + 1) % 3];
    for (int i = 0; i < 3 && other.sign != 0; i++)
        if (vec3_equal(other.corner[i], to) && vec3_equal(other.corner[(i + 1) % 3], from))
            return local_coplanar(b, &other, task->counts) &&
                   b->sign * exact_orient2d(from, to, other.corner[(i + 2) % 3], b->axis,
                                            &task->counts->exact_fallbacks) < 0;
    return false;
}

/* A triangle that meets t; where it is in the plane of t, only its edges that divide something count. */
static local_triangle triangle_beside(const cells_task *task, int body, uint32_t triangle, const local_triangle *t)
{
    local_triangle b = cells_triangle(task, body, triangle);
    if (b.sign == 0 || !local_coplanar(t, &b, task->counts))
        return b;
    for (int edge = 0; edge < 3; edge++)
        if (is_continued(task, body, triangle, edge, &b))
            b.edges &= ~(1u << edge);
    return b;
}

/* The triangles of a body that meet t and are not degenerate, t itself left out. */
static carom_status find_meeting(cells_task *task, int body, const local_triangle *t, uint32_t except, query_words *out)
{
    BASE_TRY(cells_find_touching(task, body, t->corner, out));
    size_t kept = 0;
    for (size_t i = 0; i < out->count; i++)
        if (out->items[i] != except && cells_triangle(task, body, (uint32_t)out->items[i]).sign != 0)
            out->items[kept++] = out->items[i];
    out->count = kept;
    return CAROM_OK;
}

/* ---- points that may be corners of cells ---- */

static bool add_event(cells_task *task, const exact_point *point)
{
    query_cells *cells = &task->query->cells;
    if (!base_array_reserve(task->query->context, &cells->events, 1))
        return false;
    cells->events.items[cells->events.count++] = *point;
    return true;
}

static bool add_events(cells_task *task, const exact_point *points, int count)
{
    for (int i = 0; i < count; i++)
        if (!add_event(task, &points[i]))
            return false;
    return true;
}

typedef struct meeting_box
{
    carom_aabb box;
    uint32_t body, triangle;
} meeting_box;

static carom_aabb box_of(const carom_vec3 corner[3])
{
    carom_aabb box = aabb_empty();
    for (int i = 0; i < 3; i++)
        box = aabb_add_point(box, corner[i]);
    return box;
}

static bool boxes_overlap(const carom_aabb *a, const carom_aabb *b)
{
    return a->min.y <= b->max.y && b->min.y <= a->max.y && a->min.z <= b->max.z && b->min.z <= a->max.z;
}

static uint64_t key_of_double(double value)
{
    uint64_t bits;
    value += 0.0; /* -0 and 0 are the same place */
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | 0x8000000000000000u;
}

/* The triangles that cut t, in the order of their smallest x. */
static carom_status order_cutting(cells_task *task)
{
    carom_query *query = task->query;
    query_cells *cells = &query->cells;
    size_t count = cells->cutting[0].count + cells->cutting[1].count;
    query->order.count = query->order_space.count = 0;
    if (!base_array_reserve(query->context, &query->order, count) ||
        !base_array_reserve(query->context, &query->order_space, count))
        return no_memory(task);
    for (uint32_t body = 0; body < 2; body++)
        for (size_t i = 0; i < cells->cutting[body].count; i++)
        {
            uint32_t triangle = (uint32_t)cells->cutting[body].items[i];
            narrow_triangle world = tree_world_triangle(&task->bodies[body].mesh, triangle);
            carom_aabb box = box_of(world.corner);
            query->order.items[query->order.count++] =
                (base_key_value){key_of_double(box.min.x), (uint64_t)body << 32 | triangle};
        }
    base_sort_keys(query->order.items, query->order_space.items, count);
    return CAROM_OK;
}

static meeting_box meeting_at(const cells_task *task, size_t i)
{
    uint64_t value = task->query->order.items[i].value;
    uint32_t body = (uint32_t)(value >> 32), triangle = (uint32_t)value;
    narrow_triangle world = tree_world_triangle(&task->bodies[body].mesh, triangle);
    return (meeting_box){box_of(world.corner), body, triangle};
}

/* Two triangles of one mesh with a common edge meet nowhere else, unless they overlap in one plane. */
static bool share_edge(const cells_task *task, const meeting_box *a, const meeting_box *b)
{
    if (a->body != b->body)
        return false;
    const uint32_t *neighbours = task->bodies[a->body].mesh.mesh->neighbours + 3 * (size_t)a->triangle;
    return neighbours[0] == b->triangle || neighbours[1] == b->triangle || neighbours[2] == b->triangle;
}

static carom_status add_crossing(cells_task *task, const local_triangle *t, const meeting_box *a, const meeting_box *b)
{
    narrow_triangle world_a = tree_world_triangle(&task->bodies[a->body].mesh, a->triangle);
    narrow_triangle world_b = tree_world_triangle(&task->bodies[b->body].mesh, b->triangle);
    if (!narrow_touches(&world_a, &world_b, task->counts))
        return CAROM_OK;
    local_triangle local_a = triangle_beside(task, (int)a->body, a->triangle, t),
                   local_b = triangle_beside(task, (int)b->body, b->triangle, t);
    if (share_edge(task, a, b) && !local_coplanar(&local_a, &local_b, task->counts))
        return CAROM_OK;
    exact_point points[LOCAL_MAX_EVENTS];
    int count = local_crossings(t, &local_a, &local_b, points, task->counts);
    return add_events(task, points, count) ? CAROM_OK : no_memory(task);
}

/* Crossings of the intersections with two other triangles: a sweep along x over their boxes. */
static carom_status add_crossings(cells_task *task, const local_triangle *t)
{
    BASE_TRY(order_cutting(task));
    size_t count = task->query->order.count;
    for (size_t i = 0; i < count; i++)
    {
        meeting_box first = meeting_at(task, i);
        uint64_t end = key_of_double(first.box.max.x);
        if (!base_budget_spend(task->budget, 1))
            return CAROM_UNKNOWN;
        for (size_t k = i + 1; k < count && task->query->order.items[k].key <= end; k++)
        {
            meeting_box second = meeting_at(task, k);
            if (boxes_overlap(&first.box, &second.box))
                BASE_TRY(add_crossing(task, t, &first, &second));
        }
    }
    return CAROM_OK;
}

/* On which edges of t is a point of it? A bit each. */
static unsigned edges_at(const cells_task *task, const local_triangle *t, const exact_point *point)
{
    unsigned mask = 0;
    for (int i = 0; i < 3; i++)
    {
        carom_vec3 edge[2] = {t->corner[i], t->corner[(i + 1) % 3]};
        if (exact_side_of_point(edge, t->axis, point, &task->counts->exact_fallbacks) == 0)
            mask |= 1u << i;
    }
    return mask;
}

/* Is the intersection of t and b, which these points and corners of t span, more than a point or a part of an edge of
 * t? Only then can it cross another one beyond the edges. */
static bool is_cutting(const cells_task *task, const local_triangle *t, const local_triangle *b,
                       const exact_point *points, int count)
{
    unsigned common = 7;
    int corners = 0;
    for (int i = 0; i < count; i++)
        common &= edges_at(task, t, &points[i]);
    for (int i = 0; i < 3; i++)
    {
        exact_point corner = {EXACT_POINT_GIVEN, {t->corner[i]}};
        if (!local_holds_point(b, &corner, task->counts))
            continue;
        common &= edges_at(task, t, &corner);
        corners++;
    }
    return common == 0 && count + corners > 1 && corners < 3; /* one that covers t does not cut it */
}

static carom_status find_events(cells_task *task, const local_triangle *t)
{
    query_cells *cells = &task->query->cells;
    exact_point points[LOCAL_MAX_EVENTS];
    cells->events.count = 0;
    for (int i = 0; i < 3; i++)
        points[i] = (exact_point){EXACT_POINT_GIVEN, {t->corner[i]}};
    if (!add_events(task, points, 3))
        return no_memory(task);
    for (int body = 0; body < 2; body++)
    {
        query_words *cutting = &cells->cutting[body];
        cutting->count = 0;
        for (size_t i = 0; i < cells->meeting[body].count; i++)
        {
            local_triangle b = triangle_beside(task, body, (uint32_t)cells->meeting[body].items[i], t);
            int count = local_events(t, &b, points, task->counts);
            if (!add_events(task, points, count) || !base_array_reserve(task->query->context, cutting, 1))
                return no_memory(task);
            if (b.edges != 0 && is_cutting(task, t, &b, points, count))
                cutting->items[cutting->count++] = cells->meeting[body].items[i];
        }
    }
    return add_crossings(task, t);
}

/* Sorts equal constructions next to each other. */
static carom_status order_events(cells_task *task)
{
    carom_query *query = task->query;
    query_cells *cells = &query->cells;
    size_t count = cells->events.count;
    query->order.count = query->order_space.count = 0;
    if (!base_array_reserve(query->context, &query->order, count) ||
        !base_array_reserve(query->context, &query->order_space, count))
        return no_memory(task);
    for (size_t i = 0; i < count; i++)
    {
        base_hash hash = base_hash_begin();
        const exact_point *event = &cells->events.items[i];
        for (int k = 0; k < 9; k++)
        {
            base_hash_double(&hash, event->points[k].x);
            base_hash_double(&hash, event->points[k].y);
            base_hash_double(&hash, event->points[k].z);
        }
        query->order.items[i] = (base_key_value){base_hash_end(&hash), i};
    }
    query->order.count = count;
    base_sort_keys(query->order.items, query->order_space.items, count);
    return CAROM_OK;
}

static bool same_event(const exact_point *a, const exact_point *b)
{
    if (a->kind != b->kind)
        return false;
    for (int i = 0; i < 9; i++)
        if (!vec3_equal(a->points[i], b->points[i]))
            return false;
    return true;
}

/* ---- around one point ---- */

typedef struct around
{
    cells_task *task;
    int body;
    local_triangle t;
    const exact_point *point;
    cells_fn *on_cell;
    void *user;
} around;

/* Collects the directions in which triangles leave the point within t, and notes those in the plane of t. */
static carom_status collect_ways(around *at, uint32_t triangle)
{
    cells_task *task = at->task;
    carom_query *query = task->query;
    query_cells *cells = &query->cells;
    cells->ways.count = cells->flat.count = 0;
    for (int body = 0; body < 2; body++)
        for (size_t i = 0; i < cells->on_line[body].count; i++)
        {
            uint32_t other = (uint32_t)cells->on_line[body].items[i];
            local_triangle b = cells_triangle(task, body, other);
            if (b.sign == 0 || !local_holds_point(&b, at->point, task->counts))
                continue;
            bool itself = body == at->body && other == triangle;
            if (!itself)
                b = triangle_beside(task, body, other, &at->t);
            if (!base_array_reserve(query->context, &cells->ways, LOCAL_MAX_WAYS) ||
                !base_array_reserve(query->context, &cells->flat, 1))
                return no_memory(task);
            cells->ways.count += (size_t)local_ways(&at->t, &b, at->point, cells->ways.items + cells->ways.count,
                                                    task->counts);
            if (body != at->body && local_coplanar(&at->t, &b, task->counts))
                cells->flat.items[cells->flat.count++] = other;
        }
    return CAROM_OK;
}

/* Merges two sorted runs of indices of ways. */
static void merge_ways(around *at, uint64_t *from, uint64_t *to, const size_t bounds[3])
{
    const exact_direction *ways = at->task->query->cells.ways.items;
    size_t left = bounds[0], right = bounds[1];
    for (size_t i = bounds[0]; i < bounds[2]; i++)
    {
        bool take_left = left < bounds[1] &&
                         (right >= bounds[2] || local_compare_ways(&at->t, &ways[0], &ways[from[left]],
                                                                   &ways[from[right]], at->task->counts) <= 0);
        to[i] = take_left ? from[left++] : from[right++];
    }
}

/* Orders the ways counterclockwise; query->corners holds their indices. */
static carom_status sort_ways(around *at)
{
    carom_query *query = at->task->query;
    size_t count = query->cells.ways.count;
    query->corners.count = query->members.count = 0;
    if (!base_array_reserve(query->context, &query->corners, count) ||
        !base_array_reserve(query->context, &query->members, count))
        return no_memory(at->task);
    uint64_t *from = query->corners.items, *to = query->members.items;
    for (size_t i = 0; i < count; i++)
        from[i] = i;
    for (size_t width = 1; width < count; width *= 2)
    {
        for (size_t first = 0; first < count; first += 2 * width)
        {
            size_t middle = first + width < count ? first + width : count,
                   end = first + 2 * width < count ? first + 2 * width : count;
            merge_ways(at, from, to, (size_t[3]){first, middle, end});
        }
        uint64_t *swap = from;
        from = to, to = swap;
    }
    if (from != query->corners.items)
        memcpy(query->corners.items, from, count * sizeof *from);
    return CAROM_OK;
}

bool cells_is_inside(const cells_task *task, int body, const local_sample *sample)
{
    const query_words *on_line = &task->query->cells.on_line[body];
    int winding = 0;
    for (size_t i = 0; task->bodies[body].solid && i < on_line->count; i++)
    {
        narrow_triangle world = tree_world_triangle(&task->bodies[body].mesh, (uint32_t)on_line->items[i]);
        winding += local_winding(world.corner, sample, task->counts);
    }
    return winding != 0;
}

/* Does the other body have a triangle at this sample in the plane of t? */
static bool is_on_other(const around *at, const local_sample *sample)
{
    const query_words *flat = &at->task->query->cells.flat;
    for (size_t i = 0; i < flat->count; i++)
    {
        local_triangle b = cells_triangle(at->task, 1 - at->body, (uint32_t)flat->items[i]);
        if (local_holds(&b, sample, at->task->counts))
            return true;
    }
    return false;
}

/* The cell just counterclockwise of a direction; none if that is outside of t. */
static bool report_cell(const around *at, const exact_direction *way)
{
    local_sample sample = {
        .point = at->point, .way = {*way, local_turned(&at->t, way, at->task->counts)}, .count = 2};
    if (!local_holds(&at->t, &sample, at->task->counts))
        return true;
    cells_cell cell = {.body = at->body, .on_other = is_on_other(at, &sample)};
    exact_direction *normal = &sample.way[2];
    *normal = (exact_direction){.kind = EXACT_ALONG_NORMAL,
                                .points = {at->t.corner[0], at->t.corner[1], at->t.corner[2]}};
    sample.count = 3;
    for (int side = 0; side < 2; side++)
    {
        normal->sign = side == 0 ? 1 : -1;
        for (int body = 0; body < 2; body++)
            cell.inside[body][side] = cells_is_inside(at->task, body, &sample);
    }
    return at->on_cell(&cell, at->user);
}

static carom_status report_cells(around *at)
{
    const query_cells *cells = &at->task->query->cells;
    const exact_direction any = {
        .kind = EXACT_ALONG_EDGE, .sign = 1, .points = {at->t.corner[0], at->t.corner[1]}};
    if (cells->ways.count == 0)
        return report_cell(at, &any) ? CAROM_OK : CAROM_STOPPED;
    BASE_TRY(sort_ways(at));
    const uint64_t *order = at->task->query->corners.items;
    for (size_t i = 0; i < cells->ways.count; i++)
    {
        const exact_direction *way = &cells->ways.items[order[i]];
        bool repeated = i > 0 && local_compare_ways(&at->t, &cells->ways.items[0], &cells->ways.items[order[i - 1]],
                                                    way, at->task->counts) == 0;
        if (!repeated && !report_cell(at, way))
            return CAROM_STOPPED;
    }
    return CAROM_OK;
}

static carom_status examine_point(around *at, uint32_t triangle)
{
    query_cells *cells = &at->task->query->cells;
    for (int body = 0; body < 2; body++)
        BASE_TRY(cells_find_on_line(at->task, body, at->point, &cells->on_line[body]));
    BASE_TRY(collect_ways(at, triangle));
    return report_cells(at);
}

/* Nothing cuts t: it is one cell, and any sample will do. */
static carom_status report_whole(around *at)
{
    cells_task *task = at->task;
    query_cells *cells = &task->query->cells;
    const query_words *others = &cells->meeting[1 - at->body];
    const exact_point corner = {EXACT_POINT_GIVEN, {at->t.corner[0]}};
    const exact_direction edge = {
        .kind = EXACT_ALONG_EDGE, .sign = 1, .points = {at->t.corner[0], at->t.corner[1]}};
    at->point = &corner;
    for (int body = 0; body < 2; body++)
        BASE_TRY(cells_find_on_line(task, body, at->point, &cells->on_line[body]));
    cells->flat.count = 0;
    if (!base_array_reserve(task->query->context, &cells->flat, others->count))
        return no_memory(task);
    for (size_t i = 0; i < others->count; i++)
    {
        local_triangle b = cells_triangle(task, 1 - at->body, (uint32_t)others->items[i]);
        if (local_coplanar(&at->t, &b, task->counts))
            cells->flat.items[cells->flat.count++] = others->items[i];
    }
    return report_cell(at, &edge) ? CAROM_OK : CAROM_STOPPED;
}

carom_status cells_at_point(cells_task *task, int body, uint32_t triangle, const exact_point *point,
                            cells_fn *on_cell, void *user)
{
    around at = {.task = task,
                 .body = body,
                 .t = cells_triangle(task, body, triangle),
                 .point = point,
                 .on_cell = on_cell,
                 .user = user};
    return at.t.sign != 0 ? examine_point(&at, triangle) : CAROM_OK;
}

carom_status cells_of_triangle(cells_task *task, int body, uint32_t triangle, cells_fn *on_cell, void *user)
{
    query_cells *cells = &task->query->cells;
    around at = {
        .task = task, .body = body, .t = cells_triangle(task, body, triangle), .on_cell = on_cell, .user = user};
    if (at.t.sign == 0)
        return CAROM_OK;
    for (int other = 0; other < 2; other++)
        BASE_TRY(find_meeting(task, other, &at.t, other == body ? triangle : CAROM_NO_TRIANGLE,
                              &cells->meeting[other]));
    BASE_TRY(find_events(task, &at.t));
    if (cells->cutting[0].count == 0 && cells->cutting[1].count == 0)
        return report_whole(&at);
    BASE_TRY(order_events(task));
    size_t count = cells->events.count;
    for (size_t i = 0; i < count; i++)
    {
        const base_key_value *order = task->query->order.items;
        const exact_point *event = &cells->events.items[order[i].value];
        if (i > 0 && order[i].key == order[i - 1].key && same_event(event, &cells->events.items[order[i - 1].value]))
            continue;
        at.point = event;
        BASE_TRY(examine_point(&at, triangle));
    }
    return CAROM_OK;
}
