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
    pair->distance_bound = witness->distance_bound;
    pair->hash = report->hash;
    pair->sampled_size = report->counters.sampled_size;
    for (uint64_t i = 0; i < report->pairs_listed; i++)
        findings->pairs.items[findings->pairs.count++] = report->pairs[i];
    for (uint64_t i = 0; i < report->contact_count; i++)
        findings->contacts.items[findings->contacts.count++] = report->contacts[i];
    for (uint64_t i = 0; i < report->point_count; i++)
        findings->points.items[findings->points.count++] = report->points[i];
    return CAROM_OK;
}

bool engine_findings_copy(engine_findings *findings, const engine_findings *from, const engine_finding *finding)
{
    carom_context *context = findings->context;
    const carom_pair *pairs = from->pairs.items + finding->pair.first_pair;
    const carom_contact *contacts = from->contacts.items + finding->first_contact;
    const carom_vec3 *points = from->points.items + finding->first_point;
    size_t pair_count = finding->pair.pairs_listed, contact_count = finding->contact_count, point_count = 0;
    if (contact_count > 0)
        point_count = contacts[contact_count - 1].first_point + contacts[contact_count - 1].point_count;
    if (!base_array_reserve(context, &findings->items, 1) ||
        !base_array_reserve(context, &findings->pairs, pair_count) ||
        !base_array_reserve(context, &findings->contacts, contact_count) ||
        !base_array_reserve(context, &findings->points, point_count))
        return false;
    engine_finding *copy = &findings->items.items[findings->items.count++];
    *copy = *finding;
    copy->pair.first_pair = findings->pairs.count;
    copy->first_contact = findings->contacts.count, copy->first_point = findings->points.count;
    if (pair_count > 0)
        memcpy(findings->pairs.items + findings->pairs.count, pairs, pair_count * sizeof *pairs);
    if (contact_count > 0)
        memcpy(findings->contacts.items + findings->contacts.count, contacts, contact_count * sizeof *contacts);
    if (point_count > 0)
        memcpy(findings->points.items + findings->points.count, points, point_count * sizeof *points);
    findings->pairs.count += pair_count;
    findings->contacts.count += contact_count, findings->points.count += point_count;
    return true;
}
