/* The relation of two placed shapes, as point sets: report.h defines it, docs/exactness.md proves how it is decided.
 * Two meshes are decided in relation_meshes.c; here are points, spheres and capsules.
 *
 * Inside a mesh is decided by the winding number of the surface around a point: signed crossings of the ray along +x,
 * exact. The point is imagined to be moved by (0, e, e^2) for an infinitesimal e > 0, so that the ray hits no edge; off
 * the surface, that changes no winding number. */
#include "query/relation.h"

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

static bool in_box(const carom_aabb *box, carom_vec3 p)
{
    return p.x >= box->min.x && p.x <= box->max.x && p.y >= box->min.y && p.y <= box->max.y && p.z >= box->min.z &&
           p.z <= box->max.z;
}

carom_status relation_locate(cells_task *task, int body, carom_vec3 point, bool *inside)
{
    *inside = false;
    if (!in_box(&task->bodies[body].box, point))
        return CAROM_OK;
    if (task->budget->exhausted)
        return CAROM_UNKNOWN;
    const exact_point at = {EXACT_POINT_GIVEN, {point}};
    query_words *on_line = &task->query->candidates;
    BASE_TRY(cells_find_on_line(task, body, &at, on_line));
    int winding = 0;
    for (size_t i = 0; i < on_line->count; i++)
    {
        narrow_triangle triangle = tree_world_triangle(&task->bodies[body].mesh, (uint32_t)on_line->items[i]);
        winding += winding_part(&triangle, point, task->counts);
    }
    *inside = winding != 0;
    return CAROM_OK;
}

/* ---- from evidence to a relation ---- */

carom_relation relation_conclude(const query_evidence *evidence, bool meet, bool any_solid)
{
    bool a_in_b = !evidence->outside[0], b_in_a = !evidence->outside[1];
    if (a_in_b && b_in_a)
        return CAROM_RELATION_EQUAL;
    if (evidence->interior)
        return a_in_b ? CAROM_RELATION_A_INSIDE_B : b_in_a ? CAROM_RELATION_B_INSIDE_A : CAROM_RELATION_OVERLAPPING;
    if (!meet)
        return CAROM_RELATION_APART;
    return any_solid ? CAROM_RELATION_TOUCHING : CAROM_RELATION_SURFACES_MEET;
}

/* ---- spheres and capsules ---- */

static carom_relation relation_of_rounds(const query_question *question, narrow_counts *counts)
{
    narrow_round a = query_placed_round(question->a), b = query_placed_round(question->b);
    uint32_t meeting = narrow_round_meet(&a, &b, counts);
    bool any_solid = a.radius > 0.0 || b.radius > 0.0;
    query_evidence evidence = {.interior = any_solid && (meeting & CAROM_MEET_CROSSING),
                               .outside = {!narrow_round_in_round(&a, &b, counts),
                                           !narrow_round_in_round(&b, &a, counts)}};
    return relation_conclude(&evidence, meeting != CAROM_MEET_NONE, any_solid);
}

/* A mesh and a sphere or capsule, in either order. */
typedef struct round_relation
{
    cells_task cells;
    const query_meetings *meetings;
    query_cursor *cursor;
    int mesh; /* which of the two bodies; the other one is round */
    narrow_round round;
} round_relation;

static carom_status find_mesh_outside(round_relation *relation)
{
    query_cursor *cursor = relation->cursor;
    const mesh_placed *mesh = &relation->cells.bodies[relation->mesh].mesh;
    bool *outside = &cursor->evidence.outside[relation->mesh];
    for (; !*outside && cursor->step < mesh->mesh->triangle_count; cursor->step++)
    {
        narrow_triangle triangle = tree_world_triangle(mesh, (uint32_t)cursor->step);
        if (!base_budget_spend(relation->cells.budget, 1))
            return CAROM_UNKNOWN;
        *outside = !narrow_triangle_in_round(&triangle, &relation->round, relation->cells.counts);
    }
    return CAROM_OK;
}

/* The surface does not enter the solid: all of it is where its core is. */
static carom_status locate_round(round_relation *relation)
{
    query_evidence *evidence = &relation->cursor->evidence;
    bool inside = false;
    if (relation->cells.bodies[relation->mesh].solid)
        BASE_TRY(relation_locate(&relation->cells, relation->mesh, relation->round.end[0], &inside));
    evidence->interior |= inside;
    evidence->outside[1 - relation->mesh] |= !inside;
    return CAROM_OK;
}

static bool take_piece_of_round(const cells_piece *piece, void *user)
{
    round_relation *relation = user;
    query_evidence *evidence = &relation->cursor->evidence;
    evidence->interior |= piece->interior;
    evidence->outside[1 - relation->mesh] |= !piece->interior && !piece->on_surface;
    return true;
}

static bool note_empty_side(const cells_cell *cell, void *user)
{
    round_relation *relation = user;
    const bool *inside = cell->inside[relation->mesh];
    relation->cursor->evidence.outside[1 - relation->mesh] |= !inside[0] || !inside[1];
    return !relation->cursor->evidence.outside[1 - relation->mesh];
}

/* Triangles enter the solid. It is still in P(mesh) if both sides of each of them are filled. */
static carom_status examine_entering(round_relation *relation)
{
    const query_meetings *meetings = relation->meetings;
    query_evidence *evidence = &relation->cursor->evidence;
    evidence->interior = true;
    for (size_t *i = &relation->cursor->step; *i < meetings->key_count; ++*i)
    {
        carom_pair pair = query_unpack(meetings->keys[*i]);
        if (evidence->outside[1 - relation->mesh] || !(pair.meeting & CAROM_MEET_CROSSING))
            continue;
        uint32_t triangle = relation->mesh == 0 ? pair.triangle_a : pair.triangle_b;
        carom_status status =
            cells_of_triangle(&relation->cells, relation->mesh, triangle, note_empty_side, relation);
        if (status != CAROM_OK && status != CAROM_STOPPED)
            return status;
    }
    return CAROM_OK;
}

static carom_status find_round_outside(round_relation *relation)
{
    const query_meetings *meetings = relation->meetings;
    if (meetings->any && relation->round.radius == 0.0)
        return cells_of_segment(&relation->cells, relation->mesh, relation->round.end, take_piece_of_round, relation);
    return meetings->crossing ? examine_entering(relation) : locate_round(relation);
}

static carom_status relation_with_round(carom_query *query, const query_walk *walk, const query_meetings *meetings,
                                        query_cursor *cursor, narrow_counts *counts, carom_relation *out)
{
    int mesh = query_is_mesh(walk->question->a) ? 0 : 1;
    round_relation relation = {
        .cells = cells_begin(query, walk, counts),
        .meetings = meetings,
        .cursor = cursor,
        .mesh = mesh,
        .round = query_placed_round(mesh == 0 ? walk->question->b : walk->question->a)};
    carom_status status = CAROM_OK;
    if (cursor->stage == 0 && !meetings->any)
        cursor->evidence.outside[mesh] = true;
    if (cursor->stage == 0 && meetings->any)
        status = find_mesh_outside(&relation);
    if (status == CAROM_OK && cursor->stage == 0)
        cursor->stage = 1, cursor->step = 0;
    if (status == CAROM_OK)
        status = find_round_outside(&relation);
    if (status == CAROM_UNKNOWN)
        return *out = CAROM_RELATION_UNKNOWN, CAROM_OK;
    if (status != CAROM_OK)
        return status;
    bool any_solid = relation.cells.bodies[mesh].solid || relation.round.radius > 0.0;
    *out = relation_conclude(&cursor->evidence, meetings->any, any_solid);
    return CAROM_OK;
}

carom_status query_relation(carom_query *query, const query_walk *walk, const query_meetings *meetings,
                            carom_relation *out)
{
    const query_question *question = walk->question;
    bool mesh_a = query_is_mesh(question->a), mesh_b = query_is_mesh(question->b);
    *out = CAROM_RELATION_APART;
    if (query_is_empty(question->a) || query_is_empty(question->b))
        return CAROM_OK;
    query_cursor begin = {0}, *cursor = meetings->cursor ? meetings->cursor : &begin;
    narrow_counts counts = {0};
    carom_status status = CAROM_OK;
    if (mesh_a && mesh_b)
        status = relation_of_meshes(query, walk, meetings, cursor, &counts, out);
    else if (mesh_a || mesh_b)
        status = relation_with_round(query, walk, meetings, cursor, &counts, out);
    else
        *out = relation_of_rounds(question, &counts);
    walk->counters->exact_fallbacks += counts.exact_fallbacks;
    return status;
}
