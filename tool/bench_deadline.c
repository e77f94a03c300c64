/* carom bench deadline: how well frames keep budgets of time, and what they leave undecided.
 *
 * Frames alternate with a bare loop that reads the clock until the same budget is over: what that misses, the machine
 * is to blame for. Then the same frames with larger and larger budgets, against the answer without one: undecided
 * pairs, and how good the guesses about them are. */
#include "tool/chart.h"
#include "tool/crowd.h"
#include "tool/picture.h"
#include "tool/tool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum
{
    BLOCK = 50, /* frames that ask the same question */
    POINTS = 7  /* of the plot */
};

/* Budgets of the plot, in microseconds. */
static const uint32_t BUDGETS[POINTS] = {200, 400, 1000, 2000, 4000, 8000, 16000};

typedef struct deadline_options
{
    const char *output;
    uint64_t frames, bodies, triangles, steps, seed;
} deadline_options;

typedef struct deadline_work
{
    const tool_command *command;
    const deadline_options *options;
    carom_context *context;
    carom_engine *engine, *truth;
    crowd crowd;
} deadline_work;

/* ---- frames with random budgets ---- */

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
} tally;

static double thread_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static void note(overruns *overruns, double budget_ms, double taken_ms)
{
    overruns->frames++;
    overruns->missed += taken_ms > 1.05 * budget_ms + 0.1;
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

static void wait_out(double budget_ms, tally *tally)
{
    double start = tool_now_ms(), now = start, cpu = thread_ms();
    while (now < start + budget_ms)
        now = tool_now_ms();
    note(&tally->loop_cpu, budget_ms, thread_ms() - cpu);
    note(&tally->loop_wall, budget_ms, now - start);
}

static carom_status time_frame(deadline_work *work, uint64_t index, tally *tally)
{
    crowd *crowd = &work->crowd;
    double budget_ms = 0.2 + 4.8 * crowd_uniform(crowd), motion = crowd_uniform(crowd);
    carom_status status = crowd_move(crowd, motion < 0.25 ? 0.0 : motion < 0.5 ? 0.1 : 1.0);
    carom_frame frame;
    if (!carom_failed(status))
        status = carom_scene_frame(crowd->scene, &frame);
    if (carom_failed(status))
        return status;
    carom_collide_options options = question_of(index);
    options.budget.seconds = 1e-3 * budget_ms;
    carom_scene_report report;
    double wall = tool_now_ms(), cpu = thread_ms();
    status = carom_engine_run(work->engine, &frame, &options, &report);
    cpu = thread_ms() - cpu, wall = tool_now_ms() - wall;
    if (carom_failed(status))
        return status;
    note(&tally->cpu, budget_ms, cpu);
    note(&tally->wall, budget_ms, wall);
    tally->nothing += report.bodies_undecided > 0;
    tally->cut_short += report.bodies_undecided == 0 && status == CAROM_UNKNOWN;
    tally->decided += status != CAROM_UNKNOWN;
    wait_out(budget_ms, tally);
    return CAROM_OK;
}

static void print_overruns(const char *what, const overruns *overruns)
{
    double frames = (double)overruns->frames;
    printf("  %-24s %8llu %9.3f %% %12.3f %12.4f\n", what, (unsigned long long)overruns->missed,
           100.0 * (double)overruns->missed / frames, overruns->worst_ms, overruns->sum_ms / frames);
}

static carom_status time_frames(deadline_work *work)
{
    tally tally = {0};
    for (uint64_t i = 0; i < work->options->frames; i++)
    {
        carom_status status = time_frame(work, i, &tally);
        if (carom_failed(status))
            return status;
    }
    printf("%llu frames of %u bodies, budgets from 0.2 to 5 ms, one thread\n",
           (unsigned long long)work->options->frames, work->crowd.body_count);
    printf("  %llu decided, %llu cut short, %llu without time for anything\n", (unsigned long long)tally.decided,
           (unsigned long long)tally.cut_short, (unsigned long long)tally.nothing);
    printf("  %-24s %8s %11s %12s %12s\n", "beyond 5 % + 0.1 ms", "missed", "", "worst, ms", "mean, ms");
    print_overruns("processor time", &tally.cpu);
    print_overruns("elapsed time", &tally.wall);
    print_overruns("bare loop, processor", &tally.loop_cpu);
    print_overruns("bare loop, elapsed", &tally.loop_wall);
    return CAROM_OK;
}

/* ---- what a budget leaves undecided ---- */

typedef struct curve_point
{
    double pairs, undecided; /* pairs of bodies, over all steps */
    double guesses, wrong;   /* of pairs that are apart */
    double places, off;      /* of pairs that meet: by how much, sum */
} curve_point;

static const carom_body_pair *find_pair(const carom_scene_report *report, const carom_body_pair *wanted)
{
    uint64_t low = 0, high = report->body_pair_count;
    while (low < high)
    {
        uint64_t middle = low + (high - low) / 2;
        const carom_body_pair *pair = &report->body_pairs[middle];
        bool before = pair->body_a.index != wanted->body_a.index ? pair->body_a.index < wanted->body_a.index
                                                                 : pair->body_b.index < wanted->body_b.index;
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
    const carom_body_pair *found = low < report->body_pair_count ? &report->body_pairs[low] : NULL;
    bool same = found && found->body_a.index == wanted->body_a.index && found->body_b.index == wanted->body_b.index;
    return same ? found : NULL;
}

/* How far a point is from the nearest contact point of a pair of bodies. */
static double distance_to_contacts(const carom_scene_report *report, const carom_body_pair *pair, carom_vec3 point)
{
    double nearest = INFINITY;
    for (uint64_t i = 0; i < report->contact_count; i++)
    {
        const carom_contact *contact = &report->contacts[i];
        if (contact->pair < pair->first_pair || contact->pair >= pair->first_pair + pair->pairs_listed)
            continue;
        for (uint32_t k = 0; k < contact->point_count; k++)
        {
            carom_vec3 at = report->points[contact->first_point + k];
            double x = at.x - point.x, y = at.y - point.y, z = at.z - point.z;
            nearest = fmin(nearest, sqrt(x * x + y * y + z * z));
        }
    }
    return nearest;
}

static void judge(const carom_scene_report *report, const carom_scene_report *truth, curve_point *out)
{
    out->pairs += (double)truth->body_pairs_examined;
    out->undecided +=
        (double)(report->bodies_undecided > 0 ? truth->body_pairs_examined : report->body_pairs_undecided);
    for (uint64_t i = 0; i < report->estimate_count; i++)
    {
        const carom_pair_estimate *estimate = &report->estimates[i];
        const carom_body_pair *pair = find_pair(truth, &report->body_pairs[estimate->body_pair]);
        bool meets = pair && pair->pair_count > 0;
        out->guesses++;
        out->wrong += !meets;
        if (!meets)
            continue;
        out->places++;
        out->off += distance_to_contacts(truth, pair, estimate->point);
    }
}

/* One frame with each budget. The frame is a new one for the engine each time: nothing goes on. */
static carom_status run_budgets(deadline_work *work, curve_point points[POINTS])
{
    carom_frame frame;
    carom_scene_report truth, report;
    carom_collide_options options = {.mode = CAROM_COLLIDE_ALL, .contacts = true}, limited = options;
    for (int i = 0; i < POINTS; i++)
    {
        carom_status status = crowd_move(&work->crowd, 1.0);
        if (!carom_failed(status))
            status = carom_scene_frame(work->crowd.scene, &frame);
        if (!carom_failed(status))
            status = carom_engine_run(work->truth, &frame, &options, &truth);
        limited.budget.seconds = 1e-6 * BUDGETS[i];
        if (!carom_failed(status))
            status = carom_engine_run(work->engine, &frame, &limited, &report);
        if (carom_failed(status))
            return status;
        judge(&report, &truth, &points[i]);
    }
    return CAROM_OK;
}

static double percent(double part, double whole) { return whole > 0.0 ? 100.0 * part / whole : 0.0; }

static void print_curve(const deadline_work *work, const curve_point points[POINTS])
{
    printf("\nwhat a budget leaves undecided, %llu frames each, about %.0f pairs of bodies\n",
           (unsigned long long)work->options->steps, points[0].pairs / (double)work->options->steps);
    printf("  %12s %14s %20s %24s\n", "budget, ms", "undecided", "guessed to meet,", "place of the guess off,");
    printf("  %12s %14s %20s %24s\n", "", "", "but apart", "of a body's size");
    for (int i = 0; i < POINTS; i++)
        printf("  %12.2f %12.2f %% %18.1f %% %22.1f %%\n", 1e-3 * BUDGETS[i],
               percent(points[i].undecided, points[i].pairs), percent(points[i].wrong, points[i].guesses),
               percent(points[i].off, points[i].places));
}

static int draw_curve(const deadline_work *work, const curve_point points[POINTS])
{
    chart_panel panel = {.title = "budgets of time"};
    for (int i = 0; i < POINTS; i++)
    {
        panel.line[0][i] = percent(points[i].undecided, points[i].pairs);
        panel.line[1][i] = percent(points[i].wrong, points[i].guesses);
        panel.line[2][i] = percent(points[i].off, points[i].places);
    }
    chart_def def = {.lines_title = "percent, by budget in microseconds",
                     .line_name = {"undecided", "wrong guess", "place off"},
                     .line_count = 3,
                     .point_count = POINTS,
                     .points = BUDGETS,
                     .panels = &panel,
                     .panel_count = 1};
    carom_status status = chart_write(work->context, &def, work->options->output);
    if (carom_failed(status))
        return tool_fail_status(work->command, work->context, status);
    fprintf(stderr, "carom %s: the chart is in %s\n", work->command->name, work->options->output);
    return TOOL_CLEAN;
}

static carom_status find_curve(deadline_work *work, curve_point points[POINTS])
{
    carom_status status = CAROM_OK;
    for (uint64_t i = 0; i < work->options->steps && !carom_failed(status); i++)
        status = run_budgets(work, points);
    return status;
}

/* ---- the command ---- */

static carom_status open_work(deadline_work *work)
{
    carom_engine_def def = carom_engine_def_default();
    def.estimate_undecided = true;
    carom_scene_report report;
    carom_frame frame;
    carom_status status = carom_context_create(NULL, &work->context);
    if (!carom_failed(status))
        status = crowd_create(work->context, (uint32_t)work->options->bodies, (uint32_t)work->options->triangles,
                              &work->crowd);
    work->crowd.random += work->options->seed << 32;
    if (!carom_failed(status))
        status = carom_engine_create(work->context, &def, &work->engine);
    if (!carom_failed(status))
        status = carom_engine_create(work->context, NULL, &work->truth);
    if (!carom_failed(status))
        status = carom_scene_frame(work->crowd.scene, &frame);
    return carom_failed(status) ? status : carom_engine_run(work->truth, &frame, NULL, &report); /* builds trees */
}

static int run_bench(deadline_work *work)
{
    curve_point points[POINTS] = {0};
    int code = TOOL_CLEAN;
    carom_status status = open_work(work);
    if (!carom_failed(status) && work->options->frames > 0)
        status = time_frames(work);
    if (!carom_failed(status))
        status = find_curve(work, points);
    if (carom_failed(status))
        code = work->context ? tool_fail_status(work->command, work->context, status)
                             : tool_fail(work->command, "%s", carom_status_name(status));
    else
        print_curve(work, points);
    if (code == TOOL_CLEAN && work->options->output)
        code = draw_curve(work, points);
    carom_engine_destroy(work->engine);
    carom_engine_destroy(work->truth);
    crowd_destroy(&work->crowd);
    carom_context_destroy(work->context);
    return code;
}

int tool_bench_deadline(int argc, char **argv)
{
    static const tool_command command = {
        .name = "bench deadline",
        .arguments = "",
        .summary = "how well frames keep budgets of time, and what they leave undecided",
        .details =
            "A crowd of bodies in motion. Frames with random budgets alternate with a bare loop that reads the\n"
            "clock until the same budget is over; then frames with growing budgets are compared with the answer\n"
            "without one. On one thread.\n"
            "Exit codes: 0 measured, 2 error.\n",
    };
    deadline_options options = {.frames = 10000, .bodies = 400, .triangles = 1000, .steps = 20};
    const tool_option table[] = {
        {"--frames", TOOL_COUNT, &options.frames, "N", "frames with random budgets (default: 10000)"},
        {"--bodies", TOOL_COUNT, &options.bodies, "N", "bodies (default: 400)"},
        {"--triangles", TOOL_COUNT, &options.triangles, "N", "triangles per body (default: 1000)"},
        {"--steps", TOOL_COUNT, &options.steps, "N", "frames for each budget of the plot (default: 20)"},
        {"--seed", TOOL_COUNT, &options.seed, "S", "seed of budgets and motion (default: 0)"},
        {"-o", TOOL_TEXT, &options.output, "FILE", "PNG file for the plot"},
    };
    tool_arguments arguments = {.command = &command, .options = table, .option_count = sizeof table / sizeof *table};
    int code = tool_parse(&arguments, argc, argv);
    if (code >= 0)
        return code;
    if (arguments.positional_count > 0)
        return tool_fail(&command, "unexpected argument '%s'", arguments.positional[0]);
    if (options.bodies < 2 || options.bodies > 1000000 || options.triangles < 100 || options.triangles > 1000000)
        return tool_fail(&command, "--bodies: from 2 to 1000000; --triangles: from 100 to 1000000");
    if (options.frames > 10000000 || options.steps < 1 || options.steps > 100000)
        return tool_fail(&command, "--frames: up to 10000000; --steps: from 1 to 100000");
    if (options.output && !picture_is_png(options.output))
        return tool_fail(&command, "-o %s: the name of the picture must end in .png", options.output);
    deadline_work work = {.command = &command, .options = &options};
    return run_bench(&work);
}
