/* Triangles prepared for layers, and the pass that lists their fragments in plain C. */
#include "engine/image/image_layers.h"

/* No edge can be told apart with this doubt. */
#define NO_DECISION 1e30

/* How far the side that is computed for an edge may be from that of the pixel's sample, half a pixel apart: errors that
 * image_prepare has added, those of the float arithmetic, and the sample's own place. */
static double edge_doubt(const image_grid *grid, carom_vec3 p, carom_vec3 q, const float edge[3])
{
    if (edge[0] == 0.0f && edge[1] == 0.0f)
        return NO_DECISION;
    double reach = fabs(p.x) + fabs(p.y) + fabs(q.x) + fabs(q.y) + grid->view.side + 1.0;
    return 4.0 * (grid->view.error[0] + grid->view.error[1] + grid->sample_error + 0x1p-20 * reach);
}

bool image_layer_prepare(const image_grid *grid, const carom_vec3 corner[3], uint32_t number, image_record *record)
{
    double doubt = 0.0;
    if (!image_prepare(&grid->view, corner, record) || record->rect[0] >= (float)grid->columns ||
        record->rect[1] >= (float)grid->rows)
        return false;
    for (int i = 0; i < 3; i++)
        doubt = fmax(doubt, edge_doubt(grid, corner[i], corner[(i + 1) % 3], record->edge[i]));
    record->padding[0] = doubt < NO_DECISION ? math_float_up(doubt) : (float)NO_DECISION;
    record->padding[1] = (float)(number & 0xffffffu); /* exact; the rest is known where fragments are read */
    record->rect[2] = fminf(record->rect[2], (float)grid->columns);
    record->rect[3] = fminf(record->rect[3], (float)grid->rows);
    return true;
}

carom_status image_layers_add(image_layers *layers, int body)
{
    const mesh_placed *placed = &layers->bodies[body];
    const image_grid *grid = &layers->grid;
    for (uint32_t i = 0; i < placed->mesh->triangle_count; i++)
    {
        narrow_triangle world = tree_world_triangle(placed, i);
        carom_vec3 corner[3];
        for (int k = 0; k < 3; k++)
            corner[k] = image_grid_see(grid, world.corner[k]);
        if (!base_array_reserve(layers->context, &layers->records, 1) ||
            !base_array_reserve(layers->context, &layers->origins, 1))
            return base_fail(layers->context, CAROM_OUT_OF_MEMORY, "image: no memory for the triangles of %.64s",
                             carom_mesh_name(placed->mesh));
        image_record *record = &layers->records.items[layers->records.count];
        if (!image_layer_prepare(grid, corner, (uint32_t)layers->records.count, record))
            continue;
        layers->records.count++;
        int turn = exact_orient2d(world.corner[0], world.corner[1], world.corner[2], grid->axis, NULL);
        layers->origins.items[layers->origins.count++] = (image_layer_origin){i, (int8_t)body, (int8_t)turn};
    }
    return CAROM_OK;
}

void image_layers_free(image_layers *layers)
{
    base_array_free(layers->context, &layers->records);
    base_array_free(layers->context, &layers->origins);
}

/* ---- the twin ---- */

static image_sample sample_of(float side, float doubt)
{
    return side >= 1.0f + doubt   ? IMAGE_SAMPLE_COVERED
           : side >= 0.5f + doubt ? IMAGE_SAMPLE_INSIDE
           : side < 0.5f - doubt  ? IMAGE_SAMPLE_OUTSIDE
                                  : IMAGE_SAMPLE_UNSURE;
}

/* False: the triangle does not touch the pixel. */
static bool make_fragment(const image_record *record, uint32_t column, uint32_t row, image_layer_fragment *out)
{
    float x = (float)column + 0.5f, y = (float)row + 0.5f, side[3];
    const float *plane = record->plane;
    for (int i = 0; i < 3; i++)
        side[i] = record->edge[i][0] * x + record->edge[i][1] * y + record->edge[i][2];
    float least = fminf(side[0], fminf(side[1], side[2]));
    if (!(least >= 0.0f))
        return false;
    float z = plane[0] * x + plane[1] * y + plane[2];
    out->pixel = (uint32_t)sample_of(least, record->padding[0]) << 24;
    out->low = -fminf(plane[3] - z, -record->low), out->high = fminf(z + plane[3], record->high);
    return true;
}

carom_status image_layers_draw_twin(const image_layers *layers, const image_band *band, image_layer_fragments *out)
{
    for (size_t i = 0; i < layers->records.count; i++)
    {
        const image_record *record = &layers->records.items[i];
        uint32_t first = (uint32_t)record->rect[1], end = (uint32_t)record->rect[3];
        first = first > band->first ? first : band->first, end = end < band->end ? end : band->end;
        for (uint32_t row = first; row < end; row++)
            for (uint32_t column = (uint32_t)record->rect[0]; column < (uint32_t)record->rect[2]; column++)
            {
                if (!base_array_reserve(layers->context, out, 1))
                    return base_fail(layers->context, CAROM_OUT_OF_MEMORY, "image: no memory for fragments");
                image_layer_fragment *fragment = &out->items[out->count];
                if (!make_fragment(record, column, row, fragment))
                    continue;
                fragment->pixel |= row * layers->grid.columns + column, fragment->record = (uint32_t)i;
                out->count++;
            }
    }
    return CAROM_OK;
}
