/* base: what every other folder builds on. Context, memory, arrays, sorting, hashing, ids, tasks, budgets, clock.
 * Internal names have a noun of their folder as prefix; only carom_* names are exported. */
#ifndef BASE_BASE_H
#define BASE_BASE_H

#include "carom/base.h"

#include <fenv.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>

#if defined(__GNUC__)
#define BASE_PRINTF(format_at, args_at) __attribute__((format(printf, format_at, args_at)))
#define BASE_LIKELY(x)                  __builtin_expect(!!(x), 1)
#define BASE_UNLIKELY(x)                __builtin_expect(!!(x), 0)
#define BASE_ALWAYS_INLINE              inline __attribute__((always_inline))
#define BASE_NEVER_INLINE               __attribute__((noinline))
#define BASE_RARE                       __attribute__((noinline, cold)) /* kept out of the way of a hot loop */
#else
#define BASE_PRINTF(format_at, args_at)
#define BASE_LIKELY(x)     (x)
#define BASE_UNLIKELY(x)   (x)
#define BASE_ALWAYS_INLINE inline
#define BASE_NEVER_INLINE
#define BASE_RARE
#endif

/* Return from the calling function if a step failed. */
#define BASE_TRY(call)                                                                                                 \
    do                                                                                                                 \
    {                                                                                                                  \
        carom_status base_try_status = (call);                                                                         \
        if (carom_failed(base_try_status))                                                                             \
            return base_try_status;                                                                                    \
    } while (0)

#define BASE_CACHE_LINE 64

#if defined(__x86_64__) || defined(__i386__)
#define BASE_HAS_X86 1
#else
#define BASE_HAS_X86 0
#endif
#if defined(__SSE2__)
#define BASE_HAS_MXCSR 1 /* the control register of SSE */
#else
#define BASE_HAS_MXCSR 0
#endif

enum
{
    BASE_MESSAGE_SIZE = 256
};

/* The clock in nanoseconds and the processor's counter at the same moment, to within `doubt` counts; asleep:
 * nanoseconds that the machine had been suspended by then. */
typedef struct base_moment
{
    uint64_t clock, counter, doubt, asleep;
} base_moment;

/* A growing array: struct { T *items; size_t count, capacity; } with the functions below. */
#define BASE_ARRAY(type)                                                                                               \
    struct                                                                                                             \
    {                                                                                                                  \
        type *items;                                                                                                   \
        size_t count, capacity;                                                                                        \
    }

/* A versioned object that is alive. */
typedef struct base_live
{
    uint64_t identity, version;
} base_live;

/* A copy, in the context's memory, of what another folder or library adds to the context. */
typedef struct base_extension
{
    void *copy;
    size_t size;
} base_extension;

/* Large blocks that were released, for the next ones; see allocator.c. */
enum
{
    BASE_SPARE_BLOCKS = 16 /* a mesh, a tree and the memory of its builder have about ten */
};
typedef struct base_spare_block
{
    void *memory;
    size_t size;
} base_spare_block;
typedef struct base_spare
{
    atomic_flag busy;
    int count;
    size_t size;                                /* of all of them */
    base_spare_block blocks[BASE_SPARE_BLOCKS]; /* the latest one is the last */
} base_spare;

struct carom_context
{
    carom_allocator allocator;
    base_spare spare;
    void (*log)(carom_log_level level, const char *message, void *user);
    void *log_user;
    bool (*progress)(const carom_progress *progress, void *user);
    void *progress_user;
    carom_task_hooks tasks;
    struct base_pool *pool; /* null: no threads */
    uint32_t worker_count;
    atomic_bool warned_of_numbers; /* that the host passes and no worker has */
    carom_simd simd;
    atomic_uint_fast64_t next_serial; /* identifies meshes and trees, even after their memory is reused */
    bool has_counter;                 /* the processor's, of constant rate */
    base_moment created;              /* where it has one */
    pthread_mutex_t message_lock;
    char message[BASE_MESSAGE_SIZE];
    pthread_mutex_t list_lock; /* of the two lists below */
    BASE_ARRAY(base_live) live;
    BASE_ARRAY(base_extension) engines; /* added by their authors; src/engine knows their type */
};

/* ---- errors ---- */

/* Records the message on the context, passes it to the log hook, returns the status. */
/* A step of a long call on `subject` (a mesh's name, say), of which `done` of `total` are made. OK, or CAROM_CANCELLED
 * after base_fail where the caller's hook says so. */
carom_status base_step(carom_context *context, const carom_progress *progress);
carom_status base_fail(carom_context *context, carom_status status, const char *format, ...) BASE_PRINTF(3, 4);
void base_log(const carom_context *context, carom_log_level level, const char *format, ...) BASE_PRINTF(3, 4);

/* ---- float mode: rounding to nearest, denormals kept, no exception trapped ---- */

carom_status base_refuse_float_mode(carom_context *context);

#if BASE_HAS_MXCSR
/* The control bits of MXCSR: flush to zero, rounding, the six masks, denormals are zero. Below them are flags. */
#define BASE_MXCSR_CONTROL  0xffc0u
#define BASE_MXCSR_REQUIRED 0x1f80u

typedef struct base_float_mode
{
    uint32_t mxcsr;
} base_float_mode;

static inline bool base_float_mode_is_right(void)
{
    return (__builtin_ia32_stmxcsr() & BASE_MXCSR_CONTROL) == BASE_MXCSR_REQUIRED;
}

/* Sets this thread's mode and returns what it was, for base_float_mode_leave. */
static inline base_float_mode base_float_mode_enter(void)
{
    base_float_mode found = {__builtin_ia32_stmxcsr()};
    if (BASE_UNLIKELY((found.mxcsr & BASE_MXCSR_CONTROL) != BASE_MXCSR_REQUIRED))
        __builtin_ia32_ldmxcsr(BASE_MXCSR_REQUIRED);
    return found;
}

static inline void base_float_mode_leave(const base_float_mode *found)
{
    if (BASE_UNLIKELY(((found->mxcsr ^ __builtin_ia32_stmxcsr()) & BASE_MXCSR_CONTROL) != 0))
        __builtin_ia32_ldmxcsr(found->mxcsr);
}
#else
typedef struct base_float_mode
{
    fenv_t environment;
} base_float_mode;
bool base_float_mode_is_right(void);
base_float_mode base_float_mode_enter(void);
void base_float_mode_leave(const base_float_mode *found);
#endif

/* CAROM_FLOAT_MODE unless this thread's mode is right. */
static inline carom_status base_check_float_mode(carom_context *context)
{
    return BASE_LIKELY(base_float_mode_is_right()) ? CAROM_OK : base_refuse_float_mode(context);
}

/* ---- memory ---- */

/* Null if count * size overflows or the allocator returns null. Zero bytes give a non-null pointer. */
void *base_allocate(carom_context *context, size_t count, size_t size, size_t alignment);
void base_release(carom_context *context, void *memory, size_t count, size_t size);

/* Growing arrays, see BASE_ARRAY above. */
bool base_array_grow(carom_context *context, void **items, size_t *capacity, size_t needed, size_t item_size);
/* True if there is room for `extra` more items. */
#define base_array_reserve(context, array, extra)                                                                      \
    ((array)->capacity - (array)->count >= (size_t)(extra) ||                                                          \
     base_array_grow((context), (void **)&(array)->items, &(array)->capacity, (array)->count + (size_t)(extra),        \
                     sizeof *(array)->items))
#define base_array_free(context, array)                                                                                \
    (base_release((context), (array)->items, (array)->capacity, sizeof *(array)->items), (array)->items = NULL,        \
     (array)->count = (array)->capacity = 0)

/* Memory that is freed all at once; blocks double in size. Zero-initialise, then set context. */
typedef struct base_arena_block base_arena_block;
typedef struct base_arena
{
    carom_context *context;
    base_arena_block *first; /* newest */
    size_t used;             /* in the newest block */
} base_arena;
void *base_arena_allocate(base_arena *arena, size_t count, size_t size, size_t alignment);
/* Makes the next `count` * `size` bytes come from one block. False: out of memory. */
bool base_arena_reserve(base_arena *arena, size_t count, size_t size);
/* Phases that follow one another can use the same memory, which the system then has to clear only once: rewind to a
 * mark, and what was allocated since is free again. */
typedef struct base_arena_mark
{
    base_arena_block *block;
    size_t used;
} base_arena_mark;
static inline base_arena_mark base_arena_at(const base_arena *arena)
{
    return (base_arena_mark){arena->first, arena->used};
}
void base_arena_rewind(base_arena *arena, base_arena_mark mark);
void base_arena_free(base_arena *arena);

/* ---- sorting, stable ---- */

typedef struct base_key_value
{
    uint64_t key;
    uint64_t value;
} base_key_value;

/* Least significant digit first, 8 bits at a time, digits that are equal everywhere skipped. `scratch` has room
 * for `count` items; the result is in `items`. */
void base_sort_keys(base_key_value *items, base_key_value *scratch, size_t count);
/* The same for words, with larger digits; if at least half of them are sorted, only the rest is, and merged. */
void base_sort_u64(uint64_t *items, uint64_t *scratch, size_t count);

/* Merges, for orders that are not those of keys. before: does a come before b, and not the other way round? */
typedef bool base_before_fn(uint64_t value_a, uint64_t value_b, void *user);
void base_sort_by(base_key_value *items, base_key_value *scratch, size_t count, base_before_fn *before, void *user);

/* By a code below 2^30 in the upper half of each item, on the context's workers. The result is in `sorted`, which has
 * room for `count` items; `items` serves as scratch. */
void base_sort_codes(carom_context *context, uint64_t *items, uint64_t *sorted, uint32_t count);
/* The same for codes of 24 bits, in place. */
void base_sort_short_codes(carom_context *context, uint64_t *items, uint64_t *scratch, uint32_t count);
/* As base_sort_u64, on the context's workers. */
void base_sort_words(carom_context *context, uint64_t *items, uint64_t *scratch, size_t count);

/* ---- numbers by keys, of which none is 0 ---- */

/* Zero-initialise. */
typedef struct base_map
{
    BASE_ARRAY(base_key_value) buckets; /* a power of two; key 0: free */
    size_t used;
} base_map;
bool base_map_reserve(carom_context *context, base_map *map, size_t count); /* for so many in all */
void base_map_set(base_map *map, uint64_t key, uint64_t value);             /* there is room for it */
const uint64_t *base_map_find(const base_map *map, uint64_t key);           /* null: not there */
void base_map_clear(base_map *map);
void base_map_free(carom_context *context, base_map *map);

/* ---- sets of numbers, joined one by one: parent[i] is i or smaller, and the root of a set is its smallest ---- */

static inline uint32_t base_set_root(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

static inline void base_set_join(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = base_set_root(parent, a), b = base_set_root(parent, b);
    parent[a > b ? a : b] = a < b ? a : b;
}

/* ---- hashing ---- */

/* A 64-bit hash that is the same on every machine; not secure against adversaries. Each word is mixed in by multiply
 * and xor-shift, with an avalanche at the end. */
typedef struct base_hash
{
    uint64_t state;
} base_hash;
static inline base_hash base_hash_begin(void) { return (base_hash){0x243f6a8885a308d3u}; /* digits of pi */ }

static inline void base_hash_u64(base_hash *hash, uint64_t value)
{
    const uint64_t multiplier = 0x9e3779b97f4a7c15u; /* 2^64 / golden ratio, odd */
    uint64_t mixed = (hash->state ^ value) * multiplier;
    hash->state = (mixed ^ (mixed >> 29)) * multiplier + 1;
}

/* The bits; -0 as 0. */
static inline void base_hash_double(base_hash *hash, double value)
{
    double positive_zero = value + 0.0;
    uint64_t bits;
    memcpy(&bits, &positive_zero, sizeof bits);
    base_hash_u64(hash, bits);
}

void base_hash_bytes(base_hash *hash, const void *bytes, size_t size);

static inline uint64_t base_hash_end(const base_hash *hash)
{
    uint64_t h = hash->state;
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
    return h ^ (h >> 32);
}

/* ---- libraries opened at run time: see library.c ---- */

typedef void base_function(void);

void *base_library_open(const char *name);                         /* null: base_library_error says why */
void base_library_close(void *library);                            /* null: nothing */
base_function *base_library_find(void *library, const char *name); /* null: it has none of this name */
const char *base_library_error(void);
/* One that is linked statically can open libraries, but that would bring a second C library into the process, and
 * threads that use it. */
bool base_is_static_program(void);

/* ---- files of a cache folder: see store.c ---- */

/* One file. Set the first three, then base_store_begin. */
typedef struct base_store
{
    carom_context *context;
    const char *name; /* of the cache, for messages */
    uint64_t key;     /* a hash of what the block is made from, and of its format */
    char *path, *part_path;
    size_t path_size; /* of each */
} base_store;

typedef struct base_block
{
    unsigned char *bytes; /* null: none. Aligned; free with base_release(context, bytes, 1, size) */
    size_t size;
} base_block;

enum
{
    BASE_STORE_HEADER = 256 /* bytes of a header at most */
};

/* What a file begins with, before the rest is read. */
typedef struct base_store_check
{
    size_t header_size;
    /* Null, or what is wrong with a file of this size; size < header_size: cut short. */
    const char *(*complain)(const void *header, size_t size, const void *data);
    const void *data;
} base_store_check;

bool base_store_begin(base_store *store, const char *folder); /* false when out of memory */
void base_store_end(base_store *store);
base_block base_store_read(const base_store *store, const base_store_check *check);
void base_store_complain(const base_store *store, const char *complaint); /* in the log */
void base_store_touch(const base_store *store); /* used now, which carom_tree_cache_trim goes by */
void base_store_write(const base_store *store, const void *bytes, size_t size); /* null: only complains */

/* ---- ids: index + generation, reused ---- */

typedef struct base_id_slot
{
    uint32_t generation;
    uint32_t next_free; /* 1 based, 0: none; UINT32_MAX while in use */
} base_id_slot;
typedef struct base_id_pool
{
    carom_context *context;
    BASE_ARRAY(base_id_slot) slots;
    uint32_t first_free;
    uint32_t used_count;
} base_id_pool;
/* index is 1 based. False when out of memory or out of ids. */
bool base_id_new(base_id_pool *pool, uint32_t *index, uint32_t *generation);
bool base_id_valid(const base_id_pool *pool, uint32_t index, uint32_t generation);
void base_id_free(base_id_pool *pool, uint32_t index);
void base_id_pool_free(base_id_pool *pool);

/* ---- what is alive ---- */

/* Objects that lend views of themselves are registered here with a version, so that a stale view can be detected even
 * when its object is gone. add: false when out of memory; find: false if no object has that identity. */
uint64_t base_new_identity(carom_context *context); /* also differs from those of other contexts; never 0 */
bool base_live_add(carom_context *context, uint64_t identity, uint64_t version);
void base_live_set(carom_context *context, uint64_t identity, uint64_t version);
bool base_live_find(carom_context *context, uint64_t identity, uint64_t *version);
void base_live_remove(carom_context *context, uint64_t identity);

/* ---- tasks ---- */

/* Runs task over ranges that cover [0, count), each of at least min_range items except the last, possibly in parallel;
 * returns when all are done. Tasks must not wait for each other. A run within a task stays on that thread, as one range
 * with that task's worker number. Each task runs with the float mode that base_check_float_mode requires. */
void base_parallel_for(carom_context *context, uint32_t count, uint32_t min_range, carom_task_fn *task, void *data);

/* Worker numbers are below this; 1 without workers. */
static inline uint32_t base_worker_count(const carom_context *context) { return context->worker_count; }

/* A flag that the tasks of a run poll to end early. Zero-initialise. */
typedef struct base_cancel
{
    atomic_bool set;
} base_cancel;
static inline void base_cancel_set(base_cancel *cancel)
{
    atomic_store_explicit(&cancel->set, true, memory_order_relaxed);
}
static inline bool base_cancel_is_set(base_cancel *cancel)
{
    return atomic_load_explicit(&cancel->set, memory_order_relaxed);
}

/* ---- time and budgets ---- */

double base_now(void);        /* seconds, monotonic */
double base_thread_now(void); /* seconds that this thread had a processor */

/* A stopwatch that takes a fraction of the time of base_now to read. */
typedef struct base_watch
{
    double rate; /* seconds per count; 0: the clock is read */
} base_watch;
bool base_has_counter(void);
base_moment base_moment_now(void);
base_watch base_watch_create(const carom_context *context); /* waits where the context is younger than 40 us */
uint64_t base_watch_start(const base_watch *watch);
double base_watch_read(const base_watch *watch, uint64_t start); /* seconds since */

typedef struct base_budget
{
    double deadline;      /* 0: none */
    uint64_t work_left;   /* UINT64_MAX: no limit */
    uint32_t until_clock; /* work units until the clock is read again */
    uint32_t per_clock;   /* work units between two readings: as many as take a few microseconds */
    double last_clock;    /* the latest reading */
    bool begun;           /* something was spent; the first step is always granted */
    bool exhausted;
} base_budget;
base_budget base_budget_begin(const carom_budget *limits);
bool base_budget_check(base_budget *budget, uint32_t work);
static inline bool base_budget_is_unlimited(const base_budget *budget)
{
    return budget->work_left == UINT64_MAX && budget->deadline == 0.0;
}
/* Spends work. False when nothing is left, and always from then on. */
static inline bool base_budget_spend(base_budget *budget, uint32_t work)
{
    if (BASE_LIKELY(base_budget_is_unlimited(budget)))
        return true;
    if (budget->deadline == 0.0 && budget->work_left >= work)
    {
        budget->work_left -= work;
        return budget->begun = true;
    }
    return base_budget_check(budget, work);
}

/* ---- instruction sets ---- */

/* Files named *_simd.c are compiled once per instruction set with CAROM_ISA set to scalar, sse2 or avx2 and use
 * BASE_ISA(name) for every external name; base/simd.h is their vocabulary. */
#define BASE_PASTE_(a, b) a##_##b
#define BASE_PASTE(a, b)  BASE_PASTE_(a, b)
#define BASE_ISA(name)    BASE_PASTE(name, CAROM_ISA)

/* Per mask of eight lanes: the numbers of its lanes, a byte each, lowest first. */
extern const uint64_t base_set_lanes[256];

/* All bits but those of lanes 3 and 7. Defined elsewhere: a compiler that knew the bits would leave the mask out
 * wherever only the other lanes of a result are used, and compute with what the two hold. */
typedef union base_lane_mask
{
    uint32_t bits[8];
    _Alignas(32) float v[8];
} base_lane_mask;
extern const base_lane_mask base_xyz_lanes;

/* Declares function pointers for the versions of a kernel: BASE_DECLARE_ISA(void, wide_test, (int x)); */
#if BASE_HAS_X86
#define BASE_DECLARE_ISA(result, name, parameters)                                                                     \
    result name##_scalar parameters;                                                                                   \
    result name##_sse2 parameters;                                                                                     \
    result name##_avx2 parameters
#define BASE_PICK_ISA(context, name)                                                                                   \
    ((context)->simd == CAROM_SIMD_AVX2   ? name##_avx2                                                                \
     : (context)->simd == CAROM_SIMD_SSE2 ? name##_sse2                                                                \
                                          : name##_scalar)
#else
#define BASE_DECLARE_ISA(result, name, parameters) result name##_scalar parameters
#define BASE_PICK_ISA(context, name)               ((void)(context), name##_scalar)
#endif

#endif
