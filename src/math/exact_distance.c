/* The distance of two triangles from the features that should be nearest, in numbers of twice the precision of double,
 * with a proof that no other points are nearer: the plane across the way between the features keeps all other corners
 * apart. Where a sign is too close to call, the interval is widened by what may be wrong. docs/exactness.md derives the
 * bounds. */
#include "math/exact_double.h"

/* Differences below this are left to the integers, so that no product underflows. */
static const double SMALLEST_DIFFERENCE = 0x1p-120, SMALLEST_SQUARE = 0x1p-400;

/* Of the search for the nearest features. */
enum
{
    MAX_STEPS = 8
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
    doubled_vector across; /* from the first to the second, at right angles to both, in any length */
    doubled top, bottom;   /* of the squared distance */
    double height;         /* the way times `across` */
    double reach;          /* no edge of a feature is longer */
} way;

static int list_corners(const exact_part *part, const carom_vec3 *out[3])
{
    int count = 0;
    for (int i = 0; i < 3; i++)
        if (part->corners >> i & 1)
            out[count++] = &part->points[i];
    return count;
}

static doubled difference(features *f, double a, double b)
{
    doubled d = doubled_difference(a, b);
    f->in_range &= d.size == 0.0 || d.size >= SMALLEST_DIFFERENCE;
    return d;
}

static doubled_vector between(features *f, const carom_vec3 *from, const carom_vec3 *to)
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

/* How far below 0 may a number be that is not certainly below it? */
static double possible_lack(features *f, doubled x)
{
    if (doubled_not_negative(x))
        return 0.0;
    f->certain = false;
    return fabs(x.high) + DOUBLED_ERROR * x.size;
}

static void note_share(features *f, doubled share)
{
    double lack = possible_lack(f, share);
    f->outside = lack > f->outside ? lack : f->outside;
}

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

static doubled_vector turned(doubled_vector v)
{
    return (doubled_vector){doubled_negative(v.x), doubled_negative(v.y), doubled_negative(v.z)};
}

static bool points_way(features *f, way *out)
{
    out->across = between(f, f->p[0], f->q[0]);
    out->top = doubled_dot(out->across, out->across);
    out->bottom = (doubled){1.0, 0.0, 1.0};
    out->height = out->top.high;
    out->reach = 0.0;
    return true;
}

/* |e x r|^2 / |e|^2; e x (e x r) is |e|^2 times the way from the point to its foot. */
static bool point_edge_way(features *f, way *out)
{
    doubled_vector e = between(f, f->q[0], f->q[1]), r = between(f, f->q[0], f->p[0]), n = doubled_cross(e, r);
    out->across = doubled_cross(e, n);
    out->top = doubled_dot(n, n);
    out->bottom = doubled_dot(e, e);
    out->height = out->top.high;
    out->reach = length_at_most(e);
    return is_share(f, doubled_dot(r, e), out->bottom, f->second, f->q);
}

/* (r . n)^2 / |n|^2 */
static void set_height(way *out, doubled_vector r, doubled_vector n)
{
    doubled height = doubled_dot(r, n);
    out->across = height.high < 0.0 ? turned(n) : n;
    out->top = doubled_multiply(height, height);
    out->height = fabs(height.high);
}

static bool edges_way(features *f, way *out)
{
    doubled_vector d = between(f, f->p[0], f->p[1]), e = between(f, f->q[0], f->q[1]);
    doubled_vector r = between(f, f->p[0], f->q[0]), n = doubled_cross(d, e);
    out->bottom = doubled_dot(n, n);
    out->reach = length_at_most(d) + length_at_most(e);
    set_height(out, r, n);
    return is_share(f, doubled_dot(doubled_cross(r, e), n), out->bottom, f->first, f->p) &&
           is_share(f, doubled_dot(doubled_cross(r, d), n), out->bottom, f->second, f->q);
}

static bool point_face_way(features *f, way *out)
{
    doubled_vector edge[3], r = between(f, f->p[0], f->q[0]);
    for (int i = 0; i < 3; i++)
        edge[i] = between(f, f->q[i], f->q[(i + 1) % 3]);
    doubled_vector n = doubled_cross(edge[0], edge[1]);
    out->bottom = doubled_dot(n, n);
    out->reach = length_at_most(edge[0]) + length_at_most(edge[1]);
    set_height(out, r, n);
    for (int i = 0; i < 3; i++)
    {
        doubled share = doubled_dot(doubled_cross(edge[i], between(f, f->q[i], f->p[0])), n);
        if (doubled_negative_for_sure(share))
            return change(f, f->second, bit_of(f->second, f->q[i]) | bit_of(f->second, f->q[(i + 1) % 3])), false;
        note_share(f, share);
    }
    return true;
}

/* Is no corner of the part nearer to the other side than the feature? Otherwise it joins the feature, or replaces it.
 * Equal corners need no arithmetic. */
static bool is_behind(features *f, exact_part *part, doubled_vector away)
{
    const carom_vec3 *const *feature = part == f->first ? f->p : f->q;
    int count = part == f->first ? f->few : f->more;
    for (int i = 0; i < 3; i++)
    {
        bool known = false;
        for (int k = 0; k < count; k++)
            known |= vec3_equal(part->points[i], *feature[k]);
        if (known)
            continue;
        doubled height = doubled_dot(away, between(f, feature[0], &part->points[i]));
        if (doubled_negative_for_sure(height))
            return change(f, part, (f->few + f->more < 4 ? part->corners : 0u) | 1u << i), false;
        double lack = possible_lack(f, height);
        f->in_front = lack > f->in_front ? lack : f->in_front;
    }
    return true;
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

/* By which part of the distance may it be wrong because signs were too close to call? */
static double doubtful_part(const features *f, const way *way, double square)
{
    if (f->certain)
        return 0.0;
    double moved = 2.0 * f->outside / way->bottom.high * way->reach;
    return 2.1 * f->in_front / way->height + 1.1 * moved * moved / square;
}

/* sqrt(top / bottom) */
static bool take_root(const features *f, const way *way, exact_interval *out)
{
    doubled top = way->top, bottom = way->bottom;
    double share = top.high / bottom.high;
    double error =
        DOUBLED_ERROR * (top.size / top.high + bottom.size / bottom.high + 2.0) + doubtful_part(f, way, share);
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
    doubled c[3] = {way->across.x, way->across.y, way->across.z};
    double largest = 0.0, size = 0.0;
    for (int k = 0; k < 3; k++)
    {
        largest = fabs(c[k].high) > largest ? fabs(c[k].high) : largest;
        size = c[k].size > size ? c[k].size : size;
    }
    int exponent;
    frexp(largest, &exponent);
    double scale = ldexp(swap ? -1.0 : 1.0, 1 - exponent);
    out->across = vec3(scale * c[0].high, scale * c[1].high, scale * c[2].high);
    out->doubt = DOUBLED_ERROR * size * fabs(scale);
    out->axes = (c[0].size > 0.0) | (c[1].size > 0.0) << 1 | (c[2].size > 0.0) << 2;
}

/* Proves the parts nearest, or changes one of them. */
static bool prove_parts(features *f, way *way)
{
    f->few = list_corners(f->first, f->p), f->more = list_corners(f->second, f->q);
    f->changed = false;
    f->certain = true;
    f->outside = f->in_front = 0.0;
    if (f->few == 0 || f->few + f->more > 4)
        return false;
    bool inside = f->more == 1   ? points_way(f, way)
                  : f->more == 3 ? point_face_way(f, way)
                  : f->few == 1  ? point_edge_way(f, way)
                                 : edges_way(f, way);
    return inside && is_behind(f, f->second, way->across) && is_behind(f, f->first, turned(way->across));
}

bool exact_distance_of_parts(exact_part *a, exact_part *b, exact_way *out)
{
    features f = {.in_range = true};
    way way;
    bool proven = false, swap = false;
    for (int step = 0; step < MAX_STEPS && !proven; step++)
    {
        const carom_vec3 *corners[3];
        swap = list_corners(a, corners) > list_corners(b, corners);
        f.first = swap ? b : a, f.second = swap ? a : b;
        proven = prove_parts(&f, &way);
        if (!proven && !f.changed)
            return false;
    }
    if (!proven || !f.in_range || !(along_axis(&f, &way, &out->distance) || take_root(&f, &way, &out->distance)))
        return false;
    out->certain = f.certain;
    set_direction(&way, swap, out);
    return true;
}

exact_interval exact_interval_less(const exact_interval *interval, double radius_a, double radius_b)
{
    doubled value = {interval->high, interval->low, interval->high};
    value = doubled_subtract(value, (doubled){radius_a, 0.0, fabs(radius_a)});
    value = doubled_subtract(value, (doubled){radius_b, 0.0, fabs(radius_b)});
    bool exact = radius_a == 0.0 && radius_b == 0.0;
    return (exact_interval){value.high, value.low, interval->error + (exact ? 0.0 : DOUBLED_ERROR * value.size)};
}

/* Rounding is monotonic, so both ends decide for what is between them. */
bool exact_round_interval(const exact_interval *interval, exact_length *out)
{
    double high = interval->high, from = interval->low - interval->error, to = interval->low + interval->error;
    if (!(high > 0.0) || high + from != high || high + to != high)
        return false;
    bool whole = from == 0.0 && to == 0.0;
    *out = (exact_length){high, to < 0.0 ? nextafter(high, 0.0) : high, whole};
    return whole || from > 0.0 || to < 0.0;
}
