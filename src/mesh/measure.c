/* Bounds, area, volume and degenerate triangles. Large meshes are cut into slices that depend on their size alone and
 * are added up in order, so the sums are the same bits for any number of workers. */
#include "mesh/build.h"

typedef struct mesh_slice
{
    carom_aabb bounds;
    double twice_area, six_volumes;
    uint32_t degenerate;
} mesh_slice;

typedef struct measuring
{
    const carom_mesh *mesh;
    carom_vec3 middle;
    uint32_t slice_count;
    mesh_slice slices[MESH_MAX_SLICES];
} measuring;

static size_t slice_begin(const measuring *m, uint32_t slice)
{
    return mesh_slice_begin(m->mesh->triangle_count, m->slice_count, slice);
}

static double largest_coordinate(const carom_aabb *box)
{
    double low = fmax(fabs(box->min.x), fmax(fabs(box->min.y), fabs(box->min.z)));
    double high = fmax(fabs(box->max.x), fmax(fabs(box->max.y), fabs(box->max.z)));
    return fmax(low, high);
}

static void bound_slices(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    (void)worker;
    measuring *m = data;
    for (uint32_t slice = first; slice < last; slice++)
    {
        carom_aabb bounds = aabb_empty();
        for (size_t i = 3 * slice_begin(m, slice); i < 3 * slice_begin(m, slice + 1); i++)
        {
            carom_vec3 corner = m->mesh->vertices[m->mesh->indices[i]];
            bounds.min = vec3_min(bounds.min, corner);
            bounds.max = vec3_max(bounds.max, corner);
        }
        m->slices[slice].bounds = bounds;
    }
}

static void measure_slices(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    (void)worker;
    measuring *m = data;
    for (uint32_t slice = first; slice < last; slice++)
    {
        mesh_slice *sum = &m->slices[slice];
        for (size_t i = slice_begin(m, slice); i < slice_begin(m, slice + 1); i++)
        {
            carom_vec3 corners[3];
            mesh_corners(m->mesh, (uint32_t)i, corners);
            carom_vec3 a = vec3_sub(corners[0], m->middle);
            carom_vec3 normal = vec3_cross(vec3_sub(corners[1], corners[0]), vec3_sub(corners[2], corners[0]));
            sum->twice_area += vec3_length(normal);
            sum->six_volumes += vec3_dot(a, normal);
            sum->degenerate += exact_collinear(corners[0], corners[1], corners[2], NULL);
        }
    }
}

void mesh_measure(carom_context *context, carom_mesh *mesh)
{
    carom_mesh_info *info = &mesh->info;
    measuring m = {.mesh = mesh, .slice_count = mesh_slice_count(mesh->triangle_count)};
    info->vertex_count = mesh->vertex_count;
    info->triangle_count = mesh->triangle_count;
    info->bounds = aabb_empty();
    base_parallel_for(context, m.slice_count, 1, bound_slices, &m);
    for (uint32_t i = 0; i < m.slice_count; i++)
    {
        info->bounds.min = vec3_min(info->bounds.min, m.slices[i].bounds.min);
        info->bounds.max = vec3_max(info->bounds.max, m.slices[i].bounds.max);
    }
    mesh->extent = mesh->triangle_count > 0 ? largest_coordinate(&info->bounds) : 0.0;

    /* Relative to its middle, a body far from the origin keeps its precision. */
    m.middle = vec3_scale(vec3_add(info->bounds.min, info->bounds.max), 0.5);
    base_parallel_for(context, m.slice_count, 1, measure_slices, &m);
    mesh_slice sum = {.degenerate = 0};
    for (uint32_t i = 0; i < m.slice_count; i++)
    {
        sum.twice_area += m.slices[i].twice_area;
        sum.six_volumes += m.slices[i].six_volumes;
        sum.degenerate += m.slices[i].degenerate;
    }
    info->area = 0.5 * sum.twice_area;
    info->volume = sum.six_volumes / 6.0;
    info->degenerate_triangle_count = sum.degenerate;
}
