/* What budgets of time leave undecided: the same frames with larger and larger budgets, against the answer without one:
 * undecided pairs, how good the guesses about them are, and how tight their bounds. */
#include "tool/chart.h"
#include "tool/deadline.h"

#include <math.h>

/* In microseconds. */
static const uint32_t BUDGETS[DEADLINE_POINTS] = {200, 400, 1000, 2000, 4000, 8000, 16000};
static const double CLEARANCE = 0.25; /* of a body's size, where bounds are looked at */

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

static void judge(const carom_scene_report *report, const carom_scene_report *truth, deadline_point *out)
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

/* Lower bounds of distances, up to the clearance: there is no more to know. Pairs that the truth does not list are at
 * least that far apart, pairs that a report does not list are decided. */
static void judge_bounds(const carom_scene_report *report, const carom_scene_report *truth, deadline_point *out)
{
    uint64_t apart = truth->body_pairs_examined;
    for (uint64_t i = 0; i < truth->body_pair_count; i++)
        apart -= truth->body_pairs[i].distance == 0.0;
    out->apart += (double)apart;
    if (report->bodies_undecided > 0)
        return;
    out->known += (double)apart;
    for (uint64_t i = 0; i < report->body_pair_count; i++)
    {
        const carom_body_pair *pair = &report->body_pairs[i], *right = find_pair(truth, pair);
        double distance = right ? fmin(right->distance, CLEARANCE) : CLEARANCE;
        if (pair->status != CAROM_UNKNOWN)
            continue;
        out->wrong_bounds += right && pair->distance_bound > right->distance;
        if (distance == 0.0)
            continue;
        double part = fmin(pair->distance_bound / distance, 1.0);
        out->apart_open++;
        out->known_open += part, out->known -= 1.0 - part;
    }
}

/* One frame with a budget, against the answer without one. The frame is a new one for the engine: nothing goes on. */
static carom_status run_budget(deadline_work *work, const carom_collide_options *limited, carom_scene_report *report,
                               carom_scene_report *truth)
{
    carom_frame frame;
    carom_collide_options whole = *limited;
    whole.budget = (carom_budget){0};
    carom_status status = crowd_move(&work->crowd, 1.0);
    if (!carom_failed(status))
        status = carom_scene_frame(work->crowd.scene, &frame);
    if (!carom_failed(status))
        status = carom_engine_run(work->truth, &frame, &whole, truth);
    if (!carom_failed(status))
        status = carom_engine_run(work->engine, &frame, limited, report);
    return status;
}

/* Two frames with each budget: one for the guesses, one for the bounds. */
static carom_status run_budgets(deadline_work *work, deadline_point points[DEADLINE_POINTS])
{
    carom_scene_report truth, report;
    for (int i = 0; i < DEADLINE_POINTS; i++)
    {
        const carom_budget budget = {.seconds = 1e-6 * BUDGETS[i]};
        carom_collide_options guesses = {.mode = CAROM_COLLIDE_ALL, .contacts = true, .budget = budget};
        carom_collide_options bounds = {.mode = CAROM_COLLIDE_COUNT, .clearance = CLEARANCE, .budget = budget};
        carom_status status = run_budget(work, &guesses, &report, &truth);
        if (carom_failed(status))
            return status;
        judge(&report, &truth, &points[i]);
        status = run_budget(work, &bounds, &report, &truth);
        if (carom_failed(status))
            return status;
        judge_bounds(&report, &truth, &points[i]);
    }
    return CAROM_OK;
}

static double percent(double part, double whole) { return whole > 0.0 ? 100.0 * part / whole : 0.0; }

void deadline_print_curves(const deadline_work *work, const deadline_point points[DEADLINE_POINTS])
{
    uint64_t wrong = 0;
    printf("\nwhat a budget leaves undecided, %llu frames each, about %.0f pairs of bodies\n",
           (unsigned long long)work->options->steps, points[0].pairs / (double)work->options->steps);
    printf("  %10s %12s %17s %19s %21s %15s\n", "budget, ms", "undecided", "guessed to meet,", "place of the guess",
           "bound of pairs apart,", "of the");
    printf("  %10s %12s %17s %19s %21s %15s\n", "", "", "but apart", "off, of a body", "of what there is",
           "undecided ones");
    for (int i = 0; i < DEADLINE_POINTS; i++)
    {
        const deadline_point *point = &points[i];
        wrong += point->wrong_bounds;
        printf("  %10.2f %10.2f %% %15.1f %% %17.1f %% %19.1f %% %13.1f %%\n", 1e-3 * BUDGETS[i],
               percent(point->undecided, point->pairs), percent(point->wrong, point->guesses),
               percent(point->off, point->places), percent(point->known, point->apart),
               percent(point->known_open, point->apart_open));
    }
    printf("  %llu bounds above the exact distance\n", (unsigned long long)wrong);
}

int deadline_draw_curves(const deadline_work *work, const deadline_point points[DEADLINE_POINTS])
{
    chart_panel panel = {.title = "budgets of time"};
    for (int i = 0; i < DEADLINE_POINTS; i++)
    {
        panel.line[0][i] = percent(points[i].undecided, points[i].pairs);
        panel.line[1][i] = percent(points[i].wrong, points[i].guesses);
        panel.line[2][i] = percent(points[i].off, points[i].places);
    }
    chart_def def = {.lines_title = "percent, by budget in microseconds",
                     .line_name = {"undecided", "wrong guess", "place off"},
                     .line_count = 3,
                     .point_count = DEADLINE_POINTS,
                     .points = BUDGETS,
                     .panels = &panel,
                     .panel_count = 1};
    carom_status status = chart_write(work->context, &def, work->options->output);
    if (carom_failed(status))
        return tool_fail_status(work->command, work->context, status);
    fprintf(stderr, "carom %s: the chart is in %s\n", work->command->name, work->options->output);
    return TOOL_CLEAN;
}

carom_status deadline_find_curves(deadline_work *work, deadline_point points[DEADLINE_POINTS])
{
    carom_status status = CAROM_OK;
    for (uint64_t i = 0; i < work->options->steps && !carom_failed(status); i++)
        status = run_budgets(work, points);
    return status;
}
