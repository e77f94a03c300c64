/* The structure of the tree (the thesis, 2.3.2): top-down, each list of pieces cut in halves along that eigenvector of
 * the covariance of their centres of mass (2-4) along which these are spread the farthest. */
#include "convex/nodes.h"

enum
{
    ARRANGE_FEW = 24 /* up to so many are sorted by insertion */
};

typedef struct arranging
{
    node_build *build;
    uint32_t *order;        /* pieces, node after node */
    carom_vec3 *points;     /* of the node at hand */
    uint32_t *first, *last; /* per node: its range of the order */
    base_key_value *keys;
} arranging;

/* An integer with the order of the doubles. */
static uint64_t key_of(double value)
{
    uint64_t bits;
    value += 0.0; /* no -0 */
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static bool comes_before(const base_key_value *a, const base_key_value *b)
{
    return a->key < b->key || (a->key == b->key && a->value < b->value);
}

static void sort(base_key_value *items, base_key_value *scratch, uint32_t count)
{
    if (count > ARRANGE_FEW)
    {
        base_sort_keys(items, scratch, count);
        return;
    }
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = i; k > 0 && comes_before(&items[k], &items[k - 1]); k--)
        {
            base_key_value item = items[k];
            items[k] = items[k - 1], items[k - 1] = item;
        }
}

/* The axis along which the points reach farthest. */
static carom_vec3 longest_axis(const volume_points *cloud)
{
    carom_vec3 axis[3];
    double low[3] = {0}, high[3] = {0};
    volume_principal_axes(cloud, axis);
    for (uint32_t i = 1; i < cloud->count; i++)
    {
        carom_vec3 p = vec3_sub(cloud->points[i], cloud->points[0]);
        for (int k = 0; k < 3; k++)
        {
            double along = vec3_dot(axis[k], p);
            low[k] = along < low[k] ? along : low[k], high[k] = along > high[k] ? along : high[k];
        }
    }
    double size[3] = {high[0] - low[0], high[1] - low[1], high[2] - low[2]};
    return axis[size[0] >= size[1] && size[0] >= size[2] ? 0 : size[1] >= size[2] ? 1 : 2];
}

/* Sorts the pieces of a node along the axis. */
static void order_pieces(arranging *a, uint32_t node)
{
    uint32_t *order = a->order + a->first[node], count = a->last[node] - a->first[node];
    for (uint32_t i = 0; i < count; i++)
        a->points[i] = a->build->centres[order[i]];
    volume_points cloud = {a->points, NULL, count};
    carom_vec3 axis = longest_axis(&cloud);
    for (uint32_t i = 0; i < count; i++)
        a->keys[i] = (base_key_value){key_of(vec3_dot(vec3_sub(a->points[i], a->points[0]), axis)), order[i]};
    sort(a->keys, a->keys + count, count);
    for (uint32_t i = 0; i < count; i++)
        order[i] = (uint32_t)a->keys[i].value;
}

static void set_node(arranging *a, uint32_t node, uint32_t parent)
{
    bool leaf = a->last[node] - a->first[node] == 1;
    a->build->parts[node] =
        (node_part){.node = {.parent = parent, .piece = leaf ? a->order[a->first[node]] : CONVEX_NONE}};
}

static carom_status arrange(arranging *a, node_levels *levels)
{
    uint32_t count = 1, level_end = 0;
    for (uint32_t i = 0; i < a->build->piece_count; i++)
        a->order[i] = i;
    a->first[0] = 0, a->last[0] = a->build->piece_count;
    set_node(a, 0, CONVEX_NONE);
    for (uint32_t node = 0; node < count; node++)
    {
        if (node == level_end)
        {
            if (!base_array_reserve(a->build->context, levels, 2))
                return CAROM_OUT_OF_MEMORY;
            levels->items[levels->count++] = node;
            level_end = count;
        }
        if (a->last[node] - a->first[node] == 1)
            continue;
        order_pieces(a, node);
        uint32_t middle = a->first[node] + (a->last[node] - a->first[node]) / 2;
        a->build->parts[node].node.first_child = count;
        a->first[count] = a->first[node], a->last[count] = middle;
        a->first[count + 1] = middle, a->last[count + 1] = a->last[node];
        set_node(a, count, node), set_node(a, count + 1, node);
        count += 2;
    }
    levels->items[levels->count] = count;
    return CAROM_OK;
}

carom_status nodes_arrange(node_build *build, node_levels *levels)
{
    carom_context *context = build->context;
    size_t pieces = build->piece_count, nodes = build->node_count;
    arranging a = {.build = build};
    a.order = base_allocate(context, pieces, sizeof *a.order, _Alignof(uint32_t));
    a.points = base_allocate(context, pieces, sizeof *a.points, _Alignof(carom_vec3));
    a.first = base_allocate(context, 2 * nodes, sizeof *a.first, _Alignof(uint32_t));
    a.last = a.first ? a.first + nodes : NULL;
    a.keys = base_allocate(context, 2 * pieces, sizeof *a.keys, _Alignof(base_key_value));
    carom_status status = CAROM_OUT_OF_MEMORY;
    if (a.order && a.points && a.first && a.keys)
        status = arrange(&a, levels);
    base_release(context, a.order, pieces, sizeof *a.order);
    base_release(context, a.points, pieces, sizeof *a.points);
    base_release(context, a.first, 2 * nodes, sizeof *a.first);
    base_release(context, a.keys, 2 * pieces, sizeof *a.keys);
    return status;
}
