/* While the tool works: progress on a terminal, a time limit that covers everything, and signals that leave no
 * temporary file behind.
 *
 * All three come through the hook that the library calls before each step of a long call. A signal's handler only notes
 * it while a file is being written: then the hook cancels the writing, which removes the temporary file, and raises the
 * signal again. At any other time there is nothing to remove, and the signal ends the tool at once. */
#include "tool/tool.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
    FIRST_SHOWN_MS = 500, /* no line for what is over before one can read it */
    INTERVAL_MS = 200
};

static volatile sig_atomic_t writing, caught;

/* A file, and how much of the work that it is has been done. */
typedef struct watched_file
{
    char *path;
    double bytes, fraction;
} watched_file;

static struct
{
    pthread_mutex_t lock;
    double deadline_ms; /* 0: none */
    atomic_int held;    /* how often the deadline is held, see tool_hold_deadline */
    bool terminal;      /* stderr shows lines that replace each other */
    bool visible;
    double shown_ms;          /* when the line was written last */
    double stage_ms;          /* when the stage began */
    char stage[16], name[64]; /* the stage, and the end of its subject's name */
    /* What a command said it will read; see tool_watch_file. */
    watched_file *files;
    size_t file_count, file_capacity, latest;
    double total, done; /* of all files, in bytes */
    double begun_ms;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- signals ---- */

static void end_by(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}

static void on_signal(int number)
{
    if (writing)
        caught = number;
    else
        end_by(number);
}

void tool_watch_begin(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    {
        /* what the caller has the tool ignore, as nohup does, stays ignored */
        struct sigaction old, action = {.sa_handler = on_signal};
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
    const char *kind = getenv("TERM");
    state.terminal = isatty(STDERR_FILENO) && kind && *kind && strcmp(kind, "dumb") != 0;
    state.shown_ms = tool_now_ms() + FIRST_SHOWN_MS - INTERVAL_MS;
}

/* False: cancel. */
static bool watch_writing(const carom_progress *progress)
{
    bool over = progress->total > 0 && progress->done == progress->total;
    writing = !over;
    int number = caught;
    if (number && over)
        end_by(number);
    return number == 0;
}

/* ---- time ---- */

void tool_set_deadline(double seconds) { state.deadline_ms = isinf(seconds) ? 0 : tool_now_ms() + 1e3 * seconds; }

void tool_hold_deadline(void) { atomic_fetch_add(&state.held, 1); }
void tool_release_deadline(void) { atomic_fetch_sub(&state.held, 1); }

double tool_seconds_left(void)
{
    if (state.deadline_ms == 0)
        return INFINITY;
    return fmax(0, 1e-3 * (state.deadline_ms - tool_now_ms()));
}

/* ---- the line ---- */

static const char *words_for(const char *stage)
{
    static const char *const words[][2] = {{"read", "reading"},
                                           {"parse", "reading the text of"},
                                           {"weld", "welding"},
                                           {"mesh", "finding the edges of"},
                                           {"tree", "building the tree of"},
                                           {"check", "comparing"},
                                           {"write", "writing"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], stage) == 0)
            return words[i][1];
    return stage;
}

/* ---- all files together ---- */

/* From where to where a file is when a stage is done; parts of the usual times. */
static const struct
{
    const char *stage;
    double from, to;
} shares[] = {{"read", 0, 0.25}, {"parse", 0.1, 0.25}, {"weld", 0.25, 0.3}, {"mesh", 0.3, 0.5}, {"tree", 0.5, 1}};

void tool_watch_file(const char *path)
{
    struct stat about;
    if (!state.terminal || stat(path, &about) != 0)
        return;
    if (state.file_count == state.file_capacity)
    {
        size_t larger = 2 * state.file_capacity + 16;
        watched_file *files = realloc(state.files, larger * sizeof *files);
        if (!files)
            return; /* it is only a line on a terminal */
        state.files = files, state.file_capacity = larger;
    }
    size_t size = strlen(path) + 1;
    char *copy = malloc(size);
    if (!copy)
        return;
    memcpy(copy, path, size);
    if (state.file_count == 0)
        state.begun_ms = tool_now_ms();
    state.files[state.file_count++] = (watched_file){.path = copy, .bytes = (double)about.st_size};
    state.total += (double)about.st_size;
}

void tool_watch_end(void)
{
    for (size_t i = 0; i < state.file_count; i++)
        free(state.files[i].path);
    free(state.files);
    state.files = NULL, state.file_count = state.file_capacity = state.latest = 0;
    state.total = state.done = 0;
}

/* Readers name the path, meshes and trees the end of it. The next that is not behind already. */
static watched_file *find_file(const char *subject, double fraction)
{
    for (size_t k = 0; k < state.file_count; k++)
    {
        size_t i = (state.latest + k) % state.file_count;
        const char *slash = strrchr(state.files[i].path, '/');
        bool same = strcmp(state.files[i].path, subject) == 0 || (slash && strcmp(slash + 1, subject) == 0);
        if (same && state.files[i].fraction <= fraction)
            return &state.files[state.latest = i];
    }
    return NULL;
}

static void note_fraction(const carom_progress *progress)
{
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
    {
        if (strcmp(shares[i].stage, progress->stage) != 0)
            continue;
        double part = progress->total > 0 ? (double)progress->done / (double)progress->total : 0;
        double fraction = shares[i].from + (shares[i].to - shares[i].from) * fmin(part, 1);
        watched_file *file = find_file(progress->subject, fraction);
        if (!file)
            return;
        state.done += (fraction - file->fraction) * file->bytes;
        file->fraction = fraction;
    }
}

static void clear_line(void)
{
    if (state.visible)
        fputs("\r\033[K", stderr), fflush(stderr);
    state.visible = false;
}

void tool_clear_progress(void)
{
    pthread_mutex_lock(&state.lock);
    clear_line();
    pthread_mutex_unlock(&state.lock);
}

/* Only what can't move the cursor. */
static void copy_name(const char *subject, char out[64])
{
    size_t length = strlen(subject), at = 0;
    for (const char *c = length > 40 ? subject + length - 40 : subject; *c; c++)
        out[at++] = (char)((unsigned char)*c < ' ' || (unsigned char)*c >= 127 ? '?' : *c);
    out[at] = '\0';
}

static void show_time_left(const carom_progress *progress, double passed)
{
    if (progress->total > 0 && progress->done > 0 && progress->done < progress->total && passed > INTERVAL_MS)
        fprintf(stderr, ", about %.0f s left",
                ceil(1e-3 * passed * (double)(progress->total - progress->done) / (double)progress->done));
}

static void show(const carom_progress *progress)
{
    double now = tool_now_ms();
    char name[64];
    note_fraction(progress);
    copy_name(progress->subject, name);
    if (strcmp(state.stage, progress->stage) != 0 || strcmp(state.name, name) != 0)
    {
        snprintf(state.stage, sizeof state.stage, "%s", progress->stage);
        snprintf(state.name, sizeof state.name, "%s", name);
        state.stage_ms = now;
    }
    if (now - state.shown_ms < INTERVAL_MS)
        return;
    state.shown_ms = now;
    state.visible = true;
    bool together = state.file_count > 1 && state.total > 0 && strcmp(progress->stage, "check") != 0;
    fputs("\r\033[K", stderr);
    if (together)
        fprintf(stderr, "%.0f %% of %zu files: ", 100 * state.done / state.total, state.file_count);
    fprintf(stderr, "%s %s", words_for(progress->stage), name);
    if (progress->total > 0 && progress->done <= progress->total)
        fprintf(stderr, ": %.0f %%", 100.0 * (double)progress->done / (double)progress->total);
    double passed = now - (together ? state.begun_ms : state.stage_ms);
    if (together && state.done > 0.01 * state.total && passed > INTERVAL_MS)
        fprintf(stderr, ", about %.0f s left", ceil(1e-3 * passed * (state.total - state.done) / state.done));
    else if (!together)
        show_time_left(progress, passed);
    fflush(stderr);
}

bool tool_watch(const carom_progress *progress, void *user)
{
    (void)user;
    if (strcmp(progress->stage, "write") == 0 && !watch_writing(progress))
        return false;
    if (state.terminal && pthread_mutex_trylock(&state.lock) == 0)
    {
        show(progress);
        pthread_mutex_unlock(&state.lock);
    }
    return atomic_load(&state.held) > 0 || tool_seconds_left() > 0;
}
