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
