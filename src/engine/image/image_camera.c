/* Cameras, and shots of bodies. */
#include "engine/image/image_camera.h"

/* ---- cameras ---- */

static carom_status check_camera(carom_image *image, const carom_image_camera *camera)
{
    const double numbers[] = {camera->width, camera->height, camera->near_distance, camera->far_distance};
    BASE_TRY(query_check_pose(image->context, &camera->pose, "the camera"));
    for (int i = 0; i < 4; i++)
        if (!isfinite(numbers[i]))
            return base_fail(image->context, CAROM_NOT_FINITE, "the camera: a size or distance is %g", numbers[i]);
    double least = camera->perspective ? 0x1p-100 : -MATH_COORDINATE_LIMIT;
    if (!(camera->width > 0.0 && camera->height > 0.0 && camera->near_distance >= least &&
          camera->far_distance > camera->near_distance && camera->far_distance <= 4.0 * MATH_COORDINATE_LIMIT))
        return base_fail(image->context, CAROM_INVALID_ARGUMENT,
                         "the camera: width %g, height %g, near %g, far %g enclose nothing", camera->width,
                         camera->height, camera->near_distance, camera->far_distance);
    uint32_t most = image_max_resolution(image);
    if (camera->columns == 0 || camera->rows == 0 || camera->columns > most || camera->rows > most)
        return base_fail(image->context,
                         camera->columns > most || camera->rows > most ? CAROM_TOO_LARGE : CAROM_INVALID_ARGUMENT,
                         "the camera: %u x %u pixels: the limit is %u", camera->columns, camera->rows, most);
    return CAROM_OK;
}

carom_status image_eye_open(carom_image *image, const carom_image_camera *camera, image_eye *out)
{
    BASE_TRY(check_camera(image, camera));
    const double *r = camera->pose.rotation;
    *out = (image_eye){
        .camera = *camera, .right = {r[0], r[3], r[6]}, .up = {r[1], r[4], r[7]}, .forward = {-r[2], -r[5], -r[8]}};
    return CAROM_OK;
}

carom_vec3 image_eye_see(const image_eye *eye, carom_vec3 world)
{
    const carom_image_camera *camera = &eye->camera;
    carom_vec3 way = vec3_sub(world, camera->pose.translation);
    double distance = vec3_dot(way, eye->forward), shrink = camera->perspective ? 1.0 / distance : 1.0;
    double x = vec3_dot(way, eye->right) * shrink / camera->width, y = vec3_dot(way, eye->up) * shrink / camera->height;
    return vec3((x + 0.5) * camera->columns, (y + 0.5) * camera->rows, distance);
}

/* 0 at the near distance, 1 at the far one, and linear across the image of a plane. */
static double depth_of(const carom_image_camera *camera, double distance)
{
    double near = camera->near_distance, far = camera->far_distance;
    return camera->perspective ? (1.0 / near - 1.0 / distance) / (1.0 / near - 1.0 / far)
                               : (distance - near) / (far - near);
}

/* The line through the centre of a pixel; its direction goes 1 along the view. */
static void line_of(const image_eye *eye, uint32_t column, uint32_t row, carom_vec3 *origin, carom_vec3 *direction)
{
    const carom_image_camera *camera = &eye->camera;
    double x = (((double)column + 0.5) / camera->columns - 0.5) * camera->width;
    double y = (((double)row + 0.5) / camera->rows - 0.5) * camera->height;
    carom_vec3 across = vec3_add(vec3_scale(eye->right, x), vec3_scale(eye->up, y));
    *origin = camera->perspective ? camera->pose.translation : vec3_add(camera->pose.translation, across);
    *direction = camera->perspective ? vec3_add(eye->forward, across) : eye->forward;
}

/* ---- triangles ---- */

/* Corners with their distances, before perspective. */
typedef struct seen_polygon
{
    carom_vec3 corner[4];
    double distance[4];
    int count;
} seen_polygon;

/* What is beyond the near distance. */
static void clip_near(const image_eye *eye, const carom_vec3 world[3], seen_polygon *out)
{
    double near = eye->camera.near_distance, distance[3];
    out->count = 0;
    for (int i = 0; i < 3; i++)
        distance[i] = vec3_dot(vec3_sub(world[i], eye->camera.pose.translation), eye->forward);
    for (int i = 0; i < 3; i++)
    {
        int next = (i + 1) % 3;
        if (distance[i] >= near)
            out->corner[out->count] = world[i], out->distance[out->count++] = distance[i];
        if ((distance[i] >= near) == (distance[next] >= near))
            continue;
        double share = (near - distance[i]) / (distance[next] - distance[i]);
        out->corner[out->count] = vec3_add(world[i], vec3_scale(vec3_sub(world[next], world[i]), share));
        out->distance[out->count++] = near;
    }
}

static carom_status add_triangle(image_shot *shot, const carom_vec3 world[3], uint32_t number)
{
    const carom_image_camera *camera = &shot->eye.camera;
    seen_polygon polygon;
    carom_vec3 pixel[4];
    clip_near(&shot->eye, world, &polygon);
    for (int i = 0; i < polygon.count; i++)
    {
        pixel[i] = image_eye_see(&shot->eye, polygon.corner[i]);
        pixel[i].z = depth_of(camera, polygon.distance[i]);
    }
    for (int i = 2; i < polygon.count; i++)
    {
        if (!base_array_reserve(shot->context, &shot->records, 1))
            return base_fail(shot->context, CAROM_OUT_OF_MEMORY, "image: no memory for triangles");
        const carom_vec3 corner[3] = {pixel[0], pixel[i - 1], pixel[i]};
        shot->records.count += image_surface_prepare(camera->columns, camera->rows, corner, number,
                                                     &shot->records.items[shot->records.count]);
    }
    return CAROM_OK;
}

carom_status image_shot_load(image_shot *shot)
{
    uint64_t first = 0;
    shot->records.count = shot->first.count = 0;
    if (!base_array_reserve(shot->context, &shot->first, shot->body_count))
        return base_fail(shot->context, CAROM_OUT_OF_MEMORY, "image: no memory for %u bodies", shot->body_count);
    for (uint32_t body = 0; body < shot->body_count; body++)
    {
        mesh_placed placed = {shot->bodies[body].shape.mesh, NULL, &shot->bodies[body].pose};
        shot->first.items[shot->first.count++] = first;
        if (first + placed.mesh->triangle_count >= UINT32_MAX)
            return base_fail(shot->context, CAROM_TOO_LARGE, "image: more than 2^32 triangles");
        for (uint32_t i = 0; i < placed.mesh->triangle_count; i++)
        {
            narrow_triangle world = tree_world_triangle(&placed, i);
            BASE_TRY(add_triangle(shot, world.corner, (uint32_t)(first + i + 1)));
        }
        first += placed.mesh->triangle_count;
    }
    return CAROM_OK;
}

carom_status image_shot_take(carom_image *image, image_shot *shot, bool farthest)
{
    const carom_image_camera *camera = &shot->eye.camera;
    size_t count = (size_t)camera->columns * camera->rows;
    shot->numbers.count = shot->depths.count = 0;
    if (!base_array_reserve(shot->context, &shot->numbers, count) ||
        !base_array_reserve(shot->context, &shot->depths, count))
        return base_fail(shot->context, CAROM_OUT_OF_MEMORY, "image: no memory for %u x %u pixels", camera->columns,
                         camera->rows);
    image_surface_job job = {.records = &shot->records,
                             .columns = camera->columns,
                             .rows = camera->rows,
                             .farthest = farthest,
                             .numbers = shot->numbers.items,
                             .depths = shot->depths.items};
    if (!image->device)
        return image_surface_draw_twin(&job), CAROM_OK;
    job.depths = NULL;
    return image_surface_draw(&image->surface, &job);
}

void image_shot_free(image_shot *shot)
{
    base_array_free(shot->context, &shot->first);
    base_array_free(shot->context, &shot->records);
    base_array_free(shot->context, &shot->numbers);
    base_array_free(shot->context, &shot->depths);
}

/* ---- what a pixel shows ---- */

static uint32_t body_of(const image_shot *shot, uint64_t number)
{
    uint32_t low = 0, high = shot->body_count;
    while (high - low > 1)
    {
        uint32_t middle = low + (high - low) / 2;
        if (shot->first.items[middle] < number)
            low = middle;
        else
            high = middle;
    }
    return low;
}

bool image_shot_look(const image_shot *shot, uint32_t column, uint32_t row, image_seen_point *out)
{
    uint32_t number = shot->numbers.items[(size_t)row * shot->eye.camera.columns + column];
    if (number == 0)
        return false;
    uint32_t body = body_of(shot, number);
    mesh_placed placed = {shot->bodies[body].shape.mesh, NULL, &shot->bodies[body].pose};
    *out = (image_seen_point){.body = body, .triangle = (uint32_t)(number - 1 - shot->first.items[body])};
    narrow_triangle t = tree_world_triangle(&placed, out->triangle);
    carom_vec3 origin, direction;
    line_of(&shot->eye, column, row, &origin, &direction);
    carom_vec3 normal = vec3_cross(vec3_sub(t.corner[1], t.corner[0]), vec3_sub(t.corner[2], t.corner[0]));
    double length = vec3_length(normal), slope = vec3_dot(normal, direction);
    double along = vec3_dot(normal, vec3_sub(t.corner[0], origin)) / slope;
    /* seen almost edge on, rounding could take a point far away from its triangle */
    double least = INFINITY, most = -INFINITY;
    for (int i = 0; i < 3; i++)
    {
        double distance = vec3_dot(vec3_sub(t.corner[i], origin), shot->eye.forward);
        least = fmin(least, distance), most = fmax(most, distance);
    }
    along = fmin(fmax(along, least), most);
    if (!(length > 0.0) || !isfinite(along) || along > shot->eye.camera.far_distance)
        return false;
    out->normal = vec3_scale(normal, 1.0 / length);
    out->point = vec3_add(origin, vec3_scale(direction, along));
    out->distance = along;
    return true;
}
