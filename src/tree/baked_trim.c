/* Keeps a folder of cached blocks, of trees or of anything else that the library keeps there, within a size: those used
 * longest ago go first. A file is ours if it has the name of a cached block and begins like one; nothing else is
 * touched. */
#include "tree/baked.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum
{
    KEY_LENGTH = 16,
    LEFTOVER_SECONDS = 3600 /* no tree takes as long to write */
};

typedef struct cached_file
{
    char name[KEY_LENGTH + 8];
    uint64_t size;
    struct timespec used;
} cached_file;

typedef struct trimming
{
    carom_context *context;
    const char *folder;
    int descriptor; /* of the folder */
    BASE_ARRAY(cached_file) files;
    uint64_t size; /* of all */
    time_t now;
    int error; /* the first errno of a file that stayed */
} trimming;

/* 0: not ours. Else the length of the name's first part, the key. */
static size_t key_length(const char *name)
{
    size_t length = strspn(name, "0123456789abcdef");
    return length == KEY_LENGTH ? length : 0;
}

static bool begins_like_ours(const trimming *t, const char *name, const struct stat *about)
{
    static const char ours[] = "carom"; /* the beginning of each kind's magic */
    char start[sizeof(baked_header)];
    int file = openat(t->descriptor, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool whole = file >= 0 && read(file, start, sizeof start) == (ssize_t)sizeof start;
    if (file >= 0)
        close(file);
    /* blocks of other versions are of no use to this one, but they are ours */
    return whole && about->st_size > 0 && memcmp(start, ours, sizeof ours - 1) == 0;
}

static void remove_file(trimming *t, const char *name)
{
    /* another process may have been faster */
    if (unlinkat(t->descriptor, name, 0) != 0 && errno != ENOENT && !t->error)
        t->error = errno;
}

/* False when out of memory. */
static bool look_at(trimming *t, const char *name)
{
    struct stat about;
    size_t length = key_length(name), name_length = strlen(name);
    if (!length || fstatat(t->descriptor, name, &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(about.st_mode))
        return true;
    bool is_tree = strcmp(name + length, ".carom") == 0;
    bool is_part = name_length > length + 5 && name[length] == '.' && strcmp(name + name_length - 5, ".part") == 0;
    if ((!is_tree && !is_part) || !begins_like_ours(t, name, &about))
        return true;
    if (is_part)
    {
        if (t->now - about.st_mtim.tv_sec > LEFTOVER_SECONDS)
            remove_file(t, name);
        return true;
    }
    if (!base_array_reserve(t->context, &t->files, 1))
        return false;
    cached_file *file = &t->files.items[t->files.count++];
    *file = (cached_file){.size = (uint64_t)about.st_size, .used = about.st_mtim};
    memcpy(file->name, name, name_length + 1); /* a name of ours, which has room: see is_tree */
    t->size += file->size;
    return true;
}

static int compare_use(const void *a, const void *b)
{
    const cached_file *x = a, *y = b;
    if (x->used.tv_sec != y->used.tv_sec)
        return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    if (x->used.tv_nsec != y->used.tv_nsec)
        return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
    return strcmp(x->name, y->name);
}

static carom_status list_files(trimming *t, DIR *folder)
{
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL)
        if (!look_at(t, entry->d_name))
            return base_fail(t->context, CAROM_OUT_OF_MEMORY, "tree cache: no memory to list %.100s", t->folder);
    return CAROM_OK;
}

static carom_status trim(trimming *t, DIR *folder, uint64_t max_bytes)
{
    BASE_TRY(list_files(t, folder));
    if (t->files.count > 0)
        qsort(t->files.items, t->files.count, sizeof *t->files.items, compare_use);
    for (size_t i = 0; i < t->files.count && t->size > max_bytes; i++)
    {
        remove_file(t, t->files.items[i].name);
        t->size -= t->files.items[i].size;
    }
    if (t->error)
        return base_fail(t->context, CAROM_IO_ERROR, "tree cache: a file in %.100s can't be removed (error %d)",
                         t->folder, t->error);
    return CAROM_OK;
}

carom_status carom_tree_cache_trim(carom_context *context, const char *folder, uint64_t max_bytes)
{
    if (!context || !folder)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "tree cache: %s is null", !context ? "context" : "folder");
    DIR *stream = opendir(folder);
    if (!stream)
        return base_fail(context, CAROM_IO_ERROR, "tree cache: %.100s can't be listed (error %d)", folder, errno);
    trimming t = {.context = context, .folder = folder, .descriptor = dirfd(stream), .now = time(NULL)};
    carom_status status = trim(&t, stream, max_bytes);
    base_array_free(context, &t.files);
    closedir(stream);
    return status;
}
