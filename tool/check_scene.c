/* carom check for any number of bodies, all against all: one frame of a scene, its findings by severity. */
#include "tool/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct scene_body
{
    const tool_input *input;
    const tool_body *body;
} scene_body;

/* A pair of bodies that is not clear. */
typedef struct scene_finding
{
    const carom_body_pair *pair;
    uint32_t body[2]; /* indices into the bodies */
    int severity;
    tool_verdict verdict;
    double distance;
} scene_finding;

typedef struct scene_work
{
    check_work *check;
    scene_body *bodies;
    uint32_t body_count;
    uint64_t triangles, pair_total;
    carom_scene *scene;
    carom_engine *engine;
    carom_frame frame;
    carom_scene_report report;
    scene_finding *findings; /* the worst first */
    uint64_t listed;         /* of them, because of --top */
    uint64_t counts[TOOL_VERDICT_COUNT], violations;
    bool not_searched; /* there was no time to find pairs that are near each other: nothing is known of any */
    size_t failed, empty;
} scene_work;

/* ---- checking ---- */

static bool gather_bodies(scene_work *work)
{
    const tool_inputs *inputs = &work->check->inputs;
    size_t count = 0;
    for (size_t i = 0; i < inputs->count; i++)
        count += inputs->items[i].body_count;
    work->bodies = calloc(count + 1, sizeof *work->bodies);
    if (!work->bodies || count > UINT32_MAX / 2)
        return false;
    for (size_t i = 0; i < inputs->count; i++)
        for (uint32_t k = 0; k < inputs->items[i].body_count; k++)
        {
            scene_body *body = &work->bodies[work->body_count++];
            *body = (scene_body){&inputs->items[i], &inputs->items[i].bodies[k]};
            work->triangles += carom_mesh_get_info(body->body->mesh).triangle_count;
        }
    work->pair_total = (uint64_t)work->body_count * (work->body_count - (work->body_count > 0)) / 2;
    return true;
}

static carom_status add_bodies(scene_work *work)
{
    for (uint32_t i = 0; i < work->body_count; i++)
    {
        const scene_body *body = &work->bodies[i];
        carom_body_def def = carom_body_def_default();
        def.placed = (carom_placed){tool_shape(body->body->mesh, body->body->tree), body->input->pose};
        def.is_static = false; /* even bodies that never move are compared with each other */
        def.user = i;
        carom_body_id id;
        carom_status status = carom_scene_add(work->scene, &def, &id);
        if (carom_failed(status))
            return status;
    }
    return carom_scene_frame(work->scene, &work->frame);
}

static carom_status examine(scene_work *work)
{
    check_work *check = work->check;
    carom_engine_def def = carom_engine_def_default();
    if (check->method->engine)
    {
        def.engine = check->method->engine, def.image_side = check->method->image_side;
        def.image_accuracy = check->method->image_accuracy, def.as_printed = check->method->as_printed;
    }
    if (check->options->broad)
        def.broad_phase = check->options->broad;
    def.cache = check->options->cache;
    carom_status status = carom_scene_create(check->context, &work->scene);
    if (!carom_failed(status))
        status = add_bodies(work);
    if (!carom_failed(status))
        status = carom_engine_create(check->context, &def, &work->engine);
    carom_collide_options options = check_collide_options(check);
    tool_watch(&(carom_progress){"check", "all models", 0, 0}, NULL);
    if (!carom_failed(status))
        status = carom_engine_run(work->engine, &work->frame, &options, &work->report);
    if (status == CAROM_CANCELLED) /* no time even for what a run needs first */
        work->report = (carom_scene_report){.status = CAROM_UNKNOWN};
    work->not_searched = status == CAROM_CANCELLED || work->report.bodies_undecided > 0;
    return status == CAROM_CANCELLED ? CAROM_UNKNOWN : status;
}

/* The answer for a pair of bodies, as if it had been asked alone. Its contacts begin at the one given, which moves on.
 */
static carom_report pair_report(const scene_work *work, const scene_finding *finding)
{
    carom_report report = tool_pair_report(finding->pair);
    report.a_closed = work->bodies[finding->body[0]].body->closed;
    report.b_closed = work->bodies[finding->body[1]].body->closed;
    report.pairs = work->report.pairs + finding->pair->first_pair;
    report.pairs_listed = finding->pair->pairs_listed;
    return report;
}

static int severity_of(tool_verdict verdict, bool violated)
{
    switch (verdict)
    {
    case TOOL_CLASH: return 6;
    case TOOL_PROBABLY_INSIDE: return 5;
    case TOOL_CONTACT: return violated ? 4 : 1;
    case TOOL_TOO_CLOSE: return 3;
    case TOOL_UNDECIDED: return 2;
    default: return 0;
    }
}

static int compare_findings(const void *a, const void *b)
{
    const scene_finding *x = a, *y = b;
    if (x->severity != y->severity)
        return x->severity > y->severity ? -1 : 1;
    if (x->verdict == TOOL_TOO_CLOSE && x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    if (x->pair->pair_count != y->pair->pair_count)
        return x->pair->pair_count > y->pair->pair_count ? -1 : 1;
    return x->pair < y->pair ? -1 : x->pair > y->pair;
}

/* Infinity: not asked for, or no time. */
static carom_status measure(const scene_work *work, carom_query *query, scene_finding *finding)
{
    carom_report report;
    carom_distance_options limits = carom_distance_options_default();
    limits.budget = check_budget(work->check);
    carom_status status =
        carom_distance(query, &carom_frame_find(&work->frame, finding->pair->body_a)->placed,
                       &carom_frame_find(&work->frame, finding->pair->body_b)->placed, &limits, &report);
    if (status == CAROM_OK)
        finding->distance = report.distance;
    return status == CAROM_CANCELLED ? CAROM_UNKNOWN : status;
}

/* What is no finding is clear, but only where the list of findings was made. */
static void count_rest(scene_work *work)
{
    uint64_t found = 0;
    for (int i = 0; i < TOOL_VERDICT_COUNT; i++)
        found += work->counts[i];
    work->counts[work->not_searched ? TOOL_UNDECIDED : TOOL_CLEAR] += work->pair_total - found;
}

static carom_status sort_findings(scene_work *work)
{
    uint64_t count = work->report.body_pair_count;
    carom_query *query = NULL;
    work->findings = calloc(count + 1, sizeof *work->findings);
    carom_status status = work->findings ? CAROM_OK : CAROM_OUT_OF_MEMORY;
    if (!carom_failed(status) && work->check->options->distance)
        status = carom_query_create(work->check->context, &query);
    for (uint64_t i = 0; !carom_failed(status) && i < count; i++)
    {
        const carom_body_pair *pair = &work->report.body_pairs[i];
        scene_finding *finding = &work->findings[i];
        *finding = (scene_finding){.pair = pair, .distance = pair->distance};
        finding->body[0] = (uint32_t)carom_frame_find(&work->frame, pair->body_a)->user;
        finding->body[1] = (uint32_t)carom_frame_find(&work->frame, pair->body_b)->user;
        carom_report report = pair_report(work, finding);
        finding->verdict = tool_judge(&report);
        finding->severity = severity_of(finding->verdict, report.clearance_violated);
        work->counts[finding->verdict]++;
        work->violations += tool_is_finding(&report);
        if (query)
            status = measure(work, query, finding);
    }
    carom_query_destroy(query);
    count_rest(work);
    if (!carom_failed(status) && count > 0)
        qsort(work->findings, count, sizeof *work->findings, compare_findings);
    uint64_t top = work->check->options->top;
    work->listed = top < count ? top : count;
    return status;
}

/* ---- text ---- */

/* The worst of all pairs. Where nothing is wrong, but not everything was checked, that is said instead. */
static const char *verdict_of(const scene_work *work)
{
    if (work->body_count < 2)
        return "not checked";
    if (work->violations == 0 && (work->failed > 0 || work->empty > 0 || work->check->inputs.failed))
        return "incomplete";
    if (work->violations == 0 && work->report.status == CAROM_UNKNOWN)
        return tool_verdict_name(TOOL_UNDECIDED);
    return tool_verdict_name(work->report.body_pair_count > 0 ? work->findings[0].verdict : TOOL_CLEAR);
}

static void print_body(tool_out *out, const scene_work *work, uint32_t index)
{
    const scene_body *body = &work->bodies[index];
    tool_out_print(out, "#%u ", index + 1);
    tool_out_name(out, body->input->name, 0);
    if (body->body->part)
    {
        tool_out_print(out, ":");
        tool_out_name(out, body->body->part, 0);
    }
}

static void print_finding(scene_work *work, const scene_finding *finding)
{
    tool_out *out = &work->check->out;
    carom_report report = pair_report(work, finding);
    const char *tint = tool_out_tint(out, tool_is_finding(&report) ? tool_red() : "");
    tool_out_print(out, "%s%-15s%s %-13s %8llu ", tint, tool_verdict_name(finding->verdict), *tint ? tool_plain() : "",
                   carom_relation_name(report.relation), (unsigned long long)report.pair_count);
    if (isfinite(finding->distance))
        tool_out_print(out, "%11.6g  ", finding->distance);
    else
        tool_out_print(out, "%11s  ", "-");
    print_body(out, work, finding->body[0]);
    tool_out_print(out, "  ");
    print_body(out, work, finding->body[1]);
    tool_out_print(out, "\n");
    for (uint64_t i = 0; work->check->options->all && i < report.pairs_listed; i++)
        tool_out_print(out, "pair      %u %u %s\n",
                       tool_number_in_file(work->bodies[finding->body[0]].body, report.pairs[i].triangle_a),
                       tool_number_in_file(work->bodies[finding->body[1]].body, report.pairs[i].triangle_b),
                       tool_meeting_name(report.pairs[i].meeting));
}

static void print_counts(scene_work *work)
{
    tool_out *out = &work->check->out;
    const uint64_t *counts = work->counts;
    char number[6][32];
    tool_out_print(out, "found     %s clashes, %s probably inside, %s contacts, %s too close, %s unknown; %s clear\n",
                   tool_thousands(counts[TOOL_CLASH], number[0]),
                   tool_thousands(counts[TOOL_PROBABLY_INSIDE], number[1]),
                   tool_thousands(counts[TOOL_CONTACT], number[2]), tool_thousands(counts[TOOL_TOO_CLOSE], number[3]),
                   tool_thousands(counts[TOOL_UNDECIDED], number[4]), tool_thousands(counts[TOOL_CLEAR], number[5]));
}

/* Pairs that are near each other were examined, or the time was over before. */
static void print_examined(scene_work *work)
{
    const carom_scene_report *report = &work->report;
    char number[3][32];
    tool_out_print(&work->check->out, "examined  %s pairs of bodies, %s of them near each other",
                   tool_thousands(work->pair_total, number[0]),
                   tool_thousands(report->body_pairs_examined + report->body_pairs_undecided, number[1]));
    if (report->body_pairs_undecided > 0)
        tool_out_print(&work->check->out, ", but %s of these not to the end",
                       tool_thousands(report->body_pairs_undecided, number[2]));
    tool_out_print(&work->check->out, "\n");
}

static void print_text(scene_work *work)
{
    tool_out *out = &work->check->out;
    const carom_scene_report *report = &work->report;
    size_t files = work->check->inputs.count;
    char number[3][32];
    tool_out_print(out, "files     %s read, %zu not read, %zu without triangles\n",
                   tool_thousands(files - work->failed, number[0]), work->failed, work->empty);
    tool_out_print(out, "bodies    %s, %s triangles\n", tool_thousands(work->body_count, number[0]),
                   tool_thousands(work->triangles, number[1]));
    if (work->body_count < 2)
    {
        tool_out_print(out, "verdict   not checked: two bodies are needed\n");
        return;
    }
    if (work->not_searched)
        tool_out_print(out, "examined  none of %s pairs of bodies: there was no time to find those near each other\n",
                       tool_thousands(work->pair_total, number[0]));
    else
        print_examined(work);
    tool_out_print(out, "work      %s boxes, %s triangle pairs, %s exact, %.3f ms\n",
                   tool_thousands(report->counters.boxes_tested, number[0]),
                   tool_thousands(report->counters.triangles_tested, number[1]),
                   tool_thousands(report->counters.exact_fallbacks, number[2]), report->times.total_ms);
    check_print_sampled(work->check, &report->counters);
    check_print_printed(work->check, work->engine);
    if (work->listed > 0)
        tool_out_print(out, "\n%-15s %-13s %8s %11s  %s\n", "verdict", "relation", "pairs", "distance", "bodies");
    for (uint64_t i = 0; i < work->listed; i++)
        print_finding(work, &work->findings[i]);
    if (work->listed < report->body_pair_count)
        tool_out_print(out, "... and %s more\n", tool_thousands(report->body_pair_count - work->listed, number[0]));
    tool_out_print(out, "%s", work->listed > 0 ? "\n" : "");
    print_counts(work);
    const char *tint = tool_out_tint(out, work->violations > 0 ? tool_red() : "");
    tool_out_print(out, "verdict   %s%s%s\n", tint, verdict_of(work), *tint ? tool_plain() : "");
    tool_out_print(out, "hash      %016llx\n", (unsigned long long)report->hash);
}

/* ---- JSON ---- */

static void write_counts(const scene_work *work, tool_writer *writer)
{
    static const char *const keys[TOOL_VERDICT_COUNT] = {"unknown", "clear",           "too_close",
                                                         "contact", "probably_inside", "clash"};
    writer_begin(writer, "counts", '{');
    writer_count(writer, "models", work->check->inputs.count);
    writer_count(writer, "models_not_read", work->failed);
    writer_count(writer, "models_without_triangles", work->empty);
    writer_count(writer, "bodies", work->body_count);
    writer_count(writer, "triangles", work->triangles);
    writer_count(writer, "pairs", work->pair_total);
    writer_count(writer, "pairs_examined", work->report.body_pairs_examined);
    for (int i = 0; i < TOOL_VERDICT_COUNT; i++)
        writer_count(writer, keys[i], work->counts[i]);
    writer_end(writer);
}

static void write_bodies(const scene_work *work, tool_writer *writer)
{
    writer_begin(writer, "bodies", '[');
    for (uint32_t i = 0; i < work->body_count; i++)
    {
        const scene_body *body = &work->bodies[i];
        writer_begin_line(writer, NULL, '{');
        writer_count(writer, "body", i + 1u);
        writer_count(writer, "model", (uint64_t)(body->input - work->check->inputs.items) + 1);
        writer_text(writer, "part", body->body->part);
        writer_count(writer, "triangles", carom_mesh_get_info(body->body->mesh).triangle_count);
        writer_bool(writer, "closed", body->body->closed);
        writer_end(writer);
    }
    writer_end(writer);
}

/* The contacts of a pair of bodies are next to each other, sorted by pair: the first, and how many. Their pair counts
 * from the first pair of the frame. */
static void find_contacts(const scene_work *work, const carom_body_pair *pair, carom_report *report)
{
    const carom_contact *contacts = work->report.contacts;
    uint64_t low = 0, high = work->report.contact_count;
    while (low < high)
    {
        uint64_t middle = low + (high - low) / 2;
        if (contacts[middle].pair < pair->first_pair)
            low = middle + 1;
        else
            high = middle;
    }
    report->contacts = contacts + low;
    while (low < work->report.contact_count && contacts[low].pair < pair->first_pair + pair->pairs_listed)
        low++, report->contact_count++;
    report->pairs = work->report.pairs, report->points = work->report.points;
}

static void write_finding(const scene_work *work, tool_writer *writer, const scene_finding *finding)
{
    carom_report report = pair_report(work, finding);
    writer_begin(writer, NULL, '{');
    writer_count(writer, "a", finding->body[0] + 1u);
    writer_count(writer, "b", finding->body[1] + 1u);
    writer_text(writer, "status", carom_status_name(report.status));
    writer_text(writer, "verdict", tool_verdict_name(finding->verdict));
    writer_text(writer, "explanation", tool_explain_verdict(&report));
    writer_text(writer, "relation", carom_relation_name(report.relation));
    check_write_probably_inside(writer, &report);
    writer_count(writer, "pair_count", report.pair_count);
    if (work->check->options->clearance > 0 && check_clearance_verdict(&report))
        writer_bool(writer, "clearance_violated", report.clearance_violated);
    else if (work->check->options->clearance > 0)
        writer_null(writer, "clearance_violated");
    writer_number(writer, "distance", finding->distance);
    check_triangles triangles = {&report, {work->bodies[finding->body[0]].body, work->bodies[finding->body[1]].body}};
    if (work->check->options->all)
        check_write_pairs(writer, &triangles);
    if (work->check->options->contacts)
    {
        find_contacts(work, finding->pair, &report);
        check_write_contacts(writer, &triangles, false);
    }
    writer_number(writer, "sampled_size", finding->pair->sampled_size);
    writer_hash(writer, "hash", finding->pair->hash);
    writer_end(writer);
}

static void write_json(scene_work *work)
{
    tool_writer writer = {.out = &work->check->out};
    bool checked = work->body_count >= 2;
    writer_begin(&writer, NULL, '{');
    check_write_head(work->check, &writer, "scene");
    writer_text(&writer, "status", checked ? carom_status_name(work->report.status) : "NOT_CHECKED");
    writer_text(&writer, "verdict", verdict_of(work));
    write_counts(work, &writer);
    write_bodies(work, &writer);
    writer_begin(&writer, "findings", '[');
    for (uint64_t i = 0; i < work->listed; i++)
        write_finding(work, &writer, &work->findings[i]);
    writer_end(&writer);
    if (checked)
    {
        writer_hash(&writer, "hash", work->report.hash);
        writer_counters(&writer, "counters", &work->report.counters);
        writer_times(&writer, "times", &work->report.times);
    }
    writer_end(&writer);
}

/* ---- all ---- */

static int report_all(scene_work *work)
{
    const tool_command *command = work->check->command;
    tool_set_deadline(INFINITY); /* the report is written, late or not */
    if (work->check->options->json)
        write_json(work);
    else
        print_text(work);
    int code = tool_out_close(&work->check->out, TOOL_CLEAN);
    if (code != TOOL_CLEAN)
        return code;
    if (work->failed > 0 || work->check->inputs.failed)
        return TOOL_ERROR;
    if (work->violations > 0)
        return TOOL_FINDINGS;
    if (work->body_count >= 2 && work->report.status == CAROM_UNKNOWN)
        return tool_fail(command, "not decided within %g seconds", work->check->options->seconds);
    if (work->body_count < 2)
        tool_fail(command, "nothing was checked: two bodies are needed, and there %s",
                  work->body_count == 1 ? "is one" : "are none");
    return work->body_count < 2 || work->empty > 0 ? TOOL_NOTHING : TOOL_CLEAN;
}

int check_scene(check_work *check)
{
    scene_work work = {.check = check};
    work.failed = check_count_failed(check);
    work.empty = check_count_empty(check);
    carom_status status = gather_bodies(&work) ? CAROM_OK : CAROM_OUT_OF_MEMORY;
    if (!carom_failed(status) && work.body_count >= 2)
        status = examine(&work);
    if (!carom_failed(status))
        status = sort_findings(&work);
    int code = TOOL_ERROR;
    if (carom_failed(status))
        tool_fail_status(check->command, check->context, status), tool_out_abandon(&check->out);
    else
        code = report_all(&work);
    free(work.findings);
    carom_engine_destroy(work.engine);
    carom_scene_destroy(work.scene);
    free(work.bodies);
    return code;
}
