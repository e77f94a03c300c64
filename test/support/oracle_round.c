/* Distances of hulls as quotients of Gram determinants in GMP integers, then radii and rays on top. */
#include "support/oracle_round.h"
#include "support/oracle_numbers.h"

#include <stdlib.h>

enum
{
    MAX_FREE = 4, /* directions of two triangles */
    GRAM = MAX_FREE + 1
};

typedef struct gap_hull
{
    int count;
    bool endless; /* 2 points: from the first through the second and on */
    vector point[3];
} gap_hull;

struct oracle_gap
{
    gap_hull hull[2];
    int exponent;      /* of the unit of the points */
    mpz_t top, bottom; /* the squared distance in that unit */
    vector way[GRAM];
    mpz_t gram[GRAM][GRAM];
    mpz_t t[8];
    mpf_t f[3];
};

static void each_number(oracle_gap *g, void (*apply)(mpz_t))
{
    for (int i = 0; i < 18; i++)
        apply(g->hull[i / 9].point[i / 3 % 3][i % 3]);
    for (int i = 0; i < 3 * GRAM; i++)
        apply(g->way[i / 3][i % 3]);
    for (int i = 0; i < GRAM * GRAM; i++)
        apply(g->gram[i / GRAM][i % GRAM]);
    for (int i = 0; i < 8; i++)
        apply(g->t[i]);
    apply(g->top);
    apply(g->bottom);
}

static void number_init(mpz_t n) { mpz_init(n); }
static void number_clear(mpz_t n) { mpz_clear(n); }

oracle_gap *oracle_gap_create(void)
{
    oracle_gap *g = calloc(1, sizeof *g);
    each_number(g, number_init);
    for (int i = 0; i < 3; i++)
        mpf_init2(g->f[i], 2 * FLOAT_BITS);
    return g;
}

void oracle_gap_destroy(oracle_gap *g)
{
    each_number(g, number_clear);
    for (int i = 0; i < 3; i++)
        mpf_clear(g->f[i]);
    free(g);
}

/* ---- determinants ---- */

/* Of the rows `first` and following, and the columns in the mask: along the first row. */
static void determinant(mpz_t out, mpz_t m[GRAM][GRAM], int first, unsigned columns)
{
    mpz_t minor, sum;
    if (columns == 0)
    {
        mpz_set_ui(out, 1);
        return;
    }
    mpz_inits(minor, sum, (mpz_ptr)0);
    int sign = 1;
    for (int column = 0; column < GRAM; column++)
    {
        if (!(columns >> column & 1))
            continue;
        determinant(minor, m, first + 1, columns & ~(1u << column));
        if (sign > 0)
            mpz_addmul(sum, m[first][column], minor);
        else
            mpz_submul(sum, m[first][column], minor);
        sign = -sign;
    }
    mpz_set(out, sum);
    mpz_clears(minor, sum, (mpz_ptr)0);
}

/* ---- pairs of faces ---- */

/* Ways from the face's first corner to its others into g->way; returns how many. */
static int add_ways(oracle_gap *g, int count, gap_hull *hull, unsigned face, bool backwards)
{
    int first = -1;
    for (int i = 0; i < hull->count; i++)
        if (face >> i & 1)
        {
            if (first < 0)
                first = i;
            else if (backwards)
                oracle_subtract(g->way[count++], hull->point[first], hull->point[i]);
            else
                oracle_subtract(g->way[count++], hull->point[i], hull->point[first]);
        }
    return count;
}

static int first_corner(unsigned face) { return face & 1 ? 0 : face & 2 ? 1 : 2; }

/* Are the weights of ways [from, to) of the face not negative, and that of its first corner? Their common denominator
 * is in t[0]; the ways' products with the last way are the right side. */
static bool weights_hold(oracle_gap *g, int from, int to, int count, bool endless)
{
    mpz_set(g->t[1], g->t[0]);
    for (int i = from; i < to; i++)
    {
        for (int row = 0; row < count; row++)
        {
            mpz_set(g->t[3 + row], g->gram[row][i]);
            mpz_neg(g->gram[row][i], g->gram[row][count]);
        }
        determinant(g->t[2], g->gram, 0, (1u << count) - 1);
        for (int row = 0; row < count; row++)
            mpz_set(g->gram[row][i], g->t[3 + row]);
        if (mpz_sgn(g->t[2]) < 0)
            return false;
        mpz_sub(g->t[1], g->t[1], g->t[2]);
    }
    return endless || mpz_sgn(g->t[1]) >= 0;
}

static void offer_faces(oracle_gap *g, unsigned face_a, unsigned face_b)
{
    int of_a = add_ways(g, 0, &g->hull[0], face_a, false), count = add_ways(g, of_a, &g->hull[1], face_b, true);
    oracle_subtract(g->way[count], g->hull[0].point[first_corner(face_a)], g->hull[1].point[first_corner(face_b)]);
    for (int i = 0; i <= count; i++)
        for (int j = 0; j <= count; j++)
            oracle_dot(g->gram[i][j], g->way[i], g->way[j]);
    determinant(g->t[0], g->gram, 0, (1u << count) - 1);
    if (mpz_sgn(g->t[0]) == 0 || !weights_hold(g, 0, of_a, count, g->hull[0].endless) ||
        !weights_hold(g, of_a, count, count, g->hull[1].endless))
        return;
    determinant(g->t[1], g->gram, 0, (2u << count) - 1);
    mpz_mul(g->t[2], g->t[1], g->bottom);
    mpz_mul(g->t[3], g->top, g->t[0]);
    if (mpz_sgn(g->bottom) == 0 || mpz_cmp(g->t[2], g->t[3]) < 0)
        mpz_set(g->top, g->t[1]), mpz_set(g->bottom, g->t[0]);
}

static void minimise(oracle_gap *g)
{
    mpz_set_ui(g->bottom, 0);
    for (unsigned face_a = 1; face_a < 1u << g->hull[0].count; face_a++)
        for (unsigned face_b = 1; face_b < 1u << g->hull[1].count; face_b++)
            /* the far end of an endless one is no corner */
            if (!(g->hull[0].endless && face_a == 2) && !(g->hull[1].endless && face_b == 2))
                offer_faces(g, face_a, face_b);
}

/* ---- numbers ---- */

static void set_hull(gap_hull *to, const carom_vec3 *points, int count, int exponent)
{
    to->count = count, to->endless = false;
    for (int i = 0; i < 3 * count; i++)
        oracle_set_number(to->point[i / 3][i % 3], ((double *)&points[0])[i], exponent);
}

static int lower(int a, int b) { return a < b ? a : b; }

void oracle_gap_measure(oracle_gap *g, const exact_round *a, const exact_round *b)
{
    carom_vec3 all[6];
    memcpy(all, a->points, (size_t)a->count * sizeof *all);
    memcpy(all + a->count, b->points, (size_t)b->count * sizeof *all);
    g->exponent = oracle_lowest_exponent(&all[0].x, 3 * (a->count + b->count));
    set_hull(&g->hull[0], a->points, a->count, g->exponent);
    set_hull(&g->hull[1], b->points, b->count, g->exponent);
    minimise(g);
}

/* t[0] = the sum of the radii, in units of 2^*exponent, which is at most that of the points. */
static void add_radii(oracle_gap *g, double radius_a, double radius_b, int *exponent)
{
    double radii[2] = {radius_a, radius_b};
    *exponent = lower(g->exponent, oracle_lowest_exponent(radii, 2));
    oracle_set_number(g->t[0], radius_a, *exponent);
    oracle_set_number(g->t[1], radius_b, *exponent);
    mpz_add(g->t[0], g->t[0], g->t[1]);
}

int oracle_gap_sign(oracle_gap *g, double radius_a, double radius_b)
{
    int exponent;
    add_radii(g, radius_a, radius_b, &exponent);
    mpz_mul_2exp(g->t[1], g->top, 2 * (mp_bitcnt_t)(g->exponent - exponent));
    mpz_mul(g->t[0], g->t[0], g->t[0]);
    mpz_mul(g->t[0], g->t[0], g->bottom);
    int order = mpz_cmp(g->t[1], g->t[0]);
    return (order > 0) - (order < 0);
}

int oracle_gap_twice_sign(oracle_gap *g, const double *lengths, int count)
{
    int exponent = lower(g->exponent, oracle_lowest_exponent(lengths, count));
    mpz_set_ui(g->t[0], 0);
    for (int i = 0; i < count; i++)
    {
        oracle_set_number(g->t[1], lengths[i], exponent);
        mpz_add(g->t[0], g->t[0], g->t[1]);
    }
    mpz_mul_2exp(g->t[1], g->top, 2 * (mp_bitcnt_t)(g->exponent - exponent) + 2);
    mpz_mul(g->t[0], g->t[0], g->t[0]);
    mpz_mul(g->t[0], g->t[0], g->bottom);
    int order = mpz_cmp(g->t[1], g->t[0]);
    return (order > 0) - (order < 0);
}

int oracle_gap_order(oracle_gap *g, oracle_gap *other)
{
    int exponent = lower(g->exponent, other->exponent);
    mpz_mul(g->t[0], g->top, other->bottom);
    mpz_mul_2exp(g->t[0], g->t[0], 2 * (mp_bitcnt_t)(g->exponent - exponent));
    mpz_mul(g->t[1], other->top, g->bottom);
    mpz_mul_2exp(g->t[1], g->t[1], 2 * (mp_bitcnt_t)(other->exponent - exponent));
    int order = mpz_cmp(g->t[0], g->t[1]);
    return (order > 0) - (order < 0);
}

/* f[0] = the distance in units of the points */
static void set_distance(oracle_gap *g)
{
    mpf_set_z(g->f[0], g->top);
    mpf_set_z(g->f[1], g->bottom);
    mpf_div(g->f[0], g->f[0], g->f[1]);
    mpf_sqrt(g->f[0], g->f[0]);
}

static double as_double(const mpf_t number, int exponent)
{
    long own;
    double fraction = mpf_get_d_2exp(&own, number);
    return ldexp(fraction, (int)own + exponent);
}

double oracle_gap_distance(oracle_gap *g)
{
    set_distance(g);
    return as_double(g->f[0], g->exponent);
}

double oracle_gap_error(oracle_gap *g, double radius_a, double radius_b, double computed)
{
    int exponent;
    add_radii(g, radius_a, radius_b, &exponent);
    set_distance(g);
    mpf_mul_2exp(g->f[0], g->f[0], (mp_bitcnt_t)(g->exponent - exponent));
    mpf_set_z(g->f[1], g->t[0]);
    mpf_sub(g->f[0], g->f[0], g->f[1]);
    mpf_set_d(g->f[1], computed);
    if (exponent < 0)
        mpf_mul_2exp(g->f[1], g->f[1], (mp_bitcnt_t)-exponent);
    else
        mpf_div_2exp(g->f[1], g->f[1], (mp_bitcnt_t)exponent);
    mpf_sub(g->f[0], g->f[0], g->f[1]);
    mpf_abs(g->f[0], g->f[0]);
    return as_double(g->f[0], exponent);
}

/* ---- rays ---- */

/* hull[0] = the ray at the given parameters, hull[1] = the core. */
static void set_ray(oracle_gap *g, const narrow_ray *ray, const narrow_round *round, const double *at, int count)
{
    carom_vec3 fixed[3] = {ray->origin, round->end[0], round->end[1]};
    int t_exponent = oracle_lowest_exponent(at, count);
    int d_exponent = oracle_lowest_exponent(&ray->direction.x, 3) + t_exponent;
    g->exponent = lower(oracle_lowest_exponent(&fixed[0].x, 9), d_exponent);
    set_hull(&g->hull[1], round->end, 2, g->exponent);
    g->hull[0].count = count, g->hull[0].endless = false;
    for (int i = 0; i < 3 * count; i++)
    {
        mpz_t *to = &g->hull[0].point[i / 3][i % 3];
        oracle_set_number(*to, ((double *)&ray->direction)[i % 3], d_exponent - t_exponent);
        oracle_set_number(g->t[0], at[i / 3], t_exponent);
        mpz_mul(*to, *to, g->t[0]);
        mpz_mul_2exp(*to, *to, (mp_bitcnt_t)(d_exponent - g->exponent));
        oracle_set_number(g->t[0], ((double *)&ray->origin)[i % 3], g->exponent);
        mpz_add(*to, *to, g->t[0]);
    }
}

bool oracle_round_ray(oracle_gap *g, const narrow_ray *ray, const narrow_round *round)
{
    set_ray(g, ray, round, (double[]){0.0, 1.0}, 2);
    g->hull[0].endless = true;
    minimise(g);
    return oracle_gap_sign(g, round->radius, 0.0) <= 0;
}

bool oracle_round_enters(oracle_gap *g, const narrow_ray *ray, const narrow_round *round, const double low_high[2])
{
    set_ray(g, ray, round, low_high, 1);
    minimise(g);
    if (low_high[0] > 0.0 && oracle_gap_sign(g, round->radius, 0.0) <= 0)
        return false;
    set_ray(g, ray, round, low_high, 2);
    minimise(g);
    return oracle_gap_sign(g, round->radius, 0.0) <= 0;
}
