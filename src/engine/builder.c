/* Collects what an engine finds and makes the canonical report of it. */
#include "engine/engine.h"

void engine_builder_clear(engine_builder *builder, const carom_collide_options *options)
{
    builder->body_pairs.count = builder->pairs.count = builder->contacts.count = builder->points.count = 0;
    builder->pair_count = builder->body_pairs_examined = 0;
    builder->undecided = builder->truncated = false;
    builder->listing = options->mode == CAROM_COLLIDE_ALL;
    builder->witnesses_vary = options->mode == CAROM_COLLIDE_ANY && !(options->clearance > 0.0);
    builder->counters = (carom_counters){0};
    builder->times = (carom_times){0};
}

void engine_builder_free(engine_builder *builder)
{
    base_array_free(builder->context, &builder->body_pairs);
    base_array_free(builder->context, &builder->pairs);
    base_array_free(builder->context, &builder->contacts);
    base_array_free(builder->context, &builder->points);
}

void engine_builder_count(engine_builder *builder, const carom_counters *counters)
{
    carom_counters *sum = &builder->counters;
    sum->boxes_tested += counters->boxes_tested;
    sum->triangles_tested += counters->triangles_tested;
    sum->volumes_updated += counters->volumes_updated;
    sum->filter_undecided += counters->filter_undecided;
    sum->exact_fallbacks += counters->exact_fallbacks;
}

/* Contacts point to pairs and points by index: those of this finding start after the earlier ones. */
static void copy_contacts(engine_builder *builder, const carom_report *report)
{
    for (uint64_t i = 0; i < report->contact_count; i++)
    {
        carom_contact contact = report->contacts[i];
        contact.pair += (uint32_t)builder->pairs.count;
        contact.first_point += (uint32_t)builder->points.count;
        builder->contacts.items[builder->contacts.count++] = contact;
    }
    for (uint64_t i = 0; i < report->point_count; i++)
        builder->points.items[builder->points.count++] = report->points[i];
}

carom_status engine_builder_add(engine_builder *builder, const engine_finding *finding)
{
    const carom_report *report = finding->report;
    carom_context *context = builder->context;
    if (!base_array_reserve(context, &builder->body_pairs, 1) ||
        !base_array_reserve(context, &builder->pairs, report->pairs_listed) ||
        !base_array_reserve(context, &builder->contacts, report->contact_count) ||
        !base_array_reserve(context, &builder->points, report->point_count))
        return base_fail(context, CAROM_OUT_OF_MEMORY, "engine run: no memory for the findings");
    if (builder->pairs.count + report->pairs_listed > UINT32_MAX ||
        builder->points.count + report->point_count > UINT32_MAX)
        return base_fail(context, CAROM_TOO_LARGE, "engine run: more than 2^32 pairs or points; set max_pairs");
    const carom_report *witness = finding->closest ? finding->closest : report;
    carom_status status = report->status;
    if (status == CAROM_OK && builder->listing && report->pairs_listed < report->pair_count)
        status = CAROM_TRUNCATED; /* the limit was used up by earlier body pairs */
    if (witness->status == CAROM_UNKNOWN)
        status = CAROM_UNKNOWN;
    builder->body_pairs.items[builder->body_pairs.count++] =
        (carom_body_pair){.body_a = finding->body_a,
                          .body_b = finding->body_b,
                          .status = status,
                          .relation = report->relation,
                          .clearance_violated = report->clearance_violated,
                          .pair_count = report->pair_count,
                          .first_pair = builder->pairs.count,
                          .pairs_listed = report->pairs_listed,
                          .distance = witness->distance,
                          .point_a = witness->point_a,
                          .point_b = witness->point_b,
                          .triangle_a = witness->triangle_a,
                          .triangle_b = witness->triangle_b};
    copy_contacts(builder, report);
    for (uint64_t i = 0; i < report->pairs_listed; i++)
        builder->pairs.items[builder->pairs.count++] = report->pairs[i];
    builder->pair_count += report->pair_count;
    builder->undecided |= status == CAROM_UNKNOWN;
    builder->truncated |= status == CAROM_TRUNCATED;
    return CAROM_OK;
}

carom_status engine_builder_add_undecided(engine_builder *builder, carom_body_id body_a, carom_body_id body_b)
{
    carom_report report;
    query_clear_report(&report);
    report.status = CAROM_UNKNOWN;
    engine_finding finding = {body_a, body_b, &report, NULL};
    return engine_builder_add(builder, &finding);
}

/* ---- the canonical report ---- */

static void hash_point(base_hash *hash, carom_vec3 point)
{
    base_hash_double(hash, point.x);
    base_hash_double(hash, point.y);
    base_hash_double(hash, point.z);
}

static void hash_body_pair(base_hash *hash, const carom_body_pair *pair, bool with_ids)
{
    base_hash_u64(hash, (uint64_t)pair->body_a.index << 32 | pair->body_a.generation);
    base_hash_u64(hash, (uint64_t)pair->body_b.index << 32 | pair->body_b.generation);
    base_hash_u64(hash, pair->relation);
    base_hash_u64(hash, pair->clearance_violated);
    base_hash_u64(hash, pair->pair_count);
    base_hash_u64(hash, pair->pairs_listed);
    base_hash_double(hash, pair->distance);
    hash_point(hash, pair->point_a);
    hash_point(hash, pair->point_b);
    if (with_ids)
        base_hash_u64(hash, (uint64_t)pair->triangle_a << 32 | pair->triangle_b);
}

static uint64_t hash_findings(const engine_builder *builder, carom_status status)
{
    base_hash hash = base_hash_begin();
    base_hash_u64(&hash, status);
    if (status == CAROM_UNKNOWN)
        return base_hash_end(&hash);
    base_hash_u64(&hash, builder->pair_count);
    for (size_t i = 0; i < builder->body_pairs.count; i++)
        hash_body_pair(&hash, &builder->body_pairs.items[i], !builder->witnesses_vary);
    for (size_t i = 0; i < builder->pairs.count; i++)
    {
        const carom_pair *pair = &builder->pairs.items[i];
        base_hash_u64(&hash, (uint64_t)pair->triangle_a << 32 | pair->triangle_b);
        base_hash_u64(&hash, pair->meeting);
    }
    for (size_t i = 0; i < builder->contacts.count; i++)
        base_hash_u64(&hash, builder->contacts.items[i].point_count);
    for (size_t i = 0; i < builder->points.count; i++)
        hash_point(&hash, builder->points.items[i]);
    return base_hash_end(&hash);
}

void engine_builder_finish(engine_builder *builder, const carom_frame *frame, carom_scene_report *report)
{
    carom_status status = builder->undecided ? CAROM_UNKNOWN : builder->truncated ? CAROM_TRUNCATED : CAROM_OK;
    *report = (carom_scene_report){.status = status,
                                   .body_pairs = builder->body_pairs.items,
                                   .body_pair_count = builder->body_pairs.count,
                                   .pairs = builder->pairs.items,
                                   .pair_count = builder->pair_count,
                                   .pairs_listed = builder->pairs.count,
                                   .contacts = builder->contacts.items,
                                   .contact_count = builder->contacts.count,
                                   .points = builder->points.items,
                                   .point_count = builder->points.count,
                                   .bodies_examined = frame->body_count,
                                   .body_pairs_examined = builder->body_pairs_examined,
                                   .hash = hash_findings(builder, status),
                                   .counters = builder->counters,
                                   .times = builder->times};
}
