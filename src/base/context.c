/* The context: its def, hooks, instruction set and latest message; the version and the names of statuses. */
#include "base/allocator.h"
#include "base/tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Set by the build (option CAROM_DEFAULT_SIMD), for example to start without SIMD; null: the best the machine has. */
#ifndef CAROM_DEFAULT_SIMD
#define CAROM_DEFAULT_SIMD NULL
#endif

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

const char *carom_version(void)
{
    return TEXT(CAROM_VERSION_MAJOR) "." TEXT(CAROM_VERSION_MINOR) "." TEXT(CAROM_VERSION_PATCH);
}

const char *carom_status_name(carom_status status)
{
    switch (status)
    {
    case CAROM_OK: return "OK";
    case CAROM_TRUNCATED: return "TRUNCATED";
    case CAROM_UNKNOWN: return "UNKNOWN";
    case CAROM_STOPPED: return "STOPPED";
    case CAROM_INVALID_ARGUMENT: return "INVALID_ARGUMENT";
    case CAROM_NOT_FINITE: return "NOT_FINITE";
    case CAROM_NOT_RIGID: return "NOT_RIGID";
    case CAROM_OUT_OF_RANGE: return "OUT_OF_RANGE";
    case CAROM_TOO_LARGE: return "TOO_LARGE";
    case CAROM_OUT_OF_MEMORY: return "OUT_OF_MEMORY";
    case CAROM_STALE_ID: return "STALE_ID";
    case CAROM_BAD_DATA: return "BAD_DATA";
    case CAROM_IO_ERROR: return "IO_ERROR";
    case CAROM_FLOAT_MODE: return "FLOAT_MODE";
    case CAROM_UNSUPPORTED: return "UNSUPPORTED";
    case CAROM_BUSY: return "BUSY";
    case CAROM_STALE_FRAME: return "STALE_FRAME";
    case CAROM_UNAVAILABLE: return "UNAVAILABLE";
    case CAROM_CANCELLED: return "CANCELLED";
    }
    return "INVALID_STATUS";
}

/* The allocator stays null: were it filled in, a caller who sets one of its functions would mix it with the other. */
carom_context_def carom_context_def_default(void) { return (carom_context_def){0}; }

static carom_simd best_simd(void)
{
#if BASE_HAS_X86
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return CAROM_SIMD_AVX2;
    return CAROM_SIMD_SSE2;
#else
    return CAROM_SIMD_SCALAR;
#endif
}

static const struct
{
    const char *name;
    carom_simd simd;
} simd_names[] = {
    {"auto", CAROM_SIMD_AUTO}, {"scalar", CAROM_SIMD_SCALAR}, {"sse2", CAROM_SIMD_SSE2}, {"avx2", CAROM_SIMD_AVX2}};

/* False for an unknown name. */
static bool find_simd(const char *word, carom_simd *out)
{
    for (size_t i = 0; i < sizeof simd_names / sizeof *simd_names; i++)
        if (strcmp(word, simd_names[i].name) == 0)
            return *out = simd_names[i].simd, true;
    return false;
}

/* The choice of the environment or, failing that, of the build. *unknown: an unknown name in the environment, or null.
 */
static carom_simd preferred_simd(const char **unknown)
{
    const char *word = getenv("CAROM_SIMD"), *built_in = CAROM_DEFAULT_SIMD;
    carom_simd simd = CAROM_SIMD_AUTO;
    bool asked = word && *word, found = asked && find_simd(word, &simd);
    *unknown = asked && !found ? word : NULL;
    if (!found && built_in)
        find_simd(built_in, &simd);
    return simd;
}

/* False if the machine can't do what is asked for. */
static bool choose_simd(carom_simd wanted, carom_simd *out, const char **unknown)
{
    carom_simd best = best_simd();
    *unknown = NULL;
    if (wanted == CAROM_SIMD_AUTO)
        wanted = preferred_simd(unknown);
    if (wanted == CAROM_SIMD_AUTO)
        wanted = best;
    *out = wanted;
    return wanted >= CAROM_SIMD_SCALAR && wanted <= best;
}

/* There is no context to keep the message: the def's log gets it. */
static carom_status refuse_def(const carom_context_def *def, carom_status status, const char *format, ...)
    BASE_PRINTF(3, 4);
static carom_status refuse_def(const carom_context_def *def, carom_status status, const char *format, ...)
{
    char message[BASE_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (def->log)
        def->log(CAROM_LOG_ERROR, message, def->log_user);
    return status;
}

static carom_status check_allocator(carom_context_def *def)
{
    if (!def->allocator.allocate && !def->allocator.release)
        def->allocator = base_default_allocator();
    if (!def->allocator.allocate)
        return refuse_def(def, CAROM_INVALID_ARGUMENT, "allocator.allocate is null, allocator.release is not");
    if (!def->allocator.release)
        return refuse_def(def, CAROM_INVALID_ARGUMENT, "allocator.release is null, allocator.allocate is not");
    return CAROM_OK;
}

static carom_status check_workers(carom_context_def *def)
{
    const carom_task_hooks *tasks = &def->tasks;
    if (tasks->run && def->workers > 0)
        return refuse_def(def, CAROM_INVALID_ARGUMENT, "both tasks.run and workers are given: choose one");
    if (tasks->run && tasks->worker_count == 0)
        return refuse_def(def, CAROM_INVALID_ARGUMENT, "tasks.worker_count is 0");
    if (tasks->run && tasks->worker_count > CAROM_MAX_WORKERS)
        return refuse_def(def, CAROM_OUT_OF_RANGE, "tasks.worker_count: %u is more than %u", tasks->worker_count,
                          CAROM_MAX_WORKERS);
    if (def->workers == CAROM_WORKERS_ALL)
    {
        uint32_t processors = base_processor_count();
        def->workers = processors < CAROM_MAX_WORKERS ? processors : CAROM_MAX_WORKERS;
    }
    if (def->workers > CAROM_MAX_WORKERS)
        return refuse_def(def, CAROM_OUT_OF_RANGE, "workers: %u is more than %u", def->workers, CAROM_MAX_WORKERS);
    return CAROM_OK;
}

static bool make_locks(carom_context *context)
{
    if (pthread_mutex_init(&context->message_lock, NULL) != 0)
        return false;
    if (pthread_mutex_init(&context->list_lock, NULL) == 0)
        return true;
    pthread_mutex_destroy(&context->message_lock);
    return false;
}

static void destroy_locks(carom_context *context)
{
    pthread_mutex_destroy(&context->message_lock);
    pthread_mutex_destroy(&context->list_lock);
}

static bool start_context(carom_context *context, const carom_context_def *def)
{
    context->tasks = def->tasks;
    context->worker_count = def->tasks.run ? def->tasks.worker_count : def->workers > 1 ? def->workers : 1;
    if (!make_locks(context))
        return false;
    if (def->workers <= 1)
        return true;
    context->pool = base_pool_create(context, def->workers);
    if (!context->pool)
        destroy_locks(context);
    return context->pool != NULL;
}

carom_status carom_context_create(const carom_context_def *def, carom_context **out)
{
    if (!out)
        return CAROM_INVALID_ARGUMENT;
    *out = NULL;
    carom_context_def chosen = def ? *def : carom_context_def_default();
    BASE_TRY(check_allocator(&chosen));
    BASE_TRY(check_workers(&chosen));
    carom_simd simd;
    const char *unknown;
    if (!choose_simd(chosen.simd, &simd, &unknown))
        return refuse_def(&chosen, CAROM_UNSUPPORTED, "simd %d: this machine has none such", (int)chosen.simd);

    carom_context *context = chosen.allocator.allocate(sizeof *context, BASE_CACHE_LINE, chosen.allocator.user);
    if (!context)
        return refuse_def(&chosen, CAROM_OUT_OF_MEMORY, "context: out of memory");
    memset(context, 0, sizeof *context);
    context->allocator = chosen.allocator;
    base_spare_begin(&context->allocator, &context->spare);
    context->log = chosen.log;
    context->log_user = chosen.log_user;
    context->progress = chosen.progress;
    context->progress_user = chosen.progress_user;
    context->simd = simd;
    atomic_init(&context->next_serial, 1);
    context->has_counter = base_has_counter();
    if (context->has_counter)
        context->created = base_moment_now();
    if (!start_context(context, &chosen))
    {
        chosen.allocator.release(context, sizeof *context, chosen.allocator.user);
        return refuse_def(&chosen, CAROM_OUT_OF_MEMORY, "context: out of memory");
    }
    if (unknown)
        base_log(context, CAROM_LOG_WARNING, "CAROM_SIMD: '%s' is not one of auto, scalar, sse2, avx2: ignored",
                 unknown);
    *out = context;
    return CAROM_OK;
}

void carom_context_destroy(carom_context *context)
{
    if (!context)
        return;
    base_pool_destroy(context->pool);
    base_array_free(context, &context->live);
    for (size_t i = 0; i < context->engines.count; i++)
        base_release(context, context->engines.items[i].copy, 1, context->engines.items[i].size);
    base_array_free(context, &context->engines);
    destroy_locks(context);
    base_spare_end(&context->spare);
    context->allocator.release(context, sizeof *context, context->allocator.user);
}

uint32_t carom_context_workers(const carom_context *context) { return context ? context->worker_count : 1; }

carom_simd carom_context_simd(const carom_context *context) { return context ? context->simd : CAROM_SIMD_SCALAR; }

size_t carom_context_message(const carom_context *context, char *buffer, size_t size)
{
    if (!context)
        return 0;
    pthread_mutex_t *lock = (pthread_mutex_t *)&context->message_lock; /* locking is not a change that callers see */
    pthread_mutex_lock(lock);
    size_t length = strlen(context->message);
    if (buffer && size > 0)
    {
        size_t copied = length < size - 1 ? length : size - 1;
        memcpy(buffer, context->message, copied);
        buffer[copied] = '\0';
    }
    pthread_mutex_unlock(lock);
    return length;
}

carom_status base_fail(carom_context *context, carom_status status, const char *format, ...)
{
    if (!context)
        return status;
    char message[BASE_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&context->message_lock);
    memcpy(context->message, message, sizeof message);
    pthread_mutex_unlock(&context->message_lock);
    if (context->log)
        context->log(CAROM_LOG_ERROR, message, context->log_user);
    return status;
}

carom_status base_step(carom_context *context, const carom_progress *progress)
{
    if (!context->progress || context->progress(progress, context->progress_user))
        return CAROM_OK;
    return base_fail(context, CAROM_CANCELLED, "%.100s: cancelled (%s)", progress->subject, progress->stage);
}

void base_log(const carom_context *context, carom_log_level level, const char *format, ...)
{
    if (!context->log)
        return;
    char message[BASE_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    context->log(level, message, context->log_user);
}

static double read_clock(clockid_t clock)
{
    base_float_mode found = base_float_mode_enter(); /* the clock is read before a mode is refused */
    struct timespec now;
    clock_gettime(clock, &now);
    volatile double seconds = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec; /* volatile: not after the mode's end */
    base_float_mode_leave(&found);
    return seconds;
}

double base_now(void) { return read_clock(CLOCK_MONOTONIC); }
double base_thread_now(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

/* Work between two readings of the clock. A unit takes from some nanoseconds to some microseconds, where exact
 * arithmetic decides. */
enum
{
    FIRST_PER_CLOCK = 64,
    MIN_PER_CLOCK = 8,
    MAX_PER_CLOCK = 512 /* reading the clock takes about as long as so many box tests */
};

base_budget base_budget_begin(const carom_budget *limits)
{
    base_budget budget = {.work_left = UINT64_MAX};
    if (limits && limits->work > 0)
        budget.work_left = limits->work;
    if (limits && limits->seconds > 0.0)
        budget.deadline = base_now() + limits->seconds;
    return budget;
}

/* Reads the clock, and chooses when to read it next: rarely enough to cost little, and soon enough that no deadline is
 * missed by much. */
static bool is_late(base_budget *budget)
{
    const double too_long = 8e-6, very_short = 2e-6;
    double now = base_now(), passed = now - budget->last_clock;
    if (budget->per_clock == 0)
        budget->per_clock = FIRST_PER_CLOCK;
    else if (passed > too_long)
        budget->per_clock = budget->per_clock / 4 > MIN_PER_CLOCK ? budget->per_clock / 4 : MIN_PER_CLOCK;
    else if (passed < very_short)
        budget->per_clock = budget->per_clock * 2 < MAX_PER_CLOCK ? budget->per_clock * 2 : MAX_PER_CLOCK;
    budget->last_clock = now;
    budget->until_clock = budget->per_clock;
    return now >= budget->deadline;
}

bool base_budget_check(base_budget *budget, uint32_t work)
{
    if (budget->exhausted)
        return false;
    if (budget->work_left != UINT64_MAX)
    {
        bool enough = budget->work_left >= work || (!budget->begun && budget->work_left > 0);
        if (!enough)
            return budget->exhausted = true, budget->work_left = 0, false;
        budget->begun = true;
        budget->work_left -= work < budget->work_left ? work : budget->work_left;
    }
    if (budget->deadline > 0.0)
    {
        if (budget->until_clock > work)
            budget->until_clock -= work;
        else if (is_late(budget))
            return budget->exhausted = true, false;
    }
    return true;
}
