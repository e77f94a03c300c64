/* Two closed bodies on the GPU: uploading and drawing them. */
#include "engine/image/image_solid.h"

carom_status image_solids_create(gpu_device *device, image_solids *out)
{
    *out = (image_solids){.device = device};
    for (int body = 0; body < 2; body++)
    {
        BASE_TRY(gpu_buffer_create(device, NULL, 0, true, &out->buffers[body]));
        BASE_TRY(gpu_buffer_texture(device, &out->buffers[body], GPU_RGBA32F, &out->textures[body]));
    }
    BASE_TRY(gpu_query_create(device, false, &out->query));
    return gpu_layout_create(device, NULL, 0, NULL, &out->nothing);
}

void image_solids_destroy(image_solids *solids)
{
    for (int body = 0; body < 2; body++)
    {
        gpu_texture_destroy(solids->device, &solids->textures[body]);
        gpu_buffer_destroy(solids->device, &solids->buffers[body]);
    }
    gpu_query_destroy(solids->device, &solids->query);
    gpu_layout_destroy(solids->device, &solids->nothing);
    gpu_target_destroy(solids->device, &solids->target);
    image_solids_forget(gpu_context(solids->device), solids);
}

void image_solids_forget(carom_context *context, image_solids *solids)
{
    for (int body = 0; body < 2; body++)
        image_solid_free(context, &solids->solids[body]);
}

carom_status image_solids_programs(gpu_device *device, const char *definitions, gpu_program *draw, gpu_program *cover)
{
    gpu_program_def drawing = {.vertex = "solid.vert.glsl", .fragment = "solid.frag.glsl", .definitions = definitions};
    gpu_program_def covering = {.vertex = "tiles.vert.glsl", .fragment = "cover.frag.glsl"};
    BASE_TRY(gpu_program_create(device, &drawing, draw));
    return gpu_program_create(device, &covering, cover);
}

carom_status image_solids_load(image_solids *solids, const image_region *region, const image_placed placed[2],
                               bool outward, bool *fits)
{
    enum
    {
        TEXELS = sizeof(image_facet) / 16
    };
    gpu_device *device = solids->device;
    *fits = true;
    for (int body = 0; body < 2; body++)
    {
        image_solid *solid = &solids->solids[body];
        BASE_TRY(image_solid_make(gpu_context(device), region, &placed[body], outward, solid));
        *fits = *fits && solid->facets.count <= gpu_info(device)->limits.texture_buffer / TEXELS &&
                solid->facets.count <= INT32_MAX / sizeof *solid->facets.items;
    }
    for (int body = 0; body < 2 && *fits; body++)
        BASE_TRY(gpu_buffer_replace(device, &solids->buffers[body], solids->solids[body].facets.items,
                                    solids->solids[body].facets.count * sizeof *solids->solids[body].facets.items));
    return CAROM_OK;
}

/* ---- targets ---- */

static uint32_t power_of_two(uint32_t least)
{
    uint32_t power = 1;
    while (power < least)
        power *= 2;
    return power;
}

int image_solids_limit(const gpu_device *device, int wanted)
{
    uint32_t max = gpu_max_target(device);
    int limit = 1;
    while (2 * limit <= wanted && 2u * (uint32_t)limit <= max)
        limit *= 2;
    return limit;
}

carom_status image_solids_target(image_solids *solids, const gpu_target_def *wanted)
{
    gpu_target_def def = *wanted;
    def.width = power_of_two(def.width), def.height = power_of_two(def.height);
    if (solids->target.width == def.width && solids->target.height == def.height)
        return CAROM_OK;
    gpu_target_destroy(solids->device, &solids->target);
    solids->target = (gpu_target){0};
    return gpu_target_create(solids->device, &def, &solids->target);
}

/* ---- drawing ---- */

carom_status image_solids_aim(image_solids *solids, const gpu_program *program, const image_region *region,
                              const image_sections *sections)
{
    int32_t tiles[4] = {region->pixels[0], region->pixels[1], sections->per_row, sections->first};
    float scale[2] = {2.0f / (float)solids->target.width, 2.0f / (float)solids->target.height};
    gpu_uniform uniforms[2] = {{"tiles", GPU_INT, 4, 1, tiles}, {"scale", GPU_FLOAT, 2, 1, scale}};
    for (int i = 0; i < 2; i++)
        BASE_TRY(gpu_program_set(solids->device, program, &uniforms[i]));
    return CAROM_OK;
}

static gpu_draw_def draw_of(const image_solids *solids, const image_solid_draw *def)
{
    gpu_draw_def draw = gpu_draw_def_default();
    draw.target = &solids->target, draw.program = def->program, draw.layout = &solids->nothing;
    draw.state = def->state;
    draw.storage_blocks[0] = def->storage[0], draw.storage_blocks[1] = def->storage[1];
    return draw;
}

carom_status image_solids_draw(image_solids *solids, const image_solid_draw *def)
{
    const image_solid *solid = &solids->solids[def->body];
    gpu_draw_def draw = draw_of(solids, def);
    uint32_t count = (uint32_t)solid->facets.count;
    draw.mode = GPU_TRIANGLES, draw.textures[0] = &solids->textures[def->body];
    draw.first = def->side == IMAGE_ENTERING ? 0 : 3 * solid->entering;
    draw.count = 3 * (def->side == IMAGE_ENTERING ? solid->entering : count - solid->entering);
    draw.instances = (uint32_t)def->instances;
    return gpu_draw(solids->device, &draw);
}

carom_status image_solids_cover(image_solids *solids, const image_solid_draw *def, bool *any)
{
    gpu_draw_def draw = draw_of(solids, def);
    draw.mode = GPU_TRIANGLE_STRIP, draw.count = 4;
    if (!any)
        return gpu_draw(solids->device, &draw);
    uint64_t passed;
    BASE_TRY(gpu_query_begin(solids->device, &solids->query));
    carom_status status = gpu_draw(solids->device, &draw);
    BASE_TRY(gpu_query_end(solids->device, &solids->query));
    BASE_TRY(status);
    BASE_TRY(gpu_query_result(solids->device, &solids->query, &passed));
    *any = passed != 0;
    return CAROM_OK;
}
