/* A crowd of bodies in a box, for benchmarks of frames: instances of a few meshes that drift, turn and run into each
 * other. The same for the same numbers, on every machine. */
#ifndef TOOL_CROWD_H
#define TOOL_CROWD_H

#include "carom/carom.h"

enum
{
    CROWD_MESHES = 5
};

typedef struct crowd_body
{
    carom_body_id id;
    double quaternion[4]; /* not of unit length */
    carom_vec3 at, velocity;
} crowd_body;

typedef struct crowd
{
    carom_scene *scene;
    carom_mesh *meshes[CROWD_MESHES];
    crowd_body *bodies; /* sorted by id.index */
    uint32_t body_count;
    double side; /* of the box; a body is about 1 long */
    uint64_t random;
} crowd;

/* Free it in any case. */
carom_status crowd_create(carom_context *context, uint32_t bodies, uint32_t triangles, crowd *out);
void crowd_destroy(crowd *crowd);

double crowd_uniform(crowd *crowd); /* from 0 to 1 */

/* Moves each body with this probability. */
carom_status crowd_move(crowd *crowd, double probability);

#endif
