/* A search for a direction that separates two meshes as a whole: what decides most pairs that are not close.
 *
 * A support function is convex, and on a face of the cube of directions bilinear interpolation is a convex combination
 * of its corners, so interpolated heights are upper bounds: nothing that meets is called apart. The search reflects the
 * direction at the vector between the two support points (Chung and Wang 1996). Nothing is fused: every instruction
 * set finds the same. */
#include "base/simd.h"
#include "tree/wide.h"

enum
{
    STEPS = WIDE_SUPPORT_SIDE - 1,
    MAX_REFLECTIONS = 4
};

/* Where a direction falls in the table: a cell and the position in it. */
typedef struct table_cell
{
    const float *cell; /* its first corner */
    float p, q;        /* along rows and columns, 0 .. 1 */
    float length, inverse;
    int axis, next, last;
} table_cell;

/* Branches here would be mispredicted: directions are arbitrary. */
static inline table_cell find_cell(const float *table, const float u[3])
{
    static const int after[3] = {1, 2, 0}, before[3] = {2, 0, 1};
    float x = fabsf(u[0]), y = fabsf(u[1]), z = fabsf(u[2]), x_or_y = y > x ? y : x;
    int is_z = z > x_or_y, is_y = (y > x) & !is_z;
    table_cell at = {.axis = 2 * is_z + is_y, .length = z > x_or_y ? z : x_or_y};
    at.next = after[at.axis], at.last = before[at.axis], at.inverse = 1.0f / at.length;
    float half = 0.5f * STEPS * at.inverse;
    float p = u[at.next] * half + 0.5f * STEPS, q = u[at.last] * half + 0.5f * STEPS;
    int row = (int)p, column = (int)q;
    row = (unsigned)row < STEPS ? row : STEPS - 1;
    column = (unsigned)column < STEPS ? column : STEPS - 1;
    int face = 2 * at.axis + (u[at.axis] < 0.0f);
    at.p = p - (float)row, at.q = q - (float)column;
    at.cell = table + (face * WIDE_SUPPORT_SIDE + row) * WIDE_SUPPORT_SIDE + column;
    return at;
}

/* An upper bound of the height. */
static inline float height_at(const table_cell *at)
{
    const float *near = at->cell, *far = near + WIDE_SUPPORT_SIDE;
    float low = near[0] + at->q * (near[1] - near[0]), high = far[0] + at->q * (far[1] - far[0]);
    return (low + at->p * (high - low)) * at->length;
}

/* The point that the interpolation stands for. */
static inline void point_at(const table_cell *at, const float u[3], float point[3])
{
    const float *near = at->cell, *far = near + WIDE_SUPPORT_SIDE;
    float low = near[0] + at->q * (near[1] - near[0]), high = far[0] + at->q * (far[1] - far[0]);
    float left = near[0] + at->p * (far[0] - near[0]), right = near[1] + at->p * (far[1] - near[1]);
    float slope_p = 0.5f * STEPS * (high - low), slope_q = 0.5f * STEPS * (right - left);
    float rest = low + at->p * (high - low) - (u[at->next] * slope_p + u[at->last] * slope_q) * at->inverse;
    point[at->next] = slope_p, point[at->last] = slope_q;
    point[at->axis] = u[at->axis] < 0.0f ? -rest : rest;
}

/* Two meshes as the search sees them: world directions, lengths in units of a's normalised frame. A mesh placed by
 * x = R (y / scale + centre) + t reaches d (R centre + t) + h(Rt d) / scale along d, whatever R is, so that the poses
 * need not be related to each other first. */
typedef struct search
{
    const float *support_a, *support_b;
    const double *turn_a, *turn_b; /* rotations */
    double between[3];             /* from a's centre to b's */
    float ratio;                   /* unit of b in units of a */
    float margin;                  /* what a gap along a direction of length 1 must exceed */
    double reach;                  /* centres farther apart than this are enough, whatever the direction */
} search;

/* A direction as the two tables see it: u in a's frame, w, which looks back, in b's. */
typedef struct sight
{
    float u[4], w[4]; /* three are used */
    table_cell at_a, at_b;
} sight;

/* d as the frame sees it that r turned. The fourth lane of a row is the next one's first, or the translation's. */
static BASE_ALWAYS_INLINE d4 turn_back(const double r[9], const double d[3])
{
    return d4_add(d4_add(d4_mul(d4_set1(d[0]), d4_loadu(r)), d4_mul(d4_set1(d[1]), d4_loadu(r + 3))),
                  d4_mul(d4_set1(d[2]), d4_loadu(r + 6)));
}

static inline float turn(const double *row, const float point[3])
{
    return (float)row[0] * point[0] + (float)row[1] * point[1] + (float)row[2] * point[2];
}

typedef enum verdict
{
    APART,
    UNLIKELY,
    UNDECIDED
} verdict;

/* Does d separate the meshes? */
static BASE_ALWAYS_INLINE verdict look_along(const search *s, const double d[3], sight *seen)
{
    const double *t = s->between;
    float length = (float)(fabs(d[0]) + fabs(d[1]) + fabs(d[2]));
    if (!(length > 1e-6f) || !(length < 1e6f))
        return UNLIKELY;
    d4_store_floats(seen->u, turn_back(s->turn_a, d));
    d4_store_floats(seen->w, d4_sub(d4_set1(0.0), turn_back(s->turn_b, d)));
    seen->at_a = find_cell(s->support_a, seen->u), seen->at_b = find_cell(s->support_b, seen->w);
    float heights = height_at(&seen->at_a) + height_at(&seen->at_b) * s->ratio;
    float gap = (float)(d[0] * t[0] + d[1] * t[1] + d[2] * t[2]) - heights;
    if (gap > s->margin * length)
        return APART;
    return gap > -0.35f * length ? UNDECIDED : UNLIKELY; /* deeper than this, a separating plane is unlikely */
}

/* The next direction: d reflected at the vector between the support points. False: there is none worth trying. */
static bool reflect(const search *s, const sight *seen, double d[3])
{
    float point_a[3], point_b[3], between[3], square = 0.0f, dot = 0.0f;
    point_at(&seen->at_a, seen->u, point_a);
    point_at(&seen->at_b, seen->w, point_b);
    for (int j = 0; j < 3; j++)
    {
        between[j] =
            (float)s->between[j] - turn(s->turn_a + 3 * j, point_a) + s->ratio * turn(s->turn_b + 3 * j, point_b);
        square += between[j] * between[j], dot += between[j] * (float)d[j];
    }
    if (!(dot < 0.0f) || !(square > 1e-20f))
        return false;
    double inverse = 1.0 / (fabs(d[0]) + fabs(d[1]) + fabs(d[2]));
    for (int j = 0; j < 3; j++)
        d[j] = (d[j] - (double)(2.0f * dot / square * between[j])) * inverse;
    return true;
}

/* Continues from d, which did not separate. A separate function, because the first test usually suffices and then fits
 * registers. */
static BASE_NEVER_INLINE bool search_on(const search *s, double d[3], sight *seen)
{
    for (int reflection = 0; reflection < MAX_REFLECTIONS; reflection++)
    {
        if (!reflect(s, seen, d))
            return false;
        verdict found = look_along(s, d, seen);
        if (found != UNDECIDED)
            return found == APART;
    }
    return false;
}

/* The magnitudes of both translations, added up: the largest coordinate. */
static BASE_ALWAYS_INLINE double both_translations(const carom_pose *a, const carom_pose *b)
{
    double size[4];
    d4_storeu(size, d4_add(d4_abs(d4_loadu(&a->rotation[8])), d4_abs(d4_loadu(&b->rotation[8]))));
    double x_or_y = size[1] > size[2] ? size[1] : size[2];
    return x_or_y > size[3] ? x_or_y : size[3];
}

/* False where the bodies do not fit floats. The margin is derived in docs/exactness.md. */
static BASE_ALWAYS_INLINE bool make_search(search *s, const mesh_placed *a, const mesh_placed *b, double limit)
{
    const wide_tree *tree_a = a->tree->wide, *tree_b = b->tree->wide;
    const double *r = a->pose->rotation, *q = b->pose->rotation;
    const carom_vec3 c = tree_a->centre, e = tree_b->centre, t = vec3_sub(b->pose->translation, a->pose->translation);
    const double scale = tree_a->scale, ratio = scale / tree_b->scale, apart[3] = {t.x, t.y, t.z};
    double away = 0.0;
    for (int j = 0; j < 3; j++)
    {
        double turned_b = q[3 * j] * e.x + q[3 * j + 1] * e.y + q[3 * j + 2] * e.z;
        double turned_a = r[3 * j] * c.x + r[3 * j + 1] * c.y + r[3 * j + 2] * c.z;
        s->between[j] = ((turned_b - turned_a) + apart[j]) * scale;
        away += fabs(s->between[j]);
    }
    double extents = a->mesh->extent + b->mesh->extent;
    double placing = 0x1p-53 * (15.0 * extents + both_translations(a->pose, b->pose)) + 0x1p-1022;
    double margin = (placing + limit) * scale + 0x1p-24 * (14.0 * (1.0 + ratio) + away);
    s->margin = (float)(margin * (1.0 + 0x1p-19));
    s->reach = (double)tree_a->radius + ratio * (double)tree_b->radius + margin + placing * scale;
    s->ratio = (float)ratio;
    s->support_a = tree_a->support, s->support_b = tree_b->support;
    s->turn_a = r, s->turn_b = q;
    return margin <= 0x1p28;
}

/* Tries the direction that separated last time, or continues from there. */
static BASE_NEVER_INLINE bool try_axis(const search *s, bool go_on, const float axis[3], sight *seen)
{
    double d[3];
    for (int j = 0; j < 3; j++)
        d[j] = (double)turn(s->turn_a + 3 * j, axis);
    verdict found = look_along(s, d, seen);
    return found == APART || (go_on && found == UNDECIDED && search_on(s, d, seen));
}

/* Reflections find a plane more often from the line between the centres than from an old plane. */
bool BASE_ISA(wide_support_apart)(const mesh_placed *a, const mesh_placed *b, double limit, bool thorough,
                                  float axis[3])
{
    search s;
    sight seen;
    if (!make_search(&s, a, b, limit))
        return false;
    const double *t = s.between;
    if (t[0] * t[0] + t[1] * t[1] + t[2] * t[2] > s.reach * s.reach)
        return true;
    bool known = axis && (axis[0] != 0.0f || axis[1] != 0.0f || axis[2] != 0.0f);
    bool apart = known && try_axis(&s, false, axis, &seen);
    if (!apart)
    {
        double d[3] = {s.between[0], s.between[1], s.between[2]};
        verdict found = look_along(&s, d, &seen);
        apart = found == APART || (thorough && found == UNDECIDED && search_on(&s, d, &seen));
    }
    if (!apart)
        apart = known && thorough && try_axis(&s, true, axis, &seen);
    if (apart && axis)
        memcpy(axis, seen.u, 3 * sizeof *axis);
    return apart;
}
