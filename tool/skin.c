/* What a shape looks like: a mesh is drawn as it is, a sphere or capsule as rings of triangles around its axis. */
#include "tool/skin.h"

#include <math.h>
#include <stdlib.h>

enum
{
    SECTORS = 24,
    RINGS = 7, /* from a pole to the widest ring, which counts */
    MAX_VERTICES = 2 * RINGS * SECTORS + 2,
    MAX_TRIANGLES = 2 * MAX_VERTICES
};

typedef struct skin
{
    double axis[3][3]; /* two across, one along */
    double vertices[MAX_VERTICES][3];
    uint32_t indices[MAX_TRIANGLES][3];
    uint32_t vertex_count, triangle_count;
} skin;

static void find_axes(skin *skin, const double along[3], double length)
{
    int across = 0; /* the axis with the direction's smallest component */
    for (int k = 0; k < 3; k++)
    {
        skin->axis[2][k] = length > 0 ? along[k] / length : k == 2;
        across = fabs(skin->axis[2][k]) < fabs(skin->axis[2][across]) ? k : across;
    }
    const double *d = skin->axis[2];
    double *u = skin->axis[0], *v = skin->axis[1], sum = 0;
    for (int k = 0; k < 3; k++)
        u[k] = (k == across) - d[across] * d[k], sum += u[k] * u[k];
    for (int k = 0; k < 3; k++)
        u[k] /= sqrt(sum);
    for (int k = 0; k < 3; k++)
        v[k] = d[(k + 1) % 3] * u[(k + 2) % 3] - d[(k + 2) % 3] * u[(k + 1) % 3];
}

static void add_vertex(skin *skin, carom_vec3 end, double x, double y, double z)
{
    const double from[3] = {end.x, end.y, end.z};
    double *vertex = skin->vertices[skin->vertex_count++];
    for (int k = 0; k < 3; k++)
        vertex[k] = from[k] + x * skin->axis[0][k] + y * skin->axis[1][k] + z * skin->axis[2][k];
}

static void add_triangle(skin *skin, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *triangle = skin->indices[skin->triangle_count++];
    triangle[0] = a, triangle[1] = b, triangle[2] = c;
}

/* A ring, and the triangles between it and the one before; vertex 0 is the pole before the first. */
static void add_ring(skin *skin, carom_vec3 end, double radius, double height)
{
    const double turn = 2.0 * 3.14159265358979323846 / SECTORS;
    uint32_t ring = skin->vertex_count, before = ring - SECTORS;
    for (uint32_t i = 0; i < SECTORS; i++)
    {
        uint32_t next = (i + 1) % SECTORS;
        add_vertex(skin, end, radius * cos(i * turn), radius * sin(i * turn), height);
        if (ring == 1)
            add_triangle(skin, 0, ring + next, ring + i);
        else
        {
            add_triangle(skin, before + i, before + next, ring + i);
            add_triangle(skin, before + next, ring + next, ring + i);
        }
    }
}

static void wrap(skin *skin, const carom_vec3 ends[2], double radius)
{
    const double step = 0.5 * 3.14159265358979323846 / RINGS;
    const double along[3] = {ends[1].x - ends[0].x, ends[1].y - ends[0].y, ends[1].z - ends[0].z};
    double length = sqrt(along[0] * along[0] + along[1] * along[1] + along[2] * along[2]);
    find_axes(skin, along, length);
    add_vertex(skin, ends[0], 0, 0, -radius);
    for (int ring = 1; ring <= RINGS; ring++)
        add_ring(skin, ends[0], radius * sin(ring * step), -radius * cos(ring * step));
    for (int ring = length > 0 ? RINGS : RINGS - 1; ring > 0; ring--)
        add_ring(skin, ends[1], radius * sin(ring * step), radius * cos(ring * step));
    uint32_t pole = skin->vertex_count, last = pole - SECTORS;
    add_vertex(skin, ends[1], 0, 0, radius);
    for (uint32_t i = 0; i < SECTORS; i++)
        add_triangle(skin, pole, last + i, last + (i + 1) % SECTORS);
}

carom_status skin_create(carom_context *context, const carom_shape *shape, const carom_mesh **out)
{
    *out = NULL;
    if (shape->kind == CAROM_SHAPE_MESH)
        return *out = carom_mesh_retain(shape->mesh), CAROM_OK;
    bool sphere = shape->kind == CAROM_SHAPE_SPHERE;
    const carom_vec3 *centre = &shape->sphere.centre;
    const carom_vec3 ends[2] = {sphere ? *centre : shape->capsule.ends[0], sphere ? *centre : shape->capsule.ends[1]};
    skin *skin = calloc(1, sizeof *skin);
    if (!skin)
        return CAROM_OUT_OF_MEMORY;
    wrap(skin, ends, sphere ? shape->sphere.radius : shape->capsule.radius);
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = skin->vertices[0], def.vertex_count = skin->vertex_count;
    def.indices_u32 = skin->indices[0], def.triangle_count = skin->triangle_count;
    carom_mesh *mesh = NULL;
    carom_status status = carom_mesh_create(context, &def, &mesh);
    free(skin);
    *out = mesh;
    return status;
}
