/* Turns about an axis by an angle in degrees. Right angles are exact, and thirds of a turn about the diagonals of a
 * cube: such a turn has entries 0, 1 and -1. */
#include "tool/tool.h"

#include <math.h>
#include <stdlib.h>

bool tool_scale_axis(double axis[3])
{
    int exponent;
    double largest = fmax(fabs(axis[0]), fmax(fabs(axis[1]), fabs(axis[2])));
    if (!(largest > 0 && isfinite(largest)))
        return false;
    bool diagonal = true; /* or an axis of coordinates */
    for (int i = 0; i < 3; i++)
        diagonal = diagonal && (axis[i] == 0 || fabs(axis[i]) == largest);
    frexp(largest, &exponent);
    for (int i = 0; i < 3; i++)
        axis[i] = !diagonal ? ldexp(axis[i], -exponent) : axis[i] == 0 ? 0 : copysign(1, axis[i]);
    return true;
}

/* What sin and cos make of multiples of pi is near the truth; here are the angles for which it is not near enough. */
static void find_sine(double degrees, double *sine, double *cosine)
{
    const double radians = degrees * 0x1.1df46a2529d39p-6, half_root_2 = 0x1.6a09e667f3bcdp-1;
    *sine = sin(radians), *cosine = cos(radians);
    if (fabs(degrees) == 45)
        *sine = copysign(half_root_2, degrees), *cosine = half_root_2;
    else if (fabs(degrees) == 30)
        *sine = copysign(0.5, degrees), *cosine = sqrt(0.75);
}

carom_pose tool_turn(const double axis[3], double degrees, carom_vec3 at)
{
    /* Both remainders are exact. The quaternion's angle is the half, and up to 45 degrees after turns by 90. */
    double half = fmod(degrees, 360) / 2, rest = remainder(half, 90), sine, cosine;
    find_sine(rest, &sine, &cosine);
    for (long quarters = labs(lrint((half - rest) / 90)); quarters > 0; quarters--)
    {
        double turned = half > 0 ? -sine : sine;
        sine = half > 0 ? cosine : -cosine;
        cosine = turned;
    }
    /* Any length will do, so nothing is divided by that of the axis. */
    double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    const double quaternion[4] = {sine * axis[0], sine * axis[1], sine * axis[2], cosine * length};
    return carom_pose_from_quaternion(quaternion, at);
}
