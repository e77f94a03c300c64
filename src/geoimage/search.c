/* Dijkstra's algorithm on the edges of a chart, with a binary heap; equal distances by vertex number. */
#include "geoimage/search.h"

static uint32_t border_degree(const geoimage_disk *disk, uint32_t half)
{
    return disk->twin.items[half] == GEOIMAGE_NONE;
}

/* Each edge is listed at both of its ends: inside by its two half-edges, at the border by one, twice. */
static void list_edges(search_graph *graph)
{
    const geoimage_disk *disk = graph->disk;
    uint32_t vertices = geoimage_vertex_count(disk), halves = (uint32_t)disk->corner.count, sum = 0;
    memset(graph->first, 0, ((size_t)vertices + 1) * sizeof *graph->first);
    for (uint32_t v = 0; v < vertices; v++)
        graph->border[v] = GEOIMAGE_NONE;
    for (uint32_t half = 0; half < halves; half++)
    {
        graph->first[geoimage_start(disk, half)]++;
        graph->first[geoimage_end(disk, half)] += border_degree(disk, half);
        if (border_degree(disk, half))
            graph->border[geoimage_start(disk, half)] = half;
    }
    for (uint32_t v = 0; v <= vertices; v++)
    {
        uint32_t count = graph->first[v];
        graph->first[v] = sum;
        sum += count;
    }
    for (uint32_t half = 0; half < halves; half++)
    {
        graph->edge[graph->first[geoimage_start(disk, half)]++] = 2 * half;
        if (border_degree(disk, half))
            graph->edge[graph->first[geoimage_end(disk, half)]++] = 2 * half + 1;
    }
    for (uint32_t v = vertices; v > 0; v--)
        graph->first[v] = graph->first[v - 1];
    graph->first[0] = 0;
}

bool search_create(const geoimage_disk *disk, search_graph *out)
{
    carom_context *context = disk->context;
    size_t vertices = disk->vertex.count, edges = disk->corner.count;
    for (uint32_t half = 0; half < disk->corner.count; half++)
        edges += border_degree(disk, half);
    *out = (search_graph){.disk = disk, .edge_count = edges};
    out->first = base_allocate(context, vertices + 1, sizeof *out->first, 8);
    out->edge = base_allocate(context, edges, sizeof *out->edge, 8);
    out->border = base_allocate(context, vertices, sizeof *out->border, 8);
    out->distance = base_allocate(context, vertices, sizeof *out->distance, 8);
    out->parent = base_allocate(context, vertices, sizeof *out->parent, 8);
    out->parent_half = base_allocate(context, vertices, sizeof *out->parent_half, 8);
    out->done = base_allocate(context, vertices, sizeof *out->done, 8);
    if (!out->first || !out->edge || !out->border || !out->distance || !out->parent || !out->parent_half || !out->done)
        return false;
    list_edges(out);
    return true;
}

void search_free(search_graph *graph)
{
    carom_context *context = graph->disk->context;
    size_t vertices = graph->disk->vertex.count;
    base_release(context, graph->first, vertices + 1, sizeof *graph->first);
    base_release(context, graph->edge, graph->edge_count, sizeof *graph->edge);
    base_release(context, graph->border, vertices, sizeof *graph->border);
    base_release(context, graph->distance, vertices, sizeof *graph->distance);
    base_release(context, graph->parent, vertices, sizeof *graph->parent);
    base_release(context, graph->parent_half, vertices, sizeof *graph->parent_half);
    base_release(context, graph->done, vertices, sizeof *graph->done);
    base_array_free(context, &graph->heap);
}

/* ---- the heap ---- */

static bool is_before(search_item a, search_item b) { return a.key < b.key || (a.key == b.key && a.vertex < b.vertex); }

static bool push(search_graph *graph, double key, uint32_t vertex)
{
    if (!base_array_reserve(graph->disk->context, &graph->heap, 1))
        return false;
    search_item item = {key, vertex}, *items = graph->heap.items;
    size_t at = graph->heap.count++;
    for (; at > 0 && is_before(item, items[(at - 1) / 2]); at = (at - 1) / 2)
        items[at] = items[(at - 1) / 2];
    items[at] = item;
    return true;
}

static search_item pop(search_graph *graph)
{
    search_item *items = graph->heap.items, top = items[0], item = items[--graph->heap.count];
    size_t at = 0, count = graph->heap.count;
    for (size_t child; (child = 2 * at + 1) < count; at = child)
    {
        child += child + 1 < count && is_before(items[child + 1], items[child]);
        if (!is_before(items[child], item))
            break;
        items[at] = items[child];
    }
    items[at] = item;
    return top;
}

/* ---- the search ---- */

static void begin(search_graph *graph)
{
    graph->heap.count = 0;
    for (size_t v = 0; v < graph->disk->vertex.count; v++)
    {
        graph->distance[v] = INFINITY, graph->done[v] = false;
        graph->parent[v] = graph->parent_half[v] = GEOIMAGE_NONE;
    }
}

static bool settle(search_graph *graph, uint32_t vertex)
{
    const geoimage_disk *disk = graph->disk;
    graph->done[vertex] = true;
    graph->last = vertex;
    for (uint32_t i = graph->first[vertex]; i < graph->first[vertex + 1]; i++)
    {
        uint32_t half = graph->edge[i] / 2;
        uint32_t other = graph->edge[i] % 2 ? geoimage_start(disk, half) : geoimage_end(disk, half);
        double distance = graph->distance[vertex] + geoimage_length(disk, half);
        if (!(distance < graph->distance[other]))
            continue;
        graph->distance[other] = distance;
        graph->parent[other] = vertex, graph->parent_half[other] = half;
        if (!push(graph, distance, other))
            return false;
    }
    return true;
}

/* All of a loop of the border is where it is reached first. */
static bool settle_loop(search_graph *graph, uint32_t entry)
{
    const geoimage_disk *disk = graph->disk;
    uint32_t start = graph->border[entry];
    for (uint32_t half = geoimage_border_next(disk, start); half != start; half = geoimage_border_next(disk, half))
    {
        uint32_t vertex = geoimage_start(disk, half);
        graph->distance[vertex] = graph->distance[entry];
        graph->parent[vertex] = entry, graph->parent_half[vertex] = GEOIMAGE_NONE;
        graph->done[vertex] = true;
    }
    for (uint32_t half = geoimage_border_next(disk, start); half != start; half = geoimage_border_next(disk, half))
        if (!settle(graph, geoimage_start(disk, half)))
            return false;
    return true;
}

static bool run(search_graph *graph, bool contract)
{
    while (graph->heap.count > 0)
    {
        uint32_t vertex = pop(graph).vertex;
        if (graph->done[vertex])
            continue;
        bool loop = contract && graph->border[vertex] != GEOIMAGE_NONE;
        if (!settle(graph, vertex) || (loop && !settle_loop(graph, vertex)))
            return false;
    }
    return true;
}

bool search_from_vertex(search_graph *graph, uint32_t root)
{
    begin(graph);
    graph->distance[root] = 0;
    return push(graph, 0, root) && run(graph, true);
}

bool search_from_border(search_graph *graph)
{
    begin(graph);
    for (uint32_t v = 0; v < graph->disk->vertex.count; v++)
        if (graph->border[v] != GEOIMAGE_NONE)
        {
            graph->distance[v] = 0;
            if (!push(graph, 0, v))
                return false;
        }
    return run(graph, false);
}
