/* libOpenCL, opened at run time, the addresses of its functions, its platforms and devices. */
#include "compute/device.h"

#include <stdio.h>

/* PoCL looks up the machine's memory in /sys and ends the process where there is none, as in a bare chroot. */
static bool lacks_machine_files(void)
{
#if defined(__linux__)
    FILE *file = fopen("/sys/devices/system/cpu/online", "r");
    if (!file)
        return true;
    fclose(file);
#endif
    return false;
}

static compute_function *find_function(const compute_device *device, const char *name)
{
    compute_function *found = base_library_find(device->library, name);
    return device->def.find ? device->def.find(name, found, device->def.find_user) : found;
}

/* NOLINTBEGIN(bugprone-macro-parentheses): types and names can't have any */
#define COMPUTE_CL_LOAD(result, name, parameters)                                                                      \
    device->cl.name = (result(*) parameters)find_function(device, "cl" #name);                                         \
    if (!device->cl.name)                                                                                              \
        return base_fail(device->context, CAROM_UNAVAILABLE, "libOpenCL has no cl%s", #name);
/* NOLINTEND(bugprone-macro-parentheses) */

carom_status compute_cl_load(compute_device *device)
{
    if (base_is_static_program())
        return base_fail(device->context, CAROM_UNAVAILABLE,
                         "no OpenCL: a program that is linked statically can't open a driver");
    device->library = base_library_open(device->def.library ? device->def.library : "libOpenCL.so.1");
    if (!device->library)
        return base_fail(device->context, CAROM_UNAVAILABLE, "no OpenCL on this machine: %s", base_library_error());
    if (lacks_machine_files())
        return base_fail(device->context, CAROM_UNAVAILABLE,
                         "no OpenCL: /sys is not mounted, and drivers abort where they can't find the processors");
    COMPUTE_CL_FUNCTIONS(COMPUTE_CL_LOAD)
    return CAROM_OK;
}

void compute_cl_unload(compute_device *device)
{
    base_library_close(device->library);
    device->library = NULL;
}

/* ---- errors ---- */

static const char *error_name(int error)
{
    switch (error)
    {
    case CL_DEVICE_NOT_FOUND: return "CL_DEVICE_NOT_FOUND";
    case CL_DEVICE_NOT_AVAILABLE: return "CL_DEVICE_NOT_AVAILABLE";
    case CL_MEM_OBJECT_ALLOCATION_FAILURE: return "CL_MEM_OBJECT_ALLOCATION_FAILURE";
    case CL_OUT_OF_RESOURCES: return "CL_OUT_OF_RESOURCES";
    case CL_OUT_OF_HOST_MEMORY: return "CL_OUT_OF_HOST_MEMORY";
    case CL_BUILD_PROGRAM_FAILURE: return "CL_BUILD_PROGRAM_FAILURE";
    case CL_INVALID_CONTEXT: return "CL_INVALID_CONTEXT";
    case CL_INVALID_COMMAND_QUEUE: return "CL_INVALID_COMMAND_QUEUE";
    case CL_PLATFORM_NOT_FOUND_KHR: return "CL_PLATFORM_NOT_FOUND_KHR";
    default: return "error";
    }
}

/* Drivers report a kernel that failed, or a card that was reset, as a lack of resources: whatever is read afterwards
 * can't be believed. */
carom_status compute_cl_check(compute_device *device, int error, const char *call)
{
    if (BASE_LIKELY(error == CL_SUCCESS))
        return CAROM_OK;
    bool memory = error == CL_MEM_OBJECT_ALLOCATION_FAILURE || error == CL_OUT_OF_HOST_MEMORY;
    bool gone = error == CL_DEVICE_NOT_AVAILABLE || error == CL_OUT_OF_RESOURCES || error == CL_INVALID_CONTEXT ||
                error == CL_INVALID_COMMAND_QUEUE;
    device->lost = device->lost || gone;
    return base_fail(device->context,
                     memory ? CAROM_OUT_OF_MEMORY
                     : gone ? CAROM_UNAVAILABLE
                            : CAROM_UNSUPPORTED,
                     "%s: OpenCL reports %s (%d)%s", call, error_name(error), error,
                     gone ? "; the device is lost, open another one" : "");
}

/* ---- platforms and devices ---- */

enum
{
    MAX_PLATFORMS = 16,
    MAX_DEVICES = 16 /* per platform; more are not looked at */
};

carom_status compute_cl_visit(compute_device *device, compute_cl_visit_fn *visit, void *user)
{
    cl_handle platforms[MAX_PLATFORMS] = {0};
    uint32_t platform_count = 0;
    int error = device->cl.GetPlatformIDs(MAX_PLATFORMS, platforms, &platform_count);
    if (error != CL_SUCCESS || platform_count == 0)
        return base_fail(device->context, CAROM_UNAVAILABLE,
                         "clGetPlatformIDs: OpenCL has no platform (%d); is a driver installed?", error);
    platform_count = platform_count < MAX_PLATFORMS ? platform_count : MAX_PLATFORMS;
    bool more = true;
    for (uint32_t i = 0; i < platform_count && more; i++)
    {
        cl_handle found[MAX_DEVICES] = {0};
        uint32_t count = 0;
        /* a platform without devices is an error there, but none here */
        if (device->cl.GetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, MAX_DEVICES, found, &count) != CL_SUCCESS)
            continue;
        count = count < MAX_DEVICES ? count : MAX_DEVICES;
        for (uint32_t k = 0; k < count && more; k++)
            more = visit(device, platforms[i], found[k], user);
    }
    return CAROM_OK;
}

static uint64_t ask_number(compute_device *device, cl_handle found, uint32_t name)
{
    uint64_t value = 0; /* drivers write four or eight bytes, of little-endian machines */
    return device->cl.GetDeviceInfo(found, name, sizeof value, &value, NULL) == CL_SUCCESS ? value : 0;
}

static void ask_text(compute_device *device, cl_handle found, uint32_t name, char *out, size_t size)
{
    char text[512] = "";
    if (device->cl.GetDeviceInfo(found, name, sizeof text - 1, text, NULL) != CL_SUCCESS)
        text[0] = '\0';
    text[sizeof text - 1] = '\0';
    snprintf(out, size, "%.*s", (int)size - 1, text);
}

void compute_cl_describe(compute_device *device, cl_handle platform, cl_handle found, carom_compute_info *out)
{
    *out = (carom_compute_info){0};
    char text[512] = "";
    if (device->cl.GetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof text - 1, text, NULL) != CL_SUCCESS)
        text[0] = '\0';
    snprintf(out->kind, sizeof out->kind, "opencl");
    snprintf(out->platform, sizeof out->platform, "%.*s", (int)sizeof out->platform - 1, text);
    ask_text(device, found, CL_DEVICE_NAME, out->name, sizeof out->name);
    ask_text(device, found, CL_DEVICE_VERSION, out->version, sizeof out->version);
    uint64_t units = ask_number(device, found, CL_DEVICE_MAX_COMPUTE_UNITS);
    uint64_t group = ask_number(device, found, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    uint64_t local = ask_number(device, found, CL_DEVICE_LOCAL_MEM_SIZE);
    out->software = (ask_number(device, found, CL_DEVICE_TYPE_INFO) & CL_DEVICE_TYPE_CPU) != 0;
    out->doubles = ask_number(device, found, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
    out->units = (uint32_t)(units < UINT32_MAX ? units : UINT32_MAX);
    out->buffer_size = ask_number(device, found, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    out->group_size = (uint32_t)(group < UINT32_MAX ? group : UINT32_MAX);
    out->local_memory = (uint32_t)(local < UINT32_MAX ? local : UINT32_MAX);
    const char *lack = compute_cl_lack(device, found);
    snprintf(out->lack, sizeof out->lack, "%s", lack ? lack : "");
}

const char *compute_cl_lack(compute_device *device, cl_handle found)
{
    if (!ask_number(device, found, CL_DEVICE_AVAILABLE))
        return "it is not available";
    if (!ask_number(device, found, CL_DEVICE_COMPILER_AVAILABLE))
        return "it has no compiler";
    if (!ask_number(device, found, CL_DEVICE_ENDIAN_LITTLE))
        return "it is not little-endian";
    if (!(ask_number(device, found, CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_ROUND_TO_NEAREST))
        return "its floats do not round to nearest";
    return ask_number(device, found, CL_DEVICE_MAX_WORK_GROUP_SIZE) > 0 ? NULL : "it does not say its limits";
}
