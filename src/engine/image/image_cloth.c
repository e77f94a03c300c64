/* Cloth against the front and the back of a body.
 *
 * Tzvetomir Vassilev, Bernhard Spanlang, Yiorgos Chrysanthou, "Fast Cloth Animation on Walking Avatars", Eurographics
 * 2001: two cameras, in front of a body and behind it, store depths and normals; a point of cloth between the two
 * depths of its pixel is pushed out along the normal. Sampled at the centres of pixels. */
#include "engine/image/image_camera.h"

static int shortest_axis(const carom_aabb *box)
{
    carom_vec3 size = vec3_sub(box->max, box->min);
    int best = size.y < size.x ? 1 : 0;
    return size.z < vec3_at(&size, best) ? 2 : best;
}

/* A camera on the lower side of the box, looking along the axis; square pixels. */
static carom_image_camera aim(const carom_aabb *box, int axis, uint32_t resolution)
{
    carom_vec3 size = vec3_sub(box->max, box->min), middle = vec3_scale(vec3_add(box->min, box->max), 0.5);
    const double length[3] = {size.x, size.y, size.z};
    int across = (axis + 2) % 3, up = (axis + 1) % 3; /* across x up = -axis */
    double largest = fmax(fmax(fabs(box->min.x), fabs(box->max.x)), fmax(fabs(box->min.y), fabs(box->max.y)));
    largest = fmax(largest, fmax(fabs(box->min.z), fabs(box->max.z)));
    double pixel = fmax(length[across], length[up]) * (1.0 + 0x1p-20) / resolution + 0x1p-40 * largest + 0x1p-400;
    carom_image_camera camera = {.pose = carom_pose_identity(), .near_distance = 0.0};
    for (int i = 0; i < 9; i++)
        camera.pose.rotation[i] = 0.0;
    camera.pose.rotation[3 * across] = 1.0, camera.pose.rotation[3 * up + 1] = 1.0;
    camera.pose.rotation[3 * axis + 2] = -1.0;
    camera.pose.translation = middle;
    double margin = 0x1p-10 * length[axis] + 64.0 * 0x1p-40 * largest + 0x1p-400;
    *vec3_part(&camera.pose.translation, axis) = vec3_at(&box->min, axis) - margin;
    camera.far_distance = length[axis] + 3.0 * margin;
    camera.columns = (uint32_t)fmin(ceil(length[across] / pixel) + 1.0, resolution);
    camera.rows = (uint32_t)fmin(ceil(length[up] / pixel) + 1.0, resolution);
    camera.width = pixel * camera.columns, camera.height = pixel * camera.rows;
    return camera;
}

/* ---- points ---- */

typedef struct cloth_shots
{
    image_shot shot;
    BASE_ARRAY(uint32_t) back; /* the numbers of the farthest triangles */
} cloth_shots;

static carom_status take_shots(carom_image *image, cloth_shots *shots)
{
    image_shot *shot = &shots->shot;
    size_t count = (size_t)shot->eye.camera.columns * shot->eye.camera.rows;
    BASE_TRY(image_shot_load(shot));
    BASE_TRY(image_shot_take(image, shot, true));
    if (!base_array_reserve(image->context, &shots->back, count))
        return base_fail(image->context, CAROM_OUT_OF_MEMORY, "image cloth: no memory for %zu pixels", count);
    memcpy(shots->back.items, shot->numbers.items, count * sizeof *shots->back.items);
    return image_shot_take(image, shot, false);
}

static bool look_at_back(const cloth_shots *shots, uint32_t column, uint32_t row, image_seen_point *out)
{
    image_shot back = shots->shot;
    back.numbers.items = shots->back.items;
    return image_shot_look(&back, column, row, out);
}

static carom_image_cloth_point place_point(const cloth_shots *shots, carom_vec3 point)
{
    carom_image_cloth_point out = {0};
    const image_eye *eye = &shots->shot.eye;
    carom_vec3 at = image_eye_see(eye, point);
    if (!(at.x >= 0.0 && at.x < eye->camera.columns && at.y >= 0.0 && at.y < eye->camera.rows))
        return out;
    uint32_t column = (uint32_t)at.x, row = (uint32_t)at.y;
    image_seen_point front, back;
    if (!image_shot_look(&shots->shot, column, row, &front) || !look_at_back(shots, column, row, &back))
        return out;
    out.inside = at.z >= front.distance && at.z <= back.distance;
    if (!out.inside)
        return out;
    bool is_front = at.z - front.distance <= back.distance - at.z;
    const image_seen_point *nearer = is_front ? &front : &back;
    out.depth = fabs(at.z - nearer->distance);
    out.surface = vec3_add(point, vec3_scale(eye->forward, nearer->distance - at.z));
    bool along = vec3_dot(nearer->normal, eye->forward) > 0.0; /* the front looks back, the back along the view */
    out.normal = along == is_front ? vec3_scale(nearer->normal, -1.0) : nearer->normal;
    return out;
}

/* ---- the question ---- */

static carom_status check_points(carom_image *image, const carom_image_cloth_def *def)
{
    for (uint32_t i = 0; i < def->point_count; i++)
    {
        carom_vec3 p = def->points[i];
        if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z))
            return base_fail(image->context, CAROM_NOT_FINITE, "image cloth: point %u is not finite", i);
    }
    return CAROM_OK;
}

static carom_status place_points(carom_image *image, const carom_image_cloth_def *def, uint32_t resolution,
                                 carom_image_cloth_point *out, carom_image_cloth_result *result)
{
    mesh_placed placed = {def->body.shape.mesh, NULL, &def->body.pose};
    carom_aabb box = image_placed_box(&placed);
    if (placed.mesh->triangle_count == 0)
        box = (carom_aabb){0};
    int axis = def->axis == CAROM_IMAGE_AXIS_AUTO ? shortest_axis(&box) : (int)def->axis - 1;
    carom_image_camera camera = aim(&box, axis, resolution);
    cloth_shots shots = {.shot = {.context = image->context, .bodies = &def->body, .body_count = 1}};
    carom_status status = image_eye_open(image, &camera, &shots.shot.eye);
    status = carom_failed(status) ? status : take_shots(image, &shots);
    for (uint32_t i = 0; i < def->point_count && !carom_failed(status); i++)
    {
        out[i] = place_point(&shots, def->points[i]);
        result->inside += out[i].inside;
    }
    /* from the point to the centre of its pixel, and what floats do to the order of depths */
    result->pixel = camera.width / camera.columns;
    result->size = sqrt(2.0) * result->pixel * (1.0 + 0x1p-10) + 0x1p-16 * camera.far_distance;
    result->axis = (carom_image_axis)(axis + 1);
    base_array_free(image->context, &shots.back);
    image_shot_free(&shots.shot);
    return status;
}

carom_status carom_image_cloth(carom_image *image, const carom_image_cloth_def *def, carom_image_cloth_point *out,
                               carom_image_cloth_result *result)
{
    bool listed = def && (def->point_count == 0 || (def->points && out));
    if (!image || !def || !listed || !result)
        return base_fail(image ? image->context : NULL, CAROM_INVALID_ARGUMENT, "image cloth: %s is null",
                         !image    ? "image"
                         : !def    ? "def"
                         : !result ? "result"
                         : !out    ? "out"
                                   : "points");
    *result = (carom_image_cloth_result){0};
    uint32_t resolution;
    BASE_TRY(image_check_axis(image, def->axis));
    BASE_TRY(image_check_body(image, &def->body, "the body", false));
    BASE_TRY(image_check_resolution(image, def->resolution, 256, &resolution));
    BASE_TRY(check_points(image, def));
    BASE_TRY(image_begin(image));
    return image_end(image, place_points(image, def, resolution, out, result));
}
