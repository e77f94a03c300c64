/* Families of cores for balls and capsules: pairs of points, segments and triangles, generic ones and those that break
 * careless code, and radii that make them meet, nearly meet or just touch. Deterministic in the random state. */
#ifndef TEST_ROUNDS_H
#define TEST_ROUNDS_H

#include "narrow/narrow.h"
#include "support/check.h"

typedef struct round_cores
{
    carom_vec3 a[3], b[3]; /* those beyond the count repeat the first */
    int count_a, count_b;  /* of a point or segment; of a point, segment or triangle */
} round_cores;

typedef struct round_family
{
    const char *name;
    void (*make)(check_random *random, round_cores *cores);
} round_family;

extern const round_family round_families[];
extern const int round_families_count;

enum
{
    ROUND_KINDS = 5 /* ball-ball, ball-capsule, capsule-capsule, ball-triangle, capsule-triangle */
};
extern const char *const round_kind_names[ROUND_KINDS];

round_cores round_make(check_random *random, const round_family *family, int kind);

/* A radius sum for cores at that distance: near it, a few ulps off, equal, or 0. */
double round_pick_radius(check_random *random, double distance);

/* Parts of a sum; often, but not always, exactly. */
void round_split(check_random *random, double sum, double parts[2]);

#endif
