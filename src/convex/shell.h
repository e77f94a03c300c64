/* The hull of a patch while it grows, point by point: a triangulated surface with neighbours, to which a point is added
 * where it is seen from. Private to this folder.
 *
 * Facets may be coplanar, and vertices of the patch stay vertices of the shell even if they are not extreme. While the
 * patch is flat, the shell is one side of its polygon, with a rim. A facet that lies in the plane of a triangle of the
 * patch is never removed: such a point is refused. Points are added on trial: shell_undo goes back to the last
 * shell_keep. */
#ifndef CONVEX_SHELL_H
#define CONVEX_SHELL_H

#include "convex/surface.h"

typedef struct shell_facet
{
    uint32_t corner[3]; /* counterclockwise seen from outside */
    uint32_t across[3]; /* the facet across the edge from corner i to i + 1; CONVEX_NONE at the rim */
    uint64_t mark;      /* the step that looked at it, and what it saw */
    bool on_patch;      /* in the plane of a triangle of the patch */
    bool gone;          /* removed on trial */
} shell_facet;

/* An edge of a facet that stays, beyond which the hull grows. */
typedef struct shell_edge
{
    uint32_t from, to, facet;
    int side;
} shell_edge;

/* A part of what was added to the hull on trial: a triangle, or a tetrahedron over a triangle whose outside its last
 * corner sees. */
typedef struct shell_part
{
    uint32_t corner[4]; /* a triangle's last two are equal */
} shell_part;

typedef struct shell_old_facet
{
    uint32_t number;
    shell_facet before;
} shell_old_facet;

typedef struct shell_old_rim
{
    uint32_t vertex, next, previous, rim;
} shell_old_rim;

typedef struct convex_shell
{
    convex_surface *surface;
    BASE_ARRAY(shell_facet) facets;
    convex_numbers vacant;
    bool flat;           /* so far */
    bool folded;         /* flat, with triangles that face both ways */
    uint32_t on_rim;     /* some vertex of a flat shell's rim */
    uint32_t plane[3];   /* the seed's corners */
    int axis, axis_sign; /* the projection of the plane, and whether it keeps turns or mirrors them */

    uint64_t effort; /* facets and edges looked at in the searches around vertices, of all patches */

    /* The point that is being added. */
    uint64_t stamp;
    uint32_t apex;
    convex_numbers visible; /* facets that would go */
    convex_numbers level;   /* facets in whose plane the point is, as far as they were looked at */
    BASE_ARRAY(shell_edge) horizon;
    uint32_t within; /* facet in which the point is, if the hull has it already; otherwise CONVEX_NONE */
    int within_side; /* the side of that facet which it is on, or -1 */

    /* The trial. */
    BASE_ARRAY(shell_part) parts;
    convex_numbers fresh;   /* facets that were added, some of them gone again */
    convex_numbers removed; /* facets that will be vacant */
    BASE_ARRAY(shell_old_facet) old_facets;
    BASE_ARRAY(shell_old_rim) old_rims;
    bool was_flat, was_folded;
    uint32_t was_on_rim;
    size_t facets_before, vacant_before;
} convex_shell;

typedef enum shell_answer
{
    SHELL_NO,
    SHELL_YES,
    SHELL_NO_MEMORY
} shell_answer;

/* Starts with the seed's triangle, on trial; false when out of memory. */
bool shell_begin(convex_shell *shell, const uint32_t seed[3]);

/* Looks from the apex. No: a triangle of the patch is visible from there (criterion 2), or the triangle across the edge
 * would not be on the hull. */
shell_answer shell_look(convex_shell *shell, const surface_crossing *crossing);

/* Could the hull with the apex, a corner of this triangle, be behind its plane? If the apex is on the hull already,
 * only shell_supports can say, when it is a vertex. */
bool shell_could_support(const convex_shell *shell, const uint32_t triangle[3]);

/* Adds the apex on trial. False: out of memory. */
bool shell_add(convex_shell *shell);
/* This triangle, whose corners are vertices of the shell and which is on its surface, is now in the patch. */
bool shell_own(convex_shell *shell, const uint32_t triangle[3]);

/* How far the trial is. */
typedef struct shell_mark
{
    size_t parts, fresh;
} shell_mark;
static inline shell_mark shell_at(const convex_shell *shell)
{
    return (shell_mark){shell->parts.count, shell->fresh.count};
}

/* Of a flat shell, points of its plane: is the point left (1) or right (-1) of the way from one to the other, seen from
 * outside? */
static inline int shell_turn(const convex_shell *shell, uint32_t from, uint32_t to, uint32_t point)
{
    if (point == from || point == to)
        return 0;
    const carom_vec3 *p = shell->surface->mesh->vertices;
    return shell->axis_sign * exact_orient2d(p[from], p[to], p[point], shell->axis, NULL);
}

bool shell_keep(convex_shell *shell); /* false when out of memory */
void shell_undo(convex_shell *shell);

/* Is the hull behind the plane of a triangle, of whose corners these are vertices of the hull? Any of them can tell. */
bool shell_supports(convex_shell *shell, const uint32_t triangle[3], const uint32_t *vertices, int count);

/* Is there a plane with the hull behind it that has both vertices of the hull, and this point in front? */
bool shell_parts_from(convex_shell *shell, const uint32_t edge[2], uint32_t point);

void shell_free(convex_shell *shell);

#endif
