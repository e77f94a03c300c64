/* The triangles of any mesh as a square of cells. Each chart is mapped to a rectangle (docs/geometry-images.md), where
 * its triangles are divided into equal halves, by y and by x in turn, down to cells of a few triangles. So neighbours
 * in the square are neighbours in the map, however much that is stretched, and no cell is crowded. Charts are put one
 * after the other along a Z-shaped curve, the largest first, so that each is a node of a quadtree. Every triangle is in
 * one cell, also where a map folds over: then cells have triangles that are not neighbours, and no more. */
#include "geoimage/geoimage.h"

enum
{
    MAX_TRIANGLES = 1 << 18 /* more take too long to map */
};

typedef struct atlas_chart
{
    uint32_t levels; /* 4^levels cells */
    uint64_t first;  /* of these, along the curve */
} atlas_chart;

typedef struct atlas_work
{
    carom_context *context;
    const carom_mesh *mesh;
    geoimage_surface surface;
    atlas_chart *charts;
    geoimage_point *at; /* per triangle of the mesh: where it is in its chart's map */
    uint32_t *order;    /* triangles of all charts, in the order of their cells */
    base_key_value *keys, *space;
} atlas_work;

static carom_status out_of_memory(const atlas_work *work)
{
    return base_fail(work->context, CAROM_OUT_OF_MEMORY, "%.100s: out of memory for an atlas of %u triangles",
                     work->mesh->name, work->mesh->triangle_count);
}

/* So many that no cell has more than GEOIMAGE_CELL_TRIANGLES. */
static uint32_t levels_for(uint32_t triangles)
{
    uint32_t levels = 0;
    while ((uint64_t)GEOIMAGE_CELL_TRIANGLES << 2 * levels < triangles)
        levels++;
    return levels;
}

/* ---- where triangles are ---- */

static void note_places(atlas_work *work, const geoimage_disk *disk)
{
    for (uint32_t i = 0; i < disk->source_count;
         i++) /* the first of the disk are those of the chart, or parts of them */
    {
        geoimage_point sum = {0, 0};
        for (size_t k = 0; k < 3; k++)
        {
            geoimage_point corner = disk->vertex.items[disk->corner.items[3 * (size_t)i + k]].at;
            sum.x += corner.x, sum.y += corner.y;
        }
        work->at[geoimage_mesh_triangle(disk, i)] = sum;
    }
}

static carom_status map_chart(atlas_work *work, uint32_t chart, uint32_t levels, geoimage_refusal *refusal)
{
    geoimage_disk disk = {0};
    geoimage_map map = {0};
    geoimage_topology topology = {0};
    uint32_t side = (2u << levels) + 1;
    geoimage_map_def def = {.width = side, .height = side, .may_fold = true};
    def.max_width = def.max_height = CAROM_GEOIMAGE_MAX_SIDE;
    carom_status status = geoimage_disk_create(&work->surface, chart, &disk);
    disk.refusal = refusal;
    if (!carom_failed(status))
        status = geoimage_cut(&disk, &topology);
    if (!carom_failed(status))
        status = geoimage_map_create(&disk, &def, &map);
    if (!carom_failed(status))
        note_places(work, &map.disk);
    geoimage_map_free(&map);
    geoimage_disk_free(&disk);
    return status;
}

/* ---- halves ---- */

/* Sorts a run of triangles by x or by y. Coordinates are not negative, so their bits are in order. */
static void sort_run(atlas_work *work, uint32_t *run, size_t count, bool by_x)
{
    for (size_t i = 0; i < count; i++)
    {
        double value = by_x ? work->at[run[i]].x : work->at[run[i]].y;
        uint64_t key;
        value = value > 0.0 ? value : 0.0;
        memcpy(&key, &value, sizeof key);
        work->keys[i] = (base_key_value){key, run[i]};
    }
    base_sort_keys(work->keys, work->space, count);
    for (size_t i = 0; i < count; i++)
        run[i] = (uint32_t)work->keys[i].value;
}

/* Where the triangles of cell z of 4^levels begin. */
static size_t cell_start(uint64_t z, uint32_t count, uint32_t levels) { return (size_t)(z * count >> 2 * levels); }

/* The triangles of a chart, in the order of the curve: the four quarters of a node are (0, 0), (1, 0), (0, 1), (1, 1).
 */
static void divide_chart(atlas_work *work, uint32_t *run, uint32_t count, uint32_t levels)
{
    for (uint32_t level = levels; level > 0; level--)
    {
        uint64_t cells = (uint64_t)1 << 2 * level, half = cells / 2;
        for (uint64_t z = 0; z < (uint64_t)1 << 2 * levels; z += cells)
        {
            size_t first = cell_start(z, count, levels), middle = cell_start(z + half, count, levels);
            size_t end = cell_start(z + cells, count, levels);
            sort_run(work, run + first, end - first, false);
            sort_run(work, run + first, middle - first, true);
            sort_run(work, run + middle, end - middle, true);
        }
    }
}

static carom_status place_chart(atlas_work *work, uint32_t chart, geoimage_refusal *refusal)
{
    const geoimage_surface *surface = &work->surface;
    uint32_t first = surface->chart_first[chart], count = surface->chart_first[chart + 1] - first;
    uint32_t levels = levels_for(count);
    work->charts[chart].levels = levels;
    memcpy(work->order + first, surface->triangles + first, count * sizeof *work->order);
    if (levels == 0)
        return CAROM_OK;
    BASE_TRY(map_chart(work, chart, levels, refusal));
    divide_chart(work, work->order + first, count, levels);
    return CAROM_OK;
}

/* ---- all charts ---- */

/* The lowest bits of a number, spread to every third. */
static uint64_t spread(uint64_t bits)
{
    uint64_t out = 0;
    for (int i = 0; i < 16; i++)
        out |= (bits >> i & 1) << 3 * i;
    return out;
}

/* Charts of one size in the order of a curve through space. */
static uint64_t curve_position(const atlas_work *work, uint32_t chart)
{
    carom_vec3 p[3];
    math_frame frame = math_frame_of(&work->mesh->info.bounds);
    mesh_corners(work->mesh, work->surface.triangles[work->surface.chart_first[chart]], p);
    carom_vec3 y = math_normalise(&frame, p[0]);
    uint64_t x16 = (uint64_t)((y.x + 1.0) * 0x1p15), y16 = (uint64_t)((y.y + 1.0) * 0x1p15),
             z16 = (uint64_t)((y.z + 1.0) * 0x1p15);
    return spread(x16) | spread(y16) << 1 | spread(z16) << 2;
}

/* Returns the number of cells of all charts. */
static uint64_t arrange_charts(atlas_work *work)
{
    uint32_t count = work->surface.chart_count;
    uint64_t cells = 0;
    for (uint32_t i = 0; i < count; i++)
        work->keys[i] = (base_key_value){(uint64_t)(31 - work->charts[i].levels) << 48 | curve_position(work, i), i};
    base_sort_keys(work->keys, work->space, count);
    for (uint32_t i = 0; i < count; i++)
    {
        atlas_chart *chart = &work->charts[work->keys[i].value];
        chart->first = cells;
        cells += (uint64_t)1 << 2 * chart->levels;
    }
    return cells;
}

/* Every second bit of a number. */
static uint32_t gather(uint64_t bits)
{
    uint32_t out = 0;
    for (int i = 0; i < 16; i++)
        out |= (uint32_t)(bits >> 2 * i & 1) << i;
    return out;
}

/* Calls for each cell of each chart: counts its triangles, or lists them. */
static void visit_cells(const atlas_work *work, geoimage_atlas *atlas, bool counting)
{
    const geoimage_surface *surface = &work->surface;
    for (uint32_t c = 0; c < surface->chart_count; c++)
    {
        const atlas_chart *chart = &work->charts[c];
        const uint32_t *run = work->order + surface->chart_first[c];
        uint32_t count = surface->chart_first[c + 1] - surface->chart_first[c];
        for (uint64_t z = 0; z < (uint64_t)1 << 2 * chart->levels; z++)
        {
            size_t first = cell_start(z, count, chart->levels), end = cell_start(z + 1, count, chart->levels);
            uint64_t along = chart->first + z;
            size_t cell = (size_t)gather(along >> 1) * atlas->side + gather(along);
            if (counting)
                atlas->cell_first[cell + 1] = (uint32_t)(end - first);
            else
                memcpy(atlas->triangles + atlas->cell_first[cell], run + first, (end - first) * sizeof *run);
        }
    }
}

static carom_status fill_atlas(atlas_work *work, geoimage_atlas *atlas)
{
    uint64_t cells = arrange_charts(work);
    atlas->side = 1;
    while ((uint64_t)atlas->side * atlas->side < cells)
        atlas->side *= 2;
    if (atlas->side > GEOIMAGE_MAX_CELLS)
        return geoimage_refuse(&atlas->refusal, CAROM_TOO_LARGE, "%.100s: an atlas of %llu cells", work->mesh->name,
                               (unsigned long long)cells);
    size_t count = (size_t)atlas->side * atlas->side;
    atlas->triangle_count = work->mesh->triangle_count;
    atlas->cell_first = base_allocate(work->context, count + 1, sizeof *atlas->cell_first, 64);
    atlas->triangles = base_allocate(work->context, atlas->triangle_count, sizeof *atlas->triangles, 64);
    if (!atlas->cell_first || !atlas->triangles)
        return out_of_memory(work);
    memset(atlas->cell_first, 0, (count + 1) * sizeof *atlas->cell_first);
    visit_cells(work, atlas, true);
    for (size_t i = 0; i < count; i++)
        atlas->cell_first[i + 1] += atlas->cell_first[i];
    visit_cells(work, atlas, false);
    return CAROM_OK;
}

static carom_status make_atlas(atlas_work *work, geoimage_atlas *atlas)
{
    uint32_t triangles = work->mesh->triangle_count;
    BASE_TRY(geoimage_glue(work->context, work->mesh, &work->surface));
    work->charts = base_allocate(work->context, work->surface.chart_count, sizeof *work->charts, 64);
    work->at = base_allocate(work->context, triangles, sizeof *work->at, 64);
    work->order = base_allocate(work->context, triangles, sizeof *work->order, 64);
    work->keys = base_allocate(work->context, triangles, sizeof *work->keys, 64);
    work->space = base_allocate(work->context, triangles, sizeof *work->space, 64);
    if (!work->charts || !work->at || !work->order || !work->keys || !work->space)
        return out_of_memory(work);
    for (uint32_t i = 0; i < work->surface.chart_count; i++)
        BASE_TRY(place_chart(work, i, &atlas->refusal));
    return fill_atlas(work, atlas);
}

carom_status geoimage_atlas_create(carom_context *context, const carom_mesh *mesh, geoimage_atlas *out)
{
    atlas_work work = {.context = context, .mesh = mesh};
    uint32_t triangles = mesh->triangle_count;
    *out = (geoimage_atlas){.context = context};
    if (triangles > MAX_TRIANGLES)
        return geoimage_refuse(&out->refusal, CAROM_TOO_LARGE, "%.100s: %u triangles are too many for an atlas",
                               mesh->name, triangles);
    carom_status status = make_atlas(&work, out);
    base_release(context, work.charts, work.surface.chart_count, sizeof *work.charts);
    base_release(context, work.at, triangles, sizeof *work.at);
    base_release(context, work.order, triangles, sizeof *work.order);
    base_release(context, work.keys, triangles, sizeof *work.keys);
    base_release(context, work.space, triangles, sizeof *work.space);
    geoimage_surface_free(&work.surface);
    if (carom_failed(status))
        geoimage_atlas_free(out);
    return status;
}

void geoimage_atlas_free(geoimage_atlas *atlas)
{
    size_t cells = (size_t)atlas->side * atlas->side;
    if (!atlas->context)
        return;
    base_release(atlas->context, atlas->cell_first, cells + 1, sizeof *atlas->cell_first);
    base_release(atlas->context, atlas->triangles, atlas->triangle_count, sizeof *atlas->triangles);
    *atlas = (geoimage_atlas){.refusal = atlas->refusal};
}
