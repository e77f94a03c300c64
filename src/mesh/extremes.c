/* The vertices that reach farthest along each axis: the first of them, in the order of the corners. */
#include "mesh/build.h"

/* Vertices with the smallest and the largest x, y, z. */
typedef struct extreme_slice
{
    uint32_t vertex[6];
} extreme_slice;

typedef struct extreme_search
{
    const carom_mesh *mesh;
    uint32_t slice_count;
    extreme_slice slices[MESH_MAX_SLICES];
} extreme_search;

/* Takes the new vertex where it lies beyond the old one. */
static BASE_ALWAYS_INLINE void widen(const carom_vec3 *v, uint32_t e[6], const uint32_t by[6])
{
    e[0] = v[by[0]].x < v[e[0]].x ? by[0] : e[0], e[1] = v[by[1]].x > v[e[1]].x ? by[1] : e[1];
    e[2] = v[by[2]].y < v[e[2]].y ? by[2] : e[2], e[3] = v[by[3]].y > v[e[3]].y ? by[3] : e[3];
    e[4] = v[by[4]].z < v[e[4]].z ? by[4] : e[4], e[5] = v[by[5]].z > v[e[5]].z ? by[5] : e[5];
}

static void search_slices(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    extreme_search *search = data;
    const carom_mesh *mesh = search->mesh;
    (void)worker;
    for (uint32_t slice = first; slice < last; slice++)
    {
        size_t i = 3 * mesh_slice_begin(mesh->triangle_count, search->slice_count, slice);
        size_t end = 3 * mesh_slice_begin(mesh->triangle_count, search->slice_count, slice + 1);
        uint32_t e[6];
        for (int k = 0; k < 6; k++)
            e[k] = mesh->indices[i];
        for (; i < end; i++)
        {
            uint32_t vertex = mesh->indices[i];
            widen(mesh->vertices, e, (uint32_t[6]){vertex, vertex, vertex, vertex, vertex, vertex});
        }
        memcpy(search->slices[slice].vertex, e, sizeof e);
    }
}

void mesh_find_extremes(carom_mesh *mesh)
{
    memset(mesh->extremes, 0, sizeof mesh->extremes);
    if (mesh->triangle_count == 0)
        return;
    extreme_search search = {.mesh = mesh, .slice_count = mesh_slice_count(mesh->triangle_count)};
    base_parallel_for(mesh->context, search.slice_count, 1, search_slices, &search);
    uint32_t *e = search.slices[0].vertex;
    for (uint32_t i = 1; i < search.slice_count; i++)
        widen(mesh->vertices, e, search.slices[i].vertex);
    for (int k = 0; k < 6; k++)
        mesh->extremes[k] = mesh->vertices[e[k]];
}
