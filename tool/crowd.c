/* The crowd: how it is made and how it moves. */
#include "tool/crowd.h"

#include "scenes/generate.h"

#include <math.h>
#include <stdlib.h>

/* Room of 1.1: the boxes of about four neighbours reach into that of a body. */
static const crowd_info INFOS[] = {
    {.name = "crowd",
     .what = "bodies of five shapes drift, turn and collide",
     .bodies = 400,
     .triangles = 1000,
     .room = 1.1},
    {.name = "small", .what = "many small bodies", .bodies = 5000, .triangles = 200, .room = 1.1},
    {.name = "heavy", .what = "few bodies of many triangles", .bodies = 4, .triangles = 200000, .room = 1.1},
    {.name = "knots",
     .what = "knots, all deep inside each other",
     .bodies = 50,
     .triangles = 2000,
     .room = 0.14,
     .knots = true},
    {.name = "teleport",
     .what = "bodies that move reappear anywhere",
     .bodies = 400,
     .triangles = 1000,
     .room = 1.1,
     .jumps = true},
    {.name = "rest", .what = "nothing moves", .bodies = 400, .triangles = 1000, .room = 1.1, .rests = true},
};

const crowd_info *crowd_get_info(uint32_t index) { return index < sizeof INFOS / sizeof *INFOS ? &INFOS[index] : NULL; }

double crowd_uniform(crowd *crowd)
{
    uint64_t z = (crowd->random += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static carom_vec3 uniform_point(crowd *crowd, double low, double high)
{
    double x = crowd_uniform(crowd), y = crowd_uniform(crowd), z = crowd_uniform(crowd);
    return (carom_vec3){low + (high - low) * x, low + (high - low) * y, low + (high - low) * z};
}

static carom_status make_meshes(carom_context *context, uint32_t triangles, crowd *out)
{
    static const generate_kind KINDS[CROWD_MESHES] = {GENERATE_TORUS_KNOT, GENERATE_BLOB, GENERATE_TORUS,
                                                      GENERATE_ICO_SPHERE, GENERATE_GEAR};
    carom_status status = CAROM_OK;
    for (int i = 0; i < CROWD_MESHES && !carom_failed(status); i++)
    {
        generate_def def = generate_def_default(out->info->knots ? GENERATE_TORUS_KNOT : KINDS[i]);
        def.triangles = triangles;
        status = generate_mesh(context, &def, &out->meshes[i]);
    }
    return status;
}

static carom_pose pose_of(const crowd_body *body) { return carom_pose_from_quaternion(body->quaternion, body->at); }

static carom_status add_body(crowd *crowd, uint32_t index)
{
    crowd_body *body = &crowd->bodies[index];
    body->at = uniform_point(crowd, 0.0, crowd->side);
    body->velocity = uniform_point(crowd, -0.02, 0.02);
    for (int k = 0; k < 4; k++)
        body->quaternion[k] = 0.1 + crowd_uniform(crowd);
    carom_body_def def = carom_body_def_default();
    def.placed = (carom_placed){carom_shape_mesh(crowd->meshes[index % CROWD_MESHES]), pose_of(body)};
    def.priority = index % 10 == 0 ? 4.0 : 1.0;
    return carom_scene_add(crowd->scene, &def, &body->id);
}

carom_status crowd_create(carom_context *context, const crowd_def *def, crowd *out)
{
    const crowd_info *info = def->info;
    uint32_t bodies = def->bodies > 0 ? def->bodies : info->bodies;
    *out = (crowd){.info = info, .body_count = bodies, .side = info->room * cbrt(bodies), .random = 1};
    out->bodies = calloc(bodies, sizeof *out->bodies);
    if (!out->bodies)
        return CAROM_OUT_OF_MEMORY;
    carom_status status = carom_scene_create(context, &out->scene);
    if (!carom_failed(status))
        status = make_meshes(context, def->triangles > 0 ? def->triangles : info->triangles, out);
    for (uint32_t i = 0; i < bodies && !carom_failed(status); i++)
        status = add_body(out, i);
    return status;
}

void crowd_destroy(crowd *crowd)
{
    carom_scene_destroy(crowd->scene);
    for (int i = 0; i < CROWD_MESHES; i++)
        carom_mesh_destroy(crowd->meshes[i]);
    free(crowd->bodies);
}

/* Turns back at the walls. */
static void drift(double *at, double *velocity, double side)
{
    if ((*at < 0.0 && *velocity < 0.0) || (*at > side && *velocity > 0.0))
        *velocity = -*velocity;
    *at += *velocity;
}

static void turn(crowd_body *body, int component)
{
    body->quaternion[component] += 0.01 * (1.0 + body->quaternion[3]);
    double length = 0.0;
    for (int k = 0; k < 4; k++)
        length += body->quaternion[k] * body->quaternion[k];
    for (int k = 0; k < 4; k++)
        body->quaternion[k] /= sqrt(length);
}

carom_status crowd_move(crowd *crowd, double probability)
{
    carom_status status = CAROM_OK;
    for (uint32_t i = 0; i < crowd->body_count && !carom_failed(status) && !crowd->info->rests; i++)
    {
        crowd_body *body = &crowd->bodies[i];
        if (!(crowd_uniform(crowd) < probability))
            continue;
        if (crowd->info->jumps)
            body->at = uniform_point(crowd, 0.0, crowd->side);
        drift(&body->at.x, &body->velocity.x, crowd->side);
        drift(&body->at.y, &body->velocity.y, crowd->side);
        drift(&body->at.z, &body->velocity.z, crowd->side);
        turn(body, (int)(i % 3));
        carom_pose pose = pose_of(body);
        status = carom_scene_move(crowd->scene, body->id, &pose);
    }
    return status;
}
