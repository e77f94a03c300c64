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
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum
{
    FIRST_SHOWN_MS = 500, /* no line for what is over before one can read it */
    INTERVAL_MS = 200
};

static volatile sig_atomic_t writing, caught;

static struct
{
    pthread_mutex_t lock;
    double deadline_ms; /* 0: none */
    bool terminal;      /* stderr shows lines that replace each other */
    bool visible;
    double shown_ms;          /* when the line was written last */
    double stage_ms;          /* when the stage began */
    char stage[16], name[64]; /* the stage, and the end of its subject's name */
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
                                           {"write", "writing"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], stage) == 0)
            return words[i][1];
    return stage;
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

static void show(const carom_progress *progress)
{
    double now = tool_now_ms();
    char name[64];
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
    fprintf(stderr, "\r\033[K%s %s", words_for(progress->stage), name);
    if (progress->total > 0 && progress->done <= progress->total)
        fprintf(stderr, ": %.0f %%", 100.0 * (double)progress->done / (double)progress->total);
    double passed = now - state.stage_ms;
    if (progress->total > 0 && progress->done > 0 && progress->done < progress->total && passed > INTERVAL_MS)
        fprintf(stderr, ", about %.0f s left",
                ceil(1e-3 * passed * (double)(progress->total - progress->done) / (double)progress->done));
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
    return tool_seconds_left() > 0;
}
