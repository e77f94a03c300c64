/* Does what a step adds to a patch's hull meet the rest of the surface (the thesis, 2.3.1, criterion 3)? Private to
 * this folder. */
#ifndef CONVEX_PROBE_H
#define CONVEX_PROBE_H

#include "convex/shell.h"

/* A part of what was added, for boxes in the tree's frame. */
typedef struct probe_part
{
    carom_aabb box;
    bounds_plane plane[11];
    int plane_count;     /* that all boxes are compared with */
    int hub_plane_count; /* and those that only triangles at hubs are compared with */
} probe_part;

/* A plane for points: the parts of the exact predicate's filter (exact_filter3d) that do not depend on the point. */
typedef struct probe_face
{
    uint32_t corner[3]; /* counterclockwise seen from the front */
    carom_vec3 base;    /* corner 0 */
    carom_vec3 normal, magnitude;
} probe_face;

/* The faces of a part, made when they are first asked for. */
typedef struct probe_faces
{
    bool made;
    probe_face face[4];
} probe_faces;

/* A triangle near the patch. */
typedef struct probe_near
{
    carom_aabb box;
    uint32_t triangle;
} probe_near;

typedef struct convex_probe
{
    convex_surface *surface;
    convex_shell *shell;
    uint32_t seed;
    bounds_frame frame;
    shell_mark from; /* what was there before is not searched */
    carom_aabb box;  /* around all parts: as they are, and in the tree's frame */
    carom_aabb box_in_tree;
    BASE_ARRAY(carom_aabb) part_boxes;  /* as they are */
    BASE_ARRAY(probe_faces) part_faces; /* likewise */
    BASE_ARRAY(probe_face) new_faces;   /* facets of the hull that were added */
    BASE_ARRAY(probe_part) parts;
    convex_numbers stack;
    uint64_t effort; /* small tests made for this patch so far */

    /* Triangles that meet a box around the patch, which serve for many steps of a small one. */
    BASE_ARRAY(probe_near) near;
    carom_aabb near_box;
    uint32_t near_seed; /* the patch that it was made for */
    bool near_fails;    /* there were too many */
} convex_probe;

void probe_begin(convex_probe *probe, convex_surface *surface, convex_shell *shell);
void probe_free(convex_probe *probe);

typedef enum probe_verdict
{
    PROBE_DONE,
    PROBE_MET, /* a triangle that can't come into the patch any more */
    PROBE_NO_MEMORY
} probe_verdict;

/* Adds to `met` the triangles outside the patch of this seed that meet the hull in more than a corner or edge that they
 * share with the patch. Only what was added since the mark is looked at; triangles and vertices that the trial brought
 * are already counted as the patch's own. */
probe_verdict probe_search(convex_probe *probe, uint32_t seed, shell_mark from, convex_numbers *met);

/* The side across which a triangle touches the patch of this seed and may join; -1: none. */
static inline int probe_side_to_patch(const convex_surface *surface, uint32_t triangle, uint32_t seed)
{
    for (int side = 0; side < 3; side++)
        if (surface->traits[triangle] >> side & 1 &&
            surface->piece[surface->mesh->neighbours[3 * (size_t)triangle + (size_t)side]] == seed)
            return side;
    return -1;
}

#endif
