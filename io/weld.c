/* Welding: corners that a file format rounded apart become one again.
 *
 * The used vertices at one position are a site. Sites at most the weld length apart belong together, and so does what a
 * chain of such sites connects; each group moves to its smallest site (by x, then y, then z). So the result is a
 * property of the set of positions: the order of vertices and triangles does not matter.
 *
 * A balanced k-d tree over the sites finds the groups from the bottom up: two parts are compared only where their boxes
 * are near, and no further once everything in both is one group. So crowds of sites, within one length or just beyond
 * it, do not take time quadratic in their number; a limit of steps per site refuses what is built to take longer. */
#include "io/soup.h"

#define NO_SITE UINT32_MAX

enum
{
    WORK_PER_SITE = 1000, /* lattices, crowds and rounded models need up to 30 */
    STACK_SIZE = 80       /* two parts of 2^32 sites each are split 2 * 32 times before both are single sites */
};

/* A part of the tree: sites order[0][first .. last). Nodes are in the order of a walk from the root that takes the
 * lower half first, so a part of n sites takes 2n - 1 nodes. */
typedef struct weld_node
{
    carom_aabb box;
    uint32_t first, last;
    bool joined; /* known to be one group */
} weld_node;

typedef struct weld
{
    double length, scale; /* scale: a power of two that keeps squares away from underflow */
    double limit;         /* the square of length * scale */

    weld_node *nodes;
    carom_vec3 *sites;  /* in lexicographic order */
    uint32_t *site_of;  /* per vertex; NO_SITE if no triangle uses it */
    uint32_t *order[3]; /* the sites of each node, sorted by each coordinate */
    uint32_t *scratch;
    uint32_t *parent; /* union-find: the root of a group is its smallest site */
    size_t site_count, node_count;
    uint64_t work_left; /* pairs of nodes that may still be compared */
} weld;

/* ---- sites ---- */

static double coordinate(carom_vec3 point, int axis) { return axis == 0 ? point.x : axis == 1 ? point.y : point.z; }

/* By the coordinate of this axis, then the next two. */
static bool is_before(carom_vec3 a, carom_vec3 b, int axis)
{
    for (int i = 0; i < 3; i++, axis = axis == 2 ? 0 : axis + 1)
    {
        double p = coordinate(a, axis), q = coordinate(b, axis);
        if (p != q)
            return p < q;
    }
    return false;
}

/* A stable merge sort of indices into points. */
static void sort_points(const carom_vec3 *points, int axis, uint32_t *items, uint32_t *scratch, size_t count)
{
    uint32_t *from = items, *to = scratch;
    for (size_t width = 1; width < count; width *= 2)
    {
        for (size_t first = 0; first < count; first += 2 * width)
        {
            size_t middle = count - first > width ? first + width : count;
            size_t last = count - first > 2 * width ? first + 2 * width : count, a = first, b = middle;
            for (size_t i = first; i < last; i++)
                to[i] = a < middle && (b == last || !is_before(points[from[b]], points[from[a]], axis)) ? from[a++]
                                                                                                        : from[b++];
        }
        uint32_t *swapped = from;
        from = to, to = swapped;
    }
    if (from != items)
        memcpy(items, from, count * sizeof *items);
}

/* Numbers the positions that triangles use. */
static void find_sites(weld *w, const io_soup *soup)
{
    const carom_vec3 *vertices = soup->vertices.items;
    size_t used = 0;
    memset(w->site_of, 0xff, soup->vertices.count * sizeof *w->site_of);
    for (size_t i = 0; i < 3 * io_soup_triangle_count(soup); i++)
    {
        uint32_t vertex = soup->indices.items[i];
        if (w->site_of[vertex] == NO_SITE)
            w->site_of[vertex] = 0, w->order[0][used++] = vertex;
    }
    sort_points(vertices, 0, w->order[0], w->scratch, used);
    w->site_count = 0;
    for (size_t i = 0; i < used; i++)
    {
        uint32_t vertex = w->order[0][i];
        if (i == 0 || is_before(vertices[w->order[0][i - 1]], vertices[vertex], 0))
            w->sites[w->site_count++] = vertices[vertex];
        w->site_of[vertex] = (uint32_t)w->site_count - 1;
    }
}

/* ---- the tree ---- */

static bool is_leaf(const weld_node *node) { return node->last - node->first == 1; }
static uint32_t middle_of(const weld_node *node) { return node->first + (node->last - node->first) / 2; }
static size_t lower_half(size_t node) { return node + 1; }
static size_t upper_half(const weld *w, size_t node)
{
    return node + 2 * (size_t)(middle_of(&w->nodes[node]) - w->nodes[node].first);
}

static carom_aabb box_of(const weld *w, const weld_node *node)
{
    carom_aabb box = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int axis = 0; axis < 3; axis++)
    {
        double low = coordinate(w->sites[w->order[axis][node->first]], axis);
        double high = coordinate(w->sites[w->order[axis][node->last - 1]], axis);
        *(axis == 0 ? &box.min.x : axis == 1 ? &box.min.y : &box.min.z) = low;
        *(axis == 0 ? &box.max.x : axis == 1 ? &box.max.y : &box.max.z) = high;
    }
    return box;
}

static int longest_side(const carom_aabb *box)
{
    carom_vec3 size = vec3_sub(box->max, box->min);
    return size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
}

/* Cuts a node in half across its longest side: the lower half comes first in all three orders, which stay sorted. */
static void split(weld *w, size_t node)
{
    uint32_t first = w->nodes[node].first, middle = middle_of(&w->nodes[node]), last = w->nodes[node].last;
    uint32_t *side = w->parent; /* not needed for groups yet */
    int axis = longest_side(&w->nodes[node].box);
    for (uint32_t i = first; i < last; i++)
        side[w->order[axis][i]] = i >= middle;
    for (int other = 0; other < 3; other++)
    {
        uint32_t *order = w->order[other], ends[2] = {first, middle};
        memcpy(w->scratch + first, order + first, (last - first) * sizeof *order);
        for (uint32_t i = first; i < last; i++)
            order[ends[side[w->scratch[i]]]++] = w->scratch[i];
    }
    w->nodes[lower_half(node)] = (weld_node){.first = first, .last = middle};
    w->nodes[upper_half(w, node)] = (weld_node){.first = middle, .last = last};
}

static void build_tree(weld *w)
{
    for (size_t i = 0; i < w->site_count; i++)
        for (int axis = 0; axis < 3; axis++)
            w->order[axis][i] = (uint32_t)i;
    for (int axis = 1; axis < 3; axis++)
        sort_points(w->sites, axis, w->order[axis], w->scratch, w->site_count);
    w->nodes[0] = (weld_node){.last = (uint32_t)w->site_count};
    for (size_t i = 0; i < w->node_count; i++)
    {
        w->nodes[i].box = box_of(w, &w->nodes[i]);
        if (!is_leaf(&w->nodes[i]))
            split(w, i);
    }
}

/* ---- groups ---- */

/* Rounding is monotonic, so boxes are never found farther apart than the sites in them. */
static bool is_within(const weld *w, double x, double y, double z)
{
    if (x > w->length || y > w->length || z > w->length)
        return false;
    x *= w->scale, y *= w->scale, z *= w->scale;
    return x * x + y * y + z * z <= w->limit;
}

static double gap(double min_a, double max_a, double min_b, double max_b)
{
    return fmax(0, fmax(min_b - max_a, min_a - max_b));
}

static bool are_boxes_near(const weld *w, const carom_aabb *a, const carom_aabb *b)
{
    return is_within(w, gap(a->min.x, a->max.x, b->min.x, b->max.x), gap(a->min.y, a->max.y, b->min.y, b->max.y),
                     gap(a->min.z, a->max.z, b->min.z, b->max.z));
}

static bool are_one_group(const weld *w, const weld_node *a, const weld_node *b)
{
    return a->joined && b->joined &&
           base_set_root(w->parent, w->order[0][a->first]) == base_set_root(w->parent, w->order[0][b->first]);
}

/* The larger one, so that what decides is the distance between the boxes, not their size. */
static bool is_first_to_split(const weld_node *a, const weld_node *b)
{
    int i = longest_side(&a->box), k = longest_side(&b->box);
    return is_leaf(b) || (!is_leaf(a) && coordinate(a->box.max, i) - coordinate(a->box.min, i) >=
                                             coordinate(b->box.max, k) - coordinate(b->box.min, k));
}

/* False: the work is spent. */
static bool join_nodes(weld *w, size_t first, size_t second)
{
    size_t stack[STACK_SIZE][2] = {{first, second}}, count = 1;
    while (count > 0)
    {
        if (w->work_left-- == 0)
            return false;
        size_t i = stack[--count][0], k = stack[count][1];
        const weld_node *a = &w->nodes[i], *b = &w->nodes[k];
        if (are_one_group(w, a, b) || !are_boxes_near(w, &a->box, &b->box))
            continue;
        if (is_leaf(a) && is_leaf(b))
            base_set_join(w->parent, w->order[0][a->first], w->order[0][b->first]);
        else
        {
            bool splits_a = is_first_to_split(a, b);
            size_t whole = splits_a ? k : i, halves = splits_a ? i : k;
            stack[count][0] = whole, stack[count++][1] = upper_half(w, halves);
            stack[count][0] = whole, stack[count++][1] = lower_half(halves);
        }
    }
    return true;
}

/* Children come after their parents. False: the work is spent. */
static bool find_groups(weld *w)
{
    for (size_t i = 0; i < w->site_count; i++)
        w->parent[i] = (uint32_t)i;
    for (size_t i = w->node_count; i-- > 0;)
    {
        size_t lower = lower_half(i);
        w->nodes[i].joined = is_leaf(&w->nodes[i]);
        if (w->nodes[i].joined)
            continue;
        if (!join_nodes(w, lower, upper_half(w, i)))
            return false;
        w->nodes[i].joined = are_one_group(w, &w->nodes[lower], &w->nodes[upper_half(w, i)]);
    }
    return true;
}

/* ---- the soup ---- */

/* Moves the corners and counts. */
static void apply(weld *w, io_soup *soup)
{
    for (size_t i = 0; i < w->site_count; i++)
        soup->joined_corners += base_set_root(w->parent, (uint32_t)i) != i;
    for (size_t i = 0; i < io_soup_triangle_count(soup); i++)
    {
        uint32_t site[3], root[3];
        for (size_t k = 0; k < 3; k++)
            site[k] = w->site_of[soup->indices.items[3 * i + k]], root[k] = base_set_root(w->parent, site[k]);
        bool collapsed = false;
        for (int k = 0; k < 3; k++)
            collapsed = collapsed || (root[k] == root[(k + 1) % 3] && site[k] != site[(k + 1) % 3]);
        soup->collapsed_triangles += collapsed;
    }
    for (size_t i = 0; i < soup->vertices.count; i++)
        if (w->site_of[i] != NO_SITE)
            soup->vertices.items[i] = w->sites[base_set_root(w->parent, w->site_of[i])];
}

/* Memory for n vertices, of which the tree's follows when the number of sites is known. */
static size_t vertex_bytes(size_t n) { return n * (sizeof(carom_vec3) + 6 * sizeof(uint32_t)); }

static carom_status weld_vertices(weld *w, io_soup *soup, char *memory)
{
    size_t count = soup->vertices.count;
    w->sites = (carom_vec3 *)memory;
    w->site_of = (uint32_t *)(w->sites + count);
    w->scratch = w->site_of + count;
    w->parent = w->scratch + count;
    for (size_t axis = 0; axis < 3; axis++)
        w->order[axis] = w->parent + (axis + 1) * count;
    find_sites(w, soup);
    w->node_count = 2 * w->site_count - 1;
    w->nodes = carom_context_allocate(soup->context, w->node_count * sizeof *w->nodes, BASE_CACHE_LINE);
    if (!w->nodes)
        return CAROM_OUT_OF_MEMORY;
    build_tree(w);
    w->work_left = WORK_PER_SITE * (uint64_t)w->site_count;
    bool found = find_groups(w);
    if (found)
        apply(w, soup);
    carom_context_release(soup->context, w->nodes, w->node_count * sizeof *w->nodes);
    return found ? CAROM_OK : CAROM_TOO_LARGE;
}

carom_status io_soup_weld(const io_source *source, io_soup *soup, double length)
{
    if (!(length >= 0 && length <= MATH_COORDINATE_LIMIT))
        return io_fail(source, CAROM_INVALID_ARGUMENT, "a weld length of %g is not a number from 0 to 2^100", length);
    if (length == 0 || io_soup_triangle_count(soup) == 0)
        return CAROM_OK;
    BASE_TRY(io_step(source, "weld", 0, 1));
    weld w = {.length = length, .scale = ldexp(1, length < 0x1p-1000 ? 1000 : -ilogb(length))};
    w.limit = length * w.scale * (length * w.scale);
    size_t size = vertex_bytes(soup->vertices.count);
    char *memory = carom_context_allocate(soup->context, size, BASE_CACHE_LINE);
    carom_status status = memory ? weld_vertices(&w, soup, memory) : CAROM_OUT_OF_MEMORY;
    carom_context_release(soup->context, memory, size);
    if (status == CAROM_TOO_LARGE)
        return io_fail(source, status, "too many corners are very nearly the weld length of %g apart", length);
    return status == CAROM_OK ? CAROM_OK : io_out_of_memory(source);
}
