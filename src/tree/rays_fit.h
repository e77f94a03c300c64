/* Fitting the ray layout to positions: one backward sweep, over everything or only over what changed. */
#ifndef TREE_RAYS_FIT_H
#define TREE_RAYS_FIT_H

#include "tree/rays.h"

typedef struct ray_fit
{
    ray_tree *tree;
    const carom_mesh *mesh;
    float (*vertices)[4];  /* of the mesh in the tree's frame; the last is 0 */
    build_box *node_boxes; /* of the nodes that were fitted */
    uint8_t *node_changed;
    uint8_t *vertex_changed; /* null: all */
} ray_fit;

/* False: out of memory. Call the end function in either case. */
bool ray_fit_begin(carom_context *context, ray_fit *fit);
bool ray_fit_compare(carom_context *context, ray_fit *fit, const carom_mesh *old);
void ray_fit_end(carom_context *context, ray_fit *fit);

/* After begin. */
void ray_fit_run(carom_context *context, const ray_fit *fit);

/* Nodes [first, last), whose descendants are fitted, from the last on. */
BASE_DECLARE_ISA(void, ray_fit_nodes, (const ray_fit *fit, uint32_t first, uint32_t last));

#endif
