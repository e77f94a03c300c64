/* The mesh inside a baked block. */
#include "tree/baked.h"

enum
{
    FLAG_CLOSED = 1,
    FLAG_ORIENTED = 2,
    FLAG_MANIFOLD = 4,
    ALL_FLAGS = 7
};

void baked_write_mesh(baked_writer *writer, const carom_mesh *mesh)
{
    size_t number = sizeof(uint32_t), triangles = mesh->triangle_count;
    baked_put(writer, mesh->vertices, mesh->vertex_count, sizeof *mesh->vertices);
    baked_put(writer, mesh->indices, 3 * triangles, number);
    baked_put(writer, mesh->merged, mesh->vertex_count, number);
    baked_put(writer, mesh->edges, 2 * (size_t)mesh->info.edge_count, number);
    baked_put(writer, mesh->neighbours, 3 * triangles, number);
    baked_put(writer, mesh->component, triangles, number);
    baked_put(writer, mesh->component_vertex, mesh->info.component_count, number);
    baked_put(writer, mesh->name, strlen(mesh->name) + 1, 1);
}

static const char *take_name(baked_reader *reader)
{
    size_t size = reader->header->name_size;
    const char *name = baked_take(reader, size, 1);
    return name && size > 0 && memchr(name, 0, size) == name + size - 1 ? name : NULL;
}

static carom_mesh_info info_of(const baked_header *header)
{
    return (carom_mesh_info){
        .vertex_count = header->vertex_count,
        .triangle_count = header->triangle_count,
        .distinct_vertex_count = header->distinct_vertex_count,
        .edge_count = header->edge_count,
        .boundary_edge_count = header->boundary_edge_count,
        .nonmanifold_edge_count = header->nonmanifold_edge_count,
        .component_count = header->component_count,
        .closed = header->mesh_flags & FLAG_CLOSED,
        .oriented = header->mesh_flags & FLAG_ORIENTED,
        .manifold = header->mesh_flags & FLAG_MANIFOLD,
    };
}

/* Counts that contradict each other. */
static bool counts_agree(const baked_header *header)
{
    return (header->mesh_flags & ~(uint32_t)ALL_FLAGS) == 0 && header->distinct_vertex_count <= header->vertex_count &&
           header->boundary_edge_count <= header->edge_count && header->nonmanifold_edge_count <= header->edge_count &&
           (header->component_count > 0) == (header->triangle_count > 0);
}

carom_status baked_read_mesh_parts(baked_reader *reader, carom_mesh *parts)
{
    const baked_header *header = reader->header;
    size_t number = sizeof(uint32_t), vertices = header->vertex_count, triangles = header->triangle_count;
    if (!counts_agree(header))
        return baked_refuse(reader, "the mesh's counts contradict each other");
    /* Parts are only read from here on, but a mesh's own arrays are not const. */
    *parts = (carom_mesh){.vertex_count = header->vertex_count, .triangle_count = header->triangle_count};
    parts->info = info_of(header);
    parts->vertices = (carom_vec3 *)baked_take(reader, vertices, sizeof(carom_vec3));
    parts->indices = (uint32_t *)baked_take(reader, 3 * triangles, number);
    parts->merged = (uint32_t *)baked_take(reader, vertices, number);
    parts->edges = (uint32_t *)baked_take(reader, 2 * (size_t)header->edge_count, number);
    parts->neighbours = (uint32_t *)baked_take(reader, 3 * triangles, number);
    parts->component = (uint32_t *)baked_take(reader, triangles, number);
    parts->component_vertex = (uint32_t *)baked_take(reader, header->component_count, number);
    parts->name = (char *)take_name(reader);
    if (!parts->vertices || !parts->indices || !parts->merged || !parts->edges || !parts->neighbours ||
        !parts->component || !parts->component_vertex || !parts->name)
        return baked_refuse(reader, "the mesh does not fit");
    BASE_TRY(mesh_check_parts(reader->context, parts));
    mesh_measure(reader->context, parts);
    return CAROM_OK;
}
