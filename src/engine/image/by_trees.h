/* The questions that image methods leave to the default trees: distances, what is near a segment, lines. */
#ifndef ENGINE_IMAGE_BY_TREES_H
#define ENGINE_IMAGE_BY_TREES_H

#include "query/query.h"

/* For methods whose state begins with the tree_scratch that the trees use. */
carom_status image_distance_by_trees(void *state, const query_task *task, narrow_closest *closest);
carom_status image_within_by_trees(void *state, const query_task *task, double limit, bool *within);
carom_status image_near_by_trees(void *state, const query_mesh_task *task, const narrow_near *near);
carom_status image_line_by_trees(void *state, const query_mesh_task *task, carom_vec3 point,
                                 void (*on_triangle)(uint32_t triangle, void *user), void *user);

/* A query_method that searches pairs with the given function and leaves the rest to trees. */
#define IMAGE_METHOD_OF(collide_function)                                                                              \
    {                                                                                                                  \
        .collide = (collide_function), .distance = image_distance_by_trees, .within = image_within_by_trees,           \
        .near = image_near_by_trees, .line_x = image_line_by_trees, .needs_trees = true                                \
    }

#endif
