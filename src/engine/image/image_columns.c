/* From fragments to columns: bands are drawn, sorted by pixel, and samples that are close to an edge decided exactly.
 */
#include "engine/image/image_layers.h"

enum
{
    BAND_PIXELS = 1 << 18 /* bounds the memory for fragments; at least one row */
};

/* ---- samples ---- */

/* On which side of the line p q is the sample, moved by (e, e^2) for an infinitely small e? Opposite for q p; 0 only if
 * p and q look the same. */
static int moved_side(carom_vec3 p, carom_vec3 q, carom_vec3 sample, int axis)
{
    int side = exact_orient2d(p, q, sample, axis, NULL);
    if (side != 0)
        return side;
    double from[2] = {vec3_at(&p, (axis + 1) % 3), vec3_at(&p, (axis + 2) % 3)};
    double to[2] = {vec3_at(&q, (axis + 1) % 3), vec3_at(&q, (axis + 2) % 3)};
    side = (from[1] > to[1]) - (from[1] < to[1]);
    return side != 0 ? side : (to[0] > from[0]) - (to[0] < from[0]);
}

static bool is_sample_inside(const image_layers *layers, const image_layer_origin *origin, carom_vec3 sample)
{
    narrow_triangle t = tree_world_triangle(&layers->bodies[origin->body], origin->triangle);
    int axis = layers->grid.axis;
    for (int i = 0; i < 3; i++)
        if (origin->turn == 0 || moved_side(t.corner[i], t.corner[(i + 1) % 3], sample, axis) != origin->turn)
            return false;
    return true;
}

/* Depth of a triangle at the sample, which is inside: corners weighed by the areas across from them. Areas are off by
 * the filter's bounds, so the mean is off by their share of the corners' range. */
static void set_sample_depth(const image_layers *layers, carom_vec3 sample, image_hit *out)
{
    const image_grid *grid = &layers->grid;
    const image_record *record = &layers->records.items[out->record];
    narrow_triangle t = tree_world_triangle(&layers->bodies[out->body], layers->origins.items[out->record].triangle);
    double u[3], v[3], z[3], weight[3], sum = 0.0, doubt = 0.0;
    for (int i = 0; i < 3; i++)
    {
        carom_vec3 way = vec3_sub(t.corner[i], sample);
        u[i] = vec3_at(&way, (grid->axis + 1) % 3), v[i] = vec3_at(&way, (grid->axis + 2) % 3);
        z[i] = image_grid_see(grid, t.corner[i]).z;
    }
    for (int i = 0; i < 3; i++)
    {
        double bound;
        weight[i] = fabs(exact_filter2d(u[(i + 1) % 3], v[(i + 1) % 3], u[(i + 2) % 3], v[(i + 2) % 3], &bound));
        sum += weight[i], doubt += bound;
    }
    out->sample_low = out->low, out->sample_high = out->high;
    if (!(sum > 8.0 * doubt) || record->plane[3] > 1e29f)
        return;
    double at = (weight[0] * z[0] + weight[1] * z[1] + weight[2] * z[2]) / sum;
    double range = (double)record->high - (double)record->low;
    double slope = fabs((double)record->plane[0]) + fabs((double)record->plane[1]);
    double off = 4.0 * range * doubt / sum + 2.0 * grid->view.error[2] + 2.0 * slope * grid->sample_error +
                 0x1p-48 * fmax(fabs((double)record->low), fabs((double)record->high));
    out->sample_low = fmax(out->low, at - off), out->sample_high = fmin(out->high, at + off);
}

static image_hit resolve(image_layers_walk *walk, const image_layer_fragment *fragment)
{
    const image_layers *layers = walk->layers;
    const image_layer_origin *origin = &layers->origins.items[fragment->record];
    uint32_t pixel = fragment->pixel & 0xffffffu, columns = layers->grid.columns;
    image_sample sample = (image_sample)(fragment->pixel >> 24);
    carom_vec3 at = image_grid_sample(&layers->grid, pixel % columns, pixel / columns);
    image_hit hit = {.low = (double)fragment->low, .high = (double)fragment->high};
    hit.record = fragment->record, hit.body = origin->body;
    hit.covers = sample == IMAGE_SAMPLE_COVERED;
    bool inside = hit.covers || sample == IMAGE_SAMPLE_INSIDE;
    if (sample == IMAGE_SAMPLE_UNSURE)
    {
        inside = is_sample_inside(layers, origin, at);
        walk->unsure++;
    }
    if (!inside)
        return hit;
    hit.turn = origin->turn;
    set_sample_depth(layers, at, &hit);
    return hit;
}

/* ---- bands ---- */

typedef struct band_space
{
    carom_context *context;
    image_layer_fragments fragments;
    BASE_ARRAY(base_key_value) keys, scratch;
    BASE_ARRAY(image_hit) hits; /* of a column */
} band_space;

static void free_space(band_space *space)
{
    base_array_free(space->context, &space->fragments);
    base_array_free(space->context, &space->keys);
    base_array_free(space->context, &space->scratch);
    base_array_free(space->context, &space->hits);
}

/* An order of floats as one of integers. */
static uint32_t float_key(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

/* By pixel, body and lower depth; of equal ones by number, so that the order does not depend on the list's. */
static bool sort_fragments(const image_layers *layers, band_space *space)
{
    size_t count = space->fragments.count;
    space->keys.count = space->scratch.count = 0;
    if (!base_array_reserve(space->context, &space->keys, count) ||
        !base_array_reserve(space->context, &space->scratch, count))
        return false;
    for (size_t i = 0; i < count; i++)
        space->keys.items[i] = (base_key_value){space->fragments.items[i].record, i};
    base_sort_keys(space->keys.items, space->scratch.items, count);
    for (size_t i = 0; i < count; i++)
    {
        const image_layer_fragment *fragment = &space->fragments.items[space->keys.items[i].value];
        uint64_t pixel = fragment->pixel & 0xffffffu;
        uint64_t body = (uint64_t)layers->origins.items[fragment->record].body;
        space->keys.items[i].key = pixel << 33 | body << 32 | float_key(fragment->low);
    }
    base_sort_keys(space->keys.items, space->scratch.items, count);
    return true;
}

static carom_status walk_columns(image_layers_walk *walk, band_space *space)
{
    const image_layers *layers = walk->layers;
    size_t count = space->fragments.count;
    for (size_t i = 0; i < count;)
    {
        uint64_t pixel = space->keys.items[i].key >> 33;
        space->hits.count = 0;
        for (; i < count && space->keys.items[i].key >> 33 == pixel; i++)
        {
            if (!base_array_reserve(space->context, &space->hits, 1))
                return base_fail(space->context, CAROM_OUT_OF_MEMORY, "image: no memory for a column");
            const image_layer_fragment *fragment = &space->fragments.items[space->keys.items[i].value];
            space->hits.items[space->hits.count++] = resolve(walk, fragment);
        }
        image_column column = {.column = (uint32_t)pixel % layers->grid.columns,
                               .row = (uint32_t)pixel / layers->grid.columns,
                               .hits = space->hits.items,
                               .count = space->hits.count};
        BASE_TRY(walk->on_column(&column, walk->user));
    }
    return CAROM_OK;
}

static carom_status walk_band(image_layers_walk *walk, const image_band *band, band_space *space)
{
    space->fragments.count = 0;
    BASE_TRY(walk->pass ? image_layers_draw(walk->pass, walk->layers, band, &space->fragments)
                        : image_layers_draw_twin(walk->layers, band, &space->fragments));
    walk->fragments += space->fragments.count;
    if (!sort_fragments(walk->layers, space))
        return base_fail(space->context, CAROM_OUT_OF_MEMORY, "image: no memory for %zu fragments",
                         space->fragments.count);
    return walk_columns(walk, space);
}

carom_status image_layers_each(image_layers_walk *walk)
{
    const image_grid *grid = &walk->layers->grid;
    band_space space = {.context = walk->layers->context};
    uint32_t height = BAND_PIXELS / grid->columns;
    height = height > 0 ? height : 1;
    carom_status status = CAROM_OK;
    for (uint32_t row = 0; row < grid->rows && !carom_failed(status); row += height)
    {
        image_band band = {row, row + height < grid->rows ? row + height : grid->rows};
        status = walk_band(walk, &band, &space);
    }
    free_space(&space);
    return status;
}
