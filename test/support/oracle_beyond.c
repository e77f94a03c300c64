/* Triangles with common corners that meet elsewhere, by the definition. */
#include "support/oracle.h"

bool oracle_meets_beyond(oracle *o, const narrow_triangle pair[2], uint32_t shared)
{
    carom_vec3 common[3];
    int count = 0, found = 0;
    for (int i = 0; i < 9; i++)
    {
        bool known = !(shared >> i & 1);
        for (int k = 0; k < count; k++)
            known |= vec3_equal(common[k], pair[0].corner[i / 3]);
        if (!known)
            common[count++] = pair[0].corner[i / 3];
    }
    oracle_meeting truth = oracle_meet(o, &pair[0], &pair[1]);
    if (count != 2)
        return count == 3 ? truth.point_count >= 3 : truth.point_count > count;
    /* If one of two ends is not common, both triangles are segments, and it is a corner, which is not rounded. */
    for (int i = 0; truth.point_count == 2 && i < 2; i++)
        found += vec3_equal(truth.point[i], common[0]) || vec3_equal(truth.point[i], common[1]);
    return truth.point_count > 2 || found != 2;
}
