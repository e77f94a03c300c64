/* Trees cached in a folder: one baked block per file, named by a hash of its input. The folder is only for speed:
 * whatever is wrong with it, the caller gets a tree. */
#include "tree/baked.h"

#include "carom/extend.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
    MAX_BYTES_PER_ITEM = 4096, /* vertices and triangles of a mesh with the largest volumes have a tenth of this */
    WRITE_SIZE = 4 << 20
};

/* One mesh and def looked up in one folder. */
typedef struct cache_entry
{
    carom_context *context;
    const carom_mesh *mesh;
    const carom_tree_def *def;
    const char *folder;
    uint64_t key;
    char *path, *part_path; /* the file, and the name that it has while it is being written */
    size_t path_size;       /* of each */
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

/* False when out of memory. */
static bool begin_entry(cache_entry *entry)
{
    enum
    {
        NAME_SIZE = 96
    };
    entry->key = make_key(entry->mesh, entry->def);
    entry->path_size = strlen(entry->folder) + NAME_SIZE;
    entry->path = base_allocate(entry->context, 2, entry->path_size, 1);
    if (!entry->path)
        return false;
    entry->part_path = entry->path + entry->path_size;
    snprintf(entry->path, entry->path_size, "%s/%016" PRIx64 ".carom", entry->folder, entry->key);
    /* Other processes and other threads of this one may be writing the same tree. */
    uint64_t serial = atomic_fetch_add(&entry->context->next_serial, 1);
    snprintf(entry->part_path, entry->path_size, "%s/%016" PRIx64 ".%ld-%" PRIxPTR "-%" PRIx64 ".part", entry->folder,
             entry->key, (long)getpid(), (uintptr_t)entry->context, serial);
    return true;
}

static void end_entry(cache_entry *entry) { base_release(entry->context, entry->path, 2, entry->path_size); }

/* ---- reading ---- */

typedef struct cache_block
{
    unsigned char *bytes; /* null: none */
    size_t size;
} cache_block;

/* Null, or why a file that begins like this can't be the mesh's; it may be of any size, and is then not read. */
static const char *header_complaint(const cache_entry *entry, const baked_header *header, size_t size)
{
    const carom_mesh *mesh = entry->mesh;
    const char *complaint = baked_header_complaint(header, size);
    if (complaint)
        return complaint;
    size_t items = (size_t)mesh->vertex_count + mesh->triangle_count + header->name_size;
    bool same = header->vertex_count == mesh->vertex_count && header->triangle_count == mesh->triangle_count;
    return same && size / MAX_BYTES_PER_ITEM <= items ? NULL : "made from another mesh";
}

/* The bytes of the file that is open; *complaint says what is wrong with them. */
static cache_block read_block(const cache_entry *entry, FILE *file, size_t size, const char **complaint)
{
    cache_block block = {.size = size};
    baked_header header = {.size = 0};
    size_t there = fread(&header, 1, sizeof header, file);
    *complaint = header_complaint(entry, &header, there < sizeof header ? there : size);
    if (*complaint)
        return block;
    block.bytes = base_allocate(entry->context, 1, block.size, BASE_CACHE_LINE);
    if (!block.bytes)
        return *complaint = "no memory for it", block;
    memcpy(block.bytes, &header, sizeof header);
    size_t rest = size - sizeof header;
    if (fread(block.bytes + sizeof header, 1, rest, file) != rest)
    {
        base_release(entry->context, block.bytes, 1, block.size);
        block.bytes = NULL;
        *complaint = "can't be read";
    }
    return block;
}

static cache_block read_file(const cache_entry *entry)
{
    struct stat facts;
    cache_block block = {0};
    const char *complaint = NULL;
    if (stat(entry->path, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_size <= 0)
        return block;
    FILE *file = fopen(entry->path, "rb");
    if (file)
        block = read_block(entry, file, (size_t)facts.st_size, &complaint), fclose(file);
    else
        complaint = "can't be read";
    if (complaint)
        base_log(entry->context, CAROM_LOG_WARNING, "tree cache: %s: %s; rebuilding", entry->path, complaint);
    return block;
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
    cache_block block = read_file(entry);
    if (!block.bytes)
        return NULL;
    carom_tree *tree = NULL;
    carom_mesh parts;
    baked_reader reader = {entry->context, (const baked_header *)(const void *)block.bytes, block.bytes, block.size,
                           sizeof(baked_header)};
    const char *complaint = baked_complaint(block.bytes, block.size);
    if (!complaint && baked_read_mesh_parts(&reader, &parts) != CAROM_OK)
        complaint = "its mesh can't be read";
    if (!complaint && !is_ours(entry, reader.header, &parts))
        complaint = "made from another mesh";
    if (!complaint && baked_read_tree(&reader, entry->mesh, &tree) != CAROM_OK)
        complaint = "its tree can't be read";
    if (complaint)
        base_log(entry->context, CAROM_LOG_WARNING, "tree cache: %s: %s; rebuilding", entry->path, complaint);
    else
        utimensat(AT_FDCWD, entry->path, NULL, 0); /* used now, which carom_tree_cache_trim goes by */
    base_release(entry->context, block.bytes, 1, block.size);
    return tree;
}

/* ---- writing ---- */

/* In pieces: the caller's hook knows from these calls when there is a file to remove, and may end the writing. */
static bool write_pieces(const cache_entry *entry, FILE *file, const char *bytes, size_t size)
{
    for (size_t at = 0, piece; at < size; at += piece)
    {
        carom_progress progress = {"write", entry->path, at, size};
        piece = size - at < WRITE_SIZE ? size - at : WRITE_SIZE;
        if (!carom_context_progress(entry->context, &progress) || fwrite(bytes + at, 1, piece, file) != piece)
            return false;
    }
    return true;
}

static bool write_file(const cache_entry *entry, const void *bytes, size_t size)
{
    if (!carom_context_progress(entry->context, &(carom_progress){"write", entry->path, 0, size}))
        return false;
    int descriptor = open(entry->part_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    if (!file)
    {
        if (descriptor >= 0)
            close(descriptor);
        return false;
    }
    bool written = write_pieces(entry, file, bytes, size);
    return fclose(file) == 0 && written;
}

/* Under another name first, so that no reader ever sees half a file. */
static void store(const cache_entry *entry, const carom_tree *tree)
{
    void *block;
    size_t size = 1;
    bool stored = carom_bake(entry->context, tree, &block, &size) == CAROM_OK;
    if (stored)
    {
        stored = write_file(entry, block, size) && rename(entry->part_path, entry->path) == 0;
        if (!stored)
            remove(entry->part_path);
        carom_baked_destroy(entry->context, block, size);
        carom_context_progress(entry->context, &(carom_progress){"write", entry->path, size, size});
    }
    if (!stored)
        base_log(entry->context, CAROM_LOG_WARNING, "tree cache: %s could not be written", entry->path);
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
    cache_entry entry = {.context = context, .mesh = mesh, .def = &chosen, .folder = folder};
    if (!begin_entry(&entry))
        return base_fail(context, CAROM_OUT_OF_MEMORY, "tree cache: no memory for a path in %.100s", folder);
    carom_status status = CAROM_OK;
    *out = load(&entry);
    if (!*out)
    {
        status = carom_tree_create(context, mesh, &chosen, out);
        if (status == CAROM_OK)
            store(&entry, *out);
    }
    end_entry(&entry);
    return status;
}
