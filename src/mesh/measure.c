/* Bounds, area, volume and degenerate triangles. Sums run in triangle order, so they are the same bits everywhere. */
#include "mesh/build.h"

static double largest_coordinate(const carom_aabb *box)
{
    double low = fmax(fabs(box->min.x), fmax(fabs(box->min.y), fabs(box->min.z)));
    double high = fmax(fabs(box->max.x), fmax(fabs(box->max.y), fabs(box->max.z)));
    return fmax(low, high);
}

void mesh_measure(carom_mesh *mesh)
{
    carom_mesh_info *info = &mesh->info;
    info->vertex_count = mesh->vertex_count;
    info->triangle_count = mesh->triangle_count;
    info->bounds = aabb_empty();
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
    {
        carom_vec3 corner = mesh->vertices[mesh->indices[i]];
        info->bounds.min = vec3_min(info->bounds.min, corner);
        info->bounds.max = vec3_max(info->bounds.max, corner);
    }
    mesh->extent = mesh->triangle_count > 0 ? largest_coordinate(&info->bounds) : 0.0;

    /* Seen from its middle, a body far from the origin keeps its digits. */
    carom_vec3 middle = vec3_scale(vec3_add(info->bounds.min, info->bounds.max), 0.5);
    double twice_area = 0.0, six_volumes = 0.0;
    uint32_t degenerate = 0;
    for (uint32_t i = 0; i < mesh->triangle_count; i++)
    {
        carom_vec3 corners[3];
        mesh_corners(mesh, i, corners);
        carom_vec3 a = vec3_sub(corners[0], middle);
        carom_vec3 normal = vec3_cross(vec3_sub(corners[1], corners[0]), vec3_sub(corners[2], corners[0]));
        twice_area += vec3_length(normal);
        six_volumes += vec3_dot(a, normal);
        degenerate += exact_collinear(corners[0], corners[1], corners[2], NULL);
    }
    info->area = 0.5 * twice_area;
    info->volume = six_volumes / 6.0;
    info->degenerate_triangle_count = degenerate;
}
