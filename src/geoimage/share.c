/* How many points the image of each chart gets. */
#include "geoimage/geoimage.h"

enum
{
    MAX_IMAGES = 64,     /* of the wanted size: as many points as all charts have together, if they can be smaller */
    MAX_POINTS = 1 << 29 /* 24 GB */
};

typedef struct share_work
{
    const geoimage_surface *surface;
    const carom_geoimage_def *def;
    double *area; /* per chart */
    double largest;
    uint32_t halvings; /* of all charts, more than by their areas */
} share_work;

/* In units in which the mesh is about as large as 1. */
static void measure_areas(share_work *work)
{
    const geoimage_surface *surface = work->surface;
    int exponent;
    frexp(surface->mesh->extent, &exponent);
    double scale = ldexp(1.0, exponent < -1000 ? 1000 : -exponent);
    for (uint32_t c = 0; c < surface->chart_count; c++)
    {
        work->area[c] = 0;
        for (uint32_t i = surface->chart_first[c]; i < surface->chart_first[c + 1]; i++)
        {
            carom_vec3 p[3];
            mesh_corners(surface->mesh, surface->triangles[i], p);
            carom_vec3 a = vec3_scale(vec3_sub(p[1], p[0]), scale), b = vec3_scale(vec3_sub(p[2], p[0]), scale);
            work->area[c] += 0.5 * vec3_length(vec3_cross(a, b));
        }
        work->largest = fmax(work->largest, work->area[c]);
    }
}

static bool halve(geoimage_size *size)
{
    if (size->width % 2 == 0 || size->height % 2 == 0 || size->width <= 3 || size->height <= 3)
        return false;
    size->width = size->width / 2 + 1, size->height = size->height / 2 + 1;
    return true;
}

/* That of the largest, halved while its cells are still no larger, and then as all are. */
static geoimage_size choose(const share_work *work, uint32_t chart)
{
    geoimage_size size = {work->def->width, work->def->height};
    double share = 1;
    if (work->def->same_size)
        return size;
    while (work->largest > 0 && work->area[chart] <= work->largest * (share /= 4) && halve(&size))
        continue;
    for (uint32_t i = 0; i < work->halvings && halve(&size); i++)
        continue;
    return size;
}

static uint64_t choose_all(const share_work *work, geoimage_size *sizes)
{
    uint64_t points = 0;
    for (uint32_t c = 0; c < work->surface->chart_count; c++)
    {
        sizes[c] = choose(work, c);
        points += (uint64_t)sizes[c].width * sizes[c].height;
    }
    return points;
}

carom_status geoimage_share(const geoimage_surface *surface, const carom_geoimage_def *def, geoimage_size *sizes)
{
    carom_context *context = surface->context;
    uint32_t count = surface->chart_count;
    share_work work = {.surface = surface, .def = def};
    work.area = base_allocate(context, count, sizeof *work.area, 8);
    if (!work.area)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "out of memory for %u charts", count);
    measure_areas(&work);
    uint64_t limit = (uint64_t)MAX_IMAGES * def->width * def->height, before = UINT64_MAX;
    uint64_t points = choose_all(&work, sizes);
    while (points > limit && points < before && !def->same_size)
    {
        before = points;
        work.halvings++;
        points = choose_all(&work, sizes);
    }
    base_release(context, work.area, count, sizeof *work.area);
    if (points > MAX_POINTS)
        return base_fail(context, CAROM_TOO_LARGE,
                         "%.100s: %u charts of up to %u x %u points have %llu points together: more than %d",
                         surface->mesh->name, count, def->width, def->height, (unsigned long long)points, MAX_POINTS);
    return CAROM_OK;
}
