/* The closest of many pairs of elements, by exact comparison, and how most pairs are spared it.
 *
 * The closest pair so far is known as well as was needed: its estimate in double at first. Once another pair is as near
 * as far as estimates can tell, the features of the closest pair are made certain, and with them its slab: the space
 * between two parallel planes that touch its elements. Whatever the slab keeps apart is not nearer, which holds for the
 * triangles around the nearest corners and edges and for all that lie in parallel planes. Their corners are points of
 * the features, for which nothing is computed, or behind the planes by more than an error bound. */
#include "narrow/screen.h"

static bool has_smaller_ids(carom_pair ids, const narrow_closest *closest)
{
    return ids.triangle_a != closest->triangle_a ? ids.triangle_a < closest->triangle_a
                                                 : ids.triangle_b < closest->triangle_b;
}

static bool has_pair(const narrow_closest *closest) { return closest->triangle_a != CAROM_NO_TRIANGLE; }

/* Cannot change what is known, because other elements meet. */
static bool is_settled(const narrow_closest *closest, carom_pair ids)
{
    return closest->distance == 0.0 && !has_smaller_ids(ids, closest);
}

/* What may be nearer is at most this far away. */
static double limit_of(const narrow_closest *closest)
{
    return has_pair(closest) ? closest->gap.high : closest->distance;
}

static bool is_farther(const narrow_closest *closest, const narrow_distance_result *near)
{
    return near->distance - near->error > limit_of(closest);
}

/* ---- the slab ---- */

typedef enum placement
{
    IN_FRONT, /* of a plane of the slab: between the two or farther */
    DOUBTFUL,
    BEHIND, /* or on the plane */
    STRICTLY_BEHIND
} placement;

enum
{
    SLAB_WORTH = 4, /* failures that one success makes up for */
    SLAB_MAX = 64
};

static void find_slab(narrow_closest *closest, narrow_counts *counts)
{
    gap_make_certain(&closest->gap, counts);
    if (closest->slab.known || !closest->gap.found)
        return;
    closest->slab.known = true;
    closest->slab.used = false;
    closest->slab.usefulness = SLAB_MAX;
}

static inline carom_vec3 first_feature(const narrow_gap *gap, int side)
{
    return gap->points[side][gap->corners[side] & 1u ? 0 : gap->corners[side] & 2u ? 1 : 2];
}

#define SLAB_ERROR (5.25 * 0x1p-53) /* of the sum of magnitudes */

/* The filter; docs/exactness.md derives its bound. */
static inline placement place_point(const exact_way *way, int side, carom_vec3 origin, carom_vec3 point)
{
    carom_vec3 r = vec3_sub(point, origin);
    double x = way->direction.x * r.x, y = way->direction.y * r.y, z = way->direction.z * r.z;
    double height = side == 0 ? (x + y) + z : -((x + y) + z), size = (fabs(x) + fabs(y)) + fabs(z);
    double bound = SLAB_ERROR * size + way->doubt * ((fabs(r.x) + fabs(r.y)) + fabs(r.z)) + 0x1p-1000;
    if (height < -bound)
        return STRICTLY_BEHIND;
    if (height > bound)
        return IN_FRONT;
    return DOUBTFUL;
}

/* Is a corner on the plane because it differs from a point of the feature only along axes that the way is at right
 * angles to? */
static bool is_level(const narrow_gap *gap, int side, carom_vec3 point)
{
    for (int i = 0; i < 3; i++)
    {
        carom_vec3 r = vec3_sub(point, gap->points[side][i]);
        unsigned moves = (unsigned)(r.x != 0.0) | (unsigned)(r.y != 0.0) << 1 | (unsigned)(r.z != 0.0) << 2;
        if (gap->corners[side] >> i & 1 && (moves & gap->way.axes) == 0)
            return true;
    }
    return false;
}

/* A triangle is where its foremost corner is. */
static placement place_triangle(const narrow_gap *gap, int side, const narrow_triangle *triangle)
{
    carom_vec3 origin = first_feature(gap, side);
    placement foremost = STRICTLY_BEHIND;
    for (int i = 0; i < 3 && foremost != IN_FRONT; i++)
    {
        placement corner = place_point(&gap->way, side, origin, triangle->corner[i]);
        if (corner == DOUBTFUL && is_level(gap, side, triangle->corner[i]))
            corner = BEHIND;
        foremost = corner < foremost ? corner : foremost;
    }
    return foremost;
}

/* In twice the precision, then by integers. */
static placement place_closely(const narrow_gap *gap, int side, const narrow_triangle *triangle, narrow_counts *counts)
{
    carom_vec3 origin = first_feature(gap, side);
    exact_gap exact = gap_exact(gap);
    placement foremost = STRICTLY_BEHIND;
    for (int i = 0; i < 3 && foremost != IN_FRONT; i++)
    {
        carom_vec3 corner = triangle->corner[i];
        bool known = is_level(gap, side, corner);
        int sign = known ? 0 : exact_way_side(&gap->way, origin, corner);
        sign = sign != 2 && side == 1 ? -sign : sign;
        if (sign == 2)
            sign = exact_gap_side(&exact, side == 1, corner, &counts->exact_fallbacks);
        placement where = sign > 0 ? IN_FRONT : sign < 0 ? STRICTLY_BEHIND : BEHIND;
        foremost = where < foremost ? where : foremost;
    }
    return foremost;
}

/* For a triangle that is too close to call; what was found is kept, as it will be asked with many partners. */
static BASE_NEVER_INLINE placement place_doubtful(narrow_closest *closest, int side, const narrow_triangle *triangle,
                                                  uint32_t id, narrow_counts *counts)
{
    narrow_slab *slab = &closest->slab;
    if (!slab->used)
        memset(slab->known_ids, 0xff, sizeof slab->known_ids);
    slab->used = true;
    uint32_t slot = id % NARROW_SLAB_IDS;
    if (slab->known_ids[side][slot] != id)
    {
        slab->known_ids[side][slot] = id;
        slab->placements[side][slot] = (uint8_t)place_closely(&closest->gap, side, triangle, counts);
    }
    return (placement)slab->placements[side][slot];
}

/* Where two triangles are, or one triangle and the ball or capsule that all pairs have in common (b is null). */
static placement place_pair(narrow_closest *closest, const narrow_triangle *a, const narrow_triangle *b, carom_pair ids,
                            narrow_counts *counts)
{
    placement of_a = place_triangle(&closest->gap, 0, a);
    if (of_a == IN_FRONT)
        return IN_FRONT;
    placement of_b = b ? place_triangle(&closest->gap, 1, b) : BEHIND;
    if (of_b == IN_FRONT)
        return IN_FRONT;
    if (of_a == DOUBTFUL)
        of_a = place_doubtful(closest, 0, a, ids.triangle_a, counts);
    if (of_b == DOUBTFUL && of_a != IN_FRONT)
        of_b = place_doubtful(closest, 1, b, ids.triangle_b, counts);
    if (of_a == IN_FRONT || of_b == IN_FRONT)
        return IN_FRONT;
    return of_a == STRICTLY_BEHIND || of_b == STRICTLY_BEHIND ? STRICTLY_BEHIND : BEHIND;
}

/* Which corners of a triangle are the points of the feature? 0 if one is missing. */
static unsigned find_feature(const narrow_gap *gap, int side, const narrow_triangle *triangle)
{
    unsigned corners = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; gap->corners[side] >> i & 1 && k <= 3; k++)
        {
            if (k == 3)
                return 0;
            if (vec3_equal(gap->points[side][i], triangle->corner[k]))
            {
                corners |= 1u << k;
                break;
            }
        }
    return corners;
}

/* A pair behind the slab with the nearest features among its own is as near, so everything is known about it. */
static bool take_over(narrow_closest *closest, const narrow_triangle *a, const narrow_triangle *b, carom_pair ids,
                      narrow_counts *counts)
{
    narrow_gap *gap = &closest->gap;
    unsigned of_a = find_feature(gap, 0, a), of_b = find_feature(gap, 1, b);
    if (of_a == 0 || of_b == 0)
        return false;
    narrow_distance_result near = narrow_distance(a, b, counts);
    memcpy(gap->points[0], a->corner, sizeof gap->points[0]);
    memcpy(gap->points[1], b->corner, sizeof gap->points[1]);
    gap->corners[0] = of_a, gap->corners[1] = of_b;
    closest->point_a = near.point_a, closest->point_b = near.point_b;
    closest->triangle_a = ids.triangle_a, closest->triangle_b = ids.triangle_b;
    return true;
}

static bool settles(narrow_closest *closest, const narrow_triangle *a, const narrow_triangle *b, carom_pair ids,
                    narrow_counts *counts)
{
    placement where = place_pair(closest, a, b, ids, counts);
    if (where == STRICTLY_BEHIND)
        return true;
    if (where != BEHIND)
        return false;
    return !has_smaller_ids(ids, closest) || (b && take_over(closest, a, b, ids, counts));
}

static bool may_use_slab(const narrow_closest *closest) { return closest->slab.known && closest->slab.usefulness > 0; }

/* True if the slab settles the matter. Where it rarely does, as among triangles that are parallel but for rounding, it
 * is not asked any more. */
static bool ask_slab(narrow_closest *closest, const narrow_triangle *a, const narrow_triangle *b, carom_pair ids,
                     narrow_counts *counts)
{
    int *usefulness = &closest->slab.usefulness;
    bool settled = settles(closest, a, b, ids, counts);
    *usefulness += settled ? SLAB_WORTH : -1;
    *usefulness = *usefulness > SLAB_MAX ? SLAB_MAX : *usefulness;
    return settled;
}

/* ---- candidates ---- */

static void replace(narrow_closest *closest, const narrow_distance_result *near, carom_pair ids, const narrow_gap *gap)
{
    closest->distance = gap->high;
    closest->point_a = near->point_a, closest->point_b = near->point_b;
    closest->triangle_a = ids.triangle_a, closest->triangle_b = ids.triangle_b;
    closest->gap = *gap;
    closest->slab.known = false;
    screen_outdate(&closest->screen);
}

/* The elements behind a gap: two triangles, or one and a ball or capsule (b is null), or neither. */
typedef struct candidate
{
    const narrow_triangle *a, *b;
    carom_pair ids;
    narrow_distance_result near;
} candidate;

/* Is it certainly not nearer, now that the closest pair is known as well as twice the precision allows? */
static bool is_ruled_out(narrow_closest *closest, const candidate *x, narrow_gap *gap, narrow_counts *counts)
{
    bool new_slab = !closest->slab.known;
    find_slab(closest, counts);
    closest->distance = closest->gap.high;
    if (is_farther(closest, &x->near))
        return true;
    if (x->a && new_slab && closest->slab.known && ask_slab(closest, x->a, x->b, x->ids, counts))
        return true;
    if (x->b && gap_plane_bound(x->a, x->b, &x->near) > closest->gap.high)
        return true;
    return !gap_refine_within(gap, closest->gap.found ? &closest->gap.way.distance : NULL);
}

/* Is it as near because its features, an edge each or a corner and a face, lie in the planes of the slab? Their way is
 * at right angles to both, so it has the slab's direction, and its length. */
static bool ties_with_slab(const narrow_closest *closest, const narrow_gap *gap)
{
    if (!closest->slab.known || !gap->found || !gap->way.certain)
        return false;
    int count = 0;
    for (int i = 0; i < 6; i++)
    {
        if (!(gap->corners[i / 3] >> i % 3 & 1))
            continue;
        if (!is_level(&closest->gap, i / 3, gap->points[i / 3][i % 3]))
            return false;
        count++;
    }
    return count == 4;
}

static void keep_nearer(narrow_closest *closest, const candidate *x, narrow_gap *gap, narrow_counts *counts)
{
    if (!has_pair(closest))
    {
        if (gap_sign(gap, closest->distance, counts) <= 0)
            replace(closest, &x->near, x->ids, gap);
        return;
    }
    if (gap->high < closest->gap.low)
    {
        replace(closest, &x->near, x->ids, gap);
        return;
    }
    if (x->near.distance > 0.0 && is_ruled_out(closest, x, gap, counts))
        return;
    int sign = x->b && ties_with_slab(closest, gap) ? 0 : gap_compare(gap, &closest->gap, counts);
    if (sign < 0 || (sign == 0 && has_smaller_ids(x->ids, closest)))
        replace(closest, &x->near, x->ids, gap);
}

void narrow_offer(narrow_closest *closest, const narrow_triangle *a, const narrow_triangle *b, carom_pair ids,
                  narrow_counts *counts)
{
    if (is_settled(closest, ids) || (may_use_slab(closest) && ask_slab(closest, a, b, ids, counts)))
        return;
    /* Ties that the slab can't settle come from triangles that are parallel but for rounding. */
    if (closest->slab.known && screen_prepare(&closest->screen, &closest->gap, NULL) &&
        screen_keeps_apart(&closest->screen, a, b, ids))
        return;
    if (closest->slab.known && gap_faces_beyond(a, b, closest->gap.high))
        return;
    candidate x = {a, b, ids, narrow_distance(a, b, counts)};
    if (is_farther(closest, &x.near))
        return;
    narrow_gap gap = gap_of_triangles(a, b, &x.near);
    keep_nearer(closest, &x, &gap, counts);
}

void narrow_offer_rounds(narrow_closest *closest, const narrow_round *a, const narrow_round *b, narrow_counts *counts)
{
    candidate x = {NULL, NULL, {0, 0, 0}, narrow_round_distance(a, b, counts)};
    if (is_farther(closest, &x.near))
        return;
    narrow_gap gap = gap_of_rounds(a, b, &x.near);
    keep_nearer(closest, &x, &gap, counts);
}

void narrow_offer_triangle_round(narrow_closest *closest, const narrow_triangle *a, const narrow_round *b,
                                 uint32_t triangle, narrow_counts *counts)
{
    const carom_pair ids = {triangle, 0, 0};
    if (is_settled(closest, ids) || (may_use_slab(closest) && ask_slab(closest, a, NULL, ids, counts)))
        return;
    narrow_distance_result found = narrow_round_triangle_distance(b, a, counts);
    if (is_farther(closest, &found))
        return;
    candidate x = {a, NULL, ids, narrow_swap_points(&found)};
    narrow_gap gap = gap_of_triangle_round(a, b, &x.near);
    keep_nearer(closest, &x, &gap, counts);
}

bool narrow_offer_meeting(narrow_closest *closest, carom_pair ids)
{
    if (is_settled(closest, ids))
        return false;
    closest->distance = 0.0;
    closest->triangle_a = ids.triangle_a, closest->triangle_b = ids.triangle_b;
    closest->gap.low = closest->gap.high = 0.0;
    closest->gap.length = (exact_length){0.0, 0.0, true};
    closest->gap.rounded = true;
    closest->slab.known = closest->screen.known = false;
    return true;
}

void narrow_closest_sharpen(narrow_closest *closest)
{
    if (!has_pair(closest) || closest->slab.known || closest->gap.searched || closest->distance == 0.0)
        return;
    gap_refine(&closest->gap);
    closest->distance = closest->gap.high;
    if (closest->gap.certain)
        find_slab(closest, &(narrow_counts){0}); /* which computes nothing any more */
}

void narrow_closest_settle(narrow_closest *closest, narrow_counts *counts)
{
    if (!has_pair(closest))
        return;
    gap_round(&closest->gap, counts);
    closest->distance = closest->gap.length.nearest;
}

bool narrow_closest_within(narrow_closest *closest, const double terms[EXACT_TERMS], narrow_counts *counts)
{
    return gap_sum_sign(&closest->gap, terms, counts) < 0;
}

/* ---- a threshold ---- */

enum
{
    THRESHOLD_ATTEMPTS = 3 /* to find a pair with a slab */
};

void narrow_threshold_begin(narrow_threshold *threshold, double limit, bool strictly)
{
    threshold->limit = limit;
    threshold->strictly = strictly;
    threshold->attempts = THRESHOLD_ATTEMPTS;
    narrow_closest_begin(&threshold->beyond, INFINITY);
}

/* A pair that is not within the limit, but too near for an estimate to tell: others will be like it. What its slab
 * keeps apart is not within, either. No ids are smaller than 0 and 0. */
static BASE_NEVER_INLINE void keep_slab(narrow_threshold *threshold, const candidate *x, narrow_counts *counts)
{
    if (threshold->beyond.slab.known || threshold->attempts-- <= 0)
        return;
    narrow_gap gap = gap_of_triangles(x->a, x->b, &x->near);
    replace(&threshold->beyond, &x->near, (carom_pair){0, 0, 0}, &gap);
    find_slab(&threshold->beyond, counts);
}

bool narrow_is_within(narrow_threshold *threshold, const narrow_triangle *a, const narrow_triangle *b, carom_pair ids,
                      narrow_counts *counts)
{
    double limit = threshold->limit;
    if (may_use_slab(&threshold->beyond) && ask_slab(&threshold->beyond, a, b, ids, counts))
        return false;
    if (threshold->beyond.slab.known &&
        screen_prepare(&threshold->beyond.screen, &threshold->beyond.gap, &(exact_interval){limit, 0.0, 0.0}) &&
        screen_keeps_apart(&threshold->beyond.screen, a, b, ids))
        return false;
    candidate x = {a, b, ids, narrow_distance(a, b, counts)};
    int sign = gap_measured_sign(&x.near, limit);
    if (BASE_LIKELY(sign != 0))
        return sign < 0;
    if (gap_plane_bound(a, b, &x.near) > limit)
        return false;
    sign = narrow_measured_sign(&x.near, a, b, limit, counts);
    bool within = sign < 0 || (sign == 0 && !threshold->strictly);
    if (!within)
        keep_slab(threshold, &x, counts);
    return within;
}
