/* Which triangles of the mesh are mapped into each cell: those whose image, widened by more than rounding can be, meets
 * the closed cell. */
#include "geoimage/geoimage.h"

#define SLACK 1e-9

typedef struct cells_work
{
    const geoimage_disk *disk;
    geoimage_grid *grid;
    uint32_t *latest; /* per cell: the triangle that was listed last */
    bool counting;
    base_key_value *order, *scratch; /* triangles of the disk by those of the mesh */
} cells_work;

typedef struct cells_range
{
    double low, high;
} cells_range;

static void widen(cells_range *range, double x)
{
    range->low = fmin(range->low, x), range->high = fmax(range->high, x);
}

/* The x of the part of a triangle that is in a row of cells. */
static cells_range range_in_row(const geoimage_point corner[3], double bottom, double top)
{
    cells_range range = {INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++)
    {
        geoimage_point a = corner[k], b = corner[(k + 1) % 3];
        if (a.y >= bottom && a.y <= top)
            widen(&range, a.x);
        for (int side = 0; side < 2; side++)
        {
            double y = side ? top : bottom;
            if ((a.y < y && b.y > y) || (a.y > y && b.y < y))
                widen(&range, a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x));
        }
    }
    return range;
}

static void list_in_cell(cells_work *work, size_t cell, uint32_t source)
{
    if (work->latest[cell] == source)
        return;
    work->latest[cell] = source;
    if (work->counting)
        work->grid->cell_first[cell + 1]++;
    else
        work->grid->cell_triangles.items[work->grid->cell_first[cell]++] = source;
}

static void list_triangle(cells_work *work, uint32_t triangle)
{
    const geoimage_disk *disk = work->disk;
    uint32_t columns = work->grid->width - 1, rows = work->grid->height - 1;
    geoimage_point corner[3];
    cells_range all = {INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++)
    {
        corner[k] = disk->vertex.items[disk->corner.items[3 * (size_t)triangle + (size_t)k]].at;
        widen(&all, corner[k].y);
    }
    double last_row = fmin(floor(all.high + SLACK), rows - 1.0);
    for (double row = fmax(floor(all.low - SLACK), 0); row <= last_row; row++)
    {
        cells_range range = range_in_row(corner, row - SLACK, row + 1 + SLACK);
        double last = fmin(floor(range.high + SLACK), columns - 1.0);
        for (double column = fmax(floor(range.low - SLACK), 0); column <= last; column++)
            list_in_cell(work, (size_t)row * columns + (size_t)column, geoimage_mesh_triangle(disk, triangle));
    }
}

static void list_all(cells_work *work, size_t cells)
{
    for (size_t i = 0; i < cells; i++)
        work->latest[i] = GEOIMAGE_NONE;
    for (size_t i = 0; i < work->disk->source.count; i++)
        list_triangle(work, (uint32_t)work->order[i].value);
}

static bool list_twice(cells_work *work, size_t cells)
{
    geoimage_grid *grid = work->grid;
    memset(grid->cell_first, 0, (cells + 1) * sizeof *grid->cell_first);
    work->counting = true;
    list_all(work, cells);
    uint64_t sum = 0;
    for (size_t i = 0; i <= cells; i++)
    {
        sum += grid->cell_first[i];
        grid->cell_first[i] = (uint32_t)sum;
    }
    if (sum >= UINT32_MAX || !base_array_reserve(grid->context, &grid->cell_triangles, sum))
        return false;
    grid->cell_triangles.count = sum;
    work->counting = false;
    list_all(work, cells);
    memmove(grid->cell_first + 1, grid->cell_first, cells * sizeof *grid->cell_first);
    grid->cell_first[0] = 0;
    return true;
}

bool geoimage_list_cells(const geoimage_disk *disk, geoimage_grid *grid)
{
    carom_context *context = grid->context;
    size_t cells = (size_t)(grid->width - 1) * (grid->height - 1), triangles = disk->source.count;
    cells_work work = {.disk = disk, .grid = grid};
    grid->cell_first = base_allocate(context, cells + 1, sizeof *grid->cell_first, 8);
    work.latest = base_allocate(context, cells, sizeof *work.latest, 8);
    work.order = base_allocate(context, triangles, sizeof *work.order, 8);
    work.scratch = base_allocate(context, triangles, sizeof *work.scratch, 8);
    bool have = grid->cell_first && work.latest && work.order && work.scratch;
    for (size_t i = 0; have && i < triangles; i++)
        work.order[i] = (base_key_value){geoimage_mesh_triangle(disk, (uint32_t)i), i};
    if (have)
        base_sort_keys(work.order, work.scratch, triangles);
    have = have && list_twice(&work, cells);
    base_release(context, work.latest, cells, sizeof *work.latest);
    base_release(context, work.order, triangles, sizeof *work.order);
    base_release(context, work.scratch, triangles, sizeof *work.scratch);
    return have;
}
