/* Pieces as a block of a cache folder. Private to this folder and its tests. */
#ifndef CONVEX_STORED_H
#define CONVEX_STORED_H

#include "convex/convex.h"

enum
{
    STORED_FORMAT = 2, /* raised with any change of the block, or of the pieces that are made from the same mesh */
    STORED_BYTE_ORDER = 0x01020304
};

/* Then come the pieces, with their own header. */
typedef struct stored_header
{
    char magic[8];
    uint32_t byte_order, format;
    uint64_t size;     /* of all, this header included */
    uint64_t checksum; /* stored_checksum */
    uint64_t key;      /* stored_key */
    uint32_t vertex_count, triangle_count;
    uint64_t unused[2]; /* zero; fills a cache line */
} stored_header;

_Static_assert(sizeof(stored_header) == BASE_CACHE_LINE, "the pieces stay aligned");

/* Of the mesh's geometry and the format. */
uint64_t stored_key(const carom_mesh *mesh);
/* Over all bytes but the checksum's own. */
uint64_t stored_checksum(const void *block, size_t size);

/* Null, or what is wrong with a whole block: any bytes, aligned. It allocates no more than a bit per triangle; without
 * memory for that, the block is refused. */
const char *stored_complaint(carom_context *context, const carom_mesh *mesh, const void *block, size_t size);

/* Null, or what is wrong with pieces that any program may have written: sizes, ranges, links, lists, strips and boxes.
 * What is left is safe to use; only convex_check says whether hulls and patches are right. */
const char *stored_pieces_complaint(carom_context *context, const carom_mesh *mesh, const convex_pieces *pieces,
                                    size_t size);

/* The offset of each array, and the size, as they follow from the counts; false: they would overflow. */
bool convex_place_arrays(convex_pieces *pieces);

#endif
