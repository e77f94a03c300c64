/* rossignac: Rossignac, Megahed and Schneider (1992; see filter.h). A clipping plane slides through the region along
 * the line of sight. What is in front of it is clipped; what is left of a closed body winds around the points of the
 * section that are inside, and around no others. The stencil counts that for both bodies.
 *
 * The paper counts parity; winding numbers (modulo 128) also tell where parts of a body overlap. All sections are tiles
 * of one target and drawn at once, as far as they fit. Fragments are clipped one by one, since a driver that cuts
 * triangles rounds new corners in ways of its own. */
#include "engine/image/filter.h"

#include <stdio.h>

enum
{
    SIDE = 128,        /* pixels and sections at most, unless the engine is asked for another number */
    TARGET_SIDE = 512, /* what a pass costs follows the size of the target */
    COUNT_BITS = 0x7f, /* of the stencil */
    MARK = 0x80        /* the section is inside of the first body */
};

typedef struct rossignac_pass
{
    image_solids solids;
    gpu_program draw, cover;
    image_region region;
    image_sections last; /* of the last image */
    bool drawn;
} rossignac_pass;

/* ---- objects ---- */

static carom_status fill(gpu_device *device, void *state)
{
    rossignac_pass *pass = state;
    BASE_TRY(image_solids_create(device, &pass->solids));
    return image_solids_programs(device, "#define SECTIONS\n", &pass->draw, &pass->cover);
}

static void forget(carom_context *context, void *state)
{
    rossignac_pass *pass = state;
    image_solids_forget(context, &pass->solids);
}

/* ---- passes ---- */

static uint32_t step_of(const image_region *region) { return IMAGE_DEPTH_UNITS / (uint32_t)region->sections; }

/* Where fragments of a body are entered, 1 is added; where it is left, 1 is taken off. */
static carom_status count(rossignac_pass *pass, int body, const gpu_stencil_face *face)
{
    gpu_state state = gpu_state_default();
    image_solid_draw def = {
        .program = &pass->draw, .state = &state, .body = body, .instances = pass->last.count, .side = IMAGE_ENTERING};
    state.color_write = false, state.stencil_test = true;
    state.front = state.back = *face;
    state.front.pass = state.back.pass = GPU_INCREASE_WRAP;
    BASE_TRY(image_solids_draw(&pass->solids, &def));
    state.front.pass = state.back.pass = GPU_DECREASE_WRAP;
    def.side = IMAGE_LEAVING;
    return image_solids_draw(&pass->solids, &def);
}

static carom_status cover(rossignac_pass *pass, gpu_stencil_face face, bool *any)
{
    gpu_state state = gpu_state_default();
    image_solid_draw def = {.program = &pass->cover, .state = &state};
    state.color_write = false, state.stencil_test = true;
    state.front = state.back = face;
    return image_solids_cover(&pass->solids, &def, any);
}

static carom_status run_sections(rossignac_pass *pass, bool *may_meet)
{
    gpu_device *device = pass->solids.device;
    gpu_clear_values clear = {.planes = GPU_PLANE_BIT(GPU_STENCIL)};
    uint32_t step = step_of(&pass->region);
    gpu_stencil_face first = {GPU_ALWAYS, 0, 0xff, COUNT_BITS, GPU_KEEP, GPU_KEEP, GPU_KEEP};
    gpu_stencil_face second = {GPU_EQUAL, MARK, MARK, COUNT_BITS, GPU_KEEP, GPU_KEEP, GPU_KEEP};
    BASE_TRY(gpu_clear(device, &pass->solids.target, &clear));
    BASE_TRY(image_solids_aim(&pass->solids, &pass->draw, &pass->region, &pass->last));
    BASE_TRY(gpu_program_set(device, &pass->draw, &(gpu_uniform){"section_step", GPU_UINT, 1, 1, &step}));
    BASE_TRY(count(pass, 0, &first));
    /* any count but 0 becomes the mark: the reference is that, and 0 under the mask */
    BASE_TRY(
        cover(pass, (gpu_stencil_face){GPU_NOT_EQUAL, MARK, COUNT_BITS, 0xff, GPU_ZERO, GPU_ZERO, GPU_REPLACE}, NULL));
    BASE_TRY(count(pass, 1, &second));
    return cover(pass, (gpu_stencil_face){GPU_LESS, MARK, 0xff, 0, GPU_KEEP, GPU_KEEP, GPU_KEEP}, may_meet);
}

static int at_most(int value, int limit) { return value < limit ? value : limit; }

static carom_status run(rossignac_pass *pass, bool *may_meet)
{
    const image_region *region = &pass->region;
    int limit = image_solids_limit(pass->solids.device, TARGET_SIDE);
    int columns = limit / region->pixels[0], rows = limit / region->pixels[1];
    columns = at_most(columns > 1 ? columns : 1, region->sections);
    rows = at_most(rows > 1 ? rows : 1, (region->sections + columns - 1) / columns);
    gpu_target_def target = {.width = (uint32_t)(columns * region->pixels[0]),
                             .height = (uint32_t)(rows * region->pixels[1]),
                             .depth = GPU_DEPTH24_STENCIL8};
    BASE_TRY(image_solids_target(&pass->solids, &target));
    *may_meet = false;
    for (int first = 0; first < region->sections && !*may_meet; first += columns * rows)
    {
        pass->last = (image_sections){first, at_most(columns * rows, region->sections - first), columns};
        BASE_TRY(run_sections(pass, may_meet));
    }
    return CAROM_OK;
}

static carom_status may_meet(void *state, const image_question *question, image_verdict *out)
{
    rossignac_pass *pass = state;
    int wanted = question->side > 0 ? (int)question->side : SIDE;
    image_fineness fineness = {question->accuracy, at_most(image_solids_limit(pass->solids.device, wanted), wanted),
                               true};
    bool fits;
    *out = (image_verdict){.may_meet = true};
    pass->drawn = false;
    if (!image_region_choose(&question->region, &fineness, &pass->region))
        return CAROM_OK;
    BASE_TRY(image_solids_load(&pass->solids, &pass->region, question->placed, false, &fits));
    if (!fits)
        return CAROM_OK;
    out->size = image_region_size(&pass->region, pass->solids.solids, 0.0);
    pass->drawn = true;
    return run(pass, &out->may_meet);
}

/* ---- the twin ---- */

typedef struct winding
{
    int8_t body[2]; /* modulo 128 is all that counts */
    bool unsure;
} winding;

typedef struct slicing
{
    const rossignac_pass *pass;
    winding *pixels; /* tile after tile */
    int body;
} slicing;

static void slice(const image_fragment *fragment, void *user)
{
    const slicing *to = user;
    const image_region *region = &to->pass->region;
    const image_sections *last = &to->pass->last;
    uint32_t step = step_of(region);
    for (int i = 0; i < last->count; i++)
    {
        winding *pixel = &to->pixels[(i * region->pixels[1] + fragment->y) * region->pixels[0] + fragment->x];
        pixel->unsure = pixel->unsure || fragment->unsure;
        if (fragment->depth != UINT32_MAX && fragment->depth >= step * (uint32_t)(last->first + i) + step / 2)
            pixel->body[to->body] = (int8_t)(pixel->body[to->body] + (fragment->leaves ? -1 : 1));
    }
}

/* What the stencil holds in the end. */
static uint8_t stencil_of(const winding *pixel)
{
    if ((pixel->body[0] & COUNT_BITS) == 0)
        return 0;
    return (uint8_t)(MARK | (pixel->body[1] & COUNT_BITS));
}

static void compare_tiles(const rossignac_pass *pass, const winding *computed, const uint8_t *drawn,
                          gpu_check_result *result)
{
    const image_region *region = &pass->region;
    for (int i = 0; i < pass->last.count * region->pixels[0] * region->pixels[1]; i++)
    {
        int x = i % region->pixels[0], y = i / region->pixels[0] % region->pixels[1];
        int tile = i / (region->pixels[0] * region->pixels[1]);
        int column = tile % pass->last.per_row * region->pixels[0] + x;
        int row = tile / pass->last.per_row * region->pixels[1] + y;
        char where[64];
        if (computed[i].unsure)
            continue;
        snprintf(where, sizeof where, "rossignac, section %d, pixel (%d, %d)", tile, x, y);
        gpu_compare_bits(result, where, drawn[(size_t)row * pass->solids.target.width + (size_t)column],
                         stencil_of(&computed[i]));
    }
}

static carom_status compare(void *state, gpu_check_result *result)
{
    rossignac_pass *pass = state;
    if (!pass->drawn)
        return CAROM_OK;
    carom_context *context = gpu_context(pass->solids.device);
    const gpu_target *target = &pass->solids.target;
    size_t texels = (size_t)target->width * target->height;
    winding *computed = base_allocate(context, texels, sizeof *computed, 16);
    uint8_t *drawn = base_allocate(context, texels, 1, 16);
    carom_status status = CAROM_OUT_OF_MEMORY;
    if (computed && drawn)
    {
        gpu_read_def read = {.plane = GPU_STENCIL, .out = drawn, .size = texels};
        status = gpu_read(pass->solids.device, target, &read);
        memset(computed, 0, texels * sizeof *computed);
        for (int body = 0; body < 2; body++)
            image_solid_raster_twin(&pass->region, pass->solids.solids[body].facets.items,
                                    pass->solids.solids[body].facets.count, slice, &(slicing){pass, computed, body});
        if (!carom_failed(status))
            compare_tiles(pass, computed, drawn, result);
    }
    base_release(context, computed, texels, sizeof *computed);
    base_release(context, drawn, texels, 1);
    return status;
}

const image_filter image_rossignac = {.name = "rossignac",
                                      .for_solids = true,
                                      .pass_size = sizeof(rossignac_pass),
                                      .fill = fill,
                                      .may_meet = may_meet,
                                      .compare = compare,
                                      .forget = forget};
