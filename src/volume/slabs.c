/* AABBs and k-DOPs: intervals along fixed directions (Wei, Wang, Wu, Shi: fixed direction hulls, 2001).
 *
 * A translation moves the intervals (theorem 2), a union takes the larger bound (theorem 3). A rotated hull needs new
 * bounds along the fixed directions. The paper takes the rotated hull's corners; we bound the same supports from the
 * other side, by LP duality, where each candidate costs three products and no corner is ever computed. */
#include "volume/parts.h"

static const double SQRT2 = 1.4142135623730951, SQRT3 = 1.7320508075688772;

/* The 26-DOP's directions; the 14-DOP has the first 7, the 18-DOP the first 3 and the last 6. */
static const int8_t DIRECTION[VOLUME_SLABS_MAX][3] = {
    {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1},  {1, -1, 1}, {1, 1, -1}, {1, -1, -1},
    {1, 1, 0}, {1, 0, 1}, {0, 1, 1}, {1, -1, 0}, {1, 0, -1}, {0, 1, -1},
};

enum
{
    FIRST_CORNER = 3,
    FIRST_EDGE = 7,
    CORNER_COUNT = 4
};

uint32_t slab_count(carom_volume kind)
{
    switch (kind)
    {
    case CAROM_VOLUME_AABB:
    case CAROM_VOLUME_KDOP6: return 3;
    case CAROM_VOLUME_KDOP14: return 7;
    case CAROM_VOLUME_KDOP18: return 9;
    case CAROM_VOLUME_KDOP26: return 13;
    default: return 0;
    }
}

/* Row of DIRECTION of a kind's slab. */
static uint32_t direction_of(carom_volume kind, uint32_t slab)
{
    return kind == CAROM_VOLUME_KDOP18 && slab >= FIRST_CORNER ? slab + CORNER_COUNT : slab;
}

double slab_length(carom_volume kind, uint32_t slab)
{
    uint32_t direction = direction_of(kind, slab);
    return direction < FIRST_CORNER ? 1.0 : direction < FIRST_EDGE ? SQRT3 : SQRT2;
}

void slab_project(carom_volume kind, carom_vec3 v, double *out)
{
    *out++ = v.x, *out++ = v.y, *out++ = v.z;
    if (kind == CAROM_VOLUME_KDOP14 || kind == CAROM_VOLUME_KDOP26)
    {
        double sum = v.x + v.y, difference = v.x - v.y;
        *out++ = sum + v.z, *out++ = difference + v.z, *out++ = sum - v.z, *out++ = difference - v.z;
    }
    if (kind == CAROM_VOLUME_KDOP18 || kind == CAROM_VOLUME_KDOP26)
    {
        *out++ = v.x + v.y, *out++ = v.x + v.z, *out++ = v.y + v.z;
        *out++ = v.x - v.y, *out++ = v.x - v.z, *out++ = v.y - v.z;
    }
}

void slab_fit(carom_volume kind, const volume_cloud *cloud, float *out)
{
    uint32_t count = slab_count(kind);
    double low[VOLUME_SLABS_MAX], high[VOLUME_SLABS_MAX], along[VOLUME_SLABS_MAX];
    for (uint32_t s = 0; s < count; s++)
        low[s] = INFINITY, high[s] = -INFINITY;
    for (size_t i = 0; i < cloud->count; i++)
        for (int corner = 0; corner < 3; corner++)
        {
            slab_project(kind, cloud_corner(cloud, i, corner), along);
            for (uint32_t s = 0; s < count; s++)
            {
                low[s] = along[s] < low[s] ? along[s] : low[s];
                high[s] = along[s] > high[s] ? along[s] : high[s];
            }
        }
    /* Sums of two or three coordinates were rounded, and the last difference is: docs/exactness.md, section 17. */
    double largest = 0.0;
    for (int s = 0; s < 3; s++)
        largest = larger(largest, larger(fabs(low[s]), fabs(high[s])));
    for (uint32_t s = 0; s < count; s++)
    {
        double rounding = s < 3 ? 0.0 : largest * 0x1p-50 + 0x1p-1022;
        out[s] = math_float_down(low[s] - rounding);
        out[count + s] = math_float_up(high[s] + rounding);
    }
}

void slab_merge(carom_volume kind, const float *a, const float *b, float *out)
{
    uint32_t count = slab_count(kind);
    for (uint32_t s = 0; s < count; s++)
        out[s] = a[s] < b[s] ? a[s] : b[s];
    for (uint32_t s = count; s < 2 * count; s++)
        out[s] = a[s] > b[s] ? a[s] : b[s];
}

/* ---- rotation ---- */

/* Directions triples whose cone contains a direction folded to x >= y >= z >= 0, tightest first; a triple whose
 * weights come out negative is passed over. Rows are vectors of the fixed set. */
typedef struct lift_triple
{
    int8_t direction[3][3];
} lift_triple;

static const lift_triple LIFTS_6[] = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
static const lift_triple LIFTS_14[] = {
    {{{1, 0, 0}, {1, 1, 1}, {1, 1, -1}}},  {{{1, 0, 0}, {0, 1, 0}, {1, 1, 1}}},
    {{{1, 1, 1}, {1, -1, 1}, {1, 1, -1}}}, {{{1, 1, 1}, {1, 1, -1}, {1, -1, -1}}},
    {{{1, 0, 0}, {1, 1, 1}, {-1, 1, -1}}}, {{{1, 0, 0}, {1, 1, 1}, {0, 0, -1}}},
    {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
};
static const lift_triple LIFTS_18[] = {
    {{{1, 0, 0}, {1, 1, 0}, {1, 0, 1}}},  {{{1, 1, 0}, {1, 0, 1}, {0, 1, 1}}}, {{{1, 0, 0}, {1, 1, 0}, {0, 1, 1}}},
    {{{1, 0, 0}, {0, 0, 1}, {1, 1, 0}}},  {{{1, 0, 0}, {0, 1, 0}, {1, 0, 1}}}, {{{1, 0, 0}, {0, 1, 0}, {0, 1, 1}}},
    {{{0, 0, 1}, {1, 1, 0}, {1, -1, 0}}}, {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {{{1, 1, 0}, {0, 1, 1}, {1, -1, 0}}},
};
static const lift_triple LIFTS_26[] = {
    {{{1, 0, 0}, {1, 1, 1}, {1, 1, 0}}}, {{{1, 0, 0}, {1, 1, 1}, {1, 1, -1}}}, {{{1, 0, 0}, {1, 1, 0}, {0, 1, 1}}},
    {{{1, 0, 0}, {0, 0, 1}, {1, 1, 0}}}, {{{1, 0, 0}, {0, 1, 0}, {1, 1, 1}}},  {{{1, 1, 1}, {1, 1, 0}, {1, -1, 0}}},
    {{{1, 0, 0}, {1, 0, 1}, {1, 1, 0}}}, {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
};

static const lift_triple *lift_table(carom_volume kind, uint32_t *count)
{
#define TABLE(array) (*count = (uint32_t)(sizeof(array) / sizeof *(array)), array)
    switch (kind)
    {
    case CAROM_VOLUME_KDOP14: return TABLE(LIFTS_14);
    case CAROM_VOLUME_KDOP18: return TABLE(LIFTS_18);
    case CAROM_VOLUME_KDOP26: return TABLE(LIFTS_26);
    default: return TABLE(LIFTS_6);
    }
#undef TABLE
}

/* Half-space of a direction with entries -1, 0, 1: its slab, + VOLUME_SLABS_MAX where it is the slab's low side. */
static uint8_t half_space_of(carom_volume kind, const int d[3])
{
    static const int16_t slab_by_code[27] = {/* x + 1 + 3 (y + 1) + 9 (z + 1); -1 - slab for the opposite direction */
                                             -4, -10, 6, -9, -3, 11,  -5, 12,  5, -8, -2, 10, -1, 0,
                                             0,  -11, 1, 7,  -6, -13, 4,  -12, 2, 8,  -7, 9,  3};
    int code = slab_by_code[(d[0] + 1) + 3 * (d[1] + 1) + 9 * (d[2] + 1)];
    int slab = code >= 0 ? code : -1 - code;
    if (kind == CAROM_VOLUME_KDOP18 && slab >= FIRST_EDGE)
        slab -= CORNER_COUNT;
    return (uint8_t)(code >= 0 ? slab : slab + VOLUME_SLABS_MAX);
}

/* Where the folded axes came from: folded component i is sign[i] times component from[i]. */
typedef struct folding
{
    int from[3], sign[3];
    double folded[3];
} folding;

static folding fold(carom_vec3 v)
{
    double size[3] = {fabs(v.x), fabs(v.y), fabs(v.z)};
    folding f = {.from = {0, 1, 2}};
    for (int pass = 0; pass < 3; pass++)
    {
        int at = pass == 1 ? 1 : 0;
        if (size[f.from[at]] < size[f.from[at + 1]])
        {
            int swapped = f.from[at];
            f.from[at] = f.from[at + 1], f.from[at + 1] = swapped;
        }
    }
    for (int i = 0; i < 3; i++)
    {
        f.folded[i] = size[f.from[i]];
        f.sign[i] = component(v, f.from[i]) < 0.0 ? -1 : 1;
    }
    return f;
}

/* False where the direction is not in the triple's cone. */
static bool lift_from_triple(carom_volume kind, const lift_triple *triple, const folding *f, volume_lift *out)
{
    carom_vec3 d[3];
    for (int i = 0; i < 3; i++)
        d[i] = vec3(triple->direction[i][0], triple->direction[i][1], triple->direction[i][2]);
    carom_vec3 e = vec3(f->folded[0], f->folded[1], f->folded[2]);
    carom_vec3 across = vec3_cross(d[1], d[2]);
    double determinant = vec3_dot(d[0], across);
    out->weight[0] = vec3_dot(e, across) / determinant;
    out->weight[1] = vec3_dot(e, vec3_cross(d[2], d[0])) / determinant;
    out->weight[2] = vec3_dot(e, vec3_cross(d[0], d[1])) / determinant;
    for (int i = 0; i < 3; i++)
    {
        if (out->weight[i] < 0.0)
            return false;
        int unfolded[3];
        for (int j = 0; j < 3; j++)
            unfolded[f->from[j]] = f->sign[j] * triple->direction[i][j];
        out->side[i] = half_space_of(kind, unfolded);
    }
    return true;
}

void slab_frame_begin(volume_frame *frame)
{
    if (frame->translation)
        return;
    const double *r = frame->relative.rotation;
    uint32_t triple_count, count = slab_count(frame->still);
    const lift_triple *triples = lift_table(frame->still, &triple_count);
    for (uint32_t s = 0; s < count; s++)
    {
        const int8_t *d = DIRECTION[direction_of(frame->still, s)];
        carom_vec3 seen = vec3(r[0] * d[0] + r[3] * d[1] + r[6] * d[2], r[1] * d[0] + r[4] * d[1] + r[7] * d[2],
                               r[2] * d[0] + r[5] * d[1] + r[8] * d[2]);
        folding f = fold(seen);
        uint32_t *lifts = &frame->lift_count[s];
        *lifts = 0;
        for (uint32_t i = 0; i < triple_count && *lifts < VOLUME_LIFTS; i++)
            *lifts += lift_from_triple(frame->still, &triples[i], &f, &frame->lift[s][*lifts]);
    }
}

/* Support along the lifted direction (sign 1) or against it (sign -1). */
static double lifted_support(const volume_lift *lift, const float *volume, uint32_t count, bool opposite)
{
    double support = 0.0;
    for (int i = 0; i < 3; i++)
    {
        bool low = (lift->side[i] >= VOLUME_SLABS_MAX) != opposite;
        uint32_t slab = lift->side[i] % VOLUME_SLABS_MAX;
        support += lift->weight[i] * (low ? -(double)volume[slab] : (double)volume[count + slab]);
    }
    return support;
}

void slab_move(const volume_frame *frame, const float *volume, float *out)
{
    carom_volume kind = frame->still;
    uint32_t count = slab_count(kind);
    double shift[VOLUME_SLABS_MAX];
    slab_project(kind, frame->relative.translation, shift);
    for (uint32_t s = 0; s < count; s++)
    {
        double low = (double)volume[s], high = (double)volume[count + s];
        if (!frame->translation)
        {
            low = -INFINITY, high = INFINITY;
            for (uint32_t i = 0; i < frame->lift_count[s]; i++)
            {
                high = smaller(high, lifted_support(&frame->lift[s][i], volume, count, false));
                low = larger(low, -lifted_support(&frame->lift[s][i], volume, count, true));
            }
        }
        double slack = frame->slack * slab_length(kind, s);
        out[s] = float_below(low + shift[s] - slack);
        out[count + s] = float_above(high + shift[s] + slack);
    }
}

/* ---- tests ---- */

bool slab_apart(const volume_frame *frame, const float *still, const float *moved, double margin)
{
    uint32_t count = slab_count(frame->still);
    const float *still_high = still + count, *moved_high = moved + count;
    if (margin <= 0.0)
    {
        for (uint32_t s = 0; s < count; s++)
            if ((still[s] > moved_high[s]) | (moved[s] > still_high[s]))
                return true;
        return false;
    }
    return slab_distance(frame, still, moved) > margin;
}

double slab_distance(const volume_frame *frame, const float *still, const float *moved)
{
    uint32_t count = slab_count(frame->still);
    double box = 0.0, largest = 0.0;
    for (uint32_t s = 0; s < count; s++)
    {
        double above = (double)moved[s] - (double)still[count + s];
        double below = (double)still[s] - (double)moved[count + s];
        double gap = larger(larger(above, below), 0.0);
        if (s < 3)
            box += gap * gap;
        else
            largest = larger(largest, gap / slab_length(frame->still, s));
    }
    return larger(sqrt(box), largest) * (1.0 - 5.0 * 0x1p-53);
}

bool slab_ray(carom_volume kind, const float *volume, const volume_ray *ray, double *entry_t)
{
    uint32_t count = slab_count(kind);
    double origin[VOLUME_SLABS_MAX], direction[VOLUME_SLABS_MAX];
    slab_project(kind, ray->origin, origin);
    slab_project(kind, ray->direction, direction);
    double low_t = ray->low_t, high_t = ray->high_t;
    for (uint32_t s = 0; s < count; s++)
    {
        double slack = 2.0 * ray->slack; /* |direction| is at most sqrt 3 */
        double low = (double)volume[s] - slack - origin[s], high = (double)volume[count + s] + slack - origin[s];
        if (direction[s] == 0.0)
        {
            if (low > 0.0 || high < 0.0)
                return false;
            continue;
        }
        double near = (direction[s] > 0.0 ? low : high) / direction[s];
        double far = (direction[s] > 0.0 ? high : low) / direction[s];
        low_t = larger(low_t, near - fabs(near) * 0x1p-51);
        high_t = smaller(high_t, far + fabs(far) * 0x1p-51);
    }
    *entry_t = low_t;
    return low_t <= high_t;
}

/* ---- measure ---- */

enum
{
    POLYGON_MAX = 4 + 2 * VOLUME_SLABS_MAX
};

typedef struct polygon
{
    carom_vec3 point[POLYGON_MAX + 1];
    uint32_t count;
} polygon;

/* Keeps the part with normal . p <= offset. */
static void clip(polygon *face, carom_vec3 normal, double offset)
{
    polygon kept = {.count = 0};
    for (uint32_t i = 0; i < face->count; i++)
    {
        carom_vec3 p = face->point[i], q = face->point[(i + 1) % face->count];
        double at_p = vec3_dot(normal, p) - offset, at_q = vec3_dot(normal, q) - offset;
        if (at_p <= 0.0 && kept.count < POLYGON_MAX)
            kept.point[kept.count++] = p;
        if ((at_p < 0.0) != (at_q < 0.0) && at_p != at_q && kept.count < POLYGON_MAX)
            kept.point[kept.count++] = vec3_add(p, vec3_scale(vec3_sub(q, p), at_p / (at_p - at_q)));
    }
    *face = kept;
}

static double polygon_area(const polygon *face)
{
    carom_vec3 sum = vec3(0.0, 0.0, 0.0);
    for (uint32_t i = 2; i < face->count; i++)
        sum = vec3_add(
            sum, vec3_cross(vec3_sub(face->point[i - 1], face->point[0]), vec3_sub(face->point[i], face->point[0])));
    return 0.5 * vec3_length(sum);
}

/* Half-space h of a volume seen from its middle: h < count the high sides, the rest the low ones. */
static carom_vec3 half_space(carom_volume kind, const float *volume, uint32_t h, double *offset)
{
    uint32_t count = slab_count(kind), slab = h % count;
    const int8_t *d = DIRECTION[direction_of(kind, slab)];
    double sign = h < count ? 1.0 : -1.0, middle[VOLUME_SLABS_MAX];
    carom_vec3 centre =
        vec3(0.5 * ((double)volume[0] + (double)volume[count]), 0.5 * ((double)volume[1] + (double)volume[count + 1]),
             0.5 * ((double)volume[2] + (double)volume[count + 2]));
    slab_project(kind, centre, middle);
    *offset = sign * ((double)volume[h < count ? count + slab : slab] - middle[slab]);
    return vec3(sign * d[0], sign * d[1], sign * d[2]);
}

/* A square in the plane of a half-space, larger than the volume. */
static polygon face_square(carom_vec3 normal, double offset, double size)
{
    carom_vec3 middle = vec3_scale(normal, offset / vec3_dot(normal, normal));
    carom_vec3 u = vec3_cross(normal, normal.x != 0.0 ? vec3(0.0, 1.0, 0.0) : vec3(1.0, 0.0, 0.0));
    if (vec3_dot(u, u) == 0.0)
        u = vec3_cross(normal, vec3(0.0, 0.0, 1.0));
    carom_vec3 v = vec3_cross(normal, u);
    u = vec3_scale(u, size / vec3_length(u)), v = vec3_scale(v, size / vec3_length(v));
    return (polygon){{vec3_add(middle, vec3_add(u, v)), vec3_add(middle, vec3_sub(v, u)),
                      vec3_sub(middle, vec3_add(u, v)), vec3_sub(middle, vec3_sub(v, u))},
                     4};
}

void slab_measure(carom_volume kind, const float *volume, double *area, double *content)
{
    uint32_t count = slab_count(kind);
    carom_vec3 size = vec3((double)volume[count] - (double)volume[0], (double)volume[count + 1] - (double)volume[1],
                           (double)volume[count + 2] - (double)volume[2]);
    *area = 2.0 * (size.x * size.y + size.y * size.z + size.z * size.x);
    *content = size.x * size.y * size.z;
    if (count == 3)
        return;
    *area = *content = 0.0;
    for (uint32_t h = 0; h < 2 * count; h++)
    {
        double offset, other;
        carom_vec3 normal = half_space(kind, volume, h, &offset);
        polygon face = face_square(normal, offset, 2.0 * (size.x + size.y + size.z));
        for (uint32_t i = 0; i < 2 * count && face.count > 0; i++)
        {
            carom_vec3 limit = half_space(kind, volume, i, &other);
            if (i != h)
                clip(&face, limit, other);
        }
        double face_area = polygon_area(&face);
        *area += face_area;
        *content += face_area * offset / (3.0 * vec3_length(normal));
    }
}
