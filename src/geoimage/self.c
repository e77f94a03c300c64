/* Where a surface meets itself: quadtrees of boxes against themselves and each other (the geometry-image paper, section
 * 4). A node and itself become all pairs of its children; the boxes of neighbours always meet, so what is left are
 * mostly pairs of triangles with common corners, for which narrow_meets_beyond decides. */
#include "geoimage/geoimage.h"
#include "narrow/narrow.h"

enum
{
    FRONT = 512 /* pairs of nodes that are divided among the workers */
};

typedef struct self_node
{
    uint32_t chart, level, x, y;
} self_node;

typedef struct self_pair
{
    self_node a, b;
} self_pair;

typedef BASE_ARRAY(self_pair) self_pairs;

typedef struct self_chart
{
    carom_geoimage_chart info;
    geoimage_quadtree tree;
    uint64_t first; /* number of its first triangle, counted over all charts */
} self_chart;

/* What one worker found. */
typedef struct self_worker
{
    self_pairs stack;
    BASE_ARRAY(base_key_value) found; /* by the numbers of both triangles: how they meet */
    uint64_t box_tests, triangle_tests;
    narrow_counts counts;
    bool out_of_memory;
} self_worker;

typedef struct self_search
{
    carom_context *context;
    self_chart *charts;
    uint32_t chart_count, worker_count;
    self_pairs front, next;
    self_worker *workers;
} self_search;

/* ---- triangles ---- */

typedef struct self_triangle
{
    narrow_triangle triangle;
    uint32_t point[3]; /* of the chart */
    bool on_rim[3];
} self_triangle;

static bool is_on_rim(const carom_geoimage_chart *chart, uint32_t x, uint32_t y)
{
    return x == 0 || y == 0 || x + 1 == chart->width || y + 1 == chart->height;
}

/* Triangle 0 or 1 of a cell, as carom_geoimage numbers them. */
static self_triangle triangle_of(const self_chart *chart, const self_node *cell, uint32_t which)
{
    const uint32_t across[2][3] = {{0, 1, 1}, {0, 1, 0}}, up[2][3] = {{0, 0, 1}, {0, 1, 1}};
    self_triangle out;
    for (int k = 0; k < 3; k++)
    {
        uint32_t x = cell->x + across[which][k], y = cell->y + up[which][k];
        out.point[k] = y * chart->info.width + x;
        out.on_rim[k] = is_on_rim(&chart->info, x, y);
        out.triangle.corner[k] = chart->info.points[out.point[k]];
    }
    return out;
}

/* Which corners are one: the same point, or points of rims at the same position. */
static uint32_t shared_corners(const self_triangle *a, const self_triangle *b, bool same_chart)
{
    uint32_t shared = 0;
    for (int i = 0; i < 9; i++)
    {
        int k = i / 3, l = i % 3;
        bool same = same_chart && a->point[k] == b->point[l];
        bool seam = a->on_rim[k] && b->on_rim[l] && vec3_equal(a->triangle.corner[k], b->triangle.corner[l]);
        shared |= (uint32_t)(same || seam) << i;
    }
    return shared;
}

static uint64_t number_of(const self_chart *chart, const self_node *cell, uint32_t which)
{
    return chart->first + 2 * ((uint64_t)cell->y * (chart->info.width - 1) + cell->x) + which;
}

static void test_triangles(const self_search *search, self_worker *worker, const self_pair *cells,
                           const uint32_t which[2])
{
    const self_chart *chart_a = &search->charts[cells->a.chart], *chart_b = &search->charts[cells->b.chart];
    self_triangle a = triangle_of(chart_a, &cells->a, which[0]), b = triangle_of(chart_b, &cells->b, which[1]);
    uint32_t shared = shared_corners(&a, &b, chart_a == chart_b);
    worker->triangle_tests++;
    if (!narrow_meets_beyond(&a.triangle, &b.triangle, shared, &worker->counts))
        return;
    if (!base_array_reserve(search->context, &worker->found, 1))
    {
        worker->out_of_memory = true;
        return;
    }
    uint64_t number_a = number_of(chart_a, &cells->a, which[0]), number_b = number_of(chart_b, &cells->b, which[1]);
    uint64_t first = number_a < number_b ? number_a : number_b, second = number_a < number_b ? number_b : number_a;
    uint32_t meeting = narrow_meet(&a.triangle, &b.triangle, &worker->counts);
    worker->found.items[worker->found.count++] = (base_key_value){first << 32 | second, meeting};
}

static bool is_same_node(const self_pair *pair)
{
    return pair->a.chart == pair->b.chart && pair->a.level == pair->b.level && pair->a.x == pair->b.x &&
           pair->a.y == pair->b.y;
}

static void test_cells(const self_search *search, self_worker *worker, const self_pair *cells)
{
    if (is_same_node(cells))
    {
        test_triangles(search, worker, cells, (uint32_t[2]){0, 1});
        return;
    }
    for (uint32_t i = 0; i < 4; i++)
        test_triangles(search, worker, cells, (uint32_t[2]){i / 2, i % 2});
}

/* ---- boxes ---- */

static bool boxes_meet(const self_search *search, const self_pair *pair)
{
    const geoimage_quadtree *tree_a = &search->charts[pair->a.chart].tree,
                            *tree_b = &search->charts[pair->b.chart].tree;
    const float *a = tree_a->nodes +
                     GEOIMAGE_NODE * (size_t)geoimage_node_index(&tree_a->levels, pair->a.level, pair->a.x, pair->a.y);
    const float *b = tree_b->nodes +
                     GEOIMAGE_NODE * (size_t)geoimage_node_index(&tree_b->levels, pair->b.level, pair->b.x, pair->b.y);
    const int high = GEOIMAGE_NODE / 2;
    return a[0] <= b[high] && a[1] <= b[high + 1] && a[2] <= b[high + 2] && b[0] <= a[high] && b[1] <= a[high + 1] &&
           b[2] <= a[high + 2];
}

static int children_of(const self_search *search, const self_node *node, self_node out[4])
{
    const geoimage_levels *levels = &search->charts[node->chart].tree.levels;
    int count = 0;
    for (uint32_t i = 0; i < 4; i++)
    {
        self_node child = {node->chart, node->level - 1, 2 * node->x + i % 2, 2 * node->y + i / 2};
        if (child.x < geoimage_level_side(levels->columns, child.level) &&
            child.y < geoimage_level_side(levels->rows, child.level))
            out[count++] = child;
    }
    return count;
}

/* The node with the higher level is divided, both if they are at the same. */
static int parts_of(const self_search *search, const self_node *node, uint32_t other_level, self_node out[4])
{
    if (node->level > 0 && node->level >= other_level)
        return children_of(search, node, out);
    out[0] = *node;
    return 1;
}

/* Adds the pairs of children whose boxes meet. */
static void divide(const self_search *search, self_worker *worker, const self_pair *pair, self_pairs *out)
{
    self_node a[4], b[4];
    bool same = is_same_node(pair);
    int count_a = parts_of(search, &pair->a, pair->b.level, a), count_b = parts_of(search, &pair->b, pair->a.level, b);
    if (!base_array_reserve(search->context, out, 16))
    {
        worker->out_of_memory = true;
        return;
    }
    for (int i = 0; i < count_a; i++)
        for (int k = same ? i : 0; k < count_b; k++)
        {
            self_pair child = {a[i], b[k]};
            worker->box_tests++;
            if (boxes_meet(search, &child))
                out->items[out->count++] = child;
        }
}

static bool is_pair_of_cells(const self_pair *pair) { return pair->a.level == 0 && pair->b.level == 0; }

/* ---- the search ---- */

static void run_range(uint32_t first, uint32_t last, uint32_t number, void *data)
{
    self_search *search = data;
    self_worker *worker = &search->workers[number];
    for (uint32_t i = first; i < last && !worker->out_of_memory; i++)
    {
        self_pair pair = search->front.items[i];
        for (worker->stack.count = 0; !worker->out_of_memory; pair = worker->stack.items[--worker->stack.count])
        {
            if (is_pair_of_cells(&pair))
                test_cells(search, worker, &pair);
            else
                divide(search, worker, &pair, &worker->stack);
            if (worker->stack.count == 0)
                break;
        }
    }
}

/* All pairs of charts. */
static bool begin_front(self_search *search)
{
    self_pairs *front = &search->front;
    for (uint32_t i = 0; i < search->chart_count; i++)
        for (uint32_t k = i; k < search->chart_count; k++)
        {
            if (!base_array_reserve(search->context, front, 1))
                return false;
            self_pair pair = {{i, search->charts[i].tree.levels.count - 1, 0, 0},
                              {k, search->charts[k].tree.levels.count - 1, 0, 0}};
            search->workers->box_tests++;
            if (boxes_meet(search, &pair))
                front->items[front->count++] = pair;
        }
    return true;
}

/* Level by level, until there is enough for all workers. */
static bool widen_front(self_search *search)
{
    bool divided = true;
    while (divided && search->front.count < FRONT)
    {
        divided = false;
        search->next.count = 0;
        for (size_t i = 0; i < search->front.count; i++)
        {
            const self_pair *pair = &search->front.items[i];
            if (!base_array_reserve(search->context, &search->next, 1))
                return false;
            if (is_pair_of_cells(pair))
                search->next.items[search->next.count++] = *pair;
            else
                divide(search, search->workers, pair, &search->next), divided = true;
            if (search->workers->out_of_memory)
                return false;
        }
        self_pairs previous = search->front;
        search->front = search->next, search->next = previous;
    }
    return true;
}

static carom_status fail_memory(const self_search *search)
{
    return base_fail(search->context, CAROM_OUT_OF_MEMORY, "out of memory for the pairs of a geometry image");
}

static carom_status find_pairs(self_search *search)
{
    size_t size = search->worker_count * sizeof *search->workers;
    search->workers = base_allocate(search->context, search->worker_count, sizeof *search->workers, BASE_CACHE_LINE);
    if (!search->workers)
        return fail_memory(search);
    memset(search->workers, 0, size);
    if (!begin_front(search) || !widen_front(search))
        return fail_memory(search);
    if (search->front.count > UINT32_MAX)
        return base_fail(search->context, CAROM_TOO_LARGE, "%zu pairs of charts that are close to each other",
                         search->front.count);
    base_parallel_for(search->context, (uint32_t)search->front.count, 1, run_range, search);
    for (uint32_t i = 0; i < search->worker_count; i++)
        if (search->workers[i].out_of_memory)
            return fail_memory(search);
    return CAROM_OK;
}

/* ---- the answer ---- */

static carom_geoimage_pair pair_of(const self_search *search, const base_key_value *found)
{
    uint64_t numbers[2] = {found->key >> 32, found->key & UINT32_MAX};
    uint32_t chart[2];
    for (int s = 0; s < 2; s++)
    {
        uint32_t low = 0, high = search->chart_count;
        while (high - low > 1)
        {
            uint32_t middle = low + (high - low) / 2;
            *(search->charts[middle].first <= numbers[s] ? &low : &high) = middle;
        }
        chart[s] = low;
        numbers[s] -= search->charts[low].first;
    }
    return (carom_geoimage_pair){chart[0], (uint32_t)numbers[0], chart[1], (uint32_t)numbers[1],
                                 (uint32_t)found->value};
}

static carom_status report(self_search *search, carom_geoimage_self_result *result)
{
    carom_context *context = search->context;
    size_t count = 0, filled = 0;
    for (uint32_t i = 0; i < search->worker_count; i++)
        count += search->workers[i].found.count;
    base_key_value *all = base_allocate(context, count, sizeof *all, 8),
                   *scratch = base_allocate(context, count, sizeof *scratch, 8);
    result->pairs = base_allocate(context, count, sizeof *result->pairs, 8);
    bool have = all && scratch && result->pairs;
    for (uint32_t i = 0; i < search->worker_count; i++)
    {
        const self_worker *worker = &search->workers[i];
        for (size_t k = 0; have && k < worker->found.count; k++)
            all[filled++] = worker->found.items[k];
        result->box_tests += worker->box_tests, result->triangle_tests += worker->triangle_tests;
        result->exact_fallbacks += worker->counts.exact_fallbacks;
    }
    if (have)
        base_sort_keys(all, scratch, count);
    for (size_t i = 0; have && i < count; i++)
        result->pairs[i] = pair_of(search, &all[i]);
    result->pair_count = result->pairs ? count : 0;
    base_release(context, all, count, sizeof *all);
    base_release(context, scratch, count, sizeof *scratch);
    return have ? CAROM_OK : fail_memory(search);
}

/* ---- charts ---- */

static carom_aabb bounds_of(const self_search *search)
{
    carom_vec3 low = search->charts[0].info.points[0], high = low;
    for (uint32_t c = 0; c < search->chart_count; c++)
    {
        const carom_geoimage_chart *info = &search->charts[c].info;
        for (size_t i = 0; i < (size_t)info->width * info->height; i++)
            low = vec3_min(low, info->points[i]), high = vec3_max(high, info->points[i]);
    }
    return (carom_aabb){low, high};
}

static carom_status prepare(self_search *search, const carom_geoimage *image)
{
    carom_context *context = search->context;
    uint64_t triangles = 0;
    search->charts = base_allocate(context, search->chart_count, sizeof *search->charts, BASE_CACHE_LINE);
    if (!search->charts)
        return fail_memory(search);
    memset(search->charts, 0, search->chart_count * sizeof *search->charts);
    for (uint32_t i = 0; i < search->chart_count; i++)
    {
        self_chart *chart = &search->charts[i];
        chart->tree.context = context;
        BASE_TRY(carom_geoimage_get_chart(image, i, &chart->info));
        chart->first = triangles;
        triangles += 2 * (uint64_t)(chart->info.width - 1) * (chart->info.height - 1);
    }
    if (triangles > UINT32_MAX)
        return base_fail(context, CAROM_TOO_LARGE, "a geometry image of %llu triangles: at most 2^32 - 1",
                         (unsigned long long)triangles);
    carom_aabb bounds = bounds_of(search);
    for (uint32_t i = 0; i < search->chart_count; i++)
    {
        self_chart *chart = &search->charts[i];
        BASE_TRY(geoimage_quadtree_create(context, chart->info.width, chart->info.height, &chart->tree));
        geoimage_quadtree_build(&chart->tree, chart->info.points, &bounds);
    }
    return CAROM_OK;
}

static void end(self_search *search)
{
    carom_context *context = search->context;
    for (uint32_t i = 0; search->charts && i < search->chart_count; i++)
        if (search->charts[i].tree.nodes)
            geoimage_quadtree_free(&search->charts[i].tree);
    base_release(context, search->charts, search->chart_count, sizeof *search->charts);
    for (uint32_t i = 0; search->workers && i < search->worker_count; i++)
    {
        base_array_free(context, &search->workers[i].stack);
        base_array_free(context, &search->workers[i].found);
    }
    base_release(context, search->workers, search->worker_count, sizeof *search->workers);
    base_array_free(context, &search->front);
    base_array_free(context, &search->next);
}

carom_status carom_geoimage_self(const carom_geoimage *image, carom_geoimage_self_result *result)
{
    if (!image || !result)
        return CAROM_INVALID_ARGUMENT;
    carom_context *context = geoimage_context(image);
    *result = (carom_geoimage_self_result){.context = context};
    BASE_TRY(base_check_float_mode(context));
    self_search search = {.context = context, .chart_count = carom_geoimage_get_info(image).chart_count};
    search.worker_count = base_worker_count(context);
    if (search.chart_count == 0)
        return CAROM_OK;
    double begin = base_now();
    carom_status status = prepare(&search, image);
    result->build_ms = 1e3 * (base_now() - begin);
    if (!carom_failed(status))
        status = find_pairs(&search);
    if (!carom_failed(status))
        status = report(&search, result);
    result->search_ms = 1e3 * (base_now() - begin) - result->build_ms;
    end(&search);
    if (carom_failed(status))
        carom_geoimage_self_free(result);
    return status;
}

void carom_geoimage_self_free(carom_geoimage_self_result *result)
{
    if (!result || !result->context)
        return;
    base_release(result->context, result->pairs, result->pair_count, sizeof *result->pairs);
    *result = (carom_geoimage_self_result){0};
}
