/* A scene under construction: its meshes, its bodies and their motion. */
#include "scenes/stage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- meshes ---- */

const carom_mesh *stage_keep(stage *stage, carom_status status, carom_mesh *mesh)
{
    scenes_scene *scene = stage->scene;
    if (status == CAROM_OK && scene->mesh_count == stage->mesh_capacity)
    {
        size_t larger = 2 * stage->mesh_capacity + 8;
        carom_mesh **memory = realloc(scene->meshes, larger * sizeof(carom_mesh *));
        if (memory)
            scene->meshes = memory, stage->mesh_capacity = larger;
        else
            status = CAROM_OUT_OF_MEMORY;
    }
    if (status != CAROM_OK)
    {
        carom_mesh_destroy(mesh);
        stage->status = status;
        return NULL;
    }
    return scene->meshes[scene->mesh_count++] = mesh;
}

const carom_mesh *stage_mesh(stage *stage, generate_kind kind, uint32_t triangles, double size, uint64_t seed)
{
    if (stage->status != CAROM_OK)
        return NULL;
    generate_def def = {.kind = kind, .triangles = triangles, .seed = seed, .size = size};
    carom_mesh *mesh = NULL;
    carom_status status = generate_mesh(stage->context, &def, &mesh);
    return stage_keep(stage, status, mesh);
}

const carom_mesh *stage_shape(stage *stage, shape *shape, const char *name)
{
    carom_mesh *mesh = NULL;
    carom_status status = shape_finish(shape, stage->context, name, &mesh);
    return stage_keep(stage, stage->status != CAROM_OK ? stage->status : status, mesh);
}

const carom_mesh *stage_cuboid(stage *stage, carom_vec3 half, uint32_t triangles)
{
    shape made = shape_begin();
    generate_def def = {.kind = GENERATE_BOX, .triangles = triangles, .size = 2.0};
    shapes_box(&made, &def);
    for (size_t i = 0; i < made.vertex_count; i++)
    {
        carom_vec3 *v = &made.vertices[i];
        *v = numeric_vec(v->x * half.x, v->y * half.y, v->z * half.z);
    }
    shape_fill(&made, triangles);
    return stage_shape(stage, &made, "cuboid");
}

/* ---- bodies ---- */

scenes_body *stage_body(stage *stage, const carom_mesh *mesh, const char *name, carom_vec3 position)
{
    return mesh ? stage_solid(stage, carom_shape_mesh(mesh), name, position) : NULL;
}

scenes_body *stage_solid(stage *stage, carom_shape shape, const char *name, carom_vec3 position)
{
    scenes_scene *scene = stage->scene;
    if (stage->status != CAROM_OK)
        return NULL;
    if (scene->body_count == stage->body_capacity)
    {
        size_t larger = 2 * stage->body_capacity + 16;
        scenes_body *memory = realloc(scene->bodies, larger * sizeof *memory);
        if (!memory)
            return stage->status = CAROM_OUT_OF_MEMORY, NULL;
        scene->bodies = memory, stage->body_capacity = larger;
    }
    scenes_body *body = &scene->bodies[scene->body_count++];
    *body =
        (scenes_body){.shape = shape, .motion = {.orientation = {0, 0, 0, 1}, .axis = {0, 0, 1}, .start = position}};
    snprintf(body->name, sizeof body->name, "%s", name);
    return body;
}

/* Hamilton product p q, scalar last. */
static void multiply(const double p[4], const double q[4], double out[4])
{
    double product[4] = {
        p[3] * q[0] + p[0] * q[3] + p[1] * q[2] - p[2] * q[1], p[3] * q[1] - p[0] * q[2] + p[1] * q[3] + p[2] * q[0],
        p[3] * q[2] + p[0] * q[1] - p[1] * q[0] + p[2] * q[3], p[3] * q[3] - p[0] * q[0] - p[1] * q[1] - p[2] * q[2]};
    for (int i = 0; i < 4; i++)
        out[i] = product[i];
}

static void turn_quaternion(carom_vec3 axis, double turns, double out[4])
{
    double sine, cosine;
    numeric_sin_cos(0.5 * turns, &sine, &cosine);
    out[0] = axis.x * sine, out[1] = axis.y * sine, out[2] = axis.z * sine, out[3] = cosine;
}

void stage_turn(scenes_body *body, carom_vec3 axis, double turns)
{
    if (!body)
        return;
    double turn[4];
    turn_quaternion(axis, turns, turn);
    multiply(turn, body->motion.orientation, body->motion.orientation);
}

void stage_drift(scenes_body *body, carom_vec3 velocity)
{
    if (!body)
        return;
    body->motion.velocity = velocity;
    body->moves = true;
}

void stage_spin(scenes_body *body, carom_vec3 axis, double turns_per_step)
{
    if (!body)
        return;
    body->motion.axis = axis;
    body->motion.turns_per_step = turns_per_step;
    body->moves = true;
}

void stage_set_loose(scenes_body *body, const stage_crowd *crowd, numeric_random *random)
{
    if (!body)
        return;
    scenes_motion *motion = &body->motion;
    motion->low = numeric_sub(crowd->middle, crowd->half);
    motion->high = numeric_add(crowd->middle, crowd->half);
    motion->start.x = numeric_uniform(random, motion->low.x, motion->high.x);
    motion->start.y = numeric_uniform(random, motion->low.y, motion->high.y);
    motion->start.z = numeric_uniform(random, motion->low.z, motion->high.z);
    carom_vec3 way = numeric_direction(random);
    stage_drift(body, numeric_scale(way, crowd->speed));
    carom_vec3 tilt = numeric_direction(random), axis = numeric_direction(random);
    stage_turn(body, tilt, numeric_uniform(random, 0.0, 1.0));
    stage_spin(body, axis, crowd->turns);
}

/* ---- motion ---- */

/* Straight motion between two walls that reflect. */
static double folded(double x, double low, double high)
{
    double width = high - low;
    if (!(width > 0.0))
        return x;
    double laps = (x - low) / (2.0 * width);
    int64_t whole = (int64_t)laps - (laps < 0.0 ? 1 : 0);
    double inside = (x - low) - (double)whole * 2.0 * width;
    return low + (inside > width ? 2.0 * width - inside : inside);
}

static carom_pose pose_at(const scenes_body *body, uint32_t step)
{
    const scenes_motion *motion = &body->motion;
    double turn[4], orientation[4], moves = step / (motion->steps_per_move ? motion->steps_per_move : 1);
    turn_quaternion(motion->axis, motion->turns_per_step * step, turn);
    multiply(turn, motion->orientation, orientation);
    carom_vec3 at = numeric_add(motion->start, numeric_scale(motion->velocity, moves));
    carom_vec3 low = motion->low, high = motion->high;
    at = numeric_vec(folded(at.x, low.x, high.x), folded(at.y, low.y, high.y), folded(at.z, low.z, high.z));
    return carom_pose_from_quaternion(orientation, at);
}

void scenes_move(scenes_scene *scene, uint32_t step)
{
    for (uint32_t i = 0; i < scene->body_count; i++)
    {
        scenes_body *body = &scene->bodies[i];
        body->pose = pose_at(body, step);
        if (body->frame_count > 0)
            body->shape.mesh = scene->meshes[body->first_frame + step % body->frame_count];
    }
}
