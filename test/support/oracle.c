/* How two triangles, or a ray and a triangle, meet: by clipping. */
#include "support/oracle_numbers.h"

static void evaluate(mpz_t out, constraint *c, homogeneous *p)
{
    oracle_dot(out, c->normal, p->x);
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
    oracle_cross(o->v[2], o->v[0], o->v[1]);
    if (!oracle_is_zero(o->v[2]))
        return false;
    oracle_dot(o->t[0], o->v[0], o->v[1]);
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
        oracle_subtract(o->v[i], o->corner[i], o->corner[0]);
    for (int i = 1; i < 6; i++)
        for (int j = i + 1; j < 6; j++)
            for (int k = j + 1; k < 6; k++)
            {
                oracle_cross(o->v[6], o->v[i], o->v[j]);
                oracle_dot(o->t[0], o->v[6], o->v[k]);
                if (mpz_sgn(o->t[0]) != 0)
                    return false;
            }
    return true;
}

oracle_meeting oracle_meet(oracle *o, const narrow_triangle *a, const narrow_triangle *b)
{
    carom_vec3 all[6];
    memcpy(all, a->corner, sizeof a->corner);
    memcpy(all + 3, b->corner, sizeof b->corner);
    int exponent = oracle_set_corners(o, all, 6);
    oracle_constrain(o, &o->of_a, o->corner);
    oracle_constrain(o, &o->of_b, o->corner + 3);
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
        answer.point[i] = vec3(oracle_rounded(o, from[i].x[0], from[i].w, exponent),
                               oracle_rounded(o, from[i].x[1], from[i].w, exponent),
                               oracle_rounded(o, from[i].x[2], from[i].w, exponent));
    return answer;
}

/* ---- rays ---- */

/* 2^exponent t */
static void scale_rational(mpq_t t, int exponent)
{
    if (exponent > 0)
        mpq_mul_2exp(t, t, (mp_bitcnt_t)exponent);
    else
        mpq_div_2exp(t, t, (mp_bitcnt_t)-exponent);
}

bool oracle_ray_parameter(oracle *o, const narrow_ray *ray, const narrow_triangle *triangle, mpq_t t)
{
    carom_vec3 all[4] = {ray->origin, triangle->corner[0], triangle->corner[1], triangle->corner[2]};
    int exponent = oracle_set_corners(o, all, 4);
    oracle_constrain(o, &o->of_b, o->corner + 1);
    int direction_exponent = oracle_lowest_exponent(&ray->direction.x, 3);
    oracle_set_number(o->v[7][0], ray->direction.x, direction_exponent);
    oracle_set_number(o->v[7][1], ray->direction.y, direction_exponent);
    oracle_set_number(o->v[7][2], ray->direction.z, direction_exponent);
    /* [low, high] in rationals, high open-ended while its denominator is 0 */
    mpq_t high, at;
    mpq_ptr low = t;
    mpq_inits(high, at, (mpq_ptr)0);
    mpq_set_ui(low, 0, 1);
    bool bounded = false, empty = false;
    for (int i = 0; i < o->of_b.count; i++)
        for (int sign = 1; sign >= (o->of_b.item[i].equality ? -1 : 1); sign -= 2)
        {
            /* sign * (value + t slope) >= 0 */
            constraint *c = &o->of_b.item[i];
            oracle_dot(o->t[0], c->normal, o->corner[0]);
            mpz_sub(o->t[0], o->t[0], c->offset);
            oracle_dot(o->t[1], c->normal, o->v[7]);
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
    scale_rational(t, exponent - direction_exponent);
    mpq_clears(high, at, (mpq_ptr)0);
    return hit;
}

bool oracle_ray(oracle *o, const narrow_ray *ray, const narrow_triangle *triangle, double *t)
{
    mpq_t exact;
    mpq_init(exact);
    bool hit = oracle_ray_parameter(o, ray, triangle, exact);
    if (hit)
        *t = oracle_rounded(o, mpq_numref(exact), mpq_denref(exact), 0);
    mpq_clear(exact);
    return hit;
}
