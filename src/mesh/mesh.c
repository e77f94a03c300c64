/* Creation of meshes, and their public functions. */
#include "mesh/build.h"

static const char *const NAMELESS = "mesh";

carom_mesh_def carom_mesh_def_default(void) { return (carom_mesh_def){0}; }

/* ---- memory ---- */

static size_t round_to_cache_line(size_t bytes)
{
    return (bytes + BASE_CACHE_LINE - 1) & ~(size_t)(BASE_CACHE_LINE - 1);
}

carom_status mesh_build_out_of_memory(const mesh_build *build)
{
    return base_fail(build->context, CAROM_OUT_OF_MEMORY, "%.100s: no memory for %u vertices and %u triangles",
                     build->parts.name, build->parts.vertex_count, build->parts.triangle_count);
}

uint32_t *mesh_build_numbers(mesh_build *build, size_t count)
{
    uint32_t *numbers = base_allocate(build->context, count, sizeof *numbers, BASE_CACHE_LINE);
    if (!numbers)
        mesh_build_out_of_memory(build);
    return numbers;
}

enum
{
    BLOCK_PARTS = 6
};

/* Where the arrays begin in the block, after the struct; returns the block's size. At most 2^32 vertices and 2^31
 * triangles: the sum fits 64 bits. */
static size_t lay_out_block(const carom_mesh *mesh, size_t name_size, size_t starts[BLOCK_PARTS])
{
    size_t vertices = mesh->vertex_count, triangles = mesh->triangle_count, number = sizeof(uint32_t);
    const size_t sizes[BLOCK_PARTS] = {vertices * sizeof(carom_vec3), 3 * triangles * number, vertices * number,
                                       3 * triangles * number,        triangles * number,     name_size};
    size_t at = round_to_cache_line(sizeof *mesh);
    for (int i = 0; i < BLOCK_PARTS; i++)
    {
        starts[i] = at;
        at += round_to_cache_line(sizes[i]);
    }
    return at;
}

/* Same order as the sizes above. */
static void point_into_block(carom_mesh *mesh, char *block, const size_t starts[BLOCK_PARTS])
{
    mesh->vertices = (carom_vec3 *)(void *)(block + starts[0]);
    mesh->indices = (uint32_t *)(void *)(block + starts[1]);
    mesh->merged = (uint32_t *)(void *)(block + starts[2]);
    mesh->neighbours = (uint32_t *)(void *)(block + starts[3]);
    mesh->component = (uint32_t *)(void *)(block + starts[4]);
    mesh->name = block + starts[5];
}

carom_status mesh_build_begin(mesh_build *build, size_t vertex_count, size_t triangle_count)
{
    carom_mesh *mesh = &build->parts;
    const char *name = mesh->name ? mesh->name : NAMELESS;
    size_t name_size = strlen(name) + 1;
    mesh->context = build->context;
    mesh->vertex_count = (uint32_t)vertex_count;
    mesh->triangle_count = (uint32_t)triangle_count;
    mesh->edges = mesh->component_vertex = NULL;
    size_t starts[BLOCK_PARTS];
    mesh->block_size = lay_out_block(mesh, name_size, starts);
    build->block = base_allocate(build->context, 1, mesh->block_size, BASE_CACHE_LINE);
    if (!build->block)
        return base_fail(build->context, CAROM_OUT_OF_MEMORY, "%.100s: no memory for %zu bytes", name,
                         mesh->block_size);
    point_into_block(mesh, build->block, starts);
    memcpy(mesh->name, name, name_size);
    return CAROM_OK;
}

static size_t edges_size(const carom_mesh *mesh) { return 2 * (size_t)mesh->info.edge_count; }

static void release_arrays(carom_mesh *mesh)
{
    base_release(mesh->context, mesh->edges, edges_size(mesh), sizeof *mesh->edges);
    base_release(mesh->context, mesh->component_vertex, mesh->info.component_count, sizeof *mesh->component_vertex);
}

carom_status mesh_build_end(mesh_build *build, carom_status status, carom_mesh **out)
{
    carom_mesh *mesh = build->block;
    if (status != CAROM_OK)
    {
        release_arrays(&build->parts);
        base_release(build->context, build->block, 1, build->parts.block_size);
        return status;
    }
    build->parts.serial = atomic_fetch_add(&build->context->next_serial, 1);
    build->parts.info.bytes =
        build->parts.block_size + (edges_size(&build->parts) + build->parts.info.component_count) * sizeof(uint32_t);
    memcpy(mesh, &build->parts, sizeof *mesh);
    mesh_find_extremes(mesh);
    atomic_init(&mesh->references, 1);
    for (int i = 0; i < MESH_SLOTS; i++)
    {
        atomic_init(&mesh->slots[i].object, NULL);
        atomic_init(&mesh->slots[i].destroy, NULL);
    }
    *out = mesh;
    return CAROM_OK;
}

/* ---- copies of parts ---- */

typedef struct part_copy
{
    void *target;
    const void *source;
    size_t bytes;
} part_copy;

enum
{
    MAX_PARTS = 7,
    COPY_BYTES = 1 << 17
};

typedef struct part_list
{
    part_copy parts[MAX_PARTS];
    int count;
} part_list;

/* In pieces, which workers share: the memory is new, and most of the time goes into the system's clearing of its pages.
 */
static void copy_pieces(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const part_list *list = data;
    (void)worker;
    uint32_t piece = 0; /* the next part's first */
    for (int i = 0; i < list->count; i++)
    {
        const part_copy *part = &list->parts[i];
        uint32_t begin = piece, end = piece += (uint32_t)((part->bytes + COPY_BYTES - 1) / COPY_BYTES);
        if (end <= first || begin >= last)
            continue;
        size_t from = begin < first ? (size_t)(first - begin) * COPY_BYTES : 0;
        size_t to = end > last ? (size_t)(last - begin) * COPY_BYTES : part->bytes;
        memcpy((char *)part->target + from, (const char *)part->source + from, to - from);
    }
}

static void copy_parts(carom_context *context, part_list *list)
{
    size_t pieces = 0;
    for (int i = 0; i < list->count; i++)
        pieces += (list->parts[i].bytes + COPY_BYTES - 1) / COPY_BYTES;
    base_parallel_for(context, (uint32_t)pieces, 1, copy_pieces, list);
}

static void add_part(part_list *list, uint32_t *target, const uint32_t *source, size_t count)
{
    list->parts[list->count++] = (part_copy){target, source, count * sizeof *target};
}

/* Copies the topology from other parts with the same triangles, and what is known about it. */
static carom_status copy_topology(mesh_build *build, const carom_mesh *from, part_list *list)
{
    carom_mesh *mesh = &build->parts;
    mesh->info = from->info;
    mesh->edges = mesh_build_numbers(build, edges_size(from));
    mesh->component_vertex = mesh->edges ? mesh_build_numbers(build, from->info.component_count) : NULL;
    if (!mesh->component_vertex)
        return CAROM_OUT_OF_MEMORY;
    add_part(list, mesh->neighbours, from->neighbours, 3 * (size_t)mesh->triangle_count);
    add_part(list, mesh->component, from->component, mesh->triangle_count);
    add_part(list, mesh->edges, from->edges, edges_size(from));
    add_part(list, mesh->component_vertex, from->component_vertex, from->info.component_count);
    return CAROM_OK;
}

static carom_status assemble_steps(mesh_build *build, const carom_mesh *parts)
{
    BASE_TRY(mesh_build_begin(build, parts->vertex_count, parts->triangle_count));
    carom_mesh *mesh = &build->parts;
    part_list list = {.count = 0};
    BASE_TRY(copy_topology(build, parts, &list));
    list.parts[list.count++] =
        (part_copy){mesh->vertices, parts->vertices, parts->vertex_count * sizeof *mesh->vertices};
    add_part(&list, mesh->indices, parts->indices, 3 * (size_t)parts->triangle_count);
    add_part(&list, mesh->merged, parts->merged, parts->vertex_count);
    copy_parts(build->context, &list);
    return CAROM_OK;
}

carom_status mesh_assemble(carom_context *context, const carom_mesh *parts, carom_mesh **out)
{
    mesh_build build = {.parts.name = parts->name, .parts.extent = parts->extent, .context = context};
    return mesh_build_end(&build, assemble_steps(&build, parts), out);
}

/* ---- references ---- */

const carom_mesh *carom_mesh_retain(const carom_mesh *mesh)
{
    if (mesh) /* the count is not visible to callers */
        atomic_fetch_add_explicit(&((carom_mesh *)mesh)->references, 1, memory_order_relaxed);
    return mesh;
}

void carom_mesh_destroy(carom_mesh *mesh)
{
    if (!mesh || atomic_fetch_sub_explicit(&mesh->references, 1, memory_order_acq_rel) != 1)
        return;
    for (int i = 0; i < MESH_SLOTS; i++)
    {
        void *object = atomic_load_explicit(&mesh->slots[i].object, memory_order_relaxed);
        if (object)
            atomic_load_explicit(&mesh->slots[i].destroy, memory_order_relaxed)(object);
    }
    release_arrays(mesh);
    base_release(mesh->context, mesh, 1, mesh->block_size);
}

void *mesh_fill_slot(const carom_mesh *mesh, uint32_t slot, void *object, mesh_destroy_fn *destroy)
{
    mesh_slot *target = (mesh_slot *)&mesh->slots[slot]; /* the slot is not visible to callers */
    void *other = NULL;
    atomic_store_explicit(&target->destroy, destroy, memory_order_relaxed); /* the same from every thread */
    if (!atomic_compare_exchange_strong_explicit(&target->object, &other, object, memory_order_acq_rel,
                                                 memory_order_acquire))
        return destroy(object), other;
    return object;
}

/* ---- create ---- */

enum
{
    STEPS = 6
};

static carom_status begin_step(const mesh_build *build, uint64_t done)
{
    return base_step(build->context, &(carom_progress){"mesh", build->parts.name, done, STEPS});
}

static carom_status find_topology(mesh_build *build)
{
    BASE_TRY(begin_step(build, 2));
    BASE_TRY(mesh_find_edges(build));
    BASE_TRY(begin_step(build, 3));
    BASE_TRY(mesh_check_fans(build));
    BASE_TRY(begin_step(build, 4));
    return mesh_find_components(build);
}

static carom_status build_steps(mesh_build *build, const carom_mesh_def *def)
{
    BASE_TRY(base_check_float_mode(build->context));
    BASE_TRY(mesh_check_vertices(build, def));
    BASE_TRY(mesh_check_indices(build, def));
    BASE_TRY(mesh_build_begin(build, def->vertex_count, def->triangle_count));
    BASE_TRY(begin_step(build, 0));
    BASE_TRY(mesh_read_vertices(build, def));
    BASE_TRY(mesh_read_indices(build, def));
    BASE_TRY(begin_step(build, 1));
    BASE_TRY(mesh_merge_positions(build));
    BASE_TRY(find_topology(build));
    BASE_TRY(begin_step(build, 5));
    mesh_measure(build->context, &build->parts);
    return CAROM_OK;
}

carom_status carom_mesh_create(carom_context *context, const carom_mesh_def *def, carom_mesh **out)
{
    if (out)
        *out = NULL;
    if (!context || !def || !out)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "carom_mesh_create: %s is null",
                         !context ? "context"
                         : !def   ? "def"
                                  : "out");
    /* The name is only read until it is copied. */
    mesh_build build = {.parts.name = (char *)(def->name ? def->name : NAMELESS), .context = context};
    return mesh_build_end(&build, build_steps(&build, def), out);
}

/* ---- deform ---- */

/* If the same vertices coincide as before, the topology is the same too. */
static carom_status deform_steps(mesh_build *build, const carom_mesh *mesh, const carom_mesh_def *def)
{
    carom_context *context = build->context;
    BASE_TRY(base_check_float_mode(context));
    if (def->vertex_count != mesh->vertex_count)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "%.100s: deformed to %zu vertices, but the mesh has %u",
                         build->parts.name, def->vertex_count, mesh->vertex_count);
    BASE_TRY(mesh_check_vertices(build, def));
    BASE_TRY(mesh_build_begin(build, mesh->vertex_count, mesh->triangle_count));
    BASE_TRY(mesh_read_vertices(build, def));
    BASE_TRY(mesh_merge_positions(build));
    part_list list = {.count = 0};
    add_part(&list, build->parts.indices, mesh->indices, 3 * (size_t)mesh->triangle_count);
    bool same = memcmp(build->parts.merged, mesh->merged, mesh->vertex_count * sizeof *mesh->merged) == 0;
    if (same)
        BASE_TRY(copy_topology(build, mesh, &list));
    copy_parts(context, &list);
    if (!same)
        BASE_TRY(find_topology(build));
    mesh_measure(context, &build->parts);
    return CAROM_OK;
}

carom_status carom_mesh_deform(const carom_mesh *mesh, const carom_mesh_def *vertices, carom_mesh **out)
{
    if (out)
        *out = NULL;
    if (!mesh || !vertices || !out)
        return base_fail(mesh ? mesh->context : NULL, CAROM_INVALID_ARGUMENT, "carom_mesh_deform: %s is null",
                         !mesh       ? "mesh"
                         : !vertices ? "vertices"
                                     : "out");
    mesh_build build = {.parts.name = (char *)(vertices->name ? vertices->name : mesh->name), .context = mesh->context};
    return mesh_build_end(&build, deform_steps(&build, mesh, vertices), out);
}

/* ---- public accessors ---- */

carom_mesh_info carom_mesh_get_info(const carom_mesh *mesh)
{
    return mesh ? mesh->info : (carom_mesh_info){.bounds = aabb_empty()};
}

const char *carom_mesh_name(const carom_mesh *mesh) { return mesh ? mesh->name : ""; }

const carom_vec3 *carom_mesh_vertices(const carom_mesh *mesh) { return mesh ? mesh->vertices : NULL; }

const uint32_t *carom_mesh_indices(const carom_mesh *mesh) { return mesh ? mesh->indices : NULL; }

carom_status carom_mesh_neighbours(const carom_mesh *mesh, uint32_t triangle, uint32_t out[3])
{
    if (!mesh || !out)
        return base_fail(mesh ? mesh->context : NULL, CAROM_INVALID_ARGUMENT, "carom_mesh_neighbours: %s is null",
                         !mesh ? "mesh" : "out");
    if (triangle >= mesh->triangle_count)
        return base_fail(mesh->context, CAROM_OUT_OF_RANGE, "%.100s: neighbours of triangle %u of %u", mesh->name,
                         triangle, mesh->triangle_count);
    memcpy(out, mesh->neighbours + 3 * (size_t)triangle, 3 * sizeof *out);
    return CAROM_OK;
}

carom_status carom_mesh_edge(const carom_mesh *mesh, uint32_t edge, uint32_t out[2])
{
    if (!mesh || !out)
        return base_fail(mesh ? mesh->context : NULL, CAROM_INVALID_ARGUMENT, "carom_mesh_edge: %s is null",
                         !mesh ? "mesh" : "out");
    if (edge >= mesh->info.edge_count)
        return base_fail(mesh->context, CAROM_OUT_OF_RANGE, "%.100s: edge %u of %u", mesh->name, edge,
                         mesh->info.edge_count);
    memcpy(out, mesh->edges + 2 * (size_t)edge, 2 * sizeof *out);
    return CAROM_OK;
}
