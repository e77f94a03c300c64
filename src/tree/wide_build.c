/* The collision layout's builder: triangles are split into a binary tree, by its own splits or by any other builder,
 * and measured; wide_collapse.c turns it into the eight-wide tree. */
#include "tree/wide_build.h"
#include "tree/build.h"

/* ---- principal axes: Jacobi rotations on a symmetric 3 x 3 matrix ---- */

static void rotate_pair(double m[3][3], double v[3][3], int p, int q)
{
    if (m[p][q] == 0.0)
        return;
    double theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
    double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    int r = 3 - p - q;
    double mpq = m[p][q], mrp = m[r][p], mrq = m[r][q];
    m[p][p] -= t * mpq, m[q][q] += t * mpq;
    m[p][q] = m[q][p] = 0.0;
    m[r][p] = m[p][r] = c * mrp - s * mrq;
    m[r][q] = m[q][r] = s * mrp + c * mrq;
    for (int k = 0; k < 3; k++)
    {
        double vp = v[p][k], vq = v[q][k];
        v[p][k] = c * vp - s * vq, v[q][k] = s * vp + c * vq;
    }
}

void wide_principal_axes(const double covariance[6], float axis[3][3])
{
    double m[3][3] = {{covariance[0], covariance[1], covariance[2]},
                      {covariance[1], covariance[3], covariance[4]},
                      {covariance[2], covariance[4], covariance[5]}};
    double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double trace = fabs(m[0][0]) + fabs(m[1][1]) + fabs(m[2][2]);
    if (!(trace + fabs(m[0][1]) + fabs(m[0][2]) + fabs(m[1][2]) < INFINITY)) /* no surface: any axes will do */
        memset(m, 0, sizeof m), trace = 0.0;
    for (int sweep = 0; sweep < 8; sweep++)
    {
        if (fabs(m[0][1]) + fabs(m[0][2]) + fabs(m[1][2]) <= 1e-3 * trace) /* axes need not be better than this */
            break;
        rotate_pair(m, v, 0, 1), rotate_pair(m, v, 0, 2), rotate_pair(m, v, 1, 2);
    }
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2 - i; j++)
            if (m[order[j]][order[j]] < m[order[j + 1]][order[j + 1]])
            {
                int swap = order[j];
                order[j] = order[j + 1], order[j + 1] = swap;
            }
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++)
            axis[k][j] = (float)v[order[k]][j];
}

/* ---- input ---- */

static inline float lesser(float a, float b) { return a < b ? a : b; }
static inline float greater(float a, float b) { return a > b ? a : b; }

/* y = (x - centre) * scale fits into the unit cube; scale is a power of two. */
void wide_choose_frame(wide_tree *tree, const carom_mesh *mesh)
{
    carom_aabb bounds = mesh->info.bounds;
    tree->centre = vec3_scale(vec3_add(bounds.min, bounds.max), 0.5);
    carom_vec3 reach = vec3_max(vec3_sub(bounds.max, tree->centre), vec3_sub(tree->centre, bounds.min));
    double largest = fmax(reach.x, fmax(reach.y, reach.z));
    largest = fmax(largest, 0x1p-40 * mesh->extent); /* a single point far from its origin has no size */
    int exponent = 0;
    if (largest > 0.0)
        frexp(largest, &exponent);
    exponent = exponent < -400 ? -400 : exponent;
    tree->scale = ldexp(1.0, -exponent);
}

/* Does the mesh still fit into the tree's frame, and fill a fair part of it? */
bool wide_frame_holds(const wide_tree *tree, const carom_mesh *mesh)
{
    wide_tree fresh = {0};
    wide_choose_frame(&fresh, mesh);
    carom_vec3 low = wide_normalise(tree, mesh->info.bounds.min), high = wide_normalise(tree, mesh->info.bounds.max);
    double farthest = fmax(fmax(fmax(-low.x, -low.y), fmax(-low.z, high.x)), fmax(high.y, high.z));
    return farthest <= 1.0 && fresh.scale <= 4.0 * tree->scale;
}

/* Corners and records. */
static void load_triangles(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const wide_pass *pass = data;
    const wide_build *build = pass->build;
    (void)worker;
    for (uint32_t i = first; i < last; i++)
    {
        float *v = build->corners + 9 * (size_t)i, *box = build->boxes[i].lane;
        for (int c = 0; c < 3; c++)
        {
            uint32_t vertex = pass->mesh->indices[3 * (size_t)i + c];
            carom_vec3 y = wide_normalise(pass->frame, pass->mesh->vertices[vertex]);
            v[3 * c] = (float)y.x, v[3 * c + 1] = (float)y.y, v[3 * c + 2] = (float)y.z;
        }
        box[7] = 0.0f;
        for (int k = 0; k < 3; k++)
        {
            box[k] = lesser(v[k], lesser(v[3 + k], v[6 + k]));
            box[4 + k] = -greater(v[k], greater(v[3 + k], v[6 + k]));
        }
        split_box_set_id(&build->boxes[i], i);
    }
}

static uint32_t split_children(const void *nodes, uint32_t node, uint32_t *count)
{
    const split_node *at = (const split_node *)nodes + node;
    *count = at->left ? 2 : 0;
    return at->left;
}

typedef struct structure_pass
{
    split_node *nodes;
    const build_tree *from;
} structure_pass;

static void take_nodes(uint32_t first, uint32_t last, void *data)
{
    const structure_pass *pass = data;
    for (uint32_t i = last; i-- > first;)
    {
        tree_node from = pass->from->nodes[i];
        split_node *node = &pass->nodes[i];
        *node = (split_node){.first = from.first, .count = from.count};
        if (from.count == 0)
        {
            const split_node *left = &pass->nodes[from.first], *right = left + 1;
            node->left = from.first;
            node->first = left->first < right->first ? left->first : right->first;
            node->count = left->count + right->count;
        }
        node->area = pass->from->areas[i];
    }
}

/* Order, sorted corners, and all that is kept per node, with 0.8 nodes per triangle, as there mostly are. */
enum
{
    BYTES_PER_TRIANGLE = 168
};

/* Any other builder's tree, with ranges and areas for its inner nodes. */
static carom_status take_structure(wide_build *build, base_arena *arena, const carom_mesh *mesh,
                                   const carom_tree_def *def)
{
    carom_tree_def chosen = *def;
    chosen.leaf_size = WIDE_LEAF_TRIANGLES;
    build_result result;
    if (!build_reserve(arena, mesh, BYTES_PER_TRIANGLE))
        return CAROM_OUT_OF_MEMORY;
    BASE_TRY(build_with_areas(arena, mesh, &chosen, 1, &result));
    uint32_t count = result.tree.node_count;
    build->count = result.reference_count;
    build->node_count = count;
    build->nodes = base_arena_allocate(arena, count, sizeof(split_node), BASE_CACHE_LINE);
    build->order = base_arena_allocate(arena, build->count, sizeof(uint32_t), BASE_CACHE_LINE);
    bool have = build->nodes && build->order;
    if (have)
        memcpy(build->order, result.order, build->count * sizeof(uint32_t));
    structure_pass pass = {build->nodes, &result.tree};
    tree_subtrees_cut(result.tree.nodes, count, build_children, &build->parts);
    if (have)
        tree_subtrees_climb(build->context, &build->parts, take_nodes, &pass);
    build_result_free(build->context, &result);
    return have ? CAROM_OK : CAROM_OUT_OF_MEMORY;
}

/* The layout's own splits, which also try principal axes. */
static carom_status split_tightly(wide_build *build, base_arena *arena, const carom_mesh *mesh, const wide_tree *frame)
{
    size_t n = build->count;
    build->corners = base_arena_allocate(arena, 9 * n, sizeof(float), BASE_CACHE_LINE);
    build->boxes = base_arena_allocate(arena, n, sizeof(split_box), BASE_CACHE_LINE);
    build->order = base_arena_allocate(arena, n, sizeof(uint32_t), BASE_CACHE_LINE);
    if (!build->corners || !build->boxes || !build->order)
        return CAROM_OUT_OF_MEMORY;
    wide_pass pass = {build, mesh, frame};
    base_parallel_for(build->context, build->count, WIDE_TRIANGLES_PER_TASK, load_triangles, &pass);
    BASE_TRY(wide_split(build, arena));
    tree_subtrees_cut(build->nodes, build->node_count, split_children, &build->parts);
    return CAROM_OK;
}

bool wide_reserve_sorted(wide_build *build, base_arena *arena, size_t triangle_count)
{
    enum
    {
        MORE = 16 /* floats */
    };
    for (int k = 0; k < 3; k++)
    {
        float *corners = base_arena_allocate(arena, 3 * triangle_count + MORE, sizeof(float), BASE_CACHE_LINE);
        if (!corners)
            return false;
        memset(corners + 3 * triangle_count, 0, MORE * sizeof(float));
        build->sorted[k] = corners;
    }
    return true;
}

static void store_sorted(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const wide_pass *pass = data;
    const wide_build *build = pass->build;
    (void)worker;
    for (uint32_t i = first; i < last; i++)
        for (size_t c = 0; c < 3; c++)
        {
            uint32_t vertex = pass->mesh->indices[3 * (size_t)build->order[i] + c];
            carom_vec3 y = wide_normalise(pass->frame, pass->mesh->vertices[vertex]);
            size_t at = 3 * (size_t)i + c;
            build->sorted[0][at] = (float)y.x, build->sorted[1][at] = (float)y.y, build->sorted[2][at] = (float)y.z;
        }
}

void wide_add_moments(const split_moments *a, const split_moments *b, split_moments *out)
{
    out->weight = a->weight + b->weight;
    for (int k = 0; k < 3; k++)
        out->sum[k] = a->sum[k] + b->sum[k];
    for (int k = 0; k < 6; k++)
        out->square[k] = a->square[k] + b->square[k];
}

void wide_subtract_moments(const split_moments *a, const split_moments *b, split_moments *out)
{
    out->weight = a->weight - b->weight;
    for (int k = 0; k < 3; k++)
        out->sum[k] = a->sum[k] - b->sum[k];
    for (int k = 0; k < 6; k++)
        out->square[k] = a->square[k] - b->square[k];
}

static void leaf_moments(const wide_build *build, split_node *node, split_moments *own)
{
    uint32_t last = node->first + node->count;
    node->smallest_triangle = build->order[node->first];
    for (uint32_t i = node->first + 1; i < last; i++)
        if (build->order[i] < node->smallest_triangle)
            node->smallest_triangle = build->order[i];
    for (uint32_t i = node->first; i < last; i += WIDE_LEAF_TRIANGLES)
    {
        split_moments more;
        uint32_t count = last - i < WIDE_LEAF_TRIANGLES ? last - i : WIDE_LEAF_TRIANGLES;
        BASE_PICK_ISA(build->context, wide_few_moments)(build, i, count, &more);
        if (i == node->first)
            *own = more;
        else
            wide_add_moments(own, &more, own);
    }
}

static void find_moments(uint32_t first, uint32_t last, void *data)
{
    const wide_build *build = data;
    for (uint32_t i = last; i-- > first;)
    {
        split_node *node = &build->nodes[i];
        if (node->left == 0)
        {
            leaf_moments(build, node, &build->moments[i]);
            continue;
        }
        const split_node *left = &build->nodes[node->left], *right = left + 1;
        bool left_smaller = left->smallest_triangle < right->smallest_triangle;
        node->smallest_triangle = left_smaller ? left->smallest_triangle : right->smallest_triangle;
        wide_add_moments(&build->moments[node->left], &build->moments[node->left + 1], &build->moments[i]);
    }
}

/* The dynamic programme weighs nodes by their oriented boxes; a triangle's has the area of its rectangle. */
static void measure_oriented(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const wide_build *build = ((const wide_pass *)data)->build;
    (void)worker;
    for (uint32_t i = first; i < last; i++)
    {
        wide_box box;
        if (build->nodes[i].count == 1)
        {
            build->nodes[i].area = (float)(0.25 * build->moments[i].weight);
            continue;
        }
        BASE_PICK_ISA(build->context, wide_fit)(build, &build->nodes[i], &build->moments[i], &box);
        build->nodes[i].area = wide_box_area(&box);
    }
}

static carom_status begin_step(const wide_build *build, const carom_mesh *mesh, uint64_t done)
{
    enum
    {
        STEPS = 3
    };
    return base_step(build->context, &(carom_progress){"tree", mesh->name, done, STEPS});
}

static carom_status build_into(wide_build *build, base_arena *arena, const carom_mesh *mesh, const carom_tree_def *def,
                               wide_tree **out)
{
    wide_tree frame = {0};
    BASE_TRY(begin_step(build, mesh, 0));
    wide_choose_frame(&frame, mesh);
    bool own = build->principal_splits && def->builder == CAROM_BUILDER_SAH;
    BASE_TRY(own ? split_tightly(build, arena, mesh, &frame) : take_structure(build, arena, mesh, def));
    BASE_TRY(begin_step(build, mesh, 1));
    build->moments = base_arena_allocate(arena, build->node_count, sizeof(split_moments), BASE_CACHE_LINE);
    if (!build->moments || !wide_reserve_sorted(build, arena, build->count))
        return CAROM_OUT_OF_MEMORY;
    wide_pass pass = {build, mesh, &frame};
    base_parallel_for(build->context, build->count, WIDE_TRIANGLES_PER_TASK, store_sorted, &pass);
    tree_subtrees_climb(build->context, &build->parts, find_moments, build);
    if (build->oriented_area)
        base_parallel_for(build->context, build->node_count, WIDE_NODES_PER_TASK, measure_oriented, &pass);
    BASE_TRY(begin_step(build, mesh, 2));
    return wide_collapse(build, arena, mesh, &frame, out);
}

carom_status wide_tree_create(carom_context *context, const carom_mesh *mesh, const carom_tree_def *def,
                              wide_tree **out)
{
    if (mesh->triangle_count == 0)
    {
        *out = wide_tree_allocate(context, 0, 0, false);
        return *out ? CAROM_OK : base_fail(context, CAROM_OUT_OF_MEMORY, "tree: out of memory");
    }
    bool tight = def->obb_fit == CAROM_OBB_TIGHT;
    wide_build build = {.context = context,
                        .count = mesh->triangle_count,
                        .split_above = tight ? 2 : WIDE_LEAF_TRIANGLES,
                        .principal_splits = tight,
                        .oriented_area = tight,
                        .search_rotation = tight};
    base_arena arena = {.context = context};
    carom_status status = build_into(&build, &arena, mesh, def, out);
    base_arena_free(&arena);
    return status != CAROM_OUT_OF_MEMORY
               ? status
               : base_fail(context, status, "tree over %u triangles: out of memory", build.count);
}
