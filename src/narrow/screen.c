/* Heights of triangles along the way of the closest pair, in twice the precision.
 *
 * Between surfaces that are parallel but for rounding, thousands of pairs are equally near to within the error of an
 * estimate, and so are the heights of their corners in double. In twice the precision these heights tell nearly all of
 * them apart, and need to be computed once per triangle, not per pair. docs/exactness.md derives the bounds. */
#include "narrow/screen.h"

enum
{
    SCREEN_WORTH = 2, /* failures that one success makes up for */
    SCREEN_MAX = 64
};

static carom_vec3 corner_of_feature(const narrow_gap *gap, int side)
{
    return gap->points[side][gap->corners[side] & 1u ? 0 : gap->corners[side] & 2u ? 1 : 2];
}

/* Scaled so that the largest component is in [1, 2). */
static carom_vec3 scaled(carom_vec3 v)
{
    double largest = fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
    int exponent;
    frexp(largest, &exponent);
    return vec3_scale(v, ldexp(1.0, 1 - exponent));
}

/* The way between two corners, or a corner and an edge, is as crooked as their rounded coordinates are off, compared to
 * its length; the face of a is better if it is across that way. */
static carom_vec3 best_direction(const narrow_gap *gap)
{
    carom_vec3 way = gap->way.direction;
    const carom_vec3 *p = gap->points[0];
    carom_vec3 normal = vec3_cross(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0]));
    double along = vec3_dot(normal, way), square = vec3_dot(normal, normal);
    int corners = __builtin_popcount(gap->corners[0]) + __builtin_popcount(gap->corners[1]);
    if (corners == 4 || !(square > 0x1p-500) || !(along * along > (1.0 - 0x1p-30) * square * vec3_dot(way, way)))
        return way;
    return scaled(vec3_scale(normal, along < 0.0 ? -1.0 : 1.0));
}

static void set_direction(narrow_screen *screen, const narrow_gap *gap)
{
    screen->known = true;
    screen->outdated = screen->measured = false;
    screen->usefulness = SCREEN_MAX;
    screen->direction = best_direction(gap);
    screen->origin[0] = corner_of_feature(gap, 0);
    screen->origin[1] = corner_of_feature(gap, 1);
    memset(screen->ids, 0xff, sizeof screen->ids);
}

bool screen_prepare(narrow_screen *screen, const narrow_gap *gap, const exact_interval *limit)
{
    if (!screen->known || (screen->outdated && screen->usefulness <= 0))
        set_direction(screen, gap);
    if (screen->usefulness <= 0)
        return false;
    if (!screen->measured)
        screen->spare = exact_height_to_spare(screen->direction, screen->origin[0], screen->origin[1],
                                              limit ? limit : &gap->way.distance);
    screen->measured = true;
    return true;
}

static double height_of(narrow_screen *screen, int side, const narrow_triangle *triangle, uint32_t id)
{
    uint32_t slot = id % NARROW_SCREEN_IDS;
    if (screen->ids[side][slot] != id)
    {
        screen->ids[side][slot] = id;
        screen->heights[side][slot] =
            exact_height(screen->direction, screen->origin[side], triangle->corner, side == 1);
    }
    return screen->heights[side][slot];
}

/* Is the sum of two heights below what is to spare? Rounding is monotonic, so the rounded sum is below a double only if
 * the sum is. */
static inline bool is_below_spare(const narrow_screen *screen, double height_a, double height_b)
{
    return height_a + height_b < screen->spare;
}

bool screen_keeps_apart(narrow_screen *screen, const narrow_triangle *a, const narrow_triangle *b, carom_pair ids)
{
    double height_a = height_of(screen, 0, a, ids.triangle_a), height_b = height_of(screen, 1, b, ids.triangle_b);
    bool apart = is_below_spare(screen, height_a, height_b);
    screen->usefulness += apart ? SCREEN_WORTH : -1;
    screen->usefulness = screen->usefulness > SCREEN_MAX ? SCREEN_MAX : screen->usefulness;
    return apart;
}

bool narrow_is_screened(const narrow_closest *closest, carom_pair ids)
{
    const narrow_screen *screen = &closest->screen;
    uint32_t slot_a = ids.triangle_a % NARROW_SCREEN_IDS, slot_b = ids.triangle_b % NARROW_SCREEN_IDS;
    if (!screen->known || !screen->measured || screen->ids[0][slot_a] != ids.triangle_a ||
        screen->ids[1][slot_b] != ids.triangle_b)
        return false;
    return is_below_spare(screen, screen->heights[0][slot_a], screen->heights[1][slot_b]);
}
