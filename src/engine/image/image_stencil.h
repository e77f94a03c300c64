/* The thesis's own image of a pair (2.4.4), which looks at the centres of pixels: sampled, not certified.
 *
 * The front faces of A are drawn with depth and set the stencil to 1; then both sides of B count their fragments that
 * are not nearer than A's front. A pixel at 2 is a hit: B begins before A's front and ends behind it. Where both of B
 * are behind, at 3, the two change places. Errata: the text says "smaller" where it must say "not smaller"; the test
 * must pass for every value from 1 up, or no pixel reaches 3; and a pixel that is at 3 both times has equal fronts and
 * is a hit.
 *
 * Depths are not interpolated by the driver: each fragment computes the depth of its facet's plane at the pixel's
 * centre, within the range of the facet's corners. So the drawn body is the given one but for errors that the stated
 * size allows for, slivers included. */
#ifndef ENGINE_IMAGE_STENCIL_H
#define ENGINE_IMAGE_STENCIL_H

#include "engine/image/image_view.h"
#include "gpu/gpu.h"

/* A hull as it is drawn. */
typedef struct image_drawing
{
    float (*positions)[4]; /* per vertex: pixels, depth in [0, 1], 1 */
    uint32_t position_count;
    const uint32_t *indices; /* strips with UINT32_MAX between them, or triangles */
    uint32_t index_count;
    bool strips;
    float (*planes)[8]; /* per triangle, in the order of the indices: depth at (x, y) is g x + h y + z; then 0, and the
                         * smallest and largest depth of its corners; all 0 where it is outside the image */
    uint32_t plane_count;
} image_drawing;

/* Memory for a drawing. Zero-initialise. */
typedef struct image_canvas
{
    BASE_ARRAY(float) positions, planes;
} image_canvas;

void image_canvas_free(carom_context *context, image_canvas *canvas);

/* A hull's facets in the order in which they are drawn: positions among the seen points, three per triangle, or strips
 * with UINT32_MAX between them. */
typedef struct image_strips
{
    const uint32_t *indices;
    uint32_t count;
    bool strips;
} image_strips;

/* Prepares a drawing in the canvas; the indices are borrowed. False when out of memory. */
bool image_draw_hull(carom_context *context, const image_view *view, const image_seen *seen, const image_strips *facets,
                     image_canvas *canvas, image_drawing *out);

/* The plane of the triangle with these corners (pixels, depth in [-1, 1]). */
void image_set_plane(const carom_vec3 corner[3], float out[8]);

/* May a triangle with these corners have a pixel in an image of this side? */
bool image_is_within(const float *const corner[3], float side);

/* Calls `see` for each triangle of a drawing: the positions of its corners, those of every second triangle of a strip
 * turned around, and its plane. */
typedef void image_see_triangle(const float *const corner[3], const float plane[8], void *user);
void image_each_triangle(const image_drawing *drawing, image_see_triangle *see, void *user);

/* What the image may miss: if the two hulls share a ball of this diameter, it finds them; if they are farther apart, it
 * never reports them. World units. */
double image_sampled_size(const image_view *view);

/* The smallest power of two that is the side of an image whose sampled size is at most the wanted one, or the limit. */
int image_side_for(const image_view *view, double wanted, int limit);

typedef struct image_stencil_stats
{
    uint64_t pairs, passes, swaps, triangles, pixels;
    double upload_seconds, draw_seconds, query_seconds; /* drivers draw when they are asked for the result */
} image_stencil_stats;

/* What the passes of a pair left: before, and after the bodies changed places. Zero-initialise. */
typedef struct image_stencil_kept
{
    BASE_ARRAY(float) depth[2]; /* of the first body's front; 1: none */
    BASE_ARRAY(uint8_t) stencil[2];
    bool swapped;
} image_stencil_kept;

void image_stencil_kept_free(carom_context *context, image_stencil_kept *kept);

typedef struct image_stencil
{
    gpu_device *device;
    image_stencil_kept *kept; /* or null: nothing is read back */
    gpu_program piece, cover;
    gpu_target target;
    gpu_buffer positions[2], indices[2], planes[2];
    gpu_texture plane_textures[2];
    gpu_layout layouts[2], nothing;
    gpu_query queries[2];
    image_stencil_stats stats;
} image_stencil;

/* Between gpu_begin and gpu_end, like all that follow. */
carom_status image_stencil_create(gpu_device *device, image_stencil *out);
void image_stencil_destroy(image_stencil *stencil);

/* The state in which a body is drawn: the front of the first, or both sides of the second. The stencil counts in the
 * bits of the mask. */
gpu_state image_stencil_state(bool front, uint8_t mask);

/* Do the two meet at the centre of any pixel? */
carom_status image_stencil_meet(image_stencil *stencil, const image_view *view, const image_drawing drawings[2],
                                bool *meets);

/* The passes of this file and of image_pass.h, for the table of checks; null past the end. */
const gpu_check *image_hull_check_at(uint32_t index);

/* ---- the twin ---- */

/* What the passes leave in a pixel. */
typedef struct image_counted
{
    float depth;    /* of A's front; 1: none */
    uint8_t first;  /* stencil after A's front and B; */
    uint8_t second; /* and, if the two changed places, with the mark 128 where it was 3 before */
    bool unsure;    /* the centre is next to an edge, where drivers differ */
} image_counted;

/* The same in plain C. Returns whether some pixel is a hit. */
bool image_stencil_twin(const image_view *view, const image_drawing drawings[2], image_counted *out);

#endif
