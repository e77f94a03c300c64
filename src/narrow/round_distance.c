/* Distance and contact points of balls and capsules: the canonical distance of the cores, and the radii along the line
 * between their nearest points. */
#include "narrow/round.h"

#include <float.h>

static carom_vec3 towards(carom_vec3 from, carom_vec3 to, double share)
{
    share = share > 0.0 ? (share < 1.0 ? share : 1.0) : 0.0;
    return vec3(from.x + share * (to.x - from.x), from.y + share * (to.y - from.y), from.z + share * (to.z - from.z));
}

/* On the line from p to q one solid reaches from p to radius_a, the other from distance - radius_b to q. */
static carom_vec3 middle_of_overlap(const narrow_distance_result *core, double radius_a, double radius_b)
{
    carom_vec3 p = core->point_a, q = core->point_b;
    if (!(core->distance > 0.0))
        return p;
    double excess = (radius_a - radius_b) / core->distance;
    return shape_compare(p, q) <= 0 ? towards(p, q, 0.5 + 0.5 * excess) : towards(q, p, 0.5 - 0.5 * excess);
}

/* Of solids that meet or not, from the distance of their cores. */
static narrow_distance_result distance_of(const narrow_distance_result *core, double radius_a, double radius_b,
                                          bool meeting)
{
    if (meeting)
    {
        carom_vec3 common = middle_of_overlap(core, radius_a, radius_b);
        return (narrow_distance_result){.point_a = common, .point_b = common};
    }
    double radius = radius_a + radius_b, distance = core->distance - radius;
    return (narrow_distance_result){distance > 0.0 ? distance : DBL_TRUE_MIN,
                                    towards(core->point_a, core->point_b, radius_a / core->distance),
                                    towards(core->point_b, core->point_a, radius_b / core->distance),
                                    core->error + 0x1p-52 * (core->distance + radius),
                                    core->corners_a,
                                    core->corners_b};
}

static narrow_distance_result point_distance(carom_vec3 p, carom_vec3 q)
{
    carom_vec3 w = vec3_sub(q, p);
    double largest = shape_largest3(fabs(w.x), fabs(w.y), fabs(w.z));
    double scale = largest < 0x1p-500 ? 0x1p600 : 1.0; /* squares that underflow are too small to matter */
    double distance = vec3_length(vec3_scale(w, scale)) / scale;
    return (narrow_distance_result){distance, p, q, 0x1p-51 * distance + 0x1p-1020, 1u, 1u};
}

static narrow_distance_result core_distance(const narrow_round *a, const narrow_round *b, narrow_counts *counts)
{
    if (round_is_ball(a) && round_is_ball(b))
        return point_distance(a->end[0], b->end[0]);
    narrow_triangle core_a = round_core(a), core_b = round_core(b);
    return narrow_distance(&core_a, &core_b, counts);
}

static narrow_distance_result core_distance_triangle(const narrow_round *a, const narrow_triangle *b,
                                                     narrow_counts *counts)
{
    narrow_triangle core = round_core(a);
    return narrow_distance(&core, b, counts);
}

carom_vec3 narrow_round_contact(const narrow_round *a, const narrow_round *b, narrow_counts *counts)
{
    narrow_distance_result core = core_distance(a, b, counts);
    return middle_of_overlap(&core, a->radius, b->radius);
}

carom_vec3 narrow_round_triangle_contact(const narrow_round *a, const narrow_triangle *b, narrow_counts *counts)
{
    narrow_distance_result core = core_distance_triangle(a, b, counts);
    return middle_of_overlap(&core, a->radius, 0.0);
}

narrow_distance_result narrow_round_distance(const narrow_round *a, const narrow_round *b, narrow_counts *counts)
{
    narrow_distance_result core = core_distance(a, b, counts);
    return distance_of(&core, a->radius, b->radius, narrow_round_meet(a, b, counts) != CAROM_MEET_NONE);
}

narrow_distance_result narrow_round_triangle_distance(const narrow_round *a, const narrow_triangle *b,
                                                      narrow_counts *counts)
{
    narrow_distance_result core = core_distance_triangle(a, b, counts);
    return distance_of(&core, a->radius, 0.0, narrow_round_triangle_meet(a, b, counts) != CAROM_MEET_NONE);
}
