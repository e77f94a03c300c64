/* Two NURBS surfaces that meet: each is evaluated into a grid of points, and the grids are searched. */
#include <carom/carom.h>
#include <stdio.h>

static int fail(const carom_context *context)
{
    char message[256] = "no context";
    carom_context_message(context, message, sizeof message);
    return fprintf(stderr, "%s\n", message), 1;
}

/* A bicubic patch over a square, bent up (or down) in the middle; its inner points weigh twice as much. */
static carom_status make_surface(carom_context *context, double bend, carom_mesh **out)
{
    carom_vec3 points[16];
    double weights[16];
    carom_patch_def def = carom_patch_def_default();
    carom_patch *patch = NULL;
    carom_geoimage *image = NULL;
    for (int i = 0; i < 16; i++)
    {
        bool inside = i % 4 % 3 != 0 && i / 4 % 3 != 0;
        points[i] = (carom_vec3){i % 4, i / 4, inside ? bend : 0.0};
        weights[i] = inside ? 2.0 : 1.0;
    }
    def.points = points, def.weights = weights;
    carom_status status = carom_patch_create(context, &def, &patch);
    if (!carom_failed(status))
        status = carom_geoimage_create_patch(context, patch, 65, 65, &image);
    if (!carom_failed(status))
        status = carom_geoimage_mesh(image, 0, out);
    carom_geoimage_destroy(image), carom_patch_destroy(patch);
    return status;
}

int main(void)
{
    carom_context *context = NULL;
    carom_query *query;
    carom_mesh *dome, *bowl;
    uint64_t last = 0;
    if (carom_failed(carom_context_create(NULL, &context)) || carom_failed(carom_query_create(context, &query)) ||
        carom_failed(make_surface(context, 1.0, &dome)) || carom_failed(make_surface(context, -1.0, &bowl)))
        return fail(context);
    for (int step = 0; step < 5; step++)
    {
        carom_placed a = {carom_shape_mesh(dome), carom_pose_identity()};
        carom_placed b = {carom_shape_mesh(bowl), carom_pose_translation(0.1, 0.2, 1.8 - 0.2 * step)};
        carom_report report;
        if (carom_failed(carom_collide(query, &a, &b, NULL, &report)))
            return fail(context);
        last = report.pair_count;
        printf("%.1f apart: %llu pairs of triangles meet\n", 1.8 - 0.2 * step, (unsigned long long)last);
    }
    carom_mesh_destroy(dome), carom_mesh_destroy(bowl), carom_query_destroy(query);
    carom_context_destroy(context);
    return last > 0 ? 0 : 1;
}
