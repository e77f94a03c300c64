/* Moving sharp vertices of a disk onto points of the grid. A tip that falls between samples is cut off, however good
 * the map is, and on rough surfaces that is most of the error. So the map is bent around the vertices that are farthest
 * from the grid: the vertex goes to the nearest grid point, and its neighbourhood follows it by a share that falls to
 * zero at a radius of a few cells. Such a displacement is one to one as long as it is shorter than the radius; for the
 * triangles, orientations are checked exactly, and a vertex whose neighbourhood would fold stays where it is. */
#include "geoimage/geoimage.h"

enum
{
    MAX_ROUNDS = 8 /* of snapping and measuring again */
};

static const double RADII[] = {2, 3, 1.25};  /* of the neighbourhood, in cells, in the order in which they are tried */
static const double CONSIDERED = 0.75;       /* vertices with this part of the largest distance */
static const double WORTHWHILE_ROUND = 0.99; /* another round must reduce the error by this factor to be followed */

typedef struct snap_work
{
    geoimage_disk *disk;
    geoimage_grid *grid;
    size_t vertices, cells;
    size_t *half_first;     /* per vertex and one more: where the half-edges that start there begin */
    uint32_t *half;         /* by vertex */
    size_t *bucket_first;   /* per cell and one more: where its vertices begin */
    uint32_t *bucket;       /* inner vertices by cell, as they were at the beginning of a round */
    bool *pinned;           /* per vertex: on a grid point */
    bool *taken;            /* per grid point: a vertex is pinned there */
    geoimage_point *before; /* per vertex: at the beginning of a round */
    base_key_value *order, *scratch;
    BASE_ARRAY(uint32_t) moved;
    BASE_ARRAY(geoimage_point) moved_from;
} snap_work;

static geoimage_vertex *vertex_at(const snap_work *work, uint32_t vertex) { return &work->disk->vertex.items[vertex]; }

/* ---- tables ---- */

static size_t cell_of(const snap_work *work, geoimage_point at)
{
    double i = fmin(fmax(floor(at.x), 0), work->grid->width - 2.0),
           j = fmin(fmax(floor(at.y), 0), work->grid->height - 2.0);
    return (size_t)j * (work->grid->width - 1) + (size_t)i;
}

/* Turns counts at first[i + 1] into where each list begins. */
static void sum_counts(size_t *first, size_t count)
{
    for (size_t i = 0; i < count; i++)
        first[i + 1] += first[i];
}

/* After filling the lists, each begin is where the list ends. */
static void shift_back(size_t *first, size_t count)
{
    for (size_t i = count; i > 0; i--)
        first[i] = first[i - 1];
    first[0] = 0;
}

static void list_halves(snap_work *work)
{
    const geoimage_disk *disk = work->disk;
    memset(work->half_first, 0, (work->vertices + 1) * sizeof *work->half_first);
    for (uint32_t half = 0; half < disk->corner.count; half++)
        work->half_first[geoimage_start(disk, half) + 1]++;
    sum_counts(work->half_first, work->vertices);
    for (uint32_t half = 0; half < disk->corner.count; half++)
        work->half[work->half_first[geoimage_start(disk, half)]++] = half;
    shift_back(work->half_first, work->vertices);
}

static void fill_buckets(snap_work *work)
{
    memset(work->bucket_first, 0, (work->cells + 1) * sizeof *work->bucket_first);
    for (uint32_t v = 0; v < work->vertices; v++)
        if (!vertex_at(work, v)->on_border)
            work->bucket_first[cell_of(work, vertex_at(work, v)->at) + 1]++;
    sum_counts(work->bucket_first, work->cells);
    for (uint32_t v = 0; v < work->vertices; v++)
        if (!vertex_at(work, v)->on_border)
            work->bucket[work->bucket_first[cell_of(work, vertex_at(work, v)->at)]++] = v;
    shift_back(work->bucket_first, work->cells);
}

/* ---- one vertex ---- */

static double apart(geoimage_point a, geoimage_point b)
{
    double x = a.x - b.x, y = a.y - b.y;
    return sqrt(x * x + y * y);
}

typedef struct snap_move
{
    uint32_t vertex;
    geoimage_point from, to;
    double radius;
} snap_move;

/* Moves one vertex by its share. False: out of memory. */
static bool follow(snap_work *work, const snap_move *move, uint32_t vertex)
{
    carom_context *context = work->disk->context;
    geoimage_vertex *moving = vertex_at(work, vertex);
    double distance = apart(moving->at, move->from);
    if (work->pinned[vertex] || !(distance < move->radius))
        return true;
    if (!base_array_reserve(context, &work->moved, 1) || !base_array_reserve(context, &work->moved_from, 1))
        return false;
    work->moved.items[work->moved.count++] = vertex;
    work->moved_from.items[work->moved_from.count++] = moving->at;
    double share = 1 - distance / move->radius;
    moving->at.x += share * (move->to.x - move->from.x);
    moving->at.y += share * (move->to.y - move->from.y);
    if (vertex == move->vertex)
        moving->at = move->to;
    return true;
}

/* Vertices are looked for where they were at the beginning of the round; each has moved by less than two cells. */
static bool follow_all(snap_work *work, const snap_move *move)
{
    double reach = move->radius + 2, columns = work->grid->width - 1.0, rows = work->grid->height - 1.0;
    double i_end = fmin(floor(move->from.x + reach), columns - 1), j_end = fmin(floor(move->from.y + reach), rows - 1);
    work->moved.count = work->moved_from.count = 0;
    for (double j = fmax(floor(move->from.y - reach), 0); j <= j_end; j++)
        for (double i = fmax(floor(move->from.x - reach), 0); i <= i_end; i++)
        {
            size_t cell = (size_t)j * (size_t)columns + (size_t)i;
            for (size_t k = work->bucket_first[cell]; k < work->bucket_first[cell + 1]; k++)
                if (!follow(work, move, work->bucket[k]))
                    return false;
        }
    return true;
}

static bool moved_folds(const snap_work *work)
{
    for (size_t i = 0; i < work->moved.count; i++)
    {
        uint32_t vertex = work->moved.items[i];
        for (size_t k = work->half_first[vertex]; k < work->half_first[vertex + 1]; k++)
            if (geoimage_orientation(work->disk, work->half[k] / 3) <= 0)
                return true;
    }
    return false;
}

static bool is_inside(const geoimage_point *p, const geoimage_grid *grid)
{
    return p->x > 0 && p->y > 0 && p->x < grid->width - 1.0 && p->y < grid->height - 1.0;
}

static void undo(snap_work *work)
{
    for (size_t i = work->moved.count; i-- > 0;)
        vertex_at(work, work->moved.items[i])->at = work->moved_from.items[i];
}

/* False: out of memory. */
static bool snap(snap_work *work, uint32_t vertex)
{
    geoimage_point from = vertex_at(work, vertex)->at, to = {floor(from.x + 0.5), floor(from.y + 0.5)};
    size_t point = (size_t)to.y * work->grid->width + (size_t)to.x;
    if (work->pinned[vertex] || !is_inside(&to, work->grid) || work->taken[point])
        return true;
    for (size_t i = 0; i < sizeof RADII / sizeof *RADII; i++)
    {
        snap_move move = {.vertex = vertex, .from = from, .to = to, .radius = RADII[i]};
        bool have = follow_all(work, &move);
        if (have && !moved_folds(work))
        {
            work->pinned[vertex] = work->taken[point] = true;
            return true;
        }
        undo(work);
        if (!have)
            return false;
    }
    return true;
}

/* ---- rounds ---- */

/* The vertices that are far from the grid, the farthest first. */
static size_t list_far(snap_work *work)
{
    double worst = 0;
    size_t count = 0;
    for (uint32_t v = 0; v < work->vertices; v++)
    {
        double square = vertex_at(work, v)->on_border ? 0 : geoimage_vertex_distance(work->disk, work->grid, v);
        uint64_t bits;
        memcpy(&bits, &square, sizeof bits); /* not negative: ordered as integers */
        work->order[v] = (base_key_value){UINT64_MAX - bits, v};
        worst = fmax(worst, square);
    }
    double least = CONSIDERED * CONSIDERED * worst;
    uint64_t limit;
    memcpy(&limit, &least, sizeof limit);
    for (size_t v = 0; v < work->vertices; v++)
        if (worst > 0 && work->order[v].key <= UINT64_MAX - limit)
            work->order[count++] = work->order[v];
    base_sort_keys(work->order, work->scratch, count);
    return count;
}

static carom_geoimage_error sample_again(snap_work *work)
{
    work->grid->sample_error = geoimage_sample(work->disk, work->grid);
    return geoimage_error(work->disk, work->grid);
}

static void return_all(snap_work *work)
{
    for (size_t v = 0; v < work->vertices; v++)
        work->disk->vertex.items[v].at = work->before[v];
}

static bool run(snap_work *work, carom_geoimage_error *error)
{
    for (int round = 0; round < MAX_ROUNDS; round++)
    {
        for (size_t v = 0; v < work->vertices; v++)
            work->before[v] = work->disk->vertex.items[v].at;
        fill_buckets(work);
        size_t count = list_far(work);
        for (size_t i = 0; i < count; i++)
            if (!snap(work, (uint32_t)work->order[i].value))
                return false;
        double old = fmax(error->to_image, error->to_mesh);
        carom_geoimage_error now = sample_again(work);
        double gained = fmax(now.to_image, now.to_mesh);
        if (!(gained < old))
        {
            return_all(work);
            sample_again(work);
            return true;
        }
        *error = now;
        if (gained > WORTHWHILE_ROUND * old)
            return true;
    }
    return true;
}

carom_status geoimage_snap(geoimage_disk *disk, geoimage_grid *grid, carom_geoimage_error *error)
{
    base_arena arena = {.context = disk->context};
    snap_work work = {.disk = disk, .grid = grid, .vertices = disk->vertex.count};
    size_t points = (size_t)grid->width * grid->height;
    work.cells = (size_t)(grid->width - 1) * (grid->height - 1);
    work.half_first = base_arena_allocate(&arena, work.vertices + 1, sizeof *work.half_first, 8);
    work.half = base_arena_allocate(&arena, disk->corner.count, sizeof *work.half, 8);
    work.bucket_first = base_arena_allocate(&arena, work.cells + 1, sizeof *work.bucket_first, 8);
    work.bucket = base_arena_allocate(&arena, work.vertices, sizeof *work.bucket, 8);
    work.pinned = base_arena_allocate(&arena, work.vertices, sizeof *work.pinned, 8);
    work.taken = base_arena_allocate(&arena, points, sizeof *work.taken, 8);
    work.before = base_arena_allocate(&arena, work.vertices, sizeof *work.before, 8);
    work.order = base_arena_allocate(&arena, work.vertices, sizeof *work.order, 8);
    work.scratch = base_arena_allocate(&arena, work.vertices, sizeof *work.scratch, 8);
    bool have = work.half_first && work.half && work.bucket_first && work.bucket && work.pinned && work.taken &&
                work.before && work.order && work.scratch;
    if (have)
    {
        memset(work.pinned, 0, work.vertices);
        memset(work.taken, 0, points);
        list_halves(&work);
        have = run(&work, error);
    }
    base_array_free(disk->context, &work.moved);
    base_array_free(disk->context, &work.moved_from);
    base_arena_free(&arena);
    return have ? CAROM_OK : geoimage_out_of_memory(disk);
}
