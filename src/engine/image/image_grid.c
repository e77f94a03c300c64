/* Grids of pixels across an axis of the world. */
#include "engine/image/image_layers.h"

/* The least width of a pixel over the largest |coordinate|: 256 units in the last place. */
#define MIN_PIXEL 0x1p-44

static double magnitude_of(const carom_aabb *box)
{
    carom_vec3 low = box->min, high = box->max;
    return fmax(fmax(fmax(fabs(low.x), fabs(low.y)), fmax(fabs(low.z), fabs(high.x))),
                fmax(fabs(high.y), fabs(high.z)));
}

/* A coordinate u = (x - low) scale has two roundings, so it is off by 2^-52 |u|. Four times that: a point to look up is
 * off as well, and may then be in the next pixel. */
static double pixel_error(double low, double high, double origin, double scale, double side)
{
    return 0x1p-50 * (fmax(fabs(low - origin), fabs(high - origin)) * scale + side);
}

static void fit_depth(const carom_aabb *box, const carom_aabb *everything, double magnitude, image_grid *out)
{
    double low = vec3_at(&box->min, out->axis), high = vec3_at(&box->max, out->axis);
    double all_low = vec3_at(&everything->min, out->axis), all_high = vec3_at(&everything->max, out->axis);
    out->depth_centre = 0.5 * low + 0.5 * high;
    double reach = fmax(fabs(all_low - out->depth_centre), fabs(all_high - out->depth_centre));
    /* depths stay below 2^60, where floats and their squares are far from overflow */
    double half = fmax(fmax(0.5 * (high - low), MIN_PIXEL * magnitude), fmax(0x1p-60 * reach, 0x1p-400));
    int exponent;
    frexp(half, &exponent);
    out->depth_scale = ldexp(1.0, -exponent);
    out->view.error[2] = 0x1p-50 * (reach * out->depth_scale + 1.0);
}

void image_grid_fit(const carom_aabb *box, const carom_aabb *everything, int axis, uint32_t side, image_grid *out)
{
    *out = (image_grid){.axis = axis};
    double magnitude = magnitude_of(everything), length[2], longer = 0x1p-400;
    for (int k = 0; k < 2; k++)
    {
        int along = (axis + 1 + k) % 3;
        length[k] = vec3_at(&box->max, along) - vec3_at(&box->min, along);
        longer = fmax(longer, length[k]);
    }
    longer = fmax(longer, (double)side * MIN_PIXEL * magnitude);
    /* a little more than the box on either side, so that rounding loses nothing of it */
    out->scale = (double)side / (longer * (1.0 + 0x1p-20) + 0x1p-48 * magnitude);
    for (int k = 0; k < 2; k++)
    {
        int along = (axis + 1 + k) % 3;
        double low = vec3_at(&box->min, along);
        out->low[k] = low - (0x1p-22 * longer + 0x1p-50 * magnitude);
        out->view.error[k] = pixel_error(vec3_at(&everything->min, along), vec3_at(&everything->max, along),
                                         out->low[k], out->scale, (double)side);
        double pixels = (vec3_at(&box->max, along) - out->low[k]) * out->scale + out->view.error[k];
        uint32_t count = pixels < (double)side ? (uint32_t)floor(pixels) + 1 : side;
        *(k == 0 ? &out->columns : &out->rows) = count;
    }
    out->view.side = (int)side;
    out->sample_error = 0x1p-50 * (magnitude * out->scale + (double)side);
    fit_depth(box, everything, magnitude, out);
}

carom_vec3 image_grid_sample(const image_grid *grid, uint32_t column, uint32_t row)
{
    double at[3] = {0};
    at[(grid->axis + 1) % 3] = grid->low[0] + ((double)column + 0.5) / grid->scale;
    at[(grid->axis + 2) % 3] = grid->low[1] + ((double)row + 0.5) / grid->scale;
    return vec3(at[0], at[1], at[2]);
}

carom_aabb image_placed_box(const mesh_placed *placed)
{
    carom_aabb box = {vec3(INFINITY, INFINITY, INFINITY), vec3(-INFINITY, -INFINITY, -INFINITY)};
    for (uint32_t i = 0; i < 3 * placed->mesh->triangle_count; i++)
    {
        carom_vec3 at = pose_apply(placed->pose, placed->mesh->vertices[placed->mesh->indices[i]]);
        box.min = vec3_min(box.min, at), box.max = vec3_max(box.max, at);
    }
    return box;
}

carom_aabb image_common_box(const carom_aabb *a, const carom_aabb *b)
{
    return (carom_aabb){vec3_max(a->min, b->min), vec3_min(a->max, b->max)};
}
