/* The edges of a mesh with the triangles that use each, and the exact test of the pairs of triangles that an edge test
 * proposes: what every engine that tests edges against triangles shares. If two triangles share a point, a side of one
 * of them meets the other. */
#ifndef ENGINE_EDGE_LIST_H
#define ENGINE_EDGE_LIST_H

#include "query/query.h"

/* ---- edges ---- */

/* The sides of the mesh's triangles over merged vertices, those of zero length too, each once. */
typedef struct edge_list
{
    uint32_t count;
    uint32_t (*ends)[2];  /* vertices */
    uint32_t *first_user; /* count + 1: the triangles of edge i are users[first_user[i] .. first_user[i + 1]) */
    uint32_t *users;
} edge_list;

/* The arrays belong to the arena. edge_of: the edge of each side, in the mesh's order, 3 per triangle; null: not
 * wanted. */
carom_status edge_list_create(const carom_mesh *mesh, base_arena *arena, edge_list *out, uint32_t *edge_of);

/* ---- proposed pairs ---- */

/* Pairs of triangles, triangle_a << 32 | triangle_b. Zero-initialise. */
typedef struct edge_proposed
{
    BASE_ARRAY(uint64_t) pairs, space;
} edge_proposed;

void edge_proposed_free(carom_context *context, edge_proposed *proposed);
/* Adds the users of an edge of body `edges_of` with a triangle of the other. False when out of memory. */
bool edge_propose_users(carom_context *context, edge_proposed *proposed, const edge_list *list, int edges_of,
                        uint64_t edge_and_triangle);
static inline uint64_t edge_with_triangle(uint32_t edge, uint32_t triangle) { return (uint64_t)edge << 32 | triangle; }
/* Sorts, and removes duplicates. False when out of memory. */
bool edge_sort_proposed(carom_context *context, edge_proposed *proposed);

/* Two bodies whose pairs of triangles are decided. */
typedef struct edge_judge
{
    const mesh_placed *a, *b;
    bool need_meeting; /* false: only whether they meet */
} edge_judge;

/* How a pair meets, by the exact predicates. */
uint32_t edge_meet(const edge_judge *judge, uint64_t pair, narrow_counts *counts);

carom_status edge_out_of_memory(carom_context *context);

#endif
