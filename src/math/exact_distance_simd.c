/* The distance of two triangles from the features that should be nearest, in numbers of twice the precision of double,
 * with a proof that no other points are nearer: the plane across the way between the features keeps all other corners
 * apart. Where a sign is too close to call, the interval is widened by what may be wrong. docs/exactness.md derives the
 * bounds. */
#include "math/exact_distance.h"

/* Below these, something may underflow; docs/exactness.md derives that for the gap. */
static const double SMALLEST_SQUARE = 0x1p-400, SMALLEST_GAP = 0x1p-480;

/* Of the search for the nearest features. */
enum
{
    MAX_STEPS = 12
};

/* The features, that of fewer corners first. */
typedef struct features
{
    exact_part *first, *second;
    const carom_vec3 *p[3], *q[3]; /* their corners */
    int few, more;                 /* how many */
    bool in_range;                 /* so far */
    bool changed;                  /* a part was replaced by one that should be nearer */
    bool certain;                  /* no sign was too close to call */
    double outside;                /* by how much a share may be below 0, in units of `bottom` */
    double in_front;               /* by how much a corner may be in front of its plane, in units of `across` */
} features;

/* Their way, and the squared distance of the lines or planes that carry them. */
typedef struct way
{
    doubled_vector across;             /* from the first to the second, at right angles to both, in any length */
    doubled top, bottom;               /* of the squared distance */
    doubled height;                    /* the way times `across` */
    doubled square;                    /* of `across` */
    doubled_vector edge[2], r, normal; /* what it was made of, as far as it was needed */
} way;

static int list_corners(const exact_part *part, const carom_vec3 *out[3])
{
    int count = 0;
    for (int i = 0; i < 3; i++)
        if (part->corners >> i & 1)
            out[count++] = &part->points[i];
    return count;
}

static BASE_ALWAYS_INLINE doubled difference(features *f, double a, double b)
{
    doubled d = doubled_difference(a, b);
    f->in_range &= doubled_in_range(d);
    return d;
}

static BASE_ALWAYS_INLINE doubled_vector between(features *f, const carom_vec3 *from, const carom_vec3 *to)
{
    return (doubled_vector){difference(f, to->x, from->x), difference(f, to->y, from->y),
                            difference(f, to->z, from->z)};
}

static double length_at_most(doubled_vector v) { return v.x.size + v.y.size + v.z.size; }

static unsigned bit_of(const exact_part *part, const carom_vec3 *corner) { return 1u << (corner - part->points); }

static void change(features *f, exact_part *part, unsigned corners)
{
    part->corners = corners;
    f->changed = true;
}

/* How far below 0 may a number be that is not certainly above it? */
static double possible_lack(features *f, doubled x)
{
    if (doubled_not_negative(x))
        return 0.0;
    f->certain = false;
    return DOUBLED_ERROR * x.size - x.high;
}

static void note_share(features *f, doubled share)
{
    double lack = possible_lack(f, share);
    f->outside = lack > f->outside ? lack : f->outside;
}

static BASE_ALWAYS_INLINE doubled_vector turned(doubled_vector v)
{
    return (doubled_vector){doubled_negative(v.x), doubled_negative(v.y), doubled_negative(v.z)};
}

/* ---- the ways ---- */

static void points_way(features *f, way *out)
{
    out->across = between(f, f->p[0], f->q[0]);
    out->top = doubled_dot(out->across, out->across);
    out->bottom = (doubled){1.0, 0.0, 1.0};
    out->square = out->top;
    out->height = out->top;
}

/* |e x r|^2 / |e|^2; e x (e x r) is |e|^2 times the way from the point to its foot. */
static void point_edge_way(features *f, way *out)
{
    doubled_vector e = between(f, f->q[0], f->q[1]), r = between(f, f->q[0], f->p[0]), n = doubled_cross(e, r);
    out->edge[0] = e, out->r = r;
    out->across = doubled_cross(e, n);
    out->top = doubled_norm(n);
    out->bottom = doubled_dot(e, e);
    out->square = doubled_multiply(out->top, out->bottom);
    out->height = out->top;
}

/* (r . n)^2 / |n|^2 */
static void set_normal(way *out, doubled_vector n)
{
    doubled height = doubled_dot(out->r, n);
    bool turn = height.high < 0.0;
    out->normal = n;
    out->across = turn ? turned(n) : n;
    out->height = turn ? doubled_negative(height) : height;
    out->top = doubled_square(height);
    out->bottom = out->square = doubled_norm(n);
}

static void edges_way(features *f, way *out)
{
    out->edge[0] = between(f, f->p[0], f->p[1]), out->edge[1] = between(f, f->q[0], f->q[1]);
    out->r = between(f, f->p[0], f->q[0]);
    set_normal(out, doubled_cross(out->edge[0], out->edge[1]));
}

static void point_face_way(features *f, way *out)
{
    out->edge[0] = between(f, f->q[0], f->q[1]), out->edge[1] = between(f, f->q[1], f->q[2]);
    out->r = between(f, f->p[0], f->q[0]);
    set_normal(out, doubled_cross(out->edge[0], out->edge[1]));
}

static void set_way(features *f, way *out)
{
    if (f->more == 1)
        points_way(f, out);
    else if (f->more == 3)
        point_face_way(f, out);
    else if (f->few == 1)
        point_edge_way(f, out);
    else
        edges_way(f, out);
}

/* ---- signs that double can tell ---- */

/* A number in double, and how far it may be from the one that it stands for. */
typedef struct rough
{
    double value, error;
} rough;

#define HEIGHT_ERROR (5.25 * 0x1p-53) /* of the sum of magnitudes; docs/exactness.md derives all three */
#define SHARE_ERROR  (8.25 * 0x1p-53)
#define LIMIT_ERROR  (1.25 * 0x1p-53) /* of the limit of a share */

static double larger(double a, double b) { return a > b ? a : b; }

/* No component errs by more in twice the precision. */
static double doubt_of(doubled_vector v) { return DOUBLED_ERROR * larger(v.x.size, larger(v.y.size, v.z.size)); }

/* v . (to - from) */
static BASE_ALWAYS_INLINE rough rough_height(doubled_vector v, const carom_vec3 *from, const carom_vec3 *to)
{
    carom_vec3 r = vec3_sub(*to, *from);
    double x = v.x.high * r.x, y = v.y.high * r.y, z = v.z.high * r.z;
    double reach = (fabs(r.x) + fabs(r.y)) + fabs(r.z);
    return (rough){(x + y) + z, HEIGHT_ERROR * ((fabs(x) + fabs(y)) + fabs(z)) + doubt_of(v) * reach + 0x1p-800};
}

/* (a x b) . n */
static BASE_ALWAYS_INLINE rough rough_volume(carom_vec3 a, carom_vec3 b, doubled_vector n)
{
    double x1 = a.y * b.z, x2 = a.z * b.y, y1 = a.z * b.x, y2 = a.x * b.z, z1 = a.x * b.y, z2 = a.y * b.x;
    double x = fabs(x1) + fabs(x2), y = fabs(y1) + fabs(y2), z = fabs(z1) + fabs(z2);
    double value = ((x1 - x2) * n.x.high + (y1 - y2) * n.y.high) + (z1 - z2) * n.z.high;
    double size = (x * fabs(n.x.high) + y * fabs(n.y.high)) + z * fabs(n.z.high);
    return (rough){value, SHARE_ERROR * size + doubt_of(n) * ((x + y) + z) + 0x1p-800};
}

static inline bool is_positive(rough x) { return x.value > x.error; }

/* Certainly more than 0 and less than the limit? */
static inline bool is_between(rough share, doubled limit)
{
    double rest = limit.high - share.value;
    return is_positive(share) && rest > share.error + LIMIT_ERROR * limit.high + DOUBLED_ERROR * limit.size;
}

/* ---- are the ends of the way within the features? ---- */

/* From 0 to the limit? Otherwise the nearer end of the edge takes its place. */
static bool is_share(features *f, doubled share, doubled limit, exact_part *part, const carom_vec3 *const ends[2])
{
    doubled rest = doubled_subtract(limit, share);
    if (doubled_negative_for_sure(share))
        return change(f, part, bit_of(part, ends[0])), false;
    if (doubled_negative_for_sure(rest))
        return change(f, part, bit_of(part, ends[1])), false;
    note_share(f, share);
    note_share(f, rest);
    return true;
}

static bool is_within_face(features *f, const way *way)
{
    for (int i = 0; i < 3; i++)
    {
        carom_vec3 along = vec3_sub(*f->q[(i + 1) % 3], *f->q[i]), r = vec3_sub(*f->p[0], *f->q[i]);
        if (is_positive(rough_volume(along, r, way->normal)))
            continue;
        doubled_vector edge = i < 2 ? way->edge[i] : between(f, f->q[2], f->q[0]);
        doubled_vector side = doubled_cross(edge, i == 0 ? turned(way->r) : between(f, f->q[i], f->p[0]));
        doubled share = doubled_dot(side, way->normal);
        if (doubled_negative_for_sure(share))
            return change(f, f->second, bit_of(f->second, f->q[i]) | bit_of(f->second, f->q[(i + 1) % 3])), false;
        note_share(f, share);
    }
    return true;
}

/* Of two edges: the share of one, from the other edge. */
static bool is_edge_share(features *f, const way *way, int other, exact_part *part)
{
    const carom_vec3 *const *ends = part == f->first ? f->p : f->q;
    doubled_vector edge = way->edge[other];
    carom_vec3 r = vec3(way->r.x.high, way->r.y.high, way->r.z.high), e = vec3(edge.x.high, edge.y.high, edge.z.high);
    return is_between(rough_volume(r, e, way->normal), way->bottom) ||
           is_share(f, doubled_dot(doubled_cross(way->r, edge), way->normal), way->bottom, part, ends);
}

static bool is_within(features *f, const way *way)
{
    if (f->more == 1)
        return true;
    if (f->more == 3)
        return is_within_face(f, way);
    if (f->few == 1)
        return is_between(rough_height(way->edge[0], f->q[0], f->p[0]), way->bottom) ||
               is_share(f, doubled_dot(way->r, way->edge[0]), way->bottom, f->second, f->q);
    return is_edge_share(f, way, 1, f->first) && is_edge_share(f, way, 0, f->second);
}

/* ---- is all else behind the planes across the way? ---- */

static bool is_less(doubled a, doubled b) { return (a.high - b.high) + (a.low - b.low) < 0.0; }

/* How far the foremost corner of a part is in front of the plane through its feature, as a number below 0, with the
 * largest error of all that are; -1: none is. Equal corners need no arithmetic. */
static int find_foremost(features *f, const exact_part *part, doubled_vector away, doubled *height)
{
    const carom_vec3 *const *feature = part == f->first ? f->p : f->q;
    int count = part == f->first ? f->few : f->more, foremost = -1;
    *height = (doubled){0.0, 0.0, 0.0};
    for (int i = 0; i < 3; i++)
    {
        bool known = false;
        for (int k = 0; k < count; k++)
            known |= vec3_equal(part->points[i], *feature[k]);
        if (known || is_positive(rough_height(away, feature[0], &part->points[i])))
            continue;
        doubled of_corner = doubled_dot(away, between(f, feature[0], &part->points[i]));
        if (doubled_negative_for_sure(of_corner))
        {
            double size = of_corner.size > height->size ? of_corner.size : height->size;
            if (foremost < 0 || is_less(of_corner, *height))
                *height = of_corner, foremost = i;
            height->size = size;
            continue;
        }
        double lack = possible_lack(f, of_corner);
        f->in_front = lack > f->in_front ? lack : f->in_front;
    }
    return foremost;
}

/* Corners in front of the planes across the way join the features if that makes four corners at most, the foremost
 * first, or else replace them. They take their heights off the gap. False: there were some. */
static bool is_behind(features *f, doubled_vector across, doubled *gap)
{
    exact_part *parts[2] = {f->first, f->second};
    doubled height[2];
    int corner[2] = {find_foremost(f, parts[0], turned(across), &height[0]),
                     find_foremost(f, parts[1], across, &height[1])};
    if (corner[0] < 0 && corner[1] < 0)
        return true;
    *gap = doubled_add(doubled_add(*gap, height[0]), height[1]);
    int room = 4 - (f->few + f->more), first = height[1].high < height[0].high ? 1 : 0;
    bool replaces = room == 0;
    for (int n = 0; n < 2; n++)
    {
        int side = n == 0 ? first : 1 - first;
        if (corner[side] < 0 || (n == 1 && room == 0))
            continue;
        change(f, parts[side], (replaces ? 0u : parts[side]->corners) | 1u << corner[side]);
        room -= !replaces;
        if (replaces)
            break;
    }
    return false;
}

/* Is the gap between the planes, in units of the way, certainly wider than the limit? */
static bool is_beyond(const features *f, const way *way, doubled gap, const exact_interval *limit)
{
    double doubt = 2.0 * f->in_front, high = limit->high;
    gap = doubled_add(gap, (doubled){-doubt, 0.0, doubt});
    if (!(gap.high > DOUBLED_ERROR * gap.size) || !(gap.high > SMALLEST_GAP) || !(high > 0x1p-200))
        return false;
    doubled most = doubled_join(high, limit->low + limit->error, high);
    doubled scaled = doubled_multiply(doubled_multiply(most, most), way->square);
    doubled more = doubled_subtract(doubled_square(gap), scaled);
    return more.high > DOUBLED_ERROR * more.size;
}

/* If the way is along an axis, a difference of coordinates is the distance. */
static bool along_axis(const features *f, const way *way, exact_interval *out)
{
    double x = way->across.x.size, y = way->across.y.size, z = way->across.z.size;
    if (!f->certain || (x > 0.0) + (y > 0.0) + (z > 0.0) != 1)
        return false;
    const carom_vec3 *p = f->p[0], *q = f->q[0];
    doubled d = x > 0.0   ? doubled_difference(q->x, p->x)
                : y > 0.0 ? doubled_difference(q->y, p->y)
                          : doubled_difference(q->z, p->z);
    d = d.high < 0.0 ? doubled_negative(d) : d;
    *out = (exact_interval){d.high, d.low, 0.0};
    return true;
}

/* How far feet move apart if each share that is below 0 by 1 becomes 0: two feet along an edge each, or one on a face
 * towards the corner that is left, along two edges. */
static double reach_of(const features *f, const way *way)
{
    if (f->more == 1)
        return 0.0;
    double first = length_at_most(way->edge[0]);
    if (f->few + f->more < 4)
        return first;
    double second = length_at_most(way->edge[1]);
    if (f->few == 2)
        return first + second;
    carom_vec3 last = vec3_sub(*f->q[2], *f->q[0]);
    double third = (fabs(last.x) + fabs(last.y)) + fabs(last.z);
    return larger(first + second, third + larger(first, second));
}

/* Twice what corners take off the distance on each side, half of the square of what feet are moved by; a hundredth more
 * for roundings. docs/exactness.md derives both. */
#define DOUBT_IN_FRONT 2.02
#define DOUBT_MOVED    0.505

/* By which part of the distance may it be wrong because signs were too close to call? */
static double doubtful_part(const features *f, const way *way, double square)
{
    if (f->certain)
        return 0.0;
    double moved = f->outside / way->bottom.high * reach_of(f, way);
    return DOUBT_IN_FRONT * f->in_front / way->height.high + DOUBT_MOVED * moved * moved / square;
}

/* sqrt(top / bottom) */
static bool take_root(const features *f, const way *way, exact_interval *out)
{
    doubled top = way->top, bottom = way->bottom;
    double share = top.high / bottom.high;
    double of_parts = 0.5 * DOUBLED_ERROR * (top.size / top.high + bottom.size / bottom.high);
    double error = of_parts + DOUBLED_ROOT_ERROR + doubtful_part(f, way, share);
    if (!(error < 0x1p-60) || !(share > SMALLEST_SQUARE))
        return false;
    doubled rest = doubled_subtract(top, doubled_multiply((doubled){share, 0.0, share}, bottom));
    doubled square = doubled_join(share, (rest.high + rest.low) / bottom.high, share);
    double root = sqrt(square.high), product = root * root;
    double lack = (square.high - product) - doubled_product_rest(root, root, product) + square.low;
    doubled length = doubled_join(root, lack / (2.0 * root), root);
    *out = (exact_interval){length.high, length.low, error * length.high};
    return true;
}

/* The way in double, its largest component between 1 and 2. */
static void set_direction(const way *way, bool swap, exact_way *out)
{
    out->across = swap ? turned(way->across) : way->across;
    doubled c[3] = {out->across.x, out->across.y, out->across.z};
    double largest = 0.0, size = 0.0;
    for (int k = 0; k < 3; k++)
    {
        largest = fabs(c[k].high) > largest ? fabs(c[k].high) : largest;
        size = c[k].size > size ? c[k].size : size;
    }
    int exponent;
    frexp(largest, &exponent);
    double scale = ldexp(1.0, 1 - exponent);
    out->direction = vec3(scale * c[0].high, scale * c[1].high, scale * c[2].high);
    out->doubt = DOUBLED_ERROR * size * scale;
    out->axes = (c[0].size > 0.0) | (c[1].size > 0.0) << 1 | (c[2].size > 0.0) << 2;
}

typedef enum proof
{
    PROVEN,
    CHANGED,
    BEYOND,
    FAILED
} proof;

/* Proves the parts nearest, or changes one of them. */
static proof prove_parts(features *f, const exact_interval *limit, way *way)
{
    f->few = list_corners(f->first, f->p), f->more = list_corners(f->second, f->q);
    f->changed = false;
    f->certain = true;
    f->outside = f->in_front = 0.0;
    if (f->few == 0 || f->few + f->more > 4)
        return FAILED;
    set_way(f, way);
    doubled gap = way->height;
    bool behind = is_behind(f, way->across, &gap);
    if (limit && f->in_range && is_beyond(f, way, gap, limit))
        return BEYOND;
    return behind && is_within(f, way) ? PROVEN : f->changed ? CHANGED : FAILED;
}

exact_search BASE_ISA(distance_of_parts)(exact_part *a, exact_part *b, const exact_interval *limit, exact_way *out)
{
    features f = {.in_range = true};
    way way;
    proof proof = CHANGED;
    bool swap = false;
    for (int step = 0; step < MAX_STEPS && proof == CHANGED; step++)
    {
        const carom_vec3 *corners[3];
        swap = list_corners(a, corners) > list_corners(b, corners);
        f.first = swap ? b : a, f.second = swap ? a : b;
        proof = prove_parts(&f, limit, &way);
    }
    if (proof == BEYOND)
        return EXACT_SEARCH_BEYOND;
    if (proof != PROVEN || !f.in_range ||
        !(along_axis(&f, &way, &out->distance) || take_root(&f, &way, &out->distance)))
        return EXACT_SEARCH_FAILED;
    out->certain = f.certain;
    set_direction(&way, swap, out);
    return EXACT_SEARCH_FOUND;
}

#define SQUARE_ERROR (6 * 0x1p-53) /* of squares that are compared in double; docs/exactness.md derives it */

static bool may_be_within(const way *way, double limit)
{
    double least = way->top.high - DOUBLED_ERROR * way->top.size, square = limit * limit;
    double most = square * (way->bottom.high + DOUBLED_ERROR * way->bottom.size);
    return !(square > SMALLEST_SQUARE) || least <= most * (1.0 + SQUARE_ERROR);
}

bool BASE_ISA(parts_may_be_nearest)(exact_part a, exact_part b, double limit)
{
    features f = {.in_range = true, .first = &a, .second = &b};
    way way;
    f.few = list_corners(&a, f.p), f.more = list_corners(&b, f.q);
    if (f.few > f.more)
    {
        f.first = &b, f.second = &a;
        f.few = list_corners(&b, f.p), f.more = list_corners(&a, f.q);
    }
    set_way(&f, &way);
    return !f.in_range || (may_be_within(&way, limit) && is_within(&f, &way));
}

/* ---- heights ---- */

static BASE_ALWAYS_INLINE doubled times(double factor, double to, double from)
{
    double high = to - from, low = doubled_sum_rest(to, -from, high), product = factor * high;
    return doubled_join(product, doubled_product_rest(factor, high, product) + factor * low, fabs(product));
}

double BASE_ISA(height_of_points)(carom_vec3 direction, carom_vec3 origin, const carom_vec3 points[3], bool turned)
{
    double highest = -INFINITY;
    for (int i = 0; i < 3; i++)
    {
        doubled x = times(direction.x, points[i].x, origin.x), y = times(direction.y, points[i].y, origin.y),
                z = times(direction.z, points[i].z, origin.z), height = doubled_add(doubled_add(x, y), z);
        double error = DOUBLED_HEIGHT_ERROR * height.size + 0x1p-900; /* its parts are normal */
        double value = turned ? -height.high : height.high, low = turned ? -height.low : height.low;
        value += low + (DOUBLED_LAST_SUM * fabs(value) + error);
        highest = value > highest ? value : highest;
    }
    return highest;
}
