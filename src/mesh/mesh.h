/* mesh: the validated mesh and its topology. */
#ifndef MESH_MESH_H
#define MESH_MESH_H

#include "carom/mesh.h"
#include "carom/tree.h"
#include "math/math.h"

/* Means "no triangle" among neighbours. */
#define MESH_NONE UINT32_MAX

/* Holds what a higher layer keeps with the mesh: filled once, from any thread, destroyed with it. */
typedef void mesh_destroy_fn(void *object);
typedef struct mesh_slot
{
    _Atomic(void *) object;
    _Atomic(mesh_destroy_fn *) destroy; /* set before the object */
} mesh_slot;

enum
{
    MESH_SLOT_WINDING = 2, /* 0 and 1 are default trees: for pairs, for rays */
    MESH_SLOTS = 3
};

/* A mesh and its arrays are one allocation of block_size bytes that begins with this struct, except for two arrays
 * whose sizes are only known when the others are filled. */
struct carom_mesh
{
    carom_context *context;
    uint64_t serial; /* unique within the context */
    uint32_t vertex_count, triangle_count;
    carom_vec3 *vertices;
    uint32_t *indices; /* 3 per triangle */
    carom_mesh_info info;
    double extent;          /* largest |coordinate| of a vertex that a triangle uses */
    carom_vec3 extremes[6]; /* used vertices with the smallest and the largest x, y, z; of a mesh with triangles */

    /* Topology, over vertices merged by position. A triangle uses an edge once for each of its sides that lies on it,
     * so one that is folded onto an edge uses it twice. Sides of zero length are not edges. */
    uint32_t *merged;           /* vertex -> representative vertex: the smallest index at the same position */
    uint32_t *edges;            /* 2 per unique edge, representatives, smaller first; sorted; its own allocation */
    uint32_t *neighbours;       /* 3 per triangle, MESH_NONE where there is none or more than one */
    uint32_t *component;        /* per triangle, 0 .. component_count - 1 in order of first triangle */
    uint32_t *component_vertex; /* one vertex index per component: corner 0 of its first triangle; its own too */

    char *name;
    size_t block_size;

    /* The two things that change after the mesh is made; neither changes an answer. */
    atomic_uint references;
    mesh_slot slots[MESH_SLOTS];
};

/* Puts an object into an empty slot and returns it. If another thread was faster, destroys it and returns the other's.
 */
void *mesh_fill_slot(const carom_mesh *mesh, uint32_t slot, void *object, mesh_destroy_fn *destroy);

static inline void mesh_corners(const carom_mesh *mesh, uint32_t triangle, carom_vec3 out[3])
{
    const uint32_t *index = mesh->indices + 3 * (size_t)triangle;
    out[0] = mesh->vertices[index[0]];
    out[1] = mesh->vertices[index[1]];
    out[2] = mesh->vertices[index[2]];
}

/* A mesh, its pose, and the tree that a search may use (null where it needs none). All three are borrowed. */
typedef struct mesh_placed
{
    const carom_mesh *mesh;
    const carom_tree *tree;
    const carom_pose *pose;
} mesh_placed;

/* A new mesh with copies of everything that parts points to, counts and measures taken as they are: for arrays that
 * were validated before. context, serial, block_size and info.bytes of parts are ignored; a null name means "mesh". */
carom_status mesh_assemble(carom_context *context, const carom_mesh *parts, carom_mesh **out);

/* Can these parts (from a file, say) be used safely? Checks that all numbers are in range, not that the topology
 * matches the triangles. Errors name the mesh and the culprit. */
carom_status mesh_check_parts(carom_context *context, const carom_mesh *parts);

/* Sets extremes. mesh_assemble calls it. */
void mesh_find_extremes(carom_mesh *mesh);

/* Sets bounds, extent, area, volume and the number of degenerate triangles. */
void mesh_measure(carom_context *context, carom_mesh *mesh);

#endif
