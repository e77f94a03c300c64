/* The binary layout: the canonical tree with a volume per node, any kind of volume, and its traversals. */
#ifndef TREE_BINARY_H
#define TREE_BINARY_H

#include "tree/tree.h"
#include "volume/volume.h"

/* Builds the structure and fits the volumes of a tree whose context, mesh and def are set. */
carom_status binary_create(carom_tree *tree);
/* Fits the volumes of a tree whose nodes and order are set. found: of every node what a fit would have to search for,
 * volume_found(..).count floats each; or null. */
carom_status binary_fit(carom_tree *tree, const float *found);
void binary_destroy(carom_tree *tree);

static inline float *binary_volume(const carom_tree *tree, uint32_t node)
{
    return tree->volumes + (size_t)node * volume_floats(tree->def.volume);
}

/* Fits one leaf to the mesh's triangles, as binary_create does. */
void binary_fit_leaf(const carom_tree *tree, uint32_t leaf, float *out);

/* Sums of areas and volumes over the tree, as carom_tree_info defines them. */
void binary_costs(const carom_tree *tree, double *area_cost, double *volume_cost);

carom_status binary_collide(const tree_task *task, const narrow_search *options, bool *violated);
carom_status binary_distance(const tree_task *task, narrow_closest *closest);
carom_status binary_within(const tree_task *task, double limit, bool strictly, bool *within);
carom_status binary_ray(const tree_ray_task *task, tree_ray_fn *on_hit, void *user);
carom_status binary_line_x(const tree_ray_task *task, carom_vec3 point,
                           void (*on_triangle)(uint32_t triangle, void *user), void *user);

#endif
