/* The first hit of a ray: the smallest exact t, then the smallest id. Rounded parameters decide where they differ
 * enough. */
#include "tree/first.h"

static exact_ray_at place_of(const tree_first *first, const narrow_ray *line, uint32_t triangle, narrow_counts *counts)
{
    narrow_triangle corners = tree_world_triangle(first->task->placed, triangle);
    return narrow_ray_at(line, &corners, counts);
}

static BASE_NEVER_INLINE bool is_within(const tree_first *first, const tree_hit *hit)
{
    const carom_ray *ray = first->task->ray;
    if (hit->t > narrow_ray_beyond(ray->max_t))
        return false;
    narrow_counts counts = {0};
    narrow_ray line = {ray->origin, ray->direction};
    exact_ray_at at = place_of(first, &line, hit->triangle, &counts);
    int order = exact_ray_compare_t(line.direction, line.origin, &at, ray->max_t, &counts.exact_fallbacks);
    first->task->counters->exact_fallbacks += counts.exact_fallbacks;
    return order <= 0;
}

/* Of hits whose rounded parameters are too close. */
static BASE_NEVER_INLINE bool comes_first(const tree_first *first, const tree_hit *a, const tree_hit *b)
{
    if (a->triangle == b->triangle)
        return false;
    const carom_ray *ray = first->task->ray;
    narrow_counts counts = {0};
    narrow_ray line = {ray->origin, ray->direction};
    exact_ray_at at_a = place_of(first, &line, a->triangle, &counts);
    exact_ray_at at_b = place_of(first, &line, b->triangle, &counts);
    int order = narrow_ray_compare(&line, &at_a, &at_b, &counts);
    first->task->counters->exact_fallbacks += counts.exact_fallbacks;
    return order < 0 || (order == 0 && a->triangle < b->triangle);
}

double tree_first_offer(uint32_t triangle, double t, const double uv[2], void *user)
{
    const tree_first *first = user;
    tree_hit *nearest = first->hit, hit = {t + 0.0, triangle, uv[0] + 0.0, uv[1] + 0.0};
    double max_t = first->task->ray->max_t;
    bool none = nearest->triangle == CAROM_NO_TRIANGLE;
    if (!(narrow_ray_beyond(hit.t) <= max_t) && !is_within(first, &hit))
        return narrow_ray_beyond(none ? max_t : nearest->t);
    if (none || nearest->t > narrow_ray_beyond(hit.t) ||
        (!(hit.t > narrow_ray_beyond(nearest->t)) && comes_first(first, &hit, nearest)))
        *nearest = hit;
    return narrow_ray_beyond(nearest->t);
}

carom_status tree_ray_first_any(const tree_ray_task *task, tree_hit *hit)
{
    return tree_ray(task, tree_first_offer, &(tree_first){task, hit});
}
