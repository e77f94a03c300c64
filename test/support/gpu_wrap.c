/* Devices as engines open them, made worse by a test. */
#include "support/gpu_wrap.h"

#include "support/check.h"
#include "support/gpu_hooks.h"

#include <string.h>

gpu_wrap wrap;

/* NOLINTBEGIN(bugprone-reserved-identifier): the names are the linker's */
carom_status __real_gpu_open(carom_context *context, const gpu_device_def *def, gpu_device **out);
carom_status __wrap_gpu_open(carom_context *context, const gpu_device_def *def, gpu_device **out);
void __real_gpu_close(gpu_device *device);
void __wrap_gpu_close(gpu_device *device);

carom_status __wrap_gpu_open(carom_context *context, const gpu_device_def *def, gpu_device **out)
{
    gpu_device_def worse = def ? *def : gpu_device_def_default();
    worse.debug = true, worse.limits = wrap.limits;
    if (wrap.hooked)
        worse.find = gpu_hooks_find;
    if (wrap.refuse)
        worse.platform = GPU_PLATFORM_OFF;
    carom_status status = __real_gpu_open(context, &worse, out);
    atomic_fetch_add(status == CAROM_OK ? &wrap.opened : &wrap.refused, 1);
    return status;
}

void __wrap_gpu_close(gpu_device *device)
{
    const char *first = "";
    if (device)
    {
        atomic_fetch_add(&wrap.closed, 1);
        uint64_t errors = gpu_debug_errors(device, &first);
        if (errors > 0 && atomic_fetch_add(&wrap.errors, (unsigned)errors) == 0)
            snprintf(wrap.first_error, sizeof wrap.first_error, "%s", first);
    }
    __real_gpu_close(device);
}
/* NOLINTEND(bugprone-reserved-identifier) */

void gpu_wrap_reset(void)
{
    wrap = (gpu_wrap){0};
    gpu_hooks_reset();
}

void gpu_wrap_check(void)
{
    assert_int_equal(atomic_load(&wrap.opened), atomic_load(&wrap.closed));
    if (atomic_load(&wrap.errors) > 0)
        fail_msg("%u errors in the debug output, the first: %s", atomic_load(&wrap.errors), wrap.first_error);
}
