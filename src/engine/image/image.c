/* carom_image: life, and the checks that its functions share. */
#include "engine/image/image.h"

carom_image_def carom_image_def_default(void) { return (carom_image_def){0}; }

static carom_status make_passes(carom_image *image)
{
    BASE_TRY(image_layers_pass_create(image->context, image->device, &image->layers));
    return image_surface_create(image->device, &image->surface);
}

static carom_status open_device(carom_image *image)
{
    BASE_TRY(gpu_open(image->context, NULL, &image->device));
    BASE_TRY(gpu_begin(image->device));
    return image_end(image, make_passes(image));
}

carom_status carom_image_create(carom_context *context, const carom_image_def *def, carom_image **out)
{
    if (out)
        *out = NULL;
    if (!context || !out)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "image create: %s is null", context ? "out" : "context");
    carom_image *image = base_allocate(context, 1, sizeof *image, _Alignof(carom_image));
    if (!image)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "image create: no memory");
    *image = (carom_image){.context = context};
    carom_status status = def && def->on_processor ? CAROM_OK : open_device(image);
    if (carom_failed(status))
        return carom_image_destroy(image), status;
    *out = image;
    return CAROM_OK;
}

void carom_image_destroy(carom_image *image)
{
    if (!image)
        return;
    if (image->layers && gpu_begin(image->device) == CAROM_OK)
    {
        image_layers_pass_destroy(image->layers);
        image_surface_destroy(&image->surface);
        gpu_end(image->device);
    }
    gpu_close(image->device);
    base_release(image->context, image, 1, sizeof *image);
}

carom_status image_begin(carom_image *image)
{
    BASE_TRY(base_check_float_mode(image->context));
    return image->device ? gpu_begin(image->device) : CAROM_OK;
}

carom_status image_end(carom_image *image, carom_status status)
{
    carom_status ended = image->device ? gpu_end(image->device) : CAROM_OK;
    return carom_failed(status) ? status : carom_failed(ended) ? ended : status;
}

/* ---- checks ---- */

carom_status image_check_body(carom_image *image, const carom_placed *placed, const char *whose, bool solid)
{
    BASE_TRY(query_check_placed(image->context, placed, whose));
    if (!query_is_mesh(placed))
        return base_fail(image->context, CAROM_UNSUPPORTED, "%s: a %s has no triangles to draw", whose,
                         carom_shape_kind_name(placed->shape.kind));
    const carom_mesh *mesh = placed->shape.mesh;
    if (solid && !(mesh->info.closed && mesh->info.oriented))
        return base_fail(image->context, CAROM_UNSUPPORTED, "%s: mesh %.64s is not %s", whose, carom_mesh_name(mesh),
                         mesh->info.closed ? "oriented" : "closed");
    return CAROM_OK;
}

uint32_t image_max_resolution(const carom_image *image)
{
    uint32_t most = CAROM_IMAGE_MAX_RESOLUTION, limit = image->device ? gpu_max_target(image->device) : most;
    return most < limit ? most : limit;
}

carom_status image_check_resolution(carom_image *image, uint32_t wanted, uint32_t standard, uint32_t *out)
{
    uint32_t most = image_max_resolution(image);
    if (wanted > most)
        return base_fail(image->context, CAROM_TOO_LARGE, "image: a resolution of %u: the limit is %u", wanted, most);
    *out = wanted > 0 ? wanted : standard < most ? standard : most;
    return CAROM_OK;
}

carom_status image_check_axis(carom_image *image, carom_image_axis axis)
{
    if ((unsigned)axis > CAROM_IMAGE_AXIS_Z)
        return base_fail(image->context, CAROM_INVALID_ARGUMENT, "image: there is no axis %d", (int)axis);
    return CAROM_OK;
}

/* ---- the axis ---- */

static bool reaches(const narrow_triangle *t, const carom_aabb *box)
{
    carom_aabb own = {vec3_min(t->corner[0], vec3_min(t->corner[1], t->corner[2])),
                      vec3_max(t->corner[0], vec3_max(t->corner[1], t->corner[2]))};
    carom_aabb common = image_common_box(&own, box);
    return common.min.x <= common.max.x && common.min.y <= common.max.y && common.min.z <= common.max.z;
}

/* Over a pixel, a surface takes up a depth of about |n_x / n_z| + |n_y / n_z| pixels: over all of them, the area of its
 * projections along the other two axes. */
int image_choose_axis(const mesh_placed *bodies, int count, const carom_aabb *box, carom_image_axis wanted)
{
    if (wanted != CAROM_IMAGE_AXIS_AUTO)
        return (int)wanted - 1;
    carom_vec3 seen = vec3(0.0, 0.0, 0.0), size = vec3_sub(box->max, box->min);
    for (int body = 0; body < count; body++)
        for (uint32_t i = 0; i < bodies[body].mesh->triangle_count; i++)
        {
            narrow_triangle t = tree_world_triangle(&bodies[body], i);
            carom_vec3 n = vec3_cross(vec3_sub(t.corner[1], t.corner[0]), vec3_sub(t.corner[2], t.corner[0]));
            if (reaches(&t, box))
                seen = vec3_add(seen, vec3(fabs(n.x), fabs(n.y), fabs(n.z)));
        }
    double doubt[3] = {(seen.y + seen.z) * fmax(size.y, size.z), (seen.z + seen.x) * fmax(size.z, size.x),
                       (seen.x + seen.y) * fmax(size.x, size.y)};
    int best = doubt[1] < doubt[0] ? 1 : 0;
    return doubt[2] < doubt[best] ? 2 : best;
}
