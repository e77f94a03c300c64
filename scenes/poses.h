/* scenes/poses.h: benchmark poses after Trenkel, Weller and Zachmann, "A Benchmarking Suite for Static Collision
 * Detection Algorithms" (2007): two objects in random orientations, one approaching the other along the line between
 * their centres from far away, stopped at a given distance between the surfaces. */
#ifndef SCENES_POSES_H
#define SCENES_POSES_H

#include "carom/mesh.h"

/* Percentages are of the larger mesh's bounding box diagonal. */
typedef enum poses_class
{
    POSES_APART_5 = 0, /* surfaces 5 % apart */
    POSES_APART_1,     /* 1 % */
    POSES_APART_01,    /* 0.1 % */
    POSES_TOUCH,       /* first contact, pushed in by 0.2 % */
    POSES_DEEP,        /* centres at 40 % of their distance at first contact */
    POSES_CLASS_COUNT
} poses_class;

/* "5%", "1%", "0.1%", "touch", "deep"; null past the end. */
const char *poses_class_name(poses_class pose_class);

/* Measures the distance between the surfaces of a and b at these poses, 0 where they meet. */
typedef struct poses_oracle
{
    carom_status (*distance)(void *user, const carom_pose *a, const carom_pose *b, double *out);
    void *user;
} poses_oracle;

typedef struct poses_pair
{
    carom_pose a, b;
} poses_pair;

/* The same seed gives the same pair for every class, except for how close it is. CAROM_INVALID_ARGUMENT for an empty
 * mesh; otherwise the oracle's status. Distances are accurate to 1 % (of the target distance). */
carom_status poses_make(const carom_mesh *a, const carom_mesh *b, const poses_oracle *oracle, poses_class pose_class,
                        uint64_t seed, poses_pair *out);

#endif
