/* The pictures of carom sim: one file per frame, or one animated picture, from a camera that rests. */
#include "tool/sim.h"
#include "tool/skin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A box around everything that will be seen. */
static carom_status make_extent(sim_camera *camera, sim_world *world, sim_range range)
{
    carom_aabb box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (uint64_t step = 0; step < range.steps; step += range.every)
    {
        carom_frame frame;
        carom_status status = sim_move(world, (uint32_t)step);
        if (!carom_failed(status))
            status = carom_scene_frame(world->scene, &frame);
        if (carom_failed(status))
            return status;
        for (uint32_t i = 0; i < frame.body_count; i++)
        {
            const carom_aabb *one = &frame.bodies[i].bounds;
            box.min =
                (carom_vec3){fmin(box.min.x, one->min.x), fmin(box.min.y, one->min.y), fmin(box.min.z, one->min.z)};
            box.max =
                (carom_vec3){fmax(box.max.x, one->max.x), fmax(box.max.y, one->max.y), fmax(box.max.z, one->max.z)};
        }
    }
    double corners[8][3];
    for (int i = 0; i < 8; i++)
    {
        corners[i][0] = i & 1 ? box.max.x : box.min.x;
        corners[i][1] = i & 2 ? box.max.y : box.min.y;
        corners[i][2] = i & 4 ? box.max.z : box.min.z;
    }
    carom_mesh_def def = carom_mesh_def_default(); /* the camera looks at vertices only */
    def.vertices_f64 = corners[0], def.vertex_count = 8;
    return carom_mesh_create(world->context, &def, &camera->extent);
}

carom_status sim_camera_open(sim_camera *camera, sim_world *world, sim_range range)
{
    camera->skins = calloc(world->body_count + 1u, sizeof *camera->skins);
    carom_status status = camera->skins ? make_extent(camera, world, range) : CAROM_OUT_OF_MEMORY;
    camera->def.extent = camera->extent;
    for (uint32_t i = 0; i < world->body_count && !carom_failed(status); i++)
        status = skin_create(world->context, &world->bodies[i].shape, &camera->skins[i]);
    uint32_t frames = (range.steps + range.every - 1) / range.every;
    if (!carom_failed(status) && camera->picture)
        status = animation_open(world->context, camera->picture, frames, 40, &camera->animation);
    return status;
}

/* ---- marks ---- */

static bool make_marks(const sim_camera *camera, const sim_world *world, unsigned char **marks)
{
    for (uint32_t i = 0; i < world->body_count; i++)
    {
        marks[i] = calloc(carom_mesh_get_info(camera->skins[i]).triangle_count + 1u, 1);
        if (!marks[i])
            return false;
    }
    return true;
}

static void mark(unsigned char *marks, uint32_t triangle, unsigned char how)
{
    marks[triangle] = marks[triangle] > how ? marks[triangle] : how;
}

/* Triangles that pass through each other are red, those that merely touch amber. */
static void mark_pairs(const carom_frame *frame, const carom_scene_report *report, unsigned char **marks)
{
    for (uint64_t i = 0; i < report->body_pair_count; i++)
    {
        const carom_body_pair *found = &report->body_pairs[i];
        uint64_t a = carom_frame_find(frame, found->body_a)->user, b = carom_frame_find(frame, found->body_b)->user;
        for (uint64_t k = 0; k < found->pairs_listed; k++)
        {
            const carom_pair *pair = &report->pairs[found->first_pair + k];
            bool through = (pair->meeting & CAROM_MEET_CROSSING) && !(pair->meeting & CAROM_MEET_COPLANAR);
            unsigned char how = through ? PICTURE_CLASH : PICTURE_CONTACT;
            mark(marks[a], pair->triangle_a, how);
            mark(marks[b], pair->triangle_b, how);
        }
    }
}

/* The single element of a sphere or capsule is the whole shape. */
static void spread_marks(const sim_camera *camera, const sim_world *world, unsigned char **marks)
{
    for (uint32_t i = 0; i < world->body_count; i++)
        if (world->bodies[i].shape.kind != CAROM_SHAPE_MESH)
            memset(marks[i], marks[i][0], carom_mesh_get_info(camera->skins[i]).triangle_count);
}

/* ---- frames ---- */

static carom_status keep_frame(sim_camera *camera, const sim_world *world, const picture_pixels *pixels)
{
    carom_status status = CAROM_OK;
    if (camera->folder)
    {
        char path[1200];
        snprintf(path, sizeof path, "%s/frame-%05u.png", camera->folder, camera->frames);
        status = picture_write_png(world->context, pixels, path);
    }
    if (!carom_failed(status) && camera->picture)
        status = animation_add(&camera->animation, pixels);
    camera->frames++;
    return status;
}

carom_status sim_camera_draw(sim_camera *camera, const sim_world *world, const carom_frame *frame,
                             const carom_scene_report *report)
{
    picture_part *parts = calloc(world->body_count + 1u, sizeof *parts);
    unsigned char **marks = calloc(world->body_count + 1u, sizeof *marks);
    picture_pixels pixels = {0};
    carom_status status = parts && marks && make_marks(camera, world, marks) ? CAROM_OK : CAROM_OUT_OF_MEMORY;
    if (!carom_failed(status))
    {
        mark_pairs(frame, report, marks);
        spread_marks(camera, world, marks);
        for (uint32_t i = 0; i < world->body_count; i++)
            parts[i] = (picture_part){camera->skins[i], world->bodies[i].pose, marks[i], picture_tint(i)};
        status = picture_draw(&camera->def, parts, world->body_count, &pixels);
    }
    if (!carom_failed(status))
        status = keep_frame(camera, world, &pixels);
    free(pixels.rgb);
    for (uint32_t i = 0; marks && i < world->body_count; i++)
        free(marks[i]);
    free(marks);
    free(parts);
    return status;
}

carom_status sim_camera_close(sim_camera *camera, const sim_world *world, bool complete)
{
    carom_status status = CAROM_OK;
    if (camera->animation.output && complete)
        status = animation_close(&camera->animation);
    else if (camera->animation.output)
        animation_abandon(&camera->animation);
    for (uint32_t i = 0; camera->skins && i < world->body_count; i++)
        carom_mesh_destroy((carom_mesh *)camera->skins[i]);
    free(camera->skins);
    carom_mesh_destroy(camera->extent);
    return status;
}
