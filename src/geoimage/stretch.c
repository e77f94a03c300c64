/* Stretch: how far apart in space the map puts what is near in the rectangle (Sander, Snyder, Gortler and Hoppe, 2001).
 */
#include "geoimage/geoimage.h"

double geoimage_triangle_area(const geoimage_disk *disk, uint32_t triangle)
{
    const uint32_t *corner = disk->corner.items + 3 * (size_t)triangle;
    carom_vec3 a = disk->vertex.items[corner[0]].position;
    carom_vec3 ab = vec3_scale(vec3_sub(disk->vertex.items[corner[1]].position, a), disk->scale),
               ac = vec3_scale(vec3_sub(disk->vertex.items[corner[2]].position, a), disk->scale);
    return 0.5 * vec3_length(vec3_cross(ab, ac));
}

carom_geoimage_stretch geoimage_triangle_stretch(const geoimage_disk *disk, uint32_t triangle)
{
    const uint32_t *corner = disk->corner.items + 3 * (size_t)triangle;
    const geoimage_vertex *a = &disk->vertex.items[corner[0]], *b = &disk->vertex.items[corner[1]],
                          *c = &disk->vertex.items[corner[2]];
    carom_vec3 ab = vec3_scale(vec3_sub(b->position, a->position), disk->scale),
               ac = vec3_scale(vec3_sub(c->position, a->position), disk->scale);
    double bx = b->at.x - a->at.x, by = b->at.y - a->at.y, cx = c->at.x - a->at.x, cy = c->at.y - a->at.y;
    double area = bx * cy - by * cx;
    if (!(area > 0))
        return (carom_geoimage_stretch){INFINITY, INFINITY};
    carom_vec3 along_x = vec3_scale(vec3_sub(vec3_scale(ab, cy), vec3_scale(ac, by)), 1 / area),
               along_y = vec3_scale(vec3_sub(vec3_scale(ac, bx), vec3_scale(ab, cx)), 1 / area);
    double xx = vec3_dot(along_x, along_x), xy = vec3_dot(along_x, along_y), yy = vec3_dot(along_y, along_y);
    double root = sqrt((xx - yy) * (xx - yy) + 4 * xy * xy);
    return (carom_geoimage_stretch){sqrt((xx + yy) / 2), sqrt((xx + yy + root) / 2)};
}

geoimage_stretch_sum geoimage_sum_stretch(const geoimage_disk *disk)
{
    geoimage_stretch_sum sum = {0};
    for (uint32_t t = 0; t < geoimage_triangle_count(disk); t++)
    {
        double area = geoimage_triangle_area(disk, t);
        carom_geoimage_stretch stretch = geoimage_triangle_stretch(disk, t);
        sum.area += area;
        sum.square += area > 0 ? stretch.l2 * stretch.l2 * area : 0;
        sum.max = fmax(sum.max, stretch.max);
    }
    return sum;
}
