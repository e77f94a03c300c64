/* What the files of the oracle share. */
#ifndef TEST_ORACLE_NUMBERS_H
#define TEST_ORACLE_NUMBERS_H

#include "support/oracle.h"

#include <gmp.h>

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

int oracle_lowest_exponent(const double *values, int count);
void oracle_set_number(mpz_t out, double value, int lowest);

/* Points as integers into corner[]; returns the exponent of the common unit. */
int oracle_set_corners(oracle *o, const carom_vec3 *points, int count);

void oracle_subtract(mpz_t *out, mpz_t *a, mpz_t *b);
void oracle_dot(mpz_t out, mpz_t *a, mpz_t *b);
void oracle_cross(mpz_t *out, mpz_t *a, mpz_t *b); /* out is neither a nor b */
bool oracle_is_zero(mpz_t *a);

/* The triangle as constraints. */
void oracle_constrain(oracle *o, constraints *list, vector corner[3]);

/* The double nearest to numerator / denominator 2^exponent, the even one of two. */
double oracle_rounded(oracle *o, const mpz_t numerator, const mpz_t denominator, int exponent);

/* oracle_ray, t not rounded. */
bool oracle_ray_parameter(oracle *o, const narrow_ray *ray, const narrow_triangle *triangle, mpq_t t);

#endif
