/* Truth about balls and capsules in GMP integers, by other means than the library's: the squared distance of two hulls
 * is the smallest quotient of Gram determinants over all pairs of faces whose nearest points have weights that are not
 * negative. Slow and simple. */
#ifndef TEST_ORACLE_ROUND_H
#define TEST_ORACLE_ROUND_H

#include "narrow/narrow.h"

typedef struct oracle_gap oracle_gap;
oracle_gap *oracle_gap_create(void);
void oracle_gap_destroy(oracle_gap *g);

/* Measures two hulls of 1 to 3 points; the functions below are about them. */
void oracle_gap_measure(oracle_gap *g, const exact_round *a, const exact_round *b);

double oracle_gap_distance(oracle_gap *g); /* of the hulls, rounded */

/* The sign of their distance minus the sum of the radii, which is not negative. */
int oracle_gap_sign(oracle_gap *g, double radius_a, double radius_b);

/* The sign of twice their distance minus the sum of these lengths, which is not negative. */
int oracle_gap_twice_sign(oracle_gap *g, const double *lengths, int count);

/* The sign of one distance minus another. */
int oracle_gap_order(oracle_gap *g, oracle_gap *other);

/* |computed - (distance minus the sum of the radii)| */
double oracle_gap_error(oracle_gap *g, double radius_a, double radius_b, double computed);

/* Does the endless ray meet the solid? */
bool oracle_round_ray(oracle_gap *g, const narrow_ray *ray, const narrow_round *round);

/* Is the first t >= 0 at which it does from low to high? */
bool oracle_round_enters(oracle_gap *g, const narrow_ray *ray, const narrow_round *round, const double low_high[2]);

#endif
