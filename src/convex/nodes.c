/* Hulls, boxes and strips of the nodes: those of the pieces first, then level by level from the bottom, each from the
 * vertices of its children's hulls. */
#include "convex/nodes.h"

/* ---- boxes ---- */

/* Rows of the inverse of the matrix with these columns, which is nearly orthonormal: row_i . p is p's coordinate along
 * axis i, to within a few roundings of |p|. */
static void invert(const carom_vec3 axis[3], carom_vec3 row[3])
{
    row[0] = vec3_cross(axis[1], axis[2]), row[1] = vec3_cross(axis[2], axis[0]), row[2] = vec3_cross(axis[0], axis[1]);
    double determinant = vec3_dot(axis[0], row[0]);
    for (int i = 0; i < 3; i++)
        row[i] = vec3_scale(row[i], 1.0 / determinant);
}

void nodes_fit_box(const volume_points *cloud, volume_box *out)
{
    carom_vec3 origin = cloud->points[0], row[3];
    double low[3] = {0}, high[3] = {0}, size = 0.0;
    volume_principal_axes(cloud, out->axis);
    invert(out->axis, row);
    for (uint32_t i = 0; i < cloud->count; i++)
    {
        carom_vec3 p = vec3_sub(cloud->points[i], origin);
        for (int k = 0; k < 3; k++)
        {
            double along = vec3_dot(row[k], p);
            low[k] = along < low[k] ? along : low[k], high[k] = along > high[k] ? along : high[k];
        }
    }
    out->centre = origin, out->radius = 0.0;
    for (int k = 0; k < 3; k++)
        out->centre = vec3_add(out->centre, vec3_scale(out->axis[k], 0.5 * (low[k] + high[k])));
    /* The centre was rounded, so measure again from there; what these few roundings add is far below 2^-46. */
    double half[3] = {0};
    for (uint32_t i = 0; i < cloud->count; i++)
    {
        carom_vec3 p = vec3_sub(cloud->points[i], out->centre);
        double length = fabs(p.x) + fabs(p.y) + fabs(p.z);
        size = length > size ? length : size;
        for (int k = 0; k < 3; k++)
        {
            double along = fabs(vec3_dot(row[k], p));
            half[k] = along > half[k] ? along : half[k];
        }
    }
    const double smallest = 0x1p-1060; /* against underflow */
    for (int k = 0; k < 3; k++)
        out->half[k] = half[k] + (0x1p-46 * size + (size > 0.0 ? smallest : 0.0));
}

/* ---- hulls ---- */

typedef struct hull_scratch
{
    hull_space *space;
    BASE_ARRAY(uint64_t) numbers; /* of vertices */
    BASE_ARRAY(carom_vec3) points;
    BASE_ARRAY(uint32_t) weights; /* of the hull's vertices: the number of corners of facets there */
    strip_space strips;
} hull_scratch;

typedef struct hull_task
{
    node_build *build;
    hull_scratch *scratch; /* per worker */
    uint32_t first_node;   /* of the level */
    _Atomic(carom_status) status;
} hull_task;

enum
{
    SORT_FEW = 32 /* up to so many are sorted by insertion */
};

static bool sort_numbers(const node_build *build, hull_scratch *scratch)
{
    size_t count = scratch->numbers.count;
    if (!base_array_reserve(build->context, &scratch->numbers, count))
        return false;
    uint64_t *list = scratch->numbers.items;
    if (count > SORT_FEW)
        base_sort_u64(list, list + count, count);
    for (size_t i = 1; count <= SORT_FEW && i < count; i++)
        for (size_t k = i; k > 0 && list[k] < list[k - 1]; k--)
        {
            uint64_t number = list[k];
            list[k] = list[k - 1], list[k - 1] = number;
        }
    return true;
}

/* A box around a hull whose vertices are points of the scratch; axes from the corners of its facets (2-5, 2-6), or
 * from its vertices where it has none. */
static bool fit_box(const node_build *build, hull_scratch *scratch, const hull *h, volume_box *out)
{
    if (!base_array_reserve(build->context, &scratch->weights, scratch->points.count))
        return false;
    uint32_t *weights = scratch->weights.items;
    carom_vec3 *points = scratch->points.items;
    memset(weights, 0, scratch->points.count * sizeof *weights);
    for (size_t i = 0; i < 3 * (size_t)h->facet_count; i++)
        weights[h->facets[i]]++;
    /* The vertices ascend, so that they can be moved to the front one by one. */
    for (uint32_t i = 0; i < h->vertex_count; i++)
        points[i] = points[h->vertices[i]], weights[i] = weights[h->vertices[i]];
    nodes_fit_box(&(volume_points){points, h->facet_count > 0 ? weights : NULL, h->vertex_count}, out);
    return true;
}

/* The hull of the vertices listed in the scratch, with vertices of the mesh in place of their numbers in the list, and
 * a box around it. */
static carom_status hull_of_numbers(const node_build *build, hull_scratch *scratch, hull *out, volume_box *box)
{
    size_t count = 0;
    scratch->points.count = 0;
    if (!sort_numbers(build, scratch) || !base_array_reserve(build->context, &scratch->points, scratch->numbers.count))
        return CAROM_OUT_OF_MEMORY;
    uint64_t *list = scratch->numbers.items;
    for (size_t i = 0; i < scratch->numbers.count; i++)
        if (i == 0 || list[i] != list[i - 1])
        {
            list[count] = list[i];
            scratch->points.items[count++] = build->mesh->vertices[list[i]];
        }
    scratch->points.count = count;
    BASE_TRY(hull_build_in(scratch->space, scratch->points.items, (uint32_t)count, out));
    if (!fit_box(build, scratch, out, box))
        return CAROM_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < out->vertex_count; i++)
        out->vertices[i] = (uint32_t)list[out->vertices[i]];
    for (size_t i = 0; i < 3 * (size_t)out->facet_count; i++)
        out->facets[i] = (uint32_t)list[out->facets[i]];
    return CAROM_OK;
}

static carom_status list_piece(const node_build *build, uint32_t piece, hull_scratch *scratch)
{
    const carom_mesh *mesh = build->mesh;
    uint32_t first = build->piece_first[piece], last = build->piece_first[piece + 1];
    scratch->numbers.count = 0;
    if (!base_array_reserve(build->context, &scratch->numbers, 3 * (size_t)(last - first)))
        return CAROM_OUT_OF_MEMORY;
    for (uint32_t i = first; i < last; i++)
        for (size_t k = 0; k < 3; k++)
            scratch->numbers.items[scratch->numbers.count++] =
                mesh->merged[mesh->indices[3 * (size_t)build->triangles[i] + k]];
    return CAROM_OK;
}

static carom_status make_piece_hull(node_build *build, uint32_t piece, hull_scratch *scratch)
{
    hull *out = &build->piece_hulls[piece];
    BASE_TRY(list_piece(build, piece, scratch));
    BASE_TRY(hull_of_numbers(build, scratch, out, &build->piece_boxes[piece]));
    build->centres[piece] = hull_measure(out, build->mesh->vertices).centre;
    return CAROM_OK;
}

static carom_status join_children(node_build *build, hull_scratch *scratch, convex_node *node, hull *out)
{
    scratch->numbers.count = 0;
    for (uint32_t i = 0; i < 2; i++)
    {
        const hull *child = &build->parts[node->first_child + i].hull;
        if (!base_array_reserve(build->context, &scratch->numbers, child->vertex_count))
            return CAROM_OUT_OF_MEMORY;
        for (uint32_t k = 0; k < child->vertex_count; k++)
            scratch->numbers.items[scratch->numbers.count++] = child->vertices[k];
    }
    return hull_of_numbers(build, scratch, out, &node->box);
}

static carom_status make_node(node_build *build, uint32_t number, hull_scratch *scratch)
{
    node_part *part = &build->parts[number];
    convex_node *node = &part->node;
    if (node->first_child == 0)
    {
        part->hull = build->piece_hulls[node->piece];
        build->piece_hulls[node->piece] = (hull){0};
        node->box = build->piece_boxes[node->piece];
    }
    else
        BASE_TRY(join_children(build, scratch, node, &part->hull));
    const hull *h = &part->hull;
    node->dimension = h->dimension, node->vertex_count = h->vertex_count, node->facet_count = h->facet_count;
    strip_mesh mesh = {h->facets, h->neighbours, h->facet_count, NULL};
    if (!strips_make(build->context, &scratch->strips, &mesh, &part->strips))
        return CAROM_OUT_OF_MEMORY;
    node->strip_count = (uint32_t)part->strips.strips.count, node->index_count = (uint32_t)part->strips.index_count;
    return CAROM_OK;
}

/* ---- tasks ---- */

static bool is_going_on(hull_task *task)
{
    return atomic_load_explicit(&task->status, memory_order_relaxed) == CAROM_OK;
}

static void make_piece_hulls(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    hull_task *task = data;
    for (uint32_t piece = first; piece < last && is_going_on(task); piece++)
    {
        carom_status status = make_piece_hull(task->build, piece, &task->scratch[worker]);
        if (status != CAROM_OK)
            atomic_store(&task->status, status);
    }
}

static void make_nodes(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    hull_task *task = data;
    for (uint32_t i = first; i < last && is_going_on(task); i++)
    {
        carom_status status = make_node(task->build, task->first_node + i, &task->scratch[worker]);
        if (status != CAROM_OK)
            atomic_store(&task->status, status);
    }
}

static carom_status make_levels(hull_task *task, const node_levels *levels)
{
    node_build *build = task->build;
    for (size_t level = levels->count; level-- > 0;)
    {
        uint32_t count = levels->items[level + 1] - levels->items[level];
        carom_progress progress = {"hulls", build->mesh->name, levels->count - 1 - level, levels->count};
        BASE_TRY(base_step(build->context, &progress));
        task->first_node = levels->items[level];
        base_parallel_for(build->context, count, 1, make_nodes, task);
        BASE_TRY(atomic_load(&task->status));
    }
    return CAROM_OK;
}

static carom_status make_all(hull_task *task, node_levels *levels)
{
    node_build *build = task->build;
    for (uint32_t i = 0; i < base_worker_count(build->context); i++)
        BASE_TRY(hull_space_create(build->context, &task->scratch[i].space));
    base_parallel_for(build->context, build->piece_count, 16, make_piece_hulls, task);
    BASE_TRY(atomic_load(&task->status));
    BASE_TRY(nodes_arrange(build, levels));
    return make_levels(task, levels);
}

carom_status nodes_make(node_build *build)
{
    carom_context *context = build->context;
    size_t workers = base_worker_count(context);
    node_levels levels = {0};
    hull_task task = {.build = build};
    task.scratch = base_allocate(context, workers, sizeof *task.scratch, _Alignof(hull_scratch));
    if (!task.scratch)
        return CAROM_OUT_OF_MEMORY;
    memset(task.scratch, 0, workers * sizeof *task.scratch);
    carom_status status = make_all(&task, &levels);
    for (size_t i = 0; i < workers; i++)
    {
        hull_space_destroy(task.scratch[i].space);
        base_array_free(context, &task.scratch[i].numbers);
        base_array_free(context, &task.scratch[i].points);
        base_array_free(context, &task.scratch[i].weights);
        strips_free_space(context, &task.scratch[i].strips);
    }
    base_release(context, task.scratch, workers, sizeof *task.scratch);
    base_array_free(context, &levels);
    return status;
}

void nodes_free(node_build *build)
{
    for (uint32_t i = 0; build->piece_hulls && i < build->piece_count; i++)
        hull_free(&build->piece_hulls[i]);
    for (uint32_t i = 0; build->parts && i < build->node_count; i++)
    {
        hull_free(&build->parts[i].hull);
        strips_free(build->context, &build->parts[i].strips);
    }
}
