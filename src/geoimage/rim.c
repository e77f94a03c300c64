/* Laying the border of a disk around a rectangle: how many cells each path gets, where its vertices are, and the
 * samples along it, which are taken from one side of each cut for both. */
#include "geoimage/geoimage.h"

/* Chord length, with a little of equal distances: no two vertices at one place, however short the edge between them. */
#define EQUAL_PART 0x1p-10

/* The distance of two places around the rim that are one, apart from rounding. */
#define SAME_PLACE 1e-10

static uint32_t rim_count(const geoimage_border *border) { return 2 * (border->width + border->height - 2); }

static bool is_first_side(const geoimage_border *border, uint32_t path)
{
    return border->path.items[path].partner > path; /* also without a partner */
}

static uint32_t sides(const geoimage_path *path) { return path->partner == GEOIMAGE_NONE ? 1 : 2; }

bool geoimage_border_fits(const geoimage_border *border, uint32_t width, uint32_t height)
{
    return border->path.count <= 2 * ((uint64_t)width + height - 2);
}

/* ---- how many cells each path gets ---- */

/* The path that needs another step most, or can do without one best; null: none. */
static geoimage_path *find_path(geoimage_border *border, uint32_t limit, bool more)
{
    geoimage_path *best = NULL;
    for (uint32_t i = 0; i < border->path.count; i++)
    {
        geoimage_path *path = &border->path.items[i];
        if (!is_first_side(border, i) || sides(path) > limit || (!more && path->steps < 2))
            continue;
        /* Length per step, by multiplication: steps may be 0 nowhere. */
        bool longer = best && path->length * best->steps > best->length * path->steps;
        bool shorter = best && path->length * best->steps < best->length * path->steps;
        if (!best || (more ? longer : shorter))
            best = path;
    }
    return best;
}

static void share_steps(geoimage_border *border)
{
    double whole = 0;
    uint32_t total = rim_count(border), given = 0;
    for (uint32_t i = 0; i < border->path.count; i++)
        whole += border->path.items[i].length;
    for (uint32_t i = 0; i < border->path.count; i++)
    {
        geoimage_path *path = &border->path.items[i];
        if (!is_first_side(border, i))
            continue;
        double share = whole > 0 ? floor(path->length / whole * total) : 1;
        path->steps = share < 1 ? 1 : share < total ? (uint32_t)share : total;
        given += sides(path) * path->steps;
    }
    geoimage_path *path;
    while (given > total && (path = find_path(border, 2, false)))
        path->steps--, given -= sides(path);
    while (given < total && (path = find_path(border, total - given, true)))
        path->steps++, given += sides(path);
}

/* False: they do not fit, which geoimage_border_fits rules out. */
static bool give_steps(geoimage_border *border)
{
    uint32_t start = 0;
    const geoimage_path *first = border->path.items;
    bool four_sides = border->path.count == 4;
    for (int i = 0; four_sides && i < 4; i++)
        four_sides = first[i].partner == GEOIMAGE_NONE;
    if (four_sides)
        for (int i = 0; i < 4; i++)
            border->path.items[i].steps = (i % 2 ? border->height : border->width) - 1;
    else
        share_steps(border);
    for (uint32_t i = 0; i < border->path.count; i++)
    {
        geoimage_path *path = &border->path.items[i];
        if (!is_first_side(border, i))
            path->steps = border->path.items[path->partner].steps;
        path->start = start;
        start += path->steps;
    }
    return start == rim_count(border);
}

/* ---- where the vertices of a path are, from 0 to 1 along it ---- */

static void spread_path(const geoimage_border *border, const geoimage_disk *disk, const geoimage_path *path)
{
    double sum = 0, *along = border->along.items + path->first;
    for (uint32_t i = 0; i < path->count; i++)
    {
        double chord = path->length > 0 ? sum / path->length : (double)i / path->count;
        along[i] = chord * (1 - EQUAL_PART) + EQUAL_PART * i / path->count;
        sum += geoimage_length(disk, border->half.items[path->first + i]);
    }
}

/* The vertex at the start of the i-th half-edge of a path, or at its end. */
static double place_on_path(const geoimage_border *border, const geoimage_path *path, uint32_t i)
{
    return i < path->count ? border->along.items[path->first + i] : 1.0;
}

/* Between which vertices a place is: the last that is not after it. */
static uint32_t find_on_path(const geoimage_border *border, const geoimage_path *path, double place)
{
    uint32_t low = 0, high = path->count;
    while (high - low > 1)
    {
        uint32_t middle = low + (high - low) / 2;
        *(border->along.items[path->first + middle] <= place ? &low : &high) = middle;
    }
    return low;
}

/* A corner of the rectangle near a vertex: the vertex moves there, on both sides of the cut, once. */
static void snap(geoimage_border *border, const geoimage_path *path, double place, bool *fixed)
{
    const double near = 0.1;
    uint32_t at = find_on_path(border, path, place);
    double low = place_on_path(border, path, at), high = place_on_path(border, path, at + 1);
    bool down = place - low < near * (high - low), up = high - place < near * (high - low);
    uint32_t which = down ? at : at + 1;
    if ((!down && !up) || which == 0 || which == path->count || fixed[path->first + which])
        return;
    border->along.items[path->first + which] = place;
    fixed[path->first + which] = true;
}

static void find_corners(const geoimage_border *border, uint32_t out[4])
{
    uint32_t across = border->width - 1, up = border->height - 1;
    out[0] = 0, out[1] = across, out[2] = across + up, out[3] = 2 * across + up;
}

static void snap_corners(geoimage_border *border, bool *fixed)
{
    uint32_t corners[4];
    find_corners(border, corners);
    for (uint32_t i = 0; i < border->path.count; i++)
        for (int k = 0; k < 4; k++)
        {
            const geoimage_path *path = &border->path.items[i];
            if (corners[k] <= path->start || corners[k] >= path->start + path->steps)
                continue;
            uint32_t step = corners[k] - path->start;
            bool first = is_first_side(border, i);
            step = !first && path->reversed ? path->steps - step : step;
            snap(border, first ? path : &border->path.items[path->partner], (double)step / path->steps, fixed);
        }
}

/* ---- samples ---- */

/* The sample of a path, which is the first side of its cut. */
static geoimage_rim_point sample(const geoimage_border *border, const geoimage_disk *disk, const geoimage_path *path,
                                 uint32_t step)
{
    double place = (double)step / path->steps;
    uint32_t at = step == path->steps ? path->count - 1 : find_on_path(border, path, place);
    double low = place_on_path(border, path, at), high = place_on_path(border, path, at + 1);
    uint32_t half = border->half.items[path->first + at];
    const geoimage_vertex *a = &disk->vertex.items[geoimage_start(disk, half)],
                          *b = &disk->vertex.items[geoimage_end(disk, half)];
    if (place <= low)
        return (geoimage_rim_point){.position = a->position, .normal = a->normal};
    if (place >= high)
        return (geoimage_rim_point){.position = b->position, .normal = b->normal};
    double part = (place - low) / (high - low);
    return (geoimage_rim_point){
        .position = vec3_add(a->position, vec3_scale(vec3_sub(b->position, a->position), part)),
        .normal = vec3_add(a->normal, vec3_scale(vec3_sub(b->normal, a->normal), part)),
    };
}

static uint32_t step_on_first_side(const geoimage_path *path, bool first, uint32_t step)
{
    return !first && path->reversed ? path->steps - step : step;
}

static bool take_samples(geoimage_border *border, const geoimage_disk *disk)
{
    uint32_t count = rim_count(border);
    if (!base_array_reserve(disk->context, &border->rim, count))
        return false;
    border->rim.count = count;
    for (uint32_t i = 0; i < border->path.count; i++)
    {
        const geoimage_path *path = &border->path.items[i];
        bool first = is_first_side(border, i);
        const geoimage_path *source = first ? path : &border->path.items[path->partner];
        for (uint32_t k = 0; k < path->steps; k++)
            border->rim.items[path->start + k] = sample(border, disk, source, step_on_first_side(path, first, k));
    }
    return true;
}

/* Rim points at one place become cycles: those on two sides of a cut, and those that are so by way of others. */
static bool link_samples(geoimage_border *border, carom_context *context)
{
    uint32_t count = rim_count(border);
    uint32_t *set = base_allocate(context, count, sizeof *set, 8),
             *last = base_allocate(context, count, sizeof *last, 8);
    for (uint32_t i = 0; set && i < count; i++)
        set[i] = i;
    for (uint32_t i = 0; set && i < border->path.count; i++)
    {
        const geoimage_path *path = &border->path.items[i];
        for (uint32_t k = 0; path->partner != GEOIMAGE_NONE && k <= path->steps; k++)
        {
            uint32_t other = border->path.items[path->partner].start + (path->reversed ? path->steps - k : k);
            base_set_join(set, (path->start + k) % count, other % count);
        }
    }
    for (uint32_t i = 0; set && last && i < count; i++)
    {
        uint32_t root = base_set_root(set, i);
        border->rim.items[i].next = root;
        if (root != i)
            border->rim.items[last[root]].next = i;
        last[root] = i;
    }
    base_release(context, set, count, sizeof *set);
    base_release(context, last, count, sizeof *last);
    return set && last;
}

/* ---- around the rectangle ---- */

static double around_rim(const geoimage_border *border, const geoimage_path *path, uint32_t i)
{
    bool first = path->partner == GEOIMAGE_NONE || path < &border->path.items[path->partner];
    const geoimage_path *source = first ? path : &border->path.items[path->partner];
    double place = first || !path->reversed ? place_on_path(border, source, i)
                                            : 1 - place_on_path(border, source, path->count - i);
    return path->start + place * path->steps;
}

/* From places along paths to places around the rim, corners exact. */
static bool go_around(geoimage_border *border, carom_context *context)
{
    uint32_t corners[4], count = (uint32_t)border->half.count;
    double *around = base_allocate(context, count, sizeof *around, 8);
    find_corners(border, corners);
    for (uint32_t i = 0; around && i < border->path.count; i++)
    {
        const geoimage_path *path = &border->path.items[i];
        for (uint32_t k = 0; k < path->count; k++)
        {
            double at = around_rim(border, path, k);
            for (int c = 0; c < 4; c++)
                at = fabs(at - corners[c]) < SAME_PLACE ? corners[c] : at;
            around[path->first + k] = at;
        }
    }
    if (around)
        memcpy(border->along.items, around, count * sizeof *around);
    base_release(context, around, count, sizeof *around);
    return around;
}

/* A vertex at a corner of the rectangle, where there is none yet. */
static bool insert_corner(geoimage_border *border, geoimage_disk *disk, double corner)
{
    size_t count = border->half.count, at = count - 1;
    while (at > 0 && border->along.items[at] > corner)
        at--;
    double low = border->along.items[at], high = at + 1 < count ? border->along.items[at + 1] : rim_count(border);
    if (low == corner)
        return true;
    if (!base_array_reserve(disk->context, &border->half, 1) || !base_array_reserve(disk->context, &border->along, 1))
        return false;
    uint32_t moved[2];
    uint32_t added = geoimage_split_edge(disk, border->half.items[at], (corner - low) / (high - low), moved);
    if (added == GEOIMAGE_NONE)
        return false;
    for (size_t i = 0; i < count; i++)
        border->half.items[i] = border->half.items[i] == moved[0] ? moved[1] : border->half.items[i];
    for (size_t i = count; i > at + 1; i--)
        border->half.items[i] = border->half.items[i - 1], border->along.items[i] = border->along.items[i - 1];
    border->half.items[at + 1] = added, border->along.items[at + 1] = corner;
    border->half.count++, border->along.count++;
    return true;
}

static geoimage_point point_around(const geoimage_border *border, double around)
{
    double across = border->width - 1, up = border->height - 1;
    if (around < across)
        return (geoimage_point){around, 0};
    if (around < across + up)
        return (geoimage_point){across, around - across};
    if (around < 2 * across + up)
        return (geoimage_point){across - (around - across - up), up};
    return (geoimage_point){0, up - (around - 2 * across - up)};
}

uint32_t geoimage_rim_index(uint32_t rim, uint32_t width, uint32_t height)
{
    uint32_t across = width - 1, up = height - 1;
    if (rim < across)
        return rim;
    if (rim < across + up)
        return (rim - across) * width + across;
    if (rim < 2 * across + up)
        return up * width + across - (rim - across - up);
    return (up - (rim - 2 * across - up)) * width;
}

static bool spread(geoimage_border *border, geoimage_disk *disk)
{
    carom_context *context = disk->context;
    size_t count = border->half.count;
    if (!base_array_reserve(context, &border->along, count))
        return false;
    border->along.count = count;
    for (uint32_t i = 0; i < border->path.count; i++)
        spread_path(border, disk, &border->path.items[i]);
    bool *fixed = base_allocate(context, count, sizeof *fixed, 8);
    if (!fixed)
        return false;
    memset(fixed, 0, count);
    snap_corners(border, fixed);
    base_release(context, fixed, count, sizeof *fixed);
    return take_samples(border, disk) && link_samples(border, context) && go_around(border, context);
}

carom_status geoimage_border_place(geoimage_border *border, geoimage_disk *disk, uint32_t width, uint32_t height)
{
    border->width = width, border->height = height;
    if (!geoimage_border_fits(border, width, height) || !give_steps(border))
        return geoimage_refuse(disk->refusal, CAROM_TOO_LARGE,
                               "%.100s: chart %u has %zu sides of cuts, too many for an image of %u x %u points",
                               disk->name, disk->chart, border->path.count, width, height);
    uint32_t corners[4];
    find_corners(border, corners);
    bool have = spread(border, disk);
    for (int k = 0; have && k < 4; k++)
        have = insert_corner(border, disk, corners[k]);
    if (!have)
        return geoimage_out_of_memory(disk);
    for (size_t i = 0; i < border->half.count; i++)
    {
        geoimage_vertex *vertex = &disk->vertex.items[geoimage_start(disk, border->half.items[i])];
        vertex->at = point_around(border, border->along.items[i]);
        vertex->on_border = true;
    }
    return CAROM_OK;
}
