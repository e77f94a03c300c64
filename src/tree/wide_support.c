/* A table of how far a mesh reaches in 6 x 17 x 17 directions, and a search with it for a direction that separates two
 * meshes as a whole: what decides most pairs that are not close.
 *
 * A support function is convex, and on a face of the cube of directions bilinear interpolation is a convex combination
 * of its corners, so interpolated heights are upper bounds: nothing that meets is called apart. The search reflects the
 * direction at the vector between the two support points (Chung and Wang 1996). */
#include "tree/wide.h"

enum
{
    STEPS = WIDE_SUPPORT_SIDE - 1,
    MOST_REFLECTIONS = 4
};

/* Rounding of heights, and of the bounds that the walk for them trusts; derived in docs/exactness.md. */
static const float HEIGHT_ROUNDING = 80.0f * 0x1p-24f;

/* Direction of a table entry: the face's axis is +1 or -1, the next two run from -1 to 1. */
static void entry_direction(int face, int row, int column, float u[3])
{
    int axis = face >> 1;
    u[axis] = face & 1 ? -1.0f : 1.0f;
    u[(axis + 1) % 3] = (float)row * (2.0f / STEPS) - 1.0f;
    u[(axis + 2) % 3] = (float)column * (2.0f / STEPS) - 1.0f;
}

static inline int entry_index(int face, int row, int column)
{
    return (face * WIDE_SUPPORT_SIDE + row) * WIDE_SUPPORT_SIDE + column;
}

/* Fills eight entries along a row, or down a column. */
static void fill_run(carom_context *context, wide_tree *tree, const int start[3], bool down, uint32_t *highest)
{
    float u[3][WIDE_LANES], heights[WIDE_LANES], one[3];
    for (int i = 0; i < WIDE_LANES; i++)
    {
        entry_direction(start[0], start[1] + (down ? i : 0), start[2] + (down ? 0 : i), one);
        u[0][i] = one[0], u[1][i] = one[1], u[2][i] = one[2];
    }
    BASE_PICK_ISA(context, wide_heights)(tree, u, highest, heights);
    for (int i = 0; i < WIDE_LANES; i++)
        tree->support[entry_index(start[0], start[1] + (down ? i : 0), start[2] + (down ? 0 : i))] =
            heights[i] + HEIGHT_ROUNDING;
}

void wide_support_fill(carom_context *context, wide_tree *tree)
{
    if (!tree->support)
        return;
    uint32_t highest = 0; /* neighbours in the table mostly share their highest leaf */
    for (int face = 0; face < 6; face++)
    {
        for (int row = 0; row <= STEPS; row++)
            for (int column = 0; column < STEPS; column += WIDE_LANES)
                fill_run(context, tree, (int[3]){face, row, column}, false, &highest);
        for (int row = 0; row < STEPS; row += WIDE_LANES)
            fill_run(context, tree, (int[3]){face, row, STEPS}, true, &highest);
        fill_run(context, tree, (int[3]){face, WIDE_SUPPORT_SIDE - WIDE_LANES, STEPS}, true, &highest);
    }
}

/* Where a direction falls in the table: a cell and the place in it. */
typedef struct table_place
{
    const float *cell; /* its first corner */
    float p, q;        /* along rows and columns, 0 .. 1 */
    float length, inverse;
    int axis, next, last;
} table_place;

/* Branches here would be guesses: directions come from everywhere. */
static inline table_place find_place(const float *table, const float u[3])
{
    static const int after[3] = {1, 2, 0}, before[3] = {2, 0, 1};
    float x = fabsf(u[0]), y = fabsf(u[1]), z = fabsf(u[2]), x_or_y = y > x ? y : x;
    int is_z = z > x_or_y, is_y = (y > x) & !is_z;
    table_place at = {.axis = 2 * is_z + is_y, .length = z > x_or_y ? z : x_or_y};
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
static inline float height_at(const table_place *at)
{
    const float *near = at->cell, *far = near + WIDE_SUPPORT_SIDE;
    float low = near[0] + at->q * (near[1] - near[0]), high = far[0] + at->q * (far[1] - far[0]);
    return (low + at->p * (high - low)) * at->length;
}

/* The point that the interpolation stands for. */
static inline void point_at(const table_place *at, const float u[3], float point[3])
{
    const float *near = at->cell, *far = near + WIDE_SUPPORT_SIDE;
    float low = near[0] + at->q * (near[1] - near[0]), high = far[0] + at->q * (far[1] - far[0]);
    float left = near[0] + at->p * (far[0] - near[0]), right = near[1] + at->p * (far[1] - near[1]);
    float slope_p = 0.5f * STEPS * (high - low), slope_q = 0.5f * STEPS * (right - left);
    float rest = low + at->p * (high - low) - (u[at->next] * slope_p + u[at->last] * slope_q) * at->inverse;
    point[at->next] = slope_p, point[at->last] = slope_q;
    point[at->axis] = u[at->axis] < 0.0f ? -rest : rest;
}

/* The next direction: u reflected at the vector between the support points. False: there is none worth a try. Apart
 * from the search, so that the first direction, which mostly does, is tried with what fits registers. */
static BASE_NEVER_INLINE bool reflect(const wide_transform *b_to_a, const table_place at[2], const float w[3],
                                      float u[3])
{
    float point_a[3], point_b[3];
    point_at(&at[0], u, point_a);
    point_at(&at[1], w, point_b);
    float between[3], square = 0.0f, dot = 0.0f, length = fabsf(u[0]) + fabsf(u[1]) + fabsf(u[2]);
    for (int j = 0; j < 3; j++)
    {
        const float *row = b_to_a->rotation + 3 * j;
        float turned = row[0] * point_b[0] + row[1] * point_b[1] + row[2] * point_b[2];
        between[j] = b_to_a->translation[j] - point_a[j] + b_to_a->ratio * turned;
        square += between[j] * between[j], dot += between[j] * u[j];
    }
    if (!(dot < 0.0f) || !(square > 1e-20f))
        return false;
    float inverse = 1.0f / length;
    for (int j = 0; j < 3; j++)
        u[j] = (u[j] - 2.0f * dot / square * between[j]) * inverse;
    return true;
}

typedef struct search
{
    const float *support_a, *support_b;
    const wide_transform *b_to_a;
    float margin;
} search;

/* Searches from u; leaves the direction that separates there. */
static bool search_from(const search *s, int reflections, float u[3])
{
    const float *t = s->b_to_a->translation, *r = s->b_to_a->rotation;
    for (int reflection = 0; reflection <= reflections; reflection++)
    {
        float length = fabsf(u[0]) + fabsf(u[1]) + fabsf(u[2]);
        if (!(length > 1e-6f) || !(length < 1e6f))
            return false;
        float w[3];
        for (int j = 0; j < 3; j++)
            w[j] = -(r[j] * u[0] + r[3 + j] * u[1] + r[6 + j] * u[2]);
        table_place at[2] = {find_place(s->support_a, u), find_place(s->support_b, w)};
        float heights = height_at(&at[0]) + height_at(&at[1]) * s->b_to_a->ratio;
        float gap = u[0] * t[0] + u[1] * t[1] + u[2] * t[2] - heights;
        if (gap > s->margin * length)
            return true;
        if (!(gap > -0.35f * length)) /* as deep as this, no plane is likely */
            return false;
        if (!reflect(s->b_to_a, at, w, u))
            return false;
    }
    return false;
}

/* True if the whole meshes are certainly farther apart than `margin` (units of a). along: a direction to start with,
 * and the one that separates; in a's frame, zero: none. Not thorough: only what mostly does it. */
bool wide_support_apart(const wide_tree *tree_a, const wide_tree *tree_b, const wide_transform *b_to_a, float margin,
                        bool thorough, float along[3])
{
    const float *t = b_to_a->translation;
    /* Rounding of the sums above: coordinates of at most 1 and ratio, and the translation. */
    float away = fabsf(t[0]) + fabsf(t[1]) + fabsf(t[2]);
    margin += 64.0f * 0x1p-24f * (2.0f + 2.0f * b_to_a->ratio + away);
    search s = {tree_a->support, tree_b->support, b_to_a, margin};
    bool known = along[0] != 0.0f || along[1] != 0.0f || along[2] != 0.0f;
    if (known && search_from(&s, 0, along))
        return true;
    /* Reflections lead from the line between the centres to a plane more often than from an old plane. */
    float start[3] = {t[0], t[1], t[2]};
    if (search_from(&s, thorough ? MOST_REFLECTIONS : 0, start))
    {
        memcpy(along, start, sizeof start);
        return true;
    }
    return known && thorough && search_from(&s, MOST_REFLECTIONS, along);
}
