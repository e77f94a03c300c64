/* Two placed meshes compared as point sets, from evidence collected until it suffices.
 *
 * P(X) is closed, so three facts decide: does P(A) meet the interior of P(B), or P(B) that of P(A); is some point of
 * P(A) outside of P(B); is some point of P(B) outside of P(A)? Triangles that touch the other surface are cut into
 * cells (cells.c). Triangles that meet nothing of the other body are all inside or all outside of it, together with
 * those that they are connected with: a region. Next to a region there is a cell of a triangle that touches, or the
 * region is a whole component. What is left are holes of one body that lie inside the other and reach none of its
 * triangles: they border triangles of their own body. docs/exactness.md proves that nothing else is needed. */
#include "query/solids.h"

/* ---- evidence ---- */

void solids_take_surface(query_evidence *evidence, int body, bool inside)
{
    evidence->interior |= inside;
    evidence->filled[1 - body] |= inside;
    evidence->surface_inside[body] |= inside;
    evidence->outside[body] |= !inside;
}

static void take_sides(const cells_cell *cell, query_evidence *evidence)
{
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
}

void solids_take_cell(const cells_cell *cell, query_evidence *evidence)
{
    if (!cell->on_other)
        solids_take_surface(evidence, cell->body, cell->inside[1 - cell->body][0]);
    if (cell->both)
        take_sides(cell, evidence);
}

static bool take_cell(const cells_cell *cell, void *user)
{
    solids_take_cell(cell, user);
    return !solids_settled(user);
}

/* ---- what touches ---- */

static carom_status no_memory(const solids_task *relation)
{
    return base_fail(relation->cells.query->context, CAROM_OUT_OF_MEMORY, "relation: no memory for regions");
}

static bool has_mark(const query_words *marks, uint32_t i) { return marks->items[i / 64] >> i % 64 & 1; }
static void set_mark(query_words *marks, uint32_t i) { marks->items[i / 64] |= (uint64_t)1 << i % 64; }

static carom_status clear_marks(const solids_task *relation, query_words *marks, uint32_t count)
{
    size_t words = (size_t)count / 64 + 1;
    marks->count = 0;
    if (!base_array_reserve(relation->cells.query->context, marks, words))
        return no_memory(relation);
    memset(marks->items, 0, words * sizeof *marks->items);
    return CAROM_OK;
}

static carom_status sort_words(const solids_task *relation, query_words *words)
{
    carom_query *query = relation->cells.query;
    return query_sort_unique(query->context, words, &query->sort_space) ? CAROM_OK : no_memory(relation);
}

static carom_status list_touched(const solids_task *relation, int body)
{
    const query_meetings *meetings = relation->meetings;
    query_words *touched = &relation->cursor->regions[body].touched;
    touched->count = 0;
    if (!base_array_reserve(relation->cells.query->context, touched, meetings->key_count))
        return no_memory(relation);
    for (size_t i = 0; i < meetings->key_count; i++)
    {
        carom_pair pair = query_unpack(meetings->keys[i]);
        touched->items[touched->count++] = body == 0 ? pair.triangle_a : pair.triangle_b;
    }
    return sort_words(relation, touched);
}

static carom_status list_corners(const solids_task *relation, int body)
{
    query_regions *regions = &relation->cursor->regions[body];
    const carom_mesh *mesh = relation->cells.bodies[body].mesh.mesh;
    regions->crowd.count = 0;
    if (!base_array_reserve(relation->cells.query->context, &regions->crowd, 3 * regions->touched.count))
        return no_memory(relation);
    CELLS_TRY(clear_marks(relation, &regions->met, mesh->info.component_count));
    for (size_t i = 0; i < regions->touched.count; i++)
    {
        uint32_t triangle = (uint32_t)regions->touched.items[i];
        set_mark(&regions->met, mesh->component[triangle]);
        for (size_t k = 0; k < 3; k++)
            regions->crowd.items[regions->crowd.count++] =
                (uint64_t)mesh->merged[mesh->indices[3 * (size_t)triangle + k]] << 32 | triangle;
    }
    return sort_words(relation, &regions->crowd);
}

static carom_status list_partners(const solids_task *relation, int body)
{
    const query_meetings *meetings = relation->meetings;
    query_regions *regions = &relation->cursor->regions[body];
    carom_context *context = relation->cells.query->context;
    regions->partners.count = 0;
    if (!base_array_reserve(context, &regions->partners, meetings->key_count))
        return no_memory(relation);
    for (size_t i = 0; i < meetings->key_count; i++)
    {
        carom_pair pair = query_unpack(meetings->keys[i]);
        regions->partners.items[regions->partners.count++] =
            body == 0 ? meetings->keys[i] : query_pack(pair.triangle_b, pair.triangle_a, pair.meeting);
    }
    return sort_words(relation, &regions->partners);
}

/* Each of this body's triangles among the sorted pairs once, with nothing known of its sides. */
static carom_status list_first_partners(const solids_task *relation, int body)
{
    query_regions *regions = &relation->cursor->regions[body];
    carom_context *context = relation->cells.query->context;
    const query_words *partners = &regions->partners;
    regions->touched.count = regions->sides.count = 0;
    if (!base_array_reserve(context, &regions->touched, partners->count) ||
        !base_array_reserve(context, &regions->sides, partners->count))
        return no_memory(relation);
    for (size_t i = 0; i < partners->count; i++)
    {
        uint32_t triangle = query_unpack(partners->items[i]).triangle_a;
        if (i > 0 && triangle == query_unpack(partners->items[i - 1]).triangle_a)
            continue;
        regions->touched.items[regions->touched.count++] = triangle;
        regions->sides.items[regions->sides.count++] = (query_sides){.state = SOLIDS_SIDES_NEW};
    }
    return CAROM_OK;
}

static carom_status begin_touched(const solids_task *relation)
{
    for (int body = 0; body < 2 && relation->meetings->any; body++)
    {
        if (relation->meetings->complete)
            CELLS_TRY(list_partners(relation, body));
        CELLS_TRY(relation->meetings->complete ? list_first_partners(relation, body) : list_touched(relation, body));
        CELLS_TRY(list_corners(relation, body));
    }
    relation->cursor->begun = true;
    return CAROM_OK;
}

/* ---- regions ---- */

/* Joins the corners of every triangle that touches nothing; the root of a corner names the region. */
static carom_status find_regions(const solids_task *relation, int body)
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
        if (has_mark(&regions->marks, i))
            continue;
        base_set_join(parent, mesh->merged[index[0]], mesh->merged[index[1]]);
        base_set_join(parent, mesh->merged[index[0]], mesh->merged[index[2]]);
    }
    return CAROM_OK;
}

/* Bodies that do not meet need none of this: their regions are their components. */
static carom_status begin_regions(const solids_task *relation, int body)
{
    query_regions *regions = &relation->cursor->regions[body];
    const carom_mesh *mesh = relation->cells.bodies[body].mesh.mesh;
    CELLS_TRY(clear_marks(relation, &regions->seen, mesh->vertex_count));
    CELLS_TRY(clear_marks(relation, &regions->inside, mesh->vertex_count));
    if (!relation->meetings->any)
        return CAROM_OK;
    CELLS_TRY(clear_marks(relation, &regions->marks, mesh->triangle_count));
    for (size_t i = 0; i < regions->touched.count; i++)
        set_mark(&regions->marks, (uint32_t)regions->touched.items[i]);
    return find_regions(relation, body);
}

static bool is_touched(const solids_task *relation, int body, uint32_t triangle)
{
    return relation->meetings->any && has_mark(&relation->cursor->regions[body].marks, triangle);
}

/* The region of a triangle that touches nothing. */
static uint32_t region_of(const solids_task *relation, int body, uint32_t triangle)
{
    const carom_mesh *mesh = relation->cells.bodies[body].mesh.mesh;
    if (!relation->meetings->any)
        return mesh->component[triangle];
    return base_set_root(relation->cursor->regions[body].parent.items,
                         mesh->merged[mesh->indices[3 * (size_t)triangle]]);
}

/* ---- stages; each goes on from the cursor's step ---- */

/* STOPPED: they are the same point set, for which there is no evidence. */
static carom_status examine_twins(solids_task *relation, int body)
{
    cells_task *cells = &relation->cells;
    const query_meetings *meetings = relation->meetings;
    bool twins;
    if (body > 0 || relation->cursor->step > 0 || !meetings->any || !meetings->complete || !solids_may_be_twins(cells))
        return CAROM_OK;
    CELLS_TRY(solids_are_twins(cells, &twins));
    if (twins)
        return CAROM_STOPPED;
    relation->cursor->step = 1;
    return cells_pay(cells, cells->bodies[0].mesh.mesh->triangle_count);
}

/* Two triangles that cross tell all at once where both are boundaries of ordinary solids. */
static carom_status take_crossing(cells_task *cells, const uint32_t pair[2], query_evidence *evidence)
{
    local_face a = cells_triangle(cells, 0, pair[0]), b = cells_triangle(cells, 1, pair[1]);
    exact_point points[LOCAL_MAX_EVENTS];
    int count = a.sign != 0 && b.sign != 0 ? local_events(&a, &b, points, cells->counts) : 0;
    const cells_request request = {0, pair[0], CELLS_OF_BOTH};
    return count > 0 ? cells_at_point(cells, request, &points[0], take_cell, evidence) : CAROM_OK;
}

/* Triangles in one plane are better looked at with all that touches them. */
static bool are_flat(const solids_task *relation, const uint32_t pair[2])
{
    local_face a = cells_triangle(&relation->cells, 0, pair[0]), b = cells_triangle(&relation->cells, 1, pair[1]);
    return a.sign != 0 && b.sign != 0 && local_coplanar(&a, &b, relation->cells.counts);
}

static carom_status examine_crossing(solids_task *relation, int body)
{
    const query_meetings *meetings = relation->meetings;
    if (!meetings->crossing || body > 0 || relation->cursor->step > 0)
        return CAROM_OK;
    relation->cursor->step = 1;
    if (meetings->complete && are_flat(relation, meetings->crossing_pair))
        return CAROM_OK;
    return take_crossing(&relation->cells, meetings->crossing_pair, &relation->cursor->evidence);
}

/* Is a region of this body inside the other one? Any corner of it tells. */
static carom_status locate_corner(solids_task *relation, int body, uint32_t vertex, bool *inside)
{
    const mesh_placed *mesh = &relation->cells.bodies[body].mesh;
    return cells_locate(&relation->cells, 1 - body, pose_apply(mesh->pose, mesh->mesh->vertices[vertex]), inside);
}

static carom_status locate_region(solids_task *relation, int body, uint32_t triangle, bool *inside)
{
    return locate_corner(relation, body, relation->cells.bodies[body].mesh.mesh->indices[3 * (size_t)triangle], inside);
}

/* Components that touch nothing. STOPPED: nothing further can change the answer. What was found is recorded before it
 * is paid for. */
static carom_status examine_components(solids_task *relation, int body)
{
    const carom_mesh *mesh = relation->cells.bodies[body].mesh.mesh;
    query_evidence *evidence = &relation->cursor->evidence;
    size_t *step = &relation->cursor->step;
    if (!relation->cursor->begun)
        CELLS_TRY(begin_touched(relation));
    while (*step < mesh->info.component_count)
    {
        bool inside;
        uint32_t component = (uint32_t)*step;
        if (!relation->meetings->any || !has_mark(&relation->cursor->regions[body].met, component))
        {
            CELLS_TRY(locate_corner(relation, body, mesh->component_vertex[component], &inside));
            solids_take_surface(evidence, body, inside);
        }
        ++*step;
        if (solids_settled(evidence))
            return CAROM_STOPPED;
        CELLS_TRY(cells_pay(&relation->cells, 1));
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
    return !solids_settled(at->evidence);
}

static carom_status examine_triangle(solids_task *relation, cells_request request)
{
    query_evidence *evidence = &relation->cursor->evidence;
    local_face t = cells_triangle(&relation->cells, request.body, request.triangle);
    carom_vec3 extent[2];
    if (t.sign != 0)
        return cells_of_triangle(&relation->cells, request, take_cell, evidence);
    local_extent(&t, extent);
    piece_evidence at = {evidence, request.body};
    return cells_of_segment(&relation->cells, 1 - request.body, extent, take_piece, &at);
}

/* Does a triangle of the other body lie on it? */
static bool is_lying(cells_partners partners)
{
    for (size_t i = 0; i < partners.count; i++)
        if ((partners.items[i] & 3) == 3)
            return true;
    return false;
}

/* From its partners, if they suffice; if not, from its cells. */
static carom_status examine_partners(solids_task *relation, int body, uint32_t triangle, size_t partners)
{
    bool done = false;
    if (relation->cells.cells->phase == 0)
        CELLS_TRY(solids_take_partners(relation, body, relation->cursor->step, &done));
    if (!done)
        CELLS_TRY(examine_triangle(relation, (cells_request){body, triangle, CELLS_OF_OTHER}));
    relation->cursor->step++;
    if (solids_settled(&relation->cursor->evidence))
        return CAROM_STOPPED;
    return done ? cells_pay(&relation->cells, partners + 1) : CAROM_OK;
}

/* The triangles that meet the other body: those on which others lie, or all others. */
static carom_status examine_touched(solids_task *relation, int body, bool lying)
{
    const query_words *touched = &relation->cursor->regions[body].touched;
    size_t *step = &relation->cursor->step;
    while (relation->meetings->any && *step < touched->count)
    {
        uint32_t triangle = (uint32_t)touched->items[*step];
        cells_partners partners = {0};
        if (relation->meetings->complete)
            partners = cells_partners_of(&relation->cells, body, triangle);
        if (is_lying(partners) != lying)
            ++*step;
        else if (relation->meetings->complete)
            CELLS_TRY(examine_partners(relation, body, triangle, partners.count));
        else
        {
            CELLS_TRY(examine_triangle(relation, (cells_request){body, triangle, CELLS_OF_OTHER}));
            ++*step;
        }
    }
    return CAROM_OK;
}

static carom_status examine_standing(solids_task *relation, int body) { return examine_touched(relation, body, false); }
static carom_status examine_lying(solids_task *relation, int body) { return examine_touched(relation, body, true); }

/* Marks the region of a triangle once: is it inside the other body? */
static carom_status mark_region(solids_task *relation, int body, uint32_t triangle, uint32_t region)
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

/* May a triangle have a side where its own body is empty and the other one is not? */
static carom_status may_border_hole(solids_task *relation, int body, uint32_t triangle, bool *out)
{
    *out = true;
    if (is_touched(relation, body, triangle))
        return CAROM_OK;
    uint32_t region = region_of(relation, body, triangle);
    CELLS_TRY(mark_region(relation, body, triangle, region));
    *out = has_mark(&relation->cursor->regions[body].inside, region);
    return CAROM_OK;
}

/* Does the other body fill a hole of this one that none of its triangles reaches? Only what is inside the other body
 * can border such a hole. */
static carom_status examine_holes(solids_task *relation, int body)
{
    const carom_mesh *mesh = relation->cells.bodies[body].mesh.mesh;
    query_evidence *evidence = &relation->cursor->evidence;
    size_t *step = &relation->cursor->step;
    if (evidence->outside[1 - body] || !evidence->surface_inside[body])
        return CAROM_OK;
    if (*step == 0 && relation->cells.cells->phase == 0)
        CELLS_TRY(begin_regions(relation, body));
    for (; *step < mesh->triangle_count && !evidence->outside[1 - body]; ++*step)
    {
        bool borders;
        CELLS_TRY(may_border_hole(relation, body, (uint32_t)*step, &borders));
        if (borders)
            CELLS_TRY(examine_triangle(relation, (cells_request){body, (uint32_t)*step, CELLS_OF_BOTH}));
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
        const cells_request request = {body, (uint32_t)cursor->step, CELLS_OF_BOTH};
        carom_status status = cells_of_triangle(cells, request, note_filling, &filled[body]);
        if (status != CAROM_STOPPED && status != CAROM_OK)
            return status;
    }
    return CAROM_OK;
}

/* Where nothing but this is open: does a body have an interior? */
static carom_status examine_filling(solids_task *relation, int body)
{
    const query_evidence *evidence = &relation->cursor->evidence;
    bool open = relation->meetings->any && !evidence->interior && (evidence->outside[0] || evidence->outside[1]);
    return open ? solids_find_filling(&relation->cells, body, relation->cursor) : CAROM_OK;
}

typedef carom_status stage_fn(solids_task *relation, int body);

/* Two surfaces without an interior are equal or not; that they differ is all there is to know. */
static bool is_known(const solids_task *relation)
{
    const query_evidence *evidence = &relation->cursor->evidence;
    bool hollow = !relation->cells.bodies[0].solid && !relation->cells.bodies[1].solid;
    return solids_settled(evidence) || (hollow && (evidence->outside[0] || evidence->outside[1]));
}

/* Cheap and telling stages first. */
static carom_status run_stages(solids_task *relation)
{
    static stage_fn *const stages[] = {examine_twins, examine_crossing, examine_components, examine_standing,
                                       examine_lying, examine_holes,    examine_filling};
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
    solids_task relation = {cells_begin(query, walk, &cursor->cells, &counts), meetings, cursor};
    for (int body = 0; body < 2 && meetings->any; body++)
    {
        relation.cells.crowd[body] = &cursor->regions[body].crowd;
        relation.cells.partners[body] = meetings->complete ? &cursor->regions[body].partners : NULL;
    }
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
