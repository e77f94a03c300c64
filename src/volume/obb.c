/* Oriented boxes: the set centre + sum x_i axis_i with |x_i| <= half_i, for the axes as the floats have them. */
#include "volume/parts.h"

/* Rows of the inverse of the matrix with these columns, so that x_i = row_i . (p - centre) for nearly
 * orthonormal axes. */
static void inverse_rows(const carom_vec3 axis[3], carom_vec3 row[3])
{
    row[0] = vec3_cross(axis[1], axis[2]);
    row[1] = vec3_cross(axis[2], axis[0]);
    row[2] = vec3_cross(axis[0], axis[1]);
    double determinant = vec3_dot(axis[0], row[0]);
    for (int i = 0; i < 3; i++)
        row[i] = vec3_scale(row[i], 1.0 / determinant);
}

void obb_enclose(const volume_cloud *cloud, const carom_vec3 axis[3], float *out)
{
    carom_vec3 stored[3], row[3], first = cloud_corner(cloud, 0, 0);
    for (int i = 0; i < 3; i++)
    {
        store3(out + 3 + 3 * i, axis[i]);
        stored[i] = load3(out + 3 + 3 * i);
    }
    inverse_rows(stored, row);
    double low[3] = {0}, high[3] = {0};
    for (size_t k = 0; k < cloud->count; k++)
        for (int corner = 0; corner < 3; corner++)
        {
            carom_vec3 p = vec3_sub(cloud_corner(cloud, k, corner), first);
            for (int i = 0; i < 3; i++)
            {
                double along = vec3_dot(row[i], p);
                low[i] = along < low[i] ? along : low[i];
                high[i] = along > high[i] ? along : high[i];
            }
        }
    carom_vec3 centre = first;
    for (int i = 0; i < 3; i++)
        centre = vec3_add(centre, vec3_scale(stored[i], 0.5 * (low[i] + high[i])));
    store3(out, centre);
    /* The centre went to float: the halves are measured from where it is now. */
    carom_vec3 moved = vec3_sub(load3(out), first);
    double size = fabs(moved.x) + fabs(moved.y) + fabs(moved.z);
    for (int i = 0; i < 3; i++)
        size = larger(size, high[i] - low[i]);
    for (int i = 0; i < 3; i++)
    {
        double middle = vec3_dot(row[i], moved);
        double half = larger(high[i] - middle, middle - low[i]);
        out[12 + i] = math_float_up(half + 0x1p-46 * size);
    }
}

static void corners_of(const float *obb, carom_vec3 out[8])
{
    for (int corner = 0; corner < 8; corner++)
    {
        out[corner] = load3(obb);
        for (int i = 0; i < 3; i++)
        {
            double along = corner >> i & 1 ? (double)obb[12 + i] : -(double)obb[12 + i];
            out[corner] = vec3_add(out[corner], vec3_scale(load3(obb + 3 + 3 * i), along));
        }
    }
}

void oriented_merge(const volume_cloud *corners, const double *radii, const float *a, const float *b, float *out)
{
    carom_volume kind = radii ? CAROM_VOLUME_RSS : CAROM_VOLUME_OBB;
    carom_vec3 axis[3];
    float best[ORIENTED_FLOATS], tried[ORIENTED_FLOATS];
    double smallest = INFINITY;
    for (int candidate = 0; candidate < 3; candidate++)
    {
        const float *model = candidate == 0 ? a : b;
        for (int i = 0; i < 3; i++)
            axis[i] = load3(model + 3 + 3 * i);
        if (candidate == 2)
            axes_fit(CAROM_OBB_COVARIANCE, corners, axis);
        if (radii)
            rss_enclose(corners, radii, axis, tried);
        else
            obb_enclose(corners, axis, tried);
        double area = volume_area(kind, tried);
        if (area < smallest || candidate == 0)
            smallest = area, memcpy(best, tried, sizeof best);
    }
    memcpy(out, best, sizeof best);
}

void obb_merge(const float *a, const float *b, float *out)
{
    static const uint32_t indices[18] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 15, 15};
    carom_vec3 corners[16];
    corners_of(a, corners), corners_of(b, corners + 8);
    volume_cloud cloud = {.vertices = corners, .indices = indices, .count = 6};
    oriented_merge(&cloud, NULL, a, b, out);
}
