/* A waving cloth over a ball: a grid of points that deforms. Each frame has new points, and the boxes of its quadtree
 * are rebuilt, on a graphics driver if there is one, otherwise on the processor. */
#include <carom/carom.h>
#include <scenes/grids.h>
#include <stdio.h>

static int fail(const carom_context *context)
{
    char message[256] = "no context";
    carom_context_message(context, message, sizeof message);
    return fprintf(stderr, "%s\n", message), 1;
}

int main(void)
{
    static carom_vec3 points[65 * 65];
    carom_context *context = NULL;
    carom_scene *scene;
    carom_engine *engine;
    carom_mesh *ball, *cloth, *next;
    carom_body_def ball_def = carom_body_def_default(), cloth_def = ball_def;
    carom_body_id ball_id, id;
    carom_engine_def def = carom_engine_def_default();
    def.engine = "geoimage";
    if (carom_failed(carom_context_create(NULL, &context)) || carom_failed(carom_scene_create(context, &scene)) ||
        carom_failed(carom_engine_create(context, &def, &engine)))
        return fail(context);
    grids_sphere(33, 17, 0.5, points);
    if (carom_failed(grids_mesh(context, 33, 17, points, &ball)))
        return fail(context);
    grids_sheet(65, 65, 0.0, points);
    if (carom_failed(grids_mesh(context, 65, 65, points, &cloth)))
        return fail(context);
    ball_def.placed = (carom_placed){carom_shape_mesh(ball), carom_pose_identity()}, ball_def.is_static = true;
    cloth_def.placed = (carom_placed){carom_shape_mesh(cloth), carom_pose_translation(0, 0, 0.55)};
    if (carom_failed(carom_scene_add(scene, &ball_def, &ball_id)) ||
        carom_failed(carom_scene_add(scene, &cloth_def, &id)))
        return fail(context);
    uint64_t contacts = 0;
    for (int step = 0; step < 20; step++)
    {
        grids_sheet(65, 65, step / 20.0, points);
        if (carom_failed(grids_deform(cloth, points, &next)))
            return fail(context);
        carom_mesh_destroy(cloth); /* the scene holds it for as long as it needs it */
        cloth = next;
        carom_shape shape = carom_shape_mesh(cloth);
        carom_frame frame;
        carom_scene_report report;
        if (carom_failed(carom_scene_reshape(scene, id, &shape)) || carom_failed(carom_scene_frame(scene, &frame)) ||
            carom_failed(carom_engine_run(engine, &frame, NULL, &report)))
            return fail(context);
        printf("step %2d: %llu pairs of triangles meet\n", step, (unsigned long long)report.pair_count);
        contacts += report.pair_count;
    }
    carom_engine_destroy(engine), carom_scene_destroy(scene), carom_mesh_destroy(ball), carom_mesh_destroy(cloth);
    carom_context_destroy(context);
    return contacts > 0 ? 0 : 1;
}
