/* The border of a disk as paths: each side of a cut from one end or branch to the next, or a part of the mesh's own
 * boundary. Both sides of a cut get the same number of samples, so that these are at the same places. */
#include "geoimage/geoimage.h"

typedef struct border_work
{
    const geoimage_disk *disk;
    geoimage_border *border;
    uint32_t count;  /* half-edges of the border */
    uint32_t *index; /* per half-edge of the disk: where it is on the border */
    bool *node;      /* per half-edge of the border: a path starts here */
    double *arc;     /* per half-edge of the border: length before it; and the whole */
} border_work;

void geoimage_border_free(carom_context *context, geoimage_border *border)
{
    base_array_free(context, &border->half);
    base_array_free(context, &border->along);
    base_array_free(context, &border->path);
    base_array_free(context, &border->rim);
}

/* The half-edges of the border in order, from the given one on. False: there are more loops than one. */
static bool walk_border(border_work *work, uint32_t start)
{
    const geoimage_disk *disk = work->disk;
    uint32_t filled = 0, half = start;
    do
    {
        if (filled == work->count)
            return false;
        work->index[half] = filled;
        work->border->half.items[filled++] = half;
        half = geoimage_border_next(disk, half);
    } while (half != start);
    work->border->half.count = filled;
    return filled == work->count;
}

static uint32_t origin_at(const geoimage_disk *disk, uint32_t vertex) { return disk->vertex.items[vertex].origin; }

static bool is_reversed(const geoimage_disk *disk, uint32_t half)
{
    return origin_at(disk, geoimage_start(disk, half)) == origin_at(disk, geoimage_end(disk, disk->mate.items[half]));
}

/* Does the other side of the cut not follow from one half-edge to the next? */
static bool is_node(const border_work *work, uint32_t at)
{
    const geoimage_disk *disk = work->disk;
    const uint32_t *half = work->border->half.items;
    uint32_t before = half[(at + work->count - 1) % work->count], after = half[at];
    uint32_t mate_before = disk->mate.items[before], mate_after = disk->mate.items[after];
    if (mate_before == GEOIMAGE_NONE || mate_after == GEOIMAGE_NONE)
        return mate_before != mate_after;
    if (mate_before == after) /* the end of a cut */
        return true;
    bool reversed = is_reversed(disk, before);
    if (reversed != is_reversed(disk, after))
        return true;
    uint32_t first = work->index[reversed ? mate_after : mate_before],
             second = work->index[reversed ? mate_before : mate_after];
    return (first + 1) % work->count != second;
}

/* ---- corners of a disk without cuts, such as a sheet: where its boundary turns ---- */

static carom_vec3 point_at(const border_work *work, double arc)
{
    double whole = work->arc[work->count];
    arc += arc < 0 ? whole : arc >= whole ? -whole : 0;
    uint32_t low = 0, high = work->count;
    while (high - low > 1)
    {
        uint32_t middle = low + (high - low) / 2;
        *(work->arc[middle] <= arc ? &low : &high) = middle;
    }
    const geoimage_disk *disk = work->disk;
    uint32_t half = work->border->half.items[low];
    double length = work->arc[low + 1] - work->arc[low], part = length > 0 ? (arc - work->arc[low]) / length : 0;
    carom_vec3 a = vec3_scale(disk->vertex.items[geoimage_start(disk, half)].position, disk->scale),
               b = vec3_scale(disk->vertex.items[geoimage_end(disk, half)].position, disk->scale);
    return vec3_add(a, vec3_scale(vec3_sub(b, a), part));
}

/* How straight the boundary is here: the distance between two points on both sides by their distance along it, near by
 * and farther away: noise looks like a corner from nearby only, and where exactly it is can't be seen from afar. */
static double straightness(const border_work *work, uint32_t at)
{
    double sum = 0;
    for (int shift = 4; shift <= 8; shift += 2)
    {
        double reach = work->arc[work->count] / (1 << shift);
        carom_vec3 before = point_at(work, work->arc[at] - reach), after = point_at(work, work->arc[at] + reach);
        sum += vec3_length(vec3_sub(after, before)) / (2 * reach);
    }
    return sum / 3;
}

static bool is_far_from(const border_work *work, uint32_t a, uint32_t b, double distance)
{
    double whole = work->arc[work->count], between = fabs(work->arc[a] - work->arc[b]);
    return between >= distance && whole - between >= distance;
}

/* Four of them that are clearly corners, or none. */
static void choose_corners(border_work *work, double *straight)
{
    const double clear = 0.9;
    double whole = work->arc[work->count];
    uint32_t chosen[4] = {0}, found = 0;
    for (uint32_t i = 0; i < work->count; i++)
        straight[i] = straightness(work, i);
    for (; found < 4; found++)
    {
        uint32_t best = GEOIMAGE_NONE;
        for (uint32_t i = 0; i < work->count; i++)
        {
            bool possible = straight[i] <= clear;
            for (uint32_t k = 0; possible && k < found; k++)
                possible = is_far_from(work, i, chosen[k], whole / 10);
            if (possible && (best == GEOIMAGE_NONE || straight[i] < straight[best]))
                best = i;
        }
        if (best == GEOIMAGE_NONE)
            return;
        chosen[found] = best;
    }
    for (int k = 0; k < 4; k++)
        work->node[chosen[k]] = true;
}

static bool find_corners(border_work *work)
{
    carom_context *context = work->disk->context;
    double *straight = base_allocate(context, work->count, sizeof *straight, 8);
    if (!straight)
        return false;
    work->arc[0] = 0;
    for (uint32_t i = 0; i < work->count; i++)
        work->arc[i + 1] = work->arc[i] + geoimage_length(work->disk, work->border->half.items[i]);
    if (work->arc[work->count] > 0)
        choose_corners(work, straight);
    base_release(context, straight, work->count, sizeof *straight);
    return true;
}

/* ---- paths ---- */

static bool any_node(const border_work *work, uint32_t *first)
{
    for (uint32_t i = 0; i < work->count; i++)
        if (work->node[i])
            return *first = i, true;
    return false;
}

/* At least one node, the first of them at the beginning. False: out of memory. */
static bool find_nodes(border_work *work)
{
    const geoimage_disk *disk = work->disk;
    uint32_t first = 0;
    for (uint32_t i = 0; i < work->count; i++)
        work->node[i] = is_node(work, i);
    if (!any_node(work, &first) && disk->mate.items[work->border->half.items[0]] == GEOIMAGE_NONE &&
        !find_corners(work))
        return false;
    if (!any_node(work, &first))
    {
        /* A cut without ends or branches: that of a surface with one side, which meets itself half way round. */
        uint32_t mate = disk->mate.items[work->border->half.items[0]];
        work->node[0] = true;
        if (mate != GEOIMAGE_NONE)
            work->node[work->index[mate]] = true;
    }
    /* Which half-edges follow on nodes is kept while the numbers change. */
    for (uint32_t i = 0; i < work->count; i++)
        work->arc[i] = work->node[i];
    walk_border(work, work->border->half.items[first]);
    for (uint32_t i = 0; i < work->count; i++)
        work->node[i] = work->arc[(i + first) % work->count] != 0;
    return true;
}

static bool add_path(border_work *work, uint32_t first)
{
    geoimage_border *border = work->border;
    if (!base_array_reserve(work->disk->context, &border->path, 1))
        return false;
    geoimage_path path = {.first = first, .partner = GEOIMAGE_NONE};
    do
        path.length += geoimage_length(work->disk, border->half.items[first + path.count++]);
    while (first + path.count < work->count && !work->node[first + path.count]);
    border->path.items[border->path.count++] = path;
    return true;
}

static uint32_t path_at(const geoimage_border *border, uint32_t index)
{
    uint32_t low = 0, high = (uint32_t)border->path.count;
    while (high - low > 1)
    {
        uint32_t middle = low + (high - low) / 2;
        *(border->path.items[middle].first <= index ? &low : &high) = middle;
    }
    return low;
}

/* Finds the other side of each cut. False: the two do not match, which would be a mistake of ours. */
static bool find_partners(border_work *work)
{
    geoimage_border *border = work->border;
    for (uint32_t i = 0; i < border->path.count; i++)
    {
        geoimage_path *path = &border->path.items[i];
        uint32_t half = border->half.items[path->first], mate = work->disk->mate.items[half];
        if (mate == GEOIMAGE_NONE)
            continue;
        path->partner = path_at(border, work->index[mate]);
        path->reversed = is_reversed(work->disk, half);
        const geoimage_path *other = &border->path.items[path->partner];
        uint32_t expected = other->first + (path->reversed ? other->count - 1 : 0);
        if (path->partner == i || other->count != path->count || work->index[mate] != expected)
            return false;
        path->length = i < path->partner ? path->length : other->length;
    }
    return true;
}

static carom_status make_paths(border_work *work)
{
    uint32_t start = 0;
    while (work->disk->twin.items[start] != GEOIMAGE_NONE)
        start++;
    bool one = walk_border(work, start);
    if (one && !find_nodes(work))
        return geoimage_out_of_memory(work->disk);
    for (uint32_t i = 0; one && i < work->count; i++)
        if (work->node[i] && !add_path(work, i))
            return geoimage_out_of_memory(work->disk);
    if (!one || !find_partners(work))
        return geoimage_refuse(work->disk->refusal, CAROM_BAD_DATA, "%.100s: chart %u was not cut to a disk",
                               work->disk->name, work->disk->chart);
    return CAROM_OK;
}

static uint32_t border_length(const geoimage_disk *disk)
{
    uint32_t count = 0;
    for (uint32_t half = 0; half < disk->twin.count; half++)
        count += disk->twin.items[half] == GEOIMAGE_NONE;
    return count;
}

carom_status geoimage_border_create(const geoimage_disk *disk, geoimage_border *out)
{
    carom_context *context = disk->context;
    size_t halves = disk->corner.count;
    *out = (geoimage_border){0};
    border_work work = {.disk = disk, .border = out, .count = border_length(disk)};
    if (work.count == 0)
        return geoimage_refuse(disk->refusal, CAROM_BAD_DATA, "%.100s: chart %u was not cut", disk->name, disk->chart);
    work.index = base_allocate(context, halves, sizeof *work.index, 8);
    work.node = base_allocate(context, work.count, sizeof *work.node, 8);
    work.arc = base_allocate(context, (size_t)work.count + 1, sizeof *work.arc, 8);
    bool have = work.index && work.node && work.arc && base_array_reserve(context, &out->half, work.count);
    carom_status status = have ? make_paths(&work) : geoimage_out_of_memory(disk);
    base_release(context, work.index, halves, sizeof *work.index);
    base_release(context, work.node, work.count, sizeof *work.node);
    base_release(context, work.arc, (size_t)work.count + 1, sizeof *work.arc);
    return status;
}
