/* Particles: rain on a ball and the ground, against the depth buffer of a camera that looks down on them. */
#include <carom/carom.h>
#include <scenes/generate.h>
#include <stdio.h>

static int fail(const carom_context *context)
{
    char message[256] = "no context";
    carom_context_message(context, message, sizeof message);
    return fprintf(stderr, "%s\n", message), 1;
}

int main(void)
{
    carom_context *context = NULL;
    carom_image *image;
    carom_mesh *ball, *ground;
    generate_def round = generate_def_default(GENERATE_ICO_SPHERE), flat = generate_def_default(GENERATE_BOX);
    round.size = 2.0, flat.size = 10.0, flat.triangles = 12;
    carom_image_def plain = {.on_processor = true}; /* without a driver, the same images in plain C */
    if (carom_failed(carom_context_create(NULL, &context)) ||
        (carom_failed(carom_image_create(context, NULL, &image)) &&
         carom_failed(carom_image_create(context, &plain, &image))) ||
        carom_failed(generate_mesh(context, &round, &ball)) || carom_failed(generate_mesh(context, &flat, &ground)))
        return fail(context);
    carom_placed bodies[2] = {{carom_shape_mesh(ball), carom_pose_identity()},
                              {carom_shape_mesh(ground), carom_pose_translation(0, 0, -6)}}; /* its top is at z = -1 */
    carom_particle drops[100];
    carom_particle_hit hits[100];
    for (int i = 0; i < 100; i++)
        drops[i] = (carom_particle){{0.5 * (i % 10) - 2.2, 0.5 * (i / 10) - 2.3, 3.0}, {0, 0, -4}, 0.01};
    carom_image_camera camera = {.pose = carom_pose_translation(0, 0, 10),
                                 .perspective = true,
                                 .width = 1,
                                 .height = 1,
                                 .near_distance = 1,
                                 .far_distance = 20,
                                 .columns = 200,
                                 .rows = 200};
    carom_image_particles_def def = {camera, bodies, 2, 0.5, drops, 100};
    uint64_t on_ball = 0, on_ground = 0;
    for (int step = 0; step < 30; step++)
    {
        carom_image_particles_result result;
        if (carom_failed(carom_image_particles(image, &def, hits, &result)))
            return fail(context);
        for (int i = 0; i < 100; i++)
        {
            bool hit = hits[i].fate == CAROM_PARTICLE_HIT;
            on_ball += hit && hits[i].body == 0, on_ground += hit && hits[i].body == 1;
            carom_vec3 p = hits[i].position, v = hits[i].velocity; /* reflected if it hit something */
            drops[i].position = (carom_vec3){p.x + 0.05 * v.x, p.y + 0.05 * v.y, p.z + 0.05 * v.z};
            drops[i].velocity = (carom_vec3){v.x, v.y, v.z - 0.5};
        }
    }
    printf("%llu hits on the ball, %llu on the ground\n", (unsigned long long)on_ball, (unsigned long long)on_ground);
    carom_mesh_destroy(ball), carom_mesh_destroy(ground), carom_image_destroy(image);
    carom_context_destroy(context);
    return on_ball > 0 && on_ground > 0 ? 0 : 1;
}
