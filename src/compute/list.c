/* carom_compute_list: all devices that kernels could run on. */
#include "compute/device.h"

typedef struct listing
{
    carom_compute_fn *on_device;
    void *user;
    bool stopped;
} listing;

static bool tell(compute_device *device, cl_handle platform, cl_handle found, void *user)
{
    listing *list = user;
    carom_compute_info info;
    compute_cl_describe(device, platform, found, &info);
    list->stopped = !list->on_device(&info, list->user);
    return !list->stopped;
}

/* Every device of OpenCL, of which compute_open would take the best. CAROM_UNAVAILABLE: there is none. */
static carom_status list_opencl(carom_context *context, listing *list)
{
    compute_device device = {.context = context};
    carom_status status = compute_cl_load(&device);
    if (!carom_failed(status))
        status = compute_cl_visit(&device, tell, list);
    compute_cl_unload(&device);
    return status;
}

static carom_status list_kind(carom_context *context, compute_kind kind, listing *list)
{
    compute_device *device;
    BASE_TRY(compute_open(context, &(compute_device_def){.kind = kind}, &device));
    list->stopped = !list->on_device(compute_info(device), list->user);
    compute_close(device);
    return CAROM_OK;
}

carom_status carom_compute_list(carom_context *context, carom_compute_fn *on_device, void *user)
{
    if (!context || !on_device)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "carom_compute_list: %s is null",
                         context ? "on_device" : "context");
    listing list = {on_device, user, false};
    carom_status status = compute_drivers_are_off() ? CAROM_OK : list_opencl(context, &list);
    if (!list.stopped && (!carom_failed(status) || status == CAROM_UNAVAILABLE))
        status = list_kind(context, COMPUTE_OPENGL, &list);
    if (!list.stopped && (!carom_failed(status) || status == CAROM_UNAVAILABLE))
        status = list_kind(context, COMPUTE_PROCESSOR, &list);
    return list.stopped ? CAROM_STOPPED : status;
}
