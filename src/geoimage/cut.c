/* Cutting a chart to a disk. Loops of the border are joined by shortest paths; handles are opened by the shortest loops
 * through one point, as in Erickson and Whittlesey, Greedy optimal homotopy and homology generators, 2005: a tree of
 * shortest paths, a tree of triangles across the other edges, the longest loops first, and what is left, twice the
 * genus of edges, closes the loops. A closed chart without handles is cut between two points that are far apart. */
#include "geoimage/search.h"

typedef struct cut_work
{
    geoimage_disk *disk;
    search_graph graph;
    geoimage_topology topology;
    bool *cut;    /* per half-edge: one of each edge that is to be cut */
    bool *traced; /* per vertex: connected with the root by the cut */
    uint32_t *face_set;
    base_key_value *candidates, *scratch;
    size_t halves, vertices;
} cut_work;

static geoimage_topology find_topology(const search_graph *graph, bool *seen)
{
    const geoimage_disk *disk = graph->disk;
    int64_t border = 0, vertices = (int64_t)disk->vertex.count, faces = (int64_t)disk->source.count;
    geoimage_topology out = {0};
    memset(seen, 0, disk->vertex.count);
    for (uint32_t v = 0; v < disk->vertex.count; v++)
    {
        uint32_t start = graph->border[v];
        out.boundary_count += start != GEOIMAGE_NONE && !seen[v];
        for (uint32_t half = start; start != GEOIMAGE_NONE && !seen[geoimage_start(disk, half)];
             half = geoimage_border_next(disk, half))
            seen[geoimage_start(disk, half)] = true, border++;
    }
    int64_t edges = (3 * faces + border) / 2;
    out.genus = (uint32_t)((2 - (int64_t)out.boundary_count - (vertices - edges + faces)) / 2);
    return out;
}

/* Cuts along the tree of shortest paths, from a vertex to what is cut already. */
static void trace(cut_work *work, uint32_t vertex)
{
    const search_graph *graph = &work->graph;
    for (; vertex != GEOIMAGE_NONE && !work->traced[vertex]; vertex = graph->parent[vertex])
    {
        work->traced[vertex] = true;
        if (graph->parent_half[vertex] != GEOIMAGE_NONE)
            work->cut[graph->parent_half[vertex]] = true;
    }
}

static bool is_in_tree(const search_graph *graph, uint32_t half)
{
    uint32_t a = geoimage_start(graph->disk, half), b = geoimage_end(graph->disk, half);
    uint32_t other = graph->disk->twin.items[half];
    return graph->parent_half[a] == half || graph->parent_half[b] == half || graph->parent_half[a] == other ||
           graph->parent_half[b] == other;
}

static size_t list_candidates(cut_work *work)
{
    const geoimage_disk *disk = work->disk;
    const double *distance = work->graph.distance;
    size_t count = 0;
    for (uint32_t half = 0; half < work->halves; half++)
    {
        uint32_t other = disk->twin.items[half];
        if (other == GEOIMAGE_NONE || other < half || is_in_tree(&work->graph, half))
            continue;
        double loop =
            distance[geoimage_start(disk, half)] + distance[geoimage_end(disk, half)] + geoimage_length(disk, half);
        uint64_t key;
        memcpy(&key, &loop, sizeof key); /* positive: ordered as integers */
        work->candidates[count++] = (base_key_value){key, half};
    }
    base_sort_keys(work->candidates, work->scratch, count);
    return count;
}

/* The edges that close loops, shortest first, 2 genus of them, are left at the beginning of the candidates. */
static size_t find_loops(cut_work *work)
{
    size_t count = list_candidates(work), kept = count;
    for (uint32_t t = 0; t < work->disk->source.count; t++)
        work->face_set[t] = t;
    for (size_t i = count; i-- > 0;)
    {
        uint32_t half = (uint32_t)work->candidates[i].value, other = work->disk->twin.items[half];
        if (base_set_root(work->face_set, half / 3) != base_set_root(work->face_set, other / 3))
            base_set_join(work->face_set, half / 3, other / 3);
        else
            work->candidates[--kept] = work->candidates[i];
    }
    memmove(work->candidates, work->candidates + kept, (count - kept) * sizeof *work->candidates);
    return count - kept;
}

/* Where the paths from several loops to the root run together, they need not be cut. */
static void prune(cut_work *work, uint32_t root)
{
    const search_graph *graph = &work->graph;
    const geoimage_disk *disk = work->disk;
    for (uint32_t vertex = root;;)
    {
        uint32_t count = 0, found = GEOIMAGE_NONE;
        for (uint32_t i = graph->first[vertex]; i < graph->first[vertex + 1]; i++)
        {
            uint32_t half = graph->edge[i] / 2, other = disk->twin.items[half];
            bool is_cut = work->cut[half] || (other != GEOIMAGE_NONE && work->cut[other]);
            count += is_cut;
            found = is_cut ? half : found;
        }
        if (count != 1)
            return;
        work->cut[found] = work->cut[disk->twin.items[found]] = false;
        vertex = geoimage_end(disk, found);
    }
}

static bool open_handles(cut_work *work, uint32_t root)
{
    bool closed = work->topology.boundary_count == 0;
    if (!search_from_vertex(&work->graph, root))
        return false;
    size_t loops = find_loops(work);
    if (closed && loops > 0)
    {
        /* Again, through a point of the shortest loop. */
        root = geoimage_start(work->disk, (uint32_t)work->candidates[0].value);
        if (!search_from_vertex(&work->graph, root))
            return false;
        loops = find_loops(work);
    }
    for (size_t i = 0; i < loops; i++)
    {
        uint32_t half = (uint32_t)work->candidates[i].value;
        work->cut[half] = true;
        trace(work, geoimage_start(work->disk, half));
        trace(work, geoimage_end(work->disk, half));
    }
    /* Each loop of the border has one vertex where the search has reached it. */
    for (uint32_t v = 0; v < work->vertices; v++)
        if (work->graph.border[v] != GEOIMAGE_NONE && work->graph.parent_half[v] != GEOIMAGE_NONE)
            trace(work, v);
    if (closed)
        prune(work, root);
    return true;
}

static bool cut_sphere(cut_work *work)
{
    if (!search_from_vertex(&work->graph, 0) || !search_from_vertex(&work->graph, work->graph.last))
        return false;
    trace(work, work->graph.last);
    return true;
}

static bool choose_cuts(cut_work *work)
{
    memset(work->cut, 0, work->halves);
    work->topology = find_topology(&work->graph, work->traced);
    memset(work->traced, 0, work->vertices);
    if (work->topology.genus == 0 && work->topology.boundary_count == 1)
        return true;
    if (work->topology.genus == 0 && work->topology.boundary_count == 0)
        return cut_sphere(work);
    uint32_t root = 0;
    for (uint32_t v = (uint32_t)work->vertices; v-- > 0;)
        root = work->graph.border[v] != GEOIMAGE_NONE ? v : root;
    return open_handles(work, root);
}

static bool begin(cut_work *work, geoimage_disk *disk)
{
    carom_context *context = disk->context;
    *work = (cut_work){.disk = disk, .halves = disk->corner.count, .vertices = disk->vertex.count};
    bool have = search_create(disk, &work->graph);
    work->cut = base_allocate(context, work->halves, sizeof *work->cut, 8);
    work->traced = base_allocate(context, work->vertices, sizeof *work->traced, 8);
    work->face_set = base_allocate(context, disk->source.count, sizeof *work->face_set, 8);
    work->candidates = base_allocate(context, work->halves, sizeof *work->candidates, 8);
    work->scratch = base_allocate(context, work->halves, sizeof *work->scratch, 8);
    return have && work->cut && work->traced && work->face_set && work->candidates && work->scratch;
}

static void end(cut_work *work)
{
    carom_context *context = work->disk->context;
    base_release(context, work->cut, work->halves, sizeof *work->cut);
    base_release(context, work->traced, work->vertices, sizeof *work->traced);
    base_release(context, work->face_set, work->disk->source.count, sizeof *work->face_set);
    base_release(context, work->candidates, work->halves, sizeof *work->candidates);
    base_release(context, work->scratch, work->halves, sizeof *work->scratch);
    search_free(&work->graph);
}

carom_status geoimage_cut(geoimage_disk *disk, geoimage_topology *topology)
{
    cut_work work;
    bool have = begin(&work, disk) && choose_cuts(&work);
    for (uint32_t half = 0; have && half < work.halves; half++)
        if (work.cut[half])
            geoimage_cut_apart(disk, half);
    *topology = work.topology;
    end(&work);
    return have ? geoimage_number_vertices(disk) : geoimage_out_of_memory(disk);
}

/* The vertex with the largest product of score and distance; GEOIMAGE_NONE: none. */
static uint32_t find_target(const search_graph *graph, const double *score)
{
    const geoimage_disk *disk = graph->disk;
    uint32_t target = GEOIMAGE_NONE;
    double best = 0;
    for (uint32_t half = 0; half < disk->corner.count; half++)
    {
        uint32_t vertex = geoimage_start(disk, half);
        double product = score[disk->source.items[half / 3]] * graph->distance[vertex];
        if (graph->border[vertex] == GEOIMAGE_NONE && product > best)
            target = vertex, best = product;
    }
    return target;
}

carom_status geoimage_extend_cut(geoimage_disk *disk, const double *score, bool *extended)
{
    search_graph graph;
    bool have = search_create(disk, &graph) && search_from_border(&graph);
    uint32_t target = have ? find_target(&graph, score) : GEOIMAGE_NONE;
    *extended = target != GEOIMAGE_NONE;
    for (; target != GEOIMAGE_NONE && graph.parent_half[target] != GEOIMAGE_NONE; target = graph.parent[target])
        geoimage_cut_apart(disk, graph.parent_half[target]);
    search_free(&graph);
    if (!have)
        return geoimage_out_of_memory(disk);
    return *extended ? geoimage_number_vertices(disk) : CAROM_OK;
}
