/* compute: kernels over buffers, on whatever there is: OpenCL, compute shaders of OpenGL, or the processor itself.
 *
 * A kernel is written once, in the C-like dialect of docs/kernels.md, in a file *.kernel below src/. A prelude of
 * macros makes it OpenCL C or GLSL, and twin.h makes it C: the twin, which the processor runs and the others are
 * compared with. Kernels use float and uint, no doubles and no memory shared by a group. They only add, subtract,
 * multiply and compare, and nothing is contracted, so that all backends give the same bits; only the order of atomic
 * appends differs.
 *
 * A device is used between compute_begin and compute_end, on one thread at a time. Buffers and kernels belong to one
 * device and are made and destroyed while it is in use. A zeroed struct is one that was not made: destroying it does
 * nothing.
 *
 * Every call is checked. An error is a status whose message names the driver's call: CAROM_OUT_OF_MEMORY,
 * CAROM_TOO_LARGE beyond the device's limits, CAROM_BAD_DATA for a kernel that does not compile, CAROM_UNSUPPORTED for
 * anything else that the driver refuses, and CAROM_UNAVAILABLE if the device is lost, from then on for every call:
 * close it and open another one. */
#ifndef COMPUTE_COMPUTE_H
#define COMPUTE_COMPUTE_H

#include "base/base.h"
#include "carom/gpu.h"

typedef struct compute_device compute_device;

/* ---- devices ---- */

typedef enum compute_kind
{
    COMPUTE_AUTO = 0, /* what CAROM_COMPUTE says, or else the others in turn */
    COMPUTE_OPENCL,
    COMPUTE_OPENGL,
    COMPUTE_PROCESSOR,
    COMPUTE_KIND_COUNT
} compute_kind;

const char *compute_kind_name(compute_kind kind);

typedef base_function compute_function;
/* Returns the function to use for a name ("clFinish"); found is the library's, or null. */
typedef compute_function *compute_find_fn(const char *name, compute_function *found, void *user);

typedef struct compute_limits
{
    uint64_t buffer_size;  /* bytes of one buffer */
    uint32_t group_size;   /* items of a work group */
    uint32_t local_memory; /* bytes that a group can share; kernels use none */
} compute_limits;

typedef struct compute_device_def
{
    compute_kind kind;
    compute_limits limits; /* for tests: lower than the device's; 0: the device's */
    const char *library;   /* for tests: instead of libOpenCL.so.1; null: that one */
    compute_find_fn *find; /* for tests: replaces functions of OpenCL; null: none */
    void *find_user;
} compute_device_def;

compute_device_def compute_device_def_default(void);

/* What CAROM_COMPUTE says; without it COMPUTE_AUTO. */
compute_kind compute_wanted_kind(const carom_context *context);
/* COMPUTE_KIND_COUNT: no kind has this name. */
compute_kind compute_find_kind(const char *name);

/* def may be null. CAROM_UNAVAILABLE: the wanted kind is not there, the message says why. The processor always is. */
carom_status compute_open(carom_context *context, const compute_device_def *def, compute_device **out);
void compute_close(compute_device *device); /* null: nothing */
/* Can a device of this kind be opened? So that an engine that can't be used is not made. COMPUTE_AUTO: always. */
carom_status compute_probe(carom_context *context, compute_kind kind);

/* Around every use. CAROM_BUSY if it is already in use. */
carom_status compute_begin(compute_device *device);
carom_status compute_end(compute_device *device);

compute_kind compute_kind_of(const compute_device *device);
const carom_compute_info *compute_info(const compute_device *device);
carom_context *compute_context(const compute_device *device); /* that it was opened with */
bool compute_is_lost(const compute_device *device);

/* ---- buffers ---- */

typedef struct compute_buffer
{
    size_t size; /* bytes */
    void *object;
    unsigned name; /* of OpenGL */
} compute_buffer;

/* Undefined contents. size > 0. CAROM_TOO_LARGE beyond limits.buffer_size. */
carom_status compute_buffer_create(compute_device *device, size_t size, compute_buffer *out);
void compute_buffer_destroy(compute_device *device, compute_buffer *buffer);
/* CAROM_OUT_OF_RANGE beyond the buffer's end. A read waits for everything before it. */
carom_status compute_write(compute_device *device, compute_buffer *buffer, size_t offset, const void *data,
                           size_t size);
carom_status compute_read(compute_device *device, const compute_buffer *buffer, size_t offset, void *out, size_t size);

/* ---- kernels ---- */

enum
{
    COMPUTE_BUFFERS = 8 /* of a kernel; OpenGL 4.5 guarantees as many */
};

/* The kernel as C: item `item` of `items`. A kernel goes through its work in strides of `items`, so that any number of
 * items does all of it. */
typedef void compute_twin_fn(void *const *buffers, uint32_t argument, uint32_t item, uint32_t items);

typedef struct compute_kernel_def
{
    const char *name; /* of the function, and of the file without .kernel */
    compute_twin_fn *twin;
    uint32_t buffer_count;
    const char *functions; /* a file, without .kernel, whose text comes before: functions of several kernels; or null */
    const char *text;      /* for tests: instead of the embedded files; or null */
} compute_kernel_def;

typedef struct compute_kernel
{
    const compute_kernel_def *def;
    void *object, *program;
    unsigned name; /* of OpenGL */
} compute_kernel;

/* The def must outlive the kernel. */
carom_status compute_kernel_create(compute_device *device, const compute_kernel_def *def, compute_kernel *out);
void compute_kernel_destroy(compute_device *device, compute_kernel *kernel);

typedef struct compute_dispatch_def
{
    const compute_kernel *kernel;
    compute_buffer *const *buffers; /* kernel->def->buffer_count */
    uint32_t argument;
    uint32_t items; /* how much there may be to do at once; the device rounds, and bounds it */
} compute_dispatch_def;

/* Dispatches run one after the other, in the order of the calls; what one wrote the next one sees. */
carom_status compute_dispatch(compute_device *device, const compute_dispatch_def *def);

/* The embedded file of this name, or null. */
const char *compute_source_find(const char *name);

/* ---- comparisons with the twins ---- */

/* Filled in by a check. Start from zero. */
typedef struct compute_check_result
{
    uint64_t compared, wrong;
    char detail[160]; /* the first that is wrong */
} compute_check_result;

typedef struct compute_check
{
    const char *name;
    /* Runs on both devices and compares to the bit. Not CAROM_OK: it could not be run. */
    carom_status (*run)(compute_device *device, compute_device *twin, compute_check_result *result);
} compute_check;

/* The checks of this folder; null past the end. */
const compute_check *compute_check_at(uint32_t index);
void compute_compare_words(compute_check_result *result, const char *what, const uint32_t *one, const uint32_t *other,
                           size_t count);

/* Called after each dispatch, and may read its buffers. Null: none. */
typedef carom_status compute_watch_fn(const compute_dispatch_def *dispatch, void *user);
void compute_watch(compute_device *device, compute_watch_fn *watch, void *user);

typedef struct compute_words
{
    size_t first, count;
} compute_words;

typedef struct compute_part
{
    const char *what; /* a literal */
    size_t first, count;
} compute_part;

/* What a check read from buffers of a device, part by part. Begins with the device alone. */
typedef struct compute_record
{
    compute_device *device;
    BASE_ARRAY(compute_part) parts;
    BASE_ARRAY(uint32_t) words;
} compute_record;

/* Appends words of a buffer as a part. */
carom_status compute_record_read(compute_record *record, const char *what, const compute_buffer *buffer,
                                 compute_words words);
uint32_t *compute_record_last(const compute_record *record); /* the words of the last part */
void compute_compare_records(compute_check_result *result, const compute_record *one, const compute_record *other);
void compute_record_free(compute_record *record);

#endif
