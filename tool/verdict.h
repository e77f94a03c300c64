/* What an answer means to someone who assembles parts: a clash, a mere contact, a gap that is too small, or nothing. */
#ifndef TOOL_VERDICT_H
#define TOOL_VERDICT_H

#include "tool/tool.h"

typedef enum tool_verdict
{
    TOOL_UNDECIDED = 0,   /* the time ran out */
    TOOL_CLEAR,           /* apart */
    TOOL_TOO_CLOSE,       /* apart, but nearer than the clearance */
    TOOL_CONTACT,         /* touching: they share points, but no space */
    TOOL_PROBABLY_INSIDE, /* apart or touching; one surrounds the other, but is not closed */
    TOOL_CLASH,           /* overlapping, inside, equal, or open surfaces that meet */
    TOOL_VERDICT_COUNT
} tool_verdict;

/* Of a report with the full relation. */
tool_verdict tool_judge(const carom_report *report);
const char *tool_verdict_name(tool_verdict verdict); /* "clash", "too close", ... */

/* The reason, about models A and B; null where there is nothing to explain. */
const char *tool_explain_verdict(const carom_report *report);

/* Is this for exit code 1? A contact is not, unless it violates a clearance. */
bool tool_is_finding(const carom_report *report);

/* The estimates as {"a_in_b": true, "b_in_a": null}; null: none was needed, or the time ran out. */
json_t *tool_json_probably_inside(const carom_report *report);

/* The report that carom_collide would give for a pair of a scene, without its pairs and contacts, and without saying
 * what is closed. */
carom_report tool_pair_report(const carom_body_pair *pair);

#endif
