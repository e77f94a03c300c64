/* carom/mesh.h: a validated, immutable triangle mesh.
 *
 * Degenerate triangles are kept and treated as segments or points. A mesh with no triangles is valid and meets nothing.
 * Topology (edges, closed, oriented, manifold, components) treats vertices at the same position as one. */
#ifndef CAROM_MESH_H
#define CAROM_MESH_H

#include "carom/math.h"

#ifdef __cplusplus
extern "C"
{
#endif

    typedef struct carom_mesh carom_mesh;

    /* The arrays are copied by carom_mesh_create and remain the caller's. |coordinate| at most 2^100. */
    typedef struct carom_mesh_def
    {
        const float *vertices_f32;   /* x y z of each vertex: set one of these two */
        const double *vertices_f64;  /*   (null for both: no vertices) */
        size_t vertex_stride;        /* bytes from vertex to vertex; 0: packed */
        size_t vertex_count;         /* fewer than 2^32 - 1 */
        const uint32_t *indices_u32; /* three per triangle: set one of these two, or */
        const uint16_t *indices_u16;
        bool unindexed;         /* neither: the triangles are vertices 0 1 2, 3 4 5, ... */
        size_t triangle_stride; /* bytes from triangle to triangle; 0: packed. unindexed: from the first vertex of one
                                 * to that of the next */
        size_t triangle_count;  /* fewer than 2^31 */
        const char *name;       /* for messages; copied; may be null */
    } carom_mesh_def;

    CAROM_API carom_mesh_def carom_mesh_def_default(void);

    /* For CAROM_NOT_FINITE and CAROM_OUT_OF_RANGE the context's message names the vertex or triangle. */
    CAROM_API carom_status carom_mesh_create(carom_context *context, const carom_mesh_def *def, carom_mesh **out);

    /* Meshes are reference-counted. Creating one gives the caller a reference; trees, scenes and snapshots hold their
     * own. destroy releases the caller's reference, and the last release frees the mesh. Both may be called from any
     * thread. */
    CAROM_API void carom_mesh_destroy(carom_mesh *mesh);
    CAROM_API const carom_mesh *carom_mesh_retain(const carom_mesh *mesh); /* returns its argument */

    /* Makes a new mesh with the same triangles and other vertex positions: the next frame of a deforming body. Only the
     * vertices of the def are read; vertex_count must equal the mesh's. */
    CAROM_API carom_status carom_mesh_deform(const carom_mesh *mesh, const carom_mesh_def *vertices, carom_mesh **out);

    typedef struct carom_mesh_info
    {
        uint32_t vertex_count;
        uint32_t triangle_count;
        uint32_t distinct_vertex_count;     /* after merging equal positions; only those used by triangles */
        uint32_t edge_count;                /* unique, undirected; edges of zero length do not count */
        uint32_t boundary_edge_count;       /* used by one triangle */
        uint32_t nonmanifold_edge_count;    /* used by three or more */
        uint32_t degenerate_triangle_count; /* zero area, decided exactly */
        uint32_t component_count;           /* connected through shared vertices */
        bool closed;   /* every edge belongs to an even number of triangles, and there is at least one triangle */
        bool oriented; /* every edge is used equally often in both directions */
        bool manifold; /* every edge has one or two triangles, the triangles of each vertex form one fan or ring */
        double area;
        double volume; /* signed; meaningful if closed and oriented */
        carom_aabb bounds;
        size_t bytes; /* memory used */
    } carom_mesh_info;

    CAROM_API carom_mesh_info carom_mesh_get_info(const carom_mesh *mesh);
    CAROM_API const char *carom_mesh_name(const carom_mesh *mesh);

    /* Borrowed arrays, valid as long as the mesh: vertex_count positions, triangle_count index triples. */
    CAROM_API const carom_vec3 *carom_mesh_vertices(const carom_mesh *mesh);
    CAROM_API const uint32_t *carom_mesh_indices(const carom_mesh *mesh);

    /* The triangle across each edge of a triangle: out[i] for the edge from corner i to corner i+1, or UINT32_MAX if
     * there is none or more than one. */
    CAROM_API carom_status carom_mesh_neighbours(const carom_mesh *mesh, uint32_t triangle, uint32_t out[3]);

    /* A unique edge, numbered from 0, as two vertex indices (representatives of merged positions). */
    CAROM_API carom_status carom_mesh_edge(const carom_mesh *mesh, uint32_t edge, uint32_t out[2]);

#ifdef __cplusplus
}
#endif

#endif
