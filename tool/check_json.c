/* The JSON of carom check, as docs/check.schema.json describes it: what both kinds of check have. */
#include "tool/check.h"

enum
{
    FORMAT_VERSION = 1 /* grows if readers of an earlier version would misunderstand a document */
};

static void write_model(const check_work *work, tool_writer *writer, const tool_input *input)
{
    writer_begin(writer, NULL, '{');
    writer_text(writer, "file", input->path);
    writer_text(writer, "name", input->name);
    writer_text(writer, "status", !input->tried ? "UNKNOWN" : carom_status_name(input->status));
    if (input->message[0])
        writer_text(writer, "message", input->message);
    writer_text(writer, "format", input->format);
    writer_count(writer, "triangles", input->triangles);
    writer_count(writer, "bodies", input->body_count);
    if (input->body_count == 1)
        writer_bool(writer, "closed", input->bodies[0].closed);
    writer_pose(writer, "pose", &input->pose);
    writer_text(writer, "unit", input->unit ? input->unit : work->inputs.unit);
    writer_count(writer, "joined_corners", input->joined_corners);
    writer_count(writer, "collapsed_triangles", input->collapsed_triangles);
    writer_left_out(writer, "left_out", &input->left_out);
    writer_number(writer, "read_ms", input->milliseconds);
    writer_end(writer);
}

void check_write_head(const check_work *work, tool_writer *writer, const char *mode)
{
    writer_text(writer, "document", "carom check");
    writer_count(writer, "version", FORMAT_VERSION);
    writer_text(writer, "carom", carom_version());
    writer_text(writer, "mode", mode);
    writer_begin(writer, "models", '[');
    for (size_t i = 0; i < work->inputs.count; i++)
        write_model(work, writer, &work->inputs.items[i]);
    writer_end(writer);
    writer_text(writer, "method", work->method->name);
    writer_text(writer, "unit", work->inputs.unit);
    if (work->options->clearance > 0)
        writer_number(writer, "clearance", work->options->clearance);
}

static void write_triangles(tool_writer *writer, const check_triangles *triangles, const carom_pair *pair)
{
    writer_count(writer, NULL, tool_number_in_file(triangles->body[0], pair->triangle_a));
    writer_count(writer, NULL, tool_number_in_file(triangles->body[1], pair->triangle_b));
}

void check_write_pairs(tool_writer *writer, const check_triangles *triangles)
{
    const carom_report *report = triangles->report;
    writer_begin(writer, "pairs", '[');
    for (uint64_t i = 0; i < report->pairs_listed; i++)
    {
        writer_begin_line(writer, NULL, '[');
        write_triangles(writer, triangles, &report->pairs[i]);
        writer_text(writer, NULL, tool_meeting_name(report->pairs[i].meeting));
        writer_end(writer);
    }
    writer_end(writer);
}

void check_write_contacts(tool_writer *writer, const check_triangles *triangles, bool numbered)
{
    const carom_report *report = triangles->report;
    writer_begin(writer, "contacts", '[');
    for (uint64_t i = 0; i < report->contact_count; i++)
    {
        const carom_contact *contact = &report->contacts[i];
        writer_begin_line(writer, NULL, '{');
        if (numbered)
            writer_count(writer, "pair", contact->pair);
        writer_begin_line(writer, "triangles", '[');
        write_triangles(writer, triangles, &report->pairs[contact->pair]);
        writer_end(writer);
        writer_begin_line(writer, "points", '[');
        for (uint32_t k = 0; k < contact->point_count; k++)
            writer_point(writer, NULL, report->points[contact->first_point + k]);
        writer_end(writer);
        writer_end(writer);
    }
    writer_end(writer);
}

static void write_estimate(tool_writer *writer, const char *key, bool estimated, bool inside)
{
    if (estimated)
        writer_bool(writer, key, inside);
    else
        writer_null(writer, key);
}

void check_write_probably_inside(tool_writer *writer, const carom_report *report)
{
    bool decided = report->status == CAROM_OK || report->status == CAROM_TRUNCATED;
    bool open = report->relation == CAROM_RELATION_APART || report->relation == CAROM_RELATION_TOUCHING;
    writer_begin(writer, "probably_inside", '{');
    write_estimate(writer, "a_in_b", decided && open && !report->b_closed, report->a_probably_inside_b);
    write_estimate(writer, "b_in_a", decided && open && !report->a_closed, report->b_probably_inside_a);
    writer_end(writer);
}
