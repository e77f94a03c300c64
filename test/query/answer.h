/* A made-up answer, and ways to change one thing of it. */
#ifndef TEST_QUERY_ANSWER_H
#define TEST_QUERY_ANSWER_H

#include "query/query.h"
#include "support/check.h"

typedef struct answer
{
    carom_report report;
    carom_pair pairs[2];
    carom_contact contacts[2];
    carom_vec3 points[3];
} answer;

static inline void answer_fill(answer *out)
{
    *out = (answer){.pairs = {{1, 2, CAROM_MEET_CROSSING}, {3, 4, CAROM_MEET_TOUCHING}},
                    .contacts = {{0, 0, 2}, {1, 2, 1}},
                    .points = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}};
    query_clear_report(&out->report);
    carom_report *r = &out->report;
    r->status = CAROM_OK, r->relation = CAROM_RELATION_OVERLAPPING;
    r->pair_count = r->pairs_listed = r->contact_count = 2, r->point_count = 3;
    r->pairs = out->pairs, r->contacts = out->contacts, r->points = out->points;
    r->distance = r->distance_bound = 0.5, r->point_a = (carom_vec3){1, 1, 1}, r->point_b = (carom_vec3){2, 2, 2};
    r->triangle_a = 5, r->triangle_b = 6;
}

enum
{
    ANSWER_CHANGES = 20,
    ANSWER_COSTS = 6,
    ANSWER_BOUND = 14 /* the change of the bound, which only the answer for two bodies has */
};

/* The first ANSWER_CHANGES change what was found, the others what it cost. */
static inline void answer_change(answer *a, int which)
{
    carom_report *r = &a->report;
    switch (which)
    {
    case 0: r->status = CAROM_TRUNCATED; break;
    case 1: r->relation = CAROM_RELATION_TOUCHING; break;
    case 2: r->clearance_violated = true; break;
    case 3: r->pair_count = 3; break;
    case 4: r->pairs_listed = 1; break;
    case 5: a->pairs[0].triangle_a = 0; break;
    case 6: a->pairs[1].triangle_b = 5; break;
    case 7: a->pairs[1].meeting |= CAROM_MEET_COPLANAR; break;
    case 8: a->contacts[0].point_count = 1, a->contacts[1].point_count = 2; break;
    case 9: a->points[0].x = nextafter(1.0, 2.0); break;
    case 10: a->points[1].y = -5; break;
    case 11: a->points[2].z = 0; break;
    case 12: r->point_count = 2; break;
    case 13: r->distance = 0.25; break;
    case 14: r->distance_bound = 0.25; break;
    case 15: r->point_a.x = 0; break;
    case 16: r->point_b.z = 0; break;
    case 17: r->triangle_a = 4; break;
    case 18: r->triangle_b = 4; break;
    case 19: r->distance = INFINITY; break;
    /* what it cost */
    case 20: r->counters.boxes_tested = 7; break;
    case 21: r->counters.exact_fallbacks = 7; break;
    case 22: r->times.total_ms = 7; break;
    case 23: r->times.mid_ms = 7; break;
    case 24: r->counters.triangles_tested = 7; break;
    default: r->times.report_ms = 7; break;
    }
}

#endif
