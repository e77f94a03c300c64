/* Two placed meshes compared as point sets, from evidence collected until it suffices.
 *
 * P(X) is closed, so three facts decide: does P(A) meet the interior of P(B), or P(B) that of P(A); is some point of
 * P(A) outside of P(B); is some point of P(B) outside of P(A)? Points near a triangle that meets nothing of the other
 * body are all inside or all outside of it, and so are those of all triangles that are connected with it: a region.
 * Triangles that touch the other surface are cut into cells (cells.c). What is left are holes of one body that lie
 * inside the other and reach none of its triangles: they border triangles of their own body. docs/exactness.md proves
 * that nothing else is needed. */
#include "query/solids.h"

typedef struct mesh_relation
{
    cells_task cells;
    const query_meetings *meetings;
    query_cursor *cursor;
} mesh_relation;

/* ---- evidence ---- */

/* Can nothing further change the relation? */
static bool is_settled(const query_evidence *evidence)
{
    return evidence->interior && evidence->outside[0] && evidence->outside[1];
}

static bool take_cell(const cells_cell *cell, void *user)
{
    query_evidence *evidence = user;
    int own = cell->body, other = 1 - own;
    const bool *mine = cell->inside[own], *others = cell->inside[other];
    for (int side = 0; side < 2; side++)
    {
        evidence->interior |= mine[side] && others[side];
        evidence->outside[own] |= mine[side] && !others[side];
        evidence->outside[other] |= others[side] && !mine[side];
        evidence->filled[own] |= mine[side], evidence->filled[other] |= others[side];
    }
    bool common = cell->on_other || others[0] || others[1]; /* a point of the cell is in P(other) */
    evidence->outside[own] |= !common;
    evidence->interior |= (others[0] && others[1]) || (common && mine[0] && mine[1]);
    return !is_settled(evidence);
}

/* ---- regions ---- */

static bool has_mark(const query_words *marks, uint32_t i) { return marks->items[i / 64] >> i % 64 & 1; }
static void set_mark(query_words *marks, uint32_t i) { marks->items[i / 64] |= (uint64_t)1 << i % 64; }

static carom_status no_memory(const mesh_relation *relation)
{
    return base_fail(relation->cells.query->context, CAROM_OUT_OF_MEMORY, "relation: no memory for regions");
}

static carom_status clear_marks(const mesh_relation *relation, query_words *marks, uint32_t count)
{
    size_t words = (size_t)count / 64 + 1;
    marks->count = 0;
    if (!base_array_reserve(relation->cells.query->context, marks, words))
        return no_memory(relation);
    memset(marks->items, 0, words * sizeof *marks->items);
    return CAROM_OK;
}

static uint32_t find_root(uint32_t *parent, uint32_t vertex)
{
    while (parent[vertex] != vertex)
        vertex = parent[vertex] = parent[parent[vertex]];
    return vertex;
}

static void join(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = find_root(parent, a), b = find_root(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

/* Joins the corners of every triangle that touches nothing; the root of a corner names the region. */
static carom_status find_regions(const mesh_relation *relation, int body)
{
    query_regions *regions = &relation->cursor->regions[body];
    const carom_mesh *mesh = relation->cells.bodies[body].mesh.mesh;
    regions->parent.count = 0;
    if (!base_array_reserve(relation->cells.query->context, &regions->parent, mesh->vertex_count))
        return no_memory(relation);
    uint32_t *parent = regions->parent.items;
    for (uint32_t i = 0; i < mesh->vertex_count; i++)
        parent[i] = i;
    for (uint32_t i = 0; i < mesh->triangle_count; i++)
    {
        const uint32_t *index = mesh->indices + 3 * (size_t)i;
        if (has_mark(&regions->touched, i))
            continue;
        join(parent, mesh->merged[index[0]], mesh->merged[index[1]]);
        join(parent, mesh->merged[index[0]], mesh->merged[index[2]]);
    }
    return CAROM_OK;
}

/* Bodies that do not meet need none of this: their regions are their components. */
static carom_status begin_regions(const mesh_relation *relation)
{
    const query_meetings *meetings = relation->meetings;
    query_regions *regions = relation->cursor->regions;
    for (int body = 0; body < 2 && meetings->any; body++)
        CELLS_TRY(clear_marks(relation, &regions[body].touched, relation->cells.bodies[body].mesh.mesh->triangle_count));
    for (size_t i = 0; i < meetings->key_count; i++)
    {
        carom_pair pair = query_unpack(meetings->keys[i]);
        set_mark(&regions[0].touched, pair.triangle_a);
        set_mark(&regions[1].touched, pair.triangle_b);
    }
    for (int body = 0; body < 2 && meetings->any; body++)
        CELLS_TRY(find_regions(relation, body));
    return CAROM_OK;
}

static bool is_touched(const mesh_relation *relation, int body, uint32_t triangle)
{
    return relation->meetings->any && has_mark(&relation->cursor->regions[body].touched, triangle);
}

/* The region of a triangle that touches nothing. */
static uint32_t region_of(const mesh_relation *relation, int body, uint32_t triangle)
{
    const carom_mesh *mesh = relation->cells.bodies[body].mesh.mesh;
    if (!relation->meetings->any)
        return mesh->component[triangle];
    return find_root(relation->cursor->regions[body].parent.items, mesh->merged[mesh->indices[3 * (size_t)triangle]]);
}

/* ---- stages; each goes on from the cursor's step ---- */

/* Two triangles that cross tell all at once where both are boundaries of ordinary solids. */
static carom_status take_crossing(cells_task *cells, const uint32_t pair[2], query_evidence *evidence)
{
    local_face a = cells_triangle(cells, 0, pair[0]), b = cells_triangle(cells, 1, pair[1]);
    exact_point points[LOCAL_MAX_EVENTS];
    int count = a.sign != 0 && b.sign != 0 ? local_events(&a, &b, points, cells->counts) : 0;
    return count > 0 ? cells_at_point(cells, 0, pair[0], &points[0], take_cell, evidence) : CAROM_OK;
}

static carom_status examine_crossing(mesh_relation *relation, int body)
{
    const query_meetings *meetings = relation->meetings;
    if (!meetings->crossing || body > 0 || relation->cursor->step > 0)
        return CAROM_OK;
    relation->cursor->step = 1;
    return take_crossing(&relation->cells, meetings->crossing_pair, &relation->cursor->evidence);
}

/* Is a region of this body inside the other one? Any corner of it tells. */
static carom_status locate_corner(mesh_relation *relation, int body, uint32_t vertex, bool *inside)
{
    const mesh_placed *mesh = &relation->cells.bodies[body].mesh;
    return cells_locate(&relation->cells, 1 - body, pose_apply(mesh->pose, mesh->mesh->vertices[vertex]), inside);
}

static carom_status locate_region(mesh_relation *relation, int body, uint32_t triangle, bool *inside)
{
    return locate_corner(relation, body, relation->cells.bodies[body].mesh.mesh->indices[3 * (size_t)triangle], inside);
}

/* STOPPED: nothing further can change the answer. What was found is recorded before it is paid for. */
static carom_status take_region(const mesh_relation *relation, int body, bool inside)
{
    query_evidence *evidence = &relation->cursor->evidence;
    evidence->interior |= inside;
    evidence->filled[1 - body] |= inside;
    evidence->region_inside[body] |= inside;
    evidence->outside[body] |= !inside;
    return is_settled(evidence) ? CAROM_STOPPED : cells_pay(&relation->cells, 2);
}

static carom_status examine_components(mesh_relation *relation, int body)
{
    const carom_mesh *mesh = relation->cells.bodies[body].mesh.mesh;
    size_t *step = &relation->cursor->step;
    while (*step < mesh->info.component_count)
    {
        bool inside;
        CELLS_TRY(locate_corner(relation, body, mesh->component_vertex[*step], &inside));
        ++*step;
        CELLS_TRY(take_region(relation, body, inside));
    }
    return CAROM_OK;
}

static carom_status examine_regions(mesh_relation *relation, int body)
{
    const carom_mesh *mesh = relation->cells.bodies[body].mesh.mesh;
    query_regions *regions = &relation->cursor->regions[body];
    if (!relation->meetings->any)
        return examine_components(relation, body);
    size_t *step = &relation->cursor->step;
    if (*step == 0)
        CELLS_TRY(clear_marks(relation, &regions->seen, mesh->vertex_count));
    while (*step < mesh->triangle_count)
    {
        uint32_t i = (uint32_t)(*step)++;
        uint32_t region = is_touched(relation, body, i) ? CAROM_NO_TRIANGLE : region_of(relation, body, i);
        if (region == CAROM_NO_TRIANGLE || has_mark(&regions->seen, region))
            continue;
        set_mark(&regions->seen, region);
        bool inside;
        CELLS_TRY(locate_region(relation, body, i, &inside));
        CELLS_TRY(take_region(relation, body, inside));
    }
    return CAROM_OK;
}

typedef struct piece_evidence
{
    query_evidence *evidence;
    int body;
} piece_evidence;

static bool take_piece(const cells_piece *piece, void *user)
{
    piece_evidence *at = user;
    at->evidence->interior |= piece->interior;
    at->evidence->filled[1 - at->body] |= piece->interior;
    at->evidence->outside[at->body] |= !piece->interior && !piece->on_surface;
    return !is_settled(at->evidence);
}

static carom_status examine_triangle(mesh_relation *relation, int body, uint32_t triangle)
{
    local_face t = cells_triangle(&relation->cells, body, triangle);
    carom_vec3 extent[2];
    if (t.sign != 0)
        return cells_of_triangle(&relation->cells, body, triangle, take_cell, &relation->cursor->evidence);
    local_extent(&t, extent);
    piece_evidence at = {&relation->cursor->evidence, body};
    return cells_of_segment(&relation->cells, 1 - body, extent, take_piece, &at);
}

static carom_status examine_touched(mesh_relation *relation, int body)
{
    const carom_mesh *mesh = relation->cells.bodies[body].mesh.mesh;
    size_t *step = &relation->cursor->step;
    for (; relation->meetings->any && *step < mesh->triangle_count; ++*step)
        if (is_touched(relation, body, (uint32_t)*step))
            CELLS_TRY(examine_triangle(relation, body, (uint32_t)*step));
    return CAROM_OK;
}

/* Marks the region of a triangle once: is it inside the other body? */
static carom_status mark_region(mesh_relation *relation, int body, uint32_t triangle, uint32_t region)
{
    query_regions *regions = &relation->cursor->regions[body];
    if (has_mark(&regions->seen, region))
        return CAROM_OK;
    bool inside;
    CELLS_TRY(locate_region(relation, body, triangle, &inside));
    set_mark(&regions->seen, region);
    if (inside)
        set_mark(&regions->inside, region);
    return CAROM_OK;
}

/* Does the other body fill a hole of this one that none of its triangles reaches? Only the regions inside the other
 * body can border such a hole. */
static carom_status examine_holes(mesh_relation *relation, int body)
{
    const carom_mesh *mesh = relation->cells.bodies[body].mesh.mesh;
    query_evidence *evidence = &relation->cursor->evidence;
    query_regions *regions = &relation->cursor->regions[body];
    size_t *step = &relation->cursor->step;
    if (evidence->outside[1 - body] || !evidence->region_inside[body])
        return CAROM_OK;
    if (*step == 0 && relation->cells.cells->phase == 0)
    {
        CELLS_TRY(clear_marks(relation, &regions->seen, mesh->vertex_count));
        CELLS_TRY(clear_marks(relation, &regions->inside, mesh->vertex_count));
    }
    for (; *step < mesh->triangle_count && !evidence->outside[1 - body]; ++*step)
    {
        uint32_t i = (uint32_t)*step;
        if (is_touched(relation, body, i))
            continue;
        uint32_t region = region_of(relation, body, i);
        CELLS_TRY(mark_region(relation, body, i, region));
        if (has_mark(&regions->inside, region))
            CELLS_TRY(cells_of_triangle(&relation->cells, body, i, take_cell, evidence));
    }
    return CAROM_OK;
}

static bool note_filling(const cells_cell *cell, void *user)
{
    bool *filled = user;
    *filled |= cell->inside[cell->body][0] || cell->inside[cell->body][1];
    return !*filled;
}

carom_status solids_find_filling(cells_task *cells, int body, query_cursor *cursor)
{
    const cells_body *own = &cells->bodies[body];
    bool *filled = cursor->evidence.filled;
    for (; own->solid && cursor->step < own->mesh.mesh->triangle_count; cursor->step++)
    {
        if (filled[0] || filled[1])
            return CAROM_OK;
        carom_status status = cells_of_triangle(cells, body, (uint32_t)cursor->step, note_filling, &filled[body]);
        if (status != CAROM_STOPPED && status != CAROM_OK)
            return status;
    }
    return CAROM_OK;
}

/* Where nothing but this is open: does a body have an interior? */
static carom_status examine_filling(mesh_relation *relation, int body)
{
    const query_evidence *evidence = &relation->cursor->evidence;
    bool open = relation->meetings->any && !evidence->interior && (evidence->outside[0] || evidence->outside[1]);
    return open ? solids_find_filling(&relation->cells, body, relation->cursor) : CAROM_OK;
}

typedef carom_status stage_fn(mesh_relation *relation, int body);

/* Two surfaces without an interior are equal or not; that they differ is all there is to know. */
static bool is_known(const mesh_relation *relation)
{
    const query_evidence *evidence = &relation->cursor->evidence;
    bool hollow = !relation->cells.bodies[0].solid && !relation->cells.bodies[1].solid;
    return is_settled(evidence) || (hollow && (evidence->outside[0] || evidence->outside[1]));
}

/* Cheap and telling stages first. */
static carom_status run_stages(mesh_relation *relation)
{
    static stage_fn *const stages[] = {examine_crossing, examine_regions, examine_touched, examine_holes,
                                       examine_filling};
    enum
    {
        STAGES = sizeof stages / sizeof *stages
    };
    query_cursor *cursor = relation->cursor;
    for (; cursor->stage < 2 * STAGES && !is_known(relation); cursor->stage++, cursor->step = 0)
        CELLS_TRY(stages[cursor->stage / 2](relation, (int)(cursor->stage % 2)));
    return CAROM_OK;
}

carom_status solids_compare(carom_query *query, const query_walk *walk, const query_meetings *meetings,
                            query_cursor *cursor)
{
    narrow_counts counts = {0};
    mesh_relation relation = {cells_begin(query, walk, &cursor->cells, &counts), meetings, cursor};
    if (!cursor->begun)
        CELLS_TRY(begin_regions(&relation));
    cursor->begun = true;
    carom_status status = run_stages(&relation);
    walk->counters->exact_fallbacks += counts.exact_fallbacks;
    return status == CAROM_STOPPED ? CAROM_OK : status;
}

carom_status solids_probe(carom_query *query, const query_walk *walk, const uint32_t pair[2], query_cursor *cursor)
{
    narrow_counts counts = {0};
    cells_task cells = cells_begin(query, walk, &cursor->cells, &counts);
    carom_status status = take_crossing(&cells, pair, &cursor->evidence);
    walk->counters->exact_fallbacks += counts.exact_fallbacks;
    return status == CAROM_STOPPED || status == CAROM_UNKNOWN ? CAROM_OK : status;
}

/* ---- a mesh and a sphere or capsule ---- */

typedef struct cell_sides
{
    int body;
    bool open, closed; /* cells with an empty side; cells with none */
} cell_sides;

static bool note_sides(const cells_cell *cell, void *user)
{
    cell_sides *sides = user;
    const bool *inside = cell->inside[sides->body];
    *(inside[0] && inside[1] ? &sides->closed : &sides->open) = true;
    return !(sides->open && sides->closed);
}

carom_status solids_leave_round_empty(cells_task *cells, int body, const narrow_round *round,
                                      const query_meetings *meetings, query_cursor *cursor)
{
    bool *outside = &cursor->evidence.outside[1 - body];
    (void)round;
    for (; cursor->step < meetings->key_count && !*outside; cursor->step++)
    {
        carom_pair pair = query_unpack(meetings->keys[cursor->step]);
        if (!(pair.meeting & CAROM_MEET_CROSSING))
            continue;
        cell_sides sides = {.body = body};
        carom_status status =
            cells_of_triangle(cells, body, body == 0 ? pair.triangle_a : pair.triangle_b, note_sides, &sides);
        if (status != CAROM_STOPPED && status != CAROM_OK)
            return status;
        *outside = sides.open;
    }
    return CAROM_OK;
}
