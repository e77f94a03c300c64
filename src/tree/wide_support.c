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

void wide_support_fill(carom_context *context, wide_tree *tree)
{
    if (!tree->support)
        return;
    float *entry = tree->support;
    uint32_t highest = 0; /* neighbours in the table mostly share their highest leaf */
    for (int face = 0; face < 6; face++)
        for (int row = 0; row <= STEPS; row++)
            for (int column = 0; column <= STEPS; column++)
            {
                float u[3];
                entry_direction(face, row, column, u);
                *entry++ = BASE_PICK_ISA(context, wide_height)(tree, u, &highest) + HEIGHT_ROUNDING;
            }
}

/* An upper bound of the height along u (not zero), and the point that the interpolation stands for. */
static float support_height(const float *table, const float u[3], float point[3])
{
    float size[3] = {fabsf(u[0]), fabsf(u[1]), fabsf(u[2])};
    int axis = size[0] >= size[1] ? (size[0] >= size[2] ? 0 : 2) : (size[1] >= size[2] ? 1 : 2);
    int next = axis == 2 ? 0 : axis + 1, last = axis == 0 ? 2 : axis - 1;
    float length = size[axis], half = 0.5f * STEPS / length;
    float p = u[next] * half + 0.5f * STEPS, q = u[last] * half + 0.5f * STEPS;
    int row = (int)p, column = (int)q;
    row = row < 0 ? 0 : row >= STEPS ? STEPS - 1 : row;
    column = column < 0 ? 0 : column >= STEPS ? STEPS - 1 : column;
    p -= (float)row, q -= (float)column;
    int face = 2 * axis + (u[axis] < 0.0f);
    const float *cell = table + ((size_t)face * WIDE_SUPPORT_SIDE + (size_t)row) * WIDE_SUPPORT_SIDE + column;
    float low = cell[0] + q * (cell[1] - cell[0]);
    float high = cell[WIDE_SUPPORT_SIDE] + q * (cell[WIDE_SUPPORT_SIDE + 1] - cell[WIDE_SUPPORT_SIDE]);
    float height = low + p * (high - low);
    float slope_p = 0.5f * STEPS * (high - low);
    float left = cell[0] + p * (cell[WIDE_SUPPORT_SIDE] - cell[0]);
    float right = cell[1] + p * (cell[WIDE_SUPPORT_SIDE + 1] - cell[1]);
    float slope_q = 0.5f * STEPS * (right - left);
    point[next] = slope_p, point[last] = slope_q;
    float rest = height - (u[next] * slope_p + u[last] * slope_q) / length;
    point[axis] = u[axis] < 0.0f ? -rest : rest;
    return height * length;
}

/* Searches from u; leaves the direction that separates there. */
static bool search_from(const wide_support_pair *pair, float margin, int reflections, float u[3])
{
    const float *t = pair->translation, *r = pair->rotation;
    for (int reflection = 0; reflection <= reflections; reflection++)
    {
        float length = fabsf(u[0]) + fabsf(u[1]) + fabsf(u[2]);
        if (!(length > 1e-6f) || !(length < 1e6f))
            return false;
        float w[3], point_a[3], point_b[3];
        for (int j = 0; j < 3; j++)
            w[j] = -(r[j] * u[0] + r[3 + j] * u[1] + r[6 + j] * u[2]);
        float height_a = support_height(pair->support_a, u, point_a);
        float height_b = support_height(pair->support_b, w, point_b) * pair->ratio;
        float gap = u[0] * t[0] + u[1] * t[1] + u[2] * t[2] - height_a - height_b;
        if (gap > margin * length)
            return true;
        if (!(gap > -0.35f * length)) /* as deep as this, no plane is likely */
            return false;
        float between[3], square = 0.0f, dot = 0.0f;
        for (int j = 0; j < 3; j++)
        {
            const float *row = r + 3 * j;
            between[j] =
                t[j] - point_a[j] + pair->ratio * (row[0] * point_b[0] + row[1] * point_b[1] + row[2] * point_b[2]);
            square += between[j] * between[j], dot += between[j] * u[j];
        }
        if (!(dot < 0.0f) || !(square > 1e-20f))
            return false;
        float inverse = 1.0f / length;
        for (int j = 0; j < 3; j++)
            u[j] = (u[j] - 2.0f * dot / square * between[j]) * inverse;
    }
    return false;
}

/* True if the whole meshes are certainly farther apart than `margin` (units of a). along: a direction to start with,
 * and the one that separates; in a's frame, zero: none. */
bool wide_support_apart(const wide_support_pair *pair, float margin, float along[3])
{
    const float *t = pair->translation;
    /* Rounding of the sums above: coordinates of at most 1 and ratio, and the translation. */
    float away = fabsf(t[0]) + fabsf(t[1]) + fabsf(t[2]);
    margin += 64.0f * 0x1p-24f * (2.0f + 2.0f * pair->ratio + away);
    bool known = along[0] != 0.0f || along[1] != 0.0f || along[2] != 0.0f;
    if (known && search_from(pair, margin, 0, along))
        return true;
    /* Reflections lead from the line between the centres to a plane more often than from an old plane. */
    float start[3] = {t[0], t[1], t[2]};
    if (search_from(pair, margin, MOST_REFLECTIONS, start))
    {
        memcpy(along, start, sizeof start);
        return true;
    }
    return known && search_from(pair, margin, MOST_REFLECTIONS, along);
}
