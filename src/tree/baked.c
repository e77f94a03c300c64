/* Meshes with their trees as one block of bytes, and back from untrusted bytes. */
#include "tree/baked.h"
#include "tree/rays.h"
#include "tree/wide.h"

static const char MAGIC[8] = {'c', 'a', 'r', 'o', 'm', 'b', 'a', 'k'};

uint64_t baked_checksum(const void *block, size_t size)
{
    const unsigned char *bytes = block;
    size_t before = offsetof(baked_header, checksum), after = before + sizeof(uint64_t);
    base_hash hash = base_hash_begin();
    base_hash_bytes(&hash, bytes, before);
    base_hash_bytes(&hash, bytes + after, size - after);
    return base_hash_end(&hash);
}

/* ---- writing ---- */

static void append(baked_writer *writer, const void *items, size_t bytes)
{
    if (writer->bytes && bytes > 0)
        memcpy(writer->bytes + writer->at, items, bytes);
    writer->at += bytes;
}

void baked_close(baked_writer *writer)
{
    static const unsigned char zeros[8] = {0};
    append(writer, zeros, (8 - writer->at % 8) % 8);
}

void baked_put(baked_writer *writer, const void *items, size_t count, size_t item_size)
{
    append(writer, items, count * item_size);
    baked_close(writer);
}

void baked_put_u32(baked_writer *writer, uint32_t value) { append(writer, &value, sizeof value); }

void baked_put_floats(baked_writer *writer, const float *values, size_t count)
{
    append(writer, values, count * sizeof *values);
}

static baked_header make_header(const carom_tree *tree)
{
    const carom_mesh_info *info = &tree->mesh->info;
    baked_header header = {
        .byte_order = BAKED_BYTE_ORDER,
        .format = BAKED_FORMAT,
        .vertex_count = info->vertex_count,
        .triangle_count = info->triangle_count,
        .edge_count = info->edge_count,
        .component_count = info->component_count,
        .distinct_vertex_count = info->distinct_vertex_count,
        .boundary_edge_count = info->boundary_edge_count,
        .nonmanifold_edge_count = info->nonmanifold_edge_count,
        .mesh_flags = (uint32_t)info->closed | (uint32_t)info->oriented << 1 | (uint32_t)info->manifold << 2,
        .name_size = (uint32_t)strlen(tree->mesh->name) + 1,
        .volume = tree->def.volume,
        .layout = tree->def.layout,
        .builder = tree->def.builder,
        .obb_fit = tree->def.obb_fit,
        .leaf_size = tree->def.leaf_size,
        .balance_penalty = tree->def.balance_penalty + 0.0, /* -0 as 0 */
        .depth_limit = (uint16_t)tree->def.depth_limit,
        .tree_flags = tree->def.keep_large_leaves,
        .node_count = tree->node_count,
        .reference_count = (uint32_t)tree->info.reference_count,
    };
    memcpy(header.magic, MAGIC, sizeof MAGIC);
    if (tree->wide)
        header.node_count = tree->wide->node_count, header.leaf_count = tree->wide->leaf_count;
    if (tree->rays)
        header.node_count = tree->rays->node_count, header.leaf_count = tree->rays->block_count;
    return header;
}

static void write_block(baked_writer *writer, const carom_tree *tree)
{
    baked_header header = make_header(tree);
    baked_put(writer, &header, 1, sizeof header);
    baked_write_mesh(writer, tree->mesh);
    if (tree->wide)
        baked_write_wide(writer, tree);
    else if (tree->rays)
        baked_write_rays(writer, tree);
    else
        baked_write_binary(writer, tree);
    if (!writer->bytes)
        return;
    header.size = writer->at;
    memcpy(writer->bytes, &header, sizeof header);
    header.checksum = baked_checksum(writer->bytes, writer->at);
    memcpy(writer->bytes, &header, sizeof header);
}

carom_status carom_bake(carom_context *context, const carom_tree *tree, void **out, size_t *size)
{
    if (out)
        *out = NULL;
    if (size)
        *size = 0;
    if (!context || !tree || !out || !size)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "bake: %s is null",
                         !context ? "context"
                         : !tree  ? "tree"
                         : !out   ? "out"
                                  : "size");
    if (strlen(tree->mesh->name) >= UINT32_MAX)
        return base_fail(context, CAROM_TOO_LARGE, "bake: the mesh's name is too long");
    baked_writer writer = {0};
    write_block(&writer, tree);
    size_t needed = writer.at;
    writer = (baked_writer){.bytes = base_allocate(context, 1, needed, BASE_CACHE_LINE)};
    if (!writer.bytes)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "bake: no memory for %zu bytes", needed);
    write_block(&writer, tree);
    *out = writer.bytes;
    *size = needed;
    return CAROM_OK;
}

void carom_baked_destroy(carom_context *context, void *block, size_t size)
{
    if (context)
        base_release(context, block, 1, size);
}

/* ---- reading ---- */

carom_status baked_refuse(const baked_reader *reader, const char *what)
{
    return base_fail(reader->context, CAROM_BAD_DATA, "baked block: %s", what);
}

const void *baked_take(baked_reader *reader, size_t count, size_t item_size)
{
    size_t left = reader->size - reader->at;
    if (count > left / item_size)
        return NULL;
    const unsigned char *part = reader->bytes + reader->at;
    reader->at += count * item_size;
    /* The size is a multiple of 8, so the padding is there. */
    for (; reader->at % 8 != 0; reader->at++)
        if (reader->bytes[reader->at] != 0)
            return NULL;
    return part;
}

bool baked_is_header(const baked_header *header) { return memcmp(header->magic, MAGIC, sizeof MAGIC) == 0; }

const char *baked_header_complaint(const baked_header *header, size_t size)
{
    if (size < sizeof *header || !baked_is_header(header))
        return "not a baked block";
    if (header->byte_order != BAKED_BYTE_ORDER)
        return "made on a machine with another byte order";
    if (header->format != BAKED_FORMAT)
        return "another version of the format";
    if (header->size != size || size % 8 != 0)
        return "cut short, or followed by something else";
    return NULL;
}

const char *baked_complaint(const void *block, size_t size)
{
    const baked_header *header = block;
    const char *complaint = baked_header_complaint(header, size);
    return !complaint && header->checksum != baked_checksum(block, size) ? "the checksum is wrong" : complaint;
}

static carom_status read_block(baked_reader *reader, carom_mesh **mesh, carom_tree **tree)
{
    carom_mesh parts;
    BASE_TRY(baked_read_mesh_parts(reader, &parts));
    BASE_TRY(mesh_assemble(reader->context, &parts, mesh));
    carom_status status = baked_read_tree(reader, *mesh, tree);
    if (status != CAROM_OK)
    {
        carom_mesh_destroy(*mesh);
        *mesh = NULL;
    }
    return status;
}

carom_status carom_unbake(carom_context *context, const void *block, size_t size, carom_mesh **mesh, carom_tree **tree)
{
    if (mesh)
        *mesh = NULL;
    if (tree)
        *tree = NULL;
    if (!context || !block || !mesh || !tree)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "unbake: %s is null",
                         !context ? "context"
                         : !block ? "block"
                         : !mesh  ? "mesh"
                                  : "tree");
    BASE_TRY(base_check_float_mode(context));
    /* The caller's bytes may be unaligned, or change while they are read. */
    unsigned char *bytes = base_allocate(context, 1, size, BASE_CACHE_LINE);
    if (!bytes)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "unbake: no memory for %zu bytes", size);
    memcpy(bytes, block, size);
    baked_reader reader = {context, (const baked_header *)(const void *)bytes, bytes, size, sizeof(baked_header)};
    const char *complaint = baked_complaint(bytes, size);
    carom_status status = complaint ? baked_refuse(&reader, complaint) : read_block(&reader, mesh, tree);
    base_release(context, bytes, 1, size);
    return status;
}
