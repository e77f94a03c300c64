/* Trees cached in a folder: one baked block per file, named by a hash of its input. The folder is only for speed:
 * whatever is wrong with it, the caller gets a tree. */
#include "tree/baked.h"

enum
{
    MAX_BYTES_PER_ITEM = 4096 /* vertices and triangles of a mesh with the largest volumes have a tenth of this */
};

/* One mesh and def looked up in one folder. */
typedef struct cache_entry
{
    const carom_mesh *mesh;
    const carom_tree_def *def;
    base_store store;
} cache_entry;

static uint64_t make_key(const carom_mesh *mesh, const carom_tree_def *def)
{
    base_hash hash = base_hash_begin();
    base_hash_u64(&hash, BAKED_FORMAT);
    base_hash_u64(&hash, BAKED_BYTE_ORDER);
    base_hash_bytes(&hash, mesh->vertices, mesh->vertex_count * sizeof *mesh->vertices);
    base_hash_bytes(&hash, mesh->indices, 3 * (size_t)mesh->triangle_count * sizeof *mesh->indices);
    base_hash_u64(&hash, (uint64_t)def->volume);
    base_hash_u64(&hash, (uint64_t)def->layout);
    base_hash_u64(&hash, (uint64_t)def->builder);
    base_hash_u64(&hash, (uint64_t)def->obb_fit);
    base_hash_u64(&hash, def->leaf_size);
    base_hash_double(&hash, def->balance_penalty);
    base_hash_u64(&hash, (uint64_t)def->depth_limit << 1 | def->keep_large_leaves);
    return base_hash_end(&hash);
}

/* ---- reading ---- */

/* Null, or why a file that begins like this can't be the mesh's; it may be of any size, and is then not read. */
static const char *header_complaint(const void *start, size_t size, const void *data)
{
    const cache_entry *entry = data;
    const carom_mesh *mesh = entry->mesh;
    const baked_header *header = start;
    const char *complaint = baked_header_complaint(header, size);
    if (complaint)
        return complaint;
    size_t items = (size_t)mesh->vertex_count + mesh->triangle_count + header->name_size;
    bool same = header->vertex_count == mesh->vertex_count && header->triangle_count == mesh->triangle_count;
    return same && size / MAX_BYTES_PER_ITEM <= items ? NULL : "made from another mesh";
}

/* Was the block made from this mesh and this def? Layouts may round the size of leaves. */
static bool is_ours(const cache_entry *entry, const baked_header *header, const carom_mesh *parts)
{
    const carom_mesh *mesh = entry->mesh;
    const carom_tree_def *def = entry->def;
    return header->volume == (uint32_t)def->volume && header->layout == (uint32_t)def->layout &&
           header->builder == (uint32_t)def->builder && header->obb_fit == (uint32_t)def->obb_fit &&
           (header->leaf_size == def->leaf_size || def->leaf_size == 0 || def->layout == CAROM_LAYOUT_WIDE) &&
           header->balance_penalty == def->balance_penalty && header->depth_limit == def->depth_limit &&
           (header->tree_flags & 1) == def->keep_large_leaves && parts->vertex_count == mesh->vertex_count &&
           parts->triangle_count == mesh->triangle_count &&
           memcmp(parts->vertices, mesh->vertices, mesh->vertex_count * sizeof *mesh->vertices) == 0 &&
           memcmp(parts->indices, mesh->indices, 3 * (size_t)mesh->triangle_count * sizeof *mesh->indices) == 0;
}

/* Null if the file is missing or unusable. */
static carom_tree *load(const cache_entry *entry)
{
    carom_context *context = entry->store.context;
    const base_store_check check = {sizeof(baked_header), header_complaint, entry};
    base_block block = base_store_read(&entry->store, &check);
    if (!block.bytes)
        return NULL;
    carom_tree *tree = NULL;
    carom_mesh parts;
    baked_reader reader = {context, (const baked_header *)(const void *)block.bytes, block.bytes, block.size,
                           sizeof(baked_header)};
    const char *complaint = baked_complaint(block.bytes, block.size);
    if (!complaint && baked_read_mesh_parts(&reader, &parts) != CAROM_OK)
        complaint = "its mesh can't be read";
    if (!complaint && !is_ours(entry, reader.header, &parts))
        complaint = "made from another mesh";
    if (!complaint && baked_read_tree(&reader, entry->mesh, &tree) != CAROM_OK)
        complaint = "its tree can't be read";
    if (complaint)
        base_store_complain(&entry->store, complaint);
    else
        base_store_touch(&entry->store);
    base_release(context, block.bytes, 1, block.size);
    return tree;
}

static void store(const cache_entry *entry, const carom_tree *tree)
{
    void *block = NULL;
    size_t size = 0;
    carom_bake(entry->store.context, tree, &block, &size);
    base_store_write(&entry->store, block, size);
    if (block)
        carom_baked_destroy(entry->store.context, block, size);
}

carom_status carom_tree_create_cached(carom_context *context, const carom_mesh *mesh, const carom_tree_def *def,
                                      const char *folder, carom_tree **out)
{
    if (out)
        *out = NULL;
    if (!context || !mesh || !folder || !out)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "tree cache: %s is null",
                         !context  ? "context"
                         : !mesh   ? "mesh"
                         : !folder ? "folder"
                                   : "out");
    if (folder[0] == '\0')
        return base_fail(context, CAROM_INVALID_ARGUMENT, "tree cache: the folder's name is empty");
    carom_tree_def chosen = def ? *def : carom_tree_def_default();
    BASE_TRY(tree_check_def(context, &chosen));
    BASE_TRY(base_check_float_mode(context));
    cache_entry entry = {mesh, &chosen, {.context = context, .name = "tree cache", .key = make_key(mesh, &chosen)}};
    if (!base_store_begin(&entry.store, folder))
        return base_fail(context, CAROM_OUT_OF_MEMORY, "tree cache: no memory for a path in %.100s", folder);
    carom_status status = CAROM_OK;
    *out = load(&entry);
    if (!*out)
    {
        status = carom_tree_create(context, mesh, &chosen, out);
        if (status == CAROM_OK)
            store(&entry, *out);
    }
    base_store_end(&entry.store);
    return status;
}
