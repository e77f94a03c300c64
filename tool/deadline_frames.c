/* How well frames keep budgets of time. Frames alternate with a bare loop that reads the clock until the same budget is
 * over: what that misses, the machine is to blame for, and only what frames miss beyond that is their own. */
#include "tool/deadline.h"

#include <math.h>
#include <sys/resource.h>
#include <time.h>

enum
{
    BLOCK = 50 /* frames that ask the same question */
};

/* How often and by how much budgets were exceeded. */
typedef struct overruns
{
    uint64_t frames, missed; /* by more than 5 % and 100 us */
    double worst_ms;         /* beyond the budget */
    double sum_ms;
} overruns;

typedef struct tally
{
    overruns cpu, wall, loop_cpu, loop_wall;
    uint64_t nothing, cut_short, decided; /* frames: no time at all; something undecided; everything decided */
    uint64_t late_nothing;                /* of the first kind: their processor time was too long */
} tally;

static double thread_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static bool is_miss(double budget_ms, double taken_ms) { return taken_ms > 1.05 * budget_ms + 0.1; }

static void note(overruns *overruns, double budget_ms, double taken_ms)
{
    overruns->frames++;
    overruns->missed += is_miss(budget_ms, taken_ms);
    overruns->worst_ms = fmax(overruns->worst_ms, taken_ms - budget_ms);
    overruns->sum_ms += fmax(0.0, taken_ms - budget_ms);
}

static carom_collide_options question_of(uint64_t frame)
{
    static const carom_collide_options QUESTIONS[] = {{.mode = CAROM_COLLIDE_ALL},
                                                      {.mode = CAROM_COLLIDE_ANY},
                                                      {.mode = CAROM_COLLIDE_ALL, .contacts = true},
                                                      {.mode = CAROM_COLLIDE_COUNT, .clearance = 0.02},
                                                      {.mode = CAROM_COLLIDE_ALL, .relation = true}};
    return QUESTIONS[frame / BLOCK % (sizeof QUESTIONS / sizeof *QUESTIONS)];
}

/* A frame as it was measured. */
typedef struct sample
{
    uint64_t index;
    double budget_ms, cpu_ms, wall_ms;
    long faults, switches; /* pages of memory that were new; how often the thread lost its processor */
} sample;

static sample begin_sample(uint64_t index, double budget_ms)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    sample out = {index, budget_ms, 0.0, 0.0, -usage.ru_minflt, -usage.ru_nivcsw};
    out.wall_ms = -tool_now_ms();
    out.cpu_ms = -thread_ms();
    return out;
}

static void end_sample(sample *sample)
{
    struct rusage usage;
    sample->cpu_ms += thread_ms();
    sample->wall_ms += tool_now_ms();
    getrusage(RUSAGE_SELF, &usage);
    sample->faults += usage.ru_minflt, sample->switches += usage.ru_nivcsw;
}

static void print_miss(const sample *sample, const carom_scene_report *report)
{
    const carom_times *times = &report->times;
    printf("  missed: frame %llu, question %llu, budget %.3f, processor %.3f, elapsed %.3f ms (broad %.3f, mid %.3f, "
           "report %.3f of %.3f), %ld page faults, %ld switches, %llu undecided, %llu listed\n",
           (unsigned long long)sample->index, (unsigned long long)(sample->index / BLOCK % 5), sample->budget_ms,
           sample->cpu_ms, sample->wall_ms, times->broad_ms, times->mid_ms, times->report_ms, times->total_ms,
           sample->faults, sample->switches, (unsigned long long)report->body_pairs_undecided,
           (unsigned long long)report->pairs_listed);
}

static void wait_out(double budget_ms, tally *tally)
{
    double start = tool_now_ms(), now = start, cpu = thread_ms();
    while (now < start + budget_ms)
        now = tool_now_ms();
    note(&tally->loop_cpu, budget_ms, thread_ms() - cpu);
    note(&tally->loop_wall, budget_ms, now - start);
}

static void tally_frame(const sample *sample, const carom_scene_report *report, tally *tally)
{
    bool nothing = report->bodies_undecided > 0, cut_short = !nothing && report->status == CAROM_UNKNOWN;
    note(&tally->cpu, sample->budget_ms, sample->cpu_ms);
    note(&tally->wall, sample->budget_ms, sample->wall_ms);
    tally->nothing += nothing;
    tally->late_nothing += nothing && is_miss(sample->budget_ms, sample->cpu_ms);
    tally->cut_short += cut_short;
    tally->decided += !nothing && !cut_short;
}

static carom_status time_frame(deadline_work *work, uint64_t index, tally *tally)
{
    crowd *crowd = &work->crowd;
    double budget_ms = 0.2 + 4.8 * crowd_uniform(crowd), motion = crowd_uniform(crowd);
    carom_status status = crowd_move(crowd, motion < 0.25 ? 0.0 : motion < 0.5 ? 0.1 : 1.0);
    carom_frame frame;
    if (!carom_failed(status) && work->options->fresh > 0 && index % work->options->fresh == 0)
        status = deadline_renew_engine(work);
    if (!carom_failed(status))
        status = carom_scene_frame(crowd->scene, &frame);
    if (carom_failed(status))
        return status;
    carom_collide_options options = question_of(index);
    options.budget.seconds = 1e-3 * budget_ms;
    carom_scene_report report;
    sample sample = begin_sample(index, budget_ms);
    status = carom_engine_run(work->engine, &frame, &options, &report);
    end_sample(&sample);
    if (carom_failed(status))
        return status;
    tally_frame(&sample, &report, tally);
    if (work->options->misses && is_miss(budget_ms, sample.cpu_ms))
        print_miss(&sample, &report);
    wait_out(budget_ms, tally);
    return CAROM_OK;
}

static void print_overruns(const char *what, const overruns *overruns)
{
    double frames = (double)overruns->frames;
    printf("  %-24s %8llu %9.3f %% %12.3f %12.4f\n", what, (unsigned long long)overruns->missed,
           100.0 * (double)overruns->missed / frames, overruns->worst_ms, overruns->sum_ms / frames);
}

static void print_excess(const char *what, const overruns *frames, const overruns *loop)
{
    double excess = (double)frames->missed - (double)loop->missed;
    printf("  %-24s %8.0f %9.3f %%\n", what, excess, 100.0 * excess / (double)frames->frames);
}

carom_status deadline_time_frames(deadline_work *work)
{
    tally tally = {0};
    for (uint64_t i = 0; i < work->options->frames; i++)
    {
        carom_status status = time_frame(work, i, &tally);
        if (carom_failed(status))
            return status;
    }
    printf("%llu frames of %u bodies (%s), budgets from 0.2 to 5 ms, one thread\n",
           (unsigned long long)work->options->frames, work->crowd.body_count, work->crowd.info->name);
    printf("  %llu decided, %llu cut short, %llu without time for anything (%llu of them late)\n",
           (unsigned long long)tally.decided, (unsigned long long)tally.cut_short, (unsigned long long)tally.nothing,
           (unsigned long long)tally.late_nothing);
    printf("  %-24s %8s %11s %12s %12s\n", "beyond 5 % + 0.1 ms", "missed", "", "worst, ms", "mean, ms");
    print_overruns("processor time", &tally.cpu);
    print_overruns("elapsed time", &tally.wall);
    print_overruns("bare loop, processor", &tally.loop_cpu);
    print_overruns("bare loop, elapsed", &tally.loop_wall);
    print_excess("beyond it, processor", &tally.cpu, &tally.loop_cpu);
    print_excess("beyond it, elapsed", &tally.wall, &tally.loop_wall);
    return CAROM_OK;
}
