/* Which pairs a budget serves first, and by how much (chapter 25.6: the priority of a pair may depend on whatever the
 * eye or the user cares about). carom/engine.h documents the formula; it depends on the frame alone, so it is the same
 * for any number of workers. */
#include "engine/engine.h"

static double longest_side(const carom_aabb *box)
{
    carom_vec3 size = vec3_sub(box->max, box->min);
    return fmax(0.0, fmax(size.x, fmax(size.y, size.z)));
}

/* How far two intervals overlap, as a part of the shorter one. */
static double overlap(double min_a, double max_a, double min_b, double max_b)
{
    double shared = fmin(max_a, max_b) - fmax(min_a, min_b), shorter = fmin(max_a - min_a, max_b - min_b);
    if (!(shared >= 0.0))
        return 0.0;
    return shared < shorter ? shared / shorter : 1.0;
}

static double closeness(const carom_aabb *a, const carom_aabb *b)
{
    double x = overlap(a->min.x, a->max.x, b->min.x, b->max.x), y = overlap(a->min.y, a->max.y, b->min.y, b->max.y);
    return fmin(x, fmin(y, overlap(a->min.z, a->max.z, b->min.z, b->max.z)));
}

double engine_largest_side(const carom_frame *frame)
{
    double largest = 0.0;
    for (uint32_t i = 0; i < frame->body_count; i++)
        largest = fmax(largest, longest_side(&frame->bodies[i].bounds));
    return largest;
}

double engine_urgency(const carom_frame_body *a, const carom_frame_body *b, double largest)
{
    double size = largest > 0.0 ? fmin(longest_side(&a->bounds), longest_side(&b->bounds)) / largest : 0.0;
    return fmax(a->priority, b->priority) * (1.0 + closeness(&a->bounds, &b->bounds)) * (1.0 + size);
}
