/* Points of surfaces that are grids. */
#include "scenes/grids.h"

#include "scenes/numeric.h"

void grids_sphere(uint32_t width, uint32_t height, double radius, carom_vec3 *out)
{
    for (uint32_t row = 0; row < height; row++)
        for (uint32_t column = 0; column < width; column++)
        {
            double east, ahead, up, around;
            numeric_sin_cos((double)(column % (width - 1)) / (width - 1), &east, &ahead);
            /* from a quarter turn below the equator to a quarter above: at both ends the sum is exact */
            numeric_sin_cos(0.5 * row / (height - 1) - 0.25, &up, &around);
            *out++ = numeric_vec(radius * around * ahead, radius * around * east, radius * up);
        }
}

void grids_sheet(uint32_t width, uint32_t height, double turns, carom_vec3 *out)
{
    for (uint32_t row = 0; row < height; row++)
        for (uint32_t column = 0; column < width; column++)
        {
            double u = (double)column / (width - 1), v = (double)row / (height - 1), wave[2], ripple[2];
            numeric_sin_cos(2.0 * u + turns, &wave[0], &wave[1]);
            double along = wave[0];
            numeric_sin_cos(1.5 * v + turns, &wave[0], &wave[1]);
            numeric_sin_cos(9.0 * (u + v) + turns, &ripple[0], &ripple[1]);
            *out++ = numeric_vec(2.0 * u - 1.0, 2.0 * v - 1.0, 0.17 * along * wave[1] + 0.03 * ripple[0]);
        }
}

carom_status grids_mesh(carom_context *context, uint32_t width, uint32_t height, const carom_vec3 *points,
                        carom_mesh **out)
{
    carom_geoimage *image = NULL;
    carom_status status = carom_geoimage_create_grid(context, width, height, points, &image);
    if (!carom_failed(status))
        status = carom_geoimage_mesh(image, 0, out);
    carom_geoimage_destroy(image);
    return status;
}

carom_status grids_deform(const carom_mesh *mesh, const carom_vec3 *points, carom_mesh **out)
{
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = &points->x, def.vertex_count = carom_mesh_get_info(mesh).vertex_count;
    return carom_mesh_deform(mesh, &def, out);
}
