/* The relative pose of a pair in float, with bounds. All derivations: docs/kernels.md. */
#include "engine/batch/batch.h"

#define UNIT 0x1p-24 /* of the rounding of floats */

static double largest_of(carom_vec3 v) { return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))); }

static carom_vec3 rotate(const double r[9], carom_vec3 v)
{
    return vec3((r[0] * v.x + r[1] * v.y) + r[2] * v.z, (r[3] * v.x + r[4] * v.y) + r[5] * v.z,
                (r[6] * v.x + r[7] * v.y) + r[8] * v.z);
}

/* Beyond this in units of the larger body, floats let too many pairs through. */
static const double MAX_PAD = 0x1p-8;
/* Centres this far apart: each body is within sqrt(3) of its own. */
static const double FAR = 8.0;

batch_verdict batch_place_pair(const batch_pair *pair, float out[BATCH_PLACE])
{
    const math_frame *a = &pair->a->frame, *b = &pair->b->frame;
    const mesh_placed *placed_a = &pair->placed_a, *placed_b = &pair->placed_b;
    math_relative relative =
        math_relative_pose(placed_a->pose, placed_b->pose, placed_a->mesh->extent, placed_b->mesh->extent);
    double scale = fmin(a->scale, b->scale);
    carom_vec3 turned = rotate(relative.rotation, b->centre);
    carom_vec3 shift = vec3_sub(vec3_add(turned, relative.translation), a->centre);
    double sums = 2.0 * largest_of(b->centre) + largest_of(relative.translation) + largest_of(a->centre);
    double placement = (4.0 * relative.error + 16.0 * 0x1p-53 * sums) * scale;
    double reach = largest_of(shift) * scale;
    if (!(placement <= MAX_PAD))
        return BATCH_UNCERTAIN;
    if (!(reach <= FAR))
        return BATCH_FAR;
    for (int i = 0; i < 9; i++)
        out[i] = (float)relative.rotation[i];
    out[9] = (float)(shift.x * scale), out[10] = (float)(shift.y * scale), out[11] = (float)(shift.z * scale);
    out[12] = (float)(scale / a->scale), out[13] = (float)(scale / b->scale);
    /* of axes of a; of axes of b, which a pose with a defect bends; of any direction, per unit of its components' sum
     */
    double tiny = 0x1p-100;
    out[14] = math_float_up(placement + 16.0 * UNIT * (3.0 + reach) + tiny);
    out[15] = math_float_up(6.0 * placement + 32.0 * UNIT * (3.0 + reach) + tiny);
    out[16] = math_float_up((placement + UNIT * (56.0 + 24.0 * reach)) * (1.0 + 0x1p-20) + tiny);
    for (int i = 17; i < BATCH_PLACE; i++)
        out[i] = 0.0f;
    return BATCH_SEARCH;
}
