/* Which bodies, drawn one after another, are surely beyond all that were drawn before them?
 *
 * A pixel has the farthest depth that any body so far may have anywhere over its closed square. A body whose nearest
 * depth is beyond that in each of its pixels has no point in common with those before it, and neither holds the other:
 * a body that holds another is both nearer and farther in the same pixels. As in image_interval.h, that does not depend
 * on how a driver rasterises or interpolates. */
#ifndef ENGINE_IMAGE_VISIBLE_H
#define ENGINE_IMAGE_VISIBLE_H

#include "engine/image/image_pass.h"

/* The triangles of a body. */
typedef struct image_visible_body
{
    uint32_t first, count;
} image_visible_body;

typedef struct image_visible_job
{
    const image_records *records;
    const image_visible_body *bodies;
    const uint32_t *order; /* of bodies: numbers of the above */
    uint32_t count;        /* of the order */
    uint32_t side;         /* pixels */
    bool backwards;        /* looked against the axis: depths change their signs */
} image_visible_job;

/* Zero-initialise. Everything belongs to the device. */
typedef struct image_visible
{
    carom_context *context;
    gpu_device *device;
    gpu_program draw, test;
    gpu_buffer records;
    gpu_layout layout;
    gpu_target reached; /* R32F */
    gpu_target nothing; /* as large; only queries see what is drawn to it */
    BASE_ARRAY(gpu_query) queries;
    const image_record *uploaded; /* set null where records have changed */
    uint64_t draws;
} image_visible;

/* Between gpu_begin and gpu_end, like all that follow. */
carom_status image_visible_create(carom_context *context, gpu_device *device, image_visible *out);
void image_visible_destroy(image_visible *visible);

/* beyond[i]: is body order[i] surely beyond all before it? */
carom_status image_visible_run(image_visible *visible, const image_visible_job *job, uint8_t *beyond);
/* What the last run reached, for tests: side * side depths, IMAGE_NOTHING where nothing is. */
carom_status image_visible_reached(image_visible *visible, const image_visible_job *job, float *out);

/* The same in plain C: the twin of interval.frag.glsl. reached: side * side. */
void image_visible_twin(const image_visible_job *job, float *reached, uint8_t *beyond);

#endif
