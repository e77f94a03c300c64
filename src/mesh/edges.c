/* Edges, neighbours, closedness, all over vertices merged by position. Sides are gathered by vertex and radix-sorted
 * there, so that no arrangement of triangles costs more than a few passes. */
#include "mesh/build.h"

enum
{
    VERTICES_PER_TASK = 512, /* tens of microseconds */
    MIN_BLOCK = 4096,        /* triangles */
    MAX_BLOCKS = 8           /* each has a number per vertex */
};

/* What a worker counted. */
typedef struct edge_tally
{
    uint32_t boundary, nonmanifold;
    bool open, unoriented;
} edge_tally;

/* What the vertices of a slice have. */
typedef struct use_slice
{
    size_t count;   /* all uses; then where they begin */
    size_t largest; /* maximum number of uses of a vertex */
} use_slice;

/* Sides of nonzero length, gathered by the smaller of their two vertices. A use is one side: the larger vertex in the
 * upper half, then the triangle, then whether the side is walked upward, from the smaller vertex to the larger.
 *
 * Triangles are gathered in blocks, by several workers. Each block has its own row of places, one per vertex: how many
 * uses it has there, then where they go. Once they are there, the last row says where each vertex's uses end. */
typedef struct edge_uses
{
    carom_mesh *mesh;
    uint64_t *uses;       /* with room for `scratch` more to sort by */
    size_t *places;       /* block_count rows */
    const size_t *ends;   /* the last row: uses of a vertex begin where those of the vertex before end */
    uint32_t *first_edge; /* per vertex, and one past the last; after sorting */
    size_t use_count;
    size_t largest; /* maximum number of uses of a vertex */
    size_t scratch;
    uint32_t block_count, slice_count;
    use_slice slices[MESH_MAX_SLICES];
    edge_tally tallies[CAROM_MAX_WORKERS];
} edge_uses;

static uint32_t use_high(uint64_t use) { return (uint32_t)(use >> 32); }
static uint32_t use_triangle(uint64_t use) { return (uint32_t)use >> 1; }
static bool use_upward(uint64_t use) { return use & 1; }

/* ---- gather ---- */

static void count_side(size_t *row, uint32_t start, uint32_t end) { row[start < end ? start : end] += start != end; }

static void count_uses(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const edge_uses *edges = data;
    const carom_mesh *mesh = edges->mesh;
    (void)worker;
    for (uint32_t block = first; block < last; block++)
    {
        size_t *row = edges->places + block * (size_t)mesh->vertex_count;
        size_t end = mesh_slice_begin(mesh->triangle_count, edges->block_count, block + 1);
        memset(row, 0, mesh->vertex_count * sizeof *row);
        for (size_t i = mesh_slice_begin(mesh->triangle_count, edges->block_count, block); i < end; i++)
        {
            const uint32_t *index = mesh->indices + 3 * i;
            uint32_t a = mesh->merged[index[0]], b = mesh->merged[index[1]], c = mesh->merged[index[2]];
            count_side(row, a, b), count_side(row, b, c), count_side(row, c, a);
        }
    }
}

static void add_slices(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    edge_uses *edges = data;
    size_t vertices = edges->mesh->vertex_count;
    (void)worker;
    for (uint32_t slice = first; slice < last; slice++)
    {
        use_slice sum = {0};
        size_t end = mesh_slice_begin(vertices, edges->slice_count, slice + 1);
        for (size_t vertex = mesh_slice_begin(vertices, edges->slice_count, slice); vertex < end; vertex++)
        {
            size_t count = 0;
            for (uint32_t block = 0; block < edges->block_count; block++)
                count += edges->places[block * vertices + vertex];
            sum.count += count;
            sum.largest = count > sum.largest ? count : sum.largest;
        }
        edges->slices[slice] = sum;
    }
}

/* Turns counts into where the uses go. */
static void place_slices(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const edge_uses *edges = data;
    size_t vertices = edges->mesh->vertex_count;
    (void)worker;
    for (uint32_t slice = first; slice < last; slice++)
    {
        size_t sum = edges->slices[slice].count, end = mesh_slice_begin(vertices, edges->slice_count, slice + 1);
        for (size_t vertex = mesh_slice_begin(vertices, edges->slice_count, slice); vertex < end; vertex++)
            for (uint32_t block = 0; block < edges->block_count; block++)
            {
                size_t *place = &edges->places[block * vertices + vertex], count = *place;
                *place = sum;
                sum += count;
            }
    }
}

static void place_uses(carom_context *context, edge_uses *edges)
{
    base_parallel_for(context, edges->block_count, 1, count_uses, edges);
    base_parallel_for(context, edges->slice_count, 1, add_slices, edges);
    for (uint32_t i = 0; i < edges->slice_count; i++)
    {
        use_slice *slice = &edges->slices[i];
        size_t count = slice->count;
        slice->count = edges->use_count;
        edges->use_count += count;
        edges->largest = slice->largest > edges->largest ? slice->largest : edges->largest;
    }
    base_parallel_for(context, edges->slice_count, 1, place_slices, edges);
}

static void gather_side(const edge_uses *edges, size_t *row, uint32_t triangle, const uint32_t ends[2])
{
    uint32_t low = ends[0] < ends[1] ? ends[0] : ends[1], high = ends[0] < ends[1] ? ends[1] : ends[0];
    if (low != high)
        edges->uses[row[low]++] = (uint64_t)high << 32 | (uint64_t)triangle << 1 | (ends[0] == low);
}

/* Prepares the neighbours too: the pages that they lie on are new, and clearing them takes the system a while. */
static void gather_uses(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const edge_uses *edges = data;
    const carom_mesh *mesh = edges->mesh;
    (void)worker;
    for (uint32_t block = first; block < last; block++)
    {
        size_t *row = edges->places + block * (size_t)mesh->vertex_count;
        size_t end = mesh_slice_begin(mesh->triangle_count, edges->block_count, block + 1);
        for (size_t i = mesh_slice_begin(mesh->triangle_count, edges->block_count, block); i < end; i++)
        {
            const uint32_t *index = mesh->indices + 3 * i;
            uint32_t corners[4];
            for (int k = 0; k < 4; k++)
                corners[k] = mesh->merged[index[k % 3]];
            for (int k = 0; k < 3; k++)
            {
                gather_side(edges, row, (uint32_t)i, corners + k);
                mesh->neighbours[3 * i + (size_t)k] = MESH_NONE;
            }
        }
    }
}

/* ---- sort and number ---- */

static size_t run_end(const uint64_t *uses, size_t first, size_t end)
{
    size_t last = first + 1;
    while (last < end && use_high(uses[last]) == use_high(uses[first]))
        last++;
    return last;
}

static size_t uses_begin(const edge_uses *edges, uint32_t vertex) { return vertex > 0 ? edges->ends[vertex - 1] : 0; }

/* Stores each vertex's number of edges at the next index; number_edges turns the numbers into sums. */
static void sort_uses(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    edge_uses *edges = data;
    bool own_room =
        edges->scratch < edges->use_count; /* otherwise there is as much as there are uses, index for index */
    for (uint32_t vertex = first; vertex < last; vertex++)
    {
        size_t at = uses_begin(edges, vertex), end = edges->ends[vertex];
        uint64_t *scratch = edges->uses + edges->use_count + (own_room ? worker * edges->largest : at);
        base_sort_u64(edges->uses + at, scratch, end - at);
        edges->first_edge[vertex + 1] = 0;
        for (; at < end; at = run_end(edges->uses, at, end))
            edges->first_edge[vertex + 1]++;
    }
}

static size_t number_edges(edge_uses *edges)
{
    size_t count = edges->first_edge[0] = 0;
    for (uint32_t vertex = 0; vertex < edges->mesh->vertex_count; vertex++)
    {
        count += edges->first_edge[vertex + 1];
        edges->first_edge[vertex + 1] = (uint32_t)count;
    }
    return count;
}

/* Which side of its triangle a use is. No triangle walks one edge twice the same way. */
static size_t side_of_use(const carom_mesh *mesh, uint64_t use, uint32_t low)
{
    size_t side = 3 * (size_t)use_triangle(use);
    uint32_t start = use_upward(use) ? low : use_high(use), end = use_upward(use) ? use_high(use) : low;
    while (mesh_side_start(mesh, side) != start || mesh_side_end(mesh, side) != end)
        side++;
    return side;
}

/* One edge: its uses. */
static void note_edge(const carom_mesh *mesh, const uint64_t *uses, size_t use_count, uint32_t low, edge_tally *tally)
{
    size_t upward = 0;
    for (size_t i = 0; i < use_count; i++)
        upward += use_upward(uses[i]);
    tally->open |= use_count % 2 != 0;
    tally->unoriented |= 2 * upward != use_count;
    tally->boundary += use_count == 1;
    tally->nonmanifold += use_count > 2;
    if (use_count == 2 && use_triangle(uses[0]) != use_triangle(uses[1]))
    {
        mesh->neighbours[side_of_use(mesh, uses[0], low)] = use_triangle(uses[1]);
        mesh->neighbours[side_of_use(mesh, uses[1], low)] = use_triangle(uses[0]);
    }
}

static void list_edges(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    edge_uses *edges = data;
    edge_tally tally = edges->tallies[worker];
    uint32_t *edge = edges->mesh->edges + 2 * (size_t)edges->first_edge[first];
    size_t at = uses_begin(edges, first);
    for (uint32_t low = first; low < last; low++)
        for (size_t end; at < edges->ends[low]; at = end)
        {
            end = run_end(edges->uses, at, edges->ends[low]);
            note_edge(edges->mesh, edges->uses + at, end - at, low, &tally);
            *edge++ = low;
            *edge++ = use_high(edges->uses[at]);
        }
    edges->tallies[worker] = tally;
}

static void add_tallies(const edge_uses *edges, uint32_t worker_count, carom_mesh_info *info)
{
    info->closed = edges->mesh->triangle_count > 0;
    info->oriented = true;
    for (uint32_t i = 0; i < worker_count; i++)
    {
        const edge_tally *tally = &edges->tallies[i];
        info->closed &= !tally->open;
        info->oriented &= !tally->unoriented;
        info->boundary_edge_count += tally->boundary;
        info->nonmanifold_edge_count += tally->nonmanifold;
    }
}

static carom_status make_edges(mesh_build *build, edge_uses *edges)
{
    carom_mesh *mesh = &build->parts;
    carom_context *context = build->context;
    base_parallel_for(context, edges->block_count, 1, gather_uses, edges);
    base_parallel_for(context, mesh->vertex_count, VERTICES_PER_TASK, sort_uses, edges);
    size_t count = number_edges(edges);
    if (count >= UINT32_MAX)
        return base_fail(context, CAROM_TOO_LARGE, "%.100s: %zu edges", mesh->name, count);
    mesh->edges = mesh_build_numbers(build, 2 * count);
    if (!mesh->edges)
        return CAROM_OUT_OF_MEMORY;
    mesh->info.edge_count = (uint32_t)count;
    base_parallel_for(context, mesh->vertex_count, VERTICES_PER_TASK, list_edges, edges);
    add_tallies(edges, base_worker_count(context), &mesh->info);
    return CAROM_OK;
}

carom_status mesh_find_edges(mesh_build *build)
{
    carom_context *context = build->context;
    size_t vertices = build->parts.vertex_count, workers = base_worker_count(context);
    edge_uses edges = {.mesh = &build->parts, .slice_count = mesh_slice_count(vertices)};
    size_t blocks = workers < MAX_BLOCKS ? workers : MAX_BLOCKS, limit = build->parts.triangle_count / MIN_BLOCK;
    blocks = blocks < limit ? blocks : limit > 0 ? limit : 1;
    edges.block_count = (uint32_t)blocks;
    edges.places = base_allocate(context, blocks * vertices, sizeof *edges.places, BASE_CACHE_LINE);
    edges.first_edge = base_allocate(context, vertices + 1, sizeof *edges.first_edge, BASE_CACHE_LINE);
    bool have = edges.places && edges.first_edge;
    if (have)
    {
        edges.ends = edges.places + (blocks - 1) * vertices;
        place_uses(context, &edges);
    }
    /* Room for each worker's largest vertex, but no more than all uses together need. */
    edges.scratch = edges.largest < edges.use_count / workers ? edges.largest * workers : edges.use_count;
    if (have)
        edges.uses = base_allocate(context, edges.use_count + edges.scratch, sizeof *edges.uses, BASE_CACHE_LINE);
    carom_status status = edges.uses ? make_edges(build, &edges) : mesh_build_out_of_memory(build);
    base_release(context, edges.uses, edges.use_count + edges.scratch, sizeof *edges.uses);
    base_release(context, edges.first_edge, vertices + 1, sizeof *edges.first_edge);
    base_release(context, edges.places, blocks * vertices, sizeof *edges.places);
    return status;
}
