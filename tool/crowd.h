/* A crowd of bodies in a box, for benchmarks of frames: instances of a few meshes that drift, turn and run into each
 * other. The same for the same numbers, on every machine. */
#ifndef TOOL_CROWD_H
#define TOOL_CROWD_H

#include "carom/carom.h"

enum
{
    CROWD_MESHES = 5
};

/* A kind of crowd: a row of the table in crowd.c. */
typedef struct crowd_info
{
    const char *name, *what;
    uint32_t bodies, triangles; /* of each body; unless others are asked for */
    double room;                /* side of the cube that each body has to itself; a body is about 1 long */
    bool knots;                 /* all bodies are knots; otherwise of five shapes */
    bool jumps;                 /* a body that moves reappears anywhere in the box */
    bool rests;                 /* nothing moves */
} crowd_info;

const crowd_info *crowd_get_info(uint32_t index); /* null past the last */

typedef struct crowd_body
{
    carom_body_id id;
    double quaternion[4]; /* not of unit length */
    carom_vec3 at, velocity;
} crowd_body;

typedef struct crowd
{
    const crowd_info *info;
    carom_scene *scene;
    carom_mesh *meshes[CROWD_MESHES];
    crowd_body *bodies; /* sorted by id.index */
    uint32_t body_count;
    double side; /* of the box */
    uint64_t random;
} crowd;

/* Numbers that are 0 are those of the kind. Free it in any case. */
typedef struct crowd_def
{
    const crowd_info *info;
    uint32_t bodies, triangles;
} crowd_def;
carom_status crowd_create(carom_context *context, const crowd_def *def, crowd *out);
void crowd_destroy(crowd *crowd);

double crowd_uniform(crowd *crowd); /* from 0 to 1 */

/* Moves each body with this probability, unless all rest. */
carom_status crowd_move(crowd *crowd, double probability);

#endif
