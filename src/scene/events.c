/* Contacts that begin, stay and end: the report's list of pairs and the contacts so far, both in the same order, are
 * merged. */
#include "carom/events.h"
#include "scene/scene.h"

typedef struct contact
{
    carom_body_id body_a, body_b;
    uint64_t id, updates;
} contact;
typedef BASE_ARRAY(contact) contact_list;

struct carom_events
{
    carom_context *context;
    uint32_t conditions;
    uint64_t last_id;
    contact_list contacts, next; /* sorted; next: while an update is under way */
    BASE_ARRAY(carom_event) events;
};

static const uint32_t ALL_CONDITIONS = CAROM_CONTACT_MEETS | CAROM_CONTACT_CLEARANCE | CAROM_CONTACT_OVERLAPS |
                                       CAROM_CONTACT_INSIDE | CAROM_CONTACT_PROBABLY_INSIDE;

/* ---- life ---- */

carom_events_def carom_events_def_default(void) { return (carom_events_def){.conditions = CAROM_CONTACT_MEETS}; }

carom_status carom_events_create(carom_context *context, const carom_events_def *def, carom_events **out)
{
    if (out)
        *out = NULL;
    if (!context || !out)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "events create: %s is null", context ? "out" : "context");
    uint32_t conditions = def ? def->conditions : carom_events_def_default().conditions;
    if (conditions == 0 || (conditions & ~ALL_CONDITIONS) != 0)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "events create: conditions are 0x%x", conditions);
    carom_events *events = base_allocate(context, 1, sizeof *events, BASE_CACHE_LINE);
    if (!events)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "events create: no memory");
    memset(events, 0, sizeof *events);
    events->context = context;
    events->conditions = conditions;
    *out = events;
    return CAROM_OK;
}

void carom_events_destroy(carom_events *events)
{
    if (!events)
        return;
    base_array_free(events->context, &events->contacts);
    base_array_free(events->context, &events->next);
    base_array_free(events->context, &events->events);
    base_release(events->context, events, 1, sizeof *events);
}

/* ---- one pair ---- */

typedef enum verdict
{
    NO_CONTACT,
    CONTACT,
    UNDECIDED
} verdict;

static bool is_inside(carom_relation relation)
{
    return relation == CAROM_RELATION_A_INSIDE_B || relation == CAROM_RELATION_B_INSIDE_A ||
           relation == CAROM_RELATION_EQUAL;
}

static verdict judge(const carom_events *events, const carom_body_pair *pair)
{
    uint32_t chosen = events->conditions;
    if (pair->status == CAROM_UNKNOWN)
        return UNDECIDED;
    bool meets = pair->pair_count > 0 || pair->relation > CAROM_RELATION_APART;
    if (((chosen & CAROM_CONTACT_MEETS) && meets) || ((chosen & CAROM_CONTACT_CLEARANCE) && pair->clearance_violated) ||
        ((chosen & CAROM_CONTACT_INSIDE) && is_inside(pair->relation)) ||
        ((chosen & CAROM_CONTACT_OVERLAPS) &&
         (pair->relation == CAROM_RELATION_OVERLAPPING || is_inside(pair->relation))) ||
        ((chosen & CAROM_CONTACT_PROBABLY_INSIDE) && (pair->a_probably_inside_b || pair->b_probably_inside_a)))
        return CONTACT;
    /* Where pairs meet, the relation is known only on request. */
    const uint32_t by_relation = CAROM_CONTACT_OVERLAPS | CAROM_CONTACT_INSIDE | CAROM_CONTACT_PROBABLY_INSIDE;
    return (chosen & by_relation) && pair->relation == CAROM_RELATION_UNKNOWN ? UNDECIDED : NO_CONTACT;
}

/* ---- an update ---- */

/* By the indices of both bodies: the sign of the first minus the second. */
static int compare_indices(const contact *known, const carom_body_pair *pair)
{
    if (known->body_a.index != pair->body_a.index)
        return known->body_a.index < pair->body_a.index ? -1 : 1;
    return (known->body_b.index > pair->body_b.index) - (known->body_b.index < pair->body_b.index);
}

static bool is_same(carom_body_id one, carom_body_id other)
{
    return one.index == other.index && one.generation == other.generation;
}

static void add_event(carom_events *events, const contact *of, carom_event_kind kind, bool undecided, uint64_t pair)
{
    events->events.items[events->events.count++] =
        (carom_event){kind, undecided, of->id, of->body_a, of->body_b, of->updates, pair};
}

static void end_contact(carom_events *events, const contact *known)
{
    contact ended = *known;
    ended.updates++;
    add_event(events, &ended, CAROM_EVENT_END, false, CAROM_NO_BODY_PAIR);
}

/* known: the contact of these bodies so far, or null. */
static void update_pair(carom_events *events, const contact *known, const carom_body_pair *pair, uint64_t index)
{
    verdict found = judge(events, pair);
    contact current = known ? *known : (contact){.body_a = pair->body_a, .body_b = pair->body_b};
    current.updates += known != NULL;
    if (found == NO_CONTACT)
    {
        if (known)
            add_event(events, &current, CAROM_EVENT_END, false, index);
        return;
    }
    if (!known && found == UNDECIDED)
    {
        add_event(events, &current, CAROM_EVENT_NONE, true, index);
        return;
    }
    if (!known)
        current.id = ++events->last_id;
    add_event(events, &current, known ? CAROM_EVENT_STAY : CAROM_EVENT_BEGIN, found == UNDECIDED, index);
    events->next.items[events->next.count++] = current;
}

static void merge(carom_events *events, const carom_scene_report *report)
{
    size_t at = 0;
    for (uint64_t i = 0; i < report->body_pair_count; i++)
    {
        const carom_body_pair *pair = &report->body_pairs[i];
        const contact *known = NULL;
        while (at < events->contacts.count && compare_indices(&events->contacts.items[at], pair) < 0)
            end_contact(events, &events->contacts.items[at++]);
        if (at < events->contacts.count && compare_indices(&events->contacts.items[at], pair) == 0)
        {
            known = &events->contacts.items[at++];
            if (!is_same(known->body_a, pair->body_a) || !is_same(known->body_b, pair->body_b))
                end_contact(events, known), known = NULL; /* an index that another body has now */
        }
        update_pair(events, known, pair, i);
    }
    while (at < events->contacts.count)
        end_contact(events, &events->contacts.items[at++]);
}

/* Without even a list of pairs, any bodies may be in contact. */
static void keep_all(carom_events *events)
{
    for (size_t i = 0; i < events->contacts.count; i++)
    {
        contact kept = events->contacts.items[i];
        kept.updates++;
        add_event(events, &kept, CAROM_EVENT_STAY, true, CAROM_NO_BODY_PAIR);
        events->next.items[events->next.count++] = kept;
    }
}

static carom_status check_report(const carom_events *events, const carom_scene_report *report)
{
    if (!report || (report->body_pair_count > 0 && !report->body_pairs))
        return base_fail(events->context, CAROM_INVALID_ARGUMENT, "events update: %s is null",
                         report ? "report.body_pairs" : "report");
    if (carom_failed(report->status))
        return base_fail(events->context, report->status, "events update: the report is that of a run that failed (%s)",
                         carom_status_name(report->status));
    if (report->bodies_undecided > 0 && report->body_pair_count > 0)
        return base_fail(events->context, CAROM_INVALID_ARGUMENT,
                         "events update: the report lists body pairs, and says that there was no time to find them");
    for (uint64_t i = 0; i < report->body_pair_count; i++)
    {
        const carom_body_pair *pair = &report->body_pairs[i], *last = i > 0 ? pair - 1 : NULL;
        const contact before = last ? (contact){last->body_a, last->body_b, 0, 0} : (contact){0};
        if (pair->body_a.index >= pair->body_b.index || (last && compare_indices(&before, pair) >= 0))
            return base_fail(events->context, CAROM_INVALID_ARGUMENT,
                             "events update: body pair %llu of the report is not in order", (unsigned long long)i);
    }
    return CAROM_OK;
}

static void fill_report(const carom_events *events, bool all_undecided, carom_events_report *out)
{
    base_hash hash = base_hash_begin();
    *out = (carom_events_report){.events = events->events.items, .event_count = events->events.count};
    for (size_t i = 0; i < events->events.count; i++)
    {
        const carom_event *event = &events->events.items[i];
        out->begin_count += event->kind == CAROM_EVENT_BEGIN;
        out->stay_count += event->kind == CAROM_EVENT_STAY;
        out->end_count += event->kind == CAROM_EVENT_END;
        out->undecided_count += event->undecided;
        base_hash_u64(&hash, (uint64_t)event->kind << 1 | event->undecided);
        base_hash_u64(&hash, event->id);
        base_hash_u64(&hash, event->updates);
        base_hash_u64(&hash, (uint64_t)event->body_a.index << 32 | event->body_a.generation);
        base_hash_u64(&hash, (uint64_t)event->body_b.index << 32 | event->body_b.generation);
    }
    out->hash = base_hash_end(&hash);
    out->status = all_undecided || out->undecided_count > 0 ? CAROM_UNKNOWN : CAROM_OK;
}

static carom_status update(carom_events *events, const carom_scene_report *report)
{
    BASE_TRY(check_report(events, report));
    events->events.count = events->next.count = 0;
    const bool all_undecided = report->bodies_undecided > 0;
    const size_t kept = all_undecided ? events->contacts.count : report->body_pair_count;
    if (!base_array_reserve(events->context, &events->next, kept) ||
        !base_array_reserve(events->context, &events->events, events->contacts.count + report->body_pair_count))
        return base_fail(events->context, CAROM_OUT_OF_MEMORY, "events update: no memory for %llu body pairs",
                         (unsigned long long)report->body_pair_count);
    if (all_undecided)
        keep_all(events);
    else
        merge(events, report);
    contact_list old = events->contacts;
    events->contacts = events->next;
    events->next = old;
    return CAROM_OK;
}

carom_status carom_events_update(carom_events *events, const carom_scene_report *report, carom_events_report *out)
{
    if (!events || !out)
        return base_fail(events ? events->context : NULL, CAROM_INVALID_ARGUMENT, "events update: %s is null",
                         events ? "out" : "events");
    *out = (carom_events_report){0};
    carom_status status = update(events, report);
    if (carom_failed(status))
        return out->status = status;
    fill_report(events, report->bodies_undecided > 0, out);
    return out->status;
}
