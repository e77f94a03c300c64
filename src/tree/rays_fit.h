/* Fitting the ray layout to positions: one sweep from the leaves up, over everything or only over what changed. */
#ifndef TREE_RAYS_FIT_H
#define TREE_RAYS_FIT_H

#include "tree/rays.h"

typedef struct ray_fit
{
    carom_context *context; /* set by ray_fit_begin */
    ray_tree *tree;
    const carom_mesh *mesh;
    float (*vertices)[4];  /* of the mesh in the tree's frame; the last is 0 */
    build_box *node_boxes; /* of the nodes that were fitted */
    uint8_t *node_changed;
    uint8_t *vertex_changed; /* null: all */
} ray_fit;

/* False: out of memory. End in any case. */
bool ray_fit_begin(carom_context *context, ray_fit *fit);
bool ray_fit_compare(carom_context *context, ray_fit *fit, const carom_mesh *old);
void ray_fit_end(carom_context *context, ray_fit *fit);

BASE_DECLARE_ISA(void, ray_fit_run, (const ray_fit *fit));

#endif
