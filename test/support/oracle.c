#include "support/oracle.h"

#include <gmp.h>
#include <stdlib.h>

enum
{
    POINTS = 24,
    CONSTRAINTS = 8,
    TEMPS = 24,
    FLOAT_BITS = 320
};

typedef mpz_t vector[3];

/* Homogeneous: x / w with w > 0. */
typedef struct homogeneous
{
    vector x;
    mpz_t w;
} homogeneous;

/* normal . x - offset >= 0, or == 0. */
typedef struct constraint
{
    vector normal;
    mpz_t offset;
    bool equality;
} constraint;

typedef struct constraints
{
    constraint item[CONSTRAINTS];
    int count;
} constraints;

struct oracle
{
    vector corner[6];
    constraints of_a, of_b;
    homogeneous polygon[2][POINTS], centre;
    mpz_t value[POINTS];
    vector v[8];
    mpz_t t[TEMPS];
    mpf_t f[4], best;
};

static void vector_init(vector v)
{
    for (int i = 0; i < 3; i++)
        mpz_init(v[i]);
}

static void vector_clear(vector v)
{
    for (int i = 0; i < 3; i++)
        mpz_clear(v[i]);
}

static void each_number(oracle *o, void (*on_vector)(vector), void (*on_number)(mpz_t))
{
    for (int i = 0; i < 6; i++)
        on_vector(o->corner[i]);
    for (int i = 0; i < 8; i++)
        on_vector(o->v[i]);
    for (int i = 0; i < TEMPS; i++)
        on_number(o->t[i]);
    for (int i = 0; i < POINTS; i++)
    {
        on_number(o->value[i]);
        for (int side = 0; side < 2; side++)
        {
            on_vector(o->polygon[side][i].x);
            on_number(o->polygon[side][i].w);
        }
    }
    on_vector(o->centre.x);
    on_number(o->centre.w);
    for (int i = 0; i < CONSTRAINTS; i++)
    {
        on_vector(o->of_a.item[i].normal), on_vector(o->of_b.item[i].normal);
        on_number(o->of_a.item[i].offset), on_number(o->of_b.item[i].offset);
    }
}

static void number_init(mpz_t n) { mpz_init(n); }
static void number_clear(mpz_t n) { mpz_clear(n); }

oracle *oracle_create(void)
{
    oracle *o = calloc(1, sizeof *o);
    each_number(o, vector_init, number_init);
    for (int i = 0; i < 4; i++)
        mpf_init2(o->f[i], FLOAT_BITS);
    mpf_init2(o->best, FLOAT_BITS);
    return o;
}

void oracle_destroy(oracle *o)
{
    each_number(o, vector_clear, number_clear);
    for (int i = 0; i < 4; i++)
        mpf_clear(o->f[i]);
    mpf_clear(o->best);
    free(o);
}

/* ---- integers from doubles ---- */

static int lowest_exponent(const double *values, int count)
{
    int lowest = 0;
    bool any = false;
    for (int i = 0; i < count; i++)
        if (values[i] != 0.0)
        {
            int exponent;
            frexp(values[i], &exponent);
            exponent = exponent - 53 < -1074 ? -1074 : exponent - 53;
            lowest = !any || exponent < lowest ? exponent : lowest;
            any = true;
        }
    return lowest;
}

static void set_number(mpz_t out, double value, int lowest)
{
    int exponent;
    double fraction = frexp(value, &exponent);
    mpz_set_d(out, ldexp(fraction, 53)); /* an integer */
    int shift = exponent - 53 - lowest;
    if (shift >= 0)
        mpz_mul_2exp(out, out, (mp_bitcnt_t)shift);
    else
        mpz_tdiv_q_2exp(out, out, (mp_bitcnt_t)-shift); /* a denormal: the bits shifted out are zero */
}

/* Returns the exponent of the common unit. */
static int set_corners(oracle *o, const carom_vec3 *points, int count)
{
    int lowest = lowest_exponent(&points[0].x, 3 * count);
    for (int i = 0; i < count; i++)
    {
        set_number(o->corner[i][0], points[i].x, lowest);
        set_number(o->corner[i][1], points[i].y, lowest);
        set_number(o->corner[i][2], points[i].z, lowest);
    }
    return lowest;
}

static void subtract(vector out, vector a, vector b)
{
    for (int i = 0; i < 3; i++)
        mpz_sub(out[i], a[i], b[i]);
}

static void dot(mpz_t out, vector a, vector b)
{
    mpz_mul(out, a[0], b[0]);
    mpz_addmul(out, a[1], b[1]);
    mpz_addmul(out, a[2], b[2]);
}

/* out is neither a nor b. */
static void cross(vector out, vector a, vector b)
{
    for (int i = 0; i < 3; i++)
    {
        mpz_mul(out[i], a[(i + 1) % 3], b[(i + 2) % 3]);
        mpz_submul(out[i], a[(i + 2) % 3], b[(i + 1) % 3]);
    }
}

static bool is_zero(vector a) { return mpz_sgn(a[0]) == 0 && mpz_sgn(a[1]) == 0 && mpz_sgn(a[2]) == 0; }

static int compare(vector a, vector b)
{
    for (int i = 0; i < 3; i++)
    {
        int order = mpz_cmp(a[i], b[i]);
        if (order != 0)
            return order;
    }
    return 0;
}

/* ---- signs ---- */

int oracle_orient3d(oracle *o, const carom_vec3 points[4])
{
    set_corners(o, points, 4);
    for (int i = 0; i < 3; i++)
        subtract(o->v[i], o->corner[i], o->corner[3]);
    cross(o->v[3], o->v[1], o->v[2]);
    dot(o->t[0], o->v[0], o->v[3]);
    return mpz_sgn(o->t[0]);
}

int oracle_orient2d(oracle *o, const carom_vec3 points[3], int axis)
{
    set_corners(o, points, 3);
    subtract(o->v[0], o->corner[1], o->corner[0]);
    subtract(o->v[1], o->corner[2], o->corner[0]);
    cross(o->v[2], o->v[0], o->v[1]);
    return mpz_sgn(o->v[2][axis]);
}

int oracle_ray3d(oracle *o, carom_vec3 direction, const carom_vec3 origin_a_b[3])
{
    set_corners(o, origin_a_b, 3);
    subtract(o->v[0], o->corner[1], o->corner[0]);
    subtract(o->v[1], o->corner[2], o->corner[0]);
    cross(o->v[2], o->v[0], o->v[1]);
    set_corners(o, &direction, 1);
    dot(o->t[0], o->corner[0], o->v[2]);
    return mpz_sgn(o->t[0]);
}

/* |computed - t[0] 2^exponent| */
static double error_of(oracle *o, double computed, int exponent)
{
    mpf_set_z(o->f[0], o->t[0]);
    if (exponent < 0)
        mpf_div_2exp(o->f[0], o->f[0], (mp_bitcnt_t)-exponent);
    else
        mpf_mul_2exp(o->f[0], o->f[0], (mp_bitcnt_t)exponent);
    mpf_set_d(o->f[1], computed);
    mpf_sub(o->f[0], o->f[0], o->f[1]);
    return fabs(mpf_get_d(o->f[0]));
}

double oracle_error3d(oracle *o, const carom_vec3 *points, const carom_vec3 *direction, double computed)
{
    int exponent = set_corners(o, points, direction ? 3 : 4) * (direction ? 2 : 3);
    for (int i = 0; i < 3; i++)
        subtract(o->v[i], o->corner[direction ? (i + 1) % 3 : i], o->corner[direction ? 0 : 3]);
    if (direction)
    {
        cross(o->v[3], o->v[0], o->v[1]);
        exponent += set_corners(o, direction, 1);
        dot(o->t[0], o->corner[0], o->v[3]);
        return error_of(o, computed, exponent);
    }
    cross(o->v[3], o->v[1], o->v[2]);
    dot(o->t[0], o->v[0], o->v[3]);
    return error_of(o, computed, exponent);
}

double oracle_error2d(oracle *o, const carom_vec3 points[3], int axis, double computed)
{
    int exponent = set_corners(o, points, 3);
    subtract(o->v[0], o->corner[1], o->corner[0]);
    subtract(o->v[1], o->corner[2], o->corner[0]);
    cross(o->v[2], o->v[0], o->v[1]);
    mpz_set(o->t[0], o->v[2][axis]);
    return error_of(o, computed, 2 * exponent);
}

/* ---- constraints ---- */

static constraint *next_constraint(constraints *list, bool equality)
{
    constraint *c = &list->item[list->count++];
    c->equality = equality;
    return c;
}

/* through `point` */
static void finish_constraint(constraint *c, vector point) { dot(c->offset, c->normal, point); }

static void constrain(oracle *o, constraints *list, vector corner[3])
{
    list->count = 0;
    subtract(o->v[0], corner[1], corner[0]);
    subtract(o->v[1], corner[2], corner[0]);
    cross(o->v[2], o->v[0], o->v[1]);
    if (!is_zero(o->v[2]))
    {
        constraint *plane = next_constraint(list, true);
        for (int i = 0; i < 3; i++)
            mpz_set(plane->normal[i], o->v[2][i]);
        finish_constraint(plane, corner[0]);
        for (int i = 0; i < 3; i++)
        {
            constraint *side = next_constraint(list, false);
            subtract(o->v[3], corner[(i + 1) % 3], corner[i]);
            cross(side->normal, o->v[2], o->v[3]);
            finish_constraint(side, corner[i]);
        }
        return;
    }
    int low = 0, high = 0;
    for (int i = 1; i < 3; i++)
    {
        low = compare(corner[i], corner[low]) < 0 ? i : low;
        high = compare(corner[i], corner[high]) > 0 ? i : high;
    }
    bool is_point = compare(corner[low], corner[high]) == 0;
    subtract(o->v[0], corner[high], corner[low]);
    for (int i = 0; i < 3; i++)
    {
        /* a point: its coordinate; a segment: component i of direction x (x - low) */
        constraint *c = next_constraint(list, true);
        for (int k = 0; k < 3; k++)
            mpz_set_si(c->normal[k], is_point && k == i);
        if (!is_point)
        {
            mpz_neg(c->normal[(i + 1) % 3], o->v[0][(i + 2) % 3]);
            mpz_set(c->normal[(i + 2) % 3], o->v[0][(i + 1) % 3]);
        }
        finish_constraint(c, corner[low]);
    }
    for (int end = 0; !is_point && end < 2; end++)
    {
        constraint *c = next_constraint(list, false);
        for (int k = 0; k < 3; k++)
            end ? mpz_neg(c->normal[k], o->v[0][k]) : mpz_set(c->normal[k], o->v[0][k]);
        finish_constraint(c, corner[end ? high : low]);
    }
}

static void evaluate(mpz_t out, constraint *c, homogeneous *p)
{
    dot(out, c->normal, p->x);
    mpz_submul(out, c->offset, p->w);
}

/* ---- clipping ---- */

static void copy_point(homogeneous *to, homogeneous *from)
{
    for (int i = 0; i < 3; i++)
        mpz_set(to->x[i], from->x[i]);
    mpz_set(to->w, from->w);
}

static void reduce(oracle *o, homogeneous *p)
{
    mpz_gcd(o->t[0], p->x[0], p->x[1]);
    mpz_gcd(o->t[0], o->t[0], p->x[2]);
    mpz_gcd(o->t[0], o->t[0], p->w);
    if (mpz_cmp_ui(o->t[0], 1) <= 0)
        return;
    for (int i = 0; i < 3; i++)
        mpz_divexact(p->x[i], p->x[i], o->t[0]);
    mpz_divexact(p->w, p->w, o->t[0]);
}

/* Point of the segment p q where the constraint is 0; values have strictly different signs. */
static void interpolate(oracle *o, homogeneous *out, homogeneous *p, homogeneous *q, mpz_t *values)
{
    mpz_abs(o->t[0], values[1]), mpz_abs(o->t[1], values[0]);
    /* values are scaled by w already: x = (|vq| P + |vp| Q), homogeneous sum */
    for (int i = 0; i < 3; i++)
    {
        mpz_mul(o->t[2], o->t[0], p->x[i]);
        mpz_addmul(o->t[2], o->t[1], q->x[i]);
        mpz_set(out->x[i], o->t[2]);
    }
    mpz_mul(o->t[2], o->t[0], p->w);
    mpz_addmul(o->t[2], o->t[1], q->w);
    mpz_set(out->w, o->t[2]);
    reduce(o, out);
}

/* Keeps sign * constraint >= 0. */
static int clip_half(oracle *o, homogeneous *in, int count, homogeneous *out, constraint *c, int sign)
{
    int kept = 0;
    for (int i = 0; i < count; i++)
        evaluate(o->value[i], c, &in[i]);
    for (int i = 0; i < count; i++)
    {
        int j = (i + 1) % count, at_i = sign * mpz_sgn(o->value[i]), at_j = sign * mpz_sgn(o->value[j]);
        if (at_i >= 0)
            copy_point(&out[kept++], &in[i]);
        if (at_i * at_j < 0)
        {
            mpz_set(o->t[10], o->value[i]), mpz_set(o->t[11], o->value[j]);
            interpolate(o, &out[kept++], &in[i], &in[j], &o->t[10]);
        }
    }
    return kept;
}

static bool same_point(oracle *o, homogeneous *p, homogeneous *q)
{
    for (int i = 0; i < 3; i++)
    {
        mpz_mul(o->t[0], p->x[i], q->w);
        mpz_mul(o->t[1], q->x[i], p->w);
        if (mpz_cmp(o->t[0], o->t[1]) != 0)
            return false;
    }
    return true;
}

static int without_duplicates(oracle *o, homogeneous *points, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++)
    {
        bool known = false;
        for (int k = 0; k < kept && !known; k++)
            known = same_point(o, &points[k], &points[i]);
        if (!known && kept != i)
            copy_point(&points[kept], &points[i]);
        kept += !known;
    }
    return kept;
}

/* p - q times both denominators. */
static void difference(oracle *o, vector out, homogeneous *p, homogeneous *q)
{
    for (int i = 0; i < 3; i++)
    {
        mpz_mul(o->t[0], p->x[i], q->w);
        mpz_mul(o->t[1], q->x[i], p->w);
        mpz_sub(out[i], o->t[0], o->t[1]);
    }
}

/* Is p strictly between q and r? */
static bool between(oracle *o, homogeneous *p, homogeneous *q, homogeneous *r)
{
    difference(o, o->v[0], q, p);
    difference(o, o->v[1], r, p);
    cross(o->v[2], o->v[0], o->v[1]);
    if (!is_zero(o->v[2]))
        return false;
    dot(o->t[0], o->v[0], o->v[1]);
    return mpz_sgn(o->t[0]) < 0;
}

/* Convex position is known but for points on sides. */
static int extreme_points(oracle *o, homogeneous *points, int count)
{
    count = without_duplicates(o, points, count);
    for (int i = 0; i < count; i++)
    {
        bool inner = false;
        for (int j = 0; j < count && !inner; j++)
            for (int k = j + 1; k < count && !inner; k++)
                inner = j != i && k != i && between(o, &points[i], &points[j], &points[k]);
        if (inner)
        {
            for (int k = i; k + 1 < count; k++)
                copy_point(&points[k], &points[k + 1]);
            count--, i--;
        }
    }
    return count;
}

/* ---- meeting ---- */

static bool strictly_within(oracle *o, constraints *list, homogeneous *p)
{
    for (int i = 0; i < list->count; i++)
    {
        evaluate(o->t[5], &list->item[i], p);
        if (!list->item[i].equality && mpz_sgn(o->t[5]) <= 0)
            return false;
    }
    return true;
}

static bool all_coplanar(oracle *o)
{
    for (int i = 1; i < 6; i++)
        subtract(o->v[i], o->corner[i], o->corner[0]);
    for (int i = 1; i < 6; i++)
        for (int j = i + 1; j < 6; j++)
            for (int k = j + 1; k < 6; k++)
            {
                cross(o->v[6], o->v[i], o->v[j]);
                dot(o->t[0], o->v[6], o->v[k]);
                if (mpz_sgn(o->t[0]) != 0)
                    return false;
            }
    return true;
}

static double rounded(oracle *o, const mpz_t numerator, const mpz_t denominator, int exponent)
{
    mpf_set_z(o->f[0], numerator);
    mpf_set_z(o->f[1], denominator);
    mpf_div(o->f[0], o->f[0], o->f[1]);
    long own;
    double d = mpf_get_d_2exp(&own, o->f[0]);
    return ldexp(d, (int)own + exponent);
}

oracle_meeting oracle_meet(oracle *o, const narrow_triangle *a, const narrow_triangle *b)
{
    carom_vec3 all[6];
    memcpy(all, a->corner, sizeof a->corner);
    memcpy(all + 3, b->corner, sizeof b->corner);
    int exponent = set_corners(o, all, 6);
    constrain(o, &o->of_a, o->corner);
    constrain(o, &o->of_b, o->corner + 3);
    homogeneous *from = o->polygon[0], *to = o->polygon[1];
    int count = 3;
    for (int i = 0; i < 3; i++)
    {
        for (int k = 0; k < 3; k++)
            mpz_set(from[i].x[k], o->corner[i][k]);
        mpz_set_ui(from[i].w, 1);
    }
    for (int i = 0; i < o->of_b.count && count > 0; i++)
        for (int sign = 1; sign >= (o->of_b.item[i].equality ? -1 : 1) && count > 0; sign -= 2)
        {
            count = clip_half(o, from, count, to, &o->of_b.item[i], sign);
            homogeneous *swap = from;
            from = to, to = swap;
            count = without_duplicates(o, from, count);
        }
    oracle_meeting answer = {CAROM_MEET_NONE, 0, {{0}}};
    if (count == 0)
        return answer;
    /* The middle of the extreme points is in the relative interior of the intersection. */
    count = extreme_points(o, from, count);
    mpz_set_ui(o->t[6], 1);
    for (int i = 0; i < count; i++)
        mpz_mul(o->t[6], o->t[6], from[i].w);
    mpz_mul_ui(o->centre.w, o->t[6], (unsigned long)count);
    for (int k = 0; k < 3; k++)
    {
        mpz_set_ui(o->centre.x[k], 0);
        for (int i = 0; i < count; i++)
        {
            mpz_divexact(o->t[7], o->t[6], from[i].w);
            mpz_addmul(o->centre.x[k], o->t[7], from[i].x[k]);
        }
    }
    bool crossing = strictly_within(o, &o->of_a, &o->centre) && strictly_within(o, &o->of_b, &o->centre);
    answer.meeting =
        (crossing ? CAROM_MEET_CROSSING : CAROM_MEET_TOUCHING) | (all_coplanar(o) ? CAROM_MEET_COPLANAR : 0u);
    answer.point_count = count;
    for (int i = 0; i < count && i < 6; i++)
        answer.point[i] =
            vec3(rounded(o, from[i].x[0], from[i].w, exponent), rounded(o, from[i].x[1], from[i].w, exponent),
                 rounded(o, from[i].x[2], from[i].w, exponent));
    return answer;
}

/* ---- distance ---- */

/* best = min(best, numerator / denominator) */
static void offer(oracle *o, const mpz_t numerator, const mpz_t denominator)
{
    mpf_set_z(o->f[0], numerator);
    mpf_set_z(o->f[1], denominator);
    mpf_div(o->f[0], o->f[0], o->f[1]);
    if (mpf_cmp(o->f[0], o->best) < 0)
        mpf_set(o->best, o->f[0]);
}

static void offer_points(oracle *o, vector p, vector q)
{
    subtract(o->v[0], p, q);
    dot(o->t[0], o->v[0], o->v[0]);
    mpz_set_ui(o->t[1], 1);
    offer(o, o->t[0], o->t[1]);
}

/* Point p and the inner part of the segment q r. */
static void offer_segment(oracle *o, vector p, vector q, vector r)
{
    subtract(o->v[0], r, q);
    subtract(o->v[1], p, q);
    dot(o->t[0], o->v[0], o->v[0]);
    dot(o->t[1], o->v[0], o->v[1]);
    if (mpz_sgn(o->t[1]) <= 0 || mpz_cmp(o->t[1], o->t[0]) >= 0)
        return;
    cross(o->v[2], o->v[0], o->v[1]);
    dot(o->t[2], o->v[2], o->v[2]);
    offer(o, o->t[2], o->t[0]);
}

/* Point p and the inner part of a triangle. */
static void offer_face(oracle *o, vector p, vector corner[3])
{
    subtract(o->v[0], corner[1], corner[0]);
    subtract(o->v[1], corner[2], corner[0]);
    cross(o->v[2], o->v[0], o->v[1]);
    if (is_zero(o->v[2]))
        return;
    for (int i = 0; i < 3; i++)
    {
        subtract(o->v[0], corner[(i + 1) % 3], corner[i]);
        subtract(o->v[1], p, corner[i]);
        cross(o->v[3], o->v[0], o->v[1]);
        dot(o->t[0], o->v[3], o->v[2]);
        if (mpz_sgn(o->t[0]) < 0)
            return;
    }
    subtract(o->v[1], p, corner[0]);
    dot(o->t[0], o->v[1], o->v[2]);
    mpz_mul(o->t[0], o->t[0], o->t[0]);
    dot(o->t[1], o->v[2], o->v[2]);
    offer(o, o->t[0], o->t[1]);
}

/* Inner parts of two segments p q and r s. */
static void offer_edges(oracle *o, vector p, vector q, vector r, vector s)
{
    subtract(o->v[0], q, p);
    subtract(o->v[1], s, r);
    subtract(o->v[2], r, p);
    cross(o->v[3], o->v[0], o->v[1]);
    if (is_zero(o->v[3]))
        return;
    dot(o->t[0], o->v[3], o->v[3]);
    for (int i = 0; i < 2; i++)
    {
        cross(o->v[4], o->v[2], o->v[1 - i]);
        dot(o->t[1], o->v[4], o->v[3]);
        if (mpz_sgn(o->t[1]) < 0 || mpz_cmp(o->t[1], o->t[0]) > 0)
            return;
    }
    dot(o->t[1], o->v[2], o->v[3]);
    mpz_mul(o->t[1], o->t[1], o->t[1]);
    offer(o, o->t[1], o->t[0]);
}

static void offer_corner(oracle *o, vector p, vector corner[3])
{
    for (int j = 0; j < 3; j++)
    {
        offer_points(o, p, corner[j]);
        offer_segment(o, p, corner[j], corner[(j + 1) % 3]);
    }
    offer_face(o, p, corner);
}

static void begin_distance(oracle *o)
{
    mpf_set_ui(o->best, 1);
    mpf_mul_2exp(o->best, o->best, 20000);
}

double oracle_distance_error(oracle *o, const narrow_triangle *pair, double distance, double *truth)
{
    oracle_meeting meeting = oracle_meet(o, &pair[0], &pair[1]);
    int exponent = set_corners(o, pair[0].corner, 6);
    vector *a = o->corner, *b = o->corner + 3;
    begin_distance(o);
    for (int i = 0; i < 3; i++)
    {
        offer_corner(o, a[i], b);
        offer_corner(o, b[i], a);
        for (int j = 0; j < 3; j++)
            offer_edges(o, a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3]);
    }
    if (meeting.meeting != CAROM_MEET_NONE)
        mpf_set_ui(o->best, 0);
    mpf_sqrt(o->best, o->best);
    long own;
    double fraction = mpf_get_d_2exp(&own, o->best);
    *truth = ldexp(fraction, (int)own + exponent);
    /* largest coordinate difference of any two corners */
    mpz_set_ui(o->t[0], 0);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++)
            for (int k = 0; k < 3; k++)
            {
                mpz_sub(o->t[1], o->corner[i][k], o->corner[j][k]);
                if (mpz_cmpabs(o->t[1], o->t[0]) > 0)
                    mpz_abs(o->t[0], o->t[1]);
            }
    if (mpz_sgn(o->t[0]) == 0)
        return distance == 0.0 ? 0.0 : 1.0;
    mpf_set_z(o->f[1], o->t[0]);
    if (mpf_cmp(o->best, o->f[1]) > 0)
        mpf_set(o->f[1], o->best);
    mpf_set_d(o->f[0], distance);
    if (exponent < 0)
        mpf_mul_2exp(o->f[0], o->f[0], (mp_bitcnt_t)-exponent);
    else
        mpf_div_2exp(o->f[0], o->f[0], (mp_bitcnt_t)exponent);
    mpf_sub(o->f[0], o->f[0], o->best);
    mpf_abs(o->f[0], o->f[0]);
    mpf_div(o->f[0], o->f[0], o->f[1]);
    return mpf_get_d(o->f[0]);
}

double oracle_point_distance(oracle *o, carom_vec3 point, const narrow_triangle *triangle)
{
    carom_vec3 all[4] = {point, triangle->corner[0], triangle->corner[1], triangle->corner[2]};
    int exponent = set_corners(o, all, 4);
    begin_distance(o);
    offer_corner(o, o->corner[0], o->corner + 1);
    mpf_sqrt(o->best, o->best);
    long own;
    double fraction = mpf_get_d_2exp(&own, o->best);
    return ldexp(fraction, (int)own + exponent);
}

/* ---- rays ---- */

bool oracle_ray(oracle *o, const narrow_ray *ray, const narrow_triangle *triangle, double *t)
{
    carom_vec3 all[4] = {ray->origin, triangle->corner[0], triangle->corner[1], triangle->corner[2]};
    int exponent = set_corners(o, all, 4);
    constrain(o, &o->of_b, o->corner + 1);
    int direction_exponent = lowest_exponent(&ray->direction.x, 3);
    set_number(o->v[7][0], ray->direction.x, direction_exponent);
    set_number(o->v[7][1], ray->direction.y, direction_exponent);
    set_number(o->v[7][2], ray->direction.z, direction_exponent);
    /* [low, high] in rationals, high open-ended while its denominator is 0 */
    mpq_t low, high, at;
    mpq_inits(low, high, at, (mpq_ptr)0);
    bool bounded = false, empty = false;
    for (int i = 0; i < o->of_b.count; i++)
        for (int sign = 1; sign >= (o->of_b.item[i].equality ? -1 : 1); sign -= 2)
        {
            /* sign * (value + t slope) >= 0 */
            constraint *c = &o->of_b.item[i];
            dot(o->t[0], c->normal, o->corner[0]);
            mpz_sub(o->t[0], o->t[0], c->offset);
            dot(o->t[1], c->normal, o->v[7]);
            int slope = sign * mpz_sgn(o->t[1]);
            if (slope == 0)
            {
                empty |= sign * mpz_sgn(o->t[0]) < 0;
                continue;
            }
            mpq_set_num(at, o->t[0]);
            mpq_set_den(at, o->t[1]);
            mpq_canonicalize(at);
            mpq_neg(at, at);
            if (slope > 0 && mpq_cmp(at, low) > 0)
                mpq_set(low, at);
            if (slope < 0 && (!bounded || mpq_cmp(at, high) < 0))
            {
                mpq_set(high, at);
                bounded = true;
            }
        }
    bool hit = !empty && (!bounded || mpq_cmp(low, high) <= 0);
    if (hit)
        *t = rounded(o, mpq_numref(low), mpq_denref(low), exponent - direction_exponent);
    mpq_clears(low, high, at, (mpq_ptr)0);
    return hit;
}
