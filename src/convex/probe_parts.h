/* What the two parts of the probe share. Private to src/convex/probe*.c. */
#ifndef CONVEX_PROBE_PARTS_H
#define CONVEX_PROBE_PARTS_H

#include "convex/probe.h"
#include "narrow/narrow.h"

static inline bool is_flat(const shell_part *part) { return part->corner[3] == part->corner[2]; }

static inline carom_aabb box_of(const narrow_triangle *t)
{
    const carom_vec3 *p = t->corner;
    return (carom_aabb){vec3_min(p[0], vec3_min(p[1], p[2])), vec3_max(p[0], vec3_max(p[1], p[2]))};
}

static inline bool boxes_meet(const carom_aabb *a, const carom_aabb *b)
{
    return a->min.x <= b->max.x && a->max.x >= b->min.x && a->min.y <= b->max.y && a->max.y >= b->min.y &&
           a->min.z <= b->max.z && a->max.z >= b->min.z;
}

/* Makes the planes of the facets that a step adds. False: out of memory. */
bool probe_prepare_faces(convex_probe *probe);

typedef enum probe_meeting
{
    PROBE_APART,    /* or in a shared corner or edge only */
    PROBE_MAY_JOIN, /* the hull meets it, but it could be a part of the patch */
    PROBE_IN_THE_WAY
} probe_meeting;

/* A triangle outside the patch and what the step adds to the hull. */
probe_meeting probe_meet(const convex_probe *probe, uint32_t triangle);

#endif
