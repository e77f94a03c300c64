/* The baked block: a mesh and its tree as plain words, without pointers. Private to src/tree/baked*.c and their tests.
 *
 * It holds what is expensive to find: topology, the structure of the tree, the orientation of its boxes. What follows
 * from that by arithmetic (bounds, extents of volumes, coordinates in leaves) is recomputed on loading, by the code
 * that builds trees. So a loaded tree is bit-identical to the built one, the block is small, and a forged block can
 * hold a slow tree but none that misses a triangle: pairs, distances and rays are right for the triangles in the block
 * whatever the bytes. Of the topology only the ranges are checked: a forged block may be wrong about what is closed and
 * connected, and so about what is inside.
 *
 *   header | vertices indices merged edges neighbours component component_vertex name | the layout's parts
 *
 * Each part starts at a multiple of 8 bytes; where it starts follows from the counts in the header. Numbers are little
 * or big endian as on the machine that wrote them; the other kind is refused. */
#ifndef TREE_BAKED_H
#define TREE_BAKED_H

#include "tree/tree.h"

enum
{
    BAKED_FORMAT = 5, /* raised with any change of the parts, or of the tree that a builder makes from the same mesh */
    BAKED_BYTE_ORDER = 0x01020304
};

typedef struct baked_header
{
    char magic[8];
    uint32_t byte_order, format;
    uint64_t size;     /* of the whole block */
    uint64_t checksum; /* baked_checksum */

    uint32_t vertex_count, triangle_count, edge_count, component_count;
    uint32_t distinct_vertex_count, boundary_edge_count, nonmanifold_edge_count;
    uint32_t mesh_flags; /* closed 1, oriented 2, manifold 4 */
    uint32_t name_size;  /* with the terminating zero */

    uint32_t volume, layout, builder, obb_fit, leaf_size;
    double balance_penalty;
    uint32_t node_count, leaf_count; /* leaves: of the wide layouts, else 0 */
    uint32_t reference_count;
    uint16_t depth_limit;
    uint16_t tree_flags; /* keep_large_leaves 1 */
} baked_header;

_Static_assert(sizeof(baked_header) == 112, "the header has no gaps");

/* Over all bytes but the checksum's own. The block holds at least a header. */
uint64_t baked_checksum(const void *block, size_t size);

/* ---- writing: once without memory to find the size, then for real ---- */

typedef struct baked_writer
{
    unsigned char *bytes; /* null: only count */
    size_t at;
} baked_writer;

void baked_put(baked_writer *writer, const void *items, size_t count, size_t item_size);
void baked_put_u32(baked_writer *writer, uint32_t value); /* part of an array: close it with baked_close */
void baked_put_floats(baked_writer *writer, const float *values, size_t count);
void baked_close(baked_writer *writer); /* fills up to a multiple of 8 with zeros */

/* ---- reading ---- */

/* Over an aligned copy of the block that nothing else changes. */
typedef struct baked_reader
{
    carom_context *context;
    const baked_header *header;
    const unsigned char *bytes;
    size_t size, at;
} baked_reader;

/* The next part; null if the block ends before it does, or if its padding is not zero. */
const void *baked_take(baked_reader *reader, size_t count, size_t item_size);
/* CAROM_BAD_DATA with a message. */
carom_status baked_refuse(const baked_reader *reader, const char *what);

/* Magic, byte order, format, size and checksum: null, or what is wrong. The block is aligned. */
bool baked_is_header(const baked_header *header);                            /* of any version */
const char *baked_header_complaint(const baked_header *header, size_t size); /* without the checksum */
const char *baked_complaint(const void *block, size_t size);

/* The parts of the mesh: pointers into the block, measured and checked; not to be freed. */
carom_status baked_read_mesh_parts(baked_reader *reader, carom_mesh *parts);
void baked_write_mesh(baked_writer *writer, const carom_mesh *mesh);

/* The rest of the block as a tree over this mesh, whose triangles are those of the block. */
carom_status baked_read_tree(baked_reader *reader, const carom_mesh *mesh, carom_tree **out);

/* ---- layouts ---- */

carom_status baked_read_binary(baked_reader *reader, carom_tree *tree);
void baked_write_binary(baked_writer *writer, const carom_tree *tree);
carom_status baked_read_wide(baked_reader *reader, carom_tree *tree);
void baked_write_wide(baked_writer *writer, const carom_tree *tree);
carom_status baked_read_rays(baked_reader *reader, carom_tree *tree);
void baked_write_rays(baked_writer *writer, const carom_tree *tree);

/* Nodes with eight children and leaves of up to four triangles, as both wide layouts have them. */
#define BAKED_LEAF_FLAG 0x80000000u
#define BAKED_NO_CHILD  UINT32_MAX
enum
{
    BAKED_LANES = 8,
    BAKED_LEAF_TRIANGLES = 4
};

typedef struct baked_eight
{
    const uint32_t *child;     /* 8 per node: a later node, a leaf | BAKED_LEAF_FLAG, or BAKED_NO_CHILD */
    const uint32_t *leaf_size; /* per leaf */
    const uint32_t *order;     /* triangles, leaf after leaf */
    uint32_t depth;            /* nodes on the longest path */
} baked_eight;

/* Takes and checks them: every node and leaf is reached exactly once from node 0, children follow their parents and
 * fill the first lanes, no path is longer than the walks allow, every triangle is in a leaf. */
carom_status baked_read_eight(baked_reader *reader, baked_eight *out);

/* Every triangle at least once in order[0 .. count), nothing else in it. */
carom_status baked_check_order(const baked_reader *reader, const uint32_t *order, size_t count);

#endif
