/* carom/events.h: what begins, lasts and ends between two bodies, from one frame's report to the next.
 *
 *   carom_events *events;   carom_events_create(context, NULL, &events);
 *   each frame: carom_engine_run(engine, &frame, &options, &report);
 *               carom_events_update(events, &report, &changes);
 *
 * The report may come from any engine, with any options, as long as all are about the same scene. */
#ifndef CAROM_EVENTS_H
#define CAROM_EVENTS_H

#include "carom/report.h"

#ifdef __cplusplus
extern "C"
{
#endif

    /* What counts as contact: a pair of bodies is in contact if one of the chosen conditions holds. */
    typedef enum carom_contact_condition
    {
        CAROM_CONTACT_MEETS = 1,     /* the point sets share a point: a pair of triangles meets, or one body contains
                                        the other or a part of it */
        CAROM_CONTACT_CLEARANCE = 2, /* clearance_violated */
        CAROM_CONTACT_OVERLAPS = 4,  /* the relation is OVERLAPPING, inside or EQUAL: a clash, not mere touching; needs
                                        carom_collide_options.relation */
        CAROM_CONTACT_INSIDE = 8,    /* it is inside or EQUAL; needs the relation, too */
        CAROM_CONTACT_PROBABLY_INSIDE = 16 /* the estimate for surfaces that are not closed; needs the relation, too */
    } carom_contact_condition;

    typedef struct carom_events_def
    {
        uint32_t conditions; /* of carom_contact_condition, at least one */
    } carom_events_def;

    CAROM_API carom_events_def carom_events_def_default(void); /* CAROM_CONTACT_MEETS */

    /* Remembers who is in contact. Belongs to one thread at a time; destroy it before the context. def may be null for
     * the default. */
    typedef struct carom_events carom_events;
    CAROM_API carom_status carom_events_create(carom_context *context, const carom_events_def *def, carom_events **out);
    CAROM_API void carom_events_destroy(carom_events *events);

    typedef enum carom_event_kind
    {
        CAROM_EVENT_NONE = 0, /* not in contact before, and undecided now: listed only to be marked */
        CAROM_EVENT_BEGIN = 1,
        CAROM_EVENT_STAY = 2,
        CAROM_EVENT_END = 3
    } carom_event_kind;

#define CAROM_NO_BODY_PAIR UINT64_MAX

    typedef struct carom_event
    {
        carom_event_kind kind;
        bool undecided; /* the report does not say whether the pair is in contact: it is left as it was, NONE or STAY */
        uint64_t id;    /* of this contact, the same from BEGIN to END and of no other contact; from 1, in the order of
                           BEGIN events; 0 for NONE */
        carom_body_id body_a, body_b; /* those of an END may be gone */
        uint64_t updates;             /* since the BEGIN event: 0 for that itself */
        uint64_t body_pair; /* index into the report's body_pairs, or CAROM_NO_BODY_PAIR where it is not listed */
    } carom_event;

    typedef struct carom_events_report
    {
        carom_status status;       /* CAROM_UNKNOWN: some pair is undecided, or all bodies are */
        const carom_event *events; /* sorted by (body_a.index, body_b.index), for equal ones END first */
        uint64_t event_count;
        uint64_t begin_count, stay_count, end_count;
        uint64_t undecided_count; /* among STAY and NONE */
        uint64_t hash;            /* of all but body_pair */
    } carom_events_report;

    /* Compares a report with the one before. A pair whose status is CAROM_UNKNOWN, or whose relation would have to be
     * known and was not requested, stays what it was and is marked undecided. After a report that lists nothing because
     * there was no time to find pairs (carom_scene_report.bodies_undecided), every contact does so, also one of a body
     * that is gone meanwhile: it ends with the next report that lists pairs. Everything else that is not listed in the
     * report is not in contact: contacts of bodies that are gone end, and a new body with the index of a removed one
     * is another body. Pairs that were counted but not listed (CAROM_TRUNCATED) count. The report is only read during
     * the call; the events belong to the object until its next update. A report that failed, or whose body pairs are
     * not sorted, is refused (the former with its own status), and nothing changes; nor does it when out of memory.
     * After carom_engine_resume, update again with the new report. */
    CAROM_API carom_status carom_events_update(carom_events *events, const carom_scene_report *report,
                                               carom_events_report *out);

#ifdef __cplusplus
}
#endif

#endif
