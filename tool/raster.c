/* Camera and triangles to samples. */
#include "tool/raster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIELD_OF_VIEW_SLOPE 0.22 /* half the picture's height at distance 1: a long lens, little distortion */
#define MARGIN              0.94 /* part of the picture that the models may fill */

static carom_vec3 add(carom_vec3 a, carom_vec3 b) { return (carom_vec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static carom_vec3 sub(carom_vec3 a, carom_vec3 b) { return (carom_vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static carom_vec3 times(carom_vec3 a, double s) { return (carom_vec3){a.x * s, a.y * s, a.z * s}; }
static double dot(carom_vec3 a, carom_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static carom_vec3 cross(carom_vec3 a, carom_vec3 b)
{
    return (carom_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static carom_vec3 unit(carom_vec3 a)
{
    double length = sqrt(dot(a, a));
    return length > 0 ? times(a, 1 / length) : (carom_vec3){0, 0, 1};
}

/* ---- camera ---- */

/* Slopes at which the parts are seen from the eye, and how far their furthest vertex stands before the target. */
typedef struct view_span
{
    double low[2], high[2];
    double distance; /* that the eye must keep for everything to fit */
} view_span;

typedef struct view_target
{
    carom_vec3 at;   /* what the eye looks at */
    double distance; /* of the eye; 0: not known yet */
    double slope[2]; /* half the picture, right and up */
} view_target;

static view_span span_parts(const raster_camera *camera, const view_target *target, const picture_part *parts,
                            uint32_t count)
{
    view_span span = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}, 0};
    for (uint32_t p = 0; p < count; p++)
    {
        uint32_t vertices = carom_mesh_get_info(parts[p].mesh).vertex_count;
        for (uint32_t v = 0; v < vertices; v++)
        {
            carom_vec3 seen = sub(carom_pose_apply(&parts[p].pose, carom_mesh_vertices(parts[p].mesh)[v]), target->at);
            double side[2] = {dot(seen, camera->right), dot(seen, camera->up)}, nearer = dot(seen, camera->back);
            for (int i = 0; i < 2; i++)
            {
                double along = target->distance > 0 ? side[i] / (target->distance - nearer) : side[i];
                span.low[i] = fmin(span.low[i], along), span.high[i] = fmax(span.high[i], along);
                span.distance = fmax(span.distance, nearer + fabs(side[i]) / (target->slope[i] * MARGIN));
            }
        }
    }
    return span;
}

raster_camera raster_aim(const picture_def *def, const picture_part *parts, uint32_t count, const raster_image *image)
{
    raster_camera camera = {.back = unit(def->from)};
    carom_vec3 up = fabs(camera.back.z) > 0.999 ? (carom_vec3){0, 1, 0} : (carom_vec3){0, 0, 1};
    camera.right = unit(cross(up, camera.back));
    camera.up = cross(camera.back, camera.right);
    double aspect = (double)image->width / image->height;
    view_target target = {.slope = {FIELD_OF_VIEW_SLOPE * aspect, FIELD_OF_VIEW_SLOPE}};
    /* the middle of the view depends on the distance and vice versa: a few iterations converge */
    for (int round = 0; round < 5; round++)
    {
        view_span span = span_parts(&camera, &target, parts, count);
        if (!(span.low[0] <= span.high[0]))
            break;
        double unit_of = target.distance > 0 ? target.distance : 1;
        target.at = add(target.at, add(times(camera.right, unit_of * (span.low[0] + span.high[0]) / 2),
                                       times(camera.up, unit_of * (span.low[1] + span.high[1]) / 2)));
        target.distance = span_parts(&camera, &target, parts, count).distance;
    }
    target.distance = target.distance > 0 ? target.distance : 1;
    camera.eye = add(target.at, times(camera.back, target.distance));
    camera.scale = image->height / (2 * FIELD_OF_VIEW_SLOPE);
    camera.centre_x = image->width / 2.0, camera.centre_y = image->height / 2.0;
    return camera;
}

/* ---- normals ---- */

static carom_vec3 face_normal(const carom_mesh *mesh, uint32_t triangle)
{
    const uint32_t *index = carom_mesh_indices(mesh) + 3 * (size_t)triangle;
    const carom_vec3 *v = carom_mesh_vertices(mesh);
    return cross(sub(v[index[1]], v[index[0]]), sub(v[index[2]], v[index[0]]));
}

/* first[v] .. first[v + 1] of the list are the triangles at vertex v. */
static bool list_triangles(const carom_mesh *mesh, uint32_t **first, uint32_t **list)
{
    carom_mesh_info info = carom_mesh_get_info(mesh);
    const uint32_t *indices = carom_mesh_indices(mesh);
    size_t corners = 3 * (size_t)info.triangle_count;
    *first = calloc((size_t)info.vertex_count + 2, sizeof **first);
    *list = malloc((corners + 1) * sizeof **list);
    if (!*first || !*list)
        return false;
    for (size_t i = 0; i < corners; i++)
        (*first)[indices[i] + 2]++;
    for (uint32_t v = 0; v < info.vertex_count; v++)
        (*first)[v + 2] += (*first)[v + 1];
    for (size_t i = 0; i < corners; i++)
        (*list)[(*first)[indices[i] + 1]++] = (uint32_t)(i / 3);
    return true;
}

/* The sum over the neighbours that a fold of less than 35 degrees joins. */
static void smooth_corner(const carom_mesh *mesh, carom_vec3 own, const uint32_t *around, uint32_t count, float *out)
{
    carom_vec3 sum = own, direction = unit(own);
    for (uint32_t i = 0; i < count; i++)
    {
        carom_vec3 other = face_normal(mesh, around[i]);
        if (dot(unit(other), direction) > 0.82)
            sum = add(sum, other);
    }
    sum = unit(sum);
    out[0] = (float)sum.x, out[1] = (float)sum.y, out[2] = (float)sum.z;
}

float *raster_corner_normals(const carom_mesh *mesh)
{
    uint32_t *first = NULL, *list = NULL;
    size_t corners = 3 * (size_t)carom_mesh_get_info(mesh).triangle_count;
    float *normals = malloc((3 * corners + 1) * sizeof *normals);
    if (normals && list_triangles(mesh, &first, &list))
    {
        const uint32_t *indices = carom_mesh_indices(mesh);
        for (size_t i = 0; i < corners; i++)
        {
            uint32_t vertex = indices[i];
            smooth_corner(mesh, face_normal(mesh, (uint32_t)(i / 3)), list + first[vertex],
                          first[vertex + 1] - first[vertex], normals + 3 * i);
        }
    }
    else
    {
        free(normals);
        normals = NULL;
    }
    free(first);
    free(list);
    return normals;
}

/* ---- triangles ---- */

typedef struct shading
{
    const float *normals; /* of the three corners, body frame; null: flags only */
    const carom_pose *pose;
    unsigned char flags;
    uint16_t part;
} shading;

bool raster_project(const raster_camera *camera, carom_vec3 point, raster_point *out)
{
    carom_vec3 seen = sub(point, camera->eye);
    double ahead = -dot(seen, camera->back);
    if (!(ahead > 0))
        return false;
    out->x = camera->centre_x + camera->scale * dot(seen, camera->right) / ahead;
    out->y = camera->centre_y - camera->scale * dot(seen, camera->up) / ahead;
    out->depth = 1 / ahead;
    return true;
}

carom_vec3 raster_unproject(const raster_camera *camera, double x, double y, double depth)
{
    double ahead = 1 / depth;
    carom_vec3 seen = add(times(camera->right, (x - camera->centre_x) / camera->scale * ahead),
                          times(camera->up, (camera->centre_y - y) / camera->scale * ahead));
    return add(camera->eye, sub(seen, times(camera->back, ahead)));
}

static void store_normal(const raster_camera *camera, const shading *look, const double weight[3], raster_sample *out)
{
    carom_vec3 sum = {0, 0, 0};
    for (int i = 0; i < 3; i++)
        sum = add(sum, times((carom_vec3){look->normals[3 * i], look->normals[3 * i + 1], look->normals[3 * i + 2]},
                             weight[i]));
    carom_pose turn = *look->pose;
    turn.translation = (carom_vec3){0, 0, 0};
    carom_vec3 world = unit(carom_pose_apply(&turn, sum));
    double eye[3] = {dot(world, camera->right), dot(world, camera->up), dot(world, camera->back)};
    /* open surfaces show both sides */
    double side = eye[2] < 0 ? -127 : 127;
    for (int i = 0; i < 3; i++)
        out->normal[i] = (signed char)lrint(side * eye[i]);
}

static void cover_sample(const raster_camera *camera, const shading *look, const double weight[3], double depth,
                         raster_sample *sample)
{
    if (!look->normals)
    {
        if (depth < sample->depth * (1 - 1e-6f) && !(sample->flags & RASTER_CLASH))
            sample->flags |= RASTER_CLASH_HIDDEN;
        return;
    }
    /* equal depth: coplanar faces; the marked one shows */
    if ((float)depth < sample->depth || ((float)depth == sample->depth && look->flags <= sample->flags))
        return;
    sample->depth = (float)depth;
    sample->flags = look->flags;
    sample->part = look->part;
    store_normal(camera, look, weight, sample);
}

static int clamp_int(double value, int low, int high) { return value < low ? low : value > high ? high : (int)value; }

static void fill_triangle(raster_image *image, const raster_camera *camera, const raster_point p[3],
                          const shading *look)
{
    double area = (p[1].x - p[0].x) * (p[2].y - p[0].y) - (p[1].y - p[0].y) * (p[2].x - p[0].x);
    if (!(fabs(area) > 1e-12))
        return;
    int x0 = clamp_int(floor(fmin(p[0].x, fmin(p[1].x, p[2].x))), 0, image->width);
    int x1 = clamp_int(ceil(fmax(p[0].x, fmax(p[1].x, p[2].x))), 0, image->width);
    int y0 = clamp_int(floor(fmin(p[0].y, fmin(p[1].y, p[2].y))), 0, image->height);
    int y1 = clamp_int(ceil(fmax(p[0].y, fmax(p[1].y, p[2].y))), 0, image->height);
    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++)
        {
            double sx = x + 0.5, sy = y + 0.5, weight[3];
            for (int i = 0; i < 3; i++)
            {
                const raster_point *a = &p[(i + 1) % 3], *b = &p[(i + 2) % 3];
                weight[i] = ((b->x - a->x) * (sy - a->y) - (b->y - a->y) * (sx - a->x)) / area;
            }
            if (weight[0] < 0 || weight[1] < 0 || weight[2] < 0)
                continue;
            double depth = weight[0] * p[0].depth + weight[1] * p[1].depth + weight[2] * p[2].depth;
            cover_sample(camera, look, weight, depth, &image->samples[(size_t)y * (size_t)image->width + (size_t)x]);
        }
}

static bool project_triangle(const raster_camera *camera, const picture_part *part, uint32_t triangle,
                             raster_point out[3])
{
    const uint32_t *index = carom_mesh_indices(part->mesh) + 3 * (size_t)triangle;
    for (int i = 0; i < 3; i++)
        if (!raster_project(camera, carom_pose_apply(&part->pose, carom_mesh_vertices(part->mesh)[index[i]]), &out[i]))
            return false;
    return true;
}

bool raster_draw(raster_image *image, const raster_camera *camera, const picture_part *part, uint16_t index)
{
    float *normals = raster_corner_normals(part->mesh);
    if (!normals)
        return false;
    uint32_t triangles = carom_mesh_get_info(part->mesh).triangle_count;
    for (uint32_t t = 0; t < triangles; t++)
    {
        raster_point corners[3];
        shading look = {normals + 9 * (size_t)t, &part->pose, 0, index};
        if (part->marked && part->marked[t] != PICTURE_PLAIN)
            look.flags = part->marked[t] == PICTURE_CLASH ? RASTER_CLASH : RASTER_CONTACT;
        if (project_triangle(camera, part, t, corners))
            fill_triangle(image, camera, corners, &look);
    }
    free(normals);
    return true;
}

void raster_draw_hidden(raster_image *image, const raster_camera *camera, const picture_part *part)
{
    uint32_t triangles = part->marked ? carom_mesh_get_info(part->mesh).triangle_count : 0;
    for (uint32_t t = 0; t < triangles; t++)
    {
        raster_point corners[3];
        shading look = {NULL, &part->pose, RASTER_CLASH_HIDDEN, 0};
        if (part->marked[t] == PICTURE_CLASH && project_triangle(camera, part, t, corners))
            fill_triangle(image, camera, corners, &look);
    }
}
