/* The steps of making a mesh, in the order in which carom_mesh_create takes them. Private to this folder. */
#ifndef MESH_BUILD_H
#define MESH_BUILD_H

#include "mesh/mesh.h"

/* A mesh in the making: its arrays are the finished mesh's from the start, so that nothing is copied in the end. */
typedef struct mesh_build
{
    carom_mesh parts;
    carom_context *context;
    void *block; /* will begin with the mesh; null: none yet */
} mesh_build;

/* The block, with room for what is known from these counts: all arrays but the edges and component_vertex. parts.name
 * is set; it moves into the block. */
carom_status mesh_build_begin(mesh_build *build, size_t vertex_count, size_t triangle_count);
/* The rest, of the sizes that are found on the way; null, after base_fail, when out of memory. */
uint32_t *mesh_build_numbers(mesh_build *build, size_t count);
carom_status mesh_build_out_of_memory(const mesh_build *build);
/* The finished mesh if all went well, otherwise nothing: passes the status on. */
carom_status mesh_build_end(mesh_build *build, carom_status status, carom_mesh **out);

/* Check the def's numbers; then copy vertices or indices out of it. */
carom_status mesh_check_vertices(const mesh_build *build, const carom_mesh_def *def);
carom_status mesh_check_indices(const mesh_build *build, const carom_mesh_def *def);
carom_status mesh_read_vertices(mesh_build *build, const carom_mesh_def *def);
carom_status mesh_read_indices(mesh_build *build, const carom_mesh_def *def);

/* Fills parts.merged from parts.vertices. */
carom_status mesh_merge_positions(mesh_build *build);

/* The topology, from parts.indices and parts.merged: edges, neighbours, closedness; distinct vertices, manifoldness;
 * components. Each step needs what those before it found. */
carom_status mesh_find_edges(mesh_build *build);
carom_status mesh_check_fans(mesh_build *build);
carom_status mesh_find_components(mesh_build *build);

/* One side of a triangle: from corner `side % 3` of triangle `side / 3` to the next corner. */
static inline uint32_t mesh_side_start(const carom_mesh *mesh, size_t side)
{
    return mesh->merged[mesh->indices[side]];
}
static inline uint32_t mesh_side_end(const carom_mesh *mesh, size_t side)
{
    return mesh->merged[mesh->indices[side % 3 == 2 ? side - 2 : side + 1]];
}

/* ---- slices: what is worked on in parallel and put together in order; they depend on the count alone ---- */

enum
{
    MESH_MAX_SLICES = 64,
    MESH_MIN_SLICE = 4096
};

static inline uint32_t mesh_slice_count(size_t count)
{
    size_t slices = count / MESH_MIN_SLICE;
    return slices < 1 ? 1 : slices > MESH_MAX_SLICES ? MESH_MAX_SLICES : (uint32_t)slices;
}

static inline size_t mesh_slice_begin(size_t count, uint32_t slice_count, uint32_t slice)
{
    return (size_t)((uint64_t)count * slice / slice_count);
}

#endif
