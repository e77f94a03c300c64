/* The steps of making a mesh, in the order in which carom_mesh_create takes them. Private to this folder. */
#ifndef MESH_BUILD_H
#define MESH_BUILD_H

#include "mesh/mesh.h"

/* What is known so far. Arrays of `parts` live in the arena until mesh_assemble copies them. */
typedef struct mesh_build
{
    carom_mesh parts;
    base_arena arena;
} mesh_build;

/* An array of numbers from the arena; null, after base_fail, when out of memory. */
uint32_t *mesh_build_numbers(mesh_build *build, size_t count);
carom_status mesh_build_out_of_memory(const mesh_build *build);

/* Checks the def and copies vertices or indices out of it. */
carom_status mesh_read_vertices(mesh_build *build, const carom_mesh_def *def);
carom_status mesh_read_indices(mesh_build *build, const carom_mesh_def *def);

/* parts.merged from parts.vertices. */
carom_status mesh_merge_positions(mesh_build *build);

/* Edges, neighbours, components and their counts and flags from parts.indices and parts.merged. */
carom_status mesh_find_topology(mesh_build *build);
carom_status mesh_find_components(mesh_build *build); /* its last part */

#endif
