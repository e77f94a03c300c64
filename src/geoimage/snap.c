/* More samples at sharp vertices of a disk, in two ways. A tip that falls between samples is cut off, however good the
 * map is, and on rough surfaces that is most of the error. First the map is made larger around the vertices that are
 * farthest from the grid, by up to two in the middle, where tips are that the map shrinks; then the vertices that are
 * farthest are moved onto grid points. Rounds go on as long as they reduce the error. */
#include "geoimage/bend.h"

enum
{
    MAX_GROWING_ROUNDS = 8, /* of measuring again */
    MAX_ROUNDS = 8,
    RADII = 3
};

/* Of the neighbourhoods, in cells, in the order in which they are tried. */
static const double GROWING_RADII[RADII] = {8, 12, 5}, SNAPPING_RADII[RADII] = {2, 3, 1.25};
static const double MIN_GROWING_RADIUS = 2;  /* halved down to this where triangles would fold */
static const double CONSIDERED = 0.75;       /* vertices with this part of the largest distance */
static const double WORTHWHILE_ROUND = 0.99; /* another round must reduce the error by this factor to be followed */

typedef struct snap_work
{
    bend_work bend;
    geoimage_disk *disk;
    geoimage_grid *grid;
    bool *taken; /* per grid point: a vertex is pinned there */
    base_key_value *order, *scratch;
    double radius; /* of this round, where the map is made larger */
} snap_work;

/* Bends the map for one vertex. False: out of memory. */
typedef bool (*snap_action)(snap_work *work, uint32_t vertex);

static bool snap(snap_work *work, uint32_t vertex)
{
    geoimage_point from = *bend_at(&work->bend, vertex), to = {floor(from.x + 0.5), floor(from.y + 0.5)};
    double right = work->grid->width - 1.0, top = work->grid->height - 1.0;
    size_t point = (size_t)to.y * work->grid->width + (size_t)to.x;
    bool is_inside = to.x > 0 && to.y > 0 && to.x < right && to.y < top, moved = false;
    if (work->bend.pinned[vertex] || !is_inside || work->taken[point])
        return true;
    for (int i = 0; i < RADII && !moved; i++)
    {
        bend_move move = {.vertex = vertex, .from = from, .to = to, .radius = SNAPPING_RADII[i]};
        if (!bend_try(&work->bend, &move, &moved))
            return false;
    }
    work->bend.pinned[vertex] = work->taken[point] = moved;
    return true;
}

/* Not if a neighbour had the same in this round. */
static bool grow(snap_work *work, uint32_t vertex)
{
    geoimage_point at = *bend_at(&work->bend, vertex), before = work->bend.before[vertex];
    double room = fmin(fmin(at.x, work->grid->width - 1.0 - at.x), fmin(at.y, work->grid->height - 1.0 - at.y));
    bool moved = at.x != before.x || at.y != before.y;
    for (double radius = work->radius; radius >= MIN_GROWING_RADIUS && !moved; radius /= 2)
    {
        bend_move move = {.vertex = vertex, .from = at, .to = at, .radius = fmin(radius, room), .growth = 1};
        if (!bend_try(&work->bend, &move, &moved))
            return false;
    }
    return true;
}

/* ---- rounds ---- */

/* The vertices that are far from the grid, the farthest first. */
static size_t list_far(snap_work *work)
{
    double worst = 0;
    size_t count = 0, vertices = work->bend.vertices;
    for (uint32_t v = 0; v < vertices; v++)
    {
        bool fixed = work->disk->vertex.items[v].on_border;
        double square = fixed ? 0 : geoimage_vertex_distance(work->disk, work->grid, v);
        uint64_t bits;
        memcpy(&bits, &square, sizeof bits); /* not negative: ordered as integers */
        work->order[v] = (base_key_value){UINT64_MAX - bits, v};
        worst = fmax(worst, square);
    }
    double least = CONSIDERED * CONSIDERED * worst;
    uint64_t limit;
    memcpy(&limit, &least, sizeof limit);
    for (size_t v = 0; v < vertices; v++)
        if (worst > 0 && work->order[v].key <= UINT64_MAX - limit)
            work->order[count++] = work->order[v];
    base_sort_keys(work->order, work->scratch, count);
    return count;
}

static void sample_again(snap_work *work) { work->grid->sample_error = geoimage_sample(work->disk, work->grid); }

/* A round that does not reduce the error is undone. *gain: what it multiplies the error by. False: out of memory. */
static bool run_round(snap_work *work, snap_action act, carom_geoimage_error *error, double *gain)
{
    bend_begin_round(&work->bend);
    size_t count = list_far(work);
    for (size_t i = 0; i < count; i++)
        if (!act(work, (uint32_t)work->order[i].value))
            return false;
    sample_again(work);
    carom_geoimage_error now = geoimage_error(work->disk, work->grid);
    double old_error = fmax(error->to_image, error->to_mesh), new_error = fmax(now.to_image, now.to_mesh);
    *gain = new_error / old_error;
    if (new_error < old_error)
        return *error = now, true;
    bend_undo_round(&work->bend);
    sample_again(work);
    return true;
}

/* Where one radius does not help, others may. */
static bool grow_all(snap_work *work, carom_geoimage_error *error)
{
    double gain;
    int kind = 0;
    for (int round = 0; round < MAX_GROWING_ROUNDS && kind < RADII; round++)
    {
        work->radius = GROWING_RADII[kind];
        if (!run_round(work, grow, error, &gain))
            return false;
        kind = gain <= WORTHWHILE_ROUND ? 0 : kind + 1;
    }
    return true;
}

static bool snap_all(snap_work *work, carom_geoimage_error *error)
{
    double gain = 0;
    for (int round = 0; round < MAX_ROUNDS && gain <= WORTHWHILE_ROUND; round++)
        if (!run_round(work, snap, error, &gain))
            return false;
    return true;
}

carom_status geoimage_snap(geoimage_disk *disk, geoimage_grid *grid, carom_geoimage_error *error)
{
    snap_work work = {.disk = disk, .grid = grid};
    size_t points = (size_t)grid->width * grid->height;
    bool have = bend_create(disk, grid, &work.bend);
    work.taken = base_arena_allocate(&work.bend.arena, points, sizeof *work.taken, 8);
    work.order = base_arena_allocate(&work.bend.arena, disk->vertex.count, sizeof *work.order, 8);
    work.scratch = base_arena_allocate(&work.bend.arena, disk->vertex.count, sizeof *work.scratch, 8);
    if (work.taken)
        memset(work.taken, 0, points);
    have = have && work.taken && work.order && work.scratch && grow_all(&work, error) && snap_all(&work, error);
    bend_free(&work.bend);
    return have ? CAROM_OK : geoimage_out_of_memory(disk);
}
