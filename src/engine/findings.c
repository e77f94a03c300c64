/* The findings of a worker: plain arrays without pointers into each other, so that threads and other processes can
 * deliver them in the same form. */
#include "engine/engine.h"

void engine_findings_clear(engine_findings *findings)
{
    findings->items.count = findings->pairs.count = findings->contacts.count = findings->points.count = 0;
    findings->counters = (carom_counters){0};
    findings->examined = 0;
}

void engine_findings_free(engine_findings *findings)
{
    base_array_free(findings->context, &findings->items);
    base_array_free(findings->context, &findings->pairs);
    base_array_free(findings->context, &findings->contacts);
    base_array_free(findings->context, &findings->points);
}

static bool reserve(engine_findings *findings, const carom_report *report)
{
    carom_context *context = findings->context;
    return base_array_reserve(context, &findings->items, 1) &&
           base_array_reserve(context, &findings->pairs, report->pairs_listed) &&
           base_array_reserve(context, &findings->contacts, report->contact_count) &&
           base_array_reserve(context, &findings->points, report->point_count);
}

carom_status engine_findings_add(engine_findings *findings, const carom_body_pair *bodies, const carom_report *report,
                                 const carom_report *closest)
{
    if (!reserve(findings, report))
        return base_fail(findings->context, CAROM_OUT_OF_MEMORY, "engine run: no memory for the findings");
    const carom_report *witness = closest ? closest : report;
    engine_finding *finding = &findings->items.items[findings->items.count++];
    *finding = (engine_finding){.pair = *bodies,
                                .first_contact = findings->contacts.count,
                                .contact_count = report->contact_count,
                                .first_point = findings->points.count};
    carom_body_pair *pair = &finding->pair;
    pair->status = witness->status == CAROM_UNKNOWN ? CAROM_UNKNOWN : report->status;
    pair->relation = report->relation;
    pair->a_probably_inside_b = report->a_probably_inside_b;
    pair->b_probably_inside_a = report->b_probably_inside_a;
    pair->clearance_violated = report->clearance_violated;
    pair->pair_count = report->pair_count;
    pair->first_pair = findings->pairs.count, pair->pairs_listed = report->pairs_listed;
    pair->distance = witness->distance;
    pair->point_a = witness->point_a, pair->point_b = witness->point_b;
    pair->triangle_a = witness->triangle_a, pair->triangle_b = witness->triangle_b;
    pair->hash = report->hash;
    for (uint64_t i = 0; i < report->pairs_listed; i++)
        findings->pairs.items[findings->pairs.count++] = report->pairs[i];
    for (uint64_t i = 0; i < report->contact_count; i++)
        findings->contacts.items[findings->contacts.count++] = report->contacts[i];
    for (uint64_t i = 0; i < report->point_count; i++)
        findings->points.items[findings->points.count++] = report->points[i];
    return CAROM_OK;
}
