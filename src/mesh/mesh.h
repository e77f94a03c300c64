/* mesh: the validated mesh and its topology, and generators of test and demo shapes. */
#ifndef MESH_MESH_H
#define MESH_MESH_H

#include "carom/mesh.h"
#include "math/math.h"

struct carom_mesh
{
    carom_context *context;
    uint64_t serial; /* unique within the context */
    uint32_t vertex_count, triangle_count;
    carom_vec3 *vertices;
    uint32_t *indices; /* 3 per triangle */
    carom_mesh_info info;
    double extent; /* largest |coordinate| */

    /* topology, over vertices merged by position */
    uint32_t *merged;           /* vertex -> representative vertex: the smallest index at the same position */
    uint32_t *edges;            /* 2 per unique edge, representatives, smaller first; sorted */
    uint32_t *neighbours;       /* 3 per triangle */
    uint32_t *component;        /* per triangle, 0 .. component_count - 1 in order of first triangle */
    uint32_t *component_vertex; /* one vertex index per component */

    char *name;
    void *block; /* where the arrays live if the mesh came from a baked block, else null */
    size_t block_size;
};

static inline void mesh_corners(const carom_mesh *mesh, uint32_t triangle, carom_vec3 out[3])
{
    const uint32_t *index = mesh->indices + 3 * (size_t)triangle;
    out[0] = mesh->vertices[index[0]];
    out[1] = mesh->vertices[index[1]];
    out[2] = mesh->vertices[index[2]];
}

#endif
