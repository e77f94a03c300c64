/* Distances: the smallest over all pairs of features whose nearest points are inside them. */
#include "support/oracle_numbers.h"

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
    oracle_subtract(o->v[0], p, q);
    oracle_dot(o->t[0], o->v[0], o->v[0]);
    mpz_set_ui(o->t[1], 1);
    offer(o, o->t[0], o->t[1]);
}

/* Point p and the inner part of the segment q r. */
static void offer_segment(oracle *o, vector p, vector q, vector r)
{
    oracle_subtract(o->v[0], r, q);
    oracle_subtract(o->v[1], p, q);
    oracle_dot(o->t[0], o->v[0], o->v[0]);
    oracle_dot(o->t[1], o->v[0], o->v[1]);
    if (mpz_sgn(o->t[1]) <= 0 || mpz_cmp(o->t[1], o->t[0]) >= 0)
        return;
    oracle_cross(o->v[2], o->v[0], o->v[1]);
    oracle_dot(o->t[2], o->v[2], o->v[2]);
    offer(o, o->t[2], o->t[0]);
}

/* Point p and the inner part of a triangle. */
static void offer_face(oracle *o, vector p, vector corner[3])
{
    oracle_subtract(o->v[0], corner[1], corner[0]);
    oracle_subtract(o->v[1], corner[2], corner[0]);
    oracle_cross(o->v[2], o->v[0], o->v[1]);
    if (oracle_is_zero(o->v[2]))
        return;
    for (int i = 0; i < 3; i++)
    {
        oracle_subtract(o->v[0], corner[(i + 1) % 3], corner[i]);
        oracle_subtract(o->v[1], p, corner[i]);
        oracle_cross(o->v[3], o->v[0], o->v[1]);
        oracle_dot(o->t[0], o->v[3], o->v[2]);
        if (mpz_sgn(o->t[0]) < 0)
            return;
    }
    oracle_subtract(o->v[1], p, corner[0]);
    oracle_dot(o->t[0], o->v[1], o->v[2]);
    mpz_mul(o->t[0], o->t[0], o->t[0]);
    oracle_dot(o->t[1], o->v[2], o->v[2]);
    offer(o, o->t[0], o->t[1]);
}

/* Inner parts of two segments p q and r s. */
static void offer_edges(oracle *o, vector p, vector q, vector r, vector s)
{
    oracle_subtract(o->v[0], q, p);
    oracle_subtract(o->v[1], s, r);
    oracle_subtract(o->v[2], r, p);
    oracle_cross(o->v[3], o->v[0], o->v[1]);
    if (oracle_is_zero(o->v[3]))
        return;
    oracle_dot(o->t[0], o->v[3], o->v[3]);
    for (int i = 0; i < 2; i++)
    {
        oracle_cross(o->v[4], o->v[2], o->v[1 - i]);
        oracle_dot(o->t[1], o->v[4], o->v[3]);
        if (mpz_sgn(o->t[1]) < 0 || mpz_cmp(o->t[1], o->t[0]) > 0)
            return;
    }
    oracle_dot(o->t[1], o->v[2], o->v[3]);
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
    int exponent = oracle_set_corners(o, pair[0].corner, 6);
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
    int exponent = oracle_set_corners(o, all, 4);
    begin_distance(o);
    offer_corner(o, o->corner[0], o->corner + 1);
    mpf_sqrt(o->best, o->best);
    long own;
    double fraction = mpf_get_d_2exp(&own, o->best);
    return ldexp(fraction, (int)own + exponent);
}
