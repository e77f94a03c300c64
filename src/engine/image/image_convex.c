/* Whether a mesh is its own convex hull, checked as Mehlhorn et al. check the output of hull programs ("Checking
 * geometric programs or verification of geometric structures", SoCG 1996): the surface is convex along each of its
 * edges, all its triangles look away from one point, and a ray from that point meets it once. */
#include "engine/image/image_convex.h"

static carom_vec3 centre_of(const carom_mesh *mesh)
{
    carom_vec3 low = mesh->info.bounds.min, high = mesh->info.bounds.max, sum = vec3(0.0, 0.0, 0.0);
    double count = 3.0 * mesh->triangle_count;
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
        sum = vec3_add(sum, vec3_scale(vec3_sub(mesh->vertices[mesh->indices[i]], low), 1.0 / count));
    return vec3_min(vec3_add(low, sum), high);
}

/* The corner of a triangle that is not on the edge it shares with another, whose corners these are. */
static bool opposite(const carom_mesh *mesh, uint32_t triangle, const uint32_t edge[2], carom_vec3 *out)
{
    const uint32_t *index = mesh->indices + 3 * (size_t)triangle;
    for (int i = 0; i < 3; i++)
    {
        uint32_t merged = mesh->merged[index[i]];
        if (merged != mesh->merged[edge[0]] && merged != mesh->merged[edge[1]])
            return *out = mesh->vertices[index[i]], true;
    }
    return false;
}

static bool is_convex_around(const carom_mesh *mesh, uint32_t triangle, carom_vec3 centre)
{
    const uint32_t *index = mesh->indices + 3 * (size_t)triangle;
    carom_vec3 c[3], other;
    mesh_corners(mesh, triangle, c);
    if (exact_orient3d(c[0], c[1], c[2], centre, NULL) <= 0)
        return false;
    for (int i = 0; i < 3; i++)
    {
        uint32_t neighbour = mesh->neighbours[3 * (size_t)triangle + (size_t)i];
        const uint32_t edge[2] = {index[i], index[(i + 1) % 3]};
        if (neighbour == MESH_NONE || !opposite(mesh, neighbour, edge, &other) ||
            exact_orient3d(c[0], c[1], c[2], other, NULL) < 0)
            return false;
    }
    return true;
}

/* Does the ray from the centre meet the surface in one triangle, and not in its edges? */
static bool is_met_once(const carom_mesh *mesh, carom_vec3 centre, carom_vec3 direction)
{
    uint32_t met = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
    {
        carom_vec3 c[3];
        int lowest = 1;
        mesh_corners(mesh, t, c);
        for (int i = 0; i < 3 && lowest >= 0; i++)
        {
            int side = exact_ray3d(direction, centre, c[i], c[(i + 1) % 3], NULL);
            lowest = side < lowest ? side : lowest;
        }
        if (lowest == 0)
            return false;
        met += lowest > 0;
    }
    return met == 1;
}

bool image_is_convex(const carom_mesh *mesh)
{
    const carom_mesh_info *info = &mesh->info;
    if (!info->closed || !info->oriented || !info->manifold || info->component_count != 1 ||
        info->degenerate_triangle_count > 0)
        return false;
    carom_vec3 centre = centre_of(mesh);
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        if (!is_convex_around(mesh, t, centre))
            return false;
    /* a ray that meets an edge says nothing; one of these should not */
    for (uint32_t t = 0; t < 4 && t < mesh->triangle_count; t++)
    {
        carom_vec3 c[3];
        mesh_corners(mesh, t, c);
        carom_vec3 within = vec3_add(vec3_scale(c[0], 0.5), vec3_add(vec3_scale(c[1], 0.3), vec3_scale(c[2], 0.2)));
        if (is_met_once(mesh, centre, vec3_sub(within, centre)))
            return true;
    }
    return false;
}
