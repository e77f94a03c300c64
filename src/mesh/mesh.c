/* Creation of meshes, and their public functions. */
#include "mesh/build.h"

static const char *const NAMELESS = "mesh";

uint32_t *mesh_build_numbers(mesh_build *build, size_t count)
{
    uint32_t *numbers = base_arena_allocate(&build->arena, count, sizeof *numbers, BASE_CACHE_LINE);
    if (!numbers)
        mesh_build_out_of_memory(build);
    return numbers;
}

carom_status mesh_build_out_of_memory(const mesh_build *build)
{
    return base_fail(build->arena.context, CAROM_OUT_OF_MEMORY, "%.100s: no memory for %u vertices and %u triangles",
                     build->parts.name, build->parts.vertex_count, build->parts.triangle_count);
}

carom_mesh_def carom_mesh_def_default(void) { return (carom_mesh_def){0}; }

/* ---- one block for the struct and its arrays ---- */

typedef struct block_part
{
    const void *source;
    size_t bytes;
} block_part;

enum
{
    BLOCK_PARTS = 8
};

static void list_block_parts(const carom_mesh *mesh, block_part parts[BLOCK_PARTS])
{
    const char *name = mesh->name ? mesh->name : NAMELESS;
    size_t vertices = mesh->vertex_count, triangles = mesh->triangle_count, number = sizeof(uint32_t);
    const block_part list[BLOCK_PARTS] = {
        {mesh->vertices, vertices * sizeof(carom_vec3)},
        {mesh->indices, 3 * triangles * number},
        {mesh->merged, vertices * number},
        {mesh->edges, 2 * (size_t)mesh->info.edge_count * number},
        {mesh->neighbours, 3 * triangles * number},
        {mesh->component, triangles * number},
        {mesh->component_vertex, mesh->info.component_count * number},
        {name, strlen(name) + 1},
    };
    memcpy(parts, list, sizeof list);
}

/* Same order as the list above. */
static void point_to_block_parts(carom_mesh *mesh, char *const starts[BLOCK_PARTS])
{
    mesh->vertices = (carom_vec3 *)(void *)starts[0];
    mesh->indices = (uint32_t *)(void *)starts[1];
    mesh->merged = (uint32_t *)(void *)starts[2];
    mesh->edges = (uint32_t *)(void *)starts[3];
    mesh->neighbours = (uint32_t *)(void *)starts[4];
    mesh->component = (uint32_t *)(void *)starts[5];
    mesh->component_vertex = (uint32_t *)(void *)starts[6];
    mesh->name = starts[7];
}

/* Copies in pieces, which workers share: the block is new memory, and most of the time goes into the system's clearing
 * of its pages. */
enum
{
    COPY_BYTES = 1 << 17
};

typedef struct block_copy
{
    const block_part *parts;
    char *const *starts;
} block_copy;

static void copy_pieces(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const block_copy *copy = data;
    (void)worker;
    uint32_t piece = 0; /* the next part's first */
    for (int i = 0; i < BLOCK_PARTS; i++)
    {
        size_t bytes = copy->parts[i].bytes;
        uint32_t begin = piece, end = piece += (uint32_t)((bytes + COPY_BYTES - 1) / COPY_BYTES);
        if (end <= first || begin >= last)
            continue;
        size_t from = begin < first ? (size_t)(first - begin) * COPY_BYTES : 0;
        size_t to = end > last ? (size_t)(last - begin) * COPY_BYTES : bytes;
        memcpy(copy->starts[i] + from, (const char *)copy->parts[i].source + from, to - from);
    }
}

static void copy_parts(carom_context *context, const block_part parts[BLOCK_PARTS], char *const starts[BLOCK_PARTS])
{
    size_t pieces = 0;
    for (int i = 0; i < BLOCK_PARTS; i++)
        pieces += (parts[i].bytes + COPY_BYTES - 1) / COPY_BYTES;
    block_copy copy = {parts, starts};
    base_parallel_for(context, (uint32_t)pieces, 1, copy_pieces, &copy);
}

static size_t round_to_cache_line(size_t bytes)
{
    return (bytes + BASE_CACHE_LINE - 1) & ~(size_t)(BASE_CACHE_LINE - 1);
}

carom_status mesh_assemble(carom_context *context, const carom_mesh *parts, carom_mesh **out)
{
    carom_mesh mesh = *parts;
    block_part list[BLOCK_PARTS];
    list_block_parts(parts, list);
    /* At most 2^32 vertices and 2^31 triangles: the sum fits 64 bits. */
    size_t size = round_to_cache_line(sizeof mesh);
    for (int i = 0; i < BLOCK_PARTS; i++)
        size += round_to_cache_line(list[i].bytes);
    char *block = base_allocate(context, 1, size, BASE_CACHE_LINE);
    if (!block)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "%.100s: no memory for %zu bytes",
                         parts->name ? parts->name : NAMELESS, size);
    char *starts[BLOCK_PARTS], *at = block + round_to_cache_line(sizeof mesh);
    for (int i = 0; i < BLOCK_PARTS; i++)
    {
        starts[i] = at;
        at += round_to_cache_line(list[i].bytes);
    }
    copy_parts(context, list, starts);
    point_to_block_parts(&mesh, starts);
    mesh.context = context;
    mesh.serial = atomic_fetch_add(&context->next_serial, 1);
    mesh.block_size = mesh.info.bytes = size;
    *out = (carom_mesh *)block;
    memcpy(*out, &mesh, sizeof mesh);
    mesh_find_extremes(*out);
    atomic_init(&(*out)->references, 1);
    for (int i = 0; i < MESH_SLOTS; i++)
    {
        atomic_init(&(*out)->slots[i].object, NULL);
        atomic_init(&(*out)->slots[i].destroy, NULL);
    }
    return CAROM_OK;
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

static carom_status find_topology(mesh_build *build)
{
    BASE_TRY(mesh_find_edges(build));
    BASE_TRY(mesh_check_fans(build));
    return mesh_find_components(build);
}

static carom_status build_steps(mesh_build *build, const carom_mesh_def *def)
{
    BASE_TRY(base_check_float_mode(build->arena.context));
    BASE_TRY(mesh_read_vertices(build, def));
    BASE_TRY(mesh_read_indices(build, def));
    BASE_TRY(mesh_merge_positions(build));
    BASE_TRY(find_topology(build));
    mesh_measure(build->arena.context, &build->parts);
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
    mesh_build build = {.parts.name = (char *)(def->name ? def->name : NAMELESS), .arena.context = context};
    carom_status status = build_steps(&build, def);
    if (status == CAROM_OK)
        status = mesh_assemble(context, &build.parts, out);
    base_arena_free(&build.arena);
    return status;
}

/* ---- deform ---- */

/* If the same vertices coincide as before, the topology is the same too. */
static carom_status deform_steps(mesh_build *build, const carom_mesh *mesh, const carom_mesh_def *def)
{
    carom_context *context = build->arena.context;
    BASE_TRY(base_check_float_mode(context));
    if (def->vertex_count != mesh->vertex_count)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "%.100s: deformed to %zu vertices, but the mesh has %u",
                         build->parts.name, def->vertex_count, mesh->vertex_count);
    BASE_TRY(mesh_read_vertices(build, def));
    BASE_TRY(mesh_merge_positions(build));
    if (memcmp(build->parts.merged, mesh->merged, mesh->vertex_count * sizeof *mesh->merged) != 0)
    {
        build->parts.info = (carom_mesh_info){0};
        BASE_TRY(find_topology(build));
    }
    mesh_measure(build->arena.context, &build->parts);
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
    mesh_build build = {.parts = *mesh, .arena.context = mesh->context};
    if (vertices->name)
        build.parts.name = (char *)vertices->name;
    carom_status status = deform_steps(&build, mesh, vertices);
    if (status == CAROM_OK)
        status = mesh_assemble(mesh->context, &build.parts, out);
    base_arena_free(&build.arena);
    return status;
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
