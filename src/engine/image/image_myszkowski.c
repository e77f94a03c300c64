/* myszkowski: Myszkowski, Okunev and Kunii (1995; see filter.h), for convex bodies. Where a line of sight enters one
 * body, how often has it entered and left the other before? If it has entered and not left, the two meet there. The
 * depth buffer holds where the first is entered, the stencil counts the second; then the two change places: of two
 * intervals that overlap, one begins within the other.
 *
 * Triangles enter or leave as they do in the world, not as they are drawn on the grid. So wherever a point at some
 * depth is inside of both drawn bodies, what enters is in front of it and what leaves is behind, however the grid folds
 * the surface, and one of the two counts is not 0. */
#include "engine/image/filter.h"
#include "engine/image/image_convex.h"

#include <stdio.h>

enum
{
    SIDE = 256,      /* pixels along a side at most, unless the engine is asked for another number */
    DEPTH_SHIFT = 6, /* depths are compared as floats */
    DEPTH_UNITS = 1 << 24
};

typedef struct myszkowski_pass
{
    image_solids solids;
    gpu_program draw, cover;
    image_region region;
    int first; /* which body was drawn first in the last image */
    bool drawn;
} myszkowski_pass;

/* ---- objects ---- */

static carom_status fill(gpu_device *device, void *state)
{
    myszkowski_pass *pass = state;
    BASE_TRY(image_solids_create(device, &pass->solids));
    return image_solids_programs(device, "#define DEPTHS\n", &pass->draw, &pass->cover);
}

static void forget(carom_context *context, void *state)
{
    myszkowski_pass *pass = state;
    image_solids_forget(context, &pass->solids);
}

/* ---- assets: not null for convex meshes ---- */

static carom_status create_asset(void *context, const carom_shape *shape, void **out)
{
    static const char convex = 1; /* the address says it all, nothing writes there */
    (void)context;
    *out = shape->kind == CAROM_SHAPE_MESH && image_is_convex(shape->mesh) ? (void *)&convex : NULL;
    return CAROM_OK;
}

static void destroy_asset(void *context, void *asset) { (void)context, (void)asset; }

/* ---- passes ---- */

/* Where the first body is entered, into the depth buffer. */
static carom_status draw_first(myszkowski_pass *pass)
{
    gpu_state state = gpu_state_default();
    image_solid_draw def = {
        .program = &pass->draw, .state = &state, .body = pass->first, .side = IMAGE_ENTERING, .instances = 1};
    state.color_write = false, state.depth_test = state.depth_write = true, state.depth_compare = GPU_LESS;
    return image_solids_draw(&pass->solids, &def);
}

/* What is not behind that counts. */
static carom_status count_second(myszkowski_pass *pass)
{
    gpu_state state = gpu_state_default();
    image_solid_draw def = {
        .program = &pass->draw, .state = &state, .body = !pass->first, .side = IMAGE_ENTERING, .instances = 1};
    state.color_write = false, state.depth_test = state.stencil_test = true, state.depth_compare = GPU_LESS_EQUAL;
    state.front = state.back = (gpu_stencil_face){GPU_ALWAYS, 0, 0xff, 0xff, GPU_KEEP, GPU_KEEP, GPU_INCREASE_WRAP};
    BASE_TRY(image_solids_draw(&pass->solids, &def));
    state.front.pass = state.back.pass = GPU_DECREASE_WRAP, def.side = IMAGE_LEAVING;
    return image_solids_draw(&pass->solids, &def);
}

static carom_status run(myszkowski_pass *pass, bool *may_meet)
{
    gpu_target_def target = {.width = (uint32_t)pass->region.pixels[0],
                             .height = (uint32_t)pass->region.pixels[1],
                             .depth = GPU_DEPTH32F_STENCIL8};
    gpu_clear_values clear = {.planes = GPU_PLANE_BIT(GPU_DEPTH) | GPU_PLANE_BIT(GPU_STENCIL), .depth = 1.0f};
    gpu_state state = gpu_state_default();
    image_solid_draw counted = {.program = &pass->cover, .state = &state};
    state.color_write = false, state.stencil_test = true;
    state.front = state.back = (gpu_stencil_face){GPU_NOT_EQUAL, 0, 0xff, 0, GPU_KEEP, GPU_KEEP, GPU_KEEP};
    BASE_TRY(image_solids_target(&pass->solids, &target));
    BASE_TRY(image_solids_aim(&pass->solids, &pass->draw, &pass->region, &(image_sections){0, 1, 1}));
    *may_meet = false;
    for (int first = 0; first < 2 && !*may_meet; first++)
    {
        pass->first = first;
        BASE_TRY(gpu_clear(pass->solids.device, &pass->solids.target, &clear));
        BASE_TRY(draw_first(pass));
        BASE_TRY(count_second(pass));
        BASE_TRY(image_solids_cover(&pass->solids, &counted, may_meet));
    }
    return CAROM_OK;
}

/* A body that is convex in its own frame is as placed, but for rounding; far from the origin that may matter. */
static bool is_far(const image_question *question, const image_region *region)
{
    const carom_aabb *box = &question->region;
    double pitch = fmin(region->length[0] / region->pixels[0], region->length[1] / region->pixels[1]), reach = 0.0;
    for (int i = 0; i < 3; i++)
        reach = fmax(reach, fmax(fabs(vec3_at(&box->min, i)), fabs(vec3_at(&box->max, i))));
    return reach * 0x1p-40 > pitch;
}

static carom_status may_meet(void *state, const image_question *question, image_verdict *out)
{
    myszkowski_pass *pass = state;
    int wanted = question->side > 0 ? (int)question->side : SIDE,
        limit = image_solids_limit(pass->solids.device, wanted);
    image_fineness fineness = {question->accuracy, limit < wanted ? limit : wanted, false};
    bool fits;
    *out = (image_verdict){.may_meet = true};
    pass->drawn = false;
    if (!question->asset[0] || !question->asset[1])
        return CAROM_OK;
    if (!image_region_choose(&question->region, &fineness, &pass->region) || is_far(question, &pass->region))
        return CAROM_OK;
    BASE_TRY(image_solids_load(&pass->solids, &pass->region, question->placed, true, &fits));
    if (!fits)
        return CAROM_OK;
    out->size = image_region_size(&pass->region, pass->solids.solids, 2.0 / DEPTH_UNITS);
    pass->drawn = true;
    return run(pass, &out->may_meet);
}

/* ---- the twin ---- */

typedef struct counted_pixel
{
    uint32_t entered; /* depth where the first is; DEPTH_UNITS: nowhere */
    uint8_t count;
    bool unsure;
} counted_pixel;

typedef struct counting
{
    counted_pixel *pixels;
    int width;
    bool first;
} counting;

static void count_fragment(const image_fragment *fragment, void *user)
{
    const counting *to = user;
    counted_pixel *pixel = &to->pixels[fragment->y * to->width + fragment->x];
    uint32_t depth = fragment->depth >> DEPTH_SHIFT;
    pixel->unsure = pixel->unsure || fragment->unsure;
    if (fragment->depth == UINT32_MAX)
        return;
    if (to->first && !fragment->leaves)
        pixel->entered = depth < pixel->entered ? depth : pixel->entered;
    if (!to->first && depth <= pixel->entered)
        pixel->count = (uint8_t)(pixel->count + (fragment->leaves ? 255 : 1));
}

static void compute(const myszkowski_pass *pass, counted_pixel *out)
{
    for (int i = 0; i < pass->region.pixels[0] * pass->region.pixels[1]; i++)
        out[i] = (counted_pixel){.entered = DEPTH_UNITS};
    for (int turn = 0; turn < 2; turn++)
    {
        const image_solid *solid = &pass->solids.solids[turn == 0 ? pass->first : !pass->first];
        image_solid_raster_twin(&pass->region, solid->facets.items, solid->facets.count, count_fragment,
                                &(counting){out, pass->region.pixels[0], turn == 0});
    }
}

static carom_status read_and_compare(myszkowski_pass *pass, const counted_pixel *computed, float *depths,
                                     uint8_t *stencils, gpu_check_result *result)
{
    const gpu_target *target = &pass->solids.target;
    size_t texels = (size_t)target->width * target->height;
    gpu_read_def depth = {.plane = GPU_DEPTH, .out = depths, .size = texels * sizeof *depths};
    gpu_read_def stencil = {.plane = GPU_STENCIL, .out = stencils, .size = texels};
    BASE_TRY(gpu_read(pass->solids.device, target, &depth));
    BASE_TRY(gpu_read(pass->solids.device, target, &stencil));
    for (int y = 0; y < pass->region.pixels[1]; y++)
        for (int x = 0; x < pass->region.pixels[0]; x++)
        {
            const counted_pixel *pixel = &computed[y * pass->region.pixels[0] + x];
            size_t at = (size_t)y * target->width + (size_t)x;
            char where[64];
            if (pixel->unsure)
                continue;
            snprintf(where, sizeof where, "myszkowski, pixel (%d, %d)", x, y);
            gpu_compare_bits(result, where, stencils[at], pixel->count);
            gpu_compare_value(result, where, (double)depths[at] * DEPTH_UNITS, pixel->entered);
        }
    return CAROM_OK;
}

static carom_status compare(void *state, gpu_check_result *result)
{
    myszkowski_pass *pass = state;
    if (!pass->drawn)
        return CAROM_OK;
    carom_context *context = gpu_context(pass->solids.device);
    size_t texels = (size_t)pass->solids.target.width * pass->solids.target.height;
    counted_pixel *computed = base_allocate(context, texels, sizeof *computed, 16);
    float *depths = base_allocate(context, texels, sizeof *depths, 16);
    uint8_t *stencils = base_allocate(context, texels, 1, 16);
    carom_status status = CAROM_OUT_OF_MEMORY;
    result->bound = 1.0; /* of DEPTH_UNITS */
    if (computed && depths && stencils)
    {
        compute(pass, computed);
        status = read_and_compare(pass, computed, depths, stencils, result);
    }
    base_release(context, computed, texels, sizeof *computed);
    base_release(context, depths, texels, sizeof *depths);
    base_release(context, stencils, texels, 1);
    return status;
}

const image_filter image_myszkowski = {.name = "myszkowski",
                                       .for_solids = true,
                                       .create_asset = create_asset,
                                       .destroy_asset = destroy_asset,
                                       .pass_size = sizeof(myszkowski_pass),
                                       .fill = fill,
                                       .may_meet = may_meet,
                                       .compare = compare,
                                       .forget = forget};
