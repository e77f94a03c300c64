/* A tree cut into the largest subtrees that fit a size, so that a broad phase can enter a large body below its root
 * (grid paper: large static objects become the subtrees that fit a cell). */
#include "tree/binary_view.h"

typedef BASE_ARRAY(uint32_t) node_stack;

static bool push(carom_context *context, node_stack *stack, uint32_t node)
{
    if (!base_array_reserve(context, stack, 1))
        return false;
    stack->items[stack->count++] = node;
    return true;
}

/* The longest side of an axis-aligned box around the node's volume, near enough to choose by. */
static double longest_side(const carom_tree *tree, uint32_t node)
{
    volume_box box;
    view_box(tree, node, &box);
    carom_vec3 reach = {box.radius, box.radius, box.radius};
    for (int k = 0; k < 3; k++)
        reach = vec3_add(reach,
                         vec3_scale(vec3(fabs(box.axis[k].x), fabs(box.axis[k].y), fabs(box.axis[k].z)), box.half[k]));
    return 2.0 * fmax(reach.x, fmax(reach.y, reach.z));
}

static carom_aabb add_triangles(const carom_tree *tree, const uint32_t *triangles, uint32_t count, carom_aabb box)
{
    for (uint32_t i = 0; i < count; i++)
    {
        carom_vec3 corner[3];
        mesh_corners(tree->mesh, triangles[i], corner);
        for (int c = 0; c < 3; c++)
            box = aabb_add_point(box, corner[c]);
    }
    return box;
}

/* The exact box of the triangles below a node. `stack` is used above what it holds. False: out of memory. */
static bool measure_box(const carom_tree *tree, uint32_t node, node_stack *stack, carom_aabb *out)
{
    size_t bottom = stack->count;
    *out = aabb_empty();
    if (!push(tree->context, stack, node))
        return false;
    while (stack->count > bottom)
    {
        uint32_t below = stack->items[--stack->count], count, child[VIEW_CHILDREN_MAX];
        const uint32_t *triangles = view_triangles(tree, below, &count);
        if (triangles)
            *out = add_triangles(tree, triangles, count, *out);
        for (uint32_t i = triangles ? 0 : view_children(tree, below, child); i-- > 0;)
            if (!push(tree->context, stack, child[i]))
                return false;
    }
    return true;
}

static bool cut(const carom_tree *tree, double size, node_stack *stack, tree_parts *out)
{
    bool enough = push(tree->context, stack, VIEW_ROOT);
    while (enough && stack->count > 0)
    {
        uint32_t node = stack->items[--stack->count], count, child[VIEW_CHILDREN_MAX];
        if (!view_triangles(tree, node, &count) && longest_side(tree, node) > size)
        {
            for (uint32_t i = view_children(tree, node, child); i-- > 0 && enough;)
                enough = push(tree->context, stack, child[i]);
            continue;
        }
        enough = base_array_reserve(tree->context, out, 1);
        if (enough)
        {
            tree_part *part = &out->items[out->count++];
            part->part = node;
            enough = measure_box(tree, node, stack, &part->box);
        }
    }
    return enough;
}

carom_status tree_cut(const carom_tree *tree, double size, tree_parts *out)
{
    node_stack stack = {0};
    out->count = 0;
    bool enough = view_is_empty(tree) || cut(tree, size, &stack, out);
    base_array_free(tree->context, &stack);
    return enough ? CAROM_OK
                  : base_fail(tree->context, CAROM_OUT_OF_MEMORY, "tree cut of %u triangles: out of memory",
                              tree->mesh->triangle_count);
}

void tree_part_box(const carom_tree *tree, uint32_t part, carom_vec3 *centre, carom_vec3 half[3])
{
    volume_box box;
    view_box(tree, part, &box);
    *centre = vec3_add(box.centre, tree->origin);
    for (int k = 0; k < 3; k++)
        half[k] = vec3_scale(box.axis[k], box.half[k] + box.radius);
}
