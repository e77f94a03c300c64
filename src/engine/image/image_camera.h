/* A camera on bodies: their triangles as image_surface draws them, and what a pixel shows, from the triangle in double.
 */
#ifndef ENGINE_IMAGE_CAMERA_H
#define ENGINE_IMAGE_CAMERA_H

#include "engine/image/image.h"

typedef struct image_eye
{
    carom_image_camera camera;
    carom_vec3 right, up, forward; /* world */
} image_eye;

/* Checks the camera. */
carom_status image_eye_open(carom_image *image, const carom_image_camera *camera, image_eye *out);

/* Pixels across, pixels up and the distance along the view, in world units. */
carom_vec3 image_eye_see(const image_eye *eye, carom_vec3 world);

/* What a camera sees of bodies. Zero-initialise; image_shot_free. */
typedef struct image_shot
{
    carom_context *context;
    image_eye eye;
    const carom_placed *bodies;
    uint32_t body_count;
    BASE_ARRAY(uint64_t) first; /* per body: triangles of those before it */
    image_surface_records records;
    BASE_ARRAY(uint32_t) numbers; /* per pixel: of the triangle, 0: none */
    BASE_ARRAY(float) depths;
} image_shot;

/* Prepares the triangles; then any number of shots. */
carom_status image_shot_load(image_shot *shot);
carom_status image_shot_take(carom_image *image, image_shot *shot, bool farthest);
void image_shot_free(image_shot *shot);

/* What a pixel shows. */
typedef struct image_seen_point
{
    carom_vec3 point;  /* world: where the line through the pixel's centre meets the triangle's plane */
    carom_vec3 normal; /* world, of length 1, as the triangle is oriented */
    double distance;   /* along the view */
    uint32_t body, triangle;
} image_seen_point;

/* False: nothing. */
bool image_shot_look(const image_shot *shot, uint32_t column, uint32_t row, image_seen_point *out);

#endif
