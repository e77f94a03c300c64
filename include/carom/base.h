/* carom/base.h: version, status codes, the context and its hooks, budgets.
 *
 * Everything in Carom belongs to a context that the caller creates. There is no process-wide mutable state: contexts
 * are independent of each other. A context may be shared between threads. So may the meshes and trees made from it,
 * which are const once built. A query object belongs to one thread at a time. */
#ifndef CAROM_BASE_H
#define CAROM_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAROM_VERSION_MAJOR 0
#define CAROM_VERSION_MINOR 2
#define CAROM_VERSION_PATCH 0

#if defined(__GNUC__) && !defined(CAROM_STATIC)
#define CAROM_API __attribute__((visibility("default")))
#else
#define CAROM_API
#endif

#ifdef __cplusplus
extern "C"
{
#endif

    /* The result of a call. Values are stable. Everything below CAROM_FIRST_ERROR comes with a usable answer. */
    typedef enum carom_status
    {
        CAROM_OK = 0,
        CAROM_TRUNCATED = 1, /* a limit set by the caller was reached; the counts are complete */
        CAROM_UNKNOWN = 2,   /* the budget ran out before everything was decided; the bounds hold */
        CAROM_STOPPED = 3,   /* a callback asked to stop */

        CAROM_FIRST_ERROR = 16,
        CAROM_INVALID_ARGUMENT = 16, /* null pointer, unknown enum value, contradictory options */
        CAROM_NOT_FINITE = 17,       /* NaN or infinity in a vertex, a pose or a number */
        CAROM_NOT_RIGID = 18,        /* the matrix of a pose is not a rotation */
        CAROM_OUT_OF_RANGE = 19,     /* an index past the end, a coordinate beyond 2^100 */
        CAROM_TOO_LARGE = 20,        /* a count or a product of counts that does not fit */
        CAROM_OUT_OF_MEMORY = 21,    /* the allocator returned null */
        CAROM_STALE_ID = 22,         /* the id of something that has been removed */
        CAROM_BAD_DATA = 23,         /* bytes that are not what they claim to be */
        CAROM_IO_ERROR = 24,         /* a file could not be read or written */
        CAROM_FLOAT_MODE = 25,       /* the thread rounds other than to nearest, flushes denormals to zero, or traps */
        CAROM_UNSUPPORTED = 26,      /* this build, machine or tree can't do it */
        CAROM_BUSY = 27,             /* the object is in use further up the call stack */
        CAROM_STALE_FRAME = 28,      /* the scene has changed since the frame was taken */
        CAROM_UNAVAILABLE = 29,      /* a driver or device that is needed is missing on this machine */
        CAROM_CANCELLED = 30         /* the context's progress hook ended the call before there was a result */
    } carom_status;

    /* True for errors only. CAROM_TRUNCATED, CAROM_UNKNOWN and CAROM_STOPPED are answers, and the result says what they
     * leave out. */
    static inline bool carom_failed(carom_status status) { return status >= CAROM_FIRST_ERROR; }

    /* The constant's name without its prefix ("OK", "NOT_FINITE"); never null. */
    CAROM_API const char *carom_status_name(carom_status status);

    /* "0.2.0", from the constants above. */
    CAROM_API const char *carom_version(void);

    /* ---- context ---- */

    typedef struct carom_context carom_context;

    typedef enum carom_log_level
    {
        CAROM_LOG_ERROR = 0,
        CAROM_LOG_WARNING = 1,
        CAROM_LOG_INFO = 2
    } carom_log_level;

    /* allocate returns memory aligned to `alignment` (a power of two, at most 64) or null; release gets the size that
     * was requested. If the context has workers or is used from several threads, both may be called from several at
     * once. */
    typedef struct carom_allocator
    {
        void *(*allocate)(size_t size, size_t alignment, void *user);
        void (*release)(void *memory, size_t size, void *user);
        void *user;
    } carom_allocator;

    /* Processes items [first, last) on any thread. worker is a number below the context's worker count that no other
     * task of the same run has at the same time: use it to choose scratch memory; answers must not depend on it. */
    typedef void carom_task_fn(uint32_t first, uint32_t last, uint32_t worker, void *task_data);

    /* How the host lends its threads. run must call task for disjoint ranges that cover [0, count), each of at least
     * min_range items except the last, and return when all are done. It may do so serially, in any order, on any
     * threads. It passes worker numbers below worker_count (larger ones are taken modulo worker_count, and the log gets
     * a warning); tasks of one run that overlap in time must have different numbers. If the context is used from
     * several threads, run may be called from several at once. Carom never calls run from within a task. Null run: see
     * carom_context_def.workers. */
    typedef struct carom_task_hooks
    {
        void (*run)(carom_task_fn *task, uint32_t count, uint32_t min_range, void *task_data, void *user);
        uint32_t worker_count; /* 1 to CAROM_MAX_WORKERS */
        void *user;
    } carom_task_hooks;

#define CAROM_MAX_WORKERS 256u
#define CAROM_WORKERS_ALL UINT32_MAX /* one per processor that this process may use */

    /* Instruction set of the inner loops. Answers are bit-identical for all of them. The environment variable
     * CAROM_SIMD (auto, scalar, sse2, avx2) overrides CAROM_SIMD_AUTO; any other value causes a warning in the log. */
    typedef enum carom_simd
    {
        CAROM_SIMD_AUTO = 0,
        CAROM_SIMD_SCALAR = 1,
        CAROM_SIMD_SSE2 = 2,
        CAROM_SIMD_AVX2 = 3
    } carom_simd;

    /* How far a call is that may take long. Valid during the hook's call. */
    typedef struct carom_progress
    {
        const char *stage;    /* what it does: "read", "parse", "weld", "mesh", "tree", "chart", "map", "write" */
        const char *subject;  /* the name of the file or mesh */
        uint64_t done, total; /* of this stage, in units of its own; total 0: not known */
    } carom_progress;

    typedef struct carom_context_def
    {
        /* Both functions null: malloc and free, except that the context keeps up to 16 released blocks of 2 MiB and
         * more, 256 MiB in all, for its next ones of about their size. */
        carom_allocator allocator;
        /* Null: silent. Called on the thread that has something to say, so, as the allocator, possibly from several at
         * once. */
        void (*log)(carom_log_level level, const char *message, void *user);
        void *log_user;
        /* Null: none. Called now and then while files are read and written, meshes made and trees built, before each
         * step, on the thread that does the work: possibly from several at once. False ends the call as soon as
         * possible with CAROM_CANCELLED, and nothing is left of what it made. The hook must not use the context. A step
         * of a mesh or tree is at most about half of the work. */
        bool (*progress)(const carom_progress *progress, void *user);
        void *progress_user;
        carom_task_hooks tasks;

        /* Carom's own threads. 0: none, everything runs on the calling thread. n: n workers, including the calling
         * thread. More than the machine has is allowed; more than CAROM_MAX_WORKERS is CAROM_OUT_OF_RANGE. The threads
         * start with the first work they can share and end with the context. If the system refuses one, a warning is
         * logged and the others do its work. Answers are bit-identical for any number. Not together with tasks.run. */
        uint32_t workers;
        carom_simd simd; /* asking for more than the machine has is CAROM_UNSUPPORTED */
    } carom_context_def;

    CAROM_API carom_context_def carom_context_def_default(void);

    /* def may be null for the default. If the def is refused, there is no context to ask for the message: it goes to
     * the def's log hook. Destroy the context after everything made from it, and not from within one of its tasks. */
    CAROM_API carom_status carom_context_create(const carom_context_def *def, carom_context **out);
    CAROM_API void carom_context_destroy(carom_context *context);

    /* How many tasks can run at the same time: def.workers or tasks.worker_count, 1 if neither was set. */
    CAROM_API uint32_t carom_context_workers(const carom_context *context);

    /* The instruction set in use, never CAROM_SIMD_AUTO. */
    CAROM_API carom_simd carom_context_simd(const carom_context *context);

    /* Copies the message of the latest error on this context, which names the culprit ("triangle 17: vertex index 99 of
     * 42"), and returns its length; empty if there was none. If several threads share the context, it is the latest of
     * any of them. */
    CAROM_API size_t carom_context_message(const carom_context *context, char *buffer, size_t size);

    /* ---- budget ---- */

    /* Limits for one query; zero means no limit. Work is the number of box tests plus triangle tests, so a work budget,
     * unlike seconds, ends a query at the same point on every machine with the same instruction set, however busy it
     * is. With another instruction set, float filters round differently and a few more or fewer tests may be needed, so
     * close to the limit one may return CAROM_UNKNOWN where the other finishes; the bounds hold for both. The first
     * step of a search is always made, even if it exceeds the budget, so that a search that is resumed repeatedly comes
     * to an end. */
    typedef struct carom_budget
    {
        double seconds;
        uint64_t work;
    } carom_budget;

#ifdef __cplusplus
}
#endif

#endif
