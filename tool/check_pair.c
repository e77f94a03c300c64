/* carom check for two models: relation, verdict, pairs, distance. */
#include "tool/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct pair_work
{
    check_work *check;
    const tool_input *model[2];
    tool_asker asker;
    carom_placed placed[2];
    carom_report report, distance;
    bool checked; /* both models have triangles, or the time was over before one of them was read */
} pair_work;

/* Nothing is known. */
static carom_report no_report(void)
{
    return (carom_report){.status = CAROM_UNKNOWN,
                          .distance = INFINITY,
                          .triangle_a = CAROM_NO_TRIANGLE,
                          .triangle_b = CAROM_NO_TRIANGLE};
}

static carom_status ask(pair_work *work)
{
    tool_watch(&(carom_progress){"check", "both models", 0, 0}, NULL);
    /* the distance first: both reports point into the query, and the pairs are the larger part */
    if (work->check->options->distance)
    {
        carom_distance_options limits = carom_distance_options_default();
        limits.budget = check_budget(work->check);
        carom_status status =
            carom_distance(work->asker.query, &work->placed[0], &work->placed[1], &limits, &work->distance);
        if (carom_failed(status))
            return status;
    }
    carom_collide_options options = check_collide_options(work->check);
    return tool_ask_collide(&work->asker, &work->placed[0], &work->placed[1], &options, &work->report);
}

/* Did the time run out before everything was decided? What was found by then is valid. */
static bool is_open(const pair_work *work)
{
    return work->report.status == CAROM_UNKNOWN ||
           (work->check->options->distance && work->distance.status == CAROM_UNKNOWN);
}

/* Nothing is inside an open surface: the answer names the models that are not closed. */
static const char *not_closed(const carom_report *report)
{
    return report->a_closed ? report->b_closed ? NULL : "B" : report->b_closed ? "A" : "A and B";
}

/* ---- JSON ---- */

static void write_triangle(tool_writer *writer, uint32_t triangle)
{
    if (triangle == CAROM_NO_TRIANGLE)
        writer_null(writer, NULL);
    else
        writer_count(writer, NULL, triangle);
}

static void write_distance(tool_writer *writer, const carom_report *report)
{
    writer_text(writer, "distance_status", carom_status_name(report->status));
    writer_number(writer, "distance", report->distance);
    writer_number(writer, "distance_bound", report->distance_bound);
    if (report->triangle_a == CAROM_NO_TRIANGLE)
        writer_null(writer, "points");
    else
    {
        writer_begin(writer, "points", '[');
        writer_point(writer, NULL, report->point_a);
        writer_point(writer, NULL, report->point_b);
        writer_end(writer);
    }
    writer_begin_line(writer, "triangles", '[');
    write_triangle(writer, report->triangle_a);
    write_triangle(writer, report->triangle_b);
    writer_end(writer);
    writer_hash(writer, "distance_hash", report->hash);
    writer_counters(writer, "distance_counters", &report->counters);
    writer_times(writer, "distance_times", &report->times);
}

static void write_answer(const pair_work *work, tool_writer *writer)
{
    const carom_report *report = &work->report;
    writer_text(writer, "status", carom_status_name(report->status));
    writer_text(writer, "relation", carom_relation_name(report->relation));
    writer_count(writer, "pair_count", report->pair_count);
    writer_text(writer, "verdict", tool_verdict_name(tool_judge(report)));
    writer_text(writer, "explanation", tool_explain_verdict(report));
    check_write_probably_inside(writer, report);
    if (work->model[0]->tried && work->model[1]->tried && not_closed(report))
        writer_text(writer, "not_closed", not_closed(report));
    if (work->check->options->clearance > 0 && check_clearance_verdict(report))
        writer_bool(writer, "clearance_violated", report->clearance_violated);
    else if (work->check->options->clearance > 0)
        writer_null(writer, "clearance_violated");
    check_triangles triangles = {report, {work->model[0]->bodies, work->model[1]->bodies}};
    if (work->check->options->all)
        check_write_pairs(writer, &triangles);
    if (work->check->options->contacts)
        check_write_contacts(writer, &triangles, work->check->options->all);
    if (work->check->options->distance)
        write_distance(writer, &work->distance);
    if (report->hash)
        writer_hash(writer, "hash", report->hash);
    else
        writer_null(writer, "hash");
    writer_counters(writer, "counters", &report->counters);
    writer_times(writer, "times", &report->times);
}

static void write_json(const pair_work *work, const char *why_not)
{
    tool_writer writer = {.out = &work->check->out};
    writer_begin(&writer, NULL, '{');
    check_write_head(work->check, &writer, "pair");
    if (work->checked)
        write_answer(work, &writer);
    else
    {
        writer_text(&writer, "status", "NOT_CHECKED");
        writer_text(&writer, "relation", "unknown");
        writer_text(&writer, "verdict", "not checked");
        writer_text(&writer, "explanation", why_not);
    }
    writer_end(&writer);
}

/* ---- text ---- */

static void print_distance(pair_work *work, const char *unit)
{
    const carom_report *found = &work->distance;
    tool_out *out = &work->check->out;
    if (found->status == CAROM_UNKNOWN)
        tool_out_print(out, "distance  unknown: from %.12g%s up to ", found->distance_bound, unit);
    else
        tool_out_print(out, "distance  ");
    tool_out_print(out, "%.12g%s", found->distance, unit);
    if (found->triangle_a != CAROM_NO_TRIANGLE)
        tool_out_print(out, "  triangle %u of A at (%.9g, %.9g, %.9g), triangle %u of B at (%.9g, %.9g, %.9g)",
                       found->triangle_a, found->point_a.x, found->point_a.y, found->point_a.z, found->triangle_b,
                       found->point_b.x, found->point_b.y, found->point_b.z);
    tool_out_print(out, "\n");
}

static void print_work(tool_out *out, const char *question, const carom_report *report)
{
    tool_out_print(out, "work      %s%llu boxes, %llu triangle pairs, %llu exact, %.3f ms\n", question,
                   (unsigned long long)report->counters.boxes_tested,
                   (unsigned long long)report->counters.triangles_tested,
                   (unsigned long long)report->counters.exact_fallbacks, report->times.total_ms);
}

static void print_models(pair_work *work)
{
    tool_out *out = &work->check->out;
    for (int i = 0; i < 2; i++)
    {
        const tool_input *model = work->model[i];
        char number[32];
        tool_out_print(out, "%c         ", 'A' + i);
        tool_out_name(out, model->name, 0);
        if (!model->tried)
        {
            tool_out_print(out, ": not read, out of time\n");
            continue;
        }
        tool_out_print(out, ": %s triangles", tool_thousands(model->triangles, number));
        if (model->body_count > 0)
            tool_out_print(out, "%s", model->bodies[0].closed ? ", closed" : ", not closed");
        if (work->check->options->files.weld)
            tool_out_print(out, ", %s corners joined", tool_thousands(model->joined_corners, number));
        tool_out_print(out, "\n");
    }
}

static void print_verdict(tool_out *out, const carom_report *report)
{
    tool_verdict verdict = tool_judge(report);
    const char *reason = tool_explain_verdict(report);
    const char *tint = tool_is_finding(report) ? tool_red() : verdict == TOOL_UNDECIDED ? "" : tool_green();
    tint = tool_out_tint(out, tint);
    tool_out_print(out, "verdict   %s%s%s%s%s\n", tint, tool_verdict_name(verdict), *tint ? tool_plain() : "",
                   reason ? ": " : "", reason ? reason : "");
}

static void print_clearance(const pair_work *work, const char *unit)
{
    const carom_report *report = &work->report;
    const char *verdict = check_clearance_verdict(report);
    const char *tint = report->clearance_violated ? tool_red() : verdict ? tool_green() : "";
    tint = tool_out_tint(&work->check->out, tint);
    tool_out_print(&work->check->out, "clearance %.12g%s %s%s%s\n", work->check->options->clearance, unit, tint,
                   verdict ? verdict : "unknown", *tint ? tool_plain() : "");
}

static void print_text(pair_work *work)
{
    const carom_report *report = &work->report;
    const check_options *options = work->check->options;
    tool_out *out = &work->check->out;
    const char *unit = work->check->inputs.unit ? work->check->inputs.unit : "";
    char number[32];
    print_models(work);
    bool open = report->status == CAROM_UNKNOWN;
    tool_out_print(out, "relation  %s%s\n", carom_relation_name(report->relation), open ? " (out of time)" : "");
    print_verdict(out, report);
    tool_out_print(out, "pairs     %s%s%s\n", open ? "at least " : "", tool_thousands(report->pair_count, number),
                   report->status == CAROM_TRUNCATED ? " (not all listed)" : "");
    for (uint64_t i = 0; options->all && i < report->pairs_listed; i++)
        tool_out_print(out, "pair      %u %u %s\n", report->pairs[i].triangle_a, report->pairs[i].triangle_b,
                       tool_meeting_name(report->pairs[i].meeting));
    check_print_sampled(work->check, &report->counters);
    check_print_printed(work->check, work->asker.engine);
    if (options->clearance > 0)
        print_clearance(work, unit);
    if (options->distance)
        print_distance(work, unit);
    print_work(out, "", report);
    if (options->distance)
        print_work(out, "for the distance ", &work->distance);
    if (report->hash)
        tool_out_print(out, "hash      %016llx\n", (unsigned long long)report->hash);
}

/* ---- advice ---- */

/* 12345 as 1e4: one digit is enough for advice, and easy to type. */
static double one_digit(double value, char out[32])
{
    snprintf(out, 32, "%.0e", value);
    return strtod(out, NULL);
}

/* Reads a model again, with longer and longer weld lengths, until its surface is closed and no triangle collapses.
 * False: none of them helps. In a context of its own: warnings about lengths that no one asked for would confuse. */
static bool find_weld(const pair_work *work, int which, char out[32])
{
    carom_context *context = NULL;
    if (strcmp(work->model[which]->path, "-") == 0) /* can't be read again */
        return false;
    if (carom_failed(carom_context_create(NULL, &context)))
        return false;
    const tool_input *input = work->model[which];
    carom_aabb box = carom_mesh_get_info(input->bodies[0].mesh).bounds;
    double size = fmax(box.max.x - box.min.x, fmax(box.max.y - box.min.y, box.max.z - box.min.z)), ratio[2] = {1, 1};
    if (input->unit)
        tool_unit_ratio(work->check->inputs.unit, input->unit, ratio);
    bool found = false;
    for (double part = 1e-7 * ratio[0] / ratio[1], end = 2e4 * part; part < end && !found; part *= 10)
    {
        io_model model = {0};
        io_read_options reading = {.weld = one_digit(part * size, out), .format = work->check->options->files.format};
        if (!carom_failed(io_read(context, input->path, &reading, &model)))
            found = tool_is_closed(model.mesh) && model.collapsed_triangles == 0;
        io_model_free(&model);
    }
    carom_context_destroy(context);
    return found;
}

/* A model that is not closed can't be known to contain anything: can that be helped? */
static void advise(const pair_work *work)
{
    const bool surrounds[2] = {work->report.b_probably_inside_a, work->report.a_probably_inside_b};
    for (int i = 0; i < 2; i++)
    {
        char length[32], number[32];
        if (!surrounds[i])
            continue;
        uint32_t edges = carom_mesh_get_info(work->model[i]->bodies[0].mesh).boundary_edge_count;
        if (find_weld(work, i, length))
            tool_note(work->check->command,
                      "%s looks torn open by rounding: with --weld %s it is closed, and the answer certain",
                      work->model[i]->name, length);
        else
            tool_note(work->check->command, "%s is not closed (%s boundary edges), and no weld length closes it",
                      work->model[i]->name, tool_thousands(edges, number));
    }
}

/* ---- all ---- */

/* What can't be compared is still reported: which file is the reason? */
static int report_unchecked(pair_work *work)
{
    tool_set_deadline(INFINITY);
    size_t failed = check_count_failed(work->check), empty = check_count_empty(work->check);
    const char *why_not = failed > 0 ? "a model could not be read" : "a model has no triangles";
    if (work->check->options->json)
        write_json(work, why_not);
    else if (failed == 0 && empty > 0)
    {
        print_models(work);
        tool_out_print(&work->check->out, "verdict   not checked: %s\n", why_not);
    }
    return tool_out_close(&work->check->out, failed > 0 ? TOOL_ERROR : TOOL_NOTHING);
}

static int report_answer(pair_work *work)
{
    tool_set_deadline(INFINITY); /* the report is written, late or not */
    if (work->check->options->json)
        write_json(work, NULL);
    else
        print_text(work);
    int code = tool_out_close(&work->check->out, TOOL_CLEAN);
    if (code != TOOL_CLEAN)
        return code;
    if (tool_judge(&work->report) == TOOL_PROBABLY_INSIDE)
        advise(work);
    bool found = tool_is_finding(&work->report);
    if (is_open(work) && !found)
        return tool_fail(work->check->command, "not decided within %g seconds", work->check->options->seconds);
    return found ? TOOL_FINDINGS : TOOL_CLEAN;
}

int check_pair(check_work *check)
{
    pair_work work = {.check = check,
                      .model = {&check->inputs.items[0], &check->inputs.items[1]},
                      .report = no_report(),
                      .distance = no_report()};
    for (int i = 0; i < 2; i++)
        if (work.model[i]->body_count > 0)
        {
            const tool_body *body = &work.model[i]->bodies[0];
            work.placed[i] = (carom_placed){tool_shape(body->mesh, body->tree), work.model[i]->pose};
        }
    bool late = !work.model[0]->tried || !work.model[1]->tried;
    work.checked = late || (work.model[0]->body_count > 0 && work.model[1]->body_count > 0);
    if (!work.checked)
        return report_unchecked(&work);
    if (late)
        return report_answer(&work);
    carom_status status = tool_asker_open(check->context, check->method, check->options->cache, &work.asker);
    if (!carom_failed(status))
        status = ask(&work);
    if (status == CAROM_CANCELLED) /* no time even for what a query needs first */
        work.report = work.distance = no_report(), status = CAROM_UNKNOWN;
    int code = TOOL_ERROR;
    if (carom_failed(status))
        tool_fail_status(check->command, check->context, status), tool_out_abandon(&check->out);
    else
        code = report_answer(&work);
    tool_asker_close(&work.asker);
    return code;
}
