/* Numbers of the oracle: integers from doubles, vectors, constraints, signs. */
#include "support/oracle_numbers.h"

#include <stdlib.h>

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

int oracle_lowest_exponent(const double *values, int count)
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

void oracle_set_number(mpz_t out, double value, int lowest)
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
int oracle_set_corners(oracle *o, const carom_vec3 *points, int count)
{
    int lowest = oracle_lowest_exponent(&points[0].x, 3 * count);
    for (int i = 0; i < count; i++)
    {
        oracle_set_number(o->corner[i][0], points[i].x, lowest);
        oracle_set_number(o->corner[i][1], points[i].y, lowest);
        oracle_set_number(o->corner[i][2], points[i].z, lowest);
    }
    return lowest;
}

void oracle_subtract(mpz_t *out, mpz_t *a, mpz_t *b)
{
    for (int i = 0; i < 3; i++)
        mpz_sub(out[i], a[i], b[i]);
}

void oracle_dot(mpz_t out, mpz_t *a, mpz_t *b)
{
    mpz_mul(out, a[0], b[0]);
    mpz_addmul(out, a[1], b[1]);
    mpz_addmul(out, a[2], b[2]);
}

/* out is neither a nor b. */
void oracle_cross(mpz_t *out, mpz_t *a, mpz_t *b)
{
    for (int i = 0; i < 3; i++)
    {
        mpz_mul(out[i], a[(i + 1) % 3], b[(i + 2) % 3]);
        mpz_submul(out[i], a[(i + 2) % 3], b[(i + 1) % 3]);
    }
}

bool oracle_is_zero(mpz_t *a) { return mpz_sgn(a[0]) == 0 && mpz_sgn(a[1]) == 0 && mpz_sgn(a[2]) == 0; }

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

/* exact, times 2^exponent */
static void set_rational(mpq_t out, double value, int exponent)
{
    mpq_set_d(out, value);
    if (exponent > 0)
        mpq_mul_2exp(out, out, (mp_bitcnt_t)exponent);
    else
        mpq_div_2exp(out, out, (mp_bitcnt_t)-exponent);
}

/* Is the double nearest to the quotient, and even if another is as near? By the middles on both sides of it. */
static bool is_nearest(double value, mpq_t quotient)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bool even = bits % 2 == 0, nearest = true;
    mpq_t middle, half;
    mpq_inits(middle, half, (mpq_ptr)0);
    for (int side = -1; side <= 1; side += 2)
    {
        set_rational(middle, value, -1);
        set_rational(half, nextafter(value, side < 0 ? -INFINITY : INFINITY), -1);
        mpq_add(middle, middle, half);
        int order = side * mpq_cmp(quotient, middle);
        nearest = nearest && (order < 0 || (order == 0 && even));
    }
    mpq_clears(middle, half, (mpq_ptr)0);
    return nearest;
}

double oracle_rounded(oracle *o, const mpz_t numerator, const mpz_t denominator, int exponent)
{
    mpf_set_z(o->f[0], numerator);
    mpf_set_z(o->f[1], denominator);
    mpf_div(o->f[0], o->f[0], o->f[1]);
    long own;
    double d = mpf_get_d_2exp(&own, o->f[0]);
    double near = ldexp(d, (int)own + exponent);
    mpq_t quotient;
    mpq_init(quotient);
    mpz_set(mpq_numref(quotient), numerator);
    mpz_set(mpq_denref(quotient), denominator);
    mpq_canonicalize(quotient);
    if (exponent > 0)
        mpq_mul_2exp(quotient, quotient, (mp_bitcnt_t)exponent);
    else
        mpq_div_2exp(quotient, quotient, (mp_bitcnt_t)-exponent);
    const double candidates[3] = {near, nextafter(near, INFINITY), nextafter(near, -INFINITY)};
    for (int i = 0; i < 3; i++)
        if (is_nearest(candidates[i], quotient))
        {
            near = candidates[i];
            break;
        }
    mpq_clear(quotient);
    return near;
}

/* ---- signs ---- */

int oracle_orient3d(oracle *o, const carom_vec3 points[4])
{
    oracle_set_corners(o, points, 4);
    for (int i = 0; i < 3; i++)
        oracle_subtract(o->v[i], o->corner[i], o->corner[3]);
    oracle_cross(o->v[3], o->v[1], o->v[2]);
    oracle_dot(o->t[0], o->v[0], o->v[3]);
    return mpz_sgn(o->t[0]);
}

int oracle_orient2d(oracle *o, const carom_vec3 points[3], int axis)
{
    oracle_set_corners(o, points, 3);
    oracle_subtract(o->v[0], o->corner[1], o->corner[0]);
    oracle_subtract(o->v[1], o->corner[2], o->corner[0]);
    oracle_cross(o->v[2], o->v[0], o->v[1]);
    return mpz_sgn(o->v[2][axis]);
}

int oracle_ray3d(oracle *o, carom_vec3 direction, const carom_vec3 origin_a_b[3])
{
    oracle_set_corners(o, origin_a_b, 3);
    oracle_subtract(o->v[0], o->corner[1], o->corner[0]);
    oracle_subtract(o->v[1], o->corner[2], o->corner[0]);
    oracle_cross(o->v[2], o->v[0], o->v[1]);
    oracle_set_corners(o, &direction, 1);
    oracle_dot(o->t[0], o->corner[0], o->v[2]);
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
    int exponent = oracle_set_corners(o, points, direction ? 3 : 4) * (direction ? 2 : 3);
    for (int i = 0; i < 3; i++)
        oracle_subtract(o->v[i], o->corner[direction ? (i + 1) % 3 : i], o->corner[direction ? 0 : 3]);
    if (direction)
    {
        oracle_cross(o->v[3], o->v[0], o->v[1]);
        exponent += oracle_set_corners(o, direction, 1);
        oracle_dot(o->t[0], o->corner[0], o->v[3]);
        return error_of(o, computed, exponent);
    }
    oracle_cross(o->v[3], o->v[1], o->v[2]);
    oracle_dot(o->t[0], o->v[0], o->v[3]);
    return error_of(o, computed, exponent);
}

double oracle_error2d(oracle *o, const carom_vec3 points[3], int axis, double computed)
{
    int exponent = oracle_set_corners(o, points, 3);
    oracle_subtract(o->v[0], o->corner[1], o->corner[0]);
    oracle_subtract(o->v[1], o->corner[2], o->corner[0]);
    oracle_cross(o->v[2], o->v[0], o->v[1]);
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
static void finish_constraint(constraint *c, vector point) { oracle_dot(c->offset, c->normal, point); }

void oracle_constrain(oracle *o, constraints *list, vector corner[3])
{
    list->count = 0;
    oracle_subtract(o->v[0], corner[1], corner[0]);
    oracle_subtract(o->v[1], corner[2], corner[0]);
    oracle_cross(o->v[2], o->v[0], o->v[1]);
    if (!oracle_is_zero(o->v[2]))
    {
        constraint *plane = next_constraint(list, true);
        for (int i = 0; i < 3; i++)
            mpz_set(plane->normal[i], o->v[2][i]);
        finish_constraint(plane, corner[0]);
        for (int i = 0; i < 3; i++)
        {
            constraint *side = next_constraint(list, false);
            oracle_subtract(o->v[3], corner[(i + 1) % 3], corner[i]);
            oracle_cross(side->normal, o->v[2], o->v[3]);
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
    oracle_subtract(o->v[0], corner[high], corner[low]);
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
