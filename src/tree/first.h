/* tree/first.h: keeping the first of a ray's hits. */
#ifndef TREE_FIRST_H
#define TREE_FIRST_H

#include "tree/rays.h"

typedef struct tree_first
{
    const tree_ray_task *task;
    tree_hit *hit; /* the first so far; CAROM_NO_TRIANGLE: none */
} tree_first;

/* A tree_ray_fn; `user` is a tree_first. */
double tree_first_offer(uint32_t triangle, double t, const double uv[2], void *user);

#endif
