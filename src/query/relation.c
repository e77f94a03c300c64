/* The relation of two bodies: apart, touching, crossing, or one inside the other.
 *
 * Inside is decided for points of the inner body by the winding number of the outer surface around them: signed
 * crossings of the ray along +x, exact. The point is imagined to be moved by (0, e, e^2) for an infinitesimal e > 0, so
 * that the ray hits no edge; off the surface, that changes no winding number. */
#include "query/query.h"

typedef enum location
{
    LOCATION_OUTSIDE,
    LOCATION_ON_SURFACE, /* or too close to decide */
    LOCATION_INSIDE,
    LOCATION_UNDECIDED /* the budget ran out */
} location;

/* Is `inner` inside `outer`? */
typedef struct inside_task
{
    carom_query *query;
    const query_question *question;
    const carom_placed *inner, *outer;
    mesh_placed inner_mesh, outer_mesh; /* where they are meshes */
    carom_aabb outer_box;               /* world; of a mesh */
    bool touching;                      /* some vertices may lie on the surface */
    bool members_sorted;                /* query->members is filled */
    query_cursor *cursor;
    base_budget *budget;
    narrow_counts *counts;
    carom_counters *counters;
    bool out_of_memory;
} inside_task;

/* ---- winding number of a point ---- */

/* Side of the moved point as seen along u -> v in the yz plane; 0 only if u and v coincide there. */
static int moved_side(carom_vec3 u, carom_vec3 v, carom_vec3 point, narrow_counts *counts)
{
    int side = exact_orient2d(u, v, point, 0, &counts->exact_fallbacks);
    if (side != 0)
        return side;
    if (u.z != v.z)
        return u.z > v.z ? 1 : -1;
    return u.y < v.y ? 1 : u.y > v.y ? -1 : 0;
}

/* What a triangle adds to the winding number of a point off the surface: -1, 0 or 1. */
static int winding_part(const narrow_triangle *t, carom_vec3 point, narrow_counts *counts)
{
    const carom_vec3 *c = t->corner;
    if (c[0].x < point.x && c[1].x < point.x && c[2].x < point.x)
        return 0;
    int turn = moved_side(c[0], c[1], point, counts);
    if (turn == 0 || moved_side(c[1], c[2], point, counts) != turn || moved_side(c[2], c[0], point, counts) != turn)
        return 0;
    int below = exact_orient3d(c[0], c[1], c[2], point, &counts->exact_fallbacks);
    return below * turn > 0 ? turn : 0;
}

static void note_candidate(uint32_t triangle, void *user)
{
    inside_task *task = user;
    query_words *candidates = &task->query->candidates;
    if (task->out_of_memory || !base_array_reserve(task->query->context, candidates, 1))
        task->out_of_memory = true;
    else
        candidates->items[candidates->count++] = triangle;
}

/* The outer triangles that the half line from the point along +x may meet, each once, in query->candidates. */
static carom_status find_candidates(inside_task *task, carom_vec3 point)
{
    carom_query *query = task->query;
    query_mesh_task mesh = {.context = query->context,
                            .mesh = task->outer_mesh,
                            .asset =
                                task->outer == task->question->a ? task->question->asset_a : task->question->asset_b,
                            .budget = task->budget,
                            .counters = task->counters};
    query->candidates.count = 0;
    BASE_TRY(task->question->method->line_x(query->method_state, &mesh, point, note_candidate, task));
    if (task->out_of_memory || !query_sort_unique(query->context, &query->candidates, &query->sort_space))
        return base_fail(query->context, CAROM_OUT_OF_MEMORY, "relation: no memory for candidate triangles");
    return CAROM_OK;
}

static bool in_box(const carom_aabb *box, carom_vec3 p)
{
    return p.x >= box->min.x && p.x <= box->max.x && p.y >= box->min.y && p.y <= box->max.y && p.z >= box->min.z &&
           p.z <= box->max.z;
}

/* Where a point is, once the candidates around it are known. */
static location locate_among_candidates(const inside_task *task, carom_vec3 point)
{
    const query_words *candidates = &task->query->candidates;
    narrow_triangle as_triangle = {{point, point, point}};
    int winding = 0;
    for (size_t i = 0; i < candidates->count; i++)
    {
        narrow_triangle triangle = tree_world_triangle(&task->outer_mesh, (uint32_t)candidates->items[i]);
        if (task->touching && narrow_touches(&as_triangle, &triangle, task->counts))
            return LOCATION_ON_SURFACE;
        winding += winding_part(&triangle, point, task->counts);
    }
    return winding != 0 ? LOCATION_INSIDE : LOCATION_OUTSIDE;
}

static carom_status locate_point(inside_task *task, carom_vec3 point, location *out)
{
    *out = LOCATION_OUTSIDE;
    if (!in_box(&task->outer_box, point))
        return CAROM_OK;
    *out = LOCATION_UNDECIDED;
    if (task->budget->exhausted)
        return CAROM_OK;
    BASE_TRY(find_candidates(task, point));
    if (base_budget_spend(task->budget, (uint32_t)task->query->candidates.count + 1))
        *out = locate_among_candidates(task, point);
    return CAROM_OK;
}

static carom_status locate_vertex(inside_task *task, uint32_t vertex, location *out)
{
    return locate_point(task, pose_apply(&task->inner->pose, task->inner_mesh.mesh->vertices[vertex]), out);
}

/* ---- components whose every vertex lies on the other surface ---- */

static double largest(double bound, carom_vec3 p) { return fmax(bound, fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z)))); }

/* Is the outer surface farther from the point than any rounding here? Slow, for the rare case only. */
static bool clear_of_surface(const inside_task *task, carom_vec3 point)
{
    double size = largest(largest(largest(0.0, point), task->outer_box.min), task->outer_box.max);
    double margin = 1e-12 * size; /* the centroid and narrow_distance err by less than 1e-13 of this size */
    narrow_triangle as_triangle = {{point, point, point}};
    for (uint32_t i = 0; i < task->outer_mesh.mesh->triangle_count; i++)
    {
        narrow_triangle triangle = tree_world_triangle(&task->outer_mesh, i);
        if (!(narrow_distance(&as_triangle, &triangle, task->counts).distance > margin))
            return false;
    }
    return true;
}

/* A rounded point of the inner body can replace the true one if the surface keeps its distance from both. */
static carom_status locate_rounded(inside_task *task, carom_vec3 point, location *out)
{
    if (!base_budget_spend(task->budget, task->outer_mesh.mesh->triangle_count))
        return *out = LOCATION_UNDECIDED, CAROM_OK;
    *out = LOCATION_ON_SURFACE;
    if (!clear_of_surface(task, point))
        return CAROM_OK;
    *out = LOCATION_OUTSIDE;
    if (!in_box(&task->outer_box, point))
        return CAROM_OK;
    BASE_TRY(find_candidates(task, point));
    return *out = locate_among_candidates(task, point), CAROM_OK;
}

static carom_status locate_centroid(inside_task *task, uint32_t triangle, location *out)
{
    narrow_triangle t = tree_world_triangle(&task->inner_mesh, triangle);
    carom_vec3 sum = vec3_add(vec3_add(t.corner[0], t.corner[1]), t.corner[2]);
    return locate_rounded(task, vec3(sum.x / 3.0, sum.y / 3.0, sum.z / 3.0), out);
}

static carom_status locate_middle(inside_task *task, const carom_vec3 end[2], location *out)
{
    return locate_rounded(task, vec3_scale(vec3_add(end[0], end[1]), 0.5), out);
}

/* Fills query->members with component << 32 | triangle, sorted. */
static carom_status sort_members(inside_task *task)
{
    carom_query *query = task->query;
    const carom_mesh *mesh = task->inner_mesh.mesh;
    query->members.count = 0;
    if (!base_array_reserve(query->context, &query->members, mesh->triangle_count))
        return base_fail(query->context, CAROM_OUT_OF_MEMORY, "relation: no memory for components");
    for (uint32_t i = 0; i < mesh->triangle_count; i++)
        query->members.items[i] = (uint64_t)mesh->component[i] << 32 | i;
    query->members.count = mesh->triangle_count;
    if (!query_sort_unique(query->context, &query->members, &query->sort_space))
        return base_fail(query->context, CAROM_OUT_OF_MEMORY, "relation: no memory for components");
    task->members_sorted = true;
    return CAROM_OK;
}

static size_t first_member(const query_words *members, uint64_t key)
{
    size_t low = 0, high = members->count;
    while (low < high)
    {
        size_t middle = low + (high - low) / 2;
        if (members->items[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The triangles of a component, as a range of query->members. */
static carom_status find_members(inside_task *task, uint32_t component, size_t *first, size_t *count)
{
    if (!task->members_sorted)
        BASE_TRY(sort_members(task));
    const query_words *members = &task->query->members;
    *first = first_member(members, (uint64_t)component << 32);
    *count = first_member(members, ((uint64_t)component + 1) << 32) - *first;
    return CAROM_OK;
}

/* The representative vertex lies on the surface: look at the others, then at centroids. */
static carom_status locate_elsewhere(inside_task *task, uint32_t component, location *out)
{
    const size_t max_centroids = 64;
    const uint32_t *indices = task->inner_mesh.mesh->indices;
    size_t first, count, *step = &task->cursor->step; /* 0 was the representative vertex */
    BASE_TRY(find_members(task, component, &first, &count));
    const uint64_t *members = task->query->members.items + first;
    size_t corners = 3 * count, points = corners + (count < max_centroids ? count : max_centroids);
    *out = LOCATION_ON_SURFACE;
    for (; *step <= points; ++*step)
    {
        size_t point = *step - 1;
        if (point < corners)
            BASE_TRY(locate_vertex(task, indices[3 * (size_t)(uint32_t)members[point / 3] + point % 3], out));
        else
            BASE_TRY(locate_centroid(task, (uint32_t)members[point - corners], out));
        if (*out != LOCATION_ON_SURFACE)
            return CAROM_OK;
    }
    return CAROM_OK;
}

static carom_status locate_component(inside_task *task, uint32_t component, location *out)
{
    if (task->cursor->step == 0)
    {
        BASE_TRY(locate_vertex(task, task->inner_mesh.mesh->component_vertex[component], out));
        if (*out != LOCATION_ON_SURFACE)
            return CAROM_OK;
        task->cursor->step = 1;
    }
    return locate_elsewhere(task, component, out);
}

/* ---- bodies ---- */

/* Corners of the inner triangles that touch the outer surface, each once, in query->corners. */
static carom_status list_touching_corners(inside_task *task, const query_meetings *meetings)
{
    carom_query *query = task->query;
    const carom_mesh *mesh = task->inner_mesh.mesh;
    bool inner_is_a = task->inner == task->question->a;
    query->corners.count = 0;
    if (!base_array_reserve(query->context, &query->corners, 3 * meetings->key_count))
        return base_fail(query->context, CAROM_OUT_OF_MEMORY, "relation: no memory for touching triangles");
    for (size_t i = 0; i < meetings->key_count; i++)
    {
        carom_pair pair = query_unpack(meetings->keys[i]);
        const uint32_t *index = mesh->indices + 3 * (size_t)(inner_is_a ? pair.triangle_a : pair.triangle_b);
        for (int corner = 0; corner < 3; corner++)
            query->corners.items[query->corners.count++] = mesh->merged[index[corner]];
    }
    if (!query_sort_unique(query->context, &query->corners, &query->sort_space))
        return base_fail(query->context, CAROM_OUT_OF_MEMORY, "relation: no memory for touching triangles");
    return CAROM_OK;
}

/* Surfaces may pass through each other along common edges without a crossing pair: wherever they touch, the corners
 * nearby must be inside or on the surface too. */
static carom_status locate_touching_corners(inside_task *task, const query_meetings *meetings, location *out)
{
    BASE_TRY(list_touching_corners(task, meetings));
    *out = LOCATION_INSIDE;
    for (size_t *i = &task->cursor->step; *i < task->query->corners.count; ++*i)
    {
        location here;
        BASE_TRY(locate_vertex(task, (uint32_t)task->query->corners.items[*i], &here));
        if (here == LOCATION_OUTSIDE || here == LOCATION_UNDECIDED)
            return *out = here, CAROM_OK;
    }
    return CAROM_OK;
}

/* LOCATION_INSIDE if every component of the inner mesh is inside the outer one. */
static carom_status locate_mesh_in_mesh(inside_task *task, const query_meetings *meetings, location *out)
{
    query_cursor *cursor = task->cursor;
    *out = LOCATION_INSIDE;
    for (; cursor->component < task->inner_mesh.mesh->info.component_count; cursor->component++, cursor->step = 0)
    {
        BASE_TRY(locate_component(task, cursor->component, out));
        if (*out != LOCATION_INSIDE)
            return CAROM_OK;
    }
    return meetings->any ? locate_touching_corners(task, meetings, out) : CAROM_OK;
}

/* A segment that touches the surface: it may pass through an edge, so neither end may be outside; where both are on the
 * surface, the middle decides. */
static carom_status locate_touching_segment(inside_task *task, const narrow_round *segment, location *out)
{
    query_cursor *cursor = task->cursor;
    for (; cursor->step < 2; cursor->step++)
    {
        BASE_TRY(locate_point(task, segment->end[cursor->step], out));
        if (*out == LOCATION_OUTSIDE || *out == LOCATION_UNDECIDED)
            return CAROM_OK;
        if (cursor->step == 0)
            cursor->first_end = *out;
        else if (*out == LOCATION_INSIDE || cursor->first_end == LOCATION_INSIDE)
            return *out = LOCATION_INSIDE, CAROM_OK;
    }
    return locate_middle(task, segment->end, out);
}

/* A solid that no triangle cuts into is inside if its core is. Where a triangle touches it, and its radius is positive,
 * the core is off the surface. */
static carom_status locate_round_in_mesh(inside_task *task, location *out)
{
    narrow_round round = query_placed_round(task->inner);
    if (task->touching && round.radius == 0.0)
        return locate_touching_segment(task, &round, out);
    return locate_point(task, round.end[0], out);
}

static carom_status locate_mesh_in_round(inside_task *task, location *out)
{
    narrow_round round = query_placed_round(task->outer);
    uint32_t count = task->inner_mesh.mesh->triangle_count;
    *out = LOCATION_INSIDE;
    for (size_t *i = &task->cursor->step; *i < count; ++*i)
    {
        narrow_triangle triangle = tree_world_triangle(&task->inner_mesh, (uint32_t)*i);
        if (!base_budget_spend(task->budget, 1))
            return *out = LOCATION_UNDECIDED, CAROM_OK;
        if (!narrow_triangle_in_round(&triangle, &round, task->counts))
            return *out = LOCATION_OUTSIDE, CAROM_OK;
    }
    return CAROM_OK;
}

static carom_status locate_body(inside_task *task, const query_meetings *meetings, location *out)
{
    bool inner_is_mesh = query_is_mesh(task->inner), outer_is_mesh = query_is_mesh(task->outer);
    *out = LOCATION_OUTSIDE;
    /* What is inside a solid meets it. */
    if (!query_has_inside(&task->outer->shape) || (!outer_is_mesh && !meetings->any))
        return CAROM_OK;
    if (!inner_is_mesh && !outer_is_mesh)
    {
        narrow_round inner = query_placed_round(task->inner), outer = query_placed_round(task->outer);
        *out = narrow_round_in_round(&inner, &outer, task->counts) ? LOCATION_INSIDE : LOCATION_OUTSIDE;
        return CAROM_OK;
    }
    if (!outer_is_mesh)
        return locate_mesh_in_round(task, out);
    if (meetings->crossing)
        return CAROM_OK;
    return inner_is_mesh ? locate_mesh_in_mesh(task, meetings, out) : locate_round_in_mesh(task, out);
}

carom_status query_relation(carom_query *query, const query_walk *walk, const query_meetings *meetings,
                            carom_relation *out)
{
    const query_question *question = walk->question;
    *out = meetings->crossing ? CAROM_RELATION_OVERLAPPING
           : meetings->any    ? CAROM_RELATION_TOUCHING
                              : CAROM_RELATION_APART;
    bool both_meshes = query_is_mesh(question->a) && query_is_mesh(question->b);
    if ((meetings->crossing && both_meshes) || query_is_empty(question->a) || query_is_empty(question->b))
        return CAROM_OK;
    narrow_counts counts = {0};
    query_cursor begin = {0}, *cursor = meetings->cursor ? meetings->cursor : &begin;
    for (; cursor->side < 2; *cursor = (query_cursor){.side = cursor->side + 1})
    {
        bool a_is_inner = cursor->side == 0;
        inside_task task = {.query = query,
                            .question = question,
                            .inner = a_is_inner ? question->a : question->b,
                            .outer = a_is_inner ? question->b : question->a,
                            .touching = meetings->any,
                            .cursor = cursor,
                            .budget = walk->budget,
                            .counts = &counts,
                            .counters = walk->counters};
        if (query_is_mesh(task.inner))
            task.inner_mesh = query_placed_mesh(task.inner, a_is_inner ? question->tree_a : question->tree_b);
        if (query_is_mesh(task.outer))
        {
            task.outer_mesh = query_placed_mesh(task.outer, a_is_inner ? question->tree_b : question->tree_a);
            task.outer_box = query_world_box(task.outer);
        }
        location where;
        BASE_TRY(locate_body(&task, meetings, &where));
        if (where == LOCATION_UNDECIDED)
            *out = CAROM_RELATION_UNKNOWN;
        else if (where == LOCATION_INSIDE)
            *out = a_is_inner ? CAROM_RELATION_A_INSIDE_B : CAROM_RELATION_B_INSIDE_A;
        if (where == LOCATION_UNDECIDED || where == LOCATION_INSIDE)
            break;
    }
    walk->counters->exact_fallbacks += counts.exact_fallbacks;
    return CAROM_OK;
}
