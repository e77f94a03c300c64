/* What carom decompose writes and draws. */
#ifndef TOOL_DECOMPOSE_H
#define TOOL_DECOMPOSE_H

#include "tool/picture.h"
#include "tool/tool.h"

typedef struct decompose_mesh
{
    const carom_mesh *mesh;
    const carom_pieces *pieces;
    uint32_t piece_count;
    uint32_t *leaf; /* per piece: its node */
    bool hulls;     /* show the hulls, not the pieces themselves */
} decompose_mesh;

/* Both are borrowed. */
carom_status decompose_prepare(carom_context *context, const carom_mesh *mesh, const carom_pieces *pieces, bool hulls,
                               decompose_mesh *out);
void decompose_free(decompose_mesh *shown);

/* Neighbouring pieces get different colours, as long as there are enough. */
carom_status decompose_draw(carom_context *context, const decompose_mesh *shown, const picture_def *def,
                            const char *path);

#endif
