/* Planes that the boxes of a tree are compared with, and hubs: vertices with very many triangles. Private to this
 * folder.
 *
 * Boxes of triangles around one vertex all have that vertex, so a search around it would end at each of them: no plane
 * through the vertex has any box in front. So nodes of a tree know of a hub, and have a box around the other corners of
 * its triangles. If a plane through the hub has that box in front, these triangles have nothing behind the plane, and
 * on it only the hub. The boxes are oriented ones, as triangles around a hub are often long and thin. */
#ifndef CONVEX_BOUNDS_H
#define CONVEX_BOUNDS_H

#include "convex/convex.h"
#include "tree/tree.h"

enum
{
    BOUNDS_HUB = 128 /* vertices with more triangles are hubs */
};

/* The tree, and the vertices of the patch or piece in question: those whose owner it is. */
typedef struct bounds_frame
{
    const carom_tree *tree;
    double reach; /* largest |coordinate| of the mesh in the tree's frame */
    const uint32_t *owner;
    uint32_t own;
} bounds_frame;

/* A box is beyond it where normal . p > offset for all its points, in the tree's frame. It is moved outwards by more
 * than all rounding. */
typedef struct bounds_plane
{
    carom_vec3 normal;
    double offset, slack; /* the second is a part of the first */
    uint32_t corner[3]; /* vertices that are exactly on the plane which this one stands for; the last: or CONVEX_NONE */
} bounds_plane;

/* What a node of a tree knows of a hub. */
typedef struct bounds_hub
{
    uint32_t hub[2];           /* one vertex, or two of which triangles have both; CONVEX_NONE */
    uint32_t count;            /* triangles below that have them */
    volume_box opposite, rest; /* around their other corners, and around the other triangles; half < 0: empty */
} bounds_hub;

/* Per node of the tree, of boxes; null where no vertex has so many triangles. Freed with bounds_free_hubs. */
carom_status bounds_find_hubs(carom_context *context, const carom_tree *tree, bounds_hub **out);
void bounds_free_hubs(carom_context *context, const carom_tree *tree, bounds_hub *hubs);

/* For a frame. */
double bounds_reach(const carom_tree *tree);

/* The plane through three vertices, counterclockwise seen from the front. */
bounds_plane bounds_plane_through(const bounds_frame *frame, const uint32_t corner[3]);

/* A convex body whose vertices are vertices of the mesh, and one of its edges. */
typedef struct bounds_edge
{
    uint32_t end[2];
    const uint32_t *vertices;
    size_t count;
} bounds_edge;

/* The plane through an edge and a direction, which is on the left seen from the front. False: the other vertices of the
 * body are not behind for certain. */
bool bounds_plane_along(const bounds_frame *frame, const bounds_edge *edge, carom_vec3 direction, bounds_plane *out);

/* A plane through the first two corners of a triangle, upright on it, with the third one behind, and with that all of a
 * polygon in the triangle's plane that has the two as an edge. False: too close to tell. */
bool bounds_plane_across(const bounds_frame *frame, const uint32_t corner[3], bounds_plane *out);

/* A plane through an edge of a body halfway between two others. */
bool bounds_plane_between(const bounds_frame *frame, const bounds_edge *edge, const bounds_plane sides[2],
                          bounds_plane *out);

/* A vector of about length 1, or 0. */
static inline carom_vec3 bounds_unit(carom_vec3 v)
{
    double size = fabs(v.x) + fabs(v.y) + fabs(v.z);
    return vec3_scale(v, size > 0.0 ? 1.0 / size : 0.0);
}

static inline bool bounds_is_beyond(const bounds_plane *plane, const float *low, const float *high)
{
    const carom_vec3 *n = &plane->normal;
    double nearest = n->x * (double)(n->x > 0.0 ? low[0] : high[0]) + n->y * (double)(n->y > 0.0 ? low[1] : high[1]) +
                     n->z * (double)(n->z > 0.0 ? low[2] : high[2]);
    return nearest > plane->offset;
}

bool bounds_box_is_beyond(const bounds_plane *plane, const volume_box *box);

/* Are the triangles at a node's hub in front of the plane, but for the hub, which may be on it if it is one of the own
 * vertices? */
bool bounds_has_hub_beyond(const bounds_frame *frame, const bounds_plane *plane, const bounds_hub *hub);

/* Does the plane through the edge and a node's hub part the body from the triangles at the hub? */
bool bounds_edge_parts(const bounds_frame *frame, const bounds_edge *edge, const bounds_hub *hub);

#endif
