/* What the parts of the shell share: its facets, and notes of what a trial changes. Private to src/convex/shell*.c. */
#ifndef CONVEX_SHELL_PARTS_H
#define CONVEX_SHELL_PARTS_H

#include "convex/shell.h"

/* What a step saw of a facet: its mark is the step's stamp times MARK_CODES, and this. */
enum
{
    MARK_BEHIND = 1,
    MARK_LEVEL = 2,
    MARK_VISIBLE = 3,
    MARK_CODES = 4
};

static inline int corner_of(const shell_facet *facet, uint32_t vertex)
{
    return facet->corner[0] == vertex ? 0 : facet->corner[1] == vertex ? 1 : 2;
}

static inline bool has_corner(const uint32_t triangle[3], uint32_t vertex)
{
    return triangle[0] == vertex || triangle[1] == vertex || triangle[2] == vertex;
}

/* The next facet around a vertex of a closed shell. */
static inline uint32_t next_around(const convex_shell *shell, uint32_t facet, uint32_t vertex)
{
    const shell_facet *f = &shell->facets.items[facet];
    return f->across[(corner_of(f, vertex) + 2) % 3];
}

/* A walk around a vertex of a closed shell. One vertex may have very many facets, but hardly all corners of a triangle
 * do: where any of several vertices can tell, walks around all of them take turns, and the first one that ends counts.
 */
typedef struct shell_walk
{
    uint32_t vertex, first, facet;
} shell_walk;

static inline shell_walk walk_around(const convex_shell *shell, uint32_t vertex)
{
    uint32_t first = shell->surface->facet_at[vertex];
    return (shell_walk){vertex, first, first};
}

/* False: all facets have been passed. */
static inline bool walk_on(convex_shell *shell, shell_walk *walk)
{
    shell->effort++;
    walk->facet = next_around(shell, walk->facet, walk->vertex);
    return walk->facet != walk->first;
}

/* A projection along an axis that does not collapse a triangle, and the sign of its turn. */
typedef struct projection
{
    int axis, sign;
} projection;

projection shell_choose_projection(const convex_shell *shell, const uint32_t triangle[3]);

/* All of these return false when out of memory. */
bool shell_note_facet(convex_shell *shell, uint32_t facet); /* before it changes */
bool shell_note_rim(convex_shell *shell, uint32_t vertex);
bool shell_link_rim(convex_shell *shell, uint32_t from, uint32_t to, uint32_t facet_side);
bool shell_add_facet(convex_shell *shell, const uint32_t corner[3], uint32_t *out); /* without neighbours */
bool shell_add_part(convex_shell *shell, const uint32_t triangle[3], uint32_t last);
bool shell_push(const convex_shell *shell, convex_numbers *list, uint32_t number);

#endif
