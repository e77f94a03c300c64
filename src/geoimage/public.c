/* carom/geoimage.h: the whole flow, and images for callers. */
#include "geoimage/geoimage.h"

typedef struct chart_image
{
    geoimage_grid grid;
    carom_geoimage_chart info;
    uint32_t *seam;
    /* In units of the disk: the area, and sums of the stretch, which are lengths per cell. */
    double area, square_sum, max_stretch;
} chart_image;

struct carom_geoimage
{
    carom_context *context;
    carom_geoimage_info info;
    chart_image *charts;
};

carom_geoimage_def carom_geoimage_def_default(void)
{
    return (carom_geoimage_def){
        .width = 257, .height = 257, .extra_cuts = 4, .stretch_steps = 6, .list_triangles = true};
}

static uint32_t rim_count(const geoimage_grid *grid) { return 2 * (grid->width + grid->height - 2); }

/* A refusal is an error for whoever wants an image. */
static carom_status raise(carom_context *context, carom_status status, const geoimage_refusal *refusal)
{
    return geoimage_is_refusal(status) ? base_fail(context, status, "%s", refusal->text) : status;
}

/* ---- one chart ---- */

static void free_chart(carom_context *context, chart_image *chart)
{
    geoimage_grid *grid = &chart->grid;
    size_t points = (size_t)grid->width * grid->height;
    if (points == 0)
        return;
    base_release(context, grid->points, points, sizeof *grid->points);
    base_release(context, grid->normals, points, sizeof *grid->normals);
    base_release(context, grid->cell_first, (size_t)(grid->width - 1) * (grid->height - 1) + 1,
                 sizeof *grid->cell_first);
    base_release(context, chart->seam, rim_count(grid), sizeof *chart->seam);
    base_array_free(context, &grid->cell_triangles);
}

static bool begin_chart(carom_context *context, chart_image *chart, uint32_t width, uint32_t height)
{
    geoimage_grid *grid = &chart->grid;
    size_t points = (size_t)width * height;
    grid->context = context, grid->width = width, grid->height = height;
    grid->points = base_allocate(context, points, sizeof *grid->points, 8);
    grid->normals = base_allocate(context, points, sizeof *grid->normals, 8);
    chart->seam = base_allocate(context, rim_count(grid), sizeof *chart->seam, 8);
    return grid->points && grid->normals && chart->seam;
}

static void place_rim(const geoimage_border *border, chart_image *chart)
{
    for (uint32_t i = 0; i < border->rim.count; i++)
    {
        uint32_t at = geoimage_rim_index(i, border->width, border->height);
        chart->grid.points[at] = border->rim.items[i].position;
        chart->grid.normals[at] = border->rim.items[i].normal;
        chart->seam[i] = border->rim.items[i].next;
    }
}

static void describe_chart(const geoimage_map *map, chart_image *chart, carom_geoimage_chart info)
{
    double scale = map->disk.scale, unit = map->disk.unit;
    double cells = (double)(chart->grid.width - 1) * (chart->grid.height - 1);
    double even = map->stretch.area > 0 ? sqrt(cells / map->stretch.area) : 0; /* 1 / length of a cell's side */
    info.width = chart->grid.width, info.height = chart->grid.height;
    info.cut_edge_count = map->cut_edge_count, info.extra_cut_count = map->extra_cut_count;
    info.cut_length = map->cut_length / scale / unit;
    info.area = map->stretch.area / scale / unit / scale / unit;
    info.stretch.l2 = map->stretch.area > 0 ? even * sqrt(map->stretch.square / map->stretch.area) : 0;
    info.stretch.max = map->stretch.area > 0 ? even * map->stretch.max : 0;
    info.error = chart->info.error;
    info.points = chart->grid.points, info.normals = chart->grid.normals, info.seam = chart->seam;
    chart->info = info;
    chart->area = map->stretch.area / scale / scale;
    chart->square_sum = map->stretch.square / scale / scale / scale / scale;
    chart->max_stretch = map->stretch.max / scale;
}

typedef struct create_work
{
    carom_geoimage *image;
    const carom_geoimage_def *def;
    geoimage_surface surface;
    geoimage_size *sizes; /* per chart */
    double clock;
} create_work;

static void spend(create_work *work, double *stage)
{
    double now = base_now();
    *stage += 1e3 * (now - work->clock);
    work->clock = now;
}

/* Points and errors in units of the mesh. Dividing by a power of two rounds only where results are subnormal: then a
 * point moves by less than 2^-1074, and the bounds may lose as much. */
static void leave_unit(double unit, chart_image *chart)
{
    const double lost = unit > 1 ? 0x1p-1073 : 0;
    geoimage_grid *grid = &chart->grid;
    for (size_t i = 0; i < (size_t)grid->width * grid->height; i++)
    {
        carom_vec3 *p = &grid->points[i];
        *p = vec3(p->x / unit, p->y / unit, p->z / unit);
    }
    chart->info.error.to_image = chart->info.error.to_image / unit + lost;
    chart->info.error.to_mesh = chart->info.error.to_mesh / unit + lost;
}

static carom_status fill_chart(create_work *work, geoimage_map *map, chart_image *chart)
{
    carom_context *context = work->image->context;
    if (!begin_chart(context, chart, map->border.width, map->border.height))
        return geoimage_out_of_memory(&map->disk);
    place_rim(&map->border, chart);
    chart->grid.sample_error = geoimage_sample(&map->disk, &chart->grid);
    spend(work, &work->image->info.sample_ms);
    chart->info.error = geoimage_error(&map->disk, &chart->grid);
    spend(work, &work->image->info.measure_ms);
    BASE_TRY(geoimage_snap(&map->disk, &chart->grid, &chart->info.error));
    leave_unit(map->disk.unit, chart);
    map->stretch = geoimage_sum_stretch(&map->disk);
    if (work->def->list_triangles && !geoimage_list_cells(&map->disk, &chart->grid))
        return geoimage_out_of_memory(&map->disk);
    spend(work, &work->image->info.sample_ms);
    return CAROM_OK;
}

static geoimage_map_def map_def(const create_work *work, uint32_t chart)
{
    const carom_geoimage_def *def = work->def;
    return (geoimage_map_def){.width = work->sizes[chart].width,
                              .height = work->sizes[chart].height,
                              .max_width = def->width,
                              .max_height = def->height,
                              .extra_cuts = def->extra_cuts,
                              .stretch_steps = def->stretch_steps};
}

static carom_status make_chart(create_work *work, uint32_t index)
{
    chart_image *chart = &work->image->charts[index];
    carom_geoimage_info *info = &work->image->info;
    geoimage_disk disk = {0};
    geoimage_map map = {0};
    geoimage_topology topology = {0};
    geoimage_refusal refusal = {""};
    geoimage_map_def def = map_def(work, index);
    carom_status status = geoimage_disk_create(&work->surface, index, &disk);
    uint32_t triangles = geoimage_triangle_count(&disk);
    disk.refusal = &refusal;
    if (!carom_failed(status))
        status = geoimage_cut(&disk, &topology);
    spend(work, &info->cut_ms);
    if (!carom_failed(status))
        status = geoimage_map_create(&disk, &def, &map);
    spend(work, &info->flatten_ms);
    if (!carom_failed(status))
        status = fill_chart(work, &map, chart);
    if (!carom_failed(status))
        describe_chart(&map, chart,
                       (carom_geoimage_chart){.triangle_count = triangles,
                                              .genus = topology.genus,
                                              .boundary_count = topology.boundary_count});
    geoimage_map_free(&map);
    geoimage_disk_free(&disk);
    return raise(work->image->context, status, &refusal);
}

/* ---- all charts ---- */

static carom_status make_charts(create_work *work)
{
    carom_geoimage *image = work->image;
    carom_context *context = image->context;
    uint32_t count = work->surface.chart_count;
    work->sizes = base_allocate(context, count, sizeof *work->sizes, 8);
    image->charts = base_allocate(context, count, sizeof *image->charts, 8);
    carom_status status = CAROM_OK;
    if (image->charts)
    {
        memset(image->charts, 0, count * sizeof *image->charts);
        image->info.chart_count = count;
    }
    if (work->sizes && image->charts)
        status = geoimage_share(&work->surface, work->def, work->sizes);
    else
        status = base_fail(context, CAROM_OUT_OF_MEMORY, "out of memory for %u charts", count);
    for (uint32_t i = 0; i < count && !carom_failed(status); i++)
    {
        carom_progress progress = {.stage = "chart", .subject = work->surface.mesh->name, .done = i, .total = count};
        status = base_step(context, &progress);
        if (!carom_failed(status))
            status = make_chart(work, i);
    }
    base_release(context, work->sizes, count, sizeof *work->sizes);
    return status;
}

static void add_chart(carom_geoimage_info *info, const chart_image *chart)
{
    const geoimage_grid *grid = &chart->grid;
    size_t points = (size_t)grid->width * grid->height;
    info->point_count += points;
    info->genus += chart->info.genus, info->boundary_count += chart->info.boundary_count;
    info->cut_length += chart->info.cut_length;
    info->error.to_image = fmax(info->error.to_image, chart->info.error.to_image);
    info->error.to_mesh = fmax(info->error.to_mesh, chart->info.error.to_mesh);
    info->bytes += points * 2 * sizeof(carom_vec3) + rim_count(grid) * sizeof *chart->seam +
                   grid->cell_triangles.capacity * sizeof *grid->cell_triangles.items + sizeof *chart;
    if (grid->cell_first)
        info->bytes += ((size_t)(grid->width - 1) * (grid->height - 1) + 1) * sizeof *grid->cell_first;
}

static void sum_up(carom_geoimage *image)
{
    carom_geoimage_info *info = &image->info;
    double area = 0, cells = 0, square_sum = 0, max_stretch = 0;
    info->bytes = sizeof *image;
    for (uint32_t i = 0; i < info->chart_count; i++)
    {
        const chart_image *chart = &image->charts[i];
        add_chart(info, chart);
        cells += (double)(chart->grid.width - 1) * (chart->grid.height - 1);
        area += chart->area;
        square_sum += chart->square_sum;
        max_stretch = fmax(max_stretch, chart->max_stretch);
    }
    if (area > 0)
        info->stretch =
            (carom_geoimage_stretch){sqrt(cells / area) * sqrt(square_sum / area), sqrt(cells / area) * max_stretch};
}

static carom_status create(carom_geoimage *image, const carom_mesh *mesh, const carom_geoimage_def *def)
{
    create_work work = {.image = image, .def = def, .clock = base_now()};
    carom_status status = geoimage_glue(image->context, mesh, &work.surface);
    spend(&work, &image->info.cut_ms);
    if (!carom_failed(status))
        status = make_charts(&work);
    image->info.triangle_count = mesh->triangle_count;
    image->info.split_edge_count = work.surface.split_edge_count;
    image->info.degenerate_count = work.surface.degenerate_count;
    geoimage_surface_free(&work.surface);
    if (!carom_failed(status))
        sum_up(image);
    return status;
}

static carom_status new_image(carom_context *context, carom_geoimage **out)
{
    carom_geoimage *image = base_allocate(context, 1, sizeof *image, _Alignof(carom_geoimage));
    if (!image)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "out of memory for a geometry image");
    *image = (carom_geoimage){.context = context};
    *out = image;
    return CAROM_OK;
}

static bool is_side(uint32_t side, uint32_t min) { return side >= min && side <= CAROM_GEOIMAGE_MAX_SIDE; }

carom_status carom_geoimage_create(carom_context *context, const carom_mesh *mesh, const carom_geoimage_def *def,
                                   carom_geoimage **out)
{
    if (!context || !out)
        return CAROM_INVALID_ARGUMENT;
    *out = NULL;
    if (!mesh || !def)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "carom_geoimage_create: no %s", mesh ? "def" : "mesh");
    BASE_TRY(base_check_float_mode(context));
    if (!is_side(def->width, 3) || !is_side(def->height, 3))
        return base_fail(context, CAROM_OUT_OF_RANGE, "a geometry image of %u x %u points: sides are from 3 to %u",
                         def->width, def->height, CAROM_GEOIMAGE_MAX_SIDE);
    if (mesh->triangle_count > 1u << 29)
        return base_fail(context, CAROM_TOO_LARGE, "%.100s: %u triangles are too many for a geometry image", mesh->name,
                         mesh->triangle_count);
    carom_geoimage *image = NULL;
    BASE_TRY(new_image(context, &image));
    carom_status status = create(image, mesh, def);
    if (carom_failed(status))
        return carom_geoimage_destroy(image), status;
    *out = image;
    return CAROM_OK;
}

/* ---- a grid that is given ---- */

static carom_status check_points(carom_context *context, const carom_vec3 *points, uint32_t width, uint32_t height)
{
    for (size_t i = 0; i < (size_t)width * height; i++)
    {
        carom_vec3 p = points[i];
        bool finite = vec3_finite(p);
        double largest = fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z)));
        if (!finite || largest > MATH_COORDINATE_LIMIT)
            return base_fail(context, finite ? CAROM_OUT_OF_RANGE : CAROM_NOT_FINITE, "point (%zu, %zu): %s", i % width,
                             i / width, finite ? "a coordinate is beyond 2^100" : "a coordinate is not finite");
    }
    return CAROM_OK;
}

static carom_status fill_grid(carom_geoimage *image, const geoimage_source *source)
{
    carom_context *context = image->context;
    image->charts = base_allocate(context, 1, sizeof *image->charts, 8);
    if (image->charts)
        image->charts[0] = (chart_image){0}, image->info.chart_count = 1;
    if (!image->charts || !begin_chart(context, image->charts, source->width, source->height))
        return base_fail(context, CAROM_OUT_OF_MEMORY, "out of memory for a geometry image of %u x %u points",
                         source->width, source->height);
    chart_image *chart = image->charts;
    source->fill(&chart->grid, source->user);
    for (uint32_t i = 0; i < rim_count(&chart->grid); i++)
        chart->seam[i] = i;
    chart->info = (carom_geoimage_chart){.width = source->width,
                                         .height = source->height,
                                         .points = chart->grid.points,
                                         .normals = chart->grid.normals,
                                         .seam = chart->seam,
                                         .boundary_count = 1};
    sum_up(image);
    return CAROM_OK;
}

carom_status geoimage_check_sides(carom_context *context, uint32_t width, uint32_t height)
{
    if (!is_side(width, 2) || !is_side(height, 2))
        return base_fail(context, CAROM_OUT_OF_RANGE, "a grid of %u x %u points: sides are from 2 to %u", width, height,
                         CAROM_GEOIMAGE_MAX_SIDE);
    return CAROM_OK;
}

carom_status geoimage_create_filled(carom_context *context, const geoimage_source *source, carom_geoimage **out)
{
    carom_geoimage *image = NULL;
    BASE_TRY(new_image(context, &image));
    carom_status status = fill_grid(image, source);
    if (carom_failed(status))
        return carom_geoimage_destroy(image), status;
    *out = image;
    return CAROM_OK;
}

static void copy_points(geoimage_grid *grid, const void *points)
{
    memcpy(grid->points, points, (size_t)grid->width * grid->height * sizeof *grid->points);
    geoimage_grid_normals(grid);
}

carom_status carom_geoimage_create_grid(carom_context *context, uint32_t width, uint32_t height,
                                        const carom_vec3 *points, carom_geoimage **out)
{
    if (!context || !out)
        return CAROM_INVALID_ARGUMENT;
    *out = NULL;
    if (!points)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "carom_geoimage_create_grid: no points");
    BASE_TRY(base_check_float_mode(context));
    BASE_TRY(geoimage_check_sides(context, width, height));
    BASE_TRY(check_points(context, points, width, height));
    geoimage_source source = {.width = width, .height = height, .fill = copy_points, .user = points};
    return geoimage_create_filled(context, &source, out);
}

void carom_geoimage_destroy(carom_geoimage *image)
{
    if (!image)
        return;
    carom_context *context = image->context;
    for (uint32_t i = 0; i < image->info.chart_count; i++)
        free_chart(context, &image->charts[i]);
    base_release(context, image->charts, image->info.chart_count, sizeof *image->charts);
    base_release(context, image, 1, sizeof *image);
}

/* ---- answers ---- */

carom_context *geoimage_context(const carom_geoimage *image) { return image->context; }

carom_geoimage_info carom_geoimage_get_info(const carom_geoimage *image)
{
    return image ? image->info : (carom_geoimage_info){0};
}

carom_status carom_geoimage_get_chart(const carom_geoimage *image, uint32_t chart, carom_geoimage_chart *out)
{
    if (!image || !out)
        return CAROM_INVALID_ARGUMENT;
    *out = (carom_geoimage_chart){0};
    if (chart >= image->info.chart_count)
        return base_fail(image->context, CAROM_OUT_OF_RANGE, "chart %u of %u", chart, image->info.chart_count);
    *out = image->charts[chart].info;
    return CAROM_OK;
}

const uint32_t *carom_geoimage_cell(const carom_geoimage *image, uint32_t chart, uint32_t cell, uint32_t *count)
{
    if (count)
        *count = 0;
    if (!image || !count || chart >= image->info.chart_count)
        return NULL;
    const geoimage_grid *grid = &image->charts[chart].grid;
    if (!grid->cell_first || cell >= (grid->width - 1) * (grid->height - 1))
        return NULL;
    *count = grid->cell_first[cell + 1] - grid->cell_first[cell];
    return grid->cell_triangles.items + grid->cell_first[cell];
}

static void list_triangles(const geoimage_grid *grid, uint32_t *out)
{
    uint32_t width = grid->width;
    for (uint32_t y = 0; y + 1 < grid->height; y++)
        for (uint32_t x = 0; x + 1 < width; x++)
        {
            uint32_t at = y * width + x, corners[6] = {at, at + 1, at + width + 1, at, at + width + 1, at + width};
            memcpy(out, corners, sizeof corners);
            out += 6;
        }
}

carom_status carom_geoimage_mesh(const carom_geoimage *image, uint32_t chart, carom_mesh **out)
{
    if (!image || !out)
        return CAROM_INVALID_ARGUMENT;
    *out = NULL;
    carom_context *context = image->context;
    if (chart >= image->info.chart_count)
        return base_fail(context, CAROM_OUT_OF_RANGE, "chart %u of %u", chart, image->info.chart_count);
    const geoimage_grid *grid = &image->charts[chart].grid;
    size_t triangles = 2 * (size_t)(grid->width - 1) * (grid->height - 1);
    uint32_t *indices = base_allocate(context, 3 * triangles, sizeof *indices, 8);
    if (!indices)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "out of memory for the mesh of chart %u", chart);
    list_triangles(grid, indices);
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = (const double *)grid->points, def.vertex_count = (size_t)grid->width * grid->height;
    def.indices_u32 = indices, def.triangle_count = triangles;
    def.name = "geometry image";
    carom_status status = carom_mesh_create(context, &def, out);
    base_release(context, indices, 3 * triangles, sizeof *indices);
    return status;
}
