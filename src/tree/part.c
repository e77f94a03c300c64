/* Where the parts are that a search left undecided, and how far apart: boxes around what the entries of its front stand
 * for. */
#include "tree/binary_view.h"
#include "tree/wide.h"

static carom_aabb box_of_triangles(const mesh_placed *placed, const uint32_t *triangles, uint32_t count)
{
    carom_aabb box = aabb_empty();
    for (uint32_t i = 0; i < count; i++)
    {
        narrow_triangle triangle = tree_world_triangle(placed, triangles[i]);
        for (int c = 0; c < 3; c++)
            box = aabb_add_point(box, triangle.corner[c]);
    }
    return box;
}

/* The volume of a node, seen from the world. The axes are floats, and rounding adds to that: a bit more than that is
 * added on all sides. */
static carom_aabb box_of_node(const mesh_placed *placed, uint32_t node)
{
    const double *r = placed->pose->rotation;
    volume_box box;
    view_box(placed->tree, node, &box);
    carom_vec3 centre = pose_apply(placed->pose, vec3_add(box.centre, placed->tree->origin));
    carom_vec3 reach = {box.radius, box.radius, box.radius};
    for (int k = 0; k < 3; k++)
    {
        carom_vec3 axis = box.axis[k];
        reach.x += fabs(r[0] * axis.x + r[1] * axis.y + r[2] * axis.z) * box.half[k];
        reach.y += fabs(r[3] * axis.x + r[4] * axis.y + r[5] * axis.z) * box.half[k];
        reach.z += fabs(r[6] * axis.x + r[7] * axis.y + r[8] * axis.z) * box.half[k];
    }
    double size = box.half[0] + box.half[1] + box.half[2] + box.radius;
    double far = fabs(centre.x) + fabs(centre.y) + fabs(centre.z) + placed->mesh->extent;
    double pad = 0x1p-16 * size + 0x1p-21 * placed->mesh->extent + 0x1p-40 * far;
    reach = vec3_add(reach, vec3(pad, pad, pad));
    return (carom_aabb){vec3_sub(centre, reach), vec3_add(centre, reach)};
}

static carom_aabb box_of_part(const mesh_placed *placed, uint32_t part, bool is_leaf)
{
    if (!is_leaf)
        return box_of_node(placed, part);
    const wide_leaf *leaf = &placed->tree->wide->leaves[part & ~WIDE_LEAF_FLAG];
    return box_of_triangles(placed, leaf->triangle, leaf->count);
}

void tree_part_boxes(const mesh_placed *a, const mesh_placed *b, const narrow_part_pair *parts, carom_aabb out[2])
{
    bool wide = a->tree->wide && b->tree->wide;
    bool leaves = wide && (parts->part_a & parts->part_b & WIDE_LEAF_FLAG);
    out[0] = box_of_part(a, parts->part_a, leaves);
    out[1] = box_of_part(b, parts->part_b, leaves);
}

/* ---- how far apart ---- */

static double gap_between(const carom_aabb *a, const carom_aabb *b)
{
    double x = fmax(0.0, fmax(a->min.x - b->max.x, b->min.x - a->max.x));
    double y = fmax(0.0, fmax(a->min.y - b->max.y, b->min.y - a->max.y));
    double z = fmax(0.0, fmax(a->min.z - b->max.z, b->min.z - a->max.z));
    return sqrt(x * x + y * y + z * z) * (1.0 - 0x1p-48);
}

/* Triangle by triangle: their own boxes are much smaller than those of leaves. */
static double gap_of_leaves(const mesh_placed *a, const mesh_placed *b, const narrow_part_pair *parts)
{
    const wide_leaf *leaf_a = &a->tree->wide->leaves[parts->part_a & ~WIDE_LEAF_FLAG];
    const wide_leaf *leaf_b = &b->tree->wide->leaves[parts->part_b & ~WIDE_LEAF_FLAG];
    double gap = INFINITY;
    for (uint32_t i = 0; i < leaf_a->count; i++)
    {
        const carom_aabb box_a = box_of_triangles(a, &leaf_a->triangle[i], 1);
        for (uint32_t k = 0; k < leaf_b->count; k++)
        {
            const carom_aabb box_b = box_of_triangles(b, &leaf_b->triangle[k], 1);
            gap = fmin(gap, gap_between(&box_a, &box_b));
        }
    }
    return gap;
}

static double gap_of_parts(const mesh_placed *a, const mesh_placed *b, const volume_frame *frame,
                           const narrow_part_pair *parts)
{
    bool wide = a->tree->wide && b->tree->wide;
    if (wide && (parts->part_a & parts->part_b & WIDE_LEAF_FLAG))
        return gap_of_leaves(a, b, parts);
    if (view_is_binary(a->tree) && view_is_binary(b->tree)) /* of any volume */
    {
        carom_aabb boxes[2];
        tree_part_boxes(a, b, parts, boxes);
        return gap_between(&boxes[0], &boxes[1]);
    }
    volume_box still, own, moved;
    view_box(a->tree, parts->part_a, &still);
    view_box(b->tree, parts->part_b, &own);
    volume_move_box(frame, &own, &moved);
    return volume_boxes_distance(frame, &still, &moved);
}

double tree_front_bound(const mesh_placed *a, const mesh_placed *b, const narrow_front *front, double known,
                        base_budget *budget)
{
    double bound = INFINITY;
    volume_frame frame;
    tree_relate(a, b, &frame);
    frame.parallel *= 4.0, frame.oblique *= 4.0; /* layouts may round their axes more than once */
    for (size_t i = 0; i < front->count && bound > known; i++)
    {
        if (!base_budget_spend(budget, VIEW_CHILDREN_MAX))
            return known;
        bound = fmin(bound, gap_of_parts(a, b, &frame, &front->items[i]));
    }
    return fmax(bound, known);
}
