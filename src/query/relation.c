/* The relation of two placed shapes, as point sets: report.h defines it, docs/exactness.md proves how it is decided.
 * Two meshes are compared in solids.c; here are spheres and capsules, and the conclusion. */
#include "query/solids.h"

/* ---- from evidence to a relation ---- */

static carom_relation conclude(const query_evidence *evidence, bool meet)
{
    bool a_in_b = !evidence->outside[0], b_in_a = !evidence->outside[1];
    if (a_in_b && b_in_a)
        return CAROM_RELATION_EQUAL;
    if (evidence->interior)
        return a_in_b ? CAROM_RELATION_A_INSIDE_B : b_in_a ? CAROM_RELATION_B_INSIDE_A : CAROM_RELATION_OVERLAPPING;
    if (!meet)
        return CAROM_RELATION_APART;
    return evidence->filled[0] || evidence->filled[1] ? CAROM_RELATION_TOUCHING : CAROM_RELATION_SURFACES_MEET;
}

/* ---- spheres and capsules ---- */

static carom_relation relation_of_rounds(const query_question *question, narrow_counts *counts)
{
    narrow_round a = query_placed_round(question->a), b = query_placed_round(question->b);
    uint32_t meeting = narrow_round_meet(&a, &b, counts);
    query_evidence evidence = {
        .filled = {a.radius > 0.0, b.radius > 0.0},
        .outside = {!narrow_round_in_round(&a, &b, counts), !narrow_round_in_round(&b, &a, counts)}};
    evidence.interior = (evidence.filled[0] || evidence.filled[1]) && (meeting & CAROM_MEET_CROSSING);
    return conclude(&evidence, meeting != CAROM_MEET_NONE);
}

/* A mesh and a sphere or capsule, in either order. */
typedef struct round_relation
{
    cells_task cells;
    const query_meetings *meetings;
    query_cursor *cursor;
    int mesh, other; /* which of the two bodies; the other one is round */
    narrow_round round;
} round_relation;

/* The solid is convex: it contains P(mesh) if it contains every triangle. */
static carom_status find_mesh_outside(round_relation *relation)
{
    query_cursor *cursor = relation->cursor;
    const mesh_placed *mesh = &relation->cells.bodies[relation->mesh].mesh;
    bool *outside = &cursor->evidence.outside[relation->mesh];
    *outside |= !relation->meetings->any;
    while (!*outside && cursor->step < mesh->mesh->triangle_count)
    {
        narrow_triangle triangle = tree_world_triangle(mesh, (uint32_t)cursor->step);
        *outside = !narrow_triangle_in_round(&triangle, &relation->round, relation->cells.counts);
        cursor->step++;
        CELLS_TRY(cells_pay(&relation->cells, 1));
    }
    return CAROM_OK;
}

/* The surface does not enter the solid: all of it is where its core is. */
static carom_status locate_round(round_relation *relation)
{
    query_evidence *evidence = &relation->cursor->evidence;
    bool inside;
    if (relation->cursor->step > 0)
        return CAROM_OK;
    CELLS_TRY(cells_locate(&relation->cells, relation->mesh, relation->round.end[0], &inside));
    evidence->interior |= inside;
    evidence->filled[relation->mesh] |= inside;
    evidence->outside[relation->other] |= !inside;
    relation->cursor->step = 1;
    return cells_pay(&relation->cells, 2);
}

static bool take_piece(const cells_piece *piece, void *user)
{
    round_relation *relation = user;
    query_evidence *evidence = &relation->cursor->evidence;
    evidence->interior |= piece->interior;
    evidence->filled[relation->mesh] |= piece->interior;
    evidence->outside[relation->other] |= !piece->interior && !piece->on_surface;
    return true;
}

static carom_status find_round_outside(round_relation *relation)
{
    bool *outside = &relation->cursor->evidence.outside[relation->other];
    if (relation->meetings->any && relation->round.radius == 0.0)
        return cells_of_segment(&relation->cells, relation->mesh, relation->round.end, take_piece, relation);
    if (!relation->meetings->crossing)
        return locate_round(relation);
    relation->cursor->evidence.interior = true;
    if (!relation->cells.bodies[relation->mesh].solid)
        return *outside = true, CAROM_OK;
    return solids_leave_round_empty(&relation->cells, relation->mesh, &relation->round, relation->meetings,
                                    relation->cursor);
}

static carom_status find_filling(round_relation *relation)
{
    const query_evidence *evidence = &relation->cursor->evidence;
    bool open = relation->meetings->any && !evidence->interior && (evidence->outside[0] || evidence->outside[1]);
    return open ? solids_find_filling(&relation->cells, relation->mesh, relation->cursor) : CAROM_OK;
}

static carom_status compare_with_round(carom_query *query, const query_walk *walk, const query_meetings *meetings,
                                       query_cursor *cursor)
{
    typedef carom_status stage_fn(round_relation *);
    static stage_fn *const stages[] = {find_mesh_outside, find_round_outside, find_filling};
    narrow_counts counts = {0};
    int mesh = query_is_mesh(walk->question->a) ? 0 : 1;
    round_relation relation = {.cells = cells_begin(query, walk, &cursor->cells, &counts),
                               .meetings = meetings,
                               .cursor = cursor,
                               .mesh = mesh,
                               .other = 1 - mesh,
                               .round = query_placed_round(mesh == 0 ? walk->question->b : walk->question->a)};
    cursor->evidence.filled[relation.other] = relation.round.radius > 0.0;
    carom_status status = CAROM_OK;
    while (status == CAROM_OK && cursor->stage < sizeof stages / sizeof *stages)
    {
        status = stages[cursor->stage](&relation);
        if (status == CAROM_OK)
            cursor->stage++, cursor->step = 0;
    }
    walk->counters->exact_fallbacks += counts.exact_fallbacks;
    return status;
}

carom_status query_relation(carom_query *query, const query_walk *walk, const query_meetings *meetings,
                            query_cursor *cursor, carom_relation *out)
{
    const query_question *question = walk->question;
    bool mesh_a = query_is_mesh(question->a), mesh_b = query_is_mesh(question->b);
    *out = CAROM_RELATION_APART;
    if (query_is_empty(question->a) || query_is_empty(question->b))
        return CAROM_OK;
    if (!mesh_a && !mesh_b)
    {
        narrow_counts counts = {0};
        *out = relation_of_rounds(question, &counts);
        walk->counters->exact_fallbacks += counts.exact_fallbacks;
        return CAROM_OK;
    }
    *out = CAROM_RELATION_UNKNOWN;
    carom_status status = mesh_a && mesh_b ? solids_compare(query, walk, meetings, cursor)
                                           : compare_with_round(query, walk, meetings, cursor);
    if (status == CAROM_OK)
        *out = conclude(&cursor->evidence, meetings->any);
    return status == CAROM_UNKNOWN ? CAROM_OK : status;
}

carom_status query_probe_crossing(carom_query *query, const query_walk *walk, const uint32_t pair[2],
                                  query_cursor *cursor, bool *overlapping)
{
    const query_evidence *evidence = &cursor->evidence;
    carom_status status = solids_probe(query, walk, pair, cursor);
    *overlapping = evidence->interior && evidence->outside[0] && evidence->outside[1];
    return status;
}

/* ---- the cursor ---- */

void query_cursor_begin(query_cursor *cursor)
{
    cursor->decided = CAROM_RELATION_UNKNOWN;
    cursor->begun = false;
    cursor->stage = 0, cursor->step = 0;
    cursor->evidence = (query_evidence){0};
    cursor->cells.phase = 0;
}

static void free_cells(carom_context *context, query_cells *cells)
{
    for (int i = 0; i < 2; i++)
    {
        base_array_free(context, &cells->near[i]);
        base_array_free(context, &cells->on_line[i]);
    }
    base_array_free(context, &cells->flat);
    base_array_free(context, &cells->flat_here);
    base_array_free(context, &cells->cuts);
    base_array_free(context, &cells->items);
    base_array_free(context, &cells->pairs);
    base_array_free(context, &cells->events);
    base_array_free(context, &cells->order);
    base_array_free(context, &cells->order_space);
    base_array_free(context, &cells->around);
    base_array_free(context, &cells->ranks);
    base_array_free(context, &cells->ranks_space);
    base_array_free(context, &cells->ways);
}

void query_cursor_free(carom_context *context, query_cursor *cursor)
{
    free_cells(context, &cursor->cells);
    for (int i = 0; i < 2; i++)
    {
        base_array_free(context, &cursor->regions[i].touched);
        base_array_free(context, &cursor->regions[i].crowd);
        base_array_free(context, &cursor->regions[i].met);
        base_array_free(context, &cursor->regions[i].partners);
        base_array_free(context, &cursor->regions[i].sides);
        base_array_free(context, &cursor->regions[i].marks);
        base_array_free(context, &cursor->regions[i].seen);
        base_array_free(context, &cursor->regions[i].inside);
        base_array_free(context, &cursor->regions[i].parent);
    }
}
