/* Is a body inside a mesh that is not closed? Exactly speaking nothing is, so this is an estimate beside the relation:
 * the generalized winding number of the open surface around points of the other body.
 *
 * The points are centroids of triangles that are evenly spaced in their order, moved a little into the body if it is
 * closed, so that faces that lie on the surface have a side; and a vertex of each component. A component is inside if
 * more than half of its points are, a body if one of its components is. Bodies of many components count as one.
 * docs/exactness.md says how often that agrees with the closed surface. */
#include "query/query.h"
#include "query/winding.h"

enum
{
    SPREAD_POINTS = 9, /* odd */
    MAX_COMPONENTS = 32,
    MAX_POINTS = SPREAD_POINTS + MAX_COMPONENTS
};
_Static_assert(MAX_POINTS <= 64, "query_estimate.inside has a bit per point");

/* From a winding number of this size on, a point counts as inside. A flat sheet comes up to 1/2; the difference is more
 * than the error of winding_number. */
#define INSIDE_TURNS 0.6

/* A point of the inner body, in the world. */
typedef struct sample
{
    carom_vec3 point;
    uint32_t component;
} sample;

/* ---- points of a body ---- */

/* Points of a sphere or capsule: its core's ends and what is farthest from them along the axes. */
static uint32_t sample_round(const carom_placed *placed, sample out[MAX_POINTS])
{
    narrow_round round = query_placed_round(placed);
    uint32_t count = 0;
    for (int end = 0; end < (placed->shape.kind == CAROM_SHAPE_SPHERE ? 1 : 2); end++)
        for (int i = 0; i < 7; i++)
        {
            double reach[3] = {0};
            if (i < 6)
                reach[i / 2] = i % 2 ? round.radius : -round.radius;
            out[count++] = (sample){vec3_add(round.end[end], vec3(reach[0], reach[1], reach[2])), 0};
        }
    return count;
}

/* The middle of a triangle; of a solid, a little way in. */
static carom_vec3 sample_triangle(const carom_placed *placed, uint32_t triangle)
{
    const double depth = 1e-6; /* relative to the triangle's size */
    const carom_mesh *mesh = placed->shape.mesh;
    carom_vec3 c[3];
    mesh_corners(mesh, triangle, c);
    carom_vec3 middle = vec3_scale(vec3_add(vec3_add(c[0], c[1]), c[2]), 1.0 / 3.0);
    carom_vec3 normal = vec3_cross(vec3_sub(c[1], c[0]), vec3_sub(c[2], c[0]));
    double length = vec3_length(normal);
    if (query_has_inside(&placed->shape) && length > 0.0)
        middle = vec3_sub(middle, vec3_scale(normal, (mesh->info.volume > 0.0 ? depth : -depth) / sqrt(length)));
    return pose_apply(&placed->pose, middle);
}

static uint32_t sample_mesh(const carom_placed *placed, sample out[MAX_POINTS])
{
    const carom_mesh *mesh = placed->shape.mesh;
    uint32_t triangles = mesh->triangle_count, components = mesh->info.component_count, count = 0;
    bool as_one = components == 1 || components > MAX_COMPONENTS;
    uint32_t spread = as_one && components > 1 ? MAX_POINTS : SPREAD_POINTS;
    spread = spread < triangles ? spread : triangles;
    for (uint32_t i = 0; i < spread; i++)
    {
        uint32_t triangle = (uint32_t)((uint64_t)i * triangles / spread);
        out[count++] = (sample){sample_triangle(placed, triangle), as_one ? 0 : mesh->component[triangle]};
    }
    for (uint32_t i = 0; i < components && !as_one; i++)
        out[count++] = (sample){pose_apply(&placed->pose, mesh->vertices[mesh->component_vertex[i]]), i};
    return count;
}

/* ---- one point, one body ---- */

/* The frame of a mesh, for points of the world. */
static carom_vec3 to_own_frame(const carom_pose *pose, carom_vec3 point)
{
    const double *r = pose->rotation;
    carom_vec3 v = vec3_sub(point, pose->translation);
    return vec3(r[0] * v.x + r[3] * v.y + r[6] * v.z, r[1] * v.x + r[4] * v.y + r[7] * v.z,
                r[2] * v.x + r[5] * v.y + r[8] * v.z);
}

static bool in_box(const carom_aabb *box, carom_vec3 p)
{
    return p.x >= box->min.x && p.x <= box->max.x && p.y >= box->min.y && p.y <= box->max.y && p.z >= box->min.z &&
           p.z <= box->max.z;
}

static bool any_component_inside(const sample *samples, uint32_t count, uint64_t inside)
{
    for (uint32_t i = 0; i < count; i++)
    {
        uint32_t all = 0, within = 0;
        for (uint32_t k = 0; k < count; k++)
            if (samples[k].component == samples[i].component)
                all++, within += inside >> k & 1;
        if (2 * within > all)
            return true;
    }
    return false;
}

static bool boxes_meet(const carom_placed *a, const carom_placed *b)
{
    carom_aabb x = query_world_box(a), y = query_world_box(b);
    return x.min.x <= y.max.x && y.min.x <= x.max.x && x.min.y <= y.max.y && y.min.y <= x.max.y && x.min.z <= y.max.z &&
           y.min.z <= x.max.z;
}

/* CAROM_UNKNOWN: the budget ran out; the state knows how far this came. */
static carom_status estimate_side(const query_walk *walk, const carom_placed *inner, const carom_placed *outer,
                                  query_estimate *state, bool *out)
{
    const carom_mesh *mesh = outer->shape.mesh;
    *out = false;
    if (!boxes_meet(inner, outer))
        return CAROM_OK;
    sample samples[MAX_POINTS];
    uint32_t count = query_is_mesh(inner) ? sample_mesh(inner, samples) : sample_round(inner, samples);
    const winding_field *field = NULL;
    for (; state->point < count; state->point++)
    {
        carom_vec3 own = to_own_frame(&outer->pose, samples[state->point].point);
        if (!in_box(&mesh->info.bounds, own))
            continue;
        if (walk->budget->exhausted)
            return CAROM_UNKNOWN;
        if (!field)
            BASE_TRY(winding_field_of(mesh, &field));
        uint64_t work = 0;
        double turns = winding_number(field, own, &work);
        if (fabs(turns) > INSIDE_TURNS)
            state->inside |= 1ull << state->point;
        walk->counters->boxes_tested += work;
        base_budget_spend(walk->budget, work < UINT32_MAX ? (uint32_t)work : UINT32_MAX);
    }
    *out = any_component_inside(samples, count, state->inside);
    return CAROM_OK;
}

/* ---- both directions ---- */

bool query_needs_estimate(const query_question *question)
{
    const carom_placed *a = question->a, *b = question->b;
    return !query_is_empty(a) && !query_is_empty(b) && (!query_has_inside(&a->shape) || !query_has_inside(&b->shape)) &&
           boxes_meet(a, b);
}

carom_status query_estimate_inside(query_job *job, base_budget *budget, carom_report *report)
{
    const query_question *question = &job->question;
    bool may_be = report->relation == CAROM_RELATION_APART || report->relation == CAROM_RELATION_TOUCHING;
    if (!job->options->relation || report->status != CAROM_OK || !may_be || query_is_empty(question->a) ||
        query_is_empty(question->b))
        return CAROM_OK;
    const query_walk walk = {question, NULL, budget, &job->counters};
    carom_status status = CAROM_OK;
    for (query_estimate *state = &job->estimate; state->side < 2 && status == CAROM_OK;)
    {
        const carom_placed *inner = state->side == 0 ? question->a : question->b;
        const carom_placed *outer = state->side == 0 ? question->b : question->a;
        if (!query_has_inside(&outer->shape))
            status = estimate_side(&walk, inner, outer, state, &state->answers[state->side]);
        if (status == CAROM_OK)
            state->side++, state->point = 0, state->inside = 0;
    }
    report->counters = job->counters;
    if (status == CAROM_UNKNOWN)
        return report->status = CAROM_UNKNOWN, CAROM_OK;
    report->a_probably_inside_b = job->estimate.answers[0], report->b_probably_inside_a = job->estimate.answers[1];
    return status;
}
