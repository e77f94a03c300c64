/* What the growth of patches asks of a mesh: which sides a patch may cross, the triangles at a vertex, boxes to search,
 * and to which patch everything belongs. Private to this folder.
 *
 * Vertices are those of the topology: representatives of merged positions. */
#ifndef CONVEX_SURFACE_H
#define CONVEX_SURFACE_H

#include "convex/bounds.h"

enum
{
    SURFACE_SIDES = 7,      /* bits 0 to 2: sides across which a patch may grow */
    SURFACE_DEGENERATE = 8, /* no area */
    SURFACE_TURNED = 16,    /* the component is inside out: patches see its triangles from behind */
    SURFACE_CONCAVE = 32    /* has a concave edge */
};

typedef BASE_ARRAY(uint32_t) convex_numbers;

typedef struct convex_surface
{
    carom_context *context;
    const carom_mesh *mesh;
    carom_tree *tree;  /* boxes around the triangles */
    bounds_hub *hubs;  /* per node of the tree, or null */
    double reach;      /* largest |coordinate| in the tree's frame */
    uint8_t *traits;   /* per triangle, see above */
    uint32_t *corners; /* 3 per triangle: vertices, counterclockwise seen from outside */
    uint32_t *face;    /* per triangle: the first of those in its plane that it is connected with, across flat edges */
    uint32_t *star_first; /* per vertex and one more: its triangles are star[star_first[v]] .. */
    uint32_t *star;

    /* The growth. Components are disjoint, so several can be worked on at once. */
    uint32_t *piece;                 /* per triangle: the seed of its piece, or CONVEX_NONE */
    uint64_t *met_in;                /* per triangle: the last trial of its component that met it; 0: none */
    uint32_t *member;                /* per vertex: the seed of the last patch that took it in, or CONVEX_NONE */
    uint32_t *facet_at;              /* per vertex of the current patch: a facet of the shell that has it and stays */
    uint32_t *next, *previous, *rim; /* per vertex on the rim of a flat shell: its neighbours, the edge to the next */
    uint32_t *cone;                  /* per vertex: scratch */
    atomic_ullong effort;            /* how many small things were looked at, which tests compare */
} convex_surface;

carom_status surface_create(carom_context *context, const carom_mesh *mesh, convex_surface *out);
void surface_free(convex_surface *surface);

/* Corners of a triangle, counterclockwise seen from outside. */
static inline void surface_corners(const convex_surface *surface, uint32_t triangle, uint32_t out[3])
{
    memcpy(out, surface->corners + 3 * (size_t)triangle, 3 * sizeof *out);
}

static inline carom_vec3 surface_point(const convex_surface *surface, uint32_t vertex)
{
    return surface->mesh->vertices[vertex];
}

/* The side of a point of the plane through three vertices, counterclockwise seen from outside: 1 outside, 0 on it, -1
 * inside. Exact. */
static inline int surface_side(const convex_surface *surface, const uint32_t plane[3], uint32_t vertex)
{
    const carom_vec3 *p = surface->mesh->vertices;
    carom_vec3 a = p[plane[0]], b = p[plane[1]], c = p[plane[2]], d = p[vertex];
    /* The filter of exact_orient3d, inline. */
    double bound, determinant = exact_filter3d(vec3_sub(a, d), vec3_sub(b, d), vec3_sub(c, d), &bound);
    int sign = exact_filter_sign(determinant, bound);
    return BASE_LIKELY(sign != 0) ? -sign : -exact_orient3d_integers(a, b, c, d, NULL);
}

/* Calls `visit` for the triangles whose boxes may meet this one, until it returns false. CAROM_OK, or out of memory. */
typedef bool surface_visit(uint32_t triangle, void *data);
carom_status surface_visit_near(const convex_surface *surface, const carom_aabb *box, surface_visit *visit, void *data);

/* An edge of a patch and the triangle across it. */
typedef struct surface_crossing
{
    uint32_t from, to; /* counterclockwise in the patch's triangle, so clockwise in the other one */
    uint32_t triangle; /* across the edge */
    uint32_t apex;     /* its third corner */
} surface_crossing;

/* Across side 0, 1, 2 of a triangle, from corner i of the mesh to the next one; the triangle's traits allow it. */
surface_crossing surface_cross(const convex_surface *surface, uint32_t triangle, int side);

#endif
