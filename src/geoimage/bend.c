/* Moving vertices of a map with their neighbourhoods. Such a displacement is one to one as long as it is shorter than
 * its radius; for the triangles, orientations are checked exactly. */
#include "geoimage/bend.h"

/* ---- tables ---- */

static size_t cell_of(const bend_work *work, geoimage_point at)
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

static void list_halves(bend_work *work)
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

static void fill_buckets(bend_work *work)
{
    memset(work->bucket_first, 0, (work->cells + 1) * sizeof *work->bucket_first);
    for (uint32_t v = 0; v < work->vertices; v++)
        if (!work->disk->vertex.items[v].on_border)
            work->bucket_first[cell_of(work, *bend_at(work, v)) + 1]++;
    sum_counts(work->bucket_first, work->cells);
    for (uint32_t v = 0; v < work->vertices; v++)
        if (!work->disk->vertex.items[v].on_border)
            work->bucket[work->bucket_first[cell_of(work, *bend_at(work, v))]++] = v;
    shift_back(work->bucket_first, work->cells);
}

bool bend_create(geoimage_disk *disk, const geoimage_grid *grid, bend_work *out)
{
    *out = (bend_work){.disk = disk, .grid = grid, .vertices = disk->vertex.count};
    out->arena.context = disk->context;
    out->cells = (size_t)(grid->width - 1) * (grid->height - 1);
    out->half_first = base_arena_allocate(&out->arena, out->vertices + 1, sizeof *out->half_first, 8);
    out->half = base_arena_allocate(&out->arena, disk->corner.count, sizeof *out->half, 8);
    out->bucket_first = base_arena_allocate(&out->arena, out->cells + 1, sizeof *out->bucket_first, 8);
    out->bucket = base_arena_allocate(&out->arena, out->vertices, sizeof *out->bucket, 8);
    out->pinned = base_arena_allocate(&out->arena, out->vertices, sizeof *out->pinned, 8);
    out->before = base_arena_allocate(&out->arena, out->vertices, sizeof *out->before, 8);
    if (!out->half_first || !out->half || !out->bucket_first || !out->bucket || !out->pinned || !out->before)
        return false;
    memset(out->pinned, 0, out->vertices);
    list_halves(out);
    return true;
}

void bend_free(bend_work *work)
{
    base_array_free(work->disk->context, &work->moved);
    base_array_free(work->disk->context, &work->moved_from);
    base_arena_free(&work->arena);
}

/* ---- rounds ---- */

void bend_begin_round(bend_work *work)
{
    for (uint32_t v = 0; v < work->vertices; v++)
        work->before[v] = *bend_at(work, v);
    fill_buckets(work);
}

void bend_undo_round(bend_work *work)
{
    for (uint32_t v = 0; v < work->vertices; v++)
        *bend_at(work, v) = work->before[v];
}

/* ---- one move ---- */

/* Moves one vertex by its share. False: out of memory. */
static bool follow(bend_work *work, const bend_move *move, uint32_t vertex)
{
    carom_context *context = work->disk->context;
    geoimage_point *at = bend_at(work, vertex);
    double x = at->x - move->from.x, y = at->y - move->from.y, distance = sqrt(x * x + y * y);
    if (work->pinned[vertex] || !(distance < move->radius))
        return true;
    if (!base_array_reserve(context, &work->moved, 1) || !base_array_reserve(context, &work->moved_from, 1))
        return false;
    work->moved.items[work->moved.count++] = vertex;
    work->moved_from.items[work->moved_from.count++] = *at;
    double share = 1 - distance / move->radius, growth = share * share * move->growth;
    at->x += share * (move->to.x - move->from.x) + growth * x;
    at->y += share * (move->to.y - move->from.y) + growth * y;
    if (vertex == move->vertex)
        *at = move->to;
    return true;
}

/* Vertices are looked for where they were at the beginning of the round; most have moved by less than two cells since,
 * and it does no harm if one is missed. */
static bool follow_all(bend_work *work, const bend_move *move)
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

static bool moved_folds(const bend_work *work)
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

bool bend_try(bend_work *work, const bend_move *move, bool *moved)
{
    bool have = follow_all(work, move);
    *moved = have && !moved_folds(work);
    for (size_t i = work->moved.count; !*moved && i-- > 0;)
        *bend_at(work, work->moved.items[i]) = work->moved_from.items[i];
    return have;
}
