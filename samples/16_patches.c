/* Two NURBS surfaces that meet: each is evaluated into a grid of points, and engine geoimage searches the grids. */
#include <carom/carom.h>
#include <stdio.h>

static int fail(const carom_context *context)
{
    char message[256] = "no context";
    carom_context_message(context, message, sizeof message);
    return fprintf(stderr, "%s\n", message), 1;
}

/* A bicubic patch over a square, bent up (or down) in the middle, where points weigh twice as much, as a body. */
static carom_status add_surface(carom_context *context, carom_scene *scene, double bend, carom_body_id *id)
{
    carom_vec3 points[16];
    double weights[16];
    carom_patch_def def = carom_patch_def_default();
    carom_patch *patch = NULL;
    carom_geoimage *image = NULL;
    carom_mesh *mesh = NULL;
    carom_body_def body = carom_body_def_default();
    for (int i = 0; i < 16; i++)
    {
        points[i] = (carom_vec3){i % 4, i / 4, i % 4 % 3 != 0 && i / 4 % 3 != 0 ? bend : 0.0};
        weights[i] = points[i].z != 0.0 ? 2.0 : 1.0;
    }
    def.points = points, def.weights = weights;
    carom_status status = carom_patch_create(context, &def, &patch);
    status = carom_failed(status) ? status : carom_geoimage_create_patch(context, patch, 65, 65, &image);
    status = carom_failed(status) ? status : carom_geoimage_mesh(image, 0, &mesh);
    body.placed = (carom_placed){carom_shape_mesh(mesh), carom_pose_identity()};
    status = carom_failed(status) ? status : carom_scene_add(scene, &body, id);
    carom_mesh_destroy(mesh), carom_geoimage_destroy(image), carom_patch_destroy(patch);
    return status;
}

int main(void)
{
    carom_context *context = NULL;
    carom_scene *scene;
    carom_engine *engine = NULL;
    carom_body_id dome, bowl;
    carom_scene_report report = {0};
    if (carom_failed(carom_context_create(NULL, &context)) || carom_failed(carom_scene_create(context, &scene)) ||
        carom_failed(add_surface(context, scene, 1.0, &dome)) ||
        carom_failed(add_surface(context, scene, -1.0, &bowl)) ||
        carom_failed(carom_engine_create(context, &(carom_engine_def){.engine = "geoimage"}, &engine)))
        return fail(context);
    for (int step = 0; step < 5; step++)
    {
        carom_pose pose = carom_pose_translation(0.1, 0.2, 1.8 - 0.2 * step);
        carom_frame frame;
        if (carom_failed(carom_scene_move(scene, bowl, &pose)) || carom_failed(carom_scene_frame(scene, &frame)) ||
            carom_failed(carom_engine_run(engine, &frame, NULL, &report)))
            return fail(context);
        printf("%.1f apart: %llu pairs of triangles meet\n", 1.8 - 0.2 * step, (unsigned long long)report.pair_count);
    }
    carom_engine_destroy(engine), carom_scene_destroy(scene), carom_context_destroy(context);
    return report.pair_count > 0 ? 0 : 1;
}
