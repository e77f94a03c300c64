/* The clearance of a pair of bodies: the exact sum of both margins and the caller's clearance. It is no double in
 * general, so the search uses the sum rounded up, and what is nearer than that is compared with the sum itself. */
#include "engine/engine.h"

engine_clearance engine_clearance_of(const carom_frame_body *a, const carom_frame_body *b, double clearance)
{
    engine_clearance out = {.terms = {a->margin, b->margin, clearance}};
    /* Knuth's two-sum twice: the sum is s plus both errors, each at most half of the spacing above s. */
    double margins = a->margin + b->margin, part = margins - a->margin;
    double error = (a->margin - (margins - part)) + (b->margin - part);
    double s = margins + clearance, rest = s - margins;
    error += (margins - (s - rest)) + (clearance - rest); /* its sign is right */
    out.rounded = s;
    out.above = error > 0.0 ? nextafter(s, INFINITY) : s;
    out.whole = error == 0.0;
    return out;
}

/* Is the closest pair nearer than the sum itself? */
static bool is_violated(const engine_clearance *clearance, const carom_report *closest, narrow_closest *nearest,
                        carom_report *report)
{
    bool meets = report->pair_count > 0 || closest->distance == 0.0;
    if (clearance->whole || meets || nearest->triangle_a == CAROM_NO_TRIANGLE)
        return true;
    narrow_counts counts = {0};
    bool violated = narrow_closest_within(nearest, clearance->terms, &counts);
    report->counters.exact_fallbacks += counts.exact_fallbacks;
    return violated;
}

bool engine_settle_clearance(const engine_clearance *clearance, const carom_report *closest, narrow_closest *nearest,
                             carom_report *report)
{
    bool was_violated = report->clearance_violated;
    double bound = report->distance_bound;
    if (was_violated && !is_violated(clearance, closest, nearest, report))
    {
        report->clearance_violated = false;
        report->distance_bound = closest->distance_bound;
    }
    report->distance_bound = fmin(report->distance_bound, clearance->rounded);
    return report->clearance_violated != was_violated || report->distance_bound != bound;
}
