/* The table of a mesh's support heights in 6 x 17 x 17 directions; wide_apart_simd.c uses it. Heights of a small mesh
 * come from its vertices (wide_points_simd.c), of a large one from walks through its tree (wide_support_simd.c). */
#include "tree/wide_build.h"

enum
{
    STEPS = WIDE_SUPPORT_SIDE - 1,
    MAX_POINTS = 1 << 14 /* vertices of a small mesh: from here on walks are faster */
};

/* Derived in docs/exactness.md. */
static const float RADIUS_ROUNDING = 32.0f * 0x1p-24f;

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

/* Fills a block of eight entries: the closer their directions, the more of the walk they share. */
static void fill_block(carom_context *context, wide_tree *tree, const int start[3], const int shape[2],
                       uint32_t *highest)
{
    float u[3][WIDE_LANES], heights[WIDE_LANES], one[3];
    for (int i = 0; i < WIDE_LANES; i++)
    {
        entry_direction(start[0], start[1] + i / shape[1], start[2] + i % shape[1], one);
        u[0][i] = one[0], u[1][i] = one[1], u[2][i] = one[2];
    }
    BASE_PICK_ISA(context, wide_heights)(tree, u, highest, heights);
    for (int i = 0; i < WIDE_LANES; i++)
        tree->support[entry_index(start[0], start[1] + i / shape[1], start[2] + i % shape[1])] =
            heights[i] + WIDE_WALK_ROUNDING;
}

typedef struct radius_search
{
    const wide_tree *tree;
    float square[CAROM_MAX_WORKERS]; /* the largest that each worker found */
} radius_search;

static void find_farthest(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    radius_search *search = data;
    float farthest[WIDE_LEAF_TRIANGLES] = {0.0f};
    for (uint32_t i = first; i < last; i++)
    {
        const wide_leaf *leaf = &search->tree->leaves[i];
        for (int c = 0; c < 3; c++)
            for (int lane = 0; lane < WIDE_LEAF_TRIANGLES; lane++)
            {
                float x = leaf->corner[c][0][lane] + leaf->origin[0], y = leaf->corner[c][1][lane] + leaf->origin[1],
                      z = leaf->corner[c][2][lane] + leaf->origin[2], square = x * x + y * y + z * z;
                farthest[lane] = square > farthest[lane] ? square : farthest[lane];
            }
    }
    for (int lane = 0; lane < WIDE_LEAF_TRIANGLES; lane++)
        if (farthest[lane] > search->square[worker])
            search->square[worker] = farthest[lane];
}

/* The farthest corner's distance from the centre, rounded up. */
static float find_radius(carom_context *context, const wide_tree *tree)
{
    enum
    {
        LEAVES_PER_TASK = 512
    };
    radius_search search = {.tree = tree};
    base_parallel_for(context, tree->leaf_count, LEAVES_PER_TASK, find_farthest, &search);
    float square = 0.0f;
    for (uint32_t i = 0; i < base_worker_count(context); i++)
        square = search.square[i] > square ? search.square[i] : square;
    return sqrtf(square) + RADIUS_ROUNDING;
}

static void fill_face(carom_context *context, wide_tree *tree, int face)
{
    static const int block[2] = {2, 4}, row[2] = {1, 8}, column[2] = {8, 1};
    const int last = WIDE_SUPPORT_SIDE - WIDE_LANES; /* where the last block of a row or column begins */
    uint32_t highest = 0;                            /* neighbours in the table mostly share their highest leaf */
    for (int i = 0; i < STEPS; i += block[0])
        for (int k = 0; k < STEPS; k += block[1])
            fill_block(context, tree, (int[3]){face, i, k}, block, &highest);
    for (int k = 0; k <= STEPS; k += WIDE_LANES)
    {
        int at = k < last ? k : last;
        fill_block(context, tree, (int[3]){face, STEPS, at}, row, &highest);
        fill_block(context, tree, (int[3]){face, at, STEPS}, column, &highest);
    }
}

/* ---- from the vertices ---- */

/* The quarter of a face that begins at this entry. */
static void make_patch(int face, int row, int column, wide_patch *out)
{
    const int half = WIDE_SUPPORT_SIDE / 2 + 1; /* 9 and 8 entries make 17 */
    int rows = row ? WIDE_SUPPORT_SIDE - half : half, columns = column ? WIDE_SUPPORT_SIDE - half : half;
    float u[3];
    out->count = 0;
    for (int i = 0; i < rows * columns; i++, out->count++)
    {
        entry_direction(face, row + i / columns, column + i % columns, u);
        for (int k = 0; k < 3; k++)
            out->u[k][i] = u[k];
    }
    for (int corner = 0; corner < 4; corner++)
        entry_direction(face, row + (corner & 1 ? rows - 1 : 0), column + (corner & 2 ? columns - 1 : 0),
                        out->corner[corner]);
    for (int k = 0; k < 3; k++)
        out->centre[k] = 0.5f * (out->corner[0][k] + out->corner[3][k]);
    for (; out->count % (WIDE_PATCH_VECTORS * WIDE_LANES); out->count++)
        for (int k = 0; k < 3; k++)
            out->u[k][out->count] = u[k];
}

static void fill_patch(carom_context *context, wide_tree *tree, const wide_points *points, uint32_t patch_index)
{
    const int half = WIDE_SUPPORT_SIDE / 2 + 1;
    int face = (int)(patch_index / 4), row = patch_index & 1 ? half : 0, column = patch_index & 2 ? half : 0;
    int columns = column ? WIDE_SUPPORT_SIDE - half : half, rows = row ? WIDE_SUPPORT_SIDE - half : half;
    wide_patch patch;
    float heights[WIDE_PATCH_ENTRIES];
    make_patch(face, row, column, &patch);
    BASE_PICK_ISA(context, wide_patch_heights)(points, &patch, heights);
    for (int i = 0; i < rows * columns; i++)
        tree->support[entry_index(face, row + i / columns, column + i % columns)] = heights[i] + WIDE_POINT_ROUNDING;
}

static void add_point(wide_points *points, carom_vec3 y)
{
    points->x[points->count] = wide_without_dust((float)y.x);
    points->y[points->count] = wide_without_dust((float)y.y);
    points->z[points->count++] = wide_without_dust((float)y.z);
}

bool wide_points_reserve(base_arena *arena, const carom_mesh *mesh, bool wanted, wide_points *out)
{
    *out = (wide_points){0};
    if (!wanted || mesh->vertex_count > MAX_POINTS)
        return true;
    size_t n = mesh->vertex_count, room = n + WIDE_LANES;
    out->used = base_arena_allocate(arena, n, sizeof *out->used, 1);
    out->x = base_arena_allocate(arena, room, sizeof(float), BASE_CACHE_LINE);
    out->y = base_arena_allocate(arena, room, sizeof(float), BASE_CACHE_LINE);
    out->z = base_arena_allocate(arena, room, sizeof(float), BASE_CACHE_LINE);
    return out->used && out->x && out->y && out->z;
}

/* The places of the mesh's corners, each once. */
static void collect_points(const wide_tree *tree, const carom_mesh *mesh, wide_points *points)
{
    size_t n = mesh->vertex_count;
    memset(points->used, 0, n * sizeof *points->used);
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
        points->used[mesh->merged[mesh->indices[i]]] = true;
    for (size_t i = 0; i < n; i++)
        if (points->used[i])
            add_point(points, wide_normalise(tree, mesh->vertices[i]));
    while (points->count % WIDE_LANES)
        add_point(points, (carom_vec3){(double)points->x[0], (double)points->y[0], (double)points->z[0]});
}

/* ---- either way ---- */

typedef struct support_task
{
    carom_context *context;
    wide_tree *tree;
    const wide_points *points; /* or null: walk */
    uint32_t parts;            /* of the table, one item each; the last item is the radius */
} support_task;

enum
{
    FACES = 6,
    PATCHES = 24
};

static void fill_items(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const support_task *task = data;
    (void)worker;
    for (uint32_t item = first; item < last; item++)
        if (item == task->parts)
            task->tree->radius = find_radius(task->context, task->tree);
        else if (task->points)
            fill_patch(task->context, task->tree, task->points, item);
        else
            fill_face(task->context, task->tree, (int)item);
}

void wide_support_fill(carom_context *context, wide_tree *tree, const carom_mesh *mesh, wide_points *room)
{
    if (!tree->support)
        return;
    support_task task = {context, tree, NULL, FACES};
    if (room->used)
    {
        collect_points(tree, mesh, room);
        task.points = room, task.parts = PATCHES;
    }
    base_parallel_for(context, task.parts + 1, 1, fill_items, &task);
}
