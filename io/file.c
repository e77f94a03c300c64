/* Reads whole files; writes files completely or not at all. */
#include "io/soup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
    PIPE_BLOCK = 1 << 16,
    PIECE_SIZE = 8 << 20, /* read at once */
    OUTPUT_BUFFER = 1 << 16,
    TEMPORARY_TRIES = 100,
    MAX_LINKS = 40,
    MAX_PATH = 4096,
    REASON_SIZE = 80
};

/* strerror for several threads. */
static const char *error_text(int error, char out[REASON_SIZE])
{
    if (strerror_r(error, out, REASON_SIZE) != 0)
        snprintf(out, REASON_SIZE, "error %d", error);
    return out;
}

/* ---- in ---- */

void io_source_free(io_source *source)
{
    carom_context_release(source->context, source->begin, source->capacity);
    source->begin = source->end = NULL;
    source->capacity = 0;
}

carom_status io_source_copy(io_source *source, const void *bytes, size_t size)
{
    if (!bytes && size > 0)
        return io_fail(source, CAROM_INVALID_ARGUMENT, "the bytes are null");
    source->begin = size < SIZE_MAX ? carom_context_allocate(source->context, size + 1, BASE_CACHE_LINE) : NULL;
    if (!source->begin)
        return io_out_of_memory(source);
    if (size > 0)
        memcpy(source->begin, bytes, size);
    source->begin[size] = '\0';
    source->end = source->begin + size;
    source->capacity = size + 1;
    return CAROM_OK;
}

static carom_status read_failed(const io_source *source, int error)
{
    char reason[REASON_SIZE];
    return io_fail(source, CAROM_IO_ERROR, "can't be read: %s", error_text(error, reason));
}

/* Until the end of the file; sizes may change while we read, and pipes have none. */
static carom_status read_all(io_source *source, int file, size_t expected)
{
    size_t used = 0, capacity = 0;
    void *memory = NULL;
    carom_status status = CAROM_OK;
    for (;;)
    {
        size_t needed = used + (used < expected ? expected - used + 2 : (size_t)PIPE_BLOCK);
        if (capacity - used < 2 && !io_array_grow(source->context, &memory, &capacity, needed, 1))
        {
            status = io_out_of_memory(source);
            break;
        }
        status = io_step(source, "read", used, expected);
        if (status != CAROM_OK)
            break;
        size_t room = capacity - used - 1;
        ssize_t got = read(file, (char *)memory + used, room < PIECE_SIZE ? room : PIECE_SIZE);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            status = read_failed(source, errno);
        if (got <= 0)
            break;
        used += (size_t)got;
    }
    source->begin = memory;
    source->capacity = capacity;
    if (status == CAROM_OK)
    {
        source->end = source->begin + used;
        *source->end = '\0';
    }
    return status;
}

bool io_is_standard_input(const char *path) { return strcmp(path, "-") == 0; }

carom_status io_source_open(io_source *source, const char *path)
{
    char reason[REASON_SIZE];
    int file = io_is_standard_input(path) ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (file < 0)
        return io_fail(source, CAROM_IO_ERROR, "can't be opened: %s", error_text(errno, reason));
    struct stat about;
    carom_status status = CAROM_OK;
    if (fstat(file, &about) != 0)
        status = io_fail(source, CAROM_IO_ERROR, "can't be read: %s", error_text(errno, reason));
    else if (S_ISDIR(about.st_mode))
        status = io_fail(source, CAROM_IO_ERROR, "is a directory, not a model file");
    else if (!S_ISREG(about.st_mode) && !S_ISFIFO(about.st_mode) && !S_ISSOCK(about.st_mode))
        status = io_fail(source, CAROM_IO_ERROR, "is neither a file nor a pipe");
    source->file = file;
    source->file_size = status == CAROM_OK && S_ISREG(about.st_mode) ? (size_t)about.st_size : 0;
    if (status != CAROM_OK)
        io_source_close(source);
    return status;
}

void io_source_close(io_source *source)
{
    if (source->file > STDIN_FILENO)
        close(source->file);
    source->file = -1;
}

carom_status io_source_load(io_source *source) { return read_all(source, source->file, source->file_size); }

carom_status io_source_fill(io_source *source, char **filled, bool *at_end)
{
    char *end = source->begin + source->capacity - 1;
    *at_end = false;
    while (*filled < end && !*at_end)
    {
        BASE_TRY(io_step(source, "read", source->file_done, source->file_size));
        ssize_t got = read(source->file, *filled, (size_t)(end - *filled));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return read_failed(source, errno);
        *at_end = got == 0;
        *filled += got;
        source->file_done += (size_t)got;
    }
    **filled = '\0';
    return CAROM_OK;
}

size_t io_source_peek(const io_source *source, void *out, size_t size)
{
    ssize_t got = pread(source->file, out, size, 0);
    return got > 0 ? (size_t)got : 0;
}

bool io_source_read_at(const io_source *source, void *out, size_t size, size_t at)
{
    for (size_t done = 0; done < size;)
    {
        ssize_t got = pread(source->file, (char *)out + done, size - done, (off_t)(at + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

carom_status io_source_rewind(io_source *source)
{
    return lseek(source->file, 0, SEEK_SET) == 0 ? CAROM_OK : read_failed(source, errno);
}

/* ---- out ---- */

struct io_output
{
    carom_context *context;
    char *path;
    char *temporary; /* where the bytes go until commit; empty: straight to a device or pipe */
    size_t path_size, temporary_size;
    int file;
    int error; /* errno of the first failure */
    size_t used;
    char buffer[OUTPUT_BUFFER];
};

carom_context *io_output_context(const io_output *output) { return output->context; }
const char *io_output_path(const io_output *output) { return output->path; }

static void output_free(io_output *output)
{
    carom_context *context = output->context;
    if (output->path)
        carom_context_progress(context, &(carom_progress){"write", output->path, 1, 1});
    carom_context_release(context, output->path, output->path_size);
    carom_context_release(context, output->temporary, output->temporary_size);
    carom_context_release(context, output, sizeof *output);
}

static carom_status output_fail(carom_context *context, const char *path, int error)
{
    char reason[REASON_SIZE];
    carom_status status = error == ECANCELED ? CAROM_CANCELLED : error == ENOMEM ? CAROM_OUT_OF_MEMORY : CAROM_IO_ERROR;
    return io_context_fail(context, status, "%s: can't be written: %s", io_short_path(path), error_text(error, reason));
}

/* The caller's hook knows from these calls when there is a file to remove: from the first until one that is done. */
static bool write_step(const io_output *output, uint64_t done, uint64_t total)
{
    return carom_context_progress(output->context, &(carom_progress){"write", output->path, done, total});
}

/* Next to the target, so that the rename stays within one file system; the name is unique. Of a file that exists, the
 * new one gets the mode and, where the system allows it, the owner; until then no one else can read it. */
static int open_temporary(io_output *output, const struct stat *replaced)
{
    for (int attempt = 0; attempt < TEMPORARY_TRIES; attempt++)
    {
        snprintf(output->temporary, output->temporary_size, "%s.%ld-%d.tmp", output->path, (long)getpid(), attempt);
        int file = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, replaced ? 0600 : 0666);
        if (file < 0 && errno == EEXIST)
            continue;
        if (file < 0 || !replaced)
            return file;
        /* without the owner, what a group may do would be another group's */
        bool same_group =
            fchown(file, replaced->st_uid, replaced->st_gid) == 0 || fchown(file, (uid_t)-1, replaced->st_gid) == 0;
        fchmod(file, replaced->st_mode & (same_group ? 0777 : 0707));
        return file;
    }
    return -1;
}

/* Replaces the path by what it points to, if it is a symbolic link, to a file or to nothing yet. 0, or errno. */
static int follow_links(io_output *output)
{
    for (int depth = 0; depth < MAX_LINKS; depth++)
    {
        char target[MAX_PATH];
        ssize_t length = readlink(output->path, target, sizeof target - 1);
        if (length < 0)
            return errno == EINVAL || errno == ENOENT || errno == ENOTDIR ? 0 : errno;
        if ((size_t)length == sizeof target - 1)
            return ENAMETOOLONG;
        target[length] = '\0';
        const char *slash = target[0] == '/' ? NULL : strrchr(output->path, '/');
        size_t folder = slash ? (size_t)(slash - output->path) + 1 : 0;
        size_t size = folder + (size_t)length + 1;
        char *path = carom_context_allocate(output->context, size, 1);
        if (!path)
            return ENOMEM;
        memcpy(path, output->path, folder);
        memcpy(path + folder, target, (size_t)length + 1);
        carom_context_release(output->context, output->path, output->path_size);
        output->path = path, output->path_size = size;
    }
    return ELOOP;
}

static carom_status output_begin(io_output *output)
{
    struct stat about;
    int error = follow_links(output);
    if (error)
        return output_fail(output->context, output->path, error);
    output->temporary_size = output->path_size + 40;
    output->temporary = carom_context_allocate(output->context, output->temporary_size, 1);
    if (!output->temporary)
        return output_fail(output->context, output->path, ENOMEM);
    bool exists = stat(output->path, &about) == 0;
    if (exists && S_ISDIR(about.st_mode))
        return output_fail(output->context, output->path, EISDIR);
    if (exists && access(output->path, W_OK) != 0)
        return output_fail(output->context, output->path, errno);
    if (exists && !S_ISREG(about.st_mode))
    {
        output->temporary[0] = '\0';
        output->file = open(output->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    }
    else
    {
        if (!write_step(output, 0, 0))
            return output_fail(output->context, output->path, ECANCELED);
        output->file = open_temporary(output, exists ? &about : NULL);
    }
    return output->file < 0 ? output_fail(output->context, output->path, errno) : CAROM_OK;
}

carom_status io_output_open(carom_context *context, const char *path, io_output **out)
{
    *out = NULL;
    io_output *output = carom_context_allocate(context, sizeof *output, _Alignof(io_output));
    if (!output)
        return io_context_fail(context, CAROM_OUT_OF_MEMORY, "%s: out of memory", io_short_path(path));
    output->context = context;
    output->error = 0;
    output->used = 0;
    output->path_size = strlen(path) + 1;
    output->path = carom_context_allocate(context, output->path_size, 1);
    output->temporary = NULL;
    output->temporary_size = 0;
    carom_status status;
    if (!output->path)
        status = io_context_fail(context, CAROM_OUT_OF_MEMORY, "%s: out of memory", io_short_path(path));
    else
    {
        memcpy(output->path, path, output->path_size);
        status = output_begin(output);
    }
    if (status != CAROM_OK)
        output_free(output);
    else
        *out = output;
    return status;
}

static void write_through(io_output *output, const char *bytes, size_t size)
{
    if (!output->error && !write_step(output, 0, 0))
        output->error = ECANCELED;
    while (size > 0 && !output->error)
    {
        ssize_t written = write(output->file, bytes, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            output->error = errno;
        else
            bytes += written, size -= (size_t)written;
    }
}

void io_output_write(io_output *output, const void *bytes, size_t size)
{
    if (size > OUTPUT_BUFFER - output->used)
    {
        write_through(output, output->buffer, output->used);
        output->used = 0;
    }
    if (size > OUTPUT_BUFFER)
    {
        write_through(output, bytes, size);
        return;
    }
    memcpy(output->buffer + output->used, bytes, size);
    output->used += size;
}

void io_output_print(io_output *output, const char *text) { io_output_write(output, text, strlen(text)); }

void io_output_number(io_output *output, double value, char after)
{
    char text[IO_NUMBER_SIZE];
    size_t length = io_format_number(value, text);
    text[length] = after;
    io_output_write(output, text, length + 1);
}

void io_output_integer(io_output *output, uint64_t value, char after)
{
    char text[24];
    size_t at = sizeof text;
    text[--at] = after;
    do
        text[--at] = (char)('0' + value % 10);
    while ((value /= 10) != 0);
    io_output_write(output, text + at, sizeof text - at);
}

carom_status io_output_commit(io_output *output)
{
    write_through(output, output->buffer, output->used);
    if (close(output->file) != 0 && !output->error)
        output->error = errno;
    bool temporary = output->temporary[0] != '\0';
    if (!output->error && temporary && rename(output->temporary, output->path) != 0)
        output->error = errno;
    if (output->error && temporary)
        unlink(output->temporary);
    carom_status status = output->error ? output_fail(output->context, output->path, output->error) : CAROM_OK;
    output_free(output);
    return status;
}

void io_output_abandon(io_output *output)
{
    if (!output)
        return;
    close(output->file);
    if (output->temporary[0] != '\0')
        unlink(output->temporary);
    output_free(output);
}
