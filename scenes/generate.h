/* scenes/generate.h: shapes with a chosen number of triangles, the same bits on every machine.
 *
 *   generate_def def = generate_def_default(GENERATE_TORUS_KNOT);
 *   def.triangles = 50000;
 *   carom_mesh *mesh;
 *   carom_status status = generate_mesh(context, &def, &mesh);
 *
 * Closed kinds are closed, oriented and manifold, and each component has positive volume. */
#ifndef SCENES_GENERATE_H
#define SCENES_GENERATE_H

#include "carom/mesh.h"

typedef enum generate_kind
{
    GENERATE_BOX = 0,
    GENERATE_UV_SPHERE,
    GENERATE_ICO_SPHERE,
    GENERATE_TORUS,
    GENERATE_TORUS_KNOT,
    GENERATE_BLOB,
    GENERATE_TETRAHEDRON,
    GENERATE_CYLINDER,
    GENERATE_GEAR,
    GENERATE_PIPE_NETWORK,
    GENERATE_HAND,
    GENERATE_RUBBLE,
    GENERATE_GALLERY,
    GENERATE_STRATUM,
    GENERATE_TERRAIN,
    GENERATE_CLOTH,
    GENERATE_SIEVE,
    GENERATE_KIND_COUNT
} generate_kind;

/* One kind: a row of the table that the tool and the tests read. */
typedef struct generate_info
{
    const char *name; /* "torus-knot" */
    const char *what; /* in one line */
    bool closed;
    uint32_t min_triangles;
} generate_info;

/* Null for an unknown kind. */
const generate_info *generate_get_info(generate_kind kind);

/* False if no kind has this name. */
bool generate_find(const char *name, generate_kind *out);

typedef struct generate_def
{
    generate_kind kind;
    /* Exact for open kinds, and for closed ones if even (a closed mesh has an even number); one fewer if odd. At least
     * the kind's min_triangles. */
    uint32_t triangles;
    uint64_t seed;    /* for kinds with random parts */
    double size;      /* the shape fits a cube of this side around the origin; boxes and sheets fill it */
    const char *name; /* null: the kind's */
} generate_def;

generate_def generate_def_default(generate_kind kind); /* 1000 triangles, seed 1, size 1 */

/* CAROM_INVALID_ARGUMENT for an unknown kind or a size that is not positive and finite; otherwise as carom_mesh_create.
 */
carom_status generate_mesh(carom_context *context, const generate_def *def, carom_mesh **out);

#endif
