/* shinya: Shinya and Forgue (1991; see filter.h). Every pixel has a list of the depths at which its line of sight
 * enters and leaves each of the two bodies. Sorted, it shows where the line is inside of both.
 *
 * The lists are made by fragments that append to them in any order; they are sorted by their whole values, so the
 * answer does not depend on that. Where a list is too long, or a body is not left as often as it was entered, the exact
 * test decides. The paper has convex parts in mind and pairs of smallest and largest depths; winding numbers make the
 * same of any closed body, overlapping parts included. */
#include "engine/image/image_shinya.h"
#include "engine/image/filter.h"

#include <stdio.h>

/* ---- objects ---- */

static carom_status fill(gpu_device *device, void *state)
{
    shinya_pass *pass = state;
    gpu_program_def draw = {
        .vertex = "solid.vert.glsl", .fragment = "solid.frag.glsl", .definitions = "#define LISTS\n"};
    gpu_program_def compare = {.vertex = "tiles.vert.glsl", .fragment = "lists.frag.glsl"};
    BASE_TRY(image_solids_create(device, &pass->solids));
    BASE_TRY(gpu_program_create(device, &draw, &pass->draw));
    BASE_TRY(gpu_program_create(device, &compare, &pass->compare));
    BASE_TRY(gpu_buffer_create(device, NULL, 0, true, &pass->counts));
    return gpu_buffer_create(device, NULL, 0, true, &pass->entries);
}

static void forget(carom_context *context, void *state)
{
    shinya_pass *pass = state;
    image_solids_forget(context, &pass->solids);
    base_array_free(context, &pass->zeros);
}

/* ---- passes ---- */

static carom_status clear(shinya_pass *pass, size_t pixels)
{
    carom_context *context = gpu_context(pass->solids.device);
    if (!base_array_reserve(context, &pass->zeros, pixels))
        return base_fail(context, CAROM_OUT_OF_MEMORY, "engine shinya: no memory for %zu pixels", pixels);
    memset(pass->zeros.items, 0, pixels * sizeof *pass->zeros.items);
    size_t size = pixels * SHINYA_LONGEST * sizeof(uint32_t);
    if (pass->entries.size < size)
        BASE_TRY(gpu_buffer_replace(pass->solids.device, &pass->entries, NULL, size));
    BASE_TRY(
        gpu_buffer_replace(pass->solids.device, &pass->counts, pass->zeros.items, pixels * sizeof *pass->zeros.items));
    gpu_clear_values values = {.planes = GPU_PLANE_BIT(GPU_COLOR0)};
    return gpu_clear(pass->solids.device, &pass->solids.target, &values);
}

static carom_status draw_lists(shinya_pass *pass, const image_region *region)
{
    gpu_state state = gpu_state_default();
    state.color_write = false;
    image_solid_draw def = {.program = &pass->draw, .state = &state, .instances = 1};
    def.storage[0] = &pass->counts, def.storage[1] = &pass->entries;
    BASE_TRY(image_solids_aim(&pass->solids, &pass->draw, region, &(image_sections){0, 1, 1}));
    for (def.body = 0; def.body < 2; def.body++)
    {
        int32_t list[4] = {region->pixels[0], SHINYA_LONGEST, def.body, 0};
        BASE_TRY(gpu_program_set(pass->solids.device, &pass->draw, &(gpu_uniform){"list", GPU_INT, 4, 1, list}));
        def.side = IMAGE_ENTERING;
        BASE_TRY(image_solids_draw(&pass->solids, &def));
        def.side = IMAGE_LEAVING;
        BASE_TRY(image_solids_draw(&pass->solids, &def));
    }
    return CAROM_OK;
}

carom_status shinya_run(shinya_pass *pass, const image_region *region, bool *may_meet)
{
    gpu_target_def target = {
        .width = (uint32_t)region->pixels[0], .height = (uint32_t)region->pixels[1], .colors = {GPU_R8UI}};
    gpu_state state = gpu_state_default();
    image_solid_draw compare = {.program = &pass->compare, .state = &state};
    compare.storage[0] = &pass->counts, compare.storage[1] = &pass->entries;
    BASE_TRY(image_solids_target(&pass->solids, &target));
    BASE_TRY(clear(pass, (size_t)region->pixels[0] * (size_t)region->pixels[1]));
    BASE_TRY(draw_lists(pass, region));
    BASE_TRY(
        gpu_program_set(pass->solids.device, &pass->compare, &(gpu_uniform){"pixels", GPU_INT, 2, 1, region->pixels}));
    return image_solids_cover(&pass->solids, &compare, may_meet);
}

/* ---- the filter ---- */

/* As many pixels as the driver has room for lists. */
static int limit_of(const gpu_device *device, uint32_t side)
{
    int limit = image_solids_limit(device, side > 0 ? (int)side : SHINYA_SIDE);
    limit = side > 0 && (int)side < limit ? (int)side : limit;
    while (limit > 1 && (uint64_t)limit * (uint64_t)limit * SHINYA_LONGEST * 4 > gpu_info(device)->limits.storage_block)
        limit /= 2;
    return limit;
}

static carom_status may_meet(void *state, const image_question *question, image_verdict *out)
{
    shinya_pass *pass = state;
    image_region *region = &pass->region;
    image_fineness fineness = {question->accuracy, limit_of(pass->solids.device, question->side), false};
    bool fits;
    *out = (image_verdict){.may_meet = true};
    pass->drawn = false;
    if (!image_region_choose(&question->region, &fineness, region))
        return CAROM_OK;
    BASE_TRY(image_solids_load(&pass->solids, region, question->placed, false, &fits));
    if (!fits)
        return CAROM_OK;
    out->size = image_region_size(region, pass->solids.solids, 0.0);
    pass->drawn = true;
    return shinya_run(pass, region, &out->may_meet);
}

/* ---- the twin ---- */

typedef struct collecting
{
    shinya_list *lists;
    int width;
    uint32_t body;
} collecting;

static void collect(const image_fragment *fragment, void *user)
{
    const collecting *to = user;
    shinya_list *list = &to->lists[fragment->y * to->width + fragment->x];
    list->unsure = list->unsure || fragment->unsure;
    if (fragment->depth == UINT32_MAX)
        return;
    uint32_t slot = list->count++, entry = fragment->depth << 2 | to->body << 1 | (fragment->leaves ? 1u : 0u);
    if (slot >= SHINYA_LONGEST)
        return;
    for (; slot > 0 && list->entries[slot - 1] > entry; slot--)
        list->entries[slot] = list->entries[slot - 1];
    list->entries[slot] = entry;
}

static shinya_pixel judge(const shinya_list *list)
{
    int inside[2] = {0, 0};
    if (list->count > SHINYA_LONGEST)
        return SHINYA_TOO_MANY;
    for (uint32_t i = 0; i < list->count; i++)
    {
        inside[list->entries[i] >> 1 & 1u] += list->entries[i] & 1u ? -1 : 1;
        if (inside[0] != 0 && inside[1] != 0)
            return SHINYA_MEET;
    }
    return inside[0] != 0 || inside[1] != 0 ? SHINYA_UNBALANCED : SHINYA_APART;
}

void shinya_twin(const image_region *region, const image_solid solids[2], shinya_list *out)
{
    for (uint32_t body = 0; body < 2; body++)
        image_solid_raster_twin(region, solids[body].facets.items, solids[body].facets.count, collect,
                                &(collecting){out, region->pixels[0], body});
    for (int i = 0; i < region->pixels[0] * region->pixels[1]; i++)
        out[i].verdict = judge(&out[i]);
}

/* ---- comparison ---- */

typedef struct shinya_read
{
    uint32_t *counts, *entries;
    uint8_t *verdicts;
    shinya_list *computed;
} shinya_read;

static void compare_pixel(const shinya_read *read, size_t pixel, uint8_t verdict, gpu_check_result *result)
{
    const shinya_list *list = &read->computed[pixel];
    uint32_t drawn[SHINYA_LONGEST] = {0}, count = read->counts[pixel];
    char where[64];
    snprintf(where, sizeof where, "shinya, pixel %zu", pixel);
    gpu_compare_bits(result, where, count, list->count);
    if (count != list->count || count > SHINYA_LONGEST)
        return;
    gpu_compare_bits(result, where, verdict, list->verdict);
    for (uint32_t i = 0; i < count; i++)
    {
        uint32_t entry = read->entries[pixel * SHINYA_LONGEST + i], slot = i;
        for (; slot > 0 && drawn[slot - 1] > entry; slot--)
            drawn[slot] = drawn[slot - 1];
        drawn[slot] = entry;
    }
    for (uint32_t i = 0; i < count; i++)
    {
        gpu_compare_bits(result, where, drawn[i] & 3u, list->entries[i] & 3u);
        gpu_compare_value(result, where, drawn[i] >> 2, list->entries[i] >> 2);
    }
}

static carom_status read_and_compare(shinya_pass *pass, const shinya_read *read, gpu_check_result *result)
{
    const image_region *region = &pass->region;
    gpu_device *device = pass->solids.device;
    const gpu_target *target = &pass->solids.target;
    size_t pixels = (size_t)region->pixels[0] * (size_t)region->pixels[1];
    gpu_read_def verdicts = {
        .plane = GPU_COLOR0, .out = read->verdicts, .size = (size_t)target->width * target->height};
    BASE_TRY(gpu_buffer_read(device, &pass->counts, read->counts, pixels * sizeof *read->counts));
    BASE_TRY(gpu_buffer_read(device, &pass->entries, read->entries, pixels * SHINYA_LONGEST * sizeof *read->entries));
    BASE_TRY(gpu_read(device, target, &verdicts));
    memset(read->computed, 0, pixels * sizeof *read->computed);
    shinya_twin(region, pass->solids.solids, read->computed);
    for (size_t i = 0; i < pixels; i++)
    {
        size_t row = i / (size_t)region->pixels[0], column = i % (size_t)region->pixels[0];
        if (!read->computed[i].unsure)
            compare_pixel(read, i, read->verdicts[row * target->width + column], result);
    }
    return CAROM_OK;
}

static carom_status compare(void *state, gpu_check_result *result)
{
    shinya_pass *pass = state;
    carom_context *context = gpu_context(pass->solids.device);
    const gpu_target *target = &pass->solids.target;
    size_t pixels = (size_t)target->width * target->height;
    if (!pass->drawn)
        return CAROM_OK;
    shinya_read read = {base_allocate(context, pixels, sizeof *read.counts, 16),
                        base_allocate(context, pixels * SHINYA_LONGEST, sizeof *read.entries, 16),
                        base_allocate(context, pixels, 1, 16),
                        base_allocate(context, pixels, sizeof *read.computed, 16)};
    carom_status status = CAROM_OUT_OF_MEMORY;
    result->bound = 1.0; /* of IMAGE_DEPTH_UNITS: what one rounding that differs may change */
    if (read.counts && read.entries && read.verdicts && read.computed)
        status = read_and_compare(pass, &read, result);
    base_release(context, read.counts, pixels, sizeof *read.counts);
    base_release(context, read.entries, pixels * SHINYA_LONGEST, sizeof *read.entries);
    base_release(context, read.verdicts, pixels, 1);
    base_release(context, read.computed, pixels, sizeof *read.computed);
    return status;
}

const image_filter image_shinya = {.name = "shinya",
                                   .for_solids = true,
                                   .pass_size = sizeof(shinya_pass),
                                   .fill = fill,
                                   .may_meet = may_meet,
                                   .compare = compare,
                                   .forget = forget};
