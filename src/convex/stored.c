/* Pieces kept in a folder, next to trees: one file per mesh, named by a hash of its geometry. */
#include "convex/stored.h"

static const char MAGIC[8] = {'c', 'a', 'r', 'o', 'm', 'p', 'c', 's'};

uint64_t stored_key(const carom_mesh *mesh)
{
    base_hash hash = base_hash_begin();
    base_hash_bytes(&hash, MAGIC, sizeof MAGIC);
    base_hash_u64(&hash, (uint64_t)STORED_FORMAT << 32 | STORED_BYTE_ORDER);
    base_hash_bytes(&hash, mesh->vertices, mesh->vertex_count * sizeof *mesh->vertices);
    base_hash_bytes(&hash, mesh->indices, 3 * (size_t)mesh->triangle_count * sizeof *mesh->indices);
    return base_hash_end(&hash);
}

uint64_t stored_checksum(const void *block, size_t size)
{
    const unsigned char *bytes = block;
    size_t before = offsetof(stored_header, checksum), after = before + sizeof(uint64_t);
    base_hash hash = base_hash_begin();
    base_hash_bytes(&hash, bytes, before);
    base_hash_bytes(&hash, bytes + after, size - after);
    return base_hash_end(&hash);
}

/* What the header alone says, before the rest is read. */
typedef struct expected
{
    const carom_mesh *mesh;
    uint64_t key;
} expected;

static const char *header_complaint(const void *start, size_t size, const void *data)
{
    const stored_header *header = start;
    const expected *wanted = data;
    if (size < sizeof *header + sizeof(convex_pieces) || memcmp(header->magic, MAGIC, sizeof MAGIC) != 0)
        return "no pieces";
    if (header->byte_order != STORED_BYTE_ORDER)
        return "made on a machine with another byte order";
    if (header->format != STORED_FORMAT)
        return "another version of the format";
    if (header->size != size)
        return "cut short, or followed by something else";
    bool same = header->key == wanted->key && header->vertex_count == wanted->mesh->vertex_count &&
                header->triangle_count == wanted->mesh->triangle_count;
    return same ? NULL : "made from another mesh";
}

const char *stored_complaint(carom_context *context, const carom_mesh *mesh, const void *block, size_t size)
{
    const stored_header *header = block;
    const expected wanted = {mesh, stored_key(mesh)};
    const char *complaint = header_complaint(block, size, &wanted);
    if (complaint)
        return complaint;
    if (header->checksum != stored_checksum(block, size) || header->unused[0] != 0 || header->unused[1] != 0)
        return "damaged";
    return stored_pieces_complaint(context, mesh, (const convex_pieces *)(header + 1), size - sizeof *header);
}

/* Null if the file is missing or unusable. */
static convex_pieces *load(const base_store *store, const carom_mesh *mesh)
{
    const expected wanted = {mesh, store->key};
    const base_store_check check = {sizeof(stored_header), header_complaint, &wanted};
    base_block block = base_store_read(store, &check);
    if (!block.bytes)
        return NULL;
    size_t size = block.size - sizeof(stored_header);
    convex_pieces *pieces = NULL;
    const char *complaint = stored_complaint(store->context, mesh, block.bytes, block.size);
    if (!complaint)
    {
        pieces = base_allocate(store->context, 1, size, BASE_CACHE_LINE);
        complaint = pieces ? NULL : "no memory for it";
    }
    if (complaint)
        base_store_complain(store, complaint);
    else
    {
        memcpy(pieces, block.bytes + sizeof(stored_header), size);
        base_store_touch(store);
    }
    base_release(store->context, block.bytes, 1, block.size);
    return pieces;
}

static void save(const base_store *store, const carom_mesh *mesh, const convex_pieces *pieces)
{
    size_t size = sizeof(stored_header) + (size_t)pieces->size;
    unsigned char *block = base_allocate(store->context, 1, size, BASE_CACHE_LINE);
    if (block)
    {
        stored_header header = {.byte_order = STORED_BYTE_ORDER,
                                .format = STORED_FORMAT,
                                .size = size,
                                .key = store->key,
                                .vertex_count = mesh->vertex_count,
                                .triangle_count = mesh->triangle_count};
        memcpy(header.magic, MAGIC, sizeof MAGIC);
        memcpy(block, &header, sizeof header);
        memcpy(block + sizeof header, pieces, (size_t)pieces->size);
        header.checksum = stored_checksum(block, size);
        memcpy(block, &header, sizeof header);
    }
    base_store_write(store, block, size);
    if (block)
        base_release(store->context, block, 1, size);
}

carom_status convex_pieces_create_cached(carom_context *context, const carom_mesh *mesh, const char *folder,
                                         convex_pieces **out)
{
    base_store store = {.context = context, .name = "cache of pieces", .key = stored_key(mesh)};
    *out = NULL;
    if (!base_store_begin(&store, folder))
        return base_fail(context, CAROM_OUT_OF_MEMORY, "cache of pieces: no memory for a path in %.100s", folder);
    carom_status status = CAROM_OK;
    *out = load(&store, mesh);
    if (!*out)
    {
        status = convex_pieces_create(context, mesh, out);
        if (status == CAROM_OK)
            save(&store, mesh, *out);
    }
    base_store_end(&store);
    return status;
}
