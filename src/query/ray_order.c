/* The order of hits and max_t, by the exact t: the rounded ones decide where they differ enough. */
#include "query/query.h"

static exact_ray_at place_of(const narrow_ray *ray, const query_hit *hit, narrow_counts *counts)
{
    if (!query_is_mesh(hit->placed))
    {
        narrow_round round = query_placed_round(hit->placed);
        return narrow_round_ray_at(ray, &round, counts);
    }
    mesh_placed mesh = query_placed_mesh(hit->placed, NULL);
    narrow_triangle triangle = tree_world_triangle(&mesh, hit->triangle);
    return narrow_ray_at(ray, &triangle, counts);
}

int query_compare_hits(const carom_ray *ray, const query_hit *a, const query_hit *b, uint64_t *fallbacks)
{
    if (BASE_LIKELY(b->t > narrow_ray_beyond(a->t)))
        return -1;
    if (BASE_LIKELY(a->t > narrow_ray_beyond(b->t)))
        return 1;
    if (a->placed == b->placed && a->triangle == b->triangle)
        return 0;
    narrow_counts counts = {0};
    narrow_ray line = {ray->origin, ray->direction};
    exact_ray_at at_a = place_of(&line, a, &counts), at_b = place_of(&line, b, &counts);
    int order = narrow_ray_compare(&line, &at_a, &at_b, &counts);
    *fallbacks += counts.exact_fallbacks;
    return order;
}

bool query_hit_within(const carom_ray *ray, const query_hit *hit, uint64_t *fallbacks)
{
    if (narrow_ray_beyond(hit->t) <= ray->max_t)
        return true;
    if (hit->t > narrow_ray_beyond(ray->max_t))
        return false;
    narrow_counts counts = {0};
    narrow_ray line = {ray->origin, ray->direction};
    exact_ray_at at = place_of(&line, hit, &counts);
    int order = exact_ray_compare_t(line.direction, line.origin, &at, ray->max_t, &counts.exact_fallbacks);
    *fallbacks += counts.exact_fallbacks;
    return order <= 0;
}

static double rounded_t(const base_key_value *item)
{
    double t;
    memcpy(&t, &item->key, sizeof t);
    return t;
}

void query_sort_hits(base_key_value *order, base_key_value *scratch, size_t count, base_before_fn *before, void *user)
{
    base_sort_keys(order, scratch, count);
    /* Where neighbours differ enough, everything before is smaller than everything after. */
    for (size_t first = 0, last; first < count; first = last)
    {
        for (last = first + 1; last < count; last++)
            if (rounded_t(&order[last]) > narrow_ray_beyond(rounded_t(&order[last - 1])))
                break;
        if (last - first > 1)
            base_sort_by(order + first, scratch, last - first, before, user);
    }
}
