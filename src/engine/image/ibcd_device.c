/* The device of an image engine's worker. */
#include "engine/image/ibcd.h"

/* Trying to open a driver that is gone takes milliseconds: so many searches do without one before the next attempt. */
enum
{
    IMAGE_PATIENCE = 64
};

static carom_status open_device(image_state *state)
{
    if (!state->sampled && state->next_attempt > state->balance.searches)
        return base_fail(state->context, CAROM_UNAVAILABLE, "engine: the driver was lost and can't be opened again");
    carom_status status = gpu_open(state->context, NULL, &state->device);
    state->next_attempt = status == CAROM_UNAVAILABLE ? state->balance.searches + IMAGE_PATIENCE : 0;
    return status;
}

/* What was drawn on earlier devices counts as well. */
static carom_status make_passes(image_state *state)
{
    image_pass_stats pass = state->pass.stats;
    image_stencil_stats stencil = state->stencil.stats;
    carom_status status = CAROM_OK;
    if (!state->sampled && !state->pass.device)
        status = image_pass_create(state->device, &state->pass);
    if (state->sampled && !state->stencil.device)
        status = image_stencil_create(state->device, &state->stencil);
    if (state->sampled && !state->sheet.device && !carom_failed(status))
        status = image_sheet_create(state->device, &state->sheet);
    state->pass.stats = pass, state->stencil.stats = stencil;
    return status;
}

carom_status image_begin_device(image_state *state)
{
    if (!state->device)
        BASE_TRY(open_device(state));
    if (!state->current)
        BASE_TRY(gpu_begin(state->device));
    state->current = true;
    return make_passes(state);
}

carom_status image_end_device(image_state *state)
{
    if (!state->current)
        return CAROM_OK;
    state->current = false;
    carom_status status = gpu_end(state->device);
    /* answers were read before it was lost; the next search opens another device */
    return gpu_is_lost(state->device) ? CAROM_OK : status;
}

void image_close_device(image_state *state)
{
    if (state->sheet.device)
        image_sheet_destroy(&state->sheet); /* but for its arrays */
    state->sheet.device = NULL;
    if (state->current)
        gpu_end(state->device);
    gpu_close(state->device);
    state->current = false, state->device = NULL, state->balance.warm = false;
    state->pass = (image_pass){.stats = state->pass.stats};
    state->stencil = (image_stencil){.stats = state->stencil.stats};
}
