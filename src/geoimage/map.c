/* Mapping a chart, with cuts that are extended to where the map stretches most (Gu, Gortler and Hoppe, 2002, section
 * 3): a part of the surface that sticks out is mapped to a spot that is the smaller, exponentially, the longer it is,
 * until the cut leads to its tip. Where it becomes so small that triangles fold over in doubles, that is the remedy
 * too. */
#include "geoimage/geoimage.h"

enum
{
    MAX_REPAIRS = 64, /* cuts to remove folds */
    REPAIR_ROUND = 8, /* cuts, after which folds are counted: */
    ROUND_SHARE = 16, /* the 16th part must be gone, half of what it takes to remove all with the last cut */
    MAX_FRUITLESS = 2 /* cuts in a row that do not reduce the stretch */
};

/* A cut must reduce the stretch by this factor to count. */
static const double WORTHWHILE = 0.99;

void geoimage_map_free(geoimage_map *map)
{
    if (!map->disk.context)
        return;
    geoimage_border_free(map->disk.context, &map->border);
    geoimage_disk_free(&map->disk);
}

static void measure_cut(geoimage_map *map, const geoimage_disk *cut)
{
    for (uint32_t half = 0; half < cut->mate.count; half++)
        if (cut->mate.items[half] != GEOIMAGE_NONE && cut->mate.items[half] > half)
            map->cut_edge_count++, map->cut_length += geoimage_length(cut, half);
}

static carom_status map_once(const geoimage_disk *cut, const geoimage_map_def *def, geoimage_map *out)
{
    BASE_TRY(geoimage_disk_copy(cut, &out->disk));
    BASE_TRY(geoimage_border_create(&out->disk, &out->border));
    uint32_t width = def->width, height = def->height;
    while (!geoimage_border_fits(&out->border, width, height) && width < def->max_width && height < def->max_height)
        width = 2 * width - 1, height = 2 * height - 1;
    BASE_TRY(geoimage_border_place(&out->border, &out->disk, width, height));
    BASE_TRY(geoimage_flatten(&out->disk, def->stretch_steps, &out->folded));
    out->stretch = geoimage_sum_stretch(&out->disk);
    measure_cut(out, cut);
    return CAROM_OK;
}

/* Extends the cut to the triangles that are folded, or to those that are stretched most. */
static carom_status extend(geoimage_disk *cut, const geoimage_map *map, bool *extended)
{
    carom_context *context = cut->context;
    size_t triangles = cut->source_count;
    double *score = base_allocate(context, triangles, sizeof *score, 8);
    if (!score)
        return geoimage_out_of_memory(cut);
    for (size_t t = 0; t < triangles; t++)
        score[t] = 0;
    for (uint32_t t = 0; t < geoimage_triangle_count(&map->disk); t++)
    {
        double *of_whole = &score[map->disk.source.items[t]];
        double of_part =
            map->folded == 0 ? geoimage_triangle_stretch(&map->disk, t).l2 : geoimage_orientation(&map->disk, t) <= 0;
        *of_whole = fmax(*of_whole, of_part);
    }
    carom_status status = geoimage_extend_cut(cut, score, extended);
    base_release(context, score, triangles, sizeof *score);
    return status;
}

static carom_status refuse_folded(const geoimage_map *map)
{
    uint32_t t = 0;
    while (t + 1 < geoimage_triangle_count(&map->disk) && geoimage_orientation(&map->disk, t) > 0)
        t++;
    return geoimage_refuse(map->disk.refusal, CAROM_BAD_DATA,
                           "%.100s: chart %u can't be mapped to a rectangle in doubles: triangle %u folds over",
                           map->disk.name, map->disk.chart, geoimage_mesh_triangle(&map->disk, t));
}

/* Which of two maps is better? */
static bool is_better(const geoimage_map *trial, const geoimage_map *best)
{
    if (!best->disk.context || trial->folded != best->folded)
        return !best->disk.context || trial->folded < best->folded;
    /* The number of cells differs where more cuts need a larger grid. */
    return trial->stretch.square < WORTHWHILE * WORTHWHILE * best->stretch.square;
}

typedef struct map_work
{
    geoimage_disk *cut;
    const geoimage_map_def *def;
    geoimage_map *best;
    uint32_t cuts;      /* how often the cut was extended */
    uint64_t folds_due; /* so many folds must each round of repairs remove */
    uint64_t fold_max;  /* and so many may this one leave */
} map_work;

/* Do repairs remove too few folds? Where hundreds of handles fold, a longer cut opens one of them at most. */
static bool is_futile(map_work *work, uint64_t folded)
{
    if (work->cuts % REPAIR_ROUND != 0)
        return false;
    if (work->cuts == 0)
        work->folds_due = (folded + ROUND_SHARE - 1) / ROUND_SHARE;
    else if (folded > work->fold_max)
        return true;
    work->fold_max = folded > work->folds_due ? folded - work->folds_due : 0;
    return false;
}

/* Has the cut been extended as often as it may be? */
static bool is_done(map_work *work, const geoimage_map *trial)
{
    const geoimage_map *best = work->best;
    if (best->folded == 0 && trial->folded == 0)
        return work->cuts >= work->def->extra_cuts;
    uint64_t folded = best->disk.context && best->folded < trial->folded ? best->folded : trial->folded;
    return work->def->may_fold || work->cuts >= MAX_REPAIRS || is_futile(work, folded);
}

/* One step: a map with the cut as it is, then a longer cut. goes_on: false when there is no point in another. */
static carom_status step(map_work *work, bool *goes_on)
{
    geoimage_map trial = {.extra_cut_count = work->cuts};
    carom_status status = map_once(work->cut, work->def, &trial);
    *goes_on = !carom_failed(status) && !is_done(work, &trial);
    if (*goes_on)
        status = extend(work->cut, &trial, goes_on);
    if (!carom_failed(status) && is_better(&trial, work->best))
    {
        geoimage_map worse = *work->best;
        *work->best = trial, trial = worse;
    }
    geoimage_map_free(&trial);
    return status;
}

carom_status geoimage_map_create(geoimage_disk *cut, const geoimage_map_def *def, geoimage_map *out)
{
    bool goes_on = true;
    map_work work = {.cut = cut, .def = def, .best = out};
    for (; goes_on; work.cuts++)
    {
        carom_progress progress = {
            .stage = "map", .subject = cut->name, .done = work.cuts, .total = (uint64_t)def->extra_cuts + 1};
        carom_status status = base_step(cut->context, &progress);
        if (!carom_failed(status))
            status = step(&work, &goes_on);
        /* If a grid is too small for more cuts, those that it has will do. */
        if (status == CAROM_TOO_LARGE && out->disk.context && out->folded == 0)
            break;
        BASE_TRY(status);
        if (out->folded == 0 && work.cuts - out->extra_cut_count >= MAX_FRUITLESS)
            break;
    }
    return out->folded == 0 || def->may_fold ? CAROM_OK : refuse_folded(out);
}
