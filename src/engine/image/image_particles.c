/* Particles against the depth buffer of a camera (the chapter, 25.10.1): each visible surface is taken to be of some
 * thickness; a particle in it is moved back along its velocity and reflected by the normal of its pixel, and one that
 * comes from behind is to be removed. Sampled: only what the camera sees at the centres of pixels exists. */
#include "engine/image/image_camera.h"

#include <stdio.h>

/* Moves a particle back until the surface touches it; where it flies along the surface, straight out of it. */
static void move_back(const carom_particle *particle, double height, double closing, double most,
                      carom_particle_hit *out)
{
    double seconds = (particle->radius - height) / closing, speed = vec3_length(particle->velocity);
    bool short_way = isfinite(seconds) && seconds * speed <= most;
    out->position = short_way ? vec3_sub(particle->position, vec3_scale(particle->velocity, seconds))
                              : vec3_add(particle->position, vec3_scale(out->normal, particle->radius - height));
    out->velocity = vec3_add(particle->velocity, vec3_scale(out->normal, 2.0 * closing));
}

static carom_particle_hit judge(const image_shot *shot, const carom_particle *particle, double thickness)
{
    const image_eye *eye = &shot->eye;
    carom_particle_hit out = {.position = particle->position, .velocity = particle->velocity, .body = UINT32_MAX};
    carom_vec3 at = image_eye_see(eye, particle->position);
    image_seen_point seen;
    out.fate = CAROM_PARTICLE_UNSEEN;
    if (!(at.z >= eye->camera.near_distance && at.z <= eye->camera.far_distance && at.x >= 0.0 &&
          at.x < eye->camera.columns && at.y >= 0.0 && at.y < eye->camera.rows))
        return out;
    out.fate = CAROM_PARTICLE_FREE;
    if (!image_shot_look(shot, (uint32_t)at.x, (uint32_t)at.y, &seen))
        return out;
    carom_vec3 view = eye->camera.perspective ? vec3_sub(seen.point, eye->camera.pose.translation) : eye->forward;
    out.normal = vec3_dot(seen.normal, view) > 0.0 ? vec3_scale(seen.normal, -1.0) : seen.normal;
    out.body = seen.body;
    double height = vec3_dot(vec3_sub(particle->position, seen.point), out.normal);
    double closing = -vec3_dot(particle->velocity, out.normal);
    if (at.z > seen.distance + thickness)
        out.fate = CAROM_PARTICLE_UNSEEN;
    else if (height < particle->radius && closing > 0.0)
    {
        out.fate = CAROM_PARTICLE_HIT;
        move_back(particle, height, closing, 2.0 * (thickness + particle->radius), &out);
    }
    else if (height < 0.0)
        out.fate = CAROM_PARTICLE_BEHIND;
    return out;
}

/* ---- the question ---- */

static carom_status check_particles(carom_image *image, const carom_image_particles_def *def)
{
    if (!isfinite(def->thickness))
        return base_fail(image->context, CAROM_NOT_FINITE, "image particles: thickness is %g", def->thickness);
    if (!(def->thickness > 0.0))
        return base_fail(image->context, CAROM_INVALID_ARGUMENT, "image particles: thickness is %g", def->thickness);
    for (uint32_t i = 0; i < def->particle_count; i++)
    {
        const carom_particle *p = &def->particles[i];
        carom_vec3 sum = vec3_add(p->position, p->velocity);
        if (!isfinite(sum.x) || !isfinite(sum.y) || !isfinite(sum.z) || !isfinite(p->radius))
            return base_fail(image->context, CAROM_NOT_FINITE, "image particles: particle %u is not finite", i);
        if (p->radius < 0.0)
            return base_fail(image->context, CAROM_INVALID_ARGUMENT, "image particles: particle %u has radius %g", i,
                             p->radius);
    }
    return CAROM_OK;
}

static carom_status check_bodies(carom_image *image, const carom_image_particles_def *def)
{
    for (uint32_t i = 0; i < def->body_count; i++)
    {
        char whose[32];
        snprintf(whose, sizeof whose, "body %u", i);
        BASE_TRY(image_check_body(image, &def->bodies[i], whose, false));
    }
    return CAROM_OK;
}

static carom_status judge_all(carom_image *image, image_shot *shot, const carom_image_particles_def *def,
                              carom_particle_hit *out, carom_image_particles_result *result)
{
    carom_status status = image_shot_load(shot);
    status = carom_failed(status) ? status : image_shot_take(image, shot, false);
    for (uint32_t i = 0; i < def->particle_count && !carom_failed(status); i++)
    {
        out[i] = judge(shot, &def->particles[i], def->thickness);
        result->hits += out[i].fate == CAROM_PARTICLE_HIT, result->behind += out[i].fate == CAROM_PARTICLE_BEHIND;
        result->unseen += out[i].fate == CAROM_PARTICLE_UNSEEN;
    }
    image_shot_free(shot);
    return status;
}

static double pixel_size(const carom_image_camera *camera)
{
    double width = camera->width / camera->columns, height = camera->height / camera->rows;
    return sqrt(width * width + height * height) * (camera->perspective ? camera->far_distance : 1.0);
}

carom_status carom_image_particles(carom_image *image, const carom_image_particles_def *def, carom_particle_hit *out,
                                   carom_image_particles_result *result)
{
    bool listed = def && (def->particle_count == 0 || (def->particles && out));
    bool drawn = def && (def->body_count == 0 || def->bodies);
    if (!image || !def || !listed || !drawn || !result)
        return base_fail(image ? image->context : NULL, CAROM_INVALID_ARGUMENT, "image particles: %s is null",
                         !image    ? "image"
                         : !def    ? "def"
                         : !result ? "result"
                         : !drawn  ? "bodies"
                         : !out    ? "out"
                                   : "particles");
    *result = (carom_image_particles_result){0};
    image_shot shot = {.context = image->context, .bodies = def->bodies, .body_count = def->body_count};
    BASE_TRY(image_eye_open(image, &def->camera, &shot.eye));
    BASE_TRY(check_bodies(image, def));
    BASE_TRY(check_particles(image, def));
    result->size = pixel_size(&def->camera);
    BASE_TRY(image_begin(image));
    return image_end(image, judge_all(image, &shot, def, out, result));
}
