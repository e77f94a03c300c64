/* The bodies of carom sim and their motion. */
#include "tool/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- generated scenes ---- */

static int take_scene(const tool_command *command, sim_world *world, const char *name)
{
    carom_status status = scenes_create(world->context, name, &world->source);
    if (carom_failed(status))
        return tool_fail_status(command, world->context, status);
    const scenes_scene *source = world->source;
    world->bodies = calloc(source->body_count + 1u, sizeof *world->bodies);
    if (!world->bodies)
        return tool_fail(command, "out of memory");
    bool any_moves = false;
    for (uint32_t i = 0; i < source->body_count; i++)
        any_moves = any_moves || source->bodies[i].moves;
    for (uint32_t i = 0; i < source->body_count; i++)
    {
        const scenes_body *body = &source->bodies[i];
        world->bodies[i] =
            (sim_body){.shape = body->shape, .name = body->name, .start = body->pose, .pose = body->pose};
        world->bodies[i].motion.moves = body->moves;
        /* what rests next to what moves is its surroundings */
        world->bodies[i].motion.is_static = any_moves && !body->moves;
    }
    world->body_count = source->body_count, world->step_count = source->step_count;
    world->clearance = source->clearance;
    return TOOL_CLEAN;
}

/* ---- lists ---- */

static int take_list(const tool_command *command, sim_world *world, const char *path)
{
    char *paths[1] = {(char *)path};
    tool_reading reading = {.context = world->context};
    world->inputs = (tool_inputs){.command = command};
    if (!tool_find_inputs(&world->inputs, paths, 1))
        return TOOL_ERROR;
    tool_settle_lists(&world->inputs, NULL, false);
    if (world->inputs.failed || !tool_read_inputs(&world->inputs, &reading))
        return TOOL_ERROR;
    size_t count = 0;
    for (size_t i = 0; i < world->inputs.count; i++)
    {
        const tool_input *input = &world->inputs.items[i];
        if (carom_failed(input->status))
            return tool_fail(command, "%s (%s)", input->message, carom_status_name(input->status));
        count += input->body_count;
    }
    world->bodies = calloc(count + 1, sizeof *world->bodies);
    if (!world->bodies)
        return tool_fail(command, "out of memory");
    for (size_t i = 0; i < world->inputs.count; i++)
        for (uint32_t k = 0; k < world->inputs.items[i].body_count; k++)
        {
            const tool_input *input = &world->inputs.items[i];
            const tool_body *body = &input->bodies[k];
            world->bodies[world->body_count++] = (sim_body){.shape = carom_shape_mesh(body->mesh),
                                                            .name = body->part ? body->part : input->name,
                                                            .start = input->pose,
                                                            .pose = input->pose,
                                                            .motion = input->motion};
        }
    world->step_count = world->inputs.steps ? world->inputs.steps : 1;
    world->clearance = world->inputs.clearance;
    return TOOL_CLEAN;
}

/* Turned about an axis through the model's origin, then shifted. */
static carom_pose pose_at(const sim_body *body, uint32_t step)
{
    const tool_motion *motion = &body->motion;
    carom_vec3 axis = motion->axis, at = body->start.translation;
    const double scaled[3] = {axis.x, axis.y, axis.z};
    at.x += motion->velocity.x * step, at.y += motion->velocity.y * step, at.z += motion->velocity.z * step;
    carom_pose pose = tool_turn(scaled, 360 * fmod(fmod(motion->turns, 1) * step, 1), at), turned = pose;
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++)
        {
            double sum = 0;
            for (int k = 0; k < 3; k++)
                sum += pose.rotation[3 * row + k] * body->start.rotation[3 * k + column];
            turned.rotation[3 * row + column] = sum;
        }
    return turned;
}

/* ---- both ---- */

static carom_status fill_scene(sim_world *world)
{
    carom_status status = carom_scene_create(world->context, &world->scene);
    for (uint32_t i = 0; i < world->body_count && !carom_failed(status); i++)
    {
        sim_body *body = &world->bodies[i];
        carom_body_def def = carom_body_def_default();
        def.placed = (carom_placed){body->shape, body->pose};
        def.name = body->name;
        def.is_static = body->motion.is_static;
        def.user = i;
        status = carom_scene_add(world->scene, &def, &body->id);
        if (body->shape.kind == CAROM_SHAPE_MESH)
            world->triangles += carom_shape_element_count(&body->shape);
    }
    return status;
}

int sim_open(const tool_command *command, carom_context *context, const char *name, sim_world *out)
{
    *out = (sim_world){.context = context};
    struct stat about;
    bool scene = tool_find_choice(TOOL_SCENE, name) >= 0;
    if (!scene && !strpbrk(name, "./") && stat(name, &about) != 0)
        return tool_check_choice(command, "the scene", TOOL_SCENE, name), TOOL_ERROR;
    int code = scene ? take_scene(command, out, name) : take_list(command, out, name);
    if (code != TOOL_CLEAN)
        return code;
    if (out->body_count < 2)
        return tool_fail(command, "%s has fewer than two bodies: nothing can meet", name), TOOL_NOTHING;
    carom_status status = fill_scene(out);
    return carom_failed(status) ? tool_fail_status(command, context, status) : TOOL_CLEAN;
}

void sim_close(sim_world *world)
{
    carom_scene_destroy(world->scene);
    free(world->bodies);
    scenes_destroy(world->source);
    tool_free_inputs(&world->inputs);
}

carom_status sim_move(sim_world *world, uint32_t step)
{
    if (world->source)
        scenes_move(world->source, step);
    for (uint32_t i = 0; i < world->body_count; i++)
    {
        sim_body *body = &world->bodies[i];
        if (!body->motion.moves)
            continue;
        body->pose = world->source ? world->source->bodies[i].pose : pose_at(body, step);
        carom_status status = carom_scene_move(world->scene, body->id, &body->pose);
        if (!carom_failed(status) && world->source && world->source->bodies[i].frame_count > 0)
        {
            body->shape = world->source->bodies[i].shape;
            status = carom_scene_reshape(world->scene, body->id, &body->shape);
        }
        if (carom_failed(status))
            return status;
    }
    return CAROM_OK;
}
