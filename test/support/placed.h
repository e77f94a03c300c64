/* Placed meshes as the layers below the queries see them. */
#ifndef SUPPORT_PLACED_H
#define SUPPORT_PLACED_H

#include "carom/query.h"
#include "tree/tree.h"

static inline mesh_placed placed_tree(const carom_placed *placed)
{
    return (mesh_placed){placed->shape.mesh, placed->shape.tree, &placed->pose};
}

static inline narrow_triangle placed_triangle(const carom_placed *placed, uint32_t triangle)
{
    mesh_placed mesh = placed_tree(placed);
    return tree_world_triangle(&mesh, triangle);
}

/* tree may be null: the mesh's default. */
static inline carom_placed placed_mesh(const carom_mesh *mesh, const carom_tree *tree, carom_pose pose)
{
    carom_placed placed = {carom_shape_mesh(mesh), pose};
    placed.shape.tree = tree;
    return placed;
}

/* The tree's mesh for questions about pairs, which a tree for rays does not answer. */
static inline carom_shape pair_shape(const carom_tree *tree)
{
    return tree->rays ? carom_shape_mesh(tree->mesh) : carom_shape_tree(tree);
}

#endif
