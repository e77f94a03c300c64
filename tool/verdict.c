/* From relations to verdicts. */
#include "tool/verdict.h"

static const char *const names[TOOL_VERDICT_COUNT] = {"unknown", "clear",           "too close",
                                                      "contact", "probably inside", "clash"};

const char *tool_verdict_name(tool_verdict verdict) { return names[verdict]; }

tool_verdict tool_judge(const carom_report *report)
{
    bool probably = report->a_probably_inside_b || report->b_probably_inside_a;
    bool open = report->status == CAROM_UNKNOWN; /* the estimate, at least, is missing */
    switch (report->relation)
    {
    case CAROM_RELATION_UNKNOWN: break;
    case CAROM_RELATION_APART:
        if (probably)
            return TOOL_PROBABLY_INSIDE;
        return open ? TOOL_UNDECIDED : report->clearance_violated ? TOOL_TOO_CLOSE : TOOL_CLEAR;
    case CAROM_RELATION_TOUCHING: return probably ? TOOL_PROBABLY_INSIDE : open ? TOOL_UNDECIDED : TOOL_CONTACT;
    case CAROM_RELATION_OVERLAPPING:
    case CAROM_RELATION_A_INSIDE_B:
    case CAROM_RELATION_B_INSIDE_A:
    case CAROM_RELATION_EQUAL:
    case CAROM_RELATION_SURFACES_MEET: return TOOL_CLASH;
    }
    return TOOL_UNDECIDED;
}

bool tool_is_finding(const carom_report *report)
{
    tool_verdict verdict = tool_judge(report);
    return verdict == TOOL_CLASH || verdict == TOOL_PROBABLY_INSIDE || report->clearance_violated;
}

static const char *explain_clash(carom_relation relation)
{
    switch (relation)
    {
    case CAROM_RELATION_A_INSIDE_B: return "A is inside B";
    case CAROM_RELATION_B_INSIDE_A: return "B is inside A";
    case CAROM_RELATION_EQUAL: return "A and B are the same set of points";
    case CAROM_RELATION_SURFACES_MEET: return "A and B are open surfaces that meet";
    default: return "A and B overlap";
    }
}

const char *tool_explain_verdict(const carom_report *report)
{
    switch (tool_judge(report))
    {
    case TOOL_UNDECIDED:
        return report->pair_count > 0 ? "A and B meet; whether that is a mere contact is not decided" : "out of time";
    case TOOL_TOO_CLOSE: return "the gap is smaller than the clearance";
    case TOOL_CONTACT: return "A and B touch, but do not overlap";
    case TOOL_CLASH: return explain_clash(report->relation);
    case TOOL_PROBABLY_INSIDE:
        return !report->a_probably_inside_b ? "B seems to be inside A; A is not closed, so this is an estimate"
               : !report->b_probably_inside_a
                   ? "A seems to be inside B; B is not closed, so this is an estimate"
                   : "A and B surround each other; neither is closed, so this is an estimate";
    default: return NULL;
    }
}

json_t *tool_json_probably_inside(const carom_report *report)
{
    bool decided = report->status == CAROM_OK || report->status == CAROM_TRUNCATED;
    bool open = report->relation == CAROM_RELATION_APART || report->relation == CAROM_RELATION_TOUCHING;
    bool a_in_b = decided && open && !report->b_closed, b_in_a = decided && open && !report->a_closed;
    return json_pack("{s:o,s:o}", "a_in_b", a_in_b ? json_boolean(report->a_probably_inside_b) : json_null(), "b_in_a",
                     b_in_a ? json_boolean(report->b_probably_inside_a) : json_null());
}

carom_report tool_pair_report(const carom_body_pair *pair)
{
    return (carom_report){.status = pair->status,
                          .relation = pair->relation,
                          .a_probably_inside_b = pair->a_probably_inside_b,
                          .b_probably_inside_a = pair->b_probably_inside_a,
                          .clearance_violated = pair->clearance_violated,
                          .pair_count = pair->pair_count,
                          .distance = pair->distance,
                          .point_a = pair->point_a,
                          .point_b = pair->point_b,
                          .triangle_a = pair->triangle_a,
                          .triangle_b = pair->triangle_b,
                          .hash = pair->hash};
}
