/* Files of a cache: each is one block, named by a hash of what it was made from. The folder is only for speed: whatever
 * is wrong with it costs time, and a warning in the log. */
#include "base/base.h"

#include "carom/extend.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
    NAME_SIZE = 96,
    WRITE_SIZE = 4 << 20
};

bool base_store_begin(base_store *store, const char *folder)
{
    carom_context *context = store->context;
    store->path_size = strlen(folder) + NAME_SIZE;
    store->path = base_allocate(context, 2, store->path_size, 1);
    if (!store->path)
        return false;
    store->part_path = store->path + store->path_size;
    snprintf(store->path, store->path_size, "%s/%016" PRIx64 ".carom", folder, store->key);
    /* Other processes and other threads of this one may be writing the same file. */
    uint64_t serial = atomic_fetch_add(&context->next_serial, 1);
    snprintf(store->part_path, store->path_size, "%s/%016" PRIx64 ".%ld-%" PRIxPTR "-%" PRIx64 ".part", folder,
             store->key, (long)getpid(), (uintptr_t)context, serial);
    return true;
}

void base_store_end(base_store *store) { base_release(store->context, store->path, 2, store->path_size); }

void base_store_complain(const base_store *store, const char *complaint)
{
    base_log(store->context, CAROM_LOG_WARNING, "%s: %s: %s; rebuilding", store->name, store->path, complaint);
}

/* ---- reading ---- */

/* The bytes of the file that is open, unless its header says that they are of no use. */
static base_block read_block(const base_store *store, const base_store_check *check, FILE *file, size_t size)
{
    base_block block = {.size = size};
    _Alignas(BASE_CACHE_LINE) char header[BASE_STORE_HEADER] = {0};
    size_t there = fread(header, 1, check->header_size, file);
    const char *complaint = check->complain(header, there < check->header_size ? there : size, check->data);
    if (!complaint)
    {
        block.bytes = base_allocate(store->context, 1, block.size, BASE_CACHE_LINE);
        complaint = block.bytes ? NULL : "no memory for it";
    }
    if (!complaint)
    {
        size_t rest = size - check->header_size;
        memcpy(block.bytes, header, check->header_size);
        complaint = fread(block.bytes + check->header_size, 1, rest, file) == rest ? NULL : "can't be read";
    }
    if (complaint)
    {
        base_store_complain(store, complaint);
        if (block.bytes)
            base_release(store->context, block.bytes, 1, block.size);
        block.bytes = NULL;
    }
    return block;
}

base_block base_store_read(const base_store *store, const base_store_check *check)
{
    struct stat facts;
    base_block block = {0};
    if (stat(store->path, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_size <= 0)
        return block;
    FILE *file = fopen(store->path, "rb");
    if (!file)
        return base_store_complain(store, "can't be read"), block;
    block = read_block(store, check, file, (size_t)facts.st_size);
    fclose(file);
    return block;
}

void base_store_touch(const base_store *store) { utimensat(AT_FDCWD, store->path, NULL, 0); }

/* ---- writing ---- */

/* In pieces: the caller's hook knows from these calls when there is a file to remove, and may end the writing. */
static bool write_pieces(const base_store *store, FILE *file, const char *bytes, size_t size)
{
    for (size_t at = 0, piece; at < size; at += piece)
    {
        carom_progress progress = {"write", store->path, at, size};
        piece = size - at < WRITE_SIZE ? size - at : WRITE_SIZE;
        if (!carom_context_progress(store->context, &progress) || fwrite(bytes + at, 1, piece, file) != piece)
            return false;
    }
    return true;
}

static bool write_file(const base_store *store, const void *bytes, size_t size)
{
    if (!carom_context_progress(store->context, &(carom_progress){"write", store->path, 0, size}))
        return false;
    int descriptor = open(store->part_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    if (!file)
    {
        if (descriptor >= 0)
            close(descriptor);
        return false;
    }
    bool written = write_pieces(store, file, bytes, size);
    return fclose(file) == 0 && written;
}

/* Under another name first, so that no reader ever sees half a file. */
void base_store_write(const base_store *store, const void *bytes, size_t size)
{
    bool stored = bytes != NULL;
    if (stored)
    {
        stored = write_file(store, bytes, size) && rename(store->part_path, store->path) == 0;
        if (!stored)
            remove(store->part_path);
        carom_context_progress(store->context, &(carom_progress){"write", store->path, size, size});
    }
    if (!stored)
        base_log(store->context, CAROM_LOG_WARNING, "%s: %s could not be written", store->name, store->path);
}
