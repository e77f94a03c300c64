/* Hands questions on to the default trees. */
#include "engine/image/by_trees.h"

carom_status image_distance_by_trees(void *state, const query_task *task, narrow_closest *closest)
{
    return query_tree_method.distance(state, task, closest);
}

carom_status image_within_by_trees(void *state, const query_task *task, double limit, bool *within)
{
    return query_tree_method.within(state, task, limit, within);
}

carom_status image_near_by_trees(void *state, const query_mesh_task *task, const narrow_near *near)
{
    return query_tree_method.near(state, task, near);
}

carom_status image_line_by_trees(void *state, const query_mesh_task *task, carom_vec3 point,
                                 void (*on_triangle)(uint32_t triangle, void *user), void *user)
{
    return query_tree_method.line_x(state, task, point, on_triangle, user);
}
